//! A set in two parts: what an operation that outgrew its room is repeated with.

use crate::apply::cofactors;
use crate::edge::Bdd;
use crate::manager::{Manager, Stop};

impl Manager {
    /// Two disjoint sets that make up `f`, neither of them empty: those of its assignments in which the topmost
    /// variable that has both values is true, and those in which it is false. `None` if `f` is constant or a cube.
    ///
    /// What the parts are made of are the nodes of `f` and at most two more for each level.
    pub fn halves(&mut self, f: Bdd) -> Result<Option<(Bdd, Bdd)>, Stop> {
        self.debug_check(&[f]);
        let mut above: Vec<(u32, bool)> = Vec::new();
        let mut rest = f;
        let (mut yes, mut no) = loop {
            if rest.is_const() {
                return Ok(None);
            }
            let node = self.node_of(rest);
            let (lo, hi) = cofactors(rest, &node, node.level);
            if lo.is_false() {
                above.push((node.level, true));
                rest = hi;
            } else if hi.is_false() {
                above.push((node.level, false));
                rest = lo;
            } else {
                let yes = self.make(node.level, Bdd::FALSE, hi)?;
                break (yes, self.make(node.level, lo, Bdd::FALSE)?);
            }
        };
        for (level, value) in above.into_iter().rev() {
            for part in [&mut yes, &mut no] {
                let (lo, hi) = if value { (Bdd::FALSE, *part) } else { (*part, Bdd::FALSE) };
                *part = self.make(level, lo, hi)?;
            }
        }
        Ok(Some((yes, no)))
    }
}
