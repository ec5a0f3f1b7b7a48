//! Lassos that violate a formula, listed and read back.

use super::flat::{flatten, formula, satisfies};
use super::generate::{Rng, program};
use super::heads::Heads;
use super::naive::{Reached, partial, successors};
use check::{Budget, Lasso, Temporal, Trace};
use ir::{EdgeKind, Program};
use replay::machine::Role;
use replay::space::Space;
use replay::{Accepted, check_lasso};
use reports::{ListedEnd, ListedLasso, ListedStep, Outcome, replay_lasso};
use std::sync::Arc;

/// What was found in one run of the test.
#[derive(Default, Debug)]
struct Counts {
    relisted: usize,
    unlisted: usize,
    listed_otherwise: usize,
}

/// The listing of an accepted lasso, as a report has it.
fn listing(program: &Program, accepted: &Accepted) -> Option<ListedLasso> {
    let state = |shown: &replay::Shown, proc| {
        replay::state_vars(program, accepted.layout(), proc, &shown.state)
    };
    let mut shown: Vec<_> = accepted.shown(usize::MAX).collect();
    let start = accepted.loop_start(usize::MAX)?;
    let end = match accepted.lasso()? {
        Lasso::Loop { .. } => ListedEnd::Loop { start },
        Lasso::Terminated => ListedEnd::Terminated { state: state(&shown.pop()?, program.entry) },
        Lasso::Failed => ListedEnd::Failed { state: state(&shown.pop()?, program.entry) },
    };
    let step = |shown: &replay::Shown| {
        let node = &program.nodes[shown.node];
        let (proc, line, depth) = (node.proc, node.origin.line, shown.depth);
        ListedStep {
            proc,
            line,
            depth,
            state: state(shown, proc),
            folded: false,
            column: None,
            text: None,
        }
    };
    Some(ListedLasso {
        steps: shown.iter().map(step).collect(),
        end,
        growth: Some(accepted.loop_growth()),
    })
}

/// A lasso that violates the formula, listed and read back.
fn read_back(
    rng: &mut Rng,
    program: &Arc<Program>,
    accepted: &Accepted,
    formula: &Temporal,
    n: &mut Counts,
) {
    let Some(listed) = listing(program, accepted) else { return };
    let budget = Budget::unlimited();
    match replay_lasso(program, &listed, formula, &budget) {
        Outcome::Accepted { .. } => n.relisted += 1,
        Outcome::Inconclusive { .. } => n.unlisted += 1,
        Outcome::Refuted { step, why } => panic!("step {step}: {why}\n{listed:?}"),
    }
    // Changed, nothing may go wrong but the answer.
    let mut bad = listed;
    for _ in 0..1 + rng.below(2) {
        if let ListedEnd::Loop { start } = &mut bad.end
            && rng.chance(20)
        {
            *start = rng.below(bad.steps.len() + 1);
            continue;
        }
        if bad.steps.is_empty() {
            return;
        }
        let at = rng.below(bad.steps.len());
        let step = &mut bad.steps[at];
        match rng.below(4) {
            0 => step.depth = (step.depth + rng.below(3)).saturating_sub(1),
            1 => step.line = 10 + rng.below(5) as u32,
            2 => {
                bad.steps.remove(at);
            }
            _ => {
                if let Some((_, replay::Value::Bool(b))) = step.state.first_mut() {
                    *b = !*b;
                }
            }
        }
    }
    let outcome = replay_lasso(program, &bad, formula, &budget);
    n.listed_otherwise += matches!(outcome, Outcome::Refuted { .. }) as usize;
}

/// Formulas that the lasso violates.
fn violated(rng: &mut Rng, program: &Arc<Program>, space: &Space, trace: &Trace, n: &mut Counts) {
    let (flat, start) = flatten(trace);
    let looping = matches!(trace.lasso, Some(Lasso::Loop { .. }));
    let moves = flat[start..].iter().any(|(edge, _)| program.edges[*edge].step);
    if flat.len() > 200 || looping && !moves {
        return;
    }
    for _ in 0..4 {
        let formula = formula(rng, program);
        if !satisfies(program, space, trace, &formula) {
            let accepted = check_lasso(program, trace, Some(&formula)).expect("a lasso");
            read_back(rng, program, &accepted, &formula, n);
        }
    }
}

#[test]
fn lassos_that_are_listed_are_found_again() {
    let mut n = Counts::default();
    for seed in 0..110 {
        let mut rng = Rng::new(50_000 + seed);
        let program = Arc::new(program(&mut rng));
        let space = Space::new(&program);
        let reached = Reached::new(&program);
        if reached.items.is_empty() {
            continue;
        }
        let heads = Heads::new(&reached, 0);
        for _ in 0..6 {
            let Some((head, cycle)) = heads.cycle(&mut rng) else { continue };
            let (node, state) = &heads.list[head];
            let at = reached.items.iter().position(|i| i.node == *node && i.state == *state);
            let item = at.expect("a head is reached");
            let mut at = head;
            let mut along = Vec::new();
            for edge in &cycle {
                along.push((heads.list[at].1.clone(), edge.edge, edge.summary));
                at = edge.to;
            }
            let stem = reached.trace(&space, item);
            let frame = stem.frames.len() - 1;
            let step = stem.frames[frame].steps.len();
            let mut trace = reached.lasso(&space, item, &along);
            trace.lasso = Some(Lasso::Loop { frame, step });
            violated(&mut rng, &program, &space, &trace, &mut n);
        }
        // Runs that finish.
        for item in 0..reached.items.len() {
            let trace = reached.trace(&space, item);
            let i = &reached.items[item];
            if trace.frames.len() > 1 || !rng.chance(20) {
                continue;
            }
            for edge in program.out_edges(i.node) {
                let EdgeKind::Return { rel } = &program.edges[edge].kind else { continue };
                let exits = successors(&program, rel, Role::Return, i.proc, None, &i.state);
                let Some((exit, _)) = exits.first() else { continue };
                let mut trace = trace.clone();
                let state = partial(&program, &space, &i.state);
                trace.frames[0].steps.push(check::Step { edge, state, inside: None });
                trace.end = partial(&program, &space, exit);
                trace.end.forget(space.results());
                trace.lasso = Some(Lasso::Terminated);
                violated(&mut rng, &program, &space, &trace, &mut n);
            }
        }
    }
    assert!(n.relisted > 300 && n.unlisted < n.relisted / 4, "{n:?}");
    assert!(n.listed_otherwise > 100, "{n:?}");
}
