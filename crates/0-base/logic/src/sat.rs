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
    /// Whether an assumption was needed, after `solve` said no: those that were cannot hold together
    /// with the clauses.
    fn failed(&mut self, assumption: i32) -> bool;
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
    fn failed(&mut self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }
}

/// Bytes that a solver takes for a variable, and for a clause beside its literals: its tables and
/// watch lists, with as much again for what it learns. Measured with CaDiCaL (`--ignored
/// memory_of_solvers` among the tests); within a factor of two.
const VARIABLE_BYTES: u64 = 400;
const CLAUSE_BYTES: u64 = 100;
const LITERAL_BYTES: u64 = 8;

/// Nodes between two looks at the flag.
const STEPS: u32 = 1 << 14;

/// A solver that knows functions of one graph: clauses are written for the cones asked for, once
/// (Tseitin's encoding).
pub struct Clauses<S = Cadical> {
    solver: S,
    stop: StopFlag,
    variables: FxHashMap<u32, i32>,
    next: i32,
    /// About how many bytes the solver holds.
    held: u64,
}

impl<S: fmt::Debug> fmt::Debug for Clauses<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clauses")
            .field("solver", &self.solver)
            .field("variables", &self.next)
            .finish_non_exhaustive()
    }
}

impl<S: SatSolver> Clauses<S> {
    /// Without clauses.
    pub fn new(stop: StopFlag) -> Self {
        let solver = S::new(stop.clone());
        Clauses { solver, stop, variables: FxHashMap::default(), next: 0, held: 0 }
    }
    /// How many variables the solver has.
    pub fn len(&self) -> usize {
        self.next as usize
    }
    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }
    /// About how many bytes the solver holds.
    pub fn bytes(&self) -> u64 {
        self.held
    }
    fn add(&mut self, clause: &[i32]) {
        self.held += CLAUSE_BYTES + LITERAL_BYTES * clause.len() as u64;
        self.solver.add(clause);
    }
    /// The solver's literal for a function.
    pub fn literal(&mut self, aig: &Aig, root: Lit) -> Result<i32, Stopped> {
        let mut stack = vec![root.node()];
        let mut steps = 0u32;
        while let Some(&node) = stack.last() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STEPS) && (self.stop)() {
                return Err(Stopped);
            }
            if self.variables.contains_key(&node) {
                stack.pop();
                continue;
            }
            if let Some((a, b)) = aig.children(node) {
                match (self.known(a), self.known(b)) {
                    (Some(x), Some(y)) => {
                        let v = self.fresh(node);
                        self.add(&[-v, x]);
                        self.add(&[-v, y]);
                        self.add(&[v, -x, -y]);
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
                    self.add(&[-v]);
                }
                stack.pop();
            }
        }
        Ok(self.known(root).expect("the root was just encoded"))
    }
    fn fresh(&mut self, node: u32) -> i32 {
        self.next += 1;
        self.held += VARIABLE_BYTES;
        self.variables.insert(node, self.next);
        self.next
    }
    fn known(&self, lit: Lit) -> Option<i32> {
        let v = *self.variables.get(&lit.node())?;
        Some(if lit.is_complement() { -v } else { v })
    }
    fn literals(&mut self, aig: &Aig, roots: &[Lit]) -> Result<Vec<i32>, Stopped> {
        roots.iter().map(|&r| self.literal(aig, r)).collect()
    }
    /// Requires a function to hold from now on.
    pub fn require(&mut self, aig: &Aig, root: Lit) -> Result<(), Stopped> {
        self.require_any(aig, &[root])
    }
    /// Requires one of the functions to hold from now on.
    pub fn require_any(&mut self, aig: &Aig, roots: &[Lit]) -> Result<(), Stopped> {
        let clause = self.literals(aig, roots)?;
        self.add(&clause);
        Ok(())
    }
    /// Whether the functions can hold together, and with everything required.
    pub fn solve(&mut self, aig: &Aig, roots: &[Lit]) -> Result<bool, Stopped> {
        let assumptions = self.literals(aig, roots)?;
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
    /// Whether a function that was asked for was needed, after `solve` said no.
    pub fn failed(&mut self, lit: Lit) -> bool {
        self.known(lit).is_some_and(|v| self.solver.failed(v))
    }
}
