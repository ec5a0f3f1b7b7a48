//! Nothing that can happen is called impossible: small programs with one trick of C each.
//!
//! Every program prints `L` when it is run; where there is a compiler, it is run. So the label is reached,
//! whatever is known of values on the way there.

use postbop::{
    CProgram, CText, EngineChoice, Input, Model, Options, Property, Search, SourceFile, Status,
    Watch, check, searchable,
};
use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;

/// A trick, declarations, and the body of `main`; `@` is the place that is reached.
const TRICKS: &[(&str, &str, &str)] = &[
    // Constants have types.
    ("narrowed", "", "unsigned char c = 300; if (c < 100) @"),
    ("narrowed, signed", "", "signed char c = 200; if (c < 0) @"),
    ("minus one is large", "", "unsigned x = -1; if (x > 5) @"),
    ("truth values are 0 and 1", "", "if ((_Bool)2 == 1) @"),
    ("truth values in a switch", "", "switch ((_Bool)2) { case 1: @ }"),
    ("unsigned difference", "", "if ((unsigned)1 - 2 > 0) @"),
    ("half of a double", "", "double d = 1; if (d / 2) @"),
    ("function without a sign", "static unsigned f(void) { return -1; }", "if (f() > 5) @"),
    ("function that tells a truth", "static _Bool f(void) { return 2; }", "if (f() == 1) @"),
    ("fixed and narrow", "static const unsigned char k = 300;", "if (k == 44) @"),
    ("fixed truth", "static _Bool k = 22;", "if (k <= 1) @"),
    ("assigned and compared", "enum { BIG = 300 };", "unsigned char c; if ((c = BIG) < 100) @"),
    ("assigned in a switch", "", "unsigned char c; switch (c = 257) { case 1: @ }"),
    ("bit-field", "struct s { unsigned b : 2; };", "struct s s; s.b = 5; if (s.b == 1) @"),
    ("bit-field with a sign", "struct s { int b : 3; };", "struct s s; s.b = 7; if (s.b < 0) @"),
    ("cast that cuts", "", "int x = (unsigned char)300; if (x == 44) @"),
    ("suffix", "", "if (-1 > 0u) @"),
    ("long and unsigned", "", "if (-1L < 0u) @"),
    ("hexadecimal constants", "", "if (0x80000000 > 0) @"),
    ("shift of what has no sign", "", "if (-1u >> 31 == 1) @"),
    ("complement", "", "unsigned char c = 0; if (~c < 0) @"),
    ("character with a sign", "", "signed char c = '\\377'; if (c == -1) @"),
    ("size of a type", "", "if (sizeof(int) - 5 > 0) @"),
    ("case converted", "", "unsigned u = -1; switch (u) { case -1: @ }"),
    ("range of cases", "", "unsigned char c = 260; switch (c) { case 1 ... 9: @ }"),
    ("parameter is narrow", "static int f(unsigned char c) { return c < 100; }", "if (f(300)) @"),
    ("conditional converts", "", "if ((1 ? -1 : 0u) > 0) @"),
    ("compound assignment", "", "unsigned char c = 255; c += 1; if (!c) @"),
    ("constant of a narrower type", "static long long g = 4;", "g = -6; if (g > 295u) return 1; @"),
    ("arms of a conditional", "", "long x = 1 ? -1 : 0u; if (x > 0) @"),
    ("size of an array type", "", "if (sizeof(char[34]) == 34) @"),
    ("size with an effect", "", "int n = 0; if (sizeof(char[++n]) == 1) { if (n) @ }"),
    (
        "size of a parameter with an effect",
        "static int h; static void f(int n, int a[h++ + n]) {}",
        "int a[4]; if (!h) { f(2, a); if (h) @ }",
    ),
    ("typedef in a block", "typedef int t;", "{ typedef unsigned char t; if ((t)300 == 44) @ }"),
    // A number becomes another one where it is cut.
    (
        "a fraction cut by a cast",
        "",
        "float f = 0.1f; double d = 0.1; if (f != d && (float)d == f) @",
    ),
    (
        "a fraction cut by an assignment",
        "",
        "double d = 0.1; float f = d; long double l = d; if (f != d && f == (float)l) @",
    ),
    (
        "two that become one",
        "",
        "double a = 1, b = 1 + 1e-15; if (a < b && !((float)a < (float)b)) @",
    ),
    // Verifiers take such a call for a failure; the program goes on.
    (
        "an error function that comes back",
        "static int e; void reach_error(void) { e = 1; }",
        "reach_error(); if (e) @",
    ),
    // Memory that is written as another type than it has.
    (
        "a member written as a wider number",
        "struct s { int f, g; }; static void w(long *p) { *p = 0; }\n\
         static int t(struct s *x) { if (x->f == 1) { w((long *)x); if (x->f != 1) return 1; } return 0; }",
        "struct s x = {1, 1}; if (t(&x)) @",
    ),
    (
        "a member written as that of another record",
        "struct a { int f, g; }; struct b { int p, q; }; static void w(struct b *b) { b->q = 0; }\n\
         static int t(struct a *x) { if (x->g == 1) { w((struct b *)x); if (x->g != 1) return 1; } return 0; }",
        "struct a x = {1, 1}; if (t(&x)) @",
    ),
    (
        "a number written in halves",
        "static void w(short *p) { p[0] = p[1] = 0; } static int x = 1;\n\
         static int t(int *x) { if (*x == 1) { w((short *)x); if (*x != 1) return 1; } return 0; }",
        "if (t(&x)) @",
    ),
    (
        "a number written as a fraction",
        "static void w(void *p) { float *f = p; *f = 0; } static int x = 1;\n\
         static int t(int *x) { if (*x == 1) { w(x); if (*x != 1) return 1; } return 0; }",
        "if (t(&x)) @",
    ),
    (
        "a variable that is a record",
        "int v = 1; struct a { int f; };",
        "struct a *p = (struct a *)&v; if (p->f == 1) { v = 0; if (p->f != 1) @ }",
    ),
    (
        "what is printed is counted",
        "int printf(const char *, ...); static int x = 1;\n\
         static int t(int *x) { if (*x == 1) { printf(\"..%n\\n\", x); if (*x != 1) return 1; } return 0; }",
        "if (t(&x)) @",
    ),
    // Aliases.
    ("alias, direct", "", "int x = 0, *p = &x; if (!*p) { x = 1; if (*p) @ }"),
    (
        "alias of a member",
        "struct s { int a; };",
        "struct s s = {0}, *p = &s; if (!p->a) { s.a = 1; if (p->a) @ }",
    ),
    ("alias of an array", "", "int x[1] = {0}, *p = x; if (!*p) { x[0] = 1; if (*p) @ }"),
    (
        "alias of a result",
        "static int one(void) { return 1; }",
        "int x = 0, *p = &x; if (!*p) { x = one(); if (*p) @ }",
    ),
    (
        "alias set by a callee",
        "static int g, *p = &g; static void set(void) { g = 1; }",
        "if (!*p) { set(); if (*p) @ }",
    ),
    (
        "alias of a union",
        "",
        "union { int i; char c[4]; } u; u.i = 0; char *p = u.c; \
     if (!u.i) { p[0] = 1; if (u.i) @ }",
    ),
    (
        "alias in a static table",
        "static int g; static int *t[] = { &g };",
        "if (!g) { *t[0] = 1; if (g) @ }",
    ),
    (
        "another name",
        "int x; extern int y __attribute__((alias(\"x\")));",
        "x = 0; y = 1; if (x) @",
    ),
    // Order is not total.
    (
        "no number",
        "",
        "volatile double z = 0; double n = z / z; if (!(n < 1)) { if (!(n >= 1)) @ }",
    ),
    (
        "no number, twice",
        "",
        "volatile double z = 0; double n = z / z, m = 1; \
     if (n < m) return 1; if (n >= m) return 1; @",
    ),
    // Counting.
    ("wraps", "", "unsigned char i = 255; i++; if (i < 1) @"),
    ("wraps downwards", "", "unsigned i = 0; i--; if (i > 5) @"),
    (
        "counts in a callee",
        "static int i, n; static void back(void) { if (!n++) i = -5; }",
        "for (i = 0; i < 1; i++) { back(); if (i < -3) @ }",
    ),
    (
        "counts for ever",
        "static int calls(void) { static int n; n++; return n; }",
        "calls(); if (calls() == 2) @",
    ),
    (
        "constant in a loop",
        "",
        "int done = 0; for (int i = 0; i < 2; i++) { const int x = i; if (x) { if (done) @ } else done = 1; }",
    ),
    // Scopes of enumerators.
    ("enumerator hidden", "enum { A = 0 };", "{ enum { A = 1 }; } if (A == 0) @"),
    ("enumerator in a block", "enum { A = 0 };", "enum { A = 1 }; if (A) @"),
    ("enumerator as a parameter", "enum { A }; static int f(int A) { return A; }", "if (f(1)) @"),
    (
        "enumerator in a cast",
        "enum { A = 1 };",
        "if ((int)sizeof(enum { A = 5 })) { if (A == 5) @ }",
    ),
    ("enumeration without a sign", "enum e { A, B };", "enum e e = -1; if (e > 1) @"),
    // What others change.
    (
        "volatile",
        "static volatile int v; static volatile int *p = &v;",
        "if (!v) { *p = 1; if (v) @ }",
    ),
    (
        "handler",
        "#include <signal.h>\nstatic int got; static void h(int s) { got = s; }",
        "signal(SIGINT, h); if (!got) { raise(SIGINT); if (got) @ }",
    ),
    (
        "in a handler",
        "#include <signal.h>\nstatic void h(int s) { (void)s; @ }",
        "signal(SIGINT, h); raise(SIGINT);",
    ),
    (
        "in a comparator",
        "#include <stdlib.h>\n\
     static int c(const void *a, const void *b) { (void)a; (void)b; @ return 0; }",
        "int x[2] = {2, 1}; qsort(x, 2, sizeof *x, c);",
    ),
    (
        "by a comparator",
        "#include <stdlib.h>\nstatic int n;\
     static int c(const void *a, const void *b) { (void)a; (void)b; n = 1; return 0; }",
        "int x[2] = {2, 1}; if (!n) { qsort(x, 2, sizeof *x, c); if (n) @ }",
    ),
    ("at exit", "#include <stdlib.h>\nstatic void f(void) @", "atexit(f);"),
    ("at an early exit", "#include <stdlib.h>\nstatic void f(void) @", "atexit(f); exit(0);"),
    ("constructor", "__attribute__((constructor)) static void f(void) @", ""),
    (
        "set by a constructor",
        "static int n; __attribute__((constructor)) static void f(void) { n = 1; }",
        "if (n) @",
    ),
    ("destructor", "__attribute__((destructor)) static void f(void) @", ""),
    (
        "constructors by their numbers",
        "static int n; __attribute__((constructor(300))) static void f(void) { n = n * 2 + 1; }\n\
         __attribute__((constructor(200))) static void g(void) { n = 4; }",
        "if (n == 9) @",
    ),
    (
        "constructors with a number come first",
        "static int n; __attribute__((constructor)) static void f(void) { n = n * 2 + 1; }\n\
         __attribute__((constructor(200))) static void g(void) { n = 4; }",
        "if (n == 9) @",
    ),
    (
        "constructors in the order of their definitions",
        "static int n; static void g(void) __attribute__((constructor)); static void f(void) __attribute__((constructor));\n\
         static void f(void) { n = n * 2 + 1; } static void g(void) { n *= 4; }",
        "if (n == 4) @",
    ),
    (
        "a constructor by its declaration",
        "static int n; static void f(void) __attribute__((constructor)); static void f(void) { n = 1; }",
        "if (n) @",
    ),
    (
        "a declaration in a block",
        "static int n; void f(void) { n = 1; } void (*use(void))(void) { extern void f(void) __attribute__((constructor)); return f; }",
        "if (use() && n) @",
    ),
    (
        "constructor and destructor",
        "static int n; __attribute__((constructor, destructor)) static void f(void) { if (n++) @ }",
        "",
    ),
    (
        "destructors in the opposite order",
        "static int n; __attribute__((destructor(200))) static void f(void) { if (n == 4) @ }\n\
         __attribute__((destructor(300))) static void g(void) { n += 2; } __attribute__((destructor)) static void h(void) { n *= 2; }",
        "n = 1; return 0;",
    ),
    (
        "destructors of one number",
        "static int n; __attribute__((destructor)) static void f(void) { if (n == 2) @ }\n\
         __attribute__((destructor)) static void g(void) { n *= 2; }",
        "n = 1;",
    ),
    (
        "behind what atexit was given",
        "#include <stdlib.h>\nstatic int n; static void f(void) { n = n * 2; }\n\
         __attribute__((destructor)) static void g(void) { if (n == 6) @ }",
        "n = 3; atexit(f); exit(0);",
    ),
    (
        "a table of what runs first",
        "static int n; static void f(void) { n++; } static void g(void) { n *= 4; }\n\
         static void (*t[])(void) __attribute__((section(\".init_array\"), used, aligned(8))) = { f, g };",
        "if (n == 4) @",
    ),
    (
        "tables with numbers",
        "static int n; static void f(void) { n++; } static void g(void) { n = 6; }\n\
         __attribute__((section(\".init_array.00300\"), used)) static void (*t)(void) = f;\n\
         __attribute__((section(\".init_array.00200\"), used)) static void (*u)(void) = g;",
        "if (n == 7) @",
    ),
    (
        "a table in a function",
        "static int n; static void f(void) { n = 1; }\n\
         void (*use(void))(void) { static void (*t)(void) __attribute__((section(\".init_array\"), used)) = f; return t; }",
        "if (n) @",
    ),
    (
        "what comes before all",
        "static int n; static void f(void) { n = 2; } __attribute__((constructor(101))) static void g(void) { n *= 3; }\n\
         static void (*t)(void) __attribute__((section(\".preinit_array\"), used)) = f;",
        "if (n == 6) @",
    ),
    (
        "a table of what runs last",
        "static int n; static void f(void) { if (n == 2) @ } static void g(void) { n = 2; }\n\
         static void (*t[])(void) __attribute__((section(\".fini_array\"), used, aligned(8))) = { f, g };",
        "",
    ),
    (
        "a constructor with the arguments of the program",
        "static int n; __attribute__((constructor)) static void f(int c, char **v) { n = c + (v != 0); }",
        "if (n == 2) @",
    ),
    ("a time that is written", "#include <time.h>", "time_t t = 0; if (!t) { time(&t); if (t) @ }"),
    (
        "a date that is written",
        "#define _XOPEN_SOURCE 700\n#include <time.h>\n#include <string.h>\n\
         char *strptime(const char *, const char *, struct tm *);",
        "struct tm m; memset(&m, 0, sizeof m); strptime(\"2020-01-05\", \"%Y-%m-%d\", &m); if (m.tm_mday == 5) @",
    ),
    (
        "bytes that are swapped",
        "#include <unistd.h>\nvoid swab(const void *, void *, ssize_t); static char c[4];",
        "if (!c[0]) { swab(\"ab\", c, 2); if (c[0] == 'b') @ }",
    ),
    (
        "what a vector points to",
        "#include <sys/uio.h>\n#include <unistd.h>\nstatic char a, b;",
        "int p[2]; if (pipe(p) || write(p[1], \"ab\", 2) != 2) return 1;\n\
         struct iovec v[2] = {{&a, 1}, {&b, 1}}; if (!b) { if (readv(p[0], v, 2) == 2 && b) @ }",
    ),
    (
        "the second descriptor",
        "int pipe2(int *, int);",
        "int p[2] = {-1, -1}; if (p[1] == -1) { pipe2(p, 0); if (p[1] != -1) @ }",
    ),
    (
        "the second match",
        "#include <regex.h>",
        "regex_t r; regcomp(&r, \"a(b)\", REG_EXTENDED); regmatch_t m[2] = {{9, 9}, {9, 9}};\n\
         if (m[1].rm_so == 9) { regexec(&r, \"xab\", 2, m, 0); if (m[1].rm_so == 2) @ }",
    ),
    (
        "how far a text was converted",
        "#include <wchar.h>",
        "const char *p = \"ab\", *o = p; mbstate_t s = {0}; wchar_t w[4]; mbsrtowcs(w, &p, 4, &s); if (p != o) @",
    ),
    (
        "errno behind an open",
        "#include <errno.h>",
        "errno = 0; if (!errno) { fopen(\"/nonexistent/x\", \"r\"); if (errno) @ }",
    ),
    (
        "errno through a function",
        "#include <errno.h>\nstatic int e(void) { return errno; }",
        "errno = 0; if (!e()) { fopen(\"/nonexistent/x\", \"r\"); if (e()) @ }",
    ),
    (
        "errno behind what has a contract",
        "#include <errno.h>\nint setenv(const char *, const char *, int);",
        "errno = 0; if (!errno) { setenv(\"=\", \"\", 1); if (errno) @ }",
    ),
    (
        "errno behind what prints",
        "#include <errno.h>\n#include <wchar.h>",
        "errno = 0; if (!errno) { printf(\"%ls\", L\"\\x7fffffff\"); if (errno) @ }",
    ),
    (
        "a hook of fork",
        "#include <pthread.h>\n#include <unistd.h>\nstatic int g; static void f(void) { g = 1; }",
        "pthread_atfork(f, 0, 0); if (!g) { if (fork() == 0) _exit(0); if (g) @ }",
    ),
    (
        "a hook of printf",
        "#include <printf.h>\nstatic int g; static int t(const struct printf_info *i, size_t n, int *a, int *s) { return 0; }\n\
         static int p(FILE *s, const struct printf_info *i, const void *const *a) { g = 1; return 0; }",
        "register_printf_specifier('Y', p, t); if (!g) { printf(\"%Y\\n\"); if (g) @ }",
    ),
    (
        "memory that is given back",
        "#define _DEFAULT_SOURCE\n#include <sys/mman.h>\nint madvise(void *, size_t, int);",
        "int *p = mmap(0, 4096, 3, MAP_PRIVATE | 32, -1, 0); *p = 1; if (*p) { madvise(p, 4096, 4); if (!*p) @ }",
    ),
    (
        "a name with characters by their numbers",
        "static int \\u00e9t\\U000000e9;",
        "\\u00e9t\\u00e9 = 2; if (été == 2) @",
    ),
    (
        "a child in the same memory",
        "#include <unistd.h>\n#include <sys/wait.h>\nstatic int n;",
        "if (!n) { if (vfork() == 0) { n = 1; _exit(0); } if (n) @ }",
    ),
    (
        "an array that the library writes",
        "static char b[BUFSIZ];",
        "if (b[0] == 0) { setbuf(stdout, b); printf(\"x\"); if (b[0] == 'x') @ }",
    ),
    (
        "an array of its own size that the library writes",
        "static char b[256];",
        "setvbuf(stdout, b, _IOFBF, sizeof b); if (b[1] == 0) { fputs(\"xy\", stdout); if (b[1] == 'y') @ }",
    ),
    (
        "jump in one frame",
        "#include <setjmp.h>\nstatic jmp_buf b;",
        "volatile int n = 0; if (setjmp(b)) @ else { n = 1; longjmp(b, 1); }",
    ),
    (
        "changed before a jump",
        "#include <setjmp.h>\nstatic jmp_buf b;",
        "volatile int n = 0; setjmp(b); if (n) @ else { n = 1; longjmp(b, 1); }",
    ),
    (
        "jump out of a callback",
        "#include <setjmp.h>\n#include <stdlib.h>\nstatic jmp_buf b;\
     static int c(const void *x, const void *y) { (void)x; (void)y; longjmp(b, 1); }",
        "int x[2] = {2, 1}; if (setjmp(b)) @ else qsort(x, 2, sizeof *x, c);",
    ),
    (
        "assembler",
        "static int g;",
        "int *p = &g; if (!g) { __asm__ volatile(\"movl $1, %0\" : \"=m\"(*p)); \
     if (g) @ }",
    ),
    (
        "assembler that says memory",
        "static int g; static int *p = &g;",
        "if (!g) { __asm__ volatile(\"movl $1, (%0)\" : : \"r\"(p) : \"memory\"); if (g) @ }",
    ),
    ("name for the linker", "void g(void) { @ } void f(void) __asm__(\"g\");", "f();"),
    (
        "alias of a function",
        "static int g(void) { return 1; } int f(void) __attribute__((alias(\"g\")));",
        "if (f()) @",
    ),
    (
        "another record",
        "struct o { int k; void (*f)(void); }; struct q { int k; void (*g)(void); };\
     static void h(void) @",
        "struct o a = { 1, h }; void *p = &a; struct q *r = p; r->g();",
    ),
    (
        "another function type",
        "static void h(int x) { (void)x; @ }",
        "void (*p)(void) = (void (*)(void))h; p();",
    ),
    (
        "called with another sign",
        "static int h(int x) { @ return x; }",
        "unsigned (*p)(unsigned) = (unsigned (*)(unsigned))h; p(1);",
    ),
    (
        "defined by its name for the linker",
        "int a(void) __asm__(\"b\"); int a(void) { @ return 0; } int b(void);",
        "b();",
    ),
    ("weak", "__attribute__((weak)) int f(void) { return 1; }", "if (f()) @"),
    ("weak and not there", "extern int f(void) __attribute__((weak));", "if (f) return f(); @"),
    ("weak object", "extern int x __attribute__((weak));", "if (&x) return x; @"),
    (
        "weak, in a table",
        "extern int f(void) __attribute__((weak)); int (*t[])(void) = { f };",
        "if (t[0]) return 1; @",
    ),
    ("weak by a pragma", "extern int f(void);\n#pragma weak f\n", "if (f) return f(); @"),
    (
        "alias by a pragma",
        "int g(void) { @ return 1; }\n#pragma weak f = g\nextern int f(void);",
        "f();",
    ),
    (
        "linker's name by a pragma",
        "int g(void) { @ return 1; }\n#pragma redefine_extname f g\nextern int f(void);",
        "f();",
    ),
    (
        "linker's name in a block",
        "int g(void) { @ return 1; }",
        "extern int f(void) __asm__(\"g\"); f();",
    ),
    (
        "size of an array",
        "static int n; static int f(void) { n = 1; return 3; }",
        "if (!n) { int a[f()]; a[0] = 0; if (n + a[0]) @ }",
    ),
    ("part of a number", "", "_Complex double z = 0; __real__ z = 1; if (z) @"),
    (
        "label of a block",
        "",
        "int n = 0; { __label__ l; l:; if (n == 2) @ if (n++ < 2) goto l; } l:;",
    ),
    ("long double", "", "long double d = 0.1L; if (d != 0.1) @"),
    ("chosen by type", "", "if (_Generic(1u, int: 0, unsigned: 1)) @"),
    ("type of the value", "", "__auto_type x = 300; __typeof__(x) y = 1; if (x - 299 == y) @"),
    (
        "cleanup",
        "static int n; static void f(int *p) { n = *p; }",
        "{ __attribute__((cleanup(f))) int x = 1; } if (n) @",
    ),
];

fn text(declarations: &str, body: &str) -> String {
    let place = "{ L: puts(\"L\"); }";
    format!(
        "#include <stdio.h>\n{}\nint main(void) {{ {} return 0; }}\n",
        declarations.replace('@', place),
        body.replace('@', place)
    )
}

fn preprocessed(text: &str) -> Option<String> {
    let mut child = Command::new("cc")
        .args(["-E", "-x", "c", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let out = child.wait_with_output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

fn asked(text: String, properties: &[Property], options: Options) -> Vec<Status> {
    let c = CProgram::new(vec![CText { name: "t.c".to_owned(), text, directory: None }]);
    let c = Some(Arc::new(c.expect("it parses")));
    let options = Options {
        input: Input { c, ..options.input.clone() },
        search: Search { vacuity: false, ..options.search.clone() },
        ..options
    };
    let file = Arc::new(SourceFile::new("t.c", "").expect("short"));
    let report = check(&[file], properties, &options, &Watch::default()).expect("it is checked");
    report.results.iter().map(|r| r.status).collect()
}

#[test]
#[allow(clippy::print_stderr)]
fn what_happens_is_possible() {
    if preprocessed("").is_none() {
        eprintln!("skipped: there is no `cc`");
        return;
    }
    let (reach, never) = (Property::reach("L"), Property::ltl("G !at(L)"));
    let mut wrong = Vec::new();
    for (trick, declarations, body) in TRICKS {
        let text = text(declarations, body);
        let text = preprocessed(&text).unwrap_or_else(|| panic!("{trick}: {text}"));
        let found = asked(text, &[reach.clone(), never.clone()], Options::default());
        if found != [Status::Reachable, Status::Violated] {
            wrong.push((trick, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The same with the program's data. What is not covered is not said to be impossible.
#[test]
#[allow(clippy::print_stderr)]
fn what_happens_is_possible_with_data() {
    if preprocessed("").is_none() {
        eprintln!("skipped: there is no `cc`");
        return;
    }
    let (mut wrong, mut found) = (Vec::new(), 0);
    for (trick, declarations, body) in TRICKS {
        let text = text(declarations, body);
        let text = preprocessed(&text).unwrap_or_else(|| panic!("{trick}: {text}"));
        let texts = vec![CText { name: "t.c".to_owned(), text: text.clone(), directory: None }];
        let data = Some(Arc::new(searchable(texts, Model::default())));
        let mut options = Options::from(Input { data, ..Input::default() });
        options.search.engine = EngineChoice::Bounded;
        options.search.bound = Some(5);
        match asked(text, &[Property::reach("L")], options)[..] {
            [Status::Reachable] => found += 1,
            [Status::Unknown] => {}
            ref other => wrong.push((trick, other.to_vec())),
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(3 * found > 2 * TRICKS.len(), "only {found} of {} are found", TRICKS.len());
}

/// A variable that only the start of the program speaks of, beside values that nothing reads: the run that
/// is found starts somewhere.
#[test]
fn runs_start_where_the_program_starts() {
    let text = "unsigned char g; int nd(void); int main(void) { int y = nd(); if (y) ; else { y = 3; L: ; } \
                y++; return 0; }";
    let options = || Options::from(Input { keep: vec![("g".to_owned(), 8)], ..Input::default() });
    let questions = [Property::reach("L"), Property::ltl("G !at(L)")];
    let found = asked(text.to_owned(), &questions, options());
    assert_eq!(found, [Status::Reachable, Status::Violated]);
}

/// The programs themselves: what is said of them above happens.
#[test]
#[allow(clippy::print_stderr)]
fn what_is_claimed_happens() {
    let dir = std::env::temp_dir().join(format!("postbop-tricks-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let (source, binary) = (dir.join("t.c"), dir.join("t"));
    for (trick, declarations, body) in TRICKS {
        std::fs::write(&source, text(declarations, body)).expect("a file");
        let built = Command::new("cc")
            .args(["-w", "-O0", "-fwrapv", "-pthread", "-o"])
            .arg(&binary)
            .arg(&source)
            .status();
        if !built.is_ok_and(|s| s.success()) || !cfg!(target_arch = "x86_64") {
            eprintln!("skipped: {trick}: there is no `cc` for x86-64 that takes it");
            continue;
        }
        let out = Command::new(&binary).output().expect("it runs").stdout;
        assert!(String::from_utf8_lossy(&out).contains('L'), "{trick}");
    }
    std::fs::remove_dir_all(&dir).ok();
}
