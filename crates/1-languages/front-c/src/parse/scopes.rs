//! What names mean: types, enumerators, tags and labels of blocks.

use super::Parser;
use crate::lex::Tok;
use crate::tree::{EnumId, EnumeratorId, RecordId, Sym, TypeId};
use rustc_hash::FxHashMap;

/// What a name of a scope is.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Type(TypeId),
    Enumerator(EnumeratorId),
    Other,
}

#[derive(Default)]
pub(super) struct Scope {
    pub(super) names: FxHashMap<Sym, Meaning>,
    pub(super) tags: FxHashMap<Sym, RecordId>,
    pub(super) enums: FxHashMap<Sym, EnumId>,
    /// Labels that only the block has (`__label__`), with the names that are theirs in the function.
    pub(super) labels: FxHashMap<Sym, Sym>,
}

impl Parser {
    /// Declares a label of the block; its name in the function says which it is.
    pub(super) fn local_label(&mut self, label: Sym) {
        let times = self.local_labels.entry(label).or_insert(0);
        *times += 1;
        let name = format!("{}#{times}", self.unit.name(label));
        let own = self.unit.names.add(&name);
        let scope = self.scopes.last_mut().expect("the file's scope stays");
        scope.labels.insert(label, own);
    }

    /// The name of a label in its function.
    pub(super) fn label_of(&self, label: Sym) -> Sym {
        self.scopes.iter().rev().find_map(|s| s.labels.get(&label)).copied().unwrap_or(label)
    }

    pub(super) fn declare(&mut self, name: Sym, meaning: Meaning) {
        let scope = self.scopes.last_mut().expect("the file's scope stays");
        scope.names.insert(name, meaning);
    }

    pub(super) fn meaning(&self, name: Sym) -> Option<Meaning> {
        self.scopes.iter().rev().find_map(|s| s.names.get(&name)).copied()
    }

    pub(super) fn typedef(&self, tok: Tok) -> Option<TypeId> {
        let Tok::Word(sym) = tok else { return None };
        match self.meaning(sym) {
            Some(Meaning::Type(ty)) => Some(ty),
            _ => None,
        }
    }

    pub(super) fn find_tag(&self, name: Sym) -> Option<RecordId> {
        self.scopes.iter().rev().find_map(|s| s.tags.get(&name)).copied()
    }
}
