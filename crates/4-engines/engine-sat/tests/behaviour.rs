//! What the engines promise beyond right answers: size, limits, refusals, other solvers.

use check::{Budget, Engine, Goal, Limits, StopReason, Task, Verdict};
use engine_sat::{Options, Qbf, Universal};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use testkit::engines::{boolean_program, reach, reason, stops_soon, t};

fn counters(engine: &dyn Engine, n: usize) -> (u64, u64, u64) {
    let program = boolean_program(&t(n));
    let task = reach(&program, "reach");
    let answer = engine.run(&task, &Budget::unlimited());
    let Verdict::Violated(Some(trace)) = &answer.verdicts[0] else {
        panic!("{:?}", answer.verdicts[0])
    };
    replay::check_trace(&program, &task.goals[0], trace).expect("a run");
    let get = |name| answer.stats.get(name).expect("counted");
    (get("paths"), get("gates"), get("sat_calls"))
}

#[test]
fn summaries_of_t_are_linear() {
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        let (small, large) = (counters(engine, 50), counters(engine, 500));
        assert!(large.0 <= 11 * small.0, "{small:?} {large:?}");
        assert!(large.1 <= 11 * small.1, "{small:?} {large:?}");
        assert!(large.2 <= 11 * small.2 + 10, "{small:?} {large:?}");
    }
}

/// `cargo test -p engine-sat -- --ignored --nocapture t_of_ten_thousand`.
#[test]
#[ignore = "for measuring"]
#[allow(clippy::print_stderr)]
fn t_of_ten_thousand() {
    for n in [1_250, 2_500, 5_000, 10_000] {
        let program = boolean_program(&t(n));
        let task = reach(&program, "reach");
        for engine in [&Universal::default() as &dyn Engine, &Qbf::default()] {
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

fn engines() -> [Box<dyn Engine>; 3] {
    let options = Options { bound: Some(100_000_000), ..Options::default() };
    [Box::new(Qbf::default()), Box::new(Universal::default()), Box::new(Qbf { options })]
}

#[test]
fn limits_are_answers() {
    let task = reach(&boolean_program(&tangle()), "R");
    for engine in engines() {
        testkit::engines::limits_are_answers(&*engine, &task, 40_000, 20);
    }
}

/// What a run holds is given back when it ends, and the solvers' memory is part of it.
#[test]
fn memory_is_given_back() {
    let program = boolean_program(&tangle());
    for engine in engines() {
        let limits = Limits { memory: Some(400_000), ..Limits::default() };
        let budget = Budget::new(limits);
        let reason = reason(&*engine, &reach(&program, "R"), &budget);
        assert_eq!(reason, StopReason::Memory { limit: 400_000 });
        budget.reserve(400_000 - 100).expect("all of it is free again");
    }
}

/// Factors of a prime: whatever the solver does, it does not find them soon.
fn factors() -> String {
    let (a, b): (Vec<String>, Vec<String>) =
        (0..18).map(|i| (format!("a{i}"), format!("b{i}"))).unzip();
    let sums: Vec<String> = (0..36).map(|i| format!("s{i}")).collect();
    let mut text = format!(
        "decl {}, {}; void main() begin decl {}, c, t;\n",
        a.join(", "),
        b.join(", "),
        sums.join(", ")
    );
    let _ = writeln!(text, "{} := {};", sums.join(", "), vec!["0"; 36].join(", "));
    for i in 0..18 {
        text += "c := 0;\n";
        for j in 0..18 {
            let (s, bit) = (&sums[i + j], format!("(a{i} & b{j})"));
            let _ = writeln!(text, "t := ({s} & {bit}) | (({s} ^ {bit}) & c);");
            let _ = writeln!(text, "{s} := {s} ^ {bit} ^ c; c := t;");
        }
        let _ = writeln!(text, "{} := c;", sums[i + 18]);
    }
    // The largest prime below 2^34; the factors are not 1.
    let number = 17_179_869_143u64;
    let bits: Vec<String> =
        (0..36).map(|i| format!("{}s{i}", if number >> i & 1 == 1 { "" } else { "!" })).collect();
    let not_one = |v: &[String]| v[1..].join(" | ");
    let _ = writeln!(text, "assume(({}) & ({}));", not_one(&a), not_one(&b));
    let _ = writeln!(text, "if ({}) then R: skip; fi end", bits.join(" & "));
    text
}

/// A loop whose round is a permutation of many values: the question whether a round brings
/// anything new is a hard one.
fn shuffle() -> String {
    let names: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let mut text = format!("decl {}; void main() begin\n", names.join(", "));
    let _ = writeln!(text, "assume({});", names[..20].join(" ^ "));
    text += "while (*) do\n";
    let mut seed = 7u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % 40
    };
    for _ in 0..150 {
        let (x, y, z) = (next(), next(), next());
        if x != y && x != z && y != z {
            // One of three changes by a function of the others: this can be undone.
            let _ = writeln!(text, "if (*) then x{x} := x{x} ^ (x{y} & x{z}); fi");
        }
    }
    text + "od if (x0 & x1 & !x1) then R: skip; fi end"
}

/// Wherever it is: among steps, while clauses are written, in the SAT solver, in a quantified
/// question.
#[test]
fn a_stopped_engine_is_gone_within_half_a_second() {
    for text in [tangle(), factors(), shuffle()] {
        let program = boolean_program(&text);
        let task = reach(&program, "R");
        for engine in engines() {
            for after in [30, 250] {
                stops_soon(&*engine, &task, Duration::from_millis(after));
            }
        }
    }
}

#[test]
fn repeated_goals_are_reached() {
    let endless = boolean_program("void main() begin while (*) do skip; od end");
    let ending = boolean_program(
        "decl g; void main() begin g := 1; if (!g) then while (1) do skip; od fi end",
    );
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        let ask = |program: &Arc<ir::Program>| {
            let task = Task::new(program.clone(), vec![Goal::Repeat { marks: 0 }]);
            engine.run(&task, &Budget::unlimited()).verdicts.remove(0)
        };
        assert!(matches!(ask(&endless), Verdict::Violated(Some(trace)) if trace.lasso.is_some()));
        assert!(matches!(ask(&ending), Verdict::Holds(None)));
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
        let program = boolean_program(text);
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

/// Answers with all that belongs to them.
fn judged(engine: &dyn Engine, program: &Arc<ir::Program>, label: &str) -> check::Answer {
    let task = reach(program, label);
    let answer = engine.run(&task, &Budget::unlimited());
    match &answer.verdicts[0] {
        Verdict::Violated(Some(trace)) => {
            replay::check_trace(program, &task.goals[0], trace).expect("a run");
        }
        Verdict::Holds(Some(certificate)) => {
            let budget = Budget::unlimited();
            replay::check_certificate(program, &task.goals, certificate, &budget).expect("a proof");
        }
        other => panic!("{}: {other:?}", engine.name()),
    }
    answer
}

fn is_reached(answer: &check::Answer) -> bool {
    matches!(answer.verdicts[0], Verdict::Violated(_))
}

/// The target lies inside of calls that never return: a summary tells for which entries.
#[test]
fn a_target_inside_of_a_summary_is_found() {
    let program = boolean_program(
        "decl g; void main() begin g := *; f(g); end \
         void f(x) begin if (x) then h(!x); else h(x); fi end \
         void h(y) begin if (y) then N: skip; else k(y); fi end \
         void k(z) begin R: if (z) then Q: skip; fi assume(F); end",
    );
    let universal = Universal::default();
    for (label, reached) in [("R", true), ("N", false), ("Q", false)] {
        let answer = judged(&universal, &program, label);
        assert_eq!(is_reached(&answer), reached, "{label}");
        assert_eq!(answer.stats.get("universal_summaries"), Some(3));
    }
}

/// If what a callee writes were arbitrary, both targets would be reached.
#[test]
fn calls_are_linked_before_a_target_counts_as_reached() {
    let program = boolean_program(
        "decl g, h; void main() begin g, h := 0, 0; f(); if (g & !h) then N: skip; fi \
         if (g & h) then R: skip; fi end \
         void f() begin k(); if (g != h) then M: skip; fi end \
         void k() begin if (*) then g, h := 1, 1; fi end",
    );
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        for (label, reached) in [("R", true), ("N", false), ("M", false)] {
            assert_eq!(is_reached(&judged(engine, &program, label)), reached, "{label}");
        }
    }
}

/// Nothing passes a join before the rest has caught up: the path edges of `n` branches in a row
/// are as many as the branches, and not 2^n.
#[test]
fn branches_in_a_row_are_merged() {
    let branches = |n: usize| {
        let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
        let mut text = format!("decl {}; void main() begin\n", names.join(", "));
        for i in 0..n {
            let _ =
                writeln!(text, "if (*) then x{i} := 0; elsif (x{i}) then skip; else x{i} := 1; fi");
        }
        boolean_program(&(text + "if (x0 & !x1) then R: skip; fi end"))
    };
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        let paths = |n| judged(engine, &branches(n), "R").stats.get("paths").expect("counted");
        let (small, large) = (paths(20), paths(200));
        assert!(large <= 11 * small, "{small} {large}");
    }
    // Nor does anything leave a loop before the loop is done.
    let nested = boolean_program(
        "decl a, b, c; void main() begin a, b, c := 0, 0, 0; \
         while (*) do while (*) do if (a) then a, b := 0, !b; else a := 1; fi od \
         if (a & b) then c := !c; fi od if (a & b & c) then R: skip; fi end",
    );
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        let answer = judged(engine, &nested, "R");
        let paths = answer.stats.get("paths").expect("counted");
        assert!(is_reached(&answer) && paths < 200, "{paths} path edges");
    }
}

/// Over the limit, QBF summaries take the place of universal ones, for callers too.
#[test]
fn large_summaries_are_left_to_the_other_algorithm() {
    let program = boolean_program(
        "decl a, b, c, d; void main() begin a, b, c, d := *, *, *, *; f(); \
         if (a & b & c & d) then R: skip; fi end \
         void f() begin while (*) do g(); od end \
         void g() begin a, b := b ^ c, a & !d; c, d := d | a, c ^ b; end",
    );
    for (limit, universal, large) in [(20_000, 2, 0), (2, 0, 1)] {
        let options = Options { summary_limit: limit, ..Options::default() };
        let answer = judged(&Universal { options }, &program, "R");
        assert!(is_reached(&answer));
        assert_eq!(answer.stats.get("universal_summaries"), Some(universal));
        assert_eq!(answer.stats.get("too_large_summaries"), Some(large));
    }
}

/// Calls of both kinds of solvers are counted, and recursion is where quantified questions are.
#[test]
fn calls_of_solvers_are_counted() {
    let names: Vec<String> = (0..20).map(|i| format!("x{i}")).collect();
    let mut text = format!("decl {}; void main() begin\nf(); ", names.join(", "));
    text += "if (x0 & x1) then R: skip; fi end\nvoid f() begin if (*) then\n";
    for i in 0..19 {
        let _ = writeln!(text, "if (x{i}) then x{} := x{i} ^ x{}; fi", i + 1, (i + 7) % 20);
    }
    let program = boolean_program(&(text + "f(); fi end"));
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        let stats = judged(engine, &program, "R").stats;
        let get = |name| stats.get(name).unwrap_or_else(|| panic!("no {name}"));
        assert!(get("sat_calls") > 0 && get("qbf_calls") > 0, "{stats:?}");
        assert!(get("qbf_refinements") + get("subsumed") > 0, "{stats:?}");
    }
    // A universal summary of a shallow loop needs none of the quantified ones.
    let program = boolean_program(
        "decl a, b; void main() begin f(); if (a) then R: skip; fi end \
         void f() begin while (*) do a, b := !a, a; od end",
    );
    let stats = judged(&Universal::default(), &program, "R").stats;
    assert_eq!(stats.get("qbf_calls"), Some(0));
}

/// Hundreds of variables: the proof is written down all the same.
#[test]
fn proofs_of_many_bits() {
    let n = 300;
    let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let mut text = format!("decl {}; void main() begin\n", names.join(", "));
    // Partners far apart: in this order, a diagram of all pairs has 2^150 nodes.
    for i in 0..n / 2 {
        let _ = writeln!(text, "x{} := x{i}; if (*) then f(); fi", i + n / 2);
    }
    let equal: Vec<String> = (0..n / 2).map(|i| format!("(x{i} = x{})", i + n / 2)).collect();
    let _ = writeln!(text, "if (!({})) then R: skip; fi end", equal.join(" & "));
    let program = boolean_program(&(text + "void f() begin x0, x150 := !x0, !x150; end"));
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        assert!(!is_reached(&judged(engine, &program, "R")));
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
    let program = boolean_program(
        "decl g; void main() begin f(); if (g) then R: skip; fi end \
         void f() begin if (*) then g := !g; f(); fi end",
    );
    let answer = Qbf { options }.run(&reach(&program, "R"), &Budget::unlimited());
    assert!(matches!(answer.verdicts[0], Verdict::Violated(_)));
    assert!(asked.load(Ordering::Relaxed) > 0);
}

#[test]
fn the_bound_counts_edges() {
    let program = boolean_program(
        "decl a, b; void main() begin a, b := 0, 0; a := 1; b := a; if (b) then R: skip; fi end",
    );
    let run = |bound| {
        let options = Options { bound: Some(bound), ..Options::default() };
        Qbf { options }.run(&reach(&program, "R"), &Budget::unlimited()).verdicts.remove(0)
    };
    assert!(matches!(run(3), Verdict::Unknown(StopReason::Steps { limit: 3 })));
    assert!(matches!(run(20), Verdict::Violated(Some(_))));
    let program = boolean_program("decl a; void main() begin a := 0; if (a) then R: skip; fi end");
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

/// Who wants to know what is reached is told, or told why not: an engine that says neither is an internal error.
#[test]
fn every_node_is_told_or_why_not() {
    let text = "decl g; void main() begin g := 1; f(); if (g) then A: skip; else B: skip; fi end \
                void f() begin decl x; if (x) then g := g & x; else C: skip; fi end";
    let program = boolean_program(text);
    let mut task = reach(&program, "B");
    task.wants.all_nodes = true;
    let node = |label| program.labelled(None, label)[0];
    for bound in [Some(1), Some(4), Some(60), None] {
        for summary_limit in [0, 1, 20_000] {
            let options = Options { bound, summary_limit, ..Options::default() };
            let engines: [&dyn Engine; 2] =
                [&Qbf { options: options.clone() }, &Universal { options: options.clone() }];
            for engine in engines {
                let answer = engine.run(&task, &Budget::unlimited());
                let name = format!("{} {bound:?} {summary_limit}", engine.name());
                let Some(reached) = answer.reached else {
                    assert!(bound.is_some_and(|b| b < 60), "{name} does not know");
                    assert!(answer.incomplete.is_some(), "{name} does not say why");
                    continue;
                };
                assert!(matches!(answer.verdicts[0], Verdict::Holds(_)), "{name}");
                let told = ["A", "B", "C"].map(|label| reached[ir::Id::index(node(label))]);
                assert_eq!(told, [true, false, true], "{name}");
            }
        }
    }
}
