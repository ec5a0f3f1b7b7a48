//! What the parser reads, construct by construct, and what it does when it cannot.

use crate::property::property;
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
        // Attributes wherever a compiler takes them.
        "int __attribute__((a)) f __attribute__((b)) (int x __attribute__((unused)), [[maybe_unused]] int y);",
        "struct __attribute__((packed)) s { int x __attribute__((aligned(8))), y; } __attribute__((aligned(16))) v;",
        "enum __attribute__((packed)) e { A __attribute__((deprecated)) = 1, B [[deprecated]] } __attribute__((unused));",
        "void f(int x) { switch (x) { case 1: x++; __attribute__((fallthrough)); case 2: [[fallthrough]]; default: ; } }",
        "void f(void) { __attribute__((unused)) static int x; int *__attribute__((may_alias)) p; l: __attribute__((cold)) ; }",
        "typedef int T __attribute__((mode(DI))); __attribute__((noinline, cold)) static void g(T x) { }",
        "int (__attribute__((cdecl)) *p)(int); _Alignas(16) char b[16]; alignas(8) int c; __declspec(noinline) int h(void);",
        "void f(void) { for (__attribute__((unused)) int i = 0; i < 1; i++) ; if (1) __attribute__((unused)) int; }",
        // K&R and implicit int.
        "static f(x, y, p) register x; unsigned y; struct s { int a; } *p; { extern g(); return g(x, y); }",
        "char *f(s, n, cmp) char *s; int (*cmp)(), n; { auto i; register const j = 1; return s; }",
        "f(), g(), *h(); x, *y; const z = 1; volatile w; unsigned u; main(argc, argv) char **argv; { }",
        "typedef int T; int f(a, T2) T a; T T2; { return a; } int (g)(x) { return x; }",
        // Types that compilers add.
        "typedef int v4 __attribute__((vector_size(16))); v4 f(v4 a, v4 b) { return a + b == (v4) { 1, 2, 3, 4 } ? a : b; }",
        "_Float16 a; _Float32 b; _Float64x c; __float128 d; _Decimal64 e; __bf16 f; _Complex double g = 1.0i; __int128 h; unsigned __int128 i;",
        "typedef float v2 __attribute__((vector_size(8))); typedef int i2 __attribute__((vector_size(8))); i2 f(v2 x) { return __builtin_convertvector(x, i2); }",
        "int __seg_gs *p; _Atomic(int) a; _Atomic int b; int *_Atomic c; int *restrict d;",
        // Statement expressions, typeof, jumps.
        "#define M\n#pragma pack(1)\n_Pragma(\"once\") int f(int x) { _Pragma(\"a b\") return ({ __label__ l; goto l; l: x; }) + (({ ; }), 1); }",
        "int x; typeof(x) *p; typeof(int[3]) a; typeof(({ int y = 1; y; })) b; __typeof__(&x) q; typeof_unqual(const int) c;",
        "void f(int n) { void *l = n ? &&a : &&b; goto *(n ? l : &&b); a: b: ; } void g(int i) { static const int o[] = { &&x - &&y, 0 }; x: y: goto *(&&x + o[i]); }",
        "int f(int x) { asm volatile goto (\"\" :: \"r\"(x) : \"memory\", \"cc\" : a, b); a: return 1; b: return 2; }",
        "register int sp asm(\"rsp\"); int f(void) __asm__(\"g\" \"2\") __attribute__((pure)); asm(\".globl x\"); void h(void) { asm(\"nop\"); asm inline (\"\" ::: ); }",
        "int f(int x) { return x ? : 2; } int g(int x, int y) { return x ?: y ?: 3; } int h(char c) { switch (c) { case 'a' ... 'z': case '0'...'9': return 1; } return 0; }",
        "struct s { int a : 3; unsigned : 0; const int b : 2, c : sizeof(int); _Bool d : 1; struct { int e; }; union { int f; int g[0]; }; int h[]; };",
        "struct p { int x[3]; struct { int y; } z; } a = { .x = { [0 ... 1] = 1, [2] = 2 }, .z.y = 3, }, b = { x: { 1 }, z: { y: 2 } }, c[] = { [1].x[2] = 4, { }, }, d = {};",
        "int *f(void) { return (int []) { 1, 2, [5] = 3 }; } struct s { int x; } *p = &(struct s) { .x = 1 }; int g(void) { return ((struct s) { 2 }).x++; }",
        "int f(int x) { return _Generic((x), int: f, const char *: g, struct { int a; } *: 0, default: h)(x) + _Generic(x, default: 1); }",
        "_Static_assert(1); static_assert(sizeof(int) > 1, \"a\" \"b\"); struct s { int a; _Static_assert(1, \"\"); }; void f(void) { _Static_assert(1, \"\"); }",
        "int f(void *p) { return __builtin_choose_expr(1, 2, p) + __builtin_types_compatible_p(typeof(p), void *) + __builtin_offsetof(struct { int a[2]; }, a[1]); }",
        // C23, as far as it is cheap.
        "bool f(bool x) { return x ? true : false; } void *p = nullptr; constexpr int n = 1'000'000; thread_local int t; auto y = 1; _BitInt(7) z;",
        "enum e : unsigned char { A, B }; typeof(nullptr) q; int g(int, char *) { l: int x = 1; return x; case_: }",
        "typedef int bool; typedef enum { false, true } truth; bool h(truth t) { return t == true; }",
        "typedef unsigned char bool; bool h(bool bool) { return bool; }",
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
fn a_function_inside_a_function_is_unknown_by_name() {
    let unit = parse(
        "# 1 \"f.c\"\nint outer(int x) { int inner(int y) { return x + y; } return inner(1); }\nint after(void) { return 3; }\n",
    );
    assert_eq!(names(&unit), ["after"]);
    assert_eq!(unit.problems[0].message, "a function inside a function");
    assert_eq!(unit.problems[0].function.map(|f| unit.name(f)), Some("outer"));
    let s = front_c::skeleton(&[unit]);
    let warnings: Vec<String> = s.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["f.c:1:37: `outer` is left out: a function inside a function"]);
}

#[test]
fn what_attributes_say_is_kept() {
    for text in [
        "void g(int *); void f(void) { __attribute__((cleanup(g))) int x = 1; }",
        "void g(int *); void f(void) { [[gnu::cleanup(g)]] int x = 1; }",
        "void g(int *); void f(void) { __attribute__((cleanup(g))) static int x = 1; }",
        "void g(int *); void f(void) { int __attribute__((__cleanup__(g))) x = 1, *y; }",
        "void g(int *); void f(void) { int y, x __attribute__((unused, cleanup(g))); }",
    ] {
        let unit = clean(text);
        let declared = unit.stmts.iter().find_map(|s| match &s.kind {
            StmtKind::Declare(all) => all.iter().find(|d| unit.name(d.name) == "x"),
            _ => None,
        });
        let cleanup = declared.and_then(|d| d.attributes.cleanup);
        assert_eq!(cleanup.map(|f| unit.name(f)), Some("g"), "{text}");
    }
    for text in [
        "void f(void) __attribute__((noreturn));",
        "__attribute__((cold, __noreturn__)) void f(void);",
        "_Noreturn void f(void);",
        "[[noreturn]] void f(void);",
        "static inline __attribute__((noreturn)) void f(void) { for (;;) ; }",
        "void __attribute__((noreturn)) (f)(void);",
    ] {
        let unit = clean(text);
        let noreturn = match &unit.items[0] {
            Item::Function(f) => f.attributes.noreturn,
            Item::Declaration(d) => d.attributes.noreturn,
        };
        assert!(noreturn, "{text}");
    }
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
    let nested = |before: &str, open: &str, middle: &str, close: &str, after: &str| {
        let (open, close) = (open.repeat(100_000), close.repeat(100_000));
        let unit = parse(&format!("{before}{open}{middle}{close}{after} int g;"));
        assert_eq!(unit.problems.len(), 1, "{:?}", unit.problems.first());
    };
    nested("", "typeof(", "int", ")", " x;");
    nested("", "_Atomic(", "int", ")", " x;");
    nested("int x = ", "sizeof(", "int", ")", ";");
    nested("int x = ", "(int)", "1", "", ";");
    nested("int x = ", "1 ? ", "1", " : 2", ";");
    nested("int x[] = ", "{", "1", "}", ";");
    nested("int ", "(", "x", ")", ";");
    nested("int ", "(*", "x", ")(void)", ";");
    nested("void f(", "int (*)(", "int", ")", ");");
    nested("struct s ", "{ struct ", "{ int x; }", " y; }", ";");
    nested("void f(int x) { ", "if (x) ", ";", "", "}");
    nested("void f(int x) { ", "for (;;) ", ";", "", "}");
    nested("void f(int x) { ", "{", ";", "}", "}");
    nested("enum e ", "{ A = sizeof(enum ", "{ B }", ") }", ";");
    nested("int x[] = { ", "[sizeof(int[]) { ", "1", " }] = 1", "};");
    nested("int x = ", "_Generic(", "1", ", int: 1)", ";");
    nested("int x = ", "__builtin_choose_expr(1, ", "1", ", 2)", ";");
    nested("int x = ", "__builtin_offsetof(typeof(", "1", "), a)", ";");
    nested("int x = ", "(int) { ", "1", " }", ";");
    nested("int x", "[sizeof(int", "", ")]", ";");
    nested("void f(int x) { ", "while (x) ", ";", "", "}");
    nested("void f(int x) { ", "do ", ";", "while (x);", "}");
    nested("void f(int x) { ", "switch (x) ", ";", "", "}");
    nested("int x = ", "_Generic(1, int: ", "1", ")", ";");
    nested("enum ", ": enum ", "e", "", " x;");
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
        property(&text);
    }
}

#[test]
fn recovery_does_not_look_at_a_file_again_and_again() {
    for line in [
        "int f( {\n",
        "int f( (\n",
        "struct s {\n int x;\n",
        "void f() { if (x) {\n",
        "int a[] = { {\n",
        "@\n",
        "f(){a;\n",
        "x y z\n",
        "{{{\n",
        "}\n",
        "__attribute__((\n",
        "[[a\n",
        "int f(void) { __label__ a, b\n",
        "int x = __builtin_offsetof(struct s, a\n",
        "int f(void) { __attribute__((\n",
        "a ? b ? c\n",
        "enum { A =\n",
    ] {
        let unit = parse(&line.repeat(100_000));
        assert!(!unit.problems.is_empty(), "{line}");
    }
    // What follows an unclosed function is read all the same.
    let text = format!(
        "int a(void) {{ if (1) {{ }}\n{}int z(void) {{ return 1; }}\n",
        "int b;\n".repeat(1_000)
    );
    assert_eq!(names(&parse(&text)), ["z"]);
}

/// A text that has a little of everything.
const SAMPLE: &str = include_str!("../../../../fuzz/seeds/c_text/sample.i");

#[test]
fn mutated_text_is_survived() {
    clean(SAMPLE);
    let mut state = 99u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let pieces: Vec<&str> = SAMPLE.split_inclusive([' ', '(', ')', ';']).collect();
    for round in 0..400 {
        let mut mutated = pieces.clone();
        for _ in 0..=round % 8 {
            let at = random(mutated.len());
            match random(4) {
                0 => drop(mutated.remove(at)),
                1 => mutated.insert(at, pieces[random(pieces.len())]),
                2 => mutated[at] = pieces[random(pieces.len())],
                _ => {
                    let other = random(mutated.len());
                    mutated.swap(at, other);
                }
            }
        }
        property(&mutated.concat());
    }
}

#[test]
fn words_that_say_nothing_do_not_nest() {
    let many = "__extension__ ".repeat(300_000);
    // A cast, a declaration in a block, and one at the top.
    clean(&format!("int f(void) {{ return ({many} int) 1; }}"));
    let unit = clean(&format!("int f(void) {{ {many} int x = 1; return x; }} {many} int g;"));
    assert_eq!(names(&unit).len(), 1);
    // Before an expression they are operators, and each is a level.
    let unit = parse(&format!("int f(void) {{ return {many} 1; }} int g;"));
    assert!(unit.problems[0].message.contains(&MAX_DEPTH.to_string()));
}

#[test]
fn each_main_is_that_of_a_program() {
    let units = [
        parse("# 1 \"a.c\"\nint main(void) { return 0; }\n"),
        parse(
            "# 1 \"b.c\"\nint main(void);\nstatic int f(void) { return main(); }\nint main(void) { return f(); }\n",
        ),
    ];
    let s = front_c::skeleton(&units);
    let names: Vec<&str> = s.bodies.iter().map(|b| &*s.funcs[b.func.index()].unique).collect();
    assert_eq!(names, ["main@a.c", "f", "main@b.c"]);
    assert!(s.warnings.is_empty(), "{:?}", s.warnings);
    let f = s.body(s.func_named("f").expect("f")).expect("a body");
    let called = f.points.iter().find_map(|p| match &p.flow {
        front_c::Flow::Call(call) => Some(call.targets.clone()),
        _ => None,
    });
    assert_eq!(called, s.func_named("main@b.c").map(|main| vec![main]));
}

#[test]
fn what_was_not_read_may_call_and_change_what_it_can_see() {
    let text = "# 1 \"a.c\"\nint seen; static int hidden;\nint called(void) { return hidden; }\n\
                static int own(void) { return seen; }\nint main(void) { return own(); }\n";
    let units = [parse(text), front_c::Unit::unread("b.c", "no preprocessor")];
    let s = front_c::skeleton(&units);
    let taken = |name: &str| s.funcs[s.func_named(name).expect(name).index()].address_taken;
    assert!(taken("called") && !taken("own"));
    let message = |w: &source::Placed| format!("{} {}: {}", w.file, w.line, w.diagnostic.message);
    let said: Vec<String> = s.warnings.iter().map(message).collect();
    assert_eq!(said, ["b.c 0: the file is left out: no preprocessor"]);
}

/// Compilers refuse it.
#[test]
fn a_character_constant_has_a_character() {
    let unit = parse("int f(void) { return ''; }\nint g(void) { return '\\''; }");
    assert_eq!(unit.problems.len(), 1);
    assert_eq!(unit.problems[0].message, "a character constant without a character");
    assert_eq!(names(&unit), ["g"]);
}

/// Control flow leaves it out; values do not.
#[test]
fn functions_inside_of_functions_are_kept_beside_the_others() {
    let unit = parse(
        "int f(int x) { int g(int y) { return x + y; } return g(1); }\nint h(void) { return 2; }",
    );
    assert_eq!(names(&unit), ["h"]);
    assert_eq!(unit.extra.outer.len(), 1);
    assert_eq!(unit.extra.inner.len(), 1);
}
