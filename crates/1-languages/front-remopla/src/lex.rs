//! Tokens of Remopla and of pushdown systems.

use syntax::{Chars, Mistake, Tokens, digits, word_len};

use crate::error::ParseErrorKind;
use crate::tree::BinOp;

/// The kind of a token; its text is under its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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
    pub(crate) fn is_reserved(self) -> bool {
        use Kind::*;
        let declares = matches!(self, Define | DefaultBits | Bool | IntType | Unsigned | Enum);
        let item = matches!(self, Struct | Shared | Void | Module | Init);
        let block = matches!(self, If | Fi | Do | Od | Else);
        let statement = matches!(self, Goto | Break | Return | Skip);
        declares || item || block || statement || matches!(self, Undef | All | Exists | Const(_))
    }

    /// What can be a label, which is told by the `:` behind it: a name, a number, any other word.
    pub(crate) fn is_label(self) -> bool {
        matches!(self, Kind::Ident | Kind::Int | Kind::Foreign) || self.is_reserved()
    }

    /// What ends a block, before which `;` may be missing.
    pub(crate) fn ends_block(self) -> bool {
        matches!(self, Kind::Fi | Kind::Od | Kind::Option | Kind::RBrace)
    }

    /// The words that can only begin a declaration of variables.
    pub(crate) fn begins_declaration(self) -> bool {
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
pub(crate) type Token = syntax::Token<Kind>;

/// Reads tokens from left to right.
pub(crate) struct Lexer<'t>(Chars<'t>);

impl<'t> Tokens<'t> for Lexer<'t> {
    type Kind = Kind;
    type Error = ParseErrorKind;
    const END: Kind = Kind::Eof;
    const UNKNOWN: Kind = Kind::Unknown;

    fn new(text: &'t str) -> Lexer<'t> {
        Lexer(Chars::new(text))
    }

    fn stop(&mut self) {
        self.0.stop();
    }

    fn is_reserved(kind: Kind) -> bool {
        kind.is_reserved()
    }

    fn wrong(kind: Kind, text: &str) -> Option<ParseErrorKind> {
        let meaning = match (kind, text) {
            (Kind::Foreign, "pchoice" | "choicep") => {
                "chooses by probability; `if :: true -> … :: true -> … fi` chooses freely"
            }
            (Kind::Foreign, "fork") => "starts a thread; only sequential programs can be checked",
            (Kind::Foreign, _) => "is about signed integers; all integers are unsigned",
            (Kind::UnclosedComment, _) => return Some(Mistake::UnclosedComment.into()),
            (Kind::UnclosedText, _) => return Some(ParseErrorKind::UnclosedText),
            _ => return None,
        };
        Some(ParseErrorKind::Unsupported { construct: text.into(), meaning })
    }

    fn next(&mut self) -> Token {
        if let Some(span) = self.0.skip_blanks(b"#%") {
            return Token { kind: Kind::UnclosedComment, span };
        }
        let rest = self.0.rest();
        let (kind, len) = match rest {
            [] => (Kind::Eof, 0),
            [b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$', ..] => {
                let len = word_len(rest, b"");
                (word(&rest[..len]), len)
            }
            [b'0'..=b'9', ..] => (Kind::Int, digits(rest)),
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
            _ => (Kind::Unknown, self.0.unknown()),
        };
        self.0.token(kind, len)
    }
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
        assert_eq!(syntax::listed::<Lexer<'_>>(text), expected);
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
