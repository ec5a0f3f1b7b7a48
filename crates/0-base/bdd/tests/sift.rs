//! Reordering finds good orders and changes no meaning.

use bdd::{Bdd, Config, Manager};

/// `x0 y0 + x1 y1 + …` with all x above all y: 2^n nodes, but 2n with the pairs together.
fn pairs(m: &mut Manager, n: u32) -> Bdd {
    let mut f = Bdd::FALSE;
    for i in 0..n {
        let (x, y) = (m.var(i).unwrap(), m.var(n + i).unwrap());
        let p = m.and(x, y).unwrap();
        f = m.or(f, p).unwrap();
    }
    f
}

#[test]
fn finds_the_linear_order() {
    let n = 10;
    let mut m = Manager::new(Config::default());
    let f = pairs(&mut m, n);
    assert!(m.size(f) > 1 << n);
    let nodes = m.reorder_sift([f], &[]).unwrap();
    m.validate().unwrap();
    assert_eq!(nodes, 2 * n as usize + 1);
    assert_eq!(m.size(f), nodes);
    assert_eq!(m.sat_count(f, 20), f64::from(4u32.pow(n) - 3u32.pow(n)));
    // What is built anew meets what was there.
    assert_eq!(pairs(&mut m, n), f);
}

#[test]
fn groups_stay_together_and_in_order() {
    let n = 8;
    let mut m = Manager::new(Config::default());
    let f = pairs(&mut m, n);
    let groups: Vec<Vec<u32>> = (0..n).map(|i| vec![n + i, i]).collect();
    m.reorder_sift([f], &groups).unwrap();
    m.validate().unwrap();
    assert_eq!(m.size(f), 2 * n as usize + 1);
    for i in 0..n {
        assert_eq!(m.level_of(i) + 1, m.level_of(n + i));
    }
    assert_eq!(pairs(&mut m, n), f);
}

#[test]
fn a_group_that_hurts_is_kept_all_the_same() {
    let n = 6;
    let mut m = Manager::new(Config::default());
    let f = pairs(&mut m, n);
    m.reorder_sift([f], &[(0..n).collect()]).unwrap();
    let mut levels: Vec<u32> = (0..n).map(|v| m.level_of(v)).collect();
    assert!(levels.is_sorted());
    levels.dedup();
    assert_eq!(levels[n as usize - 1] - levels[0], n - 1);
    assert_eq!(pairs(&mut m, n), f);
}

#[test]
fn specs_and_names_follow() {
    // Bits before a step, and after it, far apart at first.
    let n = 6;
    let mut m = Manager::new(Config::default());
    let mut step = Bdd::TRUE;
    let mut carry = Bdd::TRUE;
    for i in 0..n {
        let (old, new) = (m.var(i).unwrap(), m.var(100 + i).unwrap());
        let sum = m.xor(old, carry).unwrap();
        let bit = m.iff(new, sum).unwrap();
        step = m.and(step, bit).unwrap();
        carry = m.and(carry, old).unwrap();
    }
    let old: Vec<u32> = (0..n).collect();
    let rename: Vec<(u32, u32)> = (0..n).map(|i| (100 + i, i)).collect();
    let forward = m.spec(&old, &rename);
    let mut set = m.literals(&old.iter().map(|&v| (v, false)).collect::<Vec<_>>()).unwrap();
    for round in 1..=100u32 {
        if round % 7 == 0 {
            let groups: Vec<Vec<u32>> = if round % 2 == 0 {
                rename.iter().map(|&(a, b)| vec![a, b]).collect()
            } else {
                vec![]
            };
            m.reorder_sift([step, set], &groups).unwrap();
            m.validate().unwrap();
            assert_eq!(m.spec(&old, &rename), forward);
        }
        set = m.image(set, step, forward).unwrap();
        let value = m.pick_minterm(set, &old).unwrap();
        let number: u32 = value.iter().map(|&(v, bit)| u32::from(bit) << v).sum();
        assert_eq!(number, round % (1 << n));
        assert_eq!(m.support(set), old);
        assert_eq!(m.sat_count(set, n as usize), 1.0);
        let literals: Vec<(u32, bool)> = value;
        assert_eq!(m.literals(&literals).unwrap(), set);
        assert!(m.eval(set, |v| number >> v & 1 == 1));
    }
    assert_eq!(m.stats().reorderings, 14);
}

#[test]
fn shrinks_on_the_way_back_too() {
    // A second function with the opposite taste: sifting the two together is a compromise,
    // sifting either alone again is not.
    let n = 7;
    let mut m = Manager::new(Config::default());
    let f = pairs(&mut m, n);
    let mut g = Bdd::FALSE;
    for i in 0..n {
        let (x, y) = (m.var(i).unwrap(), m.var(2 * n - 1 - i).unwrap());
        let p = m.and(x, y).unwrap();
        g = m.or(g, p).unwrap();
    }
    let (f_count, g_count) = (m.sat_count(f, 14), m.sat_count(g, 14));
    let before = m.shared_size([f, g]);
    let both = m.reorder_sift([f, g], &[]).unwrap();
    assert!(both <= before);
    assert_eq!((m.sat_count(f, 14), m.sat_count(g, 14)), (f_count, g_count));
    let alone = m.reorder_sift([g], &[]).unwrap();
    assert_eq!(alone, 2 * n as usize + 1);
    assert_eq!(m.sat_count(g, 14), g_count);
}
