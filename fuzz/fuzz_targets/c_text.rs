//! Arbitrary bytes as preprocessed C: nothing crashes or takes long, and programs are valid.
#![no_main]

#[path = "../../crates/1-languages/front-c/tests/property/mod.rs"]
mod property;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| property::property(&String::from_utf8_lossy(data)));
