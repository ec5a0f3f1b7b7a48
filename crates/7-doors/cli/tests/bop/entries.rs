//! Entries with arbitrary memory (`--entry f`), and how sure findings of rules are (`--confidence`).

use crate::c::Folder;
use serde_json::Value;
use std::process::Command;

const LIBRARY: &str = "
#include <stdlib.h>
#include <assert.h>
struct node { int v; struct node *next; char *name; }; static int limit;

static int sum(struct node *n, int k) {
    int s = 0;
    while (n && k-- > 0) { s += n->v; n = n->next; }
    assert(s != 42 || limit != 7);
    return s;
}
int clamp(int x) { if (x < 0) x = 0; if (x > 9) x = 9; assert(x >= 0 && x <= 9); return x; }
int first(const struct node *n) { if (!n) return 0; int v = n->v > 9 ? 9 : n->v; assert(v <= 9); return v; }
void same(struct node *a, struct node *b) { if (a && a->v == 5) { b->v = 6; assert(a->v == 5); } }
int text(char *s) { if (s && s[0] == 'a' && s[1] == 'b' && s[2] == 0) assert(0); return 0; }
int called(int (*f)(int), int x) { if (f && f(x) == 9) assert(x != 3); return 0; }
void twice(char *p, char *q) { free(p); free(q); }
char *made(int n) { char *p = malloc(4); if (n) return p; return 0; }
void *kept(void) { return malloc(4); }
int ratio(int a, int *b) { return b ? a / *b : 0; }
int many(int n, ...) { return n; }
int main(void) { return sum(0, 1); }
";

fn asked(folder: &Folder, flags: &[&str]) -> (i32, Value) {
    let ran = folder.bop(&[&["check", "l.c", "--format", "json"], flags].concat());
    (ran.code, ran.json())
}

fn caller(report: &Value) -> Vec<String> {
    let list = report["results"][0]["inputs"]["caller"].as_array().unwrap();
    list.iter().map(|c| c.as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_entry_gets_anything() {
    let folder = Folder::new("entries", &[("l.c", LIBRARY)]);
    for (entry, line, assumed) in [
        ("sum", 9, "limit = 7"),
        ("same", 14, "b is a"),
        ("text", 15, "s is \"ab\""),
        ("called", 16, "what f returns = 9"),
    ] {
        for engine in [&["--engine", "bounded"][..], &[]] {
            let (code, report) =
                asked(&folder, &[&["--assert", "--entry", entry], engine].concat());
            assert_eq!(code, 1, "{entry}: {report:#}");
            let steps = report["results"][0]["trace"]["steps"].as_array().unwrap();
            assert_eq!(steps.last().unwrap()["line"], line);
            assert_eq!((&steps[0]["proc"], &steps[0]["depth"]), (&entry.into(), &0.into()));
            assert!(caller(&report).iter().any(|c| c == assumed), "{report:#}");
        }
    }
    for entry in ["clamp", "first"] {
        let (code, report) = asked(&folder, &["--assert", "--engine", "bounded", "--entry", entry]);
        assert_eq!(code, 0, "{entry}: {report:#}");
        let said = report["assumptions"].to_string();
        assert!(said.contains(&format!("callers of `{entry}` do anything")), "{said}");
    }
}

#[test]
fn operations_of_an_entry_fail() {
    let folder = Folder::new("entry-operations", &[("l.c", LIBRARY)]);
    let (code, report) = asked(&folder, &["--memory-safety", "--entry", "twice"]);
    assert_eq!((code, &report["results"][0]["message"]), (1, &"freed twice".into()));
    assert!(caller(&report).contains(&"q is p".to_owned()), "{report:#}");
    assert_eq!(report["results"][0]["origin"], Value::Null);
    let (code, report) = asked(&folder, &["--memory-safety", "--entry", "made"]);
    assert_eq!((code, &report["results"][0]["origin"]["line"]), (1, &18.into()));
    assert_eq!(caller(&report), ["n = 0"]);
    // What a function returns is its caller's.
    let (code, report) = asked(&folder, &["--memory-safety", "--entry", "kept"]);
    assert_eq!(code, 0, "{report:#}");
    let (code, report) = asked(&folder, &["--division", "--entry", "ratio"]);
    assert_eq!(code, 1);
    assert!(caller(&report).contains(&"*b = 0".to_owned()), "{report:#}");
}

#[test]
fn what_cannot_start() {
    let folder = Folder::new("entry-wrong", &[("l.c", LIBRARY)]);
    for (flags, said) in [
        (["--assert", "many"], "takes any number of arguments"),
        (["--assert", "nothing"], "no function `nothing` with a body"),
        (["--memory-cleanup", "made"], "leave out `--entry`"),
    ] {
        let flags = ["check", "l.c", "--engine", "bounded", flags[0], "--entry", flags[1]];
        let ran = folder.bop(&flags).exits(2);
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn tests_of_entries_fail() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `cc`");
        return;
    }
    let folder = Folder::new("entry-tests", &[("l.c", LIBRARY)]);
    for (entry, flag, test) in
        [("sum", "--assert", "assert-1"), ("twice", "--memory-safety", "memory-safety-1")]
    {
        let to = folder.path().join(entry).display().to_string();
        folder.bop(&["check", "l.c", flag, "--entry", entry, "--emit-test", &to]).exits(1);
        let run = Command::new(format!("{to}/{test}/run")).output().unwrap();
        assert!(run.status.success(), "{entry}: {run:?}");
    }
    let report = folder.path().join("r.json").display().to_string();
    folder
        .bop(&["check", "l.c", "--assert", "--entry", "sum", "--format", "json", "-o", &report])
        .exits(1);
    let ran = folder.bop(&["replay", "l.c", &report, "--entry", "sum"]).exits(0);
    assert!(ran.out.contains("accepted"), "{}", ran.out);
}

const FINDINGS: &str = "
#include <stdlib.h>
static int fill(char **to, int n) {
    char *tmp = malloc(4);
    if (!tmp) return -1;
    if (n == 7) return -2;
    if (n == 8) return -3;
    free(tmp);
    *to = 0;
    return 0;
}
void drop(char *p, int k) { free(p); if (k == 3) free(p); }
int main(int argc, char **argv) {
    char *to = 0, *p = malloc(3);
    fill(&to, argc);
    if (!p) return 1;
    if (argc > 5 && argc < 3)
        drop(p, 3);
    free(p);
    if (argc == 4) p[0] = 1;
    return 0;
}
";

/// Line and confidence of each finding.
fn sure(report: &Value) -> Vec<(u64, String)> {
    let results = report["results"].as_array().unwrap();
    let found = results.iter().filter(|r| r["verdict"] == "violated");
    found
        .map(|r| {
            (
                r["place"]["line"].as_u64().unwrap(),
                r["confidence"].as_str().unwrap_or("none").to_owned(),
            )
        })
        .collect()
}

#[test]
fn findings_are_put_to_the_data() {
    let folder = Folder::new("confidence", &[("l.c", FINDINGS)]);
    let (code, report) = asked(&folder, &["--rule", "memory", "--confidence", "possible"]);
    assert_eq!(code, 1);
    let confirmed = |line: u64| (line, "confirmed".to_owned());
    let found = sure(&report);
    for line in [6, 7, 20] {
        assert!(found.contains(&confirmed(line)), "{line}: {found:?}");
    }
    // What is less sure is counted.
    let text = FINDINGS.replace("int main(", "int other(");
    let folder = Folder::new("confidence-library", &[("l.c", &text)]);
    let (code, report) = asked(&folder, &["--rule", "memory", "--confidence", "confirmed"]);
    assert_eq!((code, sure(&report).len()), (3, 0), "{report:#}");
    let hidden = report["possible"].as_u64().unwrap();
    // By default, what is likely is shown, too; no run of `other` frees twice by `drop`, but callers may.
    let (_, report) = asked(&folder, &["--rule", "memory"]);
    let found = sure(&report);
    assert_eq!((found.len() as u64, &report["possible"]), (hidden, &Value::Null));
    for line in [6, 7, 12, 20] {
        assert!(found.contains(&(line, "likely".to_owned())), "{line}: {found:?}");
    }
    let results = report["results"].as_array().unwrap();
    let twice = results.iter().find(|r| r["place"]["line"] == 12).unwrap();
    let run = twice["run"][0].as_str().unwrap();
    assert!(run.contains("`drop` is called where") && run.contains("k = 3"), "{run}");
    let ran = folder.bop(&["check", "l.c", "--rule", "memory", "--format", "sarif"]).exits(1);
    let levels: Vec<_> = ran.json()["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["level"].clone())
        .collect();
    assert!(levels.contains(&"warning".into()) && !levels.contains(&"error".into()), "{levels:?}");
}

const HOOKS: &str = "
#include <stdlib.h>
typedef struct { void *(*get)(size_t); void (*put)(void *); } Hooks;
static Hooks hooks = { malloc, free };
typedef struct Item { struct Item *next; char *name; } Item;
static Item *item(const Hooks *h) { return h->get(sizeof(Item)); }
int join(Item *list, int n) {
    Item *one = item(&hooks), *two;
    if (!one) return -1;
    two = item(&hooks);
    if (!two) return -2;
    two->name = 0;
    one->next = two;
    if (n < 0) { hooks.put(one); hooks.put(two); return -3; }
    list->next = one;
    return 0;
}
void swap(Item *list, int n) {
    char *name = hooks.get(4);
    if (!name) return;
    hooks.put(list->name);
    if (n > 3) hooks.put(list->name);
    list->name = name;
}
";

#[test]
fn runs_follow_the_path_of_a_finding_through_pointers_to_functions() {
    let folder = Folder::new("confidence-hooks", &[("l.c", HOOKS)]);
    let all = ["--rule", "memory", "--confidence", "possible"];
    let (_, report) = asked(&folder, &all);
    let found = sure(&report);
    // `one` is lost where `two` could not be had; what a hook frees is not lost.
    for line in [11, 22] {
        assert!(found.contains(&(line, "likely".to_owned())), "{line}: {found:?}");
    }
    let others = found.iter().filter(|(line, sure)| ![11, 22].contains(line) && sure != "possible");
    assert_eq!(others.count(), 0, "{found:?}");
    // Paths are followed whether they are shown or not.
    let (_, silent) = asked(&folder, &[&all[..], &["--trace", "none"]].concat());
    assert_eq!(sure(&silent), found);
    assert!(silent["results"][0]["trace"].is_null(), "{silent:#}");
}

#[test]
fn what_runs_before_main_is_no_part_that_is_left_out() {
    let text = "#include <stdlib.h>\nstatic int on;\n\
                __attribute__((constructor)) static void init(void) { on = 1; }\n\
                int main(void) {\n  char *p = malloc(3);\n  if (!p) return 1;\n\
                if (!on) return 2;\n  free(p);\n  return 0; }\n";
    let folder = Folder::new("confidence-constructor", &[("l.c", text)]);
    let (_, report) = asked(&folder, &["--rule", "memory", "--confidence", "possible"]);
    assert!(sure(&report).iter().all(|(_, sure)| sure == "possible"), "{report:#}");
}

#[test]
fn what_is_only_possible_is_no_answer() {
    // The product of two numbers is odd to the skeleton.
    let text = "#include <stdlib.h>\nint f(int, int);\n\
                int main(int argc, char **argv) {\n  char *p = malloc(3);\n  long double x = argc / 3.0L;\n\
                free(p);\n  if (x * x == 2.0L && x > 1) free(p);\n  return 0; }\n";
    let folder = Folder::new("possible", &[("l.c", text)]);
    let ran = folder.bop(&["check", "l.c", "--rule", "memory"]).exits(3);
    assert!(
        ran.out.contains("1 possible finding is not shown: `--confidence possible`"),
        "{}",
        ran.out
    );
    let ran =
        folder.bop(&["check", "l.c", "--rule", "memory", "--confidence", "possible"]).exits(1);
    assert!(ran.out.contains("possible: no run was found that shows it"), "{}", ran.out);
    let ran = folder
        .bop(&["check", "l.c", "--rule", "memory", "--skeleton", "--confidence", "likely"])
        .exits(2);
    assert!(ran.err.contains("--skeleton"), "{}", ran.err);
    folder.bop(&["check", "l.c", "--rule", "memory", "--skeleton"]).exits(1);
}

const UNDECIDED: &str = "
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
typedef struct Node { struct Node *next; char *name; } Node;
static int keep(char **list, char *item) {
    if (!list)
        return -1;
    *list = item;
    return 0;
}
int store(char **list) {
    char *p;
    if (!list) return -1;
    if (asprintf(&p, \"x\") < 0) return -1;
    return keep(list, p);
}
int lose(char **list, int n) {
    char *p;
    if (asprintf(&p, \"x\") < 0) return -1;
    if (n == 3)
        return -2;
    if (n * n == 7)
        return -3;
    return list ? keep(list, p) : (free(p), -1);
}
void clear(Node *node) {
    char *text;
    if (asprintf(&text, \"x\") < 0) return;
    while (node) {
        Node *next = node->next;
        free(node->name);
        free(node);
        node = next;
    }
    puts(text);
    free(text);
}
void again(Node *node) {
    char *text;
    if (asprintf(&text, \"x\") < 0) return;
    free(text);
    if (node->name) puts(text);
}
";

#[test]
fn a_path_whose_conditions_agree_is_likely_and_one_that_contradicts_itself_is_not() {
    let folder = Folder::new("confidence-undecided", &[("l.c", UNDECIDED)]);
    let (_, report) = asked(&folder, &["--rule", "memory", "--confidence", "possible"]);
    let found = sure(&report);
    let is = |line: u64, sure: &str| found.contains(&(line, sure.to_owned()));
    // `asprintf` has no model, so that no run is executed that comes behind it exactly.
    assert!(is(22, "likely"), "{found:?}");
    // `list` is not null when `keep` is called; a product is not followed.
    for line in [16, 24, 25] {
        assert!(is(line, "possible"), "{line}: {found:?}");
    }
    // What is freed twice must be one thing for sure: the nodes of a list are several.
    let nodes = found.iter().filter(|(line, _)| (27..=38).contains(line));
    assert!(nodes.clone().all(|(_, sure)| sure == "possible"), "{found:?}");
    assert!(is(43, "likely"), "{found:?}");
}

#[test]
fn what_lies_behind_a_pointer_is_read_where_it_is_cast_to_void() {
    let text = "#include <stdlib.h>
void read(char *p) { free(p); (void)*(volatile char *)p; }
void member(struct s { int *n; } *p) { free(p); (void)p->n; }
void plain(char *p) { free(p); (void)p; }
";
    let folder = Folder::new("void", &[("l.c", text)]);
    let (_, report) = asked(&folder, &["--rule", "use_after_free"]);
    let lines: Vec<u64> = sure(&report).iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3], "{report:#}");
}

#[test]
fn a_finding_that_no_run_has_is_gone() {
    let text = "#include <stdlib.h>\nint main(int argc, char **argv) {\n  char *p = malloc(3);\n  int even = argc * 2;\n\
                free(p);\n  if (even % 2) free(p);\n  return 0; }\n";
    let folder = Folder::new("gone", &[("l.c", text)]);
    folder.bop(&["check", "l.c", "--rule", "memory", "--confidence", "possible"]).exits(0);
    folder.bop(&["check", "l.c", "--rule", "memory", "--skeleton"]).exits(1);
    // The second call is reached, and never the second one of one run.
    let text = "#include <stdlib.h>\nint main(int argc, char **argv) {\n  char *p = malloc(3);\n\
                if (argc * 2 == 7) free(p);\n  free(p);\n  return 0; }\n";
    let folder = Folder::new("gone-too", &[("l.c", text)]);
    folder.bop(&["check", "l.c", "--rule", "double_free", "--confidence", "possible"]).exits(0);
    let text = text.replace("argc * 2 == 7", "argc * 3 == 9");
    let folder = Folder::new("not-gone", &[("l.c", &text)]);
    folder.bop(&["check", "l.c", "--rule", "double_free", "--confidence", "confirmed"]).exits(1);
}

#[test]
fn monitors_watch_calls() {
    let text = "\n#include <pthread.h>\n#include <stdio.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void work(int k) {
    pthread_mutex_lock(&m);
    if (k == 5)
        pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (k * k == 3)
        pthread_mutex_lock(&m);
    if (k * k == 3)
        pthread_mutex_lock(&m);
}
static void copy(const char *name, int how) {
    FILE *f = fopen(name, \"r\");
    if (!f) return;
    fclose(f);
    if (how == 3)
        fclose(f);
}
int main(int argc, char **argv) { work(argc); copy(\"x\", argc); return 0; }
";
    let folder = Folder::new("monitors", &[("l.c", text)]);
    let (_, report) = asked(&folder, &["--rule", "lock", "--confidence", "possible"]);
    let found = sure(&report);
    assert!(found.contains(&(8, "confirmed".to_owned())), "{found:?}");
    assert!(found.contains(&(13, "possible".to_owned())), "{found:?}");
    let (_, report) = asked(&folder, &["--rule", "file"]);
    assert_eq!(sure(&report), [(20, "confirmed".to_owned())], "{report:#}");
}

#[test]
fn tests_reach_branches() {
    let text = "#include <stdio.h>\nextern int __VERIFIER_nondet_int(void);
static int kind(int x) {
    switch (x) { case 1: return 10; case 2: case 3: return 20; default: break; }
    if (x > 100 && x % 7 == 3) return 30;
    if (x * 2 == 7) return 40;
    return 0;
}
static int unused(int x) { return x ? 1 : 2; }
int main(int argc, char **argv) {
    if (kind(__VERIFIER_nondet_int()) == 30 && argc == 3) puts(\"there\");
    return 0;
}
";
    let folder = Folder::new("branches", &[("l.c", text)]);
    let ran = folder.bop(&["test", "l.c", "--tests", "T"]).exits(0);
    assert!(ran.out.starts_with("13 of 14 branches reached by "), "{}", ran.out);
    assert!(ran.out.contains(", 1 unreachable, 0 open"), "{}", ran.out);
    assert!(ran.out.contains("unreachable: l.c:6 true in `kind`"), "{}", ran.out);
    let ran = folder.bop(&["test", "l.c", "--goal", "lines", "-q"]).exits(0);
    assert!(ran.out.starts_with("6 of 6 lines reached by "), "{}", ran.out);
    if Command::new("cc").arg("--version").output().is_ok() {
        let run = Command::new(folder.path().join("T/run")).output().unwrap();
        assert!(run.status.success(), "{run:?}");
    }
    let ran = folder.bop(&["test", "l.c", "--entry", "kind", "-q"]).exits(0);
    assert!(ran.out.starts_with("9 of 10 branches reached by "), "{}", ran.out);
    folder.bop(&["test", "l.c", "--entry", "no"]).exits(2);
}
