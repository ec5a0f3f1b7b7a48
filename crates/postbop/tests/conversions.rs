//! Programs written down in other languages: the same statements are reached, the same assertions
//! fail.

use check::{Budget, Engine, Task, TraceMode, Wants};
use engine_summary::Summary;
use ir::{Id, Program};
use postbop::{Configurations, Error, Lang, Options, SourceFile, Target, Watch, convert, load};
use std::sync::Arc;
use testkit::random_bp::{Profile, random_bp};
use testkit::random_ir::random_program;

fn reached(program: &Program) -> Vec<bool> {
    let mut task = Task::new(Arc::new(program.clone()), Vec::new());
    task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: true };
    let answer = Summary::default().run(&task, &Budget::unlimited());
    answer.reached.expect("the search was complete")
}

fn fails(program: &Program, reached: &[bool]) -> bool {
    program.procs.iter().filter_map(|p| p.error).any(|node| reached[node.index()])
}

/// Compares labelled statements that have one counterpart, and assertions.
#[track_caller]
fn same(original: &Program, text: &str, lang: Lang, what: &str) {
    let file = Arc::new(SourceFile::new("converted", text).unwrap());
    let options = Options { lang: Some(lang), ..Options::default() };
    let read = match load(std::slice::from_ref(&file), &options) {
        Ok(read) => read,
        Err(Error::Rejected { diagnostics, .. }) => {
            // An index that can never fit is refused where it is written, not where it is made.
            if diagnostics.iter().all(|d| d.code.ends_with("-index")) {
                return;
            }
            let shown: Vec<String> = diagnostics.iter().map(|d| source::render(d, &file)).collect();
            panic!("{what}: {}\n{text}", shown.join("\n"));
        }
        Err(error) => panic!("{what}: {error}"),
    };
    let (before, after) = (reached(original), reached(&read));
    for label in &original.labels {
        let name = original.text(label.name);
        let nodes = read.labelled(None, name);
        if nodes.len() == 1 && original.labelled(None, name).len() == 1 {
            let (was, is) = (before[label.node.index()], after[nodes[0].index()]);
            assert_eq!(was, is, "{what}: {name}\n{text}\n{}", ir::dump(original));
        }
    }
    if lang == Lang::Bp {
        assert_eq!(fails(original, &before), fails(&read, &after), "{what}\n{text}");
    }
}

#[test]
fn programs_of_the_model_as_boolean_programs() {
    for seed in 0..400 {
        let program = random_program(seed);
        let text =
            front_bp::print(&front_bp::from_program(&program, &mut || true).expect("no limit"));
        same(&program, &text, Lang::Bp, &format!("seed {seed}"));
    }
}

#[test]
fn boolean_programs_there_and_back() {
    for profile in [Profile::Small, Profile::Calls] {
        for seed in 0..25 {
            let text = random_bp(seed, profile);
            let what = format!("{profile:?} {seed}");
            let file = |name: &str, text: &str| [Arc::new(SourceFile::new(name, text).unwrap())];
            let options = Options::default();
            let first = file("f.bp", &text);
            let original = load(&first, &options).unwrap();
            for (target, lang, name) in [
                (Target::Bp, Lang::Bp, "f.bp"),
                (Target::Remopla, Lang::Remopla, "f.rem"),
                (Target::Pds, Lang::Pds, "f.pds"),
            ] {
                let there = convert(&first, target, &options, &Watch::default()).unwrap();
                same(&original, &there, lang, &what);
                let back =
                    convert(&file(name, &there), Target::Bp, &options, &Watch::default()).unwrap();
                let read = load(&file("back.bp", &back), &options).unwrap();
                // Assertions are lost in between.
                if target == Target::Bp {
                    same(&original, &back, Lang::Bp, &what);
                } else {
                    read.validate().unwrap();
                }
            }
        }
    }
}

#[test]
fn numbers_there_and_back() {
    for options in [
        front_remopla::quicksort::Options::default(),
        front_remopla::quicksort::Options { random_pivot: true, ..Default::default() },
    ] {
        let text = front_remopla::quicksort::quicksort(2, 2, options);
        for text in [text.replace("  quicksort(lo, right);\n", ""), text] {
            let files = [Arc::new(SourceFile::new("f.rem", text).unwrap())];
            let original = load(&files, &Options::default()).unwrap();
            for (target, lang) in [(Target::Bp, Lang::Bp), (Target::Pds, Lang::Pds)] {
                let text = convert(&files, target, &Options::default(), &Watch::default()).unwrap();
                same(&original, &text, lang, "quicksort");
            }
        }
    }
}

/// Automata in files describe the same sets as expressions.
#[test]
fn automata_in_files() {
    let text = "decl g; void main() begin A: f(); B: g(); end void f() begin if (*) then C: f(); fi \
                D: skip; end void g() begin E: f(); end";
    let files = [Arc::new(SourceFile::new("f.bp", text).unwrap())];
    let automaton = "# f on top, g anywhere below\nstate 0 (start)\n  f -> 1\nstate 1\n  !g -> 1\n  \
                     g -> 2  any text\nstate 2 (end)\n  . -> 2\n";
    let ask = |set: Configurations| {
        let question = postbop::StackQuestion { to: Some(set), ..Default::default() };
        postbop::stacks(&files, &question, &Options::default(), &Default::default())
    };
    let file = |text: &str| Arc::new(SourceFile::new("set", text).unwrap());
    let found = ask(Configurations::Automaton(file(automaton))).unwrap();
    let expected = ask(Configurations::Expression(file("f .* g .*"))).unwrap();
    assert_eq!(found.status, Some(postbop::Status::Reachable));
    let nodes = |stacks: &render::Stacks| -> Vec<ir::NodeId> {
        stacks.reached.iter().flat_map(|s| s.frames.iter().map(|f| f.node)).collect()
    };
    assert_eq!(nodes(&found), nodes(&expected));
    for (text, code) in [
        ("", "automaton-empty"),
        ("f -> 1\n", "automaton-line"),
        ("state 0\n  f\n", "automaton-line"),
        ("state 0\n  f -> 1\n", "automaton-unknown"),
        ("state 0\nstate 0\n", "automaton-twice"),
        ("state 0 (start)\nstate 1 (start)\n", "automaton-twice"),
        ("state 0 (last)\n", "automaton-mark"),
        ("state 0\n  ff -> 0\n", "stack-unknown-name"),
        ("state 0\n  f g -> 0\n", "stack-not-one-frame"),
    ] {
        match ask(Configurations::Automaton(file(text))) {
            Err(Error::Rejected { diagnostics, .. }) => assert_eq!(diagnostics[0].code, code),
            other => panic!("{text}: {other:?}"),
        }
    }
}
