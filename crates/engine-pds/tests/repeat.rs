//! Repeat goals: every way to answer them against the explicit engine, on random programs with random
//! marks; every lasso and every certificate judged.

use check::{Budget, Engine, Goal, Limits, StopReason, Task, Verdict};
use engine_explicit::Explicit;
use engine_pds::{Heads, Post, Pre};
use ir::{EdgeKind, Program};
use std::sync::Arc;
use std::time::Duration;
use testkit::random_ir::random_program;
use testkit::rng::Rng;

/// A random program with marks on its edges.
fn marked_program(seed: u64) -> (Arc<Program>, u32) {
    let mut program = random_program(seed);
    let mut rng = Rng::new(seed ^ 0x5eed_0f_a11);
    let marks = rng.between(0, 3) as u32;
    // Few edges with a mark, many, or all.
    let chance = [10, 30, 60, 100][rng.below(4) as usize];
    for edge in program.edges.iter_mut() {
        for mark in 0..marks {
            // Calls carry marks, too, and leave it to the run inside at other times.
            let chance = if matches!(edge.kind, EdgeKind::Call(_)) { chance / 2 } else { chance };
            if rng.chance(chance) {
                edge.marks |= 1 << mark;
            }
        }
    }
    (Arc::new(program), marks)
}

fn engines() -> Vec<(&'static str, Box<dyn Engine>)> {
    let post = Post::default();
    let pre = Pre::default();
    let plain = Post { live_ranges: false, mod_ref: false, ..post };
    vec![
        ("post", Box::new(post)),
        ("post, collecting", Box::new(Post { collect_at: 1, ..post })),
        ("post, elimination", Box::new(Post { heads: Heads::Elimination, ..post })),
        ("post, saturation", Box::new(Post { heads: Heads::Saturation, ..post })),
        ("post, one component", Box::new(Post { rough_components: false, ..post })),
        (
            "post, elimination, one component, collecting",
            Box::new(Post {
                heads: Heads::Elimination,
                rough_components: false,
                collect_at: 1,
                ..post
            }),
        ),
        (
            "post, saturation, one component, collecting",
            Box::new(Post {
                heads: Heads::Saturation,
                rough_components: false,
                collect_at: 1,
                ..post
            }),
        ),
        ("post, plain", Box::new(plain)),
        ("pre", Box::new(pre)),
        ("pre, collecting", Box::new(Pre { collect_at: 1, ..pre })),
        ("pre, elimination", Box::new(Pre { heads: Heads::Elimination, ..pre })),
        (
            "pre, saturation, one component",
            Box::new(Pre { heads: Heads::Saturation, rough_components: false, ..pre }),
        ),
    ]
}

/// Runs all engines on the programs with the given seeds. Gives how many goals are repeated, how
/// many are not, and how many certificates were left out.
fn compare(seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let budget = Budget::unlimited();
    let (mut repeated, mut others, mut bare) = (0, 0, 0);
    for seed in seeds {
        let (program, marks) = marked_program(seed);
        let goal = Goal::Repeat { marks };
        let task = Task::new(program.clone(), vec![goal.clone()]);
        let expected = match &Explicit::default().run(&task, &budget).verdicts[0] {
            Verdict::Violated(_) => true,
            Verdict::Holds(_) => false,
            Verdict::Unknown(reason) => panic!("seed {seed}: explicit: {reason:?}"),
        };
        for (name, engine) in engines() {
            let answer = engine.run(&task, &budget);
            match &answer.verdicts[0] {
                Verdict::Violated(Some(trace)) => {
                    assert!(expected, "seed {seed}: {name} finds a loop");
                    if let Err(refusal) = replay::check_trace(&program, &goal, trace) {
                        panic!("seed {seed}: {name}: {refusal:?}\n{trace:#?}");
                    }
                    repeated += 1;
                }
                Verdict::Violated(None) => panic!("seed {seed}: {name}: no lasso"),
                Verdict::Holds(certificate) => {
                    assert!(!expected, "seed {seed}: {name} finds no loop");
                    others += 1;
                    let Some(certificate) = certificate else {
                        bare += 1;
                        continue;
                    };
                    let goals = std::slice::from_ref(&goal);
                    if let Err(refusal) =
                        replay::check_certificate(&program, goals, certificate, &budget)
                    {
                        panic!("seed {seed}: {name}: {refusal:?}");
                    }
                }
                Verdict::Unknown(reason) => panic!("seed {seed}: {name}: {reason:?}"),
            }
        }
    }
    (repeated, others, bare)
}

#[test]
fn random_marks() {
    let (repeated, others, bare) = compare(0..150);
    assert!(repeated > 300 && others > 300, "{repeated} repeated, {others} not");
    // Goals without marks have no ranks to show.
    assert!(bare < others / 2, "{bare} of {others} without certificate");
}

/// More of the same; minutes.
#[test]
#[ignore = "takes minutes"]
fn many_random_marks() {
    compare(150..5_000);
}
