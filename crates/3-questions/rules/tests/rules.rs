//! Rules on small C programs, with their answers.

use front_c::{Options, lower, parse, skeleton};
use rules::{About, instances, product};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::explore::explore;

/// The objects that violate a rule.
fn violations(rule: &str, opaque: &[&str], c: &str) -> Vec<String> {
    let rules = rules::parse(rule).unwrap_or_else(|e| panic!("{e}"));
    let unit = parse(&format!("# 1 \"f.c\"\n{c}"));
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let s = skeleton(&[unit]);
    let opaque = opaque.iter().map(|o| (*o).to_owned()).collect();
    let lowered = lower(&s, &Options { opaque, ..Options::default() }).expect("a program");
    let program = Arc::new(lowered.program);
    // Of any type: these programs declare none.
    let mut any = rules[0].clone();
    any.variable = None;
    let instances = instances(&s, &any, &program);
    let product = product(&program, &rules[0], &instances, &|_| false).expect("a product");
    product.program.validate().expect("a valid program");
    let About::Variables(about) = &product.about else { panic!("a rule over variables") };
    let states = explore(&product.program, 4, &|_, _| 0);
    let mut found = BTreeSet::new();
    for state in &states {
        let Some(top) = state.stack.last() else { continue };
        if !product.places.contains(&top.node) {
            continue;
        }
        for (k, condition) in product.conditions.iter().enumerate() {
            if state.satisfies(&product.program, *condition) {
                found.insert(about.instances[k].object.clone());
            }
        }
    }
    found.into_iter().collect()
}

const DANGLING: &str = "rule gc_dangling(v: var bdd_ptr) {
    never { true[*]; assign(v) && !call(save_bdd, v); !(assign(v) || call(save_bdd, v))[*];
            call(mygarbage); !assign(v)[*]; use(v) }
    message \"`$v` is used after a collection that may have freed it\" }";
const GC: [&str; 3] = ["save_bdd", "mygarbage", "release_bdd"];

#[test]
fn dangling_references() {
    // [c2edl §6.1]
    let check = |c: &str, found: &[&str]| {
        assert_eq!(violations(DANGLING, &GC, c), found, "{c}");
    };
    check("int g(int); void f(int v) { v = g(1); mygarbage(); g(v); }", &["f::v"]);
    check("int g(int); void f(int v) { v = save_bdd(g(1)); mygarbage(); g(v); }", &[]);
    check("int g(int); void f(int v) { v = g(1); save_bdd(v); mygarbage(); g(v); }", &[]);
    check(
        "int g(int); void f(int v, int w) { v = g(1); w = g(2); mygarbage(); w = g(3); g(w); g(v); }",
        &["f::v"],
    );
    check("int v; void g(void) { mygarbage(); } void f(void) { v = 1; g(); h(v); }", &["v"]);
    // A collection in a callee is seen by the caller's local.
    check("static void g(void) { mygarbage(); } void f(int v) { v = h(); g(); h(v); }", &["f::v"]);
    // Another activation's variable is another variable.
    check(
        "void f(int v) { if (v) { f(1); mygarbage(); } else { v = h(); } if (x()) return; }",
        &[],
    );
    check("void f(int v) { v = h(); if (x()) f(1); mygarbage(); h(v); }", &["f::v"]);
}

#[test]
fn leaks_at_return() {
    let rule = "rule leak(p: var) { never { result(malloc, p); !(call(free, p) || return(p) || test(p == 0))[*]; return && !return(p) } message \"\" }";
    let check = |c: &str, found: &[&str]| assert_eq!(violations(rule, &[], c), found, "{c}");
    check("void f(void) { char *p = malloc(1); if (p == 0) return; free(p); }", &[]);
    check("void f(int n) { char *p = malloc(1); if (n) return; free(p); }", &["f::p"]);
    check("char *f(void) { char *p = malloc(1); return p; }", &[]);
    check("static void g(void) {} void f(void) { char *p = malloc(1); g(); free(p); }", &[]);
    check("static void g(void) {} void f(void) { char *p = malloc(1); g(); }", &["f::p"]);
}

#[test]
fn ready_made_rules_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../rules");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the rules") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        let rules = rules::parse(&text).unwrap_or_else(|e| panic!("{}:{e}", path.display()));
        for rule in rules {
            let v = rule.variable.as_ref().expect("an object");
            assert!(rule.message.contains(&format!("${}", v.name)), "{}", rule.name);
            names.push(rule.name);
        }
    }
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!((names.len(), count), (count, 24), "names are unique: {names:?}");
}

#[test]
fn what_is_wrong_with_a_rule_is_told() {
    let check = |text: &str, wanted: &str| {
        let error = rules::parse(text).expect_err(text);
        assert_eq!(error.to_string(), wanted, "{text}");
    };
    check("rule r(p: thing) { }", "1:11: expected `var` or `value`");
    check(
        "rule r(p: value) { never { gone(p) } message \"\" }",
        "1:28: no event `gone(p)` of values",
    );
    check(
        "rule r(p: value) { never { arg(f, 0, p) } message \"\" }",
        "1:28: expected the number of an argument, from 1",
    );
    check(
        "rule r(p: value) { never { arg(f, 1, q) } message \"\" }",
        "1:28: expected `p` or a part of it",
    );
    check(
        "rule r(p: value) {\n  event a = use(p) || gone(p)\n  never { a } message \"\" }",
        "2:23: no event `gone(p)` of values",
    );
    check(
        "rule r(p: value, q: value) { never { use(p) } message \"\" }",
        "1:16: a rule is about one object: write one rule for each",
    );
    check(
        "rule r(p: value) {\n assume q != 0 never { use(p) } message \"\" }",
        "2:9: expected the value that the rule is about",
    );
    check(
        "rule r { scope function never { call(f) } message \"\" }",
        "1:1: only rules about values have `scope function`",
    );
    check(
        "rule r(p: value) { automaton { a -> b on use(p); } message \"\" }",
        "1:51: expected arrows, one of them to `error`",
    );
    check(
        "rule r(p: value) { automaton { error -> b on use(p); } message \"\" }",
        "1:32: there is no way out of `error`",
    );
    check(
        "rule r(p: value) { automaton { a -> error on use(p) when n == 0; } message \"\" }",
        "1:58: no counter of that name stands above",
    );
    check(
        "rule r(p: value) { automaton { a -> error on use(p); deref(p); } message \"\" }",
        "1:59: expected `->`",
    );
}

#[test]
fn automata_that_are_written_out_count() {
    let rules = rules::parse(
        "rule r(p: value) { automaton {
           count n 2 up on arg(up, 1, p) down on arg(down, 1, p);
           start -> on on result(make, p) set 1;
           on -> error on arg(down, 1, p) when n == 0;
         } message \"\" }",
    )
    .expect("a rule");
    let nfa = &rules[0].nfa;
    let atom = |name: &str| nfa.atoms.iter().position(|a| a == name).expect("an atom") as u32;
    let (up, down) = (atom("arg(up, 1, p)"), atom("arg(down, 1, p)"));
    let make = atom("result(make, p)");
    let word = |letters: &[u32]| letters.iter().map(|l| vec![*l]).collect::<Vec<_>>();
    let check = |letters: &[u32], wanted: bool| {
        assert_eq!(nfa.accepts(&word(letters)), wanted, "{letters:?}");
    };
    check(&[make, down, down], true);
    check(&[make, down], false);
    check(&[make, up, down, down, down], false); // 2 is two or more, and stays
    check(&[down, down, down], false);
    check(&[up, make, down, down], true); // nothing is counted before
    check(&[make, down, up, down, down], true);
}

/// A function with so many copies of a pointer that paths are cut, which ends with these statements.
fn wide(end: &str) -> front_c::Skeleton {
    let mut c = String::from(
        "typedef struct { int state; } pthread_mutex_t;
         int pthread_mutex_lock(pthread_mutex_t *m);
         void free(void *p);
         struct s { int n; struct { int n; pthread_mutex_t m; char *text; } in; };
         void f(struct s *p0, char *q) {\n",
    );
    for i in 1..1_100 {
        c += &format!("struct s *p{i} = p{};\n", i - 1);
    }
    c += end;
    skeleton(&[parse(&format!("# 1 \"f.c\"\n{c} }}\n"))])
}

/// What is known of a product over values.
fn of_values(product: Result<rules::Product, rules::ValueError>) -> rules::Values {
    match product.expect("a product").about {
        About::Values(values) => values,
        About::Variables(_) => panic!("a rule about values"),
    }
}

const LOCK_AND_FREE: &str = "
    rule twice(l: value) {
      never { arg(pthread_mutex_lock, 1, l); true[*]; arg(pthread_mutex_lock, 1, l) }
      message \"\"
    }
    rule freed(p: value) {
      never { arg(free, 1, p); true[*]; arg(free, 1, p) }
      message \"\"
    }";

#[test]
fn paths_are_not_cut_shorter_than_all_that_a_rule_names() {
    let rules = rules::parse(LOCK_AND_FREE).unwrap_or_else(|e| panic!("{e}"));
    let s = wide("pthread_mutex_lock(&p1099->in.m); pthread_mutex_lock(&p1099->in.m);");
    let product = of_values(rules::value_product(&s, &rules[0], None, &|| false));
    assert_eq!((product.longest, product.violations.len()), (4, 2), "{:?}", product.limits);
    let shorter = of_values(rules::value_product_within(&s, &rules[0], None, 1, &|| false));
    assert_eq!((shorter.longest, shorter.violations.len()), (4, 2), "{:?}", shorter.limits);
}

#[test]
fn values_that_are_left_out_are_counted() {
    let rules = rules::parse(LOCK_AND_FREE).unwrap_or_else(|e| panic!("{e}"));
    let s = wide("free(q); free(p1099->in.text);");
    let product = of_values(rules::value_product(&s, &rules[1], None, &|| false));
    assert_eq!(product.longest, 2);
    let left_out = "the program is large: 1 of 2 values that rule `freed` names have longer paths than \
                    are followed, and are left out";
    assert!(product.limits.iter().any(|l| l == left_out), "{:?}", product.limits);
    // A small program keeps all.
    let s = skeleton(&[parse("# 1 \"f.c\"\nvoid free(void *p); void f(char *q) { free(q); }\n")]);
    let product = of_values(rules::value_product(&s, &rules[1], None, &|| false));
    assert_eq!((product.longest, product.limits), (rules::MAX_LENGTH, Vec::new()));
    let product = of_values(rules::value_product_within(&s, &rules[1], None, 2, &|| false));
    assert_eq!(product.longest, 2);
}

#[test]
fn values_that_arithmetic_makes_are_told() {
    let rules = rules::parse(LOCK_AND_FREE).unwrap_or_else(|e| panic!("{e}"));
    let limits = |body: &str| {
        let c = format!("# 1 \"f.c\"\nvoid free(void *p); void f(long *p, int n) {{ {body} }}\n");
        let s = skeleton(&[parse(&c)]);
        of_values(rules::value_product(&s, &rules[1], None, &|| false)).limits
    };
    let told =
        "what arithmetic makes of a pointer is another value; rule `freed` may be about `p` in `f`";
    assert_eq!(limits("p--; free(p);"), [told]);
    assert_eq!(limits("long *q = p - 1; free(q);"), [told.replace("`p`", "`q`")]);
    assert_eq!(limits("n++; free(p); p = 0;"), [""; 0]);
}

#[test]
fn a_product_with_less_detail_remembers_less_and_says_so() {
    let rules = rules::parse(LOCK_AND_FREE).unwrap_or_else(|e| panic!("{e}"));
    let c = "# 1 \"f.c\"\nvoid free(void *p); struct s { int n, m; char *b; };\n\
             void f(struct s *s, int k) { if (s->n > s->m) free(s->b); if (k > 3) free(s->b); \
             if (s->n > s->m) free(s->b); if (k > 3) free(s->b); }\n";
    let s = skeleton(&[parse(c)]);
    let mut detail = Some(rules::Detail::default());
    let mut sizes = Vec::new();
    while let Some(now) = detail {
        let product = rules::value_product_within(&s, &rules[1], None, now, &|| false);
        let product = product.unwrap_or_else(|e| panic!("{e}"));
        sizes.push(product.program.vars.len());
        let told = of_values(Ok(product)).limits.iter().any(|l| l.contains("is not remembered"));
        assert_eq!(told, now.remembers != rules::Remembers::Everything);
        detail = now.less();
    }
    assert!(sizes.len() > 3 && sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    assert!(sizes[1] < sizes[0] && sizes[sizes.len() - 1] < sizes[1], "{sizes:?}");
}
