//! Boolean programs (`.bp`): text → tree → [`ir::Program`], and back to text.
//!
//! The language is the union of what Bebop, SLAM, SATABS, Moped and Boom read, as far as it is
//! sequential. [`parse`] reads it, [`check`] finds what is wrong beyond its grammar, [`lower`] turns
//! it into the program model, [`print()`] writes the common subset that all of those tools read.
//!
//! ```
//! use front_bp::{Dialect, LowerOptions, lower, parse, print};
//!
//! let text = "decl g; void main() begin if g then R: skip fi; end";
//! let (tree, errors) = parse(text, Dialect::Standard);
//! assert!(errors.is_empty());
//! assert_eq!(
//!     print(&tree),
//!     "decl g;\n\nvoid main() begin\n  if (g) then\n    R: skip;\n  fi\nend\n"
//! );
//!
//! let file = source::SourceFile::new("f.bp", text).unwrap();
//! let program = lower(&tree, &file, &LowerOptions::default()).unwrap();
//! assert_eq!(program.labelled(None, "R").len(), 1);
//! ```
//!
//! Not for programs made by other programs: those build an [`ir::Program`] directly, which
//! [`from_program()`] can write down. This crate
//! knows no engine and no property.

mod error;
mod from_program;
mod lex;
mod lower;
mod mistakes;
mod parse;
mod print;
mod scope;
pub mod tree;

pub use error::{LowerError, LowerErrorKind, ParseError, ParseErrorKind};
pub use from_program::from_program;
pub use lower::lower;
pub use mistakes::mistakes;
pub use parse::parse;
pub use print::{expr_text, print, stmt_text};
pub use syntax::{LowerOptions, MAX_ERRORS};
pub use tree::Tree;

/// The largest `n` of `bool<n>`.
pub const MAX_RETURNS: u32 = 65_535;

/// Which table of precedences is used; everything else is accepted in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// From loosest to tightest: `=>` (to the right), `|`, `^`, `&`, `=` and `!=`. This is Moped's,
    /// Getafix's and SDV's.
    #[default]
    Standard,
    /// From loosest to tightest: `=>`, `=` and `!=` (to the right), `^`, `|`, `&`.
    Satabs,
}
