//! Clauses for the SAT solver, built through a small boolean algebra.
//!
//! Gates are shared and constants folded, then written as clauses at once (Tseitin's encoding).
//! The solver is `batsat`, which no engine uses: a certificate is never judged by the code that
//! made it.

use batsat::{Callbacks, Lit as SatLit, Solver, SolverInterface, SolverOpts, lbool};
use check::{Budget, StopReason};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ops::Not;

/// A literal: twice the variable, plus one if negated. Variable 0 is true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(u32);

impl Lit {
    pub(crate) const TRUE: Lit = Lit(0);
    pub(crate) const FALSE: Lit = Lit(1);
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What the solver may spend.
#[derive(Clone)]
pub(crate) enum Effort {
    Budget(Budget),
    /// So many of its own steps: the same on every machine.
    Steps(u64),
}

/// Stops the solver when that is spent.
struct Stop {
    effort: Effort,
    steps: Cell<u64>,
}

impl Callbacks for Stop {
    fn stop(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.spent().is_some()
    }
}

impl Stop {
    fn spent(&self) -> Option<StopReason> {
        match &self.effort {
            Effort::Budget(budget) => budget.poll().err(),
            Effort::Steps(limit) => {
                (self.steps.get() > *limit).then_some(StopReason::Steps { limit: *limit })
            }
        }
    }
}

/// A set of clauses that grows.
pub(crate) struct Cnf {
    solver: Solver<Stop>,
    vars: Vec<batsat::Var>,
    gates: FxHashMap<(Lit, Lit), Lit>,
    scratch: Vec<SatLit>,
}

impl Cnf {
    pub(crate) fn new(effort: Effort) -> Cnf {
        let mut cnf = Cnf {
            solver: Solver::new(SolverOpts::default(), Stop { effort, steps: Cell::new(0) }),
            vars: Vec::new(),
            gates: FxHashMap::default(),
            scratch: Vec::new(),
        };
        let yes = cnf.fresh();
        debug_assert!(yes == Lit::TRUE);
        cnf.scratch.push(cnf.sat(yes));
        cnf.solver.add_clause_reuse(&mut cnf.scratch);
        cnf
    }
    fn sat(&self, lit: Lit) -> SatLit {
        SatLit::new(self.vars[lit.0 as usize / 2], lit.0 & 1 == 0)
    }
    /// A new variable.
    pub(crate) fn fresh(&mut self) -> Lit {
        let lit = Lit(2 * self.vars.len() as u32);
        self.vars.push(self.solver.new_var_default());
        lit
    }
    pub(crate) fn constant(&self, value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == Lit::TRUE {
            return b;
        }
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if let Some(&gate) = self.gates.get(&(a, b)) {
            return gate;
        }
        let gate = self.fresh();
        self.gates.insert((a, b), gate);
        self.clause(&[!gate, a]);
        self.clause(&[!gate, b]);
        self.clause(&[gate, !a, !b]);
        gate
    }
    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }
    pub(crate) fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        let (x, y) = (self.and(c, a), self.and(!c, b));
        self.or(x, y)
    }
    pub(crate) fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        self.ite(a, b, !b)
    }
    /// Requires that one of the literals holds.
    pub(crate) fn clause(&mut self, lits: &[Lit]) {
        if lits.contains(&Lit::TRUE) {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend(lits.iter().filter(|&&l| l != Lit::FALSE).map(|&l| self.sat(l)));
        self.solver.add_clause_reuse(&mut scratch);
        self.scratch = scratch;
    }
    /// Whether all clauses can hold together.
    pub(crate) fn solve(&mut self) -> Result<bool, StopReason> {
        let result = self.solver.solve_limited(&[]);
        if result == lbool::TRUE {
            return Ok(true);
        }
        if result == lbool::FALSE {
            return Ok(false);
        }
        Err(self.solver.cb().spent().unwrap_or(StopReason::Cancelled))
    }
    /// The value of a literal in the solution that was found.
    pub(crate) fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(self.sat(lit)) == lbool::TRUE
    }
}

#[cfg(test)]
mod tests {
    use super::{Cnf, Effort, Lit};

    type Gate = fn(&mut Cnf, [Lit; 3]) -> Lit;

    /// Every gate against its truth table, by fixing inputs and asking for the output.
    #[test]
    fn gates_have_their_truth_tables() {
        for row in 0..8u32 {
            let [a, b, c] = [0, 1, 2].map(|i| row >> i & 1 == 1);
            let table: [(Gate, bool); 4] = [
                (|f, [a, b, _]| f.and(a, b), a && b),
                (|f, [a, b, _]| f.or(a, b), a || b),
                (|f, [a, b, _]| f.iff(a, b), a == b),
                (|f, [a, b, c]| f.ite(a, b, c), if a { b } else { c }),
            ];
            for (gate, expected) in table {
                for claim in [false, true] {
                    let mut cnf = Cnf::new(Effort::Steps(1000));
                    let inputs = [cnf.fresh(), cnf.fresh(), cnf.fresh()];
                    let out = gate(&mut cnf, inputs);
                    for (lit, value) in inputs.into_iter().zip([a, b, c]) {
                        cnf.clause(&[if value { lit } else { !lit }]);
                    }
                    cnf.clause(&[if claim { out } else { !out }]);
                    assert_eq!(cnf.solve(), Ok(claim == expected));
                    if claim == expected {
                        assert_eq!(inputs.map(|l| cnf.value(l)), [a, b, c]);
                    }
                    // The same with constants folded.
                    let inputs = [a, b, c].map(|v| cnf.constant(v));
                    assert_eq!(gate(&mut cnf, inputs), cnf.constant(expected));
                }
            }
        }
    }
}
