//! What the tests of this workspace share: random programs, shrinking, the corpora, and engines
//! judged alone and against each other.
//!
//! - [`random_bp`](random_bp::random_bp) writes boolean programs, [`random_program`] builds
//!   programs of the model with what no front end writes; both from a seed alone.
//! - [`random_c`](random_c::random_c) writes C programs whose answers are known because they were run.
//! - [`heap_program`](random_heap::heap_program) writes C that allocates and frees, and
//!   [`freed_twice`](random_heap::freed_twice) runs it on every input.
//! - [`walk`](walk::walk) runs a generated text at random, by code of its own: what it visits is
//!   reachable.
//! - [`corpus`] reads programs with known answers, [`suite`] runs an engine over them.
//! - [`differential`] compares engines on generated programs and shrinks what fails
//!   ([`shrink_bp`](shrink_bp::shrink_bp), [`shrink_ir`](shrink_ir::shrink_ir)).
//! - [`ltl_reference`] answers temporal formulas by a tableau of its own, [`differential_ltl()`]
//!   compares products answered by engines with it.
//! - [`model_proof`](model_proof::model_proof) is a program of the model built by hand, with its
//!   answers.
//! - [`random_remopla`](random_remopla::random_remopla), [`random_pds`](random_pds::random_pds),
//!   [`random_skeleton`](random_skeleton::random_skeleton) and [`random_equations`] write programs, systems, formulas and equations in other languages;
//!   [`conversion`] compares what programs mean in one and in another.
//! - [`explore`](explore::explore) lists all states of a small program, stack and all.
//! - [`violations`] says what of a document does not fit its JSON Schema.
//! - [`engines`] has what the suites of engines share: questions, programs whose size is a knob, promises.
//! - [`judge`] says what is wrong with an answer: traces are replayed, certificates checked.
//!
//! ```
//! use testkit::bp::{Bp, Kind, visit_stmts};
//! use testkit::random_bp::{Profile, generate};
//! use testkit::shrink_bp::shrink_bp;
//!
//! // "Fails" as long as it contains an assertion.
//! let fails = |program: &Bp| {
//!     let mut found = false;
//!     for proc in &program.procs {
//!         visit_stmts(&proc.body, &mut |s| found |= matches!(s.kind, Kind::Assert(_)));
//!     }
//!     found
//! };
//! let program = (1..).map(|seed| generate(seed, &Profile::Large.knobs())).find(fails).unwrap();
//! let small = shrink_bp(&program, fails);
//! assert_eq!(small.len(), 1);
//! assert!(small.text().contains("assert(T);") || small.text().contains("assert(F);"));
//! ```
//!
//! Not for anything but tests and `xtask`: it reads files and the environment, and its programs
//! are small.

pub mod bp;
pub mod conversion;
pub mod corpus;
pub mod differential;
mod differential_ltl;
pub mod engines;
pub mod explore;
pub mod from_text;
pub mod judge;
pub mod ltl_formula;
pub mod ltl_reference;
pub mod model_proof;
mod plain;
pub mod random_bp;
pub mod random_c;
pub mod random_equations;
pub mod random_heap;
pub mod random_ir;
pub mod random_pds;
pub mod random_remopla;
pub mod random_skeleton;
pub mod rng;
mod schema;
pub mod shrink_bp;
pub mod shrink_ir;
pub mod style;
pub mod suite;
pub mod walk;

pub use differential_ltl::{LtlComparison, LtlFailure, LtlOutcome, Pair, differential_ltl};
pub use random_ir::random_program;
pub use schema::violations;
