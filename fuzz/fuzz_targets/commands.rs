//! Arbitrary bytes as a compilation database: what is passed on runs nothing.
#![no_main]

#[path = "../../crates/7-doors/postbop/tests/property/mod.rs"]
mod property;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| property::commands(data));
