//! Orders in which to visit procedures and nodes.

use ir::{EdgeKind, Id, IndexVec, NodeId, ProcId, Program};

/// The components of the call graph, callees before callers. Procedures that the entry cannot
/// reach come last.
pub fn call_order(program: &Program) -> Vec<Vec<ProcId>> {
    let mut callees: IndexVec<ProcId, Vec<usize>> =
        IndexVec::filled(Vec::new(), program.procs.len());
    for edge in program.edges.iter() {
        if let EdgeKind::Call(call) = &edge.kind {
            callees[program.nodes[edge.source].proc].push(call.callee.index());
        }
    }
    for list in callees.iter_mut() {
        list.sort_unstable();
        list.dedup();
    }
    let mut roots = vec![program.entry.index()];
    roots.extend(0..program.procs.len());
    let next = |p: usize, i: usize| callees[ProcId::new(p)].get(i).copied();
    let found = graph::components(program.procs.len(), roots, next);
    // Within a component, what was found last comes first.
    found.iter().map(|c| c.iter().rev().map(|&p| ProcId::new(p as usize)).collect()).collect()
}

/// For each node its place in a weak topological order of its procedure: inner loops are left
/// last, so that a worklist that always takes the first node stabilises a loop before it goes on
/// (Bourdoncle 1993).
pub fn weak_topological_order(program: &Program) -> IndexVec<NodeId, u32> {
    let mut place = IndexVec::filled(0u32, program.nodes.len());
    for proc in program.procs.iter() {
        let base = proc.nodes.start as usize;
        let n = proc.nodes.len();
        let succ: Vec<Vec<usize>> = proc
            .node_ids()
            .map(|node| {
                let mut targets: Vec<usize> = program
                    .out_edges(node)
                    .filter_map(|e| program.edges[e].target())
                    .map(|t| t.index() - base)
                    .collect();
                targets.dedup();
                targets
            })
            .collect();
        for (position, node) in order_of(n, proc.entry.index() - base, &succ).iter().enumerate() {
            place[NodeId::new(base + node)] = position as u32;
        }
    }
    place
}

/// Loops nested deeper than this are taken as they come.
const DEEPEST: usize = 64;

fn order_of(n: usize, entry: usize, succ: &[Vec<usize>]) -> Vec<usize> {
    let mut out = Vec::with_capacity(n);
    // `level[v]` tells in which set v is; a task orders the nodes of one set.
    let mut level = vec![0usize; n];
    let mut sets = 0usize;
    struct Task {
        set: usize,
        nodes: Vec<usize>,
        depth: usize,
    }
    enum Item {
        Order(Task),
        Emit(usize),
    }
    let mut all: Vec<usize> = vec![entry];
    all.extend((0..n).filter(|&v| v != entry));
    let mut work = vec![Item::Order(Task { set: 0, nodes: all, depth: 0 })];
    while let Some(item) = work.pop() {
        let task = match item {
            Item::Emit(v) => {
                out.push(v);
                continue;
            }
            Item::Order(task) => task,
        };
        if task.depth > DEEPEST {
            out.extend(task.nodes);
            continue;
        }
        // Local numbering keeps the cost proportional to the set.
        let mut local: rustc_hash::FxHashMap<usize, usize> = Default::default();
        for (i, &v) in task.nodes.iter().enumerate() {
            local.insert(v, i);
        }
        let inside = |v: &usize| -> Vec<usize> {
            let here = succ[*v].iter().filter(|&&w| level[w] == task.set);
            here.filter_map(|w| local.get(w).copied()).collect()
        };
        let edges: Vec<Vec<usize>> = task.nodes.iter().map(inside).collect();
        let count = task.nodes.len();
        let parts = graph::components(count, 0..count, |v, i| edges[v].get(i).copied());
        // Sinks come first, and pushing reverses: the sources are popped first.
        for part in parts.iter() {
            // Where the search entered the component is the loop's head.
            let head = task.nodes[part[0] as usize];
            if part.len() == 1 {
                work.push(Item::Emit(head));
                continue;
            }
            sets += 1;
            let mut rest: Vec<usize> = part[1..].iter().map(|&i| task.nodes[i as usize]).collect();
            // Visit the head's successors first, in their order.
            rest.sort_by_key(|v| succ[head].iter().position(|w| w == v).unwrap_or(usize::MAX));
            for &v in &rest {
                level[v] = sets;
            }
            level[head] = usize::MAX;
            work.push(Item::Order(Task { set: sets, nodes: rest, depth: task.depth + 1 }));
            work.push(Item::Emit(head));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(n: usize, edges: &[(usize, usize)], expected: &[usize]) {
        let mut succ = vec![Vec::new(); n];
        for &(a, b) in edges {
            succ[a].push(b);
        }
        assert_eq!(order_of(n, 0, &succ), expected);
    }

    #[test]
    fn loops_are_left_last() {
        // A line.
        check(3, &[(0, 1), (1, 2)], &[0, 1, 2]);
        // while at 1 with body 2, exit 3.
        check(4, &[(0, 1), (1, 2), (1, 3), (2, 1)], &[0, 1, 2, 3]);
        check(4, &[(0, 1), (1, 3), (1, 2), (2, 1)], &[0, 1, 2, 3]);
        // Bourdoncle's example: 1 2 (3 4 (5 6) 7) 8, numbered from 0.
        let edges = [
            (0, 1),
            (1, 2),
            (2, 3),
            (3, 4),
            (4, 5),
            (5, 4),
            (5, 6),
            (4, 6),
            (6, 2),
            (6, 7),
            (1, 7),
        ];
        check(8, &edges, &[0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn long_and_deep_graphs_do_not_overflow() {
        let n = 200_000;
        let succ: Vec<Vec<usize>> =
            (0..n).map(|v| if v + 1 < n { vec![v + 1] } else { vec![0] }).collect();
        assert_eq!(order_of(n, 0, &succ).len(), n);
    }
}
