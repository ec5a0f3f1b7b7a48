//! Proofs, checked where that is asked for.

use crate::Options;
use check::{Budget, Certificate, Goal, Limits, StopReason};
use input::caught;
use ir::Program;
use replay::CertRefusal;
use std::time::Duration;

/// How long a check may take that nobody has asked for. A proof of `pre` over the bits of an array can take
/// minutes.
const UNASKED: Duration = Duration::from_secs(5);

/// Checks a proof if that is asked for, and in debug builds always; none if it was not checked, and nobody
/// minds.
pub(crate) fn checked(
    program: &Program,
    goals: &[Goal],
    certificate: &Certificate,
    options: &Options,
    budget: &Budget,
) -> Option<Result<(), CertRefusal>> {
    let check = |budget: &Budget| {
        let done = caught("checking a proof", || {
            replay::check_certificate(program, goals, certificate, budget)
        });
        done.map_or_else(|what| Err(StopReason::Internal { what }.into()), |done| done.map(|_| ()))
    };
    if options.search.self_check {
        return Some(check(budget));
    }
    if !cfg!(debug_assertions) {
        return None;
    }
    let left = budget.limits().time.map(|limit| limit.saturating_sub(budget.elapsed()));
    let time = Some(left.map_or(UNASKED, |left| left.min(UNASKED)));
    let limits = Limits { time, ..Limits::default() };
    match check(&Budget::new(limits).with_cancel(budget.cancel_flag())) {
        Err(CertRefusal::Stopped(StopReason::Time { .. } | StopReason::Cancelled)) => None,
        result => Some(result),
    }
}
