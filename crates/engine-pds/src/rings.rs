//! Shortest hierarchical traces ([bebop §3.2]) from the summaries of either direction.
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

use crate::marked::Marked;
use crate::relation::CallParts;
use crate::slots::Copy;
use crate::system::{Compiled, Halt, System};
use bdd::Bdd;
use check::{Frame, Partial, Segment, SegmentId, Step, Trace};
use ir::{Call, EdgeId, EdgeKind, Id, IndexVec, NodeId, ProcId, Program, VarId, VarKind};
use rustc_hash::FxHashMap;

/// A goal's number, a node, and a condition over `Pre` there.
pub(crate) type Aim = (usize, NodeId, Bdd);

/// States found by a search: those new at `node` when `edge` was applied to an earlier entry.
struct Entry {
    node: NodeId,
    states: Bdd,
    /// The mark that the search looks for has been carried.
    marked: bool,
    /// The entry they came from, and how.
    from: Option<(u32, EdgeId, How)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
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
pub(crate) struct Pair {
    proc: ProcId,
    /// Which mark the run must carry.
    mark: Option<u32>,
    /// Values of the entry variables' bits and of the exit variables' bits, in order.
    entry: Box<[bool]>,
    exit: Box<[bool]>,
}

/// The pairs asked for, with the round that published each, and the segments that explain the
/// first of them.
#[derive(Default)]
pub(crate) struct Library {
    ids: FxHashMap<Pair, u32>,
    pairs: Vec<(Pair, u32)>,
    found: Vec<Segment>,
}

impl Library {
    pub(crate) fn ask(&mut self, pair: Pair, round: u32) -> SegmentId {
        let next = self.pairs.len() as u32;
        let id = *self.ids.entry(pair.clone()).or_insert(next);
        if id == next {
            self.pairs.push((pair, round));
        }
        SegmentId::new(id as usize)
    }

    /// The segments that some frames need, the inside first; and the new number of each pair.
    pub(crate) fn needed(&self, frames: &Frames) -> (IndexVec<SegmentId, Segment>, Vec<SegmentId>) {
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

pub(crate) fn rename(mut steps: Vec<Step>, renamed: &[SegmentId]) -> Vec<Step> {
    for step in &mut steps {
        step.inside = step.inside.map(|i| renamed[i.index()]);
    }
    steps
}

/// What a search may do.
#[derive(Clone, Copy)]
struct Scope<'a> {
    /// Enter callees, never to return.
    enter: bool,
    /// Stay among these states.
    guide: Option<&'a IndexVec<NodeId, Bdd>>,
    /// Summaries of this round and later ones must not be used.
    round: u32,
    /// Tell what has been reached by carrying this mark.
    mark: Option<u32>,
}

impl<'a> Scope<'a> {
    fn program(guide: Option<&'a IndexVec<NodeId, Bdd>>) -> Scope<'a> {
        Scope { enter: true, guide, round: u32::MAX, mark: None }
    }
    fn procedure(round: u32, mark: Option<u32>) -> Scope<'static> {
        Scope { enter: false, guide: None, round, mark }
    }
}

/// Steps of each frame, the entry procedure's first.
pub(crate) type Frames = Vec<(ProcId, Vec<Step>)>;

/// The bits of the live variables at a node, in order.
pub(crate) type State = Vec<bool>;

/// The rings of a search, and what it has seen.
pub(crate) struct Search {
    entries: Vec<Entry>,
    /// Where the last ring starts.
    ring: usize,
    seen: FxHashMap<(NodeId, bool), Bdd>,
}

impl Search {
    pub(crate) fn new(node: NodeId, states: Bdd) -> Search {
        let mut seen = FxHashMap::default();
        seen.insert((node, false), states);
        let first = Entry { node, states, marked: false, from: None };
        Search { entries: vec![first], ring: 0, seen }
    }
    /// Where an entry lies.
    pub(crate) fn node(&self, at: u32) -> NodeId {
        self.entries[at as usize].node
    }
    fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.entries.iter().map(|e| e.states).chain(self.seen.values().copied())
    }
}

impl System {
    /// A trace for each goal that has aims, all of which are known to be reached at one of them.
    /// `guide`: states which every trace to an aim stays among.
    pub(crate) fn traces(
        &mut self,
        aims: &[Aim],
        goals: usize,
        shortest: bool,
        guide: Option<&IndexVec<NodeId, Bdd>>,
    ) -> Result<Vec<Option<Box<Trace>>>, Halt> {
        let mut out = vec![None; goals];
        if aims.is_empty() {
            return Ok(out);
        }
        let entry = self.program.procs[self.program.entry].entry;
        let mut start = self.initial()?;
        if let Some(guide) = guide {
            start = self.m.and(start, guide[entry])?;
        }
        let mut search = Search::new(entry, start);
        let hits = self.search_program(&mut search, aims, goals, guide)?;
        // Handles that later goals still need.
        let mut keep: Vec<Bdd> = search.entries.iter().map(|e| e.states).collect();
        keep.extend(hits.iter().flatten().map(|h| h.1));
        let mut library = Library::default();
        for (goal, hit) in hits.into_iter().enumerate() {
            let Some((at, states)) = hit else { continue };
            let (frames, end) = self.read_back(&search, at, states, u32::MAX, &mut library)?;
            let end = self.partial(search.node(at), &end);
            self.explain(&mut library, &keep)?;
            let (segments, renamed) = library.needed(&frames);
            let frames = frames
                .into_iter()
                .map(|(proc, steps)| Frame { proc, steps: rename(steps, &renamed) })
                .collect();
            let target = search.entries[at as usize].node;
            let trace = Trace { segments, frames, target, end, shortest, lasso: None };
            out[goal] = Some(Box::new(trace));
        }
        Ok(out)
    }

    /// Rings over the whole program until every goal is hit: for each the entry, and the states
    /// in it that satisfy the aim's condition.
    pub(crate) fn search_program(
        &mut self,
        search: &mut Search,
        aims: &[Aim],
        goals: usize,
        guide: Option<&IndexVec<NodeId, Bdd>>,
    ) -> Result<Vec<Option<(u32, Bdd)>>, Halt> {
        let mut hits: Vec<Option<(u32, Bdd)>> = vec![None; goals];
        let mut at: FxHashMap<NodeId, Vec<(usize, Bdd)>> = FxHashMap::default();
        let mut open = vec![false; goals];
        for &(goal, node, condition) in aims {
            at.entry(node).or_default().push((goal, condition));
            open[goal] = true;
        }
        let mut seen_entries = 0;
        loop {
            // All entries not looked at yet are at the same distance.
            while seen_entries < search.entries.len() {
                let Entry { node, states, .. } = search.entries[seen_entries];
                for &(goal, condition) in at.get(&node).into_iter().flatten() {
                    if open[goal] && !self.m.disjoint(states, condition)? {
                        hits[goal] = Some((seen_entries as u32, self.m.and(states, condition)?));
                        open[goal] = false;
                    }
                }
                seen_entries += 1;
            }
            if !open.contains(&true) {
                return Ok(hits);
            }
            let mut keep: Vec<Bdd> = hits.iter().flatten().map(|h| h.1).collect();
            keep.extend(aims.iter().map(|aim| aim.2));
            keep.extend(guide.into_iter().flat_map(|g| g.iter()));
            if !self.next_ring(search, Scope::program(guide), &keep)? {
                // Every open goal is reached, and the search is exhaustive: this cannot be.
                let what = "a reached target was not found again by the search for a trace";
                return Err(Halt::internal(what));
            }
        }
    }

    /// Completes the current ring under edges that are no steps, then makes the next one from
    /// it. False if nothing was found. `keep` are handles in use elsewhere.
    fn next_ring(&mut self, search: &mut Search, scope: Scope, keep: &[Bdd]) -> Result<bool, Halt> {
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
        self.budget.work((search.entries.len() - start) as u64 + 1)?;
        if self.want_collection() {
            self.collect(keep.iter().copied().chain(search.roots()).collect::<Vec<Bdd>>());
        }
        Ok(search.entries.len() > before)
    }

    /// Applies the edges that are steps, or those that are none, to one entry.
    fn expand(
        &mut self,
        search: &mut Search,
        at: u32,
        steps: bool,
        scope: Scope,
    ) -> Result<(), Halt> {
        let Entry { node, states, marked, .. } = search.entries[at as usize];
        for e in self.program.out_edges(node) {
            if self.program.edges[e].step != steps {
                continue;
            }
            let carries = marked || scope.mark.is_some_and(|i| self.carries(e, i));
            match self.compile(e)? {
                Compiled::Local(step) => {
                    let to = self.step(step, states)?;
                    let target = self.program.edges[e].target().expect("a step has a target");
                    self.found(search, target, carries, to, (at, e, How::Step), scope)?;
                }
                Compiled::Call(site) => {
                    let site = self.sites[site as usize];
                    let called = self.m.image(states, site.rel.enter, site.rel.call)?;
                    if scope.enter {
                        let to = self.m.exists_rename(called, site.rel.entries)?;
                        let entry = self.program.procs[site.callee].entry;
                        self.found(search, entry, carries, to, (at, e, How::Enter), scope)?;
                    }
                    for (mark, how) in [(None, How::Jump), (scope.mark, How::MarkedJump)] {
                        if how == How::MarkedJump && (mark.is_none() || carries) {
                            continue;
                        }
                        let count = self.parts_below(site.callee, mark, scope.round);
                        if count > 0 {
                            let pairs = self.parts(site.callee, mark)[count - 1].up_to_here;
                            let to = self.jump(site.rel, called, pairs)?;
                            let carries = carries || how == How::MarkedJump;
                            self.found(search, site.ret, carries, to, (at, e, how), scope)?;
                        }
                    }
                }
                Compiled::Return(_) | Compiled::Not => {}
            }
        }
        Ok(())
    }

    fn found(
        &mut self,
        search: &mut Search,
        node: NodeId,
        marked: bool,
        mut states: Bdd,
        from: (u32, EdgeId, How),
        scope: Scope,
    ) -> Result<(), Halt> {
        if let Some(guide) = scope.guide {
            states = self.m.and(states, guide[node])?;
        }
        let old = search.seen.get(&(node, marked)).copied().unwrap_or(Bdd::FALSE);
        let new = self.m.diff(states, old)?;
        if !new.is_false() {
            search.seen.insert((node, marked), self.m.or(old, new)?);
            search.entries.push(Entry { node, states: new, marked, from: Some(from) });
        }
        Ok(())
    }

    /// How many parts of a procedure's summary were published before `round`.
    fn parts_below(&self, proc: ProcId, mark: Option<u32>, round: u32) -> usize {
        self.parts(proc, mark).partition_point(|p| p.round < round)
    }

    /// Reads a path to a state of the given entry off the search, backwards: the frames in order,
    /// and the state at the end. Completed calls are asked of the library.
    pub(crate) fn read_back(
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
        let program = self.program.clone();
        let mut at = at;
        let node = search.entries[at as usize].node;
        let mut state = self.pick(states, node)?;
        let end = state.clone();
        let mut frames: Frames = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        while let Some((from, e, how)) = search.entries[at as usize].from {
            let here = search.entries[at as usize].node;
            let Entry { node: source, states, .. } = search.entries[from as usize];
            let mut inside = None;
            let before = match (how, &program.edges[e].kind) {
                (How::Step, EdgeKind::Local { .. }) => self.before_step(e, states, here, &state)?,
                (How::Enter, EdgeKind::Call(call)) => {
                    frames.push((call.callee, std::mem::take(&mut steps)));
                    self.before_entering(e, call, states, here, &state)?
                }
                (How::Jump | How::MarkedJump, EdgeKind::Call(call)) => {
                    let mark = mark.filter(|_| how == How::MarkedJump);
                    let (before, pair, round) =
                        self.before_jump(e, call, states, &state, round, mark)?;
                    inside = Some(library.ask(pair, round));
                    before
                }
                _ => unreachable!("an edge is followed as what it is"),
            };
            steps.push(Step { edge: e, state: self.partial(source, &before), inside });
            state = before;
            at = from;
        }
        let bottom = program.nodes[search.entries[at as usize].node].proc;
        frames.push((bottom, steps));
        frames.reverse();
        for (_, steps) in &mut frames {
            steps.reverse();
        }
        Ok((frames, end))
    }

    /// A state out of `states` from which the step `e` leads to `state`.
    fn before_step(
        &mut self,
        e: EdgeId,
        states: Bdd,
        here: NodeId,
        state: &State,
    ) -> Result<State, Halt> {
        let program = self.program.clone();
        let (EdgeKind::Local { rel, .. }, Compiled::Local(step)) =
            (&program.edges[e].kind, self.compile(e)?)
        else {
            unreachable!("a step")
        };
        let mut literals = Vec::new();
        for (var, bits) in self.values(here, state) {
            let assigned = rel.assigns.iter().any(|a| a.var == var);
            self.literals(if assigned { Copy::Post } else { Copy::Pre }, var, bits, &mut literals);
        }
        let fixed = self.m.literals(&literals)?;
        let possible = self.m.and(states, fixed)?;
        let possible = self.m.and(possible, step.rel)?;
        self.pick(possible, program.edges[e].source)
    }

    /// A state out of `states` from which the call `e` enters with `state`.
    fn before_entering(
        &mut self,
        e: EdgeId,
        call: &Call,
        states: Bdd,
        here: NodeId,
        state: &State,
    ) -> Result<State, Halt> {
        let rel = self.site(e)?.rel;
        let parts = CallParts::new(&self.context, &self.m, call, rel.back);
        let mut literals = Vec::new();
        for (var, bits) in self.values(here, state) {
            if parts.own.contains(&var) {
                self.literals(Copy::Inner, var, bits, &mut literals);
            } else if parts.shared.contains(&var) {
                self.literals(Copy::Pre, var, bits, &mut literals);
            }
        }
        let fixed = self.m.literals(&literals)?;
        let possible = self.m.and(states, fixed)?;
        let possible = self.m.and(possible, rel.enter)?;
        self.pick(possible, self.program.edges[e].source)
    }

    /// A state out of `states` from which the completed call `e` leads to `state`, by a pair of
    /// the smallest round, which comes with it.
    pub(crate) fn before_jump(
        &mut self,
        e: EdgeId,
        call: &Call,
        states: Bdd,
        state: &State,
        round: u32,
        mark: Option<u32>,
    ) -> Result<(State, Pair, u32), Halt> {
        let callee = call.callee;
        let rel = self.site(e)?.rel;
        let parts = CallParts::new(&self.context, &self.m, call, rel.back);
        let called = self.m.image(states, rel.enter, rel.call)?;
        // From what `called` and a pair are about to the state after: `back`, before the copies of
        // `returned` variables are brought home.
        let mut literals = Vec::new();
        for (var, bits) in self.values(call.ret, state) {
            let copy = if parts.back_assigned.contains(&var) {
                Copy::Post
            } else if self.context.exit_vars[callee].contains(&var) {
                Copy::Exit
            } else if parts.returned.contains(&var) {
                Copy::Inner
            } else {
                Copy::Pre
            };
            self.literals(copy, var, bits, &mut literals);
        }
        let home = self.context.pairs(Copy::Pre, Copy::Inner, parts.returned.iter().copied());
        let back = self.m.rename(rel.back, &home)?;
        let fixed = self.m.literals(&literals)?;
        let fixed = self.m.and(fixed, back)?;
        let fixed = self.m.and(fixed, called)?;
        // Parts are cumulative: find the first one that has a fitting pair.
        let (mut low, mut high) = (0, self.parts_below(callee, mark, round));
        while low < high {
            let middle = (low + high) / 2;
            let pairs = self.parts(callee, mark)[middle].up_to_here;
            match self.m.disjoint(pairs, fixed)? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let Some(&part) = self.parts(callee, mark).get(low) else {
            return Err(Halt::internal("a jump in a trace has no summary to stand on"));
        };
        let possible = self.m.and(part.up_to_here, fixed)?;
        let context = &self.context;
        let entry_vars = || context.entry_vars[callee].iter().copied();
        let entry: Vec<u32> = context.bits(Copy::Inner, entry_vars()).collect();
        let exit_vars = context.exit_vars[callee].iter().copied();
        let exit: Vec<u32> = context.bits(Copy::Exit, exit_vars).collect();
        let kept: Vec<u32> = context.bits(Copy::Pre, parts.kept.iter().copied()).collect();
        let all: Vec<u32> = entry.iter().chain(&exit).chain(&kept).copied().collect();
        let Some(values) = self.m.pick_minterm(possible, &all) else {
            return Err(Halt::internal("a jump in a trace has no pair"));
        };
        let values: Vec<bool> = values.into_iter().map(|v| v.1).collect();
        let (entry_values, rest) = values.split_at(entry.len());
        let (exit_values, kept_values) = rest.split_at(exit.len());

        // From the state before to `called`.
        let mut literals = Vec::new();
        let mut bits = entry_values.iter().copied();
        for var in entry_vars() {
            let copy = if parts.shared.contains(&var) { Copy::Pre } else { Copy::Inner };
            literals.extend(context.slots.bits(copy, var).zip(bits.by_ref()));
        }
        let mut bits = kept_values.iter().copied();
        for &var in &parts.kept {
            let copy = if parts.saved.contains(&var) { Copy::Saved } else { Copy::Pre };
            literals.extend(context.slots.bits(copy, var).zip(bits.by_ref()));
        }
        let fixed = self.m.literals(&literals)?;
        let before = self.m.and(states, fixed)?;
        let before = self.m.and(before, rel.enter)?;
        let before = self.pick(before, self.program.edges[e].source)?;
        // Where every run carries the mark, any will do.
        let always = |i: &u32| matches!(self.marked[*i as usize][callee], Marked::Always);
        let mark = mark.filter(|i| !always(i));
        let pair =
            Pair { proc: callee, mark, entry: entry_values.into(), exit: exit_values.into() };
        Ok((before, pair, part.round))
    }

    /// Finds the segments of all pairs, and of the pairs that they ask for in turn.
    pub(crate) fn explain(&mut self, library: &mut Library, keep: &[Bdd]) -> Result<(), Halt> {
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
        let program = self.program.clone();
        let proc = pair.proc;
        let context = &self.context;
        let entry_bits = context.bits(Copy::Pre, context.entry_vars[proc].iter().copied());
        let entry: Vec<(u32, bool)> = entry_bits.zip(pair.entry.iter().copied()).collect();
        let exit_bits = context.bits(Copy::Exit, context.exit_vars[proc].iter().copied());
        let exit: Vec<(u32, bool)> = exit_bits.zip(pair.exit.iter().copied()).collect();
        let start = self.m.literals(&entry)?;
        let exit = self.m.literals(&exit)?;
        let keep: Vec<Bdd> = keep.iter().copied().chain([exit]).collect();
        let mut search = Search::new(program.procs[proc].entry, start);
        let mut looked_at = 0;
        loop {
            while looked_at < search.entries.len() {
                let Entry { node, states, marked, .. } = search.entries[looked_at];
                for e in program.out_edges(node) {
                    if !marked && pair.mark.is_some_and(|i| !self.carries(e, i)) {
                        continue;
                    }
                    let Compiled::Return(ret) = self.compile(e)? else { continue };
                    let exits = self.m.image(states, ret.rel, ret.image)?;
                    if self.m.disjoint(exits, exit)? {
                        continue;
                    }
                    let last = self.leaving(e, pair)?;
                    let states = self.m.and(states, last)?;
                    let at = looked_at as u32;
                    let (mut frames, end) =
                        self.read_back_marked(&search, at, states, round, pair.mark, library)?;
                    let end = self.partial(node, &end);
                    let (_, mut steps) = frames.pop().expect("a search has a bottom frame");
                    steps.push(Step { edge: e, state: end, inside: None });
                    return Ok(Segment { proc, steps, exit: self.exit_partial(pair) });
                }
                looked_at += 1;
            }
            if !self.next_ring(&mut search, Scope::procedure(round, pair.mark), &keep)? {
                return Err(Halt::internal("a summary has no run behind it"));
            }
        }
    }

    /// A shortest way from an entry of a procedure among `start` by the call `e` to an entry of the
    /// callee among `target`, that call included: the steps of the frame, and the state before the
    /// call. With a mark, the way carries it.
    pub(crate) fn way_to_call(
        &mut self,
        proc: ProcId,
        start: Bdd,
        e: EdgeId,
        target: Bdd,
        mark: Option<u32>,
        library: &mut Library,
    ) -> Result<Vec<Step>, Halt> {
        let program = self.program.clone();
        let site = self.site(e)?;
        let aim = self.enter_back(site, target)?;
        let keep = [aim, target];
        let mut search = Search::new(program.procs[proc].entry, start);
        let mut looked_at = 0;
        loop {
            while looked_at < search.entries.len() {
                let Entry { node, states, marked, .. } = search.entries[looked_at];
                let fits = marked || mark.is_none_or(|i| self.carries(e, i));
                if node == site.source && fits && !self.m.disjoint(states, aim)? {
                    let states = self.m.and(states, aim)?;
                    let (mut frames, end) = self.read_back_marked(
                        &search,
                        looked_at as u32,
                        states,
                        u32::MAX,
                        mark,
                        library,
                    )?;
                    let (_, mut steps) = frames.pop().expect("a search has a bottom frame");
                    let state = self.partial(node, &end);
                    steps.push(Step { edge: e, state, inside: None });
                    return Ok(steps);
                }
                looked_at += 1;
            }
            if !self.next_ring(&mut search, Scope::procedure(u32::MAX, mark), &keep)? {
                return Err(Halt::internal("a way between entries has no run behind it"));
            }
        }
    }

    /// The states from which the return `e` leaves as the pair says.
    fn leaving(&mut self, e: EdgeId, pair: &Pair) -> Result<Bdd, Halt> {
        let program = self.program.clone();
        let (Compiled::Return(ret), EdgeKind::Return { rel }) =
            (self.compile(e)?, &program.edges[e].kind)
        else {
            unreachable!("a segment ends with a return")
        };
        let mut literals = Vec::new();
        let mut values = pair.exit.iter().copied();
        for &var in &self.context.exit_vars[pair.proc] {
            let assigned = rel.assigns.iter().any(|a| a.var == var);
            let is_result = matches!(program.vars[var].kind, VarKind::Result(_));
            let copy = if assigned || is_result { Copy::Exit } else { Copy::Pre };
            literals.extend(self.context.slots.bits(copy, var).zip(values.by_ref()));
        }
        let fixed = self.m.literals(&literals)?;
        // Only the values before the return remain.
        let exit = self.context.exit_vars[pair.proc].iter().copied();
        let exit: Vec<u32> = self.context.bits(Copy::Exit, exit).collect();
        let cube = self.m.cube(&exit)?;
        Ok(self.m.and_exists(ret.rel, fixed, cube)?)
    }

    /// A state out of a set that is not empty: values for the live variables of a node.
    pub(crate) fn pick(&self, states: Bdd, node: NodeId) -> Result<State, Halt> {
        let context = &self.context;
        let vars = context.live.vars(&context.program, node);
        let bits: Vec<u32> = context.bits(Copy::Pre, vars).collect();
        match self.m.pick_minterm(states, &bits) {
            Some(values) => Ok(values.into_iter().map(|v| v.1).collect()),
            None => Err(Halt::internal("a state of a trace has no predecessor")),
        }
    }

    /// The live variables of a node with the bits of their values.
    fn values<'s>(
        &'s self,
        node: NodeId,
        state: &'s State,
    ) -> impl Iterator<Item = (VarId, &'s [bool])> {
        let mut rest = state.as_slice();
        self.context.live.vars(&self.context.program, node).map(move |var| {
            let count = self.context.slots.layout.slot(var).bits().len();
            let (bits, tail) = rest.split_at(count);
            rest = tail;
            (var, bits)
        })
    }

    fn literals(&self, copy: Copy, var: VarId, bits: &[bool], out: &mut Vec<(u32, bool)>) {
        out.extend(self.context.slots.bits(copy, var).zip(bits.iter().copied()));
    }

    pub(crate) fn partial(&self, node: NodeId, state: &State) -> Partial {
        let layout = &self.context.slots.layout;
        let proc = self.program.nodes[node].proc;
        let mut out = Partial::unknown(layout.global_bits + layout.frame_bits[proc]);
        for (var, bits) in self.values(node, state) {
            let base = base(&self.program, layout, var);
            for (bit, &value) in layout.slot(var).bits().zip(bits.iter()) {
                out.set(base + bit, Some(value));
            }
        }
        out
    }

    fn exit_partial(&self, pair: &Pair) -> Partial {
        let layout = &self.context.slots.layout;
        let mut out = Partial::unknown(layout.global_bits + layout.result_bits[pair.proc]);
        let mut values = pair.exit.iter().copied();
        for &var in &self.context.exit_vars[pair.proc] {
            let base = base(&self.program, layout, var);
            for bit in layout.slot(var).bits() {
                out.set(base + bit, values.next());
            }
        }
        out
    }
}

/// Where the area of a variable starts in a [`Partial`]: globals first, then the rest.
pub(crate) fn base(program: &Program, layout: &ir::Layout, var: VarId) -> u32 {
    match program.vars[var].kind {
        VarKind::Global => 0,
        _ => layout.global_bits,
    }
}
