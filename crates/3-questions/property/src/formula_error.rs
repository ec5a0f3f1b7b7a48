//! What can be wrong with a formula in a program, as data, and how it is said to people.

use crate::PropertyError;
use automata::hoa::HoaError;
use automata::ltl::LtlError;
use automata::sere::SereError;
use source::{Diagnostic, Span};
use std::fmt;

/// What is wrong with a formula, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct FormulaError {
    /// Which of the formulas of the property.
    pub formula: Which,
    /// Its text.
    pub text: String,
    /// What is wrong.
    pub kind: FormulaErrorKind,
    /// Where in the text.
    pub span: Span,
}

/// One of the formulas of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// What is to hold.
    Property,
    /// A fairness assumption, by its position.
    Fair(usize),
    /// An automaton.
    Automaton,
}

/// What is wrong with a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormulaErrorKind {
    /// The text is no formula.
    #[error("{0}")]
    Syntax(LtlError),
    /// The text is no property in Sugar.
    #[error("{0}")]
    Sere(SereError),
    /// The text is no automaton.
    #[error("{0}")]
    Hoa(Box<HoaError>),
    /// An automaton of what is right that is not deterministic.
    #[error("the automaton is not deterministic, and accepts the runs that are right")]
    NotDeterministic,
    /// A label or procedure that does not exist.
    #[error("{0}")]
    Place(PropertyError),
    /// No such variable.
    #[error("{} `{name}`", unknown(.proc))]
    UnknownVariable {
        /// The name.
        name: String,
        /// The procedure that was named; `None` for globals.
        proc: Option<String>,
        /// What is probably right.
        hint: Option<Hint>,
    },
    /// A name that a procedure gives to several variables.
    #[error("`{proc}` has several variables `{name}`")]
    Ambiguous {
        /// The procedure.
        proc: String,
        /// The name.
        name: String,
    },
    /// A number where a truth value is needed.
    #[error("{what} is a number, not a truth value")]
    NotBoolean {
        /// The operand, as it is written, or the whole.
        what: String,
    },
    /// A truth value where a number is needed.
    #[error("{what} is a truth value, not a number")]
    NotANumber {
        /// The operand, as it is written.
        what: String,
    },
    /// An array without an index.
    #[error("`{name}` is an array")]
    Array {
        /// The variable, as it is written.
        name: String,
        /// Its smallest index.
        lo: i64,
        /// Its cells are truth values.
        boolean: bool,
    },
    /// An index after something else than an array.
    #[error("`{name}` is not an array{}", if *.more { " of arrays" } else { "" })]
    NotAnArray {
        /// The variable, as it is written.
        name: String,
        /// It is one, but has been indexed already.
        more: bool,
    },
    /// An index that no value makes fit.
    #[error("this index of `{name}` never fits: its cells are {lo} to {hi}")]
    Index {
        /// The variable, as it is written.
        name: String,
        /// Its smallest index.
        lo: i64,
        /// Its largest index.
        hi: i64,
    },
    /// Something else where an operand should stand.
    #[error("expected a variable or a value, found {found}")]
    ExpectedOperand {
        /// What stands there.
        found: String,
    },
    /// Something else where an operator or the end should follow.
    #[error("expected an operator, found {found}")]
    ExpectedOperator {
        /// What stands there.
        found: String,
    },
    /// A condition on a frame that names a variable of another procedure.
    #[error("a variable of `{proc}` is none of this frame")]
    OtherFrame {
        /// The procedure.
        proc: String,
    },
    /// A bracket without its partner.
    #[error("`{0}` has no partner")]
    Bracket(char),
    /// A number that does not fit 32 bits, as every value does.
    #[error("the number `{0}` is too large")]
    LargeNumber(String),
    /// An expression whose values need too many bits.
    #[error("the values of this expression need more than {limit} bits")]
    Wide {
        /// The limit.
        limit: u32,
    },
}

/// What was probably meant by an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A similar name.
    Nearest(String),
    /// The same name, written in another way: `main::x`, `at(L)`.
    Write(String),
    /// `Flag` was read as `F lag`.
    Split {
        /// The whole word.
        word: String,
        /// The nearest known name to it.
        nearest: Option<String>,
    },
}

fn unknown(proc: &Option<String>) -> String {
    match proc {
        Some(proc) => format!("`{proc}` has no variable"),
        None => "there is no global variable".to_owned(),
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Which::Property => f.write_str("formula"),
            Which::Automaton => f.write_str("automaton"),
            Which::Fair(i) => write!(f, "fairness formula {}", i + 1),
        }
    }
}

impl FormulaError {
    /// A stable name of the kind of error.
    pub fn code(&self) -> &'static str {
        use FormulaErrorKind::*;
        match &self.kind {
            Syntax(error) => error.code(),
            Sere(_) => "sere-syntax",
            Hoa(_) => "hoa-syntax",
            NotDeterministic => "not-deterministic",
            Place(error) => error.code(),
            UnknownVariable { .. } | OtherFrame { .. } => "unknown-variable",
            Ambiguous { .. } => "ambiguous-variable",
            NotBoolean { .. } | NotANumber { .. } => "wrong-type",
            Array { .. } | NotAnArray { .. } => "wrong-index",
            Index { .. } => "index-never-fits",
            ExpectedOperand { .. } | ExpectedOperator { .. } | Bracket(_) => "bad-expression",
            LargeNumber(_) | Wide { .. } => "too-wide",
        }
    }

    /// The error for people; its place is one of [`text`](Self::text).
    pub fn diagnostic(&self) -> Diagnostic {
        use FormulaErrorKind::*;
        let mut out = match &self.kind {
            Syntax(error) => return error.diagnostic(),
            Hoa(error) => return error.diagnostic(),
            Place(error) => error.diagnostic(),
            _ => Diagnostic::error(self.code(), self.to_string()),
        };
        out.span = Some(self.span);
        let hint = match &self.kind {
            UnknownVariable { hint: Some(hint), .. } => match hint {
                Hint::Nearest(name) => Some(format!("did you mean `{name}`?")),
                Hint::Write(text) => Some(format!("write `{text}`")),
                Hint::Split { word, nearest } => {
                    out = out.note(format!("`{word}` is read as `{} {}`", &word[..1], &word[1..]));
                    nearest.as_ref().map(|name| format!("did you mean `{name}`?"))
                }
            },
            NotDeterministic => Some(
                "give the automaton of the runs that are wrong (`--automaton`), or a deterministic one".into(),
            ),
            NotBoolean { what } if what.starts_with('`') => {
                let name = what.trim_matches('`');
                Some(format!("compare it with a number, as in `\"{name} == 1\"`"))
            }
            NotBoolean { .. } => Some("compare it with a number, as in `\"x + 1 == y\"`".into()),
            NotANumber { .. } => Some("`&&`, `||`, `!`, `==` and `!=` work on truth values".into()),
            Array { name, lo, boolean } => {
                let compared = if *boolean { "" } else { " == 1" };
                Some(format!("name a cell in quotes, as in `\"{name}[{lo}]{compared}\"`"))
            }
            NotAnArray { name, more: true } => {
                Some(format!("`{name}` has one index; two dimensions count row by row, from 0"))
            }
            ExpectedOperator { .. } => {
                Some("the operators are && || ! -> <-> == != < <= > >= + - * /".into())
            }
            _ => None,
        };
        out.help = out.help.or(hint);
        out
    }
}
