//! C asked with its data: searches, proofs, runs that were executed, and tests.
//!
//! [`search`] answers questions about a C program by bounded search and by invariants; [`with_data`] asks what the control
//! skeleton leaves open; [`judge`] says how sure findings of rules are; [`tests`] covers branches. Whatever is shown of a
//! run was executed, and what was proved was checked. Functions without a body are stubs, entries have callers that do
//! anything (rules ST, EM, MO, CS).
//!
//! ```
//! use input::CText;
//!
//! // What is searched: read when somebody asks, with the models of the library that the search needs.
//! let text = "int main(void) { return 0; }".to_owned();
//! let unit = CText { name: "f.c".to_owned(), text, directory: None };
//! let data = c_asking::searchable(vec![unit], c_types::Model::LP64);
//! let (program, stubs) = data.program(|_| String::new()).unwrap();
//! assert!(program.has_main() && stubs.is_empty());
//! ```
//!
//! Not for questions about the control skeleton (`asking`, `findings`), nor for what a report may claim (`postbop`).

mod allocating;
mod bounded;
mod calls;
mod clauses;
mod confidence;
mod coverage;
mod emitted;
mod entries;
mod followed;
mod guided;
mod hiding;
mod invariants;
mod listing;
mod monitor;
mod operations;
mod parts;
mod prover;
mod replaying;
mod simpler;
mod stubs;
mod termination;
mod tried;
mod witness;

pub use bounded::{of_data, search, searchable, with_data};
pub use clauses::{abstraction, clauses};
pub use confidence::judge;
pub use coverage::{Coverage, Covered, Tests, tests};
pub use emitted::{TestFile, test, test_of_run};
pub use hiding::hide;
pub use replaying::{replayed, replayed_proof};
pub use stubs::contracted;
pub use witness::witness;
