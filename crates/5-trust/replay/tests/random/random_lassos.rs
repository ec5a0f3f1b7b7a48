use super::flat::{flatten, formula, is_run, satisfies};
use super::generate::{Rng, program};
use super::heads::Heads;
use super::naive::{Reached, partial, successors};
use super::random_traces::{corrupt, verify};
use check::{Goal, Lasso, Trace};
use ir::{EdgeKind, Program};
use replay::machine::Role;
use replay::space::Space;
use replay::{Accepted, Judgement, Reason, check_lasso, check_trace, judge};
use std::sync::Arc;

/// What was found in one run of the test.
#[derive(Default, Debug)]
struct Counts {
    loops: usize,
    growing: usize,
    terminated: usize,
    refused: usize,
    kept: usize,
    violated: usize,
    satisfied: usize,
    unrolled: usize,
    inconclusive: usize,
}

/// A lasso of full claims: whatever the judge says is what the definition says.
fn judge_it(rng: &mut Rng, program: &Arc<Program>, space: &Space, trace: &Trace, n: &mut Counts) {
    let (flat, start) = flatten(trace);
    let looping = matches!(trace.lasso, Some(Lasso::Loop { .. }));
    if looping && !flat[start..].iter().any(|(edge, _)| program.edges[*edge].step) {
        assert!(check_lasso(program, trace, None).is_err());
        return;
    }
    if flat.len() > 200 {
        return;
    }
    assert!(is_run(program, space, trace));
    for _ in 0..4 {
        let formula = formula(rng, program);
        let expected = match satisfies(program, space, trace, &formula) {
            true => Judgement::Satisfies,
            false => Judgement::Violates,
        };
        let accepted = check_lasso(program, trace, Some(&formula)).unwrap();
        verify(&accepted, None);
        assert_eq!(judge(&accepted, &formula), expected);
        match expected {
            Judgement::Violates => n.violated += 1,
            _ => n.satisfied += 1,
        }
        // Without claims about the atoms: the run that is judged is a real one.
        let accepted = check_lasso(program, trace, None).unwrap();
        let Some(run) = crate::concrete::run(&accepted, None) else {
            n.inconclusive += 1;
            continue;
        };
        if flatten(&run).0.len() > 200 {
            continue;
        }
        assert!(is_run(program, space, &run), "{run:?}");
        check_lasso(program, &run, None).unwrap();
        let expected = match satisfies(program, space, &run, &formula) {
            true => Judgement::Satisfies,
            false => Judgement::Violates,
        };
        assert_eq!(judge(&accepted, &formula), expected);
    }
}

/// The listing is right in the first turn and in the second.
fn shows_what_holds(accepted: &Accepted, space: &Space) {
    let total = accepted.total_steps();
    assert_eq!(num_bigint::BigUint::from(accepted.shown(usize::MAX).count()), total);
    let Some(start) = accepted.loop_start(usize::MAX) else { return };
    let Some(run) = crate::concrete::run(accepted, None) else { return };
    let program = &accepted.program;
    let shown: Vec<_> = accepted.shown(usize::MAX).collect();
    let (flat, flat_start) = flatten(&run);
    let Some(Lasso::Loop { .. }) = run.lasso else { return };
    if flat.len() > 2000 {
        return;
    }
    let listed = |edge: ir::EdgeId| replay::lists(program, edge);
    // The run, with its loop once more, against the listing with its loop again and again.
    let steps = flat.iter().chain(&flat[flat_start..]).filter(|(edge, _)| listed(*edge));
    let mut at = 0;
    for (edge, state) in steps {
        assert_eq!(shown[at].edge, Some(*edge));
        let mut state = state.clone();
        state.forget(space.results());
        assert!(state.covers(&shown[at].state), "{:?} {:?}", state, shown[at]);
        at += 1;
        if at == shown.len() {
            at = start;
        }
    }
}

#[test]
fn real_lassos_are_accepted_and_whatever_is_accepted_goes_on_for_ever() {
    let mut n = Counts::default();
    for seed in 0..110 {
        let mut rng = Rng::new(50_000 + seed);
        let mut program = program(&mut rng);
        for edge in program.edges.ids().collect::<Vec<_>>() {
            program.edges[edge].marks = (rng.below(8) & rng.below(8)) as ir::MarkSet;
        }
        let program = Arc::new(program);
        let space = Space::new(&program);
        let reached = Reached::new(&program);
        if reached.items.is_empty() {
            continue;
        }
        let heads = Heads::new(&reached, 0);
        for _ in 0..6 {
            let Some((head, cycle)) = heads.cycle(&mut rng) else { continue };
            let (node, state) = &heads.list[head];
            let item =
                reached.items.iter().position(|i| i.node == *node && i.state == *state).unwrap();
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
            let (flat, start) = flatten(&trace);
            let seen = flat[start..].iter().fold(0, |m, (e, _)| m | program.edges[*e].marks);
            let marks = seen.trailing_ones();
            let goal = Goal::Repeat { marks };
            let accepted =
                check_trace(&program, &goal, &trace).unwrap_or_else(|r| panic!("seed {seed}: {r}"));
            verify(&accepted, None);
            assert_eq!(accepted.lasso(), trace.lasso);
            shows_what_holds(&accepted, &space);
            n.loops += 1;
            n.growing += (trace.frames.len() > frame + 1) as usize;
            let refusal = check_trace(&program, &Goal::Repeat { marks: marks + 1 }, &trace);
            assert_eq!(refusal.unwrap_err().reason, Reason::Mark { mark: marks });
            judge_it(&mut rng, &program, &space, &trace, &mut n);

            for _ in 0..6 {
                let mut bad = trace.clone();
                match rng.below(4) {
                    0 => {
                        let frame = rng.below(bad.frames.len());
                        let step = rng.below(bad.frames[frame].steps.len() + 1);
                        bad.lasso = Some(Lasso::Loop { frame, step });
                    }
                    1 => {
                        let bit = rng.below(space.layout.scope_bits() as usize) as u32;
                        let old = bad.end.get(bit);
                        bad.end.set(bit, if rng.chance(60) { old.map(|b| !b) } else { None });
                    }
                    _ => {
                        for _ in 0..1 + rng.below(3) {
                            corrupt(&mut rng, &mut bad, space.layout.scope_bits());
                        }
                    }
                }
                match check_trace(&program, &Goal::Repeat { marks: 0 }, &bad) {
                    Ok(accepted) => {
                        verify(&accepted, None);
                        n.kept += 1;
                        n.unrolled += (accepted.lasso() != bad.lasso) as usize;
                        if let Some(run) = crate::concrete::run(&accepted, None) {
                            assert!(is_run(&program, &space, &run));
                        }
                    }
                    Err(refusal) => {
                        assert_ne!(refusal.reason, Reason::Internal, "seed {seed}");
                        n.refused += 1;
                    }
                }
            }
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
                let accepted = check_lasso(&program, &trace, None).unwrap();
                verify(&accepted, None);
                let shown = accepted.shown(usize::MAX).count();
                assert_eq!(accepted.loop_start(usize::MAX), Some(shown - 1));
                assert!(check_trace(&program, &Goal::Repeat { marks: 0 }, &trace).is_err());
                judge_it(&mut rng, &program, &space, &trace, &mut n);
                n.terminated += 1;
            }
        }
    }
    assert!(
        n.loops > 200 && n.growing > 20 && n.terminated > 50 && n.refused > 300 && n.kept > 300,
        "{n:?}"
    );
    assert!(n.violated > 400 && n.satisfied > 400 && n.inconclusive < 20, "{n:?}");
}
