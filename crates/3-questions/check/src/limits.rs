//! Limits and cancellation. Running out is an answer, never a crash.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What a run may spend. `None`: without limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Units of work, as the engine counts them ([`Budget::work`]).
    pub steps: Option<u64>,
}

/// How long an engine that was told to stop may take to tell what it has found ([`Budget::grant`]).
pub const MOMENT: Duration = Duration::from_millis(120);

/// Why an engine gave no answer. Names the limit and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StopReason {
    /// Out of time.
    Time {
        /// The limit.
        limit: Duration,
    },
    /// Out of memory.
    Memory {
        /// The limit in bytes.
        limit: u64,
    },
    /// Out of steps.
    Steps {
        /// The limit.
        limit: u64,
    },
    /// Somebody asked to stop.
    Cancelled,
    /// The engine cannot answer this task.
    Unsupported {
        /// What it is about the task.
        what: String,
    },
    /// A part of the program was left out, and the answer depends on it.
    Incomplete {
        /// How much.
        what: String,
    },
    /// All is known of the runs within a bound, and nothing of those beyond it.
    Bound {
        /// Rounds of a loop, and depth of a recursion.
        limit: u32,
    },
    /// The answer depends on what is not modelled exactly.
    Approximate {
        /// What that is.
        what: String,
    },
    /// A check of our own failed: a bug in Postbop.
    Internal {
        /// Which check.
        what: String,
    },
}

impl StopReason {
    /// The word that reports use: `time`, `memory`, `steps`, `cancelled`, `unsupported`,
    /// `incomplete`, `bound`, `approximate`, `internal`.
    pub fn code(&self) -> &'static str {
        match self {
            StopReason::Time { .. } => "time",
            StopReason::Memory { .. } => "memory",
            StopReason::Steps { .. } => "steps",
            StopReason::Cancelled => "cancelled",
            StopReason::Unsupported { .. } => "unsupported",
            StopReason::Incomplete { .. } => "incomplete",
            StopReason::Bound { .. } => "bound",
            StopReason::Approximate { .. } => "approximate",
            StopReason::Internal { .. } => "internal",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Time { limit } => {
                write!(f, "the time limit of {} s was reached", limit.as_secs_f64())
            }
            StopReason::Memory { limit } => {
                write!(f, "the memory limit of {} MiB was reached", limit >> 20)
            }
            StopReason::Steps { limit } => write!(f, "the limit of {limit} steps was reached"),
            StopReason::Cancelled => f.write_str("it was cancelled"),
            StopReason::Unsupported { what } => f.write_str(what),
            StopReason::Incomplete { what } => write!(f, "incomplete: {what}"),
            StopReason::Bound { limit } => {
                let rounds = if *limit == 1 { "round" } else { "rounds" };
                write!(f, "only {limit} {rounds} of loops and recursions were followed")
            }
            StopReason::Approximate { what } => write!(f, "approximate: {what}"),
            StopReason::Internal { what } => write!(f, "internal error, please report it: {what}"),
        }
    }
}

impl std::error::Error for StopReason {}

/// How far an engine has come; shown to people, never interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What it is doing.
    pub phase: &'static str,
    /// How much of it is done.
    pub done: u64,
    /// The whole, if known.
    pub total: Option<u64>,
}

/// Called with the progress of a run.
type Listener = Box<dyn Fn(Progress) + Send + Sync>;

/// The limits of one run, watched. Clones share one account, and the threads of a run share one.
///
/// Engines call [`poll`](Self::poll) at least every few milliseconds, and
/// [`reserve`](Self::reserve) before a table grows.
#[derive(Clone)]
pub struct Budget {
    shared: Arc<Shared>,
    /// Stops this part of the run alone.
    stop: Option<Arc<AtomicBool>>,
    /// Of an attempt: what it has said.
    said: Option<Arc<OnceLock<StopReason>>>,
    /// Of an attempt that is over: until when it may tell what it has found.
    moment: Option<Arc<Moment>>,
    /// Time that is kept back for that.
    kept_back: Duration,
    /// Of an attempt that may have a part of the memory: how much, and what it has.
    own: Option<Arc<(u64, AtomicU64)>>,
}

/// Time to tell what was found.
#[derive(Debug, Default)]
struct Moment {
    /// Until when, in microseconds since the start; 0: not granted.
    until: AtomicU64,
    /// How often it was granted.
    granted: AtomicU64,
}

/// The longest moment where there is no limit on time.
const LONG: Duration = Duration::from_secs(10);

/// How often an attempt is granted a moment: to find out what to tell, and to tell it.
const GRANTS: u64 = 2;

struct Shared {
    limits: Limits,
    /// The limit on time that is named when it is reached: this one may be a part of it.
    told: Option<Duration>,
    start: Instant,
    cancel: Arc<AtomicBool>,
    work: AtomicU64,
    reserved: AtomicU64,
    allocated: Option<fn() -> u64>,
    listener: Option<Listener>,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("limits", &self.limits()).finish_non_exhaustive()
    }
}

impl Budget {
    /// The clock starts now.
    pub fn new(limits: Limits) -> Self {
        let shared = Shared {
            limits,
            told: limits.time,
            start: Instant::now(),
            cancel: Arc::default(),
            work: AtomicU64::new(0),
            reserved: AtomicU64::new(0),
            allocated: None,
            listener: None,
        };
        Budget {
            shared: Arc::new(shared),
            stop: None,
            said: None,
            moment: None,
            kept_back: Duration::ZERO,
            own: None,
        }
    }
    fn configure(&mut self) -> &mut Shared {
        Arc::get_mut(&mut self.shared).expect("a budget is configured before it is shared")
    }
    /// A part of this budget: the same account, which `stop` ends for the part alone.
    pub fn part(&self, stop: Arc<AtomicBool>) -> Self {
        Budget { stop: Some(stop), ..self.clone() }
    }
    /// The same account for one attempt: when [`poll`](Self::poll) has said stop, it goes on saying so,
    /// and why, even if somebody else has given back memory since.
    pub fn attempt(&self) -> Self {
        Budget { said: Some(Arc::default()), moment: Some(Arc::default()), ..self.clone() }
    }
    /// The same for one that may reserve so much memory: it stops as if that were the limit.
    pub fn attempt_within(&self, memory: u64) -> Self {
        Budget { own: Some(Arc::new((memory, AtomicU64::new(0)))), ..self.attempt() }
    }
    /// The same account, of whose time a part is kept back for telling what was found ([`grant`](Self::grant)).
    pub fn keeping_back(&self, time: Duration) -> Self {
        Budget { kept_back: time, ..self.clone() }
    }
    /// Grants a moment more to an [`attempt`](Self::attempt) that was told to stop, to tell what it has found,
    /// or half of what was kept back for that: clones of it that are in use notice. False if nobody wants to know
    /// any more, or if it was no attempt; it is granted twice.
    pub fn grant(&self, moment: Duration) -> bool {
        let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        let Some(slot) = self.moment.as_ref().filter(|_| !stopped) else { return false };
        if slot.granted.fetch_add(1, Ordering::Relaxed) >= GRANTS {
            return false;
        }
        let elapsed = self.shared.start.elapsed();
        // Where time is not what is short, there is more of it.
        let left = self.shared.limits.time.map_or(LONG, |limit| limit.saturating_sub(elapsed));
        let more = match self.shared.cancel.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => self.kept_back.max(left.min(LONG)) / GRANTS as u32,
        };
        let until = elapsed + moment.max(more);
        slot.until.store(until.as_micros() as u64 + 1, Ordering::Relaxed);
        true
    }
    /// Until when it may tell what it has found.
    fn granted(&self) -> Option<u64> {
        let until = self.moment.as_ref()?.until.load(Ordering::Relaxed);
        (until > 0).then_some(until)
    }
    /// Without limits.
    pub fn unlimited() -> Self {
        Self::new(Limits::default())
    }
    /// The clock started then.
    pub fn with_start(mut self, start: Instant) -> Self {
        self.configure().start = start;
        self
    }
    /// The limit on time is what is left of this one, which is named when it is reached.
    pub fn as_part_of(mut self, limits: Limits) -> Self {
        self.configure().told = limits.time;
        self
    }
    /// Stops when `cancel` becomes true.
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.configure().cancel = cancel;
        self
    }
    /// Measures memory by what the whole process has allocated, instead of by what engines
    /// reserve.
    pub fn with_memory_probe(mut self, allocated: fn() -> u64) -> Self {
        self.configure().allocated = Some(allocated);
        self
    }
    /// Hears of progress.
    pub fn with_listener(mut self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.configure().listener = Some(Box::new(listener));
        self
    }
    /// The limits.
    pub fn limits(&self) -> Limits {
        self.shared.limits
    }
    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.shared.start.elapsed()
    }
    /// The flag that cancels the run.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        self.shared.cancel.clone()
    }
    /// The units of work counted so far.
    pub fn spent(&self) -> u64 {
        self.shared.work.load(Ordering::Relaxed)
    }
    /// Counts `amount` units of work, and polls.
    pub fn work(&self, amount: u64) -> Result<(), StopReason> {
        self.shared.work.fetch_add(amount, Ordering::Relaxed);
        self.poll()
    }
    /// Whether to go on.
    pub fn poll(&self) -> Result<(), StopReason> {
        if let Some(until) = self.granted() {
            let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
            return match stopped || self.shared.start.elapsed().as_micros() as u64 >= until {
                true => Err(self.reason()),
                false => self.reserve(0),
            };
        }
        let Some(said) = &self.said else { return self.look() };
        match said.get() {
            Some(reason) => Err(reason.clone()),
            None => self.look().map_err(|reason| said.get_or_init(|| reason).clone()),
        }
    }
    /// Why it was told to stop.
    fn reason(&self) -> StopReason {
        self.said.as_ref().and_then(|said| said.get()).cloned().unwrap_or(StopReason::Cancelled)
    }
    fn look(&self) -> Result<(), StopReason> {
        let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped || self.shared.cancel.load(Ordering::Relaxed) {
            return Err(StopReason::Cancelled);
        }
        if let Some(limit) = self.shared.limits.time
            && self.shared.start.elapsed() + self.kept_back >= limit
        {
            return Err(StopReason::Time { limit: self.shared.told.unwrap_or(limit) });
        }
        if let Some(limit) = self.shared.limits.steps
            && self.shared.work.load(Ordering::Relaxed) > limit
        {
            return Err(StopReason::Steps { limit });
        }
        self.reserve(0)
    }
    /// Asks for `bytes` more memory; keep the account with [`release`](Self::release).
    pub fn reserve(&self, bytes: u64) -> Result<(), StopReason> {
        // Engines side by side poll all the time: one that only reads does not disturb the others.
        let reserved = match bytes {
            0 => self.shared.reserved.load(Ordering::Relaxed),
            _ => self.shared.reserved.fetch_add(bytes, Ordering::Relaxed) + bytes,
        };
        if let Some((limit, reserved)) = self.own.as_deref() {
            let now = reserved.fetch_add(bytes, Ordering::Relaxed) + bytes;
            if now > *limit && self.granted().is_none() {
                self.release(bytes);
                return Err(StopReason::Memory { limit: *limit });
            }
        }
        let Some(limit) = self.shared.limits.memory else { return Ok(()) };
        let used = match self.shared.allocated {
            Some(allocated) => allocated() + bytes,
            None => reserved,
        };
        // What tells of findings takes a little.
        let limit_now =
            if self.granted().is_some() { limit.saturating_add(limit / 32) } else { limit };
        if used > limit_now {
            self.release(bytes);
            return Err(StopReason::Memory { limit });
        }
        Ok(())
    }
    /// How much memory an attempt may reserve, if that is less than there is.
    pub fn own_memory(&self) -> Option<u64> {
        self.own.as_deref().map(|(limit, _)| *limit)
    }
    /// Gives back memory.
    pub fn release(&self, bytes: u64) {
        self.shared.reserved.fetch_sub(bytes, Ordering::Relaxed);
        if let Some((_, reserved)) = self.own.as_deref() {
            reserved.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
    /// Tells the listener, if there is one.
    pub fn report(&self, progress: Progress) {
        if let Some(listener) = &self.shared.listener {
            listener(progress);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_may_have_a_part_of_the_memory() {
        let whole = Budget::new(Limits::default());
        let part = whole.attempt_within(100);
        let other = part.clone();
        assert_eq!((part.reserve(60), other.reserve(40)), (Ok(()), Ok(())));
        let over = Err(StopReason::Memory { limit: 100 });
        assert_eq!((other.reserve(1), whole.reserve(1000)), (over, Ok(())));
        part.release(60);
        assert_eq!(other.reserve(50), Ok(()));
        assert_eq!(whole.attempt_within(100).reserve(90), Ok(()));
    }

    #[test]
    fn a_moment_is_granted_twice_and_ends() {
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let budget = Budget::new(limits);
        assert!(!budget.grant(Duration::from_secs(9)), "it is no attempt");
        let attempt = budget.attempt();
        let clone = attempt.clone();
        let over = Err(StopReason::Time { limit: Duration::ZERO });
        assert_eq!((attempt.poll(), clone.poll()), (over.clone(), over.clone()));
        assert!(attempt.grant(Duration::from_millis(20)));
        assert_eq!((attempt.poll(), clone.poll(), budget.poll()), (Ok(()), Ok(()), over.clone()));
        std::thread::sleep(Duration::from_millis(25));
        assert_eq!((attempt.poll(), clone.poll()), (over.clone(), over.clone()));
        assert!(clone.grant(Duration::from_secs(9)));
        assert_eq!((attempt.poll(), clone.poll()), (Ok(()), Ok(())));
        assert!(!clone.grant(Duration::from_secs(9)));
        // What is kept back is not there for the search, and is there for telling.
        let limits = Limits { time: Some(Duration::from_secs(100)), ..Limits::default() };
        let whole = Budget::new(limits);
        let search = whole.keeping_back(Duration::from_secs(100)).attempt();
        assert!(whole.poll().is_ok() && search.poll().is_err());
        assert!(search.grant(Duration::ZERO) && search.poll().is_ok());
        // Of a race that is over, nobody wants to know.
        let stop = Arc::new(AtomicBool::new(true));
        assert!(!budget.part(stop).attempt().grant(Duration::from_secs(9)));
    }

    #[test]
    fn a_part_names_the_limit_of_the_whole() {
        let whole = Limits { time: Some(Duration::from_secs(7)), ..Limits::default() };
        let rest = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let said = Budget::new(rest).as_part_of(whole).poll();
        assert_eq!(said, Err(StopReason::Time { limit: Duration::from_secs(7) }));
        let early = Instant::now().checked_sub(Duration::from_secs(8)).expect("a late clock");
        assert!(Budget::new(whole).with_start(early).poll().is_err());
    }

    /// Bytes that are in use.
    static USED: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn an_attempt_goes_on_saying_stop() {
        let limits = Limits { memory: Some(10), ..Limits::default() };
        let budget = Budget::new(limits).with_memory_probe(|| USED.load(Ordering::Relaxed));
        let attempt = budget.attempt();
        assert_eq!(attempt.poll(), Ok(()));
        USED.store(11, Ordering::Relaxed);
        let full = Err(StopReason::Memory { limit: 10 });
        assert_eq!((attempt.poll(), budget.poll()), (full.clone(), full.clone()));
        USED.store(1, Ordering::Relaxed);
        assert_eq!((attempt.poll(), attempt.clone().poll()), (full.clone(), full));
        assert_eq!((budget.poll(), budget.attempt().poll()), (Ok(()), Ok(())));
    }
}
