//! Components: states that lead nowhere go, and marks that decide nothing go.

use super::TranslateError;
use super::graph::Graph;
use super::nnf::Ctx;
use crate::components::Components;
use crate::tgba::all_marks;

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
                edge.marks = 0;
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
pub(super) fn accepting(graph: &Graph, found: &Components<u32>) -> Vec<bool> {
    let all = graph.all();
    found.inside.iter().map(|inside| inside.is_some_and(|marks| marks & all == all)).collect()
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
    // inside[c][m]: the sets of marks on the edges of component c, each once.
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut rejecting_cycle = false;
    for (state, edges) in graph.out.iter().enumerate() {
        let component = found.of[state];
        for edge in edges {
            if component != u32::MAX && component == found.of[edge.to as usize] {
                sets[component as usize].push(edge.marks);
                rejecting_cycle |= !accepting[component as usize];
            }
        }
    }
    let needed: Vec<Vec<u32>> = sets
        .iter_mut()
        .enumerate()
        .map(|(component, sets)| {
            sets.sort_unstable();
            sets.dedup();
            if accepting[component] { needed_marks(graph.marks, sets) } else { Vec::new() }
        })
        .collect();
    let most = needed.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let marks = if rejecting_cycle { most.max(1) } else { most };
    let mut result = graph.clone();
    result.marks = marks;
    for (state, edges) in result.out.iter_mut().enumerate() {
        let component = found.of[state];
        for edge in edges {
            let inside = component != u32::MAX && component == found.of[edge.to as usize];
            edge.marks = if inside && accepting[component as usize] {
                let needed = &needed[component as usize];
                let kept = needed.iter().enumerate().map(|(i, &m)| (edge.marks >> m & 1) << i);
                kept.fold(all_marks(marks) & !all_marks(needed.len() as u32), |a, b| a | b)
            } else {
                0
            };
        }
    }
    result.merge_edges(ctx)?;
    Ok(result)
}

/// Marks such that a cycle has all marks if it has these.
fn needed_marks(marks: u32, sets: &[u32]) -> Vec<u32> {
    // `a` follows from `b` if every edge with `b` has `a`.
    let follows = |a: u32, b: u32| sets.iter().all(|set| set >> b & 1 == 0 || set >> a & 1 == 1);
    let everywhere = |a: u32| sets.iter().all(|set| set >> a & 1 == 1);
    (0..marks)
        .filter(|&a| {
            let follows_from =
                |b: u32| b != a && !everywhere(b) && follows(a, b) && !(a < b && follows(b, a));
            !everywhere(a) && !(0..marks).any(follows_from)
        })
        .collect()
}
