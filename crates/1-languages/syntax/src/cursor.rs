//! Where a parser stands in its text: the current token, the errors so far, and how they are said.

use source::{SourceFile, Span};

use crate::chars::Token;
use crate::error::{Language, Mistake, ParseError};

/// The errors that one parser reports before it gives up.
pub const MAX_ERRORS: usize = 50;

/// A language's lexer, and what a [`Cursor`] must know of its tokens. A lexer never fails: what is no
/// token becomes one of a kind that no rule of the grammar accepts, and the parser, which knows where
/// it stands, reports it.
pub trait Tokens<'t> {
    /// What a token can be.
    type Kind: Copy + PartialEq;
    /// What can be wrong with a text.
    type Error: From<Mistake> + PartialEq;
    /// The end of the text.
    const END: Self::Kind;
    /// A character that belongs to no token.
    const UNKNOWN: Self::Kind;

    /// The tokens of a text.
    fn new(text: &'t str) -> Self;
    /// The next token; at the end, [`Tokens::END`] for ever.
    fn next(&mut self) -> Token<Self::Kind>;
    /// Leaves out the rest of the text.
    fn stop(&mut self);
    /// A keyword: looks like a name and is none.
    fn is_reserved(kind: Self::Kind) -> bool;
    /// What is wrong with a token by itself, whatever was expected. It is not asked about
    /// [`Tokens::UNKNOWN`].
    fn wrong(kind: Self::Kind, text: &str) -> Option<Self::Error>;
}

/// The tokens of a text, each with its kind: for tests of lexers.
pub fn listed<'t, L: Tokens<'t>>(text: &'t str) -> String
where
    L::Kind: std::fmt::Debug,
{
    let mut lexer = L::new(text);
    let tokens = std::iter::from_fn(|| Some(lexer.next()).filter(|token| token.kind != L::END));
    let shown = tokens.map(|token| format!("{:?} {}", token.kind, &text[token.span.range()]));
    shown.collect::<Vec<_>>().join(", ")
}

/// An error was recorded; the caller finds a place to go on.
#[derive(Clone, Copy, Debug)]
pub struct Failed;

/// What could be read, unless an error was recorded.
pub type Parsed<T> = Result<T, Failed>;

/// Reads tokens from left to right, two of them in sight, and records what is wrong.
pub struct Cursor<'t, L: Tokens<'t>> {
    /// The token that is read next.
    pub current: Token<L::Kind>,
    /// The token after it.
    pub next: Token<L::Kind>,
    /// Where the token before it stands.
    pub previous: Span,
    /// What was found wrong so far: at most [`MAX_ERRORS`], and a note that there are more.
    pub errors: Vec<ParseError<L::Error>>,
    /// The language, for the names of errors.
    pub language: Language,
    text: &'t str,
    lexer: L,
}

impl<'t, L: Tokens<'t>> Cursor<'t, L> {
    /// The beginning of a text, unless spans cannot say its size.
    pub fn new(text: &'t str, language: Language) -> Result<Self, ParseError<L::Error>> {
        if text.len() > SourceFile::MAX_BYTES {
            let (kind, span) = (Mistake::TooLarge.into(), Span::default());
            return Err(ParseError { kind, span, language });
        }
        let mut lexer = L::new(text);
        let (current, next) = (lexer.next(), lexer.next());
        let (previous, errors) = (Span::default(), Vec::new());
        Ok(Cursor { current, next, previous, errors, language, text, lexer })
    }

    /// Whether the current token is of the kind.
    pub fn at(&self, kind: L::Kind) -> bool {
        self.current.kind == kind
    }

    /// The text of a token.
    pub fn text_of(&self, token: Token<L::Kind>) -> &'t str {
        &self.text[token.span.range()]
    }

    /// Whether the current token stands on another line than the one before it ends on.
    pub fn on_new_line(&self) -> bool {
        let (end, start) = (self.previous.end as usize, self.current.span.start as usize);
        self.text.get(end..start).is_some_and(|between| between.contains('\n'))
    }

    /// Steps over the current token.
    pub fn bump(&mut self) -> Token<L::Kind> {
        let token = self.current;
        self.previous = token.span;
        self.current = self.next;
        self.next = self.lexer.next();
        token
    }

    /// Steps over the current token if it is of the kind.
    pub fn eat(&mut self, kind: L::Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Steps over the current token, which must be of the kind.
    pub fn expect(&mut self, kind: L::Kind, phrase: &'static str) -> Parsed<Token<L::Kind>> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.expected(phrase)) }
    }

    /// Steps over what closes a bracket or a word that stands at `opened`.
    pub fn close(
        &mut self,
        kind: L::Kind,
        (opener, opened): (&'static str, Span),
        closer: &'static str,
    ) -> Parsed<Token<L::Kind>> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.unclosed(opener, opened, closer)) }
    }

    /// Leaves out a token on the way to a place to go on. What is wrong by itself is worth an error
    /// there too, but for single characters.
    pub fn skip(&mut self) -> Token<L::Kind> {
        if !self.at(L::UNKNOWN)
            && let Some(kind) = self.wrong()
        {
            self.error(kind, self.current.span);
        }
        self.bump()
    }

    /// Leaves out tokens up to the first one of which `stops` is true, or to the end.
    pub fn skip_to(&mut self, stops: impl Fn(L::Kind) -> bool) {
        while !self.at(L::END) && !stops(self.current.kind) {
            self.skip();
        }
    }

    /// Records an error, unless it is a consequence of the last one: a second error at one token, or
    /// behind a comment that hides the rest of the text.
    pub fn error(&mut self, kind: impl Into<L::Error>, span: Span) {
        let consequence = self.errors.last().is_some_and(|last| {
            last.span.start == span.start || last.kind == Mistake::UnclosedComment.into()
        });
        if !consequence {
            self.record(kind, span);
        }
    }

    /// Records an error, even where there is one already.
    fn record(&mut self, kind: impl Into<L::Error>, span: Span) {
        let language = self.language;
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(ParseError { kind: kind.into(), span, language });
        } else if self.errors.len() == MAX_ERRORS {
            let kind = Mistake::TooManyErrors.into();
            self.errors.push(ParseError { kind, span, language });
            self.lexer.stop();
            self.next = self.lexer.next();
            self.current = self.next;
        }
    }

    /// The current token as a phrase.
    fn found(&self) -> String {
        const SHOWN: usize = 40;
        if self.at(L::END) {
            return "the end of the file".into();
        }
        let text = self.text_of(self.current);
        match text.char_indices().nth(SHOWN) {
            Some((cut, _)) => format!("`{}…`", &text[..cut]),
            None => format!("`{text}`"),
        }
    }

    /// What is wrong with the current token by itself, whatever was expected.
    fn wrong(&self) -> Option<L::Error> {
        let text = self.text_of(self.current);
        match text.chars().next() {
            Some(first) if self.at(L::UNKNOWN) => Some(Mistake::UnknownCharacter(first).into()),
            _ => L::wrong(self.current.kind, text),
        }
    }

    /// Records that the current token is not what it should be.
    pub fn fail(&mut self, kind: impl Into<L::Error>) -> Failed {
        let kind = self.wrong().unwrap_or_else(|| kind.into());
        self.error(kind, self.current.span);
        Failed
    }

    /// Records that something else was expected than the current token.
    pub fn expected(&mut self, expected: &'static str) -> Failed {
        let keyword = L::is_reserved(self.current.kind);
        self.fail(Mistake::Expected { expected, found: self.found(), keyword })
    }

    /// Records that a `;` is missing behind the statement that was read last.
    pub fn missing_semicolon(&mut self) -> Failed {
        self.fail(Mistake::MissingSemicolon { found: self.found(), after: self.previous })
    }

    /// Records that something is not closed here.
    pub fn unclosed(&mut self, opener: &'static str, opened: Span, closer: &'static str) -> Failed {
        self.fail(Mistake::Unclosed { opener, opened, closer, found: self.found() })
    }

    /// Likewise, where one token shows it of several.
    pub fn also_unclosed(&mut self, opener: &'static str, opened: Span, closer: &'static str) {
        let found = self.found();
        self.record(Mistake::Unclosed { opener, opened, closer, found }, self.current.span);
    }

    /// Records that the current token closes or continues something that is not open.
    pub fn unopened(&mut self, opener: &'static str) -> Failed {
        self.fail(Mistake::Unopened { found: self.found(), opener })
    }
}
