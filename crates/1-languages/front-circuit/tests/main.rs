//! Circuits that are read, and those that are not.

use front_circuit::{lower, parse};

#[test]
fn errors_have_their_place() {
    for (text, message, start) in [
        ("", "there is no circuit", 0),
        ("; nothing\n\n", "there is no circuit", 0),
        ("aag 1 0\n", "the header is", 0),
        ("aag 1 0 1 0 0 1\n2 3\n", "the file ends before a bad state", 20),
        ("aag 2 1 0 1 1\n2\n4\n4 4 2\n", "4 depends on itself", 18),
        ("aag 3 1 0 1 1\n2\n4\n4 6 2\n", "6 is not defined", 18),
        ("aag 1 1 0 0 0\n3\n", "3 cannot be defined here", 14),
        ("aag 1 0 1 0 0 0 0 1 0\n2 3\n", "justice", 0),
        ("aig 1 0 1 0 0\n", "binary", 0),
        ("1 sort bitvec 65\n", "1 to 64 bits", 0),
        ("1 sort bitvec 1\n2 sort array 1 1\n", "arrays are not read", 16),
        ("1 sort bitvec 2\n2 input 1\n3 frobnicate 1 2 2\n", "`frobnicate` is no operator", 26),
        ("1 sort bitvec 2\n2 state 1\n3 bad 7\n", "`7` is not defined", 26),
        ("1 sort bitvec 2\n2 state 1\n3 input 1\n4 init 1 2 3\n", "starts with a constant", 36),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.message.contains(message), "{text:?}: {}", error.message);
        assert_eq!(error.span.start, start, "{text:?}: {}", error.message);
    }
}

#[test]
fn programs_are_valid() {
    let counter = "; counts to five\n1 sort bitvec 3\n2 zero 1\n3 state 1 count\n4 init 1 3 2\n5 one 1\n\
                   6 add 1 3 5\n7 next 1 3 6\n8 constd 1 5\n9 sort bitvec 1\n10 eq 9 3 8\n11 bad 10\n12 bad -10\n";
    for text in [counter, "aag 3 1 1 1 1\n2\n4 6 1\n6\n6 4 2\ni0 go\nl0 on\nc\nnothing\n"] {
        let program = lower(&parse(text).expect("a circuit"), "f");
        program.validate().expect("a program");
        assert_eq!(program.labelled(None, "bad0").len(), 1);
    }
}
