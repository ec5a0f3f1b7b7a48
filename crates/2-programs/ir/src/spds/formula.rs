//! A rule's formula over `x`, `x'` and `x''` as a relation.

use super::{Head, Right, Spds};
use crate::{Assign, BinaryOp, Expr, ExprId, Exprs, Rel, Time, VarId};
use rustc_hash::FxHashMap;

/// A variable after the step or in the frame below, and the cell of an array.
type Target = (Time, VarId, Option<i64>);

impl Spds {
    /// The relation of a rule that is given by a formula: variables which the formula does not
    /// constrain are arbitrary afterwards.
    ///
    /// Conjuncts that say what a variable becomes, such as `x' == x + 1`, are made assignments, and
    /// conjuncts about values before the step the guard; only the rest stays a constraint. The
    /// relation is the same: `x' == e` and an assignment of `e` both fail where `e` is undefined or
    /// does not fit. The formula must be boolean and without choices.
    pub fn formula(&mut self, from: Head, right: Right, formula: ExprId) -> Rel {
        let mut guard = Exprs::TRUE;
        let mut constraint = Exprs::TRUE;
        // Values by target and cell.
        let mut values: FxHashMap<Target, ExprId> = FxHashMap::default();
        for conjunct in self.conjuncts(formula) {
            if self.before_only(conjunct) {
                guard = self.exprs.and(guard, conjunct);
                continue;
            }
            match self.definition(conjunct) {
                Some((target, value)) if !values.contains_key(&target) => {
                    values.insert(target, value);
                }
                _ => constraint = self.exprs.and(constraint, conjunct),
            }
        }
        let mut assigns: Vec<Assign> = Vec::new();
        for (time, var, keeps) in self.targets(from, right) {
            self.assign(&mut assigns, time, var, keeps, &values);
        }
        Rel { guard, assigns: assigns.into(), constraint, choices: 0 }
    }

    fn conjuncts(&self, formula: ExprId) -> Vec<ExprId> {
        let mut out = Vec::new();
        let mut work = vec![formula];
        while let Some(e) = work.pop() {
            match self.exprs[e] {
                Expr::Binary(BinaryOp::And, a, b) => work.extend([b, a]),
                Expr::Bool(true) => {}
                _ => out.push(e),
            }
        }
        out
    }

    fn before_only(&self, e: ExprId) -> bool {
        let mut before = true;
        self.exprs.reads(e, |time, _| before &= time == Time::Pre);
        before
    }

    /// The target and its value, if the conjunct says what one becomes.
    fn definition(&mut self, conjunct: ExprId) -> Option<(Target, ExprId)> {
        match self.exprs[conjunct] {
            Expr::Binary(BinaryOp::Eq | BinaryOp::Iff, a, b) => {
                [(a, b), (b, a)].into_iter().find_map(|(left, right)| {
                    let target = self.target(left)?;
                    self.before_only(right).then_some((target, right))
                })
            }
            Expr::Not(a) => Some((self.target(a)?, Exprs::FALSE)),
            _ => Some((self.target(conjunct)?, Exprs::TRUE)),
        }
    }

    /// A variable after the step, or a cell that exists with a constant index.
    fn target(&self, e: ExprId) -> Option<Target> {
        match self.exprs[e] {
            Expr::Read(time, var) if time != Time::Pre => Some((time, var, None)),
            Expr::Index(time, var, index) if time != Time::Pre => match self.exprs[index] {
                Expr::Int(i) => {
                    let dim = self.vars[var].ty.array?;
                    let exists = i >= dim.lo && i < dim.lo + dim.len as i64;
                    exists.then_some((time, var, Some(i)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The assignments of one target: none if it keeps its value, which the frame rule says.
    fn assign(
        &mut self,
        assigns: &mut Vec<Assign>,
        time: Time,
        var: VarId,
        keeps: bool,
        values: &FxHashMap<Target, ExprId>,
    ) {
        let Some(dim) = self.vars[var].ty.array else {
            let value = values.get(&(time, var, None)).copied();
            let same = self.exprs.pre(var);
            if !(keeps && value == Some(same)) && (keeps || value.is_some()) {
                assigns.push(Assign { time, var, index: None, value });
            }
            return;
        };
        let mut cells = Vec::with_capacity(dim.len as usize);
        let mut same = true;
        for i in dim.lo..dim.lo + dim.len as i64 {
            let index = self.exprs.int(i);
            let value = values.get(&(time, var, Some(i))).copied();
            let before = self.exprs.add(Expr::Index(Time::Pre, var, index));
            same &= value == Some(before);
            cells.push(Assign { time, var, index: Some(index), value });
        }
        if keeps && same {
            return;
        }
        // A cell without a value is arbitrary: said of the whole array, since a value wins.
        if keeps && cells.iter().any(|cell| cell.value.is_none()) {
            assigns.push(Assign { time, var, index: None, value: None });
        }
        assigns.extend(cells.into_iter().filter(|cell| cell.value.is_some()));
    }
}
