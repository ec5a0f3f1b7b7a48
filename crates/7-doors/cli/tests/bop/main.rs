//! Runs the built command.
//! Where a tool is missing, tests say that they skip.
#![allow(clippy::print_stderr)]

mod bounded;
mod c;
mod cache;
mod check;
mod circuits;
mod clauses;
mod determinism;
mod entries;
mod equations;
mod errors;
mod formats;
mod holds;
#[cfg(unix)]
mod hostile;
mod influence;
mod inputs;
mod kept;
mod languages;
mod large;
mod limits;
#[cfg(unix)]
mod lsp;
mod missed;
mod models;
mod noise;
mod operations;
mod oracle;
mod order_of_calls;
mod people;
mod projects;
mod proved;
mod recursion;
mod rules;
mod running;
mod sat;
mod stacks;
mod temporal;
mod termination;
mod verbs;
mod workers;

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// What a run of `bop` gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Its output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }
    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }
}

/// Runs `bop` with the arguments, in the workspace's root.
pub(crate) fn bop(args: &[&str]) -> Ran {
    bop_with(args, "")
}

/// Likewise, with text on standard input.
pub(crate) fn bop_with(args: &[&str], input: &str) -> Ran {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built");
    // A command that refuses its arguments reads nothing.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    let done = child.wait_with_output().expect("it runs");
    Ran {
        code: done.status.code().expect("no signal ended it"),
        out: String::from_utf8(done.stdout).expect("it writes UTF-8"),
        err: String::from_utf8(done.stderr).expect("it writes UTF-8"),
    }
}

/// The command, not started yet.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bop"));
    command.args(args).current_dir(root());
    command
}

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// A file that is removed at the end of the test.
pub(crate) struct TempFile(PathBuf);

impl TempFile {
    pub(crate) fn new(name: &str, content: impl AsRef<[u8]>) -> TempFile {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let unique = format!("bop-test-{}-{number}-{name}", std::process::id());
        let path = std::env::temp_dir().join(unique);
        std::fs::write(&path, content).expect("the temporary directory can be written");
        TempFile(path)
    }
    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("the temporary directory's name is UTF-8")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
