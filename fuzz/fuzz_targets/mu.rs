//! Arbitrary bytes as a formula of the mu-calculus, evaluated on a model.
#![no_main]

#[path = "../../crates/7-doors/postbop/tests/property/mod.rs"]
mod property;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| property::mu(data));
