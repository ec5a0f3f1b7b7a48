//! Source text of any language to a program.
//!
//! ```
//! use input::{Input, load};
//! use source::SourceFile;
//! use std::sync::Arc;
//!
//! let file = Arc::new(SourceFile::new("one.bp", "void main() begin L: skip; end").unwrap());
//! let program = load(&[file], &Input::default()).unwrap();
//! assert_eq!(program.labelled(None, "L").len(), 1);
//! ```
//!
//! A C program is preprocessed by whoever calls, and loaded once ([`CProgram`]). Not for questions: it knows
//! properties only so far as a C program is lowered for those that are asked.

mod c;
mod data;
mod languages;
mod load;
mod pool;

pub use c::{CProgram, CText, Contracts, Model, Unread, preprocess};
pub use data::{DataProgram, Ending, Host, LazyData, RunOptions, RunOutcome, UndefinedReport};
pub use front_bp::Dialect;
pub use front_circuit::{CircuitError, text_of_binary};
pub use languages::{LANGUAGES, Lang, Language};
pub use load::{
    Error, ForStacks, Tree, caught, guarded, language, load, load_for, load_for_stacks, lower,
    parse, rejected, system,
};
pub use pool::{each, threads};
use std::sync::Arc;

/// What is read, and as what.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The language; by default, told from the file's name.
    pub lang: Option<Lang>,
    /// Which table of precedences boolean programs use.
    pub dialect: Dialect,
    /// The program, where it is one in C: the source files are for showing then.
    pub c: Option<Arc<CProgram>>,
    /// The same with its data, for the search of that.
    pub data: Option<Arc<LazyData>>,
    /// Variables of a C program whose values are kept, each with its number of bits.
    pub keep: Vec<(String, u32)>,
    /// Where parts of a C program were left out, answer about the rest; otherwise nothing is said to hold.
    pub allow_incomplete: bool,
    /// Where the program starts: a procedure (by default `main`), of a pushdown system a stack
    /// symbol.
    pub entry: Option<String>,
}
