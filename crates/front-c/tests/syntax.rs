//! What the parser reads, construct by construct, and what it does when it cannot.

use front_c::{ExprKind, Item, MAX_DEPTH, StmtKind, TypeKind, Unit, parse};

fn clean(text: &str) -> Unit {
    let unit = parse(text);
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    unit
}

fn names(unit: &Unit) -> Vec<&str> {
    unit.functions().map(|f| unit.name(f.name)).collect()
}

#[test]
fn gnu_c_is_read() {
    for text in [
        "int f(void) { return ({ int x = 1; x; }); }",
        "typedef int T; T f(T (*g)(T), T x) { return g((T) x) + sizeof(T) + sizeof x; }",
        "void f(void) { static void *t[] = { &&a, &&b }; goto *t[0]; a: b: ; }",
        "int f(int x) { __extension__ static const int y = 2; return x ?: y; }",
        "int f(int x) { switch (x) { case 1 ... 5: return 1; case 6: case 7: default: return 2; } }",
        "void f(int x) { asm volatile (\"nop\" : \"=r\"(x) : [a] \"r\"(x), \"m\"(x) : \"memory\"); }",
        "void f(void) { asm goto (\"jmp %l0\" : : : : out); out: return; }",
        "static __thread int x; _Thread_local int y; struct s { unsigned a : 3, : 0, b : 2; };",
        "struct p { int x, y; } q = { .x = 1, .y = 2 }; int a[] = { [2] = 1, [3 ... 5] = 2, 7 };",
        "struct p { int x; }; struct p f(void) { return (struct p) { .x = 1 }; }",
        "void g(int *); void f(void) { int x __attribute__((cleanup(g))) = 1; x++; }",
        "void die(void) __attribute__((noreturn)); _Noreturn void die2(int);",
        "int f(a, b) int a; char *b; { return a; }",
        "main() { return 0; }",
        "static x; f(p) { return p; }",
        "int (*f(int x))(double) { return 0; } int (*a[3])(void); int *(*(*b)(int))[2];",
        "typeof(int *) p; int x; __typeof__(x) y; void f(void) { __auto_type z = x; z++; }",
        "void f(int n, int a[static n], int b[*]); int g(int n, int a[n][n]) { return a[0][1]; }",
        "enum e { A, B = 2, C, }; enum e f(enum e x) { return x == A ? B : C; }",
        "int f(int T) { typedef int U; U T2 = T; return T2; } typedef int T; int g(T T) { return T; }",
        "#define x\n# 3 \"a.h\" 1\nint x;\n_Static_assert(sizeof(int) == 4, \"int\");",
        "int f(int x) { if (x) ; else if (x > 1) { } else while (x) do x--; while (x > 0); return x; }",
        "void f(void) { for (int i = 0, j = 1; i < j; i++, j--) continue; for (;;) break; }",
        "int f(void) { return _Generic(1, int: 2, default: 3) + __builtin_offsetof(struct s, a.b[1]); }",
        "void f(__builtin_va_list l) { int x = __builtin_va_arg(l, int *)[0]; }",
        "void f(int x) { switch (x) case 1: lbl: { } l2: __attribute__((unused)); }",
        "char *s = \"a\" \"b\\\"\" L\"c\"; int c = 'x' + L'\\'' + 0x1.8p-3;",
        "unsigned long long int a; long signed b; double long c; char unsigned d;",
        "struct a; union u { struct a *p; struct { int x; }; }; void f(union u *p) { p->x = 1; }",
        "int x = sizeof(int){1}; __int128 big; int f(int) __asm__(\"g\"); ;",
        "void (*signal(int sig, void (*func)(int)))(int);",
        "[[nodiscard]] int f(void); void g(void) { [[maybe_unused]] int x = 0; }",
    ] {
        clean(text);
    }
}

#[test]
fn types_are_kept() {
    let unit =
        clean("typedef struct bdd *bdd_ptr; static unsigned int f(bdd_ptr p, const char *s, ...);");
    let Item::Declaration(f) = &unit.items[0] else { panic!("a declaration") };
    let TypeKind::Function { result, params, variadic, unprototyped } = &unit.ty(f.ty).kind else {
        panic!("a function")
    };
    assert!(*variadic && !*unprototyped);
    assert!(matches!(unit.ty(*result).kind, TypeKind::Base(s) if unit.name(s) == "unsigned int"));
    assert!(
        matches!(unit.ty(params[0].ty).kind, TypeKind::Named(s, _) if unit.name(s) == "bdd_ptr")
    );
    let TypeKind::Pointer(c) = unit.ty(params[1].ty).kind else { panic!("a pointer") };
    assert!(unit.ty(c).is_const);
}

#[test]
fn operators_bind_as_in_c() {
    let unit = clean("int x = a = b ? c : d || e && f | g ^ h & i == j < k << l + m * -n;");
    // The last expression made is the whole: an assignment of a conditional.
    let last = &unit.exprs.last().expect("expressions").kind;
    let ExprKind::Assign(_, _, right) = last else { panic!("{last:?}") };
    assert!(matches!(unit.expr(*right).kind, ExprKind::Conditional(..)));
}

#[test]
fn one_bad_function_costs_one_function() {
    let unit = parse(
        "# 1 \"f.c\"\nint a(void) { return 1; }\nint b(void) { return @; }\nint c(void) { return 3; }\n",
    );
    assert_eq!(names(&unit), ["a", "c"]);
    let problem = &unit.problems[0];
    assert_eq!(unit.place(problem.at), ("f.c", 2));
    assert_eq!(problem.message, "expected an expression, found `@`");
    assert_eq!(problem.function.map(|f| unit.name(f)), Some("b"));
}

#[test]
fn line_markers_are_followed() {
    let unit = clean("# 10 \"dir/a \\\"b\\\".c\"\nint f(void)\n{\n#line 40\n  return 1;\n}\n");
    let ret = unit.stmts.iter().find(|s| matches!(s.kind, StmtKind::Return(_))).expect("a return");
    assert_eq!(unit.place(ret.at), ("dir/a \"b\".c", 40));
    assert_eq!(unit.place(unit.functions().next().expect("f").at), ("dir/a \"b\".c", 10));
}

#[test]
fn nesting_ends_in_a_problem_and_never_in_a_crash() {
    let deep = |n: usize, open: &str, close: &str| {
        format!("int f(void) {{ return {}1{}; }} int g;", open.repeat(n), close.repeat(n))
    };
    clean(&deep(200, "(", ")"));
    for (open, close) in [("(", ")"), ("-", ""), ("({ return ", "; })"), ("a[", "]"), ("f(", ")")] {
        let unit = parse(&deep(100_000, open, close));
        assert_eq!(unit.problems.len(), 1, "{open}");
        assert!(unit.problems[0].message.contains(&MAX_DEPTH.to_string()));
        assert!(names(&unit).is_empty());
    }
    let blocks = format!("void f(void) {}{} int g;", "{".repeat(100_000), "}".repeat(100_000));
    assert_eq!(parse(&blocks).problems.len(), 1);
    let stars = format!("int {}p;", "*".repeat(100_000));
    clean(&stars);
    // Chains are no nesting.
    clean(&format!("int f(void) {{ return 1{}; }}", " + 1".repeat(100_000)));
    clean(&format!("void f(int x) {{ {} ; }}", "if (x) ; else ".repeat(50_000)));
    clean(&format!("void f(int x) {{ x = {} 1; }}", "x = ".repeat(50_000)));
    clean(&format!("int f(int x) {{ return {} 1; }}", "x ? 2 : ".repeat(50_000)));
    let cases: String = (0..50_000).map(|i| format!("case {i}: ")).collect();
    clean(&format!("void f(int x) {{ switch (x) {{ {cases} ; }} }}"));
}

#[test]
fn any_text_is_survived() {
    // Pieces of C in an order that a fixed generator chooses.
    let pieces = [
        "int",
        "x",
        "(",
        ")",
        "{",
        "}",
        ";",
        "*",
        "=",
        ",",
        "[",
        "]",
        "if",
        "else",
        "struct",
        "a",
        "typedef",
        "\"s",
        "'",
        "1.5e",
        "case",
        ":",
        "?",
        "asm",
        "__attribute__",
        "((",
        "))",
        "\n",
        "# 7 \"f\"\n",
        "->",
        "...",
        "sizeof",
        "goto",
        "&&",
        "é",
        "\\",
        "/*",
        "//",
        "static",
        "enum",
    ];
    let mut state = 12345u64;
    for _ in 0..3_000 {
        let mut text = String::new();
        for _ in 0..40 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text += pieces[(state >> 33) as usize % pieces.len()];
            text.push(' ');
        }
        parse(&text);
    }
}
