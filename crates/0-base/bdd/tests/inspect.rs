//! Dumps, and how little a comparison looks at.

use crate::common::Rng;
use bdd::{Bdd, Config, Manager};

#[test]
fn dot() {
    let mut m = Manager::new(Config::default());
    let (x, y) = (m.var(0).unwrap(), m.var(1).unwrap());
    let f = m.xor(x, y).unwrap();
    let dot = m.dot(&[("x \"+\" y", f), ("no", Bdd::FALSE)], |v| format!("v{v}"));
    let expected = "\
digraph bdd {
  r0 [shape=plaintext, label=\"x \\\"+\\\" y\"];
  r0 -> n0 [style=solid, arrowhead=odot];
  r1 [shape=plaintext, label=\"no\"];
  r1 -> n1 [style=solid, arrowhead=odot];
  n0 [label=\"v0\"];
  n0 -> n2 [style=dashed, arrowhead=odot];
  n0 -> n2 [style=solid, arrowhead=normal];
  n1 [shape=box, label=\"1\"];
  n2 [label=\"v1\"];
  n2 -> n1 [style=dashed, arrowhead=odot];
  n2 -> n1 [style=solid, arrowhead=normal];
}
";
    assert_eq!(dot, expected);
}

#[test]
fn a_difference_is_found_early() {
    // Random functions of 16 variables: thousands of nodes, and a difference almost anywhere.
    let mut m = Manager::new(Config::default());
    let mut rng = Rng(5);
    let mut random = |m: &mut Manager| {
        let mut row: Vec<Bdd> = (0..1 << 16).map(|_| rng.coin().into()).collect();
        for v in (0..16).rev() {
            let x = m.var(v).unwrap();
            row = row.chunks(2).map(|c| m.ite(x, c[1], c[0]).unwrap()).collect();
        }
        row[0]
    };
    let (f, g) = (random(&mut m), random(&mut m));
    assert!(m.size(f) > 5_000 && m.size(g) > 5_000);
    for (f, g) in [(f, g), (f.not(), g), (f, g.not()), (f.not(), g.not())] {
        let (nodes, before) = (m.live_nodes(), m.stats().lookups);
        assert_eq!(m.leq(f, g), Ok(false));
        assert_eq!(m.disjoint(f, g), Ok(false));
        assert!(m.stats().lookups - before < 200);
        assert_eq!(m.live_nodes(), nodes);
    }
    let both = m.and(f, g).unwrap();
    assert_eq!(m.leq(both, f), Ok(true));
    assert_eq!(m.disjoint(both, f.not()), Ok(true));
}

#[test]
fn cubes_are_lazy() {
    // A parity of 60 variables has 2^59 cubes.
    let mut m = Manager::new(Config::default());
    let mut f = Bdd::FALSE;
    for v in (0..60).rev() {
        let x = m.var(v).unwrap();
        f = m.xor(x, f).unwrap();
    }
    let cubes: Vec<_> = m.cubes(f).take(1000).collect();
    assert_eq!(cubes.len(), 1000);
    assert!(cubes.is_sorted() && cubes.iter().all(|c| c.len() == 60));
    for cube in &cubes {
        assert!(m.eval(f, |v| cube[v as usize].1));
    }
    assert_eq!(m.cubes(Bdd::FALSE).count(), 0);
    assert_eq!(m.cubes(Bdd::TRUE).collect::<Vec<_>>(), vec![vec![]]);
}

#[test]
fn halves_make_up_the_whole() {
    let mut m = Manager::new(Config::default());
    let mut rng = Rng(7);
    let mut halved = 0;
    for round in 0..2_000 {
        // Sparse ones, too: cubes have no halves.
        let rare = round % 7;
        let mut row: Vec<Bdd> = (0..1 << 6).map(|_| (0..rare).all(|_| rng.coin()).into()).collect();
        for v in (0..6).rev() {
            let x = m.var(v).unwrap();
            row = row.chunks(2).map(|c| m.ite(x, c[1], c[0]).unwrap()).collect();
        }
        let f = row[0];
        match m.halves(f).unwrap() {
            Some((yes, no)) => {
                halved += 1;
                assert!(!yes.is_false() && !no.is_false());
                assert_eq!(m.disjoint(yes, no), Ok(true));
                assert_eq!(m.or(yes, no), Ok(f));
            }
            None => {
                let vars = m.support(f);
                let models = m.sat_count(f, 6);
                assert!(f.is_const() || models == f64::from(1 << (6 - vars.len())));
            }
        }
        m.gc([]);
    }
    assert!(halved > 1_000);
    m.validate().unwrap();
}
