//! Numbers with fractions as circuits: the operators, comparisons and conversions of binary32 and binary64 [ieee754 §3].
//!
//! - FP1: an operation computes the exact result and rounds it once, to the nearest, a tie to the even one
//!   [ieee754 §4.3.1]. Subnormal numbers are there; what is too large is infinite.
//! - FP2: the bits of a NaN that an operation makes are arbitrary, but for those that make it a quiet one: compilers,
//!   processors and the order of operands decide on its sign and the rest, and no two agree.
//! - FP3: a number that does not fit into the integer it is converted to gives an arbitrary one.
//! - FP4: where pointers have 32 bits, compilers compute with the processor's 80 bits unless they are told not to. A run that is
//!   found there is one with `-msse2 -mfpmath=sse`; what can come after a result that more bits would change is not said
//!   to be impossible (`Why::Excess`).
//!
//! The widths are parameters, so that small formats can be looked through whole in tests.
//! Exponents are words with a sign, of [`WIDE`] bits, and have the bias of the format on them.

use crate::word::{Circuit, Op2, Word};
use logic::Lit;

/// Bits of an exponent on the way, with its sign: enough for all sums of those of binary64.
const WIDE: u32 = 13;

/// How many bits a number has for what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    pub(crate) exponent: u32,
    pub(crate) fraction: u32,
}

/// `float`.
pub(crate) const BINARY32: Format = Format { exponent: 8, fraction: 23 };
/// `double`.
pub(crate) const BINARY64: Format = Format { exponent: 11, fraction: 52 };

impl Format {
    pub(crate) fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }
    /// The bits without the sign.
    fn magnitude(self) -> u32 {
        self.exponent + self.fraction
    }
    fn bias(self) -> i128 {
        (1 << (self.exponent - 1)) - 1
    }
    fn infinite(self) -> Word {
        let ones = (1 << self.exponent) - 1;
        Word::number(self.magnitude(), ones << self.fraction)
    }
}

/// To which whole number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Towards {
    Zero,
    Down,
    Up,
    /// The nearest, a tie to the even one.
    Even,
    /// The nearest, a tie away from zero.
    Away,
}

/// A number taken apart: `significand · 2^(exponent - bias - fraction)`, if it is one.
struct Parts {
    sign: Lit,
    nan: Lit,
    infinite: Lit,
    zero: Lit,
    exponent: Word,
    significand: Word,
}

fn small(value: i128) -> Word {
    Word::number(WIDE, value as u128)
}

/// A word with zeros below it.
fn raised(word: &Word, by: u32) -> Word {
    let mut lits = vec![Lit::FALSE; by as usize];
    lits.extend(word.lits());
    Word::of(lits)
}

impl Circuit {
    fn parts(&mut self, f: Format, x: &Word) -> Parts {
        let (fraction, field) = (x.slice(0, f.fraction), x.slice(f.fraction, f.exponent));
        let ones = Word::number(f.exponent, u128::MAX);
        let (top, some) = (self.equal(&field, &ones), self.truth(&fraction));
        let normal = self.truth(&field);
        let mut exponent = field.lits();
        exponent[0] = self.aig.or(exponent[0], !normal);
        let mut significand = fraction.lits();
        significand.push(normal);
        Parts {
            sign: x.bit(f.magnitude()),
            nan: self.aig.and(top, some),
            infinite: self.aig.and(top, !some),
            zero: self.aig.and(!normal, !some),
            exponent: Word::of(exponent).resized(WIDE, false),
            significand: Word::of(significand),
        }
    }

    /// FP2.
    pub(crate) fn some_nan(&mut self, f: Format) -> Word {
        let mut lits = self.input(f.fraction - 1).lits();
        lits.resize(f.magnitude() as usize, Lit::TRUE);
        lits.push(self.aig.input());
        Word::of(lits)
    }

    /// NaN, or infinite, or a number.
    fn chosen(&mut self, f: Format, nan: Lit, infinite: Lit, sign: Lit, number: &Word) -> Word {
        let endless = signed(sign, &f.infinite());
        let out = self.ite(infinite, &endless, number);
        if nan == Lit::FALSE {
            return out;
        }
        let none = self.some_nan(f);
        self.ite(nan, &none, &out)
    }

    /// Moves the highest bit to the top; how far.
    fn normalised(&mut self, word: &Word) -> (Word, Word) {
        let mut now = word.lits();
        let n = now.len();
        let steps = usize::BITS - (n - 1).leading_zeros();
        let mut far = vec![Lit::FALSE; steps as usize];
        for step in (0..steps).rev() {
            let by = 1usize << step;
            let none = self.aig.and_all(now[n - by..].iter().map(|&l| !l));
            far[step as usize] = none;
            for i in (0..n).rev() {
                let below = if i >= by { now[i - by] } else { Lit::FALSE };
                now[i] = self.aig.ite(none, below, now[i]);
            }
        }
        (Word::of(now), Word::of(far))
    }

    /// Moves bits down; those that fall off are remembered in the lowest one.
    fn down(&mut self, word: &Word, by: &Word) -> Word {
        let mut now = word.lits();
        let n = now.len();
        for (step, &bit) in by.lits().iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let by = (1usize << step.min(30)).min(n);
            let lost = !self.aig.and_all(now[..by].iter().map(|&l| !l));
            for i in 0..n {
                let above = now.get(i + by).copied().unwrap_or(Lit::FALSE);
                let moved = if i == 0 { self.aig.or(above, lost) } else { above };
                now[i] = self.aig.ite(bit, moved, now[i]);
            }
        }
        Word::of(now)
    }

    /// FP1: the number with this sign whose significand has its highest bit at the exponent. The lowest bit may stand for all that
    /// follows it.
    fn rounded(&mut self, f: Format, sign: Lit, exponent: &Word, significand: &Word) -> Word {
        let least = f.fraction + 3;
        let padded = raised(significand, least.saturating_sub(significand.width()));
        let zero = !self.truth(&padded);
        let (top, far) = self.normalised(&padded);
        let exponent = self.compute(Op2::Sub, exponent, &far.resized(WIDE, false));
        // Below the least exponent, there are fewer bits.
        let one = small(1);
        let low = self.less(&exponent, &one, true, false);
        let missing = self.compute(Op2::Sub, &one, &exponent);
        let none = small(0);
        let missing = self.ite(low, &missing, &none);
        let exponent = self.ite(low, &one, &exponent);
        let top = self.down(&top, &missing);
        let n = top.width();
        let kept = top.slice(n - f.fraction - 1, f.fraction + 1);
        let half = top.bit(n - f.fraction - 2);
        let rest = top.slice(0, n - f.fraction - 2);
        let rest = self.truth(&rest);
        let odd = self.aig.or(rest, kept.bit(0));
        let up = self.aig.and(half, odd);
        // The highest bit counts for one of the exponent; so does a carry.
        let field = self.compute(Op2::Sub, &exponent, &one);
        let width = WIDE + f.fraction;
        let high = raised(&field, f.fraction);
        let all = self.compute(Op2::Add, &high, &kept.resized(width, false));
        let all = self.compute(Op2::Add, &all, &Word::of(vec![up]).resized(width, false));
        let field = all.slice(f.fraction, WIDE);
        let over = self.less(&small((1 << f.exponent) - 1), &field, true, true);
        let magnitude = self.ite(over, &f.infinite(), &all.slice(0, f.magnitude()));
        let magnitude = self.ite(zero, &Word::number(f.magnitude(), 0), &magnitude);
        signed(sign, &magnitude)
    }

    pub(crate) fn float_add(&mut self, f: Format, x: &Word, y: &Word) -> Word {
        let (a, b) = (x.slice(0, f.magnitude()), y.slice(0, f.magnitude()));
        let swap = self.less(&a, &b, false, false);
        let (large, little) = (self.ite(swap, y, x), self.ite(swap, x, y));
        let (p, q) = (self.parts(f, &large), self.parts(f, &little));
        let apart = self.compute(Op2::Sub, &p.exponent, &q.exponent);
        // Three bits more are enough to round rightly.
        let (a, b) = (raised(&p.significand, 3), raised(&q.significand, 3));
        let b = self.down(&b, &apart.slice(0, f.exponent));
        let minus = self.aig.xor(p.sign, q.sign);
        let width = f.fraction + 5;
        let (a, b) = (a.resized(width, false), b.resized(width, false));
        let (sum, rest) = (self.compute(Op2::Add, &a, &b), self.compute(Op2::Sub, &a, &b));
        let sum = self.ite(minus, &rest, &sum);
        let exponent = self.compute(Op2::Add, &p.exponent, &small(1));
        // What cancels out is +0.
        let some = self.truth(&sum);
        let gone = self.aig.and(minus, !some);
        let sign = self.aig.and(p.sign, !gone);
        let number = self.rounded(f, sign, &exponent, &sum);
        let both = self.aig.and_all([p.infinite, q.infinite, minus]);
        let nan = self.aig.or(p.nan, q.nan);
        let nan = self.aig.or(nan, both);
        self.chosen(f, nan, p.infinite, p.sign, &number)
    }

    pub(crate) fn float_subtract(&mut self, f: Format, x: &Word, y: &Word) -> Word {
        let minus = signed(!y.bit(f.magnitude()), &y.slice(0, f.magnitude()));
        self.float_add(f, x, &minus)
    }

    pub(crate) fn float_multiply(&mut self, f: Format, x: &Word, y: &Word) -> Word {
        let (p, q) = (self.parts(f, x), self.parts(f, y));
        let width = 2 * (f.fraction + 1);
        let (a, b) = (p.significand.resized(width, false), q.significand.resized(width, false));
        let product = self.compute(Op2::Mul, &a, &b);
        let exponent = self.compute(Op2::Add, &p.exponent, &q.exponent);
        let exponent = self.compute(Op2::Add, &exponent, &small(1 - f.bias()));
        let sign = self.aig.xor(p.sign, q.sign);
        let number = self.rounded(f, sign, &exponent, &product);
        let infinite = self.aig.or(p.infinite, q.infinite);
        let zero = self.aig.or(p.zero, q.zero);
        let neither = self.aig.and(infinite, zero);
        let nan = self.aig.or(p.nan, q.nan);
        let nan = self.aig.or(nan, neither);
        self.chosen(f, nan, infinite, sign, &number)
    }

    pub(crate) fn float_divide(&mut self, f: Format, x: &Word, y: &Word) -> Word {
        let (p, q) = (self.parts(f, x), self.parts(f, y));
        let (a, a_far) = self.normalised(&p.significand);
        let (b, b_far) = self.normalised(&q.significand);
        let exponent = self.compute(Op2::Sub, &p.exponent, &a_far.resized(WIDE, false));
        let exponent = self.compute(Op2::Sub, &exponent, &q.exponent);
        let exponent = self.compute(Op2::Add, &exponent, &b_far.resized(WIDE, false));
        let exponent = self.compute(Op2::Add, &exponent, &small(f.bias()));
        // Digit by digit; what is left is less than twice the divisor.
        let width = f.fraction + 3;
        let (mut rest, divisor) = (a.resized(width, false), b.resized(width, false));
        let mut digits = Vec::new();
        for _ in 0..f.fraction + 3 {
            let less = self.compute(Op2::Sub, &rest, &divisor);
            let fits = !less.bit(width - 1);
            digits.push(fits);
            let left = self.ite(fits, &less, &rest);
            rest = raised(&left.slice(0, width - 1), 1);
        }
        digits.push(self.truth(&rest));
        digits.reverse();
        let sign = self.aig.xor(p.sign, q.sign);
        let number = self.rounded(f, sign, &exponent, &Word::of(digits));
        let nothing = signed(sign, &Word::number(f.magnitude(), 0));
        let number = self.ite(q.infinite, &nothing, &number);
        let (endless, nowhere) =
            (self.aig.and(p.infinite, q.infinite), self.aig.and(p.zero, q.zero));
        let infinite = self.aig.or(p.infinite, q.zero);
        let nan = self.aig.or(p.nan, q.nan);
        let neither = self.aig.or(endless, nowhere);
        let nan = self.aig.or(nan, neither);
        self.chosen(f, nan, infinite, sign, &number)
    }

    pub(crate) fn float_root(&mut self, f: Format, x: &Word) -> Word {
        let p = self.parts(f, x);
        let (a, far) = self.normalised(&p.significand);
        let exponent = self.compute(Op2::Sub, &p.exponent, &far.resized(WIDE, false));
        let plain = self.compute(Op2::Sub, &exponent, &small(f.bias()));
        // An even exponent, whose half is that of the root.
        let twice = raised(&a, 1);
        let a = self.ite(plain.bit(0), &twice, &a.resized(f.fraction + 2, false));
        let half = plain.slice(1, WIDE - 1).resized(WIDE, true);
        let exponent = self.compute(Op2::Add, &half, &small(f.bias()));
        let radicand = raised(&a, f.fraction + 4);
        let width = f.fraction + 6;
        let (mut root, mut rest) = (Word::number(width, 0), Word::number(width, 0));
        for i in (0..f.fraction + 3).rev() {
            let mut lits = radicand.slice(2 * i, 2).lits();
            lits.extend(rest.slice(0, width - 2).lits());
            let next = Word::of(lits);
            let mut lits = vec![Lit::TRUE, Lit::FALSE];
            lits.extend(root.slice(0, width - 2).lits());
            let less = self.compute(Op2::Sub, &next, &Word::of(lits));
            let fits = !less.bit(width - 1);
            rest = self.ite(fits, &less, &next);
            let mut lits = vec![fits];
            lits.extend(root.slice(0, width - 1).lits());
            root = Word::of(lits);
        }
        let mut lits = vec![self.truth(&rest)];
        lits.extend(root.slice(0, f.fraction + 3).lits());
        let number = self.rounded(f, p.sign, &exponent, &Word::of(lits));
        let minus = self.aig.and(p.sign, !p.zero);
        let nan = self.aig.or(p.nan, minus);
        self.chosen(f, nan, p.infinite, p.sign, &number)
    }

    pub(crate) fn float_equal(&mut self, f: Format, x: &Word, y: &Word) -> Lit {
        let (p, q) = (self.parts(f, x), self.parts(f, y));
        let (zeros, same) = (self.aig.and(p.zero, q.zero), self.equal(x, y));
        let equal = self.aig.or(zeros, same);
        self.aig.and_all([equal, !p.nan, !q.nan])
    }

    /// `x < y`, or `x <= y`.
    pub(crate) fn float_less(&mut self, f: Format, x: &Word, y: &Word, or_equal: bool) -> Lit {
        let (p, q) = (self.parts(f, x), self.parts(f, y));
        let (a, b) = (x.slice(0, f.magnitude()), y.slice(0, f.magnitude()));
        let (up, down) = (self.less(&a, &b, false, or_equal), self.less(&b, &a, false, or_equal));
        let same = self.aig.ite(p.sign, down, up);
        let differ = self.aig.xor(p.sign, q.sign);
        let less = self.aig.ite(differ, p.sign, same);
        let zeros = self.aig.and(p.zero, q.zero);
        let less = self.aig.ite(zeros, Lit::constant(or_equal), less);
        self.aig.and_all([less, !p.nan, !q.nan])
    }

    pub(crate) fn float_is_nan(&mut self, f: Format, x: &Word) -> Lit {
        self.parts(f, x).nan
    }

    pub(crate) fn float_is_infinite(&mut self, f: Format, x: &Word) -> Lit {
        self.parts(f, x).infinite
    }

    /// The same number in another format.
    pub(crate) fn float_resized(&mut self, from: Format, to: Format, x: &Word) -> Word {
        let p = self.parts(from, x);
        let exponent = self.compute(Op2::Add, &p.exponent, &small(to.bias() - from.bias()));
        let number = self.rounded(to, p.sign, &exponent, &p.significand);
        self.chosen(to, p.nan, p.infinite, p.sign, &number)
    }

    pub(crate) fn float_of_int(&mut self, f: Format, x: &Word, by_sign: bool) -> Word {
        let bits = x.width();
        let sign = if by_sign { x.bit(bits - 1) } else { Lit::FALSE };
        let minus = self.negate(x);
        let magnitude = self.ite(sign, &minus, x);
        let exponent = small(f.bias() + i128::from(bits) - 1);
        self.rounded(f, sign, &exponent, &magnitude)
    }

    /// A number without its fraction as an integer, and whether it fits.
    pub(crate) fn float_to_int(
        &mut self,
        f: Format,
        x: &Word,
        bits: u32,
        by_sign: bool,
    ) -> (Word, Lit) {
        let p = self.parts(f, x);
        let plain = self.compute(Op2::Sub, &p.exponent, &small(f.bias()));
        let (none, limit) = (small(0), small(bits.into()));
        let low = self.less(&plain, &none, true, false);
        let high = self.less(&limit, &plain, true, true);
        let mut now = p.significand.resized(f.fraction + 1 + bits, false).lits();
        let n = now.len();
        for step in 0..u32::BITS - (bits - 1).leading_zeros() {
            let (bit, by) = (plain.bit(step), 1usize << step);
            for i in (0..n).rev() {
                let below = if i >= by { now[i - by] } else { Lit::FALSE };
                now[i] = self.aig.ite(bit, below, now[i]);
            }
        }
        let magnitude = Word::of(now).slice(f.fraction, bits);
        let magnitude = self.ite(low, &Word::number(bits, 0), &magnitude);
        let minus = self.negate(&magnitude);
        let value = self.ite(p.sign, &minus, &magnitude);
        let (some, top) = (self.truth(&magnitude), magnitude.bit(bits - 1));
        let below = self.truth(&magnitude.slice(0, bits - 1));
        let beyond = match by_sign {
            true => {
                // The least number is one further from 0 than the greatest.
                let least = self.aig.and(p.sign, !below);
                self.aig.and(top, !least)
            }
            false => self.aig.and(p.sign, some),
        };
        let fits = self.aig.and_all([!beyond, !high, !p.nan, !p.infinite]);
        (value, fits)
    }

    /// The whole number next to a number.
    pub(crate) fn float_whole(&mut self, f: Format, x: &Word, towards: Towards) -> Word {
        let p = self.parts(f, x);
        let most = small(f.bias() + i128::from(f.fraction));
        let whole = self.less(&most, &p.exponent, true, true);
        let by = self.compute(Op2::Sub, &most, &p.exponent);
        let by = self.ite(whole, &small(0), &by);
        let all = self.down(&raised(&p.significand, 2), &by);
        let (kept, half, rest) = (all.slice(2, f.fraction + 1), all.bit(1), all.bit(0));
        let some = self.aig.or(half, rest);
        let up = match towards {
            Towards::Zero => Lit::FALSE,
            Towards::Down => self.aig.and(p.sign, some),
            Towards::Up => self.aig.and(!p.sign, some),
            Towards::Even => {
                let odd = self.aig.or(rest, kept.bit(0));
                self.aig.and(half, odd)
            }
            Towards::Away => half,
        };
        let width = f.fraction + 2;
        let one = Word::of(vec![up]).resized(width, false);
        let magnitude = self.compute(Op2::Add, &kept.resized(width, false), &one);
        let exponent = small(f.bias() + i128::from(width) - 1);
        let number = self.rounded(f, p.sign, &exponent, &magnitude);
        let out = self.ite(whole, x, &number);
        self.chosen(f, p.nan, Lit::FALSE, p.sign, &out)
    }
}

/// A magnitude with a sign.
fn signed(sign: Lit, magnitude: &Word) -> Word {
    let mut lits = magnitude.lits();
    lits.push(sign);
    Word::of(lits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Valuation;

    /// What is computed from words of inputs, looked up for values of these.
    struct Looked<'c> {
        c: &'c Circuit,
        inputs: Vec<Word>,
    }

    impl Looked<'_> {
        fn at(&self, values: &[u128], outs: &[&Word]) -> Vec<u128> {
            let mut model = Valuation::new();
            for (word, value) in self.inputs.iter().zip(values) {
                for i in 0..word.width() {
                    model.set(word.bit(i), value >> i & 1 == 1);
                }
            }
            let mut value = |w: &&Word| -> u128 {
                (0..w.width()).map(|i| u128::from(model.get(&self.c.aig, w.bit(i))) << i).sum()
            };
            outs.iter().map(&mut value).collect()
        }
    }

    /// The value of a number of a small format, by its definition.
    fn value(f: Format, x: u128) -> f64 {
        let (fraction, field) =
            (x & ((1 << f.fraction) - 1), x >> f.fraction & ((1 << f.exponent) - 1));
        let sign = if x >> f.magnitude() & 1 == 1 { -1.0 } else { 1.0 };
        let scale = |by: i128| 2f64.powi((by - f.bias() - i128::from(f.fraction)) as i32);
        match field {
            0 => sign * fraction as f64 * scale(1),
            _ if field == (1 << f.exponent) - 1 => match fraction {
                0 => sign * f64::INFINITY,
                _ => f64::NAN,
            },
            _ => sign * ((1 << f.fraction) + fraction) as f64 * scale(field as i128),
        }
    }

    /// The number of a small format that is nearest, by looking at all: a tie goes to the one whose last bit is 0, and
    /// beyond the largest the next power counts as infinite.
    fn nearest(f: Format, exact: f64) -> u128 {
        let sign = u128::from(exact.is_sign_negative()) << f.magnitude();
        let (size, endless) = (exact.abs(), f.infinite().value().unwrap());
        if size.is_infinite() {
            return sign | endless;
        }
        let beyond = 2f64.powi((1 << f.exponent) - 1 - f.bias() as i32);
        let far = |x: u128| {
            let at = if x == endless { beyond } else { value(f, x) };
            (at - size).abs()
        };
        let mut best = 0;
        for x in 0..=endless {
            if far(x) < far(best) || (far(x) == far(best) && x & 1 == 0) {
                best = x;
            }
        }
        sign | best
    }

    fn same(f: Format, found: u128, exact: f64, what: &str) {
        if exact.is_nan() {
            assert!(value(f, found).is_nan(), "{what}: {found:x} is a number");
            // A quiet one.
            assert_eq!(found >> (f.fraction - 1) & 1, 1, "{what}");
        } else {
            assert_eq!(found, nearest(f, exact), "{what} is {exact}");
        }
    }

    /// Every pair of numbers of two small formats, by the definition. What is computed in between has more than twice
    /// as many bits, so that rounding it again does no harm.
    #[test]
    fn small_formats_by_definition() {
        for f in [Format { exponent: 3, fraction: 2 }, Format { exponent: 2, fraction: 3 }] {
            let mut c = Circuit::default();
            let (x, y) = (c.input(6), c.input(6));
            let ops = [
                c.float_add(f, &x, &y),
                c.float_subtract(f, &x, &y),
                c.float_multiply(f, &x, &y),
                c.float_divide(f, &x, &y),
                c.float_root(f, &x),
                c.float_whole(f, &x, Towards::Zero),
                c.float_whole(f, &x, Towards::Down),
                c.float_whole(f, &x, Towards::Up),
                c.float_whole(f, &x, Towards::Even),
                c.float_whole(f, &x, Towards::Away),
            ];
            let truths = [
                c.float_equal(f, &x, &y),
                c.float_less(f, &x, &y, false),
                c.float_less(f, &x, &y, true),
                c.float_is_nan(f, &x),
                c.float_is_infinite(f, &x),
            ];
            let truths = truths.map(|lit| Word::of(vec![lit]));
            let looked = Looked { c: &c, inputs: vec![x, y] };
            let outs: Vec<&Word> = ops.iter().chain(&truths).collect();
            for p in 0..64 {
                for q in 0..64 {
                    let found = looked.at(&[p, q], &outs);
                    let (a, b) = (value(f, p), value(f, q));
                    let exact = [
                        a + b,
                        a - b,
                        a * b,
                        a / b,
                        a.sqrt(),
                        a.trunc(),
                        a.floor(),
                        a.ceil(),
                        a.round_ties_even(),
                        a.round(),
                    ];
                    for (i, (&found, exact)) in found.iter().zip(exact).enumerate() {
                        same(f, found, exact, &format!("operator {i} of {a} and {b}"));
                    }
                    let exact = [a == b, a < b, a <= b, a.is_nan(), a.is_infinite()];
                    assert_eq!(found[ops.len()..], exact.map(u128::from), "{a} and {b}");
                }
            }
        }
    }

    /// Numbers of both formats that are likely to make trouble, and others.
    fn samples(f: Format, seed: u64) -> Vec<u128> {
        let (top, bits) = (f.infinite().value().unwrap(), f.bits());
        let one = (f.bias() as u128) << f.fraction;
        let mut out = vec![0, 1, 2, (1 << f.fraction) - 1, 1 << f.fraction, top - 1, top, top + 1];
        out.extend([one, one + 1, one - 1, one + (1 << f.fraction), one + (3 << (f.fraction - 1))]);
        out.extend([top | 1 << (f.fraction - 1), one / 2, one + one / 2, 3]);
        let minus: Vec<u128> = out.iter().map(|x| x | 1 << (bits - 1)).collect();
        out.extend(minus);
        let mut state = seed;
        for round in 0..60u128 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let low = (state >> 7) as u128;
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let any = low << 30 ^ (state >> 11) as u128;
            // Some with exponents that are near each other, some with few bits.
            let near = one + (any & ((3 << f.fraction) | 0xff)) + (any >> 40 & 7);
            out.push(
                [any, near, any & !0 << (f.fraction - 3), near | any & 0xfff][round as usize % 4]
                    & ((1 << bits) - 1),
            );
        }
        out
    }

    macro_rules! against_processor {
        ($name:ident, $ty:ty, $bits:ty, $format:expr) => {
            /// As the processor computes it.
            #[test]
            fn $name() {
                let f = $format;
                let mut c = Circuit::default();
                let (x, y) = (c.input(f.bits()), c.input(f.bits()));
                let outs = [
                    c.float_add(f, &x, &y),
                    c.float_subtract(f, &x, &y),
                    c.float_multiply(f, &x, &y),
                    c.float_divide(f, &x, &y),
                    c.float_root(f, &x),
                    c.float_whole(f, &x, Towards::Zero),
                    c.float_whole(f, &x, Towards::Down),
                    c.float_whole(f, &x, Towards::Up),
                    c.float_whole(f, &x, Towards::Even),
                    c.float_whole(f, &x, Towards::Away),
                ];
                let truths = [
                    c.float_equal(f, &x, &y),
                    c.float_less(f, &x, &y, false),
                    c.float_less(f, &x, &y, true),
                ];
                let truths = truths.map(|lit| Word::of(vec![lit]));
                let looked = Looked { c: &c, inputs: vec![x, y] };
                let all: Vec<&Word> = outs.iter().chain(&truths).collect();
                let samples = samples(f, 20_261_118);
                let mut count = 0u64;
                for (i, &p) in samples.iter().enumerate() {
                    for &q in samples.iter().skip(i % 13).step_by(13) {
                        let (a, b) = (<$ty>::from_bits(p as $bits), <$ty>::from_bits(q as $bits));
                        let exact: [$ty; 10] = [
                            a + b,
                            a - b,
                            a * b,
                            a / b,
                            a.sqrt(),
                            a.trunc(),
                            a.floor(),
                            a.ceil(),
                            a.round_ties_even(),
                            a.round(),
                        ];
                        let found = looked.at(&[p, q], &all);
                        for (k, (&found, exact)) in found.iter().zip(exact).enumerate() {
                            let found = <$ty>::from_bits(found as $bits);
                            assert!(
                                found.to_bits() == exact.to_bits()
                                    || found.is_nan() && exact.is_nan(),
                                "operator {k} of {a:?} and {b:?}: {found:?} instead of {exact:?}"
                            );
                        }
                        let exact = [a == b, a < b, a <= b].map(u128::from);
                        assert_eq!(found[outs.len()..], exact, "{a:?} and {b:?}");
                        count += 1;
                    }
                }
                assert!(count > 600);
            }
        };
    }

    against_processor!(binary32_as_computed, f32, u32, BINARY32);
    against_processor!(binary64_as_computed, f64, u64, BINARY64);

    /// From one format to the other, and to integers and back.
    #[test]
    fn conversions_as_computed() {
        let mut c = Circuit::default();
        let (x, y) = (c.input(32), c.input(64));
        let outs = [
            c.float_resized(BINARY32, BINARY64, &x),
            c.float_resized(BINARY64, BINARY32, &y),
            c.float_of_int(BINARY32, &x, true),
            c.float_of_int(BINARY32, &x, false),
            c.float_of_int(BINARY64, &y, true),
            c.float_of_int(BINARY64, &y, false),
            c.float_of_int(BINARY32, &y, true),
            c.float_of_int(BINARY32, &y, false),
            c.float_of_int(BINARY64, &x.slice(0, 8), true),
        ];
        let kinds = [(8, true), (16, false), (32, true), (32, false), (64, true), (64, false)];
        let mut whole = Vec::new();
        for (bits, by_sign) in kinds {
            for (f, w) in [(BINARY32, &x), (BINARY64, &y)] {
                let (value, fits) = c.float_to_int(f, w, bits, by_sign);
                whole.extend([value, Word::of(vec![fits])]);
            }
        }
        let looked = Looked { c: &c, inputs: vec![x, y] };
        let all: Vec<&Word> = outs.iter().chain(&whole).collect();
        let (mut small, mut large) = (samples(BINARY32, 5), samples(BINARY64, 6));
        // Whole numbers, at the ends of the types.
        for k in 0..65 {
            for by in [-1.0, -0.5, 0.0, 0.5, 1.0] {
                let x = 2f64.powi(k) + by;
                large.extend([x, -x, x.next_down(), x.next_up()].map(|x| u128::from(x.to_bits())));
                small.extend(
                    [x as f32, -x as f32, 1.5, (x as f32).next_down()]
                        .map(|x| u128::from(x.to_bits())),
                );
            }
        }
        for (&p, &q) in small.iter().cycle().zip(large.iter().chain(&small)) {
            let (a, b) = (f32::from_bits(p as u32), f64::from_bits(q as u64));
            let found = looked.at(&[p, q], &all);
            let wide = f64::from_bits(found[0] as u64);
            assert!(wide.to_bits() == f64::from(a).to_bits() || wide.is_nan() && a.is_nan());
            let exact = [b as f32, p as i32 as f32, p as u32 as f32];
            for (found, exact) in found[1..].iter().zip(exact) {
                let found = f32::from_bits(*found as u32);
                let same = found.to_bits() == exact.to_bits();
                assert!(same || found.is_nan() && exact.is_nan(), "{q:x}: {found} {exact}");
            }
            assert_eq!(found[4] as u64, (q as i64 as f64).to_bits());
            assert_eq!(found[5] as u64, (q as u64 as f64).to_bits());
            assert_eq!(found[6] as u32, (q as i64 as f32).to_bits());
            assert_eq!(found[7] as u32, (q as u64 as f32).to_bits());
            assert_eq!(found[8] as u64, f64::from(p as i8).to_bits());
            for (k, (bits, by_sign)) in kinds.into_iter().enumerate() {
                for (j, x) in [f64::from(a), b].into_iter().enumerate() {
                    let at = outs.len() + 4 * k + 2 * j;
                    let to = crate::float::Kind::F64;
                    let exact = crate::float::to_int(to, x.to_bits().into(), bits, by_sign);
                    assert_eq!(
                        found[at + 1] == 1,
                        exact.is_some(),
                        "{x:?} in {bits} bits {by_sign}"
                    );
                    if let Some(exact) = exact {
                        let mask = u128::MAX >> (128 - bits);
                        assert_eq!(found[at], exact as u128 & mask, "{x:?} in {bits} bits");
                    }
                }
            }
        }
    }
}
