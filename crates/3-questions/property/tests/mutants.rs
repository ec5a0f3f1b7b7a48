//! The stronger formulas by which vacuity is found.

use automata::ltl::{Formulas, eval_lasso, parse};
use property::{Mutant, Property};
use testkit::rng::Rng;

fn program() -> ir::Program {
    let text = "decl p, q, r, Flag; void main() begin skip; end";
    let file = source::SourceFile::new("f.bp", text).unwrap();
    let (tree, _) = front_bp::parse(text, front_bp::Dialect::Standard);
    front_bp::lower(&tree, &file, &front_bp::LowerOptions::default()).unwrap()
}

fn mutants(formula: &str) -> Vec<Mutant> {
    Property::ltl(formula).mutants(&program()).unwrap()
}

/// `replaced → value: formula`, with the parent's number.
fn listed(formula: &str) -> Vec<String> {
    let show = |m: &Mutant| {
        let Property::Ltl { formula, .. } = &m.property else { panic!() };
        let parent = m.parent.map_or(String::new(), |p| format!(" < {p}"));
        let small = if m.smallest { "" } else { "+" };
        format!("{} → {}: {formula}{parent}{small}", m.replaced, m.by)
    };
    mutants(formula).iter().map(show).collect()
}

#[test]
fn parts_that_are_replaced() {
    for (formula, expected) in [
        ("p", vec![]),
        ("G p", vec![]),
        ("G (p -> F q)", vec!["p → true: G (1 -> F q)", "F q → false: G (p -> 0)"]),
        ("!(p && X q)", vec!["p → true: !(1 & X q)", "X q → true: !(p & 1)"]),
        ("p U q", vec!["p → false: (0 U q)"]),
        ("p <-> q", vec![]),
        ("p || (q ^ r)", vec!["p → false: (0 | (q ^ r))", "q ^ r → false: (p | 0)"]),
        ("p && Flag", vec![]),
        ("F Flag || p", vec!["F \"Flag\" → false: (0 | p)", "p → false: (F \"Flag\" | 0)"]),
        (
            "G (p -> q || r)",
            vec![
                "p → true: G (1 -> (q | r))",
                "q | r → false: G (p -> 0)+",
                "q → false: G (p -> (0 | r)) < 1",
                "r → false: G (p -> (q | 0)) < 1",
            ],
        ),
    ] {
        assert_eq!(listed(formula), expected, "{formula}");
    }
    let ends = Property::Terminates { fair: Vec::new() };
    assert!(ends.mutants(&program()).unwrap().is_empty());
    assert!(Property::ltl("p &&").mutants(&program()).is_err());
}

/// A mutant is stronger than the formula, and that of a larger part stronger still.
#[test]
fn mutants_are_stronger() {
    let mut rng = Rng::new(7);
    let mut checked = 0;
    for _ in 0..300 {
        let text = random(&mut rng, 3);
        let all = mutants(&text);
        let formulas: Vec<String> = all
            .iter()
            .map(|m| match &m.property {
                Property::Ltl { formula, .. } => formula.clone(),
                other => panic!("{other:?}"),
            })
            .collect();
        for _ in 0..20 {
            let (stem, cycle) = (rng.below(3), rng.between(1, 3));
            let word: Vec<u64> = (0..stem + cycle).map(|_| rng.bits()).collect();
            let holds = |text: &str| {
                let f = parse(text).unwrap();
                let name = |atom: usize| {
                    ["p", "q", "r"].iter().position(|n| f.formulas.atoms()[atom].to_string() == *n)
                };
                let names: &Formulas = &f.formulas;
                eval_lasso(names, f.root, stem, cycle, |i, atom| {
                    word[i] >> name(atom.index()).unwrap() & 1 == 1
                })
            };
            for (mutant, formula) in all.iter().zip(&formulas) {
                checked += 1;
                assert!(!holds(formula) || holds(&text), "{formula} and {text}");
                if let Some(parent) = mutant.parent {
                    assert!(!holds(&formulas[parent]) || holds(formula), "{text}");
                }
            }
        }
    }
    assert!(checked > 5_000, "{checked}");
}

fn random(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.chance(10) {
        return (*rng.pick(&["p", "q", "r"])).to_owned();
    }
    match rng.below(3) {
        0 => format!("{}({})", rng.pick(&["!", "X", "F", "G"]), random(rng, depth - 1)),
        _ => {
            let op = *rng.pick(&["&", "|", "->", "<->", "^", "U", "R", "W", "M"]);
            format!("({}) {op} ({})", random(rng, depth - 1), random(rng, depth - 1))
        }
    }
}
