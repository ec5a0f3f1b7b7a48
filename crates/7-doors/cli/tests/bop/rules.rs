//! Rules are properties: what works for other questions works for them.

use crate::{Ran, TempFile, bop};
use serde_json::{Value, json};

/// No object: locked twice, unless `n` is negative, which only a kept variable tells.
const LOCKS: &str = "void lock(void); void unlock(void); int c(void);
static int depth;
static void work(int n) { if (n>2) depth = (n | 3); }
int main(int argc) {
  int x9 = (argc | depth);
  work(argc);
  lock();
  if (c())
    unlock();
  work(x9);
  lock();
  return 0;
}
";
const TWICE: &str = "rule twice {
  never { true[*]; call(lock); !call(unlock)[*]; call(lock) }
  message \"locked twice\"
}
";

/// A variable.
const SAVED: &str =
    "typedef struct b *b; b make(int); void keep(b); void collect(void); int use(b);
static void more(void) { collect(); }
int main(int argc) {
  b u = make(argc);
  b v = make(2);
  keep(v);
  more();
  if (argc>1)
    return use(v);
  return use(u);
}
";
const DANGLES: &str = "rule dangles(v: var b) {
  never { true[*]; assign(v) && !call(keep, v); !(assign(v) || call(keep, v))[*]; call(collect);
          !assign(v)[*]; use(v) }
  message \"`$v` is used after a collection\"
}
";

/// A value.
const FREED: &str =
    "typedef unsigned long size_t; void *malloc(size_t); void free(void *); int c(void);
static void drop(char *q) { c(); free(q); }
int main(int argc) {
  char *p = malloc(10);
  if (!p)
    return 1;
  if (argc>2)
    drop(p);
  while (argc>3)
    argc--;
  free(p);
  return 0;
}
";

struct Case {
    c: TempFile,
    rule: String,
    _file: Option<TempFile>,
}

impl Case {
    fn new(c: &str, rule: &str) -> Case {
        let file = TempFile::new("r.rule", rule);
        let rule = file.path().to_owned();
        Case { c: TempFile::new("f.i", c), rule, _file: Some(file) }
    }
    fn double_free(c: &str) -> Case {
        Case { c: TempFile::new("f.i", c), rule: "double_free".to_owned(), _file: None }
    }
    fn check(&self, more: &[&str]) -> Ran {
        bop(&[&["check", self.c.path(), "--rule", &self.rule], more].concat())
    }
    fn json(&self, more: &[&str], code: i32) -> Value {
        self.check(&[&["--format", "json"], more].concat()).exits(code).json()
    }
}

/// One of each kind that is broken, and one that is kept.
fn broken() -> [Case; 3] {
    [Case::new(LOCKS, TWICE), Case::new(SAVED, DANGLES), Case::double_free(FREED)]
}
fn kept() -> [Case; 3] {
    let unlocked = LOCKS.replace("  if (c())\n", "");
    let saved = SAVED.replace("b u = make(argc);", "b u = make(argc); keep(u);");
    let freed = FREED.replace("drop(p);", "c();");
    [Case::new(&unlocked, TWICE), Case::new(&saved, DANGLES), Case::double_free(&freed)]
}

#[test]
fn what_holds_has_a_proof_that_is_checked() {
    for case in kept() {
        let report = case.json(&["--self-check"], 0);
        let result = &report["results"][0];
        assert_eq!(result["verdict"], "holds");
        assert_eq!(result["certificate"]["checked"], true, "{result}");
        assert!(case.check(&["--self-check"]).exits(0).out.contains(", checked"));
        // It can be kept, and is checked again: about this program, and about no other.
        let proof = TempFile::new("proof.json", "");
        let ran = case.check(&["--proof", proof.path()]).exits(0);
        assert!(!ran.err.contains("no proof"), "{}", ran.err);
        let ran = bop(&["replay", case.c.path(), proof.path()]).exits(0);
        assert!(ran.out.starts_with("accepted: "), "{}", ran.out);
    }
    let proof = TempFile::new("proof.json", "");
    kept()[2].check(&["--proof", proof.path()]).exits(0);
    let ran = bop(&["replay", broken()[2].c.path(), proof.path()]).exits(1);
    assert!(ran.out.starts_with("refused: double_free: "), "{}", ran.out);
}

#[test]
fn who_is_asked_answers_and_is_named() {
    let engines = ["explicit", "summary", "post", "pre", "qbf", "universal", "pdr", "compare"];
    for (cases, verdict, code) in [(broken(), "violated", 1), (kept(), "holds", 0)] {
        for (case, engine) in cases.iter().flat_map(|c| engines.map(|e| (c, e))) {
            let report = case.json(&["--engine", engine], code);
            let [result] = &report["results"].as_array().expect("a list")[..] else {
                panic!("{report}")
            };
            assert_eq!((&result["verdict"], &result["engine"]), (&json!(verdict), &json!(engine)));
            if engine == "compare" {
                let why = result["why"].as_str().expect("a reason");
                assert!(why.contains("explicit") && why.ends_with("agree"), "{why}");
            }
        }
        for case in &cases {
            let report = case.json(&["--matching", "ia2"], code);
            assert_eq!(report["results"][0]["verdict"], verdict);
            assert_eq!(report["results"][0]["engine"], "matching");
        }
    }
}

#[test]
fn traces_are_as_wanted() {
    for case in broken() {
        let trace = |mode: &str| case.json(&["--trace", mode], 1)["results"][0]["trace"].clone();
        assert_eq!(trace("none"), Value::Null);
        assert_eq!(trace("any")["shortest"], false);
        assert!(!case.check(&["--trace", "none"]).exits(1).out.contains("main"));
        // A rule about values does not see every statement: nobody knows which path is shortest.
        let values = case.rule == "double_free";
        assert_eq!(trace("shortest")["shortest"], !values);
    }
}

#[test]
fn kept_variables_count() {
    let c = "void lock(void); void unlock(void); int c(void);
int main(void) {
  int n = 0;
  while (c())
    if (n < 3) n++;
  if (n >= 2) lock();
  n = n + 1;
  if (n == 2) lock();
  return 0;
}
";
    let case = Case::new(c, TWICE);
    case.check(&[]).exits(1);
    case.check(&["--keep", "n:4"]).exits(0);
    let err = case.check(&["--keep", "m:4"]).exits(2).err;
    assert!(err.contains("no variable `m`"), "{err}");
    let err = broken()[2].check(&["--keep", "m:8"]).exits(2).err;
    assert!(err.contains("no variable `m`"), "{err}");
    // What is kept is told, and replayed.
    let case = Case::new(&c.replace("n == 2", "n == 3"), TWICE);
    let mut report = case.json(&["--keep", "n:4"], 1);
    let replayed = |report: &Value| {
        let file = TempFile::new("report.json", report.to_string());
        bop(&["replay", case.c.path(), "--keep", "n:4", file.path()])
    };
    replayed(&report).exits(0);
    let steps = report["results"][0]["trace"]["steps"].as_array_mut().expect("steps");
    let told = steps.iter_mut().rfind(|s| s["state"]["n"] == 3).expect("n is 3 at the end");
    told["state"]["n"] = json!(4);
    assert!(replayed(&report).exits(1).out.starts_with("refused: twice: "));
}

/// What a function that is an event only does to a kept variable, and what others may have done before they call.
#[test]
fn kept_variables_change_where_nobody_looks() {
    let c = "static int held;
void lock(void) { held = 1; }
void unlock(void) { held = 0; }
int main(void) {
  lock();
  if (held) lock();
  unlock();
  return 0;
}
";
    let case = Case::new(c, TWICE);
    case.check(&["--keep", "held:1"]).exits(1);
    let library = TempFile::new(
        "library.c",
        "#include <assert.h>\nstatic int x;\nvoid set(void) { x = 1; }\nvoid look(void) { assert(x == 0); }\n",
    );
    let asked = ["check", library.path(), "--assert", "--keep", "x:1"];
    bop(&asked).exits(1);
    bop(&[&asked[..], &["--entry", "look"]].concat()).exits(1);
}

/// Rules about values know what is kept, show it, and it is replayed.
#[test]
fn rules_over_values_have_kept_variables() {
    let c = "void *malloc(unsigned long n); void free(void *p); int c(void);
static int count;
static void add(void) { count = count + 1; }
int main(void) {
  char *p = malloc(1);
  if (!p) return 1;
  while (c()) if (count < 3) add();
  if (count >= 2) free(p);
  add();
  if (count == 2) free(p);
  if (count == 1) free(p);
  return 0;
}
";
    let check = |c: &str, more: &[&str]| {
        let file = TempFile::new("kept.i", c);
        let asked = ["check", file.path(), "--rule", "memory", "-q"];
        bop(&[&asked[..], more].concat())
    };
    // `count` is 1 to 4 in the end: the second `free` is for 2, which the first one was not.
    let out = check(c, &["--keep", "count:4"]).exits(0).out;
    assert!(out.contains("holds: memory_leak") && out.contains("holds: double_free"), "{out}");
    let out = check(c, &["--skeleton"]).exits(1).out;
    assert!(!out.contains("holds: double_free"), "{out}");
    // What happens twice happens twice.
    let out = check(&c.replace("count == 2", "count == 3"), &["--keep", "count:4"]).exits(1).out;
    assert!(out.contains("violated: double_free"), "{out}");
    let file = TempFile::new("kept.i", c.replace("count == 2", "count == 3"));
    let asked = ["check", file.path(), "--rule", "memory", "--keep", "count:4"];
    let report = bop(&[&asked[..], &["--format", "json"]].concat()).exits(1).out;
    let report = TempFile::new("report.json", report);
    bop(&["replay", file.path(), "--keep", "count:4", report.path()]).exits(0);
}

#[test]
fn bebop_lists_them() {
    for case in broken() {
        let out = case.check(&["--format", "bebop"]).exits(1).out;
        assert!(out.starts_with("Rule ") && out.contains(" violated ("), "{out}");
        assert!(out.contains(" by following path:") && out.contains("Line "), "{out}");
    }
    for case in kept() {
        let out = case.check(&["--format", "bebop"]).exits(0).out;
        assert!(out.starts_with("Rule ") && out.ends_with(" holds\n"), "{out}");
    }
}

#[test]
fn stats_are_those_of_the_rule() {
    for case in broken() {
        let report = case.json(&["--stats"], 1);
        let stats = &report["results"][0]["stats"];
        assert!(stats["places"].as_u64() > Some(0) && stats["nodes"].as_u64() > Some(5), "{stats}");
        let out = case.check(&["--stats"]).exits(1).out;
        assert!(out.contains("engine summary, ") && out.contains("places"), "{out}");
    }
}

/// A change of a field.
type Change = fn(&Value) -> Value;

/// What replaying a report gives after it was changed.
fn replayed(case: &Case, report: &Value) -> Ran {
    let file = TempFile::new("report.json", report.to_string());
    bop(&["replay", case.c.path(), file.path()])
}

#[test]
fn reports_are_executed_again() {
    for case in broken() {
        for engine in ["auto", "explicit", "pre"] {
            let report = case.json(&["--engine", engine], 1);
            let ran = replayed(&case, &report).exits(0);
            assert!(ran.out.starts_with("accepted: "), "{}", ran.out);
        }
        let report = case.json(&[], 1);
        let count = report["results"][0]["trace"]["steps"].as_array().expect("steps").len();
        let mut refused = 0;
        for i in 0..count {
            let fields: [(&str, Change); 5] = [
                ("line", |v| json!(v.as_u64().unwrap_or(0) + 1)),
                ("column", |v| json!(v.as_u64().unwrap_or(0) + 1)),
                ("text", |v| json!(format!("{};", v.as_str().unwrap_or("")))),
                ("proc", |v| json!(if v == "main" { "work" } else { "main" })),
                ("events", |v| if v.is_null() { json!(["call(lock)"]) } else { Value::Null }),
            ];
            for (field, change) in fields {
                let mut changed = report.clone();
                let step = &mut changed["results"][0]["trace"]["steps"][i];
                step[field] = change(&step[field]);
                let ran = replayed(&case, &changed).exits(1);
                assert!(ran.out.starts_with("refused: "), "{field} of step {i}: {}", ran.out);
                refused += 1;
            }
            // Each step counts.
            let mut changed = report.clone();
            let steps = changed["results"][0]["trace"]["steps"].as_array_mut().expect("steps");
            steps.remove(i);
            replayed(&case, &changed).exits(1);
        }
        assert!(refused >= 20, "{refused}");
        for (field, other) in [
            ("message", json!("it rains")),
            ("place", json!({"line": 1, "column": 1, "proc": "main"})),
            ("verdict", json!("holds")),
        ] {
            let mut changed = report.clone();
            changed["results"][0][field] = other;
            replayed(&case, &changed).exits(1);
        }
    }
    // Another object, and another origin.
    let [_, variable, value] = broken();
    let mut report = variable.json(&[], 1);
    report["results"][0]["property"]["bindings"]["v"] = json!("main::v");
    replayed(&variable, &report).exits(1);
    let mut report = value.json(&[], 1);
    report["results"][0]["origin"]["line"] = json!(1);
    replayed(&value, &report).exits(1);
    // The report of one program is none of another.
    let report = value.json(&[], 1);
    replayed(&kept()[2], &report).exits(1);
}

#[test]
fn conditions_and_statements_are_shown_as_they_are_written() {
    let [locks, _, freed] = broken();
    let out = freed.check(&[]).exits(1).out;
    assert!(out.contains("assumes `p` at line 5 and `argc>2` at line 7"), "{out}");
    assert!(out.contains("`argc<=3` at line 9"), "{out}");
    let report = locks.json(&[], 1);
    let steps = report["results"][0]["trace"]["steps"].as_array().expect("steps");
    assert!(steps.iter().any(|s| s["text"] == "x9 = (argc | depth)"), "{report}");
    let opposites = TempFile::new(
        "f.i",
        "void *malloc(unsigned long); void free(void *);
int f(int a, int b, int c) {
  char *p = malloc(1);
  if ((a | b) == 2) return 1;
  if (!(a == (b))) return 1;
  if (a && !b) return 1;
  if (((a)) > (b | c)) return 1;
  if (a < b ? c : a) return 1;
  switch (a + b) { case 3: return 1; default: break; }
  free(p); free(p);
  return 0;
}
",
    );
    let out = bop(&["check", opposites.path(), "--rule", "double_free"]).exits(1).out;
    for said in [
        "`(a | b) != 2` at line 4",
        "`a == (b)` at line 5",
        "`((a)) <= (b | c)` at line 7",
        "a case of `a + b` at line 9",
    ] {
        assert!(out.contains(said), "{said}: {out}");
    }
}

#[test]
fn one_list_of_results_in_order() {
    let [locks, ..] = broken();
    let args = ["check", locks.c.path(), "--rule", &locks.rule, "--reach", "work", "--sere"];
    let args = [&args[..], &["never {call(unlock); call(lock)}", "--format", "json"]].concat();
    let report = bop(&args).exits(1).json();
    let kinds: Vec<&Value> = (report["results"].as_array().expect("a list").iter())
        .map(|r| &r["property"]["kind"])
        .collect();
    assert_eq!(kinds, ["reach", "sere", "rule"]);
    let file = TempFile::new("report.json", report.to_string());
    let ran = bop(&["replay", locks.c.path(), file.path()]).exits(0);
    assert_eq!(ran.out.matches("accepted: ").count(), 2, "{}", ran.out);
}

#[test]
fn the_task_of_a_rule_is_dumped() {
    let [locks, ..] = broken();
    let args = ["dump", locks.c.path(), "--stage", "task", "--rule", &locks.rule];
    let out = bop(&args).exits(0).out;
    assert!(out.contains("twice: reach") && out.contains("product for twice"), "{out}");
}
