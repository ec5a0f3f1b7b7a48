//! Proofs about C with its data: `--engine pdr`, `--engine predicates`, and beside the search.

use crate::c::Folder;
use serde_json::Value;

const LOCK: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
    int held = 0, uses = 0;
    while (1) {
        if (held) { ERROR: reach_error(); }
        held = 1;
        if (__VERIFIER_nondet_int()) uses = uses + 1;
        held = 0;
    }
}
";

const PAIR: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
    while (i < n) {
        i++;
        j++;
    }
    if (i != j) { ERROR: reach_error(); }
    return 0;
}
";

fn folder(name: &str) -> Folder {
    Folder::new(name, &[("lock.c", LOCK), ("pair.c", PAIR)])
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

fn write(folder: &Folder, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text).unwrap();
}

fn first(report: &Value) -> Value {
    report["results"][0].clone()
}

#[test]
fn loops_without_end_are_proved() {
    let folder = folder("proved");
    for (file, engine) in [
        ("lock.c", "pdr"),
        ("pair.c", "pdr"),
        ("lock.c", "predicates"),
        ("pair.c", "predicates"),
        ("pair.c", "auto"),
    ] {
        let asked = ["check", file, "--assert", "--engine", engine, "--format", "json"];
        let answer = first(&folder.bop(&asked).exits(0).json());
        assert_eq!(answer["verdict"], "holds", "{file} by {engine}");
        assert!(answer["invariants"].is_array(), "{file} by {engine}: {answer}");
    }
    let text = folder.bop(&["check", "pair.c", "--reach", "ERROR", "-v"]).exits(0).out;
    assert!(text.contains("pair.c:4 in `main`: i == j"), "{text}");
    assert!(text.contains("engine pdr"), "{text}");
}

#[test]
fn a_twin_that_fails_is_executed() {
    let folder =
        Folder::new("proved-twin", &[("lock.c", &LOCK.replace("uses = uses + 1;", "continue;"))]);
    for engine in ["pdr", "auto"] {
        let asked = ["check", "lock.c", "--assert", "--engine", engine, "--format", "json"];
        let answer = first(&folder.bop(&asked).exits(1).json());
        assert_eq!(answer["verdict"], "violated", "{engine}");
        assert!(answer["inputs"].is_object(), "{engine}: {answer}");
    }
    folder.bop(&["check", "lock.c", "--assert", "--engine", "predicates"]).exits(3);
}

/// FNV-1a over a proof's text up to its checksum.
pub(crate) fn sealed(body: &str) -> String {
    let mut sum = 0xcbf2_9ce4_8422_2325u64;
    body.bytes().for_each(|b| sum = (sum ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{body},\n\"checksum\":\"{sum:016x}\"}}\n")
}

#[test]
fn a_proof_is_saved_and_replayed_and_a_damaged_one_is_refused() {
    let folder = folder("proved-saved");
    folder.bop(&["check", "pair.c", "--assert", "--proof", "p.json"]).exits(0);
    let told = folder.bop(&["replay", "pair.c", "p.json"]).exits(0).out;
    assert!(told.contains("by its proof"), "{told}");
    let text = read(&folder, "p.json");
    let body = text.split(",\n\"checksum\"").next().unwrap();
    assert_eq!(sealed(body), text);
    let damages = [
        ("\"number\":\"0\"", "\"number\":\"1\""),
        ("\"holds\":true", "\"holds\":false"),
        ("\"b\":\"j\"", "\"b\":\"n\""),
        ("\"a\":\"i\"", "\"a\":\"k\""),
        ("\"is\":\"apart\"", "\"is\":\"most\""),
        ("\"place\":1", "\"place\":2"),
        ("\"line\":4", "\"line\":5"),
        ("\"verdict\":\"holds\"", "\"verdict\":\"violated\""),
    ];
    for (old, new) in damages {
        assert!(body.contains(old), "{old}: {body}");
        // Without a new checksum it is not even read.
        write(&folder, "q.json", &text.replacen(old, new, 1));
        folder.bop(&["replay", "pair.c", "q.json"]).exits(2);
        write(&folder, "q.json", &sealed(&body.replacen(old, new, 1)));
        let told = folder.bop(&["replay", "pair.c", "q.json"]).exits(1).out;
        assert!(told.starts_with("refused"), "{old}: {told}");
    }
    // It is a proof of this program, and of no other one.
    let told = folder.bop(&["replay", "lock.c", "p.json"]).exits(1).out;
    assert!(told.starts_with("refused"), "{told}");
}

#[test]
fn runs_that_are_followed_to_their_end_are_a_proof() {
    let text = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int a[9];
int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 9, s = 0;
    for (unsigned i = 0; i < n; i++) {
        a[i] = i;
        s += a[i];
    }
    if (s > 28) { ERROR: reach_error(); }
    return 0;
}
";
    let (twin, longer) = (text.replace("s > 28", "s > 27"), text.replace("% 9", "% 10"));
    let files = [("p.c", text), ("twin.c", twin.as_str()), ("longer.c", longer.as_str())];
    let folder = Folder::new("proved-followed", &files);
    let asked = ["check", "p.c", "--assert", "--memory-safety", "--overflow"];
    let report = folder.bop(&[&asked[..], &["--format", "json"]].concat()).exits(0).json();
    let rounds = report["results"][0]["rounds"].as_u64().unwrap();
    assert!((8..100).contains(&rounds), "{report}");
    let saved = folder.bop(&[&asked[..], &["--proof", "p.json", "--self-check"]].concat()).exits(0);
    assert!(saved.out.contains("proved by following all runs"), "{}", saved.out);
    assert!(!saved.err.contains("no proof"), "{}", saved.err);
    let told = folder.bop(&["replay", "p.c", "p.json"]).exits(0).out;
    assert_eq!(told.matches("by its proof").count(), 3, "{told}");
    let body = read(&folder, "p.json");
    let body = body.split(",\n\"checksum\"").next().unwrap();
    // Too few rounds are none; nor is it one of programs that fail, or go on.
    let few = sealed(&body.replace(&format!("\"rounds\":{rounds}"), "\"rounds\":7"));
    write(&folder, "few.json", &few);
    let two = body.replacen("\"invariants\":[]", &format!("\"invariants\":[{INVARIANT}]"), 1);
    assert!(few != sealed(body) && two != body, "{body}");
    write(&folder, "two.json", &sealed(&two));
    let damaged =
        [("p.c", "few.json"), ("p.c", "two.json"), ("twin.c", "p.json"), ("longer.c", "p.json")];
    for (file, proof) in damaged {
        let told = folder.bop(&["replay", file, proof]).exits(1).out;
        assert!(told.starts_with("refused"), "{file} {proof}: {told}");
    }
    // A witness has no loop that needs one.
    folder.bop(&["check", "p.c", "--assert", "--witness", "w.yml"]).exits(0);
    assert!(read(&folder, "w.yml").contains("content: []"));
}

/// An invariant of a loop that says nothing.
const INVARIANT: &str = r#"{"file":"p.c","line":5,"proc":"main","place":1,"holds":[]}"#;

#[test]
fn operations_are_proved() {
    let text = "extern int __VERIFIER_nondet_int(void);
int a[8];
int main(void) {
    int i = 0, n = 0;
    while (__VERIFIER_nondet_int()) {
        a[i] = a[i] ^ 1;
        i = (i + 1) % 8;
        if (n < 1000) n++;
        if (10 / (n + 1) > 11) return 1;
    }
    return 0;
}
";
    let (far, zero) = (text.replace("% 8", "% 9"), text.replace("(n + 1)", "(n - 3)"));
    let files = [("p.c", text), ("far.c", far.as_str()), ("zero.c", zero.as_str())];
    let folder = Folder::new("proved-operations", &files);
    for flag in ["--memory-safety", "--overflow", "--division"] {
        for engine in ["pdr", "auto"] {
            let asked = ["check", "p.c", flag, "--engine", engine, "--format", "json"];
            let answer = first(&folder.bop(&asked).exits(0).json());
            assert_eq!(answer["verdict"], "holds", "{flag} by {engine}");
            assert!(answer["invariants"].is_array(), "{flag} by {engine}");
        }
    }
    for (file, flag) in [("far.c", "--memory-safety"), ("zero.c", "--division")] {
        folder.bop(&["check", file, flag]).exits(1);
        folder.bop(&["check", file, flag, "--engine", "pdr"]).exits(3);
    }
    folder.bop(&["check", "p.c", "--overflow", "--proof", "p.json"]).exits(0);
    folder.bop(&["replay", "p.c", "p.json"]).exits(0);
}

#[test]
fn witnesses_are_written() {
    let folder = folder("proved-witness");
    folder.bop(&["check", "pair.c", "--assert", "--witness", "w.yml"]).exits(0);
    let text = read(&folder, "w.yml");
    for part in [
        "entry_type: invariant_set",
        "format_version: \"2.0\"",
        "type: loop_invariant",
        "line: 4",
        "column: 5",
        "value: \"(i == j)\"",
        "LTL(G ! call(reach_error()))",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    write(&folder, "bad.c", &PAIR.replace("j++;", "if (i != 3) j++;"));
    folder.bop(&["check", "bad.c", "--assert", "--witness", "w.yml"]).exits(1);
    let text = read(&folder, "w.yml");
    assert!(text.contains("entry_type: violation_sequence"), "{text}");
    assert!(text.contains("type: target") && text.contains("line: 8"), "{text}");
}

#[test]
fn limits_and_wrong_uses_are_told() {
    let folder = folder("proved-limits");
    let told = folder.bop(&["check", "pair.c", "--assert", "--engine", "pdr", "--entry", "f"]);
    told.exits(2);
    folder.bop(&["check", "pair.c", "--ltl", "G F in(main)", "--engine", "predicates"]).exits(2);
    folder.bop(&["check", "lock.c", "--uninitialised", "--engine", "pdr"]).exits(3);
    let told = folder.bop(&["check", "pair.c", "--assert", "--engine", "pdr", "--stats"]).exits(0);
    for word in ["cut points", "predicates", "lemmas", "levels"] {
        assert!(told.out.contains(word), "{word}: {}", told.out);
    }
}
