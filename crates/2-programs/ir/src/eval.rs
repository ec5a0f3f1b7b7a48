//! Concrete and three-valued evaluation of expressions.

use crate::{BinaryOp, Dim, Expr, ExprId, Program, Time, VarId};
use rustc_hash::FxHashMap;

/// The value of an expression. Booleans are `Known(0)` and `Known(1)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Val {
    /// A definite value.
    Known(i128),
    /// An integer expression without a value (see [`crate::expr`]).
    Undef,
    /// Depends on something that the environment leaves open.
    Unknown,
}

impl Val {
    /// A boolean.
    pub fn bool(b: bool) -> Val {
        Val::Known(b as i128)
    }
    /// `Some` if it is a known boolean (or integer 0 or 1).
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Val::Known(v) => Some(v != 0),
            Val::Undef => Some(false),
            Val::Unknown => None,
        }
    }
}

/// Where an evaluation finds its variables and choices. `None` means: left open.
pub trait Env {
    /// The value of a cell (cell 0 of a scalar).
    fn read(&self, time: Time, var: VarId, cell: u32) -> Option<u64>;
    /// The value of a choice.
    fn choice(&self, number: u32) -> Option<bool>;
}

/// An expression compiled for evaluation: one instruction for each distinct subexpression,
/// operands before users, so that neither depth nor sharing costs anything.
#[derive(Clone, Debug, Default)]
pub struct Code {
    instrs: Vec<Instr>,
}

#[derive(Clone, Copy, Debug)]
enum Instr {
    Const(i128),
    Read(Time, VarId),
    Index { time: Time, var: VarId, dim: Dim, bool: bool, index: u32 },
    Choice(u32),
    Not(u32),
    Binary(BinaryOp, u32, u32),
    Ite(u32, u32, u32),
}

impl Code {
    /// Compiles `root`.
    pub fn new(program: &Program, root: ExprId) -> Code {
        let mut code = Code::default();
        let mut register: FxHashMap<ExprId, u32> = FxHashMap::default();
        program.exprs.postorder(root, |id, expr| {
            let instr = match expr {
                Expr::Bool(b) => Instr::Const(b as i128),
                Expr::Int(v) => Instr::Const(v as i128),
                Expr::Read(time, var) => Instr::Read(time, var),
                Expr::Index(time, var, index) => {
                    let ty = program.vars[var].ty;
                    Instr::Index {
                        time,
                        var,
                        dim: ty.array.expect("validated: only arrays are indexed"),
                        bool: ty.scalar == crate::Scalar::Bool,
                        index: register[&index],
                    }
                }
                Expr::Choice(k) => Instr::Choice(k),
                Expr::Not(a) => Instr::Not(register[&a]),
                Expr::Binary(op, a, b) => Instr::Binary(op, register[&a], register[&b]),
                Expr::Ite(c, a, b) => Instr::Ite(register[&c], register[&a], register[&b]),
            };
            register.insert(id, code.instrs.len() as u32);
            code.instrs.push(instr);
        });
        code
    }

    /// Evaluates it. `registers` is scratch space that callers keep between calls.
    pub fn eval(&self, env: &impl Env, registers: &mut Vec<Val>) -> Val {
        registers.clear();
        for &instr in &self.instrs {
            let r = |i: u32| registers[i as usize];
            let value = match instr {
                Instr::Const(v) => Val::Known(v),
                Instr::Read(time, var) => known(env.read(time, var, 0)),
                Instr::Index { time, var, dim, bool, index } => match r(index) {
                    Val::Unknown => Val::Unknown,
                    Val::Known(i)
                        if i >= dim.lo as i128 && i < dim.lo as i128 + dim.len as i128 =>
                    {
                        known(env.read(time, var, (i - dim.lo as i128) as u32))
                    }
                    // Out of range or undefined: the smallest boolean around it is false.
                    Val::Known(_) | Val::Undef if bool => Val::Known(0),
                    Val::Known(_) | Val::Undef => Val::Undef,
                },
                Instr::Choice(k) => env.choice(k).map_or(Val::Unknown, Val::bool),
                Instr::Not(a) => r(a).as_bool().map_or(Val::Unknown, |b| Val::bool(!b)),
                Instr::Binary(op, a, b) => binary(op, r(a), r(b)),
                Instr::Ite(c, a, b) => match r(c).as_bool() {
                    Some(true) => r(a),
                    Some(false) => r(b),
                    None if r(a) == r(b) => r(a),
                    None => Val::Unknown,
                },
            };
            registers.push(value);
        }
        registers.last().copied().unwrap_or(Val::Unknown)
    }
}

fn known(value: Option<u64>) -> Val {
    value.map_or(Val::Unknown, |v| Val::Known(v as i128))
}

/// Three-valued application: known operands give the exact result; an unknown operand gives
/// `Unknown` unless the other decides.
pub fn binary(op: BinaryOp, a: Val, b: Val) -> Val {
    use BinaryOp::*;
    if matches!(op, And | Or | Implies) {
        let (a, b) = (a.as_bool(), b.as_bool());
        let (a, b, flip) = match op {
            And => (a, b, false),
            Or => (a.map(|x| !x), b.map(|x| !x), true),
            _ => (a, b.map(|x| !x), true),
        };
        return match (a, b) {
            (Some(false), _) | (_, Some(false)) => Val::bool(flip),
            (Some(true), Some(true)) => Val::bool(!flip),
            _ => Val::Unknown,
        };
    }
    if op == When {
        return match a.as_bool() {
            Some(true) => b,
            Some(false) => Val::Undef,
            None => Val::Unknown,
        };
    }
    let comparison = matches!(op, Eq | Ne | Lt | Le | Gt | Ge);
    let (x, y) = match (a, b) {
        (Val::Undef, _) | (_, Val::Undef) if comparison => return Val::bool(false),
        (Val::Undef, _) | (_, Val::Undef) => return Val::Undef,
        (Val::Unknown, _) | (_, Val::Unknown) => return Val::Unknown,
        (Val::Known(x), Val::Known(y)) => (x, y),
    };
    match op {
        Xor => Val::bool((x != 0) != (y != 0)),
        Iff => Val::bool((x != 0) == (y != 0)),
        Eq => Val::bool(x == y),
        Ne => Val::bool(x != y),
        Lt => Val::bool(x < y),
        Le => Val::bool(x <= y),
        Gt => Val::bool(x > y),
        Ge => Val::bool(x >= y),
        // Validation bounds every operand and result to `MAX_WIDTH` bits: i128 cannot overflow.
        Add => Val::Known(x + y),
        Sub => Val::Known(x - y),
        Mul => Val::Known(x * y),
        Div => x.checked_div(y).map_or(Val::Undef, Val::Known),
        Shl if (0..64).contains(&y) => Val::Known(x << y),
        Shr if y >= 0 => Val::Known(x >> y.min(127)),
        Shl | Shr => Val::Undef,
        BitAnd => Val::Known(x & y),
        BitOr => Val::Known(x | y),
        BitXor => Val::Known(x ^ y),
        And | Or | Implies | When => Val::Unknown, // decided above
    }
}

/// The number of a cell of `var`, if the index is in range.
pub fn cell_of(program: &Program, var: VarId, index: i128) -> Option<u32> {
    let dim = program.vars[var].ty.array?;
    let cell = index - dim.lo as i128;
    (0..dim.len as i128).contains(&cell).then_some(cell as u32)
}

/// An environment over a plain table, for tests and small tools: `cells[var][cell]`.
#[derive(Clone, Debug, Default)]
pub struct TableEnv {
    /// Values before the step; missing ones are left open.
    pub pre: FxHashMap<(VarId, u32), u64>,
    /// Values after the step.
    pub post: FxHashMap<(VarId, u32), u64>,
    /// Values in the saved frame.
    pub saved: FxHashMap<(VarId, u32), u64>,
    /// Values of the choices.
    pub choices: Vec<bool>,
}

impl Env for TableEnv {
    fn read(&self, time: Time, var: VarId, cell: u32) -> Option<u64> {
        let table = match time {
            Time::Pre => &self.pre,
            Time::Post => &self.post,
            Time::Saved => &self.saved,
        };
        table.get(&(var, cell)).copied()
    }
    fn choice(&self, number: u32) -> Option<bool> {
        self.choices.get(number as usize).copied()
    }
}
