//! A system that is explored on demand: who owns a variable fetches its equation, and asks the
//! owners of the operands for their values.

use crate::board::{Board, NONE};
use crate::member::Source;
use crate::portable::{Portable, owner_of};
use bes::{Op, Place};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// One worker's share of the variables met so far.
///
/// Invariant: a variable in `unexplored` has no equation yet; every other one has one, or is the
/// reason for `trouble`.
pub(crate) struct Demand<S: Portable> {
    system: S,
    peers: u32,
    me: u32,
    ids: FxHashMap<S::Key, u32>,
    keys: Vec<S::Key>,
    unexplored: VecDeque<u32>,
    /// The list of those who wait for each variable: positions in `edges`.
    waiting: Vec<u32>,
    /// Who waits, and the next in the list.
    edges: Vec<(u32, u32)>,
    trouble: Option<String>,
    operands: Vec<S::Key>,
    name: Vec<u32>,
    /// Operands of the variable at hand: owner, length, name.
    far: Vec<u32>,
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
            ids: FxHashMap::default(),
            keys: Vec::new(),
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
    fn intern(&mut self, key: &S::Key, board: &mut Board) -> u32 {
        if let Some(&local) = self.ids.get(key) {
            return local;
        }
        let local = board.add();
        if board.partition.id(local).is_none() {
            self.trouble.get_or_insert_with(|| "more than 4,294,967,000 variables".to_owned());
        }
        self.ids.insert(key.clone(), local);
        self.keys.push(key.clone());
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
        operands.clear();
        let key = self.keys[x as usize].clone();
        match self.system.equation(&key, &mut operands) {
            Ok(op) => self.connect(x, op, &operands, board),
            // It gets no value. If the answer does not need it, no harm is done.
            Err(error) => {
                self.trouble.get_or_insert_with(|| error.to_string());
            }
        }
        self.operands = operands;
    }

    fn connect(&mut self, x: u32, op: Op, operands: &[S::Key], board: &mut Board) {
        let Some(id) = board.partition.id(x) else { return };
        board.define(x, op, operands.len() as u32);
        self.far.clear();
        for operand in operands {
            self.name.clear();
            self.system.encode(operand, &mut self.name);
            let owner = owner_of(&self.name, self.peers);
            if owner == self.me {
                // Not `intern` yet: if another operand decides, this one need not be explored.
                match self.ids.get(operand).and_then(|&y| board.value(y)) {
                    Some(value) if value != op.neutral() => return board.tell(x, value),
                    _ => {}
                }
            }
            self.far.extend([owner, self.name.len() as u32]);
            self.far.extend_from_slice(&self.name);
        }
        let mut at = 0;
        for operand in operands {
            let (owner, length) = (self.far[at], self.far[at + 1] as usize);
            at += 2 + length;
            if owner == self.me {
                let y = self.intern(operand, board);
                match board.value(y) {
                    Some(value) => board.tell(x, value),
                    None => self.wait(id, y),
                }
            } else {
                board.ask(owner, id, &self.far[at - length..at]);
            }
        }
    }
}

impl<S: Portable> Source for Demand<S>
where
    S::Error: std::fmt::Display,
{
    fn begin(&mut self, board: &mut Board) {
        match self.system.initial() {
            Ok(key) => {
                self.system.encode(&key, &mut self.name);
                if owner_of(&self.name, self.peers) == self.me {
                    board.main = self.intern(&key, board);
                }
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
    }

    fn visit(&mut self, from: u32, name: &[u32], board: &mut Board) {
        let Some(key) = self.system.decode(name) else {
            board.malformed = true;
            return;
        };
        let local = self.intern(&key, board);
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
        self.system.place(&self.keys[local as usize])
    }

    fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    fn bytes(&self) -> u64 {
        // The hash table is at most twice as large as what is in it.
        let key = size_of::<S::Key>();
        let keys = self.keys.capacity() * key + self.ids.capacity() * (key + 5);
        (keys + 4 * self.waiting.capacity() + 8 * self.edges.capacity()) as u64
            + 4 * self.unexplored.capacity() as u64
            + self.system.bytes()
    }
}
