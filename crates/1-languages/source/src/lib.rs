//! Source files, spans, line positions, and diagnostics as plain data.
//!
//! Every front end reads a [`SourceFile`], marks what it finds with [`Span`]s, and describes what
//! is wrong with [`Diagnostic`]s; [`render`] turns one of those into text for people.
//!
//! ```
//! use source::{Diagnostic, SourceFile, Span, render};
//!
//! let file = SourceFile::new("f.bp", "decl g;\nh := !g;\n").unwrap();
//! let diagnostic = Diagnostic::error("bp-unknown-variable", "variable `h` is not declared")
//!     .at(Span::new(8, 9))
//!     .help("did you mean `g`?");
//! assert_eq!(
//!     render(&diagnostic, &file),
//!     "error[bp-unknown-variable]: variable `h` is not declared\n \
//!      --> f.bp:2:1\n  \
//!        |\n\
//!      2 | h := !g;\n  \
//!        | ^\n  \
//!        = help: did you mean `g`?\n"
//! );
//! ```
//!
//! Not for reports about verdicts: those are `check` values, shown by `render`. This crate knows no
//! programs, reads no files and prints nothing.
//!
//! What is shown to people is made of strangers' text: [`one_line`] and [`Shown`] escape what a
//! terminal would obey.

mod diagnostic;
mod file;
pub mod fraction;
mod shown;
mod snippet;
mod span;
mod suggest;

pub use diagnostic::{Diagnostic, Note, Placed, Severity};
pub use file::{Position, SourceError, SourceFile};
pub use shown::{Escapes, Shown, is_active, one_line};
pub use snippet::render;
pub use span::Span;
pub use suggest::suggest;
