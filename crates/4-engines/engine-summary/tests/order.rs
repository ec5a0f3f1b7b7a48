//! The order of variables: a permutation whatever the program, good for Quicksort, and without any
//! influence on answers.

use analysis::{Order, Place, SlotOrder, variable_order};
use check::{Budget, Engine, Goal, Target, Task, TraceMode, Verdict, Wants};
use engine_explicit::Explicit;
use engine_summary::Summary;
use front_remopla::quicksort::{Options, quicksort};
use ir::{Id, Layout, Program, VarId, VarKind};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use testkit::random_ir::random_program;

fn sorting(bits: u32, len: u32) -> Arc<Program> {
    let text = quicksort(bits, len, Options { faulty: true, ..Options::default() });
    let (tree, errors) = front_remopla::parse(&text);
    assert!(errors.is_empty(), "{errors:?}");
    let file = source::SourceFile::new("quicksort.rem", text).expect("a text");
    let options = front_remopla::LowerOptions::default();
    Arc::new(front_remopla::lower(&tree, &file, &options).expect("a good program"))
}

/// Bits in scope together lie apart, every slot is somebody's, and places are those of the layout.
fn check_permutation(program: &Program, order: &SlotOrder) {
    let layout = Layout::new(program);
    let bits = |var: VarId| layout.slot(var).bits().enumerate();
    let mut used = BTreeSet::new();
    for (var, info) in program.vars.enumerate() {
        for (i, offset) in bits(var) {
            let position = order.position(var, i as u32);
            let place = match info.kind {
                VarKind::Global => Place::Global(offset),
                VarKind::Local(_) => Place::Local(offset),
                VarKind::Result(_) => Place::Result(offset),
            };
            assert_eq!(order.place(position), place);
            used.insert(position);
        }
    }
    assert_eq!(used, (0..order.len() as u32).collect());
    for (p, proc) in program.procs.enumerate() {
        let vars: Vec<VarId> = program.scope(p).chain(proc.results.iter().copied()).collect();
        let mut positions: Vec<u32> = vars
            .iter()
            .flat_map(|&v| bits(v).map(move |(i, _)| (v, i)))
            .map(|(v, i)| order.position(v, i as u32))
            .collect();
        let count = positions.len();
        positions.sort_unstable();
        positions.dedup();
        assert_eq!(positions.len(), count, "two bits of one scope share a slot");
    }
}

#[test]
fn orders_are_permutations() {
    let orders = [Order::Derived, Order::Naive, Order::Shuffled { seed: 7 }];
    let quicksorts = [sorting(3, 4), sorting(2, 9)];
    for order in orders {
        for seed in 0..300 {
            let program = random_program(seed);
            let layout = Layout::new(&program);
            check_permutation(&program, &variable_order(&program, &layout, order));
        }
        for program in &quicksorts {
            let layout = Layout::new(program);
            check_permutation(program, &variable_order(program, &layout, order));
        }
    }
}

/// Indices on top, arrays with what they are compared with below, both interleaved.
#[test]
fn what_is_of_one_kind_is_interleaved() {
    let program = sorting(3, 4);
    let layout = Layout::new(&program);
    let derived = variable_order(&program, &layout, Order::Derived);
    let var = |name: &str| {
        program.vars.ids().find(|&v| program.var_name(v) == name).expect("a variable of Quicksort")
    };
    let (a, piv) = (var("a"), var("piv"));
    let indices = ["left", "right", "lo", "hi"].map(var);
    for bit in 0..3 {
        for (i, &index) in indices.iter().enumerate() {
            assert_eq!(derived.position(index, bit), (2 - bit) * 4 + i as u32);
        }
        let row = 12 + (2 - bit) * 5;
        assert_eq!(derived.position(piv, bit), row);
        for cell in 0..4 {
            assert_eq!(derived.position(a, cell * 3 + bit), row + 1 + cell);
        }
    }
    let naive = variable_order(&program, &layout, Order::Naive);
    let tops: Vec<u32> = [a, indices[0], indices[1], indices[2], indices[3], piv]
        .map(|v| naive.position(v, 2))
        .to_vec();
    assert_eq!(tops, [0, 12, 15, 18, 21, 24]);
    assert_eq!(a.index(), 0, "the only global is declared first");
}

fn effort(engine: Summary, program: &Arc<Program>) -> (u64, u64) {
    let targets = program.labelled(None, "BAD").into_iter().map(Target::at).collect();
    let task = Task::new(program.clone(), vec![Goal::Reach(targets)]);
    let answer = engine.run(&task, &Budget::unlimited());
    assert!(matches!(answer.verdicts[0], Verdict::Holds(Some(_))));
    let counter = |name| answer.stats.get(name).unwrap_or(0);
    (counter("peak_nodes"), counter("reorderings"))
}

/// Measured: 32,933 and 142,302; 339,221 for 3 bits and 4 cells in the naive order.
#[test]
fn quicksort_needs_few_nodes() {
    let small = sorting(3, 4);
    let (derived, _) = effort(Summary::default(), &small);
    assert!(derived < 40_000, "{derived} nodes for 4 cells of 3 bits");
    let (five, _) = effort(Summary::default(), &sorting(3, 5));
    assert!(five < 170_000, "{five} nodes for 5 cells of 3 bits");

    // Early collections because of arrays would be another cure.
    let naive = Summary { order: Order::Naive, wide: usize::MAX, ..Summary::default() };
    let (unordered, _) = effort(naive, &small);
    assert!(unordered > 5 * derived, "{unordered} nodes in the naive order, {derived} in ours");
    let (sifted, reorderings) = effort(Summary { sifting: true, ..naive }, &small);
    assert!(reorderings > 0 && 2 * sifted < unordered, "{sifted} of {unordered} nodes by sifting");
}

/// A search that has to make do with little room is done in parts, and finds the same.
#[test]
fn large_visits_are_done_in_parts() {
    let program = sorting(3, 5);
    let roomy = Summary { collect_at: 1 << 20, ..Summary::default() };
    let tight = Summary { collect_at: 1 << 10, many: 1 << 12, ..Summary::default() };
    let (all, _) = effort(roomy, &program);
    let (few, _) = effort(tight, &program);
    assert!(3 * few < 2 * all, "{few} nodes in parts, {all} with room");
}

/// Rounds that were not kept are found again for a trace.
#[test]
fn what_is_reached_after_rounds_are_forgotten_has_a_trace() {
    let program = sorting(3, 4);
    // `END` is behind both calls: nothing is met before there are many nodes.
    let targets = program.labelled(None, "END").into_iter().map(Target::at).collect();
    let task = Task::new(program.clone(), vec![Goal::Reach(targets)]);
    let engine = Summary { collect_at: 1 << 8, many: 1 << 8, ..Summary::default() };
    let answer = engine.run(&task, &Budget::unlimited());
    let Verdict::Violated(Some(trace)) = &answer.verdicts[0] else { panic!("END is reached") };
    assert!(trace.shortest);
    assert!(replay::check_trace(&task.program, &task.goals[0], trace).is_ok());
}

/// Generated programs, texts and models, in several orders, some of which change on the way.
#[test]
fn answers_do_not_depend_on_the_order() {
    let default = Summary::default();
    let shuffled = |seed| Summary { order: Order::Shuffled { seed }, ..default };
    let sifting = |engine| Summary { sifting: true, collect_at: 8, ..engine };
    let naive = Summary { order: Order::Naive, ..default };
    let engines = [
        ("derived, sifting", sifting(default)),
        ("naive", naive),
        ("naive, sifting", sifting(naive)),
        ("shuffled 1", shuffled(1)),
        ("shuffled 2", shuffled(2)),
        ("shuffled 3, sifting", sifting(shuffled(3))),
        ("in parts, rounds forgotten", Summary { collect_at: 1, many: 1, ..default }),
        ("all path edges kept", Summary { forget: false, ..default }),
        ("wide", Summary { collect_at: 1, wide: 0, ..default }),
        (
            "wide, in parts, rounds forgotten",
            Summary { collect_at: 1, many: 1, wide: 0, ..default },
        ),
    ];
    let engines: Vec<(&str, &dyn Engine)> =
        engines.iter().map(|(name, engine)| (*name, engine as &dyn Engine)).collect();
    let comparison = testkit::differential::Comparison {
        reference: ("explicit", &Explicit::default()),
        engines: &engines,
        any_trace: &[],
        threads: 2,
        limit: Duration::from_secs(60),
    };
    let outcome = testkit::differential::run(&comparison, 0..400, &|_| {});
    assert!(outcome.failures.is_empty(), "{:#?}", outcome.failures);
    assert!(outcome.reached > 400 && outcome.unreached > 400);
}

/// Without proofs, path edges that have served are forgotten, too: every node of random programs, one question each.
#[test]
fn what_is_entered_wide_and_forgotten_is_answered_alike() {
    let engine = Summary { collect_at: 1, many: 1, wide: 0, ..Summary::default() };
    let (mut reached, mut not) = (0, 0);
    for seed in 0..250 {
        let program = Arc::new(random_program(seed));
        let all: Vec<_> = program.nodes.ids().collect();
        let goals = all.iter().map(|&n| Goal::Reach(vec![Target::at(n)])).collect();
        let mut task = Task::new(program.clone(), goals);
        task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: false };
        let budget = Budget::unlimited();
        let expected = Explicit::default().run(&task, &budget);
        // All at once, and some of those alone that nobody comes to: what is met ends what is entered wide.
        let is_reached = |v: &Verdict| matches!(v, Verdict::Violated(_));
        let alone = |&i: &usize| !is_reached(&expected.verdicts[i]);
        let mut questions: Vec<Vec<usize>> = vec![(0..all.len()).collect()];
        questions.extend((0..all.len()).rev().filter(alone).take(6).map(|i| vec![i]));
        questions.extend((0..all.len()).rev().find(|i| !alone(i)).map(|i| vec![i]));
        for asked in questions {
            let goals: Vec<Goal> = asked.iter().map(|&i| task.goals[i].clone()).collect();
            let task = Task { goals, ..task.clone() };
            let answer = engine.run(&task, &budget);
            for (&i, verdict) in asked.iter().zip(&answer.verdicts) {
                assert!(
                    !matches!(verdict, Verdict::Unknown(_)),
                    "seed {seed}, node {i}: {verdict:?}"
                );
                assert_eq!(
                    is_reached(verdict),
                    is_reached(&expected.verdicts[i]),
                    "seed {seed}, node {i}"
                );
                *(if is_reached(verdict) { &mut reached } else { &mut not }) += 1;
            }
        }
    }
    assert!(reached > 1000 && not > 300, "{reached} {not}");
}

/// What an inner call does is asked of all arrays, and what is found there alone is no answer.
#[test]
fn what_is_in_doubt_is_asked_again() {
    let text = "int a[2](2);\nint c(1);\ninit main;\nmodule void f(int i(1)) {\n  if\n    :: a[i] == 3 -> BAD: skip;\n    \
                :: a[i] == 1 -> GOOD: skip;\n    :: else -> skip;\n  fi\n  a[i] = 2;\n}\nmodule void main() {\n  \
                a[0] = 1, a[1] = 0;\n  c = 0;\n  c = 1;\n  c = 0;\n  f(0);\n  f(1);\n  if\n    :: a[0] == 2 -> skip;\n    \
                :: else -> goto WORSE;\n  fi\n  goto END;\n  WORSE: skip;\n  END: skip;\n}\n";
    let (tree, errors) = front_remopla::parse(text);
    assert!(errors.is_empty(), "{errors:?}");
    let file = source::SourceFile::new("doubt.rem", text.to_owned()).expect("a text");
    let options = front_remopla::LowerOptions::default();
    let program = Arc::new(front_remopla::lower(&tree, &file, &options).expect("a good program"));
    let engine = Summary { collect_at: 1, wide: 0, ..Summary::default() };
    for (label, is_reached) in [("BAD", false), ("GOOD", true), ("WORSE", false), ("END", true)] {
        let targets = program.labelled(None, label).into_iter().map(Target::at).collect();
        let task = Task::new(program.clone(), vec![Goal::Reach(targets)]);
        let answer = engine.run(&task, &Budget::unlimited());
        match &answer.verdicts[0] {
            Verdict::Violated(Some(trace)) => {
                assert!(is_reached, "{label}");
                assert!(replay::check_trace(&task.program, &task.goals[0], trace).is_ok());
            }
            Verdict::Holds(Some(proof)) => {
                assert!(!is_reached, "{label}");
                let checked = replay::check_certificate(
                    &task.program,
                    &task.goals,
                    proof,
                    &Budget::unlimited(),
                );
                assert!(checked.is_ok(), "{label}");
            }
            other => panic!("{label}: {other:?}"),
        }
    }
}

/// What callers are told of Quicksort is about all arrays of a part at once, shorter parts first: a round for each length.
#[test]
fn results_are_handed_on_whole() {
    let text = quicksort(3, 4, Options::default());
    let (tree, errors) = front_remopla::parse(&text);
    assert!(errors.is_empty(), "{errors:?}");
    let file = source::SourceFile::new("quicksort.rem", text).expect("a text");
    let options = front_remopla::LowerOptions::default();
    let program = Arc::new(front_remopla::lower(&tree, &file, &options).expect("a program"));
    let targets = program.labelled(None, "BAD").into_iter().map(Target::at).collect();
    let mut task = Task::new(program, vec![Goal::Reach(targets)]);
    task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: false };
    let rounds = |wide: usize| {
        let engine = Summary { collect_at: 1 << 14, wide, ..Summary::default() };
        let answer = engine.run(&task, &Budget::unlimited());
        assert!(matches!(answer.verdicts[0], Verdict::Holds(_)));
        answer.stats.counters.iter().find(|(name, _)| *name == "rounds").expect("counted").1
    };
    // By the depth of the recursion there are more.
    assert!(rounds(usize::MAX) > 4);
    assert_eq!(rounds(0), 4);
}
