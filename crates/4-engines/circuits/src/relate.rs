//! Relations applied to symbolic states: Table 1 of [sat §3], for every relation of the model.
//!
//! A symbolic state gives a function of the choice variables for each bit. Applying a relation is
//! evaluating it: what it assigns are new functions, what it leaves arbitrary are new choice
//! variables, and what it requires is conjoined to the guard.

use crate::{Bits, Context};
use ir::blast::{Algebra, blast_bool, blast_rel};
use ir::{ExprId, Exprs, Program, Rel, Time, VarId, VarKind};
use logic::{Aig, Lit};
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// What a relation does with targets that it does not assign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Steps, and the way back from a call: they keep their value.
    Step,
    /// Globals keep theirs, results are arbitrary.
    Return,
    /// Globals and the saved frame keep theirs, the callee's locals are arbitrary.
    Enter,
}

/// The values before a relation.
pub type Before<'a> = &'a dyn Fn(VarId, usize) -> Option<Lit>;

/// A relation, applied.
pub struct Applied<'a> {
    program: &'a Program,
    role: Role,
    before: Before<'a>,
    /// Values before that nobody knows: they do not matter, and get a choice variable each.
    unknown: FxHashMap<(VarId, usize), Lit>,
    after: FxHashMap<(Time, VarId, usize), Lit>,
    /// What the relation requires.
    pub guard: Lit,
}

impl<'a> Applied<'a> {
    /// Applies a relation to the values before it.
    pub fn new(
        context: &'a Context<'_>,
        aig: &mut Aig,
        rel: &Rel,
        role: Role,
        before: Before<'a>,
    ) -> Applied<'a> {
        let program = context.program;
        let mut applied = Applied {
            program,
            role,
            before,
            unknown: FxHashMap::default(),
            after: FxHashMap::default(),
            guard: Lit::TRUE,
        };
        if rel.is_identity() {
            return applied;
        }
        // The constraint reads what the assignments write: these first.
        let assigns = Rel { constraint: Exprs::TRUE, ..rel.clone() };
        let mut algebra = Functions { applied: &mut applied, aig, choices: FxHashMap::default() };
        let Ok(blasted) = blast_rel(program, &assigns, &mut algebra, |_, _| true);
        for u in &blasted.updates {
            let index = (u.cell * context.layout.slot(u.var).width + u.bit) as usize;
            let value = match u.free {
                Lit::FALSE => u.value,
                free => {
                    let any = algebra.aig.input();
                    algebra.aig.ite(free, any, u.value)
                }
            };
            algebra.applied.after.insert((u.time, u.var, index), value);
        }
        let mut guard = blasted.enabled;
        if rel.constraint != Exprs::TRUE {
            let Ok(holds) = blast_bool(program, rel.constraint, &mut algebra);
            guard = algebra.aig.and(guard, holds);
        }
        applied.guard = guard;
        applied
    }

    fn before(&mut self, aig: &mut Aig, var: VarId, index: usize) -> Lit {
        match (self.before)(var, index) {
            Some(lit) => lit,
            None => *self.unknown.entry((var, index)).or_insert_with(|| aig.input()),
        }
    }

    /// The value of a bit after the relation.
    pub fn after(&mut self, aig: &mut Aig, time: Time, var: VarId, index: usize) -> Lit {
        if let Some(&lit) = self.after.get(&(time, var, index)) {
            return lit;
        }
        let keeps = match (self.role, self.program.vars[var].kind) {
            (Role::Step, _) | (_, VarKind::Global) => true,
            (Role::Enter, VarKind::Local(_)) => time == Time::Saved,
            _ => false,
        };
        let lit = if keeps { self.before(aig, var, index) } else { aig.input() };
        self.after.insert((time, var, index), lit);
        lit
    }

    /// The values of some bits after the relation.
    pub fn vector(&mut self, context: &Context<'_>, aig: &mut Aig, bits: &Bits) -> Vec<Lit> {
        let mut out = Vec::with_capacity(bits.len as usize);
        for var in bits.vars() {
            for index in 0..context.width(var) {
                out.push(self.after(aig, Time::Post, var, index));
            }
        }
        out
    }
}

/// A condition on values now.
pub fn condition(
    context: &Context<'_>,
    aig: &mut Aig,
    expr: ExprId,
    choices: u32,
    before: Before<'_>,
) -> Lit {
    Applied::new(context, aig, &Rel::guarded(expr, choices), Role::Step, before).guard
}

/// The algebra of functions, for one relation.
struct Functions<'x, 'a> {
    applied: &'x mut Applied<'a>,
    aig: &'x mut Aig,
    choices: FxHashMap<u32, Lit>,
}

impl Algebra for Functions<'_, '_> {
    type Bit = Lit;
    type Error = Infallible;
    fn constant(&mut self, value: bool) -> Lit {
        Lit::constant(value)
    }
    fn not(&mut self, a: Lit) -> Result<Lit, Infallible> {
        Ok(!a)
    }
    fn and(&mut self, a: Lit, b: Lit) -> Result<Lit, Infallible> {
        Ok(self.aig.and(a, b))
    }
    fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Result<Lit, Infallible> {
        Ok(self.aig.ite(c, a, b))
    }
    fn read(&mut self, time: Time, var: VarId, cell: u32, bit: u32) -> Result<Lit, Infallible> {
        let width = self.applied.program.vars[var].ty.scalar.bits();
        let index = (cell * width + bit) as usize;
        Ok(match time {
            Time::Pre => self.applied.before(self.aig, var, index),
            _ => self.applied.after(self.aig, time, var, index),
        })
    }
    fn choice(&mut self, number: u32) -> Result<Lit, Infallible> {
        Ok(*self.choices.entry(number).or_insert_with(|| self.aig.input()))
    }
}
