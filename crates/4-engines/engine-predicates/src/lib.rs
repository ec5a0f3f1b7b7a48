//! Property-directed search over graphs of large blocks: places with words, and what happens between them as one graph
//! of formulas. It finds invariants, or runs; it knows no language.
//!
//! First many cheap invariants are guessed (`guess.rs`); what they leave open is searched for with predicates on words
//! (`pdr.rs`). Both decide bit by bit. What comes out is checked by another solver (`checking.rs`).
//!
//! Whether runs end is asked with measures that get smaller (`ranking.rs`, checked by `ending.rs`), and with states that
//! come back, or that lead to no end (`recurrence.rs`).
//!
//! ```
//! use check::Budget;
//! use engine_predicates::{Bad, Edge, Graph, Node, Proved, Variable, check, prove};
//! use logic::Lit;
//!
//! // A bit that is 0 at first and stays as it is.
//! let mut graph = Graph::default();
//! let x = graph.aig.input();
//! let variable = Variable {
//!     name: "x".to_owned(),
//!     bits: vec![x],
//!     signed: false,
//!     numbers: vec![],
//!     beside: vec![],
//! };
//! graph.nodes = vec![
//!     Node::default(),
//!     Node { name: "loop".to_owned(), variables: vec![variable], ..Node::default() },
//! ];
//! graph.edges = vec![
//!     Edge { from: 0, to: 1, guard: Lit::TRUE, values: vec![vec![Lit::FALSE]] },
//!     Edge { from: 1, to: 1, guard: Lit::TRUE, values: vec![vec![x]] },
//! ];
//! let bads = [Bad { node: 1, guard: x }];
//! let budget = Budget::unlimited();
//! let Proved::Safe(proof) = prove(&mut graph, &bads, &budget).0 else { panic!() };
//! assert_eq!(check(&mut graph, &bads, &proof, &budget), Ok(()));
//! ```

mod checking;
mod elements;
mod ending;
mod graph;
mod guess;
mod justify;
mod measure;
mod pdr;
mod predicates;
mod ranking;
mod recurrence;
mod samples;
mod shrink;
mod solver;

pub use checking::{Proof, Refusal, check, text};
pub use ending::{check_ends, not_descending};
pub use graph::{Bad, Call, Edge, Elements, Graph, Node, Run, Variable};
pub use measure::{Measure, Ranks, Term};
pub use pdr::Counts;
pub use predicates::{Literal, Pred};
pub use ranking::{Ranked, rank};
pub use recurrence::{Lasso, closed, lassos};
pub use shrink::shrink;

use ::check::{Budget, StopReason};
use pdr::{Found, Pdr};
use std::time::Duration;

/// What is known after a search.
#[derive(Clone, Debug)]
pub enum Proved {
    /// Nothing bad happens; why.
    Safe(Proof),
    /// Something bad happens.
    Run(Run),
    /// Nobody knows.
    Unknown(StopReason),
}

/// The most time for guesses of a stage.
const GUESSING: Duration = Duration::from_secs(8);

/// Invariants that can be guessed, by place.
pub fn facts(graph: &mut Graph, budget: &Budget) -> Result<Proof, StopReason> {
    ranking::mention(graph);
    let known = guess::facts(graph, &[], GUESSING, budget)?;
    Ok(Proof { clauses: known.facts })
}

/// Guesses an invariant that excludes what is bad.
pub fn guess(graph: &mut Graph, bads: &[Bad], budget: &Budget) -> (Proved, Counts) {
    let mut counts = Counts::default();
    let known = match guess::facts(graph, bads, Duration::MAX, budget) {
        Ok(known) => known,
        Err(reason) => return (Proved::Unknown(reason), counts),
    };
    let facts = known.facts;
    counts.questions += known.questions;
    counts.predicates = facts.iter().map(|f| f.len() as u64).sum();
    let proof = Proof { clauses: facts };
    let found = match check(graph, bads, &proof, budget) {
        Ok(()) => Proved::Safe(proof),
        Err(Refusal::Stopped(reason)) => Proved::Unknown(reason),
        Err(Refusal::Wrong(_)) => {
            let what = "no invariant that can be guessed excludes it".to_owned();
            Proved::Unknown(StopReason::Incomplete { what })
        }
    };
    (found, counts)
}

/// Searches for an invariant that excludes what is bad, or for a run to it.
pub fn prove(graph: &mut Graph, bads: &[Bad], budget: &Budget) -> (Proved, Counts) {
    let mut counts = Counts::default();
    let known = match guess::facts(graph, bads, GUESSING, budget) {
        Ok(known) => known,
        Err(reason) => return (Proved::Unknown(reason), counts),
    };
    counts.questions += known.questions;
    let preds = guess::predicates(graph, &known);
    let facts = known.facts;
    let mut search = match Pdr::new(graph, bads, preds, &facts, budget) {
        Ok(search) => search,
        Err(reason) => return (Proved::Unknown(reason), counts),
    };
    search.counts = counts;
    let found = search.search();
    search.count();
    let counts = search.counts;
    drop(search);
    let found = match found {
        Ok(Found::Run(run)) => Proved::Run(run),
        Err(reason) => Proved::Unknown(reason),
        Ok(Found::Invariant(mut clauses)) => {
            for (all, facts) in clauses.iter_mut().zip(facts) {
                all.extend(facts);
            }
            Proved::Safe(Proof { clauses })
        }
    };
    (found, counts)
}
