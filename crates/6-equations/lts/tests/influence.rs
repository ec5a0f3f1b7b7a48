//! Influence analysis on transition systems, three ways: the formula at every state, the system
//! whose values persist ([pbes Fig. 5]), and a backward dataflow.

use std::collections::BTreeSet;

use bes::{Method, Solver};
use lts::mu::{Dialect, parse};
use lts::{ExplicitLts, analyses, aut, split};

/// The first analysis, asked for a variable.
fn first_analysis(variable: &str) -> String {
    analyses::ia1().replace(":= x", &format!(":= {variable}"))
}

/// Backwards over the transitions until nothing changes.
fn dataflow(lts: &ExplicitLts) -> Vec<BTreeSet<String>> {
    let mut sets = vec![BTreeSet::new(); lts.states() as usize];
    loop {
        let before = sets.clone();
        for state in 0..lts.states() {
            for &(label, to) in lts.from(state) {
                let after: BTreeSet<String> = sets[to as usize].clone();
                let (gate, values) = split(&lts.labels()[label as usize]);
                let mut here = after.clone();
                match (gate, &values[..]) {
                    ("BOOL", [v]) => _ = here.insert((*v).to_owned()),
                    ("ASSIGN", [v]) => _ = here.remove(*v),
                    ("ASSIGN", [v, source]) => {
                        here.remove(*v);
                        if after.contains(*v) {
                            here.insert((*source).to_owned());
                        }
                    }
                    _ => {}
                }
                sets[state as usize].extend(here);
            }
        }
        if sets == before {
            return sets;
        }
    }
}

fn agree(lts: &mut ExplicitLts) -> Vec<BTreeSet<String>> {
    let expected = dataflow(lts);
    let formula = parse(&first_analysis("x"), Dialect::Cadp).unwrap();
    let annotation = lts::annotate(&formula, lts, &["i"], &mut |_| true).unwrap();
    for (state, names) in annotation.states.iter().enumerate() {
        let names: BTreeSet<String> =
            names.iter().map(|&n| annotation.names[n as usize].clone()).collect();
        assert_eq!(names, expected[state], "persistent, state {state}");
    }
    // Every equation was asked for once: a state with a name, and nothing twice.
    let most = u64::from(lts.states()) * annotation.names.len() as u64;
    assert!(annotation.stats.variables <= 2 * most, "{:?}", annotation.stats);
    assert_eq!(annotation.stats.stored, 0, "disjunctive: no dependency is stored");
    for name in &annotation.names {
        let formula = parse(&first_analysis(name), Dialect::Cadp).unwrap();
        for state in 0..lts.states() {
            let model = lts.clone().starting_at(state);
            let mut solver = Solver::new(lts::question(&formula, model, &["i"]).unwrap());
            let value = solver.solve(Method::Auto, &mut |_| true).unwrap();
            assert_eq!(value, expected[state as usize].contains(name), "{name} at {state}");
        }
    }
    expected
}

#[test]
fn the_example() {
    // L0: while (x > 0) { L1: y = y + x; L2: x = x - 1; } L3: y = 0; L4
    let mut lts = aut::parse(
        "des (0, 7, 5)\n(0, \"BOOL !x\", 1)\n(0, \"BOOL !x\", 3)\n(1, \"ASSIGN !y !y\", 2)\n\
         (1, \"ASSIGN !y !x\", 2)\n(2, \"ASSIGN !x !x\", 0)\n(3, \"ASSIGN !y\", 4)\n(4, i, 4)\n",
    )
    .unwrap();
    let sets = agree(&mut lts);
    let only_x = BTreeSet::from(["x".to_owned()]);
    assert_eq!(sets[..3], [only_x.clone(), only_x.clone(), only_x]);
    assert!(sets[3].is_empty() && sets[4].is_empty());
}

/// The formulas of [pbes §3.2], in the paper's own words and signs.
#[test]
fn as_the_paper_prints_it() {
    let ours = "mu Y (v:Var := x) . (< {BOOL !v} > true or < {ASSERT !v} > true or \
                < {ASSIGN ?z:Var !v} > Y (z) or < not {ASSIGN !v ?z:Var} > Y (v))";
    let words =
        "mu Y (v : Var := x) . (<BOOL v> true or <ASSERT v> true or <ASSIGN z : Var v> Y (z)
                 or <not (ASSIGN v z : Var)> Y (v))";
    let signs = "μY(v : Var := x).(⟨BOOL v⟩ true ∨ ⟨ASSERT v⟩ true ∨ ⟨ASSIGN z : Var v⟩ Y(z)
                 ∨ ⟨¬(ASSIGN v z : Var)⟩ Y(v))";
    let read = |text: &str| parse(text, Dialect::Cadp).unwrap().to_string();
    assert_eq!(read(words), read(ours));
    assert_eq!(read(signs), read(ours));
    let all = "νZ. (⟨BOOL x⟩ true ∧ [true] (⟨TEST⟩ true ∨ Z))";
    assert_eq!(read(all), read("nu Z . (< {BOOL !x} > true and [ true ] (< {TEST} > true or Z))"));
    // What stands after a gate is a name; a sort is not to be forgotten.
    for wrong in ["<BOOL v:> true", "<ASSIGN 3 true> true", "<or> true", "⟨BOOL v true"] {
        assert!(parse(wrong, Dialect::Cadp).is_err(), "{wrong}");
    }
}

fn annotated(text: &str, lts: &mut ExplicitLts) -> Vec<String> {
    let formula = parse(text, Dialect::Cadp).unwrap();
    let annotation = lts::annotate(&formula, lts, &["i"], &mut |_| true).unwrap();
    let shown = |names: &Vec<u32>| {
        let mut names: Vec<&str> =
            names.iter().map(|&n| annotation.names[n as usize].as_str()).collect();
        names.sort_unstable();
        names.join(" ")
    };
    annotation.states.iter().map(shown).collect()
}

#[test]
fn other_analyses() {
    // 0: y = x; 1: z = y; 2: assert(z); 3: if (w) …; 4
    let mut lts = aut::parse(
        "des (0, 4, 5)\n(0, \"ASSIGN !y !x\", 1)\n(1, \"ASSIGN !z !y\", 2)\n\
         (2, \"ASSERT !z\", 3)\n(3, \"BOOL !w\", 4)\n",
    )
    .unwrap();
    assert_eq!(annotated(&analyses::ia1(), &mut lts), ["w", "w", "w", "w", ""]);
    assert_eq!(annotated(&analyses::ia2(), &mut lts), ["w x", "w y", "w z", "w", ""]);
    assert_eq!(annotated(&analyses::ia4(&["y"]), &mut lts), ["w x", "w", "w", "w", ""]);
    assert_eq!(annotated(&analyses::live(), &mut lts), ["w x", "w y", "w z", "w", ""]);
    let error =
        parse("true", Dialect::Cadp).map(|f| lts::annotate(&f, &mut lts, &[], &mut |_| true));
    assert_eq!(error, Ok(Err(lts::AnnotateError::NoParameter)));
}

/// `φ_all` of [pbes §3.3] on that example: true at a state where `x` matters, with holes where it
/// is assigned.
#[test]
fn everywhere_at_once() {
    let one = first_analysis("x");
    let all = format!("nu Z . (({one}) and [ true ] (not ({one}) or Z))");
    let formula = parse(&all, Dialect::Cadp).unwrap();
    // State 5 kills `x` and goes on to 0: it does not influence, although 0 to 2 have it.
    let text = "des (0, 6, 6)\n(0, \"BOOL !x\", 1)\n(0, \"BOOL !x\", 3)\n(1, \"ASSIGN !y !x\", 2)\n\
                (2, \"ASSIGN !x !x\", 0)\n(3, i, 3)\n(5, \"ASSIGN !x\", 0)\n";
    let mut lts = aut::parse(text).unwrap();
    let values = lts::everywhere(&formula, &mut lts, &["i"], &mut |_| true).unwrap().unwrap();
    assert_eq!(values, [true, true, true, false, false, false]);
}

#[test]
fn random() {
    let mut state = 0x5eed_2001u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 33) % n as u64) as usize
    };
    for _ in 0..150 {
        let names = ["x", "y", "z", "w"];
        let mut labels = vec!["i".to_owned()];
        for a in names {
            labels.push(format!("BOOL !{a}"));
            labels.push(format!("ASSIGN !{a}"));
            labels.extend(names.iter().map(|b| format!("ASSIGN !{a} !{b}")));
        }
        let states = 1 + below(12) as u32;
        let transitions: Vec<(u32, u32, u32)> = (0..below(30))
            .map(|_| {
                let from = below(states as usize) as u32;
                // Conditions are rare, so that sets are small.
                let mut label = below(labels.len()) as u32;
                if labels[label as usize].starts_with("BOOL") && below(3) > 0 {
                    label = 0;
                }
                (from, label, below(states as usize) as u32)
            })
            .collect();
        agree(&mut ExplicitLts::new(0, states, labels, &transitions));
    }
}
