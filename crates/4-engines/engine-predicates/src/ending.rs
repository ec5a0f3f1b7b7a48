//! Whether measures show that no run goes on for ever: by the checker of invariants.
//!
//! - MD1: each place has as many measures as every other one, and they are about its variables.
//! - MD2: each step inside of a component after which another such step can come makes the first measure smaller that it
//!   changes. A step that does not is something bad, which invariants must exclude like anything else.
//!
//! A run without end stays in one component from some step on, and each of its steps has one after it.

use crate::checking::{Proof, Refusal, check};
use crate::graph::{Bad, Graph};
use crate::measure::{Ranks, descends};
use crate::ranking::{components, goes_on};
use ::check::Budget;
use logic::Lit;

/// The steps that do not make measures smaller, as what must not happen; or what is wrong with the measures.
pub fn not_descending(graph: &mut Graph, ranks: &Ranks) -> Result<Vec<Bad>, String> {
    if ranks.len() != graph.nodes.len() || ranks.windows(2).any(|w| w[0].len() != w[1].len()) {
        return Err("its measures are about other places than the program has".to_owned());
    }
    for (node, measures) in graph.nodes.iter().zip(ranks) {
        if !measures.iter().all(|m| m.fits(&node.variables)) {
            return Err(format!("{}: a measure speaks of what is not there", node.name));
        }
    }
    let ways: Vec<(usize, usize)> = graph.edges.iter().map(|e| (e.from, e.to)).collect();
    let parts = components(graph.nodes.len(), &ways);
    let mut out = Vec::new();
    for (e, &(from, to)) in ways.iter().enumerate() {
        if parts[from] != parts[to] {
            continue;
        }
        let next = goes_on(graph, &parts, e);
        let words: Vec<Vec<Lit>> =
            graph.nodes[from].variables.iter().map(|v| v.bits.clone()).collect();
        let values = graph.edges[e].values.clone();
        let down = descends(&mut graph.aig, (&ranks[to], &values), (&ranks[from], &words));
        let guard = graph.aig.and_all([graph.edges[e].guard, next, !down]);
        if guard != Lit::FALSE {
            out.push(Bad { node: from, guard });
        }
    }
    Ok(out)
}

/// Checks that a proof shows that nothing bad happens, and that no run goes on for ever.
pub fn check_ends(
    graph: &mut Graph,
    bads: &[Bad],
    proof: &Proof,
    ranks: &Ranks,
    budget: &Budget,
) -> Result<(), Refusal> {
    let mut all = bads.to_vec();
    all.extend(not_descending(graph, ranks).map_err(Refusal::Wrong)?);
    check(graph, &all, proof, budget)
}
