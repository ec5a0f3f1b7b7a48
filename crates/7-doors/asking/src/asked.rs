//! What was asked, and how an answer comes back.
//!
//! Every property becomes an [`Asked`]: a task for engines, and the way back from their traces to runs of
//! the program that the question was about. The way back lifts a trace and judges it again, tells it, and
//! judges listings that others have told.

use crate::call_search::CallSearch;
use crate::claimed::{Judgement, lasso, steps};
use crate::listing;
use crate::{Options, Watch};
use check::{Budget, Partial, StopReason, Task, Trace, TraceMode, Wants};
use input::caught;
use ir::{Id, Layout, Program};
use property::{KeepGoing, Product, Property, PropertyError, Question, TranslateError};
use render::{Claim, ClaimedTrace, Finding, ListedStep, Listing, Stays};
use reports::{Listed, replay_lasso, replay_listed};
use std::sync::{Arc, OnceLock};

/// A question for engines, and how an answer comes back.
pub struct Asked {
    /// The question.
    pub task: Task,
    /// The way back.
    pub back: Box<dyn Back>,
}

/// What is at hand while answers are judged and told.
#[derive(Clone, Copy)]
pub struct With<'a> {
    /// What the user chose.
    pub options: &'a Options,
    /// Who watches.
    pub watch: &'a Watch,
    /// What may be spent.
    pub budget: &'a Budget,
}

/// A violation, as people are shown it.
pub struct Explanation {
    /// The run.
    pub listing: Listing,
    /// What a rule says of it.
    pub finding: Option<Box<Finding>>,
    /// The call in the function at fault from which it has the value that it is about.
    pub from: Option<rules::At>,
}

impl From<Listing> for Explanation {
    fn from(listing: Listing) -> Explanation {
        Explanation { listing, finding: None, from: None }
    }
}

/// The way back from answers about a task.
pub trait Back {
    /// The run that a trace to a goal of the task shows, judged once more, and told. The reason why there
    /// is none is a refusal ([`listing::is_refusal`]) if the trace is no such run.
    fn explain(
        &self,
        task: &Task,
        goal: usize,
        trace: &Trace,
        with: With<'_>,
    ) -> Result<Explanation, StopReason>;

    /// Whether what somebody tells is such a run.
    fn judge_claim(
        &self,
        task: &Task,
        claim: &Claim,
        trace: &ClaimedTrace,
        with: With<'_>,
    ) -> Result<Judgement, String>;

    /// Counters about the question.
    fn counters(&self) -> Vec<(String, u64)> {
        Vec::new()
    }
}

impl Asked {
    /// The question about a goal of a program, or of the product that a property is.
    pub fn new(program: &Arc<Program>, question: Question, trace: TraceMode) -> Asked {
        let (task, back): (Task, Box<dyn Back>) = match question {
            Question::Product(product) => {
                let task = Task::new(product.program.clone(), vec![product.goal.clone()]);
                (task, Box::new(OfProduct { program: program.clone(), product }))
            }
            Question::Goal(goal) => {
                (Task::new(program.clone(), vec![goal]), Box::new(Itself(program.clone())))
            }
            Question::AllNodes => {
                let goal = crate::judge::never(program);
                (Task::new(program.clone(), vec![goal]), Box::new(Itself(program.clone())))
            }
        };
        let wants = Wants { trace, certificate: true, all_nodes: false };
        Asked { task: Task { wants, ..task }, back }
    }
}

/// The question that a property is, or why its automaton was not made.
pub fn question(
    property: &Property,
    program: &Program,
    budget: &Budget,
) -> Result<Result<Question, StopReason>, PropertyError> {
    let (watched, stopped) = (budget.clone(), Arc::new(OnceLock::new()));
    let reason = stopped.clone();
    let keep_going = KeepGoing::while_true(move || match watched.poll() {
        Ok(()) => true,
        Err(why) => {
            // The first one: what was short of memory has enough of it again afterwards.
            let _ = reason.set(why);
            false
        }
    });
    match property.question_while(program, keep_going) {
        Ok(question) => Ok(Ok(question)),
        Err(PropertyError::Automaton(TranslateError::Interrupted)) => {
            Ok(Err(stopped.get().cloned().unwrap_or(StopReason::Cancelled)))
        }
        Err(PropertyError::Automaton(error)) => {
            Ok(Err(StopReason::Unsupported { what: error.to_string() }))
        }
        Err(error) => Err(error),
    }
}

fn internal(what: impl Into<String>) -> StopReason {
    StopReason::Internal { what: what.into() }
}

/// Answers are about the program itself.
pub(crate) struct Itself(pub Arc<Program>);

impl Back for Itself {
    fn explain(
        &self,
        task: &Task,
        goal: usize,
        trace: &Trace,
        with: With<'_>,
    ) -> Result<Explanation, StopReason> {
        let goal = &task.goals[goal];
        Ok(listing::replayed(&self.0, trace, goal, with.options, with.budget)?.into())
    }

    fn judge_claim(
        &self,
        task: &Task,
        _: &Claim,
        trace: &ClaimedTrace,
        with: With<'_>,
    ) -> Result<Judgement, String> {
        if trace.loop_start.is_some() {
            return Err("a run to a place has no loop".to_owned());
        }
        let steps = steps(&self.0, &trace.steps)?;
        Ok(listed(&self.0, Listed { steps, goal: task.goals[0].clone() }, with))
    }
}

/// Replays a listing; folded calls are looked into by an engine.
pub(crate) fn listed(program: &Program, listed: Listed, with: With<'_>) -> Judgement {
    let mut folded = CallSearch::new(program, with.options, with.watch, with.budget);
    let done =
        caught("replay", || replay_listed(program, &listed, with.budget, &mut |q| folded.ask(q)));
    Judgement::of(done)
}

/// Answers are about the product with an automaton.
struct OfProduct {
    program: Arc<Program>,
    product: Box<Product>,
}

impl Back for OfProduct {
    fn explain(
        &self,
        task: &Task,
        goal: usize,
        trace: &Trace,
        with: With<'_>,
    ) -> Result<Explanation, StopReason> {
        let Some(temporal) = &self.product.temporal else {
            let goal = &task.goals[goal];
            let (options, budget) = (with.options, with.budget);
            let listing = listing::replayed(&self.product.program, trace, goal, options, budget)?;
            return Ok(self.down(listing, trace).into());
        };
        // The lasso as a run of the program itself, accepted by `replay` and judged without the
        // automaton.
        let lifted = self.product.trace(&self.program, trace).map_err(internal)?;
        let accepted = replay::check_lasso(&self.program, &lifted, Some(temporal))
            .map_err(|refusal| listing::refused("the lasso is no run of the program", &refusal))?;
        match replay::judge(&accepted, temporal) {
            replay::Judgement::Violates => {
                Ok(listing::listed(&accepted, with.options, with.budget)?.into())
            }
            replay::Judgement::Satisfies => Err(internal("the lasso satisfies the formula")),
            replay::Judgement::Inconclusive(why) => {
                Err(internal(format!("the lasso could not be judged: {why}")))
            }
        }
    }

    fn judge_claim(
        &self,
        task: &Task,
        _: &Claim,
        trace: &ClaimedTrace,
        with: With<'_>,
    ) -> Result<Judgement, String> {
        if let Some(temporal) = &self.product.temporal {
            let listed = lasso(trace, steps(&self.program, &trace.steps)?)?;
            let done =
                caught("replay", || replay_lasso(&self.program, &listed, temporal, with.budget));
            return Ok(Judgement::of(done));
        }
        // A run of the product, whose own procedure calls the program.
        let program = &self.product.program;
        let mut steps = steps(program, &trace.steps)?;
        steps.iter_mut().for_each(|step| step.depth += 1);
        if trace.steps.last().is_some_and(|last| last.line == 0) {
            steps.pop();
        }
        Ok(listed(program, Listed { steps, goal: task.goals[0].clone() }, with))
    }

    fn counters(&self) -> Vec<(String, u64)> {
        let size = self.product.automaton;
        vec![match size.promises {
            0 => ("automaton_states".to_owned(), u64::from(size.states)),
            promises => ("automaton_promises".to_owned(), promises as u64),
        }]
    }
}

impl OfProduct {
    /// A finite run of the product as one of the program.
    fn down(&self, mut listing: Listing, trace: &Trace) -> Listing {
        let down = Down::new(&self.program, &self.product.program);
        for step in &mut listing.steps {
            step.state = down.state(&step.state, self.product.program.nodes[step.node].proc);
            // The procedure that calls the entry procedure does not count.
            step.depth = step.depth.saturating_sub(1);
        }
        let nodes = self.program.nodes.len();
        listing.steps.retain(|step| step.node.index() < nodes);
        let failed = self.program.procs.iter().any(|p| p.error == Some(trace.target));
        let stays = match trace.target == self.product.finished {
            true => Some(Stays::Terminated),
            false => failed.then_some(Stays::Failed),
        };
        if let (Some(_), Some(last)) = (stays, listing.steps.last()) {
            let state = down.globals(&trace.end);
            listing.steps.push(ListedStep { stays, ..ListedStep::new(last.node, 0, state) });
        }
        Listing { program: self.program.clone(), ..listing }
    }
}

/// States of a program as states of the one that it extends: what was added stands behind.
pub struct Down {
    layout: Layout,
    /// Globals of the larger program.
    whole: u32,
}

impl Down {
    /// From `extended` to `original`.
    pub fn new(original: &Program, extended: &Program) -> Down {
        let whole = Layout::new(extended).global_bits;
        Down { layout: Layout::new(original), whole }
    }

    /// Globals, then the frame.
    pub fn state(&self, state: &Partial, proc: ir::ProcId) -> Partial {
        let globals = self.layout.global_bits;
        let frame = self.layout.frame_bits.get(proc).copied().unwrap_or(0);
        let mut out = Partial::unknown(globals + frame);
        for bit in 0..globals {
            out.set(bit, state.get(bit));
        }
        for bit in 0..frame {
            out.set(globals + bit, state.get(self.whole + bit));
        }
        out
    }

    fn globals(&self, state: &Partial) -> Partial {
        let mut out = Partial::unknown(self.layout.global_bits);
        for bit in 0..self.layout.global_bits {
            out.set(bit, state.get(bit));
        }
        out
    }
}
