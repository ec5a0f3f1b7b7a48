//! Generated programs in C, run on every input: nothing that happened is called impossible.
//!
//! `POSTBOP_SEED` sets the first seed, `POSTBOP_C_PROGRAMS` how many follow; the long run is
//! `cargo xtask fuzz-c`.

// What is skipped, and what fails, is said.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use testkit::random_c::{Campaign, compiler_is_there, folder};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn what_happened_is_not_called_impossible() {
    if !compiler_is_there() {
        println!("skipped: there is no `cc`, so no generated program was run");
        return;
    }
    let campaign = Campaign {
        bop: PathBuf::from(env!("CARGO_BIN_EXE_bop")),
        folder: folder(&std::env::temp_dir()),
        count: number("POSTBOP_C_PROGRAMS", 180),
        seed: number("POSTBOP_SEED", 1),
        profile: None,
        shrink: 1,
    };
    let outcome = campaign.run(&mut |failure| println!("{}\n{}", failure.name, failure.text()));
    let _ = std::fs::remove_dir_all(&campaign.folder);
    let outcome = outcome.expect("programs are compiled and asked about");
    assert!(outcome.refused.is_empty(), "no programs: {:#?}", outcome.refused);
    assert!(
        outcome.failures.is_empty(),
        "{} programs are answered wrongly",
        outcome.failures.len()
    );
    let found = outcome.counts.get("rightly found").copied().unwrap_or(0);
    assert!(found > 5 * campaign.count, "{:?}", outcome.counts);
}
