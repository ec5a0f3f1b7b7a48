//! A system whose equations are all in memory: nobody asks for variables.

use crate::board::{Board, Partition};
use crate::member::Source;
use bes::{Bes, Place, System};
use std::sync::Arc;

/// One worker's share of a system that all workers of a process see. Of who depends on its variables
/// it has compressed rows of its own.
pub(crate) struct Closed {
    bes: Arc<Bes>,
    partition: Partition,
    offsets: Vec<u32>,
    dependents: Vec<u32>,
}

/// Pages of at most so many variables: neighbours stay together, for a chain of dependencies costs
/// one message whenever it changes owners.
const LARGEST_PAGE: u32 = 10;

/// The size of pages, as a power of two: at least 64 pages for each worker where there are enough
/// variables, so that shares are equal.
pub(crate) fn page_shift(variables: usize, peers: u32) -> u32 {
    (variables / (64 * peers as usize)).checked_ilog2().unwrap_or(0).min(LARGEST_PAGE)
}

impl Closed {
    pub(crate) fn new(bes: Arc<Bes>, partition: Partition) -> Closed {
        let n = bes.len() as u32;
        let share = partition.share(n) as usize;
        let pages = (n >> partition.shift) + 1;
        let mine: Vec<bool> =
            (0..pages).map(|page| page % partition.peers == partition.me).collect();
        let is_mine = |y: u32| mine[(y >> partition.shift) as usize];
        let mut offsets = vec![0u32; share + 1];
        for x in 0..n {
            for &y in bes.operands(x).iter().filter(|&&y| is_mine(y)) {
                offsets[partition.local(y) as usize + 1] += 1;
            }
        }
        for i in 0..share {
            offsets[i + 1] += offsets[i];
        }
        let mut dependents = vec![0u32; offsets[share] as usize];
        for x in 0..n {
            for &y in bes.operands(x).iter().filter(|&&y| is_mine(y)) {
                let at = &mut offsets[partition.local(y) as usize];
                dependents[*at as usize] = x;
                *at += 1;
            }
        }
        // Each offset has moved to the start of the next row.
        offsets.rotate_right(1);
        offsets[0] = 0;
        Closed { bes, partition, offsets, dependents }
    }
}

impl Source for Closed {
    fn begin(&mut self, board: &mut Board) {
        let share = self.offsets.len() as u32 - 1;
        board.reserve(share);
        let main = self.bes.initial_variable();
        if self.partition.owner(main) == self.partition.me {
            board.main = self.partition.local(main);
        }
        for local in 0..share {
            board.add();
            if let Some(v) = self.partition.id(local) {
                board.define(local, self.bes.op_of(v), self.bes.operands(v).len() as u32);
            }
        }
    }

    fn visit(&mut self, _: u32, _: &[u8], board: &mut Board) {
        board.malformed = true;
    }

    fn explore(&mut self, _: &mut Board) -> bool {
        false
    }

    fn dependents(&mut self, local: u32, out: &mut Vec<u32>) {
        let (from, to) = (self.offsets[local as usize], self.offsets[local as usize + 1]);
        out.extend_from_slice(&self.dependents[from as usize..to as usize]);
    }

    fn place(&self, local: u32) -> Place {
        let id = self.partition.id(local).unwrap_or(0);
        System::place(&*self.bes, &id)
    }

    fn trouble(&self) -> Option<&str> {
        None
    }

    fn bytes(&self) -> u64 {
        4 * (self.offsets.len() + self.dependents.len()) as u64
    }
}
