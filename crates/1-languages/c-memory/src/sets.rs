//! Sets of small numbers, as blocks of 64 that are not empty, in order.
//!
//! What flows from one node to another are whole sets; with blocks, many facts go at once, and a set of few numbers is
//! small, however large they are.

/// A set of numbers.
#[derive(Clone, Default, Debug)]
pub(crate) struct Set {
    /// The number of each block, and which of its numbers are in the set: not none of them. In order.
    blocks: Vec<(u32, u64)>,
    len: usize,
}

impl Set {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a number; whether it is new.
    pub(crate) fn insert(&mut self, n: u32) -> bool {
        let (block, bit) = (n / 64, 1u64 << (n % 64));
        match self.blocks.binary_search_by_key(&block, |b| b.0) {
            Ok(i) if self.blocks[i].1 & bit != 0 => return false,
            Ok(i) => self.blocks[i].1 |= bit,
            Err(i) => self.blocks.insert(i, (block, bit)),
        }
        self.len += 1;
        true
    }

    /// Adds all of another set; those that are new.
    pub(crate) fn union(&mut self, other: &Set) -> Set {
        let mut new = Set::default();
        let mut missing = 0;
        let mut from = 0;
        for &(block, bits) in &other.blocks {
            let rest = &self.blocks[from..];
            // Near by, mostly.
            let near = rest.iter().take(8).position(|b| b.0 >= block);
            from += near.unwrap_or_else(|| rest.partition_point(|b| b.0 < block));
            let add = match self.blocks.get_mut(from) {
                Some(own) if own.0 == block => {
                    let add = bits & !own.1;
                    own.1 |= add;
                    add
                }
                _ => {
                    missing += 1;
                    bits
                }
            };
            if add != 0 {
                new.blocks.push((block, add));
                new.len += add.count_ones() as usize;
            }
        }
        self.len += new.len;
        if missing > 0 {
            // Blocks that are not there yet; those that are have the new numbers already.
            let old = std::mem::take(&mut self.blocks);
            self.blocks.reserve_exact(old.len() + missing);
            let mut more = new.blocks.iter().copied().peekable();
            for own in old {
                while let Some(block) = more.next_if(|b| b.0 < own.0) {
                    self.blocks.push(block);
                }
                let _ = more.next_if(|b| b.0 == own.0);
                self.blocks.push(own);
            }
            self.blocks.extend(more);
        }
        new
    }

    /// Leaves only these; how many others there were.
    pub(crate) fn retain(&mut self, keep: impl Fn(u32) -> bool) -> usize {
        let before = self.len;
        self.blocks.retain_mut(|(block, bits)| {
            let mut left = *bits;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                if !keep(*block * 64 + bit) {
                    *bits &= !(1 << bit);
                    self.len -= 1;
                }
            }
            *bits != 0
        });
        before - self.len
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|&(block, bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(block * 64 + bit)
            })
        })
    }
}
