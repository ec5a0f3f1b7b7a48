//! Path edges as [`StateSets`]: certificates and observed sets, by Shannon's expansion.
//!
//! The set `{outputs(ξ) | guard(ξ)}` is decided one output after the other. An output that is a bare
//! input is set in whatever else depends on it, any other is required of the guard. What remains is
//! again such a set; the graph shares formulas, so equal ones are seen and expanded once. The number
//! of expansions is bounded: large sets are not exported.

use crate::paths::PathId;
use crate::search::Search;
use check::{Area, Certificate, Observation, ProcClaim, SetBit, SetId, StateSets, StopReason};
use ir::{IndexVec, NodeId, ProcId, VarId, VarKind};
use logic::{Lit, reduce};
use rustc_hash::FxHashMap;

/// Expansions allowed for all sets of an answer.
const EXPANSIONS: usize = 200_000;

/// A set that remains to be decided.
type Rest = (Lit, Vec<Lit>);

/// The decided sets: by bits that remain and formula. Bits are numbered by `order`.
pub(crate) struct Export {
    done: FxHashMap<(u32, Rest), SetId>,
    orders: FxHashMap<Vec<SetBit>, u32>,
    left: usize,
}

impl Export {
    pub(crate) fn new() -> Export {
        Export { done: FxHashMap::default(), orders: FxHashMap::default(), left: EXPANSIONS }
    }
}

/// Whether a set was small enough.
type Small<T> = Result<Option<T>, StopReason>;

impl Search<'_> {
    /// The path edges and summaries: inductive, since all that was dropped is covered by them.
    pub(crate) fn certificate(&mut self) -> Small<Certificate> {
        let program = self.program();
        let mut sets = StateSets::new();
        let mut export = Export::new();
        let mut path: IndexVec<NodeId, SetId> = IndexVec::new();
        for (node, info) in program.nodes.enumerate() {
            let bits = self.pair_bits(info.proc, |search| {
                let vars: Vec<VarId> = search.context.at[node].vars().collect();
                vars
            });
            let kept = self.kept[node].clone();
            let Some(set) = self.set(&kept, &bits, &mut export, &mut sets)? else {
                return Ok(None);
            };
            path.push(set);
        }
        let mut procs: IndexVec<ProcId, ProcClaim> = IndexVec::new();
        for proc in program.procs.ids() {
            let bits = self.pair_bits(proc, |search| {
                let vars: Vec<VarId> = search.context.exit[proc].vars().collect();
                vars
            });
            let summaries = self.summaries[proc].clone();
            let Some(summary) = self.set(&summaries, &bits, &mut export, &mut sets)? else {
                return Ok(None);
            };
            let globals = program.globals.iter().copied();
            let unchanged = globals.filter(|&g| !self.context.mod_ref.modifies(proc, g)).collect();
            procs.push(ProcClaim { summary, unchanged });
        }
        Ok(Some(Certificate { sets, path, procs, repeat: None }))
    }

    /// The bits of a path edge, at entry and now, as they lie in `entry ++ now`.
    fn pair_bits(&self, proc: ProcId, now: impl Fn(&Self) -> Vec<VarId>) -> Vec<SetBit> {
        let mut out = Vec::new();
        let entry: Vec<VarId> = self.context.entry[proc].vars().collect();
        for (vars, at_entry) in [(entry, true), (now(self), false)] {
            for var in vars {
                let area = match (self.program().vars[var].kind, at_entry) {
                    (VarKind::Global, true) => Area::EntryGlobal,
                    (VarKind::Global, false) => Area::Global,
                    (VarKind::Local(_), true) => Area::EntryLocal,
                    (VarKind::Local(_), false) => Area::Local,
                    (VarKind::Result(_), _) => Area::Result,
                };
                let bits = self.context.layout.slot(var).bits();
                out.extend(bits.map(|index| SetBit { area, index }));
            }
        }
        out
    }

    /// The valuations of the observed variables at the observed node.
    pub(crate) fn observe(
        &mut self,
        observation: &Observation,
        export: &mut Export,
        sets: &mut StateSets,
    ) -> Small<SetId> {
        let node = observation.node;
        let proc = self.program().nodes[node].proc;
        let bits = self.pair_bits(proc, |search| search.context.at[node].vars().collect());
        let first = self.context.entry[proc].len as usize;
        let mut wanted: Vec<(SetBit, usize)> = Vec::new();
        let mut place = first;
        for var in self.context.at[node].vars() {
            let width = self.context.width(var);
            if observation.vars.contains(&var) {
                wanted.extend((place..place + width).map(|i| (bits[i], i)));
            }
            place += width;
        }
        let kept = self.kept[node].clone();
        let Some(all) = self.merge(&kept)? else { return Ok(Some(SetId::empty())) };
        let path = self.path(all).clone();
        let outputs = wanted.iter().map(|&(_, i)| path.now[i - first]).collect();
        let bits: Vec<SetBit> = wanted.iter().map(|&(bit, _)| bit).collect();
        self.expand(path.guard, outputs, &bits, export, sets)
    }

    fn set(
        &mut self,
        kept: &[PathId],
        bits: &[SetBit],
        export: &mut Export,
        sets: &mut StateSets,
    ) -> Small<SetId> {
        self.budget.poll()?;
        let Some(all) = self.merge(kept)? else { return Ok(Some(SetId::empty())) };
        let path = self.path(all).clone();
        let outputs: Vec<Lit> = path.entry.iter().chain(path.now.iter()).copied().collect();
        self.expand(path.guard, outputs, bits, export, sets)
    }

    /// Bits in an order that keeps the copies of a variable together.
    fn expand(
        &mut self,
        guard: Lit,
        outputs: Vec<Lit>,
        bits: &[SetBit],
        export: &mut Export,
        sets: &mut StateSets,
    ) -> Small<SetId> {
        let mut order: Vec<usize> = (0..bits.len()).collect();
        order.sort_by_key(|&i| {
            let area = match bits[i].area {
                Area::EntryGlobal | Area::Global => 0,
                Area::EntryLocal | Area::Local => 1,
                Area::Result => 2,
            };
            (area, bits[i].index, bits[i].area)
        });
        let bits: Vec<SetBit> = order.iter().map(|&i| bits[i]).collect();
        let outputs: Vec<Lit> = order.iter().map(|&i| outputs[i]).collect();
        let reduced = reduce(&mut self.aig, &mut self.decider, guard, &[], &outputs);
        let (guard, outputs) = match reduced.map_err(|s| self.stopped(s))? {
            Some(reduced) => (reduced.guard, reduced.outputs),
            None => (guard, outputs),
        };
        // Sets over the same bits share what is decided.
        let count = export.orders.len() as u32;
        let number = *export.orders.entry(bits.clone()).or_insert(count);
        let root: Rest = (guard, outputs);
        // Outputs are decided from the last to the first of the reversed list.
        let root: Rest = (root.0, root.1.into_iter().rev().collect());
        enum Job {
            Decide(Rest),
            Join(Rest, SetBit, Rest, Rest),
        }
        let mut jobs = vec![Job::Decide(root.clone())];
        while let Some(job) = jobs.pop() {
            match job {
                Job::Decide(rest) => {
                    let key = (number, rest);
                    if export.done.contains_key(&key) {
                        continue;
                    }
                    let (_, rest) = key;
                    if export.left == 0 {
                        return Ok(None);
                    }
                    export.left -= 1;
                    if export.left.is_multiple_of(256) {
                        self.budget.poll()?;
                    }
                    if !self.satisfiable(rest.0)? {
                        export.done.insert((number, rest), SetId::empty());
                        continue;
                    }
                    if rest.1.is_empty() || self.is_open(&rest) {
                        export.done.insert((number, rest), SetId::full());
                        continue;
                    }
                    let bit = bits[bits.len() - rest.1.len()];
                    let (lo, hi) = (self.decide(&rest, false), self.decide(&rest, true));
                    jobs.push(Job::Join(rest, bit, lo.clone(), hi.clone()));
                    jobs.extend([Job::Decide(hi), Job::Decide(lo)]);
                }
                Job::Join(rest, bit, lo, hi) => {
                    let (lo, hi) = (export.done[&(number, lo)], export.done[&(number, hi)]);
                    let set = sets.ite(bit, lo, hi);
                    export.done.insert((number, rest), set);
                }
            }
        }
        Ok(Some(export.done[&(number, root)]))
    }

    /// Whether every valuation of the outputs is possible, at a glance: all are different bare
    /// inputs that the guard does not mention.
    fn is_open(&self, rest: &Rest) -> bool {
        let mut nodes: Vec<u32> = rest.1.iter().map(|l| l.node()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len() == rest.1.len()
            && rest.1.iter().all(|&l| self.aig.is_input(l))
            && !self.aig.support([rest.0]).iter().any(|i| nodes.binary_search(&i.node()).is_ok())
    }

    /// What remains if the next output has the given value.
    fn decide(&mut self, rest: &Rest, value: bool) -> Rest {
        let (guard, outputs) = rest;
        let (&next, others) = outputs.split_last().expect("an output remains");
        if next.is_constant() {
            let guard = if next == Lit::constant(value) { *guard } else { Lit::FALSE };
            let others = if guard == Lit::FALSE { Vec::new() } else { others.to_vec() };
            return (guard, others);
        }
        let mut roots = others.to_vec();
        if self.aig.is_input(next) {
            roots.push(*guard);
            let constant = Lit::constant(value ^ next.is_complement());
            let map = FxHashMap::from_iter([(Lit::of_node(next.node()), constant)]);
            let mut roots = self.aig.substitute(&roots, &map);
            let guard = roots.pop().expect("the guard comes last");
            return (guard, roots);
        }
        let guard = self.aig.and(*guard, next.xor_sign(!value));
        // An empty rest is the same whatever remains.
        if guard == Lit::FALSE { (guard, Vec::new()) } else { (guard, roots) }
    }
}
