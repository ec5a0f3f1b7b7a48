//! Where the value goes when it is not followed any more. Rule VP5.

use super::{Act, Maker};
use crate::event::Event;
use crate::paths::{PathId, Root};
use front_c::{FuncId, ObjectId, Reach, library};
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
        let Reach::Address(mut part) = self.s.objects[o.index()].reach else { return };
        if self.paths.whole(self.s, o).is_some() {
            return;
        }
        let pointer = loop {
            match self.s.objects[part.index()].reach {
                Reach::Field(b) | Reach::Cell(b) => part = b,
                Reach::Arrow(b) | Reach::Deref(b) => break b,
                Reach::Var | Reach::Address(_) => return,
            }
        };
        if let Some(path) = self.paths.object(self.s, pointer) {
            let value = self.read(func, &Act::default(), path);
            self.escapes(act, value);
        }
    }

    /// Whether a function without a body keeps its argument `n`.
    pub(super) fn keeps(&self, target: Option<FuncId>, n: usize) -> bool {
        let Some(g) = target else { return true };
        let name = self.f.name(g);
        if self.rule.keeps.iter().any(|p| p.matches(name)) {
            return true;
        }
        !(self.rule.borrows.iter().any(|p| p.matches(name))
            || self.f.is_entered(g)
            || self.f.is_opaque(g)
            || library(name).is_some()
            || self.s.funcs[g.index()].const_params.get(n).copied().unwrap_or(false))
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
            if self.paths.in_memory(p) {
                continue;
            }
            let exprs = &mut self.b.exprs;
            let was = exprs.pre(bit);
            held = exprs.or(held, was);
            if !act.leaves {
                let is = act.set.get(&p).copied().unwrap_or(was);
                holds = exprs.or(holds, is);
            }
        }
        for (&p, &value) in returned.into_iter().flatten() {
            if matches!(self.paths.root(p), Root::Ret(_)) {
                holds = self.b.exprs.or(holds, value);
            }
        }
        let exprs = &mut self.b.exprs;
        if let Some(chosen) = act.chosen {
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
