//! Names of one memory: a variable, and what pointers to it point to. Rule VP7.

use super::{Act, Maker};
use crate::paths::{DEREF, L, PathId, Root};
use crate::relevance::Memory;
use front_c::{Event, Flow, FuncId, ObjectId, Reach};
use ir::{Expr, ExprId, Exprs, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// By path and whose paths are asked for: those that may be the same, and whether they are for sure.
pub(super) type Aliases = FxHashMap<(PathId, Option<FuncId>), Vec<(PathId, bool)>>;

/// A path, whether it is followed or not.
type Named = (Root, Vec<L>);

impl Maker<'_> {
    /// Finds the paths that may be one.
    pub(super) fn find_aliases(&mut self) {
        // By what they are names of.
        let mut numbers: FxHashMap<Named, usize> = FxHashMap::default();
        let mut groups: Vec<(Named, Vec<PathId>)> = Vec::new();
        let mut members: FxHashSet<(usize, PathId)> = FxHashSet::default();
        for &(pointer, place) in &self.relevance.pointed {
            let length = self.paths.links(pointer).len();
            for &p in self.extensions.get(&pointer).into_iter().flatten() {
                let suffix = &self.paths.links(p)[length..];
                let Some((&DEREF, behind)) = suffix.split_first() else { continue };
                let key = self.paths.extended(place, behind);
                let number = *numbers.entry(key.clone()).or_insert_with(|| {
                    groups.push((key.clone(), Vec::new()));
                    groups.len() - 1
                });
                let itself = self.paths.find(key.0, &key.1);
                let itself = itself.filter(|l| self.relevance.holds[l.index()]);
                for p in itself.into_iter().chain([p]) {
                    if members.insert((number, p)) {
                        groups[number].1.push(p);
                    }
                }
            }
        }
        if groups.is_empty() {
            return;
        }
        let only = self.paths.only_addresses(|| self.only_addresses());
        let mut aliases: Aliases = FxHashMap::default();
        let mut seen: FxHashSet<(PathId, PathId)> = FxHashSet::default();
        let mut add = |a: PathId, b: PathId, owner: Option<FuncId>, sure: bool| {
            if seen.insert((a, b)) {
                aliases.entry((a, owner)).or_default().push((b, sure));
            }
        };
        for (key, group) in &groups {
            let itself = self.paths.find(key.0, &key.1);
            // Those that are always this.
            let sure = |p: PathId| {
                if Some(p) == itself {
                    return true;
                }
                let links = self.paths.links(p);
                let Some(cut) = links.iter().position(|l| *l == DEREF) else { return false };
                let pointer = self.paths.find(self.paths.root(p), &links[..cut]);
                let Some(&address) = pointer.and_then(|q| only.get(&q)) else { return false };
                let behind = &links[cut + 1..];
                let length = self.paths.links(address).len() - 1;
                let same = self.paths.root(address) == key.0
                    && self.paths.links(address)[..length] == key.1[..length.min(key.1.len())];
                same && key.1.get(length..) == Some(behind)
            };
            // Those of one frame, and globals.
            let mut owners: BTreeMap<Option<FuncId>, Vec<(PathId, bool)>> = BTreeMap::new();
            for &p in group {
                owners.entry(self.paths.owner(self.s, p)).or_default().push((p, sure(p)));
            }
            let globals = owners.get(&None).cloned().unwrap_or_default();
            for (owner, list) in &owners {
                for &(a, first) in list {
                    for &(b, second) in list.iter().filter(|(b, _)| *b != a) {
                        add(a, b, *owner, first && second);
                    }
                    for &(b, second) in globals.iter().filter(|_| owner.is_some()) {
                        add(a, b, None, first && second);
                        add(b, a, *owner, first && second);
                    }
                }
            }
        }
        self.aliases = aliases;
    }

    /// The paths that may be the same as one, of a function's frame and of globals.
    pub(super) fn names(&self, p: PathId, func: FuncId) -> Vec<(PathId, bool)> {
        let of = |owner| self.aliases.get(&(p, owner)).into_iter().flatten().copied();
        of(Some(func)).chain(of(None)).collect()
    }

    /// Variables, and members of variables, that are assigned nothing but one address, with its path.
    fn only_addresses(&self) -> FxHashMap<PathId, PathId> {
        let mut out: FxHashMap<ObjectId, Option<PathId>> = FxHashMap::default();
        for body in &self.s.bodies {
            for point in &body.points {
                let mut assign = |o: ObjectId, from: Option<PathId>| {
                    let known = out.entry(o).or_insert(from);
                    if *known != from {
                        *known = None;
                    }
                };
                for event in &point.events {
                    let Event::Assign(o) = *event else { continue };
                    let all = point.events.iter().chain(&point.hidden);
                    let from = all.into_iter().find_map(|e| match *e {
                        Event::Copy(to, from) if to == o => Some(from),
                        _ => None,
                    });
                    let from = from.and_then(|q| self.paths.object_known(q));
                    let one = |p: &PathId| self.paths.is_address(*p) && !self.paths.is_one(*p);
                    assign(o, from.filter(one));
                }
                if let Flow::Call(call) = &point.flow {
                    call.result.into_iter().for_each(|o| assign(o, None));
                }
            }
            body.params.iter().flatten().for_each(|o| {
                out.insert(*o, None);
            });
        }
        // Only by their names, and never with the whole that they are a part of.
        let usable = |mut o: ObjectId| loop {
            let object = &self.s.objects[o.index()];
            match object.reach {
                Reach::Var => return object.automatic && !object.address_taken,
                Reach::Field(base) if !out.contains_key(&base) => o = base,
                _ => return false,
            }
        };
        let found = out.iter().filter(|(o, _)| usable(**o));
        found.filter_map(|(o, address)| Some((self.paths.object_known(*o)?, (*address)?))).collect()
    }

    /// One of two values.
    pub(super) fn either(&mut self, choices: &mut u32, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return a;
        }
        let exprs = &mut self.b.exprs;
        let choice = exprs.choice(*choices);
        *choices += 1;
        match (a, b) {
            (Exprs::FALSE, b) => exprs.and(choice, b),
            (a, Exprs::FALSE) => exprs.and(choice, a),
            (a, b) => exprs.add(Expr::Ite(choice, a, b)),
        }
    }

    /// VP7, for what an act assigns.
    pub(super) fn spread(&mut self, act: &mut Act, func: FuncId) {
        if self.aliases.is_empty() || act.set.is_empty() {
            return;
        }
        let written: Vec<(PathId, ExprId)> = act.set.iter().map(|(p, e)| (*p, *e)).collect();
        let mut more: Vec<(PathId, ExprId)> = Vec::new();
        for &(p, value) in &written {
            for (q, sure) in self.names(p, func) {
                if act.set.contains_key(&q) {
                    continue;
                }
                let Some(bit) = self.bit(func, q) else { continue };
                let other = more.iter().position(|(known, _)| *known == q);
                let old = match other {
                    Some(i) => more[i].1,
                    None => self.b.exprs.pre(bit),
                };
                // What may be gone is not lost.
                let new = match (sure, self.relevance.memory) {
                    (true, _) => value,
                    (false, Memory::One) => self.b.exprs.or(value, old),
                    _ => self.either(&mut act.choices, value, old),
                };
                match other {
                    Some(i) => more[i].1 = new,
                    None => more.push((q, new)),
                }
            }
        }
        act.set.extend(more);
    }

    /// VP7, after a call: the paths of the frame that may be those that it changed, globals and others.
    pub(super) fn refresh(&mut self, act: &mut Act, func: FuncId, changed: &[VarId]) {
        if self.aliases.is_empty() {
            return;
        }
        let mine: Vec<(PathId, VarId)> = match self.frames.get(&func) {
            Some(frame) => frame.bits.iter().map(|(p, v)| (*p, *v)).collect(),
            None => return,
        };
        let globals = self.globals.iter().map(|(p, v)| (*p, *v));
        let all: Vec<(PathId, VarId)> = mine.into_iter().chain(globals).collect();
        for (p, bit) in all {
            if act.set.contains_key(&p) {
                continue;
            }
            let mut value = self.b.exprs.pre(bit);
            let old = value;
            for (q, sure) in self.names(p, func) {
                let Some(other) = self
                    .bit(func, q)
                    .filter(|v| self.globals.contains_key(&q) || changed.contains(v))
                else {
                    continue;
                };
                let other = self.b.exprs.pre(other);
                if sure {
                    value = other;
                    break;
                }
                value = match self.relevance.memory {
                    Memory::One => self.b.exprs.or(other, value),
                    _ => self.either(&mut act.choices, other, value),
                };
            }
            if value != old {
                act.set.insert(p, value);
            }
        }
    }
}
