//! Reports, and the pages they become.
//!
//! A [`Report`] is what is known at the end of a run, as plain data. [`text`] writes it for people,
//! [`json`] for programs (schema `postbop.report/1`), [`bebop`] as Bebop printed it, [`html`] as a page
//! to click through, [`sarif`] for code-scanning sites. JSON is written from structs; the feature
//! `schema` makes the schemas of these, which are published in `docs/schema`.
//!
//! ```
//! use check::StopReason;
//! use ir::{Init, ProgramBuilder, Rel};
//! use property::Property;
//! use render::{Outcome, Report, Status, TextOptions};
//! use std::sync::Arc;
//!
//! let mut b = ProgramBuilder::new();
//! let at = b.no_origin();
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let exit = b.silent();
//! b.entry(main, exit);
//! b.ret(exit, Rel::identity(), false);
//! let report = Report {
//!     files: vec![Arc::new(source::SourceFile::new("f.bp", "void main() begin end").unwrap())],
//!     program: Arc::new(b.finish(main, Init::default())),
//!     results: vec![Outcome::unknown(Property::Assert, StopReason::Cancelled)],
//!     suppressed: Vec::new(),
//!     assumptions: Vec::new(),
//!     not_modelled: Vec::new(),
//!     claims: Default::default(),
//! };
//! let mut page = Vec::new();
//! render::text(&report, &TextOptions::default(), &mut page).unwrap();
//! assert_eq!(page, b"unknown: can an assertion fail? (it was cancelled)\n");
//! ```
//!
//! Not for errors in the input: those are [`source::Diagnostic`]s, shown by [`source::render`]. This
//! crate knows no engine.

/// Writes one line of a page for people. What it is made of may hold line breaks: they are shown,
/// and begin no line of their own.
macro_rules! line {
    ($out:expr, $($words:tt)*) => {
        $crate::put_line($out, &format!($($words)*))
    };
}

mod automata;
mod bebop;
mod causes;
mod claims;
mod closing;
mod errors;
mod facts;
mod findings;
mod fingerprint;
mod gcc;
mod influence;
mod invariants;
mod json;
mod lines;
mod page;
mod parts;
mod proof;
mod read;
mod report;
mod sarif;
#[cfg(feature = "schema")]
mod schema;
mod solution;
mod stacks;
mod states;
mod task;
mod text;
mod values;

pub use bebop::bebop;
pub use claims::{Claims, Extent, InputFile, LeftOut};
pub use closing::closing;
pub use errors::{ErrorEntry, ErrorNote, ErrorPage, ErrorPlace, ErrorSchema, error_json};
pub use facts::{Facts, FactsKind, ProcFacts, StatementFacts, facts_json, facts_text};
pub use fingerprint::{fingerprints, mark_known, read_baseline, write_baseline};
pub use gcc::gcc;
pub use influence::{
    InfluencePage, InfluenceSchema, MethodPage, PointPage, ReasonPage, ReasonStepPage,
    influence_json,
};
pub use invariants::{Comparison, Disjunction, Invariant, Multiple, Smaller};
pub use json::json;
pub use page::{Picture, Point, html, picture, points_html, stacks_html, states_html};
pub use parts::Tool;
pub use proof::{
    Proofs, ProvedByInvariants, ProvedClaim, Reading, holds_proofs, read_proofs, write_proofs,
};
pub use read::{Claim, ClaimedFinding, ClaimedStep, ClaimedTrace, ReadError, read_report};
pub use report::{
    Alike, AutomatonKind, Caller, CertificateNote, Confidence, DataAutomaton, DataEdge, DataState,
    Exit, Finding, Formula, Happening, Idle, Inputs, ListedStep, Listing, LookedAt, Monitor,
    Outcome, Report, Stack, StackAutomaton, StackFrame, StackNode, Stacks, Statement, States,
    StatesAt, Status, Stays, Vacuity,
};
pub use sarif::{MAX_SARIF_LOCATIONS, sarif};
#[cfg(feature = "schema")]
pub use schema::schemas;
pub use solution::{DiagnosticPage, GamePage, SolutionPage, SolutionSchema, solution_json};
pub use stacks::{stacks_dot, stacks_json, stacks_text};
pub use states::states_json;
pub use task::{TaskPage, TaskSchema, task_line};
pub use text::{TextOptions, states_text, text, title, told_run};
pub use values::{Reader, Value};

/// Calls beyond this depth are indented no further; their depth is shown as a number.
const MAX_INDENT: u32 = 40;

fn put_line(out: &mut dyn std::io::Write, line: &str) -> std::io::Result<()> {
    writeln!(out, "{}", source::one_line(line))
}
