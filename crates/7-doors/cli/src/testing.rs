//! `bop test`: inputs that reach every branch, or every line, as a folder of tests.

use crate::args::{Input, LimitArgs};
use crate::emit::write_files;
use crate::exit::Exit;
use crate::verbs::{Failed, limits, program_with};
use crate::{c, io, watch};
use clap::{Args, ValueEnum};
use postbop::{Covered, EngineChoice, Options, Tests};
use std::fmt::Write;
use std::path::Path;

pub(crate) const EXAMPLES: &str = "\
Exit code 0 if every goal is reached or proved to be unreachable, 3 if some are open.

Examples:
  bop test f.c                          inputs for every branch, and how many are reached
  bop test f.c --goal lines --tests T   a folder T with a test for each run; T/run runs all of them
  bop test lib.c --entry parse          start at a function: what it is called with is made, too";

/// What to reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum GoalArg {
    /// Every way that conditions can go
    Branches,
    /// Every line with a statement
    Lines,
}

/// What to test.
#[derive(Args, Debug)]
pub(crate) struct Test {
    #[command(flatten)]
    pub(crate) input: Input,
    /// What the tests are to reach
    #[arg(long, value_enum, default_value = "branches", value_name = "G")]
    pub(crate) goal: GoalArg,
    /// Write the tests below this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) tests: Option<String>,
    /// Rounds of a loop and depth of a recursion; without it, it grows
    #[arg(long, value_name = "K")]
    pub(crate) bound: Option<u32>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// No progress, and no list of what is reached
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Searches, writes the tests, and says what they reach.
pub(crate) fn test(args: &Test) -> Result<Exit, Failed> {
    if !c::is_c(&args.input)? {
        return Err(Failed::from("`bop test` is for C programs".to_owned()));
    }
    let mut options = Options::from(postbop::Input {
        lang: args.input.lang,
        entry: args.input.entry.clone(),
        allow_incomplete: args.input.c.allow_incomplete,
        ..postbop::Input::default()
    });
    options.search.engine = EngineChoice::Bounded;
    options.search.bound = args.bound;
    options.search.limits = limits(&args.limits);
    let (watch, line) = watch::watch(args.quiet);
    let files = program_with(&args.input, true, &mut options, (args.quiet, false))?;
    let coverage = match args.goal {
        GoalArg::Branches => postbop::Coverage::Branches,
        GoalArg::Lines => postbop::Coverage::Lines,
    };
    let tests = postbop::tests(&files, coverage, &options, &watch)?;
    drop(line);
    let page = text(&tests, args);
    if let Some(folder) = &args.tests {
        written(folder, &tests, args)?;
    }
    io::write_to(args.output.as_deref(), |out| out.write_all(page.as_bytes()))?;
    let open = tests.goals.iter().any(|g| g.open.is_some());
    Ok(if open { Exit::Unknown } else { Exit::Holds })
}

fn word(goal: GoalArg) -> &'static str {
    match goal {
        GoalArg::Branches => "branches",
        GoalArg::Lines => "lines",
    }
}

fn counted(tests: &Tests) -> (usize, usize, usize) {
    let count = |of: fn(&Covered) -> bool| tests.goals.iter().filter(|g| of(g)).count();
    (count(|g| g.test.is_some()), count(|g| g.unreachable), count(|g| g.open.is_some()))
}

/// `f.c:7 (in f): x > 3 is false`, without the condition: `f.c:7 f: false`.
fn place(goal: &Covered) -> String {
    let way = if goal.way.is_empty() { String::new() } else { format!(" {}", goal.way) };
    source::one_line(&format!("{}:{}{way} in `{}`", goal.file, goal.line, goal.function))
        .into_owned()
}

fn text(tests: &Tests, args: &Test) -> String {
    let (reached, never, open) = counted(tests);
    let (all, runs) = (tests.goals.len(), tests.tests.len());
    let s = if runs == 1 { "" } else { "s" };
    let percent = (100 * (reached + never)).checked_div(all).unwrap_or(100);
    let mut out = format!(
        "{reached} of {all} {} reached by {runs} test{s}, {never} unreachable, {open} open ({percent} % decided)\n",
        word(args.goal)
    );
    for goal in tests.goals.iter().filter(|g| g.unreachable) {
        let _ = writeln!(out, "unreachable: {}", place(goal));
    }
    for goal in &tests.goals {
        if let Some(reason) = &goal.open {
            let _ = writeln!(out, "open: {} ({})", place(goal), source::one_line(reason));
        }
    }
    if !args.quiet {
        for (i, inputs) in tests.tests.iter().enumerate() {
            let told = render::told_run(inputs).join("; ");
            let told = if told.is_empty() { "no inputs".to_owned() } else { told };
            let goals = tests.goals.iter().filter(|g| g.test == Some(i + 1)).count();
            let word = match (args.goal, goals) {
                (GoalArg::Branches, 1) => "branch",
                (GoalArg::Lines, 1) => "line",
                (goal, _) => word(goal),
            };
            let _ = writeln!(out, "test {}: {goals} {}; {}", i + 1, word, source::one_line(&told));
        }
    }
    out
}

/// The folder: one for each test, the figures, and a script that runs all.
fn written(folder: &str, tests: &Tests, args: &Test) -> Result<(), Failed> {
    let c::Units { texts, model, .. } = c::texts(&args.input)?;
    let to = Path::new(folder);
    for (i, inputs) in tests.tests.iter().enumerate() {
        let files = postbop::test_of_run(inputs, &texts, model);
        write_files(&to.join(format!("test-{:03}", i + 1)), files)?;
    }
    let all = "#!/bin/sh\n# Builds and runs all tests: 0 if and only if each of them runs as it was found.\n\
               cd \"$(dirname \"$0\")\" || exit 2\nfailed=0\n\
               for t in test-*; do \"$t/run\" || { echo \"$t failed\"; failed=1; }; done\nexit $failed\n";
    let file = |name: &str, text: String, executable| postbop::TestFile {
        name: name.to_owned(),
        text,
        executable,
    };
    let figures = text(tests, args);
    write_files(to, vec![file("run", all.to_owned(), true), file("coverage.txt", figures, false)])
}
