//! A system in CADP's format, of which every worker reads a part and keeps no more than that.
//!
//! A worker owns the variables that it reads the equations of. Who depends on a variable is told to its owner,
//! variable by variable; when all is read, all know which blocks depend on each other, and values travel.

use crate::board::{Board, NONE};
use crate::member::Source;
use bes::cadp::{NotInParts, Parts, Text};
use bes::{Op, Place, Sign};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// One worker's share of a system.
pub(crate) struct Parted {
    text: Arc<dyn Text + Send>,
    parts: Arc<Parts>,
    /// The first variable of each worker, and one more than the last.
    starts: Vec<u32>,
    me: usize,
    /// The parts that are still to be read.
    left: std::ops::Range<usize>,
    /// Variables that depend on nothing.
    constants: Vec<u32>,
    /// The list of those who depend on each variable: positions in `edges`.
    waiting: Vec<u32>,
    /// Who depends, and the next in the list.
    edges: Vec<(u32, u32)>,
    /// A block of mine, and one that it depends on.
    between: FxHashSet<(u32, u32)>,
    /// The sign of each block, and the group.
    blocks: Vec<(Sign, u32)>,
    trouble: Option<&'static str>,
}

/// The system cannot be divided.
pub(crate) const WHOLE: &str = "it is read as a whole only";

impl Parted {
    pub(crate) fn new(
        text: Arc<dyn Text + Send>,
        parts: Arc<Parts>,
        me: u32,
        peers: u32,
    ) -> Parted {
        let (me, peers) = (me as usize, peers as usize);
        let first = |worker: usize| parts.count() * worker / peers;
        let starts = (0..=peers).map(|worker| parts.first_of(first(worker))).collect();
        let blocks = parts.signs().map(|sign| (sign, 0)).collect();
        Parted {
            left: first(me)..first(me + 1),
            text,
            parts,
            starts,
            me,
            constants: Vec::new(),
            waiting: Vec::new(),
            edges: Vec::new(),
            between: FxHashSet::default(),
            blocks,
            trouble: None,
        }
    }
}

/// The owner of a variable, and its place there.
fn place_of(starts: &[u32], v: u32) -> (usize, u32) {
    let owner = starts.partition_point(|&start| start <= v) - 1;
    (owner, v - starts[owner])
}

impl Source for Parted {
    fn begin(&mut self, board: &mut Board) {
        let mine = self.starts[self.me + 1] - self.starts[self.me];
        board.reserve(mine);
        self.waiting = vec![NONE; mine as usize];
        for _ in 0..mine {
            board.add();
        }
        if place_of(&self.starts, 0).0 == self.me {
            board.main = 0;
        }
    }

    fn reads(&self) -> bool {
        true
    }

    fn visit(&mut self, _: u32, _: &[u8], board: &mut Board) {
        board.malformed = true;
    }

    fn edge(&mut self, x: u32, y: u32) {
        if self.edges.len() >= NONE as usize {
            self.trouble = Some(WHOLE);
            return;
        }
        let list = &mut self.waiting[y as usize];
        self.edges.push((x, *list));
        *list = self.edges.len() as u32 - 1;
    }

    fn explore(&mut self, board: &mut Board) -> bool {
        let Some(part) = self.left.next() else { return false };
        let (text, parts) = (self.text.clone(), self.parts.clone());
        let read = parts.read(&*text, part, &mut |v, block, op: Op, operands| {
            let x = v - self.starts[self.me];
            let Some(id) = board.partition.id(x) else { return };
            if operands.is_empty() {
                self.constants.push(x);
            }
            board.put(x, op, operands.len() as u32);
            for &y in operands {
                let (owner, y_place) = place_of(&self.starts, y);
                let y_block = self.parts.block_of(y);
                if y_block != block {
                    self.between.insert((block, y_block));
                }
                match owner == self.me {
                    true => self.edge(id, y_place),
                    false => board.link(owner as u32, id, y_place),
                }
            }
        });
        if let Err(why) = read {
            self.left = 0..0;
            self.trouble = Some(match why {
                NotInParts::OtherForm => WHOLE,
                NotInParts::Stopped => "stopped",
            });
        }
        true
    }

    fn between(&mut self) -> Vec<u32> {
        let mut words: Vec<u32> = self.between.drain().flat_map(|(from, to)| [from, to]).collect();
        words.shrink_to_fit();
        words
    }

    fn read(&mut self, between: &[u32], board: &mut Board) {
        let pairs: Vec<(u32, u32)> =
            between.as_chunks::<2>().0.iter().map(|&[from, to]| (from, to)).collect();
        for (block, group) in self.blocks.iter_mut().zip(self.parts.groups(&pairs)) {
            block.1 = group;
        }
        for x in std::mem::take(&mut self.constants) {
            board.set(x, board.op(x).neutral());
        }
    }

    fn dependents(&mut self, local: u32, out: &mut Vec<u32>) {
        let mut at = self.waiting[local as usize];
        while at != NONE {
            let (x, next) = self.edges[at as usize];
            out.push(x);
            at = next;
        }
    }

    fn place(&self, local: u32) -> Place {
        let rank = self.parts.block_of(self.starts[self.me] + local);
        let (sign, group) = self.blocks[rank as usize];
        Place { rank, sign, group }
    }

    fn trouble(&self) -> Option<&str> {
        self.trouble
    }

    fn bytes(&self) -> u64 {
        (4 * self.waiting.capacity() + 8 * self.edges.capacity()) as u64
    }
}
