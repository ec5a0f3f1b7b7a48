//! Linear temporal logic and Büchi automata.
//!
//! [`ltl`] reads, prints and evaluates formulas; [`translate`] makes small generalised Büchi
//! automata of them; [`degeneralize`] makes those ordinary; [`hoa`] and [`dot`](dot()) write
//! them, and `hoa` reads them. Labels are decision diagrams over atoms, marks a set of any size.
//! [`sere`] makes finite automata of Sugar's properties.
//!
//! ```
//! use automata::{Options, ltl, translate};
//!
//! let formula = ltl::parse("G (request -> F grant)").unwrap();
//! let automaton = translate(&formula.formulas, formula.root, &Options::default()).unwrap();
//! assert_eq!((automaton.states, automaton.marks), (2, 1));
//! // A request that is never granted violates the formula.
//! assert!(!automaton.accepts_lasso(1, 1, |i, atom| i == 0 && atom == 0));
//! ```
//!
//! # Programs
//! This crate knows none: what atoms mean, and products with programs, are others' business.
//!
//! # When not to use it
//! To judge one word, [`ltl::eval_lasso`] is simpler and needs no automaton. [`tableau`] is a
//! second translation, to be compared with: it is plain, and too large for anything else.

mod complement;
mod components;
mod cover;
mod diagram;
mod dot;
pub mod hoa;
pub mod ltl;
mod marks;
pub mod sere;
mod suffix;
mod tableau;
mod tgba;
mod translate;

pub use complement::complement;
pub use cover::{Cube, Cubes};
pub use diagram::{DiagramNode, Diagrams, Label};
pub use dot::dot;
pub use marks::Marks;
pub use suffix::suffix;
pub use tableau::{MAX_GUESSES, tableau};
pub use tgba::{Known, StateId, Tgba, Transition};
pub use translate::{KeepGoing, Options, TranslateError, degeneralize, translate};
