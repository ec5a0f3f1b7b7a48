//! What a relation does, as a graph of gates, to be written as expressions.

use std::convert::Infallible;

use ir::blast::Algebra;
use ir::{Time, VarId};
use rustc_hash::FxHashMap;

/// A bit of a variable.
pub(super) type BitOf = (VarId, u32, u32);

/// A gate's number.
pub(super) type Bit = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Gate {
    Const(bool),
    Read(Time, BitOf),
    /// `Choice(k)` of the relation.
    Choice(u32),
    /// Arbitrary, and none of the choices.
    Open(u32),
    Not(Bit),
    And(Bit, Bit),
    Or(Bit, Bit),
    Equal(Bit, Bit),
}

pub(super) const FALSE: Bit = 0;
pub(super) const TRUE: Bit = 1;

/// A graph of gates, operands before what they are part of.
pub(super) struct Gates {
    pub(super) gates: Vec<Gate>,
    ids: FxHashMap<Gate, Bit>,
    open: u32,
}

impl Gates {
    pub(super) fn new() -> Gates {
        let mut out = Gates { gates: Vec::new(), ids: FxHashMap::default(), open: 0 };
        out.add(Gate::Const(false));
        out.add(Gate::Const(true));
        out
    }
    pub(super) fn add(&mut self, gate: Gate) -> Bit {
        let new = self.gates.len() as Bit;
        let id = *self.ids.entry(gate).or_insert(new);
        if id == new {
            self.gates.push(gate);
        }
        id
    }
    pub(super) fn fresh(&mut self) -> Bit {
        self.open += 1;
        self.add(Gate::Open(self.open - 1))
    }
    pub(super) fn negated(&mut self, a: Bit) -> Bit {
        match self.gates[a as usize] {
            Gate::Const(value) => Bit::from(!value),
            Gate::Not(inner) => inner,
            _ => self.add(Gate::Not(a)),
        }
    }
    pub(super) fn opposite(&self, a: Bit, b: Bit) -> bool {
        self.gates[a as usize] == Gate::Not(b) || self.gates[b as usize] == Gate::Not(a)
    }
    pub(super) fn both(&mut self, a: Bit, b: Bit) -> Bit {
        match (a, b) {
            (FALSE, _) | (_, FALSE) => FALSE,
            (TRUE, x) | (x, TRUE) => x,
            _ if a == b => a,
            _ if self.opposite(a, b) => FALSE,
            _ => self.add(Gate::And(a, b)),
        }
    }
    pub(super) fn either(&mut self, a: Bit, b: Bit) -> Bit {
        match (a, b) {
            (TRUE, _) | (_, TRUE) => TRUE,
            (FALSE, x) | (x, FALSE) => x,
            _ if a == b => a,
            _ if self.opposite(a, b) => TRUE,
            _ => self.add(Gate::Or(a, b)),
        }
    }
    pub(super) fn equal(&mut self, a: Bit, b: Bit) -> Bit {
        match (a, b) {
            (TRUE, x) | (x, TRUE) => x,
            (FALSE, x) | (x, FALSE) => self.negated(x),
            _ if a == b => TRUE,
            _ if self.opposite(a, b) => FALSE,
            _ => self.add(Gate::Equal(a, b)),
        }
    }
    pub(super) fn if_else(&mut self, c: Bit, a: Bit, b: Bit) -> Bit {
        if a == b {
            return a;
        }
        let (first, not) = (self.both(c, a), self.negated(c));
        let second = self.both(not, b);
        self.either(first, second)
    }
    pub(super) fn operands(&self, bit: Bit) -> impl Iterator<Item = Bit> + use<> {
        let (a, b) = match self.gates[bit as usize] {
            Gate::Not(a) => (Some(a), None),
            Gate::And(a, b) | Gate::Or(a, b) | Gate::Equal(a, b) => (Some(a), Some(b)),
            _ => (None, None),
        };
        a.into_iter().chain(b)
    }
    /// The gates of the roots, operands first.
    pub(super) fn used(&self, roots: impl IntoIterator<Item = Bit>) -> Vec<Bit> {
        let mut seen = vec![false; self.gates.len()];
        let mut work: Vec<Bit> = roots.into_iter().collect();
        while let Some(bit) = work.pop() {
            if !std::mem::replace(&mut seen[bit as usize], true) {
                work.extend(self.operands(bit));
            }
        }
        (0..self.gates.len() as Bit).filter(|&bit| seen[bit as usize]).collect()
    }
    /// The root with leaves replaced.
    pub(super) fn substitute(
        &mut self,
        root: Bit,
        mut leaf: impl FnMut(&mut Gates, Gate) -> Option<Bit>,
    ) -> Bit {
        let mut image: FxHashMap<Bit, Bit> = FxHashMap::default();
        for bit in self.used([root]) {
            let of = |x: Bit| image[&x];
            let new = match self.gates[bit as usize] {
                Gate::Not(a) => {
                    let a = of(a);
                    self.negated(a)
                }
                Gate::And(a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.both(a, b)
                }
                Gate::Or(a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.either(a, b)
                }
                Gate::Equal(a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.equal(a, b)
                }
                other => leaf(self, other).unwrap_or(bit),
            };
            image.insert(bit, new);
        }
        image[&root]
    }
}

impl Algebra for Gates {
    type Bit = Bit;
    type Error = Infallible;
    fn constant(&mut self, value: bool) -> Bit {
        Bit::from(value)
    }
    fn not(&mut self, a: Bit) -> Result<Bit, Infallible> {
        Ok(self.negated(a))
    }
    fn and(&mut self, a: Bit, b: Bit) -> Result<Bit, Infallible> {
        Ok(self.both(a, b))
    }
    fn or(&mut self, a: Bit, b: Bit) -> Result<Bit, Infallible> {
        Ok(self.either(a, b))
    }
    fn ite(&mut self, c: Bit, a: Bit, b: Bit) -> Result<Bit, Infallible> {
        Ok(self.if_else(c, a, b))
    }
    fn iff(&mut self, a: Bit, b: Bit) -> Result<Bit, Infallible> {
        Ok(self.equal(a, b))
    }
    fn xor(&mut self, a: Bit, b: Bit) -> Result<Bit, Infallible> {
        let same = self.equal(a, b);
        Ok(self.negated(same))
    }
    fn read(&mut self, time: Time, var: VarId, cell: u32, bit: u32) -> Result<Bit, Infallible> {
        Ok(self.add(Gate::Read(time, (var, cell, bit))))
    }
    fn choice(&mut self, number: u32) -> Result<Bit, Infallible> {
        Ok(self.add(Gate::Choice(number)))
    }
}
