//! What somebody claims to be a run, by the program's ids; and what is said of it.

use ir::{ProcId, Program, VarId};
use render::{ClaimedStep, ClaimedTrace, Reader};
use reports::{ListedEnd, ListedLasso, ListedStep};

/// What came of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Judgement {
    /// The program has a run that agrees with the trace and ends where the question asks.
    Accepted,
    /// Likewise, as far as the trace tells: what a folded call makes of some variable is left open.
    Plausible {
        /// The first such call, by the number of its step.
        step: usize,
    },
    /// The program has no such run.
    Refused(String),
    /// It was not found out.
    Unknown(String),
    /// There is no trace to judge.
    NoTrace,
}

impl Judgement {
    /// What `replay` says.
    pub fn of(outcome: Result<reports::Outcome, String>) -> Judgement {
        match outcome {
            Ok(reports::Outcome::Accepted { assumed: None }) => Judgement::Accepted,
            Ok(reports::Outcome::Accepted { assumed: Some(step) }) => Judgement::Plausible { step },
            Ok(reports::Outcome::Refuted { step, why }) => {
                Judgement::Refused(format!("step {}: {why}", step + 1))
            }
            Ok(reports::Outcome::Inconclusive { why }) => Judgement::Unknown(why),
            Err(what) => Judgement::Unknown(format!("internal error, please report it: {what}")),
        }
    }
}

/// The listing of a run without end, or why it is none. Its last step may stand for the state in
/// which it stays; that one is on line 0.
pub(crate) fn lasso(
    trace: &ClaimedTrace,
    mut steps: Vec<ListedStep>,
) -> Result<ListedLasso, String> {
    let (Some(start), Some(last)) = (trace.loop_start, trace.steps.last()) else {
        return Err("a run without end has a loop".to_owned());
    };
    let growth = trace.growth;
    if last.line != 0 {
        return Ok(ListedLasso { steps, end: ListedEnd::Loop { start }, growth });
    }
    let number = steps.len();
    if start + 1 != number {
        return Err(format!("step {number}: a run that is over stays in its last state"));
    }
    let state = steps.pop().map(|step| step.state).unwrap_or_default();
    let end = match last.text.as_deref() {
        Some("(terminated)") => ListedEnd::Terminated { state },
        Some("(error)") => ListedEnd::Failed { state },
        _ => {
            let why = "a state that is kept for ever is `(terminated)` or `(error)`";
            return Err(format!("step {number}: {why}"));
        }
    };
    Ok(ListedLasso { steps, end, growth })
}

/// The steps by the program's ids, or what does not exist in it.
pub fn steps(program: &Program, claimed: &[ClaimedStep]) -> Result<Vec<ListedStep>, String> {
    let mut reader = Reader::new(program);
    let mut out = Vec::with_capacity(claimed.len());
    for (i, step) in claimed.iter().enumerate() {
        let proc = program
            .proc_named(&step.proc)
            .ok_or_else(|| format!("step {}: there is no procedure `{}`", i + 1, step.proc))?;
        out.push(ListedStep {
            proc,
            line: step.line,
            depth: step.depth as usize,
            state: state(program, &mut reader, proc, step)
                .map_err(|why| format!("step {}: {why}", i + 1))?,
            folded: step.folded.is_some(),
            column: step.column,
            text: step.text.clone(),
        });
    }
    Ok(out)
}

fn state(
    program: &Program,
    reader: &mut Reader<'_>,
    proc: ProcId,
    step: &ClaimedStep,
) -> Result<Vec<(VarId, replay::Value)>, String> {
    let scope = reader.scope(proc);
    let mut out = Vec::with_capacity(step.state.len());
    for (name, value) in &step.state {
        let var = scope
            .iter()
            .find(|&&v| program.var_name(v) == name)
            .ok_or_else(|| format!("variable `{name}` is not in scope in `{}`", step.proc))?;
        let value = typed(value, &program.vars[*var])
            .ok_or_else(|| format!("`{name}` cannot have the value {value}"))?;
        out.push((*var, value));
    }
    Ok(out)
}

/// The value, if the variable can have it.
fn typed(value: &render::Value, var: &ir::Var) -> Option<replay::Value> {
    use render::Value::{Array, Bool, Int, Negative};
    let (ty, bits) = (var.ty, var.ty.scalar.bits());
    let max = u64::MAX >> (64 - bits) >> u32::from(var.signed);
    let bool = |v: &render::Value| matches!(v, Bool(_)).then_some(*v == Bool(true));
    let int = |v: &render::Value| match v {
        Int(n) if *n <= max => Some(*n),
        Negative(n) if var.signed && -*n <= 1i64 << (bits - 1) => Some((n + (1i64 << bits)) as u64),
        _ => None,
    };
    Some(match (ty.array, ty.scalar, value) {
        (None, ir::Scalar::Bool, value) => replay::Value::Bool(bool(value)?),
        (None, ir::Scalar::Int { .. }, value) => replay::Value::Int(int(value)?),
        (Some(dim), scalar, Array(cells)) if cells.len() == dim.len as usize => {
            let cells = cells.iter();
            match scalar {
                ir::Scalar::Bool => {
                    let cells =
                        cells.map(|c| c.as_ref().map(bool).map_or(Some(None), |v| v.map(Some)));
                    replay::Value::Bools(cells.collect::<Option<_>>()?)
                }
                ir::Scalar::Int { .. } => {
                    let cells =
                        cells.map(|c| c.as_ref().map(int).map_or(Some(None), |v| v.map(Some)));
                    replay::Value::Ints(cells.collect::<Option<_>>()?)
                }
            }
        }
        _ => return None,
    })
}
