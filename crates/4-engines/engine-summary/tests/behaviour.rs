//! What the engine promises beyond right answers: size, limits, early ends, switches.

use check::{Budget, Engine, Goal, Target, Task, TraceMode, Verdict};
use engine_summary::Summary;
use testkit::engines::{boolean_program, large_on_the_way, reach, t, tangle};
use testkit::random_bp::{Profile, random_bp};

#[test]
fn diagrams_do_not_grow_with_the_number_of_procedures() {
    let peak = |n| {
        let program = boolean_program(&t(n));
        let answer = Summary::default().run(&reach(&program, "reach"), &Budget::unlimited());
        assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
        (answer.stats.get("peak_nodes"), answer.stats.get("visits"))
    };
    let (small, large) = (peak(50), peak(500));
    assert_eq!(small.0, large.0);
    let (Some(few), Some(many)) = (small.1, large.1) else { panic!("visits are counted") };
    assert!(many <= 10 * few, "{few} visits for 50 procedures, {many} for 500");
}

#[test]
fn limits_are_answers() {
    let task = reach(&boolean_program(&tangle()), "R");
    testkit::engines::limits_are_answers(&Summary::default(), &task, 64 << 20, 100);
}

/// A choice of one step says nothing about that of another.
#[test]
fn steps_that_are_large_on_the_way_choose_on_their_own() {
    let program = boolean_program(&large_on_the_way());
    let task = reach(&program, "R");
    let answer = Summary::default().run(&task, &Budget::unlimited());
    assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))), "{:?}", answer.verdicts);
}

#[test]
fn any_trace_may_end_early() {
    let program =
        boolean_program(&t(40).replace("void main() begin", "void main() begin E: skip;"));
    let mut task = reach(&program, "E");
    let complete = Summary::default().run(&task, &Budget::unlimited()).stats.get("visits");
    task.wants.trace = TraceMode::Any;
    let answer = Summary::default().run(&task, &Budget::unlimited());
    assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
    assert!(answer.stats.get("visits") < complete);
}

/// Switches and early collections change the effort, never the answer.
#[test]
fn switches_do_not_change_answers() {
    let engines = [
        Summary::default(),
        Summary { live_ranges: false, ..Summary::default() },
        Summary { mod_ref: false, ..Summary::default() },
        Summary { live_ranges: false, mod_ref: false, ..Summary::default() },
        Summary { collect_at: 8, ..Summary::default() },
    ];
    for seed in 0..40 {
        for profile in [Profile::Medium, Profile::Calls] {
            let text = random_bp(seed, profile);
            let program = boolean_program(&text);
            let goals =
                program.nodes.ids().map(|n| Goal::Reach(vec![Target::at(n)])).collect::<Vec<_>>();
            let task = Task::new(program.clone(), goals);
            let answers: Vec<Vec<Option<usize>>> = engines
                .iter()
                .map(|engine| {
                    let answer = engine.run(&task, &Budget::unlimited());
                    let length = |verdict: &Verdict| match verdict {
                        Verdict::Holds(_) => None,
                        Verdict::Violated(Some(trace)) => {
                            let steps = trace.frames.iter().flat_map(|f| &f.steps);
                            Some(steps.filter(|s| program.edges[s.edge].step).count())
                        }
                        other => panic!("{other:?} for\n{text}"),
                    };
                    answer.verdicts.iter().map(length).collect()
                })
                .collect();
            for (i, answer) in answers.iter().enumerate() {
                assert_eq!(answer, &answers[0], "{:?} on\n{text}", engines[i]);
            }
        }
    }
}

/// The program model's proof: an array, a push relation over `x''`, events, a hidden monitor.
#[test]
fn the_model_built_by_hand_is_answered() {
    for buggy in [false, true] {
        let proof = testkit::model_proof::model_proof(buggy);
        let task = Task::new(proof.program.clone(), proof.goals());
        let answer = Summary::default().run(&task, &Budget::unlimited());
        for ((name, goal, reached), verdict) in proof.questions.iter().zip(&answer.verdicts) {
            match verdict {
                Verdict::Violated(Some(trace)) => {
                    assert!(reached, "{name} (buggy: {buggy})");
                    replay::check_trace(&proof.program, goal, trace).expect("a run");
                }
                Verdict::Holds(Some(certificate)) => {
                    assert!(!reached, "{name} (buggy: {buggy})");
                    let goals = std::slice::from_ref(goal);
                    let budget = Budget::unlimited();
                    replay::check_certificate(&proof.program, goals, certificate, &budget)
                        .expect("a proof");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
