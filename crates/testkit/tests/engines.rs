//! Every engine against the explicit one on generated programs.
//!
//! `POSTBOP_SEED` sets the first seed, `POSTBOP_PROGRAMS` how many follow. `cargo xtask
//! fuzz-engines` runs the same on many more.

#![allow(clippy::print_stderr)]

use engine_explicit::Explicit;
use engine_summary::Summary;
use std::time::Duration;
use testkit::differential::{Comparison, run};

/// The programs that continuous integration compares, and the time that this may take there.
const PROGRAMS: u64 = 1000;
const BUDGET: Duration = Duration::from_secs(150);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn engines_agree_on_generated_programs() {
    let summary = Summary::default();
    let no_live_ranges = Summary { live_ranges: false, ..summary };
    let no_mod_ref = Summary { mod_ref: false, ..summary };
    let plain = Summary { live_ranges: false, mod_ref: false, ..summary };
    let comparison = Comparison {
        reference: ("explicit", &Explicit::default()),
        engines: &[
            ("summary", &summary),
            ("summary without live ranges", &no_live_ranges),
            ("summary without MOD/REF", &no_mod_ref),
            ("summary without both", &plain),
        ],
        threads: std::thread::available_parallelism().map_or(2, |n| n.get()),
        limit: Duration::from_secs(60),
    };
    let (seed, count) = (number("POSTBOP_SEED", 1), number("POSTBOP_PROGRAMS", PROGRAMS));
    let start = std::time::Instant::now();
    let outcome = run(&comparison, seed..seed + count, &|_| ());
    for failure in &outcome.failures {
        let problems = failure.shrunk_problems.join("\n  ");
        eprintln!(
            "seed {}: {}\nshrunk:\n  {problems}\n{}",
            failure.seed,
            failure.problems.join("\n  "),
            failure.reproducer
        );
    }
    assert!(outcome.failures.is_empty(), "{} programs fail", outcome.failures.len());
    assert_eq!(outcome.programs, count);
    // Programs in which everything, or nothing, is reached would compare nothing.
    assert!(outcome.reached > 2 * count && outcome.unreached > 2 * count, "{outcome:?}");
    if count == PROGRAMS && start.elapsed() > BUDGET {
        eprintln!("over budget: {:?} for {count} programs", start.elapsed());
    }
}
