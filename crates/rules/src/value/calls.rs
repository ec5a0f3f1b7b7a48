//! Calls: of functions that are entered, and of those that are events only.

use super::{Act, At, CallPlan, Maker, Plan};
use crate::event::Event;
use crate::paths::{DEREF, PathId, Paths, Root};
use front_c::{
    Body, Call, Callee, FuncId, Library, Next, ObjectId, Point, is_longjmp, is_setjmp, library,
};
use ir::{ExprId, Exprs, VarId};
use std::collections::BTreeMap;

impl Maker<'_> {
    pub(super) fn call_plan(&mut self, at: At, call: &Call) -> Option<Plan> {
        let func = self.s.bodies[at.body as usize].func;
        let mut plans: Vec<CallPlan> = Vec::new();
        let mut matters = self.keep_all;
        let (mut some_trivial, mut seen_unknown) = (false, false);
        let mut targets: Vec<Option<FuncId>> = call.targets.iter().copied().map(Some).collect();
        if call.open || targets.is_empty() {
            targets.push(None);
        }
        for target in targets {
            let entered = target.filter(|g| self.f.is_entered(*g));
            if let Some(g) = entered.filter(|g| self.relevant.contains(g)) {
                matters = true;
                let mut plan = self.entering(at, call, g);
                self.in_force(&mut plan.before, call, target);
                plans.push(plan);
                continue;
            }
            if let Some(g) = entered {
                if !self.may_return.contains(&g) {
                    // The way ends in it.
                    matters = true;
                    continue;
                }
            } else {
                // Functions about which nothing is known do the same.
                let unknown = target.is_none_or(|g| {
                    !self.f.is_opaque(g)
                        && library(self.f.name(g)).is_none()
                        && self.s.funcs[g.index()].const_params.iter().all(|c| !c)
                        && !self.wants(|e| e.pattern().is_some_and(|p| p.matches(self.f.name(g))))
                });
                if unknown && std::mem::replace(&mut seen_unknown, true) {
                    continue;
                }
            }
            let outcomes: &[Option<bool>] = match target.and_then(|g| self.fallible(g)) {
                Some(_) if target.is_some_and(|g| is_setjmp(self.f.name(g))) => &[Some(false)],
                Some(_) => &[Some(true), Some(false)],
                None => &[None],
            };
            for &fails in outcomes {
                let mut act = self.outside(at, call, target, fails);
                self.in_force(&mut act, call, target);
                let stops = target.is_some_and(|g| self.s.funcs[g.index()].noreturn);
                let jumps = target.is_some_and(|g| is_longjmp(self.f.name(g)));
                if let Some(jumping) = self.jumping.filter(|_| jumps) {
                    act.other.push((jumping, Some(Exprs::TRUE)));
                }
                let next = if stops { Next::Stop } else { call.next };
                act = self.ended(act, func);
                let back = !self.outside.callbacks.is_empty() && self.goes_outside(target);
                let outside = back.then(|| self.after_outside(func));
                if act.is_trivial() && !back && next == call.next && !self.keep_all {
                    if std::mem::replace(&mut some_trivial, true) {
                        continue;
                    }
                } else {
                    matters = true;
                }
                let loose = BTreeMap::new();
                plans.push(CallPlan { before: act, enters: None, next, loose, outside });
            }
        }
        matters.then_some(Plan::Call(plans))
    }

    /// A call of what is not entered.
    fn outside(&mut self, at: At, call: &Call, target: Option<FuncId>, fails: Option<bool>) -> Act {
        let s = self.s;
        let func = s.bodies[at.body as usize].func;
        let quiet = target.is_some_and(|g| self.f.is_opaque(g) && s.body(g).is_none());
        let callee = match target {
            _ if quiet => Callee::Quiet,
            Some(g) => Callee::Known(g),
            None => Callee::Unknown,
        };
        let mut act = self.act(at, Some(callee), true);
        let entered = target.is_some_and(|g| self.f.is_entered(g));
        let name = target.map_or("", |g| self.f.name(g));
        let before = Act::default();
        let on = self.active(&before);
        self.atom(&mut act, on, |e| matches!(e, Event::Call(p) if p.matches(name)));
        if fails == Some(true) {
            self.atom(&mut act, Exprs::TRUE, |e| *e == Event::Failed);
        }
        let args: Vec<(usize, ObjectId)> =
            call.arg_values.iter().enumerate().filter_map(|(i, o)| Some((i, (*o)?))).collect();
        for &(i, o) in &args {
            self.subject(&mut act, func, o, |e| match e {
                Event::Arg(p, n, suffix) if p.matches(name) && n.is_none_or(|n| n == i + 1) => {
                    Some(suffix)
                }
                Event::CallOn(p, suffix) if p.matches(name) => Some(suffix),
                Event::Pass(suffix) if !entered => Some(suffix),
                _ => None,
            });
        }
        // What the function may do with its arguments, and to what they point to.
        for &(i, o) in &args {
            let keeps = self.keeps(target, i);
            if keeps {
                let value = self.value_of(func, &before, o);
                self.escapes(&mut act, value);
                self.part_escapes(&mut act, func, o);
            }
            let Some(p) = self.paths.object(s, o) else { continue };
            let out = self
                .rule
                .events
                .iter()
                .flatten()
                .any(|e| matches!(e, Event::Out(f, n) if f.matches(name) && *n == i + 1));
            let constant = target
                .is_some_and(|g| s.funcs[g.index()].const_params.get(i).copied().unwrap_or(false));
            let silent = entered
                || constant
                || library(name) == Some(Library::Silent)
                || target.is_some_and(|g| self.f.is_opaque(g));
            if silent && !out {
                continue;
            }
            let Some(behind) = self.paths.find_graft(p, &[DEREF]) else { continue };
            if keeps {
                for q in self.extensions.get(&behind).cloned().unwrap_or_default() {
                    let value = self.read(func, &before, q);
                    self.escapes(&mut act, value);
                }
            }
            let copied =
                target.and_then(|g| self.f.copied(call, g)).filter(|c| c[0] == o && i == 0);
            if let Some([_, from]) = copied {
                self.copied(&mut act, func, behind, from);
                continue;
            }
            self.fresh(&mut act, at, behind, !self.relevance.results_only || out);
            if out && let Some(&value) = act.set.get(&behind) {
                self.atom(
                    &mut act,
                    value,
                    |e| matches!(e, Event::Out(f, n) if f.matches(name) && *n == i + 1),
                );
            }
        }
        self.result(&mut act, at, call, target, fails);
        self.sign_result(&mut act, func, call, target, fails);
        for (_, o) in args {
            self.consumed(&mut act, func, o);
        }
        act
    }

    /// RP2: memory is copied from behind a pointer, all of it or a part.
    fn copied(&mut self, act: &mut Act, func: FuncId, to: PathId, from: ObjectId) {
        let from = self.paths.object(self.s, from);
        let from = from.and_then(|p| self.paths.find_graft(p, &[DEREF]));
        let length = self.paths.links(to).len();
        let mut new: Vec<(PathId, ExprId)> = Vec::new();
        for p in self.extensions.get(&to).cloned().unwrap_or_default() {
            let suffix = self.paths.links(p)[length..].to_vec();
            let source = from.and_then(|f| self.paths.find_graft(f, &suffix));
            let value = source.map_or(Exprs::FALSE, |q| self.read(func, act, q));
            let old = self.read(func, act, p);
            new.push((p, self.either(&mut act.choices, value, old)));
        }
        act.set.extend(new);
    }

    /// What the result of a call that is not entered is assigned to.
    pub(super) fn result(
        &mut self,
        act: &mut Act,
        at: At,
        call: &Call,
        target: Option<FuncId>,
        fails: Option<bool>,
    ) {
        let s = self.s;
        let func = s.bodies[at.body as usize].func;
        let name = target.map_or("", |g| self.f.name(g));
        let entered = target.is_some_and(|g| self.f.is_entered(g));
        let object = call.result.or(call.temporary);
        let is_result = |e: &Event| matches!(e, Event::Result(p) if p.matches(name));
        let is_on = |e: &Event| matches!(e, Event::CallOn(p, _) if p.matches(name));
        let named = !entered && self.wants(is_result);
        if let Some(g) = target
            && let Some(n) = self.f.returned(g)
        {
            // The result is an argument.
            let from = call.arg_values.get(n).copied().flatten();
            if let (Some(to), Some(from)) = (object, from) {
                self.copy(act, at, to, from);
                if let Some(p) = self.paths.object(s, to) {
                    let value = self.read(func, act, p);
                    self.atom(act, value, |e| is_result(e) || is_on(e));
                    act.object = act.object.or(Some(to));
                }
                return;
            }
        }
        let Some(o) = object else {
            // A result that nobody takes is lost at once.
            if named && self.escaped.is_some() && fails != Some(true) {
                let chosen = self.born_unseen(act, at, func, name);
                self.atom(act, chosen, is_result);
            }
            return;
        };
        let Some(p) = self.paths.object(s, o) else { return };
        let born = fails != Some(true)
            && !s.objects[o.index()].loose
            && (named || !self.relevance.results_only);
        self.fresh(act, at, p, born);
        if let Some(&value) = act.set.get(&p) {
            if !entered {
                self.atom(act, value, |e| is_result(e) || is_on(e));
            }
            if self.paths.in_memory(p) || self.is_global(p) {
                self.escapes(act, value);
            }
            act.object = act.object.or(Some(o));
        }
    }

    /// A call of a function that is entered.
    fn entering(&mut self, at: At, call: &Call, g: FuncId) -> CallPlan {
        let s = self.s;
        let func = s.bodies[at.body as usize].func;
        let mut before = self.act(at, None, false);
        let name = self.f.name(g);
        let nothing = Act::default();
        let on = self.active(&nothing);
        self.atom(&mut before, on, |e| matches!(e, Event::Call(p) if p.matches(name)));
        for o in call.arg_values.iter().flatten() {
            self.subject(&mut before, func, *o, |e| match e {
                Event::Arg(p, None, suffix) | Event::CallOn(p, suffix) if p.matches(name) => {
                    Some(suffix)
                }
                _ => None,
            });
        }
        // Arguments whose source is not followed may be chosen.
        let mut loose = BTreeMap::new();
        if !self.relevance.results_only
            && let Some(callee) = s.body(g)
        {
            for (i, (param, arg)) in callee.params.iter().zip(&call.arg_values).enumerate() {
                let (Some(param), Some(arg)) = (param, arg) else { continue };
                let path = self.paths.whole(s, *arg).or_else(|| self.paths.object(s, *arg));
                if path.is_some_and(|p| self.relevance.holds[p.index()]) {
                    continue;
                }
                let Some(p) = self.paths.object(s, *param) else { continue };
                if self.relevance.leads[p.index()] && self.frames[&g].bits.contains_key(&p) {
                    let chosen = self.born(&mut before, Some(at), Some(func), p);
                    let var = self.loose(func, i as u32);
                    before.other.push((var, Some(chosen)));
                    loose.insert(i as u32, var);
                }
            }
        }
        let before = self.ended(before, func);
        // Afterwards: what the call changed, and its result.
        let mut after = Act::default();
        let arrived = self.paths.find(Root::Ret(g), &[]);
        if let Some(o) = call.result.or(call.temporary)
            && let Some(base) = self.paths.object(s, o)
        {
            let length = self.paths.links(base).len();
            for p in self.extensions.get(&base).cloned().unwrap_or_default() {
                let suffix = self.paths.links(p)[length..].to_vec();
                if !Paths::depends(&suffix) {
                    continue;
                }
                let from = arrived.and_then(|r| self.paths.find_graft(r, &suffix));
                let value = match from.filter(|q| self.frames[&g].results.contains_key(q)) {
                    Some(_) => {
                        let bit = self.arrives(func, &suffix);
                        self.b.exprs.pre(bit)
                    }
                    None => Exprs::FALSE,
                };
                after.set.insert(p, value);
            }
            self.forget(&mut after, func, base);
            if (self.paths.in_memory(base) || self.is_global(base))
                && let Some(&value) = after.set.get(&base)
            {
                self.escapes(&mut after, value);
            }
            if s.objects[o.index()].loose
                && let Some(&value) = after.set.get(&base)
            {
                self.escapes(&mut after, value);
            }
            after.object = Some(o);
            let result = self.frames[&func].conditions.changes(
                s,
                &self.effects,
                &s.bodies[at.body as usize],
                at.point as usize,
                None,
                true,
            );
            for (i, value) in result {
                let value = value.map(|v| self.b.exprs.bool(v));
                let bit = self.frames[&func].condition_bits[i];
                after.other.extend(bit.map(|bit| (bit, value)));
            }
        } else if call.result.is_none() && call.temporary.is_none() {
            // A result that is dropped: nothing changes, and yet it may be lost.
            if let Some(r) = arrived.filter(|r| self.frames[&g].results.contains_key(r))
                && self.escaped.is_some()
            {
                let bit = self.arrives(func, &[]);
                let value = self.b.exprs.pre(bit);
                // It is held by nothing but the way it arrived on.
                after.set.insert(r, value);
            }
        } else if self.escaped.is_some()
            && let Some(r) = arrived.filter(|r| self.frames[&g].results.contains_key(r))
        {
            // The target is no path: it goes where it is not followed.
            let bit = self.arrives(func, &[]);
            let value = self.b.exprs.pre(bit);
            self.escapes(&mut after, value);
            let _ = r;
        }
        for o in call.arg_values.iter().flatten() {
            self.consumed(&mut after, func, *o);
        }
        let behind = self.behind(func, call, g);
        let after = self.came_back(after, func, &behind);
        CallPlan { before, enters: Some((g, after)), next: call.next, loose, outside: None }
    }

    /// The caller's bits for what is behind arguments.
    fn behind(&self, func: FuncId, call: &Call, g: FuncId) -> Vec<VarId> {
        let Some(callee) = self.s.body(g) else { return Vec::new() };
        let mut out = Vec::new();
        for &p in self.frames[&g].results.keys() {
            let Root::Var(o) = self.paths.root(p) else { continue };
            let position = callee.params.iter().position(|q| *q == Some(o));
            let arg = position.and_then(|i| call.arg_values.get(i).copied().flatten());
            let path = arg.and_then(|arg| self.paths.object_known(arg));
            let q = path.and_then(|a| self.paths.find_graft(a, self.paths.links(p)));
            out.extend(q.and_then(|q| self.bit(func, q)));
        }
        out
    }

    /// `lost` for what a result was before it is assigned: also what arrives was held.
    fn came_back(&mut self, mut act: Act, func: FuncId, behind: &[VarId]) -> Act {
        let dropped: Vec<PathId> = act
            .set
            .keys()
            .copied()
            .filter(|p| matches!(self.paths.root(*p), Root::Ret(_)))
            .collect();
        let mut arrived = Exprs::FALSE;
        for p in &dropped {
            if let Some(value) = act.set.remove(p) {
                arrived = self.b.exprs.or(arrived, value);
            }
        }
        for (p, value) in act.set.clone() {
            if !self.paths.in_memory(p) {
                arrived = self.b.exprs.or(arrived, value);
            }
        }
        self.spread(&mut act, func);
        self.refresh(&mut act, func, behind);
        let changes = !act.set.is_empty() || !dropped.is_empty();
        self.lost(&mut act, func, None, arrived, changes);
        self.note(&act);
        act
    }

    pub(super) fn returned(&mut self, body: &Body, point: &Point) -> BTreeMap<PathId, ExprId> {
        let s = self.s;
        let func = body.func;
        let of = point.events.iter().chain(&point.hidden).find_map(|e| match *e {
            front_c::Event::ReturnOf(o) => Some(o),
            _ => None,
        });
        let from = of.and_then(|o| self.paths.object(s, o));
        let whole = of.and_then(|o| self.paths.whole(s, o));
        let nothing = Act::default();
        let mut out = BTreeMap::new();
        for p in self.frames[&func].results.keys().copied().collect::<Vec<_>>() {
            let value = match self.paths.root(p) {
                Root::Ret(_) => {
                    let suffix = self.paths.links(p).to_vec();
                    let q = match whole.filter(|_| suffix.is_empty()) {
                        Some(whole) => Some(whole),
                        None => from.and_then(|f| self.paths.find_graft(f, &suffix)),
                    };
                    q.map_or(Exprs::FALSE, |q| self.read(func, &nothing, q))
                }
                _ => self.read(func, &nothing, p),
            };
            out.insert(p, value);
        }
        out
    }
}
