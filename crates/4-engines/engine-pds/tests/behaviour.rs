//! What the engines promise beyond right answers: size, limits, early ends.

use check::{Budget, Engine, Goal, Limits, StopReason, Task, TraceMode, Verdict};
use engine_pds::{Post, Pre, RegularSet, post_star, pre_star, reachable_stacks};
use std::sync::Arc;
use std::time::Duration;
use testkit::engines::{boolean_program, large_on_the_way, reach, t, tangle};

fn engines() -> [Box<dyn Engine>; 2] {
    [Box::new(Post::default()), Box::new(Pre::default())]
}

/// The diagrams of T(N) do not depend on N ([moped §6]), and the work is linear in it.
#[test]
fn diagrams_do_not_grow_with_the_number_of_procedures() {
    for engine in engines() {
        let peak = |n| {
            let program = boolean_program(&t(n));
            let answer = engine.run(&reach(&program, "reach"), &Budget::unlimited());
            assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
            (answer.stats.get("peak_nodes"), answer.stats.get("visits"))
        };
        let (small, large) = (peak(50), peak(500));
        assert_eq!(small.0, large.0, "{}", engine.name());
        let (Some(few), Some(many)) = (small.1, large.1) else { panic!("visits are counted") };
        assert!(many <= 10 * few, "{}: {few} visits, then {many}", engine.name());
    }
}

#[test]
fn limits_are_answers() {
    let task = reach(&boolean_program(&tangle()), "R");
    for engine in engines() {
        testkit::engines::limits_are_answers(&*engine, &task, 64 << 20, 100);
    }
}

/// A choice of one step says nothing about that of another.
#[test]
fn steps_that_are_large_on_the_way_choose_on_their_own() {
    let task = reach(&boolean_program(&large_on_the_way()), "R");
    for engine in engines() {
        let answer = engine.run(&task, &Budget::unlimited());
        assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))), "{:?}", answer.verdicts);
    }
}

/// Automata stop at limits, too: while they are made, and when they are asked.
#[test]
fn limits_of_automata() {
    let program = boolean_program(&tangle());
    let limited =
        || Budget::new(Limits { time: Some(Duration::from_millis(100)), ..Limits::default() });
    let set = RegularSet::initial(&program);
    let target = RegularSet::parse(&program, "R").unwrap();
    for built in [
        post_star(&program, &set, &limited()),
        pre_star(&program, &target, &limited()),
        reachable_stacks(&program, &[], &limited()),
    ] {
        assert!(matches!(built.err(), Some(StopReason::Time { .. })));
    }
    let program = boolean_program(&t(3));
    let set = RegularSet::initial(&program);
    let mut automaton = post_star(&program, &set, &Budget::unlimited()).unwrap();
    let spent = Budget::new(Limits { time: Some(Duration::ZERO), ..Limits::default() });
    assert!(matches!(automaton.intersection(&set, &spent), Err(StopReason::Time { .. })));
    // The next question has its own budget.
    assert!(automaton.intersection(&set, &Budget::unlimited()).unwrap().is_some());
}

#[test]
fn any_trace_may_end_early() {
    let text = t(40).replace("void main() begin", "void main() begin E: skip;");
    let program = boolean_program(&text);
    let mut task = reach(&program, "E");
    let complete = Post::default().run(&task, &Budget::unlimited()).stats.get("visits");
    task.wants.trace = TraceMode::Any;
    let answer = Post::default().run(&task, &Budget::unlimited());
    assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
    assert!(answer.stats.get("visits") < complete);
}

/// Backwards, only what can matter is looked at: E is the first statement.
#[test]
fn backwards_stays_near_the_goal() {
    let text = t(40).replace("void main() begin", "void main() begin E: skip;");
    let program = boolean_program(&text);
    let answer = Pre::default().run(&reach(&program, "E"), &Budget::unlimited());
    assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
    assert!(answer.stats.get("visits") < Some(10));
}

/// Questions that are refused, with the reason.
#[test]
fn refused_questions() {
    let mut program =
        (*boolean_program("decl g; void main() begin f(g); end void f(x) begin X: skip; end"))
            .clone();
    let g = program.globals[0];
    let read = program.exprs.pre(g);
    let program = Arc::new(program);
    let budget = Budget::unlimited();
    let unsupported = |reason| matches!(reason, Some(StopReason::Unsupported { .. }));
    for engine in engines() {
        let task = Task::new(program.clone(), vec![Goal::Repeat { marks: ir::MAX_MARKS + 1 }]);
        let answer = engine.run(&task, &budget);
        assert!(matches!(&answer.verdicts[0], Verdict::Unknown(StopReason::Unsupported { .. })));
    }
    // A global has no value in a frame below the top.
    let mut set = RegularSet::new();
    let (middle, end) = (set.state(), set.state());
    let any = engine_pds::Nodes::any();
    set.transition(0, engine_pds::Letter::at(any.clone()), middle);
    set.transition(
        middle,
        engine_pds::Letter { nodes: any.clone(), condition: read, choices: 0 },
        end,
    );
    set.accept(end);
    assert!(unsupported(post_star(&program, &set, &budget).err()));
    assert!(unsupported(pre_star(&program, &set, &budget).err()));
    // What nobody needs is not there.
    let mut sliced = reachable_stacks(&program, &[], &budget).unwrap();
    let x = program.labelled(None, "X")[0];
    let nodes = engine_pds::Nodes::of(&program, [x]);
    let set = RegularSet::at(engine_pds::Letter { nodes, condition: read, choices: 0 });
    assert!(unsupported(sliced.intersection(&set, &budget).err()));
    assert!(unsupported(sliced.stacks_at(x, Some(read), &budget).err()));
    let mut sliced = reachable_stacks(&program, &[(x, g)], &budget).unwrap();
    assert!(sliced.intersection(&set, &budget).unwrap().is_some());
    assert!(!sliced.stacks_at(x, Some(read), &budget).unwrap().is_empty());
}
