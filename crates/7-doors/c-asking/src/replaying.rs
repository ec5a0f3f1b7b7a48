//! Claims about C with its data, checked again: runs are executed, proofs are proved by another solver.

use crate::bounded::{MAX_LINES, Run, Searched, ends, executed, goal, is_line, kind, orders};
use crate::listing::{listing, with_values};
use crate::{calls, followed, prover, termination};
use asking::{Judgement, Options};
use check::StopReason;
use engine_bounded::{Goal, Inputs, Never};
use input::{Error, LazyData, caught};
use property::Property;
use render::{Claim, ClaimedStep, ListedStep};
use source::SourceFile;
use std::sync::Arc;

/// What a claim is about: the program, with a monitor where the claim needs one, a place in it, and whether it is about
/// the end of runs.
fn asked<'a>(
    of: Searched<'a>,
    data: &LazyData,
    property: &Property,
    files: &[Arc<SourceFile>],
) -> Result<Result<(Searched<'a>, Goal, bool), Judgement>, Error> {
    let nowhere = Goal { points: Vec::new() };
    if !orders(property) {
        let end = ends(property);
        let place = match end || kind(property).is_some() {
            true => nowhere,
            false => goal(property, &of.data, files)?,
        };
        return Ok(Ok((of, place, end)));
    }
    let Some(watched) = calls::monitored(&of, data, property) else {
        return Ok(Err(Judgement::Refused("it is not about the order of calls".to_owned())));
    };
    let of = of.with(watched.data);
    Ok(Ok(match watched.asked {
        calls::Asked::Place(goal) => (of, goal, false),
        calls::Asked::End => (of, nowhere, true),
    }))
}

/// Whether the program, executed on the inputs of a claim, does what is claimed.
pub fn replayed(
    claim: &Claim,
    inputs: &render::Inputs,
    files: &[Arc<SourceFile>],
    options: &Options,
    budget: &check::Budget,
) -> Result<Judgement, Error> {
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else {
        let what = "inputs are of a C program with its data, which was not read";
        return Ok(Judgement::Unknown(what.to_owned()));
    };
    let of = Searched::new(data, (c, options.input.entry.as_deref()), files)?;
    let (of, place, ends) = match asked(of, data, &claim.property, files)? {
        Ok(asked) => asked,
        Err(judgement) => return Ok(judgement),
    };
    if ends {
        let done = caught("replay", || termination::replayed(&of, inputs, budget));
        let internal =
            |what| Judgement::Unknown(format!("internal error, please report it: {what}"));
        return Ok(done.unwrap_or_else(internal));
    }
    let kind = kind(&claim.property);
    let points = match kind {
        Some(_) => Vec::new(),
        None => place.points,
    };
    let given = Inputs {
        values: inputs.values.clone(),
        argc: Some(1 + inputs.arguments as u64),
        args: inputs.args.clone(),
        stdin: inputs.stdin.clone(),
        files: inputs.files.clone(),
        memory: inputs.memory.clone(),
    };
    let run = Run::new(&given, MAX_LINES);
    let check = kind.map(crate::operations::check_of);
    let asked = (&points[..], check);
    let done = caught("replay", || executed(of.data.program(), asked, run, budget));
    if let (Some(kind), Ok(run), Ok(())) = (kind, &done, budget.poll()) {
        let told = claim.finding.as_ref();
        if let Err(judgement) = crate::operations::judged(kind, told, run, &of) {
            return Ok(judgement);
        }
    }
    let passed = match done {
        Ok(run) if run.reached || kind.is_some() && budget.poll().is_ok() => run.passed,
        Ok(_) => {
            return Ok(match budget.poll() {
                Ok(()) => {
                    Judgement::Refused("with these inputs the run does not get there".to_owned())
                }
                Err(reason) => Judgement::Unknown(reason.to_string()),
            });
        }
        Err(what) => {
            return Ok(Judgement::Unknown(format!("internal error, please report it: {what}")));
        }
    };
    let Some(trace) = &claim.trace else { return Ok(Judgement::Accepted) };
    let passed = with_values(of.data.program(), asked, &given, passed, budget);
    let listed = listing(&of, &passed, &mut Vec::new());
    let at = |step: &ListedStep| {
        let node = &listed.program.nodes[step.node];
        let text = listed.program.text(node.origin.text).to_owned();
        (listed.program.proc_name(node.proc).to_owned(), node.origin.line, step.depth, text)
    };
    let told = |step: &ClaimedStep| {
        let text = step.text.clone().unwrap_or_default();
        (step.proc.clone(), step.line, step.depth, text)
    };
    let found: Vec<_> = listed.steps.iter().map(at).collect();
    let claimed: Vec<_> = trace.steps.iter().map(told).collect();
    let same = found.iter().zip(&claimed).take_while(|(a, b)| a == b).count();
    let wrong = trace.steps.iter().zip(&listed.steps).position(|(claimed, step)| {
        let Some(values) = &step.values else { return false };
        let told = claimed.state.iter().all(|(name, claimed)| {
            let is = |(var, _): &&(ir::VarId, _)| listed.program.var_name(*var) == name;
            values.iter().find(is).is_some_and(|(_, value)| value.is_told_by(claimed))
        });
        !told
    });
    Ok(match same == found.len() && same == claimed.len() {
        true => match wrong {
            None => Judgement::Accepted,
            Some(k) => Judgement::Refused(format!("step {}: variables hold something else", k + 1)),
        },
        // Of a long run not every line was noted, here or there.
        false if passed.left_out > 0 || claimed.len() < found.len() && same > 0 => {
            let what =
                "the run gets there; not all of its steps are listed, and they were not compared";
            Judgement::Unknown(what.to_owned())
        }
        false => Judgement::Refused(format!("step {}: the run is somewhere else", same + 1)),
    })
}

/// Whether invariants prove a claim about the program with its data.
pub fn replayed_proof(
    claim: &render::ProvedByInvariants,
    files: &[Arc<SourceFile>],
    options: &Options,
    budget: &check::Budget,
) -> Result<Judgement, Error> {
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else {
        let what = "invariants are of a C program with its data, which was not read";
        return Ok(Judgement::Unknown(what.to_owned()));
    };
    let right = match claim.property {
        Property::Reach { .. } => "unreachable",
        _ => "holds",
    };
    if claim.verdict != right || is_line(&claim.property) {
        return Ok(Judgement::Refused(format!("no proof shows `{}`", claim.verdict)));
    }
    let of = Searched::new(data, (c, None), files)?;
    let (of, place, ends) = match asked(of, data, &claim.property, files)? {
        Ok(asked) => asked,
        Err(judgement) => return Ok(judgement),
    };
    if ends {
        let done =
            caught("checking a proof", || termination::checked(&of, &claim.invariants, budget));
        return Ok(judged(done));
    }
    if let Some(rounds) = claim.rounds {
        if !claim.invariants.is_empty() {
            return Ok(Judgement::Refused("the proof is none: it is of two kinds".to_owned()));
        }
        let never = match kind(&claim.property) {
            Some(kind) => Never::Fails(crate::operations::check_of(kind)),
            None => Never::Comes(place),
        };
        return Ok(match followed::checked(&of, &never, rounds, budget) {
            Ok(Ok(())) => Judgement::Accepted,
            Ok(Err(what)) => Judgement::Refused(format!("the proof is none: {what}")),
            Err(reason) => Judgement::Unknown(reason.to_string()),
        });
    }
    let (check, goals) = match kind(&claim.property) {
        Some(kind) => (Some(crate::operations::check_of(kind)), Vec::new()),
        None => (None, vec![place]),
    };
    let done = caught("checking a proof", || {
        prover::checked(&of, &goals, 0, check, &claim.invariants, budget)
    });
    Ok(judged(done))
}

/// What became of the check of a proof.
fn judged(done: Result<Result<Result<(), prover::Refused>, StopReason>, String>) -> Judgement {
    match done {
        Ok(Ok(Ok(()))) => Judgement::Accepted,
        Ok(Ok(Err(prover::Refused::Wrong(what) | prover::Refused::Other(what)))) => {
            Judgement::Refused(format!("the proof is none: {what}"))
        }
        Ok(Err(reason)) => Judgement::Unknown(reason.to_string()),
        Err(what) => Judgement::Unknown(format!("internal error, please report it: {what}")),
    }
}
