//! Runs, kept as call trees.
//!
//! A run of a pushdown system can be exponentially longer than the program. So completed calls
//! are [`Segment`]s that calls refer to, each stored once however often it is run.
//!
//! A trace is a claim. An engine vouches for some bits of each state (those that it did not drop
//! as dead or untouched); `replay` accepts the trace if the edges can be executed one after the
//! other such that every step agrees with the claims.

use crate::Partial;
use ir::{EdgeId, IndexVec, NodeId, ProcId, define_id};

define_id!(
    /// A completed call of a [`Trace`].
    SegmentId
);

/// One edge, with what is claimed to hold just before it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The edge taken.
    pub edge: EdgeId,
    /// Globals and locals before it.
    pub state: Partial,
    /// For a call that comes back within the trace: what happens inside.
    pub inside: Option<SegmentId>,
}

/// A completed call: from the entry of the callee to its return.
///
/// A segment is independent of its caller: globals on which the callee does not depend are left
/// open in it.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The callee.
    pub proc: ProcId,
    /// From the entry; the last one takes a return edge.
    pub steps: Vec<Step>,
    /// Globals, and the results behind them, just after the return: bits of the globals at
    /// `0..global_bits`, those of the results behind.
    pub exit: Partial,
}

/// A frame that is still there at the end of the trace.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its procedure.
    pub proc: ProcId,
    /// From its entry. In every frame but the last, the last step is the call that enters the
    /// next one.
    pub steps: Vec<Step>,
}

/// A finite run that ends at a target, or a lasso.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Completed calls; those inside a segment have smaller ids.
    pub segments: IndexVec<SegmentId, Segment>,
    /// The frames at the end, the entry procedure's first. Never empty.
    pub frames: Vec<Frame>,
    /// Where the run stands at the end, in the last frame.
    pub target: NodeId,
    /// Globals and locals there.
    pub end: Partial,
    /// No trace to the target has fewer steps, a completed call counted as one ([bebop §3.2]).
    pub shortest: bool,
    /// For runs without end.
    pub lasso: Option<Lasso>,
}

/// How a run without end goes on after the trace.
///
/// A run that finishes, or fails an assertion, stutters for ever in its last state: temporal
/// properties speak of infinite runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lasso {
    /// The steps from this one to the end of the trace repeat for ever. [`Trace::target`] is the
    /// node that this step starts in. The stack may be higher at the end than at this step, and is
    /// never lower in between. The loop closes on the variables that matter at its head: others may
    /// have other values in each turn.
    Loop {
        /// Index into [`Trace::frames`].
        frame: usize,
        /// Index into the frame's steps.
        step: usize,
    },
    /// The entry procedure has returned: there is one frame, whose last step takes a return edge.
    /// [`Trace::target`] is the source of that edge, and [`Trace::end`] tells the globals after it
    /// (its bits of locals are open).
    Terminated,
    /// An assertion has failed: the trace ends at the error node of the last frame.
    Failed,
}
