//! Which diagram variable stands for which bit.
//!
//! Variables are slots, not names: bit 3 of every procedure's frame is the same slot, so that the
//! width of the diagrams depends on the widest scope and never on the number of procedures
//! ([moped §6]). The seven sets of variables of [moped, appendix] are copies of the slots here, and
//! the copies of one slot are neighbours in the order.

use ir::{IndexVec, Layout, Program, VarId, VarKind};

/// The valuations that one diagram can speak of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Copy {
    /// The data of the state that a transition leads to.
    Entry = 0,
    /// The data of the symbol read: globals and locals at the top, saved locals below it.
    Pre = 1,
    /// After a step.
    Post = 2,
    /// The data of the state that a transition starts in, where it is not the initial one; a
    /// callee's entry.
    Inner = 3,
    /// When a callee is left: globals and results.
    Exit = 4,
    /// In the caller's frame during a call, where the call changes it.
    Saved = 5,
}

const COPIES: u32 = 6;
const ALL: [Copy; COPIES as usize] =
    [Copy::Entry, Copy::Pre, Copy::Post, Copy::Inner, Copy::Exit, Copy::Saved];

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
    /// The owner, first bit and width of a cell of each variable.
    kinds: IndexVec<VarId, (VarKind, u32, u32)>,
    /// Results are the slots from 0, locals those from here, globals the last ones.
    locals: u32,
    /// Slot number to position in the order, and back.
    position: Vec<u32>,
    slot_at: Vec<u32>,
}

impl Slots {
    pub(crate) fn new(program: &Program) -> Slots {
        let layout = Layout::new(program);
        let locals = layout.max_result_bits();
        let globals = locals + layout.max_frame_bits();
        let kinds = program
            .vars
            .enumerate()
            .map(|(id, var)| {
                let slot = layout.slot(id);
                (var.kind, slot.offset, slot.width)
            })
            .collect();
        let order = crate::order::slot_order(program, &layout, locals, globals);
        debug_assert_eq!(order.len(), (globals + layout.global_bits) as usize);
        let mut position = vec![0; order.len()];
        for (at, &slot) in order.iter().enumerate() {
            position[slot as usize] = at as u32;
        }
        Slots { layout, kinds, locals, position, slot_at: order }
    }
    fn first_global(&self) -> u32 {
        self.position.len() as u32 - self.layout.global_bits
    }
    fn variable(&self, copy: Copy, kind: VarKind, offset: u32) -> u32 {
        let slot = match kind {
            VarKind::Result(_) => offset,
            VarKind::Local(_) => self.locals + offset,
            VarKind::Global => self.first_global() + offset,
        };
        self.position[slot as usize] * COPIES + copy as u32
    }
    /// The diagram variable of a bit.
    pub(crate) fn bit(&self, copy: Copy, var: VarId, cell: u32, bit: u32) -> u32 {
        let (kind, offset, width) = self.kinds[var];
        self.variable(copy, kind, offset + cell * width + bit)
    }
    /// The diagram variables of all bits of a variable, in order of its layout.
    pub(crate) fn bits(&self, copy: Copy, var: VarId) -> impl Iterator<Item = u32> + '_ {
        let (kind, ..) = self.kinds[var];
        self.layout.slot(var).bits().map(move |offset| self.variable(copy, kind, offset))
    }
    /// The diagram variable of a choice: below everything else, since choices are quantified as
    /// soon as a relation is built.
    pub(crate) fn choice(&self, number: u32) -> u32 {
        self.position.len() as u32 * COPIES + number
    }
    /// What a diagram variable stands for.
    pub(crate) fn decode(&self, variable: u32) -> (Copy, Place) {
        let copy = ALL[(variable % COPIES) as usize];
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

/// How many levels a diagram can have at most, choices aside.
pub(crate) fn levels(program: &Program) -> usize {
    let layout = Layout::new(program);
    (COPIES * (layout.scope_bits() + layout.max_result_bits())) as usize
}
