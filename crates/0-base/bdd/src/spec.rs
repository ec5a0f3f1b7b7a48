//! Specs: what an image does with each variable, registered once and named by a number.

use rustc_hash::FxHashMap;

use crate::manager::check_var;
use crate::order::Order;

/// A registered quantification and renaming; see [`Manager::spec`](crate::Manager::spec).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpecId(pub(crate) u32);

/// The action for a level beyond the last that a spec touches: everything below is kept.
pub(crate) const BEYOND: u32 = u32::MAX;
/// The action for a quantified level. Every other action is the level to rename to.
pub(crate) const QUANTIFY: u32 = u32::MAX - 1;

/// All specs, each once.
#[derive(Default)]
pub(crate) struct Specs {
    tables: Vec<LevelTable>,
    /// By what they do, in variables; the source of `tables` after a reordering.
    actions: Vec<Actions>,
    by_action: FxHashMap<Actions, SpecId>,
    /// By the words they were asked for with. Callers repeat few requests very often, so the
    /// common case is one look-up, without sorting or allocating.
    by_request: FxHashMap<Box<[u32]>, SpecId>,
    request: Vec<u32>,
}

/// `(variable, action)`, sorted; an action is `QUANTIFY` or the variable to rename to.
type Actions = Box<[(u32, u32)]>;

impl Specs {
    pub(crate) fn intern(
        &mut self,
        quantify: &[u32],
        rename: &[(u32, u32)],
        order: &Order,
    ) -> SpecId {
        self.request.clear();
        self.request.push(quantify.len() as u32);
        self.request.extend_from_slice(quantify);
        self.request.extend(rename.iter().flat_map(|&(from, to)| [from, to]));
        if let Some(&id) = self.by_request.get(self.request.as_slice()) {
            return id;
        }
        let actions = actions(quantify, rename);
        let id = match self.by_action.get(&actions) {
            Some(&id) => id,
            None => {
                let id = SpecId(self.tables.len() as u32);
                self.tables.push(LevelTable::new(&actions, order));
                self.actions.push(actions.clone());
                self.by_action.insert(actions, id);
                id
            }
        };
        self.by_request.insert(self.request.as_slice().into(), id);
        id
    }

    /// What to do at `level`: `BEYOND`, `QUANTIFY`, or the level to rename to.
    #[inline(always)]
    pub(crate) fn action(&self, id: SpecId, level: u32) -> u32 {
        self.tables[id.0 as usize].action(level)
    }

    #[inline]
    pub(crate) fn quantifies(&self, id: SpecId) -> bool {
        self.tables[id.0 as usize].quantifies
    }

    /// Brings the tables up to date with an order that has changed.
    pub(crate) fn reorder(&mut self, order: &Order) {
        for (table, actions) in self.tables.iter_mut().zip(&self.actions) {
            *table = LevelTable::new(actions, order);
        }
    }
}

/// # Panics
/// If a variable is renamed to two different ones, or is no variable.
fn actions(quantify: &[u32], rename: &[(u32, u32)]) -> Actions {
    let mut quantified = quantify.to_vec();
    quantified.sort_unstable();
    quantified.dedup();
    let mut actions: Vec<(u32, u32)> = rename
        .iter()
        .copied()
        // Quantification comes first: nothing is left to rename of a quantified variable.
        .filter(|(from, to)| from != to && quantified.binary_search(from).is_err())
        .collect();
    for &(_, to) in &actions {
        check_var(to);
    }
    actions.extend(quantified.into_iter().map(|var| (var, QUANTIFY)));
    actions.sort_unstable();
    actions.dedup();
    for pair in actions.windows(2) {
        assert!(pair[0].0 != pair[1].0, "variable {} is renamed to two variables", pair[0].0);
    }
    for &(var, _) in &actions {
        check_var(var);
    }
    actions.into()
}

/// From levels to actions, over the window of levels that a spec touches.
///
/// Dense if the window is well filled, else sorted pairs: neither its size nor the time for a
/// look-up depends on how many variables there are.
struct LevelTable {
    base: u32,
    /// One more than the last level touched.
    end: u32,
    /// By `level - base`; empty if the pairs are used.
    dense: Box<[u32]>,
    pairs: Box<[(u32, u32)]>,
    quantifies: bool,
}

impl LevelTable {
    fn new(actions: &[(u32, u32)], order: &Order) -> LevelTable {
        let mut pairs: Vec<(u32, u32)> = actions
            .iter()
            .map(|&(var, action)| {
                let action = if action == QUANTIFY { QUANTIFY } else { order.level(action) };
                (order.level(var), action)
            })
            .collect();
        pairs.sort_unstable();
        let quantifies = pairs.iter().any(|&(_, action)| action == QUANTIFY);
        let (base, end) = match (pairs.first(), pairs.last()) {
            (Some(first), Some(last)) => (first.0, last.0 + 1),
            _ => (0, 0),
        };
        if (end - base) as usize > 8 * pairs.len() + 16 {
            let pairs = pairs.into();
            return LevelTable { base, end, dense: Box::default(), pairs, quantifies };
        }
        let mut dense: Box<[u32]> = (base..end).collect();
        for (level, action) in pairs {
            dense[(level - base) as usize] = action;
        }
        LevelTable { base, end, dense, pairs: Box::default(), quantifies }
    }

    #[inline(always)]
    fn action(&self, level: u32) -> u32 {
        if level < self.base {
            return level;
        }
        if let Some(&action) = self.dense.get((level - self.base) as usize) {
            return action;
        }
        if level >= self.end { BEYOND } else { self.search(level) }
    }

    #[inline(never)]
    fn search(&self, level: u32) -> u32 {
        match self.pairs.binary_search_by_key(&level, |pair| pair.0) {
            Ok(i) => self.pairs[i].1,
            Err(_) => level,
        }
    }
}
