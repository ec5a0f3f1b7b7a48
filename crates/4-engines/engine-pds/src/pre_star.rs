//! pre*: the configurations from which a regular set of configurations can be reached
//! ([moped §4.1], Algorithm 1).
//!
//! The automaton reads a stack from its top. Its initial state is `p`, whose data is that of a
//! control location that a frame was left with; its other states are those of the set. A transition
//! `p —n(x)→ p(o)` says that a frame in which control stands at `n` with `x` can be left with `o`;
//! `p —n(x)→ q` that what is left at the end is accepted from `q`. The least automaton closed under
//!
//! - B1 (set): every configuration of the set is accepted;
//! - B2 (return): a return at `n` that leaves with `o` gives `p —n(x)→ p(o)`;
//! - B3 (step): a step `x → y` from `n` to `m` and `p —m(y)→ q` give `p —n(x)→ q`;
//! - B4 (completed call): a call at `n` that enters `f` with `e` and leaves `s` behind,
//!   `p —f.entry(e)→ p(o)`, the way back from `o` and `s` to `y` at `m`, and `p —m(y)→ q` give
//!   `p —n(x)→ q`;
//! - B5 (open call): such a call `c`, `p —f.entry(e)→ q` and `q —c(s)→ r` give `p —n(x)→ r`.
//!
//! Algorithm 1 as printed has slips: line 14 has the names of the rule where those of the
//! transition are meant (`rel(q, γ, q′)`), and lines 15 and 17 bind `R` again, which is `R′` in the
//! lines below them. The rules `Δ′` that it adds for a half-done push are `wait` here: the set
//! `p —c(o, s)→ q` of a frame that waits in the call `c`, the way back seen backwards. As in
//! `post_star.rs`, only what is new is propagated, and what is known of completed calls of a
//! procedure is handed to its callers in rounds. B2 is applied to a procedure only when somebody
//! waits for it.

use crate::call::CallRel;
use crate::post_star::{Goal, Top, add_top, lookup, roots, take_new};
use crate::regular::Frames;
use crate::system::{Site, System};
use bdd::{Bdd, SpecId};
use check::Certificate;
use ir::{EdgeId, EdgeKind, Id, IndexVec, NodeId, ProcId};
use symbolic::{Compiled, Copy, Fixpoint, Halt, Item, Worklist};

/// The automaton under construction. State 0 is `p`, and `1 + s` the state `s` of the set.
pub(crate) struct PreStar {
    pub(crate) s: System,
    /// `p —n→ q`: over `Pre` and, for state 0, the exit variables of the procedure as `Entry`.
    pub(crate) top: IndexVec<NodeId, Vec<Top>>,
    /// `p —c→ q` of a frame that waits in the call `c`: over `Exit`, `Pre` and, for state 0,
    /// `Entry`.
    pub(crate) wait: IndexVec<EdgeId, Vec<(Goal, Bdd)>>,
    /// The set.
    pub(crate) frames: Frames,
    /// The edges that lead to each node, completed calls included: `into[first[n]..first[n + 1]]`.
    into: Vec<EdgeId>,
    first: Vec<u32>,
    /// All calls of each procedure.
    calls: IndexVec<ProcId, Vec<EdgeId>>,
    /// Somebody asks how the procedure can be left.
    pub(crate) wanted: IndexVec<ProcId, bool>,
    /// Procedures that are looked at, if not all.
    relevant: Option<IndexVec<ProcId, bool>>,
    /// Pairs over `Inner` and `Exit` that have not been handed on yet.
    pending: IndexVec<ProcId, Bdd>,
    /// `Pre` and `Entry` at the entry to `Inner` and `Exit`.
    as_pairs: IndexVec<ProcId, Option<SpecId>>,
    in_hand: Vec<(Goal, Bdd)>,
    pub(crate) work: Worklist,
    /// Initial valuations, over `Pre`; reaching them may end the search.
    init: Bdd,
    open_goals: Vec<bool>,
}

impl Fixpoint for PreStar {
    type Rel = CallRel;
    const PHASE: &'static str = "pre*: nodes visited";

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
        !self.open_goals.is_empty() && !self.open_goals.contains(&true)
    }
    fn take(&mut self, node: NodeId) {
        self.in_hand = take_new(&mut self.top[node]);
    }
    fn visit(&mut self, item: Item) -> Result<(), Halt> {
        match item {
            Item::Node(node) => self.visit_node(node),
            Item::Proc(proc) => self.hand_on(proc),
        }
    }
    fn put_down(&mut self) {
        self.in_hand.clear();
    }
    fn collect(&mut self) {
        let mut all: Vec<Bdd> = self.in_hand.iter().map(|&(_, new)| new).collect();
        all.extend(self.top.iter().flat_map(|list| roots(list)));
        all.extend(self.wait.iter().flatten().map(|&(_, rel)| rel));
        all.extend(self.pending.iter().copied().chain([self.init]));
        all.extend(self.frames.roots());
        self.s.collect(all);
    }
}

impl PreStar {
    /// To the set `frames`; only procedures that are `relevant` are looked at.
    pub(crate) fn new(
        s: System,
        frames: Frames,
        relevant: Option<IndexVec<ProcId, bool>>,
    ) -> PreStar {
        let program = s.program.clone();
        let (nodes, procs) = (program.nodes.len(), program.procs.len());
        let mut calls = IndexVec::filled(Vec::new(), procs);
        let mut first = vec![0u32; nodes + 1];
        for (e, edge) in program.edges.enumerate() {
            if let EdgeKind::Call(call) = &edge.kind {
                calls[call.callee].push(e);
            }
            if let Some(target) = edge.target() {
                first[target.index() + 1] += 1;
            }
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut into = vec![EdgeId::new(0); first[nodes] as usize];
        for (e, edge) in program.edges.enumerate() {
            if let Some(target) = edge.target() {
                into[next[target.index()] as usize] = e;
                next[target.index()] += 1;
            }
        }
        PreStar {
            work: Worklist::backwards(&program),
            s,
            top: IndexVec::filled(Vec::new(), nodes),
            wait: IndexVec::filled(Vec::new(), program.edges.len()),
            frames,
            into,
            first,
            calls,
            wanted: IndexVec::filled(false, procs),
            relevant,
            pending: IndexVec::filled(Bdd::FALSE, procs),
            as_pairs: IndexVec::filled(None, procs),
            in_hand: Vec::new(),
            init: Bdd::FALSE,
            open_goals: Vec::new(),
        }
    }

    /// The search ends as soon as every state of the set has been reached from the start.
    pub(crate) fn watch(&mut self) -> Result<(), Halt> {
        self.init = self.s.initial()?;
        self.open_goals = vec![true; self.frames.accepting.len()];
        Ok(())
    }

    /// Asks for every way to leave any procedure.
    pub(crate) fn want_all(&mut self) -> Result<(), Halt> {
        for proc in self.s.program.procs.ids() {
            self.want(proc)?;
        }
        Ok(())
    }

    /// Runs to the fixpoint, or until all watched goals are reached.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        // B1.
        let tops: Vec<(NodeId, u32, Bdd)> = self.frames.tops(&self.s.program).collect();
        for (node, state, condition) in tops {
            self.propagate(node, 1 + state, condition)?;
        }
        symbolic::saturate(self)
    }

    fn visit_node(&mut self, node: NodeId) -> Result<(), Halt> {
        for i in 0..self.in_hand.len() {
            let (to, new) = self.in_hand[i];
            for at in self.first[node.index()]..self.first[node.index() + 1] {
                self.follow_back(self.into[at as usize], to, new)?;
            }
            let proc = self.s.program.nodes[node].proc;
            if self.s.program.procs[proc].entry == node {
                self.at_entry(proc, to, new)?;
            }
        }
        Ok(())
    }

    fn follow_back(&mut self, e: EdgeId, to: Goal, new: Bdd) -> Result<(), Halt> {
        if self.s.covered(e)? {
            return Ok(());
        }
        match self.s.compile(e)? {
            Compiled::Local(step) => {
                // B3.
                let before = self.s.step_back(step, new)?;
                self.propagate(self.s.program.edges[e].source, to, before)
            }
            Compiled::Call(site) => {
                // B4 for what is known of the callee: first to the waiting frame, then over it.
                let site = self.s.sites[site as usize];
                let waiting = self.s.waiting(site, new)?;
                let list = &mut self.wait[e];
                let at = match list.binary_search_by_key(&to, |t| t.0) {
                    Ok(at) => at,
                    Err(at) => {
                        list.insert(at, (to, Bdd::FALSE));
                        at
                    }
                };
                let old = list[at].1;
                let fresh = self.s.m.diff(waiting, old)?;
                if fresh.is_false() {
                    return Ok(());
                }
                self.want(site.callee)?;
                self.over(site, to, fresh, self.s.summaries[site.callee].all)?;
                // Last, so that a visit that was cut short can be repeated.
                self.wait[e][at].1 = self.s.m.or(old, fresh)?;
                Ok(())
            }
            Compiled::Return(_) | Compiled::Not => unreachable!("a return leads to no node"),
        }
    }

    /// B4: over completed calls, from the waiting frame to the call.
    fn over(&mut self, site: Site, to: Goal, waiting: Bdd, pairs: Bdd) -> Result<(), Halt> {
        if pairs.is_false() {
            return Ok(());
        }
        let before = self.s.over(site, waiting, pairs)?;
        self.propagate(site.source, to, before)
    }

    /// What transitions at the entry of a procedure mean for its callers.
    fn at_entry(&mut self, proc: ProcId, to: Goal, new: Bdd) -> Result<(), Halt> {
        if to == 0 {
            let spec = self.as_pairs(proc);
            let pairs = self.s.m.exists_rename(new, spec)?;
            let known = self.s.summaries[proc].all;
            let fresh = self.s.m.diff(pairs, known)?;
            let pending = self.pending[proc];
            let all = self.s.m.or(pending, fresh)?;
            if all != pending {
                self.pending[proc] = all;
                self.work.push_proc(proc);
            }
            return Ok(());
        }
        // B5.
        for at in 0..self.calls[proc].len() {
            let e = self.calls[proc][at];
            let below: Vec<(u32, Bdd)> = self.frames.below(&self.s.program, to - 1, e).collect();
            if below.is_empty() {
                continue;
            }
            let Compiled::Call(site) = self.s.compile(e)? else {
                unreachable!("calls lists calls")
            };
            let site = self.s.sites[site as usize];
            let back = self.s.call_back(site);
            let entered = self.s.m.exists_rename(new, back.into)?;
            for (next, condition) in below {
                let condition = self.s.m.exists_rename(condition, back.saved)?;
                let inside = self.s.m.and(entered, condition)?;
                let before = self.s.m.image(inside, site.rel.enter, back.leave)?;
                self.propagate(site.source, 1 + next, before)?;
            }
        }
        Ok(())
    }

    /// B4 for new ways through a procedure.
    fn hand_on(&mut self, proc: ProcId) -> Result<(), Halt> {
        let part = self.pending[proc];
        for at in 0..self.calls[proc].len() {
            let e = self.calls[proc][at];
            if self.wait[e].is_empty() {
                continue;
            }
            let Compiled::Call(site) = self.s.compile(e)? else {
                unreachable!("calls lists calls")
            };
            let site = self.s.sites[site as usize];
            for i in 0..self.wait[e].len() {
                let (to, waiting) = self.wait[e][i];
                self.over(site, to, waiting, part)?;
            }
        }
        self.s.publish(proc, part)?;
        self.pending[proc] = Bdd::FALSE;
        Ok(())
    }

    /// B2 for a procedure, once.
    fn want(&mut self, proc: ProcId) -> Result<(), Halt> {
        if self.wanted[proc] {
            return Ok(());
        }
        let program = self.s.program.clone();
        for node in program.procs[proc].node_ids() {
            for e in program.out_edges(node) {
                let EdgeKind::Return { rel } = &program.edges[e].kind else { continue };
                let Compiled::Return(ret) = self.s.compile(e)? else {
                    unreachable!("a return is compiled as one")
                };
                let pop = self.s.pop(node, rel, ret)?;
                self.propagate(node, 0, pop)?;
            }
        }
        self.wanted[proc] = true;
        Ok(())
    }

    fn as_pairs(&mut self, proc: ProcId) -> SpecId {
        if let Some(spec) = self.as_pairs[proc] {
            return spec;
        }
        let context = &self.s.context;
        let entry = &context.entry_vars[proc];
        let live = context.live.vars(&self.s.program, self.s.program.procs[proc].entry);
        let open: Vec<u32> = context.bits(Copy::Pre, live.filter(|v| !entry.contains(v))).collect();
        let mut rename = context.pairs(Copy::Pre, Copy::Inner, entry.iter().copied());
        let exit = context.exit_vars[proc].iter().copied();
        rename.extend(context.pairs(Copy::Entry, Copy::Exit, exit));
        let spec = self.s.m.spec(&open, &rename);
        self.as_pairs[proc] = Some(spec);
        spec
    }

    /// Adds transitions `p —node→ to`; what is new waits.
    fn propagate(&mut self, node: NodeId, to: Goal, rel: Bdd) -> Result<(), Halt> {
        let proc = self.s.program.nodes[node].proc;
        if self.relevant.as_ref().is_some_and(|relevant| !relevant[proc]) {
            return Ok(());
        }
        let new = add_top(&mut self.s, &mut self.top[node], to, rel)?;
        if new.is_false() {
            return Ok(());
        }
        self.work.push_node(node);
        let program = &self.s.program;
        if to > 0
            && self.open_goals.get(to as usize - 1) == Some(&true)
            && program.procs[program.entry].entry == node
            && !self.s.m.disjoint(new, self.init)?
        {
            self.open_goals[to as usize - 1] = false;
        }
        Ok(())
    }

    /// Whether the start is accepted by way of the state `state` of the set.
    pub(crate) fn starts_in(&mut self, state: usize) -> Result<bool, Halt> {
        let init = self.s.initial()?;
        let entry = self.s.program.procs[self.s.program.entry].entry;
        let rel = lookup(&self.top[entry], 1 + state as u32);
        Ok(!self.s.m.disjoint(init, rel)?)
    }

    /// A certificate that the goals which are not `reached` cannot be.
    ///
    /// With `Bad(n)` the states at `n` from which one of them can be reached, and `Pop(n)` the
    /// relation `p —n→ p`, the summary of `f` is `Pop(f.entry)`, and the path edges of its nodes are
    /// `{(e, x) | x ∉ Bad(n), every o with Pop(n)(x, o) has Pop(f.entry)(e, o)}`. That B2–B5 are
    /// closed makes this inductive: a step, call or return from such an `x` leads to nothing that
    /// is not already accounted for at `x`. A procedure that nobody waits for may be left in any
    /// way.
    pub(crate) fn certificate(
        &mut self,
        reached: &[bool],
        relevant: &IndexVec<ProcId, bool>,
    ) -> Result<Certificate, Halt> {
        let program = self.s.program.clone();
        let mut path = IndexVec::filled(Bdd::FALSE, program.nodes.len());
        let mut summaries = IndexVec::filled(Bdd::FALSE, program.procs.len());
        for (proc, info) in program.procs.enumerate().filter(|(p, _)| relevant[*p]) {
            let wanted = self.wanted[proc];
            let exit = self.s.context.exit_vars[proc].iter().copied();
            let exit_bits: Vec<u32> = self.s.context.bits(Copy::Entry, exit.clone()).collect();
            let pairs = self.s.summaries[proc].all;
            summaries[proc] = if wanted { pairs } else { Bdd::TRUE };
            let rename = self.s.context.pairs(Copy::Exit, Copy::Entry, exit);
            let pairs = self.s.m.rename(pairs, &rename)?;
            let cube = self.s.m.cube(&exit_bits)?;
            for node in info.node_ids() {
                self.s.budget.work(1)?;
                let list = &self.top[node];
                let mut bad = Bdd::FALSE;
                for top in list.iter().filter(|t| t.to > 0 && !reached[t.to as usize - 1]) {
                    bad = self.s.m.or(bad, top.all)?;
                }
                if wanted {
                    let pop = lookup(list, 0);
                    let surprise = self.s.m.and_exists(pop, pairs.not(), cube)?;
                    bad = self.s.m.or(bad, surprise)?;
                }
                path[node] = bad.not();
            }
        }
        Ok(self.s.certificate(&path, &summaries))
    }
}
