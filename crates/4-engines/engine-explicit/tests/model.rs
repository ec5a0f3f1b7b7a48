//! The program model's proof: an array, a push relation over `x''`, events, a hidden monitor.

use crate::common;
use crate::common::answer;
use check::{TraceMode, Verdict};
use testkit::model_proof::model_proof;

#[test]
fn answers_in_every_mode() {
    for buggy in [false, true] {
        let proof = model_proof(buggy);
        proof.program.validate().unwrap();
        for mode in [TraceMode::Shortest, TraceMode::Any, TraceMode::None] {
            let answer = answer(&proof.program, proof.goals(), mode);
            for ((name, _, reached), verdict) in proof.questions.iter().zip(&answer.verdicts) {
                match verdict {
                    Verdict::Violated(trace) => {
                        assert!(reached, "{name} (buggy: {buggy})");
                        assert_eq!(trace.is_some(), mode != TraceMode::None);
                    }
                    Verdict::Holds(certificate) => {
                        assert!(!reached, "{name} (buggy: {buggy})");
                        assert!(certificate.is_some());
                    }
                    Verdict::Unknown(reason) => panic!("{name}: {reason}"),
                }
            }
        }
    }
}

/// The push relation moves `i` in the saved frame, so that the end is three calls away: start,
/// three times (head, call), head, and `done` itself.
#[test]
fn the_shortest_way_jumps_over_calls() {
    let proof = model_proof(false);
    let answer = answer(&proof.program, proof.goals(), TraceMode::Shortest);
    let trace = common::trace(&answer.verdicts[0]).expect("the program ends");
    assert_eq!(common::hierarchical_length(&proof.program, trace), 1 + 3 * 2 + 1);
    // Each call has an argument of its own: three segments.
    assert_eq!(trace.segments.len(), 3);
}
