//! Lassos: a way to a hull, and a loop inside it that carries every mark.
//!
//! What is left of a hull when heads without predecessors are removed are its components, and what
//! lies between them. From a head there, everything that it can reach is found, ring by ring, and what
//! of that can reach it: its component. If that has every mark, a loop goes by shortest ways inside it
//! to an edge that carries the first mark, then on to one with the second, and so on, and back.
//! Otherwise the stem is prolonged to a head of the last ring outside it, which is likely to lie in a component
//! further down (after Hojati, Brayton, Kurshan 1993).
//!
//! Edges over completed calls become segments (`rings.rs`), edges between entries the steps of a
//! frame.

use crate::heads::{Graph, HeadEdge, How, Shape};
use crate::system::System;
use bdd::Bdd;
use check::{Frame, Lasso, Step, Trace};
use ir::{EdgeKind, MarkSet, NodeId};
use std::collections::VecDeque;
use symbolic::{Aim, Copy, Frames, Halt, Library, Rings, Search, State, rename};

/// A graph and a part of it, from all of whose heads a loop with every mark can be reached inside.
pub(crate) struct Hull {
    pub(crate) graph: Graph,
    pub(crate) states: Vec<Bdd>,
    /// Visiting order of vertices.
    pub(crate) place: Vec<u32>,
}

impl Hull {
    pub(crate) fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.graph.roots().chain(self.states.iter().copied())
    }
}

/// A head: a vertex, and the bits of its variables in order.
#[derive(Clone, PartialEq, Eq)]
struct Head {
    vertex: usize,
    state: State,
}

/// A head edge taken: the head before it, the edge, and the mark that the run inside must carry.
struct Move {
    before: Head,
    edge: usize,
    mark: Option<u32>,
}

/// Heads found by a search inside a hull.
struct Found {
    vertex: usize,
    marked: bool,
    states: Bdd,
    /// The entry they came from, the edge, and the mark that the run inside must carry.
    from: Option<(usize, usize, Option<u32>)>,
}

impl System {
    /// The nodes, with conditions, at which a run comes to a hull. It enters one of
    /// [`Shape::Entries`] with a call: a node at the entry of a procedure may be visited later, when
    /// locals are no longer arbitrary.
    pub(crate) fn ways_in(&mut self, hull: &Hull) -> Result<Vec<(NodeId, Bdd)>, Halt> {
        let program = self.program.clone();
        let g = &hull.graph;
        let mut out = Vec::new();
        if g.shape != Shape::Entries {
            out.extend(g.vertices.iter().copied().zip(hull.states.iter().copied()));
        } else {
            for (e, edge) in program.edges.enumerate() {
                let EdgeKind::Call(call) = &edge.kind else { continue };
                let entry = program.procs[call.callee].entry;
                let Some(v) = g.vertices.iter().position(|&n| n == entry) else { continue };
                let site = self.site(e)?;
                out.push((edge.source, self.enter_back(site, hull.states[v])?));
            }
        }
        out.retain(|(_, states)| !states.is_false());
        Ok(out)
    }

    /// A lasso by way of one of some hulls, at least one of which is reachable.
    pub(crate) fn lasso(&mut self, hulls: &mut [Hull], marks: u32) -> Result<Trace, Halt> {
        let program = self.program.clone();
        self.pinned.extend(hulls.iter().flat_map(Hull::roots));
        for hull in hulls.iter_mut() {
            self.trim_forwards(&hull.graph, &mut hull.states, &hull.place)?;
            self.pinned.extend(&hull.states);
        }
        let hulls = &*hulls;
        let mut aims: Vec<Aim> = Vec::new();
        for hull in hulls {
            aims.extend(self.ways_in(hull)?.into_iter().map(|(node, states)| (0, node, states)));
        }
        let start = self.initial()?;
        let mut search = Search::new(program.procs[program.entry].entry, start);
        let hits = self.search_program(&mut search, &aims, 1, None)?;
        let Some((at, states)) = hits[0] else {
            return Err(Halt::internal("a hull was not found again by the search for a trace"));
        };
        let mut library = Library::default();
        let (mut frames, end) = self.read_back(&search, at, states, u32::MAX, &mut library)?;
        let node = search.node(at);
        drop(search);
        let (hull, mut head) = self.step_in(hulls, node, end, &mut frames)?;

        let g = &hull.graph;
        let component = loop {
            let found = self.rings_in(hull, &head)?;
            let component = self.component_of(g, &found, &head)?;
            if self.has_marks(g, &component, marks)? {
                break component;
            }
            let mut below = None;
            for (at, f) in found.iter().enumerate().rev() {
                let outside = self.m.diff(f.states, component[f.vertex])?;
                if !outside.is_false() {
                    below = Some((at, outside));
                    break;
                }
            }
            let Some((at, states)) = below else {
                return Err(Halt::internal("a hull has a head that leads nowhere"));
            };
            let (moves, end) = self.moves(g, &found, at, states)?;
            self.append(g, moves, &end, &mut frames, &mut library)?;
            head = end;
        };
        self.pinned.extend(&component);
        let (start, position) = (head.clone(), place(&frames));
        let mut carried: MarkSet = 0;
        for mark in 0..marks {
            if carried >> mark & 1 == 1 {
                continue;
            }
            let Some((moves, end)) = self.walk(g, &component, &head, Some(mark), None)? else {
                return Err(Halt::internal("a component has no edge that carries a mark"));
            };
            for step in &moves {
                carried |= g.edges[step.edge].marks;
                carried |= step.mark.map_or(0, |i| 1 << i);
            }
            self.append(g, moves, &end, &mut frames, &mut library)?;
            head = end;
        }
        if head != start {
            let Some((moves, end)) = self.walk(g, &component, &head, None, Some(&start))? else {
                return Err(Halt::internal("a component has no way back"));
            };
            self.append(g, moves, &end, &mut frames, &mut library)?;
        }

        self.explain(&mut library, &[])?;
        let (segments, renamed) = library.needed(&frames);
        let (frame, step) = position;
        let end = match g.shape {
            // What is open at an entry can be chosen as it was at the first.
            Shape::Entries => frames[frame].1[step].state.clone(),
            _ => self.partial(g.vertices[start.vertex], &start.state),
        };
        let frames = frames
            .into_iter()
            .map(|(proc, steps)| Frame { proc, steps: rename(steps, &renamed) })
            .collect();
        Ok(Trace {
            segments,
            frames,
            target: g.vertices[start.vertex],
            end,
            shortest: false,
            lasso: Some(Lasso::Loop { frame, step }),
        })
    }

    /// The hull that a state at a node belongs to, or leads into with a call, which is appended.
    fn step_in<'h>(
        &mut self,
        hulls: &'h [Hull],
        node: NodeId,
        state: State,
        frames: &mut Frames,
    ) -> Result<(&'h Hull, Head), Halt> {
        let program = self.program.clone();
        let vars: Vec<_> = self.context.live.vars(&program, node).collect();
        let bits: Vec<u32> = self.context.bits(Copy::Pre, vars).collect();
        let literals: Vec<(u32, bool)> = bits.into_iter().zip(state.iter().copied()).collect();
        let here = self.m.literals(&literals)?;
        for hull in hulls {
            let g = &hull.graph;
            if g.shape != Shape::Entries {
                let Some(vertex) = g.vertices.iter().position(|&n| n == node) else { continue };
                if !self.m.disjoint(here, hull.states[vertex])? {
                    return Ok((hull, Head { vertex, state }));
                }
                continue;
            }
            for e in program.out_edges(node) {
                let EdgeKind::Call(call) = &program.edges[e].kind else { continue };
                let entry = program.procs[call.callee].entry;
                let Some(vertex) = g.vertices.iter().position(|&n| n == entry) else { continue };
                let site = self.site(e)?;
                let entered = self.enter(site, here)?;
                let entered = self.m.and(entered, hull.states[vertex])?;
                if entered.is_false() {
                    continue;
                }
                let steps = &mut frames.last_mut().expect("a trace has a frame").1;
                steps.push(Step { edge: e, state: self.partial(node, &state), inside: None });
                frames.push((call.callee, Vec::new()));
                let head = self.pick_head(g, vertex, entered)?;
                return Ok((hull, head));
            }
        }
        Err(Halt::internal("a way to a hull does not end there"))
    }

    fn pick_head(&mut self, g: &Graph, vertex: usize, states: Bdd) -> Result<Head, Halt> {
        let vars = self.vertex_vars(g, vertex);
        let bits: Vec<u32> = self.context.bits(Copy::Pre, vars).collect();
        match self.m.pick_minterm(states, &bits) {
            Some(values) => {
                let state = values.into_iter().map(|v| v.1).collect();
                Ok(Head { vertex, state })
            }
            None => Err(Halt::internal("a head of a lasso has no predecessor")),
        }
    }

    /// The set of one head.
    fn single(&mut self, g: &Graph, head: &Head) -> Result<Bdd, Halt> {
        let vars = self.vertex_vars(g, head.vertex);
        let bits: Vec<u32> = self.context.bits(Copy::Pre, vars).collect();
        let literals: Vec<(u32, bool)> = bits.into_iter().zip(head.state.iter().copied()).collect();
        Ok(self.m.literals(&literals)?)
    }

    /// Everything that a head reaches inside a hull, itself included, in rings.
    fn rings_in(&mut self, hull: &Hull, from: &Head) -> Result<Vec<Found>, Halt> {
        let g = &hull.graph;
        let start = self.single(g, from)?;
        let mut seen = vec![Bdd::FALSE; g.vertices.len()];
        seen[from.vertex] = start;
        let first = Found { vertex: from.vertex, marked: false, states: start, from: None };
        let mut found = vec![first];
        let mut at = 0;
        while at < found.len() {
            self.budget.work(1)?;
            let Found { vertex, states, .. } = found[at];
            for &e in &g.out[vertex] {
                let edge = &g.edges[e];
                let after = self.head_post(edge, states, None)?;
                let after = self.m.and(after, hull.states[edge.to])?;
                let new = self.m.diff(after, seen[edge.to])?;
                if new.is_false() {
                    continue;
                }
                seen[edge.to] = self.m.or(seen[edge.to], new)?;
                let from = Some((at, e, None));
                found.push(Found { vertex: edge.to, marked: false, states: new, from });
            }
            at += 1;
            if self.want_collection() {
                let used = found.iter().map(|f| f.states).chain(seen.iter().copied());
                self.collect(used.collect::<Vec<Bdd>>());
            }
        }
        Ok(found)
    }

    /// What of the heads found from a head can reach it.
    fn component_of(&mut self, g: &Graph, found: &[Found], to: &Head) -> Result<Vec<Bdd>, Halt> {
        let mut reached = vec![Bdd::FALSE; g.vertices.len()];
        for f in found {
            reached[f.vertex] = self.m.or(reached[f.vertex], f.states)?;
        }
        let mut out = vec![Bdd::FALSE; g.vertices.len()];
        let mut new = out.clone();
        out[to.vertex] = self.single(g, to)?;
        new[to.vertex] = out[to.vertex];
        let mut work = VecDeque::from([to.vertex]);
        while let Some(v) = work.pop_front() {
            self.budget.work(1)?;
            let states = std::mem::replace(&mut new[v], Bdd::FALSE);
            for &e in &g.into[v] {
                let edge = &g.edges[e];
                let from = edge.from;
                let before = self.head_pre(edge, states, None)?;
                let before = self.m.and(before, reached[from])?;
                let fresh = self.m.diff(before, out[from])?;
                if fresh.is_false() {
                    continue;
                }
                if new[from].is_false() {
                    work.push_back(from);
                }
                new[from] = self.m.or(new[from], fresh)?;
                out[from] = self.m.or(out[from], fresh)?;
            }
            if self.want_collection() {
                let used = found.iter().map(|f| f.states).chain(reached.iter().copied());
                let used = used.chain(out.iter().copied()).chain(new.iter().copied());
                self.collect(used.collect::<Vec<Bdd>>());
            }
        }
        Ok(out)
    }

    /// Whether edges inside a component can carry every mark.
    fn has_marks(&mut self, g: &Graph, component: &[Bdd], marks: u32) -> Result<bool, Halt> {
        for mark in 0..marks {
            let mut carried = false;
            for edge in &g.edges {
                let before = self.head_pre(edge, component[edge.to], Some(mark))?;
                if !self.m.disjoint(before, component[edge.from])? {
                    carried = true;
                    break;
                }
            }
            if !carried {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A shortest way inside some heads: to where `mark` has just been carried, or to the head `to`.
    /// `None` if there is none.
    fn walk(
        &mut self,
        g: &Graph,
        among: &[Bdd],
        from: &Head,
        mark: Option<u32>,
        to: Option<&Head>,
    ) -> Result<Option<(Vec<Move>, Head)>, Halt> {
        let start = self.single(g, from)?;
        let aim = match to {
            Some(to) => self.single(g, to)?,
            None => Bdd::TRUE,
        };
        let mut seen = vec![[Bdd::FALSE; 2]; g.vertices.len()];
        seen[from.vertex][0] = start;
        let mut found =
            vec![Found { vertex: from.vertex, marked: false, states: start, from: None }];
        let mut at = 0;
        while at < found.len() {
            self.budget.work(1)?;
            let Found { vertex, marked, states, .. } = found[at];
            for &e in &g.out[vertex] {
                let edge = &g.edges[e];
                let carries = marked || mark.is_some_and(|i| edge.marks >> i & 1 == 1);
                let inside = mark.filter(|i| !carries && edge.may >> i & 1 == 1);
                for how in [Some(None), inside.map(Some)].into_iter().flatten() {
                    let after = self.head_post(edge, states, how)?;
                    let after = self.m.and(after, among[edge.to])?;
                    let marked = carries || how.is_some();
                    let old = seen[edge.to][usize::from(marked)];
                    let new = self.m.diff(after, old)?;
                    if new.is_false() {
                        continue;
                    }
                    seen[edge.to][usize::from(marked)] = self.m.or(old, new)?;
                    let entry =
                        Found { vertex: edge.to, marked, states: new, from: Some((at, e, how)) };
                    found.push(entry);
                    let hit = match to {
                        Some(to) => to.vertex == edge.to && !self.m.disjoint(new, aim)?,
                        None => marked,
                    };
                    if hit {
                        let last = self.m.and(new, aim)?;
                        return self.moves(g, &found, found.len() - 1, last).map(Some);
                    }
                }
            }
            at += 1;
            if self.want_collection() {
                let used = found.iter().map(|f| f.states).chain(seen.iter().flatten().copied());
                self.collect(used.chain([aim]).collect::<Vec<Bdd>>());
            }
        }
        Ok(None)
    }

    /// Reads the way to a head of an entry, among `states`, off a search.
    fn moves(
        &mut self,
        g: &Graph,
        found: &[Found],
        mut at: usize,
        states: Bdd,
    ) -> Result<(Vec<Move>, Head), Halt> {
        let end = self.pick_head(g, found[at].vertex, states)?;
        let mut head = end.clone();
        let mut out = Vec::new();
        while let Some((from, e, mark)) = found[at].from {
            let single = self.single(g, &head)?;
            let before = self.head_pre(&g.edges[e], single, mark)?;
            let before = self.m.and(before, found[from].states)?;
            head = self.pick_head(g, found[from].vertex, before)?;
            out.push(Move { before: head.clone(), edge: e, mark });
            at = from;
        }
        out.reverse();
        Ok((out, end))
    }

    /// Appends what moves stand for to the frames of a trace.
    fn append(
        &mut self,
        g: &Graph,
        moves: Vec<Move>,
        end: &Head,
        frames: &mut Frames,
        library: &mut Library,
    ) -> Result<(), Halt> {
        let program = self.program.clone();
        for i in 0..moves.len() {
            let Move { before, edge, mark } = &moves[i];
            let HeadEdge { edge: e, how, .. } = &g.edges[*edge];
            let (e, mark) = (*e, *mark);
            let after = moves.get(i + 1).map_or(end, |next| &next.before);
            let node = g.vertices[before.vertex];
            let mut inside = None;
            let steps = &mut frames.last_mut().expect("a trace has a frame").1;
            match (how, &program.edges[e].kind) {
                (How::Through(_), EdgeKind::Call(call)) => {
                    let proc = program.nodes[node].proc;
                    let (start, target) = (self.single(g, before)?, self.single(g, after)?);
                    steps.extend(self.way_to_call(proc, start, e, target, mark, library)?);
                    frames.push((call.callee, Vec::new()));
                    continue;
                }
                (How::Jump, EdgeKind::Call(_)) => {
                    let single = self.single(g, before)?;
                    let (_, pair, round) =
                        self.before_jump(e, single, &after.state, u32::MAX, mark)?;
                    inside = Some(library.ask(pair, round));
                }
                _ => {}
            }
            steps.push(Step { edge: e, state: self.partial(node, &before.state), inside });
            if let (How::Enter, EdgeKind::Call(call)) = (how, &program.edges[e].kind) {
                frames.push((call.callee, Vec::new()));
            }
        }
        Ok(())
    }
}

/// Where the next step goes.
fn place(frames: &Frames) -> (usize, usize) {
    let frame = frames.len() - 1;
    (frame, frames[frame].1.len())
}
