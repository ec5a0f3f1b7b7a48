//! Runs an engine over programs with known answers.

use crate::corpus::{Case, Expected};
use crate::judge::{differences, kind, problems};
use check::{Answer, Budget, Engine, Goal, Limits, StopReason, Task, Trace, Verdict};
use property::{Property, Question};
use std::time::Duration;

/// A case that an engine cannot do, and why.
pub type Exception<'a> = (&'a str, &'a str);

/// What came of a run over a corpus.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many cases are as they should be.
    pub passed: usize,
    /// Cases left out, with the reason.
    pub skipped: Vec<(String, String)>,
    /// What is wrong, with the case's name.
    pub failures: Vec<(String, String)>,
}

impl Report {
    /// A line for each failure.
    pub fn failure_text(&self) -> String {
        self.failures.iter().map(|(name, what)| format!("{name}: {what}\n")).collect()
    }
}

/// Runs the engine on every case: verdicts as expected, traces accepted, certificates accepted. A
/// case among the exceptions must fail, so that a fix is noticed. Cases of which nobody knows the
/// answer are left to [`agree`].
pub fn run(
    engine: &dyn Engine,
    cases: &[Case],
    exceptions: &[Exception],
    limit: Duration,
) -> Report {
    let mut report = Report::default();
    for (name, reason) in exceptions {
        if !cases.iter().any(|c| c.name == *name) {
            let what = format!("is an exception ({reason}), but no case");
            report.failures.push(((*name).to_owned(), what));
        }
    }
    for case in cases {
        if case.questions.iter().any(|(_, expected)| *expected == Expected::Agree) {
            report.skipped.push((case.name.clone(), "its answer is not known".to_owned()));
            continue;
        }
        let found = judge(engine, case, limit);
        match exceptions.iter().find(|(name, _)| *name == case.name) {
            None if found.is_empty() => report.passed += 1,
            None => report.failures.extend(found.into_iter().map(|what| (case.name.clone(), what))),
            Some(_) if found.is_empty() => {
                let what = "passes: it is no exception any more".to_owned();
                report.failures.push((case.name.clone(), what));
            }
            Some((_, reason)) => report.skipped.push((case.name.clone(), (*reason).to_owned())),
        }
    }
    report
}

/// Engines that know runs without end.
const LOOPS: [&str; 3] = ["explicit", "post", "pre"];

fn judge(engine: &dyn Engine, case: &Case, limit: Duration) -> Vec<String> {
    let asked = match tasks(case) {
        Ok(asked) => asked,
        Err(problem) => return vec![problem],
    };
    let mut found = Vec::new();
    for (task, questions) in asked {
        let repeats = task.goals.iter().any(|goal| matches!(goal, Goal::Repeat { .. }));
        if !repeats || LOOPS.contains(&engine.name()) {
            let answer = answer(engine, &task, limit);
            found.extend(problems(&task, &answer));
            for ((property, expected), verdict) in questions.iter().zip(&answer.verdicts) {
                found.extend(wrong(&task, property, *expected, verdict));
            }
        }
    }
    found
}

/// How a verdict is not as expected.
fn wrong(
    task: &Task,
    property: &Property,
    expected: Expected,
    verdict: &Verdict,
) -> Option<String> {
    let wanted = match expected {
        Expected::Holds => "not reached",
        Expected::Violated { .. } => "reached",
        Expected::Agree => return None,
    };
    if kind(verdict) != wanted {
        return Some(format!("{property:?}: {}, expected: {wanted}", kind(verdict)));
    }
    if let (Expected::Violated { at: Some(place) }, Verdict::Violated(Some(trace))) =
        (expected, verdict)
    {
        let end = last_statement(task, trace);
        if end != Some(place) {
            return Some(format!("{property:?}: fails at {end:?}, expected: {place:?}"));
        }
    }
    None
}

/// Runs both engines on every case; they must agree. Where the reference gives no answer, the case
/// is skipped; where the engine gives none, it fails.
pub fn agree(
    engine: &dyn Engine,
    reference: &dyn Engine,
    cases: &[Case],
    limit: Duration,
) -> Report {
    let mut report = Report::default();
    for case in cases {
        let mut fail = |what: String| report.failures.push((case.name.clone(), what));
        let task = match task(case) {
            Ok(task) => task,
            Err(problem) => {
                fail(problem);
                continue;
            }
        };
        let ours = answer(engine, &task, limit);
        let found = problems(&task, &ours);
        let wrong = !found.is_empty();
        found.into_iter().for_each(&mut fail);
        let theirs = answer(reference, &task, limit);
        if let Some(reason) = unknown(&theirs) {
            let what = format!("{} gives no answer: {reason}", reference.name());
            report.skipped.push((case.name.clone(), what));
            continue;
        }
        let found = differences(&task, &ours, &theirs);
        if !wrong && found.is_empty() {
            report.passed += 1;
        }
        found.into_iter().for_each(fail);
    }
    report
}

fn unknown(answer: &Answer) -> Option<&StopReason> {
    answer.verdicts.iter().find_map(|v| match v {
        Verdict::Unknown(reason) => Some(reason),
        _ => None,
    })
}

fn answer(engine: &dyn Engine, task: &Task, limit: Duration) -> Answer {
    engine.run(task, &Budget::new(Limits { time: Some(limit), ..Limits::default() }))
}

/// The questions about places as one task.
pub fn task(case: &Case) -> Result<Task, String> {
    let mut all = tasks(case)?;
    match (all.len(), all.pop()) {
        (1, Some((task, _))) => Ok(task),
        _ => Err("a task is about one program".to_owned()),
    }
}

/// A task with the questions that its goals are, in order.
type Asked<'c> = (Task, Vec<&'c (Property, Expected)>);

/// The questions about places as one task, and one for each temporal property.
fn tasks(case: &Case) -> Result<Vec<Asked<'_>>, String> {
    let program = case.program()?;
    let mut places: Asked = (Task::new(program.clone(), Vec::new()), Vec::new());
    let mut out = Vec::new();
    for asked in &case.questions {
        match asked.0.question(&program).map_err(|e| e.to_string())? {
            Question::Goal(goal) => {
                places.0.goals.push(goal);
                places.1.push(asked);
            }
            Question::AllNodes => return Err("a corpus asks for single places".to_owned()),
            Question::Product(product) => {
                let task = Task::new(product.program.clone(), vec![product.goal.clone()]);
                out.push((task, vec![asked]));
            }
        }
    }
    if !places.1.is_empty() {
        out.push(places);
    }
    Ok(out)
}

/// Line and column of the last statement that a trace executes.
fn last_statement(task: &Task, trace: &Trace) -> Option<(u32, u32)> {
    let step = trace.frames.last()?.steps.last()?;
    let node = &task.program.nodes[task.program.edges[step.edge].source];
    Some((node.origin.line, node.origin.column))
}
