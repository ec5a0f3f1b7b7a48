//! Random boolean equation systems: `bop gen andor`.

use std::io::{self, Write};

/// A random and/or graph as a least fixpoint in CADP's format: every variable is the disjunction or
/// the conjunction of random others, and one of a hundred is a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AndOr {
    /// Variables, at least 1.
    pub vars: u32,
    /// Operands of each, on average; at least 1.
    pub degree: u32,
    /// Different seeds give different systems.
    pub seed: u64,
}

impl AndOr {
    /// Writes the system.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let AndOr { vars, degree, seed } = *self;
        // splitmix64 makes a state of any seed, xorshift goes on from there.
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state = (state ^ (state >> 31)) | 1;
        let mut below = |n: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (((state >> 32) * u64::from(n)) >> 32) as u32
        };
        out.write_all(b"block mu B0 is\n")?;
        let mut line = Vec::new();
        for v in 0..vars {
            line.clear();
            line.extend_from_slice(b"  X");
            number(&mut line, v);
            line.extend_from_slice(b" =");
            if below(100) == 0 {
                line.extend_from_slice(if below(2) == 0 { b" true" } else { b" false" });
            } else {
                let operator: &[u8] = if below(2) == 0 { b" or" } else { b" and" };
                // One less or one more, so that not all look alike.
                let count = if degree == 1 { 1 } else { degree - 1 + below(3) };
                for i in 0..count {
                    if i > 0 {
                        line.extend_from_slice(operator);
                    }
                    line.extend_from_slice(b" X");
                    number(&mut line, below(vars));
                }
            }
            line.push(b'\n');
            out.write_all(&line)?;
        }
        out.write_all(b"end block\n")
    }
}

/// Digits, without the detour over formatting: there are tens of millions of them.
fn number(out: &mut Vec<u8>, mut n: u32) {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
