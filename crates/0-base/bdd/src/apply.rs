//! The boolean connectives.
//!
//! Each is one recursion over the levels of its operands, with its results in the computed
//! table. Complement edges make `and` serve `or`, `diff` and `implies`, and `xor` serve `iff`.

use crate::computed::Op;
use crate::edge::Bdd;
use crate::manager::{Manager, Stop};
use crate::nodes::Node;

/// The cofactors `(lo, hi)` of the edge `f` to `node` at `level`, which is not below it.
#[inline(always)]
pub(crate) fn cofactors(f: Bdd, node: &Node, level: u32) -> (Bdd, Bdd) {
    if node.level == level {
        let c = f.complement();
        (node.lo.xor_complement(c), node.hi.xor_complement(c))
    } else {
        (f, f)
    }
}

/// Operands of a commutative operation in a fixed order, so that both ways share an entry.
#[inline(always)]
pub(crate) fn sorted(f: Bdd, g: Bdd) -> (Bdd, Bdd) {
    if f.0 < g.0 { (f, g) } else { (g, f) }
}

impl Manager {
    /// `f ∧ g`.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.debug_check(&[f, g]);
        self.and_rec(f, g)
    }

    /// `f ∨ g`.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.debug_check(&[f, g]);
        self.or_rec(f, g)
    }

    /// `f ∧ ¬g`.
    pub fn diff(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.and(f, g.not())
    }

    /// `f ⇒ g`, as a function; to ask whether it holds everywhere, use
    /// [`leq`](Manager::leq).
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        Ok(self.and(f, g.not())?.not())
    }

    /// `f ⊕ g`.
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.debug_check(&[f, g]);
        self.xor_rec(f, g)
    }

    /// `f ⇔ g`.
    pub fn iff(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        Ok(self.xor(f, g)?.not())
    }

    /// If `f` then `g` else `h`.
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Result<Bdd, Stop> {
        self.debug_check(&[f, g, h]);
        self.ite_rec(f, g, h)
    }

    pub(crate) fn and_rec(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        if f == g {
            return Ok(f);
        }
        if f == g.not() {
            return Ok(Bdd::FALSE);
        }
        let (f, g) = sorted(f, g);
        if f.is_const() {
            return Ok(if f.is_true() { g } else { Bdd::FALSE });
        }
        if let Some(r) = self.computed.get(Op::And, f, g.0, 0) {
            return Ok(r);
        }
        self.step()?;
        let (nf, ng) = (self.node_of(f), self.node_of(g));
        let level = nf.level.min(ng.level);
        let (f0, f1) = cofactors(f, &nf, level);
        let (g0, g1) = cofactors(g, &ng, level);
        let hi = self.and_rec(f1, g1)?;
        let lo = self.and_rec(f0, g0)?;
        let r = self.make(level, lo, hi)?;
        self.computed.put(Op::And, f, g.0, 0, r);
        Ok(r)
    }

    #[inline(always)]
    pub(crate) fn or_rec(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        Ok(self.and_rec(f.not(), g.not())?.not())
    }

    pub(crate) fn xor_rec(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        // (¬f ⊕ g) = ¬(f ⊕ g): only regular operands reach the computed table.
        let c = f.complement() ^ g.complement();
        let (f, g) = sorted(f.regular(), g.regular());
        if f == g {
            return Ok(Bdd::FALSE.xor_complement(c));
        }
        if f.is_true() {
            return Ok(g.not().xor_complement(c));
        }
        if let Some(r) = self.computed.get(Op::Xor, f, g.0, 0) {
            return Ok(r.xor_complement(c));
        }
        self.step()?;
        let (nf, ng) = (self.node_of(f), self.node_of(g));
        let level = nf.level.min(ng.level);
        let (f0, f1) = cofactors(f, &nf, level);
        let (g0, g1) = cofactors(g, &ng, level);
        let hi = self.xor_rec(f1, g1)?;
        let lo = self.xor_rec(f0, g0)?;
        let r = self.make(level, lo, hi)?;
        self.computed.put(Op::Xor, f, g.0, 0, r);
        Ok(r.xor_complement(c))
    }

    pub(crate) fn ite_rec(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Result<Bdd, Stop> {
        if f.is_const() {
            return Ok(if f.is_true() { g } else { h });
        }
        if g == h {
            return Ok(g);
        }
        // Two operands are left: the cheaper operations share their entries with others.
        if f == g || g.is_true() {
            return self.or_rec(f, h);
        }
        if f == g.not() || g.is_false() {
            return self.and_rec(f.not(), h);
        }
        if f == h || h.is_false() {
            return self.and_rec(f, g);
        }
        if f == h.not() || h.is_true() {
            return Ok(self.and_rec(f, g.not())?.not());
        }
        if g == h.not() {
            return Ok(self.xor_rec(f, g)?.not());
        }
        // ite(¬f, g, h) = ite(f, h, g) and ite(f, ¬g, ¬h) = ¬ite(f, g, h): make f and g regular.
        let (f, g, h) = if f.complement() == 1 { (f.not(), h, g) } else { (f, g, h) };
        let c = g.complement();
        let (g, h) = (g.xor_complement(c), h.xor_complement(c));
        if let Some(r) = self.computed.get(Op::Ite, f, g.0, h.0) {
            return Ok(r.xor_complement(c));
        }
        self.step()?;
        let (nf, ng, nh) = (self.node_of(f), self.node_of(g), self.node_of(h));
        let level = nf.level.min(ng.level).min(nh.level);
        let (f0, f1) = cofactors(f, &nf, level);
        let (g0, g1) = cofactors(g, &ng, level);
        let (h0, h1) = cofactors(h, &nh, level);
        let hi = self.ite_rec(f1, g1, h1)?;
        let lo = self.ite_rec(f0, g0, h0)?;
        let r = self.make(level, lo, hi)?;
        self.computed.put(Op::Ite, f, g.0, h.0, r);
        Ok(r.xor_complement(c))
    }
}
