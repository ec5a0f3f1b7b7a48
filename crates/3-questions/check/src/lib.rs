//! The waist of the house: what is asked ([`Task`]), how long one may take ([`Budget`]), who
//! answers ([`Engine`]) and what an answer consists of ([`Verdict`], [`Trace`], [`Certificate`]).
//!
//! Every property becomes a `Task`: a program with a list of goals. Every engine answers one, a
//! verdict per goal. N properties and M engines cost N + M.
//!
//! ```
//! use check::{Goal, Limits, Budget, StopReason, Task};
//! use std::time::Duration;
//!
//! let budget = Budget::new(Limits { time: Some(Duration::ZERO), ..Limits::default() });
//! assert!(matches!(budget.poll(), Err(StopReason::Time { .. })));
//! ```
//!
//! Not for: searching (engines), judging traces and certificates (`replay`), printing (`render`).
//! It knows neither decision diagrams nor satisfiability.

mod certificate;
mod engine;
mod lift;
mod limits;
mod partial;
mod state_set;
mod task;
mod temporal;
mod trace;

pub use certificate::{Certificate, MarkedClaim, ProcClaim, Rank, RepeatClaim};
pub use engine::{Answer, Engine, Stats, Verdict};
pub use lift::Lift;
pub use limits::{Budget, Limits, MOMENT, Progress, StopReason};
pub use partial::Partial;
pub use state_set::{Area, SetBit, SetId, SetNode, StateSets};
pub use task::{Goal, Observation, Target, Task, TraceMode, Wants};
pub use temporal::{Acceptor, Meaning, Op, OpId, Temporal};
pub use trace::{Frame, Lasso, Segment, SegmentId, Step, Trace};
