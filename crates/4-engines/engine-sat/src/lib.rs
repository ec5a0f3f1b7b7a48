//! Reachability by summaries that are formulas: for programs with many variables, where decision
//! diagrams grow too large.
//!
//! A symbolic state is a vector of functions of *choice variables* and a guard ([sat §3]); sharing
//! one and-inverter graph, thousands of variables cost what is computed from them. [`Qbf`] finds
//! summaries for the entries that are reached, and decides by quantified formulas when nothing new is
//! found, or leaves that to universal summaries where its own multiply. [`Universal`] unrolls procedures that are not recursive once, for every entry, and leaves
//! the rest to the first algorithm ([sat §4]). Both answer reach goals exactly, for any recursion
//! depth, and questions about runs without end as reachability of a loop (`lassos.rs`). With [`Options::bound`]
//! they unroll the program so far and no further.
//!
//! ```
//! use check::{Budget, Engine, Goal, Target, Task, Verdict};
//! use engine_sat::{Qbf, Universal};
//! use ir::{Init, ProgramBuilder, Rel, Type};
//! use std::sync::Arc;
//!
//! // decl g;  void main() begin  assume(g);  g := !g;  assume(g);  R: skip;  end
//! let mut b = ProgramBuilder::new();
//! let at = b.no_origin();
//! let g = b.global("g", Type::BOOL, at);
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let n: Vec<_> = (0..4).map(|_| b.statement(at)).collect();
//! b.entry(main, n[0]);
//! let read = b.exprs.pre(g);
//! let negated = b.exprs.not(read);
//! b.step(n[0], n[1], Rel::guarded(read, 0));
//! b.step(n[1], n[2], Rel::assign([(g, Some(negated))], 0));
//! b.step(n[2], n[3], Rel::guarded(read, 0));
//! let program = Arc::new(b.finish(main, Init::default()));
//!
//! let goals = vec![Goal::Reach(vec![Target::at(n[2])]), Goal::Reach(vec![Target::at(n[3])])];
//! let task = Task::new(program, goals);
//! for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
//!     let answer = engine.run(&task, &Budget::unlimited());
//!     assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
//!     assert!(matches!(answer.verdicts[1], Verdict::Holds(Some(_))));
//! }
//! ```
//!
//! Not for: shortest traces (a trace is any run), and programs with few
//! bits or long counters, on which diagrams and enumeration are faster.

mod bounded;
mod export;
mod lassos;
mod paths;
mod search;
mod traces;
mod universal;

use check::{Answer, Budget, Engine, Goal, Stats, StopReason, Task, TraceMode, Verdict};
use export::Export;
use search::Search;
use std::fmt;
use std::sync::Arc;

/// Decides a formula in QDIMACS; `None` if it cannot. See [`logic::run_solver`].
pub type External = Arc<dyn Fn(&str) -> Option<bool> + Send + Sync>;

/// What both engines can be told.
#[derive(Clone)]
pub struct Options {
    /// Unroll the program for so many edges, calls inlined, and answer from that alone: goals that
    /// are not reached are `unknown` if some run is longer.
    pub bound: Option<u32>,
    /// Gates of a universal summary; a procedure with a larger one gets QBF summaries instead.
    pub summary_limit: usize,
    /// Refinements of one QBF question; beyond it the answer is "not subsumed", which may cost
    /// time, but never the right verdict.
    pub refinements: u64,
    /// Another QBF solver. Where it gives no answer, the built-in one is asked.
    pub external: Option<External>,
}

impl Default for Options {
    fn default() -> Self {
        Options { bound: None, summary_limit: 20_000, refinements: 2_000, external: None }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("bound", &self.bound)
            .field("summary_limit", &self.summary_limit)
            .field("refinements", &self.refinements)
            .field("external", &self.external.is_some())
            .finish()
    }
}

/// QBF summaries ([sat §3]).
#[derive(Clone, Debug, Default)]
pub struct Qbf {
    /// What it can be told.
    pub options: Options,
}

/// Universal summaries, and QBF summaries for the rest ([sat §4]).
#[derive(Clone, Debug, Default)]
pub struct Universal {
    /// What it can be told.
    pub options: Options,
}

impl Engine for Qbf {
    fn name(&self) -> &'static str {
        "qbf"
    }
    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        run(task, &self.options, false, budget)
    }
}

impl Engine for Universal {
    fn name(&self) -> &'static str {
        "universal"
    }
    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        run(task, &self.options, true, budget)
    }
}

fn run(task: &Task, options: &Options, universal: bool, budget: &Budget) -> Answer {
    if task.goals.iter().any(|g| matches!(g, Goal::Repeat { .. })) {
        return without_end(task, options, universal, budget);
    }
    let answer = match options.bound {
        Some(bound) => bounded::answer(task, options, bound, budget),
        None => answer(task, options, universal, budget),
    };
    answer.unwrap_or_else(|reason| Answer::unknown(task, reason))
}

/// Goals about runs without end, one after the other.
fn without_end(task: &Task, options: &Options, universal: bool, budget: &Budget) -> Answer {
    let none = || StopReason::Unsupported { what: "runs without end have no sets".to_owned() };
    let mut out = Answer::unknown(task, none());
    if task.wants.all_nodes || !task.observe.is_empty() {
        out.incomplete = Some(none());
    }
    for (verdict, goal) in out.verdicts.iter_mut().zip(&task.goals) {
        let Goal::Repeat { marks } = *goal else { continue };
        if options.bound.is_none()
            && let Some(holds) = never_taken(task, marks, options, universal, budget)
        {
            *verdict = holds;
            continue;
        }
        let one = lassos::Remembering::new(task, marks);
        let answer = run(&one.task, options, universal, budget);
        *verdict = match answer.verdicts.into_iter().next() {
            Some(Verdict::Violated(Some(trace))) => match one.lasso(&trace) {
                Ok(lasso) => Verdict::Violated(Some(Box::new(lasso))),
                Err(reason) => Verdict::Unknown(reason),
            },
            // What is claimed of the new program is no proof about the old one.
            Some(Verdict::Holds(_)) => Verdict::Holds(None),
            Some(other) => other,
            None => continue,
        };
        for (name, value) in answer.stats.counters {
            out.stats.add(name, value);
        }
    }
    // Places that are reached, asked beside them.
    let reach: Vec<usize> =
        (0..task.goals.len()).filter(|&i| matches!(task.goals[i], Goal::Reach(_))).collect();
    if !reach.is_empty() {
        let goals = reach.iter().map(|&i| task.goals[i].clone()).collect();
        let part = Task { goals, observe: Vec::new(), ..task.clone() };
        let answer = run(&part, options, universal, budget);
        for (&i, verdict) in reach.iter().zip(answer.verdicts) {
            out.verdicts[i] = verdict;
        }
    }
    out
}

/// `Holds`, if edges with one of the first marks are never taken.
fn never_taken(
    task: &Task,
    marks: u32,
    options: &Options,
    universal: bool,
    budget: &Budget,
) -> Option<Verdict> {
    for mark in 0..marks.min(FEW_MARKS) {
        let once = lassos::taken_once(task, mark);
        let answer = run(&once, options, universal, budget);
        if let Some(Verdict::Holds(_)) = answer.verdicts.first() {
            return Some(Verdict::Holds(None));
        }
    }
    None
}

/// So many marks are looked at one by one before a loop is looked for.
const FEW_MARKS: u32 = 3;

/// What is granted at first to summaries for the entries that are reached, before universal ones are tried.
const FIRST_EFFORT: u64 = 2_000;

/// Summaries for the entries that are reached can multiply where one for all entries is small: each call of each caller
/// brings another entry. So both ways are tried in turns, with four times as much each time, which costs a few times
/// what the better one does, whichever that is.
fn answer(
    task: &Task,
    options: &Options,
    universal: bool,
    budget: &Budget,
) -> Result<Answer, StopReason> {
    let alone = universal || !Search::new(task, options, budget).has_unrollable();
    let mut effort = if alone { u64::MAX } else { FIRST_EFFORT };
    loop {
        for way in [universal, true] {
            if let Some(answer) = attempt(task, options, way, effort, budget)? {
                return Ok(answer);
            }
        }
        effort = effort.saturating_mul(4);
    }
}

/// The answer; none if that takes more than `effort`.
fn attempt(
    task: &Task,
    options: &Options,
    universal: bool,
    effort: u64,
    budget: &Budget,
) -> Result<Option<Answer>, StopReason> {
    budget.poll()?;
    let mut search = Search::new(task, options, budget);
    search.most_effort = effort;
    let outcome = match universal {
        true => search.unroll_all(),
        false => Ok(Default::default()),
    };
    if search.is_spent() {
        return Ok(None);
    }
    let outcome = outcome?;
    // Traces are not shortest in any case: the search may end when every goal is reached.
    let wants_all = task.wants.all_nodes || !task.observe.is_empty();
    let stopped = search.run(!wants_all).err();
    if stopped.is_some() && search.is_spent() {
        return Ok(None);
    }
    search.most_effort = u64::MAX;
    if let Some(reason) = &stopped {
        // What was reached before is reached all the same.
        let any = search.found.iter().any(Option::is_some);
        let internal = matches!(reason, StopReason::Internal { .. });
        if !any || internal || !budget.grant(check::MOMENT) {
            return Err(reason.clone());
        }
    }

    let mut answer = Answer::unknown(task, stopped.clone().unwrap_or(StopReason::Cancelled));
    let found = search.found.clone();
    for (goal, hit) in found.iter().enumerate() {
        let Some(hit) = hit else { continue };
        answer.verdicts[goal] = match task.wants.trace {
            TraceMode::None => Verdict::Violated(None),
            // A reached goal without its trace is no answer: there would be nothing to show.
            _ => match search.trace(goal, hit) {
                Ok(trace) => Verdict::Violated(Some(Box::new(trace))),
                Err(reason) => Verdict::Unknown(reason),
            },
        };
    }
    if stopped.is_some() {
        answer.stats = stats(&search);
        return Ok(Some(answer));
    }
    let held = found.iter().any(Option::is_none);
    let proof = held && task.wants.certificate;
    // What is not wanted for the verdict may be given up.
    let instantiated = if wants_all || proof { search.instantiate() } else { Ok(false) };
    if wants_all {
        let too_large = || "its summaries are too large to say what is reached".to_owned();
        answer.incomplete = match &instantiated {
            Ok(true) => None,
            Ok(false) => Some(StopReason::Unsupported { what: too_large() }),
            Err(reason) => Some(reason.clone()),
        };
    }
    let complete = instantiated.unwrap_or(false);
    let mut certificate = None;
    if complete {
        let mut export = Export::new(&search.context, budget);
        for (i, observation) in task.observe.iter().enumerate() {
            let set = search.observe(observation, &mut export, &mut answer.sets);
            answer.observed[i] = *set.as_ref().unwrap_or(&None);
            if answer.observed[i].is_none() {
                let what = "the set of states is too large to be written down".to_owned();
                let reason = set.err().unwrap_or(StopReason::Unsupported { what });
                answer.incomplete.get_or_insert(reason);
            }
        }
        if task.wants.all_nodes {
            answer.reached = Some(search.kept.iter().map(|k| !k.is_empty()).collect());
        }
        if proof {
            certificate = search.certificate().unwrap_or(None).map(Arc::new);
        }
    }
    for (goal, hit) in found.iter().enumerate() {
        if hit.is_none() {
            answer.verdicts[goal] = Verdict::Holds(certificate.clone());
        }
    }
    answer.stats = stats(&search);
    if universal {
        answer.stats.add("universal_summaries", outcome.universal);
        answer.stats.add("too_large_summaries", outcome.too_large);
        answer.stats.add("recurrence_diameter", outcome.rounds);
    }
    Ok(Some(answer))
}

fn stats(search: &Search<'_>) -> Stats {
    let mut stats = Stats::default();
    let decide = search.decider.stats;
    stats.add("paths", search.paths.len() as u64);
    stats.add("merges", search.effort.merges);
    stats.add("selectors", search.effort.selectors);
    stats.add("subsumed", search.effort.dropped);
    stats.add("reduced", search.effort.reduced);
    stats.add("gates", search.aig.len() as u64);
    stats.add("choices", search.aig.input_count() as u64);
    stats.add("sat_questions", decide.questions);
    stats.add("sat_calls", decide.sat_calls + search.qbf.sat_calls);
    stats.add("qbf_calls", search.qbf.calls);
    stats.add("qbf_refinements", search.qbf.refinements);
    stats.add("qbf_undecided", search.qbf.undecided);
    stats
}
