//! What can be wrong with the text of a formula, as data, and how it is said to people.

use source::{Diagnostic, Span};

/// A place where the text is no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct LtlError {
    /// What is wrong.
    pub kind: LtlErrorKind,
    /// Where.
    pub span: Span,
}

/// What is wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LtlErrorKind {
    /// Something else where a formula should begin.
    #[error("expected a formula, found {found}")]
    ExpectedFormula {
        /// What stands there, as a phrase.
        found: String,
        /// The operator before it, if any.
        after: Option<String>,
    },
    /// Something else where an operator or the end should follow.
    #[error("expected an operator, found {found}")]
    ExpectedOperator {
        /// What stands there, as a phrase.
        found: String,
    },
    /// `(` without `)`.
    #[error("`(` is not closed")]
    UnclosedParenthesis,
    /// `)` without `(`.
    #[error("`)` closes nothing")]
    UnopenedParenthesis,
    /// `"` without its partner.
    #[error("quoted expression is not closed")]
    UnclosedQuote,
    /// `""`
    #[error("quoted expression is empty")]
    EmptyQuote,
    /// `{` without `}` on its line.
    #[error("braced name `{{` is not closed on its line")]
    UnclosedBrace,
    /// `{}`
    #[error("braced name `{{}}` is empty")]
    EmptyBrace,
    /// `at(…)` or `in(…)` that names no place.
    #[error("expected {expected} in `{function}(…)`, found {found}")]
    Place {
        /// `at` or `in`.
        function: &'static str,
        /// What would be right, as a phrase.
        expected: &'static str,
        /// What stands there, as a phrase.
        found: String,
    },
    /// `proc::` without a variable.
    #[error("expected a variable after `{proc}::`, found {found}")]
    Local {
        /// The procedure.
        proc: String,
        /// What stands there, as a phrase.
        found: String,
    },
    /// A number other than 0 and 1.
    #[error("`{0}` is not a truth value")]
    NotAConstant(String),
    /// An operator of regular expressions.
    #[error("`{0}` belongs to regular expressions, not to LTL")]
    RegularExpression(String),
    /// A character that belongs to no token.
    #[error("unknown character `{}`", .0.escape_debug())]
    UnknownCharacter(char),
    /// Offsets are 32 bits wide.
    #[error("the formula has {bytes} bytes, the limit is {limit}", limit = u32::MAX - 1)]
    TooLong {
        /// Its size.
        bytes: usize,
    },
}

impl LtlError {
    /// A stable name of the kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind {
            LtlErrorKind::ExpectedFormula { .. } => "ltl-expected-formula",
            LtlErrorKind::ExpectedOperator { .. } => "ltl-expected-operator",
            LtlErrorKind::UnclosedParenthesis | LtlErrorKind::UnopenedParenthesis => {
                "ltl-parenthesis"
            }
            LtlErrorKind::UnclosedQuote | LtlErrorKind::EmptyQuote => "ltl-quote",
            LtlErrorKind::UnclosedBrace | LtlErrorKind::EmptyBrace => "ltl-brace",
            LtlErrorKind::Place { .. } => "ltl-place",
            LtlErrorKind::Local { .. } => "ltl-local",
            LtlErrorKind::NotAConstant(_) => "ltl-not-a-constant",
            LtlErrorKind::RegularExpression(_) => "ltl-regular-expression",
            LtlErrorKind::UnknownCharacter(_) => "ltl-unknown-character",
            LtlErrorKind::TooLong { .. } => "ltl-too-long",
        }
    }

    /// The error for people, with what would be right.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let mut out = Diagnostic::error(self.code(), self.to_string()).at(self.span);
        out.help = match &self.kind {
            LtlErrorKind::ExpectedFormula { after: Some(operator), .. } => {
                Some(format!("`{operator}` needs a formula on its right, as in `{operator} p`"))
            }
            LtlErrorKind::ExpectedFormula { found, .. } if found.contains("operator") => {
                Some("an operator between formulas needs one on its left, as in `p U q`".into())
            }
            LtlErrorKind::ExpectedFormula { .. } => {
                Some("a formula is made of names and operators, as in `G (p -> F q)`".into())
            }
            LtlErrorKind::ExpectedOperator { .. } => {
                Some("the operators are & | -> <-> ^ U R W M between formulas".into())
            }
            LtlErrorKind::UnclosedParenthesis => Some("add `)`".into()),
            LtlErrorKind::UnopenedParenthesis => Some("remove it, or add `(` before".into()),
            LtlErrorKind::UnclosedQuote => Some("add `\"` after the expression".into()),
            LtlErrorKind::EmptyQuote => Some("write an expression, as in `\"x == 1\"`".into()),
            LtlErrorKind::UnclosedBrace => Some("add `}` after the name".into()),
            LtlErrorKind::EmptyBrace => Some("write the name between the braces".into()),
            LtlErrorKind::Place { function: "at", .. } => {
                Some("write `at(label)` or `at(procedure:label)`".into())
            }
            LtlErrorKind::Place { .. } => Some("write `in(procedure)`".into()),
            LtlErrorKind::Local { .. } => Some("write `procedure::variable`".into()),
            LtlErrorKind::NotAConstant(_) => Some(
                "0 and 1 are the constants; comparisons go in quotes, as in `\"x == 2\"`".into(),
            ),
            LtlErrorKind::RegularExpression(_)
            | LtlErrorKind::UnknownCharacter(_)
            | LtlErrorKind::TooLong { .. } => None,
        };
        out
    }
}
