//! Runs that go on for ever, as questions about what can be reached.
//!
//! - RC1: a state that comes back after a few steps is one that a run may stay at for ever: that a run comes to such a
//!   state is asked like anything else that must not happen.
//! - RC2: where inputs are chosen once and for all, no run ends if none is ever at a place that it does not leave. That
//!   nothing ends is asked like anything else: all states are a recurrent set then ([recurrence]).

use crate::graph::{Bad, Graph};
use crate::ranking::components;
use logic::{Lit, Valuation};
use rustc_hash::FxHashMap;

/// The most ways around that are looked at.
const MOST: usize = 60;
/// The most gates that ways around may add.
const GATES: usize = 4_000_000;

/// A way around: a place, and edges from there back to it.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// When a state of the place comes back to itself.
    pub bad: Bad,
    /// The edges.
    pub edges: Vec<usize>,
    /// What the inputs of each edge are called.
    inputs: Vec<FxHashMap<Lit, Lit>>,
}

impl Lasso {
    /// The inputs of each of its steps, where its state is known.
    pub fn steps(&self, graph: &Graph, valuation: &Valuation) -> Vec<Valuation> {
        let mut values = valuation.clone();
        let step = |map: &FxHashMap<Lit, Lit>| {
            let mut out = Valuation::new();
            let mut all: Vec<(&Lit, &Lit)> = map.iter().collect();
            all.sort_unstable();
            for (&input, &image) in all {
                out.set(input, values.get(&graph.aig, image));
            }
            out
        };
        self.inputs.iter().map(step).collect()
    }
}

/// Ways around of so many edges. RC1.
pub fn lassos(graph: &mut Graph, length: usize) -> Vec<Lasso> {
    let ways: Vec<(usize, usize)> = graph.edges.iter().map(|e| (e.from, e.to)).collect();
    let parts = components(graph.nodes.len(), &ways);
    let inside: Vec<usize> =
        (0..ways.len()).filter(|&e| parts[ways[e].0] == parts[ways[e].1]).collect();
    let mut paths: Vec<Vec<usize>> = inside.iter().map(|&e| vec![e]).collect();
    for _ in 1..length {
        let mut longer = Vec::new();
        for path in &paths {
            let end = ways[path[path.len() - 1]].1;
            // Each way around is looked at from one of its places.
            let start = ways[path[0]].0;
            for &e in inside.iter().filter(|&&e| ways[e].0 == end && ways[e].1 >= start) {
                let mut path = path.clone();
                path.push(e);
                longer.push(path);
            }
        }
        longer.truncate(40 * MOST);
        paths = longer;
    }
    paths.retain(|path| ways[path[0]].0 == ways[path[path.len() - 1]].1);
    paths.truncate(MOST);
    let gates = graph.aig.len() + GATES;
    let mut out = Vec::new();
    for path in paths {
        if graph.aig.len() > gates {
            break;
        }
        out.extend(lasso(graph, path));
    }
    out
}

fn lasso(graph: &mut Graph, edges: Vec<usize>) -> Option<Lasso> {
    let node = graph.edges[edges[0]].from;
    let start: Vec<Vec<Lit>> = graph.nodes[node].variables.iter().map(|v| v.bits.clone()).collect();
    let mut state = start.clone();
    let mut guard = Lit::TRUE;
    let mut inputs = Vec::new();
    for &e in &edges {
        let edge = graph.edges[e].clone();
        let mut map: FxHashMap<Lit, Lit> = FxHashMap::default();
        for (variable, values) in graph.nodes[edge.from].variables.iter().zip(&state) {
            map.extend(variable.bits.iter().copied().zip(values.iter().copied()));
        }
        let roots: Vec<Lit> = edge.values.iter().flatten().copied().chain([edge.guard]).collect();
        for input in graph.aig.support(roots.iter().copied()) {
            map.entry(input).or_insert_with(|| graph.aig.input());
        }
        let mut new = graph.aig.substitute(&roots, &map);
        let taken = new.pop()?;
        guard = graph.aig.and(guard, taken);
        let mut new = new.into_iter();
        state = edge.values.iter().map(|bits| new.by_ref().take(bits.len()).collect()).collect();
        inputs.push(map);
    }
    for (old, new) in start.iter().zip(&state) {
        let same = graph.aig.equal(old, new);
        guard = graph.aig.and(guard, same);
    }
    (guard != Lit::FALSE).then_some(Lasso { bad: Bad { node, guard }, edges, inputs })
}

/// The graph in which inputs are chosen as `chosen` says for each place, and what must not happen so that no run ends
/// there. RC2.
pub fn closed(graph: &Graph, chosen: &[Lit]) -> (Graph, Vec<Bad>) {
    let mut out = graph.clone();
    for edge in &mut out.edges {
        edge.guard = out.aig.and(edge.guard, chosen[edge.from]);
    }
    let mut bads = Vec::new();
    for (node, &chosen) in chosen.iter().enumerate() {
        let guards: Vec<Lit> =
            out.edges.iter().filter(|e| e.from == node).map(|e| !e.guard).collect();
        let none = out.aig.and_all(guards);
        let guard = out.aig.and(none, chosen);
        if guard != Lit::FALSE {
            bads.push(Bad { node, guard });
        }
    }
    (out, bads)
}
