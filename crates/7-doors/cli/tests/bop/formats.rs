//! What reports look like.

use crate::{TempFile, bop, bop_with, root};

/// [bebop Fig. 1], right.
const FIG_1: &str = "\
Label R reachable by following path:

Line 12      State g=1 h=0
Line 11      State g=1 h=0
Line 10      State g=1 h=0
      Line 22      State g=1 a1=1 a2=0
            Line 24      State g=1 a1=0 a2=1
            Line 20      State g=1 a1=0 a2=1
      Line 21      State g=1 a1=1 a2=0
      Line 20      State g=1 a1=1 a2=0
Line 9       State g=1 h=0
Line 8       State g=1 h=0
      Line 22      State g=1 a1=1 a2=0
            Line 24      State g=1 a1=0 a2=1
            Line 20      State g=1 a1=0 a2=1
      Line 21      State g=1 a1=1 a2=0
      Line 20      State g=1 a1=1 a2=0
Line 7       State g=1 h=0
Line 6       State g=1
";

#[test]
fn bebop_prints_figure_1() {
    for engine in ["auto", "explicit", "summary", "post", "pre", "compare"] {
        let args = ["check", "examples/fig1.bp", "--reach", "R", "--format", "bebop"];
        let ran = bop(&[&args[..], &["--engine", engine]].concat()).exits(1);
        assert_eq!(ran.out, FIG_1, "{engine}");
    }
}

#[test]
fn text_is_for_people() {
    let out = bop(&["check", "examples/lock.bp"]).exits(1).out;
    let expected = "\
violated: an assertion can fail at examples/lock.bp:11:22

  main:4      locked := 0
  main:5      while (*)          locked=0
  main:6      acquire()
  acquire:11    assert(!locked)
  acquire:11    locked := 1
  main:7      if (*)             locked=1
  main:5      while (*)
  main:6      acquire()
  acquire:11    assert(!locked)

  9 steps; no run gets there in fewer, a completed call counted as one
";
    assert_eq!(out, expected);
    let quiet = bop(&["check", "examples/lock.bp", "-q"]).exits(1).out;
    assert_eq!(quiet.lines().count(), 1);
    let verbose = bop(&["check", "examples/lock-refined.bp", "-v"]).exits(0).out;
    assert!(verbose.contains("engine explicit"), "{verbose}");
    let stats = bop(&["check", "examples/lock-refined.bp", "--stats"]).exits(0).out;
    assert!(stats.contains("path_edges"), "{stats}");
}

#[test]
fn json_has_the_documented_shape() {
    let args = ["check", "examples/fig1.bp", "--reach", "R", "--assert", "--format", "json"];
    let report = bop(&args).exits(1).json();
    assert_eq!(report["schema"], "postbop.report/1");
    assert_eq!(report["file"], "examples/fig1.bp");
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        for key in ["property", "verdict", "engine", "why", "stats", "trace", "stop_reason"] {
            assert!(result.get(key).is_some(), "{key} is missing in {result}");
        }
        assert!(result["stats"]["seconds"].is_f64());
        assert!(result["stop_reason"].is_null());
    }
    let trace = &results[0]["trace"];
    assert_eq!(trace["shortest"], true);
    assert!(trace["loop_start"].is_null());
    let first =
        r#"{"proc":"main","line":6,"column":3,"depth":0,"text":"h := !g","state":{"g":true}}"#;
    assert_eq!(trace["steps"][0].to_string(), first);
    assert_eq!(trace["steps"].as_array().unwrap().len(), 17);
    assert!(results[1]["trace"].is_null());
    let keys: Vec<&str> = results[0].as_object().unwrap().keys().map(String::as_str).collect();
    let expected =
        ["property", "verdict", "engine", "why", "stats", "trace", "stop_reason", "fingerprints"];
    assert_eq!(keys, expected);

    let args = ["check", "examples/fig1.bp", "--reach", "R", "--steps", "0", "--format", "json"];
    let report = bop(&args).exits(3).json();
    assert_eq!(report["results"][0]["verdict"], "unknown");
    assert_eq!(report["results"][0]["stop_reason"], "steps");
    assert!(report["results"][0]["trace"].is_null());
}

#[test]
fn shadowed_variables_show_the_innermost() {
    let text = "decl g; void main() begin decl g; g := 1; R: skip; end";
    let args = ["check", "-", "--lang", "bp", "--reach", "R", "--format", "json"];
    let report = bop_with(&args, text).exits(1).json();
    assert_eq!(report["results"][0]["trace"]["steps"][1]["state"].to_string(), r#"{"g":true}"#);
}

#[test]
fn long_traces_are_folded() {
    // The loop body calls `step` 2^6 times.
    let program = bop(&["gen", "counter", "6"]).exits(0).out;
    let program = program.replace("  od\n", "    step();\n  od\n")
        + "void step() begin inner(); skip; end\nvoid inner() begin skip; skip; end\n";
    let check = |max: &str| {
        let args = ["check", "-", "--lang", "bp", "--reach", "DONE", "--format", "json"];
        let ran = bop_with(&[&args[..], &["--max-steps", max]].concat(), &program).exits(1);
        ran.json()["results"][0]["trace"]["steps"].as_array().unwrap().clone()
    };
    let all = check("100000");
    assert!(all.iter().all(|s| s.get("folded").is_none()));
    let some = check(&(all.len() - 1).to_string());
    let inside = |steps: &[serde_json::Value], line: &str| {
        let is_call = |s: &&serde_json::Value| s["text"] == line;
        steps.iter().find(is_call).unwrap()["folded"].clone()
    };
    // Deepest first: the calls of `inner` go, those of `step` stay.
    assert_eq!(inside(&some, "inner()"), "2");
    assert!(inside(&some, "step()").is_null());
    assert_eq!(some.len(), all.len() - 2 * 63);
    let few = check("10");
    assert_eq!(inside(&few, "step()"), "4");
    assert_eq!(few.len(), all.len() - 4 * 63);
}

#[test]
fn sarif_has_code_flows() {
    let args = ["check", "examples/lock.bp", "--format", "sarif", "--reach-all", "--assert"];
    let page = bop(&args).exits(1).json();
    assert_eq!(page["version"], "2.1.0");
    let run = &page["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "bop");
    let results = run["results"].as_array().unwrap();
    // What holds has no place, and is told beside the results.
    assert_eq!(results.len(), 1);
    let notes = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notes.contains("reach-all: holds"), "{notes}");
    let failed = &results[0];
    assert_eq!(failed["ruleId"], "assert");
    let rule = failed["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], "assert");
    let at = &failed["locations"][0]["physicalLocation"];
    assert_eq!(at["artifactLocation"]["uri"], "examples/lock.bp");
    assert_eq!(at["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    assert_eq!(at["region"]["startLine"], 11);
    let flow = failed["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert_eq!(flow.len(), 9);
    assert_eq!(flow[3]["nestingLevel"], 1);
    assert_eq!(flow[1]["state"]["locked"]["text"], "0");
}

#[test]
fn sarif_has_at_most_ten_thousand_locations() {
    let program = TempFile::new("counter.bp", bop(&["gen", "counter", "13"]).exits(0).out);
    let args = ["check", program.path(), "--reach", "DONE", "--format", "sarif"];
    let page = bop(&args).exits(1).json();
    let flow = &page["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let flow = flow.as_array().unwrap();
    assert_eq!(flow.len(), 10_000);
    assert_eq!(flow[0]["executionOrder"], 1);
    assert!(flow[9_999]["executionOrder"].as_u64().unwrap() > 10_000);
}

#[test]
fn html_stands_alone() {
    let text = "decl {</script>}; void main() begin {</script>} := 1; R: skip; end";
    let args = ["check", "-", "--lang", "bp", "--reach", "R", "--format", "html"];
    let page = bop_with(&args, text).exits(1).out;
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(!page.contains("@DATA@") && !page.contains("@TITLE@"));
    // Nothing in the program can end the script, and nothing is loaded.
    assert_eq!(page.matches("</script>").count(), 3);
    assert!(!page.contains("http"), "it loads nothing");
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["results"][0]["verdict"], "reachable");
    assert_eq!(data["files"][0]["parts"][0][1], text);
    let run = page.split_once("id=\"run-0\">").unwrap().1.split_once("</script>").unwrap().0;
    let run: serde_json::Value = serde_json::from_str(run).unwrap();
    assert_eq!(run["s"].as_array().unwrap().len(), 2);
}

/// Long columns of a page are texts, in which what repeats is told once; read here as the page reads them.
#[test]
fn long_runs_are_short_texts() {
    fn column(text: &serde_json::Value) -> Vec<i64> {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut letters = text.as_str().expect("a text").bytes().peekable();
        fn number(letters: &mut dyn Iterator<Item = u8>) -> i64 {
            let (mut left, mut shift) = (0i64, 0);
            loop {
                let letter = letters.next().expect("a letter");
                let five = LETTERS.iter().position(|l| *l == letter).expect("one of them") as i64;
                left |= (five & 31) << shift;
                shift += 5;
                if five < 32 {
                    return if left & 1 == 1 { -(left >> 1) } else { left >> 1 };
                }
            }
        }
        let count = number(&mut letters) as usize;
        let mut out = Vec::new();
        while out.len() < count {
            if letters.next_if_eq(&b'~').is_some() {
                let (back, same) = (number(&mut letters) as usize, number(&mut letters));
                (0..same).for_each(|_| out.push(out[out.len() - back]));
            } else {
                out.push(number(&mut letters));
            }
        }
        assert_eq!(letters.next(), None);
        out
    }
    // A counter of ten bits is counted up by calls that call again.
    let bits: Vec<String> = (0..10).map(|i| format!("b{i}")).collect();
    let carry: String = (0..10)
        .map(|i| format!("if (b{i}) then b{i} := 0; else b{i} := 1; goto done; fi\n"))
        .collect();
    let text = format!(
        "decl {};\nvoid main() begin\n{} := {};\nwhile (!({})) do up(); od\nR: skip;\nend\nvoid up() begin\n{carry}\
         done: skip; end\n",
        bits.join(", "),
        bits.join(", "),
        ["0"; 10].join(", "),
        bits.join(" & "),
    );
    let asked = ["check", "-", "--lang", "bp", "--reach", "R", "--format"];
    let page = bop_with(&[&asked[..], &["html"]].concat(), &text).exits(1).out;
    let report = bop_with(&[&asked[..], &["json"]].concat(), &text).exits(1).out;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let element = |id: &str| -> serde_json::Value {
        let of = page.split_once(&format!("id=\"{id}\">")).unwrap().1;
        serde_json::from_str(of.split_once("</script>").unwrap().0).unwrap()
    };
    let (run, data) = (element("run-0"), element("data"));
    let steps = report["results"][0]["trace"]["steps"].as_array().unwrap();
    let (s, d, c) = (column(&run["s"]), column(&run["d"]), column(&run["c"]));
    assert!(steps.len() > 5_000 && s.len() == steps.len(), "{} of {}", s.len(), steps.len());
    for (k, step) in steps.iter().enumerate() {
        assert_eq!(step["depth"], d[k]);
        assert_eq!(step["line"], data["statements"][s[k] as usize][2], "step {k}");
    }
    assert_eq!(c.len() % 3, 0);
    // Each change of each bit.
    assert!(c.len() / 3 > 2_000, "{}", c.len());
    assert!(run["s"].as_str().unwrap().len() < 2 * s.len() / 3, "repeated calls are told shortly");
}

#[test]
fn output_goes_to_a_file() {
    let file = TempFile::new("report.json", "");
    let args = ["check", "examples/fig1.bp", "--reach", "R", "--format", "json", "-o", file.path()];
    let ran = bop(&args).exits(1);
    assert_eq!(ran.out, "");
    assert!(std::fs::read_to_string(file.path()).unwrap().contains("postbop.report/1"));
    let nowhere = root().join("no/such/folder/x.json");
    let args = ["check", "examples/fig1.bp", "-o", nowhere.to_str().unwrap()];
    assert!(bop(&args).exits(2).err.contains("cannot write"));
}
