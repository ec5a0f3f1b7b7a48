//! Memory, interruption and progress of a run.

use crate::guard;
use check::Progress;
use postbop::Watch;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the process had in memory when somebody looked, and when, in milliseconds since the start.
static RESIDENT: AtomicU64 = AtomicU64::new(0);
static LOOKED: AtomicU64 = AtomicU64::new(0);
/// When the allocator may be asked again to give back what it does not use, likewise.
static TRIM_AGAIN: AtomicU64 = AtomicU64::new(0);
/// The memory limit in bytes; 0: none.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// How often the system is asked while there is plenty, in milliseconds.
const OFTEN: u64 = 4;

/// Tells what the memory limit is.
pub(crate) fn set_memory(limit: Option<u64>) {
    LIMIT.store(limit.unwrap_or(0), Ordering::Relaxed);
}

/// Bytes that the process has in memory, its own program and what solvers hold included; what is allocated and
/// has not been touched does not count. As of some milliseconds ago, or one where memory is scarce: some engines
/// fill megabytes in it.
pub(crate) fn used() -> u64 {
    let now = guard::start().elapsed().as_millis() as u64 + 1;
    let (last, looked) = (RESIDENT.load(Ordering::Relaxed), LOOKED.load(Ordering::Relaxed));
    let limit = LIMIT.load(Ordering::Relaxed);
    let often = match limit {
        0 => OFTEN,
        // It may have been freed since.
        _ if last > limit => 0,
        _ if last > limit / 4 * 3 => 1,
        _ => OFTEN,
    };
    if last > 0 && now.saturating_sub(looked) < often {
        return last;
    }
    LOOKED.store(now, Ordering::Relaxed);
    let mut bytes = memory::resident();
    if limit > 0 && bytes > limit && now >= TRIM_AGAIN.load(Ordering::Relaxed) {
        let start = Instant::now();
        memory::give_back();
        // Where it takes long, it is not all that is done.
        let took = start.elapsed().as_millis() as u64;
        TRIM_AGAIN.store(now + 5 * took, Ordering::Relaxed);
        bytes = memory::resident();
    }
    RESIDENT.store(bytes, Ordering::Relaxed);
    bytes
}

/// The memory limit when none is given: 3/4 of what the machine (or its container) has, so that a
/// run that needs too much ends with an answer and not with a kill. `None` where that is not known.
pub(crate) fn default_memory() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    });
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok());
    let least = [machine, container].into_iter().flatten().min()?;
    Some(least / 4 * 3)
}

/// A watch that signals cancel, with a progress line on a terminal unless `quiet`. Its clock started with the
/// process.
pub(crate) fn watch(quiet: bool) -> (Watch, Line) {
    let shown = !quiet && std::io::stderr().is_terminal();
    let listener = shown.then(|| {
        begin();
        let listener: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(say);
        listener
    });
    let watch = Watch {
        cancel: guard::cancel(),
        memory_probe: Some(used),
        listener,
        start: Some(guard::start()),
        so_far: Arc::default(),
        kept: None,
    };
    (watch, Line(shown))
}

/// The progress line; dropping it removes it from the terminal.
pub(crate) struct Line(bool);

impl Drop for Line {
    fn drop(&mut self) {
        if self.0 {
            clear();
        }
    }
}

/// What the line says, while there is one; whoever draws holds it.
static SAID: Mutex<Option<Said>> = Mutex::new(None);

struct Said {
    text: String,
    drawn: bool,
}

/// Quick answers come without a flicker.
const SILENT: Duration = Duration::from_millis(400);
/// How often the line moves, and how.
const MOVES: Duration = Duration::from_millis(125);
const SPINNER: [char; 8] = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇', '⠏', '⠛'];

fn said() -> MutexGuard<'static, Option<Said>> {
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins the line: it moves whether the work says something or not.
fn begin() {
    *said() = Some(Said { text: "reading".to_owned(), drawn: false });
    // Without a thread there is no line.
    let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(|| {
        std::thread::sleep(SILENT);
        for round in 0.. {
            let mut line = said();
            let Some(said) = line.as_mut() else { return };
            draw(said, SPINNER[round % SPINNER.len()]);
            drop(line);
            std::thread::sleep(MOVES);
        }
    });
}

/// Draws the line. It is shorter than the window, by more than what the terminal shows of Ctrl-C: else that
/// would begin another line.
fn draw(said: &mut Said, spinner: char) {
    let seconds = guard::start().elapsed().as_secs();
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(w, _)| w.0);
    let line = format!("{spinner} {seconds}s {}", said.text);
    let line: String = line.chars().take(usize::from(width.saturating_sub(6))).collect();
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "\r\x1b[2K{line}").and_then(|()| out.flush());
    said.drawn = true;
}

/// Removes the line from the terminal for good, whoever ends the run.
pub(crate) fn clear() {
    if said().take().is_some_and(|said| said.drawn) {
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "\r\x1b[2K").and_then(|()| out.flush());
    }
}

fn say(progress: Progress) {
    let Progress { phase, done, total } = progress;
    let memory = used() >> 20;
    if let Some(said) = said().as_mut() {
        said.text = match total {
            Some(total) => format!("{phase}: {done} of {total}, {memory} MiB"),
            None => format!("{phase}: {done}, {memory} MiB"),
        };
    }
}
