//! Verdicts, exit codes, limits, engines.

use crate::{TempFile, bop, bop_with, command};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ENGINES: [&str; 6] = ["auto", "explicit", "summary", "post", "pre", "compare"];

#[test]
fn exit_codes_follow_the_verdicts() {
    for engine in ENGINES {
        let check = |args: &[&str]| {
            let mut all = vec!["check"];
            all.extend(args);
            all.extend(["--engine", engine]);
            bop(&all)
        };
        let out = check(&["examples/lock-refined.bp"]).exits(0).out;
        assert_eq!(out, "holds: no assertion can fail\n");
        let out = check(&["examples/lock.bp"]).exits(1).out;
        assert!(out.starts_with("violated: an assertion can fail at examples/lock.bp:11:22\n"));
        let out = check(&["examples/fig1.bp", "--reach", ":14"]).exits(0).out;
        assert_eq!(out, "unreachable: line 14\n");
        check(&["examples/fig1.bp", "--reach", ":14", "--reach", "R"]).exits(1);
        check(&["examples/fig1.bp", "--reach", "R", "--steps", "0"]).exits(3);
        check(&["examples/fig1.bp", "--reach", "R", "--timeout", "0s"]).exits(3);
        check(&["examples/fig1.bp", "--reach", "R", "--memory", "1k"]).exits(3);
    }
}

#[test]
fn without_a_property_assertions_and_the_usual_label_are_asked_for() {
    let text = "void main() begin if (*) then SLIC_ERROR: skip; fi end";
    let args = ["check", "-", "--lang", "bp", "--format", "json"];
    let report = bop_with(&args, text).exits(1).json();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["property"]["kind"], "assert");
    assert_eq!(results[0]["verdict"], "holds");
    assert_eq!(results[1]["property"]["label"], "SLIC_ERROR");
    assert_eq!(results[1]["verdict"], "reachable");
}

#[test]
fn reach_all_lists_dead_code() {
    let ran = bop(&["check", "examples/fig1.bp", "--reach-all", "--format", "json"]).exits(1);
    let report = ran.json();
    let statements = report["results"][0]["statements"].as_array().unwrap();
    let dead: Vec<_> = statements.iter().filter(|s| s["reachable"] == false).collect();
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0]["line"], 14);
    assert_eq!(statements.len(), 12);
    let out = bop(&["check", "examples/stack.bp", "--reach-all"]).exits(0).out;
    assert_eq!(out, "holds: all 9 statements are reachable\n");
}

#[test]
fn engines_agree_on_the_families_and_proofs_are_accepted() {
    for (family, reach, expected) in [
        (vec!["bebop-t", "7"], "reach", "reachable"),
        (vec!["counter", "6"], "BAD", "unreachable"),
        (vec!["counter", "6"], "DONE", "reachable"),
        (vec!["parity", "4"], "WRONG", "unreachable"),
        (vec!["parity", "4"], "ODD", "reachable"),
        (vec!["wide", "--vars", "12", "--procs", "5"], "SLIC_ERROR", "unreachable"),
        (vec!["wide", "--vars", "12", "--procs", "5", "--bug"], "SLIC_ERROR", "reachable"),
    ] {
        let program = bop(&[&["gen"], &family[..]].concat()).exits(0).out;
        let args = ["check", "-", "--lang", "bp", "--engine", "compare", "--self-check"];
        let args = [&args[..], &["--reach", reach, "--format", "json"]].concat();
        let report = bop_with(&args, &program).json();
        let result = &report["results"][0];
        assert_eq!(result["verdict"], expected, "{family:?}: {result}");
        if expected == "unreachable" {
            assert_eq!(result["certificate"]["checked"], true, "{family:?}: {result}");
        }
    }
}

#[test]
fn switched_off_optimisations_change_no_verdict() {
    for flags in [vec!["--no-live-ranges"], vec!["--no-mod-ref"]] {
        for (file, code) in [("examples/lock.bp", 1), ("examples/stack.bp", 0)] {
            let args = [&["check", file, "--engine", "summary"], &flags[..]].concat();
            bop(&args).exits(code);
        }
    }
}

#[test]
fn entry_and_dialect() {
    let text = "decl g; void p() begin assert(g); end void main() begin skip; end";
    let check = |more: &[&str]| {
        bop_with(&[&["check", "-", "--lang", "bp", "--assert"], more].concat(), text)
    };
    check(&[]).exits(0);
    check(&["--entry", "p"]).exits(1);
    assert!(check(&["--entry", "q"]).exits(2).err.contains("there is no procedure `q`"));

    // `|` binds tighter than `=` in the dialect of SATABS.
    let text = "decl a; void main() begin a := 0; assert(1 | a = a); end";
    bop_with(&["check", "-", "--lang", "bp"], text).exits(0);
    bop_with(&["check", "-", "--lang", "bp", "--dialect", "satabs"], text).exits(1);
}

#[test]
fn traces_can_be_left_out_or_be_any() {
    let check = |trace: &str| {
        let args = ["check", "examples/fig1.bp", "--reach", "R", "--format", "json"];
        bop(&[&args[..], &["--trace", trace]].concat()).exits(1).json()["results"][0]["trace"]
            .clone()
    };
    assert!(check("none").is_null());
    assert!(check("any")["steps"].as_array().unwrap().len() >= 17);
    assert_eq!(check("shortest")["shortest"], true);
}

#[test]
fn a_run_out_of_time_stops_soon() {
    // 2^24 steps of a counter are too many for 300 ms. Backwards there is nothing to count, and `auto`
    // may find that out: it gets a program that takes seconds in all directions.
    let counter = bop(&["gen", "counter", "24"]).exits(0).out;
    let sort = bop(&["gen", "quicksort", "--bits", "4", "--len", "6"]).exits(0).out;
    let on_counter = |engine| (engine, &counter, ["--lang", "bp", "--assert"].as_slice());
    let on_sort = ("auto", &sort, ["--lang", "remopla", "--reach", "BAD"].as_slice());
    for (engine, program, question) in
        [on_counter("explicit"), on_counter("summary"), on_counter("post"), on_sort]
    {
        let start = Instant::now();
        let args = [&["check", "-", "--timeout", "300ms", "--engine", engine], question].concat();
        let ran = bop_with(&args, program).exits(3);
        assert!(ran.out.contains("unknown"), "{}", ran.out);
        assert!(start.elapsed() < Duration::from_secs(10), "{engine}: {:?}", start.elapsed());
    }
}

#[test]
fn a_run_out_of_memory_is_unknown() {
    let counter = bop(&["gen", "counter", "24"]).exits(0).out;
    let wide = ["gen", "wide", "--vars", "400", "--procs", "100", "--nondet", "50"];
    let wide = bop(&wide).exits(0).out;
    for (engine, label, program) in
        [("explicit", "BAD", &counter), ("summary", "SLIC_ERROR", &wide)]
    {
        let args = ["check", "-", "--lang", "bp", "--memory", "16M", "--engine", engine];
        let args =
            [&args[..], &["--timeout", "60s", "--format", "json", "--reach", label]].concat();
        let report = bop_with(&args, program).exits(3).json();
        assert_eq!(report["results"][0]["stop_reason"], "memory", "{engine}: {report}");
    }
}

/// Where diagrams run out of memory, soon or late, formulas may still answer.
#[test]
fn auto_does_not_give_up_with_the_diagrams() {
    let wide = ["gen", "wide", "--vars", "400", "--procs", "100", "--nondet", "50"];
    let wide = bop(&wide).exits(0).out;
    // Formulas alone take 28 MiB, diagrams 37; side by side they do not fit.
    let args = ["check", "-", "--lang", "bp", "--memory", "40M", "--format", "json", "--reach"];
    let report = bop_with(&[&args[..], &["SLIC_ERROR"]].concat(), &wide).exits(0).json();
    let result = &report["results"][0];
    assert_eq!(
        (&result["verdict"], &result["engine"]),
        (&"unreachable".into(), &"universal".into())
    );
    assert!(result["why"].as_str().is_some_and(|why| why.contains("`summary`")), "{result}");
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_is_unknown() {
    let program = TempFile::new("c.bp", bop(&["gen", "counter", "24"]).exits(0).out);
    let child = command(&["check", program.path(), "--engine", "summary", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(3));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(report["results"][0]["stop_reason"], "cancelled");
}

#[test]
fn nobody_has_to_read_to_the_end() {
    let program = TempFile::new("t.bp", bop(&["gen", "bebop-t", "2000"]).exits(0).out);
    let mut child = command(&["check", program.path(), "--reach", "reach"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    // Apart from times.
    let check = || {
        let page = bop(&["check", "examples/fig1.bp", "--reach", "R", "--format", "html"]).out;
        let mut parts = page.split("\"seconds\":");
        let mut out = parts.next().unwrap_or_default().to_owned();
        let mut times = 0;
        for part in parts {
            out += part.split_once(',').expect("more follows").1;
            times += 1;
        }
        assert_eq!(times, 2, "it says how long it took, and how long the answer");
        out
    };
    assert_eq!(check(), check());
}

/// `g` never returns: its recursion has no end. `h` returns if its argument is true.
const EXITS: &str = "\
decl a;
void main() begin
  h(1);
  if (*) then g(); fi
end
void g() begin
  g();
end
void h(x) begin
  L: if (!x) then
    while (1) do skip; od
  fi
end
";

/// The exit of a procedure is a vertex ([bebop §2.3]).
#[test]
fn exits_are_places() {
    let file = TempFile::new("exits.bp", EXITS);
    for engine in
        ["explicit", "summary", "post", "pre", "qbf", "universal", "pdr", "auto", "compare"]
    {
        for (place, reached) in [("main:exit", true), ("g:exit", false), ("h:exit", true)] {
            let args = ["check", file.path(), "--engine", engine, "--reach", place];
            let ran = bop(&[&args[..], &["--self-check", "--format", "json"]].concat());
            let ran = ran.exits(if reached { 1 } else { 0 });
            let verdict = &ran.json()["results"][0]["verdict"];
            assert_eq!(
                verdict,
                if reached { "reachable" } else { "unreachable" },
                "{engine} {place}"
            );
            if reached {
                bop_with(&["replay", file.path(), "-"], &ran.out).exits(0);
            }
        }
        if engine == "pre" {
            continue;
        }
        let args = ["check", file.path(), "--engine", engine, "--reach-all"];
        let out = bop(&args).exits(1).out;
        assert!(out.contains("1 of 3 procedures never return: `g`"), "{engine}: {out}");
        let json = bop(&[&args[..], &["--format", "json"]].concat()).exits(1).json();
        let exits = json["results"][0]["exits"].to_string();
        let expected = r#"[{"proc":"main","reachable":true},{"proc":"g","reachable":false},{"proc":"h","reachable":true}]"#;
        assert_eq!(exits, expected, "{engine}");
    }
    // A label of that name comes first, and other labels are as unknown as before.
    let labelled = EXITS.replace("L:", "exit:").replace("h(1)", "skip");
    let file = TempFile::new("labelled.bp", &labelled);
    bop(&["check", file.path(), "--reach", "h:exit"]).exits(0);
    bop(&["check", file.path(), "--reach", "g:exit"]).exits(0);
    bop(&["check", file.path(), "--reach", "h:exits"]).exits(2);
    bop(&["check", file.path(), "--reach", "nobody:exit"]).exits(2);
}

/// `--trace shortest` in so many words.
#[test]
fn shortest_traces_are_refused_where_there_are_none() {
    for engine in ["qbf", "universal", "pdr"] {
        let args = ["check", "examples/fig1.bp", "--reach", "R", "--engine", engine];
        let ran = bop(&[&args[..], &["--trace", "shortest"]].concat()).exits(2);
        assert!(ran.err.contains("not a shortest one"), "{}", ran.err);
        bop(&args).exits(1);
    }
    let args = ["check", "examples/fig1.bp", "--reach", "R", "--trace", "shortest"];
    let json = bop(&[&args[..], &["--format", "json"]].concat()).exits(1).json();
    assert_eq!(json["results"][0]["trace"]["shortest"], true);
    assert_eq!(json["results"][0].get("warnings"), None);
    let args = ["check", "examples/fig1.bp", "--ltl", "F in(A)", "--trace", "shortest"];
    let out = bop(&[&args[..2], &["--ltl", "!g", "--trace", "shortest"]].concat()).exits(1).out;
    assert!(out.contains("warning: the lasso may not be shortest"), "{out}");
}

#[test]
fn statistics_tell_the_diagram_variables() {
    // Three slots in five copies: `g`, and the widest frame.
    let args = ["check", "examples/fig1.bp", "--reach", "R", "--engine", "summary"];
    let json = bop(&[&args[..], &["--format", "json"]].concat()).exits(1).json();
    assert_eq!(json["results"][0]["stats"]["diagram_variables"], 15);
}
