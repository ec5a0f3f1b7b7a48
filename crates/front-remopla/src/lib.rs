//! Remopla.

mod error;
mod lex;
mod lower;
pub mod parse;
mod print;
pub mod quicksort;
pub mod tree;
pub mod types;
pub mod values;
pub use error::{Language, LowerError, LowerErrorKind, ParseError, ParseErrorKind};
pub use lower::{LowerOptions, lower};
pub use parse::parse;
pub use print::{decl_text, expr_text, print, rule_head_text, rule_text, stmt_text};
pub use tree::Tree;

/// The errors that one run of [`parse()`] reports before it gives up.
pub const MAX_ERRORS: usize = 50;
/// The most cells of an array.
pub const MAX_CELLS: u32 = 1 << 16;
/// The most instances that the quantifiers of one statement stand for.
pub const MAX_INSTANCES: usize = 1 << 16;
