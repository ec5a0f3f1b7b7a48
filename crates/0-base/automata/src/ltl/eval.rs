//! The truth of a formula on one ultimately periodic word, from the definition of the operators.
//!
//! This is the reference for automata and for engines: it knows neither. Every position of the
//! word's lasso gets a truth value for every subformula, operands first.

use super::{AtomId, Binary, FormulaId, Formulas, Node, Unary};

/// Whether the word `stem cycle cycle …` satisfies the formula, where `holds(i, a)` says whether
/// atom `a` holds in letter `i` of `stem cycle`.
///
/// Takes one bit for each subformula and letter, and time in proportion.
///
/// ```
/// use automata::ltl::{eval_lasso, parse};
///
/// let f = parse("p U G q").unwrap();
/// // Two letters with p only, then q for ever.
/// let word = ["p", "p", "q"];
/// let holds = |i: usize, a| f.formulas.atoms()[automata::ltl::AtomId::index(a)].to_string() == word[i];
/// assert!(eval_lasso(&f.formulas, f.root, 2, 1, holds));
/// ```
///
/// # Panics
/// If `cycle` is 0.
pub fn eval_lasso(
    formulas: &Formulas,
    root: FormulaId,
    stem: usize,
    cycle: usize,
    mut holds: impl FnMut(usize, AtomId) -> bool,
) -> bool {
    assert!(cycle > 0, "the cycle of a lasso has a letter");
    let length = stem + cycle;
    let next = |i: usize| if i + 1 < length { i + 1 } else { stem };
    let subformulas = formulas.subformulas(root);
    let mut rows: Vec<u32> = vec![0; root.index() + 1];
    let mut values =
        Bits { width: length, words: vec![0; (subformulas.len() * length).div_ceil(64)] };
    for (row, &f) in subformulas.iter().enumerate() {
        rows[f.index()] = row as u32;
        let row_of = |g: FormulaId| rows[g.index()] as usize;
        match formulas.node(f) {
            Node::Const(value) => (0..length).for_each(|i| values.set(row, i, value)),
            Node::Atom(atom) => (0..length).for_each(|i| values.set(row, i, holds(i, atom))),
            Node::Unary(Unary::Not, g) => {
                (0..length).for_each(|i| values.set(row, i, !values.get(row_of(g), i)));
            }
            Node::Unary(Unary::Next, g) => {
                (0..length).for_each(|i| values.set(row, i, values.get(row_of(g), next(i))));
            }
            Node::Unary(op, g) => {
                let g = row_of(g);
                let least = op == Unary::Finally;
                values.fixpoint(row, next, !least, |values, i, later| {
                    let now = values.get(g, i);
                    if least { now || later } else { now && later }
                });
            }
            Node::Binary(op, g, h) => {
                let (g, h) = (row_of(g), row_of(h));
                let pointwise = |value: fn(bool, bool) -> bool, values: &mut Bits| {
                    (0..length).for_each(|i| {
                        values.set(row, i, value(values.get(g, i), values.get(h, i)))
                    });
                };
                match op {
                    Binary::And => pointwise(|a, b| a && b, &mut values),
                    Binary::Or => pointwise(|a, b| a || b, &mut values),
                    Binary::Xor => pointwise(|a, b| a != b, &mut values),
                    Binary::Implies => pointwise(|a, b| !a || b, &mut values),
                    Binary::Iff => pointwise(|a, b| a == b, &mut values),
                    Binary::Until | Binary::WeakUntil => {
                        values.fixpoint(row, next, op == Binary::WeakUntil, |values, i, later| {
                            values.get(h, i) || (values.get(g, i) && later)
                        });
                    }
                    Binary::Release | Binary::StrongRelease => {
                        values.fixpoint(row, next, op == Binary::Release, |values, i, later| {
                            values.get(h, i) && (values.get(g, i) || later)
                        });
                    }
                }
            }
        }
    }
    values.get(subformulas.len() - 1, 0)
}

/// A table of truth values: a row for each subformula, a column for each letter.
struct Bits {
    width: usize,
    words: Vec<u64>,
}

impl Bits {
    fn get(&self, row: usize, i: usize) -> bool {
        let bit = row * self.width + i;
        self.words[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn set(&mut self, row: usize, i: usize, value: bool) {
        let bit = row * self.width + i;
        self.words[bit / 64] &= !(1 << (bit % 64));
        self.words[bit / 64] |= u64::from(value) << (bit % 64);
    }

    /// The solution of `row[i] = step(i, row[next(i)])` that is greatest or least.
    ///
    /// Two rounds backwards suffice: the first, which starts from the extreme value, is right for
    /// the cycle's first letter, and the second starts from there.
    fn fixpoint(
        &mut self,
        row: usize,
        next: impl Fn(usize) -> usize,
        greatest: bool,
        step: impl Fn(&Bits, usize, bool) -> bool,
    ) {
        let length = self.width;
        self.set(row, next(length - 1), greatest);
        for _ in 0..2 {
            for i in (0..length).rev() {
                let later = self.get(row, next(i));
                let value = step(self, i, later);
                self.set(row, i, value);
            }
        }
    }
}
