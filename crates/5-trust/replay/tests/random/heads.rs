//! The graph of heads, and what carries which marks, by plain iteration.

use super::generate::Rng;
use super::naive::{Reached, Values, join, successors};
use ir::{EdgeId, EdgeKind, NodeId};
use replay::machine::Role;
use std::collections::{BTreeMap, BTreeSet};

/// A head edge.
#[derive(Clone, Debug)]
pub(crate) struct HeadEdge {
    pub(crate) edge: EdgeId,
    /// The summary with which a call is passed over.
    pub(crate) summary: Option<usize>,
    pub(crate) to: usize,
    /// Marks that it can carry.
    pub(crate) marks: ir::MarkSet,
}

/// All heads.
pub(crate) struct Heads {
    pub(crate) list: Vec<(NodeId, Values)>,
    pub(crate) edges: Vec<Vec<HeadEdge>>,
    /// For each mark: items and summaries reached by runs that carried it.
    pub(crate) items: Vec<BTreeSet<usize>>,
    pub(crate) summaries: Vec<BTreeSet<usize>>,
}

impl Heads {
    pub(crate) fn new(reached: &Reached, marks: u32) -> Heads {
        let program = reached.program;
        let marked = (0..marks).map(|mark| carried(reached, mark)).collect::<Vec<_>>();
        let (items, summaries): (Vec<_>, Vec<_>) = marked.into_iter().unzip();
        let mut ids: BTreeMap<(NodeId, Values), usize> = BTreeMap::new();
        let mut list: Vec<(NodeId, Values)> = Vec::new();
        for item in &reached.items {
            let head = (item.node, item.state.clone());
            ids.entry(head.clone()).or_insert_with(|| {
                list.push(head);
                list.len() - 1
            });
        }
        let mut edges: Vec<Vec<HeadEdge>> = Vec::new();
        for (node, state) in &list {
            let proc = program.nodes[*node].proc;
            let mut out = Vec::new();
            for e in program.out_edges(*node) {
                let own = program.edges[e].marks;
                match &program.edges[e].kind {
                    EdgeKind::Return { .. } => {}
                    EdgeKind::Local { target, rel } => {
                        for (post, _) in successors(program, rel, Role::Local, proc, None, state) {
                            let to = ids[&(*target, post)];
                            out.push(HeadEdge { edge: e, summary: None, to, marks: own });
                        }
                    }
                    EdgeKind::Call(call) => {
                        let f = call.callee;
                        for (c, saved) in
                            successors(program, &call.enter, Role::Enter, proc, Some(f), state)
                        {
                            let to = ids[&(program.procs[f].entry, c.clone())];
                            out.push(HeadEdge { edge: e, summary: None, to, marks: own });
                            for &s in reached.exits.get(&(f, c)).into_iter().flatten() {
                                let pre = join(&reached.summaries[s].exit, &saved);
                                let inside = (0..marks)
                                    .filter(|&i| summaries[i as usize].contains(&s))
                                    .fold(0, |m, i| m | (1 as ir::MarkSet) << i);
                                for (post, _) in
                                    successors(program, &call.back, Role::Back, proc, Some(f), &pre)
                                {
                                    let to = ids[&(call.ret, post)];
                                    let marks = own | inside;
                                    out.push(HeadEdge { edge: e, summary: Some(s), to, marks });
                                }
                            }
                        }
                    }
                }
            }
            edges.push(out);
        }
        Heads { list, edges, items, summaries }
    }

    /// A cycle found by walking at random: where it starts, and its edges.
    pub(crate) fn cycle(&self, rng: &mut Rng) -> Option<(usize, Vec<HeadEdge>)> {
        let mut at = rng.below(self.list.len());
        let mut walk: Vec<(usize, HeadEdge)> = Vec::new();
        for _ in 0..20 {
            let out = &self.edges[at];
            if out.is_empty() {
                return None;
            }
            let edge = out[rng.below(out.len())].clone();
            let to = edge.to;
            walk.push((at, edge));
            if let Some(i) = walk.iter().position(|(from, _)| *from == to) {
                // Now and then once more around.
                let mut cycle: Vec<HeadEdge> = walk[i..].iter().map(|w| w.1.clone()).collect();
                if rng.chance(15) {
                    cycle.extend(cycle.clone());
                }
                return Some((to, cycle));
            }
            at = to;
        }
        None
    }

    /// Components, those that can be left only to earlier ones in the list first.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let n = self.list.len();
        let reach: Vec<BTreeSet<usize>> = (0..n)
            .map(|start| {
                let mut seen = BTreeSet::from([start]);
                let mut work = vec![start];
                while let Some(at) = work.pop() {
                    for edge in &self.edges[at] {
                        if seen.insert(edge.to) {
                            work.push(edge.to);
                        }
                    }
                }
                seen
            })
            .collect();
        let mut out: Vec<Vec<usize>> = Vec::new();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&h| reach[h].len());
        let mut done = vec![false; n];
        for h in order {
            if !done[h] {
                let component: Vec<usize> =
                    reach[h].iter().copied().filter(|&k| reach[k].contains(&h)).collect();
                for &k in &component {
                    done[k] = true;
                }
                out.push(component);
            }
        }
        out
    }

    /// The marks that edges inside a component can carry.
    pub(crate) fn inside(&self, component: &[usize]) -> (ir::MarkSet, bool) {
        let edges = component.iter().flat_map(|&h| &self.edges[h]);
        let within = edges.filter(|e| component.contains(&e.to));
        within.fold((0, false), |(marks, _), e| (marks | e.marks, true))
    }
}

/// Items and summaries that are reached by runs that carried the mark since their frame was
/// entered.
fn carried(reached: &Reached, mark: u32) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let program = reached.program;
    let (mut items, mut summaries) = (BTreeSet::new(), BTreeSet::new());
    loop {
        let before = (items.len(), summaries.len());
        for (id, item) in reached.items.iter().enumerate() {
            let to = |node: NodeId, post: Values| reached.ids[&(node, item.entry.clone(), post)];
            for e in program.out_edges(item.node) {
                let edge = &program.edges[e];
                let carries = items.contains(&id) || edge.marks >> mark & 1 == 1;
                match &edge.kind {
                    EdgeKind::Local { target, rel } if carries => {
                        let posts =
                            successors(program, rel, Role::Local, item.proc, None, &item.state);
                        items.extend(posts.into_iter().map(|(post, _)| to(*target, post)));
                    }
                    EdgeKind::Return { rel } if carries => {
                        let known = reached.exits.get(&(item.proc, item.entry.clone()));
                        for (exit, _) in
                            successors(program, rel, Role::Return, item.proc, None, &item.state)
                        {
                            let same = |s: &&usize| reached.summaries[**s].exit == exit;
                            summaries.extend(known.into_iter().flatten().find(same));
                        }
                    }
                    EdgeKind::Call(call) => {
                        let f = Some(call.callee);
                        let entered = successors(
                            program,
                            &call.enter,
                            Role::Enter,
                            item.proc,
                            f,
                            &item.state,
                        );
                        for (c, saved) in entered {
                            let known = reached.exits.get(&(call.callee, c));
                            for &s in known.into_iter().flatten() {
                                if !carries && !summaries.contains(&s) {
                                    continue;
                                }
                                let pre = join(&reached.summaries[s].exit, &saved);
                                let posts =
                                    successors(program, &call.back, Role::Back, item.proc, f, &pre);
                                items.extend(posts.into_iter().map(|(p, _)| to(call.ret, p)));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        if before == (items.len(), summaries.len()) {
            return (items, summaries);
        }
    }
}
