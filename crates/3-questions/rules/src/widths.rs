//! What it costs to follow paths, and when looking for more of them is given up.

use crate::paths::Paths;
use front_c::{FuncId, Skeleton};
use rustc_hash::FxHashMap;

/// With more bits in one function, and more pairs of them in the program, what is stored behind pointers is not
/// followed where the rule is about what is lost.
const WIDEST: usize = 40;
const MOST_COST: usize = 40_000;

/// How many paths functions have, and what following them costs: the bits of a function are related to each other, so
/// that wide functions cost more than many narrow ones.
#[derive(Default)]
pub(crate) struct Widths {
    of: FxHashMap<Option<FuncId>, usize>,
    widest: usize,
    /// Pairs of paths of one function, in all of them.
    pub(crate) cost: usize,
}

impl Widths {
    pub(crate) fn add(&mut self, owner: Option<FuncId>) {
        let width = self.of.entry(owner).or_default();
        // From n² to (n + 1)².
        self.cost += 2 * *width + 1;
        *width += 1;
        self.widest = self.widest.max(*width);
    }

    pub(crate) fn of(s: &Skeleton, paths: &Paths, holds: &[bool]) -> Widths {
        let mut out = Widths::default();
        for p in paths.all().filter(|p| holds[p.index()]) {
            out.add(paths.owner(s, p));
        }
        out
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.widest > WIDEST || self.cost > MOST_COST
    }
}

/// When looking for what holds a value is given up.
#[derive(Clone, Copy)]
pub(crate) enum GiveUp {
    /// Never.
    Never,
    /// Where what is found is wide: memory is not followed then.
    Wide,
    /// With more pairs than these. What globals hold counts, or not.
    Pairs(usize, bool),
}
