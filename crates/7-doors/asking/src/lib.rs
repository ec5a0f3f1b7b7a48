//! What was asked, who answers, and how an answer comes back.
//!
//! ```
//! use asking::{Asked, Options, Watch, answer};
//! use check::{Budget, TraceMode, Verdict};
//! use input::load;
//! use property::Property;
//! use source::SourceFile;
//! use std::sync::Arc;
//!
//! let file = Arc::new(SourceFile::new("one.bp", "void main() begin L: skip; end").unwrap());
//! let options = Options::default();
//! let program = Arc::new(load(&[file], &options.input).unwrap());
//! let question = Property::reach("L").question(&program).unwrap();
//! let asked = Asked::new(&program, question, TraceMode::Shortest);
//! let runs = answer(&asked.task, &options, &Watch::default(), &Budget::unlimited());
//! assert!(matches!(runs[0].answer.verdicts[0], Verdict::Violated(_)));
//! ```
//!
//! The waist: every property is an [`Asked`], one table of engines ([`ENGINES`]) answers it, one [`Judge`] turns
//! verdicts, traces and proofs into outcomes. Not a door: `postbop` is, which asks several questions at once and says
//! what a report may claim.

mod asked;
mod auto;
mod call_search;
mod claimed;
mod engines;
mod judge;
mod kept;
mod listing;
mod matching;
mod options;
mod proof;
mod questions;
mod slice;
mod so_far;
mod vacuity;

pub use asked::{Asked, Back, Down, Explanation, With, question};
pub use claimed::{Judgement, steps};
pub use engines::{ENGINES, EngineChoice, EngineRow, Run, answer, answer_whole, try_qbf_solver};
pub use judge::{Checked, Judge, Judged, answered, compared, never};
pub use kept::{Kept, kept_or};
pub use listing::refused;
pub use matching::Matched;
pub use options::{Heads, Options, Search, Shown, Watch};
pub use questions::{Asks, Questions, nothing};
pub use so_far::{RuleAnswers, SoFar, Taken};
