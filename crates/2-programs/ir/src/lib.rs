//! The program model: what every front end produces and every engine answers questions about.
//!
//! A [`Program`] is a set of procedures, each a control-flow graph over finite-typed variables: a
//! symbolic pushdown system with names. Every edge, calls and returns included, carries a
//! relation between the values before and after ([`Rel`]), a set of events, acceptance marks, and
//! a flag that says whether it executes a statement. [`EdgeKind`] tells what the values before,
//! after and in the saved frame are on each kind of edge; [`expr`] tells what expressions mean.
//!
//! ```
//! use ir::{Init, ProgramBuilder, Rel, Type};
//!
//! // decl g;  void main() begin  g := !g;  R: skip;  end
//! let mut b = ProgramBuilder::new();
//! let file = b.file("example.bp");
//! let at = b.origin(file, 1, 1, "");
//! let g = b.global("g", Type::BOOL, at);
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let at = b.origin(file, 1, 10, "g := !g");
//! let (first, second, exit) = (b.statement(at), b.statement(at), b.silent());
//! b.entry(main, first);
//! b.label("R", second);
//! let value = b.exprs.pre(g);
//! let value = b.exprs.not(value);
//! b.step(first, second, Rel::assign([(g, Some(value))], 0));
//! b.step(second, exit, Rel::identity());
//! b.ret(exit, Rel::identity(), false);
//! let program = b.finish(main, Init::default());
//! program.validate().unwrap();
//! assert_eq!(program.labelled(None, "R"), [second]);
//! ```
//!
//! Not for: syntax (front ends), analysis or search (`analysis`, the engines). It knows neither
//! any concrete syntax nor any engine.

pub mod blast;
mod dump;
mod embed;
pub mod eval;
pub mod expr;
mod index;
mod layout;
mod program;
pub mod spds;
mod validate;
mod written;

pub use dump::{dump, expr_text};
pub use embed::Embedding;
pub use expr::{BinaryOp, Expr, ExprId, Exprs, Sort, Time};
pub use index::{Id, IndexVec};
pub use layout::{Layout, Slot};
pub use program::{
    Assign, Call, Constant, Dim, Edge, EdgeId, EdgeKind, EventsId, Init, Label, MAX_MARKS, MarkSet,
    Node, NodeId, Origin, Proc, ProcId, Program, ProgramBuilder, Rel, Scalar, TextId, Type, Var,
    VarId, VarKind, all_marks,
};
pub use validate::{Invalid, MAX_AREA, MAX_WIDTH, call_edges, widths};
pub use written::Unwritten;
