//! The command `bop`.
//!
//! ```text
//! bop check examples/fig1.bp --reach R
//! ```
//!
//! Parsing the command line (`args`) does nothing but validate; each verb (`verbs`) reads its
//! files, calls the facade and writes the page; `exit` holds the exit codes. Not for use as a
//! library: that is the crate `postbop`.

mod args;
mod bug;
mod c;
mod capture;
mod child;
mod emit;
mod exit;
mod guard;
mod influence;
mod io;
mod limit_args;
mod private;
mod run;
mod solving;
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
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // What is wrong is said in words of the command line, which can be names of files.
            if error.use_stderr() {
                let calm = std::env::args_os()
                    .map(|word| source::one_line(&word.to_string_lossy()).into_owned());
                let error = args::Cli::try_parse_from(calm).err().unwrap_or(error);
                io::complain_in_full(error.render().to_string().trim_end());
                return Exit::Bad.into();
            }
            let _ = error.print();
            return Exit::Holds.into();
        }
    };
    let work = |verb| {
        std::panic::catch_unwind(|| verbs::run(verb)).unwrap_or_else(|_| {
            io::complain("unknown: internal error, please report it");
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
