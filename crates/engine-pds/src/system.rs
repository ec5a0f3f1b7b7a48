//! What both directions share: compiled edges, summaries with the rounds they were found in, and
//! the operations on sets that the rules of `post_star.rs` and `pre_star.rs` are made of.

use crate::heads::Effort;
use crate::marked::Marked;
use crate::relation::{CallBackRel, CallParts, CallRel, Context, ReturnRel, StepRel};
use crate::slots::Copy;
use bdd::{Bdd, Config, Gate, Manager, SpecId, Stop};
use check::{Budget, StopReason};
use ir::{EdgeId, EdgeKind, IndexVec, NodeId, ProcId, Program};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why a saturation had to stop.
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

impl Halt {
    pub(crate) fn internal(what: &str) -> Halt {
        Halt::Budget(StopReason::Internal { what: what.to_owned() })
    }

    pub(crate) fn reason(self, budget: &Budget) -> StopReason {
        match self {
            Halt::Budget(reason) => reason,
            Halt::Diagrams(Stop::Interrupted) => {
                budget.poll().err().unwrap_or(StopReason::Cancelled)
            }
            Halt::Diagrams(Stop::Nodes) => {
                // The limit given, or the 2^27 nodes of 16 bytes that a manager can hold.
                StopReason::Memory { limit: budget.limits().memory.unwrap_or(1 << 31) }
            }
        }
    }
}

/// A few million nodes: garbage is what the next images find again.
pub(crate) fn default_collect_at() -> usize {
    Config::default().collect_at
}

/// With sifting, the nodes below which no better order is looked for.
pub(crate) const SIFT_AT: usize = 1 << 14;

/// Closes the diagrams' gate when the budget is spent.
pub(crate) struct BudgetGate(pub(crate) Budget);

impl Gate for BudgetGate {
    fn poll(&mut self) -> bool {
        self.0.poll().is_ok()
    }
    fn may_grow(&mut self, bytes: usize) -> bool {
        self.0.reserve(bytes as u64).is_ok()
    }
}

/// Diagram operations recurse over levels: `body` gets a stack to match.
pub(crate) fn on_large_stack<T: Send>(
    program: &Program,
    body: impl FnOnce() -> Result<T, StopReason> + Send,
) -> Result<T, StopReason> {
    let stack = bdd::stack_bytes(crate::slots::levels(program) + 64) + (1 << 20);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, body);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let what = format!("no thread for the diagrams: {error}");
                Err(StopReason::Unsupported { what })
            }
        }
    })
}

/// A compiled edge.
#[derive(Clone, Copy)]
pub(crate) enum Compiled {
    Not,
    Local(StepRel),
    Return(ReturnRel),
    /// An index into [`System::sites`].
    Call(u32),
}

/// A call that has been met.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) edge: EdgeId,
    pub(crate) source: NodeId,
    pub(crate) callee: ProcId,
    pub(crate) ret: NodeId,
    pub(crate) rel: CallRel,
}

/// What is known of the completed runs of a procedure: pairs over `Inner` and `Exit`.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(crate) all: Bdd,
    /// In which round each part was published: a part was derived from parts of smaller rounds
    /// alone.
    pub(crate) parts: Vec<Part>,
}

/// A part of a summary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) round: u32,
    /// This part and all before it.
    pub(crate) up_to_here: Bdd,
}

/// A program with its edges as diagrams.
pub(crate) struct System {
    pub(crate) program: Arc<Program>,
    pub(crate) context: Context,
    pub(crate) m: Manager,
    pub(crate) budget: Budget,
    compiled: IndexVec<EdgeId, Compiled>,
    pub(crate) sites: Vec<Site>,
    pub(crate) summaries: IndexVec<ProcId, Summary>,
    pub(crate) rounds: u32,
    /// The number of nodes at which to look for a better order.
    pub(crate) sift_at: Option<usize>,
    /// `Entry ⇔ Pre` for the entry variables; built when first entered.
    identities: IndexVec<ProcId, Option<Bdd>>,
    forget_entry: FxHashMap<ProcId, SpecId>,
    backs: FxHashMap<EdgeId, CallBackRel>,
    enters: FxHashMap<EdgeId, SpecId>,
    /// How many marks the repeat goal at hand has.
    pub(crate) marks: u32,
    /// For each mark, the completed runs that carry it.
    pub(crate) marked: Vec<IndexVec<ProcId, Marked>>,
    /// What repeat goals cost.
    pub(crate) effort: Effort,
    /// Handles that stay in use to the end.
    pub(crate) pinned: Vec<Bdd>,
}

impl System {
    /// `collect_at`: how many nodes of diagrams there may be before the first collection.
    pub(crate) fn new(context: Context, budget: &Budget, collect_at: usize) -> System {
        let program = context.program.clone();
        let mut m = Manager::new(Config { collect_at, ..Config::default() });
        m.set_gate(Some(Box::new(BudgetGate(budget.clone()))));
        System {
            m,
            budget: budget.clone(),
            compiled: IndexVec::filled(Compiled::Not, program.edges.len()),
            sites: Vec::new(),
            summaries: IndexVec::filled(
                Summary { all: Bdd::FALSE, parts: Vec::new() },
                program.procs.len(),
            ),
            rounds: 0,
            sift_at: None,
            identities: IndexVec::filled(None, program.procs.len()),
            forget_entry: FxHashMap::default(),
            backs: FxHashMap::default(),
            enters: FxHashMap::default(),
            marks: 0,
            marked: Vec::new(),
            effort: Effort::default(),
            pinned: Vec::new(),
            program,
            context,
        }
    }

    /// The compiled edge; compiled when first asked for, since much of a program may be
    /// unreachable.
    pub(crate) fn compile(&mut self, e: EdgeId) -> Result<Compiled, Halt> {
        if !matches!(self.compiled[e], Compiled::Not) {
            return Ok(self.compiled[e]);
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
                let rel = self.context.call(&mut self.m, edge.source, call)?;
                let (source, callee, ret) = (edge.source, call.callee, call.ret);
                self.sites.push(Site { edge: e, source, callee, ret, rel });
                Compiled::Call(self.sites.len() as u32 - 1)
            }
        };
        self.compiled[e] = compiled;
        Ok(compiled)
    }

    /// The initial valuations of the entry procedure, over `Pre`; only live variables are kept.
    pub(crate) fn initial(&mut self) -> Result<Bdd, Halt> {
        let program = self.program.clone();
        let init = program.init;
        let all = self.context.condition(&mut self.m, init.condition, init.choices)?;
        let entry = program.procs[program.entry].entry;
        let dead: Vec<u32> = program
            .scope(program.entry)
            .filter(|&v| !self.context.live.contains(entry, v))
            .flat_map(|v| self.context.slots.bits(Copy::Pre, v))
            .collect();
        let cube = self.m.cube(&dead)?;
        Ok(self.m.exists(all, cube)?)
    }

    /// `Entry ⇔ Pre` for the entry variables of a procedure.
    pub(crate) fn identity(&mut self, proc: ProcId) -> Result<Bdd, Halt> {
        if let Some(identity) = self.identities[proc] {
            return Ok(identity);
        }
        let vars = self.context.entry_vars[proc].iter().copied();
        let identity = self.context.equal(&mut self.m, Copy::Entry, Copy::Pre, vars)?;
        self.identities[proc] = Some(identity);
        Ok(identity)
    }

    /// Sets over `Pre` and `Entry` at a node of `proc`, without the `Entry` copy.
    pub(crate) fn forget_entry(&mut self, proc: ProcId, states: Bdd) -> Result<Bdd, Halt> {
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
    pub(crate) fn step(&mut self, step: StepRel, states: Bdd) -> Result<Bdd, Halt> {
        Ok(match step.identity {
            true => states,
            false => self.m.image(states, step.rel, step.image)?,
        })
    }

    /// Over a completed call: from what `call` leaves, by pairs of the callee, to the states after.
    pub(crate) fn jump(&mut self, rel: CallRel, called: Bdd, pairs: Bdd) -> Result<Bdd, Halt> {
        let there = self.m.image(called, pairs, rel.jump)?;
        Ok(match rel.back_image {
            Some(spec) => self.m.image(there, rel.back, spec)?,
            None => there,
        })
    }

    /// The states from which a step leads into a set.
    pub(crate) fn step_back(&mut self, step: StepRel, states: Bdd) -> Result<Bdd, Halt> {
        if step.identity {
            return Ok(states);
        }
        let primed = self.m.exists_rename(states, step.prime)?;
        Ok(self.m.image(primed, step.rel, step.pre_image)?)
    }

    /// A call, backwards.
    pub(crate) fn call_back(&mut self, site: Site) -> CallBackRel {
        if let Some(&back) = self.backs.get(&site.edge) {
            return back;
        }
        let EdgeKind::Call(call) = &self.program.edges[site.edge].kind else {
            unreachable!("a site is a call")
        };
        let back = self.context.call_back(&mut self.m, call, site.rel);
        self.backs.insert(site.edge, back);
        back
    }

    /// What stands in the way back of a call whose return leads into a set: over `Exit` and `Pre`.
    pub(crate) fn waiting(&mut self, site: Site, states: Bdd) -> Result<Bdd, Halt> {
        let back = self.call_back(site);
        let arrived = self.m.exists_rename(states, back.arrive)?;
        Ok(match site.rel.back_image {
            Some(_) => self.m.image(arrived, site.rel.back, back.wait)?,
            None => arrived,
        })
    }

    /// From what [`waiting`](Self::waiting) gives, over pairs of the callee, to before the call.
    pub(crate) fn over(&mut self, site: Site, waiting: Bdd, pairs: Bdd) -> Result<Bdd, Halt> {
        let back = self.call_back(site);
        let inside = self.m.image(waiting, pairs, back.over)?;
        Ok(self.m.image(inside, site.rel.enter, back.leave)?)
    }

    /// The states from which a call enters its callee with one of a set.
    pub(crate) fn enter_back(&mut self, site: Site, states: Bdd) -> Result<Bdd, Halt> {
        let back = self.call_back(site);
        let entered = self.m.exists_rename(states, back.into)?;
        Ok(self.m.image(entered, site.rel.enter, back.leave)?)
    }

    /// The states with which a call enters its callee. Unlike [`CallRel::entries`], this leaves
    /// the `Entry` copy alone.
    pub(crate) fn enter(&mut self, site: Site, states: Bdd) -> Result<Bdd, Halt> {
        let spec = match self.enters.get(&site.edge) {
            Some(&spec) => spec,
            None => {
                let EdgeKind::Call(call) = &self.program.edges[site.edge].kind else {
                    unreachable!("a site is a call")
                };
                let parts = CallParts::new(&self.context, &self.m, call, site.rel.back);
                let kept: Vec<u32> = self.context.bits(Copy::Pre, parts.kept).collect();
                let entry = self.context.entry_vars[site.callee].iter().copied();
                let rename = self.context.pairs(Copy::Inner, Copy::Pre, entry);
                let spec = self.m.spec(&kept, &rename);
                self.enters.insert(site.edge, spec);
                spec
            }
        };
        let called = self.m.image(states, site.rel.enter, site.rel.call)?;
        Ok(self.m.exists_rename(called, spec)?)
    }

    /// The call of an edge.
    pub(crate) fn site(&mut self, e: EdgeId) -> Result<Site, Halt> {
        let Compiled::Call(site) = self.compile(e)? else { unreachable!("a call") };
        Ok(self.sites[site as usize])
    }

    /// Starts afresh with the same compiled edges.
    pub(crate) fn forget_summaries(&mut self) {
        let none = Summary { all: Bdd::FALSE, parts: Vec::new() };
        self.summaries = IndexVec::filled(none, self.program.procs.len());
        self.rounds = 0;
    }

    /// Adds a part to a summary: a new round.
    pub(crate) fn publish(&mut self, proc: ProcId, part: Bdd) -> Result<(), Halt> {
        let all = self.m.or(self.summaries[proc].all, part)?;
        self.rounds += 1;
        let summary = &mut self.summaries[proc];
        summary.all = all;
        summary.parts.push(Part { round: self.rounds, up_to_here: all });
        Ok(())
    }

    /// Whether [`collect`](System::collect) has something to do.
    pub(crate) fn want_collection(&self) -> bool {
        self.m.want_gc() || self.sift_at.is_some_and(|nodes| self.m.live_nodes() > nodes)
    }

    /// Frees what nothing refers to, and looks for a better order if that is wanted. `more` are
    /// further handles in use.
    pub(crate) fn collect(&mut self, more: impl IntoIterator<Item = Bdd>) {
        let mut roots: Vec<Bdd> = more.into_iter().collect();
        for compiled in self.compiled.iter() {
            match compiled {
                Compiled::Local(step) => roots.push(step.rel),
                Compiled::Return(ret) => roots.push(ret.rel),
                Compiled::Call(_) | Compiled::Not => {}
            }
        }
        roots.extend(self.sites.iter().flat_map(|site| [site.rel.enter, site.rel.back]));
        for summary in self.summaries.iter() {
            roots.push(summary.all);
            roots.extend(summary.parts.iter().map(|p| p.up_to_here));
        }
        for marked in self.marked.iter().flat_map(|procs| procs.iter()) {
            if let Marked::Exact(summary) = marked {
                roots.push(summary.all);
                roots.extend(summary.parts.iter().map(|p| p.up_to_here));
            }
        }
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
    }
}
