//! How far a translation may go, and the ways in which it gives up.

use std::fmt;
use std::sync::Arc;

use bdd::{Gate, Stop};

/// Why there is no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslateError {
    /// More states than allowed.
    #[error("the automaton has more than {limit} states")]
    States {
        /// The limit.
        limit: usize,
    },
    /// More transitions than allowed.
    #[error("the automaton has more than {limit} transitions")]
    Transitions {
        /// The limit.
        limit: usize,
    },
    /// One state depends on more atoms and subformulas than allowed.
    #[error("a state of the automaton depends on more than {limit} atoms and subformulas")]
    Symbols {
        /// The limit.
        limit: usize,
    },
    /// The decision diagrams of labels need more nodes than allowed.
    #[error("the labels of the automaton need more than {limit} decision nodes")]
    Nodes {
        /// The limit.
        limit: usize,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Asks whether to go on; `false` stops a translation with [`TranslateError::Interrupted`].
#[derive(Clone, Default)]
pub struct KeepGoing(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl KeepGoing {
    /// Goes on as long as the closure says so. It is asked often, and should be quick.
    pub fn while_true(ask: impl Fn() -> bool + Send + Sync + 'static) -> KeepGoing {
        KeepGoing(Some(Arc::new(ask)))
    }

    fn ask(&self) -> bool {
        self.0.as_ref().is_none_or(|ask| ask())
    }
}

impl fmt::Debug for KeepGoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "KeepGoing(closure)" } else { "KeepGoing(always)" })
    }
}

/// The largest number of decision nodes.
pub(crate) const MAX_NODES: usize = 1 << 21;

/// The limits while a translation runs.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub(super) states: usize,
    pub(super) edges: usize,
    pub(super) nodes: usize,
    pub(super) keep_going: KeepGoing,
    /// Calls of `poll`.
    polls: u64,
}

impl Limits {
    pub(super) fn new(states: usize, nodes: usize, keep_going: KeepGoing) -> Limits {
        Limits { states, edges: states.saturating_mul(20), nodes, keep_going, polls: 0 }
    }

    pub(super) fn states(&self, count: usize) -> Result<(), TranslateError> {
        match count > self.states {
            true => Err(TranslateError::States { limit: self.states }),
            false => Ok(()),
        }
    }

    pub(super) fn edges(&self, count: usize) -> Result<(), TranslateError> {
        match count > self.edges {
            true => Err(TranslateError::Transitions { limit: self.edges }),
            false => Ok(()),
        }
    }

    /// To be called in every loop that can take long.
    pub(super) fn poll(&mut self) -> Result<(), TranslateError> {
        self.polls += 1;
        if self.polls.is_multiple_of(256) && !self.keep_going.ask() {
            return Err(TranslateError::Interrupted);
        }
        Ok(())
    }

    /// The same question for operations on diagrams.
    pub(super) fn gate(&self) -> Option<Box<dyn Gate>> {
        struct Asking(KeepGoing);
        impl Gate for Asking {
            fn poll(&mut self) -> bool {
                self.0.ask()
            }
            fn may_grow(&mut self, _bytes: usize) -> bool {
                true
            }
        }
        Some(Box::new(Asking(self.keep_going.clone())))
    }
}

impl From<Stop> for TranslateError {
    fn from(stop: Stop) -> TranslateError {
        match stop {
            Stop::Nodes => TranslateError::Nodes { limit: MAX_NODES },
            Stop::Interrupted => TranslateError::Interrupted,
        }
    }
}
