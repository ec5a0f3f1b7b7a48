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

/// Memory that is left where a failure ends a run is not freed; nothing is lost there.
#[test]
fn ends_by_failures_leave_memory() {
    const ENDS: &str = "#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    char *p = n == 1 ? malloc(1) : 0;
    char *q = n == 2 ? malloc(2) : 0;
    char *r = n == 3 ? malloc(3) : 0;
    if (n == 1) abort();
    assert(n != 2);
    if (n == 3) __VERIFIER_error();
    free(p), free(q), free(r);
    return 0;
}
";
    let folder = Folder::new("ends-by-failures", &[("p.c", ENDS)]);
    let report = asked(&folder, &["--memory-cleanup", "--emit-test", "tests"], 1);
    assert_eq!(lines(&report), [7, 8, 9], "{report:#}");
    if Command::new("cc").arg("--version").output().is_ok() {
        for number in 1..=3 {
            let run = folder.path().join(format!("tests/memory-cleanup-{number}/run"));
            let done = Command::new(run).output().unwrap();
            assert!(done.status.success(), "{number}: {done:?}");
        }
    }
    folder.bop(&["check", "p.c", "--memory-safety", "-q"]).exits(0);
    // What ends a run at once is another matter.
    let at_once = ENDS.replace("abort()", "_Exit(0)").replace("n != 2", "1").replace("n == 3", "0");
    let folder = Folder::new("ends-at-once", &[("p.c", &at_once)]);
    asked(&folder, &["--memory-cleanup"], 3);
}

/// An array that grows by `realloc`, to a size that is an input, or from one of several objects.
#[test]
fn arrays_grow() {
    const GROWS: &str = "#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    if (n < 1 || n > 4 || m < 1 || m > 4) return 0;
    int *p = malloc(2 * sizeof *p), *q = malloc(3 * sizeof *q), *r = m > 2 ? p : q;
    p[0] = 7, p[1] = 8, q[0] = 9;
    p[1] += n;
    r = realloc(r, n * sizeof *r);
    if (r[0] != (m > 2 ? 7 : 9)) return 1 / (n - n);
    if (m > 2 && n > 1 && r[1] == 8 + n) r[n - LESS] = 1;
    free(r), free(m > 2 ? q : p);
    return 0;
}
";
    let right = GROWS.replace("LESS", "1");
    let folder = Folder::new("arrays-grow", &[("p.c", &right)]);
    folder.bop(&["check", "p.c", "--memory-safety", "--division", "-q"]).exits(0);
    let wrong = GROWS.replace("LESS", "(n == 3 ? 0 : 1)");
    let folder = Folder::new("arrays-grow-too-little", &[("p.c", &wrong)]);
    let report = asked(&folder, &["--memory-safety", "--emit-test", "tests"], 1);
    assert_eq!(lines(&report), [11], "{report:#}");
    if Command::new("cc").arg("--version").output().is_ok() {
        let run = folder.path().join("tests/memory-safety-1/run");
        assert!(Command::new(run).status().unwrap().success());
    }
}

/// What a function without a body writes through pointers to variables is an input, as the test has it.
#[test]
fn functions_without_a_body_write() {
    const WRITES: &str = "#include <assert.h>
struct pair { int a; short b[2]; };
int fill(int *out, int n);
void look(const int *p);
void get(struct pair *p, unsigned char *flags, void *rest);
int main(void) {
    int x = 3, list[3] = {1, 2, 3};
    const int k = 4;
    struct pair p = {1, {2, 3}};
    unsigned char c = 1;
    fill(&x, 1), look(&k), get(&p, &c, list);
    if (PLACE) assert(0);
    return 0;
}
";
    let written = WRITES.replace("PLACE", "x == 50 && p.a == p.b[1] + 7 && p.b[1] == -3");
    let folder = Folder::new("writes", &[("p.c", &written)]);
    folder.bop(&["check", "p.c", "--assert", "--emit-test", "tests", "-q"]).exits(1);
    if Command::new("cc").arg("--version").output().is_ok() {
        let run = folder.path().join("tests/assert-1/run");
        assert!(Command::new(run).status().unwrap().success());
    }
    // The rest is left alone, and not said to be impossible.
    for (left, code) in [("k != 4", 0), ("c != 1", 3), ("list[1] != 2", 3)] {
        let folder = Folder::new("leaves", &[("p.c", &WRITES.replace("PLACE", left))]);
        folder.bop(&["check", "p.c", "--assert", "-q"]).exits(code);
    }
}

/// No sanitizer knows the line of a call that goes nowhere.
#[test]
fn a_call_through_null_has_a_test() {
    const NOWHERE: &str = "extern int __VERIFIER_nondet_int(void);
static int more(int x) { return x + 1; }
int main(void) {
    int (*f)(int) = __VERIFIER_nondet_int() == 9 ? 0 : more;
    return f(3);
}
";
    let folder = Folder::new("call-through-null", &[("p.c", NOWHERE)]);
    let report = asked(&folder, &["--memory-safety", "--emit-test", "tests"], 1);
    assert_eq!(lines(&report), [5], "{report:#}");
    if Command::new("cc").arg("--version").output().is_ok() {
        let run = folder.path().join("tests/memory-safety-1/run");
        assert!(Command::new(run).status().unwrap().success());
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

/// Answers for a body of `main`, with `struct s { char a[4]; int b; }` and `struct tail { int n; char t[1]; }`.
fn memory_of(name: &str, body: &str) -> i32 {
    let text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\nstruct s {{ char a[4]; int b; }};\n\
         struct tail {{ int n; char t[1]; }};\nextern int __VERIFIER_nondet_int(void);\n\
         int main(void) {{ int i = __VERIFIER_nondet_int(); {body} return 0; }}\n"
    );
    let folder = Folder::new(name, &[("p.c", &text)]);
    folder.bop(&["check", "p.c", "--memory-safety", "--timeout", "20s"]).code
}

#[test]
fn an_index_that_leaves_its_array_and_not_its_object_is_found() {
    let known = "if (i < 0 || i > 4) return 0;";
    for (body, code) in [
        ("int m[2][3] = { 0 }; m[0][i] = 1;", 1),
        ("static int m[3][3]; return m[1][i - 1];", 1),
        ("struct s s = { 0 }; s.a[i] = 1;", 1),
        ("struct s *p = calloc(1, sizeof *p); if (p) p->a[i] = 1; free(p);", 1),
        ("union { int a[2]; long l[4]; } u; u.a[i] = 1;", 1),
        ("int n = 3, m[n][n]; m[0][i] = 1;", 1),
        ("int (*p)[3] = calloc(4, sizeof *p); if (p) (*p)[i] = 1; free(p);", 1),
        ("int m[2][5] = { 0 }; m[0][i] = 1;", 0),
        ("struct tail *p = malloc(sizeof *p + 8); if (p) p->t[i] = 1; free(p);", 0),
        ("int m[2][4], *p = &m[0][i]; return p == 0;", 0),
        ("return sizeof ((struct s *)0)->a[i + 9];", 0),
    ] {
        assert_eq!(memory_of("inner", &format!("{known} {body}")), code, "{body}");
    }
}

#[test]
fn a_stream_that_is_null_is_no_stream() {
    for use_of in [
        "fputs(\"a\", f)",
        "fprintf(f, \"a\")",
        "putc(i, f)",
        "fwrite(\"a\", 1, 1, f)",
        "fgetc(f)",
        "fclose(f)",
    ] {
        let open = "FILE *f = fopen(\"x\", \"r\");";
        assert_eq!(memory_of("stream", &format!("{open} {use_of};")), 1, "{use_of}");
        let closed = format!("{open} if (f) {{ fclose(f); {use_of}; }}");
        assert_ne!(memory_of("stream", &closed), 0, "{closed}");
    }
    assert_eq!(memory_of("stream", "fprintf(stderr, \"a\"); fputs(\"a\", stdout); fflush(0);"), 0);
}
