//! Verbs about which variables matter.

use super::{Input, LimitArgs, MuSyntaxArg};
use clap::{Args, ValueEnum};

#[derive(Args, Debug)]
pub(crate) struct Influence {
    #[command(flatten)]
    pub(crate) input: Input,
    /// What a variable shall matter for
    #[arg(long, value_enum, default_value = "ia1", value_name = "A", help_heading = "Analysis")]
    pub(crate) analysis: AnalysisArg,
    /// What matters for one line: whether it is reached, and the variable's value before it (without one: all that the
    /// line reads)
    #[arg(
        long,
        value_name = "FILE:LINE[:VAR]",
        value_parser = criterion,
        conflicts_with_all = ["analysis", "vars", "method"],
        help_heading = "Analysis"
    )]
    pub(crate) criterion: Option<equations::Criterion>,
    /// The variables of the property, for ia4 (`x`, or `f::x` for a local)
    #[arg(long, value_name = "X,Y", value_delimiter = ',', help_heading = "Analysis")]
    pub(crate) vars: Vec<String>,
    /// How it is computed
    #[arg(
        long,
        value_enum,
        default_value = "dataflow",
        value_name = "M",
        help_heading = "Analysis"
    )]
    pub(crate) method: InfluenceMethodArg,
    /// Say why a variable matters, where it first does or on a line (of a .aut: in a state): how its value comes to
    /// something that reads it (repeatable)
    #[arg(long, value_name = "X[@LINE]", value_parser = why, help_heading = "Output")]
    pub(crate) why: Vec<equations::Why>,
    /// Say why each variable matters, at every statement (pages do so by themselves)
    #[arg(long, help_heading = "Output")]
    pub(crate) reasons: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args, Debug)]
pub(crate) struct Annotate {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The formula; `@FILE` reads it from a file
    #[arg(long, value_name = "F", help_heading = "Analysis")]
    pub(crate) formula: String,
    /// The syntax of the formula
    #[arg(long, value_enum, default_value = "either", help_heading = "Analysis")]
    pub(crate) syntax: MuSyntaxArg,
    /// The formula speaks of how a run came to a point: transitions are turned round
    #[arg(long, help_heading = "Analysis")]
    pub(crate) past: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `f.c:12`, `f.c:12:x`, `12`, `12:x`.
fn criterion(text: &str) -> Result<equations::Criterion, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let number = |part: &str| part.parse::<u32>().ok().filter(|&line| line > 0);
    // Names of files may have colons, and so has `f::x`: the first number behind one is the line.
    let from = usize::from(parts.len() > 1 && number(parts[0]).is_none());
    let at = (from..parts.len()).find(|&i| number(parts[i]).is_some());
    let Some((at, line)) = at.and_then(|i| Some((i, number(parts[i])?))) else {
        return Err("a criterion is FILE:LINE, or FILE:LINE:VAR".to_owned());
    };
    let variable = parts[at + 1..].join(":");
    Ok(equations::Criterion {
        file: parts[..at].join(":"),
        line,
        variable: (!variable.is_empty()).then_some(variable),
    })
}

/// `x` or `x@12`.
fn why(text: &str) -> Result<equations::Why, String> {
    let (variable, line) = match text.rsplit_once('@') {
        Some((variable, line)) => {
            let line = line.parse().map_err(|_| format!("`{line}` is no line"))?;
            (variable, Some(line))
        }
        None => (text, None),
    };
    Ok(equations::Why { variable: variable.to_owned(), line })
}

/// How a program with names at its points is shown.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Shown {
    /// The form of the answer
    #[arg(long, value_enum, default_value = "text", value_name = "F")]
    pub(crate) format: AnnotatedFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// No progress, no warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AnalysisArg {
    /// What decides which code is reached
    Ia1,
    /// And whether assertions hold
    Ia2,
    /// The same where there are global variables
    Ia3,
    /// What a temporal property depends on
    Ia4,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum InfluenceMethodArg {
    /// The mu-calculus formula, for every variable at every state
    Formula,
    /// Parameterised boolean equations, whose values persist
    Pbes,
    /// A backward dataflow
    Dataflow,
    /// All of them; a disagreement is an internal error
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AnnotatedFormat {
    /// A line for each statement
    Text,
    /// Schema `postbop.influence/1`
    Json,
    /// The source, with comments
    Source,
    /// One page to look at in a browser, offline
    Html,
}
