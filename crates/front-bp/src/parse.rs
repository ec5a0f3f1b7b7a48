//! Text → tree, by hand, without recursion.
//!
//! Open `if`s and `while`s wait on a stack (`parse/stmt.rs`); expressions are read by operator
//! precedence with a stack of their own (`parse/expr.rs`). After an error the parser goes on at the
//! next `;` or block word, so that one run finds several.

mod expr;
mod soft;
mod stmt;

use source::{SourceFile, Span};

use crate::error::{ParseError, ParseErrorKind};
use crate::lex::{Kind, Lexer, Token};
use crate::tree::{Block, List, Name, Proc, Tree};
use crate::{Dialect, MAX_ERRORS, MAX_RETURNS};

/// Reads a boolean program. The tree is the whole program if there are no errors, and otherwise
/// what could be made of it. Linear in the text; at most [`MAX_ERRORS`] errors and a note that
/// there are more.
pub fn parse(text: &str, dialect: Dialect) -> (Tree, Vec<ParseError>) {
    if text.len() > SourceFile::MAX_BYTES {
        let error = ParseError { kind: ParseErrorKind::TooLarge, span: Span::default() };
        return (Tree::new(), vec![error]);
    }
    let mut parser = Parser::new(text, dialect);
    parser.program();
    (parser.tree, parser.errors)
}

/// An error was recorded; the caller finds a place to go on.
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'t> {
    text: &'t str,
    dialect: Dialect,
    lexer: Lexer<'t>,
    soft: soft::Soft<'t>,
    current: Token,
    next: Token,
    /// The token before the current one.
    previous: Span,
    tree: Tree,
    errors: Vec<ParseError>,
    open: stmt::Open,
    locals: Vec<Name>,
    scratch: expr::Scratch,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, dialect: Dialect) -> Parser<'t> {
        let mut lexer = Lexer::new(text);
        let soft = soft::Soft::new(text);
        let (current, next) = (lexer.next(), lexer.next());
        let (current, next) = (soft.read(text, current), soft.read(text, next));
        Parser {
            text,
            dialect,
            lexer,
            soft,
            current,
            next,
            previous: Span::default(),
            tree: Tree::new(),
            errors: Vec::new(),
            open: stmt::Open::default(),
            locals: Vec::new(),
            scratch: expr::Scratch::default(),
        }
    }

    // Tokens.

    fn at(&self, kind: Kind) -> bool {
        self.current.kind == kind
    }

    fn bump(&mut self) -> Token {
        let token = self.current;
        self.previous = token.span;
        self.current = self.next;
        self.next = self.soft.read(self.text, self.lexer.next());
        token
    }

    /// Leaves out a token on the way to a place to go on. Concurrency, and what hides the text
    /// behind it, is worth an error there too.
    fn skip(&mut self) -> Token {
        if !self.at(Kind::Unknown)
            && let Some(kind) = self.bad_token()
        {
            self.error(kind, self.current.span);
        }
        self.bump()
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: Kind, phrase: &'static str) -> Parsed<Token> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.expected(phrase)) }
    }

    fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.span.range()]
    }

    fn name_of(&mut self, token: Token) -> Name {
        Name { symbol: self.tree.intern(&self.text[token.span.range()]), span: token.span }
    }

    fn name(&mut self, phrase: &'static str) -> Parsed<Name> {
        if self.at(Kind::Ident) {
            let token = self.bump();
            return Ok(self.name_of(token));
        }
        Err(self.expected_name(phrase))
    }

    /// Records that a name should stand here, and steps over a keyword that was meant as one: it
    /// must not open or close anything.
    fn expected_name(&mut self, phrase: &'static str) -> Failed {
        let failed = self.expected(phrase);
        if self.current.kind.is_reserved()
            && !self.current.kind.ends_block()
            && matches!(self.next.kind, Kind::Comma | Kind::Assign | Kind::Semi | Kind::RParen)
        {
            self.bump();
        }
        failed
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name("a name")?];
        while self.eat(Kind::Comma) {
            names.push(self.name("a name")?);
        }
        Ok(names)
    }

    // Errors.

    fn error(&mut self, kind: ParseErrorKind, span: Span) {
        // A second error at one token, or behind a comment that hides the rest of the text, is a
        // consequence of the first.
        let consequence = self.errors.last().is_some_and(|last| {
            last.span.start == span.start || last.kind == ParseErrorKind::UnclosedComment
        });
        if !consequence {
            self.record(kind, span);
        }
    }

    fn record(&mut self, kind: ParseErrorKind, span: Span) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(ParseError { kind, span });
        } else if self.errors.len() == MAX_ERRORS {
            self.errors.push(ParseError { kind: ParseErrorKind::TooManyErrors, span });
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
            Kind::Concurrent => ParseErrorKind::Concurrency {
                construct: text.into(),
                meaning: match text {
                    "start_thread" | "end_thread" => "starts or ends a thread",
                    "sync" => "waits for other threads",
                    _ => "marks a part that other threads do not interrupt",
                },
            },
            Kind::Passive => ParseErrorKind::Concurrency {
                construct: text.into(),
                meaning: "is a variable's value in other threads",
            },
            Kind::Unknown => ParseErrorKind::UnknownCharacter(text.chars().next()?),
            Kind::UnclosedComment => ParseErrorKind::UnclosedComment,
            Kind::UnclosedBrace => ParseErrorKind::UnclosedBrace,
            Kind::EmptyBrace => ParseErrorKind::EmptyBrace,
            _ => return None,
        })
    }

    /// Records that the current token is not what it should be.
    fn fail(&mut self, kind: ParseErrorKind) -> Failed {
        let kind = self.bad_token().unwrap_or(kind);
        self.error(kind, self.current.span);
        Failed
    }

    fn expected(&mut self, expected: &'static str) -> Failed {
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
                Kind::Decl => {
                    let names = self.declaration();
                    names.into_iter().for_each(|name| self.tree.add_global(name));
                }
                Kind::Void | Kind::Bool | Kind::Dfs | Kind::Ident => self.procedure(),
                _ => {
                    self.expected("a declaration or a procedure");
                    self.bump();
                    self.skip_to_item();
                }
            }
        }
    }

    /// Goes on at the next declaration or procedure.
    fn skip_to_item(&mut self) {
        while !self.at(Kind::Eof) && !self.current.kind.begins_item() {
            if self.skip().kind == Kind::End {
                return;
            }
        }
    }

    /// `decl x, y;`, as far as it can be read.
    fn declaration(&mut self) -> Vec<Name> {
        self.bump();
        let mut names = Vec::new();
        loop {
            match self.name("a name") {
                Ok(name) if self.tree.text(name.symbol) == "_" => {
                    self.error(ParseErrorKind::UnderscoreDeclared, name.span);
                }
                Ok(name) => names.push(name),
                Err(Failed) => {
                    self.skip_statement();
                    break;
                }
            }
            if self.eat(Kind::Comma) {
                continue;
            }
            if self.expect(Kind::Semi, "`,` or `;`").is_err() {
                self.skip_statement();
            }
            break;
        }
        names
    }

    fn procedure(&mut self) {
        let start = self.current.span;
        let mut proc = Proc {
            name: Name { symbol: self.tree.intern("_"), span: start },
            returns: 0,
            params: List::EMPTY,
            locals: List::EMPTY,
            enforce: None,
            abortif: None,
            body: Block::EMPTY,
            span: start,
        };
        if self.procedure_head(&mut proc).is_err() && !self.skip_to_begin() {
            return;
        }
        self.locals.clear();
        while self.at(Kind::Decl) {
            let names = self.declaration();
            self.locals.extend(names);
        }
        for (word, slot) in [(Kind::Enforce, &mut proc.enforce), (Kind::Abortif, &mut proc.abortif)]
        {
            if self.eat(word) {
                match self.condition(Kind::Semi, "`;`") {
                    Ok(expr) => *slot = Some(expr),
                    Err(Failed) => self.skip_statement(),
                }
            }
        }
        proc.body = self.body(proc.name.span);
        proc.locals = self.tree.add_names(self.locals.drain(..));
        self.tree.add_proc(proc);
    }

    fn procedure_head(&mut self, proc: &mut Proc) -> Parsed<()> {
        self.eat(Kind::Dfs);
        if !self.eat(Kind::Void) && self.eat(Kind::Bool) {
            proc.returns = 1;
            if self.eat(Kind::Less) {
                let token = self.expect(Kind::Int, "a number")?;
                match self.text_of(token).parse() {
                    Ok(n) if n <= MAX_RETURNS => proc.returns = n,
                    _ => self.error(ParseErrorKind::TooManyReturns, token.span),
                }
                self.expect(Kind::Greater, "`>`")?;
            }
        }
        proc.name = self.name("a name")?;
        proc.span = proc.span.to(proc.name.span);
        self.expect(Kind::LParen, "`(`")?;
        if !self.at(Kind::RParen) {
            let params = self.names()?;
            proc.params = self.tree.add_names(params);
        }
        self.expect(Kind::RParen, "`,` or `)`")?;
        self.expect(Kind::Begin, "`begin`")?;
        Ok(())
    }

    /// After a bad head: goes on in the body, if there is one.
    fn skip_to_begin(&mut self) -> bool {
        while !self.at(Kind::Eof) && !self.current.kind.begins_item() {
            match self.skip().kind {
                Kind::Begin => return true,
                Kind::End => return false,
                _ => {}
            }
        }
        false
    }
}
