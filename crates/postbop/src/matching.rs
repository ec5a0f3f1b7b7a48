//! Abstract matching: which variables the explicit-state search stores.

use crate::influence::watched;
use check::{Budget, StopReason, Task};
use engine_explicit::Matching;
use influence::{InfluenceError, kept};
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
    let kept = kept(&task.program, matched, &task.reads(), &mut watched(budget));
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
    let matters = move |node, var| kept.contains(node, var);
    Ok((Matching { matters: Some(Arc::new(matters)), compare: true, ..Matching::default() }, why))
}
