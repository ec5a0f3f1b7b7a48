//! Clauses as sets: one after the other, or as a diagram where that is smaller.
//!
//! Clauses in a row are linear in their literals, and always to be had. But that two numbers differ by one
//! takes many clauses and a narrow diagram, and narrow diagrams are what is checked fast.

use crate::frames::Cube;
use bdd::{Bdd, Config, Gate, Manager, Stop};
use check::{Budget, SetBit, SetId, StateSets};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Nodes of a diagram for which it is given up; bits of one, for operations recurse over them; clauses
/// from which on it is tried.
const NODES: usize = 1 << 15;
const BITS: usize = 1_000;
const CLAUSES: usize = 4;

/// Looks for smaller sets.
pub(crate) struct Compact {
    budget: Budget,
    /// Sets that are made, by clauses and bits.
    done: FxHashMap<(Vec<Cube>, Vec<SetBit>), SetId>,
}

/// Stops when the budget does.
struct Patience(Budget);

impl Gate for Patience {
    fn poll(&mut self) -> bool {
        self.0.poll().is_ok()
    }
    fn may_grow(&mut self, bytes: usize) -> bool {
        let granted = self.0.reserve(bytes as u64).is_ok();
        if granted {
            self.0.release(bytes as u64);
        }
        granted
    }
}

impl Compact {
    pub(crate) fn new(budget: &Budget) -> Compact {
        Compact { budget: budget.clone(), done: FxHashMap::default() }
    }

    /// What is in none of the cubes.
    pub(crate) fn set(&mut self, sets: &mut StateSets, cubes: &[Cube], bits: &[SetBit]) -> SetId {
        let key = (cubes.to_vec(), bits.to_vec());
        if let Some(&known) = self.done.get(&key) {
            return known;
        }
        let literals: usize = cubes.iter().map(|cube| cube.len()).sum();
        let mut made = None;
        if cubes.len() >= CLAUSES && bits.len() <= BITS {
            made = self.diagram(cubes, bits, literals, sets).ok().flatten();
        }
        let set = made.unwrap_or_else(|| in_a_row(sets, cubes, bits));
        self.done.insert(key, set);
        set
    }

    /// The diagram, if it has fewer decisions than the clauses have literals.
    fn diagram(
        &self,
        cubes: &[Cube],
        bits: &[SetBit],
        literals: usize,
        sets: &mut StateSets,
    ) -> Result<Option<SetId>, Stop> {
        let config = Config { node_limit: NODES, collect_at: NODES / 2, ..Config::default() };
        let mut manager = Manager::new(config);
        manager.set_gate(Some(Box::new(Patience(self.budget.clone()))));
        let mut sorted: Vec<&Cube> = cubes.iter().collect();
        sorted.sort_by_key(|cube| (cube.len(), cube.iter().map(|lit| lit.0).collect::<Vec<u32>>()));
        let order = beside(&sorted);
        let places: FxHashMap<u32, u32> = order.iter().copied().zip(0u32..).collect();
        let mut all = Bdd::TRUE;
        for cube in sorted {
            let mut clause = Bdd::FALSE;
            for &(bit, value) in cube.iter() {
                let var = manager.var(places[&bit])?;
                clause = manager.or(clause, if value { var.not() } else { var })?;
            }
            all = manager.and(all, clause)?;
            if manager.want_gc() {
                manager.gc([all]);
            }
        }
        let mut visited = Vec::new();
        let mut done: FxHashMap<Bdd, Option<SetId>> = FxHashMap::default();
        done.insert(Bdd::FALSE, Some(SetId::empty()));
        done.insert(Bdd::TRUE, Some(SetId::full()));
        let mut stack = vec![(all, false)];
        while let Some((top, left)) = stack.pop() {
            if left {
                visited.push(top);
            } else if let Entry::Vacant(entry) = done.entry(top) {
                entry.insert(None);
                let Some((_, lo, hi)) = manager.node(top) else { continue };
                stack.extend([(top, true), (lo, false), (hi, false)]);
            }
        }
        if visited.len() >= literals {
            return Ok(None);
        }
        for node in visited {
            let Some((var, lo, hi)) = manager.node(node) else { continue };
            let (Some(&Some(lo)), Some(&Some(hi))) = (done.get(&lo), done.get(&hi)) else {
                return Ok(None);
            };
            let set = sets.ite(bits[order[var as usize] as usize], lo, hi);
            done.insert(node, Some(set));
        }
        Ok(done.get(&all).copied().flatten())
    }
}

/// An order of the bits in which those that short clauses tie together stand beside each other: a new one
/// behind the last of its first clause.
fn beside(sorted: &[&Cube]) -> Vec<u32> {
    let mut order: Vec<u32> = Vec::new();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    for cube in sorted {
        for &(bit, _) in cube.iter() {
            if seen.insert(bit) {
                let tied = |other: &u32| *other != bit && cube.iter().any(|lit| lit.0 == *other);
                let place = order.iter().rposition(tied).map_or(order.len(), |at| at + 1);
                order.insert(place, bit);
            }
        }
    }
    order
}

/// One clause after the other, one decision for each literal.
fn in_a_row(sets: &mut StateSets, cubes: &[Cube], bits: &[SetBit]) -> SetId {
    let mut all = SetId::full();
    for cube in cubes.iter().rev() {
        let mut inside = SetId::empty();
        for &(bit, value) in cube.iter().rev() {
            let (lo, hi) = if value { (all, inside) } else { (inside, all) };
            inside = sets.ite(bits[bit as usize], lo, hi);
        }
        all = inside;
    }
    all
}
