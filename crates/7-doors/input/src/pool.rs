//! Independent work on several cores, with results in order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The stack of a worker: that of a main thread.
const STACK: usize = 8 << 20;

/// How many threads `items` pieces of work are worth.
pub fn threads(items: usize) -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get()).min(items).max(1)
}

/// What `work` makes of each of the numbers below `items`, in their order, on `threads` threads, of
/// which the caller's is one. They are begun in order. None where `work` panicked on another thread.
pub fn each<T: Send>(
    items: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<Option<T>> {
    if threads <= 1 || items <= 1 {
        return (0..items).map(|i| Some(work(i))).collect();
    }
    let done: Vec<Mutex<Option<T>>> = (0..items).map(|_| Mutex::new(None)).collect();
    let turn = AtomicUsize::new(0);
    let worker = || {
        loop {
            let i = turn.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = done.get(i) else { break };
            let result = work(i);
            if let Ok(mut place) = slot.lock() {
                *place = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        let started: Vec<_> = (1..threads)
            .map_while(|_| {
                // With fewer threads it takes longer, no more than that.
                let builder = std::thread::Builder::new().stack_size(STACK);
                builder.spawn_scoped(scope, worker).ok()
            })
            .collect();
        worker();
        for thread in started {
            // One that panicked leaves its place empty.
            let _ = thread.join();
        }
    });
    done.into_iter().map(|slot| slot.into_inner().ok().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn results_are_in_order() {
        for threads in [1, 2, 7] {
            let squares = each(100, threads, |i| i * i);
            assert_eq!(squares, (0..100).map(|i| Some(i * i)).collect::<Vec<_>>());
        }
        assert!(each(0, 4, |i| i).is_empty());
    }

    #[test]
    fn threads_work_at_once() {
        // Each waits for the other: with one after the other this would not end.
        let barrier = std::sync::Barrier::new(2);
        assert_eq!(each(2, 2, |_| barrier.wait().is_leader() as u8).iter().flatten().count(), 2);
    }
}
