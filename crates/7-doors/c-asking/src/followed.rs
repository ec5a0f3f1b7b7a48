//! Answers that were found by following all runs, checked by another solver (`engine_bounded::all_followed`).

use crate::bounded::Searched;
use asking::Options;
use check::{Budget, StopReason};
use engine_bounded::Never;
use input::caught;
use render::{Outcome, Status};

/// Checks what an answer rests on: that all runs were followed, with so many rounds. What is refused is no answer. Of
/// callers that do anything there are no proofs: what they are is written anew each time.
pub(crate) fn check(
    out: &mut Outcome,
    (of, never, rounds): (&Searched<'_>, &Never, Option<u32>),
    options: &Options,
    budget: &Budget,
) {
    let Some(rounds) = rounds.filter(|_| of.harness.is_none()) else {
        if options.search.self_check {
            out.warnings.push("there is no proof to check".to_owned());
        }
        return;
    };
    match checked(of, never, rounds, budget) {
        Ok(Ok(())) => out.rounds = Some(rounds),
        Ok(Err(what)) => {
            out.status = Status::Unknown;
            let what = format!("that all runs were followed was refused: {what}");
            out.stop_reason = Some(StopReason::Internal { what });
        }
        Err(reason) => out.warnings.push(format!("its proof was not checked: {reason}")),
    }
}

/// Whether nothing happens that is asked about, and all runs end within so many rounds.
pub(crate) fn checked(
    of: &Searched<'_>,
    never: &Never,
    rounds: u32,
    budget: &Budget,
) -> Result<Result<(), String>, StopReason> {
    let program = of.data.program();
    let done =
        caught("checking a proof", || engine_bounded::all_followed(program, never, rounds, budget));
    done.unwrap_or_else(|what| Err(StopReason::Internal { what }))
}
