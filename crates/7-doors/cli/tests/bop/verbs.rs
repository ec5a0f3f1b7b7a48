//! The other verbs.

use crate::{TempFile, bop, bop_with};

#[test]
fn states_are_exact() {
    for engine in ["explicit", "summary", "post", "pre", "auto", "compare"] {
        let args = ["states", "examples/fig1.bp", "--at", "R", "--format", "json"];
        let states = bop(&[&args[..], &["--engine", engine]].concat()).exits(0).json();
        assert_eq!(states["schema"], "postbop.states/1");
        let at = &states["places"][0];
        let formula = at["formula"].as_str().unwrap();
        assert!(["g & !h", "!h & g"].contains(&formula), "{engine}: {formula}");
        assert_eq!(at["cubes"].to_string(), r#"[{"g":true,"h":false}]"#);
        assert_eq!(at["count"], "1");
        assert_eq!(at["reachable"], true);

        // `h` is dead at line 10 and counts as used there all the same.
        let args = ["states", "examples/fig1.bp", "--at", ":10", "--vars", "h"];
        let out = bop(&[&args[..], &["--engine", engine]].concat()).exits(0).out;
        assert_eq!(out, "at main:10: skip\n  !h\n    h=0\n  1 valuation\n", "{engine}");

        let args = ["states", "examples/fig1.bp", "--at", ":14"];
        let out = bop(&[&args[..], &["--engine", engine]].concat()).exits(0).out;
        assert_eq!(out, "at main:14: skip\n  unreachable\n", "{engine}");
    }
    let unknown = bop(&["states", "examples/fig1.bp", "--at", "R", "--steps", "0"]).exits(3);
    assert!(unknown.out.starts_with("unknown: what holds at R?"), "{}", unknown.out);
}

#[test]
fn states_of_a_label_in_two_procedures() {
    let text = "decl g; void f() begin L: g := 1; end void main() begin g := 0; f(); L: skip; end";
    let out = bop_with(&["states", "-", "--lang", "bp", "--at", "L"], text).exits(0).out;
    let expected = "at f:1: g := 1\n  !g\n    g=0\n  1 valuation\n\n\
                    at main:1: skip\n  g\n    g=1\n  1 valuation\n";
    assert_eq!(out, expected);
}

#[test]
fn many_cubes_are_cut() {
    let text = "decl a,b,c,d; void main() begin assume(a ^ b ^ c ^ d); L: skip; end";
    let args = ["states", "-", "--lang", "bp", "--at", "L", "--max-cubes", "3"];
    let out = bop_with(&args, text).exits(0).out;
    assert!(out.contains("… and more cubes"), "{out}");
    assert!(out.contains("8 valuations"), "{out}");
}

#[test]
fn conversion_is_a_fixed_point() {
    for file in ["examples/fig1.bp", "examples/lock.bp", "examples/lock-refined.bp"] {
        let once = bop(&["convert", file, "--to", "bp"]).exits(0).out;
        let twice = bop_with(&["convert", "-", "--lang", "bp", "--to", "bp"], &once).exits(0).out;
        assert_eq!(once, twice, "{file}");
        let (before, after) =
            (bop(&["check", file]), bop_with(&["check", "-", "--lang", "bp"], &once));
        assert_eq!(before.code, after.code, "{file}");
    }
    let dot = bop(&["convert", "examples/fig1.bp", "--to", "dot"]).exits(0).out;
    assert!(dot.starts_with("digraph") && dot.contains("20: if (a1)"), "{dot}");
    let bad = "void main() begin x := 1; end";
    bop_with(&["convert", "-", "--lang", "bp", "--to", "bp"], bad).exits(2);
}

#[test]
fn dumps_show_the_stages() {
    let tree = bop(&["dump", "examples/fig1.bp", "--stage", "tree"]).exits(0).out;
    assert!(tree.contains("\n      12:8 R: skip\n"), "{tree}");
    let ir = bop(&["dump", "examples/fig1.bp"]).exits(0).out;
    assert!(ir.contains("proc A(a1: bool, a2: bool) -> ()"), "{ir}");
    let task = bop(&["dump", "examples/fig1.bp", "--stage", "task", "--reach", "R"]).exits(0).out;
    assert!(task.starts_with("reach R: reach n"), "{task}");
}

#[test]
fn traces_of_reports_are_replayed() {
    for max_steps in ["100000", "13", "8"] {
        let args = ["check", "examples/fig1.bp", "--reach", "R", "--format", "json"];
        let report = bop(&[&args[..], &["--max-steps", max_steps]].concat()).exits(1).out;
        let replay = |report: &str| bop_with(&["replay", "examples/fig1.bp", "-"], report);
        assert_eq!(replay(&report).exits(0).out, "accepted: reach R\n", "{max_steps}");
        // The last step, which stands behind a call that may be folded, cannot have `h` true.
        let (head, tail) = report.rsplit_once(r#""h":false"#).unwrap();
        let wrong = format!(r#"{head}"h":true{tail}"#);
        assert!(replay(&wrong).exits(1).out.starts_with("refused: reach R: step "), "{max_steps}");
        // `g` comes out of the second call true.
        let marker = r#""line":10"#;
        let (head, tail) = report.split_once(marker).unwrap();
        let wrong = format!("{head}{marker}{}", tail.replace(r#""g":true"#, r#""g":false"#));
        assert!(replay(&wrong).exits(1).out.starts_with("refused: reach R: step "), "{max_steps}");
    }
    let none = bop(&["check", "examples/stack.bp", "--format", "json"]).exits(0).out;
    let out = bop_with(&["replay", "examples/stack.bp", "-"], &none).exits(0).out;
    assert_eq!(out, "no trace: assertions: holds\n");
    for (report, says) in [("", "not JSON"), ("{}", "schema: missing"), ("[1]", "schema")] {
        let ran = bop_with(&["replay", "examples/fig1.bp", "-"], report).exits(2);
        assert!(ran.err.contains(says), "{}", ran.err);
    }
}

#[test]
fn generated_programs_are_what_they_say() {
    let t = bop(&["gen", "bebop-t", "2"]).exits(0).out;
    assert!(t.contains("    level2(); level2();\n") && t.contains("    skip; skip;\n"), "{t}");
    let file = TempFile::new("wide.bp", "");
    let wide = ["gen", "wide", "--vars", "60", "--procs", "9", "--nondet", "40", "--seed", "3"];
    bop(&[&wide[..], &["-o", file.path()]].concat()).exits(0);
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), bop(&wide).out);
    let other = bop(&["gen", "wide", "--vars", "60", "--procs", "9", "--seed", "4"]).out;
    assert_ne!(bop(&wide).out, other);
    bop(&["check", file.path(), "--reach", "SLIC_ERROR"]).exits(0);
}

#[test]
fn help_teaches_by_example() {
    let verbs = ["check", "states", "convert", "dump", "replay", "gen", "ltl", "completions"];
    for verb in verbs.into_iter().chain(["init", "batch", "lsp", "man"]) {
        let help = bop(&[verb, "--help"]).exits(0).out;
        assert!(help.contains("Examples:\n  bop "), "{verb}: {help}");
    }
    assert!(bop(&["--help"]).exits(0).out.contains("Exit codes: 0"));
    assert!(bop(&["--version"]).exits(0).out.starts_with("bop "));
}

#[test]
fn completions_for_shells() {
    for shell in ["bash", "zsh", "fish"] {
        let script = bop(&["completions", shell]).exits(0).out;
        assert!(script.contains("reach-all"), "{shell}");
    }
}

/// `convert` and `dump` have the limits of all verbs.
#[test]
fn limits_of_conversions() {
    let text = bop(&["gen", "bebop-t", "2000"]).exits(0).out;
    let forms: [&[&str]; 5] = [
        &["convert", "--to", "pds"],
        &["convert", "--to", "remopla"],
        &["convert", "--to", "dot"],
        &["dump", "--stage", "spds"],
        &["dump", "--stage", "tree"],
    ];
    for form in forms {
        let args = [&form[..1], &["-", "--lang", "bp"], &form[1..]].concat();
        let ran = bop_with(&[&args[..], &["--timeout", "1ms"]].concat(), &text).exits(3);
        assert!(ran.err.contains("time limit"), "{}", ran.err);
        let ran = bop_with(&[&args[..], &["--memory", "1K"]].concat(), &text).exits(3);
        assert!(ran.err.contains("memory limit"), "{}", ran.err);
        bop_with(&[&args[..], &["--timeout", "5m", "--memory", "2G"]].concat(), &text).exits(0);
    }
}

/// Summaries, path edges, MOD/REF and live variables of [bebop Fig. 1].
#[test]
fn facts_about_procedures() {
    let dump = |stage: &str, more: &[&str]| {
        bop(&[&["dump", "examples/fig1.bp", "--stage", stage], more].concat()).exits(0)
    };
    let out = dump("modref", &[]).out;
    assert_eq!(out, "main: modifies g; modifies or reads g\nA: modifies g; modifies or reads g\n");
    let out = dump("live", &["--reach", "R"]).out;
    assert!(out.contains("  6  h := !g  live: g\n  7  A(g, h)  live: g, h\n"), "{out}");
    let json = dump("live", &["--format", "json"]).json();
    assert_eq!(json["schema"], "postbop.facts/1");
    assert_eq!(json["procs"][0]["statements"][0]["live"].to_string(), r#"["g"]"#);

    // Called with different values, A returns with `g` true.
    let json = dump("summaries", &["--format", "json"]).json();
    let a = &json["procs"][1];
    assert_eq!(a["proc"], "A");
    let summary = a["summary"]["formula"].as_str().unwrap();
    assert_eq!(summary, "a1@entry & !a2@entry & g | !a1@entry & a2@entry & g");
    let statements = json["procs"][0]["statements"].as_array().unwrap();
    let dead = statements.iter().find(|s| s["line"] == 14).unwrap();
    assert_eq!(dead["path"]["formula"], "0");
    let out = dump("summaries", &[]).out;
    assert!(out.contains("  14  skip  [0]\n"), "{out}");
    bop(&["dump", "examples/fig1.bp", "--stage", "ir", "--format", "json"]).exits(2);
}
