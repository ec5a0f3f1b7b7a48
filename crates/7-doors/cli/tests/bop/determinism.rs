//! Same input, same bytes: every verb in every format, run several times. Times, effort and who won a race may
//! differ, nothing else.

use crate::{TempFile, bop, root};
use serde_json::Value;

/// Fields that tell of effort, or of who answered.
const EFFORT: [&str; 4] = ["stats", "engine", "why", "effort"];

/// Without times, effort and winners.
fn normal(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(mut json) => {
            strip(&mut json);
            json.to_string()
        }
        // Of texts for people, the lines that tell of times; of pages on which no engine tells why, the times.
        Err(_) => {
            let line = |l: &&str| {
                let times =
                    l.contains("seconds") && (l.contains("\"why\":") || !l.starts_with('{'));
                !l.starts_with("  engine ") && !times
            };
            text.lines().filter(line).map(without_time).collect::<Vec<_>>().join("\n")
        }
    }
}

/// A page's line without the time that all answers took.
fn without_time(line: &str) -> String {
    let Some((before, after)) = line.split_once("\"seconds\":") else { return line.to_owned() };
    let end = after.find([',', '}']).expect("a number ends");
    format!("{before}{}", &after[end..])
}

fn strip(json: &mut Value) {
    match json {
        Value::Object(map) => {
            map.retain(|key, _| !EFFORT.contains(&key.as_str()));
            map.values_mut().for_each(strip);
        }
        Value::Array(list) => list.iter_mut().for_each(strip),
        _ => {}
    }
}

#[track_caller]
fn same(args: &[&str]) {
    let first = bop(args);
    assert!(first.code < 3, "{args:?}: {}{}", first.out, first.err);
    for _ in 0..2 {
        let again = bop(args);
        assert_eq!((first.code, normal(&first.out)), (again.code, normal(&again.out)), "{args:?}");
        assert_eq!(first.err, again.err, "{args:?}");
    }
}

#[test]
fn every_verb_and_format() {
    let c = TempFile::new(
        "f.c",
        "#include <stdlib.h>\nint g;\nint f(int *p, int n) { if (n) free(p); return n; }\n\
         int main(int argc, char **argv) { int *p = malloc(4); if (argc > 1) f(p, argc); free(p); L: return g; }\n",
    );
    let (bp, rem, c) = ("examples/fig1.bp", "examples/lock.bp", c.path());
    for format in ["text", "bebop", "gcc", "json", "sarif", "html"] {
        same(&["check", bp, "--reach", "R", "--reach-all", "--assert", "--format", format]);
        same(&["check", rem, "--ltl", "F terminated", "--terminates", "--format", format]);
        same(&["check", c, "--rule", "memory", "--reach", "L", "--format", format]);
        same(&[
            "check",
            c,
            "--sere",
            "never {call(free); true[*]; call(free)}",
            "--format",
            format,
        ]);
    }
    for format in ["text", "json", "html"] {
        same(&["states", bp, "--at", "R", "--format", format]);
        same(&["states", bp, "--at", "R", "--stacks", "--format", format]);
        same(&["influence", c, "--format", format, "--method", "all"]);
        same(&["influence", bp, "--format", format]);
    }
    for form in ["bp", "remopla", "pds", "dot"] {
        same(&["convert", bp, "--to", form]);
        same(&["convert", c, "--to", form]);
    }
    for form in ["smv", "edl", "cout"] {
        same(&["convert", c, "--to", form]);
    }
    for stage in ["tree", "ir", "spds", "task"] {
        same(&["dump", bp, "--stage", stage]);
        same(&["dump", c, "--stage", stage]);
    }
    for format in ["hoa", "dot", "text"] {
        same(&["ltl", "G (a -> F b) & (c U d | X e)", "--format", format]);
    }
    for view in [
        &["--view", "data"][..],
        &["--view", "data", "--terms"],
        &["--view", "states", "--stack-depth", "3"],
    ] {
        same(&[&["lts", bp][..], view].concat());
    }
    same(&["lts", c]);
    same(&["gen", "wide", "--vars", "40", "--seed", "3"]);
    same(&["gen", "gc"]);
    same(&["gen", "quicksort"]);
    let model = TempFile::new("m.aut", bop(&["lts", c]).exits(0).out);
    same(&["eval", "[true*]<true>true", model.path(), "--format", "json"]);
    let bes = TempFile::new("s.bes", bop(&["gen", "andor", "--vars", "300"]).exits(0).out);
    for method in ["auto", "dfs", "bfs", "global"] {
        same(&["solve", bes.path(), "--method", method, "--format", "json"]);
        same(["solve", bes.path(), "--method", method, "--diagnostic", "-"].as_slice());
    }
}

/// A race may be won by anybody: the verdict, the trace's length and the proof's claim stay.
#[test]
fn programs_of_the_corpus() {
    let mut files: Vec<String> = Vec::new();
    for folder in ["corpus/language", "corpus/recursion", "corpus/regress", "corpus/semantics"] {
        let Ok(list) = std::fs::read_dir(root().join(folder)) else { continue };
        let names = list.flatten().map(|e| e.path().to_str().unwrap().to_owned());
        files.extend(
            names.filter(|n| n.ends_with(".bp") || n.ends_with(".rem") || n.ends_with(".pds")),
        );
    }
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    for file in files.iter().step_by(4) {
        let args = ["check", file, "--reach-all", "--format", "json", "--timeout", "20s"];
        let [a, b] = [(); 2].map(|()| bop(&args));
        assert_eq!((a.code, normal(&a.out)), (b.code, normal(&b.out)), "{file}");
    }
}

/// Proofs are the same bytes where one engine makes them.
#[test]
fn proofs_are_the_same_bytes() {
    let four = TempFile::new("four.bp", bop(&["gen", "counter", "4"]).exits(0).out);
    for engine in ["explicit", "summary", "post", "pre", "qbf"] {
        let saved = || {
            let file = TempFile::new("p.json", "");
            let args = ["check", four.path(), "--assert", "--engine", engine, "-q", "--proof"];
            bop(&[&args[..], &[file.path()]].concat());
            std::fs::read_to_string(file.path()).unwrap()
        };
        let first = saved();
        assert!(first.contains("\"verdict\":\"holds\""), "{engine}: {first}");
        assert_eq!(first, saved(), "{engine}");
    }
}
