//! Letters, as far as labels tell them apart: labels become sets of numbers.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::graph::Graph;
use super::nnf::Ctx;

/// The largest number of classes of letters.
const MAX_LETTERS: usize = 2048;
/// The largest number of pairs of classes and labels.
const MAX_PAIRS: usize = 1 << 20;

/// A partition of all letters such that each label of some automata is a union of classes.
pub(super) struct Alphabet {
    /// The classes; together they are all letters that occur.
    pub(super) letters: Vec<Bdd>,
    /// The number of words of a set.
    pub(super) words: usize,
    sets: FxHashMap<Bdd, Vec<u64>>,
}

impl Alphabet {
    /// The coarsest partition for the labels of automata and, `with_marks`, for the letters on which edges
    /// carry a mark; `None` if it has too many classes.
    pub(super) fn new(
        ctx: &mut Ctx,
        graphs: &[&Graph],
        with_marks: bool,
    ) -> Result<Option<Alphabet>, TranslateError> {
        let edges = graphs.iter().flat_map(|graph| graph.out.iter().flatten());
        let mut labels: Vec<Bdd> = Vec::new();
        for edge in edges {
            labels.push(edge.label);
            if with_marks {
                labels.extend_from_slice(&edge.marks);
            }
        }
        labels.sort_unstable_by_key(|label| label.id());
        labels.dedup();
        let mut letters = vec![Bdd::TRUE];
        for &label in &labels {
            ctx.limits.poll()?;
            let mut refined = Vec::with_capacity(letters.len() + 1);
            for letter in letters {
                let inside = ctx.bdd.and(letter, label)?;
                let outside = ctx.bdd.diff(letter, label)?;
                refined.extend([inside, outside].into_iter().filter(|part| !part.is_false()));
            }
            letters = refined;
            if letters.len() > MAX_LETTERS || letters.len() * labels.len() > MAX_PAIRS {
                return Ok(None);
            }
        }
        let words = letters.len().div_ceil(64);
        let mut sets = FxHashMap::default();
        for &label in &labels {
            let mut set = vec![0u64; words];
            for (i, &letter) in letters.iter().enumerate() {
                ctx.limits.poll()?;
                if !ctx.bdd.disjoint(letter, label)? {
                    set[i / 64] |= 1 << (i % 64);
                }
            }
            sets.insert(label, set);
        }
        Ok(Some(Alphabet { letters, words, sets }))
    }

    /// The numbers of the classes in a set.
    pub(super) fn members(set: &[u64]) -> impl Iterator<Item = usize> {
        set.iter().enumerate().flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i * 64 + bit)
        })
    }

    /// The classes of a label of the automata.
    pub(super) fn set(&self, label: Bdd) -> &[u64] {
        &self.sets[&label]
    }
}
