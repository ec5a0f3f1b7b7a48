//! Remopla (`.rem`, `.rmpl`), the programming language of Moped: text → tree → [`ir::Program`], and
//! back to text.
//!
//! Integers of a few bits, arrays, enumerations, structs, modules, guarded commands, and raw rules
//! of pushdown systems. [`parse()`] reads it, [`lower()`] checks it and turns it into the program
//! model, [`print()`] writes it. What programs mean is told in `lower.rs`, what expressions mean in
//! [`values`].
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
//! knows no engine and no property. `front-pds` shares its declarations, expressions and rules.

mod error;
mod from_program;
mod lex;
mod lower;
pub mod parse;
mod print;
pub mod quicksort;
pub mod raise;
pub mod tree;
pub mod types;
pub mod values;

pub use error::{Language, LowerError, LowerErrorKind, ParseError, ParseErrorKind};
pub use from_program::from_program;
pub use lower::{LowerOptions, lower, members};
pub use parse::parse;
pub use print::{decl_text, expr_text, print, rule_head_text, rule_text, stmt_text};
pub use tree::Tree;

/// The errors that one run of [`parse()`] reports before it gives up.
pub const MAX_ERRORS: usize = 50;
/// The most cells of an array.
pub const MAX_CELLS: u32 = 1 << 16;
/// The most instances that the quantifiers of one statement stand for.
pub const MAX_INSTANCES: usize = 1 << 16;
