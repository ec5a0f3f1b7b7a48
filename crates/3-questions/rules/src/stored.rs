//! Functions that put a parameter where it can be found again: `n->next = h->next; h->next = n;`.
//!
//! Lists of the kernel's kind link members (`&p->link`). A member that is stored somewhere leads back to the whole by
//! arithmetic, so that the whole is held from there on; one that a function only locks or reads is not.

use crate::relevance::Functions;
use front_c::{Body, Event as E, Flow, FuncId, ObjectId, Reach, Skeleton};
use rustc_hash::FxHashSet;

/// So many calls deep is looked; deeper, everything is stored.
const DEPTH: usize = 4;

impl Functions<'_> {
    /// Whether what a function gets as argument `n`, counted from 0, may be stored where others find it.
    pub(crate) fn stores(&self, f: FuncId, n: usize) -> bool {
        self.stores_within(f, n, DEPTH)
    }

    fn stores_within(&self, f: FuncId, n: usize, depth: usize) -> bool {
        let s = self.s;
        let Some(body) = s.body(f) else { return self.keeps(Some(f), n) };
        let Some(Some(param)) = body.params.get(n).copied() else { return true };
        let names = names(s, body, param);
        let named = |o: ObjectId| names.contains(&base(s, o)) && !is_inside(s, o);
        for point in &body.points {
            let stored = point.events.iter().chain(&point.hidden).any(|e| match *e {
                E::Copy(to, from) => named(from) && !names.contains(&to),
                E::Escape(o) | E::ReturnOf(o) => named(o),
                _ => false,
            });
            if stored {
                return true;
            }
            let Flow::Call(call) = &point.flow else { continue };
            for (i, arg) in call.arg_values.iter().enumerate() {
                if !arg.is_some_and(named) {
                    continue;
                }
                let by = |g: &FuncId| depth == 0 || self.stores_within(*g, i, depth - 1);
                if call.open || call.targets.is_empty() || call.targets.iter().any(by) {
                    return true;
                }
            }
        }
        false
    }
}

/// A parameter, and the variables of the function that it is copied to.
fn names(s: &Skeleton, body: &Body, param: ObjectId) -> FxHashSet<ObjectId> {
    let mut out: FxHashSet<ObjectId> = [param].into_iter().collect();
    loop {
        let before = out.len();
        for event in body.points.iter().flat_map(|p| p.events.iter().chain(&p.hidden)) {
            let E::Copy(to, from) = *event else { continue };
            let object = &s.objects[to.index()];
            let plain = object.reach == Reach::Var && object.automatic && !object.address_taken;
            if plain && out.contains(&base(s, from)) && !is_inside(s, from) {
                out.insert(to);
            }
        }
        if out.len() == before {
            return out;
        }
    }
}

/// Whether it is what a pointer points to, and not the pointer or an address of a part of that.
fn is_inside(s: &Skeleton, o: ObjectId) -> bool {
    !matches!(s.objects[o.index()].reach, Reach::Var | Reach::Address(_))
}

/// The variable that an object is reached through, or is.
fn base(s: &Skeleton, mut o: ObjectId) -> ObjectId {
    loop {
        o = match s.objects[o.index()].reach {
            Reach::Var => return o,
            Reach::Field(b)
            | Reach::Cell(b)
            | Reach::Arrow(b)
            | Reach::Deref(b)
            | Reach::Address(b) => b,
        };
    }
}
