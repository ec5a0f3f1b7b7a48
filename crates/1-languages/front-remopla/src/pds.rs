//! Pushdown systems (`.pds`), explicit and symbolic: text → tree → [`ir::spds::Spds`] →
//! [`ir::Program`], and back to text.
//!
//! A file names the configuration to start with and gives a rule per line; a symbolic one declares
//! variables, global ones and, for the stack symbols listed, local ones, and its rules may end in a
//! formula over `x` (before), `x'` (after; a local of the new topmost symbol) and `x''` (a local of
//! the symbol below it). What a formula does not constrain is arbitrary afterwards. A symbol
//! `assertion_failed` without rules is where an assertion failed. Declarations and
//! expressions are those of Remopla; in formulas `=` is equality and `->` implication, too.
//!
//! ```
//! use front_remopla::LowerOptions;
//! use front_remopla::pds::{lower, parse, print};
//!
//! let text = "global\n  int x(2);\n(p <y>)\np <y> --> p <y z> (x' == x + 1)\np <y> --> q <> (x == 2)\n";
//! let (tree, errors) = parse(text);
//! assert!(errors.is_empty());
//! assert!(print(&tree).contains("p <y> --> q <> (x == 2)\n"));
//!
//! let file = source::SourceFile::new("f.pds", text).unwrap();
//! let program = lower(&tree, &file, &LowerOptions::default()).unwrap();
//! assert_eq!(program.labelled(None, "z").len(), 1);
//! ```
//!
//! Not for programs: a `.pds` file has no statements.

mod from_spds;
mod lower;
mod parse;
mod print;
mod tree;

pub use from_spds::from_spds;
pub use lower::{lower, lower_for_stacks, lower_spds};
pub use parse::parse;
pub use print::print;
pub use tree::{Locals, Rule, Start, Tree};
