//! Names of variables that mean the same in every worker.

use bes::data::Value;
use bes::param::{Instance, Model};
use bes::{Place, System};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A system of which every worker has a replica, and whose variables have names that all replicas
/// understand: keys need not mean the same in two of them.
pub trait Portable: System {
    /// Appends the name of a variable. No two variables have the same.
    fn encode(&self, key: &Self::Key, name: &mut Vec<u8>);

    /// The variable of a name that a replica gave; `None` if no replica gives such a name.
    fn decode(&mut self, name: &[u8]) -> Option<Self::Key>;

    /// Where the equation of a variable stands.
    fn place_of(&self, name: &[u8]) -> Option<Place>;

    /// No key that was given so far is used again: what is stored for them may go.
    fn forget(&mut self);
}

/// A number in few bytes: seven bits each, the low ones first.
fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0u64, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

/// What fits a word.
pub trait Word: Copy {
    /// As a word.
    fn to_word(self) -> u32;
    /// From a word.
    fn from_word(word: u32) -> Self;
}

impl Word for u32 {
    fn to_word(self) -> u32 {
        self
    }

    fn from_word(word: u32) -> u32 {
        word
    }
}

impl Word for () {
    fn to_word(self) -> u32 {
        0
    }

    fn from_word(_: u32) {}
}

/// Tags of values.
const BOOL: u8 = 0;
const INT: u8 = 2;
const SYMBOL: u8 = 3;
const TERM: u8 = 4;

impl<M: Model> Portable for Instance<M>
where
    M::State: Word,
{
    fn encode(&self, key: &Self::Key, name: &mut Vec<u8>) {
        put(u64::from(key.node), name);
        put(u64::from(key.state.to_word()), name);
        for &value in self.values_of(key) {
            match value {
                Value::Bool(value) => name.push(BOOL | u8::from(value)),
                Value::Int(value) => {
                    name.push(INT);
                    // Small numbers of either sign are short.
                    put((value << 1 ^ value >> 63) as u64, name);
                }
                Value::Symbol(symbol) => {
                    name.push(SYMBOL);
                    put(u64::from(symbol), name);
                }
                // Numbers of structured values mean something in one replica only: systems with such
                // data are not given to workers, and nothing decodes this.
                Value::Term(term) => {
                    name.push(TERM);
                    put(u64::from(term), name);
                }
            }
        }
    }

    fn decode(&mut self, name: &[u8]) -> Option<Self::Key> {
        let mut rest = name;
        let node = u32::try_from(take(&mut rest)?).ok()?;
        let state = u32::try_from(take(&mut rest)?).ok()?;
        let mut values = Vec::with_capacity(8);
        while let Some((&tag, further)) = rest.split_first() {
            rest = further;
            values.push(match tag {
                0 | 1 => Value::Bool(tag == 1),
                INT => {
                    let number = take(&mut rest)?;
                    Value::Int((number >> 1) as i64 ^ -((number & 1) as i64))
                }
                SYMBOL => Value::Symbol(u32::try_from(take(&mut rest)?).ok()?),
                _ => return None,
            });
        }
        self.variable_of(node, M::State::from_word(state), &values)
    }

    fn place_of(&self, name: &[u8]) -> Option<Place> {
        let mut rest = name;
        Instance::place_of(self, u32::try_from(take(&mut rest)?).ok()?)
    }

    fn forget(&mut self) {
        self.forget_variables();
    }
}

/// A number for a name: the same in every process.
pub(crate) fn hash_of(name: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    let (words, rest) = name.as_chunks::<8>();
    for word in words {
        hasher.write_u64(u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    hasher.write_u64(u64::from_le_bytes(last));
    hasher.write_u32(name.len() as u32);
    hasher.finish()
}

/// The owner of a variable by its name's number.
pub(crate) fn owner_of(hash: u64, peers: u32) -> u32 {
    // The high half, scaled: its bits are the better mixed ones.
    (((hash >> 32) * u64::from(peers)) >> 32) as u32
}
