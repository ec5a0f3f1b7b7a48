//! The tokens of the format.

use source::Span;

use super::error::{HoaError, HoaErrorKind};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `name:`, without the colon.
    Header(String),
    Word(String),
    /// `@name`, without the sign.
    Alias(String),
    Number(u32),
    Text(String),
    /// One of `! & | ( ) [ ] { }`.
    Sign(char),
    Body,
    End,
    Abort,
    /// The end of the text.
    Nothing,
}

impl Token {
    /// The token as a phrase.
    pub(super) fn phrase(&self) -> String {
        match self {
            Token::Header(name) => format!("`{name}:`"),
            Token::Word(word) => format!("`{word}`"),
            Token::Alias(name) => format!("`@{name}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(_) => "a string".to_owned(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Body => "`--BODY--`".to_owned(),
            Token::End => "`--END--`".to_owned(),
            Token::Abort => "`--ABORT--`".to_owned(),
            Token::Nothing => "the end".to_owned(),
        }
    }
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, pos: 0 }
    }

    /// The next token and its place.
    pub(super) fn next(&mut self) -> Result<(Token, Span), HoaError> {
        self.skip_blanks()?;
        let from = self.pos;
        let rest = &self.text[from..];
        let Some(first) = rest.chars().next() else {
            return Ok((Token::Nothing, self.span(from)));
        };
        for (spelling, token) in
            [("--BODY--", Token::Body), ("--END--", Token::End), ("--ABORT--", Token::Abort)]
        {
            if rest.starts_with(spelling) {
                self.pos += spelling.len();
                return Ok((token, self.span(from)));
            }
        }
        let in_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        let token = match first {
            '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => {
                self.pos += 1;
                Token::Sign(first)
            }
            '"' => Token::Text(self.string()?),
            '0'..='9' => {
                let len = rest.bytes().take_while(u8::is_ascii_digit).count();
                self.pos += len;
                match rest[..len].parse() {
                    Ok(number) => Token::Number(number),
                    Err(_) => {
                        let found = format!("`{}`", &rest[..len]);
                        let kind = HoaErrorKind::Expected { expected: "a smaller number", found };
                        return Err(self.error(from, kind));
                    }
                }
            }
            '@' => {
                let len = rest[1..].bytes().take_while(|&b| in_word(b)).count();
                self.pos += len + 1;
                Token::Alias(rest[1..=len].to_owned())
            }
            _ if first.is_ascii_alphabetic() || first == '_' => {
                let len = rest.bytes().take_while(|&b| in_word(b)).count();
                self.pos += len;
                let word = rest[..len].to_owned();
                if rest[len..].starts_with(':') {
                    self.pos += 1;
                    Token::Header(word)
                } else {
                    Token::Word(word)
                }
            }
            _ => {
                self.pos += first.len_utf8();
                return Err(self.error(from, HoaErrorKind::UnknownCharacter(first)));
            }
        };
        Ok((token, self.span(from)))
    }

    fn string(&mut self) -> Result<String, HoaError> {
        let from = self.pos;
        let mut out = String::new();
        let mut chars = self.text[from + 1..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.pos = from + 1 + i + 1;
                    return Ok(out);
                }
                '\\' => out.extend(chars.next().map(|(_, c)| c)),
                _ => out.push(c),
            }
        }
        Err(HoaError {
            kind: HoaErrorKind::Unclosed("string"),
            span: Span::new(from as u32, from as u32 + 1),
        })
    }

    /// Blanks and comments, which nest.
    fn skip_blanks(&mut self) -> Result<(), HoaError> {
        loop {
            let rest = &self.text[self.pos..];
            self.pos += rest.len() - rest.trim_start().len();
            if !self.text[self.pos..].starts_with("/*") {
                return Ok(());
            }
            let from = self.pos;
            let mut depth = 0;
            loop {
                let rest = &self.text[self.pos..];
                if rest.starts_with("/*") {
                    depth += 1;
                    self.pos += 2;
                } else if rest.starts_with("*/") {
                    depth -= 1;
                    self.pos += 2;
                    if depth == 0 {
                        break;
                    }
                } else {
                    match rest.chars().next() {
                        Some(c) => self.pos += c.len_utf8(),
                        None => {
                            return Err(HoaError {
                                kind: HoaErrorKind::Unclosed("comment"),
                                span: Span::new(from as u32, from as u32 + 2),
                            });
                        }
                    }
                }
            }
        }
    }

    fn span(&self, from: usize) -> Span {
        Span::new(from as u32, self.pos as u32)
    }

    fn error(&self, from: usize, kind: HoaErrorKind) -> HoaError {
        HoaError { kind, span: self.span(from) }
    }
}
