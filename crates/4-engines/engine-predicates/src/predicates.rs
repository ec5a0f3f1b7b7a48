//! Predicates on words, as formulas, on numbers, and for people.

use crate::graph::Variable;
use logic::{Aig, Lit};

/// A predicate on the variables of a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pred {
    /// A bit is 1.
    Bit {
        /// The variable.
        of: usize,
        /// Which bit.
        bit: u32,
    },
    /// `of == number`
    Equal {
        /// The variable.
        of: usize,
        /// The number.
        number: u128,
    },
    /// `of <= number`
    Most {
        /// The variable.
        of: usize,
        /// The number.
        number: u128,
        /// In the order of numbers with a sign.
        signed: bool,
    },
    /// `a - b == number`
    Apart {
        /// A variable.
        a: usize,
        /// One of the same width.
        b: usize,
        /// The number.
        number: u128,
    },
    /// `a == by * b + number`
    Linear {
        /// A variable.
        a: usize,
        /// One of the same width.
        b: usize,
        /// How often.
        by: u128,
        /// The number.
        number: u128,
    },
    /// `a + b == c`
    Sum {
        /// A variable.
        a: usize,
        /// One of the same width.
        b: usize,
        /// Another one.
        c: usize,
    },
    /// `a + b == by * c + d + number`
    Plane {
        /// A variable.
        a: usize,
        /// One of the same width.
        b: usize,
        /// Another one.
        c: usize,
        /// And another one, if it is not left out.
        d: Option<usize>,
        /// How often the third one.
        by: u128,
        /// The number.
        number: u128,
    },
    /// `a <= b`
    Ordered {
        /// A variable.
        a: usize,
        /// One of the same width.
        b: usize,
        /// In the order of numbers with a sign.
        signed: bool,
    },
    /// `a < b`
    Below {
        /// A variable.
        a: usize,
        /// One of the same width.
        b: usize,
        /// In the order of numbers with a sign.
        signed: bool,
    },
    /// The lowest bits are those of a number.
    Low {
        /// The variable.
        of: usize,
        /// How many.
        bits: u32,
        /// The number.
        number: u128,
    },
    /// `a - b <= number`, where the difference wraps around.
    Gap {
        /// A variable.
        a: usize,
        /// One of the same width.
        b: usize,
        /// The number.
        number: u128,
        /// In the order of numbers with a sign.
        signed: bool,
    },
}

/// A predicate, or its contrary.
pub type Literal = (Pred, bool);

/// The bits below a width.
pub(crate) fn mask(bits: usize) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// A number of some width as one with a sign.
pub(crate) fn as_signed(value: u128, bits: usize) -> i128 {
    let up = 128 - bits.clamp(1, 128) as u32;
    ((value << up) as i128) >> up
}

fn less(a: u128, b: u128, bits: usize, signed: bool) -> bool {
    if signed { as_signed(a, bits) < as_signed(b, bits) } else { a < b }
}

fn bit(number: u128, i: usize) -> Lit {
    Lit::constant(i < 128 && number >> i & 1 == 1)
}

/// `a < b`, or `a <= b`.
pub(crate) fn compare(aig: &mut Aig, a: &[Lit], b: &[Lit], signed: bool, or_equal: bool) -> Lit {
    let mut out = Lit::constant(or_equal);
    for i in 0..a.len() {
        let (mut x, mut y) = (a[i], b[i]);
        if signed && i + 1 == a.len() {
            (x, y) = (y, x);
        }
        let (lt, le) = (aig.and(!x, y), aig.or(!x, y));
        let keep = aig.and(le, out);
        out = aig.or(lt, keep);
    }
    out
}

pub(crate) fn constant(number: u128, bits: usize) -> Vec<Lit> {
    (0..bits).map(|i| bit(number, i)).collect()
}

pub(crate) fn add(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    add_with(aig, a, b, Lit::FALSE)
}

/// `a - b`, which is `a + !b + 1`.
pub(crate) fn subtract(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let b: Vec<Lit> = b.iter().map(|&l| !l).collect();
    add_with(aig, a, &b, Lit::TRUE)
}

fn add_with(aig: &mut Aig, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
    let mut out = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let half = aig.xor(x, y);
        out.push(aig.xor(half, carry));
        let (p, q) = (aig.and(x, y), aig.and(half, carry));
        carry = aig.or(p, q);
    }
    out
}

/// A word so many times, and another one.
pub(crate) fn times(aig: &mut Aig, word: &[Lit], by: u128, other: Vec<Lit>) -> Vec<Lit> {
    let mut out = other;
    for i in (0..word.len()).filter(|&i| i < 128 && by >> i & 1 == 1) {
        let mut moved = vec![Lit::FALSE; i];
        moved.extend(&word[..word.len() - i]);
        out = add(aig, &out, &moved);
    }
    out
}

impl Pred {
    /// The variables that it is about.
    pub fn variables(&self) -> [usize; 4] {
        match *self {
            Pred::Bit { of, .. }
            | Pred::Equal { of, .. }
            | Pred::Most { of, .. }
            | Pred::Low { of, .. } => [of, of, of, of],
            Pred::Apart { a, b, .. }
            | Pred::Linear { a, b, .. }
            | Pred::Ordered { a, b, .. }
            | Pred::Below { a, b, .. }
            | Pred::Gap { a, b, .. } => [a, b, b, b],
            Pred::Sum { a, b, c } => [a, b, c, c],
            Pred::Plane { a, b, c, d, .. } => [a, b, c, d.unwrap_or(c)],
        }
    }

    /// Whether it makes sense for these variables.
    pub fn fits(&self, variables: &[Variable]) -> bool {
        let [a, b, c, d] = self.variables().map(|v| variables.get(v));
        let (Some(x), Some(y), Some(z), Some(u)) = (a, b, c, d) else { return false };
        let width = x.bits.len();
        width == y.bits.len()
            && width == z.bits.len()
            && width == u.bits.len()
            && match *self {
                Pred::Bit { bit, .. } => (bit as usize) < width,
                Pred::Low { bits, number, .. } => {
                    (bits as usize) <= width && number & !mask(bits as usize) == 0
                }
                Pred::Equal { number, .. } | Pred::Most { number, .. } => {
                    number & !mask(width) == 0
                }
                Pred::Apart { number, .. } | Pred::Gap { number, .. } => number & !mask(width) == 0,
                Pred::Linear { by, number, .. } | Pred::Plane { by, number, .. } => {
                    (number | by) & !mask(width) == 0
                }
                Pred::Ordered { .. } | Pred::Below { .. } | Pred::Sum { .. } => true,
            }
    }

    /// As a function of the bits of the variables.
    pub fn build(&self, aig: &mut Aig, words: &[Vec<Lit>]) -> Lit {
        match *self {
            Pred::Bit { of, bit } => words[of][bit as usize],
            Pred::Equal { of, number } => {
                let bits = words[of].iter().enumerate();
                let same: Vec<Lit> =
                    bits.map(|(i, &l)| l.xor_sign(bit(number, i) == Lit::FALSE)).collect();
                aig.and_all(same)
            }
            Pred::Low { of, bits, number } => {
                let low = words[of].iter().take(bits as usize).enumerate();
                let same: Vec<Lit> =
                    low.map(|(i, &l)| l.xor_sign(bit(number, i) == Lit::FALSE)).collect();
                aig.and_all(same)
            }
            Pred::Most { of, number, signed } => {
                let other: Vec<Lit> = (0..words[of].len()).map(|i| bit(number, i)).collect();
                compare(aig, &words[of], &other, signed, true)
            }
            Pred::Ordered { a, b, signed } => compare(aig, &words[a], &words[b], signed, true),
            Pred::Below { a, b, signed } => compare(aig, &words[a], &words[b], signed, false),
            Pred::Apart { a, b, number } => {
                let number = constant(number, words[a].len());
                let sum = add(aig, &words[b], &number);
                aig.equal(&sum, &words[a])
            }
            Pred::Gap { a, b, number, signed } => {
                let width = words[a].len();
                let less = subtract(aig, &words[a], &words[b]);
                compare(aig, &less, &constant(number, width), signed, true)
            }
            Pred::Sum { a, b, c } => {
                let sum = add(aig, &words[a], &words[b]);
                aig.equal(&sum, &words[c])
            }
            Pred::Plane { a, b, c, d, by, number } => {
                let width = words[a].len();
                let mut left = add(aig, &words[a], &words[b]);
                let mut right = constant(number, width);
                if let Some(d) = d {
                    right = add(aig, &right, &words[d]);
                }
                let less = by.wrapping_neg() & mask(width);
                match by.count_ones() <= less.count_ones() {
                    true => right = times(aig, &words[c], by, right),
                    false => left = times(aig, &words[c], less, left),
                }
                aig.equal(&left, &right)
            }
            Pred::Linear { a, b, by, number } => {
                let width = words[a].len();
                let less = by.wrapping_neg() & mask(width);
                let number = constant(number, width);
                // By so many times, or by less than none.
                if by.count_ones() <= less.count_ones() {
                    let all = times(aig, &words[b], by, number);
                    aig.equal(&all, &words[a])
                } else {
                    let all = times(aig, &words[b], less, words[a].clone());
                    aig.equal(&all, &number)
                }
            }
        }
    }

    /// Whether it holds for some numbers.
    pub fn holds(&self, values: &[u128], variables: &[Variable]) -> bool {
        let width = |v: usize| variables[v].bits.len();
        match *self {
            Pred::Bit { of, bit } => values[of] >> bit & 1 == 1,
            Pred::Equal { of, number } => values[of] == number,
            Pred::Low { of, bits, number } => values[of] & mask(bits as usize) == number,
            Pred::Most { of, number, signed } => !less(number, values[of], width(of), signed),
            Pred::Ordered { a, b, signed } => !less(values[b], values[a], width(a), signed),
            Pred::Below { a, b, signed } => less(values[a], values[b], width(a), signed),
            Pred::Apart { a, b, number } => {
                values[a].wrapping_sub(values[b]) & mask(width(a)) == number
            }
            Pred::Gap { a, b, number, signed } => {
                let less = values[a].wrapping_sub(values[b]) & mask(width(a));
                !self::less(number, less, width(a), signed)
            }
            Pred::Sum { a, b, c } => {
                values[a].wrapping_add(values[b]) & mask(width(a)) == values[c]
            }
            Pred::Plane { a, b, c, d, by, number } => {
                let d = d.map_or(0, |d| values[d]);
                let right = by.wrapping_mul(values[c]).wrapping_add(d).wrapping_add(number);
                values[a].wrapping_add(values[b]).wrapping_sub(right) & mask(width(a)) == 0
            }
            Pred::Linear { a, b, by, number } => {
                let other = by.wrapping_mul(values[b]).wrapping_add(number);
                other & mask(width(a)) == values[a]
            }
        }
    }

    /// As an expression of C, or its contrary.
    pub fn text(&self, holds: bool, variables: &[Variable]) -> String {
        let name = |v: usize| variables[v].name.as_str();
        let number = |n: u128, v: usize, signed: bool| match signed {
            true => as_signed(n, variables[v].bits.len()).to_string(),
            false => n.to_string(),
        };
        // An order that is not the variable's own is written with a cast.
        let cast = |v: usize, signed: bool| match (variables[v].signed, signed) {
            (true, false) => format!("(unsigned){}", name(v)),
            (false, true) => format!("(signed){}", name(v)),
            _ => name(v).to_owned(),
        };
        match *self {
            Pred::Bit { of, bit } => {
                let sign = if holds { "!=" } else { "==" };
                format!("({} >> {bit} & 1) {sign} 0", name(of))
            }
            Pred::Equal { of, number: n } => {
                let sign = if holds { "==" } else { "!=" };
                format!("{} {sign} {}", name(of), number(n, of, variables[of].signed))
            }
            Pred::Low { of, bits, number: n } => {
                let sign = if holds { "==" } else { "!=" };
                format!("({} & {}) {sign} {n}", name(of), mask(bits as usize))
            }
            Pred::Most { of, number: n, signed } => {
                let sign = if holds { "<=" } else { ">" };
                format!("{} {sign} {}", cast(of, signed), number(n, of, signed))
            }
            Pred::Ordered { a, b, signed } => {
                let sign = if holds { "<=" } else { ">" };
                format!("{} {sign} {}", cast(a, signed), cast(b, signed))
            }
            Pred::Below { a, b, signed } => {
                let sign = if holds { "<" } else { ">=" };
                format!("{} {sign} {}", cast(a, signed), cast(b, signed))
            }
            Pred::Sum { a, b, c } => {
                let sign = if holds { "==" } else { "!=" };
                format!("{} + {} {sign} {}", name(a), name(b), name(c))
            }
            Pred::Linear { a, b, by, number: n } => {
                let sign = if holds { "==" } else { "!=" };
                let (by, n) = (number(by, b, true), number(n, a, true));
                match by.strip_prefix('-') {
                    Some("1") => format!("{} + {} {sign} {n}", name(a), name(b)),
                    Some(by) => format!("{} + {by} * {} {sign} {n}", name(a), name(b)),
                    None => format!("{} - {by} * {} {sign} {n}", name(a), name(b)),
                }
            }
            Pred::Plane { a, b, c, d, by, number: n } => {
                let sign = if holds { "==" } else { "!=" };
                let mut right = match number(by, c, true).as_str() {
                    "1" => name(c).to_owned(),
                    by => format!("{by} * {}", name(c)),
                };
                right += &d.map_or(String::new(), |d| format!(" + {}", name(d)));
                match number(n, a, true).strip_prefix('-') {
                    Some(n) => right += &format!(" - {n}"),
                    None if n > 0 => right += &format!(" + {n}"),
                    None => {}
                }
                format!("{} + {} {sign} {right}", name(a), name(b))
            }
            Pred::Gap { a, b, number: n, signed } => {
                let sign = if holds { "<=" } else { ">" };
                format!("{} - {} {sign} {}", cast(a, signed), cast(b, signed), number(n, a, signed))
            }
            Pred::Apart { a, b, number: 0 } => {
                format!("{} {} {}", name(a), if holds { "==" } else { "!=" }, name(b))
            }
            Pred::Apart { a, b, number: n } => {
                let sign = if holds { "==" } else { "!=" };
                format!("{} - {} {sign} {}", name(a), name(b), number(n, a, true))
            }
        }
    }
}
