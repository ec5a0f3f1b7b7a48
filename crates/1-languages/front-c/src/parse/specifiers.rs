//! Declaration specifiers: storage, qualifiers, and the type that they name.

use super::Parser;
use super::cursor::Parsed;
use super::keywords::Kw;
use super::nodes::Qualified;
use crate::lex::Tok;
use crate::tree::{Attributes, Storage, Sym, TypeId, TypeKind};

/// What declaration specifiers say.
pub(super) struct Specifiers {
    pub(super) storage: Storage,
    pub(super) thread: bool,
    pub(super) attributes: Attributes,
    pub(super) ty: TypeId,
}

impl Parser {
    /// How far ahead the first word is that is no `__extension__`.
    fn after_extensions(&self, n: usize) -> usize {
        let mut n = n;
        while self.kw_ahead(n) == Some(Kw::Extension) {
            n += 1;
        }
        n
    }

    pub(super) fn starts_type(&self, n: usize) -> bool {
        let n = self.after_extensions(n);
        match self.kw_ahead(n) {
            Some(
                Kw::Void
                | Kw::Base
                | Kw::VaList
                | Kw::AutoType
                | Kw::Struct
                | Kw::Union
                | Kw::Enum
                | Kw::Typeof
                | Kw::Const
                | Kw::Volatile
                | Kw::Qualifier
                | Kw::Attribute,
            ) => true,
            Some(_) => false,
            None => self.typedef(self.ahead(n)).is_some(),
        }
    }

    pub(super) fn starts_declaration(&self, n: usize) -> bool {
        let n = self.after_extensions(n);
        match self.kw_ahead(n) {
            Some(
                Kw::Typedef
                | Kw::Extern
                | Kw::Static
                | Kw::Auto
                | Kw::Register
                | Kw::Thread
                | Kw::Inline
                | Kw::Noreturn
                | Kw::StaticAssert,
            ) => true,
            _ => self.starts_type(n),
        }
    }

    /// Declaration specifiers; none if nothing of the kind stands here. With `implicit`, storage
    /// alone will do: `static x;`.
    pub(super) fn specifiers(&mut self, implicit: bool) -> Parsed<Option<Specifiers>> {
        let (mut storage, mut thread) = (Storage::None, false);
        let mut attributes = Attributes::default();
        let mut base: Vec<Sym> = Vec::new();
        let mut ty: Option<TypeId> = None;
        let (mut q, mut any) = (Qualified::default(), false);
        loop {
            let kw = self.kw();
            match kw {
                Some(Kw::Typedef) => storage = Storage::Typedef,
                Some(Kw::Extern) => storage = Storage::Extern,
                Some(Kw::Static) => storage = Storage::Static,
                Some(Kw::Auto) => storage = Storage::Auto,
                Some(Kw::Register) => storage = Storage::Register,
                Some(Kw::Thread) => thread = true,
                Some(Kw::Noreturn) => attributes.noreturn = true,
                Some(Kw::Const) => q.is_const = true,
                Some(Kw::Inline | Kw::Extension | Kw::Qualifier) => {}
                Some(Kw::Volatile) => {
                    q.is_volatile = true;
                    // `_Atomic (type)` is a type.
                    if self.ahead_is(1, "(")
                        && matches!(self.tok(), Tok::Word(s) if self.unit.name(s) == "_Atomic")
                    {
                        self.advance();
                        ty = Some(self.parenthesised_type()?);
                        any = true;
                        continue;
                    }
                }
                Some(Kw::Attribute) => {
                    self.attributes(&mut attributes)?;
                    any = true;
                    continue;
                }
                Some(Kw::Void) if ty.is_none() => ty = Some(self.type_node(TypeKind::Void)),
                Some(Kw::Base) => {
                    if let Tok::Word(sym) = self.tok() {
                        base.push(sym);
                    }
                    // `_BitInt(8)`
                    if self.ahead_is(1, "(")
                        && matches!(self.tok(), Tok::Word(s) if self.unit.name(s) == "_BitInt")
                    {
                        self.advance();
                        self.skip_parens()?;
                        any = true;
                        continue;
                    }
                }
                Some(Kw::VaList | Kw::AutoType) if ty.is_none() && base.is_empty() => {
                    if let Tok::Word(sym) = self.tok() {
                        ty = Some(self.type_node(TypeKind::Other(sym)));
                    }
                }
                Some(Kw::Struct | Kw::Union) if ty.is_none() => {
                    ty = Some(self.record()?);
                    any = true;
                    continue;
                }
                Some(Kw::Enum) if ty.is_none() => {
                    ty = Some(self.enumeration()?);
                    any = true;
                    continue;
                }
                Some(Kw::Typeof) if ty.is_none() => {
                    self.advance();
                    self.expect("(")?;
                    ty = Some(if self.starts_type(0) {
                        self.deeper(Self::type_name)?
                    } else {
                        let e = self.expression()?;
                        self.type_node(TypeKind::TypeOf(e))
                    });
                    self.expect(")")?;
                    any = true;
                    continue;
                }
                None if ty.is_none() && base.is_empty() => match self.typedef(self.tok()) {
                    Some(named) => {
                        let Tok::Word(sym) = self.tok() else { break };
                        ty = Some(self.type_node(TypeKind::Named(sym, named)));
                    }
                    None if self.is("[") && self.ahead_is(1, "[") => {
                        self.attributes(&mut attributes)?;
                        continue;
                    }
                    None => break,
                },
                _ => break,
            }
            any = true;
            self.advance();
        }
        if !any {
            return Ok(None);
        }
        let ty = match ty {
            Some(ty) => ty,
            None if base.is_empty() && !implicit && storage == Storage::None && !q.is_const => {
                return Err(self.wanted("a type"));
            }
            // C23: the type of the initial value.
            None if base.is_empty() && storage == Storage::Auto => {
                let sym = self.unit.names.add("__auto_type");
                self.type_node(TypeKind::Other(sym))
            }
            None if base.is_empty() => self.base("int"),
            None => {
                let mut words: Vec<&str> = base.iter().map(|&s| self.unit.name(s)).collect();
                words.sort_unstable();
                let text = normal_base(&words);
                self.base(&text)
            }
        };
        q.odd |= attributes.odd;
        let ty = self.qualify(ty, q);
        self.moded(ty, attributes);
        Ok(Some(Specifiers { storage, thread, attributes, ty }))
    }
}

/// Words that make a complex number of two.
const COMPLEX: [&str; 4] = ["_Complex", "__complex__", "__complex", "_Imaginary"];

/// One spelling for each arithmetic type; the words are sorted.
fn normal_base(words: &[&str]) -> String {
    let has = |w: &[&str]| words.iter().any(|x| w.contains(x));
    let count = |w: &str| words.iter().filter(|x| **x == w).count();
    let unsigned = has(&["unsigned"]);
    let signed = has(&["signed", "__signed", "__signed__"]);
    let complex = has(&COMPLEX);
    let core = if has(&["char"]) {
        let sign = match (unsigned, signed) {
            (true, _) => "unsigned char",
            (_, true) => "signed char",
            _ => "char",
        };
        return if complex { format!("{sign} _Complex") } else { sign.into() };
    } else if has(&["short"]) {
        "short"
    } else if has(&["double"]) {
        if count("long") > 0 { "long double" } else { "double" }
    } else if count("long") >= 2 {
        "long long"
    } else if count("long") == 1 {
        "long"
    } else {
        let plain = |w: &&&str| {
            let sign = matches!(**w, "int" | "unsigned" | "signed" | "__signed" | "__signed__");
            !sign && !COMPLEX.contains(*w)
        };
        match words.iter().find(plain) {
            Some(other) => other,
            // `_Complex` alone is that of `double`.
            None if complex && !unsigned && !signed && !has(&["int"]) => "_Complex",
            None => "int",
        }
    };
    match (unsigned, complex && !core.contains("omplex")) {
        (true, true) => format!("unsigned {core} _Complex"),
        (true, false) => format!("unsigned {core}"),
        (_, true) => format!("{core} _Complex"),
        _ => core.to_owned(),
    }
}
