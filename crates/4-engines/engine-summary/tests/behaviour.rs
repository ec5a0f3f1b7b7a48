//! What the engine promises beyond right answers: size, limits, early ends, switches.

use check::{Budget, Engine, Goal, Limits, StopReason, Target, Task, TraceMode, Verdict};
use engine_summary::Summary;
use front_bp::Dialect;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testkit::random_bp::{Profile, random_bp};

pub(crate) fn lower(text: &str) -> Arc<ir::Program> {
    testkit::corpus::lower("test.bp", text, Dialect::default(), None).expect("a good program")
}

fn reach(program: &Arc<ir::Program>, label: &str) -> Task {
    let targets = program.labelled(None, label).into_iter().map(Target::at).collect();
    Task::new(program.clone(), vec![Goal::Reach(targets)])
}

/// T(N) of [bebop Fig. 4].
fn t(n: usize) -> String {
    let mut text = "decl g; void main() begin level1(); level1(); \
                    if (!g) then reach: skip; else skip; fi end\n"
        .to_owned();
    for i in 1..=n {
        let inner = match i {
            _ if i == n => "skip".to_owned(),
            _ => format!("level{}()", i + 1),
        };
        let _ = writeln!(
            text,
            "void level{i}() begin decl a, b, c; if (g) then a, b, c := 0, 0, 0; \
             while (!a | !b | !c) do if (!a) then a := 1; elsif (!b) then a, b := 0, 1; \
             elsif (!c) then a, b, c := 0, 0, 1; fi od else {inner}; {inner}; fi g := !g; end"
        );
    }
    text
}

/// Many variables that all depend on each other: no order is good.
fn tangle() -> String {
    let names: Vec<String> = (0..60).map(|i| format!("x{i}")).collect();
    let mut text = format!("decl {}; void main() begin\n", names.join(", "));
    let mut seed = 1u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % 60
    };
    for _ in 0..600 {
        let _ = writeln!(text, "x{} := (x{} & x{}) ^ x{};", next(), next(), next(), next());
    }
    text + "if (x0 & x1 & !x2) then R: skip; fi end"
}

#[test]
fn diagrams_do_not_grow_with_the_number_of_procedures() {
    let peak = |n| {
        let program = lower(&t(n));
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
    let program = lower(&tangle());
    let run = |limits, cancel: Option<Arc<AtomicBool>>| {
        let mut budget = Budget::new(limits);
        if let Some(cancel) = cancel {
            budget = budget.with_cancel(cancel);
        }
        let answer = Summary::default().run(&reach(&program, "R"), &budget);
        match &answer.verdicts[0] {
            Verdict::Unknown(reason) => reason.clone(),
            other => panic!("an answer where none was expected: {other:?}"),
        }
    };
    let time = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
    assert!(matches!(run(time, None), StopReason::Time { .. }));
    let memory = Limits { memory: Some(64 << 20), ..Limits::default() };
    assert!(matches!(run(memory, None), StopReason::Memory { .. }));
    let steps = Limits { steps: Some(100), ..Limits::default() };
    assert!(matches!(run(steps, None), StopReason::Steps { .. }));

    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        flag.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let reason = run(Limits::default(), Some(cancel));
    let since = killer.join().expect("the other thread ends").elapsed();
    assert_eq!(reason, StopReason::Cancelled);
    assert!(since < Duration::from_millis(500), "stopped {since:?} after being told to");
}

#[test]
fn any_trace_may_end_early() {
    let program = lower(&t(40).replace("void main() begin", "void main() begin E: skip;"));
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
            let program = lower(&text);
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
