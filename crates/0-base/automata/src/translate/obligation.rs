//! Obligations as minimal weak deterministic automata, after Dax, Eisinger and Klaedtke
//! (ATVA 2007) and Löding (IPL 2001).
//!
//! 1. Determinise by sets of states, without regard to marks.
//! 2. In the automaton of an obligation each component accepts all of its cycles or none: one
//!    cycle of each decides.
//! 3. Colour the components so that the minimal automaton is that of finite words.
//! 4. Minimise, and see whether the result accepts the language: if not, the formula was no
//!    obligation.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::alphabet::Alphabet;
use super::graph::{Edge, Graph};
use super::nnf::{Ctx, variable};
use super::product::disjoint;
use super::simulation::refine;
use crate::components::{Components, components};
use crate::marks::Marks;

/// How many times more states than the given automaton the deterministic one may have.
const GROWTH: usize = 8;
/// How many steps of states and letters the deterministic automaton may take.
const EFFORT: usize = 2_000_000;
/// How many pairs of edges the comparison with the language may look at, at worst.
const PRODUCT: usize = 20_000_000;
/// How many cycles of each component are compared before the language is.
const CYCLES: usize = 16;

/// The minimal weak deterministic automaton of the language, without its rejecting sink, if the
/// language is an obligation. `negated` accepts exactly the words that `graph` does not.
pub(super) fn minimal_weak(
    ctx: &mut Ctx,
    graph: &Graph,
    negated: &Graph,
) -> Result<Option<Graph>, TranslateError> {
    let Some((mut subsets, sets)) = determinise(ctx, graph)? else { return Ok(None) };
    if subsets.edges() * negated.edges().max(graph.edges()) > PRODUCT {
        return Ok(None);
    }
    let found = subsets.components();
    let Some(accepting) = judge_components(ctx, graph, &subsets, &sets, &found)? else {
        return Ok(None);
    };
    let even = colour(&subsets, &found, &accepting);
    // The marks say which states accept; the complement marks the others.
    let mut complement = subsets.clone();
    subsets.marks = 1;
    complement.marks = 1;
    let mark = |graph: &mut Graph, wanted: bool| {
        for (state, edges) in graph.out.iter_mut().enumerate() {
            for edge in edges {
                edge.marks = vec![if even[state] == wanted { edge.label } else { Bdd::FALSE }];
            }
        }
    };
    mark(&mut subsets, true);
    mark(&mut complement, false);
    if disjoint(ctx, &subsets, negated)? != Some(true)
        || disjoint(ctx, &complement, graph)? != Some(true)
    {
        return Ok(None);
    }
    minimise(ctx, &subsets, &even).map(Some)
}

/// The deterministic automaton whose states are sets of states, the empty set included, and what
/// the sets are; marks mean nothing in it. `None` if it grows too large.
#[allow(clippy::type_complexity)]
fn determinise(
    ctx: &mut Ctx,
    graph: &Graph,
) -> Result<Option<(Graph, Vec<Vec<u32>>)>, TranslateError> {
    let limit = 64 + GROWTH * graph.states();
    let mut effort = EFFORT;
    let Some(alphabet) = Alphabet::new(ctx, &[graph], false)? else { return Ok(None) };
    let mut sets = vec![vec![graph.initial]];
    let mut index: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    index.insert(sets[0].clone(), 0);
    let mut out = Vec::new();
    while let Some(set) = sets.get(out.len()) {
        ctx.limits.poll()?;
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); alphabet.letters.len()];
        for edge in set.iter().flat_map(|&state| &graph.out[state as usize]) {
            for letter in Alphabet::members(alphabet.set(edge.label)) {
                targets[letter].push(edge.to);
            }
        }
        // The letters, united where they lead to the same set.
        let mut edges: Vec<Edge> = Vec::new();
        let mut by_end: FxHashMap<u32, usize> = FxHashMap::default();
        for (letter, mut target) in targets.into_iter().enumerate() {
            effort = effort.saturating_sub(1 + target.len());
            target.sort_unstable();
            target.dedup();
            let fresh = sets.len() as u32;
            let to = *index.entry(target.clone()).or_insert(fresh);
            if to == fresh {
                sets.push(target);
            }
            let at = *by_end.entry(to).or_insert_with(|| {
                edges.push(Edge { label: Bdd::FALSE, to, marks: Vec::new() });
                edges.len() - 1
            });
            edges[at].label = ctx.bdd.or(edges[at].label, alphabet.letters[letter])?;
        }
        out.push(edges);
        if sets.len() > limit || effort == 0 {
            return Ok(None);
        }
    }
    Ok(Some((Graph { initial: 0, out, marks: 0 }, sets)))
}

/// For each component, whether the language contains what its cycles read; `None` if some cycles
/// differ.
fn judge_components(
    ctx: &mut Ctx,
    graph: &Graph,
    subsets: &Graph,
    sets: &[Vec<u32>],
    found: &Components<Marks>,
) -> Result<Option<Vec<bool>>, TranslateError> {
    let mut accepting = vec![false; found.inside.len()];
    let mut judged = vec![0; found.inside.len()];
    for (state, set) in sets.iter().enumerate() {
        ctx.limits.poll()?;
        let component = found.of[state] as usize;
        if judged[component] == CYCLES || found.inside[component].is_none() {
            continue;
        }
        let cycle = shortest_cycle(subsets, found, state as u32);
        // Each label of the cycle shrinks to one letter, so that the word is one word.
        let mut letters = Vec::with_capacity(cycle.len());
        for &label in &cycle {
            let atoms: Vec<u32> = (0..ctx.atoms).map(variable).collect();
            let letter = ctx.bdd.pick_minterm(label, &atoms).expect("labels are not false");
            letters.push(ctx.bdd.literals(&letter)?);
        }
        let accepted = accepts_cycle(ctx, graph, set, &letters)?;
        if judged[component] > 0 && accepted != accepting[component] {
            return Ok(None);
        }
        accepting[component] = accepted;
        judged[component] += 1;
    }
    Ok(Some(accepting))
}

/// The labels of a shortest cycle through a state that lies on one.
fn shortest_cycle(graph: &Graph, found: &Components<Marks>, start: u32) -> Vec<Bdd> {
    let component = found.of[start as usize];
    let mut reached: FxHashMap<u32, (u32, Bdd)> = FxHashMap::default();
    let mut queue = vec![start];
    let mut next = 0;
    'search: while let Some(&state) = queue.get(next) {
        next += 1;
        for edge in &graph.out[state as usize] {
            if found.of[edge.to as usize] != component || reached.contains_key(&edge.to) {
                continue;
            }
            reached.insert(edge.to, (state, edge.label));
            if edge.to == start {
                break 'search;
            }
            queue.push(edge.to);
        }
    }
    let mut labels = Vec::new();
    let mut state = start;
    loop {
        let (before, label) = reached[&state];
        labels.push(label);
        state = before;
        if state == start {
            labels.reverse();
            return labels;
        }
    }
}

/// Whether the automaton accepts `letters` for ever, from one of the states.
fn accepts_cycle(
    ctx: &mut Ctx,
    graph: &Graph,
    starts: &[u32],
    letters: &[Bdd],
) -> Result<bool, TranslateError> {
    let length = letters.len();
    let mut steps: Vec<Vec<(usize, Marks)>> = vec![Vec::new(); graph.states() * length + 1];
    for (state, edges) in graph.out.iter().enumerate() {
        for edge in edges {
            for (i, &letter) in letters.iter().enumerate() {
                if !ctx.bdd.disjoint(edge.label, letter)? {
                    let to = edge.to as usize * length + (i + 1) % length;
                    let mut marks = Marks::none();
                    for (mark, &letters) in (0..).zip(&edge.marks) {
                        if !ctx.bdd.disjoint(letters, letter)? {
                            marks.insert(mark);
                        }
                    }
                    steps[state * length + i].push((to, marks));
                }
            }
        }
    }
    let root = graph.states() * length;
    steps[root] = starts.iter().map(|&state| (state as usize * length, Marks::none())).collect();
    let found = components(root + 1, root, |node, out| out.extend_from_slice(&steps[node]));
    Ok(found.accepts(&graph.all()))
}

/// Which states get an even colour: the accepting ones, and of those on no cycle the ones that
/// the normal form puts there (Löding). A component's colour is the largest one, of the
/// parity that it must have, that is not above the colours of its successors.
fn colour(graph: &Graph, found: &Components<Marks>, accepting: &[bool]) -> Vec<bool> {
    let count = found.inside.len();
    let top = 2 * count as u32 + 2;
    let mut lowest = vec![top; count];
    let mut colours = vec![0; count];
    let mut members = vec![Vec::new(); count];
    for (state, &component) in found.of.iter().enumerate() {
        members[component as usize].push(state);
    }
    for component in 0..count {
        for &state in &members[component] {
            for edge in &graph.out[state] {
                let next = found.of[edge.to as usize] as usize;
                if next != component {
                    lowest[component] = lowest[component].min(colours[next]);
                }
            }
        }
        let least = lowest[component];
        colours[component] = match found.inside[component] {
            None => least,
            Some(_) => least - (least + u32::from(!accepting[component])) % 2,
        };
    }
    found.of.iter().map(|&component| colours[component as usize].is_multiple_of(2)).collect()
}

/// The minimal automaton of finite words, by refinement.
fn minimise(ctx: &mut Ctx, graph: &Graph, even: &[bool]) -> Result<Graph, TranslateError> {
    let mut class: Vec<u32> = even.iter().map(|&even| u32::from(even)).collect();
    let mut classes = 0;
    loop {
        let next = refine(ctx, &graph.out, &class)?;
        let count = next.iter().max().map_or(0, |&last| last as usize + 1);
        class = next;
        if count == classes {
            return graph.rename(ctx, &class, count);
        }
        classes = count;
    }
}
