//! Whether a proof is one: by a solver that shares nothing with the search.
//!
//! - PC1: a clause mentions variables of its place, and numbers of their widths.
//! - PC2: each edge, from wherever the clauses of its start hold, leads to where those of its end hold. The start of
//!   the program has none.
//! - PC3: nothing bad happens where the clauses hold.
//! - PC4: a block that passes a call does so where the clauses of the call's end hold; PC2 and PC3 suppose no more of it.

use crate::graph::{Bad, Graph};
use crate::predicates::Literal;
use crate::solver::Watch;
use batsat::{Lit as SolverLit, Solver, SolverInterface, SolverOpts, lbool};
use check::{Budget, StopReason};
use logic::{Aig, Lit};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The clauses that hold at each place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// By place, and each a disjunction.
    pub clauses: Vec<Vec<Vec<Literal>>>,
}

/// Why a proof is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It does.
    Wrong(String),
    /// Nobody knows.
    Stopped(StopReason),
}

struct Checker<'g> {
    aig: &'g Aig,
    solver: Solver<Watch>,
    variables: FxHashMap<u32, SolverLit>,
}

impl Checker<'_> {
    fn literal(&mut self, root: Lit) -> SolverLit {
        let mut stack = vec![root.node()];
        while let Some(&node) = stack.last() {
            if self.variables.contains_key(&node) {
                stack.pop();
                continue;
            }
            let below = self.aig.children(node);
            if let Some((a, b)) = below {
                let open: Vec<u32> = [a.node(), b.node()]
                    .into_iter()
                    .filter(|n| !self.variables.contains_key(n))
                    .collect();
                if !open.is_empty() {
                    stack.extend(open);
                    continue;
                }
            }
            let v = SolverLit::new(self.solver.new_var_default(), true);
            match below {
                Some((a, b)) => {
                    let (x, y) = (self.known(a), self.known(b));
                    self.solver.add_clause_reuse(&mut vec![!v, x]);
                    self.solver.add_clause_reuse(&mut vec![!v, y]);
                    self.solver.add_clause_reuse(&mut vec![v, !x, !y]);
                }
                None if node == 0 => {
                    self.solver.add_clause_reuse(&mut vec![!v]);
                }
                None => {}
            }
            self.variables.insert(node, v);
            stack.pop();
        }
        self.known(root)
    }

    fn known(&self, lit: Lit) -> SolverLit {
        let v = self.variables[&lit.node()];
        if lit.is_complement() { !v } else { v }
    }

    /// Whether functions can hold together.
    fn possible(&mut self, roots: &[Lit]) -> bool {
        let assumptions: Vec<SolverLit> = roots.iter().map(|&r| self.literal(r)).collect();
        self.solver.solve_limited(&assumptions) != lbool::FALSE
    }
}

/// Checks that a proof shows that nothing bad happens.
pub fn check(
    graph: &mut Graph,
    bads: &[Bad],
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Refusal> {
    let wrong = |what: String| Err(Refusal::Wrong(what));
    if proof.clauses.len() != graph.nodes.len() {
        return wrong("it is about other places than the program has".to_owned());
    }
    if !proof.clauses.first().is_none_or(Vec::is_empty) {
        return wrong("it supposes something at the start".to_owned());
    }
    for (node, clauses) in graph.nodes.iter().zip(&proof.clauses) {
        for (pred, _) in clauses.iter().flatten() {
            if !pred.fits(&node.variables) {
                return wrong(format!("{}: it speaks of what is not there", node.name));
            }
        }
    }
    // What holds at each place, and what must hold after each edge.
    let mut holds = Vec::new();
    for (node, clauses) in proof.clauses.iter().enumerate() {
        let words: Vec<Vec<Lit>> =
            graph.nodes[node].variables.iter().map(|v| v.bits.clone()).collect();
        let mut all = Vec::new();
        for clause in clauses {
            all.push(disjunction(&mut graph.aig, clause, &words));
        }
        holds.push(all);
    }
    let mut after: Vec<Vec<Lit>> = Vec::new();
    for edge in &graph.edges {
        let mut all = Vec::new();
        for clause in &proof.clauses[edge.to] {
            all.push(disjunction(&mut graph.aig, clause, &edge.values));
        }
        after.push(all);
    }
    // PC4: by place, what the calls of its block give.
    let mut passed: Vec<Vec<Lit>> = Vec::new();
    for node in &graph.nodes {
        let mut all = Vec::new();
        for call in &node.calls {
            let Some(clauses) = proof.clauses.get(call.node) else {
                return wrong("something is called that is not there".to_owned());
            };
            for clause in clauses {
                let lit = disjunction(&mut graph.aig, clause, &call.values);
                all.push(graph.aig.or(!call.when, lit));
            }
        }
        passed.push(all);
    }
    let shared: &Graph = graph;
    for (node, holding) in holds.iter().enumerate() {
        // A solver for what starts at the place.
        let watched = budget.clone();
        let stop = Watch(Arc::new(move || watched.poll().is_err()));
        let solver = Solver::new(SolverOpts::default(), stop);
        let variables = FxHashMap::default();
        let mut checker = Checker { aig: &shared.aig, solver, variables };
        for &lit in holding.iter().chain(&passed[node]) {
            let lit = checker.literal(lit);
            checker.solver.add_clause_reuse(&mut vec![lit]);
        }
        for (e, edge) in shared.edges.iter().enumerate().filter(|(_, e)| e.from == node) {
            for (clause, &lit) in proof.clauses[edge.to].iter().zip(&after[e]) {
                budget.poll().map_err(Refusal::Stopped)?;
                if checker.possible(&[edge.guard, !lit]) {
                    budget.poll().map_err(Refusal::Stopped)?;
                    let to = &shared.nodes[edge.to];
                    let text = text(clause, &to.variables);
                    return wrong(format!("{}: {text} does not follow", to.name));
                }
            }
        }
        for bad in bads.iter().filter(|b| b.node == node) {
            budget.poll().map_err(Refusal::Stopped)?;
            if checker.possible(&[bad.guard]) {
                budget.poll().map_err(Refusal::Stopped)?;
                let what = "it does not exclude what was asked about";
                return wrong(format!("{}: {what}", shared.nodes[node].name));
            }
        }
    }
    if bads.iter().any(|b| b.node >= shared.nodes.len()) {
        return wrong("something is asked about a place that is not there".to_owned());
    }
    Ok(())
}

fn disjunction(aig: &mut Aig, clause: &[Literal], words: &[Vec<Lit>]) -> Lit {
    let mut any = Lit::FALSE;
    for (pred, value) in clause {
        let lit = pred.build(aig, words);
        any = aig.or(any, if *value { lit } else { !lit });
    }
    any
}

/// A clause as an expression of C.
pub fn text(clause: &[Literal], variables: &[crate::graph::Variable]) -> String {
    if clause.is_empty() {
        return "0".to_owned();
    }
    let parts: Vec<String> = clause.iter().map(|(p, v)| p.text(*v, variables)).collect();
    parts.join(" || ")
}
