//! `--engine bounded`: C searched with its data.

use crate::bop;
use crate::c::Folder;
use std::process::Command;

const PROGRAM: &str = "
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
static int square(int x) { return x * x; }
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 50) return 0;
    if (square(x) == 49) { SEVEN: ; }
    if (square(x) == 50) { NEVER: ; }
    if (square(x) == 144) __assert_fail(\"x\", \"p.c\", 10, \"main\");
    return 0;
}
";

#[test]
fn inputs_are_found_and_tests_get_there() {
    let folder = Folder::new("bounded", &[("p.c", PROGRAM)]);
    let tests = folder.path().join("tests");
    let ran = folder.bop(&[
        "check",
        "p.c",
        "--reach",
        "SEVEN",
        "--reach",
        "NEVER",
        "--reach",
        ":8",
        "--reach",
        "square",
        "--assert",
        "--engine",
        "bounded",
        "--format",
        "json",
        "--emit-test",
        "tests",
    ]);
    let report = ran.exits(1).json();
    let results = report["results"].as_array().unwrap();
    let verdicts: Vec<&str> = results.iter().map(|r| r["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["reachable", "unreachable", "reachable", "reachable", "violated"]);
    assert_eq!(results[0]["engine"], "bounded");
    assert_eq!(results[0]["inputs"]["values"][0]["value"], "7");
    assert_eq!(results[4]["inputs"]["values"][0]["value"], "12");
    let steps = results[0]["trace"]["steps"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["line"], 8);
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no cc");
        return;
    }
    for name in ["SEVEN", "-8", "square", "assert-1"] {
        let run = tests.join(name).join("run");
        let done = Command::new(&run).output().unwrap();
        assert!(done.status.success(), "{name}: {done:?}");
    }
    assert!(!tests.join("NEVER").exists());
    // A test with other inputs does not get there.
    let inputs = tests.join("SEVEN/inputs.c");
    let text = std::fs::read_to_string(&inputs).unwrap();
    std::fs::write(&inputs, text.replace("{ 7ull", "{ 8ull")).unwrap();
    assert!(!Command::new(tests.join("SEVEN/run")).output().unwrap().status.success());
}

#[test]
fn a_bound_is_told() {
    let text = "_Bool __VERIFIER_nondet_bool(void);
        int main(void) { int n = 0; while (__VERIFIER_nondet_bool()) n++; if (n == 9) L: return 1; return 0; }";
    let folder = Folder::new("bounded-loop", &[("p.c", text)]);
    let args = ["check", "p.c", "--reach", "L", "--engine", "bounded", "--format", "json"];
    let ran = folder.bop(&[&args[..], &["--bound", "4"]].concat()).exits(3).json();
    assert_eq!(ran["results"][0]["stop_reason"], "bound");
    let ran = folder.bop(&args).exits(1).json();
    assert_eq!(ran["results"][0]["verdict"], "reachable");
    assert_eq!(ran["results"][0]["inputs"]["values"].as_array().unwrap().len(), 10);
}

#[test]
fn what_is_not_answered_is_refused() {
    let folder = Folder::new("bounded-refused", &[("p.c", PROGRAM)]);
    let file = folder.path().join("p.c");
    let file = file.to_str().unwrap();
    let refused = |args: &[&str], what: &str| {
        let ran = bop(args).exits(2);
        assert!(ran.err.contains(what), "{}", ran.err);
    };
    refused(
        &["check", file, "--terminates", "--engine", "bounded"],
        "answers `--reach` and `--assert`",
    );
    refused(
        &["check", file, "--rule", "memory", "--engine", "bounded"],
        "answers `--reach` and `--assert`",
    );
    refused(&["check", file, "--reach", "SEVAN", "--engine", "bounded"], "did you mean `SEVEN`?");
    refused(
        &["check", file, "--assert", "--entry", "cube", "--engine", "bounded"],
        "no function `cube` with a body",
    );
    refused(&["check", "examples/lock.bp", "--engine", "bounded"], "searches C programs");
    refused(
        &["check", file, "--reach", "SEVEN", "--emit-test", "x", "--skeleton"],
        "goes with `--engine bounded`",
    );
    refused(&["check", file, "--reach", "SEVEN", "--engine", "bounded", "--skeleton"], "C's data");
    refused(&["check", "examples/lock.bp", "--skeleton"], "goes with C programs");
    refused(&["check", file, "--reach", "SEVEN", "--bound", "3", "--skeleton"], "C's data");
    refused(&["check", file, "--terminates", "--bound", "3"], "C's data");
}

/// Without `--engine`, what the control skeleton leaves open is asked of the data.
#[test]
fn auto_looks_at_data() {
    let text = "extern int input(void); extern void show(int); extern char *name(int);
        static int twice(int x) { return 2 * x; }
        int main(int argc, char **argv) {
            int x = input();
            show(x);
            if (x > 10 && twice(x) == 42) { YES: return 1; }
            if (x > 10 && x < 100 && twice(x) == 43) { ODD: return 2; }
            if (argc > 4 && name(x)) { NAMED: return 3; }
            return 0;
            NEVER: return 4; }\n";
    let folder = Folder::new("auto-data", &[("p.i", text)]);
    let file = folder.path().join("p.i");
    let file = file.to_str().unwrap();
    let ask = |more: &[&str]| bop(&[&["check", file, "--format", "json"], more].concat());
    let verdict = |more: &[&str]| {
        let json = ask(more).json();
        let result = &json["results"][0];
        let word = |name: &str| result[name].as_str().unwrap_or("").to_owned();
        (word("verdict"), word("engine"), word("stop_reason"))
    };
    let is = |verdict: &str, engine: &str, stop: &str| {
        (verdict.to_owned(), engine.to_owned(), stop.to_owned())
    };
    let by_data = verdict(&["--reach", "YES"]);
    assert_eq!(by_data, is("reachable", "bounded", ""));
    let odd = ["--reach", "ODD"];
    assert_eq!(verdict(&odd), is("unreachable", "bounded", ""));
    // What no run of the skeleton does needs no data.
    let never = verdict(&["--reach", "NEVER"]);
    assert!(never.0 == "unreachable" && never.1 != "bounded", "{never:?}");
    // Without data, and with data that is kept otherwise.
    assert_eq!(verdict(&["--reach", "ODD", "--skeleton"]).0, "reachable");
    assert_eq!(verdict(&["--reach", "ODD", "--engine", "summary"]).0, "reachable");
    // A pointer that a function without a body returns may be anything.
    let named = verdict(&["--reach", "NAMED"]);
    assert_eq!(named, is("unknown", "bounded", "incomplete"));
    // Functions without a body are stubs of the test.
    let tests = folder.path().join("tests");
    ask(&["--reach", "YES", "--emit-test", tests.to_str().unwrap()]).exits(1);
    let run = std::process::Command::new(tests.join("YES/run")).status().expect("it runs");
    assert!(run.success());
    // The report is executed again; with another result of `input` it is none.
    let report = ask(&["--reach", "YES"]).exits(1).out;
    assert!(report.contains("{\"from\":\"input\",\"value\":\"21\"}"), "{report}");
    let path = folder.path().join("r.json");
    std::fs::write(&path, &report).unwrap();
    bop(&["replay", file, path.to_str().unwrap()]).exits(0);
    std::fs::write(&path, report.replace("\"value\":\"21\"", "\"value\":\"22\"")).unwrap();
    bop(&["replay", file, path.to_str().unwrap()]).exits(1);
}

/// With nothing asked, assertions are, and the label that stands for an error.
#[test]
fn c_has_default_questions() {
    let text = "extern int input(void); void __assert_fail(void); void reach_error(void) {}
        int main(void) { int x = input(); if (x * x < 0) __assert_fail();
            if (x == 3) { ERROR: return 1; } return 0; }\n";
    let folder = Folder::new(
        "c-defaults",
        &[("p.i", text), ("e.i", &text.replace("__assert_fail();", "reach_error();"))],
    );
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let ran = bop(&["check", &path("p.i")]).exits(1);
    assert!(ran.out.contains("violated: an assertion can fail"), "{}", ran.out);
    assert!(ran.out.contains("reachable: ERROR"), "{}", ran.out);
    // A call of `reach_error` fails, whatever is in it, with data and without.
    for how in [&[][..], &["--skeleton"]] {
        let ran = bop(&[&["check", &path("e.i"), "--assert"], how].concat()).exits(1);
        assert!(ran.out.contains("violated: an assertion can fail"), "{}", ran.out);
    }
}

/// The machine of the program need not be this one.
#[test]
fn words_of_32_bits() {
    let text = "int main(void) { if (sizeof(long) == 4) { L: ; } return 0; }\n";
    let folder = Folder::new("ilp32", &[("p.i", text)]);
    let file = folder.path().join("p.i");
    let file = file.to_str().unwrap();
    for engine in ["bounded", "summary"] {
        let asked = ["check", file, "--reach", "L", "-q", "--engine", engine];
        assert!(bop(&asked).exits(0).out.starts_with("unreachable"));
        let asked = [&asked[..], &["--ilp32"]].concat();
        assert!(bop(&asked).exits(1).out.starts_with("reachable"));
    }
    let ran = bop(&["check", "examples/lock.bp", "--ilp32"]).exits(2);
    assert!(ran.err.contains("`--ilp32`"), "{}", ran.err);
}

/// A report is executed again: one whose inputs or lines were changed is refused.
#[test]
fn reports_are_executed_again() {
    let folder = Folder::new("bounded-replay", &[("p.c", PROGRAM)]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, report) = (path("p.c"), path("r.json"));
    let asked = ["check", &file, "--reach", "SEVEN", "--assert", "--engine", "bounded"];
    bop(&[&asked[..], &["--format", "json", "-o", &report]].concat()).exits(1);
    assert!(bop(&["replay", &file, &report]).exits(0).out.contains("accepted"));
    let text = std::fs::read_to_string(&report).unwrap();
    for (from, to) in [("\"value\":\"7\"", "\"value\":\"8\""), ("\"line\":7,", "\"line\":9,")] {
        assert!(text.contains(from), "{text}");
        let changed = path("changed.json");
        std::fs::write(&changed, text.replacen(from, to, 1)).unwrap();
        let ran = bop(&["replay", &file, &changed]).exits(1);
        assert!(ran.out.contains("refused"), "{}", ran.out);
    }
    let ran = bop(&[&asked[..], &["--self-check"]].concat()).exits(2);
    assert!(ran.err.contains("there is no proof to check"), "{}", ran.err);
}

/// What could not be read is said, not that there is no such label.
#[test]
fn nothing_to_search() {
    let folder =
        Folder::new("bounded-empty", &[("e.c", ""), ("b.c", "int main(void) { L: return +; }")]);
    for (name, what) in [("e.c", "no function has a body"), ("b.c", "nothing could be read")] {
        let file = folder.path().join(name);
        let ran =
            bop(&["check", file.to_str().unwrap(), "--reach", "L", "--engine", "bounded"]).exits(2);
        assert!(ran.err.contains(what), "{}", ran.err);
    }
}

/// A weak definition gives way to another file's, in whatever order they are read.
#[test]
fn weak_definitions_give_way() {
    let weak = "__attribute__((weak)) int f(void) { return 7; }
        int main(void) { if (f() == 8) { L: return 1; } return 0; }\n";
    let folder = Folder::new("weak", &[("a.i", weak), ("b.i", "int f(void) { return 8; }\n")]);
    for (files, code) in [(&["a.i", "b.i"][..], 1), (&["b.i", "a.i"], 1), (&["a.i"], 0)] {
        for engine in ["bounded", "auto"] {
            let asked = [&["check", "--reach", "L", "--engine", engine], files].concat();
            folder.bop(&asked).exits(code);
        }
    }
}

/// A condition that needs no run is on its line all the same: a line is not said to be unreachable for it.
#[test]
fn conditions_that_are_decided_are_on_their_lines() {
    let text = "int main(void) {\n  int y = 0;\n  if (&y) ; else y = 2;\n  return y;\n}\n";
    let folder = Folder::new("decided", &[("p.i", text)]);
    for engine in ["bounded", "auto"] {
        folder.bop(&["check", "p.i", "--reach", "p.i:3", "--engine", engine]).exits(3);
        folder.bop(&["check", "p.i", "--reach", "p.i:4", "--engine", engine]).exits(1);
    }
}

/// What programs read, by line: each is reached by bytes that were found.
const READS: &str = "
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
static jmp_buf back;
static int parsed(const char *text) {
    char *end;
    long n = strtol(text, &end, 10);
    if (*end) longjmp(back, 2);
    return (int)n;
}
int main(int argc, char **argv) {
    int n = 0, c;
    char line[8];
    if (setjmp(back) == 2) {
        if (argv[1][0] == '%') { BACK: return 3; }
        return 2;
    }
    if (argc < 2) return 1;
    n = parsed(argv[1]);
    if (n == 317 && argc == 3 && (unsigned char)argv[2][0] == 255 && argv[2][1] == '\\n') { ARGS: return 4; }
    if (n != 5) return 5;
    if (scanf(\"%d\", &n) != 1) return 6;
    if (n == -40) { NUMBER: return 7; }
    c = getchar();
    if (c != ';') return 8;
    if (!fgets(line, sizeof line, stdin)) { END: return 9; }
    if (strcmp(line, \"go\\n\") == 0) { LINE: return 10; }
    if (line[0] == 'x') line[n] = 1;
    return 0;
}
";

#[test]
fn what_is_read_is_found_and_handed_to_tests() {
    let folder = Folder::new("reads", &[("p.c", READS)]);
    let labels = ["BACK", "ARGS", "NUMBER", "END", "LINE"];
    let mut args = vec!["check", "p.c", "--engine", "bounded", "--emit-test", "tests"];
    args.extend(labels.iter().flat_map(|label| ["--reach", label]));
    args.extend(["--format", "json", "-o", "report.json"]);
    folder.bop(&args).exits(1);
    let report = std::fs::read_to_string(folder.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    for result in report["results"].as_array().unwrap() {
        assert_eq!(result["verdict"], "reachable", "{result:#}");
    }
    assert_eq!(report["results"][1]["inputs"]["argv"][0].as_str().unwrap().trim(), "317");
    assert!(report["results"][2]["inputs"]["stdin"].as_str().unwrap().starts_with("-40"));
    folder.bop(&["replay", "p.c", "report.json"]).exits(0);
    let changed = serde_json::to_string(&report).unwrap().replace("-40", "-41");
    std::fs::write(folder.path().join("changed.json"), changed).unwrap();
    folder.bop(&["replay", "p.c", "changed.json"]).exits(1);
    for label in labels {
        let done =
            Command::new(folder.path().join("tests").join(label).join("run")).output().unwrap();
        assert!(done.status.success(), "{label}: {done:?}");
    }
    // A number from standard input is where a line is written.
    let args = ["check", "p.c", "--memory-safety", "--emit-test", "memory", "--trace", "none"];
    let ran = folder.bop(&args).exits(1).out;
    assert!(ran.contains("p.c:30"), "{ran}");
    let done = Command::new(folder.path().join("memory/memory-safety-1/run")).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

/// Sanitizers do not look at the arguments that the system hands over: tests hand over copies.
#[test]
fn what_lies_behind_arguments_is_not_theirs() {
    let text = "int main(int argc, char **argv) {
        if (argc == 2 && argv[1][0] == 'a' && argv[1][1] == 0) return argv[1][2];
        if (argc == 3) return argv[4] != 0;
        return 0;
    }";
    let folder = Folder::new("behind-arguments", &[("p.c", text)]);
    let args = ["check", "p.c", "--memory-safety", "--emit-test", "tests", "--trace", "none"];
    let ran = folder.bop(&args).exits(1).out;
    assert!(ran.contains("p.c:2") && ran.contains("p.c:3"), "{ran}");
    for number in 1..=2 {
        let run = folder.path().join(format!("tests/memory-safety-{number}/run"));
        let done = Command::new(run).output().unwrap();
        assert!(done.status.success(), "{number}: {done:?}");
    }
}

/// With `--ilp32` tests are built for a machine of 32 bits, where there is a compiler for it.
#[test]
fn tests_for_32_bits() {
    let text = "extern long __VERIFIER_nondet_long(void); int scanf(const char *, ...);
    int main(int argc, char **argv) {
        long x = __VERIFIER_nondet_long(), y = 0;
        if (sizeof(x) == 4 && x == -2147483647L - 1) { NARROW: return 1; }
        if (argc == 2 && argv[1][0] == 'q' && scanf(\"%ld\", &y) == 1 && y == 77) { READ: return 2; }
        int *p = (int *)&x;
        if (x == 5) return p[1];
        return 0;
    }";
    let folder = Folder::new("narrow", &[("p.c", text)]);
    let args = ["--reach", "NARROW", "--reach", "READ", "--memory-safety", "--emit-test", "tests"];
    folder
        .bop(
            &[&["check", "p.c", "--ilp32", "--trace", "none", "--engine", "bounded"], &args[..]]
                .concat(),
        )
        .exits(1);
    std::fs::write(folder.path().join("empty.c"), "int main(void) { return 0; }").unwrap();
    let built = Command::new("cc")
        .args(["-m32", "-fsanitize=address", "empty.c", "-o", "empty"])
        .current_dir(folder.path())
        .output();
    if !built.is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: there is no compiler for 32 bits (gcc-multilib)");
        return;
    }
    for name in ["NARROW", "READ", "memory-safety-1"] {
        let done =
            Command::new(folder.path().join("tests").join(name).join("run")).output().unwrap();
        assert!(done.status.success(), "{name}: {done:?}");
    }
}

/// What contracts say, stubs do.
#[test]
fn contracts_are_obeyed_with_data() {
    let text = "struct s { int a, b; };
    extern int status(int *); extern void fill(char *, unsigned long); extern void stop(int); extern int *same(int *);
    extern void take(struct s *); extern int measure(const char *); extern void *malloc(unsigned long);
    static int seen; int shared;
    int main(void) {
        int x = 3; char b[4] = { 0 };
        shared = 1;
        int r = status(&x);
        if (shared != 1) { CHANGED: return 9; }
        if (x == 17 && r == 4) { ASSIGNED: return 1; }
        fill(b, 2);
        if (b[1] == 'z') { FILLED: return 2; }
        if (b[2]) { BEYOND: return 3; }
        if (same(&x) != &x) { OTHER: return 4; }
        if (r == 5) { stop(1); STOPPED: return 5; }
        return 0;
    }";
    let contracts = "assigns status 1\nassigns fill 1\nsize fill 1 2\nreturns same 1\npure same\nnoreturn stop\n";
    let folder = Folder::new("contracts-data", &[("p.c", text), ("c.contracts", contracts)]);
    let labels = ["CHANGED", "ASSIGNED", "FILLED", "BEYOND", "OTHER", "STOPPED"];
    let mut args = vec!["check", "p.c", "--engine", "bounded", "--format", "json"];
    args.extend(labels.iter().flat_map(|label| ["--reach", label]));
    let verdicts = |report: serde_json::Value| -> Vec<String> {
        let results = report["results"].as_array().unwrap();
        results.iter().map(|r| r["verdict"].as_str().unwrap().to_owned()).collect()
    };
    args.extend(["--contracts", "c.contracts", "--emit-test", "tests"]);
    let report = folder.bop(&args).exits(1).json();
    let never = "unreachable";
    assert_eq!(verdicts(report), [never, "reachable", "reachable", never, never, never]);
    for label in ["ASSIGNED", "FILLED"] {
        let done =
            Command::new(folder.path().join("tests").join(label).join("run")).output().unwrap();
        assert!(done.status.success(), "{label}: {done:?}");
    }
}

const SHOWN: &str = "\
#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct point { int x, y; };
struct shape { char name[8]; struct point at[2]; struct point *best; unsigned kind : 3; };
struct node { int value; struct node *next; };
static struct node *head;
static void push(int v) {
    struct node *n = malloc(sizeof *n);
    n->value = v;
    n->next = head;
    head = n;
}
static void move(struct shape *s, int dx) {
    s->at[1].x += dx;
    s->best = &s->at[1];
}
int main(void) {
    struct shape s = { \"box\", { { 1, 2 }, { 3, 4 } }, 0, 5 };
    int dx = __VERIFIER_nondet_int();
    int *p = &s.at[0].y;
    move(&s, dx);
    push(dx); push(*p);
    for (int dx = 0; dx < 2; dx++) p++;
    assert(s.best->x != 10);
    return 0;
}
";

#[test]
fn a_run_says_what_variables_hold() {
    let folder = Folder::new("shown", &[("p.c", SHOWN)]);
    let told = folder.bop(&["check", "p.c", "--assert", "--engine", "bounded"]).exits(1).out;
    let lines = [
        "s={name=\"box\", at={{x=1, y=2}, {x=3, y=4}}, best=NULL, kind=5}",
        "p=&s.at[0].y",
        "s->at[1].x=10",
        "s.best=&s.at[1]",
        "heap2={value=2, next=?}",
        "heap2.next=&heap1",
    ];
    for line in lines {
        assert!(told.contains(line), "{line}: {told}");
    }
    let args = ["check", "p.c", "--assert", "--engine", "bounded", "--format", "json"];
    let report = folder.bop(&args).exits(1).out;
    let read: serde_json::Value = serde_json::from_str(&report).unwrap();
    let steps = read["results"][0]["trace"]["steps"].as_array().unwrap();
    let state = &steps.last().unwrap()["state"];
    assert_eq!(state["s"]["at"][1]["x"], 10, "{state}");
    assert_eq!(state["s"]["best"], "&s.at[1]", "{state}");
    assert_eq!(state["head"], "&heap2", "{state}");
    // The loop's own variable of that name is gone.
    assert_eq!(state["dx"], 7, "{state}");
    std::fs::write(folder.path().join("report.json"), &report).unwrap();
    folder.bop(&["replay", "p.c", "report.json"]).exits(0);
    let changed = report.replacen("\"&s.at[1]\"", "\"&s.at[0]\"", 1);
    assert_ne!(changed, report);
    std::fs::write(folder.path().join("changed.json"), changed).unwrap();
    folder.bop(&["replay", "p.c", "changed.json"]).exits(1);
}

const FILES: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char line[8];
    int n;
    FILE *f = fopen(\"/a b/x.cfg\", \"rb\"), *g;
    if (!f) { NONE: return 1; }
    if (!fgets(line, sizeof line, f)) { EMPTY: return 2; }
    if (line[0] == 'k' && fscanf(f, \"%d\", &n) == 1 && n == -91) { NUMBER: return 3; }
    fclose(f);
    g = fopen(\"size\", \"r\");
    if (!g) return 4;
    fseek(g, 0, SEEK_END);
    long size = ftell(g);
    rewind(g);
    char *all = malloc(size + 1);
    if (size == 3 && fread(all, 1, size, g) == 3 && all[2] == 'q') { WHOLE: return 5; }
    if (size == 2 && fread(all, 1, 3, g) == 3) { NEVER: return 6; }
    return 0;
}
";

#[test]
fn files_are_inputs() {
    let folder = Folder::new("files", &[("p.c", FILES)]);
    let mut args = vec!["check", "p.c", "--engine", "bounded", "--emit-test", "tests"];
    let labels = ["NONE", "EMPTY", "NUMBER", "WHOLE"];
    args.extend(labels.iter().flat_map(|label| ["--reach", label]));
    args.extend(["--format", "json", "-o", "report.json"]);
    folder.bop(&args).exits(1);
    let report = std::fs::read_to_string(folder.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    for result in report["results"].as_array().unwrap() {
        assert_eq!(result["verdict"], "reachable", "{result:#}");
    }
    let files = &report["results"][2]["inputs"]["files"];
    assert_eq!(files[0]["name"], "/a b/x.cfg", "{files}");
    folder.bop(&["replay", "p.c", "report.json"]).exits(0);
    for label in labels {
        let done =
            Command::new(folder.path().join("tests").join(label).join("run")).output().unwrap();
        assert!(done.status.success(), "{label}: {done:?}");
    }
    let ran =
        folder.bop(&["check", "p.c", "--engine", "bounded", "--reach", "NEVER", "--bound", "5"]);
    assert!(!ran.out.contains("reachable: NEVER at"), "{}", ran.out);
}

#[test]
fn memory_that_was_asked_for_is_an_input() {
    let text = "\
#include <assert.h>
#include <stdlib.h>
struct s { int a, b; };
int main(void) {
    struct s *p = malloc(sizeof *p);
    int *q = malloc(sizeof *q), *r = calloc(1, sizeof *r);
    p->a = 3;
    assert(*r == 0);
    if (p->b == 77 && *q == p->a + 2) { BOTH: return 1; }
    free(p);
    return 0;
}
";
    let folder = Folder::new("asked", &[("p.c", text)]);
    let asked = ["--engine", "bounded", "--emit-test", "tests", "--trace", "none"];
    let args = [&["check", "p.c", "--reach", "BOTH"], &asked[..]].concat();
    let ran = folder.bop(&args).exits(1);
    assert!(ran.out.contains("malloc 1 has bytes 00 00 00 00 4d 00 00 00"), "{}", ran.out);
    let done = Command::new(folder.path().join("tests/BOTH/run")).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    folder.bop(&["check", "p.c", "--assert", "--engine", "bounded"]).exits(0);
}

#[test]
fn plain_inputs_are_executed_first() {
    let text = "\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n != 12345) return 0;
    unsigned i, sum = 0;
    for (i = 0; i < 5000000; i++) sum += i ^ n;
    assert(sum == 7);
    return 0;
}
";
    let folder = Folder::new("plain", &[("p.c", text)]);
    let args = ["check", "p.c", "--assert", "--engine", "bounded", "--timeout", "60s"];
    let ran = folder.bop(&args).exits(1);
    assert!(ran.out.contains("__VERIFIER_nondet_int() = 12345"), "{}", ran.out);
}
