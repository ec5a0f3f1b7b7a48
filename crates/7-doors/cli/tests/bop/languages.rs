//! Remopla, pushdown systems and formulas.

use crate::c::Folder;
use crate::{TempFile, bop, bop_with, root};

const ENGINES: [&str; 6] = ["auto", "explicit", "summary", "post", "pre", "compare"];

/// `work` adds up its argument and what its calls add; the cells of `a` are swapped at the end.
const SUM: &str = "\
global
  int x(3);
  int a[2](2);
local (f, g)
  int n(2);

(p <main>)
p <main> --> p <f back>  (x' = 0 && n' = 3 && a'[0] == 1 && a'[1] == 2)
p <f> --> p <f g>        (n > 0 && n' = n - 1 && n'' = n && x' = x && A i (0, 1) a'[i] == a[i])
p <f> --> p <>           (n == 0 && x' = x && A i (0, 1) a'[i] == a[i])
p <g> --> p <>           (x' = x + n && A i (0, 1) a'[i] == a[i])
p <back> --> p <done>    (x' = x && a'[0] == a[1] && a'[1] == a[0])
p <back> --> p <wrong>   (x != 6)
";

const SORT: &str = "\
define N 3
int a[N](2);
bool swapped;
enum colour { red, green } c;
init main;
module int(2) least(int x(2), int y(2)) {
  if
    :: x < y -> return x;
    :: else -> return y;
  fi
}
module void main() {
  int m(2);
  m = least(a[0], a[1]);
  m = least(m, a[2]);
  c = green, swapped = m == a[2];
  if
    :: m > a[0] || m > a[1] -> BAD: skip;
    :: m == 2 && a[1] == 3 -> GOOD: a[m] = m, a[0] = 0;
    :: else -> skip;
  fi
  END: skip(swapped);
  DONE: goto DONE;
}
";

#[test]
fn numbers_and_arrays_come_back() {
    let sum = TempFile::new("sum.pds", SUM);
    let sort = TempFile::new("sort.rem", SORT);
    for engine in ENGINES {
        let check = |file: &TempFile, rest: &[&str]| {
            bop(&[&["check", file.path(), "--engine", engine, "--self-check"], rest].concat())
        };
        let out = check(&sum, &["--reach", "done", "--reach", "wrong"]).exits(1).out;
        assert!(out.contains("x=6") && out.contains("a=[2,1]"), "{engine}: {out}");
        assert!(out.contains("\nunreachable: wrong\n"), "{engine}: {out}");
        check(&sort, &["--reach", "BAD"]).exits(0);
        let report = check(&sort, &["--reach", "DONE", "--format", "json"]).exits(1);
        let json = report.json();
        let last = json["results"][0]["trace"]["steps"].as_array().unwrap().last().unwrap();
        assert_eq!(last["state"]["c"], 1, "{engine}: {last}");
        assert_eq!(last["state"]["swapped"], true, "{engine}: {last}");
        let good = check(&sort, &["--reach", "GOOD", "--format", "json"]).exits(1);
        let json = good.json();
        let last = json["results"][0]["trace"]["steps"].as_array().unwrap().last().unwrap();
        assert_eq!(last["state"]["m"], 2, "{engine}: {last}");
        assert_eq!(last["state"]["a"][1], 3, "{engine}: {last}");
        for report in [report, good] {
            let replay = |report: &str| bop_with(&["replay", sort.path(), "-"], report);
            assert!(replay(&report.out).exits(0).out.starts_with("accepted: "), "{engine}");
        }
    }
    let json = bop(&["check", sum.path(), "--reach", "done", "--format", "json"]).exits(1).out;
    bop_with(&["replay", sum.path(), "-"], &json).exits(0);
    let wrong = json.replace("\"a\":[2,1]", "\"a\":[1,2]");
    assert_ne!(json, wrong);
    bop_with(&["replay", sum.path(), "-"], &wrong).exits(1);
    let html = bop(&["check", sum.path(), "--reach", "done", "--format", "html"]).exits(1).out;
    assert!(html.contains("\"[2,1]\""), "the page shows arrays");
    let bebop = bop(&["check", sum.path(), "--reach", "done", "--format", "bebop"]).exits(1).out;
    assert!(bebop.contains("State x=6 a=[2,1]"), "{bebop}");
    let sarif = bop(&["check", sum.path(), "--reach", "done", "--format", "sarif"]).exits(1).out;
    assert!(sarif.contains("[2,1]"), "{sarif}");
}

#[test]
fn the_other_verbs_know_the_languages() {
    let sum = TempFile::new("sum.pds", SUM);
    let sort = TempFile::new("sort.rem", SORT);
    let out = bop(&["states", sum.path(), "--at", "done"]).exits(0).out;
    assert!(out.contains("    x=6 a=[2,1]\n  1 valuation\n"), "{out}");
    let out = bop(&["check", sum.path(), "--reach-all"]).exits(1).out;
    assert!(out.contains("1 of 6 statements"), "{out}");
    let entered = bop(&["check", sum.path(), "--entry", "back", "--reach", "wrong"]).exits(1).out;
    assert!(entered.contains("\n  2 steps"), "{entered}");
    for (file, at) in [(&sum, "13:1 p <back> --> p <wrong> (x != 6)"), (&sort, "DONE: goto DONE")] {
        let tree = bop(&["dump", file.path(), "--stage", "tree"]).exits(0).out;
        assert!(tree.contains(at), "{tree}");
        let ir = bop(&["dump", file.path()]).exits(0).out;
        assert!(ir.contains("\nproc main("), "{ir}");
        let spds = bop(&["dump", file.path(), "--stage", "spds"]).exits(0).out;
        assert!(spds.contains("<main") && spds.contains("-->"), "{spds}");
        let task = bop(&["dump", file.path(), "--stage", "task"]).exits(0).out;
        assert!(task.starts_with("assertions: reach"), "{task}");
        let dot = bop(&["convert", file.path(), "--to", "dot"]).exits(0).out;
        assert!(dot.starts_with("digraph"), "{dot}");
    }
    // What is in its own language stays as it was.
    let pds = bop(&["convert", sum.path(), "--to", "pds"]).exits(0).out;
    assert!(pds.contains("p <back> --> p <wrong> (x != 6)\n"), "{pds}");
    let remopla = bop(&["convert", sort.path(), "--to", "remopla"]).exits(0).out;
    assert!(remopla.contains("GOOD: a[m] = m, a[0] = 0;"), "{remopla}");
    // Everything can be said in each of the three.
    for (file, to, label, code) in [
        (&sum, "bp", "wrong", 0),
        (&sum, "bp", "done", 1),
        (&sum, "remopla", "wrong", 0),
        (&sum, "remopla", "done", 1),
        (&sort, "bp", "BAD", 0),
        (&sort, "bp", "GOOD", 1),
        (&sort, "pds", "BAD", 0),
        (&sort, "pds", "GOOD", 1),
    ] {
        let text = bop(&["convert", file.path(), "--to", to]).exits(0).out;
        let args = ["check", "-", "--lang", to, "--trace", "none", "--reach", label];
        assert_eq!(bop_with(&args, &text).code, code, "{to} {label}\n{text}");
    }
}

#[test]
fn quicksort_sorts() {
    let args = ["gen", "quicksort", "--bits", "2", "--len", "3"];
    let text = bop(&[&args[..], &["--faulty"]].concat()).exits(0).out;
    assert!(text.contains("int a[3](2);"), "{text}");
    let small = bop(&["gen", "quicksort", "--bits", "1", "--len", "2"]).exits(0).out;
    for engine in ENGINES {
        let check = ["check", "-", "--lang", "remopla", "--engine", engine, "--reach", "BAD"];
        bop_with(&check, &small).exits(0);
        let broken = text.replace("  quicksort(lo, right);\n", "");
        let out = bop_with(&check, &broken).exits(1).out;
        assert!(out.contains("  22 steps; no run gets there in fewer"), "{engine}: {out}");
    }
    // The corrected one ends on every array; the one of the figure does not.
    for (flags, ends) in [
        (&[][..], true),
        (&["--random-pivot"], true),
        (&["--faulty"], false),
        (&["--faulty", "--random-pivot"], false),
    ] {
        let text = bop(&[&args[..], flags].concat()).exits(0).out;
        let check = ["check", "-", "--lang", "remopla"];
        bop_with(&[&check[..], &["--reach", "BAD"]].concat(), &text).exits(0);
        let code = if ends { 0 } else { 1 };
        bop_with(&[&check[..], &["--ltl", "F at(END)"]].concat(), &text).exits(code);
    }
    for flags in [&["--no-array"][..], &["--no-array", "--faulty"]] {
        let text = bop(&[&args[..], flags].concat()).exits(0).out;
        assert!(!text.contains("a["), "{text}");
        bop_with(&["check", "-", "--lang", "remopla", "--reach", "END"], &text).exits(1);
    }
}

#[track_caller]
fn refused(name: &str, text: &str, says: &[&str]) {
    let file = TempFile::new(name, text);
    let ran = bop(&["check", file.path(), "--reach", "L"]).exits(2);
    assert_eq!(ran.out, "");
    for word in says {
        assert!(ran.err.contains(word), "{word} in {}", ran.err);
    }
}

#[test]
fn programs_that_make_no_sense() {
    refused("f.pds", "(p <a>)\np <a> -> q <b>\n", &[":2:7", "-->", "^"]);
    refused("f.pds", "(p <a>)\np <a> --> q b\n", &[":2:13", "^"]);
    refused("f.pds", "(p <a>)\np <a> --> q <b> (x = 1)\n", &[":2:18", "`x` is not known"]);
    refused("f.pds", "p <a> --> q <b>\n", &["no configuration to start with", "(p <y>)"]);
    refused("f.pds", "(p <a>)\np <a> --> q <b>\n", &["`L`", "the labels are a, b"]);
    let array = "int a[3](2);\ninit main;\nmodule void main() { L: a[3] = 1; }\n";
    refused("f.rem", array, &[":3:27", "index 3 is outside `a`", "0 to 2", "^"]);
    let name = "int count(2);\ninit main;\nmodule void main() { L: cuont = 1; }\n";
    refused("f.rem", name, &[":3:25", "`cuont`", "did you mean `count`?"]);
    let label = "init main;\nmodule void main() { L: goto LOPO; LOOP: skip; }\n";
    refused("f.rem", label, &[":2:30", "`LOPO`", "`LOOP`"]);
    refused("f.rem", "init main;\nmodule void main() { pchoice :: 1 -> skip; }\n", &["`pchoice`"]);
    let file = TempFile::new("f.rem", "init main;\nmodule void main() { LOOP: goto LOOP; }\n");
    let ran = bop(&["check", file.path(), "--reach", "LOPO"]).exits(2);
    assert!(ran.err.contains("did you mean `LOOP`?"), "{}", ran.err);
    let ran = bop(&["check", file.path(), "--entry", "mian"]).exits(2);
    assert!(ran.err.contains("did you mean `main`?"), "{}", ran.err);
    let ran = bop_with(&["check", "-"], "(p <a>)").exits(2);
    assert!(ran.err.contains("--lang bp") && ran.err.contains("--lang pds"), "{}", ran.err);
}

#[test]
fn deep_nesting_overflows_no_stack() {
    let n = 100_000;
    let deep = format!("{}x{}", "(".repeat(n), ")".repeat(n));
    let pds = format!("global bool x;\n(p <a>)\np <a> --> p <L> ({deep})\n");
    let remopla = format!("bool x;\ninit main;\nmodule void main() {{ skip({deep}); L: skip; }}");
    for (name, text) in [("deep.pds", pds), ("deep.rem", remopla)] {
        let file = TempFile::new(name, text);
        bop(&["check", file.path(), "--reach", "L", "--format", "json"]).exits(1);
        for to in ["bp", "remopla", "pds"] {
            bop(&["convert", file.path(), "--to", to]).exits(0);
        }
        bop(&["dump", file.path(), "--stage", "tree"]).exits(0);
    }
    bop(&["ltl", &format!("{}p{}", "(".repeat(20_000), ")".repeat(20_000))]).exits(0);
}

#[test]
fn formulas_become_automata() {
    let hoa = bop(&["ltl", "G (request -> F grant)"]).exits(0).out;
    assert!(hoa.starts_with("HOA: v1\n") && hoa.contains("States: 2\n"), "{hoa}");
    let two = bop(&["ltl", "G F a & G F b"]).exits(0).out;
    assert!(two.contains("acc-name: generalized-Buchi 2") && two.contains("States: 1\n"), "{two}");
    let one = bop(&["ltl", "G F a & G F b", "--ba"]).exits(0).out;
    assert!(one.contains("acc-name: Buchi") && one.contains("state-acc"), "{one}");
    let dot = bop(&["ltl", "a U at(main:L)", "--format", "dot"]).exits(0).out;
    assert!(dot.starts_with("digraph") && dot.contains("at(main:L)"), "{dot}");
    let text = bop(&["ltl", "a U b", "--format", "text", "--stats"]).exits(0);
    assert!(text.out.contains("state 0") && text.err.contains("states"), "{}", text.out);
    for (formula, says) in [
        ("G (p -> ", &["formula:1:9", "^"][..]),
        ("(p", &["`(` is not closed"]),
        ("p q", &["expected an operator"]),
        ("p & x == 2", &["^"]),
        ("", &["expected a formula"]),
    ] {
        let ran = bop(&["ltl", formula]).exits(2);
        assert_eq!(ran.out, "", "{formula}");
        for word in says {
            assert!(ran.err.contains(word), "{formula}: {word} in {}", ran.err);
        }
    }
    // Something that takes longer than any patience.
    let wide: Vec<String> = (0..40).map(|i| format!("F (a{i} & X F b{i})")).collect();
    let ran = bop(&["ltl", &wide.join(" & "), "--timeout", "100ms"]).exits(3);
    assert!(ran.err.starts_with("unknown: "), "{}", ran.err);
}

#[test]
#[allow(clippy::print_stderr)]
fn programs_of_others() {
    let corpus = std::env::var("POSTBOP_CORPUS").map(std::path::PathBuf::from);
    let corpus = corpus.unwrap_or_else(|_| root().join("../shared/corpus"));
    let Ok(files) = std::fs::read_dir(corpus.join("remopla")) else {
        eprintln!("skipped: no {}", corpus.display());
        return;
    };
    for file in files {
        let path = file.unwrap().path();
        let name = path.to_str().unwrap();
        let ran = bop(&["check", name, "--steps", "20000"]);
        match ran.code {
            0 | 1 | 3 => assert!(ran.err.is_empty(), "{name}: {}", ran.err),
            _ => assert!(ran.exits(2).err.contains("is not supported"), "{name}"),
        }
    }
}

/// A text as gzip packs it, in one piece that is not made smaller.
fn packed(text: &str) -> Vec<u8> {
    let mut crc = !0u32;
    for byte in text.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
        }
    }
    let n = u16::try_from(text.len()).expect("a short text");
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(n.to_le_bytes().into_iter().chain((!n).to_le_bytes()));
    out.extend(text.bytes());
    out.extend((!crc).to_le_bytes().into_iter().chain(u32::from(n).to_le_bytes()));
    out
}

#[test]
fn packed_programs_are_read() {
    let folder = Folder::new("packed", &[("own.h", "void *malloc(unsigned long n);\n")]);
    let put = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), packed(text)).expect("it can be written");
    };
    put("a.bp.gz", "decl g;\nvoid main() begin\n  assert(!g);\nend\n");
    put("a.rem.gz", SORT);
    put("a.pds.gz", SUM);
    put("a.i.gz", "int f(int n) {\n  if (n) L: return 1;\n  return 0;\n}\n");
    put(
        "a.c.gz",
        "#include \"own.h\"\nint main(void) {\n  int *p = malloc(4);\n  return p != 0;\n}\n",
    );
    let out = folder.bop(&["check", "a.bp.gz"]).exits(1).out;
    assert!(out.contains("at a.bp.gz:3:3"), "{out}");
    folder.bop(&["check", "a.rem.gz", "--reach", "DONE"]).exits(1);
    folder.bop(&["check", "a.pds.gz", "--reach", "wrong"]).exits(0);
    folder.bop(&["check", "a.i.gz", "--entry", "f", "--reach", "L"]).exits(1);
    folder.bop(&["eval", "<true*>true", "a.bp.gz"]).exits(0);
    if crate::c::compiler() {
        // Its own name, and what it includes from beside it.
        let out = folder.bop(&["check", "a.c.gz", "--rule", "memory_leak"]).exits(1).out;
        assert!(out.contains("at a.c.gz:4:3"), "{out}");
    }
}
