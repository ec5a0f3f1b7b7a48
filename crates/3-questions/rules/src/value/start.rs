//! Where a run starts.

use super::{Act, Maker, Start, ValueError};
use crate::dfa::Dfa;
use crate::event::Event;
use crate::paths::{PathId, Root};
use crate::relevance::{Functions, Memory, is_one_away};
use front_c::{Flow, FuncId, ObjectId};
use ir::{Assign, BinaryOp, EdgeKind, ExprId, Exprs, Init, NodeId, ProcId, Rel, Time, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

impl Maker<'_> {
    /// VP1: addresses of locals come into being with the frame.
    pub(super) fn entry_act(&mut self, func: FuncId) -> Act {
        let mut entry = Act::default();
        if self.relevance.results_only {
            return entry;
        }
        for p in self.own.get(&func).cloned().unwrap_or_default() {
            if self.paths.is_address(p) && matches!(self.paths.root(p), Root::Var(_)) {
                let chosen = self.born(&mut entry, None, Some(func), p);
                if chosen != Exprs::FALSE {
                    entry.set.insert(p, chosen);
                    self.atom(&mut entry, chosen, |e| *e == Event::New);
                }
            }
        }
        self.note(&entry);
        entry
    }

    pub(super) fn start_acts(&mut self) -> (Act, Vec<Start>) {
        let mut globals = Act::default();
        if !self.relevance.results_only {
            // Where the program starts with `main`, its variables hold constants.
            let is_main = |g: &FuncId| self.s.funcs[g.index()].name == "main";
            let from_main = self.roots.iter().any(is_main);
            for p in self.globals.keys().copied().collect::<Vec<_>>() {
                if let Root::Var(o) = self.paths.root(p)
                    && from_main
                    && !self.paths.is_address(p)
                    && self.s.objects[o.index()].defined
                {
                    continue;
                }
                let chosen = self.born(&mut globals, None, None, p);
                if chosen == Exprs::FALSE {
                    continue;
                }
                globals.set.insert(p, chosen);
                let Root::Var(o) = self.paths.root(p) else { continue };
                if self.paths.is_address(p) && self.s.objects[o.index()].defined {
                    self.atom(&mut globals, chosen, |e| *e == Event::New);
                }
            }
            self.note(&globals);
        }
        let mut all: Vec<FuncId> = self.roots.clone();
        all.extend(&self.outside.callbacks);
        all.extend(&self.outside.by_itself);
        all.extend(&self.far_called);
        let mut seen: FxHashSet<FuncId> = FxHashSet::default();
        for g in all.into_iter().filter(|g| seen.insert(*g)) {
            let Some(frame) = self.frames.get(&g) else { continue };
            let mut act = Act::default();
            let mut bits = BTreeMap::new();
            if !self.relevance.results_only {
                let body = self.s.body(g);
                let params: FxHashSet<ObjectId> =
                    body.into_iter().flat_map(|b| b.params.iter().flatten().copied()).collect();
                for p in frame.bits.keys().copied().collect::<Vec<_>>() {
                    if let Root::Var(o) = self.paths.root(p)
                        && params.contains(&o)
                        && !self.paths.is_address(p)
                    {
                        let chosen = self.born(&mut act, None, Some(g), p);
                        if chosen != Exprs::FALSE {
                            bits.insert(p, chosen);
                        }
                    }
                }
                self.note(&act);
            }
            self.started.push((g, act, bits));
        }
        let roots = self.starts(&self.roots.clone());
        (globals, roots)
    }

    /// A call from outside, with values that come from there. `top`: the program starts with it.
    pub(super) fn start_edge(
        &mut self,
        source: NodeId,
        ret: NodeId,
        start: &Start,
        top: ExprId,
        dfa: &Dfa,
    ) {
        let (g, act, bits) = start;
        let (mut enter, _) = self.relation(act, None, dfa);
        let mut assigns: Vec<(VarId, Option<ExprId>)> =
            enter.assigns.iter().map(|a| (a.var, a.value)).collect();
        let frame = &self.frames[g];
        for (p, bit) in &frame.bits {
            assigns.push((*bit, Some(bits.get(p).copied().unwrap_or(Exprs::FALSE))));
        }
        // What comes from outside is held there; what a parameter points to holds what it holds for the outside.
        if let Some(outer) = frame.outer {
            let mut chosen = Exprs::FALSE;
            for (&p, &bit) in bits {
                if !self.holds_for_outside(p) {
                    chosen = self.b.exprs.or(chosen, bit);
                }
            }
            assigns.push((outer, Some(chosen)));
        }
        if let Some(var) = frame.top {
            assigns.push((var, Some(top)));
        }
        assigns.extend(self.indices_unknown(*g));
        let assign = |(var, value)| Assign { time: Time::Post, var, index: None, value };
        enter.assigns = assigns.into_iter().map(assign).collect();
        let callee = self.frames[g].proc;
        self.kept_start(*g, top == Exprs::TRUE, &mut enter);
        let call = ir::Call { callee, enter, ret, back: Rel::identity() };
        self.edge(source, EdgeKind::Call(Box::new(call)), false, None);
    }

    /// Whether what a path of a parameter holds at the start is the caller's to lose there (VP5).
    fn holds_for_outside(&self, p: PathId) -> bool {
        let (root, links) = (self.paths.root(p), self.paths.links(p));
        self.relevance.memory == Memory::One
            && self.paths.in_memory(p)
            && self.sees(links)
            && is_one_away(self.s, root, links)
    }

    pub(super) fn harness(&mut self, (globals, roots): (Act, Vec<Start>), dfa: &Dfa) -> ProcId {
        let at = self.b.no_origin();
        let proc = self.b.proc("(run)", at);
        self.b.begin_proc(proc);
        let (start, ready, end) = (self.b.silent(), self.b.silent(), self.b.silent());
        self.b.entry(proc, start);
        // Everything has a value from here on.
        let mut globals = globals;
        for &p in self.globals.keys() {
            globals.set.entry(p).or_insert(Exprs::FALSE);
        }
        let first = self.escaped.into_iter().chain(self.jumping);
        globals.other.extend(first.map(|var| (var, Some(Exprs::FALSE))));
        let (rel, _) = self.relation(&globals, None, dfa);
        self.edge(start, EdgeKind::Local { target: ready, rel }, false, None);
        let mut ready = ready;
        for start in self.starts(&self.outside.by_itself.clone()) {
            if self.relevance.memory != Memory::One {
                self.start_edge(ready, ready, &start, Exprs::FALSE, dfa);
                continue;
            }
            // Once: what is stored by the first of two calls would be lost.
            let next = self.b.silent();
            self.start_edge(ready, next, &start, Exprs::FALSE, dfa);
            let rel = Rel::identity();
            self.edge(ready, EdgeKind::Local { target: next, rel }, false, None);
            ready = next;
        }
        for start in &roots {
            self.start_edge(ready, end, start, Exprs::TRUE, dfa);
        }
        for start in &self.starts(&self.far_called.clone()) {
            self.start_edge(ready, end, start, Exprs::FALSE, dfa);
        }
        if let Some(callee) = self.outside.proc.filter(|_| self.outside.at_exit) {
            let last = self.b.silent();
            let (enter, back) = (Rel::identity(), Rel::identity());
            let call = ir::Call { callee, enter, ret: last, back };
            self.edge(end, EdgeKind::Call(Box::new(call)), false, None);
        }
        proc
    }

    pub(super) fn init(&mut self, last: usize) -> Init {
        let exprs = &mut self.b.exprs;
        let on = exprs.pre(self.on);
        let mut condition = exprs.not(on);
        let (state, zero) = (exprs.pre(self.state), exprs.int(0));
        let start = exprs.binary(BinaryOp::Eq, state, zero);
        condition = exprs.and(condition, start);
        if self.numbered {
            let (birth, last) = (exprs.pre(self.birth), exprs.int(last as i64));
            let known = exprs.binary(BinaryOp::Le, birth, last);
            condition = exprs.and(condition, known);
        }
        Init { condition, choices: 0 }
    }
}

/// The functions that a program starts with: the one that is asked for; `main` and what is only
/// called from outside; or, without `main`, those that nobody calls. Of functions that call each
/// other, and nobody else does, the first.
pub(super) fn roots(f: &Functions<'_>, entry: Option<&str>) -> Result<Vec<FuncId>, ValueError> {
    let s = f.s;
    let usable = |g: FuncId| !f.is_opaque(g) && s.body(g).is_some();
    if let Some(name) = entry {
        return match s.func_named(name).filter(|g| usable(*g)) {
            Some(g) => Ok(vec![g]),
            None => Err(ValueError::NoEntry { name: name.to_owned() }),
        };
    }
    let bodies = || s.bodies.iter().map(|b| b.func).filter(|g| usable(*g));
    if f.rule.by_function {
        return Ok(bodies().collect());
    }
    let mut callees: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    let mut called: FxHashSet<FuncId> = FxHashSet::default();
    for body in s.bodies.iter().filter(|b| usable(b.func)) {
        for point in &body.points {
            let Flow::Call(call) = &point.flow else { continue };
            for &g in call.targets.iter().filter(|g| usable(**g)) {
                callees.entry(body.func).or_default().push(g);
                if g != body.func {
                    called.insert(g);
                }
            }
        }
    }
    let main = s.func_named("main").filter(|g| usable(*g));
    let mut roots: Vec<FuncId> = match main {
        Some(main) => {
            let outside =
                |g: &FuncId| *g != main && s.funcs[g.index()].address_taken && !called.contains(g);
            [main].into_iter().chain(bodies().filter(outside)).collect()
        }
        None => bodies().filter(|g| !called.contains(g)).collect(),
    };
    // What functions call that are not entered.
    let mut inside: FxHashSet<FuncId> = FxHashSet::default();
    for point in s.bodies.iter().filter(|b| f.is_opaque(b.func)).flat_map(|b| &b.points) {
        if let Flow::Call(call) = &point.flow {
            inside.extend(&call.targets);
        }
    }
    // What others can call, and `main` does not come to, is called by others.
    let exported =
        |g: FuncId| main.is_none() || !s.funcs[g.index()].is_static || inside.contains(&g);
    {
        let mut reached: FxHashSet<FuncId> = FxHashSet::default();
        let mut reach = |from: FuncId| {
            let mut todo = vec![from];
            while let Some(g) = todo.pop() {
                if reached.insert(g) {
                    todo.extend(callees.get(&g).into_iter().flatten().copied());
                }
            }
            reached.len()
        };
        let mut count = 0;
        for &root in &roots {
            count = reach(root);
        }
        let mut more: Vec<FuncId> = bodies().filter(|g| exported(*g)).collect();
        // Those that nobody calls first.
        more.sort_by_key(|g| called.contains(g));
        for g in more {
            let before = count;
            // A function that is reached adds nothing.
            count = reach(g);
            if count > before {
                roots.push(g);
            }
        }
    }
    Ok(roots)
}
