//! Workers against the sequential solver on generated systems: CPU, elapsed time, memory.
//!
//! `measure shallow|deep VARIABLES WORKERS`; 0 workers are the sequential solver.

use bes::{Bes, BesBuilder, Op, Sign};
use bes_workers::{Crew, solve_closed};
use std::fs::read_to_string;
use std::sync::Arc;
use std::time::Instant;

/// A random and/or graph with three operands each; values travel a few steps.
fn shallow(n: u32) -> Bes {
    let mut state = 88_172_645_463_325_252u64;
    let mut below = |n: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (((state >> 32) * u64::from(n)) >> 32) as u32
    };
    let mut builder = BesBuilder::new();
    builder.reserve(n as usize, 3 * n as usize);
    let block = builder.block(Sign::Mu);
    for _ in 0..n {
        let op = if below(2) == 0 { Op::Or } else { Op::And };
        let operands = (below(100) > 0).then(|| [below(n), below(n), below(n)]);
        builder.equation(block, op, operands.into_iter().flatten());
    }
    builder.build(0).expect("operands are below n")
}

/// `width` chains side by side: every variable needs one of the step before and two of its own.
fn deep(n: u32, width: u32) -> Bes {
    let mut builder = BesBuilder::new();
    builder.reserve(n as usize, 3 * n as usize);
    let block = builder.block(Sign::Mu);
    for v in 0..n {
        let next = v + width;
        match next < n {
            true => builder.equation(block, Op::And, [next, next - v % width, next]),
            false => builder.equation(block, Op::And, []),
        };
    }
    builder.build(0).expect("operands are below n")
}

fn status(field: &str) -> u64 {
    let text = read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let number = line.and_then(|line| line.trim_start_matches(':').split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// CPU seconds of the process, of all its threads.
fn cpu() -> f64 {
    let text = read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(") ").next().unwrap_or("").split(' ').collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

#[allow(clippy::print_stdout)]
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize| args.get(i).and_then(|arg| arg.parse::<u32>().ok());
    let (Some(kind), Some(n), Some(workers)) = (args.get(1), number(2), number(3)) else {
        println!("measure shallow|deep VARIABLES WORKERS");
        return;
    };
    let bes = match kind.as_str() {
        "shallow" => shallow(n),
        // 50,000 steps.
        _ => deep(n, (n / 50_000).max(1)),
    };
    let before = status("VmRSS");
    let (start, spent) = (Instant::now(), cpu());
    let (value, variables) = if workers == 0 {
        let values = bes.solve_globally(&mut |_| true).expect("nobody stops it");
        (values[0], values.len() as u64)
    } else {
        let found =
            solve_closed(&Arc::new(bes), Crew::threads(workers as usize), Arc::new(|_| Ok(())))
                .expect("nobody stops it");
        (found.value, found.variables)
    };
    println!(
        "{kind} {n} workers {workers}: {value}, {variables} variables, cpu {:.2} s, elapsed {:.2} s, \
         system {} MB, solving {} MB",
        cpu() - spent,
        start.elapsed().as_secs_f64(),
        before >> 10,
        (status("VmHWM").saturating_sub(before)) >> 10,
    );
}
