//! What operators compute on registers, bit for bit.

use crate::code::{Bin, Conv, Wide};
use c_data::Undefined;

/// A result, and what is undefined about it.
type Computed = (u64, Option<Undefined>);

fn f32_of(x: u64) -> f32 {
    f32::from_bits(x as u32)
}
fn bits32(x: f32) -> u64 {
    u64::from(x.to_bits())
}

/// An operator with two operands.
#[inline(always)]
pub(crate) fn bin(k: Bin, x: u64, y: u64) -> Computed {
    let ok = |v: u64| (v, None);
    let over = |v: u64, over: bool| (v, over.then_some(Undefined::Overflow));
    let s32 = |v: i32| i64::from(v) as u64;
    let u32_ = |v: u32| u64::from(v);
    let zero = || (0, Some(Undefined::DivisionByZero));
    match k {
        Bin::AddI32 => {
            let (v, o) = (x as i32).overflowing_add(y as i32);
            over(s32(v), o)
        }
        Bin::SubI32 => {
            let (v, o) = (x as i32).overflowing_sub(y as i32);
            over(s32(v), o)
        }
        Bin::MulI32 => {
            let (v, o) = (x as i32).overflowing_mul(y as i32);
            over(s32(v), o)
        }
        Bin::AddI64 => {
            let (v, o) = (x as i64).overflowing_add(y as i64);
            over(v as u64, o)
        }
        Bin::SubI64 => {
            let (v, o) = (x as i64).overflowing_sub(y as i64);
            over(v as u64, o)
        }
        Bin::MulI64 => {
            let (v, o) = (x as i64).overflowing_mul(y as i64);
            over(v as u64, o)
        }
        Bin::AddU32 => ok(u32_((x as u32).wrapping_add(y as u32))),
        Bin::SubU32 => ok(u32_((x as u32).wrapping_sub(y as u32))),
        Bin::MulU32 => ok(u32_((x as u32).wrapping_mul(y as u32))),
        Bin::AddU64 => ok(x.wrapping_add(y)),
        Bin::SubU64 => ok(x.wrapping_sub(y)),
        Bin::MulU64 => ok(x.wrapping_mul(y)),
        Bin::DivI32 if y as i32 == 0 => zero(),
        Bin::RemI32 if y as i32 == 0 => zero(),
        Bin::DivI64 | Bin::RemI64 | Bin::DivU | Bin::RemU if y == 0 => zero(),
        Bin::DivI32 => {
            let (v, o) = (x as i32).overflowing_div(y as i32);
            over(s32(v), o)
        }
        Bin::RemI32 => {
            let (v, o) = (x as i32).overflowing_rem(y as i32);
            over(s32(v), o)
        }
        Bin::DivI64 => {
            let (v, o) = (x as i64).overflowing_div(y as i64);
            over(v as u64, o)
        }
        Bin::RemI64 => {
            let (v, o) = (x as i64).overflowing_rem(y as i64);
            over(v as u64, o)
        }
        Bin::DivU => ok(x / y),
        Bin::RemU => ok(x % y),
        Bin::And => ok(x & y),
        Bin::Or => ok(x | y),
        Bin::Xor => ok(x ^ y),
        // The processor looks at the low bits of the distance only.
        Bin::ShlI32 if y < 32 => {
            let exact = i64::from(x as i32) << y;
            over(s32(exact as i32), exact != i64::from(exact as i32))
        }
        Bin::ShlI64 if y < 64 => {
            let exact = i128::from(x as i64) << y;
            over(exact as u64, exact != i128::from(exact as i64))
        }
        Bin::ShlI32 => shift(s32((x as i32).wrapping_shl(y as u32)), y, 32),
        Bin::ShlU32 => shift(u32_((x as u32).wrapping_shl(y as u32)), y, 32),
        Bin::ShlI64 | Bin::ShlU64 => shift(x.wrapping_shl(y as u32), y, 64),
        Bin::ShrI32 => shift(s32((x as i32).wrapping_shr(y as u32)), y, 32),
        Bin::ShrU32 => shift(u32_((x as u32).wrapping_shr(y as u32)), y, 32),
        Bin::ShrI64 => shift((x as i64).wrapping_shr(y as u32) as u64, y, 64),
        Bin::ShrU64 => shift(x.wrapping_shr(y as u32), y, 64),
        Bin::Eq => ok(u64::from(x == y)),
        Bin::Ne => ok(u64::from(x != y)),
        Bin::LtS => ok(u64::from((x as i64) < (y as i64))),
        Bin::LtU => ok(u64::from(x < y)),
        Bin::LeS => ok(u64::from((x as i64) <= (y as i64))),
        Bin::LeU => ok(u64::from(x <= y)),
        Bin::AddF32 => ok(bits32(f32_of(x) + f32_of(y))),
        Bin::SubF32 => ok(bits32(f32_of(x) - f32_of(y))),
        Bin::MulF32 => ok(bits32(f32_of(x) * f32_of(y))),
        Bin::DivF32 => ok(bits32(f32_of(x) / f32_of(y))),
        Bin::AddF64 => ok((f64::from_bits(x) + f64::from_bits(y)).to_bits()),
        Bin::SubF64 => ok((f64::from_bits(x) - f64::from_bits(y)).to_bits()),
        Bin::MulF64 => ok((f64::from_bits(x) * f64::from_bits(y)).to_bits()),
        Bin::DivF64 => ok((f64::from_bits(x) / f64::from_bits(y)).to_bits()),
        Bin::EqF32 => ok(u64::from(f32_of(x) == f32_of(y))),
        Bin::NeF32 => ok(u64::from(f32_of(x) != f32_of(y))),
        Bin::LtF32 => ok(u64::from(f32_of(x) < f32_of(y))),
        Bin::LeF32 => ok(u64::from(f32_of(x) <= f32_of(y))),
        Bin::EqF64 => ok(u64::from(f64::from_bits(x) == f64::from_bits(y))),
        Bin::NeF64 => ok(u64::from(f64::from_bits(x) != f64::from_bits(y))),
        Bin::LtF64 => ok(u64::from(f64::from_bits(x) < f64::from_bits(y))),
        Bin::LeF64 => ok(u64::from(f64::from_bits(x) <= f64::from_bits(y))),
    }
}

#[inline(always)]
fn shift(value: u64, by: u64, bits: u64) -> Computed {
    (value, (by >= bits).then_some(Undefined::Shift))
}

/// An operator on pairs; comparisons give 0 or 1.
pub(crate) fn wide(k: Wide, x: u128, y: u128) -> (u128, Option<Undefined>) {
    let (a, b) = (x as i128, y as i128);
    let ok = |v: u128| (v, None);
    let signed = |(v, over): (i128, bool)| (v as u128, over.then_some(Undefined::Overflow));
    let shift = |v: u128| (v, (y >= 128).then_some(Undefined::Shift));
    match k {
        Wide::AddS => signed(a.overflowing_add(b)),
        Wide::SubS => signed(a.overflowing_sub(b)),
        Wide::MulS => signed(a.overflowing_mul(b)),
        Wide::AddU => ok(x.wrapping_add(y)),
        Wide::SubU => ok(x.wrapping_sub(y)),
        Wide::MulU => ok(x.wrapping_mul(y)),
        Wide::DivS | Wide::DivU | Wide::RemS | Wide::RemU if y == 0 => {
            (0, Some(Undefined::DivisionByZero))
        }
        Wide::DivS => signed(a.overflowing_div(b)),
        Wide::RemS => signed(a.overflowing_rem(b)),
        Wide::DivU => ok(x / y),
        Wide::RemU => ok(x % y),
        Wide::And => ok(x & y),
        Wide::Or => ok(x | y),
        Wide::Xor => ok(x ^ y),
        Wide::ShlS if y < 128 => {
            let value = a.wrapping_shl(y as u32);
            signed((value, value >> y != a))
        }
        Wide::Shl | Wide::ShlS => shift(x.wrapping_shl(y as u32)),
        Wide::ShrS => shift(a.wrapping_shr(y as u32) as u128),
        Wide::ShrU => shift(x.wrapping_shr(y as u32)),
        Wide::Eq => ok(u128::from(x == y)),
        Wide::Ne => ok(u128::from(x != y)),
        Wide::LtS => ok(u128::from(a < b)),
        Wide::LtU => ok(u128::from(x < y)),
        Wide::LeS => ok(u128::from(a <= b)),
        Wide::LeU => ok(u128::from(x <= y)),
    }
}

/// A conversion of one register to one register.
#[inline(always)]
pub(crate) fn conv(k: Conv, x: u64) -> Computed {
    let ok = |v: u64| (v, None);
    match k {
        Conv::S8 => ok(i64::from(x as i8) as u64),
        Conv::U8 => ok(u64::from(x as u8)),
        Conv::S16 => ok(i64::from(x as i16) as u64),
        Conv::U16 => ok(u64::from(x as u16)),
        Conv::S32 => ok(i64::from(x as i32) as u64),
        Conv::U32 => ok(u64::from(x as u32)),
        Conv::Signed(bits) => {
            let up = 64 - u32::from(bits);
            ok((((x << up) as i64) >> up) as u64)
        }
        Conv::Unsigned(bits) => {
            let up = 64 - u32::from(bits);
            ok((x << up) >> up)
        }
        Conv::NegI32 => {
            let (v, over) = (x as i32).overflowing_neg();
            (i64::from(v) as u64, over.then_some(Undefined::Overflow))
        }
        Conv::NegU32 => ok(u64::from((x as u32).wrapping_neg())),
        Conv::NegI64 => {
            let (v, over) = (x as i64).overflowing_neg();
            (v as u64, over.then_some(Undefined::Overflow))
        }
        Conv::NegU64 => ok(x.wrapping_neg()),
        Conv::Not => ok(!x),
        Conv::NegF32 => ok(bits32(-f32_of(x))),
        Conv::NegF64 => ok((-f64::from_bits(x)).to_bits()),
        Conv::S64ToF64 => ok((x as i64 as f64).to_bits()),
        Conv::U64ToF64 => ok((x as f64).to_bits()),
        Conv::S64ToF32 => ok(bits32(x as i64 as f32)),
        Conv::U64ToF32 => ok(bits32(x as f32)),
        Conv::F32ToF64 => ok(f64::from(f32_of(x)).to_bits()),
        Conv::F64ToF32 => ok(bits32(f64::from_bits(x) as f32)),
        Conv::F64ToS(bits) => to_signed(f64::from_bits(x), bits),
        Conv::F64ToU(bits) => to_unsigned(f64::from_bits(x), bits),
        Conv::F32ToS(bits) => to_signed(f64::from(f32_of(x)), bits),
        Conv::F32ToU(bits) => to_unsigned(f64::from(f32_of(x)), bits),
        // These have pairs.
        Conv::WideS
        | Conv::WideU
        | Conv::NegWide
        | Conv::NotWide
        | Conv::WideSToF64
        | Conv::WideUToF64
        | Conv::WideSToF32
        | Conv::WideUToF32
        | Conv::F64ToWideS
        | Conv::F64ToWideU => ok(x),
    }
}

/// As the processor's instructions do it where the value does not fit.
fn to_signed(x: f64, bits: u8) -> Computed {
    let half = 2f64.powi(i32::from(bits) - 1);
    let fits = x > -half - 1.0 && x < half;
    let undefined = (!fits).then_some(Undefined::FloatToInt);
    let value = if bits <= 32 {
        let inside = x > -2_147_483_649.0 && x < 2_147_483_648.0;
        i64::from(if inside { x as i32 } else { i32::MIN })
    } else {
        word(x)
    };
    let up = 64 - u32::from(bits);
    (((value << up) >> up) as u64, undefined)
}

fn to_unsigned(x: f64, bits: u8) -> Computed {
    let fits = x > -1.0 && x < 2f64.powi(i32::from(bits));
    let undefined = (!fits).then_some(Undefined::FloatToInt);
    let value = match bits {
        0..=16 => {
            let inside = x > -2_147_483_649.0 && x < 2_147_483_648.0;
            i64::from(if inside { x as i32 } else { i32::MIN }) as u64
        }
        17..=32 => word(x) as u64,
        _ if x < 9_223_372_036_854_775_808.0 => word(x) as u64,
        _ => word(x - 9_223_372_036_854_775_808.0) as u64 ^ (1 << 63),
    };
    let up = 64 - u32::from(bits);
    ((value << up) >> up, undefined)
}

fn word(x: f64) -> i64 {
    let inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x);
    if inside { x as i64 } else { i64::MIN }
}
