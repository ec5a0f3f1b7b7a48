//! `bop convert --to chc`, and `--to bp --predicates`.

use crate::{TempFile, bop};
use std::process::Command;

/// Programs, and whether nothing bad happens.
const PROGRAMS: [(&str, bool); 13] = [
    // Numbers wrap around, and are converted.
    ("unsigned char c = n(); if (c + 1 == 0) bad(); return 0; }", true),
    ("unsigned char c = n(); c++; if (c == 0) bad(); return 0; }", false),
    ("int x = n(); if (x / 3 * 3 + x % 3 != x) bad(); return 0; }", true),
    ("int x = n(), y = n(); if (y > 0 && (x >> (y & 3)) > 5 && x < 6) bad(); return 0; }", true),
    // Loops.
    ("unsigned i = 0, k = n(); while (i < k) i++; if (i < k) bad(); return 0; }", true),
    ("unsigned i = 0; while (i < 5) i += 2; if (i == 6) bad(); return 0; }", false),
    // Calls and recursion, static variables, structures.
    ("g = n() & 3; if (f(4) == 4 && g != 7) g = f(g); if (f(2) != 2) bad(); return 0; }", true),
    ("g = 0; f(3); if (g == 3) bad(); return 0; }", false),
    ("s.a = n(); s.b = 1; if (s.a == 7 && s.b != 1) bad(); return 0; }", true),
    // Memory.
    (
        "int a[3]; int i = n() & 1; a[0] = a[1] = a[2] = 5; a[i] = 6; if (a[2] == 6) bad(); return 0; }",
        true,
    ),
    (
        "int a[3]; int i = n() & 3; a[0] = a[1] = a[2] = 5; if (i < 3) a[i] = 6; if (a[2] == 6) bad(); return 0; }",
        false,
    ),
    (
        "int i; for (i = 0; i < 2; i++) { int x, *p = &x; if (i == 1 && *p == 7) bad(); *p = n(); g = *p; } return 0; }",
        false,
    ),
    (
        "int x = 1, *p = &x, *q = n() ? p : &g; *q = 4; if (x == 4 && q == p) bad(); return 0; }",
        false,
    ),
];

fn text(body: &str) -> String {
    format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
         static int n(void) {{ return __VERIFIER_nondet_int(); }}\nstatic void bad(void) {{ reach_error(); }}\n\
         int g; struct {{ int a; char b; }} s;\n\
         int f(int k) {{ if (k <= 0) return 0; g++; return f(k - 1) + 1; }}\n\
         int main(void) {{ {body}\n"
    )
}

fn z3() -> Option<String> {
    let named = std::env::var("POSTBOP_Z3").unwrap_or("z3".to_owned());
    let there = Command::new(&named).arg("--version").output().is_ok();
    there.then_some(named)
}

/// Spacer and `bop` say the same of the same program.
#[test]
fn spacer_agrees() {
    let Some(z3) = z3() else {
        eprintln!(
            "skipped: there is no z3 (POSTBOP_Z3 names one): clauses are not read by another tool"
        );
        return;
    };
    let mut decided = 0;
    for (body, holds) in PROGRAMS {
        let file = TempFile::new("p.c", text(body));
        let said = bop(&["check", file.path(), "--assert"]).code;
        assert_eq!(said, i32::from(!holds), "{body}");
        let clauses = bop(&["convert", file.path(), "--to", "chc"]).exits(0).out;
        let clauses = TempFile::new("p.smt2", clauses);
        let done = Command::new(&z3).args(["-T:20", clauses.path()]).output().expect("it runs");
        let answer = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        match answer.as_str() {
            "timeout" | "unknown" => continue,
            answer => assert_eq!(answer, if holds { "sat" } else { "unsat" }, "{body}"),
        }
        decided += 1;
    }
    assert!(decided >= 9, "{decided} were decided");
}

#[test]
fn clauses_have_one_query_and_ask_about_places() {
    let file = TempFile::new(
        "p.c",
        "int main(int c, char **v) { int x = 0; L: if (x) x = 1; else x = c; M: return 0; }",
    );
    let clauses = bop(&["convert", file.path(), "--to", "chc", "--reach", "M"]).exits(0).out;
    assert!(
        clauses.contains("(set-logic HORN)") && clauses.ends_with("(check-sat)\n"),
        "{clauses}"
    );
    assert_eq!(clauses.matches("  false)").count(), 1, "{clauses}");
    assert_eq!(clauses, bop(&["convert", file.path(), "--to", "chc", "--reach", "M"]).exits(0).out);
    let wrong = bop(&["convert", file.path(), "--to", "chc", "--reach", "N"]).exits(2);
    assert!(wrong.err.contains("no statement is labelled `N`"), "{}", wrong.err);
    let wrong = bop(&["convert", "examples/lock.bp", "--to", "chc"]).exits(2);
    assert!(wrong.err.contains("chc is a form of C programs"), "{}", wrong.err);
    let wrong = bop(&["convert", file.path(), "--to", "pds", "--reach", "M"]).exits(2);
    assert!(wrong.err.contains("goes with `--to chc`"), "{}", wrong.err);
}

/// What has no words is refused, and the place is told.
#[test]
fn what_clauses_cannot_say() {
    let cases = [
        (
            "int main(void) {\n double d = 1; d = d * 2; return d > 1; }",
            ":2: numbers with fractions",
        ),
        ("int main(void) {\n void *p = &&l; goto *p; l: return 0; }", "label"),
        (
            "#include <setjmp.h>\njmp_buf b; int main(void) { return setjmp(b); }",
            "`setjmp` is called",
        ),
        ("volatile int x; int main(void) {\n return x; }", ":2: what is `volatile`"),
        ("int main(int c, char **v) { return v[0][0]; }", "`main` looks at its arguments"),
    ];
    for (text, reason) in cases {
        let file = TempFile::new("p.c", text);
        let ran = bop(&["convert", file.path(), "--to", "chc"]).exits(2);
        assert!(ran.err.contains("no Horn clauses") && ran.err.contains(reason), "{}", ran.err);
    }
}

/// Random numbers that are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// A program with labels, and predicates over its variables.
fn random(seed: u64) -> (String, Vec<String>, String) {
    let mut r = Random(seed);
    let vars = ["x", "y", "g", "h", "u"];
    let value = |r: &mut Random| match r.below(4) {
        0 => r.below(7).to_string(),
        1 => "in()".to_owned(),
        2 => format!("{} + {}", r.of(&vars), r.below(5)),
        _ => format!("{} {} {}", r.of(&vars), r.of(&["+", "-", "*", "&", "^"]), r.of(&vars)),
    };
    let test = |r: &mut Random| {
        let right = if r.below(2) == 0 { r.below(9).to_string() } else { r.of(&vars).to_owned() };
        format!("{} {} {right}", r.of(&vars), r.of(&["==", "!=", "<", ">="]))
    };
    let (mut body, mut labels) = (String::new(), Vec::new());
    for _ in 0..8 {
        let target = r.of(&vars);
        body += &match r.below(6) {
            0 => format!(
                "if ({}) {target} = {}; else {} = {};\n",
                test(&mut r),
                value(&mut r),
                r.of(&vars),
                value(&mut r)
            ),
            1 => format!(
                "for (i = 0; i < {} && {}; i++) {target} = {};\n",
                r.below(4),
                test(&mut r),
                value(&mut r)
            ),
            2 => format!("{target} = call({});\n", r.of(&vars)),
            3 => format!(
                "switch ({target}) {{ case 1: case 3: {} = {}; break; default: {} = {}; }}\n",
                r.of(&vars),
                value(&mut r),
                r.of(&vars),
                value(&mut r)
            ),
            _ => format!("{target} = {};\n", value(&mut r)),
        };
        if r.below(2) == 0 {
            let label = format!("E{}", labels.len());
            body += &format!("if ({} && {}) {{ {label}: ; }}\n", test(&mut r), test(&mut r));
            labels.push(label);
        }
    }
    let text = format!(
        "extern int __VERIFIER_nondet_int(void);\nint g = 1; unsigned char h;\n\
         static int in(void) {{ int v = __VERIFIER_nondet_int(); return v & 3; }}\n\
         int call(int a) {{ if (a > {}) {{ g = a & 7; return a - 1; }} h++; if (a < 0) {{ F: return 0; }} return call(a + 1); }}\n\
         int main(void) {{ int x = 0, y = in(), i; unsigned u = 2;\n{body}return 0; }}\n",
        r.below(5)
    );
    labels.push("F".to_owned());
    let mut predicates: Vec<String> = Vec::new();
    let mut sections = "global:\n".to_owned();
    let right = |r: &mut Random, other: &str| match r.below(3) {
        0 => other.to_owned(),
        _ => r.below(6).to_string(),
    };
    for (section, names, count) in
        [("", &["g", "h"][..], 2), ("main:\n", &["x", "y", "u", "i"], 4), ("call:\n", &["a"], 2)]
    {
        sections += section;
        for _ in 0..r.below(count + 1) {
            let sign = r.of(&["==", "<", "<=", "!="]);
            let predicate = format!("{} {sign} {}", r.of(names), right(&mut r, names[0]));
            if !predicates.contains(&predicate) {
                sections += &format!("  {predicate}\n");
                predicates.push(predicate);
            }
        }
    }
    (text, labels, sections)
}

/// What fails may have a body, may be called through a pointer, and may come back.
#[test]
fn what_fails_has_a_body() {
    for text in [
        "void reach_error(void) { }\nint main(void) { reach_error(); L: return 0; }",
        "void reach_error(void) { }\nint main(void) { void (*p)(void) = reach_error; p(); L: return 0; }",
        "#include <stdlib.h>\nextern void reach_error(void); void bad(void) { reach_error(); }\n\
         int main(void) { atexit(bad); L: return 0; }",
        "#include <stdlib.h>\nextern void reach_error(void); int x;\n\
         int main(void) { void (*p)(int) = exit; L: if (x) p(1); reach_error(); return 0; }",
    ] {
        let file = TempFile::new("p.c", text);
        let none = TempFile::new("p.preds", "");
        let to = ["convert", file.path(), "--to", "bp", "--predicates", none.path()];
        let program = TempFile::new("p.bp", bop(&to).exits(0).out);
        let ran = bop(&["check", program.path(), "--assert", "--reach", "L"]).exits(1);
        assert!(
            ran.out.contains("violated") && ran.out.contains("reachable: L"),
            "{text}\n{}",
            ran.out
        );
        let clauses = bop(&["convert", file.path(), "--to", "chc"]).exits(0).out;
        if let Some(z3) = z3() {
            let clauses = TempFile::new("p.smt2", clauses);
            let done = Command::new(&z3).args(["-T:20", clauses.path()]).output().expect("it runs");
            let answer = String::from_utf8_lossy(&done.stdout).trim().to_owned();
            assert!(answer != "sat", "{text}");
        }
    }
}

/// What executions of a C program reach, its boolean program reaches; and predicates exclude something.
#[test]
fn nothing_that_was_reached_is_abstracted_away() {
    let (mut reached, mut excluded) = (0, 0);
    for seed in 0..24 {
        let (text, labels, predicates) = random(seed);
        let file = TempFile::new("p.c", &text);
        let listed = TempFile::new("p.preds", if seed % 6 == 0 { "" } else { &predicates });
        let to = ["convert", file.path(), "--to", "bp", "--predicates", listed.path()];
        let program = bop(&to).exits(0).out;
        let program = TempFile::new("p.bp", program);
        let ask = |path: &str| {
            let mut args = vec!["check", path, "--format", "json", "--timeout", "20s"];
            args.extend(labels.iter().flat_map(|l| ["--reach", l]));
            let results = bop(&args).json()["results"].clone();
            let results = results.as_array().expect("results").clone();
            results
                .iter()
                .map(|r| r["verdict"].as_str().expect("a word").to_owned())
                .collect::<Vec<_>>()
        };
        let (data, control) = (ask(file.path()), ask(program.path()));
        for ((label, data), control) in labels.iter().zip(data).zip(control) {
            assert!(control != "unknown", "{text}\n{predicates}");
            if data == "reachable" {
                assert_eq!(control, "reachable", "seed {seed}, {label}:\n{text}\n{predicates}");
                reached += 1;
            } else if control == "unreachable" {
                excluded += 1;
            }
        }
    }
    assert!(reached > 25 && excluded > 8, "{reached} reached, {excluded} excluded");
}

#[test]
fn predicates_decide() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint lock;\n\
                void acquire(void) { if (lock) reach_error(); lock = 1; }\n\
                void release(void) { if (!lock) reach_error(); lock = 0; }\n\
                int main(void) { int n = __VERIFIER_nondet_int(), old;\n\
                do { acquire(); old = n; if (__VERIFIER_nondet_int()) { release(); n = n + 1; } } while (n != old);\n\
                release(); return 0; }\n";
    let file = TempFile::new("lock.c", text);
    let verdict = |predicates: &str| {
        let listed = TempFile::new("p.preds", predicates);
        let to = ["convert", file.path(), "--to", "bp", "--predicates", listed.path()];
        let program = TempFile::new("p.bp", bop(&to).exits(0).out);
        bop(&["check", program.path(), "--assert", "--self-check"]).code
    };
    // The loop of [bebop §1], refined by hand.
    assert_eq!(verdict(""), 1);
    assert_eq!(verdict("global:\nlock != 0\n"), 1);
    assert_eq!(verdict("global:\nlock != 0\nmain:\nn == old\n"), 0);
    for (predicates, reason) in [
        ("x > 0\n", ":1: a predicate belongs to a function"),
        ("global:\n\nx > 0\n", ":3: there is no variable `x`"),
        ("nobody:\n lock == 0", ":2: there is no function `nobody`"),
        ("main:\n n > (old", ":2: `(` without `)`"),
        ("main:\n n > \n", ":2: an operand is missing"),
        ("main:\n *n > 0\n", ":2: `*` has no left operand"),
        ("global:\nlock\nmain:\nlock\n", ":4: `lock` stands on line 2 already"),
    ] {
        let listed = TempFile::new("p.preds", predicates);
        let to = ["convert", file.path(), "--to", "bp", "--predicates", listed.path()];
        let ran = bop(&to).exits(2);
        assert!(ran.err.contains(reason), "{}", ran.err);
    }
}
