//! The corpora: every verdict, every trace, every certificate.

#![allow(clippy::print_stderr)]

use check::Engine;
use engine_pdr::Pdr;
use engine_summary::Summary;
use std::time::Duration;
use testkit::engines::AnyTrace;
use testkit::judge::is_left_out;
use testkit::{corpus, suite};

/// Cases that the engines cannot do, with the reason.
const EXCEPTIONS: &[suite::Exception] = &[];
const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn own_corpus() {
    let cases = corpus::own().expect("a well-formed corpus");
    let engine = &Pdr as &dyn Engine;
    let report = suite::run(&AnyTrace(engine), &cases, EXCEPTIONS, LIMIT);
    assert!(report.failures.is_empty(), "{}: {}", engine.name(), report.failure_text());
    assert_eq!(report.passed + EXCEPTIONS.len(), cases.len());
}

#[test]
fn corpora_of_others() {
    let shared = corpus::shared();
    let engine = &Pdr as &dyn Engine;
    let report = suite::run(&AnyTrace(engine), &shared.cases, EXCEPTIONS, LIMIT);
    assert!(report.failures.is_empty(), "{}: {}", engine.name(), report.failure_text());
    for (name, why) in &shared.skipped {
        eprintln!("skipped {name}: {why}");
    }
}

/// Programs of thousands of lines whose answers nobody knows: as decision diagrams say. Two or
/// three have proofs that are too large to write down.
#[test]
fn generated_from_c() {
    let mut cases = corpus::shared().cases;
    let starts = ["#init", "#thread0", "#thread1"];
    cases.retain(|case| starts.iter().any(|start| case.name.ends_with(start)));
    let engine = &Pdr as &dyn Engine;
    let clock = std::time::Instant::now();
    let mut report =
        suite::agree(&AnyTrace(engine), &AnyTrace(&Summary::default()), &cases, 6 * LIMIT);
    report.failures.retain(|(_, what)| !is_left_out(what));
    assert!(report.passed + 3 >= cases.len(), "{} of {}", report.passed, cases.len());
    assert!(report.failures.is_empty(), "{}: {}", engine.name(), report.failure_text());
    eprintln!("{}: {} agree, {:?}", engine.name(), report.passed, clock.elapsed());
}
