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
        let words = match &self.0 {
            Repr::Small { .. } => 1,
            Repr::Large(words) => words.len(),
        };
        for bit in 0..64 * words as u32 {
            f.write_str(match self.get(bit) {
                Some(true) => "1",
                Some(false) => "0",
                None => "-",
            })?;
        }
        Ok(())
    }
}
