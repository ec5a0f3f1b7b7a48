//! What a run holds of its budget's memory.

use check::{Budget, StopReason};

/// Memory that a run has asked for; given back when it ends.
#[derive(Debug)]
pub struct Account<'a> {
    budget: &'a Budget,
    reserved: u64,
}

/// Changes smaller than this are not told.
const COARSE: u64 = 1 << 14;

impl<'a> Account<'a> {
    /// Nothing yet.
    pub fn new(budget: &'a Budget) -> Account<'a> {
        Account { budget, reserved: 0 }
    }
    /// The run holds so many bytes now.
    pub fn set(&mut self, bytes: u64) -> Result<(), StopReason> {
        if bytes > self.reserved + COARSE {
            self.budget.reserve(bytes - self.reserved)?;
            self.reserved = bytes;
        } else if bytes + COARSE < self.reserved {
            self.budget.release(self.reserved - bytes);
            self.reserved = bytes;
        }
        Ok(())
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        self.budget.release(self.reserved);
    }
}
