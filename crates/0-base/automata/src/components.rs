//! Strongly connected components with the marks inside each.

use crate::marks::Marks;

/// A set of marks.
pub(crate) trait MarkSet: Clone + Default {
    /// Adds the marks of another set.
    fn add(&mut self, other: &Self);
    /// Whether all marks of the other set are in this one.
    fn has(&self, other: &Self) -> bool;
}

impl MarkSet for u64 {
    fn add(&mut self, other: &u64) {
        *self |= other;
    }

    fn has(&self, other: &u64) -> bool {
        other & !self == 0
    }
}

impl MarkSet for Marks {
    fn add(&mut self, other: &Marks) {
        self.unite(other);
    }

    fn has(&self, other: &Marks) -> bool {
        self.covers(other)
    }
}

/// The components of what is reachable, numbered so that edges lead to equal or smaller numbers.
#[derive(Debug)]
pub(crate) struct Components<M> {
    /// The component of each node; `u32::MAX` for what is not reachable.
    pub(crate) of: Vec<u32>,
    /// For each component, the marks of the edges inside it together; `None` if there are none,
    /// that is, if the component is a single node without a loop.
    pub(crate) inside: Vec<Option<M>>,
}

impl<M: MarkSet> Components<M> {
    /// Whether a component has all of these marks on the edges inside it.
    pub(crate) fn accepts(&self, all: &M) -> bool {
        self.inside.iter().flatten().any(|marks| marks.has(all))
    }
}

/// The components of what is reachable from `start`. `successors` pushes the edges of a node, as
/// targets with marks; it is asked once for each node.
pub(crate) fn components<M: MarkSet>(
    nodes: usize,
    start: usize,
    mut successors: impl FnMut(usize, &mut Vec<(usize, M)>),
) -> Components<M> {
    // The edges of all nodes, in the order in which the search comes to them.
    let mut edges: Vec<(usize, M)> = Vec::new();
    let mut ranges = vec![0..0; nodes];
    let found = graph::components(nodes, [start], |node, i| {
        if i == 0 {
            let from = edges.len();
            successors(node, &mut edges);
            ranges[node] = from..edges.len();
        }
        edges[ranges[node].clone()].get(i).map(|(to, _)| *to)
    });
    let mut inside: Vec<Option<M>> = vec![None; found.len()];
    for (range, &component) in ranges.into_iter().zip(&found.of) {
        for (to, marks) in &edges[range] {
            if found.of[*to] == component {
                inside[component as usize].get_or_insert_default().add(marks);
            }
        }
    }
    Components { of: found.of, inside }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_marks() {
        // 0 -> 1 <-> 2, 1 -> 3 with a loop, 4 unreachable.
        let edges: [&[(usize, u64)]; 5] =
            [&[(1, 1)], &[(2, 2), (3, 4)], &[(1, 8)], &[(3, 16)], &[(0, 32)]];
        let found = components(5, 0, |n, out| out.extend_from_slice(edges[n]));
        assert_eq!(found.of, [2, 1, 1, 0, u32::MAX]);
        assert_eq!(found.inside, [Some(16), Some(10), None]);
        assert!(found.accepts(&10) && !found.accepts(&12));
    }

    #[test]
    fn depth_costs_no_stack() {
        let n = 1_000_000;
        let found = components(n, 0, |i, out| out.push(((i + 1) % n, 0u64)));
        assert_eq!(found.inside, [Some(0)]);
    }
}
