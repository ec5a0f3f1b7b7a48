//! Where the value goes when it is not followed any more. Rule VP5.

use super::{Act, At, Maker};
use crate::event::Event;
use crate::ownership::Own;
use crate::paths::{ADDRESS, DEREF, L, PathId, Paths, Root};
use crate::relevance::{Memory, is_one_away};
use front_c::{Body, Flow, FuncId, ObjectId, Point, Reach};
use ir::{ExprId, Exprs, VarId};
use std::collections::BTreeMap;

impl Maker<'_> {
    pub(super) fn escapes(&mut self, act: &mut Act, when: ExprId) {
        if when == Exprs::FALSE {
            return;
        }
        if self.escaped.is_some() || self.wants(|e| *e == Event::Escape) {
            let old = act.escape.unwrap_or(Exprs::FALSE);
            act.escape = Some(self.b.exprs.or(old, when));
            self.atom(act, when, |e| *e == Event::Escape);
        }
    }

    /// `&p->f` may come back to `p`.
    pub(super) fn part_escapes(&mut self, act: &mut Act, func: FuncId, o: ObjectId) {
        let value = self.part_of(func, o);
        self.escapes(act, value);
    }

    /// Whether an object is the address of a part of what the value points to.
    pub(super) fn part_of(&mut self, func: FuncId, o: ObjectId) -> ExprId {
        let Reach::Address(mut part) = self.s.objects[o.index()].reach else {
            return Exprs::FALSE;
        };
        if self.paths.whole(self.s, o).is_some() {
            return Exprs::FALSE;
        }
        let pointer = loop {
            match self.s.objects[part.index()].reach {
                Reach::Field(b) | Reach::Cell(b) => part = b,
                Reach::Arrow(b) | Reach::Deref(b) => break b,
                Reach::Var | Reach::Address(_) => return Exprs::FALSE,
            }
        };
        match self.paths.object(self.s, pointer) {
            Some(path) => self.read(func, &Act::default(), path),
            None => Exprs::FALSE,
        }
    }

    /// `list_add(&p->link, head)`: who finds the part again finds the whole.
    pub(super) fn part_stored(
        &mut self,
        act: &mut Act,
        func: FuncId,
        (g, i): (FuncId, usize),
        o: ObjectId,
    ) {
        if self.escaped.is_some() {
            let value = self.part_of(func, o);
            if value != Exprs::FALSE && self.f.stores(g, i) {
                self.escapes(act, value);
            }
        }
    }

    /// Notes the cell in which something is stored that is followed until then.
    pub(super) fn note_stored(&mut self, to: ObjectId, from: ObjectId) {
        let path = self.paths.whole(self.s, from).or_else(|| self.paths.object(self.s, from));
        let held = path.is_some_and(|p| self.relevance.holds[p.index()]);
        if held && self.missed_here.is_empty() && self.is_cell(to) {
            self.stored.insert(self.s.objects[to.index()].name.clone());
        }
    }

    /// Tells of these cells.
    pub(super) fn told_stored(&self) -> Option<String> {
        let names: Vec<String> = self.stored.iter().take(5).map(|n| format!("`{n}`")).collect();
        let more = match self.stored.len() - names.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        (!names.is_empty()).then(|| {
            format!(
                "what rule `{}` follows is not looked for any more where it is stored in cells of arrays that are not \
                 followed: {}{more}",
                self.rule.name,
                names.join(", ")
            )
        })
    }

    /// Whether a value is followed that is stored there.
    pub(super) fn is_held(&mut self, at: At, p: PathId) -> bool {
        if self.escaped.is_none() {
            return true;
        }
        match (self.relevance.memory, self.paths.in_memory(p)) {
            (Memory::One, false) => true,
            (Memory::One, true) => {
                let (root, links) = (self.paths.root(p), self.paths.links(p));
                let Root::Var(o) = root else { return false };
                let own = self.owners.at(at.point, o);
                let held = matches!(own, Own::Fresh(_)) || own == Own::Param && self.sees(links);
                let owned = held && is_one_away(self.s, root, links);
                // A variable, under another name.
                let func = self.s.bodies[at.body as usize].func;
                let sure = |(q, sure): (PathId, bool)| sure && !self.paths.in_memory(q);
                owned || self.names(p, func).into_iter().any(sure)
            }
            (_, in_memory) => !in_memory && !self.is_global(p),
        }
    }

    /// Whether callers follow what a parameter points to.
    pub(super) fn sees(&self, links: &[L]) -> bool {
        !self.relevance.near || links == [DEREF]
    }

    /// An object's value goes where it is not followed, and with it what it points to.
    pub(super) fn given_away(&mut self, act: &mut Act, func: FuncId, o: ObjectId) {
        let read = act.clone();
        self.given_away_as(act, func, o, &read);
    }

    /// Whether a variable of a function is only used to walk through memory: nothing gets its value but functions of the library.
    pub(super) fn only_walks(&mut self, body: &Body, o: ObjectId) -> bool {
        if let Some(&known) = self.walks.get(&o) {
            return known;
        }
        let object = &self.s.objects[o.index()];
        let own = object.reach == Reach::Var && object.automatic && !object.address_taken;
        let goes_on = |point: &Point| {
            let given = match &point.flow {
                Flow::Call(call) => {
                    let library = |g: &FuncId| self.f.library(*g).is_some() || self.f.is_opaque(*g);
                    let known = !call.open && call.targets.iter().all(library);
                    !known && call.arg_values.iter().chain(&call.args).any(|a| *a == Some(o))
                }
                _ => false,
            };
            given
                || point.events.iter().chain(&point.hidden).any(|e| match *e {
                    front_c::Event::Copy(_, from) | front_c::Event::ReturnOf(from) => from == o,
                    _ => false,
                })
        };
        let walks = own && !body.points.iter().any(goes_on);
        self.walks.insert(o, walks);
        walks
    }

    /// A variable goes on through memory: what nothing else holds has escaped.
    pub(super) fn stepped(&mut self, act: &mut Act, func: FuncId, o: ObjectId) {
        let Some(base) = self.paths.object(self.s, o) else { return };
        let frame = &self.frames[&func];
        let other = |p: PathId| {
            !self.paths.in_memory(p)
                && !self.paths.is_address(p)
                && self.paths.root(p) != self.paths.root(base)
        };
        let bits: Vec<VarId> = frame
            .bits
            .iter()
            .chain(&self.globals)
            .filter(|(p, _)| other(**p))
            .map(|(_, b)| *b)
            .collect();
        let outer = frame.outer;
        let exprs = &mut self.b.exprs;
        let mut held = Exprs::FALSE;
        for bit in bits.into_iter().chain(outer) {
            let bit = exprs.pre(bit);
            held = exprs.or(held, bit);
        }
        let alone = exprs.not(held);
        let nothing = Act::default();
        let mut all = vec![base];
        if self.relevance.memory == Memory::One {
            all.extend(self.reached(base, false));
        }
        for p in all {
            let value = self.read(func, &nothing, p);
            let when = self.b.exprs.and(value, alone);
            self.escapes(act, when);
        }
    }

    /// The same with what paths held then.
    pub(super) fn given_away_as(&mut self, act: &mut Act, func: FuncId, o: ObjectId, read: &Act) {
        let value = self.value_of(func, read, o);
        self.escapes(act, value);
        if self.relevance.memory != Memory::One {
            return;
        }
        let Some(base) = self.paths.object(self.s, o) else { return };
        for p in self.reached(base, false) {
            let value = self.read(func, read, p);
            self.escapes(act, value);
        }
    }

    /// The paths that go on from one; from an address, those of what is there. `behind`: through a pointer only.
    pub(super) fn reached(&self, base: PathId, behind: bool) -> Vec<PathId> {
        let (root, links) = (self.paths.root(base), self.paths.links(base));
        let (from, length) = match links.split_last() {
            Some((&ADDRESS, place)) => (self.paths.find(root, place), 0),
            _ => (Some(base), links.len()),
        };
        let all = from.and_then(|p| self.extensions.get(&p)).into_iter().flatten();
        let through = |p: &&PathId| {
            length == 0 && from != Some(base)
                || !behind
                || self.paths.links(**p).get(length) == Some(&DEREF)
        };
        all.filter(through).copied().collect()
    }

    /// What is reached from an object is not followed from where that is copied to.
    pub(super) fn out_of_sight(&mut self, act: &mut Act, func: FuncId, to: PathId, from: ObjectId) {
        if self.relevance.memory != Memory::One {
            return;
        }
        let Some(base) = self.paths.object(self.s, from) else { return };
        let length = self.paths.links(base).len();
        for p in self.extensions.get(&base).cloned().unwrap_or_default() {
            let suffix = self.paths.links(p)[length..].to_vec();
            let there = self.paths.find_graft(to, &suffix);
            if Paths::depends(&suffix) && there.and_then(|q| self.bit(func, q)).is_none() {
                let value = self.read(func, act, p);
                self.escapes(act, value);
            }
        }
    }

    /// What is behind a pointer gets something else: so it does under its other names.
    pub(super) fn overwritten(&mut self, act: &mut Act, at: At, base: PathId) {
        if self.relevance.memory != Memory::One || !self.paths.in_memory(base) {
            return;
        }
        let list = self.extensions.get(&base).cloned().unwrap_or_default();
        let Root::Var(o) = self.paths.root(base) else { return };
        let known = matches!(self.owners.at(at.point, o), Own::Fresh(_) | Own::Param);
        if known || self.paths.links(base) == [DEREF] {
            self.overwritten_at(act, at, base, &list);
        }
    }

    fn overwritten_at(&mut self, act: &mut Act, at: At, base: PathId, list: &[PathId]) {
        let Root::Var(o) = self.paths.root(base) else { return };
        let others = self.owners.same(at.point, o);
        for &p in list {
            act.cells.insert(p);
            let Some(&value) = act.set.get(&p) else { continue };
            for &other in &others {
                let links = self.paths.links(p);
                if let Some(q) = self.paths.find(Root::Var(other), links) {
                    act.set.insert(q, value);
                }
            }
        }
    }

    /// What a pointer points to is freed, whatever it holds.
    pub(super) fn freed(&mut self, act: &mut Act, at: At, o: ObjectId) {
        if self.relevance.memory != Memory::One {
            return;
        }
        let Some(base) = self.paths.object(self.s, o) else { return };
        let list = self.reached(base, true);
        for &p in &list {
            act.set.insert(p, Exprs::FALSE);
        }
        self.overwritten_at(act, at, base, &list);
    }

    pub(super) fn ended(&mut self, act: Act, func: FuncId) -> Act {
        self.ended_with(act, func, None)
    }

    /// Completes an act: whether the value is lost by it.
    pub(super) fn ended_with(
        &mut self,
        mut act: Act,
        func: FuncId,
        returned: Option<&BTreeMap<PathId, ExprId>>,
    ) -> Act {
        self.spread(&mut act, func);
        // What is lost has the name that it came with, not that of what was freed.
        if !act.cells.is_empty() {
            act.object = None;
        }
        let changes = !act.set.is_empty() || act.chosen.is_some() || act.leaves;
        self.lost(&mut act, func, returned, Exprs::FALSE, changes);
        self.note(&act);
        act
    }

    pub(super) fn lost(
        &mut self,
        act: &mut Act,
        func: FuncId,
        returned: Option<&BTreeMap<PathId, ExprId>>,
        arrived: ExprId,
        changes: bool,
    ) {
        let (Some(escaped), true) = (self.escaped, changes) else { return };
        let frame = &self.frames[&func];
        let outer = frame.outer.map_or(Exprs::FALSE, |o| self.b.exprs.pre(o));
        let bits: Vec<(PathId, VarId)> = frame.bits.iter().map(|(p, v)| (*p, *v)).collect();
        let mut held = arrived;
        let mut holds = Exprs::FALSE;
        for (p, bit) in bits {
            let memory = self.paths.in_memory(p);
            if memory && self.relevance.memory != Memory::One {
                continue;
            }
            // What is a name of a local variable goes with it.
            let gone = memory && act.leaves && {
                let own = |q: PathId| self.paths.owner(self.s, q) == Some(func);
                let local = |q: PathId| !self.paths.in_memory(q) && own(q);
                self.names(p, func).into_iter().any(|(q, sure)| sure && local(q))
            };
            let exprs = &mut self.b.exprs;
            let was = exprs.pre(bit);
            if !memory || act.cells.contains(&p) {
                held = exprs.or(held, was);
            }
            if !act.leaves || memory && !gone {
                let is = act.set.get(&p).copied().unwrap_or(was);
                holds = exprs.or(holds, is);
            }
        }
        if self.relevance.memory == Memory::One {
            let is_main = self.s.funcs[func.index()].name == "main";
            let top = self.frames[&func].top.filter(|_| act.leaves && !is_main);
            for (&p, &bit) in &self.globals {
                let exprs = &mut self.b.exprs;
                let was = exprs.pre(bit);
                held = exprs.or(held, was);
                let mut is = act.set.get(&p).copied().unwrap_or(was);
                // GU3
                let unread = matches!(self.paths.root(p), Root::Var(g) if self.unread.contains(&g));
                if let Some(top) = top.filter(|_| unread) {
                    let top = exprs.pre(top);
                    let inside = exprs.not(top);
                    is = exprs.and(is, inside);
                }
                holds = exprs.or(holds, is);
            }
        }
        for (&p, &value) in returned.into_iter().flatten() {
            if matches!(self.paths.root(p), Root::Ret(_)) {
                holds = self.b.exprs.or(holds, value);
            }
        }
        let exprs = &mut self.b.exprs;
        if let Some(chosen) = act.chosen.filter(|_| !act.unseen) {
            held = exprs.or(held, chosen);
        }
        let mut free = exprs.pre(escaped);
        if let Some(escape) = act.escape {
            free = exprs.or(free, escape);
        }
        free = exprs.or(free, outer);
        free = exprs.or(free, holds);
        let not = exprs.not(free);
        let lost = exprs.and(held, not);
        self.atom(act, lost, |e| *e == Event::Lost);
    }
}
