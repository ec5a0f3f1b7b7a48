//! Whether all runs were followed to their end: the search once more, decided by a solver that the search does not use.
//!
//! So what was found by following all runs has a proof: the number of rounds that was enough. It is checked like this:
//!
//! - AF1: runs are followed as the search follows them, with so many rounds of loops and recursions, and what was never
//!   written is arbitrary.
//! - AF2: nothing that is asked about happens on them, and none that may still come to it is cut off.
//! - AF3: what can be is decided by another solver alone. What says that something can be, by whatever means, makes
//!   nothing true: it is followed, or the proof is refused.

use crate::decide::Deciding;
use crate::engine::{Cut, Engine, Step, Why};
use crate::relevance::Leads;
use crate::search::{Goal, cut_reason, script};
use c_data::{Check, Program};
use check::{Budget, StopReason};
use logic::Lit;

/// What does not happen.
#[derive(Clone, Debug)]
pub enum Never {
    /// A run comes to a place.
    Comes(Goal),
    /// An operation fails.
    Fails(Check),
}

/// Whether nothing happens that is asked about, and all runs end within so many rounds of loops and recursions; or why
/// that is not known.
pub fn all_followed(
    program: &Program,
    never: &Never,
    rounds: u32,
    budget: &Budget,
) -> Result<Result<(), String>, StopReason> {
    let Some(script) = script(program) else {
        return Ok(Err("there is no function `main`".to_owned()));
    };
    let (goals, check) = match never {
        Never::Comes(goal) => (std::slice::from_ref(goal), None),
        Never::Fails(check) => (&[][..], Some(*check)),
    };
    let mut engine = Engine::new(program, goals, script, (rounds, false), budget);
    engine.decider = Deciding::checking(budget);
    engine.check = check;
    let goal = match never {
        Never::Comes(goal) => {
            engine.slice = Some(Leads::slice(program, std::iter::once(goal)));
            goal.clone()
        }
        Never::Fails(check) => Goal { points: program.operation_points(*check) },
    };
    engine.run()?;
    let failed: Vec<Lit> = engine.failed.values().map(|guard| !*guard).collect();
    let passes = engine.c.aig.and_all(failed);
    let mut happens = !passes;
    for &reached in &engine.reached.clone() {
        happens = engine.c.aig.or(happens, reached);
    }
    if engine.possible(happens)? {
        return Ok(Err("what it says not to happen happens".to_owned()));
    }
    left_out(&mut engine, program, &goal, passes, rounds)
}

/// Runs that were cut off and may come to what is asked about. AF2.
fn left_out(
    engine: &mut Engine<'_>,
    program: &Program,
    goal: &Goal,
    passes: Lit,
    rounds: u32,
) -> Step<Result<(), String>> {
    let leads = Leads::new(program, goal);
    // What is left at the end of the program can come from everywhere.
    let everywhere = matches!(engine.check, Some(Check::Memory | Check::Cleanup));
    let uncovered = |c: &Cut| everywhere || matches!(c.why, Why::Uncovered(_));
    for cut in std::mem::take(&mut engine.cuts) {
        if !leads.from(&cut.place, uncovered(&cut)) {
            continue;
        }
        let guard = match cut.why {
            Why::Far => engine.c.aig.and(cut.guard, passes),
            _ => cut.guard,
        };
        if engine.possible(guard)? {
            return Ok(Err(cut_reason(program, &cut.why, rounds).to_string()));
        }
    }
    Ok(Ok(()))
}
