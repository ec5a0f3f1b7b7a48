//! Functions that may fail, and what their results tell of it.

use super::Maker;
use super::functions::is_setjmp;
use crate::rule::Comparison;
use front_c::{Flow, FuncId, ObjectId, Relation};

impl Maker<'_> {
    pub(super) fn fallible(&self, g: FuncId) -> Option<(Comparison, i64)> {
        let name = self.f.name(g);
        // It returns 0, and something else after a jump.
        if self.jumping.is_some() && is_setjmp(name) {
            return Some((Comparison::Ne, 0));
        }
        self.rule.fallible.iter().find(|(p, ..)| p.matches(name)).map(|(_, c, n)| (*c, *n))
    }

    /// For a result that may tell of a failure: what it compares with then, and otherwise. Only if all
    /// fallible functions whose result the object takes agree.
    pub(super) fn outcome_of(&self, func: FuncId, o: ObjectId) -> Vec<(bool, Comparison, i64)> {
        let Some(body) = self.s.body(func) else { return Vec::new() };
        let mut found: Option<(Comparison, i64)> = None;
        for point in &body.points {
            let Flow::Call(call) = &point.flow else { continue };
            if call.result.or(call.temporary) != Some(o) {
                continue;
            }
            for outcome in call.targets.iter().filter_map(|g| self.fallible(*g)) {
                if found.is_some_and(|f| f != outcome) {
                    return Vec::new();
                }
                found = Some(outcome);
            }
        }
        match found {
            Some((c, k)) => vec![(true, c, k), (false, c.negated(), k)],
            None => Vec::new(),
        }
    }
}

pub(super) fn comparison(relation: Relation) -> Comparison {
    match relation {
        Relation::Eq => Comparison::Eq,
        Relation::Ne => Comparison::Ne,
        Relation::Lt => Comparison::Lt,
        Relation::Le => Comparison::Le,
        Relation::Gt => Comparison::Gt,
        Relation::Ge => Comparison::Ge,
    }
}
