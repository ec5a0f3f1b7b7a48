//! Terms as bits.

use crate::terms::{Cmp, Node, Op, Term, Terms};
use logic::{Aig, Lit};
use rustc_hash::FxHashMap;

/// Terms of one graph as functions of another one. Memory has no bits, and what is read of it is arbitrary.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    pub(crate) aig: Aig,
    known: FxHashMap<Term, Vec<Lit>>,
}

impl Bits {
    /// A truth value.
    pub(crate) fn truth(&mut self, terms: &Terms, t: Term) -> Lit {
        for t in terms.cone([t]) {
            if !self.known.contains_key(&t) {
                let bits = self.word(terms, t);
                self.known.insert(t, bits);
            }
        }
        self.known[&t].first().copied().unwrap_or(Lit::FALSE)
    }

    fn word(&mut self, terms: &Terms, t: Term) -> Vec<Lit> {
        let bits = terms.bits(t);
        let of = |bits: &Bits, t: Term| bits.known[&t].clone();
        match terms.node(t) {
            Node::Number { value, .. } => {
                (0..bits).map(|i| Lit::constant(i < 128 && value >> i & 1 == 1)).collect()
            }
            Node::Var { .. } | Node::Select(..) => (0..bits).map(|_| self.aig.input()).collect(),
            Node::Store(..) => Vec::new(),
            Node::Not(a) => of(self, a).into_iter().map(|l| !l).collect(),
            Node::Op(op, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                self.op(op, &a, &b)
            }
            Node::Compare(cmp, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                let lit = match cmp {
                    Cmp::Eq => self.aig.equal(&a, &b),
                    Cmp::LtU => self.less(&a, &b),
                    Cmp::LeU => !self.less(&b, &a),
                    Cmp::LtS => self.less_signed(&a, &b),
                    Cmp::LeS => !self.less_signed(&b, &a),
                };
                vec![lit]
            }
            Node::Slice(a, first, bits) => {
                of(self, a)[first as usize..(first + bits) as usize].to_vec()
            }
            Node::Extend(a, bits, by_sign) => {
                let mut word = of(self, a);
                let fill = if by_sign { word[word.len() - 1] } else { Lit::FALSE };
                word.resize(bits as usize, fill);
                word
            }
            Node::Concat(high, low) => {
                let mut word = of(self, low);
                word.extend(of(self, high));
                word
            }
        }
    }

    fn op(&mut self, op: Op, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let pairs = || a.iter().copied().zip(b.iter().copied());
        match op {
            Op::And => pairs().map(|(x, y)| self.aig.and(x, y)).collect(),
            Op::Or => pairs().map(|(x, y)| self.aig.or(x, y)).collect(),
            Op::Xor => pairs().map(|(x, y)| self.aig.xor(x, y)).collect(),
            Op::Add => self.sum(a, b, Lit::FALSE).0,
            Op::Sub => self.difference(a, b).0,
            Op::Mul => self.product(a, b),
            Op::DivU => self.divided(a, b).0,
            Op::RemU => self.divided(a, b).1,
            Op::DivS | Op::RemS => {
                let (x, y) = (a[a.len() - 1], b[b.len() - 1]);
                let (p, q) = (self.negated_if(a, x), self.negated_if(b, y));
                let (quotient, rest) = self.divided(&p, &q);
                match op {
                    Op::DivS => {
                        let sign = self.aig.xor(x, y);
                        self.negated_if(&quotient, sign)
                    }
                    _ => self.negated_if(&rest, x),
                }
            }
            Op::Shl | Op::ShrU | Op::ShrS => self.shifted(op, a, b),
        }
    }

    fn sum(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Vec<Lit>, Lit) {
        let mut carry = carry;
        let mut out = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.aig.xor(x, y);
            out.push(self.aig.xor(half, carry));
            let (both, more) = (self.aig.and(x, y), self.aig.and(half, carry));
            carry = self.aig.or(both, more);
        }
        (out, carry)
    }

    /// The difference, and whether nothing was borrowed.
    fn difference(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
        let b: Vec<Lit> = b.iter().map(|&l| !l).collect();
        self.sum(a, &b, Lit::TRUE)
    }

    fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        !self.difference(a, b).1
    }

    fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        for word in [&mut a, &mut b] {
            if let Some(top) = word.last_mut() {
                *top = !*top;
            }
        }
        self.less(&a, &b)
    }

    fn negated_if(&mut self, a: &[Lit], when: Lit) -> Vec<Lit> {
        let flipped: Vec<Lit> = a.iter().map(|&l| self.aig.xor(l, when)).collect();
        let zero = vec![Lit::FALSE; a.len()];
        self.sum(&flipped, &zero, when).0
    }

    fn product(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let n = a.len();
        let mut all = vec![Lit::FALSE; n];
        for (i, &y) in b.iter().enumerate() {
            if y == Lit::FALSE {
                continue;
            }
            let row: Vec<Lit> = (0..n)
                .map(|k| if k < i { Lit::FALSE } else { self.aig.and(a[k - i], y) })
                .collect();
            all = self.sum(&all, &row, Lit::FALSE).0;
        }
        all
    }

    /// Quotient and rest; of a division by 0 all ones, and the dividend, as SMT-LIB has it.
    fn divided(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let n = a.len();
        let mut wide: Vec<Lit> = b.to_vec();
        wide.push(Lit::FALSE);
        let mut rest = vec![Lit::FALSE; n];
        let mut quotient = vec![Lit::FALSE; n];
        for i in (0..n).rev() {
            let mut next = vec![a[i]];
            next.extend(&rest);
            let (less, fits) = self.difference(&next, &wide);
            quotient[i] = fits;
            rest = (0..n).map(|k| self.aig.ite(fits, less[k], next[k])).collect();
        }
        (quotient, rest)
    }

    fn shifted(&mut self, op: Op, a: &[Lit], by: &[Lit]) -> Vec<Lit> {
        let n = a.len();
        let fill = if op == Op::ShrS { a[n - 1] } else { Lit::FALSE };
        let mut now = a.to_vec();
        for (step, &bit) in by.iter().enumerate() {
            let by = 1usize.checked_shl(step as u32).filter(|by| *by < n);
            let moved: Vec<Lit> = (0..n)
                .map(|i| match (op, by) {
                    (_, None) => fill,
                    (Op::Shl, Some(by)) if i >= by => now[i - by],
                    (Op::Shl, Some(_)) => Lit::FALSE,
                    (_, Some(by)) => now.get(i + by).copied().unwrap_or(fill),
                })
                .collect();
            now = (0..n).map(|i| self.aig.ite(bit, moved[i], now[i])).collect();
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operator on every pair of words of four bits, against the numbers.
    #[test]
    fn operators_compute() {
        let ops = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::DivU,
            Op::RemU,
            Op::DivS,
            Op::RemS,
            Op::Shl,
            Op::ShrU,
            Op::ShrS,
        ];
        let mut terms = Terms::default();
        let (x, y) = (terms.fresh("x", 4), terms.fresh("y", 4));
        let mut checked = 0;
        for op in ops {
            let symbolic = terms.op(op, x, y);
            for a in 0..16u128 {
                for b in 0..16u128 {
                    let (p, q) = (terms.number(4, a), terms.number(4, b));
                    let concrete = terms.op(op, p, q);
                    let Some(expected) = terms.value(concrete) else { continue };
                    let expected = terms.number(4, expected);
                    let (is_x, is_y) = (terms.equal(x, p), terms.equal(y, q));
                    let same = terms.equal(symbolic, expected);
                    let mut bits = Bits::default();
                    let lits = [is_x, is_y, same].map(|t| bits.truth(&terms, t));
                    let mut solver: logic::Clauses = logic::Clauses::new(logic::never());
                    let differs = [lits[0], lits[1], !lits[2]];
                    assert_eq!(solver.solve(&bits.aig, &differs), Ok(false), "{a} {op:?} {b}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 2_000);
    }
}
