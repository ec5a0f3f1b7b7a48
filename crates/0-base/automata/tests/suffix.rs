//! Suffix implications with temporal conclusions: the automaton against the definition, on words.

use crate::common::{Rng, Word, atoms, random_formula};
use automata::ltl::{Atom, Formulas, parse_atom};
use automata::sere::{Nfa, Sere, property};
use automata::{Options, suffix, translate};

const TRIGGERS: [&str; 12] = [
    "a",
    "true[*]; a",
    "a; b",
    "a[*]; b",
    "true[*]; a; b[->1]",
    "{a; true}[+]",
    "a[*2:3] | b; c[=1]",
    "true[*]; {a && !b}; c",
    "{a; true[*]; b} && {true[*4]}",
    "a : {b | c; true[*]}",
    "true[*]",
    "!a[*]; a & {b; c}",
];

/// Whether `f` holds at the last letter of every beginning of the word that the automaton accepts.
fn holds(word: &Word, trigger: &Nfa, formulas: &Formulas, f: automata::ltl::FormulaId) -> bool {
    let n = word.letters.len();
    let next = |i: usize| if i + 1 < n { i + 1 } else { word.stem };
    let mut states = vec![false; trigger.accepting.len()];
    states[0] = true;
    let mut at = 0;
    // Letters and sets of states repeat themselves after at most so many steps.
    for _ in 0..n << trigger.accepting.len().min(12) {
        let letter = |atom: u32| {
            let name = &trigger.atoms[atom as usize];
            word.letters[at] >> (name.as_bytes()[0] - b'a') & 1 == 1
        };
        let mut after = vec![false; states.len()];
        for &(from, condition, to) in &trigger.transitions {
            after[to as usize] |= states[from as usize] && trigger.holds(condition, &letter);
        }
        if after.iter().zip(&trigger.accepting).any(|(here, accepts)| *here && *accepts) {
            // The rest of the word.
            let rest = match at < word.stem {
                true => Word { stem: word.stem - at, letters: word.letters[at..].to_vec() },
                false => {
                    let (head, tail) = (&word.letters[word.stem..at], &word.letters[at..]);
                    Word { stem: 0, letters: [tail, head].concat() }
                }
            };
            if !rest.satisfies(formulas, f) {
                return false;
            }
        }
        states = after;
        at = next(at);
    }
    true
}

#[test]
fn automata_accept_the_words_that_violate() {
    let mut rng = Rng(11);
    let (mut yes, mut no) = (0, 0);
    for round in 0..240 {
        let text = format!("{{{}}}(F a)", TRIGGERS[round % TRIGGERS.len()]);
        let Ok(Sere::Suffix { trigger, conclusion }) = property(&text, &|_| false) else {
            panic!("{text}");
        };
        assert_eq!(&text[conclusion], "F a");
        assert!(trigger.accepting.len() <= 12, "{text}");
        let mut formulas = Formulas::new();
        let letters = atoms(&mut formulas, 3);
        let size = 1 + rng.below(6);
        let f = random_formula(&mut rng, &mut formulas, &letters, size);
        let not = formulas.not(f);
        let negated = translate(&formulas, not, &Options::default()).unwrap();
        let names: Vec<Atom> = trigger.atoms.iter().map(|a| parse_atom(a).unwrap()).collect();
        let automaton = suffix(&trigger, &names, &negated).unwrap();
        assert_eq!(automaton.validate(), Ok(()));
        for _ in 0..20 {
            let word = Word::random(&mut rng, 3);
            let expected = holds(&word, &trigger, &formulas, f);
            *(if expected { &mut yes } else { &mut no }) += 1;
            assert_eq!(
                !word.accepted_by(&automaton),
                expected,
                "{text} {round} {:?}",
                word.letters
            );
        }
    }
    assert!(yes > 500 && no > 500, "{yes} {no}");
}

#[test]
fn conclusions_are_booleans_or_formulas() {
    let words = |text: &str| match property(text, &|word| word == "Flag") {
        Ok(Sere::Words(nfa)) => nfa,
        other => panic!("{text}: {other:?}"),
    };
    // As in Sugar, and with LTL's other connectives.
    assert!(words("{a}(b)").accepts(&[vec![0]]));
    let nfa = words("{a}(b -> c)");
    let of = |name: &str| nfa.atoms.iter().position(|a| a == name).unwrap() as u32;
    assert!(nfa.accepts(&[vec![of("a"), of("b")]]) && !nfa.accepts(&[vec![of("a")]]));
    assert_eq!(words("{a} |-> Flag").atoms, ["a", "Flag"]);
    assert_eq!(words("never {main::x; \"y == 1\"}").atoms, ["main::x", "\"y == 1\""]);
    for text in ["{a}(F b)", "{a} |=> b U c", "{a}(G(b))", "{a}(X Flag)", "{a}((b W c) | a)"] {
        assert!(matches!(property(text, &|w| w == "Flag"), Ok(Sere::Suffix { .. })), "{text}");
    }
    for (text, at) in [("{a}(b c)", 6), ("{a}(b U)", 7), ("{a}", 3), ("{a}(b) c", 7)] {
        assert_eq!(property(text, &|_| false).unwrap_err().at, at, "{text}");
    }
}
