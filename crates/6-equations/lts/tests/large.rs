//! Size and speed. Run with `cargo test --release -p lts large:: -- --ignored --nocapture`.

#![allow(clippy::print_stderr)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use bes::{Method, Solver};
use lts::aut;
use lts::mu::{Dialect, parse};

/// Processor time of this process so far, in seconds, where the system tells.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|n| n.parse().ok()).collect();
    ticks.iter().sum::<f64>() / 100.0
}

const FORMULAS: &[&str] = &[
    "[true*]<true>true",
    "<true*>[true]false",
    "mu X.[tau]X",
    "<true*>nu X.<tau>X",
    "[true*]mu X.(<!tau>true || <tau>X)",
    "nu X.<true>X",
    "mu X.[true]X",
    "mu X.([true]X && <true>true) || [true]false",
    "nu X. mu Y. (<true>X && [tau]Y)",
];

fn measure(name: &str, text: &[u8]) {
    let start = cpu();
    let mut model = aut::read(text, &mut |_| true).unwrap();
    eprintln!(
        "{name}: {} states, {} transitions, {} MiB, read in {:.2} s",
        model.states(),
        model.len(),
        text.len() >> 20,
        cpu() - start
    );
    for formula in FORMULAS {
        let start = cpu();
        let parsed = parse(formula, Dialect::Mcrl2).unwrap();
        let mut solver = Solver::new(lts::question(&parsed, &mut model, &["i", "tau"]).unwrap());
        let value = solver.solve(Method::Auto, &mut |_| true).unwrap();
        let stats = solver.stats();
        eprintln!(
            "  {value:5} {:.2} s, {} variables, {}: {formula}",
            cpu() - start,
            stats.variables,
            stats.algorithm(Method::Auto)
        );
    }
}

#[test]
#[ignore = "takes seconds"]
fn vlts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let corpus = match std::env::var_os("POSTBOP_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => root.join("../shared/corpus"),
    };
    for name in ["abp", "vasy_0_1", "cwi_1_2", "vasy_1_4", "vasy_25_25"] {
        match std::fs::read(corpus.join(format!("lts/{name}.aut"))) {
            Ok(text) => measure(name, &text),
            Err(_) => eprintln!("skipped: no corpus at {}", corpus.display()),
        }
    }
}

#[test]
#[ignore = "takes a minute and 1 GiB"]
fn a_million_states() {
    let mut state = 0x5eed_3001u64;
    let mut below = |n: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 33) % u64::from(n)) as u32
    };
    let (states, transitions) = (1_000_000, 5_000_000);
    let mut text = format!("des (0, {transitions}, {states})\n");
    for t in 0..transitions {
        let from = t / 5;
        // Mostly forwards, and back to the start at the end: few deadlocks, long ways.
        let to = (from + 1 + below(1000)).min(states - 1) * u32::from(below(1000) > 0);
        match below(4) {
            0 => _ = writeln!(text, "({from}, i, {to})"),
            label => _ = writeln!(text, "({from}, \"SEND !{label} !TRUE\", {to})"),
        }
    }
    measure("random", text.as_bytes());
}
