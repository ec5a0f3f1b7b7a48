//! Generated systems: workers against the sequential solvers.

use bes::cadp::{Parts, Text};
use bes::param::{Instance, NoModel};
use bes::{Bes, Method, Solver, pbes};
use bes_workers::{Crew, Failure, Found, Watch, solve, solve_parts};
use std::sync::Arc;

use crate::generated::{Random, SHAPES, Shape, in_blocks, system};

fn calm() -> Watch {
    Arc::new(|_| Ok(()))
}

/// The same system as text without parameters, explored on demand.
fn replicas(bes: &Bes, count: usize) -> Vec<Instance<NoModel>> {
    let text = bes.to_mcrl2();
    let parsed = pbes::parse(&text).unwrap();
    (0..count).map(|_| parsed.instance().unwrap()).collect()
}

fn agree(shape: Shape, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Random::new(seed);
        let variables = 1 + random.below(if seed % 10 == 0 { 400 } else { 40 });
        let bes = system(&mut random, shape, variables).asking(0);
        let values = bes.solve_globally(&mut |_| true).unwrap();
        let initial = bes.initial_variable();
        let threads = 1 + random.below(4) as usize;
        let demand = solve(replicas(&bes, threads), Crew::threads(threads), calm()).unwrap();
        let expected = values[initial as usize];
        assert_eq!(demand.value, expected, "{shape:?}, seed {seed}, on demand: {}", bes.to_mcrl2());
        let found = Found { workers: threads, processes: 1, ..demand };
        assert_eq!(demand, found);
        let operands = bes.dependencies() as u64;
        let text: Arc<dyn Text + Send> = Arc::new(in_blocks(&bes).into_bytes());
        let parts = Parts::of_size(&*text, 200, &mut |_| true).unwrap();
        let closed = solve_parts(&text, parts, Crew::threads(threads), calm()).unwrap();
        assert_eq!(closed.value, expected, "{shape:?}, seed {seed}, in parts: {}", bes.to_mcrl2());
        assert_eq!((closed.variables, closed.dependencies), (u64::from(variables), operands));
    }
}

/// A few hundred with real threads; thousands are in the crate's own tests, without.
#[test]
fn threads_agree_with_the_sequential_solver() {
    for shape in SHAPES {
        agree(shape, 0..50);
    }
}

/// A long run, for `cargo test -- --ignored`.
#[test]
#[ignore = "minutes"]
fn many() {
    for shape in SHAPES {
        agree(shape, 1000..3000);
    }
}

fn parameterised(text: &str, threads: usize) -> Result<Found, Failure> {
    let parsed = pbes::parse(text).unwrap();
    let replicas = (0..threads).map(|_| parsed.instance().unwrap()).collect();
    solve(replicas, Crew::threads(threads), calm())
}

/// Instances travel by their values; replicas number them differently.
#[test]
fn instances_are_partitioned() {
    let counting = "pbes mu X(n: Nat, b: Bool) = val(n > 200) || (X(n + 1, !b) && Y(n, b));\n\
                    nu Y(n: Int, b: Bool) = Y(-n, b) && (val(b) || Y(n, true));\ninit X(0, false);";
    let mut sequential = Solver::new(pbes::parse(counting).unwrap().instance().unwrap());
    let value = sequential.solve(Method::BreadthFirst, &mut |_| true).unwrap();
    for threads in 1..=4 {
        let found = parameterised(counting, threads).unwrap();
        assert_eq!(found.value, value);
        assert!(found.variables > 200);
    }
}

/// An answer that needs finitely many of infinitely many variables is found.
#[test]
fn infinite_systems() {
    let text = "pbes mu X(n: Nat) = val(n > 500) || X(n + 1) || X(2 * n); init X(1);";
    for threads in 1..=3 {
        assert!(parameterised(text, threads).unwrap().value);
    }
}

/// What cannot be computed is an error only if the answer depends on it.
#[test]
fn equations_without_a_value() {
    let not_needed = "pbes mu X(n: Int) = val(n == 0) || Y(n - 1);\n\
                      mu Y(n: Int) = val(9223372036854775807 + n > 0) || X(n); init X(0);";
    let needed = "pbes mu X(n: Int) = Y(n) && X(n);\n\
                  mu Y(n: Int) = val(9223372036854775807 + n > 0); init X(1);";
    for threads in 1..=3 {
        assert!(parameterised(not_needed, threads).unwrap().value);
        let error = parameterised(needed, threads).unwrap_err();
        let Failure::System(what) = &error else { panic!("{error:?}") };
        assert!(what.contains("has no value"), "{what}");
    }
}

/// A watch stops a run, with its reason, soon.
#[test]
fn limits() {
    let endless = "pbes mu X(n: Nat) = X(n + 1); init X(0);";
    let parsed = pbes::parse(endless).unwrap();
    for threads in 1..=3 {
        let start = std::time::Instant::now();
        let watch: Watch = Arc::new(move |progress| {
            assert!(progress.bytes > 0 || progress.variables == 0);
            match start.elapsed().as_millis() > 100 {
                true => Err("enough".to_owned()),
                false => Ok(()),
            }
        });
        let replicas = (0..threads).map(|_| parsed.instance().unwrap()).collect();
        let stopped = solve(replicas, Crew::threads(threads), watch);
        assert_eq!(stopped, Err(Failure::Stopped("enough".to_owned())));
        assert!(start.elapsed().as_secs() < 5);
    }
}
