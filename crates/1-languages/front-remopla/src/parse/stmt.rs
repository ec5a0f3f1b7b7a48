//! Statements. Those that contain others wait on a stack until they are closed.

use source::Span;
use syntax::{Failed, Language, Mistake, Parsed};

use super::Parser;
use crate::error::ParseErrorKind;
use crate::lex::Kind;
use crate::tree::{
    Assign, BinOp, Block, Branch, ExprId, Item, List, Name, Quantifier, Rule, Stmt, StmtId,
    StmtKind,
};

/// What is open; empty between modules.
#[derive(Default)]
pub(super) struct Open {
    frames: Vec<Frame>,
    /// The statements read so far of the module's body and of each open block.
    stmts: Vec<StmtId>,
    /// The finished branches of each open statement.
    branches: Vec<Branch>,
}

/// A statement that is not closed yet.
struct Frame {
    is_do: bool,
    labels: List<Name>,
    keyword: Span,
    /// The branch that is being read: its condition and its head.
    branch: Option<(Option<ExprId>, Span)>,
    /// The `else` that was read.
    otherwise: Option<Span>,
    /// Where this branch's statements begin in `Open::stmts`.
    stmts: usize,
    /// Where this statement's finished branches begin in `Open::branches`.
    branches: usize,
}

impl Frame {
    /// What opened, where, and what would close it.
    fn words(&self) -> (&'static str, Span, &'static str) {
        match self.is_do {
            true => ("`do`", self.keyword, "`od`"),
            false => ("`if`", self.keyword, "`fi`"),
        }
    }
}

impl Parser<'_> {
    /// The statements of a module and its `}`.
    pub(super) fn body(&mut self, open: Span) -> Block {
        loop {
            match self.current.kind {
                _ if self.at_label() => self.statement(),
                Kind::Semi => _ = self.bump(),
                Kind::RBrace => {
                    self.close_frames(0);
                    self.bump();
                    break;
                }
                Kind::Eof | Kind::Define | Kind::Init | Kind::Module => {
                    // One error is enough: everything open is open for the same reason.
                    match self.open.frames.last() {
                        Some(frame) => {
                            let (opener, opened, closer) = frame.words();
                            self.unclosed(opener, opened, closer);
                        }
                        None => _ = self.unclosed("the module's `{`", open, "`}`"),
                    }
                    self.drop_frames();
                    break;
                }
                kind if kind.begins_declaration() => {
                    let decl = self.declaration();
                    self.locals.extend(decl);
                }
                Kind::Fi | Kind::Od | Kind::Option => self.block_word(),
                _ => self.statement(),
            }
        }
        let stmts = std::mem::take(&mut self.open.stmts);
        self.tree.add_block(stmts)
    }

    /// Statements outside modules, up to something that is none.
    pub(super) fn top_statements(&mut self) {
        loop {
            match self.current.kind {
                Kind::Semi => _ = self.bump(),
                Kind::Fi | Kind::Od | Kind::Option if !self.open.frames.is_empty() => {
                    self.block_word();
                }
                Kind::Ident | Kind::All | Kind::Exists | Kind::Foreign => self.statement(),
                kind if kind.begins_statement() => self.statement(),
                _ if self.open.frames.is_empty() => break,
                Kind::Eof | Kind::RBrace | Kind::Define | Kind::Init | Kind::Module => {
                    self.close_frames(0);
                    break;
                }
                kind if kind.begins_declaration() => {
                    self.close_frames(0);
                    break;
                }
                _ => self.statement(),
            }
            if self.open.frames.is_empty() {
                self.flush();
            }
        }
        self.flush();
    }

    fn flush(&mut self) {
        for stmt in std::mem::take(&mut self.open.stmts) {
            self.tree.add_item(Item::Stmt(stmt));
        }
    }

    /// Closes what is open without further errors.
    fn drop_frames(&mut self) {
        while !self.open.frames.is_empty() {
            self.close_frame();
        }
    }

    /// Closes the innermost statements until `depth` are left, an error for each.
    fn close_frames(&mut self, depth: usize) {
        while self.open.frames.len() > depth {
            let (opener, opened, closer) = self.open.frames[self.open.frames.len() - 1].words();
            self.also_unclosed(opener, opened, closer);
            self.close_frame();
        }
    }

    /// `fi`, `od` or `::`.
    fn block_word(&mut self) {
        let word = self.current.kind;
        let fits = |frame: &Frame| match word {
            Kind::Od => frame.is_do,
            Kind::Fi => !frame.is_do,
            _ => true,
        };
        let Some(depth) = self.open.frames.iter().rposition(fits) else {
            let opener = match word {
                Kind::Od => "`do`",
                Kind::Fi => "`if`",
                _ => "`if` or `do`",
            };
            self.unopened(opener);
            self.bump();
            if word == Kind::Option {
                self.skip_head();
            }
            return;
        };
        self.close_frames(depth + 1);
        if word == Kind::Option {
            self.finish_branch();
            let start = self.bump().span;
            self.branch(start);
        } else {
            self.bump();
            self.close_frame();
        }
    }

    fn top(&mut self) -> &mut Frame {
        self.open.frames.last_mut().expect("the caller has found a frame")
    }

    /// `condition ->` after `::`. A bad one opens its branch all the same.
    fn branch(&mut self, start: Span) {
        let guard = if self.at(Kind::Else) {
            let word = self.bump().span;
            match self.top().otherwise {
                Some(first) => self.error(ParseErrorKind::SecondElse { first }, word),
                None => self.top().otherwise = Some(word),
            }
            None
        } else {
            match self.expr() {
                Ok(guard) => Some(guard),
                Err(Failed) => {
                    self.skip_head();
                    self.top().branch = Some((None, start));
                    return;
                }
            }
        };
        let span = start.to(self.current.span);
        if self.expect(Kind::Then, "`->`").is_err() {
            self.skip_head();
        }
        self.top().branch = Some((guard, span));
    }

    fn skip_head(&mut self) {
        self.skip_to(|kind| {
            matches!(kind, Kind::Then | Kind::Semi)
                || kind.ends_block()
                || kind.begins_item()
                || kind.begins_statement()
        });
        self.eat(Kind::Then);
    }

    /// Turns the statements of the branch that is being read, if there is one, into a branch.
    fn finish_branch(&mut self) {
        let frame = self.open.frames.last_mut().expect("the caller has found a frame");
        let stmts = frame.stmts;
        if let Some((guard, span)) = frame.branch.take() {
            let body: Vec<StmtId> = self.open.stmts.drain(stmts..).collect();
            let body = self.tree.add_block(body);
            self.open.branches.push(Branch { guard, body, span });
        } else {
            // Only an error lets statements stand before the first branch.
            self.open.stmts.truncate(stmts);
        }
    }

    /// Turns the innermost open statement into a statement of the block around it.
    fn close_frame(&mut self) {
        self.finish_branch();
        let Some(frame) = self.open.frames.pop() else { return };
        let branches: Vec<Branch> = self.open.branches.drain(frame.branches..).collect();
        if branches.is_empty() {
            let word = if frame.is_do { "do" } else { "if" };
            self.error(ParseErrorKind::NoBranch(word), frame.keyword);
        }
        let branches = self.tree.add_list(branches);
        let kind = if frame.is_do { StmtKind::Do(branches) } else { StmtKind::If(branches) };
        let span = frame.keyword.to(self.previous);
        let stmt = self.tree.add_stmt(Stmt { labels: frame.labels, kind, span });
        self.open.stmts.push(stmt);
    }

    /// A statement, or the beginning of one that contains others.
    fn statement(&mut self) {
        let labels = self.labels();
        let start = self.current.span;
        if matches!(self.current.kind, Kind::If | Kind::Do) {
            let is_do = self.bump().kind == Kind::Do;
            let (stmts, branches) = (self.open.stmts.len(), self.open.branches.len());
            self.open.frames.push(Frame {
                is_do,
                labels,
                keyword: start,
                branch: None,
                otherwise: None,
                stmts,
                branches,
            });
            if !matches!(self.current.kind, Kind::Option | Kind::Fi | Kind::Od) {
                self.expected("`::`");
                self.branch(self.current.span);
            }
            return;
        }
        match self.simple(labels) {
            Ok(kind) => {
                let span = start.to(self.previous);
                let stmt = self.tree.add_stmt(Stmt { labels, kind, span });
                self.open.stmts.push(stmt);
                if !matches!(kind, StmtKind::Rule(_)) {
                    self.end_of_statement();
                }
            }
            Err(Failed) => self.skip_statement(),
        }
    }

    /// A word before `:` is a label, whatever it means elsewhere.
    fn at_label(&self) -> bool {
        self.current.kind.is_label() && self.next.kind == Kind::Colon
    }

    fn labels(&mut self) -> List<Name> {
        let mut labels = Vec::new();
        while self.at_label() {
            let token = self.bump();
            self.bump();
            labels.push(self.name_of(token));
        }
        self.tree.add_names(labels)
    }

    fn end_of_statement(&mut self) {
        if self.eat(Kind::Semi) || self.current.kind.ends_block() {
            return;
        }
        self.missing_semicolon();
        // Where the next token begins a statement, only the `;` is missing.
        let begins = self.current.kind.begins_statement()
            || self.at(Kind::Ident)
                && matches!(self.next.kind, Kind::Colon | Kind::Assign | Kind::LParen);
        if !begins {
            self.skip_statement();
        }
    }

    /// After an error: goes on behind the next `;`, or at a word that begins or ends something.
    pub(super) fn skip_statement(&mut self) {
        let mut probabilistic = 0usize;
        loop {
            match self.current.kind {
                Kind::Eof => return,
                kind if kind.begins_item() => return,
                // The branches of a `pchoice` end with `choicep`, whatever stands between.
                Kind::Foreign if self.text_of(self.current) == "pchoice" => {
                    probabilistic += 1;
                    self.skip();
                }
                Kind::Foreign if self.text_of(self.current) == "choicep" => {
                    probabilistic = probabilistic.saturating_sub(1);
                    self.bump();
                }
                _ if probabilistic > 0 => _ = self.bump(),
                Kind::Semi => {
                    self.bump();
                    return;
                }
                kind if kind.ends_block() || kind.begins_statement() => return,
                kind if kind.begins_declaration() => return,
                _ => _ = self.skip(),
            }
        }
    }

    /// A statement that contains no others, without its `;`.
    fn simple(&mut self, labels: List<Name>) -> Parsed<StmtKind> {
        match self.current.kind {
            Kind::Goto => {
                self.bump();
                let ends = matches!(self.next.kind, Kind::Semi | Kind::Comma);
                let label = match self.current.kind.is_label() && ends {
                    true => {
                        let token = self.bump();
                        self.name_of(token)
                    }
                    false => self.name()?,
                };
                Ok(StmtKind::Goto(label, self.further_assigns()?))
            }
            Kind::Break => {
                self.bump();
                Ok(StmtKind::Break)
            }
            Kind::Return => {
                self.bump();
                let none = self.at(Kind::Semi) || self.current.kind.ends_block();
                Ok(StmtKind::Return(if none { None } else { Some(self.value()?) }))
            }
            Kind::Skip => {
                self.bump();
                let condition = if self.at(Kind::LParen) { Some(self.bracketed()?) } else { None };
                Ok(StmtKind::Skip(condition))
            }
            Kind::Ident if self.next.kind == Kind::Binary(BinOp::Lt) => {
                Ok(StmtKind::Rule(self.rule()?))
            }
            Kind::Ident if self.next.kind == Kind::LParen => self.call(None),
            Kind::Ident | Kind::All | Kind::Exists => self.assignment(),
            kind if kind.ends_block() && !labels.is_empty() => {
                let label = self.tree.names(labels)[labels.len() - 1];
                let text = self.tree.text(label.symbol).to_string();
                Err(self.fail(Mistake::LabelWithoutStatement(text)))
            }
            _ => Err(self.expected("a statement")),
        }
    }

    /// `(b)`
    fn bracketed(&mut self) -> Parsed<ExprId> {
        let open = self.bump();
        let expr = self.expr()?;
        self.close(Kind::RParen, ("`(`", open.span), "`)`")?;
        Ok(expr)
    }

    fn assignment(&mut self) -> Parsed<StmtKind> {
        if self.at(Kind::Ident) {
            let target = self.place()?;
            let other = self.at(Kind::Binary(BinOp::Ne));
            if !other {
                self.expect(Kind::Assign, "`=`")?;
                if self.at(Kind::Ident) && self.next.kind == Kind::LParen {
                    return self.call(Some(target));
                }
            } else {
                self.bump();
            }
            let value = self.value()?;
            let first = Assign { quantifiers: List::EMPTY, target, other, value };
            return Ok(StmtKind::Assign(self.assigns(vec![first])?));
        }
        let first = self.assign()?;
        Ok(StmtKind::Assign(self.assigns(vec![first])?))
    }

    /// What follows the first assignments, each after a comma.
    fn assigns(&mut self, mut assigns: Vec<Assign>) -> Parsed<List<Assign>> {
        while self.eat(Kind::Comma) {
            assigns.push(self.assign()?);
        }
        Ok(self.tree.add_list(assigns))
    }

    fn further_assigns(&mut self) -> Parsed<List<Assign>> {
        self.assigns(Vec::new())
    }

    /// `A i (0, 3) a[i] = e`
    fn assign(&mut self) -> Parsed<Assign> {
        let mut quantifiers = Vec::new();
        while matches!(self.current.kind, Kind::All | Kind::Exists) {
            let all = self.bump().kind == Kind::All;
            let var = self.name()?;
            self.expect(Kind::LParen, "`(`")?;
            let lo = self.expr()?;
            self.expect(Kind::Comma, "`,`")?;
            let hi = self.expr()?;
            self.expect(Kind::RParen, "`)`")?;
            quantifiers.push(Quantifier { all, var, lo, hi });
        }
        let target = self.place()?;
        let other = self.eat(Kind::Binary(BinOp::Ne));
        if !other {
            self.expect(Kind::Assign, "`=`")?;
        }
        let value = self.value()?;
        let quantifiers = self.tree.add_list(quantifiers);
        Ok(Assign { quantifiers, target, other, value })
    }

    fn call(&mut self, target: Option<ExprId>) -> Parsed<StmtKind> {
        let callee = self.name()?;
        let open = self.bump();
        let args = if self.at(Kind::RParen) { List::EMPTY } else { self.exprs()? };
        self.close(Kind::RParen, ("`(`", open.span), "`,` or `)`")?;
        let assigns = self.further_assigns()?;
        Ok(StmtKind::Call { target, callee, args, assigns })
    }

    /// `p <y> --> q <y1 y2> "label" (b)`
    pub(crate) fn rule(&mut self) -> Parsed<Rule> {
        let from = self.rule_name()?;
        self.expect(Kind::Binary(BinOp::Lt), "`<`")?;
        let symbol = self.rule_name()?;
        self.expect(Kind::Binary(BinOp::Gt), "`>`")?;
        self.expect(Kind::Arrow, "`-->`")?;
        let to = self.rule_name()?;
        let stack = self.stack()?;
        let label = if self.at(Kind::Text) {
            let token = self.bump();
            let text = self.text_of(token).trim_matches('"');
            Some(Name { symbol: self.tree.intern(text), span: token.span })
        } else {
            None
        };
        let formula = if self.at(Kind::LParen) { Some(self.bracketed()?) } else { None };
        Ok(Rule { from, symbol, to, stack, label, formula })
    }

    /// `<y1 y2>`
    pub(crate) fn stack(&mut self) -> Parsed<List<Name>> {
        self.expect(Kind::Binary(BinOp::Lt), "`<`")?;
        let mut stack = Vec::new();
        while !self.eat(Kind::Binary(BinOp::Gt)) {
            if !self.at_rule_name() {
                return Err(self.expected("a stack symbol or `>`"));
            }
            stack.push(self.rule_name()?);
        }
        Ok(self.tree.add_names(stack))
    }

    /// Whether the current token can name a control location or a stack symbol: in `.pds` files,
    /// keywords and numbers can, too.
    pub(crate) fn at_rule_name(&self) -> bool {
        let kind = self.current.kind;
        kind == Kind::Ident || self.language == Language::Pds && kind.is_label()
    }

    /// The name of a control location or a stack symbol.
    pub(crate) fn rule_name(&mut self) -> Parsed<Name> {
        if !self.at_rule_name() {
            return Err(self.expected("a name"));
        }
        let token = self.bump();
        Ok(self.name_of(token))
    }
}
