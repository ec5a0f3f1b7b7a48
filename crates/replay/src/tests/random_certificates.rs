use super::generate::{Rng, program};
use super::naive::Reached;
use crate::certificate::{CertRefusal, CertReport, check_with};
use crate::enumerate::Cases;
use crate::space::Space;
use check::{Budget, Certificate, Goal, SetId, Target};
use ir::{Id, NodeId, Program};

/// Everything by enumeration, everything by the SAT solver, and as usual: one answer.
fn check(
    program: &Program,
    goals: &[Goal],
    certificate: &Certificate,
) -> Result<CertReport, CertRefusal> {
    let budget = Budget::unlimited();
    let run = |bits, evaluations| {
        check_with(program, goals, certificate, &budget, Cases { bits, evaluations })
    };
    let all_enumerated = run(usize::MAX, usize::MAX);
    let all_solved = run(0, 0);
    let usual = crate::check_certificate(program, goals, certificate, &budget);
    if let (Ok(a), Ok(b)) = (&all_enumerated, &all_solved) {
        assert!(a.solved == 0 && b.enumerated == 0);
    }
    assert_eq!(all_enumerated.as_ref().err(), all_solved.as_ref().err());
    assert_eq!(all_enumerated, usual);
    usual
}

/// Changes a set at random; says whether anything changed.
fn corrupt(rng: &mut Rng, certificate: &mut Certificate) -> bool {
    let sets = &mut certificate.sets;
    let other = match rng.below(4) {
        0 => SetId::empty(),
        1 => SetId::full(),
        _ => SetId::new(rng.below(sets.len() + 2)),
    };
    // Another set, or this one cut at its topmost decision.
    let change = |old: SetId, rng: &mut Rng, sets: &mut check::StateSets| match sets.node(old) {
        Some(node) if rng.chance(60) => match rng.chance(50) {
            true => sets.ite(node.bit, node.lo, SetId::empty()),
            false => sets.ite(node.bit, SetId::empty(), node.hi),
        },
        _ => other,
    };
    if rng.chance(80) {
        let node = NodeId::new(rng.below(certificate.path.len()));
        let old = certificate.path[node];
        certificate.path[node] = change(old, rng, sets);
        return certificate.path[node] != old;
    }
    let proc = ir::ProcId::new(rng.below(certificate.procs.len()));
    let old = certificate.procs[proc].summary;
    certificate.procs[proc].summary = change(old, rng, sets);
    certificate.procs[proc].summary != old
}

#[test]
fn exact_sets_are_accepted_and_whatever_is_accepted_contains_them() {
    let (mut accepted, mut refused, mut kept) = (0, 0, 0);
    for seed in 0..120 {
        let mut rng = Rng::new(1000 + seed);
        let program = program(&mut rng);
        let space = Space::new(&program);
        let reached = Reached::new(&program);
        let (goals, violated): (Vec<Target>, Vec<Target>) = program
            .nodes
            .ids()
            .map(Target::at)
            .partition(|t| reached.find(t.node, t.condition).is_none());
        let goals = [Goal::Reach(goals)];
        for leave_out in [false, true] {
            let certificate = reached.certificate(&space, leave_out);
            assert!(reached.within(&space, &certificate));
            check(&program, &goals, &certificate).unwrap_or_else(|r| panic!("seed {seed}: {r}"));
            accepted += 1;
            for &target in violated.iter().take(2) {
                let goals = [Goal::Reach(vec![target])];
                assert!(check(&program, &goals, &certificate).is_err());
            }
            for _ in 0..8 {
                let mut bad = certificate.clone();
                if !corrupt(&mut rng, &mut bad) {
                    continue;
                }
                match check(&program, &goals, &bad) {
                    Ok(_) => {
                        assert!(reached.within(&space, &bad), "seed {seed}");
                        kept += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
            // A claim that a global is unchanged, out of the blue.
            let mut bad = certificate.clone();
            let proc = ir::ProcId::new(rng.below(bad.procs.len()));
            let global = program.globals[rng.below(program.globals.len())];
            bad.procs[proc].unchanged.push(global);
            if check(&program, &goals, &bad).is_ok() {
                assert!(reached.within(&space, &bad), "seed {seed}");
            }
        }
    }
    assert!(accepted == 240 && refused > 800 && kept > 50, "{:?}", (accepted, refused, kept));
}
