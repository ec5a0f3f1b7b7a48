//! Against the reference on generated programs, recursion included: verdicts, sets of states,
//! nodes reached; every trace is replayed and every certificate checked.

use check::{Budget, Engine, Limits, Task};
use engine_explicit::Explicit;
use engine_pdr::Pdr;
use std::time::Duration;
use testkit::differential::any_trace_case;
use testkit::judge::{differences, is_left_out, problems};

fn limited() -> Budget {
    Budget::new(Limits { time: Some(Duration::from_secs(20)), ..Limits::default() })
}

/// What is wrong with an engine's answer. A missing certificate or set is none: large ones are not
/// written down. How often one is missing is counted.
fn judge(task: &Task, engine: &dyn Engine, missing: &mut usize) -> Vec<String> {
    let reference = Explicit::default().run(task, &limited());
    let answer = engine.run(task, &limited());
    let mut found = problems(task, &answer);
    found.extend(differences(task, &answer, &reference));
    let before = found.len();
    found.retain(|p| !is_left_out(p));
    *missing += (found.len() < before) as usize;
    found
}

fn compare(engine: &dyn Engine, seeds: std::ops::Range<u64>) {
    let mut missing = 0;
    let mut failures = Vec::new();
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let task = any_trace_case(seed).expect("generated programs are well formed");
        let found = judge(&task, engine, &mut missing);
        if !found.is_empty() {
            failures.push(format!("seed {seed}: {}", found.join("\n    ")));
            if failures.len() >= 5 {
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}: {}", engine.name(), failures.join("\n"));
    assert!(missing as u64 <= count / 20, "{missing} of {count} answers lack a proof or a set");
}

#[test]
fn pdr_agrees_with_the_reference() {
    compare(&Pdr, 0..250);
}

/// The long run: `-- --ignored ten`, other seeds by `POSTBOP_SEEDS=from-to`.
#[test]
#[ignore = "takes many minutes"]
fn ten_thousand_programs() {
    let seeds = seeds(1_000..11_000);
    compare(&Pdr, seeds);
}

/// The seeds that are asked for, or the given ones.
fn seeds(default: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let asked = std::env::var("POSTBOP_SEEDS").ok();
    let asked = asked.as_deref().and_then(|text| text.split_once('-'));
    match asked.map(|(from, to)| (from.parse(), to.parse())) {
        Some((Ok(from), Ok(to))) => from..to,
        _ => default,
    }
}

/// Which programs take long: `-- --ignored --nocapture slow`, seeds from `POSTBOP_SEEDS=from-to`.
#[test]
#[ignore = "for measuring"]
#[allow(clippy::print_stderr)]
fn slow_programs() {
    let seeds = seeds(0..200);
    for engine in [&Pdr as &dyn Engine] {
        let (mut total, mut worst) = (Duration::ZERO, (Duration::ZERO, 0));
        for seed in seeds.clone() {
            let task = any_trace_case(seed).expect("generated programs are well formed");
            let clock = std::time::Instant::now();
            let answer = engine.run(&task, &limited());
            let time = clock.elapsed();
            total += time;
            worst = worst.max((time, seed));
            if time > Duration::from_millis(500) {
                eprintln!("{} seed {seed}: {time:?} {:?}", engine.name(), answer.stats.counters);
            }
        }
        eprintln!("{}: {total:?}, worst {worst:?}", engine.name());
    }
}
