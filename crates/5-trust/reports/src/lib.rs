//! Listings that are read back from a report: is there a run that they tell of?
//!
//! A report lists statements and some of the values; [`replay_listed`] follows all runs that could be meant
//! (as cubes, step by step), [`replay_lasso`] finds such a run and hands it to the judge of lassos.
//!
//! Nothing that an engine says is trusted because of this room: traces and proofs are judged by `replay`
//! before they are shown. It says what a reader may ask of a page that somebody else has written.

mod cubes;
mod lasso;
mod listed;
mod touched;

pub use lasso::{ListedEnd, ListedLasso, replay_lasso};
pub use listed::{Listed, ListedStep, Outcome, UnlistedCall, replay_listed};
