//! The reference for temporal formulas, against known answers; and engines against it.

use check::Engine;
use engine_explicit::Explicit;
use std::time::Duration;
use testkit::{LtlComparison, differential_ltl};

#[test]
fn explicit_engine() {
    let engines: [&dyn Engine; 1] = [&Explicit::default()];
    let comparison =
        LtlComparison { engines: &engines, threads: 2, limit: Duration::from_secs(20) };
    let outcome = differential_ltl(&comparison, 0..3000, &|_| {});
    for failure in &outcome.failures {
        eprintln!("seed {}: {:?}\n{}\n{:#?}\n", failure.seed, failure.property, failure.program, failure.problems);
    }
    let failures = outcome.failures.len();
    eprintln!("{:?}", testkit::LtlOutcome { failures: Vec::new(), ..outcome });
    assert_eq!(failures, 0);
}
