//! A transition system in which calls come back to where they were made, for methods that know only transitions.
//!
//! Each state is there twice, for the contexts `UP` and `DOWN` of `flow.rs`: a call leads `DOWN`, the end of a function
//! leads to its callers `UP` only. Ways around calls tell the summaries: one for what the callee does not change, and
//! one for each variable that matters behind the call and is changed.

use crate::flow::{CONTROL, Flow, earlier_than};
use crate::graph::{Graph, Label};

/// The graph of a dataflow's summaries. The first states are those of its graph, `UP`.
pub(crate) fn expanded(flow: &Flow<'_>) -> Graph {
    let graph = flow.graph;
    let n = graph.states();
    if !flow.matched || graph.sites.is_empty() {
        return graph.clone();
    }
    let mut out: Vec<(u32, Label, u32)> = Vec::new();
    let mut states = 2 * n;
    let ends: rustc_hash::FxHashSet<u32> = graph.exits.iter().flatten().copied().collect();
    for from in 0..n {
        if ends.contains(&from) {
            continue;
        }
        for &(label, to) in graph.from(from) {
            let call = from != 0 && flow.entry_of.contains_key(&to);
            out.push((from, label, if call { n + to } else { to }));
            out.push((n + from, label, n + to));
        }
    }
    let mut asked: Vec<(u32, u32, u32)> =
        flow.asked.iter().map(|(&(f, v), &context)| (f, v, context)).collect();
    asked.sort_unstable();
    // Nobody asks for what does not matter behind a call.
    let sets = flow.sets();
    for site in &graph.sites {
        let automatic = |v: &u32| graph.variables[*v as usize].automatic;
        let variables = sets[site.after as usize].iter().copied();
        // To the end of the callee comes what outlives its frame.
        if let Some(end) = graph.exits[site.callee as usize] {
            let kills = variables.clone().filter(|&v| !flow.comes_back(site.callee, v));
            let kills = kills.map(|v| vec![Label::Assign(v, None)]).collect();
            sequence(&mut out, &mut states, end, kills, site.after);
        }
        let changed: Vec<u32> =
            variables.clone().filter(|&v| flow.changes(site.callee, v)).collect();
        for copy in [0, n] {
            let (from, after) = (copy + site.from, copy + site.after);
            // Locals of the frame that waits.
            let kills = variables.clone().filter(|&v| flow.comes_back(site.callee, v));
            let kills = kills.map(|v| vec![Label::Assign(v, None)]);
            let stages = site.saved.iter().cloned().chain(kills).collect();
            sequence(&mut out, &mut states, from, stages, after);
            // What the callee does not change.
            let kills = variables.clone().filter(|v| automatic(v) || changed.contains(v));
            let kills = kills.map(|v| vec![Label::Assign(v, None)]);
            let stages = site.enter.iter().cloned().chain(kills).collect();
            sequence(&mut out, &mut states, from, stages, after);
            for &(callee, v, context) in &asked {
                let matters = sets[site.after as usize].binary_search(&v).is_ok();
                if callee != site.callee || v == CONTROL || !matters {
                    continue;
                }
                let answers = flow.answers[context as usize].iter();
                let mut sources: Vec<u32> =
                    answers.flat_map(|&u| earlier_than(&site.enter, u)).collect();
                sources.sort_unstable();
                sources.dedup();
                let mut stages = vec![Vec::new()];
                stages[0].extend(sources.iter().map(|&w| Label::Assign(v, Some(w))));
                if stages[0].is_empty() {
                    stages[0].push(Label::Assign(v, None));
                }
                let kills = variables.clone().filter(|&w| w != v);
                stages.extend(kills.map(|w| vec![Label::Assign(w, None)]));
                sequence(&mut out, &mut states, from, stages, after);
            }
        }
    }
    let mut found = Graph::of(
        graph.variables.clone(),
        graph.functions.clone(),
        graph.files.clone(),
        graph.points.clone(),
        states,
        &out,
    );
    found.jumps = graph.jumps;
    found
}

fn sequence(
    out: &mut Vec<(u32, Label, u32)>,
    states: &mut u32,
    from: u32,
    stages: Vec<Vec<Label>>,
    to: u32,
) {
    let stages: Vec<Vec<Label>> = stages.into_iter().filter(|s| !s.is_empty()).collect();
    if stages.is_empty() {
        return out.push((from, Label::Silent, to));
    }
    let last = stages.len() - 1;
    let mut at = from;
    for (i, stage) in stages.into_iter().enumerate() {
        let next = match i == last {
            true => to,
            false => {
                *states += 1;
                *states - 1
            }
        };
        out.extend(stage.into_iter().map(|label| (at, label, next)));
        at = next;
    }
}
