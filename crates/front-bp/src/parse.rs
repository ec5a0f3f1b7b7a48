//! Text → tree, by hand, without recursion.
//!
//! Open `if`s and `while`s wait on a stack of [`Frame`]s; expressions are read by operator
//! precedence with a stack of their own (`parse/expr.rs`). After an error the parser goes on at the
//! next `;` or block word, so that one run finds several.

mod expr;

use source::{SourceFile, Span};

use crate::error::{ParseError, ParseErrorKind};
use crate::lex::{Kind, Lexer, Token};
use crate::tree::{
    Block, Branch, ExprId, ExprKind, List, Name, Proc, Stmt, StmtId, StmtKind, Tree,
};
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

/// What is open: a branch of an `if`, its `else`, or a `while`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opener {
    Then,
    Else,
    While,
}

/// A block that is not closed yet.
struct Frame {
    opener: Opener,
    labels: List<Name>,
    /// The `if` or `while` that the statement begins with.
    keyword: Span,
    /// The `if`, `elsif` or `while` of this block, and its condition.
    head: Span,
    cond: ExprId,
    /// Where this block's statements begin in `Parser::open_stmts`.
    stmts: usize,
    /// Where this statement's finished branches begin in `Parser::open_branches`.
    branches: usize,
}

struct Parser<'t> {
    text: &'t str,
    dialect: Dialect,
    lexer: Lexer<'t>,
    current: Token,
    next: Token,
    /// The token before the current one.
    previous: Span,
    tree: Tree,
    errors: Vec<ParseError>,
    frames: Vec<Frame>,
    open_stmts: Vec<StmtId>,
    open_branches: Vec<Branch>,
    locals: Vec<Name>,
    scratch: expr::Scratch,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, dialect: Dialect) -> Parser<'t> {
        let mut lexer = Lexer::new(text);
        let (current, next) = (lexer.next(), lexer.next());
        Parser {
            text,
            dialect,
            lexer,
            current,
            next,
            previous: Span::default(),
            tree: Tree::new(),
            errors: Vec::new(),
            frames: Vec::new(),
            open_stmts: Vec::new(),
            open_branches: Vec::new(),
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
        self.next = self.lexer.next();
        token
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
        let token = self.expect(Kind::Ident, phrase)?;
        Ok(self.name_of(token))
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
        // A second error at one token is a consequence of the first.
        if self.errors.last().is_none_or(|last| last.span.start != span.start) {
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
            if self.bump().kind == Kind::End {
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
            match self.bump().kind {
                Kind::Begin => return true,
                Kind::End => return false,
                _ => {}
            }
        }
        false
    }

    // Statements.

    /// The statements of a procedure and its `end`.
    fn body(&mut self, proc: Span) -> Block {
        loop {
            match self.current.kind {
                Kind::Semi => _ = self.bump(),
                Kind::Decl => {
                    let names = self.declaration();
                    self.locals.extend(names);
                }
                Kind::End => {
                    self.close_frames(0);
                    self.bump();
                    break;
                }
                Kind::Eof => {
                    // One error is enough: everything open is open for the same reason.
                    match self.frames.last() {
                        Some(frame) => {
                            let (opener, opened, closer) = frame.words();
                            self.unclosed(opener, opened, closer);
                        }
                        None => _ = self.unclosed("the procedure", proc, "`end`"),
                    }
                    self.drop_frames();
                    break;
                }
                Kind::Void | Kind::Bool | Kind::Dfs => {
                    self.unclosed("the procedure", proc, "`end`");
                    self.drop_frames();
                    break;
                }
                Kind::Fi | Kind::Od | Kind::Else | Kind::Elsif => self.block_word(),
                _ => self.statement(),
            }
        }
        self.tree.add_block(self.open_stmts.drain(..))
    }

    /// Closes what is open without further errors.
    fn drop_frames(&mut self) {
        while !self.frames.is_empty() {
            self.close_frame();
        }
    }

    /// Closes the innermost blocks until `depth` are left, an error for each.
    fn close_frames(&mut self, depth: usize) {
        while self.frames.len() > depth {
            let (opener, opened, closer) = self.frames[self.frames.len() - 1].words();
            // Not `error`, which would keep the first of several at one token.
            let found = self.found();
            let kind = ParseErrorKind::Unclosed { opener, opened, closer, found };
            self.record(kind, self.current.span);
            self.close_frame();
        }
    }

    /// `fi`, `od`, `else` or `elsif`.
    fn block_word(&mut self) {
        let word = self.current.kind;
        let fits = |frame: &Frame| match word {
            Kind::Od => frame.opener == Opener::While,
            Kind::Fi => frame.opener != Opener::While,
            _ => frame.opener == Opener::Then,
        };
        let Some(depth) = self.frames.iter().rposition(fits) else {
            let opener = if word == Kind::Od { "`while`" } else { "`if`" };
            self.fail(ParseErrorKind::Unopened { found: self.found(), opener });
            self.bump();
            if word == Kind::Elsif {
                self.skip_head(Kind::Then);
            }
            return;
        };
        self.close_frames(depth + 1);
        match word {
            Kind::Fi | Kind::Od => {
                self.bump();
                self.close_frame();
            }
            Kind::Else => {
                self.bump();
                self.finish_branch();
                let frame = self.top();
                frame.opener = Opener::Else;
            }
            _ => {
                let keyword = self.bump().span;
                self.finish_branch();
                let cond = self.head(Kind::Then, "`then`");
                let frame = self.top();
                (frame.head, frame.cond) = (keyword, cond);
            }
        }
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the caller has found a frame")
    }

    /// Turns the statements of the innermost block, a branch of an `if`, into a branch.
    fn finish_branch(&mut self) {
        let frame = self.frames.last().expect("the caller has found a frame");
        let (stmts, keyword, cond) = (frame.stmts, frame.head, frame.cond);
        let body = self.tree.add_block(self.open_stmts.drain(stmts..));
        self.open_branches.push(Branch { keyword, cond, body });
    }

    /// Turns the innermost block into a statement of the block around it.
    fn close_frame(&mut self) {
        if self.top().opener == Opener::Then {
            self.finish_branch();
        }
        let Some(frame) = self.frames.pop() else { return };
        let body = self.tree.add_block(self.open_stmts.drain(frame.stmts..));
        let kind = match frame.opener {
            Opener::While => StmtKind::While { cond: frame.cond, body },
            _ => StmtKind::If {
                branches: self.tree.add_branches(self.open_branches.drain(frame.branches..)),
                otherwise: (frame.opener == Opener::Else).then_some(body),
            },
        };
        let span = frame.keyword.to(self.previous);
        let stmt = self.tree.add_stmt(Stmt { labels: frame.labels, kind, span });
        self.open_stmts.push(stmt);
    }

    /// A statement, or the head of one that opens a block.
    fn statement(&mut self) {
        let labels = self.labels();
        let start = self.current.span;
        let opener = match self.current.kind {
            Kind::If => Opener::Then,
            Kind::While => Opener::While,
            _ => {
                match self.simple(labels) {
                    Ok(kind) => {
                        let span = start.to(self.previous);
                        let stmt = self.tree.add_stmt(Stmt { labels, kind, span });
                        self.open_stmts.push(stmt);
                        self.end_of_statement();
                    }
                    Err(Failed) => self.skip_statement(),
                }
                return;
            }
        };
        self.bump();
        let cond = match opener {
            Opener::While => self.head(Kind::Do, "`do`"),
            _ => self.head(Kind::Then, "`then`"),
        };
        self.frames.push(Frame {
            opener,
            labels,
            keyword: start,
            head: start,
            cond,
            stmts: self.open_stmts.len(),
            branches: self.open_branches.len(),
        });
    }

    fn labels(&mut self) -> List<Name> {
        let mut labels = Vec::new();
        while matches!(self.current.kind, Kind::Ident | Kind::Int) && self.next.kind == Kind::Colon
        {
            let token = self.bump();
            self.bump();
            labels.push(self.name_of(token));
        }
        self.tree.add_names(labels)
    }

    /// The condition of an `if`, `elsif` or `while` and the word after it. A bad one opens its block
    /// all the same, so that the closing word finds its partner.
    fn head(&mut self, word: Kind, phrase: &'static str) -> ExprId {
        let start = self.current.span;
        self.condition(word, phrase).unwrap_or_else(|Failed| {
            self.skip_head(word);
            self.tree.add_expr(ExprKind::Choice, start)
        })
    }

    fn skip_head(&mut self, word: Kind) {
        loop {
            match self.current.kind {
                kind if kind == word => {
                    self.bump();
                    return;
                }
                Kind::Eof | Kind::Semi => return,
                kind if kind.ends_block() || kind.begins_item() || kind.begins_statement() => {
                    return;
                }
                _ => _ = self.bump(),
            }
        }
    }

    fn condition(&mut self, word: Kind, phrase: &'static str) -> Parsed<ExprId> {
        let expr = self.expr()?;
        self.expect(word, phrase)?;
        Ok(expr)
    }

    fn end_of_statement(&mut self) {
        if self.eat(Kind::Semi) || self.current.kind.ends_block() {
            return;
        }
        let found = self.found();
        let Failed = self.fail(ParseErrorKind::MissingSemicolon { found, after: self.previous });
        // Where the next token begins a statement, only the `;` is missing.
        let begins = self.current.kind.begins_statement()
            || matches!(self.current.kind, Kind::Ident | Kind::Int)
                && matches!(self.next.kind, Kind::Colon | Kind::Assign | Kind::LParen);
        if !begins {
            self.skip_statement();
        }
    }

    /// After an error: goes on behind the next `;`, or at a word that begins or ends something.
    fn skip_statement(&mut self) {
        loop {
            match self.current.kind {
                Kind::Semi => {
                    self.bump();
                    return;
                }
                Kind::Eof => return,
                kind if kind.ends_block() || kind.begins_item() || kind.begins_statement() => {
                    return;
                }
                _ => _ = self.bump(),
            }
        }
    }

    /// A statement that contains no others, without its `;`.
    fn simple(&mut self, labels: List<Name>) -> Parsed<StmtKind> {
        match self.current.kind {
            Kind::Skip => {
                self.bump();
                Ok(StmtKind::Skip)
            }
            Kind::Goto => {
                self.bump();
                let mut targets = Vec::new();
                loop {
                    if !matches!(self.current.kind, Kind::Ident | Kind::Int) {
                        return Err(self.expected("a label"));
                    }
                    let token = self.bump();
                    targets.push(self.name_of(token));
                    if !self.eat(Kind::Comma) {
                        return Ok(StmtKind::Goto(self.tree.add_names(targets)));
                    }
                }
            }
            Kind::Return => {
                self.bump();
                let none = self.at(Kind::Semi) || self.current.kind.ends_block();
                Ok(StmtKind::Return(if none { List::EMPTY } else { self.exprs()? }))
            }
            Kind::Print => {
                self.bump();
                self.expect(Kind::LParen, "`(`")?;
                let values = self.exprs()?;
                self.expect(Kind::RParen, "`,` or `)`")?;
                Ok(StmtKind::Print(values))
            }
            Kind::Assert => Ok(StmtKind::Assert(self.bracketed()?)),
            Kind::Assume => Ok(StmtKind::Assume(self.bracketed()?)),
            Kind::Constrain => Ok(StmtKind::Constrain(self.bracketed()?)),
            Kind::Dead => {
                self.bump();
                let names = self.names()?;
                Ok(StmtKind::Dead(self.tree.add_names(names)))
            }
            Kind::Enforce => Err(self.fail(ParseErrorKind::Misplaced("`enforce`"))),
            Kind::Abortif => Err(self.fail(ParseErrorKind::Misplaced("`abortif`"))),
            Kind::Ident if self.next.kind == Kind::LParen => self.call(labels, List::EMPTY),
            Kind::Ident => self.assignment(labels),
            kind if kind.ends_block() && !labels.is_empty() => {
                let label = self.tree.names(labels)[labels.len() - 1];
                let text = self.tree.text(label.symbol).to_string();
                Err(self.fail(ParseErrorKind::LabelWithoutStatement(text)))
            }
            _ => Err(self.expected("a statement")),
        }
    }

    /// `assert(e)` and its like.
    fn bracketed(&mut self) -> Parsed<ExprId> {
        self.bump();
        let open = self.expect(Kind::LParen, "`(`")?;
        let expr = self.expr()?;
        if !self.eat(Kind::RParen) {
            return Err(self.unclosed("`(`", open.span, "`)`"));
        }
        Ok(expr)
    }

    fn assignment(&mut self, labels: List<Name>) -> Parsed<StmtKind> {
        let start = self.current.span;
        let targets = self.names()?;
        let targets = self.tree.add_names(targets);
        self.expect(Kind::Assign, "`:=`")?;
        if self.at(Kind::Ident) && self.next.kind == Kind::LParen {
            return self.call(labels, targets);
        }
        let values = self.exprs()?;
        if targets.len() != values.len() {
            let count =
                ParseErrorKind::AssignmentCount { targets: targets.len(), values: values.len() };
            self.error(count, start.to(self.previous));
        }
        let constraint = if self.eat(Kind::Constrain) { Some(self.expr()?) } else { None };
        Ok(StmtKind::Assign { targets, values, constraint })
    }

    fn call(&mut self, labels: List<Name>, targets: List<Name>) -> Parsed<StmtKind> {
        // SATABS starts a thread by a call whose label begins with `ASYNC_`.
        let asynchronous = self.tree.names(labels).iter().copied();
        let mut asynchronous =
            asynchronous.filter(|l| self.tree.text(l.symbol).starts_with("ASYNC_"));
        if let Some(label) = asynchronous.next() {
            let construct = self.tree.text(label.symbol).to_string();
            let meaning = "label makes the call the start of a thread";
            self.error(ParseErrorKind::Concurrency { construct, meaning }, label.span);
        }
        let callee = self.name("a name")?;
        let open = self.bump();
        let args = if self.at(Kind::RParen) { List::EMPTY } else { self.exprs()? };
        if !self.eat(Kind::RParen) {
            return Err(self.unclosed("`(`", open.span, "`,` or `)`"));
        }
        Ok(StmtKind::Call { targets, callee, args })
    }
}

impl Frame {
    /// What opened, where, and what would close it.
    fn words(&self) -> (&'static str, Span, &'static str) {
        match self.opener {
            Opener::While => ("`while`", self.keyword, "`od`"),
            Opener::Then | Opener::Else => ("`if`", self.keyword, "`fi`"),
        }
    }
}
