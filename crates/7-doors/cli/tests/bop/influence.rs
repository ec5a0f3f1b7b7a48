//! `bop lts`, `bop influence`, `bop annotate`, `bop eval` on programs, `bop check --matching`.

use crate::{TempFile, bop, bop_with};

/// A program with the result of [pbes Fig. 1].
const P1: &str = "int main(void) {
  int x, y;
  x = 9;
L0: while (x > 0) {
L1:   y = y + x;
L2:   x = x - 1;
  }
L3: y = 0;
L4: return 0;
}
";

const PROGRAM: &str = "decl g;
void f(p) begin
  g := p;
end
void main() begin
  decl a, b;
  a := T;
  f(a);
  if (g) then
    R: assert(b);
  fi
end
";

#[test]
fn transition_systems() {
    let c = TempFile::new("p1.c", P1);
    let out = bop(&["lts", c.path()]).exits(0).out;
    assert!(out.starts_with("des (0, "), "{out}");
    for label in ["\"BOOL !x\"", "\"ASSIGN !y !x\"", "\"ASSIGN !y\"", "\"ASSIGN !x !x\""] {
        assert!(out.contains(label), "{label}: {out}");
    }
    let aut = TempFile::new("p1.aut", "");
    bop(&["lts", c.path(), "-o", aut.path()]).exits(0);
    assert_eq!(std::fs::read_to_string(aut.path()).expect("it was written"), out);
    // The written system and the program have the same answers.
    for (formula, value) in [
        ("< true* . {BOOL !x} > true", 0),
        ("< true* . {BOOL !y} > true", 1),
        (
            "mu Y (v:Var := y) . (< {BOOL !v} > true or < {ASSIGN ?z:Var !v} > Y (z) or \
          < not ({ASSIGN !v ?z:Var} or {ASSIGN !v}) > Y (v))",
            1,
        ),
    ] {
        bop(&["eval", formula, aut.path()]).exits(value);
        bop(&["eval", formula, c.path(), "--self-check"]).exits(value);
    }
    let bp = TempFile::new("f.bp", PROGRAM);
    let out = bop(&["lts", bp.path()]).exits(0).out;
    for label in ["\"ASSIGN !p !a\"", "\"ASSERT !b\"", "\"BOOL !g\"", "\"ASSIGN !a\""] {
        assert!(out.contains(label), "{label}: {out}");
    }
    let out = bop(&["lts", c.path(), "--terms"]).exits(0).out;
    assert!(out.contains("\"EVAL !y+x\""), "{out}");
    let rem = "define DEFAULT_INT_BITS 3\nint x;\ninit main;\nmodule void main() { x = x + 1; }\n";
    let rem = TempFile::new("f.rem", rem);
    let out = bop(&["lts", rem.path()]).exits(0).out;
    assert!(out.contains("\"BOOL !x\""), "arithmetic may block: {out}");
}

#[test]
fn states_as_transition_systems() {
    let bp = TempFile::new("f.bp", PROGRAM);
    let out = bop(&["lts", bp.path(), "--view", "states"]).exits(0).out;
    for label in ["STEP !main !7", "CALL !main !8 !f", "ERROR !main !10", "END"] {
        assert!(out.contains(label), "{label}: {out}");
    }
    for (formula, value) in [
        ("< true* . {ERROR !main !10} > true", 0),
        ("< true* . {STEP !main !10 !R} > true", 0),
        ("[ true* . {CALL !main !8 !f} ] mu X . (< true > true and [ not {STEP !f !3} ] X)", 0),
        ("[ true* ] < true > true", 1),
    ] {
        let ran = bop(&["eval", formula, bp.path(), "--syntax", "cadp"]);
        assert_eq!(ran.code, value, "{formula}: {}{}", ran.out, ran.err);
    }
    // On the fly: a shallow answer in an infinite system; and a bound makes it finite.
    let deep = TempFile::new("deep.bp", "void main() begin L: skip; main(); end\n");
    let formula = "< true* . {CALL !main !1 !main} . true* . {STEP !main !1 !L} > true";
    bop(&["eval", formula, deep.path(), "--method", "bfs"]).exits(0);
    let all = "[ true* ] < true > true";
    bop(&["eval", all, deep.path(), "--timeout", "1s"]).exits(3);
    bop(&["eval", all, deep.path(), "--stack-depth", "5"]).exits(1);
    let cut = bop(&["lts", deep.path(), "--view", "states", "--stack-depth", "3"]).exits(0).out;
    assert!(cut.contains("TOO_DEEP !main"), "{cut}");
}

#[test]
fn influence_of_the_paper() {
    let c = TempFile::new("p1.c", P1);
    for method in ["formula", "pbes", "dataflow", "all"] {
        let args = ["influence", c.path(), "--analysis", "ia1", "--method", method];
        let json = bop(&[&args[..], &["--format", "json"]].concat()).exits(0).json();
        assert_eq!(json["schema"], "postbop.influence/1");
        let points = json["points"].as_array().expect("points");
        for (label, expected) in [
            ("L0", vec!["x"]),
            ("L1", vec!["x"]),
            ("L2", vec!["x"]),
            ("L3", vec![]),
            ("L4", vec![]),
        ] {
            let is_here = |p: &&serde_json::Value| {
                p["labels"].as_array().is_some_and(|l| l.contains(&label.into()))
            };
            let point = points.iter().find(is_here).unwrap_or_else(|| panic!("no {label}"));
            assert_eq!(point["variables"], serde_json::json!(expected), "{label} by {method}");
        }
        let y = serde_json::json!("y");
        assert!(points.iter().all(|p| !p["variables"].as_array().unwrap().contains(&y)));
    }
    let text = bop(&["influence", c.path()]).exits(0).out;
    assert!(text.contains("     5  L1: y = y + x"), "{text}");
    assert!(text.contains("{x}"), "{text}");
    let source = bop(&["influence", c.path(), "--format", "source"]).exits(0).out;
    assert!(source.contains("L2:   x = x - 1;") && source.contains("// {x}"), "{source}");
    assert_eq!(source.lines().count(), P1.lines().count());
}

#[test]
fn four_analyses() {
    let bp = TempFile::new("f.bp", PROGRAM);
    let first = |analysis: &[&str]| {
        let args = [&["influence", bp.path(), "--format", "json", "--method", "all"], analysis];
        let json = bop(&args.concat()).exits(0).json();
        let points = json["points"].as_array().expect("points").clone();
        let point = points.iter().find(|p| p["line"] == 8).expect("a call").clone();
        point["variables"].to_string()
    };
    assert_eq!(first(&["--analysis", "ia1"]), r#"["a"]"#);
    assert_eq!(first(&["--analysis", "ia2"]), r#"["a","b"]"#);
    assert_eq!(first(&["--analysis", "ia3"]), r#"["a","b"]"#);
    assert_eq!(first(&["--analysis", "ia4", "--vars", "g"]), r#"["g","a"]"#);
    assert_eq!(first(&["--analysis", "ia4", "--vars", "main::b"]), r#"["a","b"]"#);
}

#[test]
fn formulas_at_every_point() {
    let c = TempFile::new("p1.c", P1);
    let live = "@examples/analyses/live.mcl";
    let out = bop(&["annotate", c.path(), "--formula", live]).exits(0).out;
    assert!(out.contains("{x, y}"), "{out}");
    let reaching = "@examples/analyses/reaching.mcl";
    let out = bop(&["annotate", c.path(), "--formula", reaching, "--past"]).exits(0).out;
    assert!(out.contains("x@3:3") && out.contains("y@start"), "{out}");
    let busy = "@examples/analyses/very-busy.mcl";
    let out = bop(&["annotate", c.path(), "--formula", busy]).exits(0).out;
    assert!(out.contains("{x-1}"), "{out}");
}

#[test]
fn abstract_matching() {
    let text = "void main() begin decl x, y, z; x := F; y := F; z := F;
        while (!x) do if (y) then skip; fi z := y ^ z; y := !y; x := *; od R: skip; end\n";
    let bp = TempFile::new("f.bp", text);
    let run = |matching: &str| {
        let args = ["check", bp.path(), "--reach-all", "--matching", matching, "--format", "json"];
        let json = bop(&args).json();
        let result = json["results"][0].clone();
        assert_eq!(result["engine"], "matching");
        (result["verdict"].clone(), result["stats"].clone())
    };
    let (verdict, all) = run("off");
    for matching in ["ia1", "ia2", "ia3", "ia4"] {
        let (other, stats) = run(matching);
        assert_eq!(other, verdict);
        let stored = |s: &serde_json::Value, name: &str| s[name].as_u64().expect(name);
        assert!(stored(&stats, "states_stored") < stored(&all, "states_stored"));
    }
    // A trace is one of the whole program, and a lasso, too.
    bop(&["check", bp.path(), "--reach", "R", "--matching", "ia1"]).exits(1);
    let args = ["check", bp.path(), "--terminates", "--matching", "ia1", "--format", "json"];
    let json = bop(&args).exits(1).json();
    assert!(json["results"][0]["trace"]["loop_start"].is_u64(), "{json}");
    bop(&["check", bp.path(), "--ltl", "F at(R)", "--matching", "ia1"]).exits(1);
    bop(&["check", bp.path(), "--ltl", "G F !at(R)", "--matching", "ia1"]).exits(0);
    // C, with values of two variables.
    let c = TempFile::new(
        "m.c",
        "void stop(void); int main(void) { int i = 0, s = 0; while (i < 3) { s = s + i; i = i + 1; } \
         if (i == 3) stop(); return 0; }\n",
    );
    let args =
        ["check", c.path(), "--reach-all", "--keep", "i:3", "--keep", "s:4", "--matching", "ia1"];
    let json = bop(&[&args[..], &["--format", "json"]].concat()).json();
    assert_eq!(json["results"][0]["engine"], "matching", "{json}");
    let recursive =
        TempFile::new("r.bp", "void main() begin if (*) then main(); fi R: skip; end\n");
    let ran = bop(&["check", recursive.path(), "--reach", "R", "--matching", "ia1"]).exits(3);
    assert!(ran.out.contains("recursive"), "{}", ran.out);
}

#[test]
fn bad_input_is_refused() {
    let c = TempFile::new("p1.c", P1);
    for (args, what) in [
        (&["influence", c.path(), "--analysis", "ia4"][..], "--vars"),
        (&["influence", c.path(), "--vars", "x"], "ia4"),
        (&["influence", c.path(), "--analysis", "ia4", "--vars", "xx"], "no variable `xx`"),
        (&["influence", c.path(), "--analysis", "ia9"], "ia9"),
        (&["influence", c.path(), "--entry", "nosuch"], "nosuch"),
        (&["annotate", c.path(), "--formula", "true"], "one parameter of sort `Var`"),
        (&["annotate", c.path(), "--formula", "mu Y (v:Var := x) . ("], "formula:1:"),
        (&["annotate", c.path(), "--formula", "@nosuch.mcl"], "nosuch.mcl"),
        (&["lts", "nosuch.bp"], "nosuch.bp"),
        (&["lts", c.path(), "--stack-depth", "3"], "--view states"),
        (&["eval", "true", "nosuch.c"], "nosuch.c"),
        (&["check", c.path(), "--matching", "ia1", "--engine", "post"], "--matching"),
    ] {
        let ran = bop(args).exits(2);
        assert!(ran.err.contains(what), "{args:?}: {}", ran.err);
    }
    let ran = bop_with(&["lts", "-", "--lang", "bp"], "void main() begin x := 1; end\n").exits(2);
    assert!(ran.err.contains('x'), "{}", ran.err);
    let empty = TempFile::new("e.c", "int x;\n");
    let ran = bop(&["influence", empty.path()]).exits(2);
    assert!(ran.err.contains("no function has a body"), "{}", ran.err);
}
