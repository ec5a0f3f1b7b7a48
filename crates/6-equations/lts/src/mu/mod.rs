//! The value-based modal mu-calculus: one logic, two concrete syntaxes.
//!
//! Formulas are arenas, children before parents: no depth of nesting costs the call stack.

mod blocks;
mod gates;
mod lower;
mod macros;
pub(crate) mod parser;
mod print;

use bes::Sign;
use bes::data::{Expr, Signature};
use bes::expr::SlotInfo;
use source::Span;

pub use bes::lex::{Dialect, SyntaxError, SyntaxErrorKind};
pub use parser::{data, parse, parse_with};

use crate::regexp::Regexp;

/// What a label offers at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offer {
    /// A value: `!e`, or an argument in mCRL2's syntax.
    Send(Expr),
    /// Any value of a sort, which the data variable then has: `?x:T`.
    Receive(u32),
    /// Any value at all: `?any`.
    Any,
}

/// An action formula: which labels a step may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// All, or none.
    Constant(bool),
    /// The internal action.
    Tau,
    /// The label with this text.
    Label(String),
    /// Labels that match.
    Regexp(Regexp),
    /// Labels with this gate and these values.
    Gate {
        /// The gate.
        gate: String,
        /// The values.
        offers: Vec<Offer>,
        /// Whether more values may follow.
        more: bool,
        /// A condition on the values.
        guard: Option<Expr>,
    },
    /// Several actions at once, mCRL2's `a(1)|b(2)`: gates with their values.
    Multi(Vec<(String, Vec<Expr>)>),
    /// A boolean expression.
    Val(Expr),
    /// `not a`.
    Not(u32),
    /// `a and b`.
    And(u32, u32),
    /// `a or b`.
    Or(u32, u32),
    /// `a implies b`.
    Imply(u32, u32),
    /// `a equ b`.
    Equal(u32, u32),
    /// For all values, or for one.
    Quantifier {
        /// All, or one.
        all: bool,
        /// The data variables.
        slots: Vec<u32>,
        /// The action formula.
        body: u32,
    },
}

/// A regular formula: which sequences of steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Regular {
    /// No step.
    Nil,
    /// One step.
    Action(u32),
    /// One sequence, then another.
    Then(u32, u32),
    /// One or the other.
    Choice(u32, u32),
    /// Any number of times.
    Star(u32),
    /// At least once.
    Plus(u32),
    /// At most once.
    Option(u32),
    /// As often as said: `R{n}`, `R{n ... m}`, `R{n ...}`.
    Repeat {
        /// What is repeated.
        inner: u32,
        /// How often at least.
        low: Expr,
        /// How often at most.
        high: High,
    },
    /// With values of data variables.
    Let(Vec<(u32, Expr)>, u32),
    /// One or the other, by a condition.
    If(Expr, u32, u32),
    /// For some values of data variables: `choice`.
    Some(Vec<Ranged>, u32),
    /// Until `exit`, or to its end: from the beginning at `continue`.
    Loop {
        /// The number of the loop, by which `continue` and `exit` name it.
        number: u32,
        /// Its data variables, and their first values.
        parameters: Vec<(u32, Expr)>,
        /// The data variables that have values after it.
        results: Vec<u32>,
        /// What it does.
        body: u32,
    },
    /// The next round of a loop, with values of its variables.
    Continue(u32, Vec<Expr>),
    /// The end of a loop, with values of its results.
    Exit(u32, Vec<Expr>),
    /// As long as a condition holds.
    While(Expr, u32),
    /// Until a condition holds, at least once.
    Until(u32, Expr),
    /// For all numbers of a range, one after the other.
    For {
        /// The number.
        slot: u32,
        /// The first one.
        from: Expr,
        /// The last one.
        to: Expr,
        /// From one to the next; 1, if nothing is said.
        step: Option<Expr>,
        /// What is done for each.
        body: u32,
    },
}

/// How often something is repeated at most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum High {
    /// As often as at least.
    Same,
    /// As often as one likes.
    None,
    /// So often.
    Most(Expr),
}

/// A data variable with its range, if it is not its sort's.
pub type Ranged = (u32, Option<(Expr, Expr)>);

/// A state formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// `true` or `false`.
    Constant(bool),
    /// `val(e)`.
    Val(Expr),
    /// A fixpoint variable, by its binder, with arguments.
    Variable(u32, Vec<Expr>),
    /// `not f`.
    Not(u32),
    /// `f and g`.
    And(u32, u32),
    /// `f or g`.
    Or(u32, u32),
    /// `f implies g`.
    Imply(u32, u32),
    /// `f equ g`.
    Equal(u32, u32),
    /// `[R] f`, or `<R> f`.
    Modality {
        /// `[R]`.
        all: bool,
        /// The regular formula.
        regular: u32,
        /// What holds after.
        body: u32,
    },
    /// `<R> @`: a run that is R for ever; or `[R] -|`: there is none.
    Forever {
        /// `[R] -|`.
        all: bool,
        /// The regular formula.
        regular: u32,
    },
    /// `if f then g else h end if`.
    If(u32, u32, u32),
    /// `let x:T := e in f end let`.
    Let(Vec<(u32, Expr)>, u32),
    /// A fixpoint, by its binder.
    Fixpoint(u32, u32),
    /// `forall x: D. f`, or `exists`.
    Quantifier {
        /// `forall`.
        all: bool,
        /// The data variables, each with its range, if it is not its sort's.
        slots: Vec<Ranged>,
        /// What holds of them.
        body: u32,
    },
}

/// A fixpoint's head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binder {
    /// The variable's name.
    pub name: String,
    /// Least or greatest.
    pub sign: Sign,
    /// Its parameters and their first values.
    pub parameters: Vec<(u32, Expr)>,
}

/// A formula as written.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The syntax it is written in.
    pub dialect: Dialect,
    /// Names of values and sorts.
    pub signature: Signature,
    /// Data variables.
    pub slots: Vec<SlotInfo>,
    /// State formulas.
    pub states: Vec<State>,
    /// Regular formulas.
    pub regulars: Vec<Regular>,
    /// Action formulas.
    pub actions: Vec<Action>,
    /// Fixpoints.
    pub binders: Vec<Binder>,
    /// The whole.
    pub root: u32,
    /// Where variables occur, for errors.
    pub(crate) spans: Vec<(u32, Span)>,
}

impl PartialEq for Formula {
    /// The same formula; places in the text do not count.
    fn eq(&self, other: &Formula) -> bool {
        self.dialect == other.dialect
            && self.signature == other.signature
            && self.slots == other.slots
            && self.states == other.states
            && self.regulars == other.regulars
            && self.actions == other.actions
            && self.binders == other.binders
            && self.root == other.root
    }
}
