//! Diagrams as [`StateSets`]: certificates and observed sets.

use crate::halt::Halt;
use crate::slots::{Copy, Slots};
use crate::system::{CallRelation, System};
use analysis::Place;
use bdd::{Bdd, Manager};
use check::{Area, Certificate, Observation, ProcClaim, SetBit, SetId, StateSets};
use ir::{IndexVec, NodeId, ProcId};
use rustc_hash::FxHashMap;

/// Translates diagrams into one graph; shared diagrams stay shared.
pub struct Export<'a> {
    m: &'a Manager,
    slots: &'a Slots,
    sets: &'a mut StateSets,
    done: FxHashMap<u32, SetId>,
}

impl<'a> Export<'a> {
    /// From the diagrams of a system to a graph, to which it adds.
    pub fn new<C>(system: &'a System<C>, sets: &'a mut StateSets) -> Export<'a> {
        let (m, slots) = (&system.m, &system.context.slots);
        Export { m, slots, sets, done: FxHashMap::default() }
    }

    /// A set over `Pre`, with `Entry` or `Inner` as the values at entry, or of pairs.
    pub fn set(&mut self, root: Bdd) -> SetId {
        let mut stack = vec![root];
        while let Some(&f) = stack.last() {
            if self.done.contains_key(&f.id()) {
                stack.pop();
                continue;
            }
            let Some((variable, lo, hi)) = self.m.node(f) else {
                let set = if f.is_true() { SetId::full() } else { SetId::empty() };
                self.done.insert(f.id(), set);
                continue;
            };
            match (self.done.get(&lo.id()), self.done.get(&hi.id())) {
                (Some(&lo), Some(&hi)) => {
                    let bit = self.bit(variable);
                    let set = self.sets.ite(bit, lo, hi);
                    self.done.insert(f.id(), set);
                }
                _ => stack.extend([lo, hi]),
            }
        }
        self.done[&root.id()]
    }

    /// Some sets, in order.
    pub fn sets<I: ir::Id>(&mut self, roots: &IndexVec<I, Bdd>) -> IndexVec<I, SetId> {
        roots.iter().map(|&root| self.set(root)).collect()
    }

    fn bit(&self, variable: u32) -> SetBit {
        let (copy, place) = self.slots.decode(variable);
        let entry = matches!(copy, Copy::Entry | Copy::Inner);
        let (area, index) = match place {
            Place::Global(i) if entry => (Area::EntryGlobal, i),
            Place::Local(i) if entry => (Area::EntryLocal, i),
            Place::Global(i) => (Area::Global, i),
            Place::Local(i) => (Area::Local, i),
            Place::Result(i) => (Area::Result, i),
        };
        SetBit { area, index }
    }
}

impl<C: CallRelation> System<C> {
    /// A certificate of path edges (over `Entry` or `Inner`, and `Pre`) and summaries (over `Inner`
    /// and `Exit`).
    pub fn certificate(
        &self,
        path: &IndexVec<NodeId, Bdd>,
        summaries: &IndexVec<ProcId, Bdd>,
    ) -> Certificate {
        let mut sets = StateSets::new();
        let mut export = Export::new(self, &mut sets);
        let (path, procs) = self.claims(&mut export, path, summaries);
        Certificate { sets, path, procs, repeat: None }
    }

    /// What a certificate says of nodes and procedures.
    pub fn claims(
        &self,
        export: &mut Export<'_>,
        path: &IndexVec<NodeId, Bdd>,
        summaries: &IndexVec<ProcId, Bdd>,
    ) -> (IndexVec<NodeId, SetId>, IndexVec<ProcId, ProcClaim>) {
        let path = export.sets(path);
        let claim = |(p, &summary)| {
            let globals = self.program.globals.iter().copied();
            ProcClaim {
                summary: export.set(summary),
                unchanged: globals.filter(|&g| !self.context.mod_ref.modifies(p, g)).collect(),
            }
        };
        (path, summaries.enumerate().map(claim).collect())
    }

    /// The valuations of the observed variables among `states`, a set over `Pre`.
    pub fn observe(
        &mut self,
        observation: &Observation,
        states: Bdd,
        sets: &mut StateSets,
    ) -> Result<SetId, Halt> {
        let live = self.context.live.vars(&self.program, observation.node);
        let others = live.filter(|v| !observation.vars.contains(v));
        let others: Vec<u32> = self.context.bits(Copy::Pre, others).collect();
        let cube = self.m.cube(&others)?;
        let set = self.m.exists(states, cube)?;
        Ok(self.set(set, sets))
    }

    /// A set over `Pre` as a set in the graph.
    pub fn set(&self, states: Bdd, sets: &mut StateSets) -> SetId {
        Export::new(self, sets).set(states)
    }
}
