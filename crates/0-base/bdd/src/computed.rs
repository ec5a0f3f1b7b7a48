//! The computed table: what earlier operations found, across calls.
//!
//! Fixpoints repeat nearly the same images, so results must outlive the call that found them.
//! The table is direct-mapped and forgets by overwriting.

use crate::edge::Bdd;
use crate::nodes::Marks;

/// The operation of an entry, in the upper four bits of the first key word.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Op {
    And = 0,
    Xor = 1 << 28,
    Ite = 2 << 28,
    Exists = 3 << 28,
    AndExists = 4 << 28,
    Rename = 5 << 28,
    ExistsRename = 6 << 28,
    Image = 7 << 28,
    Disjoint = 8 << 28,
    Constrain = 9 << 28,
    Restrict = 10 << 28,
}

const EDGE_BITS: u32 = (1 << 28) - 1;
/// The first key word of an empty entry: no operation has code 15.
const EMPTY: u32 = u32::MAX;

/// `result = op(a, b, c)`; unused operands are 0, which as an edge is the terminal.
#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    op_a: u32,
    b: u32,
    c: u32,
    result: Bdd,
}

const _: () = assert!(size_of::<Entry>() == 16);

const NO_ENTRY: Entry = Entry { op_a: EMPTY, b: 0, c: 0, result: Bdd::TRUE };

/// Results by operation and operands.
///
/// Invariant: every node named by an entry is in the node table, and the entry is true.
/// `retain` restores it when nodes are freed.
pub(crate) struct ComputedTable {
    entries: Vec<Entry>,
    /// 64 less the binary logarithm of the length: the upper bits of the hash are the slot.
    shift: u32,
    pub(crate) hits: u64,
}

impl ComputedTable {
    pub(crate) fn new(log2: u32) -> ComputedTable {
        ComputedTable { entries: vec![NO_ENTRY; 1 << log2], shift: 64 - log2, hits: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    pub(crate) fn bytes_for(entries: usize) -> usize {
        entries * size_of::<Entry>()
    }

    #[inline(always)]
    fn slot(&self, op_a: u32, b: u32, c: u32) -> usize {
        let ab = u64::from(op_a) | u64::from(b) << 32;
        let mixed = (ab ^ u64::from(c).wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed >> self.shift) as usize
    }

    #[inline(always)]
    pub(crate) fn get(&mut self, op: Op, a: Bdd, b: u32, c: u32) -> Option<Bdd> {
        let op_a = op as u32 | a.0;
        let e = &self.entries[self.slot(op_a, b, c)];
        if e.op_a == op_a && e.b == b && e.c == c {
            self.hits += 1;
            Some(e.result)
        } else {
            None
        }
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, op: Op, a: Bdd, b: u32, c: u32, result: Bdd) {
        let op_a = op as u32 | a.0;
        let slot = self.slot(op_a, b, c);
        self.entries[slot] = Entry { op_a, b, c, result };
    }

    /// Grows to `2^log2` entries and keeps the present ones. No change if memory is short.
    ///
    /// In place: the slot of an entry is the upper part of its hash, so that it moves up to a slot whose number begins
    /// with that of the old one. From the last entry to the first, none is overwritten before it has moved.
    pub(crate) fn enlarge(&mut self, log2: u32) {
        let before = self.entries.len();
        if self.entries.try_reserve_exact((1 << log2) - before).is_err() {
            return;
        }
        self.entries.resize(1 << log2, NO_ENTRY);
        self.shift = 64 - log2;
        for i in (0..before).rev() {
            let e = self.entries[i];
            if e.op_a != EMPTY {
                self.entries[i] = NO_ENTRY;
                let slot = self.slot(e.op_a, e.b, e.c);
                self.entries[slot] = e;
            }
        }
    }

    /// Forgets the entries that name a node which is not `alive`.
    pub(crate) fn retain(&mut self, alive: &Marks) {
        for e in &mut self.entries {
            if e.op_a == EMPTY {
                continue;
            }
            // Which operands are edges and which a spec's number.
            let (b, c) = match e.op_a & !EDGE_BITS {
                op if op == Op::Rename as u32 || op == Op::ExistsRename as u32 => (0, 0),
                op if op == Op::Image as u32 => (e.b, 0),
                _ => (e.b, e.c),
            };
            let keep = alive.has((e.op_a & EDGE_BITS) >> 1)
                && alive.has(e.result.index())
                && alive.has(b >> 1)
                && alive.has(c >> 1);
            if !keep {
                *e = NO_ENTRY;
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(NO_ENTRY);
    }
}
