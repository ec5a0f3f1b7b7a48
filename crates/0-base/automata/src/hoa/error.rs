//! What can be wrong with the text of an automaton, as data.

use source::{Diagnostic, Span};

/// A place where the text is no automaton that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct HoaError {
    /// What is wrong.
    pub kind: HoaErrorKind,
    /// Where.
    pub span: Span,
}

/// What is wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HoaErrorKind {
    /// One thing where another is right.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would be right, as a phrase.
        expected: &'static str,
        /// What stands there, as a phrase.
        found: String,
    },
    /// A header twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// A header which changes the meaning and is not known.
    #[error("header `{0}` is not known")]
    UnknownHeader(String),
    /// A version other than v1.
    #[error("version `{0}` is not known")]
    Version(String),
    /// `Acceptance:` is missing.
    #[error("there is no header `Acceptance:`")]
    NoAcceptance,
    /// A condition other than a conjunction of `Inf(i)`.
    #[error("acceptance is not generalised Büchi: {0}")]
    NotBuchi(&'static str),
    /// A conjunction of states.
    #[error("alternating automata are not supported")]
    Alternation,
    /// A number that exceeds what the header says.
    #[error("{what} {number} is not below {limit}")]
    OutOfRange {
        /// What is numbered.
        what: &'static str,
        /// Its number.
        number: u32,
        /// How many there are.
        limit: u32,
    },
    /// More than can be read.
    #[error("{number} {what}, the limit is {limit}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        number: u64,
        /// How many can be read.
        limit: u32,
    },
    /// Fewer or more atoms than announced.
    #[error("{announced} atoms are announced, {given} are given")]
    AtomCount {
        /// The number.
        announced: u32,
        /// The names.
        given: u32,
    },
    /// An alias that is not defined before it is used.
    #[error("alias `{0}` is not defined")]
    UnknownAlias(String),
    /// Labels on a state and on its edges, or on some edges only.
    #[error("labels stand both on the state and on its edge, or on some edges only")]
    MixedLabels,
    /// An edge without a label for each letter, or none.
    #[error("a state without labels has {edges} edges where {letters} letters need one each")]
    ImplicitLabels {
        /// The edges.
        edges: usize,
        /// The letters.
        letters: u64,
    },
    /// A state twice.
    #[error("state {0} is described twice")]
    StateTwice(u32),
    /// A string or comment without its end.
    #[error("{0} is not closed")]
    Unclosed(&'static str),
    /// A character that belongs to no token.
    #[error("unknown character `{}`", .0.escape_debug())]
    UnknownCharacter(char),
    /// `--ABORT--`
    #[error("the automaton was aborted by its writer")]
    Aborted,
    /// A label has too many cubes or decision nodes.
    #[error("the label is too large")]
    Labels,
    /// Offsets are 32 bits wide.
    #[error("the text has {bytes} bytes, the limit is {limit}", limit = u32::MAX - 1)]
    TooLong {
        /// Its size.
        bytes: usize,
    },
}

impl HoaError {
    /// The error for people.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self.kind {
            HoaErrorKind::NotBuchi(_) | HoaErrorKind::Alternation => "hoa-not-supported",
            _ => "hoa-syntax",
        };
        let mut out = Diagnostic::error(code, self.to_string()).at(self.span);
        out.help = match self.kind {
            HoaErrorKind::NotBuchi(_) => {
                Some("`autfilt --gba` of Spot converts many automata".into())
            }
            HoaErrorKind::Alternation => Some("`autfilt` of Spot removes alternation".into()),
            _ => None,
        };
        out
    }
}
