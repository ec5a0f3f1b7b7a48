//! The tokens of formulas. Where one ends depends on whether an operand or an operator is due.

use source::Span;

use super::error::{LtlError, LtlErrorKind};
use super::{Atom, Binary, EVENTS, Unary};

/// What can begin a formula.
#[derive(Clone, Debug)]
pub(super) enum Start {
    Constant(bool),
    Atom(Atom),
    Prefix(Unary),
    Open,
}

/// What can follow a formula.
#[derive(Clone, Copy, Debug)]
pub(super) enum After {
    Binary(Binary),
    Close,
    End,
}

/// Spellings of operators, longest first among those with a common beginning; `None` for what
/// only regular expressions have.
const SYMBOLS: &[(&str, Option<Symbol>)] = &[
    ("[]->", None),
    ("[]=>", None),
    ("<>->", None),
    ("<>=>", None),
    ("[*", None),
    ("[+", None),
    ("[=", None),
    ("[->", None),
    ("[:", None),
    ("|->", None),
    ("|=>", None),
    ("<->", Some(Symbol::Binary(Binary::Iff))),
    ("<=>", Some(Symbol::Binary(Binary::Iff))),
    ("->", Some(Symbol::Binary(Binary::Implies))),
    ("=>", Some(Symbol::Binary(Binary::Implies))),
    ("[]", Some(Symbol::Prefix(Unary::Globally))),
    ("<>", Some(Symbol::Prefix(Unary::Finally))),
    ("!", Some(Symbol::Prefix(Unary::Not))),
    ("~", Some(Symbol::Prefix(Unary::Not))),
    ("&&", Some(Symbol::Binary(Binary::And))),
    ("&", Some(Symbol::Binary(Binary::And))),
    ("/\\", Some(Symbol::Binary(Binary::And))),
    ("||", Some(Symbol::Binary(Binary::Or))),
    ("|", Some(Symbol::Binary(Binary::Or))),
    ("\\/", Some(Symbol::Binary(Binary::Or))),
    ("^", Some(Symbol::Binary(Binary::Xor))),
    ("(", Some(Symbol::Open)),
    (")", Some(Symbol::Close)),
    (";", None),
];

#[derive(Clone, Copy, Debug)]
enum Symbol {
    Binary(Binary),
    Prefix(Unary),
    Open,
    Close,
}

/// Reads tokens from a text.
pub(super) struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    known: &'a dyn Fn(&str) -> bool,
    /// The words whose first letter was taken for an operator.
    pub(super) split_words: Vec<Span>,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of a text of less than 2^32 bytes.
    pub(super) fn new(text: &'a str, known: &'a dyn Fn(&str) -> bool) -> Lexer<'a> {
        Lexer { text, pos: 0, known, split_words: Vec::new() }
    }

    /// The token at which a formula should begin; `after` is the operator before it.
    pub(super) fn start(&mut self, after: Option<Span>) -> Result<(Start, Span), LtlError> {
        self.skip_blanks();
        let from = self.pos;
        let word = self.word();
        if !word.is_empty() {
            let start = self.word_start(word)?;
            return Ok((start, self.span(from)));
        }
        match self.text.as_bytes().get(from) {
            Some(b'"') => {
                let text = self.quoted()?;
                Ok((Start::Atom(Atom::Expr(text.to_owned())), self.span(from)))
            }
            Some(b'{') => {
                let name = self.braced()?;
                let atom = self.maybe_local(name)?;
                Ok((Start::Atom(atom), self.span(from)))
            }
            Some(b'0'..=b'9') => {
                let number = self.number();
                match number {
                    "0" | "1" => Ok((Start::Constant(number == "1"), self.span(from))),
                    _ => Err(self.error(from, LtlErrorKind::NotAConstant(number.to_owned()))),
                }
            }
            _ => match self.symbol()? {
                Some(Symbol::Open) => Ok((Start::Open, self.span(from))),
                Some(Symbol::Prefix(op)) => Ok((Start::Prefix(op), self.span(from))),
                other => {
                    let kind = LtlErrorKind::ExpectedFormula {
                        found: self.phrase(other, from),
                        after: after.map(|span| self.text[span.range()].to_owned()),
                    };
                    Err(self.error(from, kind))
                }
            },
        }
    }

    /// The token after a formula.
    pub(super) fn after(&mut self) -> Result<(After, Span), LtlError> {
        self.skip_blanks();
        let from = self.pos;
        if from == self.text.len() {
            return Ok((After::End, self.span(from)));
        }
        let word = self.word();
        if word == "xor" {
            self.pos += word.len();
            return Ok((After::Binary(Binary::Xor), self.span(from)));
        }
        if let Some(op) = word.bytes().next().and_then(temporal_binary) {
            self.pos += 1;
            if word.len() > 1 {
                self.split_words.push(Span::new(from as u32, (from + word.len()) as u32));
            }
            return Ok((After::Binary(op), self.span(from)));
        }
        if !word.is_empty() || matches!(self.text.as_bytes()[from], b'"' | b'{' | b'0'..=b'9') {
            let found = if !word.is_empty() {
                format!("`{word}`")
            } else {
                let found = &self.text[from..];
                format!("`{}`", found.split_whitespace().next().unwrap_or(found))
            };
            self.pos += word.len().max(1);
            return Err(self.error(from, LtlErrorKind::ExpectedOperator { found }));
        }
        match self.symbol()? {
            Some(Symbol::Binary(op)) => Ok((After::Binary(op), self.span(from))),
            Some(Symbol::Close) => Ok((After::Close, self.span(from))),
            other => {
                let found = self.phrase(other, from);
                Err(self.error(from, LtlErrorKind::ExpectedOperator { found }))
            }
        }
    }

    /// A word where a formula should begin: a constant, a prefix operator or an atom.
    fn word_start(&mut self, word: &'a str) -> Result<Start, LtlError> {
        let from = self.pos;
        let prefix = match word.as_bytes()[0] {
            b'F' => Some(Unary::Finally),
            b'G' => Some(Unary::Globally),
            b'X' => Some(Unary::Next),
            _ => None,
        };
        if let Some(op) = prefix
            && !matches!(word.as_bytes().get(1), Some(b'0'..=b'9' | b'_'))
            && !(self.known)(word)
        {
            self.pos += 1;
            if word.len() > 1 {
                self.split_words.push(Span::new(from as u32, (from + word.len()) as u32));
            }
            return Ok(Start::Prefix(op));
        }
        self.pos += word.len();
        let rest = self.text[self.pos..].trim_start();
        match word {
            "true" => return Ok(Start::Constant(true)),
            "false" => return Ok(Start::Constant(false)),
            "at" | "in" if rest.starts_with('(') => {
                self.pos = self.text.len() - rest.len() + 1;
                return self.place(word == "at").map(Start::Atom);
            }
            _ if rest.starts_with('(') && EVENTS.contains(&word) => {
                return self.event(word, self.text.len() - rest.len()).map(Start::Atom);
            }
            "terminated" if !rest.starts_with("::") => return Ok(Start::Atom(Atom::Terminated)),
            "error" if !rest.starts_with("::") => return Ok(Start::Atom(Atom::Error)),
            _ => {}
        }
        let operator =
            word == "xor" || (word.len() == 1 && temporal_binary(word.as_bytes()[0]).is_some());
        if operator && !(self.known)(word) {
            let found = format!("the operator `{word}`");
            return Err(self.error(from, LtlErrorKind::ExpectedFormula { found, after: None }));
        }
        self.maybe_local(word).map(Start::Atom)
    }

    /// The variable `name`, or `name::var` if `::` follows.
    fn maybe_local(&mut self, name: &str) -> Result<Atom, LtlError> {
        let before = self.pos;
        self.skip_blanks();
        if !self.eat("::") {
            self.pos = before;
            return Ok(Atom::Var(name.to_owned()));
        }
        self.skip_blanks();
        let from = self.pos;
        match self.name()? {
            Some(var) => Ok(Atom::Local { proc: name.to_owned(), var: var.to_owned() }),
            None => {
                let found = self.found(from);
                Err(self.error(from, LtlErrorKind::Local { proc: name.to_owned(), found }))
            }
        }
    }

    /// An event, whose parenthesis opens at `open`.
    fn event(&mut self, word: &str, open: usize) -> Result<Atom, LtlError> {
        let Some(length) = self.text[open..].find(')') else {
            let span = Span::new(open as u32, open as u32 + 1);
            return Err(LtlError { kind: LtlErrorKind::UnclosedParenthesis, span });
        };
        self.pos = open + length + 1;
        let inside = &self.text[open + 1..open + length];
        let parts: Vec<String> = inside
            .split(',')
            .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        Ok(Atom::Event(format!("{word}({})", parts.join(", "))))
    }

    /// What stands between the parentheses of `at(…)` or `in(…)`, of which the first is read.
    fn place(&mut self, at: bool) -> Result<Atom, LtlError> {
        let function = if at { "at" } else { "in" };
        let first = self.place_name(function, if at { "a label" } else { "a procedure" }, at)?;
        self.skip_blanks();
        let label = if at && self.eat(":") {
            let label = self.place_name(function, "a label", true)?;
            self.skip_blanks();
            Some(label)
        } else {
            None
        };
        let from = self.pos;
        if !self.eat(")") {
            let found = self.found(from);
            return Err(self.error(from, LtlErrorKind::Place { function, expected: "`)`", found }));
        }
        Ok(match (at, label) {
            (true, None) => Atom::At { proc: None, label: first.to_owned() },
            (true, Some(label)) => {
                Atom::At { proc: Some(first.to_owned()), label: label.to_owned() }
            }
            (false, _) => Atom::In(first.to_owned()),
        })
    }

    /// A name in `at(…)` or `in(…)`; labels may be numbers.
    fn place_name(
        &mut self,
        function: &'static str,
        expected: &'static str,
        number: bool,
    ) -> Result<&'a str, LtlError> {
        self.skip_blanks();
        let from = self.pos;
        if let Some(name) = self.name()? {
            return Ok(name);
        }
        let digits = self.number();
        if number && !digits.is_empty() {
            return Ok(digits);
        }
        self.pos = from;
        let found = self.found(from);
        Err(self.error(from, LtlErrorKind::Place { function, expected, found }))
    }

    /// A plain or braced name, if one is here.
    fn name(&mut self) -> Result<Option<&'a str>, LtlError> {
        let word = self.word();
        if !word.is_empty() {
            self.pos += word.len();
            return Ok(Some(word));
        }
        if self.text[self.pos..].starts_with('{') { self.braced().map(Some) } else { Ok(None) }
    }

    /// `{any characters of one line}`, with its braces.
    fn braced(&mut self) -> Result<&'a str, LtlError> {
        let from = self.pos;
        let rest = &self.text[from..];
        match rest.find(['}', '\n']) {
            Some(1) if rest.as_bytes()[1] == b'}' => {
                self.pos += 2;
                Err(self.error(from, LtlErrorKind::EmptyBrace))
            }
            Some(end) if rest.as_bytes()[end] == b'}' => {
                self.pos += end + 1;
                Ok(&rest[..=end])
            }
            end => {
                self.pos += end.unwrap_or(rest.len());
                Err(self.error(from, LtlErrorKind::UnclosedBrace))
            }
        }
    }

    /// `"text"`, without its quotes.
    fn quoted(&mut self) -> Result<&'a str, LtlError> {
        let from = self.pos;
        let rest = &self.text[from + 1..];
        match rest.find('"') {
            Some(end) => {
                self.pos += end + 2;
                if rest[..end].trim().is_empty() {
                    return Err(self.error(from, LtlErrorKind::EmptyQuote));
                }
                Ok(&rest[..end])
            }
            None => {
                self.pos = self.text.len();
                Err(self.error(from, LtlErrorKind::UnclosedQuote))
            }
        }
    }

    fn number(&mut self) -> &'a str {
        let rest = &self.text[self.pos..];
        let len = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.pos += len;
        &rest[..len]
    }

    /// The word that begins here, empty if none does; not consumed.
    fn word(&self) -> &'a str {
        let rest = &self.text[self.pos..];
        &rest[..word_len(rest)]
    }

    /// The operator or parenthesis that begins here; `None` at the end.
    fn symbol(&mut self) -> Result<Option<Symbol>, LtlError> {
        let from = self.pos;
        let rest = &self.text[from..];
        let Some(first) = rest.chars().next() else { return Ok(None) };
        match SYMBOLS.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
            Some((spelling, Some(symbol))) => {
                self.pos += spelling.len();
                Ok(Some(*symbol))
            }
            Some((spelling, None)) => {
                self.pos += spelling.len();
                Err(self.error(from, LtlErrorKind::RegularExpression((*spelling).to_owned())))
            }
            None => {
                self.pos += first.len_utf8();
                Err(self.error(from, LtlErrorKind::UnknownCharacter(first)))
            }
        }
    }

    /// A symbol that was just read from `from`, as a phrase.
    fn phrase(&self, symbol: Option<Symbol>, from: usize) -> String {
        match symbol {
            None => "the end".to_owned(),
            Some(Symbol::Binary(_)) => format!("the operator `{}`", &self.text[from..self.pos]),
            Some(_) => format!("`{}`", &self.text[from..self.pos]),
        }
    }

    /// What stands at `from`, as a phrase; consumes a character of it.
    fn found(&mut self, from: usize) -> String {
        match self.text[from..].chars().next() {
            None => "the end".to_owned(),
            Some(c) => {
                self.pos = from + c.len_utf8();
                format!("`{}`", c.escape_debug())
            }
        }
    }

    fn eat(&mut self, what: &str) -> bool {
        let found = self.text[self.pos..].starts_with(what);
        if found {
            self.pos += what.len();
        }
        found
    }

    fn skip_blanks(&mut self) {
        self.pos = self.text.len() - self.text[self.pos..].trim_start().len();
    }

    fn span(&self, from: usize) -> Span {
        Span::new(from as u32, self.pos as u32)
    }

    fn error(&self, from: usize, kind: LtlErrorKind) -> LtlError {
        LtlError { kind, span: self.span(from) }
    }
}

fn temporal_binary(letter: u8) -> Option<Binary> {
    match letter {
        b'U' => Some(Binary::Until),
        b'R' | b'V' => Some(Binary::Release),
        b'W' => Some(Binary::WeakUntil),
        b'M' => Some(Binary::StrongRelease),
        _ => None,
    }
}

/// The length of the word at the start of the text: `[A-Za-z_$][A-Za-z0-9_$#.]*`.
fn word_len(text: &str) -> usize {
    let in_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#' | b'.');
    match text.bytes().next() {
        Some(b) if b.is_ascii_alphabetic() || matches!(b, b'_' | b'$') => {
            text.bytes().take_while(|&b| in_word(b)).count()
        }
        _ => 0,
    }
}

/// Whether the text is one plain or braced name.
pub(super) fn is_name(text: &str) -> bool {
    let braced = text.len() > 2
        && text.starts_with('{')
        && text.find(['}', '\n']).is_some_and(|end| end + 1 == text.len() && text.ends_with('}'));
    braced || (!text.is_empty() && word_len(text) == text.len())
}

/// Whether the text is a name which, where a formula should begin, is read as a variable.
pub(super) fn is_plain_variable(text: &str) -> bool {
    let reserved = ["true", "false", "terminated", "error", "xor"].contains(&text);
    let bytes = text.as_bytes();
    let prefix = matches!(bytes.first(), Some(b'F' | b'G' | b'X'))
        && !matches!(bytes.get(1), Some(b'0'..=b'9' | b'_'));
    let operator = bytes.len() == 1 && temporal_binary(bytes[0]).is_some();
    is_name(text) && !reserved && !prefix && !operator
}
