//! Programs as pushdown systems, and as text, and back: the same statements are reached.

use check::{Budget, Engine, Task, TraceMode, Wants};
use engine_explicit::Explicit;
use front_remopla::pds::{from_spds, lower, parse, print};
use front_remopla::{LowerErrorKind, LowerOptions};
use ir::Id;
use ir::spds::{Spds, SymbolId};
use source::SourceFile;
use std::sync::Arc;
use testkit::random_bp::{Profile, random_bp};
use testkit::random_ir::random_program;

/// By node, whether it is reached; and whether some assertion fails.
fn nodes(program: &Arc<ir::Program>) -> (Vec<bool>, bool) {
    let mut task = Task::new(program.clone(), Vec::new());
    task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: true };
    let answer = Explicit::default().run(&task, &Budget::unlimited());
    let reached = answer.reached.expect("the search was complete");
    let fails = program.procs.iter().any(|p| p.error.is_some_and(|node| reached[node.index()]));
    (reached, fails)
}

/// By label, whether some node that carries it is reached; and whether some assertion fails.
fn reached(program: ir::Program, labels: &[String]) -> (Vec<bool>, bool) {
    let program = Arc::new(program);
    let (reached, fails) = nodes(&program);
    let here =
        |label: &String| program.labelled(None, label).iter().any(|node| reached[node.index()]);
    (labels.iter().map(here).collect(), fails)
}

/// What is asked of a program: its nodes, each by a label of its own, and whether assertions fail.
fn compare(program: &ir::Program, what: &str) -> bool {
    let mut spds = Spds::from_program(program);
    spds.validate().unwrap_or_else(|invalid| panic!("{what}: {invalid}"));
    // Where runs have failed, there is no label.
    let failed = |node| program.procs[program.nodes[node].proc].error == Some(node);
    let asked: Vec<usize> =
        program.nodes.ids().filter(|&node| !failed(node)).map(Id::index).collect();
    let labels: Vec<String> = asked.iter().map(|i| format!("zz{i}")).collect();
    for (&i, label) in asked.iter().zip(&labels) {
        let name = spds.intern(label);
        let symbol = &mut spds.symbols[SymbolId::new(i)];
        (symbol.name, symbol.labels) = (name, vec![name]);
    }
    let (all, fails) = nodes(&Arc::new(program.clone()));
    let expected: Vec<bool> = asked.iter().map(|&i| all[i]).collect();
    let again = spds.to_program();
    again.validate().unwrap_or_else(|invalid| panic!("{what}: {invalid}"));
    let dump = ir::spds::dump(&spds);
    assert_eq!(reached(again, &labels), (expected.clone(), fails), "{what}\n{dump}");

    let Ok(tree) = from_spds(&spds, &mut || true) else { return false };
    let text = print(&tree);
    let (tree, errors) = parse(&text);
    assert!(errors.is_empty(), "{what}: {} in\n{text}", errors[0]);
    let file = SourceFile::new("f.pds", &*text).unwrap();
    let read = match lower(&tree, &file, &LowerOptions::default()) {
        Ok(read) => read,
        // Generated programs have indices that never fit, which no file may have.
        Err(errors) => {
            for error in errors {
                let never = matches!(error.kind, LowerErrorKind::IndexNeverFits { .. });
                assert!(never, "{what}: {error} at {:?} in\n{text}", error.span);
            }
            return false;
        }
    };
    // Nodes that no rule leads to or from are not in the text.
    let said: Vec<String> =
        labels.iter().filter(|label| !read.labelled(None, label).is_empty()).cloned().collect();
    let expected: Vec<bool> = (labels.iter().zip(&expected))
        .filter(|(label, reached)| said.contains(label) || **reached)
        .map(|(_, &reached)| reached)
        .collect();
    assert_eq!(reached(read, &said), (expected, fails), "{what}\n{text}");
    true
}

#[test]
fn random_programs_of_the_model() {
    let mut written = 0;
    for seed in 0..400 {
        written += usize::from(compare(&random_program(seed), &format!("seed {seed}")));
    }
    assert!(written > 30, "{written} could be written");
}

#[test]
fn random_boolean_programs() {
    let mut written = 0;
    for seed in 0..100 {
        let text = random_bp(seed, Profile::Small);
        let program = testkit::corpus::lower("f.bp", &text, Default::default(), None);
        let program = program.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        written += usize::from(compare(&program, &format!("seed {seed}")));
    }
    assert_eq!(written, 100);
}
