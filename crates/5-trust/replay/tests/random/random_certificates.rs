use super::generate::{Rng, program};
use super::heads::Heads;
use super::naive::Reached;
use crate::certificate::{CertRefusal, CertReport, check_with};
use crate::enumerate::Cases;
use check::{Budget, Certificate, Goal, SetId, Target};
use ir::{Id, NodeId, Program};
use replay::space::Space;

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

/// Changes the claim about runs without end.
fn corrupt_repeat(rng: &mut Rng, certificate: &mut Certificate) {
    let mut repeat = certificate.repeat.take().unwrap();
    let other = SetId::new(rng.below(certificate.sets.len() + 2));
    let sets = &mut certificate.sets;
    let cut = |old: SetId, rng: &mut Rng, sets: &mut check::StateSets| match sets.node(old) {
        Some(node) if rng.chance(50) => sets.ite(node.bit, node.lo, SetId::empty()),
        Some(node) => sets.ite(node.bit, SetId::empty(), node.hi),
        None if rng.chance(50) => SetId::empty(),
        None => other,
    };
    let (ranks, marks) = (repeat.ranks.len(), repeat.marked.len());
    match rng.below(6) {
        0 => {
            let marked = &mut repeat.marked[rng.below(marks)];
            let node = NodeId::new(rng.below(marked.path.len()));
            marked.path[node] = cut(marked.path[node], rng, sets);
        }
        1 => {
            let marked = &mut repeat.marked[rng.below(marks)];
            let proc = ir::ProcId::new(rng.below(marked.summary.len()));
            marked.summary[proc] = cut(marked.summary[proc], rng, sets);
        }
        2 => {
            let rank = &mut repeat.ranks[rng.below(ranks)];
            rank.mark = rng.below(marks) as u32;
        }
        3 => {
            let rank = &mut repeat.ranks[rng.below(ranks)];
            let i = rng.below(rank.heads.len());
            rank.heads[i].1 = cut(rank.heads[i].1, rng, sets);
        }
        4 => {
            let (a, b) = (rng.below(ranks), rng.below(ranks));
            repeat.ranks.swap(a, b);
        }
        _ => {
            // Two ranks made one.
            let at = rng.below(ranks);
            if at + 1 < ranks {
                let next = repeat.ranks.remove(at + 1);
                for (node, set) in next.heads {
                    if repeat.ranks[at].heads.iter().all(|h| h.0 != node) {
                        repeat.ranks[at].heads.push((node, set));
                    }
                }
                repeat.ranks[at].heads.sort_unstable_by_key(|h| h.0);
            }
        }
    }
    certificate.repeat = Some(repeat);
}

#[test]
fn repeat_goals_are_certified_exactly_when_they_hold() {
    let (mut holds, mut violated, mut refused, mut kept) = (0, 0, 0, 0);
    let mut rules = std::collections::BTreeSet::new();
    for seed in 0..48 {
        let mut rng = Rng::new(7000 + seed);
        let mut program = program(&mut rng);
        let marks = 1 + rng.below(2) as u32;
        for edge in program.edges.ids().collect::<Vec<_>>() {
            let mark = |rng: &mut Rng| rng.chance(25) as ir::MarkSet;
            program.edges[edge].marks = mark(&mut rng) | mark(&mut rng) << 1;
        }
        let space = Space::new(&program);
        let reached = Reached::new(&program);
        if reached.items.is_empty() {
            continue;
        }
        let heads = Heads::new(&reached, marks);
        let full: ir::MarkSet = (1 << marks) - 1;
        let accepting = |c: &Vec<usize>| {
            let (seen, cyclic) = heads.inside(c);
            cyclic && seen & full == full
        };
        let violation = heads.components().iter().any(accepting);
        let goals = [Goal::Repeat { marks }];
        for leave_out in [false, true] {
            let certificate = reached.certificate_with(&space, leave_out, Some(&heads));
            let result = check(&program, &goals, &certificate);
            if violation {
                match result {
                    Err(CertRefusal::Fails { rule: crate::Rule::C9, .. }) => violated += 1,
                    other => panic!("seed {seed}: {other:?}"),
                }
            } else {
                result.unwrap_or_else(|r| panic!("seed {seed}: {r}"));
                holds += 1;
            }
            for _ in 0..5 {
                let mut bad = certificate.clone();
                for _ in 0..1 + rng.below(2) {
                    corrupt_repeat(&mut rng, &mut bad);
                }
                match check(&program, &goals, &bad) {
                    Ok(_) => {
                        assert!(!violation, "seed {seed}");
                        kept += 1;
                    }
                    Err(CertRefusal::Fails { rule, .. }) => {
                        rules.insert(rule);
                        refused += 1;
                    }
                    Err(other) => assert!(matches!(other, CertRefusal::Malformed(_)), "{other}"),
                }
            }
        }
    }
    let counts = (holds, violated, refused, kept);
    assert!(holds > 20 && violated > 10 && refused > 80 && kept > 10, "{counts:?}");
    assert!(rules.contains(&crate::Rule::C7) && rules.contains(&crate::Rule::C8), "{rules:?}");
}
