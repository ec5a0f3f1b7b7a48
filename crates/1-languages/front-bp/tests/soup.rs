//! Random text: nothing crashes, and whatever is accepted prints as the same program.
//!
//! The fuzz target `parse_print` checks the same property on arbitrary bytes; this is the part of
//! it that runs everywhere, always on the same texts.

use std::path::{Path, PathBuf};

use crate::property::property;
use front_bp::Dialect;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    fn dialect(&mut self) -> Dialect {
        if self.below(4) == 0 { Dialect::Satabs } else { Dialect::Standard }
    }
}

const TOKENS: &[&str] = &[
    "decl",
    "void",
    "bool",
    "begin",
    "end",
    "enforce",
    "abortif",
    "skip",
    "goto",
    "return",
    "print",
    "assert",
    "assume",
    "constrain",
    "dead",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "schoose",
    "dfs",
    "T",
    "F",
    "true",
    "false",
    "start_thread",
    "sync",
    "x$",
    ":=",
    "!=",
    "=>",
    "==",
    "&&",
    "||",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    "*",
    "?",
    "'",
    "!",
    "~",
    "&",
    "|",
    "^",
    "=",
    "a",
    "b",
    "main",
    "_",
    "{a b}",
    "{",
    "}",
    "{}",
    "L",
    "0",
    "1",
    "7",
    "@",
    "é",
    "/*",
    "*/",
    "//",
    "\n",
    "\t",
    "\0",
    "ASYNC_1",
    "\u{feff}",
];

/// Pieces that fit together more often than single tokens do.
const PHRASES: &[&str] = &[
    "skip;",
    "a := b;",
    "a, b := b, a;",
    "a := main();",
    "main();",
    "a, _ := main(b, a);",
    "L:",
    "goto L;",
    "if a then",
    "if (a & b) then",
    "elsif a = b then",
    "else",
    "fi",
    "fi;",
    "while * do",
    "od",
    "od;",
    "assert(a);",
    "assume(a => b);",
    "return;",
    "return a, b;",
    "dead a;",
    "decl x;",
    "end",
    "void f(a) begin",
    "bool<2> g() begin",
    "print(a);",
    "a := schoose[a, b];",
    "a := * constrain 'a != a;",
    "constrain('a);",
    "a := !(b ^ a) | T;",
    "enforce a;",
    "abortif b;",
];

const PROGRAMS: &[&str] = &[
    "decl g, {*p == *q};\nbool<2> f(a) begin\n  decl l; enforce g | *; abortif l & a;\n  L1: L1: l := a \
     = l; g, l := *, schoose[F, l] constrain 'g != g;\n  if (g & a | l) then dead g; return l, !a; elsif \
     a => g then skip; else if * then goto L1, L1; fi; fi\n  assert(g != l)\nend\nvoid main() begin\n  \
     decl x; while (x ^ g) do x, _ := f(x | *); f(T) od; assume(1); print(x);\nend\n",
    "decl g; void main() begin 12: g := !g; // c\n goto 12, 13; 13: /* c */ if ? then main() fi end",
    "decl a, b; main() begin a, b := b, a || b && a ^ T; if a then SLIC_ERROR: skip; fi; return end",
];

fn soup(random: &mut Random, words: &[&str], longest: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.below(longest) {
        text.push_str(random.pick(words));
        if random.below(8) > 0 {
            text.push(' ');
        }
    }
    text
}

/// Deletes, inserts, replaces, repeats or swaps a few pieces of a program.
fn mutate(random: &mut Random, program: &str) -> String {
    let mut pieces: Vec<String> =
        program.split_inclusive([' ', ';', '(', ')', ',', '\n']).map(str::to_string).collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(pieces.len());
        let token = random.pick(TOKENS).to_string();
        match random.below(7) {
            0 => _ = pieces.remove(at),
            1 => pieces.insert(at, token),
            2 => pieces[at] = token,
            3 => pieces.insert(at, pieces[random.below(pieces.len())].clone()),
            4 => pieces.truncate(at + 1),
            5 => {
                let other = random.below(pieces.len());
                pieces.swap(at, other);
            }
            _ => {
                let mut chars: Vec<char> = pieces[at].chars().collect();
                let place = random.below(chars.len() + 1);
                chars.splice(place..place, token.chars().take(1));
                pieces[at] = chars.into_iter().collect();
            }
        }
        if pieces.is_empty() {
            break;
        }
    }
    pieces.concat()
}

#[test]
fn token_soup() {
    let mut random = Random(1);
    let mut accepted = 0;
    for round in 0..40_000 {
        let text = match round % 4 {
            0 => soup(&mut random, TOKENS, 40),
            1 => format!("decl a, b; void main() begin {} end", soup(&mut random, TOKENS, 12)),
            2 => format!("decl a, b; void main() begin {} end", soup(&mut random, PHRASES, 20)),
            _ => format!("decl a, b; bool main(c) begin {} end", soup(&mut random, PHRASES, 4)),
        };
        let dialect = random.dialect();
        accepted += usize::from(property(&text, dialect));
    }
    assert!(accepted > 2_000, "only {accepted} texts were programs");
}

#[test]
fn mutated_programs() {
    let mut random = Random(2);
    let mut accepted = 0;
    let mut programs: Vec<String> = PROGRAMS.iter().map(|text| text.to_string()).collect();
    programs.extend(corpus());
    for round in 0..12_000 {
        let program = &programs[round % programs.len()];
        let text = mutate(&mut random, program);
        let dialect = random.dialect();
        accepted += usize::from(property(&text, dialect));
    }
    assert!(accepted > 1_000, "only {accepted} texts were programs");
}

/// What the fuzz target starts from, and what once broke the property.
#[test]
fn seeds_and_reproducers() {
    let mut accepted = 0;
    for folder in ["seeds", "reproducers"] {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz");
        let entries = fuzz.join(folder).join("parse_print").read_dir();
        let mut files: Vec<PathBuf> =
            entries.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            for dialect in [Dialect::Standard, Dialect::Satabs] {
                accepted += usize::from(property(&text, dialect));
            }
        }
    }
    assert!(accepted > 0, "the seeds are programs");
}

/// The small programs of the corpus, where it is at hand.
fn corpus() -> Vec<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    let root = std::env::var_os("POSTBOP_CORPUS").map_or(here, PathBuf::from);
    let folders = ["bp/satabs", "bp/wali"].map(|folder| root.join(folder));
    let mut files: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| folder.read_dir().ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "bp"))
        .collect();
    files.sort();
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}
