//! Questions about the types of what is walked over.

use super::Walker;
use super::values::Val;
use crate::link::strip;
use crate::objects::TypeRef;
use crate::tree::{ExprId, TypeId, TypeKind};
use crate::typing::{Ty, Typing};
use c_types::{Scalar, Value};

impl<'a> Walker<'_, 'a> {
    /// Asks about types and constants where names mean what they mean here.
    pub(super) fn typing<T>(&self, ask: impl FnOnce(&Typing<'_, '_>) -> T) -> T {
        ask(&Typing { linked: self.linked, u: self.u, name: &|sym| self.lookup(sym) })
    }

    pub(super) fn constant(&self, e: ExprId) -> Option<Value> {
        self.typing(|t| t.constant(e))
    }

    /// The scalar type of an expression's value.
    pub(super) fn scalar(&self, e: ExprId) -> Option<Scalar> {
        self.typing(|t| t.scalar(e))
    }

    pub(super) fn scalar_at(&self, ty: Option<TypeRef>) -> Option<Scalar> {
        self.linked.scalar(ty.map_or(Ty::Unknown, Ty::At))
    }

    /// The scalar type of a value that is computed.
    pub(super) fn val_scalar(&self, val: &Val) -> Option<Scalar> {
        match (val.faithful, val.object()) {
            (true, Some(o)) => self.linked.objects[o.index()].scalar,
            _ => self.scalar_at(val.ty),
        }
    }

    pub(super) fn type_ref(&self, ty: TypeId) -> Option<TypeRef> {
        Some(TypeRef { unit: self.u as u32, ty })
    }

    pub(super) fn kind(&self, ty: TypeRef) -> &'a TypeKind {
        let unit = &self.linked.units[ty.unit as usize];
        &unit.ty(strip(unit, ty.ty)).kind
    }

    pub(super) fn pointee(&self, ty: Option<TypeRef>) -> Option<TypeRef> {
        let t = ty?;
        match self.kind(t) {
            TypeKind::Pointer(inner) | TypeKind::Array(inner, _) => {
                Some(TypeRef { unit: t.unit, ty: *inner })
            }
            TypeKind::Function { .. } => ty,
            _ => None,
        }
    }

    pub(super) fn is_array(&self, ty: Option<TypeRef>) -> bool {
        ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Array(..)))
    }

    pub(super) fn is_function(&self, ty: Option<TypeRef>) -> bool {
        ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Function { .. }))
    }

    pub(super) fn result_type(&self, ty: Option<TypeRef>) -> Option<TypeRef> {
        let mut t = ty?;
        loop {
            match self.kind(t) {
                TypeKind::Function { result, .. } => {
                    return Some(TypeRef { unit: t.unit, ty: *result });
                }
                TypeKind::Pointer(inner) => t = TypeRef { unit: t.unit, ty: *inner },
                _ => return None,
            }
        }
    }

    /// The declared type of a member, and the type that it has in a record of another type.
    pub(super) fn member(
        &self,
        declared: Option<TypeRef>,
        exact: Ty,
        name: &str,
    ) -> (Option<TypeRef>, Ty) {
        let declared = declared.map_or(Ty::Unknown, Ty::At);
        let (ty, at) = self.linked.member(declared, name);
        (at, if exact == declared { ty } else { self.linked.member(exact, name).0 })
    }
}
