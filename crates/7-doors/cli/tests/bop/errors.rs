//! With `--format json`, errors are JSON on standard output; reports say what was read.

use crate::{TempFile, bop, bop_with, root};
use serde_json::Value;

fn schema(name: &str) -> Value {
    let file = root().join(format!("docs/schema/{name}.schema.json"));
    let text = std::fs::read_to_string(file).expect("the schema is published");
    serde_json::from_str(&text).expect("a schema is JSON")
}

/// The errors of a run, which fit the schema; standard error says them, too.
#[track_caller]
fn errors(args: &[&str], input: &str, code: i32) -> Vec<Value> {
    let ran = bop_with(args, input).exits(code);
    let page = ran.json();
    let wrong = testkit::violations(&schema("error"), &page);
    assert!(wrong.is_empty(), "{wrong:#?}\n{page}");
    assert_eq!(page["exit"], code);
    assert_eq!(page["tool"]["name"], "bop");
    assert!(!ran.err.is_empty(), "people read standard error");
    page["errors"].as_array().expect("a list").clone()
}

#[test]
fn what_is_wrong_with_a_program_is_json() {
    let text = "decl g;\nvoid main() begin\n  h := g; x := 1;\nend\n";
    let args = ["check", "-", "--lang", "bp", "--format", "json"];
    let errors = errors(&args, text, 2);
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert_eq!(errors[0]["code"], "bp-unknown-variable");
    let place = &errors[0]["place"];
    assert_eq!(
        place.to_string(),
        r#"{"file":"<stdin>","line":3,"column":3,"end_line":3,"end_column":4}"#
    );
    assert_eq!(errors[1]["place"]["column"], 11);
}

#[test]
fn wrong_usage_is_json() {
    let usage = errors(&["check", "f.bp", "--enginee", "x", "--format", "json"], "", 2);
    assert_eq!(usage[0]["code"], "usage");
    assert!(usage[0]["message"].as_str().expect("a text").contains("--enginee"), "{usage:?}");
    assert!(usage[0]["help"].as_str().is_some_and(|h| h.contains("--engine")), "{usage:?}");
    errors(&["check", "f.bp", "--enginee", "x", "--format=json"], "", 2);
    let missing = errors(&["check", "no-such.bp", "--format", "json"], "", 2);
    assert!(missing[0]["message"].as_str().is_some_and(|m| m.contains("no-such.bp")));
    let formula = ["check", "examples/fig1.bp", "--ltl", "G (", "--format", "json"];
    let formula = errors(&formula, "", 2);
    assert_eq!(formula[0]["place"]["line"], 1, "{formula:?}");
    // Behind `--` stand other words.
    let flags = bop(&["check", "f.c", "--enginee", "x", "--", "--format", "json"]).exits(2);
    assert_eq!(flags.out, "");
}

#[test]
fn every_verb_with_json_does_so() {
    for args in [
        &["states", "no-such.bp", "--at", "L"][..],
        &["dump", "no-such.bp", "--stage", "live"],
        &["eval", "[true]", "no-such.aut"],
        &["solve", "no-such.bes"],
        &["influence", "no-such.bp"],
        &["check", "no-such.c", "--assert"],
    ] {
        errors(&[args, &["--format", "json"]].concat(), "", 2);
    }
    errors(&["batch", "no-such.toml", "--format", "json"], "", 2);
    // Without, there is nothing on standard output.
    assert_eq!(bop(&["check", "no-such.bp"]).exits(2).out, "");
}

#[test]
fn what_is_read_as_a_stream_has_places() {
    let place = |name: &str, text: &str, ask: &[&str]| {
        let file = TempFile::new(name, text);
        let found = errors(&[ask, &[file.path(), "--format", "json"]].concat(), "", 2);
        let place = &found[0]["place"];
        assert_eq!(place["file"], file.path(), "{found:?}");
        (place["line"].clone(), place["column"].clone())
    };
    let at = place("wrong.pg", "parity 1;\n0 0 0 1;\n1 0 x;\n", &["solve"]);
    assert_eq!(at, (3.into(), 5.into()));
    let at = place("wrong.aut", "des (0, 2, 2)\n(0, a, 1)\n(1, b\n", &["eval", "<a>true"]);
    assert_eq!(at, (3.into(), Value::Null));
}

#[test]
fn limits_are_json() {
    let text = bop(&["gen", "bebop-t", "20000"]).exits(0).out;
    let args = ["dump", "-", "--lang", "bp", "--stage", "summaries", "--format", "json"];
    let stopped = errors(&[&args[..], &["--timeout", "1ms"]].concat(), &text, 3);
    assert_eq!(stopped[0]["code"], "time", "{stopped:?}");
}

/// A page that was begun is not followed by another document.
#[test]
fn one_document_is_written() {
    let nowhere = "no/such/folder/p.json";
    let args = ["check", "examples/stack.bp", "--format", "json", "--proof", nowhere];
    let report = bop(&args).exits(2).json();
    assert_eq!(report["schema"], "postbop.report/1");
}

#[test]
fn reports_say_what_was_read() {
    let abc = TempFile::new("abc.bp", "void main() begin R: skip; end\n");
    let rule = TempFile::new(
        "r.rule",
        "rule r(p: value) { event f = arg(free, 1, p) never { f; true[*]; f } message \"x\" }\n",
    );
    let args = ["check", abc.path(), "--reach", "R", "--format", "json"];
    let report = bop(&args).exits(1).json();
    assert!(report["tool"]["version"].as_str().is_some_and(|v| v.starts_with("0.")));
    let files = report["files"].as_array().expect("a list");
    assert_eq!(files.len(), 1);
    assert_eq!(files[0]["name"], abc.path());
    // As `sha256sum` says.
    let hash = "984fad73ae2b4374d043e4efcc2c6c2395c932bd82b49f7de509d0e8ab9742c5";
    assert_eq!(files[0]["sha256"], hash);
    assert!(files[0].get("preprocessed_sha256").is_none());

    let c = TempFile::new("f.c", "#define ONE 1\nint main(void) { return ONE; }\n");
    let args = ["check", c.path(), "--rule", rule.path(), "--format", "json"];
    let read = || bop(&args).json()["files"].clone();
    let files = read();
    let of = |files: &Value, end: &str, what: &str| {
        let file = files.as_array().expect("a list").iter();
        let mut file = file.filter(|f| f["name"].as_str().is_some_and(|n| n.ends_with(end)));
        file.next().unwrap_or_else(|| panic!("{end} was read: {files}"))[what].clone()
    };
    assert_eq!(files.as_array().expect("a list").len(), 2);
    let (plain, preprocessed) =
        (of(&files, "f.c", "sha256"), of(&files, "f.c", "preprocessed_sha256"));
    assert!(preprocessed.as_str().is_some_and(|h| h.len() == 64 && *h != plain));
    assert_eq!(files, read(), "the same input has the same hashes");
}
