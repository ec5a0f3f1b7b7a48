//! Diagrams as [`StateSets`]: certificates and observed sets.

use crate::repeat::{MarkedRuns, RankOf};
use crate::slots::{Copy, Place};
use crate::system::{Halt, System};
use bdd::Bdd;
use check::{
    Area, Certificate, MarkedClaim, Observation, ProcClaim, Rank, RepeatClaim, SetBit, SetId,
    StateSets,
};
use ir::{IndexVec, NodeId, ProcId};
use rustc_hash::FxHashMap;

/// Translates diagrams into one graph; shared diagrams stay shared.
struct Export<'a> {
    system: &'a System,
    done: FxHashMap<u32, SetId>,
}

impl Export<'_> {
    fn new(system: &System) -> Export<'_> {
        Export { system, done: FxHashMap::default() }
    }

    fn set(&mut self, root: Bdd, sets: &mut StateSets) -> SetId {
        let mut stack = vec![root];
        while let Some(&f) = stack.last() {
            if self.done.contains_key(&f.id()) {
                stack.pop();
                continue;
            }
            let Some((variable, lo, hi)) = self.system.m.node(f) else {
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
        let (copy, place) = self.system.context.slots.decode(variable);
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

impl System {
    /// A certificate of path edges (over `Entry` or `Inner`, and `Pre`) and summaries (over `Inner`
    /// and `Exit`).
    pub(crate) fn certificate(
        &self,
        path: &IndexVec<NodeId, Bdd>,
        summaries: &IndexVec<ProcId, Bdd>,
    ) -> Certificate {
        self.claims(path, summaries, None)
    }

    /// The same for a repeat goal: with marked path edges and summaries for each mark, and ranks.
    pub(crate) fn repeat_certificate(
        &self,
        path: &IndexVec<NodeId, Bdd>,
        summaries: &IndexVec<ProcId, Bdd>,
        marked: &[MarkedRuns],
        ranks: &[RankOf],
    ) -> Certificate {
        self.claims(path, summaries, Some((marked, ranks)))
    }

    fn claims(
        &self,
        path: &IndexVec<NodeId, Bdd>,
        summaries: &IndexVec<ProcId, Bdd>,
        repeat: Option<(&[MarkedRuns], &[RankOf])>,
    ) -> Certificate {
        let mut sets = StateSets::new();
        let mut export = Export::new(self);
        let path = path.iter().map(|&p| export.set(p, &mut sets)).collect();
        let procs = summaries
            .enumerate()
            .map(|(p, &summary)| {
                let globals = self.program.globals.iter().copied();
                ProcClaim {
                    summary: export.set(summary, &mut sets),
                    unchanged: globals.filter(|&g| !self.context.mod_ref.modifies(p, g)).collect(),
                }
            })
            .collect();
        let repeat = repeat.map(|(marked, ranks)| RepeatClaim {
            marked: marked
                .iter()
                .map(|(path, summary)| MarkedClaim {
                    path: path.iter().map(|&p| export.set(p, &mut sets)).collect(),
                    summary: summary.iter().map(|&p| export.set(p, &mut sets)).collect(),
                })
                .collect(),
            ranks: ranks
                .iter()
                .map(|(mark, heads)| Rank {
                    mark: *mark,
                    heads: heads.iter().map(|&(n, z)| (n, export.set(z, &mut sets))).collect(),
                })
                .collect(),
        });
        Certificate { sets, path, procs, repeat }
    }

    /// The valuations of the observed variables among `states`, a set over `Pre`.
    pub(crate) fn observe(
        &mut self,
        observation: &Observation,
        states: Bdd,
        sets: &mut StateSets,
    ) -> Result<SetId, Halt> {
        let others: Vec<u32> = self
            .context
            .live
            .vars(&self.program, observation.node)
            .filter(|v| !observation.vars.contains(v))
            .flat_map(|v| self.context.slots.bits(Copy::Pre, v))
            .collect();
        let cube = self.m.cube(&others)?;
        let set = self.m.exists(states, cube)?;
        Ok(self.set(set, sets))
    }

    /// A set over `Pre` as a set in the graph.
    pub(crate) fn set(&self, states: Bdd, sets: &mut StateSets) -> SetId {
        Export::new(self).set(states, sets)
    }
}
