//! What holds of any text: nothing crashes, and what comes out is valid.

use front_c::{Options, lower, parse, skeleton};

/// Checks it.
pub(crate) fn property(text: &str) {
    let unit = parse(text);
    let places = unit.problems.iter().map(|p| p.at);
    assert!(places.into_iter().all(|at| at.offset as usize <= text.len()));
    let skeleton = skeleton(&[unit]);
    for feasibility in [false, true] {
        let options = Options { feasibility, ..Options::default() };
        if let Ok(lowered) = lower(&skeleton, &options) {
            lowered.program.validate().expect("a valid program");
        }
    }
}
