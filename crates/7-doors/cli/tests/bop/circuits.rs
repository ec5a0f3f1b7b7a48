//! `bop convert --to aiger` and `--to btor2`.

use crate::c::Folder;
use crate::{TempFile, bop, bop_with, command, root};
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

/// A circuit that was written and read again has the answers of its program.
#[test]
fn circuits_are_read_back() {
    let texts = [
        "decl g; void main() begin g := *; f(); f(); assert(g); L: skip; end void f() begin g := !g; end",
        "decl a, b; void main() begin a, b := F, F; while (!(a & b)) do a, b := !a, a ^ b; od L: skip; if (a) then M: skip; else N: skip; fi end",
        "decl a; void main() begin a := T; L: a := f(a); if (a) then M: assert(F); fi N: skip; end bool f(x) begin return !x; end",
        "decl a; void main() begin assume(F); L: assert(a); end",
    ];
    let mut compared = 0;
    for text in texts {
        let file = TempFile::new("p.bp", text);
        for (form, ending) in [("aiger", "aag"), ("btor2", "btor2")] {
            let circuit = bop(&["convert", file.path(), "--to", form]).exits(0).out;
            let names: Vec<String> = match form {
                "aiger" => circuit
                    .lines()
                    .filter(|l| l.starts_with('b'))
                    .map(|l| l[l.find(' ').unwrap() + 1..].to_owned())
                    .collect(),
                _ => {
                    let bad = circuit.lines().filter(|l| l.split(' ').nth(1) == Some("bad"));
                    bad.map(|l| l.split_whitespace().nth(3).unwrap_or("").to_owned()).collect()
                }
            };
            let circuit = TempFile::new(&format!("p.{ending}"), circuit);
            for (i, name) in names.iter().enumerate() {
                let expected = match name.as_str() {
                    "assert" => bop(&["check", file.path(), "--assert"]).code,
                    label => bop(&["check", file.path(), "--reach", label]).code,
                };
                for engine in ["auto", "explicit", "summary", "pdr"] {
                    let label = format!("bad{i}");
                    let ran = bop(&[
                        "check",
                        circuit.path(),
                        "--reach",
                        &label,
                        "--engine",
                        engine,
                        "--self-check",
                    ]);
                    assert_eq!(
                        ran.code, expected,
                        "{text}: {name} by {engine}\n{}{}",
                        ran.out, ran.err
                    );
                    compared += 1;
                }
            }
            let any = bop(&["check", circuit.path()]).code;
            let all = names.iter().enumerate().any(|(i, _)| {
                bop(&["check", circuit.path(), "--reach", &format!("bad{i}")]).code == 1
            });
            assert_eq!(any, i32::from(all), "{text}");
        }
    }
    assert!(compared > 60, "{compared}");
}

/// The binary format says what the text says, names included.
#[test]
fn binary_circuits_are_read_back() {
    let text = "decl g, h; void main() begin g := *; h := 0; while (*) do if (g & !h) then h := 1; f(); fi od \
                L: assert(!(g & h)); end void f() begin g := !g; end";
    let folder = Folder::new("aig", &[("p.bp", text)]);
    for (form, file) in [("aag", "p.aag"), ("aig", "p.aig")] {
        folder.bop(&["convert", "p.bp", "--to", form, "-o", file]).exits(0);
        folder.bop(&["check", file, "--reach", "bad0"]).exits(0);
        let ran = folder.bop(&["check", file, "--reach", "bad1"]).exits(1);
        assert!(ran.out.contains("bad1 (main:L)"), "{}", ran.out);
        assert!(ran.out.contains("pc.1=1"), "{}", ran.out);
    }
}

#[test]
fn circuits_of_others() {
    // A counter of three bits that skips 6 where its input says so.
    let text = "1 sort bitvec 3\n2 sort bitvec 1\n3 input 2 skip\n4 state 1 count\n5 zero 1\n6 init 1 4 5\n7 one 1\n\
                8 add 1 4 7\n9 constd 1 5\n10 eq 2 4 9\n11 and 2 10 3\n12 add 1 8 7\n13 ite 1 11 12 8\n14 next 1 4 13\n\
                15 constd 1 6\n16 eq 2 4 15\n17 bad 16\n18 constraint 3\n19 constd 1 7\n20 eq 2 4 19\n21 bad 20\n";
    let file = TempFile::new("count.btor2", text);
    let ran =
        bop(&["check", file.path(), "--reach", "bad0", "--reach", "bad1", "--self-check"]).exits(1);
    assert!(
        ran.out.contains("unreachable: bad0") && ran.out.contains("reachable: bad1"),
        "{}",
        ran.out
    );
    let report = bop(&["check", file.path(), "--reach", "bad1", "--format", "json"]).exits(1).out;
    let report = TempFile::new("r.json", report);
    bop(&["replay", file.path(), report.path()]).exits(0);
    let wrong = TempFile::new("f.aag", "aag 1 0 1 0 0 1\n2 4\n2\n");
    let ran = bop(&["check", wrong.path()]).exits(2);
    assert!(ran.err.contains(":2:1"), "{}", ran.err);
}
