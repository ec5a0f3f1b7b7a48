//! Nothing costs more because variables are many or their numbers large.

use bdd::{Bdd, Config, Manager, Stats, Stop};

/// A ripple of operations on 12 variables from `base` on, `spread` apart.
fn work(m: &mut Manager, base: u32, spread: u32) -> Result<Bdd, Stop> {
    let v = |i: u32| base + i * spread;
    let mut f = Bdd::TRUE;
    for i in 0..6 {
        let (x, y) = (m.var(v(2 * i))?, m.var(v(2 * i + 1))?);
        let p = m.xor(x, y)?;
        f = if i % 2 == 0 { m.and(f, p)? } else { m.xor(f, p)? };
    }
    let quantify: Vec<u32> = (0..6).map(|i| v(2 * i)).collect();
    let rename: Vec<(u32, u32)> = (0..6).map(|i| (v(2 * i + 1), v(2 * i))).collect();
    let spec = m.spec(&quantify, &rename);
    let mut set = m.literals(&[(v(0), true), (v(4), false)])?;
    for _ in 0..10 {
        let next = m.image(set, f, spec)?;
        set = m.or(set, next)?;
        let back: Vec<(u32, u32)> = rename.iter().map(|&(a, b)| (b, a)).collect();
        let there = m.rename(set, &back)?;
        let cube = m.cube(&quantify)?;
        let some = m.and_exists(f, there, cube)?;
        set = m.diff(set, some)?;
    }
    Ok(set)
}

fn cost(base: u32, spread: u32) -> (Stats, usize, usize) {
    let mut m = Manager::new(Config::default());
    // A bystander far away, so that the levels in use span a wide range.
    m.var(3_000_000_000).unwrap();
    work(&mut m, base, spread).unwrap();
    (m.stats(), m.live_nodes(), m.bytes())
}

#[test]
fn the_numbers_of_variables_do_not_matter() {
    let small = cost(0, 1);
    assert_eq!(small.1, cost(1_000_000, 1).1);
    assert_eq!(small.1, cost(7, 100_000_000).1);
    // The computed table forgets by collision, so that the count of steps varies a little.
    for (base, spread) in [(1_000_000, 1), (2_000_000_000, 1), (7, 100_000_000)] {
        let far = cost(base, spread);
        assert_eq!(small.2, far.2, "bytes");
        let ratio = far.0.lookups as f64 / small.0.lookups as f64;
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
    }
}

#[test]
fn many_bystanders_do_not_matter() {
    let mut m = Manager::new(Config::default());
    let f = work(&mut m, 500_000, 1).unwrap();
    let alone = m.stats().lookups;
    for v in 0..200_000 {
        m.var(v).unwrap();
    }
    let before = m.stats().lookups;
    m.gc([f]);
    let g = work(&mut m, 500_000, 1).unwrap();
    assert_eq!(f, g);
    assert!(m.stats().lookups - before <= alone);
}

#[test]
fn specs_are_interned() {
    let mut m = Manager::new(Config::default());
    let a = m.spec(&[1, 2], &[(3, 1), (4, 2)]);
    assert_eq!(a, m.spec(&[1, 2], &[(3, 1), (4, 2)]));
    assert_eq!(a, m.spec(&[2, 1, 1], &[(4, 2), (3, 1), (5, 5), (2, 9)]));
    assert_ne!(a, m.spec(&[1], &[(3, 1), (4, 2)]));
    assert_ne!(a, m.spec(&[1, 2], &[(3, 1)]));
    // Lengths are part of the request: these share their words.
    assert_ne!(m.spec(&[1, 2, 3], &[]), m.spec(&[1], &[(2, 3)]));
}

#[test]
fn sat_counts_beyond_the_range_of_floats() {
    let mut m = Manager::new(Config::default());
    let literals: Vec<(u32, bool)> = (0..3000).map(|v| (v, v % 2 == 0)).collect();
    let f = m.literals(&literals).unwrap();
    assert_eq!(m.sat_count(f, 3000), 1.0);
    assert_eq!(m.sat_count(f, 3003), 8.0);
    assert_eq!(m.sat_count(f.not(), 3000), f64::INFINITY);
    let x = m.var(0).unwrap();
    assert_eq!(m.sat_count(x, 1001), 2f64.powi(1000));
    // All but one of 2^60: no digit is lost on the way.
    let g = m.literals(&literals[..60]).unwrap();
    assert_eq!(m.sat_count(g.not(), 60), 2f64.powi(60));
    assert_eq!(m.sat_count(g, 60), 1.0);
}
