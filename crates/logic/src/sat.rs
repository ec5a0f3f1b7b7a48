//! Satisfiability behind a narrow trait, and clauses for functions, written when asked for.

use crate::{Aig, Lit};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// Says whether to stop. Asked every few milliseconds while a solver works.
pub type StopFlag = Arc<dyn Fn() -> bool + Send + Sync>;

/// Never stops.
pub fn never() -> StopFlag {
    Arc::new(|| false)
}

/// The work was stopped before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for Stopped {}

/// An incremental SAT solver. Variables are numbers from 1; a negative number is a negated
/// variable.
pub trait SatSolver {
    /// A solver without clauses.
    fn new(stop: StopFlag) -> Self;
    /// One of the literals must hold.
    fn add(&mut self, clause: &[i32]);
    /// Whether all clauses and assumptions can hold together.
    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Stopped>;
    /// The value of a variable, after `solve` said yes.
    fn value(&mut self, variable: i32) -> bool;
}

/// CaDiCaL, the default.
pub struct Cadical {
    solver: cadical::Solver<Watch>,
}

struct Watch(StopFlag);

impl cadical::Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Cadical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cadical").field("variables", &self.solver.max_variable()).finish()
    }
}

impl SatSolver for Cadical {
    fn new(stop: StopFlag) -> Self {
        let mut solver = cadical::Solver::new();
        solver.set_callbacks(Some(Watch(stop)));
        Cadical { solver }
    }
    fn add(&mut self, clause: &[i32]) {
        self.solver.add_clause(clause.iter().copied());
    }
    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Stopped> {
        self.solver.solve_with(assumptions.iter().copied()).ok_or(Stopped)
    }
    fn value(&mut self, variable: i32) -> bool {
        self.solver.value(variable).unwrap_or(false)
    }
}

/// A solver that knows functions of one graph: clauses are written for the cones asked for, once
/// (Tseitin's encoding).
#[derive(Debug)]
pub struct Clauses<S = Cadical> {
    solver: S,
    variables: FxHashMap<u32, i32>,
    next: i32,
}

impl<S: SatSolver> Clauses<S> {
    /// Without clauses.
    pub fn new(stop: StopFlag) -> Self {
        Clauses { solver: S::new(stop), variables: FxHashMap::default(), next: 0 }
    }
    /// How many variables the solver has.
    pub fn len(&self) -> usize {
        self.next as usize
    }
    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }
    /// The solver's literal for a function.
    pub fn literal(&mut self, aig: &Aig, root: Lit) -> i32 {
        let mut stack = vec![root.node()];
        while let Some(&node) = stack.last() {
            if self.variables.contains_key(&node) {
                stack.pop();
                continue;
            }
            if let Some((a, b)) = aig.children(node) {
                match (self.known(a), self.known(b)) {
                    (Some(x), Some(y)) => {
                        let v = self.fresh(node);
                        self.solver.add(&[-v, x]);
                        self.solver.add(&[-v, y]);
                        self.solver.add(&[v, -x, -y]);
                        stack.pop();
                    }
                    (x, y) => {
                        stack.extend(x.is_none().then_some(a.node()));
                        stack.extend(y.is_none().then_some(b.node()));
                    }
                }
            } else {
                let v = self.fresh(node);
                if node == 0 {
                    self.solver.add(&[-v]);
                }
                stack.pop();
            }
        }
        self.known(root).expect("the root was just encoded")
    }
    fn fresh(&mut self, node: u32) -> i32 {
        self.next += 1;
        self.variables.insert(node, self.next);
        self.next
    }
    fn known(&self, lit: Lit) -> Option<i32> {
        let v = *self.variables.get(&lit.node())?;
        Some(if lit.is_complement() { -v } else { v })
    }
    /// Requires a function to hold from now on.
    pub fn require(&mut self, aig: &Aig, root: Lit) {
        let literal = self.literal(aig, root);
        self.solver.add(&[literal]);
    }
    /// Requires one of the functions to hold from now on.
    pub fn require_any(&mut self, aig: &Aig, roots: &[Lit]) {
        let clause: Vec<i32> = roots.iter().map(|&r| self.literal(aig, r)).collect();
        self.solver.add(&clause);
    }
    /// Whether the functions can hold together, and with everything required.
    pub fn solve(&mut self, aig: &Aig, roots: &[Lit]) -> Result<bool, Stopped> {
        let assumptions: Vec<i32> = roots.iter().map(|&r| self.literal(aig, r)).collect();
        self.solver.solve(&assumptions)
    }
    /// The value of a function after `solve` said yes; that of an input which no clause mentions is
    /// false. Not for other functions that no clause mentions.
    pub fn value(&mut self, lit: Lit) -> bool {
        match self.known(lit) {
            Some(v) => self.solver.value(v.abs()) ^ (v < 0),
            None => lit.is_complement(),
        }
    }
}
