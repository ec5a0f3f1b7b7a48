//! Systems whose answers others have computed. Skipped, with a reason, where they are absent.

#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};

use bes::{Method, Solver, check};

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

/// Solves a system with every method and checks every explanation; an error is a refusal.
fn solve(text: &str) -> Result<bool, String> {
    let pbes = bes::pbes::parse(text).map_err(|e| e.to_string())?;
    let again = bes::pbes::parse(&pbes.to_string()).map_err(|e| format!("printed: {e}"))?;
    assert_eq!(again, pbes, "parsing what was printed");
    let mut values = Vec::new();
    // Some have infinitely many equations: none looks at all of them first.
    for method in Method::ALL.into_iter().filter(|m| *m != Method::Global) {
        let mut solver = Solver::new(pbes.instance().map_err(|e| e.to_string())?);
        let value = solver.solve(method, &mut |_| true).map_err(|e| e.to_string())?;
        let main = bes::System::initial(solver.system()).unwrap();
        let explanation = solver.explain(&main).unwrap().unwrap();
        assert_eq!(explanation.value, value);
        assert_eq!(check(solver.system(), &main, &explanation).unwrap(), Ok(()));
        values.push(value);
    }
    assert!(values.iter().all(|v| *v == values[0]), "{values:?}");
    Ok(values[0])
}

#[test]
fn plain_systems() {
    let Some(corpus) = corpus() else { return };
    let index = std::fs::read_to_string(corpus.join("bes/index.tsv")).unwrap();
    let mut count = 0;
    for row in index.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        if cells[1] != "bes" {
            continue;
        }
        let text = std::fs::read_to_string(corpus.join("bes").join(cells[0])).unwrap();
        assert_eq!(solve(&text), Ok(cells[2] == "true"), "{}", cells[0]);
        count += 1;
    }
    assert_eq!(count, 13);
}

#[test]
fn parameterised_systems() {
    let Some(corpus) = corpus() else { return };
    let table = std::fs::read_to_string(corpus.join("pbes/verdicts.tsv")).unwrap();
    let mut refused = Vec::new();
    for row in table.lines().skip(1) {
        let (file, verdict) = row.split_once('\t').unwrap();
        let text = std::fs::read_to_string(corpus.join("pbes").join(file)).unwrap();
        match solve(&text) {
            Ok(value) => assert_eq!(value, verdict.trim() == "true", "{file}"),
            Err(reason) => refused.push(format!("{file}: {reason}")),
        }
    }
    assert_eq!(refused, Vec::<String>::new());
}
