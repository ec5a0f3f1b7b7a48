//! Questions about operations of a C program with its data: memory, overflow, division, what was never written.
//!
//! Each operation that can fail is a finding of its own. It is told only if the interpreter, given the inputs that
//! the search found, stops at that operation.

use crate::bounded::{BOUNDED, Executed, MAX_STEPS, Run, Searched, executed_for, simpler_steps};
use crate::entries::FILE;
use crate::followed;
use crate::listing::{listing, with_values};
use crate::prover::{self, How, leaves_open};
use asking::{EngineChoice, Judgement, Options};
use c_data::{At, Check, Operation};
use check::{Budget, StopReason};
use engine_bounded::{Inputs, Never};
use input::caught;
use property::{OperationKind, Property};
use render::{ClaimedFinding, Finding, Invariant, Outcome, Status};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The question that the data program is asked.
pub(crate) fn check_of(kind: OperationKind) -> Check {
    match kind {
        OperationKind::MemorySafety => Check::Memory,
        OperationKind::MemoryCleanup => Check::Cleanup,
        OperationKind::Overflow => Check::Overflow,
        OperationKind::Division => Check::Division,
        OperationKind::Uninitialised => Check::Uninitialised,
    }
}

/// What is granted with the answer to a question.
pub(crate) fn granted(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::MemorySafety => {
            "memory is lost, or not freed, when `main` returns or `exit` is called, and addresses need no alignment"
        }
        OperationKind::MemoryCleanup => {
            "a run ends where `main` returns, by `exit`, `abort`, or an assertion that fails"
        }
        OperationKind::Overflow => {
            "a number below zero may be shifted to the left where its product with a power of two fits, and shifts to the right or of unsigned numbers may be by any number"
        }
        OperationKind::Division => "a run ends at a division by zero",
        OperationKind::Uninitialised => {
            "what is copied as a whole, a struct or by `memcpy`, is not read by that"
        }
    }
}

/// The operation that a run fails at.
fn failure(run: &Executed, check: Check, operation: Operation) -> Option<&c_run::Failure> {
    run.failed.iter().find(|f| f.check == check && f.operation == Some(operation))
}

/// Who is told what was found so far.
pub(crate) type Telling<'a> = &'a dyn Fn(&[Outcome]);

/// All answers to a question: one for each operation that fails, or one. What is found is told at once, for whoever has
/// to end the search from outside.
pub(crate) fn answers(
    kind: OperationKind,
    of: &Searched<'_>,
    options: &Options,
    (budget, tell): (&Budget, Telling<'_>),
) -> (Vec<Outcome>, bool) {
    let (program, check) = (of.data.program(), check_of(kind));
    let property = Property::Operations { kind };
    let start = Instant::now();
    let blank = |seconds: f64, counters: &[(String, u64)]| {
        let mut out = Outcome::unknown(property.clone(), check::StopReason::Cancelled);
        out.engine = BOUNDED.to_owned();
        out.why = "questions about C's data are asked of it".to_owned();
        out.seconds = seconds;
        out.counters = counters.to_vec();
        out.operations = Some(program.operations(check));
        out
    };
    // What variables hold is looked up for what is told in the end.
    let failed = |mut out: Outcome,
                  operation: Operation,
                  (inputs, last): (&Inputs, bool),
                  run: &Executed| {
        let failure = failure(run, check, operation)?;
        out.status = Status::Violated;
        out.stop_reason = None;
        out.inputs = Some(Arc::new(of.given(inputs)));
        out.finding = Some(Box::new(finding(of, failure, operation)));
        if options.search.trace != check::TraceMode::None {
            let mut passed = run.passed.clone();
            if last {
                passed = with_values(program, (&[], Some(check)), inputs, passed, budget);
            }
            out.trace = Some(listing(of, &passed, &mut out.warnings));
        }
        Some(out)
    };
    let mut seen: BTreeMap<Operation, Executed> = BTreeMap::new();
    let mut told: Vec<Outcome> = Vec::new();
    // By proofs alone.
    if let Some(how) = crate::bounded::how(options.search.engine) {
        let (found, counters) = proved(of, check, how, budget);
        let out = blank(start.elapsed().as_secs_f64(), &counters);
        return (vec![by_proofs(out, found, options)], true);
    }
    // What plain inputs do is executed first.
    let lines = options.shown.max_steps.min(crate::bounded::MAX_LINES);
    let tries = crate::tried::Tries::new(options.search.limits.time);
    let first = caught("executions", || tries.fail(of, check, lines, budget)).ok().flatten();
    let mut executed: Option<(Operation, Inputs)> = None;
    if let Some((inputs, run)) = first
        && let Some(operation) = run.failed.iter().find(|f| f.check == check)
        && let Some(operation) = operation.operation
        && let Some(mut out) = failed(blank(0.0, &[]), operation, (&inputs, false), &run)
    {
        let open = "whether other operations fail is not known: the search has not ended";
        out.warnings.push(open.to_owned());
        told.push(out);
        tell(&told);
        seen.insert(operation, run);
        executed = Some((operation, inputs));
    }
    let mut search = |budget: &Budget| {
        caught("engine bounded", || {
            let mut confirm = |operation: Operation, inputs: &Inputs| {
                let lines = options.shown.max_steps.min(crate::bounded::MAX_LINES);
                let run = Run::new(inputs, lines);
                let most = seen.get(&operation).map_or(MAX_STEPS, |run| simpler_steps(run.steps));
                let run = executed_for(program, (&[], Some(check)), run, most, budget);
                let seconds = start.elapsed().as_secs_f64();
                let Some(mut out) = failed(blank(seconds, &[]), operation, (inputs, false), &run)
                else {
                    return false;
                };
                // Simpler inputs are tried afterwards.
                if seen.insert(operation, run).is_none() {
                    let open =
                        "whether other operations fail is not known: the search has not ended";
                    out.warnings.push(open.to_owned());
                    told.push(out);
                    tell(&told);
                }
                true
            };
            let search = engine_bounded::Options { bound: options.search.bound };
            let asked = (check, executed.clone());
            engine_bounded::failing_operations(program, asked, search, budget, &mut confirm)
        })
    };
    // What callers may do is not known to proofs.
    let from_main = options.input.entry.as_deref().is_none_or(|entry| entry == "main");
    let beside = from_main
        && options.search.engine != EngineChoice::Bounded
        && options.search.bound.is_none();
    let (searched, proof) = match beside {
        false => (search(budget), None),
        true => prover::beside(
            budget,
            search,
            |budget| proved(of, check, How::Directed, budget),
            |(found, _)| found.is_ok(),
            |searched| {
                let open = |c: &engine_bounded::Checked| c.open.as_ref().is_some_and(leaves_open);
                searched.as_ref().is_ok_and(|c| c.failing.is_empty() && open(c))
            },
        ),
    };
    let seconds = start.elapsed().as_secs_f64();
    let searched = match searched {
        Ok(searched) => searched,
        Err(what) => {
            let mut out = blank(seconds, &[]);
            out.stop_reason = Some(check::StopReason::Internal { what });
            return (vec![out], false);
        }
    };
    let mut results = Vec::new();
    for (operation, inputs) in &searched.failing {
        let Some(run) = seen.get(operation) else { continue };
        results.extend(failed(blank(seconds, &searched.counters), *operation, (inputs, true), run));
    }
    let by_place = |o: &Outcome| o.finding.as_ref().map(|f| (f.file.clone(), f.line));
    results.sort_by_key(by_place);
    if let (true, Some((Ok(found), counters))) = (results.is_empty(), proof)
        && searched.open.as_ref().is_some_and(leaves_open)
    {
        let mut out = blank(seconds, &counters);
        out.engine = prover::PDR.to_owned();
        holds(&mut out, Ok(found));
        return (vec![out], searched.allocates);
    }
    match (results.last_mut(), searched.open) {
        (Some(last), Some(reason)) => {
            last.warnings.push(format!("whether other operations fail is not known: {reason}"));
        }
        (Some(_), None) => {}
        (None, open) => {
            let out = blank(seconds, &searched.counters);
            let asked = (of, &Never::Fails(check), Some(searched.rounds));
            results.push(ended(out, open, asked, options, budget));
        }
    }
    (results, searched.allocates)
}

/// The answer of a search that found nothing: that nothing fails, with its proof, if nothing is open.
fn ended(
    mut out: Outcome,
    open: Option<StopReason>,
    asked: (&Searched<'_>, &Never, Option<u32>),
    options: &Options,
    budget: &Budget,
) -> Outcome {
    out.stop_reason = open;
    if out.stop_reason.is_none() {
        out.status = Status::Holds;
        if out.operations == Some(0) {
            out.vacuous.push("the program has no operation that is asked about".to_owned());
        }
        followed::check(&mut out, asked, options, budget);
    }
    out
}

type Found = (Result<Arc<Vec<Invariant>>, StopReason>, Vec<(String, u64)>);

/// A proof that no operation fails, or why there is none.
fn proved(of: &Searched<'_>, check: Check, how: How, budget: &Budget) -> Found {
    let found = caught("engine pdr", || prover::operations(of, check, how, budget));
    found.unwrap_or_else(|what| (Err(StopReason::Internal { what }), Vec::new()))
}

/// The answer of one that was asked for proofs alone.
fn by_proofs(
    mut out: Outcome,
    found: Result<Arc<Vec<Invariant>>, StopReason>,
    options: &Options,
) -> Outcome {
    out.engine = options.search.engine.word().to_owned();
    out.why = "asked for by `--engine`".to_owned();
    holds(&mut out, found);
    out
}

/// Takes down what a proof says.
fn holds(out: &mut Outcome, found: Result<Arc<Vec<Invariant>>, StopReason>) {
    match found {
        Ok(invariants) => {
            out.status = Status::Holds;
            out.stop_reason = None;
            out.invariants = Some(invariants);
            if out.operations == Some(0) {
                out.vacuous.push("the program has no operation that is asked about".to_owned());
            }
        }
        Err(reason) => out.stop_reason = Some(reason),
    }
}

/// What is said of an operation that failed.
fn finding(of: &Searched<'_>, failure: &c_run::Failure, operation: Operation) -> Finding {
    let (program, files) = (of.data.program(), of.files);
    let at = operation.at(program);
    let name = |at: At| program.files.get(at.file as usize).cloned().unwrap_or_default();
    let file = name(at);
    let source = files.iter().find(|f| f.name() == file);
    let indent = source.map_or(0, |f| {
        let line = f.line(at.line);
        line.chars().take_while(|c| c.is_whitespace()).count() as u32
    });
    Finding {
        message: failure.what.clone(),
        file,
        line: at.line,
        column: indent + 1,
        function: program.functions[operation.function.index()].name.clone(),
        object: String::new(),
        // What the caller of an entry made comes from nowhere in the program.
        origin: failure.origin.map(|at| (name(at), at.line)).filter(|(f, _)| f != FILE),
        assumptions: Vec::new(),
        suppressed: None,
        confidence: None,
        run: Vec::new(),
        executed: true,
        agrees: false,
        contradicts: false,
        gives_up: false,
        alike: render::Alike::Cause,
        inherited: false,
    }
}

/// What is wrong with a claim that a run fails at an operation.
pub(crate) fn judged(
    kind: OperationKind,
    claimed: Option<&ClaimedFinding>,
    run: &Executed,
    of: &Searched<'_>,
) -> Result<(), Judgement> {
    let refused = |what: &str| Err(Judgement::Refused(what.to_owned()));
    let Some(claimed) = claimed else {
        return refused("it does not say which operation fails");
    };
    let check = check_of(kind);
    let main = of.files.first().map_or("", |f| f.name());
    let mut found = run.failed.iter().filter(|f| f.check == check);
    let same = found.any(|failure| {
        let Some(operation) = failure.operation else { return false };
        let real = finding(of, failure, operation);
        let file = claimed.file.as_deref().unwrap_or(main);
        real.message == claimed.message
            && real.file == file
            && (real.line, real.column) == (claimed.line, claimed.column)
            && real.function == claimed.proc
            && real.origin == claimed.origin
    });
    match (same, run.failed.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => refused("with these inputs the operation does not fail"),
        (false, false) => refused("with these inputs something else fails, or elsewhere"),
    }
}
