//! Reachability by procedure summaries.
//!
//! Computes the path edges `PE(n) ⊆ entry × state(n)` of every node and the summaries
//! `SUM(f) ⊆ entry × exit` of every procedure, as the least fixpoint of
//!
//! - PE1 (start): every initial valuation `x` of the entry procedure gives `PE(entry)(x, x)`.
//! - PE2 (step): `PE(n)(e, x)` and a step `x → x'` from `n` to `m` give `PE(m)(e, x')`.
//! - PE3 (return): `PE(n)(e, x)` and a return that leaves `f` with `o` give `SUM(f)(e, o)`.
//! - PE4 (call): `PE(n)(e, x)` and a call that enters `f` with `c` give `PE(f.entry)(c, c)`.
//! - PE5 (jump): `PE(n)(e, x)`, a call that enters `f` with `c`, `SUM(f)(c, o)` and the way back from
//!   `o` to `x'` at `m` give `PE(m)(e, x')`.
//!
//! After [bebop §3.1, Fig. 3]; unlike the paper, only what is new is propagated (`frontier`), nodes are
//! visited in weak topological order, callees first, and a summary is handed to its callers when
//! the callee has come to rest. Where there are many nodes, calls are entered with more than they are ([`crate::wide`]).

use crate::lift::CallRel;
use crate::wide::Wide;
use bdd::Bdd;
use ir::{EdgeId, EdgeKind, IndexVec, NodeId, ProcId};
use rustc_hash::FxHashMap;
use symbolic::{Compiled, Fixpoint, Halt, Item, System, Watch, Worklist};

/// The state of the fixpoint.
pub(crate) struct Saturation {
    /// The program; its summaries are what callers have been told.
    pub(crate) s: System<CallRel>,
    /// Path edges of the nodes that keep them. Invariant: `frontier[n] ⊆ path[n]` there, and a variable that is not live
    /// at `n` is unconstrained in both.
    pub(crate) path: IndexVec<NodeId, Bdd>,
    /// Whether a node keeps its path edges. They are what leads there from the nodes before it, so that those where loops
    /// and procedures begin and calls wait are enough to find all ([`Saturation::complete`]), and to notice there what
    /// comes again. Nodes between are visited in weak topological order: what meets there still meets.
    ///
    /// Until a collection finds many nodes all keep them: finding them again for a proof costs more than they take.
    keeps: IndexVec<NodeId, bool>,
    /// Which nodes are to keep theirs from then on.
    later: Option<IndexVec<NodeId, bool>>,
    /// Whether a node keeps them for a loop alone that no call comes before. What is entered later is not among what was
    /// entered, so that they have served once the procedure has come to rest.
    passing: IndexVec<NodeId, bool>,
    frontier: IndexVec<NodeId, Bdd>,
    /// The frontier that is being propagated.
    in_hand: Bdd,
    /// For each call that has been met (an index into [`System::sites`]), the callee's summary as a
    /// relation of the caller, `Pre` to `Post`: all rounds so far. Where there are many nodes, collections take it away,
    /// and it is made again when it is asked for ([`Saturation::lifted_all`]): it is as large as the summary, at each call.
    lifted: Vec<Option<Bdd>>,
    /// The same as far as published before a round; of use to traces.
    pub(crate) below: (u32, FxHashMap<u32, Bdd>),
    /// Entry valuations (`Pre`) with which calls have entered.
    pub(crate) entered: IndexVec<ProcId, Bdd>,
    /// Pairs that callers have not been told yet.
    pub(crate) pending: IndexVec<ProcId, Bdd>,
    /// Reached calls of each procedure.
    callers: IndexVec<ProcId, Vec<u32>>,
    pub(crate) work: Worklist,
    /// What may end the search.
    pub(crate) watch: Watch,
    /// Whether it is remembered in which round pairs were found.
    pub(crate) rounds: Rounds,
    /// How many nodes of diagrams are many.
    pub(crate) many: usize,
    /// Whether all path edges can be asked for at the end ([`Saturation::complete`]), however many nodes there are.
    pub(crate) whole: bool,
    /// Which entries are wider than what was reached.
    pub(crate) wide: Wide,
}

/// What becomes of [`symbolic::Summary::parts`]. They are for traces alone, and of a large search a quarter of all nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounds {
    /// They are kept.
    Kept,
    /// They are kept until there are many nodes.
    Spare,
    /// They are gone. No target has been met.
    Gone,
    /// They are gone, and a target has been met: the search is to be repeated.
    Missed,
}

/// Nodes of diagrams, in use at a collection, from which on rounds are not kept.
pub(crate) const MANY: usize = 1 << 19;

impl Fixpoint for Saturation {
    type Rel = CallRel;
    const PHASE: &'static str = "summaries: nodes visited";

    fn system(&self) -> &System<CallRel> {
        &self.s
    }
    fn system_mut(&mut self) -> &mut System<CallRel> {
        &mut self.s
    }
    fn worklist(&mut self) -> &mut Worklist {
        &mut self.work
    }
    fn is_done(&self) -> bool {
        self.watch.is_done() || self.rounds == Rounds::Missed
    }
    fn take(&mut self, node: NodeId) {
        self.in_hand = std::mem::replace(&mut self.frontier[node], Bdd::FALSE);
    }
    fn visit(&mut self, item: Item) -> Result<(), Halt> {
        match item {
            Item::Node(node) => {
                let edges = self.s.program.out_edges(node);
                edges.into_iter().try_for_each(|e| self.follow(e, self.in_hand))
            }
            Item::Proc(proc) => {
                self.forget_passing(proc);
                self.publish(proc)
            }
        }
    }
    fn put_down(&mut self) {
        self.in_hand = Bdd::FALSE;
    }
    fn collect(&mut self) {
        self.collect_with([]);
    }
    const HALVES: bool = true;
    fn halve(&mut self, item: Item) -> Result<bool, Halt> {
        match item {
            Item::Node(node) => {
                let m = &mut self.s.m;
                let Some((now, later)) = m.halves(self.in_hand)? else { return Ok(false) };
                self.frontier[node] = m.or(self.frontier[node], later)?;
                self.in_hand = now;
                self.work.push_node(node);
            }
            // A part of its own, with a round of its own: what it was derived from was there before.
            Item::Proc(proc) => {
                let part = match self.in_hand {
                    Bdd::FALSE => self.whole(proc).unwrap_or(self.pending[proc]),
                    part => part,
                };
                let m = &mut self.s.m;
                let Some((now, _)) = m.halves(part)? else { return Ok(false) };
                self.in_hand = now;
                self.work.push_proc(proc);
            }
        }
        Ok(true)
    }
}

impl Saturation {
    pub(crate) fn new(s: System<CallRel>) -> Saturation {
        let (nodes, procs) = (s.program.nodes.len(), s.program.procs.len());
        Saturation {
            path: IndexVec::filled(Bdd::FALSE, nodes),
            keeps: IndexVec::filled(true, nodes),
            later: None,
            passing: IndexVec::filled(false, nodes),
            frontier: IndexVec::filled(Bdd::FALSE, nodes),
            in_hand: Bdd::FALSE,
            lifted: Vec::new(),
            below: (0, FxHashMap::default()),
            entered: IndexVec::filled(Bdd::FALSE, procs),
            pending: IndexVec::filled(Bdd::FALSE, procs),
            callers: IndexVec::filled(Vec::new(), procs),
            work: Worklist::forwards(&s.program),
            watch: Watch::default(),
            rounds: Rounds::Kept,
            many: MANY,
            whole: true,
            wide: Wide::off(procs),
            s,
        }
    }

    /// Lets nodes forget their path edges, but for those that are to be looked at, where a loop or a procedure begins, or
    /// a call waits.
    pub(crate) fn forget_between(&mut self, wanted: impl IntoIterator<Item = NodeId>) {
        let program = &self.s.program;
        let place = analysis::weak_topological_order(program);
        let mut keeps = IndexVec::filled(false, program.nodes.len());
        let mut stays = keeps.clone();
        let mut after_calls = Vec::new();
        for edge in program.edges.iter() {
            if let EdgeKind::Call(call) = &edge.kind {
                keeps[edge.source] = true;
                stays[edge.source] = true;
                after_calls.push(call.ret);
            }
            if let Some(target) = edge.target()
                && place[target] <= place[edge.source]
            {
                keeps[target] = true;
            }
        }
        for node in program.procs.iter().map(|proc| proc.entry).chain(wanted) {
            keeps[node] = true;
            stays[node] = true;
        }
        let mut is_after = IndexVec::filled(false, program.nodes.len());
        while let Some(node) = after_calls.pop() {
            if !std::mem::replace(&mut is_after[node], true) {
                let out = program.out_edges(node);
                after_calls.extend(out.filter_map(|e| program.edges[e].target()));
            }
        }
        for node in program.nodes.ids() {
            self.passing[node] = keeps[node] && !stays[node] && !is_after[node];
        }
        self.later = Some(keeps);
    }

    /// Begins to forget, if there is much to be forgotten.
    fn spare_path(&mut self) {
        if self.s.m.live_nodes() > self.many / 4
            && let Some(keeps) = self.later.take()
        {
            for node in self.s.program.nodes.ids().filter(|&node| !keeps[node]) {
                self.path[node] = Bdd::FALSE;
            }
            self.keeps = keeps;
        }
    }

    /// Whether path edges may be missing that [`Saturation::complete`] needs.
    pub(crate) fn has_forgotten(&self) -> bool {
        !self.whole && self.rounds == Rounds::Gone
    }

    /// Path edges that have served, of a procedure at rest, if there are many nodes.
    fn forget_passing(&mut self, proc: ProcId) {
        if !self.has_forgotten() {
            return;
        }
        for node in self.s.program.procs[proc].node_ids() {
            if self.passing[node] {
                self.path[node] = Bdd::FALSE;
            }
        }
    }

    /// The path edges of all nodes, those that did not keep them included.
    pub(crate) fn complete(&mut self) -> Result<(), Halt> {
        let program = self.s.program.clone();
        let place = analysis::weak_topological_order(&program);
        // Whatever leads to such a node is before it in the order.
        let mut ways: Vec<(u32, EdgeId, NodeId)> = Vec::new();
        for (e, edge) in program.edges.enumerate() {
            if let Some(target) = edge.target().filter(|&target| !self.keeps[target]) {
                ways.push((place[target], e, target));
            }
        }
        ways.sort_unstable();
        for (_, e, target) in ways {
            let from = self.path[program.edges[e].source];
            if from.is_false() {
                continue;
            }
            let to = match self.s.compile(e)? {
                Compiled::Local(step) => self.s.step(step, from)?,
                _ => {
                    let site = self.site(e)?;
                    let spec = self.s.sites[site as usize].rel.jump_spec;
                    let lifted = self.lifted_all(site)?;
                    self.s.m.image(from, lifted, spec)?
                }
            };
            self.path[target] = self.s.m.or(self.path[target], to)?;
            if self.s.want_collection() {
                self.collect_with([]);
            }
        }
        self.keeps = IndexVec::filled(true, program.nodes.len());
        Ok(())
    }

    /// Runs to the fixpoint, or until all watched goals are reached.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        // PE1.
        let entry = self.s.program.entry;
        let init = self.s.initial()?;
        let identity = self.s.identity(entry)?;
        let start = self.s.m.and(init, identity)?;
        self.propagate(self.s.program.procs[entry].entry, start)?;
        let done = symbolic::saturate(self);
        // What is known at the end is for those who ask.
        self.later = None;
        done
    }

    fn follow(&mut self, e: EdgeId, new: Bdd) -> Result<(), Halt> {
        match self.s.compile(e)? {
            Compiled::Local(step) => {
                // PE2.
                let to = self.s.step(step, new)?;
                let target = self.s.program.edges[e].target();
                self.propagate(target.expect("a step has a target"), to)
            }
            Compiled::Return(ret) => {
                // PE3.
                let proc = self.s.program.nodes[self.s.program.edges[e].source].proc;
                let pairs = self.s.m.image(new, ret.rel, ret.image)?;
                let fresh = self.s.m.diff(pairs, self.s.summaries[proc].all)?;
                let pending = self.s.m.or(self.pending[proc], fresh)?;
                if pending != self.pending[proc] {
                    self.pending[proc] = pending;
                    self.work.push_proc(proc);
                }
                Ok(())
            }
            Compiled::Call(_) => {
                // PE4.
                let site = self.site(e)?;
                let callee = self.s.sites[site as usize].callee;
                let known = self.entered[callee];
                let fresh = match self.enter_wide(site, new, known)? {
                    Some(fresh) => fresh,
                    None => {
                        let entries = self.enter(site, new)?;
                        let reached = self.s.m.diff(entries, known)?;
                        match reached {
                            Bdd::FALSE => Bdd::FALSE,
                            reached => self.widen(site, reached, known)?,
                        }
                    }
                };
                if !fresh.is_false() {
                    let identity = self.s.identity(callee)?;
                    let edges = self.s.m.and(fresh, identity)?;
                    self.propagate(self.s.program.procs[callee].entry, edges)?;
                    self.entered[callee] = self.s.m.or(known, fresh)?;
                }
                // PE5 for the new states.
                let lifted = self.lifted_all(site)?;
                self.jump(site, new, lifted)
            }
            Compiled::Not => unreachable!("the edge has just been compiled"),
        }
    }

    /// Path edges over a lifted summary.
    fn jump(&mut self, site: u32, from: Bdd, lifted: Bdd) -> Result<(), Halt> {
        if lifted.is_false() {
            return Ok(());
        }
        let (ret, rel) = (self.s.sites[site as usize].ret, self.s.sites[site as usize].rel);
        let to = self.s.m.image(from, lifted, rel.jump_spec)?;
        self.propagate(ret, to)
    }

    /// A call, as an index into [`System::sites`].
    pub(crate) fn site(&mut self, e: EdgeId) -> Result<u32, Halt> {
        let Compiled::Call(site) = self.s.compile(e)? else { unreachable!("a call") };
        while self.lifted.len() < self.s.sites.len() {
            let new = self.lifted.len();
            let callee = self.s.sites[new].callee;
            self.lifted.push(None);
            self.callers[callee].push(new as u32);
        }
        Ok(site)
    }

    /// The lifted summary of a call: all that callers have been told.
    pub(crate) fn lifted_all(&mut self, site: u32) -> Result<Bdd, Halt> {
        if let Some(lifted) = self.lifted[site as usize] {
            return Ok(lifted);
        }
        let callee = self.s.sites[site as usize].callee;
        let lifted = self.lift(site, self.s.summaries[callee].all)?;
        self.lifted[site as usize] = Some(lifted);
        Ok(lifted)
    }

    /// The entry valuations of the callee (`Pre`) that states of the caller lead to.
    pub(crate) fn enter(&mut self, site: u32, states: Bdd) -> Result<Bdd, Halt> {
        let (source, rel) = (self.s.sites[site as usize].source, self.s.sites[site as usize].rel);
        let now = self.s.forget_entry(self.s.program.nodes[source].proc, states)?;
        Ok(self.s.m.image(now, rel.enter, rel.enter_spec)?)
    }

    /// PE5 for the new part of a summary: tells every reached call of `proc` what is pending.
    fn publish(&mut self, proc: ProcId) -> Result<(), Halt> {
        // What is in hand is a part of what is pending, see `halve`.
        let part = if self.in_hand.is_false() { self.whole(proc)? } else { self.in_hand };
        if part.is_false() {
            return Ok(());
        }
        // Before anybody is told: a visit that is cut short may be repeated with less.
        self.s.publish(proc, part)?;
        if self.rounds == Rounds::Gone {
            self.s.forget_rounds();
        }
        for i in 0..self.callers[proc].len() {
            let site = self.callers[proc][i];
            let lifted = self.lift(site, part)?;
            if let Some(all) = &mut self.lifted[site as usize] {
                *all = self.s.m.or(*all, lifted)?;
            }
            let source = self.s.sites[site as usize].source;
            self.jump(site, self.path[source], lifted)?;
        }
        self.hand_on(proc, part)?;
        self.pending[proc] = self.s.m.diff(self.pending[proc], part)?;
        if !self.pending[proc].is_false() {
            self.work.push_proc(proc);
        }
        Ok(())
    }

    /// Pairs of a summary as a relation of the caller (`Pre` to `Post`).
    pub(crate) fn lift(&mut self, site: u32, pairs: Bdd) -> Result<Bdd, Halt> {
        let rel = self.s.sites[site as usize].rel;
        let there = self.s.m.image(pairs, rel.enter, rel.lift_spec)?;
        Ok(match rel.back_spec {
            Some(spec) => self.s.m.image(there, rel.back, spec)?,
            None => there,
        })
    }

    /// Adds path edges to a node; what is new waits in its frontier.
    fn propagate(&mut self, node: NodeId, edges: Bdd) -> Result<(), Halt> {
        let m = &mut self.s.m;
        if !self.keeps[node] {
            if !edges.is_false() {
                self.frontier[node] = m.or(self.frontier[node], edges)?;
                self.work.push_node(node);
            }
            return Ok(());
        }
        let old = self.path[node];
        let all = m.or(old, edges)?;
        if all == old {
            return Ok(());
        }
        let new = m.diff(edges, old)?;
        self.frontier[node] = m.or(self.frontier[node], new)?;
        self.path[node] = all;
        self.work.push_node(node);
        self.watch.reached(m, node, new)?;
        let doubt = self.wide.is_in_doubt(self.s.program.nodes[node].proc);
        if (doubt || self.rounds == Rounds::Gone) && self.watch.meets(m, node, new)? {
            self.rounds = Rounds::Missed;
        }
        Ok(())
    }

    /// Forgets rounds if that is worth it, and nothing has been met yet that has to be told.
    fn spare_rounds(&mut self) {
        let nodes = self.s.m.live_nodes();
        let spare = self.rounds == Rounds::Spare && nodes > self.many;
        let widen = self.wide.is_waiting(nodes);
        let met = |m: &mut bdd::Manager, node| self.watch.meets(m, node, self.path[node]);
        if !(spare || widen) || self.watch.nodes().any(|node| met(&mut self.s.m, node) != Ok(false))
        {
            return;
        }
        if widen {
            self.wide.begin();
        }
        if spare {
            self.rounds = Rounds::Gone;
            self.s.forget_rounds();
            // Without lifted summaries half as many nodes are in use, and images make as many as before.
            self.s.halves_of_room = 8;
        }
    }

    /// Frees what nothing refers to. `more` are further handles in use.
    pub(crate) fn collect_with(&mut self, more: impl IntoIterator<Item = Bdd>) {
        self.spare_rounds();
        self.spare_path();
        if self.rounds == Rounds::Gone {
            self.lifted.fill(None);
        }
        let mut roots: Vec<Bdd> = more.into_iter().chain([self.in_hand]).collect();
        roots.extend(self.path.iter().chain(self.frontier.iter()));
        roots.extend(self.lifted.iter().flatten().chain(self.below.1.values()));
        roots.extend(self.entered.iter().chain(self.pending.iter()));
        roots.extend(self.watch.roots().chain(self.wide.roots()));
        self.s.collect(roots);
    }
}
