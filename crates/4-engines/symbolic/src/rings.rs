//! Shortest hierarchical traces ([bebop §3.2]), once summaries are known.
//!
//! A breadth-first search over states with summaries as unit edges gives the rings: the states at
//! each distance from the start. A trace is read off backwards. Frames that are still open at its
//! end contribute all their steps, completed calls one each; what happens inside a completed call
//! is a [`Segment`], found by the same search inside the callee.
//!
//! Two facts keep this well-founded and small:
//! - A pair of a summary that was published in round k was derived from pairs of smaller rounds
//!   alone, so the search inside it uses only those (or `f() { if (*) f(); }` expands for ever).
//! - A segment is determined by procedure, entry and exit; each is searched once.
//!
//! For repeat goals, a run inside a completed call may have to carry a mark. Then the search keeps
//! apart what was reached with and without it. Pairs of marked summaries have rounds, too, which all
//! come after those of plain ones.

use crate::halt::Halt;
use crate::slots::Copy;
use crate::states::State;
use crate::system::{Aim, CallRelation, Compiled, Part, System};
use bdd::{Bdd, Manager, Stop};
use check::{Frame, Segment, SegmentId, Step, Task, Trace, TraceMode};
use ir::{EdgeId, EdgeKind, Id, IndexVec, NodeId, ProcId};
use rustc_hash::FxHashMap;

/// Traces to goals that are reached.
pub struct Traces {
    /// By goal; none for those that are not reached, or have not been found when it had to stop.
    pub found: Vec<Option<Box<Trace>>>,
    /// Why it had to stop before all were found.
    pub stopped: Option<Halt>,
}

/// States found by a search: those new at `node` when an edge was applied to an earlier entry.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Where they are.
    pub node: NodeId,
    /// The states, over `Pre`.
    pub states: Bdd,
    /// The mark that the search looks for has been carried.
    pub marked: bool,
    /// The entry they came from, and how.
    from: Option<(u32, EdgeId, How)>,
}

/// How an edge was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A step inside the procedure.
    Step,
    /// Into the callee, never to return.
    Enter,
    /// Over a completed call.
    Jump,
    /// Over a completed call that carries the mark.
    MarkedJump,
}

/// A completed call to be explained: one pair of a summary.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Pair {
    /// The callee.
    pub proc: ProcId,
    /// Which mark the run must carry.
    pub mark: Option<u32>,
    /// Values of the entry variables' bits, in order.
    pub entry: Box<[bool]>,
    /// Values of the exit variables' bits, in order.
    pub exit: Box<[bool]>,
}

/// The pairs asked for, with the round that published each, and the segments that explain the
/// first of them.
#[derive(Default)]
pub struct Library {
    ids: FxHashMap<Pair, u32>,
    pairs: Vec<(Pair, u32)>,
    found: Vec<Segment>,
}

impl Library {
    /// The segment that explains a pair, now or later ([`Rings::explain`]).
    pub fn ask(&mut self, pair: Pair, round: u32) -> SegmentId {
        let next = self.pairs.len() as u32;
        let id = *self.ids.entry(pair.clone()).or_insert(next);
        if id == next {
            self.pairs.push((pair, round));
        }
        SegmentId::new(id as usize)
    }

    /// The segments that some frames need, the inside first; and the new number of each pair.
    pub fn needed(&self, frames: &Frames) -> (IndexVec<SegmentId, Segment>, Vec<SegmentId>) {
        let mut needed = vec![false; self.found.len()];
        let mut work: Vec<usize> = Vec::new();
        let mut ask = |steps: &[Step], work: &mut Vec<usize>| {
            for inside in steps.iter().filter_map(|s| s.inside) {
                if !std::mem::replace(&mut needed[inside.index()], true) {
                    work.push(inside.index());
                }
            }
        };
        for (_, steps) in frames {
            ask(steps, &mut work);
        }
        while let Some(i) = work.pop() {
            ask(&self.found[i].steps, &mut work);
        }
        // A pair uses pairs of smaller rounds: ascending rounds put the inside first.
        let mut order: Vec<usize> = (0..self.found.len()).filter(|&i| needed[i]).collect();
        order.sort_by_key(|&i| self.pairs[i].1);
        let mut renamed = vec![SegmentId::new(0); self.found.len()];
        for (new, &old) in order.iter().enumerate() {
            renamed[old] = SegmentId::new(new);
        }
        let segments = order
            .into_iter()
            .map(|old| {
                let Segment { proc, steps, exit } = self.found[old].clone();
                Segment { proc, steps: rename(steps, &renamed), exit }
            })
            .collect();
        (segments, renamed)
    }
}

/// Steps with other numbers of segments.
pub fn rename(mut steps: Vec<Step>, renamed: &[SegmentId]) -> Vec<Step> {
    for step in &mut steps {
        step.inside = step.inside.map(|i| renamed[i.index()]);
    }
    steps
}

/// What a search may do.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// Enter callees, never to return.
    pub enter: bool,
    /// Stay among these states.
    guide: Option<&'a IndexVec<NodeId, Bdd>>,
    /// Summaries of this round and later ones must not be used.
    pub round: u32,
    /// Tell what has been reached by carrying this mark.
    pub mark: Option<u32>,
}

impl<'a> Scope<'a> {
    fn program(guide: Option<&'a IndexVec<NodeId, Bdd>>) -> Scope<'a> {
        Scope { enter: true, guide, round: u32::MAX, mark: None }
    }
    /// Inside one procedure, by summaries published before `round`.
    pub fn procedure(round: u32, mark: Option<u32>) -> Scope<'static> {
        Scope { enter: false, guide: None, round, mark }
    }
}

/// Steps of each frame, the entry procedure's first.
pub type Frames = Vec<(ProcId, Vec<Step>)>;

/// The rings of a search, and what it has seen.
pub struct Search {
    /// In order of discovery.
    pub entries: Vec<Entry>,
    /// Where the last ring starts.
    ring: usize,
    seen: FxHashMap<(NodeId, bool), Bdd>,
}

impl Search {
    /// From some states of a node.
    pub fn new(node: NodeId, states: Bdd) -> Search {
        let mut seen = FxHashMap::default();
        seen.insert((node, false), states);
        let first = Entry { node, states, marked: false, from: None };
        Search { entries: vec![first], ring: 0, seen }
    }
    /// Where an entry lies.
    pub fn node(&self, at: u32) -> NodeId {
        self.entries[at as usize].node
    }
    /// Keeps what is new of some states within a scope.
    fn found(
        &mut self,
        m: &mut Manager,
        scope: Scope<'_>,
        (node, marked): (NodeId, bool),
        mut states: Bdd,
        from: (u32, EdgeId, How),
    ) -> Result<(), Stop> {
        if let Some(guide) = scope.guide {
            states = m.and(states, guide[node])?;
        }
        let old = self.seen.get(&(node, marked)).copied().unwrap_or(Bdd::FALSE);
        let new = m.diff(states, old)?;
        if !new.is_false() {
            self.seen.insert((node, marked), m.or(old, new)?);
            self.entries.push(Entry { node, states: new, marked, from: Some(from) });
        }
        Ok(())
    }
    fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.entries.iter().map(|e| e.states).chain(self.seen.values().copied())
    }
}

/// A program whose summaries are known, as an engine goes over calls.
pub trait Rings {
    /// How calls are compiled.
    type Rel: CallRelation;

    /// The program.
    fn system(&self) -> &System<Self::Rel>;
    /// The program.
    fn system_mut(&mut self) -> &mut System<Self::Rel>;

    /// Frees what nothing refers to; `more` are handles in use that the engine does not know of.
    fn collect_but(&mut self, more: Vec<Bdd>);

    /// What a call makes of states before it, within a scope: those with which it enters, if the
    /// scope enters, and those after it. `marked`: the mark has been carried already.
    fn over_call(
        &mut self,
        e: EdgeId,
        states: Bdd,
        scope: Scope<'_>,
        marked: bool,
    ) -> Result<Vec<(How, Bdd)>, Halt>;

    /// A state out of `states` from which the completed call `e` leads to `state`, by a pair of
    /// the smallest round (see [`first_part`](Rings::first_part)), which comes with it.
    fn before_jump(
        &mut self,
        e: EdgeId,
        states: Bdd,
        state: &State,
        round: u32,
        mark: Option<u32>,
    ) -> Result<(State, Pair, u32), Halt>;

    /// Whether an edge carries a mark.
    fn carries(&self, _: EdgeId, _: u32) -> bool {
        false
    }

    /// The summary of a procedure in parts; with a mark, that of the runs which carry it.
    fn parts(&self, proc: ProcId, _: Option<u32>) -> &[Part] {
        &self.system().summaries[proc].parts
    }

    /// A trace for each goal that is known to be reached at one of its aims, if any is wanted.
    /// `guide`: states which every trace to an aim stays among.
    fn traces(
        &mut self,
        task: &Task,
        aims: &[Aim],
        reached: &[bool],
        guide: Option<&IndexVec<NodeId, Bdd>>,
    ) -> Traces {
        let mut found = vec![None; reached.len()];
        let stopped = self.find_traces(task, aims, reached, guide, &mut found).err();
        Traces { found, stopped }
    }

    /// The traces, as far as they are found.
    fn find_traces(
        &mut self,
        task: &Task,
        aims: &[Aim],
        reached: &[bool],
        guide: Option<&IndexVec<NodeId, Bdd>>,
        out: &mut [Option<Box<Trace>>],
    ) -> Result<(), Halt> {
        let goals = reached.len();
        let aims: Vec<Aim> = aims.iter().copied().filter(|&(goal, ..)| reached[goal]).collect();
        if aims.is_empty() || task.wants.trace == TraceMode::None {
            return Ok(());
        }
        let s = self.system_mut();
        let entry = s.program.procs[s.program.entry].entry;
        let mut start = s.initial()?;
        if let Some(guide) = guide {
            start = s.m.and(start, guide[entry])?;
        }
        let mut search = Search::new(entry, start);
        let mut stopped = None;
        let mut hits = vec![None; goals];
        let searched = self.search_goals(&mut search, &aims, guide, &mut hits);
        if let Err(halt) = searched {
            // What was found before is worth a moment.
            let any = hits.iter().any(Option::is_some);
            let more = halt.is_internal() || self.system().budget.grant(check::MOMENT);
            if !any || !more {
                return Err(halt);
            }
            stopped = Some(halt);
        }
        // Handles that later goals still need.
        let mut keep: Vec<Bdd> = search.entries.iter().map(|e| e.states).collect();
        keep.extend(hits.iter().flatten().map(|h| h.1));
        let mut library = Library::default();
        for (goal, hit) in hits.into_iter().enumerate() {
            let Some((at, states)) = hit else { continue };
            let read = self.read_back(&search, at, states, u32::MAX, &mut library);
            let (frames, end) =
                match read.and_then(|r| self.explain(&mut library, &keep).map(|()| r)) {
                    Ok(read) => read,
                    // One that cannot be told does not keep others from being told.
                    Err(halt) if halt.is_internal() => {
                        library = Library::default();
                        stopped = Some(halt);
                        continue;
                    }
                    Err(halt) => return Err(halt),
                };
            let end = self.system().partial(search.node(at), &end);
            let (segments, renamed) = library.needed(&frames);
            let frames = frames
                .into_iter()
                .map(|(proc, steps)| Frame { proc, steps: rename(steps, &renamed) })
                .collect();
            let target = search.node(at);
            let shortest = task.wants.trace == TraceMode::Shortest;
            let trace = Trace { segments, frames, target, end, shortest, lasso: None };
            out[goal] = Some(Box::new(trace));
        }
        stopped.map_or(Ok(()), Err)
    }

    /// Rings over the whole program until every goal is hit: for each the entry, and the states
    /// in it that satisfy the aim's condition.
    fn search_program(
        &mut self,
        search: &mut Search,
        aims: &[Aim],
        goals: usize,
        guide: Option<&IndexVec<NodeId, Bdd>>,
    ) -> Result<Vec<Option<(u32, Bdd)>>, Halt> {
        let mut hits: Vec<Option<(u32, Bdd)>> = vec![None; goals];
        self.search_goals(search, aims, guide, &mut hits)?;
        Ok(hits)
    }

    /// The same; `hits` are those found, if it has to stop.
    fn search_goals(
        &mut self,
        search: &mut Search,
        aims: &[Aim],
        guide: Option<&IndexVec<NodeId, Bdd>>,
        hits: &mut [Option<(u32, Bdd)>],
    ) -> Result<(), Halt> {
        let goals = hits.len();
        let mut at: FxHashMap<NodeId, Vec<(usize, Bdd)>> = FxHashMap::default();
        let mut open = vec![false; goals];
        for &(goal, node, condition) in aims {
            at.entry(node).or_default().push((goal, condition));
            open[goal] = true;
        }
        let mut seen_entries = 0;
        loop {
            let m = &mut self.system_mut().m;
            // All entries not looked at yet are at the same distance.
            while seen_entries < search.entries.len() {
                let Entry { node, states, .. } = search.entries[seen_entries];
                for &(goal, condition) in at.get(&node).into_iter().flatten() {
                    if open[goal] && !m.disjoint(states, condition)? {
                        hits[goal] = Some((seen_entries as u32, m.and(states, condition)?));
                        open[goal] = false;
                    }
                }
                seen_entries += 1;
            }
            if !open.contains(&true) {
                return Ok(());
            }
            let keep = || {
                let mut keep: Vec<Bdd> = hits.iter().flatten().map(|h| h.1).collect();
                keep.extend(aims.iter().map(|aim| aim.2));
                keep.extend(guide.into_iter().flat_map(|g| g.iter()));
                keep
            };
            if !self.next_ring(search, Scope::program(guide), &keep)? {
                // Every open goal is reached, and the search is exhaustive: this cannot be.
                let what = "a reached target was not found again by the search for a trace";
                return Err(Halt::internal(what));
            }
        }
    }

    /// Completes the current ring under edges that are no steps, then makes the next one from
    /// it. False if nothing was found. `keep` are handles in use elsewhere, asked for when garbage is
    /// collected.
    fn next_ring(
        &mut self,
        search: &mut Search,
        scope: Scope<'_>,
        keep: &dyn Fn() -> Vec<Bdd>,
    ) -> Result<bool, Halt> {
        let (start, before) = (search.ring, search.entries.len());
        let mut at = start;
        while at < search.entries.len() {
            self.expand(search, at as u32, false, scope)?;
            at += 1;
        }
        search.ring = search.entries.len();
        for at in start..search.ring {
            self.expand(search, at as u32, true, scope)?;
        }
        self.system().budget.work((search.entries.len() - start) as u64 + 1)?;
        if self.system().want_collection() {
            self.collect_but(keep().into_iter().chain(search.roots()).collect());
        }
        Ok(search.entries.len() > before)
    }

    /// Applies the edges that are steps, or those that are none, to one entry.
    fn expand(
        &mut self,
        search: &mut Search,
        at: u32,
        steps: bool,
        scope: Scope<'_>,
    ) -> Result<(), Halt> {
        let Entry { node, states, marked, .. } = search.entries[at as usize];
        let program = self.system().program.clone();
        for e in program.out_edges(node) {
            let edge = &program.edges[e];
            if edge.step != steps {
                continue;
            }
            let marked = marked || scope.mark.is_some_and(|i| self.carries(e, i));
            match &edge.kind {
                EdgeKind::Local { target, .. } => {
                    let s = self.system_mut();
                    let Compiled::Local(step) = s.compile(e)? else { unreachable!("a step") };
                    let to = s.step(step, states)?;
                    search.found(&mut s.m, scope, (*target, marked), to, (at, e, How::Step))?;
                }
                EdgeKind::Call(call) => {
                    for (how, to) in self.over_call(e, states, scope, marked)? {
                        let node = match how {
                            How::Enter => program.procs[call.callee].entry,
                            _ => call.ret,
                        };
                        let marked = marked || how == How::MarkedJump;
                        let m = &mut self.system_mut().m;
                        search.found(m, scope, (node, marked), to, (at, e, how))?;
                    }
                }
                EdgeKind::Return { .. } => {}
            }
        }
        Ok(())
    }

    /// How many parts of a procedure's summary were published before `round`.
    fn parts_below(&self, proc: ProcId, mark: Option<u32>, round: u32) -> usize {
        self.parts(proc, mark).partition_point(|p| p.round < round)
    }

    /// Reads a path to a state of the given entry off the search, backwards: the frames in order,
    /// and the state at the end. Completed calls are asked of the library.
    fn read_back(
        &mut self,
        search: &Search,
        at: u32,
        states: Bdd,
        round: u32,
        library: &mut Library,
    ) -> Result<(Frames, State), Halt> {
        self.read_back_marked(search, at, states, round, None, library)
    }

    /// The same, for a search that looks for a mark.
    fn read_back_marked(
        &mut self,
        search: &Search,
        at: u32,
        states: Bdd,
        round: u32,
        mark: Option<u32>,
        library: &mut Library,
    ) -> Result<(Frames, State), Halt> {
        let program = self.system().program.clone();
        let mut at = at;
        let mut state = self.system().pick(states, search.node(at))?;
        let end = state.clone();
        let mut frames: Frames = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        while let Some((from, e, how)) = search.entries[at as usize].from {
            let here = search.node(at);
            let Entry { node: source, states, .. } = search.entries[from as usize];
            let mut inside = None;
            let before = match (how, &program.edges[e].kind) {
                (How::Step, _) => self.system_mut().before_step(e, states, here, &state)?,
                (How::Enter, EdgeKind::Call(call)) => {
                    frames.push((call.callee, std::mem::take(&mut steps)));
                    self.system_mut().before_entering(e, states, &state)?
                }
                (How::Jump | How::MarkedJump, _) => {
                    let mark = mark.filter(|_| how == How::MarkedJump);
                    let (before, pair, round) = self.before_jump(e, states, &state, round, mark)?;
                    inside = Some(library.ask(pair, round));
                    before
                }
                _ => unreachable!("only calls are entered"),
            };
            steps.push(Step { edge: e, state: self.system().partial(source, &before), inside });
            state = before;
            at = from;
        }
        let bottom = program.nodes[search.node(at)].proc;
        frames.push((bottom, steps));
        frames.reverse();
        for (_, steps) in &mut frames {
            steps.reverse();
        }
        Ok((frames, end))
    }

    /// The first part of a summary, published before `round`, that has a pair among some. Parts are
    /// cumulative.
    fn first_part(
        &mut self,
        proc: ProcId,
        mark: Option<u32>,
        round: u32,
        among: Bdd,
    ) -> Result<Part, Halt> {
        let count = self.parts_below(proc, mark, round);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high) / 2;
            let pairs = self.parts(proc, mark)[middle].up_to_here;
            match self.system_mut().m.disjoint(pairs, among)? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        match self.parts(proc, mark)[..count].get(low) {
            Some(&part) => Ok(part),
            None => Err(Halt::internal("a jump in a trace has no summary to stand on")),
        }
    }

    /// Finds the segments of all pairs, and of the pairs that they ask for in turn.
    fn explain(&mut self, library: &mut Library, keep: &[Bdd]) -> Result<(), Halt> {
        while library.found.len() < library.pairs.len() {
            let (pair, round) = library.pairs[library.found.len()].clone();
            let segment = self.segment(&pair, round, library, keep)?;
            library.found.push(segment);
        }
        Ok(())
    }

    /// A shortest way through the callee from entry to exit.
    fn segment(
        &mut self,
        pair: &Pair,
        round: u32,
        library: &mut Library,
        keep: &[Bdd],
    ) -> Result<Segment, Halt> {
        let s = self.system_mut();
        let program = s.program.clone();
        let proc = pair.proc;
        let context = &s.context;
        let entry_bits = context.bits(Copy::Pre, context.entry_vars[proc].iter().copied());
        let entry: Vec<(u32, bool)> = entry_bits.zip(pair.entry.iter().copied()).collect();
        let exit_bits = context.bits(Copy::Exit, context.exit_vars[proc].iter().copied());
        let exit: Vec<(u32, bool)> = exit_bits.zip(pair.exit.iter().copied()).collect();
        let start = s.m.literals(&entry)?;
        let exit = s.m.literals(&exit)?;
        let keep = || keep.iter().copied().chain([exit]).collect();
        let mut search = Search::new(program.procs[proc].entry, start);
        let mut looked_at = 0;
        loop {
            while looked_at < search.entries.len() {
                let Entry { node, states, marked, .. } = search.entries[looked_at];
                for e in program.out_edges(node) {
                    if !marked && pair.mark.is_some_and(|i| !self.carries(e, i)) {
                        continue;
                    }
                    let s = self.system_mut();
                    let Compiled::Return(ret) = s.compile(e)? else { continue };
                    let exits = s.m.image(states, ret.rel, ret.image)?;
                    if s.m.disjoint(exits, exit)? {
                        continue;
                    }
                    let last = s.leaving(e, pair)?;
                    let states = s.m.and(states, last)?;
                    let at = looked_at as u32;
                    let (mut frames, end) =
                        self.read_back_marked(&search, at, states, round, pair.mark, library)?;
                    let end = self.system().partial(node, &end);
                    let (_, mut steps) = frames.pop().expect("a search has a bottom frame");
                    steps.push(Step { edge: e, state: end, inside: None });
                    return Ok(Segment { proc, steps, exit: self.system().exit_partial(pair) });
                }
                looked_at += 1;
            }
            if !self.next_ring(&mut search, Scope::procedure(round, pair.mark), &keep)? {
                return Err(Halt::internal("a summary has no run behind it"));
            }
        }
    }
}
