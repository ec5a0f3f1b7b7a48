//! Comparisons that build no node and leave at the first difference.

use crate::apply::{cofactors, sorted};
use crate::computed::Op;
use crate::edge::Bdd;
use crate::manager::{Manager, Stop};

impl Manager {
    /// Whether `f ⇒ g` holds everywhere: whether `f`, as a set, is contained in `g`.
    pub fn leq(&mut self, f: Bdd, g: Bdd) -> Result<bool, Stop> {
        self.disjoint(f, g.not())
    }

    /// Whether `f ∧ g` is false everywhere.
    pub fn disjoint(&mut self, f: Bdd, g: Bdd) -> Result<bool, Stop> {
        self.debug_check(&[f, g]);
        self.disjoint_rec(f, g)
    }

    fn disjoint_rec(&mut self, f: Bdd, g: Bdd) -> Result<bool, Stop> {
        if f == g.not() || f.is_false() || g.is_false() {
            return Ok(true);
        }
        if f == g || f.is_true() || g.is_true() {
            return Ok(false);
        }
        // Regular edges are true where all variables are: they meet there.
        if f.complement() == 0 && g.complement() == 0 {
            return Ok(false);
        }
        let (f, g) = sorted(f, g);
        if let Some(r) = self.computed.get(Op::Disjoint, f, g.0, 0) {
            return Ok(r.is_true());
        }
        self.step()?;
        let (nf, ng) = (self.node_of(f), self.node_of(g));
        let level = nf.level.min(ng.level);
        let (f0, f1) = cofactors(f, &nf, level);
        let (g0, g1) = cofactors(g, &ng, level);
        // Low first: only there can a complemented edge turn regular and end the search.
        let r = self.disjoint_rec(f0, g0)? && self.disjoint_rec(f1, g1)?;
        self.computed.put(Op::Disjoint, f, g.0, 0, r.into());
        Ok(r)
    }
}
