//! Properties in Sugar: the watched program answered, its traces told as runs of the program.

use crate::engines::{self, Run};
use crate::load::caught;
use crate::{Options, Watch};
use check::{Budget, Partial, StopReason, Task, TraceMode, Verdict, Wants};
use ir::{Id, Layout, Program};
use property::{Property, Watched};
use render::{CertificateNote, ListedStep, Listing, Outcome, Status, Stays};
use replay::CertRefusal;
use std::sync::Arc;

/// The outcomes of all engines that were asked.
pub(crate) fn outcomes(
    property: &Property,
    watched: &Watched,
    program: &Arc<Program>,
    options: &Options,
    watch: &Watch,
    budget: &Budget,
) -> Vec<Outcome> {
    let mut task = Task::new(watched.program.clone(), vec![watched.goal.clone()]);
    task.wants = Wants { trace: options.trace, certificate: true, all_nodes: false };
    let runs = engines::answer(&task, options, watch, budget);
    let judge = Judge { watched, program, task: &task, options, budget };
    runs.iter().map(|run| judge.outcome(property, run)).collect()
}

struct Judge<'a> {
    watched: &'a Watched,
    program: &'a Arc<Program>,
    task: &'a Task,
    options: &'a Options,
    budget: &'a Budget,
}

impl Judge<'_> {
    fn outcome(&self, property: &Property, run: &Run) -> Outcome {
        let mut out = crate::checking::answered(property, run);
        out.counters.push(("automaton_states".to_owned(), self.watched.states as u64));
        match &run.answer.verdicts[0] {
            Verdict::Unknown(reason) => out.stop_reason = Some(reason.clone()),
            Verdict::Holds(None) => out.status = Status::Holds,
            Verdict::Holds(Some(certificate)) => {
                out.status = Status::Holds;
                let mut note = CertificateNote { checked: false, size: certificate.len() };
                let task = self.task;
                let (program, goals) = (&task.program, &task.goals);
                let options = self.options;
                match crate::proof::checked(program, goals, certificate, options, self.budget) {
                    None => {}
                    Some(Ok(())) => note.checked = true,
                    Some(Err(CertRefusal::Stopped(reason)))
                        if !matches!(reason, StopReason::Internal { .. }) =>
                    {
                        let what = format!("the proof was not checked to the end: {reason}");
                        out.warnings.push(what);
                    }
                    Some(Err(refusal)) => {
                        let what =
                            format!("engine {}: the proof is refused: {refusal}", run.engine);
                        crate::checking::refuse(&mut out, StopReason::Internal { what });
                        return out;
                    }
                }
                out.certificate = Some(note);
                out.proof = Some(certificate.clone());
            }
            Verdict::Violated(trace) => {
                out.status = Status::Violated;
                match trace {
                    Some(trace) => match self.listed(trace) {
                        Ok(listing) => out.trace = Some(listing),
                        Err(reason) if crate::listing::is_refusal(&reason) => {
                            crate::checking::refuse(&mut out, reason);
                        }
                        Err(reason) => {
                            let what = format!("the trace is right, and not listed: {reason}");
                            out.warnings.push(what);
                        }
                    },
                    None if self.task.wants.trace == TraceMode::None => {}
                    None => {
                        let what = format!("engine {} gave no trace", run.engine);
                        crate::checking::refuse(&mut out, StopReason::Internal { what });
                    }
                }
            }
        }
        out
    }

    /// The trace, replayed on the watched program, as a run of the program itself.
    fn listed(&self, trace: &check::Trace) -> Result<Listing, StopReason> {
        let goal = &self.task.goals[0];
        let listing = caught("replay", || {
            let program = &self.watched.program;
            crate::listing::replayed(program, trace, goal, self.options, self.budget)
        });
        let mut listing = listing.unwrap_or_else(|what| Err(StopReason::Internal { what }))?;
        let layout = Layout::new(self.program);
        for step in &mut listing.steps {
            let proc = self.watched.program.nodes[step.node].proc;
            let frame = layout.frame_bits.get(proc).copied().unwrap_or(0);
            step.state = self.down(&step.state, layout.global_bits, frame);
            // The procedure that calls the entry procedure does not count.
            step.depth = step.depth.saturating_sub(1);
        }
        let nodes = self.program.nodes.len();
        listing.steps.retain(|step| step.node.index() < nodes);
        let failed = self.program.procs.iter().any(|p| p.error == Some(trace.target));
        let stays = match trace.target == self.watched.finished {
            true => Some(Stays::Terminated),
            false => failed.then_some(Stays::Failed),
        };
        if let (Some(_), Some(last)) = (stays, listing.steps.last()) {
            let state = self.down(&trace.end, layout.global_bits, 0);
            let node = last.node;
            let last = ListedStep { node, depth: 0, state, folded: None, stays };
            listing.steps.push(last);
        }
        Ok(listing)
    }

    /// Globals, then the frame, without the automaton's state between them.
    fn down(&self, state: &Partial, globals: u32, frame: u32) -> Partial {
        let mut out = Partial::unknown(globals + frame);
        for bit in 0..globals {
            out.set(bit, state.get(bit));
        }
        for bit in 0..frame {
            out.set(globals + bit, state.get(globals + self.watched.state_bits + bit));
        }
        out
    }
}
