//! Systems in which something has no value: `head([])`, `Int2Pos(0)`, a division by zero.
//!
//! In mCRL2 such a term stays as it is, and what contains it is decided by the rest, if it is. Here likewise: right-hand
//! sides are positive, negations being inside of the tests, so that a system's value can only grow with the values of its
//! tests.
//!
//! UD1: what is true with each test without a value taken for false is true.
//! UD2: what is false with each of them taken for true is false.
//! UD3: the value of anything else depends on what has none: an error.
//!
//! A system in which everything has a value is solved once, as ever.

use crate::solver::{Method, Solver};
use crate::system::{SolveError, System, Watch};

/// The value of the system's first variable, and the solver that has found it, which can explain it.
pub fn solve<S: System>(
    system: S,
    method: Method,
    watch: &mut Watch<'_>,
) -> Result<(bool, Solver<S>), SolveError<S::Error>> {
    let mut solver = Solver::new(system);
    let error = match solver.solve(method, watch) {
        Ok(value) => return Ok((value, solver)),
        Err(SolveError::System(error)) => error,
        Err(other) => return Err(other),
    };
    let mut system = solver.into_system();
    for value in [false, true] {
        if !system.suppose(&error, value) {
            break;
        }
        let mut solver = Solver::new(system);
        match solver.solve(method, watch) {
            Ok(found) if found != value => return Ok((found, solver)),
            Ok(_) => {}
            Err(SolveError::System(_)) => break,
            Err(other) => return Err(other),
        }
        system = solver.into_system();
    }
    Err(SolveError::System(error))
}
