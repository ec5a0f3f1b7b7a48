//! Damages pieces of a preprocessed file and looks what becomes of them: `mutate FILE.i [N] [SEED]`.
//! Prints the piece that took longest; a crash prints what crashed and ends it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use front_c::{Options, lower, parse, skeleton};
use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("mutate FILE.i [N] [SEED]");
        return Ok(());
    };
    let n: u64 = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(1_000);
    let seed: u64 = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(1);
    let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
    let lines: Vec<&str> = text.split_inclusive('\n').filter(|l| !l.starts_with('#')).collect();
    let mut slowest = (Duration::ZERO, 0, 0);
    let mut lost = 0;
    for round in seed..seed + n {
        let mut state = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n.max(1) as u64) as usize
        };
        let size = 1 + random(600);
        let from = random(lines.len().saturating_sub(size));
        let piece = lines[from..(from + size).min(lines.len())].concat();
        let mut words: Vec<&str> = piece.split_inclusive([' ', '(', ')', ';', ',']).collect();
        for _ in 0..random(12) {
            let (at, other) = (random(words.len()), random(words.len()));
            match random(4) {
                0 => drop(words.splice(at..(at + random(5)).min(words.len()), [])),
                1 => words.insert(at, words[other]),
                2 => words[at] = words[other],
                _ => words.swap(at, other),
            }
            if words.is_empty() {
                break;
            }
        }
        let mutated = words.concat();
        let start = Instant::now();
        let result = std::panic::catch_unwind(|| {
            let unit = parse(&mutated);
            let lost = unit.problems.len();
            let skeleton = skeleton(&[unit]);
            if let Ok(lowered) =
                lower(&skeleton, &Options { feasibility: true, ..Options::default() })
            {
                lowered.program.validate().expect("a valid program");
            }
            lost
        });
        match result {
            Ok(more) => lost += more,
            Err(_) => {
                println!("seed {round}: crashed on\n{mutated}");
                std::process::exit(1);
            }
        }
        slowest = slowest.max((start.elapsed(), round, mutated.len()));
    }
    let (time, seed, bytes) = slowest;
    println!(
        "{n} pieces, {lost} items lost; the slowest took {time:?}: seed {seed}, {bytes} bytes"
    );
    Ok(())
}
