//! Proofs without what is not needed: the clauses on which the answer rests, and those on which these rest.

use crate::checking::Proof;
use crate::graph::{Bad, Graph};
use crate::guess::build;
use check::{Budget, StopReason};
use logic::{Cadical, Clauses, Lit, StopFlag};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The part of a proof that is needed.
pub fn shrink(
    graph: &mut Graph,
    bads: &[Bad],
    proof: &Proof,
    budget: &Budget,
) -> Result<Proof, StopReason> {
    let watched = budget.clone();
    let stop: StopFlag = Arc::new(move || watched.poll().is_err());
    let stopped = || budget.poll().err().unwrap_or(StopReason::Cancelled);
    let count = graph.nodes.len();
    // By place, what holds there and what its calls give, each with the clause that it comes from.
    let mut holds: Vec<Vec<(Lit, (usize, usize))>> = Vec::new();
    for (node, clauses) in proof.clauses.iter().enumerate() {
        let words: Vec<Vec<Lit>> =
            graph.nodes[node].variables.iter().map(|v| v.bits.clone()).collect();
        let now = clauses.iter().enumerate();
        let mut all: Vec<_> =
            now.map(|(k, c)| (build(&mut graph.aig, c, &words), (node, k))).collect();
        for call in &graph.nodes[node].calls {
            for (k, clause) in proof.clauses[call.node].iter().enumerate() {
                let lit = build(&mut graph.aig, clause, &call.values);
                all.push((graph.aig.or(!call.when, lit), (call.node, k)));
            }
        }
        holds.push(all);
    }
    let mut solvers: Vec<Clauses<Cadical>> =
        (0..count).map(|_| Clauses::new(stop.clone())).collect();
    let mut needed: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    let mut todo: Vec<(usize, usize)> = Vec::new();
    let mut ask = |graph: &Graph, node: usize, roots: &[Lit], todo: &mut Vec<(usize, usize)>| {
        let solver = &mut solvers[node];
        let known = |needed: &[BTreeSet<usize>]| -> Vec<Lit> {
            let all = holds[node].iter().filter(|(_, (n, k))| needed[*n].contains(k));
            all.map(|(lit, _)| *lit).collect()
        };
        // First with what is needed anyway.
        let mut all = roots.to_vec();
        all.extend(known(&needed));
        if !solver.solve(&graph.aig, &all).map_err(|_| stopped())? {
            return Ok(());
        }
        let mut all = roots.to_vec();
        all.extend(holds[node].iter().map(|(lit, _)| *lit));
        if solver.solve(&graph.aig, &all).map_err(|_| stopped())? {
            return Err(StopReason::Internal { what: "an invariant is none".to_owned() });
        }
        for &(lit, (of, k)) in &holds[node] {
            if solver.failed(lit) && needed[of].insert(k) {
                todo.push((of, k));
            }
        }
        Ok(())
    };
    for bad in bads {
        ask(graph, bad.node, &[bad.guard], &mut todo)?;
    }
    while let Some((node, k)) = todo.pop() {
        for e in 0..graph.edges.len() {
            if graph.edges[e].to != node {
                continue;
            }
            let clause = &proof.clauses[node][k];
            let (aig, edges) = (&mut graph.aig, &graph.edges);
            let next = build(aig, clause, &edges[e].values);
            let (from, guard) = (edges[e].from, edges[e].guard);
            ask(graph, from, &[guard, !next], &mut todo)?;
        }
    }
    let kept = |node: usize| needed[node].iter().map(|&k| proof.clauses[node][k].clone()).collect();
    Ok(Proof { clauses: (0..count).map(kept).collect() })
}
