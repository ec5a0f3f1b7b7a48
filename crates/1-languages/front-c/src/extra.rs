//! What the tree keeps for types and values beside what control flow needs.

use crate::tree::{EnumId, ExprId, Function, InitId, RecordId, StmtId, Sym, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An alignment that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aligned {
    /// The largest one that is useful.
    Most,
    /// So many bytes.
    By(ExprId),
    /// That of a type.
    As(TypeId),
}

/// A step to a part of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Designator {
    /// `[i]`
    Index(ExprId),
    /// `[i ... j]`
    Range(ExprId, ExprId),
    /// `.m`
    Member(Sym),
}

/// What [`crate::ExprKind::AboutType`] asks about its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum About {
    /// Its alignment.
    Align,
    /// The offset of a part.
    Offset(Vec<Designator>),
    /// Whether it is compatible with another one.
    Compatible(TypeId),
}

/// What is kept beside the tree, by what it belongs to.
#[derive(Debug, Default)]
pub struct Extra {
    /// Questions about types.
    pub about: FxHashMap<ExprId, About>,
    /// [`crate::ExprKind::SizeOf`] where the alignment is meant.
    pub align_of: FxHashSet<ExprId>,
    /// The types of the arms of `_Generic`; none for `default`.
    pub generic: FxHashMap<ExprId, Vec<Option<TypeId>>>,
    /// [`crate::ExprKind::Conditional`] of which one arm is chosen while compiling.
    pub chosen: FxHashSet<ExprId>,
    /// [`crate::Unary::Part`] where the imaginary part is meant.
    pub imaginary: FxHashSet<ExprId>,
    /// The designators of each element of a list, in order.
    pub designators: FxHashMap<InitId, Vec<Vec<Designator>>>,
    /// Structs and unions that are `packed`, or ask for an alignment.
    pub records: FxHashMap<RecordId, (bool, Option<Aligned>)>,
    /// What `#pragma pack` says of structs and unions.
    pub packs: FxHashMap<RecordId, u8>,
    /// Types with an alignment of their own.
    pub aligned: FxHashMap<TypeId, Aligned>,
    /// Types that `mode` makes another one of.
    pub modes: FxHashMap<TypeId, Sym>,
    /// Of those that are vectors, the size in bytes.
    pub vectors: FxHashMap<TypeId, ExprId>,
    /// Enumerations that are `packed`, or say which type they are.
    pub enums: FxHashMap<EnumId, (bool, Option<TypeId>)>,
    /// The types that `typedef` names in a block, by the statement: arrays of variable length are measured there.
    pub typedefs: FxHashMap<StmtId, Vec<TypeId>>,
    /// Functions inside of functions, by the statement that defines them.
    pub inner: FxHashMap<StmtId, Function>,
    /// How often an attribute says that the loader calls something.
    pub loaded: u32,
    /// How often one puts addresses where the loader looks for what it calls.
    pub tables: u32,
    /// Functions that have others inside of them: control flow leaves them out, and says so.
    pub outer: Vec<Function>,
}
