//! The head graph ([moped §4.2]), as diagrams, and its rough components ([moped §5]).
//!
//! A *head* is what decides how a run can go on as long as the stack is not lower than now: a node
//! with a valuation. Head edges are steps, calls into the callee, and calls passed over by a pair of
//! the callee's summary. An infinite run that takes each of some marks infinitely often exists iff
//! a reachable strongly connected component has, for each mark, an edge inside that can carry it.
//!
//! Every such component lies inside one or the other of two smaller graphs, since a run enters new
//! frames for ever, or at some point does so for the last time:
//!
//! - [`Shape::Frame`]: heads without the edges into callees. Its components lie within one
//!   procedure each.
//! - [`Shape::Entries`]: only heads at the entries of procedures, and an edge from the entry of a
//!   frame to that of the next one, for all that happens in between: path edges give it.
//!
//! The elimination of a recursion of depth d around a loop of length l takes d · l rounds on the
//! whole graph, and d + l on the two.

use crate::call::Stays;
use crate::marked::Meets;
use crate::system::System;
use bdd::{Bdd, SpecId};
use ir::{EdgeId, EdgeKind, IndexVec, MarkSet, NodeId, ProcId, VarId};
use std::rc::Rc;
use symbolic::{Compiled, Copy, Halt};

/// Counters of what repeat goals cost.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Effort {
    /// Rough components that were searched.
    pub(crate) components: u64,
    /// Removals (elimination), or visits (saturation).
    pub(crate) rounds: u64,
    /// Images and preimages under head edges.
    pub(crate) images: u64,
    /// Visits of nodes for marked summaries.
    pub(crate) marked: u64,
}

/// Which graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// All heads and head edges.
    Heads,
    /// Without edges into callees.
    Frame,
    /// From the entry of a frame to that of the next.
    Entries,
}

/// What a head edge is made of.
#[derive(Clone)]
pub(crate) enum How {
    /// A step inside the procedure.
    Step,
    /// Into the callee, never to return.
    Enter,
    /// Over a completed call.
    Jump,
    /// From the entry of a frame to the call that enters the next, and into it.
    Through(Rc<Through>),
}

/// All ways from the entries of one procedure by one call to those of another.
pub(crate) struct Through {
    /// From `Pre` to `Inner`; then the same by runs that carry each mark, where this is not known
    /// otherwise.
    rel: Bdd,
    marked: Vec<Bdd>,
    image: SpecId,
    prime: SpecId,
    pre_image: SpecId,
}

/// Many head edges at once: those that an edge of the program gives.
#[derive(Clone)]
pub(crate) struct HeadEdge {
    /// Vertices.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The edge of the program.
    pub(crate) edge: EdgeId,
    pub(crate) how: How,
    /// Marks that they carry in any case, a bit each.
    pub(crate) marks: MarkSet,
    /// Further marks that the run inside may carry.
    pub(crate) may: MarkSet,
    /// Another one does the same, without these marks.
    pub(crate) covered: bool,
}

/// A graph whose vertices stand for sets of heads.
pub(crate) struct Graph {
    pub(crate) shape: Shape,
    pub(crate) vertices: Vec<NodeId>,
    /// The heads of each vertex, over `Pre`. In [`Shape::Entries`], over the entry variables.
    pub(crate) states: Vec<Bdd>,
    pub(crate) edges: Vec<HeadEdge>,
    /// Edges by source and by target.
    pub(crate) out: Vec<Vec<usize>>,
    pub(crate) into: Vec<Vec<usize>>,
}

impl Graph {
    fn new(shape: Shape, vertices: Vec<NodeId>, states: Vec<Bdd>, edges: Vec<HeadEdge>) -> Graph {
        let mut out = vec![Vec::new(); vertices.len()];
        let mut into = vec![Vec::new(); vertices.len()];
        for (i, edge) in edges.iter().enumerate() {
            out[edge.from].push(i);
            into[edge.to].push(i);
        }
        Graph { shape, vertices, states, edges, out, into }
    }

    /// Its handles.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        let through = self.edges.iter().flat_map(|e| match &e.how {
            How::Through(through) => {
                [through.rel].into_iter().chain(through.marked.iter().copied())
            }
            _ => [Bdd::FALSE].into_iter().chain([].iter().copied()),
        });
        self.states.iter().copied().chain(through)
    }

    /// The marks that some edge can carry.
    pub(crate) fn all_marks(&self) -> MarkSet {
        self.edges.iter().fold(0, |all, e| all | e.marks | e.may)
    }

    /// The strongly connected components over vertices, data aside; sinks first, vertices in order.
    /// Those without an edge inside are single vertices.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let count = self.vertices.len();
        let next = |v: usize, i: usize| self.out[v].get(i).map(|&e| self.edges[e].to);
        let found = graph::components(count, 0..count, next);
        let sorted = |members: &[u32]| {
            let mut members: Vec<usize> = members.iter().map(|&v| v as usize).collect();
            members.sort_unstable();
            members
        };
        found.iter().map(sorted).collect()
    }

    /// The part of the graph between some vertices (in ascending order).
    pub(crate) fn part(&self, vertices: &[usize]) -> Graph {
        let place = |v: usize| vertices.binary_search(&v).ok();
        let edges = vertices
            .iter()
            .flat_map(|&v| &self.out[v])
            .filter_map(|&e| {
                let edge = &self.edges[e];
                let (from, to) = (place(edge.from)?, place(edge.to)?);
                Some(HeadEdge { from, to, ..edge.clone() })
            })
            .collect();
        Graph::new(
            self.shape,
            vertices.iter().map(|&v| self.vertices[v]).collect(),
            vertices.iter().map(|&v| self.states[v]).collect(),
            edges,
        )
    }
}

impl System {
    /// The variables that the sets of a vertex speak of.
    pub(crate) fn vertex_vars(&self, g: &Graph, v: usize) -> Vec<VarId> {
        let node = g.vertices[v];
        match g.shape {
            Shape::Entries => self.context.entry_vars[self.program.nodes[node].proc].clone(),
            _ => self.context.live.vars(&self.program, node).collect(),
        }
    }

    /// Heads and head edges: with the edges into callees, or without.
    pub(crate) fn head_graph(
        &mut self,
        shape: Shape,
        heads: &IndexVec<NodeId, Bdd>,
        meets: &[Meets],
    ) -> Result<Graph, Halt> {
        let program = self.program.clone();
        let vertices: Vec<NodeId> = program.nodes.ids().filter(|&n| !heads[n].is_false()).collect();
        let place = |n: NodeId| vertices.binary_search(&n).ok();
        let mut edges = Vec::new();
        for (from, &node) in vertices.iter().enumerate() {
            self.budget.work(1)?;
            for e in program.out_edges(node) {
                let (marks, covered) = (self.edge_marks(e), self.covered(e)?);
                let mut add = |target: NodeId, how: How, may: MarkSet| {
                    // A target without heads cannot be: then the relation is empty there, too.
                    if let Some(to) = place(target) {
                        let may = may & !marks;
                        edges.push(HeadEdge { from, to, edge: e, how, marks, may, covered });
                    }
                };
                match self.compile(e)? {
                    Compiled::Local(step) => {
                        let target = program.edges[e].target().expect("a step has a target");
                        let goes = match step.more {
                            None => !self.m.disjoint(heads[node], step.rel)?,
                            Some(_) => !self.step(step, heads[node])?.is_false(),
                        };
                        if goes {
                            add(target, How::Step, 0);
                        }
                    }
                    Compiled::Call(site) => {
                        let site = self.sites[site as usize];
                        if self.m.disjoint(heads[node], site.rel.enter)? {
                            continue;
                        }
                        if shape == Shape::Heads {
                            add(program.procs[site.callee].entry, How::Enter, 0);
                        }
                        let called = self.m.image(heads[node], site.rel.enter, site.rel.call)?;
                        let pairs = self.summaries[site.callee].all;
                        if !self.m.disjoint(called, pairs)? {
                            let may = |i: &usize| meets[*i].may[site.callee];
                            let may = (0..meets.len()).filter(may);
                            add(site.ret, How::Jump, may.fold(0, |all, i| all | 1 << i));
                        }
                    }
                    Compiled::Return(_) | Compiled::Not => {}
                }
            }
        }
        let states = vertices.iter().map(|&n| heads[n]).collect();
        let mut graph = Graph::new(shape, vertices, states, edges);
        // Where every run inside carries a mark, the edge does.
        for edge in &mut graph.edges {
            let EdgeKind::Call(call) = &program.edges[edge.edge].kind else { continue };
            for (i, meets) in meets.iter().enumerate() {
                let bit = 1 << i;
                if edge.may & bit != 0 && !meets.avoids_through[call.callee] {
                    edge.marks |= bit;
                    edge.may &= !bit;
                }
            }
        }
        Ok(graph)
    }

    /// The graph over entries, as far as procedures can call themselves. `path` are the path edges
    /// of such procedures; marks of runs that are not known yet are left open
    /// ([`fill_marks`](Self::fill_marks)).
    pub(crate) fn entry_graph(
        &mut self,
        path: &IndexVec<NodeId, Bdd>,
        meets: &[Meets],
    ) -> Result<Graph, Halt> {
        let program = self.program.clone();
        let mut group = IndexVec::filled(None, program.procs.len());
        for (i, procs) in analysis::call_order(&program).iter().enumerate() {
            for &proc in procs {
                group[proc] = Some(i);
            }
        }
        let mut edges: Vec<(ProcId, ProcId, EdgeId, Bdd)> = Vec::new();
        for (e, edge) in program.edges.enumerate() {
            let EdgeKind::Call(call) = &edge.kind else { continue };
            let from = program.nodes[edge.source].proc;
            if group[from] == group[call.callee] && !path[edge.source].is_false() {
                let rel = self.through(e, path[edge.source])?;
                if !rel.is_false() {
                    edges.push((from, call.callee, e, rel));
                }
            }
        }
        let mut procs: Vec<ProcId> = edges.iter().flat_map(|e| [e.0, e.1]).collect();
        procs.sort_unstable();
        procs.dedup();
        let mut states = Vec::new();
        for &proc in &procs {
            // Whatever has been entered.
            let at_entry = path[program.procs[proc].entry];
            let vars = self.context.entry_vars[proc].clone();
            let entry = program.procs[proc].entry;
            let live: Vec<VarId> = self.context.live.vars(&program, entry).collect();
            let now: Vec<u32> = self.context.bits(Copy::Pre, live).collect();
            let rename = self.context.pairs(Copy::Entry, Copy::Pre, vars);
            let spec = self.m.spec(&now, &rename);
            states.push(self.m.exists_rename(at_entry, spec)?);
        }
        let place = |p: ProcId| procs.binary_search(&p).expect("every end of an edge is listed");
        let vertices = procs.iter().map(|&p| program.procs[p].entry).collect();
        let edges = edges
            .into_iter()
            .map(|(from, to, e, rel)| {
                let callers = self.context.entry_vars[from].clone();
                let callees = self.context.entry_vars[to].clone();
                let before: Vec<u32> = self.context.bits(Copy::Pre, callers).collect();
                let home = self.context.pairs(Copy::Inner, Copy::Pre, callees.iter().copied());
                let away = self.context.pairs(Copy::Pre, Copy::Inner, callees.iter().copied());
                let after: Vec<u32> = self.context.bits(Copy::Inner, callees).collect();
                let through = Through {
                    rel,
                    marked: Vec::new(),
                    image: self.m.spec(&before, &home),
                    prime: self.m.spec(&[], &away),
                    pre_image: self.m.spec(&after, &[]),
                };
                let mut marks = self.edge_marks(e);
                let mut may = 0;
                let node = program.edges[e].source;
                for (i, meets) in meets.iter().enumerate() {
                    if !meets.avoids[node] {
                        marks |= 1 << i;
                    } else if meets.may[from] {
                        may |= 1 << i;
                    }
                }
                let how = How::Through(Rc::new(through));
                HeadEdge {
                    from: place(from),
                    to: place(to),
                    edge: e,
                    how,
                    marks,
                    may: may & !marks,
                    covered: false,
                }
            })
            .collect();
        Ok(Graph::new(Shape::Entries, vertices, states, edges))
    }

    /// From the entries of a frame (`Pre`) by the call `e` to those of the next (`Inner`), by path
    /// edges to its source.
    fn through(&mut self, e: EdgeId, path: Bdd) -> Result<Bdd, Halt> {
        let site = self.site(e)?;
        let EdgeKind::Call(call) = &self.program.edges[e].kind else {
            unreachable!("a site is a call")
        };
        let stays = Stays::new(&self.context, &self.m, call, site.rel.back);
        let kept: Vec<u32> = self.context.bits(Copy::Pre, stays.kept).collect();
        let caller = self.program.nodes[site.source].proc;
        let entry = self.context.entry_vars[caller].iter().copied();
        let rename = self.context.pairs(Copy::Entry, Copy::Pre, entry);
        let spec = self.m.spec(&kept, &rename);
        let called = self.m.image(path, site.rel.enter, site.rel.call)?;
        Ok(self.m.exists_rename(called, spec)?)
    }

    /// Gives the edges of a graph over entries the relations of runs that carry marks, and drops
    /// marks that no run carries after all. `marked` are the marked path edges for each mark.
    pub(crate) fn fill_marks(
        &mut self,
        g: &mut Graph,
        marked: &[IndexVec<NodeId, Bdd>],
    ) -> Result<(), Halt> {
        for i in 0..g.edges.len() {
            let edge = &g.edges[i];
            let How::Through(through) = &edge.how else { continue };
            if edge.may == 0 {
                continue;
            }
            let (e, mut may) = (edge.edge, edge.may);
            let (rel, image, prime, pre_image) =
                (through.rel, through.image, through.prime, through.pre_image);
            let mut rels = vec![Bdd::FALSE; marked.len()];
            for (mark, rel) in rels.iter_mut().enumerate().filter(|(m, _)| may >> m & 1 == 1) {
                *rel = self.through(e, marked[mark][self.program.edges[e].source])?;
            }
            for (mark, _) in rels.iter().enumerate().filter(|(_, rel)| rel.is_false()) {
                may &= !(1 << mark);
            }
            let through = Through { rel, marked: rels, image, prime, pre_image };
            g.edges[i].how = How::Through(Rc::new(through));
            g.edges[i].may = may;
        }
        Ok(())
    }

    /// The heads that head edges lead to from a set; with a mark, only by those that can carry it.
    pub(crate) fn head_post(
        &mut self,
        edge: &HeadEdge,
        from: Bdd,
        mark: Option<u32>,
    ) -> Result<Bdd, Halt> {
        let Some(mark) = needed(edge, mark) else { return Ok(Bdd::FALSE) };
        if from.is_false() {
            return Ok(from);
        }
        self.effort.images += 1;
        match &edge.how {
            How::Through(through) => {
                let rel = mark.map_or(through.rel, |i| through.marked[i as usize]);
                Ok(self.m.image(from, rel, through.image)?)
            }
            How::Step => {
                let Compiled::Local(step) = self.compile(edge.edge)? else {
                    unreachable!("a step")
                };
                self.step(step, from)
            }
            How::Enter => {
                let site = self.site(edge.edge)?;
                self.enter(site, from)
            }
            How::Jump => {
                let site = self.site(edge.edge)?;
                let called = self.m.image(from, site.rel.enter, site.rel.call)?;
                self.jump(site.rel, called, self.pairs(site.callee, mark))
            }
        }
    }

    /// The heads from which head edges lead into a set; with a mark, only by those that can carry
    /// it.
    pub(crate) fn head_pre(
        &mut self,
        edge: &HeadEdge,
        to: Bdd,
        mark: Option<u32>,
    ) -> Result<Bdd, Halt> {
        let Some(mark) = needed(edge, mark) else { return Ok(Bdd::FALSE) };
        if to.is_false() {
            return Ok(to);
        }
        self.effort.images += 1;
        match &edge.how {
            How::Through(through) => {
                let rel = mark.map_or(through.rel, |i| through.marked[i as usize]);
                let primed = self.m.exists_rename(to, through.prime)?;
                Ok(self.m.image(primed, rel, through.pre_image)?)
            }
            How::Step => {
                let Compiled::Local(step) = self.compile(edge.edge)? else {
                    unreachable!("a step")
                };
                self.step_back(step, to)
            }
            How::Enter => {
                let site = self.site(edge.edge)?;
                self.enter_back(site, to)
            }
            How::Jump => {
                let site = self.site(edge.edge)?;
                let waiting = self.waiting(site, to)?;
                self.over(site, waiting, self.pairs(site.callee, mark))
            }
        }
    }
}

/// Which mark the run inside must carry so that the edge carries `mark`; outer `None`: it cannot.
fn needed(edge: &HeadEdge, mark: Option<u32>) -> Option<Option<u32>> {
    match mark {
        Some(i) if edge.marks >> i & 1 == 1 => Some(None),
        Some(i) if edge.may >> i & 1 == 0 => None,
        other => Some(other),
    }
}

/// All vertices, for graphs that are not split.
pub(crate) fn everything(g: &Graph) -> Vec<Vec<usize>> {
    match g.vertices.len() {
        0 => Vec::new(),
        n => vec![(0..n).collect()],
    }
}

/// Whether the vertices have an edge among them.
pub(crate) fn is_cyclic(g: &Graph, vertices: &[usize]) -> bool {
    let inside = |e: &usize| vertices.binary_search(&g.edges[*e].to).is_ok();
    vertices.len() > 1 || vertices.iter().any(|&v| g.out[v].iter().any(inside))
}
