//! Memory, interruption and progress of a run.

use crate::guard;
use check::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use postbop::Watch;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tikv_jemalloc_ctl::{Access, AsName, epoch, stats};
use tikv_jemallocator::Jemalloc;

/// Engines allocate side by side: an allocator that counts for all of them in one place makes them wait
/// for each other.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The most that [`used`] has said.
static PEAK: AtomicU64 = AtomicU64::new(0);

/// What [`used`] said last, and when, in milliseconds since the start.
static LAST: AtomicU64 = AtomicU64::new(0);
static LOOKED: AtomicU64 = AtomicU64::new(0);
/// What the process had in memory, and when the system was asked, likewise.
static RESIDENT: AtomicU64 = AtomicU64::new(0);
static ASKED: AtomicU64 = AtomicU64::new(0);
/// When the allocator gave back last what it does not use, likewise.
static PURGED: AtomicU64 = AtomicU64::new(0);
/// The memory limit in bytes; 0: none.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Tells what the memory limit is.
pub(crate) fn set_memory(limit: Option<u64>) {
    LIMIT.store(limit.unwrap_or(0), Ordering::Relaxed);
}

/// Bytes of memory in use, looked up each millisecond: what is allocated, with what SAT solvers hold (they do
/// not use our allocator), or what the process really has, if that is more.
pub(crate) fn used() -> u64 {
    let now = guard::start().elapsed().as_millis() as u64 + 1;
    if LOOKED.swap(now, Ordering::Relaxed) != now {
        // It adds up what its threads have when it is told to.
        let bytes = epoch::advance().and_then(|_| stats::allocated::read());
        let allocated = bytes.unwrap_or(0) as u64 + postbop::solver_bytes();
        let bytes = allocated.max(resident(allocated, now));
        LAST.store(bytes, Ordering::Relaxed);
        PEAK.fetch_max(bytes, Ordering::Relaxed);
    }
    LAST.load(Ordering::Relaxed)
}

/// Bytes of memory that the process really has: what is allocated and has not been touched does not count.
pub(crate) fn held() -> u64 {
    let used = used();
    match RESIDENT.load(Ordering::Relaxed) {
        0 => used,
        held => held,
    }
}

/// How often the system is asked, and the allocator for what it holds without use, in milliseconds.
const OFTEN: u64 = 4;
const STALE: u64 = 20;

/// What the process has in memory, its own program included, as of some milliseconds ago. Where that is too much, and more
/// than what is allocated, the allocator gives back what it does not use.
fn resident(allocated: u64, now: u64) -> u64 {
    let limit = LIMIT.load(Ordering::Relaxed);
    let last = RESIDENT.load(Ordering::Relaxed);
    // Near the limit each millisecond counts: some engines fill megabytes in it.
    let scarce = limit > 0 && last > limit / 4 * 3;
    if !scarce && now.saturating_sub(ASKED.load(Ordering::Relaxed)) < OFTEN {
        return last;
    }
    ASKED.store(now, Ordering::Relaxed);
    let bytes = given_back(allocated, now, limit);
    RESIDENT.store(bytes, Ordering::Relaxed);
    bytes
}

fn given_back(allocated: u64, now: u64, limit: u64) -> u64 {
    let bytes = in_memory();
    let unused = bytes.saturating_sub(allocated);
    if limit == 0 || bytes <= limit || unused < limit / 50 {
        return bytes;
    }
    if now.saturating_sub(PURGED.load(Ordering::Relaxed)) >= STALE {
        purge();
        PURGED.store(guard::start().elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
    }
    in_memory()
}

/// What the system says that this process has in memory, in bytes; 0 where it does not tell.
fn in_memory() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Lets the allocator give back the pages that it does not use: when they may wait for no time, they go at once.
fn purge() {
    let arenas: u32 = "arenas.narenas\0".name().read().unwrap_or(0);
    for arena in 0..arenas {
        for kind in ["dirty", "muzzy"] {
            let name = format!("arena.{arena}.{kind}_decay_ms\0");
            let before: tikv_jemalloc_ctl::Result<isize> = name.name().read();
            if let Ok(before) = before {
                let _ = name.name().write(0isize);
                let _ = name.name().write(before);
            }
        }
    }
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
