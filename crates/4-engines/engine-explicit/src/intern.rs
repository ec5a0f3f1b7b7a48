//! Tables that number their entries in order of arrival.

use crate::meter::Meter;
use check::StopReason;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// A set whose members are numbered from 0 as they come, so that iteration never depends on
/// hashes. Open addressing over indices; memory is accounted for before it grows.
pub(crate) struct Interner<K> {
    items: Vec<K>,
    /// Index + 1, or 0 for a free place. Invariant: a power of two, at most 3/4 full.
    places: Vec<u32>,
}

impl<K: Copy + Eq + Hash> Interner<K> {
    pub(crate) fn new() -> Self {
        Interner { items: Vec::new(), places: Vec::new() }
    }
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
    pub(crate) fn items(&self) -> &[K] {
        &self.items
    }
    pub(crate) fn get(&self, index: u32) -> K {
        self.items[index as usize]
    }
    /// The number of `key`, if it is a member.
    pub(crate) fn find(&self, key: &K) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        match self.places[self.probe(key)] {
            0 => None,
            n => Some(n - 1),
        }
    }
    /// The number of `key`, and whether it is new.
    pub(crate) fn insert(&mut self, key: K, meter: &mut Meter) -> Result<(u32, bool), StopReason> {
        if (self.items.len() + 1) * 4 > self.places.len() * 3 {
            self.grow(meter)?;
        }
        let place = self.probe(&key);
        if self.places[place] != 0 {
            return Ok((self.places[place] - 1, false));
        }
        let index = self.items.len() as u32;
        meter.push(&mut self.items, key)?;
        self.places[place] = index + 1;
        Ok((index, true))
    }
    /// Where `key` is, or the free place where it belongs.
    fn probe(&self, key: &K) -> usize {
        let mask = self.places.len() - 1;
        let mut place = FxBuildHasher.hash_one(key) as usize & mask;
        loop {
            match self.places[place] {
                0 => return place,
                n if self.items[n as usize - 1] == *key => return place,
                _ => place = (place + 1) & mask,
            }
        }
    }
    fn grow(&mut self, meter: &mut Meter) -> Result<(), StopReason> {
        let (old, new) = (self.places.len(), (self.places.len() * 2).max(8));
        if new > 1 << 31 {
            let what = "more than a thousand million entries in a table of the explicit engine";
            return Err(StopReason::Unsupported { what: what.to_owned() });
        }
        meter.reserve(new * size_of::<u32>())?;
        self.places = vec![0; new];
        meter.release(old * size_of::<u32>());
        for index in 0..self.items.len() {
            if index % (1 << 16) == 0 {
                meter.flush()?;
            }
            let place = self.probe(&self.items[index]);
            self.places[place] = index as u32 + 1;
        }
        Ok(())
    }
    /// Frees the table and its memory.
    pub(crate) fn dispose(self, meter: &mut Meter) {
        meter.release(self.items.capacity() * size_of::<K>());
        meter.release(self.places.len() * size_of::<u32>());
    }
}
