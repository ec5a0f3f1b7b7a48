//! Whether measures show that no run goes on for ever: by the solver that checks invariants.
//!
//! - PE1: each place has as many measures as every other one, and they are about its variables.
//! - PE2: each step inside of a component that starts where the clauses hold, and after which another such step can
//!   come, makes the first measure smaller that it changes.
//!
//! A run without end stays in one component from some step on, and each of its steps has one after it.

use crate::checking::{Checker, Proof, Refusal, check};
use crate::graph::{Bad, Graph};
use crate::measure::{Ranks, descends};
use crate::ranking::{components, goes_on};
use crate::solver::Watch;
use ::check::Budget;
use batsat::{Solver, SolverInterface, SolverOpts};
use logic::Lit;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Checks that a proof shows that nothing bad happens, and that no run goes on for ever.
pub fn check_ends(
    graph: &mut Graph,
    bads: &[Bad],
    proof: &Proof,
    ranks: &Ranks,
    budget: &Budget,
) -> Result<(), Refusal> {
    let wrong = |what: String| Err(Refusal::Wrong(what));
    if ranks.len() != graph.nodes.len() || ranks.windows(2).any(|w| w[0].len() != w[1].len()) {
        return wrong("its measures are about other places than the program has".to_owned());
    }
    for (node, measures) in graph.nodes.iter().zip(ranks) {
        if !measures.iter().all(|m| m.fits(&node.variables)) {
            return wrong(format!("{}: a measure speaks of what is not there", node.name));
        }
    }
    check(graph, bads, proof, budget)?;
    let ways: Vec<(usize, usize)> = graph.edges.iter().map(|e| (e.from, e.to)).collect();
    let parts = components(graph.nodes.len(), &ways);
    for (e, &(from, to)) in ways.iter().enumerate() {
        if parts[from] != parts[to] {
            continue;
        }
        budget.poll().map_err(Refusal::Stopped)?;
        let next = goes_on(graph, &parts, e);
        let words: Vec<Vec<Lit>> =
            graph.nodes[from].variables.iter().map(|v| v.bits.clone()).collect();
        let mut roots = vec![graph.edges[e].guard, next];
        for clause in &proof.clauses[from] {
            roots.push(crate::guess::build(&mut graph.aig, clause, &words));
        }
        let values = graph.edges[e].values.clone();
        let down = descends(&mut graph.aig, (&ranks[to], &values), (&ranks[from], &words));
        let watched = budget.clone();
        let stop = Watch(Arc::new(move || watched.poll().is_err()));
        let solver = Solver::new(SolverOpts::default(), stop);
        let mut checker = Checker { aig: &graph.aig, solver, variables: FxHashMap::default() };
        for root in roots {
            let lit = checker.literal(root);
            checker.solver.add_clause_reuse(&mut vec![lit]);
        }
        if checker.possible(&[!down]) {
            budget.poll().map_err(Refusal::Stopped)?;
            let (from, to) = (&graph.nodes[from].name, &graph.nodes[to].name);
            return wrong(format!("from {from} to {to} no measure gets smaller"));
        }
    }
    Ok(())
}
