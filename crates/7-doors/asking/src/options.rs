//! What a user may choose.

use crate::EngineChoice;
use crate::Kept;
use crate::SoFar;
use check::{Budget, Limits, Progress, TraceMode};
pub use engine_pds::Heads;
use input::Input;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The choices of a run: what is read, how it is searched, and what is shown. The default answers every
/// question with a shortest trace, without limits.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is read.
    pub input: Input,
    /// How it is searched.
    pub search: Search,
    /// What is shown.
    pub shown: Shown,
}

impl From<Input> for Options {
    fn from(input: Input) -> Options {
        Options { input, ..Options::default() }
    }
}

impl From<Search> for Options {
    fn from(search: Search) -> Options {
        Options { search, ..Options::default() }
    }
}

impl Options {
    /// The same, with one engine to answer.
    pub fn alone(&self) -> Options {
        let mut out = self.clone();
        if out.search.engine == EngineChoice::Compare {
            out.search.engine = EngineChoice::Auto;
        }
        out
    }
}

/// How questions are answered, and what that may cost.
#[derive(Clone, Debug)]
pub struct Search {
    /// Who answers.
    pub engine: EngineChoice,
    /// Which trace is wanted.
    pub trace: TraceMode,
    /// A trace that may not be shortest, where a shortest one is wanted, is no reason to stop searching.
    pub insist: bool,
    /// What a run may spend.
    pub limits: Limits,
    /// Check certificates. Traces are always replayed.
    pub self_check: bool,
    /// Keep the values of dead variables ([bebop §3.3], to measure its effect).
    pub no_live_ranges: bool,
    /// Keep globals that a procedure does not touch in its summary ([bebop §3.3], likewise).
    pub no_mod_ref: bool,
    /// Use the order in which variables are declared, with automatic reordering ([moped §5],
    /// likewise).
    pub no_order: bool,
    /// Improve the order of variables while diagrams grow.
    pub sifting: bool,
    /// Search for loops in the whole head graph at once ([moped §5], likewise).
    pub no_rough_components: bool,
    /// How repeating heads are found ([moped §4.2], and better).
    pub heads: Heads,
    /// Bounded model checking by the SAT engines: unroll for so many edges and no further. For the search over
    /// C's data: so many rounds of loops and recursions.
    pub bound: Option<u32>,
    /// Gates of a universal summary; a larger one is left to QBF summaries.
    pub summary_limit: usize,
    /// A QBF solver to ask instead of the built-in one: a program and its arguments.
    pub qbf_solver: Option<Vec<String>>,
    /// An explicit-state search that stores only the variables which an analysis says; none: of all
    /// variables.
    pub matching: Option<Option<crate::Matched>>,
    /// Look whether a temporal formula that holds does so vacuously.
    pub vacuity: bool,
    /// Put findings of rules to the program's data, and show those that are at least so sure; none: show all of them as
    /// the control skeleton has them.
    pub confidence: Option<render::Confidence>,
}

impl Default for Search {
    fn default() -> Self {
        Search {
            engine: EngineChoice::Auto,
            trace: TraceMode::default(),
            insist: false,
            limits: Limits::default(),
            self_check: false,
            no_live_ranges: false,
            no_mod_ref: false,
            no_order: false,
            sifting: false,
            no_rough_components: false,
            heads: Heads::default(),
            bound: None,
            summary_limit: engine_sat::Options::default().summary_limit,
            qbf_solver: None,
            matching: None,
            vacuity: true,
            confidence: None,
        }
    }
}

/// What is shown of answers.
#[derive(Clone, Debug)]
pub struct Shown {
    /// How many steps of a trace are listed; beyond it, completed calls are folded.
    pub max_steps: usize,
    /// How many cubes of a set of states are listed.
    pub max_cubes: usize,
    /// Show a run for which a part of a temporal formula that holds matters.
    pub witness: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Shown { max_steps: 100_000, max_cubes: 1_000, witness: false }
    }
}

/// Who watches a run: a flag that stops it, a measure of memory, a listener.
#[derive(Clone, Default)]
pub struct Watch {
    /// Becomes true when the run shall stop.
    pub cancel: Arc<AtomicBool>,
    /// How many bytes the process has allocated; without it, engines account for their tables.
    pub memory_probe: Option<fn() -> u64>,
    /// Hears of progress.
    pub listener: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// When the clock of the limit on time started; without it, when a question is asked.
    pub start: Option<Instant>,
    /// Takes up answers as they are found.
    pub so_far: Arc<SoFar>,
    /// Keeps answers for other runs.
    pub kept: Option<Arc<dyn Kept>>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

impl Watch {
    /// A budget for the whole of the run.
    pub fn budget(&self, limits: Limits) -> Budget {
        self.watched(Budget::new(limits).with_start(self.start.unwrap_or_else(Instant::now)))
    }

    /// A budget for a part of the run whose limits are `whole`. Its clock starts now.
    pub fn part(&self, limits: Limits, whole: Limits) -> Budget {
        self.watched(Budget::new(limits).as_part_of(whole))
    }

    fn watched(&self, budget: Budget) -> Budget {
        let mut budget = budget.with_cancel(self.cancel.clone());
        if let Some(probe) = self.memory_probe {
            budget = budget.with_memory_probe(probe);
        }
        if let Some(listener) = self.listener.clone() {
            budget = budget.with_listener(move |progress| listener(progress));
        }
        budget
    }
}
