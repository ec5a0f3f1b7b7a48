//! The order in which the blocks of a function are executed, so that what can meet again does.
//!
//! A weak topological order ([bourdoncle]): components (loops) nest, each has a head, and an edge that leads
//! backwards leads to the head of a component around it. A block together with the rounds of the loops around it
//! has a key; keys of a run ascend, so that the smallest one that waits has seen all that leads there.

use c_data::{Block, BlockId, End};
use std::collections::BTreeSet;

/// A place in the order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spot {
    /// The positions in the nested sequences, outermost first: one more than there are loops around it.
    path: Vec<u32>,
    /// The loops around it, outermost first.
    loops: Vec<u32>,
    /// It is the head of the innermost one.
    head: bool,
}

/// The order of a function's blocks.
#[derive(Debug)]
pub(crate) struct Flow {
    spots: Vec<Spot>,
    /// Blocks whose address is taken.
    pub(crate) labels: Vec<BlockId>,
}

/// Where an edge leads: the rounds of the loops around its target, and the loop that it starts again.
pub(crate) struct Landing {
    pub(crate) rounds: Vec<u32>,
    /// The position in `rounds` of a loop that is entered again.
    pub(crate) again: Option<usize>,
    /// How many loops around the source are around the target, too.
    pub(crate) kept: usize,
}

impl Flow {
    pub(crate) fn new(blocks: &[Block], labels: Vec<BlockId>) -> Flow {
        let targets = |b: &Block| -> Vec<usize> {
            match &b.end {
                End::Jump(to) => vec![to.index()],
                End::Branch(_, yes, no) => vec![yes.index(), no.index()],
                End::Switch(_, cases, default) => {
                    let all = cases.iter().map(|c| c.2.index());
                    all.chain([default.index()]).collect::<BTreeSet<_>>().into_iter().collect()
                }
                End::JumpTo(_) => labels.iter().map(|l| l.index()).collect(),
                End::Return(_) | End::FellOff | End::Unreachable => Vec::new(),
            }
        };
        let next: Vec<Vec<usize>> = blocks.iter().map(targets).collect();
        let order = preorder(&next);
        let mut spots = vec![Spot::default(); blocks.len()];
        let mut loops = 0;
        // Sets of blocks that are to be ordered, and where they stand.
        let all: Vec<usize> = (0..blocks.len()).collect();
        let mut todo = vec![(all, Vec::new(), Vec::new(), 0u32)];
        let mut member = vec![0u32; blocks.len()];
        let mut stamp = 0;
        while let Some((set, path, around, first)) = todo.pop() {
            stamp += 1;
            set.iter().for_each(|&b| member[b] = stamp);
            for (i, part) in components(&next, &set, &member, stamp).into_iter().enumerate() {
                let mut here = path.clone();
                here.push(first + i as u32);
                let repeats = part.len() > 1 || next[part[0]].contains(&part[0]);
                if !repeats {
                    let (loops, path) = (around.clone(), here);
                    spots[part[0]] = Spot { path, loops, head: false };
                    continue;
                }
                // Where a walk from the entry comes first.
                let head = part.iter().copied().min_by_key(|&b| order[b]).unwrap_or(part[0]);
                let mut inside = around.clone();
                inside.push(loops);
                loops += 1;
                let mut at_head = here.clone();
                at_head.push(0);
                spots[head] = Spot { path: at_head, loops: inside.clone(), head: true };
                let rest = part.into_iter().filter(|&b| b != head).collect();
                todo.push((rest, here, inside, 1));
            }
        }
        Flow { spots, labels }
    }

    /// Whether a block is the head of a loop.
    pub(crate) fn is_head(&self, block: usize) -> bool {
        self.spots[block].head
    }

    /// The key of a block in some rounds of the loops around it.
    pub(crate) fn key(&self, block: usize, rounds: &[u32], out: &mut Vec<u32>) {
        let spot = &self.spots[block];
        for (i, &at) in spot.path.iter().enumerate() {
            out.push(at);
            out.extend(rounds.get(i).filter(|_| i + 1 < spot.path.len()));
        }
    }

    /// The rounds of the loops around a block that is entered from outside.
    pub(crate) fn first(&self, block: usize) -> Vec<u32> {
        vec![0; self.spots[block].loops.len()]
    }

    /// The rounds at the target of an edge.
    pub(crate) fn follow(&self, from: usize, rounds: &[u32], to: usize) -> Landing {
        let (a, b) = (&self.spots[from], &self.spots[to]);
        let kept = a.loops.iter().zip(&b.loops).take_while(|(x, y)| x == y).count();
        let mut out = rounds[..kept].to_vec();
        let mut again = None;
        if b.head && kept == b.loops.len() && kept > 0 {
            out[kept - 1] += 1;
            again = Some(kept - 1);
        }
        out.resize(b.loops.len(), 0);
        Landing { rounds: out, again, kept }
    }
}

/// When a walk in depth comes to each block: its number in reverse postorder.
fn preorder(next: &[Vec<usize>]) -> Vec<usize> {
    let n = next.len();
    let mut post = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    for start in 0..n {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut stack = vec![(start, 0)];
        while let Some((node, i)) = stack.pop() {
            match next[node].get(i) {
                Some(&to) => {
                    stack.push((node, i + 1));
                    if !seen[to] {
                        seen[to] = true;
                        stack.push((to, 0));
                    }
                }
                None => post.push(node),
            }
        }
        // What the entry does not reach comes last.
        if start == 0 {
            post.reverse();
        }
    }
    let mut order = vec![0; n];
    for (i, &node) in post.iter().enumerate() {
        order[node] = i;
    }
    order
}

/// The strongly connected components of a set of nodes, in topological order.
fn components(next: &[Vec<usize>], set: &[usize], member: &[u32], stamp: u32) -> Vec<Vec<usize>> {
    let mut place = vec![0; next.len()];
    let mut inside: Vec<Vec<usize>> = Vec::with_capacity(set.len());
    set.iter().enumerate().for_each(|(i, &node)| place[node] = i);
    for &node in set {
        let next = next[node].iter().filter(|&&to| member[to] == stamp);
        inside.push(next.map(|&to| place[to]).collect());
    }
    let found = graph::components(set.len(), 0..set.len(), |v, i| inside[v].get(i).copied());
    let mut out: Vec<Vec<usize>> =
        found.iter().map(|part| part.iter().map(|&i| set[i as usize]).collect()).collect();
    out.reverse();
    out
}
