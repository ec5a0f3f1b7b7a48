//! Why a program is not written down in a language (`bop convert`).

use std::fmt;

/// Why there is no text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unwritten {
    /// The language has no words for this.
    NoWords(String),
    /// Whoever was asked whether to go on said no.
    Stopped,
}

impl Unwritten {
    /// The language has no words for `what`.
    pub fn no_words(what: impl Into<String>) -> Unwritten {
        Unwritten::NoWords(what.into())
    }
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritten::NoWords(what) => write!(f, "the language has no words for {what}"),
            Unwritten::Stopped => f.write_str("stopped before the end"),
        }
    }
}

impl std::error::Error for Unwritten {}
