//! What stands at the top level, and where the next item begins when one is given up.

use super::attributes::join;
use super::cursor::{OPEN, Parsed};
use super::declarators::{Declarator, Op};
use super::keywords::Kw;
use super::nodes::Qualified;
use super::scopes::{Meaning, Scope};
use super::specifiers::Specifiers;
use super::{MAX_DEEP, MAX_PROBLEMS, Parser};
use crate::lex::{Problem, Tok, Token};
use crate::tree::{
    Attributes, Declaration, Function, Item, StmtKind, Storage, Sym, TypeId, TypeKind,
};
use rustc_hash::FxHashMap;

impl Parser {
    pub(super) fn unit(&mut self) {
        let mut deep = 0;
        while self.tok() != Tok::End {
            let start = self.pos;
            self.scopes.truncate(1);
            self.depth = 0;
            if let Err(fail) = self.item() {
                deep += usize::from(fail.deep);
                let end = self.end_of_item(start);
                let function = self.function_name(start, end);
                self.unit.problems.push(Problem { at: fail.at, message: fail.message, function });
                self.scopes.truncate(1);
                self.pos = end.max(start + 1).min(self.tokens.len() - 1);
                if self.unit.problems.len() >= MAX_PROBLEMS || deep >= MAX_DEEP {
                    let (at, message) =
                        (self.at(), "too many problems: the rest is left out".into());
                    self.unit.problems.push(Problem { at, message, function: None });
                    return;
                }
            }
        }
    }

    /// The name before the first parenthesis of an item that has a body: good enough to say which
    /// function is lost.
    fn function_name(&self, start: usize, end: usize) -> Option<Sym> {
        let item = &self.tokens[start..end];
        item.iter().find(|t| t.tok == Tok::Punct("{"))?;
        let open = item.iter().position(|t| t.tok == Tok::Punct("("))?;
        match item[..open].last()?.tok {
            Tok::Word(sym) if self.keywords.get(sym).is_none() => Some(sym),
            _ => None,
        }
    }

    /// The token after an item, by its brackets; where they never close, before the next line
    /// that starts with a word. No token is looked at twice in vain: those from which the end of the
    /// file was reached are remembered.
    pub(super) fn end_of_item(&mut self, start: usize) -> usize {
        let mut i = start;
        let mut parenthesis = false;
        while i < self.tokens.len() && !self.hopeless[i] {
            match self.tokens[i].tok {
                Tok::Punct("(") => parenthesis = true,
                Tok::Punct("{") => {
                    // After `=`, or a tag or name without `)`, it belongs to a declaration, which
                    // ends with `;`.
                    let before = i.checked_sub(1).filter(|&b| b >= start);
                    let in_declaration = match before.map(|b| self.tokens[b].tok) {
                        Some(Tok::Punct("=")) => true,
                        Some(Tok::Word(_)) => !parenthesis,
                        _ => false,
                    };
                    match self.closing[i] {
                        OPEN => break,
                        close if !in_declaration => return close as usize + 1,
                        close => i = close as usize,
                    }
                }
                // Declarations of K&R parameters end in `;`, too: a body may follow. Then the rest
                // is an item of its own, which fails and is skipped in turn.
                Tok::Punct("}" | ";") => return i + 1,
                _ => {}
            }
            i += 1;
        }
        // What was passed over on the way is no start of anything that ends, either.
        let mut passed = start;
        while passed < i {
            self.hopeless[passed] = true;
            passed = match (self.tokens[passed].tok, self.closing[passed]) {
                (Tok::Punct("{"), close) if close != OPEN => close as usize + 1,
                _ => passed + 1,
            };
        }
        let first_line = self.tokens[start].at;
        (start + 1..self.tokens.len() - 1)
            .find(|&i| {
                let Token { tok, at, .. } = self.tokens[i];
                at.column == 1
                    && (at.line, at.file) != (first_line.line, first_line.file)
                    && matches!(tok, Tok::Word(_))
            })
            .unwrap_or(self.tokens.len() - 1)
    }

    pub(super) fn item(&mut self) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.eat_kw(Kw::Pragma) {
            return self.skip_parens();
        }
        if self.kw() == Some(Kw::Asm) {
            self.unit.assembler = true;
            self.advance();
            self.skip_parens()?;
            self.eat(";");
            return Ok(());
        }
        if self.eat_kw(Kw::StaticAssert) {
            self.skip_parens()?;
            return self.expect(";");
        }
        while self.eat_kw(Kw::Extension) {}
        let specifiers = self.specifiers(true)?;
        let specifiers = match specifiers {
            Some(s) => s,
            // Implicit int.
            None if self.word().is_some() || self.is("*") || self.is("(") => Specifiers {
                storage: Storage::None,
                thread: false,
                attributes: Attributes::default(),
                ty: self.base("int"),
            },
            None => return Err(self.wanted("a declaration")),
        };
        if self.eat(";") {
            return Ok(());
        }
        let mut first = true;
        loop {
            let declarator = self.declarator(true)?;
            if first && self.starts_body(&declarator) {
                return self.function(&specifiers, declarator);
            }
            first = false;
            let declaration = self.declared(&specifiers, declarator)?;
            if specifiers.storage != Storage::Typedef {
                self.unit.items.push(Item::Declaration(declaration));
            }
            if !self.eat(",") {
                break;
            }
            self.attributes(&mut Attributes::default())?;
        }
        self.expect(";")
    }

    pub(super) fn starts_body(&self, declarator: &Declarator) -> bool {
        match declarator.ops.last() {
            Some(Op::Function { unprototyped, .. }) => {
                self.is("{") || (*unprototyped && !self.is(";") && self.starts_declaration(0))
            }
            _ => false,
        }
    }

    fn function(&mut self, specifiers: &Specifiers, declarator: Declarator) -> Parsed<()> {
        self.has_inner = None;
        let function = self.defined(specifiers, declarator)?;
        // What follows control flow knows no functions inside of others: it leaves both out.
        match self.has_inner.take() {
            None => self.unit.items.push(Item::Function(function)),
            Some(at) => {
                let message = "a function inside a function".to_owned();
                self.unit.problems.push(Problem { at, message, function: Some(function.name) });
                self.unit.extra.outer.push(function);
            }
        }
        Ok(())
    }

    /// A function from its declarator on.
    pub(super) fn defined(
        &mut self,
        specifiers: &Specifiers,
        declarator: Declarator,
    ) -> Parsed<Function> {
        let Some((name, at)) = declarator.name else {
            return Err(self.wanted("the name of a function"));
        };
        let attributes = join(specifiers.attributes, declarator.attributes);
        let ty = self.apply(specifiers.ty, declarator.ops);
        self.declare(name, Meaning::Other);
        self.scopes.push(Scope::default());
        // K&R: the types of the parameters come after the list.
        let mut types: FxHashMap<Sym, TypeId> = FxHashMap::default();
        while !self.is("{") {
            let Some(s) = self.specifiers(false)? else {
                return Err(self.wanted("the body of a function"));
            };
            while !self.is(";") {
                let d = self.declarator(true)?;
                let ty = self.apply(s.ty, d.ops);
                if let Some((name, _)) = d.name {
                    types.insert(name, ty);
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        let mut params = match &self.unit.ty(ty).kind {
            TypeKind::Function { params, .. } => params.clone(),
            _ => Vec::new(),
        };
        for param in &mut params {
            if let Some(&ty) = param.name.and_then(|name| types.get(&name)) {
                param.ty = ty;
            }
            if let Some(name) = param.name {
                self.declare(name, Meaning::Other);
            }
        }
        if let TypeKind::Function { params: all, .. } = &mut self.unit.types[ty.index()].kind {
            all.clone_from(&params);
        }
        let body = self.block(false)?;
        let end = match &self.unit.stmt(body).kind {
            StmtKind::Block(_, end) => *end,
            _ => at,
        };
        self.scopes.pop();
        let storage = specifiers.storage;
        Ok(Function { name, at, ty, storage, attributes, params, body, end })
    }

    /// The rest of a declared name: `asm`, attributes, initialiser.
    pub(super) fn declared(
        &mut self,
        specifiers: &Specifiers,
        d: Declarator,
    ) -> Parsed<Declaration> {
        let Some((name, at)) = d.name else {
            return Err(self.wanted("a name"));
        };
        let mut attributes = join(specifiers.attributes, d.attributes);
        let ty = self.apply(specifiers.ty, d.ops);
        while self.kw() == Some(Kw::Asm) {
            attributes.asm_name = self.asm_name()?.or(attributes.asm_name);
        }
        self.attributes(&mut attributes)?;
        let ty = self.qualify(ty, Qualified { odd: attributes.odd, ..Qualified::default() });
        let ty = self.demands(ty, attributes, specifiers.storage == Storage::Typedef);
        let meaning = match specifiers.storage {
            Storage::Typedef => Meaning::Type(ty),
            _ => Meaning::Other,
        };
        self.declare(name, meaning);
        let init = if self.eat("=") { Some(self.initialiser()?) } else { None };
        let Specifiers { storage, thread, .. } = *specifiers;
        Ok(Declaration { name, at, ty, storage, thread, attributes, init })
    }
}
