//! Judges answers: each by itself (traces, certificates), and two against each other.

use check::{Answer, Area, Budget, Certificate, Goal, SetBit, SetId, Task, TraceMode, Verdict};
use ir::{Layout, VarId, VarKind};
use std::sync::Arc;

/// What is wrong with an answer as such: missing parts, traces that do not replay, certificates
/// that do not hold. An answer of `unknown` counts as wrong.
pub fn problems(task: &Task, answer: &Answer) -> Vec<String> {
    let mut out = Vec::new();
    if answer.verdicts.len() != task.goals.len() {
        out.push(format!("{} verdicts on {} goals", answer.verdicts.len(), task.goals.len()));
    }
    if answer.observed.len() != task.observe.len() {
        out.push(format!("{} sets for {} wanted", answer.observed.len(), task.observe.len()));
    }
    if task.wants.all_nodes && answer.reached.is_none() {
        out.push("does not say which nodes are reached".into());
    }
    for (i, set) in answer.observed.iter().enumerate() {
        if set.is_none() {
            out.push(format!("{NO_SET} {i}"));
        }
    }
    for (i, (goal, verdict)) in task.goals.iter().zip(&answer.verdicts).enumerate() {
        if let Some(problem) = verdict_problem(task, goal, verdict) {
            out.push(format!("{}: {problem}", goal_name(task, i)));
        }
    }
    out.extend(certificate_problems(task, answer));
    out
}

/// Whether a problem is only that a proof or a set is missing, which engines may leave out where
/// it would be too large.
pub fn is_left_out(problem: &str) -> bool {
    problem.starts_with(NO_SET) || problem.ends_with(NO_PROOF)
}

const NO_SET: &str = "no set for observation";
const NO_PROOF: &str = "not reached, but no certificate";

/// Checks each certificate once, for all goals that it serves.
fn certificate_problems(task: &Task, answer: &Answer) -> Vec<String> {
    let mut served: Vec<(&Arc<Certificate>, Vec<usize>)> = Vec::new();
    for (i, verdict) in answer.verdicts.iter().enumerate().take(task.goals.len()) {
        let Verdict::Holds(Some(certificate)) = verdict else { continue };
        match served.iter_mut().find(|(c, _)| Arc::ptr_eq(c, certificate)) {
            Some((_, goals)) => goals.push(i),
            None => served.push((certificate, vec![i])),
        }
    }
    let mut out = Vec::new();
    for (certificate, numbers) in served {
        let goals: Vec<Goal> = numbers.iter().map(|&i| task.goals[i].clone()).collect();
        let result =
            replay::check_certificate(&task.program, &goals, certificate, &Budget::unlimited());
        if let Err(refusal) = result {
            out.push(format!("the certificate for goals {numbers:?} is refused: {refusal}"));
        }
    }
    out
}

fn verdict_problem(task: &Task, goal: &Goal, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Unknown(reason) => Some(format!("unknown: {reason}")),
        Verdict::Violated(None) => {
            (task.wants.trace != TraceMode::None).then(|| "reached, but no trace".to_owned())
        }
        Verdict::Violated(Some(trace)) => {
            let lasso = matches!(goal, Goal::Repeat { .. });
            if task.wants.trace == TraceMode::Shortest && !trace.shortest && !lasso {
                return Some("the trace does not claim to be shortest".into());
            }
            match replay::check_trace(&task.program, goal, trace) {
                Ok(_) => None,
                Err(refusal) => Some(format!("the trace is refused: {refusal}")),
            }
        }
        // Certificates of repeated goals may be left out where they would be too large.
        Verdict::Holds(None) => (task.wants.certificate && !matches!(goal, Goal::Repeat { .. }))
            .then(|| NO_PROOF.to_owned()),
        Verdict::Holds(Some(_)) => None,
    }
}

/// Where two answers to one task differ. Both are taken to be exact.
pub fn differences(task: &Task, a: &Answer, b: &Answer) -> Vec<String> {
    let mut out = Vec::new();
    for (i, (x, y)) in a.verdicts.iter().zip(&b.verdicts).enumerate() {
        let (kx, ky) = (kind(x), kind(y));
        if kx != ky {
            out.push(format!("{}: {kx} against {ky}", goal_name(task, i)));
            continue;
        }
        if let (Verdict::Violated(Some(x)), Verdict::Violated(Some(y))) = (x, y)
            && x.shortest
            && y.shortest
        {
            let (lx, ly) = (length(task, x), length(task, y));
            if lx != ly {
                out.push(format!("{}: shortest length {lx} against {ly}", goal_name(task, i)));
            }
        }
    }
    if let (Some(x), Some(y)) = (&a.reached, &b.reached)
        && x != y
    {
        let nodes: Vec<usize> =
            (0..x.len().max(y.len())).filter(|&n| x.get(n) != y.get(n)).collect();
        out.push(format!("nodes {nodes:?} are reached for one only"));
    }
    for (i, (x, y)) in a.observed.iter().zip(&b.observed).enumerate() {
        if let (Some(x), Some(y)) = (x, y)
            && let Some(problem) = set_difference(task, i, (a, *x), (b, *y))
        {
            out.push(problem);
        }
    }
    out
}

/// The hierarchical length of a trace: steps of the frames that are alive at its end, a completed
/// call counted as one ([bebop §3.2]).
pub fn length(task: &Task, trace: &check::Trace) -> usize {
    let steps = trace.frames.iter().flat_map(|frame| &frame.steps);
    steps.filter(|step| task.program.edges[step.edge].step).count()
}

/// One word for a verdict.
pub fn kind(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds(_) => "not reached",
        Verdict::Violated(_) => "reached",
        Verdict::Unknown(_) => "unknown",
    }
}

/// A goal's number, and where its first target stands.
fn goal_name(task: &Task, index: usize) -> String {
    let program = &task.program;
    let place = match &task.goals[index] {
        Goal::Reach(targets) => targets.first().map(|target| {
            let labels: Vec<&str> = program
                .labels
                .iter()
                .filter(|l| l.node == target.node)
                .map(|l| program.text(l.name))
                .collect();
            let node = &program.nodes[target.node];
            let name = program.proc_name(node.proc);
            format!("{name}:{} line {}", labels.join(","), node.origin.line)
        }),
        _ => None,
    };
    format!("goal {index} ({})", place.unwrap_or_else(|| "no target".into()))
}

/// Compares two sets on every valuation of the observed bits; other bits must not matter.
fn set_difference(
    task: &Task,
    index: usize,
    (a, x): (&Answer, SetId),
    (b, y): (&Answer, SetId),
) -> Option<String> {
    let observation = &task.observe[index];
    let layout = Layout::new(&task.program);
    let mut bits: Vec<SetBit> = Vec::new();
    for &var in &observation.vars {
        let area = match task.program.vars[var].kind {
            VarKind::Global => Area::Global,
            VarKind::Local(_) => Area::Local,
            VarKind::Result(_) => Area::Result,
        };
        bits.extend(layout.slot(var).bits().map(|index| SetBit { area, index }));
    }
    assert!(bits.len() <= 20, "only small sets are compared by enumeration");
    for valuation in 0u32..1 << bits.len() {
        let value = |others: bool| {
            let bits = &bits;
            move |bit: SetBit| match bits.iter().position(|&b| b == bit) {
                Some(i) => valuation >> i & 1 == 1,
                None => others,
            }
        };
        let answers = [false, true]
            .map(|others| (a.sets.contains(x, value(others)), b.sets.contains(y, value(others))));
        let (in_x, in_y) = answers[0];
        if answers[1] != answers[0] || in_x != in_y {
            let names: Vec<&str> =
                observation.vars.iter().map(|&v: &VarId| task.program.var_name(v)).collect();
            return Some(format!(
                "observation {index} of {names:?}: valuation {valuation:#b} is {} against {}{}",
                in_x,
                in_y,
                if answers[1] != answers[0] { " (bits not asked for matter)" } else { "" }
            ));
        }
    }
    None
}
