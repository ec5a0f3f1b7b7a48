//! What else GNU C has: assembler, arrays of variable length, statement expressions, variadic functions.

use super::{Gen, Kind, Scope, Ty, Var, c};

pub(super) const KINDS: &[Kind] = &[
    asm_output,
    asm_memory,
    asm_goto,
    vla,
    vla_sizeof,
    vla_parameter,
    statement_expression,
    comma,
    omitted,
    variadic,
    variadic_types,
    nested_function,
    type_of,
    volatile,
    local_struct,
    choose,
    atomics,
    vectors,
    old_style,
    block_static,
    return_in_expression,
    noreturn,
    sizeof_effects,
    bool_context,
    string_loop,
    flexible,
    packed,
    complex,
    unreachable,
    auto_type,
    pure,
    assertion,
    enum_switch,
    offset,
];

fn asm_output(g: &mut Gen, s: &mut Scope) -> String {
    let (x, v, w) = (g.name("x"), g.small(), g.rng.between(10, 20));
    s.add(&x, Ty::Int);
    g.may_keep(&x, Ty::Int);
    // A compiler for another machine gets none of these.
    let form = *g.rng.pick(if cfg!(target_arch = "x86_64") {
        &[
            "\"movl $<w>, %0\" : \"=r\"(<x>)",
            "\"movl $<w>, %0\" : \"=m\"(<x>)",
            "\"addl $<w>, %0\" : \"+r\"(<x>)",
            "\"movl $<w>, %[o]\" : [o] \"=r\"(<x>) : : \"memory\"",
            "\"xorl %1, %0\" : \"+r\"(<x>) : \"r\"(<w>) : \"cc\"",
        ]
    } else {
        &["\"\" : \"+r\"(<x>)"; 5]
    });
    let form = c!(form, x, w);
    let (a, b) = (g.point_on(&[&x]), g.point_on(&[&x]));
    c!("int <x> = <v>;\nif (<x> < 10) {\n__asm__ volatile (<form>);\n<a>}\n<b>", x, v, form, a, b)
}

/// Assembler that writes through an address.
fn asm_memory(g: &mut Gen, s: &mut Scope) -> String {
    let (h, w) = (g.global("h"), g.rng.between(10, 20));
    let text = c!("static int <h>;\n", h);
    g.top += &text;
    s.add(&h, Ty::Int);
    g.may_keep(&h[1..], Ty::Int);
    let (a, b) = (g.point_on(&[&h]), g.point_on(&[&h]));
    if !cfg!(target_arch = "x86_64") {
        return c!("if (!<h>) {\n__asm__ volatile (\"\" : : : \"memory\");\n<a>}\n<b>", h, a, b);
    }
    c!(
        "if (!<h>) {\n__asm__ volatile (\"movl $<w>, (%0)\" : : \"r\"(&<h>) : \"memory\");\n<a>}\n<b>",
        h,
        w,
        a,
        b
    )
}

fn asm_goto(g: &mut Gen, s: &mut Scope) -> String {
    let l = g.name("l");
    let (a, b) = (g.point(s), g.point(s));
    let jump = if cfg!(target_arch = "x86_64") { "jmp %l0" } else { "" };
    c!("{\n__asm__ goto (\"<jump>\" : : : : <l>);\n<a><l>:;\n<b>}\n", l, jump, a, b)
}

/// The size of an array is computed, with its effects.
fn vla(g: &mut Gen, s: &mut Scope) -> String {
    let (n, a, v) = (g.name("n"), g.name("a"), g.rng.between(1, 4));
    s.add(&n, Ty::Int);
    g.may_keep(&n, Ty::Int);
    let (seen, size) = (g.point_on(&[&n]), g.point_on(&[&format!("(int)sizeof {a}")]));
    let how = *g.rng.pick(&["<n>++", "++<n>", "<n> += 2", "(<n> = 6)", "<n>"]);
    let how = c!(how, n);
    c!("int <n> = <v>;\n{\nint <a>[<how>];\n<a>[0] = 1;\n<size>}\n<seen>", n, v, a, how, size, seen)
}

fn vla_sizeof(g: &mut Gen, s: &mut Scope) -> String {
    let (n, x, v) = (g.name("n"), g.name("x"), g.rng.between(1, 4));
    let what = *g.rng.pick(&[
        "sizeof(int[<n>++])",
        "sizeof(char[++<n>])",
        "sizeof(<n>++)",
        "sizeof(typeof(int[<n>++]))",
        "sizeof(int[3])",
    ]);
    let what = c!(what, n);
    s.add(&x, Ty::Int);
    s.add(&n, Ty::Int);
    let seen = g.point_on(&[&x, &n]);
    let first = g.point_on(&[&n]);
    c!(
        "int <n> = <v>;\nif (<n> == <v>) {\nint <x>k = <what>;\n(void)<x>k;\n<first>}\nint <x> = <what>;\n<seen>",
        n,
        v,
        x,
        what,
        first,
        seen
    )
}

fn vla_parameter(g: &mut Gen, s: &mut Scope) -> String {
    let (f, h, a) = (g.global("f"), g.global("h"), g.name("a"));
    let text = c!("static int <h>;\n", h);
    g.top += &text;
    let seen = g.point_on(&[&h, "n"]);
    g.function(
        &format!("static int {f}(int n, int a[{h}++ + n])"),
        &c!("<seen>return a[0];\n", seen),
    );
    s.add(&h, Ty::Int);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!("int <a>[4] = { 2 };\nif (!<h>) {\n<f>(2, <a>);\n<first>}\n<second>", a, h, f, first, second)
}

fn statement_expression(g: &mut Gen, s: &mut Scope) -> String {
    let (x, v) = (g.name("x"), g.constant());
    let (t, inner) = (g.some_type().name(), g.point(s));
    s.add(&x, Ty::Long);
    let seen = g.point_on(&[&x]);
    let yes = g.point_on(&[&x]);
    c!(
        "long <x> = ({\n<t> y = <v>;\n<inner>y;\n});\n<seen>if (({\n<t> y = <x>;\ny > 3;\n})) {\n<yes>}\n",
        x,
        t,
        v,
        inner,
        seen,
        yes
    )
}

fn comma(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y, v) = (g.name("x"), g.name("y"), g.constant());
    s.add(&x, Ty::Int);
    s.add(&y, Ty::Int);
    let (a, b) = (g.point_on(&[&x, &y]), g.point_on(&[&x]));
    c!("int <x> = 0, <y> = (<x> = <v>, <x> + 1);\n<a>if (<x>--, <x> > 2) {\n<b>}\n", x, y, v, a, b)
}

fn omitted(g: &mut Gen, s: &mut Scope) -> String {
    let (x, f, h) = (g.name("x"), g.global("f"), g.global("h"));
    let text = c!("static int <h>;\n", h);
    g.top += &text;
    g.function(&format!("static int {f}(void)"), &c!("return <h>++;\n", h));
    s.add(&x, Ty::Int);
    let (a, b) = (g.point_on(&[&x, &h]), g.point_on(&[&x]));
    c!("int <x> = <f>() ?: 7;\n<a><x> = <f>() ?: <f>();\n<b>", x, f, a, b)
}

fn variadic(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x) = (g.global("f"), g.name("x"));
    let seen = g.point_on(&["sum"]);
    g.function(
        &format!("static int {f}(int n, ...)"),
        &c!("__builtin_va_list list;\nint sum = 0;\n__builtin_va_start(list, n);\nwhile (n-- > 0) {\nsum += __builtin_va_arg(list, int);\n<seen>}\n__builtin_va_end(list);\nreturn sum;\n", seen),
    );
    s.add(&x, Ty::Int);
    let (a, b, d, after) = (g.small(), g.small(), g.rng.between(0, 2), g.point_on(&[&x]));
    c!("int <x> = <f>(<d>, <a>, <b>);\n<after>", x, f, a, b, d, after)
}

/// Arguments without a prototype are promoted.
fn variadic_types(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x) = (g.global("f"), g.name("x"));
    let (ty, v) = *g.rng.pick(&[
        ("int", "(char)200"),
        ("int", "(unsigned char)200"),
        ("int", "(_Bool)5"),
        ("unsigned", "-1"),
        ("long", "-1l"),
        ("double", "1.5f"),
        ("int", "'a'"),
    ]);
    g.function(
        &format!("static long {f}(const char *p, ...)"),
        &c!("__builtin_va_list list;\n__builtin_va_start(list, p);\n<ty> v = __builtin_va_arg(list, <ty>);\n__builtin_va_end(list);\nreturn v * 2;\n", ty),
    );
    s.add(&x, Ty::Long);
    let after = g.point_on(&[&x]);
    c!("long <x> = <f>(\"a\", <v>);\n<after>", x, f, v, after)
}

fn nested_function(g: &mut Gen, s: &mut Scope) -> String {
    // A function that holds one is left out as a whole where the parser does not take them.
    if g.rng.chance(70) {
        return comma(g, s);
    }
    if g.rng.chance(30) {
        return nested_pointer(g, s);
    }
    let (x, f, v) = (g.name("x"), g.name("f"), g.small());
    s.add(&x, Ty::Int);
    let (seen, after) = (g.point_on(&[&x, "p"]), g.point_on(&[&x]));
    c!(
        "int <x> = 0;\nvoid <f>(int p) {\n<x> += p;\n<seen>}\nif (!<x>) {\n<f>(<v>);\n<after>}\n",
        x,
        f,
        v,
        seen,
        after
    )
}

/// A nested function that others call through a pointer.
fn nested_pointer(g: &mut Gen, s: &mut Scope) -> String {
    let (x, f, apply, v) = (g.name("x"), g.name("f"), g.global("apply"), g.small());
    g.function(&format!("static void {apply}(void (*c)(int), int n)"), "c(n);\n");
    s.add(&x, Ty::Int);
    let (seen, after) = (g.point_on(&[&x]), g.point_on(&[&x]));
    c!(
        "int <x> = 0;\nvoid <f>(int p) {\n<x> = p + 1;\n<seen>}\nif (!<x>) {\n<apply>(<f>, <v>);\n<after>}\n",
        x,
        f,
        apply,
        v,
        seen,
        after
    )
}

fn type_of(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y, ty, v) = (g.name("x"), g.name("y"), g.some_type(), g.constant());
    let t = ty.name();
    s.add(&x, ty);
    s.add(&y, ty);
    let of = *g.rng.pick(&[
        "typeof(<x>)",
        "__typeof__(<x> + 0)",
        "typeof(&<x>)",
        "typeof((char)1)",
        "__auto_type",
    ]);
    let (pointer, auto) = (of.contains('&'), of.contains("auto"));
    let of = c!(of, x);
    let seen = if pointer { g.point_on(&[&format!("*{y}")]) } else { g.point_on(&[&y, &x]) };
    let w = if pointer {
        format!("&{x}")
    } else if auto {
        x.clone()
    } else {
        g.constant()
    };
    if pointer {
        s.vars.pop();
        let more = *g.rng.pick(&["", "*<y> = 3;\n"]);
        let more = c!(more, y);
        return c!("<t> <x> = <v>;\n<of> <y> = <w>;\n<more><seen>", t, x, v, of, y, w, more, seen);
    }
    c!("<t> <x> = <v>;\n<of> <y> = <w>;\n<seen>", t, x, v, of, y, w, seen)
}

fn volatile(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty, v) = (g.name("x"), g.some_type(), g.constant());
    let t = ty.name();
    s.vars.push(Var { address: false, ..Var::new(&x, ty) });
    g.may_keep(&x, ty);
    let (a, b) = (g.point_on(&[&x]), g.point_on(&[&x]));
    c!(
        "volatile <t> <x> = <v>;\nif (<x>) {\n<x> = 0;\n<a>} else {\n<x> = 9;\n<b>}\n",
        t,
        x,
        v,
        a,
        b
    )
}

/// A type with the same tag in an inner block.
fn local_struct(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, o, v) = (g.global("s"), g.name("o"), g.constant());
    let text = c!("struct <tag> { unsigned char a; };\n", tag);
    g.top += &text;
    let (a, b) = (g.point_on(&[&format!("{o}.a")]), g.point_on(&[&format!("{o}.a")]));
    s.vars.push(Var { address: false, ..Var::new(&format!("{o}.a"), Ty::UChar) });
    c!(
        "struct <tag> <o> = { <v> };\n<a>{\nstruct <tag> { long a; } <o> = { 300 };\n<b>}\n",
        tag,
        o,
        v,
        a,
        b
    )
}

fn choose(g: &mut Gen, s: &mut Scope) -> String {
    let (x, cond) = (g.name("x"), g.condition(s, 1));
    s.add(&x, Ty::Int);
    let (seen, a, b) = (g.point_on(&[&x]), g.small(), g.constant());
    let what = *g.rng.pick(&[
        "__builtin_choose_expr(__builtin_constant_p(<x>k), <a>, 7)",
        "__builtin_constant_p(<x>k) ? <a> : 7",
        "__builtin_expect(!!(<cond>), 0) ? <a> : 8",
        "_Generic(<x>k, int: <a>, default: 9)",
        "__builtin_types_compatible_p(char, signed char) ? <a> : 6",
    ]);
    let what = c!(what, x, a, cond);
    c!("int <x>k = <b>;\nint <x> = <what>;\n<seen>", x, b, what, seen)
}

fn atomics(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y, v) = (g.name("x"), g.name("y"), g.small());
    let step = *g.rng.pick(&[
        "__sync_fetch_and_add(&<x>, 3)",
        "__atomic_add_fetch(&<x>, 2, 5)",
        "__sync_bool_compare_and_swap(&<x>, <v>, 9)",
        "__atomic_exchange_n(&<x>, 4, 5)",
        "__sync_lock_test_and_set(&<x>, 1)",
        "__atomic_load_n(&<x>, 5)",
        "__sync_val_compare_and_swap(&<x>, <v>, 8)",
        "__atomic_fetch_xor(&<x>, 5, 0)",
        "__atomic_compare_exchange_n(&<x>, &<y>, 6, 0, 5, 5)",
        "__atomic_test_and_set(&<x>, 5)",
    ]);
    let step = c!(step, x, y, v);
    s.add(&x, Ty::Int);
    s.add(&y, Ty::Int);
    let (a, b) = (g.point_on(&[&x]), g.point_on(&[&y, &x]));
    let ty = *g.rng.pick(&["int", "int", "_Atomic int"]);
    let step = if ty == "int" { step } else { c!("<x> += 2", x) };
    c!(
        "<ty> <x> = <v>;\nint <y> = 1;\nif (<x> == <v>) {\n<y> = <step>;\n<a>}\n<b>",
        ty,
        x,
        v,
        y,
        step,
        a,
        b
    )
}

fn vectors(g: &mut Gen, s: &mut Scope) -> String {
    let (o, x) = (g.name("o"), g.name("x"));
    s.add(&x, Ty::Int);
    let seen = g.point_on(&[&x]);
    c!(
        "typedef int <o>t __attribute__((vector_size(16)));\n<o>t <o> = { 1, 2, 3, 4 };\n<o> += 2;\nint <x> = <o>[1];\n<seen>",
        o,
        x,
        seen
    )
}

/// A definition in the old style, whose arguments are promoted.
fn old_style(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x) = (g.global("f"), g.name("x"));
    let (ty, arg) = *g.rng.pick(&[
        ("unsigned char", "300"),
        ("short", "70000"),
        ("char", "200"),
        ("int", "5"),
        ("float", "2.5"),
        ("long", "5l"),
    ]);
    let seen = if ty == "float" { g.point_on_floats(&["p"]) } else { g.point_on(&["p"]) };
    let text =
        c!("static int <f>(p, n)\n<ty> p;\nint n;\n{\n<seen>return p + n;\n}\n", f, ty, seen);
    g.top += &text;
    s.add(&x, Ty::Int);
    let after = g.point_on(&[&x]);
    c!("int <x> = <f>(<arg>, 1);\n<after>", x, f, arg, after)
}

/// A static variable of a block in a loop, and one that an automatic one hides.
fn block_static(g: &mut Gen, s: &mut Scope) -> String {
    let (i, k, ty) = (g.name("i"), g.name("k"), g.some_type().name());
    let (a, b) = (g.point_on(&[&k]), g.point_on(&[&k]));
    let _ = s;
    c!(
        "for (int <i> = 0; <i> < 3; <i>++) {\nstatic <ty> <k> = 1;\n<a>if (<k>) {\n<k> = 0;\n} else {\n<k> = 2;\n<b>}\n}\n",
        i,
        k,
        ty,
        a,
        b
    )
}

/// `return`, `goto` and `break` inside of an expression.
fn return_in_expression(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x) = (g.global("f"), g.name("x"));
    let inner = g.scope_of(&[Var::new("p", Ty::Int)]);
    let (cond, seen) = (g.condition(&inner, 1), g.point(&inner));
    g.function(
        &format!("static int {f}(int p)"),
        &c!("int k = p + ({\nif (<cond>)\nreturn 3;\n<seen>1;\n});\nreturn k;\n", cond, seen),
    );
    s.add(&x, Ty::Int);
    let (v, after) = (g.small(), g.point_on(&[&x]));
    c!("int <x> = <f>(<v>);\n<after>", x, f, v, after)
}

fn noreturn(g: &mut Gen, s: &mut Scope) -> String {
    let f = g.global("f");
    let seen = g.point_on(&["p"]);
    let how = *g.rng.pick(&["_Noreturn", "__attribute__((noreturn))", ""]);
    g.function(&format!("static {how} void {f}(int p)"), &c!("<seen>exit(p);\n", seen));
    let (cond, after) = (g.condition(s, 1), g.point(s));
    c!("if (<cond>)\n<f>(1);\n<after>", cond, f, after)
}

/// What stands in `sizeof`, `_Alignof`, `typeof` and `_Generic` is not done.
fn sizeof_effects(g: &mut Gen, s: &mut Scope) -> String {
    let (x, v) = (g.name("x"), g.small());
    s.add(&x, Ty::Int);
    let what = *g.rng.pick(&[
        "sizeof(<x> = 5)",
        "sizeof <x>++",
        "_Generic(<x> = 5, int: 0, default: 1)",
        "__builtin_constant_p(<x>++)",
        "__builtin_choose_expr(1, 0, <x> = 5)",
        "sizeof(typeof(<x>++))",
        "0 && (<x> = 5)",
        "1 || (<x> = 5)",
        "__builtin_object_size(&<x>, 0)",
    ]);
    let what = c!(what, x);
    let seen = g.point_on(&[&x]);
    c!("int <x> = <v>;\n(void)(<what>);\n<seen>", x, v, what, seen)
}

fn bool_context(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty, v) = (g.name("x"), g.some_type(), g.constant());
    let t = ty.name();
    s.add(&x, ty);
    let (a, b, d, e) = (g.point_on(&[&x]), g.point_on(&[&x]), g.point(s), g.point(s));
    c!(
        "<t> <x> = <v>;\nif (<x>) {\n<a>} else {\n<b>}\nif (!<x> == 0) {\n<d>}\nif (<x> - 1) {\n<e>}\n",
        t,
        x,
        v,
        a,
        b,
        d,
        e
    )
}

fn string_loop(g: &mut Gen, s: &mut Scope) -> String {
    let (p, n) = (g.name("p"), g.name("n"));
    let text = *g.rng.pick(&["ab", "", "xyz", "a\\0b"]);
    s.add(&n, Ty::Int);
    let (a, b) = (g.point_on(&[&format!("*{p}")]), g.point_on(&[&n]));
    let head = *g.rng.pick(&[
        "const char *<p> = \"<text>\";\nwhile (*<p>) {\n<a><n>++;\n<p>++;\n}\n",
        "const char *<p> = \"<text>\";\nwhile (*<p>++) {\n<n>++;\n}\n",
        "for (const char *<p> = \"<text>\"; *<p>; <p>++) {\n<a><n>++;\n}\n",
    ]);
    let head = c!(head, p, text, a, n);
    c!("int <n> = 0;\n", n) + &head + &b
}

fn flexible(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, p, v) = (g.global("s"), g.name("p"), g.constant());
    let text = c!("struct <tag> { int n; unsigned char data[]; };\n", tag);
    g.top += &text;
    let _ = s;
    let (a, b) = (g.point_on(&[&format!("{p}->data[1]")]), g.point_on(&[&format!("{p}->n")]));
    c!(
        "struct <tag> *<p> = calloc(1, sizeof *<p> + 4);\nif (!<p>)\nabort();\nif (!<p>->data[1]) {\n<p>->data[1] = <v>;\n<a>}\n((unsigned char *)<p>)[0] = 3;\n<b>free(<p>);\n",
        tag,
        p,
        v,
        a,
        b
    )
}

fn packed(g: &mut Gen, s: &mut Scope) -> String {
    let (o, x) = (g.name("o"), g.name("x"));
    let how = *g.rng.pick(&["", "__attribute__((packed)) ", "__attribute__((aligned(16))) "]);
    s.add(&x, Ty::Int);
    let seen = g.point_on(&[&x]);
    c!(
        "struct <how>{ char a; int b; short c; } <o> = { 1, 2, 3 };\nint <x> = sizeof <o> + <o>.b;\n<seen>",
        how,
        o,
        x,
        seen
    )
}

fn complex(g: &mut Gen, s: &mut Scope) -> String {
    let (o, x) = (g.name("o"), g.name("x"));
    s.add(&x, Ty::Int);
    let seen = g.point_on(&[&x]);
    c!(
        "_Complex double <o> = 1.0 + 2.0i;\n<o> *= <o>;\nint <x> = __real__ <o> + 10 * (__imag__ <o> > 3);\n<seen>if (<o> != 1) {\n<x> = 3;\n}\n",
        o,
        x,
        seen
    ) + &g.point_on(&[&x])
}

fn unreachable(g: &mut Gen, s: &mut Scope) -> String {
    let (x, v, a) = (g.name("x"), g.rng.between(0, 3), g.point(s));
    s.add(&x, Ty::Int);
    let b = g.point_on(&[&x]);
    c!(
        "int <x> = <v>;\nswitch (<x>) {\ncase 0:\ncase 1:;\n<a>break;\ncase 2:\ncase 3:;\n<x> = 8;\nbreak;\ndefault:\n__builtin_unreachable();\n}\n<b>",
        x,
        v,
        a,
        b
    )
}

fn auto_type(g: &mut Gen, s: &mut Scope) -> String {
    let (x, e) = (g.name("x"), g.expr(s, 1));
    s.vars.push(Var { address: false, ..Var::new(&x, Ty::Long) });
    let seen = g.point_on(&[&x]);
    c!("__auto_type <x> = <e>;\n<seen>", x, e, seen)
}

/// A function that says it has no effects, and reads a variable that changes.
fn pure(g: &mut Gen, s: &mut Scope) -> String {
    let (h, f) = (g.global("h"), g.global("f"));
    let text = c!(
        "static int <h>;\nstatic __attribute__((pure, noinline)) int <f>(void) {\nreturn <h>;\n}\n",
        h,
        f
    );
    g.top += &text;
    s.add(&h, Ty::Int);
    let (a, b) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!("if (!<f>()) {\n<h> = 4;\nif (<f>()) {\n<a>}\n}\n<b>", f, h, a, b)
}

fn assertion(g: &mut Gen, s: &mut Scope) -> String {
    let (cond, a) = (g.condition(s, 1), g.point(s));
    let form = *g.rng.pick(&[
        "if (!(<cond>))\nabort();\n",
        "if (!(<cond>))\n__builtin_trap();\n",
        "(<cond>) ? (void)0 : abort();\n",
    ]);
    // A trap is a crash: only where it does not happen.
    let form = if form.contains("trap") { "(<cond>) || (abort(), 0);\n" } else { form };
    c!(form, cond) + &a
}

fn enum_switch(g: &mut Gen, s: &mut Scope) -> String {
    let (e, a, b, x) = (g.global("e"), g.global("A"), g.global("B"), g.name("x"));
    let text = c!("enum <e> { <a>, <b> = 4 };\n", e, a, b);
    g.top += &text;
    s.add(&x, Ty::UInt);
    let v = *g.rng.pick(&["<a>", "<b>", "2", "<a> + 1"]);
    let v = c!(v, a, b);
    let (first, second, third) = (g.point_on(&[&x]), g.point_on(&[&x]), g.point_on(&[&x]));
    c!(
        "enum <e> <x> = <v>;\nswitch (<x>) {\ncase <a>:;\n<first>break;\ncase <b>:;\n<second>break;\ndefault:;\n<third>}\n",
        e,
        x,
        v,
        a,
        b,
        first,
        second,
        third
    )
}

fn offset(g: &mut Gen, s: &mut Scope) -> String {
    let (o, p) = (g.name("o"), g.name("p"));
    let _ = s;
    let (a, b) = (g.point_on(&[&format!("{o}.b")]), g.point_on(&[&format!("{o}.a")]));
    c!(
        "struct { int a, b; } <o> = { 0, 0 };\nint *<p> = &<o>.a;\nif (!<o>.b) {\n*(int *)((char *)<p> + 4) = 3;\n<a>}\n(&<o>.b)[-1] = 6;\n<b>",
        o,
        p,
        a,
        b
    )
}
