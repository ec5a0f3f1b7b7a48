//! Whether two automata accept a common word.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::alphabet::Alphabet;
use super::graph::{Edge, Graph};
use super::nnf::Ctx;
use crate::components::{Components, components};

/// Whether no word is accepted by both; `None` where the automata have too many marks to tell.
pub(super) fn disjoint(
    ctx: &mut Ctx,
    a: &Graph,
    b: &Graph,
) -> Result<Option<bool>, TranslateError> {
    let Some(matcher) = Matcher::new(ctx, a, b)? else { return Ok(None) };
    let identity: Vec<Vec<u32>> = (0..a.states() as u32).map(|state| vec![state]).collect();
    let class: Vec<u32> = (0..a.states() as u32).collect();
    Ok(Some(!matcher.product(a, b, &identity, &class).accepts(&matcher.all)))
}

/// The automata's edges, numbered by their labels and marks, and which of them have a letter in common:
/// products of the same two automata, with states united or not, need no diagrams any more.
pub(super) struct Matcher {
    /// The numbers of the first automaton's edges, and of the second's, by state and edge.
    first: Vec<Vec<u32>>,
    second: Vec<Vec<u32>>,
    /// `common[i * width + j]`: the marks of edges `i` of the first and `j` of the second on common
    /// letters; `None` if there is no such letter.
    common: Vec<Option<u64>>,
    width: usize,
    /// The marks of both together.
    pub(super) all: u64,
}

impl Matcher {
    /// `None` if there are more than 64 marks.
    pub(super) fn new(
        ctx: &mut Ctx,
        a: &Graph,
        b: &Graph,
    ) -> Result<Option<Matcher>, TranslateError> {
        if a.marks + b.marks > u64::BITS {
            return Ok(None);
        }
        let (first, mine) = number_labels(a);
        let (second, theirs) = number_labels(b);
        let width = theirs.len();
        let mut common = vec![None; mine.len() * width];
        let alphabet = Alphabet::new(ctx, &[a, b], true)?;
        for (i, f) in mine.iter().enumerate() {
            for (j, g) in theirs.iter().enumerate() {
                ctx.limits.poll()?;
                let mut meet = |f: Bdd, g: Bdd| -> Result<bool, TranslateError> {
                    Ok(match &alphabet {
                        Some(alphabet) => {
                            alphabet.set(f).iter().zip(alphabet.set(g)).any(|(a, b)| a & b != 0)
                        }
                        None => !ctx.bdd.disjoint(f, g)?,
                    })
                };
                if !meet(f.label, g.label)? {
                    continue;
                }
                let mut marks = 0;
                for (mark, &letters) in f.marks.iter().enumerate() {
                    marks |= u64::from(meet(letters, g.label)?) << mark;
                }
                for (mark, &letters) in g.marks.iter().enumerate() {
                    marks |= u64::from(meet(f.label, letters)?) << (a.marks as usize + mark);
                }
                common[i * width + j] = Some(marks);
            }
        }
        let all = match a.marks + b.marks {
            64 => u64::MAX,
            count => (1 << count) - 1,
        };
        Ok(Some(Matcher { first, second, common, width, all }))
    }

    /// The product of `b` with the quotient of `a` whose states are `classes`; `class` is the
    /// inverse. Marks of `b` follow those of `a`.
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
                        if let Some(marks) = self.common[f as usize * self.width + g as usize] {
                            let to = class[mine.to as usize] as usize * width + their.to as usize;
                            out.push((to, marks));
                        }
                    }
                }
            }
        })
    }
}

/// The number of each edge's label and marks, and an edge for each number.
fn number_labels(graph: &Graph) -> (Vec<Vec<u32>>, Vec<&Edge>) {
    let mut index: FxHashMap<(Bdd, &[Bdd]), u32> = FxHashMap::default();
    let mut labels = Vec::new();
    let numbers = graph
        .out
        .iter()
        .map(|edges| {
            edges
                .iter()
                .map(|edge| {
                    *index.entry((edge.label, &edge.marks)).or_insert_with(|| {
                        labels.push(edge);
                        labels.len() as u32 - 1
                    })
                })
                .collect()
        })
        .collect();
    (numbers, labels)
}
