//! All states of a small program, its stack written out, with a monitor that reads the letters of
//! steps. Scalars only; deeper calls than asked for are not entered.

use ir::eval::{Code, Env, Val};
use ir::{EdgeId, EdgeKind, ExprId, NodeId, Program, Rel, Time, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Values of variables.
pub type Values = BTreeMap<VarId, u64>;

/// A frame of the stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Frame {
    /// Where it is.
    pub node: NodeId,
    /// Its locals.
    pub values: Values,
    /// The call that is under way.
    pub call: Option<EdgeId>,
}

/// A state. The program has ended where the stack is empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    /// Globals.
    pub globals: Values,
    /// The stack, its top last.
    pub stack: Vec<Frame>,
    /// The monitor's state.
    pub monitor: u8,
}

impl State {
    /// Whether a condition holds in the top frame.
    ///
    /// # Panics
    ///
    /// Panics if the condition reads what the state does not have.
    pub fn satisfies(&self, program: &Program, condition: ExprId) -> bool {
        let none = Values::new();
        let locals = self.stack.last().map_or(&none, |top| &top.values);
        Around { globals: &self.globals, locals, after: None, choices: 0 }.eval(program, condition)
            != 0
    }
}

/// The values before a step, and after it.
#[derive(Clone, Copy)]
struct Around<'a> {
    globals: &'a Values,
    locals: &'a Values,
    after: Option<&'a Values>,
    /// The choices of a relation, as bits.
    choices: u64,
}

impl Env for Around<'_> {
    fn read(&self, time: Time, var: VarId, _: u32) -> Option<u64> {
        let before = || self.globals.get(&var).or_else(|| self.locals.get(&var)).copied();
        match (time, self.after) {
            (Time::Pre, _) => before(),
            (_, Some(after)) => after.get(&var).copied().or_else(before),
            (_, None) => None,
        }
    }
    fn choice(&self, number: u32) -> Option<bool> {
        Some(self.choices >> number & 1 == 1)
    }
}

impl Around<'_> {
    fn eval(&self, program: &Program, e: ExprId) -> i128 {
        match Code::new(program, e).eval(self, &mut Vec::new()) {
            Val::Known(v) => v,
            other => panic!("an expression is {other:?}"),
        }
    }

    /// The values that a relation assigns; every choice of those that it leaves open.
    fn effects(&self, program: &Program, rel: &Rel) -> Vec<Values> {
        let all = (0..1u64 << rel.choices)
            .flat_map(|choices| Around { choices, ..*self }.effects_of(program, rel));
        let mut out: Vec<Values> = all.collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The same for one valuation of the choices.
    fn effects_of(&self, program: &Program, rel: &Rel) -> Vec<Values> {
        if self.eval(program, rel.guard) == 0 {
            return Vec::new();
        }
        let mut out = vec![Values::new()];
        for a in &rel.assigns {
            assert_eq!((a.time, a.index), (Time::Post, None));
            let values: Vec<u64> = match a.value {
                Some(e) => vec![self.eval(program, e) as u64],
                None => (0..1 << program.vars[a.var].ty.bits()).collect(),
            };
            out = with_each(out, a.var, &values);
        }
        out.retain(|after| {
            Around { after: Some(after), ..*self }.eval(program, rel.constraint) != 0
        });
        out
    }
}

/// Each of the valuations with each of the values.
fn with_each(valuations: Vec<Values>, var: VarId, values: &[u64]) -> Vec<Values> {
    let mut out = Vec::with_capacity(valuations.len() * values.len());
    for &value in values {
        for old in &valuations {
            let mut new = old.clone();
            new.insert(var, value);
            out.push(new);
        }
    }
    out
}

/// All values of the variables that have none yet.
fn completed(program: &Program, start: Values, vars: &[VarId]) -> Vec<Values> {
    let mut out = vec![start];
    for &var in vars {
        if !out[0].contains_key(&var) {
            let values: Vec<u64> = (0..1 << program.vars[var].ty.bits()).collect();
            out = with_each(out, var, &values);
        }
    }
    out
}

fn apply(globals: &mut Values, locals: &mut Values, effect: Values) {
    for (var, value) in effect {
        match globals.get_mut(&var) {
            Some(global) => *global = value,
            None => {
                locals.insert(var, value);
            }
        }
    }
}

/// All states with at most `depth` frames.
///
/// # Panics
///
/// Panics on programs with arrays, choices or undefined values.
pub fn explore(
    program: &Program,
    depth: usize,
    monitor: &dyn Fn(u8, &[&str]) -> u8,
) -> BTreeSet<State> {
    let entry = &program.procs[program.entry];
    let mut seen = BTreeSet::new();
    let mut todo = Vec::new();
    for globals in completed(program, Values::new(), &program.globals) {
        for values in completed(program, Values::new(), &entry.locals) {
            let stack = vec![Frame { node: entry.entry, values, call: None }];
            let state = State { globals: globals.clone(), stack, monitor: 0 };
            if state.satisfies(program, program.init.condition) {
                todo.push(state);
            }
        }
    }
    while let Some(state) = todo.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let Some(top) = state.stack.last() else { continue };
        let here = Around { globals: &state.globals, locals: &top.values, after: None, choices: 0 };
        for id in program.out_edges(top.node) {
            let edge = &program.edges[id];
            let letter: Vec<&str> =
                program.events(edge.events).iter().map(|&t| program.text(t)).collect();
            let next = if edge.step { monitor(state.monitor, &letter) } else { state.monitor };
            let state = State { monitor: next, ..state.clone() };
            match &edge.kind {
                EdgeKind::Local { target, rel } => {
                    for effect in here.effects(program, rel) {
                        let mut new = state.clone();
                        let top = new.stack.last_mut().expect("a frame");
                        top.node = *target;
                        apply(&mut new.globals, &mut top.values, effect);
                        todo.push(new);
                    }
                }
                EdgeKind::Call(call) if state.stack.len() < depth => {
                    for effect in here.effects(program, &call.enter) {
                        let mut new = state.clone();
                        new.stack.last_mut().expect("a frame").call = Some(id);
                        let mut params = Values::new();
                        apply(&mut new.globals, &mut params, effect);
                        let callee = &program.procs[call.callee];
                        for values in completed(program, params, &callee.locals) {
                            let mut new = new.clone();
                            new.stack.push(Frame { node: callee.entry, values, call: None });
                            todo.push(new);
                        }
                    }
                }
                EdgeKind::Call(_) => {}
                EdgeKind::Return { rel } => {
                    for effect in here.effects(program, rel) {
                        let mut new = state.clone();
                        apply(&mut new.globals, &mut Values::new(), effect);
                        new.stack.pop();
                        todo.extend(come_back(program, new));
                    }
                }
            }
        }
    }
    seen
}

/// After a return: the top frame goes on behind its call.
fn come_back(program: &Program, state: State) -> Vec<State> {
    let Some(top) = state.stack.last() else { return vec![state] };
    let call = top.call.expect("a call is under way");
    let EdgeKind::Call(call) = &program.edges[call].kind else { return Vec::new() };
    let here = Around { globals: &state.globals, locals: &top.values, after: None, choices: 0 };
    let mut out = Vec::new();
    for effect in here.effects(program, &call.back) {
        let mut new = state.clone();
        let top = new.stack.last_mut().expect("a frame");
        (top.node, top.call) = (call.ret, None);
        apply(&mut new.globals, &mut top.values, effect);
        out.push(new);
    }
    out
}
