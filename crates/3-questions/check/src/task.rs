//! What is asked.

use ir::{ExprId, Exprs, NodeId, Program, VarId};
use std::sync::Arc;

/// A program and questions about it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The program.
    pub program: Arc<Program>,
    /// One verdict is wanted for each.
    pub goals: Vec<Goal>,
    /// Sets of states that are wanted.
    pub observe: Vec<Observation>,
    /// A variable: of a reach goal, each value that it has at a target is a question of its own, with a verdict
    /// and a trace of its own ([`crate::Answer::each`]). Verdicts of goals come without traces then.
    pub each: Option<VarId>,
    /// What else is wanted.
    pub wants: Wants,
}

impl Task {
    /// A task with default wants.
    pub fn new(program: Arc<Program>, goals: Vec<Goal>) -> Task {
        Task { program, goals, observe: Vec::new(), each: None, wants: Wants::default() }
    }
}

impl Task {
    /// The variables that the task reads, with the nodes at which it reads them.
    pub fn reads(&self) -> Vec<(NodeId, VarId)> {
        let mut out = Vec::new();
        for goal in &self.goals {
            let Goal::Reach(targets) = goal else { continue };
            for target in targets {
                self.program.exprs.reads(target.condition, |_, var| out.push((target.node, var)));
                out.extend(self.each.map(|var| (target.node, var)));
            }
        }
        for observation in &self.observe {
            out.extend(observation.vars.iter().map(|&var| (observation.node, var)));
        }
        out
    }
}

/// One question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Goal {
    /// Can control come to one of the targets?
    Reach(Vec<Target>),
    /// Is there an infinite run that takes edges with each of the marks `0..marks` infinitely
    /// often?
    Repeat {
        /// How many marks; with 0, any infinite run will do.
        marks: u32,
    },
}

/// A place that a run may come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The node.
    pub node: NodeId,
    /// A condition on the valuation there. Reads `Pre`; without choices.
    pub condition: ExprId,
}

impl Target {
    /// Whatever holds there.
    pub fn at(node: NodeId) -> Target {
        Target { node, condition: Exprs::TRUE }
    }
}

/// Asks for the exact set of valuations of some variables with which control comes to a node.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The node.
    pub node: NodeId,
    /// The variables; they count as used there.
    pub vars: Vec<VarId>,
}

/// What an answer should contain besides verdicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wants {
    /// Which trace for a goal that is reached.
    pub trace: TraceMode,
    /// A certificate for goals that are not reached.
    pub certificate: bool,
    /// Whether each node is reached ([`crate::Answer::reached`]).
    pub all_nodes: bool,
}

impl Default for Wants {
    fn default() -> Self {
        Wants { trace: TraceMode::Shortest, certificate: true, all_nodes: false }
    }
}

/// Which trace to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceMode {
    /// None: the verdict is enough.
    None,
    /// Whichever is found first.
    Any,
    /// A shortest one, a completed call counted as one step ([bebop §3.2]).
    #[default]
    Shortest,
}
