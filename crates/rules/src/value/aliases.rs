//! Names of one memory: a variable, and what pointers to it point to.
//!
//! - W7. Where the address of something with a path `l` can come to a pointer `q` (V1–V3), `l·τ` and `q·*τ`
//!   may be one: what is assigned to one of them, the others get as well, or they keep what they hold. The
//!   same between two such pointers. Paths of one frame and of globals are looked at: where a call comes
//!   back, those get what the call may have changed. They are one for sure if `q` is a variable that is
//!   assigned nothing but `&l`, in its function, and has no address that is taken.

use super::{Act, Maker};
use crate::paths::{DEREF, L, PathId, Root};
use front_c::{Event, Flow, FuncId, ObjectId, Reach};
use ir::{Expr, ExprId, Exprs, VarId};
use rustc_hash::FxHashMap;

impl Maker<'_> {
    /// Finds the paths that may be one.
    pub(super) fn find_aliases(&mut self) {
        // By what they are names of.
        let mut groups: FxHashMap<(Root, Vec<L>), Vec<PathId>> = FxHashMap::default();
        let mut order: Vec<(Root, Vec<L>)> = Vec::new();
        for &(pointer, place) in &self.relevance.pointed {
            let length = self.paths.links(pointer).len();
            for &p in self.extensions.get(&pointer).into_iter().flatten() {
                let suffix = &self.paths.links(p)[length..];
                let Some((&DEREF, behind)) = suffix.split_first() else { continue };
                let key = self.paths.extended(place, behind);
                let group = groups.entry(key.clone()).or_insert_with(|| {
                    order.push(key.clone());
                    let itself = self.paths.find(key.0, &key.1);
                    itself.filter(|l| self.relevance.holds[l.index()]).into_iter().collect()
                });
                if !group.contains(&p) {
                    group.push(p);
                }
            }
        }
        let only = self.only_addresses();
        for key in order {
            let group = &groups[&key];
            let itself = self.paths.find(key.0, &key.1);
            // Those that are always this.
            let sure = |p: PathId| {
                if Some(p) == itself {
                    return true;
                }
                let (Root::Var(o), Some(&DEREF)) =
                    (self.paths.root(p), self.paths.links(p).first())
                else {
                    return false;
                };
                let Some(&address) = only.get(&o) else { return false };
                let behind = &self.paths.links(p)[1..];
                let length = self.paths.links(address).len() - 1;
                let same = self.paths.root(address) == key.0
                    && self.paths.links(address)[..length] == key.1[..length.min(key.1.len())];
                same && key.1.get(length..) == Some(behind)
            };
            for &a in group {
                for &b in group.iter().filter(|b| **b != a) {
                    let owners = (self.paths.owner(self.s, a), self.paths.owner(self.s, b));
                    let together = owners.0 == owners.1 || owners.0.is_none() || owners.1.is_none();
                    let known = self.aliases.entry(a).or_default();
                    if together && !known.iter().any(|(other, _)| *other == b) {
                        known.push((b, sure(a) && sure(b)));
                    }
                }
            }
        }
    }

    /// Variables that are assigned nothing but one address, with its path.
    fn only_addresses(&self) -> FxHashMap<ObjectId, PathId> {
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
                    match *event {
                        Event::Assign(o) => {
                            let all = point.events.iter().chain(&point.hidden);
                            let from = all.into_iter().find_map(|e| match *e {
                                Event::Copy(to, from) if to == o => Some(from),
                                _ => None,
                            });
                            let from = from.and_then(|q| self.paths.object_known(q));
                            assign(o, from.filter(|p| self.paths.is_address(*p)));
                        }
                        Event::Modify(o) => assign(o, None),
                        _ => {}
                    }
                }
                if let Flow::Call(call) = &point.flow {
                    call.result.into_iter().for_each(|o| assign(o, None));
                }
            }
            body.params.iter().flatten().for_each(|o| {
                out.insert(*o, None);
            });
        }
        let usable = |o: &ObjectId| {
            let object = &self.s.objects[o.index()];
            object.reach == Reach::Var && object.automatic && !object.address_taken
        };
        out.into_iter().filter(|(o, _)| usable(o)).filter_map(|(o, p)| Some((o, p?))).collect()
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

    /// W7, for what an act assigns.
    pub(super) fn spread(&mut self, act: &mut Act, func: FuncId) {
        if self.aliases.is_empty() || act.set.is_empty() {
            return;
        }
        let written: Vec<(PathId, ExprId)> = act.set.iter().map(|(p, e)| (*p, *e)).collect();
        let mut more: Vec<(PathId, ExprId)> = Vec::new();
        for &(p, value) in &written {
            for (q, sure) in self.aliases.get(&p).cloned().unwrap_or_default() {
                if act.set.contains_key(&q) {
                    continue;
                }
                let Some(bit) = self.bit(func, q) else { continue };
                let other = more.iter().position(|(known, _)| *known == q);
                let old = match other {
                    Some(i) => more[i].1,
                    None => self.b.exprs.pre(bit),
                };
                let new = if sure { value } else { self.either(&mut act.choices, value, old) };
                match other {
                    Some(i) => more[i].1 = new,
                    None => more.push((q, new)),
                }
            }
        }
        act.set.extend(more);
    }

    /// W7, after a call: the paths of the frame that may be those that it changed, globals and others.
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
            for (q, sure) in self.aliases.get(&p).cloned().unwrap_or_default() {
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
                value = self.either(&mut act.choices, other, value);
            }
            if value != old {
                act.set.insert(p, value);
            }
        }
    }
}
