//! BatSat, a descendant of MiniSat. Thousands of small questions, each with other assumptions, take it a fraction of the
//! time that a solver with inprocessing takes; and it shares nothing with CaDiCaL, so that one checks what the other says.

use crate::{SatSolver, StopFlag, Stopped};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use std::cell::Cell;
use std::fmt;

/// BatSat behind the trait.
pub struct Batsat {
    solver: Solver<Flag>,
    vars: Vec<Var>,
    scratch: Vec<Lit>,
}

impl fmt::Debug for Batsat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batsat").field("variables", &self.vars.len()).finish()
    }
}

struct Flag {
    stop: StopFlag,
    asked: Cell<u32>,
    /// What was said once stays said until the next question: the solver asks again before it gives up, and would start
    /// anew.
    said: Cell<bool>,
}

/// Steps of the solver between two looks at the flag.
const STEPS: u32 = 64;

impl Callbacks for Flag {
    fn stop(&self) -> bool {
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        if asked.is_multiple_of(STEPS) && (self.stop)() {
            self.said.set(true);
        }
        self.said.get()
    }
}

impl Batsat {
    fn literals(&mut self, numbers: &[i32]) {
        self.scratch.clear();
        for &number in numbers {
            let place = number.unsigned_abs() as usize;
            while self.vars.len() < place {
                self.vars.push(self.solver.new_var_default());
            }
            self.scratch.push(Lit::new(self.vars[place - 1], number > 0));
        }
    }
}

impl SatSolver for Batsat {
    fn new(stop: StopFlag) -> Self {
        let flag = Flag { stop, asked: Cell::new(0), said: Cell::new(false) };
        let solver = Solver::new(SolverOpts::default(), flag);
        Batsat { solver, vars: Vec::new(), scratch: Vec::new() }
    }
    fn add(&mut self, clause: &[i32]) {
        self.literals(clause);
        self.solver.add_clause_reuse(&mut self.scratch);
    }
    fn solve(&mut self, assumptions: &[i32]) -> Result<bool, Stopped> {
        self.literals(assumptions);
        self.solver.cb().said.set(false);
        match self.solver.solve_limited(&self.scratch) {
            r if r == lbool::TRUE => Ok(true),
            r if r == lbool::FALSE => Ok(false),
            _ => Err(Stopped),
        }
    }
    fn value(&mut self, variable: i32) -> bool {
        let var = self.vars.get(variable as usize - 1);
        var.is_some_and(|&var| self.solver.value_var(var) == lbool::TRUE)
    }
    fn failed(&mut self, assumption: i32) -> bool {
        let var = self.vars[assumption.unsigned_abs() as usize - 1];
        self.solver.unsat_core_contains_var(var)
    }
}
