//! The node table: all nodes in one vector, found again through one chained hash table.
//!
//! Nothing here is per variable or per level, so no cost depends on how many variables there
//! are or how far apart their levels lie.

use crate::edge::Bdd;

/// The level of the terminal, below every variable.
pub(crate) const TERMINAL: u32 = u32::MAX;
/// The level of a slot that holds no node.
pub(crate) const FREE: u32 = u32::MAX - 1;
/// The largest level, and so the largest name, of a variable.
pub(crate) const MAX_LEVEL: u32 = u32::MAX - 2;

/// Edges must leave the upper four bits of a word to the operation code of the computed table.
pub(crate) const MAX_NODES: usize = 1 << 27;

/// Nodes beyond which less is spent on finding each.
pub(crate) const LARGE: usize = 1 << 19;

/// Nodes beyond which even less is.
pub(crate) const HUGE: usize = 1 << 24;

/// Ends a chain, and the list of free slots: slot 0 is the terminal and in no chain.
const NIL: u32 = 0;

/// A decision: `if level then hi else lo`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Node {
    pub(crate) level: u32,
    pub(crate) lo: Bdd,
    pub(crate) hi: Bdd,
    /// The next node of the chain; the next free slot if `level` is `FREE`.
    next: u32,
}

const _: () = assert!(size_of::<Node>() == 16);

/// No room is left, and the table has to be enlarged first.
#[derive(Debug)]
pub(crate) struct NoRoom;

/// All nodes, each once.
///
/// Invariant 1 (order): `level < nodes[lo].level` and `level < nodes[hi].level`.
/// Invariant 2 (reduced): `lo != hi`.
/// Invariant 3 (complement): `hi` is regular. So a regular edge is true where all variables are.
/// Invariant 4 (unique): no two nodes have the same `(level, lo, hi)`, and each node but the
/// terminal is in the chain of its hash.
/// Invariant 5: `buckets.len()` is a power of two, and `nodes.len() <= capacity`, which is as much, or twice that if the
/// table is large: chains of two cost less than the memory that they save.
/// Invariant 6: `room` more nodes neither exceed `limit` nor `capacity`.
/// The sifter breaks 4 within a swap of two levels; `validate` checks all.
pub(crate) struct NodeTable {
    nodes: Vec<Node>,
    buckets: Vec<u32>,
    capacity: usize,
    /// `buckets.len() - 1`.
    mask: u64,
    free: u32,
    free_len: usize,
    limit: usize,
    room: usize,
}

#[inline(always)]
fn hash(level: u32, lo: Bdd, hi: Bdd) -> u64 {
    // `lo` enters unscattered: nodes made one after the other have neighbouring children, and
    // so neighbouring buckets. A hash that scatters is slower by cache misses.
    u64::from(lo.index())
        .wrapping_add(u64::from(hi.index()).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_add(u64::from(level).wrapping_mul(0xD6E8_FEB8_6659_FD93))
}

impl NodeTable {
    pub(crate) fn new(log2: u32, limit: usize) -> NodeTable {
        let capacity = 1usize << log2;
        let mut nodes = Vec::with_capacity(capacity);
        nodes.push(Node { level: TERMINAL, lo: Bdd::TRUE, hi: Bdd::TRUE, next: NIL });
        let mut table = NodeTable {
            nodes,
            buckets: vec![NIL; capacity],
            capacity,
            mask: capacity as u64 - 1,
            free: NIL,
            free_len: 0,
            limit,
            room: 0,
        };
        table.measure_room();
        table
    }

    fn measure_room(&mut self) {
        self.room = self.limit.min(self.capacity).saturating_sub(self.len());
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn set_limit(&mut self, nodes: usize) {
        self.limit = nodes.min(MAX_NODES);
        self.measure_room();
    }

    #[inline(always)]
    pub(crate) fn node(&self, e: Bdd) -> &Node {
        &self.nodes[e.index() as usize]
    }

    #[inline(always)]
    pub(crate) fn level(&self, e: Bdd) -> u32 {
        self.nodes[e.index() as usize].level
    }

    /// Slots, used or free, the terminal's included.
    pub(crate) fn slots(&self) -> usize {
        self.nodes.len()
    }

    /// Nodes in the table, reachable or not, the terminal included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.free_len
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.buckets.capacity() * size_of::<u32>()
    }

    /// The number of nodes that fit before the table must be enlarged.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The node `(level, lo, hi)`, found or made, for `lo != hi` and `hi` regular; its index.
    #[inline(always)]
    pub(crate) fn find_or_add(&mut self, level: u32, lo: Bdd, hi: Bdd) -> Result<u32, NoRoom> {
        debug_assert!(lo != hi && hi.complement() == 0);
        debug_assert!(level < self.level(lo) && level < self.level(hi));
        let bucket = (hash(level, lo, hi) & self.mask) as usize;
        let first = self.buckets[bucket];
        let mut i = first;
        while i != NIL {
            let n = &self.nodes[i as usize];
            if n.lo == lo && n.hi == hi && n.level == level {
                return Ok(i);
            }
            i = n.next;
        }
        if self.room == 0 {
            return Err(NoRoom);
        }
        self.room -= 1;
        let node = Node { level, lo, hi, next: first };
        let index = if self.free != NIL {
            let index = self.free;
            let slot = &mut self.nodes[index as usize];
            self.free = slot.next;
            self.free_len -= 1;
            *slot = node;
            index
        } else {
            // Within the capacity reserved by `enlarge`: `push` never reallocates.
            let index = self.nodes.len() as u32;
            self.nodes.push(node);
            index
        };
        self.buckets[bucket] = index;
        Ok(index)
    }

    /// The bytes that `enlarge` takes on top of the present ones, until it has copied.
    pub(crate) fn bytes_to_enlarge(&self) -> usize {
        self.capacity * 2 * (size_of::<Node>() + size_of::<u32>())
    }

    /// Doubles the table. `false`, and no change, if memory is short.
    pub(crate) fn enlarge(&mut self) -> bool {
        let capacity = self.capacity * 2;
        let more = capacity - self.nodes.len();
        let buckets = if capacity > LARGE { capacity / 2 } else { capacity };
        if self.buckets.try_reserve_exact(buckets - self.buckets.len()).is_err()
            || self.nodes.try_reserve_exact(more).is_err()
        {
            return false;
        }
        self.capacity = capacity;
        self.buckets.fill(NIL);
        self.buckets.resize(buckets, NIL);
        self.mask = buckets as u64 - 1;
        self.measure_room();
        for i in 1..self.nodes.len() {
            if self.nodes[i].level != FREE {
                self.link(i as u32);
            }
        }
        true
    }

    /// Frees every node but the terminal that `alive` does not hold.
    pub(crate) fn sweep(&mut self, alive: &Marks) {
        self.buckets.fill(NIL);
        self.free = NIL;
        self.free_len = 0;
        // Downwards, so that the lowest slots are used first.
        for i in (1..self.nodes.len()).rev() {
            if alive.has(i as u32) {
                self.link(i as u32);
            } else {
                let n = &mut self.nodes[i];
                n.level = FREE;
                n.next = self.free;
                self.free = i as u32;
                self.free_len += 1;
            }
        }
        self.measure_room();
    }

    // What follows up to `mark` is for the sifter, which keeps the invariants itself.

    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// The indices of all nodes but the terminal.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        (1..self.nodes.len() as u32).filter(|&i| self.nodes[i as usize].level != FREE)
    }

    #[inline(always)]
    pub(crate) fn at(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// Gives every node the level `new(level)`, which must keep their order.
    pub(crate) fn relabel(&mut self, new: impl Fn(u32) -> u32) {
        self.buckets.fill(NIL);
        for i in 1..self.nodes.len() {
            let n = &mut self.nodes[i];
            if n.level != FREE {
                n.level = new(n.level);
                self.link(i as u32);
            }
        }
    }

    /// Takes a node out of its chain.
    pub(crate) fn unlink(&mut self, index: u32) {
        let Node { level, lo, hi, next } = self.nodes[index as usize];
        let bucket = (hash(level, lo, hi) & self.mask) as usize;
        if self.buckets[bucket] == index {
            self.buckets[bucket] = next;
            return;
        }
        let mut i = self.buckets[bucket];
        while self.nodes[i as usize].next != index {
            i = self.nodes[i as usize].next;
        }
        self.nodes[i as usize].next = next;
    }

    /// Puts a node into the chain of its hash.
    pub(crate) fn link(&mut self, index: u32) {
        let n = &mut self.nodes[index as usize];
        let bucket = (hash(n.level, n.lo, n.hi) & self.mask) as usize;
        n.next = self.buckets[bucket];
        self.buckets[bucket] = index;
    }

    /// Changes a node that is in no chain, and links it.
    pub(crate) fn replace(&mut self, index: u32, level: u32, lo: Bdd, hi: Bdd) {
        debug_assert!(lo != hi && hi.complement() == 0);
        debug_assert!(level < self.level(lo) && level < self.level(hi));
        self.nodes[index as usize] = Node { level, lo, hi, next: NIL };
        self.link(index);
    }

    /// Frees a node.
    pub(crate) fn release(&mut self, index: u32) {
        self.unlink(index);
        let n = &mut self.nodes[index as usize];
        n.level = FREE;
        n.next = self.free;
        self.free = index;
        self.free_len += 1;
        self.measure_room();
    }

    /// The nodes reachable from `roots`, the terminal included.
    pub(crate) fn mark(&self, roots: impl IntoIterator<Item = Bdd>) -> Marks {
        let mut marks = Marks::new(self.nodes.len());
        marks.add(0);
        let mut work = Vec::new();
        for root in roots {
            if marks.add(root.index()) {
                work.push(root.index());
            }
            while let Some(i) = work.pop() {
                let n = self.nodes[i as usize];
                debug_assert!(n.level != FREE, "root {root:?} was collected");
                for child in [n.hi.index(), n.lo.index()] {
                    if marks.add(child) {
                        work.push(child);
                    }
                }
            }
        }
        marks
    }

    /// Checks the invariants, for tests.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let mut linked = Marks::new(self.nodes.len());
        for (b, &first) in self.buckets.iter().enumerate() {
            let mut i = first;
            while i != NIL {
                let n = &self.nodes[i as usize];
                if !linked.add(i) {
                    return Err(format!("node {i} is chained twice"));
                }
                if (hash(n.level, n.lo, n.hi) & self.mask) as usize != b {
                    return Err(format!("node {i} is in the wrong chain"));
                }
                i = n.next;
            }
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut free = 0;
        for (i, n) in self.nodes.iter().enumerate().skip(1) {
            if n.level == FREE {
                free += 1;
                if linked.has(i as u32) {
                    return Err(format!("free slot {i} is chained"));
                }
                continue;
            }
            if !linked.has(i as u32) {
                return Err(format!("node {i} is not chained"));
            }
            if n.level > MAX_LEVEL || n.lo == n.hi || n.hi.complement() == 1 {
                return Err(format!("node {i} is not canonical"));
            }
            for child in [n.lo, n.hi] {
                let level = self.level(child);
                if level <= n.level || level == FREE {
                    return Err(format!("node {i} has a child out of order"));
                }
            }
            if !seen.insert((n.level, n.lo, n.hi)) {
                return Err(format!("node {i} is stored twice"));
            }
        }
        if free != self.free_len {
            return Err(format!("{free} free slots, {} counted", self.free_len));
        }
        if !self.buckets.len().is_power_of_two() || self.nodes.len() > self.capacity {
            return Err("the table is out of proportion".to_owned());
        }
        if self.room != self.limit.min(self.capacity).saturating_sub(self.len()) {
            return Err("the room left is measured wrong".to_owned());
        }
        Ok(())
    }
}

/// A set of node indices.
pub(crate) struct Marks {
    words: Vec<u64>,
    len: usize,
}

impl Marks {
    fn new(slots: usize) -> Marks {
        Marks { words: vec![0; slots.div_ceil(64)], len: 0 }
    }

    /// Adds `i`; whether it was absent.
    #[inline(always)]
    fn add(&mut self, i: u32) -> bool {
        let word = &mut self.words[(i / 64) as usize];
        let bit = 1 << (i % 64);
        let absent = *word & bit == 0;
        *word |= bit;
        self.len += usize::from(absent);
        absent
    }

    #[inline(always)]
    pub(crate) fn has(&self, i: u32) -> bool {
        self.words[(i / 64) as usize] >> (i % 64) & 1 == 1
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
