//! The corpora: every verdict, every trace, every certificate.

#![allow(clippy::print_stderr)]

use engine_explicit::Explicit;
use engine_summary::Summary;
use std::time::Duration;
use testkit::{corpus, suite};

/// Cases that this engine cannot do, with the reason.
const EXCEPTIONS: &[suite::Exception] = &[];
const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn own_corpus() {
    let cases = corpus::own().expect("a well-formed corpus");
    for live_ranges in [true, false] {
        for mod_ref in [true, false] {
            let engine = Summary { live_ranges, mod_ref, ..Summary::default() };
            let report = suite::run(&engine, &cases, EXCEPTIONS, LIMIT);
            assert!(report.failures.is_empty(), "{engine:?}: {}", report.failure_text());
            assert_eq!(report.passed + EXCEPTIONS.len(), cases.len());
        }
    }
}

#[test]
fn corpora_of_others() {
    let shared = corpus::shared();
    let report = suite::run(&Summary::default(), &shared.cases, EXCEPTIONS, LIMIT);
    assert!(report.failures.is_empty(), "{}", report.failure_text());
    // Of the rest nobody knows the answer: both engines must give the same.
    let mut unknown = shared.cases;
    unknown.retain(|c| c.questions.iter().any(|(_, e)| *e == corpus::Expected::Agree));
    let agreed = suite::agree(&Summary::default(), &Explicit::default(), &unknown, LIMIT);
    for (name, why) in shared.skipped.iter().chain(&agreed.skipped) {
        eprintln!("skipped {name}: {why}");
    }
    assert!(agreed.failures.is_empty(), "{}", agreed.failure_text());
}
