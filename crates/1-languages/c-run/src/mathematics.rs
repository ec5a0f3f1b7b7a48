//! Functions on numbers.

use crate::machine::{Args, Machine, Stop};

type F = fn(&mut Machine<'_>, Args) -> Result<u64, Stop>;

macro_rules! one {
    ($double:expr) => {
        |_, a| {
            let f: fn(f64) -> f64 = $double;
            Ok(f(f64::from_bits(a.values[0])).to_bits())
        }
    };
}
macro_rules! one_f {
    ($float:expr) => {
        |_, a| {
            let f: fn(f32) -> f32 = $float;
            Ok(u64::from(f(f32::from_bits(a.values[0] as u32)).to_bits()))
        }
    };
}
macro_rules! two {
    ($double:expr) => {
        |_, a| {
            let f: fn(f64, f64) -> f64 = $double;
            Ok(f(f64::from_bits(a.values[0]), f64::from_bits(a.values[1])).to_bits())
        }
    };
}
macro_rules! two_f {
    ($float:expr) => {
        |_, a| {
            let f: fn(f32, f32) -> f32 = $float;
            let (x, y) = (a.values[0] as u32, a.values[1] as u32);
            Ok(u64::from(f(f32::from_bits(x), f32::from_bits(y)).to_bits()))
        }
    };
}

/// Functions that are known for each type.
const NAMES: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "cbrt",
    "floor",
    "ceil",
    "trunc",
    "round",
    "rint",
    "nearbyint",
    "fabs",
    "pow",
    "fmod",
    "atan2",
    "hypot",
    "fmax",
    "fmin",
    "copysign",
    "fdim",
    "ldexp",
    "scalbn",
    "frexp",
    "modf",
    "lround",
    "lrint",
    "llround",
    "llrint",
    "fma",
    "isnan",
    "isinf",
    "finite",
    "signbit",
    "nextafter",
    "nexttoward",
    "remainder",
    "drem",
    "remquo",
    "ilogb",
    "logb",
    "scalbln",
    "exp10",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "roundeven",
];

/// The function of a name, if it is one on numbers with fractions.
pub(crate) fn native(name: &str) -> Option<F> {
    // `long double` is computed as `double`; `f` at the end says `float`.
    let base = name.strip_prefix("__").unwrap_or(name);
    let (base, float) = match () {
        () if NAMES.contains(&base) => (base, false),
        () => match (base.strip_suffix('f'), base.strip_suffix('l')) {
            (Some(base), _) if NAMES.contains(&base) => (base, true),
            // What is written through a pointer would have another size.
            (_, Some("modf")) => return None,
            (_, Some(base)) if NAMES.contains(&base) => (base, false),
            _ => return None,
        },
    };
    Some(match (base, float) {
        ("sin", false) => one!(f64::sin),
        ("cos", false) => one!(f64::cos),
        ("tan", false) => one!(f64::tan),
        ("asin", false) => one!(f64::asin),
        ("acos", false) => one!(f64::acos),
        ("atan", false) => one!(f64::atan),
        ("sinh", false) => one!(f64::sinh),
        ("cosh", false) => one!(f64::cosh),
        ("tanh", false) => one!(f64::tanh),
        // Those of the standard library are other formulas than the GNU library's.
        ("asinh", false) => one!(libm::asinh),
        ("acosh", false) => one!(libm::acosh),
        ("atanh", false) => one!(libm::atanh),
        ("asinh", true) => one_f!(libm::asinhf),
        ("acosh", true) => one_f!(libm::acoshf),
        ("atanh", true) => one_f!(libm::atanhf),
        ("expm1", true) => one_f!(f32::exp_m1),
        ("log1p", true) => one_f!(f32::ln_1p),
        ("erf", false) => one!(libm::erf),
        ("erf", true) => one_f!(libm::erff),
        ("erfc", false) => one!(libm::erfc),
        ("erfc", true) => one_f!(libm::erfcf),
        ("tgamma", false) => one!(libm::tgamma),
        ("tgamma", true) => one_f!(libm::tgammaf),
        ("lgamma", false) => one!(libm::lgamma),
        ("lgamma", true) => one_f!(libm::lgammaf),
        ("exp10", false) => one!(libm::exp10),
        ("roundeven", false) => one!(f64::round_ties_even),
        ("roundeven", true) => one_f!(f32::round_ties_even),
        ("logb", false) => one!(|x| exponent(x).map_or_else(|rest| rest, f64::from)),
        ("logb", true) => {
            one_f!(|x| exponent(f64::from(x)).map_or_else(|rest| rest, f64::from) as f32)
        }
        ("exp", false) => one!(f64::exp),
        ("exp2", false) => one!(f64::exp2),
        ("expm1", false) => one!(f64::exp_m1),
        ("log", false) => one!(f64::ln),
        ("log2", false) => one!(f64::log2),
        ("log10", false) => one!(f64::log10),
        ("log1p", false) => one!(f64::ln_1p),
        ("sqrt", false) => one!(f64::sqrt),
        ("cbrt", false) => one!(f64::cbrt),
        ("floor", false) => one!(f64::floor),
        ("ceil", false) => one!(f64::ceil),
        ("trunc", false) => one!(f64::trunc),
        ("round", false) => one!(f64::round),
        ("rint" | "nearbyint", false) => one!(f64::round_ties_even),
        ("fabs", false) => one!(f64::abs),
        ("sin", true) => one_f!(f32::sin),
        ("cos", true) => one_f!(f32::cos),
        ("tan", true) => one_f!(f32::tan),
        ("asin", true) => one_f!(f32::asin),
        ("acos", true) => one_f!(f32::acos),
        ("atan", true) => one_f!(f32::atan),
        ("sinh", true) => one_f!(f32::sinh),
        ("cosh", true) => one_f!(f32::cosh),
        ("tanh", true) => one_f!(f32::tanh),
        ("exp", true) => one_f!(f32::exp),
        ("exp2", true) => one_f!(f32::exp2),
        ("log", true) => one_f!(f32::ln),
        ("log2", true) => one_f!(f32::log2),
        ("log10", true) => one_f!(f32::log10),
        ("sqrt", true) => one_f!(f32::sqrt),
        ("cbrt", true) => one_f!(f32::cbrt),
        ("floor", true) => one_f!(f32::floor),
        ("ceil", true) => one_f!(f32::ceil),
        ("trunc", true) => one_f!(f32::trunc),
        ("round", true) => one_f!(f32::round),
        ("rint" | "nearbyint", true) => one_f!(f32::round_ties_even),
        ("fabs", true) => one_f!(f32::abs),
        _ => return special(base, float),
    })
}

/// Functions with several operands, or with results that are no fractions.
fn special(base: &str, float: bool) -> Option<F> {
    Some(match (base, float) {
        ("pow", false) => two!(f64::powf),
        ("pow", true) => two_f!(f32::powf),
        ("fmod", false) => two!(|x, y| x % y),
        ("fmod", true) => two_f!(|x, y| x % y),
        ("atan2", false) => two!(f64::atan2),
        ("atan2", true) => two_f!(f32::atan2),
        ("hypot", false) => two!(f64::hypot),
        ("hypot", true) => two_f!(f32::hypot),
        ("fmax", false) => two!(f64::max),
        ("fmax", true) => two_f!(f32::max),
        ("fmin", false) => two!(f64::min),
        ("fmin", true) => two_f!(f32::min),
        ("copysign", false) => two!(f64::copysign),
        ("copysign", true) => two_f!(f32::copysign),
        ("fdim", false) => two!(|x, y| if x > y { x - y } else { 0.0 }),
        ("fdim", true) => two_f!(|x, y| if x > y { x - y } else { 0.0 }),
        ("nextafter", false) => two!(libm::nextafter),
        ("nextafter", true) => two_f!(libm::nextafterf),
        ("nexttoward", false) => two!(libm::nextafter),
        ("remainder" | "drem", false) => two!(libm::remainder),
        ("remainder" | "drem", true) => two_f!(libm::remainderf),
        ("remquo", false) => |m, a| {
            let (rest, quotient) =
                remainder_and_quotient(f64::from_bits(a.values[0]), f64::from_bits(a.values[1]));
            m.memory.write(a.values[2], 4)?.copy_from_slice(&quotient.to_le_bytes());
            Ok(rest.to_bits())
        },
        ("ilogb", false) => |_, a| Ok(whole_exponent(f64::from_bits(a.values[0]))),
        ("ilogb", true) => |_, a| Ok(whole_exponent(f64::from(f32::from_bits(a.values[0] as u32)))),
        ("scalbln", false) => |_, a| {
            let by = (a.values[1] as i64).clamp(-5000, 5000) as i32;
            Ok(scaled(f64::from_bits(a.values[0]), by).to_bits())
        },
        ("ldexp" | "scalbn", false) => |_, a| {
            let (x, by) = (f64::from_bits(a.values[0]), a.values[1] as i32);
            Ok(scaled(x, by).to_bits())
        },
        ("ldexp" | "scalbn", true) => |_, a| {
            let x = f64::from(f32::from_bits(a.values[0] as u32));
            Ok(u64::from((scaled(x, a.values[1] as i32) as f32).to_bits()))
        },
        ("frexp", false) => |m, a| {
            let (fraction, exponent) = parts(f64::from_bits(a.values[0]));
            m.memory.write(a.values[1], 4)?.copy_from_slice(&exponent.to_le_bytes());
            Ok(fraction.to_bits())
        },
        ("frexp", true) => |m, a| {
            let (fraction, exponent) = parts(f64::from(f32::from_bits(a.values[0] as u32)));
            m.memory.write(a.values[1], 4)?.copy_from_slice(&exponent.to_le_bytes());
            Ok(u64::from((fraction as f32).to_bits()))
        },
        ("modf", true) => |m, a| {
            let x = f32::from_bits(a.values[0] as u32);
            let whole = x.trunc();
            m.memory.write(a.values[1], 4)?.copy_from_slice(&whole.to_le_bytes());
            let rest = if x.is_infinite() { 0.0 } else { x - whole };
            Ok(u64::from(rest.copysign(x).to_bits()))
        },
        ("lrint" | "llrint", true) => {
            |_, a| Ok(f32::from_bits(a.values[0] as u32).round_ties_even() as i64 as u64)
        }
        ("fma", true) => |_, a| {
            let [x, y, z, ..] = a.values.map(|v| f32::from_bits(v as u32));
            Ok(u64::from(x.mul_add(y, z).to_bits()))
        },
        ("finite", true) => |_, a| Ok(u64::from(f32::from_bits(a.values[0] as u32).is_finite())),
        ("modf", false) => |m, a| {
            let x = f64::from_bits(a.values[0]);
            let whole = x.trunc();
            m.memory.write(a.values[1], 8)?.copy_from_slice(&whole.to_le_bytes());
            let rest = if x.is_infinite() { 0.0 } else { x - whole };
            Ok(rest.copysign(x).to_bits())
        },
        ("lround" | "llround", false) => {
            |_, a| Ok(f64::from_bits(a.values[0]).round() as i64 as u64)
        }
        ("lrint" | "llrint", false) => {
            |_, a| Ok(f64::from_bits(a.values[0]).round_ties_even() as i64 as u64)
        }
        ("lround" | "llround", true) => {
            |_, a| Ok(f32::from_bits(a.values[0] as u32).round() as i64 as u64)
        }
        ("fma", false) => |_, a| {
            let [x, y, z, ..] = a.values.map(f64::from_bits);
            Ok(x.mul_add(y, z).to_bits())
        },
        ("isnan", false) => |_, a| Ok(u64::from(f64::from_bits(a.values[0]).is_nan())),
        ("isnan", true) => |_, a| Ok(u64::from(f32::from_bits(a.values[0] as u32).is_nan())),
        ("isinf", false) => |_, a| {
            let x = f64::from_bits(a.values[0]);
            let sign = if x > 0.0 { 1i64 } else { -1 };
            Ok(if x.is_infinite() { sign as u64 } else { 0 })
        },
        ("isinf", true) => |_, a| {
            let x = f32::from_bits(a.values[0] as u32);
            let sign = if x > 0.0 { 1i64 } else { -1 };
            Ok(if x.is_infinite() { sign as u64 } else { 0 })
        },
        ("finite", false) => |_, a| Ok(u64::from(f64::from_bits(a.values[0]).is_finite())),
        ("signbit", false) => |_, a| Ok(a.values[0] >> 63),
        ("signbit", true) => |_, a| Ok(a.values[0] >> 31 & 1),
        _ => return None,
    })
}

fn scaled(x: f64, by: i32) -> f64 {
    let by = by.clamp(-4000, 4000);
    // In steps that stay in range; the last one rounds.
    let mut left = by;
    let mut x = x;
    while left > 1000 {
        x *= 2f64.powi(1000);
        left -= 1000;
    }
    while left < -1000 {
        x *= 2f64.powi(-1000);
        left += 1000;
    }
    x * 2f64.powi(left)
}

fn parts(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (x, more) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(64), -64) } else { (x, 0) };
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1022;
    let fraction = f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52);
    (fraction, exponent + more)
}

/// The exponent of the highest bit; what `logb` gives where there is none.
fn exponent(x: f64) -> Result<i32, f64> {
    match x {
        _ if x == 0.0 => Err(f64::NEG_INFINITY),
        _ if !x.is_finite() => Err(x * x),
        _ => Ok(parts(x).1 - 1),
    }
}

fn whole_exponent(x: f64) -> u64 {
    let found = match exponent(x) {
        Ok(e) => e,
        Err(_) if x == 0.0 || x.is_nan() => i32::MIN,
        Err(_) => i32::MAX,
    };
    i64::from(found) as u64
}

/// `remquo`: of the quotient there is as much as the GNU library gives, 0 to 8.
fn remainder_and_quotient(x: f64, y: f64) -> (f64, i32) {
    if !x.is_finite() || y.is_nan() || y == 0.0 {
        return (f64::NAN, 0);
    }
    let (mut rest, by) = (x.abs(), y.abs());
    if by <= f64::MAX / 8.0 {
        rest %= 8.0 * by;
    }
    let mut quotient = 0;
    for (times, limit) in [(4, f64::MAX / 4.0), (2, f64::MAX / 2.0)] {
        let part = f64::from(times) * by;
        if by <= limit && rest >= part {
            rest -= part;
            quotient += times;
        }
    }
    // To the nearest, in at most two steps; half of `by` may not be a number where it is tiny.
    let far = |rest: f64, also_half: bool| match by < 2.0 * f64::MIN_POSITIVE {
        true => rest + rest > by || also_half && rest + rest >= by,
        false => rest > 0.5 * by || also_half && rest >= 0.5 * by,
    };
    if far(rest, false) {
        rest -= by;
        quotient += 1;
        if far(rest, true) {
            rest -= by;
            quotient += 1;
        }
    }
    let rest = if rest == 0.0 { 0.0 } else { rest };
    let sign = if x.is_sign_negative() == y.is_sign_negative() { 1 } else { -1 };
    (if x.is_sign_negative() { -rest } else { rest }, sign * quotient)
}

/// Functions on bits.
pub(crate) fn bits(name: &str) -> Option<F> {
    let base = name.trim_end_matches('l');
    // `long` is as wide as a pointer.
    Some(match (base, name.len() - base.len()) {
        ("c", _) => return None,
        ("clz", 0) => |m, a| {
            m.no_zero(a.values[0] as u32 as u64, "clz");
            Ok(u64::from((a.values[0] as u32).leading_zeros()))
        },
        ("clz", longs) => match longs {
            1 => |m, a| {
                m.no_zero(a.values[0], "clz");
                match m.pointer {
                    8 => Ok(u64::from(a.values[0].leading_zeros())),
                    _ => Ok(u64::from((a.values[0] as u32).leading_zeros())),
                }
            },
            _ => |m, a| {
                m.no_zero(a.values[0], "clz");
                Ok(u64::from(a.values[0].leading_zeros()))
            },
        },
        ("ctz", 0) => |m, a| {
            m.no_zero(a.values[0] as u32 as u64, "ctz");
            Ok(u64::from((a.values[0] as u32).trailing_zeros()))
        },
        ("ctz", _) => |m, a| {
            m.no_zero(a.values[0], "ctz");
            Ok(u64::from(a.values[0].trailing_zeros()))
        },
        ("popcount", 0) => |_, a| Ok(u64::from((a.values[0] as u32).count_ones())),
        ("popcount", _) => |_, a| Ok(u64::from(a.values[0].count_ones())),
        ("parity", 0) => |_, a| Ok(u64::from((a.values[0] as u32).count_ones() & 1)),
        ("parity", _) => |_, a| Ok(u64::from(a.values[0].count_ones() & 1)),
        ("ffs", 0) => |_, a| Ok(first(u64::from(a.values[0] as u32))),
        ("ffs", _) => |_, a| Ok(first(a.values[0])),
        ("clrsb", 0) => |_, a| {
            let x = a.values[0] as i32;
            Ok(u64::from((if x < 0 { !x } else { x }).leading_zeros() - 1))
        },
        ("clrsb", longs) => match longs {
            1 => |m, a| {
                let x = a.values[0] as i64;
                let bits = (if x < 0 { !x } else { x }).leading_zeros() - 1;
                Ok(u64::from(if m.pointer == 8 { bits } else { bits - 32 }))
            },
            _ => |_, a| {
                let x = a.values[0] as i64;
                Ok(u64::from((if x < 0 { !x } else { x }).leading_zeros() - 1))
            },
        },
        _ => return None,
    })
}

fn first(x: u64) -> u64 {
    if x == 0 { 0 } else { u64::from(x.trailing_zeros()) + 1 }
}
