//! Questions about operations of C: `--memory-safety`, `--memory-cleanup`, `--overflow`, `--division`,
//! `--uninitialised`.

use crate::bop;
use crate::c::Folder;
use serde_json::Value;
use std::process::Command;

/// A fault of each kind, by its input.
const PROGRAM: &str = "
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long); void free(void *); char *strcpy(char *, const char *);
int table[4]; int *kept;
static int *dead(void) { int l = 3; int *p = &l; return p; }
int main(void) {
    int x = __VERIFIER_nondet_int(), y;
    int *p = 0;
    char name[4];
    switch (x) {
    case 1: table[x + 3] = 1; break;
    case 2: p = malloc(8); p[2] = 1; free(p); break;
    case 3: p = malloc(8); free(p); free(p); break;
    case 4: p = malloc(8); free(p); return p[0];
    case 5: return *p;
    case 6: p = dead(); return *p;
    case 7: { int in = 4; p = &in; } return *p;
    case 8: strcpy(name, \"four\"); break;
    case 9: p = malloc(8); p = 0; break;
    case 10: p = malloc(8); free(p + 1); break;
    case 11: kept = malloc(12); break;
    case 12: return 7 / (x - 12);
    case 13: return 7 % (x - 13);
    case 14: x = 2147483647; x += 14; break;
    case 15: x = -2147483647 - 1; return -x;
    case 16: return (x << 24) << 4;
    case 17: return y + 1;
    }
    return 0;
}
";

fn asked(folder: &Folder, flags: &[&str], code: i32) -> Value {
    folder.bop(&[&["check", "p.c", "--format", "json"], flags].concat()).exits(code).json()
}

fn lines(report: &Value) -> Vec<u64> {
    let results = report["results"].as_array().unwrap();
    results.iter().filter_map(|r| r["place"]["line"].as_u64()).collect()
}

#[test]
fn each_kind_finds_its_operations() {
    let folder = Folder::new("operations", &[("p.c", PROGRAM)]);
    let kinds: [(&str, &[u64]); 5] = [
        ("memory-safety", &[11, 12, 13, 14, 15, 16, 17, 18, 19, 20]),
        ("memory-cleanup", &[19, 21]),
        ("division", &[22, 23]),
        ("overflow", &[24, 25, 26]),
        ("uninitialised", &[27]),
    ];
    for (kind, expected) in kinds {
        let report = asked(&folder, &[&format!("--{kind}")], 1);
        assert_eq!(lines(&report), expected, "{kind}: {report:#}");
        for result in report["results"].as_array().unwrap() {
            assert_eq!(result["property"]["kind"], kind);
            assert_eq!(result["verdict"], "violated");
            assert_eq!(result["engine"], "bounded");
            assert!(result["operations"].as_u64().unwrap() >= expected.len() as u64);
            let steps = result["trace"]["steps"].as_array().unwrap();
            let number = result["inputs"]["values"][0]["value"].as_str().unwrap();
            let line = result["place"]["line"].as_u64().unwrap();
            assert_eq!(number, (line - 10).to_string());
            let leak = result["message"].as_str().unwrap().starts_with("memory of");
            assert!(leak || steps.last().unwrap()["line"] == line, "{result:#}");
        }
    }
    let report = asked(&folder, &["--memory-safety"], 1);
    let of = |i: usize| (&report["results"][i]["message"], &report["results"][i]["origin"]["line"]);
    let expected = "invalid access: write of 4 bytes at offset 16 of `table`, which has 16";
    assert_eq!(of(0), (&expected.into(), &4.into()));
    let expected =
        "invalid access: write of 4 bytes at offset 8 of an allocated object, which has 8";
    assert_eq!(of(1), (&expected.into(), &12.into()));
    assert_eq!(of(2), (&"freed twice".into(), &13.into()));
    // Two kinds in one run answer as they do alone.
    let both = asked(&folder, &["--division", "--overflow"], 1);
    assert_eq!(lines(&both), [24, 25, 26, 22, 23]);
}

#[test]
fn emitted_tests_stop_there() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no cc");
        return;
    }
    let folder = Folder::new("operations-tests", &[("p.c", PROGRAM)]);
    let kinds = ["--memory-safety", "--memory-cleanup", "--overflow", "--division"];
    let ran = asked(&folder, &[&kinds[..], &["--emit-test", "tests"]].concat(), 1);
    let tests = folder.path().join("tests");
    let folders: Vec<_> = std::fs::read_dir(&tests).unwrap().flatten().collect();
    assert_eq!(folders.len(), ran["results"].as_array().unwrap().len());
    for test in &folders {
        let done = Command::new(test.path().join("run")).output().unwrap();
        let said = std::fs::read_to_string(test.path().join("said")).unwrap_or_default();
        assert!(done.status.success(), "{}: {done:?} {said}", test.path().display());
    }
    // What is preprocessed already may have no line markers.
    let plain = Folder::new("operations-plain", &[("p.i", PROGRAM)]);
    let args = ["check", "p.i", "--division", "--emit-test", "tests", "-q"];
    plain.bop(&args).exits(1);
    let done = Command::new(plain.path().join("tests/division-2/run")).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    // A test with other inputs does not stop there.
    for name in ["memory-safety-1", "overflow-1", "division-1", "memory-cleanup-1"] {
        let inputs = tests.join(name).join("inputs.c");
        let text = std::fs::read_to_string(&inputs).unwrap();
        let start = text.find("{ ").unwrap() + 2;
        let end = start + text[start..].find("ull").unwrap();
        std::fs::write(&inputs, format!("{}99{}", &text[..start], &text[end..])).unwrap();
        let done = Command::new(tests.join(name).join("run")).output().unwrap();
        assert!(!done.status.success(), "{name}");
    }
}

#[test]
fn reports_are_executed_again() {
    let folder = Folder::new("operations-replay", &[("p.c", PROGRAM)]);
    let kinds = ["--memory-safety", "--memory-cleanup", "--overflow", "--division"];
    let kinds = [&kinds[..], &["--uninitialised", "-o", "r.json"]].concat();
    folder.bop(&[&["check", "p.c", "--format", "json"], &kinds[..]].concat()).exits(1);
    let path = folder.path().join("r.json");
    let text = std::fs::read_to_string(&path).unwrap();
    folder.bop(&["replay", "p.c", "r.json"]).exits(0);
    for (from, to) in [
        ("\"value\":\"12\"", "\"value\":\"13\""),
        ("offset 16 of `table`", "offset 20 of `table`"),
        ("\"message\":\"freed twice\"", "\"message\":\"freed once\""),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let ran = folder.bop(&["replay", "p.c", "r.json"]).exits(1);
        assert!(ran.out.contains("refused"), "{}", ran.out);
    }
    let mut report: Value = serde_json::from_str(&text).unwrap();
    report["results"][0]["place"]["line"] = 12.into();
    std::fs::write(&path, report.to_string()).unwrap();
    folder.bop(&["replay", "p.c", "r.json"]).exits(1);
}

#[test]
fn what_holds_is_counted() {
    let text = "extern unsigned char __VERIFIER_nondet_uchar(void);
        void *malloc(unsigned long); void free(void *);
        int main(void) {
            unsigned char n = __VERIFIER_nondet_uchar();
            int a[256], sum = 0;
            for (int i = 0; i < 256; i++) a[i] = i;
            int *p = malloc(4); *p = a[n]; sum = *p * 2 / (n + 1); free(p);
            return sum;
        }";
    let folder = Folder::new("operations-hold", &[("p.c", text)]);
    let all =
        ["--memory-safety", "--memory-cleanup", "--overflow", "--division", "--uninitialised"];
    let report = asked(&folder, &all, 0);
    let counts: Vec<u64> = (report["results"].as_array().unwrap().iter())
        .map(|r| {
            assert_eq!(r["verdict"], "holds", "{r:#}");
            r["operations"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(counts, [5, 1, 4, 1, 12]);
    let ran = folder.bop(&["check", "p.c", "--division"]).exits(0);
    assert!(ran.out.starts_with("holds: no divisor is zero (1 operation)\n"), "{}", ran.out);
}

#[test]
fn who_does_not_see_data_refuses() {
    let folder = Folder::new("operations-refused", &[("p.c", PROGRAM)]);
    let file = folder.path().join("p.c");
    let file = file.to_str().unwrap();
    let refused = |args: &[&str], what: &str| {
        let ran = bop(args).exits(2);
        assert!(ran.err.contains(what), "{}", ran.err);
    };
    for engine in ["summary", "explicit", "post", "pre", "qbf", "universal", "compare"] {
        let args = ["check", file, "--overflow", "--engine", engine];
        refused(&args, "`--overflow` is about C's data");
    }
    refused(&["check", "examples/lock.bp", "--division"], "is about C programs; this is none");
    refused(&["check", file, "--overflow", "--terminates"], "not termination");
    let args = ["check", file, "--uninitialised", "--emit-test", "tests"];
    refused(&args, "no sanitizer");
}

#[test]
fn pages_show_what_failed() {
    let folder = Folder::new("operations-pages", &[("p.c", PROGRAM)]);
    for (format, said) in [
        ("text", "violated: division by zero: 7 / 0 at p.c:22:5"),
        ("sarif", "\"text\": \"division by zero: 7 / 0.\""),
        ("html", "division by zero: 7 / 0"),
        ("bebop", "Question division violated (division by zero: 7 / 0)"),
    ] {
        let ran = folder.bop(&["check", "p.c", "--division", "--format", format]).exits(1);
        assert!(ran.out.contains(said), "{format}: {}", ran.out);
    }
}

/// A list that grows for ever has no proof, and no fault: it must not eat what the next question needs.
const GROWS: &str = "
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
struct node { int v; struct node *next; };
int main(void) {
    struct node *head = 0;
    int sum = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->v = __VERIFIER_nondet_int();
        n->next = head;
        head = n;
        sum += head->v;
    }
    return 0;
}
";

#[test]
fn each_question_has_its_share_of_the_time() {
    let folder = Folder::new("operations-share", &[("p.c", GROWS)]);
    let report = asked(&folder, &["--memory-cleanup", "--overflow", "--timeout", "8s"], 1);
    assert!(lines(&report).contains(&13), "{report}");
    let report = asked(&folder, &["--memory-safety", "--overflow", "--timeout", "8s"], 1);
    assert!(lines(&report).contains(&13), "{report}");
}

/// A run on simpler inputs may count to 2147483647: it is given up, not waited for.
#[test]
fn simpler_inputs_are_not_waited_for() {
    let text = "extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int x = __VERIFIER_nondet_int();
            while (x >= 0)
                x = x + 1;
            return 0;
        }";
    let folder = Folder::new("operations-simpler", &[("up.c", text)]);
    let start = std::time::Instant::now();
    let args = ["check", "up.c", "--overflow", "--engine", "bounded", "--timeout", "120s"];
    folder.bop(&args).exits(1);
    assert!(start.elapsed().as_secs() < 60, "it waits for a long run");
}
