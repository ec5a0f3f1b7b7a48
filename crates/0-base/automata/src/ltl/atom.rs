//! Atoms: what a formula says about one letter. What they mean is not known here.

use std::fmt;

use super::lex::{is_name, is_plain_variable};
use super::{Node, parse};

/// An atom, as written. Names are kept as programs spell them: a braced one with its braces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Atom {
    /// A variable: `x`, `{*p == *q}`.
    Var(String),
    /// A variable of a procedure: `proc::var`.
    Local {
        /// The procedure.
        proc: String,
        /// Its variable.
        var: String,
    },
    /// The text between double quotes, an expression of the program's language.
    Expr(String),
    /// `at(L)`, `at(proc:L)`.
    At {
        /// The procedure, where it is named.
        proc: Option<String>,
        /// The label.
        label: String,
    },
    /// `in(proc)`.
    In(String),
    /// `terminated`.
    Terminated,
    /// `error`.
    Error,
    /// What a step does: `call(f)`, `assign(f::x)`. Blanks stand only behind commas and around
    /// comparisons.
    Event(String),
}

/// The words that events begin with.
pub const EVENTS: [&str; 12] = [
    "use", "deref", "address", "assign", "modify", "copy", "call", "arg", "result", "bind",
    "return", "test",
];

/// The atom in the syntax of formulas: it parses back, except that a variable whose name the
/// syntax cannot spell is shown as an expression.
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Var(name) if is_plain_variable(name) => f.write_str(name),
            Atom::Var(text) | Atom::Expr(text) => write!(f, "\"{text}\""),
            Atom::Local { proc, var } => write!(f, "{proc}::{var}"),
            Atom::At { proc: None, label } => write!(f, "at({label})"),
            Atom::At { proc: Some(proc), label } => write!(f, "at({proc}:{label})"),
            Atom::In(proc) => write!(f, "in({proc})"),
            Atom::Terminated => f.write_str("terminated"),
            Atom::Error => f.write_str("error"),
            Atom::Event(text) => f.write_str(text),
        }
    }
}

/// The atom that the text is, if it is one: what [`Atom`]'s `Display` writes is read back.
#[must_use]
pub fn parse_atom(text: &str) -> Option<Atom> {
    if is_name(text) && is_plain_variable(text) {
        return Some(Atom::Var(text.to_owned()));
    }
    let formula = parse(text).ok()?;
    match formula.formulas.node(formula.root) {
        Node::Atom(atom) => Some(formula.formulas.atoms()[atom.index()].clone()),
        _ => None,
    }
}
