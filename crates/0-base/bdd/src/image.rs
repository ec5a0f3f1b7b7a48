//! Renaming, and the image of a set under a relation in one pass.
//!
//! A step of a program is `(∃ old. set ∧ relation)[new ↦ old]`. Doing the three in one
//! recursion saves the two diagrams between, and registered specs give the whole an entry in
//! the computed table, which a renaming with a table of its own does not have.

use crate::apply::{cofactors, sorted};
use crate::computed::Op;
use crate::edge::Bdd;
use crate::manager::{Manager, Stop};
use crate::spec::{BEYOND, QUANTIFY, SpecId};

impl Manager {
    /// `f` with its variables renamed, all at once; see [`spec`](Manager::spec).
    ///
    /// # Panics
    /// If one variable is renamed to two, or a number exceeds [`MAX_VAR`](crate::MAX_VAR).
    pub fn rename(&mut self, f: Bdd, pairs: &[(u32, u32)]) -> Result<Bdd, Stop> {
        let spec = self.spec(&[], pairs);
        self.exists_rename(f, spec)
    }

    /// `(∃ quantified. f)[renamed]`.
    pub fn exists_rename(&mut self, f: Bdd, spec: SpecId) -> Result<Bdd, Stop> {
        self.debug_check(&[f]);
        if self.specs.quantifies(spec) {
            self.exists_rename_rec(f, spec)
        } else {
            self.rename_rec(f, spec)
        }
    }

    /// `(∃ quantified. f ∧ g)[renamed]`.
    pub fn image(&mut self, f: Bdd, g: Bdd, spec: SpecId) -> Result<Bdd, Stop> {
        self.debug_check(&[f, g]);
        self.image_rec(f, g, spec)
    }

    /// If `level` then `hi` else `lo`, wherever `level` lies.
    ///
    /// A renaming that keeps the order takes the first branch throughout. It is tested node by
    /// node, since a renaming may keep the order of the variables that are there and break
    /// that of those which are not.
    #[inline(always)]
    fn make_anywhere(&mut self, level: u32, lo: Bdd, hi: Bdd) -> Result<Bdd, Stop> {
        if level < self.table.level(lo) && level < self.table.level(hi) {
            self.make(level, lo, hi)
        } else {
            self.make_below(level, lo, hi)
        }
    }

    #[inline(never)]
    fn make_below(&mut self, level: u32, lo: Bdd, hi: Bdd) -> Result<Bdd, Stop> {
        let var = self.make(level, Bdd::FALSE, Bdd::TRUE)?;
        self.ite_rec(var, hi, lo)
    }

    /// Like `exists_rename_rec`, but commutes with the complement, and so with half the entries.
    fn rename_rec(&mut self, f: Bdd, spec: SpecId) -> Result<Bdd, Stop> {
        if f.is_const() {
            return Ok(f);
        }
        let c = f.complement();
        let regular = f.regular();
        let n = self.node_of(regular);
        let level = self.specs.action(spec, n.level);
        if level == BEYOND {
            return Ok(f);
        }
        if let Some(r) = self.computed.get(Op::Rename, regular, spec.0, 0) {
            return Ok(r.xor_complement(c));
        }
        self.step()?;
        let hi = self.rename_rec(n.hi, spec)?;
        let lo = self.rename_rec(n.lo, spec)?;
        let r = self.make_anywhere(level, lo, hi)?;
        self.computed.put(Op::Rename, regular, spec.0, 0, r);
        Ok(r.xor_complement(c))
    }

    fn exists_rename_rec(&mut self, f: Bdd, spec: SpecId) -> Result<Bdd, Stop> {
        if f.is_const() {
            return Ok(f);
        }
        let n = self.node_of(f);
        let action = self.specs.action(spec, n.level);
        if action == BEYOND {
            return Ok(f);
        }
        if let Some(r) = self.computed.get(Op::ExistsRename, f, spec.0, 0) {
            return Ok(r);
        }
        self.step()?;
        let (f0, f1) = cofactors(f, &n, n.level);
        let hi = self.exists_rename_rec(f1, spec)?;
        let r = if action != QUANTIFY {
            let lo = self.exists_rename_rec(f0, spec)?;
            self.make_anywhere(action, lo, hi)?
        } else if hi.is_true() {
            hi
        } else {
            let lo = self.exists_rename_rec(f0, spec)?;
            self.or_rec(hi, lo)?
        };
        self.computed.put(Op::ExistsRename, f, spec.0, 0, r);
        Ok(r)
    }

    fn image_rec(&mut self, f: Bdd, g: Bdd, spec: SpecId) -> Result<Bdd, Stop> {
        if f.is_false() || g.is_false() || f == g.not() {
            return Ok(Bdd::FALSE);
        }
        if f == g || g.is_true() {
            return self.exists_rename_rec(f, spec);
        }
        if f.is_true() {
            return self.exists_rename_rec(g, spec);
        }
        let (f, g) = sorted(f, g);
        let (nf, ng) = (self.node_of(f), self.node_of(g));
        let level = nf.level.min(ng.level);
        let action = self.specs.action(spec, level);
        if action == BEYOND {
            return self.and_rec(f, g);
        }
        if let Some(r) = self.computed.get(Op::Image, f, g.0, spec.0) {
            return Ok(r);
        }
        self.step()?;
        let (f0, f1) = cofactors(f, &nf, level);
        let (g0, g1) = cofactors(g, &ng, level);
        let hi = self.image_rec(f1, g1, spec)?;
        let r = if action != QUANTIFY {
            let lo = self.image_rec(f0, g0, spec)?;
            self.make_anywhere(action, lo, hi)?
        } else if hi.is_true() {
            hi
        } else {
            let lo = self.image_rec(f0, g0, spec)?;
            self.or_rec(hi, lo)?
        };
        self.computed.put(Op::Image, f, g.0, spec.0, r);
        Ok(r)
    }
}
