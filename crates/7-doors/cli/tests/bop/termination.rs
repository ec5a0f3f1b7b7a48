//! Whether runs of C programs with their data end.

use crate::c::Folder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const HEAD: &str =
    "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int); void abort(void); void exit(int); extern void reach_error(void);
";

fn verdict(folder: &Folder, file: &str, more: &[&str]) -> (String, Value) {
    let mut args = vec!["check", file, "--terminates", "--format", "json", "--timeout", "30s"];
    args.extend(more);
    let ran = folder.bop(&args);
    let report = ran.json();
    let answer = report["results"][0].clone();
    let verdict = answer["verdict"].as_str().unwrap_or_default().to_owned();
    let code = match verdict.as_str() {
        "holds" => 0,
        "violated" => 1,
        _ => 3,
    };
    assert_eq!(ran.code, code, "{file}: {}{}", ran.out, ran.err);
    (verdict, answer)
}

/// Programs that end, each with a twin that does not.
const TWINS: [(&str, &str, &str); 16] = [
    (
        "counting",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); for (unsigned i = 0; i < n; i++); return 0; }",
        "int main(void) { for (unsigned char i = 0; i < 256; i++); return 0; }",
    ),
    (
        "down",
        "int main(void) { unsigned i = __VERIFIER_nondet_uint(); while (i > 0) i--; return 0; }",
        "int main(void) { unsigned i = __VERIFIER_nondet_uint(); while (i >= 0) i--; return 0; }",
    ),
    (
        "steps",
        "int main(void) { unsigned char i = __VERIFIER_nondet_uint(); while (i != 7) i += 3; return 0; }",
        "int main(void) { unsigned char i = __VERIFIER_nondet_uint(); while (i != 7) i += 2; return 0; }",
    ),
    (
        "less",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (y <= 0) return 0; while (x > 0) x -= y; return 0; }",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (y < 0) return 0; while (x > 0) x -= y; return 0; }",
    ),
    (
        "gcd",
        "int main(void) { unsigned char a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(); while (b) { unsigned char t = a % b; a = b; b = t; } return 0; }",
        "int main(void) { unsigned char a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(); while (b) { unsigned char t = a % b; b = a; a = b + t; } return 0; }",
    ),
    (
        "nested",
        "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) for (int j = 0; j < i; j++); return 0; }",
        "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) for (int j = 0; j < 5; j++) i = 0; return 0; }",
    ),
    (
        "lexicographic",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
         while (x > 0 && y > 0) { if (__VERIFIER_nondet_int()) { x--; y = __VERIFIER_nondet_int(); } else y--; } return 0; }",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
         while (x > 0 && y > 0) { if (__VERIFIER_nondet_int()) { y = __VERIFIER_nondet_int(); } else y--; } return 0; }",
    ),
    (
        "inputs",
        "int main(void) { int n = 100; while (n && __VERIFIER_nondet_int()) n--; return 0; }",
        "int main(void) { int n = 100; while (n || __VERIFIER_nondet_int()) if (n) n--; return 0; }",
    ),
    (
        "goto",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); again: if (n) { n = n / 2; goto again; } return 0; }",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); again: if (n) { n = n / 2 + 1; goto again; } return 0; }",
    ),
    (
        "recursion",
        "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } int main(void) { return f(__VERIFIER_nondet_int()); }",
        "int f(int n) { return n <= 0 ? 0 : 1 + f(n); } int main(void) { return f(7); }",
    ),
    (
        "assertions",
        "int main(void) { while (1) { int x = __VERIFIER_nondet_int(); if (x) abort(); exit(0); } }",
        "int main(void) { while (1) { int x = __VERIFIER_nondet_int(); if (x) abort(); } }",
    ),
    (
        "assumptions",
        "int main(void) { int x = __VERIFIER_nondet_int(); while (x) { __VERIFIER_assume(x == 0); } return 0; }",
        "int main(void) { int x = __VERIFIER_nondet_int(); while (x) { __VERIFIER_assume(x != 0); } return 0; }",
    ),
    (
        "bits",
        "int main(void) { struct { unsigned b : 3; } s; for (s.b = 0; s.b < 7; s.b++); return 0; }",
        "int main(void) { struct { unsigned b : 3; } s; for (s.b = 0; s.b < 8; s.b++); return 0; }",
    ),
    (
        "called",
        "static void step(int *p) { *p = *p - 1; } int main(void) { int n = __VERIFIER_nondet_int(); while (n > 0) step(&n); return 0; }",
        "static void step(int *p) { *p = *p + 0; } int main(void) { int n = __VERIFIER_nondet_int(); while (n > 0) step(&n); return 0; }",
    ),
    (
        "phases",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); while (x > 0) { if (y > 0) y--; else x--; } return 0; }",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); while (x > 0) { if (y > 0) y--; else y = x; } return 0; }",
    ),
    (
        "mutual",
        "int g(int); int f(int n) { return n <= 0 ? 0 : g(n - 1); } int g(int n) { return n <= 0 ? 0 : f(n - 1) + f(n - 2); }
         int main(void) { return f(__VERIFIER_nondet_int()); }",
        "int g(int); int f(int n) { return n < 0 ? 0 : g(n + 1); } int g(int n) { return n < 0 ? 0 : f(n - 1); }
         int main(void) { return f(3); }",
    ),
];

#[test]
fn programs_that_end_and_their_twins() {
    for (name, ends, never) in TWINS {
        let (ends, never) = (format!("{HEAD}{ends}\n"), format!("{HEAD}{never}\n"));
        let files = [("ends.c", ends.as_str()), ("never.c", never.as_str())];
        let folder = Folder::new(&format!("ends-{name}"), &files);
        let (found, answer) = verdict(&folder, "ends.c", &[]);
        assert_eq!(found, "holds", "{name}: {answer}");
        let (found, answer) = verdict(&folder, "never.c", &[]);
        assert_eq!(found, "violated", "{name}: {answer}");
    }
}

/// Programs that do not end, or need not, by what is easily forgotten.
const NEVER: [(&str, &str); 19] = [
    ("volatile", "volatile int stop; int main(void) { while (!stop); return 0; }"),
    ("elsewhere", "extern int stop; int main(void) { while (!stop); return 0; }"),
    (
        "stub",
        "void wait(int *p); int main(void) { int n = 10; while (n > 0) { n--; wait(&n); } return 0; }",
    ),
    ("unset", "int main(void) { int x; while (x) ; return 0; }"),
    (
        "jump",
        "#include <setjmp.h>\njmp_buf b; int main(void) { setjmp(b); longjmp(b, 1); return 0; }",
    ),
    (
        "jump in a loop",
        "#include <setjmp.h>\njmp_buf b; void f(void) { longjmp(b, 1); } int main(void) { int i = 0; setjmp(b); for (; i < 10; i++) f(); return 0; }",
    ),
    (
        "signal",
        "#include <signal.h>\nint n = 10; void h(int s) { n = 10; } int main(void) { signal(SIGALRM, h); while (n > 0) n--; return 0; }",
    ),
    (
        "pointer",
        "int n = 5; void f(void); void (*p)(void) = f; void f(void) { if (n) p(); } int main(void) { p(); return 0; }",
    ),
    (
        "list",
        "struct l { struct l *next; } a, b; int main(void) { a.next = &b; b.next = &a; for (struct l *p = &a; p; p = p->next); return 0; }",
    ),
    ("float", "int main(void) { for (float x = 0; x < 1e9f; x += 1); return 0; }"),
    ("label", "int main(void) { void *p = &&again; again: goto *p; }"),
    (
        "at the end",
        "int atexit(void (*)(void)); void f(void) { while (1); } int main(void) { atexit(f); return 0; }",
    ),
    ("arguments", "int main(int argc, char **argv) { while (argc > 3); return 0; }"),
    ("string", "int main(int argc, char **argv) { while (argv[0][0]); return 0; }"),
    (
        "union",
        "union { int i; unsigned char c; } u; int main(void) { for (u.c = 0; u.c < 200; u.c++) u.i = 0; return 0; }",
    ),
    (
        "before",
        "__attribute__((constructor)) void f(void) { for (;;); } int main(void) { return 0; }",
    ),
    (
        "alias",
        "int a[4]; int main(void) { int k = __VERIFIER_nondet_int() & 3; for (a[0] = 0; a[0] < 3; a[0]++) a[k] = 0; return 0; }",
    ),
    ("long", "int main(void) { for (unsigned i = 0; i <= 0xffffffff; i++); return 0; }"),
    (
        "two calls",
        "int g(int); int f(int n) { return n <= 0 ? 0 : g(n) + g(n + 1); } int g(int n) { return n <= 0 ? 0 : f(n - 1); } int main(void) { return g(2); }",
    ),
];

#[test]
fn what_need_not_end_is_never_said_to() {
    for (name, text) in NEVER {
        let text = format!("{HEAD}{text}\n");
        let folder = Folder::new(&format!("never-{}", name.replace(' ', "-")), &[("f.c", &text)]);
        for engine in ["auto", "pdr", "predicates"] {
            let (found, answer) = verdict(&folder, "f.c", &["--engine", engine]);
            assert_ne!(found, "holds", "{name} by {engine}: {answer}");
        }
    }
}

const PAIR: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (y < 1) return 0;
    while (x > 0) {
        x -= y;
    }
    return 0;
}
";

#[test]
fn measures_are_told_and_the_skeleton_is_asked_if_that_is_wanted() {
    let never = PAIR.replace("y < 1", "y < 0");
    let folder = Folder::new("ends-told", &[("f.c", PAIR), ("g.c", &never)]);
    let text = folder.bop(&["check", "f.c", "--terminates", "--self-check"]).exits(0).out;
    assert!(text.starts_with("holds: every run ends\n"), "{text}");
    assert!(text.contains("f.c:5 in `main`: y "), "{text}");
    assert!(text.contains("f.c:5 in `main`: gets smaller: x\n"), "{text}");
    let (_, answer) = verdict(&folder, "f.c", &[]);
    let smaller = &answer["invariants"][0]["smaller"][0];
    assert_eq!(smaller["is"], "sum", "{answer}");
    assert_eq!(smaller["terms"][0]["of"], "x", "{answer}");
    folder.bop(&["check", "f.c", "--terminates", "--skeleton"]).exits(1);
    let text = folder.bop(&["check", "g.c", "--terminates"]).exits(1).out;
    assert!(text.contains("a run never ends: the loop in `main` at g.c:5"), "{text}");
    assert!(text.contains("inputs: "), "{text}");
    assert!(!text.contains("control skeleton"), "{text}");
}

/// FNV-1a over a proof's text up to its checksum.
fn sealed(body: &str) -> String {
    let mut sum = 0xcbf2_9ce4_8422_2325u64;
    body.bytes().for_each(|b| sum = (sum ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{body},\n\"checksum\":\"{sum:016x}\"}}\n")
}

#[test]
fn a_proof_is_saved_and_replayed_and_a_damaged_one_is_refused() {
    let folder = Folder::new("ends-saved", &[("f.c", PAIR), ("g.c", &PAIR.replace("< 1", "< 0"))]);
    folder.bop(&["check", "f.c", "--terminates", "--proof", "p.json"]).exits(0);
    folder.bop(&["replay", "f.c", "p.json"]).exits(0);
    let text = std::fs::read_to_string(folder.path().join("p.json")).unwrap();
    let body = text.split(",\n\"checksum\"").next().unwrap();
    assert_eq!(sealed(body), text);
    let write = |text: &str| std::fs::write(folder.path().join("q.json"), text).unwrap();
    for (old, new) in [
        ("\"factor\":\"1\"", "\"factor\":\"-1\""),
        ("\"factor\":\"1\"", "\"factor\":\"0\""),
        ("\"factor\":\"1\"", "\"factor\":\"x\""),
        ("\"of\":\"x\"", "\"of\":\"y\""),
        ("\"of\":\"x\"", "\"of\":\"z\""),
        ("\"is\":\"sum\"", "\"is\":\"number\""),
        ("\"is\":\"sum\"", "\"is\":\"holds\""),
        ("\"is\":\"sum\"", "\"is\":\"max\""),
        ("\"holds\":false", "\"holds\":true"),
        ("\"verdict\":\"holds\"", "\"verdict\":\"violated\""),
        ("\"kind\":\"terminates\"", "\"kind\":\"assert\""),
    ] {
        assert!(body.contains(old), "{old}: {body}");
        write(&text.replacen(old, new, 1));
        folder.bop(&["replay", "f.c", "q.json"]).exits(2);
        let ran = {
            write(&sealed(&body.replace(old, new)));
            folder.bop(&["replay", "f.c", "q.json"])
        };
        // That no assertion fails is another question, and the same invariants prove it.
        if old.contains("kind") {
            continue;
        }
        assert_eq!(ran.code, 1, "{old} -> {new}: {}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("refused"), "{old} -> {new}: {}", ran.out);
    }
    // It is a proof of this program, and of no other one.
    write(&text);
    folder.bop(&["replay", "g.c", "q.json"]).exits(1);
}

#[test]
fn a_run_without_end_is_replayed() {
    let never = PAIR.replace("y < 1", "y < 0");
    let counts = "int main(void) { unsigned i = 0; while (i >= 0) i++; return 0; }\n";
    let folder = Folder::new("never-replayed", &[("f.c", &never), ("g.c", counts), ("h.c", PAIR)]);
    for file in ["f.c", "g.c"] {
        let (found, report) = (verdict(&folder, file, &[]).0, "r.json");
        assert_eq!(found, "violated", "{file}");
        folder.bop(&["check", file, "--terminates", "--format", "json", "-o", report]).exits(1);
        let told = folder.bop(&["replay", file, report]).exits(0).out;
        assert!(told.starts_with("accepted"), "{told}");
        let told = folder.bop(&["replay", "h.c", report]).exits(1).out;
        assert!(told.starts_with("refused"), "{file}: {told}");
    }
}

// Programs that are made at random, and all of their states.

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];

/// The type of all variables: its name in C, bits, and whether it has a sign; what is given to one is masked.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    signed: bool,
    mask: Option<i64>,
    count: usize,
}

impl Kind {
    fn fit(self, value: i64) -> i64 {
        let value = self.mask.map_or(value, |mask| value & mask);
        if self.signed { i64::from(value as i8) } else { i64::from(value as u8) }
    }
}

#[derive(Clone, Copy)]
enum Term {
    Number(i64),
    Variable(usize),
}

impl Term {
    fn text(self) -> String {
        match self {
            Term::Number(n) => n.to_string(),
            Term::Variable(v) => NAMES[v].to_owned(),
        }
    }
    fn value(self, state: &[i64]) -> i64 {
        match self {
            Term::Number(n) => n,
            Term::Variable(v) => state[v],
        }
    }
}

#[derive(Clone, Copy)]
struct Test(Term, &'static str, Term);

impl Test {
    fn random(random: &mut Random, kind: Kind) -> Test {
        let signs = ["<", "<=", ">", ">=", "!=", "=="];
        let other = term(random, kind);
        Test(Term::Variable(random.below(kind.count)), signs[random.below(6)], other)
    }
    fn text(self) -> String {
        format!("{} {} {}", self.0.text(), self.1, self.2.text())
    }
    fn holds(self, state: &[i64]) -> bool {
        let (a, b) = (self.0.value(state), self.2.value(state));
        match self.1 {
            "<" => a < b,
            "<=" => a <= b,
            ">" => a > b,
            ">=" => a >= b,
            "!=" => a != b,
            _ => a == b,
        }
    }
}

fn term(random: &mut Random, kind: Kind) -> Term {
    match random.below(3) {
        0 => Term::Variable(random.below(kind.count)),
        _ => Term::Number(random.below(12) as i64 - if kind.signed { 4 } else { 0 }),
    }
}

enum Op {
    /// A variable becomes the sum of two terms, the second taken away if so.
    Set(usize, Term, Term, bool),
    /// It becomes an input below 4.
    Input(usize),
    /// Goes somewhere else unless a test holds, or an input below 2 is 1.
    Unless(Option<Test>, usize),
    Jump(usize),
}

/// Where a run is, and with which values.
type At = (usize, Vec<i64>);

/// A program as text and as operations.
struct Made {
    text: String,
    ops: Vec<Op>,
}

impl Made {
    fn set(&mut self, random: &mut Random, kind: Kind) {
        let v = random.below(kind.count);
        if random.below(6) == 0 {
            let _ = writeln!(self.text, "{} = __VERIFIER_nondet_uint() & 3;", NAMES[v]);
            self.ops.push(Op::Input(v));
            return;
        }
        let (a, minus) = (Term::Variable(v), random.below(2) == 0);
        let a = if random.below(5) == 0 { term(random, kind) } else { a };
        let b = match random.below(3) {
            0 => term(random, kind),
            _ => Term::Number(1 + random.below(2) as i64),
        };
        let sign = if minus { "-" } else { "+" };
        let sum = format!("{} {sign} ({})", a.text(), b.text());
        let sum = kind.mask.map_or(sum.clone(), |mask| format!("({sum}) & {mask}"));
        let _ = writeln!(self.text, "{} = {sum};", NAMES[v]);
        self.ops.push(Op::Set(v, a, b, minus));
    }

    fn unless(&mut self, test: Option<Test>) -> (String, usize) {
        self.ops.push(Op::Unless(test, 0));
        let text = test.map_or("(__VERIFIER_nondet_uint() & 1) == 1".to_owned(), Test::text);
        (text, self.ops.len() - 1)
    }

    fn land(&mut self, at: usize) {
        let end = self.ops.len();
        if let Op::Unless(_, to) | Op::Jump(to) = &mut self.ops[at] {
            *to = end;
        }
    }

    fn body(&mut self, random: &mut Random, kind: Kind, depth: usize) {
        for _ in 0..1 + random.below(3) {
            match random.below(5) {
                0 if depth < 2 => {
                    let test = (random.below(4) > 0).then(|| Test::random(random, kind));
                    let (test, at) = self.unless(test);
                    let _ = writeln!(self.text, "if ({test}) {{");
                    self.set(random, kind);
                    self.ops.push(Op::Jump(0));
                    let over = self.ops.len() - 1;
                    self.land(at);
                    self.text += "} else {\n";
                    self.set(random, kind);
                    self.land(over);
                    self.text += "}\n";
                }
                1 if depth < 1 => self.round(random, kind, depth + 1),
                _ => self.set(random, kind),
            }
        }
    }

    fn round(&mut self, random: &mut Random, kind: Kind, depth: usize) {
        let head = self.ops.len();
        let (test, at) = self.unless(Some(Test::random(random, kind)));
        let _ = writeln!(self.text, "while ({test}) {{");
        self.body(random, kind, depth);
        self.ops.push(Op::Jump(head));
        self.land(at);
        self.text += "}\n";
    }

    /// Whether some run never ends, by all states.
    fn endless(&self, kind: Kind) -> bool {
        let mut next: BTreeMap<At, Vec<At>> = BTreeMap::new();
        let mut todo = vec![(0, vec![0; kind.count])];
        while let Some((at, state)) = todo.pop() {
            if next.contains_key(&(at, state.clone())) {
                continue;
            }
            let mut after = Vec::new();
            let with = |v: usize, value: i64| {
                let mut new = state.clone();
                new[v] = kind.fit(value);
                (at + 1, new)
            };
            match self.ops.get(at) {
                None => {}
                Some(Op::Jump(to)) => after.push((*to, state.clone())),
                Some(Op::Input(v)) => after.extend((0..4).map(|n| with(*v, n))),
                Some(Op::Set(v, a, b, minus)) => {
                    let (a, b) = (a.value(&state), b.value(&state));
                    after.push(with(*v, if *minus { a - b } else { a + b }));
                }
                Some(Op::Unless(test, to)) => {
                    let holds = test.map(|test| test.holds(&state));
                    if holds != Some(false) {
                        after.push((at + 1, state.clone()));
                    }
                    if holds != Some(true) {
                        after.push((*to, state.clone()));
                    }
                }
            }
            todo.extend(after.iter().cloned());
            next.insert((at, state), after);
        }
        // What leads only to what ends goes.
        loop {
            let there: BTreeSet<At> = next.keys().cloned().collect();
            next.retain(|_, after| after.iter().any(|s| there.contains(s)));
            if next.len() == there.len() {
                return !next.is_empty();
            }
        }
    }
}

const KINDS: [Kind; 3] = [
    Kind { name: "unsigned char", signed: false, mask: Some(15), count: 3 },
    Kind { name: "unsigned char", signed: false, mask: None, count: 2 },
    Kind { name: "signed char", signed: true, mask: None, count: 2 },
];

fn compared(seed: u64, rounds: usize) -> (usize, usize, usize) {
    let mut random = Random(seed);
    let (mut holds, mut violated, mut open) = (0, 0, 0);
    for round in 0..rounds {
        let kind = KINDS[random.below(3)];
        let mut made = Made { text: String::new(), ops: Vec::new() };
        let mut text = format!("{HEAD}int main(void) {{\n");
        for name in &NAMES[..kind.count] {
            let _ = writeln!(text, "{} {name} = 0;", kind.name);
        }
        for (v, name) in NAMES.iter().enumerate().take(kind.count) {
            let _ = writeln!(made.text, "{name} = __VERIFIER_nondet_uint() & 3;");
            made.ops.push(Op::Input(v));
        }
        made.round(&mut random, kind, 0);
        let expected = made.endless(kind);
        let _ = writeln!(text, "{}return 0;\n}}", made.text);
        let folder = Folder::new(&format!("ends-random-{seed}-{round}"), &[("f.c", &text)]);
        let (found, answer) = verdict(&folder, "f.c", &[]);
        match found.as_str() {
            "holds" => {
                assert!(!expected, "a run of this never ends, {answer}:\n{text}");
                holds += 1;
            }
            "violated" => {
                assert!(expected, "every run of this ends, {answer}:\n{text}");
                violated += 1;
            }
            _ => open += 1,
        }
    }
    (holds, violated, open)
}

#[test]
fn random_programs_are_compared_with_all_of_their_states() {
    let (holds, violated, open) = compared(0x70_57b0_9001, 60);
    assert!(
        holds >= 15 && violated >= 15 && open <= 15,
        "{holds} hold, {violated} not, {open} open"
    );
}

#[test]
#[ignore = "takes minutes: SEED=… ROUNDS=… cargo test -p cli --test bop -- --ignored many_random"]
fn many_random_programs_are_compared_with_all_of_their_states() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (holds, violated, open) = compared(number("SEED", 99), number("ROUNDS", 1_000) as usize);
    assert!(holds > 0 && violated > 0, "{holds} hold, {violated} not, {open} open");
    eprintln!("{holds} hold, {violated} do not, {open} open");
}

/// What the machine does here, another one need not do.
#[test]
fn what_depends_on_addresses_or_the_library_is_no_answer() {
    let order = "int main(void) { int a = 1, b = 2, *p = &a, *q = &b; LOOK return a + b; }\n";
    let compared = ["(unsigned long)p < (unsigned long)q", "(unsigned long)p > (unsigned long)q"];
    let sorted = "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));\n\
                  static int n; static int c(const void *a, const void *b) { n++; return *(int *)a - *(int *)b; }\n\
                  int main(void) { int v[5] = {5, 4, 3, 2, 1}; qsort(v, 5, 4, c); LOOK return 0; }\n";
    let clock = "long time(long *); int main(void) { long t = time(0); LOOK return 0; }\n";
    let programs = [
        (order, compared[0]),
        (order, compared[1]),
        (sorted, "n >= 4 && n <= 8"),
        (clock, "t == 0"),
    ];
    for (program, when) in programs {
        let loops = program.replace("LOOK", &format!("while ({when}) ;"));
        let reaches = program.replace("LOOK", &format!("if ({when}) {{ L: ; }}"));
        let folder = Folder::new("depends", &[("loops.c", &loops), ("reaches.c", &reaches)]);
        folder.bop(&["check", "loops.c", "--terminates", "--timeout", "8s"]).exits(3);
        // It may be any time.
        for engine in ["auto", "pdr"].into_iter().filter(|_| program != clock) {
            let args =
                ["check", "reaches.c", "--reach", "L", "--engine", engine, "--timeout", "8s"];
            folder.bop(&args).exits(3);
        }
    }
}
