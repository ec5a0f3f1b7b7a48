//! Which diagram variable stands for which bit.
//!
//! Variables are slots, not names: bit 3 of every procedure's frame is the same slot, so the
//! diagrams of ten thousand procedures share their nodes, and their width depends on the widest
//! scope alone ([moped §6]). The seven sets of variables of [moped, appendix] are copies of the slots
//! here. The copies of one slot are neighbours in the order: a relation between two copies is then
//! as narrow as it can be.

use analysis::{Order, Place, SlotOrder};
use ir::{Layout, Program, VarId};

/// The valuations that one diagram can speak of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copy {
    /// When the frame was entered: in a P-automaton, the data of the state that a transition leads
    /// to.
    Entry = 0,
    /// Now: globals and locals at the top of the stack, saved locals below it.
    Pre = 1,
    /// After a step.
    Post = 2,
    /// When a callee's frame is entered: in a P-automaton, the data of the state that a transition
    /// starts in, where that is not the initial one.
    Inner = 3,
    /// When a callee is left: globals and results.
    Exit = 4,
    /// In the caller's frame during a call, where the call changes it.
    Saved = 5,
}

/// Which copies each slot has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copies {
    /// The place of each copy among those of its slot.
    place: [u32; 6],
    /// The copies by their places.
    order: &'static [Copy],
}

impl Copies {
    /// All of them.
    pub const SIX: Copies = Copies {
        place: [0, 1, 2, 3, 4, 5],
        order: &[Copy::Entry, Copy::Pre, Copy::Post, Copy::Inner, Copy::Exit, Copy::Saved],
    };
    /// `Inner` is another name of `Entry`: no diagram speaks both of how a frame was entered and
    /// of how it enters a callee.
    pub const FIVE: Copies = Copies {
        place: [0, 1, 2, 0, 3, 4],
        order: &[Copy::Entry, Copy::Pre, Copy::Post, Copy::Exit, Copy::Saved],
    };

    fn count(self) -> u32 {
        self.order.len() as u32
    }

    /// How many levels the diagrams of a program can have at most, choices aside.
    pub(crate) fn levels(self, program: &Program) -> usize {
        let layout = Layout::new(program);
        (self.count() * (layout.scope_bits() + layout.max_result_bits())) as usize
    }
}

/// The numbering of diagram variables.
pub struct Slots {
    /// Where variables lie in their scope.
    pub layout: Layout,
    order: SlotOrder,
    copies: Copies,
}

impl Slots {
    pub(crate) fn new(program: &Program, copies: Copies, order: Order) -> Slots {
        let layout = Layout::new(program);
        let order = analysis::variable_order(program, &layout, order);
        Slots { layout, order, copies }
    }
    /// How many diagram variables there are: all copies of the slots of the widest scope.
    pub fn variables(&self) -> u64 {
        self.order.len() as u64 * u64::from(self.copies.count())
    }
    fn variable(&self, copy: Copy, position: u32) -> u32 {
        position * self.copies.count() + self.copies.place[copy as usize]
    }
    /// The diagram variable of a bit.
    pub(crate) fn bit(&self, copy: Copy, var: VarId, cell: u32, bit: u32) -> u32 {
        let width = self.layout.slot(var).width;
        self.variable(copy, self.order.position(var, cell * width + bit))
    }
    /// The diagram variables of all bits of a variable, in order of its layout.
    pub fn bits(&self, copy: Copy, var: VarId) -> impl Iterator<Item = u32> + '_ {
        let count = self.layout.slot(var).bits().len() as u32;
        (0..count).map(move |bit| self.variable(copy, self.order.position(var, bit)))
    }
    /// The diagram variable of a choice: below everything else, since choices are quantified as
    /// soon as a relation is built.
    pub(crate) fn choice(&self, number: u32) -> u32 {
        self.order.len() as u32 * self.copies.count() + number
    }
    /// What a diagram variable stands for.
    pub fn decode(&self, variable: u32) -> (Copy, Place) {
        let count = self.copies.count();
        (self.copies.order[(variable % count) as usize], self.order.place(variable / count))
    }
    /// The copies of each slot: what moves together when the order is changed.
    pub(crate) fn groups(&self) -> Vec<Vec<u32>> {
        let count = self.copies.count();
        let slots = 0..self.order.len() as u32;
        slots.map(|at| (at * count..(at + 1) * count).collect()).collect()
    }
}
