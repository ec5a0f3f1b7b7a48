//! Operators that tell whether their exact result fits (`__builtin_add_overflow`).
//!
//! Operands have any signs and up to 128 bits. The exact result is a sign and a size of at most 128 bits, or does not
//! fit anywhere.

use crate::code::{Reg, Shape};
use crate::machine::Machine;
use c_data::BinOp;

/// A number as its sign and its size.
#[derive(Clone, Copy)]
struct Signed {
    negative: bool,
    size: u128,
}

impl Signed {
    fn plus(self, other: Signed) -> Option<Signed> {
        if self.negative == other.negative {
            let size = self.size.checked_add(other.size)?;
            return Some(Signed { size, ..self });
        }
        let (large, small) = if self.size >= other.size { (self, other) } else { (other, self) };
        let size = large.size - small.size;
        Some(Signed { negative: large.negative && size > 0, size })
    }
    fn times(self, other: Signed) -> Option<Signed> {
        let size = self.size.checked_mul(other.size)?;
        Some(Signed { negative: self.negative != other.negative && size > 0, size })
    }
    fn fits(self, shape: Shape) -> bool {
        let half = 1u128 << (shape.bits - 1);
        match (shape.signed, self.negative) {
            (true, true) => self.size <= half,
            (true, false) => self.size < half,
            (false, true) => false,
            (false, false) => shape.bits == 128 || self.size < 2 * half,
        }
    }
}

impl Machine<'_> {
    fn operand(&self, (r, shape): (Reg, Shape)) -> (u128, Signed) {
        let bits = match (shape.bits > 64, shape.signed) {
            (true, _) => self.pair(r),
            (false, true) => i128::from(self.get(r) as i64) as u128,
            (false, false) => u128::from(self.get(r)),
        };
        let negative = shape.signed && (bits as i128) < 0;
        let size = if negative { bits.wrapping_neg() } else { bits };
        (bits, Signed { negative, size })
    }

    pub(crate) fn overflow(&mut self, index: u32) {
        let exact = self.code.exact[index as usize];
        let ((x, a), (y, b)) = (self.operand(exact.a), self.operand(exact.b));
        let minus = Signed { negative: !b.negative && b.size > 0, ..b };
        let (result, wrapped) = match exact.op {
            BinOp::Add => (a.plus(b), x.wrapping_add(y)),
            BinOp::Sub => (a.plus(minus), x.wrapping_sub(y)),
            _ => (a.times(b), x.wrapping_mul(y)),
        };
        let (d, shape) = exact.result;
        let up = 128 - u32::from(shape.bits);
        let cut = match shape.signed {
            true => (((wrapped as i128) << up) >> up) as u128,
            false => (wrapped << up) >> up,
        };
        match shape.bits > 64 {
            true => self.set_pair(d, cut),
            false => self.set(d, cut as u64),
        }
        let fits = result.is_some_and(|result| result.fits(shape));
        self.set(exact.overflow, u64::from(!fits));
    }
}
