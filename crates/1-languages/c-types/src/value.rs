//! Values with their types, and what operators make of them.

use crate::{Int, Model, Scalar, usual};

/// A number of an integer type, or an address that is one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    ty: Scalar,
    number: i128,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `-a`
    Minus,
    /// `+a`
    Plus,
    /// `~a`
    Complement,
    /// `!a`
    Not,
}

/// Operators with two operands, `&&` and `||` among them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl Binary {
    /// Whether its result says only yes or no.
    pub fn is_truth(self) -> bool {
        use Binary::*;
        matches!(self, Lt | Gt | Le | Ge | Eq | Ne | And | Or)
    }

    /// Whether it is a shift: its operands do not meet in one type.
    pub fn is_shift(self) -> bool {
        matches!(self, Binary::Shl | Binary::Shr)
    }
}

impl Value {
    /// A value of type `int`; numbers that do not fit are wrapped.
    pub fn int(number: i32) -> Value {
        Value { ty: Scalar::INT, number: number.into() }
    }

    /// A number of a type, if it is one of its values.
    pub fn of(ty: Scalar, number: i128, model: &Model) -> Option<Value> {
        ty.int(model)?.holds(number).then_some(Value { ty, number })
    }

    /// Its type.
    pub fn ty(self) -> Scalar {
        self.ty
    }

    /// The number that it is.
    pub fn number(self) -> i128 {
        self.number
    }

    /// Whether it counts as true.
    pub fn truth(self) -> bool {
        self.number != 0
    }

    /// Converted to a type. None for floating types, and for what has no representation here.
    pub fn convert(self, to: Scalar, model: &Model) -> Option<Value> {
        let number = match to {
            Scalar::Bool => i128::from(self.truth()),
            _ => to.int(model)?.wrap(self.number)?,
        };
        Some(Value { ty: to, number })
    }
}

/// Applies an operator with one operand. None where the result is undefined.
pub fn unary(op: Unary, a: Value, model: &Model) -> Option<Value> {
    if op == Unary::Not {
        return Some(Value::int(i32::from(!a.truth())));
    }
    let a = a.convert(a.ty.promoted(), model)?;
    let Scalar::Int(int) = a.ty else { return None };
    let number = match op {
        Unary::Minus => 0i128.checked_sub(a.number)?,
        Unary::Complement => !a.number,
        Unary::Plus | Unary::Not => a.number,
    };
    arithmetic(int, number)
}

/// Applies an operator with two operands: both are converted as C says. None where the result is
/// undefined, or depends on addresses.
pub fn binary(op: Binary, a: Value, b: Value, model: &Model) -> Option<Value> {
    use Binary::*;
    let truth = |t: bool| Some(Value::int(i32::from(t)));
    match op {
        And => return truth(a.truth() && b.truth()),
        Or => return truth(a.truth() || b.truth()),
        _ => {}
    }
    if a.ty == Scalar::Pointer || b.ty == Scalar::Pointer {
        // Addresses that are numbers can be compared with each other; their order is not promised.
        let (a, b) = (a.convert(Scalar::Pointer, model)?, b.convert(Scalar::Pointer, model)?);
        return match op {
            Eq => truth(a.number == b.number),
            Ne => truth(a.number != b.number),
            _ => None,
        };
    }
    if op.is_shift() {
        let (a, b) = (a.convert(a.ty.promoted(), model)?, b.convert(b.ty.promoted(), model)?);
        let Scalar::Int(int) = a.ty else { return None };
        let by = u32::try_from(b.number).ok().filter(|by| *by < u32::from(int.bits))?;
        return match op {
            Shr => arithmetic(int, a.number >> by),
            _ if a.number < 0 => None,
            // Bits that leave a number without a sign are lost; wider ones are not computed.
            _ if a.number.leading_zeros() > by + 1 => arithmetic(int, a.number << by),
            _ => None,
        };
    }
    let ty = usual(a.ty, b.ty)?;
    let (a, b) = (a.convert(ty, model)?.number, b.convert(ty, model)?.number);
    let Scalar::Int(int) = ty else { return None };
    match op {
        Lt => return truth(a < b),
        Gt => return truth(a > b),
        Le => return truth(a <= b),
        Ge => return truth(a >= b),
        Eq => return truth(a == b),
        Ne => return truth(a != b),
        _ => {}
    }
    let number = match op {
        Mul => a.checked_mul(b)?,
        Div => a.checked_div(b)?,
        // The quotient must have a value, too.
        Rem if int.holds(a.checked_div(b)?) => a.checked_rem(b)?,
        Rem => return None,
        Add => a.checked_add(b)?,
        Sub => a.checked_sub(b)?,
        BitAnd => a & b,
        BitXor => a ^ b,
        BitOr => a | b,
        Shl | Shr | Lt | Gt | Le | Ge | Eq | Ne | And | Or => return None,
    };
    arithmetic(int, number)
}

/// The result of an operation: it wraps where the type has no sign, and must fit where it has one.
fn arithmetic(int: Int, number: i128) -> Option<Value> {
    let number = if int.signed { Some(number).filter(|n| int.holds(*n)) } else { int.wrap(number) };
    Some(Value { ty: Scalar::Int(int), number: number? })
}
