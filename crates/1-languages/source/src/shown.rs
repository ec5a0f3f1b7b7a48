//! Text of strangers, made fit to be shown: the one place that decides what a terminal may see.
//!
//! Names, labels, string literals and messages come from input, and a terminal obeys some characters
//! instead of showing them: escape sequences move the cursor, retitle the window or hide what was
//! said; others turn the order of a line round. Such characters are shown escaped, as `\x1b` or
//! `\u{202e}`.

use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a terminal would act on a character, or reorder the text around it, instead of showing
/// it: control characters, bidirectional controls, and separators of lines and paragraphs.
pub fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{61c}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// An active character as it is shown.
pub(crate) fn escape(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        c if (c as u32) < 0x80 => format!("\\x{:02x}", c as u32),
        c => format!("\\u{{{:x}}}", c as u32),
    }
}

/// The text on one line, whatever it holds: for names and labels, and for every line of a page that
/// is made of them. Line breaks are escaped, too: a file may be called `f\nholds: everything`.
///
/// ```
/// assert_eq!(source::one_line("a\x1b[2J\nb"), "a\\x1b[2J\\nb");
/// assert_eq!(source::one_line("naïve"), "naïve");
/// ```
pub fn one_line(text: &str) -> Cow<'_, str> {
    let breaks = |c: char| is_active(c) && c != '\t';
    if !text.contains(breaks) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match breaks(c) {
            true => out += &escape(c),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// How a [`Shown`] writer writes active characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escapes {
    /// As `\x1b`, for people; line breaks and tabs pass.
    Text,
    /// As `\u001b`, for strings of JSON, and for pages with JSON in them.
    Json,
}

/// A writer of UTF-8 that lets no active character pass, line breaks and tabs excepted.
///
/// Invariant: `held` is a beginning of an active character, or a carriage return that may be part
/// of a line break; it is shorter than three bytes.
#[derive(Debug)]
pub struct Shown<W: Write> {
    inner: W,
    escapes: Escapes,
    held: Vec<u8>,
}

impl<W: Write> Shown<W> {
    /// Writes to `inner`.
    pub fn new(inner: W, escapes: Escapes) -> Shown<W> {
        Shown { inner, escapes, held: Vec::new() }
    }

    fn escaped(&mut self, c: char) -> io::Result<()> {
        let text = match self.escapes {
            Escapes::Text => escape(c),
            Escapes::Json => format!("\\u{:04x}", c as u32),
        };
        self.inner.write_all(text.as_bytes())
    }

    /// Writes what was held back, which is no active character if nothing more follows.
    fn release(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.held)[..] {
            [b'\r'] => self.escaped('\r'),
            ref rest => self.inner.write_all(rest),
        }
    }
}

/// What the first bytes of a text are.
enum First {
    /// So many bytes that pass.
    Plain(usize),
    /// An active character of so many bytes.
    Active(char, usize),
    /// More bytes decide.
    Open,
}

/// Bytes at which an active character can begin.
fn is_start(b: u8) -> bool {
    (b < 0x20 && !matches!(b, b'\n' | b'\t')) || matches!(b, 0x7f | 0xc2 | 0xd8 | 0xe2 | 0xef)
}

fn first(bytes: &[u8]) -> First {
    let Some(&b) = bytes.first() else { return First::Open };
    if !is_start(b) {
        return First::Plain(bytes.iter().position(|&b| is_start(b)).unwrap_or(bytes.len()));
    }
    let length = match b {
        b'\r' if bytes.len() == 1 => return First::Open,
        b'\r' if bytes[1] == b'\n' => return First::Plain(2),
        0xc2 | 0xd8 => 2,
        0xe2 | 0xef => 3,
        _ => 1,
    };
    let Some(character) = bytes.get(..length) else {
        // What cannot be completed to a character is passed on as it is.
        let good = bytes[1..].iter().all(|b| b & 0xc0 == 0x80);
        return if good { First::Open } else { First::Plain(1) };
    };
    let c = std::str::from_utf8(character).ok().and_then(|s| s.chars().next());
    match c {
        Some(c) if is_active(c) => First::Active(c, length),
        Some(_) => First::Plain(length),
        None => First::Plain(1),
    }
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let joined;
        let mut rest = match self.held.is_empty() {
            true => bytes,
            false => {
                joined = [&std::mem::take(&mut self.held)[..], bytes].concat();
                &joined
            }
        };
        while !rest.is_empty() {
            let n = match first(rest) {
                First::Plain(n) => {
                    self.inner.write_all(&rest[..n])?;
                    n
                }
                First::Active(c, n) => {
                    self.escaped(c)?;
                    n
                }
                First::Open => {
                    self.held = rest.to_vec();
                    break;
                }
            };
            rest = &rest[n..];
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.release()?;
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &[u8], part: usize, escapes: Escapes) -> Vec<u8> {
        let mut out = Vec::new();
        let mut shown = Shown::new(&mut out, escapes);
        text.chunks(part).for_each(|bytes| shown.write_all(bytes).unwrap());
        shown.flush().unwrap();
        out
    }

    /// Every character, alone and among others, in parts of every size: what passes is not active,
    /// and what is not active passes.
    #[test]
    fn no_active_character_passes() {
        for c in (0..0x11_0000).filter_map(char::from_u32) {
            if c as u32 > 0x3000 && !(c as u32).is_multiple_of(97) && c != '\u{feff}' {
                continue;
            }
            let text = format!("a{c}b{c}\n");
            for part in 1..=text.len().min(4) {
                let out = String::from_utf8(written(text.as_bytes(), part, Escapes::Text)).unwrap();
                let passes = !is_active(c) || matches!(c, '\n' | '\t');
                match passes {
                    true => assert_eq!(out, text),
                    // A carriage return before a line break is part of it.
                    false if c == '\r' => assert_eq!(out, "a\\rb\r\n"),
                    false => {
                        let e = escape(c);
                        assert_eq!(out, format!("a{e}b{e}\n"), "{:x}", c as u32);
                    }
                }
                let json = written(text.as_bytes(), part, Escapes::Json);
                let json = String::from_utf8(json).unwrap();
                assert!(!json.contains(|c| is_active(c) && !matches!(c, '\n' | '\t' | '\r')));
            }
            assert_eq!(one_line(&c.to_string()).contains(c), !is_active(c) || c == '\t');
        }
    }

    #[test]
    fn broken_text_passes() {
        for bytes in [&b"\xc2"[..], b"\xe2\x80", b"\xe2a", b"\xffb\xc2\xc2", b"\r", b"a\xef\xbbz"] {
            for part in 1..=bytes.len() {
                let out = written(bytes, part, Escapes::Text);
                let expected = if bytes == b"\r" { b"\\r" } else { bytes };
                assert_eq!(out, expected);
            }
        }
    }
}
