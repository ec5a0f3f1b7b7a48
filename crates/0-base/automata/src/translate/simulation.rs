//! Direct and reverse simulation, after Etessami, Wilke and Schuller (ICALP 2001) and Somenzi and
//! Bloem (CAV 2000), for marks on transitions.
//!
//! State `q` simulates `p` if each step of `p` has a step of `q` that reads the same letter, has
//! at least its marks, and leads to a state that simulates the end of the first. States that
//! simulate each other become one, and a step is dropped for the letters on which another step
//! of the same state does better. The reverse relation looks at the steps that lead to a state.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::alphabet::Alphabet;
use super::graph::{Edge, Graph};
use super::nnf::Ctx;

/// Automata for which pairs of edges and the letters of their labels and marks are more words than that are
/// reduced by bisimulation alone.
const MAX_WORDS: usize = 200_000_000;

/// Which steps are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Direct,
    Reverse,
}

/// The quotient of the automaton.
pub(super) fn simulate(
    ctx: &mut Ctx,
    graph: &Graph,
    direction: Direction,
) -> Result<Graph, TranslateError> {
    let steps = sides(graph, direction);
    let (class, classes) = bisimulation(ctx, graph, &steps, direction)?;
    let graph = graph.rename(ctx, &class, classes)?;
    let pairs = graph.edges().saturating_mul(graph.edges());
    if pairs > MAX_WORDS {
        return Ok(graph);
    }
    let Some(alphabet) = Alphabet::new(ctx, &[&graph], true)? else { return Ok(graph) };
    if pairs.saturating_mul(alphabet.words * (1 + graph.marks as usize)) > MAX_WORDS {
        return Ok(graph);
    }
    let steps = sides(&graph, direction);
    let above = relation(ctx, &graph, &steps, direction, &alphabet)?;

    // The classes of states that simulate each other, and the order on them.
    let mut class = vec![u32::MAX; classes];
    let mut first: Vec<usize> = Vec::new();
    for (p, class) in class.iter_mut().enumerate() {
        let equal = first.iter().position(|&q| above.get(p, q) && above.get(q, p));
        *class = equal.unwrap_or(first.len()) as u32;
        if equal.is_none() {
            first.push(p);
        }
    }
    let mut quotient = graph.rename(ctx, &class, first.len())?;
    let mut steps = sides(&quotient, direction);
    for edges in &mut steps {
        drop_dominated(ctx, edges, |a, b| above.get(first[a as usize], first[b as usize]))?;
    }
    quotient.out = match direction {
        Direction::Direct => steps,
        Direction::Reverse => transpose(&steps),
    };
    quotient.merge_edges(ctx)?;
    Ok(quotient)
}

/// For each state the steps that are compared: those that start there, or those that end there,
/// turned round.
fn sides(graph: &Graph, direction: Direction) -> Vec<Vec<Edge>> {
    match direction {
        Direction::Direct => graph.out.clone(),
        Direction::Reverse => transpose(&graph.out),
    }
}

/// Every step turned round.
fn transpose(out: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut into = vec![Vec::new(); out.len()];
    for (state, edges) in out.iter().enumerate() {
        for edge in edges {
            into[edge.to as usize].push(Edge { to: state as u32, ..edge.clone() });
        }
    }
    into
}

/// The coarsest bisimulation, as the class of each state and the number of classes.
fn bisimulation(
    ctx: &mut Ctx,
    graph: &Graph,
    steps: &[Vec<Edge>],
    direction: Direction,
) -> Result<(Vec<u32>, usize), TranslateError> {
    let initial = |state: u32| direction == Direction::Reverse && state == graph.initial;
    let mut class: Vec<u32> = (0..steps.len() as u32).map(|s| u32::from(initial(s))).collect();
    let mut classes = 0;
    loop {
        class = refine(ctx, steps, &class)?;
        let count = class.iter().max().map_or(0, |&last| last as usize + 1);
        if count == classes {
            return Ok((class, classes));
        }
        classes = count;
    }
}

/// Splits classes of states once, so that those of one class have equal signatures. A signature says
/// for each class by which letters steps lead there, and with which they carry each mark.
pub(super) fn refine(
    ctx: &mut Ctx,
    steps: &[Vec<Edge>],
    class: &[u32],
) -> Result<Vec<u32>, TranslateError> {
    type Signature = Vec<(u32, Bdd, Vec<Bdd>)>;
    let mut index: FxHashMap<(u32, Signature), u32> = FxHashMap::default();
    let mut next = Vec::with_capacity(steps.len());
    for (state, edges) in steps.iter().enumerate() {
        ctx.limits.poll()?;
        let mut ends: Vec<&Edge> = edges.iter().collect();
        ends.sort_by_key(|edge| class[edge.to as usize]);
        let mut signature: Signature = Vec::with_capacity(ends.len());
        for edge in ends {
            let to = class[edge.to as usize];
            match signature.last_mut() {
                Some((last, label, marks)) if *last == to => {
                    *label = ctx.bdd.or(*label, edge.label)?;
                    for (mark, &letters) in marks.iter_mut().zip(&edge.marks) {
                        *mark = ctx.bdd.or(*mark, letters)?;
                    }
                }
                _ => signature.push((to, edge.label, edge.marks.clone())),
            }
        }
        let fresh = index.len() as u32;
        next.push(*index.entry((class[state], signature)).or_insert(fresh));
    }
    Ok(next)
}

/// A relation on states.
struct Relation {
    words: usize,
    rows: Vec<u64>,
}

impl Relation {
    fn get(&self, p: usize, q: usize) -> bool {
        self.rows[p * self.words + q / 64] >> (q % 64) & 1 == 1
    }

    fn remove(&mut self, p: usize, q: usize) {
        self.rows[p * self.words + q / 64] &= !(1 << (q % 64));
    }
}

/// The largest simulation: `get(p, q)` if `q` simulates `p`.
fn relation(
    ctx: &mut Ctx,
    graph: &Graph,
    steps: &[Vec<Edge>],
    direction: Direction,
    alphabet: &Alphabet,
) -> Result<Relation, TranslateError> {
    let states = steps.len();
    let words = states.div_ceil(64);
    let mut above = Relation { words, rows: vec![u64::MAX; states * words] };
    if direction == Direction::Reverse {
        // Only the initial state can stand for the initial state.
        let initial = graph.initial as usize;
        (0..states).filter(|&q| q != initial).for_each(|q| above.remove(initial, q));
    }
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); states];
    for (p, edges) in steps.iter().enumerate() {
        edges.iter().for_each(|edge| before[edge.to as usize].push(p as u32));
    }
    let sets: Vec<Vec<Sets<'_>>> = steps
        .iter()
        .map(|edges| edges.iter().map(|edge| Sets::new(alphabet, edge)).collect())
        .collect();
    let mut missing = vec![0u64; alphabet.words];
    // What p's steps lead to has lost a simulating state since p was looked at last.
    let mut due: Vec<bool> = vec![true; states];
    let mut todo: Vec<u32> = (0..states as u32).rev().collect();
    while let Some(p) = todo.pop() {
        let p = p as usize;
        due[p] = false;
        let mut changed = false;
        for q in 0..states {
            if p == q || !above.get(p, q) {
                continue;
            }
            ctx.limits.poll()?;
            let matched = steps[p].iter().zip(&sets[p]).all(|(step, mine)| {
                missing.copy_from_slice(mine.label);
                steps[q].iter().zip(&sets[q]).any(|(other, theirs)| {
                    let leads_up = above.get(step.to as usize, other.to as usize);
                    if leads_up {
                        mine.remove_better(theirs, &mut missing);
                    }
                    leads_up && missing.iter().all(|&word| word == 0)
                })
            });
            if !matched {
                above.remove(p, q);
                changed = true;
            }
        }
        if changed {
            for &r in &before[p] {
                if !std::mem::replace(&mut due[r as usize], true) {
                    todo.push(r);
                }
            }
        }
    }
    Ok(above)
}

/// The letters of an edge, and those of each mark.
struct Sets<'a> {
    label: &'a [u64],
    marks: Vec<&'a [u64]>,
}

impl<'a> Sets<'a> {
    fn new(alphabet: &'a Alphabet, edge: &Edge) -> Sets<'a> {
        let marks = edge.marks.iter().map(|&letters| alphabet.set(letters)).collect();
        Sets { label: alphabet.set(edge.label), marks }
    }

    /// Takes out of a set the letters that another edge reads with at least the same marks.
    fn remove_better(&self, other: &Sets<'_>, missing: &mut [u64]) {
        for (i, word) in missing.iter_mut().enumerate() {
            let mut better = other.label[i];
            for (mine, theirs) in self.marks.iter().zip(&other.marks) {
                better &= !(mine[i] & !theirs[i]);
            }
            *word &= !better;
        }
    }
}

/// Drops from each edge the letters on which another edge does better. Edges with the same ends are
/// one, and of two states at most one is above the other: so of two edges at most one is better.
fn drop_dominated(
    ctx: &mut Ctx,
    edges: &mut Vec<Edge>,
    above: impl Fn(u32, u32) -> bool,
) -> Result<(), TranslateError> {
    let before = edges.clone();
    for edge in edges.iter_mut() {
        let mut label = edge.label;
        for other in before.iter().filter(|other| other.to != edge.to && above(edge.to, other.to)) {
            let mut better = other.label;
            for (&mine, &theirs) in edge.marks.iter().zip(&other.marks) {
                let worse = ctx.bdd.diff(mine, theirs)?;
                better = ctx.bdd.diff(better, worse)?;
            }
            label = ctx.bdd.diff(label, better)?;
        }
        if label != edge.label {
            edge.label = label;
            for mark in &mut edge.marks {
                *mark = ctx.bdd.and(*mark, label)?;
            }
        }
    }
    edges.retain(|edge| !edge.label.is_false());
    Ok(())
}
