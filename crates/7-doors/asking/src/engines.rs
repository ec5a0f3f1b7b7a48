//! Who answers, and why.

use crate::auto::auto;
use crate::slice::Slice;
use crate::{Options, Watch};
use check::{Answer, Budget, Engine, Goal, StopReason, Task};
use engine_explicit::Explicit;
use engine_pdr::Pdr;
use engine_pds::{Post, Pre};
use engine_sat::{Qbf, Universal};
use engine_summary::{Order, Summary};
use input::caught;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    /// Property-directed reachability: clauses learned backwards from the goals ([spacer]).
    Pdr,
    /// Bounded search over C's data, by formulas: no engine of tasks, and therefore in no row.
    Bounded,
    /// What `pdr` is where C's data is asked about: invariants, found by property-directed search. No engine of
    /// tasks either.
    Invariants,
    /// The same, with what can be guessed from the predicates that the program mentions.
    Predicates,
    /// All of them; a disagreement is an internal error.
    Compare,
}

/// What is to be known of an engine. Command lines, help, `compare` and benchmarks read it here.
pub struct EngineRow {
    /// By which it is chosen.
    pub choice: EngineChoice,
    /// The word by which command lines and reports name it.
    pub word: &'static str,
    /// One line for people.
    pub help: &'static str,
    /// It answers questions about runs without end.
    pub loops: bool,
    /// It is made of formulas: `--bound` and `--qbf-solver` are for it.
    pub formulas: bool,
    /// Its traces are shortest.
    pub shortest: bool,
    make: fn(&Options, &Budget) -> Box<dyn Engine>,
}

/// The engines, in the order in which they are compared.
pub const ENGINES: [EngineRow; 7] = [
    EngineRow {
        choice: EngineChoice::Explicit,
        word: "explicit",
        help: "Tabulation over explicit valuations",
        loops: true,
        formulas: false,
        shortest: true,
        make: |_, _| Box::new(Explicit::default()),
    },
    EngineRow {
        choice: EngineChoice::Summary,
        word: "summary",
        help: "Decision diagrams, as in Bebop",
        loops: false,
        formulas: false,
        shortest: true,
        make: |options, _| Box::new(summary(options)),
    },
    EngineRow {
        choice: EngineChoice::Post,
        word: "post",
        help: "Automata over stacks, as in Moped, forwards from the start",
        loops: true,
        formulas: false,
        shortest: true,
        make: |options, _| Box::new(post(options)),
    },
    EngineRow {
        choice: EngineChoice::Pre,
        word: "pre",
        help: "Automata over stacks, as in Moped, backwards from the goals",
        loops: true,
        formulas: false,
        shortest: true,
        make: |options, _| Box::new(pre(options)),
    },
    EngineRow {
        choice: EngineChoice::Qbf,
        word: "qbf",
        help: "Summaries as formulas instead of diagrams, for programs with many variables",
        loops: false,
        formulas: true,
        shortest: false,
        make: |options, budget| Box::new(Qbf { options: sat(options, budget) }),
    },
    EngineRow {
        choice: EngineChoice::Universal,
        word: "universal",
        help: "The same, with summaries for every entry at once",
        loops: false,
        formulas: true,
        shortest: false,
        make: |options, budget| Box::new(Universal { options: sat(options, budget) }),
    },
    EngineRow {
        choice: EngineChoice::Pdr,
        word: "pdr",
        help: "Clauses learned backwards from the goals (property-directed reachability); of C with its data, \
               invariants of loops",
        loops: false,
        formulas: false,
        shortest: false,
        make: |_, _| Box::new(Pdr),
    },
];

impl EngineChoice {
    /// All choices with their words and a line for people.
    pub fn all() -> impl Iterator<Item = (EngineChoice, &'static str, &'static str)> {
        let auto =
            "The engine that suits the program: by facts, and where these do not tell, by a race";
        let bounded = "Bounded search over C's data by SAT: inputs that lead to a place, executed";
        let predicates = "Proofs about C's data by guesses: bounds, orders and equalities, kept if they hold together";
        let compare = "All engines; a disagreement is an internal error";
        let one = ENGINES.iter().map(|row| (row.choice, row.word, row.help));
        let last = [
            (EngineChoice::Bounded, "bounded", bounded),
            (EngineChoice::Predicates, "predicates", predicates),
            (EngineChoice::Compare, "compare", compare),
        ];
        std::iter::once((EngineChoice::Auto, "auto", auto)).chain(one).chain(last)
    }

    /// The choice with this word.
    pub fn named(word: &str) -> Option<EngineChoice> {
        EngineChoice::all().find(|(_, w, _)| *w == word).map(|(choice, ..)| choice)
    }

    /// Whether it is an engine whose traces may not be shortest.
    pub fn gives_any_trace(self) -> bool {
        ENGINES.iter().any(|row| row.choice == self && !row.shortest)
    }

    /// Whether it is about C with its data.
    pub fn is_of_data(self) -> bool {
        matches!(self, EngineChoice::Bounded | EngineChoice::Invariants | EngineChoice::Predicates)
    }

    /// The word of a choice.
    pub fn word(self) -> &'static str {
        // Of C with its data it is another search, by the same name.
        let of = if self == EngineChoice::Invariants { EngineChoice::Pdr } else { self };
        EngineChoice::all().find(|(choice, ..)| *choice == of).map_or("", |(_, word, _)| word)
    }

    /// Whether it is an engine made of formulas.
    pub fn has_formulas(self) -> bool {
        ENGINES.iter().any(|row| row.choice == self && row.formulas)
    }
}

/// An answer with who gave it.
pub struct Run {
    /// The engine's name.
    pub engine: &'static str,
    /// Why this engine.
    pub why: String,
    /// The answer.
    pub answer: Answer,
    /// Wall-clock time.
    pub seconds: f64,
}

pub(crate) fn summary(options: &Options) -> Summary {
    Summary {
        live_ranges: !options.search.no_live_ranges,
        mod_ref: !options.search.no_mod_ref,
        order: order(options),
        sifting: sifting(options),
        largest_proof: largest_proof(options),
        ..Summary::default()
    }
}

/// The nodes of diagrams up to which a proof is kept that nobody has asked for.
const UNASKED: usize = 1 << 19;

/// A proof of a million sets takes more memory than finding it: beyond a size, there is one if it is to be checked or
/// saved.
fn largest_proof(options: &Options) -> usize {
    if options.search.self_check { usize::MAX } else { UNASKED }
}

fn order(options: &Options) -> Order {
    if options.search.no_order { Order::Naive } else { Order::Derived }
}

/// The naive order is not left as it is.
fn sifting(options: &Options) -> bool {
    options.search.sifting || options.search.no_order
}

pub(crate) fn post(options: &Options) -> Post {
    let (live_ranges, mod_ref) = (!options.search.no_live_ranges, !options.search.no_mod_ref);
    Post {
        live_ranges,
        mod_ref,
        order: order(options),
        sifting: sifting(options),
        rough_components: !options.search.no_rough_components,
        heads: options.search.heads,
        largest_proof: largest_proof(options),
        ..Post::default()
    }
}

pub(crate) fn pre(options: &Options) -> Pre {
    let (live_ranges, mod_ref) = (!options.search.no_live_ranges, !options.search.no_mod_ref);
    Pre {
        live_ranges,
        mod_ref,
        order: order(options),
        sifting: sifting(options),
        heads: options.search.heads,
        ..Pre::default()
    }
}

pub(crate) fn sat(options: &Options, budget: &Budget) -> engine_sat::Options {
    let external = options.search.qbf_solver.as_ref().and_then(|command| {
        let (program, args) = command.split_first()?;
        let (program, args) = (program.clone(), args.to_vec());
        let budget = budget.clone();
        let stop: logic::StopFlag = Arc::new(move || budget.poll().is_err());
        let ask =
            move |text: &str| logic::run_solver(&program, &args, text, &stop).ok()?.ok().flatten();
        Some(Arc::new(ask) as engine_sat::External)
    });
    engine_sat::Options {
        bound: options.search.bound,
        summary_limit: options.search.summary_limit,
        external,
        ..engine_sat::Options::default()
    }
}

/// Whether a command decides quantified formulas, tried on two small ones: a mistake in its name
/// should not go unnoticed because the built-in solver answers instead.
pub fn try_qbf_solver(command: &[String]) -> Result<(), String> {
    let shown = command.join(" ");
    let Some((program, args)) = command.split_first() else {
        return Err("a QBF solver is a command".to_owned());
    };
    // For every x there is y = x; not for every x does x hold.
    let small =
        [("p cnf 2 2\na 1 0\ne 2 0\n1 -2 0\n-1 2 0\n", true), ("p cnf 1 1\na 1 0\n1 0\n", false)];
    let start = Instant::now();
    let stop: logic::StopFlag = Arc::new(move || start.elapsed() > Duration::from_secs(5));
    for (text, expected) in small {
        let answer = logic::run_solver(program, args, text, &stop);
        let answer = answer.map_err(|e| format!("`{shown}` cannot be run: {e}"))?;
        if answer.ok().flatten() != Some(expected) {
            return Err(format!("`{shown}` does not decide a small formula in QDIMACS"));
        }
    }
    Ok(())
}

/// Answers the task with the engine that the options name: one run, or one for each engine under
/// `compare`.
pub fn answer(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Vec<Run> {
    let slice = caught("slicing", || Slice::new(task, budget));
    match slice {
        Ok(None) => ask(task, options, watch, budget),
        Ok(Some(slice)) => {
            let runs = ask(&slice.task, options, watch, budget);
            runs.into_iter().map(|run| lifted(task, &slice, run)).collect()
        }
        Err(what) => {
            let answer = Answer::unknown(task, StopReason::Internal { what });
            vec![Run { engine: "auto", why: String::new(), answer, seconds: 0.0 }]
        }
    }
}

/// The same, of the program as it is: for large ones that have been made for the question.
pub fn answer_whole(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Vec<Run> {
    ask(task, options, watch, budget)
}

fn lifted(task: &Task, slice: &Slice, mut run: Run) -> Run {
    let answer = std::mem::replace(&mut run.answer, Answer::unknown(task, StopReason::Cancelled));
    run.answer = caught("lifting an answer", || slice.lift(task, answer))
        .unwrap_or_else(|what| Answer::unknown(task, StopReason::Internal { what }));
    run
}

/// Whether the task is about runs without end.
pub(crate) fn repeats(task: &Task) -> bool {
    task.goals.iter().any(|goal| matches!(goal, Goal::Repeat { .. }))
}

fn ask(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Vec<Run> {
    let asked = || "asked for by `--engine`".to_owned();
    if let Some(matched) = options.search.matching {
        return match crate::matching::engine(task, matched, budget) {
            Ok((engine, why)) => vec![run(&engine, task, budget, why)],
            Err(reason) => {
                let answer = Answer::unknown(task, reason);
                vec![Run { engine: "matching", why: String::new(), answer, seconds: 0.0 }]
            }
        };
    }
    let fits = |row: &EngineRow| row.loops || !repeats(task);
    match options.search.engine {
        EngineChoice::Auto => vec![auto(task, options, watch, budget)],
        EngineChoice::Compare => {
            let rows = ENGINES.iter().filter(|row| fits(row));
            rows.map(|row| run(&*(row.make)(options, budget), task, budget, asked())).collect()
        }
        of_data if of_data.is_of_data() => {
            let engine = of_data.word();
            let what =
                format!("the engine {engine} searches C's data, which is not asked about here");
            let answer = Answer::unknown(task, StopReason::Unsupported { what });
            vec![Run { engine, why: String::new(), answer, seconds: 0.0 }]
        }
        one => {
            // Formulas know loops, too (as places that are reached), where no proof is wanted.
            let proofs = options.search.self_check;
            let able = |row: &&EngineRow| fits(row) || one.has_formulas() && !proofs;
            let row = ENGINES.iter().find(|row| row.choice == one).filter(able);
            vec![match row {
                Some(row) => run(&*(row.make)(options, budget), task, budget, asked()),
                None => {
                    let why = match one.has_formulas() {
                        true => {
                            "the engine asked for by `--engine` has no proofs about loops, post* has"
                        }
                        false => "the engine asked for by `--engine` knows no loops, post* does",
                    };
                    run(&post(options), task, budget, why.to_owned())
                }
            }]
        }
    }
}

pub(crate) fn run(engine: &dyn Engine, task: &Task, budget: &Budget, why: String) -> Run {
    let start = Instant::now();
    let name = engine.name();
    let answer = caught(&format!("engine {name}"), || engine.run(task, &budget.attempt()));
    let answer = answer.and_then(|answer| {
        let complete = answer.verdicts.len() == task.goals.len()
            && answer.observed.len() == task.observe.len();
        if complete { Ok(answer) } else { Err(format!("engine {name}: some goals are unanswered")) }
    });
    let answer = answer.unwrap_or_else(|what| Answer::unknown(task, StopReason::Internal { what }));
    Run { engine: name, why, answer, seconds: start.elapsed().as_secs_f64() }
}
