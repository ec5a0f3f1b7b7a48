//! A verdict and a trace for each value of a variable with which a goal is reached.

use check::{Answer, Budget, Engine, Goal, Limits, Observation, Target, Task, TraceMode, Verdict};
use engine_explicit::Explicit;
use engine_summary::Summary;
use ir::{BinaryOp, Layout, Program, VarId};
use replay::TraceChecker;
use std::sync::Arc;
use testkit::engines::boolean_program;
use testkit::random_bp::{Profile, random_bp};

/// Each node is a goal, some with a condition; each is observed, too.
fn task(program: &Arc<Program>, var: VarId, trace: TraceMode) -> Task {
    let mut program = (**program).clone();
    let global = program.globals[program.globals.len() - 1];
    let condition = program.exprs.pre(global);
    let goal = |(i, node)| {
        let with = Target { node, condition };
        Goal::Reach(vec![if i % 3 == 2 { with } else { Target::at(node) }])
    };
    let nodes: Vec<_> = program.nodes.ids().collect();
    let goals = nodes.iter().copied().enumerate().map(goal).collect();
    let observe = nodes.iter().map(|&node| Observation { node, vars: vec![var] }).collect();
    let mut task = Task::new(Arc::new(program), goals);
    task.observe = observe;
    task.each = Some(var);
    task.wants.trace = trace;
    task
}

/// The goal with the value; with a task that asks for it alone.
fn alone(task: &Task, goal: usize, var: VarId, value: u64) -> Task {
    let mut program = (*task.program).clone();
    let Goal::Reach(targets) = &task.goals[goal] else { panic!("a goal to reach") };
    let targets = targets.iter().map(|target| {
        let (now, number) = (program.exprs.pre(var), program.exprs.int(value as i64));
        // Of boolean programs, variables are bits.
        let is = match (program.vars[var].ty == ir::Type::BOOL, value) {
            (true, 0) => program.exprs.not(now),
            (true, _) => now,
            (false, _) => program.exprs.binary(BinaryOp::Eq, now, number),
        };
        let condition = program.exprs.and(target.condition, is);
        Target { node: target.node, condition }
    });
    let goals = vec![Goal::Reach(targets.collect())];
    Task { wants: task.wants, ..Task::new(Arc::new(program), goals) }
}

fn values(answer: &Answer) -> Vec<Vec<u64>> {
    answer.each.iter().map(|values| values.iter().map(|(value, _)| *value).collect()).collect()
}

fn length(program: &Program, verdict: &Verdict) -> usize {
    let Verdict::Violated(Some(trace)) = verdict else { panic!("no trace: {verdict:?}") };
    let steps = trace.frames.iter().flat_map(|f| &f.steps);
    steps.filter(|s| program.edges[s.edge].step).count()
}

fn engines() -> [Box<dyn Engine>; 3] {
    let often = Summary { collect_at: 1, ..Summary::default() };
    [Box::new(Summary::default()), Box::new(often), Box::new(Explicit::default())]
}

#[test]
fn each_value_has_its_shortest_trace() {
    let (mut told, mut several) = (0, 0);
    for seed in 0..30 {
        for profile in [Profile::Small, Profile::Calls] {
            let program = boolean_program(&random_bp(seed, profile));
            let Some(&var) = program.globals.first() else { continue };
            let task = task(&program, var, TraceMode::Shortest);
            let slot = Layout::new(&program).slot(var);
            let answers = engines().map(|engine| engine.run(&task, &Budget::unlimited()));
            for answer in &answers {
                assert_eq!(values(answer), values(&answers[0]), "seed {seed}");
                for (goal, found) in answer.each.iter().enumerate() {
                    let reached = matches!(answer.verdicts[goal], Verdict::Violated(None));
                    assert_eq!(reached, !found.is_empty(), "seed {seed}, goal {goal}");
                    assert!(reached || matches!(answer.verdicts[goal], Verdict::Holds(Some(_))));
                    let has = |value: u64| {
                        let set = answer.observed[goal].expect("observed");
                        let bit = |bit: check::SetBit| value >> (bit.index - slot.offset) & 1 == 1;
                        answer.sets.contains(set, bit)
                    };
                    // What is observed does not look at the goal's condition.
                    assert!(found.iter().all(|&(value, _)| has(value)), "seed {seed}");
                    if goal % 3 != 2 {
                        let all = (0..1u64 << slot.bits().len()).filter(|&v| has(v)).count();
                        assert_eq!(all, found.len(), "seed {seed}, goal {goal}");
                    }
                    several += usize::from(found.len() > 1);
                    for (value, verdict) in found.iter().filter(|_| goal % 5 == 0) {
                        let one = alone(&task, goal, var, *value);
                        let expected = Explicit::default().run(&one, &Budget::unlimited());
                        let expected = length(&program, &expected.verdicts[0]);
                        assert_eq!(length(&program, verdict), expected, "seed {seed}, goal {goal}");
                        let Verdict::Violated(Some(trace)) = verdict else { unreachable!() };
                        assert!(trace.shortest);
                        let checker = TraceChecker::new(one.program.clone());
                        checker.check(&one.goals[0], trace).expect("a run to this value");
                        told += 1;
                    }
                }
            }
        }
    }
    assert!(told > 300 && several > 300, "{told} traces, {several} goals with several values");
}

#[test]
fn what_was_found_before_a_limit_is_told() {
    let (mut stopped, mut told) = (0, 0);
    for seed in 0..20 {
        let program = boolean_program(&random_bp(seed, Profile::Medium));
        let Some(&var) = program.globals.first() else { continue };
        let task = task(&program, var, TraceMode::Any);
        for engine in engines() {
            let whole = engine.run(&task, &Budget::unlimited());
            let limits = Limits { steps: Some(6), ..Limits::default() };
            let answer = engine.run(&task, &Budget::new(limits).attempt());
            if !answer.verdicts.iter().any(|v| matches!(v, Verdict::Unknown(_))) {
                continue;
            }
            stopped += 1;
            for (goal, found) in answer.each.iter().enumerate() {
                for (value, verdict) in found {
                    assert!(values(&whole)[goal].contains(value), "seed {seed}, goal {goal}");
                    let one = alone(&task, goal, var, *value);
                    let Verdict::Violated(Some(trace)) = verdict else { continue };
                    assert!(!trace.shortest, "seed {seed}: nobody can know that");
                    let checker = TraceChecker::new(one.program.clone());
                    checker.check(&one.goals[0], trace).expect("a run to this value");
                    told += 1;
                }
            }
            assert!(answer.incomplete.is_some() || answer.each.is_empty(), "seed {seed}");
        }
    }
    assert!(stopped > 10 && told > 10, "{stopped} searches were stopped, {told} traces told");
}
