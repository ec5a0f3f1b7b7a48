//! Words as bits: gates that are made as they are needed.

use crate::{Circuit, Gate, Lit, NO, YES};
use rustc_hash::FxHashMap;

/// A word, the lowest bit first.
pub(crate) type Word = Vec<Lit>;

/// Makes gates, each once.
#[derive(Default)]
pub(crate) struct Maker {
    pub(crate) circuit: Circuit,
    ands: FxHashMap<(Lit, Lit), Lit>,
}

impl Maker {
    pub(crate) fn new() -> Maker {
        let mut maker = Maker::default();
        maker.circuit.gates.push(Gate::No);
        maker
    }

    pub(crate) fn fresh(&mut self, gate: Gate) -> Lit {
        let number = self.circuit.gates.len() as u32;
        self.circuit.gates.push(gate);
        self.circuit.order.push(number);
        number << 1
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.max(b), a.min(b));
        if b == NO || a == b ^ 1 {
            return NO;
        }
        if b == YES || a == b {
            return a;
        }
        if let Some(&lit) = self.ands.get(&(a, b)) {
            return lit;
        }
        let lit = self.fresh(Gate::And(a, b));
        self.ands.insert((a, b), lit);
        lit
    }
    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        self.and(a ^ 1, b ^ 1) ^ 1
    }
    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (x, y) = (self.and(a, b ^ 1), self.and(a ^ 1, b));
        self.or(x, y)
    }
    pub(crate) fn choose(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        let (x, y) = (self.and(c, a), self.and(c ^ 1, b));
        self.or(x, y)
    }
    pub(crate) fn ite(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(&x, &y)| self.choose(c, x, y)).collect()
    }

    pub(crate) fn each(
        &mut self,
        a: &[Lit],
        b: &[Lit],
        op: fn(&mut Maker, Lit, Lit) -> Lit,
    ) -> Word {
        a.iter().zip(b).map(|(&x, &y)| op(self, x, y)).collect()
    }
    pub(crate) fn fold(
        &mut self,
        a: &[Lit],
        start: Lit,
        op: fn(&mut Maker, Lit, Lit) -> Lit,
    ) -> Lit {
        a.iter().fold(start, |all, &x| op(self, all, x))
    }

    pub(crate) fn sum(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
        let mut carry = carry;
        let mut out = Vec::new();
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            out.push(self.xor(half, carry));
            let (both, more) = (self.and(x, y), self.and(half, carry));
            carry = self.or(both, more);
        }
        (out, carry)
    }
    /// The difference, and whether nothing was borrowed.
    pub(crate) fn difference(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Lit) {
        let not: Word = b.iter().map(|l| l ^ 1).collect();
        self.sum(a, &not, YES)
    }
    pub(crate) fn negated_if(&mut self, a: &[Lit], when: Lit) -> Word {
        let flipped: Word = a.iter().map(|&l| self.xor(l, when)).collect();
        let zero = vec![NO; a.len()];
        self.sum(&flipped, &zero, when).0
    }
    pub(crate) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let different = self.each(a, b, Maker::xor);
        self.fold(&different, NO, Maker::or) ^ 1
    }
    pub(crate) fn less(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if signed {
            let top = a.len() - 1;
            (a[top], b[top]) = (a[top] ^ 1, b[top] ^ 1);
        }
        self.difference(&a, &b).1 ^ 1
    }
    pub(crate) fn product(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let n = a.len();
        let mut all = vec![NO; n];
        for (i, &y) in b.iter().enumerate() {
            let row: Word =
                (0..n).map(|k| if k < i { NO } else { self.and(a[k - i], y) }).collect();
            all = self.sum(&all, &row, NO).0;
        }
        all
    }
    /// Quotient and rest; of a division by 0 all ones, and the dividend.
    pub(crate) fn divided(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let n = a.len();
        let mut wide = b.to_vec();
        wide.push(NO);
        let (mut rest, mut quotient) = (vec![NO; n], vec![NO; n]);
        for i in (0..n).rev() {
            let mut next = vec![a[i]];
            next.extend(&rest);
            let (less, fits) = self.difference(&next, &wide);
            quotient[i] = fits;
            rest = (0..n).map(|k| self.choose(fits, less[k], next[k])).collect();
        }
        (quotient, rest)
    }
    /// To the left or to the right; what comes in is `fill`, or what went out.
    pub(crate) fn shifted(&mut self, a: &[Lit], by: &[Lit], left: bool, fill: Option<Lit>) -> Word {
        let n = a.len();
        let mut now = a.to_vec();
        let by = match fill {
            Some(_) => by.to_vec(),
            // A rotation is by what is left of a division.
            None => {
                let count: Word = (0..by.len()).map(|i| Lit::from(n >> i & 1 == 1)).collect();
                let fits = n < 1 << by.len().min(63);
                if fits { self.divided(by, &count).1 } else { by.to_vec() }
            }
        };
        for (step, &bit) in by.iter().enumerate() {
            let distance = 1usize.checked_shl(step as u32).unwrap_or(usize::MAX);
            let from = |i: usize| -> Option<usize> {
                match (left, fill) {
                    (true, Some(_)) => i.checked_sub(distance),
                    (false, Some(_)) => i.checked_add(distance).filter(|k| *k < n),
                    (true, None) => Some((i + n - distance % n) % n),
                    (false, None) => Some((i + distance % n) % n),
                }
            };
            let moved: Word =
                (0..n).map(|i| from(i).map_or(fill.unwrap_or(NO), |k| now[k])).collect();
            now = self.ite(bit, &moved, &now);
        }
        now
    }
}
