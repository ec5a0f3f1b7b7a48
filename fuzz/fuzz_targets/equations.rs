//! Formulas and equation systems on models, through every method and every form.
#![no_main]

#[path = "../../crates/7-doors/postbop/tests/property/mod.rs"]
mod property;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| property::equations(data));
