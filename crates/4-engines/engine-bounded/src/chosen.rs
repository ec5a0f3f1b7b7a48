//! Large objects where runs are cut: of all elements one is known, and it may be any.
//!
//! A place has one more word, an index that is chosen once and never changes, and words for what the elements at that
//! index hold. What a proof says of these words it says of every index, so that `a[i]` is known to hold what is known of
//! the chosen element where that is `i`. A block that reads `a[i]` asks for just this, as it asks what a call gives: some
//! run comes to where the block starts with the same values and the index `i` ([cell morphing]).
//!
//! - CH1: an object is told by one element where it differs in many elements, and was written at a place that is not known,
//!   or has late writes. Once told so at a place, it stays so.
//! - CH2: the index is arbitrary where a run first comes to such a place, and stays what it is from place to place. There
//!   are as many as the largest of these objects has elements, at all places.
//! - CH3: beneath the late writes, a read at the index gives the chosen element. Any other gives a word of which only this
//!   is known: together with the values at the start of the block, and the place as the index, a run comes there. All elements
//!   of a block at one index are those of one such run.
//! - CH4: what could be an address is not kept: it may be anything. So is what does not lie within one element.
//! - CH5: elements beyond the end of an object are 0, which nobody reads.
//!
//! [cell morphing]: https://doi.org/10.1007/978-3-662-53413-7_18

use crate::engine::Engine;
use crate::memory::{Cells, Objects};
use crate::units::{Sort, Unit};
use crate::word::{Circuit, Word};
use c_types::Kind as TypeKind;
use logic::Lit;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Objects of so few scalars are told one by one.
pub(crate) const SCALARS: usize = 24;
/// The most scalars of an element.
const ELEMENT: usize = 16;
/// Bits of an index: those of positive numbers.
pub(crate) const INDEX: u32 = 31;

/// Of an object's elements, what is told.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The bytes of an element are 2 to this.
    pub(crate) step: u32,
    pub(crate) count: u64,
    pub(crate) units: Vec<Unit>,
}

/// What an object held where a block starts.
#[derive(Debug)]
pub(crate) struct Chosen {
    index: Word,
    step: u32,
    /// Scalars of the element at the index.
    units: Vec<(Unit, Word)>,
}

/// What a block asks of elements at an index.
#[derive(Clone, Debug)]
pub(crate) struct Glimpse {
    pub(crate) index: Word,
    pub(crate) when: Lit,
    /// By object, and place in its element.
    pub(crate) words: BTreeMap<(u32, u64), Word>,
}

impl Chosen {
    pub(crate) fn new(index: Word, step: u32, units: Vec<(Unit, Word)>) -> Chosen {
        Chosen { index, step, units }
    }

    /// Of which nothing is known.
    fn anything() -> Chosen {
        Chosen { index: Word::number(INDEX, 0), step: 0, units: Vec::new() }
    }
}

impl Cells {
    /// What an object is at a place of which one element is told.
    pub(crate) fn tell(&mut self, chosen: Chosen) {
        self.chosen = Some(Rc::new(chosen));
        self.late = Rc::default();
        self.written = None;
        self.forget_pages();
    }

    /// Whether what is told at a place of an element is a number with a sign.
    pub(crate) fn has_sign(&self, at: u64) -> bool {
        let units = self.chosen.iter().flat_map(|chosen| &chosen.units);
        units.into_iter().any(|(u, _)| u.at == at && u.sort == Sort::Signed)
    }

    /// The state of the runs of both, where one of them is told by an element.
    pub(crate) fn merge_chosen(a: &Cells, b: &Cells) -> Option<Rc<Chosen>> {
        match (&a.chosen, &b.chosen) {
            (None, None) => None,
            (Some(x), Some(y)) if Rc::ptr_eq(x, y) => Some(x.clone()),
            _ => Some(Rc::new(Chosen::anything())),
        }
    }

    /// CH3: what lies beneath the late writes at some place.
    pub(crate) fn beneath(
        &self,
        (o, c): (&mut Objects, &mut Circuit),
        offset: &Word,
        bytes: u64,
    ) -> Option<Word> {
        let chosen = self.chosen.clone()?;
        let step = chosen.step;
        let inside = offset.slice(0, step).value().map(|at| at as u64);
        let at = inside.filter(|at| at + bytes <= 1 << step);
        // CH4.
        let Some(at) = at.filter(|_| offset.width() > step) else {
            return Some(c.input(8 * bytes as u32));
        };
        let bits = chosen.index.width();
        let index = offset.slice(step, offset.width() - step).resized(bits, false);
        let own = c.equal(&index, &chosen.index);
        let mut lits = Vec::with_capacity(8 * bytes as usize);
        let mut now = at;
        while now < at + bytes {
            let unit = chosen.units.iter().find(|(u, _)| u.at <= now && now < u.at + u.bytes);
            let Some((unit, word)) = unit else {
                lits.extend(c.input(8).lits());
                now += 1;
                continue;
            };
            let end = (unit.at + unit.bytes).min(at + bytes);
            let value = match own {
                Lit::TRUE => word.clone(),
                _ => {
                    let other = o.glimpse(c, &index, (self.object(), *unit));
                    c.ite(own, word, &other)
                }
            };
            let first = 8 * (now - unit.at) as u32;
            lits.extend(value.slice(first, 8 * (end - now) as u32).lits());
            now = end;
        }
        Some(Word::of(lits))
    }
}

impl Objects {
    /// What an element at an index may hold where the block started.
    fn glimpse(&mut self, c: &mut Circuit, index: &Word, (object, unit): (u32, Unit)) -> Word {
        let found = self.glimpses.iter().position(|g| g.index == *index);
        let at = found.unwrap_or_else(|| {
            let (index, when) = (index.clone(), Lit::FALSE);
            self.glimpses.push(Glimpse { index, when, words: BTreeMap::new() });
            self.glimpses.len() - 1
        });
        let when = &mut self.glimpses[at].when;
        *when = c.aig.or(*when, self.reading);
        let words = &mut self.glimpses[at].words;
        let fresh = || c.input(8 * unit.bytes as u32);
        words.entry((object, unit.at)).or_insert_with(fresh).clone()
    }
}

impl Engine<'_> {
    /// How the elements of an object lie.
    pub(crate) fn layout(&mut self, object: u32) -> Layout {
        let size = self.objects.all[object as usize].size;
        let types = &self.program.types;
        let mut element = self.type_of(object);
        while let Some(TypeKind::Array(of, _)) = element.map(|ty| types.kind(ty)) {
            element = Some(*of);
        }
        let bytes = element.and_then(|ty| types.size(ty)).unwrap_or(4);
        if !bytes.is_power_of_two() || size < bytes {
            return Layout { step: 0, count: size, units: Vec::new() };
        }
        let mut units = match element {
            Some(ty) => self.scalars(ty, bytes),
            None => vec![Unit { at: 0, bytes, sort: Sort::Mixed }],
        };
        // CH4.
        let pointer = u64::from(self.objects.pointer / 8);
        let kept = |u: &Unit| match u.sort {
            Sort::Pointer => false,
            Sort::Mixed => u.bytes < pointer,
            Sort::Signed | Sort::Unsigned => true,
        };
        units.retain(kept);
        units.truncate(ELEMENT);
        Layout { step: bytes.trailing_zeros(), count: size / bytes, units }
    }
}
