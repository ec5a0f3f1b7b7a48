//! Boolean equation systems solved by several threads and several processes, on `timely` dataflow.
//!
//! Every variable has one owner among the workers, found by hashing; owners tell each other values,
//! and ask each other for variables that are explored on demand. [`solve`] takes a system whose
//! variables have names that all workers understand ([`Portable`]), [`solve_closed`] one that is in
//! memory. The answers are those of [`bes::Solver`], alternating systems included.
//!
//! ```
//! use bes::{BesBuilder, Op, Sign};
//! use bes_workers::{Crew, solve_closed};
//! use std::sync::Arc;
//!
//! // mu X0 = X1 || X0;  mu X1 = X2 && X2;  nu X2 = X2;
//! let mut builder = BesBuilder::new();
//! let (outer, inner) = (builder.block(Sign::Mu), builder.block(Sign::Nu));
//! builder.equation(outer, Op::Or, [1, 0]);
//! builder.equation(outer, Op::And, [2, 2]);
//! builder.equation(inner, Op::Or, [2]);
//! let system = Arc::new(builder.build(0).unwrap());
//! let found = solve_closed(&system, Crew::threads(2), Arc::new(|_| Ok(()))).unwrap();
//! assert!(found.value);
//! ```
//!
//! Several processes meet through [`Hosts`] and [`Cluster::join`]. A worker that is lost ends the run
//! in all of them with [`Failure::Lost`].
//!
//! It is for systems that are explored on demand: names of variables are stored in few bytes and once, so that
//! memory and time divide. Not for small systems, nor for one that is in memory: there a sequential solver is
//! faster than two workers.

mod board;
mod closed;
mod cluster;
mod demand;
mod door;
mod flow;
#[cfg(test)]
mod generated;
mod hosts;
mod link;
mod member;
mod portable;
mod run;
mod secret;

pub use cluster::{Cluster, JoinError};
pub use door::Strangers;
pub use hosts::{Hosts, HostsError};
pub use portable::{Portable, Word};
pub use run::{Crew, Failure, Found, Progress, Watch, solve, solve_closed};
pub use secret::{LEAST_SECRET, Secret};
