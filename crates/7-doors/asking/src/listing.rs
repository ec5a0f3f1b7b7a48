//! Traces replayed, and written out as lists.

use crate::Options;
use check::{Budget, Goal, Lasso, StopReason, Trace};
use ir::Program;
use num_bigint::BigUint;
use render::{ListedStep, Listing, Stays};
use replay::Accepted;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How often the budget is asked while a trace is written out.
const POLL: usize = 4096;

/// The trace as a list, if it is a run of the program that ends at the goal.
pub(crate) fn replayed(
    program: &Arc<Program>,
    trace: &Trace,
    goal: &Goal,
    options: &Options,
    budget: &Budget,
) -> Result<Listing, StopReason> {
    let accepted = replay::check_trace(program, goal, trace)
        .map_err(|refusal| refused("the trace is no run of the program", &refusal))?;
    listed(&accepted, options, budget)
}

/// Why there is no answer if a trace is refused: a bug, unless `replay` gave up on it.
pub fn refused(what: &str, refusal: &replay::Refusal) -> StopReason {
    match refusal.reason {
        replay::Reason::Hard => {
            let what = format!("a run was found that is too hard to replay ({refusal})");
            StopReason::Unsupported { what }
        }
        _ => StopReason::Internal { what: format!("{what}: {refusal}") },
    }
}

/// Whether a trace was not accepted, or was and could not be listed in time.
pub(crate) fn is_refusal(reason: &StopReason) -> bool {
    matches!(reason, StopReason::Internal { .. } | StopReason::Unsupported { .. })
}

/// An accepted trace as a list.
pub(crate) fn listed(
    accepted: &Accepted,
    options: &Options,
    budget: &Budget,
) -> Result<Listing, StopReason> {
    // A trace that was found in time is worth a moment.
    let budget = budget.attempt();
    if budget.poll().is_err() {
        budget.grant(check::MOMENT);
    }
    let stays = match accepted.lasso() {
        Some(Lasso::Terminated) => Some(Stays::Terminated),
        Some(Lasso::Failed) => Some(Stays::Failed),
        Some(Lasso::Loop { .. }) | None => None,
    };
    let mut counts: FxHashMap<BigUint, Arc<str>> = FxHashMap::default();
    let mut steps = Vec::new();
    for shown in accepted.shown(options.shown.max_steps) {
        if steps.len() % POLL == 0 {
            budget.poll()?;
        }
        let folded = shown.folded.map(|count| {
            // Numbers can be long, and many calls have the same inside.
            let text = || count.to_string().into();
            counts.entry(count.clone()).or_insert_with(text).clone()
        });
        let depth = u32::try_from(shown.depth).unwrap_or(u32::MAX);
        steps.push(ListedStep { folded, ..ListedStep::new(shown.node, depth, shown.state) });
    }
    if let (Some(_), Some(last)) = (stays, steps.last_mut()) {
        last.stays = stays;
    }
    let (shortest, hier_steps) = (accepted.is_shortest(), accepted.hier_steps());
    let loop_start = match accepted.lasso() {
        Some(_) => accepted.loop_start(options.shown.max_steps),
        None => None,
    };
    let growth = accepted.loop_growth();
    let program = accepted.program().clone();
    Ok(Listing { program, shortest, loop_start, growth, hier_steps, steps, monitor: None })
}
