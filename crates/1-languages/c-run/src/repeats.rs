//! Whether a run is somewhere again in the same state: then it may go on like this for ever.
//!
//! A state is kept at the head of a loop and compared with those that come there later; another one is kept after
//! twice as many visits, so that every way around is found that is not too long ([brent80]). Compared is everything that
//! the run goes on with: where control is, frames, registers, memory, streams, what `rand` gives next. What was handed
//! out as inputs in between is handed out again.

use crate::machine::{Frame, Machine};
use crate::memory::Image;
use c_data::{End, Function};
use rustc_hash::FxHashSet;

/// The most inputs that a run is looked at for.
const MAX_INPUTS: usize = 1 << 20;

/// Inputs of a run that goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Repeated {
    /// What is handed out first: functions, and numbers.
    pub first: Vec<(String, i128)>,
    /// What is handed out again and again.
    pub again: Vec<(String, i128)>,
    /// How many lines were come to before that.
    pub lines: u64,
}

/// What is known of earlier states.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// What is handed out in turns when there are no inputs left.
    pub(crate) cycle: Vec<i128>,
    at: usize,
    handed: Vec<(u32, i128)>,
    visits: u64,
    wait: u64,
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    pc: u32,
    frames: Vec<Frame>,
    registers: Vec<u64>,
    memory: Image,
    rest: (crate::random::Random, Vec<usize>),
    handed: usize,
    lines: u64,
}

impl Repeats {
    pub(crate) fn new(cycle: Vec<i128>) -> Repeats {
        Repeats { cycle, ..Repeats::default() }
    }

    /// The next input, after those that were given.
    pub(crate) fn next(&mut self) -> Option<i128> {
        let value = *self.cycle.get(self.at)?;
        self.at = (self.at + 1) % self.cycle.len();
        (self.handed.len() < MAX_INPUTS).then_some(value)
    }

    pub(crate) fn note(&mut self, function: u32, value: i128) {
        self.handed.push((function, value));
    }
}

impl Frame {
    /// Whether a run goes on in the same way with another frame.
    pub(crate) fn is_like(&self, other: &Frame) -> bool {
        let parts = |f: &Frame| (f.routine, f.back, f.base, f.d, f.result_at, f.mark, f.va);
        parts(self) == parts(other)
    }
}

impl Machine<'_> {
    /// How many registers are in use.
    pub(crate) fn used(&self) -> usize {
        if self.frames.is_empty() { 0 } else { self.next_base() }
    }

    /// Whether `setjmp` was called.
    pub(crate) fn jumped(&self) -> bool {
        self.jump_count > 0
    }

    /// At the head of a loop: whether the run was there in the same state.
    pub(crate) fn repeated(&mut self) -> Option<Repeated> {
        // Where `longjmp` may lead is no part of a state that is kept.
        if self.jumped() {
            return None;
        }
        let mut repeats = self.repeats.take()?;
        repeats.visits += 1;
        let end = self.used();
        let same = repeats.kept.as_ref().is_some_and(|kept| {
            kept.pc == self.pc
                && kept.registers == self.registers[..end]
                && kept.frames.len() == self.frames.len()
                && kept.frames.iter().zip(&self.frames).all(|(a, b)| a.is_like(b))
                && self.memory.is_like(&kept.memory)
                && kept.rest == (self.random.clone(), self.files.positions())
        });
        let found = match &repeats.kept {
            Some(kept) if same => {
                let (first, again) = repeats.handed.split_at(kept.handed);
                let named = |list: &[(u32, i128)]| {
                    let name = |f: u32| self.code.routines[f as usize].name.clone();
                    list.iter().map(|&(f, value)| (name(f), value)).collect()
                };
                let lines = kept.lines;
                Some(Repeated { first: named(first), again: named(again), lines })
            }
            _ => None,
        };
        if found.is_none() && repeats.visits > repeats.wait {
            repeats.wait = 2 * repeats.visits;
            repeats.kept = Some(Kept {
                pc: self.pc,
                frames: self.frames.clone(),
                registers: self.registers[..end].to_vec(),
                memory: self.memory.image(),
                rest: (self.random.clone(), self.files.positions()),
                handed: repeats.handed.len(),
                lines: self.passed.count(),
            });
        }
        self.repeats = Some(repeats);
        found
    }
}

/// Blocks of a function of which every way around has one: those that a jump backwards leads to.
pub(crate) fn heads(function: &Function) -> FxHashSet<u32> {
    let mut out = FxHashSet::default();
    for (b, block) in function.blocks.iter().enumerate() {
        let mut to = |target: usize| {
            if target <= b {
                out.insert(target as u32);
            }
        };
        match &block.end {
            End::Jump(target) => to(target.index()),
            End::Branch(_, yes, no) => {
                to(yes.index());
                to(no.index());
            }
            End::Switch(_, cases, default) => {
                cases.iter().for_each(|case| to(case.2.index()));
                to(default.index());
            }
            End::JumpTo(_) => (0..=b).for_each(to),
            End::Return(_) | End::FellOff | End::Unreachable => {}
        }
    }
    out
}
