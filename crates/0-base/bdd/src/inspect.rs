//! Looking at functions. Nothing here recurses or makes nodes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::edge::Bdd;
use crate::manager::Manager;

impl Manager {
    /// The topmost decision of `f`: its variable, and what is left of `f` if the variable is
    /// false and if it is true. `None` for a constant.
    #[must_use]
    pub fn node(&self, f: Bdd) -> Option<(u32, Bdd, Bdd)> {
        self.debug_check(&[f]);
        if f.is_const() {
            return None;
        }
        let n = self.table.node(f);
        let c = f.complement();
        Some((self.order.var(n.level), n.lo.xor_complement(c), n.hi.xor_complement(c)))
    }

    /// The level of a variable: smaller is nearer to the root. It is the variable's own name
    /// until a reordering moves it.
    #[must_use]
    pub fn level_of(&self, var: u32) -> u32 {
        self.order.level(var)
    }

    /// The value of `f` where each variable has the value that `assignment` gives it; asked
    /// at most once for each variable.
    #[must_use]
    pub fn eval(&self, f: Bdd, mut assignment: impl FnMut(u32) -> bool) -> bool {
        let mut f = f;
        while let Some((var, lo, hi)) = self.node(f) {
            f = if assignment(var) { hi } else { lo };
        }
        f.is_true()
    }

    /// The variables that `f` depends on, ascending.
    #[must_use]
    pub fn support(&self, f: Bdd) -> Vec<u32> {
        let levels: FxHashSet<u32> =
            self.reachable([f]).into_iter().map(|e| self.table.level(e)).collect();
        let mut vars: Vec<u32> = levels.into_iter().map(|level| self.order.var(level)).collect();
        vars.sort_unstable();
        vars
    }

    /// The nodes of `f`, the terminal included.
    #[must_use]
    pub fn size(&self, f: Bdd) -> usize {
        self.shared_size([f])
    }

    /// The nodes reachable from the roots together, the terminal included. The cost grows
    /// with the answer; over most of the table, [`count_reachable`](Manager::count_reachable)
    /// is faster.
    #[must_use]
    pub fn shared_size(&self, roots: impl IntoIterator<Item = Bdd>) -> usize {
        self.reachable(roots).len() + 1
    }

    /// The same number as [`shared_size`](Manager::shared_size), by marking in a bitmap of the whole
    /// table: what [`live_nodes`](Manager::live_nodes) would be after a collection.
    #[must_use]
    pub fn count_reachable(&self, roots: impl IntoIterator<Item = Bdd>) -> usize {
        self.table.mark(roots).len()
    }

    /// How many of the 2^`vars` assignments satisfy `f`, whose support must be among the
    /// `vars` variables. Rounded, and infinite beyond the range of `f64`.
    #[must_use]
    pub fn sat_count(&self, f: Bdd, vars: usize) -> f64 {
        // The share of assignments on which a node is false, and true. Both, since 1 - x would
        // cancel the digits of a share near 1.
        let mut shares: FxHashMap<Bdd, [Scaled; 2]> = FxHashMap::default();
        shares.insert(Bdd::TRUE, [Scaled::ZERO, Scaled::ONE]);
        let mut nodes = self.reachable([f]);
        nodes.sort_unstable_by_key(|&e| (std::cmp::Reverse(self.table.level(e)), e));
        for e in nodes {
            let n = self.table.node(e);
            let hi = shares[&n.hi];
            let mut lo = shares[&n.lo.regular()];
            if n.lo.complement() == 1 {
                lo.reverse();
            }
            shares.insert(e, [lo[0].mean(hi[0]), lo[1].mean(hi[1])]);
        }
        let share = shares[&f.regular()][1 - f.complement() as usize];
        share.times_power_of_two(vars as i64)
    }

    /// The regular edges to all inner nodes of the roots, parents not always before children.
    fn reachable(&self, roots: impl IntoIterator<Item = Bdd>) -> Vec<Bdd> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut done = 0;
        let mut visit = |e: Bdd, found: &mut Vec<Bdd>| {
            if !e.is_const() && seen.insert(e.regular()) {
                found.push(e.regular());
            }
        };
        for root in roots {
            self.debug_check(&[root]);
            visit(root, &mut found);
            while let Some(&e) = found.get(done) {
                done += 1;
                let n = self.table.node(e);
                visit(n.lo, &mut found);
                visit(n.hi, &mut found);
            }
        }
        found
    }
}

/// `mantissa * 2^exponent`: a share of assignments, which underflows an `f64` at about a
/// thousand variables.
#[derive(Clone, Copy)]
struct Scaled {
    /// 0, or in `[0.5, 2)`.
    mantissa: f64,
    exponent: i64,
}

impl Scaled {
    const ZERO: Scaled = Scaled { mantissa: 0.0, exponent: 0 };
    const ONE: Scaled = Scaled { mantissa: 1.0, exponent: 0 };

    fn mean(self, other: Scaled) -> Scaled {
        if self.mantissa == 0.0 || other.mantissa == 0.0 {
            let Scaled { mantissa, exponent } = if self.mantissa == 0.0 { other } else { self };
            return if mantissa == 0.0 {
                Scaled::ZERO
            } else {
                Scaled { mantissa, exponent: exponent - 1 }
            };
        }
        let (large, small) =
            if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        // Beyond 2^-1000 the smaller one does not show anyway.
        let shift = (small.exponent - large.exponent).max(-1000) as i32;
        let mut mantissa = large.mantissa + small.mantissa * 2f64.powi(shift);
        let mut exponent = large.exponent - 1;
        while mantissa >= 2.0 {
            mantissa /= 2.0;
            exponent += 1;
        }
        Scaled { mantissa, exponent }
    }

    fn times_power_of_two(self, power: i64) -> f64 {
        if self.mantissa == 0.0 {
            return 0.0;
        }
        let exponent = (self.exponent + power).clamp(-2000, 2000) as i32;
        // In two halves, since 2^exponent alone may leave the range of the product.
        self.mantissa * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
    }
}
