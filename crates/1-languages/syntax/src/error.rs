//! The frame of an error: what is wrong, where, and how it is said to people.

use std::fmt;

use source::{Diagnostic, Span};

/// The language that an error is about; errors have its name in theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Boolean programs.
    Bp,
    /// Remopla.
    Remopla,
    /// Pushdown systems.
    Pds,
}

/// The stable name of an error in its language: `code!(Language::Bp, "expected")` is `"bp-expected"`.
#[macro_export]
macro_rules! code {
    ($language:expr, $name:literal) => {
        match $language {
            $crate::Language::Bp => concat!("bp-", $name),
            $crate::Language::Remopla => concat!("remopla-", $name),
            $crate::Language::Pds => concat!("pds-", $name),
        }
    };
}

/// What can be wrong, in one language and at one stage; [`fmt::Display`] says it in a phrase.
pub trait Explain: fmt::Display {
    /// A stable name of the kind of error.
    fn code(&self, language: Language) -> &'static str;
    /// Adds other places, and what would be right where that can be said.
    fn explain(&self, language: Language, out: Diagnostic) -> Diagnostic;
}

/// Something that is wrong with a text: what, where, and in which language. `S` is [`Span`], or
/// `Option<Span>` for what may be wrong with the program as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Error<K, S> {
    /// What is wrong.
    pub kind: K,
    /// Where.
    pub span: S,
    /// In which language.
    pub language: Language,
}

/// A place where the text is no program.
pub type ParseError<K> = Error<K, Span>;
/// Something that is wrong with a program which the grammar accepts; without a span if it is about
/// the whole program.
pub type LowerError<K> = Error<K, Option<Span>>;

impl<K: Explain, S: Copy + Into<Option<Span>>> Error<K, S> {
    /// A stable name of the kind of error.
    pub fn code(&self) -> &'static str {
        self.kind.code(self.language)
    }

    /// The error for people.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut out = Diagnostic::error(self.code(), self.kind.to_string());
        out.span = self.span.into();
        self.kind.explain(self.language, out)
    }
}

impl<K: Explain, S: Copy + Into<Option<Span>>> From<&Error<K, S>> for Diagnostic {
    fn from(error: &Error<K, S>) -> Diagnostic {
        error.diagnostic()
    }
}

/// What can be wrong with the text of any language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// One thing where another is right.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would be right, as a phrase: `` `then` ``, `an expression`.
        expected: &'static str,
        /// What stands there, as a phrase.
        found: String,
        /// The token that stands there is a keyword.
        keyword: bool,
    },
    /// A statement without `;`.
    #[error("expected `;`, found {found}")]
    MissingSemicolon {
        /// What stands there, as a phrase.
        found: String,
        /// The end of the statement.
        after: Span,
    },
    /// An opening word or bracket without its partner.
    #[error("expected {closer}, found {found}: {opener} is not closed")]
    Unclosed {
        /// What opened, as a phrase.
        opener: &'static str,
        /// Where.
        opened: Span,
        /// What would close it, as a phrase.
        closer: &'static str,
        /// What stands there, as a phrase.
        found: String,
    },
    /// `fi` or its like without anything to close or continue.
    #[error("{found} without {opener}")]
    Unopened {
        /// The word, as a phrase.
        found: String,
        /// What should have opened, as a phrase.
        opener: &'static str,
    },
    /// A character that belongs to no token.
    #[error("unknown character `{}`", .0.escape_debug())]
    UnknownCharacter(char),
    /// `/*` without `*/`.
    #[error("comment `/*` is not closed")]
    UnclosedComment,
    /// `f(…)` as part of an expression.
    #[error("call of `{0}` inside an expression")]
    CallInExpression(String),
    /// `L: fi`
    #[error("label `{0}` without a statement")]
    LabelWithoutStatement(String),
    /// The text is larger than spans can say.
    #[error("the text is too large")]
    TooLarge,
    /// The rest of the text was not read.
    #[error("too many errors, the rest of the file was not read")]
    TooManyErrors,
}

impl Explain for Mistake {
    fn code(&self, language: Language) -> &'static str {
        use Mistake::*;
        match self {
            Expected { .. } | MissingSemicolon { .. } => code!(language, "expected"),
            Unclosed { .. } | UnclosedComment => code!(language, "unclosed"),
            Unopened { .. } => code!(language, "unopened"),
            UnknownCharacter(_) => code!(language, "character"),
            CallInExpression(_) => code!(language, "call-in-expression"),
            LabelWithoutStatement(_) => code!(language, "label"),
            TooLarge | TooManyErrors => code!(language, "limit"),
        }
    }

    fn explain(&self, language: Language, out: Diagnostic) -> Diagnostic {
        use Mistake::*;
        match self {
            MissingSemicolon { after, .. } => {
                out.note_at(*after, "the statement ends here").help("end the statement with `;`")
            }
            Unclosed { opened, opener, closer, .. } => out
                .note_at(*opened, format!("{opener} stands here"))
                .help(format!("write {closer} here")),
            CallInExpression(name) => {
                let sign = if language == Language::Bp { ":=" } else { "=" };
                out.help(format!(
                    "call it in a statement of its own, `x {sign} {name}(…);`, and use `x` here"
                ))
            }
            LabelWithoutStatement(label) => out.help(format!("write `{label}: skip;`")),
            _ => out,
        }
    }
}

/// The ending of a word that counts.
pub fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The question that offers the nearest name.
pub fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// Lists some of what one can start at (procedures, stack symbols), and says how.
pub fn explain_entry(
    out: Diagnostic,
    what: &str,
    nearest: Option<&String>,
    known: &[String],
) -> Diagnostic {
    let Some(first) = known.first() else { return out.note(format!("there are no {what}s")) };
    let out = out.note(format!("{what}{} here: {}", plural(known.len()), known.join(", ")));
    match nearest {
        Some(near) => out.help(did_you_mean(near)),
        None => out.help(format!("name the one to start at: `--entry {first}`")),
    }
}
