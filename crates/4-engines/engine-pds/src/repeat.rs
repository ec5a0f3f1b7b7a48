//! Repeat goals ([moped §2, §4.2, §5]): from heads and path edges to hulls, or to the ranks that show
//! that there are none.

use crate::heads::{Graph, How, Shape, everything, is_cyclic};
use crate::lasso::Hull;
use crate::marked::{Marked, Meets};
use crate::system::System;
use bdd::{Bdd, Stop};
use check::StopReason;
use ir::{EdgeKind, IndexVec, MarkSet, NodeId, ProcId, Program};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symbolic::{Compiled, Halt, Rings};

/// How repeating heads are found inside a rough component.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Heads {
    /// The relation between heads that can reach each other, saturated ([moped §4.2]).
    Saturation,
    /// What cannot repeat is removed from the head graph until nothing changes.
    Elimination,
    /// The same, first within frames, then from frame to frame.
    #[default]
    Frames,
}

/// Path edges (over `Entry` and `Pre`), as far as they are known.
pub(crate) struct Paths {
    pub(crate) of: IndexVec<NodeId, Bdd>,
    known: IndexVec<ProcId, bool>,
}

impl Paths {
    /// All that can be reached.
    pub(crate) fn reachable(program: &Program, of: IndexVec<NodeId, Bdd>) -> Paths {
        Paths { of, known: IndexVec::filled(true, program.procs.len()) }
    }
    /// From every entry valuation, made where they are needed.
    pub(crate) fn unrestricted(program: &Program) -> Paths {
        Paths {
            of: IndexVec::filled(Bdd::FALSE, program.nodes.len()),
            known: IndexVec::filled(false, program.procs.len()),
        }
    }
}

/// Heads that no edge leaves upwards, and the mark that no edge among them carries.
pub(crate) type RankOf = (u32, Vec<(NodeId, Bdd)>);

/// Path edges and summaries of runs that carry a mark.
pub(crate) type MarkedRuns = (IndexVec<NodeId, Bdd>, IndexVec<ProcId, Bdd>);

/// A repeat goal being answered.
pub(crate) struct Repeat {
    /// At least 1.
    pub(crate) marks: u32,
    /// The heads that are looked at, over `Pre`.
    heads: IndexVec<NodeId, Bdd>,
    pub(crate) paths: Paths,
    meets: Vec<Meets>,
    /// For each mark, the procedures whose marked runs are known, and their marked path edges.
    wanted: Vec<IndexVec<ProcId, bool>>,
    pub(crate) marked: Vec<IndexVec<NodeId, Bdd>>,
    /// Visiting order of nodes.
    place: IndexVec<NodeId, u32>,
    rough: bool,
    how: Heads,
}

impl Repeat {
    /// `heads` and `paths` must stay in use elsewhere, or be pinned.
    pub(crate) fn new(
        s: &mut System,
        marks: u32,
        heads: IndexVec<NodeId, Bdd>,
        paths: Paths,
        rough: bool,
        how: Heads,
    ) -> Result<Repeat, Halt> {
        if marks > ir::MAX_MARKS {
            let what = format!("{marks} marks: an edge has room for {}", ir::MAX_MARKS);
            return Err(Halt::Budget(StopReason::Unsupported { what }));
        }
        let program = s.program.clone();
        s.marks = marks;
        s.pinned.extend(heads.iter().chain(paths.of.iter()));
        let marks = marks.max(1);
        let meets: Vec<Meets> =
            (0..marks).map(|i| Meets::new(&program, |e| s.carries(e, i))).collect();
        s.marked = meets
            .iter()
            .map(|meets| {
                let known = |p| match (meets.may[p], meets.avoids_through[p]) {
                    (false, _) => Marked::Never,
                    (true, false) => Marked::Always,
                    (true, true) => Marked::Open,
                };
                program.procs.ids().map(known).collect()
            })
            .collect();
        let none = IndexVec::filled(false, program.procs.len());
        let nowhere = IndexVec::filled(Bdd::FALSE, program.nodes.len());
        // Callers first, callees last; weak topological order inside.
        let order = analysis::weak_topological_order(&program);
        let mut rank = IndexVec::filled(0usize, program.procs.len());
        for (i, proc) in analysis::call_order(&program).into_iter().flatten().enumerate() {
            rank[proc] = i;
        }
        let mut sorted: Vec<NodeId> = program.nodes.ids().collect();
        sorted.sort_by_key(|&n| (Reverse(rank[program.nodes[n].proc]), order[n]));
        let mut place = IndexVec::filled(0, program.nodes.len());
        for (at, &node) in sorted.iter().enumerate() {
            place[node] = at as u32;
        }
        Ok(Repeat {
            marks,
            heads,
            paths,
            meets,
            wanted: vec![none; marks as usize],
            marked: vec![nowhere; marks as usize],
            place,
            rough,
            how,
        })
    }

    fn all_marks(&self) -> MarkSet {
        ir::all_marks(self.marks)
    }

    fn places(&self, g: &Graph) -> Vec<u32> {
        g.vertices.iter().map(|&n| self.place[n]).collect()
    }

    /// Parts of the head graph from which loops with every mark can be reached, without leaving
    /// them: all, or the first that is found.
    pub(crate) fn hulls(&mut self, s: &mut System, all: bool) -> Result<Vec<Hull>, Halt> {
        let graphs = match self.how {
            Heads::Frames => {
                let frame = s.head_graph(Shape::Frame, &self.heads, &self.meets)?;
                let recursive = recursive_procs(&s.program);
                self.find_paths(s, &recursive)?;
                vec![frame, s.entry_graph(&self.paths.of, &self.meets)?]
            }
            _ => vec![s.head_graph(Shape::Heads, &self.heads, &self.meets)?],
        };
        let mut parts: Vec<Graph> = Vec::new();
        for g in &graphs {
            let components = if self.rough { g.components() } else { everything(g) };
            parts.extend(
                components
                    .iter()
                    .filter(|vertices| is_cyclic(g, vertices))
                    .map(|vertices| g.part(vertices)),
            );
        }
        parts.retain(|g| g.all_marks() & self.all_marks() == self.all_marks());
        s.pinned.extend(parts.iter().flat_map(Graph::roots));
        drop(graphs);
        self.find_marks(s, &parts)?;
        let mut hulls = Vec::new();
        for mut g in parts {
            s.fill_marks(&mut g, &self.marked)?;
            if g.all_marks() & self.all_marks() != self.all_marks() {
                continue;
            }
            s.effort.components += 1;
            let place = self.places(&g);
            // On a full table: collect, try once more, then report.
            let states = match self.search(s, &g, &place) {
                Err(Halt::Diagrams(Stop::Nodes)) => {
                    s.collect(g.roots().collect::<Vec<Bdd>>());
                    self.search(s, &g, &place)?
                }
                other => other?,
            };
            if states.iter().any(|z| !z.is_false()) {
                let hull = Hull { graph: g, states, place };
                s.pinned.extend(hull.roots());
                hulls.push(hull);
                if !all {
                    break;
                }
            }
        }
        Ok(hulls)
    }

    /// The repeating heads of a graph, or its hull.
    fn search(&self, s: &mut System, g: &Graph, place: &[u32]) -> Result<Vec<Bdd>, Halt> {
        match self.how {
            Heads::Saturation => s.repeating(g, self.marks, place),
            Heads::Elimination | Heads::Frames => s.hull(g, self.marks, place),
        }
    }

    /// Finds the runs with marks that the edges of some graphs leave open.
    fn find_marks(&mut self, s: &mut System, graphs: &[Graph]) -> Result<(), Halt> {
        let program = s.program.clone();
        for mark in 0..self.marks {
            let i = mark as usize;
            let mut wanted = self.wanted[i].clone();
            let mut work: Vec<ProcId> = Vec::new();
            for edge in graphs.iter().flat_map(|g| &g.edges).filter(|e| e.may >> mark & 1 == 1) {
                match (&edge.how, &program.edges[edge.edge].kind) {
                    (How::Through(_), _) => {
                        work.push(program.nodes[program.edges[edge.edge].source].proc);
                    }
                    (How::Jump, EdgeKind::Call(call)) => work.push(call.callee),
                    _ => {}
                }
            }
            while let Some(proc) = work.pop() {
                if std::mem::replace(&mut wanted[proc], true) {
                    continue;
                }
                for node in program.procs[proc].node_ids() {
                    for e in program.out_edges(node) {
                        if let EdgeKind::Call(call) = &program.edges[e].kind
                            && !s.carries(e, mark)
                            && self.meets[i].is_open(call.callee)
                        {
                            work.push(call.callee);
                        }
                    }
                }
            }
            if wanted == self.wanted[i] {
                continue;
            }
            self.find_paths(s, &wanted)?;
            self.marked[i] = s.mark_runs(mark, &wanted, &self.paths.of)?;
            s.pinned.extend(self.marked[i].iter());
            self.wanted[i] = wanted;
        }
        Ok(())
    }

    /// Makes the path edges of some procedures known: by all summaries, from all entries.
    fn find_paths(&mut self, s: &mut System, procs: &IndexVec<ProcId, bool>) -> Result<(), Halt> {
        let program = s.program.clone();
        for proc in program.procs.ids().filter(|&p| procs[p]) {
            if std::mem::replace(&mut self.paths.known[proc], true) {
                continue;
            }
            let entry = program.procs[proc].entry;
            let mut new: IndexVec<NodeId, Bdd> = IndexVec::filled(Bdd::FALSE, program.nodes.len());
            let start = s.identity(proc)?;
            let mut queue = BinaryHeap::from([Reverse((self.place[entry], entry))]);
            new[entry] = start;
            self.paths.of[entry] = start;
            while let Some(Reverse((_, node))) = queue.pop() {
                s.budget.work(1)?;
                let states = std::mem::replace(&mut new[node], Bdd::FALSE);
                for e in program.out_edges(node) {
                    if s.covered(e)? {
                        continue;
                    }
                    let (target, after) = match s.compile(e)? {
                        Compiled::Local(step) => {
                            let target = program.edges[e].target().expect("a step has a target");
                            (target, s.step(step, states)?)
                        }
                        Compiled::Call(site) => {
                            let site = s.sites[site as usize];
                            let called = s.m.image(states, site.rel.enter, site.rel.call)?;
                            let pairs = s.summaries[site.callee].all;
                            (site.ret, s.jump(site.rel, called, pairs)?)
                        }
                        Compiled::Return(_) | Compiled::Not => continue,
                    };
                    let fresh = s.m.diff(after, self.paths.of[target])?;
                    if fresh.is_false() {
                        continue;
                    }
                    if new[target].is_false() {
                        queue.push(Reverse((self.place[target], target)));
                    }
                    new[target] = s.m.or(new[target], fresh)?;
                    self.paths.of[target] = s.m.or(self.paths.of[target], fresh)?;
                }
                if s.want_collection() {
                    let roots = new.iter().chain(self.paths.of.iter());
                    s.collect(roots.copied().collect::<Vec<Bdd>>());
                }
            }
            let found = program.procs[proc].node_ids().map(|n| self.paths.of[n]);
            s.pinned.extend(found);
        }
        Ok(())
    }

    /// Ranks of all heads, from the lowest up, for a goal that has no hull: elimination in rounds,
    /// each of which removes the heads that cannot reach one of the marks. `None` if there would be
    /// more than so many.
    pub(crate) fn ranks(
        &mut self,
        s: &mut System,
        limit: usize,
    ) -> Result<Option<Vec<RankOf>>, Halt> {
        let graph = s.head_graph(Shape::Heads, &self.heads, &self.meets)?;
        let components = graph.components();
        // Edges between components lead to lower levels.
        let mut level_of = vec![0usize; graph.vertices.len()];
        let mut levels: Vec<(Vec<usize>, Vec<Graph>)> = Vec::new();
        for vertices in &components {
            let targets = vertices.iter().flat_map(|&v| &graph.out[v]).map(|&e| graph.edges[e].to);
            let outside = targets.filter(|to| vertices.binary_search(to).is_err());
            let level = outside.map(|to| level_of[to] + 1).max().unwrap_or(0);
            for &v in vertices {
                level_of[v] = level;
            }
            if levels.len() <= level {
                levels.resize_with(level + 1, Default::default);
            }
            match is_cyclic(&graph, vertices) {
                true => levels[level].1.push(graph.part(vertices)),
                false => levels[level].0.extend(vertices),
            }
        }
        if levels.len() > limit {
            return Ok(None);
        }
        s.pinned.extend(graph.roots());
        for (_, cyclic) in &levels {
            self.find_marks(s, cyclic)?;
        }
        let mut ranks: Vec<RankOf> = Vec::new();
        for (single, cyclic) in &levels {
            if !single.is_empty() {
                let mut heads: Vec<(NodeId, Bdd)> =
                    single.iter().map(|&v| (graph.vertices[v], graph.states[v])).collect();
                heads.sort_unstable_by_key(|h| h.0);
                ranks.push((0, heads));
            }
            for g in cyclic {
                if !self.rank_component(s, g, &mut ranks, limit)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(ranks))
    }

    fn rank_component(
        &self,
        s: &mut System,
        g: &Graph,
        ranks: &mut Vec<RankOf>,
        limit: usize,
    ) -> Result<bool, Halt> {
        let place = self.places(g);
        let mut z = g.states.clone();
        let (mut mark, mut idle) = (0, 0);
        while z.iter().any(|z| !z.is_false()) {
            let kept = s.can_reach_mark(g, &z, mark, &place)?;
            let mut heads = Vec::new();
            for v in 0..z.len() {
                let removed = s.m.diff(z[v], kept[v])?;
                if !removed.is_false() {
                    heads.push((g.vertices[v], removed));
                }
            }
            z = kept;
            if heads.is_empty() {
                idle += 1;
                if idle == self.marks {
                    return Err(Halt::internal("elimination found a hull where there is none"));
                }
            } else {
                idle = 0;
                heads.sort_unstable_by_key(|h| h.0);
                s.pinned.extend(heads.iter().map(|h| h.1));
                ranks.push((mark, heads));
                if ranks.len() > limit {
                    return Ok(false);
                }
            }
            mark = (mark + 1) % self.marks;
        }
        Ok(true)
    }

    /// For each mark, path edges and summaries that contain all that runs with the mark reach.
    pub(crate) fn marked_claims(&self, s: &System) -> Vec<MarkedRuns> {
        let program = &s.program;
        (0..self.marks as usize)
            .map(|i| {
                let path =
                    program.nodes.enumerate().map(|(n, node)| match s.marked[i][node.proc] {
                        _ if self.wanted[i][node.proc] => self.marked[i][n],
                        Marked::Never => Bdd::FALSE,
                        _ => self.paths.of[n],
                    });
                let summary = program.procs.ids().map(|p| match &s.marked[i][p] {
                    Marked::Never => Bdd::FALSE,
                    Marked::Exact(summary) => summary.all,
                    Marked::Always | Marked::Open => s.summaries[p].all,
                });
                (path.collect(), summary.collect())
            })
            .collect()
    }
}

/// The procedures that can call themselves, if only by way of others.
fn recursive_procs(program: &Program) -> IndexVec<ProcId, bool> {
    let mut out = IndexVec::filled(false, program.procs.len());
    for group in analysis::call_order(program) {
        for &proc in &group {
            out[proc] = group.len() > 1;
        }
    }
    for edge in program.edges.iter() {
        if let EdgeKind::Call(call) = &edge.kind {
            out[call.callee] |= program.nodes[edge.source].proc == call.callee;
        }
    }
    out
}

impl System {
    /// All valuations of all nodes of some procedures.
    pub(crate) fn all_heads(&self, procs: &IndexVec<ProcId, bool>) -> IndexVec<NodeId, Bdd> {
        self.program.nodes.iter().map(|node| procs[node.proc].into()).collect()
    }
}
