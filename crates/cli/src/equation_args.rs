//! The command line of `bop eval` and `bop solve`.

use crate::args::{LimitArgs, ModelProgram};
use crate::units;
use clap::{Args, ValueEnum};
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
    #[command(flatten)]
    pub(crate) resolution: Resolve,
}

#[derive(Args, Debug)]
pub(crate) struct Solve {
    /// The system (.pbes, .txt, .bes, .blk)
    pub(crate) file: String,
    /// The transition system that a modal system (.blk) is solved on
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
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
    /// standard output) or, for another ending, of the equations; it is checked
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
