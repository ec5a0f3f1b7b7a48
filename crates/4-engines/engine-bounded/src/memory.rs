//! Memory: objects of bytes whose bits are functions, at addresses far apart.
//!
//! Each object starts at a multiple of a large number, its slot, so that the high bits of an address tell the
//! object and the low bits tell where in it. Bytes are kept in small pages that states share.

use crate::chosen::{Chosen, Glimpse};
use crate::late::{self, Lates};
pub(crate) use crate::pages::PAGE;
use crate::pages::{Bits, Page, Pages};
use crate::word::{Circuit, Op2, Word};
use logic::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Where something unknown may lie in an object: at most at so many places.
const MAX_PLACES: u64 = 1 << 13;

/// What is in an object.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pages: Pages,
    /// When it was not freed.
    pub(crate) alive: Lit,
    object: u32,
    /// Of each byte, when it was written, where that is asked; none: always.
    pub(crate) written: Option<Rc<Vec<Lit>>>,
    /// Writes over all that (`late.rs`).
    pub(crate) late: Lates,
    /// What lies beneath them, instead of the pages (`chosen.rs`).
    pub(crate) chosen: Option<Rc<Chosen>>,
}

/// What kind of object it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Static,
    Local,
    Heap,
}

/// An object, as all runs see it.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) base: u64,
    /// The most bytes that it may have.
    pub(crate) size: u64,
    /// How many it has, where that is not the same for all runs.
    pub(crate) exact: Option<Word>,
    pub(crate) kind: Kind,
    pub(crate) read_only: bool,
    /// It takes one slot.
    single: bool,
}

/// All objects that were made.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) all: Vec<Object>,
    /// Of each slot, its object.
    slots: FxHashMap<u64, u32>,
    next: u64,
    /// Bits of an address inside of a slot.
    pub(crate) shift: u32,
    pub(crate) pointer: u32,
    /// Something that was never written may have been used.
    pub(crate) unwritten: bool,
    /// The same of memory that was asked for.
    pub(crate) unwritten_heap: bool,
    /// What such memory has is an input.
    pub(crate) fills: bool,
    /// The objects of which it is.
    pub(crate) filled: FxHashSet<u32>,
    /// Pages that were never written, by object.
    raw: FxHashMap<(u32, usize), Rc<Bits>>,
    /// What a block asked of elements of objects that are told by one of them.
    pub(crate) glimpses: Vec<Glimpse>,
    /// The runs that read.
    pub(crate) reading: Lit,
}

/// The slots of functions and labels.
pub(crate) const FUNCTIONS: u64 = 1;
pub(crate) const LABELS: u64 = 2;
/// The slot of what is there no more, where runs are cut into blocks.
pub(crate) const DEAD: u64 = 3;

/// Where an access may go.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) when: Lit,
    pub(crate) object: u32,
    pub(crate) offset: Word,
}

impl Objects {
    pub(crate) fn new(pointer: u32) -> Objects {
        let shift = if pointer == 64 { 32 } else { 18 };
        Objects {
            all: Vec::new(),
            slots: FxHashMap::default(),
            next: 4,
            shift,
            pointer,
            unwritten: false,
            unwritten_heap: false,
            fills: false,
            filled: FxHashSet::default(),
            raw: FxHashMap::default(),
            glimpses: Vec::new(),
            reading: Lit::TRUE,
        }
    }

    /// A new object. None if there is no room for it.
    pub(crate) fn make(&mut self, size: u64, exact: Option<Word>, kind: Kind) -> Option<u32> {
        let slot = self.next;
        // The end of an object has an address, too.
        let count = (size >> self.shift) + 1;
        let end = slot.checked_add(count)?;
        if end >= 1 << (self.pointer - self.shift - 1).min(31) {
            return None;
        }
        self.next = end;
        let id = self.all.len() as u32;
        for i in slot..end {
            self.slots.insert(i, id);
        }
        let (base, single) = (slot << self.shift, count == 1);
        self.all.push(Object { base, size, exact, kind, read_only: false, single });
        Some(id)
    }

    /// The object of an address.
    pub(crate) fn at(&self, address: u64) -> Option<u32> {
        self.slots.get(&(address >> self.shift)).copied()
    }

    pub(crate) fn address(&self, id: u32) -> Word {
        Word::number(self.pointer, self.all[id as usize].base.into())
    }

    /// When an address is one of the object's slots, and where it is in the object then.
    pub(crate) fn inside(&self, c: &mut Circuit, address: &Word, id: u32) -> (Lit, Word) {
        let object = &self.all[id as usize];
        if object.single {
            let high = address.slice(self.shift, self.pointer - self.shift);
            let slot = Word::number(high.width(), (object.base >> self.shift).into());
            return (c.equal(&high, &slot), address.slice(0, self.shift));
        }
        let base = Word::number(self.pointer, object.base.into());
        let offset = c.compute(Op2::Sub, address, &base);
        let size = Word::number(self.pointer, object.size.into());
        (c.less(&offset, &size, false, true), offset)
    }

    /// When so many bytes at an offset are inside of the object.
    pub(crate) fn fits(&self, c: &mut Circuit, id: u32, offset: &Word, bytes: u64) -> Lit {
        let object = &self.all[id as usize];
        if bytes > object.size {
            return Lit::FALSE;
        }
        let last = Word::number(offset.width(), (object.size - bytes).into());
        let fits = c.less(offset, &last, false, true);
        let Some(exact) = &object.exact else { return fits };
        let wide = exact.width();
        let (bytes, offset) = (Word::number(wide, bytes.into()), offset.resized(wide, false));
        let end = c.compute(Op2::Add, &offset, &bytes);
        let inside = c.less(&end, exact, false, true);
        c.aig.and(fits, inside)
    }

    /// What an object had at first, as far as somebody looked: the rest is 0.
    pub(crate) fn filled_with(&self, id: u32) -> Vec<Lit> {
        let size = 8 * self.all[id as usize].size as usize;
        let pages = size.div_ceil(8 * PAGE);
        let page = |k: usize| self.raw.get(&(id, k)).map_or([Lit::FALSE; 8 * PAGE], |bits| **bits);
        let mut out: Vec<Lit> = (0..pages).flat_map(page).collect();
        out.truncate(size);
        out
    }

    /// What an object has that was never written is arbitrary anew.
    pub(crate) fn forget_raw(&mut self, id: u32) {
        self.raw.retain(|(object, _), _| *object != id);
    }

    fn raw(&mut self, c: &mut Circuit, plain: Lit, id: u32, page: usize) -> Rc<Bits> {
        self.unwritten = true;
        self.unwritten_heap |= self.all[id as usize].kind == Kind::Heap;
        let filled = self.filled.contains(&id);
        if plain == Lit::TRUE && !filled {
            return zeros();
        }
        let fresh = || {
            let mut bits = [Lit::FALSE; 8 * PAGE];
            for bit in &mut bits {
                let any = c.aig.input();
                *bit = if filled { any } else { c.aig.and(any, !plain) };
            }
            Rc::new(bits)
        };
        self.raw.entry((id, page)).or_insert_with(fresh).clone()
    }
}

/// Zeros, to be shared.
fn zeros() -> Rc<Bits> {
    Rc::new([Lit::FALSE; 8 * PAGE])
}

impl Cells {
    pub(crate) fn new(object: u32, size: u64, zero: bool) -> Cells {
        let pages = Pages::new(size.div_ceil(PAGE as u64) as usize, zero);
        let late = Lates::default();
        Cells { pages, alive: Lit::TRUE, object, written: None, late, chosen: None }
    }

    /// Where there is an object no more.
    pub(crate) fn gone(object: u32) -> Cells {
        let late = Lates::default();
        let pages = Pages::new(0, true);
        Cells { pages, alive: Lit::FALSE, object, written: None, late, chosen: None }
    }

    pub(crate) fn object(&self) -> u32 {
        self.object
    }

    /// The pages are not looked at any more.
    pub(crate) fn forget_pages(&mut self) {
        self.pages = Pages::new(self.pages.len(), true);
    }

    /// The same, alive on other runs.
    pub(crate) fn living(&self, alive: Lit) -> Cells {
        Cells { alive, ..self.clone() }
    }

    pub(crate) fn merge(sel: Lit, a: &Cells, b: &Cells, c: &mut Circuit) -> Cells {
        let alive = c.aig.ite(sel, a.alive, b.alive);
        if a.pages.is_empty() || b.pages.is_empty() {
            let pages = if a.pages.is_empty() { b.pages.clone() } else { a.pages.clone() };
            let written = if a.pages.is_empty() { b.written.clone() } else { a.written.clone() };
            let late = if a.pages.is_empty() { b.late.clone() } else { a.late.clone() };
            let chosen = if a.pages.is_empty() { b.chosen.clone() } else { a.chosen.clone() };
            return Cells { pages, alive, object: a.object, written, late, chosen };
        }
        let chosen = Cells::merge_chosen(a, b);
        if chosen.is_some() {
            let late = late::merge(sel, &a.late, &b.late, c);
            let pages = Pages::new(a.pages.len(), true);
            return Cells { pages, alive, object: a.object, written: None, late, chosen };
        }
        let pages = a.pages.joined(&b.pages, |x, y| match (known(x), known(y)) {
            (Some(p), Some(q)) => {
                let mut bits = [Lit::FALSE; 8 * PAGE];
                for (i, bit) in bits.iter_mut().enumerate() {
                    *bit = c.aig.ite(sel, p[i], q[i]);
                }
                Page::Bits(Rc::new(bits))
            }
            // What one side alone knows was made known before ([`Cells::know`]).
            (Some(p), None) | (None, Some(p)) => Page::Bits(p),
            (None, None) => Page::Raw,
        });
        let written = match (&a.written, &b.written) {
            (None, None) => None,
            (Some(x), Some(y)) if Rc::ptr_eq(x, y) => Some(x.clone()),
            (x, y) => {
                let count = x.as_ref().or(y.as_ref()).map_or(0, |list| list.len());
                let flag = |list: &Option<Rc<Vec<Lit>>>, i: usize| {
                    list.as_ref().map_or(Lit::TRUE, |list| list[i])
                };
                let merged = (0..count).map(|i| c.aig.ite(sel, flag(x, i), flag(y, i)));
                Some(Rc::new(merged.collect()))
            }
        };
        let late = late::merge(sel, &a.late, &b.late, c);
        Cells { pages, alive, object: a.object, written, late, chosen }
    }

    /// How many pages there are.
    pub(crate) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Whether a page is the same in both as it stands, without a look at its bits.
    pub(crate) fn same_page(&self, other: &Cells, page: usize) -> bool {
        match (self.pages.get(page), other.pages.get(page)) {
            (Some(Page::Zero), Some(Page::Zero)) | (Some(Page::Raw), Some(Page::Raw)) => true,
            (Some(Page::Bits(p)), Some(Page::Bits(q))) => Rc::ptr_eq(p, q) || p == q,
            _ => false,
        }
    }

    /// Whether a page has bits that are not known numbers.
    pub(crate) fn is_symbolic(&self, page: usize) -> bool {
        match self.pages.get(page) {
            Some(Page::Bits(bits)) => bits.iter().any(|l| !l.is_constant()),
            _ => false,
        }
    }

    /// Whether a page was never written.
    pub(crate) fn is_raw(&self, page: usize) -> bool {
        matches!(self.pages.get(page), None | Some(Page::Raw))
    }

    /// Whether a page was written at all.
    pub(crate) fn has_bits(&self, page: usize) -> bool {
        matches!(self.pages.get(page), Some(Page::Bits(_)))
    }

    /// Whether the page of a byte was written, or is 0.
    pub(crate) fn is_known(&self, at: u64) -> bool {
        let page = self.pages.get(at as usize / PAGE);
        self.is_late() || !matches!(page, None | Some(Page::Raw | Page::Zero))
    }

    /// Gives pages that were never written bits of their own.
    pub(crate) fn know(&mut self, other: &Cells, o: &mut Objects, c: &mut Circuit, plain: Lit) {
        for i in self.unknown_pages(other).collect::<Vec<usize>>() {
            *self.pages.slot(i) = Page::Bits(o.raw(c, plain, self.object, i));
        }
    }

    /// Whether some page was never written, where the other one was.
    pub(crate) fn unknown_beside(&self, other: &Cells) -> bool {
        if self.chosen.is_some() || other.chosen.is_some() {
            return false;
        }
        self.unknown_pages(other).next().is_some()
    }

    /// Pages that were never written, where those of the other one were.
    fn unknown_pages<'a>(&'a self, other: &'a Cells) -> impl Iterator<Item = usize> + 'a {
        let raw = |cells: &Cells, i: usize| matches!(cells.pages.get(i), Some(Page::Raw));
        self.pages.apart(&other.pages).filter(move |&i| raw(self, i) && !raw(other, i))
    }

    /// The pages that were written, by number.
    pub(crate) fn with_bits(&self) -> impl Iterator<Item = usize> + '_ {
        self.pages.with_bits()
    }

    /// The bits of some bytes.
    pub(crate) fn read(
        &mut self,
        o: &mut Objects,
        c: &mut Circuit,
        plain: Lit,
        at: u64,
        bytes: u64,
    ) -> Word {
        let here = Word::number(o.pointer, at.into());
        let word = match self.beneath((o, c), &here, bytes) {
            Some(word) => word,
            None => self.read_pages(o, c, plain, at, bytes),
        };
        // What is too much to look at is anything.
        self.changed(c, &here, word).unwrap_or_else(|| c.input(8 * bytes as u32))
    }

    /// The same without late writes.
    pub(crate) fn read_pages(
        &mut self,
        o: &mut Objects,
        c: &mut Circuit,
        plain: Lit,
        at: u64,
        bytes: u64,
    ) -> Word {
        let mut lits = Vec::with_capacity(8 * bytes as usize);
        let mut at = at as usize;
        let end = at + bytes as usize;
        while at < end {
            let (page, from) = (at / PAGE, at % PAGE);
            let to = (from + end - at).min(PAGE);
            match self.pages.get(page).expect("the page is one of the object's") {
                Page::Zero => lits.resize(lits.len() + 8 * (to - from), Lit::FALSE),
                Page::Bits(bits) => lits.extend_from_slice(&bits[8 * from..8 * to]),
                Page::Raw => {
                    let bits = o.raw(c, plain, self.object, page);
                    lits.extend_from_slice(&bits[8 * from..8 * to]);
                    *self.pages.slot(page) = Page::Bits(bits);
                }
            }
            at += to - from;
        }
        Word::of(lits)
    }

    /// Puts a word where some bytes are, on the runs of `when`.
    pub(crate) fn write(
        &mut self,
        o: &mut Objects,
        c: &mut Circuit,
        plain: Lit,
        at: u64,
        word: &Word,
        when: Lit,
    ) {
        // WL1.
        if self.is_late() {
            return self.write_late(&Word::number(o.pointer, at.into()), word, when);
        }
        if let Some(written) = &mut self.written {
            let list = Rc::make_mut(written);
            for flag in list.iter_mut().skip(at as usize).take(word.width() as usize / 8) {
                *flag = c.aig.or(*flag, when);
            }
        }
        for i in 0..word.width() as usize / 8 {
            let (page, inside) = ((at as usize + i) / PAGE, (at as usize + i) % PAGE);
            let slot = self.pages.slot(page);
            if !matches!(slot, Page::Bits(_)) {
                *slot = Page::Bits(match slot {
                    Page::Raw => o.raw(c, plain, self.object, page),
                    _ => zeros(),
                });
            }
            let Page::Bits(bits) = slot else { continue };
            let bits = Rc::make_mut(bits);
            for k in 0..8 {
                let new = word.bit((8 * i + k) as u32);
                let bit = &mut bits[8 * inside + k];
                *bit = if when == Lit::TRUE { new } else { c.aig.ite(when, new, *bit) };
            }
        }
    }
}

fn known(page: &Page) -> Option<Rc<Bits>> {
    match page {
        Page::Zero => Some(zeros()),
        Page::Raw => None,
        Page::Bits(bits) => Some(bits.clone()),
    }
}

/// Writes that may go to more places are late ones, where that is possible.
pub(crate) const MANY_PLACES: usize = 1 << 10;

/// The offsets that a word may be, so that so many bytes are inside. None: too many.
pub(crate) fn places(offset: &Word, size: u64, bytes: u64) -> Option<(u32, Vec<u64>)> {
    let lits = offset.lits();
    let fixed = lits.iter().take_while(|l| l.is_constant()).count() as u32;
    let low: u64 =
        (0..fixed.min(63)).filter(|&i| lits[i as usize] == Lit::TRUE).map(|i| 1 << i).sum();
    let (mut ones, mut zeros) = (0u64, 0u64);
    for (i, lit) in lits.iter().enumerate().take(63) {
        match *lit {
            Lit::TRUE => ones |= 1 << i,
            Lit::FALSE => zeros |= 1 << i,
            _ => {}
        }
    }
    let Some(last) = size.checked_sub(bytes) else { return Some((fixed, Vec::new())) };
    let step = 1u64 << fixed.min(40);
    if last / step > MAX_PLACES {
        return None;
    }
    let mut out = Vec::new();
    let mut at = low;
    while at <= last {
        if at & ones == ones && at & zeros == 0 {
            out.push(at);
        }
        at += step;
    }
    Some((fixed, out))
}
