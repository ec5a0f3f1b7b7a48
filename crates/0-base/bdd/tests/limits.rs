//! Limits, interruption, refused memory, counters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bdd::{Bdd, Config, Gate, Manager, Stop};

/// The parity of products: many nodes, few variables.
fn grow(m: &mut Manager, vars: u32) -> Result<Bdd, Stop> {
    let mut f = Bdd::FALSE;
    for i in 0..vars {
        for j in 0..i {
            let (x, y) = (m.var(i)?, m.var(j)?);
            let p = m.and(x, y)?;
            let q = if (i * j) % 3 == 0 { m.or(f, p)? } else { m.xor(f, p)? };
            f = if (i + j) % 5 == 0 { q.not() } else { q };
        }
    }
    Ok(f)
}

#[test]
fn the_node_limit_is_exact() {
    for limit in [2, 3, 10, 100, 1023, 1024, 1025, 3000] {
        let mut m = Manager::new(Config { node_limit: limit, ..Config::default() });
        assert_eq!(grow(&mut m, 30), Err(Stop::Nodes));
        assert_eq!(m.live_nodes(), limit);
        assert_eq!(m.peak_nodes(), limit);
        assert!(m.want_gc());
        m.validate().unwrap();
        m.gc([]);
        assert_eq!((m.live_nodes(), m.peak_nodes()), (1, limit));
        assert!(!m.want_gc());
        // It works again within the limit, and to the end without one.
        assert!(m.var(5).is_ok());
        m.set_node_limit(usize::MAX);
        let f = grow(&mut m, 12).unwrap();
        let g = grow(&mut Manager::new(Config::default()), 12).unwrap();
        assert_eq!(m.size(f), {
            let mut fresh = Manager::new(Config::default());
            let h = grow(&mut fresh, 12).unwrap();
            assert_eq!(g, h);
            fresh.size(h)
        });
    }
}

#[test]
fn collection_and_retry_get_through_a_limit() {
    let mut free = Manager::new(Config::default());
    let f = grow(&mut free, 16).unwrap();
    let needed = free.size(f);
    let peak = free.peak_nodes();
    assert!(needed * 3 < peak, "{needed} of {peak}");

    let config = Config { node_limit: peak / 2, collect_at: usize::MAX, ..Config::default() };
    let mut m = Manager::new(config);
    let mut f = Bdd::FALSE;
    let mut stops = 0;
    for i in 0..16 {
        for j in 0..i {
            let step = |m: &mut Manager, f: Bdd| {
                let (x, y) = (m.var(i)?, m.var(j)?);
                let p = m.and(x, y)?;
                if (i * j) % 3 == 0 { m.or(f, p) } else { m.xor(f, p) }
            };
            let q = step(&mut m, f).unwrap_or_else(|stop| {
                assert_eq!(stop, Stop::Nodes);
                stops += 1;
                m.gc([f]);
                step(&mut m, f).unwrap()
            });
            f = if (i + j) % 5 == 0 { q.not() } else { q };
        }
    }
    assert!(stops > 0);
    assert_eq!(m.size(f), needed);
    assert!(m.peak_nodes() <= peak / 2);
}

#[test]
fn peak_is_the_largest_count_seen() {
    let mut m = Manager::new(Config::default());
    let mut largest = 0;
    for round in [10, 14, 6, 12] {
        let f = grow(&mut m, round).unwrap();
        largest = largest.max(m.live_nodes());
        assert_eq!(m.peak_nodes(), largest);
        assert_eq!(m.count_reachable([f]), m.size(f));
        m.gc([f]);
        assert_eq!(m.live_nodes(), m.size(f));
        assert_eq!(m.peak_nodes(), largest);
    }
}

#[derive(Clone, Default)]
struct Watch {
    stop: Arc<AtomicBool>,
    polls: Arc<AtomicUsize>,
    asked: Arc<AtomicUsize>,
    refuse: Arc<AtomicBool>,
}

impl Gate for Watch {
    fn poll(&mut self) -> bool {
        self.polls.fetch_add(1, Ordering::Relaxed);
        !self.stop.load(Ordering::Relaxed)
    }

    fn may_grow(&mut self, bytes: usize) -> bool {
        self.asked.fetch_max(bytes, Ordering::Relaxed);
        !self.refuse.load(Ordering::Relaxed)
    }
}

#[test]
fn polls_come_at_the_interval() {
    let watch = Watch::default();
    let mut m = Manager::new(Config { poll_interval: 100, ..Config::default() });
    m.set_gate(Some(Box::new(watch.clone())));
    grow(&mut m, 16).unwrap();
    let stats = m.stats();
    let steps = (stats.lookups - stats.hits) as usize;
    // And twice for each enlargement, of which each doubles the table.
    let polls = watch.polls.load(Ordering::Relaxed);
    assert!((steps / 100..steps / 100 + 60).contains(&polls), "{polls} polls, {steps} steps");
    assert!(stats.hits > 0);
}

#[test]
fn a_refusal_of_memory_stops_and_leaves_the_tables_as_they_are() {
    let watch = Watch::default();
    let mut m = Manager::new(Config::default());
    m.set_gate(Some(Box::new(watch.clone())));
    let f = grow(&mut m, 10).unwrap();
    watch.refuse.store(true, Ordering::Relaxed);
    let bytes = m.bytes();
    assert_eq!(grow(&mut m, 30), Err(Stop::Nodes));
    assert_eq!(m.bytes(), bytes);
    assert!(m.want_gc());
    m.gc([f]);
    m.validate().unwrap();
    assert_eq!(grow(&mut m, 10), Ok(f));
    // Asked for at least what it then takes.
    watch.refuse.store(false, Ordering::Relaxed);
    watch.asked.store(0, Ordering::Relaxed);
    grow(&mut m, 16).unwrap();
    assert!(m.bytes() > bytes);
    assert!(watch.asked.load(Ordering::Relaxed) >= m.bytes() / 4);
}

#[test]
fn interruption_takes_effect_at_once() {
    let watch = Watch::default();
    let mut m = Manager::new(Config { node_limit: 1 << 22, ..Config::default() });
    m.set_gate(Some(Box::new(watch.clone())));
    let f = grow(&mut m, 8).unwrap();
    let stop = watch.stop.clone();
    let timer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        stop.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let outcome = grow(&mut m, 60);
    let ended = Instant::now();
    let asked = timer.join().unwrap();
    if outcome == Err(Stop::Interrupted) {
        assert!(ended.saturating_duration_since(asked) < Duration::from_millis(500));
    } else {
        // A fast machine fills four million nodes within the 20 ms.
        assert_eq!(outcome, Err(Stop::Nodes));
    }
    m.validate().unwrap();
    watch.stop.store(false, Ordering::Relaxed);
    assert_eq!(grow(&mut m, 8), Ok(f));
}

#[test]
fn results_survive_a_collection() {
    let mut m = Manager::new(Config::default());
    let (f, g) = (grow(&mut m, 12).unwrap(), grow(&mut m, 11).unwrap());
    let r = m.and(f, g).unwrap();
    m.gc([f, g, r]);
    let before = m.stats();
    assert_eq!(m.and(f, g), Ok(r));
    let after = m.stats();
    assert_eq!((after.lookups - before.lookups, after.hits - before.hits), (1, 1));
    // A result that has gone is computed again.
    let size = m.size(r);
    m.gc([f, g]);
    let before = m.stats();
    let again = m.and(f, g).unwrap();
    assert_eq!(m.size(again), size);
    assert!(m.stats().lookups - before.lookups > 1);
}

#[test]
fn collection_is_wanted_late_and_near_a_limit() {
    let mut m = Manager::new(Config { collect_at: 100, ..Config::default() });
    assert!(!m.want_gc());
    let f = grow(&mut m, 10).unwrap();
    assert!(m.live_nodes() > 100 && m.want_gc());
    m.gc([f]);
    assert!(!m.want_gc());
    m.set_node_limit(m.live_nodes() + 20);
    assert!(!m.want_gc());
    for v in 100..111 {
        m.var(v).unwrap();
    }
    assert!(m.want_gc());
}

#[test]
#[should_panic(expected = "was collected")]
#[cfg(debug_assertions)]
fn a_stale_handle_is_noticed() {
    let mut m = Manager::new(Config::default());
    let f = m.var(0).unwrap();
    m.gc([]);
    let _ = m.and(f, Bdd::TRUE);
}

#[test]
#[should_panic(expected = "renamed to two")]
fn a_renaming_to_two_variables_is_refused() {
    Manager::new(Config::default()).spec(&[], &[(0, 1), (0, 2)]);
}
