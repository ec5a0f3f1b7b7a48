//! Bit-blasting: expressions and relations over any boolean algebra (decision diagrams,
//! and-inverter graphs, clauses).
//!
//! Integers are two's complement numbers of exactly the width that holds every possible result,
//! with a bit that says whether they are defined ([`crate::expr`]).

use crate::{BinaryOp, Expr, ExprId, Exprs, Program, Rel, Scalar, Sort, Time, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A boolean algebra to blast into.
pub trait Algebra {
    /// A boolean function.
    type Bit: Copy + PartialEq;
    /// Why an operation can fail (a table is full, the work was cancelled).
    type Error;
    /// True or false.
    fn constant(&mut self, value: bool) -> Self::Bit;
    /// Negation.
    fn not(&mut self, a: Self::Bit) -> Result<Self::Bit, Self::Error>;
    /// Conjunction.
    fn and(&mut self, a: Self::Bit, b: Self::Bit) -> Result<Self::Bit, Self::Error>;
    /// A variable's bit (`bit` 0 is the least significant).
    fn read(
        &mut self,
        time: Time,
        var: VarId,
        cell: u32,
        bit: u32,
    ) -> Result<Self::Bit, Self::Error>;
    /// An arbitrary bit.
    fn choice(&mut self, number: u32) -> Result<Self::Bit, Self::Error>;

    /// Disjunction.
    fn or(&mut self, a: Self::Bit, b: Self::Bit) -> Result<Self::Bit, Self::Error> {
        let (a, b) = (self.not(a)?, self.not(b)?);
        let c = self.and(a, b)?;
        self.not(c)
    }
    /// `if c then a else b`.
    fn ite(&mut self, c: Self::Bit, a: Self::Bit, b: Self::Bit) -> Result<Self::Bit, Self::Error> {
        if a == b {
            return Ok(a);
        }
        let x = self.and(c, a)?;
        let n = self.not(c)?;
        let y = self.and(n, b)?;
        self.or(x, y)
    }
    /// Exclusive or.
    fn xor(&mut self, a: Self::Bit, b: Self::Bit) -> Result<Self::Bit, Self::Error> {
        let n = self.not(b)?;
        self.ite(a, n, b)
    }
    /// Equality.
    fn iff(&mut self, a: Self::Bit, b: Self::Bit) -> Result<Self::Bit, Self::Error> {
        let n = self.not(b)?;
        self.ite(a, b, n)
    }
}

/// A blasted expression.
#[derive(Clone, Debug)]
enum Word<B> {
    Bool(B),
    /// Two's complement, least significant bit first, at least one bit (the sign).
    Int {
        bits: Vec<B>,
        defined: B,
    },
}

/// Blasts a boolean expression.
pub fn blast_bool<A: Algebra>(
    program: &Program,
    root: ExprId,
    alg: &mut A,
) -> Result<A::Bit, A::Error> {
    match blast(program, root, alg)? {
        Word::Bool(bit) => Ok(bit),
        Word::Int { .. } => unreachable!("validated: a boolean expression"),
    }
}

fn blast<A: Algebra>(
    program: &Program,
    root: ExprId,
    alg: &mut A,
) -> Result<Word<A::Bit>, A::Error> {
    // Most expressions are a leaf or its negation.
    match program.exprs[root] {
        Expr::Bool(b) => return Ok(Word::Bool(alg.constant(b))),
        Expr::Read(time, var) => return read(program, time, var, 0, alg),
        Expr::Choice(k) => return Ok(Word::Bool(alg.choice(k)?)),
        Expr::Not(inner) => {
            if let Expr::Read(time, var) = program.exprs[inner] {
                let inner = as_bool(&read(program, time, var, 0, alg)?);
                return Ok(Word::Bool(alg.not(inner)?));
            }
        }
        _ => {}
    }
    let mut order = Vec::new();
    program.exprs.postorder(root, |id, expr| order.push((id, expr)));
    let mut words: FxHashMap<ExprId, Word<A::Bit>> = FxHashMap::default();
    for (id, expr) in order {
        let word = match expr {
            Expr::Bool(b) => Word::Bool(alg.constant(b)),
            Expr::Int(v) => constant(v, alg),
            Expr::Read(time, var) => read(program, time, var, 0, alg)?,
            Expr::Index(time, var, index) => {
                let index = words[&index].clone();
                index_read(program, time, var, &index, alg)?
            }
            Expr::Choice(k) => Word::Bool(alg.choice(k)?),
            Expr::Not(a) => {
                let a = as_bool(&words[&a]);
                Word::Bool(alg.not(a)?)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (words[&a].clone(), words[&b].clone());
                binary(op, &a, &b, alg)?
            }
            Expr::Ite(c, a, b) => {
                let c = as_bool(&words[&c]);
                match (words[&a].clone(), words[&b].clone()) {
                    (Word::Bool(a), Word::Bool(b)) => Word::Bool(alg.ite(c, a, b)?),
                    (a, b) => {
                        let ((a, da), (b, db)) = (as_int(&a), as_int(&b));
                        let (a, b) = same_width(a, b);
                        let bits = mux(c, &a, &b, alg)?;
                        Word::Int { bits, defined: alg.ite(c, da, db)? }
                    }
                }
            }
        };
        words.insert(id, word);
    }
    Ok(words.remove(&root).expect("postorder ends with the root"))
}

fn as_bool<B: Copy>(word: &Word<B>) -> B {
    match word {
        Word::Bool(b) => *b,
        Word::Int { .. } => unreachable!("validated: a boolean operand"),
    }
}

fn as_int<B: Copy>(word: &Word<B>) -> (&[B], B) {
    match word {
        Word::Int { bits, defined } => (bits, *defined),
        Word::Bool(_) => unreachable!("validated: an integer operand"),
    }
}

fn constant<A: Algebra>(value: i64, alg: &mut A) -> Word<A::Bit> {
    // Enough bits for the value and its sign.
    let width = 65 - if value < 0 { (!value).leading_zeros() } else { value.leading_zeros() };
    let bits = (0..width).map(|i| alg.constant(value >> i.min(63) & 1 == 1)).collect();
    Word::Int { bits, defined: alg.constant(true) }
}

fn read<A: Algebra>(
    program: &Program,
    time: Time,
    var: VarId,
    cell: u32,
    alg: &mut A,
) -> Result<Word<A::Bit>, A::Error> {
    Ok(match program.vars[var].ty.scalar {
        Scalar::Bool => Word::Bool(alg.read(time, var, cell, 0)?),
        Scalar::Int { bits } => {
            let mut word = Vec::with_capacity(bits as usize + 1);
            for bit in 0..bits {
                word.push(alg.read(time, var, cell, bit)?);
            }
            word.push(alg.constant(false));
            Word::Int { bits: word, defined: alg.constant(true) }
        }
    })
}

/// For each cell in range, the condition that `index` denotes it.
fn select<A: Algebra>(
    program: &Program,
    var: VarId,
    index: &Word<A::Bit>,
    alg: &mut A,
) -> Result<Vec<A::Bit>, A::Error> {
    let dim = program.vars[var].ty.array.expect("validated: only arrays are indexed");
    let (bits, defined) = as_int(index);
    let mut out = Vec::with_capacity(dim.len as usize);
    for cell in 0..dim.len {
        let number = constant(dim.lo + cell as i64, alg);
        let equal = equal(bits, as_int(&number).0, alg)?;
        out.push(alg.and(defined, equal)?);
    }
    Ok(out)
}

fn index_read<A: Algebra>(
    program: &Program,
    time: Time,
    var: VarId,
    index: &Word<A::Bit>,
    alg: &mut A,
) -> Result<Word<A::Bit>, A::Error> {
    let cells = select(program, var, index, alg)?;
    let width = program.vars[var].ty.scalar.bits() as usize;
    let mut value = vec![alg.constant(false); width];
    let mut defined = alg.constant(false);
    for (cell, &chosen) in cells.iter().enumerate() {
        defined = alg.or(defined, chosen)?;
        for (bit, slot) in value.iter_mut().enumerate() {
            let stored = alg.read(time, var, cell as u32, bit as u32)?;
            let here = alg.and(chosen, stored)?;
            *slot = alg.or(*slot, here)?;
        }
    }
    Ok(match program.vars[var].ty.scalar {
        Scalar::Bool => Word::Bool(value[0]), // false where the index is out of range
        Scalar::Int { .. } => {
            value.push(alg.constant(false));
            Word::Int { bits: value, defined }
        }
    })
}

fn extend<B: Copy>(bits: &[B], width: usize) -> Vec<B> {
    let sign = *bits.last().expect("an integer has a sign bit");
    let mut out = bits.to_vec();
    out.resize(width.max(bits.len()), sign);
    out
}

fn same_width<B: Copy>(a: &[B], b: &[B]) -> (Vec<B>, Vec<B>) {
    let width = a.len().max(b.len());
    (extend(a, width), extend(b, width))
}

fn equal<A: Algebra>(a: &[A::Bit], b: &[A::Bit], alg: &mut A) -> Result<A::Bit, A::Error> {
    let (a, b) = same_width(a, b);
    let mut out = alg.constant(true);
    for (x, y) in a.into_iter().zip(b) {
        let same = alg.iff(x, y)?;
        out = alg.and(out, same)?;
    }
    Ok(out)
}

/// `a < b`, signed.
fn less<A: Algebra>(a: &[A::Bit], b: &[A::Bit], alg: &mut A) -> Result<A::Bit, A::Error> {
    let (mut a, mut b) = same_width(a, b);
    // Exchanging the signs turns the signed comparison into an unsigned one.
    let top = a.len() - 1;
    std::mem::swap(&mut a[top], &mut b[top]);
    let mut out = alg.constant(false);
    for (x, y) in a.into_iter().zip(b) {
        let same = alg.iff(x, y)?;
        out = alg.ite(same, out, y)?;
    }
    Ok(out)
}

/// `a + b + carry`, in the width of both operands, which are equally long.
fn add<A: Algebra>(
    a: &[A::Bit],
    b: &[A::Bit],
    mut carry: A::Bit,
    alg: &mut A,
) -> Result<Vec<A::Bit>, A::Error> {
    let mut out = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let half = alg.xor(x, y)?;
        out.push(alg.xor(half, carry)?);
        let generate = alg.and(x, y)?;
        let propagate = alg.and(half, carry)?;
        carry = alg.or(generate, propagate)?;
    }
    Ok(out)
}

fn negate_if<A: Algebra>(c: A::Bit, a: &[A::Bit], alg: &mut A) -> Result<Vec<A::Bit>, A::Error> {
    let mut flipped = Vec::with_capacity(a.len());
    for &x in a {
        flipped.push(alg.xor(c, x)?);
    }
    let zero = vec![alg.constant(false); a.len()];
    add(&flipped, &zero, c, alg)
}

fn subtract<A: Algebra>(a: &[A::Bit], b: &[A::Bit], alg: &mut A) -> Result<Vec<A::Bit>, A::Error> {
    let mut flipped = Vec::with_capacity(b.len());
    for &y in b {
        flipped.push(alg.not(y)?);
    }
    let one = alg.constant(true);
    add(a, &flipped, one, alg)
}

fn mux<A: Algebra>(
    c: A::Bit,
    a: &[A::Bit],
    b: &[A::Bit],
    alg: &mut A,
) -> Result<Vec<A::Bit>, A::Error> {
    a.iter().zip(b).map(|(&x, &y)| alg.ite(c, x, y)).collect()
}

fn multiply<A: Algebra>(a: &[A::Bit], b: &[A::Bit], alg: &mut A) -> Result<Vec<A::Bit>, A::Error> {
    let width = a.len() + b.len();
    let (a, b) = (extend(a, width), extend(b, width));
    let no = alg.constant(false);
    let mut sum = vec![no; width];
    for (shift, &y) in b.iter().enumerate() {
        let mut row = vec![no; shift];
        for &x in &a[..width - shift] {
            row.push(alg.and(x, y)?);
        }
        sum = add(&sum, &row, no, alg)?;
    }
    Ok(sum)
}

/// Quotient rounded towards zero, by restoring division of the magnitudes.
fn divide<A: Algebra>(a: &[A::Bit], b: &[A::Bit], alg: &mut A) -> Result<Vec<A::Bit>, A::Error> {
    let width = a.len().max(b.len()) + 1;
    let (a, b) = (extend(a, width), extend(b, width));
    let (sa, sb) = (a[width - 1], b[width - 1]);
    let (a, b) = (negate_if(sa, &a, alg)?, negate_if(sb, &b, alg)?);
    let no = alg.constant(false);
    let mut rest = vec![no; width + 1];
    let b = extend(&b, width + 1);
    let mut quotient = vec![no; width];
    for i in (0..width).rev() {
        rest.pop();
        rest.insert(0, a[i]);
        let smaller = less(&rest, &b, alg)?;
        let fits = alg.not(smaller)?;
        quotient[i] = fits;
        let reduced = subtract(&rest, &b, alg)?;
        rest = mux(fits, &reduced, &rest, alg)?;
    }
    let sign = alg.xor(sa, sb)?;
    negate_if(sign, &quotient, alg)
}

/// `a · 2^b` or `⌊a / 2^b⌋`; the caller has made sure that `b` is not negative.
fn shift<A: Algebra>(
    left: bool,
    a: &[A::Bit],
    b: &[A::Bit],
    alg: &mut A,
) -> Result<Vec<A::Bit>, A::Error> {
    let stages = &b[..b.len() - 1];
    let mut out = a.to_vec();
    if left {
        let most = (0..stages.len()).fold(0usize, |n, i| n.saturating_add(1 << i.min(20)));
        out = extend(&out, (a.len() + most).min(129));
    }
    let no = alg.constant(false);
    for (i, &stage) in stages.iter().enumerate() {
        let by = 1usize << i.min(20);
        let sign = *out.last().expect("an integer has a sign bit");
        let moved: Vec<A::Bit> = (0..out.len())
            .map(|k| match left {
                true if k < by => no,
                true => out[k - by],
                false => out.get(k + by).copied().unwrap_or(sign),
            })
            .collect();
        out = mux(stage, &moved, &out, alg)?;
    }
    Ok(out)
}

fn binary<A: Algebra>(
    op: BinaryOp,
    a: &Word<A::Bit>,
    b: &Word<A::Bit>,
    alg: &mut A,
) -> Result<Word<A::Bit>, A::Error> {
    use BinaryOp::*;
    match op.sorts() {
        (Sort::Bool, Sort::Bool, _) => {
            let (a, b) = (as_bool(a), as_bool(b));
            return Ok(Word::Bool(match op {
                And => alg.and(a, b)?,
                Or => alg.or(a, b)?,
                Xor => alg.xor(a, b)?,
                Iff => alg.iff(a, b)?,
                _ => {
                    let n = alg.not(a)?;
                    alg.or(n, b)?
                }
            }));
        }
        (Sort::Bool, Sort::Int, _) => {
            let (bits, defined) = as_int(b);
            let defined = alg.and(as_bool(a), defined)?;
            return Ok(Word::Int { bits: bits.to_vec(), defined });
        }
        _ => {}
    }
    let ((a, da), (b, db)) = (as_int(a), as_int(b));
    let mut defined = alg.and(da, db)?;
    if matches!(op, Eq | Ne | Lt | Le | Gt | Ge) {
        let (value, flip) = match op {
            Eq => (equal(a, b, alg)?, false),
            Ne => (equal(a, b, alg)?, true),
            Lt => (less(a, b, alg)?, false),
            Ge => (less(a, b, alg)?, true),
            Gt => (less(b, a, alg)?, false),
            _ => (less(b, a, alg)?, true),
        };
        let value = if flip { alg.not(value)? } else { value };
        return Ok(Word::Bool(alg.and(defined, value)?));
    }
    let width = a.len().max(b.len()) + 1;
    let bits = match op {
        Add => {
            let no = alg.constant(false);
            add(&extend(a, width), &extend(b, width), no, alg)?
        }
        Sub => subtract(&extend(a, width), &extend(b, width), alg)?,
        Mul => multiply(a, b, alg)?,
        Div => {
            let zero = constant(0, alg);
            let zero = equal(b, as_int(&zero).0, alg)?;
            let nonzero = alg.not(zero)?;
            defined = alg.and(defined, nonzero)?;
            divide(a, b, alg)?
        }
        Shl | Shr => {
            let sign = *b.last().expect("an integer has a sign bit");
            let positive = alg.not(sign)?;
            defined = alg.and(defined, positive)?;
            if op == Shl && b.len() > 7 {
                // Shifts of 64 and more are undefined, as in the evaluator.
                for &bit in &b[6..b.len() - 1] {
                    let small = alg.not(bit)?;
                    defined = alg.and(defined, small)?;
                }
                let sign = *b.last().expect("an integer has a sign bit");
                let mut low = b[..6].to_vec();
                low.push(sign);
                shift(true, a, &low, alg)?
            } else {
                shift(op == Shl, a, b, alg)?
            }
        }
        _ => {
            let (a, b) = same_width(a, b);
            let mut out = Vec::with_capacity(a.len());
            for (x, y) in a.into_iter().zip(b) {
                out.push(match op {
                    BitAnd => alg.and(x, y)?,
                    BitOr => alg.or(x, y)?,
                    _ => alg.xor(x, y)?,
                });
            }
            out
        }
    };
    Ok(Word::Int { bits, defined })
}

/// What a relation does to one bit.
#[derive(Clone, Copy, Debug)]
pub struct BitUpdate<B> {
    /// `Post` or `Saved`.
    pub time: Time,
    /// The variable.
    pub var: VarId,
    /// Its cell.
    pub cell: u32,
    /// The bit of the cell, 0 the least significant.
    pub bit: u32,
    /// Where this holds the new value is arbitrary …
    pub free: B,
    /// … and elsewhere it is this.
    pub value: B,
}

/// A blasted relation: `enabled ∧ ⋀ (free ∨ (bit after ⇔ value)) ∧ constraint`, and the frame
/// rule for bits without an update.
#[derive(Clone, Debug)]
pub struct BlastedRel<B> {
    /// The guard holds, values are defined and fit, assignments to one cell agree. Over values
    /// before the step and choices.
    pub enabled: B,
    /// The bits that change, each once, in order of (time, variable, cell, bit).
    pub updates: Vec<BitUpdate<B>>,
    /// Over values before and after and choices.
    pub constraint: B,
}

/// A cell of a target.
type Cell = (Time, VarId, u32);

/// A write to a cell: where it applies, whether the value is arbitrary, the value's bits.
type Write<B> = (B, bool, Vec<B>);

/// Blasts a relation. `wanted` says which targets matter: updates of others are left out (their
/// effect on `enabled` is not).
pub fn blast_rel<A: Algebra>(
    program: &Program,
    rel: &Rel,
    alg: &mut A,
    mut wanted: impl FnMut(Time, VarId) -> bool,
) -> Result<BlastedRel<A::Bit>, A::Error> {
    let yes = alg.constant(true);
    let no = alg.constant(false);
    let mut enabled =
        if rel.guard == Exprs::TRUE { yes } else { blast_bool(program, rel.guard, alg)? };
    let mut cells: BTreeMap<Cell, Vec<Write<A::Bit>>> = BTreeMap::new();
    for assign in &rel.assigns {
        let ty = program.vars[assign.var].ty;
        let width = ty.scalar.bits() as usize;
        let value = match assign.value {
            None => None,
            Some(value) => Some(match blast(program, value, alg)? {
                Word::Bool(bit) => vec![bit],
                Word::Int { bits, defined } => {
                    enabled = alg.and(enabled, defined)?;
                    // It fits: no bit at or above the target's width, the sign among them.
                    for &bit in bits.iter().skip(width) {
                        let clear = alg.not(bit)?;
                        enabled = alg.and(enabled, clear)?;
                    }
                    let mut bits = bits;
                    if bits.len() <= width {
                        let sign = *bits.last().expect("an integer has a sign bit");
                        let clear = alg.not(sign)?;
                        enabled = alg.and(enabled, clear)?;
                    }
                    bits.resize(width, no);
                    bits
                }
            }),
        };
        let chosen: Vec<A::Bit> = match assign.index {
            None => vec![yes; ty.cells() as usize],
            Some(index) => {
                let index = blast(program, index, alg)?;
                let chosen = select(program, assign.var, &index, alg)?;
                let mut in_range = no;
                for &c in &chosen {
                    in_range = alg.or(in_range, c)?;
                }
                enabled = alg.and(enabled, in_range)?;
                chosen
            }
        };
        for (cell, condition) in chosen.into_iter().enumerate() {
            if condition == no {
                continue;
            }
            let write = match &value {
                Some(bits) => (condition, false, bits.clone()),
                None => (condition, true, vec![no; width]),
            };
            cells.entry((assign.time, assign.var, cell as u32)).or_default().push(write);
        }
    }
    let mut updates = Vec::new();
    for ((time, var, cell), writes) in cells {
        // Two writes of values to one cell must agree.
        for i in 0..writes.len() {
            for j in 0..i {
                let ((ci, fi, vi), (cj, fj, vj)) = (&writes[i], &writes[j]);
                if *fi || *fj {
                    continue;
                }
                let both = alg.and(*ci, *cj)?;
                let mut agree = yes;
                for (&x, &y) in vi.iter().zip(vj) {
                    let same = alg.iff(x, y)?;
                    agree = alg.and(agree, same)?;
                }
                let n = alg.not(both)?;
                let ok = alg.or(n, agree)?;
                enabled = alg.and(enabled, ok)?;
            }
        }
        if !wanted(time, var) {
            continue;
        }
        // `written`: some write of a value applies; `free`: only arbitrary writes do.
        let mut written = no;
        let mut havoc = no;
        for (condition, is_free, _) in &writes {
            let slot = if *is_free { &mut havoc } else { &mut written };
            *slot = alg.or(*slot, *condition)?;
        }
        let not_written = alg.not(written)?;
        let free = alg.and(havoc, not_written)?;
        for bit in 0..writes[0].2.len() {
            let mut value = if written == yes || free == yes {
                no
            } else {
                alg.read(Time::Pre, var, cell, bit as u32)?
            };
            for (condition, is_free, bits) in &writes {
                if !*is_free {
                    value = alg.ite(*condition, bits[bit], value)?;
                }
            }
            updates.push(BitUpdate { time, var, cell, bit: bit as u32, free, value });
        }
    }
    let constraint =
        if rel.constraint == Exprs::TRUE { yes } else { blast_bool(program, rel.constraint, alg)? };
    Ok(BlastedRel { enabled, updates, constraint })
}
