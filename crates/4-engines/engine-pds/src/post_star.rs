//! post*: the configurations that a regular set of configurations leads to ([moped §4.3],
//! Algorithm 2).
//!
//! The automaton reads a stack from its top. Its initial state is `p`; its other states are one
//! for each procedure `f`, whose data is a valuation with which `f` was entered, and those of the
//! set that it starts from, which have no data. A transition `p —n→ q` says with which values
//! control can stand at `n` in a frame that `q` accepts the rest of; `f —c→ q` says the same of a
//! frame in which the call `c` of `f` waits. The least automaton closed under
//!
//! - PO1 (start): every configuration of the set is accepted;
//! - PO2 (step): `p —n(x)→ q` and a step `x → y` from `n` to `m` give `p —m(y)→ q`;
//! - PO3 (call): `p —n(x)→ q` and a call `c` that enters `f` with `e` and leaves `s` behind give
//!   `f(e) —c(s)→ q` and `p —f.entry(e)→ f(e)`;
//! - PO4 (return): `p —n(x)→ q` and a return that leaves with `o` give `p(o) —ε→ q`;
//! - PO5 (resume): `p(o) —ε→ q`, `q —c(s)→ r` and the way back from `o` and `s` to `x` at `m` give
//!   `p —m(x)→ r`.
//!
//! Algorithm 2 as printed has slips: line 6 lacks the relation it quantifies (that of the rule,
//! `R`), line 18 asks for `rel(q′, γ″, q′)` where `rel(q, γ″, q′)` is meant, and line 24 the rule's
//! relation for its head. The states `(p′, γ′)` of a push rule are made when the rule fires, not
//! for all rules at once: nothing unreachable is explored. ε-transitions are not kept in the
//! automaton, as there. Unlike there, only what is new is propagated (`new`), nodes are visited in
//! weak topological order, callees first, and the ε-transitions of a procedure are handed on when
//! it has come to rest; each time is a round, see [`symbolic::Summary`].

use crate::call::CallRel;
use crate::regular::Frames;
use crate::system::System;
use bdd::Bdd;
use ir::{EdgeId, EdgeKind, IndexVec, NodeId, ProcId};
use symbolic::{Compiled, Copy, Fixpoint, Halt, Item, Watch, Worklist};

/// A state that a transition leads to, given the procedure of the symbol it reads: 0 is the state
/// of that procedure, and `1 + s` the state `s` of the set that the search starts from.
pub(crate) type Goal = u32;

/// Transitions `p —n→ q` of one node and one `q`.
#[derive(Clone, Copy)]
pub(crate) struct Top {
    pub(crate) to: Goal,
    /// Over `Pre` and, for state 0, `Entry`. A variable that is not live at `n` is unconstrained.
    pub(crate) all: Bdd,
    /// What has not been propagated; part of `all`.
    new: Bdd,
}

/// Adds transitions to a list; true if there is something new.
pub(crate) fn add_top(
    s: &mut System,
    list: &mut Vec<Top>,
    to: Goal,
    rel: Bdd,
) -> Result<Bdd, Halt> {
    if rel.is_false() {
        return Ok(rel);
    }
    let at = match list.binary_search_by_key(&to, |t| t.to) {
        Ok(at) => at,
        Err(at) => {
            list.insert(at, Top { to, all: Bdd::FALSE, new: Bdd::FALSE });
            at
        }
    };
    let old = list[at].all;
    let all = s.m.or(old, rel)?;
    if all == old {
        return Ok(Bdd::FALSE);
    }
    let fresh = s.m.diff(rel, old)?;
    list[at].new = s.m.or(list[at].new, fresh)?;
    list[at].all = all;
    Ok(fresh)
}

/// Takes what is new out of a list.
pub(crate) fn take_new(list: &mut [Top]) -> Vec<(Goal, Bdd)> {
    list.iter_mut()
        .filter(|t| !t.new.is_false())
        .map(|t| (t.to, std::mem::replace(&mut t.new, Bdd::FALSE)))
        .collect()
}

/// The transitions of a list that lead to `to`.
pub(crate) fn lookup(list: &[Top], to: Goal) -> Bdd {
    match list.binary_search_by_key(&to, |t| t.to) {
        Ok(at) => list[at].all,
        Err(_) => Bdd::FALSE,
    }
}

/// The handles in a list.
pub(crate) fn roots(list: &[Top]) -> impl Iterator<Item = Bdd> + '_ {
    list.iter().flat_map(|t| [t.all, t.new])
}

/// ε-transitions `p —ε→ q`, `q` being a state after a frame of one procedure.
#[derive(Clone, Copy)]
struct Epsilon {
    to: Goal,
    /// Over `Exit` and, for state 0, `Inner`.
    told: Bdd,
    /// Not handed on yet.
    pending: Bdd,
    /// The part of it that is to be handed on next; empty if that is all of it.
    part: Bdd,
}

/// The automaton under construction.
pub(crate) struct PostStar {
    pub(crate) s: System,
    /// `p —n→ q`.
    pub(crate) top: IndexVec<NodeId, Vec<Top>>,
    /// `f —c→ q` for each call that has been met (an index into [`System::sites`]): over `Inner`,
    /// `Pre` and, for state 0, `Entry`.
    pub(crate) below: Vec<Vec<(Goal, Bdd)>>,
    epsilon: IndexVec<ProcId, Vec<Epsilon>>,
    /// Entry valuations (`Pre`) with which calls have entered.
    entered: IndexVec<ProcId, Bdd>,
    /// Reached calls of each procedure.
    callers: IndexVec<ProcId, Vec<u32>>,
    /// The set that the search starts from, unless that is the initial configurations.
    pub(crate) frames: Option<Frames>,
    /// All calls of each procedure; only if there are frames.
    calls: IndexVec<ProcId, Vec<EdgeId>>,
    /// What is being propagated.
    in_hand: Vec<(Goal, Bdd)>,
    pub(crate) work: Worklist,
    /// What may end the search.
    pub(crate) watch: Watch,
}

impl Fixpoint for PostStar {
    type Rel = CallRel;
    const PHASE: &'static str = "post*: nodes visited";

    fn system(&self) -> &symbolic::System<CallRel> {
        &self.s
    }
    fn system_mut(&mut self) -> &mut symbolic::System<CallRel> {
        &mut self.s
    }
    fn worklist(&mut self) -> &mut Worklist {
        &mut self.work
    }
    fn is_done(&self) -> bool {
        self.watch.is_done()
    }
    fn take(&mut self, node: NodeId) {
        self.in_hand = take_new(&mut self.top[node]);
    }
    fn visit(&mut self, item: Item) -> Result<(), Halt> {
        match item {
            Item::Node(node) => {
                for e in self.s.program.out_edges(node) {
                    if self.s.covered(e)? {
                        continue;
                    }
                    for i in 0..self.in_hand.len() {
                        let (to, new) = self.in_hand[i];
                        self.follow(e, to, new)?;
                    }
                }
                Ok(())
            }
            Item::Proc(proc) => self.hand_on(proc),
        }
    }
    fn put_down(&mut self) {
        self.in_hand.clear();
    }
    fn collect(&mut self) {
        let mut roots: Vec<Bdd> = self.in_hand.iter().map(|&(_, new)| new).collect();
        roots.extend(self.top.iter().flat_map(|list| self::roots(list)));
        roots.extend(self.below.iter().flatten().map(|&(_, rel)| rel));
        roots.extend(self.epsilon.iter().flatten().flat_map(|e| [e.told, e.pending, e.part]));
        roots.extend(self.entered.iter());
        roots.extend(self.watch.roots());
        roots.extend(self.frames.iter().flat_map(Frames::roots));
        self.s.collect(roots);
    }
    const HALVES: bool = true;
    fn halve(&mut self, item: Item) -> Result<bool, Halt> {
        let m = &mut self.s.m;
        match item {
            Item::Node(node) => {
                let Some(&mut (to, ref mut new)) = self.in_hand.last_mut() else {
                    return Ok(false);
                };
                let later = match m.halves(*new)? {
                    Some((now, later)) => {
                        *new = now;
                        later
                    }
                    None if self.in_hand.len() == 1 => return Ok(false),
                    None => self.in_hand.pop().expect("it is not the only one").1,
                };
                let list = &mut self.top[node];
                let at =
                    list.binary_search_by_key(&to, |t| t.to).expect("what is in hand was there");
                list[at].new = m.or(list[at].new, later)?;
                self.work.push_node(node);
            }
            Item::Proc(proc) => {
                // A part of its own, with a round of its own: what it was derived from was there before.
                let waits = |e: &&mut Epsilon| !e.pending.is_false();
                let Some(first) = self.epsilon[proc].iter_mut().find(waits) else {
                    return Ok(false);
                };
                let whole = if first.part.is_false() { first.pending } else { first.part };
                let Some((now, _)) = m.halves(whole)? else { return Ok(false) };
                first.part = now;
                self.work.push_proc(proc);
            }
        }
        Ok(true)
    }
}

impl PostStar {
    /// From the initial configurations, or from the set `frames`.
    pub(crate) fn new(s: System, frames: Option<Frames>) -> PostStar {
        let program = s.program.clone();
        let (nodes, procs) = (program.nodes.len(), program.procs.len());
        let mut calls = IndexVec::filled(Vec::new(), procs);
        if frames.is_some() {
            for (e, edge) in program.edges.enumerate() {
                if let EdgeKind::Call(call) = &edge.kind {
                    calls[call.callee].push(e);
                }
            }
        }
        PostStar {
            work: Worklist::forwards(&program),
            watch: Watch::default(),
            s,
            top: IndexVec::filled(Vec::new(), nodes),
            below: Vec::new(),
            epsilon: IndexVec::filled(Vec::new(), procs),
            entered: IndexVec::filled(Bdd::FALSE, procs),
            callers: IndexVec::filled(Vec::new(), procs),
            frames,
            calls,
            in_hand: Vec::new(),
        }
    }

    /// Runs to the fixpoint, or until all watched goals are reached.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        self.start()?;
        symbolic::saturate(self)
    }

    /// PO1.
    fn start(&mut self) -> Result<(), Halt> {
        let program = self.s.program.clone();
        let Some(frames) = &self.frames else {
            // As if main were called with every initial valuation: its state accepts those.
            let init = self.s.initial()?;
            let identity = self.s.identity(program.entry)?;
            let start = self.s.m.and(init, identity)?;
            return self.propagate(program.procs[program.entry].entry, 0, start);
        };
        let tops: Vec<(NodeId, u32, Bdd)> = frames.tops(&program).collect();
        for (node, state, condition) in tops {
            self.propagate(node, 1 + state, condition)?;
        }
        Ok(())
    }

    /// The data with which the state of the entry procedure accepts, over `Entry`; none if the
    /// search started from a set.
    pub(crate) fn accepted(&mut self) -> Result<Bdd, Halt> {
        if self.frames.is_some() {
            return Ok(Bdd::FALSE);
        }
        let program = self.s.program.clone();
        let init = self.s.initial()?;
        let entry = program.procs[program.entry].entry;
        let vars = &self.s.context.entry_vars[program.entry];
        let live = self.s.context.live.vars(&program, entry);
        let open: Vec<u32> =
            self.s.context.bits(Copy::Pre, live.filter(|v| !vars.contains(v))).collect();
        let rename = self.s.context.pairs(Copy::Pre, Copy::Entry, vars.iter().copied());
        let spec = self.s.m.spec(&open, &rename);
        Ok(self.s.m.exists_rename(init, spec)?)
    }

    fn follow(&mut self, e: EdgeId, to: Goal, new: Bdd) -> Result<(), Halt> {
        match self.s.compile(e)? {
            Compiled::Local(step) => {
                // PO2.
                let after = self.s.step(step, new)?;
                let target = self.s.program.edges[e].target();
                self.propagate(target.expect("a step has a target"), to, after)
            }
            Compiled::Return(ret) => {
                // PO4.
                let proc = self.s.program.nodes[self.s.program.edges[e].source].proc;
                let pairs = self.s.m.image(new, ret.rel, ret.image)?;
                self.leave(proc, to, pairs)
            }
            Compiled::Call(site) => self.call(site, to, new),
            Compiled::Not => unreachable!("the edge has just been compiled"),
        }
    }

    /// PO3, and PO5 for what is known of the callee.
    fn call(&mut self, site: u32, to: Goal, new: Bdd) -> Result<(), Halt> {
        let (callee, ret, rel) = {
            let site = &self.s.sites[site as usize];
            (site.callee, site.ret, site.rel)
        };
        if self.below.len() <= site as usize {
            self.below.resize(self.s.sites.len(), Vec::new());
        }
        let called = self.s.m.image(new, rel.enter, rel.call)?;
        let list = &mut self.below[site as usize];
        if list.is_empty() {
            self.callers[callee].push(site);
        }
        let at = match list.binary_search_by_key(&to, |t| t.0) {
            Ok(at) => at,
            Err(at) => {
                list.insert(at, (to, Bdd::FALSE));
                at
            }
        };
        let old = list[at].1;
        let fresh = self.s.m.diff(called, old)?;
        if fresh.is_false() {
            return Ok(());
        }
        let entries = self.s.m.exists_rename(fresh, rel.entries)?;
        let known = self.entered[callee];
        let entries = self.s.m.diff(entries, known)?;
        if !entries.is_false() {
            let identity = self.s.identity(callee)?;
            let start = self.s.m.and(entries, identity)?;
            self.propagate(self.s.program.procs[callee].entry, 0, start)?;
            self.entered[callee] = self.s.m.or(known, entries)?;
        }
        let pairs = self.s.summaries[callee].all;
        if !pairs.is_false() {
            let after = self.s.jump(rel, fresh, pairs)?;
            self.propagate(ret, to, after)?;
        }
        // Last, so that a visit that was cut short can be repeated.
        self.below[site as usize][at].1 = self.s.m.or(old, fresh)?;
        Ok(())
    }

    /// Adds ε-transitions, to be handed on later.
    fn leave(&mut self, proc: ProcId, to: Goal, pairs: Bdd) -> Result<(), Halt> {
        let list = &mut self.epsilon[proc];
        let at = match list.binary_search_by_key(&to, |e| e.to) {
            Ok(at) => at,
            Err(at) => {
                list.insert(
                    at,
                    Epsilon { to, told: Bdd::FALSE, pending: Bdd::FALSE, part: Bdd::FALSE },
                );
                at
            }
        };
        let Epsilon { told, pending, .. } = list[at];
        let fresh = self.s.m.diff(pairs, told)?;
        let all = self.s.m.or(pending, fresh)?;
        if all != pending {
            self.epsilon[proc][at].pending = all;
            self.work.push_proc(proc);
        }
        Ok(())
    }

    /// PO5 for new ε-transitions of a procedure.
    fn hand_on(&mut self, proc: ProcId) -> Result<(), Halt> {
        for i in 0..self.epsilon[proc].len() {
            let Epsilon { to, told, pending: waiting, part } = self.epsilon[proc][i];
            if waiting.is_false() {
                continue;
            }
            let pending = if part.is_false() { waiting } else { part };
            if to == 0 {
                // Before anybody is told: a visit that is cut short may be repeated with less.
                self.s.publish(proc, pending)?;
                for at in 0..self.callers[proc].len() {
                    let site = self.callers[proc][at] as usize;
                    let (ret, rel) = (self.s.sites[site].ret, self.s.sites[site].rel);
                    for j in 0..self.below[site].len() {
                        let (to, called) = self.below[site][j];
                        let after = self.s.jump(rel, called, pending)?;
                        self.propagate(ret, to, after)?;
                    }
                }
            } else {
                self.resume_frames(proc, to - 1, pending)?;
            }
            let told = self.s.m.or(told, pending)?;
            let rest = self.s.m.diff(waiting, pending)?;
            self.epsilon[proc][i] = Epsilon { to, told, pending: rest, part: Bdd::FALSE };
        }
        Ok(())
    }

    /// PO5 below a frame of `proc` that was there at the start: `pending` is over `Exit`.
    fn resume_frames(&mut self, proc: ProcId, state: u32, pending: Bdd) -> Result<(), Halt> {
        for at in 0..self.calls[proc].len() {
            let e = self.calls[proc][at];
            let frames = self.frames.as_ref().expect("only frames have such states");
            let below: Vec<(u32, Bdd)> = frames.below(&self.s.program, state, e).collect();
            if below.is_empty() {
                continue;
            }
            let Compiled::Call(site) = self.s.compile(e)? else {
                unreachable!("calls lists calls")
            };
            let (ret, rel) = (self.s.sites[site as usize].ret, self.s.sites[site as usize].rel);
            for (next, condition) in below {
                let after = self.s.jump(rel, condition, pending)?;
                self.propagate(ret, 1 + next, after)?;
            }
        }
        Ok(())
    }

    /// Adds transitions `p —node→ to`; what is new waits.
    fn propagate(&mut self, node: NodeId, to: Goal, rel: Bdd) -> Result<(), Halt> {
        let new = add_top(&mut self.s, &mut self.top[node], to, rel)?;
        if new.is_false() {
            return Ok(());
        }
        self.work.push_node(node);
        self.watch.reached(&mut self.s.m, node, new)?;
        Ok(())
    }
}
