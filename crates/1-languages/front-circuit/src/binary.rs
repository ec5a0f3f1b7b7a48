//! AIGER's binary format (`aig M I L O A B C J F`), as the text that says the same.
//!
//! Inputs have no lines, since their numbers are known; latches have what they become; a gate is two differences, from its
//! own number to the larger operand and from there to the smaller one, seven bits a byte, the lowest first.

use crate::{CircuitError, wrong};
use source::Span;
use std::fmt::Write as _;

/// How a binary file begins.
const HEAD: &[u8] = b"aig ";

/// The most variables of a file, as of those in text.
const MAX: u64 = 1 << 22;

/// The text (`aag …`) of a binary file; none if the bytes are no such file. Places of errors are offsets of bytes.
pub fn text_of_binary(bytes: &[u8]) -> Result<Option<String>, CircuitError> {
    if !bytes.starts_with(HEAD) {
        return Ok(None);
    }
    let mut reader = Reader { bytes, at: 0 };
    let head = reader.line()?;
    let here = Span::new(0, head.len() as u32);
    let counts: Option<Vec<u64>> =
        head.split_ascii_whitespace().skip(1).map(|word| word.parse().ok()).collect();
    let Some(counts) = counts.filter(|c| (5..=9).contains(&c.len()) && c.iter().all(|n| *n <= MAX))
    else {
        return wrong("the header is `aig M I L O A`, and up to four numbers that fit", here);
    };
    let count = |i: usize| counts.get(i).copied().unwrap_or(0);
    let (m, i, l, a) = (count(0), count(1), count(2), count(4));
    if i + l + a != m {
        return wrong("of a binary file, M is the sum of I, L and A", here);
    }
    if count(7) > 0 || count(8) > 0 {
        return wrong("justice and fairness are about infinite runs, and are not read", here);
    }
    let mut out = format!("aag{}\n", head.trim_start_matches("aig"));
    for n in 1..=i {
        let _ = writeln!(out, "{}", 2 * n);
    }
    for n in i + 1..=i + l {
        let _ = writeln!(out, "{} {}", 2 * n, reader.line()?);
    }
    // Outputs, bad states, constraints.
    for _ in 0..count(3) + count(5) + count(6) {
        let _ = writeln!(out, "{}", reader.line()?);
    }
    for n in i + l + 1..=m {
        let first = reader.less_than(2 * n, 1)?;
        let second = reader.less_than(first, 0)?;
        let _ = writeln!(out, "{} {first} {second}", 2 * n);
    }
    // Names and comments are text in both.
    out.push_str(&String::from_utf8_lossy(&bytes[reader.at..]));
    Ok(Some(out))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong<T>(&self, message: &str) -> Result<T, CircuitError> {
        let at = self.at.min(self.bytes.len()) as u32;
        wrong(message, Span::new(at, at))
    }

    /// A line of text, without its end.
    fn line(&mut self) -> Result<&'a str, CircuitError> {
        let rest = &self.bytes[self.at..];
        let Some(length) = rest.iter().position(|b| *b == b'\n') else {
            return self.wrong("the file ends within a line");
        };
        match std::str::from_utf8(&rest[..length]) {
            Ok(line) if line.is_ascii() => {
                self.at += length + 1;
                Ok(line.trim_end())
            }
            _ => self.wrong("expected a line of text"),
        }
    }

    /// `from` less the next difference, which is at least `least`.
    fn less_than(&mut self, from: u64, least: u64) -> Result<u64, CircuitError> {
        let (mut delta, mut shift) = (0u64, 0);
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                return self.wrong("the file ends within a gate");
            };
            delta |= u64::from(byte & 0x7f) << shift;
            self.at += 1;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
            if shift > 28 {
                return self.wrong("a difference of a gate has too many bytes");
            }
        }
        match from.checked_sub(delta) {
            Some(operand) if delta >= least => Ok(operand),
            _ => self.wrong("an operand of a gate is not smaller than the gate"),
        }
    }
}
