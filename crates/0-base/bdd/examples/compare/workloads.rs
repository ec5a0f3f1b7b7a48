//! Workloads over any package of decision diagrams.

use std::time::{Duration, Instant};

/// What a workload asks of a package. Functions are cloned, since some count references.
pub(crate) trait Core {
    /// A function.
    type F: Clone + PartialEq;
    /// A registered quantification and renaming.
    type Spec;

    /// The name in the table.
    const NAME: &'static str;

    /// An empty package for the variables below `vars`.
    fn new(vars: u32) -> Self;
    /// The function of one variable.
    fn var(&mut self, var: u32) -> Self::F;
    /// A constant.
    fn constant(&mut self, value: bool) -> Self::F;
    /// Negation.
    fn not(&mut self, f: &Self::F) -> Self::F;
    /// Conjunction.
    fn and(&mut self, f: &Self::F, g: &Self::F) -> Self::F;
    /// Exclusive disjunction.
    fn xor(&mut self, f: &Self::F, g: &Self::F) -> Self::F;
    /// A quantification and a renaming, for `image`.
    fn spec(&mut self, quantify: &[u32], rename: &[(u32, u32)]) -> Self::Spec;
    /// `(∃ quantified. f ∧ g)[renamed]`.
    fn image(&mut self, f: &Self::F, g: &Self::F, spec: &Self::Spec) -> Self::F;
    /// A collection, if one is due.
    fn safe_point(&mut self, roots: &[&Self::F]);

    /// Disjunction.
    fn or(&mut self, f: &Self::F, g: &Self::F) -> Self::F {
        let (f, g) = (self.not(f), self.not(g));
        let r = self.and(&f, &g);
        self.not(&r)
    }

    /// Equivalence.
    fn iff(&mut self, f: &Self::F, g: &Self::F) -> Self::F {
        let r = self.xor(f, g);
        self.not(&r)
    }
}

/// A workload: its name, and what runs it and gives a number that all packages must agree on.
pub(crate) type Workload<C> = (&'static str, fn() -> (u64, C));

/// All workloads.
pub(crate) fn all<C: Core>() -> Vec<Workload<C>> {
    vec![
        ("counter, 16 bits", || counter(16)),
        ("LFSR, 15 bits", || lfsr(15)),
        ("8 of 1,024 renamed", || rename_few(1 << 10)),
        ("8 of 49,152 renamed", || rename_few(49_152)),
        ("queens, 8", || queens(8)),
        ("multiplier, 10 bits", || multiplier(10)),
        ("swaps, 3 bits, 6 cells", || swaps(3, 6)),
    ]
}

/// The least time of `runs`.
pub(crate) fn time<C: Core>(workload: &Workload<C>, runs: u32) -> (Duration, u64) {
    let mut best = Duration::MAX;
    let mut answer = 0;
    for _ in 0..runs {
        let start = Instant::now();
        let (a, core) = workload.1();
        best = best.min(start.elapsed());
        answer = a;
        drop(core);
    }
    (best, answer)
}

/// Bit `i` before the step is variable `2i`, after it `2i + 1`.
fn forward<C: Core>(c: &mut C, bits: u32) -> C::Spec {
    let old: Vec<u32> = (0..bits).map(|i| 2 * i).collect();
    let rename: Vec<(u32, u32)> = old.iter().map(|&v| (v + 1, v)).collect();
    c.spec(&old, &rename)
}

fn conjunction<C: Core>(c: &mut C, parts: &[C::F]) -> C::F {
    let mut r = c.constant(true);
    for part in parts.iter().rev() {
        r = c.and(part, &r);
    }
    r
}

/// The states reached from all bits equal to `first`: the number of steps to the fixpoint.
fn fixpoint<C: Core>(c: &mut C, bits: u32, first: bool, step: &C::F) -> u64 {
    let spec = forward(c, bits);
    let literals: Vec<C::F> = (0..bits)
        .map(|i| {
            let v = c.var(2 * i);
            if first { v } else { c.not(&v) }
        })
        .collect();
    let mut reached = conjunction(c, &literals);
    let mut steps = 0;
    loop {
        let next = c.image(&reached, step, &spec);
        let union = c.or(&reached, &next);
        if union == reached {
            return steps;
        }
        reached = union;
        steps += 1;
        c.safe_point(&[&reached, step]);
    }
}

/// A binary counter, most significant bit on top.
fn counter<C: Core>(bits: u32) -> (u64, C) {
    let mut c = C::new(2 * bits);
    let mut carry = c.constant(true);
    let mut parts = Vec::new();
    for i in (0..bits).rev() {
        let (old, new) = (c.var(2 * i), c.var(2 * i + 1));
        let sum = c.xor(&old, &carry);
        parts.push(c.iff(&new, &sum));
        carry = c.and(&old, &carry);
    }
    parts.reverse();
    let step = conjunction(&mut c, &parts);
    let steps = fixpoint(&mut c, bits, false, &step);
    (steps, c)
}

/// A shift register with linear feedback from its last two bits.
fn lfsr<C: Core>(bits: u32) -> (u64, C) {
    let mut c = C::new(2 * bits);
    let (a, b) = (c.var(2 * (bits - 1)), c.var(2 * (bits - 2)));
    let mut fed = c.xor(&a, &b);
    let mut parts = Vec::new();
    for i in 0..bits {
        let new = c.var(2 * i + 1);
        parts.push(c.iff(&new, &fed));
        fed = c.var(2 * i);
    }
    let step = conjunction(&mut c, &parts);
    let steps = fixpoint(&mut c, bits, true, &step);
    (steps, c)
}

/// Renames 8 neighbouring variables among `vars`, at 2,000 places.
fn rename_few<C: Core>(vars: u32) -> (u64, C) {
    let mut c = C::new(vars);
    let yes = c.constant(true);
    let mut kept = 0;
    for place in 0..2000 {
        let base = place * 7 % (vars - 16);
        let mut f = c.constant(false);
        for i in 0..8 {
            let v = c.var(base + 2 * i);
            f = if i % 2 == 0 { c.xor(&f, &v) } else { c.or(&f, &v) };
        }
        let pairs: Vec<(u32, u32)> = (0..8).map(|i| (base + 2 * i, base + 2 * i + 1)).collect();
        let back: Vec<(u32, u32)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        let (there, back) = (c.spec(&[], &pairs), c.spec(&[], &back));
        let g = c.image(&f, &yes, &there);
        let h = c.image(&g, &yes, &back);
        kept += u64::from(h == f && g != f);
    }
    (kept, c)
}

/// The queens that do not attack each other: the boards of one row after the other.
fn queens<C: Core>(n: u32) -> (u64, C) {
    let mut c = C::new(n * n);
    let mut board = c.constant(true);
    for row in 0..n {
        let mut some = c.constant(false);
        for col in 0..n {
            let here = c.var(row * n + col);
            some = c.or(&some, &here);
            for other in 0..n * n {
                let (r, k) = (other / n, other % n);
                let attacks = r == row || k == col || r.abs_diff(row) == k.abs_diff(col);
                if other != row * n + col && attacks {
                    let there = c.var(other);
                    let both = c.and(&here, &there);
                    let not_both = c.not(&both);
                    board = c.and(&board, &not_both);
                }
            }
        }
        board = c.and(&board, &some);
    }
    let no = c.constant(false);
    (u64::from(board != no), c)
}

/// The bits of the product of two numbers: large diagrams, where memory rules.
fn multiplier<C: Core>(bits: u32) -> (u64, C) {
    let mut c = C::new(2 * bits);
    let mut sum: Vec<C::F> = (0..2 * bits).map(|_| c.constant(false)).collect();
    for i in 0..bits {
        let x = c.var(2 * i);
        let mut carry = c.constant(false);
        for j in 0..bits {
            let y = c.var(2 * j + 1);
            let p = c.and(&x, &y);
            let k = (i + j) as usize;
            let half = c.xor(&sum[k], &p);
            let both = c.and(&sum[k], &p);
            sum[k] = c.xor(&half, &carry);
            let through = c.and(&half, &carry);
            carry = c.or(&both, &through);
        }
        sum[(i + bits) as usize] = carry;
    }
    let no = c.constant(false);
    (sum.iter().filter(|&f| *f != no).count() as u64, c)
}

/// All permutations of an array reached by swapping neighbours that are out of order, from
/// every array at once, the first array kept: a relation between arrays.
fn swaps<C: Core>(bits: u32, cells: u32) -> (u64, C) {
    // For every bit of every cell: the first array, the array now, the array next.
    let var = |cell: u32, bit: u32, copy: u32| 3 * (bit * cells + cell) + copy;
    let mut c = C::new(3 * bits * cells);
    let mut relation = c.constant(true);
    for bit in (0..bits).rev() {
        for cell in (0..cells).rev() {
            let (first, now) = (c.var(var(cell, bit, 0)), c.var(var(cell, bit, 1)));
            let same = c.iff(&first, &now);
            relation = c.and(&same, &relation);
        }
    }
    let mut steps = Vec::new();
    for cell in 0..cells - 1 {
        // Only the two cells that change.
        let mut less = c.constant(false);
        let mut swapped = c.constant(true);
        let (mut old, mut rename) = (Vec::new(), Vec::new());
        for bit in (0..bits).rev() {
            let (a, b) = (c.var(var(cell, bit, 1)), c.var(var(cell + 1, bit, 1)));
            let (a_new, b_new) = (c.var(var(cell, bit, 2)), c.var(var(cell + 1, bit, 2)));
            let not_a = c.not(&a);
            let here = c.and(&not_a, &b);
            let equal = c.iff(&a, &b);
            let below = c.and(&equal, &less);
            less = c.or(&here, &below);
            let (first, second) = (c.iff(&a_new, &b), c.iff(&b_new, &a));
            let both = c.and(&first, &second);
            swapped = c.and(&both, &swapped);
            for k in [cell, cell + 1] {
                old.push(var(k, bit, 1));
                rename.push((var(k, bit, 2), var(k, bit, 1)));
            }
        }
        let step = c.and(&less, &swapped);
        let spec = c.spec(&old, &rename);
        steps.push((step, spec));
    }
    let mut rounds = 0;
    loop {
        let before = relation.clone();
        for (step, spec) in &steps {
            let next = c.image(&relation, step, spec);
            relation = c.or(&relation, &next);
        }
        rounds += 1;
        if relation == before {
            return (rounds, c);
        }
        let mut roots: Vec<&C::F> = steps.iter().map(|s| &s.0).collect();
        roots.push(&relation);
        c.safe_point(&roots);
    }
}
