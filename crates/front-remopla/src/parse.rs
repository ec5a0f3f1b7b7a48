//! Text → tree, by hand, without recursion.
//!
//! Open `if`s and `do`s wait on a stack (`parse/stmt.rs`); expressions are read by operator
//! precedence with a stack of their own (`parse/expr.rs`). After an error the parser goes on at the
//! next `;` or block word, so that one run finds several.
//!
//! [`Parser`] is public because `.pds` files have the same declarations, expressions and rules; their
//! front end puts these together in another way.

mod decl;
mod expr;
mod stmt;

use source::{SourceFile, Span};

use crate::MAX_ERRORS;
use crate::error::{Language, ParseError, ParseErrorKind};
use crate::lex::Lexer;
pub use crate::lex::{Kind, Token};
use crate::tree::{Decl, Item, Name, Tree};

/// Reads a Remopla program. The tree is the whole program if there are no errors, and otherwise
/// what could be made of it. Linear in the text; at most [`MAX_ERRORS`] errors and a note that
/// there are more.
pub fn parse(text: &str) -> (Tree, Vec<ParseError>) {
    let mut parser = match Parser::new(text, Language::Remopla) {
        Ok(parser) => parser,
        Err(error) => return (Tree::new(), vec![error]),
    };
    parser.program();
    (parser.tree, parser.errors)
}

/// An error was recorded; the caller finds a place to go on.
#[derive(Clone, Copy, Debug)]
pub struct Failed;

/// What could be read, unless an error was recorded.
pub type Parsed<T> = Result<T, Failed>;

/// Reads a text from left to right into a tree.
pub struct Parser<'t> {
    /// What was read so far.
    pub tree: Tree,
    /// What was found wrong so far.
    pub errors: Vec<ParseError>,
    text: &'t str,
    language: Language,
    lexer: Lexer<'t>,
    current: Token,
    next: Token,
    previous: Span,
    open: stmt::Open,
    locals: Vec<Decl>,
    scratch: expr::Scratch,
}

impl<'t> Parser<'t> {
    /// A parser at the beginning of the text.
    pub fn new(text: &'t str, language: Language) -> Result<Parser<'t>, ParseError> {
        if text.len() > SourceFile::MAX_BYTES {
            let (kind, span) = (ParseErrorKind::TooLarge, Span::default());
            return Err(ParseError { kind, span, language });
        }
        let mut lexer = Lexer::new(text);
        let (current, next) = (lexer.next(), lexer.next());
        Ok(Parser {
            tree: Tree::new(),
            errors: Vec::new(),
            text,
            language,
            lexer,
            current,
            next,
            previous: Span::default(),
            open: stmt::Open::default(),
            locals: Vec::new(),
            scratch: expr::Scratch::default(),
        })
    }

    // Tokens.

    /// The token that is read next.
    pub fn current(&self) -> Token {
        self.current
    }

    /// The token after the current one.
    pub fn following(&self) -> Token {
        self.next
    }

    /// The token before the current one.
    pub fn previous(&self) -> Span {
        self.previous
    }

    /// Whether the current token stands on another line than the one before it ends on.
    pub fn on_new_line(&self) -> bool {
        let (end, start) = (self.previous.end as usize, self.current.span.start as usize);
        self.text.get(end..start).is_some_and(|between| between.contains('\n'))
    }

    /// Whether the current token is of the kind.
    pub fn at(&self, kind: Kind) -> bool {
        self.current.kind == kind
    }

    /// Steps over the current token.
    pub fn bump(&mut self) -> Token {
        let token = self.current;
        self.previous = token.span;
        self.current = self.next;
        self.next = self.lexer.next();
        token
    }

    /// Leaves out a token on the way to a place to go on. What hides the text behind it is worth
    /// an error there too.
    pub fn skip(&mut self) -> Token {
        if !matches!(self.current.kind, Kind::Unknown)
            && let Some(kind) = self.bad_token()
        {
            self.error(kind, self.current.span);
        }
        self.bump()
    }

    /// Steps over the current token if it is of the kind.
    pub fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Steps over the current token, which must be of the kind.
    pub fn expect(&mut self, kind: Kind, phrase: &'static str) -> Parsed<Token> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.expected(phrase)) }
    }

    /// The text of a token.
    pub fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.span.range()]
    }

    /// A token as a name.
    pub fn name_of(&mut self, token: Token) -> Name {
        Name { symbol: self.tree.intern(&self.text[token.span.range()]), span: token.span }
    }

    /// A name.
    pub fn name(&mut self) -> Parsed<Name> {
        if self.at(Kind::Ident) {
            let token = self.bump();
            return Ok(self.name_of(token));
        }
        Err(self.expected_name("a name"))
    }

    /// Records that a name should stand here, and steps over a keyword that was meant as one: it
    /// must not open or close anything.
    fn expected_name(&mut self, phrase: &'static str) -> Failed {
        let failed = self.expected(phrase);
        let after = matches!(
            self.next.kind,
            Kind::Comma | Kind::Assign | Kind::Semi | Kind::RParen | Kind::LParen | Kind::LBracket
        );
        if self.current.kind.is_reserved() && !self.current.kind.ends_block() && after {
            self.bump();
        }
        failed
    }

    // Errors.

    /// Records an error, unless it is a consequence of the last one.
    pub fn error(&mut self, kind: ParseErrorKind, span: Span) {
        // A second error at one token, or behind a comment that hides the rest of the text.
        let consequence = self.errors.last().is_some_and(|last| {
            last.span.start == span.start || last.kind == ParseErrorKind::UnclosedComment
        });
        if !consequence {
            self.record(kind, span);
        }
    }

    fn record(&mut self, kind: ParseErrorKind, span: Span) {
        let language = self.language;
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(ParseError { kind, span, language });
        } else if self.errors.len() == MAX_ERRORS {
            let kind = ParseErrorKind::TooManyErrors;
            self.errors.push(ParseError { kind, span, language });
            self.lexer.stop();
            self.next = self.lexer.next();
            self.current = self.next;
        }
    }

    /// The current token as a phrase.
    fn found(&self) -> String {
        const SHOWN: usize = 40;
        if self.at(Kind::Eof) {
            return "the end of the file".into();
        }
        let text = self.text_of(self.current);
        match text.char_indices().nth(SHOWN) {
            Some((cut, _)) => format!("`{}…`", &text[..cut]),
            None => format!("`{text}`"),
        }
    }

    /// What is wrong with the current token by itself, whatever was expected.
    fn bad_token(&self) -> Option<ParseErrorKind> {
        let text = self.text_of(self.current);
        Some(match self.current.kind {
            Kind::Foreign => ParseErrorKind::Unsupported {
                construct: text.into(),
                meaning: match text {
                    "pchoice" | "choicep" => {
                        "chooses by probability; `if :: true -> … :: true -> … fi` chooses freely"
                    }
                    "fork" => "starts a thread; only sequential programs can be checked",
                    _ => "is about signed integers; all integers are unsigned",
                },
            },
            Kind::Unknown => ParseErrorKind::UnknownCharacter(text.chars().next()?),
            Kind::UnclosedComment => ParseErrorKind::UnclosedComment,
            Kind::UnclosedText => ParseErrorKind::UnclosedText,
            _ => return None,
        })
    }

    /// Records that the current token is not what it should be.
    pub fn fail(&mut self, kind: ParseErrorKind) -> Failed {
        let kind = self.bad_token().unwrap_or(kind);
        self.error(kind, self.current.span);
        Failed
    }

    /// Records that something else was expected than the current token.
    pub fn expected(&mut self, expected: &'static str) -> Failed {
        let keyword = self.current.kind.is_reserved();
        self.fail(ParseErrorKind::Expected { expected, found: self.found(), keyword })
    }

    fn unclosed(&mut self, opener: &'static str, opened: Span, closer: &'static str) -> Failed {
        self.fail(ParseErrorKind::Unclosed { opener, opened, closer, found: self.found() })
    }

    // The program.

    fn program(&mut self) {
        loop {
            match self.current.kind {
                Kind::Eof => return,
                Kind::Semi => _ = self.bump(),
                Kind::Define => {
                    if self.define().is_err() {
                        self.skip_define();
                    }
                }
                Kind::Init => {
                    if self.init().is_err() {
                        self.skip_statement();
                    }
                }
                Kind::Module => self.module(),
                kind if kind.begins_declaration() => {
                    if let Some(decl) = self.declaration() {
                        self.tree.add_item(Item::Decl(decl));
                    }
                }
                Kind::RBrace | Kind::Fi | Kind::Od | Kind::Option => {
                    let opener = match self.current.kind {
                        Kind::RBrace => "`{`",
                        Kind::Fi => "`if`",
                        Kind::Od => "`do`",
                        _ => "`if` or `do`",
                    };
                    self.fail(ParseErrorKind::Unopened { found: self.found(), opener });
                    self.bump();
                }
                Kind::Ident | Kind::All | Kind::Exists | Kind::Foreign => self.top_statements(),
                kind if kind.begins_statement() => self.top_statements(),
                _ => {
                    self.expected("a declaration, a module or a statement");
                    self.bump();
                    self.skip_to_item();
                }
            }
        }
    }

    /// Goes on at the next part of the program.
    fn skip_to_item(&mut self) {
        while !self.at(Kind::Eof) && !self.current.kind.begins_item() {
            if self.current.kind.begins_declaration() || self.skip().kind == Kind::RBrace {
                return;
            }
        }
    }

    /// `define N 3`, which becomes a part of the tree.
    pub fn define(&mut self) -> Parsed<()> {
        self.bump();
        let name = if self.eat(Kind::DefaultBits) { None } else { Some(self.name()?) };
        let value = self.expr()?;
        self.eat(Kind::Semi);
        self.tree.add_item(Item::Define(name, value));
        Ok(())
    }

    /// A definition has no `;`: goes on at something that can only begin the next part.
    fn skip_define(&mut self) {
        while !self.at(Kind::Eof)
            && !self.current.kind.begins_item()
            && !self.current.kind.begins_declaration()
        {
            if self.skip().kind == Kind::Semi {
                return;
            }
        }
    }

    /// `init main;`
    fn init(&mut self) -> Parsed<()> {
        self.bump();
        let mut names = vec![self.name()?];
        while self.at(Kind::Ident) {
            let token = self.bump();
            names.push(self.name_of(token));
        }
        self.expect(Kind::Semi, "`;`")?;
        let names = self.tree.add_list(names);
        self.tree.add_item(Item::Init(names));
        Ok(())
    }
}
