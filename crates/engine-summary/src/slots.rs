//! Which diagram variable stands for which bit.
//!
//! Variables are slots, not names: bit 3 of every procedure's frame is the same slot, so the
//! diagrams of ten thousand procedures share their nodes, and their width depends on the widest
//! scope alone ([moped §6]). Each slot has a few copies, which are neighbours in the order: a
//! relation between two copies is then as narrow as it can be.

use ir::{IndexVec, Layout, Program, VarId, VarKind};

/// The valuations that one diagram can speak of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Copy {
    /// When the frame was entered; in relations of calls, when the callee's frame is entered.
    Entry = 0,
    /// Now.
    Pre = 1,
    /// After a step.
    Post = 2,
    /// When a callee is left: globals and results.
    Exit = 3,
    /// In the caller's frame during a call, where the call changes it.
    Saved = 4,
}

const COPIES: u32 = 5;

/// Where a slot lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Global(u32),
    Local(u32),
    Result(u32),
}

/// The numbering of diagram variables.
pub(crate) struct Slots {
    pub(crate) layout: Layout,
    /// The first slot of each variable, as a place among the globals, locals or results.
    kinds: IndexVec<VarId, (VarKind, u32, u32)>,
    locals: u32,
    results: u32,
    /// Slot number to position in the order, and back.
    position: Vec<u32>,
    slot_at: Vec<u32>,
}

impl Slots {
    /// Slots in the given order: results, locals, globals are numbered one after the other, and
    /// `order` lists slot numbers from the top of the diagrams.
    pub(crate) fn new(program: &Program) -> Slots {
        let layout = Layout::new(program);
        let (results, locals) = (layout.max_result_bits(), layout.max_frame_bits());
        let kinds = program
            .vars
            .enumerate()
            .map(|(id, var)| {
                let slot = layout.slot(id);
                (var.kind, slot.offset, slot.width)
            })
            .collect();
        let count = (results + locals + layout.global_bits) as usize;
        let order = crate::order::slot_order(program, &layout, results, results + locals);
        debug_assert_eq!(order.len(), count);
        let mut position = vec![0; count];
        for (at, &slot) in order.iter().enumerate() {
            position[slot as usize] = at as u32;
        }
        Slots { layout, kinds, locals: results, results: 0, position, slot_at: order }
    }
    fn slot(&self, kind: VarKind, offset: u32) -> u32 {
        match kind {
            VarKind::Result(_) => self.results + offset,
            VarKind::Local(_) => self.locals + offset,
            VarKind::Global => self.first_global() + offset,
        }
    }
    fn first_global(&self) -> u32 {
        self.position.len() as u32 - self.layout.global_bits
    }
    /// The diagram variable of a bit.
    pub(crate) fn bit(&self, copy: Copy, var: VarId, cell: u32, bit: u32) -> u32 {
        let (kind, offset, width) = self.kinds[var];
        let slot = self.slot(kind, offset + cell * width + bit);
        self.position[slot as usize] * COPIES + copy as u32
    }
    /// The diagram variables of all bits of a variable, in order of its layout.
    pub(crate) fn bits(&self, copy: Copy, var: VarId) -> impl Iterator<Item = u32> + '_ {
        let (kind, _, _) = self.kinds[var];
        self.layout.slot(var).bits().map(move |offset| {
            self.position[self.slot(kind, offset) as usize] * COPIES + copy as u32
        })
    }
    /// The diagram variable of a choice: below everything else, since choices are quantified as
    /// soon as a relation is built.
    pub(crate) fn choice(&self, number: u32) -> u32 {
        self.position.len() as u32 * COPIES + number
    }
    /// What a diagram variable stands for.
    pub(crate) fn decode(&self, variable: u32) -> (Copy, Place) {
        let copy = match variable % COPIES {
            0 => Copy::Entry,
            1 => Copy::Pre,
            2 => Copy::Post,
            3 => Copy::Exit,
            _ => Copy::Saved,
        };
        let slot = self.slot_at[(variable / COPIES) as usize];
        let place = if slot < self.locals {
            Place::Result(slot)
        } else if slot < self.first_global() {
            Place::Local(slot - self.locals)
        } else {
            Place::Global(slot - self.first_global())
        };
        (copy, place)
    }
}
