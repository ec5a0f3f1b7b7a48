//! Generated systems: workers against the sequential solvers.

use bes::param::{Instance, NoModel};
use bes::{Bes, BesBuilder, Method, Op, Sign, Solver, pbes};
use bes_workers::{Crew, Failure, Found, Watch, solve, solve_closed};
use std::sync::Arc;

/// A generator of numbers, the same everywhere (xorshift).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) * u64::from(n) >> 32) as u32
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    /// Variables depend on blocks of the same or a lower place only.
    AlternationFree,
    /// On anything.
    Alternating,
    /// On lower numbers only.
    Acyclic,
    /// Mostly on the neighbour: values travel far.
    Chain,
}

fn system(random: &mut Random, shape: Shape, variables: u32) -> Bes {
    let blocks = 1 + random.below(5);
    let mut builder = BesBuilder::new();
    let first = random.below(2);
    for block in 0..blocks {
        let nu = if shape == Shape::Chain { random.below(2) } else { (block + first) % 2 };
        builder.block(if nu == 1 { Sign::Nu } else { Sign::Mu });
    }
    // Variables of a block are neighbours.
    let size = variables.div_ceil(blocks);
    for v in 0..variables {
        let block = v / size;
        let op = if random.below(2) == 0 { Op::Or } else { Op::And };
        let count = match random.below(12) {
            0 => 0,
            n => 1 + n % 4,
        };
        let operands: Vec<u32> = (0..count)
            .filter_map(|_| match shape {
                Shape::Alternating => Some(random.below(variables)),
                Shape::AlternationFree => {
                    let low = block * size;
                    Some(low + random.below(variables - low))
                }
                Shape::Acyclic => {
                    (v + 1 < variables).then(|| v + 1 + random.below(variables - v - 1))
                }
                Shape::Chain if random.below(8) > 0 => Some((v + 1).min(variables - 1)),
                Shape::Chain => Some(v + random.below(variables - v)),
            })
            .collect();
        builder.equation(block, op, operands);
    }
    builder.build(random.below(variables)).unwrap()
}

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
        let bes = system(&mut random, shape, variables);
        let text = bes.to_mcrl2();
        let values = bes.solve_globally(&mut |_| true).unwrap();
        let initial = bes.initial_variable();
        let threads = 1 + random.below(4) as usize;
        let demand = solve(replicas(&bes, threads), Crew::threads(threads), calm()).unwrap();
        let expected = values[initial as usize];
        assert_eq!(demand.value, expected, "{shape:?}, seed {seed}, on demand: {text}");
        let found = Found { workers: threads, processes: 1, ..demand };
        assert_eq!(demand, found);
        let operands = bes.dependencies() as u64;
        let closed = solve_closed(&Arc::new(bes), Crew::threads(threads), calm()).unwrap();
        assert_eq!(closed.value, expected, "{shape:?}, seed {seed}, closed: {text}");
        assert_eq!((closed.variables, closed.dependencies), (u64::from(variables), operands));
    }
}

#[test]
fn alternation_free() {
    agree(Shape::AlternationFree, 0..700);
}

#[test]
fn alternating() {
    agree(Shape::Alternating, 0..500);
}

#[test]
fn acyclic() {
    agree(Shape::Acyclic, 0..300);
}

#[test]
fn chains() {
    agree(Shape::Chain, 0..500);
}

/// A long run, for `cargo test -- --ignored`.
#[test]
#[ignore = "minutes"]
fn many() {
    for shape in [Shape::AlternationFree, Shape::Alternating, Shape::Acyclic, Shape::Chain] {
        agree(shape, 1000..6000);
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
    let counting = "pbes mu X(n: Nat, b: Bool) = val(n > 2000) || (X(n + 1, !b) && Y(n, b));\n\
                    nu Y(n: Int, b: Bool) = Y(-n, b) && (val(b) || Y(n, true));\ninit X(0, false);";
    let mut sequential = Solver::new(pbes::parse(counting).unwrap().instance().unwrap());
    let value = sequential.solve(Method::BreadthFirst, &mut |_| true).unwrap();
    for threads in 1..=4 {
        let found = parameterised(counting, threads).unwrap();
        assert_eq!(found.value, value);
        assert!(found.variables > 2000);
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
    let needed = "pbes mu X(n: Int) = X(n + 1) || val(1 div (n - 3) > 5); init X(0);";
    let mut text = String::from("pbes mu X(n: Int) = val(n == 0) || Y(n - 1); ");
    text += "mu Y(n: Int) = val(9223372036854775807 + n > 0) || X(n); init X(0);";
    for threads in 1..=3 {
        assert!(parameterised(&text, threads).unwrap().value);
        let _ = needed;
    }
    let overflow = "pbes mu X(n: Int) = Y(n) && X(n); mu Y(n: Int) = val(9223372036854775807 + n > 0);\
                    init X(1);";
    for threads in 1..=3 {
        let error = parameterised(overflow, threads).unwrap_err();
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
