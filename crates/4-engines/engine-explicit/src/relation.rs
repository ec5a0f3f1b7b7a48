//! Relations compiled: from a packed valuation to all of its successors.
//!
//! A relation has parts: its guard, the value of each target, its constraint. A choice that
//! occurs in several of them (or in an integer, or in an index) is *shared*; the values of the
//! shared choices are tried one after the other. Any other choice is its part's own affair
//! ([`Part`]): a boolean target whose own choices allow both values is as good as arbitrary.
//! What is arbitrary is not enumerated here but left open in the [`Pattern`].

use crate::machine::Machine;
use crate::meter::Meter;
use crate::solve::{Condition, Part};
use crate::tabulate::Context;
use crate::words::{
    Cell, POST_FRAME, POST_GLOBALS, PRE_FRAME, PRE_GLOBALS, Places, SAVED, View, completions,
};
use check::StopReason;
use ir::eval::{Code, Val};
use ir::{Dim, Expr, ExprId, Exprs, ProcId, Program, Rel, Scalar, Time, VarId};

/// What becomes of targets that are not assigned ([`ir::EdgeKind`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// A step in a procedure, or the way back from a call: globals and locals keep their values.
    Keep,
    /// Into a procedure: globals and the saved frame keep their values, its frame is arbitrary.
    Enter(ProcId),
    /// Out of a procedure: globals keep their values, its results are arbitrary.
    Return(ProcId),
}

/// A compiled relation.
pub(crate) struct Relation {
    rule: Rule,
    shared: Box<[u32]>,
    guard: Option<Part>,
    targets: Box<[Target]>,
    constraint: Option<Condition>,
}

struct Target {
    time: Time,
    var: VarId,
    /// Which cells are written.
    at: At,
    value: Value,
}

enum At {
    /// All of so many (one, if the variable is a scalar).
    All(u32),
    Index(Code, Dim),
}

enum Value {
    Arbitrary,
    Bool(Part),
    Int(Code),
}

/// A set of successors: bits that are open are arbitrary, independently of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    pub(crate) globals: u64,
    /// The frame; the callee's on a call; the results on a return.
    pub(crate) frame: u64,
    pub(crate) saved: u64,
    pub(crate) open_globals: u64,
    pub(crate) open_frame: u64,
    pub(crate) open_saved: u64,
}

impl Pattern {
    /// Calls `each` with every `(globals, frame)` in the pattern. `who` leaves bits arbitrary.
    pub(crate) fn each_state(
        &self,
        who: &str,
        meter: &mut Meter,
        mut each: impl FnMut(u64, u64, &mut Meter) -> Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        let bits = self.open_globals.count_ones() + self.open_frame.count_ones();
        meter.admit_open_bits(bits, who)?;
        for globals in completions(self.globals, self.open_globals) {
            for frame in completions(self.frame, self.open_frame) {
                meter.tick()?;
                each(globals, frame, meter)?;
            }
        }
        Ok(())
    }
    /// Calls `each` with every context of `callee` in the pattern and every saved frame that goes
    /// with it. What a context leaves open, no call determines: it is open in every pattern.
    pub(crate) fn each_entry(
        &self,
        callee: ProcId,
        machine: &Machine,
        meter: &mut Meter,
        mut each: impl FnMut(Context, u64, &mut Meter) -> Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        let undetermined = machine.open_at_entry(callee).1;
        debug_assert!(self.open_frame & undetermined == undetermined);
        let open_frame = self.open_frame & !undetermined;
        let open = [self.open_globals, open_frame, self.open_saved];
        meter.admit_open_bits(open.iter().map(|w| w.count_ones()).sum(), "a call")?;
        for globals in completions(self.globals, self.open_globals) {
            for frame in completions(self.frame, open_frame) {
                let context = Context::new(machine, callee, globals, frame);
                for saved in completions(self.saved, self.open_saved) {
                    meter.tick()?;
                    each(context, saved, meter)?;
                }
            }
        }
        Ok(())
    }
}

impl Relation {
    pub(crate) fn new(
        program: &Program,
        places: &Places,
        rel: &Rel,
        rule: Rule,
    ) -> Result<Relation, StopReason> {
        if rel.choices > 64 {
            let what = format!(
                "an edge with {} nondeterministic choices; the explicit engine takes 64",
                rel.choices
            );
            return Err(StopReason::Unsupported { what });
        }
        // In how many parts does each choice occur? Twice in one part is once.
        let mut occurrences = vec![0u32; rel.choices as usize];
        let mut count = |root: ExprId, weight: u32| {
            for choice in choices(program, root) {
                occurrences[choice as usize] += weight;
            }
        };
        count(rel.guard, 1);
        count(rel.constraint, 1);
        for assign in &rel.assigns {
            let bool = program.vars[assign.var].ty.scalar == Scalar::Bool;
            assign.index.into_iter().for_each(|e| count(e, 2));
            assign.value.into_iter().for_each(|e| count(e, if bool { 1 } else { 2 }));
        }
        let part = |root: ExprId| -> Box<[u32]> {
            let own = choices(program, root).into_iter();
            own.filter(|&k| occurrences[k as usize] == 1).collect()
        };
        let code = |root: ExprId| Code::new(program, root);
        let targets = rel.assigns.iter().map(|assign| {
            let ty = program.vars[assign.var].ty;
            Target {
                time: assign.time,
                var: assign.var,
                at: match (assign.index, ty.array) {
                    (Some(index), Some(dim)) => At::Index(code(index), dim),
                    _ => At::All(ty.cells()),
                },
                value: match (assign.value, ty.scalar) {
                    (None, _) => Value::Arbitrary,
                    (Some(e), Scalar::Bool) => Value::Bool(Part { code: code(e), own: part(e) }),
                    (Some(e), Scalar::Int { .. }) => Value::Int(code(e)),
                },
            }
        });
        Ok(Relation {
            rule,
            targets: targets.collect(),
            guard: (rel.guard != Exprs::TRUE)
                .then(|| Part { code: code(rel.guard), own: part(rel.guard) }),
            constraint: (rel.constraint != Exprs::TRUE)
                .then(|| Condition::new(program, places, rel.constraint, part(rel.constraint))),
            shared: (0..rel.choices).filter(|&k| occurrences[k as usize] > 1).collect(),
        })
    }

    /// Appends the successors of the valuation in `view` to `out`. Patterns may overlap.
    pub(crate) fn successors(
        &self,
        mut view: View,
        meter: &mut Meter,
        out: &mut Vec<Pattern>,
    ) -> Result<(), StopReason> {
        meter.admit_open_bits(self.shared.len() as u32, "an edge")?;
        for bits in 0..1u64 << self.shared.len() {
            for (i, &choice) in self.shared.iter().enumerate() {
                view.set_choice(choice, bits >> i & 1 == 1);
            }
            meter.tick()?;
            if let Some(guard) = &self.guard
                && !guard.can(&mut view, meter)?.be_true
            {
                continue;
            }
            if !self.assign(&mut view, meter)? {
                continue;
            }
            let mut found = |view: &View| {
                out.push(Pattern {
                    globals: view.words[POST_GLOBALS],
                    frame: view.words[POST_FRAME],
                    saved: view.words[SAVED],
                    open_globals: view.open[POST_GLOBALS],
                    open_frame: view.open[POST_FRAME],
                    open_saved: view.open[SAVED],
                });
            };
            match &self.constraint {
                None => found(&view),
                Some(constraint) => constraint.solve(&mut view, meter, found)?,
            }
        }
        Ok(())
    }

    /// Sets the words after the step, what is arbitrary left open. False: there is no successor.
    fn assign(&self, view: &mut View, meter: &mut Meter) -> Result<bool, StopReason> {
        // What is not assigned …
        view.words[POST_GLOBALS] = view.words[PRE_GLOBALS];
        view.open[POST_GLOBALS] = 0;
        view.words[SAVED] = 0;
        view.open[SAVED] = 0;
        let (frame, open) = match self.rule {
            Rule::Keep => (view.words[PRE_FRAME], 0),
            Rule::Enter(callee) => (0, view.places.frame_mask(callee)),
            Rule::Return(proc) => (0, view.places.result_mask(proc)),
        };
        view.words[POST_FRAME] = frame;
        view.open[POST_FRAME] = open;
        if let Rule::Enter(_) = self.rule {
            view.words[SAVED] = view.words[PRE_FRAME];
        }
        // … and what is. A cell that is written and made arbitrary gets the written value.
        let mut written = [0u64; 6];
        for target in &self.targets {
            let cells = match &target.at {
                At::All(len) => 0..*len,
                At::Index(index, dim) => {
                    let Val::Known(index) = index.eval(view, &mut meter.registers) else {
                        return Ok(false);
                    };
                    let cell = index - dim.lo as i128;
                    if !(0..dim.len as i128).contains(&cell) {
                        return Ok(false);
                    }
                    cell as u32..cell as u32 + 1
                }
            };
            let value = match &target.value {
                Value::Arbitrary => None,
                Value::Bool(part) => {
                    let can = part.can(view, meter)?;
                    (can.be_true != can.be_false).then_some(can.be_true as u64)
                }
                Value::Int(code) => {
                    let width = view.places.cell(target.time, target.var, 0).width;
                    match code.eval(view, &mut meter.registers) {
                        Val::Known(v) if v >= 0 && v < 1 << width => Some(v as u64),
                        _ => return Ok(false),
                    }
                }
            };
            for number in cells {
                let cell = view.places.cell(target.time, target.var, number);
                if !store(view, &mut written, cell, value) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Writes a value, or makes arbitrary what is not written. False: another value was written.
fn store(view: &mut View, written: &mut [u64; 6], cell: Cell, value: Option<u64>) -> bool {
    let (word, mask) = (cell.word as usize, cell.mask());
    match value {
        Some(value) if written[word] & mask != 0 => {
            return view.words[word] & mask == value << cell.offset;
        }
        Some(value) => {
            view.set(cell, value);
            written[word] |= mask;
        }
        None if written[word] & mask == 0 => view.set_open(cell),
        None => {}
    }
    true
}

/// The choices that occur in an expression.
fn choices(program: &Program, root: ExprId) -> Vec<u32> {
    let mut out = Vec::new();
    match program.exprs[root] {
        // Most often it is as simple as this.
        Expr::Bool(_) | Expr::Int(_) | Expr::Read(..) => {}
        _ => program.exprs.postorder(root, |_, expr| {
            if let Expr::Choice(k) = expr {
                out.push(k);
            }
        }),
    }
    out
}
