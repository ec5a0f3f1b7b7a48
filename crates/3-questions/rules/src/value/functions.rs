//! Which paths and functions are in the product: those that can hold the value, those in which
//! something happens to it, and those that call such functions.

use super::{At, Maker};
use crate::event::Event;
use crate::paths::{PathId, Paths, Root};
use front_c::{Body, Flow, FuncId, Next, ObjectId, Point, is_longjmp};
use ir::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

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
                    return Rc::new(found);
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

    /// Which functions a `longjmp` may leave.
    pub(super) fn jumps(&mut self) {
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        let mut todo = Vec::new();
        for body in &self.s.bodies {
            for point in &body.points {
                let Flow::Call(call) = &point.flow else { continue };
                if self.leads_outside(call) {
                    for &g in &self.outside.callbacks {
                        callers.entry(g).or_default().push(body.func);
                    }
                }
                for &g in &call.targets {
                    if self.f.is_entered(g) {
                        callers.entry(g).or_default().push(body.func);
                    } else if is_longjmp(self.f.name(g)) && self.may_jump.insert(body.func) {
                        todo.push(body.func);
                    }
                }
            }
        }
        while let Some(g) = todo.pop() {
            for &caller in callers.get(&g).into_iter().flatten() {
                if self.may_jump.insert(caller) {
                    todo.push(caller);
                }
            }
        }
        if !self.may_jump.is_empty() {
            self.jumping = Some(self.b.hidden_global("(jumping)", Type::BOOL));
        }
    }

    /// Functions in which something happens, and those that call them.
    pub(super) fn find_relevant(&mut self) {
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        let mut todo: Vec<FuncId> = Vec::new();
        for (number, body) in self.s.bodies.iter().enumerate() {
            let g = body.func;
            if self.f.is_opaque(g) {
                continue;
            }
            let mut interesting = self.keep_all || self.may_jump.contains(&g);
            let returned = self.paths.find(Root::Ret(g), &[]);
            interesting |= returned.is_some_and(|r| self.extensions.contains_key(&r));
            for (i, point) in body.points.iter().enumerate() {
                interesting |= self.may_matter(point, At { body: number as u32, point: i as u32 });
                let Flow::Call(call) = &point.flow else { continue };
                if self.leads_outside(call) {
                    for &h in &self.outside.callbacks {
                        callers.entry(h).or_default().push(g);
                    }
                }
                for &h in call.targets.iter().filter(|h| self.f.is_entered(**h)) {
                    callers.entry(h).or_default().push(g);
                }
            }
            // The address of a local is a value that comes into being here.
            let own = self.own.get(&g).into_iter().flatten();
            interesting |= !self.relevance.results_only
                && own
                    .clone()
                    .any(|p| self.paths.is_address(*p) && self.relevance.leads[p.index()]);
            if interesting && self.relevant.insert(g) {
                todo.push(g);
            }
        }
        while let Some(g) = todo.pop() {
            for &caller in callers.get(&g).into_iter().flatten() {
                if self.relevant.insert(caller) {
                    todo.push(caller);
                }
            }
        }
    }

    fn has_relevant(&self, o: ObjectId, paths: &Paths) -> bool {
        let held = |p: PathId| self.extensions.contains_key(&p);
        paths.object_known(o).is_some_and(held) || paths.whole(self.s, o).is_some_and(held)
    }

    /// Whether a point, by itself and without its return, can do anything that matters.
    fn may_matter(&self, point: &Point, at: At) -> bool {
        use front_c::Event as E;
        if !self.changed_tables(point).is_empty() {
            return true;
        }
        let held = |o: ObjectId| self.has_relevant(o, &self.paths);
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
                    let looked_for = (self.escaped.is_some() || ignored) && !self.f.part.leaves_out(at);
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
