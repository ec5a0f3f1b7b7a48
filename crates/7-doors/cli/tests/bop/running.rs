//! `bop run`: contracts, and types that files disagree about.

use crate::{TempFile, bop};

/// A program with two functions that it does not define.
const OUTSIDE: &str =
    "int printf(const char *, ...); struct box { int v; }; int ask(int *); struct box *make(void); int other(void);
int main(int argc, char **argv) {
    int v = 3, r = ask(&v);
    struct box *p = make();
    if (p) p->v = 8;
    printf(\"%d %d %d\\n\", r, v, p ? p->v : -1);
    return argc > 1 ? other() : 0;
}";

#[test]
fn functions_without_a_body_do_what_contracts_say() {
    let c = TempFile::new("outside.c", OUTSIDE);
    let pure = TempFile::new("pure.txt", "pure ask\nallocates make\n");
    let assigns = TempFile::new("assigns.txt", "assigns ask 1\nallocates make\n");
    let inputs = TempFile::new("inputs.txt", "41 7 1 1\n");
    let run = |more: &[&str]| bop(&[&["run", c.path()], more].concat());
    let ran = run(&[]).exits(3);
    assert!(ran.err.contains("`ask` has no body here"), "{}", ran.err);
    let ran = run(&["--contracts", pure.path(), "--inputs", inputs.path()]).exits(0);
    assert_eq!(ran.out, "41 3 8\n");
    // What is allocated may be nothing.
    let nothing = TempFile::new("nothing.txt", "41 0 0\n");
    let ran = run(&["--contracts", pure.path(), "--inputs", nothing.path()]).exits(0);
    assert_eq!(ran.out, "41 3 -1\n");
    assert!(
        ran.err.contains("`ask` has no body here: it does what its contract says"),
        "{}",
        ran.err
    );
    // What is assigned is an input, too.
    let ran = run(&["--contracts", assigns.path(), "--inputs", inputs.path()]).exits(0);
    assert_eq!(ran.out, "7 41 8\n");
    // Without inputs a run ends where one is asked for.
    let ran = run(&["--contracts", pure.path()]).exits(3);
    assert!(ran.err.contains("--inputs"), "{}", ran.err);
    // A contract speaks for no other function.
    let ran = run(&["--contracts", pure.path(), "--inputs", inputs.path(), "--", "x"]).exits(3);
    assert!(ran.err.contains("`other` has no body here"), "{}", ran.err);
    let wrong = TempFile::new("wrong.txt", "pure\n");
    let ran = run(&["--contracts", wrong.path()]).exits(2);
    assert!(ran.err.contains("wrong.txt"), "{}", ran.err);
}

#[test]
fn files_that_disagree_about_types_are_told_of_with_both_places() {
    let a = TempFile::new(
        "a.c",
        "struct s { int a; }; struct t; extern struct s g; extern char text[9]; extern struct t *same;
long twice(long); int fine(const int, struct t *); int old(); extern struct s given(void);
int main(void) { return old(); }",
    );
    let b = TempFile::new(
        "b.c",
        "struct s { long a; int b; }; struct t { int x; }; struct s g; char *text; struct t *same;
int twice(int x) { return 2 * x; } int fine(int x, struct t *p) { return x; } int old(void) { g.b = 5; return g.b - 5; }
struct s given(void) { return g; }",
    );
    let ran = bop(&["run", a.path(), b.path()]).exits(0);
    let told: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("warning")).collect();
    let about = |name: &str, what: &str| {
        let of = |line: &&&str| line.contains(&format!("b.c:{what}")) && line.contains("a.c:");
        let found = told.iter().filter(of).any(|line| line.contains(&format!("`{name}` is")));
        assert!(found, "{name}: {}", ran.err);
    };
    about("g", "1");
    about("text", "1");
    about("twice", "2");
    about("given", "3");
    assert_eq!(told.len(), 4, "{}", ran.err);
    // What a file defines has the size that this file gives it.
    let ran = bop(&["check", a.path(), b.path(), "--memory-safety"]).exits(0);
    assert!(ran.out.contains("files disagree: ") && ran.out.contains("and 3 more"), "{}", ran.out);
}
