//! Names of variables that mean the same in every worker.

use bes::System;
use bes::data::Value;
use bes::param::{Instance, Model};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A system of which every worker has a replica, and whose variables have names that all replicas
/// understand: keys need not mean the same in two of them.
pub trait Portable: System {
    /// Appends the name of a variable to `words`.
    fn encode(&self, key: &Self::Key, words: &mut Vec<u32>);

    /// The variable of a name that a replica gave; `None` if no replica gives such a name.
    fn decode(&mut self, words: &[u32]) -> Option<Self::Key>;
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
const BOOL: u32 = 0;
const INT: u32 = 1;
const SYMBOL: u32 = 2;
const TERM: u32 = 3;

impl<M: Model> Portable for Instance<M>
where
    M::State: Word,
{
    fn encode(&self, key: &Self::Key, words: &mut Vec<u32>) {
        words.push(key.node);
        words.push(key.state.to_word());
        for &value in self.values_of(key) {
            match value {
                Value::Bool(value) => words.extend([BOOL, u32::from(value)]),
                Value::Int(value) => {
                    words.extend([INT, value as u32, (value >> 32) as u32]);
                }
                Value::Symbol(symbol) => words.extend([SYMBOL, symbol]),
                // Numbers of structured values mean something in one replica only: systems with such
                // data are not given to workers, and nothing decodes this.
                Value::Term(term) => words.extend([TERM, term]),
            }
        }
    }

    fn decode(&mut self, words: &[u32]) -> Option<Self::Key> {
        let (&[node, state], mut rest) = words.split_first_chunk::<2>()?;
        let mut values = Vec::new();
        while !rest.is_empty() {
            let (value, further) = match *rest {
                [BOOL, value, ref further @ ..] => (Value::Bool(value != 0), further),
                [INT, low, high, ref further @ ..] => {
                    (Value::Int(i64::from(low) | i64::from(high as i32) << 32), further)
                }
                [SYMBOL, symbol, ref further @ ..] => (Value::Symbol(symbol), further),
                _ => return None,
            };
            values.push(value);
            rest = further;
        }
        self.variable_of(node, M::State::from_word(state), &values)
    }
}

/// The owner of a variable by its name: the same in every process.
pub(crate) fn owner_of(name: &[u32], peers: u32) -> u32 {
    let mut hasher = FxHasher::default();
    for &word in name {
        hasher.write_u32(word);
    }
    // The high half, scaled: its bits are the better mixed ones.
    let high = hasher.finish() >> 32;
    ((high * u64::from(peers)) >> 32) as u32
}
