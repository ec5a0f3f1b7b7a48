//! Memory, interruption and progress of a run.

use crate::guard;
use check::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memory_stats::memory_stats;
use mimalloc::MiMalloc;
use postbop::Watch;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Engines allocate side by side: an allocator that counts for all of them in one place makes them wait
/// for each other.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The most that [`used`] has said.
static PEAK: AtomicU64 = AtomicU64::new(0);

/// What [`used`] said last, and when the system was asked, in milliseconds since the start.
static LAST: AtomicU64 = AtomicU64::new(0);
static ASKED: AtomicU64 = AtomicU64::new(0);

/// How often the system is asked, in milliseconds.
const OFTEN: u64 = 2;

/// Bytes of memory that the process really has, its own program included, as of some milliseconds ago; 0 where the
/// system does not tell. What is allocated and has not been touched does not count.
pub(crate) fn used() -> u64 {
    let now = guard::start().elapsed().as_millis() as u64 + 1;
    let asked = ASKED.load(Ordering::Relaxed);
    if asked == 0 || now.saturating_sub(asked) >= OFTEN {
        ASKED.store(now, Ordering::Relaxed);
        let bytes = memory_stats().map_or(0, |stats| stats.physical_mem as u64);
        LAST.store(bytes, Ordering::Relaxed);
        PEAK.fetch_max(bytes, Ordering::Relaxed);
    }
    LAST.load(Ordering::Relaxed)
}

/// The most bytes that were in use when somebody looked.
pub(crate) fn peak_memory() -> u64 {
    used().max(PEAK.load(Ordering::Relaxed))
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
