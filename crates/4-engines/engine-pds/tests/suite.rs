//! The corpora and generated programs: every verdict, every trace, every certificate.

#![allow(clippy::print_stderr)]

use check::Engine;
use engine_explicit::Explicit;
use engine_pds::{Order, Post, Pre};
use std::time::Duration;
use testkit::{corpus, differential, suite};

/// Cases that these engines cannot do, with the reason.
const EXCEPTIONS: &[suite::Exception] = &[];
const LIMIT: Duration = Duration::from_secs(60);

fn engines() -> Vec<(&'static str, Box<dyn Engine>)> {
    let plain = Post { live_ranges: false, mod_ref: false, ..Post::default() };
    let shuffled = Order::Shuffled { seed: 1 };
    let sifting = Post { sifting: true, collect_at: 8, ..Post::default() };
    vec![
        ("post", Box::new(Post::default())),
        ("post, collecting", Box::new(Post { collect_at: 1, ..Post::default() })),
        ("post, all live", Box::new(Post { live_ranges: false, ..Post::default() })),
        ("post, no mod/ref", Box::new(Post { mod_ref: false, ..Post::default() })),
        ("post, plain", Box::new(Post { collect_at: 1, ..plain })),
        ("post, sifting", Box::new(sifting)),
        ("post, naive order", Box::new(Post { order: Order::Naive, ..Post::default() })),
        ("post, shuffled, sifting", Box::new(Post { order: shuffled, ..sifting })),
        ("pre", Box::new(Pre::default())),
        ("pre, shuffled", Box::new(Pre { order: shuffled, ..Pre::default() })),
        (
            "pre, naive order, sifting",
            Box::new(Pre { order: Order::Naive, sifting: true, collect_at: 8, ..Pre::default() }),
        ),
        ("pre, collecting", Box::new(Pre { collect_at: 1, ..Pre::default() })),
        ("pre, all live", Box::new(Pre { live_ranges: false, ..Pre::default() })),
        ("pre, no mod/ref", Box::new(Pre { mod_ref: false, ..Pre::default() })),
        ("pre, plain", Box::new(Pre { live_ranges: false, mod_ref: false, ..Pre::default() })),
        ("pre, then post", Box::new(Pre { certificate_nodes: 0, ..Pre::default() })),
    ]
}

#[test]
fn own_corpus() {
    let cases = corpus::own().expect("a well-formed corpus");
    for (name, engine) in engines() {
        let report = suite::run(&*engine, &cases, EXCEPTIONS, LIMIT);
        assert!(report.failures.is_empty(), "{name}: {}", report.failure_text());
        assert_eq!(report.passed + EXCEPTIONS.len(), cases.len());
    }
}

#[test]
fn corpora_of_others() {
    let shared = corpus::shared();
    for engine in [&Post::default() as &dyn Engine, &Pre::default()] {
        let report = suite::run(engine, &shared.cases, EXCEPTIONS, LIMIT);
        assert!(report.failures.is_empty(), "{}: {}", engine.name(), report.failure_text());
        // Of the rest nobody knows the answer: both engines must give the same.
        let mut unknown = shared.cases.clone();
        unknown.retain(|c| c.questions.iter().any(|(_, e)| *e == corpus::Expected::Agree));
        let agreed = suite::agree(engine, &Explicit::default(), &unknown, LIMIT);
        for (name, why) in shared.skipped.iter().chain(&agreed.skipped) {
            eprintln!("skipped {name}: {why}");
        }
        assert!(agreed.failures.is_empty(), "{}: {}", engine.name(), agreed.failure_text());
    }
}

/// Generated programs, texts and models; the engines in turn.
#[test]
fn generated_programs() {
    let reference = Explicit::default();
    for (name, engine) in engines() {
        let comparison = differential::Comparison {
            reference: ("explicit", &reference),
            engines: &[(name, &*engine)],
            any_trace: &[],
            threads: 1,
            limit: LIMIT,
        };
        let outcome = differential::run(&comparison, 0..120, &|_| ());
        let failures: Vec<String> = outcome
            .failures
            .iter()
            .map(|f| {
                format!("{}: {:?}\n{}\n{:?}", f.seed, f.problems, f.reproducer, f.shrunk_problems)
            })
            .collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        assert!(outcome.reached > 100 && outcome.unreached > 100);
    }
}
