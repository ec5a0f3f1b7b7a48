//! What points read and write, with types ([`crate::Access`]).

use super::Walker;
use crate::objects::{ObjectId, Reach};
use crate::skeleton::{Access, Doing};
use crate::typing::Ty;

impl Walker<'_, '_> {
    /// Something is done after what was called so far.
    pub(super) fn access(&mut self, doing: Doing, object: Option<ObjectId>, ty: Ty) {
        self.close_call();
        self.code.accesses.push(Access { doing, object, ty });
    }

    /// What a mention does: an array stands for its address.
    pub(super) fn doing(&self, ty: Ty) -> Doing {
        match ty {
            Ty::At(t) if self.is_array(Some(t)) => Doing::Address,
            _ => Doing::Read,
        }
    }

    /// The type that an object is declared to have.
    pub(super) fn declared_type(&self, o: ObjectId) -> Ty {
        self.object_type(o).map_or(Ty::Unknown, Ty::At)
    }

    /// Reads the pointers on the way to an object, the first one first.
    pub(super) fn follow(&mut self, target: ObjectId) {
        let from = self.code.accesses.len();
        let mut o = target;
        loop {
            match self.linked.objects[o.index()].reach {
                Reach::Var | Reach::Address(_) => break,
                Reach::Field(base) | Reach::Cell(base) => o = base,
                Reach::Arrow(base) | Reach::Deref(base) => {
                    self.access(Doing::Read, Some(base), self.declared_type(base));
                    o = base;
                }
            }
        }
        self.code.accesses[from..].reverse();
    }
}
