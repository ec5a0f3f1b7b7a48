//! `fuzz-engines` and `random`.

use engine_explicit::Explicit;
use engine_pds::{Post, Pre};
use engine_summary::Summary;
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::time::{Duration, Instant};
use testkit::differential::{Comparison, Failure, Outcome, run};
use testkit::random_bp::{Profile, random_bp};
use testkit::random_ir::random_program;

/// Compares all engines on generated programs.
pub(crate) fn fuzz_engines(args: &[&str]) -> Result<(), String> {
    let (mut count, mut seed) = (20_000u64, 1u64);
    let mut rest = args.iter();
    while let Some(&flag) = rest.next() {
        let value = rest.next().and_then(|v| v.parse().ok());
        match (flag, value) {
            ("--n", Some(n)) if n > 0 => count = n,
            ("--seed", Some(s)) => seed = s,
            _ => return Err(format!("`{flag}` is no option, or needs a number")),
        }
    }
    let Some(end) = seed.checked_add(count) else {
        return Err("the seeds would go beyond 64 bits".into());
    };
    let start = Instant::now();
    let terminal = std::io::stderr().is_terminal();
    let tick = |done: u64| {
        if terminal && done.is_multiple_of(100) {
            eprint!("\r{done} of {count} ");
            let _ = std::io::stderr().flush();
        }
    };
    println!("seeds {seed} to {}, {} threads", end - 1, threads());
    let outcome = compare_engines(seed..end, &tick);
    if terminal {
        eprintln!();
    }
    println!(
        "{} programs in {:.1} s; {} goals reached, {} not; {} programs fail",
        outcome.programs,
        start.elapsed().as_secs_f64(),
        outcome.reached,
        outcome.unreached,
        outcome.failures.len()
    );
    for failure in &outcome.failures {
        report(failure)?;
    }
    if outcome.failures.is_empty() { Ok(()) } else { Err("engines disagree".into()) }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, |n| n.get())
}

/// Compares every engine with the explicit one: the one place that lists them.
fn compare_engines(seeds: Range<u64>, tick: &(dyn Fn(u64) + Sync)) -> Outcome {
    let summary = Summary::default();
    let comparison = Comparison {
        reference: ("explicit", &Explicit::default()),
        engines: &[
            ("summary", &summary),
            ("post", &Post::default()),
            ("pre", &Pre::default()),
            ("summary without live ranges", &Summary { live_ranges: false, ..summary }),
            ("summary without MOD/REF", &Summary { mod_ref: false, ..summary }),
            ("summary without both", &Summary { live_ranges: false, mod_ref: false, ..summary }),
        ],
        threads: threads(),
        limit: Duration::from_secs(60),
    };
    run(&comparison, seeds, tick)
}

/// Prints a failure and writes its reproducer.
fn report(failure: &Failure) -> Result<(), String> {
    println!("\nseed {}:\n  {}", failure.seed, failure.problems.join("\n  "));
    println!("shrunk:\n  {}", failure.shrunk_problems.join("\n  "));
    println!("{}", failure.reproducer);
    let folder = crate::root().join("corpus/regress");
    let (name, header) = if failure.text {
        // Not a case of the corpus until somebody who is not our engine says what is right.
        (format!("seed_{}.bp.new", failure.seed), "//@ origin: shrunk from seed ")
    } else {
        (format!("seed_{}.dump", failure.seed), "seed ")
    };
    let path = folder.join(name);
    let text = format!("{header}{}\n{}", failure.seed, failure.reproducer);
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    println!("written to {}", path.display());
    Ok(())
}

/// Prints the program of a seed.
pub(crate) fn random(args: &[&str]) -> Result<(), String> {
    let (seed, profile) = match args {
        [seed] => (seed, "medium"),
        [seed, profile] => (seed, *profile),
        _ => return Err("random SEED [PROFILE]".into()),
    };
    let seed: u64 = seed.parse().map_err(|_| format!("`{seed}` is no seed"))?;
    if profile == "model" {
        print!("{}", ir::dump(&random_program(seed)));
        return Ok(());
    }
    let found = Profile::ALL.iter().find(|p| format!("{p:?}").eq_ignore_ascii_case(profile));
    let found = found.ok_or_else(|| format!("`{profile}` is no profile"))?;
    print!("{}", random_bp(seed, *found));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The programs that continuous integration compares; on two cores it takes less than a minute.
    const PROGRAMS: u64 = 1000;

    fn number(name: &str, default: u64) -> u64 {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    }

    /// `POSTBOP_SEED` sets the first seed, `POSTBOP_PROGRAMS` how many follow.
    #[test]
    fn engines_agree_on_generated_programs() {
        let (seed, count) = (number("POSTBOP_SEED", 1), number("POSTBOP_PROGRAMS", PROGRAMS));
        let outcome = compare_engines(seed..seed + count, &|_| ());
        for failure in &outcome.failures {
            println!("seed {}:\n  {}", failure.seed, failure.problems.join("\n  "));
            println!("shrunk:\n  {}", failure.shrunk_problems.join("\n  "));
            println!("{}", failure.reproducer);
        }
        assert!(outcome.failures.is_empty(), "{} programs fail", outcome.failures.len());
        assert_eq!(outcome.programs, count);
        // Programs in which everything, or nothing, is reached would compare nothing.
        assert!(outcome.reached > 5 * count && outcome.unreached > 5 * count, "{outcome:?}");
    }
}
