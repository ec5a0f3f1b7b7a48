//! What a rule asks of a program: another program, and places that no run of it shall come to.
//!
//! One product stands for all objects that the rule could be about: a hidden variable holds the number of
//! the one that a run is about, so that hundreds of them are one search.

use crate::value::{Birth, Executes, Violation};
use crate::variables::Instance;
use ir::{EdgeId, ExprId, IndexVec, NodeId, Program, VarId};
use std::sync::Arc;

/// A program whose runs to some places are the runs that break a rule.
#[derive(Debug)]
pub struct Product {
    /// The program.
    pub program: Arc<Program>,
    /// Where a run comes to by the step that breaks the rule, and in no other way.
    pub places: Vec<NodeId>,
    /// The variable with the number of what a run is about; none if there is only one, or if it is not
    /// told.
    pub number: Option<VarId>,
    /// For each such number, the condition that a run is about it.
    pub conditions: Vec<ExprId>,
    /// What the numbers, places and edges stand for.
    pub about: About,
}

/// What a product is made of.
#[derive(Debug)]
pub enum About {
    /// A rule over variables, or over no object.
    Variables(Variables),
    /// A rule about values.
    Values(Values),
}

/// What the parts of a product over variables stand for.
#[derive(Debug)]
pub struct Variables {
    /// The program that it was made of. What that has keeps its ids in the product.
    pub original: Arc<Program>,
    /// The objects, in the order of their numbers.
    pub instances: Vec<Instance>,
    /// Of each place, the node whose steps break the rule there.
    pub sources: Vec<NodeId>,
    /// The variable with the automaton's state.
    pub state: VarId,
    /// Of each edge, the one of the original that it executes.
    pub edges: IndexVec<EdgeId, Option<EdgeId>>,
}

/// What the parts of a product over values stand for.
#[derive(Debug)]
pub struct Values {
    /// What is known of each place.
    pub violations: Vec<Violation>,
    /// Where values come into being, by number.
    pub births: Vec<Birth>,
    /// Whether a value has been chosen, and the state of the rule's automaton.
    pub progress: [VarId; 2],
    /// For each edge, what it executes.
    pub edges: IndexVec<EdgeId, Option<Executes>>,
    /// The points that are nodes, for each body; the others do nothing that matters.
    pub kept: Vec<Vec<bool>>,
    /// All points are nodes: the rule tells steps apart in which nothing happens.
    pub keeps_all: bool,
    /// The most pointers and fields of a path.
    pub longest: usize,
    /// Variables that say whether a name holds the value, with the name as programs write it.
    pub names: Vec<(VarId, String)>,
    /// What is not modelled, one phrase each.
    pub limits: Vec<String>,
}
