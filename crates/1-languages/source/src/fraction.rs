//! Numbers that a program is given, whole ones and others, in one notation.
//!
//! A list of inputs is a list of whole numbers. A number that is none (1.5, -0.0, infinity, NaN), or one that is too large
//! for `long long`, has a whole number of its own far beyond those of C's types: [`FIRST`] plus the bits of the `double`.
//! Functions here are the only ones that know.

/// The one that stands for the `double` whose bits are 0.
const FIRST: i128 = 1 << 96;

/// The number as an input.
pub fn of(x: f64) -> i128 {
    let whole = x.fract() == 0.0 && x.abs() < 9e15 && !(x == 0.0 && x.is_sign_negative());
    if whole { x as i128 } else { FIRST + i128::from(x.to_bits()) }
}

/// The number that an input is.
pub fn value(input: i128) -> f64 {
    bits(input).map_or(input as f64, f64::from_bits)
}

/// The input as a whole number.
pub fn whole(input: i128) -> i128 {
    bits(input).map_or(input, |bits| f64::from_bits(bits) as i128)
}

fn bits(input: i128) -> Option<u64> {
    u64::try_from(input.checked_sub(FIRST)?).ok()
}

/// The input for people, and for [`read`].
pub fn shown(input: i128) -> String {
    match bits(input).map(f64::from_bits) {
        None => input.to_string(),
        // Which one it is matters to nobody, but the same text must give the same bits.
        Some(x) if x.is_nan() && x.to_bits() != f64::NAN.to_bits() => {
            format!("nan:{:x}", x.to_bits())
        }
        Some(x) if x.is_nan() => "nan".to_owned(),
        Some(x) => format!("{x:?}"),
    }
}

/// An input that was [`shown`].
pub fn read(text: &str) -> Option<i128> {
    if let Ok(whole) = text.parse() {
        return Some(whole);
    }
    if let Some(digits) = text.strip_prefix("nan:") {
        let x = f64::from_bits(u64::from_str_radix(digits, 16).ok()?);
        return x.is_nan().then(|| of(x));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    if !text.chars().all(plain) {
        return None;
    }
    text.parse().ok().map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let many = [
            0.0,
            -0.0,
            1.0,
            -7.0,
            1.5,
            0.1,
            -2.5e-300,
            5e-324,
            1e15,
            1e16,
            9.3e18,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            f64::from_bits(0x7ff0_0000_0000_0001),
        ];
        for x in many {
            let input = of(x);
            assert_eq!(value(input).to_bits(), x.to_bits(), "{x}");
            assert_eq!(read(&shown(input)), Some(input), "{}", shown(input));
        }
        for whole in [0, -1, i128::from(i64::MIN), i128::from(u64::MAX), -(1 << 64)] {
            assert_eq!(shown(whole), whole.to_string());
            assert_eq!(read(&whole.to_string()), Some(whole));
            assert_eq!(value(whole), whole as f64);
        }
        assert_eq!([whole(of(-2.5)), whole(-7)], [-2, -7]);
        assert_eq!([of(3.0), of(-1e6)], [3, -1_000_000]);
        let told = [1.5, -0.0, f64::INFINITY, f64::NAN].map(|x| shown(of(x)));
        assert_eq!(told, ["1.5", "-0.0", "inf", "nan"]);
        assert_eq!(["", "x", "0x", "nan:0", "1 2"].map(read), [None; 5]);
    }
}
