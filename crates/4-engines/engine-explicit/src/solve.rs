//! All valuations of open cells that satisfy a condition.
//!
//! Used for the initial states and for the constraints of relations. Cells are decided one after
//! the other, those that the condition mentions only, and a branch ends as soon as the condition
//! is decided: its other cells stay open. A conjunct `cell = e` decides its cell at once where
//! `e` has a value already.

use crate::meter::Meter;
use crate::words::{Cell, Places, View};
use check::StopReason;
use ir::eval::{Code, Val};
use ir::{BinaryOp, Expr, ExprId, Program};

/// An expression with the choices that occur in it and nowhere else in its relation. Their values
/// concern nobody else, so the expression alone can look for the ones that suit it.
pub(crate) struct Part {
    pub(crate) code: Code,
    pub(crate) own: Box<[u32]>,
}

/// Which values a boolean can take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Can {
    pub(crate) be_true: bool,
    pub(crate) be_false: bool,
}

impl Part {
    /// The values of a boolean for all values of its own choices. Nothing else may be open.
    pub(crate) fn can(&self, view: &mut View, meter: &mut Meter) -> Result<Can, StopReason> {
        let mut can = Can { be_true: false, be_false: false };
        meter.admit_open_bits(self.own.len() as u32, "an expression")?;
        for bits in 0..1u64 << self.own.len() {
            for (i, &choice) in self.own.iter().enumerate() {
                view.set_choice(choice, bits >> i & 1 == 1);
            }
            meter.tick()?;
            match view.satisfies(&self.code, &mut meter.registers) {
                true => can.be_true = true,
                false => can.be_false = true,
            }
            if can.be_true && can.be_false {
                break;
            }
        }
        Ok(can)
    }
}

/// A condition to be solved.
pub(crate) struct Condition {
    part: Part,
    /// The cells that it reads, in order of first occurrence.
    cells: Box<[Cell]>,
    /// Conjuncts `cell = e`.
    definitions: Box<[(Cell, Code)]>,
}

impl Condition {
    pub(crate) fn new(program: &Program, places: &Places, root: ExprId, own: Box<[u32]>) -> Self {
        let mut cells: Vec<Cell> = Vec::new();
        program.exprs.reads(root, |time, var| {
            for i in 0..program.vars[var].ty.cells() {
                let cell = places.cell(time, var, i);
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
        });
        Condition {
            part: Part { code: Code::new(program, root), own },
            cells: cells.into(),
            definitions: definitions(program, places, root),
        }
    }

    /// Calls `found` for disjoint sets of solutions: what is open in the view then is arbitrary.
    pub(crate) fn solve(
        &self,
        view: &mut View,
        meter: &mut Meter,
        mut found: impl FnMut(&View),
    ) -> Result<(), StopReason> {
        let open: Vec<Cell> = self.cells.iter().copied().filter(|&c| view.is_open(c)).collect();
        // The decided cells are `open[..values.len()]`; each has its untried values here.
        let mut values: Vec<std::ops::Range<u64>> = Vec::new();
        let mut effort = 0u64;
        loop {
            meter.tick()?;
            effort += 1;
            if effort >> meter.max_open_bits.min(63) > 1 {
                let bits: u32 = open.iter().map(|c| c.width as u32).sum();
                meter.admit_open_bits(bits, "a condition")?;
            }
            match self.decide(view, values.len() == open.len(), meter)? {
                None => values.push(self.candidates(open[values.len()], view, meter)),
                Some(holds) => {
                    if holds {
                        found(view);
                    }
                }
            }
            // Gives the last decided cell its next value, or goes back to the one before.
            loop {
                let depth = values.len();
                let Some(last) = values.last_mut() else { return Ok(()) };
                let cell = open[depth - 1];
                match last.next() {
                    Some(value) => {
                        view.set(cell, value);
                        break;
                    }
                    None => {
                        view.set_open(cell);
                        values.pop();
                    }
                }
            }
        }
    }

    /// Whether the condition holds, if that is decided. It is once all cells are.
    fn decide(
        &self,
        view: &mut View,
        all: bool,
        meter: &mut Meter,
    ) -> Result<Option<bool>, StopReason> {
        for &choice in &self.part.own {
            view.set_choice(choice, false);
            view.open_choices |= 1 << choice;
        }
        let value = self.part.code.eval(view, &mut meter.registers).as_bool();
        if value.is_none() && all {
            return Ok(Some(self.part.can(view, meter)?.be_true));
        }
        Ok(value)
    }

    /// The values that a cell may take.
    fn candidates(&self, cell: Cell, view: &View, meter: &mut Meter) -> std::ops::Range<u64> {
        let all = 0..1u64 << cell.width;
        for (_, value) in self.definitions.iter().filter(|(defined, _)| *defined == cell) {
            match value.eval(view, &mut meter.registers) {
                Val::Known(v) if v >= 0 && v < all.end as i128 => return v as u64..v as u64 + 1,
                Val::Known(_) | Val::Undef => return 0..0,
                Val::Unknown => {}
            }
        }
        all
    }
}

/// The conjuncts of `root` that say what one cell is.
fn definitions(program: &Program, places: &Places, root: ExprId) -> Box<[(Cell, Code)]> {
    let exprs = &program.exprs;
    let cell = |id: ExprId| match exprs[id] {
        Expr::Read(time, var) => Some(places.cell(time, var, 0)),
        Expr::Index(time, var, index) => match exprs[index] {
            Expr::Int(i) => ir::eval::cell_of(program, var, i as i128)
                .map(|number| places.cell(time, var, number)),
            _ => None,
        },
        _ => None,
    };
    let mut out = Vec::new();
    let mut define = |side: ExprId, value: ExprId| {
        if let Some(cell) = cell(side) {
            out.push((cell, Code::new(program, value)));
        }
    };
    let mut conjuncts = vec![root];
    while let Some(id) = conjuncts.pop() {
        match exprs[id] {
            Expr::Binary(BinaryOp::And, a, b) => conjuncts.extend([b, a]),
            Expr::Binary(BinaryOp::Eq | BinaryOp::Iff, a, b) => {
                define(a, b);
                define(b, a);
            }
            Expr::Not(a) => define(a, ir::Exprs::FALSE),
            _ => define(id, ir::Exprs::TRUE),
        }
    }
    out.into()
}
