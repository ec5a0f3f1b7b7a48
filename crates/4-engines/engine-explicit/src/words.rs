//! Valuations packed into machine words, and where each variable lies in them.

use check::StopReason;
use ir::eval::{Code, Env};
use ir::{Id, Layout, Program, Time, VarId, VarKind};

/// The words of a relation: what `Pre`, `Post` and `Saved` mean on each kind of edge is told by
/// [`ir::EdgeKind`]; here they are packed.
pub(crate) const PRE_GLOBALS: usize = 0;
pub(crate) const PRE_FRAME: usize = 1;
pub(crate) const PRE_RESULTS: usize = 2;
pub(crate) const POST_GLOBALS: usize = 3;
/// The frame after a step, the callee's frame on a call, the results on a return.
pub(crate) const POST_FRAME: usize = 4;
pub(crate) const SAVED: usize = 5;

/// The bits of a cell within its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub(crate) word: u8,
    pub(crate) offset: u8,
    pub(crate) width: u8,
}

impl Cell {
    pub(crate) fn mask(self) -> u64 {
        // Width is at most 32.
        ((1u64 << self.width) - 1) << self.offset
    }
}

/// Where each variable lies.
pub(crate) struct Places {
    places: Vec<Place>,
    pub(crate) global_bits: u32,
    frame_bits: Vec<u32>,
    result_bits: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Place {
    owner: Owner,
    offset: u8,
    width: u8,
}

#[derive(Clone, Copy)]
enum Owner {
    Global,
    Local,
    Result,
}

impl Places {
    /// Refuses programs with more than 64 bits of globals, of one frame, or of results.
    pub(crate) fn new(program: &Program) -> Result<Places, StopReason> {
        let layout = Layout::new(program);
        let wide = [
            (layout.global_bits, "globals"),
            (layout.max_frame_bits(), "locals in one procedure"),
            (layout.max_result_bits(), "results of one procedure"),
        ];
        for (bits, of) in wide {
            if bits > 64 {
                let what = format!("{bits} bits of {of}; the explicit engine takes 64");
                return Err(StopReason::Unsupported { what });
            }
        }
        let place = |var: VarId| {
            let slot = layout.slot(var);
            let owner = match program.vars[var].kind {
                VarKind::Global => Owner::Global,
                VarKind::Local(_) => Owner::Local,
                VarKind::Result(_) => Owner::Result,
            };
            Place { owner, offset: slot.offset as u8, width: slot.width as u8 }
        };
        Ok(Places {
            places: program.vars.ids().map(place).collect(),
            global_bits: layout.global_bits,
            frame_bits: layout.frame_bits.iter().copied().collect(),
            result_bits: layout.result_bits.iter().copied().collect(),
        })
    }
    /// A cell of a variable.
    pub(crate) fn cell(&self, time: Time, var: VarId, cell: u32) -> Cell {
        let place = self.places[var.index()];
        let word = match (time, place.owner) {
            (Time::Pre, Owner::Global) => PRE_GLOBALS,
            (Time::Pre, Owner::Local) => PRE_FRAME,
            (Time::Pre, Owner::Result) => PRE_RESULTS,
            (Time::Post, Owner::Global) => POST_GLOBALS,
            (Time::Post, Owner::Local | Owner::Result) => POST_FRAME,
            (Time::Saved, _) => SAVED,
        };
        let offset = place.offset + cell as u8 * place.width;
        Cell { word: word as u8, offset, width: place.width }
    }
    pub(crate) fn global_mask(&self) -> u64 {
        low_bits(self.global_bits)
    }
    pub(crate) fn frame_bits(&self, proc: ir::ProcId) -> u32 {
        self.frame_bits[proc.index()]
    }
    pub(crate) fn frame_mask(&self, proc: ir::ProcId) -> u64 {
        low_bits(self.frame_bits[proc.index()])
    }
    pub(crate) fn result_bits(&self, proc: ir::ProcId) -> u32 {
        self.result_bits[proc.index()]
    }
    pub(crate) fn result_mask(&self, proc: ir::ProcId) -> u64 {
        low_bits(self.result_bits[proc.index()])
    }
}

/// A word whose lowest `bits` bits are set.
fn low_bits(bits: u32) -> u64 {
    if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// A valuation of all words and choices, some bits of which may be open.
/// Invariant: an open bit has value 0.
#[derive(Clone)]
pub(crate) struct View<'a> {
    pub(crate) places: &'a Places,
    pub(crate) words: [u64; 6],
    pub(crate) open: [u64; 6],
    pub(crate) choices: u64,
    pub(crate) open_choices: u64,
}

impl<'a> View<'a> {
    /// Everything known, and 0.
    pub(crate) fn new(places: &'a Places) -> Self {
        View { places, words: [0; 6], open: [0; 6], choices: 0, open_choices: 0 }
    }
    /// With the given globals and locals before the step.
    pub(crate) fn at(places: &'a Places, globals: u64, frame: u64) -> Self {
        let mut view = Self::new(places);
        view.words[PRE_GLOBALS] = globals;
        view.words[PRE_FRAME] = frame;
        view
    }
    /// Whether a condition without choices holds.
    pub(crate) fn satisfies(&self, code: &Code, registers: &mut Vec<ir::eval::Val>) -> bool {
        code.eval(self, registers).as_bool() == Some(true)
    }
    pub(crate) fn is_open(&self, cell: Cell) -> bool {
        self.open[cell.word as usize] & cell.mask() != 0
    }
    /// Gives a cell a value, which must fit.
    pub(crate) fn set(&mut self, cell: Cell, value: u64) {
        let word = cell.word as usize;
        self.words[word] = self.words[word] & !cell.mask() | value << cell.offset;
        self.open[word] &= !cell.mask();
    }
    /// Leaves a cell open.
    pub(crate) fn set_open(&mut self, cell: Cell) {
        let word = cell.word as usize;
        self.words[word] &= !cell.mask();
        self.open[word] |= cell.mask();
    }
    pub(crate) fn set_choice(&mut self, number: u32, value: bool) {
        let bit = 1u64 << number;
        self.choices = self.choices & !bit | (value as u64) << number;
        self.open_choices &= !bit;
    }
}

impl Env for View<'_> {
    fn read(&self, time: Time, var: VarId, cell: u32) -> Option<u64> {
        let cell = self.places.cell(time, var, cell);
        if self.is_open(cell) {
            return None;
        }
        Some((self.words[cell.word as usize] & cell.mask()) >> cell.offset)
    }
    fn choice(&self, number: u32) -> Option<bool> {
        let bit = 1u64 << number;
        (self.open_choices & bit == 0).then_some(self.choices & bit != 0)
    }
}

/// Every word that agrees with `word` outside of `open`, in increasing order.
pub(crate) fn completions(word: u64, open: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let subset = next?;
        // The next larger subset of `open`, if there is one.
        next = (subset != open).then(|| subset.wrapping_sub(open) & open);
        Some(word & !open | subset)
    })
}
