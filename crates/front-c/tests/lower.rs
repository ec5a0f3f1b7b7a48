//! Programs made of skeletons, explored state by state.

use front_c::{Keep, LowerError, Options, lower, parse, skeleton};
use ir::eval::{Code, Env};
use ir::{EdgeId, EdgeKind, ExprId, Exprs, NodeId, Program, Rel, Time, VarId};
use std::collections::{BTreeMap, BTreeSet};

type Values = BTreeMap<VarId, u64>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    globals: Values,
    /// Node, locals, and the call that is under way.
    stack: Vec<(NodeId, Values, Option<EdgeId>)>,
    monitor: u8,
}

struct Before<'a>(&'a Values, &'a Values);

impl Env for Before<'_> {
    fn read(&self, time: Time, var: VarId, _: u32) -> Option<u64> {
        assert_eq!(time, Time::Pre);
        self.0.get(&var).or_else(|| self.1.get(&var)).copied()
    }
    fn choice(&self, _: u32) -> Option<bool> {
        None
    }
}

fn eval(p: &Program, e: ExprId, env: &Before<'_>) -> i128 {
    match Code::new(p, e).eval(env, &mut Vec::new()) {
        ir::eval::Val::Known(v) => v,
        other => panic!("{other:?}"),
    }
}

/// The values that a relation assigns; every choice of those that it leaves open.
fn effects(p: &Program, rel: &Rel, env: &Before<'_>) -> Vec<Values> {
    assert_eq!(rel.constraint, Exprs::TRUE);
    if eval(p, rel.guard, env) == 0 {
        return Vec::new();
    }
    let mut out = vec![Values::new()];
    for a in &rel.assigns {
        assert_eq!(a.time, Time::Post);
        let values: Vec<u64> = match a.value {
            Some(e) => vec![eval(p, e, env) as u64],
            None => (0..1 << p.vars[a.var].ty.bits()).collect(),
        };
        let with = |v: u64| {
            move |old: &Values| {
                let mut new = old.clone();
                new.insert(a.var, v);
                new
            }
        };
        out = values.iter().flat_map(|&v| out.iter().map(with(v)).collect::<Vec<_>>()).collect();
    }
    out
}

/// All values of the variables that have none yet.
fn completed(p: &Program, start: Values, vars: &[VarId]) -> Vec<Values> {
    let mut out = vec![start];
    for &var in vars {
        let values = 0..1u64 << p.vars[var].ty.bits();
        out = out
            .into_iter()
            .flat_map(|old| {
                if old.contains_key(&var) {
                    return vec![old];
                }
                values
                    .clone()
                    .map(|v| {
                        let mut new = old.clone();
                        new.insert(var, v);
                        new
                    })
                    .collect()
            })
            .collect();
    }
    out
}

const DEPTH: usize = 4;

/// All states, with a monitor that reads the letters of steps.
fn explore(p: &Program, monitor: &dyn Fn(u8, &[&str]) -> u8) -> BTreeSet<State> {
    let entry = &p.procs[p.entry];
    let mut seen = BTreeSet::new();
    let mut todo = Vec::new();
    for globals in completed(p, Values::new(), &p.globals) {
        for locals in completed(p, Values::new(), &entry.locals) {
            if eval(p, p.init.condition, &Before(&globals, &locals)) != 0 {
                let stack = vec![(entry.entry, locals, None)];
                todo.push(State { globals: globals.clone(), stack, monitor: 0 });
            }
        }
    }
    while let Some(state) = todo.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let Some((node, locals, _)) = state.stack.last().cloned() else { continue };
        for id in p.out_edges(node) {
            let edge = &p.edges[id];
            let letter: Vec<&str> = p.events(edge.events).iter().map(|&t| p.text(t)).collect();
            let next = if edge.step { monitor(state.monitor, &letter) } else { state.monitor };
            let apply = |globals: &mut Values, locals: &mut Values, effect: Values| {
                for (var, value) in effect {
                    match globals.get_mut(&var) {
                        Some(global) => *global = value,
                        None => {
                            locals.insert(var, value);
                        }
                    }
                }
            };
            match &edge.kind {
                EdgeKind::Local { target, rel } => {
                    for effect in effects(p, rel, &Before(&state.globals, &locals)) {
                        let mut new = State { monitor: next, ..state.clone() };
                        let top = new.stack.last_mut().expect("a frame");
                        top.0 = *target;
                        apply(&mut new.globals, &mut top.1, effect);
                        todo.push(new);
                    }
                }
                EdgeKind::Call(call) if state.stack.len() < DEPTH => {
                    for effect in effects(p, &call.enter, &Before(&state.globals, &locals)) {
                        let mut new = State { monitor: next, ..state.clone() };
                        new.stack.last_mut().expect("a frame").2 = Some(id);
                        let mut params = Values::new();
                        apply(&mut new.globals, &mut params, effect);
                        let callee = &p.procs[call.callee];
                        for locals in completed(p, params, &callee.locals) {
                            let mut new = new.clone();
                            new.stack.push((callee.entry, locals, None));
                            todo.push(new);
                        }
                    }
                }
                EdgeKind::Call(_) => {}
                EdgeKind::Return { rel } => {
                    assert!(rel.is_identity());
                    let mut new = State { monitor: next, ..state.clone() };
                    new.stack.pop();
                    let Some(top) = new.stack.last().cloned() else {
                        todo.push(new);
                        continue;
                    };
                    let call = top.2.expect("a call is under way");
                    let EdgeKind::Call(call) = &p.edges[call].kind else { panic!("a call") };
                    for effect in effects(p, &call.back, &Before(&new.globals, &top.1)) {
                        let mut new = new.clone();
                        let top = new.stack.last_mut().expect("a frame");
                        (top.0, top.2) = (call.ret, None);
                        apply(&mut new.globals, &mut top.1, effect);
                        todo.push(new);
                    }
                }
            }
        }
    }
    seen
}

fn program(text: &str, options: &Options) -> Program {
    let unit = parse(&format!("# 1 \"f.c\"\n{text}"));
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let lowered = lower(&skeleton(&[unit]), options).expect("a program");
    lowered.program.validate().expect("a valid program");
    lowered.program
}

fn keep(vars: &[(&str, u32)], entry: &str) -> Options {
    let keep = vars.iter().map(|&(var, bits)| Keep { var: var.to_owned(), bits }).collect();
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
    let mut at_return = BTreeSet::new();
    let mut before_input = 0;
    for state in &states {
        let Some((node, values, _)) = state.stack.last() else { continue };
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
fn arithmetic_is_cut_to_the_width() {
    let p = program(
        "int x = 6; void f(int n) { x += 3; n = x - 2; switch (n) { case 0 ... 5: ok(); break; default: bad(); } if (x % 4 == 1 && !(x << 1 != 2)) good(); else bad(); }",
        &keep(&[("x", 3), ("n", 3)], "f"),
    );
    // 6 + 3 is 1 in three bits; 1 - 2 is 7.
    let seen = |what: &str| {
        let states = explore(&p, &|m, letter| if letter.contains(&what) { 1 } else { m });
        states.iter().any(|s| s.monitor == 1)
    };
    assert!(seen("call(bad)"));
    assert!(!seen("call(ok)"));
    assert!(seen("call(good)"));
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
