//! Rules on small C programs, with their answers.

use front_c::{Options, Reach, lower, parse, skeleton};
use ir::eval::{Code, Env};
use ir::{EdgeId, EdgeKind, ExprId, NodeId, Program, Rel, Time, VarId};
use rules::{Instance, product};
use std::collections::{BTreeMap, BTreeSet};

type Values = BTreeMap<VarId, u64>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    globals: Values,
    /// Node, locals, and the call that is under way.
    stack: Vec<(NodeId, Values, Option<EdgeId>)>,
    monitor: u8,
}

/// Values before a step, globals and locals, and after it.
struct Around<'a>(&'a Values, &'a Values, Option<&'a Values>);

impl Env for Around<'_> {
    fn read(&self, time: Time, var: VarId, _: u32) -> Option<u64> {
        let before = || self.0.get(&var).or_else(|| self.1.get(&var)).copied();
        match (time, self.2) {
            (Time::Pre, _) => before(),
            (_, Some(after)) => after.get(&var).copied().or_else(before),
            (_, None) => None,
        }
    }
    fn choice(&self, _: u32) -> Option<bool> {
        None
    }
}

fn eval(p: &Program, e: ExprId, env: &Around<'_>) -> i128 {
    match Code::new(p, e).eval(env, &mut Vec::new()) {
        ir::eval::Val::Known(v) => v,
        other => panic!("{other:?}"),
    }
}

/// The values that a relation assigns; every choice of those that it leaves open.
fn effects(p: &Program, rel: &Rel, env: &Around<'_>) -> Vec<Values> {
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
    out.retain(|after| eval(p, rel.constraint, &Around(env.0, env.1, Some(after))) != 0);
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
            if eval(p, p.init.condition, &Around(&globals, &locals, None)) != 0 {
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
                    for effect in effects(p, rel, &Around(&state.globals, &locals, None)) {
                        let mut new = State { monitor: next, ..state.clone() };
                        let top = new.stack.last_mut().expect("a frame");
                        top.0 = *target;
                        apply(&mut new.globals, &mut top.1, effect);
                        todo.push(new);
                    }
                }
                EdgeKind::Call(call) if state.stack.len() < DEPTH => {
                    for effect in effects(p, &call.enter, &Around(&state.globals, &locals, None)) {
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
                    for effect in effects(p, rel, &Around(&state.globals, &locals, None)) {
                        let mut new = State { monitor: next, ..state.clone() };
                        apply(&mut new.globals, &mut Values::new(), effect);
                        new.stack.pop();
                        let Some(top) = new.stack.last().cloned() else {
                            todo.push(new);
                            continue;
                        };
                        let call = top.2.expect("a call is under way");
                        let EdgeKind::Call(call) = &p.edges[call].kind else { panic!("a call") };
                        for effect in effects(p, &call.back, &Around(&new.globals, &top.1, None)) {
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
    }
    seen
}

/// The objects that violate a rule.
fn violations(rule: &str, opaque: &[&str], c: &str) -> Vec<String> {
    let rules = rules::parse(rule).unwrap_or_else(|e| panic!("{e}"));
    let unit = parse(&format!("# 1 \"f.c\"\n{c}"));
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let s = skeleton(&[unit]);
    let opaque = opaque.iter().map(|o| (*o).to_owned()).collect();
    let lowered = lower(&s, &Options { opaque, ..Options::default() }).expect("a program");
    let instances: Vec<Instance> = (0..s.objects.len())
        .filter(|&i| s.objects[i].reach == Reach::Var)
        .map(|i| {
            let object = &s.objects[i];
            let owner = object.owner.filter(|_| object.automatic);
            let owner = owner.map(|f| lowered.program.proc_named(&s.funcs[f.index()].unique));
            let name = match object.owner {
                Some(f) => format!("{}::{}", s.funcs[f.index()].unique, object.name),
                None => object.name.clone(),
            };
            Instance { object: name, owner: owner.flatten() }
        })
        .collect();
    let product = product(&lowered.program, &rules[0], &instances).expect("a product");
    product.program.validate().expect("a valid program");
    let states = explore(&product.program, &|_, _| 0);
    let mut found = BTreeSet::new();
    for state in &states {
        let Some((node, locals, _)) = state.stack.last() else { continue };
        for (k, goals) in product.goals.iter().enumerate() {
            for &(place, condition) in goals {
                let here = Around(&state.globals, locals, None);
                if place == *node && eval(&product.program, condition, &here) != 0 {
                    found.insert(product.instances[k].object.clone());
                }
            }
        }
    }
    found.into_iter().collect()
}

const DANGLING: &str = "rule gc_dangling(v: var bdd_ptr) {
    never { true[*]; assign(v) && !call(save_bdd, v); !(assign(v) || call(save_bdd, v))[*];
            call(mygarbage); !assign(v)[*]; use(v) }
    message \"`$v` is used after a collection that may have freed it\" }";
const GC: [&str; 3] = ["save_bdd", "mygarbage", "release_bdd"];

#[test]
fn dangling_references() {
    // [c2edl §6.1]
    let check = |c: &str, found: &[&str]| {
        assert_eq!(violations(DANGLING, &GC, c), found, "{c}");
    };
    check("int g(int); void f(int v) { v = g(1); mygarbage(); g(v); }", &["f::v"]);
    check("int g(int); void f(int v) { v = save_bdd(g(1)); mygarbage(); g(v); }", &[]);
    check("int g(int); void f(int v) { v = g(1); save_bdd(v); mygarbage(); g(v); }", &[]);
    check(
        "int g(int); void f(int v, int w) { v = g(1); w = g(2); mygarbage(); w = g(3); g(w); g(v); }",
        &["f::v"],
    );
    check("int v; void g(void) { mygarbage(); } void f(void) { v = 1; g(); h(v); }", &["v"]);
    // A collection in a callee is seen by the caller's local.
    check("static void g(void) { mygarbage(); } void f(int v) { v = h(); g(); h(v); }", &["f::v"]);
    // Another activation's variable is another variable.
    check(
        "void f(int v) { if (v) { f(1); mygarbage(); } else { v = h(); } if (x()) return; }",
        &[],
    );
    check("void f(int v) { v = h(); if (x()) f(1); mygarbage(); h(v); }", &["f::v"]);
}

#[test]
fn leaks_at_return() {
    let rule = "rule leak(p: var) { never { result(malloc, p); !(call(free, p) || return(p) || test(p == 0))[*]; return && !return(p) } message \"\" }";
    let check = |c: &str, found: &[&str]| assert_eq!(violations(rule, &[], c), found, "{c}");
    check("void f(void) { char *p = malloc(1); if (p == 0) return; free(p); }", &[]);
    check("void f(int n) { char *p = malloc(1); if (n) return; free(p); }", &["f::p"]);
    check("char *f(void) { char *p = malloc(1); return p; }", &[]);
    check("static void g(void) {} void f(void) { char *p = malloc(1); g(); free(p); }", &[]);
    check("static void g(void) {} void f(void) { char *p = malloc(1); g(); }", &["f::p"]);
}
