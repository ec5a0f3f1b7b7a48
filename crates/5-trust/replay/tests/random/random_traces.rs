use super::generate::{Rng, program};
use super::naive::{Reached, Values, all, join, only, partial, successors};
use crate::shown::{Accepted, Run};
use check::{Goal, Partial, Target, Trace};
use ir::{EdgeKind, Exprs, Id, ProcId, VarId, VarKind};
use replay::machine::Role;
use replay::space::Space;
use replay::{Reason, check_trace};
use std::sync::Arc;

fn agrees(values: &Partial, need: &Partial) -> bool {
    values.covers(need)
}

/// Checks T1 and T2 of [`crate::trace`] for every step, by going through all valuations.
pub(crate) fn verify(accepted: &Accepted, target: Option<Target>) -> usize {
    let (program, space) = (&*accepted.program, &accepted.space);
    let bits = |values: &Values| partial(program, space, values);
    let mut checked = 0;
    // The initial valuations.
    for x in all(program, program.scope(program.entry)) {
        if agrees(&bits(&x), &accepted.start) {
            assert!(agrees(&bits(&x), &accepted.frames[0].needs[0]));
            let init = program.init;
            assert!(super::naive::holds(program, init.condition, init.choices, &x));
        }
    }
    let mut run = |run: &Run, proc: ProcId, next: Option<&Partial>| {
        for (i, step) in run.steps.iter().enumerate() {
            let (before, after) = (&run.needs[i], &run.needs[i + 1]);
            for x in all(program, program.scope(proc)) {
                if !agrees(&bits(&x), before) {
                    continue;
                }
                checked += 1;
                let ok = match &program.edges[step.edge].kind {
                    EdgeKind::Local { rel, .. } => {
                        successors(program, rel, Role::Local, proc, None, &x)
                            .iter()
                            .any(|(y, _)| agrees(&bits(y), after))
                    }
                    EdgeKind::Return { rel } => {
                        successors(program, rel, Role::Return, proc, None, &x)
                            .iter()
                            .any(|(y, _)| agrees(&bits(y), after))
                    }
                    EdgeKind::Call(call) => {
                        let f = call.callee;
                        let entered =
                            successors(program, &call.enter, Role::Enter, proc, Some(f), &x);
                        match step.inside {
                            None => {
                                let next = next.expect("the next frame's need");
                                entered.iter().any(|(c, _)| agrees(&bits(c), next))
                            }
                            Some(piece) => {
                                let piece = &accepted.pieces[piece];
                                let (entry, exit) =
                                    (&piece.run.needs[0], piece.run.needs.last().unwrap());
                                let mask = &accepted.masks[piece.changed as usize];
                                let global = |v: VarId| space.var(program, v).start;
                                let free: Vec<VarId> = program
                                    .globals
                                    .iter()
                                    .copied()
                                    .filter(|&v| mask.get(global(v)).is_some())
                                    .chain(program.procs[f].results.iter().copied())
                                    .collect();
                                let exits = all(program, free.iter().copied());
                                entered.iter().any(|(c, saved)| {
                                    let around = only(program, c, |k| k == VarKind::Global);
                                    agrees(&bits(c), entry)
                                        && exits
                                            .iter()
                                            .map(|o| join(&around, o))
                                            .filter(|o| agrees(&bits(o), exit))
                                            .all(|o| {
                                                let pre = join(&o, saved);
                                                successors(
                                                    program,
                                                    &call.back,
                                                    Role::Back,
                                                    proc,
                                                    Some(f),
                                                    &pre,
                                                )
                                                .iter()
                                                .any(|(y, _)| agrees(&bits(y), after))
                                            })
                                })
                            }
                        }
                    }
                };
                assert!(ok, "step {i} in {} from {x:?}", program.proc_name(proc));
            }
        }
    };
    for piece in accepted.pieces.iter() {
        let proc = program.nodes[program.edges[piece.run.steps[0].edge].source].proc;
        run(&piece.run, proc, None);
    }
    for (i, frame) in accepted.frames.iter().enumerate() {
        let proc = match frame.steps.first() {
            Some(step) => program.nodes[program.edges[step.edge].source].proc,
            None => program.nodes[accepted.target].proc,
        };
        run(frame, proc, accepted.frames.get(i + 1).map(|f| &f.needs[0]));
        if let Some(target) = target
            && i + 1 == accepted.frames.len()
        {
            let end = frame.needs.last().unwrap();
            for x in all(program, program.scope(proc)) {
                assert!(
                    !agrees(&bits(&x), end)
                        || super::naive::holds(program, target.condition, 0, &x)
                );
            }
        }
    }
    // T4.
    if let Some(check::Lasso::Loop { frame, step }) = accepted.lasso {
        let head = &accepted.frames[frame].needs[step];
        let end = accepted.frames.last().and_then(|run| run.needs.last()).unwrap();
        assert!(end.covers(head), "{end:?} {head:?}");
    }
    checked
}

/// Flips, drops or adds claims at random.
pub(crate) fn corrupt(rng: &mut Rng, trace: &mut Trace, bits: u32) {
    let frames = trace.frames.len();
    let at = rng.below(frames + trace.segments.len());
    let steps = match at.checked_sub(frames) {
        None => &mut trace.frames[at].steps,
        Some(s) => &mut trace.segments[check::SegmentId::new(s)].steps,
    };
    if steps.is_empty() {
        return;
    }
    let i = rng.below(steps.len());
    let bit = rng.below(bits as usize) as u32;
    let old = steps[i].state.get(bit);
    steps[i].state.set(bit, if rng.chance(60) { old.map(|b| !b) } else { None });
}

#[test]
fn real_runs_are_accepted_and_whatever_is_accepted_is_real() {
    let (mut accepted_count, mut refused, mut checked, mut calls) = (0, 0, 0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let program = Arc::new(program(&mut rng));
        let space = Space::new(&program);
        let reached = Reached::new(&program);
        let mut targets: Vec<Target> = program.nodes.ids().map(Target::at).collect();
        // A condition: some boolean expression over the globals that the program has anyway.
        for i in 0..program.exprs.len() {
            let condition = ir::ExprId::new(i);
            let mut fine = ir::widths(&program).unwrap()[i].0 == ir::Sort::Bool;
            program.exprs.postorder(condition, |_, e| match e {
                ir::Expr::Choice(_) => fine = false,
                ir::Expr::Read(t, v) | ir::Expr::Index(t, v, _) => {
                    fine &= t == ir::Time::Pre && program.vars[v].kind == VarKind::Global;
                }
                _ => {}
            });
            if fine && condition != Exprs::TRUE {
                let node = ir::NodeId::new(rng.below(program.nodes.len()));
                targets.push(Target { node, condition });
            }
        }
        for target in targets {
            let Some(item) = reached.find(target.node, target.condition) else { continue };
            let goal = Goal::Reach(vec![target]);
            let trace = reached.trace(&space, item);
            let accepted = check_trace(&program, &goal, &trace)
                .unwrap_or_else(|r| panic!("seed {seed}, node {:?}: {r}", target.node));
            checked += verify(&accepted, Some(target));
            crate::trace::check_with(&program, &goal, &trace, Some(0))
                .unwrap_or_else(|r| panic!("seed {seed}, node {:?}: {r}", target.node));
            accepted_count += 1;
            calls += accepted.pieces.len();
            // The listing streams, with and without folding.
            let total = accepted.total_steps();
            assert_eq!(num_bigint::BigUint::from(accepted.shown(usize::MAX).count()), total);
            let folded: num_bigint::BigUint =
                accepted.shown(3).map(|s| s.folded.unwrap_or_default() + 1u32).sum();
            assert_eq!(folded, total, "seed {seed}");
            for _ in 0..3 {
                let mut bad = trace.clone();
                for _ in 0..1 + rng.below(3) {
                    corrupt(&mut rng, &mut bad, space.layout.scope_bits());
                }
                let result = check_trace(&program, &goal, &bad);
                if let Ok(accepted) = crate::trace::check_with(&program, &goal, &bad, Some(0)) {
                    checked += verify(&accepted, Some(target));
                }
                match result {
                    Ok(accepted) => checked += verify(&accepted, Some(target)),
                    Err(refusal) => {
                        assert_ne!(refusal.reason, Reason::Internal, "seed {seed}");
                        refused += 1;
                    }
                }
            }
        }
    }
    let counts = (accepted_count, refused, checked, calls);
    assert!(
        accepted_count > 1500 && refused > 700 && checked > 15_000 && calls > 100,
        "{counts:?}"
    );
}
