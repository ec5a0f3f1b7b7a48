//! `bop eval` and `bop solve`.

use crate::{TempFile, bop};

/// Two states with `a` between them, and a way out that ends.
const MODEL: &str = "des (0, 4, 3)\n(0, \"a\", 1)\n(1, \"b !x\", 0)\n(1, i, 2)\n(0, i, 0)\n";

#[test]
fn formulas_are_evaluated_and_explained() {
    let model = TempFile::new("model.aut", MODEL);
    for (formula, value) in [
        ("[true*]<true>true", false),
        ("<true*>[true]false", true),
        ("nu X. <a><true>X", true),
        ("mu X. [true]X", false),
        ("< {b !x} > true", false),
        ("mu Y (v:Var := x) . (< {b !v} > true or < true > Y (v))", true),
    ] {
        for method in ["auto", "dfs", "bfs"] {
            let args = ["eval", formula, model.path(), "--self-check", "--method", method];
            let out = bop(&args).exits(if value { 0 } else { 1 }).out;
            assert!(out.starts_with(&format!("{value}\n")), "{formula}: {out}");
            assert!(out.contains("as a checker agrees"), "{out}");
        }
    }
    let why = TempFile::new("why.aut", "");
    let args = ["eval", "<a.tau>[true]false", model.path(), "--diagnostic", why.path()];
    let json = bop(&[&args[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(json["schema"], "postbop.solution/1");
    assert_eq!((&json["value"], &json["diagnostic"]["checked"]), (&true.into(), &true.into()));
    let part = std::fs::read_to_string(why.path()).expect("it was written");
    assert!(part.starts_with("des (0, 2, 3)\n"), "{part}");
}

#[test]
fn systems_are_solved() {
    let plain = TempFile::new("s.pbes", "pbes nu X = X && Y; mu Y = X || Y; init X;");
    bop(&["solve", plain.path(), "--self-check"]).exits(0);
    let counting =
        TempFile::new("p.txt", "pbes mu X(n: Nat) = val(n > 5) || X(n + 1);\ninit X(0);\n");
    let out = bop(&["solve", counting.path()]).exits(0).out;
    assert!(out.starts_with("true\n"), "{out}");
    let blocks =
        TempFile::new("s.bes", "block mu B0 is\n  X0 = X1 or X0\n  X1 = false\nend block\n");
    bop(&["solve", blocks.path(), "--self-check"]).exits(1);
    let model = TempFile::new("model.aut", MODEL);
    let modal = TempFile::new(
        "m.blk",
        "block mu B is\n  X = Y or Z\n  Y = < true > X\n  Z = [ true ] FALSE\nend block\neval B:X\n",
    );
    bop(&["solve", modal.path(), "--model", model.path(), "--self-check"]).exits(0);
    let ran = bop(&["solve", modal.path()]).exits(2);
    assert!(ran.err.contains("--model"), "{}", ran.err);
}

#[test]
fn bad_input_is_refused() {
    let model = TempFile::new("model.aut", MODEL);
    let ran = bop(&["eval", "[true*]<true", model.path()]).exits(2);
    assert!(ran.err.contains("formula:1:"), "{}", ran.err);
    let broken = TempFile::new("broken.aut", "des (0, 1, 1)\n(0, a)\n");
    let ran = bop(&["eval", "true", broken.path()]).exits(2);
    assert!(ran.err.contains("line 2"), "{}", ran.err);
    let system = TempFile::new("s.pbes", "pbes nu X = Z; init X;");
    let ran = bop(&["solve", system.path()]).exits(2);
    assert!(ran.err.contains("`Z`"), "{}", ran.err);
    bop(&["solve", model.path()]).exits(2);
    let endless = TempFile::new("e.pbes", "pbes mu X(n: Nat) = X(n + 1); init X(0);");
    bop(&["solve", endless.path(), "--timeout", "200ms"]).exits(3);
}
