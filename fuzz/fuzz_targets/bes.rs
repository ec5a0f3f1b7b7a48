//! Arbitrary bytes as blocks of boolean equations: all methods agree.
#![no_main]

#[path = "../../crates/7-doors/postbop/tests/property/mod.rs"]
mod property;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| property::bes(data));
