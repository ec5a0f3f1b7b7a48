//! Bounded search over C's data program: inputs that lead to a place, or the knowledge that none do.
//!
//! The program is executed once for all inputs: values are words whose bits are functions of the inputs
//! (`word.rs`), runs that meet again become one state (`state.rs`, `flow.rs`), calls are followed, loops are
//! followed for as many rounds as the bound says. Each place that was asked for has a guard, the function that
//! tells which inputs lead there; a SAT solver decides it. Where nothing was cut off, a guard that cannot hold is
//! a proof.
//!
//! What is found is a claim: [`search`] hands the inputs to its caller, who executes the program on them.
//!
//! Rules of what is said:
//!
//! - S1: a place is reached only if the caller has seen the run.
//! - S2: a place is not reached only if its guard cannot hold, nor that of any place at which the search was cut
//!   off, met something that is not covered, or used what is not the same in all executions of C (addresses as
//!   numbers).
//! - S3: what was never written is arbitrary, unless it is 0 on the run that is found.
//! - S4: numbers with fractions are computed bit by bit (`soft_float.rs`). What functions of the library make of them is
//!   arbitrary, but for those that are exact (`mathematics.rs`).
//! - S5: a run ends at an invalid access, at a division by zero, at a call of what is no function. Allocations
//!   succeed.
//! - S6: what a function without a body could change and does not (`__bop_outside` in its stub), or what a caller could
//!   hand over and does not (`__bop_beyond` in a harness), is no end of the search, but what can come after it is not
//!   said to be impossible.
//! - S7: where operations of a kind are asked about, a run ends at the first one that fails, and at a quotient that
//!   does not fit; memory is lost, or not freed, when the program ends by itself: `main` returns, or `exit` is called
//!   (where `abort` or an assertion ends it, it is not freed either).

mod along;
mod arguments;
mod blocks;
mod calls;
mod checked;
mod checks;
mod chosen;
mod cutting;
mod decide;
mod endings;
mod engine;
mod eval;
mod float;
mod flow;
mod followed;
mod jumps;
mod late;
mod leaks;
mod mathematics;
mod memory;
mod mentioned;
mod natives;
mod nested;
mod outside;
mod pages;
mod relevance;
mod search;
mod soft_float;
mod state;
mod summaries;
mod units;
mod word;

pub use along::{Along, Guide, Sought, Told, along};
pub use blocks::{Bads, Blocks, blocks, blocks_of_endings};
pub use checked::{Checked, Through, check_through, failing_operations};
pub use followed::{Never, all_followed};
pub use natives::{knows, reads_stream};
pub use search::{Answer, Goal, Inputs, Options, PROGRAM_NAME, Searched, Verdict, search, simpler};

/// Models of the library in C, to be linked behind the program: what reads and writes byte by byte.
pub const MODELS: &str = include_str!("models.c");
