//! Arbitrary bytes as an automaton: what is read prints as itself.
#![no_main]

#[path = "../../crates/7-doors/postbop/tests/property/mod.rs"]
mod property;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| property::hoa(data));
