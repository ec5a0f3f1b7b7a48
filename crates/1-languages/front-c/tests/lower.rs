//! Programs made of skeletons, explored state by state.

use front_c::{Keep, LowerError, Options, lower, parse, skeleton};
use ir::{EdgeKind, Program, VarId};
use std::collections::BTreeSet;
use testkit::explore::{Frame, State};

/// All states, with a monitor that reads the letters of steps.
fn explore(p: &Program, monitor: &dyn Fn(u8, &[&str]) -> u8) -> BTreeSet<State> {
    testkit::explore::explore(p, 4, monitor)
}

fn program(text: &str, options: &Options) -> Program {
    let unit = parse(&format!("# 1 \"f.c\"\n{text}"));
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let lowered = lower(&skeleton(&[unit]), options).expect("a program");
    lowered.program.validate().expect("a valid program");
    lowered.program
}

fn keep(vars: &[(&str, u32)], entry: &str) -> Options {
    let keep =
        vars.iter().map(|&(var, bits)| Keep { var: var.to_owned(), bits, exact: false }).collect();
    Options { keep, entry: Some(entry.to_owned()), ..Options::default() }
}

const GETMAX: &str = "getmax() { int max, a; a = max = 0; do { if (a > max) max = a; a = input(); } while (a); return(max); }";

#[test]
fn getmax_keeps_its_data() {
    // [c2edl Fig. 1, Fig. 2]
    let p = program(GETMAX, &keep(&[("a", 2), ("max", 2)], "getmax"));
    let states = explore(&p, &|_, _| 0);
    let (a, max) = (p.procs[p.entry].locals[0], p.procs[p.entry].locals[1]);
    let (a, max) = if p.var_name(a) == "a" { (a, max) } else { (max, a) };
    // Values of `int` that do not fit two bits are open.
    let open: Vec<VarId> = p.procs[p.entry].locals[2..].to_vec();
    let mut at_return = BTreeSet::new();
    let mut before_input = 0;
    for state in &states {
        let Some(Frame { node, values, .. }) = state.stack.last() else { continue };
        if open.iter().any(|v| values[v] != 0) {
            continue;
        }
        match p.text(p.nodes[*node].origin.text) {
            "return max" => {
                assert_eq!(values[&a], 0);
                at_return.insert(values[&max]);
            }
            "a = input()" => {
                assert!(values[&a] <= values[&max]);
                before_input += 1;
            }
            _ => {}
        }
    }
    assert_eq!(at_return, BTreeSet::from([0, 1, 2, 3]));
    assert!(before_input >= 4);
}

#[test]
fn arithmetic_is_that_of_the_types() {
    let seen = |text: &str, keep_as: &[(&str, u32)], what: &str| {
        let p = program(&format!("{text} int main(void) {{ f(); }}"), &keep(keep_as, "main"));
        let states = explore(&p, &|m, letter| if letter.contains(&what) { 1 } else { m });
        states.iter().any(|s| s.monitor == 1)
    };
    // 254 + 3 is 1 in eight bits; 1 - 2 is -1, and 255 where it is stored.
    let text = "static unsigned char x = 254; void f(unsigned char n) { x += 3; n = x - 2; if (x - 2 < 0) \
                minus(); switch (n) { case 0 ... 5: ok(); break; default: bad(); } \
                if (x % 4 == 1 && !(x << 1 != 2)) good(); else worse(); }";
    let kept = [("x", 8), ("n", 8)];
    assert!(seen(text, &kept, "call(minus)"));
    assert!(seen(text, &kept, "call(bad)"));
    assert!(!seen(text, &kept, "call(ok)"));
    assert!(seen(text, &kept, "call(good)"));
    assert!(!seen(text, &kept, "call(worse)"));
    // What does not fit is open, and not cut off.
    let text = "static int x = 6; void f(void) { if (x == 6) six(); x += 3; if (x == 1) one(); if (x == 9) \
                nine(); x = 2; if (x != 2) other(); }";
    for (what, found) in [("six", true), ("one", true), ("nine", true), ("other", false)] {
        assert_eq!(seen(text, &[("x", 3)], &format!("call({what})")), found, "{what}");
    }
    // A type with a sign that is kept whole.
    let text = "static signed char x = -1; void f(void) { if (x < 0) minus(); if (x == 255) no(); x = 127; x++; \
                if (x == -128) wraps(); }";
    for (what, found) in [("minus", true), ("no", false), ("wraps", true)] {
        assert_eq!(seen(text, &[("x", 8)], &format!("call({what})")), found, "{what}");
    }
}

#[test]
fn initialisers_are_evaluated_or_open() {
    for (init, reached) in [
        ("int k = 5u;", true),
        ("int k = { 5 };", true),
        ("int k = sizeof(int) + 1;", true),
        ("int k = 5.0;", true),
        ("int k = 'a' - 92;", true),
        ("unsigned char k = 261;", true),
        ("enum { A = 2, B }; int k = B + A;", true),
        ("extern int k;", true),
        ("int k;", false),
        ("int k = 4;", false),
    ] {
        let hits = |f: &str| {
            let p = program(
                &format!("{init} int {f}(void) {{ if (k == 5) hit(); }}"),
                &keep(&[("k", 4)], f),
            );
            let hit = |m, letter: &[&str]| if letter.contains(&"call(hit)") { 1 } else { m };
            explore(&p, &hit).iter().any(|s| s.monitor == 1)
        };
        assert_eq!(hits("main"), reached, "{init}");
        // Whoever calls it did anything before.
        assert!(hits("f"), "{init}");
    }
}

#[test]
fn what_cannot_be_kept_is_an_error() {
    let refused = |text: &str, exact: bool| {
        let s = skeleton(&[parse(text)]);
        let keep = vec![Keep { var: "x".to_owned(), bits: 4, exact }];
        let options = Options { keep, ..Options::default() };
        lower(&s, &options).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(refused("double x; int main(void) {}", false).contains("no integer"));
    assert!(refused("int x[3]; int main(void) {}", false).contains("no integer"));
    assert!(refused("volatile int x; int main(void) {}", false).contains("at any time"));
    assert!(refused("_Atomic int x; int main(void) {}", false).contains("at any time"));
    let handler = "int x; void h(int s) { x = s; } void *signal(int, void (*)(int)); \
                   int main(void) { signal(2, h); }";
    assert!(refused(handler, false).contains("at any time"));
    assert!(refused("long x; int main(void) {}", true).contains("64 bits"));
    assert_eq!(refused("long x; int main(void) {}", false), "");
}

#[test]
fn parameters_and_recursion_carry_data() {
    let p = program(
        "void f(int n) { if (n == 0) zero(); if (n > 0) f(n - 1); } int main(void) { f(2); }",
        &keep(&[("n", 2)], "main"),
    );
    let states = explore(&p, &|m, letter| m + u8::from(letter.contains(&"call(f)")));
    let ends: BTreeSet<u8> =
        states.iter().filter(|s| s.stack.is_empty()).map(|s| s.monitor).collect();
    assert_eq!(ends, BTreeSet::from([3]));
}

#[test]
fn unknown_variables_and_widths_are_errors() {
    let unit = parse(GETMAX);
    let s = skeleton(&[unit]);
    let error = lower(&s, &keep(&[("b", 2)], "getmax")).expect_err("no b");
    assert_eq!(error.to_string(), "no variable `b`");
    let error = lower(&s, &keep(&[("a", 33)], "getmax")).expect_err("too wide");
    assert!(matches!(error, LowerError::BadWidth { bits: 33, .. }));
    let error = lower(&s, &keep(&[], "main")).expect_err("no main");
    assert_eq!(error.to_string(), "no function `main` with a body");
}

/// Whether some run calls one function but not the other after it.
fn unbalanced(text: &str, feasibility: bool) -> bool {
    let p = program(text, &Options { feasibility, ..Options::default() });
    let states = explore(&p, &|m, letter| {
        if letter.contains(&"call(lock)") {
            1
        } else if letter.contains(&"call(unlock)") {
            0
        } else {
            m
        }
    });
    states.iter().any(|s| s.stack.is_empty() && s.monitor == 1)
}

#[test]
fn a_condition_tested_twice_keeps_its_value() {
    let same = "void f(int x, int y) { if (x > y) lock(); y; if (!(x > y)) ; else unlock(); }";
    assert!(unbalanced(same, false));
    assert!(!unbalanced(same, true));
    for changed in [
        "void f(int x) { if (x) lock(); x = g(); if (x) unlock(); }",
        "void f(int x) { if (x) lock(); h(&x); if (x) unlock(); }",
        "int x; void f(void) { if (x) lock(); h(); if (x) unlock(); }",
        "int x; void g(void) { x = 0; } void f(void) { if (x) lock(); g(); if (x) unlock(); }",
        "void f(int x, int *p) { if (x) lock(); p = &x; *p = 1; if (x) unlock(); }",
        "struct s { int x; }; void f(struct s *p, struct s *q) { if (p->x) lock(); q->x = 0; if (p->x) unlock(); }",
        "struct s { int x; }; void f(struct s *p, struct s *q) { if (p->x) lock(); p = q; if (p->x) unlock(); }",
        "void f(int x, int n) { for (n = 0; n < 2; n++) { if (x) lock(); x = n; if (x) unlock(); } }",
        // Nobody knows what `lock` does to memory.
        "struct s { int x; }; void f(struct s *p) { if (p->x) lock(); if (p->x) unlock(); }",
        // The value of `x != 0` is not `x`.
        "void f(int x) { if (x) lock(); if (x == 1) unlock(); }",
    ] {
        assert!(unbalanced(changed, true), "{changed}");
    }
    for kept in [
        "void f(int x) { if (x) lock(); h(x); if (x != 0) unlock(); }",
        "void f(int x) { x = 1; lock(); if (x) unlock(); if (x) ; }",
        "static const int on = 1; void f(void) { lock(); if (on) unlock(); }",
        "static int on(void) { return 1; } void f(void) { lock(); if (on()) unlock(); }",
    ] {
        assert!(!unbalanced(kept, true), "{kept}");
    }
}

#[test]
fn longjmp_comes_out_of_setjmp() {
    let text = "int setjmp(int *); void longjmp(int *, int); int b[4];
        void deep(int n) { if (n) longjmp(b, 1); inner(); }
        void middle(int n) { deep(n); after(); }
        int main(void) { if (setjmp(b)) { caught(); return 1; } middle(1); done(); return 0; }";
    let p = program(text, &Options::default());
    // Whether the second call can be the one after the first.
    let order = |first: &'static str, second: &'static str| {
        let states = explore(&p, &move |m, letter| {
            let call = letter.iter().any(|e| e.starts_with("call("));
            match m {
                0 if letter.contains(&first) => 1,
                1 if letter.contains(&second) => 2,
                1 if call => 0,
                m => m,
            }
        });
        states.iter().any(|s| s.monitor == 2)
    };
    assert!(order("call(longjmp)", "call(caught)"));
    assert!(!order("call(longjmp)", "call(after)"));
    assert!(!order("call(longjmp)", "call(inner)"));
    assert!(order("call(inner)", "call(after)"));
    assert!(order("call(after)", "call(done)"));
}

#[test]
fn without_main_any_function_may_be_called() {
    let p = program(
        "static void g(void) { one(); } void f(void) { g(); } static void h(void) { two(); }",
        &Options::default(),
    );
    assert_eq!(p.proc_name(p.entry), "(any)");
    let called: Vec<&str> = p
        .out_edges(p.procs[p.entry].entry)
        .map(|e| match &p.edges[e].kind {
            EdgeKind::Call(call) => p.proc_name(call.callee),
            _ => panic!("a call"),
        })
        .collect();
    assert_eq!(called, ["f", "h"]);
}

#[test]
fn what_rules_name_is_not_entered() {
    let text = "int save(int x) { keep(x); return x; } void f(int v) { v = save(v); }";
    let options = Options { opaque: vec!["save".into()], ..Options::default() };
    let p = program(text, &options);
    let f = p.proc_named("f").expect("f");
    let letters: Vec<Vec<&str>> = p.procs[f]
        .node_ids()
        .flat_map(|n| p.out_edges(n))
        .map(|e| {
            let mut letter: Vec<&str> =
                p.events(p.edges[e].events).iter().map(|&t| p.text(t)).collect();
            letter.sort_unstable();
            letter
        })
        .collect();
    assert_eq!(
        letters[0],
        [
            "arg(save, 1, f::v)",
            "assign(f::v)",
            "call(save)",
            "call(save, f::v)",
            "result(save, f::v)",
            "use(f::v)"
        ]
    );
    // Entered, the result is assigned after it has run.
    let p = program(text, &Options::default());
    let states = explore(&p, &|m, letter| {
        if letter.contains(&"assign(f::v)") && m == 0 {
            9
        } else if letter.contains(&"call(keep)") {
            1
        } else {
            m
        }
    });
    assert!(states.iter().all(|s| s.monitor != 9));
}
