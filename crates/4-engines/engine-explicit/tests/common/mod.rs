//! What the suites share.

#![allow(dead_code)] // each suite uses its part

use check::{Answer, Budget, Engine, Goal, Target, Task, Trace, TraceMode, Verdict};
use engine_explicit::Explicit;
use front_bp::{Dialect, LowerOptions};
use ir::{NodeId, Program};
use std::path::PathBuf;
use std::sync::Arc;

/// A boolean program, or what is wrong with it.
pub(crate) fn program(name: &str, text: &str, dialect: Dialect) -> Result<Arc<Program>, String> {
    let (tree, errors) = front_bp::parse(text, dialect);
    if let Some(error) = errors.first() {
        return Err(error.to_string());
    }
    let file = source::SourceFile::new(name, text).map_err(|e| e.to_string())?;
    let program = front_bp::lower(&tree, &file, &LowerOptions::default())
        .map_err(|errors| errors[0].to_string())?;
    program.validate().map_err(|e| e.to_string())?;
    Ok(Arc::new(program))
}

/// Can an assertion fail?
pub(crate) fn assertions(program: &Program) -> Goal {
    let errors = program.procs.iter().filter_map(|p| p.error);
    Goal::Reach(errors.map(Target::at).collect())
}

/// Is one of the nodes reached?
pub(crate) fn reach(nodes: impl IntoIterator<Item = NodeId>) -> Goal {
    Goal::Reach(nodes.into_iter().map(Target::at).collect())
}

/// The answer to a task. Its traces replay, its certificates hold.
#[track_caller]
pub(crate) fn run(task: &Task) -> Answer {
    let answer = Explicit::default().run(task, &Budget::unlimited());
    let problems = testkit::judge::problems(task, &answer);
    assert!(problems.is_empty(), "{problems:#?}");
    answer
}

/// The answer with the given kind of trace.
#[track_caller]
pub(crate) fn answer(program: &Arc<Program>, goals: Vec<Goal>, trace: TraceMode) -> Answer {
    let mut task = Task::new(program.clone(), goals);
    task.wants.trace = trace;
    run(&task)
}

/// The trace of a violated verdict.
pub(crate) fn trace(verdict: &Verdict) -> Option<&Trace> {
    match verdict {
        Verdict::Violated(Some(trace)) => Some(trace),
        _ => None,
    }
}

/// Steps of the frames that are there at the end: completed calls count one [bebop §3.2].
pub(crate) fn hierarchical_length(program: &Program, trace: &Trace) -> usize {
    let steps = trace.frames.iter().flat_map(|f| &f.steps);
    steps.filter(|s| program.edges[s.edge].step).count()
}

/// The independent reference written in Python, which need not be there.
pub(crate) fn oracle() -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/oracle");
    path.is_dir().then_some(path)
}
