//! Executions on a few plain inputs, before anything is proved: a run through loops of a hundred thousand rounds is
//! quickly executed and never searched.

use crate::bounded::{Run, Searched, executed_for};
use crate::prover::{Answers, Verdict};
use c_data::{Callee, Program, StmtKind};
use engine_bounded::{Goal, Inputs};
use std::collections::BTreeSet;

/// What answers of executions are called.
pub(crate) const EXECUTED: &str = "bounded";

/// How many inputs there are, and steps: where none is taken, and else.
const INPUTS: usize = 150_000;
const STEPS_ALONE: u64 = 200_000_000;
const STEPS: u64 = 5_000_000;

/// Executes a program with one goal on a few inputs. None unless it gets there.
pub(crate) fn tried(
    of: &Searched<'_>,
    goals: &[Goal],
    lines: usize,
    budget: &check::Budget,
) -> Option<Answers> {
    let ([goal], program) = (goals, of.data.program()) else { return None };
    if goal.points.is_empty() || of.harness.is_some() {
        return None;
    }
    let names = input_functions(program);
    // Inputs are told with the functions that give them, of which there is one then.
    let (name, rounds) = match &names[..] {
        [] => ("", 1),
        [one] if of.stubs.is_empty() => (one.as_str(), 5),
        _ => return None,
    };
    for round in 0..rounds {
        let values: Vec<i128> = match rounds {
            1 => Vec::new(),
            _ => (0..INPUTS).map(|i| number(round, i)).collect(),
        };
        let steps = if rounds == 1 { STEPS_ALONE } else { STEPS };
        let args = vec!["program".to_owned()];
        let run = Run { args: args.clone(), inputs: values.clone(), lines };
        let ran = executed_for(program, (&goal.points, None), run, steps, budget);
        if budget.poll().is_err() {
            return None;
        }
        if ran.reached {
            let taken = values.iter().take(ran.taken);
            let values = taken.map(|&value| (name.to_owned(), value)).collect();
            let verdicts = vec![Verdict::Reached(Inputs { values, argc: None }, ran.passed)];
            return Some(Answers {
                verdicts,
                counters: Vec::new(),
                allocates: false,
                stray: false,
            });
        }
    }
    None
}

/// Zeros, ones, small numbers and large ones.
fn number(round: usize, i: usize) -> i128 {
    let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    match round {
        0 => 0,
        1 => 1,
        2 => i128::from(mixed % 2),
        3 => i128::from(mixed % 1_000),
        _ => i128::from(mixed as i32),
    }
}

/// The functions that hand out inputs.
fn input_functions(program: &Program) -> Vec<String> {
    let mut out = BTreeSet::new();
    for f in program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.stmts) {
        if let StmtKind::Call(call) = &f.kind
            && let Callee::Direct(g) = call.callee
            && !program.functions[g.index()].has_body()
            && program.functions[g.index()].name.contains("nondet")
        {
            out.insert(program.functions[g.index()].name.clone());
        }
    }
    out.into_iter().collect()
}
