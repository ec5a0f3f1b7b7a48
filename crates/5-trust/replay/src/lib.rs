//! The concrete semantics: accepts or refuses a [`check::Trace`] and a [`check::Certificate`], and
//! prepares an accepted trace for showing.
//!
//! Every answer of an engine passes through here before a person sees it. [`check_trace`] judges a
//! trace on the program itself; what it returns, [`Accepted`], can be listed statement by
//! statement. [`check_certificate`] judges the proof that a goal is not reached.
//!
//! Runs without end are lassos: [`check_lasso`] accepts one if its loop can be taken for ever,
//! [`judge`] says whether a formula is false of it, by the formula's meaning and without any
//! automaton.
//!
//! ```
//! use check::{Frame, Goal, Partial, Step, Target, Trace};
//! use ir::{Id, Init, ProgramBuilder, Rel, Type};
//! use std::sync::Arc;
//!
//! // decl g;  void main() begin  assume(!g);  R: skip;  end
//! let mut b = ProgramBuilder::new();
//! let file = b.file("example.bp");
//! let at = b.origin(file, 1, 1, "");
//! let g = b.global("g", Type::BOOL, at);
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let (first, second) = (b.statement(at), b.statement(at));
//! b.entry(main, first);
//! let guard = b.exprs.pre(g);
//! let guard = b.exprs.not(guard);
//! b.step(first, second, Rel::guarded(guard, 0));
//! let program = Arc::new(b.finish(main, Init::default()));
//!
//! let goal = Goal::Reach(vec![Target::at(second)]);
//! let trace = |g: bool| {
//!     let mut state = Partial::unknown(1);
//!     state.set(0, Some(g));
//!     let step = Step { edge: ir::EdgeId::new(0), state, inside: None };
//!     Trace {
//!         segments: Default::default(),
//!         frames: vec![Frame { proc: main, steps: vec![step] }],
//!         target: second,
//!         end: Partial::unknown(1),
//!         shortest: true,
//!         lasso: None,
//!     }
//! };
//! let accepted = replay::check_trace(&program, &goal, &trace(false)).unwrap();
//! assert_eq!(accepted.shown(100).count(), 2);
//! let refusal = replay::check_trace(&program, &goal, &trace(true)).unwrap_err();
//! assert_eq!(refusal.reason, replay::Reason::Guard);
//! ```
//!
//! Not for: searching (the engines), printing (`render`), listings that are read back (`reports`, which
//! takes the hidden modules for its searches). It knows no engine and no decision
//! diagrams; the SAT solver it uses is its own.

mod certificate;
mod cnf;
#[doc(hidden)]
pub mod code;
mod concrete;
mod enumerate;
mod judge;
mod justify;
#[doc(hidden)]
pub mod machine;
mod prove;
mod refusal;
mod repeat;
#[doc(hidden)]
pub mod search;
mod shown;
#[doc(hidden)]
pub mod space;
mod trace;
mod value;

#[cfg(test)]
extern crate self as replay;
#[cfg(test)]
#[path = "../tests/random/mod.rs"]
mod tests;

pub use certificate::{CertRefusal, CertReport, Rule, check_certificate};
pub use judge::{Judgement, judge};
pub use refusal::{Part, Place, Reason, Refusal};
pub use shown::{Accepted, Shown, lists};
pub use trace::{TraceChecker, check_lasso, check_trace};
pub use value::{Value, state_vars};
