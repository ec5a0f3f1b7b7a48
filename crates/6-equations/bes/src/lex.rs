//! Tokens of all text formats of this crate and of `lts`.

use source::{Diagnostic, Span};

/// Which words and comments a text may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// mCRL2: `% comment`, names may contain `'`.
    Mcrl2,
    /// CADP: `(* comment *)`, `'…'` is a regular expression.
    Cadp,
}

/// What kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name or a keyword.
    Name,
    /// Digits.
    Number,
    /// `"…"`; the span covers the quotes.
    Text,
    /// `'…'`; the span covers the quotes.
    Regexp,
    /// An operator or a bracket.
    Mark(&'static str),
    /// Nothing is left.
    End,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// Something else belongs here.
    Unexpected {
        /// What stands there.
        found: String,
        /// What would fit.
        expected: &'static str,
    },
    /// A text, a regular expression or a comment without an end.
    Unclosed(&'static str),
    /// A name that nothing declares.
    Unknown {
        /// What kind of thing it would be.
        what: &'static str,
        /// The name.
        name: String,
        /// A declared name that is near.
        near: Option<String>,
    },
    /// A second declaration.
    Twice {
        /// What kind of thing it is.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An expression of the wrong sort.
    Sort {
        /// The sort it has.
        found: String,
        /// The sort that fits.
        expected: String,
    },
    /// The wrong number of arguments.
    Arguments {
        /// Of what.
        name: String,
        /// How many were given.
        found: usize,
        /// How many it takes.
        expected: usize,
    },
    /// A construct that is known and not supported.
    Unsupported(String),
    /// A fixpoint variable under an odd number of negations.
    Negative(String),
    /// A number beyond 64 bits.
    Number,
    /// The text is too long for spans.
    TooLong,
    /// Something that makes no sense, in words.
    Other(String),
}

/// An error and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where.
    pub span: Span,
}

impl SyntaxError {
    /// An error at a place.
    pub fn new(kind: SyntaxErrorKind, span: Span) -> SyntaxError {
        SyntaxError { kind, span }
    }

    /// The error as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self.kind {
            SyntaxErrorKind::Unexpected { .. } => "logic-unexpected",
            SyntaxErrorKind::Unclosed(_) => "logic-unclosed",
            SyntaxErrorKind::Unknown { .. } => "logic-unknown",
            SyntaxErrorKind::Twice { .. } => "logic-twice",
            SyntaxErrorKind::Sort { .. } => "logic-sort",
            SyntaxErrorKind::Arguments { .. } => "logic-arguments",
            SyntaxErrorKind::Unsupported(_) => "logic-unsupported",
            SyntaxErrorKind::Negative(_) => "logic-negative",
            SyntaxErrorKind::Number => "logic-number",
            SyntaxErrorKind::TooLong => "logic-too-long",
            SyntaxErrorKind::Other(_) => "logic-error",
        };
        let diagnostic = Diagnostic::error(code, self.to_string()).at(self.span);
        match &self.kind {
            SyntaxErrorKind::Unknown { near: Some(near), .. } => {
                diagnostic.help(format!("did you mean `{near}`?"))
            }
            _ => diagnostic,
        }
    }
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.kind {
            SyntaxErrorKind::Unexpected { found, expected } => {
                write!(f, "{expected} expected, found {found}")
            }
            SyntaxErrorKind::Unclosed(what) => write!(f, "{what} does not end"),
            SyntaxErrorKind::Unknown { what, name, .. } => {
                write!(f, "{what} `{name}` is not declared")
            }
            SyntaxErrorKind::Twice { what, name } => write!(f, "{what} `{name}` is declared twice"),
            SyntaxErrorKind::Sort { found, expected } => {
                write!(f, "an expression of sort {expected} expected, this one is of sort {found}")
            }
            SyntaxErrorKind::Arguments { name, found, expected } => {
                write!(f, "`{name}` takes {expected} arguments, {found} are given")
            }
            SyntaxErrorKind::Unsupported(what) => write!(f, "{what} is not supported"),
            SyntaxErrorKind::Negative(name) => {
                write!(f, "variable `{name}` occurs under an odd number of negations")
            }
            SyntaxErrorKind::Number => f.write_str("the number does not fit 64 bits"),
            SyntaxErrorKind::TooLong => f.write_str("the text is too long"),
            SyntaxErrorKind::Other(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for SyntaxError {}

/// Operators and brackets, longest first.
const MARKS: &[&str] = &[
    "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "->", ":=", "<>", "(", ")", "[", "]", "{",
    "}", "<", ">", ",", ";", ":", ".", "=", "+", "-", "*", "/", "|", "!", "?", "#", "@", "&",
];

/// Splits a text into tokens, one at a time.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    dialect: Dialect,
    at: usize,
    token: Token,
    /// The word that the current token stands for, if it is a sign.
    sign: Option<&'static str>,
    span: Span,
    /// The end of the token before.
    last: u32,
}

/// Signs as papers print them, and the words and marks of CADP's syntax that they are.
const SIGNS: [(char, Token, &str); 8] = [
    ('μ', Token::Name, "mu"),
    ('µ', Token::Name, "mu"),
    ('ν', Token::Name, "nu"),
    ('∨', Token::Name, "or"),
    ('∧', Token::Name, "and"),
    ('¬', Token::Name, "not"),
    ('⟨', Token::Mark("<"), "<"),
    ('⟩', Token::Mark(">"), ">"),
];

impl<'a> Lexer<'a> {
    /// Reads the first token.
    pub fn new(text: &'a str, dialect: Dialect) -> Result<Lexer<'a>, SyntaxError> {
        if text.len() >= u32::MAX as usize {
            return Err(SyntaxError::new(SyntaxErrorKind::TooLong, Span::new(0, 0)));
        }
        let span = Span::new(0, 0);
        let (token, sign) = (Token::End, None);
        let mut lexer = Lexer { text, dialect, at: 0, token, sign, span, last: 0 };
        lexer.advance()?;
        Ok(lexer)
    }

    /// The current token.
    pub fn token(&self) -> Token {
        self.token
    }

    /// Its place.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The syntax.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether this byte stands right after the current token.
    pub fn followed_by(&self, byte: u8) -> bool {
        self.text.as_bytes().get(self.at) == Some(&byte)
    }

    /// Whether a sort follows the current token: `:`, and not `:=`.
    pub fn has_sort(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or("").trim_start();
        rest.starts_with(':') && !rest.starts_with(":=")
    }

    /// Whether a word occurs somewhere after the current token.
    pub fn ahead(&self, word: &str) -> bool {
        self.text.get(self.at..).is_some_and(|rest| rest.contains(word))
    }

    /// The text from a place to the beginning of the current token.
    pub fn since(&self, from: u32) -> &'a str {
        self.text.get(from as usize..self.span.start as usize).unwrap_or("")
    }

    /// The end of the token before the current one.
    pub fn last_end(&self) -> u32 {
        self.last
    }

    /// Its text.
    pub fn text(&self) -> &'a str {
        self.sign.unwrap_or(&self.text[self.span.range()])
    }

    /// The text between its quotes.
    pub fn inner(&self) -> &'a str {
        let text = self.text();
        text.get(1..text.len().saturating_sub(1)).unwrap_or("")
    }

    /// Goes to the next token.
    pub fn advance(&mut self) -> Result<(), SyntaxError> {
        self.last = self.span.end;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'%') if self.dialect == Dialect::Mcrl2 => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                Some(b'(')
                    if self.dialect == Dialect::Cadp && bytes.get(self.at + 1) == Some(&b'*') =>
                {
                    match self.text[self.at + 2..].find("*)") {
                        Some(n) => self.at += n + 4,
                        None => {
                            let span = Span::new(self.at as u32, self.at as u32 + 2);
                            let kind = SyntaxErrorKind::Unclosed("the comment");
                            return Err(SyntaxError::new(kind, span));
                        }
                    }
                }
                _ => break,
            }
        }
        let from = self.at;
        self.sign = None;
        let Some(&first) = bytes.get(from) else {
            self.token = Token::End;
            self.span = Span::new(from as u32, from as u32);
            return Ok(());
        };
        let run = |fits: &dyn Fn(u8) -> bool| {
            bytes[from..].iter().position(|&b| !fits(b)).map_or(bytes.len(), |n| from + n)
        };
        let (token, to) = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let prime = self.dialect == Dialect::Mcrl2;
                let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || (prime && b == b'\'');
                (Token::Name, run(&fits))
            }
            b'0'..=b'9' => (Token::Number, run(&|b| b.is_ascii_digit())),
            b'"' | b'\'' => {
                let Some(n) = bytes[from + 1..].iter().position(|&b| b == first) else {
                    let span = Span::new(from as u32, from as u32 + 1);
                    let kind = SyntaxErrorKind::Unclosed("the quoted text");
                    return Err(SyntaxError::new(kind, span));
                };
                let token = if first == b'"' { Token::Text } else { Token::Regexp };
                (token, from + n + 2)
            }
            _ => {
                let rest = &self.text[from..];
                let sign = |&&(sign, ..): &&(char, Token, &str)| rest.starts_with(sign);
                if self.dialect == Dialect::Cadp
                    && let Some(&(sign, token, word)) = SIGNS.iter().find(sign)
                {
                    self.sign = Some(word);
                    self.at = from + sign.len_utf8();
                    self.token = token;
                    self.span = Span::new(from as u32, self.at as u32);
                    return Ok(());
                }
                match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
                    Some(mark) => (Token::Mark(mark), from + mark.len()),
                    None => {
                        let length = rest.chars().next().map_or(1, char::len_utf8);
                        let span = Span::new(from as u32, (from + length) as u32);
                        let found = format!("`{}`", &rest[..length].escape_debug());
                        let kind = SyntaxErrorKind::Unexpected { found, expected: "a token" };
                        return Err(SyntaxError::new(kind, span));
                    }
                }
            }
        };
        self.at = to;
        self.token = token;
        self.span = Span::new(from as u32, to as u32);
        Ok(())
    }

    /// Whether the current token is this mark.
    pub fn is(&self, mark: &str) -> bool {
        matches!(self.token, Token::Mark(m) if m == mark)
    }

    /// Whether the current token is this word.
    pub fn is_word(&self, word: &str) -> bool {
        self.token == Token::Name && self.text() == word
    }

    /// Goes past this mark, if it stands here.
    pub fn take(&mut self, mark: &str) -> Result<bool, SyntaxError> {
        let here = self.is(mark);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    /// Goes past this word, if it stands here.
    pub fn take_word(&mut self, word: &str) -> Result<bool, SyntaxError> {
        let here = self.is_word(word);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    /// Goes past this mark, which must stand here.
    pub fn expect(&mut self, mark: &'static str, name: &'static str) -> Result<(), SyntaxError> {
        if self.take(mark)? { Ok(()) } else { Err(self.unexpected(name)) }
    }

    /// Goes past a name, which must stand here.
    pub fn name(&mut self, expected: &'static str) -> Result<(&'a str, Span), SyntaxError> {
        if self.token != Token::Name {
            return Err(self.unexpected(expected));
        }
        let found = (self.text(), self.span);
        self.advance()?;
        Ok(found)
    }

    /// Says that the current token does not fit.
    pub fn unexpected(&self, expected: &'static str) -> SyntaxError {
        let found = match self.token {
            Token::End => "the end of the text".to_owned(),
            _ => {
                let text: String = self.text().chars().take(40).collect();
                format!("`{text}`")
            }
        };
        SyntaxError::new(SyntaxErrorKind::Unexpected { found, expected }, self.span)
    }
}
