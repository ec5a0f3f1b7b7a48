//! Generalised cofactors: simplify a function where only a part of its domain matters.

use crate::apply::cofactors;
use crate::computed::Op;
use crate::edge::Bdd;
use crate::manager::{Manager, Stop};

impl Manager {
    /// The generalised cofactor of Coudert and Madre: a function that equals `f` on `care`.
    ///
    /// It maps every point outside `care` to the nearest point inside and commutes with the
    /// connectives, but may depend on variables that `f` does not. For a cube of literals it
    /// is the ordinary cofactor. For `care` = false it is false.
    pub fn constrain(&mut self, f: Bdd, care: Bdd) -> Result<Bdd, Stop> {
        self.debug_check(&[f, care]);
        self.constrain_rec(f, care)
    }

    /// A function that equals `f` on `care` and depends only on variables of `f`; often, not
    /// always, smaller than `f`. For `care` = false it is false.
    pub fn restrict(&mut self, f: Bdd, care: Bdd) -> Result<Bdd, Stop> {
        self.debug_check(&[f, care]);
        self.restrict_rec(f, care)
    }

    /// The cases in which nothing is left to simplify.
    #[inline(always)]
    fn simplified(f: Bdd, care: Bdd) -> Option<Bdd> {
        if care.is_false() || f == care.not() {
            Some(Bdd::FALSE)
        } else if care.is_true() || f.is_const() {
            Some(f)
        } else if f == care {
            Some(Bdd::TRUE)
        } else {
            None
        }
    }

    fn constrain_rec(&mut self, f: Bdd, care: Bdd) -> Result<Bdd, Stop> {
        if let Some(r) = Manager::simplified(f, care) {
            return Ok(r);
        }
        let c = f.complement();
        let f = f.regular();
        if let Some(r) = self.computed.get(Op::Constrain, f, care.0, 0) {
            return Ok(r.xor_complement(c));
        }
        self.step()?;
        let (nf, nc) = (self.node_of(f), self.node_of(care));
        let level = nf.level.min(nc.level);
        let (f0, f1) = cofactors(f, &nf, level);
        let (c0, c1) = cofactors(care, &nc, level);
        let r = if c1.is_false() {
            self.constrain_rec(f0, c0)?
        } else if c0.is_false() {
            self.constrain_rec(f1, c1)?
        } else {
            let hi = self.constrain_rec(f1, c1)?;
            let lo = self.constrain_rec(f0, c0)?;
            self.make(level, lo, hi)?
        };
        self.computed.put(Op::Constrain, f, care.0, 0, r);
        Ok(r.xor_complement(c))
    }

    fn restrict_rec(&mut self, f: Bdd, care: Bdd) -> Result<Bdd, Stop> {
        if let Some(r) = Manager::simplified(f, care) {
            return Ok(r);
        }
        let c = f.complement();
        let f = f.regular();
        if let Some(r) = self.computed.get(Op::Restrict, f, care.0, 0) {
            return Ok(r.xor_complement(c));
        }
        self.step()?;
        let (nf, nc) = (self.node_of(f), self.node_of(care));
        let level = nf.level;
        let r = if nc.level < level {
            let (c0, c1) = cofactors(care, &nc, nc.level);
            let either = self.or_rec(c0, c1)?;
            self.restrict_rec(f, either)?
        } else {
            let (f0, f1) = cofactors(f, &nf, level);
            let (c0, c1) = cofactors(care, &nc, level);
            if c1.is_false() {
                self.restrict_rec(f0, c0)?
            } else if c0.is_false() {
                self.restrict_rec(f1, c1)?
            } else {
                let hi = self.restrict_rec(f1, c1)?;
                let lo = self.restrict_rec(f0, c0)?;
                self.make(level, lo, hi)?
            }
        };
        self.computed.put(Op::Restrict, f, care.0, 0, r);
        Ok(r.xor_complement(c))
    }
}
