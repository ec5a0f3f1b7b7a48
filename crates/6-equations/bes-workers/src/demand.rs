//! A system that is explored on demand: who owns a variable fetches its equation, and asks the
//! owners of the operands for their values.
//!
//! Variables are known by their names, in few bytes, and each name is stored by its owner alone: a replica of the
//! system forgets what it made of them after each equation. So memory divides by the number of workers, and what
//! travels is what is stored.

use crate::board::{Board, NONE};
use crate::member::Source;
use crate::portable::{Portable, hash_of, owner_of};
use bes::{Op, Place, Sign};
use std::collections::VecDeque;

/// Names with their numbers.
#[derive(Default)]
struct Names {
    bytes: Vec<u8>,
    /// Where each name ends.
    ends: Vec<u64>,
    /// Numbers by the hash of their names, or `NONE`; a power of two of them, at most three quarters full.
    slots: Vec<u32>,
}

impl Names {
    fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[number] as usize]
    }

    /// The number of a name, or the slot for it.
    fn find(&self, name: &[u8], hash: u64) -> Result<u32, usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        loop {
            match self.slots.get(at) {
                Some(&NONE) | None => return Err(at),
                Some(&number) if self.get(number) == name => return Ok(number),
                Some(_) => at = (at + 1) & mask,
            }
        }
    }

    /// Gives a name the next number. It has none yet.
    fn add(&mut self, name: &[u8], hash: u64) {
        if (self.ends.len() + 1) * 4 > self.slots.len() * 3 {
            let size = (2 * self.slots.len()).max(1 << 10);
            self.slots = vec![NONE; size];
            for number in 0..self.ends.len() as u32 {
                let mut at = hash_of(self.get(number)) as usize & (size - 1);
                while self.slots[at] != NONE {
                    at = (at + 1) & (size - 1);
                }
                self.slots[at] = number;
            }
        }
        if let Err(slot) = self.find(name, hash) {
            self.slots[slot] = self.ends.len() as u32;
            self.bytes.extend_from_slice(name);
            self.ends.push(self.bytes.len() as u64);
        }
    }

    fn held(&self) -> u64 {
        (self.bytes.capacity() + 8 * self.ends.capacity() + 4 * self.slots.capacity()) as u64
    }
}

/// An operand of the variable at hand: its owner, its hash, where its name ends.
type Far = (u32, u64, usize);

/// One worker's share of the variables met so far.
///
/// Invariant: a variable in `unexplored` has no equation yet; every other one has one, or is the
/// reason for `trouble`.
pub(crate) struct Demand<S: Portable> {
    system: S,
    peers: u32,
    me: u32,
    names: Names,
    unexplored: VecDeque<u32>,
    /// The list of those who wait for each variable: positions in `edges`.
    waiting: Vec<u32>,
    /// Who waits, and the next in the list.
    edges: Vec<(u32, u32)>,
    trouble: Option<String>,
    operands: Vec<S::Key>,
    name: Vec<u8>,
    far: Vec<Far>,
}

impl<S: Portable> Demand<S>
where
    S::Error: std::fmt::Display,
{
    pub(crate) fn new(system: S, me: u32, peers: u32) -> Demand<S> {
        Demand {
            system,
            peers,
            me,
            names: Names::default(),
            unexplored: VecDeque::new(),
            waiting: Vec::new(),
            edges: Vec::new(),
            trouble: None,
            operands: Vec::new(),
            name: Vec::new(),
            far: Vec::new(),
        }
    }

    /// The place of a variable of mine.
    fn intern(&mut self, name: &[u8], hash: u64, board: &mut Board) -> u32 {
        if let Ok(local) = self.names.find(name, hash) {
            return local;
        }
        let local = board.add();
        if board.partition.id(local).is_none() {
            self.trouble.get_or_insert_with(|| "more than 4,294,967,000 variables".to_owned());
        }
        self.names.add(name, hash);
        self.waiting.push(NONE);
        self.unexplored.push_back(local);
        local
    }

    /// `x` is to be told the value of my variable.
    fn wait(&mut self, x: u32, local: u32) {
        if self.edges.len() >= NONE as usize {
            self.trouble.get_or_insert_with(|| "more than 4,294,967,000 dependencies".to_owned());
            return;
        }
        let list = &mut self.waiting[local as usize];
        self.edges.push((x, *list));
        *list = self.edges.len() as u32 - 1;
    }

    /// Fetches the equation of my variable `x`.
    fn expand(&mut self, x: u32, board: &mut Board) {
        let mut operands = std::mem::take(&mut self.operands);
        let mut name = std::mem::take(&mut self.name);
        operands.clear();
        let Some(key) = self.system.decode(self.names.get(x)) else {
            board.malformed = true;
            return;
        };
        match self.system.equation(&key, &mut operands) {
            Ok(op) => {
                name.clear();
                self.far.clear();
                for operand in &operands {
                    let start = name.len();
                    self.system.encode(operand, &mut name);
                    let hash = hash_of(&name[start..]);
                    self.far.push((owner_of(hash, self.peers), hash, name.len()));
                }
                self.connect(x, op, &name, board);
            }
            // It gets no value. If the answer does not need it, no harm is done.
            Err(error) => {
                self.trouble.get_or_insert_with(|| error.to_string());
            }
        }
        self.system.forget();
        (self.operands, self.name) = (operands, name);
    }

    fn connect(&mut self, x: u32, op: Op, names: &[u8], board: &mut Board) {
        let Some(id) = board.partition.id(x) else { return };
        board.define(x, op, self.far.len() as u32);
        let far = std::mem::take(&mut self.far);
        // If an operand decides that is known, the others need not be explored.
        let mut start = 0;
        for &(owner, hash, end) in &far {
            let name = &names[start..end];
            start = end;
            let known = match owner == self.me {
                true => self.names.find(name, hash).ok().and_then(|y| board.value(y)),
                false => None,
            };
            if let Some(value) = known.filter(|&value| value != op.neutral()) {
                self.far = far;
                return board.tell(x, value);
            }
        }
        let mut start = 0;
        for &(owner, hash, end) in &far {
            let name = &names[start..end];
            start = end;
            if owner == self.me {
                let y = self.intern(name, hash, board);
                match board.value(y) {
                    Some(value) => board.tell(x, value),
                    None => self.wait(id, y),
                }
            } else {
                board.ask(owner, id, name);
            }
        }
        self.far = far;
    }
}

impl<S: Portable> Source for Demand<S>
where
    S::Error: std::fmt::Display,
{
    fn begin(&mut self, board: &mut Board) {
        match self.system.initial() {
            Ok(key) => {
                let mut name = Vec::new();
                self.system.encode(&key, &mut name);
                let hash = hash_of(&name);
                if owner_of(hash, self.peers) == self.me {
                    board.main = self.intern(&name, hash, board);
                }
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
    }

    fn visit(&mut self, from: u32, name: &[u8], board: &mut Board) {
        let local = self.intern(name, hash_of(name), board);
        match board.value(local) {
            Some(value) => board.pass_on(from, value),
            None => self.wait(from, local),
        }
    }

    fn explore(&mut self, board: &mut Board) -> bool {
        let Some(x) = self.unexplored.pop_front() else { return false };
        self.expand(x, board);
        true
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
        let place = self.system.place_of(self.names.get(local));
        // A name that nobody gives has no equation, and the run ends.
        place.unwrap_or(Place { rank: 0, sign: Sign::Mu, group: 0 })
    }

    fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    fn bytes(&self) -> u64 {
        self.names.held()
            + (4 * self.waiting.capacity() + 8 * self.edges.capacity()) as u64
            + 4 * self.unexplored.capacity() as u64
            + self.system.bytes()
    }
}
