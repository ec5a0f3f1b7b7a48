//! Strongly connected components, after Tarjan, with the marks inside each.

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
    const NEW: u32 = u32::MAX;
    let mut of = vec![NEW; nodes];
    let mut inside: Vec<Option<M>> = Vec::new();
    // low[n]: the order of discovery, later the smallest order reached; 0 is undiscovered.
    let mut low = vec![0u32; nodes];
    let mut order = 0;
    let mut open: Vec<usize> = Vec::new();
    // Marks inside the component under construction, at its nodes on `path`.
    struct Frame<M> {
        node: usize,
        order: u32,
        edges: Vec<(usize, M)>,
        next: usize,
    }
    let mut path: Vec<Frame<M>> = Vec::new();
    let mut spare: Vec<Vec<(usize, M)>> = Vec::new();
    let mut enter = |node: usize,
                     low: &mut Vec<u32>,
                     open: &mut Vec<usize>,
                     spare: &mut Vec<Vec<(usize, M)>>| {
        order += 1;
        low[node] = order;
        open.push(node);
        let mut edges = spare.pop().unwrap_or_default();
        edges.clear();
        successors(node, &mut edges);
        Frame { node, order, edges, next: 0 }
    };
    // (node, target, marks) cannot be judged before the component of the target is known, so the
    // edges of finished frames are kept until their component closes.
    let mut kept: Vec<(usize, usize, M)> = Vec::new();
    let mut kept_from: Vec<usize> = Vec::new();
    path.push(enter(start, &mut low, &mut open, &mut spare));
    kept_from.push(0);
    while let Some(frame) = path.last_mut() {
        if let Some(&(to, _)) = frame.edges.get(frame.next) {
            frame.next += 1;
            let node = frame.node;
            if low[to] == 0 {
                let frame = enter(to, &mut low, &mut open, &mut spare);
                kept_from.push(kept.len());
                path.push(frame);
            } else if of[to] == NEW {
                low[node] = low[node].min(low[to]);
            }
            continue;
        }
        let mut frame = path.pop().expect("the loop's condition");
        let from = kept_from.pop().expect("one entry for each frame");
        kept.extend(frame.edges.drain(..).map(|(to, marks)| (frame.node, to, marks)));
        if low[frame.node] == frame.order {
            let number = inside.len() as u32;
            loop {
                let node = open.pop().expect("the root of a component is open");
                of[node] = number;
                if node == frame.node {
                    break;
                }
            }
            let mut marks: Option<M> = None;
            for (_, to, m) in kept.drain(from..) {
                if of[to] == number {
                    marks.get_or_insert_default().add(&m);
                }
            }
            inside.push(marks);
        } else if let Some(parent) = path.last() {
            let parent = parent.node;
            low[parent] = low[parent].min(low[frame.node]);
        }
        spare.push(frame.edges);
    }
    Components { of, inside }
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
