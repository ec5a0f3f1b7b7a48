//! The small programs of others with known verdicts.
#![allow(clippy::print_stderr)]

mod common;

use check::{TraceMode, Verdict};
use common::{answer, assertions, program, reach};
use front_bp::Dialect;

#[test]
fn known_verdicts() {
    let Some(corpus) = common::corpus() else {
        eprintln!("skipped: no corpus beside the workspace and no $POSTBOP_CORPUS");
        return;
    };
    let mut seen = 0;
    for (folder, dialect) in [("satabs", Dialect::Satabs), ("wali", Dialect::Standard)] {
        let folder = corpus.join("bp").join(folder);
        let Ok(index) = std::fs::read_to_string(folder.join("index.tsv")) else {
            eprintln!("skipped: {} has no index", folder.display());
            continue;
        };
        for line in index.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, property, expected] = fields[..] else { panic!("{line}: three fields") };
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            let result = program(name, &text, dialect);
            if expected.starts_with("error") {
                assert!(result.is_err(), "{name} should be refused");
                continue;
            }
            let program = result.unwrap_or_else(|e| panic!("{name}: {e}"));
            let goal = match property.strip_prefix("reach ") {
                Some(label) => reach(program.labelled(None, label)),
                None if property == "assert" => assertions(&program),
                // "assert or label error": both count.
                None => match assertions(&program) {
                    check::Goal::Reach(targets) if targets.is_empty() => {
                        reach(program.labelled(None, "error"))
                    }
                    goal => goal,
                },
            };
            for mode in [TraceMode::Shortest, TraceMode::Any, TraceMode::None] {
                let answer = answer(&program, vec![goal.clone()], mode);
                let got = match &answer.verdicts[0] {
                    Verdict::Holds(_) => "holds",
                    Verdict::Violated(_) if expected == "reachable" => "reachable",
                    Verdict::Violated(_) => "violated",
                    Verdict::Unknown(reason) => panic!("{name}: {reason}"),
                };
                assert_eq!(got, expected, "{name}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 15, "only {seen} programs were checked");
}
