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

mod by_engines;
mod claims;
mod granted;
mod ltl;
mod proof;
mod refined;
mod replaying;
mod so_far;
mod vacuous;

pub use asking::{
    ENGINES, EngineChoice, EngineRow, Heads, Judgement, Kept, Matched, Options, Search, Shown,
    SoFar, Watch, try_qbf_solver,
};
pub use c_asking::{
    Coverage, Covered, TestFile, Tests, abstraction, clauses, contracted, searchable, test,
    test_of_run, tests, witness,
};
pub use check::{Limits, StopReason, TraceMode};
pub use claims::{c_defaults, check, stacks, states, whole_automaton};
pub use conversions::{Encoding, Stage, Target, binary_aiger, convert, convert_with, dump};
pub use findings::{Allow, BuiltInRules, allowances, built_in_rules, rule_error, rule_property};
pub use input::{
    CProgram, CText, CircuitError, Contracts, DataProgram, Dialect, Ending, Error, Host, Input,
    LANGUAGES, Lang, Language, LazyData, Model, RunOptions, RunOutcome, UndefinedReport, Unread,
    guarded, load, preprocess, text_of_binary,
};
pub use ltl::{Automaton, ltl};
pub use proof::{proofs, read_as, replay_proofs};
pub use property::{OperationKind, Property};
pub use render::{Confidence, Finding, Outcome, Report, States, Status};
pub use replaying::replay;
pub use rules::{Rule, RuleError, parse as parse_rules};
pub use sets::{Configurations, Runs, StackQuestion, Whole, Words, facts};
pub use so_far::so_far;
pub use source::SourceFile;
pub use vacuous::concerns;
