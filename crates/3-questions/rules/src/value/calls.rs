//! Calls: of functions that are entered, and of those that are events only.

use super::points::constant;
use super::{Act, At, CallPlan, Maker, Plan};
use crate::event::Event;
use crate::ownership::{FREES, Own};
use crate::paths::{ADDRESS, DEREF, PathId, Paths, Root, is_element};
use crate::relevance::Memory;
use front_c::{
    Body, Call, Callee, FuncId, Library, Next, ObjectId, Point, Reach, is_longjmp, is_setjmp,
};
use ir::{ExprId, Exprs, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Instead of the position of an argument: a result that nobody takes.
const UNSEEN: u32 = u32::MAX;

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
                        && self.f.library(g).is_none()
                        && self.s.funcs[g.index()].const_params.iter().all(|c| !c)
                        && !self.wants(|e| e.pattern().is_some_and(|p| p.matches(self.f.name(g))))
                });
                if unknown && std::mem::replace(&mut seen_unknown, true) {
                    continue;
                }
            }
            let outcomes: &[Option<bool>] = match target.and_then(|g| self.fallible(g)) {
                Some(_) if target.is_some_and(|g| is_setjmp(self.f.name(g))) => &[Some(false)],
                // Who does not look takes it for granted.
                Some(_) if call.result.or(call.temporary).is_none() => &[Some(false)],
                Some(_) => &[Some(true), Some(false)],
                None => &[None],
            };
            for &fails in outcomes {
                let mut act = self.outside(at, call, target, fails);
                act.kept = self.kept_effect(at, Some(target));
                if entered.is_some_and(|g| self.shifting.contains(&g)) {
                    act.other.extend(self.tables.iter().map(|t| (t.var(), None)));
                }
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
                let handed = BTreeSet::new();
                let then = act.unseen.then(|| self.gone_unseen(func));
                plans.push(CallPlan {
                    before: act,
                    enters: None,
                    next,
                    loose,
                    outside,
                    handed,
                    then,
                    missed: self.missed_here.clone(),
                });
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
        let given = |n: usize| {
            let d = call.arg_data.get(n - 1).copied().flatten()?;
            constant(&s.bodies[at.body as usize], d)
        };
        self.atom(&mut act, Exprs::TRUE, |e| match e {
            Event::Constant(p, n, k) => p.matches(name) && given(*n) == Some(*k),
            _ => false,
        });
        let args: Vec<(usize, ObjectId)> =
            call.arg_values.iter().enumerate().filter_map(|(i, o)| Some((i, (*o)?))).collect();
        self.cells_given(&mut act, at, call, target);
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
            let keeps = self.f.keeps(target, i);
            if keeps {
                self.note_given(target, o);
                self.given_away_as(&mut act, func, o, &before);
                self.part_escapes(&mut act, func, o);
            } else if let Some(g) = target.filter(|_| entered) {
                self.part_stored(&mut act, func, (g, i), o);
            }
            let Some(p) = self.paths.object(s, o) else { continue };
            if target.is_some_and(|g| self.f.frees(g, i)) && fails != Some(true) {
                self.freed(&mut act, at, o);
            }
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
                || target.is_some_and(|g| self.f.library(g) == Some(Library::Silent))
                || target.is_some_and(|g| self.f.is_opaque(g))
                || target.and_then(|g| self.f.contract(g)?.assigns(i + 1)) == Some(false);
            // It is not entered, since what it does is not followed.
            if let Some(g) = target.filter(|_| entered && self.relevance.near) {
                for q in self.reached(p, true) {
                    if self.paths.in_memory(q) && self.concerned(g, i, q) {
                        let value = self.read(func, &before, q);
                        self.escapes(&mut act, value);
                    }
                }
            }
            if silent && !out {
                continue;
            }
            // Who writes there may have taken what was there; `memset` did not.
            if self.relevance.memory == Memory::One && !out {
                let copies = target.and_then(|g| self.f.copied(call, g)).is_some();
                let clears = matches!(name, "memset" | "bzero" | "explicit_bzero" | "wmemset");
                let holder = match s.objects[o.index()].reach {
                    Reach::Address(_) => true,
                    _ => matches!(self.owners.at(at.point, o), Own::Fresh(_)),
                };
                if clears && holder {
                    self.freed(&mut act, at, o);
                } else if !copies {
                    for q in self.reached(p, true) {
                        let value = self.read(func, &before, q);
                        self.escapes(&mut act, value);
                    }
                }
                if !copies || i > 0 {
                    continue;
                }
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
            let born = (!self.relevance.results_only || out) && fails != Some(true);
            self.fresh(&mut act, at, behind, born);
            // `pipe(fds)` stores in cells.
            let length = self.paths.links(behind).len();
            let cell = |q: &PathId| match self.paths.links(*q)[length..] {
                [] => true,
                [l] => l > ADDRESS && is_element(self.paths.field_name(l)),
                _ => false,
            };
            let places = self.extensions.get(&behind).into_iter().flatten().copied();
            let places: Vec<PathId> = places.filter(cell).collect();
            for q in places.into_iter().filter(|_| out) {
                let value = act.set.get(&q).copied().unwrap_or(Exprs::FALSE);
                self.atom(
                    &mut act,
                    value,
                    |e| matches!(e, Event::Out(f, n) if f.matches(name) && *n == i + 1),
                );
            }
        }
        if let Some(g) = target {
            self.copied_out_of_sight(&mut act, func, call, g);
        }
        self.result(&mut act, at, call, target, fails);
        self.cells_after(&mut act, at, call, target);
        if fails != Some(true) {
            self.moved(&mut act, at, call, target);
        }
        self.sign_result(&mut act, func, call, target, fails);
        for (_, o) in args {
            self.consumed(&mut act, func, o);
        }
        act
    }

    /// What `realloc` and its kind free is in what they return.
    fn moved(&mut self, act: &mut Act, at: At, call: &Call, target: Option<FuncId>) {
        let Some(g) = target.filter(|g| self.f.allocates(*g)) else { return };
        if self.relevance.memory != Memory::One {
            return;
        }
        let func = self.s.bodies[at.body as usize].func;
        let nothing = Act::default();
        let to = call.result.or(call.temporary).and_then(|o| self.paths.object(self.s, o));
        for (i, arg) in call.arg_values.iter().enumerate() {
            if !self.f.frees(g, i) {
                continue;
            }
            let from = arg.and_then(|o| self.paths.object(self.s, o));
            let Some(from) = from else { continue };
            let length = self.paths.links(from).len();
            for p in self.reached(from, true) {
                let suffix = self.paths.links(p)[length..].to_vec();
                let value = self.read(func, &nothing, p);
                let there = to.and_then(|t| self.paths.find_graft(t, &suffix));
                match there.filter(|q| self.bit(func, *q).is_some()) {
                    Some(q) => {
                        act.set.insert(q, value);
                    }
                    None => self.escapes(act, value),
                }
            }
        }
    }

    /// Counts what is given to a function of which nothing is known: there the rule looks away.
    fn note_given(&mut self, target: Option<FuncId>, o: ObjectId) {
        if self.escaped.is_none() {
            return;
        }
        let path = self.paths.whole(self.s, o).or_else(|| self.paths.object(self.s, o));
        let held = path.is_some_and(|p| self.extensions.contains_key(&p));
        let said = target.is_some_and(|g| {
            let name = self.f.name(g);
            self.rule.keeps.iter().any(|p| p.matches(name))
                || self.f.contract(g).is_some_and(|c| c.keeps(1).is_some() || c.keeps(2).is_some())
        });
        if held && !said {
            let name = target.map_or("a function through a pointer".to_owned(), |g| {
                format!("`{}`", self.f.name(g))
            });
            *self.given.entry(name).or_default() += 1;
        }
    }

    /// What `memcpy` copies to where no path is (`memcpy(list->items + n * size, item, size)`) is held there from then on.
    fn copied_out_of_sight(&mut self, act: &mut Act, func: FuncId, call: &Call, g: FuncId) {
        if self.relevance.memory != Memory::One || self.escaped.is_none() {
            return;
        }
        let Some((to, from)) = self.f.copies_bytes(call, g) else { return };
        let Some(from) = self.paths.object(self.s, from) else { return };
        let to = to.and_then(|o| self.paths.object(self.s, o));
        let to = to.and_then(|p| self.paths.find_graft(p, &[DEREF]));
        let Some(behind) = self.paths.find_graft(from, &[DEREF]) else { return };
        let length = self.paths.links(behind).len();
        for p in self.extensions.get(&behind).cloned().unwrap_or_default() {
            let suffix = self.paths.links(p)[length..].to_vec();
            let there = to.and_then(|t| self.paths.find_graft(t, &suffix));
            if there.and_then(|q| self.bit(func, q)).is_none() {
                let value = self.read(func, &Act::default(), p);
                self.escapes(act, value);
            }
        }
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
            let new_value = match self.relevance.memory {
                Memory::One => self.b.exprs.or(value, old),
                _ => self.either(&mut act.choices, value, old),
            };
            new.push((p, new_value));
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
            let ignored = self.wants(|e| *e == Event::Ignored);
            let here = !self.f.part.leaves_out(at);
            if named && here && (self.escaped.is_some() || ignored) && fails != Some(true) {
                let chosen = self.born_unseen(act, at, func, name);
                self.atom(act, chosen, is_result);
                act.unseen = true;
                let var = self.loose(func, UNSEEN);
                act.other.push((var, Some(chosen)));
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
            if !self.is_held(at, p) {
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
        self.cells_given(&mut before, at, call, Some(g));
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
        for (i, o) in call.arg_values.iter().enumerate() {
            if let Some(o) = *o {
                self.part_stored(&mut before, func, (g, i), o);
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
            // A result of any function is one of a function with a body, too.
            if let Some(&value) = after.set.get(&base) {
                let is_result = |e: &Event| matches!(e, Event::Result(p) if p.matches(name));
                self.atom(&mut after, value, is_result);
            }
            self.overwritten(&mut after, at, base);
            self.forget(&mut after, func, base);
            if !self.is_held(at, base) || s.objects[o.index()].loose {
                let mut gone: Vec<PathId> = vec![base];
                if self.relevance.memory == Memory::One {
                    gone.extend(self.extensions.get(&base).into_iter().flatten());
                }
                for p in gone {
                    if let Some(&value) = after.set.get(&p) {
                        self.escapes(&mut after, value);
                    }
                }
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
        self.cells_after(&mut after, at, call, Some(g));
        let behind = self.behind(func, call, g);
        self.came_behind(&mut after, at, call, g);
        let after = self.came_back(after, func, &behind);
        let handed = self.handed(at, call, g);
        let mut after = after;
        after.kept = self.kept_effect(at, None);
        let (enters, next) = (Some((g, after)), call.next);
        let missed = self.missed_here.clone();
        CallPlan { before, enters, next, loose, outside: None, handed, then: None, missed }
    }

    /// What follows a call whose result nobody takes: that is lost, and was ignored.
    fn gone_unseen(&mut self, func: FuncId) -> Act {
        let mut act = Act::default();
        let var = self.loose(func, UNSEEN);
        let value = self.b.exprs.pre(var);
        self.atom(&mut act, value, |e| matches!(e, Event::Ignored | Event::Lost));
        act.other.push((var, Some(Exprs::FALSE)));
        self.note(&act);
        act
    }

    /// The paths of the caller whose values the callee can lose: what arguments point to.
    fn handed(&mut self, at: At, call: &Call, g: FuncId) -> BTreeSet<PathId> {
        let mut out = BTreeSet::new();
        if self.relevance.memory != Memory::One {
            return out;
        }
        let Some(callee) = self.s.body(g) else { return out };
        for &p in self.frames[&g].bits.keys() {
            let Root::Var(o) = self.paths.root(p) else { continue };
            let links = self.paths.links(p);
            if links.first() != Some(&DEREF) || self.frames[&g].changed.contains(&o) {
                continue;
            }
            let position = callee.params.iter().position(|q| *q == Some(o));
            let Some(arg) = position.and_then(|i| call.arg_values.get(i).copied().flatten()) else {
                continue;
            };
            let path = self.paths.object_known(arg);
            out.extend(path.and_then(|a| self.paths.find_graft(a, links)));
            for other in self.owners.same(at.point, arg) {
                out.extend(self.paths.find(Root::Var(other), links));
            }
        }
        out
    }

    /// Whether a function may have to do with what is behind its argument, counted from 0.
    fn concerned(&self, g: FuncId, n: usize, p: PathId) -> bool {
        let all = &self.ownership;
        let member = self.paths.links(p).iter().find(|l| **l > ADDRESS);
        member.is_none_or(|l| all.touches(g, self.paths.field_name(*l)))
            || all.touches(g, FREES)
            || all.keeps_param(g, n as u32)
    }

    /// What a call stored behind its arguments: under their other names, too; and it escapes where it is not held.
    /// What it may have reached in other ways is not known any more.
    fn came_behind(&mut self, act: &mut Act, at: At, call: &Call, g: FuncId) {
        if self.relevance.memory != Memory::One {
            return;
        }
        let s = self.s;
        let func = s.bodies[at.body as usize].func;
        let handed = self.handed(at, call, g);
        let nothing = Act::default();
        for (i, arg) in call.arg_values.iter().enumerate() {
            let Some(arg) = *arg else { continue };
            let Some(base) = self.paths.object_known(arg) else { continue };
            let others = self.owners.same(at.point, arg);
            let published = self.ownership.keeps(&self.f, call, i);
            for p in self.reached(base, true) {
                let value = self.read(func, &nothing, p);
                let fresh = |root: Root| matches!(root, Root::Var(o) if matches!(self.owners.at(at.point, o), Own::Fresh(_)));
                let mut gone = published && fresh(self.paths.root(p)) && self.paths.in_memory(p);
                // A callee may do anything with what it is not followed to.
                if self.relevance.near && !handed.contains(&p) && self.paths.in_memory(p) {
                    gone |= self.concerned(g, i, p);
                }
                if gone || !self.is_held(at, p) {
                    self.escapes(act, value);
                }
                for &other in &others {
                    let links = self.paths.links(p).to_vec();
                    if let Some(q) = self.paths.find(Root::Var(other), &links) {
                        act.set.entry(q).or_insert(value);
                    }
                }
            }
        }
        // What is the caller's may have other names that are the callee's to use.
        for p in self.own.get(&func).cloned().unwrap_or_default() {
            if !self.paths.in_memory(p) || handed.contains(&p) {
                continue;
            }
            let Root::Var(o) = self.paths.root(p) else { continue };
            if matches!(self.owners.at(at.point, o), Own::Fresh(_)) {
                continue;
            }
            let member = self.paths.links(p).iter().find(|l| **l > ADDRESS);
            let member = member.map(|l| self.paths.field_name(*l).to_owned());
            if member.is_some_and(|m| self.ownership.touches(g, &m)) {
                let value = self.read(func, &nothing, p);
                self.escapes(act, value);
            }
        }
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
