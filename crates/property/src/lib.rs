//! What a user asks, and the goals that it becomes.
//!
//! A [`Property`] is a question as it was typed. [`Property::question`] looks it up in a program and
//! gives what engines understand: a goal, or the wish to know the status of every node.
//!
//! ```
//! use check::Goal;
//! use ir::{Init, ProgramBuilder, Rel};
//! use property::{Property, Question};
//!
//! // void main() begin  R: skip;  end
//! let mut b = ProgramBuilder::new();
//! let file = b.file("example.bp");
//! let at = b.origin(file, 1, 22, "skip");
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let (first, exit) = (b.statement(at), b.silent());
//! b.entry(main, first);
//! b.label("R", first);
//! b.step(first, exit, Rel::identity());
//! b.ret(exit, Rel::identity(), false);
//! let program = b.finish(main, Init::default());
//!
//! let reach = Property::reach("R");
//! assert!(matches!(reach.question(&program), Ok(Question::Goal(Goal::Reach(_)))));
//! let error = Property::reach("main:Q").question(&program).unwrap_err();
//! assert_eq!(error.to_string(), "no statement of `main` is labelled `Q`");
//! ```
//!
//! Not for answering: that is what engines do. This crate knows none of them.

mod error;
mod place;

pub use error::PropertyError;
pub use place::places;

use check::{Goal, Target};
use ir::Program;

/// The label that SLAM, Moped and Getafix look for.
pub const DEFAULT_LABEL: &str = "SLIC_ERROR";

/// A question, as it was typed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Property {
    /// Is a statement reachable? (`--reach L`)
    Reach {
        /// `L`, `proc:L`, or `:N` for the statements on line N.
        label: String,
    },
    /// Which statements are reachable? (`--reach-all`)
    ReachAll,
    /// Can an assertion fail? (`--assert`)
    Assert,
}

/// What engines are asked.
#[derive(Clone, Debug)]
pub enum Question {
    /// Is the goal reached?
    Goal(Goal),
    /// Is each node reached? ([`check::Wants::all_nodes`])
    AllNodes,
}

impl Property {
    /// Is the statement reachable?
    pub fn reach(label: impl Into<String>) -> Property {
        Property::Reach { label: label.into() }
    }

    /// What is asked when nothing is: assertions, and [`DEFAULT_LABEL`] where it exists.
    pub fn defaults(program: &Program) -> Vec<Property> {
        let mut out = vec![Property::Assert];
        if !program.labelled(None, DEFAULT_LABEL).is_empty() {
            out.push(Property::reach(DEFAULT_LABEL));
        }
        out
    }

    /// Looks it up in the program.
    pub fn question(&self, program: &Program) -> Result<Question, PropertyError> {
        Ok(match self {
            Property::Reach { label } => {
                let nodes = places(program, label)?;
                Question::Goal(Goal::Reach(nodes.into_iter().map(Target::at).collect()))
            }
            Property::ReachAll => Question::AllNodes,
            Property::Assert => {
                let errors = program.procs.iter().filter_map(|p| p.error);
                Question::Goal(Goal::Reach(errors.map(Target::at).collect()))
            }
        })
    }

    /// The word for its kind in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Property::Reach { .. } => "reach",
            Property::ReachAll => "reach-all",
            Property::Assert => "assert",
        }
    }
}
