//! Small programs of C, one feature each, with labels that are reached (`R…`) and labels that are not (`U…`).

use crate::common::{answers, load};

/// Labels `R…` are reached, labels `U…` are not.
fn check(text: &str) {
    let program = load(text);
    let mut labels: Vec<&str> = (program.functions.iter())
        .filter(|f| f.own)
        .flat_map(|f| f.labels.iter().map(|(name, _)| name.as_str()))
        .filter(|name| name.starts_with(['R', 'U']))
        .collect();
    labels.sort_unstable();
    assert!(labels.len() > 1);
    let found = answers(text, &labels, None);
    let expected = labels.iter().map(|l| if l.starts_with('R') { "reached" } else { "unreached" });
    let wrong: Vec<(&str, &str)> = labels
        .iter()
        .copied()
        .zip(found.iter().map(String::as_str))
        .zip(expected)
        .filter(|((_, found), expected)| found != expected)
        .map(|(pair, _)| pair)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn numbers() {
    check(
        "int main(void) {
           int x = __VERIFIER_nondet_int();
           unsigned char c = __VERIFIER_nondet_uchar();
           if (x * 7 == 21) { if (x == 3) { R0: ; } }
           if (x > 5 && x < 5) { U0: ; }
           if ((unsigned)x / 10 == 429496729) { R1: ; }
           if (c > 255) { U1: ; }
           if (c % 7 == 6 && c / 7 == 36) { U2: ; }
           if (c % 7 == 3 && c / 7 == 36) { R2: ; }
           if (x % 10 == -9 && x / 10 == -3) { R3: ; }
           if (x % 10 == 9 && x < 0) { U3: ; }
           if ((x >> 3) == -1 && (x << 29) == 0) { R4: ; }
           if ((x ^ (x - 1)) == 0) { U4: ; }
           return 0;
         }",
    );
}

#[test]
fn loops_that_end() {
    check(
        "int main(void) {
           unsigned char n = __VERIFIER_nondet_uchar();
           int sum = 0;
           if (n > 9) return 0;
           for (int i = 0; i < n; i++) sum += i;
           if (sum == 36) { R0: ; }
           if (sum == 35) { U0: ; }
           int big = 0;
           for (int i = 0; i < 1000; i++) big += i;
           if (big != 499500) { U1: ; }
           while (n > 3) { n -= 3; if (n == 5) break; }
           if (n == 5) { R1: ; }
           if (n == 7) { U2: ; }
           return 0;
         }",
    );
}

#[test]
fn loops_without_end() {
    let text = "int main(void) {
           unsigned x = 0;
           while (__VERIFIER_nondet_bool()) { x += 2; if (x == 20) { R0: ; } if (x == 7) { N0: ; } }
           return 0;
         }";
    let found = answers(text, &["R0", "N0"], Some(12));
    assert_eq!(found, ["reached", "unknown bound"]);
    assert_eq!(answers(text, &["R0", "N0"], Some(5)), ["unknown bound", "unknown bound"]);
}

#[test]
fn calls_and_recursion() {
    check(
        "static int calls;
         static int fib(int n) { calls++; return n < 2 ? n : fib(n - 1) + fib(n - 2); }
         static int even(unsigned n);
         static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
         static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
         int main(void) {
           unsigned char n = __VERIFIER_nondet_uchar();
           if (fib(10) != 55) { U0: ; }
           if (calls != 177) { U1: ; }
           n &= 7;
           if (fib(n) == 13) { R0: ; }
           if (fib(n) == 12) { U2: ; }
           if (even(n) && n == 6) { R1: ; }
           if (even(n) && n == 5) { U3: ; }
           return 0;
         }",
    );
}

#[test]
fn pointers_and_arrays() {
    check(
        "int a[8], b[8];
         struct s { char c; int x[4]; struct s *next; };
         int main(void) {
           unsigned i = __VERIFIER_nondet_uint();
           int *p = i & 1 ? a : b;
           if (i < 8) {
             p[i] = 5;
             if (a[3] == 5) { R0: ; }
             if (a[3] == 5 && b[3] == 5) { U0: ; }
             if (a[2] == 5) { U1: ; }
             if (b[2] == 5) { R1: ; }
           }
           struct s one = { 1, { 1, 2, 3, 4 }, 0 }, two = { 2, { 5, 6, 7, 8 }, &one };
           struct s *q = i > 100 ? &two : &one;
           if (q->next && q->next->x[2] == 3) { R2: ; }
           if (q->next && q->next->x[2] != 3) { U2: ; }
           if (q->x[i & 3] == 9) { U3: ; }
           if (q->x[i & 3] == 8) { R3: ; }
           ((char *)&one.x[1])[1] = 1;
           if (one.x[1] != 258) { U4: ; }
           return 0;
         }",
    );
}

#[test]
fn heap() {
    check(
        "void *malloc(unsigned long); void free(void *); void *calloc(unsigned long, unsigned long);
         struct node { int value; struct node *next; };
         int main(void) {
           struct node *list = 0;
           unsigned char n = __VERIFIER_nondet_uchar();
           if (n > 4) return 0;
           for (int i = 0; i < n; i++) {
             struct node *x = malloc(sizeof *x);
             x->value = i; x->next = list; list = x;
           }
           int sum = 0, count = 0;
           for (struct node *x = list; x; x = x->next) { sum += x->value; count++; }
           if (count != n) { U0: ; }
           if (sum == 6) { R0: ; }
           if (sum == 5) { U1: ; }
           while (list) { struct node *x = list; list = x->next; free(x); }
           int *zero = calloc(4, n + 1);
           if (zero[n]) { U2: ; }
           free(zero);
           return 0;
         }",
    );
}

#[test]
fn function_pointers_and_jumps() {
    check(
        "static int add(int a, int b) { return a + b; }
         static int sub(int a, int b) { return a - b; }
         static int (*table[2])(int, int) = { add, sub };
         int main(void) {
           int x = __VERIFIER_nondet_int();
           int r = table[x & 1](7, 3);
           if (r == 10) { R0: ; }
           if (r == 4) { R1: ; }
           if (r != 10 && r != 4) { U0: ; }
           switch (x & 7) {
             case 0: r = 0;
             case 1: r += 1; break;
             case 2 ... 4: r = 2; break;
             default: r = 9;
           }
           if (r == 1) { R2: ; }
           if (r == 3) { U1: ; }
           if (r == 5) { R3: ; }
           static void *labels[] = { &&one, &&two };
           goto *labels[x & 1];
           one: if (x & 1) { U2: ; }
           return 0;
           two: if (!(x & 1)) { U3: ; }
           R4: return 0;
         }",
    );
}

#[test]
fn unions_bit_fields_and_copies() {
    check(
        "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
         union u { unsigned u; unsigned char c[4]; short s; };
         struct b { unsigned a : 3; int s : 5; unsigned long w : 40; };
         int main(void) {
           union u x; struct b b = { 1, -1, 1 }, d;
           x.u = __VERIFIER_nondet_uint();
           if (x.c[1] == 7 && (x.u >> 8 & 255) != 7) { U0: ; }
           if (x.s == -2) { R0: ; }
           b.a = x.u; b.s = x.c[3]; b.w += x.u;
           if (b.a == 7) { R1: ; }
           if (b.a == 8) { U1: ; }
           if (b.s == 16) { U2: ; }
           if (b.s == -16) { R2: ; }
           if (b.w == 4294967296ul) { R3: ; }
           memcpy(&d, &b, sizeof d);
           if (d.a != b.a) { U3: ; }
           d = b;
           if (d.w != b.w) { U4: ; }
           memset(&d, 0, sizeof d);
           if (d.s || d.w) { U5: ; }
           return 0;
         }",
    );
}

#[test]
fn ends_of_runs() {
    check(
        "void abort(void); void exit(int); int atexit(void (*)(void)); void __VERIFIER_assume(int);
         static int seen;
         static void last(void) { if (seen == 3) { R0: ; } if (seen == 4) { U0: ; } }
         int main(void) {
           int x = __VERIFIER_nondet_int();
           __VERIFIER_assume(x > 2);
           if (x < 3) { U1: ; }
           atexit(last);
           if (x == 5) { seen = 4; abort(); U2: ; }
           if (x == 6) { seen = 3; exit(0); U3: ; }
           int z = 10 / (x - 7);
           if (x == 7) { U4: ; }
           int *p = x == 8 ? 0 : &z;
           *p = 1;
           if (x == 8) { U5: ; }
           return 0;
         }",
    );
}

#[test]
fn arguments_of_variable_number() {
    check(
        "typedef __builtin_va_list va_list;
         static long sum(int n, ...) {
           va_list l; long s = 0;
           __builtin_va_start(l, n);
           for (int i = 0; i < n; i++) s += i % 2 ? __builtin_va_arg(l, long) : __builtin_va_arg(l, int);
           __builtin_va_end(l);
           return s;
         }
         int main(void) {
           signed char c = __VERIFIER_nondet_char();
           long s = sum(3, c, 100l, 1);
           if (s == -27) { R0: ; }
           if (s == -28) { U0: ; }
           return 0;
         }",
    );
}

#[test]
fn strings() {
    check(
        "unsigned long strlen(const char *); int strcmp(const char *, const char *); char *strcpy(char *, const char *);
         int main(void) {
           char s[4] = \"abc\", t[8];
           s[__VERIFIER_nondet_uchar() & 3] = __VERIFIER_nondet_char();
           s[3] = 0;
           if (strlen(s) == 2) { R0: ; }
           if (strlen(s) == 4) { U0: ; }
           strcpy(t, s);
           if (strcmp(s, t)) { U1: ; }
           if (!strcmp(t, \"xbc\")) { R1: ; }
           if (!strcmp(t, \"xyc\")) { U2: ; }
           return 0;
         }",
    );
}

#[test]
fn what_is_not_exact_is_not_said() {
    let text = "int other(void);
         int main(void) {
           int x; double d = __VERIFIER_nondet_int();
           int a, b;
           if (&a < &b) { N0: ; }
           if (d * 0.5 == 0.25) { N1: ; }
           if (x) { N2: ; }
           return 0;
         }";
    let found = answers(text, &["N0", "N1", "N2"], None);
    assert!(found.iter().all(|a| a.starts_with("unknown")), "{found:?}");
    let text = "static int n; static void c(int *p) { n++; }
         int main(void) { { int x __attribute__((cleanup(c))) = 1; } if (n) { N0: ; } return 0; }";
    assert_eq!(answers(text, &["N0"], None), ["reached"]);
    let text = "int g(void) __asm__(\"f\"); int n; int f(void) { return n = 1; }
         int main(void) { if (g()) { N0: ; } return 0; }";
    assert_eq!(answers(text, &["N0"], None), ["unknown incomplete"]);
    let text = "int other(void); int main(void) { if (other()) { N0: ; } U0: return 0; }";
    assert_eq!(answers(text, &["N0", "U0"], None), ["unknown incomplete", "unknown incomplete"]);
}

#[test]
fn accesses_outside_of_objects() {
    // What is executed may go on.
    let text = "void *malloc(unsigned long); void free(void *);
         int main(void) {
           int *p = malloc(4), a[2];
           *p = 1;
           free(p);
           R0: if (__VERIFIER_nondet_bool()) { *p = 2; N0: ; }
           a[__VERIFIER_nondet_uchar()] = 3;
           N1: if (0) { U2: ; }
           return 0;
         }";
    let found = answers(text, &["R0", "N0", "N1", "U2"], None);
    let unknown = "unknown approximate";
    assert_eq!(found, ["reached", unknown, "reached", "unreached"]);
    // Nobody goes on after a null pointer, and what nobody wants is not read.
    check(
        "int main(void) {
           int a = 1, *p = &a, *null = 0;
           *p++; *p++; *p;
           if (__VERIFIER_nondet_bool()) { *null = 2; U0: ; }
           R0: return 0;
         }",
    );
}

#[test]
fn addresses_of_what_is_gone() {
    let text = "void *malloc(unsigned long); void free(void *);
         static int a[2], b[2];
         int main(void) {
           int *p = malloc(4);
           free(p);
           int *q = malloc(4);
           if (p == q) { N0: ; }
           int *e = a + 2;
           if (e == b) { N1: ; }
           int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
           if (y && x / y == -2147483647 - 1 && x < 0 && y < 0) { N2: ; }
           return 0;
         }";
    let found = answers(text, &["N0", "N1", "N2"], None);
    assert!(found.iter().all(|a| a == "unknown approximate"), "{found:?}");
    let text = "static int seen; __attribute__((destructor)) static void last(void) { if (seen) { N0: ; } }
         int main(void) { seen = 1; if (!seen) { N1: ; } return 0; }";
    assert_eq!(answers(text, &["N0", "N1"], None), ["reached", "unreached"]);
    // Which arguments it gets is not followed.
    let text = "static int n; __attribute__((constructor)) static void first(int c) { n = c; }
         int main(void) { if (n) { N0: ; } return 0; }";
    assert_eq!(answers(text, &["N0"], None), ["unknown incomplete"]);
    check(
        "static int a[4];
         int main(void) {
           int i = __VERIFIER_nondet_uchar() & 3, sum = 0;
           for (int *p = a; p != a + 4; p++) { *p = i; sum++; }
           if (sum != 4) { U0: ; }
           if (&a[i] == &a[2]) { R0: ; }
           int *q = i ? &a[i] : 0;
           if (q == 0 && i == 1) { U1: ; }
           return 0;
         }",
    );
}

#[test]
fn arguments_of_main() {
    let text = "int main(int argc, char **argv) {
           if (argc == 3) { R0: ; }
           if (argc < 1) { U0: ; }
           return 0;
         }";
    assert_eq!(answers(text, &["R0", "U0"], None), ["reached", "unreached"]);
    let text = "int main(int argc, char **argv, char **env) { if (env[0]) { N0: ; } return 0; }";
    assert_eq!(answers(text, &["N0"], None), ["unknown incomplete"]);
}

/// What others change, or have, is not said to be impossible.
#[test]
fn what_is_not_the_programs_own() {
    for (text, expected) in [
        ("static volatile int v; int main(void) { if (v) { L: ; } return 0; }", "approximate"),
        ("struct { volatile int f; } s; int main(void) { if (s.f) { L: ; } return 0; }", "approximate"),
        ("int x; int main(void) { volatile int *p = &x; if (*p) { L: ; } return 0; }", "approximate"),
        ("extern int e; int main(void) { if (e == 4) { L: ; } return 0; }", "incomplete"),
        ("extern int a[]; int main(void) { if (a[3]) { L: ; } return 0; }", "incomplete"),
        (
            "void (*signal(int, void (*)(int)))(int); static int got; static void on(int s) { got = 1; }
             int main(void) { signal(2, on); if (got) { L: ; } return 0; }",
            "incomplete",
        ),
        (
            "int strcmp(const char *, const char *);
             int main(void) { if (strcmp(\"b\", \"a\") == 5) { L: ; } return 0; }",
            "approximate",
        ),
    ] {
        assert_eq!(answers(text, &["L"], None), [format!("unknown {expected}")], "{text}");
    }
    check(
        "int strcmp(const char *, const char *);
         int main(void) {
           if (strcmp(\"b\", \"a\") > 0) { R0: ; }
           if (strcmp(\"b\", \"a\") <= 0) { U0: ; }
           if (strcmp(\"a\", \"a\")) { U1: ; }
           return 0;
         }",
    );
}

/// What follows an endless loop is asked about, too.
#[test]
fn endless_loops_do_not_keep_others_waiting() {
    let text = "int main(void) {
           _Bool c = __VERIFIER_nondet_bool(); int n = 0;
           while (c) { if (n == 4) n = 0; n++; }
           if (n != 5) { R0: ; }
           return 0;
         }";
    assert_eq!(answers(text, &["R0"], None), ["reached"]);
}

/// What is written at once has a limit, and nobody asks for so much memory.
#[test]
fn sizes_that_no_memory_has_are_not_followed() {
    for size in ["4294967295u", "-1ul", "1ul << 40"] {
        for call in ["memset(a, 0, N)", "memcpy(a, b, N)", "memmove(a, b, N)"] {
            let text = format!(
                "void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);
                 void *memmove(void *, const void *, unsigned long);
                 char a[4], b[4]; int main(void) {{ {}; L: return 0; }}",
                call.replace('N', size)
            );
            assert_eq!(answers(&text, &["L"], None), ["unknown incomplete"], "{text}");
        }
    }
}
