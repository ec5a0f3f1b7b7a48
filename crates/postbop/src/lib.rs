//! Postbop as a library: from source text to report in one call.
//!
//! ```
//! use postbop::{Options, Property, SourceFile, Status, Watch, check};
//! use std::sync::Arc;
//!
//! let text = "decl g; void main() begin g := !g; if (g) then R: skip; fi end";
//! let file = Arc::new(SourceFile::new("example.bp", text).unwrap());
//! let report =
//!     check(&[file], &[Property::reach("R")], &Options::default(), &Watch::default()).unwrap();
//! assert_eq!(report.results[0].status, Status::Reachable);
//! let steps = &report.results[0].trace.as_ref().unwrap().steps;
//! assert_eq!(steps.len(), 3); // g := !g; if (g); R: skip
//! ```
//!
//! It chooses the engine and says why, replays every trace, and turns whatever goes wrong inside
//! into an `unknown` that says so. Not for pages ([`render`]) or command lines (the crate `cli`): it
//! prints nothing, reads no file and no environment.

mod asked;
mod auto;
mod bounded;
mod c;
mod checking;
mod claims;
mod configurations;
mod convert;
mod data;
mod dot;
mod emitted;
mod engines;
mod facts;
mod folded_calls;
mod formula;
mod granted;
mod judge;
mod listing;
mod load;
mod ltl;
mod matching;
mod options;
mod pool;
mod projection;
mod proof;
mod ready_made;
mod remarks;
mod replaying;
mod rule_answers;
mod rule_listing;
mod rule_question;
mod rule_replay;
mod slice;
mod so_far;
mod stacks;
mod states;
mod told_runs;
mod tree;
mod vacuity;
mod vacuous;

pub use c::{CProgram, CText, Encoding, Model, Unread, preprocess};
pub use check::{Limits, StopReason, TraceMode};
pub use claims::{check, stacks, states};
pub use configurations::Configurations;
pub use convert::{Stage, Target, convert, dump};
pub use data::{DataProgram, Ending, Host, RunOptions, RunOutcome, UndefinedReport};
pub use emitted::{TestFile, test};
pub use engines::try_qbf_solver;
pub use facts::facts;
pub use front_bp::Dialect;
pub use load::{Error, guarded, load};
pub use logic::solver_bytes;
pub use ltl::{Automaton, ltl};
pub use matching::Matched;
pub use options::{EngineChoice, Heads, Lang, Options, Watch};
pub use proof::{proofs, read_as, replay_proofs};
pub use property::Property;
pub use ready_made::{ReadyRules, ready_rules, rule_error};
pub use remarks::{Allow, allowances};
pub use render::{Finding, Outcome, Report, States, Status};
pub use replaying::{Judgement, replay};
pub use rule_question::property as rule_property;
pub use rules::{Rule, RuleError, parse as parse_rules};
pub use so_far::SoFar;
pub use source::SourceFile;
pub use stacks::{StackQuestion, Words};
pub use states::Runs;
