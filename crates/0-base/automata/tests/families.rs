//! Formulas of growing size, as Spot's `genltl` makes them: what can be translated, and whether it is right.

use crate::common::Rng;
use crate::common::families::FAMILIES;
use automata::ltl::{AtomId, eval_lasso, parse};
use automata::{Options, translate};

/// The size at which each family is translated. Spot's own benchmarks of families go up to 20, and to 13 for
/// counters; where the automaton is exponential, the size is as large as its states allow.
const SIZES: &[(&str, usize)] = &[
    ("and-f", 8),
    ("and-fg", 100),
    ("and-gf", 100),
    ("ccj-alpha", 8),
    ("ccj-beta", 20),
    ("ccj-beta-prime", 20),
    ("fxg-or", 20),
    ("gf-equiv", 20),
    ("gf-equiv-xn", 6),
    ("gf-implies", 100),
    ("gf-implies-xn", 20),
    ("gh-q", 6),
    ("gh-r", 6),
    ("go-theta", 100),
    ("gxf-and", 100),
    ("ms-example", 6),
    ("ms-phi-h", 10),
    ("ms-phi-r", 10),
    ("ms-phi-s", 10),
    ("or-fg", 100),
    ("or-g", 20),
    ("or-gf", 100),
    ("r-left", 20),
    ("r-right", 40),
    ("rv-counter", 5),
    ("rv-counter-linear", 5),
    ("rv-counter-carry", 5),
    ("rv-counter-carry-linear", 5),
    ("sejk-f", 20),
    ("sejk-j", 100),
    ("sejk-k", 6),
    ("strong-fair", 7),
    ("response", 6),
    ("tv-f1", 20),
    ("tv-f2", 20),
    ("tv-g1", 20),
    ("tv-g2", 20),
    ("tv-uu", 8),
    ("u-left", 8),
    ("u-right", 40),
];

/// Words for a formula: random ones in which most atoms hold, few do, and each in a letter of its own.
fn words(rng: &mut Rng, atoms: usize) -> Vec<(usize, Vec<Vec<bool>>)> {
    let mut words = Vec::new();
    for round in 0..40 {
        let (stem, cycle) = (rng.below(6), 1 + rng.below(6));
        let odds = [1, 2, 8, 64, 63, 56][round % 6];
        let mut letter = |_| (0..atoms).map(|_| rng.below(64) < odds).collect();
        words.push((stem, (0..stem + cycle).map(&mut letter).collect()));
    }
    for missing in [atoms, 0, 1, atoms / 2, atoms - 1] {
        let letter = |i: usize| (0..atoms).map(|a| a == i && a != missing).collect();
        words.push((0, (0..atoms).map(letter).collect()));
        let letter = |i: usize| (0..atoms).map(|a| a >= i && a != missing).collect();
        words.push((atoms - 1, (0..atoms).map(letter).collect()));
    }
    words
}

#[test]
fn families_are_translated() {
    assert_eq!(SIZES.len(), FAMILIES.len());
    let mut rng = Rng(7);
    let (mut yes, mut no) = (0, 0);
    for (name, make) in FAMILIES {
        let (_, most) = SIZES.iter().find(|(family, _)| family == name).expect(name);
        for n in [1, 2, 3, *most] {
            let formula = parse(&make(n)).unwrap_or_else(|error| panic!("{name} {n}: {error}"));
            let automaton = translate(&formula.formulas, formula.root, &Options::default())
                .unwrap_or_else(|error| panic!("{name} {n}: {error}"));
            automaton.validate().unwrap();
            let atoms = formula.formulas.atoms_of(formula.root);
            for (stem, letters) in words(&mut rng, atoms.len()) {
                let cycle = letters.len() - stem;
                let holds = |i: usize, atom: AtomId| {
                    letters[i][atoms.binary_search(&atom).expect("an atom of the formula")]
                };
                let expected = eval_lasso(&formula.formulas, formula.root, stem, cycle, holds);
                let accepted = automaton.accepts_lasso(stem, cycle, |i, a| letters[i][a as usize]);
                assert_eq!(accepted, expected, "{name} {n} on {stem} {letters:?}");
                *(if expected { &mut yes } else { &mut no }) += 1;
            }
        }
    }
    assert!(yes > 1000 && no > 1000, "{yes} {no}");
}
