//! Parity games: two algorithms and the definition against each other, families on which algorithms
//! take long, and the format.

use bes::{Algorithm, Bes, BesBuilder, Op, Sign, pg};
use families::{Family, GameKind, ParityGame};

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

const ALGORITHMS: [Algorithm; 3] = [Algorithm::Recursion, Algorithm::Tangles, Algorithm::Turns];

/// A game in which nearly everybody can move.
fn random_game(random: &mut Random, most: u32) -> Bes {
    let n = 1 + random.below(most);
    let most = 1 + random.below(n);
    let blocks = 1 + random.below(most);
    let degree = 1 + random.below(3);
    let first = random.below(2);
    let mut builder = BesBuilder::new();
    for b in 0..blocks {
        builder.block(if (b + first).is_multiple_of(2) { Sign::Nu } else { Sign::Mu });
    }
    for _ in 0..n {
        let op = if random.below(2) == 0 { Op::Or } else { Op::And };
        let count = match random.below(40) {
            0 => 0,
            _ => 1 + random.below(degree),
        };
        let operands: Vec<u32> = (0..count).map(|_| random.below(n)).collect();
        builder.equation(random.below(blocks), op, operands);
    }
    builder.build(0).unwrap()
}

/// Solves by every algorithm, and as systems are solved; all strategies are checked.
fn agreed(bes: &mut Bes, shown: &dyn Fn() -> String) -> Vec<bool> {
    let (values, strategy) = bes.solve_with_strategy(&mut |_| true).unwrap();
    let checked = bes.check_all(&values, &strategy);
    assert!(checked.is_ok(), "{checked:?}: {}", shown());
    for algorithm in ALGORITHMS {
        let (other, strategy) = bes.solve_as_game(algorithm, &mut |_| true).unwrap();
        assert!(values == other, "{algorithm:?}: {}", shown());
        let checked = bes.check_all(&values, &strategy);
        assert!(checked.is_ok(), "{algorithm:?}, {checked:?}: {}", shown());
    }
    values
}

#[test]
fn algorithms_agree_on_random_games() {
    for (seed, rounds, most) in [(1, 3_000, 8), (2, 3_000, 40), (3, 300, 300), (4, 20, 3_000)] {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
        for round in 0..rounds {
            let mut bes = random_game(&mut random, most);
            let text = pg::write(&bes);
            let values = agreed(&mut bes, &|| format!("seed {seed}, round {round}\n{text}"));
            let (global, main) =
                (bes.solve_globally(&mut |_| true).unwrap(), bes.initial_variable());
            assert_eq!(global, values);
            let (_, strategy) = bes.solve_with_strategy(&mut |_| true).unwrap();
            let explanation = bes.explanation(main, &values, &strategy);
            assert_eq!(bes::check(&mut bes, &main, &explanation).unwrap(), Ok(()));
        }
    }
}

/// A strategy that is changed is noticed, if the change loses.
#[test]
fn a_wrong_solution_is_refuted() {
    let text = "parity 2; 0 1 0 0,1; 1 2 0 0,2; 2 0 1 1,2;";
    let mut bes = pg::read(text.as_bytes(), &mut |_| true).unwrap().bes;
    let (values, strategy) = bes.solve_with_strategy(&mut |_| true).unwrap();
    assert_eq!(values, [true, true, true]);
    assert_eq!(bes.check_all(&values, &strategy), Ok(()));
    let mut worse = strategy.clone();
    worse[0] = 0;
    assert!(bes.check_all(&values, &worse).is_err());
    worse[0] = 2;
    assert!(bes.check_all(&values, &worse).is_err(), "there is no such move");
    assert!(bes.check_all(&[true, true, false], &strategy).is_err());
}

fn family(kind: GameKind, size: u32, dual: bool) -> Bes {
    let mut text = Vec::new();
    Family::Game(ParityGame { kind, size, dual, seed: 1 }).write(&mut text).unwrap();
    pg::read(&text[..], &mut |_| true).unwrap().bes
}

/// Members that exponential algorithms never finish.
#[test]
fn families_stay_polynomial() {
    let families = [
        (GameKind::Core, 40),
        (GameKind::Robust, 25),
        (GameKind::Delayed, 200),
        (GameKind::Promotion, 200),
        (GameKind::TwoCounters, 8),
        (GameKind::Measures, 200),
        (GameKind::Recovery, 200),
        (GameKind::Distraction, 100),
        (GameKind::Clique, 300),
        (GameKind::Ladder, 5_000),
        (GameKind::RecursiveLadder, 100),
        (GameKind::Jurdzinski, 30),
        (GameKind::Random, 20_000),
    ];
    for (kind, size) in families {
        let mut winners = Vec::new();
        for dual in [false, true] {
            let mut bes = family(kind, size, dual);
            let mut asked = 0u64;
            let solved = bes.solve_with_strategy(&mut |_| {
                asked += 1;
                asked < 4_000
            });
            let Some((values, strategy)) = solved else { panic!("{kind:?} {size} takes too long") };
            assert_eq!(bes.check_all(&values, &strategy), Ok(()), "{kind:?}");
            winners.push(values.iter().map(|&value| value != dual).collect::<Vec<bool>>());
        }
        assert_eq!(winners[0], winners[1], "{kind:?} and its dual");
    }
}

/// Small members, by all algorithms.
#[test]
fn algorithms_agree_on_families() {
    use GameKind as K;
    let kinds = [
        K::Core,
        K::Robust,
        K::Delayed,
        K::Promotion,
        K::TwoCounters,
        K::Measures,
        K::Recovery,
        K::Distraction,
        K::Clique,
        K::Ladder,
        K::RecursiveLadder,
        K::Jurdzinski,
    ];
    for kind in kinds {
        for size in 1..=4 {
            let mut bes = family(kind, size, size.is_multiple_of(2));
            agreed(&mut bes, &|| format!("{kind:?} {size}"));
        }
    }
}

#[test]
fn a_game_is_read_and_written() {
    let text = "parity 7;\nstart 7;\n 3 4 1 7 , 3 \"a; b\" ;\n7 5 0 3;\n0 2 0;";
    let game = pg::read(text.as_bytes(), &mut |_| true).unwrap();
    assert_eq!(game.numbers, [3, 7, 0]);
    assert_eq!((game.vertex(3), game.vertex(7), game.vertex(0)), (Some(0), Some(1), Some(2)));
    assert_eq!(game.vertex(1), None);
    assert_eq!(game.bes.initial_variable(), 1);
    assert_eq!(game.bes.name_of(0), "a; b");
    assert_eq!(game.bes.operands(0), [1, 0]);
    let (values, strategy) = game.bes.solve_with_strategy(&mut |_| true).unwrap();
    assert_eq!(values, [false, false, false]);
    let solution = game.solution(&values, &strategy);
    assert_eq!(solution, "paritysol 7;\n3 1 7;\n7 1;\n0 1;\n");
    // The vertex asked for comes first; one without moves moves to itself, and loses.
    let written = pg::write(&game.bes);
    assert_eq!(written, "parity 2;\n0 1 0 1 \"7\";\n1 0 1 0,1 \"a; b\";\n2 1 0 2 \"0\";\n");
}

#[test]
fn what_is_no_game_is_refused() {
    let cases = [
        ("parity 1;\n0 0 0 1;\n", "vertex"),
        ("0 0 0 0;\n0 1 1 0;\n", "`0`"),
        ("0 0 2 0;\n", "owner"),
        ("0 99999999999 0 0;", "number"),
        ("parity 1;", "no vertex"),
        ("0 0 0 0,;", "number of a vertex"),
        ("0 0 0 0 \"x", "`\"` expected"),
        ("start 3; 0 0 0 0;", "`3`"),
        ("paritysol 3;", "paritysol"),
        ("0 0 0 0", "`;`"),
    ];
    for (text, expected) in cases {
        let Err(error) = pg::read(text.as_bytes(), &mut |_| true) else {
            panic!("{text:?} is no game");
        };
        assert!(error.to_string().contains(expected), "{text:?}: {error}");
    }
}

/// A system, written as a game and read, has the same value.
#[test]
fn systems_are_games() {
    let mut random = Random(77);
    for _ in 0..500 {
        let n = 1 + random.below(12);
        let mut builder = BesBuilder::new();
        let blocks = 1 + random.below(4);
        for _ in 0..blocks {
            builder.block(if random.below(2) == 0 { Sign::Mu } else { Sign::Nu });
        }
        for _ in 0..n {
            let op = if random.below(2) == 0 { Op::Or } else { Op::And };
            let operands: Vec<u32> = (0..random.below(4)).map(|_| random.below(n)).collect();
            builder.equation(random.below(blocks), op, operands);
        }
        let bes = builder.build(random.below(n)).unwrap();
        let value = bes.solve_globally(&mut |_| true).unwrap()[bes.initial_variable() as usize];
        let text = pg::write(&bes);
        let game = pg::read(text.as_bytes(), &mut |_| true).unwrap().bes;
        let values = game.solve_globally(&mut |_| true).unwrap();
        assert_eq!(game.initial_variable(), 0);
        assert_eq!(values[0], value, "{}\n{text}", bes.to_mcrl2());
        assert_eq!(pg::write(&game), text);
    }
}

/// Games of others with known winners, where they are present.
#[test]
fn public_games() {
    let root = match std::env::var_os("POSTBOP_CORPUS") {
        Some(path) => std::path::PathBuf::from(path),
        None => std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus"),
    };
    let corpus = root.join("mu");
    if !corpus.is_dir() {
        return;
    }
    let table = std::fs::read_to_string(corpus.join("games.tsv")).unwrap();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let file = std::io::BufReader::new(std::fs::File::open(corpus.join(cells[1])).unwrap());
        let text = bes::gunzip::open(file).unwrap();
        let mut game = pg::read(text, &mut |_| true).unwrap();
        let at = game.vertex(0).unwrap() as usize;
        let values = agreed(&mut game.bes, &|| cells[0].to_owned());
        assert_eq!(values[at], cells[2] == "even", "{}", cells[0]);
    }
}
