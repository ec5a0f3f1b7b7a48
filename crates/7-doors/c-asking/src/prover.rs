//! Questions about a C program with its data, answered by proofs: invariants of its loops.
//!
//! Every proof is checked before anything is said: the graph of the program is made again, and another solver looks at
//! every step. Every run that is found is executed.

use crate::bounded::{Run, Searched, executed};
use crate::invariants;
use c_data::Check;
use check::{Budget, StopReason};
use engine_bounded::{Blocks, Goal, Inputs};
use engine_predicates::{Counts, Proof, Proved, Refusal};
use render::Invariant;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What this search is called.
pub(crate) const PDR: &str = "pdr";
pub(crate) const PREDICATES: &str = "predicates";

/// How it is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// By property-directed search, with guesses first.
    Directed,
    /// By guesses alone.
    Guesses,
}

/// What is known of a goal.
pub(crate) enum Verdict {
    /// No run comes there; the proof was checked.
    Proved(Arc<Vec<Invariant>>),
    /// A run comes there, and was executed.
    Reached(Inputs, c_run::Passes),
    /// Nobody knows.
    Unknown(StopReason),
}

/// Why a proof is none.
pub(crate) enum Refused {
    /// It does not prove what it is said to.
    Wrong(String),
    /// It is about something else than the program as it was read now.
    Other(String),
}

/// Answers about goals.
pub(crate) struct Answers {
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) counters: Vec<(String, u64)>,
    pub(crate) allocates: bool,
    /// It may read outside of objects.
    pub(crate) stray: bool,
}

/// Proves that goals are not reached, or finds runs to them.
pub(crate) fn goals(
    of: &Searched<'_>,
    goals: &[Goal],
    how: How,
    lines: usize,
    budget: &Budget,
) -> Answers {
    let program = of.data.program();
    let mut out =
        Answers { verdicts: Vec::new(), counters: Vec::new(), allocates: false, stray: false };
    let mut blocks = match engine_bounded::blocks(program, goals, None, budget) {
        Ok(blocks) => blocks,
        Err(reason) => {
            out.verdicts = goals.iter().map(|_| Verdict::Unknown(reason.clone())).collect();
            return out;
        }
    };
    (out.allocates, out.stray) = (blocks.allocates, blocks.stray);
    let mut counts = Counts::default();
    for goal in 0..goals.len() {
        let bads = blocks.bads(goal);
        let (found, took) = search(&mut blocks, &bads.all, how, budget);
        add(&mut counts, took);
        out.verdicts.push(match found {
            Proved::Unknown(reason) => Verdict::Unknown(reason),
            Proved::Safe(proof) => {
                match settled(&mut blocks, of, (goals, goal), None, &bads.all, proof, budget) {
                    Ok(proof) => Verdict::Proved(Arc::new(proof)),
                    Err(reason) => Verdict::Unknown(reason),
                }
            }
            Proved::Run(run) => match bads.reasons[run.bad].clone().or(blocks.inexact(&run, &bads))
            {
                Some(reason) => Verdict::Unknown(reason),
                None => {
                    let inputs = blocks.inputs(&run);
                    let run = Run::new(&inputs, lines);
                    let run = executed(program, (&goals[goal].points, None), run, budget);
                    match run.reached {
                        true => Verdict::Reached(inputs, run.passed),
                        false => Verdict::Unknown(refused()),
                    }
                }
            },
        });
    }
    out.counters = counters(&blocks, counts);
    out
}

/// Proves that no operation of a kind fails. None where nobody knows, or where one may.
pub(crate) fn operations(
    of: &Searched<'_>,
    check: Check,
    how: How,
    budget: &Budget,
) -> (Result<Arc<Vec<Invariant>>, StopReason>, Counters) {
    if let Check::Cleanup | Check::Uninitialised = check {
        let what = "of this question there are no proofs".to_owned();
        return (Err(StopReason::Unsupported { what }), Vec::new());
    }
    let program = of.data.program();
    let mut blocks = match engine_bounded::blocks(program, &[], Some(check), budget) {
        Ok(blocks) => blocks,
        Err(reason) => return (Err(reason), Vec::new()),
    };
    let bads = blocks.bads(0);
    let (found, counts) = search(&mut blocks, &bads.all, how, budget);
    let counters = counters(&blocks, counts);
    let found = match found {
        Proved::Unknown(reason) => Err(reason),
        Proved::Run(run) => Err(bads.reasons[run.bad].clone().unwrap_or_else(|| {
            let at = bads.operations[run.bad].map(|o| program.place(o.at(program)));
            let what = format!("{}: an operation may fail", at.unwrap_or_default());
            StopReason::Approximate { what }
        })),
        Proved::Safe(proof) => {
            let settled = settled(&mut blocks, of, (&[], 0), Some(check), &bads.all, proof, budget);
            settled.map(Arc::new)
        }
    };
    (found, counters)
}

/// Counters of effort.
pub(crate) type Counters = Vec<(String, u64)>;

/// How long a search may take before proofs are searched for beside it.
const HEAD_START: Duration = Duration::from_millis(150);

/// Searches and proves side by side. Each can make the other one superfluous.
pub(crate) fn beside<S, P: Send>(
    budget: &Budget,
    search: impl FnOnce(&Budget) -> S,
    prove: impl FnOnce(&Budget) -> P + Send,
    decides: impl Fn(&P) -> bool + Send,
    wants: impl Fn(&S) -> bool,
) -> (S, Option<P>) {
    let (stop_search, stop_proof): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
    let (searching, proving) = (budget.part(stop_search.clone()), budget.part(stop_proof.clone()));
    let stopped = stop_proof.clone();
    std::thread::scope(|scope| {
        let proof = scope.spawn(move || {
            let start = Instant::now();
            while start.elapsed() < HEAD_START {
                if stopped.load(Ordering::Relaxed) {
                    return None;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            let found = prove(&proving);
            if decides(&found) {
                stop_search.store(true, Ordering::Relaxed);
            }
            Some(found)
        });
        let found = search(&searching);
        if !wants(&found) {
            stop_proof.store(true, Ordering::Relaxed);
        }
        (found, proof.join().ok().flatten())
    })
}

/// Whether a proof may know what a search does not.
pub(crate) fn leaves_open(reason: &StopReason) -> bool {
    matches!(
        reason,
        StopReason::Bound { .. }
            | StopReason::Time { .. }
            | StopReason::Memory { .. }
            | StopReason::Steps { .. }
            | StopReason::Cancelled
    )
}

/// Why a run that was found is none.
fn refused() -> StopReason {
    let what = "a run that was found depends on what is not modelled exactly, or on what was never written";
    StopReason::Approximate { what: what.to_owned() }
}

fn search(
    blocks: &mut Blocks<'_>,
    bads: &[engine_predicates::Bad],
    how: How,
    budget: &Budget,
) -> (Proved, Counts) {
    match how {
        How::Directed => engine_predicates::prove(&mut blocks.graph, bads, budget),
        How::Guesses => engine_predicates::guess(&mut blocks.graph, bads, budget),
    }
}

fn add(counts: &mut Counts, took: Counts) {
    counts.levels = counts.levels.max(took.levels);
    counts.predicates += took.predicates;
    counts.lemmas += took.lemmas;
    counts.obligations += took.obligations;
    counts.questions += took.questions;
}

fn counters(blocks: &Blocks<'_>, counts: Counts) -> Vec<(String, u64)> {
    let words = blocks.graph.nodes.iter().map(|n| n.variables.len() as u64);
    let all = [
        ("statements", blocks.statements),
        ("cut points", blocks.graph.nodes.len() as u64 - 1),
        ("words", words.sum()),
        ("gates", blocks.graph.aig.len() as u64),
        ("levels", counts.levels),
        ("predicates", counts.predicates),
        ("lemmas", counts.lemmas),
        ("obligations", counts.obligations),
        ("questions", counts.questions),
    ];
    all.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// A proof without what is not needed, checked as it is told.
fn settled(
    blocks: &mut Blocks<'_>,
    of: &Searched<'_>,
    (goals, goal): (&[Goal], usize),
    check: Option<Check>,
    bads: &[engine_predicates::Bad],
    proof: Proof,
    budget: &Budget,
) -> Result<Vec<Invariant>, StopReason> {
    let proof = engine_predicates::shrink(&mut blocks.graph, bads, &proof, budget)?;
    let told = invariants::told(blocks, &proof);
    match checked(of, goals, goal, check, &told, budget)? {
        Ok(()) => Ok(told),
        Err(Refused::Other(what)) => {
            let what = format!("a proof was found, and could not be checked: {what}");
            Err(StopReason::Incomplete { what })
        }
        Err(Refused::Wrong(what)) => {
            Err(StopReason::Internal { what: format!("a proof was refused: {what}") })
        }
    }
}

/// Makes the graph of the program again and checks a proof on it.
pub(crate) fn checked(
    of: &Searched<'_>,
    goals: &[Goal],
    goal: usize,
    check: Option<Check>,
    told: &[Invariant],
    budget: &Budget,
) -> Result<Result<(), Refused>, StopReason> {
    let mut blocks = engine_bounded::blocks(of.data.program(), goals, check, budget)?;
    let bads = blocks.bads(goal);
    let proof = match invariants::read(&blocks, told) {
        Ok(proof) => proof,
        Err(what) => return Ok(Err(Refused::Other(what))),
    };
    match engine_predicates::check(&mut blocks.graph, &bads.all, &proof, budget) {
        Ok(()) => Ok(Ok(())),
        Err(Refusal::Stopped(reason)) => Err(reason),
        Err(Refusal::Wrong(what)) => Ok(Err(Refused::Wrong(what))),
    }
}
