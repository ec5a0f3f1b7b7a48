//! Large blocks: what happens between two cut points, as one vector of functions.
//!
//! Cut points are the entries of procedures, the nodes that a loop comes back to, the nodes with a
//! call, the exits, and joins at which too many blocks would meet. A block starts at a cut point, or
//! with a call at one, and is executed symbolically along all its paths at once: where two meet, a
//! selector says which was taken. What comes of it is a guard and a function for each bit, over the
//! bits at the start and choices, at every node of the block.

use analysis::weak_topological_order;
use check::{Budget, Goal, StopReason, Task};
use circuits::{Applied, Before, Context, Role, condition};
use ir::{
    Call, EdgeId, EdgeKind, ExprId, Exprs, Id, IndexVec, NodeId, ProcId, Program, Rel, Time, VarId,
    VarKind, define_id,
};
use logic::{Aig, Decider, Lit};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

define_id!(
    /// A cut point: what frames have clauses for.
    PredId
);
define_id!(
    /// A block.
    BlockId
);

/// Where a cut point stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Place {
    /// A procedure is entered: the values there.
    Entry(ProcId),
    /// The values at the entry of the frame, and those at the node.
    Node(NodeId),
    /// The values at the entry of the frame, and those behind the return.
    Exit(ProcId),
}

/// A cut point.
pub(crate) struct Pred {
    pub(crate) place: Place,
    /// An input for each bit: those of the entry first (not at an entry itself).
    pub(crate) inputs: Vec<Lit>,
}

/// A call at the start of a block.
pub(crate) struct CallPart {
    pub(crate) edge: EdgeId,
    pub(crate) exit: PredId,
    /// The values with which the callee is entered, for each bit at its entry.
    pub(crate) entered: Vec<Lit>,
    /// The bits of the callee's summary: functions for those at its entry, inputs for the others.
    pub(crate) summary: Vec<Lit>,
    /// How many of them are at the entry.
    pub(crate) at_entry: usize,
}

/// A way to come to a place of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) from: usize,
    pub(crate) edge: EdgeId,
}

/// A place in a block with what is known there.
pub(crate) struct Visit {
    pub(crate) node: Option<NodeId>,
    pub(crate) guard: Lit,
    pub(crate) now: Vec<Lit>,
    pub(crate) arrivals: Vec<Arrival>,
    /// For all arrivals but the first: where it holds, one of those before was taken.
    pub(crate) picks: Vec<Lit>,
}

/// What a block, or a call at its start, leads to.
pub(crate) struct Target {
    pub(crate) to: Option<PredId>,
    /// The place in the block; none for the entry of a callee, which its only call leads to.
    pub(crate) visit: Option<usize>,
    pub(crate) guard: Lit,
    /// For each bit of the cut point, or what is observed.
    pub(crate) outs: Vec<Lit>,
    /// The call that leads to the entry of a callee.
    pub(crate) enters: Option<EdgeId>,
}

/// A block.
pub(crate) struct Block {
    /// None: the start of the program.
    pub(crate) source: Option<PredId>,
    pub(crate) call: Option<CallPart>,
    /// The values at the entry of the frame.
    pub(crate) entry: Vec<Lit>,
    /// In topological order; the first is the start.
    pub(crate) visits: Vec<Visit>,
    pub(crate) targets: Vec<Target>,
}

/// A target of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Way {
    pub(crate) block: BlockId,
    pub(crate) target: u32,
}

/// One question of the task.
pub(crate) struct Ask {
    pub(crate) what: What,
    pub(crate) ways: Vec<Way>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Goal(usize),
    Node(NodeId),
    Observation(usize),
}

/// A program in blocks.
pub(crate) struct Blocks<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) aig: Aig,
    pub(crate) preds: IndexVec<PredId, Pred>,
    pub(crate) blocks: IndexVec<BlockId, Block>,
    /// What leads to each cut point.
    pub(crate) heads: IndexVec<PredId, Vec<Way>>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) node_pred: IndexVec<NodeId, Option<PredId>>,
    pub(crate) exit_pred: IndexVec<ProcId, Option<PredId>>,
    entry_pred: IndexVec<ProcId, Option<PredId>>,
    /// Places in a topological order.
    pub(crate) order: IndexVec<NodeId, u32>,
    /// Where each node occurs inside of blocks.
    pub(crate) inside: IndexVec<NodeId, Vec<(BlockId, usize)>>,
}

/// Blocks that may pass a node; at a join of more it is cut.
const MEET: usize = 4;

/// Nothing but a guard and values on the way.
struct Coming {
    arrival: Arrival,
    guard: Lit,
    now: Vec<Lit>,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(
        task: &'a Task,
        decider: &mut Decider,
        budget: &Budget,
    ) -> Result<Blocks<'a>, StopReason> {
        let context = Context::new(task);
        let program = context.program;
        let order = weak_topological_order(program);
        let called = reachable(program);
        let cut = cut_points(program, &order);
        let (nodes, procs) = (program.nodes.len(), program.procs.len());
        let mut blocks = Blocks {
            context,
            aig: Aig::new(),
            preds: IndexVec::new(),
            blocks: IndexVec::new(),
            heads: IndexVec::new(),
            asks: Vec::new(),
            node_pred: IndexVec::filled(None, nodes),
            exit_pred: IndexVec::filled(None, procs),
            entry_pred: IndexVec::filled(None, procs),
            order,
            inside: IndexVec::filled(Vec::new(), nodes),
        };
        for (proc, _) in called.enumerate().filter(|(_, reached)| **reached) {
            let entry = blocks.pred(Place::Entry(proc));
            blocks.entry_pred[proc] = Some(entry);
            for node in program.procs[proc].node_ids().filter(|&n| cut[n]) {
                let pred = blocks.pred(Place::Node(node));
                blocks.node_pred[node] = Some(pred);
            }
            let exit = blocks.pred(Place::Exit(proc));
            blocks.exit_pred[proc] = Some(exit);
        }
        blocks.start();
        for pred in blocks.preds.ids() {
            budget.poll()?;
            match blocks.preds[pred].place {
                Place::Entry(proc) => {
                    blocks.local(pred, program.procs[proc].entry, decider, budget)?;
                }
                Place::Node(node) => blocks.local(pred, node, decider, budget)?,
                Place::Exit(_) => {}
            }
        }
        blocks.ask(task);
        Ok(blocks)
    }

    /// A new cut point.
    fn pred(&mut self, place: Place) -> PredId {
        let program = self.context.program;
        let bits = match place {
            Place::Entry(proc) => self.context.at[program.procs[proc].entry].len,
            Place::Node(node) => {
                self.context.entry[program.nodes[node].proc].len + self.context.at[node].len
            }
            Place::Exit(proc) => self.context.entry[proc].len + self.context.exit[proc].len,
        };
        let inputs = (0..bits).map(|_| self.aig.input()).collect();
        self.heads.push(Vec::new());
        self.preds.push(Pred { place, inputs })
    }

    /// The initial valuations.
    fn start(&mut self) {
        let program = self.context.program;
        let Some(pred) = self.entry_pred[program.entry] else { return };
        let node = program.procs[program.entry].entry;
        let outs = self.preds[pred].inputs.clone();
        let init = program.init;
        let guard = match init.condition {
            Exprs::TRUE => Lit::TRUE,
            expr => self.holds(node, &outs, expr, init.choices),
        };
        let target = Target { to: Some(pred), visit: None, guard, outs, enters: None };
        let (visits, entry) = (Vec::new(), Vec::new());
        let block = Block { source: None, call: None, entry, visits, targets: vec![target] };
        self.push(block);
    }

    /// A condition on the values at a node.
    pub(crate) fn holds(&mut self, node: NodeId, now: &[Lit], expr: ExprId, choices: u32) -> Lit {
        let bits = &self.context.at[node];
        let before: Before<'_> = &|var, index| bits.place(var).map(|p| now[p + index]);
        condition(&self.context, &mut self.aig, expr, choices, before)
    }

    fn push(&mut self, block: Block) -> BlockId {
        let id = BlockId::new(self.blocks.len());
        for (i, target) in block.targets.iter().enumerate() {
            if let Some(to) = target.to {
                self.heads[to].push(Way { block: id, target: i as u32 });
            }
        }
        // Where the block stands, but not where it ends, nor where a call starts.
        for (i, visit) in block.visits.iter().enumerate() {
            let Some(node) = visit.node else { continue };
            let own = match i {
                0 => {
                    block.call.is_none()
                        && (self.node_pred[node].is_none() || self.is_at(&block, node))
                }
                _ => self.node_pred[node].is_none(),
            };
            if own {
                self.inside[node].push((id, i));
            }
        }
        self.blocks.push(block)
    }

    /// Whether a block starts at the cut point of the node.
    fn is_at(&self, block: &Block, node: NodeId) -> bool {
        block.source.is_some_and(|source| self.preds[source].place == Place::Node(node))
    }

    /// The values at the entry of a frame, among those at a cut point.
    fn entry_values(&self, pred: PredId) -> Vec<Lit> {
        let program = self.context.program;
        let inputs = &self.preds[pred].inputs;
        match self.preds[pred].place {
            Place::Entry(proc) => {
                let bits = &self.context.at[program.procs[proc].entry];
                self.select(proc, bits, inputs)
            }
            Place::Node(node) => {
                let len = self.context.entry[program.nodes[node].proc].len as usize;
                inputs[..len].to_vec()
            }
            Place::Exit(proc) => inputs[..self.context.entry[proc].len as usize].to_vec(),
        }
    }

    /// What summaries keep of the values at an entry.
    fn select(&self, proc: ProcId, bits: &circuits::Bits, values: &[Lit]) -> Vec<Lit> {
        let mut out = Vec::new();
        for var in self.context.entry[proc].vars() {
            let place = bits.place(var).expect("what is determined at an entry is live there");
            out.extend_from_slice(&values[place..place + self.context.width(var)]);
        }
        out
    }

    /// The blocks that start at a cut point: one for its steps and returns, one for each call.
    fn local(
        &mut self,
        source: PredId,
        node: NodeId,
        decider: &mut Decider,
        budget: &Budget,
    ) -> Result<(), StopReason> {
        let program = self.context.program;
        let entry = self.entry_values(source);
        let skip =
            if matches!(self.preds[source].place, Place::Entry(_)) { 0 } else { entry.len() };
        let now = self.preds[source].inputs[skip..].to_vec();
        let start = |now: Vec<Lit>| Visit {
            node: Some(node),
            guard: Lit::TRUE,
            now,
            arrivals: Vec::new(),
            picks: Vec::new(),
        };
        let mut block = Block {
            source: Some(source),
            call: None,
            entry: entry.clone(),
            visits: vec![start(now.clone())],
            targets: Vec::new(),
        };
        let at_entry = matches!(self.preds[source].place, Place::Entry(_));
        if at_entry && let Some(to) = self.node_pred[node] {
            let outs = entry.iter().chain(&now).copied().collect();
            let visit = Some(0);
            block.targets.push(Target {
                to: Some(to),
                visit,
                guard: Lit::TRUE,
                outs,
                enters: None,
            });
            self.push(block);
            return Ok(());
        }
        let mut jumps = Vec::new();
        for edge in program.out_edges(node) {
            let EdgeKind::Call(call) = &program.edges[edge].kind else { continue };
            let (target, jump) = self.call(source, edge, call, &now);
            if decider.satisfiable(&self.aig, &[target.guard]).map_err(|_| stopped(budget))? {
                jumps.push((edge, call, jump, target.guard));
                block.targets.push(target);
            }
        }
        self.execute(&mut block, Vec::new(), decider, budget)?;
        self.push(block);
        for (edge, call, mut jump, guard) in jumps {
            let len = self.preds[jump.part.exit].inputs.len();
            while jump.part.summary.len() < len {
                jump.part.summary.push(self.aig.input());
            }
            let (guard, after) = self.back(&jump, call, guard, node, &now);
            let arrival = Arrival { from: 0, edge };
            let mut block = Block {
                source: Some(source),
                call: Some(jump.part),
                entry: entry.clone(),
                visits: vec![start(now.clone())],
                targets: Vec::new(),
            };
            let coming = vec![(Some(call.ret), Coming { arrival, guard, now: after })];
            self.execute(&mut block, coming, decider, budget)?;
            self.push(block);
        }
        Ok(())
    }

    /// A call: how it enters the callee, and what it leaves behind.
    fn call(&mut self, _: PredId, edge: EdgeId, call: &Call, now: &[Lit]) -> (Target, Jump) {
        let program = self.context.program;
        let callee = call.callee;
        let start = program.procs[callee].entry;
        let bits = &self.context.at[program.edges[edge].source];
        let before: Before<'_> = &|var, index| bits.place(var).map(|p| now[p + index]);
        let mut applied =
            Applied::new(&self.context, &mut self.aig, &call.enter, Role::Enter, before);
        let guard = applied.guard;
        let entered = applied.vector(&self.context, &mut self.aig, &self.context.at[start]);
        let mut saved = Saved::default();
        for assign in call.enter.assigns.iter().filter(|a| a.time == Time::Saved) {
            for index in 0..self.context.width(assign.var) {
                let lit = applied.after(&mut self.aig, Time::Saved, assign.var, index);
                saved.insert((assign.var, index), lit);
            }
        }
        let summary = self.select(callee, &self.context.at[start], &entered);
        let (entry, exit) = (self.entry_pred[callee], self.exit_pred[callee]);
        let (entry, exit) = (entry.expect("it is called"), exit.expect("it is called"));
        let outs = entered.clone();
        let target = Target { to: Some(entry), visit: None, guard, outs, enters: Some(edge) };
        let at_entry = summary.len();
        let part = CallPart { edge, exit, entered, summary, at_entry };
        (target, Jump { part, saved })
    }

    /// The way back from a call.
    fn back(
        &mut self,
        jump: &Jump,
        call: &Call,
        guard: Lit,
        node: NodeId,
        now: &[Lit],
    ) -> (Lit, Vec<Lit>) {
        let context = &self.context;
        let program = context.program;
        let here = &context.at[node];
        let left = &context.exit[call.callee];
        let exit = &jump.part.summary[jump.part.at_entry..];
        let before: Before<'_> = &|var, index| match program.vars[var].kind {
            VarKind::Result(_) => left.place(var).map(|p| exit[p + index]),
            VarKind::Global if context.mod_ref.modifies(call.callee, var) => {
                left.place(var).map(|p| exit[p + index])
            }
            _ => match jump.saved.get(&(var, index)) {
                Some(&lit) => Some(lit),
                None => here.place(var).map(|p| now[p + index]),
            },
        };
        let mut applied = Applied::new(context, &mut self.aig, &call.back, Role::Step, before);
        let guard = self.aig.and(guard, applied.guard);
        let after = applied.vector(context, &mut self.aig, &context.at[call.ret]);
        (guard, after)
    }

    /// Executes a block from its start (without anything coming) or from behind its call.
    fn execute(
        &mut self,
        block: &mut Block,
        coming: Vec<(Option<NodeId>, Coming)>,
        decider: &mut Decider,
        budget: &Budget,
    ) -> Result<(), StopReason> {
        // By place in the order; what returns comes last.
        let mut waiting: BTreeMap<(u32, Option<NodeId>), Vec<Coming>> = BTreeMap::new();
        let place = |order: &IndexVec<NodeId, u32>, node: Option<NodeId>| {
            (node.map_or(u32::MAX, |n| order[n]), node)
        };
        if coming.is_empty() {
            for (to, next) in self.expand(block, 0) {
                waiting.entry(place(&self.order, to)).or_default().push(next);
            }
        }
        for (to, next) in coming {
            waiting.entry(place(&self.order, to)).or_default().push(next);
        }
        while let Some(((_, node), list)) = waiting.pop_first() {
            budget.poll()?;
            let Some(visit) = self.merge(node, list, decider, budget)? else { continue };
            block.visits.push(visit);
            let at = block.visits.len() - 1;
            let to = match node {
                Some(node) => self.node_pred[node],
                None => {
                    let source = block.visits[0].node.expect("a block starts at a node");
                    self.exit_pred[self.context.program.nodes[source].proc]
                }
            };
            match to {
                Some(to) => {
                    let visit = &block.visits[at];
                    let outs = block.entry.iter().chain(&visit.now).copied().collect();
                    let guard = visit.guard;
                    let visit = Some(at);
                    block.targets.push(Target { to: Some(to), visit, guard, outs, enters: None });
                }
                None => {
                    for (to, next) in self.expand(block, at) {
                        waiting.entry(place(&self.order, to)).or_default().push(next);
                    }
                }
            }
        }
        Ok(())
    }

    /// The steps and returns from a place of a block.
    fn expand(&mut self, block: &Block, at: usize) -> Vec<(Option<NodeId>, Coming)> {
        let program = self.context.program;
        let visit = &block.visits[at];
        let node = visit.node.expect("nothing comes after a return");
        let proc = program.nodes[node].proc;
        let mut out = Vec::new();
        for edge in program.out_edges(node) {
            let (to, rel) = match &program.edges[edge].kind {
                EdgeKind::Local { target, rel } => (Some(*target), rel),
                EdgeKind::Return { rel } => (None, rel),
                EdgeKind::Call(_) => continue,
            };
            let (guard, now) = self.apply(node, proc, rel, to, &visit.now);
            let guard = self.aig.and(visit.guard, guard);
            let arrival = Arrival { from: at, edge };
            out.push((to, Coming { arrival, guard, now }));
        }
        out
    }

    /// A step or a return, applied to values at its source.
    pub(crate) fn apply(
        &mut self,
        node: NodeId,
        proc: ProcId,
        rel: &Rel,
        to: Option<NodeId>,
        now: &[Lit],
    ) -> (Lit, Vec<Lit>) {
        let bits = &self.context.at[node];
        let (role, after) = match to {
            Some(node) => (Role::Step, &self.context.at[node]),
            None => (Role::Return, &self.context.exit[proc]),
        };
        if rel.is_identity() && role == Role::Step && bits.same(after) {
            return (Lit::TRUE, now.to_vec());
        }
        let before: Before<'_> = &|var, index| bits.place(var).map(|p| now[p + index]);
        let mut applied = Applied::new(&self.context, &mut self.aig, rel, role, before);
        let guard = applied.guard;
        (guard, applied.vector(&self.context, &mut self.aig, after))
    }

    /// What comes to one place becomes one.
    fn merge(
        &mut self,
        node: Option<NodeId>,
        list: Vec<Coming>,
        decider: &mut Decider,
        budget: &Budget,
    ) -> Result<Option<Visit>, StopReason> {
        let mut all: Option<Visit> = None;
        for coming in list {
            let mut possible =
                |aig: &Aig, lit: Lit| decider.satisfiable(aig, &[lit]).map_err(|_| stopped(budget));
            if !possible(&self.aig, coming.guard)? {
                continue;
            }
            let Some(visit) = &mut all else {
                let Coming { arrival, guard, now } = coming;
                all = Some(Visit { node, guard, now, arrivals: vec![arrival], picks: Vec::new() });
                continue;
            };
            let both = self.aig.and(visit.guard, coming.guard);
            let apart = visit.now == coming.now || !possible(&self.aig, both)?;
            let pick = if apart { visit.guard } else { self.aig.input() };
            visit.guard = match apart {
                true => self.aig.or(visit.guard, coming.guard),
                false => self.aig.ite(pick, visit.guard, coming.guard),
            };
            for (x, &y) in visit.now.iter_mut().zip(&coming.now) {
                *x = self.aig.ite(pick, *x, y);
            }
            visit.arrivals.push(coming.arrival);
            visit.picks.push(pick);
        }
        Ok(all)
    }

    /// The questions, wherever their nodes occur.
    fn ask(&mut self, task: &Task) {
        for (i, goal) in task.goals.iter().enumerate() {
            let Goal::Reach(targets) = goal else { continue };
            let mut ways = Vec::new();
            for target in targets {
                ways.extend(self.ways(target.node, target.condition, None));
            }
            self.asks.push(Ask { what: What::Goal(i), ways });
        }
        for (i, observation) in task.observe.iter().enumerate() {
            let ways = self.ways(observation.node, Exprs::TRUE, Some(&observation.vars));
            self.asks.push(Ask { what: What::Observation(i), ways });
        }
        if task.wants.all_nodes {
            for node in task.program.nodes.ids() {
                let ways = self.ways(node, Exprs::TRUE, None);
                self.asks.push(Ask { what: What::Node(node), ways });
            }
        }
    }

    fn ways(&mut self, node: NodeId, expr: ExprId, observed: Option<&[VarId]>) -> Vec<Way> {
        let mut out = Vec::new();
        for (block, at) in self.inside[node].clone() {
            let visit = &self.blocks[block].visits[at];
            let (mut guard, now) = (visit.guard, visit.now.clone());
            if expr != Exprs::TRUE {
                let holds = self.holds(node, &now, expr, 0);
                guard = self.aig.and(guard, holds);
            }
            let mut outs = Vec::new();
            for &var in observed.unwrap_or_default() {
                let place = self.context.at[node].place(var).expect("observed values are live");
                outs.extend_from_slice(&now[place..place + self.context.width(var)]);
            }
            let targets = &mut self.blocks[block].targets;
            let target = targets.len() as u32;
            targets.push(Target { to: None, visit: Some(at), guard, outs, enters: None });
            out.push(Way { block, target });
        }
        out
    }
}

/// The caller's locals that a call changes.
type Saved = FxHashMap<(VarId, usize), Lit>;

struct Jump {
    part: CallPart,
    saved: Saved,
}

pub(crate) fn stopped(budget: &Budget) -> StopReason {
    budget.poll().err().unwrap_or(StopReason::Cancelled)
}

/// The procedures that calls lead to.
fn reachable(program: &Program) -> IndexVec<ProcId, bool> {
    let mut out = IndexVec::filled(false, program.procs.len());
    let mut stack = vec![program.entry];
    while let Some(proc) = stack.pop() {
        if std::mem::replace(&mut out[proc], true) {
            continue;
        }
        for edge in program.procs[proc].node_ids().flat_map(|n| program.out_edges(n)) {
            if let EdgeKind::Call(call) = &program.edges[edge].kind {
                stack.push(call.callee);
            }
        }
    }
    out
}

/// The nodes at which blocks end.
fn cut_points(program: &Program, order: &IndexVec<NodeId, u32>) -> IndexVec<NodeId, bool> {
    let mut cut = IndexVec::filled(false, program.nodes.len());
    for edge in program.edges.iter() {
        if let Some(target) = edge.target()
            && order[target] <= order[edge.source]
        {
            cut[target] = true;
        }
        cut[edge.source] |= matches!(edge.kind, EdgeKind::Call(_));
    }
    // How many blocks pass each node: an entry starts one, a cut point one, each call one.
    let mut blocks: IndexVec<NodeId, Vec<u32>> = IndexVec::filled(Vec::new(), program.nodes.len());
    for proc in program.procs.iter() {
        let mut nodes: Vec<NodeId> = proc.node_ids().collect();
        nodes.sort_by_key(|&n| order[n]);
        blocks[proc.entry].push(u32::MAX);
        for node in nodes {
            let mut list = std::mem::take(&mut blocks[node]);
            list.sort_unstable();
            list.dedup();
            if list.len() > MEET {
                cut[node] = true;
            }
            for edge in program.out_edges(node) {
                let Some(target) = program.edges[edge].target() else { continue };
                if order[target] <= order[node] {
                    continue;
                }
                match (&program.edges[edge].kind, cut[node]) {
                    (EdgeKind::Call(_), _) => {
                        // Blocks behind calls are numbered apart from those at nodes.
                        blocks[target].push((1 << 31) | edge.index() as u32);
                    }
                    (_, true) => blocks[target].push(node.index() as u32),
                    (_, false) => blocks[target].extend(list.iter().copied()),
                }
            }
        }
    }
    cut
}
