//! Sets of states without some of their bits.

use check::{SetBit, SetId, StateSets};
use rustc_hash::FxHashMap;

/// The states of the set with only the bits to keep: one is in the result if some value of the
/// others makes it one of the set. The graph must be ordered: on all ways the bits come in one order.
pub(crate) fn project(
    sets: &StateSets,
    set: SetId,
    keep: impl Fn(SetBit) -> bool,
) -> (StateSets, SetId) {
    let order = ranks(sets, set);
    let mut out = StateSets::new();
    let mut done: FxHashMap<SetId, SetId> = FxHashMap::default();
    for id in [SetId::empty(), SetId::full()] {
        done.insert(id, id);
    }
    let mut memo = FxHashMap::default();
    for id in below(sets, set) {
        let Some(node) = sets.node(id) else { continue };
        let (lo, hi) = (done[&node.lo], done[&node.hi]);
        let new = match keep(node.bit) {
            true => out.ite(node.bit, lo, hi),
            false => union(&mut out, lo, hi, &order, &mut memo),
        };
        done.insert(id, new);
    }
    (out, done[&set])
}

/// The decisions below `root`, children first.
fn below(sets: &StateSets, root: SetId) -> Vec<SetId> {
    let mut out = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![(root, false)];
    while let Some((id, expanded)) = stack.pop() {
        let Some(node) = sets.node(id) else { continue };
        if expanded {
            out.push(id);
        } else if seen.insert(id) {
            stack.extend([(id, true), (node.hi, false), (node.lo, false)]);
        }
    }
    out
}

/// A number for each bit, smaller for those that come first on all ways.
fn ranks(sets: &StateSets, set: SetId) -> FxHashMap<SetBit, u32> {
    let order = below(sets, set);
    // The longest way from a bit downwards; bits that are below no common one may share a number,
    // and are then told apart by their own order.
    let mut height: FxHashMap<SetBit, u32> = FxHashMap::default();
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().filter_map(|&id| sets.node(id)) {
            let of = |child: SetId, height: &FxHashMap<SetBit, u32>| {
                sets.node(child).map_or(0, |c| 1 + height.get(&c.bit).copied().unwrap_or(0))
            };
            let new = of(node.lo, &height).max(of(node.hi, &height));
            let entry = height.entry(node.bit).or_insert(0);
            if new > *entry {
                *entry = new;
                changed = true;
            }
        }
    }
    let mut bits: Vec<(SetBit, u32)> = height.into_iter().collect();
    bits.sort_by_key(|&(bit, height)| (std::cmp::Reverse(height), bit));
    bits.into_iter().zip(0..).map(|((bit, _), rank)| (bit, rank)).collect()
}

/// The states of either set.
fn union(
    sets: &mut StateSets,
    a: SetId,
    b: SetId,
    order: &FxHashMap<SetBit, u32>,
    memo: &mut FxHashMap<(SetId, SetId), SetId>,
) -> SetId {
    enum Step {
        Visit(SetId, SetId),
        Join(SetBit, (SetId, SetId)),
    }
    let mut work = vec![Step::Visit(a, b)];
    let mut results: Vec<SetId> = Vec::new();
    while let Some(step) = work.pop() {
        match step {
            Step::Visit(a, b) => {
                let (a, b) = (a.min(b), a.max(b));
                if a == b || a == SetId::empty() || b == SetId::full() {
                    results.push(b);
                    continue;
                }
                if a == SetId::full() {
                    results.push(a);
                    continue;
                }
                if let Some(&known) = memo.get(&(a, b)) {
                    results.push(known);
                    continue;
                }
                let (Some(x), Some(y)) = (sets.node(a), sets.node(b)) else {
                    unreachable!("neither is empty or full")
                };
                let bit = if order[&x.bit] <= order[&y.bit] { x.bit } else { y.bit };
                let split = |id: SetId, node: check::SetNode| match node.bit == bit {
                    true => (node.lo, node.hi),
                    false => (id, id),
                };
                let ((a0, a1), (b0, b1)) = (split(a, x), split(b, y));
                work.push(Step::Join(bit, (a, b)));
                work.push(Step::Visit(a1, b1));
                work.push(Step::Visit(a0, b0));
            }
            Step::Join(bit, key) => {
                let (hi, lo) = (results.pop(), results.pop());
                let (Some(hi), Some(lo)) = (hi, lo) else {
                    unreachable!("every visit leaves one result")
                };
                let joined = sets.ite(bit, lo, hi);
                memo.insert(key, joined);
                results.push(joined);
            }
        }
    }
    results.pop().unwrap_or(SetId::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use check::Area;

    #[test]
    fn all_sets_of_three_bits() {
        let bits: Vec<SetBit> = [2, 0, 1].map(|index| SetBit { area: Area::Local, index }).to_vec();
        for members in 0u32..256 {
            let mut sets = StateSets::new();
            let mut rows: Vec<Vec<bool>> = (0u32..8)
                .filter(|v| members >> v & 1 == 1)
                .map(|v| (0..3).map(|i| v >> i & 1 == 1).collect())
                .collect();
            rows.sort();
            let set = sets.from_sorted(&bits, &rows);
            for kept in 0u32..8 {
                let keep = |bit: SetBit| kept >> bit.index & 1 == 1;
                let (projected, to) = project(&sets, set, keep);
                for valuation in 0u32..8 {
                    let holds = |bit: SetBit| valuation >> bit.index & 1 == 1;
                    let expected = (0u32..8).any(|other| {
                        let mixed = valuation & kept | other & !kept;
                        sets.contains(set, |bit| mixed >> bit.index & 1 == 1)
                    });
                    assert_eq!(projected.contains(to, holds), expected, "{members} {kept}");
                }
            }
        }
    }
}
