//! Variables whose values are kept (V1–V6 in `front_c::keep`), in the product with a rule about a value.
//!
//! - KV1. A kept variable is one of the product: of the frame of its function, if that is in the product, or of the
//!   program. Functions that assign one of the program's are in the product.
//! - KV2. What a point does to them is what it does to them in the skeleton's program. A point that does
//!   something to them is not left out (VP9), and a way out of a branch is taken as they tell.
//! - KV3. Where `main` begins they are as they are initialised, unless a function that runs by itself before may
//!   have changed them; whatever else is called from outside is called with any of them. A call that may call
//!   back, and after which callbacks are not followed one by one, makes anything of what they may assign.

use super::{At, Maker, ValueError};
use front_c::{Callee, Flow, FuncId, KeptVariables, ObjectId};
use ir::Rel;

impl Maker<'_> {
    /// KV1: the variables that are to be kept, and are not automatic, by any function.
    pub(super) fn assigns_kept(&self, g: FuncId) -> bool {
        let s = self.s;
        let named = |o: ObjectId| {
            let object = &s.objects[o.index()];
            let wanted = |k: &front_c::Keep| k.var == object.name || k.var == s.object_name(o);
            !object.automatic && self.keep.iter().any(wanted)
        };
        let Some(body) = s.body(g).filter(|_| !self.keep.is_empty()) else { return false };
        body.points.iter().any(|point| {
            let result = match &point.flow {
                Flow::Call(call) => &call.result_events[..],
                _ => &[],
            };
            point.values.iter().any(|(o, _)| named(*o))
                || point.events.iter().chain(result).any(|e| match *e {
                    front_c::Event::Assign(o) | front_c::Event::Modify(o) => named(o),
                    _ => false,
                })
        })
    }

    pub(super) fn declare_kept(&mut self) -> Result<(), ValueError> {
        let proc = |g: FuncId| self.frames.get(&g).map(|frame| frame.proc);
        let kept = KeptVariables::declare(self.s, self.keep, &proc, false, &mut self.b);
        self.kept = kept.map_err(ValueError::Keep)?;
        Ok(())
    }

    /// KV2: what a point does. `called`: a function that is not entered is called there, too.
    pub(super) fn kept_effect(&mut self, at: At, called: Option<Option<FuncId>>) -> Rel {
        let s = self.s;
        let body = &s.bodies[at.body as usize];
        let about = (s, &*self.effects);
        let exprs = &mut self.b.exprs;
        let at_point = (body, at.point as usize);
        let mut rel = self.kept.effect(about, exprs, &self.kept_values, at_point, called);
        if called.is_some() && !self.kept.is_empty() && self.calls_back(at) {
            for &f in &s.given_away {
                let f = Some(Callee::Known(f));
                let changed = self.effects.changed(s, body, at.point as usize, f, false);
                self.kept.any_where(s, body.func, &|o| changed.may_be(s, o), &mut rel);
            }
        }
        rel
    }

    /// Whether the program's functions may be called by what a point calls, or run later and jump back to it.
    fn calls_back(&self, at: At) -> bool {
        let body = &self.s.bodies[at.body as usize];
        let Flow::Call(call) = &body.points[at.point as usize].flow else { return false };
        call.open
            || call.targets.is_empty()
            || call.targets.iter().any(|g| self.goes_outside(Some(*g)))
            || self.effects.at_any_time() && body.setjmps.contains(&at.point)
    }

    /// KV3: what variables hold where a function is called from outside.
    pub(super) fn kept_start(&mut self, g: FuncId, top: bool, rel: &mut Rel) {
        let s = self.s;
        self.kept.any_global(s, rel);
        let early = s.bodies.iter().any(|b| s.funcs[b.func.index()].by_itself);
        if top && !early && s.funcs[g.index()].name == "main" {
            let is = self.kept.at_start_after(s, &mut self.b.exprs);
            rel.constraint = self.b.exprs.and(rel.constraint, is);
        }
    }
}
