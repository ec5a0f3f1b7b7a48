//! The place of a finding is the step that violates the rule, whatever the rule is about and whichever
//! engine answers.

use crate::asking::{Found, findings};
use postbop::{CProgram, CText, EngineChoice, Options, Search, Watch};
use std::sync::Arc;

const ENGINES: [EngineChoice; 8] = [
    EngineChoice::Auto,
    EngineChoice::Explicit,
    EngineChoice::Summary,
    EngineChoice::Post,
    EngineChoice::Pre,
    EngineChoice::Qbf,
    EngineChoice::Universal,
    EngineChoice::Compare,
];

/// The lines at which a rule is violated, and those where that is allowed.
fn lines(rule: &str, c: &str, engine: EngineChoice) -> (Vec<u32>, Vec<u32>) {
    let rules = rules::parse(rule).unwrap_or_else(|e| panic!("{e}"));
    let text = format!("# 1 \"f.c\"\n{c}");
    let unit = CText { name: "f.c".to_owned(), text, directory: None };
    let program = Arc::new(CProgram::new(vec![unit]).expect("a program"));
    let options = Options::from(Search { engine, ..Search::default() });
    let found = findings(&program, &rules, &[("f.c", c)], &options, &Watch::default());
    assert!(found.unknown.is_empty(), "{engine:?}: {:?}\n{c}", found.unknown);
    for finding in &found.findings {
        let steps = finding.steps();
        let last = steps.last().expect("a step");
        assert_eq!((last.1, last.2), (finding.line, finding.column), "{engine:?}\n{c}");
    }
    let lines = |list: &[Found]| {
        let mut lines: Vec<u32> = list.iter().map(|f| f.line).collect();
        lines.sort_unstable();
        lines
    };
    (lines(&found.findings), lines(&found.suppressed))
}

fn check(rule: &str, c: &str, wanted: &[u32]) {
    for engine in ENGINES {
        assert_eq!(lines(rule, c, engine).0, wanted, "{engine:?} {rule}\n{c}");
    }
}

/// `f` is left by the violation, and `good` is called once more: that is no step that violates.
const TWICE: &str = "void good(void); void bad(void); void g(void);
static void f(void) {
  good();
  g(); g(); g(); g(); g(); g(); g(); g();
  bad();
}
int main(void) { f(); f(); }
";
const THREE: &str =
    "rule r { never { call(g); call(g); call(g); call(bad) || call(good) } message \"\" }";

#[test]
fn a_later_step_is_not_blamed() {
    check(THREE, TWICE, &[5]);
    // Over variables: one that is in the rule but in no event, and one with events of its own.
    check(
        "rule r(v: var int) { never { assign(v); call(g); call(g); call(bad) || call(good) } \
         message \"`$v`\" }",
        "void good(void); void bad(void); void g(void); static int x; static short y;
static void f(void) {
  good();
  x = 1;
  g(); g();
  bad();
}
int main(void) { f(); f(); }
",
        &[6],
    );
    // Over values, which was right before.
    check(
        "rule r(p: value) { event get = result(get, p)
          never { get; call(g); call(g); call(bad) || call(good) } message \"\" }",
        "void good(void); void bad(void); void g(void); char *get(void);
static void f(void) {
  good();
  char *p = get();
  g(); g();
  bad();
}
int main(void) { f(); f(); }
",
        &[6],
    );
}

#[test]
fn an_allowance_is_for_the_step_that_violates() {
    for engine in ENGINES {
        let there = TWICE.replace("  bad();", "  bad(); // bop: allow r known");
        assert_eq!(lines(THREE, &there, engine), (vec![], vec![5]), "{engine:?}");
        let elsewhere = TWICE.replace("  good();", "  good(); // bop: allow r known");
        assert_eq!(lines(THREE, &elsewhere, engine), (vec![5], vec![]), "{engine:?}");
    }
}

#[test]
fn what_comes_after_an_allowed_step_is_seen() {
    let rule = "rule r { never { call(a); !call(b) } message \"\" }";
    let c = "void a(void); void b(void); void d(void);
int main(void) {
  a();
  d(); // bop: allow r known
  a();
  b();
  a();
  d();
}
";
    for engine in ENGINES {
        assert_eq!(lines(rule, c, engine), (vec![8], vec![4]), "{engine:?}");
    }
    // Without the remark, a run ends with its first violation.
    check(rule, &c.replace(" // bop: allow r known", ""), &[4]);
}

#[test]
fn several_places_are_several_findings() {
    let rule = "rule r { never { call(a); !call(a)[*]; call(b) } message \"\" }";
    check(
        rule,
        "void a(void); void b(void); int c(void);
static void f(void) { b(); }
int main(void) {
  if (c()) { a();
    b(); }
  else if (c()) { a();
    f(); }
  else { a();
    b(); }
  return 0;
}
",
        &[2, 5, 9],
    );
    // Different variables at different places, and two at one.
    check(
        "rule r(v: var int) { never { assign(v); !use(v)[*]; assign(v) } message \"`$v`\" }",
        "int c(void);
int main(void) {
  int x, y, z;
  x = c();
  y = c();
  x = c();
  y = c();
  z = x + y;
  return z;
}
",
        &[6, 7],
    );
}

#[test]
fn any_kind_of_step_can_violate() {
    let c = "void a(void); void b(void); void exit(int); int c(void);
static int h(void) {
  return 1;
}
static void left(void) {
  a();
  return;
}
int main(void) {
  int x = c();
  a();
  if (x)
    b();
  a();
  h();
  b(); a();
  if (c())
    exit(1);
  b(); left();
  return 0;
}
";
    let rule = |r: &str| format!("rule r {{ never {{ {r} }} message \"\" }}");
    // A condition, which has no event that the rule names; a call that is entered; one that is not.
    check(&rule("call(a); !call(b) && !call(h) && !call(c)"), c, &[12]);
    check(&rule("call(a); test(main::x != 0)"), c, &[12]);
    check(&rule("call(a); call(h)"), c, &[15]);
    // A function that the rule names is an event, and not entered.
    check(&rule("call(h); return"), c, &[]);
    check(&rule("call(a); return"), c, &[7]);
    check(&rule("call(a); call(b)"), c, &[]);
    // The end of the program, by a call and by a return.
    check(&rule("call(a); !call(b)[*]; exit"), c, &[18, 20]);
    check(&rule("call(h); !call(b)[*]; exit"), c, &[]);
    // The return of the function whose variable it is.
    check(
        "rule r(v: var) { never { assign(v); !use(v)[*]; return } message \"`$v`\" }",
        "int c(void);
static void f(void) {
  int x = c();
  if (c())
    return;
  x++;
  int y = x; c();
  if (y) c();
}
int main(void) { f(); return 0; }
",
        &[5],
    );
}
