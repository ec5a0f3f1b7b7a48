//! The order of the variables: which level each has.
//!
//! Nodes store levels, and operations compare nothing else. Names are translated only at the
//! border: where variables enter (`var`, cubes, specs) and leave (`support`, `node`, ...).

use rustc_hash::FxHashMap;

/// A bijection between variables and levels.
///
/// Invariant: `level_of` and `var_at` are inverse to each other, and hold the variables that
/// have been moved; every other variable has its own name as its level.
#[derive(Default)]
pub(crate) struct Order {
    level_of: FxHashMap<u32, u32>,
    var_at: FxHashMap<u32, u32>,
}

impl Order {
    #[inline]
    pub(crate) fn level(&self, var: u32) -> u32 {
        if self.level_of.is_empty() { var } else { *self.level_of.get(&var).unwrap_or(&var) }
    }

    #[inline]
    pub(crate) fn var(&self, level: u32) -> u32 {
        if self.var_at.is_empty() { level } else { *self.var_at.get(&level).unwrap_or(&level) }
    }

    /// Gives `vars[i]` the level `levels[i]`. The levels must be those of the variables now,
    /// permuted.
    pub(crate) fn assign(&mut self, vars: &[u32], levels: &[u32]) {
        for var in vars {
            if let Some(level) = self.level_of.remove(var) {
                self.var_at.remove(&level);
            }
        }
        for (&var, &level) in vars.iter().zip(levels) {
            if var != level {
                self.level_of.insert(var, level);
                self.var_at.insert(level, var);
            }
        }
    }
}
