//! Statements, with a stack of the `if`s and `while`s that are open.

use source::Span;
use syntax::{Failed, Mistake, Parsed};

use super::Parser;
use crate::error::ParseErrorKind;
use crate::lex::Kind;
use crate::tree::{Block, Branch, ExprId, ExprKind, List, Name, Stmt, StmtId, StmtKind};

/// What is open; empty between procedures.
#[derive(Default)]
pub(super) struct Open {
    frames: Vec<Frame>,
    /// The statements read so far of the procedure's body and of each open block.
    stmts: Vec<StmtId>,
    /// The finished branches of each open `if`.
    branches: Vec<Branch>,
}

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
    /// Where this block's statements begin in `Open::stmts`.
    stmts: usize,
    /// Where this statement's finished branches begin in `Open::branches`.
    branches: usize,
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

impl Parser<'_> {
    /// The statements of a procedure and its `end`.
    pub(super) fn body(&mut self, proc: Span) -> Block {
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
                    match self.open.frames.last() {
                        Some(frame) => {
                            let (opener, opened, closer) = frame.words();
                            self.unclosed(opener, opened, closer);
                        }
                        None => _ = self.unclosed("the procedure", proc, "`end`"),
                    }
                    self.drop_frames();
                    break;
                }
                Kind::Void | Kind::Bool | Kind::Dfs if self.next.kind != Kind::Colon => {
                    self.unclosed("the procedure", proc, "`end`");
                    self.drop_frames();
                    break;
                }
                Kind::Elsif if self.next.kind == Kind::Colon => self.statement(),
                Kind::Fi | Kind::Od | Kind::Else | Kind::Elsif => self.block_word(),
                _ => self.statement(),
            }
        }
        self.tree.add_block(self.open.stmts.drain(..))
    }

    /// Closes what is open without further errors.
    fn drop_frames(&mut self) {
        while !self.open.frames.is_empty() {
            self.close_frame();
        }
    }

    /// Closes the innermost blocks until `depth` are left, an error for each.
    fn close_frames(&mut self, depth: usize) {
        while self.open.frames.len() > depth {
            let (opener, opened, closer) = self.open.frames[self.open.frames.len() - 1].words();
            self.also_unclosed(opener, opened, closer);
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
        let Some(depth) = self.open.frames.iter().rposition(fits) else {
            let opener = if word == Kind::Od { "`while`" } else { "`if`" };
            self.unopened(opener);
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
        self.open.frames.last_mut().expect("the caller has found a frame")
    }

    /// Turns the statements of the innermost block, a branch of an `if`, into a branch.
    fn finish_branch(&mut self) {
        let frame = self.open.frames.last().expect("the caller has found a frame");
        let (stmts, keyword, cond) = (frame.stmts, frame.head, frame.cond);
        let body = self.tree.add_block(self.open.stmts.drain(stmts..));
        self.open.branches.push(Branch { keyword, cond, body });
    }

    /// Turns the innermost block into a statement of the block around it.
    fn close_frame(&mut self) {
        if self.top().opener == Opener::Then {
            self.finish_branch();
        }
        let Some(frame) = self.open.frames.pop() else { return };
        let body = self.tree.add_block(self.open.stmts.drain(frame.stmts..));
        let kind = match frame.opener {
            Opener::While => StmtKind::While { cond: frame.cond, body },
            _ => StmtKind::If {
                branches: self.tree.add_branches(self.open.branches.drain(frame.branches..)),
                otherwise: (frame.opener == Opener::Else).then_some(body),
            },
        };
        let span = frame.keyword.to(self.previous);
        let stmt = self.tree.add_stmt(Stmt { labels: frame.labels, kind, span });
        self.open.stmts.push(stmt);
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
                        self.open.stmts.push(stmt);
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
        self.open.frames.push(Frame {
            opener,
            labels,
            keyword: start,
            head: start,
            cond,
            stmts: self.open.stmts.len(),
            branches: self.open.branches.len(),
        });
    }

    fn labels(&mut self) -> List<Name> {
        let mut labels = Vec::new();
        let named = |kind: Kind| matches!(kind, Kind::Ident | Kind::Int) || kind.is_soft();
        while named(self.current.kind) && self.next.kind == Kind::Colon {
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
        self.skip_to(|kind| kind == word || kind == Kind::Semi || kind.ends_skipping());
        self.eat(word);
    }

    pub(super) fn condition(&mut self, word: Kind, phrase: &'static str) -> Parsed<ExprId> {
        let expr = self.expr()?;
        self.expect(word, phrase)?;
        Ok(expr)
    }

    fn end_of_statement(&mut self) {
        if self.eat(Kind::Semi) || self.current.kind.ends_block() {
            return;
        }
        self.missing_semicolon();
        // Where the next token begins a statement, only the `;` is missing.
        let begins = self.current.kind.begins_statement()
            || matches!(self.current.kind, Kind::Ident | Kind::Int)
                && matches!(self.next.kind, Kind::Colon | Kind::Assign | Kind::LParen);
        if !begins {
            self.skip_statement();
        }
    }

    /// After an error: goes on behind the next `;`, or at a word that begins or ends something.
    pub(super) fn skip_statement(&mut self) {
        self.skip_to(|kind| kind == Kind::Semi || kind.ends_skipping());
        self.eat(Kind::Semi);
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
                    let kind = self.current.kind;
                    if !matches!(kind, Kind::Ident | Kind::Int) && !kind.is_soft() {
                        return Err(self.expected_name("a label"));
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
                Err(self.fail(Mistake::LabelWithoutStatement(text)))
            }
            _ => Err(self.expected("a statement")),
        }
    }

    /// `assert(e)` and its like.
    fn bracketed(&mut self) -> Parsed<ExprId> {
        self.bump();
        let open = self.expect(Kind::LParen, "`(`")?;
        let expr = self.expr()?;
        self.close(Kind::RParen, ("`(`", open.span), "`)`")?;
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
            let span = start.to(self.previous);
            self.error(count, span);
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
        self.close(Kind::RParen, ("`(`", open.span), "`,` or `)`")?;
        Ok(StmtKind::Call { targets, callee, args })
    }
}
