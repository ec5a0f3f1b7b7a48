//! Calls through pointers, and closures: addresses that stand for a function with the frame of the one around it.

use crate::arith;
use crate::code::Reg;
use crate::machine::{Machine, Stop};
use crate::memory::{CLOSURES, FUNCTIONS};
use c_data::{At, Check};
use rustc_hash::FxHashMap;

/// The most closures of a run: those of one function and one frame are one.
const MAX_CLOSURES: usize = 1 << 18;

/// The closures that a run has made.
#[derive(Default)]
pub(crate) struct Closures {
    made: Vec<(u32, u64)>,
    numbers: FxHashMap<(u32, u64), u64>,
}

impl Machine<'_> {
    /// The address that calls a function with a frame.
    pub(crate) fn make_closure(&mut self, d: Reg, f: u32, chain: Reg) -> Result<(), Stop> {
        let key = (f, self.get(chain));
        let next = self.closures.made.len() as u64;
        let number = *self.closures.numbers.entry(key).or_insert(next);
        if number == next {
            if self.closures.made.len() >= MAX_CLOSURES {
                return Err(Stop::Limit("the number of closures".to_owned()));
            }
            self.closures.made.push(key);
        }
        self.set(d, CLOSURES + 16 * number);
        Ok(())
    }

    /// A call of the function at an address.
    pub(crate) fn call_to(&mut self, a: Reg, d: Reg, args: u32) -> Result<(), Stop> {
        let address = self.get(a);
        if address >= CLOSURES
            && address.is_multiple_of(16)
            && let Some(&(f, chain)) = self.closures.made.get(((address - CLOSURES) / 16) as usize)
        {
            // The frame comes before what the call passes.
            let next = self.next_base();
            let end = next + args as usize;
            if self.registers.len() <= end {
                self.registers.resize(end + 64, 0);
            }
            self.registers.copy_within(next..end, next + 1);
            self.registers[next] = chain;
            self.narrow(f, args + 1);
            return self.call(f, d, args + 1);
        }
        let number = address.wrapping_sub(FUNCTIONS) / 16;
        let exists = address >= FUNCTIONS && address.is_multiple_of(16);
        if !exists || number >= self.code.routines.len() as u64 {
            let what = match address {
                0 => "a call through a null pointer",
                _ => "a call of what is no function",
            };
            return Err(Stop::Failed(Check::Memory, what.to_owned(), At::default()));
        }
        self.narrow(number as u32, args);
        self.call(number as u32, d, args)
    }

    /// The call may know the parameters' types by other names.
    fn narrow(&mut self, f: u32, args: u32) {
        let next = self.next_base();
        let code = self.code;
        for &(register, conv) in &code.routines[f as usize].narrow {
            if register < args {
                let at = next + register as usize;
                self.registers[at] = arith::conv(conv, self.registers[at]).0;
            }
        }
    }
}
