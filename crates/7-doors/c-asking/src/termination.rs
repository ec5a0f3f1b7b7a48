//! Whether every run of a C program with its data ends.
//!
//! - TD1: that every run ends is said only with measures that get smaller on every way around, checked on a graph that
//!   is made again, together with the invariants that they rest on; and if nothing that is not followed can happen.
//! - TD2: that a run never ends is said only if it was executed until it was somewhere again in exactly the same state,
//!   with nothing undefined on the way; or if it was proved that nothing ends where all inputs are one number, and the
//!   run was executed for a while.
//! - TD3: a run that an assumption blocks is none; a failed assertion, `abort` and `exit` are ends.

use crate::bounded::{MAX_LINES, Searched, Silent};
use crate::invariants;
use crate::listing::listing;
use crate::prover::{How, PDR, PREDICATES, Refused};
use crate::tried::predictable;
use asking::{Judgement, Options};
use c_run::{Ending, Repeated};
use check::{Budget, StopReason};
use engine_bounded::{Bads, Blocks, Inputs};
use engine_predicates::{Bad, Graph, Proof, Proved, Ranked, Ranks, Refusal, Run};
use property::Property;
use render::{Invariant, Listing, Outcome, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Inputs that are tried without a reason, again and again.
const TRIED: [&[i128]; 14] = [
    &[0],
    &[1],
    &[-1],
    &[2],
    &[0, 1],
    &[1, 0],
    &[5],
    &[100],
    &[1, 2],
    &[1, 1, 0],
    &[0, 0, 1],
    &[2, 1],
    &[-2],
    &[1, 0, 0, 1, 1, 0, 1, 0, 2, 1, 0, 3],
];
/// Instructions of such a run, and of one that was found.
const SHORT: u64 = 400_000;
const LONG: u64 = 200_000_000;
/// Inputs with which a run may never end, and instructions for which it is executed then.
const CHOSEN: [i128; 6] = [0, 1, -1, 2, 5, 100];
const WHILE: u64 = 3_000_000;
/// Ways around of so many steps are asked for.
const AROUND: [usize; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 12];
/// What takes how much of the time that there is.
const TRYING: f64 = 0.1;
const INVARIANTS: f64 = 0.25;
const RANKING: f64 = 0.5;
const LASSOS: f64 = 0.35;
/// The time that there is where there is no limit.
const UNLIMITED: Duration = Duration::from_secs(3_600);

/// What is known.
pub(crate) enum Found {
    /// Every run ends; why.
    Ends(Arc<Vec<Invariant>>),
    /// A run never does.
    Never(Endless),
    /// Nobody knows.
    Unknown(StopReason),
}

/// A run that never ends, as it was executed.
pub(crate) struct Endless {
    repeated: Repeated,
    arguments: usize,
    passed: c_run::Passes,
    /// What holds at its loops, if it never repeats itself and was proved not to end.
    proved: Option<Arc<Vec<Invariant>>>,
}

/// The answer, and whether memory is allocated.
pub(crate) fn answer(
    of: &Searched<'_>,
    property: &Property,
    how: How,
    options: &Options,
    budget: &Budget,
) -> (Outcome, bool) {
    let start = Instant::now();
    let mut counters = Vec::new();
    let mut allocates = false;
    let done =
        input::caught("engine pdr", || found(of, how, budget, &mut counters, &mut allocates));
    let mut out = Outcome::unknown(property.clone(), StopReason::Cancelled);
    out.engine = match how {
        How::Directed => PDR,
        How::Guesses => PREDICATES,
    }
    .to_owned();
    out.why = "asked for by `--engine`".to_owned();
    out.seconds = start.elapsed().as_secs_f64();
    out.counters = counters;
    match done {
        Err(what) => out.stop_reason = Some(StopReason::Internal { what }),
        Ok(Found::Unknown(reason)) => out.stop_reason = Some(reason),
        Ok(Found::Ends(invariants)) => {
            (out.status, out.stop_reason) = (Status::Holds, None);
            out.invariants = Some(invariants);
        }
        Ok(Found::Never(run)) => {
            (out.status, out.stop_reason) = (Status::Violated, None);
            out.inputs = Some(Arc::new(given(of, &run)));
            if let Some(told) = &run.proved {
                let places = told.iter().filter(|i| !i.holds.is_empty());
                let named = places.map(|i| {
                    let all: Vec<&str> = i.holds.iter().map(|h| h.text.as_str()).collect();
                    format!("{}:{} in `{}`: {}", i.file, i.line, i.proc, all.join(" && "))
                });
                let named: Vec<String> = named.take(6).collect();
                let what =
                    "with these inputs nothing ends: it was proved, and executed for a while";
                out.warnings.push(match named.is_empty() {
                    true => what.to_owned(),
                    false => format!("{what}; {}", named.join("; ")),
                });
            } else if options.search.trace != check::TraceMode::None {
                out.trace = shown(of, &run, &mut out.warnings);
            }
        }
    }
    (out, allocates)
}

fn given(of: &Searched<'_>, run: &Endless) -> render::Inputs {
    let (first, again) = (&run.repeated.first, &run.repeated.again);
    let values = first.iter().chain(again).cloned().collect();
    let argc = Some(1 + run.arguments as u64);
    let mut out = of.given(&Inputs { values, argc, ..Inputs::default() });
    out.again = Some(again.len());
    out
}

/// The run as a list of lines with a loop.
fn shown(of: &Searched<'_>, run: &Endless, warnings: &mut Vec<String>) -> Option<Listing> {
    let passed = &run.passed;
    let mut out = listing(of, passed, warnings);
    let lines = run.repeated.lines as usize;
    let left_out = passed.left_out as usize;
    // Of a long run the middle is not listed.
    let start = match lines {
        n if n <= passed.first.len() => n,
        n if n >= passed.first.len() + left_out => n - left_out,
        _ => return None,
    };
    let last = out.steps.len().checked_sub(1)?;
    out.loop_start = Some(start.min(last));
    Some(out)
}

/// The graph in which all inputs are one number, and what must not happen there so that no run ends.
fn closed(blocks: &mut Blocks<'_>, cuts: &Bads, input: i128) -> (Graph, Vec<Bad>) {
    let chosen = blocks.chosen(input);
    let (mut graph, mut bads) = engine_predicates::closed(&blocks.graph, &chosen);
    for cut in &cuts.all {
        let guard = graph.aig.and(cut.guard, chosen[cut.node]);
        bads.push(Bad { node: cut.node, guard });
    }
    (graph, bads)
}

/// A run that gets one number again and again and never ends, whatever else happens: proved, and executed for a
/// while. TD2.
fn endless(
    of: &Searched<'_>,
    blocks: &mut Blocks<'_>,
    cuts: &Bads,
    budget: &Budget,
) -> Option<Endless> {
    for &input in &CHOSEN {
        budget.poll().ok()?;
        if !lasts(of.data.program(), input, budget) {
            continue;
        }
        let (mut graph, bads) = closed(blocks, cuts, input);
        let (found, _) =
            for_a_while(budget, 0.3, |b| engine_predicates::prove(&mut graph, &bads, b));
        let Proved::Safe(proof) = found else { continue };
        let told = invariants::told(blocks, &proof);
        if let Ok(Ok(())) = closed_again(of, input, &told, budget) {
            let name = inputs_of(of.data.program()).unwrap_or_default();
            let again = if name.is_empty() { Vec::new() } else { vec![(name, input)] };
            let repeated = Repeated { again, ..Repeated::default() };
            let passed = c_run::Passes::default();
            return Some(Endless { repeated, arguments: 0, passed, proved: Some(Arc::new(told)) });
        }
    }
    None
}

/// The function that hands out inputs, if there is one.
fn inputs_of(program: &c_data::Program) -> Option<String> {
    let names = program.functions.iter().map(|f| &f.name);
    names.filter(|name| name.starts_with("__VERIFIER_nondet_")).min().cloned()
}

/// Whether a run that gets one number again and again goes on for a long time, and meets nothing undefined.
fn lasts(program: &c_data::Program, input: i128, budget: &Budget) -> bool {
    if !predictable(program) {
        return false;
    }
    let options = c_run::Options {
        repeats: Some(vec![input]),
        max_steps: Some(WHILE),
        ..c_run::Options::default()
    };
    let outcome = c_run::run(program, &options, &mut Silent { budget, stdin: Vec::new(), read: 0 });
    matches!(outcome.ending, Ending::Limit(_)) && outcome.undefined.is_empty()
}

/// Checks on a graph that is made again that a run that gets one number again and again never ends.
fn closed_again(
    of: &Searched<'_>,
    input: i128,
    told: &[Invariant],
    budget: &Budget,
) -> Result<Result<(), Refused>, StopReason> {
    let mut blocks = engine_bounded::blocks_of_endings(of.data.program(), budget)?;
    let cuts = blocks.endings();
    let proof = match invariants::read(&blocks, told) {
        Ok(proof) => proof,
        Err(what) => return Ok(Err(Refused::Other(what))),
    };
    let (mut graph, bads) = closed(&mut blocks, &cuts, input);
    match engine_predicates::check(&mut graph, &bads, &proof, budget) {
        Ok(()) => Ok(Ok(())),
        Err(Refusal::Stopped(reason)) => Err(reason),
        Err(Refusal::Wrong(what)) => Ok(Err(Refused::Wrong(what))),
    }
}

/// Executes a run that is to repeat itself.
pub(crate) fn repeats(
    program: &c_data::Program,
    (arguments, first, again): (usize, Vec<i128>, Vec<i128>),
    (steps, lines): (u64, usize),
    budget: &Budget,
) -> Option<Endless> {
    // TD2.
    if !predictable(program) {
        return None;
    }
    let options = c_run::Options {
        args: Inputs { argc: Some(1 + arguments as u64), ..Inputs::default() }.argv(),
        inputs: first,
        repeats: Some(again),
        max_steps: Some(steps),
        lines,
        ..c_run::Options::default()
    };
    let outcome = c_run::run(program, &options, &mut Silent { budget, stdin: Vec::new(), read: 0 });
    let Ending::Repeated(repeated) = outcome.ending else { return None };
    // TD2.
    let plain = outcome.undefined.is_empty();
    plain.then_some(Endless { repeated, arguments, passed: outcome.passed, proved: None })
}

fn numbers(values: &[(String, i128)]) -> Vec<i128> {
    values.iter().map(|(_, value)| *value).collect()
}

/// The same run again, with its lines.
fn again(program: &c_data::Program, run: &Endless, budget: &Budget) -> Option<Endless> {
    let inputs = (numbers(&run.repeated.first), numbers(&run.repeated.again));
    let with = (run.arguments, inputs.0, inputs.1);
    repeats(program, with, (LONG, MAX_LINES), budget)
}

/// Does something for a part of the time that is left.
fn for_a_while<T>(budget: &Budget, part: f64, work: impl FnOnce(&Budget) -> T) -> T {
    let left = budget.limits().time.unwrap_or(UNLIMITED).saturating_sub(budget.elapsed());
    let (stop, done): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
    let limited = budget.part(stop.clone());
    std::thread::scope(|scope| {
        let over = done.clone();
        scope.spawn(move || {
            let start = Instant::now();
            while !over.load(Ordering::Relaxed) {
                if start.elapsed() >= left.mul_f64(part) {
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        // Even if it panics, nobody waits.
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&limited)));
        done.store(true, Ordering::Relaxed);
        match found {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn found(
    of: &Searched<'_>,
    how: How,
    budget: &Budget,
    counters: &mut Vec<(String, u64)>,
    allocates: &mut bool,
) -> Found {
    let program = of.data.program();
    if !of.data.has_main() {
        let what = "there is no function `main`".to_owned();
        return Found::Unknown(StopReason::Unsupported { what });
    }
    let tried = for_a_while(budget, TRYING, |budget| {
        TRIED.iter().find_map(|inputs| {
            budget.poll().ok()?;
            let with = (0, Vec::new(), inputs.to_vec());
            repeats(program, with, (SHORT, 0), budget)
        })
    });
    if let Some(run) = tried.and_then(|run| again(program, &run, budget)) {
        return Found::Never(run);
    }
    let mut blocks = match engine_bounded::blocks_of_endings(program, budget) {
        Ok(blocks) => blocks,
        Err(reason) => return Found::Unknown(reason),
    };
    *allocates = blocks.allocates;
    *counters = counted(&blocks);
    let bads = blocks.endings();
    let (proof, followed) = match invariant(&mut blocks, &bads, how, budget) {
        Ok(found) => found,
        Err(reason) => return Found::Unknown(reason),
    };
    let ranked = for_a_while(budget, RANKING, |b| {
        engine_predicates::rank(&mut blocks.graph, &proof.clauses, b)
    });
    let open = match (ranked, &followed) {
        (Ok(Ranked::Ranks(ranks)), None) => {
            let proof = match needed(&mut blocks, &bads, &proof, &ranks, budget) {
                Ok(proof) => proof,
                Err(reason) => return Found::Unknown(reason),
            };
            let told = invariants::told_with(&blocks, &proof, &ranks);
            return match checked(of, &told, budget) {
                Ok(Ok(())) => Found::Ends(Arc::new(told)),
                Ok(Err(Refused::Other(what))) => {
                    let what = format!("a proof was found, and could not be checked: {what}");
                    Found::Unknown(StopReason::Incomplete { what })
                }
                Ok(Err(Refused::Wrong(what))) => {
                    let what = format!("a proof was refused: {what}");
                    Found::Unknown(StopReason::Internal { what })
                }
                Err(reason) => Found::Unknown(reason),
            };
        }
        // What is followed ends.
        (Ok(Ranked::Ranks(_)), Some(reason)) => return Found::Unknown(reason.clone()),
        (Ok(Ranked::Open(places)), _) => places,
        (Err(_), _) => Vec::new(),
    };
    if let Some(run) = for_a_while(budget, LASSOS, |b| lasso(of, &mut blocks, how, b)) {
        return Found::Never(run);
    }
    if how == How::Directed
        && let Some(run) = endless(of, &mut blocks, &bads, budget)
    {
        return Found::Never(run);
    }
    if let Err(reason) = budget.poll() {
        return Found::Unknown(reason);
    }
    Found::Unknown(followed.unwrap_or_else(|| {
        let names: Vec<&str> =
            open.iter().take(3).map(|&n| blocks.graph.nodes[n].name.as_str()).collect();
        let at = match names.is_empty() {
            true => String::new(),
            false => format!("{}: ", names.join(", ")),
        };
        let what = format!(
            "{at}nothing was found that gets smaller in each round, nor a run that repeats itself"
        );
        StopReason::Incomplete { what }
    }))
}

/// The part of an invariant that is needed.
fn needed(
    blocks: &mut Blocks<'_>,
    bads: &Bads,
    proof: &Proof,
    ranks: &Ranks,
    budget: &Budget,
) -> Result<Proof, StopReason> {
    let internal = |what| StopReason::Internal { what };
    let mut all = bads.all.clone();
    let steps = engine_predicates::not_descending(&mut blocks.graph, ranks);
    all.extend(steps.map_err(internal)?);
    engine_predicates::shrink(&mut blocks.graph, &all, proof, budget)
}

/// An invariant, and why not all runs are followed where it holds, if that is so.
fn invariant(
    blocks: &mut Blocks<'_>,
    bads: &Bads,
    how: How,
    budget: &Budget,
) -> Result<(Proof, Option<StopReason>), StopReason> {
    let facts = engine_predicates::facts(&mut blocks.graph, budget)?;
    if bads.all.is_empty() {
        return Ok((facts, None));
    }
    match engine_predicates::check(&mut blocks.graph, &bads.all, &facts, budget) {
        Ok(()) => return Ok((facts, None)),
        Err(Refusal::Stopped(reason)) => return Err(reason),
        Err(Refusal::Wrong(_)) if how == How::Guesses => {
            let reason = bads.reasons.iter().flatten().next().cloned();
            return Ok((facts, Some(reason.unwrap_or(StopReason::Cancelled))));
        }
        Err(Refusal::Wrong(_)) => {}
    }
    let (found, _) = for_a_while(budget, INVARIANTS, |b| {
        engine_predicates::prove(&mut blocks.graph, &bads.all, b)
    });
    Ok(match found {
        Proved::Safe(proof) => (proof, None),
        Proved::Run(run) => (facts, bads.reasons[run.bad].clone()),
        Proved::Unknown(reason) => {
            budget.poll()?;
            let first = bads.reasons.iter().flatten().next().cloned();
            (facts, Some(first.unwrap_or(reason)))
        }
    })
}

/// A run to a state that comes back, executed.
fn lasso(of: &Searched<'_>, blocks: &mut Blocks<'_>, how: How, budget: &Budget) -> Option<Endless> {
    if how == How::Guesses {
        return None;
    }
    for length in AROUND {
        let found = engine_predicates::lassos(&mut blocks.graph, length);
        let bads: Vec<engine_predicates::Bad> = found.iter().map(|l| l.bad).collect();
        if bads.is_empty() {
            continue;
        }
        budget.poll().ok()?;
        let (proved, _) =
            for_a_while(budget, 0.5, |b| engine_predicates::prove(&mut blocks.graph, &bads, b));
        let Proved::Run(run) = proved else { continue };
        let lasso = &found[run.bad];
        let steps = lasso.steps(&blocks.graph, run.inputs.last()?);
        let count = run.edges.len();
        let mut inputs = run.inputs[..count].to_vec();
        let first = Run { edges: run.edges.clone(), bad: 0, inputs: inputs.clone() };
        inputs.extend(steps);
        let edges = run.edges.iter().chain(&lasso.edges).copied().collect();
        let whole = Run { edges, bad: 0, inputs };
        let (first, whole) = (blocks.inputs(&first), blocks.inputs(&whole));
        let cycle = numbers(&whole.values[first.values.len()..]);
        let with = (whole.argv().len() - 1, numbers(&first.values), cycle);
        if let Some(run) = repeats(of.data.program(), with, (LONG, MAX_LINES), budget) {
            return Some(run);
        }
    }
    None
}

fn counted(blocks: &Blocks<'_>) -> Vec<(String, u64)> {
    let words = blocks.graph.nodes.iter().map(|n| n.variables.len() as u64);
    let all = [
        ("statements", blocks.statements),
        ("cut points", blocks.graph.nodes.len() as u64 - 1),
        ("words", words.sum()),
        ("gates", blocks.graph.aig.len() as u64),
    ];
    all.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The number that all inputs are; any, if there are none.
fn constant(program: &c_data::Program, again: &[(String, i128)]) -> Option<i128> {
    match again {
        [] => inputs_of(program).is_none().then_some(0),
        [(_, one)] => Some(*one),
        _ => None,
    }
}

/// Whether a run repeats itself with these inputs.
pub(crate) fn replayed(of: &Searched<'_>, inputs: &render::Inputs, budget: &Budget) -> Judgement {
    let Some(again) = inputs.again.filter(|&n| n <= inputs.values.len()) else {
        return Judgement::Refused("which inputs come again and again is not told".to_owned());
    };
    let (first, again) = inputs.values.split_at(inputs.values.len() - again);
    let with = (inputs.arguments, numbers(first), numbers(again));
    // One number again and again may be a run that never repeats itself, and never ends: that is proved again.
    if let (None, Some(input)) = (first.first(), constant(of.data.program(), again)) {
        let proved = || {
            let mut blocks = engine_bounded::blocks_of_endings(of.data.program(), budget).ok()?;
            let cuts = blocks.endings();
            let (mut graph, bads) = closed(&mut blocks, &cuts, input);
            let (found, _) = engine_predicates::prove(&mut graph, &bads, budget);
            let Proved::Safe(proof) = found else { return None };
            engine_predicates::check(&mut graph, &bads, &proof, budget).ok()
        };
        let lasts = lasts(of.data.program(), input, budget);
        if lasts && proved().is_some() {
            return Judgement::Accepted;
        }
    }
    match repeats(of.data.program(), with, (LONG, 0), budget) {
        Some(_) => Judgement::Accepted,
        None => match budget.poll() {
            Ok(()) => {
                Judgement::Refused("with these inputs the run does not repeat itself".to_owned())
            }
            Err(reason) => Judgement::Unknown(reason.to_string()),
        },
    }
}

/// Makes the graph of the program again and checks a proof on it. TD1.
pub(crate) fn checked(
    of: &Searched<'_>,
    told: &[Invariant],
    budget: &Budget,
) -> Result<Result<(), Refused>, StopReason> {
    let mut blocks = engine_bounded::blocks_of_endings(of.data.program(), budget)?;
    let bads = blocks.endings();
    let read = invariants::read(&blocks, told);
    let (proof, ranks) = match (read, invariants::read_ranks(&blocks, told)) {
        (Ok(proof), Ok(ranks)) => (proof, ranks),
        (Err(what), _) | (_, Err(what)) => return Ok(Err(Refused::Other(what))),
    };
    match engine_predicates::check_ends(&mut blocks.graph, &bads.all, &proof, &ranks, budget) {
        Ok(()) => Ok(Ok(())),
        Err(Refusal::Stopped(reason)) => Err(reason),
        Err(Refusal::Wrong(what)) => Ok(Err(Refused::Wrong(what))),
    }
}
