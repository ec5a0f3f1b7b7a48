//! Tables that Spot computed: which words satisfy which formulas, and how large automata are.

use crate::common::{Word, table};
use automata::{Options, degeneralize, ltl, tableau, translate};

#[test]
fn words() {
    let Some(text) = table("ltl_words.tsv") else { return };
    let mut lines = text.lines();
    let words: Vec<Word> =
        lines.next().expect("a heading").split('\t').skip(1).map(Word::parse).collect();
    let mut rows = 0;
    for line in lines {
        let mut fields = line.split('\t');
        let formula = fields.next().expect("a formula");
        let expected: Vec<bool> = fields.map(|field| field == "1").collect();
        assert_eq!(expected.len(), words.len());
        let f = ltl::parse(formula).unwrap_or_else(|error| panic!("{formula}: {error}"));
        let automaton = translate(&f.formulas, f.root, &Options::default()).expect(formula);
        automaton.validate().expect(formula);
        let plain = translate(&f.formulas, f.root, &Options::plain()).expect(formula);
        let buchi = degeneralize(&automaton, &Options::default()).expect(formula);
        let reference = tableau(&f.formulas, f.root);
        for (word, &expected) in words.iter().zip(&expected) {
            assert_eq!(word.satisfies(&f.formulas, f.root), expected, "{formula} on {word:?}");
            assert_eq!(word.accepted_by(&automaton), expected, "{formula} on {word:?}");
            assert_eq!(word.accepted_by(&plain), expected, "{formula} on {word:?}, plain");
            assert_eq!(word.accepted_by(&buchi), expected, "{formula} on {word:?}, Büchi");
            if let Some(reference) = &reference {
                assert_eq!(word.accepted_by(reference), expected, "{formula} on {word:?}, tableau");
            }
        }
        rows += 1;
    }
    assert_eq!(rows, 150);
}

/// The number of states of all automata together. Spot's are 568 and 637.
const TGBA_STATES: u32 = 545;
const BA_STATES: u32 = 632;

#[test]
fn sizes() {
    let Some(text) = table("spot_sizes_patterns.tsv") else { return };
    let (mut states, mut spot, mut buchi_states, mut spot_buchi) = (0, 0, 0, 0);
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let f = ltl::parse(fields[1]).unwrap_or_else(|error| panic!("{}: {error}", fields[1]));
        let automaton = translate(&f.formulas, f.root, &Options::default()).expect(fields[1]);
        automaton.validate().expect(fields[1]);
        let buchi = degeneralize(&automaton, &Options::default()).expect(fields[1]);
        buchi.validate().expect(fields[1]);
        assert!(buchi.marks <= 1 && buchi.state_marks().is_some(), "{}", fields[1]);
        states += automaton.states;
        buchi_states += buchi.states;
        spot_buchi += fields[2].parse::<u32>().expect("a number");
        spot += fields[5].parse::<u32>().expect("a number");

        // The automaton of the negation, without any simplification, shares no word with it.
        let mut g = f.clone();
        let negation = g.formulas.not(g.root);
        if let Ok(negated) = translate(&g.formulas, negation, &Options::plain()) {
            assert!(automaton.is_disjoint(&negated), "{}", fields[1]);
            assert!(buchi.is_disjoint(&negated), "{}", fields[1]);
        }
    }
    assert!(states <= TGBA_STATES, "{states} states, Spot's have {spot}");
    assert!(buchi_states <= BA_STATES, "{buchi_states} states, Spot's have {spot_buchi}");
}
