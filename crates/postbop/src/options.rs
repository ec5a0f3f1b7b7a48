//! What a user may choose.

use crate::{CProgram, SoFar};
use check::{Budget, Limits, Progress, TraceMode};
pub use engine_pds::Heads;
use front_bp::Dialect;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The choices of a run. The default answers every question with a shortest trace, without limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// The language; by default, told from the file's name.
    pub lang: Option<Lang>,
    /// Which table of precedences boolean programs use.
    pub dialect: Dialect,
    /// The program, where it is one in C: the source files are for showing then.
    pub c: Option<Arc<CProgram>>,
    /// The same with its data, for the engine that searches that.
    pub data: Option<Arc<crate::DataProgram>>,
    /// Variables of a C program whose values are kept, each with its number of bits.
    pub keep: Vec<(String, u32)>,
    /// Where parts of a C program were left out, answer about the rest; otherwise nothing is said to hold.
    pub allow_incomplete: bool,
    /// Where the program starts: a procedure (by default `main`), of a pushdown system a stack
    /// symbol.
    pub entry: Option<String>,
    /// Who answers.
    pub engine: EngineChoice,
    /// Which trace is wanted.
    pub trace: TraceMode,
    /// A trace that may not be shortest, where a shortest one is wanted, is no reason to stop searching.
    pub insist: bool,
    /// How many steps of a trace are listed; beyond it, completed calls are folded.
    pub max_steps: usize,
    /// How many cubes of a set of states are listed.
    pub max_cubes: usize,
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
    /// Show a run for which a part of such a formula matters.
    pub witness: bool,
}

impl Options {
    /// The same, with one engine to answer.
    pub(crate) fn alone(&self) -> Options {
        let engine = match self.engine {
            EngineChoice::Compare => EngineChoice::Auto,
            engine => engine,
        };
        Options { engine, ..self.clone() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            lang: None,
            c: None,
            data: None,
            keep: Vec::new(),
            allow_incomplete: false,
            dialect: Dialect::default(),
            entry: None,
            engine: EngineChoice::Auto,
            trace: TraceMode::default(),
            insist: false,
            max_steps: 100_000,
            max_cubes: 1_000,
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
            witness: false,
        }
    }
}

/// An input language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Lang {
    /// Boolean programs (`.bp`).
    Bp,
    /// Remopla, the language of Moped (`.rem`, `.rmpl`).
    Remopla,
    /// Pushdown systems, explicit and symbolic (`.pds`).
    Pds,
    /// C (`.c`, `.h`, and `.i` for what is preprocessed).
    C,
}

impl Lang {
    /// The language that a file's name tells.
    pub fn of_file(name: &str) -> Option<Lang> {
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "bp" => Lang::Bp,
            "rem" | "rmpl" => Lang::Remopla,
            "pds" => Lang::Pds,
            "c" | "h" | "i" => Lang::C,
            _ => return None,
        })
    }

    /// The word by which command lines name it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Lang::Bp => "bp",
            Lang::Remopla => "remopla",
            Lang::Pds => "pds",
            Lang::C => "c",
        }
    }

    /// The language with this word.
    pub(crate) fn named(word: &str) -> Option<Lang> {
        [Lang::Bp, Lang::Remopla, Lang::Pds, Lang::C].into_iter().find(|lang| lang.word() == word)
    }

    /// What one of its programs is called.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Lang::Bp => "boolean program",
            Lang::Remopla => "Remopla program",
            Lang::Pds => "pushdown system",
            Lang::C => "C program",
        }
    }
}

/// Who answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum EngineChoice {
    /// The engine that suits the program; the report says which and why.
    #[default]
    Auto,
    /// Tabulation over explicit valuations.
    Explicit,
    /// Decision diagrams as in Bebop.
    Summary,
    /// Symbolic P-automata as in Moped, forwards from the start.
    Post,
    /// Symbolic P-automata as in Moped, backwards from the goals.
    Pre,
    /// Summaries as formulas, subsumption by QBF ([sat §3]).
    Qbf,
    /// Summaries for every entry at once, as formulas ([sat §4]).
    Universal,
    /// Bounded search over C's data, by formulas.
    Bounded,
    /// All of them; a disagreement is an internal error.
    Compare,
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
    pub(crate) fn part(&self, limits: Limits, whole: Limits) -> Budget {
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
