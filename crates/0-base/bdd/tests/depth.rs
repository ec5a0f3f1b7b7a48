//! Deep diagrams, and how much stack each level takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bdd::{Bdd, Config, Gate, Manager, Stop};

/// Notes how far down the stack it is called.
struct Gauge {
    lowest: Arc<AtomicUsize>,
}

impl Gate for Gauge {
    fn poll(&mut self) -> bool {
        self.lowest.fetch_min(here(), Ordering::Relaxed);
        true
    }

    fn may_grow(&mut self, _bytes: usize) -> bool {
        true
    }
}

#[inline(never)]
fn here() -> usize {
    let local = 0u8;
    std::hint::black_box(&raw const local).addr()
}

type Operation = fn(&mut Manager, &[Bdd; 5], u32) -> Result<(), Stop>;

/// Operations on `[f, g, care, cube, part]`, of which `part` is contained in `f`, of `n` levels.
const OPERATIONS: &[(&str, Operation)] = &[
    ("and", |m, [f, g, ..], _| m.and(*f, *g).map(drop)),
    ("or", |m, [f, g, ..], _| m.or(*f, *g).map(drop)),
    ("xor", |m, [f, g, ..], _| m.xor(*f, *g).map(drop)),
    ("ite", |m, [f, g, care, ..], _| m.ite(*f, *g, *care).map(drop)),
    ("exists", |m, [f, _, _, cube, _], _| m.exists(*f, *cube).map(drop)),
    ("forall", |m, [f, _, _, cube, _], _| m.forall(*f, *cube).map(drop)),
    ("and_exists", |m, [f, g, _, cube, _], _| m.and_exists(*f, *g, *cube).map(drop)),
    ("leq", |m, [f, _, _, _, part], _| m.leq(*part, *f).map(|holds| assert!(holds))),
    ("constrain", |m, [f, _, care, ..], _| m.constrain(*f, *care).map(drop)),
    ("restrict", |m, [f, _, care, ..], _| m.restrict(*f, *care).map(drop)),
    ("rename", |m, [f, ..], n| m.rename(*f, &shift(n)).map(drop)),
    // The topmost variable goes to the bottom: an `ite` through all the others.
    ("rename to below", |m, [f, ..], n| m.rename(*f, &[(0, 2 * n)]).map(drop)),
    // Every other variable is quantified, the rest renamed in order.
    ("exists_rename", |m, [f, ..], n| {
        let spec = m.spec(&every_other(n), &shift(n));
        m.exists_rename(*f, spec).map(drop)
    }),
    ("image", |m, [f, g, ..], n| {
        let spec = m.spec(&every_other(n), &shift(n));
        m.image(*f, *g, spec).map(drop)
    }),
];

/// Upside down: at every level an `ite` through all that was below, and so a quadratic number
/// of steps.
const UPSIDE_DOWN: &[(&str, Operation)] = &[("rename upside down", |m, [.., part], n| {
    let pairs: Vec<_> = (0..n).map(|i| (2 * i, 2 * (n - i))).collect();
    m.rename(*part, &pairs).map(drop)
})];

fn shift(n: u32) -> Vec<(u32, u32)> {
    (0..n).map(|i| (2 * i, 2 * i + 1)).collect()
}

fn every_other(n: u32) -> Vec<u32> {
    (0..n).step_by(2).map(|i| 2 * i).collect()
}

/// Functions of the even variables below `2n`, each with at most three nodes a level.
fn operands(m: &mut Manager, n: u32) -> Result<[Bdd; 5], Stop> {
    let (mut f, mut g, mut care) = (Bdd::TRUE, Bdd::TRUE, Bdd::FALSE);
    for i in (0..n).rev() {
        let x = m.var(2 * i)?;
        f = m.xor(x, f)?;
        g = if i % 3 == 0 { m.and(x.not(), g)? } else { m.or(x, g)? };
        care = if i % 2 == 0 { m.or(x, care)? } else { m.and(x, care)? };
    }
    let cube = m.cube(&(0..n).map(|i| 2 * i).filter(|v| v % 4 == 0).collect::<Vec<_>>())?;
    let part = m.pick_cube(f).expect("a parity");
    let part = m.literals(&part)?;
    Ok([f, g, care, cube, part])
}

/// Runs the operations on `n` levels with the recommended stack; the bytes each took.
fn measure(
    operations: &'static [(&'static str, Operation)],
    n: u32,
    interval: u32,
) -> Vec<(&'static str, usize)> {
    let run = move || {
        let mut taken = Vec::new();
        for (name, operation) in operations {
            // A fresh manager: nothing is known from the operation before.
            let mut m = Manager::new(Config { poll_interval: interval, ..Config::default() });
            let operands = operands(&mut m, n).unwrap();
            let lowest = Arc::new(AtomicUsize::new(usize::MAX));
            m.set_gate(Some(Box::new(Gauge { lowest: lowest.clone() })));
            let top = here();
            operation(&mut m, &operands, n).unwrap();
            taken.push((*name, top.saturating_sub(lowest.load(Ordering::Relaxed))));
        }
        taken
    };
    on_stack(bdd::stack_bytes(n as usize), run)
}

fn on_stack<T: Send + 'static>(bytes: usize, run: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(bytes).spawn(run).unwrap().join().unwrap()
}

#[test]
fn the_recommended_stack_suffices() {
    measure(OPERATIONS, 100_000, u32::MAX);
}

#[test]
fn looking_needs_no_stack() {
    let n = 100_000;
    let mut m = Manager::new(Config::default());
    let mut f = Bdd::TRUE;
    for v in (0..n).rev() {
        let x = m.var(v).unwrap();
        f = m.xor(x, f).unwrap();
    }
    on_stack(1 << 16, move || {
        assert_eq!(m.support(f).len(), n as usize);
        assert_eq!(m.pick_cube(f).unwrap().len(), n as usize);
        assert_eq!(m.cubes(f).take(3).count(), 3);
        assert_eq!(m.sat_count(f, n as usize), f64::INFINITY);
        assert_eq!(m.size(f), n as usize + 1);
        assert!(m.dot(&[("f", f)], |v| format!("x{v}")).len() > n as usize);
        m.gc([f]);
        m.validate().unwrap();
    });
}

#[test]
fn stack_per_level() {
    for (operations, n) in [(OPERATIONS, 10_000), (UPSIDE_DOWN, 1_000)] {
        let recommended = (bdd::stack_bytes(n as usize) - bdd::stack_bytes(0)) / n as usize;
        for (name, bytes) in measure(operations, n, 1) {
            let per_level = bytes / n as usize;
            assert!(per_level > 16, "{name} did not go deep");
            // Some in reserve: frames differ between compilers.
            let enough = per_level * 3 / 2 <= recommended;
            assert!(enough, "{name} takes {per_level} of {recommended} bytes");
        }
    }
}
