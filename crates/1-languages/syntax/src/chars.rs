//! The characters of a text, on the way to tokens.

use source::Span;

/// A piece of a text; its text is under its span.
#[derive(Clone, Copy, Debug)]
pub struct Token<K> {
    /// What it is.
    pub kind: K,
    /// Where it stands.
    pub span: Span,
}

/// The rest of a text, from left to right. The size of the text fits `u32`
/// ([`Cursor::new`](crate::Cursor::new)).
#[derive(Clone)]
pub struct Chars<'t> {
    text: &'t str,
    /// Never beyond the text.
    pos: usize,
}

impl<'t> Chars<'t> {
    /// The whole text. A byte order mark is no character of the program.
    pub fn new(text: &'t str) -> Chars<'t> {
        let pos = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Chars { text, pos }
    }

    /// Leaves out the rest of the text.
    #[inline]
    pub fn stop(&mut self) {
        self.pos = self.text.len();
    }

    /// What is left, as bytes.
    #[inline]
    pub fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.pos..]
    }

    /// Steps over `len` bytes, which are a token.
    #[inline]
    pub fn token<K>(&mut self, kind: K, len: usize) -> Token<K> {
        let start = self.pos as u32;
        self.pos += len;
        Token { kind, span: Span::new(start, self.pos as u32) }
    }

    /// The size of the next character, which belongs to no token.
    pub fn unknown(&self) -> usize {
        self.text[self.pos..].chars().next().map_or(1, char::len_utf8)
    }

    /// Steps over blanks and comments: `// …`, `/* … */`, and lines from one of `line_comments` on.
    /// Returns the place of a `/*` without its end, which hides the rest of the text.
    #[inline]
    pub fn skip_blanks(&mut self, line_comments: &[u8]) -> Option<Span> {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, ..] => self.pos += 1,
                [b'/', b'*', rest @ ..] => {
                    let Some(end) = rest.windows(2).position(|two| two == b"*/") else {
                        let open = Span::new(self.pos as u32, self.pos as u32 + 2);
                        self.stop();
                        return Some(open);
                    };
                    self.pos += 2 + end + 2;
                }
                [b'/', b'/', rest @ ..] => self.pos += 2 + line(rest),
                [first, rest @ ..] if line_comments.contains(first) => self.pos += 1 + line(rest),
                _ => return None,
            }
        }
    }
}

/// How long the rest of the line is.
fn line(rest: &[u8]) -> usize {
    rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
}

/// How many bytes at the beginning are digits.
#[inline]
pub fn digits(rest: &[u8]) -> usize {
    rest.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// How many bytes at the beginning are of a word: letters, digits, `_`, `$`, and `further` ones.
#[inline]
pub fn word_len(rest: &[u8], further: &[u8]) -> usize {
    let inside = |b: &&u8| {
        matches!(b, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'$') || further.contains(b)
    };
    rest.iter().take_while(inside).count()
}
