//! Finding choices that make a relation hold.
//!
//! Depth first, branching only on what the undecided condition depends on; most edges have no
//! choice at all or fix each one by a single wanted value. A relation whose choices resist that is
//! handed to the SAT solver, bit-blasted.

use crate::cnf::{Cnf, Effort, Lit};
use crate::code::{Op, Reg};
use crate::machine::{Around, Cell, Lack, Machine, Picked, Source, Verdict, Wait};
use ir::blast::{Algebra, blast_rel};
use ir::eval::Val;
use ir::{Id, Rel, Time, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Steps of the SAT solver before a relation counts as too hard: some seconds.
const EFFORT: u64 = 1 << 20;

/// Why no choices were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// There are none.
    Lack(Lack),
    /// It depends on a variable whose value is not claimed.
    Open(VarId),
    /// The SAT solver gave up.
    Hard,
}

/// Something to branch on, or what stands in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    Choice(u32),
    /// An arbitrary cell.
    Cell(Cell),
    /// A cell before the relation.
    Open(VarId, u32),
}

impl Machine<'_> {
    /// Values for choices and arbitrary cells with which the compiled relation, which is `rel`,
    /// holds.
    pub fn pick(&mut self, rel: &Rel, around: &Around, picked: &mut Picked) -> Result<(), Failure> {
        picked.clear();
        self.preset(around, picked);
        // What was branched on, with the next value to try.
        let mut trail: Vec<(Leaf, u64)> = Vec::new();
        let mut open = None;
        let mut first = None;
        for _ in 0..self.patience {
            match self.verdict(around, picked) {
                Verdict::Yes => return Ok(()),
                Verdict::No(lack) => {
                    first.get_or_insert(lack);
                }
                Verdict::Open(wait) => match self.leaf(around, picked, wait) {
                    Leaf::Open(var, _) => {
                        open.get_or_insert(var);
                    }
                    leaf => trail.push((leaf, 0)),
                },
            }
            loop {
                let Some((leaf, value)) = trail.last_mut() else {
                    // R4 may have been decided by the presets: they are forced, so that is final.
                    return Err(match (open, first) {
                        (Some(var), _) => Failure::Open(var),
                        (None, lack) => Failure::Lack(lack.unwrap_or(Lack::Guard)),
                    });
                };
                let (leaf, now) = (*leaf, *value);
                *value += 1;
                let width = match leaf {
                    Leaf::Choice(_) => 1,
                    Leaf::Cell((_, var, _)) => self.scalar(var).bits(),
                    Leaf::Open(..) => 0,
                };
                if now >> width == 0 {
                    set(picked, leaf, Some(now));
                    break;
                }
                set(picked, leaf, None);
                trail.pop();
            }
        }
        self.pick_by_sat(rel, around, picked)
    }

    /// Fixes choices that are wanted values as they stand, or the guard itself.
    fn preset(&self, around: &Around, picked: &mut Picked) {
        let mut want = |reg: Reg, value: bool| match self.code.ops[reg as usize] {
            Op::Choice(k) if picked.choice(k).is_none() => picked.set_choice(k, Some(value)),
            Op::Not(a) => {
                if let Op::Choice(k) = self.code.ops[a as usize]
                    && picked.choice(k).is_none()
                {
                    picked.set_choice(k, Some(!value));
                }
            }
            _ => {}
        };
        if let Some(guard) = self.code.guard {
            want(guard, true);
        }
        for assign in self.code.assigns.iter().filter(|a| a.index.is_none()) {
            let wanted = if assign.time == Time::Saved { around.saved } else { around.post };
            if let (Some(reg), Some(value)) = (assign.value, self.number(wanted, assign.var, 0)) {
                want(reg, value != 0);
            }
        }
    }

    /// Something undecided that the condition depends on: a choice or an arbitrary cell if there
    /// is one, or else an open variable.
    pub fn leaf(&self, around: &Around, picked: &Picked, wait: Wait) -> Leaf {
        let mut stack = match wait {
            Wait::On(reg) => vec![reg],
            Wait::Cell(var, cell) => return Leaf::Open(var, cell),
        };
        let mut seen = vec![false; self.code.ops.len()];
        let mut open = None;
        let unknown = |reg: Reg| self.regs[reg as usize] == Val::Unknown;
        let any =
            |var: VarId, cell: u32| {
                (around.any.contains(&var) && self.number(around.pre, var, cell).is_none())
                    .then_some((Time::Pre, var, cell))
            };
        while let Some(reg) = stack.pop() {
            if !unknown(reg) || std::mem::replace(&mut seen[reg as usize], true) {
                continue;
            }
            let (time, var, number) = match self.code.ops[reg as usize] {
                Op::Const(_) => continue,
                Op::Choice(k) => return Leaf::Choice(k),
                Op::Not(a) => {
                    stack.push(a);
                    continue;
                }
                Op::Binary(_, a, b) => {
                    stack.extend([b, a]);
                    continue;
                }
                Op::Ite(c, a, b) => {
                    stack.extend([b, a, c]);
                    continue;
                }
                Op::Read(time, var) => (time, var, 0),
                Op::Index { index, .. } if unknown(index) => {
                    stack.push(index);
                    continue;
                }
                Op::Index { time, var, index } => {
                    match crate::code::cell(self.program, var, self.regs[index as usize]) {
                        crate::code::CellOf::At(number) => (time, var, number),
                        _ => continue,
                    }
                }
            };
            let before = |open: &mut Option<(VarId, u32)>| match any(var, number) {
                Some(cell) if picked.cell(cell).is_none() => Some(Leaf::Cell(cell)),
                _ => {
                    open.get_or_insert((var, number));
                    None
                }
            };
            let found = match time {
                Time::Pre => before(&mut open),
                _ => match self.source(around, &self.regs, (time, var, number)) {
                    Source::Wanted(_) => None,
                    Source::Value(value) => {
                        stack.push(value);
                        None
                    }
                    Source::Open(index) => {
                        stack.push(index);
                        None
                    }
                    Source::Free => Some(Leaf::Cell((time, var, number))),
                    Source::Kept => before(&mut open),
                },
            };
            if let Some(leaf) = found {
                return leaf;
            }
        }
        // Only a variable can be left: constants, and whatever depends on them alone, are known.
        let (var, cell) = open.unwrap_or((VarId::new(0), 0));
        Leaf::Open(var, cell)
    }

    fn pick_by_sat(
        &mut self,
        rel: &Rel,
        around: &Around,
        picked: &mut Picked,
    ) -> Result<(), Failure> {
        picked.clear();
        let mut alg = Blast {
            machine: self,
            around,
            cnf: Cnf::new(Effort::Steps(EFFORT)),
            cells: BTreeMap::new(),
            choices: FxHashMap::default(),
        };
        let Ok(blasted) = blast_rel(alg.machine.program, rel, &mut alg, |_, _| true);
        // Bits after the relation: tied to what is assigned or, where no assignment can touch a
        // cell of an assigned array, kept.
        let mut after: BTreeMap<(Cell, u32), Lit> = alg
            .cells
            .iter()
            .filter(|((cell, _), _)| cell.0 != Time::Pre)
            .map(|(&k, &l)| (k, l))
            .collect();
        for update in &blasted.updates {
            let at = (update.time, update.var, update.cell);
            let read = after.remove(&(at, update.bit));
            let wanted = if update.time == Time::Saved { around.saved } else { around.post };
            let lit = match alg.machine.number(wanted, update.var, update.cell) {
                Some(value) => alg.cnf.constant(value >> update.bit & 1 == 1),
                None => match read {
                    Some(lit) => lit,
                    None => continue,
                },
            };
            let same = alg.cnf.iff(lit, update.value);
            alg.cnf.clause(&[update.free, same]);
        }
        for (((time, var, cell), bit), lit) in after {
            if around.role.keeps(time, alg.machine.kind(var)) {
                let Ok(before) = alg.read(Time::Pre, var, cell, bit);
                let same = alg.cnf.iff(lit, before);
                alg.cnf.clause(&[same]);
            }
        }
        let (mut cnf, bits, choices) = (alg.cnf, alg.cells, alg.choices);
        cnf.clause(&[blasted.enabled]);
        cnf.clause(&[blasted.constraint]);
        match cnf.solve() {
            Ok(true) => {}
            Ok(false) => return Err(Failure::Lack(Lack::Guard)),
            Err(_) => return Err(Failure::Hard),
        }
        for (&number, &lit) in &choices {
            picked.set_choice(number, Some(cnf.value(lit)));
        }
        let mut found: BTreeMap<Cell, u64> = BTreeMap::new();
        for (&(cell, bit), &lit) in &bits {
            *found.entry(cell).or_default() |= (cnf.value(lit) as u64) << bit;
        }
        for (cell, value) in found {
            // A value for an open cell before the step is no pick: it was let float so that
            // "none" means none.
            if cell.0 != Time::Pre || around.any.contains(&cell.1) {
                picked.set_cell(cell, Some(value));
            }
        }
        match self.verdict(around, picked) {
            Verdict::Yes => Ok(()),
            Verdict::No(lack) => Err(Failure::Lack(lack)),
            Verdict::Open(wait) => match self.leaf(around, picked, wait) {
                Leaf::Open(var, _) | Leaf::Cell((_, var, _)) => Err(Failure::Open(var)),
                Leaf::Choice(_) => Err(Failure::Lack(Lack::Constraint)),
            },
        }
    }
}

fn set(picked: &mut Picked, leaf: Leaf, value: Option<u64>) {
    match leaf {
        Leaf::Choice(k) => picked.set_choice(k, value.map(|v| v != 0)),
        Leaf::Cell(cell) => picked.set_cell(cell, value),
        Leaf::Open(..) => {}
    }
}

/// Blasts with what is known put in.
struct Blast<'m, 'a, 'p> {
    machine: &'m Machine<'p>,
    around: &'m Around<'a>,
    cnf: Cnf,
    cells: BTreeMap<(Cell, u32), Lit>,
    choices: FxHashMap<u32, Lit>,
}

impl Blast<'_, '_, '_> {
    fn fresh(&mut self, cell: Cell, bit: u32) -> Lit {
        *self.cells.entry((cell, bit)).or_insert_with(|| self.cnf.fresh())
    }
}

impl Algebra for Blast<'_, '_, '_> {
    type Bit = Lit;
    type Error = std::convert::Infallible;

    fn constant(&mut self, value: bool) -> Lit {
        self.cnf.constant(value)
    }
    fn not(&mut self, a: Lit) -> Result<Lit, Self::Error> {
        Ok(!a)
    }
    fn and(&mut self, a: Lit, b: Lit) -> Result<Lit, Self::Error> {
        Ok(self.cnf.and(a, b))
    }
    fn read(&mut self, time: Time, var: VarId, cell: u32, bit: u32) -> Result<Lit, Self::Error> {
        let (machine, around) = (self.machine, self.around);
        let assigned = || machine.code.assigns.iter().find(|a| a.time == time && a.var == var);
        let known = match time {
            Time::Pre => machine.number(around.pre, var, cell),
            _ => {
                let wanted = if time == Time::Saved { around.saved } else { around.post };
                let wanted = machine.number(wanted, var, cell);
                match assigned() {
                    Some(_) => wanted,
                    None if around.role.keeps(time, machine.kind(var)) => {
                        return match wanted {
                            Some(value) => Ok(self.cnf.constant(value >> bit & 1 == 1)),
                            None => self.read(Time::Pre, var, cell, bit),
                        };
                    }
                    None => wanted.or_else(|| machine.number(around.hint, var, cell)),
                }
            }
        };
        Ok(match known {
            Some(value) => self.cnf.constant(value >> bit & 1 == 1),
            None => self.fresh((time, var, cell), bit),
        })
    }
    fn choice(&mut self, number: u32) -> Result<Lit, Self::Error> {
        Ok(*self.choices.entry(number).or_insert_with(|| self.cnf.fresh()))
    }
}
