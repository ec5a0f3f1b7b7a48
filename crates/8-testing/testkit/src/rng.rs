//! A small generator of pseudo-random numbers, so that a seed means the same program for ever.

/// SplitMix64. Equal seeds give equal sequences on every machine and in every version.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Rng {
        // Neighbouring seeds must not give neighbouring first numbers.
        let mut rng = Rng(seed ^ 0x5851_f42d_4c95_7f2d);
        rng.bits();
        rng
    }
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.bits() as u128 * n as u128) >> 64) as usize
    }
    /// A number of the range, both ends included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }
    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    /// True or false.
    pub fn coin(&mut self) -> bool {
        self.bits() & 1 == 1
    }
    /// One of the items, of which there must be one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
    /// The index of a weight, each as likely as it is heavy; their sum must not be 0.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut at = self.below(weights.iter().sum());
        for (i, &weight) in weights.iter().enumerate() {
            match at.checked_sub(weight) {
                Some(rest) => at = rest,
                None => return i,
            }
        }
        unreachable!("`at` is below the sum of the weights")
    }
    /// Puts the items into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
    /// `n` different items (or all, if there are fewer), in random order.
    pub fn sample<T: Clone>(&mut self, items: &[T], n: usize) -> Vec<T> {
        let mut all = items.to_vec();
        self.shuffle(&mut all);
        all.truncate(n);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_fixed_and_in_range() {
        let mut rng = Rng::new(1);
        let first: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(first, [0xfc94_d6cb_a1d4_622c, 0xe3a8_c908_8ca4_fd45, 0xe710_3403_0f55_97c4]);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[rng.below(5)] += 1;
            assert!((3..=4).contains(&rng.between(3, 4)));
            assert_eq!(rng.weighted(&[0, 7, 0]), 1);
        }
        assert!(seen.iter().all(|&n| n > 150), "{seen:?}");
    }
}
