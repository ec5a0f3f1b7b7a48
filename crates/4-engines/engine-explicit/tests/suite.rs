//! The corpora: every verdict, every trace, every certificate.

#![allow(clippy::print_stderr)]

use engine_explicit::Explicit;
use std::time::Duration;
use testkit::{corpus, suite};

/// Cases that this engine cannot do, with the reason.
const EXCEPTIONS: &[suite::Exception] = &[];
const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn own_corpus() {
    let cases = corpus::own().expect("a well-formed corpus");
    let report = suite::run(&Explicit::default(), &cases, EXCEPTIONS, LIMIT);
    assert!(report.failures.is_empty(), "{}", report.failure_text());
    assert_eq!(report.passed + EXCEPTIONS.len(), cases.len());
}

#[test]
fn corpora_of_others() {
    let shared = corpus::shared();
    let report = suite::run(&Explicit::default(), &shared.cases, EXCEPTIONS, LIMIT);
    for (name, why) in shared.skipped.iter().chain(&report.skipped) {
        eprintln!("skipped {name}: {why}");
    }
    assert!(report.failures.is_empty(), "{}", report.failure_text());
}
