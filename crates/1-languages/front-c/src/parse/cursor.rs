//! The place in the tokens: looking, passing over, and saying what is missing.

use super::keywords::Kw;
use super::{MAX_DEPTH, Parser};
use crate::lex::{Place, Tok, Token};
use crate::tree::Sym;

/// Why an item was given up.
pub(super) struct Fail {
    pub(super) at: Place,
    pub(super) message: String,
    /// It nests too deep.
    pub(super) deep: bool,
}

pub(super) type Parsed<T> = Result<T, Fail>;

/// No closing bracket.
pub(super) const OPEN: u32 = u32::MAX;

/// Of each opening bracket, the closing one of its kind; other kinds do not count.
pub(super) fn matching(tokens: &[Token]) -> Vec<u32> {
    let mut out = vec![OPEN; tokens.len()];
    let mut open: [Vec<usize>; 3] = Default::default();
    for (i, token) in tokens.iter().enumerate() {
        let Tok::Punct(p) = token.tok else { continue };
        let Some(kind) = "([{)]}".find(p).filter(|_| p.len() == 1) else { continue };
        match kind.checked_sub(3) {
            None => open[kind].push(i),
            Some(kind) => {
                if let Some(start) = open[kind].pop() {
                    out[start] = i as u32;
                }
            }
        }
    }
    out
}

impl Parser {
    pub(super) fn tok(&self) -> Tok {
        self.tokens[self.pos].tok
    }
    pub(super) fn ahead(&self, n: usize) -> Tok {
        self.tokens.get(self.pos + n).map_or(Tok::End, |t| t.tok)
    }
    pub(super) fn at(&self) -> Place {
        self.tokens[self.pos].at
    }
    pub(super) fn advance(&mut self) {
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
    }
    pub(super) fn is(&self, p: &str) -> bool {
        matches!(self.tok(), Tok::Punct(q) if q == p)
    }
    pub(super) fn ahead_is(&self, n: usize, p: &str) -> bool {
        matches!(self.ahead(n), Tok::Punct(q) if q == p)
    }
    pub(super) fn eat(&mut self, p: &str) -> bool {
        let found = self.is(p);
        if found {
            self.advance();
        }
        found
    }
    pub(super) fn expect(&mut self, p: &str) -> Parsed<()> {
        if self.eat(p) { Ok(()) } else { Err(self.wanted(&format!("`{p}`"))) }
    }
    pub(super) fn kw(&self) -> Option<Kw> {
        self.kw_ahead(0)
    }
    pub(super) fn kw_ahead(&self, n: usize) -> Option<Kw> {
        match self.ahead(n) {
            Tok::Word(sym) => self.keywords.get(sym),
            _ => None,
        }
    }
    pub(super) fn eat_kw(&mut self, kw: Kw) -> bool {
        let found = self.kw() == Some(kw);
        if found {
            self.advance();
        }
        found
    }
    /// A word that is no keyword.
    pub(super) fn word(&self) -> Option<Sym> {
        match self.tok() {
            Tok::Word(sym) if self.keywords.get(sym).is_none() => Some(sym),
            _ => None,
        }
    }
    pub(super) fn fail(&self, message: impl Into<String>) -> Fail {
        Fail { at: self.at(), message: message.into(), deep: false }
    }
    pub(super) fn wanted(&self, what: &str) -> Fail {
        let found = match self.tok() {
            Tok::Word(s) | Tok::Number(s) | Tok::Text(s) => format!("`{}`", self.unit.name(s)),
            Tok::Punct(p) => format!("`{p}`"),
            Tok::Stray(c) => format!("`{}`", c.escape_debug()),
            Tok::End => "the end of the file".to_owned(),
        };
        self.fail(format!("expected {what}, found {found}"))
    }

    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(Fail { at: self.at(), message, deep: true });
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn skip_parens(&mut self) -> Parsed<()> {
        while matches!(self.kw(), Some(Kw::Volatile | Kw::Qualifier | Kw::Goto | Kw::Inline)) {
            self.advance();
        }
        match self.is("(") {
            true => self.skip_bracket(),
            false => self.expect("("),
        }
    }

    /// From an opening bracket to behind the closing one.
    pub(super) fn skip_bracket(&mut self) -> Parsed<()> {
        match self.closing[self.pos] {
            OPEN => Err(self.fail("a bracket that is never closed")),
            close => {
                self.pos = close as usize;
                self.advance();
                Ok(())
            }
        }
    }

    /// The offset behind the last token that was read. Nodes without operands are made before their
    /// token is passed over, and have its end instead.
    pub(super) fn end(&self) -> u32 {
        self.pos.checked_sub(1).map_or(0, |last| self.tokens[last].end)
    }
}
