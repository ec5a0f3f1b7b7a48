//! What an equation system is to the solvers: equations handed out on demand.

use std::hash::Hash;

/// The operator of an equation's right-hand side. `true` is the empty conjunction and `false` the
/// empty disjunction ([pbes §4.1]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    /// Disjunction.
    Or,
    /// Conjunction.
    And,
}

impl Op {
    /// The value of the operator over nothing; operands of this value do not count.
    pub fn neutral(self) -> bool {
        self == Op::And
    }

    /// The other operator.
    pub fn dual(self) -> Op {
        match self {
            Op::Or => Op::And,
            Op::And => Op::Or,
        }
    }
}

/// The sign of an equation: least or greatest fixpoint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sign {
    /// Least fixpoint.
    Mu,
    /// Greatest fixpoint.
    Nu,
}

impl Sign {
    /// The value of what only depends on itself.
    pub fn default_value(self) -> bool {
        self == Sign::Nu
    }

    /// `mu` or `nu`.
    pub fn word(self) -> &'static str {
        match self {
            Sign::Mu => "mu",
            Sign::Nu => "nu",
        }
    }

    /// The other sign.
    pub fn dual(self) -> Sign {
        match self {
            Sign::Mu => Sign::Nu,
            Sign::Nu => Sign::Mu,
        }
    }
}

/// Where an equation stands in its system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its block's position: a smaller rank is more significant (further out). Equal ranks have
    /// equal signs.
    pub rank: u32,
    /// Its block's sign.
    pub sign: Sign,
    /// Blocks that depend on each other form a group: every cycle of dependencies stays inside one.
    pub group: u32,
}

/// What is known of a group of blocks from its syntax.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shape {
    /// Nothing.
    #[default]
    General,
    /// One sign, and every conjunction has at most one operand inside the group.
    Disjunctive,
    /// One sign, and every disjunction has at most one operand inside the group.
    Conjunctive,
    /// No variable depends on itself, or so somebody says: dropped at the first dependency that
    /// closes a cycle.
    Acyclic,
}

/// An equation system, explored on demand.
///
/// Implementations are deterministic: the same key has the same equation every time.
pub trait System {
    /// Names a variable.
    type Key: Clone + Eq + Hash;
    /// What can go wrong with an equation.
    type Error;

    /// The variable whose value is asked for.
    fn initial(&mut self) -> Result<Self::Key, Self::Error>;

    /// Appends the operands of the right-hand side of `key` to `operands`, which is empty.
    fn equation(
        &mut self,
        key: &Self::Key,
        operands: &mut Vec<Self::Key>,
    ) -> Result<Op, Self::Error>;

    /// Where the equation of `key` stands.
    fn place(&self, key: &Self::Key) -> Place;

    /// What the syntax says of a group.
    fn shape(&self, _group: u32) -> Shape {
        Shape::General
    }

    /// A name for people.
    fn name(&self, key: &Self::Key) -> String;

    /// Bytes that the system holds, as far as they grow with the exploration.
    fn bytes(&self) -> u64 {
        0
    }

    /// Takes what has no value for this value from now on; `false` where nothing is without one, or where the error is
    /// another one. Equations that were given before may change: no solver goes on.
    fn suppose(&mut self, _error: &Self::Error, _value: bool) -> bool {
        false
    }
}

impl<S: System> System for &mut S {
    type Key = S::Key;
    type Error = S::Error;

    fn initial(&mut self) -> Result<Self::Key, Self::Error> {
        (**self).initial()
    }

    fn equation(
        &mut self,
        key: &Self::Key,
        operands: &mut Vec<Self::Key>,
    ) -> Result<Op, Self::Error> {
        (**self).equation(key, operands)
    }

    fn place(&self, key: &Self::Key) -> Place {
        (**self).place(key)
    }

    fn shape(&self, group: u32) -> Shape {
        (**self).shape(group)
    }

    fn name(&self, key: &Self::Key) -> String {
        (**self).name(key)
    }

    fn bytes(&self) -> u64 {
        (**self).bytes()
    }

    fn suppose(&mut self, error: &Self::Error, value: bool) -> bool {
        (**self).suppose(error, value)
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Equations looked at.
    pub variables: u64,
    /// Operands of these.
    pub dependencies: u64,
    /// Bytes held, an estimate.
    pub bytes: u64,
}

/// Called now and then with the progress; answers whether to go on.
pub type Watch<'a> = dyn FnMut(&Progress) -> bool + 'a;

/// Why there is no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError<E> {
    /// The watch said stop.
    #[error("stopped")]
    Stopped,
    /// The system could not give an equation.
    #[error("{0}")]
    System(E),
    /// More variables than ids.
    #[error("more than 4,294,967,000 variables")]
    TooLarge,
    /// A check of our own failed.
    #[error("internal error, please report it: {0}")]
    Internal(&'static str),
}
