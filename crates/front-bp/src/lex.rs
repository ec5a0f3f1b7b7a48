//! Tokens of boolean programs.
//!
//! The lexer never fails: what is no token becomes a token of a kind that no grammar rule accepts,
//! and the parser, which knows where it stands, reports it.

use source::Span;

use crate::tree::BinOp;

/// The kind of a token; its text is under its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    // Names and literals.
    Ident,
    Int,
    Const(bool),
    // Words.
    Decl,
    Void,
    Bool,
    Begin,
    End,
    Enforce,
    Abortif,
    Skip,
    Goto,
    Return,
    Print,
    Assert,
    Assume,
    Constrain,
    Dead,
    If,
    Then,
    Elsif,
    Else,
    Fi,
    While,
    Do,
    Od,
    Schoose,
    Dfs,
    // Marks.
    Assign,
    LParen,
    RParen,
    LBracket,
    RBracket,
    Less,
    Greater,
    Comma,
    Semi,
    Colon,
    Choice,
    Quote,
    Not,
    Binary(BinOp),
    // What no rule accepts.
    /// `start_thread` and its like.
    Concurrent,
    /// `x$`, a variable's value in the passive threads.
    Passive,
    Unknown,
    UnclosedComment,
    UnclosedBrace,
    EmptyBrace,
    Eof,
}

impl Kind {
    /// A keyword or a constant: looks like a name and is none.
    pub(crate) fn is_reserved(self) -> bool {
        use Kind::*;
        let word = matches!(self, Decl | Void | Bool | Dfs | Begin | End | Enforce | Abortif);
        let statement = matches!(self, Skip | Goto | Return | Print | Assert | Assume | Constrain);
        let block = matches!(self, If | Then | Elsif | Else | Fi | While | Do | Od);
        word || statement || block || matches!(self, Dead | Schoose | Const(_))
    }

    /// A word that [bebop Fig. 2] does not have: it can be a name.
    pub(crate) fn is_soft(self) -> bool {
        use Kind::*;
        let word = matches!(self, Void | Bool | Dfs | Enforce | Abortif | Assume | Constrain);
        word || matches!(self, Dead | Elsif | Schoose | Const(_) | Concurrent)
    }

    /// The words that end a block, before which `;` may be missing.
    pub(crate) fn ends_block(self) -> bool {
        matches!(self, Kind::Fi | Kind::Od | Kind::Else | Kind::Elsif | Kind::End)
    }

    /// The words that can only begin a declaration or a procedure.
    pub(crate) fn begins_item(self) -> bool {
        matches!(self, Kind::Decl | Kind::Void | Kind::Bool | Kind::Dfs)
    }

    /// The words that can only begin a statement.
    pub(crate) fn begins_statement(self) -> bool {
        use Kind::*;
        matches!(self, Skip | Goto | Return | Print | Assert | Assume | Dead | If | While)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Reads tokens from left to right. `pos` never exceeds the text, whose size fits `u32`.
#[derive(Clone)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Lexer<'t> {
        // A byte order mark is no character of the program.
        let pos = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, bytes: text.as_bytes(), pos }
    }

    /// Leaves out the rest of the text.
    pub(crate) fn stop(&mut self) {
        self.pos = self.bytes.len();
    }

    pub(crate) fn next(&mut self) -> Token {
        if let Some(comment) = self.skip_blanks() {
            return comment;
        }
        let start = self.pos;
        let Some(&first) = self.bytes.get(start) else {
            return self.token(Kind::Eof, start, start);
        };
        let second = self.bytes.get(start + 1).copied().unwrap_or(0);
        let (kind, len) = match first {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => {
                let len = self.bytes[start..].iter().take_while(|&&b| in_ident(b)).count();
                (word(&self.bytes[start..start + len]), len)
            }
            b'0'..=b'9' => {
                let digits = self.bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
                (Kind::Int, digits)
            }
            b'{' => self.braced(start),
            b':' if second == b'=' => (Kind::Assign, 2),
            b'!' if second == b'=' => (Kind::Binary(BinOp::Ne), 2),
            b'=' if second == b'>' => (Kind::Binary(BinOp::Implies), 2),
            b'=' if second == b'=' => (Kind::Binary(BinOp::Eq), 2),
            b'&' if second == b'&' => (Kind::Binary(BinOp::And), 2),
            b'|' if second == b'|' => (Kind::Binary(BinOp::Or), 2),
            b'(' => (Kind::LParen, 1),
            b')' => (Kind::RParen, 1),
            b'[' => (Kind::LBracket, 1),
            b']' => (Kind::RBracket, 1),
            b'<' => (Kind::Less, 1),
            b'>' => (Kind::Greater, 1),
            b',' => (Kind::Comma, 1),
            b';' => (Kind::Semi, 1),
            b':' => (Kind::Colon, 1),
            b'*' | b'?' => (Kind::Choice, 1),
            b'\'' => (Kind::Quote, 1),
            b'!' | b'~' => (Kind::Not, 1),
            b'&' => (Kind::Binary(BinOp::And), 1),
            b'|' => (Kind::Binary(BinOp::Or), 1),
            b'^' => (Kind::Binary(BinOp::Xor), 1),
            b'=' => (Kind::Binary(BinOp::Eq), 1),
            _ => (Kind::Unknown, self.text[start..].chars().next().map_or(1, char::len_utf8)),
        };
        self.pos = start + len;
        self.token(kind, start, self.pos)
    }

    /// Skips blanks and comments; a comment without its end comes back as a token.
    fn skip_blanks(&mut self) -> Option<Token> {
        loop {
            match self.bytes.get(self.pos..) {
                Some([b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, ..]) => self.pos += 1,
                Some([b'/', b'/', rest @ ..]) => {
                    let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    self.pos += 2 + end;
                }
                Some([b'/', b'*', rest @ ..]) => {
                    let Some(end) = rest.windows(2).position(|two| two == b"*/") else {
                        let start = self.pos;
                        self.stop();
                        return Some(self.token(Kind::UnclosedComment, start, start + 2));
                    };
                    self.pos += 2 + end + 2;
                }
                _ => return None,
            }
        }
    }

    /// `{any characters of one line}`.
    fn braced(&self, start: usize) -> (Kind, usize) {
        let rest = &self.bytes[start..];
        match rest.iter().position(|&b| matches!(b, b'}' | b'\n')) {
            Some(1) if rest[1] == b'}' => (Kind::EmptyBrace, 2),
            Some(end) if rest[end] == b'}' => (Kind::Ident, end + 1),
            Some(end) => (Kind::UnclosedBrace, end),
            None => (Kind::UnclosedBrace, rest.len()),
        }
    }

    fn token(&self, kind: Kind, start: usize, end: usize) -> Token {
        Token { kind, span: Span::new(start as u32, end as u32) }
    }
}

fn in_ident(b: u8) -> bool {
    matches!(b, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'$' | b'#' | b'.')
}

fn word(text: &[u8]) -> Kind {
    match text {
        b"decl" => Kind::Decl,
        b"void" => Kind::Void,
        b"bool" => Kind::Bool,
        b"begin" => Kind::Begin,
        b"end" => Kind::End,
        b"enforce" => Kind::Enforce,
        b"abortif" => Kind::Abortif,
        b"skip" => Kind::Skip,
        b"goto" => Kind::Goto,
        b"return" => Kind::Return,
        b"print" => Kind::Print,
        b"assert" => Kind::Assert,
        b"assume" => Kind::Assume,
        b"constrain" => Kind::Constrain,
        b"dead" => Kind::Dead,
        b"if" => Kind::If,
        b"then" => Kind::Then,
        b"elsif" => Kind::Elsif,
        b"else" => Kind::Else,
        b"fi" => Kind::Fi,
        b"while" => Kind::While,
        b"do" => Kind::Do,
        b"od" => Kind::Od,
        b"schoose" => Kind::Schoose,
        b"dfs" => Kind::Dfs,
        b"T" | b"true" => Kind::Const(true),
        b"F" | b"false" => Kind::Const(false),
        b"start_thread" | b"end_thread" | b"sync" | b"atomic_begin" | b"atomic_end" => {
            Kind::Concurrent
        }
        [.., b'$'] => Kind::Passive,
        _ => Kind::Ident,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Kind::Eof {
                break;
            }
            out.push(format!("{:?} {}", token.kind, &text[token.span.range()]));
        }
        assert_eq!(out.join(", "), expected);
    }

    #[test]
    fn tokens() {
        check(
            "a.b#1 _ $x x$ T true",
            "Ident a.b#1, Ident _, Ident $x, Passive x$, Const(true) T, Const(true) true",
        );
        check(
            "{*p == *q} {} {a\n}",
            "Ident {*p == *q}, EmptyBrace {}, UnclosedBrace {a, Unknown }",
        );
        check(
            "12ab :=: ==!==>",
            "Int 12, Ident ab, Assign :=, Colon :, Binary(Eq) ==, Binary(Ne) !=, Binary(Implies) =>",
        );
        check("a//b\nc/*\n*/d/**/e/*/ f", "Ident a, Ident c, Ident d, Ident e, UnclosedComment /*");
        check("é@/", "Unknown é, Unknown @, Unknown /");
        check("\u{feff}x\u{feff}", "Ident x, Unknown \u{feff}");
        check("sync atomic syncs", "Concurrent sync, Ident atomic, Ident syncs");
        check("{", "UnclosedBrace {");
    }
}
