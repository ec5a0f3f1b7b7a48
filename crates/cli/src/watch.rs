//! Memory, interruption and progress of a run.

use crate::guard;
use check::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use postbop::Watch;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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
    let bar = (!quiet && std::io::stderr().is_terminal()).then(bar);
    let listener = bar.clone().map(|bar| {
        let start = Instant::now();
        let listener: Arc<dyn Fn(Progress) + Send + Sync> =
            Arc::new(move |progress| show(&bar, start, progress));
        listener
    });
    let watch = Watch {
        cancel: guard::cancel(),
        memory_probe: Some(used),
        listener,
        start: Some(guard::start()),
        so_far: Arc::default(),
    };
    (watch, Line(bar))
}

/// The progress line; dropping it removes it from the terminal.
pub(crate) struct Line(Option<ProgressBar>);

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// Quick answers come without a flicker.
const SILENT: Duration = Duration::from_millis(400);

fn show(bar: &ProgressBar, start: Instant, progress: Progress) {
    if start.elapsed() < SILENT {
        return;
    }
    let Progress { phase, done, total } = progress;
    let memory = used() >> 20;
    bar.set_message(match total {
        Some(total) => format!("{phase}: {done} of {total}, {memory} MiB"),
        None => format!("{phase}: {done}, {memory} MiB"),
    });
    bar.tick();
}
