//! Arbitrary bytes as a transition system: it is written as it was read.
#![no_main]

#[path = "../../crates/7-doors/postbop/tests/property/mod.rs"]
mod property;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| property::aut(data));
