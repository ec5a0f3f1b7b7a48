//! Path edges as [`StateSets`]: certificates and observed sets.
//!
//! A path edge is taken apart first. An input that is an output is known where that bit is; the
//! others are *open*. Formulas (conjuncts of the guard, and what outputs are) belong together only
//! if they share open inputs. Each such part becomes a decision diagram over its bits, the open
//! inputs quantified as soon as no formula is left that mentions them.
//!
//! In a certificate, a set is the conjunction of its parts: the parts in a row, the next where the
//! last says yes. Such graphs are not ordered, as certificates need not be, and grow with the parts
//! and not with their product. Observed sets are ordered, one diagram for all parts.
//!
//! What this may take is bounded: sets that have no small diagrams are not exported, and the verdict
//! stands without them.

use crate::paths::PathId;
use crate::search::Search;
use analysis::{Order, SlotOrder, variable_order};
use bdd::{Bdd, Config, Gate, Manager, Stop};
use check::{
    Area, Budget, Certificate, Observation, ProcClaim, SetBit, SetId, StateSets, StopReason,
};
use circuits::Context;
use ir::{IndexVec, NodeId, ProcId, VarId, VarKind};
use logic::{Aig, Lit};
use rustc_hash::{FxHashMap, FxHashSet};

/// Nodes of the diagrams; times that they are looked at while they grow, each after thousands of
/// steps; gates that are visited.
const NODES: usize = 1 << 20;
const POLLS: u64 = 3_000;
const GATES: usize = 20_000_000;
/// Variables of one diagram. Operations recurse over them, on the stack that there is.
const LEVELS: usize = 2_000;

/// Diagrams, and sets made from them.
pub(crate) struct Export {
    manager: Manager,
    order: SlotOrder,
    /// What variables stand for, in the part that is being made.
    bits: FxHashMap<u32, SetBit>,
    /// Parts that were made, by the bits and formulas they consist of.
    done: FxHashMap<Part, SetId>,
    /// Graphs with another one in place of the empty or the full set.
    redirected: FxHashMap<(SetId, SetId, SetId), SetId>,
    gates: usize,
}

/// Formulas, each with the bit that it is, if it is one; and known inputs with their bits.
type Part = (Vec<(Lit, Option<Column>)>, Vec<(Lit, Column)>);

/// Stops diagrams that take too long.
struct Patience {
    budget: Budget,
    left: u64,
}

impl Gate for Patience {
    fn poll(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0 && self.budget.poll().is_ok()
    }
    fn may_grow(&mut self, bytes: usize) -> bool {
        let granted = self.budget.reserve(bytes as u64).is_ok();
        if granted {
            self.budget.release(bytes as u64);
        }
        granted
    }
}

/// A bit, and its variable in diagrams.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Column {
    variable: u32,
    bit: SetBit,
}

/// Open inputs come before all bits.
const FIRST_BIT: u32 = 1 << 24;

impl Export {
    pub(crate) fn new(context: &Context<'_>, budget: &Budget) -> Export {
        let order = variable_order(context.program, &context.layout, Order::Derived);
        let config = Config { node_limit: NODES, collect_at: 1 << 17, ..Config::default() };
        let mut manager = Manager::new(config);
        manager.set_gate(Some(Box::new(Patience { budget: budget.clone(), left: POLLS })));
        Export {
            manager,
            order,
            bits: FxHashMap::default(),
            done: FxHashMap::default(),
            redirected: FxHashMap::default(),
            gates: GATES,
        }
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

    /// The diagram of a bit. What its variable stands for holds until the part is a set.
    fn bit(&mut self, column: Column) -> Result<Bdd, Stop> {
        self.bits.insert(column.variable, column.bit);
        self.manager.var(column.variable)
    }

    /// The diagram of a part.
    fn diagram(&mut self, aig: &Aig, (formulas, known): &Part) -> Result<Bdd, Stop> {
        let cone = aig.cone(formulas.iter().map(|f| f.0));
        self.gates = self.gates.checked_sub(cone.len()).ok_or(Stop::Nodes)?;
        let mut values: FxHashMap<u32, Bdd> = FxHashMap::from_iter([(0, Bdd::FALSE)]);
        for &(lit, bit) in known {
            let value = self.bit(bit)?;
            values.insert(lit.node(), if lit.is_complement() { value.not() } else { value });
        }
        // The last formula that mentions each open input.
        let mut last: FxHashMap<u32, usize> = FxHashMap::default();
        for (i, &(formula, _)) in formulas.iter().enumerate() {
            for input in aig.support([formula]) {
                if !values.contains_key(&input.node()) {
                    last.insert(input.node(), i);
                }
            }
        }
        let mut open: Vec<u32> = last.keys().copied().collect();
        open.sort_unstable();
        if open.len() + known.len() + formulas.len() > LEVELS {
            return Err(Stop::Nodes);
        }
        let mut quantify: Vec<Vec<u32>> = vec![Vec::new(); formulas.len()];
        for (number, node) in open.into_iter().enumerate() {
            values.insert(node, self.manager.var(number as u32)?);
            quantify[last[&node]].push(number as u32);
        }
        let at = |values: &FxHashMap<u32, Bdd>, lit: Lit| {
            let value = values[&lit.node()];
            if lit.is_complement() { value.not() } else { value }
        };
        for node in cone {
            if let Some((a, b)) = aig.children(node) {
                let value = self.manager.and(at(&values, a), at(&values, b))?;
                values.insert(node, value);
            }
        }
        let mut all = Bdd::TRUE;
        for (&(formula, bit), vars) in formulas.iter().zip(&quantify) {
            let mut holds = at(&values, formula);
            if let Some(bit) = bit {
                let bit = self.bit(bit)?;
                holds = self.manager.iff(bit, holds)?;
            }
            let cube = self.manager.cube(vars)?;
            all = self.manager.and_exists(all, holds, cube)?;
        }
        Ok(all)
    }

    /// A diagram as a set. Nothing else is kept of the diagrams.
    fn set(&mut self, sets: &mut StateSets, root: Bdd) -> SetId {
        let mut done: FxHashMap<Bdd, SetId> =
            FxHashMap::from_iter([(Bdd::FALSE, SetId::empty()), (Bdd::TRUE, SetId::full())]);
        let mut stack = vec![root];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let (var, lo, hi) = self.manager.node(top).expect("constants are done");
            match (done.get(&lo), done.get(&hi)) {
                (Some(&lo), Some(&hi)) => {
                    let set = sets.ite(self.bits[&var], lo, hi);
                    done.insert(top, set);
                    stack.pop();
                }
                (x, y) => {
                    stack.extend(x.is_none().then_some(lo));
                    stack.extend(y.is_none().then_some(hi));
                }
            }
        }
        let set = done[&root];
        if self.manager.want_gc() {
            self.manager.gc([]);
        }
        set
    }

    /// The set of a part.
    fn part(&mut self, aig: &Aig, part: Part, sets: &mut StateSets) -> Result<SetId, Stop> {
        if let Some(&known) = self.done.get(&part) {
            return Ok(known);
        }
        let diagram = self.diagram(aig, &part)?;
        let set = self.set(sets, diagram);
        self.done.insert(part, set);
        Ok(set)
    }
}

/// A formula of a set that is taken apart: a conjunct of the guard, or what an output is.
struct Item {
    formula: Lit,
    /// The bit of the output.
    output: Option<Column>,
    /// Its inputs that are outputs, with their bits.
    known: Vec<(Lit, Column)>,
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
        let mut export = Export::new(&self.context, self.budget);
        let mut path: IndexVec<NodeId, SetId> = IndexVec::new();
        for (node, info) in program.nodes.enumerate() {
            let bits = self.pair_bits(&export, info.proc, |search| {
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
            let bits = self.pair_bits(&export, proc, |search| {
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
    fn pair_bits(
        &self,
        export: &Export,
        proc: ProcId,
        now: impl Fn(&Self) -> Vec<VarId>,
    ) -> Vec<Column> {
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
                let copy = match area {
                    Area::EntryGlobal | Area::EntryLocal => 0,
                    Area::Global | Area::Local => 1,
                    Area::Result => 2,
                };
                let bits = self.context.layout.slot(var).bits();
                out.extend(bits.enumerate().map(|(i, index)| {
                    let position = export.order.position(var, i as u32);
                    let variable = FIRST_BIT + 3 * position + copy;
                    Column { variable, bit: SetBit { area, index } }
                }));
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
        let bits = self.pair_bits(export, proc, |search| search.context.at[node].vars().collect());
        let first = self.context.entry[proc].len as usize;
        let mut wanted: Vec<usize> = Vec::new();
        let mut place = first;
        for var in self.context.at[node].vars() {
            let width = self.context.width(var);
            if observation.vars.contains(&var) {
                wanted.extend(place..place + width);
            }
            place += width;
        }
        self.budget.poll()?;
        let bits: Vec<Column> = wanted.iter().map(|&i| bits[i]).collect();
        let mut union = Bdd::FALSE;
        for &kept in &self.kept[node] {
            let path = self.path(kept);
            let outputs: Vec<Lit> = wanted.iter().map(|&i| path.now[i - first]).collect();
            let items = self.items(path.guard, &outputs, &bits);
            let part = part(items.iter());
            let one = export.diagram(&self.aig, &part);
            match one.and_then(|one| export.manager.or(union, one)) {
                Ok(both) => union = both,
                Err(_) => return self.budget.poll().map(|()| None),
            }
        }
        Ok(Some(export.set(sets, union)))
    }

    /// The union of path edges.
    fn set(
        &mut self,
        kept: &[PathId],
        bits: &[Column],
        export: &mut Export,
        sets: &mut StateSets,
    ) -> Small<SetId> {
        let mut union = SetId::empty();
        for &kept in kept.iter().rev() {
            self.budget.poll()?;
            let path = self.path(kept);
            let outputs: Vec<Lit> = path.entry.iter().chain(path.now.iter()).copied().collect();
            let items = self.items(path.guard, &outputs, bits);
            let mut set = SetId::full();
            for group in together(&items).into_iter().rev() {
                let part = part(group.iter().map(|&i| &items[i]));
                let Ok(one) = export.part(&self.aig, part, sets) else {
                    return self.budget.poll().map(|()| None);
                };
                set = export.redirect(sets, one, SetId::full(), set);
            }
            union = export.redirect(sets, set, SetId::empty(), union);
        }
        Ok(Some(union))
    }

    /// The formulas of which `{outputs(ξ) | guard(ξ)}` consists.
    fn items(&self, guard: Lit, outputs: &[Lit], bits: &[Column]) -> Vec<Item> {
        // Inputs that are outputs, with the place of the first.
        let mut owner: FxHashMap<Lit, usize> = FxHashMap::default();
        for (place, &lit) in outputs.iter().enumerate() {
            if self.aig.is_input(lit) {
                owner.entry(Lit::of_node(lit.node())).or_insert(place);
            }
        }
        let mut formulas: Vec<(Lit, Option<Column>)> = Vec::new();
        let mut seen: FxHashSet<Lit> = FxHashSet::default();
        let mut stack = vec![guard];
        while let Some(lit) = stack.pop() {
            if lit == Lit::TRUE || !seen.insert(lit) {
                continue;
            }
            match self.aig.children(lit.node()) {
                Some((a, b)) if !lit.is_complement() => stack.extend([a, b]),
                _ => formulas.push((lit, None)),
            }
        }
        formulas.sort_unstable_by_key(|f| f.0);
        for (place, &lit) in outputs.iter().enumerate() {
            if owner.get(&Lit::of_node(lit.node())) != Some(&place) {
                formulas.push((lit, Some(bits[place])));
            }
        }
        let items = formulas.into_iter().map(|(formula, output)| {
            let (mut known, mut open) = (Vec::new(), Vec::new());
            for input in self.aig.support([formula]) {
                match owner.get(&input) {
                    Some(&place) => known.push((outputs[place], bits[place])),
                    None => open.push(input),
                }
            }
            Item { formula, output, known, open }
        });
        items.collect()
    }
}

/// Items as one part.
fn part<'a>(items: impl Iterator<Item = &'a Item>) -> Part {
    let (mut formulas, mut known) = (Vec::new(), Vec::new());
    for item in items {
        formulas.push((item.formula, item.output));
        known.extend(&item.known);
    }
    known.sort_unstable();
    known.dedup();
    (formulas, known)
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
