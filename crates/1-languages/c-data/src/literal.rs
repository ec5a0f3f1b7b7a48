//! Numbers, characters and strings as they are written.

use crate::lower::{Lowered, Lowerer};
use crate::program::ObjectId;
use c_types::{FloatKind, IntKind, Ty};

/// A constant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Literal {
    Int(i128, IntKind),
    Float(f64, FloatKind),
}

/// A number without the `i` or `j` of imaginary ones, and whether there was one.
pub(crate) fn without_unit(text: &str) -> (String, bool) {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let unit = |c: char| matches!(c, 'i' | 'I' | 'j' | 'J');
    match is_number && text.contains(unit) {
        true => (text.replace(unit, ""), true),
        false => (text.to_owned(), false),
    }
}

/// The value of a number or character; `wide` if `long` has 64 bits.
pub(crate) fn number(text: &str, wide: bool) -> Option<Literal> {
    if text.ends_with('\'') {
        return character(text);
    }
    let lower = text.to_ascii_lowercase().replace('\'', "");
    let hex = lower.starts_with("0x");
    let is_float = if hex {
        lower.contains('p') || lower.contains('.')
    } else {
        lower.contains('.') || (lower.contains('e') && !lower.starts_with("0b"))
    };
    if is_float {
        return fraction(&lower, hex);
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let (number, decimal) = if let Some(digits) = digits.strip_prefix("0x") {
        (parse(digits, 16)?, false)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        (parse(digits, 2)?, false)
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
    let bits = [32, if wide { 64 } else { 32 }, 64];
    let kinds = [IntKind::Int, IntKind::Long, IntKind::LongLong];
    for (kind, bits) in kinds.into_iter().zip(bits).skip(longs) {
        if !unsigned && number < 1 << (bits - 1) {
            return Some(Literal::Int(number, kind));
        }
        if (unsigned || !decimal) && number < 1 << bits {
            return Some(Literal::Int(number, kind.unsigned()));
        }
    }
    // gcc takes what is left for the widest type.
    (number < 1 << 64).then_some(Literal::Int(number, IntKind::Int128))
}

fn parse(digits: &str, radix: u32) -> Option<i128> {
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok()
}

fn fraction(text: &str, hex: bool) -> Option<Literal> {
    let (body, kind) = if let Some(body) = text.strip_suffix("f32").or(text.strip_suffix("f64")) {
        (body, if text.ends_with("32") { FloatKind::Float } else { FloatKind::Double })
    } else if let Some(body) = text.strip_suffix('f').filter(|b| !hex || b.contains('p')) {
        (body, FloatKind::Float)
    } else if let Some(body) = text.strip_suffix('l') {
        (body, FloatKind::LongDouble)
    } else {
        (text, FloatKind::Double)
    };
    let value = if hex {
        hex_fraction(body)?
    } else if kind == FloatKind::Float {
        f64::from(body.parse::<f32>().ok()?)
    } else {
        body.parse().ok()?
    };
    // What `long double` has and `double` has not is no number here.
    let digits = body.split(['e', 'p']).next().unwrap_or(body).trim_start_matches("0x");
    let lost = value.is_infinite() || value == 0.0 && digits.contains(|c| ('1'..='f').contains(&c));
    if kind == FloatKind::LongDouble && lost {
        return None;
    }
    Some(Literal::Float(value, kind))
}

/// `0x1.8p3`
pub(crate) fn hex_fraction(text: &str) -> Option<f64> {
    let body = text.strip_prefix("0x")?;
    let (mantissa, exponent) = body.split_once('p').unwrap_or((body, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let mut exponent = exponent.clamp(-1_000_000, 1_000_000);
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut bits: u128 = 0;
    let mut sticky = false;
    for (i, c) in whole.chars().chain(part.chars()).enumerate() {
        let digit = c.to_digit(16)?;
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            if i >= whole.len() {
                exponent -= 4;
            }
        } else {
            sticky |= digit != 0;
            if i < whole.len() {
                exponent += 4;
            }
        }
    }
    bits |= u128::from(sticky);
    // Two steps, so that neither is out of range; the first one is exact.
    let half = exponent.clamp(-4000, 4000) / 2;
    let rest = exponent.clamp(-4000, 4000) - half;
    Some(bits as f64 * 2f64.powi(half as i32) * 2f64.powi(rest as i32))
}

fn character(text: &str) -> Option<Literal> {
    let open = text.find('\'')?;
    let prefix = &text[..open];
    let body = text[open + 1..].strip_suffix('\'')?;
    let units = decode(body, prefix == "L" || prefix == "U" || prefix == "u")?;
    if prefix.is_empty() || prefix == "u8" {
        // Several characters are one number, as gcc has it.
        let mut value: u32 = 0;
        for unit in &units {
            value = value << 8 | (unit & 0xff);
        }
        return Some(match units.len() {
            1 => Literal::Int(i128::from(value as u8 as i8), IntKind::Int),
            _ => Literal::Int(i128::from(value as i32), IntKind::Int),
        });
    }
    let unit = *units.last()?;
    Some(match prefix {
        "L" => Literal::Int(i128::from(unit as i32), IntKind::Int),
        "u" => Literal::Int(i128::from(unit as u16), IntKind::UnsignedShort),
        _ => Literal::Int(i128::from(unit), IntKind::Unsigned),
    })
}

/// The characters between quotes: bytes, or code points where they are wide.
fn decode(body: &str, wide: bool) -> Option<Vec<u32>> {
    let mut out = Vec::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            match wide {
                true => out.push(c as u32),
                false => match front_c::stray_byte(c) {
                    Some(byte) => out.push(byte.into()),
                    None => {
                        let mut buffer = [0; 4];
                        out.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
                    }
                },
            }
            continue;
        }
        let escape = chars.next()?;
        let value = match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            'x' => {
                let mut value = 0u32;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_shl(4) | digit;
                    chars.next();
                }
                if wide { value } else { value & 0xff }
            }
            'u' | 'U' => {
                let count = if escape == 'u' { 4 } else { 8 };
                let mut value = 0u32;
                for _ in 0..count {
                    value = value << 4 | chars.next()?.to_digit(16)?;
                }
                if !wide {
                    let mut buffer = [0; 4];
                    let c = char::from_u32(value)?;
                    out.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
                    continue;
                }
                value
            }
            '\n' => continue,
            c if c.is_digit(8) => {
                let mut value = c.to_digit(8)?;
                for _ in 0..2 {
                    match chars.peek().and_then(|c| c.to_digit(8)) {
                        Some(digit) => {
                            value = value << 3 | digit;
                            chars.next();
                        }
                        None => break,
                    }
                }
                if wide { value } else { value & 0xff }
            }
            other => other as u32,
        };
        out.push(value);
    }
    Some(out)
}

/// The strings in a piece of preprocessed text, prefixes included. Line markers may stand between them.
fn pieces(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        let Some(open) = rest.find('"') else { return out };
        let prefix = rest[..open].trim().to_owned();
        let body = &rest[open + 1..];
        let mut escaped = false;
        let mut end = body.len();
        for (i, c) in body.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    end = i;
                    break;
                }
                _ => {}
            }
        }
        out.push((prefix, body[..end].to_owned()));
        rest = body.get(end + 1..).unwrap_or("");
    }
}

impl Lowerer<'_> {
    /// The bytes of a string with its final zero, the size of a character, and its type.
    pub(crate) fn string(&mut self, e: front_c::ExprId) -> Lowered<(Vec<u8>, u64, Ty)> {
        let unit = self.unit();
        let node = unit.expr(e);
        let pieces = pieces(unit.slice(node.at.offset, node.end));
        let prefix = pieces.iter().map(|p| p.0.as_str()).find(|p| !p.is_empty()).unwrap_or("");
        let (size, kind) = match prefix {
            "" | "u8" => (1, IntKind::Char),
            "L" => (4, IntKind::Int),
            "u" => (2, IntKind::UnsignedShort),
            "U" => (4, IntKind::Unsigned),
            other => return self.gap(format!("strings with `{other}` before them")),
        };
        let mut bytes = Vec::new();
        for (_, body) in &pieces {
            let Some(units) = decode(body, size > 1) else { return self.gap("such a string") };
            for unit in units {
                let width = size as usize;
                // Two bytes hold a code point, or a half of one.
                if size == 2 && unit > 0xffff {
                    let v = unit - 0x10000;
                    for half in [0xd800 + (v >> 10), 0xdc00 + (v & 0x3ff)] {
                        bytes.extend_from_slice(&half.to_le_bytes()[..2]);
                    }
                } else {
                    bytes.extend_from_slice(&unit.to_le_bytes()[..width]);
                }
            }
        }
        bytes.extend(std::iter::repeat_n(0, size as usize));
        let ty = self.types.int(kind);
        Ok((bytes, size, ty))
    }

    /// The object that holds a string; equal strings share one.
    pub(crate) fn string_object(&mut self, bytes: Vec<u8>, unit: u64, ty: Ty) -> ObjectId {
        let key = (bytes, unit);
        if let Some(&object) = self.strings.get(&key) {
            return object;
        }
        let shown: String = String::from_utf8_lossy(&key.0[..key.0.len() - unit as usize])
            .chars()
            .take(24)
            .flat_map(char::escape_debug)
            .collect();
        let own = self.u < self.own;
        let object = self.object(&format!("\"{shown}\""), ty, 1, own);
        self.objects[object.index()].bytes.clone_from(&key.0);
        self.objects[object.index()].size = key.0.len() as u64;
        self.objects[object.index()].read_only = true;
        self.strings.insert(key, object);
        object
    }
}
