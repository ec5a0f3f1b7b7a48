//! Path edges: pairs of symbolic states ([sat §3], Definition 6), with how each came about.

use ir::{EdgeId, NodeId, ProcId};
use logic::Lit;
use std::rc::Rc;

/// A function for each bit of some [`circuits::Bits`].
pub(crate) type Vector = Rc<[Lit]>;

/// A path edge: an index into [`crate::search::Search::paths`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PathId(pub(crate) u32);

/// Where a path edge ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// At a node.
    Node(NodeId),
    /// Behind the returns of a procedure: a summary.
    Exit(ProcId),
}

/// The pairs `{(entry(ξ), now(ξ)) | guard(ξ)}`: a frame entered with the one can come to the place
/// with the other. γ and ω of the entry are not kept apart: the guard of the whole implies that of
/// the entry.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) place: Place,
    pub(crate) guard: Lit,
    pub(crate) entry: Vector,
    pub(crate) now: Vector,
    pub(crate) origin: Origin,
}

/// How a path edge came about: enough to find a run for any valuation ξ of the choices that
/// satisfies its guard.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// The initial valuations, or the arbitrary entry of a universal summary.
    Start,
    /// Entered by a call, with the same ξ.
    Enter { from: PathId, edge: EdgeId },
    /// One step or return, with the same ξ.
    Step { from: PathId, edge: EdgeId },
    /// Over a call, by a summary. The same ξ gives values to `entry` and `exit`; a ξ for `inside`
    /// is one that gives these values there.
    Jump { from: PathId, edge: EdgeId, inside: PathId, entry: Vector, exit: Vector },
    /// Where `pick` holds the first, elsewhere the second; with the same ξ.
    Merge { yes: PathId, no: PathId, pick: Lit },
    /// The same set, written anew: a ξ for `from` is one that gives the same values there.
    Reduced { from: PathId },
}

/// A way to reach a goal.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    /// For which choices it is one.
    pub(crate) guard: Lit,
    pub(crate) how: How,
}

#[derive(Clone, Debug)]
pub(crate) enum How {
    /// The path edge ends at a target.
    At(PathId),
    /// The goal is reached inside a call, as the callee's universal summary tells.
    Inside { from: PathId, edge: EdgeId, callee: ProcId, entry: Vector },
}
