//! What a report may claim.
//!
//! An engine answers about the program that it was given. Whether the user's program has the same answer is
//! judged here, for all questions in one place:
//!
//! - what was left out may do anything, so that nothing is said of all runs ([`check`], [`states`], [`stacks`]);
//! - an answer about nothing says so (`crate::vacuous`);
//! - what the answers take for granted stands beside them (`crate::granted`).

use crate::refined::{is_large, refined};
use crate::{granted, vacuous};
use asking::{EngineChoice, Options, Watch};
use c_asking::of_data;
use check::StopReason;
use findings::rule_name;
use input::{CProgram, Error};
use property::Property;
use render::{Extent, Outcome, Report, Stacks, States, Status};
use sets::{Runs, StackQuestion, Whole};
use source::SourceFile;
use std::sync::Arc;

/// Answers the questions about the program; with none, the default ones.
///
/// Every trace is replayed on the program as it was loaded. A trace or certificate that is refused,
/// engines that disagree and panics make the answer `unknown` with an internal stop reason. Where a part of
/// the program was left out, no answer speaks of all runs, unless that is allowed
/// ([`Options::allow_incomplete`]).
pub fn check(
    files: &[Arc<SourceFile>],
    properties: &[Property],
    options: &Options,
    watch: &Watch,
) -> Result<Report, Error> {
    one_main(options)?;
    watch.so_far.about(options.input.c.as_ref());
    let operations = properties.iter().find_map(|p| match p {
        Property::Operations { kind } => Some(kind.word()),
        _ => None,
    });
    match (options.search.engine, operations) {
        (engine, asked)
            if engine.is_of_data() || engine == EngineChoice::Auto && asked.is_some() =>
        {
            let mut report = c_asking::search(files, properties, options, watch)?;
            settle(&mut report, properties, options);
            return Ok(report);
        }
        (_, None) => {}
        (_, Some(flag)) => {
            return Err(Error::Usage(format!(
                "`--{flag}` is about C's data, which only the engine bounded sees; leave out `--engine`"
            )));
        }
    }
    if options.search.engine == EngineChoice::Auto && options.input.data.is_some() {
        watch.so_far.asks_data();
    }
    let mut report = crate::by_engines::answer(files, properties, options, watch)?;
    if options.search.engine == EngineChoice::Auto {
        let again = |report: &Report| refined(report, files, properties, options, watch);
        let first = is_large(options);
        let before = (!first).then(|| report.clone());
        match first.then(|| again(&report)).flatten() {
            Some(better) => report = better,
            None => c_asking::with_data(&mut report, files, options, watch)?,
        }
        let open = |o: &Outcome| o.status == Status::Unknown;
        if let Some(before) = before.filter(|_| report.results.iter().any(open))
            && let Some(better) = again(&before)
        {
            report = better;
        }
    }
    if let Some(wanted) = options.search.confidence {
        c_asking::judge(&mut report, files, options, watch);
        c_asking::hide(&mut report, wanted);
        if options.search.trace == check::TraceMode::None {
            let found = report.results.iter_mut().chain(&mut report.suppressed);
            found.filter(|o| o.finding.is_some()).for_each(|o| o.trace = None);
        }
    }
    settle(&mut report, properties, options);
    Ok(report)
}

/// Labels that are asked for where no question is.
const LABELS: [&str; 2] = [property::DEFAULT_LABEL, "ERROR"];

/// What is asked of a C program where nothing is: can an assertion fail, if there is one, and is a label that
/// stands for an error reachable?
pub fn c_defaults(c: &CProgram) -> Vec<Property> {
    let s = c.skeleton();
    let has_label = |label: &str| s.bodies.iter().any(|b| b.labels.iter().any(|(l, _)| l == label));
    let labels = LABELS.into_iter().filter(|label| has_label(label)).map(Property::reach);
    let fails = |call: &front_c::Call| {
        let name = |f: &front_c::FuncId| s.funcs[f.index()].name.as_str();
        call.targets.iter().any(|f| front_c::is_failed_assertion(name(f)))
    };
    let mut points = s.bodies.iter().flat_map(|b| &b.points);
    let asserts = points.any(|p| matches!(&p.flow, front_c::Flow::Call(call) if fails(call)));
    asserts.then_some(Property::Assert).into_iter().chain(labels).collect()
}

/// Makes a report say no more than is known.
pub(crate) fn settle(report: &mut Report, asked: &[Property], options: &Options) {
    let operations = asked.iter().any(|p| matches!(p, Property::Operations { .. }));
    let bounded = options.search.engine.is_of_data() || operations;
    if let (true, Some(c)) = (bounded, &options.input.c) {
        let extent = c.extent(options.input.allow_incomplete);
        settle_extent(&mut report.results, &extent);
        report.claims.read = Some(extent);
        return;
    }
    let by_default = asked.is_empty() && report.results.len() > 1;
    for outcome in &mut report.results {
        let reason = vacuous::assertions(&outcome.property, &report.program);
        outcome.vacuous.extend(reason.filter(|_| !by_default));
    }
    let Some(c) = &options.input.c else { return };
    let of_skeleton = |o: &Outcome| rule_name(o).is_none() && !of_data(&o.engine);
    if report.results.iter().any(|o| !of_data(&o.engine)) {
        let granted = granted::granted(c, report, options);
        report.claims.granted.splice(0..0, granted);
    }
    let program = &report.program;
    // A rule tells what its findings assume by itself, and what was executed assumes nothing.
    for outcome in report.results.iter_mut().filter(|o| of_skeleton(o)) {
        outcome.assumes =
            outcome.trace.as_mut().map(|t| granted::assumed(c.skeleton(), program, t));
    }
    vacuous::rules(report, c);
    report.claims.idle = vacuous::remarks(report);
    let extent = c.extent(options.input.allow_incomplete);
    if let Some(reason) = incomplete(&extent) {
        report.results.iter_mut().for_each(|outcome| open(outcome, &reason));
    }
    report.claims.read = Some(extent);
}

/// Opens answers that speak of all runs where something was left out.
pub(crate) fn settle_extent(results: &mut [Outcome], extent: &Extent) {
    if let Some(reason) = incomplete(extent) {
        results.iter_mut().for_each(|outcome| open(outcome, &reason));
    }
}

/// Why nothing can be said of all runs, if something was left out.
fn incomplete(extent: &Extent) -> Option<StopReason> {
    let what = || format!("{}; `--allow-incomplete` answers about the rest", extent.counted());
    extent.forbids_claims().then(|| StopReason::Incomplete { what: what() })
}

/// An answer that speaks of all runs becomes none. That some statements are dead does, too.
fn open(outcome: &mut Outcome, reason: &StopReason) {
    let all = matches!(outcome.status, Status::Holds | Status::Unreachable);
    if !all && (outcome.property != Property::ReachAll || outcome.status == Status::Unknown) {
        return;
    }
    outcome.status = Status::Unknown;
    outcome.stop_reason = Some(reason.clone());
    outcome.statements = None;
    outcome.certificate = None;
    outcome.proof = None;
    outcome.invariants = None;
    outcome.vacuity = None;
}

/// The exact set of valuations of the named variables (of all in scope, if none is named) with
/// which control comes to the statements at `at`: on runs of the program, on runs from some
/// configurations, or such that a run from there leads to some configurations. Of a program that is not
/// whole, what is known is a part of it, and there is a stop reason.
pub fn states(
    files: &[Arc<SourceFile>],
    at: &str,
    vars: &[String],
    runs: &Runs,
    options: &Options,
    watch: &Watch,
) -> Result<States, Error> {
    one_main(options)?;
    let mut states = sets::states(files, at, vars, runs, options, watch)?;
    let reason = options
        .input
        .c
        .as_ref()
        .and_then(|c| incomplete(&c.extent(options.input.allow_incomplete)));
    if let Some(reason) = reason.filter(|_| states.stop_reason.is_none()) {
        states.places.retain(|place| place.reachable);
        states.stop_reason = Some(reason);
    }
    Ok(states)
}

/// Answers a question about stacks. Of a program that is not whole, it is not said that a stack is not
/// reached.
pub fn stacks(
    files: &[Arc<SourceFile>],
    question: &StackQuestion,
    options: &Options,
    watch: &Watch,
) -> Result<Stacks, Error> {
    one_main(options)?;
    Ok(as_far_as_read(sets::stacks(files, question, options, watch)?, options))
}

/// The P-automaton of what is reached, or of what leads to a set. Of a program that is not whole there is none.
pub fn whole_automaton(
    files: &[Arc<SourceFile>],
    whole: &Whole,
    options: &Options,
    watch: &Watch,
) -> Result<Stacks, Error> {
    one_main(options)?;
    Ok(as_far_as_read(sets::whole_automaton(files, whole, options, watch)?, options))
}

fn as_far_as_read(mut stacks: Stacks, options: &Options) -> Stacks {
    let reason = options
        .input
        .c
        .as_ref()
        .and_then(|c| incomplete(&c.extent(options.input.allow_incomplete)));
    let claims = stacks.status != Some(Status::Reachable) && stacks.stop_reason.is_none();
    if let Some(reason) = reason.filter(|_| claims) {
        stacks.status = stacks.status.map(|_| Status::Unknown);
        stacks.stop_reason = Some(reason);
    }
    stacks
}

fn one_main(options: &Options) -> Result<(), Error> {
    options.input.c.as_ref().map_or(Ok(()), |c| c.one_start(options.input.entry.as_deref()))
}
