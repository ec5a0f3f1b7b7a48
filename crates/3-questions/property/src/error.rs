//! Questions that make no sense for the program.

use crate::FormulaError;
use automata::TranslateError;
use source::Diagnostic;

/// Why a question cannot be asked of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PropertyError {
    /// No such label.
    #[error("no statement{} is labelled `{label}`", of_proc(.proc))]
    UnknownLabel {
        /// The label.
        label: String,
        /// The procedure that was named.
        proc: Option<String>,
        /// What was probably meant.
        nearest: Option<String>,
        /// The first labels there are.
        known: Vec<String>,
        /// How many there are.
        total: usize,
    },
    /// No such procedure.
    #[error("there is no procedure `{name}`")]
    UnknownProc {
        /// The procedure that was named.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// `:N` with something else than a number.
    #[error("`:{text}` is not a line number")]
    NotALine {
        /// What follows the colon.
        text: String,
    },
    /// No statement begins there.
    #[error("no statement begins on line {line}")]
    NoStatementOnLine {
        /// The line that was named.
        line: u32,
        /// The nearest line before it on which one does.
        before: Option<u32>,
        /// The nearest line after it on which one does.
        after: Option<u32>,
    },
    /// Whether a procedure can be left there depends on more than a condition.
    #[error("whether `{proc}` can be left depends on the values that it returns")]
    ConditionalExit {
        /// The procedure.
        proc: String,
    },
    /// A rule, about a program that has no events.
    #[error("rule `{rule}` is about the events of a C program")]
    NoEvents {
        /// The rule's name.
        rule: String,
    },
    /// Operations of C, of a program without its data.
    #[error("`--{flag}` is asked of a C program with its data, by the engine bounded")]
    NoData {
        /// The question's flag.
        flag: &'static str,
    },
    /// A formula that makes no sense.
    #[error("{0}")]
    Formula(Box<FormulaError>),
    /// A formula whose automaton does not fit, or whose translation was interrupted.
    #[error("{0}")]
    Automaton(#[from] TranslateError),
}

fn of_proc(proc: &Option<String>) -> String {
    proc.as_ref().map(|p| format!(" of `{p}`")).unwrap_or_default()
}

impl PropertyError {
    /// A stable name of the kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            PropertyError::UnknownLabel { .. } => "unknown-label",
            PropertyError::UnknownProc { .. } => "unknown-procedure",
            PropertyError::NotALine { .. } => "not-a-line",
            PropertyError::NoStatementOnLine { .. } => "no-statement",
            PropertyError::ConditionalExit { .. } => "conditional-exit",
            PropertyError::NoEvents { .. } => "rule-without-c",
            PropertyError::NoData { .. } => "operations-without-data",
            PropertyError::Formula(error) => error.code(),
            PropertyError::Automaton(_) => "ltl-too-large",
        }
    }

    /// The error for people. It belongs to the command line and has no place in the file; for one
    /// in a formula, the place is one of [`text`](Self::text).
    pub fn diagnostic(&self) -> Diagnostic {
        if let PropertyError::Formula(error) = self {
            return error.diagnostic();
        }
        let mut out = Diagnostic::error(self.code(), self.to_string());
        out.help = match self {
            PropertyError::UnknownLabel { nearest: Some(name), .. }
            | PropertyError::UnknownProc { nearest: Some(name), .. } => {
                Some(format!("did you mean `{name}`?"))
            }
            PropertyError::UnknownLabel { known, total, .. } if *total > 0 => {
                let more = if *total > known.len() { ", …" } else { "" };
                Some(format!("the labels are {}{more}", known.join(", ")))
            }
            PropertyError::UnknownLabel { .. } => {
                Some("no statement has a label; `:N` names the statements on line N".into())
            }
            PropertyError::UnknownProc { nearest: None, .. } => None,
            PropertyError::ConditionalExit { .. } => {
                Some("ask for the statements that return, by their labels or lines".into())
            }
            PropertyError::NotALine { .. } => Some("write `:12` for line 12".into()),
            PropertyError::NoStatementOnLine { before, after, .. } => match (before, after) {
                (Some(a), Some(b)) => {
                    Some(format!("the nearest statements are on lines {a} and {b}"))
                }
                (Some(a), None) | (None, Some(a)) => {
                    Some(format!("the nearest statement is on line {a}"))
                }
                (None, None) => None,
            },
            PropertyError::NoEvents { .. }
            | PropertyError::NoData { .. }
            | PropertyError::Formula(_)
            | PropertyError::Automaton(_) => None,
        };
        out
    }

    /// What the places of the diagnostic refer to: a name for it, and the text of a formula.
    pub fn text(&self) -> Option<(String, &str)> {
        match self {
            PropertyError::Formula(error) => Some((error.formula.to_string(), &error.text)),
            _ => None,
        }
    }
}
