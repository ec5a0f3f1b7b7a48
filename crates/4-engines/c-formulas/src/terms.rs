//! Terms over words: a graph in which equal terms are one, operands before what uses them.
//!
//! A word of one bit is a truth value. Memory is a map from addresses to bytes and has no bits.

use rustc_hash::FxHashMap;

/// A term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Term(pub(crate) u32);

impl Term {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operators of two words of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
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
    Shl,
    ShrU,
    ShrS,
}

/// Comparisons of two words of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Cmp {
    Eq,
    LtU,
    LeU,
    LtS,
    LeS,
}

/// What a term is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Number {
        bits: u32,
        value: u128,
    },
    /// An arbitrary word; without bits, arbitrary memory.
    Var {
        var: u32,
        bits: u32,
    },
    Not(Term),
    Op(Op, Term, Term),
    Compare(Cmp, Term, Term),
    /// So many bits from one on.
    Slice(Term, u32, u32),
    /// To so many bits, by the sign or with zeros.
    Extend(Term, u32, bool),
    /// The higher part first.
    Concat(Term, Term),
    Select(Term, Term),
    Store(Term, Term, Term),
}

impl Node {
    /// Its operands.
    pub(crate) fn below(self) -> [Option<Term>; 3] {
        match self {
            Node::Number { .. } | Node::Var { .. } => [None; 3],
            Node::Not(a) | Node::Slice(a, ..) | Node::Extend(a, ..) => [Some(a), None, None],
            Node::Op(_, a, b)
            | Node::Compare(_, a, b)
            | Node::Concat(a, b)
            | Node::Select(a, b) => [Some(a), Some(b), None],
            Node::Store(a, b, c) => [Some(a), Some(b), Some(c)],
        }
    }
}

/// The graph.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    nodes: Vec<(Node, u32)>,
    unique: FxHashMap<Node, Term>,
    /// What variables are called, by their numbers.
    pub(crate) names: Vec<String>,
}

fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

fn signed(bits: u32, value: u128) -> i128 {
    let away = 128 - bits.min(128);
    ((value << away) as i128) >> away
}

impl Terms {
    pub(crate) fn node(&self, t: Term) -> Node {
        self.nodes[t.index()].0
    }
    pub(crate) fn bits(&self, t: Term) -> u32 {
        self.nodes[t.index()].1
    }
    pub(crate) fn value(&self, t: Term) -> Option<u128> {
        match self.node(t) {
            Node::Number { value, .. } => Some(value),
            _ => None,
        }
    }

    fn make(&mut self, node: Node, bits: u32) -> Term {
        if let Some(&t) = self.unique.get(&node) {
            return t;
        }
        let t = Term(self.nodes.len() as u32);
        self.nodes.push((node, bits));
        self.unique.insert(node, t);
        t
    }

    pub(crate) fn number(&mut self, bits: u32, value: u128) -> Term {
        self.make(Node::Number { bits, value: value & mask(bits) }, bits)
    }
    pub(crate) fn truth(&mut self, value: bool) -> Term {
        self.number(1, u128::from(value))
    }
    /// A new variable.
    pub(crate) fn fresh(&mut self, name: &str, bits: u32) -> Term {
        let var = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.make(Node::Var { var, bits }, bits)
    }

    pub(crate) fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Number { bits, value } => self.number(bits, !value),
            Node::Not(b) => b,
            _ => self.make(Node::Not(a), self.bits(a)),
        }
    }

    pub(crate) fn op(&mut self, op: Op, a: Term, b: Term) -> Term {
        let bits = self.bits(a);
        debug_assert_eq!(bits, self.bits(b));
        let (x, y) = (self.value(a), self.value(b));
        if let (Some(x), Some(y)) = (x, y)
            && bits <= 128
            && let Some(value) = computed(op, bits, x, y)
        {
            return self.number(bits, value);
        }
        let all = mask(bits);
        for (number, other, right) in [(y, a, true), (x, b, false)] {
            let Some(n) = number else { continue };
            match op {
                Op::Add | Op::Or | Op::Xor if n == 0 => return other,
                Op::Sub | Op::Shl | Op::ShrU | Op::ShrS if n == 0 && right => return other,
                Op::And if n == all => return other,
                Op::And if n == 0 => return self.number(bits, 0),
                Op::Or if n == all => return self.number(bits, all),
                _ => {}
            }
        }
        if matches!(op, Op::And | Op::Or) && a == b {
            return a;
        }
        // Distances add up.
        if let (Op::Add, Some(n), Node::Op(Op::Add, x, m)) = (op, y, self.node(a))
            && let Some(m) = self.value(m)
            && bits <= 128
        {
            let sum = self.number(bits, m.wrapping_add(n));
            return self.op(Op::Add, x, sum);
        }
        self.make(Node::Op(op, a, b), bits)
    }

    pub(crate) fn and(&mut self, a: Term, b: Term) -> Term {
        self.op(Op::And, a, b)
    }

    pub(crate) fn compare(&mut self, cmp: Cmp, a: Term, b: Term) -> Term {
        let bits = self.bits(a);
        debug_assert_eq!(bits, self.bits(b));
        if let (Some(x), Some(y)) = (self.value(a), self.value(b))
            && bits <= 128
        {
            let (s, t) = (signed(bits, x), signed(bits, y));
            return self.truth(match cmp {
                Cmp::Eq => x == y,
                Cmp::LtU => x < y,
                Cmp::LeU => x <= y,
                Cmp::LtS => s < t,
                Cmp::LeS => s <= t,
            });
        }
        if a == b {
            return self.truth(!matches!(cmp, Cmp::LtU | Cmp::LtS));
        }
        if cmp == Cmp::Eq {
            // A truth value as a number, compared with a number.
            for (side, other) in [(a, b), (b, a)] {
                if let (Node::Extend(flag, ..), Some(n)) = (self.node(side), self.value(other))
                    && self.bits(flag) == 1
                {
                    return match n {
                        0 => self.not(flag),
                        1 => flag,
                        _ => self.truth(false),
                    };
                }
            }
            if bits == 1 {
                match (self.value(a), self.value(b)) {
                    (Some(1), _) => return b,
                    (_, Some(1)) => return a,
                    (Some(_), _) => return self.not(b),
                    (_, Some(_)) => return self.not(a),
                    _ => {}
                }
            }
        }
        self.make(Node::Compare(cmp, a, b), 1)
    }
    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Term {
        self.compare(Cmp::Eq, a, b)
    }
    /// Whether a word is not 0.
    pub(crate) fn is_true(&mut self, a: Term) -> Term {
        let zero = self.number(self.bits(a), 0);
        let is = self.equal(a, zero);
        self.not(is)
    }

    pub(crate) fn slice(&mut self, a: Term, first: u32, bits: u32) -> Term {
        let width = self.bits(a);
        debug_assert!(first + bits <= width);
        if bits == width {
            return a;
        }
        match self.node(a) {
            Node::Number { value, .. } if first < 128 => self.number(bits, value >> first),
            Node::Slice(b, from, _) => self.slice(b, from + first, bits),
            Node::Extend(b, ..) if first + bits <= self.bits(b) => self.slice(b, first, bits),
            Node::Concat(_, low) if first + bits <= self.bits(low) => self.slice(low, first, bits),
            Node::Concat(high, low) if first >= self.bits(low) => {
                let first = first - self.bits(low);
                self.slice(high, first, bits)
            }
            _ => self.make(Node::Slice(a, first, bits), bits),
        }
    }

    pub(crate) fn extend(&mut self, a: Term, bits: u32, by_sign: bool) -> Term {
        let width = self.bits(a);
        debug_assert!(bits >= width);
        if bits == width {
            return a;
        }
        match self.node(a) {
            Node::Number { value, .. } if bits <= 128 => {
                let value = if by_sign { signed(width, value) as u128 } else { value };
                self.number(bits, value)
            }
            Node::Extend(b, _, false) => self.extend(b, bits, false),
            Node::Extend(b, _, true) if by_sign => self.extend(b, bits, true),
            _ => self.make(Node::Extend(a, bits, by_sign), bits),
        }
    }

    /// To a width, by cutting or extending.
    pub(crate) fn resized(&mut self, a: Term, bits: u32, by_sign: bool) -> Term {
        match self.bits(a) > bits {
            true => self.slice(a, 0, bits),
            false => self.extend(a, bits, by_sign),
        }
    }

    pub(crate) fn concat(&mut self, high: Term, low: Term) -> Term {
        let bits = self.bits(high) + self.bits(low);
        if let (Some(x), Some(y)) = (self.value(high), self.value(low))
            && bits <= 128
        {
            return self.number(bits, x << self.bits(low) | y);
        }
        // Neighbouring slices are one.
        if let (Node::Slice(a, at, _), Node::Slice(b, from, width)) =
            (self.node(high), self.node(low))
            && a == b
            && at == from + width
        {
            return self.slice(a, from, bits);
        }
        self.make(Node::Concat(high, low), bits)
    }

    pub(crate) fn select(&mut self, memory: Term, address: Term) -> Term {
        let mut now = memory;
        // What was written is read, as far as numbers tell addresses apart.
        while let Node::Store(before, at, byte) = self.node(now) {
            if at == address {
                return byte;
            }
            if self.apart(at, address) {
                now = before;
            } else {
                break;
            }
        }
        self.make(Node::Select(now, address), 8)
    }

    /// Whether two addresses differ by a number that is not 0.
    fn apart(&self, a: Term, b: Term) -> bool {
        let split = |t: Term| match self.node(t) {
            Node::Number { value, .. } => (None, value),
            Node::Op(Op::Add, x, y) => match self.value(y) {
                Some(n) => (Some(x), n),
                None => (Some(t), 0),
            },
            _ => (Some(t), 0),
        };
        let ((x, m), (y, n)) = (split(a), split(b));
        x == y && m != n
    }

    pub(crate) fn store(&mut self, memory: Term, address: Term, byte: Term) -> Term {
        self.make(Node::Store(memory, address, byte), 0)
    }

    /// The terms below some, operands first.
    pub(crate) fn cone(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack: Vec<Term> = roots.into_iter().collect();
        while let Some(t) = stack.pop() {
            if seen.insert(t) {
                stack.extend(self.node(t).below().into_iter().flatten());
            }
        }
        let mut all: Vec<Term> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }
}

/// The value of an operator; none where it has none.
fn computed(op: Op, bits: u32, x: u128, y: u128) -> Option<u128> {
    let (s, t) = (signed(bits, x), signed(bits, y));
    Some(match op {
        Op::Add => x.wrapping_add(y),
        Op::Sub => x.wrapping_sub(y),
        Op::Mul => x.wrapping_mul(y),
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
        Op::DivU => x.checked_div(y)?,
        Op::RemU => x.checked_rem(y)?,
        Op::DivS => s.checked_div(t)? as u128,
        Op::RemS => s.checked_rem(t)? as u128,
        Op::Shl | Op::ShrU | Op::ShrS if y >= u128::from(bits) => return None,
        Op::Shl => x << y,
        Op::ShrU => x >> y,
        Op::ShrS => (s >> y) as u128,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_a_number() {
        let mut t = Terms::default();
        let (a, b) = (t.number(8, 250), t.number(8, 7));
        let sum = t.op(Op::Add, a, b);
        assert_eq!(t.value(sum), Some(1));
        let less = t.compare(Cmp::LtS, a, b);
        assert_eq!(t.value(less), Some(1));
        let x = t.fresh("x", 8);
        let zero = t.number(8, 0);
        let all = t.number(8, 255);
        for (op, y, expected) in [
            (Op::Add, zero, x),
            (Op::And, all, x),
            (Op::And, zero, zero),
            (Op::Or, all, all),
            (Op::Or, zero, x),
            (Op::Xor, zero, x),
        ] {
            assert_eq!(t.op(op, x, y), expected, "{op:?}");
            assert_eq!(t.op(op, y, x), expected, "{op:?}");
        }
        assert_ne!(t.op(Op::And, x, b), x);
        assert_ne!(t.op(Op::And, b, x), x);
        assert_ne!(t.op(Op::Or, b, x), x);
        assert_ne!(t.op(Op::Or, x, b), b);
    }

    #[test]
    fn a_byte_that_was_written_is_read() {
        let mut t = Terms::default();
        let (m, p) = (t.fresh("m", 0), t.fresh("p", 64));
        let (one, two) = (t.number(64, 1), t.number(64, 2));
        let (x, y) = (t.fresh("x", 8), t.fresh("y", 8));
        let (p1, p2) = (t.op(Op::Add, p, one), t.op(Op::Add, p, two));
        let m = t.store(m, p1, x);
        let m = t.store(m, p2, y);
        assert_eq!(t.select(m, p1), x);
        let q = t.fresh("q", 64);
        let far = t.select(m, q);
        assert_eq!(t.node(far), Node::Select(m, q));
    }
}
