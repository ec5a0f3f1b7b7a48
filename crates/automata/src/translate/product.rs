//! Whether two automata accept a common word.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::alphabet::Alphabet;
use super::graph::Graph;
use super::nnf::Ctx;
use crate::components::{Components, components};
use crate::tgba::all_marks;

/// Whether no word is accepted by both.
pub(super) fn disjoint(ctx: &mut Ctx, a: &Graph, b: &Graph) -> Result<bool, TranslateError> {
    let matcher = Matcher::new(ctx, a, b)?;
    let identity: Vec<Vec<u32>> = (0..a.states() as u32).map(|state| vec![state]).collect();
    let class: Vec<u32> = (0..a.states() as u32).collect();
    Ok(!matcher.product(a, b, &identity, &class).accepts(matcher.all))
}

/// The automata's labels, numbered, and which of them have a letter in common: products of the
/// same two automata, with states united or not, need no diagrams any more.
pub(super) struct Matcher {
    /// The labels of the first automaton's edges, and of the second's, by state and edge.
    first: Vec<Vec<u32>>,
    second: Vec<Vec<u32>>,
    /// `common[i * width + j]`: label `i` of the first and `j` of the second share a letter.
    common: Vec<bool>,
    width: usize,
    /// The marks of both together.
    pub(super) all: u64,
}

impl Matcher {
    pub(super) fn new(ctx: &mut Ctx, a: &Graph, b: &Graph) -> Result<Matcher, TranslateError> {
        let (first, mine) = number_labels(a);
        let (second, theirs) = number_labels(b);
        let width = theirs.len();
        let mut common = vec![false; mine.len() * width];
        let alphabet = Alphabet::new(ctx, &[a, b])?;
        for (i, &f) in mine.iter().enumerate() {
            for (j, &g) in theirs.iter().enumerate() {
                ctx.limits.poll()?;
                common[i * width + j] = match &alphabet {
                    Some(alphabet) => {
                        alphabet.set(f).iter().zip(alphabet.set(g)).any(|(a, b)| a & b != 0)
                    }
                    None => !ctx.bdd.disjoint(f, g)?,
                };
            }
        }
        let all = u64::from(all_marks(a.marks)) | u64::from(all_marks(b.marks)) << 32;
        Ok(Matcher { first, second, common, width, all })
    }

    /// The product of `b` with the quotient of `a` whose states are `classes`; `class` is the
    /// inverse. Marks of `b` are the upper half.
    pub(super) fn product(
        &self,
        a: &Graph,
        b: &Graph,
        classes: &[Vec<u32>],
        class: &[u32],
    ) -> Components<u64> {
        let width = b.states();
        let start = class[a.initial as usize] as usize * width + b.initial as usize;
        components(classes.len() * width, start, |node, out| {
            let (c, t) = (node / width, node % width);
            for &s in &classes[c] {
                for (mine, &f) in a.out[s as usize].iter().zip(&self.first[s as usize]) {
                    for (their, &g) in b.out[t].iter().zip(&self.second[t]) {
                        if self.common[f as usize * self.width + g as usize] {
                            let marks = u64::from(mine.marks) | u64::from(their.marks) << 32;
                            let to = class[mine.to as usize] as usize * width + their.to as usize;
                            out.push((to, marks));
                        }
                    }
                }
            }
        })
    }
}

/// The number of each edge's label, and the labels.
fn number_labels(graph: &Graph) -> (Vec<Vec<u32>>, Vec<Bdd>) {
    let mut index: FxHashMap<Bdd, u32> = FxHashMap::default();
    let mut labels = Vec::new();
    let numbers = graph
        .out
        .iter()
        .map(|edges| {
            edges
                .iter()
                .map(|edge| {
                    *index.entry(edge.label).or_insert_with(|| {
                        labels.push(edge.label);
                        labels.len() as u32 - 1
                    })
                })
                .collect()
        })
        .collect();
    (numbers, labels)
}
