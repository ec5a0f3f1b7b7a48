//! Remopla (`.rem`, `.rmpl`), the programming language of Moped, and, in [`pds`], its pushdown systems
//! (`.pds`): text → tree → [`ir::Program`], and back to text.
//!
//! Integers of a few bits, arrays, enumerations, structs, modules, guarded commands, and raw rules
//! of pushdown systems. [`parse()`] reads it, [`lower()`] checks it and turns it into the program
//! model, [`print()`] writes it. What programs mean is told in `lower.rs`, what expressions mean in
//! `values.rs`. Pushdown systems share declarations, expressions, rules and errors.
//!
//! ```
//! use front_remopla::{LowerOptions, lower, parse, print};
//!
//! let text = "int x(2);\ninit main;\nmodule void main() { x = 3; skip(x + 1 > 3); R: x = x + 1; }";
//! let (tree, errors) = parse(text);
//! assert!(errors.is_empty());
//! assert!(print(&tree).contains("  skip((x + 1) > 3);\n"));
//!
//! let file = source::SourceFile::new("f.rem", text).unwrap();
//! let program = lower(&tree, &file, &LowerOptions::default()).unwrap();
//! assert_eq!(program.labelled(None, "R").len(), 1);
//! ```
//!
//! Not for programs made by other programs: those build an [`ir::Program`] directly. This crate
//! knows no engine and no property.

mod error;
mod from_program;
mod lex;
mod lower;
mod parse;
pub mod pds;
mod print;
pub mod quicksort;
mod raise;
pub mod tree;
mod types;
mod values;

pub use error::{LowerError, LowerErrorKind, ParseError, ParseErrorKind};
pub use from_program::from_program;
pub use lower::lower;
pub use parse::parse;
pub use print::{decl_text, expr_text, print, rule_text, stmt_text};
pub use syntax::{LowerOptions, MAX_ERRORS};
pub use tree::Tree;

/// The most cells of an array.
pub const MAX_CELLS: u32 = 1 << 16;
/// The most instances that the quantifiers of one statement stand for.
pub const MAX_INSTANCES: usize = 1 << 16;
