//! The meter of a run: its budget, watched often and cheaply.

use check::{Budget, Progress, StopReason};
use ir::eval::Val;

/// Successors between two looks at the clock.
const BATCH: u64 = 2048;

/// Counts work and memory against a budget; gives the memory back when dropped.
pub(crate) struct Meter<'a> {
    budget: &'a Budget,
    pending: u64,
    /// Work done in all, for the progress line.
    done: u64,
    reserved: u64,
    /// What is being done, for the progress line.
    pub(crate) phase: &'static str,
    /// The most bits that may be arbitrary at once, see [`crate::Explicit`].
    pub(crate) max_open_bits: u32,
    /// Scratch space of the evaluator.
    pub(crate) registers: Vec<Val>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(budget: &'a Budget, max_open_bits: u32) -> Self {
        Meter {
            budget,
            pending: 0,
            done: 0,
            reserved: 0,
            phase: "tabulation",
            max_open_bits,
            registers: Vec::new(),
        }
    }
    /// Counts one unit of work: a successor, or an evaluation that may lead to one.
    pub(crate) fn tick(&mut self) -> Result<(), StopReason> {
        self.pending += 1;
        if self.pending < BATCH {
            return Ok(());
        }
        self.flush()
    }
    /// Tells the budget what has been counted.
    pub(crate) fn flush(&mut self) -> Result<(), StopReason> {
        self.done += self.pending;
        self.budget.report(Progress { phase: self.phase, done: self.done, total: None });
        self.budget.work(std::mem::take(&mut self.pending))
    }
    /// Asks for memory, which stays reserved until the meter is dropped or `release` is called.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), StopReason> {
        self.budget.reserve(bytes as u64)?;
        self.reserved += bytes as u64;
        Ok(())
    }
    /// Gives back memory.
    pub(crate) fn release(&mut self, bytes: usize) {
        // A vector may have got a little more than it asked for.
        let bytes = self.reserved.min(bytes as u64);
        self.budget.release(bytes);
        self.reserved -= bytes;
    }
    /// Appends to a vector whose growth is accounted for.
    pub(crate) fn push<T>(&mut self, vec: &mut Vec<T>, item: T) -> Result<(), StopReason> {
        if vec.len() == vec.capacity() {
            let (size, old) = (size_of::<T>(), vec.capacity());
            let new = (old * 2).max(4);
            // Both copies exist while the vector moves.
            self.reserve(new * size)?;
            vec.reserve_exact(new - vec.len());
            self.release(old * size);
        }
        vec.push(item);
        Ok(())
    }
    /// Refuses to enumerate too many valuations.
    pub(crate) fn admit_open_bits(&self, bits: u32, who: &str) -> Result<(), StopReason> {
        let most = self.max_open_bits;
        if bits > most {
            let what =
                format!("{who} leaves {bits} bits arbitrary; the explicit engine takes {most}");
            return Err(StopReason::Unsupported { what });
        }
        Ok(())
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.budget.release(self.reserved);
    }
}
