//! Writes to places of large objects that are not known: they are kept as a list, and read when something is read.
//!
//! A write that may go to thousands of places would change each of them a little. Here it is noted, and each read asks those
//! that may have gone where it looks, which is how McCarthy defined what is read after a write (`mccarthy` in
//! `docs/papers.bib`): pairs that cannot meet cost nothing, and what nobody reads costs nothing at all.
//!
//! - WL1: an object is its pages, and over them the late writes, the last one on top. Where there is a late one, all writes
//!   are.
//! - WL2: a read is what the pages have, changed by each late write on the runs on which it went there, byte by byte.
//! - WL3: where states meet, the writes of each side count on its runs; those that they have in common count once.
//! - WL4: what the pages have at a place that is not known, and was never written, is arbitrary, each time anew.

use crate::memory::{Cells, Objects, PAGE};
use crate::word::{Circuit, Op2, Word};
use logic::Lit;
use std::rc::Rc;

/// The most late writes of an object.
const MOST: usize = 4_096;
/// Two accesses of so many bytes together may overlap at places that are not known.
const OVERLAP: u64 = 64;
/// So many pages that were written are looked through for a place that is not known.
const WRITTEN: usize = 256;

/// A write.
#[derive(Debug)]
pub(crate) struct Late {
    when: Lit,
    offset: Word,
    word: Word,
}

/// The late writes of an object, the first one first.
pub(crate) type Lates = Rc<Vec<Rc<Late>>>;

/// WL3.
pub(crate) fn merge(sel: Lit, a: &Lates, b: &Lates, c: &mut Circuit) -> Lates {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let common = a.iter().zip(b.iter()).take_while(|(x, y)| Rc::ptr_eq(x, y)).count();
    let mut out: Vec<Rc<Late>> = a[..common].to_vec();
    for (side, list) in [(sel, a), (!sel, b)] {
        for late in &list[common..] {
            let when = c.aig.and(late.when, side);
            if when != Lit::FALSE {
                let (offset, word) = (late.offset.clone(), late.word.clone());
                out.push(Rc::new(Late { when, offset, word }));
            }
        }
    }
    Rc::new(out)
}

/// Whether two words differ in a bit that both know.
fn differ(a: &Word, b: &Word) -> bool {
    (0..a.width().min(b.width())).any(|i| {
        let (x, y) = (a.bit(i), b.bit(i));
        x == !y
    })
}

impl Cells {
    /// Whether there are late writes, or nothing else can be written.
    pub(crate) fn is_late(&self) -> bool {
        !self.late.is_empty() || self.chosen.is_some()
    }

    /// Whether writes can be late. It must not be known which bytes were never written.
    pub(crate) fn may_be_late(&self) -> bool {
        self.written.is_none() && self.late.len() < MOST
    }

    /// What was written that has so many bits, and when.
    pub(crate) fn late_words(&self, bits: u32) -> impl Iterator<Item = (Lit, Word)> {
        self.late.iter().flat_map(move |late| {
            let parts = late.word.width() / bits;
            (0..parts).map(move |i| (late.when, late.word.slice(i * bits, bits)))
        })
    }

    /// Notes a write.
    pub(crate) fn write_late(&mut self, offset: &Word, word: &Word, when: Lit) {
        let late = Late { when, offset: offset.clone(), word: word.clone() };
        Rc::make_mut(&mut self.late).push(Rc::new(late));
    }

    /// WL2: a word of some bytes, as late writes have changed it. None if that is too much to look at.
    pub(crate) fn changed(&self, c: &mut Circuit, offset: &Word, word: Word) -> Option<Word> {
        if self.late.is_empty() {
            return Some(word);
        }
        let mut lits = word.lits();
        let bytes = (lits.len() / 8) as i128;
        for late in self.late.iter() {
            let size = i128::from(late.word.width() / 8);
            // Byte `i` of the read is byte `i + ahead` of the write.
            let ahead: Vec<i128> = match (offset.value(), late.offset.value()) {
                (Some(x), Some(y)) => vec![x as i128 - y as i128],
                _ if (bytes + size) as u64 > OVERLAP => return None,
                _ => (1 - bytes..size).collect(),
            };
            for ahead in ahead {
                if ahead <= -bytes || ahead >= size {
                    continue;
                }
                let by = Word::number(offset.width(), ahead as u128);
                let from = late.offset.resized(offset.width(), false);
                let there = c.compute(Op2::Add, &from, &by);
                if differ(&there, offset) {
                    continue;
                }
                let same = c.equal(&there, offset);
                let when = c.aig.and(late.when, same);
                if when == Lit::FALSE {
                    continue;
                }
                for i in 0.max(-ahead)..bytes.min(size - ahead) {
                    for k in 0..8 {
                        let new = late.word.bit((8 * (i + ahead)) as u32 + k);
                        let bit = &mut lits[8 * i as usize + k as usize];
                        *bit = c.aig.ite(when, new, *bit);
                    }
                }
            }
        }
        Some(Word::of(lits))
    }

    /// What the pages have at a place that is not known, of which there are many. None if too many of them were written.
    pub(crate) fn somewhere(
        &mut self,
        o: &mut Objects,
        c: &mut Circuit,
        plain: Lit,
        offset: &Word,
        (size, bytes): (u64, u64),
    ) -> Option<Word> {
        let pages = self.pages();
        let written: Vec<usize> = self.with_bits().collect();
        if written.len() > WRITTEN || bytes > OVERLAP {
            return None;
        }
        let mut out = match (0..pages).any(|page| self.is_raw(page)) {
            false => Word::number(8 * bytes as u32, 0),
            // WL4.
            true => {
                o.unwritten = true;
                let any = c.input(8 * bytes as u32).lits();
                Word::of(any.into_iter().map(|l| c.aig.and(l, !plain)).collect())
            }
        };
        let mut next = 0;
        for page in written {
            let start = (page * PAGE) as u64;
            let first = start.saturating_sub(bytes - 1).max(next);
            for at in first..(start + PAGE as u64).min((size + 1).saturating_sub(bytes)) {
                next = at + 1;
                let here = Word::number(offset.width(), at.into());
                if differ(&here, offset) {
                    continue;
                }
                let same = c.equal(&here, offset);
                let word = self.read_pages(o, c, plain, at, bytes);
                out = c.ite(same, &word, &out);
            }
        }
        Some(out)
    }
}
