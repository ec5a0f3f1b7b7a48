//! The cases of `tests/c`, each as a good and as a bad program (`tests/c/README.md`).
#![allow(clippy::print_stderr)]

use crate::asking::findings;
use postbop::{CProgram, CText, Options, Watch};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// What is not yet as it should be, with the reason: `case good` or `case bad`. A case that is listed
/// here and passes fails the test, so that the list stays true.
const NOT_YET: &[(&str, &str)] = &[(
    "memory_container good",
    "`create` leaves `value` null, and `destroy` is said to forget what it owns (OM4)",
)];

/// A line and a rule.
type Found = (u32, String);

/// One of the two programs of a case.
struct Case {
    units: Vec<CText>,
    wanted: BTreeSet<Found>,
    tolerated: BTreeSet<Found>,
}

/// The program with or without `BAD`: other lines become empty, so that all keep their numbers.
fn case(name: &str, text: &str, bad: bool) -> Case {
    let mut units: Vec<CText> = Vec::new();
    let (mut wanted, mut tolerated) = (BTreeSet::new(), BTreeSet::new());
    let (mut keeps, mut marked) = (vec![true], false);
    let mut file = format!("{name}.c");
    let mut out = format!("# 1 \"{file}\"\n");
    for (line, number) in text.lines().zip(1..) {
        match line {
            "#ifdef BAD" => keeps.push(bad),
            "#ifndef BAD" => keeps.push(!bad),
            "#else" => {
                let keeps = keeps.last_mut().expect("`#else` follows `#ifdef`");
                *keeps = !*keeps;
            }
            "#endif" => {
                keeps.pop();
            }
            _ if keeps.iter().all(|k| *k) => {
                if let Some(next) = line.strip_prefix("// file: ") {
                    // What stands before the first mark belongs to its unit.
                    if marked {
                        units.push(CText { name: file, text: out, directory: None });
                        out = String::new();
                    }
                    marked = true;
                    file = next.to_owned();
                    out += &format!("# {number} \"{file}\"\n");
                }
                for (mark, set) in [("// BAD ", &mut wanted), ("// MAY ", &mut tolerated)] {
                    if let (true, Some((_, rule))) = (bad, line.split_once(mark)) {
                        set.insert((number, rule.trim().to_owned()));
                    }
                }
                out += line;
            }
            _ => {}
        }
        out.push('\n');
    }
    units.push(CText { name: file, text: out, directory: None });
    Case { units, wanted, tolerated }
}

/// What the rules say about it.
fn found(case: &Case, text: &str, rules: &[rules::Rule]) -> Result<BTreeSet<Found>, String> {
    let sources: Vec<_> = case.units.iter().map(|u| (u.name.as_str(), text)).collect();
    let program = Arc::new(CProgram::new(case.units.clone()).map_err(|e| e.to_string())?);
    if let [first, ..] = program.warnings() {
        return Err(first.to_string());
    }
    let options = Options::default();
    let all = findings(&program, rules, &sources, &options, &Watch::default());
    match &all.unknown[..] {
        [] => Ok(all.findings.iter().map(|f| (f.line, f.rule.clone())).collect()),
        unknown => Err(format!("{unknown:?}")),
    }
}

#[test]
fn own_cases_have_their_findings() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shipped = here.join("../../../rules");
    if !shipped.exists() {
        eprintln!("skipped: there are no rules");
        return;
    }
    let mut names: Vec<String> = fs::read_dir(here.join("tests/c"))
        .expect("the cases")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".c")?.to_owned()))
        .collect();
    names.sort();
    assert!(names.len() >= 50);
    let mut wrong = Vec::new();
    for name in &names {
        let text = fs::read_to_string(here.join(format!("tests/c/{name}.c"))).expect("a case");
        let stem = text.lines().find_map(|l| l.strip_prefix("// rule: ")).expect("a rule");
        let path = shipped.join(format!("{stem}.rule"));
        let rules = fs::read_to_string(&path).map_err(|e| e.to_string());
        let rules = rules.and_then(|r| rules::parse(&r).map_err(|e| e.to_string()));
        for bad in [false, true] {
            let case = case(name, &text, bad);
            assert_eq!(case.wanted.is_empty(), !bad, "{name}");
            let label = format!("{name} {}", if bad { "bad" } else { "good" });
            let result = match &rules {
                Ok(rules) => found(&case, &text, rules),
                Err(error) => Err(format!("{}: {error}", path.display())),
            };
            let problem = match result {
                Ok(found) => {
                    let missing: Vec<_> = case.wanted.difference(&found).collect();
                    let extra = found.difference(&case.wanted);
                    let extra: Vec<_> = extra.filter(|f| !case.tolerated.contains(f)).collect();
                    (!missing.is_empty() || !extra.is_empty())
                        .then(|| format!("missing {missing:?}, too many {extra:?}"))
                }
                Err(error) => Some(error),
            };
            let listed = NOT_YET.iter().any(|(l, _)| *l == label);
            match problem {
                Some(problem) if !listed => wrong.push(format!("{label}: {problem}")),
                None if listed => wrong.push(format!("{label}: passes now, is listed as not yet")),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), 2 * names.len(), wrong.join("\n"));
}
