//! The limits of a verb on the command line.

use crate::args::Verb;
use crate::units;
use clap::Args;
use std::time::Duration;

/// What a run may spend, and what becomes of one that went wrong.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LimitArgs {
    /// Stop after this time (500ms, 60s, 5m, 2h), reading included, and answer `unknown`
    #[arg(long, value_name = "TIME", value_parser = units::duration, help_heading = "Limits")]
    pub(crate) timeout: Option<Duration>,
    /// Stop at this much memory (512M, 4G), in each process, and answer `unknown` [default: 3/4 of
    /// the machine's]. Files of more than 1 GiB are refused in any case
    #[arg(long, value_name = "SIZE", value_parser = units::bytes, help_heading = "Limits")]
    pub(crate) memory: Option<u64>,
    /// If there is an internal error, save the input and the command into this folder, to repeat it
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub(crate) report: Option<String>,
}

impl Verb {
    /// The limits of the verb; none for those that run until they are done.
    pub(crate) fn limits(&self) -> Option<LimitArgs> {
        Some(match self {
            Verb::Check(args) => args.search.limits.clone(),
            Verb::States(args) => args.search.limits.clone(),
            Verb::Post(args) => args.limits.clone(),
            Verb::Pre(args) => args.limits.clone(),
            Verb::Convert(args) => args.limits.clone(),
            Verb::Dump(args) => args.limits.clone(),
            Verb::Replay(args) => args.limits.clone(),
            Verb::Gen(args) => LimitArgs {
                timeout: args.timeout,
                memory: args.memory,
                report: args.report.clone(),
            },
            Verb::Ltl(args) => args.limits.clone(),
            Verb::Eval(args) => args.resolution.limits.clone(),
            Verb::Solve(args) => args.resolution.limits.clone(),
            Verb::Run(args) => args.limits.clone(),
            Verb::Test(args) => args.limits.clone(),
            Verb::Lts(args) => args.limits.clone(),
            Verb::Influence(args) => args.shown.limits.clone(),
            Verb::Annotate(args) => args.shown.limits.clone(),
            // Its tasks have limits of their own.
            Verb::Batch(_) => LimitArgs::default(),
            Verb::Capture(_)
            | Verb::Completions { .. }
            | Verb::Init(_)
            | Verb::Lsp
            | Verb::Man { .. } => return None,
        })
    }
}
