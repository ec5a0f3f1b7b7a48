//! Components: states that lead nowhere go, and marks that decide nothing go.

use super::TranslateError;
use super::graph::{Edge, Graph};
use super::nnf::Ctx;
use crate::components::Components;
use crate::marks::Marks;
use bdd::Bdd;

/// The part of the automaton that accepting runs can use. Edges outside accepting components
/// lose their marks, for no accepting run meets them infinitely often.
pub(super) fn prune(ctx: &mut Ctx, graph: &Graph) -> Result<Graph, TranslateError> {
    let mut graph = trim(ctx, graph)?;
    let found = graph.components();
    let accepting = accepting(&graph, &found);
    for (state, edges) in graph.out.iter_mut().enumerate() {
        let component = found.of[state];
        for edge in edges {
            if component != found.of[edge.to as usize] || !accepting[component as usize] {
                edge.unmark();
            }
        }
    }
    graph.merge_edges(ctx)?;
    Ok(graph)
}

/// The states that lie on accepting runs; one state without edges if there are none.
pub(super) fn trim(ctx: &mut Ctx, graph: &Graph) -> Result<Graph, TranslateError> {
    let found = graph.components();
    // Components are numbered so that edges lead to equal or smaller numbers.
    let mut useful = accepting(graph, &found);
    let mut members = vec![Vec::new(); useful.len()];
    for (state, &component) in found.of.iter().enumerate() {
        if component != u32::MAX {
            members[component as usize].push(state);
        }
    }
    for (component, states) in members.iter().enumerate() {
        let leads_on = |&state: &usize| {
            graph.out[state].iter().any(|edge| useful[found.of[edge.to as usize] as usize])
        };
        if !useful[component] {
            useful[component] = states.iter().any(leads_on);
        }
    }
    if !useful[found.of[graph.initial as usize] as usize] {
        return Ok(Graph::empty());
    }
    let mut states = 0;
    let map: Vec<u32> = found
        .of
        .iter()
        .map(|&component| {
            if component == u32::MAX || !useful[component as usize] {
                return u32::MAX;
            }
            states += 1;
            states - 1
        })
        .collect();
    graph.rename(ctx, &map, states as usize)
}

/// Which components contain an accepting cycle.
pub(super) fn accepting(graph: &Graph, found: &Components<Marks>) -> Vec<bool> {
    let all = graph.all();
    let accepts = |inside: &Option<Marks>| inside.as_ref().is_some_and(|marks| marks.covers(&all));
    found.inside.iter().map(accepts).collect()
}

/// The same automaton with as few marks as each component's cycles need. Expects a pruned one.
///
/// In a component, a mark is not needed if another needed one comes with it everywhere. The
/// needed ones are renumbered in each component on its own; components that need fewer than
/// others carry the rest everywhere.
pub(super) fn simplify_marks(ctx: &mut Ctx, graph: &Graph) -> Result<Graph, TranslateError> {
    let found = graph.components();
    let accepting = accepting(graph, &found);
    let count = found.inside.len();
    // The edges inside of each component.
    let mut inside: Vec<Vec<&Edge>> = vec![Vec::new(); count];
    let mut rejecting_cycle = false;
    for (state, edges) in graph.out.iter().enumerate() {
        let component = found.of[state];
        for edge in edges {
            if component != u32::MAX && component == found.of[edge.to as usize] {
                inside[component as usize].push(edge);
                rejecting_cycle |= !accepting[component as usize];
            }
        }
    }
    let mut needed: Vec<Vec<u32>> = Vec::with_capacity(count);
    for (component, edges) in inside.iter().enumerate() {
        needed.push(match accepting[component] {
            true => needed_marks(ctx, graph.marks, edges)?,
            false => Vec::new(),
        });
    }
    let most = needed.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let marks = if rejecting_cycle { most.max(1) } else { most };
    let mut result = graph.clone();
    result.marks = marks;
    for (state, edges) in result.out.iter_mut().enumerate() {
        let component = found.of[state];
        for edge in edges {
            let inside = component != u32::MAX && component == found.of[edge.to as usize];
            let kept: Vec<Bdd> = match inside && accepting[component as usize] {
                true => {
                    needed[component as usize].iter().map(|&m| edge.marks[m as usize]).collect()
                }
                false => vec![Bdd::FALSE; marks as usize],
            };
            edge.marks = kept;
            edge.marks.resize(marks as usize, edge.label);
        }
    }
    result.merge_edges(ctx)?;
    Ok(result)
}

/// Marks such that a cycle has all marks if it has these.
fn needed_marks(ctx: &mut Ctx, marks: u32, edges: &[&Edge]) -> Result<Vec<u32>, TranslateError> {
    let everywhere: Vec<bool> =
        (0..marks as usize).map(|a| edges.iter().all(|edge| edge.marks[a] == edge.label)).collect();
    // `a` follows from `b` if every edge has `a` with the letters with which it has `b`.
    let mut follows = vec![vec![false; marks as usize]; marks as usize];
    for a in 0..marks as usize {
        for b in (0..marks as usize).filter(|&b| a != b && !everywhere[a] && !everywhere[b]) {
            ctx.limits.poll()?;
            let mut all = true;
            for edge in edges {
                all = all && ctx.bdd.leq(edge.marks[b], edge.marks[a])?;
            }
            follows[a][b] = all;
        }
    }
    let needed = |&a: &u32| {
        let a = a as usize;
        let follows_from = |b: usize| follows[a][b] && !(a < b && follows[b][a]);
        !everywhere[a] && !(0..marks as usize).any(follows_from)
    };
    Ok((0..marks).filter(needed).collect())
}
