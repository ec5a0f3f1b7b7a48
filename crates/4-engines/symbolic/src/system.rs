//! A program with its edges as diagrams, the summaries found so far, and the operations on sets
//! that the rules of the engines are made of.

use crate::halt::{BudgetGate, Halt};
use crate::relation::{Context, ReturnRel, StepRel};
use crate::rings::Traces;
use crate::slots::{Copies, Copy};
use analysis::{Live, ModRef, Order, Uses};
use bdd::{Bdd, Config, Manager, SpecId, Stop};
use check::{Budget, Certificate, Goal, Stats, StopReason, Task, Trace, TraceMode, Verdict};
use ir::{Call, EdgeId, EdgeKind, ExprId, IndexVec, NodeId, ProcId, Program, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A goal's number, a node, and a condition over `Pre` there.
pub type Aim = (usize, NodeId, Bdd);

/// A call, compiled the way an engine applies it.
pub trait CallRelation: std::marker::Copy {
    /// The copies that the engine's diagrams speak of.
    const COPIES: Copies;

    /// Compiles a call at `source`.
    fn new(context: &Context, m: &mut Manager, source: NodeId, call: &Call) -> Result<Self, Stop>;

    /// What happens on entering, as [`Context::enter`] has it.
    fn enter(&self) -> Bdd;

    /// What happens on the way back, as [`Context::back`] has it.
    fn back(&self) -> Bdd;
}

/// A compiled edge.
#[derive(Clone)]
pub enum Compiled {
    /// Nobody has asked for it yet; [`System::compile`] never gives this.
    Not,
    /// A step inside a procedure.
    Local(StepRel),
    /// A return.
    Return(ReturnRel),
    /// A call: an index into [`System::sites`].
    Call(u32),
}

/// A call that has been met.
#[derive(Clone, Copy)]
pub struct Site<C> {
    /// The call.
    pub edge: EdgeId,
    /// Where it is.
    pub source: NodeId,
    /// The procedure called.
    pub callee: ProcId,
    /// Where the caller goes on.
    pub ret: NodeId,
    /// The call as a relation.
    pub rel: C,
}

/// What is known of the completed runs of a procedure: pairs over `Inner` and `Exit`.
#[derive(Clone, Debug)]
pub struct Summary {
    /// All pairs that callers have been told.
    pub all: Bdd,
    /// In which round each part was published: a part was derived from parts of smaller rounds
    /// alone.
    pub parts: Vec<Part>,
}

impl Summary {
    /// That of a procedure of which nothing is known.
    pub const NONE: Summary = Summary { all: Bdd::FALSE, parts: Vec::new() };

    /// Adds a part.
    pub fn publish(&mut self, m: &mut Manager, round: u32, part: Bdd) -> Result<(), Stop> {
        self.all = m.or(self.all, part)?;
        self.parts.push(Part { round, up_to_here: self.all });
        Ok(())
    }

    /// The handles in use.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.parts.iter().map(|p| p.up_to_here).chain([self.all])
    }
}

/// A part of a summary.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// When it was published.
    pub round: u32,
    /// This part and all before it.
    pub up_to_here: Bdd,
}

/// Switches of an engine. They exist so that the effect of what they switch off can be measured.
#[derive(Clone, Copy, Debug)]
pub struct Switches {
    /// Drop variables where they are dead ([bebop §3.3]).
    pub live_ranges: bool,
    /// Leave globals that a procedure does not touch with its callers ([bebop §3.3]).
    pub mod_ref: bool,
    /// How many nodes of diagrams there may be before the first collection.
    pub collect_at: usize,
    /// The order of the diagrams' variables.
    pub order: Order,
    /// Look for a better order whenever the diagrams have doubled.
    pub sifting: bool,
}

/// A few million nodes: garbage is what the next images find again. Late is fast; tests collect
/// early.
pub fn default_collect_at() -> usize {
    Config::default().collect_at
}

/// With sifting, the nodes below which no better order is looked for.
const SIFT_AT: usize = 1 << 14;

/// A program with its edges as diagrams.
pub struct System<C> {
    /// The program.
    pub program: Arc<Program>,
    /// What the compiler looks at.
    pub context: Context,
    /// The diagrams.
    pub m: Manager,
    /// What may be spent.
    pub budget: Budget,
    compiled: IndexVec<EdgeId, Compiled>,
    /// The calls met so far.
    pub sites: Vec<Site<C>>,
    /// The completed runs found so far.
    pub summaries: IndexVec<ProcId, Summary>,
    /// How many parts have been published.
    pub rounds: u32,
    /// Nodes of diagrams that there may be within a visit before it is done in parts: half as many again as were left
    /// by the last collection, and at least twice as many as there are before the first one.
    pub(crate) room: usize,
    least_room: usize,
    /// The room for a visit, in halves of the nodes in use. More is faster and takes more memory.
    pub halves_of_room: usize,
    /// The number of nodes at which to look for a better order.
    sift_at: Option<usize>,
    /// `Entry ⇔ Pre` for the entry variables; built when first entered.
    identities: IndexVec<ProcId, Option<Bdd>>,
    /// For each procedure, quantifies the `Entry` copy.
    forget_entry: FxHashMap<ProcId, SpecId>,
    /// Handles that stay in use to the end.
    pub pinned: Vec<Bdd>,
}

impl<C: CallRelation> System<C> {
    /// `collect_at`: how many nodes of diagrams there may be before the first collection.
    pub fn new(context: Context, budget: &Budget, collect_at: usize) -> System<C> {
        let program = context.program.clone();
        let mut m = Manager::new(Config { collect_at, ..Config::default() });
        m.set_gate(Some(Box::new(BudgetGate(budget.clone()))));
        System {
            m,
            budget: budget.clone(),
            compiled: IndexVec::filled(Compiled::Not, program.edges.len()),
            sites: Vec::new(),
            summaries: IndexVec::filled(Summary::NONE, program.procs.len()),
            rounds: 0,
            room: 2 * collect_at.max(1),
            least_room: 2 * collect_at.max(1),
            halves_of_room: 3,
            sift_at: None,
            identities: IndexVec::filled(None, program.procs.len()),
            forget_entry: FxHashMap::default(),
            pinned: Vec::new(),
            program,
            context,
        }
    }

    /// The program of a task.
    pub fn of_task(task: &Task, budget: &Budget, switches: Switches) -> Result<System<C>, Halt> {
        let program = &task.program;
        // A trace starts in an initial valuation, so it must tell what the initial condition reads,
        // even where that is dead at once.
        let mut reads = task.reads();
        let entry = program.procs[program.entry].entry;
        program.exprs.reads(program.init.condition, |_, var| reads.push((entry, var)));
        let uses = Uses::new(reads);
        let mod_ref = match switches.mod_ref {
            true => ModRef::new(program, &uses),
            false => ModRef::everything(program),
        };
        let live = match switches.live_ranges {
            true => {
                let live = Live::within(program, &mod_ref, &uses, &|| budget.poll().is_err());
                let spent = || budget.poll().err().unwrap_or(StopReason::Cancelled);
                live.ok_or_else(spent)?
            }
            false => Live::everything(program, &mod_ref),
        };
        budget.poll()?;
        let context = Context::new(program.clone(), live, mod_ref, C::COPIES, switches.order);
        let mut system = System::new(context, budget, switches.collect_at);
        system.sift_at = switches.sifting.then_some(SIFT_AT.min(switches.collect_at));
        Ok(system)
    }

    /// The targets of all reach goals with their conditions as diagrams.
    pub fn aims(&mut self, task: &Task) -> Result<Vec<Aim>, Halt> {
        let mut out = Vec::new();
        for (goal, what) in task.goals.iter().enumerate() {
            let Goal::Reach(targets) = what else { continue };
            for target in targets {
                out.push((goal, target.node, self.condition(target.condition, 0)?));
            }
        }
        Ok(out)
    }

    /// A condition over the values now, as a diagram over `Pre`.
    pub fn condition(&mut self, expr: ExprId, choices: u32) -> Result<Bdd, Stop> {
        self.context.condition(&mut self.m, expr, choices)
    }

    /// The compiled edge; compiled when first asked for, since much of a program may be
    /// unreachable.
    pub fn compile(&mut self, e: EdgeId) -> Result<Compiled, Halt> {
        if !matches!(self.compiled[e], Compiled::Not) {
            return Ok(self.compiled[e].clone());
        }
        let edge = &self.program.edges[e];
        let compiled = match &edge.kind {
            EdgeKind::Local { target, rel } => {
                Compiled::Local(self.context.step(&mut self.m, edge.source, *target, rel)?)
            }
            EdgeKind::Return { rel } => {
                Compiled::Return(self.context.ret(&mut self.m, edge.source, rel)?)
            }
            EdgeKind::Call(call) => {
                let rel = C::new(&self.context, &mut self.m, edge.source, call)?;
                let (source, callee, ret) = (edge.source, call.callee, call.ret);
                self.sites.push(Site { edge: e, source, callee, ret, rel });
                Compiled::Call(self.sites.len() as u32 - 1)
            }
        };
        self.compiled[e] = compiled.clone();
        Ok(compiled)
    }

    /// The call of an edge.
    ///
    /// # Panics
    /// If the edge is not a call.
    pub fn site(&mut self, e: EdgeId) -> Result<Site<C>, Halt> {
        let Compiled::Call(site) = self.compile(e)? else { unreachable!("a call") };
        Ok(self.sites[site as usize])
    }

    /// The initial valuations of the entry procedure, over `Pre`; only live variables are kept.
    pub fn initial(&mut self) -> Result<Bdd, Halt> {
        let program = &self.program;
        let all =
            self.context.condition(&mut self.m, program.init.condition, program.init.choices)?;
        let entry = program.procs[program.entry].entry;
        let dead = program.scope(program.entry).filter(|&v| !self.context.live.contains(entry, v));
        let dead: Vec<u32> = self.context.bits(Copy::Pre, dead).collect();
        let cube = self.m.cube(&dead)?;
        Ok(self.m.exists(all, cube)?)
    }

    /// `a ⇔ b` for two copies of some variables.
    pub fn equal(
        &mut self,
        a: Copy,
        b: Copy,
        vars: impl IntoIterator<Item = VarId>,
    ) -> Result<Bdd, Stop> {
        self.context.equal(&mut self.m, a, b, vars)
    }

    /// `Entry ⇔ Pre` for the entry variables of a procedure.
    pub fn identity(&mut self, proc: ProcId) -> Result<Bdd, Halt> {
        if let Some(identity) = self.identities[proc] {
            return Ok(identity);
        }
        let vars = self.context.entry_vars[proc].clone();
        let identity = self.equal(Copy::Entry, Copy::Pre, vars)?;
        self.identities[proc] = Some(identity);
        Ok(identity)
    }

    /// Sets over `Pre` and `Entry` at a node of `proc`, without the `Entry` copy.
    pub fn forget_entry(&mut self, proc: ProcId, states: Bdd) -> Result<Bdd, Halt> {
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

    /// The image of a set under a step.
    pub fn step(&mut self, step: StepRel, states: Bdd) -> Result<Bdd, Halt> {
        if step.identity {
            return Ok(states);
        }
        let mut out = self.m.image(states, step.rel, step.image)?;
        for part in step.more.iter().flat_map(|more| more.iter()) {
            out = self.m.image(out, part.rel, part.image)?;
        }
        Ok(out)
    }

    /// The states from which a step leads into a set.
    pub fn step_back(&mut self, step: StepRel, states: Bdd) -> Result<Bdd, Halt> {
        if step.identity {
            return Ok(states);
        }
        let primed = self.m.exists_rename(states, step.prime)?;
        let mut out = self.m.image(primed, step.rel, step.pre_image)?;
        for part in step.more.iter().flat_map(|more| more.iter()) {
            out = self.m.image(out, part.rel, part.pre_image)?;
        }
        Ok(out)
    }

    /// Lets a visit make so many nodes at least before it is done in parts.
    pub fn widen_room(&mut self, nodes: usize) {
        self.least_room = self.least_room.max(nodes);
        self.room = self.room.max(nodes);
    }

    /// Forgets in which round what was found of procedures: there are no traces without.
    pub fn forget_rounds(&mut self) {
        self.summaries.iter_mut().for_each(|summary| summary.parts.clear());
    }

    /// Starts afresh with the same compiled edges.
    pub fn forget_summaries(&mut self) {
        self.summaries = IndexVec::filled(Summary::NONE, self.program.procs.len());
        self.rounds = 0;
    }

    /// Adds a part to a summary: a new round.
    pub fn publish(&mut self, proc: ProcId, part: Bdd) -> Result<(), Halt> {
        self.summaries[proc].publish(&mut self.m, self.rounds + 1, part)?;
        self.rounds += 1;
        Ok(())
    }

    /// Whether [`collect`](System::collect) has something to do.
    pub fn want_collection(&self) -> bool {
        self.m.want_gc() || self.sift_at.is_some_and(|nodes| self.m.live_nodes() > nodes)
    }

    /// Frees what nothing refers to, and looks for a better order if that is wanted. `more` are
    /// further handles in use.
    pub fn collect(&mut self, more: impl IntoIterator<Item = Bdd>) {
        let mut roots: Vec<Bdd> = more.into_iter().collect();
        for compiled in self.compiled.iter() {
            match compiled {
                Compiled::Local(step) => {
                    roots.push(step.rel);
                    roots.extend(step.more.iter().flat_map(|more| more.iter()).map(|p| p.rel));
                }
                Compiled::Return(ret) => roots.push(ret.rel),
                Compiled::Call(_) | Compiled::Not => {}
            }
        }
        roots.extend(self.sites.iter().flat_map(|site| [site.rel.enter(), site.rel.back()]));
        roots.extend(self.summaries.iter().flat_map(Summary::roots));
        roots.extend(&self.pinned);
        roots.extend(self.identities.iter().flatten());
        // Most handles occur many times; marking each once is enough.
        roots.sort_unstable_by_key(|b| b.id());
        roots.dedup();
        self.m.gc(roots.iter().copied());
        // In use are twice as many as when it was last looked for.
        if let Some(at) = self.sift_at.filter(|nodes| self.m.live_nodes() > nodes / 2) {
            // Having to stop half-way harms nothing: whatever the order is then, it will do.
            let left = self.m.reorder_sift(roots, &self.context.slots.groups());
            let left = left.unwrap_or_else(|_| self.m.live_nodes());
            self.sift_at = Some((4 * left).max(at.min(SIFT_AT)));
        }
        self.room = (self.m.live_nodes() / 2 * self.halves_of_room).max(self.least_room);
    }

    /// What it has cost so far.
    pub fn stats(&self, visits: u64) -> Stats {
        let done = self.m.stats();
        let mut stats = Stats::default();
        stats.add("peak_nodes", self.m.peak_nodes() as u64);
        stats.add("diagram_variables", self.context.slots.variables());
        stats.add("visits", visits);
        stats.add("rounds", u64::from(self.rounds));
        stats.add("operations", done.lookups);
        stats.add("collections", done.collections);
        stats
    }
}

/// One verdict per goal. A reached goal without its trace is no answer: there would be nothing to
/// show for it.
pub fn verdicts(
    task: &Task,
    reached: &[bool],
    certificate: Option<Arc<Certificate>>,
    traces: Traces,
    budget: &Budget,
) -> Vec<Verdict> {
    let Traces { mut found, stopped } = traces;
    let stopped = stopped.map(|halt| halt.reason(budget));
    let verdict = |(goal, &is_reached): (usize, &bool)| match (found[goal].take(), &stopped) {
        _ if !is_reached => Verdict::Holds(certificate.clone()),
        (None, Some(reason)) if task.wants.trace != TraceMode::None => {
            Verdict::Unknown(reason.clone())
        }
        (trace, _) => Verdict::Violated(trace),
    };
    reached.iter().enumerate().map(verdict).collect()
}

/// One verdict per goal, of a search that had to stop: what was reached before is reached all the same. Traces
/// need not be shortest.
pub fn partial_verdicts(
    task: &Task,
    reached: &[bool],
    traces: Traces,
    reason: &StopReason,
) -> Vec<Verdict> {
    let verdict = |(trace, &is_reached): (Option<Box<Trace>>, &bool)| match trace {
        Some(mut trace) => {
            trace.shortest = false;
            Verdict::Violated(Some(trace))
        }
        None if is_reached && task.wants.trace == TraceMode::None => Verdict::Violated(None),
        None => Verdict::Unknown(reason.clone()),
    };
    traces.found.into_iter().zip(reached).map(verdict).collect()
}
