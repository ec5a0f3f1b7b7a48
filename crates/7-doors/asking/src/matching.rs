//! Abstract matching: which variables the explicit-state search stores.

use check::{Budget, StopReason, Task};
use engine_explicit::{Matching, Matter};
use influence::{InfluenceError, Kept, kept};
use ir::{NodeId, ProcId, VarId};
use std::sync::Arc;

pub use influence::Matched;

/// The engine that stores what the analysis says; without one, everything. And why.
pub(crate) fn engine(
    task: &Task,
    matched: Option<Matched>,
    budget: &Budget,
) -> Result<(Matching, String), StopReason> {
    let Some(matched) = matched else {
        let why = "asked for by `--matching`, stores all variables".to_owned();
        return Ok((Matching::default(), why));
    };
    let mut reserved = 0;
    let mut go_on = |progress: &bes::Progress| {
        let more = progress.bytes.saturating_sub(reserved);
        let enough = budget.reserve(more).is_ok();
        reserved += if enough { more } else { 0 };
        enough && budget.poll().is_ok()
    };
    let kept = kept(&task.program, matched, &task.reads(), &mut go_on);
    let kept = kept.map_err(|error| match error {
        InfluenceError::Stopped => budget.poll().err().unwrap_or(StopReason::Cancelled),
        error => StopReason::Internal { what: error.to_string() },
    })?;
    let word = match matched {
        Matched::Ia1 => "ia1",
        Matched::Ia2 => "ia2",
        Matched::Ia3 => "ia3",
        Matched::Ia4 => "ia4",
    };
    let assertions = match kept.assertions {
        true if matched == Matched::Ia1 || matched == Matched::Ia4 => {
            ", and what assertions read, since a failed one ends the run"
        }
        _ => "",
    };
    let why = format!("asked for by `--matching`, stores what {word} says{assertions}");
    let matter = Some(Arc::new(Stored(kept)) as Arc<dyn Matter>);
    Ok((Matching { matter, ..Matching::default() }, why))
}

struct Stored(Kept);

impl Matter for Stored {
    fn at(&self, node: NodeId, var: VarId) -> bool {
        self.0.contains(node, var)
    }
    fn at_exit(&self, proc: ProcId, var: VarId) -> bool {
        self.0.at_exit(proc, var)
    }
}
