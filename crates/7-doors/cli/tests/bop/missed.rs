//! Bugs that must not be missed, next to programs that look like them and have none: arrays with constant indices, other
//! names of a variable, globals that hand something on, lists; and what the language of rules can say.

use crate::{TempFile, bop};

const LIBRARY: &str = "typedef unsigned long size_t; typedef struct file FILE;
void *malloc(size_t); void *calloc(size_t, size_t); void free(void *); void exit(int);
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); int fclose(FILE *);
FILE *open_memstream(char **, size_t *); int cond(void); void show(const char *);
";

/// The lines with findings of the memory rules on the skeleton of a program, by rule.
fn lines(program: &str) -> Vec<(String, usize)> {
    let before = LIBRARY.lines().count();
    let c = TempFile::new("f.i", format!("{LIBRARY}{program}"));
    let ran = bop(&["check", c.path(), "--rule", "memory", "--skeleton", "--format", "json"]);
    let report = ran.json();
    let mut out = Vec::new();
    for result in report["results"].as_array().expect("results") {
        if result["verdict"] != "violated" {
            continue;
        }
        let rule = result["property"]["rule"].as_str().expect("a rule").to_owned();
        let also = result["also"].as_array().cloned().unwrap_or_default();
        for one in [result].into_iter().chain(&also) {
            let line = one["place"]["line"].as_u64().expect("a line") as usize;
            out.push((rule.clone(), line - before));
        }
    }
    out.sort();
    out
}

/// Each function of the program is a line of its own, `rule: function` or, without a bug, `function`.
#[track_caller]
fn check(common: &str, functions: &[(&str, &str)]) {
    let mut wanted: Vec<(String, usize)> = Vec::new();
    let first = common.lines().count() + 1;
    let mut program = common.to_owned();
    for (i, (rule, function)) in functions.iter().enumerate() {
        assert!(!function.contains('\n'));
        program.push_str(function);
        program.push('\n');
        if !rule.is_empty() {
            wanted.push(((*rule).to_owned(), first + i));
        }
    }
    wanted.sort();
    let mut found = lines(&program);
    found.dedup();
    assert_eq!(found, wanted, "{program}");
}

#[test]
fn cells_with_constant_indices() {
    let common = "struct s { char *n[2]; };
static void both(char **p) { free(p[0]); free(p[1]); }
static void second(char **p) { free(p[1]); }
static void third(char *p[]) { free(p[2]); }
static void many(char **p, int n) { while (n--) free(p[n]); }
static int fill(struct s *s) { s->n[0] = malloc(1); s->n[1] = malloc(1); return 0; }
";
    check(
        common,
        &[
            (
                "memory_leak",
                "void f1(void) { char *a[2]; a[0] = malloc(1); a[1] = malloc(2); free(a[0]); }",
            ),
            (
                "",
                "void g1(void) { char *a[2]; a[0] = malloc(1); a[1] = malloc(2); free(a[0]); free(a[1]); }",
            ),
            ("", "void g2(void) { char *a[2]; a[0] = malloc(1); a[1] = malloc(2); both(a); }"),
            ("", "void g3(void) { char *a[2]; a[0] = malloc(1); a[1] = malloc(2); many(a, 2); }"),
            (
                "",
                "void g4(void) { char *a[3]; for (int i = 0; i < 3; i++) a[i] = malloc(1); many(a, 3); }",
            ),
            (
                "",
                "void g5(void) { char *a[2], **p; a[0] = malloc(1); a[1] = malloc(1); for (p = a; p < a + 2; p++) free(*p); }",
            ),
            (
                "",
                "void g6(void) { char *a[2]; a[0] = malloc(1); a[1] = malloc(1); char **q = &a[1]; free(*q); free(a[0]); }",
            ),
            (
                "",
                "void g7(void) { char *a[3]; a[1] = malloc(1); a[2] = malloc(1); char **q = &a[1]; free(q[0]); free(q[1]); }",
            ),
            ("", "void g8(void) { struct s s; fill(&s); free(s.n[0]); free(s.n[1]); }"),
            (
                "",
                "void g9(void) { struct s v[2]; v[0].n[0] = malloc(1); v[1].n[0] = malloc(1); free(v[0].n[0]); free(v[1].n[0]); }",
            ),
            (
                "",
                "void g10(void) { char **v = malloc(16); if (!v) return; v[0] = malloc(1); v[1] = malloc(1); free(v[0]); free(v[1]); free(v); }",
            ),
            ("", "void g11(int i) { char *a[2]; a[1] = malloc(1); a[i] = 0; free(a[1]); }"),
            (
                "double_free",
                "void f2(void) { char *a[2]; a[0] = malloc(1); free(a[0]); free(*a); }",
            ),
            (
                "memory_leak",
                "void f3(void) { char *a[2]; a[0] = malloc(1); a[1] = malloc(2); second(a); }",
            ),
            (
                "double_free",
                "void f4(void) { char *a[2]; a[1] = malloc(2); second(a); free(a[1]); }",
            ),
            (
                "memory_leak",
                "void f5(void) { char **v = malloc(16); if (!v) return; v[0] = malloc(1); v[1] = malloc(1); free(v[0]); free(v); }",
            ),
            (
                "double_free",
                "void f6(void) { struct s s; s.n[1] = malloc(1); free(s.n[1]); free(s.n[1]); }",
            ),
            (
                "use_after_free",
                "void f7(void) { struct s v[2]; v[1].n[0] = malloc(1); free(v[1].n[0]); v[1].n[0][0] = 1; }",
            ),
            (
                "memory_leak",
                "void f8(void) { char *a[2]; a[1] = malloc(2); a[1] = malloc(2); free(a[1]); }",
            ),
            ("", "void g12(void) { char *a[5]; a[2] = malloc(1); third(a); }"),
        ],
    );
    // Told where the array is a parameter; and by their names.
    let c = TempFile::new(
        "f.i",
        format!(
            "{LIBRARY}static void third(char *p[]) {{ char *d = p[2]; free(d); }}
void f(void) {{ char *d = malloc(3), *a[5]; free(d); a[2] = d; third(a); }}
void g(void) {{ char *a[2]; a[1] = malloc(3); }}\n"
        ),
    );
    let ran = bop(&["check", c.path(), "--rule", "memory", "--skeleton", "-q"]).exits(1);
    assert!(ran.out.contains("double_free: `d` is freed twice"), "{}", ran.out);
    assert!(ran.out.contains("`a[1]` is allocated and not freed"), "{}", ran.out);
}

#[test]
fn what_a_parameter_points_to_gets_something_else() {
    let common = "struct b { char *d; unsigned n; }; void *realloc(void *, size_t);
static void grow(struct b *b) { b->d = realloc(b->d, 2 * b->n); }
static void grow_well(struct b *b) { char *d = realloc(b->d, 2 * b->n); if (d) b->d = d; }
static void clear(struct b *b) { b->d = 0; }
static void empty(struct b *b) { free(b->d); b->d = 0; }
static char *take(struct b *b) { char *d = b->d; b->d = 0; return d; }
";
    check(
        common,
        &[
            ("", "void g1(void) { struct b x = {malloc(2), 2}; grow_well(&x); free(x.d); }"),
            ("memory_leak", "void f3(void) { struct b x = {malloc(2), 2}; take(&x); }"),
            ("", "void g2(void) { struct b x = {malloc(2), 2}; empty(&x); }"),
            ("", "void g3(void) { struct b x = {malloc(2), 2}; free(take(&x)); }"),
            (
                "",
                "void g4(void) { struct b x = {malloc(2), 2}; char *y = x.d; clear(&x); free(y); }",
            ),
            (
                "",
                "void g5(struct b *other) { struct b x = {malloc(2), 2}; other->d = x.d; clear(&x); }",
            ),
        ],
    );
    let found = |program: &str| lines(&format!("{common}{program}"));
    // They are lost where the place gets something else.
    let lost = |line: usize| vec![("memory_leak".to_owned(), line)];
    assert_eq!(
        found("void f1(void) { struct b x = {malloc(2), 2}; grow(&x); free(x.d); }"),
        lost(2)
    );
    assert_eq!(found("void f2(void) { struct b x = {malloc(2), 2}; clear(&x); }"), lost(4));
    let heap = "struct b *x = malloc(sizeof *x); if (!x) return; x->d = malloc(2)";
    assert_eq!(
        found(&format!("void f4(void) {{ {heap}; grow(x); free(x->d); free(x); }}")),
        lost(2)
    );
}

#[test]
fn initialisers_in_braces_assign() {
    let common = "struct b { char *d; int n; };
struct o { int k; struct b in; union { char *u; int v; }; char *t[2]; };
static void give(struct b b) { free(b.d); }
static void drop(const struct b *b) { free(b->d); }
";
    check(
        common,
        &[
            (
                "memory_leak",
                "void f1(void) { struct b x = {malloc(2), 2}; if (x.n) return; free(x.d); }",
            ),
            ("", "void g1(void) { struct b x = {malloc(2), 2}; free(x.d); }"),
            (
                "memory_leak",
                "void f2(void) { struct b x = {.n = 2, .d = malloc(2)}; if (x.n) return; free(x.d); }",
            ),
            (
                "memory_leak",
                "void f3(void) { char *x[2] = {malloc(2)}; if (cond()) return; free(x[0]); }",
            ),
            (
                "memory_leak",
                "void f4(void) { struct b x; x = (struct b){malloc(2), 2}; if (x.n) return; free(x.d); }",
            ),
            ("double_free", "void f5(char *p) { struct b x = {p}; free(x.d); free(p); }"),
            ("", "void g5(char *p, char *q) { struct b x = {p}; free(x.d); free(q); }"),
            (
                "double_free",
                "void f6(char *p) { struct o x = {1, p, 2, 0, {0}}; free(x.in.d); free(p); }",
            ),
            ("double_free", "void f7(char *p) { struct o x = {1, 0, 2, p}; free(x.u); free(p); }"),
            (
                "double_free",
                "void f8(char *p) { struct o x = {1, {0, 2}, {p}}; free(x.u); free(p); }",
            ),
            (
                "double_free",
                "void f9(char *p) { struct o x = {.t[1] = p}; free(x.t[1]); free(p); }",
            ),
            ("", "void g9(char *p) { struct o x = {.t[1] = p}; free(x.t[0]); free(p); }"),
            (
                "double_free",
                "void f10(char *p) { struct o x = {.in.n = 1, p}; free(x.u); free(p); }",
            ),
            ("", "void g10(char *p) { struct o x = {.in.n = 1, p}; free(x.in.d); free(p); }"),
            ("double_free", "void f11(char *p) { drop(&(struct b){p, 1}); free(p); }"),
            ("", "void g11(void) { give((struct b){malloc(2), 1}); }"),
            (
                "memory_leak",
                "void f12(void) { struct b x[2] = {{malloc(2)}, {0, 1}}; if (cond()) return; free(x[0].d); }",
            ),
        ],
    );
}

#[test]
fn another_name_of_a_variable_goes_with_it() {
    check(
        "static void keep(char **p);\n",
        &[
            (
                "memory_leak",
                "void f1(void) { char *d, **p = &d, **q = &d; { char *d = malloc(1); *p = d; } { char *d = *q; } }",
            ),
            ("memory_leak", "void f2(void) { char *d, **p = &d; *p = malloc(1); }"),
            (
                "",
                "void g1(void) { char *d, **p = &d, **q = &d; { char *d = malloc(1); *p = d; } { char *d = *q; free(d); } }",
            ),
            ("", "void g2(void) { char *d, **p = &d; *p = malloc(1); free(d); }"),
            (
                "",
                "void g3(char **o) { char *d, **p = cond() ? o : &d; d = malloc(1); *o = d; *p = d; }",
            ),
        ],
    );
}

#[test]
fn globals_that_hand_something_on_hold_nothing_afterwards() {
    check(
        "static char *a, *b, *c, *d, *e; char *x;
static void read_a(void) { char *p = a; if (p) show(p); }
static void read_b(void) { char *p = b; free(p); }
static void read_e(void) { show(e); }
extern void unknown(void);
",
        &[
            // Always written before it is read: what it holds at the end is gone.
            ("memory_leak", "void f1(void) { a = malloc(1); read_a(); }"),
            ("", "void g1(void) { b = malloc(1); read_b(); }"),
            // Others read it.
            ("", "void g2(void) { c = malloc(1); }"),
            ("", "void g3(void) { if (c) show(c); }"),
            // It may be read behind what calls back.
            ("", "void g4(void) { d = malloc(1); }"),
            ("", "void g5(void) { d = 0; unknown(); show(d); }"),
            ("", "void g6(void) { if (!e) e = malloc(1); read_e(); }"),
        ],
    );
    // What `main` leaves is held to the end.
    let program = "static char *a; static void read_a(void) { show(a); }
int main(void) { a = malloc(1); read_a(); return 0; }\n";
    assert_eq!(lines(program), []);
    // A linked program's own.
    let program = "char *x; void sink(void); void f(void) { x = malloc(1); sink(); }
void sink(void) { char *p = x; if (p) show(p); }\n";
    assert_eq!(lines(program), [("memory_leak".to_owned(), 1)]);
}

#[test]
fn what_is_in_two_lists_is_in_the_other_one_still() {
    // To take an element out of one list, as BSD's `queue.h` does, says nothing of the other.
    let text = "struct el { struct el *next, **prev; int k; } *a, *b;
void f(void) { struct el *e = malloc(24); if (!e) return; e->next = 0; e->prev = &a; a = b = e;
*e->prev = e->next; free(e);
b->k = 1; }\n";
    assert!(lines(text).contains(&("use_after_free".to_owned(), 4)), "{:?}", lines(text));
}

#[test]
fn what_a_global_says_is_known_in_functions_that_are_called() {
    check(
        "static int off, on, any;
static void one(char *p) { if (off) show(p); else free(p); }
static char *two(char *p) { if (on) p = malloc(1); return p; }
static void three(char *p) { if (any) show(p); else free(p); }
",
        &[
            ("", "void g1(void) { char *p = malloc(1); off = 0; one(p); }"),
            ("", "void g2(void) { char *p = 0; on = 1; p = two(p); free(p); }"),
            ("memory_leak", "void f1(void) { char *p = malloc(1); off = 1; one(p); }"),
            ("memory_leak", "void f2(void) { char *p = malloc(1); any = cond(); three(p); }"),
        ],
    );
}

#[test]
fn a_stream_that_could_not_be_opened_allocates_nothing() {
    check(
        "",
        &[
            (
                "",
                "int g(void) { char *t; size_t n; FILE *f = open_memstream(&t, &n); if (!f) return 1; fclose(f); free(t); return 0; }",
            ),
            (
                "memory_leak",
                "int f(void) { char *t; size_t n; FILE *f = open_memstream(&t, &n); if (!f) return 1; fclose(f); return 0; }",
            ),
        ],
    );
}

/// The lines at which a rule is broken.
fn broken(rule: &str, program: &str) -> Vec<usize> {
    let (r, c) = (TempFile::new("r.rule", rule), TempFile::new("f.i", program));
    let ran = bop(&["check", c.path(), "--rule", r.path(), "--skeleton", "--format", "json"]);
    let report = ran.json();
    let results = report["results"].as_array().expect("results").clone();
    let violated = results.iter().filter(|r| r["verdict"] == "violated");
    let mut out: Vec<usize> =
        violated.map(|r| r["place"]["line"].as_u64().expect("a line") as usize).collect();
    out.sort_unstable();
    out
}

const PROGRAM: &str = "void lock(int *l); void unlock(int *l); void *malloc(unsigned long); void free(void *); int cond(void);
int m, v;
void f1(void) { lock(&m); if (cond()) lock(&m); unlock(&m); }
void g1(void) { lock(&m); unlock(&m); }
void f2(void) { char *p = malloc(3); if (cond()) *p = 1; free(p); }
void g2(void) { char *p = malloc(3); *p = 1; free(p); }
void g3(void) { char *p = malloc(3); if (p == 0) return; *p = 1; free(p); }
";

#[test]
fn rules_with_sequences_formulas_and_tests() {
    let rule = |property: &str| format!("rule x(p: value) {{ {property} message \"m\" }}");
    let sequence = "{[*]; arg(lock, 1, p)} |=> {!arg(lock, 1, p)[*]; arg(unlock, 1, p)}";
    assert_eq!(broken(&rule(sequence), PROGRAM), [3]);
    // A value that is lost was never followed.
    assert_eq!(broken(&rule("assume p != 0 {[*]; result(malloc, p)} (F deref(p))"), PROGRAM), [5]);
    assert_eq!(broken(&rule("assume p != 0 {result(malloc, p)} |=> F deref(p)"), PROGRAM), [5]);
    let tested = "never {result(malloc, p); !(test(p == 0) || test(p != NULL))[*]; deref(p)}";
    assert_eq!(broken(&rule(tested), PROGRAM), [5, 6]);
    assert_eq!(
        broken(&rule("{[*]; arg(lock, 1, p)} |=> !arg(lock, 1, p) W arg(unlock, 1, p)"), PROGRAM),
        [3]
    );
    // Runs end where the program does, for rules about none.
    let ends = "void open_it(void); void close_it(void); int cond(void);
int main(void) {
  open_it();
  if (cond())
    return 1;
  close_it();
  return 0;
}
";
    let whole = "rule x { {[*]; call(open_it)} |=> F call(close_it) message \"m\" }";
    assert_eq!(broken(whole, ends), [5]);
    // In `--sere`, too.
    let c = TempFile::new("f.i", ends);
    let ran = bop(&[
        "check",
        c.path(),
        "--skeleton",
        "--sere",
        "{[*]; call(open_it)} |=> {[*]; call(close_it)}",
    ]);
    assert!(ran.out.starts_with("holds"), "a sequence may be left open: {}", ran.out);
    let ran = bop(&[
        "check",
        c.path(),
        "--skeleton",
        "--sere",
        "{[*]; call(open_it)} |=> {call(cond); call(close_it)}",
    ]);
    assert!(ran.out.starts_with("violated"), "{}", ran.out);
}

#[test]
fn what_comes_from_outside_is_lost_where_it_was_held() {
    let rule = "rule r(p: value) { assume p != 0 fallible realloc fails == 0
  never { arg(realloc, 1, p) && failed && lost(p) } message \"lost\" }";
    let program = |body: &str| {
        format!(
            "{LIBRARY}void *realloc(void *, size_t); struct b {{ char *d; struct b *n; }};\n{body}\n"
        )
    };
    let line = LIBRARY.lines().count() + 2;
    let bad = program("int grow(struct b *b) { b->d = realloc(b->d, 8); return b->d != 0; }");
    assert_eq!(broken(rule, &bad), [line]);
    for good in [
        "int grow(struct b *b) { char *d = realloc(b->d, 8); if (!d) return 0; b->d = d; return 1; }",
        "int grow(char *p) { p = realloc(p, 8); return p != 0; }",
        "char *old; int grow(struct b *b) { old = b->d; b->d = realloc(b->d, 8); return b->d != 0; }",
    ] {
        assert_eq!(broken(rule, &program(good)), [0usize; 0], "{good}");
    }
}

#[test]
fn what_a_test_compares_with_is_a_number() {
    for (event, message) in [
        ("test(p)", "expected a comparison with a number"),
        ("test(p == q)", "expected a comparison with a number"),
        ("test(q == 0)", "expected `p`"),
    ] {
        let r = TempFile::new(
            "r.rule",
            format!("rule x(p: value) {{\n  never {{ {event} }} message \"m\" }}"),
        );
        let c = TempFile::new("f.i", PROGRAM);
        let ran = bop(&["check", c.path(), "--rule", r.path()]).exits(2);
        assert!(ran.err.contains(message) && ran.err.contains(":2:11"), "{event}: {}", ran.err);
    }
}

#[test]
fn members_that_own() {
    let common = "char *strdup(const char *); struct at { char *street; };
struct a { char *host; char *path; int fd; struct at at; struct a *next; };
struct a *a_new(const char *p) { struct a *a = calloc(1, 64); if (!a) return 0; a->host = strdup(p); a->path = strdup(p); a->at.street = strdup(p); return a; }
struct list { struct a *head; };
static void host_of(struct a *a) { free(a->host); }
struct a *take(struct list *l) { struct a *a = l->head; if (a) l->head = a->next; return a; }
";
    check(
        common,
        &[
            ("memory_leak", "void f1(struct a *a) { free(a->host); free(a->path); free(a); }"),
            ("memory_leak", "void f2(struct a *a) { host_of(a); free(a->at.street); free(a); }"),
            (
                "memory_leak",
                "void f3(struct list *l) { struct a *a = l->head; while (a) { struct a *n = a->next; free(a->host); free(a->at.street); free(a); a = n; } }",
            ),
            (
                "memory_leak",
                "void f4(struct list *l) { struct a *a = take(l); if (!a) return; free(a->host); free(a->at.street); free(a); }",
            ),
            (
                "",
                "void g1(struct a *a) { host_of(a); free(a->path); free(a->at.street); free(a); }",
            ),
            (
                "",
                "char *g2(struct a *a) { char *p = a->path; free(a->host); free(a->at.street); free(a); return p; }",
            ),
            ("", "static void only(struct a *a) { free(a->host); free(a->at.street); free(a); }"),
            ("", "void g3(struct a *a) { free(a->path); only(a); }"),
            (
                "",
                "void g4(struct a *a) { if (a->fd > 2) free(a->path); free(a->host); free(a->at.street); free(a); }",
            ),
        ],
    );
    // Members that do not own, or not for good: what is borrowed, shared, or emptied again.
    let common = "char *strdup(const char *); char *all; void keep(char *);
struct b { char *lent; char *some; char *shared; char *kept; char *now; char *by; char *whole; };
struct c { char *copy; };
void set(struct b *b, char *p) { b->lent = p; if (p) b->some = p; else b->some = strdup(\"\"); char *s = strdup(p); b->shared = s; all = s; }
void more(struct b *b, struct c *c) { char *k = strdup(\"\"); b->kept = k; keep(k); b->now = strdup(\"\"); c->copy = b->whole; }
void on(struct b *b) { b->by = strdup(\"\"); b->whole = strdup(\"\"); }
void off(struct b *b) { free(b->now); b->now = 0; char **p = &b->by; free(*p); }
";
    check(common, &[("", "void g1(struct b *b) { free(b); }")]);
    let common = "char *strdup(const char *); struct d { char *name; };
struct d *d_new(void) { struct d *d = malloc(8); if (!d) return 0; d->name = strdup(\"\"); return d; }
";
    check(
        common,
        &[
            ("", "void same(struct d *to, struct d *d) { *to = *d; }"),
            ("", "void g1(struct d *d) { free(d); }"),
        ],
    );
}
