//! Why a trace is refused.

use crate::justify::Fault;
use crate::machine::Lack;
use check::SegmentId;
use ir::{EdgeId, Id, Program};
use std::fmt;

/// A trace that was not accepted: where, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Where.
    pub place: Place,
    /// Why.
    pub reason: Reason,
}

/// A place in a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// The trace as a whole.
    Trace,
    /// The initial valuation.
    Start,
    /// The end.
    Target,
    /// A step.
    Step {
        /// In which part.
        part: Part,
        /// Its number in the part.
        index: usize,
        /// The edge, as the trace says.
        edge: EdgeId,
        /// The procedure and line of the edge's source, if the edge exists.
        source: Option<(String, u32)>,
    },
}

/// A part of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A frame that is there at the end.
    Frame(usize),
    /// A completed call.
    Segment(SegmentId),
}

/// Why a trace is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// This kind of goal is not judged.
    Unsupported(&'static str),
    /// Its parts do not fit together.
    Malformed(&'static str),
    /// No choices make the guard, or the condition at the start or end, true.
    Guard,
    /// An assigned value is undefined or does not fit.
    Value {
        /// The target.
        var: String,
    },
    /// Two values for one cell.
    Disagree {
        /// The array.
        var: String,
    },
    /// A variable gets another value than it needs to have later.
    Other {
        /// The variable.
        var: String,
    },
    /// No choices make the constraint true.
    Constraint,
    /// No choices were found with reasonable effort: neither accepted nor refuted.
    Hard,
    /// The step depends on a variable of which the trace claims nothing.
    Open {
        /// The variable.
        var: String,
    },
    /// A variable is claimed to have a value and needed with another.
    Conflict {
        /// The variable.
        var: String,
    },
    /// No edge of the loop, nor of the calls in it, has the mark.
    Mark {
        /// The mark.
        mark: u32,
    },
    /// The loop needs a variable at its head with another value than it has at its end.
    Closes {
        /// The variable.
        var: String,
    },
    /// A check of our own failed: a bug in Postbop.
    Internal,
}

impl Refusal {
    pub(crate) fn new(place: Place, reason: Reason) -> Refusal {
        Refusal { place, reason }
    }
}

impl Place {
    pub(crate) fn step(program: &Program, part: Part, index: usize, edge: EdgeId) -> Place {
        let source = program.edges.get(edge).map(|e| {
            let node = &program.nodes[e.source];
            (program.proc_name(node.proc).to_owned(), node.origin.line)
        });
        Place::Step { part, index, edge, source }
    }
}

impl Reason {
    /// `owner` names the variable of a bit.
    pub(crate) fn from_fault(
        program: &Program,
        fault: Fault,
        owner: impl FnOnce(u32) -> Option<ir::VarId>,
    ) -> Reason {
        let name = |var| program.var_name(var).to_owned();
        match fault {
            Fault::Lack(Lack::Guard) => Reason::Guard,
            Fault::Lack(Lack::Value(var)) => Reason::Value { var: name(var) },
            Fault::Lack(Lack::Disagree(var)) => Reason::Disagree { var: name(var) },
            Fault::Lack(Lack::Other(var)) => Reason::Other { var: name(var) },
            Fault::Lack(Lack::Constraint) => Reason::Constraint,
            Fault::Hard => Reason::Hard,
            Fault::Open(var) => Reason::Open { var: name(var) },
            Fault::Conflict(bit) => {
                Reason::Conflict { var: owner(bit).map_or_else(|| format!("bit {bit}"), name) }
            }
            Fault::Clash(var) => Reason::Conflict { var: name(var) },
            Fault::Internal => Reason::Internal,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Trace => f.write_str("the trace"),
            Place::Start => f.write_str("the start of the trace"),
            Place::Target => f.write_str("the end of the trace"),
            Place::Step { part, index, edge, source } => {
                match part {
                    Part::Frame(i) => write!(f, "frame {i}")?,
                    Part::Segment(id) => write!(f, "call {}", id.index())?,
                }
                write!(f, ", step {index} (edge {}", edge.index())?;
                if let Some((proc, line)) = source {
                    write!(f, ", {proc} line {line}")?;
                }
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Unsupported(what) | Reason::Malformed(what) => f.write_str(what),
            Reason::Guard => f.write_str("the condition cannot be true here"),
            Reason::Value { var } => {
                write!(f, "the value assigned to `{var}` is undefined or does not fit")
            }
            Reason::Disagree { var } => {
                write!(f, "two different values are assigned to one cell of `{var}`")
            }
            Reason::Other { var } => write!(f, "`{var}` gets another value than it has later"),
            Reason::Constraint => f.write_str("the constraint cannot hold here"),
            Reason::Hard => f.write_str("the choices that the step makes are too hard to find"),
            Reason::Open { var } => {
                write!(f, "the step depends on `{var}`, of which the trace says nothing here")
            }
            Reason::Conflict { var } => {
                write!(f, "`{var}` is claimed to have another value than it has later")
            }
            Reason::Mark { mark } => write!(f, "its loop does not have mark {mark}"),
            Reason::Closes { var } => {
                write!(f, "the loop needs `{var}` with another value than it has at the end")
            }
            Reason::Internal => {
                f.write_str("internal error, please report it: a justification fails")
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for Refusal {}
