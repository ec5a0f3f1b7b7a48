//! Automata against the meaning of formulas on words, and against a second translation.

use crate::common::{BINARY, Rng, UNARY, Word, atoms, random_formula};
use automata::ltl::{FormulaId, Formulas};
use automata::{Options, Tgba, degeneralize, hoa, tableau, translate};

/// The options that are compared: everything, nothing, and each reduction on its own.
fn variants() -> Vec<(&'static str, Options)> {
    let on = |change: fn(&mut Options)| {
        let mut options = Options::plain();
        change(&mut options);
        options
    };
    vec![
        ("everything", Options::default()),
        ("nothing", Options::plain()),
        ("rewriting", on(|options| options.rewrite = true)),
        ("simulation", on(|options| options.simulation = true)),
        ("obligations", on(|options| options.obligations = true)),
        ("quotient", on(|options| options.quotient = true)),
    ]
}

#[track_caller]
fn check(formulas: &Formulas, f: FormulaId, name: &str, automaton: &Tgba, words: &[Word]) {
    automaton.validate().unwrap_or_else(|error| panic!("{}: {error}", formulas.text(f)));
    for word in words {
        assert_eq!(
            word.accepted_by(automaton),
            word.satisfies(formulas, f),
            "{} with {name} on {word:?}",
            formulas.text(f)
        );
    }
}

/// All formulas with at most so many operators and atoms.
fn all_formulas(formulas: &mut Formulas, atoms: &[FormulaId], size: usize) -> Vec<FormulaId> {
    let mut by_size: Vec<Vec<FormulaId>> = vec![Vec::new(), atoms.to_vec()];
    for n in 2..=size {
        let mut level = Vec::new();
        for &f in &by_size[n - 1].clone() {
            level.extend(UNARY.map(|op| formulas.unary(op, f)));
        }
        for left in 1..n - 1 {
            for &f in &by_size[left].clone() {
                for &g in &by_size[n - 1 - left].clone() {
                    // Implication and its kind are made of the others.
                    level.extend(BINARY[..6].iter().map(|&op| formulas.binary(op, f, g)));
                }
            }
        }
        by_size.push(level);
    }
    by_size.concat()
}

#[test]
fn all_small_formulas_on_all_short_words() {
    let mut formulas = Formulas::new();
    let atoms = atoms(&mut formulas, 2);
    let all = all_formulas(&mut formulas, &atoms, 5);
    assert_eq!(all.len(), 2 + 8 + 56 + 416 + 3392);
    let words = Word::all(2, 1, 2);
    let longer = Word::all(2, 2, 3);
    let mut rng = Rng(5);
    for &f in &all {
        let automaton = translate(&formulas, f, &Options::default()).expect("small formulas");
        check(&formulas, f, "everything", &automaton, &words);
        let some: Vec<Word> = (0..20).map(|_| longer[rng.below(longer.len())].clone()).collect();
        check(&formulas, f, "everything", &automaton, &some);
    }
}

#[test]
fn ten_thousand_random_pairs() {
    let mut rng = Rng(1);
    let options = variants();
    let mut pairs = 0;
    let mut accepted = 0;
    while pairs < 10_000 {
        let mut formulas = Formulas::new();
        let atoms = atoms(&mut formulas, 3);
        let size = 3 + rng.below(12);
        let f = random_formula(&mut rng, &mut formulas, &atoms, size);
        let words: Vec<Word> = (0..10).map(|_| Word::random(&mut rng, 3)).collect();
        accepted += words.iter().filter(|word| word.satisfies(&formulas, f)).count();
        pairs += words.len();
        // Everything always, and one of the others in turn.
        for i in [0, 1 + pairs / 10 % (options.len() - 1)] {
            let (name, options) = &options[i];
            let automaton = translate(&formulas, f, options)
                .unwrap_or_else(|error| panic!("{}: {error}", formulas.text(f)));
            check(&formulas, f, name, &automaton, &words);
            if i == 0 {
                let buchi = degeneralize(&automaton, options).expect("small automata");
                assert!(buchi.marks <= 1 && buchi.state_marks().is_some());
                check(&formulas, f, "degeneralisation", &buchi, &words);
                let again = hoa::parse(&hoa::print(&automaton, None)).expect("our own output");
                assert_eq!(again, automaton, "{}", formulas.text(f));
            }
        }
    }
    assert!((2_000..8_000).contains(&accepted), "{accepted} of {pairs} words satisfy");
}

/// The plain tableau agrees with the meaning, and with the translation on all words: neither
/// accepts a word that the other's automaton of the negation accepts.
#[test]
fn tableau_agrees() {
    let mut rng = Rng(2);
    let mut compared = 0;
    while compared < 400 {
        let mut formulas = Formulas::new();
        let atoms = atoms(&mut formulas, 2);
        let size = 3 + rng.below(6);
        let f = random_formula(&mut rng, &mut formulas, &atoms, size);
        let negation = formulas.not(f);
        let (Some(yes), Some(no)) = (tableau(&formulas, f), tableau(&formulas, negation)) else {
            continue;
        };
        if yes.states > 1 << 8 {
            continue;
        }
        compared += 1;
        let words: Vec<Word> = (0..10).map(|_| Word::random(&mut rng, 2)).collect();
        check(&formulas, f, "the tableau", &yes, &words);
        let text = formulas.text(f);
        assert!(yes.is_disjoint(&no), "{text}");
        let automaton = translate(&formulas, f, &Options::default()).expect("small formulas");
        let negated = translate(&formulas, negation, &Options::default()).expect("small formulas");
        assert!(automaton.is_disjoint(&no), "{text}: accepts too much");
        assert!(negated.is_disjoint(&yes), "!({text}): accepts too much");
        assert_eq!(automaton.is_empty(), yes.is_empty(), "{text}");
        assert_eq!(negated.is_empty(), no.is_empty(), "!({text})");
    }
}
