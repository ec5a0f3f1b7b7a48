//! Sets of marks, of any size.

use std::fmt;

/// A set of marks. The first 64 cost no memory of their own.
///
/// Invariant: `rest` does not end with 0, so that equal sets are equal values.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks {
    first: u64,
    rest: Vec<u64>,
}

impl Marks {
    /// The empty set.
    #[must_use]
    pub fn none() -> Marks {
        Marks::default()
    }

    /// The marks below `count`.
    #[must_use]
    pub fn below(count: u32) -> Marks {
        let word = |from: u32| match count.saturating_sub(from) {
            0 => 0,
            left @ 1..=63 => (1 << left) - 1,
            _ => u64::MAX,
        };
        let words = count.div_ceil(64).max(1);
        Marks { first: word(0), rest: (1..words).map(|i| word(64 * i)).collect() }
    }

    /// The set of one mark.
    #[must_use]
    pub fn one(mark: u32) -> Marks {
        let mut marks = Marks::none();
        marks.insert(mark);
        marks
    }

    /// Adds a mark.
    pub fn insert(&mut self, mark: u32) {
        let (word, bit) = ((mark / 64) as usize, 1 << (mark % 64));
        match word {
            0 => self.first |= bit,
            _ => {
                if self.rest.len() < word {
                    self.rest.resize(word, 0);
                }
                self.rest[word - 1] |= bit;
            }
        }
    }

    /// Whether a mark is in the set.
    #[must_use]
    pub fn contains(&self, mark: u32) -> bool {
        let word = match mark / 64 {
            0 => self.first,
            word => self.rest.get(word as usize - 1).copied().unwrap_or(0),
        };
        word >> (mark % 64) & 1 == 1
    }

    /// Adds the marks of another set.
    pub fn unite(&mut self, other: &Marks) {
        self.first |= other.first;
        if self.rest.len() < other.rest.len() {
            self.rest.resize(other.rest.len(), 0);
        }
        self.rest.iter_mut().zip(&other.rest).for_each(|(a, b)| *a |= b);
    }

    /// Whether all marks of the other set are in this one.
    #[must_use]
    pub fn covers(&self, other: &Marks) -> bool {
        other.first & !self.first == 0
            && other.rest.len() <= self.rest.len()
            && other.rest.iter().zip(&self.rest).all(|(b, a)| b & !a == 0)
    }

    /// Whether it has no marks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.is_empty()
    }

    /// The number of marks.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.first.count_ones() + self.rest.iter().map(|word| word.count_ones()).sum::<u32>()
    }

    /// The marks, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = std::iter::once(&self.first).chain(&self.rest).enumerate();
        words.flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * i as u32 + bit)
        })
    }

    /// The set as the bits of one word, if it has no mark beyond.
    #[must_use]
    pub fn word(&self) -> Option<u64> {
        self.rest.is_empty().then_some(self.first)
    }
}

impl FromIterator<u32> for Marks {
    fn from_iter<T: IntoIterator<Item = u32>>(marks: T) -> Marks {
        let mut set = Marks::none();
        marks.into_iter().for_each(|mark| set.insert(mark));
        set
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        for count in [0, 1, 63, 64, 65, 128, 200] {
            let all = Marks::below(count);
            assert_eq!(all, (0..count).collect());
            assert_eq!(all.len(), count);
            assert!(!all.contains(count) && all.covers(&all));
            assert_eq!(all.word().is_some(), count <= 64);
            let mut more = all.clone();
            more.insert(count + 70);
            assert!(more.covers(&all) && !all.covers(&more) && more.contains(count + 70));
            let mut both = Marks::one(count + 70);
            both.unite(&all);
            assert_eq!(both, more);
        }
        assert!(Marks::none().is_empty() && !Marks::one(99).is_empty());
    }
}
