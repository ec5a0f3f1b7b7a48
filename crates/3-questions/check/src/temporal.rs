//! Temporal formulas over runs, as the judge of lassos reads them.
//!
//! Formulas are checked by way of automata, and judged on a lasso without them: so the judge gets
//! them in the plainest form there is.

use ir::{ExprId, Exprs, IndexVec, NodeId, define_id};

define_id!(
    /// A subformula of a [`Temporal`].
    OpId
);

/// A formula of linear temporal logic about the runs of one program. A run has one position for
/// each step, and goes on for ever: a finished or failed run stutters.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// Subformulas, smaller ones first.
    pub ops: IndexVec<OpId, Op>,
    /// The whole.
    pub root: OpId,
    /// What each state of an automaton that watches the run demands, for [`Op::Later`]: true of as much as
    /// can be (a greatest fixpoint). No other subformula refers to these.
    pub watch: Vec<OpId>,
    /// What holds of a run is what this automaton says of it, and not `root`.
    pub acceptor: Option<Acceptor>,
    /// What each atom means.
    pub atoms: Vec<Meaning>,
    /// Holds the expressions of `atoms`, over the variables of the program.
    pub exprs: Exprs,
}

/// A generalised Büchi automaton that reads the letters of a run. It accepts a run along which it has one itself that
/// carries each mark again and again.
#[derive(Clone, Debug)]
pub struct Acceptor {
    /// The number of states.
    pub states: u32,
    /// Where it starts.
    pub initial: u32,
    /// The number of marks.
    pub marks: u32,
    /// Its steps: from, when (a subformula without temporal operators), to, and the marks.
    pub steps: Vec<(u32, OpId, u32, Vec<u32>)>,
    /// It accepts the runs that are right, and not those that are wrong.
    pub good: bool,
}

/// A subformula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Always true.
    True,
    /// An atom: an index into [`Temporal::atoms`].
    Atom(u32),
    /// It does not hold.
    Not(OpId),
    /// Both hold.
    And(OpId, OpId),
    /// One holds.
    Or(OpId, OpId),
    /// It holds at the next position.
    Next(OpId),
    /// The second holds now or later, the first until then.
    Until(OpId, OpId),
    /// The second holds until, and including when, the first does; or for ever.
    Release(OpId, OpId),
    /// What a state demands holds at the next position: an index into [`Temporal::watch`].
    Later(u32),
}

/// What an atom means.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// When the step from this node is about to be executed: a condition on globals and locals
    /// that reads `Pre`, without choices. An undefined value counts as false.
    pub at: IndexVec<NodeId, ExprId>,
    /// When the entry procedure has returned: a condition on globals.
    pub terminated: ExprId,
    /// When an assertion has failed: a condition on globals.
    pub failed: ExprId,
}
