//! What names mean within a function.

use super::Walker;
use crate::link::Entity;
use crate::tree::Sym;
use rustc_hash::FxHashMap;

/// The names that are declared around the place of the walk.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) env: FxHashMap<Sym, Entity>,
    /// What the names meant before, to be taken back at the end of the block.
    pub(super) undo: Vec<(Sym, Option<Entity>)>,
    /// How often a local of the name was declared in the function.
    pub(super) declared: FxHashMap<Sym, u32>,
}

impl Scope {
    pub(super) fn bind(&mut self, sym: Sym, entity: Entity) {
        let old = self.env.insert(sym, entity);
        self.undo.push((sym, old));
    }
    /// How much there is to take back.
    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }
    /// Takes back what was bound since the mark.
    pub(super) fn back_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((sym, old)) = self.undo.pop() {
                match old {
                    Some(entity) => self.env.insert(sym, entity),
                    None => self.env.remove(&sym),
                };
            }
        }
    }
    /// The how many-th local of its name another one is.
    pub(super) fn count(&mut self, name: Sym) -> u32 {
        let times = self.declared.entry(name).or_insert(0);
        *times += 1;
        *times
    }
}

impl<'a> Walker<'_, 'a> {
    pub(super) fn lookup(&self, sym: Sym) -> Option<Entity> {
        self.scope.env.get(&sym).or_else(|| self.linked.scopes[self.u].get(&sym)).copied()
    }
}
