//! Processes that read for us: preprocessors. They end when we do.

use crate::io::{self, MAX_BYTES};
use postbop::preprocess::{Invocation, Outcome};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The processes that run, by their numbers; each leads a group of its own. None: no more are started.
static RUNNING: Mutex<Option<Vec<u32>>> = Mutex::new(Some(Vec::new()));

fn running() -> MutexGuard<'static, Option<Vec<u32>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command, with a text on its standard input if there is one, and waits for it. One that prints more
/// than a file may have is ended.
pub(crate) fn run(invocation: &Invocation, text: Option<&str>) -> std::io::Result<Outcome> {
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(if text.is_some() { Stdio::piped() } else { Stdio::null() });
    if let Some(directory) = &invocation.directory {
        command.current_dir(directory);
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    let mut child = start(&mut command)?;
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let (stdout, stderr) = std::thread::scope(|scope| {
        let told = scope.spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.map(|pipe| pipe.take(MAX_BYTES).read_to_end(&mut bytes));
            bytes
        });
        scope.spawn(move || {
            // A preprocessor that stops early has said why.
            let _ = stdin.zip(text).map(|(mut pipe, text)| pipe.write_all(text.as_bytes()));
        });
        let mut bytes = Vec::new();
        let pipe = child.stdout.take();
        let read = pipe.map_or(Ok(0), |pipe| pipe.take(MAX_BYTES + 1).read_to_end(&mut bytes));
        // Whoever waits for its input or its errors has to be told.
        if bytes.len() as u64 > MAX_BYTES || read.is_err() {
            kill(child.id());
        }
        (read.map(|_| bytes), told.join().unwrap_or_default())
    });
    let status = child.wait();
    if let Some(list) = running().as_mut() {
        list.retain(|&id| id != child.id());
    }
    let (stdout, status) = (stdout?, status?);
    if stdout.len() as u64 > MAX_BYTES {
        let what = format!("it printed more than {}", io::size(MAX_BYTES));
        return Ok(Outcome { success: false, stdout: Vec::new(), stderr: what.into_bytes() });
    }
    Ok(Outcome { success: status.success(), stdout, stderr })
}

/// Starts it and notes that, unless everything ends.
fn start(command: &mut Command) -> std::io::Result<Child> {
    let mut list = running();
    let Some(list) = list.as_mut() else {
        return Err(std::io::Error::other("everything is ended"));
    };
    let child = command.spawn()?;
    list.push(child.id());
    Ok(child)
}

/// Ends all that run, with what they have started, and lets no more start.
pub(crate) fn kill_all() {
    for id in running().take().unwrap_or_default() {
        kill(id);
    }
}

#[cfg(unix)]
fn kill(group: u32) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(group) = i32::try_from(group) {
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill(_: u32) {}
