//! Variables that cannot matter are dropped before any engine looks; the answers are those of the whole
//! program, and traces are runs of it.

use check::{Budget, Engine, Goal, Target, Task, TraceMode, Verdict, Wants};
use engine_explicit::Explicit;
use postbop::{EngineChoice, Options, Property, Search, SourceFile, Status, Watch, check, load};
use std::sync::Arc;
use testkit::random_bp::{Profile, random_bp};

/// What the explicit engine says of the whole program: each label, and assertions.
fn reference(program: &Arc<ir::Program>, labels: &[String]) -> Vec<bool> {
    let at = |l: &String| program.labelled(None, l).into_iter().map(Target::at).collect();
    let mut goals: Vec<Goal> = labels.iter().map(|l| Goal::Reach(at(l))).collect();
    let errors = program.procs.iter().filter_map(|p| p.error).map(Target::at);
    goals.push(Goal::Reach(errors.collect()));
    let mut task = Task::new(program.clone(), goals);
    task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: false };
    let answer = Explicit::default().run(&task, &Budget::unlimited());
    answer.verdicts.iter().map(|v| matches!(v, Verdict::Violated(_))).collect()
}

#[test]
fn answers_are_those_of_the_whole_program() {
    let engines = [
        EngineChoice::Explicit,
        EngineChoice::Summary,
        EngineChoice::Post,
        EngineChoice::Pre,
        EngineChoice::Universal,
    ];
    for seed in 0..200u64 {
        let profile = Profile::ALL[seed as usize % Profile::ALL.len()];
        let text = random_bp(seed, profile);
        let file = Arc::new(SourceFile::new("f.bp", text.as_str()).expect("text"));
        let engine = engines[seed as usize % engines.len()];
        let options = Options::from(Search { engine, self_check: true, ..Search::default() });
        let program =
            Arc::new(load(std::slice::from_ref(&file), &options.input).expect("a program"));
        let mut labels: Vec<String> =
            program.labels.iter().map(|l| program.text(l.name).to_owned()).collect();
        labels.sort_unstable();
        labels.dedup();
        labels.truncate(12);
        let mut properties: Vec<Property> = labels.iter().map(Property::reach).collect();
        properties.push(Property::Assert);
        let expected = reference(&program, &labels);
        let report = check(&[file], &properties, &options, &Watch::default()).expect("a report");
        for (outcome, expected) in report.results.iter().zip(expected) {
            let found = match outcome.status {
                Status::Reachable | Status::Violated => true,
                Status::Unreachable | Status::Holds => false,
                _ => panic!("seed {seed}, {engine:?}: {:?}\n{text}", outcome.stop_reason),
            };
            assert_eq!(found, expected, "seed {seed}, {engine:?}\n{text}");
        }
    }
}

/// `y` is read, but only for values of `x` that are overwritten: it is dropped, and the trace still
/// shows a run of the program.
#[test]
fn what_is_overwritten_is_dropped() {
    let text = "decl x, y, z; void main() begin y := T; x := y; z := T; x := z; \
                if (x) then R: skip; fi end";
    let file = Arc::new(SourceFile::new("f.bp", text).expect("text"));
    for engine in [EngineChoice::Explicit, EngineChoice::Summary, EngineChoice::Post] {
        let options = Options::from(Search { engine, self_check: true, ..Search::default() });
        let report = check(
            std::slice::from_ref(&file),
            &[Property::reach("R")],
            &options,
            &Watch::default(),
        );
        let report = report.expect("a report");
        assert_eq!(report.results[0].status, Status::Reachable);
        assert_eq!(report.results[0].trace.as_ref().expect("a trace").steps.len(), 6);
    }
}
