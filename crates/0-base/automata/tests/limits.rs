//! Deep, long and hopeless formulas: an answer or an error, never a crash or a hang.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use automata::ltl::{self, eval_lasso, parse};
use automata::{KeepGoing, Options, TranslateError, hoa, tableau, translate};

const DEEP: usize = 100_000;

#[test]
fn deep_formulas() {
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("X ", ""),
        ("G F ", ""),
        ("a U (", ")"),
        ("(", " R a)"),
        ("a & X (", ")"),
        ("a | G (", ")"),
        ("b W (a M (", "))"),
        ("F (a & X F (", "))"),
        ("(", " <-> X a)"),
    ] {
        // The last one doubles at each level, and takes ten times as long as the others.
        let depth = if close.contains("<->") { DEEP / 10 } else { DEEP };
        let text = format!("{}p{}", open.repeat(depth), close.repeat(depth));
        let formula = parse(&text).expect(open);
        let printed = formula.to_string();
        let again = parse(&printed).expect(open);
        assert_eq!(again.to_string(), printed);
        let value = eval_lasso(&formula.formulas, formula.root, 1, 2, |i, _| i == 1);
        drop(again);
        // The translation gives an automaton that agrees, or says which limit it met.
        let options = Options { max_states: 500, ..Options::default() };
        match translate(&formula.formulas, formula.root, &options) {
            Ok(automaton) => {
                assert_eq!(automaton.accepts_lasso(1, 2, |i, _| i == 1), value, "{open}")
            }
            Err(error) => assert!(
                matches!(
                    error,
                    TranslateError::States { .. }
                        | TranslateError::Symbols { .. }
                        | TranslateError::Transitions { .. }
                        | TranslateError::Nodes { .. }
                ),
                "{open}: {error}"
            ),
        }
        let _ = tableau(&formula.formulas, formula.root);
    }
    let parentheses = "(".repeat(DEEP);
    assert!(parse(&parentheses).is_err());
}

#[test]
fn long_formulas() {
    let join = |operator: &str, part: &dyn Fn(usize) -> String, count: usize| {
        (0..count).map(part).collect::<Vec<_>>().join(operator)
    };
    let many = join(" & ", &|i| format!("p{i}"), DEEP);
    let formula = parse(&many).unwrap();
    let result = translate(&formula.formulas, formula.root, &Options::default());
    assert!(matches!(result, Err(TranslateError::Symbols { .. })), "{result:?}");
    // The parity of 60 atoms has 2^59 cubes, and a small diagram.
    let parity = |count| parse(&join(" ^ ", &|i| format!("p{i}"), count)).unwrap();
    let formula = parity(60);
    let automaton = translate(&formula.formulas, formula.root, &Options::default()).unwrap();
    assert_eq!(automaton.labels.len(), 2 * 60 - 1);
    assert_eq!(automaton.covers(1 << 12)[0], None);
    let text = hoa::print(&automaton, None);
    assert!(text.contains("Alias: @n0 59"), "{text}");
    let again = hoa::parse(&text).unwrap();
    for automaton in [&automaton, &again] {
        assert!(automaton.accepts_lasso(1, 1, |i, atom| i == 0 && atom % 4 == 1));
        assert!(!automaton.accepts_lasso(1, 1, |i, atom| i == 0 && atom % 3 == 1));
    }
    let automaton = {
        let formula = parity(12);
        translate(&formula.formulas, formula.root, &Options::default()).unwrap()
    };
    assert_eq!(automaton.covers(1 << 12)[0].as_ref().unwrap().cubes.len(), 1 << 11);
    // Promises are as many marks, whatever their number, and one state.
    let fair = |count| parse(&join(" & ", &|i| format!("G F p{i}"), count)).unwrap();
    for count in [2, 10, 16, 40, 200] {
        let formula = fair(count);
        let automaton = translate(&formula.formulas, formula.root, &Options::default()).unwrap();
        automaton.validate().unwrap();
        assert_eq!((automaton.states, automaton.marks), (1, count as u32));
        assert!(automaton.transitions.len() <= (count + 1).max(4), "{count}");
        // Each atom in a letter of its own; all but one of them.
        assert!(automaton.accepts_lasso(0, count, |i, atom| i == atom as usize));
        assert!(!automaton.accepts_lasso(0, count, |i, atom| i == atom as usize && i != 1));
    }
    // Hundreds of conjuncts and disjuncts of one kind.
    let formula = parse(&join(" | ", &|i| format!("F G p{}", i % 20), 500)).unwrap();
    let result = translate(&formula.formulas, formula.root, &Options::default());
    assert!(result.is_ok(), "{result:?}");
}

/// A formula whose automaton has 2^14 states.
fn large() -> ltl::Formula {
    parse(&(0..14).map(|i| format!("G (p{i} -> F q{i})")).collect::<Vec<_>>().join(" & ")).unwrap()
}

#[test]
fn stopping() {
    let formula = large();
    let few = Options { max_states: 100, ..Options::default() };
    let result = translate(&formula.formulas, formula.root, &few);
    assert!(
        matches!(
            result,
            Err(TranslateError::States { limit: 100 } | TranslateError::Transitions { .. })
        ),
        "{result:?}"
    );
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let patience = Options {
        max_states: usize::MAX,
        keep_going: KeepGoing::while_true(move || counter.fetch_add(1, Ordering::Relaxed) < 20),
        ..Options::default()
    };
    let result = translate(&formula.formulas, formula.root, &patience);
    assert_eq!(result, Err(TranslateError::Interrupted));
    assert!(asked.load(Ordering::Relaxed) < 30);
}

#[test]
fn deep_labels() {
    let header = "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0";
    for (open, close) in [("(", ")"), ("!", ""), ("!(", ")"), ("0 & (", ")"), ("(", " | 0)")] {
        let label = format!("{}0{}", open.repeat(DEEP), close.repeat(DEEP));
        let automaton = hoa::parse(&format!("{header} [{label}] 0 --END--")).expect(open);
        assert_eq!(automaton.transitions.len(), 1);
    }
}
