//! The handle of a function: a node index and a complement bit in one word.

use std::fmt;

/// A boolean function, owned by the [`Manager`](crate::Manager) that made it.
///
/// Two handles of one manager are equal exactly when their functions are. A handle is a plain
/// number: it does not keep its nodes alive. It stays valid until the next
/// [`gc`](crate::Manager::gc) or [`reorder_sift`](crate::Manager::reorder_sift) that is not
/// given it (or a function that contains its node) as a root. Handles of different managers
/// must not be mixed.
///
/// The order on handles is the order of their creation: deterministic, and without meaning.
// Invariant: bits 1.. are a node index below `nodes::MAX_NODES`, bit 0 says "complemented".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bdd(pub(crate) u32);

impl Bdd {
    /// The function that is true everywhere.
    pub const TRUE: Bdd = Bdd(0);
    /// The function that is false everywhere.
    pub const FALSE: Bdd = Bdd(1);

    /// The negation; costs nothing.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::should_implement_trait)] // a method chains better, and `!f` reads like a test
    pub fn not(self) -> Bdd {
        Bdd(self.0 ^ 1)
    }

    /// Whether the function is [`TRUE`](Bdd::TRUE) or [`FALSE`](Bdd::FALSE).
    #[inline(always)]
    #[must_use]
    pub fn is_const(self) -> bool {
        self.0 <= 1
    }

    /// Whether the function is [`TRUE`](Bdd::TRUE).
    #[inline(always)]
    #[must_use]
    pub fn is_true(self) -> bool {
        self == Bdd::TRUE
    }

    /// Whether the function is [`FALSE`](Bdd::FALSE).
    #[inline(always)]
    #[must_use]
    pub fn is_false(self) -> bool {
        self == Bdd::FALSE
    }

    /// A number that tells functions of one manager apart, for use as a key in other tables.
    #[inline(always)]
    #[must_use]
    pub fn id(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn of_node(index: u32, complement: u32) -> Bdd {
        Bdd((index << 1) | complement)
    }

    /// The index of the node that the edge points to.
    #[inline(always)]
    pub(crate) fn index(self) -> u32 {
        self.0 >> 1
    }

    /// 1 if the edge is complemented, else 0.
    #[inline(always)]
    pub(crate) fn complement(self) -> u32 {
        self.0 & 1
    }

    /// The edge without its complement bit.
    #[inline(always)]
    pub(crate) fn regular(self) -> Bdd {
        Bdd(self.0 & !1)
    }

    /// Negated if `complement` is 1, itself if it is 0.
    #[inline(always)]
    pub(crate) fn xor_complement(self, complement: u32) -> Bdd {
        Bdd(self.0 ^ complement)
    }
}

impl From<bool> for Bdd {
    fn from(value: bool) -> Bdd {
        if value { Bdd::TRUE } else { Bdd::FALSE }
    }
}

impl fmt::Debug for Bdd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Bdd::TRUE => f.write_str("true"),
            Bdd::FALSE => f.write_str("false"),
            e => write!(f, "{}@{}", if e.complement() == 1 { "!" } else { "" }, e.index()),
        }
    }
}
