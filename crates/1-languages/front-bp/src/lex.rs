//! Tokens of boolean programs.

use syntax::{Chars, Mistake, Tokens, digits, word_len};

use crate::error::ParseErrorKind;
use crate::parse::soft::Soft;
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

    /// After an error, one goes on here: something begins or ends.
    pub(crate) fn ends_skipping(self) -> bool {
        self.ends_block() || self.begins_item() || self.begins_statement()
    }
}

pub(crate) type Token = syntax::Token<Kind>;

/// Reads tokens from left to right; each word has the meaning that it has in most places.
#[derive(Clone)]
pub(crate) struct Lexer<'t>(Chars<'t>);

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Lexer<'t> {
        Lexer(Chars::new(text))
    }

    pub(crate) fn next(&mut self) -> Token {
        if let Some(span) = self.0.skip_blanks(b"") {
            return Token { kind: Kind::UnclosedComment, span };
        }
        let rest = self.0.rest();
        let Some(&first) = rest.first() else { return self.0.token(Kind::Eof, 0) };
        let second = rest.get(1).copied().unwrap_or(0);
        let (kind, len) = match first {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => {
                let len = word_len(rest, b"#.");
                (word(&rest[..len]), len)
            }
            b'0'..=b'9' => (Kind::Int, digits(rest)),
            b'{' => braced(rest),
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
            _ => (Kind::Unknown, self.0.unknown()),
        };
        self.0.token(kind, len)
    }
}

/// `{any characters of one line}`.
fn braced(rest: &[u8]) -> (Kind, usize) {
    match rest.iter().position(|&b| matches!(b, b'}' | b'\n')) {
        Some(1) if rest[1] == b'}' => (Kind::EmptyBrace, 2),
        Some(end) if rest[end] == b'}' => (Kind::Ident, end + 1),
        Some(end) => (Kind::UnclosedBrace, end),
        None => (Kind::UnclosedBrace, rest.len()),
    }
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

/// The tokens of a program: words that it declares as names are names.
pub(crate) struct WithNames<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    soft: Soft<'t>,
}

impl<'t> Tokens<'t> for WithNames<'t> {
    type Kind = Kind;
    type Error = ParseErrorKind;
    const END: Kind = Kind::Eof;
    const UNKNOWN: Kind = Kind::Unknown;

    fn new(text: &'t str) -> WithNames<'t> {
        WithNames { text, lexer: Lexer::new(text), soft: Soft::new(text) }
    }

    fn next(&mut self) -> Token {
        self.soft.read(self.text, self.lexer.next())
    }

    fn stop(&mut self) {
        self.lexer.0.stop();
    }

    fn is_reserved(kind: Kind) -> bool {
        kind.is_reserved()
    }

    fn wrong(kind: Kind, text: &str) -> Option<ParseErrorKind> {
        let meaning = match (kind, text) {
            (Kind::Concurrent, "start_thread" | "end_thread") => "starts or ends a thread",
            (Kind::Concurrent, "sync") => "waits for other threads",
            (Kind::Concurrent, _) => "marks a part that other threads do not interrupt",
            (Kind::Passive, _) => "is a variable's value in other threads",
            (Kind::UnclosedComment, _) => return Some(Mistake::UnclosedComment.into()),
            (Kind::UnclosedBrace, _) => return Some(ParseErrorKind::UnclosedBrace),
            (Kind::EmptyBrace, _) => return Some(ParseErrorKind::EmptyBrace),
            _ => return None,
        };
        Some(ParseErrorKind::Concurrency { construct: text.into(), meaning })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(syntax::listed::<WithNames<'_>>(text), expected);
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
