//! Path edges as [`StateSets`]: certificates and observed sets, by Shannon's expansion.
//!
//! The set `{outputs(ξ) | guard(ξ)}` is decided one output after the other. An output that is a bare
//! input is set in whatever else depends on it, any other is required of the guard. What remains is
//! again such a set; the graph shares formulas, so equal ones are seen and expanded once. The number
//! of expansions is bounded: large sets are not exported.
//!
//! In a certificate, a set of many bits is taken apart first. An input that is an output is known
//! where that bit is. Formulas (conjuncts of the guard, and other outputs) belong together only if
//! they share inputs that are not; each such part is expanded alone, and the set is their
//! conjunction: the parts in a row, the next where the last says yes. Such graphs are not ordered,
//! as certificates need not be, and grow with the parts and not with their product.

use crate::paths::PathId;
use crate::search::Search;
use check::{Area, Certificate, Observation, ProcClaim, SetBit, SetId, StateSets, StopReason};
use ir::{IndexVec, NodeId, ProcId, VarId, VarKind};
use logic::{Lit, reduce};
use rustc_hash::{FxHashMap, FxHashSet};

/// Expansions allowed for all sets of an answer.
const EXPANSIONS: usize = 200_000;

/// A set that remains to be decided.
type Rest = (Lit, Vec<Lit>);

/// Calls of the SAT solver allowed for them, and in proportion to those of the search.
const SAT_CALLS: u64 = 5_000;
const SAT_CALLS_FACTOR: u64 = 4;
/// Sets of more bits are taken apart.
const WHOLE: usize = 12;

/// The decided sets: by bits that remain and formula. Bits are numbered by `order`.
pub(crate) struct Export {
    done: FxHashMap<(u32, Rest), SetId>,
    orders: FxHashMap<Vec<SetBit>, u32>,
    /// Whole sets, as they were asked for.
    asked: FxHashMap<(u32, Rest), SetId>,
    /// Graphs with another one in place of the empty or the full set.
    redirected: FxHashMap<(SetId, SetId, SetId), SetId>,
    left: usize,
    /// The number of SAT calls at which it is given up.
    sat_calls: u64,
}

impl Export {
    /// `so_far`: calls of the SAT solver until now.
    pub(crate) fn new(so_far: u64) -> Export {
        Export {
            done: FxHashMap::default(),
            orders: FxHashMap::default(),
            asked: FxHashMap::default(),
            redirected: FxHashMap::default(),
            left: EXPANSIONS,
            sat_calls: so_far + SAT_CALLS + SAT_CALLS_FACTOR * so_far,
        }
    }

    fn number(&mut self, bits: &[SetBit]) -> u32 {
        let count = self.orders.len() as u32;
        *self.orders.entry(bits.to_vec()).or_insert(count)
    }

    /// The graph of `set` with `to` in place of `end`, which is the empty or the full set.
    fn redirect(&mut self, sets: &mut StateSets, set: SetId, end: SetId, to: SetId) -> SetId {
        if set == end || to == end {
            return if set == end { to } else { set };
        }
        let key = (set, end, to);
        if let Some(&known) = self.redirected.get(&key) {
            return known;
        }
        let mut seen: FxHashSet<SetId> = FxHashSet::default();
        let mut stack = vec![set];
        while let Some(id) = stack.pop() {
            if let Some(node) = sets.node(id)
                && seen.insert(id)
            {
                stack.extend([node.lo, node.hi]);
            }
        }
        // Children precede parents.
        let mut cone: Vec<SetId> = seen.into_iter().collect();
        cone.sort_unstable();
        let mut image: FxHashMap<SetId, SetId> = FxHashMap::from_iter([(end, to)]);
        for id in cone {
            let Some(node) = sets.node(id) else { continue };
            let at = |child: SetId| image.get(&child).copied().unwrap_or(child);
            let (lo, hi) = (at(node.lo), at(node.hi));
            image.insert(id, sets.ite(node.bit, lo, hi));
        }
        let result = image.get(&set).copied().unwrap_or(set);
        self.redirected.insert(key, result);
        result
    }
}

/// A formula of a set that is taken apart: a conjunct of the guard, or what an output is.
struct Item {
    formula: Lit,
    /// The output, by its place.
    output: Option<usize>,
    /// Places of the outputs that are its inputs.
    known: Vec<usize>,
    /// Its other inputs.
    open: Vec<Lit>,
}

/// Whether a set was small enough.
type Small<T> = Result<Option<T>, StopReason>;

impl Search<'_> {
    /// The path edges and summaries: inductive, since all that was dropped is covered by them.
    pub(crate) fn certificate(&mut self) -> Small<Certificate> {
        let program = self.program();
        let mut sets = StateSets::new();
        let mut export = Export::new(self.decider.stats.sat_calls);
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
        if bits.len() > WHOLE {
            let mut union = SetId::empty();
            for &path in kept.iter().rev() {
                let Some(set) = self.parts(path, bits, export, sets)? else { return Ok(None) };
                union = export.redirect(sets, set, SetId::empty(), union);
            }
            return Ok(Some(union));
        }
        let Some(all) = self.merge(kept)? else { return Ok(Some(SetId::empty())) };
        let path = self.path(all).clone();
        let outputs: Vec<Lit> = path.entry.iter().chain(path.now.iter()).copied().collect();
        self.expand(path.guard, outputs, bits, export, sets)
    }

    /// The set of one path edge, taken apart.
    fn parts(
        &mut self,
        path: PathId,
        bits: &[SetBit],
        export: &mut Export,
        sets: &mut StateSets,
    ) -> Small<SetId> {
        let path = self.path(path).clone();
        let outputs: Vec<Lit> = path.entry.iter().chain(path.now.iter()).copied().collect();
        // Inputs that are outputs, with the place of the first.
        let mut owner: FxHashMap<Lit, usize> = FxHashMap::default();
        for (place, &lit) in outputs.iter().enumerate() {
            if self.aig.is_input(lit) {
                owner.entry(Lit::of_node(lit.node())).or_insert(place);
            }
        }
        let mut formulas: Vec<(Lit, Option<usize>)> = Vec::new();
        let mut stack = vec![path.guard];
        while let Some(lit) = stack.pop() {
            match self.aig.children(lit.node()) {
                Some((a, b)) if !lit.is_complement() => stack.extend([a, b]),
                _ if lit == Lit::TRUE => {}
                _ => formulas.push((lit, None)),
            }
        }
        formulas.sort_unstable();
        formulas.dedup();
        for (place, &lit) in outputs.iter().enumerate() {
            if owner.get(&Lit::of_node(lit.node())) != Some(&place) {
                formulas.push((lit, Some(place)));
            }
        }
        let items = formulas.into_iter().map(|(formula, output)| {
            let (mut known, mut open) = (Vec::new(), Vec::new());
            for input in self.aig.support([formula]) {
                match owner.get(&input) {
                    Some(&place) => known.push(place),
                    None => open.push(input),
                }
            }
            Item { formula, output, known, open }
        });
        let items: Vec<Item> = items.collect();
        let mut set = SetId::full();
        for part in together(&items).into_iter().rev() {
            let mut guard = Lit::TRUE;
            let mut places: Vec<usize> = Vec::new();
            for item in part.into_iter().map(|i| &items[i]) {
                places.extend(&item.known);
                match item.output {
                    Some(place) => places.push(place),
                    None => guard = self.aig.and(guard, item.formula),
                }
            }
            places.sort_unstable();
            places.dedup();
            let values = places.iter().map(|&p| outputs[p]).collect();
            let of: Vec<SetBit> = places.iter().map(|&p| bits[p]).collect();
            let Some(one) = self.expand(guard, values, &of, export, sets)? else {
                return Ok(None);
            };
            set = export.redirect(sets, one, SetId::full(), set);
        }
        Ok(Some(set))
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
        // Sets over the same bits share what is decided.
        let number = export.number(&bits);
        let asked = (number, (guard, outputs.clone()));
        if let Some(&known) = export.asked.get(&asked) {
            return Ok(Some(known));
        }
        let reduced = reduce(&mut self.aig, &mut self.decider, guard, &[], &outputs);
        let (guard, outputs) = match reduced.map_err(|s| self.stopped(s))? {
            Some(reduced) => (reduced.guard, reduced.outputs),
            None => (guard, outputs),
        };
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
                    if export.left == 0 || self.decider.stats.sat_calls > export.sat_calls {
                        return Ok(None);
                    }
                    export.left -= 1;
                    if export.left.is_multiple_of(16) {
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
        let set = export.done[&(number, root)];
        export.asked.insert(asked, set);
        Ok(Some(set))
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

/// The items in groups: those that share open inputs belong together, and others stay alone.
fn together(items: &[Item]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..items.len()).collect();
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    let mut first: FxHashMap<Lit, usize> = FxHashMap::default();
    for (i, item) in items.iter().enumerate() {
        for &input in &item.open {
            let other = *first.entry(input).or_insert(i);
            let (x, y) = (root(&mut group, i), root(&mut group, other));
            group[x.max(y)] = x.min(y);
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    for i in 0..items.len() {
        members[root(&mut group, i)].push(i);
    }
    members.retain(|m| !m.is_empty());
    members
}
