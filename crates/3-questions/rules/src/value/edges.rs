//! Nodes and edges for what points do.
//!
//! Points at which nothing happens are left out (VP9).
//!
//! A `longjmp` leaves frames until one has a `setjmp`, any of them; nothing is lost on its way.

use super::{Act, At, CallPlan, Entry, Executes, Maker, Plan, Violation};
use crate::dfa::Dfa;
use crate::paths::{PathId, Paths, Root};
use crate::relevance::Memory;
use front_c::{Body, Callee, Flow, FuncId, Next};
use ir::{Assign, Edge, EdgeKind, ExprId, Exprs, NodeId, Rel, Time, VarId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

impl Maker<'_> {
    /// The relation of an act without a violation, and when it is one.
    pub(super) fn relation(&mut self, act: &Act, func: Option<FuncId>, dfa: &Dfa) -> (Rel, ExprId) {
        self.relation_at(act, func, None, dfa)
    }

    /// The same for an act of a point.
    fn relation_at(
        &mut self,
        act: &Act,
        func: Option<FuncId>,
        at: Option<At>,
        dfa: &Dfa,
    ) -> (Rel, ExprId) {
        let elsewhere = at.is_some_and(|at| self.f.part.leaves_out(at));
        let (violated, mut ended, next) = self.advance(act, dfa, elsewhere);
        if let Some(escape) = act.escape.filter(|_| self.relevance.only_lost) {
            ended = self.b.exprs.or(ended, escape);
        }
        let mut guard = act.guard.unwrap_or(Exprs::TRUE);
        if ended != Exprs::FALSE {
            let goes_on = self.b.exprs.not(ended);
            guard = self.b.exprs.and(guard, goes_on);
        }
        if violated != Exprs::FALSE {
            let not = self.b.exprs.not(violated);
            guard = self.b.exprs.and(guard, not);
        }
        let mut rel = Rel::guarded(guard, act.choices);
        let mut assigns: Vec<(VarId, Option<ExprId>)> = Vec::new();
        for (&p, &value) in &act.set {
            let bit = match func {
                Some(func) => self.bit(func, p),
                None => self.globals.get(&p).copied(),
            };
            assigns.extend(bit.map(|bit| (bit, Some(value))));
        }
        assigns.extend(act.other.iter().copied());
        if let Some(next) = next {
            assigns.push((self.state, Some(next)));
        }
        if let Some(chosen) = act.chosen {
            let on = self.b.exprs.pre(self.on);
            let on = self.b.exprs.or(on, chosen);
            assigns.push((self.on, Some(on)));
        }
        if let (Some(escaped), Some(escape), false) =
            (self.escaped, act.escape, self.relevance.only_lost)
        {
            let old = self.b.exprs.pre(escaped);
            let new = self.b.exprs.or(old, escape);
            assigns.push((escaped, Some(new)));
        }
        let mut seen = FxHashSet::default();
        assigns.reverse();
        assigns.retain(|(var, _)| seen.insert(*var));
        assigns.reverse();
        // Of several values that could be chosen, one is.
        if act.picks.len() > 1 {
            let mut any = Exprs::FALSE;
            let mut one = Exprs::TRUE;
            for &c in &act.picks {
                let both = self.b.exprs.and(any, c);
                let not = self.b.exprs.not(both);
                one = self.b.exprs.and(one, not);
                any = self.b.exprs.or(any, c);
            }
            rel.guard = self.b.exprs.and(rel.guard, one);
        }
        let assign = |(var, value)| Assign { time: Time::Post, var, index: None, value };
        rel.assigns =
            assigns.into_iter().map(assign).chain(act.kept.assigns.iter().cloned()).collect();
        rel.constraint = self.b.exprs.and(rel.constraint, act.kept.constraint);
        (rel, violated)
    }

    pub(super) fn edge(
        &mut self,
        source: NodeId,
        kind: EdgeKind,
        step: bool,
        executes: Option<Executes>,
    ) {
        self.edges.push((source, executes));
        let events = self.b.no_events();
        self.b.edge(Edge { source, kind, step, events, marks: 0 });
    }

    /// A local edge that does an act, and one to where it violates the rule.
    fn act_edge(
        &mut self,
        source: NodeId,
        target: NodeId,
        act: &Act,
        func: FuncId,
        executes: Executes,
        dfa: &Dfa,
    ) {
        let (rel, violated) = self.relation_at(act, Some(func), Some(executes.at), dfa);
        let atoms = act.atoms.keys().fold(0, |bits, a| bits | 1 << a);
        let executes = Executes { atoms, ..executes };
        let (choices, guard) = (rel.choices, act.guard.unwrap_or(Exprs::TRUE));
        self.edge(source, EdgeKind::Local { target, rel }, true, Some(executes));
        if violated != Exprs::FALSE {
            let error = self.b.silent();
            let guard = self.b.exprs.and(guard, violated);
            let rel = Rel::guarded(guard, choices);
            self.edge(source, EdgeKind::Local { target: error, rel }, true, Some(executes));
            let object = act.object.map(|o| {
                let object = &self.s.objects[o.index()];
                match self.paths.object_known(o) {
                    _ if object.temporary && object.name.starts_with('(') => {
                        crate::NAMELESS.to_owned()
                    }
                    // Cells have the name of their array.
                    Some(p) if object.name.contains("[]") || self.paths.is_one(p) => {
                        self.path_name(p)
                    }
                    _ => object.name.clone(),
                }
            });
            self.violations.push(Violation { node: error, at: executes.at, object });
        }
    }

    /// Where it goes on behind a point: what owning members hold may come into being on the way.
    fn inheriting(&mut self, at: At, func: FuncId, target: NodeId, dfa: &Dfa) -> NodeId {
        match self.inherited.get(&at).cloned() {
            Some(act) => self.chosen_or_not(at, func, target, act, dfa),
            None => target,
        }
    }

    /// A node from which a value is chosen at a point, which is a step of its own, or none is.
    fn chosen_or_not(
        &mut self,
        at: At,
        func: FuncId,
        target: NodeId,
        mut act: Act,
        dfa: &Dfa,
    ) -> NodeId {
        act.guard = act.chosen;
        let node = self.before(at, func, target, &act, dfa);
        let rel = Rel::identity();
        self.edge(node, EdgeKind::Local { target, rel }, false, None);
        node
    }

    pub(super) fn body(
        &mut self,
        number: usize,
        (entry, inherited): &Entry,
        plans: Vec<Option<Plan>>,
        dfa: &Dfa,
    ) {
        let s = self.s;
        let body = &s.bodies[number];
        let func = body.func;
        let proc = self.frames[&func].proc;
        self.b.begin_proc(proc);
        self.kept_values = self.kept.values(s, body, &mut self.b.exprs);
        self.unwind = None;
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(plans.len());
        for (point, plan) in body.points.iter().zip(&plans) {
            nodes.push(plan.as_ref().map(|_| {
                let at = self.b.origin(point.at.file, point.at.line, point.at.column, &point.text);
                self.b.statement(at)
            }));
        }
        let stop = self.b.silent();
        let to = self.silent(body, &nodes, stop);
        let mut first = to(body.entry);
        if let Some((at, act)) = inherited {
            first = self.chosen_or_not(*at, func, first, act.clone(), dfa);
        }
        let start = if entry.is_trivial() {
            first
        } else {
            let start = self.b.silent();
            let (rel, _) = self.relation(entry, Some(func), dfa);
            self.edge(start, EdgeKind::Local { target: first, rel }, false, None);
            start
        };
        self.b.entry(proc, start);
        for (i, plan) in plans.into_iter().enumerate() {
            let (Some(plan), Some(source)) = (plan, nodes[i]) else { continue };
            let at = At { body: number as u32, point: i as u32 };
            let executes = Executes { at, arm: None, calls: None, atoms: 0 };
            match plan {
                Plan::Next(ways) => {
                    for (act, next) in ways {
                        let target = self.inheriting(at, func, to(next), dfa);
                        self.act_edge(source, target, &act, func, executes, dfa);
                    }
                }
                Plan::Branch(ways) => {
                    for (k, act, next) in &ways {
                        let executes = Executes { arm: Some(*k), ..executes };
                        self.act_edge(source, to(*next), act, func, executes, dfa);
                    }
                }
                Plan::Return(ways) => {
                    for (act, results, signs) in ways {
                        let mut leave = source;
                        if !act.is_trivial() {
                            leave = self.b.silent();
                            self.act_edge(source, leave, &act, func, executes, dfa);
                        }
                        let results = results
                            .iter()
                            .map(|(p, e)| (self.frames[&func].results[p], Some(*e)))
                            .chain(signs)
                            .collect::<Vec<_>>();
                        let rel = Rel::assign(results, 0);
                        let executes = act.is_trivial().then_some(executes);
                        self.edge(leave, EdgeKind::Return { rel }, executes.is_some(), executes);
                    }
                }
                Plan::Call(plans) => {
                    for plan in plans {
                        self.paths.miss(plan.missed.clone());
                        self.call_edges(source, at, plan, func, &to, dfa);
                    }
                    self.paths.miss(FxHashSet::default());
                }
            }
        }
    }

    /// A node at the same point from which another act leads on.
    fn before(&mut self, at: At, func: FuncId, target: NodeId, act: &Act, dfa: &Dfa) -> NodeId {
        let point = &self.s.bodies[at.body as usize].points[at.point as usize];
        let origin = self.b.origin(point.at.file, point.at.line, point.at.column, &point.text);
        let node = self.b.statement(origin);
        let executes = Executes { at, arm: None, calls: None, atoms: 0 };
        self.act_edge(node, target, act, func, executes, dfa);
        node
    }

    /// Whether the caller, or whoever called it, holds the value, but for what is the callee's to lose.
    fn held_by_caller(&mut self, func: FuncId, handed: &BTreeSet<PathId>) -> ExprId {
        let mut held = self.frames[&func].outer.map_or(Exprs::FALSE, |o| self.b.exprs.pre(o));
        let own: Vec<(PathId, VarId)> =
            self.frames[&func].bits.iter().map(|(p, v)| (*p, *v)).collect();
        let one = self.relevance.memory == Memory::One;
        for (p, bit) in own {
            if one && !handed.contains(&p) || !one && !self.paths.in_memory(p) {
                let bit = self.b.exprs.pre(bit);
                held = self.b.exprs.or(held, bit);
            }
        }
        held
    }

    fn call_edges(
        &mut self,
        source: NodeId,
        at: At,
        plan: CallPlan,
        func: FuncId,
        to: &dyn Fn(Next) -> NodeId,
        dfa: &Dfa,
    ) {
        let s = self.s;
        let Flow::Call(call) = &s.bodies[at.body as usize].points[at.point as usize].flow else {
            return;
        };
        let mut target = self.inheriting(at, func, to(plan.next), dfa);
        if let Some(jumping) = self.jumping
            && plan.before.other.iter().any(|(var, _)| *var == jumping)
        {
            target = self.landing(at, func, jumping, None, to);
        }
        if let Some(after) = &plan.outside {
            target = self.by_way_of_outside(at, func, target, after, to, dfa);
        }
        if let Some(then) = &plan.then {
            target = self.before(at, func, target, then, dfa);
        }
        let Some((g, after)) = plan.enters else {
            let executes = Executes { at, arm: None, calls: None, atoms: 0 };
            self.act_edge(source, target, &plan.before, func, executes, dfa);
            return;
        };
        let executes = Executes { at, arm: None, calls: Some(g), atoms: 0 };
        let point = &s.bodies[at.body as usize].points[at.point as usize];
        let origin = self.b.origin(point.at.file, point.at.line, point.at.column, &point.text);
        let mut from = source;
        if !plan.before.is_trivial() {
            from = self.b.statement(origin);
            let before = Executes { calls: None, ..executes };
            self.act_edge(source, from, &plan.before, func, before, dfa);
        }
        let mut enter = Rel::identity();
        let nothing = Act::default();
        let Some(callee) = s.body(g) else { return };
        let mut assigns: Vec<(VarId, Option<ExprId>)> = Vec::new();
        let bits: Vec<(PathId, VarId)> =
            self.frames[&g].bits.iter().map(|(p, v)| (*p, *v)).collect();
        for (p, bit) in bits {
            let Root::Var(o) = self.paths.root(p) else { continue };
            let suffix = self.paths.links(p).to_vec();
            let position = callee.params.iter().position(|q| *q == Some(o));
            let arg = position.and_then(|i| call.arg_values.get(i).copied().flatten());
            // The address of a parameter is its own.
            let arg = arg.filter(|_| Paths::depends(&suffix));
            let path = arg.and_then(|arg| self.paths.object(s, arg));
            let whole = arg.filter(|_| suffix.is_empty()).and_then(|a| self.paths.whole(s, a));
            let q = whole.or_else(|| path.and_then(|a| self.paths.find_graft(a, &suffix)));
            let mut value = q.map_or(Exprs::FALSE, |q| self.read(func, &nothing, q));
            if let Some(&var) =
                position.filter(|_| suffix.is_empty()).and_then(|i| plan.loose.get(&(i as u32)))
            {
                let chosen = self.b.exprs.pre(var);
                value = self.b.exprs.or(value, chosen);
            }
            assigns.push((bit, Some(value)));
        }
        if let Some(outer) = self.frames[&g].outer {
            let held = self.held_by_caller(func, &plan.handed);
            assigns.push((outer, Some(held)));
        }
        if let Some(top) = self.frames[&g].top {
            assigns.push((top, Some(Exprs::FALSE)));
        }
        assigns.extend(self.indices_given((g, at.body as usize), call, &callee.params));
        assigns.extend(self.signs_entered(&s.bodies[at.body as usize], call, callee));
        // Conditions that the arguments decide.
        let frame = &self.frames[&g];
        let caller = &s.bodies[at.body as usize];
        for (i, value) in frame.conditions.entered(s, caller, call, callee) {
            let value = if value { Exprs::TRUE } else { Exprs::FALSE };
            assigns.extend(frame.condition_bits[i].map(|bit| (bit, Some(value))));
        }
        let assign = |(var, value)| Assign { time: Time::Post, var, index: None, value };
        enter.assigns = assigns.into_iter().map(assign).collect();
        // KV2
        self.kept.enter(s, &mut self.b.exprs, &self.kept_values, call, callee, &mut enter);
        let (mut back, choices) = self.results_back(call, callee, g, func);
        let changes = self.frames[&func].conditions.changes(
            s,
            &self.effects,
            &s.bodies[at.body as usize],
            at.point as usize,
            Some(Callee::Known(g)),
            false,
        );
        for (i, _) in changes {
            back.extend(self.frames[&func].condition_bits[i].map(|bit| (bit, None)));
        }
        back.extend(self.signs_back(at, call, g));
        let assigns = back.into_iter().map(assign).collect();
        let mut back = Rel { assigns, choices, ..Rel::identity() };
        self.kept.back(s, func, &mut back);
        let mut ret = target;
        if !after.is_trivial() {
            ret = self.b.statement(origin);
            let executes = Executes { calls: None, ..executes };
            self.act_edge(ret, target, &after, func, executes, dfa);
        }
        if let Some(jumping) = self.jumping.filter(|_| self.may_jump.contains(&g)) {
            ret = self.landing(at, func, jumping, Some(ret), to);
        }
        let callee = self.frames[&g].proc;
        let kind = EdgeKind::Call(Box::new(ir::Call { callee, enter, ret, back }));
        self.edge(from, kind, true, Some(executes));
    }

    /// What a call brings back: results arrive, and what is behind arguments is what is behind parameters.
    /// With the choices that this takes.
    fn results_back(
        &mut self,
        call: &front_c::Call,
        callee: &front_c::Body,
        g: FuncId,
        func: FuncId,
    ) -> (BTreeMap<VarId, Option<ExprId>>, u32) {
        let s = self.s;
        let mut choices = 0;
        let mut back: BTreeMap<VarId, Option<ExprId>> = BTreeMap::new();
        let results: Vec<(PathId, VarId)> =
            self.frames[&g].results.iter().map(|(p, v)| (*p, *v)).collect();
        for (p, result) in results {
            let value = self.b.exprs.pre(result);
            match self.paths.root(p) {
                Root::Ret(_) => {
                    let links = self.paths.links(p).to_vec();
                    if let Some(&var) = self.frames[&func].arrives.get(&links) {
                        back.insert(var, Some(value));
                    }
                }
                Root::Var(o) => {
                    let position = callee.params.iter().position(|q| *q == Some(o));
                    let arg = position.and_then(|i| call.arg_values.get(i).copied().flatten());
                    let path = arg.and_then(|arg| self.paths.object(s, arg));
                    let suffix = self.paths.links(p).to_vec();
                    let q = path.and_then(|a| self.paths.find_graft(a, &suffix));
                    let Some(bit) = q.and_then(|q| self.bit(func, q)) else { continue };
                    // A parameter that changed points elsewhere: what the argument points to may be as
                    // it was, or not.
                    let kept = !self.frames[&g].changed.contains(&o);
                    let old = self.b.exprs.pre(bit);
                    let value = match (kept, self.relevance.memory) {
                        // Where two arguments are the same, what either sees.
                        (true, Memory::One) => match back.get(&bit) {
                            Some(Some(other)) => self.b.exprs.or(*other, value),
                            _ => value,
                        },
                        (false, Memory::One) => continue,
                        (true, _) => value,
                        (false, _) => self.either(&mut choices, value, old),
                    };
                    back.insert(bit, Some(value));
                }
                Root::Arg(_) => {}
            }
        }
        (back, choices)
    }

    /// Where a call comes back to that a `longjmp` may have left: on to `ret`, or to a `setjmp` of this
    /// body, or out of its frame.
    pub(super) fn landing(
        &mut self,
        at: At,
        func: FuncId,
        jumping: VarId,
        ret: Option<NodeId>,
        to: &dyn Fn(Next) -> NodeId,
    ) -> NodeId {
        let node = self.b.silent();
        let flag = self.b.exprs.pre(jumping);
        if let Some(target) = ret {
            let no = self.b.exprs.not(flag);
            let rel = Rel::guarded(no, 0);
            self.edge(node, EdgeKind::Local { target, rel }, false, None);
        }
        let unwind = match self.unwind {
            Some(unwind) => unwind,
            None => {
                let unwind = self.b.silent();
                self.unwind = Some(unwind);
                let results = self.frames[&func].results.values();
                let results = results.map(|&r| (r, Some(Exprs::FALSE)));
                let rel = Rel::assign(results.chain(self.sign_left(func)), 0);
                self.edge(unwind, EdgeKind::Return { rel }, false, None);
                unwind
            }
        };
        let rel = Rel::guarded(flag, 0);
        self.edge(node, EdgeKind::Local { target: unwind, rel }, false, None);
        let body = &self.s.bodies[at.body as usize];
        for &setjmp in &body.setjmps {
            let Flow::Call(call) = &body.points[setjmp as usize].flow else { continue };
            let target = to(call.next);
            let mut rel = Rel::guarded(flag, 0);
            let mut assigns = vec![(jumping, Some(Exprs::FALSE))];
            // What was tested may be different now.
            let bits = self.frames[&func].condition_bits.iter().flatten();
            assigns.extend(bits.map(|&bit| (bit, None)));
            let result = call.result.or(call.temporary);
            assigns.extend(self.signs_after_jump(func, result, &mut rel.choices));
            let assign = |(var, value)| Assign { time: Time::Post, var, index: None, value };
            rel.assigns = assigns.into_iter().map(assign).collect();
            self.kept.any_of(self.s, func, true, &mut rel);
            self.edge(node, EdgeKind::Local { target, rel }, false, None);
        }
        node
    }

    /// The nodes for points that do nothing (VP9): the first node that all ways from there come to, or
    /// one of their own where they part.
    pub(super) fn silent(
        &mut self,
        body: &Body,
        nodes: &[Option<NodeId>],
        stop: NodeId,
    ) -> impl Fn(Next) -> NodeId + use<> {
        let quiet = |i: usize| -> Vec<Next> {
            match &body.points[i].flow {
                Flow::Next(next) => vec![*next],
                Flow::Branch(arms) => arms.iter().map(|a| a.next).collect(),
                Flow::Return => Vec::new(),
                Flow::Call(call) => vec![call.next],
            }
        };
        let count = nodes.len();
        let steps: Vec<Vec<usize>> = (0..count)
            .map(|i| {
                let next = if nodes[i].is_some() { Vec::new() } else { quiet(i) };
                let points = next.into_iter().rev().filter_map(|n| match n {
                    Next::Point(p) => Some(p as usize),
                    _ => None,
                });
                points.collect()
            })
            .collect();
        let order = graph::components(count, 0..count, |v, i| steps[v].get(i).copied());
        let component = |p: u32| order.of[p as usize] as usize;
        // Components come after those that they lead to.
        let mut node: Vec<Option<NodeId>> = vec![None; order.len()];
        for (c, members) in order.iter().enumerate() {
            if let [only] = members[..]
                && let Some(n) = nodes[only as usize]
            {
                node[c] = Some(n);
                continue;
            }
            let mut exits: Vec<NodeId> = Vec::new();
            for &i in members {
                for next in quiet(i as usize) {
                    let to = match next {
                        Next::Point(p) if component(p) == c => continue,
                        Next::Point(p) => node[component(p)].unwrap_or(stop),
                        Next::Stop | Next::Spin => stop,
                    };
                    if to != stop && !exits.contains(&to) {
                        exits.push(to);
                    }
                }
            }
            node[c] = Some(match exits[..] {
                [] => stop,
                [only] => only,
                _ => {
                    let here = self.b.silent();
                    for target in exits {
                        let rel = Rel::identity();
                        self.edge(here, EdgeKind::Local { target, rel }, false, None);
                    }
                    here
                }
            });
        }
        move |next: Next| match next {
            Next::Point(p) => node[order.of[p as usize] as usize].unwrap_or(stop),
            Next::Stop | Next::Spin => stop,
        }
    }
}
