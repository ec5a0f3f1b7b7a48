//! Completed calls of a run, told once each, those inside of others first. No recursion over the depth of calls.

use check::{Partial, Segment, SegmentId, Step, StopReason};
use ir::{EdgeId, IndexVec, ProcId};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// An edge taken, with the state before it, and the completed call that happened inside.
#[derive(Clone, Debug)]
pub struct Taken<K> {
    /// The edge.
    pub edge: EdgeId,
    /// The state before it.
    pub state: Partial,
    /// The completed call, of a call's edge.
    pub inside: Option<K>,
}

/// A completed call that waits for those inside it.
#[derive(Clone, Debug)]
pub struct Unfinished<K> {
    /// What it is known by.
    pub key: K,
    /// The procedure that is called.
    pub proc: ProcId,
    /// The edges taken, in order.
    pub taken: Vec<Taken<K>>,
    /// What it comes back with.
    pub exit: Partial,
}

/// The completed calls of a trace.
#[derive(Debug)]
pub struct Calls<K> {
    /// Their runs, those inside of others first.
    pub segments: IndexVec<SegmentId, Segment>,
    done: FxHashMap<K, SegmentId>,
}

impl<K> Default for Calls<K> {
    fn default() -> Calls<K> {
        Calls { segments: IndexVec::new(), done: FxHashMap::default() }
    }
}

impl<K: Clone + Eq + Hash> Calls<K> {
    /// Tells a completed call, and those inside it first; `begin` finds the edges of one.
    pub fn complete(
        &mut self,
        key: &K,
        mut begin: impl FnMut(K) -> Result<Unfinished<K>, StopReason>,
    ) -> Result<(), StopReason> {
        if self.done.contains_key(key) {
            return Ok(());
        }
        let mut stack = vec![begin(key.clone())?];
        while let Some(top) = stack.last() {
            let mut inside = top.taken.iter().filter_map(|t| t.inside.as_ref());
            if let Some(missing) = inside.find(|k| !self.done.contains_key(*k)) {
                let missing = missing.clone();
                stack.push(begin(missing)?);
                continue;
            }
            let Some(top) = stack.pop() else { break };
            let steps = self.steps(top.taken);
            let id = self.segments.push(Segment { proc: top.proc, steps, exit: top.exit });
            self.done.insert(top.key, id);
        }
        Ok(())
    }

    /// The steps of edges whose calls were told.
    pub fn steps(&self, taken: Vec<Taken<K>>) -> Vec<Step> {
        let step = |t: Taken<K>| Step {
            edge: t.edge,
            state: t.state,
            inside: t.inside.map(|key| self.done[&key]),
        };
        taken.into_iter().map(step).collect()
    }
}
