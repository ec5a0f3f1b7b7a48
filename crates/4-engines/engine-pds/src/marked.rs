//! Runs that carry a mark.
//!
//! A call that is passed over carries the marks of the run inside it. So summaries are needed with
//! and without each mark: for mark `i`, `path_i(n)` are the path edges whose runs have carried `i`
//! since their frame was entered, and `summary_i(f)` the pairs of completed runs that have. With
//! `path` and `summary` as post* left them, they are the least sets closed under
//!
//! - MS1 (marked step): `path(n)(e, x)` and a step `x → y` from `n` to `m` that carries `i` give
//!   `path_i(m)(e, y)`; `path_i(n)(e, x)` and any step do, too;
//! - MS2 (return): the same with returns and `summary_i`;
//! - MS3 (call): `path_i(n)(e, x)` and a completed call give `path_i(m)(e, y)`; `path(n)(e, x)`
//!   does with a call that carries `i`, or with a pair of `summary_i`.
//!
//! One mark at a time is enough, however many a goal has: a loop may pass the same pair several
//! times, with other runs inside. Much is known without any diagram: runs of a procedure that can
//! meet no edge with the mark never carry it, and those of one where every way through meets such
//! an edge always do. What remains is computed for those procedures only that somebody asks about.

use crate::system::System;
use bdd::Bdd;
use ir::{EdgeId, EdgeKind, IndexVec, MarkSet, NodeId, ProcId, Program};
use symbolic::{Compiled, Halt, Item, Rings, Summary, Worklist};

/// What is known of the completed runs of a procedure that carry a mark.
#[derive(Clone, Debug)]
pub(crate) enum Marked {
    /// There is none.
    Never,
    /// All of them do.
    Always,
    /// Some may; nobody has asked.
    Open,
    /// Exactly these.
    Exact(Summary),
}

/// Where a mark is met, whatever the data.
#[derive(Clone)]
pub(crate) struct Meets {
    /// Some run of the procedure, or of one that it calls, can meet the mark.
    pub(crate) may: IndexVec<ProcId, bool>,
    /// Some run from the entry to the node, or through the procedure, can avoid it.
    pub(crate) avoids: IndexVec<NodeId, bool>,
    pub(crate) avoids_through: IndexVec<ProcId, bool>,
}

impl Meets {
    pub(crate) fn new(program: &Program, carries: impl Fn(EdgeId) -> bool) -> Meets {
        let (nodes, procs) = (program.nodes.len(), program.procs.len());
        let mut callers: IndexVec<ProcId, Vec<EdgeId>> = IndexVec::filled(Vec::new(), procs);
        let mut may = IndexVec::filled(false, procs);
        for (e, edge) in program.edges.enumerate() {
            if let EdgeKind::Call(call) = &edge.kind {
                callers[call.callee].push(e);
            }
            may[program.nodes[edge.source].proc] |= carries(e);
        }
        let mut work: Vec<ProcId> = program.procs.ids().filter(|&p| may[p]).collect();
        while let Some(proc) = work.pop() {
            for &e in &callers[proc] {
                let caller = program.nodes[program.edges[e].source].proc;
                if !std::mem::replace(&mut may[caller], true) {
                    work.push(caller);
                }
            }
        }
        let mut avoids = IndexVec::filled(false, nodes);
        let mut avoids_through = IndexVec::filled(false, procs);
        let mut work: Vec<NodeId> = program.procs.iter().map(|p| p.entry).collect();
        while let Some(node) = work.pop() {
            if std::mem::replace(&mut avoids[node], true) {
                continue;
            }
            for e in program.out_edges(node).filter(|&e| !carries(e)) {
                match &program.edges[e].kind {
                    EdgeKind::Local { target, .. } => work.push(*target),
                    EdgeKind::Call(call) if avoids_through[call.callee] => work.push(call.ret),
                    EdgeKind::Call(_) => {}
                    EdgeKind::Return { .. } => {
                        let proc = program.nodes[node].proc;
                        if std::mem::replace(&mut avoids_through[proc], true) {
                            continue;
                        }
                        for &c in callers[proc].iter().filter(|&&c| !carries(c)) {
                            let edge = &program.edges[c];
                            if avoids[edge.source] {
                                work.extend(edge.target());
                            }
                        }
                    }
                }
            }
        }
        Meets { may, avoids, avoids_through }
    }

    /// Neither no run nor every run through the procedure carries the mark.
    pub(crate) fn is_open(&self, proc: ProcId) -> bool {
        self.may[proc] && self.avoids_through[proc]
    }
}

impl System {
    /// The marks that matter of an edge, a bit each. A goal without marks asks for any infinite
    /// run: as if every edge carried mark 0.
    pub(crate) fn edge_marks(&self, e: EdgeId) -> MarkSet {
        match self.marks {
            0 => 1,
            marks => self.program.edges[e].marks & ir::all_marks(marks),
        }
    }

    /// The summary of a procedure; with a mark, that of the runs which carry it.
    pub(crate) fn pairs(&self, proc: ProcId, mark: Option<u32>) -> Bdd {
        match mark.map(|i| &self.marked[i as usize][proc]) {
            None | Some(Marked::Always) => self.summaries[proc].all,
            Some(Marked::Exact(summary)) => summary.all,
            Some(Marked::Never | Marked::Open) => Bdd::FALSE,
        }
    }

    /// Finds the runs of some procedures that carry a mark; `wanted` is closed under calls that
    /// do not carry it of procedures that are open. Gives the marked path edges of their nodes, and
    /// keeps the summaries. `path` are all path edges of these procedures.
    pub(crate) fn mark_runs(
        &mut self,
        mark: u32,
        wanted: &IndexVec<ProcId, bool>,
        path: &IndexVec<NodeId, Bdd>,
    ) -> Result<IndexVec<NodeId, Bdd>, Halt> {
        let program = self.program.clone();
        for proc in program.procs.ids().filter(|&p| wanted[p]) {
            self.marked[mark as usize][proc] = Marked::Exact(Summary::NONE);
        }
        let (nodes, procs) = (program.nodes.len(), program.procs.len());
        let mut runs = Runs {
            mark,
            all: IndexVec::filled(Bdd::FALSE, nodes),
            new: IndexVec::filled(Bdd::FALSE, nodes),
            pending: IndexVec::filled(Bdd::FALSE, procs),
            work: Worklist::forwards(&program),
        };
        let mut callers: IndexVec<ProcId, Vec<EdgeId>> = IndexVec::filled(Vec::new(), procs);
        for proc in program.procs.ids().filter(|&p| wanted[p]) {
            for node in program.procs[proc].node_ids().filter(|&n| !path[n].is_false()) {
                for e in program.out_edges(node) {
                    if let EdgeKind::Call(call) = &program.edges[e].kind {
                        if wanted[call.callee] && !self.carries(e, mark) {
                            callers[call.callee].push(e);
                        } else if !self.carries(e, mark) {
                            let pairs = self.pairs(call.callee, Some(mark));
                            self.follow_marked(&mut runs, e, path[node], pairs)?;
                        }
                    }
                    if self.carries(e, mark) {
                        let pairs = self.callee_pairs(e);
                        self.follow_marked(&mut runs, e, path[node], pairs)?;
                    }
                }
            }
        }
        while let Some(item) = runs.work.pop() {
            self.budget.work(1)?;
            match item {
                Item::Node(node) => {
                    let new = std::mem::replace(&mut runs.new[node], Bdd::FALSE);
                    for e in program.out_edges(node) {
                        if self.covered(e)? {
                            continue;
                        }
                        let pairs = self.callee_pairs(e);
                        self.follow_marked(&mut runs, e, new, pairs)?;
                    }
                }
                Item::Proc(proc) => {
                    let part = std::mem::replace(&mut runs.pending[proc], Bdd::FALSE);
                    for &e in &callers[proc] {
                        let from = path[program.edges[e].source];
                        self.follow_marked(&mut runs, e, from, part)?;
                    }
                    self.publish_marked(proc, mark, part)?;
                }
            }
            if self.want_collection() {
                let roots = runs.all.iter().chain(runs.new.iter()).chain(runs.pending.iter());
                let roots: Vec<Bdd> = roots.chain(path.iter()).copied().collect();
                self.collect(roots);
            }
        }
        self.effort.marked += runs.work.visits;
        Ok(runs.all)
    }

    fn callee_pairs(&self, e: EdgeId) -> Bdd {
        match &self.program.edges[e].kind {
            EdgeKind::Call(call) => self.summaries[call.callee].all,
            _ => Bdd::FALSE,
        }
    }

    /// MS1 to MS3 for path edges that give marked ones, a call by way of `pairs`.
    fn follow_marked(
        &mut self,
        runs: &mut Runs,
        e: EdgeId,
        from: Bdd,
        pairs: Bdd,
    ) -> Result<(), Halt> {
        if from.is_false() {
            return Ok(());
        }
        match self.compile(e)? {
            Compiled::Local(step) => {
                let after = self.step(step, from)?;
                let target = self.program.edges[e].target().expect("a step has a target");
                self.add_marked(runs, target, after)
            }
            Compiled::Call(site) => {
                if pairs.is_false() {
                    return Ok(());
                }
                let site = self.sites[site as usize];
                let called = self.m.image(from, site.rel.enter, site.rel.call)?;
                let after = self.jump(site.rel, called, pairs)?;
                self.add_marked(runs, site.ret, after)
            }
            Compiled::Return(ret) => {
                let proc = self.program.nodes[self.program.edges[e].source].proc;
                let pairs = self.m.image(from, ret.rel, ret.image)?;
                let known = self.pairs(proc, Some(runs.mark));
                let fresh = self.m.diff(pairs, known)?;
                let pending = runs.pending[proc];
                let all = self.m.or(pending, fresh)?;
                if all != pending {
                    runs.pending[proc] = all;
                    runs.work.push_proc(proc);
                }
                Ok(())
            }
            Compiled::Not => unreachable!("the edge has just been compiled"),
        }
    }

    fn add_marked(&mut self, runs: &mut Runs, node: NodeId, states: Bdd) -> Result<(), Halt> {
        let fresh = self.m.diff(states, runs.all[node])?;
        if fresh.is_false() {
            return Ok(());
        }
        runs.all[node] = self.m.or(runs.all[node], fresh)?;
        runs.work.push_node(node);
        runs.new[node] = self.m.or(runs.new[node], fresh)?;
        Ok(())
    }
}

/// Marked path edges under construction.
struct Runs {
    mark: u32,
    all: IndexVec<NodeId, Bdd>,
    new: IndexVec<NodeId, Bdd>,
    /// Pairs that have not been handed on.
    pending: IndexVec<ProcId, Bdd>,
    work: Worklist,
}
