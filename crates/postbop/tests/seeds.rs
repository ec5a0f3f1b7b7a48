//! Seeds and reproducers of the fuzz targets: what was found once is tested ever after.

mod property;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn seeds_and_reproducers_pass() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
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

/// Every target of `fuzz/` is one of these, or has tests of its own.
#[test]
fn targets_are_listed() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).expect("it is there");
    for (name, _) in property::TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).exists(), "{name}");
    }
}
