//! Programs written down as Remopla: the same statements are reached.

use crate::support;
use crate::support::program;
use check::{Budget, Engine, Task, TraceMode, Wants};
use engine_explicit::Explicit;
use front_remopla::quicksort::{Options, quicksort};
use front_remopla::{from_program, print};
use std::sync::Arc;
use testkit::random_bp::{Profile, random_bp};
use testkit::random_ir::random_program;

fn reached(program: &ir::Program) -> Vec<bool> {
    let mut task = Task::new(Arc::new(program.clone()), Vec::new());
    task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: true };
    let answer = Explicit::default().run(&task, &Budget::unlimited());
    answer.reached.expect("the search was complete")
}

/// Compares the reachability of the labelled statements. Returns whether it could be written.
fn compare(original: &ir::Program, what: &str) -> bool {
    let tree = match from_program(original, &mut || true) {
        Ok(tree) => tree,
        Err(_) => return false,
    };
    let text = print(&tree);
    let file = source::SourceFile::new("f.rem", &*text).unwrap();
    let again = support::tree(&text);
    let read = match front_remopla::lower(&again, &file, &Default::default()) {
        Ok(read) => read,
        Err(errors) => {
            use front_remopla::LowerErrorKind::IndexNeverFits;
            assert!(
                errors.iter().all(|e| matches!(e.kind, IndexNeverFits { .. })),
                "{what}: {}\n{text}",
                support::shown("f.rem", &text, &errors)
            );
            return false;
        }
    };
    read.validate().unwrap();
    let (before, after) = (reached(original), reached(&read));
    for label in &original.labels {
        let name = original.text(label.name);
        let nodes = read.labelled(None, name);
        if nodes.len() != 1 || original.labelled(None, name).len() != 1 {
            continue;
        }
        let (was, is) = (before[ir::Id::index(label.node)], after[ir::Id::index(nodes[0])]);
        assert_eq!(was, is, "{what}: {name}\n{text}\n{}", ir::dump(original));
    }
    true
}

#[test]
fn boolean_programs() {
    let (mut written, mut all) = (0, 0);
    for profile in [Profile::Small, Profile::Medium, Profile::Calls, Profile::Deterministic] {
        for seed in 0..20 {
            let text = random_bp(seed, profile);
            let program = testkit::corpus::lower("f.bp", &text, Default::default(), None).unwrap();
            written += usize::from(compare(&program, &format!("{profile:?} {seed}")));
            all += 1;
        }
    }
    assert_eq!(written, all);
}

#[test]
fn programs_of_the_model() {
    let written =
        (0..400).filter(|&seed| compare(&random_program(seed), &format!("{seed}"))).count();
    assert!(written > 5, "{written}");
}

#[test]
fn remopla() {
    for options in [
        Options::default(),
        Options { no_array: true, ..Options::default() },
        Options { random_pivot: true, ..Options::default() },
    ] {
        assert!(compare(&program(&quicksort(2, 2, options)), "quicksort"));
    }
    let text = "int m[2][2](1), x(2);\ninit main;\nmodule int(2) f(int p(2)) { return p + 1; }\n\
         module void main() { x = 0; x = f(x), m[x][0] = 1; L: skip(m[0][0] == 1 && x == 1); \
         M: m[x][x] = 0; x = 2; N: m[x][0] = 1; K: skip; }";
    assert!(compare(&program(text), "two dimensions"));
}
