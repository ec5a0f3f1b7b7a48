//! Several names for one object, and what changes behind a name's back.

use super::{Gen, Kind, Scope, Ty, Var, c};

pub(super) const KINDS: &[Kind] = &[
    direct,
    through_callee,
    pointer_to_pointer,
    fields,
    arrays,
    unions,
    union_array,
    struct_copy,
    bytes,
    memory_functions,
    global_in_callee,
    result_twice,
    returned_pointer,
    swap,
    walk_array,
    container,
    const_cast,
    compound_literal,
    heap,
    two_pointers,
    pointer_in_struct,
    array_parameter,
    matrix,
    moved_pointer,
    list,
    struct_value,
    integer_pointer,
    static_pointer,
    hidden_pointer,
];

/// An `int` in scope whose address can be taken, made if there is none.
fn an_int(g: &mut Gen, s: &mut Scope, out: &mut String) -> String {
    if g.rng.chance(50) {
        let found: Vec<&Var> =
            s.vars.iter().filter(|v| v.ty == Ty::Int && v.write && v.address).collect();
        if !found.is_empty() {
            return g.rng.pick(&found).text.clone();
        }
    }
    let (x, v) = (g.name("x"), g.small());
    s.add(&x, Ty::Int);
    g.may_keep(&x, Ty::Int);
    *out += &c!("int <x> = <v>;\n", x, v);
    x
}

/// The text as an operand of `++`.
fn enclosed(text: &str) -> String {
    if text.starts_with('*') { format!("({text})") } else { text.to_owned() }
}

/// Remembers `text` as another name of an `int`.
fn also(s: &mut Scope, text: &str) {
    let text = &enclosed(text);
    s.vars.push(Var { address: false, ..Var::new(text, Ty::Int) });
}

/// A store by one name and a test by another, in either direction.
fn both_ways(g: &mut Gen, a: &str, b: &str) -> String {
    let (a, b) = (&*enclosed(a), &*enclosed(b));
    let (a, b) = if g.rng.coin() { (a, b) } else { (b, a) };
    let (v, w) = (g.small(), g.small());
    let (first, second, third) = (g.point_on(&[b]), g.point_on(&[b, a]), g.point_on(&[b]));
    match g.rng.below(5) {
        0 => c!(
            "<b> = <v>;\nif (<b> == <v>) {\n<a> = <w>;\n<first>}\n<second>",
            a,
            b,
            v,
            w,
            first,
            second
        ),
        1 => c!(
            "if (!<b>) {\n<a> = 1;\nif (<b>) {\n<first>}\n} else {\n<a> = 0;\nif (!<b>) {\n<second>}\n}\n<third>",
            a,
            b,
            first,
            second,
            third
        ),
        2 => c!("<a> = <v>;\n<first><a>++;\n<second>", a, v, first, second),
        3 => c!(
            "if (<a> < 5) {\n<b> = 7;\nif (<a> > 5) {\n<first>}\n}\n<second>",
            a,
            b,
            first,
            second
        ),
        _ => c!(
            "switch (<a>) {\ndefault:;\n<b> = <v>;\nif (<a> == <v>) {\n<first>}\n}\n<second>",
            a,
            b,
            v,
            first,
            second
        ),
    }
}

fn direct(g: &mut Gen, s: &mut Scope) -> String {
    let mut out = String::new();
    let x = an_int(g, s, &mut out);
    let p = g.name("p");
    also(s, &format!("*{p}"));
    out + &c!("int *<p> = &<x>;\n", p, x) + &both_ways(g, &format!("*{p}"), &x)
}

fn through_callee(g: &mut Gen, s: &mut Scope) -> String {
    let mut out = String::new();
    let x = an_int(g, s, &mut out);
    let (f, v) = (g.global("f"), g.small());
    let inner = g.scope_of(&[Var { address: false, ..Var::new("*p", Ty::Int) }]);
    let (body, seen) = (g.assignment(&inner), g.point_on(&["*p"]));
    let ret = *g.rng.pick(&["void", "int"]);
    let back = if ret == "int" { "return *p;\n" } else { "" };
    g.function(
        &format!("static {ret} {f}(int *p)"),
        &c!("<body>*p = <v>;\n<seen><back>", body, v, seen, back),
    );
    let (before, after) = (g.point_on(&[&x]), g.point_on(&[&x]));
    out + &c!(
        "if (<x> != <v>) {\n<before><f>(&<x>);\nif (<x> == <v>) {\n<after>}\n}\n",
        x,
        v,
        f,
        before,
        after
    )
}

fn pointer_to_pointer(g: &mut Gen, s: &mut Scope) -> String {
    let mut out = String::new();
    let x = an_int(g, s, &mut out);
    let (y, p, q) = (g.name("y"), g.name("p"), g.name("q"));
    s.add(&y, Ty::Int);
    let (first, second) = (g.point_on(&[&format!("*{p}")]), g.point_on(&[&x, &y]));
    out += &c!("int <y> = 3;\nint *<p> = &<x>;\nint **<q> = &<p>;\n", y, p, x, q);
    if g.rng.coin() {
        out += &c!("if (*<p> != 3) {\n*<q> = &<y>;\n<first>}\n", p, q, y, first);
    }
    out + &c!("**<q> = 6;\n<second>", q, second)
}

fn a_struct(g: &mut Gen) -> String {
    let tag = g.global("s");
    let text = c!("struct <tag> { char c; int a; int b[3]; struct <tag> *next; };\n", tag);
    g.top += &text;
    tag
}

fn fields(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, o, p) = (a_struct(g), g.name("o"), g.name("p"));
    also(s, &format!("{o}.a"));
    also(s, &format!("{p}->a"));
    let (one, two) = *g.rng.pick(&[
        ("<p>->a", "<o>.a"),
        ("(*<p>).a", "<o>.a"),
        ("<p>->b[1]", "<o>.b[1]"),
        ("*<p>->b", "<o>.b[0]"),
        ("*(&<p>->a)", "<o>.a"),
        ("<p>[0].a", "<o>.a"),
        ("<p>->next->a", "<o>.a"),
    ]);
    let (one, two) = (c!(one, p, o), c!(two, p, o));
    c!("struct <tag> <o> = { 0 };\nstruct <tag> *<p> = &<o>;\n<o>.next = <p>;\n", tag, o, p)
        + &both_ways(g, &one, &two)
}

fn arrays(g: &mut Gen, s: &mut Scope) -> String {
    let (a, p, i) = (g.name("a"), g.name("p"), g.name("i"));
    also(s, &format!("{a}[1]"));
    let (one, two) = *g.rng.pick(&[
        ("<p>[1]", "<a>[1]"),
        ("*(<p> + 1)", "<a>[1]"),
        ("<a>[<i>]", "<a>[1]"),
        ("<i>[<a>]", "<a>[1]"),
        ("*<a>", "<a>[0]"),
        ("*<p>", "<a>[0]"),
        ("(&<a>[2])[-1]", "<a>[1]"),
        ("*&<a>[<i>]", "*(<a> + 1)"),
        ("<p>[<i>]", "<p>[1]"),
    ]);
    let (one, two) = (c!(one, a, p, i), c!(two, a, p, i));
    c!("int <a>[4] = { 1, 0 };\nint *<p> = <a>;\nint <i> = 1;\n", a, p, i)
        + &both_ways(g, &one, &two)
}

fn unions(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, u) = (g.global("u"), g.name("u"));
    let text = c!(
        "union <tag> { int i; unsigned u; unsigned char c[4]; short h; struct { char x, y; } s; float f; };\n",
        tag
    );
    g.top += &text;
    also(s, &format!("{u}.i"));
    let names: Vec<String> = [".i", ".u", ".c[0]", ".h", ".s.x", ".s.y", ".c[1]"]
        .iter()
        .map(|n| format!("{u}{n}"))
        .collect();
    let two = g.rng.sample(&names, 2);
    let (a, b, v) = (&two[0], &two[1], g.int_constant());
    let (first, second) = (g.point_on(&[b]), g.point_on(&[b, a]));
    let start = *g.rng.pick(&["{ 0 }", "{ .c = { 1, 2 } }", "{ 5 }", "{ .f = 1 }"]);
    c!(
        "union <tag> <u> = <start>;\n<first>if (!<b>) {\n<a> = <v>;\n<second>}\n",
        tag,
        u,
        start,
        a,
        b,
        v,
        first,
        second
    )
}

/// A union that is read through an array member, or through a pointer to a member.
fn union_array(g: &mut Gen, s: &mut Scope) -> String {
    let (u, p, v) = (g.name("u"), g.name("p"), g.rng.between(0, 300));
    let (first, second) = (g.point_on(&[&format!("{u}.i")]), g.point_on(&[&format!("{u}.b[0]")]));
    let _ = s;
    match g.rng.below(3) {
        0 => c!(
            "union { int i; unsigned char b[4]; } <u> = { 0 };\nunsigned char *<p> = <u>.b;\n<p>[0] = <v>;\n<first><second>",
            u,
            p,
            v,
            first,
            second
        ),
        1 => c!(
            "union { int i; unsigned char b[4]; } <u> = { 0 };\nint *<p> = &<u>.i;\nif (!<u>.b[0]) {\n*<p> = <v>;\n<second>}\n<first>",
            u,
            p,
            v,
            first,
            second
        ),
        _ => c!(
            "union { int i; unsigned char b[4]; } <u> = { <v> };\n<first>for (int k = 0; k < 4; k++) {\n<u>.b[k] = k;\n}\n<second>",
            u,
            v,
            first,
            second
        ),
    }
}

fn struct_copy(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, o, q, v) = (a_struct(g), g.name("o"), g.name("q"), g.small());
    also(s, &format!("{o}.a"));
    let (first, second) =
        (g.point_on(&[&format!("{q}.a")]), g.point_on(&[&format!("{o}.b[2]"), &format!("{q}.a")]));
    let copy = *g.rng.pick(&[
        "<q> = <o>;\n",
        "memcpy(&<q>, &<o>, sizeof <q>);\n",
        "*&<q> = *&<o>;\n",
        "struct <tag> t = <o>; <q> = t;\n",
        "<q> = (struct <tag>){ .a = <v> };\n",
    ]);
    let copy = c!(copy, q, o, tag, v);
    c!(
        "struct <tag> <o> = { 1, <v>, { 1, 2, 3 } }, <q> = { 0 };\nif (!<q>.a) {\n<copy><first>}\n<second>",
        tag,
        o,
        q,
        v,
        copy,
        first,
        second
    )
}

/// The bytes of an integer.
fn bytes(g: &mut Gen, s: &mut Scope) -> String {
    let mut out = String::new();
    let x = an_int(g, s, &mut out);
    let (p, k, v) = (g.name("p"), g.rng.below(2), g.rng.between(0, 200));
    let (first, second) = (g.point_on(&[&x]), g.point_on(&[&format!("{p}[0]")]));
    out + &c!(
        "unsigned char *<p> = (unsigned char *)&<x>;\nif (<x> < 10) {\n<p>[<k>] = <v>;\n<first>}\n<x> = 5;\n<second>",
        p,
        x,
        k,
        v,
        first,
        second
    )
}

fn memory_functions(g: &mut Gen, s: &mut Scope) -> String {
    let mut out = String::new();
    let x = an_int(g, s, &mut out);
    let (y, v) = (g.name("y"), g.small());
    let call = *g.rng.pick(&[
        "memset(&<x>, 0, sizeof <x>)",
        "memset(&<x>, 1, 2)",
        "memcpy(&<x>, &<y>, sizeof <x>)",
        "memmove(&<x>, &<y>, 4)",
        "sscanf(\"17\", \"%d\", &<x>)",
        "__builtin_memcpy(&<x>, &<y>, sizeof <x>)",
        "__builtin_memset(&<x>, 255, 4)",
        "sprintf((char *)&<x>, \"%d\", 123)",
    ]);
    let call = c!(call, x, y);
    let (first, second) = (g.point_on(&[&x]), g.point_on(&[&x]));
    out + &c!(
        "int <y> = 44;\n<x> = <v>;\nif (<x> == <v>) {\n<call>;\n<first>}\n<second>",
        y,
        x,
        v,
        call,
        first,
        second
    )
}

/// A callee changes a variable at file scope.
fn global_in_callee(g: &mut Gen, s: &mut Scope) -> String {
    let (h, f, ty) = (g.global("h"), g.global("f"), g.some_type());
    let t = ty.name();
    let how = *g.rng.pick(&["", "static "]);
    let text = c!("<how><t> <h>;\n", how, t, h);
    g.top += &text;
    let v = g.constant();
    let inner = g.scope_of(&[Var::new(&h, ty)]);
    let (more, seen) = (g.assignment(&inner), g.point_on(&[&h]));
    g.function(
        &format!("static void {f}(void)"),
        &c!("<h> = <v>;\n<seen><more>", h, v, seen, more),
    );
    s.vars.push(Var::new(&h, ty));
    g.may_keep(&h[1..], ty);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!("if (!<h>) {\n<f>();\nif (<h>) {\n<first>}\n}\n<second>", h, f, first, second)
}

/// A function that returns something else the second time.
fn result_twice(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x, y) = (g.global("f"), g.name("x"), g.name("y"));
    let ty = *g.rng.pick(&["int", "unsigned char", "_Bool"]);
    g.function(
        &format!("static int {f}(int a)"),
        &c!("static <ty> n;\nn = !n;\nreturn n + a;\n", ty),
    );
    s.add(&x, Ty::Int);
    let (first, second) = (g.point_on(&[&x, &y]), g.point_on(&[&x]));
    c!(
        "int <x> = <f>(0);\nint <y> = <f>(0);\n<first>if (<f>(1) == 2) {\nif (<f>(1) != 2) {\n<second>}\n}\n",
        x,
        y,
        f,
        first,
        second
    )
}

fn returned_pointer(g: &mut Gen, s: &mut Scope) -> String {
    let (h, f, v) = (g.global("h"), g.global("f"), g.small());
    let text = c!("static int <h>;\nstatic int *<f>(void) {\nreturn &<h>;\n}\n", h, f);
    g.top += &text;
    s.add(&h, Ty::Int);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&format!("*{f}()")]));
    let store = *g.rng.pick(&["*<f>() = <v>", "(*<f>())++", "<f>()[0] = <v>", "*<f>() += 2"]);
    let store = c!(store, f, v);
    c!("if (!<h>) {\n<store>;\n<first>}\n<second>", h, store, first, second)
}

fn swap(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x, y, v, w) = (g.global("f"), g.name("x"), g.name("y"), g.small(), g.small());
    g.function(&format!("static void {f}(int *a, int *b)"), "int t = *a;\n*a = *b;\n*b = t;\n");
    s.add(&x, Ty::Int);
    s.add(&y, Ty::Int);
    let (first, second) = (g.point_on(&[&x, &y]), g.point_on(&[&x]));
    c!(
        "int <x> = <v>, <y> = <w>;\n<f>(&<x>, &<y>);\n<first><f>(&<x>, &<x>);\n<second>",
        x,
        y,
        v,
        w,
        f,
        first,
        second
    )
}

fn walk_array(g: &mut Gen, s: &mut Scope) -> String {
    let (a, p) = (g.name("a"), g.name("p"));
    let (seen, after) =
        (g.point_on(&[&format!("*{p}")]), g.point_on(&[&format!("{a}[0]"), &format!("{a}[2]")]));
    let step = *g.rng.pick(&["*<p> += 1", "(*<p>)++", "*<p> = *<p> * 2", "*<p> = <p> - <a>"]);
    let step = c!(step, p, a);
    also(s, &format!("{a}[2]"));
    c!(
        "int <a>[3] = { 4, 0, 2 };\nfor (int *<p> = <a>; <p> < <a> + 3; <p>++) {\nif (!*<p>) {\n<step>;\n}\n<seen>}\n<after>",
        a,
        p,
        step,
        seen,
        after
    )
}

fn container(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, o, p, v) = (a_struct(g), g.name("o"), g.name("p"), g.small());
    also(s, &format!("{o}.a"));
    let (first, second) = (g.point_on(&[&format!("{o}.a")]), g.point_on(&[&format!("{o}.c")]));
    c!(
        "struct <tag> <o> = { 0 };\nint *<p> = <o>.b;\nif (!<o>.a) {\n((struct <tag> *)((char *)<p> - __builtin_offsetof(struct <tag>, b)))->a = <v>;\n<first>}\n<p>[-1] = 3;\n<second>",
        tag,
        o,
        p,
        v,
        first,
        second
    ) + &g.point_on(&[&format!("{o}.a")])
}

/// A local that is called constant, in memory that is not.
fn const_cast(g: &mut Gen, s: &mut Scope) -> String {
    let (x, p, v, w) = (g.name("x"), g.name("p"), g.small(), g.small());
    s.add(&x, Ty::Int);
    let seen = g.point_on(&[&format!("*{p}"), &x]);
    c!(
        "int <x> = <v>;\nconst int *<p> = &<x>;\nif (*<p> == <v>) {\n*(int *)<p> = <w>;\n<seen>}\n",
        x,
        p,
        v,
        w,
        seen
    )
}

fn compound_literal(g: &mut Gen, s: &mut Scope) -> String {
    let (p, v, w) = (g.name("p"), g.small(), g.constant());
    also(s, &format!("*{p}"));
    let (first, second) = (g.point_on(&[&format!("*{p}")]), g.point_on(&[&format!("*{p}")]));
    match g.rng.below(3) {
        0 => c!("int *<p> = &(int){ <v> };\n<first>*<p> = <w>;\n<second>", p, v, w, first, second),
        1 => {
            c!("int *<p> = (int[]){ <v>, 2 };\n<first><p>[0] += 2;\n<second>", p, v, first, second)
        }
        _ => {
            let loops = g.point_on(&["*q"]);
            c!(
                "int *<p> = 0;\nfor (int i = 0; i < 2; i++) {\nint *q = &(int){ i };\n<loops>(*q)++;\n}\n<p> = &(int){ <v> };\n<first>",
                p,
                v,
                loops,
                first
            )
        }
    }
}

fn heap(g: &mut Gen, s: &mut Scope) -> String {
    let (p, q, v, w) = (g.name("p"), g.name("q"), g.small(), g.small());
    let make = *g.rng.pick(&["malloc(sizeof(int))", "calloc(1, 8)", "realloc(0, 4)"]);
    let (first, second) =
        (g.point_on(&[&format!("*{q}")]), g.point_on(&[&format!("*{p}"), &format!("*{q}")]));
    also(s, &format!("*{p}"));
    c!(
        "int *<p> = <make>;\nif (!<p>)\nabort();\nint *<q> = <p>;\n*<p> = <v>;\nif (*<q> == <v>) {\n*<p> = <w>;\n<first>}\n<second>",
        p,
        q,
        make,
        v,
        w,
        first,
        second
    )
}

fn two_pointers(g: &mut Gen, s: &mut Scope) -> String {
    let mut out = String::new();
    let x = an_int(g, s, &mut out);
    let (y, p, q) = (g.name("y"), g.name("p"), g.name("q"));
    let cond = g.condition(s, 1);
    s.add(&y, Ty::Int);
    out += &c!("int <y> = 1;\nint *<p> = &<x>, *<q> = <cond> ? &<y> : <p>;\n", y, p, q, x, cond);
    out + &both_ways(g, &format!("*{p}"), &format!("*{q}"))
}

fn pointer_in_struct(g: &mut Gen, s: &mut Scope) -> String {
    let mut out = String::new();
    let x = an_int(g, s, &mut out);
    let (o, v) = (g.name("o"), g.small());
    let (first, second) = (g.point_on(&[&x]), g.point_on(&[&format!("*{o}.p")]));
    let form = *g.rng.pick(&[
        "struct { int k; int *p; } <o> = { 1, &<x> };\n",
        "struct { int k; int *p; } <o>;\n<o>.p = &<x>;\n",
        "struct { int *p; } <o> = { .p = &<x> };\n",
    ]);
    out += &c!(form, o, x);
    out + &c!(
        "if (<x> != <v>) {\n*<o>.p = <v>;\n<first>}\n<x> = 4;\n<second>",
        x,
        v,
        o,
        first,
        second
    )
}

fn array_parameter(g: &mut Gen, s: &mut Scope) -> String {
    let (a, f, v) = (g.name("a"), g.global("f"), g.small());
    let seen = g.point_on(&["p[1]"]);
    let param =
        *g.rng.pick(&["int p[2]", "int *p", "int p[static 2]", "int p[const]", "int *restrict p"]);
    g.function(
        &format!("static void {f}({param})"),
        &c!("if (!p[1]) {\np[1] = <v>;\n<seen>}\n", v, seen),
    );
    also(s, &format!("{a}[1]"));
    let first = g.point_on(&[&format!("{a}[1]"), &format!("{a}[0]")]);
    c!("int <a>[2] = { 1 };\nif (!<a>[1]) {\n<f>(<a>);\n<first>}\n", a, f, first)
}

fn matrix(g: &mut Gen, s: &mut Scope) -> String {
    let (a, p, i) = (g.name("a"), g.name("p"), g.name("i"));
    also(s, &format!("{a}[1][1]"));
    let (one, two) = *g.rng.pick(&[
        ("<a>[<i>][<i>]", "<a>[1][1]"),
        ("(*<p>)[1]", "<a>[1][1]"),
        ("*(*(<a> + 1) + 1)", "<a>[1][1]"),
    ]);
    let (one, two) = (c!(one, a, p, i), c!(two, a, p, i));
    c!("int <a>[2][2] = { { 1 }, { 2, 0 } };\nint (*<p>)[2] = <a> + 1;\nint <i> = 1;\n", a, p, i)
        + &both_ways(g, &one, &two)
}

/// A pointer that moves between a test and another.
fn moved_pointer(g: &mut Gen, s: &mut Scope) -> String {
    let (a, p) = (g.name("a"), g.name("p"));
    let (first, second) = (g.point_on(&[&format!("*{p}")]), g.point_on(&[&format!("{p}[-1]")]));
    let step = *g.rng.pick(&["<p>++", "<p> += 1", "<p> = &<a>[1]", "++<p>", "<p> = <p> + 1"]);
    let step = c!(step, p, a);
    let _ = s;
    c!(
        "int <a>[3] = { 0, 1, 0 };\nint *<p> = <a>;\nif (!*<p>) {\n<step>;\nif (*<p>) {\n<first>}\n}\nif (!*<p>++) {\n<a>[0] = 3;\n}\n<second>",
        a,
        p,
        step,
        first,
        second
    )
}

fn list(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, a, b, p) = (a_struct(g), g.name("o"), g.name("o"), g.name("p"));
    let (seen, after) =
        (g.point_on(&[&format!("{p}->a")]), g.point_on(&[&format!("{a}.a"), &format!("{b}.a")]));
    also(s, &format!("{b}.a"));
    c!(
        "struct <tag> <b> = { 0, 2 }, <a> = { 0, 1, { 0 }, &<b> };\nfor (struct <tag> *<p> = &<a>; <p>; <p> = <p>->next) {\n<seen><p>->a += 3;\n}\n<after>",
        tag,
        a,
        b,
        p,
        seen,
        after
    )
}

/// A struct that is given and returned by value.
fn struct_value(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, f, o, v) = (a_struct(g), g.global("f"), g.name("o"), g.small());
    let seen = g.point_on(&["p.a"]);
    g.function(
        &format!("static struct {tag} {f}(struct {tag} p)"),
        &c!("p.a++;\n<seen>p.c = 1;\nreturn p;\n", seen),
    );
    also(s, &format!("{o}.a"));
    let (first, second) =
        (g.point_on(&[&format!("{o}.a")]), g.point_on(&[&format!("{o}.a"), &format!("{o}.c")]));
    let again = g.point_on(&[&format!("{f}({o}).a")]);
    c!(
        "struct <tag> <o> = { 0, <v> };\n<f>(<o>);\n<first><again><o> = <f>(<o>);\n<second>",
        tag,
        o,
        v,
        f,
        first,
        again,
        second
    )
}

/// A pointer that was an integer.
fn integer_pointer(g: &mut Gen, s: &mut Scope) -> String {
    let mut out = String::new();
    let x = an_int(g, s, &mut out);
    let (n, v) = (g.name("n"), g.small());
    let seen = g.point_on(&[&x]);
    out + &c!(
        "unsigned long <n> = (unsigned long)&<x>;\nif (<x> != <v>) {\n*(int *)<n> = <v>;\n<seen>}\n",
        n,
        x,
        v,
        seen
    )
}

fn static_pointer(g: &mut Gen, s: &mut Scope) -> String {
    let (h, q, f, v) = (g.global("h"), g.global("q"), g.global("f"), g.small());
    let text = c!(
        "static int <h>;\nstatic int *<q> = &<h>;\nstatic void <f>(void) {\n*<q> = <v>;\n}\n",
        h,
        q,
        f,
        v
    );
    g.top += &text;
    s.add(&h, Ty::Int);
    g.may_keep(&h[1..], Ty::Int);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&format!("*{q}"), &h]));
    c!("if (!<h>) {\n<f>();\n<first>}\n<h> = 8;\n<second>", h, f, first, second)
}

/// A callee keeps the address of a local for later.
fn hidden_pointer(g: &mut Gen, s: &mut Scope) -> String {
    let (q, keep, f, x, v) = (g.global("q"), g.global("f"), g.global("f"), g.name("x"), g.small());
    let text = c!(
        "static int *<q>;\nstatic void <keep>(int *p) {\n<q> = p;\n}\nstatic void <f>(void) {\nif (<q>)\n*<q> = <v>;\n}\n",
        q,
        keep,
        f,
        v
    );
    g.top += &text;
    s.add(&x, Ty::Int);
    g.may_keep(&x, Ty::Int);
    let seen = g.point_on(&[&x]);
    c!("int <x> = 0;\n<keep>(&<x>);\nif (!<x>) {\n<f>();\n<seen>}\n", x, keep, f, seen)
        + &c!("<q> = 0;\n", q)
}
