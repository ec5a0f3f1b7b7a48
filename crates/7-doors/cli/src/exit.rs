//! The exit codes.

use std::process::ExitCode;

/// How the command ends. A script must never read "unknown" as "safe".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// All hold (or are unreachable), or the work is done.
    Holds = 0,
    /// Something is violated (or reachable).
    Violated = 1,
    /// Bad input or usage.
    Bad = 2,
    /// Nothing is violated, and something is unknown.
    Unknown = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
