//! The words of a state that make a function hold: of a conjunction that is false, one false side is enough.

use logic::{Aig, Lit, Valuation};
use rustc_hash::FxHashSet;

/// Variables such that all states that have the same values in them make a function hold, if what is no variable stays
/// as it is. `owner` has the variables of the bits of a place; all other inputs are taken to stay.
pub(crate) fn justified(
    aig: &Aig,
    goal: Lit,
    owner: impl Fn(Lit) -> Option<usize>,
    values: &mut Valuation,
) -> FxHashSet<usize> {
    // Operands come before what is made of them.
    let count = goal.node() as usize + 1;
    let mut needed = vec![false; count];
    needed[goal.node() as usize] = true;
    for node in (0..count).rev().filter(|&n| n != 0) {
        if let (true, Some((a, b))) = (needed[node], aig.children(node as u32)) {
            needed[a.node() as usize] = true;
            needed[b.node() as usize] = true;
        }
    }
    // What each node is, and how many bits that rests on, about.
    let mut is = vec![false; count];
    let mut costs = vec![0u32; count];
    let holds = |is: &[bool], lit: Lit| is[lit.node() as usize] != lit.is_complement();
    let cost = |costs: &[u32], lit: Lit| costs[lit.node() as usize];
    for node in (1..count).filter(|&n| needed[n]) {
        let Some((a, b)) = aig.children(node as u32) else {
            let input = Lit::of_node(node as u32);
            is[node] = values.get(aig, input);
            costs[node] = u32::from(owner(input).is_some());
            continue;
        };
        let (x, y) = (cost(&costs, a), cost(&costs, b));
        let (p, q) = (holds(&is, a), holds(&is, b));
        is[node] = p && q;
        costs[node] = match (p, q) {
            (true, true) => x.saturating_add(y),
            (false, false) => x.min(y),
            (false, true) => x,
            (true, false) => y,
        };
    }
    let mut out = FxHashSet::default();
    let mut rests = vec![false; count];
    rests[goal.node() as usize] = true;
    for node in (1..count).rev() {
        if !rests[node] {
            continue;
        }
        let Some((a, b)) = aig.children(node as u32) else {
            out.extend(owner(Lit::of_node(node as u32)));
            continue;
        };
        let (p, q) = (holds(&is, a), holds(&is, b));
        let first = q || !p && cost(&costs, a) <= cost(&costs, b);
        rests[a.node() as usize] |= first;
        rests[b.node() as usize] |= !first || p && q;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::justified;
    use logic::{Aig, Valuation};
    use std::collections::BTreeSet;

    /// Random functions: with the justified variables as they are, no other values change the result, and hardly ever are
    /// all variables needed.
    #[test]
    fn what_is_left_out_does_not_matter() {
        let mut seed = 7u64;
        let mut next = move |n: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed as usize % n
        };
        let mut left_out = 0;
        for _ in 0..300 {
            let mut aig = Aig::new();
            let inputs: Vec<_> = (0..7).map(|_| aig.input()).collect();
            let mut nodes = inputs.clone();
            for _ in 0..25 {
                let (a, b) = (nodes[next(nodes.len())], nodes[next(nodes.len())]);
                let (a, b) = (a.xor_sign(next(2) == 0), b.xor_sign(next(2) == 0));
                let new = aig.and(a, b);
                nodes.push(new);
            }
            // The last input is no variable.
            let owner = |lit| inputs[..6].iter().position(|&i| i == lit);
            let bits = next(128);
            let set = |bits: usize| {
                let mut values = Valuation::new();
                inputs.iter().enumerate().for_each(|(i, &l)| values.set(l, bits >> i & 1 == 1));
                values
            };
            let mut goal = nodes[nodes.len() - 1];
            goal = goal.xor_sign(!set(bits).get(&aig, goal));
            let kept: BTreeSet<usize> =
                justified(&aig, goal, owner, &mut set(bits)).into_iter().collect();
            left_out += 6 - kept.len();
            for other in 0..128 {
                let same = (0..7)
                    .all(|i| (i < 6 && !kept.contains(&i)) || bits >> i & 1 == other >> i & 1);
                assert!(!same || set(other).get(&aig, goal));
            }
        }
        assert!(left_out > 600, "{left_out}");
    }
}
