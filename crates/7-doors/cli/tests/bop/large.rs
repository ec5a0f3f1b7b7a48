//! Rules over programs that are asked in parts, and functions that stand for the library's.

use crate::c::{Folder, compiler};

/// A program of a thousand functions, so that rules are asked in parts; every other allocation is lost, and every fourth
/// of forty pointers freed twice.
fn large() -> String {
    let mut c =
        "#include <stdlib.h>\nvoid give(char *p) { free(p); }\nint any(int k);\n".to_owned();
    for i in 0..1_050 {
        c += &format!("int quiet{i}(int k) {{ return k > {i} ? any(k) : {i}; }}\n");
    }
    for i in 0..40 {
        let then = if i % 2 == 1 { "return 2;" } else { "{ give(p); return 2; }" };
        c += &format!(
            "int lose{i}(int k) {{ char *p = malloc(3); if (!p) return 1; if (k) {then} give(p); return 0; }}\n"
        );
        let again = if i % 4 == 0 { "if (k) free(p);" } else { "(void)k;" };
        c += &format!("void twice{i}(char *p, int k) {{ free(p); {again} }}\n");
    }
    c
}

#[test]
fn parts_of_a_rule_find_what_the_whole_does() {
    if !compiler() {
        return;
    }
    let folder = Folder::new("large", &[("large.c", &large())]);
    let ask =
        ["check", "large.c", "--rule", "memory_leak", "--rule", "double_free", "--skeleton", "-q"];
    let ran = folder.bop(&ask).exits(1);
    let count = |rule: &str| {
        ran.out.lines().filter(|l| l.starts_with(&format!("violated: {rule}"))).count()
    };
    assert_eq!((count("memory_leak"), count("double_free")), (20, 10), "{}", ran.out);
    assert!(!ran.out.contains("unknown"), "{}", ran.out);
    // Without the lost ones, all parts together say that there is none.
    let all = large().replace("{ return 2; }", "").replace("if (k) return 2;", "");
    let all = all.replace("if (k) free(p);", "(void)k;");
    let folder = Folder::new("large-all", &[("large.c", &all)]);
    let ran = folder.bop(&ask).exits(0);
    assert!(ran.out.contains("holds") && !ran.out.contains("unknown"), "{}", ran.out);
}

#[test]
fn what_was_not_looked_at_is_named() {
    if !compiler() {
        return;
    }
    let folder = Folder::new("large-stopped", &[("large.c", &large())]);
    let ask = ["check", "large.c", "--rule", "memory_leak", "--skeleton", "--steps", "1"];
    let ran = folder.bop(&ask);
    assert!(ran.out.contains("unknown") && !ran.out.contains("holds"), "{}", ran.out);
    let told = "not looked at to the end: what begins at ";
    assert!(ran.out.contains(told) && ran.out.contains("large.c:1"), "{}", ran.out);
}

/// `need` is told where it is called; `bad` loses memory itself, and so is no such function.
const WRAPPED: &str = "#include <stdlib.h>
int oom;
static void note(void) { oom = 1; }
static void *need(size_t n, const char *where) { void *p; const char *w = where; (void)w; p = malloc(n); if (!p) note(); return p; }
static void *bad(size_t n, int k) { void *p = malloc(n); if (k) return 0; return p; }
int one(int k) { char *a = need(3, \"\"); if (k) return 1; free(a); return 0; }
int two(int k) { char *a = need(3, \"\"); if (k) return 1; free(a); return 0; }
int three(int k) { char *a = bad(3, k); free(a); a = bad(4, k); free(a); return 0; }
int main(int c, char **v) { return one(c) + two(c) + three(c); }
";

#[test]
fn functions_that_allocate_are_told_where_they_are_called() {
    if !compiler() {
        return;
    }
    let folder = Folder::new("wrapped", &[("w.c", WRAPPED)]);
    let ran = folder.bop(&["check", "w.c", "--rule", "memory_leak", "--skeleton", "-q"]).exits(1);
    let found: Vec<&str> = ran.out.lines().filter(|l| l.starts_with("violated")).collect();
    for place in ["w.c:6:", "w.c:7:", "w.c:5:"] {
        assert!(found.iter().any(|l| l.contains(place)), "{place} {}", ran.out);
    }
}
