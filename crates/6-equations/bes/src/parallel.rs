//! Global resolution of a system in memory by several threads that share it: rules CL1 and CL2 of `closed.rs`, then
//! CL3 there.
//!
//! PV1. A value is set once, by whoever is first (compare and exchange). No order of threads matters: CL1 and CL2
//!      have one least fixpoint.
//! PV2. Whoever sets a value tells those that depend on it, later, from a pile of its own.
//! PV3. Who has nothing left takes from a common pile; who has much puts half of it there while somebody waits.
//! PV4. When all wait and the common pile is empty, it is over.

use crate::closed::{self, Equations, Value};
use crate::rows::Rows;
use crate::{Bes, Progress, Watch};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};

/// Asked by any thread whether to go on.
pub type SharedWatch<'a> = dyn Fn(&Progress) -> bool + Sync + 'a;

/// So many on one's own pile before some are given away.
const MUCH: usize = 1 << 10;

/// Steps between two looks at the watch.
const PORTION: usize = 1 << 16;

/// What threads share.
struct Shared<'a> {
    bes: &'a Bes,
    pred: &'a Rows,
    open: &'a [AtomicU32],
    value: &'a [AtomicU8],
    /// Piles that nobody works on, and how many threads wait for one.
    common: Mutex<(Vec<Vec<u32>>, usize)>,
    bell: Condvar,
    waiting: AtomicUsize,
    threads: usize,
    stop: AtomicBool,
    progress: Progress,
    watch: &'a SharedWatch<'a>,
}

impl Bes {
    /// The value of every variable by several threads; `None` when the watch says stop.
    pub fn solve_in_parallel(&self, threads: usize, watch: &SharedWatch<'_>) -> Option<Vec<bool>> {
        let n = self.len();
        let succ = self.succ();
        let progress = Progress {
            variables: n as u64,
            dependencies: succ.targets.len() as u64,
            bytes: 17 * n as u64 + 8 * succ.targets.len() as u64,
        };
        if !watch(&progress) {
            return None;
        }
        let threads = threads.max(1);
        let pred = reversed(succ, threads);
        let open: Vec<AtomicU32> =
            (0..n).map(|v| AtomicU32::new(succ.offsets[v + 1] - succ.offsets[v])).collect();
        let value: Vec<AtomicU8> = (0..n).map(|_| AtomicU8::new(Value::Open as u8)).collect();
        let shared = Shared {
            bes: self,
            pred: &pred,
            open: &open,
            value: &value,
            common: Mutex::new((Vec::new(), 0)),
            bell: Condvar::new(),
            waiting: AtomicUsize::new(0),
            threads,
            stop: AtomicBool::new(false),
            progress,
            watch,
        };
        std::thread::scope(|scope| {
            for me in 1..threads {
                let shared = &shared;
                scope.spawn(move || shared.work(me));
            }
            shared.work(0);
        });
        if shared.stop.load(Relaxed) {
            return None;
        }
        let open = open.into_iter().map(AtomicU32::into_inner).collect();
        let value = value.into_iter().map(|v| known(v.into_inner())).collect();
        let mut watch: Box<Watch<'_>> = Box::new(|progress| watch(progress));
        let values = closed::finish(self, pred, open, value, &mut watch)?;
        Some(values.into_iter().map(|value| value == Value::True).collect())
    }
}

fn known(value: u8) -> Value {
    match value {
        1 => Value::False,
        2 => Value::True,
        _ => Value::Open,
    }
}

/// The part of `0..n` that is a thread's.
fn share(n: usize, me: usize, threads: usize) -> std::ops::Range<usize> {
    n * me / threads..n * (me + 1) / threads
}

/// The edges the other way round. The order within a row is up to the threads.
fn reversed(succ: &Rows, threads: usize) -> Rows {
    let n = succ.offsets.len() - 1;
    let cursor: Vec<AtomicU32> = (0..=n).map(|_| AtomicU32::new(0)).collect();
    let part = |me: usize| {
        let rows = share(n, me, threads);
        succ.offsets[rows.start] as usize..succ.offsets[rows.end] as usize
    };
    std::thread::scope(|scope| {
        for me in 0..threads {
            let cursor = &cursor;
            scope.spawn(move || {
                for &y in &succ.targets[part(me)] {
                    cursor[y as usize].fetch_add(1, Relaxed);
                }
            });
        }
    });
    let mut offsets = Vec::with_capacity(n + 1);
    let mut at = 0;
    for count in &cursor {
        offsets.push(at);
        at += count.swap(at, Relaxed);
    }
    let targets: Vec<AtomicU32> = succ.targets.iter().map(|_| AtomicU32::new(0)).collect();
    std::thread::scope(|scope| {
        for me in 0..threads {
            let (cursor, targets) = (&cursor, &targets);
            scope.spawn(move || {
                for x in share(n, me, threads) {
                    for &y in succ.row(x as u32) {
                        let place = cursor[y as usize].fetch_add(1, Relaxed);
                        targets[place as usize].store(x as u32, Relaxed);
                    }
                }
            });
        }
    });
    Rows { offsets, targets: targets.into_iter().map(AtomicU32::into_inner).collect() }
}

impl Shared<'_> {
    fn work(&self, me: usize) {
        let mut pile: Vec<u32> = Vec::new();
        for v in share(self.value.len(), me, self.threads) {
            if self.bes.succ().row(v as u32).is_empty() {
                self.set(v as u32, self.bes.op_of(v as u32).neutral(), &mut pile);
            }
        }
        let mut steps = 0;
        loop {
            while let Some(y) = pile.pop() {
                steps += 1;
                if steps % PORTION == 0 && !(self.watch)(&self.progress) {
                    self.stop.store(true, Relaxed);
                }
                if self.stop.load(Relaxed) {
                    self.bell.notify_all();
                    return;
                }
                self.tell(y, &mut pile);
                // PV3.
                if pile.len() > MUCH && self.waiting.load(Relaxed) > 0 {
                    let half = pile.split_off(pile.len() / 2);
                    self.lock().0.push(half);
                    self.bell.notify_one();
                }
            }
            match self.wait() {
                Some(more) => pile = more,
                None => return,
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (Vec<Vec<u32>>, usize)> {
        self.common.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another pile; none if all wait for one.
    fn wait(&self) -> Option<Vec<u32>> {
        let mut common = self.lock();
        common.1 += 1;
        self.waiting.store(common.1, Relaxed);
        loop {
            if self.stop.load(Relaxed) {
                return None;
            }
            if let Some(pile) = common.0.pop() {
                common.1 -= 1;
                self.waiting.store(common.1, Relaxed);
                return Some(pile);
            }
            // PV4.
            if common.1 == self.threads {
                self.bell.notify_all();
                return None;
            }
            // Who stops everything may do so between the look and the sleep.
            let nap = std::time::Duration::from_millis(20);
            let woken = self.bell.wait_timeout(common, nap);
            common = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// PV1.
    fn set(&self, v: u32, value: bool, pile: &mut Vec<u32>) {
        let value = Value::of(value) as u8;
        let slot = &self.value[v as usize];
        if slot.compare_exchange(Value::Open as u8, value, Relaxed, Relaxed).is_ok() {
            pile.push(v);
        }
    }

    /// PV2: CL1 and CL2 for those that depend on a variable.
    fn tell(&self, y: u32, pile: &mut Vec<u32>) {
        let value = self.value[y as usize].load(Relaxed) == Value::True as u8;
        for &x in self.pred.row(y) {
            if self.value[x as usize].load(Relaxed) != Value::Open as u8 {
                continue;
            }
            let decides = value != self.bes.op_of(x).neutral();
            if decides || self.open[x as usize].fetch_sub(1, Relaxed) == 1 {
                self.set(x, value, pile);
            }
        }
    }
}
