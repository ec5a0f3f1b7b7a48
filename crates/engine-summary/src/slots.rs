//! Which diagram variable stands for which bit.
//!
//! Variables are slots, not names: bit 3 of every procedure's frame is the same slot, so the
//! diagrams of ten thousand procedures share their nodes, and their width depends on the widest
//! scope alone ([moped §6]). Each slot has a few copies, which are neighbours in the order: a
//! relation between two copies is then as narrow as it can be.

use analysis::{Order, Place, SlotOrder};
use ir::{Layout, Program, VarId};

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
        let copy = match variable % COPIES {
            0 => Copy::Entry,
            1 => Copy::Pre,
            2 => Copy::Post,
            3 => Copy::Exit,
            _ => Copy::Saved,
        };
        (copy, self.order.place(variable / COPIES))
    }
    /// The copies of each slot: what moves together when the order is changed.
    pub(crate) fn groups(&self) -> Vec<Vec<u32>> {
        let slots = 0..self.order.len() as u32;
        slots.map(|at| (at * COPIES..(at + 1) * COPIES).collect()).collect()
    }
}
