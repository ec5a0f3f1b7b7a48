//! What rules say of code as people write it: no findings that cannot be, none that is missing, and each cause once.

use crate::{TempFile, bop};

const LIBRARY: &str = "typedef unsigned long size_t;
void *malloc(size_t); void free(void *); void *memset(void *, int, size_t);
int snprintf(char *, size_t, const char *, ...); int other(void);
";

/// The headlines of a rule on the skeleton of a program, without their places' file.
fn told(rule: &str, program: &str) -> Vec<String> {
    let c = TempFile::new("f.i", format!("{LIBRARY}{program}"));
    let ran = bop(&["check", c.path(), "--rule", rule, "--skeleton", "-q"]);
    let lines = ran.out.lines().filter(|l| !l.starts_with("  "));
    lines.map(|l| l.replace(c.path(), "f.i")).collect()
}

const OWNED: &str = "struct s { int owned; char *buf; int n; char name[9]; };
struct t { long first; int k; struct t *next; };
static void change(struct s *s, struct t *t) { CHANGE; }
void f(struct s *s, struct t *t, struct s *same, int *p) {
  if (s->owned) free(s->buf);
  CALL;
  if (!s->owned) free(s->buf);
}
";

#[test]
fn a_condition_on_a_member_lasts_until_the_same_cell_may_be_written() {
    let with = |change: &str, call: &str| {
        told("double_free", &OWNED.replace("CHANGE", change).replace("CALL", call))
    };
    for (change, call) in [
        ("t->k = 1", "change(s, t)"),
        ("t->next = t; s->n = 2", "change(s, t)"),
        ("s->name[0] = 1", "change(s, t)"),
        ("", "struct t local; memset(&local, 0, sizeof local)"),
        ("", "char text[9]; snprintf(text, 9, \"x\")"),
        ("", "memset(t, 0, sizeof *t)"),
        ("", "snprintf(s->name, 9, \"x\")"),
    ] {
        assert_eq!(with(change, call), ["holds: double_free"], "{change}; {call}");
    }
    // What may be the same cell changes it.
    for (change, call) in [
        ("s->owned = 0", "change(s, t)"),
        ("s->owned = 0", "change(same, t)"),
        ("", "*p = 0"),
        ("", "memset(s, 0, sizeof *s)"),
        ("", "memset(&same->owned, 0, 4)"),
        ("", "*(char *)p = 0"),
        ("", "other()"),
        ("s = 0; *(int *)t = 0", "change(s, t)"),
    ] {
        let found = with(change, call);
        assert!(found.iter().any(|l| l.starts_with("violated")), "{change}; {call}: {found:?}");
    }
}

#[test]
fn the_first_members_of_two_records_may_be_one() {
    let program = "struct a { int kind; char *buf; }; struct b { int type; };
static void change(struct b *b) { b->type = 0; }
void f(struct a *a) {
  if (a->kind) free(a->buf);
  change((struct b *)a);
  if (!a->kind) free(a->buf);
}
";
    assert!(told("double_free", program)[0].starts_with("violated"));
}

#[test]
fn members_of_a_union_are_one_cell() {
    let program = "union u { int kind; float f; }; struct s { union u u; char *buf; };
void f(struct s *s, struct s *t) {
  if (s->u.kind) free(s->buf);
  t->u.f = 0;
  if (!s->u.kind) free(s->buf);
}
";
    assert!(told("double_free", program)[0].starts_with("violated"));
}

#[test]
fn pointers_that_are_compared_tell_which_has_the_value() {
    let copy = "int f(void) {
  char *p = malloc(3), *q = p;
  if (!p) return 1;
  if (p != q) return 2;
  free(q);
  return 0;
}
";
    assert_eq!(told("memory_leak", copy), ["holds: memory_leak"]);
    let fresh = "static int put(char *a, char *item) {
  if (a == item) return -1;
  free(item);
  return 0;
}
int f(char *a) {
  char *p = malloc(3);
  if (!p) return 1;
  if (put(a, p) < 0) return 2;
  return 0;
}
";
    assert_eq!(told("memory_leak", fresh), ["holds: memory_leak"]);
    // Where they may be equal, they are.
    let equal = copy.replace("p != q", "p == q");
    assert_eq!(told("memory_leak", &equal).len(), 1);
    assert!(told("memory_leak", &equal)[0].starts_with("violated"));
}

#[test]
fn a_number_that_is_counted_on_is_not_zero_again() {
    let program = |step: &str, ty: &str| {
        format!(
            "int f({ty} n) {{
  char *p = 0;
  {ty} i = 0;
  while (i < n) {{
    if (!i) p = malloc(3);
    if (!p) return 1;
    {step};
  }}
  if (p) free(p);
  return 0;
}}
"
        )
    };
    assert_eq!(told("memory_leak", &program("i++", "int")), ["holds: memory_leak"]);
    assert_eq!(told("memory_leak", &program("i += 2", "unsigned long")), ["holds: memory_leak"]);
    // It may be if it is counted down, or gets around.
    for (step, ty) in [("i--", "int"), ("i = n - i", "int"), ("i++", "unsigned char")] {
        let found = told("memory_leak", &program(step, ty));
        assert!(found[0].starts_with("violated"), "{step}: {found:?}");
    }
}

#[test]
fn two_bugs_behind_a_function_that_hands_on_are_two() {
    let program = "struct hooks { void *(*allocate)(size_t); void (*deallocate)(void *); };
static struct hooks global = { malloc, free };
void set_hooks(struct hooks *h) { global.deallocate = h->deallocate; }
void my_free(void *object) { global.deallocate(object); object = 0; }
void drop(void *p) { free(p); p = 0; }
void f(char *p, char *q) {
  my_free(p); my_free(p);
  drop(q); drop(q);
}
void g(char *p, char *q) {
  my_free(p); my_free(p);
  drop(q); drop(q);
}
";
    let found = told("double_free", program);
    assert_eq!(found.len(), 4, "{found:?}");
    // What is changed before the call is not handed on.
    let other = "static char *spare;
static void drop(char *p) { p = spare; free(p); }
void f(char *p) { drop(p); free(p); }
void g(char *p) { drop(p); }
";
    assert_eq!(told("double_free", other), ["holds: double_free"]);
}

/// One allocation that is lost at five places.
const LOST: &str = "int f(int n) {
  char *p = malloc(3);
  if (!p) return 0;
  if (n == 1) return 1;
  if (n == 2) return 2;
  if (n == 3) return 3;
  if (n == 4) return 4;
  if (n == 5) return 5;
  free(p);
  return 0;
}
";

#[test]
fn one_answer_for_each_cause_in_every_format() {
    let c = TempFile::new("f.i", format!("{LIBRARY}{LOST}"));
    let args = ["check", c.path(), "--rule", "memory_leak"];
    let with = |more: &[&str]| bop(&[&args[..], more].concat()).exits(1);
    let out = with(&[]).out;
    assert_eq!(out.matches("violated: ").count(), 1, "{out}");
    assert!(out.contains("and 4 more like this, at "), "{out}");
    assert_eq!(with(&["-q"]).out.matches("violated: ").count(), 5);
    assert_eq!(with(&["-v"]).out.matches("violated: ").count(), 5);
    let report = with(&["--format", "json"]).json();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{report}");
    let also = results[0]["also"].as_array().unwrap();
    assert_eq!(also.len(), 4);
    let mut lines: Vec<u64> = also.iter().map(|a| a["place"]["line"].as_u64().unwrap()).collect();
    lines.push(results[0]["place"]["line"].as_u64().unwrap());
    lines.sort_unstable();
    assert_eq!(lines, [7, 8, 9, 10, 11]);
    assert!(also.iter().all(|a| a["origin"]["line"] == 5 && a["fingerprints"][0].is_string()));
    let sarif = with(&["--format", "sarif"]).json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    let related = results[0]["relatedLocations"].as_array().unwrap();
    assert_eq!(related.len(), 5, "the origin, and four places: {related:?}");
    let text = results[0]["message"]["text"].as_str().unwrap();
    assert!(text.contains("and 4 more like this"), "{text}");
    // A report is replayed as before, and a baseline knows all of them.
    let file = TempFile::new("report.json", report.to_string());
    assert_eq!(bop(&["replay", c.path(), file.path()]).exits(0).out.matches("accepted").count(), 1);
    let base = TempFile::new("base.json", "");
    with(&["--write-baseline", base.path()]);
    let again = bop(&[&args[..], &["--baseline", base.path()]].concat());
    assert_eq!(again.out.matches("violated: ").count(), 0, "{}", again.out);
}

#[test]
fn no_headline_is_told_twice() {
    let program = "int *f(int n) {
  int *p = 0;
  if (n)
    p = malloc(4);
  else
    p = malloc(8);
  *p = 1;
  return p;
}
";
    let c = TempFile::new("f.i", format!("{LIBRARY}{program}"));
    for more in [&["-q"][..], &[], &["--format", "gcc"]] {
        let ran = bop(&[&["check", c.path(), "--rule", "null_result"][..], more].concat()).exits(1);
        let heads: Vec<&str> =
            ran.out.lines().filter(|l| l.contains("may be null, and is followed")).collect();
        assert_eq!(heads.len(), 1, "{}", ran.out);
    }
    let ran = bop(&["check", c.path(), "--rule", "null_result", "--format", "json"]).exits(1);
    assert_eq!(ran.json()["results"].as_array().unwrap().len(), 1);
}

const HANDED: &str = "void exit(int) __attribute__((noreturn));
static void die(void) { other(); exit(1); }
static void *need(size_t n) { void *p = malloc(n); AFTER return p; }
int *one(void) { int *p = need(4); *p = 1; return p; }
int *two(void) { int *p = need(4); *p = 2; return p; }
";

/// An allocator that ends the program where there is no memory never gives null; one that only says so does.
#[test]
fn who_dies_where_there_is_no_memory_returns_no_null() {
    for (after, found) in [
        ("if (!p) die();", false),
        ("if (p == 0) { other(); exit(2); }", false),
        ("if (!p) other();", true),
        ("if (!p) return 0;", true),
        ("if (n > 9) die();", true),
        ("", true),
    ] {
        let heads = told("null_result", &HANDED.replace("AFTER", after));
        let any = heads.iter().any(|l| l.starts_with("violated"));
        assert_eq!(any, found, "{after}: {heads:?}");
        // What is lost is told for each caller all the same.
        let lost = HANDED.replace("AFTER", after).replace("return p; }\nint", "return 0; }\nint");
        let lost = lost.replace("= 2; return p", "= 2; return 0");
        let heads = told("memory_leak", &lost);
        assert!(heads.iter().any(|l| l.starts_with("violated")), "{after}: {heads:?}");
    }
}

const LIST: &str = "void *realloc(void *, size_t); void *memcpy(void *, const void *, size_t);
struct list { size_t n, room, size; char *items; };
static int add(struct list *l, void *item) {
  if (l->n == l->room) {
    char *more = realloc(l->items, (l->room + 8) * l->size);
    if (!more) return 0;
    l->room += 8;
    l->items = more;
  }
  COPY;
  l->n++;
  return 1;
}
int f(struct list *l, int n) {
  char *s = malloc(4);
  if (!s) return 0;
  if (!add(l, &s)) { FAILED; return 0; }
  return 1;
}
";

/// A list of anything copies what its elements are from where their address says.
#[test]
fn what_is_copied_byte_by_byte_is_held_there() {
    let copy = "memcpy(l->items + l->n * l->size, item, l->size)";
    for (copy, failed, found) in [
        (copy, "free(s)", 0),
        (copy, "", 1),
        // Nothing is copied, or something else is.
        ("other()", "free(s)", 1),
        ("memcpy(l->items + l->n * l->size, &l->size, l->size)", "free(s)", 1),
    ] {
        let program = LIST.replace("COPY", copy).replace("FAILED", failed);
        let heads = told("memory_leak", &program);
        let lost = heads.iter().filter(|l| l.starts_with("violated")).count();
        assert_eq!(lost, found, "{copy}; {failed}: {heads:?}");
    }
}

/// The headlines of a rule as people ask for it, with what is shown by default.
fn shown(rule: &str, program: &str) -> Vec<String> {
    let c = TempFile::new("f.i", format!("{LIBRARY}{program}"));
    let ran = bop(&["check", c.path(), "--rule", rule, "-q"]);
    let lines = ran.out.lines().filter(|l| l.starts_with("violated") || l.starts_with("holds"));
    lines.map(|l| l.replace(c.path(), "f.i")).collect()
}

/// The conditions along a path are looked at for rules that no run judges, too, and what is followed is not null.
#[test]
fn paths_that_contradict_themselves_are_not_shown_whatever_the_rule() {
    let program = "int socket(int, int, int); int connect(int, void *, int); int close(int);
struct addr { void *to; struct addr *next; };
int f(struct addr *a) {
  int fd;
  do {
    fd = socket(a->next != 0, 0, 0);
    if (fd < 0) continue;
    if (connect(fd, a->to, 1) == 0) break;
    CLOSE;
  } while ((a = a->next) != 0);
  if (a == 0) return -1;
  return fd;
}
";
    let found = |close: &str| {
        shown("descriptor_leak", &program.replace("CLOSE", close))
            .iter()
            .any(|l| l.starts_with("violated"))
    };
    assert!(!found("close(fd)"));
    assert!(found("if (a->to) close(fd)"));
}

#[test]
fn what_is_lost_where_the_program_is_given_up_is_not_shown() {
    let program = "void *realloc(void *, size_t); void exit(int) __attribute__((noreturn));
static char *all; static size_t size;
static void die(const char *what) { other(); exit(1); }
int grow(void) {
  all = realloc(all, size * 2);
  if (!all) FAILED;
  size *= 2;
  return 1;
}
int main(void) { all = malloc(4); size = 4; int n = grow(); free(all); return n; }
";
    for rule in ["memory_leak", "realloc_to_itself"] {
        let found = |failed: &str| {
            let heads = shown(rule, &program.replace("FAILED", failed));
            heads.iter().any(|l| l.starts_with("violated"))
        };
        assert!(!found("die(\"memory\")"), "{rule}");
        assert!(!found("{ other(); exit(3); }"), "{rule}");
        assert!(found("return 0"), "{rule}");
        assert!(found("{ if (other()) die(\"memory\"); return 0; }"), "{rule}");
    }
}

/// One missing test is one mistake, however often the result is followed; so are ignored results of one function.
#[test]
fn results_are_told_by_what_is_missing() {
    let program = "int dup2(int, int); int chdir(const char *);
int *f(int n) { int *p = malloc(8); if (n) p[1] = 2; else *p = 1; return p; }
void g(int a) { dup2(a, 0); dup2(a, 1); dup2(a, 2); chdir(\"/\"); }
";
    let c = TempFile::new("f.i", format!("{LIBRARY}{program}"));
    let heads = |rule: &str| {
        let ran = bop(&["check", c.path(), "--rule", rule]).exits(1);
        ran.out.matches("violated: ").count()
    };
    assert_eq!((heads("null_result"), heads("ignored_result")), (1, 2));
}

const LINKED: &str = "struct link { struct link *next, *prev; };
struct e { int v; int lock; struct link link; };
static void put(struct link *n, struct link *h) { h->next->prev = n; n->next = h->next; n->prev = h; h->next = n; }
static void put_last(struct link *n, struct link *h) { put(n, h->prev); }
static void see(int *lock) { if (*lock) other(); *lock = 1; }
int f(struct link *h, int n) {
  struct e *x = malloc(sizeof *x);
  if (!x) return -1;
  x->v = n;
  x->lock = 0;
  LINK;
  return 0;
}
";

/// What is linked by a member is in the list; what is only locked by one is not.
#[test]
fn what_is_linked_by_a_member_is_held_by_the_list() {
    for (link, found) in [
        ("put(&x->link, h)", false),
        ("put_last(&x->link, h)", false),
        ("see(&x->lock)", true),
        ("if (n) put(&x->link, h)", true),
        ("put(h, h)", true),
    ] {
        let heads = told("memory_leak", &LINKED.replace("LINK;", &format!("{link};")));
        let any = heads.iter().any(|l| l.starts_with("violated"));
        assert_eq!(any, found, "{link}: {heads:?}");
    }
}

/// A function that has nothing to do with the value returns one of few numbers.
#[test]
fn numbers_that_a_function_returns_are_among_its_constants() {
    let program = "static int check(int n) { RETURN }
int f(int n) {
  char *p = malloc(4);
  if (!p) return -1;
  int r = check(n);
  if (r < 0) { free(p); return r; }
  if (r == 0) free(p);
  return 0;
}
";
    for (returns, found) in [
        ("return n > 3 ? 0 : -1;", false),
        ("if (n > 3) return 0; return -1;", false),
        ("int r = -1; if (n > 3) r = 0; return r;", false),
        ("return n > 3 ? 1 : -1;", true),
        ("int r = -1; if (n > 3) r = n; return r;", true),
        ("if (n > 3) return other(); return -1;", true),
    ] {
        let heads = shown("memory_leak", &program.replace("RETURN", returns));
        let any = heads.iter().any(|l| l.starts_with("violated"));
        assert_eq!(any, found, "{returns}: {heads:?}");
    }
}
