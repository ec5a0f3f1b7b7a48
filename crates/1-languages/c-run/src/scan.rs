//! `scanf` and `strtod`.

use crate::format::{Source, int_size};
use crate::machine::{Args, Machine, Stop};

/// Where characters come from.
enum Text {
    Bytes(Vec<u8>, usize),
    File(u64),
}

impl Text {
    fn peek(&mut self, m: &mut Machine<'_>) -> Result<Option<u8>, Stop> {
        match self {
            Text::Bytes(bytes, at) => Ok(bytes.get(*at).copied()),
            Text::File(file) => {
                let byte = m.get_byte(*file)?;
                if let Some(byte) = byte {
                    m.unget(*file, byte)?;
                }
                Ok(byte)
            }
        }
    }
    fn next(&mut self, m: &mut Machine<'_>) -> Result<Option<u8>, Stop> {
        match self {
            Text::Bytes(bytes, at) => {
                let byte = bytes.get(*at).copied();
                *at += usize::from(byte.is_some());
                Ok(byte)
            }
            Text::File(file) => m.get_byte(*file),
        }
    }
}

impl Machine<'_> {
    /// The stream of standard input: what the variable `stdin` holds.
    pub(crate) fn standard_input(&mut self) -> Result<u64, Stop> {
        Ok(self.standard[0])
    }
}

pub(crate) fn scan_file(
    m: &mut Machine<'_>,
    file: u64,
    template: u64,
    source: &mut Source,
) -> Result<u64, Stop> {
    scan(m, Text::File(file), template, source)
}

pub(crate) fn scan_string(
    m: &mut Machine<'_>,
    text: u64,
    template: u64,
    source: &mut Source,
) -> Result<u64, Stop> {
    let bytes = m.memory.string(text)?.to_vec();
    scan(m, Text::Bytes(bytes, 0), template, source)
}

fn scan(
    m: &mut Machine<'_>,
    mut text: Text,
    template: u64,
    source: &mut Source,
) -> Result<u64, Stop> {
    let template = m.memory.string(template)?.to_vec();
    let (mut i, mut done, mut read) = (0, 0u64, 0u64);
    let end = |done: u64, any: bool| Ok(if done == 0 && any { -1i64 as u64 } else { done });
    while i < template.len() {
        let c = template[i];
        i += 1;
        if is_space(&c) {
            read += skip(m, &mut text)?;
            continue;
        }
        if c != b'%' {
            match text.peek(m)? {
                Some(found) if found == c => {
                    text.next(m)?;
                    read += 1;
                }
                found => return end(done, found.is_none()),
            }
            continue;
        }
        let suppress = template.get(i) == Some(&b'*');
        i += usize::from(suppress);
        let mut width = 0usize;
        while let Some(digit) = template.get(i).filter(|b| b.is_ascii_digit()) {
            width = (width * 10 + usize::from(digit - b'0')).min(1 << 20);
            i += 1;
        }
        let start = i;
        while matches!(template.get(i), Some(b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b't')) {
            i += 1;
        }
        let length = template[start..i].to_vec();
        let Some(&conversion) = template.get(i) else { break };
        i += 1;
        let mut set = Vec::new();
        let mut negated = false;
        if conversion == b'[' {
            negated = template.get(i) == Some(&b'^');
            i += usize::from(negated);
            let first = i;
            while let Some(&c) = template.get(i) {
                if c == b']' && i > first {
                    break;
                }
                let range = template.get(i + 1) == Some(&b'-')
                    && template.get(i + 2).is_some_and(|c| *c != b']');
                if range {
                    set.extend(c..=template[i + 2]);
                    i += 3;
                } else {
                    set.push(c);
                    i += 1;
                }
            }
            i += 1;
        }
        if !matches!(conversion, b'c' | b'[' | b'n') {
            read += skip(m, &mut text)?;
        }
        if conversion == b'n' {
            if !suppress {
                let size = int_size(&length, m.pointer);
                let to = source.pointer(m)?;
                let bytes = read.to_le_bytes();
                m.memory.write(to, size)?.copy_from_slice(&bytes[..size as usize]);
            }
            continue;
        }
        if conversion != b'%' && text.peek(m)?.is_none() {
            return end(done, true);
        }
        let most = if width == 0 { usize::MAX } else { width };
        let bytes = match conversion {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => {
                number(m, &mut text, conversion, most)?
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                take(m, &mut text, most, |got, c| {
                    let last = got.last().copied().unwrap_or(0).to_ascii_lowercase();
                    c.is_ascii_digit()
                        || (c == b'.' && !got.contains(&b'.'))
                        || (matches!(c, b'+' | b'-') && (got.is_empty() || last == b'e'))
                        || (matches!(c, b'e' | b'E')
                            && got.iter().any(u8::is_ascii_digit)
                            && !got.iter().any(|b| b.eq_ignore_ascii_case(&b'e')))
                })?
            }
            b's' => take(m, &mut text, most, |_, c| !is_space(&c))?,
            b'c' => take(m, &mut text, if width == 0 { 1 } else { width }, |_, _| true)?,
            b'[' => take(m, &mut text, most, |_, c| set.contains(&c) != negated)?,
            b'%' => take(m, &mut text, 1, |_, c| c == b'%')?,
            other => {
                let what = format!("the conversion `%{}` of scanf", char::from(other));
                return Err(Stop::NotCovered(what));
            }
        };
        read += bytes.len() as u64;
        if bytes.is_empty() {
            return end(done, false);
        }
        if conversion == b'%' || suppress {
            continue;
        }
        let to = source.pointer(m)?;
        if !put(m, to, conversion, &length, &bytes)? {
            return end(done, false);
        }
        done += 1;
    }
    Ok(done)
}

/// Stores what was read; false if it is no number after all.
fn put(
    m: &mut Machine<'_>,
    to: u64,
    conversion: u8,
    length: &[u8],
    bytes: &[u8],
) -> Result<bool, Stop> {
    match conversion {
        b's' | b'[' => {
            let target = m.memory.write(to, bytes.len() as u64 + 1)?;
            target[..bytes.len()].copy_from_slice(bytes);
            target[bytes.len()] = 0;
        }
        b'c' => m.memory.write(to, bytes.len() as u64)?.copy_from_slice(bytes),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => {
            let base = match conversion {
                b'i' => 0,
                b'x' | b'X' | b'p' => 16,
                b'o' => 8,
                _ => 10,
            };
            let (value, used) = parse(bytes, base);
            if used == 0 {
                return Ok(false);
            }
            let size = match conversion {
                b'p' => m.pointer,
                _ => int_size(length, m.pointer),
            };
            // As `strtol` and `strtoul` have it, before it is cut to its size.
            let wide = m.pointer == 8 || size == 8;
            let value = match (matches!(conversion, b'd' | b'i'), wide) {
                (true, true) => value.clamp(i64::MIN.into(), i64::MAX.into()),
                (true, false) => value.clamp(i32::MIN.into(), i32::MAX.into()),
                (false, true) if value.unsigned_abs() > u64::MAX.into() => u64::MAX.into(),
                (false, false) if value.unsigned_abs() > u32::MAX.into() => u32::MAX.into(),
                _ => value,
            };
            let bytes = (value as u64).to_le_bytes();
            m.memory.write(to, size)?.copy_from_slice(&bytes[..size as usize]);
        }
        _ => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let Ok(x) = text.trim_end_matches(['e', 'E', '+', '-']).parse::<f64>() else {
                return Ok(false);
            };
            match length {
                b"l" => m.memory.write(to, 8)?.copy_from_slice(&x.to_le_bytes()),
                b"L" => {
                    let bytes = c_data::extended::to_bytes(x);
                    m.memory.write(to, 10)?.copy_from_slice(&bytes);
                }
                _ => {
                    let x: f32 = text.parse().unwrap_or(x as f32);
                    m.memory.write(to, 4)?.copy_from_slice(&x.to_le_bytes());
                }
            }
        }
    }
    Ok(true)
}

fn skip(m: &mut Machine<'_>, text: &mut Text) -> Result<u64, Stop> {
    let mut count = 0;
    while let Some(c) = text.peek(m)?
        && is_space(&c)
    {
        text.next(m)?;
        count += 1;
    }
    Ok(count)
}

fn take(
    m: &mut Machine<'_>,
    text: &mut Text,
    most: usize,
    fits: impl Fn(&[u8], u8) -> bool,
) -> Result<Vec<u8>, Stop> {
    let mut out = Vec::new();
    while out.len() < most
        && let Some(c) = text.peek(m)?
        && fits(&out, c)
    {
        out.push(c);
        text.next(m)?;
    }
    Ok(out)
}

fn number(
    m: &mut Machine<'_>,
    text: &mut Text,
    conversion: u8,
    most: usize,
) -> Result<Vec<u8>, Stop> {
    let hex = matches!(conversion, b'x' | b'X' | b'p');
    take(m, text, most, |got, c| {
        let body = got.strip_prefix(b"-").or(got.strip_prefix(b"+")).unwrap_or(got);
        let prefixed = body.len() >= 2 && body[1].eq_ignore_ascii_case(&b'x');
        match c {
            b'+' | b'-' => got.is_empty(),
            b'x' | b'X' => (hex || conversion == b'i') && body == b"0",
            b'0'..=b'7' => true,
            b'8' | b'9' => {
                conversion != b'o'
                    && !(conversion == b'i' && body.first() == Some(&b'0') && !prefixed)
            }
            c if c.is_ascii_hexdigit() => hex || (conversion == b'i' && prefixed),
            _ => false,
        }
    })
}

/// A space, as C has it.
fn is_space(c: &u8) -> bool {
    matches!(c, b' ' | 9..=13)
}

/// A number in a base, and how many bytes it takes; what is too large stays far outside of all ranges.
fn parse(text: &[u8], base: u32) -> (i128, usize) {
    let mut i = 0;
    while text.get(i).is_some_and(is_space) {
        i += 1;
    }
    let negative = text.get(i) == Some(&b'-');
    if matches!(text.get(i), Some(b'-' | b'+')) {
        i += 1;
    }
    let mut base = base;
    let prefix = text.get(i) == Some(&b'0')
        && text.get(i + 1).is_some_and(|c| c.eq_ignore_ascii_case(&b'x'))
        && text.get(i + 2).is_some_and(u8::is_ascii_hexdigit);
    if (base == 0 || base == 16) && prefix {
        i += 2;
        base = 16;
    } else if base == 0 {
        base = if text.get(i) == Some(&b'0') { 8 } else { 10 };
    }
    let start = i;
    let mut value: i128 = 0;
    while let Some(digit) = text.get(i).and_then(|c| char::from(*c).to_digit(36))
        && digit < base
    {
        value = (value * i128::from(base) + i128::from(digit)).min(1 << 100);
        i += 1;
    }
    if i == start {
        return (0, 0);
    }
    (if negative { -value } else { value }, i)
}

/// `strtod`
pub(crate) fn strtod(m: &mut Machine<'_>, a: &Args) -> Result<f64, Stop> {
    let [text, end, ..] = a.values;
    let bytes = m.memory.string(text)?.to_vec();
    let mut i = 0;
    while bytes.get(i).is_some_and(is_space) {
        i += 1;
    }
    // The longest beginning that is a number.
    let rest = String::from_utf8_lossy(&bytes[i..]).to_ascii_lowercase();
    let mut best = (0.0, 0);
    let most = rest.len().min(400);
    let body = rest.trim_start_matches(['-', '+']);
    if body.starts_with("inf") || body.starts_with("nan") {
        let sign = rest.len() - body.len();
        let word = if body.starts_with("infinity") { 8 } else { 3 };
        let x = if body.starts_with("inf") { f64::INFINITY } else { f64::NAN };
        best = (if rest.starts_with('-') { -x } else { x }, sign + word);
    } else {
        for length in 1..=most {
            if !rest.is_char_boundary(length) {
                break;
            }
            let part = &rest[..length];
            if !part.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-')) {
                break;
            }
            if let Ok(x) = part.parse::<f64>() {
                best = (x, length);
            }
        }
    }
    if end != 0 {
        let used = if best.1 == 0 { 0 } else { i + best.1 };
        m.write_pointer(end, text + used as u64)?;
    }
    Ok(best.0)
}
