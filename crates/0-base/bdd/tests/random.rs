//! Long random sequences of operations against truth tables, with collections, reorderings,
//! node limits and interruptions in between. `BDD_SEED=n` tries
//! other sequences.

use crate::common;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{Rng, Table};
use bdd::{Bdd, Config, Gate, Manager, Stop};

/// A gate that refuses when its countdown ends. Zero: never.
#[derive(Clone, Default)]
struct Countdown {
    polls: Arc<AtomicU32>,
    growths: Arc<AtomicU32>,
}

fn tick(counter: &AtomicU32) -> bool {
    match counter.load(Ordering::Relaxed) {
        0 => true,
        n => {
            counter.store(n - 1, Ordering::Relaxed);
            n > 1
        }
    }
}

impl Gate for Countdown {
    fn poll(&mut self) -> bool {
        tick(&self.polls)
    }

    fn may_grow(&mut self, _bytes: usize) -> bool {
        tick(&self.growths)
    }
}

/// How often each kind of disturbance happens, as one in so many operations; 0 for never.
#[derive(Clone, Copy)]
struct Plan {
    seed: u64,
    vars: u32,
    /// Bit `i` is the variable `i * spread + offset`.
    spread: u32,
    offset: u32,
    operations: u32,
    collect: u32,
    sift: u32,
    limit: u32,
    interrupt: u32,
}

const QUIET: Plan = Plan {
    seed: 1,
    vars: 8,
    spread: 1,
    offset: 0,
    operations: 20_000,
    collect: 0,
    sift: 0,
    limit: 0,
    interrupt: 0,
};

type Renaming = Vec<(u32, u32)>;

struct World {
    plan: Plan,
    rng: Rng,
    m: Manager,
    pool: Vec<(Table, Bdd)>,
    gate: Countdown,
    stops: u32,
    /// Quantifications and renamings that come again and again, so that the computed table has
    /// something to remember.
    favourites: Vec<(Vec<u32>, Renaming)>,
}

impl World {
    fn new(plan: Plan) -> World {
        let config = Config { collect_at: 0, poll_interval: 1, ..Config::default() };
        let mut m = Manager::new(config);
        let gate = Countdown::default();
        m.set_gate(Some(Box::new(gate.clone())));
        let mut pool = vec![];
        for _ in 0..6 {
            for v in 0..plan.vars {
                let f = m.var(v * plan.spread + plan.offset).unwrap();
                pool.push((Table::var(v, plan.vars), f));
            }
        }
        let mut rng = Rng(plan.seed);
        let favourites = (0..3).map(|_| (rng.subset(plan.vars), rng.renaming(plan.vars))).collect();
        World { plan, rng, m, pool, gate, stops: 0, favourites }
    }

    fn name(&self, bit: u32) -> u32 {
        bit * self.plan.spread + self.plan.offset
    }

    fn names(&self, bits: &[u32]) -> Vec<u32> {
        bits.iter().map(|&b| self.name(b)).collect()
    }

    fn name_pairs(&self, pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
        pairs.iter().map(|&(a, b)| (self.name(a), self.name(b))).collect()
    }

    fn read(&self, f: Bdd) -> Table {
        common::read(&self.m, f, self.plan.vars, |i| self.name(i))
    }

    fn one_in(&mut self, n: u32) -> bool {
        n > 0 && self.rng.below(n) == 0
    }

    fn pick(&mut self) -> (Table, Bdd) {
        let (t, f) = self.pool[self.rng.below(self.pool.len() as u32) as usize];
        if self.rng.coin() { (t.not(), f.not()) } else { (t, f) }
    }

    /// A random operation: what it should give, and what it gives.
    fn operation(&mut self) -> Result<(Table, Bdd), Stop> {
        let ((s, f), (t, g), (u, h)) = (self.pick(), self.pick(), self.pick());
        let vars = self.plan.vars;
        let (set, renaming) = match self.favourites.get(self.rng.below(5) as usize) {
            Some(favourite) => favourite.clone(),
            None => (self.rng.subset(vars), self.rng.renaming(vars)),
        };
        let (set_names, renaming_names) = (self.names(&set), self.name_pairs(&renaming));
        let m = &mut self.m;
        Ok(match self.rng.below(15) {
            0 | 1 => (s.and(t), m.and(f, g)?),
            2 => (s.or(t), m.or(f, g)?),
            3 => (s.map2(t, |x, y| x != y), m.xor(f, g)?),
            4 => (s.map2(t, |x, y| x == y), m.iff(f, g)?),
            5 => (s.map2(t, |x, y| !x || y), m.implies(f, g)?),
            6 => (s.map2(t, |x, y| x && !y), m.diff(f, g)?),
            7 => (s.and(t).or(s.not().and(u)), m.ite(f, g, h)?),
            8 => {
                let cube = m.cube(&set_names)?;
                (s.exists(&set), m.exists(f, cube)?)
            }
            9 => {
                let cube = m.cube(&set_names)?;
                (s.not().exists(&set).not(), m.forall(f, cube)?)
            }
            10 => {
                let cube = m.cube(&set_names)?;
                (s.and(t).exists(&set), m.and_exists(f, g, cube)?)
            }
            11 => (s.rename(&renaming), m.rename(f, &renaming_names)?),
            12 => {
                let spec = m.spec(&set_names, &renaming_names);
                (s.exists(&set).rename(&renaming), m.exists_rename(f, spec)?)
            }
            13 => {
                let spec = m.spec(&set_names, &renaming_names);
                (s.and(t).exists(&set).rename(&renaming), m.image(f, g, spec)?)
            }
            _ => {
                assert_eq!(m.leq(f, g)?, s.and(t.not()).count() == 0);
                assert_eq!(m.disjoint(f, g)?, s.and(t).count() == 0);
                let r = if self.rng.coin() { m.constrain(f, g)? } else { m.restrict(f, g)? };
                let read = self.read(r);
                assert_eq!(read.and(t), s.and(t));
                (read, r)
            }
        })
    }

    fn roots(&self) -> Vec<Bdd> {
        self.pool.iter().map(|p| p.1).collect()
    }

    fn check_pool(&self) {
        self.m.validate().unwrap();
        for &(t, f) in &self.pool {
            assert_eq!(self.read(f), t);
        }
    }

    fn run(&mut self) {
        for i in 0..self.plan.operations {
            let limited = self.one_in(self.plan.limit);
            if limited {
                let room = self.rng.below(20) as usize;
                self.m.set_node_limit(self.m.live_nodes() + room);
            }
            if self.one_in(self.plan.interrupt) {
                self.gate.polls.store(1 + self.rng.below(40), Ordering::Relaxed);
                self.gate.growths.store(1 + self.rng.below(3), Ordering::Relaxed);
            }
            match self.operation() {
                Ok((expected, f)) => {
                    assert_eq!(self.read(f), expected, "operation {i} of seed {}", self.plan.seed);
                    // Constants and variables would take over the pool if everything entered.
                    if expected.count() > 1 || self.one_in(20) {
                        let slot = self.rng.below(self.pool.len() as u32) as usize;
                        self.pool[slot] = (expected, f);
                    }
                }
                Err(stop) => {
                    self.stops += 1;
                    let expected = if stop == Stop::Nodes {
                        self.plan.limit > 0 || self.plan.interrupt > 0
                    } else {
                        self.plan.interrupt > 0
                    };
                    assert!(expected);
                    self.m.validate().unwrap();
                }
            }
            if limited {
                self.m.set_node_limit(usize::MAX);
            }
            if self.one_in(self.plan.collect) {
                let roots = self.roots();
                self.m.gc(roots.iter().copied());
                assert_eq!(self.m.live_nodes(), self.m.shared_size(roots));
                self.check_pool();
            }
            if self.one_in(self.plan.sift) {
                self.sift();
            }
            self.refill();
        }
        self.gate.polls.store(0, Ordering::Relaxed);
        self.gate.growths.store(0, Ordering::Relaxed);
        self.check_pool();
        // Equal functions have equal handles.
        for &(s, f) in &self.pool {
            for &(t, g) in &self.pool {
                assert_eq!(s == t, f == g);
            }
        }
    }

    /// Random quantification wears functions down to constants: keep some variables in play.
    fn refill(&mut self) {
        if self.one_in(4) {
            let v = self.rng.below(self.plan.vars);
            if let Ok(f) = self.m.var(self.name(v)) {
                let slot = self.rng.below(self.pool.len() as u32) as usize;
                self.pool[slot] = (Table::var(v, self.plan.vars), f);
            }
        }
    }

    fn sift(&mut self) {
        let mut bits: Vec<u32> = (0..self.plan.vars).collect();
        for i in (1..bits.len()).rev() {
            bits.swap(i, self.rng.below(i as u32 + 1) as usize);
        }
        let mut groups = Vec::new();
        while !bits.is_empty() {
            let len = 1 + self.rng.below(3.min(bits.len() as u32)) as usize;
            groups.push(bits.split_off(bits.len() - len));
        }
        groups.truncate(self.rng.below(groups.len() as u32 + 1) as usize);
        let named: Vec<Vec<u32>> = groups.iter().map(|g| self.names(g)).collect();
        let roots = self.roots();
        let limited = self.one_in(self.plan.limit);
        if limited {
            self.m.set_node_limit(self.m.live_nodes() + self.rng.below(20) as usize);
        }
        match self.m.reorder_sift(roots.iter().copied(), &named) {
            Ok(nodes) => {
                assert_eq!(nodes, self.m.live_nodes());
                // Groups are side by side among the variables that take part.
                let mut moved: Vec<u32> = named.concat();
                moved.extend(roots.iter().flat_map(|&f| self.m.support(f)));
                moved.sort_unstable_by_key(|&v| self.m.level_of(v));
                moved.dedup();
                for group in &named {
                    let place = |v: &u32| moved.iter().position(|w| w == v).unwrap();
                    let (first, last) =
                        (group.iter().map(place).min(), group.iter().map(place).max());
                    assert_eq!(last.unwrap() - first.unwrap(), group.len() - 1);
                }
            }
            Err(_) => self.stops += 1,
        }
        if limited {
            self.m.set_node_limit(usize::MAX);
        }
        assert_eq!(self.m.live_nodes(), self.m.shared_size(roots));
        self.check_pool();
    }
}

fn run(plan: Plan) -> World {
    let shift: u64 = std::env::var("BDD_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut world = World::new(Plan { seed: plan.seed + 1000 * shift, ..plan });
    world.run();
    world
}

#[test]
fn operations() {
    for seed in 0..3 {
        run(Plan { seed, ..QUIET });
        run(Plan { seed, vars: 6, ..QUIET });
    }
}

#[test]
fn operations_on_scattered_variables() {
    run(Plan { seed: 10, spread: 3, ..QUIET });
    run(Plan { seed: 11, spread: 1_000_003, offset: 17, ..QUIET });
    run(Plan { seed: 12, spread: 1, offset: bdd::MAX_VAR - 7, ..QUIET });
}

#[test]
fn operations_with_collections() {
    for seed in 20..23 {
        let world = run(Plan { seed, collect: 10, ..QUIET });
        assert!(world.m.stats().collections > 1000);
        run(Plan { seed, vars: 6, collect: 1, operations: 5_000, ..QUIET });
    }
}

#[test]
fn operations_under_limits() {
    for seed in 30..33 {
        let world = run(Plan { seed, collect: 50, limit: 3, interrupt: 10, ..QUIET });
        assert!(world.stops > 300, "{} stops", world.stops);
    }
}

#[test]
fn operations_with_reordering() {
    for seed in 40..43 {
        let world = run(Plan { seed, sift: 20, operations: 10_000, ..QUIET });
        assert!(world.m.stats().reorderings > 300);
    }
    run(Plan { seed: 44, sift: 20, spread: 70_000, operations: 10_000, ..QUIET });
}

#[test]
fn operations_with_everything() {
    for seed in 50..54 {
        let plan = Plan { seed, collect: 50, sift: 30, limit: 3, interrupt: 10, ..QUIET };
        let world = run(plan);
        assert!(world.stops > 300, "{} stops", world.stops);
    }
}
