//! Limits, refusals, early stops: running out is an answer.

use crate::common;
use crate::common::{answer, assertions, hierarchical_length, program, reach, trace};
use check::{Answer, Budget, Engine, Goal, Limits, StopReason, Target, Task, TraceMode, Verdict};
use engine_explicit::Explicit;
use front_bp::Dialect;
use ir::{BinaryOp, Init, Program, ProgramBuilder, Rel, Type};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn bp(text: &str) -> Arc<Program> {
    program("test.bp", text, Dialect::Standard).unwrap()
}

/// A binary counter over `bits` variables that starts at 0 and reaches `R` when it overflows.
fn counter(bits: usize) -> Arc<Program> {
    let names: Vec<String> = (0..bits).map(|i| format!("b{i}")).collect();
    let mut text = format!("decl {};\nvoid main() begin\n", names.join(", "));
    text += &format!("  {} := {};\n", names.join(", "), vec!["F"; bits].join(", "));
    text += "  while T do\n";
    for name in &names {
        text += &format!("    if !{name} then {name} := T; goto next; fi\n    {name} := F;\n");
    }
    text += "    R: skip;\n    next: skip;\n  od\nend\n";
    bp(&text)
}

fn ask(program: &Arc<Program>, label: &str, limits: Limits) -> (Answer, Budget) {
    let goal = reach(program.labelled(None, label));
    let budget = Budget::new(limits);
    let answer = Explicit::default().run(&Task::new(program.clone(), vec![goal]), &budget);
    (answer, budget)
}

#[track_caller]
fn unknown(answer: &Answer) -> &StopReason {
    match &answer.verdicts[0] {
        Verdict::Unknown(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn too_many_bits_are_refused() {
    let declare = |n: usize| (0..n).map(|i| format!("v{i}")).collect::<Vec<_>>().join(", ");
    let wide = format!("decl {}; void main() begin R: skip; end", declare(70));
    let (answer, _) = ask(&bp(&wide), "R", Limits::default());
    assert_eq!(unknown(&answer).to_string(), "70 bits of globals; the explicit engine takes 64");
    let wide = format!("void main() begin decl {}; R: skip; end", declare(65));
    let (answer, _) = ask(&bp(&wide), "R", Limits::default());
    assert_eq!(
        unknown(&answer).to_string(),
        "65 bits of locals in one procedure; the explicit engine takes 64"
    );
    let wide = format!("decl {}; void main() begin R: skip; end", declare(30));
    let (answer, _) = ask(&bp(&wide), "R", Limits::default());
    assert_eq!(
        unknown(&answer).to_string(),
        "the start of the program leaves 30 bits arbitrary; the explicit engine takes 24"
    );
}

/// All 64 bits of a word, and an initial condition that says what they are.
#[test]
fn whole_words() {
    let mut b = ProgramBuilder::new();
    let at = b.no_origin();
    let (x, y) = (b.global("x", Type::int(32), at), b.global("y", Type::int(32), at));
    let main = b.proc("main", at);
    b.begin_proc(main);
    let (first, second) = (b.statement(at), b.statement(at));
    b.entry(main, first);
    let (x0, y0, most) = (b.exprs.pre(x), b.exprs.pre(y), b.exprs.int(u32::MAX as i64));
    let same = b.exprs.binary(BinaryOp::Eq, x0, y0);
    let top = b.exprs.binary(BinaryOp::Eq, x0, most);
    let condition = b.exprs.and(same, top);
    let one = b.exprs.int(1);
    let less = b.exprs.binary(BinaryOp::Sub, x0, one);
    b.step(first, second, Rel::assign([(y, Some(less))], 0));
    // It would not fit.
    let more = b.exprs.binary(BinaryOp::Add, x0, one);
    b.step(second, first, Rel::assign([(y, Some(more))], 0));
    let smaller = b.exprs.binary(BinaryOp::Lt, y0, x0);
    let program = Arc::new(b.finish(main, Init { condition, choices: 0 }));
    program.validate().unwrap();
    let at = |node, condition| Goal::Reach(vec![Target { node, condition }]);
    let goals = vec![at(second, smaller), at(first, smaller), at(second, same)];
    let answer = answer(&program, goals, TraceMode::Shortest);
    assert!(matches!(answer.verdicts[0], Verdict::Violated(_)));
    assert!(matches!(answer.verdicts[1], Verdict::Holds(_)));
    assert!(matches!(answer.verdicts[2], Verdict::Holds(_)));
    assert_eq!(answer.stats.get("path_edges"), Some(2));
}

#[test]
fn time() {
    let start = Instant::now();
    let limit = Duration::from_millis(100);
    let (answer, _) = ask(&counter(22), "R", Limits { time: Some(limit), ..Limits::default() });
    assert_eq!(*unknown(&answer), StopReason::Time { limit });
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn memory_is_accounted_for_and_given_back() {
    let limit = 4 << 20;
    let (answer, budget) =
        ask(&counter(22), "R", Limits { memory: Some(limit), ..Limits::default() });
    assert_eq!(*unknown(&answer), StopReason::Memory { limit });
    budget.reserve(limit).expect("nothing is reserved any more");
    // Enough memory for a smaller one.
    let (answer, budget) =
        ask(&counter(10), "R", Limits { memory: Some(limit), ..Limits::default() });
    assert!(matches!(answer.verdicts[0], Verdict::Violated(_)));
    budget.reserve(limit).expect("nothing is reserved any more");
}

#[test]
fn steps_and_cancellation() {
    let (answer, _) = ask(&counter(20), "R", Limits { steps: Some(10_000), ..Limits::default() });
    assert_eq!(*unknown(&answer), StopReason::Steps { limit: 10_000 });
    let program = counter(20);
    let budget = Budget::unlimited();
    budget.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let task = Task::new(program.clone(), vec![reach(program.labelled(None, "R"))]);
    let answer = Explicit::default().run(&task, &budget);
    assert_eq!(*unknown(&answer), StopReason::Cancelled);
    assert!(answer.reached.is_none());
}

/// What was reached before the limit is reached; its trace just is not known to be shortest.
#[test]
fn a_violation_survives_the_limit() {
    let program = counter(14);
    let goals = vec![reach(program.labelled(None, "next")), reach(program.labelled(None, "R"))];
    let task = Task::new(program.clone(), goals);
    let budget = Budget::new(Limits { steps: Some(400_000), ..Limits::default() });
    let answer = Explicit::default().run(&task, &budget);
    let found = trace(&answer.verdicts[0]).expect("reached at once");
    assert!(!found.shortest);
    replay::check_trace(&program, &task.goals[0], found).unwrap();
    assert!(matches!(answer.verdicts[1], Verdict::Unknown(StopReason::Steps { .. })));
}

/// Steps out of `next` are marked: the counter comes there again and again.
fn marked_counter(bits: usize) -> Arc<Program> {
    let mut program = Arc::unwrap_or_clone(counter(bits));
    let next = program.labelled(None, "next");
    for edge in program.edges.iter_mut() {
        edge.marks = next.contains(&edge.source) as ir::MarkSet;
    }
    Arc::new(program)
}

#[test]
fn repetition_within_limits() {
    let repeat = |bits, limits| {
        let task = Task::new(marked_counter(bits), vec![Goal::Repeat { marks: 1 }]);
        let budget = Budget::new(limits);
        (Explicit::default().run(&task, &budget), budget)
    };
    let (start, limit) = (Instant::now(), Duration::from_millis(300));
    let (answer, _) = repeat(22, Limits { time: Some(limit), ..Limits::default() });
    assert_eq!(*unknown(&answer), StopReason::Time { limit });
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let limit = 4 << 20;
    let (answer, budget) = repeat(16, Limits { memory: Some(limit), ..Limits::default() });
    assert_eq!(*unknown(&answer), StopReason::Memory { limit });
    budget.reserve(limit).expect("nothing is reserved any more");
    let (answer, budget) = repeat(8, Limits { memory: Some(limit), ..Limits::default() });
    assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
    budget.reserve(limit).expect("nothing is reserved any more");
    // Wherever it has to stop, it says so, or is done: never anything else.
    let mut stopped = 0;
    for steps in 1..60 {
        let (answer, _) = repeat(6, Limits { steps: Some(steps * 300), ..Limits::default() });
        match &answer.verdicts[0] {
            Verdict::Unknown(StopReason::Steps { .. }) => stopped += 1,
            Verdict::Violated(Some(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!((1..59).contains(&stopped), "{stopped} of 59 stopped");
}

#[test]
fn several_kinds_of_goals() {
    let program = marked_counter(4);
    let label = |name| reach(program.labelled(None, name));
    let repeat = |marks| Goal::Repeat { marks };
    let goals = vec![repeat(1), label("R"), repeat(2), Goal::Reach(Vec::new()), repeat(0)];
    for mode in [TraceMode::Shortest, TraceMode::Any, TraceMode::None] {
        let kinds: Vec<&str> = answer(&program, goals.clone(), mode)
            .verdicts
            .iter()
            .map(testkit::judge::kind)
            .collect();
        assert_eq!(kinds, ["reached", "reached", "not reached", "not reached", "reached"]);
    }
    let task = Task::new(program.clone(), vec![repeat(129), repeat(128)]);
    let answer = Explicit::default().run(&task, &Budget::unlimited());
    assert_eq!(unknown(&answer).code(), "unsupported");
    assert_eq!(unknown(&answer).to_string(), "129 marks; there are 128");
    // What was reached before the limit is reached; repetition needs all there is.
    let program = marked_counter(14);
    let goals = vec![repeat(1), reach(program.labelled(None, "next"))];
    let budget = Budget::new(Limits { steps: Some(400_000), ..Limits::default() });
    let answer = Explicit::default().run(&Task::new(program, goals), &budget);
    assert!(matches!(answer.verdicts[0], Verdict::Unknown(StopReason::Steps { .. })));
    assert!(matches!(answer.verdicts[1], Verdict::Violated(Some(_))));
}

#[test]
fn stops_early_only_where_nothing_more_is_asked() {
    let program = counter(12);
    let goal = reach(program.labelled(None, "next"));
    let count = |change: fn(&mut Task)| {
        let mut task = Task::new(program.clone(), vec![goal.clone()]);
        task.wants.trace = TraceMode::Any;
        change(&mut task);
        common::run(&task).stats.get("path_edges").unwrap()
    };
    let early = count(|_| {});
    let all = count(|task| task.wants.all_nodes = true);
    assert!(early < 100_000 && 2 * early < all, "{early} of {all} path edges");
    assert_eq!(count(|task| task.wants.trace = TraceMode::Shortest), all);
    let observed = count(|task| {
        let node = task.program.labelled(None, "R")[0];
        task.observe.push(check::Observation { node, vars: Vec::new() });
    });
    assert_eq!(observed, all);
}

#[test]
fn same_input_same_answer() {
    let program = counter(6);
    let goals = vec![reach(program.labelled(None, "R")), assertions(&program)];
    for mode in [TraceMode::Shortest, TraceMode::Any] {
        let show = || format!("{:?}", answer(&program, goals.clone(), mode).verdicts);
        assert_eq!(show(), show());
    }
}

/// Summaries that could be expanded by themselves for ever.
#[test]
fn recursion_is_expanded_finitely() {
    let program = bp("
        decl g;
        void main() begin g := F; f(); if g then R: skip; fi end
        void f() begin
          if * then f(); fi
          if * then f(); f(); fi
          g := !g;
        end");
    for mode in [TraceMode::Shortest, TraceMode::Any] {
        let answer = answer(&program, vec![reach(program.labelled(None, "R"))], mode);
        let found = trace(&answer.verdicts[0]).expect("one call of f does it");
        if mode == TraceMode::Shortest {
            assert_eq!(hierarchical_length(&program, found), 3);
            assert_eq!(found.segments.len(), 1, "no deeper than needed");
        }
    }
}

/// Only deep recursion reaches R, by way of ever more summaries: a trace of 2^40 steps.
#[test]
fn a_long_run_is_a_small_trace() {
    let levels = 40;
    let mut text = "decl g; void main() begin g := F; f0(); if g then R: skip; fi end\n".to_owned();
    for i in 0..levels {
        text += &format!("void f{i}() begin f{}(); f{}(); end\n", i + 1, i + 1);
    }
    text += &format!("void f{levels}() begin g := T; end\n");
    let program = bp(&text);
    for mode in [TraceMode::Shortest, TraceMode::Any] {
        let answer = answer(&program, vec![reach(program.labelled(None, "R"))], mode);
        let found = trace(&answer.verdicts[0]).expect("reachable");
        assert!(found.segments.len() <= 2 * levels + 2, "{} segments", found.segments.len());
    }
}

/// A chain of 100,000 calls that are all open at the end.
#[test]
fn a_deep_stack() {
    let depth = 100_000;
    let mut text = "void main() begin f0(); end\n".to_owned();
    for i in 0..depth {
        text += &format!("void f{i}() begin f{}(); end\n", i + 1);
    }
    text += &format!("void f{depth}() begin R: skip; end\n");
    let program = bp(&text);
    for mode in [TraceMode::Shortest, TraceMode::Any] {
        let goals = vec![reach(program.labelled(None, "R"))];
        let mut task = Task::new(program.clone(), goals);
        task.wants.trace = mode;
        let answer = Explicit::default().run(&task, &Budget::unlimited());
        let found = trace(&answer.verdicts[0]).expect("reachable");
        assert_eq!(found.frames.len(), depth + 2);
    }
}
