//! Limits and signals, in every phase of every verb.
//!
//! The work is done on a thread of its own, and this one watches it. What can look at a clock does so, and
//! stops by itself with an answer (`check::Budget`); what cannot (a read that blocks, a preprocessor, a parser, a
//! linker) is ended from here soon after: whatever was found so far is said ([`last_word`]), and the process
//! exits. Once the answer is being written nothing ends it any more but a signal.
//!
//! - The time limit counts from the start of the process. It may be exceeded by [`GRACE`].
//! - The memory limit may be exceeded by a twenty-fifth ([`too_much`]).
//! - SIGINT and SIGTERM ask for an end: within [`GRACE`], the answers so far. The second one ends at once.

use crate::exit::Exit;
use crate::{answer, bug, child, io, watch};
use check::StopReason;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What a verb may spend: the limits of the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bounds {
    /// From the start of the process.
    pub(crate) time: Option<Duration>,
    /// Bytes.
    pub(crate) memory: Option<u64>,
}

/// What to do if the work is ended from outside: says what was found, and how to exit.
type LastWord = Box<dyn FnOnce(StopReason) -> Exit + Send>;

/// How much longer than the limit the work may take that stops by itself.
const GRACE: Duration = Duration::from_millis(300);
/// How long an answer that is being written may take after a signal.
const WRITING: Duration = Duration::from_secs(2);
/// How often one looks, and how often where memory is scarce.
const TICK: Duration = Duration::from_millis(10);
const SHORT_TICK: Duration = Duration::from_millis(1);
/// What engines need to stop when memory is out, and to free what they have.
const FREEING: Duration = Duration::from_millis(20);
/// The stack of the thread that works: no smaller than that of a main thread.
const STACK: usize = 16 << 20;

/// Becomes true when somebody asks for an end.
static CANCEL: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// When that was, in milliseconds since the start, plus one.
static CANCELLED: AtomicU64 = AtomicU64::new(0);
static START: LazyLock<Instant> = LazyLock::new(Instant::now);
static LAST_WORD: Mutex<Option<LastWord>> = Mutex::new(None);

/// Who says the answer: nobody yet, the work, or the guard.
static SPEAKER: AtomicU8 = AtomicU8::new(NOBODY);
const NOBODY: u8 = 0;
const WORK: u8 = 1;
const GUARD: u8 = 2;

/// The limit on time, for what waits after the last answer is known.
static LIMIT: OnceLock<Option<Duration>> = OnceLock::new();

/// Until when somebody may wait who writes the answer: a little longer than the limit on time; none without one.
pub(crate) fn patience() -> Option<Instant> {
    const LEAST: Duration = Duration::from_millis(100);
    let limit = LIMIT.get().copied().flatten()?;
    let end = START.checked_add(limit);
    end.map(|end| end.max(Instant::now() + LEAST))
}

/// When the process started.
pub(crate) fn start() -> Instant {
    *START
}

/// The flag that signals set.
pub(crate) fn cancel() -> Arc<AtomicBool> {
    CANCEL.clone()
}

/// What is to be said if the work is ended from outside. Without it, the reason alone.
pub(crate) fn last_word(say: impl FnOnce(StopReason) -> Exit + Send + 'static) {
    *LAST_WORD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(say));
}

/// The work is about to write its answer: limits are over. Does not come back if the guard is saying the last
/// word already.
pub(crate) fn answering() {
    let claimed = SPEAKER.compare_exchange(NOBODY, WORK, Ordering::SeqCst, Ordering::SeqCst);
    if claimed == Err(GUARD) && !ON_GUARD.get() {
        loop {
            std::thread::park();
        }
    }
}

thread_local! {
    /// Whether this is the thread that watches.
    static ON_GUARD: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether the work is ended because of its memory: at once where it has a twenty-fifth more than what engines
/// stop at, and where it has a fortieth more for longer than they need to stop and free what they have.
fn too_much(limit: u64, used: u64, since: Option<Instant>) -> bool {
    let beyond = |part: u64| used > limit.saturating_add(limit / part);
    beyond(25) || beyond(40) && since.is_some_and(|since| since.elapsed() >= FREEING)
}

/// Does the work within its bounds.
pub(crate) fn guarded(bounds: Bounds, work: impl FnOnce() -> ExitCode + Send) -> ExitCode {
    LazyLock::force(&START);
    signals();
    let bounds = Bounds { memory: bounds.memory.or_else(watch::default_memory), ..bounds };
    watch::set_memory(bounds.memory);
    let _ = LIMIT.set(bounds.time);
    ON_GUARD.set(true);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let worker = move || {
            let _ = sender.send(work());
        };
        let builder = std::thread::Builder::new().name("bop".to_owned()).stack_size(STACK);
        if let Err(error) = builder.spawn_scoped(scope, worker) {
            io::complain(&format!("unknown: no thread to work on: {error}"));
            return Exit::Unknown.into();
        }
        let mut tick = TICK;
        let mut over_since = None;
        loop {
            match receiver.recv_timeout(tick) {
                Ok(exit) => return exit,
                // It ended without a word: its panic was not caught.
                Err(RecvTimeoutError::Disconnected) => return Exit::Unknown.into(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let used = watch::used();
            let over = bounds.memory.is_some_and(|limit| used > limit);
            over_since = over.then(|| over_since.unwrap_or_else(Instant::now));
            let scarce = bounds.memory.is_some_and(|limit| used > limit / 4 * 3);
            tick = if scarce { SHORT_TICK } else { TICK };
            if let Some(reason) = overrun(bounds, used, over_since) {
                end(reason);
            }
        }
    })
}

/// Reads what is needed before the work begins, within the limit.
pub(crate) fn reading<T>(limit: Option<Duration>, read: impl FnOnce() -> T) -> T {
    LazyLock::force(&START);
    let (sender, receiver) = mpsc::channel::<()>();
    if let Some(limit) = limit {
        std::thread::spawn(move || {
            if receiver.recv_timeout(limit.saturating_add(GRACE)) == Err(RecvTimeoutError::Timeout)
            {
                end(StopReason::Time { limit });
            }
        });
    }
    let out = read();
    drop(sender);
    out
}

/// Why the work has to be ended from outside, if it has.
fn overrun(bounds: Bounds, used: u64, over_since: Option<Instant>) -> Option<StopReason> {
    let elapsed = START.elapsed();
    let cancelled = CANCELLED.load(Ordering::Relaxed);
    if cancelled > 0 {
        let since = elapsed.saturating_sub(Duration::from_millis(cancelled - 1));
        let writing = SPEAKER.load(Ordering::SeqCst) == WORK;
        return (since >= if writing { WRITING } else { GRACE }).then_some(StopReason::Cancelled);
    }
    if SPEAKER.load(Ordering::SeqCst) == WORK {
        return None;
    }
    match bounds {
        Bounds { time: Some(limit), .. } if elapsed >= limit.saturating_add(GRACE) => {
            Some(StopReason::Time { limit })
        }
        Bounds { memory: Some(limit), .. } if too_much(limit, used, over_since) => {
            Some(StopReason::Memory { limit })
        }
        _ => None,
    }
}

/// Says the last word, unless the work speaks itself, and exits.
fn end(reason: StopReason) {
    child::kill_all();
    match SPEAKER.compare_exchange(NOBODY, GUARD, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => {}
        // It has just begun to write.
        Err(_) if reason != StopReason::Cancelled => return,
        Err(_) => exit(Exit::Unknown),
    }
    watch::clear();
    let say = LAST_WORD.lock().unwrap_or_else(PoisonError::into_inner).take();
    let code = match say {
        Some(say) => say(reason),
        None => {
            io::complain(&format!("unknown: {reason}"));
            answer::wrong(Some(reason.code()), &reason.to_string());
            answer::failed(Exit::Unknown);
            Exit::Unknown
        }
    };
    bug::tell();
    exit(code);
}

/// Ends the process, whatever its other threads do.
fn exit(code: Exit) -> ! {
    watch::clear();
    #[allow(clippy::exit)]
    std::process::exit(code as i32)
}

/// Somebody asks for an end.
fn asked_to_end() {
    if CANCEL.swap(true, Ordering::Relaxed) {
        // The second time: at once.
        child::kill_all();
        exit(Exit::Unknown);
    }
    CANCELLED.store(START.elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
}

/// Waits for signals on a thread of its own. Without it they end the process: no harm done. One that was
/// ignored when the process started (`nohup`) is ignored still.
#[cfg(unix)]
fn signals() {
    use nix::sys::signal::{SigSet, Signal};
    let mut set = SigSet::empty();
    set.add(Signal::SIGINT);
    set.add(Signal::SIGTERM);
    // Threads take over what is blocked; processes that are started do not.
    if set.thread_block().is_err() {
        return;
    }
    let wait = move || {
        while set.wait().is_ok() {
            asked_to_end();
        }
    };
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        let _ = set.thread_unblock();
    }
}

#[cfg(not(unix))]
fn signals() {
    let _ = ctrlc::set_handler(asked_to_end);
}
