//! Which diagram variable stands for which bit.
//!
//! Variables are slots, not names: bit 3 of every procedure's frame is the same slot, so that the
//! width of the diagrams depends on the widest scope and never on the number of procedures
//! ([moped §6]). The seven sets of variables of [moped, appendix] are copies of the slots here, and
//! the copies of one slot are neighbours in the order.

pub(crate) use analysis::Place;
use analysis::{Order, SlotOrder};
use ir::{Layout, Program, VarId};

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

/// The numbering of diagram variables.
pub(crate) struct Slots {
    pub(crate) layout: Layout,
    order: SlotOrder,
}

impl Slots {
    pub(crate) fn new(program: &Program, order: Order) -> Slots {
        let layout = Layout::new(program);
        let order = analysis::variable_order(program, &layout, order);
        Slots { layout, order }
    }
    /// The diagram variable of a bit.
    pub(crate) fn bit(&self, copy: Copy, var: VarId, cell: u32, bit: u32) -> u32 {
        let width = self.layout.slot(var).width;
        self.order.position(var, cell * width + bit) * COPIES + copy as u32
    }
    /// The diagram variables of all bits of a variable, in order of its layout.
    pub(crate) fn bits(&self, copy: Copy, var: VarId) -> impl Iterator<Item = u32> + '_ {
        let count = self.layout.slot(var).bits().len() as u32;
        (0..count).map(move |bit| self.order.position(var, bit) * COPIES + copy as u32)
    }
    /// The diagram variable of a choice: below everything else, since choices are quantified as
    /// soon as a relation is built.
    pub(crate) fn choice(&self, number: u32) -> u32 {
        self.order.len() as u32 * COPIES + number
    }
    /// What a diagram variable stands for.
    pub(crate) fn decode(&self, variable: u32) -> (Copy, Place) {
        (ALL[(variable % COPIES) as usize], self.order.place(variable / COPIES))
    }
    /// The copies of each slot: what moves together when the order is changed.
    pub(crate) fn groups(&self) -> Vec<Vec<u32>> {
        let slots = 0..self.order.len() as u32;
        slots.map(|at| (at * COPIES..(at + 1) * COPIES).collect()).collect()
    }
}

/// How many levels a diagram can have at most, choices aside.
pub(crate) fn levels(program: &Program) -> usize {
    let layout = Layout::new(program);
    (COPIES * (layout.scope_bits() + layout.max_result_bits())) as usize
}
