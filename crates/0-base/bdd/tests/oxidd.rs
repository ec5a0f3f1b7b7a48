//! Random operations over 24 variables, done here and in OxiDD, and compared exactly: every
//! result is rebuilt in OxiDD node by node and must be the same function there.

use std::collections::HashMap;

use crate::common::Rng;
use bdd::{Bdd, Config, Manager};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager as _,
    ManagerRef, Subst,
};

const VARS: u32 = 24;

struct Pair {
    m: Manager,
    their_vars: Vec<BCDDFunction>,
    theirs: BCDDManagerRef,
    pool: Vec<(Bdd, BCDDFunction)>,
    rng: Rng,
}

impl Pair {
    fn new(seed: u64) -> Pair {
        let mut m = Manager::new(Config { collect_at: 0, ..Config::default() });
        let theirs = oxidd::bcdd::new_manager(1 << 20, 1 << 16, 1);
        let their_vars: Vec<BCDDFunction> = theirs.with_manager_exclusive(|manager| {
            manager.add_vars(VARS).map(|v| BCDDFunction::var(manager, v).unwrap()).collect()
        });
        let pool = (0..2 * VARS)
            .map(|v| (m.var(v % VARS).unwrap(), their_vars[(v % VARS) as usize].clone()))
            .collect();
        Pair { m, their_vars, theirs, pool, rng: Rng(seed) }
    }

    /// `f`, rebuilt in OxiDD.
    fn translate(&self, f: Bdd) -> BCDDFunction {
        let mut done: HashMap<Bdd, BCDDFunction> = HashMap::new();
        self.theirs.with_manager_shared(|manager| {
            done.insert(Bdd::TRUE, BCDDFunction::t(manager));
            done.insert(Bdd::FALSE, BCDDFunction::f(manager));
        });
        let mut work = vec![f];
        while let Some(&g) = work.last() {
            let Some((var, lo, hi)) = self.m.node(g).filter(|_| !done.contains_key(&g)) else {
                work.pop();
                continue;
            };
            match (done.get(&lo), done.get(&hi)) {
                (Some(lo), Some(hi)) => {
                    let r = self.their_vars[var as usize].ite(hi, lo).unwrap();
                    done.insert(g, r);
                }
                (lo_done, hi_done) => {
                    let missing = [(lo, lo_done.is_none()), (hi, hi_done.is_none())];
                    work.extend(missing.iter().filter(|(_, m)| *m).map(|(e, _)| *e));
                }
            }
        }
        done[&f].clone()
    }

    fn pick(&mut self) -> (Bdd, BCDDFunction) {
        let (f, g) = self.pool[self.rng.below(self.pool.len() as u32) as usize].clone();
        if self.rng.coin() { (f.not(), g.not().unwrap()) } else { (f, g) }
    }

    /// The conjunction of variables, in OxiDD.
    fn their_cube(&self, set: &[u32]) -> BCDDFunction {
        let mut cube = self.theirs.with_manager_shared(|manager| BCDDFunction::t(manager));
        for &v in set {
            cube = cube.and(&self.their_vars[v as usize]).unwrap();
        }
        cube
    }

    fn their_rename(&self, f: &BCDDFunction, pairs: &[(u32, u32)]) -> BCDDFunction {
        let vars: Vec<u32> = pairs.iter().map(|p| p.0).collect();
        let by: Vec<BCDDFunction> =
            pairs.iter().map(|p| self.their_vars[p.1 as usize].clone()).collect();
        f.substitute(&Subst::new(vars, by)).unwrap()
    }

    /// A renaming: over all variables, monotonic, or of few.
    fn renaming(&mut self) -> Vec<(u32, u32)> {
        match self.rng.below(3) {
            0 => self.rng.renaming(VARS),
            1 => (0..VARS / 2).map(|i| (2 * i + 1, 2 * i)).collect(),
            _ => (0..3).map(|i| (self.rng.below(8) * 3 + i, self.rng.below(VARS))).collect(),
        }
    }

    fn operation(&mut self) -> (Bdd, BCDDFunction) {
        let ((f, tf), (g, tg), (h, th)) = (self.pick(), self.pick(), self.pick());
        let set = self.rng.subset(VARS);
        let cube = self.m.cube(&set).unwrap();
        let their_cube = self.their_cube(&set);
        let renaming = self.renaming();
        let spec = self.m.spec(&set, &renaming);
        let m = &mut self.m;
        match self.rng.below(12) {
            0 => (m.and(f, g).unwrap(), tf.and(&tg).unwrap()),
            1 => (m.or(f, g).unwrap(), tf.or(&tg).unwrap()),
            2 => (m.xor(f, g).unwrap(), tf.xor(&tg).unwrap()),
            3 => (m.iff(f, g).unwrap(), tf.equiv(&tg).unwrap()),
            4 => (m.implies(f, g).unwrap(), tf.imp(&tg).unwrap()),
            5 | 6 => (m.ite(f, g, h).unwrap(), tf.ite(&tg, &th).unwrap()),
            7 => (m.exists(f, cube).unwrap(), tf.exists(&their_cube).unwrap()),
            8 => (m.forall(f, cube).unwrap(), tf.forall(&their_cube).unwrap()),
            9 => (
                m.and_exists(f, g, cube).unwrap(),
                tf.apply_exists(BooleanOperator::And, &tg, &their_cube).unwrap(),
            ),
            10 => (m.rename(f, &renaming).unwrap(), self.their_rename(&tf, &renaming)),
            _ => {
                let r = m.image(f, g, spec).unwrap();
                let t = tf.apply_exists(BooleanOperator::And, &tg, &their_cube).unwrap();
                (r, self.their_rename(&t, &renaming))
            }
        }
    }

    fn run(&mut self, operations: u32, sift_every: u32) {
        let mut largest = 0;
        for i in 1..=operations {
            let (f, t) = self.operation();
            assert!(self.translate(f) == t, "operation {i}");
            if sift_every == 0 {
                // The same order, the same canonical form: the same number of nodes.
                assert_eq!(self.m.size(f), t.node_count());
            }
            assert_eq!(f.is_true(), t.valid());
            assert_eq!(!f.is_false(), t.satisfiable());
            let size = self.m.size(f);
            if (3..400).contains(&size) {
                let slot = self.rng.below(self.pool.len() as u32) as usize;
                self.pool[slot] = (f, t);
                largest = largest.max(size);
            }
            if self.rng.below(3) == 0 {
                let (slot, v) = (self.rng.below(2 * VARS) as usize, self.rng.below(VARS));
                self.pool[slot] = (self.m.var(v).unwrap(), self.their_vars[v as usize].clone());
            }
            let roots: Vec<Bdd> = self.pool.iter().map(|p| p.0).collect();
            if sift_every > 0 && i % sift_every == 0 {
                let groups: Vec<Vec<u32>> = (0..VARS / 2).map(|g| vec![2 * g, 2 * g + 1]).collect();
                self.m.reorder_sift(roots, &groups).unwrap();
                self.m.validate().unwrap();
                for (f, t) in &self.pool {
                    assert!(self.translate(*f) == *t);
                }
            } else if i % 100 == 0 {
                self.m.gc(roots);
            }
        }
        assert!(largest > 100, "only small diagrams: {largest}");
    }
}

#[test]
fn agrees_with_oxidd() {
    for seed in 0..4 {
        Pair::new(seed).run(2_500, 0);
    }
}

#[test]
fn agrees_with_oxidd_while_sifting() {
    for seed in 10..12 {
        Pair::new(seed).run(1_500, 100);
    }
}
