//! Statements.

use super::Parser;
use super::cursor::Parsed;
use super::keywords::Kw;
use super::scopes::Scope;
use crate::lex::{Place, Tok};
use crate::tree::{Asm, Attributes, Declaration, ExprId, ForInit, StmtId, StmtKind, Storage, Sym};

impl Parser {
    /// A block; its scope is its own if `scoped`.
    pub(super) fn block(&mut self, scoped: bool) -> Parsed<StmtId> {
        let at = self.at();
        self.expect("{")?;
        if scoped {
            self.scopes.push(Scope::default());
        }
        let mut body = Vec::new();
        while !self.is("}") {
            if self.tok() == Tok::End {
                return Err(self.wanted("`}`"));
            }
            body.push(self.statement()?);
        }
        let end = self.at();
        self.advance();
        if scoped {
            self.scopes.pop();
        }
        Ok(self.stmt_node(at, StmtKind::Block(body, end)))
    }

    fn declaration_statement(&mut self) -> Parsed<StmtId> {
        let at = self.at();
        let declarations = self.declarations()?;
        let inner = self.inner.take();
        let typedefs = std::mem::take(&mut self.typedefs);
        let statement = self.stmt_node(at, StmtKind::Declare(declarations));
        if let Some(inner) = inner {
            self.unit.extra.inner.insert(statement, inner);
        }
        if !typedefs.is_empty() {
            self.unit.extra.typedefs.insert(statement, typedefs);
        }
        Ok(statement)
    }

    pub(super) fn declarations(&mut self) -> Parsed<Vec<Declaration>> {
        if self.eat_kw(Kw::StaticAssert) {
            self.skip_parens()?;
            self.expect(";")?;
            return Ok(Vec::new());
        }
        let Some(specifiers) = self.specifiers(true)? else {
            return Err(self.wanted("a declaration"));
        };
        let mut out = Vec::new();
        while !self.is(";") {
            let d = self.declarator(true)?;
            if out.is_empty() && self.starts_body(&d) {
                let at = self.at();
                let function = self.deeper(|p| p.defined(&specifiers, d))?;
                self.has_inner = Some(self.has_inner.map_or(at, |first| first.min(at)));
                self.inner = Some(function);
                return Ok(out);
            }
            let declaration = self.declared(&specifiers, d)?;
            match specifiers.storage {
                Storage::Typedef => self.typedefs.push(declaration.ty),
                _ => out.push(declaration),
            }
            if !self.eat(",") {
                break;
            }
            self.attributes(&mut Attributes::default())?;
        }
        self.expect(";")?;
        Ok(out)
    }

    fn statement(&mut self) -> Parsed<StmtId> {
        // Labels in a row are a loop: `case` lists can be long.
        enum Prefix {
            Label(Sym),
            Case(ExprId, Option<ExprId>),
            Default,
        }
        let mut prefixes: Vec<(Place, Prefix)> = Vec::new();
        loop {
            let at = self.at();
            if let Some(sym) = self.word()
                && self.ahead_is(1, ":")
            {
                self.advance();
                self.advance();
                prefixes.push((at, Prefix::Label(sym)));
            } else if self.kw() == Some(Kw::Case) {
                self.advance();
                let low = self.conditional()?;
                let high = if self.eat("...") { Some(self.conditional()?) } else { None };
                self.expect(":")?;
                prefixes.push((at, Prefix::Case(low, high)));
            } else if self.kw() == Some(Kw::Default) {
                self.advance();
                self.expect(":")?;
                prefixes.push((at, Prefix::Default));
            } else {
                break;
            }
            // `__attribute__((unused))` after a label.
            while self.kw() == Some(Kw::Attribute) && !self.attribute_declares() {
                self.attributes(&mut Attributes::default())?;
            }
        }
        let at = self.at();
        // A label before `}` is an extension that everybody has.
        let mut s = if self.is("}") && !prefixes.is_empty() {
            self.stmt_node(at, StmtKind::Empty)
        } else {
            self.deeper(Self::unlabelled)?
        };
        for (at, prefix) in prefixes.into_iter().rev() {
            let kind = match prefix {
                Prefix::Label(sym) => StmtKind::Label(self.label_of(sym), s),
                Prefix::Case(low, high) => StmtKind::Case(low, high, s),
                Prefix::Default => StmtKind::Default(s),
            };
            s = self.stmt_node(at, kind);
        }
        Ok(s)
    }

    pub(super) fn condition(&mut self) -> Parsed<ExprId> {
        self.expect("(")?;
        let e = self.expression()?;
        self.expect(")")?;
        Ok(e)
    }

    fn unlabelled(&mut self) -> Parsed<StmtId> {
        let at = self.at();
        let kind = match self.kw() {
            _ if self.is("{") => return self.block(true),
            _ if self.eat(";") => StmtKind::Empty,
            _ if self.is("[") && self.ahead_is(1, "[") => {
                if self.starts_declaration(self.after_brackets()) {
                    return self.declaration_statement();
                }
                self.attributes(&mut Attributes::default())?;
                return self.statement();
            }
            Some(Kw::If) => return self.conditional_statement(),
            Some(Kw::While) => {
                self.advance();
                let e = self.condition()?;
                StmtKind::While(e, self.statement()?)
            }
            Some(Kw::Do) => {
                self.advance();
                let body = self.statement()?;
                if !self.eat_kw(Kw::While) {
                    return Err(self.wanted("`while`"));
                }
                let e = self.condition()?;
                self.expect(";")?;
                StmtKind::DoWhile(body, e)
            }
            Some(Kw::For) => {
                self.advance();
                self.scopes.push(Scope::default());
                let result = self.for_rest();
                self.scopes.pop();
                result?
            }
            Some(Kw::Switch) => {
                self.advance();
                let e = self.condition()?;
                StmtKind::Switch(e, self.statement()?)
            }
            Some(Kw::Break) => {
                self.advance();
                self.expect(";")?;
                StmtKind::Break
            }
            Some(Kw::Continue) => {
                self.advance();
                self.expect(";")?;
                StmtKind::Continue
            }
            Some(Kw::Return) => {
                self.advance();
                let e = if self.is(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                StmtKind::Return(e)
            }
            Some(Kw::Goto) => {
                self.advance();
                let kind = if self.eat("*") {
                    StmtKind::GotoComputed(self.expression()?)
                } else {
                    let Tok::Word(sym) = self.tok() else { return Err(self.wanted("a label")) };
                    self.advance();
                    StmtKind::Goto(self.label_of(sym))
                };
                self.expect(";")?;
                kind
            }
            Some(Kw::Asm) => StmtKind::Asm(self.asm()?),
            Some(Kw::Pragma) => {
                self.advance();
                self.skip_parens()?;
                StmtKind::Empty
            }
            Some(Kw::LocalLabel) => {
                self.advance();
                while let Some(label) = self.word() {
                    self.local_label(label);
                    self.advance();
                    self.eat(",");
                }
                self.expect(";")?;
                StmtKind::Empty
            }
            Some(Kw::Attribute) if !self.attribute_declares() => {
                // `__attribute__((fallthrough));`
                self.attributes(&mut Attributes::default())?;
                return self.statement();
            }
            _ if self.starts_declaration(0) => return self.declaration_statement(),
            Some(Kw::Else) => return Err(self.wanted("a statement")),
            _ => {
                let e = self.expression()?;
                self.expect(";")?;
                StmtKind::Expr(e)
            }
        };
        Ok(self.stmt_node(at, kind))
    }

    /// `if … else if … else …`, as a loop.
    fn conditional_statement(&mut self) -> Parsed<StmtId> {
        let mut arms = Vec::new();
        let mut last = None;
        loop {
            let at = self.at();
            self.advance();
            let e = self.condition()?;
            let then = self.statement()?;
            arms.push((at, e, then));
            if !self.eat_kw(Kw::Else) {
                break;
            }
            if self.kw() != Some(Kw::If) {
                last = Some(self.statement()?);
                break;
            }
        }
        for (at, e, then) in arms.into_iter().rev() {
            last = Some(self.stmt_node(at, StmtKind::If(e, then, last)));
        }
        Ok(last.expect("there is an arm"))
    }

    fn for_rest(&mut self) -> Parsed<StmtKind> {
        self.expect("(")?;
        let init = if self.eat(";") {
            ForInit::None
        } else if self.starts_declaration(0) {
            let list = self.declarations()?;
            if self.inner.take().is_some() {
                return Err(self.fail("a function inside a function"));
            }
            ForInit::Declare(list)
        } else {
            let e = self.expression()?;
            self.expect(";")?;
            ForInit::Expr(e)
        };
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        let body = self.statement()?;
        Ok(StmtKind::For(init, condition, step, body))
    }

    pub(super) fn asm(&mut self) -> Parsed<Asm> {
        self.advance();
        while matches!(self.kw(), Some(Kw::Volatile | Kw::Qualifier | Kw::Goto | Kw::Inline)) {
            self.advance();
        }
        self.expect("(")?;
        let mut out = Asm { empty: true, ..Asm::default() };
        while let Tok::Text(text) = self.tok() {
            let body = self.unit.name(text).trim_matches('"');
            out.empty &= body.chars().all(char::is_whitespace);
            self.advance();
        }
        out.memory = self.is(")");
        let mut section = 0;
        while !self.eat(")") {
            if self.eat(":") {
                section += 1;
                continue;
            }
            // Two empty sections may stand as one token in C++ lexers, never here.
            match section {
                1 | 2 => {
                    if self.eat("[") {
                        self.advance();
                        self.expect("]")?;
                    }
                    let mut constraint = String::new();
                    while let Tok::Text(text) = self.tok() {
                        constraint.push_str(self.unit.name(text).trim_matches('"'));
                        self.advance();
                    }
                    self.expect("(")?;
                    let e = self.expression()?;
                    self.expect(")")?;
                    if section == 1 {
                        out.outputs.push(e);
                        out.kept.push(constraint.contains('+'));
                    } else {
                        out.inputs.push(e);
                        out.ties.push(constraint.trim().parse().ok());
                    }
                }
                3 => match self.tok() {
                    Tok::Text(sym) => {
                        out.memory |= self.unit.name(sym).contains("memory");
                        self.advance();
                    }
                    _ => return Err(self.wanted("a clobbered register")),
                },
                4 => {
                    let Some(label) = self.word() else { return Err(self.wanted("a label")) };
                    out.labels.push(self.label_of(label));
                    self.advance();
                }
                _ => return Err(self.wanted("`)`")),
            }
            self.eat(",");
        }
        self.eat(";");
        Ok(out)
    }
}
