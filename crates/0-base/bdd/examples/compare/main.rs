//! Times this crate against OxiDD on the same workloads:
//! `cargo run --release -p bdd --example compare [runs [part of a name]]`.

#![allow(clippy::print_stdout)] // a table is what it is for

mod workloads;

use bdd::{Bdd, Config, Manager, SpecId};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, FunctionSubst, Manager as _,
    ManagerRef, Subst,
};
use workloads::{Core, all, time};

struct Ours(Manager);

impl Core for Ours {
    type F = Bdd;
    type Spec = SpecId;
    const NAME: &'static str = "bdd";

    fn new(_vars: u32) -> Ours {
        Ours(Manager::new(Config::default()))
    }

    fn var(&mut self, var: u32) -> Bdd {
        self.0.var(var).expect("no limit")
    }

    fn constant(&mut self, value: bool) -> Bdd {
        value.into()
    }

    fn not(&mut self, f: &Bdd) -> Bdd {
        f.not()
    }

    fn and(&mut self, f: &Bdd, g: &Bdd) -> Bdd {
        self.0.and(*f, *g).expect("no limit")
    }

    fn xor(&mut self, f: &Bdd, g: &Bdd) -> Bdd {
        self.0.xor(*f, *g).expect("no limit")
    }

    fn spec(&mut self, quantify: &[u32], rename: &[(u32, u32)]) -> SpecId {
        self.0.spec(quantify, rename)
    }

    fn image(&mut self, f: &Bdd, g: &Bdd, spec: &SpecId) -> Bdd {
        self.0.image(*f, *g, *spec).expect("no limit")
    }

    fn safe_point(&mut self, roots: &[&Bdd]) {
        if self.0.want_gc() {
            self.0.gc(roots.iter().map(|f| **f));
        }
    }
}

struct Oxidd {
    manager: BCDDManagerRef,
    vars: Vec<BCDDFunction>,
}

impl Core for Oxidd {
    type F = BCDDFunction;
    type Spec = (BCDDFunction, Subst<BCDDFunction>);
    const NAME: &'static str = "oxidd";

    fn new(vars: u32) -> Oxidd {
        let manager = oxidd::bcdd::new_manager(1 << 22, 1 << 21, 1);
        let vars = manager.with_manager_exclusive(|m| {
            m.add_vars(vars).map(|v| BCDDFunction::var(m, v).expect("room")).collect()
        });
        Oxidd { manager, vars }
    }

    fn var(&mut self, var: u32) -> BCDDFunction {
        self.vars[var as usize].clone()
    }

    fn constant(&mut self, value: bool) -> BCDDFunction {
        self.manager
            .with_manager_shared(|m| if value { BCDDFunction::t(m) } else { BCDDFunction::f(m) })
    }

    fn not(&mut self, f: &BCDDFunction) -> BCDDFunction {
        f.not().expect("room")
    }

    fn and(&mut self, f: &BCDDFunction, g: &BCDDFunction) -> BCDDFunction {
        f.and(g).expect("room")
    }

    fn xor(&mut self, f: &BCDDFunction, g: &BCDDFunction) -> BCDDFunction {
        f.xor(g).expect("room")
    }

    fn spec(&mut self, quantify: &[u32], rename: &[(u32, u32)]) -> Self::Spec {
        let mut cube = self.constant(true);
        for &v in quantify {
            cube = cube.and(&self.vars[v as usize]).expect("room");
        }
        let (from, to) = rename.iter().map(|&(a, b)| (a, self.vars[b as usize].clone())).unzip();
        (cube, Subst::new(from, to))
    }

    fn image(&mut self, f: &BCDDFunction, g: &BCDDFunction, spec: &Self::Spec) -> BCDDFunction {
        let r = f.apply_exists(BooleanOperator::And, g, &spec.0).expect("room");
        r.substitute(&spec.1).expect("room")
    }

    fn safe_point(&mut self, _roots: &[&BCDDFunction]) {}
}

fn main() {
    let mut args = std::env::args().skip(1);
    let runs = args.next().and_then(|n| n.parse().ok()).unwrap_or(3);
    let part = args.next().unwrap_or_default();
    println!("{:24} {:>10} {:>10} {:>7}", "least time, ms", Ours::NAME, Oxidd::NAME, "ratio");
    for (ours, theirs) in all::<Ours>().iter().zip(&all::<Oxidd>()) {
        if !ours.0.contains(&part) {
            continue;
        }
        let (a, b) = (time(ours, runs), time(theirs, runs));
        assert_eq!(a.1, b.1, "the answers differ on {}", ours.0);
        let [a, b] = [a.0, b.0].map(|t| t.as_secs_f64() * 1e3);
        println!("{:24} {a:10.1} {b:10.1} {:7.2}", ours.0, b / a);
    }
}
