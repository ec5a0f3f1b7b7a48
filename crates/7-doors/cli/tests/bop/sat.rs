//! Formulas instead of diagrams: `qbf`, `universal`, `pdr`, bounded runs, other QBF solvers, and `auto`.

use crate::{TempFile, bop, bop_with};
use serde_json::Value;
use std::fmt::Write;
use std::time::{Duration, Instant};

const BOTH: [&str; 2] = ["qbf", "universal"];
const ALL: [&str; 3] = ["qbf", "universal", "pdr"];

/// The only result of a report.
fn result(report: &Value) -> &Value {
    assert_eq!(report["results"].as_array().map(Vec::len), Some(1), "{report}");
    &report["results"][0]
}

/// Arbitrary variables, tied together by random clauses that one solution satisfies: no order of
/// them keeps a diagram small. `R` is reachable, `S` is not.
fn knot(vars: u64) -> String {
    let mut state = 7u64;
    let mut below = |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let names: Vec<String> = (0..vars).map(|i| format!("x{i}")).collect();
    let mut out = format!("decl {};\nvoid main() begin\n", names.join(", "));
    for _ in 0..3 * vars {
        // One literal of each clause is positive: all ones are a solution.
        let (a, b, c) = (below(vars), below(vars), below(vars));
        let sign = |bit: u64| if bit == 1 { "!" } else { "" };
        let (s, t) = (sign(below(2)), sign(below(2)));
        let _ = writeln!(out, "  assume(x{a} | {s}x{b} | {t}x{c});");
    }
    out + "  R: skip;\n  if (x0 & !x0) then S: skip; fi\nend\n"
}

#[test]
fn verdicts_traces_and_proofs() {
    for engine in ALL {
        let check = |args: &[&str]| {
            bop(&[&["check"], args, &["--engine", engine, "--self-check"]].concat())
        };
        let out = check(&["examples/lock-refined.bp"]).exits(0).out;
        assert!(out.starts_with("holds: no assertion can fail\n"), "{out}");
        assert!(out.contains("checked") && !out.contains("not checked"), "{out}");
        let out = check(&["examples/lock.bp"]).exits(1).out;
        assert!(out.starts_with("violated: an assertion can fail at examples/lock.bp:11:22\n"));

        let ran = check(&["examples/fig1.bp", "--reach", "R", "--format", "json"]).exits(1);
        let report = TempFile::new("report.json", &ran.out);
        let replayed = bop(&["replay", "examples/fig1.bp", report.path()]).exits(0).out;
        assert_eq!(replayed, "accepted: reach R\n", "{engine}");
        let report = ran.json();
        assert_eq!(result(&report)["engine"], engine);
        assert_eq!(result(&report)["trace"]["shortest"], false, "nobody looks for a shortest one");

        // Dead code, and what holds where.
        let (all, states) = (["--reach-all"], ["--at", "R", "--engine", engine]);
        check(&[&["examples/fig1.bp"][..], &all].concat()).exits(1);
        // The set is the same; in which order its formula names variables is up to the engine.
        let valuations = |args: &[&str]| {
            let out = bop(&[&["states", "examples/fig1.bp"], args].concat()).exits(0).out;
            let (place, rest) = out.split_once('\n').unwrap();
            format!("{place}\n{}", rest.split_once('\n').unwrap().1)
        };
        let ours = valuations(&states);
        assert_eq!(ours, valuations(&["--at", "R"]), "{engine}");
        assert!(ours.contains("g=1 h=0") && ours.contains("1 valuation"), "{ours}");
    }
}

#[test]
fn all_languages() {
    let sort = bop(&["gen", "quicksort", "--bits", "2", "--len", "2"]).exits(0).out;
    for engine in ALL {
        let args = ["check", "-", "--lang", "remopla", "--reach", "BAD", "--engine", engine];
        assert_eq!(bop_with(&args, &sort).exits(0).out, "unreachable: BAD\n");
        let numbers = "module void main() { int x(4); x = x + 3; if :: x == 9 -> R: skip; \
            :: else -> skip; fi; }";
        let args = ["check", "-", "--lang", "remopla", "--reach", "R", "--engine", engine];
        let ran = bop_with(&args, &format!("init main; {numbers}"));
        assert!(ran.exits(1).out.starts_with("reachable: R at <stdin>:1:"), "{engine}");
    }
}

#[test]
fn bounded_runs() {
    for engine in BOTH {
        let check = |more: &[&str]| {
            let args = ["check", "examples/fig1.bp", "--engine", engine, "--format", "json"];
            bop(&[&args[..], more].concat())
        };
        let short = check(&["--reach", "R", "--bound", "3"]).exits(3).json();
        assert_eq!(result(&short)["verdict"], "unknown");
        assert_eq!(result(&short)["stop_reason"], "steps");
        let long = check(&["--reach", "R", "--bound", "100", "--stats"]).exits(1).json();
        assert!(result(&long)["trace"]["steps"].as_array().is_some_and(|s| s.len() >= 17));
        assert!(result(&long)["stats"]["depth"].as_u64().is_some_and(|depth| depth <= 100));
        check(&["--reach", "R", "--bound", "0"]).exits(3);

        // Where no run is longer, what is not reached cannot be.
        let text = "decl g; void main() begin g := 0; if (g) then R: skip; fi end";
        let args = ["check", "-", "--lang", "bp", "--reach", "R", "--engine", engine];
        let bounded = |bound| {
            let bound = format!("--bound={bound}");
            bop_with(&[&args[..], &[&bound]].concat(), text)
        };
        assert_eq!(bounded("50").exits(0).out, "unreachable: R\n");
        bounded("1").exits(3);
        for bad in ["-1", "x", "1.5", ""] {
            let err = bounded(bad).exits(2).err;
            assert!(err.contains("--bound"), "{err}");
        }
    }
    for engine in ["auto", "summary", "compare"] {
        let args =
            ["check", "examples/fig1.bp", "--reach", "R", "--bound", "9", "--engine", engine];
        assert!(bop(&args).exits(2).err.contains("--engine qbf"));
    }
}

#[test]
fn summaries_that_are_too_large_are_left_to_qbf() {
    let program = bop(&["gen", "wide", "--vars", "12", "--procs", "5"]).exits(0).out;
    let check = |limit: &[&str]| {
        let args = ["check", "-", "--lang", "bp", "--engine", "universal", "--stats"];
        let args = [&args[..], &["--reach", "SLIC_ERROR", "--format", "json"], limit].concat();
        let report = bop_with(&args, &program).exits(0).json();
        let count = |name: &str| result(&report)["stats"][name].as_u64().unwrap();
        (count("universal_summaries"), count("too_large_summaries"))
    };
    let (made, too_large) = check(&[]);
    assert!(made > 0 && too_large == 0, "{made} {too_large}");
    let (made, too_large) = check(&["--summary-limit", "0"]);
    assert!(too_large > 0, "{made} {too_large}");
    let bad = ["check", "examples/fig1.bp", "--reach", "R", "--summary-limit", "many"];
    assert!(bop(&bad).exits(2).err.contains("--summary-limit"));
}

#[test]
fn counters_of_effort() {
    for engine in BOTH {
        let args = ["check", "examples/fig1.bp", "--reach", ":14", "--engine", engine, "--stats"];
        let report = bop(&[&args[..], &["--format", "json"]].concat()).exits(0).json();
        let stats = &result(&report)["stats"];
        for name in ["paths", "gates", "choices", "sat_questions", "sat_calls", "qbf_calls"] {
            assert!(stats[name].is_u64(), "{engine} {name}: {stats}");
        }
        assert!(stats["qbf_calls"].as_u64() > Some(0), "`A` calls itself: {stats}");
        let text = bop(&args).exits(0).out;
        assert!(text.contains("  sat_calls ") && text.contains("  qbf_refinements "), "{text}");
        let again = bop(&[&args[..], &["--format", "json"]].concat()).json();
        for (name, value) in stats.as_object().unwrap().iter().filter(|(n, _)| *n != "seconds") {
            assert_eq!(value, &result(&again)["stats"][name], "{engine}: {name}");
        }
    }
}

#[test]
fn another_solver() {
    let check = |solver: &str, more: &[&str]| {
        let args = ["check", "examples/fig1.bp", "--reach", ":14", "--engine", "qbf"];
        bop(&[&args[..], &["--qbf-solver", solver], more].concat())
    };
    let err = check("", &[]).exits(2).err;
    assert!(err.contains("needs a command"), "{err}");
    let err = check("no-such-solver --really", &[]).exits(2).err;
    assert!(err.contains("no-such-solver"), "{err}");
    // Something that runs, and knows nothing of formulas.
    let err = check("cat", &[]).exits(2).err;
    assert!(err.contains("`cat`"), "{err}");
    let args = ["check", "examples/fig1.bp", "--reach", "R", "--qbf-solver", "depqbf --qdo"];
    assert!(bop(&args).exits(2).err.contains("--engine qbf"), "not with `auto`");

    match std::process::Command::new("depqbf").arg("--version").output() {
        Err(_) => eprintln!("skipped: there is no depqbf"),
        Ok(_) => {
            let report = check("depqbf --qdo", &["--stats", "--format", "json"]).exits(0).json();
            assert_eq!(result(&report)["verdict"], "unreachable");
            assert!(result(&report)["stats"]["qbf_calls"].as_u64() > Some(0));
        }
    }
}

#[test]
fn all_engines_are_compared() {
    let text = knot(12);
    let args = ["check", "-", "--lang", "bp", "--engine", "compare", "--stats", "--format", "json"];
    for (label, code) in [("R", 1), ("S", 0)] {
        let report = bop_with(&[&args[..], &["--reach", label]].concat(), &text).exits(code).json();
        let why = result(&report)["why"].as_str().unwrap();
        assert_eq!(why, "explicit, summary, post, pre, qbf, universal and pdr agree");
        let stats = &result(&report)["stats"];
        assert!(stats["qbf_sat_calls"].is_u64() && stats["universal_sat_calls"].is_u64());
    }
}

#[test]
fn auto_finds_who_can_answer() {
    let check = |text: &str, label: &str| {
        let args = ["check", "-", "--lang", "bp", "--format", "json", "--timeout", "120s"];
        let report = bop_with(&[&args[..], &["--reach", label]].concat(), text).json();
        let result = result(&report);
        let text = |name: &str| result[name].as_str().unwrap().to_owned();
        (text("verdict"), text("engine"), text("why"))
    };
    // Few states.
    let (verdict, engine, why) = check(&knot(4), "R");
    assert_eq!((verdict.as_str(), engine.as_str()), ("reachable", "explicit"), "{why}");
    assert_eq!(why, "4 bits in scope, few states are reached");
    // Too many bits to enumerate, too knotted for diagrams.
    let (verdict, engine, why) = check(&knot(90), "R");
    assert_eq!(verdict, "reachable", "{why}");
    assert!(
        why.starts_with("90 bits in scope; too many for `explicit` (90 in one frame)"),
        "{why}"
    );
    if std::thread::available_parallelism().is_ok_and(|n| n.get() > 1) {
        assert_eq!(engine, "universal", "{why}");
        assert!(why.contains("`summary`, beside it, had no answer yet"), "{why}");
    }
    // A counter, which need not be followed backwards; its initial values are arbitrary.
    let counter = bop(&["gen", "counter", "14"]).exits(0).out;
    let (verdict, _, why) = check(&counter, "BAD");
    assert_eq!(verdict, "unreachable", "{why}");
    assert!(why.starts_with("14 bits in scope; `explicit`: "), "{why}");
    // Where a shortest trace is wanted, diagrams are given the time for one.
    let report = bop(&["check", "examples/fig1.bp", "--reach", "R", "--format", "json"]).json();
    assert_eq!(result(&report)["trace"]["shortest"], true);
}

#[test]
fn runs_without_end_by_formulas() {
    for engine in BOTH {
        let args = ["check", "examples/lock.bp", "--terminates", "--engine", engine, "-v"];
        let out = bop(&args).exits(1).out;
        assert!(out.contains(&format!("engine {engine}")), "{out}");
        assert!(out.contains("for ever"), "{out}");
        // Safety and liveness, true and false; by bounded lassos, where they are short enough.
        let text = "decl on, off; void main() begin on, off := 0, 0; while (!off) do on := !on; \
                    if (*) then off := !on; fi od end";
        let runs = TempFile::new("runs.bp", text);
        for (formula, code) in [
            ("G (terminated -> off)", 0),
            ("F off", 1),
            ("G (on -> F !on)", 0),
            ("G !on", 1),
            ("G x", 2),
        ] {
            let args = ["check", runs.path(), "--ltl", formula, "--engine", engine, "--self-check"];
            bop(&args).exits(code);
        }
        let bound = ["check", "examples/lock.bp", "--ltl", "F terminated", "--engine", engine];
        bop(&[&bound[..], &["--bound", "1"]].concat()).exits(3);
        bop(&[&bound[..], &["--bound", "30"]].concat()).exits(1);
    }
}

#[test]
fn a_stopped_engine_is_gone_soon() {
    // 2^24 steps: nothing to unroll in 300 ms.
    let counter = bop(&["gen", "counter", "24"]).exits(0).out;
    let wide = ["gen", "wide", "--vars", "300", "--procs", "100", "--nondet", "20"];
    let wide = bop(&wide).exits(0).out;
    for engine in BOTH {
        for program in [&counter, &wide] {
            let start = Instant::now();
            let args = ["check", "-", "--lang", "bp", "--timeout", "300ms", "--engine", engine];
            let out = bop_with(&args, program).exits(3).out;
            assert!(out.contains("unknown"), "{out}");
            assert!(start.elapsed() < Duration::from_secs(10), "{engine}: {:?}", start.elapsed());
        }
    }
}

/// Two counters move together: more states than can be enumerated, and a few clauses that say why.
#[test]
fn a_few_clauses_are_enough() {
    for (family, bits) in [("lockstep", "8"), ("register", "24"), ("depth", "8")] {
        let text = bop(&["gen", family, bits]).exits(0).out;
        let args = ["check", "-", "--lang", "bp", "--reach", "APART", "--format", "json"];
        let pdr = ["--engine", "pdr", "--self-check", "--stats"];
        let report = bop_with(&[&args[..], &pdr].concat(), &text).exits(0).json();
        let (engine, proof) = (&result(&report)["engine"], &result(&report)["certificate"]);
        assert_eq!((engine, &proof["checked"]), (&"pdr".into(), &true.into()), "{report}");
        for name in ["levels", "obligations", "lemmas", "sat_calls"] {
            assert!(result(&report)["stats"][name].as_u64() > Some(0), "{name}: {report}");
        }
        let text = bop(&["gen", family, bits, "--bug"]).exits(0).out;
        bop_with(&[&args[..], &["--engine", "pdr"]].concat(), &text).exits(1);
    }
    // `auto` finds it, where nobody else does.
    let text = bop(&["gen", "register", "30"]).exits(0).out;
    let args = ["check", "-", "--lang", "bp", "--reach", "APART", "--timeout", "300s", "-v"];
    let out = bop_with(&args, &text).exits(0).out;
    assert!(out.contains("engine pdr"), "{out}");
}
