//! What statements of C's data program do, as terms over words (`terms.rs`, `execute.rs`), and what is made of them:
//! Horn clauses for other tools (`clauses.rs`, rules HC), and boolean programs over predicates (`abstraction.rs`, rules CB).
//!
//! Scalars whose addresses go nowhere are variables, also those in structures and static ones (`places.rs`); the rest is
//! bytes at addresses. What has no words is refused with the reason.
//!
//! Not for answering anything: engines do not use it, so that what it writes can be compared with what they say.

mod abstraction;
mod blast;
mod clauses;
mod execute;
mod flow;
mod natives;
mod places;
mod predicate;
mod smt;
mod terms;

pub use abstraction::{NoAbstraction, Predicate, abstraction};
pub use clauses::{NoClauses, horn};
