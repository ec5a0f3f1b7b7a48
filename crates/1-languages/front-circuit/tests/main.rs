//! Circuits that are read, and those that are not.

use front_circuit::{lower, parse, text_of_binary};

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
        ("aig 1 0 1 0 0\n", "whose names end in `.aig`", 0),
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

/// The binary file that says what a text says whose gates are in order.
fn packed(text: &str) -> Vec<u8> {
    let mut lines = text.lines();
    let head = lines.next().expect("a header");
    let counts: Vec<usize> = head.split(' ').skip(1).map(|n| n.parse().unwrap()).collect();
    let mut out = head.replacen("aag", "aig", 1).into_bytes();
    out.push(b'\n');
    let others = counts[3] + counts.get(5).unwrap_or(&0) + counts.get(6).unwrap_or(&0);
    for (i, line) in lines.enumerate() {
        let latch = (counts[1]..counts[1] + counts[2]).contains(&i);
        let first_gate = counts[1] + counts[2] + others;
        if i < counts[1] {
            continue;
        } else if (first_gate..first_gate + counts[4]).contains(&i) {
            let lits: Vec<u32> = line.split(' ').map(|n| n.parse().unwrap()).collect();
            for delta in [lits[0] - lits[1], lits[1] - lits[2]] {
                let mut rest = delta;
                while rest >= 0x80 {
                    out.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                out.push(rest as u8);
            }
        } else {
            let kept = if latch { line.split_once(' ').unwrap().1 } else { line };
            out.extend_from_slice(kept.as_bytes());
            out.push(b'\n');
        }
    }
    out
}

#[test]
fn the_binary_format_says_the_same() {
    let mut seed = 7u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for _ in 0..200 {
        let (i, l, a) = (draw(4), 1 + draw(4), draw(300));
        let m = i + l + a;
        let mut text = format!("aag {m} {i} {l} 0 {a} 1 1\n");
        (1..=i).for_each(|n| text += &format!("{}\n", 2 * n));
        (i + 1..=i + l).for_each(|n| text += &format!("{} {}\n", 2 * n, draw(2 * m + 2)));
        text += &format!("{}\n{}\n", draw(2 * m + 2), draw(2 * m + 2));
        for n in i + l + 1..=m {
            let first = draw(2 * n);
            text += &format!("{} {first} {}\n", 2 * n, draw(first + 1));
        }
        text += "l0 on\nc\nmade by hand\n";
        let bytes = packed(&text);
        assert_eq!(text_of_binary(&bytes), Ok(Some(text.clone())));
        parse(&text).expect("a circuit");
        // What ends too early is an error, and never a panic.
        for end in 4..bytes.len().min(60) {
            if let Ok(Some(text)) = text_of_binary(&bytes[..end]) {
                let _ = parse(&text);
            }
        }
    }
    assert_eq!(text_of_binary(b"1 sort bitvec 1\n"), Ok(None));
    for (bytes, message) in [
        (&b"aig 3 1 1 0 2\n"[..], "M is the sum"),
        (b"aig 1 0 0 0 1\n\xff\xff\xff\xff\xff\xff", "too many bytes"),
        (b"aig 1 0 0 0 1\n\x00\x00", "not smaller"),
        (b"aig 1 0 0 0 1\n\x01", "within a gate"),
        (b"aig 99999999999 0 0 0 0\n", "the header is"),
    ] {
        let error = text_of_binary(bytes).expect_err(message);
        assert!(error.message.contains(message), "{}", error.message);
    }
}
