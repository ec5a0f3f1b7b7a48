//! `bop.toml`, `bop init` and `bop batch` on the command line.

use clap::{Args, ValueEnum};

/// Where settings come from.
#[derive(Args, Debug)]
#[command(next_help_heading = "Settings")]
pub(crate) struct ConfigArgs {
    /// Read settings from this file, and trust it [default: `bop.toml` in this folder or above, which can run
    /// nothing and write nothing]. Flags of the command line win
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// Read no settings
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
}

pub(crate) const INIT_EXAMPLES: &str = "\
It looks for compile_commands.json, CMakeLists.txt, meson.build, Makefiles and sources, runs nothing, and
writes a bop.toml with remarks. `bop check` alone does then what the file says.

Examples:
  bop init                              for the project in this folder
  bop init ../project --force           anew";

/// `bop init`.
#[derive(Args, Debug)]
pub(crate) struct Init {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: String,
    /// Write it even if there is one
    #[arg(long)]
    pub(crate) force: bool,
    /// Write to standard output instead
    #[arg(long, conflicts_with = "force")]
    pub(crate) dry_run: bool,
}

pub(crate) const BATCH_EXAMPLES: &str = "\
The file says which programs and which questions; each program is asked each question by a process of its own:
  [[task]]
  files = [\"corpus/*.bp\"]               each file is a program; `programs` lists programs of several files
  ask = [\"--assert\", \"--reach ERROR\"]    questions, with the flags of `bop check`
  options = \"--timeout 60s\"             for all of them
Results go to the folder `results` beside the file, one JSON report each; what is there already, of the same
files, question and version, is not asked again.

Exit codes: 0 all hold, 1 some violated, 2 some were refused, 3 none of these and some unknown.

Examples:
  bop batch nightly.toml
  bop batch nightly.toml --format json  a line for each task, as they are done
  bop batch nightly.toml --emit-tasks slurm > nightly.sh
  bop batch nightly.toml --emit-tasks hq > nightly.sh
  bop batch nightly.toml --task 3       that task alone";

/// `bop batch`.
#[derive(Args, Debug)]
pub(crate) struct Batch {
    /// The programs and the questions
    #[arg(value_name = "FILE.toml")]
    pub(crate) file: String,
    /// How many at once [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub(crate) jobs: Option<u32>,
    /// Where results go [default: `results` beside the file]
    #[arg(long, value_name = "DIR")]
    pub(crate) results: Option<String>,
    /// Ask again what was answered
    #[arg(long)]
    pub(crate) again: bool,
    /// Only the task with this number, from 0
    #[arg(long, value_name = "N")]
    pub(crate) task: Option<usize>,
    /// Write a script for a scheduler instead, which asks each question as a task of its own
    #[arg(long, value_enum, value_name = "FOR", conflicts_with_all = ["task", "again", "jobs"])]
    pub(crate) emit_tasks: Option<EmitTasks>,
    /// The form of the summary
    #[arg(long, value_enum, default_value = "text", value_name = "F")]
    pub(crate) format: BatchFormat,
    /// No progress, and no table: the counts alone
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// For whom tasks are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum EmitTasks {
    /// One command a line, for `xargs` or GNU parallel
    Lines,
    /// A job array of Slurm
    Slurm,
    /// A task array of HyperQueue
    Hq,
}

/// How a batch is summed up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum BatchFormat {
    /// A table
    Text,
    /// A line of JSON for each task, as it is done
    Json,
}
