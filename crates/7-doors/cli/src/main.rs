//! The command `bop`.
//!
//! ```text
//! bop check examples/fig1.bp --reach R
//! ```
//!
//! Parsing the command line (`args`) does nothing but validate; each verb (`verbs`) reads its
//! files, calls the facade and writes the page; `exit` holds the exit codes. Not for use as a
//! library: that is the crate `postbop`.

mod answer;
mod args;
mod automata;
mod batch;
mod bug;
mod c;
mod cache;
mod capture;
mod child;
mod config;
mod emit;
mod exit;
mod exporting;
mod guard;
mod influence;
mod io;
mod limit_args;
mod lsp;
mod man;
mod paint;
mod private;
mod run;
mod seen;
mod solving;
mod testing;
mod units;
mod verbs;
mod watch;
mod workers;

use clap::Parser;
use exit::Exit;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// Where the last panic happened.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

fn main() -> ExitCode {
    // A panic is answered for by whoever catches it; the hook keeps the place for the report.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
    if let Some(code) = capture::wrapped() {
        return ExitCode::from(code as u8);
    }
    let cli = match command_line() {
        Ok(cli) => cli,
        Err(exit) => return exit.into(),
    };
    if cli.verb.in_json() {
        answer::in_json();
    }
    let work = |verb| {
        std::panic::catch_unwind(|| verbs::run(verb)).unwrap_or_else(|_| {
            io::complain("unknown: internal error, please report it");
            answer::wrong(Some("internal"), "internal error, please report it");
            answer::failed(Exit::Unknown);
            bug::seen();
            Exit::Unknown.into()
        })
    };
    let exit = match cli.verb.limits() {
        Some(limits) => {
            let bounds = guard::Bounds { time: limits.timeout, memory: limits.memory };
            if let Some(folder) = &limits.report {
                bug::keep(folder);
            }
            guard::guarded(bounds, || work(cli.verb))
        }
        None => work(cli.verb),
    };
    if let Some(place) = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take() {
        io::complain(&format!("note: the internal error arose at {place}"));
        bug::seen();
    }
    bug::tell();
    exit
}

/// What is wanted: the command line, and for `bop check` what a `bop.toml` says.
fn command_line() -> Result<args::Cli, Exit> {
    let words: Vec<_> = std::env::args_os().collect();
    let cli = parsed(&words)?;
    if !matches!(cli.verb, args::Verb::Check(_)) {
        return Ok(cli);
    }
    if cli.verb.in_json() {
        answer::in_json();
    }
    // A file that is named may be one that never ends.
    let limit = cli.verb.limits().and_then(|limits| limits.timeout);
    match guard::reading(limit, || config::with_settings(&words)) {
        Ok(None) => Ok(cli),
        Ok(Some(words)) => parsed(&words),
        Err(config::Refused) => {
            answer::failed(Exit::Bad);
            Err(Exit::Bad)
        }
    }
}

/// The words as the parser reads them; what is wrong with them is told.
fn parsed(words: &[std::ffi::OsString]) -> Result<args::Cli, Exit> {
    let error = match args::Cli::try_parse_from(words) {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    if !error.use_stderr() {
        let _ = error.print();
        return Err(Exit::Holds);
    }
    // What is wrong is said in words of the command line, which can be names of files.
    let calm = words.iter().map(|word| source::one_line(&word.to_string_lossy()).into_owned());
    let error = args::Cli::try_parse_from(calm).err().unwrap_or(error);
    let text = error.render().to_string();
    io::complain_in_full(text.trim_end());
    if args::asks_for_json(words.iter().skip(1).cloned()) {
        answer::in_json();
        answer::wrong_usage(&text);
        answer::failed(Exit::Bad);
    }
    Err(Exit::Bad)
}
