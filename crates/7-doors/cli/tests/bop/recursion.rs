//! Functions that call themselves, proved: programs with twins that fail, saved proofs, and random programs against all
//! of their states.

use crate::c::Folder;
use crate::proved::sealed;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// By function and what it is entered with: what it gives back, and what it leaves.
type Ends = BTreeMap<(usize, [u8; 3]), BTreeSet<(u8, u8)>>;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

fn verdict(text: &str, name: &str, engine: &str) -> String {
    let folder = Folder::new(name, &[("f.c", text)]);
    let asked =
        ["check", "f.c", "--assert", "--engine", engine, "--timeout", "6s", "--format", "json"];
    let report = folder.bop(&asked).json();
    report["results"][0]["verdict"].as_str().unwrap_or_default().to_owned()
}

const ID: &str = "int id(int x) {
    if (x == 0) return 0;
    return id(x - 1) + 1;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && id(n) != n) reach_error();
    return 0;
}
";

/// Each is proved, and its twin, in which a part is something else, is not.
#[test]
fn functions_that_call_themselves_are_proved_and_their_twins_are_not() {
    let programs = [
        ("id", ID, ("id(n) != n", "id(n) == 7")),
        (
            "count",
            "int g; void f(int n) { if (n <= 0) return; g++; f(n - 1); if (g < 0) g = 0; }
int main(void) { int n = __VERIFIER_nondet_int(); f(n); if (g < 0) reach_error(); return 0; }\n",
            ("g < 0) reach", "g == 5) reach"),
        ),
        (
            "mutual",
            "int odd(int n); int even(int n) { if (n == 0) return 1; return odd(n - 1); }
int odd(int n) { if (n == 0) return 0; return even(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(), r; if (n < 0) return 0; r = even(n);
if (r != 0 && r != 1) reach_error(); return 0; }\n",
            ("r != 0 && r", "n == 4 && r != 0 || r != 0 && r"),
        ),
        (
            "inside",
            "int f(int n, int deep) { if (deep < 0) reach_error(); if (n <= 0) return 0; return f(n - 1, deep); }
int main(void) { return f(__VERIFIER_nondet_int(), 3) & 0; }\n",
            ("f(n - 1, deep)", "f(n - 1, deep - 1)"),
        ),
        (
            "kept",
            "char a[4]; int f(int n) { if (n <= 0) return 0; a[n & 1] = 1; return f(n - 1); }
int main(void) { a[3] = 7; f(__VERIFIER_nondet_int()); if (a[3] != 7 || a[0] > 1) reach_error(); return 0; }\n",
            ("a[n & 1]", "a[n & 3]"),
        ),
    ];
    for (name, text, (old, new)) in programs {
        let text = format!("{HEAD}{text}");
        assert_eq!(verdict(&text, &format!("recursion-{name}"), "pdr"), "holds", "{name}");
        assert!(text.contains(old), "{name}");
        let twin = text.replacen(old, new, 1);
        let found = verdict(&twin, &format!("recursion-{name}-twin"), "auto");
        assert_eq!(found, "violated", "{name}: {twin}");
        assert_ne!(verdict(&twin, &format!("recursion-{name}-pdr"), "pdr"), "holds", "{name}");
    }
}

/// What a summary would miss is not summarised: nothing is said to hold.
#[test]
fn what_cannot_be_summarised_is_not_proved() {
    let programs = [
        (
            "pointer",
            "int f(int n, int *out) { if (n <= 0) return 0; *out += 1; return f(n - 1, out); }
int main(void) { int c = 0; f(__VERIFIER_nondet_int(), &c); if (c == 60) reach_error(); return 0; }\n",
        ),
        (
            "address",
            "int *p; int f(int n) { int x = n; if (n <= 0) return p ? *p : 0; if (n == 50) p = &x; return f(n - 1); }
int main(void) { if (f(__VERIFIER_nondet_int()) == 50) reach_error(); return 0; }\n",
        ),
        (
            "global pointer",
            "int a, b, *p = &a; int f(int n) { if (n <= 0) return 0; if (n == 50) p = &b; *p = n; return f(n - 1); }
int main(void) { f(__VERIFIER_nondet_int()); if (b == 1 && a == 51) reach_error(); return 0; }\n",
        ),
        (
            "waiting",
            "int f(int n) { int r; if (n <= 0) return 0; r = f(n - 1); if (r == 49 && n == 50) reach_error(); return r + 1; }
int main(void) { f(__VERIFIER_nondet_int()); return 0; }\n",
        ),
    ];
    for (i, (name, text)) in programs.into_iter().enumerate() {
        let found = verdict(&format!("{HEAD}{text}"), &format!("recursion-none-{i}"), "pdr");
        assert_ne!(found, "holds", "{name}");
    }
}

#[test]
fn a_proof_with_functions_is_saved_and_a_damaged_one_is_refused() {
    let text = format!("{HEAD}{ID}");
    let folder = Folder::new("recursion-saved", &[("f.c", &text)]);
    let asked = ["check", "f.c", "--assert", "--engine", "pdr", "--proof", "p.json"];
    folder.bop(&asked).exits(0);
    folder.bop(&["replay", "f.c", "p.json"]).exits(0);
    let text = std::fs::read_to_string(folder.path().join("p.json")).unwrap();
    let body = text.split(",\n\"checksum\"").next().unwrap();
    let damages = [
        ("\"of\":\"end\"", "\"of\":\"entry\""),
        ("\"of\":\"entry\",", ""),
        ("\"a\":\"old(x)\"", "\"a\":\"x\""),
        ("\"is\":\"apart\"", "\"is\":\"below\""),
        ("\"number\":\"0\"", "\"number\":\"1\""),
    ];
    for (old, new) in damages {
        assert!(body.contains(old), "{old}: {body}");
        let other = sealed(&body.replacen(old, new, 1));
        std::fs::write(folder.path().join("q.json"), other).unwrap();
        let told = folder.bop(&["replay", "f.c", "q.json"]).exits(1).out;
        assert!(told.starts_with("refused"), "{old}: {told}");
    }
    // A witness has loops, and this has none.
    folder.bop(&["check", "f.c", "--assert", "--engine", "pdr", "--witness", "w.yml"]).exits(0);
    let witness = std::fs::read_to_string(folder.path().join("w.yml")).unwrap();
    assert!(!witness.contains("old(") && witness.contains("content: []"), "{witness}");
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

/// Two parameters, a local, and a static variable, of 3 bits each.
const NAMES: [&str; 4] = ["a", "b", "r", "g"];

#[derive(Clone, Copy)]
enum Term {
    Number(u8),
    Variable(usize),
    /// A variable and a number, wrapped around.
    Sum(usize, u8),
}

impl Term {
    fn random(random: &mut Random) -> Term {
        let (v, n) = (random.below(4), random.below(8) as u8);
        match random.below(3) {
            0 => Term::Number(n),
            1 => Term::Variable(v),
            _ => Term::Sum(v, [1, 7, 2, n][random.below(4)]),
        }
    }
    fn text(self) -> String {
        match self {
            Term::Number(n) => n.to_string(),
            Term::Variable(v) => NAMES[v].to_owned(),
            Term::Sum(v, n) => format!("(({} + {n}) & 7)", NAMES[v]),
        }
    }
    fn value(self, state: [u8; 4]) -> u8 {
        match self {
            Term::Number(n) => n,
            Term::Variable(v) => state[v],
            Term::Sum(v, n) => (state[v] + n) & 7,
        }
    }
}

enum Op {
    Set(usize, Term),
    /// A variable becomes an input below 4.
    Input(usize),
    /// Goes on, or somewhere else unless two terms are equal, or the first one is smaller.
    Unless(Term, bool, Term, usize),
    /// A variable becomes what a function gives for two terms.
    Call(usize, usize, Term, Term),
    Return(Term),
    Bad,
}

struct Made {
    text: String,
    functions: Vec<Vec<Op>>,
}

fn made(random: &mut Random) -> Made {
    let mut text = format!("{HEAD}unsigned char g;\n");
    let mut functions = Vec::new();
    for f in 0..2 {
        let _ = writeln!(text, "unsigned char f{f}(unsigned char a, unsigned char b);");
    }
    for f in 0..2 {
        let _ = writeln!(text, "unsigned char f{f}(unsigned char a, unsigned char b) {{");
        text += "unsigned char r = 0;\n";
        let mut ops = vec![Op::Set(2, Term::Number(0))];
        let simple = |random: &mut Random, text: &mut String, ops: &mut Vec<Op>| {
            let v = random.below(4);
            match random.below(7) {
                0 => {
                    let _ = writeln!(text, "{} = __VERIFIER_nondet_int() & 3;", NAMES[v]);
                    ops.push(Op::Input(v));
                }
                1 | 2 => {
                    let (g, x, y) = (random.below(2), Term::random(random), Term::random(random));
                    let v = 2 + random.below(2);
                    let (x_text, y_text) = (x.text(), y.text());
                    let _ = writeln!(text, "{} = f{g}({x_text}, {y_text});", NAMES[v]);
                    ops.push(Op::Call(v, g, x, y));
                }
                _ => {
                    let t = Term::random(random);
                    let _ = writeln!(text, "{} = {};", NAMES[v], t.text());
                    ops.push(Op::Set(v, t));
                }
            }
        };
        for part in 0..2 + random.below(3) {
            let (x, equal, y) = (Term::random(random), random.below(2) == 0, Term::random(random));
            let sign = if equal { "==" } else { "<" };
            let _ = writeln!(text, "if ({} {sign} {}) {{", x.text(), y.text());
            let at = ops.len();
            ops.push(Op::Unless(x, equal, y, 0));
            match random.below(4) {
                0 if part > 0 => {
                    text += "reach_error();\n";
                    ops.push(Op::Bad);
                }
                1 | 2 => {
                    let t = Term::random(random);
                    let _ = writeln!(text, "return {};", t.text());
                    ops.push(Op::Return(t));
                }
                _ => simple(random, &mut text, &mut ops),
            }
            text += "}\n";
            let end = ops.len();
            if let Op::Unless(.., to) = &mut ops[at] {
                *to = end;
            }
            simple(random, &mut text, &mut ops);
        }
        let t = Term::random(random);
        let _ = writeln!(text, "return {};\n}}", t.text());
        ops.push(Op::Return(t));
        functions.push(ops);
    }
    let bad = random.below(8) as u8;
    let _ = writeln!(
        text,
        "int main(void) {{ unsigned char a = __VERIFIER_nondet_int() & 7, r; r = f0(a, 0);\n\
         if (r == {bad} && g == a) reach_error(); return 0; }}"
    );
    // The last one is `main`.
    functions.push(vec![
        Op::Input(0),
        Op::Input(1),
        Op::Set(2, Term::Number(4)),
        Op::Unless(Term::Variable(1), false, Term::Number(2), 5),
        Op::Unless(Term::Number(0), false, Term::Number(0), 6),
        Op::Set(0, Term::Sum(0, 4)),
        Op::Call(2, 0, Term::Variable(0), Term::Number(0)),
        Op::Unless(Term::Variable(2), true, Term::Number(bad), 10),
        Op::Unless(Term::Variable(3), true, Term::Variable(0), 10),
        Op::Bad,
        Op::Return(Term::Number(0)),
    ]);
    Made { text, functions }
}

impl Made {
    /// Whether something bad is reached, by all states of all activations.
    fn reached(&self) -> bool {
        // By function, parameters and the static variable: what it gives, with the static variable then.
        let mut ends = Ends::new();
        ends.insert((2, [0, 0, 0]), BTreeSet::new());
        loop {
            let before = ends.clone();
            for &(f, [a, b, g]) in before.keys() {
                let mut seen: BTreeSet<(usize, [u8; 4])> = BTreeSet::new();
                let mut todo = vec![(0, [a, b, 0, g])];
                while let Some((at, state)) = todo.pop() {
                    if !seen.insert((at, state)) {
                        continue;
                    }
                    let with = |v: usize, value: u8| {
                        let mut new = state;
                        new[v] = value;
                        new
                    };
                    match &self.functions[f][at] {
                        Op::Bad => return true,
                        Op::Set(v, t) => todo.push((at + 1, with(*v, t.value(state)))),
                        Op::Input(v) => todo.extend((0..4).map(|n| (at + 1, with(*v, n)))),
                        Op::Unless(x, equal, y, to) => {
                            let (x, y) = (x.value(state), y.value(state));
                            let holds = if *equal { x == y } else { x < y };
                            todo.push((if holds { at + 1 } else { *to }, state));
                        }
                        Op::Call(v, callee, x, y) => {
                            let given = (*callee, [x.value(state), y.value(state), state[3]]);
                            for &(result, g) in ends.entry(given).or_default().iter() {
                                let mut new = state;
                                new[3] = g;
                                new[*v] = result;
                                todo.push((at + 1, new));
                            }
                        }
                        Op::Return(t) => {
                            let given = (t.value(state), state[3]);
                            ends.entry((f, [a, b, g])).or_default().insert(given);
                        }
                    }
                }
            }
            if ends == before {
                return false;
            }
        }
    }
}

fn compared(seed: u64, rounds: usize) -> (usize, usize, usize) {
    let mut random = Random(seed);
    let (mut holds, mut violated, mut open) = (0, 0, 0);
    for round in 0..rounds {
        let made = made(&mut random);
        let expected = made.reached();
        let found = verdict(&made.text, &format!("recursion-random-{seed}-{round}"), "pdr");
        match found.as_str() {
            "holds" => {
                assert!(!expected, "round {round}: this is reached:\n{}", made.text);
                holds += 1;
            }
            "violated" => {
                assert!(expected, "round {round}: this is not reached:\n{}", made.text);
                violated += 1;
            }
            _ => open += 1,
        }
    }
    (holds, violated, open)
}

#[test]
fn random_recursive_programs_are_compared_with_all_of_their_states() {
    let (holds, violated, open) = compared(0x5e1f_ca11, 40);
    assert!(holds >= 5 && violated >= 5, "{holds} hold, {violated} not, {open} open");
}

#[test]
#[ignore = "takes minutes: SEED=… ROUNDS=… cargo test -p cli --test bop -- --ignored many_recursive"]
fn many_recursive_programs_are_compared_with_all_of_their_states() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (holds, violated, open) = compared(number("SEED", 99), number("ROUNDS", 400) as usize);
    assert!(holds > 0 && violated > 0, "{holds} hold, {violated} not, {open} open");
    eprintln!("{holds} hold, {violated} do not, {open} open");
}
