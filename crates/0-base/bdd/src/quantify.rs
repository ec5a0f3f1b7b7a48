//! Quantification over the variables of a cube, alone and fused with a conjunction.

use crate::apply::{cofactors, sorted};
use crate::computed::Op;
use crate::edge::Bdd;
use crate::manager::{Manager, Stop, check_var};

impl Manager {
    /// The conjunction of the variables, in any order and number: what the quantifiers take.
    ///
    /// # Panics
    /// If a number exceeds [`MAX_VAR`](crate::MAX_VAR).
    pub fn cube(&mut self, vars: &[u32]) -> Result<Bdd, Stop> {
        let mut levels: Vec<u32> = Vec::with_capacity(vars.len());
        for &var in vars {
            check_var(var);
            levels.push(self.order.level(var));
        }
        levels.sort_unstable();
        levels.dedup();
        let mut cube = Bdd::TRUE;
        for &level in levels.iter().rev() {
            cube = self.make(level, Bdd::FALSE, cube)?;
        }
        Ok(cube)
    }

    /// The conjunction of literals: the set of the assignments that agree with `literals`.
    /// [`FALSE`](Bdd::FALSE) if they contradict each other.
    ///
    /// # Panics
    /// If a number exceeds [`MAX_VAR`](crate::MAX_VAR).
    pub fn literals(&mut self, literals: &[(u32, bool)]) -> Result<Bdd, Stop> {
        let mut levels: Vec<(u32, bool)> = Vec::with_capacity(literals.len());
        for &(var, value) in literals {
            check_var(var);
            levels.push((self.order.level(var), value));
        }
        levels.sort_unstable();
        levels.dedup();
        if levels.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Ok(Bdd::FALSE);
        }
        let mut cube = Bdd::TRUE;
        for &(level, value) in levels.iter().rev() {
            let (lo, hi) = if value { (Bdd::FALSE, cube) } else { (cube, Bdd::FALSE) };
            cube = self.make(level, lo, hi)?;
        }
        Ok(cube)
    }

    /// `∃ cube. f`.
    pub fn exists(&mut self, f: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        self.debug_check(&[f, cube]);
        self.exists_rec(f, cube)
    }

    /// `∀ cube. f`.
    pub fn forall(&mut self, f: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        Ok(self.exists(f.not(), cube)?.not())
    }

    /// `∃ cube. f ∧ g`, without building `f ∧ g`.
    pub fn and_exists(&mut self, f: Bdd, g: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        self.debug_check(&[f, g, cube]);
        self.and_exists_rec(f, g, cube)
    }

    /// The cube without the levels above `level`.
    #[inline(always)]
    fn cube_from(&self, mut cube: Bdd, level: u32) -> Bdd {
        loop {
            let n = self.table.node(cube);
            if n.level >= level {
                return cube;
            }
            debug_assert!(cube.complement() == 0 && n.lo.is_false(), "not a cube of variables");
            cube = n.hi;
        }
    }

    fn exists_rec(&mut self, f: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        if f.is_const() {
            return Ok(f);
        }
        let nf = self.node_of(f);
        let level = nf.level;
        let cube = self.cube_from(cube, level);
        if cube.is_true() {
            return Ok(f);
        }
        if let Some(r) = self.computed.get(Op::Exists, f, cube.0, 0) {
            return Ok(r);
        }
        self.step()?;
        let (f0, f1) = cofactors(f, &nf, level);
        let nc = self.node_of(cube);
        let r = if nc.level == level {
            let hi = self.exists_rec(f1, nc.hi)?;
            if hi.is_true() {
                hi
            } else {
                let lo = self.exists_rec(f0, nc.hi)?;
                self.or_rec(hi, lo)?
            }
        } else {
            let hi = self.exists_rec(f1, cube)?;
            let lo = self.exists_rec(f0, cube)?;
            self.make(level, lo, hi)?
        };
        self.computed.put(Op::Exists, f, cube.0, 0, r);
        Ok(r)
    }

    fn and_exists_rec(&mut self, f: Bdd, g: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        if f.is_false() || g.is_false() || f == g.not() {
            return Ok(Bdd::FALSE);
        }
        if f == g || g.is_true() {
            return self.exists_rec(f, cube);
        }
        if f.is_true() {
            return self.exists_rec(g, cube);
        }
        let (f, g) = sorted(f, g);
        let (nf, ng) = (self.node_of(f), self.node_of(g));
        let level = nf.level.min(ng.level);
        let cube = self.cube_from(cube, level);
        if cube.is_true() {
            return self.and_rec(f, g);
        }
        if let Some(r) = self.computed.get(Op::AndExists, f, g.0, cube.0) {
            return Ok(r);
        }
        self.step()?;
        let (f0, f1) = cofactors(f, &nf, level);
        let (g0, g1) = cofactors(g, &ng, level);
        let nc = self.node_of(cube);
        let r = if nc.level == level {
            let hi = self.and_exists_rec(f1, g1, nc.hi)?;
            // `hi` does not depend on the cube. So if it is f0, then ∃ f0 ∧ g0 ≤ ∃ f0 = hi.
            if hi.is_true() || hi == f0 || hi == g0 {
                hi
            } else {
                let lo = self.and_exists_rec(f0, g0, nc.hi)?;
                self.or_rec(hi, lo)?
            }
        } else {
            let hi = self.and_exists_rec(f1, g1, cube)?;
            let lo = self.and_exists_rec(f0, g0, cube)?;
            self.make(level, lo, hi)?
        };
        self.computed.put(Op::AndExists, f, g.0, cube.0, r);
        Ok(r)
    }
}
