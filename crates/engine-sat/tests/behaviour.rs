//! What the engines promise beyond right answers: size, limits, refusals, other solvers.

use check::{Budget, Engine, Goal, Limits, StopReason, Target, Task, Verdict};
use engine_sat::{Options, Qbf, Universal};
use front_bp::Dialect;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn lower(text: &str) -> Arc<ir::Program> {
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

fn counters(n: usize) -> (u64, u64, u64) {
    let program = lower(&t(n));
    let task = reach(&program, "reach");
    let answer = Universal::default().run(&task, &Budget::unlimited());
    let Verdict::Violated(Some(trace)) = &answer.verdicts[0] else {
        panic!("{:?}", answer.verdicts[0])
    };
    replay::check_trace(&program, &task.goals[0], trace).expect("a run");
    let get = |name| answer.stats.get(name).expect("counted");
    (get("paths"), get("gates"), get("sat_calls"))
}

#[test]
fn universal_summaries_of_t_are_linear() {
    let (small, large) = (counters(50), counters(500));
    assert!(large.0 <= 11 * small.0, "{small:?} {large:?}");
    assert!(large.1 <= 11 * small.1, "{small:?} {large:?}");
    assert!(large.2 <= 11 * small.2 + 10, "{small:?} {large:?}");
}

/// `cargo test -p engine-sat --test behaviour -- --ignored --nocapture t_of_ten_thousand`.
#[test]
#[ignore = "for measuring"]
#[allow(clippy::print_stderr)]
fn t_of_ten_thousand() {
    for n in [1_250, 2_500, 5_000, 10_000] {
        let program = lower(&t(n));
        let task = reach(&program, "reach");
        for engine in [&Universal::default() as &dyn Engine, &Qbf::default()] {
            if engine.name() == "qbf" && n > 2_500 {
                continue;
            }
            let clock = Instant::now();
            let answer = engine.run(&task, &Budget::unlimited());
            assert!(matches!(answer.verdicts[0], Verdict::Violated(_)));
            eprintln!("{} T({n}): {:?}, {:?}", engine.name(), clock.elapsed(), answer.stats);
        }
    }
}

/// Many variables that all depend on each other, round after round.
fn tangle() -> String {
    let names: Vec<String> = (0..64).map(|i| format!("x{i}")).collect();
    let mut text = format!("decl {}; void main() begin\n", names.join(", "));
    // Where everything is possible from the start nothing new is ever found.
    let _ = writeln!(text, "{} := {};", names[16..].join(", "), vec!["0"; 48].join(", "));
    text += "while (*) do\n";
    let mut seed = 1u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % 64
    };
    for _ in 0..400 {
        let _ = writeln!(text, "x{} := (x{} & x{}) ^ x{};", next(), next(), next(), next());
    }
    text + "od if (x0 & x1 & !x1) then R: skip; fi end"
}

#[test]
fn limits_are_answers() {
    let program = lower(&tangle());
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        let run = |limits, cancel: Option<Arc<AtomicBool>>| {
            let mut budget = Budget::new(limits);
            if let Some(cancel) = cancel {
                budget = budget.with_cancel(cancel);
            }
            let answer = engine.run(&reach(&program, "R"), &budget);
            match &answer.verdicts[0] {
                Verdict::Unknown(reason) => reason.clone(),
                other => panic!("an answer where none was expected: {other:?}"),
            }
        };
        let time = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
        assert!(matches!(run(time, None), StopReason::Time { .. }));
        let memory = Limits { memory: Some(40_000), ..Limits::default() };
        assert!(matches!(run(memory, None), StopReason::Memory { .. }));
        let steps = Limits { steps: Some(20), ..Limits::default() };
        assert!(matches!(run(steps, None), StopReason::Steps { .. }));

        let cancel = Arc::new(AtomicBool::new(false));
        let flag = cancel.clone();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            flag.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let reason = run(Limits::default(), Some(cancel));
        let since = killer.join().expect("the other thread ends").elapsed();
        assert_eq!(reason, StopReason::Cancelled);
        assert!(since < Duration::from_millis(500), "stopped {since:?} after being told to");
    }
}

#[test]
fn repeated_goals_are_refused() {
    let program = lower("void main() begin while (*) do skip; od end");
    let task = Task::new(program, vec![Goal::Repeat { marks: 0 }]);
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        let answer = engine.run(&task, &Budget::unlimited());
        let Verdict::Unknown(StopReason::Unsupported { what }) = &answer.verdicts[0] else {
            panic!("{:?}", answer.verdicts[0])
        };
        assert!(what.contains("reachability only"));
    }
}

/// The three mistakes of the printed algorithms, each with a program that shows it.
#[test]
fn what_the_printed_algorithms_miss_is_found() {
    // A callee that blocks some entries, called where these are open (equation 5).
    let blocks = "decl g, h; void main() begin g := *; h := g; f(); if (h) then R: skip; fi end \
                  void f() begin assume(g); end";
    // A second summary for a caller that already got one (line 29).
    let second = "decl g; void main() begin g := 0; f(); if (g) then R: skip; fi end \
                  void f() begin if (*) then g := g; else h(); fi end \
                  void h() begin if (*) then h(); fi g := 1; end";
    // Merged branches whose states differ in more than one variable (ω1 ∨ ω2).
    let merged = "decl a, b; void main() begin if (*) then a, b := 0, 1; else a, b := 1, 0; fi \
                  if (!a) then R: skip; fi end";
    // A loop that a run leaves in different rounds (equation 9).
    let rounds = "decl a, b, c; void main() begin a, b, c := 0, 0, 0; while (*) do \
                  while (*) do if (!a) then a := 1; elsif (!b) then b := 1; fi od \
                  if (b) then c := 1; fi od if (c) then R: skip; fi end";
    for text in [blocks, second, merged, rounds] {
        let program = lower(text);
        let task = reach(&program, "R");
        for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
            let answer = engine.run(&task, &Budget::unlimited());
            let Verdict::Violated(Some(trace)) = &answer.verdicts[0] else {
                panic!("{} on {text}: {:?}", engine.name(), answer.verdicts[0])
            };
            replay::check_trace(&program, &task.goals[0], trace).expect("a run");
        }
    }
}

/// Another solver gets the questions, and its answers count.
#[test]
fn other_solvers_are_asked() {
    let asked = Arc::new(AtomicUsize::new(0));
    let seen = asked.clone();
    let external: engine_sat::External = Arc::new(move |text: &str| {
        assert!(text.starts_with("p cnf "));
        seen.fetch_add(1, Ordering::Relaxed);
        None
    });
    let options = Options { external: Some(external), ..Options::default() };
    let program = lower(
        "decl g; void main() begin f(); if (g) then R: skip; fi end \
         void f() begin if (*) then g := !g; f(); fi end",
    );
    let answer = Qbf { options }.run(&reach(&program, "R"), &Budget::unlimited());
    assert!(matches!(answer.verdicts[0], Verdict::Violated(_)));
    assert!(asked.load(Ordering::Relaxed) > 0);
}

#[test]
fn the_bound_counts_edges() {
    let program = lower(
        "decl a, b; void main() begin a, b := 0, 0; a := 1; b := a; if (b) then R: skip; fi end",
    );
    let run = |bound| {
        let options = Options { bound: Some(bound), ..Options::default() };
        Qbf { options }.run(&reach(&program, "R"), &Budget::unlimited()).verdicts.remove(0)
    };
    assert!(matches!(run(3), Verdict::Unknown(StopReason::Steps { limit: 3 })));
    assert!(matches!(run(20), Verdict::Violated(Some(_))));
    let program = lower("decl a; void main() begin a := 0; if (a) then R: skip; fi end");
    let options = Options { bound: Some(50), ..Options::default() };
    let answer = Qbf { options }.run(&reach(&program, "R"), &Budget::unlimited());
    assert!(matches!(answer.verdicts[0], Verdict::Holds(None)));
}

/// The program model's proof: an array, a push relation over `x''`, events, a hidden monitor.
#[test]
fn the_model_built_by_hand_is_answered() {
    for buggy in [false, true] {
        let proof = testkit::model_proof::model_proof(buggy);
        let task = Task::new(proof.program.clone(), proof.goals());
        for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
            let answer = engine.run(&task, &Budget::unlimited());
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
}
