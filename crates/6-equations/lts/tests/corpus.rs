//! Formulas whose answers others have computed. Skipped, with a reason, where they are absent.

#![allow(clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bes::{Method, Solver};
use lts::mu::{Dialect, parse};
use lts::{ExplicitLts, aut};

fn corpus() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let path = match std::env::var_os("POSTBOP_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => root.join("../shared/corpus"),
    };
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no corpus at {}", path.display());
    None
}

/// The answer of every method; every explanation is checked, and so is the part of the model that
/// it speaks of.
fn eval(text: &str, model: &mut ExplicitLts) -> bool {
    let formula = parse(text, Dialect::Mcrl2).unwrap_or_else(|e| panic!("{text}: {e}"));
    let again = parse(&formula.to_string(), Dialect::Mcrl2).unwrap();
    assert_eq!(again, formula, "{text} and {formula}");
    let mut values = Vec::new();
    for method in Method::ALL {
        let mut solver = Solver::new(lts::question(&formula, &mut *model, &["i", "tau"]).unwrap());
        let value = solver.solve(method, &mut |_| true).unwrap();
        let main = bes::System::initial(solver.system()).unwrap();
        let explanation = solver.explain(&main).unwrap().unwrap();
        assert_eq!(explanation.value, value);
        assert_eq!(
            lts::check_explanation(solver.system(), &explanation).unwrap(),
            Ok(()),
            "{text}"
        );
        let (part, originals) = lts::explained_part(solver.system(), &explanation).unwrap();
        assert!(part.len() <= model.len());
        for state in 0..part.states() {
            for &(label, to) in part.from(state) {
                let label = &part.labels()[label as usize];
                let (from, to) = (originals[state as usize], originals[to as usize]);
                assert!(
                    model
                        .from(from)
                        .iter()
                        .any(|t| model.labels()[t.0 as usize] == *label && t.1 == to),
                    "{text}: a transition of the model"
                );
            }
        }
        values.push(value);
    }
    assert!(values.iter().all(|v| *v == values[0]), "{text}: {values:?}");
    values[0]
}

#[test]
fn vlts() {
    let Some(corpus) = corpus() else { return };
    let table = std::fs::read_to_string(corpus.join("lts/mu_verdicts.tsv")).unwrap();
    let mut models: BTreeMap<&str, ExplicitLts> = BTreeMap::new();
    let mut count = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let model = models.entry(cells[0]).or_insert_with(|| {
            let text = std::fs::read(corpus.join(format!("lts/{}.aut", cells[0]))).unwrap();
            let model = aut::read(&text[..], &mut |_| true).unwrap();
            let mut printed = Vec::new();
            aut::write(&model, &mut printed).unwrap();
            assert_eq!(aut::read(&printed[..], &mut |_| true).unwrap(), model);
            model
        });
        assert_eq!(eval(cells[2], model), cells[3] == "true", "{row}");
        count += 1;
    }
    assert_eq!(count, 32);
}

/// Processes of names, `.`, `+` and parentheses, as trees with shared ends.
fn process(text: &str) -> ExplicitLts {
    // Returns the states that a process starts in, as transitions to be added to its start.
    fn sum(text: &[u8], at: &mut usize, start: u32, end: u32, run: &mut Run) {
        loop {
            product(text, at, start, end, run);
            if text.get(*at) != Some(&b'+') {
                return;
            }
            *at += 1;
        }
    }
    fn product(text: &[u8], at: &mut usize, start: u32, end: u32, run: &mut Run) {
        let mut from = start;
        loop {
            // Looks ahead: is this the last factor?
            let (factor_start, mut depth) = (*at, 0);
            let mut next = *at;
            while next < text.len() {
                match text[next] {
                    b'(' => depth += 1,
                    b')' if depth == 0 => break,
                    b')' => depth -= 1,
                    b'.' | b'+' if depth == 0 => break,
                    _ => {}
                }
                next += 1;
            }
            let last = text.get(next) != Some(&b'.');
            let to = if last { end } else { run.fresh() };
            if text[factor_start] == b'(' {
                *at += 1;
                sum(text, at, from, to, run);
                *at += 1;
            } else {
                let label = std::str::from_utf8(&text[factor_start..next]).unwrap().to_owned();
                run.labels.push(label);
                run.transitions.push((from, run.labels.len() as u32 - 1, to));
                *at = next;
            }
            if last {
                return;
            }
            *at += 1;
            from = to;
        }
    }
    struct Run {
        states: u32,
        labels: Vec<String>,
        transitions: Vec<(u32, u32, u32)>,
    }
    impl Run {
        fn fresh(&mut self) -> u32 {
            self.states += 1;
            self.states - 1
        }
    }
    let mut run = Run { states: 2, labels: Vec::new(), transitions: Vec::new() };
    sum(text.as_bytes(), &mut 0, 0, 1, &mut run);
    ExplicitLts::new(0, run.states, run.labels, &run.transitions)
}

#[test]
fn processes() {
    let Some(corpus) = corpus() else { return };
    let table = std::fs::read_to_string(corpus.join("bes/lps2pbes_table.tsv")).unwrap();
    let (mut count, mut undefined) = (0, 0);
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        // The table does not say what the processes P and Q are.
        if cells[0].contains(['P', 'Q']) {
            undefined += 1;
            continue;
        }
        assert_eq!(eval(cells[1], &mut process(cells[0])), cells[2] == "true", "{row}");
        count += 1;
    }
    assert_eq!((count, undefined), (28, 6));
}
