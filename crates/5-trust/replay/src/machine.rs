//! The concrete semantics of one relation, with open values.
//!
//! [`Machine::verdict`] is the one place that says when a relation holds; the search for choices,
//! the justification of a step and the showing of a trace all rest on it. It follows [`ir::Rel`]
//! word by word:
//!
//! - R1. the guard is true;
//! - R2. every index is defined and in range, every assigned value defined and fits its target;
//! - R3. values assigned to one cell agree;
//! - R4. a cell that must have a certain value afterwards gets it: from an assignment, by being
//!   arbitrary, or by keeping it;
//! - R5. the constraint is true.
//!
//! Evaluation is three-valued and monotone: what it finds true of a partial valuation is true of
//! every completion.

use crate::code::{AssignCode, CellOf, Code, Op, Reg, cell, cells, fits};
use crate::space::Space;
use check::Partial;
use ir::eval::Val;
use ir::{Program, Rel, Scalar, Time, VarId, VarKind};

/// Which relation of an edge it is: decides what is kept where nothing is assigned
/// ([`ir::EdgeKind`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A step inside a procedure.
    Local,
    /// From the call to the callee's entry.
    Enter,
    /// Out of a procedure.
    Return,
    /// From the callee's exit to the node after the call. Before it: globals and results as the
    /// callee left them, the locals of the saved frame.
    Back,
}

impl Role {
    /// Whether a target that is not assigned keeps its value; otherwise it is arbitrary.
    pub fn keeps(self, time: Time, kind: VarKind) -> bool {
        let own = match self {
            Role::Enter => time == Time::Saved,
            Role::Local | Role::Back => time == Time::Post,
            Role::Return => false,
        };
        kind == VarKind::Global || (own && matches!(kind, VarKind::Local(_)))
    }
}

/// A cell at a time.
pub type Cell = (Time, VarId, u32);

/// Values picked for choices, and for cells that may have any value.
#[derive(Clone, Debug, Default)]
pub struct Picked {
    choices: Vec<Option<bool>>,
    cells: Vec<(Cell, u64)>,
}

impl Picked {
    pub fn clear(&mut self) {
        self.choices.clear();
        self.cells.clear();
    }
    pub fn choice(&self, number: u32) -> Option<bool> {
        self.choices.get(number as usize).copied().flatten()
    }
    pub fn set_choice(&mut self, number: u32, to: Option<bool>) {
        if self.choices.len() <= number as usize {
            self.choices.resize(number as usize + 1, None);
        }
        self.choices[number as usize] = to;
    }
    pub fn cell(&self, cell: Cell) -> Option<u64> {
        self.cells.iter().find(|(c, _)| *c == cell).map(|&(_, v)| v)
    }
    pub fn cells(&self) -> &[(Cell, u64)] {
        &self.cells
    }
    pub fn set_cell(&mut self, cell: Cell, to: Option<u64>) {
        self.cells.retain(|(c, _)| *c != cell);
        self.cells.extend(to.map(|v| (cell, v)));
    }
}

/// Around a relation: what is known before it and what is wanted after it.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub role: Role,
    /// Known before.
    pub pre: &'a Partial,
    /// Wanted after.
    pub post: &'a Partial,
    /// Wanted in the saved frame.
    pub saved: &'a Partial,
    /// Values for arbitrary cells after it …
    pub hint: &'a Partial,
    /// … and in the saved frame.
    pub hint_saved: &'a Partial,
    /// Variables before it that may have any value: [`Picked`] says which.
    pub any: &'a [VarId],
    /// Take nothing on trust: a wanted cell that is kept must be known before.
    pub strict: bool,
}

/// Why a relation does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lack {
    /// R1.
    Guard,
    /// R2.
    Value(VarId),
    /// R3.
    Disagree(VarId),
    /// R4.
    Other(VarId),
    /// R5.
    Constraint,
}

/// What a relation waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    On(Reg),
    Cell(VarId, u32),
}

/// Whether a relation holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Yes,
    No(Lack),
    Open(Wait),
}

/// Where the value of a cell after a relation comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// It is wanted.
    Wanted(u64),
    /// Assigned.
    Value(Reg),
    /// Arbitrary.
    Free,
    /// From before.
    Kept,
    /// Depends on the index in this register, which is open.
    Open(Reg),
}

/// Evaluates relations; keeps scratch space between calls.
pub struct Machine<'p> {
    pub program: &'p Program,
    pub space: &'p Space,
    pub code: Code,
    pub regs: Vec<Val>,
    /// Evaluations before the SAT solver takes over.
    pub patience: usize,
    /// Values picked by the last search, kept for its memory.
    pub picked: Picked,
    pub scratch: Scratch,
}

/// Memory that justifications reuse.
#[derive(Default)]
pub struct Scratch {
    pub cost: Vec<u32>,
    pub seen: Vec<bool>,
    pub stack: Vec<Reg>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, space: &'p Space) -> Self {
        Machine {
            program,
            space,
            code: Code::default(),
            regs: Vec::new(),
            patience: 1 << 12,
            picked: Picked::default(),
            scratch: Scratch::default(),
        }
    }
    pub fn compile(&mut self, rel: &Rel) {
        self.code.compile(self.program, rel);
    }
    /// The value of a cell in a valuation.
    pub fn number(&self, state: &Partial, var: VarId, cell: u32) -> Option<u64> {
        state.number(self.space.cell(self.program, var, cell))
    }
    pub fn kind(&self, var: VarId) -> VarKind {
        self.program.vars[var].kind
    }
    pub fn scalar(&self, var: VarId) -> Scalar {
        self.program.vars[var].ty.scalar
    }

    /// Whether an assignment of a value not yet known cannot fail.
    pub fn always_fits(&self, assign: &AssignCode) -> bool {
        let Some(value) = assign.value else { return true };
        let bits = match self.scalar(assign.var) {
            Scalar::Bool => return true,
            Scalar::Int { bits } => bits,
        };
        match self.code.ops[value as usize] {
            Op::Read(_, from) => self.scalar(from).bits() <= bits,
            Op::Const(v) => v >= 0 && v < 1i128 << bits,
            _ => false,
        }
    }

    fn before(&self, around: &Around, picked: &Picked, var: VarId, cell: u32) -> Option<u64> {
        self.number(around.pre, var, cell).or_else(|| picked.cell((Time::Pre, var, cell)))
    }

    /// Where the value of a cell after the relation comes from. `regs` holds guard and assignments.
    pub fn source(&self, around: &Around, regs: &[Val], at: Cell) -> Source {
        let (time, var, number) = at;
        let wanted = if time == Time::Saved { around.saved } else { around.post };
        if let Some(value) = self.number(wanted, var, number) {
            return Source::Wanted(value);
        }
        let mut free = !around.role.keeps(time, self.kind(var));
        for assign in self.code.assigns.iter().filter(|a| a.time == time && a.var == var) {
            let hit = match assign.index {
                None => true,
                Some(index) => match cell(self.program, var, regs[index as usize]) {
                    CellOf::At(c) => c == number,
                    CellOf::Nowhere => false,
                    CellOf::Open => return Source::Open(index),
                },
            };
            match assign.value {
                Some(value) if hit => return Source::Value(value),
                None if hit => free = true,
                _ => {}
            }
        }
        if free { Source::Free } else { Source::Kept }
    }

    /// A value for an arbitrary cell: what was picked, or else what the trace claims.
    fn free(&self, around: &Around, picked: &Picked, at: Cell) -> Option<u64> {
        let hint = if at.0 == Time::Saved { around.hint_saved } else { around.hint };
        picked.cell(at).or_else(|| self.number(hint, at.1, at.2))
    }

    /// Evaluates guard and assignments into the registers.
    pub fn eval_before(&mut self, around: &Around, picked: &Picked) {
        let mut regs = std::mem::take(&mut self.regs);
        regs.clear();
        self.code.eval(
            self.program,
            0..self.code.before,
            &mut regs,
            |_, _, var, cell| self.before(around, picked, var, cell),
            |k| picked.choice(k),
        );
        self.regs = regs;
    }

    /// Evaluates the constraint into the registers.
    fn eval_constraint(&mut self, around: &Around, picked: &Picked) {
        let mut regs = std::mem::take(&mut self.regs);
        self.code.eval(
            self.program,
            self.code.before..self.code.ops.len(),
            &mut regs,
            |regs, time, var, cell| match time {
                Time::Pre => self.before(around, picked, var, cell),
                _ => match self.source(around, regs, (time, var, cell)) {
                    Source::Wanted(value) => Some(value),
                    Source::Value(value) => fits(self.scalar(var), regs[value as usize]).flatten(),
                    Source::Free => self.free(around, picked, (time, var, cell)),
                    Source::Kept => self.before(around, picked, var, cell),
                    Source::Open(_) => None,
                },
            },
            |k| picked.choice(k),
        );
        self.regs = regs;
    }

    /// Whether the compiled relation holds, for all completions of what is open. Leaves the
    /// registers filled.
    pub fn verdict(&mut self, around: &Around, picked: &Picked) -> Verdict {
        self.eval_before(around, picked);
        let mut open = None;
        let mut wait = |on: Wait| {
            open.get_or_insert(on);
        };
        // R1
        if let Some(guard) = self.code.guard {
            match self.regs[guard as usize].as_bool() {
                Some(true) => {}
                Some(false) => return Verdict::No(Lack::Guard),
                None => wait(Wait::On(guard)),
            }
        }
        for (i, assign) in self.code.assigns.iter().enumerate() {
            // R2
            let hit = match assign.index {
                None => Some(0),
                Some(index) => match cell(self.program, assign.var, self.regs[index as usize]) {
                    CellOf::At(c) => Some(c),
                    CellOf::Nowhere => return Verdict::No(Lack::Value(assign.var)),
                    CellOf::Open => {
                        wait(Wait::On(index));
                        None
                    }
                },
            };
            let Some(value) = assign.value else { continue };
            let result = fits(self.scalar(assign.var), self.regs[value as usize]);
            match result {
                Some(Some(_)) => {}
                Some(None) => return Verdict::No(Lack::Value(assign.var)),
                None if self.always_fits(assign) => {}
                None => wait(Wait::On(value)),
            }
            // R3
            for other in self.code.assigns[..i].iter().filter(|o| same_target(o, assign)) {
                let (Some(at), Some(with)) = (other.index, other.value) else { continue };
                let CellOf::At(at) = cell(self.program, assign.var, self.regs[at as usize]) else {
                    continue; // Waited for, or refused, above.
                };
                if hit != Some(at) {
                    continue;
                }
                match (result, fits(self.scalar(assign.var), self.regs[with as usize])) {
                    (Some(a), Some(b)) if a == b => {}
                    (Some(_), Some(_)) => return Verdict::No(Lack::Disagree(assign.var)),
                    (None, _) => wait(Wait::On(value)),
                    (_, None) => wait(Wait::On(with)),
                }
            }
            // R4, assigned cells
            let wanted = if assign.time == Time::Saved { around.saved } else { around.post };
            let Some(wanted) = hit.and_then(|c| self.number(wanted, assign.var, c)) else {
                continue;
            };
            match result {
                Some(Some(value)) if value == wanted => {}
                Some(_) => return Verdict::No(Lack::Other(assign.var)),
                None => wait(Wait::On(value)),
            }
        }
        // R4, cells of assigned arrays that keep their value
        for assign in self.code.assigns.iter().filter(|a| a.index.is_some()) {
            if !around.role.keeps(assign.time, self.kind(assign.var)) {
                continue;
            }
            let wanted = if assign.time == Time::Saved { around.saved } else { around.post };
            for number in cells(self.program, assign.var) {
                let Some(value) = self.number(wanted, assign.var, number) else { continue };
                match self.hit(&self.regs, assign.time, assign.var, number) {
                    Some(true) => {}
                    Some(false) => match self.before(around, picked, assign.var, number) {
                        Some(kept) if kept == value => {}
                        Some(_) => return Verdict::No(Lack::Other(assign.var)),
                        None if around.strict => wait(Wait::Cell(assign.var, number)),
                        None => {}
                    },
                    None => {} // Its index is waited for.
                }
            }
        }
        // R5
        if let Some(constraint) = self.code.constraint {
            self.eval_constraint(around, picked);
            match self.regs[constraint as usize].as_bool() {
                Some(true) => {}
                Some(false) => return Verdict::No(Lack::Constraint),
                None => wait(Wait::On(constraint)),
            }
        }
        open.map_or(Verdict::Yes, Verdict::Open)
    }

    /// Whether some assignment writes the cell; `None` if that depends on an open index.
    pub fn hit(&self, regs: &[Val], time: Time, var: VarId, number: u32) -> Option<bool> {
        let mut out = Some(false);
        for assign in self.code.assigns.iter().filter(|a| a.time == time && a.var == var) {
            match assign.index.map(|i| cell(self.program, var, regs[i as usize])) {
                None => return Some(true),
                Some(CellOf::At(c)) if c == number => return Some(true),
                Some(CellOf::Open) => out = None,
                Some(_) => {}
            }
        }
        out
    }

    /// What is known after the relation, and in the saved frame, of runs that agree with what is
    /// known before it.
    pub fn forward(&mut self, rel: &Rel, role: Role, pre: &Partial) -> (Partial, Partial) {
        let none = self.space.open();
        if !rel.assigns.is_empty() {
            self.compile(rel);
            self.eval_before(&Around::forward(role, pre, &none), &Picked::default());
        } else {
            self.code.clear();
        }
        self.outputs(&Around::forward(role, pre, &none))
    }

    /// The same for the compiled relation, with the registers filled.
    pub fn outputs(&self, around: &Around) -> (Partial, Partial) {
        let space = self.space;
        let mut post = around.pre.clone();
        post.forget(space.results());
        let mut saved = space.open();
        match around.role {
            Role::Local | Role::Back => {}
            Role::Return => {
                post.forget(space.locals());
                post.merge(around.hint);
            }
            Role::Enter => {
                saved.merge(&post);
                saved.forget(space.globals());
                post.forget(space.locals());
                post.merge(around.hint);
            }
        }
        // Values win over arbitrary writes to the same cell, so they are written last.
        for known in [false, true] {
            for assign in &self.code.assigns {
                let (out, hint) = match assign.time {
                    Time::Saved => (&mut saved, around.hint_saved),
                    _ => (&mut post, around.hint),
                };
                let mut forget = |bits: std::ops::Range<u32>| {
                    for bit in bits {
                        out.set(bit, if assign.value.is_none() { hint.get(bit) } else { None });
                    }
                };
                let at = match assign.index {
                    None => CellOf::At(0),
                    Some(index) => cell(self.program, assign.var, self.regs[index as usize]),
                };
                let value = assign
                    .value
                    .and_then(|v| fits(self.scalar(assign.var), self.regs[v as usize]).flatten());
                match (at, value) {
                    (CellOf::At(c), Some(value)) if known => {
                        out.set_number(space.cell(self.program, assign.var, c), Some(value));
                    }
                    (CellOf::At(c), None) if !known && assign.index.is_some() => {
                        forget(space.cell(self.program, assign.var, c));
                    }
                    (CellOf::Open, _) if !known => {
                        out.forget(space.var(self.program, assign.var));
                    }
                    (_, None) if !known => forget(space.var(self.program, assign.var)),
                    _ => {}
                }
            }
        }
        (post, saved)
    }
}

impl<'a> Around<'a> {
    /// Nothing is wanted afterwards. `none`: a valuation of which nothing is known.
    pub fn forward(role: Role, pre: &'a Partial, none: &'a Partial) -> Around<'a> {
        Around {
            role,
            pre,
            post: none,
            saved: none,
            hint: none,
            hint_saved: none,
            any: &[],
            strict: true,
        }
    }
}

/// Whether both write cells of one array.
pub fn same_target(a: &AssignCode, b: &AssignCode) -> bool {
    a.time == b.time && a.var == b.var && a.index.is_some() && b.index.is_some()
}
