//! Undefined behaviour is told as gcc's sanitizers tell it: one program, one way to go wrong for each number that it
//! is given, and each stands on a line of its own.

#![allow(clippy::print_stderr)] // it says what is not looked at

use c_run::{Ending, Host, Options};
use std::process::Command;

struct Quiet;

impl Host for Quiet {
    fn output(&mut self, _: bool, _: &[u8]) {}
    fn input(&mut self, _: &mut [u8]) -> usize {
        0
    }
    fn stopped(&mut self) -> bool {
        false
    }
}

/// Who tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Told {
    Both,
    /// Addresses have no alignment here, and a shift of a negative number is a product.
    Sanitizer,
    /// Compilers leave reads out whose value is not needed, or do not look.
    Here,
    /// The last member of what a pointer leads to may go on.
    Neither,
}
use Told::{Both, Here, Neither, Sanitizer};

/// What the machine calls it, what goes wrong, and who tells.
const CASES: &[(&str, &str, Told)] = &[
    ("signed overflow", "x = big + one;", Both),
    ("signed overflow", "x = -big - 2 * one;", Both),
    ("signed overflow", "x = big * (one + one);", Both),
    ("signed overflow", "x = -(-big - one);", Both),
    ("signed overflow", "{ long l = LONG_MAX; l += one; x = l == 3; }", Both),
    ("signed overflow", "x = big; x++;", Both),
    ("signed overflow", "x = big << 2 * one;", Both),
    ("signed overflow", "x = (-big - one) / -one;", Both),
    ("division by zero", "x = one / zero;", Both),
    ("division by zero", "x = one % zero;", Both),
    ("shift out of range", "x = one << 32 * one;", Both),
    ("shift out of range", "x = one << -one;", Both),
    ("shift out of range", "x = big >> 40 * one;", Both),
    ("", "x = -one << 1;", Sanitizer),
    ("floating value out of range", "{ double d = 1e20 * one; x = d; }", Both),
    ("floating value out of range", "{ double d = zero; d = d / d; x = d; }", Both),
    ("null pointer", "{ int *p = (int *)(long)zero; x = *p; }", Both),
    ("null pointer", "{ int *p = (int *)(long)zero; *p = 1; }", Both),
    ("null pointer", "{ struct s *p = (struct s *)(long)zero; x = p->b; }", Both),
    ("null pointer", "{ int (*f)(void) = (int (*)(void))(long)zero; x = f(); }", Both),
    ("null pointer", "memcpy((void *)(long)zero, \"a\", one);", Both),
    ("offset 16 of `a`", "{ int a[4] = { 0 }; x = a[4 + zero]; }", Both),
    ("offset 16 of `a`", "{ int a[4]; a[one + 3] = 1; x = a[0] == 7; }", Both),
    ("invalid access", "{ int a[4] = { 0 }; x = a[-one]; }", Both),
    ("invalid access", "{ int a[4] = { 1, 2, 3, 4 }, *p = a + 2; x = p[-3 * one]; }", Both),
    ("offset 12 of `statics`", "x = statics[3 * one];", Both),
    ("which has 12", "{ int *p = calloc(3, 4); x = p[3 * one]; free(p); }", Both),
    ("which has 3", "{ char *p = malloc(3); p[3 * one] = 1; free(p); }", Both),
    ("invalid access", "{ char *p = malloc(3); p[-one] = 1; free(p); }", Both),
    ("which has 16", "{ int n = 3 + one, a[n]; a[n] = 1; }", Both),
    ("index 4 of an array of 4", "{ struct s v = { { 0 } }; x = v.a[4 + zero]; }", Both),
    ("index 3 of an array of 3", "{ int a[2][3] = { { 0 } }; x = a[0][3 + zero]; }", Both),
    ("index -1 of an array of 3", "{ int a[2][3] = { { 0 } }; x = a[1][-one]; }", Both),
    ("index 3 of an array of 2", "{ int n = 2 * one, a[n][n]; a[0][3 * one] = 1; }", Both),
    ("index 4 of an array of 3", "{ int a[3][3], *p = &a[zero][4 * one]; x = p == 0; }", Both),
    ("", "{ int a[2][3], *p = &a[zero][3 * one]; x = p == 0; }", Neither),
    ("", "{ struct tail *p = calloc(1, 8); x = p->t[3 * one]; free(p); }", Neither),
    (
        "",
        "{ struct tail *p = calloc(1, 8); x = (*p).t[3 * one] + p[zero].t[2 * one]; free(p); }",
        Neither,
    ),
    (
        "index 4 of an array of 3",
        "{ int (*p)[3] = calloc(2, 12); x = p[zero][4 * one]; free(p); }",
        Both,
    ),
    (
        "index 5 of an array of 3",
        "{ int (*p)[3] = calloc(2, 12); x = (*p)[5 * one]; free(p); }",
        Both,
    ),
    ("freed", "{ int *p = malloc(4); *p = 1; free(p); x = *p; }", Both),
    ("freed", "{ int *p = malloc(4); free(p); *p = 1; }", Both),
    ("freed", "{ char *p = malloc(4), *q = realloc(p, 400000); p[0] = 1; free(q); }", Both),
    ("freed twice", "{ char *p = malloc(4); free(p); free(p); }", Both),
    ("inside of an object", "{ char *p = malloc(4); free(p + one); }", Both),
    ("malloc did not make", "{ int y = one; free(&y); }", Both),
    ("which is gone", "{ int *p; { int y = one; p = &y; } x = *p; }", Both),
    ("a local that is gone", "x = *escape();", Both),
    ("which has 4", "{ char a[4] = \"abc\", b[8]; memcpy(b, a, 8 * one); }", Both),
    ("which has 4", "{ char a[4], b[8] = \"abcdefg\"; memcpy(a, b, 8 * one); }", Both),
    ("which has 4", "{ char a[4]; memset(a, 0, 5 * one); }", Both),
    ("which has 4", "{ char a[4]; strcpy(a, one ? \"abcdef\" : \"\"); }", Both),
    ("which has 4", "{ char a[4] = \"ab\"; strcat(a, one ? \"cd\" : \"\"); }", Both),
    ("which has 3", "{ char a[3]; strncpy(a, \"abcdef\", 5 * one); }", Both),
    ("which has 3", "{ char a[3]; sprintf(a, \"%d\", 1000 * one); }", Both),
    ("which has 4", "{ char a[4]; snprintf(a, 10 * one, \"%s\", \"abcdefg\"); }", Both),
    ("which has 2", "{ char a[2]; a[0] = a[1] = 65; x = strlen(a) == 77; }", Both),
    ("overlap", "{ char a[8] = \"abcdefg\"; copy(a + one, a, 4); }", Both),
    ("must not be changed", "{ char *p = (char *)(one ? \"abc\" : \"\"); p[0] = 66; }", Both),
    ("", "{ char a[16] = { 0 }; int *p = (int *)(a + one); x = *p; }", Sanitizer),
    ("__builtin_clz` of 0", "x = __builtin_clz(zero);", Both),
    ("the program says it does not", "if (one) __builtin_unreachable();", Both),
    ("freed", "{ int *p = malloc(4); *p = 1; free(p); *p; }", Here),
];

fn source() -> String {
    let mut text = String::from(
        "#include <limits.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         volatile int zero, one = 1, big = INT_MAX, x;\nstatic int statics[3];\n\
         struct s { int a[4]; int b; };\nstruct tail { int n; char t[2]; };\n\
         static int *escape(void) { int y = 5; int *p = &y, **q = &p; return *q; }\n\
         static void *(*volatile copy)(void *, const void *, unsigned long) = memcpy;\n\
         int main(int argc, char **argv) {\n    switch (atoi(argv[1])) {\n",
    );
    for (i, (_, what, _)) in CASES.iter().enumerate() {
        text.push_str(&format!("    case {i}: {what} break;\n"));
    }
    text.push_str("    }\n    return 0;\n}\n");
    text
}

#[test]
fn what_sanitizers_tell_is_told() {
    let folder = std::env::temp_dir().join(format!("c-undefined-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = source();
    let file = folder.join("undefined.c");
    std::fs::write(&file, &text).expect("a file");
    let line_of = |i: usize| {
        let start = format!("    case {i}: ");
        text.lines().position(|line| line.starts_with(&start)).expect("a line") + 1
    };
    let made = Command::new("gcc")
        .args(["-g", "-O0", "-w", "-fno-builtin-memcpy", "-fsanitize=address,undefined"])
        .args(["-fsanitize=float-cast-overflow", "-fno-sanitize-recover=undefined", "-o"])
        .args([folder.join("program").as_path(), &file])
        .output();
    let sanitized = made.is_ok_and(|made| made.status.success());
    if !sanitized {
        eprintln!("gcc has no sanitizers here: only what is told here is looked at");
    }
    let done = Command::new("cc").arg("-E").arg(&file).output().expect("cc starts");
    let unit = front_c::parse(&String::from_utf8_lossy(&done.stdout));
    let program = c_run::load(vec![unit], c_types::Model::LP64);
    let mut wrong = Vec::new();
    for (i, &(words, what, told)) in CASES.iter().enumerate() {
        let line = line_of(i);
        let args = vec![b"program".to_vec(), i.to_string().into_bytes()];
        let options = Options { args, scopes: true, ..Options::default() };
        let outcome = c_run::run(&program, &options, &mut Quiet);
        let mut here: Vec<(u32, String)> =
            outcome.undefined.iter().map(|r| (r.at.line, r.what.clone())).collect();
        if let Ending::Undefined(what) = &outcome.ending {
            let own = outcome.active.iter().rev().map(|(_, at)| at.line).next();
            here.push((own.unwrap_or(outcome.at.line), what.clone()));
        }
        let ours = here.iter().any(|(at, what)| *at as usize == line && what.contains(words));
        if ours != matches!(told, Both | Here) {
            wrong.push(format!("{what} is told here: {here:?}, line {line}"));
        }
        if !sanitized {
            continue;
        }
        let ran = Command::new(folder.join("program"))
            .arg(i.to_string())
            .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        // A jump to address 0 leaves nothing to say where from.
        let theirs = said.contains(&format!("undefined.c:{line}"))
            || said.contains("pc points to the zero page");
        if theirs != matches!(told, Both | Sanitizer) {
            wrong.push(format!("{what} is told by the sanitizer: {said}"));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
