//! What can be wrong with a boolean program, as data, and how it is said to people.

use source::{Diagnostic, Span};

/// A place where the text is no boolean program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// Where.
    pub span: Span,
}

/// What is wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
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
    /// `fi`, `od`, `else` or `elsif` without anything to close or continue.
    #[error("{found} without {opener}")]
    Unopened {
        /// The word, as a phrase.
        found: String,
        /// What should have opened, as a phrase.
        opener: &'static str,
    },
    /// A construct of concurrent programs.
    #[error("concurrency is not supported: `{construct}`")]
    Concurrency {
        /// The word, the variable with its `$`, or the label.
        construct: String,
        /// What it would mean.
        meaning: &'static str,
    },
    /// A character that belongs to no token.
    #[error("unknown character `{}`", .0.escape_debug())]
    UnknownCharacter(char),
    /// `/*` without `*/`.
    #[error("comment `/*` is not closed")]
    UnclosedComment,
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
    /// `f(…)` as part of an expression.
    #[error("call of `{0}` inside an expression")]
    CallInExpression(String),
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
    /// `L: end`
    #[error("label `{0}` without a statement")]
    LabelWithoutStatement(String),
    /// `bool<n>` with an n beyond [`MAX_RETURNS`](crate::MAX_RETURNS).
    #[error("a procedure returns at most {max} values", max = crate::MAX_RETURNS)]
    TooManyReturns,
    /// The text is larger than spans can say.
    #[error("the text is too large")]
    TooLarge,
    /// The rest of the text was not read.
    #[error("too many errors, the rest of the file was not read")]
    TooManyErrors,
}

pub(crate) fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

impl ParseError {
    /// A stable name of the kind of error.
    pub fn code(&self) -> &'static str {
        use ParseErrorKind::*;
        match self.kind {
            Expected { .. } | MissingSemicolon { .. } => "bp-expected",
            Unclosed { .. } | UnclosedComment | UnclosedBrace => "bp-unclosed",
            Unopened { .. } => "bp-unopened",
            Concurrency { .. } => "bp-concurrency",
            UnknownCharacter(_) => "bp-character",
            EmptyBrace | UnderscoreValue | UnderscoreDeclared => "bp-name",
            NotAConstant(_) => "bp-constant",
            CallInExpression(_) => "bp-call-in-expression",
            AssignmentCount { .. } => "bp-assignment-count",
            Misplaced(_) => "bp-misplaced",
            LabelWithoutStatement(_) => "bp-label",
            TooManyReturns | TooLarge | TooManyErrors => "bp-limit",
        }
    }

    /// What would be right, where that can be said.
    fn help(&self) -> Option<String> {
        use ParseErrorKind::*;
        Some(match &self.kind {
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
            MissingSemicolon { .. } => "end the statement with `;`".into(),
            Unclosed { opener: "`if`", .. } => {
                "each `if` needs its own `fi`; `elsif`, unlike `else if`, opens no new `if`".into()
            }
            Unclosed { closer, .. } => format!("write {closer} here"),
            Concurrency { meaning, .. } => {
                format!("this {meaning}; only sequential programs can be checked")
            }
            NotAConstant(_) => "the constants are `0`, `1`, `T`, `F`, `true` and `false`".into(),
            UnderscoreValue => "write `*` for an arbitrary value".into(),
            UnderscoreDeclared => {
                "`_` throws a value away on the left of `:=` and needs no declaration".into()
            }
            CallInExpression(name) => {
                format!("call it in a statement of its own, `x := {name}(…);`, and use `x` here")
            }
            Misplaced(_) => {
                "after `begin` come `decl`s, then `enforce`, then `abortif`, then statements".into()
            }
            LabelWithoutStatement(label) => format!("write `{label}: skip;`"),
            UnclosedBrace => "a name in braces, like `{*p == 0}`, stands on one line".into(),
            _ => return None,
        })
    }

    /// The error for people.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code(), self.to_string()).at(self.span);
        diagnostic.help = self.help();
        match self.kind {
            ParseErrorKind::Unclosed { opened, opener, .. } => {
                diagnostic.note_at(opened, format!("{opener} stands here"))
            }
            ParseErrorKind::MissingSemicolon { after, .. } => {
                diagnostic.note_at(after, "the statement ends here")
            }
            _ => diagnostic,
        }
    }
}

impl From<&ParseError> for Diagnostic {
    fn from(error: &ParseError) -> Diagnostic {
        error.diagnostic()
    }
}

impl From<&LowerError> for Diagnostic {
    fn from(error: &LowerError) -> Diagnostic {
        error.diagnostic()
    }
}

/// Something that is wrong with a program which the grammar accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct LowerError {
    /// What is wrong.
    pub kind: LowerErrorKind,
    /// Where; `None` if it is about the whole program.
    pub span: Option<Span>,
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

impl LowerError {
    /// A stable name of the kind of error.
    pub fn code(&self) -> &'static str {
        use LowerErrorKind::*;
        match self.kind {
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

    /// The error for people.
    pub fn diagnostic(&self) -> Diagnostic {
        use LowerErrorKind::*;
        let mut out = Diagnostic::error(self.code(), self.to_string());
        out.span = self.span;
        let did_you_mean = |near: &String| format!("did you mean `{near}`?");
        match &self.kind {
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
            NoEntry { nearest, known, .. } => {
                let out = match known.len() {
                    0 => out.note("the program has no procedures"),
                    n => out.note(format!("procedure{} here: {}", plural(n), known.join(", "))),
                };
                match (nearest, known.first()) {
                    (Some(near), _) => out.help(did_you_mean(near)),
                    (None, Some(first)) => {
                        out.help(format!("name the one to start at: `--entry {first}`"))
                    }
                    (None, None) => out,
                }
            }
        }
    }
}
