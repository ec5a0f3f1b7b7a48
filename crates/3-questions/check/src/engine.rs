//! Who answers, and with what.

use crate::{Budget, Certificate, SetId, StateSets, StopReason, Task, Trace};
use std::sync::Arc;

/// Something that answers tasks.
pub trait Engine: Sync {
    /// The name that `--engine` and reports use.
    fn name(&self) -> &'static str;
    /// Answers the task. Never panics on a valid program, never exceeds the budget by more than a
    /// moment.
    fn run(&self, task: &Task, budget: &Budget) -> Answer;
}

/// The answer to one goal.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The goal is not reached (repeated): the property holds. The certificate may serve several
    /// goals.
    Holds(Option<Arc<Certificate>>),
    /// The goal is reached (repeated), as the trace shows.
    Violated(Option<Box<Trace>>),
    /// No answer.
    Unknown(StopReason),
}

/// The answer to a task.
#[derive(Clone, Debug)]
pub struct Answer {
    /// One for each goal.
    pub verdicts: Vec<Verdict>,
    /// For each node, whether it is reached, if the task wants that and the search was complete.
    pub reached: Option<Vec<bool>>,
    /// One for each observation: the set over `Global` and `Local` bits; `None`, or a part of it, if
    /// the search was not complete: then `incomplete` says why.
    pub observed: Vec<Option<SetId>>,
    /// The graph that holds the observed sets.
    pub sets: StateSets,
    /// For each goal, the values of the variable that [`Task::each`] names with which it is reached, in order: a
    /// verdict with a trace, or why there is none. Empty if the engine does not tell: whoever wants to know
    /// observes the variable, and asks for each value.
    pub each: Vec<Vec<(u64, Verdict)>>,
    /// Why something that was wanted besides verdicts is missing, where verdicts are there.
    pub incomplete: Option<StopReason>,
    /// Effort.
    pub stats: Stats,
}

impl Answer {
    /// The answer of an engine that had to stop.
    pub fn unknown(task: &Task, reason: StopReason) -> Answer {
        Answer {
            verdicts: task.goals.iter().map(|_| Verdict::Unknown(reason.clone())).collect(),
            reached: None,
            observed: vec![None; task.observe.len()],
            sets: StateSets::new(),
            each: Vec::new(),
            incomplete: None,
            stats: Stats::default(),
        }
    }
}

/// Counters of effort, in the order in which they are shown. They depend on the input alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Name and value.
    pub counters: Vec<(&'static str, u64)>,
}

impl Stats {
    /// Adds a counter.
    pub fn add(&mut self, name: &'static str, value: u64) {
        self.counters.push((name, value));
    }
    /// The value of a counter.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.counters.iter().find(|(n, _)| *n == name).map(|&(_, v)| v)
    }
}
