//! Small programs with an operation that fails, and their twins in which it does not.
//!
//! The lines with the mark `/*!*/` are those of the operations that fail.

use crate::common::{Silent, load};
use c_data::{Check, Operation};
use engine_bounded::{Inputs, Options, failing_operations};

/// How many lines `load` puts before a text.
const BEFORE: usize = 3;

/// The lines of operations that fail, what is said of them, and why more is not known.
fn found(asked: Check, text: &str) -> (Vec<(usize, String)>, Option<&'static str>) {
    let program = load(text);
    assert!(program.gaps.is_empty(), "{:?}", program.gaps);
    let mut said: Vec<(Operation, String)> = Vec::new();
    let mut confirm = |operation: Operation, inputs: &Inputs| {
        let options = c_run::Options {
            inputs: inputs.values.iter().map(|(_, value)| *value).collect(),
            check: Some(asked),
            ..c_run::Options::default()
        };
        let ran = c_run::run(&program, &options, &mut Silent(inputs.stdin.clone()));
        let same = |f: &&c_run::Failure| f.check == asked && f.operation == Some(operation);
        let failed = ran.failed.iter().find(same);
        said.extend(failed.map(|f| (operation, f.what.clone())));
        failed.is_some()
    };
    let budget = check::Budget::unlimited();
    let found =
        failing_operations(&program, (asked, None), Options::default(), &budget, &mut confirm);
    let mut out = Vec::new();
    for (operation, _) in &found.failing {
        let line = operation.at(&program).line as usize - BEFORE;
        let what = said.iter().find(|(o, _)| o == operation).map(|(_, what)| what.clone());
        out.push((line, what.unwrap_or_default()));
    }
    out.sort();
    assert!(program.operations(asked) >= out.len());
    (out, found.open.map(|reason| reason.code()))
}

/// Exactly the marked lines fail, each with one of the messages; nothing is left open.
fn fails(asked: Check, text: &str, messages: &[&str]) {
    let marked = text.lines().enumerate().filter(|(_, line)| line.contains("/*!*/"));
    let marked: Vec<usize> = marked.map(|(i, _)| i + 1).collect();
    let (found, open) = found(asked, text);
    let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, marked, "{found:?} {open:?} {text}");
    assert_eq!(open, None, "{text}");
    for ((_, what), message) in found.iter().zip(messages) {
        assert!(what.contains(message), "{what} does not say {message}");
    }
    assert_eq!(found.len(), messages.len());
}

/// Nothing fails.
fn holds(asked: Check, text: &str) {
    fails(asked, text, &[]);
}

#[test]
fn divisors() {
    fails(
        Check::Division,
        "int f(int a, int b) {
           return a / b; /*!*/
         }
         int main(void) {
           int x = __VERIFIER_nondet_int();
           unsigned u = __VERIFIER_nondet_uint();
           if (x > 3) return 7 % (x - 9); /*!*/
           if (u == 3) { u /= 0; } /*!*/
           return f(1, x);
         }",
        &["1 / 0", "7 % 0", "division by zero"],
    );
    holds(
        Check::Division,
        "int f(int a, int b) { return b ? a / b : 0; }
         int main(void) {
           int x = __VERIFIER_nondet_int();
           double d = 1.0 / 0.0;
           for (int i = -3; i < 0; i++) f(x, i);
           return f(x, x) + 5 / 2 + (x != 4 && 9 % (x - 4));
         }",
    );
}

#[test]
fn signed_operators() {
    fails(
        Check::Overflow,
        "int main(void) {
           int x = __VERIFIER_nondet_int();
           long l = __VERIFIER_nondet_long();
           int k = x & 7;
           switch (k) {
           case 0: return x + 8; /*!*/
           case 1: return -(x | 1) - 20; /*!*/
           case 2: return x * 3; /*!*/
           case 3: return (x & 0x10000003) << 4; /*!*/
           case 4: x++; x--; return x / -1;
           case 5: l *= l; return 0; /*!*/
           case 6: x -= 2147483647; return 0; /*!*/
           default: return x > 100 ? 2147483647 + 1 : 0; /*!*/
           }
         }",
        &["+ 8", "- 20", "* 3", "<< 4", "*", "- 2147483647", "2147483647 + 1"],
    );
    holds(
        Check::Overflow,
        "int main(void) {
           int x = __VERIFIER_nondet_int();
           unsigned u = __VERIFIER_nondet_uint();
           signed char c = __VERIFIER_nondet_char();
           c += 100; c++; c = -c; c = c * c;
           short s = 32767; s++;
           u = u * u + 1; u = -u; u <<= 31;
           int t = (int)u;
           if (x > -1000 && x < 1000) { x = x * x + -x; x <<= 3; }
           if (x != -2147483647 - 1) x = -x;
           long l = x; l = l * l + l;
           int a[3] = {1, 2, 3}; int *p = a + 2; p--;
           return x == 2147483647 ? 0 : x + 1 > c;
         }",
    );
}

#[test]
fn quotients_and_absolute_values() {
    fails(
        Check::Overflow,
        "int abs(int);
         int main(void) {
           int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
           if (y == -1 && x < -1) return x / y; /*!*/
           if (y == -1) return 0;
           if (x == 5) y = abs(y); /*!*/
           if (x == 6 && y != 31) return 1 << y; /*!*/
           if (x == 7) return (y & 256) << 24; /*!*/
           if (x == 8) return -1 << (y & 31);
           return y ? x % y : 0;
         }",
        &["/ -1", "-(-2147483648)", "1 << ", "<< 24"],
    );
}

const HEAP: &str = "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long);
void *realloc(void *, unsigned long); void free(void *); void exit(int);
char *strcpy(char *, const char *); void *memcpy(void *, const void *, unsigned long);
unsigned long strlen(const char *); void *memset(void *, int, unsigned long); void abort(void);\n";

#[test]
fn accesses() {
    let text = format!(
        "{HEAP}int g[4]; const int fixed = 3; struct s {{ int a; struct s *next; }};
         int *dead(void) {{ int l = 3; int *p = &l; return p; }}
         int main(void) {{
           int i = __VERIFIER_nondet_int();
           char b[4]; int *q = 0; struct s *list = 0;
           switch (i) {{
           case 0: g[__VERIFIER_nondet_uchar()] = 1; return 0; /*!*/
           case 1: q = malloc(8); q[2] = 1; free(q); return 0; /*!*/
           case 2: q = malloc(8); free(q); return q[0]; /*!*/
           case 3: return *q; /*!*/
           case 4: q = dead(); return *q; /*!*/
           case 5: {{ int in = 1; q = &in; }} return *q; /*!*/
           case 6: strcpy(b, \"four\"); return 0; /*!*/
           case 7: return g[-1]; /*!*/
           case 8: q = g + 4; return *q; /*!*/
           case 9: memset(b, 0, 5); return 0; /*!*/
           case 10: return list->a; /*!*/
           case 11: *(int *)&fixed = 4; return 0; /*!*/
           case 12: for (i = 0; i <= 4; i++) g[i] = i; return 0; /*!*/
           case 13: ((void (*)(void))0)(); return 0; /*!*/
           }}
           return 0;
         }}"
    );
    fails(
        Check::Memory,
        &text,
        &[
            "of `g`, which has 16",
            "offset 8 of an allocated object, which has 8",
            "in memory that was freed",
            "null pointer",
            "in the local `l`, which is gone",
            "in the local `in`, which is gone",
            "offset 4 of `b`",
            "offset -4 of `g`",
            "offset 16 of `g`",
            "`b`, which has 4",
            "null pointer",
            "must not be changed",
            "offset 16 of `g`",
            "null pointer",
        ],
    );
}

#[test]
fn accesses_that_are_valid() {
    let text = format!(
        "{HEAP}int g[4]; struct s {{ int a; struct s *next; }};
         int *outer; int twice(int *p) {{ return *p * 2; }}
         int main(void) {{
           int i = __VERIFIER_nondet_int(), sum = 0;
           char b[5]; struct s *list = 0;
           if (i >= 0 && i < 4) g[i] = g[3 - i];
           strcpy(b, \"four\"); sum += (int)strlen(b);
           for (int k = 0; k < 3; k++) {{ int in = k; int *p = &in; sum += twice(p); }}
           for (int k = 0; k < 3; k++) {{
             struct s *n = malloc(sizeof *n); n->a = k; n->next = list; list = n;
           }}
           while (list) {{ struct s *n = list->next; sum += list->a; free(list); list = n; }}
           int *q = calloc(2, 4); q = realloc(q, 12); q[2] = q[1]; free(q); free(0);
           if (i == 7) {{ int in = 3; outer = &in; sum += *outer; goto out; }}
           switch (i) {{ int late; case 9: late = 2; outer = &late; sum += *outer; break; }}
         out:
           return sum;
         }}"
    );
    holds(Check::Memory, &text);
    holds(Check::Cleanup, &text);
}

#[test]
fn jumps_leave_blocks() {
    fails(
        Check::Memory,
        "int main(void) {
           int i = __VERIFIER_nondet_int(), *p = 0, n = 0;
         again:
           if (n == 1) return *p; /*!*/
           { int in = 1; p = &in; n = 1; if (i == 1) goto again; if (i == 2) goto out; }
           for (;;) { int more = 2; p = &more; if (i == 3) break; return 0; }
         out:
           return *p; /*!*/
         }",
        &["`in`, which is gone", "which is gone"],
    );
}

#[test]
fn frees() {
    let text = format!(
        "{HEAP}int g;
         int main(void) {{
           int i = __VERIFIER_nondet_int(), l; char *p = malloc(4), *q = p;
           if (i == 1) {{ free(q); free(p); return 0; }} /*!*/
           if (i == 2) {{ free(p + 1); return 0; }} /*!*/
           if (i == 3) free(&g); /*!*/
           if (i == 4) free(&l); /*!*/
           free(p);
           return 0;
         }}"
    );
    let messages =
        ["freed twice", "inside of an object", "malloc did not make", "malloc did not make"];
    fails(Check::Memory, &text, &messages);
}

#[test]
fn memory_is_lost() {
    let lost = format!(
        "{HEAP}int **kept;
         int *make(void) {{ return malloc(4); }}
         int main(void) {{
           int i = __VERIFIER_nondet_int();
           int *p = malloc(8); /*!*/
           kept = malloc(sizeof *kept); *kept = malloc(12);
           if (i == 3) p = 0;
           if (i == 4) {{ make(); }}
           if (i != 3) free(p);
           if (i == 6) {{ int *on = malloc(16); exit(0); }}
           return 0;
         }}"
    );
    // The line that loses it is not told, the one that allocates is.
    let lost = lost.replace("return malloc(4); }", "return malloc(4); /*!*/ }");
    fails(Check::Memory, &lost, &["memory of 4 bytes is lost", "memory of 8 bytes is lost"]);
    let left = lost.replace(" /*!*/", "");
    let left = left.replace("kept = malloc(sizeof *kept);", "/*!*/ kept = malloc(sizeof *kept);");
    let (found, open) = found(Check::Cleanup, &left);
    let said: Vec<&str> = found.iter().map(|(_, what)| what.as_str()).collect();
    assert_eq!(open, None);
    let bytes = |n: usize| format!("memory of {n} bytes is not freed when the program ends");
    assert_eq!(said, [bytes(4), bytes(8), bytes(12), bytes(8), bytes(16)]);
}

#[test]
fn never_written() {
    let text = format!(
        "{HEAP}struct s {{ int a, b; }};
         int main(void) {{
           int i = __VERIFIER_nondet_int(), x, y; struct s s, t; int a[3]; int *p;
           if (i == 1) x = 2;
           if (i == 2) return x; /*!*/
           s.a = 1; t = s;
           if (i == 3) return t.b; /*!*/
           if (i == 4) {{ a[1] = 2; return a[1] + a[2]; }} /*!*/
           if (i == 5) {{ p = malloc(8); p[0] = 1; x = p[1]; }} /*!*/
           for (int k = 0; k < 2; k++) {{ int z; if (k == 0) z = 1; if (i == 6) y = z; }} /*!*/
           return i == 1 ? x : t.a;
         }}"
    );
    fails(
        Check::Uninitialised,
        &text,
        &[
            "`x`, which was never written",
            "at offset 4 of `t`",
            "at offset 8 of `a`",
            "at offset 4 of an allocated object",
            "`z`, which was never written",
        ],
    );
    let text = format!(
        "{HEAP}struct s {{ int a, b; }}; int global;
         int main(void) {{
           int i = __VERIFIER_nondet_int(), x; struct s s, t; int a[3] = {{1}}; int *p = calloc(2, 4);
           static int st; char c[4];
           if (i) x = 2; else x = 3;
           s.a = 1; t = s; memset(c, 0, 4); x += c[2];
           int sum = t.a + a[2] + p[1] + st + global + x;
           for (int k = 0; k < 2; k++) {{ int z = k; sum += z; }}
           free(p);
           return sum;
         }}"
    );
    holds(Check::Uninitialised, &text);
}

/// What is not known is not said.
#[test]
fn what_is_open_is_open() {
    let endless = "int main(void) { int n = 0; while (__VERIFIER_nondet_bool()) n++; return n; }";
    let program = load(endless);
    let budget = check::Budget::unlimited();
    let options = Options { bound: Some(3) };
    let asked =
        failing_operations(&program, (Check::Overflow, None), options, &budget, &mut |_, _| true);
    assert!(asked.failing.is_empty());
    assert_eq!(asked.open.map(|reason| reason.code()), Some("bound"));
    // C11 says that it overflows, and compilers that it does not.
    let sign = "int main(void) { return (__VERIFIER_nondet_int() & 255) << 24; }";
    assert_eq!(found(Check::Overflow, sign), (Vec::new(), Some("approximate")));
    let unknown = "int other(int *); int main(void) { int x = 1; return other(&x); }";
    assert_eq!(found(Check::Memory, unknown).1, Some("incomplete"));
    let printed = "int printf(const char *, ...);
        int main(void) { char b[2]; b[0] = 1; b[1] = 2; printf(\"%s\", b); return 0; }";
    assert_eq!(found(Check::Memory, printed).1, Some("incomplete"));
    let plain =
        "int printf(const char *, ...); int main(void) { printf(\"%d %s\", 3, \"x\"); return 0; }";
    assert_eq!(found(Check::Memory, plain), (Vec::new(), None));
}
