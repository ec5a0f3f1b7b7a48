//! Where the bits of each variable lie.
//!
//! Globals have their bits in one area, `0..global_bits`. The locals of every procedure start at
//! bit 0 of their frame: variables are slots, so that no cost depends on the number of procedures
//! ([moped §6]). Results likewise have an area of their own.

use crate::{Id, IndexVec, ProcId, Program, VarId, VarKind};

/// The bits of a variable within its area; cell `i` has `offset + i·width ..` of `width` bits,
/// least significant bit first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// First bit.
    pub offset: u32,
    /// Bits of a cell.
    pub width: u32,
    /// Number of cells.
    pub cells: u32,
}

impl Slot {
    /// The bits it covers.
    pub fn bits(self) -> std::ops::Range<u32> {
        self.offset..self.offset + self.width * self.cells
    }
    /// The bits of a cell.
    pub fn cell(self, cell: u32) -> std::ops::Range<u32> {
        let start = self.offset + cell * self.width;
        start..start + self.width
    }
}

/// The layout of a program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bits of all globals.
    pub global_bits: u32,
    /// Bits of the frame of each procedure.
    pub frame_bits: IndexVec<ProcId, u32>,
    /// Bits of the results of each procedure.
    pub result_bits: IndexVec<ProcId, u32>,
    slots: IndexVec<VarId, Slot>,
}

impl Layout {
    /// Variables in order of declaration, each area packed.
    pub fn new(program: &Program) -> Layout {
        let procs = program.procs.len();
        let mut layout = Layout {
            global_bits: 0,
            frame_bits: IndexVec::filled(0, procs),
            result_bits: IndexVec::filled(0, procs),
            slots: IndexVec::new(),
        };
        for var in program.vars.iter() {
            let end = match var.kind {
                VarKind::Global => &mut layout.global_bits,
                VarKind::Local(p) => &mut layout.frame_bits[p],
                VarKind::Result(p) => &mut layout.result_bits[p],
            };
            let slot = Slot { offset: *end, width: var.ty.scalar.bits(), cells: var.ty.cells() };
            *end += var.ty.bits();
            layout.slots.push(slot);
        }
        layout
    }
    /// The bits of a variable within its area.
    pub fn slot(&self, var: VarId) -> Slot {
        self.slots[var]
    }
    /// The widest frame.
    pub fn max_frame_bits(&self) -> u32 {
        self.frame_bits.iter().copied().max().unwrap_or(0)
    }
    /// The most result bits.
    pub fn max_result_bits(&self) -> u32 {
        self.result_bits.iter().copied().max().unwrap_or(0)
    }
    /// The most bits in scope at any point: globals and the widest frame.
    pub fn scope_bits(&self) -> u32 {
        self.global_bits + self.max_frame_bits()
    }
    /// How many variables it covers.
    pub fn var_count(&self) -> usize {
        self.slots.ids().next_back().map_or(0, |id| id.index() + 1)
    }
}
