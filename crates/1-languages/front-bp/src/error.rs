//! What can be wrong with a boolean program, as data, and how it is said to people.

use source::{Diagnostic, Span};
use syntax::{Explain, Language, Mistake, did_you_mean, explain_entry, plural};

/// A place where the text is no boolean program.
pub type ParseError = syntax::ParseError<ParseErrorKind>;
/// Something that is wrong with a program which the grammar accepts.
pub type LowerError = syntax::LowerError<LowerErrorKind>;

/// What is wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// What can be wrong in every language.
    #[error(transparent)]
    Common(#[from] Mistake),
    /// A construct of concurrent programs.
    #[error("concurrency is not supported: `{construct}`")]
    Concurrency {
        /// The word, the variable with its `$`, or the label.
        construct: String,
        /// What it would mean.
        meaning: &'static str,
    },
    /// `{` without `}` on its line.
    #[error("braced name `{{` is not closed on its line")]
    UnclosedBrace,
    /// `{}`
    #[error("braced name `{{}}` is empty")]
    EmptyBrace,
    /// An integer other than 0 and 1 as an expression.
    #[error("`{0}` is not a boolean constant")]
    NotAConstant(String),
    /// `_` as an expression.
    #[error("`_` has no value")]
    UnderscoreValue,
    /// `_` as the name of a variable.
    #[error("`_` cannot be declared")]
    UnderscoreDeclared,
    /// As many values as targets, or it is no assignment.
    #[error("assignment of {values} value{} to {targets} variable{}", plural(*.values), plural(*.targets))]
    AssignmentCount {
        /// Targets on the left.
        targets: usize,
        /// Values on the right.
        values: usize,
    },
    /// `enforce` or `abortif` after a statement, twice, or in the wrong order.
    #[error("{0} must stand before the first statement of a procedure")]
    Misplaced(&'static str),
    /// `bool<n>` with an n beyond [`MAX_RETURNS`](crate::MAX_RETURNS).
    #[error("a procedure returns at most {max} values", max = crate::MAX_RETURNS)]
    TooManyReturns,
}

impl Explain for ParseErrorKind {
    fn code(&self, language: Language) -> &'static str {
        use ParseErrorKind::*;
        match self {
            Common(mistake) => mistake.code(language),
            UnclosedBrace => "bp-unclosed",
            Concurrency { .. } => "bp-concurrency",
            EmptyBrace | UnderscoreValue | UnderscoreDeclared => "bp-name",
            NotAConstant(_) => "bp-constant",
            AssignmentCount { .. } => "bp-assignment-count",
            Misplaced(_) => "bp-misplaced",
            TooManyReturns => "bp-limit",
        }
    }

    fn explain(&self, language: Language, out: Diagnostic) -> Diagnostic {
        use ParseErrorKind::*;
        match self {
            Common(mistake) => {
                let mut out = mistake.explain(language, out);
                out.help = help(mistake).or(out.help);
                out
            }
            Concurrency { meaning, .. } => {
                out.help(format!("this {meaning}; only sequential programs can be checked"))
            }
            NotAConstant(_) => out.help("the constants are `0`, `1`, `T`, `F`, `true` and `false`"),
            UnderscoreValue => out.help("write `*` for an arbitrary value"),
            UnderscoreDeclared => {
                out.help("`_` throws a value away on the left of `:=` and needs no declaration")
            }
            Misplaced(_) => out.help(
                "after `begin` come `decl`s, then `enforce`, then `abortif`, then statements",
            ),
            UnclosedBrace => out.help("a name in braces, like `{*p == 0}`, stands on one line"),
            EmptyBrace | AssignmentCount { .. } | TooManyReturns => out,
        }
    }
}

/// What would be right, where this language can say more than others.
fn help(mistake: &Mistake) -> Option<String> {
    use Mistake::*;
    Some(match mistake {
        Expected { expected: "`:=`", found, .. } if found == "`=`" => {
            "an assignment is written `:=`".into()
        }
        Expected { expected: "`:=`", .. } => {
            "a statement that begins with a name is an assignment `x := e;`, a call `f(e);` \
             or a label `L: …`"
                .into()
        }
        Expected { expected: "a name", found, keyword: true } => {
            let word = found.trim_matches('`');
            format!("`{word}` is a keyword; as a name write `{{{word}}}`")
        }
        Expected { expected: "a declaration or a procedure", .. } => {
            "a program consists of `decl x, y;` and of procedures \
             `void p(a, b) begin … end`"
                .into()
        }
        Expected { expected: "`(`", found, .. } if found == "`:=`" => {
            "statements stand between the `begin` and `end` of a procedure".into()
        }
        Unclosed { opener: "`if`", .. } => {
            "each `if` needs its own `fi`; `elsif`, unlike `else if`, opens no new `if`".into()
        }
        _ => return None,
    })
}

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerErrorKind {
    /// One name for two variables of one scope, or for two procedures.
    #[error("{what} `{name}` is declared twice")]
    DeclaredTwice {
        /// Of what kind.
        what: &'static str,
        /// The name.
        name: String,
        /// The first declaration.
        first: Span,
    },
    /// One label on two statements of a procedure.
    #[error("label `{name}` is used twice in one procedure")]
    LabelTwice {
        /// The label.
        name: String,
        /// Its first use.
        first: Span,
    },
    /// A variable that is not declared.
    #[error("variable `{name}` is not declared")]
    UnknownVariable {
        /// Its name.
        name: String,
        /// The nearest name in scope.
        nearest: Option<String>,
        /// There is a procedure of that name.
        procedure: bool,
    },
    /// A procedure that is not defined.
    #[error("procedure `{name}` is not defined")]
    UnknownProcedure {
        /// Its name.
        name: String,
        /// The nearest procedure.
        nearest: Option<String>,
    },
    /// A label that the procedure does not have.
    #[error("procedure `{proc}` has no label `{name}`")]
    UnknownLabel {
        /// The label.
        name: String,
        /// The procedure.
        proc: String,
        /// Its nearest label.
        nearest: Option<String>,
        /// The label in another procedure.
        elsewhere: Option<Span>,
    },
    /// A variable twice on a left-hand side or in a `dead`.
    #[error("variable `{name}` is assigned twice in one statement")]
    AssignedTwice {
        /// The variable.
        name: String,
        /// Its first occurrence.
        first: Span,
    },
    /// `dead _`
    #[error("`_` cannot be dead")]
    UnderscoreDead,
    /// `'x` outside `constrain`.
    #[error("`'{name}` (the value after an assignment) outside `constrain`")]
    NextOutsideConstrain {
        /// The variable.
        name: String,
    },
    /// A call with the wrong number of arguments.
    #[error("call of `{name}` with {given} argument{}, it takes {takes}", plural(*.given))]
    ArgumentCount {
        /// The procedure.
        name: String,
        /// Its parameters.
        takes: usize,
        /// The call's arguments.
        given: usize,
        /// The procedure's head.
        declared: Span,
    },
    /// A call with the wrong number of targets.
    #[error("`{name}` returns {returns} value{}, {wanted} wanted", plural(*.returns))]
    TargetCount {
        /// The procedure.
        name: String,
        /// The values that it returns.
        returns: usize,
        /// The call's targets.
        wanted: usize,
        /// The procedure's head.
        declared: Span,
    },
    /// A `return` with the wrong number of values.
    #[error("return of {given} value{} in `{name}`, which returns {returns}", plural(*.given))]
    ReturnCount {
        /// The procedure.
        name: String,
        /// The values that it returns.
        returns: usize,
        /// The values given.
        given: usize,
        /// The procedure's head.
        declared: Span,
    },
    /// The procedure to start at does not exist.
    #[error("there is no procedure `{name}` to start at")]
    NoEntry {
        /// The name that was looked for.
        name: String,
        /// The nearest procedure.
        nearest: Option<String>,
        /// Some procedures that exist.
        known: Vec<String>,
    },
}

impl Explain for LowerErrorKind {
    fn code(&self, _: Language) -> &'static str {
        use LowerErrorKind::*;
        match self {
            DeclaredTwice { .. } => "bp-declared-twice",
            LabelTwice { .. } => "bp-label-twice",
            UnknownVariable { .. } => "bp-unknown-variable",
            UnknownProcedure { .. } => "bp-unknown-procedure",
            UnknownLabel { .. } => "bp-unknown-label",
            AssignedTwice { .. } => "bp-assigned-twice",
            UnderscoreDead => "bp-name",
            NextOutsideConstrain { .. } => "bp-next-value",
            ArgumentCount { .. } => "bp-argument-count",
            TargetCount { .. } => "bp-target-count",
            ReturnCount { .. } => "bp-return-count",
            NoEntry { .. } => "bp-no-entry",
        }
    }

    fn explain(&self, _: Language, out: Diagnostic) -> Diagnostic {
        use LowerErrorKind::*;
        match self {
            DeclaredTwice { first, .. } => out.note_at(*first, "first declared here"),
            LabelTwice { first, .. } => out.note_at(*first, "first used here"),
            AssignedTwice { first, .. } => out.note_at(*first, "first assigned here"),
            UnknownVariable { nearest: Some(near), .. }
            | UnknownProcedure { nearest: Some(near), .. }
            | UnknownLabel { nearest: Some(near), .. } => out.help(did_you_mean(near)),
            UnknownVariable { name, procedure: true, .. } => out.help(format!(
                "`{name}` is a procedure; call it in a statement of its own, `x := {name}(…);`"
            )),
            UnknownVariable { name, .. } => out
                .help(format!("declare it with `decl {name};`, for all procedures or in this one")),
            UnknownProcedure { .. } => out,
            UnknownLabel { elsewhere: Some(span), .. } => out
                .note_at(*span, "another procedure has that label")
                .help("`goto` stays within its procedure"),
            UnknownLabel { .. } => out,
            UnderscoreDead => out.help("name the variables that become arbitrary"),
            NextOutsideConstrain { name } => out.help(format!(
                "write `{name}` for its value before, or constrain an assignment: \
                 `{name} := * constrain '{name} = …;`"
            )),
            ArgumentCount { name, declared, .. } | TargetCount { name, declared, .. } => {
                out.note_at(*declared, format!("`{name}` is defined here"))
            }
            ReturnCount { declared, name, returns, given } => {
                let wanted = match given {
                    0 => "void".to_string(),
                    1 => "bool".to_string(),
                    n => format!("bool<{n}>"),
                };
                out.note_at(*declared, format!("`{name}` is defined here")).help(format!(
                    "return {returns} value{}, or make it `{wanted} {name}`",
                    plural(*returns)
                ))
            }
            NoEntry { known, .. } if known.is_empty() => out.note("the program has no procedures"),
            NoEntry { nearest, known, .. } => {
                explain_entry(out, "procedure", nearest.as_ref(), known)
            }
        }
    }
}
