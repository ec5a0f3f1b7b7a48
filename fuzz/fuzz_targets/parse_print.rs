//! Arbitrary bytes as a boolean program: nothing crashes, and what is accepted prints as itself.
#![no_main]

#[path = "../../crates/1-languages/front-bp/tests/property/mod.rs"]
mod property;

use front_bp::Dialect;
use libfuzzer_sys::fuzz_target;
use source::SourceFile;

fuzz_target!(|data: &[u8]| {
    match SourceFile::from_bytes("soup.bp", data.to_vec()) {
        Ok(file) => {
            for dialect in [Dialect::Standard, Dialect::Satabs] {
                property::property(file.text(), dialect);
            }
        }
        Err(error) => assert!(error.to_string().contains("soup.bp")),
    }
});
