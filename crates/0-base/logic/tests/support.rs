//! What the tests share.

#![allow(dead_code)]

use logic::{Aig, Lit};

/// A generator of numbers (splitmix64).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub(crate) fn flip(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

/// A random function of the given ones.
pub(crate) fn random_function(aig: &mut Aig, leaves: &[Lit], gates: usize, rng: &mut Rng) -> Lit {
    let mut pool = leaves.to_vec();
    for _ in 0..gates {
        let mut pick = || {
            // Prefer what was made last: deep graphs, not wide ones.
            let n = pool.len();
            let i = if rng.flip() { n - 1 - rng.below(n.min(4)) } else { rng.below(n) };
            pool[i].xor_sign(rng.flip())
        };
        let (a, b, c) = (pick(), pick(), pick());
        pool.push(match rng.below(4) {
            0 => aig.or(a, b),
            1 => aig.xor(a, b),
            2 => aig.ite(a, b, c),
            _ => aig.and(a, b),
        });
    }
    pool[pool.len() - 1]
}
