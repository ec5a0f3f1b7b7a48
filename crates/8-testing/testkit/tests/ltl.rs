//! The reference for temporal formulas against known answers, and engines against it.

use check::{Answer, Budget, Engine, Task, Verdict};
use engine_explicit::Explicit;
use front_bp::Dialect;
use property::{Property, Question};
use std::time::Duration;
use testkit::ltl_formula::{Atom, Binary, Formula, Unary, atoms};
use testkit::ltl_reference::holds;
use testkit::{LtlComparison, LtlOutcome, differential_ltl};

/// A formula in prefix notation: `U a b`; atoms as they are written.
fn formula(text: &str, atoms: &[Atom]) -> Formula {
    fn part<'a>(words: &mut impl Iterator<Item = &'a str>, atoms: &[Atom]) -> Formula {
        let word = words.next().expect("an operand");
        let unary = match word {
            "!" => Some(Unary::Not),
            "X" => Some(Unary::Next),
            "F" => Some(Unary::Finally),
            "G" => Some(Unary::Globally),
            _ => None,
        };
        let binary = match word {
            "&&" => Some(Binary::And),
            "||" => Some(Binary::Or),
            "->" => Some(Binary::Implies),
            "<->" => Some(Binary::Iff),
            "U" => Some(Binary::Until),
            "R" => Some(Binary::Release),
            "W" => Some(Binary::Weak),
            "M" => Some(Binary::Strong),
            _ => None,
        };
        if let Some(op) = unary {
            return Formula::Unary(op, Box::new(part(words, atoms)));
        }
        if let Some(op) = binary {
            let a = Box::new(part(words, atoms));
            return Formula::Binary(op, a, Box::new(part(words, atoms)));
        }
        match word {
            "true" | "false" => Formula::Const(word == "true"),
            _ => {
                let atom = atoms.iter().find(|a| a.to_string() == word);
                Formula::Atom(atom.unwrap_or_else(|| panic!("no atom `{word}`")).clone())
            }
        }
    }
    let mut words = text.split_whitespace();
    let out = part(&mut words, atoms);
    assert_eq!(words.next(), None, "more than a formula");
    out
}

#[track_caller]
fn check(program: &str, right: &[&str], wrong: &[&str]) {
    let program = testkit::corpus::lower("test.bp", program, Dialect::Standard, None).unwrap();
    let atoms: Vec<Atom> = atoms(&program).into_iter().flatten().collect();
    for (list, expected) in [(right, true), (wrong, false)] {
        for text in list {
            assert_eq!(holds(&program, &formula(text, &atoms)), Some(expected), "{text}");
        }
    }
}

#[test]
fn runs_that_end() {
    let program = "decl g; void main() begin g := T; L: skip; end";
    let right = [
        "F terminated",
        "X X terminated",
        "F G g",
        "F G && g terminated",
        "X g",
        "U in(main) terminated",
        "X at(L)",
        "G -> at(L) X ! in(main)",
        "M terminated || in(main) terminated",
        "W ! terminated terminated",
    ];
    let wrong = [
        "X terminated",
        "G g",
        "G in(main)",
        "F error",
        "R terminated ! at(main:L)",
        "R terminated in(main)",
        "G ! at(L)",
        "U ! in(main) at(L)",
        "g",
        "! g",
    ];
    check(program, &right, &wrong);
}

#[test]
fn runs_that_fail_or_block() {
    let program = "decl g; void main() begin g := *; assert(g); L: skip; end";
    check(
        program,
        &["F || terminated error", "G -> error G error", "G -> error ! g", "G ! && error in(main)"],
        &["F terminated", "F error", "G ! error", "F at(L)"],
    );
    // No run is left: whatever is asked holds.
    check("void main() begin assume(F); end", &["false", "true", "F terminated"], &[]);
    // Only the run that goes on counts.
    check(
        "decl g; void main() begin g := *; L: assume(g); end",
        &["X g", "F terminated"],
        &["X ! g"],
    );
}

#[test]
fn runs_without_end() {
    check(
        "decl g; void main() begin while T do if * then A: skip; else B: skip; fi od end",
        &["G in(main)", "|| G F at(A) G F at(B)", "G -> at(A) X ! at(A)", "! F terminated"],
        &["G F at(A)", "F G ! at(A)", "-> G F at(A) G F at(B)", "F at(B)"],
    );
    // The mark lies inside a call that comes back.
    check(
        "void main() begin while T do f(); od end  void f() begin if * then A: skip; fi end",
        &["G F in(f)", "G F in(main)", "G -> at(A) X in(main)"],
        &["G F at(A)", "F G ! at(A)", "F G in(f)"],
    );
    // The stack grows.
    check(
        "decl g; void main() begin g := F; f(g); end
         void f(x) begin A: if x then skip; fi f(!x); B: skip; end",
        &["X X G in(f)", "G F f::x", "G -> && at(A) f::x F && at(A) ! f::x", "G ! at(B)"],
        &["F terminated", "G -> at(A) f::x", "F G f::x", "G at(A)"],
    );
    // Recursion that may end.
    check(
        "void main() begin f(); E: skip; end  void f() begin if * then f(); fi end",
        &["|| F at(E) G F in(f)", "-> F at(E) F terminated"],
        &["F at(E)", "G ! at(E)", "X X G in(f)"],
    );
}

fn report(outcome: &LtlOutcome) -> String {
    let lines = outcome.failures.iter().map(|failure| {
        let (seed, property) = (failure.seed, &failure.property);
        format!("seed {seed}: {property:?}\n{}\n{:#?}\n", failure.program, failure.problems)
    });
    lines.collect()
}

#[test]
fn explicit_engine() {
    let engines: [&dyn Engine; 1] = [&Explicit::default()];
    let comparison =
        LtlComparison { engines: &engines, threads: 2, limit: Duration::from_secs(20) };
    let outcome = differential_ltl(&comparison, 0..500, &|_| {});
    assert!(outcome.failures.is_empty(), "{}", report(&outcome));
    assert!(outcome.pairs > 450 && outcome.bare == 0);
    assert!(outcome.holds > 100 && outcome.violated > 100, "{} hold", outcome.holds);
    assert!(outcome.lassos >= outcome.violated && outcome.certificates >= outcome.holds);
}

/// An engine that never finds anything is found out.
#[test]
fn a_wrong_engine() {
    struct Wrong;
    impl Engine for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }
        fn run(&self, task: &Task, budget: &Budget) -> Answer {
            let mut answer = Explicit::default().run(task, budget);
            answer.verdicts = vec![Verdict::Holds(None)];
            answer
        }
    }
    let engines: [&dyn Engine; 2] = [&Explicit::default(), &Wrong];
    let comparison =
        LtlComparison { engines: &engines, threads: 1, limit: Duration::from_secs(20) };
    let outcome = differential_ltl(&comparison, 0..100, &|_| {});
    assert_eq!(outcome.failures.len(), 5, "it stops there");
    for failure in &outcome.failures {
        assert_eq!(failure.problems, ["wrong: holds: true, should be: false"]);
    }
}

/// Many marks of an automaton and many assumptions of fairness stand apart (P6), from labels and from conditions, and ask the
/// same: is there a run on which each of six conditions holds again and again?
#[test]
fn many_marks_are_as_many_assumptions() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..240u64 {
        let pair = testkit::Pair::new(seed);
        let atoms: Vec<Atom> = atoms(&pair.program).into_iter().flatten().collect();
        if atoms.len() < 3 {
            continue;
        }
        let at =
            |i: u64| &atoms[(seed as usize / 3 + i as usize * (1 + atoms.len() / 3)) % atoms.len()];
        // Conjunctions, or disjunctions, of all three: none follows from another.
        let (op, skipped) = (if seed % 3 == 0 { " && " } else { " || " }, seed % 7);
        let conditions: Vec<String> = (0..8u64)
            .filter(|&signs| signs != skipped && signs != skipped + 1)
            .map(|signs| {
                let sign = |i: u64| if signs >> i & 1 == 1 { "" } else { "!" };
                (0..3).map(|i| format!("{}({})", sign(i), at(i))).collect::<Vec<_>>().join(op)
            })
            .collect();
        let often: Vec<String> = conditions.iter().map(|c| format!("G F ({c})")).collect();
        let marks = Property::ltl(format!("!({})", often.join(" && ")));
        let fair = Property::Ltl { formula: "false".to_owned(), fair: conditions };
        let found = [marks, fair].map(|property| {
            let Ok(Question::Product(product)) = property.question(&pair.program) else {
                panic!("seed {seed}: no product");
            };
            let many = matches!(product.goal, check::Goal::Repeat { marks } if marks > 5);
            let task = Task::new(product.program.clone(), vec![product.goal.clone()]);
            let answer = Explicit::default().run(&task, &Budget::unlimited());
            match answer.verdicts.first() {
                Some(Verdict::Violated(Some(trace))) => {
                    let lasso = product.trace(&pair.program, trace).unwrap();
                    let temporal = product.temporal.as_ref().expect("a formula is judged");
                    let accepted = replay::check_lasso(&pair.program, &lasso, Some(temporal));
                    let judged = replay::judge(&accepted.unwrap(), temporal);
                    assert_eq!(judged, replay::Judgement::Violates, "seed {seed}");
                    (many, false)
                }
                Some(Verdict::Holds(_)) => (many, true),
                other => panic!("seed {seed}: {other:?}"),
            }
        });
        // Atoms that mean the same leave fewer marks.
        assert!(found[1].0, "seed {seed}");
        assert_eq!(found[0].1, found[1].1, "seed {seed}");
        if found[0].0 {
            *(if found[0].1 { &mut no } else { &mut yes }) += 1;
        }
    }
    assert!(yes >= 20 && no >= 20, "{yes} {no}");
}
