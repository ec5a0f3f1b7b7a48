//! What owning members hold when a function gets the structure: values that come into being there. Rules OM3 and OM4.

use super::{Act, At, Maker};
use crate::event::Event;
use crate::members::{Place, entry_point};
use ir::Exprs;

impl Maker<'_> {
    /// What comes into being where a body begins, as an act of its first point.
    pub(super) fn inherited_at_entry(&mut self, body: u32) -> Option<(At, Act)> {
        let at = entry_point(self.s, body)?;
        let inherited = self.f.inherited();
        let places = inherited.at_entry.get(&body)?;
        Some((at, self.inherited(at, places)?))
    }

    /// What comes into being behind a point.
    pub(super) fn inherited_behind(&mut self, at: At) -> Option<Act> {
        let inherited = self.f.inherited();
        let places = inherited.behind.get(&at)?;
        self.inherited(at, places)
    }

    fn inherited(&mut self, at: At, places: &[Place]) -> Option<Act> {
        if self.escaped.is_none() || self.f.part.leaves_out(at) {
            return None;
        }
        let func = self.s.bodies[at.body as usize].func;
        let mut act = Act::default();
        for place in places {
            let Some(p) = self.paths.member(place) else { continue };
            if self.bit(func, p).is_none() {
                continue;
            }
            let before = self.births.len();
            let chosen = self.born(&mut act, Some(at), Some(func), p);
            if let Some(birth) = self.births.get_mut(before) {
                birth.inherited = true;
                let name = &self.s.objects[place.freed.index()].name;
                birth.object = format!("{name}->{}", place.names.join("."));
            }
            if chosen != Exprs::FALSE {
                let old = self.read(func, &Act::default(), p);
                let value = self.b.exprs.or(old, chosen);
                act.set.insert(p, value);
                self.atom(&mut act, chosen, |e| *e == Event::Owned);
            }
        }
        let act = self.ended(act, func);
        (!act.is_trivial()).then_some(act)
    }
}
