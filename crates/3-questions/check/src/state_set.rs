//! Sets of states and relations between states, as a shared if-then-else graph over bits.
//!
//! Independent of any engine's own data structure, so that certificates can be checked without
//! it. The graph need not be ordered or reduced; children precede parents.

use ir::{Id, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A set in a [`StateSets`] graph.
    SetId
);

impl SetId {
    /// The empty set.
    pub fn empty() -> SetId {
        SetId::new(0)
    }
    /// The set of all states.
    pub fn full() -> SetId {
        SetId::new(1)
    }
}

/// Which valuation a bit belongs to. Bit numbers are those of [`ir::Layout`], per area.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Area {
    /// Globals when the frame was entered.
    EntryGlobal,
    /// Locals when the frame was entered (in practice, parameters).
    EntryLocal,
    /// Globals now, or at the exit in a summary.
    Global,
    /// Locals now.
    Local,
    /// Results, in a summary.
    Result,
}

/// A bit of a valuation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SetBit {
    /// Which valuation.
    pub area: Area,
    /// Its number there.
    pub index: u32,
}

/// `if bit then hi else lo`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetNode {
    /// The bit decided on.
    pub bit: SetBit,
    /// Where it is 0.
    pub lo: SetId,
    /// Where it is 1.
    pub hi: SetId,
}

/// A graph that holds many sets.
#[derive(Clone, Debug, Default)]
pub struct StateSets {
    nodes: Vec<SetNode>,
    ids: FxHashMap<SetNode, SetId>,
}

impl StateSets {
    /// Only the empty and the full set.
    pub fn new() -> Self {
        Self::default()
    }
    /// `if bit then hi else lo`, shared.
    pub fn ite(&mut self, bit: SetBit, lo: SetId, hi: SetId) -> SetId {
        if lo == hi {
            return lo;
        }
        let node = SetNode { bit, lo, hi };
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = SetId::new(self.nodes.len() + 2);
        self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }
    /// The decision at `set`; `None` for the empty and the full set.
    pub fn node(&self, set: SetId) -> Option<SetNode> {
        set.index().checked_sub(2).map(|i| self.nodes[i])
    }
    /// Whether the valuation is in the set.
    pub fn contains(&self, mut set: SetId, mut bit: impl FnMut(SetBit) -> bool) -> bool {
        while let Some(node) = self.node(set) {
            set = if bit(node.bit) { node.hi } else { node.lo };
        }
        set == SetId::full()
    }
    /// How many decisions the graph holds.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// The set of exactly the given valuations, each a list of values for `bits` in order. The
    /// valuations must be sorted and without duplicates.
    pub fn from_sorted(&mut self, bits: &[SetBit], valuations: &[Vec<bool>]) -> SetId {
        // Ranges of equal prefixes are contiguous. Explicit stack: (range, depth, expanded).
        enum Task {
            Visit(std::ops::Range<usize>, usize),
            Join(usize),
        }
        let mut tasks = vec![Task::Visit(0..valuations.len(), 0)];
        let mut done: Vec<SetId> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(range, depth) => {
                    if range.is_empty() {
                        done.push(SetId::empty());
                    } else if depth == bits.len() {
                        done.push(SetId::full());
                    } else {
                        let split =
                            range.start + valuations[range.clone()].partition_point(|v| !v[depth]);
                        tasks.push(Task::Join(depth));
                        tasks.push(Task::Visit(split..range.end, depth + 1));
                        tasks.push(Task::Visit(range.start..split, depth + 1));
                    }
                }
                Task::Join(depth) => {
                    let (hi, lo) = (done.pop(), done.pop());
                    let (Some(hi), Some(lo)) = (hi, lo) else {
                        unreachable!("every visit leaves one result")
                    };
                    done.push(self.ite(bits[depth], lo, hi));
                }
            }
        }
        done.pop().unwrap_or(SetId::empty())
    }
    /// Every way through the graph from `set` to the full set: disjoint cubes, lazily, in order of
    /// 0 before 1.
    pub fn cubes(&self, set: SetId) -> impl Iterator<Item = Vec<(SetBit, bool)>> + '_ {
        let mut stack = vec![(set, 0usize)];
        let mut path: Vec<(SetBit, bool)> = Vec::new();
        let mut pending: Vec<Option<(SetBit, bool)>> = vec![None];
        std::iter::from_fn(move || {
            while let Some((set, depth)) = stack.pop() {
                path.truncate(depth);
                path.extend(pending.pop().flatten());
                match self.node(set) {
                    None if set == SetId::full() => return Some(path.clone()),
                    None => {}
                    Some(node) => {
                        for (child, value) in [(node.hi, true), (node.lo, false)] {
                            stack.push((child, path.len()));
                            pending.push(Some((node.bit, value)));
                        }
                    }
                }
            }
            None
        })
    }
}
