//! From generalised Büchi automata to Büchi automata with marks on states.
//!
//! A copy of the automaton for each mark waits for that mark, and the last copy, which accepts,
//! for none: a step goes on past all copies whose marks it has (Giannakopoulou and Lerda, FORTE 2002). Only
//! accepting components are copied, and a run may enter one in any copy. Entering in the first
//! or in the last one, and waiting for the marks in either order, can differ in size: the best of
//! these is kept.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::graph::{Edge, Graph};
use super::limits::Limits;
use super::nnf::Ctx;
use super::simulation::{Direction, simulate};
use super::{Options, TranslateError, prune};
use crate::tgba::Tgba;

/// The same language with one mark, which all transitions of a state have or none; reduced by
/// direct simulation if the options ask for simulation.
pub fn degeneralize(automaton: &Tgba, options: &Options) -> Result<Tgba, TranslateError> {
    let limits = Limits::new(options.max_states, options.max_nodes, options.keep_going.clone());
    let mut ctx = Ctx::new(automaton.atoms.len() as u32, limits, false);
    let ctx = &mut ctx;
    let graph = Graph::import(ctx, automaton)?;
    let graph = prune::trim(ctx, &graph)?;
    let mut best: Option<Graph> = None;
    for first in [false, true] {
        for backwards in [false, true] {
            if backwards && graph.marks < 2 {
                continue;
            }
            let mut copied = copies(ctx, &graph, first, backwards)?;
            if options.simulation {
                loop {
                    let before = (copied.states(), copied.edges());
                    copied = simulate(ctx, &copied, Direction::Direct)?;
                    copied = by_state(ctx, &copied)?;
                    if (copied.states(), copied.edges()) == before {
                        break;
                    }
                }
            }
            if best.as_ref().is_none_or(|best| copied.states() < best.states()) {
                best = Some(copied);
            }
        }
    }
    let best = best.expect("at least two variants were made");
    best.renumber(ctx)?.export(ctx, automaton.atoms.clone())
}

/// The copies: runs enter a component in the `first` or in the last copy, and copies wait for the
/// marks in ascending order or `backwards`.
fn copies(
    ctx: &mut Ctx,
    graph: &Graph,
    first: bool,
    backwards: bool,
) -> Result<Graph, TranslateError> {
    let found = graph.components();
    let accepting = prune::accepting(graph, &found);
    let last = graph.marks;
    let entry = |state: u32| {
        let copied = accepting[found.of[state as usize] as usize];
        if copied && !first { last } else { 0 }
    };
    let mark_of = |copy: u32| if backwards { last - 1 - copy } else { copy };
    let mut states = vec![(graph.initial, entry(graph.initial))];
    let mut index: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    index.insert(states[0], 0);
    let mut out: Vec<Vec<Edge>> = Vec::new();
    while let Some(&(state, copy)) = states.get(out.len()) {
        ctx.limits.poll()?;
        let component = found.of[state as usize];
        let mut edges = Vec::with_capacity(graph.out[state as usize].len());
        // The mark is the state's: without marks to wait for, each component accepts.
        let accepts = copy == last && accepting[component as usize];
        for edge in &graph.out[state as usize] {
            let inside = component == found.of[edge.to as usize] && accepting[component as usize];
            let mut add = |ctx: &mut Ctx, label: Bdd, next: u32| -> Result<(), TranslateError> {
                let fresh = states.len() as u32;
                let to = *index.entry((edge.to, next)).or_insert(fresh);
                if to == fresh {
                    states.push((edge.to, next));
                    ctx.limits.states(states.len())?;
                }
                edges.push(Edge {
                    label,
                    to,
                    marks: vec![if accepts { label } else { Bdd::FALSE }],
                });
                Ok(())
            };
            if !inside {
                add(ctx, edge.label, entry(edge.to))?;
                continue;
            }
            let mut next = if copy == last { 0 } else { copy };
            let mut label = edge.label;
            while next < last {
                let stays = ctx.bdd.diff(label, edge.marks[mark_of(next) as usize])?;
                if !stays.is_false() {
                    add(ctx, stays, next)?;
                }
                label = ctx.bdd.diff(label, stays)?;
                next += 1;
            }
            if !label.is_false() {
                add(ctx, label, last)?;
            }
        }
        out.push(edges);
    }
    by_state(ctx, &Graph { initial: 0, out, marks: 1 })
}

/// Trims, and unmarks the states outside accepting components. All edges of a state keep equal
/// marks; states that simulate each other have them, so that uniting these keeps it so.
fn by_state(ctx: &mut Ctx, graph: &Graph) -> Result<Graph, TranslateError> {
    let mut graph = prune::trim(ctx, graph)?;
    // Where nothing is accepted, trimming leaves no mark.
    graph.marks = 1;
    let found = graph.components();
    let accepting = prune::accepting(&graph, &found);
    for (state, edges) in graph.out.iter_mut().enumerate() {
        if !accepting[found.of[state] as usize] {
            edges.iter_mut().for_each(Edge::unmark);
        }
    }
    graph.merge_edges(ctx)?;
    Ok(graph)
}
