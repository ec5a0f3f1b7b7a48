//! Numbers with fractions: what operators and conversions compute on the bits of known ones, as `c-run` does it. Of the
//! others, `soft_float.rs` has circuits.

use crate::soft_float::{BINARY32, BINARY64, Format};
use c_data::BinOp;

/// A kind of floating type: its values as they are computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    F32,
    F64,
}

impl Kind {
    /// Its bits.
    pub(crate) fn format(self) -> Format {
        match self {
            Kind::F32 => BINARY32,
            Kind::F64 => BINARY64,
        }
    }
}

/// Whether the bits are those of a NaN.
pub(crate) fn is_nan(kind: Kind, x: u128) -> bool {
    match kind {
        Kind::F32 => f32_of(x).is_nan(),
        Kind::F64 => f64_of(x).is_nan(),
    }
}

fn f32_of(x: u128) -> f32 {
    f32::from_bits(x as u32)
}
fn f64_of(x: u128) -> f64 {
    f64::from_bits(x as u64)
}

/// An operator on the bits of two numbers; a comparison is 0 or 1.
pub(crate) fn binary(op: BinOp, kind: Kind, x: u128, y: u128) -> u128 {
    if kind == Kind::F32 {
        let (a, b) = (f32_of(x), f32_of(y));
        let bits = |v: f32| u128::from(v.to_bits());
        return match op {
            BinOp::Add => bits(a + b),
            BinOp::Sub => bits(a - b),
            BinOp::Mul => bits(a * b),
            BinOp::Div => bits(a / b),
            BinOp::Eq => u128::from(a == b),
            BinOp::Ne => u128::from(a != b),
            BinOp::Lt => u128::from(a < b),
            _ => u128::from(a <= b),
        };
    }
    let (a, b) = (f64_of(x), f64_of(y));
    let bits = |v: f64| u128::from(v.to_bits());
    match op {
        BinOp::Add => bits(a + b),
        BinOp::Sub => bits(a - b),
        BinOp::Mul => bits(a * b),
        BinOp::Div => bits(a / b),
        BinOp::Eq => u128::from(a == b),
        BinOp::Ne => u128::from(a != b),
        BinOp::Lt => u128::from(a < b),
        _ => u128::from(a <= b),
    }
}

/// Whether the result of an operator is exact for certain, so that more precision would not change it.
pub(crate) fn is_exact(op: BinOp, kind: Kind, x: u128, y: u128) -> bool {
    let wide = |x: u128| match kind {
        Kind::F32 => f64::from(f32_of(x)),
        Kind::F64 => f64_of(x),
    };
    let (a, b) = (wide(x), wide(y));
    let (result, left) = match op {
        BinOp::Add | BinOp::Sub => {
            let b = if op == BinOp::Sub { -b } else { b };
            let sum = a + b;
            let from = sum - a;
            (sum, (a - (sum - from)) + (b - from))
        }
        BinOp::Mul => (a * b, a.mul_add(b, -(a * b))),
        BinOp::Div => (a / b, (a / b).mul_add(b, -a)),
        _ => return false,
    };
    // What is left of a small product may be too small to be seen.
    let seen =
        result.abs() > 1e-250 && result.abs() < 1e250 || a == 0.0 || result == a || result == b;
    let fits = kind == Kind::F64 || f64::from(result as f32) == result;
    seen && fits && left == 0.0
}

/// The bits of a number with the sign changed.
pub(crate) fn negate(kind: Kind, x: u128) -> u128 {
    match kind {
        Kind::F32 => u128::from((-f32_of(x)).to_bits()),
        Kind::F64 => u128::from((-f64_of(x)).to_bits()),
    }
}

/// A floating number in the other type.
pub(crate) fn resized(from: Kind, to: Kind, x: u128) -> u128 {
    match (from, to) {
        (Kind::F32, Kind::F64) => u128::from(f64::from(f32_of(x)).to_bits()),
        (Kind::F64, Kind::F32) => u128::from((f64_of(x) as f32).to_bits()),
        _ => x,
    }
}

/// An integer as a floating number.
pub(crate) fn of_int(to: Kind, value: i128, unsigned_wide: bool) -> u128 {
    match (to, unsigned_wide) {
        (Kind::F32, false) => u128::from((value as f32).to_bits()),
        (Kind::F32, true) => u128::from((value as u128 as f32).to_bits()),
        (Kind::F64, false) => u128::from((value as f64).to_bits()),
        (Kind::F64, true) => u128::from((value as u128 as f64).to_bits()),
    }
}

/// A floating number as an integer of at most 64 bits, if it fits; what does not is undefined.
pub(crate) fn to_int(from: Kind, x: u128, bits: u32, signed: bool) -> Option<i128> {
    let x = match from {
        Kind::F32 => f64::from(f32_of(x)),
        Kind::F64 => f64_of(x),
    };
    let (whole, half) = (x.trunc(), 2f64.powi(bits as i32 - 1));
    let fits = match signed {
        true => whole >= -half && whole < half,
        false => whole >= 0.0 && whole < 2.0 * half,
    };
    fits.then_some(if signed { x as i128 } else { x as u128 as i128 })
}
