//! `struct`, `union` and `enum`.

use super::Parser;
use super::attributes::join;
use super::cursor::Parsed;
use super::declarators::Declarator;
use super::keywords::Kw;
use super::nodes::Qualified;
use super::scopes::Meaning;
use crate::lex::Tok;
use crate::tree::{
    Attributes, EnumId, Enumeration, Enumerator, EnumeratorId, Field, Record, RecordId, Tag,
    TypeId, TypeKind,
};

impl Parser {
    pub(super) fn record(&mut self) -> Parsed<TypeId> {
        let tag = if self.kw() == Some(Kw::Struct) { Tag::Struct } else { Tag::Union };
        self.advance();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let name = match self.tok() {
            Tok::Word(sym) if !self.is("{") => {
                self.advance();
                Some(sym)
            }
            _ => None,
        };
        self.attributes(&mut attributes)?;
        if name.is_none() && !self.is("{") {
            return Err(self.wanted("a tag or `{`"));
        }
        let defines = self.is("{");
        let known = match (name, defines) {
            (Some(name), false) => self.find_tag(name),
            // A definition completes what its own scope has declared.
            (Some(name), true) => {
                let here = self.scopes.last().and_then(|s| s.tags.get(&name)).copied();
                here.filter(|r| self.unit.records[r.index()].fields.is_none())
            }
            (None, _) => None,
        };
        let id = known.unwrap_or_else(|| {
            self.unit.records.push(Record { tag, name, fields: None });
            RecordId(self.unit.records.len() as u32 - 1)
        });
        if let Some(name) = name
            && known.is_none()
        {
            let scope = self.scopes.last_mut().expect("the file's scope stays");
            scope.tags.insert(name, id);
        }
        if defines {
            self.advance();
            let fields = self.deeper(Self::fields)?;
            self.unit.records[id.index()].fields = Some(fields);
            let offset = self.end();
            let now = self.packs.partition_point(|p| p.0 <= offset);
            if let Some(pack) = now.checked_sub(1).and_then(|i| self.packs[i].1) {
                self.unit.extra.packs.insert(id, pack);
            }
            self.attributes(&mut attributes)?;
            if attributes.packed || attributes.aligned.is_some() {
                let demands = (attributes.packed, attributes.aligned);
                self.unit.extra.records.insert(id, demands);
            }
        }
        Ok(self.type_node(TypeKind::Record(id)))
    }

    /// The members up to and including the closing brace.
    fn fields(&mut self) -> Parsed<Vec<Field>> {
        let mut out = Vec::new();
        while !self.eat("}") {
            if self.eat(";") || self.eat_kw(Kw::Extension) {
                continue;
            }
            if self.eat_kw(Kw::StaticAssert) {
                self.skip_parens()?;
                continue;
            }
            let Some(s) = self.specifiers(false)? else {
                return Err(self.wanted("a member"));
            };
            if self.is(";") {
                let Attributes { packed, aligned, .. } = s.attributes;
                out.push(Field { name: None, ty: s.ty, bits: None, packed, aligned });
                continue;
            }
            loop {
                let d = match self.is(":") {
                    true => Declarator {
                        name: None,
                        ops: Vec::new(),
                        attributes: Attributes::default(),
                    },
                    false => self.declarator(true)?,
                };
                let bits = if self.eat(":") { Some(self.conditional()?) } else { None };
                let mut attributes = join(s.attributes, d.attributes);
                self.attributes(&mut attributes)?;
                let ty = self.apply(s.ty, d.ops);
                let ty =
                    self.qualify(ty, Qualified { odd: attributes.odd, ..Qualified::default() });
                let ty = self.demands(ty, attributes, false);
                let Attributes { packed, aligned, .. } = attributes;
                let name = d.name.map(|(name, _)| name);
                out.push(Field { name, ty, bits, packed, aligned });
                if !self.eat(",") {
                    break;
                }
                self.attributes(&mut Attributes::default())?;
            }
            self.expect(";")?;
        }
        Ok(out)
    }

    pub(super) fn enumeration(&mut self) -> Parsed<TypeId> {
        self.advance();
        let before = self.pos;
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let mut odd = self.pos > before;
        let mut of = None;
        let name = self.word();
        if name.is_some() {
            self.advance();
        }
        // `enum e : 3;` is a bit-field without a name.
        if self.is(":") && self.starts_type(1) {
            self.advance();
            of = self.deeper(|p| p.specifiers(false))?.map(|s| s.ty);
            odd = true;
        }
        let known = match (name, self.is("{")) {
            (Some(name), false) => self.scopes.iter().rev().find_map(|s| s.enums.get(&name)),
            // A definition completes what its own scope has declared.
            (Some(name), true) => self.scopes.last().and_then(|s| s.enums.get(&name)),
            (None, _) => None,
        };
        let known = known.copied();
        let id = known.unwrap_or_else(|| {
            self.unit.enums.push(Enumeration { tag: name, members: None, odd: false });
            EnumId(self.unit.enums.len() as u32 - 1)
        });
        if let Some(name) = name
            && known.is_none()
        {
            let scope = self.scopes.last_mut().expect("the file's scope stays");
            scope.enums.insert(name, id);
        }
        if self.eat("{") {
            let mut members = Vec::new();
            while !self.eat("}") {
                let Some(sym) = self.word() else { return Err(self.wanted("an enumerator")) };
                self.advance();
                self.attributes(&mut Attributes::default())?;
                let value = if self.eat("=") { Some(self.conditional()?) } else { None };
                let enumerator = EnumeratorId(self.unit.enumerators.len() as u32);
                let first = members.is_empty();
                self.unit.enumerators.push(Enumerator { name: sym, value, first });
                self.declare(sym, Meaning::Enumerator(enumerator));
                members.push(enumerator);
                if !self.eat(",") {
                    self.expect("}")?;
                    break;
                }
            }
            self.unit.enums[id.index()].members = Some(members);
        } else if name.is_none() {
            return Err(self.wanted("a tag or `{`"));
        }
        let before = self.pos;
        self.attributes(&mut attributes)?;
        self.unit.enums[id.index()].odd |= odd || self.pos > before;
        if attributes.packed || of.is_some() {
            self.unit.extra.enums.insert(id, (attributes.packed, of));
        }
        Ok(self.type_node(TypeKind::Enum(id)))
    }
}
