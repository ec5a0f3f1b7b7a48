//! What is searched: places with words, and what happens between them as functions of one graph of formulas.

use logic::{Aig, Lit, Valuation};

/// A variable with so many numbers gets no more from what it becomes.
const MENTIONED: usize = 64;

/// A word of a place.
#[derive(Clone, Debug)]
pub struct Variable {
    /// What people call it.
    pub name: String,
    /// Its bits, the lowest first: inputs of the formulas that no other variable has.
    pub bits: Vec<Lit>,
    /// It is a number with a sign.
    pub signed: bool,
    /// Numbers that it is compared with, or becomes.
    pub numbers: Vec<u128>,
    /// Variables of the same place that it is compared with.
    pub beside: Vec<usize>,
}

/// A place that every run without end comes to again and again, or the start.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// What people call it.
    pub name: String,
    /// What changes there; all else is the same whenever a run comes there.
    pub variables: Vec<Variable>,
    /// What the block that starts there passes, in the order in which it does.
    pub calls: Vec<Call>,
    /// Variables that are what large objects hold at an index.
    pub elements: Option<Elements>,
}

/// One element of each of some objects: those at an index that may be any, and stays what it is.
#[derive(Clone, Debug)]
pub struct Elements {
    /// The variable that is the index.
    pub index: usize,
    /// Those that are elements.
    pub all: Vec<usize>,
}

/// A call that a block passes. What is called is followed elsewhere, up to a place that nothing leads on from; a block
/// passes the call if some run comes to that place with these values. So a place is reached by a tree of runs.
#[derive(Clone, Debug)]
pub struct Call {
    /// The place at which what is called ends.
    pub node: usize,
    /// When a run passes the call.
    pub when: Lit,
    /// What the variables of that place are.
    pub values: Vec<Vec<Lit>>,
    /// Which of them the block gets from the call: inputs of its own.
    pub given: Vec<bool>,
}

/// What happens from one place to the next.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// When it is taken: a function of the variables of `from`, and of inputs that are arbitrary each time.
    pub guard: Lit,
    /// What the variables of `to` are then.
    pub values: Vec<Vec<Lit>>,
}

/// A graph of large blocks. The first place is the start; it has no variables, and nothing leads back to it.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The formulas.
    pub aig: Aig,
    /// The places.
    pub nodes: Vec<Node>,
    /// What happens between them.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// Adds numbers that variables become to those that they are compared with.
    pub(crate) fn mention_given(&mut self) {
        for edge in &self.edges {
            for (variable, bits) in self.nodes[edge.to].variables.iter_mut().zip(&edge.values) {
                if bits.iter().any(|l| !l.is_constant()) || variable.numbers.len() >= MENTIONED {
                    continue;
                }
                let bit = |(i, &l): (usize, &Lit)| u128::from(l == Lit::TRUE) << i;
                let number: u128 = bits.iter().enumerate().map(bit).sum();
                if !variable.numbers.contains(&number) {
                    variable.numbers.push(number);
                }
            }
        }
    }
}

/// What must not happen: at a place, the function that says when.
#[derive(Clone, Copy, Debug)]
pub struct Bad {
    /// The place.
    pub node: usize,
    /// When.
    pub guard: Lit,
}

/// A run: edges from the start, then something bad; and what the inputs are at each step, that of the end included.
#[derive(Clone, Debug)]
pub struct Run {
    /// The edges.
    pub edges: Vec<usize>,
    /// Which of the things that must not happen does.
    pub bad: usize,
    /// The inputs of each step.
    pub inputs: Vec<Valuation>,
}
