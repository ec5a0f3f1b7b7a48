//! Lifting: which inputs of a model make it one.
//!
//! Backwards from functions that hold: a conjunction that holds needs both sides, one that does not
//! needs one side that does not, the cheaper one. What is found is enough: whatever the other inputs
//! are, the functions hold.

use logic::{Aig, Lit};
use rustc_hash::FxHashMap;

/// The inputs that count, of those on which it rests that all roots hold. `value` tells the model,
/// `counts` which inputs are to be few.
pub(crate) fn needed(
    aig: &Aig,
    roots: &[Lit],
    value: impl Fn(Lit) -> bool,
    counts: impl Fn(Lit) -> bool,
) -> Vec<Lit> {
    let cone = aig.cone(roots.iter().copied());
    let mut place: FxHashMap<u32, usize> = FxHashMap::default();
    // By place in the cone: the value, and about how many inputs it rests on.
    let mut known: Vec<(bool, u32)> = Vec::with_capacity(cone.len());
    let look = |known: &[(bool, u32)], place: &FxHashMap<u32, usize>, lit: Lit| match place
        .get(&lit.node())
    {
        Some(&at) => (known[at].0 ^ lit.is_complement(), known[at].1),
        None => (lit == Lit::TRUE, 0),
    };
    for (at, &node) in cone.iter().enumerate() {
        let entry = match aig.children(node) {
            None => {
                let input = Lit::of_node(node);
                (value(input), u32::from(counts(input)))
            }
            Some((a, b)) => {
                let ((x, i), (y, j)) = (look(&known, &place, a), look(&known, &place, b));
                match (x, y) {
                    (true, true) => (true, i.saturating_add(j)),
                    (false, false) => (false, i.min(j)),
                    (false, true) => (false, i),
                    (true, false) => (false, j),
                }
            }
        };
        known.push(entry);
        place.insert(node, at);
    }
    let mut marked = vec![false; cone.len()];
    for root in roots {
        if let Some(&at) = place.get(&root.node()) {
            marked[at] = true;
        }
    }
    let mut out = Vec::new();
    for at in (0..cone.len()).rev() {
        if !marked[at] {
            continue;
        }
        let Some((a, b)) = aig.children(cone[at]) else {
            let input = Lit::of_node(cone[at]);
            if counts(input) {
                out.push(input);
            }
            continue;
        };
        let ((x, i), (y, j)) = (look(&known, &place, a), look(&known, &place, b));
        let is_marked = |lit: Lit| place.get(&lit.node()).is_none_or(|&at| marked[at]);
        let either = is_marked(a) || is_marked(b);
        let mut mark = |lit: Lit| {
            if let Some(&at) = place.get(&lit.node()) {
                marked[at] = true;
            }
        };
        match (x, y) {
            (true, true) => {
                mark(a);
                mark(b);
            }
            (false, true) => mark(a),
            (true, false) => mark(b),
            (false, false) if either => {}
            (false, false) if i <= j => mark(a),
            (false, false) => mark(b),
        }
    }
    out.reverse();
    out
}
