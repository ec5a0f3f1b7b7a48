//! Runs small programs and pushdown systems on two engines.
#![allow(dead_code)]

use check::{Budget, Engine, Goal, Target, Task, TraceMode, Verdict, Wants};
use engine_explicit::Explicit;
use engine_summary::Summary;
use front_remopla::{LowerError, LowerOptions, ParseError, Tree, lower, parse, print};
use source::{Diagnostic, SourceFile};
use std::sync::Arc;

/// The tree of a text without errors, which prints as an equal one.
#[track_caller]
pub(crate) fn reread<T: PartialEq>(
    name: &str,
    text: &str,
    parse: impl Fn(&str) -> (T, Vec<ParseError>),
    print: impl Fn(&T) -> String,
) -> T {
    let (tree, errors) = parse(text);
    assert!(errors.is_empty(), "{}", shown(name, text, &errors));
    let printed = print(&tree);
    let (again, errors) = parse(&printed);
    assert!(errors.is_empty(), "{}", shown(name, &printed, &errors));
    assert!(tree == again, "{text}\n=====\n{printed}");
    tree
}

/// A program that is valid.
#[track_caller]
pub(crate) fn valid(
    name: &str,
    text: &str,
    lowered: Result<ir::Program, Vec<LowerError>>,
) -> ir::Program {
    match lowered {
        Ok(program) => {
            program.validate().unwrap_or_else(|e| panic!("{e}\n{}", ir::dump(&program)));
            program
        }
        Err(errors) => panic!("{}", shown(name, text, &errors)),
    }
}

#[track_caller]
pub(crate) fn tree(text: &str) -> Tree {
    reread("f.rem", text, parse, print)
}

/// The errors as a person sees them.
pub(crate) fn shown<'e, E: 'e>(name: &str, text: &str, errors: &'e [E]) -> String
where
    Diagnostic: From<&'e E>,
{
    let file = SourceFile::new(name, text).unwrap();
    errors.iter().map(|e| source::render(&e.into(), &file)).collect()
}

#[track_caller]
pub(crate) fn program(text: &str) -> ir::Program {
    program_at(text, None)
}

#[track_caller]
pub(crate) fn program_at(text: &str, entry: Option<&str>) -> ir::Program {
    let tree = tree(text);
    let file = SourceFile::new("f.rem", text).unwrap();
    let options = LowerOptions { entry: entry.map(str::to_string) };
    valid("f.rem", text, lower(&tree, &file, &options))
}

/// Whether each label is reachable: what both engines say.
#[track_caller]
pub(crate) fn reachable(program: &Arc<ir::Program>, labels: &[&str]) -> Vec<bool> {
    let goals = labels
        .iter()
        .map(|label| {
            let nodes = program.labelled(None, label);
            assert!(!nodes.is_empty(), "no label {label}\n{}", ir::dump(program));
            Goal::Reach(nodes.into_iter().map(Target::at).collect())
        })
        .collect();
    let mut task = Task::new(program.clone(), goals);
    task.wants = Wants { trace: TraceMode::Any, certificate: false, all_nodes: false };
    let run = |engine: &dyn Engine| -> Vec<bool> {
        let answer = engine.run(&task, &Budget::unlimited());
        let verdict = |verdict: &Verdict| match verdict {
            Verdict::Holds(_) => false,
            Verdict::Violated(_) => true,
            Verdict::Unknown(reason) => panic!("{}: {reason:?}", engine.name()),
        };
        answer.verdicts.iter().map(verdict).collect()
    };
    let explicit = run(&Explicit::default());
    let summary = run(&Summary::default());
    assert_eq!(explicit, summary, "engines disagree on {labels:?}\n{}", ir::dump(program));
    explicit
}

/// Labels that begin with `Y` can be reached, those with `N` cannot; all must be asked.
#[track_caller]
pub(crate) fn check(text: &str) {
    check_program(program(text), text);
}

#[track_caller]
pub(crate) fn check_program(program: ir::Program, text: &str) {
    let program = Arc::new(program);
    let mut labels: Vec<String> = program
        .labels
        .iter()
        .map(|label| program.text(label.name).to_string())
        .filter(|label| label.starts_with(['Y', 'N']))
        .collect();
    labels.sort();
    labels.dedup();
    assert!(!labels.is_empty(), "no questions in {text}");
    let names: Vec<&str> = labels.iter().map(String::as_str).collect();
    for (label, reached) in names.iter().zip(reachable(&program, &names)) {
        assert_eq!(reached, label.starts_with('Y'), "{label} in\n{text}\n{}", ir::dump(&program));
    }
}

/// A program with one module of these declarations and statements.
#[track_caller]
pub(crate) fn check_main(globals: &str, body: &str) {
    check(&format!("{globals}\ninit main;\nmodule void main() {{\n{body}\n}}\n"));
}
