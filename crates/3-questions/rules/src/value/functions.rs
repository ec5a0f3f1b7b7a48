//! Which paths and functions are in the product: those that can hold the value, those in which
//! something happens to it, and those that call such functions.

use super::unread::root;
use super::{At, Maker};
use crate::event::Event;
use crate::facts::{Callers, Mentions};
use crate::paths::{PathId, Paths, Root};
use front_c::{Body, Flow, FuncId, Next, ObjectId, Point, calls_back, is_longjmp, runs_at_exit};
use ir::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// With more functions, those that only call others in which something happens are left out, the farthest first: the others
/// are called with anything.
const MOST_FUNCTIONS: usize = 400;

/// What that means.
const FAR_CALLERS: &str = "the program is large: functions that a value does not come to, and that call such functions only \
from far, are not followed: what they call is called with anything";

impl Maker<'_> {
    pub(super) fn index(&mut self) {
        for p in self.paths.all() {
            if !self.relevance.holds[p.index()] {
                continue;
            }
            let (root, links) = (self.paths.root(p), self.paths.links(p).to_vec());
            for cut in 0..=links.len() {
                if let Some(base) = self.paths.find(root, &links[..cut]) {
                    self.extensions.entry(base).or_default().push(p);
                }
            }
            match self.paths.owner(self.s, p) {
                Some(g) => self.own.entry(g).or_default().push(p),
                None => {
                    let name = format!("(global {})", p.index());
                    let bit = self.b.hidden_global(&name, Type::BOOL);
                    self.globals.insert(p, bit);
                }
            }
        }
    }

    /// Which functions may come back.
    pub(super) fn returning(&mut self) {
        let found = self.f.facts.returning.get_or_init(|| {
            let mut found: FxHashSet<FuncId> = FxHashSet::default();
            loop {
                let before = found.len();
                for body in &self.s.bodies {
                    if !found.contains(&body.func) && self.returns(body, &found) {
                        found.insert(body.func);
                    }
                }
                if found.len() == before {
                    return Arc::new(found);
                }
            }
        });
        self.may_return = found.clone();
    }

    fn returns(&self, body: &Body, known: &FxHashSet<FuncId>) -> bool {
        let mut seen = vec![false; body.points.len()];
        let mut todo = vec![body.entry];
        while let Some(next) = todo.pop() {
            let Next::Point(p) = next else { continue };
            if std::mem::replace(&mut seen[p as usize], true) {
                continue;
            }
            match &body.points[p as usize].flow {
                Flow::Next(next) => todo.push(*next),
                Flow::Branch(arms) => todo.extend(arms.iter().map(|a| a.next)),
                Flow::Return => return true,
                Flow::Call(call) => {
                    let comes_back = |g: &FuncId| {
                        !self.s.funcs[g.index()].noreturn
                            && (!self.f.is_entered(*g) || known.contains(g))
                    };
                    if call.targets.is_empty() || call.targets.iter().any(comes_back) {
                        todo.push(call.next);
                    }
                }
            }
        }
        false
    }

    /// Which functions may change what table is in force, or call such functions (TF3).
    pub(super) fn find_shifting(&mut self) {
        if self.tables.is_empty() {
            return;
        }
        let found = self.f.facts.shifting.get_or_init(|| {
            let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
            let mut found: FxHashSet<FuncId> = FxHashSet::default();
            let mut todo = Vec::new();
            for body in &self.s.bodies {
                for point in &body.points {
                    if !self.changed_tables(point).is_empty() && found.insert(body.func) {
                        todo.push(body.func);
                    }
                    let Flow::Call(call) = &point.flow else { continue };
                    for &g in call.targets.iter().filter(|g| self.f.is_entered(**g)) {
                        callers.entry(g).or_default().push(body.func);
                    }
                }
            }
            while let Some(g) = todo.pop() {
                for &caller in callers.get(&g).into_iter().flatten() {
                    if found.insert(caller) {
                        todo.push(caller);
                    }
                }
            }
            Arc::new(found)
        });
        self.shifting = found.clone();
    }

    /// Which functions a `longjmp` may leave.
    pub(super) fn jumps(&mut self) {
        if !self.mentions.iter().any(|m| m.jumps) {
            return;
        }
        let (callers, outside) = self.callers();
        let bodies = self.s.bodies.iter().zip(self.mentions.iter());
        let mut todo: Vec<FuncId> = bodies.filter(|(_, m)| m.jumps).map(|(b, _)| b.func).collect();
        self.may_jump.extend(&todo);
        while let Some(g) = todo.pop() {
            for caller in self.callers_of(g, &callers, &outside) {
                if self.may_jump.insert(caller) {
                    todo.push(caller);
                }
            }
        }
        self.jumping = Some(self.b.hidden_global("(jumping)", Type::BOOL));
    }

    /// Who calls functions, and who calls callbacks besides.
    pub(super) fn callers(&self) -> (Arc<Callers>, Vec<FuncId>) {
        let bodies = || {
            let all = self.s.bodies.iter().zip(self.mentions.iter());
            all.filter(|(body, _)| !self.f.is_opaque(body.func))
        };
        let found = self.f.facts.callers.get_or_init(|| {
            let mut out = Callers::default();
            for (body, mentions) in bodies() {
                for &h in &mentions.callees {
                    out.entry(h).or_default().push(body.func);
                }
            }
            Arc::new(out)
        });
        let outside = bodies().filter(|(_, m)| m.leads_outside(self.outside.at_exit));
        (found.clone(), outside.map(|(body, _)| body.func).collect())
    }

    /// Who calls a function.
    fn callers_of(&self, g: FuncId, callers: &Callers, outside: &[FuncId]) -> Vec<FuncId> {
        let mut out = callers.get(&g).cloned().unwrap_or_default();
        if self.outside.callbacks.binary_search(&g).is_ok() {
            out.extend(outside);
        }
        out
    }

    /// What bodies have to do with, whatever is followed.
    pub(super) fn mentioned(&mut self) {
        let found = self
            .f
            .facts
            .bodies
            .get_or_init(|| self.s.bodies.iter().map(|body| self.mentions_of(body)).collect());
        self.mentions = found.clone();
    }

    fn mentions_of(&self, body: &Body) -> Mentions {
        use front_c::Event as E;
        let (mut objects, mut callees) = (FxHashSet::default(), FxHashSet::default());
        let (mut speaks, mut outside, mut jumps, mut later) = (false, (false, false), false, false);
        for point in &body.points {
            speaks |= self.may_matter(point, None, &|_| false);
            for event in point.events.iter().chain(&point.hidden) {
                match *event {
                    E::Assign(o) | E::Escape(o) | E::Use(o) | E::Deref(o) | E::ReturnOf(o) => {
                        objects.insert(o);
                    }
                    E::Copy(a, b) => objects.extend([a, b]),
                    _ => {}
                }
            }
            let Flow::Call(call) = &point.flow else { continue };
            objects.extend(call.result.or(call.temporary));
            objects.extend(call.result);
            for &o in call.arg_values.iter().flatten() {
                objects.insert(o);
                objects.extend(self.behind_address(o));
            }
            outside.0 |= call.open || call.targets.is_empty();
            for &g in &call.targets {
                let func = &self.s.funcs[g.index()];
                let without = !self.f.is_opaque(g) && self.s.body(g).is_none();
                outside.0 |= without && calls_back(&func.name);
                outside.1 |= without && func.noreturn;
                jumps |= !self.f.is_entered(g) && is_longjmp(self.f.name(g));
                later |= runs_at_exit(&func.name);
                if self.f.is_entered(g) {
                    callees.insert(g);
                }
            }
        }
        let mut objects: Vec<ObjectId> = objects.into_iter().collect();
        let mut callees: Vec<FuncId> = callees.into_iter().collect();
        objects.sort_unstable();
        callees.sort_unstable();
        let own = |o: &ObjectId| {
            let variable = &self.s.objects[root(self.s, *o).index()];
            variable.automatic && variable.owner == Some(body.func)
        };
        let others = objects.iter().copied().filter(|o| !own(o)).collect();
        let (objects, callees) = (objects.into(), callees.into());
        Mentions { objects, others, callees, speaks, outside, jumps, later }
    }

    /// Functions in which something happens, and those that call them.
    pub(super) fn find_relevant(&mut self) {
        let (callers, outside) = self.callers();
        let held = |o: ObjectId| self.has_relevant(o, &self.paths);
        let mut level: Vec<FuncId> = Vec::new();
        for (number, body) in self.s.bodies.iter().enumerate() {
            let g = body.func;
            if self.f.is_opaque(g) {
                continue;
            }
            let mut interesting =
                self.keep_all || self.may_jump.contains(&g) || self.assigns_kept(g);
            let returned = self.paths.find(Root::Ret(g), &[]);
            interesting |= returned.is_some_and(|r| self.extensions.contains_key(&r));
            let mentions = &self.mentions[number];
            // Without paths of its own, it can have to do with globals only.
            let all = if self.own.contains_key(&g) { &mentions.objects } else { &mentions.others };
            if !interesting && (mentions.speaks || all.iter().any(|o| held(*o))) {
                interesting = body.points.iter().enumerate().any(|(i, point)| {
                    let at = At { body: number as u32, point: i as u32 };
                    self.may_matter(point, Some(at), &held)
                });
            }
            // The address of a local is a value that comes into being here.
            let own = self.own.get(&g).into_iter().flatten();
            interesting |= !self.relevance.results_only
                && own
                    .clone()
                    .any(|p| self.paths.is_address(*p) && self.relevance.leads[p.index()]);
            if interesting {
                level.push(g);
            }
        }
        self.relevant.extend(&level);
        // Callers, nearest first.
        while !level.is_empty() {
            let mut next: Vec<FuncId> = Vec::new();
            let mut seen: FxHashSet<FuncId> = FxHashSet::default();
            let all = level.iter().flat_map(|g| self.callers_of(*g, &callers, &outside));
            for caller in all {
                if !self.relevant.contains(&caller) && seen.insert(caller) {
                    next.push(caller);
                }
            }
            if self.relevant.len() + next.len() > MOST_FUNCTIONS && !self.keep_all {
                for g in self.relevant.iter().copied() {
                    let far = |caller: &FuncId| !self.relevant.contains(caller);
                    if self.callers_of(g, &callers, &outside).iter().any(far) {
                        self.far_called.push(g);
                    }
                }
                self.far_called.sort_unstable();
                self.limits.insert(FAR_CALLERS.to_owned());
                return;
            }
            self.relevant.extend(&next);
            level = next;
        }
    }

    fn has_relevant(&self, o: ObjectId, paths: &Paths) -> bool {
        let held = |p: PathId| self.extensions.contains_key(&p);
        paths.object_known(o).is_some_and(held) || paths.whole(self.s, o).is_some_and(held)
    }

    /// Whether a point, by itself and without its return, can do anything that matters.
    fn may_matter(&self, point: &Point, at: Option<At>, held: &dyn Fn(ObjectId) -> bool) -> bool {
        use front_c::Event as E;
        for event in point.events.iter().chain(&point.hidden) {
            match *event {
                E::Assign(o) if held(o) => return true,
                E::Copy(o, q) if held(o) || held(q) => return true,
                E::Escape(o) if held(o) => return true,
                E::Exit if self.wants(|e| *e == Event::Exit) => return true,
                E::Use(o) if held(o) && self.wants(|e| matches!(e, Event::Use(_))) => return true,
                E::Deref(o) if held(o) && self.wants(|e| matches!(e, Event::Deref(_))) => {
                    return true;
                }
                E::Return if self.wants(|e| *e == Event::Return) => return true,
                _ => {}
            }
        }
        let Flow::Call(call) = &point.flow else { return false };
        let target = call.result.or(call.temporary);
        if target.is_some_and(held) {
            return true;
        }
        let ignored = self.wants(|e| *e == Event::Ignored);
        call.targets.iter().any(|&g| {
            let name = self.f.name(g);
            let named = |e: &Event| match e {
                Event::Call(p) => p.matches(name),
                // A result that nobody takes.
                Event::Result(p) => {
                    let looked_for = (self.escaped.is_some() || ignored)
                        && at.is_none_or(|at| !self.f.part.leaves_out(at));
                    target.is_none() && p.names_it(name) && looked_for
                }
                _ => false,
            };
            self.wants(named)
        }) || call.arg_values.iter().flatten().any(|&o| {
            // Given away, or named by the rule; what is behind a pointer may change.
            let all_entered =
                !call.targets.is_empty() && call.targets.iter().all(|g| self.f.is_entered(*g));
            !all_entered && (held(o) || self.behind_address(o).is_some_and(held))
        })
    }

    /// `x` for `&x`.
    fn behind_address(&self, o: ObjectId) -> Option<ObjectId> {
        match self.s.objects[o.index()].reach {
            front_c::Reach::Address(b) => Some(b),
            _ => None,
        }
    }

    pub(super) fn wants(&self, event: impl Fn(&Event) -> bool) -> bool {
        self.rule.events.iter().flatten().any(event)
    }
}
