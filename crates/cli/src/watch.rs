//! Memory, interruption and progress of a run.

use check::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use postbop::Watch;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tikv_jemalloc_ctl::{epoch, stats};
use tikv_jemallocator::Jemalloc;

/// Engines allocate side by side: an allocator that counts for all of them in one place makes them wait
/// for each other.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The most that [`allocated`] has said.
static PEAK: AtomicU64 = AtomicU64::new(0);

/// What [`allocated`] said last, and when, in milliseconds since the first time.
static LAST: AtomicU64 = AtomicU64::new(0);
static LOOKED: AtomicU64 = AtomicU64::new(0);
static START: OnceLock<Instant> = OnceLock::new();

/// Bytes that are allocated, looked up each millisecond, with what SAT solvers hold: they do not use our
/// allocator.
fn allocated() -> u64 {
    let now = START.get_or_init(Instant::now).elapsed().as_millis() as u64 + 1;
    if LOOKED.load(Ordering::Relaxed) != now {
        LOOKED.store(now, Ordering::Relaxed);
        // It adds up what its threads have when it is told to.
        let bytes = epoch::advance().and_then(|_| stats::allocated::read());
        let bytes = bytes.unwrap_or(0) as u64 + postbop::solver_bytes();
        LAST.store(bytes, Ordering::Relaxed);
        PEAK.fetch_max(bytes, Ordering::Relaxed);
    }
    LAST.load(Ordering::Relaxed)
}

/// The most bytes that were allocated when somebody looked.
pub(crate) fn peak_memory() -> u64 {
    allocated().max(PEAK.load(Ordering::Relaxed))
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

/// A watch that Ctrl-C cancels, with a progress line on a terminal unless `quiet`.
pub(crate) fn watch(quiet: bool) -> (Watch, Line) {
    let cancel: Arc<AtomicBool> = Arc::default();
    let flag = cancel.clone();
    // Without a handler, Ctrl-C ends the process: no harm done.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            // The second time: at once.
            #[allow(clippy::exit)]
            std::process::exit(crate::exit::Exit::Unknown as i32);
        }
    });
    let bar = (!quiet && std::io::stderr().is_terminal()).then(bar);
    let listener = bar.clone().map(|bar| {
        let start = Instant::now();
        let listener: Arc<dyn Fn(Progress) + Send + Sync> =
            Arc::new(move |progress| show(&bar, start, progress));
        listener
    });
    (Watch { cancel, memory_probe: Some(allocated), listener }, Line(bar))
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
    let memory = allocated() >> 20;
    bar.set_message(match total {
        Some(total) => format!("{phase}: {done} of {total}, {memory} MiB"),
        None => format!("{phase}: {done}, {memory} MiB"),
    });
    bar.tick();
}
