//! What both directions share beyond compiled edges and summaries: calls forwards and backwards, and
//! summaries with marks.

use crate::call::{CallBackRel, CallRel, Stays};
use crate::heads::Effort;
use crate::marked::Marked;
use bdd::{Bdd, SpecId};
use check::Budget;
use ir::{EdgeId, EdgeKind, IndexVec, NodeId, ProcId, Rel};
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};
use symbolic::{Context, Copy, Halt, ReturnRel};

/// A call that has been met.
pub(crate) type Site = symbolic::Site<CallRel>;

/// A program with its edges as diagrams.
pub(crate) struct System {
    base: symbolic::System<CallRel>,
    backs: FxHashMap<EdgeId, CallBackRel>,
    enters: FxHashMap<EdgeId, SpecId>,
    /// How many marks the repeat goal at hand has.
    pub(crate) marks: u32,
    /// For each mark, the completed runs that carry it.
    pub(crate) marked: Vec<IndexVec<ProcId, Marked>>,
    /// What repeat goals cost.
    pub(crate) effort: Effort,
    /// Whether another edge does all that one with marks does.
    pub(crate) covered: FxHashMap<EdgeId, bool>,
}

impl Deref for System {
    type Target = symbolic::System<CallRel>;
    fn deref(&self) -> &Self::Target {
        &self.base
    }
}

impl DerefMut for System {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.base
    }
}

impl From<symbolic::System<CallRel>> for System {
    fn from(base: symbolic::System<CallRel>) -> System {
        System {
            base,
            backs: FxHashMap::default(),
            enters: FxHashMap::default(),
            marks: 0,
            marked: Vec::new(),
            effort: Effort::default(),
            covered: FxHashMap::default(),
        }
    }
}

impl System {
    pub(crate) fn new(context: Context, budget: &Budget, collect_at: usize) -> System {
        symbolic::System::new(context, budget, collect_at).into()
    }

    /// Over a completed call: from what `call` leaves, by pairs of the callee, to the states after.
    pub(crate) fn jump(&mut self, rel: CallRel, called: Bdd, pairs: Bdd) -> Result<Bdd, Halt> {
        let there = self.m.image(called, pairs, rel.jump)?;
        Ok(match rel.back_image {
            Some(spec) => self.m.image(there, rel.back, spec)?,
            None => there,
        })
    }

    /// A call, backwards.
    pub(crate) fn call_back(&mut self, site: Site) -> CallBackRel {
        if let Some(&back) = self.backs.get(&site.edge) {
            return back;
        }
        let EdgeKind::Call(call) = &self.base.program.edges[site.edge].kind else {
            unreachable!("a site is a call")
        };
        let back = CallBackRel::new(&self.base.context, &mut self.base.m, call);
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
                let EdgeKind::Call(call) = &self.base.program.edges[site.edge].kind else {
                    unreachable!("a site is a call")
                };
                let stays = Stays::new(&self.context, &self.m, call, site.rel.back);
                let kept: Vec<u32> = self.context.bits(Copy::Pre, stays.kept).collect();
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

    /// A return as a relation from `Pre` to the exit variables, in the `Entry` copy.
    pub(crate) fn pop(&mut self, source: NodeId, rel: &Rel, ret: ReturnRel) -> Result<Bdd, Halt> {
        let proc = self.program.nodes[source].proc;
        let exit = self.context.exit_vars[proc].iter().copied();
        let rename = self.context.pairs(Copy::Exit, Copy::Entry, exit);
        let diagram = self.m.rename(ret.rel, &rename)?;
        let passed = self.context.passed(proc, rel);
        let passed = self.equal(Copy::Pre, Copy::Entry, passed)?;
        Ok(self.m.and(diagram, passed)?)
    }

    /// Adds a part to the summary of the runs that carry a mark: a new round.
    pub(crate) fn publish_marked(
        &mut self,
        proc: ProcId,
        mark: u32,
        part: Bdd,
    ) -> Result<(), Halt> {
        let Marked::Exact(summary) = &mut self.marked[mark as usize][proc] else {
            unreachable!("only of those that are being computed")
        };
        summary.publish(&mut self.base.m, self.base.rounds + 1, part)?;
        self.base.rounds += 1;
        Ok(())
    }

    /// Frees what nothing refers to, and looks for a better order if that is wanted. `more` are
    /// further handles in use.
    pub(crate) fn collect(&mut self, more: impl IntoIterator<Item = Bdd>) {
        let mut roots: Vec<Bdd> = more.into_iter().collect();
        for marked in self.marked.iter().flat_map(|procs| procs.iter()) {
            if let Marked::Exact(summary) = marked {
                roots.extend(summary.roots());
            }
        }
        self.base.collect(roots);
    }
}
