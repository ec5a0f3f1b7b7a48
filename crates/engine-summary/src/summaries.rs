//! Reachability by procedure summaries.
//!
//! Computes the path edges `PE(n) ⊆ entry × state(n)` of every node and the summaries
//! `SUM(f) ⊆ entry × exit` of every procedure, as the least fixpoint of rules P1–P5. After
//! [bebop §3.1, Fig. 3]; unlike the paper, only what is new is propagated (`frontier`), nodes are
//! visited in weak topological order, callees first, and a summary is handed to its callers when
//! the callee has come to rest.

use crate::relation::{CallRel, Context, Step, condition};
use crate::slots::Copy;
use bdd::{Bdd, Manager, SpecId, Stop};
use check::{Budget, Progress, StopReason};
use ir::{EdgeId, EdgeKind, Id, IndexVec, NodeId, ProcId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Why the engine had to stop.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The diagrams outgrew their limits, or their gate was closed.
    Diagrams(Stop),
    Budget(StopReason),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Diagrams(stop)
    }
}

impl From<StopReason> for Halt {
    fn from(reason: StopReason) -> Halt {
        Halt::Budget(reason)
    }
}

/// A compiled edge.
#[derive(Clone, Copy)]
pub(crate) enum Compiled {
    Not,
    Local(Step),
    Return(Step),
    /// An index into [`Saturation::sites`].
    Call(u32),
}

/// A call that has been reached.
pub(crate) struct Site {
    pub(crate) source: NodeId,
    pub(crate) callee: ProcId,
    pub(crate) ret: NodeId,
    pub(crate) rel: CallRel,
    /// The callee's summary as a relation of the caller, `Pre` to `Post`: all rounds so far.
    pub(crate) lifted: Bdd,
}

/// What is known of a procedure.
#[derive(Clone)]
pub(crate) struct ProcState {
    /// Entry valuations (`Pre`) with which calls have entered.
    entered: Bdd,
    /// `Entry ⇔ Pre` for the entry variables; built when first entered.
    identity: Option<Bdd>,
    /// `Entry` to `Exit`, what callers have been told.
    pub(crate) summary: Bdd,
    /// What they have not been told yet.
    pending: Bdd,
    /// The published parts, disjoint, with the round in which each was published: a part was
    /// derived from parts of smaller rounds alone.
    pub(crate) parts: Vec<Part>,
    /// Reached calls of the procedure.
    sites: Vec<u32>,
}

/// A part of a summary.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) round: u32,
    /// This part and all before it.
    pub(crate) up_to_here: Bdd,
}

/// The state of the fixpoint.
pub(crate) struct Saturation<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) m: Manager,
    pub(crate) budget: &'a Budget,
    /// Path edges. Invariant: `frontier[n] ⊆ path[n]`, and a variable that is not live at `n` is
    /// unconstrained in both.
    pub(crate) path: IndexVec<NodeId, Bdd>,
    frontier: IndexVec<NodeId, Bdd>,
    /// The frontier that is being propagated.
    in_hand: Bdd,
    pub(crate) compiled: IndexVec<EdgeId, Compiled>,
    pub(crate) sites: Vec<Site>,
    pub(crate) procs: IndexVec<ProcId, ProcState>,
    /// For each procedure, quantifies the `Entry` copy.
    forget_entry: FxHashMap<ProcId, SpecId>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    queued: IndexVec<NodeId, bool>,
    /// Visiting order: callees first, then weak topological order.
    priority: IndexVec<NodeId, u64>,
    exit_priority: IndexVec<ProcId, u64>,
    pub(crate) rounds: u32,
    pub(crate) visits: u64,
    /// The number of nodes at which to look for a better order.
    pub(crate) sift_at: Option<usize>,
    /// Nodes whose reaching may end the search.
    watched: FxHashMap<NodeId, Vec<(usize, Bdd)>>,
    open_goals: Vec<bool>,
}

/// With sifting, the nodes below which no better order is looked for.
pub(crate) const SIFT_AT: usize = 1 << 14;

/// In the queue, `u32::MAX - p` stands for the exit of procedure `p`.
const EXITS: u32 = u32::MAX;

impl<'a> Saturation<'a> {
    pub(crate) fn new(context: Context<'a>, m: Manager, budget: &'a Budget) -> Saturation<'a> {
        let program = context.program;
        let place = analysis::weak_topological_order(program);
        let mut rank = IndexVec::filled(0u64, program.procs.len());
        for (i, proc) in analysis::call_order(program).into_iter().flatten().enumerate() {
            rank[proc] = i as u64;
        }
        let priority = program
            .nodes
            .enumerate()
            .map(|(n, node)| rank[node.proc] << 32 | u64::from(place[n]))
            .collect();
        let exit_priority = program.procs.ids().map(|p| rank[p] << 32 | 0xffff_ffff).collect();
        let nodes = program.nodes.len();
        let state = ProcState {
            entered: Bdd::FALSE,
            identity: None,
            summary: Bdd::FALSE,
            pending: Bdd::FALSE,
            parts: Vec::new(),
            sites: Vec::new(),
        };
        Saturation {
            m,
            budget,
            path: IndexVec::filled(Bdd::FALSE, nodes),
            frontier: IndexVec::filled(Bdd::FALSE, nodes),
            in_hand: Bdd::FALSE,
            compiled: IndexVec::filled(Compiled::Not, program.edges.len()),
            sites: Vec::new(),
            procs: IndexVec::filled(state, program.procs.len()),
            forget_entry: FxHashMap::default(),
            queue: BinaryHeap::new(),
            queued: IndexVec::filled(false, nodes),
            priority,
            exit_priority,
            rounds: 0,
            visits: 0,
            sift_at: None,
            watched: FxHashMap::default(),
            open_goals: Vec::new(),
            context,
        }
    }

    /// Ends the search as soon as every goal has been reached at one of its targets.
    pub(crate) fn watch(
        &mut self,
        targets: impl IntoIterator<Item = (usize, NodeId, Bdd)>,
        goals: usize,
    ) {
        self.open_goals = vec![true; goals];
        for (goal, node, condition) in targets {
            self.watched.entry(node).or_default().push((goal, condition));
        }
    }

    /// P1 (start): every initial valuation `x` of the entry procedure gives `PE(entry)(x, x)`.
    /// The set of those valuations, over `Pre`.
    pub(crate) fn initial(&mut self) -> Result<Bdd, Halt> {
        let program = self.context.program;
        let init =
            condition(&self.context, &mut self.m, program.init.condition, program.init.choices)?;
        // Only live variables are kept.
        let entry = program.procs[program.entry].entry;
        let dead: Vec<u32> = program
            .scope(program.entry)
            .filter(|&v| !self.context.live.contains(entry, v))
            .flat_map(|v| self.context.slots.bits(Copy::Pre, v))
            .collect();
        let cube = self.m.cube(&dead)?;
        Ok(self.m.exists(init, cube)?)
    }

    /// Runs to the fixpoint, or until all watched goals are reached.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        let program = self.context.program;
        let init = self.initial()?;
        let identity = self.identity(program.entry)?;
        let start = self.m.and(init, identity)?;
        self.propagate(program.procs[program.entry].entry, start)?;
        while let Some(Reverse((_, item))) = self.queue.pop() {
            if self.all_goals_reached() {
                return Ok(());
            }
            if self.visits.is_multiple_of(64) {
                self.budget.work(64)?;
                if self.visits.is_multiple_of(1 << 14) {
                    let phase = "summaries: nodes visited";
                    self.budget.report(Progress { phase, done: self.visits, total: None });
                }
            }
            self.visits += 1;
            if (item as usize) < program.nodes.len() {
                let node = NodeId::new(item as usize);
                self.queued[node] = false;
                self.in_hand = std::mem::replace(&mut self.frontier[node], Bdd::FALSE);
            }
            // On a full table: collect, try once more, then report. A visit can be repeated.
            if let Err(halt) = self.visit(item) {
                if !matches!(halt, Halt::Diagrams(Stop::Nodes)) {
                    return Err(halt);
                }
                self.collect([]);
                self.visit(item)?;
            }
            self.in_hand = Bdd::FALSE;
            if self.sift_at.is_some_and(|nodes| self.m.live_nodes() > nodes) {
                self.sift()?;
            } else if self.m.want_gc() {
                self.collect([]);
            }
        }
        Ok(())
    }

    /// Looks for a better order, if the nodes in use have doubled since it was last looked for.
    fn sift(&mut self) -> Result<(), Halt> {
        self.collect([]);
        if let Some(at) = self.sift_at.filter(|nodes| self.m.live_nodes() > nodes / 2) {
            let roots = self.roots([]);
            let left = match self.m.reorder_sift(roots, &self.context.slots.groups()) {
                // Out of room half-way: whatever the order is now, it will do.
                Err(Stop::Nodes) => self.m.live_nodes(),
                left => left?,
            };
            self.sift_at = Some((4 * left).max(at.min(SIFT_AT)));
        }
        Ok(())
    }

    fn all_goals_reached(&self) -> bool {
        !self.open_goals.is_empty() && self.open_goals.iter().all(|open| !open)
    }

    fn visit(&mut self, item: u32) -> Result<(), Halt> {
        let program = self.context.program;
        if (item as usize) < program.nodes.len() {
            let new = self.in_hand;
            for e in program.out_edges(NodeId::new(item as usize)) {
                self.follow(e, new)?;
            }
        } else {
            self.publish(ProcId::new((EXITS - item) as usize))?;
        }
        Ok(())
    }

    fn follow(&mut self, e: EdgeId, new: Bdd) -> Result<(), Halt> {
        match self.compile(e)? {
            Compiled::Local(step) => {
                // P2 (step): PE(n)(e, x), x → x' from n to m  ⟹  PE(m)(e, x').
                let target = self.context.program.edges[e].target();
                let to =
                    if step.identity { new } else { self.m.image(new, step.rel, step.spec)? };
                self.propagate(target.expect("a step has a target"), to)?;
            }
            Compiled::Return(step) => {
                // P3 (return): PE(n)(e, x), x leaves f with o  ⟹  SUM(f)(e, o).
                let proc = self.context.program.nodes[self.context.program.edges[e].source].proc;
                let pairs = self.m.image(new, step.rel, step.spec)?;
                let told = self.procs[proc].summary;
                let fresh = self.m.diff(pairs, told)?;
                let pending = self.m.or(self.procs[proc].pending, fresh)?;
                if pending != self.procs[proc].pending {
                    if self.procs[proc].pending.is_false() {
                        let item = EXITS - proc.index() as u32;
                        self.queue.push(Reverse((self.exit_priority[proc], item)));
                    }
                    self.procs[proc].pending = pending;
                }
            }
            Compiled::Call(site) => {
                // P4 (call): PE(n)(e, x), a call enters f with c  ⟹  PE(f.entry)(c, c).
                let entries = self.enter(site, new)?;
                let callee = self.sites[site as usize].callee;
                let known = self.procs[callee].entered;
                let fresh = self.m.diff(entries, known)?;
                if !fresh.is_false() {
                    let identity = self.identity(callee)?;
                    let edges = self.m.and(fresh, identity)?;
                    self.propagate(self.context.program.procs[callee].entry, edges)?;
                    self.procs[callee].entered = self.m.or(known, fresh)?;
                }
                // P5 (jump): PE(n)(e, x), a call enters f with c, SUM(f)(c, o), the way back from
                // o leads to x' at m  ⟹  PE(m)(e, x'). Here for the new x.
                let Site { lifted, ret, rel, .. } = self.sites[site as usize];
                if !lifted.is_false() {
                    let to = self.m.image(new, lifted, rel.jump_spec)?;
                    self.propagate(ret, to)?;
                }
            }
            Compiled::Not => unreachable!("the edge has just been compiled"),
        }
        Ok(())
    }

    /// The entry valuations of the callee (`Pre`) that states of the caller lead to.
    pub(crate) fn enter(&mut self, site: u32, states: Bdd) -> Result<Bdd, Halt> {
        let Site { source, rel, .. } = self.sites[site as usize];
        let now = self.forget_entry(source, states)?;
        Ok(self.m.image(now, rel.enter, rel.enter_spec)?)
    }

    /// `states` without the `Entry` copy.
    pub(crate) fn forget_entry(&mut self, node: NodeId, states: Bdd) -> Result<Bdd, Halt> {
        let proc = self.context.program.nodes[node].proc;
        if self.context.entry_vars[proc].is_empty() {
            return Ok(states);
        }
        let spec = match self.forget_entry.get(&proc) {
            Some(&spec) => spec,
            None => {
                let vars = self.context.entry_vars[proc].iter().copied();
                let bits: Vec<u32> = self.context.bits(Copy::Entry, vars).collect();
                let spec = self.m.spec(&bits, &[]);
                self.forget_entry.insert(proc, spec);
                spec
            }
        };
        Ok(self.m.exists_rename(states, spec)?)
    }

    /// P5 for the new part of a summary: tells every reached call of `proc` what is pending.
    fn publish(&mut self, proc: ProcId) -> Result<(), Halt> {
        let part = self.procs[proc].pending;
        let sites = self.procs[proc].sites.clone();
        for &site in &sites {
            let lifted = self.lift(site, part)?;
            let Site { source, ret, rel, lifted: before, .. } = self.sites[site as usize];
            self.sites[site as usize].lifted = self.m.or(before, lifted)?;
            let to = self.m.image(self.path[source], lifted, rel.jump_spec)?;
            self.propagate(ret, to)?;
        }
        let summary = self.m.or(self.procs[proc].summary, part)?;
        self.rounds += 1;
        let state = &mut self.procs[proc];
        state.summary = summary;
        state.pending = Bdd::FALSE;
        state.parts.push(Part { round: self.rounds, up_to_here: summary });
        Ok(())
    }

    /// Pairs of a summary (`Entry` to `Exit`) as a relation of the caller (`Pre` to `Post`).
    pub(crate) fn lift(&mut self, site: u32, pairs: Bdd) -> Result<Bdd, Halt> {
        let rel = self.sites[site as usize].rel;
        let there = self.m.image(pairs, rel.enter, rel.lift_spec)?;
        Ok(match rel.back_spec {
            Some(spec) => self.m.image(there, rel.back, spec)?,
            None => there,
        })
    }

    /// Adds path edges to a node; what is new waits in its frontier.
    fn propagate(&mut self, node: NodeId, edges: Bdd) -> Result<(), Halt> {
        let old = self.path[node];
        let all = self.m.or(old, edges)?;
        if all == old {
            return Ok(());
        }
        let new = self.m.diff(edges, old)?;
        self.frontier[node] = self.m.or(self.frontier[node], new)?;
        self.path[node] = all;
        if !self.queued[node] {
            self.queued[node] = true;
            self.queue.push(Reverse((self.priority[node], node.index() as u32)));
        }
        if let Some(goals) = self.watched.get(&node) {
            for (goal, condition) in goals.clone() {
                if self.open_goals.get(goal) == Some(&true) && !self.m.disjoint(new, condition)? {
                    self.open_goals[goal] = false;
                }
            }
        }
        Ok(())
    }

    /// `Entry ⇔ Pre` for the entry variables of a procedure.
    fn identity(&mut self, proc: ProcId) -> Result<Bdd, Halt> {
        if let Some(identity) = self.procs[proc].identity {
            return Ok(identity);
        }
        let mut pairs: Vec<(u32, u32)> = self.context.entry_vars[proc]
            .iter()
            .flat_map(|&v| {
                let slots = &self.context.slots;
                slots.bits(Copy::Entry, v).zip(slots.bits(Copy::Pre, v))
            })
            .collect();
        // From the bottom of the order up: each conjunction adds nodes on top only.
        pairs.sort_unstable_by(|a, b| b.cmp(a));
        let mut out = Bdd::TRUE;
        for (entry, pre) in pairs {
            let (entry, pre) = (self.m.var(entry)?, self.m.var(pre)?);
            let equal = self.m.iff(entry, pre)?;
            out = self.m.and(equal, out)?;
        }
        self.procs[proc].identity = Some(out);
        Ok(out)
    }

    /// The compiled edge; compiled when first asked for, since much of a program may be
    /// unreachable.
    pub(crate) fn compile(&mut self, e: EdgeId) -> Result<Compiled, Halt> {
        if !matches!(self.compiled[e], Compiled::Not) {
            return Ok(self.compiled[e]);
        }
        let edge = &self.context.program.edges[e];
        let compiled = match &edge.kind {
            EdgeKind::Local { target, rel } => {
                Compiled::Local(self.context.step(&mut self.m, edge.source, *target, rel)?)
            }
            EdgeKind::Return { rel } => {
                Compiled::Return(self.context.ret(&mut self.m, edge.source, rel)?)
            }
            EdgeKind::Call(call) => {
                let rel = self.context.call(&mut self.m, edge.source, call)?;
                let site = self.sites.len() as u32;
                self.sites.push(Site {
                    source: edge.source,
                    callee: call.callee,
                    ret: call.ret,
                    rel,
                    lifted: Bdd::FALSE,
                });
                let told = self.procs[call.callee].summary;
                self.sites[site as usize].lifted = self.lift(site, told)?;
                self.procs[call.callee].sites.push(site);
                Compiled::Call(site)
            }
        };
        self.compiled[e] = compiled;
        Ok(compiled)
    }

    /// Frees what nothing refers to. `more` are further handles in use.
    pub(crate) fn collect(&mut self, more: impl IntoIterator<Item = Bdd>) {
        let roots = self.roots(more);
        self.m.gc(roots);
    }

    /// The handles in use, each once.
    fn roots(&self, more: impl IntoIterator<Item = Bdd>) -> Vec<Bdd> {
        let mut roots: Vec<Bdd> = more.into_iter().collect();
        roots.push(self.in_hand);
        roots.extend(self.path.iter().chain(self.frontier.iter()));
        for compiled in self.compiled.iter() {
            if let Compiled::Local(step) | Compiled::Return(step) = compiled {
                roots.push(step.rel);
            }
        }
        for site in &self.sites {
            roots.extend([site.rel.enter, site.rel.back, site.lifted]);
        }
        for state in self.procs.iter() {
            roots.extend([state.entered, state.summary, state.pending]);
            roots.extend(state.identity);
            roots.extend(state.parts.iter().map(|p| p.up_to_here));
        }
        roots.extend(self.watched.values().flatten().map(|&(_, condition)| condition));
        // Most handles occur many times; marking each once is enough.
        roots.sort_unstable_by_key(|b| b.id());
        roots.dedup();
        roots
    }
}
