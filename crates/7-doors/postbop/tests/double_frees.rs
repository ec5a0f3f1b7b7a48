//! Double frees that happen are found: on random programs that were run on every input.
//!
//! The long run: `POSTBOP_PROGRAMS=5000 POSTBOP_SEED=1 cargo test -p postbop double_frees:: --
//! --ignored --nocapture`.
#![allow(clippy::print_stderr)]

use crate::asking::findings;
use postbop::{CProgram, CText, Options, Watch};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testkit::random_heap::{freed_twice, heap_program};

/// Programs that are compiled together.
const BATCH: usize = 100;

fn double_free() -> Vec<rules::Rule> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../rules/memory.rule");
    let text = std::fs::read_to_string(file).expect("the rules");
    let mut all = rules::parse(&text).expect("rules");
    all.retain(|r| r.name == "double_free");
    all
}

/// The lines at which the rule is violated.
fn lines(text: &str, rules: &[rules::Rule]) -> Result<BTreeSet<u32>, String> {
    let text = format!("# 1 \"f.c\"\n{text}");
    let unit = CText { name: "f.c".to_owned(), text, directory: None };
    let program = Arc::new(CProgram::new(vec![unit]).map_err(|e| e.to_string())?);
    let found = findings(&program, rules, &[], &Options::default(), &Watch::default());
    match &found.unknown[..] {
        [] => Ok(found.findings.iter().map(|f| f.line).collect()),
        unknown => Err(format!("{unknown:?}")),
    }
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs programs of these seeds; the number of places that were freed twice, of those that were said to be
/// and are not, and what was missed.
fn campaign(seeds: std::ops::Range<u64>) -> Option<(usize, usize, Vec<String>)> {
    let rules = double_free();
    let name = format!("postbop-double-frees-{}-{}", std::process::id(), seeds.start);
    let folder = Folder(std::env::temp_dir().join(name));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let (mut happened, mut alarms, mut missed) = (0, 0, Vec::new());
    let seeds: Vec<u64> = seeds.collect();
    for batch in seeds.chunks(BATCH) {
        let programs: Vec<String> =
            batch.iter().map(|&seed| heap_program(seed, &format!("_{seed}"))).collect();
        let known = match freed_twice(&programs, &folder.0) {
            Ok(known) => known,
            Err(error) if error.starts_with("cc: ") => {
                eprintln!("skipped: {error}");
                return None;
            }
            Err(error) => panic!("seeds {batch:?}: {error}"),
        };
        for ((seed, text), known) in batch.iter().zip(&programs).zip(known) {
            let found = lines(text, &rules).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            happened += known.len();
            alarms += found.difference(&known).count();
            let lost: Vec<u32> = known.difference(&found).copied().collect();
            if !lost.is_empty() {
                missed.push(format!("seed {seed}, lines {lost:?}"));
            }
        }
    }
    Some((happened, alarms, missed))
}

#[test]
fn what_is_freed_twice_is_found() {
    let Some((happened, alarms, missed)) = campaign(1..201) else { return };
    eprintln!("{happened} places, {alarms} more are told");
    assert!(happened > 60, "{happened}");
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
#[ignore = "a campaign"]
fn campaign_of_double_frees() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("POSTBOP_SEED", 1000), number("POSTBOP_PROGRAMS", 1000));
    let (mut happened, mut alarms, mut missed) = (0, 0, Vec::new());
    for start in (first..first + count).step_by(BATCH) {
        let end = (start + BATCH as u64).min(first + count);
        let Some((h, a, m)) = campaign(start..end) else { return };
        m.iter().for_each(|m| eprintln!("missed: {m}"));
        (happened, alarms) = (happened + h, alarms + a);
        missed.extend(m);
        eprintln!(
            "up to seed {end}: {happened} places, {alarms} more are told, {} missed",
            missed.len()
        );
    }
    assert!(missed.is_empty(), "{} missed", missed.len());
}
