//! Every operation on every function of two and of three variables, against truth tables.

use crate::common::{Table, build, read};
use bdd::{Bdd, Config, Manager};

/// All functions of `vars` variables, with their tables, in a manager of their own.
fn universe(vars: u32) -> (Manager, Vec<(Table, Bdd)>) {
    let mut m = Manager::new(Config::default());
    let all = (0..1u64 << (1 << vars))
        .map(|bits| {
            let t = Table::from_fn(vars, |a| bits >> a & 1 == 1);
            let f = build(&mut m, t, vars).unwrap();
            (t, f)
        })
        .collect();
    (m, all)
}

/// The position of a table in `universe` is its bits.
fn find(all: &[(Table, Bdd)], t: Table) -> Bdd {
    let bits = (0..8).filter(|&a| t.at(a)).fold(0usize, |bits, a| bits | 1 << a);
    assert_eq!(all[bits].0, t);
    all[bits].1
}

fn subsets(vars: u32) -> Vec<Vec<u32>> {
    (0..1u32 << vars).map(|s| (0..vars).filter(|v| s >> v & 1 == 1).collect()).collect()
}

/// Every map from the variables to themselves.
fn renamings(vars: u32) -> Vec<Vec<(u32, u32)>> {
    (0..vars.pow(vars))
        .map(|mut code| {
            (0..vars)
                .map(|v| {
                    let to = code % vars;
                    code /= vars;
                    (v, to)
                })
                .collect()
        })
        .collect()
}

#[test]
fn functions_are_canonical() {
    for vars in [2, 3] {
        let (m, all) = universe(vars);
        m.validate().unwrap();
        let mut ids: Vec<Bdd> = all.iter().map(|&(_, f)| f).collect();
        for &(t, f) in &all {
            assert_eq!(read(&m, f, vars, |i| i), t);
            assert_eq!(f.not(), find(&all, t.not()));
            assert_eq!(f.not().not(), f);
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all.len());
    }
}

#[test]
fn connectives_and_comparisons() {
    for vars in [2, 3] {
        let (mut m, all) = universe(vars);
        for &(s, f) in &all {
            for &(t, g) in &all {
                assert_eq!(m.and(f, g).unwrap(), find(&all, s.and(t)));
                assert_eq!(m.or(f, g).unwrap(), find(&all, s.or(t)));
                assert_eq!(m.xor(f, g).unwrap(), find(&all, s.map2(t, |x, y| x != y)));
                assert_eq!(m.iff(f, g).unwrap(), find(&all, s.map2(t, |x, y| x == y)));
                assert_eq!(m.diff(f, g).unwrap(), find(&all, s.map2(t, |x, y| x && !y)));
                assert_eq!(m.implies(f, g).unwrap(), find(&all, s.map2(t, |x, y| !x || y)));
                assert_eq!(m.leq(f, g).unwrap(), s.and(t.not()).count() == 0);
                assert_eq!(m.disjoint(f, g).unwrap(), s.and(t).count() == 0);
            }
        }
    }
}

#[test]
fn comparisons_build_nothing() {
    let (mut m, all) = universe(3);
    let nodes = m.live_nodes();
    for &(_, f) in &all {
        for &(_, g) in &all {
            m.leq(f, g).unwrap();
            m.disjoint(f, g).unwrap();
        }
    }
    assert_eq!(m.live_nodes(), nodes);
}

#[test]
fn if_then_else() {
    let (mut m, all) = universe(2);
    for &(s, f) in &all {
        for &(t, g) in &all {
            for &(u, h) in &all {
                let expected = s.and(t).or(s.not().and(u));
                assert_eq!(m.ite(f, g, h).unwrap(), find(&all, expected));
            }
        }
    }
    // All triples of functions of three variables are too many: every seventh.
    let (mut m, all) = universe(3);
    for (i, &(s, f)) in all.iter().enumerate() {
        for (j, &(t, g)) in all.iter().enumerate() {
            for &(u, h) in all.iter().skip((i + 3 * j) % 7).step_by(7) {
                let expected = s.and(t).or(s.not().and(u));
                assert_eq!(m.ite(f, g, h).unwrap(), find(&all, expected));
            }
        }
    }
}

#[test]
fn quantification() {
    for vars in [2, 3] {
        let (mut m, all) = universe(vars);
        for set in subsets(vars) {
            let cube = m.cube(&set).unwrap();
            for &(s, f) in &all {
                assert_eq!(m.exists(f, cube).unwrap(), find(&all, s.exists(&set)));
                let forall = s.not().exists(&set).not();
                assert_eq!(m.forall(f, cube).unwrap(), find(&all, forall));
                for &(t, g) in &all {
                    let expected = s.and(t).exists(&set);
                    assert_eq!(m.and_exists(f, g, cube).unwrap(), find(&all, expected));
                }
            }
        }
    }
}

#[test]
fn renaming_and_images() {
    for vars in [2, 3] {
        let (mut m, all) = universe(vars);
        for pairs in renamings(vars) {
            for &(s, f) in &all {
                assert_eq!(m.rename(f, &pairs).unwrap(), find(&all, s.rename(&pairs)));
            }
            for set in subsets(vars) {
                let spec = m.spec(&set, &pairs);
                for (i, &(s, f)) in all.iter().enumerate() {
                    let expected = s.exists(&set).rename(&pairs);
                    assert_eq!(m.exists_rename(f, spec).unwrap(), find(&all, expected));
                    let stride = if vars == 2 { 1 } else { 11 };
                    for &(t, g) in all.iter().skip(i % stride).step_by(stride) {
                        let expected = s.and(t).exists(&set).rename(&pairs);
                        assert_eq!(m.image(f, g, spec).unwrap(), find(&all, expected));
                    }
                }
            }
        }
    }
}

#[test]
fn generalised_cofactors() {
    for vars in [2, 3] {
        let (mut m, all) = universe(vars);
        for &(s, f) in &all {
            for &(t, care) in &all {
                let constrained = m.constrain(f, care).unwrap();
                let restricted = m.restrict(f, care).unwrap();
                for r in [constrained, restricted] {
                    assert_eq!(read(&m, r, vars, |i| i).and(t), s.and(t));
                }
                if t.count() == 0 {
                    assert_eq!([constrained, restricted], [Bdd::FALSE; 2]);
                    continue;
                }
                // The defining property of `constrain`: the value at a point outside the care
                // set is the value at the nearest one inside, earlier variables weighing more.
                let weight = |a: u32| (0..vars).fold(0, |w, v| 2 * w + (a >> v & 1));
                let nearest = Table::from_fn(vars, |a| {
                    let inside = (0..1 << vars).filter(|&b| t.at(b));
                    s.at(inside.min_by_key(|&b| weight(a ^ b)).expect("a care set"))
                });
                assert_eq!(read(&m, constrained, vars, |i| i), nearest);
                for var in m.support(restricted) {
                    assert!(s.depends_on(var));
                }
            }
        }
    }
}

#[test]
fn inspection() {
    for vars in [2, 3] {
        let (mut m, all) = universe(vars);
        let names: Vec<u32> = (0..vars).collect();
        for &(s, f) in &all {
            let support: Vec<u32> = names.iter().copied().filter(|&v| s.depends_on(v)).collect();
            assert_eq!(m.support(f), support);
            assert_eq!(m.sat_count(f, vars as usize), f64::from(s.count()));
            assert_eq!(m.size(f), m.count_reachable([f]));
            match m.node(f) {
                None => assert!(f.is_const()),
                Some((var, lo, hi)) => {
                    assert_eq!(var, support[0]);
                    let x = m.var(var).unwrap();
                    assert_eq!(m.ite(x, hi, lo).unwrap(), f);
                }
            }
            let least = (0..1 << vars)
                .filter(|&a| s.at(a))
                .min_by_key(|&a| (0..vars).fold(0, |w, v| 2 * w + (a >> v & 1)));
            let minterm = m.pick_minterm(f, &names);
            let expected = least.map(|a| names.iter().map(|&v| (v, a >> v & 1 == 1)).collect());
            assert_eq!(minterm, expected);
            assert_eq!(m.pick_cube(f).is_none(), f.is_false());

            let cubes: Vec<_> = m.cubes(f).collect();
            let mut union = Bdd::FALSE;
            for cube in &cubes {
                let c = m.literals(cube).unwrap();
                assert!(m.disjoint(union, c).unwrap());
                union = m.or(union, c).unwrap();
            }
            assert_eq!(union, f);
            let mut sorted = cubes.clone();
            sorted.sort();
            assert_eq!(cubes, sorted);
        }
    }
}
