//! Verbs about equations, formulas and transition systems.

use super::{Input, LimitArgs, lang_words};
use crate::units;
use clap::{Args, ValueEnum};
use postbop::Lang;
use std::time::Duration;

#[derive(Args, Debug)]
pub(crate) struct Eval {
    /// The formula; `@FILE` reads it from a file
    pub(crate) formula: String,
    /// The transition system (.aut; `-` reads it from standard input), or a program that is one
    pub(crate) model: String,
    #[command(flatten)]
    pub(crate) program: ModelProgram,
    /// The syntax of the formula
    #[arg(long, value_enum, default_value = "either")]
    pub(crate) syntax: MuSyntaxArg,
    /// The state that is asked about, by its number in the model (of a program: as `bop lts` writes it) [default:
    /// the first]
    #[arg(long, value_name = "STATE", conflicts_with_all = ["workers", "hosts"])]
    pub(crate) at: Option<u32>,
    /// Show for every state whether the formula holds there; the answer is that of the first one
    #[arg(long, conflicts_with_all = ["at", "workers", "hosts", "diagnostic", "self_check", "method"])]
    pub(crate) all_states: bool,
    #[command(flatten)]
    pub(crate) resolution: Resolve,
}

#[derive(Args, Debug)]
pub(crate) struct Solve {
    /// The system (.pbes, .txt, .bes, .blk), or a parity game (.pg)
    pub(crate) file: String,
    /// The transition system that a modal system (.blk) is solved on, or a program that is one
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) program: ModelProgram,
    /// The vertex of a parity game that is asked for [default: where it begins, or 0]
    #[arg(long, value_name = "VERTEX")]
    pub(crate) at: Option<u32>,
    /// Write who wins every vertex of a parity game, and how, in PGSolver's format; `-` is standard
    /// output. It is checked
    #[arg(long, value_name = "FILE")]
    pub(crate) solution: Option<String>,
    #[command(flatten)]
    pub(crate) resolution: Resolve,
}

/// How to solve, and what to print.
#[derive(Args, Debug)]
pub(crate) struct Resolve {
    /// The order of exploration
    #[arg(long, value_enum, default_value = "auto", value_name = "M")]
    pub(crate) method: MethodArg,
    /// Write what explains the answer: of a formula, the part of the model (.aut, or `-` for
    /// standard output) or, for another ending, of the equations (.dot: as a boolean graph); it is checked
    #[arg(long, value_name = "FILE")]
    pub(crate) diagnostic: Option<String>,
    /// The name of the internal action in labels (repeatable) [default: i and tau]
    #[arg(long, value_name = "NAME")]
    pub(crate) tau: Vec<String>,
    /// A specification in mCRL2's language: its sorts and functions are those of the formula
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<String>,
    /// Check the explanation of the answer, written or not
    #[arg(long)]
    pub(crate) self_check: bool,
    /// Solve with N threads, in each process if there are several; for systems that are too large
    /// for one machine, or whose equations are costly
    #[arg(long, value_name = "N", conflicts_with = "method",
        value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) workers: Option<u32>,
    /// Solve with the processes whose addresses this file lists, one `host:port` a line; those of
    /// this machine are started
    #[arg(long, value_name = "FILE", conflicts_with = "method")]
    pub(crate) hosts: Option<String>,
    /// Be process I of the list, from 0, and start no other
    #[arg(long, value_name = "I", requires = "hosts")]
    pub(crate) process: Option<u32>,
    /// The secret by which the processes of a run know each other, in a file; or in the environment
    /// variable BOP_SECRET [default on one machine: one of the run's, or of the user's, own]
    #[arg(long, value_name = "FILE", requires = "hosts")]
    pub(crate) secret: Option<String>,
    /// Wait so long for the other processes
    #[arg(long, value_name = "TIME", requires = "hosts", default_value = "10s",
        value_parser = units::duration)]
    pub(crate) wait: Duration,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The form of the answer
    #[arg(long, value_enum, default_value = "text", value_name = "F")]
    pub(crate) format: SolutionFormat,
    /// The answer only, no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum MuSyntaxArg {
    /// mCRL2's if it parses, else CADP's
    Either,
    /// `[true*]<a>true`, `mu X. …`
    Mcrl2,
    /// `< {SEND !v} > true`, `mu X (v:Var := x) . …`
    Cadp,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum MethodArg {
    /// Depth-first, with what the shape of the equations allows
    Auto,
    /// Depth-first
    Dfs,
    /// Breadth-first
    Bfs,
    /// Depth-first, with memory for variables only as long as there is no cycle
    Acyclic,
    /// All equations first, then all values at once
    Global,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum SolutionFormat {
    /// For people
    Text,
    /// Schema `postbop.solution/1`
    Json,
}

/// How a program is read that stands for a model.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Programs as models")]
pub(crate) struct ModelProgram {
    #[command(flatten)]
    pub(crate) view: ProgramView,
    /// The language of the program, where the file's ending does not tell
    #[arg(long, value_parser = lang_words())]
    pub(crate) lang: Option<Lang>,
    /// Where the program starts
    #[arg(long, value_name = "P")]
    pub(crate) entry: Option<String>,
    /// Where functions could not be read, evaluate the formula on the rest
    #[arg(long)]
    pub(crate) allow_incomplete: bool,
    /// The compiler to preprocess with, as `gcc -m32` [default: $CC, or cc]
    #[arg(long, value_name = "CMD")]
    pub(crate) cc: Option<String>,
    /// Flags for the C preprocessor
    #[arg(last = true, value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) flags: Vec<String>,
}

/// What the states of a program are.
#[derive(Args, Debug, Default)]
pub(crate) struct ProgramView {
    /// What the states of a program are [default: data for C and for `bop lts`, else states]
    #[arg(long, value_enum, value_name = "V", help_heading = "Programs as models")]
    pub(crate) view: Option<ViewArg>,
    /// With states: calls that make the stack higher than N frames are not taken
    #[arg(long, value_name = "N", help_heading = "Programs as models")]
    pub(crate) stack_depth: Option<u32>,
    /// With data: labels speak of definitions and expressions, too
    #[arg(long, help_heading = "Programs as models")]
    pub(crate) terms: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ViewArg {
    /// Points; labels say what is tested, assigned and asserted
    Data,
    /// Points with values and stacks
    States,
}

#[derive(Args, Debug)]
pub(crate) struct LtsArgs {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) view: ProgramView,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// No progress, no warnings
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}
