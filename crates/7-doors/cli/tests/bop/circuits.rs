//! `bop convert --to aiger` and `--to btor2`.

use crate::{bop, bop_with, command, root};
use std::process::Command;

#[test]
fn circuits_of_programs_without_recursion() {
    let text = "decl g; void main() begin g := *; f(); f(); assert(g); L: skip; end void f() begin g := !g; end";
    let convert =
        |form: &str| bop_with(&["convert", "-", "--lang", "bp", "--to", form], text).exits(0).out;
    let aiger = convert("aiger");
    let head: Vec<usize> =
        aiger.lines().next().unwrap().split(' ').skip(1).map(|n| n.parse().unwrap()).collect();
    let [all, inputs, latches, outputs, gates, bad] = head[..] else { panic!("{head:?}") };
    assert_eq!((all, outputs, bad), (inputs + latches + gates, 0, 2));
    assert!(aiger.contains("\nb0 assert\nb1 main:L\n"), "{aiger}");
    assert!(aiger.contains(" g.0.0\n") && aiger.contains(" f.caller.0\n"), "{aiger}");
    let btor2 = convert("btor2");
    let count = |word: &str| btor2.lines().filter(|l| l.split(' ').nth(1) == Some(word)).count();
    assert_eq!((count("input"), count("state"), count("and")), (inputs, latches, gates));
    assert_eq!((count("init"), count("next"), count("bad")), (latches, latches, 2));
}

#[test]
fn recursion_is_no_circuit() {
    let ran = bop(&["convert", "examples/fig1.bp", "--to", "aiger"]).exits(2);
    assert!(ran.err.contains("the program has recursion: A → A"), "{}", ran.err);
    // A procedure that is recursive and never called is none.
    let text = "void main() begin skip; end void f() begin f(); end";
    bop_with(&["convert", "-", "--lang", "bp", "--to", "btor2"], text).exits(0);
    let mutual = "void main() begin f(); end void f() begin g(); end void g() begin f(); end";
    let ran = bop_with(&["convert", "-", "--lang", "bp", "--to", "btor2"], mutual).exits(2);
    assert!(ran.err.contains("f → g → f"), "{}", ran.err);
}

/// ABC decides each bad state as `bop` does.
#[test]
fn abc_agrees() {
    let missing = |tool: &str| Command::new(tool).arg("-h").output().is_err();
    if missing("berkeley-abc") || missing("python3") {
        eprintln!(
            "skipped: berkeley-abc or python3 is not installed: circuits are not read by another tool"
        );
        return;
    }
    let bop = command(&[]).get_program().to_owned();
    let corpus = |name: &str| root().join("corpus").join(name);
    let mut files: Vec<_> = ["semantics", "remopla", "language"]
        .iter()
        .flat_map(|name| std::fs::read_dir(corpus(name)).expect("it is there").flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "bp" || e == "rem"))
        .collect();
    files.sort();
    let some = files.iter().step_by(9).take(8);
    let done = Command::new("python3")
        .arg(root().join("scripts/judge-circuits.py"))
        .arg("--bop")
        .arg(bop)
        .args(some)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert!(said.contains(" 0 differ"), "{said}");
}
