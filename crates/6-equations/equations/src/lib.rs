//! Equations as a library: mu-calculus on models and programs, equation systems, and analyses that are
//! formulas, from text to answer in one call.
//!
//! ```
//! use equations::{MuSyntax, Resolution, eval};
//! use asking::{Options, Watch};
//! use source::SourceFile;
//! use std::sync::Arc;
//!
//! let model = "des (0, 2, 2)\n(0, \"work\", 1)\n(1, \"rest\", 0)\n";
//! let model = Arc::new(SourceFile::new("two.aut", model).unwrap());
//! let formula = Arc::new(SourceFile::new("f.mcf", "nu X. <true> true && [true] X").unwrap());
//! let (resolution, options) = (Resolution::default(), Options::default());
//! let answer =
//!     eval(&formula, MuSyntax::Mcrl2, &model, &resolution, &options, &Watch::default()).unwrap();
//! assert!(answer.value);
//! ```
//!
//! This is the second door beside `postbop`. Not for
//! assertions, labels and LTL (`postbop::check`), and not for pages or command lines.

mod annotate;
mod boolean_graph;
mod exports;
mod games;
mod program_lts;
mod resolve;
mod workers;

pub use annotate::{
    Annotated, AnnotatedPoint, Criterion, DataModel, InfluenceAnalysis, InfluenceMethod,
    InfluenceQuestion, Reason, Why, annotate, influence,
};
pub use bes::{Method, gunzip};
pub use exports::{EquationForm, Equations, convert_equations};
pub use games::{Played, solve_game};
pub use program_lts::{View, eval_program, write_lts};
pub use resolve::{
    Everywhere, Explained, MuSyntax, Resolution, Solution, Stream, eval, eval_at, eval_everywhere,
    eval_stream, solve, solve_on, solve_stream,
};
pub use workers::{
    Hosts, HostsError, LEAST_SECRET, Meeting, Secret, Workers, eval_with_workers,
    solve_game_with_workers, solve_stream_with_workers, solve_with_workers,
};
