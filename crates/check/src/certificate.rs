//! Proofs that a goal is not reached.

use crate::{SetId, StateSets};
use ir::{IndexVec, NodeId, ProcId, VarId};

/// An inductive over-approximation of what is reachable, disjoint from the goals.
///
/// `path[n]` relates the valuation with which a frame was entered (`EntryGlobal`, `EntryLocal`)
/// to a valuation at `n` (`Global`, `Local`); `summary` relates entry to exit (`Global`,
/// `Result`). A checker accepts it if, for all valuations (`e` at entry, `x` now):
///
/// - C1. every initial valuation `x` of the entry procedure satisfies `path[entry](x, x)`;
/// - C2. `path[n](e, x)` and a step `x → x'` from `n` to `m` imply `path[m](e, x')`;
/// - C3. `path[n](e, x)` and a call that enters `f` with `c` imply `path[f.entry](c, c)`;
/// - C4. `path[n](e, x)` and a return that leaves with `o` imply `summary[f](e, o)`;
/// - C5. `path[n](e, x)`, a call that enters `f` with `c`, `summary[f](c, o)` and the way back
///   from `o` to `x'` at `m` imply `path[m](e, x')`;
/// - C6. no goal node `n` with condition `q` has an `x` with `path[n](e, x)` and `q(x)`.
///
/// In a procedure that no call enters, the entry valuation may be left open.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The graph that holds the sets.
    pub sets: StateSets,
    /// One set for each node.
    pub path: IndexVec<NodeId, SetId>,
    /// What is claimed of each procedure.
    pub procs: IndexVec<ProcId, ProcClaim>,
}

/// What a certificate claims of a procedure.
#[derive(Clone, Debug)]
pub struct ProcClaim {
    /// From entry to exit.
    pub summary: SetId,
    /// Globals that keep their value from the entry to every node and exit: implicitly,
    /// `path` and `summary` contain their equality with the entry value.
    pub unchanged: Vec<VarId>,
}

impl Certificate {
    /// Its size: decisions in the graph.
    pub fn len(&self) -> usize {
        self.sets.len()
    }
    /// Whether the graph has no decision.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }
}
