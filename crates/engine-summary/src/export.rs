//! Diagrams as [`StateSets`]: certificates and observed sets.

use crate::slots::{Copy, Slots};
use crate::summaries::{Halt, Saturation};
use analysis::Place;
use bdd::{Bdd, Manager};
use check::{Area, Certificate, Observation, ProcClaim, SetBit, SetId, StateSets};
use ir::IndexVec;
use rustc_hash::FxHashMap;

/// Translates diagrams into one graph; shared diagrams stay shared.
struct Export<'a> {
    m: &'a Manager,
    slots: &'a Slots,
    done: FxHashMap<u32, SetId>,
}

impl Export<'_> {
    fn set(&mut self, root: Bdd, sets: &mut StateSets) -> SetId {
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
                    let set = sets.ite(self.bit(variable), lo, hi);
                    self.done.insert(f.id(), set);
                }
                _ => stack.extend([lo, hi]),
            }
        }
        self.done[&root.id()]
    }

    fn bit(&self, variable: u32) -> SetBit {
        let (copy, place) = self.slots.decode(variable);
        let (area, index) = match (copy, place) {
            (Copy::Entry, Place::Global(i)) => (Area::EntryGlobal, i),
            (Copy::Entry, Place::Local(i)) => (Area::EntryLocal, i),
            (_, Place::Global(i)) => (Area::Global, i),
            (_, Place::Local(i)) => (Area::Local, i),
            (_, Place::Result(i)) => (Area::Result, i),
        };
        SetBit { area, index }
    }
}

impl Saturation<'_> {
    /// The path edges and summaries: inductive by construction.
    pub(crate) fn certificate(&self) -> Certificate {
        let mut sets = StateSets::new();
        let mut export =
            Export { m: &self.m, slots: &self.context.slots, done: FxHashMap::default() };
        let path = self.path.iter().map(|&p| export.set(p, &mut sets)).collect();
        let program = self.context.program;
        let procs: IndexVec<_, ProcClaim> = self
            .procs
            .enumerate()
            .map(|(p, state)| {
                let kept = program.globals.iter().copied();
                ProcClaim {
                    summary: export.set(state.summary, &mut sets),
                    unchanged: kept.filter(|&g| !self.context.mod_ref.modifies(p, g)).collect(),
                }
            })
            .collect();
        Certificate { sets, path, procs, repeat: None }
    }

    /// The valuations of the observed variables at the observed node.
    pub(crate) fn observe(
        &mut self,
        observation: &Observation,
        sets: &mut StateSets,
    ) -> Result<SetId, Halt> {
        let node = observation.node;
        let now = self.forget_entry(node, self.path[node])?;
        let others: Vec<u32> = self
            .context
            .live
            .vars(self.context.program, node)
            .filter(|v| !observation.vars.contains(v))
            .flat_map(|v| self.context.slots.bits(Copy::Pre, v))
            .collect();
        let cube = self.m.cube(&others)?;
        let set = self.m.exists(now, cube)?;
        let mut export =
            Export { m: &self.m, slots: &self.context.slots, done: FxHashMap::default() };
        Ok(export.set(set, sets))
    }
}
