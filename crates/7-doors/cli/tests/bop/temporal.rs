//! `--ltl`, `--terminates`, `--fair`: verdicts, lassos, vacuity, errors.

use crate::{TempFile, bop, bop_with};
use serde_json::json;

const ENGINES: [&str; 6] = ["auto", "explicit", "summary", "post", "pre", "compare"];

/// `work` may call itself for ever; the assertion fails if `b` was true at the start.
const SERVER: &str = "\
decl a, b;
void main() begin
  a := 0;
  while (*) do
    serve();
    a := 0;
  od
  assert(!b);
end
void serve() begin
  if (*) then work(); fi
  a := 1;
end
void work() begin
  L: if (*) then work(); fi
end
";

#[test]
fn every_engine_gives_the_same_verdicts_and_lassos_that_replay() {
    let file = TempFile::new("server.bp", SERVER);
    for engine in ENGINES {
        let check = |rest: &[&str]| {
            let all = [&["check", file.path(), "--engine", engine, "--self-check"], rest].concat();
            bop(&all)
        };
        for (formula, fair, holds) in [
            ("G (in(serve) -> F a)", None, false),
            ("G (in(serve) -> F a)", Some("!in(work)"), true),
            ("G F (at(work:L) || terminated || error)", None, false),
            ("F G (at(work:L) || in(work)) -> G F at(L)", None, true),
            ("!b -> G !error", None, true),
            ("F error -> b", None, true),
            ("F terminated", None, false),
            ("X !a", None, true),
        ] {
            let mut args = vec!["--ltl", formula, "--format", "json"];
            args.extend(fair.iter().flat_map(|&f| ["--fair", f]));
            let ran = check(&args).exits(if holds { 0 } else { 1 });
            let result = &ran.json()["results"][0];
            let word = if holds { "holds" } else { "violated" };
            assert_eq!(result["verdict"], word, "{engine} {formula}");
            assert_eq!(result["property"]["formula"], formula);
            if let Some(fair) = fair {
                assert_eq!(result["property"]["fair"], json!([fair]));
            }
            if !holds {
                let replayed = bop_with(&["replay", file.path(), "-"], &ran.out).exits(0).out;
                assert_eq!(replayed, format!("accepted: {formula}\n"), "{engine}");
            }
        }
        let out = check(&["--terminates"]).exits(1).out;
        assert!(out.starts_with("violated: a run never ends: "), "{engine}: {out}");
        check(&["--terminates", "--fair", "terminated || error"]).exits(0);
    }
}

#[test]
fn runs_that_are_over_stay_in_an_extra_step() {
    let file = TempFile::new("server.bp", SERVER);
    for (formula, text, globals) in [
        ("G !terminated", "(terminated)", json!({"a": false, "b": false})),
        ("G !error", "(error)", json!({"a": false, "b": true})),
    ] {
        let ran = bop(&["check", file.path(), "--ltl", formula, "--format", "json"]).exits(1);
        let trace = &ran.json()["results"][0]["trace"];
        let steps = trace["steps"].as_array().expect("a list");
        let last = steps.last().expect("not empty");
        assert_eq!((&last["line"], &last["text"]), (&json!(0), &json!(text)));
        assert_eq!(last["state"], globals, "{formula}");
        assert_eq!(trace["loop_start"], steps.len() - 1);
        let shown = bop(&["check", file.path(), "--ltl", formula]).exits(1).out;
        assert!(shown.contains(&format!("  from here on for ever:\n          {text}")), "{shown}");
        for format in ["html", "sarif", "bebop"] {
            bop(&["check", file.path(), "--ltl", formula, "--format", format]).exits(1);
        }
    }
}

#[test]
fn growing_stacks_and_loops_are_told_apart() {
    let file = TempFile::new("server.bp", SERVER);
    let formula = "G (in(work) -> F in(serve))";
    let ran = bop(&["check", file.path(), "--ltl", formula, "--format", "json"]).exits(1);
    assert_eq!(ran.json()["results"][0]["trace"]["stack_growth"], 1);
    let args = ["check", file.path(), "--terminates", "--fair"];
    let out = bop(&[&args[..], &["G in(work)"]].concat()).exits(1).out;
    let place = format!("{}:15:18", file.path());
    assert!(out.contains(&format!("`work` calls itself at {place}")), "{out}");
    let out = bop(&[&args[..], &["in(main)"]].concat()).exits(1).out;
    assert!(out.contains("the loop in `main` at "), "{out}");
    let mutual = TempFile::new(
        "mutual.bp",
        "void main() begin f(); end void f() begin g(); end void g() begin f(); end",
    );
    let out = bop(&["check", mutual.path(), "--terminates"]).exits(1).out;
    assert!(out.contains("`f`, `g` call each other") || out.contains("`g`, `f` call"), "{out}");
}

#[test]
fn vacuity_is_told_with_a_witness() {
    let file = TempFile::new("server.bp", SERVER);
    let result = |formula: &str| {
        let args = ["check", file.path(), "--ltl", formula, "--fair", "!in(work)", "--format"];
        bop(&[&args[..], &["json"]].concat()).exits(0).json()["results"][0].clone()
    };
    // There is a run for which each part matters.
    let told = result("G (in(serve) -> F a)");
    assert_eq!(told["vacuous"], false);
    assert!(told["witness"]["steps"].as_array().is_some_and(|s| !s.is_empty()), "{told}");
    // `a` is never true where an assertion has failed.
    let told = result("G (error && a -> F in(main))");
    assert_eq!(told["vacuous"], true);
    assert_eq!(told["vacuous_parts"][0], json!({"part": "F in(main)", "replaced_by": false}));
    let args = ["check", file.path(), "--ltl", "G (error && a -> F in(main))"];
    let out = bop(&args).exits(0).out;
    assert!(out.contains("vacuous: it would hold even with `false` in place of `F in(main)`"));
    let out = bop(&[&args[..], &["--no-vacuity"]].concat()).exits(0).out;
    assert!(!out.contains("vacuous"), "{out}");

    let stuck = TempFile::new("stuck.bp", "void main() begin assume(0); end");
    let out = bop(&["check", stuck.path(), "--ltl", "F error"]).exits(0).out;
    assert!(out.contains("no infinite run is left"), "{out}");
    let out = bop(&["check", file.path(), "--ltl", "F a", "--fair", "false"]).exits(0).out;
    assert!(out.contains("no infinite run is left: every run blocks or is not fair"), "{out}");
}

/// Many assumptions are kept outside the automaton: as if they were in the formula.
#[test]
fn many_assumptions_are_as_good_as_a_formula() {
    let text = "decl p, q, r, s;\nvoid main() begin\n  while (*) do\n    p := *;\n    \
                if (p) then q := *; r := !r; else s := f(q); fi\n  od\n  L: skip;\nend\n\
                bool f(x) begin decl y; y := x; if (*) then y := f(!x); fi return y; end\n";
    let file = TempFile::new("many.bp", text);
    let fair = ["p", "!q", "in(f) | terminated", "r ^ s", "!p -> s"];
    let again: Vec<String> = fair.iter().map(|f| format!("G F ({f})")).collect();
    for formula in ["F q", "F G !q", "G (p -> F s)", "F terminated", "G F q", "F (q & r & s)"] {
        let with: Vec<&str> = fair.iter().flat_map(|f| ["--fair", f]).collect();
        let inside = format!("({}) -> {formula}", again.join(" & "));
        for engine in ["explicit", "post", "pre"] {
            let args = ["check", file.path(), "--engine", engine, "--self-check", "--ltl"];
            let outside = bop(&[&args[..], &[formula], &with].concat());
            let embedded = bop(&[&args[..], &[&inside]].concat());
            assert_eq!(outside.code, embedded.code, "{engine} {formula}\n{}", outside.out);
            assert!(outside.code < 2, "{}{}", outside.out, outside.err);
        }
    }
}

#[test]
fn all_languages_have_temporal_properties() {
    let sort = TempFile::new(
        "count.rem",
        "int x(3);\ninit main;\nmodule void down(int n(3)) { if :: n > 0 -> x = x + 1; \
         down(n - 1); :: else -> skip; fi }\nmodule void main() { x = 0; down(5); L: skip; }\n",
    );
    let system = TempFile::new(
        "system.pds",
        "(p <a>)\np <a> --> p <a b>\np <a> --> q <>\nq <b> --> q <>\nq <b> --> r <b>\n\
         r <b> --> r <b>\n",
    );
    for engine in ENGINES {
        let check = |file: &TempFile, formula: &str| {
            bop(&["check", file.path(), "--engine", engine, "--ltl", formula])
        };
        let out = check(&sort, "F (at(L) && \"x == 5\")").exits(0).out;
        assert!(out.starts_with("holds"), "{engine}: {out}");
        check(&sort, "G \"x < 5\"").exits(1);
        check(&sort, "G \"down::n < 6\"").exits(1);
        check(&system, "F (at(b) || terminated)").exits(1);
        check(&system, "G (r -> G r)").exits(0);
        check(&system, "G (at(b) && q -> X (terminated || at(b)))").exits(0);
    }
}

#[test]
fn what_is_wrong_with_a_formula_is_marked() {
    let file = TempFile::new("server.bp", SERVER);
    for (args, wanted) in [
        (&["--ltl", "G ("][..], "expected a formula"),
        (&["--ltl", "G aa"], "there is no global variable `aa`"),
        (&["--ltl", "F at(LL)"], "the labels are L"),
        (&["--ltl", "F in(wrk)"], "did you mean `work`?"),
        (&["--ltl", "F wrk::x"], "`work`"),
        (&["--ltl", "F \"a <\""], "formula:1:"),
        (&["--ltl", "a", "--fair", "q"], "fairness formula"),
        (&["--terminates", "--fair", "G"], "fairness formula"),
        (&["--fair", "a"], "it goes with `--ltl`"),
    ] {
        let ran = bop(&[&["check", file.path()], args].concat()).exits(2);
        assert!(ran.err.contains(wanted), "{args:?}: {}", ran.err);
        assert!(ran.out.is_empty());
    }
    let array = TempFile::new("a.rem", "int a[3](2);\ninit main;\nmodule void main() { skip; }\n");
    let ran = bop(&["check", array.path(), "--ltl", "G \"a[3] == 0\""]).exits(2);
    assert!(ran.err.contains("a[3] == 0"), "{}", ran.err);
}

#[test]
fn limits_end_in_unknown() {
    let file = TempFile::new("server.bp", SERVER);
    for engine in ["explicit", "post", "pre"] {
        let args = ["check", file.path(), "--ltl", "G F a", "--engine", engine, "--steps", "1"];
        let out = bop(&args).exits(3).out;
        assert!(out.starts_with("unknown: G F a ("), "{engine}: {out}");
    }
    bop(&["check", file.path(), "--ltl", "G F a", "--timeout", "0s"]).exits(3);
}

/// A loop that gives each of so many globals any value, one after the other.
fn many(globals: usize) -> String {
    let names: Vec<String> = (0..globals).map(|i| format!("b{i}")).collect();
    let body: String = names.iter().map(|name| format!("    {name} := *;\n")).collect();
    let names = names.join(", ");
    format!("decl {names};\nvoid main() begin\n  while (1) do\n{body}  od\nend\n")
}

/// Sixty atoms in labels that no list of cubes holds, and sixty marks.
#[test]
fn formulas_with_sixty_atoms() {
    let join = |n: usize, op: &str, part: &dyn Fn(usize) -> String| {
        (0..n).map(part).collect::<Vec<_>>().join(op)
    };
    // Of a formula that holds each part is looked at for vacuity: fewer of them.
    for (atoms, holds) in [(60, false), (31, true)] {
        let file = TempFile::new("many.bp", many(atoms));
        let often = join(atoms, " & ", &|i| format!("G F b{i}"));
        let odd = join(atoms, " ^ ", &|i| format!("b{i}"));
        // Each statement changes at most one of them, so that the parity stays even only if nothing
        // changes: then all are true, which is even if they are sixty.
        let formula = format!("({often}) -> F ({odd})");
        let ran = bop(&["check", file.path(), "--ltl", &formula, "--format", "json"]);
        let ran = ran.exits(if holds { 0 } else { 1 });
        if !holds {
            let replayed = bop_with(&["replay", file.path(), "-"], &ran.out).exits(0).out;
            assert!(replayed.starts_with("accepted: "), "{replayed}");
        }
    }
}

/// A hundred assumptions of fairness.
#[test]
fn a_hundred_fairness_constraints() {
    let file = TempFile::new("many.bp", many(50));
    let mut args = vec!["check".to_owned(), file.path().to_owned()];
    for i in 0..50 {
        args.extend(["--fair".to_owned(), format!("b{i}"), "--fair".to_owned(), format!("!b{i}")]);
    }
    let ask = |formula: &str| {
        let all = args.iter().map(String::as_str).chain(["--ltl", formula, "--format", "json"]);
        bop(&all.collect::<Vec<_>>())
    };
    let both = "G F (b0 & X !b0) & G F (b49 & X !b49)";
    ask(both).exits(0);
    let ran = ask("G F (b0 & b1 & b2)").exits(1);
    let replayed = bop_with(&["replay", file.path(), "-"], &ran.out).exits(0).out;
    assert!(replayed.starts_with("accepted: "), "{replayed}");
    // Without the last assumption the first formula does not hold.
    args.truncate(args.len() - 2);
    let all: Vec<&str> = args.iter().map(String::as_str).chain(["--ltl", both]).collect();
    bop(&all).exits(1);
}

/// Bits that are arbitrary in every round, and as many assumptions: what is waited for is not remembered.
#[test]
fn assumptions_about_arbitrary_bits() {
    let atoms: Vec<String> = (1..=60).map(|i| format!("p{i}")).collect();
    let writes: String = atoms.iter().map(|p| format!("{p} := *; ")).collect();
    let text = format!("decl {}; void main() begin while (T) do {writes} od end", atoms.join(","));
    let file = TempFile::new("arbitrary.bp", &text);
    let ask = |formula: &str, fair: &[String], code| {
        let mut args = vec!["check", file.path(), "--ltl", formula, "--format", "json"];
        args.extend(fair.iter().flat_map(|f| ["--fair", f]));
        bop(&args).exits(code).out
    };
    let often: Vec<String> = atoms.iter().map(|p| format!("G F {p}")).collect();
    ask(&often.join(" & "), &atoms, 0);
    ask(&often.join(" & "), &atoms[1..], 1);
    let pairs: Vec<String> = (0..100)
        .map(|i| format!("{} | {}", atoms[i * 7 % 60], atoms[(i * 11 + 13) % 60]))
        .collect();
    let report = ask("G (p1 -> F !p1)", &pairs, 1);
    let replayed = bop_with(&["replay", file.path(), "-"], &report).exits(0).out;
    assert!(replayed.starts_with("accepted: "), "{replayed}");
    // An edge has no room for so many: one is waited for after the other.
    let labels: String = (0..140).map(|i| format!("L{i}: skip; ")).collect();
    let text = format!("void main() begin while (T) do {labels} od end");
    let file = TempFile::new("labels.bp", &text);
    let fair: Vec<String> = (0..140).map(|i| format!("at(L{i})")).collect();
    for (formula, code) in [("F G at(L0)", 1), ("G F at(L139)", 0)] {
        let mut args = vec!["check", file.path(), "--ltl", formula, "-q"];
        args.extend(fair.iter().flat_map(|f| ["--fair", f]));
        bop(&args).exits(code);
    }
}

/// An automaton asks what its formula asks; its report is judged by the automaton, which is in it.
#[test]
fn automata_are_asked_and_replayed() {
    let bad = TempFile::new("bad.hoa", bop(&["ltl", "!(G F in(A))"]).exits(0).out);
    let report = bop(&["check", "examples/fig1.bp", "--automaton", bad.path(), "--format", "json"]);
    let report = report.exits(1).out;
    let property: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let property = &property["results"][0]["property"];
    assert_eq!((&property["kind"], &property["accepts"]), (&"automaton".into(), &"bad".into()));
    assert_eq!(property["file"].as_str(), Some(bad.path()));
    let file = TempFile::new("r.json", &report);
    bop(&["replay", "examples/fig1.bp", file.path()]).exits(0);
    // The same run is none of those that the opposite accepts.
    for (from, to) in [("\"bad\"", "\"good\""), ("[!0] 1\\n--END", "[0] 1\\n--END")] {
        let other = report.replacen(from, to, 1);
        assert_ne!(other, report, "{from}");
        let file = TempFile::new("r.json", other);
        let ran = bop(&["replay", "examples/fig1.bp", file.path()]);
        assert!(ran.code != 0, "{from}: {}{}", ran.out, ran.err);
    }
    let good = TempFile::new("good.hoa", bop(&["ltl", "G !at(R)"]).exits(0).out);
    bop(&["check", "examples/fig1.bp", "--good-automaton", good.path(), "--self-check"]).exits(1);
    for (text, reason) in [
        (bop(&["ltl", "F G in(A)"]).exits(0).out, "not deterministic"),
        (bop(&["ltl", "G nobody"]).exits(0).out, "f.hoa:5:7"),
        ("HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 1 Fin(0)\n--BODY--\nState: 0\n[t] 0\n--END--\n".to_owned(), ":5:"),
        ("hello".to_owned(), "HOA"),
    ] {
        let file = TempFile::new("f.hoa", text);
        let ran = bop(&["check", "examples/fig1.bp", "--good-automaton", file.path()]).exits(2);
        assert!(ran.err.contains(reason), "{}", ran.err);
    }
}

/// Formulas whose automata are not made: promises take their place.
#[test]
fn promises_take_the_place_of_large_automata() {
    let atoms: Vec<String> = (1..=60).map(|i| format!("p{i}")).collect();
    let writes: String = atoms.iter().map(|p| format!("{p} := *; ")).collect();
    let text = format!("decl {}; void main() begin while (T) do {writes} od end", atoms.join(","));
    let file = TempFile::new("sixty.bp", &text);
    let strong: Vec<String> = (1..=10).map(|i| format!("G F p{i} -> G F p{}", i + 10)).collect();
    let fair: Vec<&str> = strong.iter().flat_map(|f| ["--fair", f]).collect();
    for (formula, code) in [("G F p1 -> G F p60", 1), ("G F p1 -> G F p11", 0)] {
        let args =
            [&["check", file.path(), "--ltl", formula, "-q", "--timeout", "500s"], &fair[..]];
        bop(&args.concat()).exits(code);
    }
    let left = (2..=12).fold("p1".to_owned(), |f, i| format!("({f}) U p{i}"));
    for (formula, code) in [(format!("!({left})"), 1), (left.clone(), 1)] {
        bop(&["check", file.path(), "--ltl", &formula, "-q", "--timeout", "500s"]).exits(code);
    }
}
