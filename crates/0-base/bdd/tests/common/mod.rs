//! Truth tables and random numbers for the tests.

#![allow(dead_code)] // each test file uses its own part

use bdd::{Bdd, Manager, Stop};

/// A function of up to 8 variables as the set of the assignments on which it is true. Bit `i`
/// of assignment `a` is the value of variable `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Table {
    words: [u64; 4],
    vars: u32,
}

impl Table {
    pub(crate) fn constant(value: bool, vars: u32) -> Table {
        Table::from_fn(vars, |_| value)
    }

    pub(crate) fn from_fn(vars: u32, mut f: impl FnMut(u32) -> bool) -> Table {
        assert!(vars <= 8);
        let mut words = [0; 4];
        for a in 0..1u32 << vars {
            if f(a) {
                words[(a / 64) as usize] |= 1 << (a % 64);
            }
        }
        Table { words, vars }
    }

    pub(crate) fn var(var: u32, vars: u32) -> Table {
        Table::from_fn(vars, |a| a >> var & 1 == 1)
    }

    pub(crate) fn at(&self, a: u32) -> bool {
        self.words[(a / 64) as usize] >> (a % 64) & 1 == 1
    }

    pub(crate) fn map2(self, other: Table, f: impl Fn(bool, bool) -> bool) -> Table {
        Table::from_fn(self.vars, |a| f(self.at(a), other.at(a)))
    }

    pub(crate) fn not(self) -> Table {
        Table::from_fn(self.vars, |a| !self.at(a))
    }

    pub(crate) fn and(self, other: Table) -> Table {
        self.map2(other, |x, y| x && y)
    }

    pub(crate) fn or(self, other: Table) -> Table {
        self.map2(other, |x, y| x || y)
    }

    pub(crate) fn exists(self, vars: &[u32]) -> Table {
        let mut t = self;
        for &v in vars {
            t = Table::from_fn(self.vars, |a| t.at(a) || t.at(a ^ 1 << v));
        }
        t
    }

    /// Simultaneous renaming: the value at `a` is that of the old function where variable `v`
    /// has the value that `a` gives to its new name.
    pub(crate) fn rename(self, pairs: &[(u32, u32)]) -> Table {
        Table::from_fn(self.vars, |a| {
            let mut old = 0;
            for v in 0..self.vars {
                let name = pairs.iter().find(|p| p.0 == v).map_or(v, |p| p.1);
                old |= (a >> name & 1) << v;
            }
            self.at(old)
        })
    }

    pub(crate) fn depends_on(self, var: u32) -> bool {
        (0..1 << self.vars).any(|a| self.at(a) != self.at(a ^ 1 << var))
    }

    pub(crate) fn count(self) -> u32 {
        self.words.iter().map(|w| w.count_ones()).sum()
    }
}

/// The truth table of `f`, read by `eval`. `name` gives the variable that each bit stands for.
pub(crate) fn read(m: &Manager, f: Bdd, vars: u32, name: impl Fn(u32) -> u32) -> Table {
    Table::from_fn(vars, |a| {
        m.eval(f, |v| {
            let bit = (0..vars).find(|&i| name(i) == v).expect("an unknown variable");
            a >> bit & 1 == 1
        })
    })
}

/// The diagram of a truth table, by Shannon expansion with `ite`.
pub(crate) fn build(m: &mut Manager, t: Table, vars: u32) -> Result<Bdd, Stop> {
    let mut row: Vec<Bdd> = (0..1 << vars).map(|a| Bdd::from(t.at(a))).collect();
    for v in (0..vars).rev() {
        let half = row.len() / 2;
        let x = m.var(v)?;
        for i in 0..half {
            row[i] = m.ite(x, row[i + half], row[i])?;
        }
        row.truncate(half);
    }
    Ok(row[0])
}

/// SplitMix64.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n)) as u32
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    /// A random subset of the variables.
    pub(crate) fn subset(&mut self, vars: u32) -> Vec<u32> {
        (0..vars).filter(|_| self.next().is_multiple_of(3)).collect()
    }

    /// A random renaming, most often not monotonic and sometimes not injective.
    pub(crate) fn renaming(&mut self, vars: u32) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for v in 0..vars {
            if self.coin() {
                pairs.push((v, self.below(vars)));
            }
        }
        pairs
    }
}
