//! Fixpoints over nodes and procedures.
//!
//! Nodes are visited in weak topological order, callees first; a procedure has a turn of its own,
//! after its nodes, in which what was found of it is handed on. Only what is new is propagated.

use crate::halt::Halt;
use crate::system::{Aim, CallRelation, System};
use bdd::{Bdd, Manager, Stop};
use check::Progress;
use ir::{Id, IndexVec, NodeId, ProcId, Program};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something to be visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// New states at a node.
    Node(NodeId),
    /// What is known of a procedure and has not been handed on.
    Proc(ProcId),
}

/// What is to be visited, each node and each procedure at most once.
pub struct Worklist {
    /// With priorities; `u32::MAX - p` stands for procedure `p`.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    nodes: IndexVec<NodeId, u64>,
    procs: IndexVec<ProcId, u64>,
    queued_nodes: IndexVec<NodeId, bool>,
    queued_procs: IndexVec<ProcId, bool>,
    /// How many visits there have been.
    pub visits: u64,
}

impl Worklist {
    /// In weak topological order.
    pub fn forwards(program: &Program) -> Worklist {
        Worklist::new(program, |place| place)
    }

    /// In weak topological order from its end.
    pub fn backwards(program: &Program) -> Worklist {
        Worklist::new(program, |place| u32::MAX - 1 - place)
    }

    fn new(program: &Program, priority: impl Fn(u32) -> u32) -> Worklist {
        let place = analysis::weak_topological_order(program);
        let mut rank = IndexVec::filled(0u64, program.procs.len());
        for (i, proc) in analysis::call_order(program).into_iter().flatten().enumerate() {
            rank[proc] = i as u64;
        }
        let node =
            |(n, node): (NodeId, &ir::Node)| rank[node.proc] << 32 | u64::from(priority(place[n]));
        Worklist {
            queue: BinaryHeap::new(),
            nodes: program.nodes.enumerate().map(node).collect(),
            procs: program.procs.ids().map(|p| rank[p] << 32 | 0xffff_ffff).collect(),
            queued_nodes: IndexVec::filled(false, program.nodes.len()),
            queued_procs: IndexVec::filled(false, program.procs.len()),
            visits: 0,
        }
    }

    /// A node has something new.
    pub fn push_node(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.queued_nodes[node], true) {
            self.queue.push(Reverse((self.nodes[node], node.index() as u32)));
        }
    }

    /// A procedure has something to hand on.
    pub fn push_proc(&mut self, proc: ProcId) {
        if !std::mem::replace(&mut self.queued_procs[proc], true) {
            self.queue.push(Reverse((self.procs[proc], u32::MAX - proc.index() as u32)));
        }
    }

    /// What to visit next.
    pub fn pop(&mut self) -> Option<Item> {
        let Reverse((_, item)) = self.queue.pop()?;
        self.visits += 1;
        Some(if (item as usize) < self.queued_nodes.len() {
            let node = NodeId::new(item as usize);
            self.queued_nodes[node] = false;
            Item::Node(node)
        } else {
            let proc = ProcId::new((u32::MAX - item) as usize);
            self.queued_procs[proc] = false;
            Item::Proc(proc)
        })
    }
}

/// A least fixpoint under construction.
pub trait Fixpoint {
    /// How calls are compiled.
    type Rel: CallRelation;
    /// What is told of progress.
    const PHASE: &'static str;

    /// The program.
    fn system(&self) -> &System<Self::Rel>;
    /// The same, to work with.
    fn system_mut(&mut self) -> &mut System<Self::Rel>;
    /// What is to be visited.
    fn worklist(&mut self) -> &mut Worklist;
    /// All that was asked for is known.
    fn is_done(&self) -> bool;
    /// Takes what is new at a node in hand.
    fn take(&mut self, node: NodeId);
    /// Applies the rules to what is in hand, or hands on what is known of a procedure. A visit that
    /// was cut short can be repeated.
    fn visit(&mut self, item: Item) -> Result<(), Halt>;
    /// Nothing is in hand any more.
    fn put_down(&mut self);
    /// Frees what nothing refers to.
    fn collect(&mut self);
    /// Whether [`halve`](Fixpoint::halve) can do something.
    const HALVES: bool = false;
    /// Gives back a part of what is in hand, or of what is known of a procedure, so that a visit has less to do; the
    /// item is to be visited again then. False if there is nothing to give back.
    fn halve(&mut self, _: Item) -> Result<bool, Halt> {
        Ok(false)
    }
}

/// Visits an item, however much room that takes.
///
/// Images of large sets leave more behind than their result is, and nothing can be freed in their midst. So the nodes may
/// not grow by more than a half within a visit ([`System::room`]): if they do, what it left is freed, and it is repeated
/// with a half of what was in hand. The order of variables puts on top what tells cases apart, so that the halves have
/// little in common.
fn visit<F: Fixpoint>(f: &mut F, item: Item) -> Result<(), Halt> {
    let most = f.system().m.node_limit();
    loop {
        let before = f.system().m.live_nodes();
        let limit = if F::HALVES { most.min(f.system().room) } else { most };
        f.system_mut().m.set_node_limit(limit);
        let visited = f.visit(item);
        f.system_mut().m.set_node_limit(most);
        if !matches!(visited, Err(Halt::Diagrams(Stop::Nodes))) {
            return visited;
        }
        let refused = f.system().m.was_refused();
        f.collect();
        let left = f.system().m.live_nodes();
        if !refused && limit < most && left + left / 4 < before || f.halve(item)? {
            continue;
        }
        if refused || limit == most {
            // On a full table: try once more, then report.
            return f.visit(item);
        }
        f.system_mut().room = 2 * limit;
    }
}

/// Runs to the fixpoint, or until all that was asked for is known.
pub fn saturate<F: Fixpoint>(f: &mut F) -> Result<(), Halt> {
    while !f.is_done()
        && let Some(item) = f.worklist().pop()
    {
        let before = f.worklist().visits - 1;
        if before.is_multiple_of(64) {
            let budget = &f.system().budget;
            budget.work(64)?;
            if before.is_multiple_of(1 << 14) {
                budget.report(Progress { phase: F::PHASE, done: before, total: None });
            }
        }
        if let Item::Node(node) = item {
            f.take(node);
        }
        visit(f, item)?;
        f.put_down();
        if f.system().want_collection() {
            f.collect();
        }
    }
    Ok(())
}

/// Nodes whose reaching may end a search, with goals and conditions.
#[derive(Default)]
pub struct Watch {
    at: FxHashMap<NodeId, Vec<(usize, Bdd)>>,
    open: Vec<bool>,
}

impl Watch {
    /// Keeps the conditions of targets; the search ends as soon as every one of the first `goals`
    /// goals has been reached at one of its targets.
    pub fn new(targets: impl IntoIterator<Item = Aim>, goals: usize) -> Watch {
        let mut at: FxHashMap<NodeId, Vec<(usize, Bdd)>> = FxHashMap::default();
        for (goal, node, condition) in targets {
            at.entry(node).or_default().push((goal, condition));
        }
        Watch { at, open: vec![true; goals] }
    }

    /// There are new states at a node.
    pub fn reached(&mut self, m: &mut Manager, node: NodeId, new: Bdd) -> Result<(), Stop> {
        for &(goal, condition) in self.at.get(&node).into_iter().flatten() {
            if self.open.get(goal) == Some(&true) && !m.disjoint(new, condition)? {
                self.open[goal] = false;
            }
        }
        Ok(())
    }

    /// Whether some target is among states at a node.
    pub fn meets(&self, m: &mut Manager, node: NodeId, states: Bdd) -> Result<bool, Stop> {
        for &(_, condition) in self.at.get(&node).into_iter().flatten() {
            if !m.disjoint(states, condition)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The nodes of all targets.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.at.keys().copied()
    }

    /// Every goal that was to be reached is; false if there was none.
    pub fn is_done(&self) -> bool {
        !self.open.is_empty() && !self.open.contains(&true)
    }

    /// The handles in use.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.at.values().flatten().map(|&(_, condition)| condition)
    }
}
