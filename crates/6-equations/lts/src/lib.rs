//! Labelled transition systems, the value-based modal mu-calculus, and its translation to boolean
//! equation systems.
//!
//! [`aut`] reads and writes `.aut` files; [`mu`] reads formulas in mCRL2's and CADP's syntax; and
//! [`blk`] modal equation systems; [`question`] puts one on a model: a [`bes::System`] that `bes`
//! solves, explains and checks. Models are explored on demand through [`Lts`].
//!
//! ```
//! use bes::{Method, Solver};
//! use lts::mu::{Dialect, parse};
//!
//! let mut model = lts::aut::parse("des (0, 2, 2)\n(0, \"BOOL !x\", 1)\n(1, i, 1)\n").unwrap();
//! let text = "mu Y (v:Var := x) . (< {BOOL !v} > true or < true > Y (v))";
//! let formula = parse(text, Dialect::Cadp).unwrap();
//! let mut solver = Solver::new(lts::question(&formula, &mut model, &["i"]).unwrap());
//! assert_eq!(solver.solve(Method::Auto, &mut |_| true), Ok(true));
//! ```
//!
//! Not for programs: front ends offer theirs as an [`Lts`].

mod action;
pub mod analyses;
pub mod aut;
pub mod blk;
mod export;
mod label;
mod local_model_checking;
mod model;
pub mod mu;
pub mod regexp;

pub use export::{to_modal_system, to_pbes};
pub use label::{parts, split};
pub use local_model_checking::{
    AnnotateError, Annotation, OnLts, annotate, check_explanation, everywhere, explained_part,
    question,
};
pub use model::{ExplicitLts, Lts};
