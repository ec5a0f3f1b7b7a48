//! `fuzz-engines`, `fuzz-ltl` and `random`.

use engine_explicit::Explicit;
use engine_pdr::Pdr;
use engine_pds::{Heads, Post, Pre};
use engine_sat::{Options, Qbf, Universal};
use engine_summary::Summary;
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::time::{Duration, Instant};
use testkit::differential::{Comparison, Failure, Named, Outcome, run};
use testkit::random_bp::{Profile, random_bp};
use testkit::random_ir::random_program;
use testkit::random_pds::random_pds;
use testkit::random_remopla::random_remopla;
use testkit::{LtlComparison, LtlOutcome, differential_ltl};

/// The seeds that `[--n N] [--seed S]` ask for.
pub(crate) fn seeds(args: &[&str], default: u64) -> Result<Range<u64>, String> {
    let (mut count, mut seed) = (default, 1u64);
    let mut rest = args.iter();
    while let Some(&flag) = rest.next() {
        let value = rest.next().and_then(|v| v.parse().ok());
        match (flag, value) {
            ("--n", Some(n)) if n > 0 => count = n,
            ("--seed", Some(s)) => seed = s,
            _ => return Err(format!("`{flag}` is no option, or needs a number")),
        }
    }
    let end = seed.checked_add(count).ok_or("the seeds would go beyond 64 bits")?;
    println!("seeds {seed} to {}, {} threads", end - 1, threads());
    Ok(seed..end)
}

/// Runs `work` with a listener that shows how many of the seeds are done, on a terminal.
fn watched<T>(seeds: &Range<u64>, work: impl FnOnce(&(dyn Fn(u64) + Sync)) -> T) -> T {
    let (terminal, count) = (std::io::stderr().is_terminal(), seeds.end - seeds.start);
    let result = work(&|done: u64| {
        if terminal && done.is_multiple_of(100) {
            eprint!("\r{done} of {count} ");
            let _ = std::io::stderr().flush();
        }
    });
    if terminal {
        eprintln!();
    }
    result
}

/// What an engine may take for one program.
const LIMIT: Duration = Duration::from_secs(60);

/// Compares all engines on generated programs.
pub(crate) fn fuzz_engines(args: &[&str]) -> Result<(), String> {
    let seeds = seeds(args, 20_000)?;
    let start = Instant::now();
    let outcome = watched(&seeds, |tick| compare_engines(seeds.clone(), true, LIMIT, tick));
    println!(
        "{} programs in {:.1} s; {} goals reached, {} not; {} traces replayed, {} certificates \
         checked, {} answers without all that was asked for; {} programs fail",
        outcome.programs,
        start.elapsed().as_secs_f64(),
        outcome.reached,
        outcome.unreached,
        outcome.traces,
        outcome.certificates,
        outcome.incomplete,
        outcome.failures.len()
    );
    for (seed, engine) in &outcome.open {
        println!("seed {seed}: {engine} ran out of time");
    }
    for failure in &outcome.failures {
        report(failure)?;
    }
    if outcome.failures.is_empty() { Ok(()) } else { Err("engines disagree".into()) }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, |n| n.get())
}

/// Compares every engine with the explicit one: the one place that lists them. Those with formulas
/// only where asked for: they take longer than all others together.
fn compare_engines(
    seeds: Range<u64>,
    formulas: bool,
    limit: Duration,
    tick: &(dyn Fn(u64) + Sync),
) -> Outcome {
    let summary = Summary::default();
    let small = Options { summary_limit: 30, ..Options::default() };
    let by_formulas: [Named<'_>; 4] = [
        ("qbf", &Qbf::default()),
        ("universal", &Universal::default()),
        ("universal with a small limit", &Universal { options: small }),
        ("pdr", &Pdr),
    ];
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
        any_trace: if formulas { &by_formulas } else { &[] },
        threads: threads(),
        limit,
    };
    run(&comparison, seeds, tick)
}

/// Compares all engines with the plain reference on generated programs and formulas.
pub(crate) fn fuzz_ltl(args: &[&str]) -> Result<(), String> {
    let seeds = seeds(args, 5_000)?;
    let start = Instant::now();
    let outcome = watched(&seeds, |tick| compare_ltl(seeds.clone(), tick));
    println!(
        "{} pairs in {:.1} s, {} more too large for the reference; {} hold, {} violated; \
         {} lassos judged, {} certificates checked; {} pairs fail",
        outcome.pairs,
        start.elapsed().as_secs_f64(),
        outcome.large,
        outcome.holds,
        outcome.violated,
        outcome.lassos,
        outcome.certificates,
        outcome.failures.len()
    );
    for failure in &outcome.failures {
        let problems = failure.problems.join("\n  ");
        println!("\nseed {}: {:?}\n  {problems}", failure.seed, failure.property);
        println!("{}", failure.program);
    }
    if outcome.failures.is_empty() { Ok(()) } else { Err("engines disagree".into()) }
}

fn compare_ltl(seeds: Range<u64>, tick: &(dyn Fn(u64) + Sync)) -> LtlOutcome {
    let (post, pre) = (Post::default(), Pre::default());
    let plain = Post { live_ranges: false, mod_ref: false, rough_components: false, ..post };
    let comparison = LtlComparison {
        engines: &[
            &Explicit::default(),
            &post,
            &pre,
            &Post { heads: Heads::Elimination, ..plain },
            &Post { heads: Heads::Saturation, ..post },
            &Pre { heads: Heads::Saturation, ..pre },
        ],
        threads: threads(),
        limit: Duration::from_secs(60),
    };
    differential_ltl(&comparison, seeds, tick)
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
    if profile == "remopla" || profile == "pds" {
        print!("{}", if profile == "pds" { random_pds(seed) } else { random_remopla(seed) });
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

    /// Those among which are the engines with formulas.
    const FORMULAS: u64 = 40;

    fn number(name: &str, default: u64) -> u64 {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    }

    /// Pairs of a program and a formula in continuous integration.
    const PAIRS: u64 = 300;

    /// The same seed and the same factor as for programs.
    #[test]
    fn engines_agree_with_the_reference_on_formulas() {
        let (seed, count) = (number("POSTBOP_SEED", 1), number("POSTBOP_PAIRS", PAIRS));
        let outcome = compare_ltl(seed..seed + count, &|_| ());
        for failure in &outcome.failures {
            println!("seed {}: {:?}", failure.seed, failure.property);
            println!("  {}\n{}", failure.problems.join("\n  "), failure.program);
        }
        assert!(outcome.failures.is_empty(), "{} pairs fail", outcome.failures.len());
        assert_eq!(outcome.pairs + outcome.large, count);
        assert!(outcome.holds > count / 10 && outcome.violated > count / 10, "{outcome:?}");
    }

    /// The outcome of a comparison, which must be that nothing fails.
    fn agreed(seeds: Range<u64>, formulas: bool, limit: Duration) -> Outcome {
        let outcome = compare_engines(seeds, formulas, limit, &|_| ());
        for failure in &outcome.failures {
            println!("seed {}:\n  {}", failure.seed, failure.problems.join("\n  "));
            println!("shrunk:\n  {}", failure.shrunk_problems.join("\n  "));
            println!("{}", failure.reproducer);
        }
        assert!(outcome.failures.is_empty(), "{} programs fail", outcome.failures.len());
        outcome
    }

    /// The same, for engines with formulas: the long run of them is `cargo xtask fuzz-engines`.
    #[test]
    fn formulas_agree_on_generated_programs() {
        let (seed, count) = (number("POSTBOP_SEED", 1), number("POSTBOP_FORMULAS", FORMULAS));
        let seeds = seed + 20_000..seed + 20_000 + count;
        let outcome = agreed(seeds, true, Duration::from_secs(5));
        assert_eq!(outcome.programs, count);
        // Six engines; one trace stands for each goal that is reached, if one is asked for.
        assert!(outcome.traces > 2 * outcome.reached, "{outcome:?}");
        assert!(outcome.certificates > 2 * count, "{outcome:?}");
        // A search that grows is given up here soon; the long run has a minute for each.
        assert!(outcome.incomplete <= 3 * count / 20, "{outcome:?}");
        assert!(outcome.open.len() as u64 <= count / 10, "{outcome:?}");
    }

    /// `POSTBOP_SEED` sets the first seed, `POSTBOP_PROGRAMS` how many follow.
    #[test]
    fn engines_agree_on_generated_programs() {
        let (seed, count) = (number("POSTBOP_SEED", 1), number("POSTBOP_PROGRAMS", PROGRAMS));
        let outcome = agreed(seed..seed + count, false, LIMIT);
        assert_eq!(outcome.programs, count);
        // Programs in which everything, or nothing, is reached would compare nothing.
        assert!(outcome.reached > 5 * count && outcome.unreached > 5 * count, "{outcome:?}");
    }
}
