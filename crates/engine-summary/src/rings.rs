//! Shortest hierarchical traces ([bebop §3.2]).
//!
//! After saturation, a breadth-first search over states with summaries as unit edges gives the
//! rings: the states at each distance from the start. A trace is read off backwards. Frames that
//! are still open at its end contribute all their steps, completed calls one each; what happens
//! inside a completed call is a [`Segment`], found by the same search inside the callee.
//!
//! Two facts keep this well-founded and small:
//! - A pair of a summary that was published in round k was derived from pairs of smaller rounds
//!   alone, so the search inside it uses only those (or `f() { if (*) f(); }` expands for ever).
//! - A segment is determined by procedure, entry and exit; each is searched once.

use crate::relation::CallParts;
use crate::slots::Copy;
use crate::summaries::{Compiled, Halt, Saturation};
use bdd::Bdd;
use check::{Frame, Partial, Segment, SegmentId, Step, Trace};
use ir::{EdgeId, EdgeKind, Id, IndexVec, NodeId, ProcId, VarId, VarKind};
use rustc_hash::FxHashMap;

/// States found by a search: those new at `node` when `edge` was applied to an earlier entry.
struct Entry {
    node: NodeId,
    states: Bdd,
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
}

/// A completed call to be explained: one pair of a summary.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Pair {
    proc: ProcId,
    /// Values of the entry variables' bits and of the exit variables' bits, in order.
    entry: Box<[bool]>,
    exit: Box<[bool]>,
}

/// The pairs asked for so far, numbered in order of discovery.
#[derive(Default)]
struct Pairs {
    ids: FxHashMap<Pair, u32>,
    /// With the round that published it.
    list: Vec<(Pair, u32)>,
}

/// The pairs asked for, and the segments that explain the first of them.
#[derive(Default)]
struct Library {
    pairs: Pairs,
    found: Vec<Segment>,
}

impl Library {
    /// The segments that some frames need, the inside first; and the new number of each pair.
    fn needed(&self, frames: &Frames) -> (IndexVec<SegmentId, Segment>, Vec<SegmentId>) {
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
        order.sort_by_key(|&i| self.pairs.list[i].1);
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

/// What a search may do.
#[derive(Clone, Copy)]
enum Scope {
    /// Everything.
    Program,
    /// Stay in one procedure; use summaries published before this round.
    Below { round: u32 },
}

/// Steps, latest first, of the frame at the top; bounded by calls that entered it.
type Frames = Vec<(ProcId, Vec<Step>)>;

impl Saturation<'_> {
    /// A trace for each goal that has targets.
    pub(crate) fn traces(
        &mut self,
        targets: &[(usize, NodeId, Bdd)],
        goals: usize,
        shortest: bool,
    ) -> Result<Vec<Option<Box<Trace>>>, Halt> {
        let mut out = vec![None; goals];
        if targets.is_empty() {
            return Ok(out);
        }
        let start = self.initial()?;
        let program = self.context.program;
        let entry = program.procs[program.entry].entry;
        let mut search = Search::new(entry, start);
        let hits = self.search_program(&mut search, targets, goals)?;
        // Handles that later goals still need.
        let mut keep: Vec<Bdd> = search.entries.iter().map(|e| e.states).collect();
        keep.extend(hits.iter().flatten().map(|h| h.1));
        let mut library = Library::default();
        for (goal, hit) in hits.into_iter().enumerate() {
            let Some((at, states)) = hit else { continue };
            let pairs = &mut library.pairs;
            let (frames, end) = self.read_back(&search, at, states, u32::MAX, pairs)?;
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
    /// in it that satisfy the target's condition.
    fn search_program(
        &mut self,
        search: &mut Search,
        targets: &[(usize, NodeId, Bdd)],
        goals: usize,
    ) -> Result<Vec<Option<(u32, Bdd)>>, Halt> {
        let mut hits: Vec<Option<(u32, Bdd)>> = vec![None; goals];
        let mut at: FxHashMap<NodeId, Vec<(usize, Bdd)>> = FxHashMap::default();
        let mut open = vec![false; goals];
        for &(goal, node, condition) in targets {
            at.entry(node).or_default().push((goal, condition));
            open[goal] = true;
        }
        let mut seen_entries = 0;
        while open.iter().any(|&o| o) {
            // Entries of one level are all at the same distance: look at those not looked at yet.
            while seen_entries < search.entries.len() {
                let entry = &search.entries[seen_entries];
                for &(goal, condition) in at.get(&entry.node).into_iter().flatten() {
                    if open[goal] && !self.m.disjoint(entry.states, condition)? {
                        let states = self.m.and(entry.states, condition)?;
                        hits[goal] = Some((seen_entries as u32, states));
                        open[goal] = false;
                    }
                }
                seen_entries += 1;
            }
            if !open.iter().any(|&o| o) {
                break;
            }
            let found: Vec<Bdd> = hits.iter().flatten().map(|h| h.1).collect();
            if !self.next_ring(search, Scope::Program, &[&found])? {
                // Every open goal is reached, and the search is exhaustive: this cannot be.
                let what = "a reached target was not found again by the search for a trace";
                let what = what.to_owned();
                return Err(Halt::Budget(check::StopReason::Internal { what }));
            }
        }
        Ok(hits)
    }

    /// Completes the current ring under edges that are no steps, then makes the next one from
    /// it. False if nothing was found. `keep` are handles in use elsewhere.
    fn next_ring(
        &mut self,
        search: &mut Search,
        scope: Scope,
        keep: &[&[Bdd]],
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
        self.budget.work((search.entries.len() - start) as u64 + 1)?;
        if self.m.want_gc() {
            let kept = keep.iter().flat_map(|k| k.iter().copied());
            let entries = search.entries.iter().map(|e| e.states);
            let seen = search.seen.values().copied();
            self.collect(kept.chain(entries).chain(seen).chain(search.lifted.values().copied()));
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
        let Entry { node, states, .. } = search.entries[at as usize];
        let program = self.context.program;
        for e in program.out_edges(node) {
            if program.edges[e].step != steps {
                continue;
            }
            match self.compile(e)? {
                Compiled::Local(step) => {
                    let to = match step.identity {
                        true => states,
                        false => self.m.image(states, step.rel, step.spec)?,
                    };
                    let target = program.edges[e].target().expect("a step has a target");
                    self.found(search, target, to, (at, e, How::Step))?;
                }
                Compiled::Call(site) => {
                    let lifted = match scope {
                        Scope::Program => {
                            let to = self.enter(site, states)?;
                            let callee = self.sites[site as usize].callee;
                            let entry = program.procs[callee].entry;
                            self.found(search, entry, to, (at, e, How::Enter))?;
                            self.sites[site as usize].lifted
                        }
                        Scope::Below { round } => self.lifted_below(search, site, round)?,
                    };
                    if !lifted.is_false() {
                        let site = &self.sites[site as usize];
                        let (ret, spec) = (site.ret, site.rel.jump_spec);
                        let to = self.m.image(states, lifted, spec)?;
                        self.found(search, ret, to, (at, e, How::Jump))?;
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
        states: Bdd,
        from: (u32, EdgeId, How),
    ) -> Result<(), Halt> {
        let old = search.seen.get(&node).copied().unwrap_or(Bdd::FALSE);
        let new = self.m.diff(states, old)?;
        if !new.is_false() {
            search.seen.insert(node, self.m.or(old, new)?);
            search.entries.push(Entry { node, states: new, from: Some(from) });
        }
        Ok(())
    }

    /// How many parts of the callee's summary were published before `round`.
    fn parts_below(&self, proc: ProcId, round: u32) -> usize {
        self.procs[proc].parts.partition_point(|p| p.round < round)
    }

    fn lifted_below(&mut self, search: &mut Search, site: u32, round: u32) -> Result<Bdd, Halt> {
        let callee = self.sites[site as usize].callee;
        let parts = self.parts_below(callee, round);
        if parts == 0 {
            return Ok(Bdd::FALSE);
        }
        if parts == self.procs[callee].parts.len() {
            return Ok(self.sites[site as usize].lifted);
        }
        if let Some(&lifted) = search.lifted.get(&(site, parts)) {
            return Ok(lifted);
        }
        let pairs = self.procs[callee].parts[parts - 1].up_to_here;
        let lifted = self.lift(site, pairs)?;
        search.lifted.insert((site, parts), lifted);
        Ok(lifted)
    }

    /// Reads a path to a state of the given entry off the search, backwards: the frames in order,
    /// and the state at the end. Completed calls are added to `pairs`.
    fn read_back(
        &mut self,
        search: &Search,
        at: u32,
        states: Bdd,
        round: u32,
        pairs: &mut Pairs,
    ) -> Result<(Frames, Partial), Halt> {
        let program = self.context.program;
        let mut at = at;
        let node = search.entries[at as usize].node;
        let mut state = self.pick(states, node);
        let end = self.partial(node, &state);
        let mut frames: Frames = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        while let Some((from, e, how)) = search.entries[at as usize].from {
            let here = search.entries[at as usize].node;
            let source = &search.entries[from as usize];
            let (source_node, source_states) = (source.node, source.states);
            let mut inside = None;
            let before = match (how, &program.edges[e].kind, self.compile(e)?) {
                (How::Step, EdgeKind::Local { target, rel }, Compiled::Local(step)) => {
                    let mut literals = Vec::new();
                    for (var, bits) in self.values(here, &state) {
                        let copy = match rel.assigns.iter().any(|a| a.var == var) {
                            true => Copy::Post,
                            false => Copy::Pre,
                        };
                        self.literals(copy, var, bits, &mut literals);
                    }
                    debug_assert!(*target == here);
                    let fixed = self.m.literals(&literals)?;
                    let possible = self.m.and(source_states, fixed)?;
                    let possible = self.m.and(possible, step.rel)?;
                    self.pick(possible, source_node)
                }
                (How::Enter, EdgeKind::Call(call), Compiled::Call(site)) => {
                    let parts = CallParts::new(&self.context, call);
                    let mut literals = Vec::new();
                    for (var, bits) in self.values(here, &state) {
                        if parts.own.contains(&var) {
                            self.literals(Copy::Entry, var, bits, &mut literals);
                        } else if parts.shared.contains(&var) {
                            self.literals(Copy::Pre, var, bits, &mut literals);
                        }
                    }
                    let fixed = self.m.literals(&literals)?;
                    let possible = self.m.and(source_states, fixed)?;
                    let enter = self.sites[site as usize].rel.enter;
                    let possible = self.m.and(possible, enter)?;
                    frames.push((call.callee, std::mem::take(&mut steps)));
                    self.pick(possible, source_node)
                }
                (How::Jump, EdgeKind::Call(call), Compiled::Call(site)) => {
                    let parts = CallParts::new(&self.context, call);
                    let changed = parts.changed(&self.context, call);
                    let mut literals = Vec::new();
                    for (var, bits) in self.values(here, &state) {
                        let copy = match changed.binary_search(&var) {
                            Ok(_) => Copy::Post,
                            Err(_) => Copy::Pre,
                        };
                        self.literals(copy, var, bits, &mut literals);
                    }
                    let lifted = match round {
                        u32::MAX => self.sites[site as usize].lifted,
                        _ => {
                            let count = self.parts_below(call.callee, round);
                            let all = count == self.procs[call.callee].parts.len();
                            match search.lifted.get(&(site, count)) {
                                Some(&lifted) if !all => lifted,
                                _ => self.sites[site as usize].lifted,
                            }
                        }
                    };
                    let fixed = self.m.literals(&literals)?;
                    let possible = self.m.and(source_states, fixed)?;
                    let possible = self.m.and(possible, lifted)?;
                    let before = self.pick(possible, source_node);
                    let ends = [(source_node, &before), (here, &state)];
                    inside = Some(self.pair(call, site, &parts, ends, round, pairs)?);
                    before
                }
                _ => unreachable!("an edge is followed as what it is"),
            };
            let partial = self.partial(source_node, &before);
            let inside = inside.map(|i| SegmentId::new(i as usize));
            steps.push(Step { edge: e, state: partial, inside });
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

    /// The pair of the callee's summary that leads from `before` the call to `after` it, of the
    /// smallest round.
    fn pair(
        &mut self,
        call: &ir::Call,
        site: u32,
        parts: &CallParts,
        [before, after]: [(NodeId, &State); 2],
        round: u32,
        pairs: &mut Pairs,
    ) -> Result<u32, Halt> {
        let callee = call.callee;
        let rel = self.sites[site as usize].rel;
        let mut literals = Vec::new();
        for (var, bits) in self.values(before.0, before.1) {
            self.literals(Copy::Pre, var, bits, &mut literals);
            if parts.shared.contains(&var) {
                self.literals(Copy::Entry, var, bits, &mut literals);
            }
        }
        for (var, bits) in self.values(after.0, after.1) {
            let copy = if parts.back_assigned.contains(&var) {
                Copy::Post
            } else if self.context.exit_vars[callee].contains(&var) {
                Copy::Exit
            } else if parts.saved.contains(&var) {
                Copy::Saved
            } else {
                continue;
            };
            self.literals(copy, var, bits, &mut literals);
        }
        let fixed = self.m.literals(&literals)?;
        let fixed = self.m.and(fixed, rel.enter)?;
        let fixed = self.m.and(fixed, rel.back)?;
        // Parts are cumulative: find the first one that has a fitting pair.
        let count = self.parts_below(callee, round);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high) / 2;
            let pairs = self.procs[callee].parts[middle].up_to_here;
            match self.m.disjoint(pairs, fixed)? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let Some(&part) = self.procs[callee].parts.get(low) else {
            let what = "a jump in a trace has no summary to stand on".to_owned();
            return Err(Halt::Budget(check::StopReason::Internal { what }));
        };
        let mut possible = self.m.and(part.up_to_here, fixed)?;
        if low > 0 {
            let before = self.procs[callee].parts[low - 1].up_to_here;
            possible = self.m.diff(possible, before)?;
        }
        let context = &self.context;
        let entry: Vec<u32> =
            context.bits(Copy::Entry, context.entry_vars[callee].iter().copied()).collect();
        let exit: Vec<u32> =
            context.bits(Copy::Exit, context.exit_vars[callee].iter().copied()).collect();
        let bits: Vec<u32> = entry.iter().chain(&exit).copied().collect();
        let values = self.m.pick_minterm(possible, &bits).expect("the part fits");
        let (first, second) = values.split_at(entry.len());
        let pair = Pair {
            proc: callee,
            entry: first.iter().map(|v| v.1).collect(),
            exit: second.iter().map(|v| v.1).collect(),
        };
        let next = pairs.list.len() as u32;
        Ok(*pairs.ids.entry(pair.clone()).or_insert_with(|| {
            pairs.list.push((pair, part.round));
            next
        }))
    }

    /// Finds the segments of all pairs, and of the pairs that they ask for in turn.
    fn explain(&mut self, library: &mut Library, keep: &[Bdd]) -> Result<(), Halt> {
        while library.found.len() < library.pairs.list.len() {
            let (pair, round) = library.pairs.list[library.found.len()].clone();
            let segment = self.segment(&pair, round, &mut library.pairs, keep)?;
            library.found.push(segment);
        }
        Ok(())
    }

    /// A shortest way through the callee from entry to exit.
    fn segment(
        &mut self,
        pair: &Pair,
        round: u32,
        pairs: &mut Pairs,
        keep: &[Bdd],
    ) -> Result<Segment, Halt> {
        let program = self.context.program;
        let proc = pair.proc;
        let context = &self.context;
        let entry_bits = context.bits(Copy::Pre, context.entry_vars[proc].iter().copied());
        let entry: Vec<(u32, bool)> = entry_bits.zip(pair.entry.iter().copied()).collect();
        let exit_bits = context.bits(Copy::Exit, context.exit_vars[proc].iter().copied());
        let exit: Vec<(u32, bool)> = exit_bits.zip(pair.exit.iter().copied()).collect();
        let start = self.m.literals(&entry)?;
        let exit = self.m.literals(&exit)?;
        let mut search = Search::new(program.procs[proc].entry, start);
        let mut looked_at = 0;
        loop {
            while looked_at < search.entries.len() {
                let Entry { node, states, .. } = search.entries[looked_at];
                for e in program.out_edges(node) {
                    let Compiled::Return(step) = self.compile(e)? else { continue };
                    let exits = self.m.image(states, step.rel, step.spec)?;
                    if self.m.disjoint(exits, exit)? {
                        continue;
                    }
                    let last = self.leaving(e, pair)?;
                    let states = self.m.and(states, last)?;
                    let at = looked_at as u32;
                    let (mut frames, end) = self.read_back(&search, at, states, round, pairs)?;
                    let (_, mut steps) = frames.pop().expect("a search has a bottom frame");
                    steps.push(Step { edge: e, state: end, inside: None });
                    return Ok(Segment { proc, steps, exit: self.exit_partial(pair) });
                }
                looked_at += 1;
            }
            if !self.next_ring(&mut search, Scope::Below { round }, &[keep, &[exit]])? {
                let what = "a summary has no run behind it".to_owned();
                return Err(Halt::Budget(check::StopReason::Internal { what }));
            }
        }
    }

    /// The states from which the return `e` leaves as the pair says.
    fn leaving(&mut self, e: EdgeId, pair: &Pair) -> Result<Bdd, Halt> {
        let Compiled::Return(step) = self.compile(e)? else {
            unreachable!("a segment ends with a return")
        };
        let program = self.context.program;
        let EdgeKind::Return { rel } = &program.edges[e].kind else {
            unreachable!("a segment ends with a return")
        };
        let mut literals = Vec::new();
        let mut values = pair.exit.iter().copied();
        for &var in &self.context.exit_vars[pair.proc] {
            let assigned = rel.assigns.iter().any(|a| a.var == var);
            let is_result = matches!(program.vars[var].kind, VarKind::Result(_));
            let copy = if assigned || is_result { Copy::Exit } else { Copy::Pre };
            for bit in self.context.slots.bits(copy, var) {
                literals.push((bit, values.next().expect("a value for each bit")));
            }
        }
        let fixed = self.m.literals(&literals)?;
        let possible = self.m.and(step.rel, fixed)?;
        // Only the values before the return remain.
        let results = program.procs[pair.proc].results.iter().copied();
        let vars: Vec<VarId> = results.chain(rel.assigns.iter().map(|a| a.var)).collect();
        let exit: Vec<u32> = self.context.bits(Copy::Exit, vars).collect();
        let cube = self.m.cube(&exit)?;
        Ok(self.m.exists(possible, cube)?)
    }

    /// A state out of a set that is not empty: values for the live variables of a node.
    fn pick(&self, states: Bdd, node: NodeId) -> State {
        let context = &self.context;
        let vars = context.live.vars(context.program, node);
        let bits: Vec<u32> = context.bits(Copy::Pre, vars).collect();
        let values = self.m.pick_minterm(states, &bits).expect("the set is not empty");
        values.into_iter().map(|v| v.1).collect()
    }

    /// The live variables of a node with the bits of their values.
    fn values<'s>(
        &'s self,
        node: NodeId,
        state: &'s State,
    ) -> impl Iterator<Item = (VarId, &'s [bool])> {
        let mut rest = state.as_slice();
        self.context.live.vars(self.context.program, node).map(move |var| {
            let count = self.context.slots.layout.slot(var).bits().len();
            let (bits, tail) = rest.split_at(count);
            rest = tail;
            (var, bits)
        })
    }

    fn literals(&self, copy: Copy, var: VarId, bits: &[bool], out: &mut Vec<(u32, bool)>) {
        out.extend(self.context.slots.bits(copy, var).zip(bits.iter().copied()));
    }

    fn partial(&self, node: NodeId, state: &State) -> Partial {
        let layout = &self.context.slots.layout;
        let program = self.context.program;
        let proc = program.nodes[node].proc;
        let mut out = Partial::unknown(layout.global_bits + layout.frame_bits[proc]);
        for (var, bits) in self.values(node, state) {
            let base = match program.vars[var].kind {
                VarKind::Global => 0,
                _ => layout.global_bits,
            };
            for (bit, &value) in layout.slot(var).bits().zip(bits.iter()) {
                out.set(base + bit, Some(value));
            }
        }
        out
    }

    fn exit_partial(&self, pair: &Pair) -> Partial {
        let layout = &self.context.slots.layout;
        let program = self.context.program;
        let mut out = Partial::unknown(layout.global_bits + layout.result_bits[pair.proc]);
        let mut values = pair.exit.iter().copied();
        for &var in &self.context.exit_vars[pair.proc] {
            let base = match program.vars[var].kind {
                VarKind::Global => 0,
                _ => layout.global_bits,
            };
            for bit in layout.slot(var).bits() {
                out.set(base + bit, values.next());
            }
        }
        out
    }
}

/// The bits of the live variables at a node, in order.
type State = Vec<bool>;

/// The rings of a search, and what it has seen.
struct Search {
    entries: Vec<Entry>,
    /// Where the last ring starts.
    ring: usize,
    seen: FxHashMap<NodeId, Bdd>,
    /// Lifted parts of summaries, by call and number of parts.
    lifted: FxHashMap<(u32, usize), Bdd>,
}

impl Search {
    fn new(node: NodeId, states: Bdd) -> Search {
        let mut seen = FxHashMap::default();
        seen.insert(node, states);
        let entries = vec![Entry { node, states, from: None }];
        Search { entries, ring: 0, seen, lifted: FxHashMap::default() }
    }
}

fn rename(mut steps: Vec<Step>, renamed: &[SegmentId]) -> Vec<Step> {
    for step in &mut steps {
        step.inside = step.inside.map(|i| renamed[i.index()]);
    }
    steps
}
