//! What the tests of the model share: a small universe, a truth-table algebra, random expressions.

#![allow(dead_code)] // each suite uses its part

pub(crate) mod direct;
pub(crate) mod relations;

use ir::blast::Algebra;
use ir::eval::TableEnv;
use ir::{BinaryOp, Dim, Expr, ExprId, Exprs, Program, Time, Type, VarId};
use std::collections::HashMap;

/// A small random number generator (splitmix64).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A bit of the universe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Bit {
    Var { time: Time, var: VarId, cell: u32, bit: u32 },
    Choice(u32),
}

/// The bits that a test ranges over: bit `i` of a valuation's number is the value of `bits[i]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Universe {
    pub(crate) bits: Vec<Bit>,
}

impl Universe {
    pub(crate) fn add_var(&mut self, program: &Program, time: Time, var: VarId) {
        let ty = program.vars[var].ty;
        for cell in 0..ty.cells() {
            for bit in 0..ty.scalar.bits() {
                self.bits.push(Bit::Var { time, var, cell, bit });
            }
        }
    }
    pub(crate) fn add_choices(&mut self, number: u32) {
        self.bits.extend((0..number).map(Bit::Choice));
    }
    pub(crate) fn valuations(&self) -> std::ops::Range<usize> {
        0..1 << self.bits.len()
    }
    /// The environment that a valuation stands for.
    pub(crate) fn env(&self, valuation: usize) -> TableEnv {
        let mut env = TableEnv::default();
        for (i, bit) in self.bits.iter().enumerate() {
            let value = valuation >> i & 1;
            match *bit {
                Bit::Var { time, var, cell, bit } => {
                    let table = match time {
                        Time::Pre => &mut env.pre,
                        Time::Post => &mut env.post,
                        Time::Saved => &mut env.saved,
                    };
                    *table.entry((var, cell)).or_default() |= (value as u64) << bit;
                }
                Bit::Choice(k) => {
                    env.choices.resize(env.choices.len().max(k as usize + 1), false);
                    env.choices[k as usize] = value == 1;
                }
            }
        }
        env
    }
}

/// Truth tables over a universe, each kept once so that equal functions are equal.
pub(crate) struct Tables {
    universe: Universe,
    tables: Vec<Vec<u64>>,
    ids: HashMap<Vec<u64>, u32>,
}

impl Tables {
    pub(crate) fn new(universe: Universe) -> Tables {
        Tables { universe, tables: Vec::new(), ids: HashMap::new() }
    }
    fn words(&self) -> usize {
        (1usize << self.universe.bits.len()).div_ceil(64)
    }
    fn add(&mut self, mut table: Vec<u64>) -> u32 {
        if self.universe.bits.len() < 6 {
            table[0] &= (1 << (1 << self.universe.bits.len())) - 1;
        }
        if let Some(&id) = self.ids.get(&table) {
            return id;
        }
        let id = self.tables.len() as u32;
        self.tables.push(table.clone());
        self.ids.insert(table, id);
        id
    }
    pub(crate) fn value(&self, function: u32, valuation: usize) -> bool {
        self.tables[function as usize][valuation / 64] >> (valuation % 64) & 1 == 1
    }
    pub(crate) fn bit(&mut self, bit: Bit) -> u32 {
        let position = self.universe.bits.iter().position(|&b| b == bit);
        let position = position.unwrap_or_else(|| panic!("{bit:?} is not in the universe"));
        let mut table = vec![0u64; self.words()];
        for valuation in self.universe.valuations() {
            table[valuation / 64] |= ((valuation >> position & 1) as u64) << (valuation % 64);
        }
        self.add(table)
    }
}

impl Algebra for Tables {
    type Bit = u32;
    type Error = std::convert::Infallible;
    fn constant(&mut self, value: bool) -> u32 {
        let table = vec![if value { u64::MAX } else { 0 }; self.words()];
        self.add(table)
    }
    fn not(&mut self, a: u32) -> Result<u32, Self::Error> {
        let table = self.tables[a as usize].iter().map(|w| !w).collect();
        Ok(self.add(table))
    }
    fn and(&mut self, a: u32, b: u32) -> Result<u32, Self::Error> {
        let (a, b) = (&self.tables[a as usize], &self.tables[b as usize]);
        let table = a.iter().zip(b).map(|(x, y)| x & y).collect();
        Ok(self.add(table))
    }
    fn read(&mut self, time: Time, var: VarId, cell: u32, bit: u32) -> Result<u32, Self::Error> {
        Ok(self.bit(Bit::Var { time, var, cell, bit }))
    }
    fn choice(&mut self, number: u32) -> Result<u32, Self::Error> {
        Ok(self.bit(Bit::Choice(number)))
    }
}

/// Takes the value out of a result that cannot be an error.
pub(crate) fn sure<T>(result: Result<T, std::convert::Infallible>) -> T {
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// Makes random expressions over the given readable variables.
pub(crate) struct Maker<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) exprs: &'a mut Exprs,
    pub(crate) reads: &'a [(Time, VarId, Type)],
    pub(crate) choices: u32,
}

impl Maker<'_> {
    fn read(&mut self, bool: bool, depth: u32) -> Option<ExprId> {
        let fits: Vec<_> = self
            .reads
            .iter()
            .copied()
            .filter(|(_, _, ty)| (ty.scalar == ir::Scalar::Bool) == bool)
            .filter(|(_, _, ty)| ty.array.is_none() || depth > 0)
            .collect();
        if fits.is_empty() {
            return None;
        }
        let (time, var, ty) = self.rng.pick(&fits);
        Some(match ty.array {
            None => self.exprs.add(Expr::Read(time, var)),
            Some(dim) => {
                let index = self.index(dim, depth);
                self.exprs.add(Expr::Index(time, var, index))
            }
        })
    }
    /// Mostly in range.
    pub(crate) fn index(&mut self, dim: Dim, depth: u32) -> ExprId {
        if depth == 0 || self.rng.chance(50) {
            let index = dim.lo + self.rng.below(dim.len as usize + 1) as i64;
            return self.exprs.int(index);
        }
        self.int(depth - 1)
    }
    pub(crate) fn bool(&mut self, depth: u32) -> ExprId {
        use BinaryOp::*;
        if depth == 0 || self.rng.chance(15) {
            return match self.rng.below(5) {
                0 => {
                    let value = self.rng.chance(50);
                    self.exprs.bool(value)
                }
                1 if self.choices > 0 => {
                    let k = self.rng.below(self.choices as usize) as u32;
                    self.exprs.choice(k)
                }
                _ => self.read(true, depth).unwrap_or(Exprs::TRUE),
            };
        }
        match self.rng.below(10) {
            0 => {
                let a = self.bool(depth - 1);
                self.exprs.add(Expr::Not(a))
            }
            1 => {
                let (c, a, b) = (self.bool(depth - 1), self.bool(depth - 1), self.bool(depth - 1));
                self.exprs.add(Expr::Ite(c, a, b))
            }
            2 => self.read(true, depth).unwrap_or(Exprs::FALSE),
            3..=5 => {
                let op = self.rng.pick(&[And, Or, Xor, Iff, Implies]);
                let (a, b) = (self.bool(depth - 1), self.bool(depth - 1));
                self.exprs.binary(op, a, b)
            }
            _ => {
                let op = self.rng.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                self.exprs.binary(op, a, b)
            }
        }
    }
    pub(crate) fn int(&mut self, depth: u32) -> ExprId {
        use BinaryOp::*;
        if depth == 0 || self.rng.chance(15) {
            let value = self.rng.below(9) as i64 - 3;
            return match self.rng.chance(60) {
                true => match self.read(false, depth) {
                    Some(read) => read,
                    None => self.exprs.int(value),
                },
                false => self.exprs.int(value),
            };
        }
        match self.rng.below(8) {
            0 => {
                let (c, a, b) = (self.bool(depth - 1), self.int(depth - 1), self.int(depth - 1));
                self.exprs.add(Expr::Ite(c, a, b))
            }
            1 => {
                let (c, a) = (self.bool(depth - 1), self.int(depth - 1));
                self.exprs.binary(When, c, a)
            }
            2 => match self.read(false, depth) {
                Some(read) => read,
                None => self.exprs.int(2),
            },
            _ => {
                let op =
                    self.rng.pick(&[Add, Sub, Mul, Div, Shl, Shr, BitAnd, BitOr, BitXor, Add, Sub]);
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                self.exprs.binary(op, a, b)
            }
        }
    }
}
