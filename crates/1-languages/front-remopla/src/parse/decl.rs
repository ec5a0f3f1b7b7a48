//! Declarations of variables, types and modules.

use syntax::{Failed, Parsed};

use super::Parser;
use crate::error::ParseErrorKind;
use crate::lex::Kind;
use crate::tree::{Block, Decl, Declarator, Dim, Item, List, Module, Name, TypeName};

impl Parser<'_> {
    /// `shared int x, y[3](2);`, as far as it can be read. The current token begins it.
    pub(crate) fn declaration(&mut self) -> Option<Decl> {
        let start = self.current.span;
        let shared = self.eat(Kind::Shared);
        match self.typed(start, shared) {
            Ok(decl) => Some(decl),
            Err(Failed) => {
                self.skip_statement();
                None
            }
        }
    }

    fn typed(&mut self, start: source::Span, shared: bool) -> Parsed<Decl> {
        let (ty, defines) = self.type_name(true)?;
        let mut vars = Vec::new();
        // The definition of a type may declare no variable.
        if !(defines && self.at(Kind::Semi)) {
            vars.push(self.declarator()?);
            while self.eat(Kind::Comma) {
                vars.push(self.declarator()?);
            }
        }
        let span = start.to(self.previous);
        if !self.eat(Kind::Semi) {
            return Err(self.expected("`,` or `;`"));
        }
        let vars = self.tree.add_list(vars);
        Ok(Decl { shared, ty, vars, span })
    }

    /// The name of a type, or, where `may_define`, its definition; whether it was the latter.
    fn type_name(&mut self, may_define: bool) -> Parsed<(TypeName, bool)> {
        match self.current.kind {
            Kind::Bool => {
                self.bump();
                Ok((TypeName::Bool, false))
            }
            Kind::Unsigned => {
                self.bump();
                self.expect(Kind::IntType, "`int`")?;
                Ok((TypeName::Int, false))
            }
            Kind::IntType => {
                self.bump();
                Ok((TypeName::Int, false))
            }
            Kind::Enum => {
                self.bump();
                let name = self.maybe_name();
                if may_define && self.at(Kind::LBrace) {
                    return Ok((TypeName::EnumOf(name, self.members()?), true));
                }
                match name {
                    Some(name) => Ok((TypeName::Enum(name), false)),
                    None => Err(self.expected_name("a name")),
                }
            }
            Kind::Struct => {
                self.bump();
                let name = self.maybe_name();
                if may_define && self.at(Kind::LBrace) {
                    return Ok((TypeName::StructOf(name, self.fields()?), true));
                }
                match name {
                    Some(name) => Ok((TypeName::Struct(name), false)),
                    None => Err(self.expected_name("a name")),
                }
            }
            _ => Err(self.expected("a type")),
        }
    }

    fn maybe_name(&mut self) -> Option<Name> {
        if !self.at(Kind::Ident) {
            return None;
        }
        let token = self.bump();
        Some(self.name_of(token))
    }

    fn members(&mut self) -> Parsed<List<Name>> {
        let open = self.bump();
        let mut members = vec![self.name()?];
        while self.eat(Kind::Comma) {
            members.push(self.name()?);
        }
        self.close(Kind::RBrace, ("`{`", open.span), "`,` or `}`")?;
        Ok(self.tree.add_names(members))
    }

    fn fields(&mut self) -> Parsed<List<Decl>> {
        let open = self.bump();
        let mut fields = Vec::new();
        while !self.eat(Kind::RBrace) {
            if self.at(Kind::Semi) && !fields.is_empty() {
                self.bump();
                continue;
            }
            let start = self.current.span;
            match self.current.kind {
                Kind::Struct => {
                    self.fail(ParseErrorKind::NestedStruct);
                    self.bump();
                    self.skip_statement();
                    continue;
                }
                Kind::Bool | Kind::IntType | Kind::Unsigned | Kind::Enum => {}
                _ if fields.is_empty() => return Err(self.expected("a type")),
                _ => return Err(self.unclosed("`{`", open.span, "`}`")),
            }
            let decl = self.typed(start, false)?;
            fields.push(decl);
        }
        Ok(self.tree.add_list(fields))
    }

    /// `x[n][m](bits)`
    fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.name()?;
        let dims = self.dims()?;
        let bits = self.bits()?;
        Ok(Declarator { name, dims, bits })
    }

    fn dims(&mut self) -> Parsed<List<Dim>> {
        let mut dims = Vec::new();
        while self.at(Kind::LBracket) {
            let open = self.bump().span;
            let first = self.expr()?;
            let second = if self.eat(Kind::Comma) { Some(self.expr()?) } else { None };
            if !self.at(Kind::RBracket) {
                return Err(self.unclosed("`[`", open, "`]`"));
            }
            let span = open.to(self.bump().span);
            let (lo, hi) = match second {
                Some(hi) => (Some(first), hi),
                None => (None, first),
            };
            if dims.len() == 2 {
                self.error(ParseErrorKind::TooManyDimensions, span);
            } else {
                dims.push(Dim { lo, hi, span });
            }
        }
        Ok(self.tree.add_list(dims))
    }

    fn bits(&mut self) -> Parsed<Option<crate::tree::ExprId>> {
        if !self.at(Kind::LParen) {
            return Ok(None);
        }
        let open = self.bump().span;
        let bits = self.expr()?;
        self.close(Kind::RParen, ("`(`", open), "`)`")?;
        Ok(Some(bits))
    }

    /// A module or its announcement.
    pub(super) fn module(&mut self) {
        let start = self.bump().span;
        let mut module = Module {
            name: Name { symbol: self.tree.intern("_"), span: start },
            returns: TypeName::Void,
            dims: List::EMPTY,
            bits: None,
            params: List::EMPTY,
            locals: List::EMPTY,
            body: None,
            span: start,
        };
        let head = self.module_head(&mut module);
        match (head, self.current.kind) {
            (Ok(()), Kind::Semi) => {
                self.bump();
                self.tree.add_item(Item::Module(module));
                return;
            }
            (Ok(()), Kind::LBrace) => _ = self.bump(),
            (head, _) => {
                if head.is_ok() {
                    self.expected("`{`");
                }
                if !self.skip_to_body() {
                    return;
                }
            }
        }
        let open = self.previous;
        self.locals.clear();
        let body: Block = self.body(open);
        module.body = Some(body);
        let locals = std::mem::take(&mut self.locals);
        module.locals = self.tree.add_list(locals);
        self.tree.add_item(Item::Module(module));
    }

    fn module_head(&mut self, module: &mut Module) -> Parsed<()> {
        if !self.eat(Kind::Void) {
            module.returns = self.type_name(false)?.0;
            module.dims = self.dims()?;
            module.bits = self.bits()?;
        }
        module.name = self.name()?;
        module.span = module.span.to(module.name.span);
        self.expect(Kind::LParen, "`(`")?;
        let mut params = Vec::new();
        if !self.at(Kind::RParen) {
            loop {
                let start = self.current.span;
                let (ty, _) = self.type_name(false)?;
                let declarator = self.declarator()?;
                let vars = self.tree.add_list([declarator]);
                params.push(Decl { shared: false, ty, vars, span: start.to(self.previous) });
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
        }
        self.expect(Kind::RParen, "`,` or `)`")?;
        module.params = self.tree.add_list(params);
        Ok(())
    }

    /// After a bad head: goes on in the body, if there is one.
    fn skip_to_body(&mut self) -> bool {
        while !self.at(Kind::Eof) && !self.current.kind.begins_item() {
            match self.skip().kind {
                Kind::LBrace => return true,
                Kind::RBrace => return false,
                _ => {}
            }
        }
        false
    }
}
