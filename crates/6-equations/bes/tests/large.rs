//! Size and speed. Run with `cargo test --release -p bes large:: -- --ignored --nocapture`.

#![allow(clippy::print_stderr)]

use bes::{Bes, BesBuilder, Method, Op, Sign, Solver};

/// The most memory that the process has had, in MiB, where the system tells.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) >> 10
}

/// Processor time of this process so far, in seconds, where the system tells.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|n| n.parse().ok()).collect();
    ticks.iter().sum::<f64>() / 100.0
}

/// A random and/or graph: three operands each on average, a few constants.
fn graph(n: u32, signs: &[Sign]) -> Bes {
    let mut state = 0x5eed_0201u64;
    let mut below = |n: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 33) % u64::from(n)) as u32
    };
    let mut builder = BesBuilder::new();
    builder.reserve(n as usize, 3 * n as usize + 3);
    for &sign in signs {
        builder.block(sign);
    }
    let blocks = signs.len() as u64;
    for v in 0..n {
        let block = (u64::from(v) * blocks / u64::from(n)) as u32;
        // Two to four operands, or none; within the block or in a later one.
        let first = (u64::from(block) * u64::from(n)).div_ceil(blocks) as u32;
        let count = if below(100) == 0 { 0 } else { 2 + below(3) };
        let operands: Vec<u32> = (0..count).map(|_| first + below(n - first)).collect();
        builder.equation(block, if below(2) == 0 { Op::Or } else { Op::And }, operands);
    }
    builder.build(0).unwrap()
}

fn measure(n: u32, signs: &[Sign]) {
    let start = cpu();
    let bes = graph(n, signs);
    let built = cpu() - start;
    let start = cpu();
    let values = bes.solve_globally(&mut |_| true).unwrap();
    eprintln!(
        "{n} variables, {} dependencies, {} blocks: built in {built:.2} s, solved in {:.2} s, {} true, \
         peak {} MiB",
        bes.dependencies(),
        signs.len(),
        cpu() - start,
        values.iter().filter(|v| **v).count(),
        peak()
    );
    for method in [Method::Auto, Method::BreadthFirst] {
        let start = cpu();
        let mut system = graph(n.min(5_000_000), signs);
        let built = cpu() - start;
        let expected = system.solve_globally(&mut |_| true).unwrap()[0];
        let start = cpu();
        let mut solver = Solver::new(&mut system);
        let value = solver.solve(method, &mut |_| true).unwrap();
        assert_eq!(value, expected);
        let stats = solver.stats();
        eprintln!(
            "  {}: {:.2} s (built in {built:.2} s), {} variables explored, {} dependencies stored",
            method.word(),
            cpu() - start,
            stats.variables,
            stats.stored
        );
    }
}

#[test]
#[ignore = "takes seconds and 500 MiB"]
fn five_million() {
    measure(5_000_000, &[Sign::Mu]);
    measure(5_000_000, &[Sign::Nu, Sign::Mu, Sign::Nu]);
}

#[test]
#[ignore = "takes a minute and 3 GiB"]
fn fifty_million() {
    let start = cpu();
    let bes = graph(50_000_000, &[Sign::Mu]);
    eprintln!("built in {:.2} s", cpu() - start);
    let start = cpu();
    let values = bes.solve_globally(&mut |_| true).unwrap();
    let yes = values.iter().filter(|v| **v).count();
    eprintln!("solved in {:.2} s, {yes} true, peak {} MiB", cpu() - start, peak());
}

#[test]
fn a_small_one() {
    measure(20_000, &[Sign::Mu, Sign::Nu]);
}
