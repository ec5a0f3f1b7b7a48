//! Checks and chores of this workspace. `cargo xtask help` lists them.

// A program for people who develop Postbop: it may talk.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod auto;
mod bench;
mod conversions;
mod experiments;
mod families;
mod files;
mod fuzz;
mod fuzz_c;
mod letters;
mod mutants;
mod papers;
mod rooms;
mod run;
mod sizes;
mod suite_file;
mod unrun;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask TASK

  fuzz-engines [--n N] [--seed S]   compare all engines on N generated programs (20000, from seed 1)
  fuzz-ltl [--n N] [--seed S]       compare all engines with a plain reference on N generated
                                    programs with formulas (5000, from seed 1)
  fuzz-convert [--n N] [--seed S]   compare N generated programs, systems and formulas of each
                                    language with what they become in each other (1000, from seed 1)
  fuzz-convert --corpus             the same for the programs of the corpora
  fuzz-c [--n N] [--seed S] [--profile P] [--shrink K] [--out DIR]
                                    generate N programs in C (1000, from seed 1), run them on every
                                    input, and ask about what happened; failing ones go to DIR, the
                                    first K of each profile made smaller (10). Profiles: integers,
                                    aliases, callbacks, jumps, files, floats, control, misc, all
  mutants prepare [--seed S] [--n N] [--dir DIR] [--crates A,B] [--judges A,B]
  mutants run [--from K] [--to L] [--budget S] [--dir DIR]
  mutants table [--dir DIR]         changes of the sources, drawn by a seed (400, seed 13), that the
                                    tests must notice; `run` goes on where it stopped
  random SEED [PROFILE]             print a generated program: small, medium, large, fancy, calls,
                                    deterministic, model, remopla, pds
  bench [SUITE...]                  run the suites in bench/suites and record the results
  bench --auto [--limit S] [SUITE...]
                                    compare `--engine auto` with each single engine on them; each
                                    run is stopped after S seconds of work (10)
  experiments [--limit S] [FIGURE]  the experiments of [moped §5, §6], Figures 2 to 5, beside ours;
                                    each run is stopped after S seconds (60)
  rooms                             dependencies of the crates and letters of rules against
                                    ARCHITECTURE.md, tests that are not run, and what is too long
  papers                            citations in the sources against docs/papers.bib
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.split_first() {
        Some((&"fuzz-engines", rest)) => fuzz::fuzz_engines(rest),
        Some((&"fuzz-ltl", rest)) => fuzz::fuzz_ltl(rest),
        Some((&"fuzz-convert", rest)) => conversions::fuzz_convert(rest),
        Some((&"fuzz-c", rest)) => fuzz_c::fuzz_c(rest),
        Some((&"mutants", rest)) => mutants::mutants(rest),
        Some((&"random", rest)) => fuzz::random(rest),
        Some((&"bench", rest)) => bench::bench(rest),
        Some((&"experiments", rest)) => experiments::experiments(rest),
        Some((&"rooms", [])) => rooms::check(&root())
            .and_then(|note| Ok(format!("{note}\n{}", unrun::check(&root())?)))
            .and_then(|note| Ok(format!("{note}\n{}", letters::check(&root())?)))
            .and_then(|note| Ok(format!("{note}\n{}", sizes::check(&root())?)))
            .map(|note| println!("{note}")),
        Some((&"papers", [])) => papers::check(&root()).map(|note| println!("{note}")),
        Some((&("help" | "--help" | "-h"), _)) => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!("what shall be done?\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
