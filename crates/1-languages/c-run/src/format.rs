//! `printf`: conversions as the GNU library does them.

use crate::machine::{Machine, Stop};

/// Where arguments of `...` come from.
pub(crate) enum Source {
    /// The bytes that a call passed.
    Bytes(Vec<u8>, usize),
    /// A `va_list` at an address.
    List(u64),
}

impl Source {
    /// The bytes of the next argument.
    pub(crate) fn take(
        &mut self,
        m: &mut Machine<'_>,
        size: u64,
        align: u64,
    ) -> Result<Vec<u8>, Stop> {
        match self {
            Source::Bytes(bytes, at) => {
                if align > 8 {
                    *at = at.next_multiple_of(align as usize);
                }
                let end = *at + size as usize;
                let Some(found) = bytes.get(*at..end).map(<[u8]>::to_vec) else {
                    return Err(Stop::Undefined("an argument that was not passed".to_owned()));
                };
                *at += (size as usize).next_multiple_of(m.pointer as usize);
                Ok(found)
            }
            Source::List(list) => {
                let mut at = m.read_pointer(*list)?;
                if align > 8 {
                    at = at.wrapping_add(align - 1) & !(align - 1);
                }
                let found = m.memory.read(at, size)?.to_vec();
                let next = at.wrapping_add(size.next_multiple_of(m.pointer));
                m.write_pointer(*list, next)?;
                Ok(found)
            }
        }
    }

    pub(crate) fn int(&mut self, m: &mut Machine<'_>, size: u64) -> Result<u64, Stop> {
        let bytes = self.take(m, size, size)?;
        let mut out = [0; 8];
        out[..bytes.len()].copy_from_slice(&bytes);
        Ok(u64::from_le_bytes(out))
    }
    pub(crate) fn pointer(&mut self, m: &mut Machine<'_>) -> Result<u64, Stop> {
        let size = m.pointer;
        self.int(m, size)
    }
    fn float(&mut self, m: &mut Machine<'_>, long: bool) -> Result<f64, Stop> {
        if !long {
            return Ok(f64::from_bits(self.int(m, 8)?));
        }
        let (size, align) = if m.pointer == 8 { (16, 16) } else { (12, 4) };
        let bytes = self.take(m, size, align)?;
        let mut ten = [0; 10];
        ten.copy_from_slice(&bytes[..10]);
        Ok(c_data::extended::from_bytes(ten))
    }
}

#[derive(Default, Clone, Copy)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// The most characters of one conversion.
const MAX_WIDTH: usize = 1 << 20;

/// What `printf` writes.
pub(crate) fn format(
    m: &mut Machine<'_>,
    template: u64,
    source: &mut Source,
) -> Result<Vec<u8>, Stop> {
    let template = m.memory.string(template)?.to_vec();
    let mut out = Vec::with_capacity(template.len() + 16);
    let mut i = 0;
    while i < template.len() {
        if template[i] != b'%' {
            out.push(template[i]);
            i += 1;
            continue;
        }
        i += 1;
        let mut spec = Spec::default();
        while let Some(flag) = template.get(i) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                b'\'' => {}
                _ => break,
            }
            i += 1;
        }
        if template.get(i) == Some(&b'*') {
            i += 1;
            let width = source.int(m, 4)? as i32;
            spec.left |= width < 0;
            spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
        } else {
            (spec.width, i) = digits(&template, i);
        }
        if template.get(i) == Some(&b'.') {
            i += 1;
            if template.get(i) == Some(&b'*') {
                i += 1;
                let precision = source.int(m, 4)? as i32;
                spec.precision = usize::try_from(precision).ok().map(|p| p.min(MAX_WIDTH));
            } else {
                let (precision, next) = digits(&template, i);
                spec.precision = Some(precision);
                i = next;
            }
        }
        let start = i;
        while matches!(template.get(i), Some(b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b't' | b'Z'))
        {
            i += 1;
        }
        let length = &template[start..i];
        let Some(&conversion) = template.get(i) else { break };
        i += 1;
        one(m, source, spec, length, conversion, &mut out)?;
    }
    Ok(out)
}

fn digits(text: &[u8], mut i: usize) -> (usize, usize) {
    let mut value = 0usize;
    while let Some(digit) = text.get(i).filter(|b| b.is_ascii_digit()) {
        value = (value * 10 + usize::from(digit - b'0')).min(MAX_WIDTH);
        i += 1;
    }
    (value, i)
}

/// The bytes of an integer with a length modifier.
pub(crate) fn int_size(length: &[u8], pointer: u64) -> u64 {
    match length {
        b"hh" => 1,
        b"h" => 2,
        b"l" | b"z" | b"t" | b"Z" => pointer,
        b"ll" | b"q" | b"j" | b"L" => 8,
        _ => 4,
    }
}

fn one(
    m: &mut Machine<'_>,
    source: &mut Source,
    spec: Spec,
    length: &[u8],
    conversion: u8,
    out: &mut Vec<u8>,
) -> Result<(), Stop> {
    let size = int_size(length, m.pointer);
    match conversion {
        b'%' => out.push(b'%'),
        b'd' | b'i' => {
            let raw = source.int(m, size.max(4))?;
            let up = 64 - 8 * size as u32;
            let value = ((raw << up) as i64) >> up;
            let digits = value.unsigned_abs().to_string();
            integer(spec, if value < 0 { "-" } else { sign(spec) }, digits, out);
        }
        b'u' | b'o' | b'x' | b'X' => {
            let raw = source.int(m, size.max(4))?;
            let up = 64 - 8 * size as u32;
            let value = (raw << up) >> up;
            let mut spec = spec;
            let (prefix, digits) = match conversion {
                b'u' => ("", value.to_string()),
                b'o' => {
                    let digits = format!("{value:o}");
                    if spec.alternate && !(value == 0 && spec.precision.is_none()) {
                        spec.precision = Some(spec.precision.unwrap_or(0).max(digits.len() + 1));
                        if value == 0 {
                            spec.precision = Some(1);
                        }
                    }
                    ("", digits)
                }
                b'x' => {
                    (if spec.alternate && value != 0 { "0x" } else { "" }, format!("{value:x}"))
                }
                _ => (if spec.alternate && value != 0 { "0X" } else { "" }, format!("{value:X}")),
            };
            integer(spec, prefix, digits, out);
        }
        b'c' => {
            let value = source.int(m, 4)?;
            let mut bytes = vec![value as u8];
            if length == b"l" {
                let c = char::from_u32(value as u32).unwrap_or('?');
                bytes = c.to_string().into_bytes();
            }
            padded(spec, &bytes, out);
        }
        b's' => {
            let address = source.pointer(m)?;
            let mut bytes = match address {
                0 => b"(null)".to_vec(),
                _ if length == b"l" => wide_string(m, address)?,
                _ => match spec.precision {
                    // No zero is needed behind what is printed.
                    Some(most) => bounded(m, address, most)?,
                    None => m.memory.string(address)?.to_vec(),
                },
            };
            if let Some(most) = spec.precision {
                if address == 0 && most < 6 {
                    bytes.clear();
                }
                bytes.truncate(most);
            }
            padded(spec, &bytes, out);
        }
        b'p' => {
            let value = source.pointer(m)?;
            match value {
                0 => padded(spec, b"(nil)", out),
                _ => padded(spec, format!("{value:#x}").as_bytes(), out),
            }
        }
        b'n' => {
            let address = source.pointer(m)?;
            let count = (out.len() as u64).to_le_bytes();
            let bytes = &count[..size as usize];
            m.memory.write(address, size)?.copy_from_slice(bytes);
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let x = source.float(m, length == b"L")?;
            float(spec, conversion, x, out);
        }
        other => {
            let what = format!("the conversion `%{}` of printf", char::from(other).escape_debug());
            return Err(Stop::NotCovered(what));
        }
    }
    Ok(())
}

fn wide_string(m: &Machine<'_>, mut address: u64) -> Result<Vec<u8>, Stop> {
    let mut out = String::new();
    loop {
        let bytes = m.memory.read(address, 4)?;
        let unit = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        if unit == 0 {
            return Ok(out.into_bytes());
        }
        out.push(char::from_u32(unit).unwrap_or('?'));
        address += 4;
    }
}

/// A string of at most so many bytes.
pub(crate) fn bounded(m: &Machine<'_>, address: u64, most: usize) -> Result<Vec<u8>, Stop> {
    let object = m.memory.object(address);
    let left = (object.base + object.size).saturating_sub(address).min(most as u64);
    let bytes = m.memory.read(address, left)?;
    match bytes.iter().position(|b| *b == 0) {
        Some(end) => Ok(bytes[..end].to_vec()),
        None if left == most as u64 => Ok(bytes.to_vec()),
        None => Ok(m.memory.read(address, left + 1)?.to_vec()),
    }
}

fn sign(spec: Spec) -> &'static str {
    match (spec.plus, spec.space) {
        (true, _) => "+",
        (false, true) => " ",
        _ => "",
    }
}

fn padded(spec: Spec, bytes: &[u8], out: &mut Vec<u8>) {
    let fill = spec.width.saturating_sub(bytes.len());
    if !spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(bytes);
    if spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
}

fn integer(spec: Spec, prefix: &str, mut digits: String, out: &mut Vec<u8>) {
    if let Some(precision) = spec.precision {
        if precision == 0 && digits == "0" {
            digits.clear();
        }
        if digits.len() < precision {
            digits.insert_str(0, &"0".repeat(precision - digits.len()));
        }
    } else if spec.zero && !spec.left {
        let used = prefix.len() + digits.len();
        digits.insert_str(0, &"0".repeat(spec.width.saturating_sub(used)));
    }
    padded(spec, format!("{prefix}{digits}").as_bytes(), out);
}

fn float(spec: Spec, conversion: u8, x: f64, out: &mut Vec<u8>) {
    let upper = conversion.is_ascii_uppercase();
    let sign = if x.is_sign_negative() { "-" } else { sign(spec) };
    let mut body = if x.is_nan() {
        "nan".to_owned()
    } else if x.is_infinite() {
        "inf".to_owned()
    } else {
        let x = x.abs();
        match conversion.to_ascii_lowercase() {
            b'f' => fixed(x, spec.precision.unwrap_or(6), spec.alternate),
            b'e' => exponent(x, spec.precision.unwrap_or(6), spec.alternate),
            b'g' => general(x, spec.precision.unwrap_or(6), spec.alternate),
            _ => hexadecimal(x, spec.precision, spec.alternate),
        }
    };
    if upper {
        body = body.to_ascii_uppercase();
    }
    if spec.zero && !spec.left && x.is_finite() {
        let used = sign.len() + body.len();
        let at = if body.to_ascii_lowercase().starts_with("0x") { 2 } else { 0 };
        body.insert_str(at, &"0".repeat(spec.width.saturating_sub(used)));
    }
    padded(spec, format!("{sign}{body}").as_bytes(), out);
}

fn fixed(x: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{x:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

fn exponent(x: f64, precision: usize, point: bool) -> String {
    let text = format!("{x:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    let dot = if point && precision == 0 { "." } else { "" };
    format!("{mantissa}{dot}e{sign}{digits:0>2}")
}

fn general(x: f64, precision: usize, keep: bool) -> String {
    let precision = precision.max(1);
    let first = exponent(x, precision - 1, false);
    let power: i32 = first.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let mut text = if power < -4 || power >= precision as i32 {
        exponent(x, precision - 1, keep)
    } else {
        fixed(x, (precision as i32 - 1 - power) as usize, keep)
    };
    if !keep {
        let (mantissa, rest) = match text.split_once('e') {
            Some((mantissa, rest)) => (mantissa.to_owned(), format!("e{rest}")),
            None => (text.clone(), String::new()),
        };
        let mantissa = match mantissa.contains('.') {
            true => mantissa.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => mantissa,
        };
        text = format!("{mantissa}{rest}");
    }
    text
}

fn hexadecimal(x: f64, precision: Option<usize>, point: bool) -> String {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52 & 0x7ff) as i32;
    let mut fraction = bits & ((1 << 52) - 1);
    let mut lead = 1;
    if exponent == 0 {
        lead = 0;
        exponent = if fraction == 0 { 1023 } else { 1 };
    }
    if let Some(precision) = precision
        && precision < 13
    {
        let cut = 52 - 4 * precision as u32;
        let whole = lead << 52 | fraction;
        let half = 1u64 << (cut - 1);
        let odd = whole >> cut & 1;
        let rest = whole & ((1 << cut) - 1);
        let mut kept = whole >> cut;
        if rest > half || (rest == half && odd == 1) {
            kept += 1;
        }
        let whole = kept << cut;
        lead = whole >> 52;
        fraction = whole & ((1 << 52) - 1);
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        Some(precision) if precision <= 13 => digits.truncate(precision),
        Some(precision) => digits.push_str(&"0".repeat(precision - 13)),
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let dot = if digits.is_empty() && !point { "" } else { "." };
    format!("0x{lead}{dot}{digits}p{:+}", exponent - 1023)
}
