//! The threads of a process, and how a run ends.

use crate::board::{Board, Partition};
use crate::cluster::Cluster;
use crate::demand::Demand;
use crate::flow;
use crate::member::{Ended, Member};
use crate::parted::{Parted, WHOLE};
use crate::portable::Portable;
use bes::cadp::{Parts, Text};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use timely::WorkerConfig;
use timely::communication::{Allocator, AllocatorBuilder, initialize_from};
use timely::worker::Worker;

pub use bes::Progress;

/// Called often, by any thread, with the progress of this process; an error is the reason to stop.
pub type Watch = Arc<dyn Fn(&Progress) -> Result<(), String> + Send + Sync>;

/// Who works: so many threads in this process, and perhaps other processes.
#[derive(Debug)]
pub struct Crew {
    /// Workers of this process; every process has the same number.
    pub threads: usize,
    /// The other processes.
    pub cluster: Option<Cluster>,
}

impl Crew {
    /// Threads of this process alone.
    pub fn threads(threads: usize) -> Crew {
        Crew { threads, cluster: None }
    }

    /// Worker numbers of this process and the number of all workers.
    fn numbers(&self) -> (std::ops::Range<u32>, u32) {
        let (me, processes) = self.cluster.as_ref().map_or((0, 1), |c| (c.me(), c.processes()));
        let threads = self.threads as u32;
        (me as u32 * threads..(me as u32 + 1) * threads, processes as u32 * threads)
    }
}

/// The answer; the same in every process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The value of the variable asked for.
    pub value: bool,
    /// Equations looked at, by all workers. What is explored before the answer is known differs from
    /// run to run.
    pub variables: u64,
    /// Operands of these.
    pub dependencies: u64,
    /// All workers.
    pub workers: usize,
    /// Processes.
    pub processes: usize,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The watch said stop, for this reason.
    #[error("{0}")]
    Stopped(String),
    /// The watch of another process said stop.
    #[error("process {process} ({address}) stopped: {reason}")]
    StoppedElsewhere {
        /// The process.
        process: usize,
        /// Its address.
        address: String,
        /// What it said.
        reason: String,
    },
    /// A process died, or cannot be reached any more.
    #[error("process {process} ({address}) is lost: {why}")]
    Lost {
        /// The process.
        process: usize,
        /// Its address.
        address: String,
        /// How that was noticed.
        why: String,
    },
    /// The system could not give an equation.
    #[error("{0}")]
    System(String),
    /// The system cannot be read in parts.
    #[error("the system cannot be read in parts")]
    Whole,
    /// A check of our own failed.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

/// Whether a run goes on, in this process.
#[derive(Default, Debug)]
pub(crate) struct Fate {
    pub(crate) stop: Arc<AtomicBool>,
    failure: Mutex<Option<Failure>>,
    /// All workers of this process have the answer.
    finished: AtomicBool,
}

impl Fate {
    /// Ends the run, unless it has ended. The first reason counts.
    pub(crate) fn halt(&self, failure: Failure) {
        if !self.finished() {
            lock(&self.failure).get_or_insert(failure);
            self.stop.store(true, Ordering::SeqCst);
        }
    }

    pub(crate) fn halted(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    pub(crate) fn finished(&self) -> bool {
        self.finished.load(Ordering::SeqCst)
    }

    pub(crate) fn failure(&self) -> Option<Failure> {
        lock(&self.failure).clone()
    }
}

/// What the threads of a process share.
pub(crate) struct Shared {
    watch: Watch,
    /// Variables, dependencies and bytes of each worker.
    counts: Vec<[AtomicU64; 3]>,
    first: u32,
    /// How often somebody asked whether to go on.
    asked: AtomicU32,
    fate: Arc<Fate>,
    /// Workers that are at the end, and a bell for those who wait for the others.
    left: Mutex<usize>,
    bell: Condvar,
}

impl Shared {
    fn new(watch: Watch, first: u32, threads: usize, fate: Arc<Fate>) -> Shared {
        Shared {
            watch,
            counts: (0..threads).map(|_| [const { AtomicU64::new(0) }; 3]).collect(),
            first,
            asked: AtomicU32::new(0),
            fate,
            left: Mutex::new(0),
            bell: Condvar::new(),
        }
    }

    /// A worker tells how far it is.
    pub(crate) fn note(&self, worker: u32, variables: u64, dependencies: u64, bytes: u64) {
        if let Some(counts) = self.counts.get((worker - self.first) as usize) {
            for (count, value) in counts.iter().zip([variables, dependencies, bytes]) {
                count.store(value, Ordering::Relaxed);
            }
        }
    }

    /// Asks the watch; a run that is to stop stops.
    pub(crate) fn go_on(&self) -> bool {
        if self.fate.halted() {
            return false;
        }
        // Messages come in small batches, and the clock is not cheap.
        if !self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(SELDOM) {
            return true;
        }
        let sum = |i: usize| self.counts.iter().map(|c| c[i].load(Ordering::Relaxed)).sum();
        let progress = Progress { variables: sum(0), dependencies: sum(1), bytes: sum(2) };
        match (self.watch)(&progress) {
            Ok(()) => true,
            Err(reason) => {
                self.fate.halt(Failure::Stopped(reason));
                false
            }
        }
    }

    /// A worker steps no more; comes back when all do. Channels are taken down after that: a worker
    /// that steps when another is gone would trip over it.
    fn leave(&self) {
        let mut left = lock(&self.left);
        *left += 1;
        self.bell.notify_all();
        while *left < self.counts.len() {
            left = self.bell.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value of a system's first variable. There is one replica for each thread of this process; all
/// processes have replicas of the same system.
pub fn solve<S>(replicas: Vec<S>, crew: Crew, watch: Watch) -> Result<Found, Failure>
where
    S: Portable + Send + 'static,
    S::Error: Display,
{
    if replicas.len() != crew.threads {
        return Err(Failure::Internal("there is one replica for each thread".to_owned()));
    }
    let (mine, peers) = crew.numbers();
    let members = mine.zip(replicas).map(|(me, system)| {
        let member: Recipe = Box::new(move || {
            let board = Board::new(Partition { me, peers });
            Member::new(board, Demand::new(system, me, peers))
        });
        member
    });
    run(members.collect(), crew, watch)
}

/// The same for a system in CADP's format: every worker reads a part of it. [`Failure::Whole`] if that cannot be.
pub fn solve_parts(
    text: &Arc<dyn Text + Send>,
    parts: Parts,
    crew: Crew,
    watch: Watch,
) -> Result<Found, Failure> {
    let (mine, peers) = crew.numbers();
    let parts = Arc::new(parts);
    let members = mine.map(|me| {
        let (text, parts) = (text.clone(), parts.clone());
        let member: Recipe = Box::new(move || {
            let board = Board::new(Partition { me, peers });
            Member::new(board, Parted::new(text, parts, me, peers))
        });
        member
    });
    run(members.collect(), crew, watch)
}

/// The watch is asked every so many times.
const SELDOM: u32 = 32;

/// How long a worker sleeps when nothing happens: limits and other processes are looked after.
const NAP: Duration = Duration::from_millis(20);

/// Makes a member on the thread that it works on.
type Recipe = Box<dyn FnOnce() -> Member + Send>;

fn run(members: Vec<Recipe>, crew: Crew, watch: Watch) -> Result<Found, Failure> {
    let (mine, peers) = crew.numbers();
    if members.is_empty() {
        return Err(Failure::Internal("there are no workers".to_owned()));
    }
    let processes = crew.cluster.as_ref().map_or(1, Cluster::processes);
    let fate = crew.cluster.as_ref().map_or_else(Arc::default, |cluster| cluster.fate().clone());
    let shared = Arc::new(Shared::new(watch, mine.start, members.len(), fate));
    let (builders, guard) = match crew.cluster {
        None => {
            let config = match members.len() {
                1 => timely::CommunicationConfig::Thread,
                threads => timely::CommunicationConfig::Process(threads),
            };
            let (builders, _) = config.try_build().map_err(Failure::Internal)?;
            (builders, None)
        }
        Some(cluster) => {
            let (builders, guard) =
                cluster.start(crew.threads).map_err(|e| Failure::Internal(e.to_string()))?;
            (builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Some(guard))
        }
    };
    // Each thread takes its member.
    let members: Vec<_> = members.into_iter().map(|member| Mutex::new(Some(member))).collect();
    let common = shared.clone();
    let first = mine.start as usize;
    let threads = initialize_from(builders, Box::new(()), move |allocator| {
        let slot = members.get(allocator.index() - first);
        let member = slot.and_then(|member| lock(member).take());
        worker(member, allocator, &common)
    });
    let ended: Vec<Option<(Ended, u64, u64)>> = match threads {
        Ok(threads) => threads.join().into_iter().map(|ended| ended.ok().flatten()).collect(),
        Err(why) => {
            shared.fate.halt(Failure::Internal(why));
            Vec::new()
        }
    };
    let outcome = outcome(&ended, &shared);
    if let Some(guard) = guard {
        guard.end();
    }
    let (value, variables, dependencies) = outcome?;
    Ok(Found { value, variables, dependencies, workers: peers as usize, processes })
}

/// One thread.
fn worker(
    member: Option<Recipe>,
    allocator: Allocator,
    shared: &Arc<Shared>,
) -> Option<(Ended, u64, u64)> {
    let mut left = false;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let mut worker = Worker::new(WorkerConfig::default(), allocator, None);
        let member = member.ok_or("there is one member for each thread");
        let member = member.map(|member| member());
        let result = match member {
            Ok(member) => flow::build(&mut worker, member, shared.clone()),
            Err(what) => {
                shared.fate.halt(Failure::Internal(what.to_owned()));
                flow::Result::default()
            }
        };
        while worker.has_dataflows() && !shared.fate.halted() {
            worker.step_or_park(Some(NAP));
            if !worker.has_dataflows() {
                break;
            }
            shared.go_on();
        }
        let ended = result.borrow_mut().take();
        match &ended {
            Some((Ended::Internal(what), ..)) => {
                shared.fate.halt(Failure::Internal((*what).to_owned()))
            }
            Some((Ended::Trouble(_) | Ended::Answer(_), ..)) => {}
            None if shared.fate.halted() => {}
            None => {
                shared.fate.halt(Failure::Internal("a worker ended without an answer".to_owned()))
            }
        }
        left = true;
        shared.leave();
        ended
    }));
    ran.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("a worker panicked");
        shared.fate.halt(Failure::Internal(text.to_owned()));
        if !left {
            shared.leave();
        }
        None
    })
}

/// What all workers of this process agree on.
fn outcome(
    ended: &[Option<(Ended, u64, u64)>],
    shared: &Shared,
) -> Result<(bool, u64, u64), Failure> {
    if let Some(failure) = shared.fate.failure() {
        return Err(failure);
    }
    let first = ended.first().and_then(Option::as_ref);
    if let Some((Ended::Answer(value), variables, dependencies)) = first
        && ended.iter().all(|one| one.as_ref() == first)
    {
        shared.fate.finished.store(true, Ordering::SeqCst);
        return Ok((*value, *variables, *dependencies));
    }
    let failure = match first {
        Some((Ended::Trouble(reason), ..)) if reason == WHOLE => Failure::Whole,
        Some((Ended::Trouble(reason), ..)) => Failure::System(reason.clone()),
        _ => Failure::Internal("workers disagree".to_owned()),
    };
    shared.fate.halt(failure.clone());
    Err(failure)
}
