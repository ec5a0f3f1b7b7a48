//! Sets of states and of stacks, for people.
//!
//! ```
//! use asking::{Options, Watch};
//! use sets::{Runs, states};
//! use source::SourceFile;
//! use std::sync::Arc;
//!
//! let text = "decl g; void main() begin g := 1; L: skip; end";
//! let file = Arc::new(SourceFile::new("one.bp", text).unwrap());
//! let (options, watch) = (Options::default(), Watch::default());
//! let found = states(&[file], "L", &[], &Runs::OfProgram, &options, &watch).unwrap();
//! assert_eq!(found.places.len(), 1);
//! ```
//!
//! What is true at a statement ([`states`]), which stacks there are ([`stacks`]), and what the summaries say
//! ([`facts`]). Not for verdicts: those are `postbop`'s.

mod automata;
mod configurations;
mod facts;
mod formula;
mod projection;
mod stacks;
mod states;

pub use configurations::Configurations;
pub use facts::facts;
pub use stacks::{StackQuestion, Whole, Words, stacks, whole_automaton};
pub use states::{Runs, states};
