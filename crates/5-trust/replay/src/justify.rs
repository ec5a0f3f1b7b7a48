//! One relation backwards: from cells that must have certain values after it to cells that must
//! have certain values before it.
//!
//! Let `N'` be what is needed after the relation. [`Machine::backward`] returns a set `N` of cells
//! with values, all of them claimed or kept, such that
//!
//! > every valuation that agrees with `N` has a successor that agrees with `N'`.
//!
//! It finds values for the choices with all claims at hand, then walks from what must hold down to
//! the cells that made it so: one true operand of a disjunction, one false one of a conjunction,
//! the branch taken. Whether that walk was right need not be believed: at the end the relation is
//! evaluated once more with `N` alone, and three-valued evaluation is monotone.

use crate::code::{CellOf, Op, Reg, cell, cells};
use crate::machine::{Around, Cell, Lack, Machine, Picked, Role, Scratch, Source, Verdict};
use crate::search::Failure;
use check::Partial;
use ir::eval::Val;
use ir::{BinaryOp, Expr, ExprId, Exprs, Rel, Time, VarId};

/// Why a step is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The relation does not hold.
    Lack(Lack),
    /// It depends on a variable whose value is not claimed.
    Open(VarId),
    /// No choices were found with reasonable effort.
    Hard,
    /// A bit is needed with another value than claimed.
    Conflict(u32),
    /// A variable is needed with another value than claimed.
    Clash(VarId),
    /// The justification does not justify: a bug of this crate.
    Internal,
}

/// What stands on both sides of a relation.
#[derive(Clone, Copy)]
pub(crate) struct Claims<'a> {
    /// Claimed before.
    pub(crate) pre: &'a Partial,
    /// Claimed after, tried first for arbitrary cells.
    pub(crate) post: &'a Partial,
    /// Variables before that may have any value.
    pub(crate) any: &'a [VarId],
}

impl Machine<'_> {
    /// The cells needed before `rel` so that it leads to `post` (and leaves `saved` behind).
    pub(crate) fn backward(
        &mut self,
        rel: &Rel,
        role: Role,
        claims: Claims,
        post: &Partial,
        saved: &Partial,
    ) -> Result<Partial, Fault> {
        let (program, space) = (self.program, self.space);
        let mut need = post.clone();
        need.forget(space.results());
        match role {
            Role::Local | Role::Back => {}
            Role::Return => need.forget(space.locals()),
            Role::Enter => {
                need.forget(space.locals());
                need.merge(saved);
            }
        }
        for assign in &rel.assigns {
            if role.keeps(assign.time, self.kind(assign.var)) {
                need.forget(space.var(program, assign.var));
            }
        }
        if let Some(bit) = need.conflict(claims.pre) {
            return Err(Fault::Conflict(bit));
        }
        if rel.is_identity() {
            return Ok(need);
        }

        self.compile(rel);
        let none = space.open();
        let mut known = claims.pre.clone();
        known.merge(&need);
        let around = Around {
            role,
            pre: &known,
            post,
            saved,
            hint: claims.post,
            hint_saved: &none,
            any: claims.any,
            strict: false,
        };
        let mut picked = std::mem::take(&mut self.picked);
        let found = self.pick(rel, &around, &mut picked);
        if let Err(failure) = found {
            return Err(match failure {
                Failure::Lack(lack) => Fault::Lack(lack),
                Failure::Open(var) => Fault::Open(var),
                Failure::Hard => Fault::Hard,
            });
        }

        // Cells of assigned arrays that keep their value.
        for assign in self.code.assigns.iter().filter(|a| a.index.is_some()) {
            if !role.keeps(assign.time, self.kind(assign.var)) {
                continue;
            }
            let wanted = if assign.time == Time::Saved { saved } else { post };
            for number in cells(program, assign.var) {
                if let Some(value) = self.number(wanted, assign.var, number)
                    && self.hit(&self.regs, assign.time, assign.var, number) == Some(false)
                {
                    need.set_number(space.cell(program, assign.var, number), Some(value));
                }
            }
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        self.collect(&around, &picked, &mut need, &mut scratch);
        self.scratch = scratch;

        // The proof: `need` alone makes the relation hold.
        let strict = Around { pre: &need, strict: true, ..around };
        let verdict = self.verdict(&strict, &picked);
        self.picked = picked;
        match verdict {
            Verdict::Yes => Ok(need),
            Verdict::No(_) | Verdict::Open(_) => Err(Fault::Internal),
        }
    }

    /// The value of a condition; `None` if it depends on what is open.
    pub(crate) fn atom(&mut self, exprs: &Exprs, atom: ExprId, state: &Partial) -> Option<bool> {
        if let Expr::Bool(value) = exprs[atom] {
            return Some(value);
        }
        self.code.compile_condition(exprs, atom);
        let none = self.space.open();
        self.eval_before(&Around::forward(Role::Local, state, &none), &Picked::default());
        self.code.guard.and_then(|guard| self.regs[guard as usize].as_bool())
    }

    /// Adds to `need` the cells on which the value of a condition rests, if it has one by what is
    /// claimed and needed.
    pub(crate) fn atom_rests_on(
        &mut self,
        exprs: &Exprs,
        atom: ExprId,
        claim: &Partial,
        need: &mut Partial,
    ) {
        let mut known = claim.clone();
        known.merge(need);
        if matches!(exprs[atom], Expr::Bool(_)) || self.atom(exprs, atom, &known).is_none() {
            return;
        }
        let none = self.space.open();
        let mut scratch = std::mem::take(&mut self.scratch);
        let around = Around::forward(Role::Local, &known, &none);
        self.collect(&around, &Picked::default(), need, &mut scratch);
        self.scratch = scratch;
    }

    /// Adds to `need` the cells that the values in the registers rest on.
    fn collect(&self, around: &Around, picked: &Picked, need: &mut Partial, scratch: &mut Scratch) {
        let Scratch { cost, seen, stack } = scratch;
        self.costs(around, need, cost);
        stack.clear();
        stack.extend(self.code.guard);
        stack.extend(self.code.constraint);
        for (i, assign) in self.code.assigns.iter().enumerate() {
            stack.extend(assign.index);
            let Some(value) = assign.value else { continue };
            let wanted = if assign.time == Time::Saved { around.saved } else { around.post };
            let is_wanted = match assign.index {
                None => self.number(wanted, assign.var, 0).is_some(),
                Some(index) => match cell(self.program, assign.var, self.regs[index as usize]) {
                    CellOf::At(number) => self.number(wanted, assign.var, number).is_some(),
                    _ => true,
                },
            };
            let shared = self
                .code
                .assigns
                .iter()
                .enumerate()
                .any(|(j, other)| i != j && crate::machine::same_target(assign, other));
            if is_wanted || shared || !self.always_fits(assign) {
                stack.push(value);
            }
        }
        seen.clear();
        seen.resize(self.code.ops.len(), false);
        while let Some(reg) = stack.pop() {
            if std::mem::replace(&mut seen[reg as usize], true) {
                continue;
            }
            let val = |r: Reg| self.regs[r as usize];
            let cheaper = |a: Reg, b: Reg| if cost[b as usize] < cost[a as usize] { b } else { a };
            match self.code.ops[reg as usize] {
                Op::Const(_) | Op::Choice(_) => {}
                Op::Read(time, var) => {
                    self.rest_on(around, picked, (time, var, 0), need, stack);
                }
                Op::Index { time, var, index } => {
                    stack.push(index);
                    if let CellOf::At(number) = cell(self.program, var, val(index)) {
                        self.rest_on(around, picked, (time, var, number), need, stack);
                    }
                }
                Op::Not(a) => stack.push(a),
                Op::Ite(c, a, b) => match val(c).as_bool() {
                    Some(true) => stack.extend([c, a]),
                    Some(false) => stack.extend([c, b]),
                    None => stack.extend([a, b]),
                },
                Op::Binary(op, a, b) => {
                    // The values of the operands that decide the result alone.
                    let deciding = match op {
                        BinaryOp::And => Some((false, false)),
                        BinaryOp::Or => Some((true, true)),
                        BinaryOp::Implies => Some((false, true)),
                        _ => None,
                    };
                    let undefined = |r: Reg| val(r) == Val::Undef;
                    match deciding {
                        Some((x, y)) => {
                            match (val(a).as_bool() == Some(x), val(b).as_bool() == Some(y)) {
                                (true, true) => stack.push(cheaper(a, b)),
                                (true, false) => stack.push(a),
                                (false, true) => stack.push(b),
                                (false, false) => stack.extend([a, b]),
                            }
                        }
                        None if op == BinaryOp::When && val(a).as_bool() == Some(false) => {
                            stack.push(a);
                        }
                        None if op == BinaryOp::When => stack.extend([a, b]),
                        None if undefined(a) => stack.push(a),
                        None if undefined(b) => stack.push(b),
                        None => stack.extend([a, b]),
                    }
                }
            }
        }
    }

    /// Adds what the value of a cell rests on: itself before the relation, or the value assigned.
    fn rest_on(
        &self,
        around: &Around,
        picked: &Picked,
        at: Cell,
        need: &mut Partial,
        stack: &mut Vec<Reg>,
    ) {
        let (time, var, number) = at;
        if time != Time::Pre {
            match self.source(around, &self.regs, at) {
                Source::Wanted(_) | Source::Free | Source::Open(_) => return,
                Source::Value(value) => {
                    stack.push(value);
                    return;
                }
                Source::Kept => {}
            }
        }
        let value =
            self.number(around.pre, var, number).or_else(|| picked.cell((Time::Pre, var, number)));
        if value.is_some() {
            need.set_number(self.space.cell(self.program, var, number), value);
        }
    }

    /// For each register, about how many cells its value would add to `need`.
    fn costs(&self, around: &Around, need: &Partial, cost: &mut Vec<u32>) {
        cost.clear();
        for (i, &op) in self.code.ops.iter().enumerate() {
            let c = |r: Reg| cost[r as usize];
            let read = |time: Time, var: VarId, number: u32| {
                let source = match time {
                    Time::Pre => Source::Kept,
                    _ => self.source(around, &self.regs, (time, var, number)),
                };
                match source {
                    Source::Kept => self.number(need, var, number).is_none() as u32,
                    Source::Value(value) => c(value),
                    Source::Wanted(_) | Source::Free | Source::Open(_) => 0,
                }
            };
            let val = |r: Reg| self.regs[r as usize];
            cost.push(match op {
                _ if val(i as Reg) == Val::Unknown => u32::MAX,
                Op::Const(_) | Op::Choice(_) => 0,
                Op::Read(time, var) => read(time, var, 0),
                Op::Index { time, var, index } => match cell(self.program, var, val(index)) {
                    CellOf::At(number) => c(index).saturating_add(read(time, var, number)),
                    _ => c(index),
                },
                Op::Not(a) => c(a),
                Op::Ite(t, a, b) => match val(t).as_bool() {
                    Some(true) => c(t).saturating_add(c(a)),
                    Some(false) => c(t).saturating_add(c(b)),
                    None => c(a).saturating_add(c(b)),
                },
                Op::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, a, b)
                    if c(a) == u32::MAX || c(b) == u32::MAX =>
                {
                    c(a).min(c(b))
                }
                Op::Binary(op, a, b) => {
                    let one_decides = match op {
                        BinaryOp::And => !val(i as Reg).as_bool().unwrap_or(true),
                        BinaryOp::Or | BinaryOp::Implies => {
                            val(i as Reg).as_bool().unwrap_or(false)
                        }
                        _ => false,
                    };
                    if one_decides { c(a).min(c(b)) } else { c(a).saturating_add(c(b)) }
                }
            });
        }
    }
}
