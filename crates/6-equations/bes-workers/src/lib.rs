//! Boolean equation systems solved by several threads and several processes, on `timely` dataflow.
//!
//! Every variable has one owner among the workers, found by hashing; owners tell each other values,
//! and ask each other for variables that are explored on demand. [`solve`] takes a system whose
//! variables have names that all workers understand ([`Portable`]), [`solve_parts`] a text in CADP's format,
//! of which each worker reads a part. The answers are those of [`bes::Solver`], alternating systems included.
//!
//! ```
//! use bes::cadp::{Parts, Text};
//! use bes_workers::{Crew, solve_parts};
//! use std::sync::Arc;
//!
//! let text = b"block mu B0 is X0 = X1 or X0 X1 = X0_1 end block block nu B1 is X0 = X0 end block";
//! let text: Arc<dyn Text + Send> = Arc::new(text.to_vec());
//! let parts = Parts::of(&*text, &mut |_| true).unwrap();
//! let found = solve_parts(&text, parts, Crew::threads(2), Arc::new(|_| Ok(()))).unwrap();
//! assert!(found.value);
//! ```
//!
//! Several processes meet through [`Hosts`] and [`Cluster::join`]. A worker that is lost ends the run
//! in all of them with [`Failure::Lost`].
//!
//! It is for large systems: names of variables that are explored on demand are stored in few bytes and once,
//! and of what is read nobody keeps all, so that memory divides. Not for small systems, where a sequential
//! solver is faster than two workers.

mod board;
mod cluster;
mod demand;
mod door;
mod flow;
#[cfg(test)]
mod generated;
mod hosts;
mod link;
mod member;
mod parted;
mod portable;
mod run;
mod secret;
mod zielonka;

pub use cluster::{Cluster, JoinError};
pub use door::Strangers;
pub use hosts::{Hosts, HostsError};
pub use portable::{Portable, Word};
pub use run::{Crew, Failure, Found, Progress, Watch, solve, solve_parts};
pub use secret::{LEAST_SECRET, Secret};
