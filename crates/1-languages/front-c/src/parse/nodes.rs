//! The arenas of the tree that is being made.

use super::Parser;
use crate::lex::Place;
use crate::tree::{
    Expr, ExprId, ExprKind, Init, InitId, Stmt, StmtId, StmtKind, Type, TypeId, TypeKind,
};

/// What qualifiers say of a type.
#[derive(Clone, Copy, Default)]
pub(super) struct Qualified {
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
    pub(super) odd: bool,
}

impl Parser {
    pub(super) fn expr_node(&mut self, at: Place, kind: ExprKind) -> ExprId {
        let end = self.end();
        self.unit.exprs.push(Expr { kind, at, end });
        ExprId(self.unit.exprs.len() as u32 - 1)
    }

    pub(super) fn stmt_node(&mut self, at: Place, kind: StmtKind) -> StmtId {
        let end = self.end();
        self.unit.stmts.push(Stmt { kind, at, end });
        StmtId(self.unit.stmts.len() as u32 - 1)
    }

    pub(super) fn type_node(&mut self, kind: TypeKind) -> TypeId {
        self.qualified_node(kind, Qualified::default())
    }

    pub(super) fn qualified_node(&mut self, kind: TypeKind, q: Qualified) -> TypeId {
        let Qualified { is_const, is_volatile, odd } = q;
        self.unit.types.push(Type { kind, is_const, is_volatile, odd });
        TypeId(self.unit.types.len() as u32 - 1)
    }

    /// The type with more qualifiers; those that it has stay.
    pub(super) fn qualify(&mut self, ty: TypeId, q: Qualified) -> TypeId {
        if !(q.is_const || q.is_volatile || q.odd) {
            return ty;
        }
        let Type { kind, is_const, is_volatile, odd } = self.unit.ty(ty).clone();
        let q = Qualified {
            is_const: q.is_const || is_const,
            is_volatile: q.is_volatile || is_volatile,
            odd: q.odd || odd,
        };
        self.qualified_node(kind, q)
    }

    pub(super) fn init_node(&mut self, init: Init) -> InitId {
        self.unit.inits.push(init);
        InitId(self.unit.inits.len() as u32 - 1)
    }

    pub(super) fn base(&mut self, text: &str) -> TypeId {
        let sym = self.unit.names.add(text);
        self.type_node(TypeKind::Base(sym))
    }
}
