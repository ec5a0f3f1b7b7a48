//! C: preprocessed text → tree.
//!
//! GNU C11 and K&R C, as a preprocessor prints it, with its line markers. What cannot be parsed costs
//! one function or declaration and is named ([`Problem`]); the rest of the unit is kept.
//!
//! ```
//! use front_c::{Item, parse};
//!
//! let text = "# 1 \"f.c\"\nint twice(int x) { return x + x; }\nint broken( { ]\nvoid g(void) {}\n";
//! let unit = parse(text);
//! let names: Vec<&str> = unit.functions().map(|f| unit.name(f.name)).collect();
//! assert_eq!(names, ["twice", "g"]);
//! assert_eq!(unit.problems.len(), 1);
//! assert_eq!(unit.place(unit.problems[0].at), ("f.c", 2));
//! assert!(matches!(unit.items[0], Item::Function(_)));
//! ```
//!
//! Not a compiler: types are kept as far as control flow and the fitting of function pointers need
//! them, and constraint violations pass unseen. It runs no preprocessor.

mod andersen;
mod cells;
mod conditions;
mod contracts;
pub mod export;
mod extra;
pub mod flags;
mod function_pointers;
mod keep;
mod lex;
mod library;
mod link;
mod lower;
mod objects;
mod parse;
mod places;
pub mod preprocess;
mod said;
mod skeleton;
mod stray;
mod tree;
mod typing;
mod walk;

pub use c_types::Model;
pub use conditions::{Callee, Changed, Condition, Conditions, Effects, Says};
pub use contracts::{Contract, ContractError, Contracts, READY_MADE};
pub use extra::{About, Aligned, Designator, Extra};
pub use keep::{KeptValues, KeptVariables};
pub use lex::{Place, Problem};
pub use library::{
    Library, calls_back, is_failed_assertion, is_library, is_longjmp, is_setjmp, library,
    runs_at_exit, writes_files,
};
pub use link::{Entity, Linked, link, main_file};
pub use lower::{Keep, LowerError, Lowered, Options, lower};
pub use objects::{Func, FuncId, Index, Object, ObjectId, Reach, TypeRef};
pub use parse::{MAX_DEPTH, parse};
pub use places::Places;
pub use skeleton::{
    Access, Arm, Asks, Body, Call, Data, DataId, Doing, Event, Flow, MAX_LINKS, Next, Point,
    Relation, Skeleton, Spot, Test, When, plain_name,
};
pub use stray::{stray_byte, text_of};
pub use tree::{
    Asm, Assign, Attributes, Binary, Declaration, EnumId, Enumeration, Enumerator, EnumeratorId,
    Expr, ExprId, ExprKind, Field, ForInit, Function, Init, InitId, Item, Param, Record, RecordId,
    Stmt, StmtId, StmtKind, Storage, Sym, Tag, Type, TypeId, TypeKind, Unary, Unit,
};
pub use typing::Ty;
pub use walk::{Pointers, skeleton, skeleton_by, type_text};
