//! Relations compiled for evaluation with open values.
//!
//! One register for each distinct subexpression, operands before users: neither nesting nor
//! sharing costs anything. The operators are those of [`ir::eval`]; what is added here is that
//! every intermediate value stays readable, which justifying a result needs.

use ir::eval::{self, Val};
use ir::{Dim, Expr, ExprId, Exprs, Program, Rel, Scalar, Time, VarId};
use rustc_hash::FxHashMap;

/// A register.
pub type Reg = u32;

/// One operation; operands are registers below its own.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Const(i128),
    Read(Time, VarId),
    Index { time: Time, var: VarId, index: Reg },
    Choice(u32),
    Not(Reg),
    Binary(ir::BinaryOp, Reg, Reg),
    Ite(Reg, Reg, Reg),
}

/// One assignment of a compiled relation.
#[derive(Clone, Copy, Debug)]
pub struct AssignCode {
    pub time: Time,
    pub var: VarId,
    pub index: Option<Reg>,
    pub value: Option<Reg>,
}

/// A compiled relation. Registers below `before` read values before the step and choices only:
/// guard and assignments; those from there on belong to the constraint.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    pub before: usize,
    pub guard: Option<Reg>,
    pub constraint: Option<Reg>,
    pub assigns: Vec<AssignCode>,
    registers: FxHashMap<ExprId, Reg>,
    stack: Vec<(ExprId, bool)>,
}

impl Code {
    /// Compiles `rel`, reusing the memory of what was compiled before.
    pub fn compile(&mut self, program: &Program, rel: &Rel) {
        self.clear();
        let exprs = &program.exprs;
        self.guard = (rel.guard != Exprs::TRUE).then(|| self.emit(exprs, rel.guard));
        for a in &rel.assigns {
            let index = a.index.map(|e| self.emit(exprs, e));
            let value = a.value.map(|e| self.emit(exprs, e));
            self.assigns.push(AssignCode { time: a.time, var: a.var, index, value });
        }
        self.before = self.ops.len();
        self.constraint = (rel.constraint != Exprs::TRUE).then(|| self.emit(exprs, rel.constraint));
    }

    /// Compiles a condition on the values before a step, by itself.
    pub fn compile_condition(&mut self, exprs: &Exprs, condition: ExprId) {
        self.clear();
        self.guard = Some(self.emit(exprs, condition));
        self.before = self.ops.len();
    }

    /// The relation that does nothing.
    pub fn clear(&mut self) {
        self.ops.clear();
        self.assigns.clear();
        self.registers.clear();
        self.before = 0;
        self.guard = None;
        self.constraint = None;
    }

    fn emit(&mut self, exprs: &Exprs, root: ExprId) -> Reg {
        let mut stack = std::mem::take(&mut self.stack);
        stack.push((root, false));
        while let Some((id, ready)) = stack.pop() {
            if self.registers.contains_key(&id) {
                continue;
            }
            let expr = exprs[id];
            let operands = ir::expr::operands(expr);
            if !ready && operands[0].is_some() {
                stack.push((id, true));
                stack.extend(operands.into_iter().rev().flatten().map(|e| (e, false)));
                continue;
            }
            let r = |e: ExprId| self.registers[&e];
            let op = match expr {
                Expr::Bool(b) => Op::Const(b as i128),
                Expr::Int(v) => Op::Const(v as i128),
                Expr::Read(time, var) => Op::Read(time, var),
                Expr::Index(time, var, index) => Op::Index { time, var, index: r(index) },
                Expr::Choice(k) => Op::Choice(k),
                Expr::Not(a) => Op::Not(r(a)),
                Expr::Binary(op, a, b) => Op::Binary(op, r(a), r(b)),
                Expr::Ite(c, a, b) => Op::Ite(r(c), r(a), r(b)),
            };
            self.registers.insert(id, self.ops.len() as Reg);
            self.ops.push(op);
        }
        self.stack = stack;
        self.registers[&root]
    }

    /// Evaluates the operations in `range` into `out`, which holds the registers before them.
    pub fn eval(
        &self,
        program: &Program,
        range: std::ops::Range<usize>,
        out: &mut Vec<Val>,
        mut read: impl FnMut(&[Val], Time, VarId, u32) -> Option<u64>,
        choice: impl Fn(u32) -> Option<bool>,
    ) {
        out.truncate(range.start);
        for i in range {
            let r = |i: Reg| out[i as usize];
            let known = |v: Option<u64>| v.map_or(Val::Unknown, |v| Val::Known(v as i128));
            let value = match self.ops[i] {
                Op::Const(v) => Val::Known(v),
                Op::Read(time, var) => known(read(out, time, var, 0)),
                Op::Index { time, var, index } => match cell(program, var, r(index)) {
                    CellOf::Open => Val::Unknown,
                    CellOf::At(cell) => known(read(out, time, var, cell)),
                    // The smallest boolean around an undefined value is false.
                    CellOf::Nowhere if program.vars[var].ty.scalar == Scalar::Bool => Val::Known(0),
                    CellOf::Nowhere => Val::Undef,
                },
                Op::Choice(k) => choice(k).map_or(Val::Unknown, Val::bool),
                Op::Not(a) => r(a).as_bool().map_or(Val::Unknown, |b| Val::bool(!b)),
                Op::Binary(op, a, b) => eval::binary(op, r(a), r(b)),
                Op::Ite(c, a, b) => match r(c).as_bool() {
                    Some(true) => r(a),
                    Some(false) => r(b),
                    None if r(a) == r(b) => r(a),
                    None => Val::Unknown,
                },
            };
            out.push(value);
        }
    }
}

/// What an index denotes.
pub enum CellOf {
    At(u32),
    /// Undefined or out of range.
    Nowhere,
    Open,
}

/// The cell that an index denotes.
pub fn cell(program: &Program, var: VarId, index: Val) -> CellOf {
    match index {
        Val::Unknown => CellOf::Open,
        Val::Undef => CellOf::Nowhere,
        Val::Known(i) => eval::cell_of(program, var, i).map_or(CellOf::Nowhere, CellOf::At),
    }
}

/// The index range of an array; one cell for a scalar.
pub fn cells(program: &Program, var: VarId) -> std::ops::Range<u32> {
    0..program.vars[var].ty.array.map_or(1, |Dim { len, .. }| len)
}

/// Whether a value fits a scalar; `None` if it is open.
pub fn fits(scalar: Scalar, value: Val) -> Option<Option<u64>> {
    match (scalar, value) {
        (_, Val::Unknown) => None,
        (Scalar::Bool, v) => Some(v.as_bool().map(|b| b as u64)),
        (_, Val::Undef) => Some(None),
        (Scalar::Int { bits }, Val::Known(v)) => {
            Some((v >= 0 && v < 1i128 << bits).then_some(v as u64))
        }
    }
}
