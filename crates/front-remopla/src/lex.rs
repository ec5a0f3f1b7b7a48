//! Tokens of Remopla and of pushdown systems.
//!
//! The lexer never fails: what is no token becomes a token of a kind that no grammar rule accepts,
//! and the parser, which knows where it stands, reports it.

use source::Span;

use crate::tree::BinOp;

/// The kind of a token; its text is under its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name.
    Ident,
    /// A decimal number.
    Int,
    /// `true` or `false`.
    Const(bool),
    /// Text in double quotes.
    Text,
    /// `define`
    Define,
    /// `DEFAULT_INT_BITS`
    DefaultBits,
    /// `bool`
    Bool,
    /// `int`
    IntType,
    /// `unsigned`
    Unsigned,
    /// `enum`
    Enum,
    /// `struct`
    Struct,
    /// `shared`
    Shared,
    /// `void`
    Void,
    /// `module`
    Module,
    /// `init`
    Init,
    /// `if`
    If,
    /// `fi`
    Fi,
    /// `do`
    Do,
    /// `od`
    Od,
    /// `else`
    Else,
    /// `goto`
    Goto,
    /// `break`
    Break,
    /// `return`
    Return,
    /// `skip`
    Skip,
    /// `undef`
    Undef,
    /// `A`
    All,
    /// `E`
    Exists,
    /// `-->`
    Arrow,
    /// `->`
    Then,
    /// `::`
    Option,
    /// `:`
    Colon,
    /// `;`
    Semi,
    /// `,`
    Comma,
    /// `.`
    Dot,
    /// `'`
    Prime,
    /// `=`
    Assign,
    /// `!`
    Not,
    /// `(`
    LParen,
    /// `)`
    RParen,
    /// `[`
    LBracket,
    /// `]`
    RBracket,
    /// `{`
    LBrace,
    /// `}`
    RBrace,
    /// An operator with two operands; `<` and `>` are also the brackets of stacks.
    Binary(BinOp),
    /// A word of the language's extensions: `pchoice`, `fork`, `signed` and their like.
    Foreign,
    /// A character that belongs to no token.
    Unknown,
    /// `/*` without `*/`.
    UnclosedComment,
    /// `"` without another on its line.
    UnclosedText,
    /// The end of the text.
    Eof,
}

impl Kind {
    /// A keyword or a constant: looks like a name and is none.
    pub fn is_reserved(self) -> bool {
        use Kind::*;
        let declares = matches!(self, Define | DefaultBits | Bool | IntType | Unsigned | Enum);
        let item = matches!(self, Struct | Shared | Void | Module | Init);
        let block = matches!(self, If | Fi | Do | Od | Else);
        let statement = matches!(self, Goto | Break | Return | Skip);
        declares || item || block || statement || matches!(self, Undef | All | Exists | Const(_))
    }

    /// What can be a label, which is told by the `:` behind it: a name, a number, any other word.
    pub fn is_label(self) -> bool {
        matches!(self, Kind::Ident | Kind::Int | Kind::Foreign) || self.is_reserved()
    }

    /// What ends a block, before which `;` may be missing.
    pub(crate) fn ends_block(self) -> bool {
        matches!(self, Kind::Fi | Kind::Od | Kind::Option | Kind::RBrace)
    }

    /// The words that can only begin a declaration of variables.
    pub fn begins_declaration(self) -> bool {
        use Kind::*;
        matches!(self, Bool | IntType | Unsigned | Enum | Struct | Shared)
    }

    /// The words that can only begin a part of the program outside modules.
    pub(crate) fn begins_item(self) -> bool {
        matches!(self, Kind::Define | Kind::Module | Kind::Init)
    }

    /// The words that can only begin a statement.
    pub(crate) fn begins_statement(self) -> bool {
        matches!(self, Kind::If | Kind::Do | Kind::Goto | Kind::Break | Kind::Return | Kind::Skip)
    }
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// Reads tokens from left to right. `pos` never exceeds the text, whose size fits `u32`.
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
        let rest = &self.bytes[start..];
        let (kind, len) = match rest {
            [] => (Kind::Eof, 0),
            [b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$', ..] => {
                let len = rest.iter().take_while(|&&b| in_ident(b)).count();
                (word(&rest[..len]), len)
            }
            [b'0'..=b'9', ..] => {
                (Kind::Int, rest.iter().take_while(|b| b.is_ascii_digit()).count())
            }
            [b'"', rest @ ..] => match rest.iter().position(|&b| matches!(b, b'"' | b'\n')) {
                Some(end) if rest[end] == b'"' => (Kind::Text, end + 2),
                Some(end) => (Kind::UnclosedText, end + 1),
                None => (Kind::UnclosedText, rest.len() + 1),
            },
            [b'-', b'-', b'>', ..] => (Kind::Arrow, 3),
            [b'<', b'=', b'>', ..] => (Kind::Binary(BinOp::Iff), 3),
            [b'-', b'>', ..] => (Kind::Then, 2),
            [b':', b':', ..] => (Kind::Option, 2),
            [b'|', b'|', ..] => (Kind::Binary(BinOp::Or), 2),
            [b'^', b'^', ..] => (Kind::Binary(BinOp::Xor), 2),
            [b'&', b'&', ..] => (Kind::Binary(BinOp::And), 2),
            [b'=', b'=', ..] => (Kind::Binary(BinOp::Eq), 2),
            [b'=', b'>', ..] => (Kind::Binary(BinOp::Implies), 2),
            [b'!', b'=', ..] => (Kind::Binary(BinOp::Ne), 2),
            [b'<', b'=', ..] => (Kind::Binary(BinOp::Le), 2),
            [b'>', b'=', ..] => (Kind::Binary(BinOp::Ge), 2),
            [b'<', b'<', ..] => (Kind::Binary(BinOp::Shl), 2),
            [b'>', b'>', ..] => (Kind::Binary(BinOp::Shr), 2),
            [b'<', ..] => (Kind::Binary(BinOp::Lt), 1),
            [b'>', ..] => (Kind::Binary(BinOp::Gt), 1),
            [b'|', ..] => (Kind::Binary(BinOp::BitOr), 1),
            [b'^', ..] => (Kind::Binary(BinOp::BitXor), 1),
            [b'&', ..] => (Kind::Binary(BinOp::BitAnd), 1),
            [b'+', ..] => (Kind::Binary(BinOp::Add), 1),
            [b'-', ..] => (Kind::Binary(BinOp::Sub), 1),
            [b'*', ..] => (Kind::Binary(BinOp::Mul), 1),
            [b'/', ..] => (Kind::Binary(BinOp::Div), 1),
            [b':', ..] => (Kind::Colon, 1),
            [b';', ..] => (Kind::Semi, 1),
            [b',', ..] => (Kind::Comma, 1),
            [b'.', ..] => (Kind::Dot, 1),
            [b'\'', ..] => (Kind::Prime, 1),
            [b'=', ..] => (Kind::Assign, 1),
            [b'!', ..] => (Kind::Not, 1),
            [b'(', ..] => (Kind::LParen, 1),
            [b')', ..] => (Kind::RParen, 1),
            [b'[', ..] => (Kind::LBracket, 1),
            [b']', ..] => (Kind::RBracket, 1),
            [b'{', ..] => (Kind::LBrace, 1),
            [b'}', ..] => (Kind::RBrace, 1),
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
                Some([b'/', b'/', rest @ ..] | [b'#' | b'%', rest @ ..]) => {
                    let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    self.pos = self.bytes.len() - rest.len() + end;
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

    fn token(&self, kind: Kind, start: usize, end: usize) -> Token {
        Token { kind, span: Span::new(start as u32, end as u32) }
    }
}

fn in_ident(b: u8) -> bool {
    matches!(b, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'$')
}

fn word(text: &[u8]) -> Kind {
    match text {
        b"define" => Kind::Define,
        b"DEFAULT_INT_BITS" => Kind::DefaultBits,
        b"bool" => Kind::Bool,
        b"int" => Kind::IntType,
        b"unsigned" => Kind::Unsigned,
        b"enum" => Kind::Enum,
        b"struct" => Kind::Struct,
        b"shared" => Kind::Shared,
        b"void" => Kind::Void,
        b"module" => Kind::Module,
        b"init" => Kind::Init,
        b"if" => Kind::If,
        b"fi" => Kind::Fi,
        b"do" => Kind::Do,
        b"od" => Kind::Od,
        b"else" => Kind::Else,
        b"goto" => Kind::Goto,
        b"break" => Kind::Break,
        b"return" => Kind::Return,
        b"skip" => Kind::Skip,
        b"undef" => Kind::Undef,
        b"A" => Kind::All,
        b"E" => Kind::Exists,
        b"true" => Kind::Const(true),
        b"false" => Kind::Const(false),
        b"pchoice" | b"choicep" | b"fork" | b"signed" | b"DEFAULT_SIGNED_INT_BITS" => Kind::Foreign,
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
        check("A AB E1 trueish", "All A, Ident AB, Ident E1, Ident trueish");
        check("a//b\nc#d\ne%f", "Ident a, Ident c, Ident e");
        check("a/*\n*/b/*/", "Ident a, Ident b, UnclosedComment /*");
        check("\"a b\" \"c\nd", "Text \"a b\", UnclosedText \"c, Ident d");
        check(
            "p<y>-->q<>",
            "Ident p, Binary(Lt) <, Ident y, Binary(Gt) >, Arrow -->, Ident q, Binary(Lt) <, \
             Binary(Gt) >",
        );
        check(
            "<=> <= << -> :: : x''",
            "Binary(Iff) <=>, Binary(Le) <=, Binary(Shl) <<, Then ->, Option ::, Colon :, Ident x, Prime ', Prime '",
        );
        check(
            "|| | ^^ ^ && & == = != !",
            "Binary(Or) ||, Binary(BitOr) |, Binary(Xor) ^^, Binary(BitXor) ^, Binary(And) &&, Binary(BitAnd) &, Binary(Eq) ==, Assign =, Binary(Ne) !=, Not !",
        );
        check("é@", "Unknown é, Unknown @");
        check("\u{feff}x", "Ident x");
        check("12ab", "Int 12, Ident ab");
        check("pchoice fork", "Foreign pchoice, Foreign fork");
    }
}
