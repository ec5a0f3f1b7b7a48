//! Sets of small numbers.

/// A set of numbers below a fixed bound. Bounds up to 64 need no allocation: most programs have a
/// set like this for every node.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct BitSet {
    words: Words,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Words {
    One([u64; 1]),
    Many(Box<[u64]>),
}

impl Clone for BitSet {
    fn clone(&self) -> Self {
        BitSet { words: self.words.clone() }
    }
    /// Without an allocation where there is room.
    fn clone_from(&mut self, other: &Self) {
        match (&mut self.words, &other.words) {
            (Words::Many(to), Words::Many(from)) => to.clone_from(from),
            (to, from) => *to = from.clone(),
        }
    }
}

impl Default for BitSet {
    fn default() -> Self {
        BitSet::new(0)
    }
}

impl BitSet {
    /// The empty set of numbers below `bound`.
    pub fn new(bound: usize) -> BitSet {
        let words = match bound {
            0..=64 => Words::One([0]),
            _ => Words::Many(vec![0; bound.div_ceil(64)].into()),
        };
        BitSet { words }
    }
    /// All numbers below `bound`.
    pub fn all(bound: usize) -> BitSet {
        let mut set = BitSet::new(bound);
        (0..bound).for_each(|i| {
            set.insert(i);
        });
        set
    }
    fn words(&self) -> &[u64] {
        match &self.words {
            Words::One(word) => word,
            Words::Many(words) => words,
        }
    }
    fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.words {
            Words::One(word) => word,
            Words::Many(words) => words,
        }
    }
    /// Whether it contains `i`.
    pub fn contains(&self, i: usize) -> bool {
        self.words().get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
    }
    /// Adds `i`; true if it is new.
    pub fn insert(&mut self, i: usize) -> bool {
        let word = &mut self.words_mut()[i / 64];
        let new = *word >> (i % 64) & 1 == 0;
        *word |= 1 << (i % 64);
        new
    }
    /// Removes `i`.
    pub fn remove(&mut self, i: usize) {
        self.words_mut()[i / 64] &= !(1 << (i % 64));
    }
    /// Adds all of `other`; true if something is new.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut new = false;
        for (a, b) in self.words_mut().iter_mut().zip(other.words()) {
            new |= *b & !*a != 0;
            *a |= b;
        }
        new
    }
    /// The numbers in it, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words().iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    64 * i + bit
                })
            })
        })
    }
    /// How many numbers it contains.
    pub fn len(&self) -> usize {
        self.words().iter().map(|w| w.count_ones() as usize).sum()
    }
    /// Whether it contains none.
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|&w| w == 0)
    }
}
