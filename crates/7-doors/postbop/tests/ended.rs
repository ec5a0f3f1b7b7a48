//! What is said when a run is ended from outside.

use postbop::{Options, Outcome, Property, SoFar, Status, StopReason, so_far};

/// The answer when the skeleton has said that something is violated.
fn said(data_is_asked: bool, engine: &str) -> Status {
    let found = SoFar::default();
    if data_is_asked {
        found.asks_data();
    }
    let mut outcome = Outcome::unknown(Property::Assert, StopReason::Cancelled);
    (outcome.status, outcome.stop_reason) = (Status::Violated, None);
    outcome.engine = engine.to_owned();
    found.answered(&outcome);
    let (asked, options) = ([Property::Assert], Options::default());
    so_far(&found, &[], &asked, &options, &StopReason::Cancelled).results[0].status
}

#[test]
fn a_run_of_the_skeleton_is_no_answer_where_data_is_asked_after_it() {
    assert_eq!(said(false, "explicit"), Status::Violated);
    assert_eq!(said(true, "explicit"), Status::Unknown);
    assert_eq!(said(true, "bounded"), Status::Violated);
}
