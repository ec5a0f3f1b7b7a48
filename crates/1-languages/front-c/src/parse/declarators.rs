//! Declarators, parameters, and the types that they make.

use super::Parser;
use super::attributes::join;
use super::cursor::Parsed;
use super::keywords::Kw;
use super::nodes::Qualified;
use super::scopes::{Meaning, Scope};
use crate::lex::{Place, Tok};
use crate::tree::{Attributes, ExprId, Param, Sym, TypeId, TypeKind};

/// A part of a declarator, to be put around a type.
pub(super) enum Op {
    Pointer(Qualified),
    Array(Option<ExprId>),
    Function { params: Vec<Param>, variadic: bool, unprototyped: bool },
}

pub(super) struct Declarator {
    pub(super) name: Option<(Sym, Place)>,
    pub(super) ops: Vec<Op>,
    pub(super) attributes: Attributes,
}

impl Parser {
    /// A type as in a cast.
    pub(super) fn type_name(&mut self) -> Parsed<TypeId> {
        let Some(s) = self.specifiers(false)? else { return Err(self.wanted("a type")) };
        let d = self.declarator(false)?;
        Ok(self.apply(s.ty, d.ops))
    }

    pub(super) fn parenthesised_type(&mut self) -> Parsed<TypeId> {
        self.expect("(")?;
        let ty = self.deeper(Self::type_name)?;
        self.expect(")")?;
        Ok(ty)
    }

    pub(super) fn apply(&mut self, mut ty: TypeId, ops: Vec<Op>) -> TypeId {
        for op in ops {
            let (kind, q) = match op {
                Op::Pointer(q) => (TypeKind::Pointer(ty), q),
                Op::Array(size) => (TypeKind::Array(ty, size), Qualified::default()),
                Op::Function { params, variadic, unprototyped } => {
                    let kind = TypeKind::Function { result: ty, params, variadic, unprototyped };
                    (kind, Qualified::default())
                }
            };
            ty = self.qualified_node(kind, q);
        }
        ty
    }

    /// A declarator; its parts are listed in the order in which they go around the type.
    pub(super) fn declarator(&mut self, named: bool) -> Parsed<Declarator> {
        self.deeper(|p| p.declarator_here(named))
    }

    fn declarator_here(&mut self, named: bool) -> Parsed<Declarator> {
        let mut attributes = Attributes::default();
        let mut ops = Vec::new();
        self.attributes(&mut attributes)?;
        while self.is("*") || self.is("^") {
            self.advance();
            let mut q = Qualified::default();
            loop {
                match self.kw() {
                    Some(Kw::Const) => q.is_const = true,
                    Some(Kw::Volatile) => q.is_volatile = true,
                    Some(Kw::Qualifier) => {}
                    Some(Kw::Attribute) => {
                        self.attributes(&mut attributes)?;
                        continue;
                    }
                    _ => break,
                }
                self.advance();
            }
            ops.push(Op::Pointer(q));
        }
        let mut inner = None;
        let mut name = None;
        if self.is("(") && self.groups(named) {
            self.advance();
            let d = self.declarator(named)?;
            self.expect(")")?;
            inner = Some(d);
        } else if let Some(sym) = self.word() {
            name = Some((sym, self.at()));
            self.advance();
        }
        let mut suffixes = Vec::new();
        loop {
            self.attributes(&mut attributes)?;
            if self.eat("[") {
                while matches!(
                    self.kw(),
                    Some(Kw::Static | Kw::Const | Kw::Volatile | Kw::Qualifier)
                ) {
                    self.advance();
                }
                let size = if self.is("]") {
                    None
                } else if self.is("*") && self.ahead_is(1, "]") {
                    self.advance();
                    None
                } else {
                    Some(self.assignment()?)
                };
                self.expect("]")?;
                suffixes.push(Op::Array(size));
            } else if self.is("(") && (name.is_some() || inner.is_some() || !named) {
                suffixes.push(self.parameters()?);
            } else {
                break;
            }
        }
        ops.extend(suffixes.into_iter().rev());
        if let Some(d) = inner {
            ops.extend(d.ops);
            name = d.name;
            attributes = join(attributes, d.attributes);
        }
        while self.kw() == Some(Kw::Asm) && named && matches!(self.ahead(1), Tok::Punct("(")) {
            attributes.asm_name = self.asm_name()?.or(attributes.asm_name);
        }
        self.attributes(&mut attributes)?;
        Ok(Declarator { name, ops, attributes })
    }

    /// Whether the parenthesis here groups a declarator, and is no list of parameters.
    fn groups(&self, named: bool) -> bool {
        match self.ahead(1) {
            Tok::Punct("*" | "(" | "^" | "[") => true,
            Tok::Punct(_) => false,
            Tok::Word(sym) => match self.keywords.get(sym) {
                Some(Kw::Attribute) => true,
                Some(_) => false,
                None => self.typedef(Tok::Word(sym)).is_none() && named,
            },
            _ => false,
        }
    }

    pub(super) fn parameters(&mut self) -> Parsed<Op> {
        self.expect("(")?;
        self.scopes.push(Scope::default());
        let result = self.parameter_list();
        self.scopes.pop();
        result
    }

    fn parameter_list(&mut self) -> Parsed<Op> {
        let (mut params, mut variadic) = (Vec::new(), false);
        if self.eat(")") {
            return Ok(Op::Function { params, variadic, unprototyped: true });
        }
        if self.kw() == Some(Kw::Void) && self.ahead_is(1, ")") {
            self.advance();
            self.advance();
            return Ok(Op::Function { params, variadic, unprototyped: false });
        }
        // K&R: names alone.
        if self.word().is_some()
            && self.typedef(self.tok()).is_none()
            && (self.ahead_is(1, ",") || self.ahead_is(1, ")"))
        {
            loop {
                let Some(name) = self.word() else { return Err(self.wanted("a parameter")) };
                self.advance();
                let ty = self.base("int");
                params.push(Param { name: Some(name), ty });
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            return Ok(Op::Function { params, variadic, unprototyped: true });
        }
        loop {
            if self.eat("...") {
                variadic = true;
                break;
            }
            let Some(s) = self.specifiers(true)? else { return Err(self.wanted("a parameter")) };
            let d = self.deeper(|p| p.parameter_declarator())?;
            let ty = self.apply(s.ty, d.ops);
            let name = d.name.map(|(name, _)| name);
            if let Some(name) = name {
                self.declare(name, Meaning::Other);
            }
            params.push(Param { name, ty });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(Op::Function { params, variadic, unprototyped: false })
    }

    /// A declarator that may have a name or none.
    fn parameter_declarator(&mut self) -> Parsed<Declarator> {
        // With a name somewhere before the end of the parameter it is a named one. A name that is
        // a type, in parentheses, is a parameter list: `int f(int (T))`.
        let mut n = 0;
        loop {
            match self.ahead(n) {
                Tok::Punct("*" | "(" | "^") => n += 1,
                Tok::Word(sym) => match self.keywords.get(sym) {
                    Some(Kw::Const | Kw::Qualifier) => n += 1,
                    Some(Kw::Attribute) => break,
                    Some(_) => return self.declarator_here(false),
                    None => {
                        let inside = n > 0 && self.ahead_is(n - 1, "(");
                        let named = !inside || self.typedef(Tok::Word(sym)).is_none();
                        return self.declarator_here(named);
                    }
                },
                _ => break,
            }
        }
        self.declarator_here(false)
    }
}
