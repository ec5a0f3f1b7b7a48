//! Partial valuations: some bits known, the others left open.

/// A partial valuation of the bits in scope: globals at `0..global_bits`, the frame's locals
/// behind them ([`ir::Layout`]). Invariant: a bit that is not known has value 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Partial(Repr);

/// Most programs have at most 64 bits in scope; traces of millions of steps stay small.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small { known: u64, value: u64 },
    Large(Box<[(u64, u64)]>),
}

impl Partial {
    /// All of `bits` bits open.
    pub fn unknown(bits: u32) -> Partial {
        Partial(if bits <= 64 {
            Repr::Small { known: 0, value: 0 }
        } else {
            Repr::Large(vec![(0, 0); bits.div_ceil(64) as usize].into())
        })
    }
    fn word(&self, index: usize) -> (u64, u64) {
        match &self.0 {
            Repr::Small { known, value } if index == 0 => (*known, *value),
            Repr::Small { .. } => (0, 0),
            Repr::Large(words) => words.get(index).copied().unwrap_or((0, 0)),
        }
    }
    /// All of it: for each 64 bits, which are known, and their values.
    pub fn to_words(&self) -> Vec<(u64, u64)> {
        (0..self.words()).map(|i| self.word(i)).collect()
    }
    /// The same back; none if bits that are not known have values.
    pub fn from_words(words: &[(u64, u64)]) -> Option<Partial> {
        if words.iter().any(|(known, value)| value & !known != 0) {
            return None;
        }
        Some(Partial(match *words {
            [] => return None,
            [(known, value)] => Repr::Small { known, value },
            _ => Repr::Large(words.into()),
        }))
    }
    /// The value of a bit, if it is known.
    pub fn get(&self, bit: u32) -> Option<bool> {
        let (known, value) = self.word(bit as usize / 64);
        (known >> (bit % 64) & 1 == 1).then_some(value >> (bit % 64) & 1 == 1)
    }
    /// Sets a bit, or leaves it open. The bit must be one of those given at creation.
    pub fn set(&mut self, bit: u32, to: Option<bool>) {
        let (known, value) = match &mut self.0 {
            Repr::Small { known, value } => {
                assert!(bit < 64, "bit {bit} of a valuation of at most 64");
                (known, value)
            }
            Repr::Large(words) => {
                let (known, value) = &mut words[bit as usize / 64];
                (known, value)
            }
        };
        let mask = 1u64 << (bit % 64);
        *known &= !mask;
        *value &= !mask;
        if let Some(to) = to {
            *known |= mask;
            *value |= (to as u64) << (bit % 64);
        }
    }
    /// The number in the given bits (at most 64), least significant first, if all are known.
    pub fn number(&self, bits: std::ops::Range<u32>) -> Option<u64> {
        let mut out = 0;
        for (i, bit) in bits.enumerate() {
            out |= (self.get(bit)? as u64) << i;
        }
        Some(out)
    }
    /// Sets the given bits to a number, or leaves them open.
    pub fn set_number(&mut self, bits: std::ops::Range<u32>, to: Option<u64>) {
        for (i, bit) in bits.enumerate() {
            self.set(bit, to.map(|v| v >> i & 1 == 1));
        }
    }
    fn words(&self) -> usize {
        match &self.0 {
            Repr::Small { .. } => 1,
            Repr::Large(words) => words.len(),
        }
    }
    /// Changes each word: `change(index, (known, value))`. Keeps the invariant.
    fn update(&mut self, mut change: impl FnMut(usize, (u64, u64)) -> (u64, u64)) {
        match &mut self.0 {
            Repr::Small { known, value } => {
                (*known, *value) = change(0, (*known, *value));
                *value &= *known;
            }
            Repr::Large(words) => {
                for (i, word) in words.iter_mut().enumerate() {
                    *word = change(i, *word);
                    word.1 &= word.0;
                }
            }
        }
    }
    /// The first bit that both know, with different values.
    pub fn conflict(&self, other: &Partial) -> Option<u32> {
        (0..self.words().min(other.words())).find_map(|i| {
            let ((k, v), (l, w)) = (self.word(i), other.word(i));
            let differ = (v ^ w) & k & l;
            (differ != 0).then(|| 64 * i as u32 + differ.trailing_zeros())
        })
    }
    /// Takes over every bit that `other` knows (bits beyond its own are passed over).
    pub fn merge(&mut self, other: &Partial) {
        self.update(|i, (k, v)| {
            let (l, w) = other.word(i);
            (k | l, (v & !l) | w)
        });
    }
    /// Leaves open what `mask` leaves open.
    pub fn retain(&mut self, mask: &Partial) {
        self.update(|i, (k, v)| (k & mask.word(i).0, v));
    }
    /// Leaves open what `mask` knows.
    pub fn remove(&mut self, mask: &Partial) {
        self.update(|i, (k, v)| (k & !mask.word(i).0, v));
    }
    /// Leaves a range of bits open.
    pub fn forget(&mut self, bits: std::ops::Range<u32>) {
        self.update(|i, (k, v)| {
            let start = 64 * i as u32;
            let (from, to) =
                (bits.start.clamp(start, start + 64), bits.end.clamp(start, start + 64));
            let below = |n: u32| if n == 64 { u64::MAX } else { (1u64 << n) - 1 };
            let gone = below(to - start) & !below(from - start);
            (k & !gone, v)
        });
    }
    /// Whether it knows every bit that `other` knows, with the same value.
    pub fn covers(&self, other: &Partial) -> bool {
        (0..self.words().max(other.words())).all(|i| {
            let ((k, v), (l, w)) = (self.word(i), other.word(i));
            l & !k == 0 && v & l == w
        })
    }
    /// Whether no bit is known.
    pub fn is_open(&self) -> bool {
        (0..self.words()).all(|i| self.word(i).0 == 0)
    }
    /// The bits that are known, in order, with their values.
    pub fn known(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        (0..self.words()).flat_map(move |i| {
            let (mut known, value) = self.word(i);
            std::iter::from_fn(move || {
                let bit = known.trailing_zeros();
                (known != 0).then(|| {
                    known &= known - 1;
                    (64 * i as u32 + bit, value >> bit & 1 == 1)
                })
            })
        })
    }
    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        std::mem::size_of::<Self>()
            + match &self.0 {
                Repr::Small { .. } => 0,
                Repr::Large(words) => words.len() * 16,
            }
    }
}

impl std::fmt::Debug for Partial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for bit in 0..64 * self.words() as u32 {
            f.write_str(match self.get(bit) {
                Some(true) => "1",
                Some(false) => "0",
                None => "-",
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Partial;

    /// Every operation against the plain one on lists of `Option<bool>`, small and large.
    #[test]
    fn operations_work_bit_by_bit() {
        for bits in [5u32, 64, 65, 130] {
            let make = |seed: u32| {
                let mut p = Partial::unknown(bits);
                let list: Vec<Option<bool>> = (0..bits)
                    .map(|b| match (b * 7 + seed * 13 + b * b * seed) % 5 {
                        0 | 1 => None,
                        k => Some(k % 2 == 0),
                    })
                    .collect();
                for (b, &v) in list.iter().enumerate() {
                    p.set(b as u32, v);
                }
                (p, list)
            };
            let same = |p: &Partial, list: &[Option<bool>]| {
                (0..bits).all(|b| p.get(b) == list[b as usize])
            };
            for seed in 0..6 {
                let ((a, la), (b, lb)) = (make(seed), make(seed + 3));
                assert_eq!(Partial::from_words(&a.to_words()), Some(a.clone()));
                let zip = |f: fn(Option<bool>, Option<bool>) -> Option<bool>| -> Vec<_> {
                    la.iter().zip(&lb).map(|(&x, &y)| f(x, y)).collect()
                };
                assert!(same(&a, &la));
                let known: Vec<(u32, bool)> =
                    (0..bits).zip(&la).filter_map(|(b, v)| Some((b, (*v)?))).collect();
                assert_eq!(a.known().collect::<Vec<_>>(), known);
                let differ = la
                    .iter()
                    .zip(&lb)
                    .position(|(x, y)| matches!((x, y), (Some(x), Some(y)) if x != y));
                assert_eq!(a.conflict(&b), differ.map(|i| i as u32));
                let mut m = a.clone();
                m.merge(&b);
                assert!(same(&m, &zip(|x, y| y.or(x))));
                assert!(m.covers(&b) && m.covers(&m));
                assert_eq!(m.covers(&a), differ.is_none());
                let mut m = a.clone();
                m.retain(&b);
                assert!(same(&m, &zip(|x, y| y.and(x))));
                assert!(a.covers(&m));
                let mut m = a.clone();
                m.remove(&b);
                assert!(same(&m, &zip(|x, y| if y.is_some() { None } else { x })));
                for range in [0..bits, 1..bits, 0..0, 3..5, bits / 2..bits] {
                    let mut m = a.clone();
                    m.forget(range.clone());
                    let list: Vec<_> = (0..bits)
                        .map(|b| if range.contains(&b) { None } else { la[b as usize] })
                        .collect();
                    assert!(same(&m, &list), "{range:?}");
                    assert_eq!(m.is_open(), list.iter().all(Option::is_none));
                }
            }
        }
    }
}
