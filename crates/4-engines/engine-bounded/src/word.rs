//! Words: numbers of a fixed width whose bits are functions of a graph, or plain numbers.
//!
//! Operators are total and wrap. What is constant stays a number, so that programs that are nearly concrete
//! cost little more than running them.

use logic::{Aig, Lit};
use std::rc::Rc;

/// The widest number that is kept as one.
const WIDEST: usize = 128;

/// A word. A number has no bits beyond its width.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Word {
    Number { bits: u32, value: u128 },
    Bits(Rc<[Lit]>),
}

fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// The bits of a word, and those of another one above them.
pub(crate) fn joined(low: &Word, high: &Word) -> Word {
    let mut lits = low.lits();
    lits.extend(high.lits());
    Word::of(lits)
}

/// A number as one with a sign.
pub(crate) fn signed(bits: u32, value: u128) -> i128 {
    let up = 128 - bits.clamp(1, 128);
    ((value << up) as i128) >> up
}

impl Word {
    pub(crate) fn number(bits: u32, value: u128) -> Word {
        Word::Number { bits, value: value & mask(bits) }
    }

    /// The word of these bits, the lowest first.
    pub(crate) fn of(lits: Vec<Lit>) -> Word {
        if lits.len() <= WIDEST && lits.iter().all(|l| l.is_constant()) {
            let bit = |(i, l): (usize, &Lit)| u128::from(*l == Lit::TRUE) << i;
            let value = lits.iter().enumerate().map(bit).sum();
            return Word::Number { bits: lits.len() as u32, value };
        }
        Word::Bits(lits.into())
    }

    pub(crate) fn width(&self) -> u32 {
        match self {
            Word::Number { bits, .. } => *bits,
            Word::Bits(lits) => lits.len() as u32,
        }
    }

    /// Its value, if it is a number.
    pub(crate) fn value(&self) -> Option<u128> {
        match self {
            Word::Number { value, .. } => Some(*value),
            Word::Bits(_) => None,
        }
    }

    pub(crate) fn bit(&self, i: u32) -> Lit {
        match self {
            Word::Number { value, .. } => Lit::constant(i < 128 && value >> i & 1 == 1),
            Word::Bits(lits) => lits[i as usize],
        }
    }

    pub(crate) fn lits(&self) -> Vec<Lit> {
        match self {
            Word::Number { bits, .. } => (0..*bits).map(|i| self.bit(i)).collect(),
            Word::Bits(lits) => lits.to_vec(),
        }
    }

    /// Some of its bits.
    pub(crate) fn slice(&self, from: u32, count: u32) -> Word {
        match self {
            Word::Number { value, .. } => Word::number(count, value.checked_shr(from).unwrap_or(0)),
            Word::Bits(lits) => Word::of(lits[from as usize..(from + count) as usize].to_vec()),
        }
    }

    /// The same number in another width, by its sign or by zeros.
    pub(crate) fn resized(&self, bits: u32, by_sign: bool) -> Word {
        let width = self.width();
        if bits == width {
            return self.clone();
        }
        match self {
            Word::Number { value, .. } if bits <= 128 => {
                let wide = if by_sign { signed(width, *value) as u128 } else { *value };
                Word::number(bits, wide)
            }
            _ => {
                let mut lits = self.lits();
                let fill = match (by_sign, lits.last()) {
                    (true, Some(&top)) => top,
                    _ => Lit::FALSE,
                };
                lits.resize(bits as usize, fill);
                Word::of(lits)
            }
        }
    }
}

/// Operators of two words of one width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op2 {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    DivU,
    RemU,
    DivS,
    RemS,
}

/// The graph, with words on top of it.
#[derive(Default, Debug)]
pub(crate) struct Circuit {
    pub(crate) aig: Aig,
}

impl Circuit {
    /// An arbitrary word.
    pub(crate) fn input(&mut self, bits: u32) -> Word {
        let lits: Vec<Lit> = (0..bits).map(|_| self.aig.input()).collect();
        Word::Bits(lits.into())
    }

    pub(crate) fn truth(&mut self, word: &Word) -> Lit {
        match word {
            Word::Number { value, .. } => Lit::constant(*value != 0),
            Word::Bits(lits) => {
                let none = self.aig.and_all(lits.iter().map(|&l| !l));
                !none
            }
        }
    }

    pub(crate) fn ite(&mut self, c: Lit, a: &Word, b: &Word) -> Word {
        if c == Lit::TRUE || a == b {
            return a.clone();
        }
        if c == Lit::FALSE {
            return b.clone();
        }
        let width = a.width().min(b.width());
        Word::of((0..width).map(|i| self.aig.ite(c, a.bit(i), b.bit(i))).collect())
    }

    pub(crate) fn equal(&mut self, a: &Word, b: &Word) -> Lit {
        if let (Some(x), Some(y)) = (a.value(), b.value()) {
            return Lit::constant(x == y);
        }
        let mut all = Lit::TRUE;
        // What differs for certain is most often seen in the high bits.
        for i in (0..a.width().min(b.width())).rev() {
            let same = self.aig.iff(a.bit(i), b.bit(i));
            all = self.aig.and(all, same);
            if all == Lit::FALSE {
                break;
            }
        }
        all
    }

    /// `a < b`, or `a <= b`.
    pub(crate) fn less(&mut self, a: &Word, b: &Word, by_sign: bool, or_equal: bool) -> Lit {
        if let (Some(x), Some(y)) = (a.value(), b.value()) {
            let (x, y) = match by_sign {
                true => (signed(a.width(), x), signed(b.width(), y)),
                // The order of numbers without a sign.
                false => ((x ^ 1 << 127) as i128, (y ^ 1 << 127) as i128),
            };
            return Lit::constant(if or_equal { x <= y } else { x < y });
        }
        let width = a.width().min(b.width());
        let mut less = Lit::constant(or_equal);
        for i in 0..width {
            let (mut x, mut y) = (a.bit(i), b.bit(i));
            if by_sign && i + 1 == width {
                (x, y) = (y, x);
            }
            // Higher bits decide.
            let (lt, le) = (self.aig.and(!x, y), self.aig.or(!x, y));
            let keep = self.aig.and(le, less);
            less = self.aig.or(lt, keep);
        }
        less
    }

    pub(crate) fn not(&mut self, a: &Word) -> Word {
        match a {
            Word::Number { bits, value } => Word::number(*bits, !value),
            Word::Bits(lits) => Word::of(lits.iter().map(|&l| !l).collect()),
        }
    }

    pub(crate) fn negate(&mut self, a: &Word) -> Word {
        let zero = Word::number(a.width(), 0);
        self.compute(Op2::Sub, &zero, a)
    }

    fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
        let mut out = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.aig.xor(x, y);
            out.push(self.aig.xor(half, carry));
            let (both, over) = (self.aig.and(x, y), self.aig.and(half, carry));
            carry = self.aig.or(both, over);
        }
        out
    }

    pub(crate) fn compute(&mut self, op: Op2, a: &Word, b: &Word) -> Word {
        let bits = a.width();
        if let (Some(x), Some(y)) = (a.value(), b.value())
            && bits <= 128
        {
            return Word::number(bits, numbers(op, bits, x, y));
        }
        match op {
            Op2::Add => {
                // A pointer and an offset most often share no bits.
                Word::of(self.sum(&a.lits(), &b.lits(), Lit::FALSE))
            }
            Op2::Sub => {
                let b: Vec<Lit> = b.lits().into_iter().map(|l| !l).collect();
                Word::of(self.sum(&a.lits(), &b, Lit::TRUE))
            }
            Op2::And => self.bitwise(a, b, Aig::and),
            Op2::Or => self.bitwise(a, b, Aig::or),
            Op2::Xor => self.bitwise(a, b, Aig::xor),
            Op2::Mul => self.product(a, b),
            Op2::DivU => self.divide(a, b).0,
            Op2::RemU => self.divide(a, b).1,
            Op2::DivS | Op2::RemS => self.divide_signed(op, a, b),
        }
    }

    fn bitwise(&mut self, a: &Word, b: &Word, f: fn(&mut Aig, Lit, Lit) -> Lit) -> Word {
        Word::of((0..a.width()).map(|i| f(&mut self.aig, a.bit(i), b.bit(i))).collect())
    }

    fn product(&mut self, a: &Word, b: &Word) -> Word {
        let constants = |w: &Word| w.lits().iter().filter(|l| **l == Lit::FALSE).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let (a, b) = (a.lits(), b.lits());
        let n = a.len();
        let mut out = vec![Lit::FALSE; n];
        for (i, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let part: Vec<Lit> = a[..n - i].iter().map(|&l| self.aig.and(l, bit)).collect();
            let high = self.sum(&out[i..], &part, Lit::FALSE);
            out[i..].copy_from_slice(&high);
        }
        Word::of(out)
    }

    /// Quotient and remainder of numbers without a sign; by 0, anything.
    fn divide(&mut self, a: &Word, b: &Word) -> (Word, Word) {
        let n = a.width();
        if let Some(d) = b.value()
            && d.is_power_of_two()
        {
            let k = d.trailing_zeros();
            return (a.slice(k, n - k).resized(n, false), a.slice(0, k).resized(n, false));
        }
        let mut divisor = b.lits();
        // The remainder is smaller than the divisor: its known zeros are the remainder's.
        while divisor.len() > 1 && divisor.last() == Some(&Lit::FALSE) {
            divisor.pop();
        }
        let m = divisor.len();
        divisor.push(Lit::FALSE);
        let divisor = Word::of(divisor);
        let mut rest = Word::number(m as u32 + 1, 0);
        let mut quotient = vec![Lit::FALSE; n as usize];
        for i in (0..n).rev() {
            let mut shifted = vec![a.bit(i)];
            shifted.extend((0..m as u32).map(|k| rest.bit(k)));
            let shifted = Word::of(shifted);
            let fits = self.less(&divisor, &shifted, false, true);
            quotient[i as usize] = fits;
            let less = self.compute(Op2::Sub, &shifted, &divisor);
            rest = self.ite(fits, &less, &shifted);
        }
        let rest = rest.slice(0, (m as u32).min(n));
        (Word::of(quotient), rest.resized(n, false))
    }

    fn divide_signed(&mut self, op: Op2, a: &Word, b: &Word) -> Word {
        let n = a.width();
        let (sa, sb) = (a.bit(n - 1), b.bit(n - 1));
        let (na, nb) = (self.negate(a), self.negate(b));
        let (ua, ub) = (self.ite(sa, &na, a), self.ite(sb, &nb, b));
        let (quotient, rest) = self.divide(&ua, &ub);
        let (value, sign) = match op {
            Op2::DivS => (quotient, self.aig.xor(sa, sb)),
            _ => (rest, sa),
        };
        let negative = self.negate(&value);
        self.ite(sign, &negative, &value)
    }

    /// A shift by a number whose low bits alone count; the width is a power of two.
    pub(crate) fn shift(&mut self, a: &Word, by: &Word, left: bool, by_sign: bool) -> Word {
        let n = a.width();
        let steps = n.trailing_zeros();
        let by = by.resized(steps.max(1), false);
        if let (Some(x), Some(k)) = (a.value(), by.value()) {
            let k = k as u32 % n;
            return Word::number(
                n,
                match (left, by_sign) {
                    (true, _) => x << k,
                    (false, true) => (signed(n, x) >> k) as u128,
                    (false, false) => x >> k,
                },
            );
        }
        let mut now = a.lits();
        let fill = if by_sign { now[n as usize - 1] } else { Lit::FALSE };
        for step in 0..steps {
            let (bit, by) = (by.bit(step), 1usize << step);
            if bit == Lit::FALSE {
                continue;
            }
            let moved: Vec<Lit> = (0..n as usize)
                .map(|i| match left {
                    true if i >= by => now[i - by],
                    true => Lit::FALSE,
                    false => now.get(i + by).copied().unwrap_or(fill),
                })
                .collect();
            now = (0..n as usize).map(|i| self.aig.ite(bit, moved[i], now[i])).collect();
        }
        Word::of(now)
    }

    /// When a signed product does not fit. Most often the highest bits of the operands tell.
    pub(crate) fn product_overflows(&mut self, x: &Word, y: &Word) -> Lit {
        let bits = x.width();
        let (a, b) = (self.magnitude(x), self.magnitude(y));
        // With bits `i` and `j` the product has at least `i + j + 1` bits, and at most one more.
        let (far, near) = (self.meet(&a, &b, bits), self.meet(&a, &b, bits - 2));
        let (wide_a, wide_b) = (a.resized(bits + 1, false), b.resized(bits + 1, false));
        let product = self.compute(Op2::Mul, &wide_a, &wide_b);
        let (top, next) = (product.bit(bits), product.bit(bits - 1));
        let low = product.slice(0, bits - 1);
        let rest = self.truth(&low);
        let negative = self.aig.xor(x.bit(bits - 1), y.bit(bits - 1));
        // The least number is one further from 0 than the greatest.
        let least = self.aig.and(negative, !rest);
        let beyond = self.aig.and(next, !least);
        let large = self.aig.or(top, beyond);
        let large = self.aig.and(near, large);
        self.aig.or(far, large)
    }

    fn magnitude(&mut self, x: &Word) -> Word {
        let negated = self.negate(x);
        self.ite(x.bit(x.width() - 1), &negated, x)
    }

    /// Whether there are bits of two words whose places add up to so much, or to more.
    fn meet(&mut self, a: &Word, b: &Word, sum: u32) -> Lit {
        let bits = a.width();
        let (mut any, mut above) = (Lit::FALSE, Lit::FALSE);
        // `above`: `b` has a bit from `sum - i` on.
        let mut from = bits;
        for i in 0..bits {
            while from > sum.saturating_sub(i) {
                from -= 1;
                above = self.aig.or(above, b.bit(from));
            }
            let both = self.aig.and(a.bit(i), above);
            any = self.aig.or(any, both);
        }
        any
    }

    /// How a truth is as a number.
    pub(crate) fn flag(&self, lit: Lit, bits: u32) -> Word {
        let mut lits = vec![Lit::FALSE; bits as usize];
        lits[0] = lit;
        Word::of(lits)
    }
}

fn numbers(op: Op2, bits: u32, x: u128, y: u128) -> u128 {
    let (sx, sy) = (signed(bits, x), signed(bits, y));
    match op {
        Op2::Add => x.wrapping_add(y),
        Op2::Sub => x.wrapping_sub(y),
        Op2::Mul => x.wrapping_mul(y),
        Op2::And => x & y,
        Op2::Or => x | y,
        Op2::Xor => x ^ y,
        Op2::DivU => x.checked_div(y).unwrap_or(0),
        Op2::RemU => x.checked_rem(y).unwrap_or(0),
        Op2::DivS if y == 0 => 0,
        Op2::RemS if y == 0 => 0,
        Op2::DivS => sx.wrapping_div(sy) as u128,
        Op2::RemS => sx.wrapping_rem(sy) as u128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When a product does not fit, against the product.
    #[test]
    fn products_that_do_not_fit() {
        for bits in 3..=6u32 {
            let mut c = Circuit::default();
            let (a, b) = (c.input(bits), c.input(bits));
            let over = c.product_overflows(&a, &b);
            for x in 0..1u128 << bits {
                for y in 0..1u128 << bits {
                    let mut values = logic::Valuation::new();
                    for i in 0..bits {
                        values.set(a.bit(i), x >> i & 1 == 1);
                        values.set(b.bit(i), y >> i & 1 == 1);
                    }
                    let product = signed(bits, x) * signed(bits, y);
                    let fits = signed(bits, product as u128) == product;
                    assert_eq!(values.get(&c.aig, over), !fits, "{x} * {y} in {bits} bits");
                    let (p, q) = (Word::number(bits, x), Word::number(bits, y));
                    assert_eq!(Circuit::default().product_overflows(&p, &q), Lit::constant(!fits));
                }
            }
        }
    }

    /// Every operator on every pair of numbers of four bits, as numbers and as functions.
    #[test]
    fn functions_compute_what_numbers_do() {
        let mut c = Circuit::default();
        let (a, b) = (c.input(4), c.input(4));
        let ops = [
            Op2::Add,
            Op2::Sub,
            Op2::Mul,
            Op2::And,
            Op2::Or,
            Op2::Xor,
            Op2::DivU,
            Op2::RemU,
            Op2::DivS,
            Op2::RemS,
        ];
        let computed: Vec<Word> = ops.iter().map(|&op| c.compute(op, &a, &b)).collect();
        let shifts = [(true, false), (false, false), (false, true)];
        let shifted: Vec<Word> = shifts.iter().map(|&(l, s)| c.shift(&a, &b, l, s)).collect();
        let orders = [(false, false), (false, true), (true, false), (true, true)];
        let less: Vec<Lit> = orders.iter().map(|&(s, e)| c.less(&a, &b, s, e)).collect();
        let same = c.equal(&a, &b);
        for x in 0..16u128 {
            for y in 0..16u128 {
                let mut model = logic::Valuation::new();
                for i in 0..4 {
                    model.set(a.bit(i), x >> i & 1 == 1);
                    model.set(b.bit(i), y >> i & 1 == 1);
                }
                let mut value = |w: &Word| -> u128 {
                    (0..4).map(|i| u128::from(model.get(&c.aig, w.bit(i))) << i).sum()
                };
                for (op, word) in ops.iter().zip(&computed) {
                    let divides = matches!(op, Op2::DivU | Op2::RemU | Op2::DivS | Op2::RemS);
                    if !(divides && y == 0) {
                        assert_eq!(value(word), numbers(*op, 4, x, y) & 15, "{op:?} {x} {y}");
                    }
                }
                let mut plain = Circuit::default();
                let (p, q) = (Word::number(4, x), Word::number(4, y));
                for (&(l, s), word) in shifts.iter().zip(&shifted) {
                    assert_eq!(Some(value(word)), plain.shift(&p, &q, l, s).value());
                }
                for (&(s, e), &lit) in orders.iter().zip(&less) {
                    let expected = plain.less(&p, &q, s, e) == Lit::TRUE;
                    assert_eq!(model.get(&c.aig, lit), expected, "{x} {y} {s} {e}");
                }
                assert_eq!(model.get(&c.aig, same), x == y);
            }
        }
    }
}
