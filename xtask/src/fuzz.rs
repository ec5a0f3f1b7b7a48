//! `fuzz-engines` and `random`.

use engine_explicit::Explicit;
use engine_summary::Summary;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use testkit::differential::{Comparison, Failure, run};
use testkit::random_bp::{Profile, random_bp};
use testkit::random_ir::random_program;

/// Compares all engines on generated programs.
pub(crate) fn fuzz_engines(args: &[&str]) -> Result<(), String> {
    let (mut count, mut seed) = (20_000u64, 1u64);
    let mut rest = args.iter();
    while let Some(&flag) = rest.next() {
        let value = rest.next().and_then(|v| v.parse().ok());
        match (flag, value) {
            ("--n", Some(n)) => count = n,
            ("--seed", Some(s)) => seed = s,
            _ => return Err(format!("`{flag}` is no option, or needs a number")),
        }
    }
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
    let start = Instant::now();
    let terminal = std::io::stderr().is_terminal();
    let tick = |done: u64| {
        if terminal && done.is_multiple_of(100) {
            eprint!("\r{done} of {count} ");
            let _ = std::io::stderr().flush();
        }
    };
    println!("seeds {seed} to {}, {} threads", seed + count - 1, comparison.threads);
    let outcome = run(&comparison, seed..seed + count, &tick);
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
