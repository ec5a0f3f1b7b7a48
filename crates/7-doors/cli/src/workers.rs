//! `--workers` and `--hosts`: the processes of a run.

use crate::args::Resolve;
use crate::verbs::Failed;
use crate::{io, private, watch};
use equations::{Hosts, LEAST_SECRET, Meeting, Secret, Workers};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// The processes that this one has started.
pub(crate) struct Started {
    children: Arc<Mutex<Vec<Process>>>,
    /// The run's secret, if they cannot find it themselves.
    secret: Option<String>,
}

struct Process {
    process: usize,
    address: String,
    child: Child,
    /// What it says on standard error.
    says: Option<JoinHandle<String>>,
}

/// The workers that the command line asks for, and the processes that were started for it. `names`
/// are the files to read; `memory` is set to this process's part of the machine's.
pub(crate) fn workers(
    args: &Resolve,
    names: &[&str],
    memory: &mut Option<u64>,
) -> Result<Option<(Workers, Started)>, Failed> {
    let threads = args.workers.unwrap_or(1);
    let Some(file) = &args.hosts else {
        return Ok(args.workers.map(|threads| {
            let workers = Workers { threads: threads as usize, meeting: None };
            (workers, Started { children: Arc::default(), secret: None })
        }));
    };
    if names.contains(&"-") {
        let what = "standard input cannot be read by several processes: name a file";
        return Err(Failed::from(what.to_owned()));
    }
    let hosts = Hosts::parse(&io::text(file)?).map_err(|e| format!("{file}: {e}"))?;
    let processes = hosts.addresses().len();
    let (process, others) = match args.process {
        Some(process) => (process as usize, Vec::new()),
        None => match hosts.local().split_first() {
            Some((first, others)) => (*first, others.to_vec()),
            None => {
                let what = format!("{file}: no address is one of this machine");
                return Err(Failed::from(what));
            }
        },
    };
    if process >= processes {
        let what = format!("{file}: there is no process {process}: {processes} are listed, from 0");
        return Err(Failed::from(what));
    }
    // Processes of one machine share its memory.
    if args.limits.memory.is_none() {
        *memory = watch::default_memory().map(|all| all / (1 + others.len() as u64));
    }
    let alone = 1 + others.len() == processes;
    let (secret, handed_on) = secret(args, &hosts, alone)?;
    let started = Started { children: Arc::default(), secret: handed_on };
    for process in others {
        let address = hosts.addresses()[process].clone();
        started.start(process, address, *memory)?;
    }
    let children = started.children.clone();
    let go_on = Arc::new(move || lock(&children).iter_mut().all(|one| !one.has_ended()));
    let patience = args.wait;
    let strangers = Arc::new(move |what: &str| {
        io::complain(&format!("note: process {process}: {what}"));
    });
    let meeting = Meeting { hosts, process, secret, patience, go_on, strangers };
    Ok(Some((Workers { threads: threads as usize, meeting: Some(meeting) }, started)))
}

/// The environment variable with the secret.
const SECRET: &str = "BOP_SECRET";

/// The secret of the run, and whether processes that are started are to be told: `--secret`, the
/// environment, one for this run if all its processes are `alone` here, or the user's own if all
/// addresses are of this machine.
fn secret(args: &Resolve, hosts: &Hosts, alone: bool) -> Result<(Secret, Option<String>), Failed> {
    let short = |what: &str| {
        let what = format!("{what} is too short: a secret has {LEAST_SECRET} bytes or more");
        Failed::from(what)
    };
    if let Some(file) = &args.secret {
        let bytes = io::contents(file)?;
        let secret = Secret::new(bytes.trim_ascii_end());
        if private::is_open(Path::new(file)) {
            let file = source::one_line(file);
            io::complain(&format!("note: others can read the secret in `{file}` (chmod 600)"));
        }
        return Ok((secret.ok_or_else(|| short(&format!("the secret in `{file}`")))?, None));
    }
    if let Some(text) = std::env::var_os(SECRET) {
        let secret = Secret::new(text.as_encoded_bytes().trim_ascii_end());
        return Ok((secret.ok_or_else(|| short(&format!("what {SECRET} holds")))?, None));
    }
    if alone {
        let drawn = Secret::random().map_err(|e| format!("there is no randomness: {e}"))?;
        let digits = String::from_utf8_lossy(drawn.bytes()).into_owned();
        return Ok((drawn, Some(digits)));
    }
    let needed = "the processes of a run know each other by a secret: give all of them the same one, \
                  of 16 bytes or more, with `--secret FILE` or in the environment variable BOP_SECRET";
    if !hosts.all_loopback() {
        return Err(Failed::from(needed.to_owned()));
    }
    match private::own_secret() {
        Ok(bytes) => {
            let secret = Secret::new(bytes.trim_ascii_end());
            Ok((secret.ok_or_else(|| short("the user's own secret"))?, None))
        }
        Err(why) => Err(Failed::from(format!("{needed} ({why})"))),
    }
}

fn lock(children: &Mutex<Vec<Process>>) -> MutexGuard<'_, Vec<Process>> {
    children.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

/// A process that is done ends soon; one that does not is ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is shown of what a process says.
const SHOWN: usize = 2000;

impl Started {
    /// Starts this program once more, as another process of the run.
    fn start(&self, process: usize, address: String, memory: Option<u64>) -> Result<(), Failed> {
        let cannot = |e: std::io::Error| format!("cannot start process {process}: {e}");
        let mut command = Command::new(std::env::current_exe().map_err(cannot)?);
        command.args(std::env::args_os().skip(1));
        command.args(["--process", &process.to_string()]);
        if let Some(memory) = memory
            && !std::env::args().any(|arg| arg == "--memory" || arg.starts_with("--memory="))
        {
            command.args(["--memory", &memory.to_string()]);
        }
        if let Some(secret) = &self.secret {
            command.env(SECRET, secret);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(cannot)?;
        let says = child.stderr.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = pipe.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).trim().to_owned()
            })
        });
        lock(&self.children).push(Process { process, address, child, says });
        Ok(())
    }

    /// Waits for the processes; after a failure, says what those said that failed on their own.
    pub(crate) fn end(self, failed: bool) {
        let since = Instant::now();
        let mut children = std::mem::take(&mut *lock(&self.children));
        for one in &mut children {
            while !one.has_ended() && since.elapsed() < PATIENCE {
                sleep(Duration::from_millis(5));
            }
            reap(one);
            let says = one.says.take().and_then(|says| says.join().ok()).unwrap_or_default();
            // What it heard from this process is no news.
            let echo = says.contains(" stopped: ") || says.contains(" is lost: ");
            if failed && !says.is_empty() && !echo {
                let says: String = says.chars().take(SHOWN).collect();
                let (process, address) = (one.process, &one.address);
                let what = format!("note: process {process} ({address}) said: {says}");
                io::complain_in_full(&what);
            }
        }
    }
}

/// Ends a process, unless it has ended, and takes note of that.
fn reap(one: &mut Process) {
    if !one.has_ended() {
        let _ = one.child.kill();
    }
    let _ = one.child.wait();
}

/// Whatever happens, no process is left behind.
impl Drop for Started {
    fn drop(&mut self) {
        lock(&self.children).iter_mut().for_each(reap);
    }
}
