//! C with its data: parsed units → typed control-flow graphs ([`Program`]).
//!
//! Every expression has its type, conversions are written out, effects are statements in the order of
//! evaluation, initial values are bytes. What is not covered is listed, and a statement that a run does not
//! survive ([`StmtKind::NotCovered`]).
//!
//! ```
//! let unit = front_c::parse("unsigned char c = 300; int main(void) { return c++ + (c << 1); }");
//! let program = c_data::lower(std::slice::from_ref(&unit), 1, c_types::Model::LP64);
//! assert!(program.gaps.is_empty());
//! assert_eq!(program.objects[0].bytes, [44]);
//! let main = program.function("main").unwrap();
//! assert!(c_data::dump(&program).contains("int main(void)"));
//! assert!(program.functions[main.index()].has_body());
//! ```
//!
//! Not a checker of C: what a compiler would refuse may pass. It executes nothing (`c-run` does).

mod atomics;
mod build;
mod builtin;
pub mod by_themselves;
mod call;
mod checks;
mod dump;
mod effects;
mod expr;
pub mod extended;
mod init;
mod inner;
mod literal;
mod lower;
mod parts;
mod place;
mod program;
mod stmt;
mod types;
mod within;

pub use checks::{Check, Operation};
pub use dump::dump;
pub use lower::lower;
pub use program::{
    At, BinOp, Block, BlockId, Call, Callee, End, Expr, ExprId, ExprKind, FuncId, Function, Gap,
    Home, Local, LocalId, Object, ObjectId, Point, Program, Root, Stmt, StmtKind, UnOp, Undefined,
};
