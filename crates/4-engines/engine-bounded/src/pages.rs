//! The pages of an object, in sheets that states share: where states meet, a large object costs what was written since they
//! parted, and not its size.

use logic::Lit;
use std::rc::Rc;

/// Bytes of a page.
pub(crate) const PAGE: usize = 16;
/// Pages of a sheet.
const SHEET: usize = 64;

/// Bits of a page.
pub(crate) type Bits = [Lit; 8 * PAGE];

#[derive(Clone, Debug)]
pub(crate) enum Page {
    /// All zeros.
    Zero,
    /// Never written.
    Raw,
    Bits(Rc<Bits>),
}

type Sheet = Rc<Vec<Page>>;

thread_local! {
    /// What large objects start with is the same sheet for all of them.
    static ZEROS: Sheet = Rc::new(vec![Page::Zero; SHEET]);
    static RAW: Sheet = Rc::new(vec![Page::Raw; SHEET]);
}

/// Invariant: all sheets but the last one are full.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    sheets: Rc<Vec<Sheet>>,
    len: usize,
}

impl Pages {
    /// So many pages, all zeros, or never written.
    pub(crate) fn new(len: usize, zero: bool) -> Pages {
        let sheet = if zero { ZEROS.with(Rc::clone) } else { RAW.with(Rc::clone) };
        let mut sheets = vec![sheet; len / SHEET];
        if !len.is_multiple_of(SHEET) {
            let page = if zero { Page::Zero } else { Page::Raw };
            sheets.push(Rc::new(vec![page; len % SHEET]));
        }
        Pages { sheets: Rc::new(sheets), len }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn get(&self, page: usize) -> Option<&Page> {
        self.sheets.get(page / SHEET)?.get(page % SHEET)
    }

    /// A page to be changed.
    pub(crate) fn slot(&mut self, page: usize) -> &mut Page {
        &mut Rc::make_mut(&mut Rc::make_mut(&mut self.sheets)[page / SHEET])[page % SHEET]
    }

    /// The pages that may differ from those of another object, by number.
    pub(crate) fn apart<'a>(&'a self, other: &'a Pages) -> impl Iterator<Item = usize> + 'a {
        let count = match Rc::ptr_eq(&self.sheets, &other.sheets) {
            true => 0,
            false => self.len.min(other.len).div_ceil(SHEET),
        };
        let sheets = (0..count).filter(|&s| !Rc::ptr_eq(&self.sheets[s], &other.sheets[s]));
        let pages = sheets.flat_map(|s| s * SHEET..(s + 1) * SHEET);
        pages.take_while(|&page| page < self.len && page < other.len)
    }

    /// The pages of two objects with as many, one by one; what both share stays shared.
    pub(crate) fn joined(
        &self,
        other: &Pages,
        mut join: impl FnMut(&Page, &Page) -> Page,
    ) -> Pages {
        let mut out = self.clone();
        for page in self.apart(other) {
            let (sheet, at) = (page / SHEET, page % SHEET);
            let new = match (&self.sheets[sheet][at], &other.sheets[sheet][at]) {
                (Page::Zero, Page::Zero) | (Page::Raw, Page::Raw) => continue,
                (Page::Bits(p), Page::Bits(q)) if Rc::ptr_eq(p, q) => continue,
                (x, y) => join(x, y),
            };
            *out.slot(page) = new;
        }
        out
    }

    /// The pages that have bits of their own, by number.
    pub(crate) fn with_bits(&self) -> impl Iterator<Item = usize> + '_ {
        let (zeros, raw) = (ZEROS.with(Rc::clone), RAW.with(Rc::clone));
        let plain = move |sheet: &Sheet| Rc::ptr_eq(sheet, &zeros) || Rc::ptr_eq(sheet, &raw);
        let sheets = (0..self.sheets.len()).filter(move |&s| !plain(&self.sheets[s]));
        let pages = sheets.flat_map(|s| s * SHEET..(s + 1) * SHEET);
        pages.filter(|&page| matches!(self.get(page), Some(Page::Bits(_))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Page {
        Page::Bits(Rc::new([Lit::TRUE; 8 * PAGE]))
    }

    #[test]
    fn joins_look_at_what_was_written() {
        let old = Pages::new(3 * SHEET + 5, false);
        let (mut a, b) = (old.clone(), old.clone());
        *a.slot(SHEET) = one();
        *a.slot(3 * SHEET + 4) = one();
        let apart: Vec<usize> = a.apart(&b).collect();
        let near: Vec<usize> = (SHEET..2 * SHEET).chain(3 * SHEET..3 * SHEET + 5).collect();
        assert_eq!(apart, near);
        let mut joined = Vec::new();
        let both = a.joined(&b, |x, y| {
            joined.push((matches!(x, Page::Bits(_)), matches!(y, Page::Raw)));
            x.clone()
        });
        assert_eq!(joined, [(true, true); 2]);
        assert_eq!(both.with_bits().collect::<Vec<_>>(), [SHEET, 3 * SHEET + 4]);
        assert!(b.with_bits().next().is_none());
        assert!(both.get(3 * SHEET + 5).is_none());
        assert!(old.apart(&b).next().is_none());
        // Objects that are made apart from each other, too.
        assert!(Pages::new(SHEET, true).apart(&Pages::new(SHEET, true)).next().is_none());
        assert_eq!(Pages::new(70, true).apart(&Pages::new(70, false)).count(), 70);
    }
}
