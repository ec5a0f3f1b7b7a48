//! Every algorithm against the definition, on random systems; every explanation is checked, and
//! corrupted ones are refused.

use bes::{Bes, BesBuilder, Method, Op, Place, Shape, Sign, SolveError, Solver, System, check};

/// Reproducible numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// Any signs, any dependencies.
    Alternating,
    /// Dependencies lead to the same block or to a later one.
    AlternationFree,
    /// The same, and every block is disjunctive or conjunctive.
    Special,
    /// Dependencies lead to later variables.
    Acyclic,
    /// Alternation-free, every block of a shape of its own: general, disjunctive, conjunctive,
    /// acyclic.
    Shapes,
}

/// A system of at most `most` variables.
fn system(random: &mut Random, kind: Kind, most: u32) -> Bes {
    let blocks = 1 + random.below(4);
    let n = 1 + random.below(most);
    let mut builder = BesBuilder::new();
    let (mut ops, mut shapes) = (Vec::new(), Vec::new());
    for _ in 0..blocks {
        builder.block(if random.below(2) == 0 { Sign::Mu } else { Sign::Nu });
        // The operator of a disjunctive or conjunctive block; that of others does not count.
        ops.push(if random.below(2) == 0 { Op::Or } else { Op::And });
        shapes.push(match kind {
            Kind::Alternating | Kind::AlternationFree => Kind::AlternationFree,
            Kind::Special | Kind::Acyclic => kind,
            Kind::Shapes => [Kind::AlternationFree, Kind::Special, Kind::Special, Kind::Acyclic]
                [random.below(4) as usize],
        });
    }
    let mut block: Vec<u32> = (0..n).map(|_| random.below(blocks)).collect();
    block.sort_unstable();
    for v in 0..n {
        let mut op = if random.below(2) == 0 { Op::Or } else { Op::And };
        let mut operands: Vec<u32> = Vec::new();
        let shape = shapes[block[v as usize] as usize];
        for _ in 0..random.below(5) {
            let y = random.below(n);
            let fits = match (kind, shape) {
                (Kind::Alternating, _) => true,
                (_, Kind::Acyclic) => y > v,
                _ => block[y as usize] >= block[v as usize],
            };
            if fits {
                operands.push(y);
            }
        }
        if shape == Kind::Special {
            let mine = ops[block[v as usize] as usize];
            let inside = operands.iter().filter(|&&y| block[y as usize] == block[v as usize]);
            if inside.count() > 1 {
                op = mine;
            }
        }
        builder.equation(block[v as usize], op, operands);
    }
    builder.build(random.below(n)).unwrap()
}

/// The definition: fixpoints of blocks, nested, each iterated from its default value; all inner
/// ones start over whenever an outer one changes.
fn naive(bes: &Bes) -> Vec<bool> {
    let signs: Vec<Sign> = bes.blocks().collect();
    let n = bes.len() as u32;
    let mut value: Vec<bool> =
        (0..n).map(|v| signs[bes.block_of(v) as usize].default_value()).collect();
    let eval = |value: &[bool], v: u32| {
        let mut operands = bes.operands(v).iter().map(|&y| value[y as usize]);
        match bes.op_of(v) {
            Op::Or => operands.any(|b| b),
            Op::And => operands.all(|b| b),
        }
    };
    loop {
        // The innermost block that is no solution moves one step; blocks inside it start over.
        let unstable = (0..n).filter(|&v| eval(&value, v) != value[v as usize]);
        let Some(block) = unstable.map(|v| bes.block_of(v)).max() else { return value };
        let next: Vec<bool> = (0..n).map(|v| eval(&value, v)).collect();
        for v in 0..n {
            if bes.block_of(v) == block {
                value[v as usize] = next[v as usize];
            } else if bes.block_of(v) > block {
                value[v as usize] = signs[bes.block_of(v) as usize].default_value();
            }
        }
    }
}

fn agree(kind: Kind, seed: u64, rounds: u32, most: u32) {
    let mut random = Random(seed);
    let mut refused = 0;
    let (mut special, mut acyclic) = (0, 0);
    for round in 0..rounds {
        let mut bes = system(&mut random, kind, most);
        let expected = naive(&bes);
        let shown = || format!("{kind:?}, round {round}:\n{}", bes.to_mcrl2());
        let global = bes.solve_globally(&mut |_| true).unwrap();
        assert_eq!(global, expected, "{}", shown());
        let text = shown();
        let main = bes.initial_variable();
        for method in Method::ALL {
            let mut solver = Solver::new(&mut bes);
            let value = solver.solve(method, &mut |_| true).unwrap();
            assert_eq!(value, expected[main as usize], "{method:?}, {text}");
            let stats = solver.stats();
            special += stats.special;
            acyclic += stats.acyclic;
            // Special groups are solved with memory for variables only.
            match (kind, method) {
                (_, Method::BreadthFirst | Method::Global) => {}
                (Kind::Acyclic, _) | (Kind::Special, Method::Auto) => {
                    assert_eq!(stats.stored, 0, "{method:?}, {text}");
                }
                _ => {}
            }
            // What else it knows is right, and more calls on the same solver are.
            for v in 0..expected.len() as u32 {
                if let Some(known) = solver.value(&v) {
                    assert_eq!(known, expected[v as usize], "{method:?}, X{v}, {text}");
                }
            }
            let first = solver.explain(&main).unwrap().unwrap();
            for v in 0..expected.len() as u32 {
                let value = solver.solve_for(&v, method, &mut |_| true).unwrap();
                assert_eq!(value, expected[v as usize], "{method:?}, X{v}, {text}");
                let explanation = solver.explain(&v).unwrap().unwrap();
                assert_eq!(explanation.value, value);
                let system = solver.system();
                assert_eq!(check(system, &v, &explanation).unwrap(), Ok(()), "{text}");
            }
            let system = solver.system();
            assert_eq!(check(system, &main, &first).unwrap(), Ok(()), "{text}");
            // The opposite value cannot be explained, whatever is said.
            let mut wrong = first.clone();
            wrong.value = !wrong.value;
            assert!(check(system, &main, &wrong).unwrap().is_err(), "{text}");
            let mut wrong = first.clone();
            let at = random.below(wrong.variables.len() as u32) as usize;
            if wrong.variables[at].operands.pop().is_some() {
                assert!(check(system, &main, &wrong).unwrap().is_err(), "{text}");
                refused += 1;
            }
            let mut wrong = first.clone();
            wrong.variables[at].op = wrong.variables[at].op.dual();
            assert!(check(system, &main, &wrong).unwrap().is_err(), "{text}");
            let mut wrong = first.clone();
            wrong.variables.pop();
            assert!(check(system, &main, &wrong).unwrap().is_err(), "{text}");
            let mut wrong = first.clone();
            wrong.variables[at].sign = wrong.variables[at].sign.dual();
            assert!(check(system, &main, &wrong).unwrap().is_err(), "{text}");
            let mut wrong = first.clone();
            let again = wrong.variables[at].clone();
            wrong.variables.push(again);
            assert!(check(system, &main, &wrong).unwrap().is_err(), "{text}");
            let mut wrong = first.clone();
            let beyond = wrong.variables.len() as u32;
            wrong.variables[at].operands.push(beyond);
            assert!(check(system, &main, &wrong).unwrap().is_err(), "{text}");
            // An arbitrary subset that claims the wrong value is refused, too.
            let everything = claim(system, !value, expected.len() as u32, main, &mut random);
            assert!(check(system, &main, &everything).unwrap().is_err(), "{text}");
        }
    }
    assert!(refused > rounds / 2, "few explanations were corrupted: {refused}");
    if kind == Kind::Special {
        assert!(special > u64::from(rounds), "special groups are treated as such: {special}");
    }
    assert!(acyclic > u64::from(rounds), "groups can be declared acyclic: {acyclic}");
}

/// Claims `value` for all variables, with an arbitrary choice of operands.
fn claim(
    bes: &mut Bes,
    value: bool,
    n: u32,
    main: u32,
    random: &mut Random,
) -> bes::Explanation<u32> {
    let order: Vec<u32> = std::iter::once(main).chain((0..n).filter(|&v| v != main)).collect();
    let position = |y: u32| order.iter().position(|&v| v == y).unwrap() as u32;
    let variables = order.iter().map(|&v| {
        let place = bes.place(&v);
        let (op, all) = (bes.op_of(v), bes.operands(v));
        let mut operands: Vec<u32> = all.iter().map(|&y| position(y)).collect();
        if op.neutral() != value && !operands.is_empty() {
            operands = vec![operands[random.below(operands.len() as u32) as usize]];
        }
        operands.sort_unstable();
        operands.dedup();
        bes::Explained { key: v, op, rank: place.rank, sign: place.sign, operands }
    });
    bes::Explanation { value, variables: variables.collect() }
}

#[test]
fn alternating() {
    agree(Kind::Alternating, 0x5eed_0001, 2_500, 12);
}

#[test]
fn alternation_free() {
    agree(Kind::AlternationFree, 0x5eed_0002, 2_000, 12);
}

#[test]
fn disjunctive_and_conjunctive() {
    agree(Kind::Special, 0x5eed_0003, 2_000, 12);
}

#[test]
fn acyclic() {
    agree(Kind::Acyclic, 0x5eed_0004, 1_000, 12);
}

#[test]
fn shapes() {
    agree(Kind::Shapes, 0x5eed_0005, 1_500, 20);
}

/// `cargo test --release -p bes random:: -- --ignored`
#[test]
#[ignore = "takes a minute"]
fn ten_thousand() {
    agree(Kind::Shapes, 0x5eed_0006, 10_000, 40);
    agree(Kind::Alternating, 0x5eed_0007, 10_000, 14);
}

/// A system that gives so many equations and then none.
struct Failing<'a> {
    system: &'a mut Bes,
    left: u32,
}

impl System for Failing<'_> {
    type Key = u32;
    type Error = &'static str;

    fn initial(&mut self) -> Result<u32, Self::Error> {
        Ok(self.system.initial_variable())
    }

    fn equation(&mut self, key: &u32, operands: &mut Vec<u32>) -> Result<Op, Self::Error> {
        self.left = self.left.checked_sub(1).ok_or("no more")?;
        operands.extend_from_slice(self.system.operands(*key));
        Ok(self.system.op_of(*key))
    }

    fn place(&self, key: &u32) -> Place {
        self.system.place(key)
    }

    fn shape(&self, group: u32) -> Shape {
        self.system.shape(group)
    }

    fn name(&self, key: &u32) -> String {
        self.system.name(key)
    }
}

/// Stable values, and only those, persist: whatever interrupts a call, what is known after it is
/// right, and later calls go on from there.
#[test]
fn interrupted() {
    let mut random = Random(0x5eed_0008);
    let (mut stopped, mut kept) = (0, 0);
    for round in 0..2_000 {
        let kind = if round % 2 == 0 { Kind::Shapes } else { Kind::Alternating };
        let mut bes = system(&mut random, kind, 14);
        let expected = naive(&bes);
        let n = expected.len() as u32;
        let text = bes.to_mcrl2();
        for method in Method::ALL {
            let left = random.below(n + 1);
            let mut solver = Solver::new(Failing { system: &mut bes, left });
            for _ in 0..3 {
                let v = random.below(n);
                match solver.solve_for(&v, method, &mut |_| true) {
                    Ok(value) => assert_eq!(value, expected[v as usize], "{method:?}, {text}"),
                    Err(error) => {
                        assert_eq!(error, SolveError::System("no more"));
                        stopped += 1;
                    }
                }
                for v in 0..n {
                    if let Some(known) = solver.value(&v) {
                        assert_eq!(known, expected[v as usize], "{method:?}, X{v}, {text}");
                        kept += 1;
                    }
                }
                solver.system().left = random.below(n + 1);
            }
            solver.system().left = u32::MAX;
            for v in 0..n {
                let value = solver.solve_for(&v, method, &mut |_| true).unwrap();
                assert_eq!(value, expected[v as usize], "{method:?}, X{v}, {text}");
            }
        }
    }
    assert!(
        stopped > 5_000 && kept > 5_000,
        "{stopped} calls were interrupted, {kept} values kept"
    );
}
