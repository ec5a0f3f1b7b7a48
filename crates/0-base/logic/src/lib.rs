//! Propositional logic for engines: and-inverter graphs ([`Aig`]), satisfiability ([`Decider`],
//! [`SatSolver`]), subsumption of parametric relations, which is a quantified question
//! ([`subsumed`]), and a normal form for small ones ([`reduce`]).
//!
//! ```
//! use logic::{Aig, Cadical, Decider, QbfStats, Relation, Subsumed, never, subsumed};
//!
//! // Is {(a, a ∧ b)} a subset of {(c, d) | c ∨ ¬d}, and the other way round?
//! let mut aig = Aig::new();
//! let [a, b, c, d] = [0; 4].map(|_| aig.input());
//! let both = aig.and(a, b);
//! let guard = aig.or(c, !d);
//! let left = Relation { guard: logic::Lit::TRUE, outputs: &[a, both] };
//! let right = Relation { guard, outputs: &[c, d] };
//! let mut stats = QbfStats::default();
//! let mut ask = |x, y| subsumed(&aig, x, &[y], 100, &never(), &mut stats).unwrap();
//! assert_eq!(ask(left, right), Subsumed::Yes);
//! assert_eq!(ask(right, left), Subsumed::Yes);
//!
//! let mut decider: Decider<Cadical> = Decider::new(never());
//! assert!(!decider.satisfiable(&aig, &[both, !a]).unwrap());
//! ```
//!
//! Not for: programs (it knows none), nor functions that must be compared again and again, which is
//! what decision diagrams are for (`bdd`).

mod aig;
mod decide;
mod qdimacs;
mod reduce;
mod sat;
mod second;
mod subsume;

pub use aig::{Aig, Lit, Moved, Valuation};
pub use decide::{DecideStats, Decider};
pub use qdimacs::{qdimacs, run_solver};
pub use reduce::{Reduced, reduce};
pub use sat::{Cadical, Clauses, SatSolver, StopFlag, Stopped, never};
pub use second::Batsat;
pub use subsume::{QbfStats, Relation, Subsumed, subsumed, subsumed_with};
