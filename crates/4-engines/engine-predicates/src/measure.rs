//! Measures: what gets smaller from place to place, as numbers, as formulas, and for people.
//!
//! Words have finitely many values, so that whatever gets smaller again and again comes to an end; no measure needs a
//! bound.

use crate::graph::Variable;
use crate::predicates::{Pred, add, as_signed, compare, constant, mask};
use logic::{Aig, Lit};
use std::cmp::Ordering;

/// The largest factor, the largest number, and the most terms of a sum.
const FACTOR: u64 = 64;
const TERMS: usize = 8;
const NUMBER: u32 = 100;
/// Bits that a sum needs beside those of its words: factors, terms, and the sign.
const MORE: usize = 12;

/// A variable with a factor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// The variable.
    pub of: usize,
    /// How often.
    pub factor: i64,
    /// It is taken as a number with a sign.
    pub signed: bool,
}

/// A number that each state of a place has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Measure {
    /// The same at all states.
    Number(u32),
    /// A sum of variables and a number, which nothing is too large for; at least `least`.
    Sum {
        /// The variables.
        terms: Vec<Term>,
        /// The number.
        number: i128,
        /// What it is at least.
        least: Option<i128>,
    },
    /// A sum of variables of one width and a number, as that width has room for it, without a sign.
    Around {
        /// The variables.
        terms: Vec<Term>,
        /// The number.
        number: u128,
    },
    /// 1 where a predicate holds, 0 elsewhere.
    Holds {
        /// The predicate.
        pred: Pred,
        /// Or where it does not.
        holds: bool,
    },
}

/// Of each place, measures: the first that changes gets smaller.
pub type Ranks = Vec<Vec<Measure>>;

impl Measure {
    /// Whether it makes sense for these variables.
    pub fn fits(&self, variables: &[Variable]) -> bool {
        let known = |terms: &[Term], most: u64| {
            let factor = |t: &Term| (1..=most).contains(&t.factor.unsigned_abs());
            let fits = |t: &Term| t.of < variables.len() && factor(t);
            (1..=TERMS).contains(&terms.len()) && terms.iter().all(fits)
        };
        let small = |n: i128| n.unsigned_abs() >> NUMBER == 0;
        match self {
            Measure::Number(_) => true,
            Measure::Sum { terms, number, least } => {
                known(terms, FACTOR) && small(*number) && least.is_none_or(small)
            }
            Measure::Around { terms, number } => {
                let width = |t: &Term| variables[t.of].bits.len();
                known(terms, u64::MAX)
                    && terms.iter().all(|t| width(t) == width(&terms[0]))
                    && number & !mask(width(&terms[0])) == 0
            }
            Measure::Holds { pred, .. } => pred.fits(variables),
        }
    }

    /// As a number with a sign, of as many bits as it needs.
    pub(crate) fn build(&self, aig: &mut Aig, words: &[Vec<Lit>]) -> Vec<Lit> {
        match self {
            Measure::Number(number) => constant(u128::from(*number), 34),
            Measure::Holds { pred, holds } => {
                let lit = pred.build(aig, words).xor_sign(!holds);
                vec![lit, Lit::FALSE]
            }
            Measure::Around { terms, number } => {
                let width = words[terms[0].of].len();
                let mut sum = constant(*number, width);
                for term in terms {
                    sum = multiple(aig, &words[term.of], term.factor, sum);
                }
                sum.push(Lit::FALSE);
                sum
            }
            Measure::Sum { terms, number, least } => {
                let widest = terms.iter().map(|t| words[t.of].len()).max().unwrap_or(1);
                let numbers = [Some(*number), *least].into_iter().flatten();
                let needs = |n: i128| 129 - n.unsigned_abs().leading_zeros() as usize;
                let width = widest.max(numbers.map(needs).max().unwrap_or(1)) + MORE;
                let mut sum = signed_constant(*number, width);
                for term in terms {
                    let word = extended(&words[term.of], width, term.signed);
                    sum = multiple(aig, &word, term.factor, sum);
                }
                let Some(least) = least else { return sum };
                let least = signed_constant(*least, width);
                let below = compare(aig, &sum, &least, true, false);
                sum.iter().zip(&least).map(|(&s, &l)| aig.ite(below, l, s)).collect()
            }
        }
    }

    /// Its value for some numbers; none where that is too large to be told.
    pub fn value(&self, values: &[u128], variables: &[Variable]) -> Option<i128> {
        let width = |t: &Term| variables[t.of].bits.len();
        match self {
            Measure::Number(number) => Some(i128::from(*number)),
            Measure::Holds { pred, holds } => {
                Some(i128::from(pred.holds(values, variables) == *holds))
            }
            Measure::Around { terms, number } => {
                let mut sum = *number;
                for term in terms {
                    let part = values[term.of].wrapping_mul(i128::from(term.factor) as u128);
                    sum = sum.wrapping_add(part);
                }
                i128::try_from(sum & mask(width(&terms[0]))).ok()
            }
            Measure::Sum { terms, number, least } => {
                let mut sum = *number;
                for term in terms {
                    let value = match term.signed {
                        true => as_signed(values[term.of], width(term)),
                        false => i128::try_from(values[term.of]).ok()?,
                    };
                    sum = sum.checked_add(value.checked_mul(i128::from(term.factor))?)?;
                }
                Some(least.map_or(sum, |least| sum.max(least)))
            }
        }
    }

    /// As an expression of C.
    pub fn text(&self, variables: &[Variable]) -> String {
        let name = |t: &Term, around: bool| {
            let variable = &variables[t.of];
            let cast = match (variable.signed, t.signed) {
                _ if around => "",
                (true, false) => "(unsigned)",
                (false, true) => "(signed)",
                _ => "",
            };
            format!("{cast}{}", variable.name)
        };
        let sum = |terms: &[Term], number: i128, around: bool| {
            let mut out = String::new();
            // What is added comes first.
            let (plus, minus): (Vec<&Term>, Vec<&Term>) =
                terms.iter().partition(|term| term.factor > 0);
            let first = plus.is_empty() && number > 0;
            if first {
                out += &number.to_string();
            }
            for term in plus.into_iter().chain(minus) {
                let sign = match (out.is_empty(), term.factor > 0) {
                    (true, true) => "",
                    (true, false) => "-",
                    (false, true) => " + ",
                    (false, false) => " - ",
                };
                out += sign;
                if term.factor.unsigned_abs() != 1 {
                    out += &format!("{} * ", term.factor.unsigned_abs());
                }
                out += &name(term, around);
            }
            match number {
                0 => out,
                _ if first => out,
                n if n < 0 => format!("{out} - {}", n.unsigned_abs()),
                n => format!("{out} + {n}"),
            }
        };
        match self {
            Measure::Number(number) => number.to_string(),
            Measure::Sum { terms, number, least: None } => sum(terms, *number, false),
            Measure::Sum { terms, number, least: Some(least) } => {
                format!("max({}, {least})", sum(terms, *number, false))
            }
            Measure::Around { terms, number } => {
                let width = variables[terms[0].of].bits.len();
                format!("(unsigned)({})", sum(terms, as_signed(*number, width), true))
            }
            Measure::Holds { pred, holds } => format!("({})", pred.text(*holds, variables)),
        }
    }
}

fn signed_constant(number: i128, width: usize) -> Vec<Lit> {
    (0..width).map(|i| Lit::constant(number >> i.min(127) & 1 == 1)).collect()
}

fn extended(word: &[Lit], width: usize, signed: bool) -> Vec<Lit> {
    let top = match signed {
        true => word.last().copied().unwrap_or(Lit::FALSE),
        false => Lit::FALSE,
    };
    let more = std::iter::repeat_n(top, width.saturating_sub(word.len()));
    word.iter().copied().chain(more).collect()
}

/// A word so many times, which may be less than none, and another one.
fn multiple(aig: &mut Aig, word: &[Lit], factor: i64, other: Vec<Lit>) -> Vec<Lit> {
    let times = factor.unsigned_abs() as u128;
    if factor >= 0 {
        return crate::predicates::times(aig, word, times, other);
    }
    // -x is ~x + 1.
    let inverse: Vec<Lit> = word.iter().map(|&l| !l).collect();
    let sum = crate::predicates::times(aig, &inverse, times, other);
    add(aig, &sum, &constant(times, word.len()))
}

/// Two words with a sign, made equally long.
fn aligned(a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let width = a.len().max(b.len());
    (extended(a, width, true), extended(b, width, true))
}

/// When one measure is below another one, and when they are equal.
pub(crate) fn ordered(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Lit, Lit) {
    let (a, b) = aligned(a, b);
    (compare(aig, &a, &b, true, false), aig.equal(&a, &b))
}

/// When measures after a step are below those before it: the first that changes gets smaller.
pub(crate) fn descends(
    aig: &mut Aig,
    (after, new): (&[Measure], &[Vec<Lit>]),
    (before, old): (&[Measure], &[Vec<Lit>]),
) -> Lit {
    let mut out = Lit::FALSE;
    for (a, b) in after.iter().zip(before).rev() {
        let (x, y) = (a.build(aig, new), b.build(aig, old));
        let (less, same) = ordered(aig, &x, &y);
        let rest = aig.and(same, out);
        out = aig.or(less, rest);
    }
    out
}

/// The order of two values.
pub(crate) fn order(a: Option<i128>, b: Option<i128>) -> Option<Ordering> {
    Some(a?.cmp(&b?))
}
