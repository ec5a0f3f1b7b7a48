//! Several rules at once: the answers are those of each rule alone, in order, and what ends a run ends
//! all of them.

use crate::asking;
use crate::asking::{Answers, findings};
use postbop::{
    CProgram, CText, Finding, Limits, Options, Rule, Search, StopReason, Watch, built_in_rules,
    parse_rules,
};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const HEAD: &str = "typedef struct f FILE; typedef struct m pthread_mutex_t;
FILE *fopen(const char *, const char *); int fclose(FILE *); int fgetc(FILE *);
void *malloc(unsigned long); void free(void *); int c(void);
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
pthread_mutex_t *m;
";

/// Several files whose functions call those of the next; each has its mistakes.
fn texts(files: usize, functions: usize) -> Vec<CText> {
    let text = |file: usize| {
        let mut out = HEAD.to_owned();
        for f in 0..functions {
            let next = format!("f{}_{f}", file + 1);
            let _ = writeln!(out, "char *{next}(char *p, FILE *g);");
            let _ = writeln!(out, "char *f{file}_{f}(char *p, FILE *g) {{");
            let _ = writeln!(out, "  char *q = malloc({f}); FILE *h = fopen(\"a\", \"r\");");
            let _ = writeln!(out, "  if (!q) return 0;");
            let _ = writeln!(out, "  if (c()) pthread_mutex_lock(m);");
            let _ = writeln!(out, "  if (h) {{ fgetc(h); if (c()) fclose(h); }}");
            let _ = writeln!(out, "  if (g && c()) {{ fclose(g); }}");
            let _ = writeln!(out, "  if (c()) free(p);");
            let _ = writeln!(out, "  if (c()) {{ *q = 1; q = {next}(q, h); }}");
            let _ = writeln!(out, "  if (c()) pthread_mutex_unlock(m);");
            let _ = writeln!(out, "  return q;\n}}");
        }
        CText { name: format!("file{file}.c"), text: out, directory: None }
    };
    (0..files).map(text).collect()
}

fn rules() -> Vec<Rule> {
    let ready = built_in_rules();
    let named = ["memory", "file", "lock"].into_iter().flat_map(|name| {
        let ready = ready.iter().find(|r| r.name == name).expect("it is ready-made");
        parse_rules(ready.text).expect("a ready-made rule is right")
    });
    named.collect()
}

fn asked(c: &Arc<CProgram>, rules: &[Rule], limits: Limits, watch: &Watch) -> Answers {
    findings(c, rules, &[], &Options::from(Search { limits, ..Search::default() }), watch)
}

/// A finding, with the places, depths and events of its steps, and counters.
type Said = (String, Finding, Vec<(String, u32, u32, u32, Vec<String>)>, Vec<(String, u64)>);

/// What is found, with what it rests on.
fn said(answers: &Answers) -> Vec<Said> {
    let one = |f: &asking::Found| {
        (f.rule.clone(), Finding::clone(f), f.steps(), f.outcome.counters.clone())
    };
    answers.findings.iter().map(one).collect()
}

#[test]
fn rules_at_once_say_what_each_says_alone() {
    let c = Arc::new(CProgram::new(texts(3, 2)).expect("they are parsed"));
    let (rules, limits, watch) = (rules(), Limits::default(), Watch::default());
    let together = asked(&c, &rules, limits, &watch);
    assert!(together.unknown.is_empty(), "{:?}", together.unknown);
    let broken: std::collections::BTreeSet<&str> =
        together.findings.iter().map(|f| f.rule.as_str()).collect();
    assert!(broken.len() >= 5, "{broken:?}");
    let (mut alone, mut assumptions) = (Vec::new(), Vec::new());
    for rule in &rules {
        let found = asked(&c, std::slice::from_ref(rule), limits, &watch);
        alone.extend(said(&found));
        for assumption in found.report.assumptions {
            if !assumptions.contains(&assumption) {
                assumptions.push(assumption);
            }
        }
    }
    assert_eq!((said(&together), &together.report.assumptions), (alone, &assumptions));
    // With a limit on steps they take turns: that changes nothing either.
    let steps = Limits { steps: Some(u64::MAX), ..limits };
    assert_eq!(said(&asked(&c, &rules, steps, &watch)), said(&together));
}

#[test]
fn units_at_once_are_in_order() {
    let both = [texts(7, 1), texts(7, 1)].map(|t| CProgram::new(t).expect("they are parsed"));
    assert_eq!(both[0].files(), both[1].files());
    let names: Vec<String> = (0..7).map(|i| format!("file{i}.c")).collect();
    let named: Vec<&String> = both[0].files().iter().filter(|f| !f.is_empty()).collect();
    assert_eq!(named, names.iter().collect::<Vec<_>>());
}

/// All rules have their reason to have no answer, and it came soon after `limit`.
fn ended(found: &Answers, start: Instant, limit: Duration, reason: fn(&StopReason) -> bool) {
    let late = start.elapsed().saturating_sub(limit);
    assert!(late < Duration::from_millis(1500), "{late:?} too late");
    assert!(!found.unknown.is_empty(), "the program is too small for this test");
    assert!(found.unknown.iter().all(|(_, r)| reason(r)), "{:?}", found.unknown);
}

#[test]
fn what_ends_a_run_ends_all_rules() {
    let c = Arc::new(CProgram::new(texts(40, 12)).expect("they are parsed"));
    let (rules, watch) = (rules(), Watch::default());
    for time in [Duration::ZERO, Duration::from_millis(60)] {
        let start = Instant::now();
        let limits = Limits { time: Some(time), ..Limits::default() };
        let found = asked(&c, &rules, limits, &watch);
        ended(&found, start, time, |r| matches!(r, StopReason::Time { .. }));
        if time.is_zero() {
            assert_eq!(found.unknown.len(), rules.len());
        }
    }
    static NEVER_ENOUGH: fn() -> u64 = || u64::MAX / 2;
    let full = Watch { memory_probe: Some(NEVER_ENOUGH), ..Watch::default() };
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    let found = asked(&c, &rules, limits, &full);
    ended(&found, Instant::now(), Duration::ZERO, |r| matches!(r, StopReason::Memory { .. }));
    assert_eq!(found.unknown.len(), rules.len());
    let (start, after) = (Instant::now(), Duration::from_millis(60));
    let found = std::thread::scope(|scope| {
        let cancel: &AtomicBool = &watch.cancel;
        scope.spawn(move || {
            std::thread::sleep(after);
            cancel.store(true, Ordering::Relaxed);
        });
        asked(&c, &rules, Limits::default(), &watch)
    });
    ended(&found, start, after, |r| matches!(r, StopReason::Cancelled));
}
