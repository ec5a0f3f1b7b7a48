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
///
/// For a repeat goal, [`Certificate::repeat`] takes the place of C6 with rules C7 to C9.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The graph that holds the sets.
    pub sets: StateSets,
    /// One set for each node.
    pub path: IndexVec<NodeId, SetId>,
    /// What is claimed of each procedure.
    pub procs: IndexVec<ProcId, ProcClaim>,
    /// For a goal of kind repeat.
    pub repeat: Option<RepeatClaim>,
}

/// Why no infinite run takes every mark infinitely often.
///
/// A *head* is a node with a valuation `x` such that `path[n](e, x)` for some `e`. From any moment
/// at which the stack is lowest for the rest of the run, an infinite run is an infinite sequence of
/// *head edges*: steps, calls into the callee (which never come back), and calls passed over by a
/// pair of the callee's summary. A step carries its marks; a call carries its own, and, when passed
/// over, those of the run inside. For all valuations:
///
/// - C7. for every mark `i`, `marked[i]` contains what is reached by runs that carried `i` since
///   their frame was entered. It is closed under C2, C4 and C5; C2, C4 and C5 lead from `path` into
///   it where the edge carries `i`; and C5 leads from `path` into it with a pair of its `summary`;
/// - C8. every head is in the set of some rank; its rank is the first such. No head edge leads to a
///   higher rank;
/// - C9. no head edge between two heads of one rank carries the mark of that rank.
///
/// So from some point on the rank is constant, and its mark never seen again.
#[derive(Clone, Debug)]
pub struct RepeatClaim {
    /// One for each mark of the goal.
    pub marked: Vec<MarkedClaim>,
    /// From the lowest rank up.
    pub ranks: Vec<Rank>,
}

/// What runs reach that carried a mark since their frame was entered.
#[derive(Clone, Debug)]
pub struct MarkedClaim {
    /// As [`Certificate::path`].
    pub path: IndexVec<NodeId, SetId>,
    /// As [`ProcClaim::summary`]; the same globals are unchanged.
    pub summary: IndexVec<ProcId, SetId>,
}

/// Heads that can be left only downwards, and the mark that no head edge among them carries.
#[derive(Clone, Debug)]
pub struct Rank {
    /// Below the goal's number of marks.
    pub mark: u32,
    /// Sets over `Global` and `Local`; nodes in ascending order, those without heads left out.
    pub heads: Vec<(NodeId, SetId)>,
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
