//! Attributes, and names that `asm` gives.

use super::Parser;
use super::cursor::{OPEN, Parsed};
use super::keywords::Kw;
use crate::extra::Aligned;
use crate::lex::{Tok, Token};
use crate::tree::{Attributes, ExprId, Sym, TypeId};

/// Sections in which the loader finds addresses of functions that it calls before `main`, or when the program ends.
const LOADERS: [&str; 5] = [".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"];

impl Parser {
    /// Attributes, if any stand here.
    pub(super) fn attributes(&mut self, out: &mut Attributes) -> Parsed<()> {
        loop {
            if self.kw() == Some(Kw::Attribute) {
                let alignas =
                    matches!(self.tok(), Tok::Word(s) if self.unit.name(s).contains("lignas"));
                self.advance();
                let start = self.pos;
                if alignas && self.is("(") {
                    out.aligned = Some(self.alignment()?);
                    continue;
                }
                self.skip_parens()?;
                self.read_attributes(start, self.pos, out);
            } else if self.is("[") && self.ahead_is(1, "[") {
                let start = self.pos;
                self.skip_bracket()?;
                self.read_attributes(start, self.pos, out);
            } else {
                return Ok(());
            }
        }
    }

    /// `(type)` or `(number)` of `_Alignas` and `aligned`.
    fn alignment(&mut self) -> Parsed<Aligned> {
        if self.starts_type(1) {
            return Ok(Aligned::As(self.parenthesised_type()?));
        }
        self.expect("(")?;
        let e = self.deeper(Self::conditional)?;
        self.expect(")")?;
        Ok(Aligned::By(e))
    }

    fn read_attributes(&mut self, from: usize, to: usize, out: &mut Attributes) {
        for i in from..to {
            let Tok::Word(sym) = self.tokens[i].tok else { continue };
            match self.unit.name(sym) {
                "noreturn" | "__noreturn__" | "_Noreturn" => out.noreturn = true,
                "cleanup" | "__cleanup__" => {
                    if let Some(Token { tok: Tok::Word(f), .. }) = self.tokens.get(i + 2) {
                        out.cleanup = Some(*f);
                    }
                }
                "constructor" | "__constructor__" => {
                    self.unit.extra.loaded += 1;
                    out.constructor = true;
                    out.priorities[0] = self.priority(i + 1);
                }
                "destructor" | "__destructor__" => {
                    self.unit.extra.loaded += 1;
                    out.destructor = true;
                    out.priorities[1] = self.priority(i + 1);
                }
                "section" | "__section__" => {
                    if let Some(Token { tok: Tok::Text(name), .. }) = self.tokens.get(i + 2)
                        && LOADERS.iter().any(|s| self.unit.name(*name).contains(s))
                    {
                        out.loaders = Some(*name);
                        self.unit.extra.tables += 1;
                    }
                }
                "weak" | "__weak__" => out.weak = true,
                // A vector is one whatever the mode of its elements.
                "vector_size" | "__vector_size__" => {
                    out.odd = true;
                    out.mode = Some(sym);
                    let here = std::mem::replace(&mut self.pos, i + 1);
                    out.vector = match self.alignment() {
                        Ok(Aligned::By(size)) => Some(size),
                        _ => None,
                    };
                    self.pos = here;
                }
                "mode" | "__mode__" => {
                    out.odd = true;
                    if out.mode.is_some_and(|m| self.unit.name(m).contains("vector_size")) {
                        continue;
                    }
                    if let Some(Token { tok: Tok::Word(mode), .. }) = self.tokens.get(i + 2) {
                        out.mode = Some(*mode);
                    }
                }
                "packed" | "__packed__" => out.packed = true,
                "aligned" | "__aligned__" => {
                    let here = std::mem::replace(&mut self.pos, i + 1);
                    let asked = if self.is("(") { self.alignment().ok() } else { None };
                    out.aligned = Some(asked.unwrap_or(Aligned::Most));
                    self.pos = here;
                }
                "alias" | "__alias__" | "weakref" | "__weakref__" | "ifunc" | "__ifunc__" => {
                    if let Some(Token { tok: Tok::Text(name), .. }) = self.tokens.get(i + 2) {
                        match self.unit.name(sym).contains("ifunc") {
                            true => out.ifunc = Some(*name),
                            false => out.alias = Some(*name),
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The number in parentheses behind `constructor` and `destructor`, if one stands there.
    fn priority(&mut self, at: usize) -> Option<ExprId> {
        let here = std::mem::replace(&mut self.pos, at);
        let found = if self.is("(") { self.alignment().ok() } else { None };
        self.pos = here;
        match found? {
            Aligned::By(priority) => Some(priority),
            _ => None,
        }
    }

    /// Whether what follows the attribute here is a declaration.
    pub(super) fn attribute_declares(&self) -> bool {
        match self.closing.get(self.pos + 1) {
            Some(&close) if close != OPEN => self.starts_declaration(close as usize + 1 - self.pos),
            _ => false,
        }
    }

    /// How far it is to the token after the `[[…]]` that start here.
    pub(super) fn after_brackets(&self) -> usize {
        let mut n = 0;
        while self.ahead_is(n, "[") && self.ahead_is(n + 1, "[") {
            match self.closing[self.pos + n] {
                OPEN => return n,
                close => n = close as usize + 1 - self.pos,
            }
        }
        n
    }

    /// Keeps which other type attributes make of one.
    pub(super) fn moded(&mut self, ty: TypeId, attributes: Attributes) {
        if let Some(mode) = attributes.mode {
            self.unit.extra.modes.insert(ty, mode);
        }
        if let Some(size) = attributes.vector {
            self.unit.extra.vectors.insert(ty, size);
        }
    }

    /// Keeps what attributes make of a type.
    pub(super) fn demands(
        &mut self,
        mut ty: TypeId,
        attributes: Attributes,
        alignment: bool,
    ) -> TypeId {
        self.moded(ty, attributes);
        if let Some(aligned) = attributes.aligned.filter(|_| alignment) {
            let own = self.unit.ty(ty).clone();
            self.unit.types.push(own);
            ty = TypeId(self.unit.types.len() as u32 - 1);
            self.unit.extra.aligned.insert(ty, aligned);
        }
        ty
    }

    /// `asm("name")` behind a declarator.
    pub(super) fn asm_name(&mut self) -> Parsed<Option<Sym>> {
        self.advance();
        let name = match self.ahead(1) {
            Tok::Text(sym) => Some(sym),
            _ => None,
        };
        self.skip_parens()?;
        Ok(name)
    }
}

pub(super) fn join(a: Attributes, b: Attributes) -> Attributes {
    Attributes {
        noreturn: a.noreturn || b.noreturn,
        cleanup: a.cleanup.or(b.cleanup),
        constructor: a.constructor || b.constructor,
        destructor: a.destructor || b.destructor,
        priorities: [0, 1].map(|i| b.priorities[i].or(a.priorities[i])),
        loaders: a.loaders.or(b.loaders),
        weak: a.weak || b.weak,
        alias: a.alias.or(b.alias),
        ifunc: a.ifunc.or(b.ifunc),
        asm_name: a.asm_name.or(b.asm_name),
        odd: a.odd || b.odd,
        packed: a.packed || b.packed,
        aligned: b.aligned.or(a.aligned),
        // The last one: that of a vector is never lost (`read_attributes`).
        mode: b.mode.or(a.mode),
        vector: b.vector.or(a.vector),
    }
}
