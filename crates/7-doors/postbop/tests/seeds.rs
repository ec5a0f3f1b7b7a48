//! Seeds and reproducers of the fuzz targets: what was found once is tested ever after.

use crate::property;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn seeds_and_reproducers_pass() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz");
    for (name, target) in property::TARGETS {
        let seeds = fs::read_dir(fuzz.join("seeds").join(name));
        let seeds = seeds.unwrap_or_else(|e| panic!("{name} has no seeds: {e}"));
        let found = fs::read_dir(fuzz.join("reproducers").join(name));
        let mut files: Vec<_> = seeds.chain(found.into_iter().flatten()).flatten().collect();
        files.sort_by_key(|file| file.path());
        assert!(!files.is_empty(), "{name}");
        for file in files {
            let start = Instant::now();
            let data = fs::read(file.path()).expect("it can be read");
            let ran = std::panic::catch_unwind(|| target(&data));
            assert!(ran.is_ok(), "{}", file.path().display());
            let took = start.elapsed();
            assert!(took < Duration::from_secs(60), "{}: {took:?}", file.path().display());
        }
    }
}

/// The seeds, changed at random: a small part of what the fuzz targets do, without their tools.
/// `POSTBOP_MUTANTS=N` makes N of each target, `POSTBOP_MUTANTS_SEED` others,
/// `POSTBOP_MUTANTS_OF` those of one target.
#[test]
fn mutants_pass() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = number("POSTBOP_MUTANTS").unwrap_or(40);
    let first = number("POSTBOP_MUTANTS_SEED").unwrap_or(1);
    let only = std::env::var("POSTBOP_MUTANTS_OF").ok();
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/seeds");
    for (name, target) in property::TARGETS {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let files = fs::read_dir(seeds.join(name)).expect("there are seeds");
        let mut files: Vec<_> = files.flatten().map(|file| file.path()).collect();
        files.sort();
        let texts: Vec<Vec<u8>> =
            files.iter().map(|file| fs::read(file).expect("it can be read")).collect();
        for number in first..first + count {
            let data = mutant(&texts, number);
            let start = Instant::now();
            let ran = std::panic::catch_unwind(|| target(&data));
            let took = start.elapsed();
            if ran.is_err() || took > Duration::from_secs(20) {
                let kept = std::env::temp_dir().join(format!("mutant-{name}-{number}"));
                fs::write(&kept, &data).expect("it can be written");
                panic!("{name}, mutant {number}, {took:?}: {}", kept.display());
            }
        }
    }
}

/// A seed with some changes: bytes, pieces of it, pieces of others, numbers that are extreme.
fn mutant(texts: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % n.max(1)
    };
    let words: [&[u8]; 12] = [
        b"4294967296",
        b"-1",
        b"99999999999999999999",
        b"(",
        b")",
        b"{",
        b"}",
        b"\"",
        b"\n---\n",
        b"\xff",
        b"\xe2\x80\xae",
        b"0",
    ];
    let mut out = texts[below(texts.len())].clone();
    for _ in 0..=below(4) {
        let at = below(out.len() + 1);
        match below(7) {
            0 if !out.is_empty() => {
                let at = at.min(out.len() - 1);
                out[at] = below(256) as u8;
            }
            1 => _ = out.drain(at..(at + 1 + below(12)).min(out.len())),
            2 => {
                let piece = out[at..(at + 1 + below(40)).min(out.len())].to_vec();
                let to = below(out.len() + 1);
                out.splice(to..to, piece);
            }
            3 => {
                let other = &texts[below(texts.len())];
                let from = below(other.len() + 1);
                let piece = other[from..(from + 1 + below(60)).min(other.len())].to_vec();
                out.splice(at..at, piece);
            }
            4 => _ = out.splice(at..at, words[below(words.len())].iter().copied()),
            5 => {
                // Two words change places, or one takes the place of another.
                let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                let starts: Vec<usize> = (0..out.len())
                    .filter(|&i| is_word(&out[i]) && (i == 0 || !is_word(&out[i - 1])))
                    .collect();
                if let (Some(&from), Some(&to)) =
                    (starts.get(below(starts.len())), starts.get(below(starts.len())))
                {
                    let end = |i: usize| i + out[i..].iter().take_while(|b| is_word(b)).count();
                    let word = out[from..end(from)].to_vec();
                    let end = end(to);
                    out.splice(to..end, word);
                }
            }
            _ if at < out.len() => out[at] ^= 1 << below(8),
            _ => {}
        }
    }
    out
}

/// Every target of `fuzz/` is one of these, or has tests of its own.
#[test]
fn targets_are_listed() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).expect("it is there");
    for (name, _) in property::TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).exists(), "{name}");
    }
}
