//! Budgets, sets of states and tasks, each by itself.

use check::{
    Area, Budget, Goal, Limits, Observation, Partial, Progress, SetBit, SetId, StateSets, Stats,
    StopReason, Target, Task,
};
use ir::{Init, ProgramBuilder, Rel, Type};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[test]
fn steps_are_counted_by_all_that_share_an_account() {
    let budget = Budget::new(Limits { steps: Some(10), ..Limits::default() });
    let other = budget.clone();
    assert_eq!((budget.work(4), other.work(6)), (Ok(()), Ok(())), "the limit itself is allowed");
    assert_eq!(budget.spent(), 10);
    let over = Err(StopReason::Steps { limit: 10 });
    assert_eq!((other.work(1), budget.poll()), (over.clone(), over));
    assert_eq!(Budget::unlimited().work(u64::MAX / 2), Ok(()));
}

#[test]
fn whoever_asks_first_is_obeyed() {
    let cancel = Arc::new(AtomicBool::new(false));
    let limits = Limits { steps: Some(0), ..Limits::default() };
    let budget = Budget::new(limits).with_cancel(cancel.clone());
    let stop = Arc::new(AtomicBool::new(false));
    let part = budget.part(stop.clone());
    assert_eq!((budget.poll(), part.poll()), (Ok(()), Ok(())));
    stop.store(true, Ordering::Relaxed);
    assert_eq!((budget.poll(), part.poll()), (Ok(()), Err(StopReason::Cancelled)));
    budget.cancel_flag().store(true, Ordering::Relaxed);
    assert!(cancel.load(Ordering::Relaxed));
    assert_eq!(budget.poll(), Err(StopReason::Cancelled));
    // A limit that is reached as well is not the reason.
    assert_eq!(budget.work(1), Err(StopReason::Cancelled));
}

#[test]
fn memory_is_what_was_reserved_and_not_given_back() {
    let budget = Budget::new(Limits { memory: Some(100), ..Limits::default() });
    let full = Err(StopReason::Memory { limit: 100 });
    assert_eq!((budget.reserve(60), budget.reserve(40)), (Ok(()), Ok(())));
    assert_eq!(budget.reserve(1), full);
    // What was refused is not counted.
    assert_eq!((budget.poll(), budget.reserve(0)), (Ok(()), Ok(())));
    budget.release(50);
    assert_eq!((budget.reserve(50), budget.reserve(1)), (Ok(()), full));
    assert_eq!(Budget::unlimited().reserve(u64::MAX / 2), Ok(()));
}

/// Bytes that the probe tells.
static ALLOCATED: AtomicU64 = AtomicU64::new(0);

#[test]
fn telling_what_was_found_may_take_a_little_more_memory() {
    let limits = Limits { memory: Some(3200), ..Limits::default() };
    let budget = Budget::new(limits).with_memory_probe(|| ALLOCATED.load(Ordering::Relaxed));
    let attempt = budget.attempt();
    let full = Err(StopReason::Memory { limit: 3200 });
    ALLOCATED.store(3201, Ordering::Relaxed);
    assert_eq!(attempt.poll(), full);
    assert!(attempt.grant(Duration::from_secs(60)));
    assert_eq!(attempt.poll(), Ok(()));
    ALLOCATED.store(3300, Ordering::Relaxed);
    assert_eq!((attempt.poll(), attempt.reserve(1)), (Ok(()), full.clone()));
    ALLOCATED.store(3301, Ordering::Relaxed);
    assert_eq!((attempt.poll(), budget.poll()), (full.clone(), full));
    // The probe counts, not what was reserved.
    ALLOCATED.store(10, Ordering::Relaxed);
    assert_eq!(budget.reserve(3190), Ok(()));
    assert_eq!(budget.reserve(3190), Ok(()));
    assert!(budget.reserve(3191).is_err());
}

#[test]
fn what_is_kept_back_is_granted_in_two_halves() {
    let limits = Limits { time: Some(Duration::from_secs(100)), ..Limits::default() };
    // So late that nothing but what was kept back is left.
    let start = Instant::now().checked_sub(Duration::from_secs(100)).expect("a late clock");
    let late = Budget::new(limits).with_start(start);
    let search = late.keeping_back(Duration::from_secs(40)).attempt();
    assert_eq!(search.poll(), Err(StopReason::Time { limit: Duration::from_secs(100) }));
    assert!(search.grant(Duration::ZERO));
    std::thread::sleep(Duration::from_millis(2));
    assert!(search.poll().is_ok());
    // Half of it, and no more.
    let search = late.keeping_back(Duration::from_millis(100)).attempt();
    assert!(search.poll().is_err() && search.grant(Duration::ZERO));
    std::thread::sleep(Duration::from_millis(60));
    assert!(search.poll().is_err());
    // Nothing was kept back: the moment is all there is.
    let search = late.attempt();
    assert!(search.poll().is_err());
    assert!(search.grant(Duration::ZERO));
    std::thread::sleep(Duration::from_millis(2));
    assert!(search.poll().is_err());
    // Somebody asked to stop: what was kept back is not waited for.
    late.cancel_flag().store(true, Ordering::Relaxed);
    let search = late.keeping_back(Duration::from_secs(40)).attempt();
    assert_eq!(search.poll(), Err(StopReason::Cancelled));
    assert!(search.grant(Duration::ZERO));
    std::thread::sleep(Duration::from_millis(2));
    assert_eq!(search.poll(), Err(StopReason::Cancelled));
}

#[test]
fn where_time_is_not_short_there_is_more_of_it_for_telling() {
    let budget = Budget::new(Limits { steps: Some(0), ..Limits::default() });
    let search = budget.attempt();
    assert_eq!(search.work(1), Err(StopReason::Steps { limit: 0 }));
    assert!(search.grant(Duration::ZERO));
    assert_eq!(search.work(1), Ok(()), "some seconds");
    let stop = Arc::new(AtomicBool::new(false));
    let part = budget.part(stop.clone()).attempt();
    assert!(part.poll().is_err() && part.grant(Duration::from_secs(9)) && part.poll().is_ok());
    stop.store(true, Ordering::Relaxed);
    assert_eq!(part.poll(), Err(StopReason::Steps { limit: 0 }), "nobody wants to know any more");
}

#[test]
fn progress_is_heard() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    let budget = Budget::unlimited().with_listener(move |p| ears.lock().unwrap().push(p));
    let progress = Progress { phase: "a phase", done: 3, total: Some(4) };
    budget.clone().report(progress);
    assert_eq!(*heard.lock().unwrap(), [progress]);
    Budget::unlimited().report(progress);
}

#[test]
fn reasons_have_codes_and_words() {
    let what = || "it".to_owned();
    let all = [
        (StopReason::Time { limit: Duration::from_millis(1500) }, "time", "limit of 1.5 s"),
        (StopReason::Memory { limit: 3 << 20 }, "memory", "limit of 3 MiB"),
        (StopReason::Steps { limit: 7 }, "steps", "limit of 7 steps"),
        (StopReason::Cancelled, "cancelled", "cancelled"),
        (StopReason::Unsupported { what: what() }, "unsupported", "it"),
        (StopReason::Incomplete { what: what() }, "incomplete", "incomplete: it"),
        (StopReason::Bound { limit: 1 }, "bound", "only 1 round of"),
        (StopReason::Bound { limit: 2 }, "bound", "only 2 rounds of"),
        (StopReason::Approximate { what: what() }, "approximate", "approximate: it"),
        (StopReason::Internal { what: what() }, "internal", "please report it: it"),
    ];
    for (reason, code, words) in all {
        assert_eq!(reason.code(), code);
        assert!(reason.to_string().contains(words), "{reason}");
    }
}

#[test]
fn numbers_in_valuations() {
    for bits in [9u32, 70] {
        let mut p = Partial::unknown(bits);
        assert_eq!(p.number(2..6), None);
        p.set_number(2..6, Some(0b1010));
        assert_eq!((p.number(2..6), p.number(3..5), p.number(2..2)), (Some(10), Some(1), Some(0)));
        assert_eq!((p.number(2..7), p.number(1..4)), (None, None), "not all is known");
        assert_eq!([p.get(2), p.get(3), p.get(5)], [Some(false), Some(true), Some(true)]);
        p.set_number(3..5, None);
        assert_eq!((p.number(2..3), p.number(3..4), p.number(5..6)), (Some(0), None, Some(1)));
    }
    // A small one knows nothing of what only a large one has.
    let (small, mut large) = (Partial::unknown(9), Partial::unknown(70));
    assert!(small.covers(&large) && large.covers(&small));
    large.set(66, Some(false));
    assert!(!small.covers(&large) && large.covers(&small));
    assert!(large.bytes() > small.bytes());
}

#[test]
fn counters_have_names() {
    let mut stats = Stats::default();
    stats.add("visits", 3);
    stats.add("rounds", 5);
    assert_eq!(
        [stats.get("visits"), stats.get("rounds"), stats.get("x")],
        [Some(3), Some(5), None]
    );
}

fn bit(index: u32) -> SetBit {
    SetBit { area: Area::Global, index }
}

/// All valuations of some bits, in order.
fn valuations(bits: u32) -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << bits).map(move |v| (0..bits).map(|i| v >> (bits - 1 - i) & 1 == 1).collect())
}

#[test]
fn every_set_of_three_bits_is_made_and_listed() {
    let bits = [bit(0), bit(1), bit(2)];
    let mut sets = StateSets::new();
    assert!(sets.is_empty());
    let mut seen = std::collections::BTreeMap::new();
    for set in 0..256u32 {
        let members: Vec<Vec<bool>> =
            valuations(3).enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, v)| v).collect();
        let id = sets.from_sorted(&bits, &members);
        assert_eq!(seen.insert(id, set), None, "one id for two sets");
        assert_eq!(id == SetId::empty(), members.is_empty());
        assert_eq!(id == SetId::full(), members.len() == 8);
        for v in valuations(3) {
            let inside = sets.contains(id, |b| v[b.index as usize]);
            assert_eq!(inside, members.contains(&v), "{set}: {v:?}");
        }
        // Cubes are disjoint, cover the set, and come in order.
        let cubes: Vec<Vec<(SetBit, bool)>> = sets.cubes(id).collect();
        let fits = |v: &[bool], cube: &[(SetBit, bool)]| {
            cube.iter().all(|(b, value)| v[b.index as usize] == *value)
        };
        for v in valuations(3) {
            let count = cubes.iter().filter(|cube| fits(&v, cube)).count();
            assert_eq!(count, usize::from(members.contains(&v)), "{set}: {v:?}");
        }
        let first = |cube: &Vec<(SetBit, bool)>| valuations(3).position(|v| fits(&v, cube));
        assert!(cubes.iter().map(first).is_sorted(), "{set}");
    }
    // Two functions of the last bit, twelve more of the last two, and the rest: each once.
    assert_eq!(sets.len(), 2 + 12 + 240);
    let again = sets.from_sorted(&bits, &[vec![false, true, false]]);
    assert_eq!((sets.len(), seen[&again]), (254, 1 << 2));
    assert!(sets.node(SetId::full()).is_none() && sets.node(SetId::empty()).is_none());
}

#[test]
fn a_task_tells_what_it_reads() {
    let mut b = ProgramBuilder::new();
    let at = b.no_origin();
    let [x, y, z] = ["x", "y", "z"].map(|name| b.global(name, Type::BOOL, at));
    let main = b.proc("main", at);
    b.begin_proc(main);
    let (first, last) = (b.statement(at), b.statement(at));
    b.entry(main, first);
    b.step(first, last, Rel::identity());
    let condition = b.exprs.pre(x);
    let program = Arc::new(b.finish(main, Init::default()));
    let goals = vec![
        Goal::Reach(vec![Target { node: last, condition }, Target::at(first)]),
        Goal::Repeat { marks: 1 },
    ];
    let mut task = Task::new(program, goals);
    assert_eq!(task.reads(), [(last, x)]);
    task.observe.push(Observation { node: first, vars: vec![y, x] });
    assert_eq!(task.reads(), [(last, x), (first, y), (first, x)]);
    task.each = Some(z);
    assert_eq!(task.reads(), [(last, x), (last, z), (first, z), (first, y), (first, x)]);
}
