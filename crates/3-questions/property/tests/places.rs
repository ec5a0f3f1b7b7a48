//! Which statements labels and lines denote, and what is said of those that denote none.

use check::Goal;
use ir::{Init, NodeId, Program, ProgramBuilder, Rel};
use property::{Property, PropertyError, Question, places};

/// Two procedures, `main` on lines 3 and 4 and `{a:b}` on lines 8 and 8 with an assertion on 9.
fn program() -> (Program, Vec<NodeId>) {
    let mut b = ProgramBuilder::new();
    let file = b.file("f.bp");
    let at = b.origin(file, 1, 1, "");
    let (main, other) = (b.proc("main", at), b.proc("{a:b}", at));
    let mut nodes = Vec::new();
    for (proc, lines) in [(main, vec![3, 4]), (other, vec![8, 8, 9])] {
        b.begin_proc(proc);
        let statements: Vec<NodeId> = lines
            .iter()
            .map(|&line| {
                let at = b.origin(file, line, 3, "skip");
                b.statement(at)
            })
            .collect();
        let exit = b.silent();
        b.entry(proc, statements[0]);
        for (i, &node) in statements.iter().enumerate() {
            b.step(node, statements.get(i + 1).copied().unwrap_or(exit), Rel::identity());
        }
        b.ret(exit, Rel::identity(), false);
        nodes.extend(statements);
    }
    let error = b.error_node();
    b.step(nodes[4], error, Rel::identity());
    b.label("R", nodes[0]);
    b.label("R", nodes[2]);
    b.label("7", nodes[2]);
    b.label("SLIC_ERROR", nodes[4]);
    (b.finish(main, Init::default()), nodes)
}

#[test]
fn labels_and_lines() {
    let (program, n) = program();
    for (text, expected) in [
        ("R", vec![n[0], n[2]]),
        ("main:R", vec![n[0]]),
        ("{a:b}:R", vec![n[2]]),
        ("7", vec![n[2]]),
        ("{a:b}:7", vec![n[2]]),
        (":8", vec![n[2], n[3]]),
        (":3", vec![n[0]]),
    ] {
        assert_eq!(places(&program, text).as_deref(), Ok(&expected[..]), "{text}");
    }
}

#[test]
fn unknown_places_name_the_nearest() {
    let (program, _) = program();
    for (text, message, help) in [
        ("Slic_error", "no statement is labelled `Slic_error`", "did you mean `SLIC_ERROR`?"),
        ("Z", "no statement is labelled `Z`", "the labels are R, 7, SLIC_ERROR"),
        ("main:7", "no statement of `main` is labelled `7`", "did you mean `{a:b}:7`?"),
        ("mian:R", "there is no procedure `mian`", "did you mean `main`?"),
        (":5", "no statement begins on line 5", "the nearest statements are on lines 4 and 8"),
        (":1", "no statement begins on line 1", "the nearest statement is on line 3"),
        (":99", "no statement begins on line 99", "the nearest statement is on line 9"),
        (":x", "`:x` is not a line number", "write `:12` for line 12"),
    ] {
        let error = places(&program, text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
        assert_eq!(error.diagnostic().help.as_deref(), Some(help), "{text}");
    }
    assert!(matches!(places(&program, ""), Err(PropertyError::UnknownLabel { .. })));
}

#[test]
fn defaults_ask_for_assertions_and_the_usual_label() {
    let (program, _) = program();
    assert_eq!(Property::defaults(&program), [Property::Assert, Property::reach("SLIC_ERROR")]);
    match Property::Assert.question(&program) {
        Ok(Question::Goal(Goal::Reach(targets))) => {
            assert_eq!(targets.len(), 1);
            assert!(program.procs.iter().any(|p| p.error == Some(targets[0].node)));
        }
        other => panic!("{other:?}"),
    }
}
