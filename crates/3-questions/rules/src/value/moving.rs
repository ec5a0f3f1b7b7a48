//! Cells of arrays at an index that is a variable: `free(p[i])`.
//!
//! - MC1. `p[i]` is a path if `p` and `i` are variables of one function, nobody has the address of `i`, and all cells of `p` that
//!   the function names, but for those with constant indices, are written with `i`. It is one in that function only, and for rules that
//!   need nothing but what is done to the value itself ([`crate::needs::by_what_happens`]): what is out of sight breaks none of these.
//! - MC2. Where `i` gets a value, the path is another cell, with any value: that is chosen where the cell is read.
//! - MC3. Where another cell may be written, it may be this one: by a store through another name, by a function that is
//!   given something whose source is not followed, by one that has a body in which, or in what it calls, cells are
//!   written. Then it is so, too.

use super::{Act, At, Maker};
use crate::event::Event;
use crate::paths::PathId;
use front_c::{Body, Call, Event as E, Flow, FuncId, Library, ObjectId, Point, Reach};
use ir::{ExprId, Exprs};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Maker<'_> {
    /// Finds the paths, by function, each with the variable, and which functions write to cells.
    pub(super) fn find_moving(&mut self) {
        if !self.paths.has_moving() {
            return;
        }
        let mut moving: FxHashMap<FuncId, Vec<(PathId, ObjectId)>> = FxHashMap::default();
        for (&func, own) in &self.own {
            for &p in own {
                if let Some((_, index)) = self.paths.moving_link(self.paths.links(p)) {
                    moving.entry(func).or_default().push((p, index));
                }
            }
        }
        self.moving = moving;
        self.mixing = self.f.facts.mixing.get_or_init(|| Arc::new(self.mixes())).clone();
    }

    /// Functions that may write to cells, and those that call such functions.
    fn mixes(&self) -> FxHashSet<FuncId> {
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        let mut found: FxHashSet<FuncId> = FxHashSet::default();
        for body in &self.s.bodies {
            for point in &body.points {
                if self.writes_cell(point) {
                    found.insert(body.func);
                }
                let Flow::Call(call) = &point.flow else { continue };
                for &g in &call.targets {
                    match self.f.is_entered(g) {
                        true => callers.entry(g).or_default().push(body.func),
                        false if self.copies_cells(call, Some(g)) => {
                            found.insert(body.func);
                        }
                        false => {}
                    }
                }
                if call.open || call.targets.is_empty() {
                    found.insert(body.func);
                }
            }
        }
        let mut todo: Vec<FuncId> = found.iter().copied().collect();
        while let Some(g) = todo.pop() {
            for &caller in callers.get(&g).into_iter().flatten() {
                if found.insert(caller) {
                    todo.push(caller);
                }
            }
        }
        found
    }

    /// Whether a point assigns to a cell, or to what a pointer to one points to.
    fn writes_cell(&self, point: &Point) -> bool {
        let all = point.events.iter().chain(&point.hidden);
        let written = all.filter_map(|e| match *e {
            E::Assign(o) | E::Modify(o) | E::Copy(o, _) => Some(o),
            _ => None,
        });
        let stores = point.events.contains(&E::Store);
        let mut named = false;
        for o in written {
            named = true;
            if self.is_cell(o) {
                return true;
            }
        }
        stores && !named
    }

    /// Whether the way to an object ends with a cell, or with what a pointer points to; members aside.
    pub(super) fn is_cell(&self, mut o: ObjectId) -> bool {
        loop {
            match self.s.objects[o.index()].reach {
                Reach::Field(base) => o = base,
                Reach::Cell(_) | Reach::Deref(_) => return true,
                Reach::Var | Reach::Arrow(_) | Reach::Address(_) => return false,
            }
        }
    }

    /// Whether a function that is not entered may write to cells by way of what has no path.
    fn copies_cells(&self, call: &Call, target: Option<FuncId>) -> bool {
        let Some(g) = target else { return true };
        if self.f.is_opaque(g) || self.f.library(g) == Some(Library::Silent) {
            return false;
        }
        let constant = &self.s.funcs[g.index()].const_params;
        (0..call.arg_values.len()).any(|i| {
            let read_only = constant.get(i).copied().unwrap_or(false)
                || self.f.contract(g).and_then(|c| c.assigns(i + 1)) == Some(false);
            !read_only && (call.arg_values[i].is_none() || self.f.library(g).is_none())
        })
    }

    /// MC2: what a cell holds is chosen where it is read.
    pub(super) fn read_cell(&mut self, act: &mut Act, at: At, p: PathId) -> ExprId {
        let func = self.s.bodies[at.body as usize].func;
        let value = self.read(func, act, p);
        if self.relevance.results_only || self.paths.moving_link(self.paths.links(p)).is_none() {
            return value;
        }
        let chosen = self.born(act, Some(at), Some(func), p);
        let value = self.b.exprs.or(value, chosen);
        act.set.insert(p, value);
        value
    }

    /// The same for the arguments of a call, where the rule names them or they go on.
    pub(super) fn cells_given(
        &mut self,
        act: &mut Act,
        at: At,
        call: &Call,
        target: Option<FuncId>,
    ) {
        let (Some(g), false) = (target, self.moving.is_empty()) else { return };
        let entered = self.s.body(g).filter(|_| self.f.is_entered(g));
        let name = self.f.name(g);
        for (i, o) in call.arg_values.iter().enumerate() {
            let Some(o) = *o else { continue };
            let wanted = match entered {
                Some(callee) => {
                    let param = callee.params.get(i).copied().flatten();
                    let param = param.and_then(|o| self.paths.object_known(o));
                    param.is_some_and(|p| {
                        self.relevance.leads.get(p.index()) == Some(&true)
                            && self.frames.get(&g).is_some_and(|f| f.bits.contains_key(&p))
                    })
                }
                None => self.wants(|e| match e {
                    Event::Arg(p, n, _) => p.matches(name) && n.is_none_or(|n| n == i + 1),
                    Event::CallOn(p, _) => p.matches(name),
                    _ => false,
                }),
            };
            let path = self.paths.whole(self.s, o).or_else(|| self.paths.object(self.s, o));
            let path = path.filter(|p| self.relevance.leads.get(p.index()) == Some(&true));
            if let Some(p) = path.filter(|_| wanted) {
                self.read_cell(act, at, p);
            }
        }
    }

    /// MC2 and MC3: what a point does to cells, its call excepted.
    pub(super) fn cells_moved(&mut self, act: &mut Act, at: At) {
        let body: &Body = &self.s.bodies[at.body as usize];
        let Some(all) = self.moving.get(&body.func).cloned() else { return };
        let point = &body.points[at.point as usize];
        let mut gone: Vec<PathId> = Vec::new();
        for event in point.events.iter().chain(&point.hidden) {
            let (E::Assign(o) | E::Modify(o) | E::Copy(o, _)) = *event else { continue };
            gone.extend(all.iter().filter(|(_, index)| *index == o).map(|(p, _)| *p));
            if self.is_cell(o) {
                gone.extend(self.other_cells(&all, o));
            }
        }
        if self.writes_cell(point)
            && !point.events.iter().any(|e| matches!(e, E::Assign(_) | E::Modify(_)))
        {
            gone.extend(all.iter().map(|(p, _)| *p));
        }
        act.set.extend(gone.into_iter().map(|p| (p, Exprs::FALSE)));
    }

    /// The cells that are not the one in which an object is.
    fn other_cells(&mut self, all: &[(PathId, ObjectId)], o: ObjectId) -> Vec<PathId> {
        let own = self.paths.object(self.s, o).and_then(|p| {
            let (at, _) = self.paths.moving_link(self.paths.links(p))?;
            Some((self.paths.root(p), self.paths.links(p)[..=at].to_vec()))
        });
        let same = |p: PathId| {
            own.as_ref().is_some_and(|(root, links)| {
                self.paths.root(p) == *root && self.paths.links(p).starts_with(links)
            })
        };
        all.iter().map(|(p, _)| *p).filter(|p| !same(*p)).collect()
    }

    /// MC2 and MC3: what a call does to cells, beside what it does to its arguments.
    pub(super) fn cells_after(
        &mut self,
        act: &mut Act,
        at: At,
        call: &Call,
        target: Option<FuncId>,
    ) {
        let func = self.s.bodies[at.body as usize].func;
        let Some(all) = self.moving.get(&func).cloned() else { return };
        let entered = target.filter(|g| self.f.is_entered(*g));
        let mixes = match entered {
            Some(g) => self.mixing.contains(&g),
            None => self.copies_cells(call, target),
        };
        let taken = call.result.or(call.temporary);
        let gone = all.iter().filter(|(_, index)| mixes || taken == Some(*index));
        let gone: Vec<PathId> = gone.map(|(p, _)| *p).collect();
        // What the result is stored in, is so.
        let held = taken.and_then(|o| self.paths.object(self.s, o));
        let held = held.and_then(|p| self.extensions.get(&p)).cloned().unwrap_or_default();
        act.set.extend(gone.into_iter().filter(|p| !held.contains(p)).map(|p| (p, Exprs::FALSE)));
        if let Some(o) = taken.filter(|o| self.is_cell(*o)) {
            let others = self.other_cells(&all, o);
            act.set.extend(others.into_iter().map(|p| (p, Exprs::FALSE)));
        }
    }
}
