//! The values of numbers and characters as they are written.

use crate::{Int, Model, Scalar, Value};

/// The value of an integer or character constant, with the type that C gives it. None for constants with
/// a fraction, wide characters and what is no constant.
pub fn literal(text: &str, model: &Model) -> Option<Value> {
    if let Some(body) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        return character(body, model);
    }
    let lower = text.to_ascii_lowercase().replace('\'', "");
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let (number, decimal) = if let Some(hex) = digits.strip_prefix("0x") {
        (parse(hex, 16)?, false)
    } else if let Some(bits) = digits.strip_prefix("0b") {
        (parse(bits, 2)?, false)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (parse(&digits[1..], 8)?, false)
    } else {
        (parse(digits, 10)?, true)
    };
    let (unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return None,
    };
    // The first type of the list that has the value (C11 6.4.4.1).
    let widths = [32, model.long, 64];
    for &bits in &widths[longs..] {
        let signs: &[bool] = match (unsigned, decimal) {
            (true, _) => &[false],
            (false, true) => &[true],
            (false, false) => &[true, false],
        };
        for &signed in signs {
            let int = Int::new(bits, signed);
            if int.holds(number) {
                return Value::of(Scalar::Int(int), number, model);
            }
        }
    }
    None
}

fn parse(digits: &str, radix: u32) -> Option<i128> {
    // A sign would be read, too.
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok()
}

/// A character, an `int`; where it does not fit 7 bits, its sign is that of `char`.
fn character(body: &str, model: &Model) -> Option<Value> {
    let code = match body.strip_prefix('\\') {
        None => {
            let mut chars = body.chars();
            let first = chars.next().filter(|c| c.is_ascii() && *c != '\\')?;
            chars.next().is_none().then_some(i32::from(first as u8))?
        }
        Some(escape) => match escape {
            "n" => 10,
            "t" => 9,
            "r" => 13,
            "a" => 7,
            "b" => 8,
            "f" => 12,
            "v" => 11,
            "e" | "E" => 27,
            "\\" => 92,
            "'" => 39,
            "\"" => 34,
            "?" => 63,
            _ => {
                let number = match escape.strip_prefix('x') {
                    Some(hex) => parse(hex, 16)?,
                    None if escape.len() <= 3 => parse(escape, 8)?,
                    None => return None,
                };
                i32::from(u8::try_from(number).ok()?)
            }
        },
    };
    let char = Scalar::Int(Int::new(8, model.signed_char));
    Value::int(code).convert(char, model)?.convert(Scalar::INT, model)
}
