//! Functions that a library, the loader, a signal or a pointer calls.

use super::{Gen, Kind, Scope, Ty, Var, c};

pub(super) const KINDS: &[Kind] = &[
    sorted,
    searched,
    at_exit,
    on_exit,
    signals,
    sigaction,
    once,
    threads,
    pointer_in_struct,
    pointer_array,
    pointer_union,
    pointer_parameter,
    pointer_returned,
    pointer_changed,
    other_type,
    as_integer,
    constructors,
    destructors,
    cleanup,
    tree_walk,
    quick,
    table,
    pointer_default,
    reentrant,
    copied_table,
    conditional_pointer,
];

/// A variable at file scope that a callback changes.
fn changed(g: &mut Gen, s: &mut Scope) -> (String, String) {
    let (h, ty) = (g.global("h"), *g.rng.pick(&[Ty::Int, Ty::Int, Ty::UChar, Ty::Bool, Ty::UInt]));
    let volatile = if g.rng.chance(30) { "volatile " } else { "" };
    let (t, storage) = (ty.name(), *g.rng.pick(&["", "static "]));
    let text = c!("<storage><volatile><t> <h>;\n", storage, volatile, t, h);
    g.top += &text;
    s.vars.push(Var { address: false, ..Var::new(&h, ty) });
    g.may_keep(&h[1..], ty);
    let v = *g.rng.pick(&["<h> = 5", "<h>++", "<h> = 1", "<h> |= 4", "<h> += 3"]);
    let step = c!(v, h);
    (h, step)
}

/// A test before and after something that calls back.
fn around(g: &mut Gen, h: &str, call: &str) -> String {
    let (first, second) = (g.point_on(&[h]), g.point_on(&[h]));
    match g.rng.below(3) {
        0 => c!("if (!<h>) {\n<call>if (<h>) {\n<first>}\n}\n<second>", h, call, first, second),
        1 => c!("<h> = 0;\n<call><first><second>", h, call, first, second),
        _ => c!(
            "switch (<h>) {\ncase 0:\n<call>if (<h> != 0) {\n<first>}\n}\n<second>",
            h,
            call,
            first,
            second
        ),
    }
}

fn sorted(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f, a) = (changed(g, s), g.global("f"), g.name("a"));
    let seen = g.point_on(&[&h, "*(const int *)p"]);
    let variant = g.rng.chance(25);
    let more = if variant { ", void *d" } else { "" };
    g.function(
        &format!("static int {f}(const void *p, const void *q{more})"),
        &c!("<step>;\n<seen>return *(const int *)p - *(const int *)q;\n", step, seen),
    );
    s.vars.push(Var::new(&format!("{a}[0]"), Ty::Int));
    let call = if variant {
        c!("qsort_r(<a>, 3, sizeof *<a>, <f>, 0);\n", a, f)
    } else {
        c!("qsort(<a>, 3, sizeof *<a>, <f>);\n", a, f)
    };
    let sorted = g.point_on(&[&format!("{a}[0]"), &format!("{a}[2]")]);
    c!("int <a>[3] = { 3, 1, 2 };\n", a) + &around(g, &h, &call) + &sorted
}

fn searched(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f, a, k) = (changed(g, s), g.global("f"), g.name("a"), g.name("k"));
    let p = g.name("p");
    g.function(
        &format!("static int {f}(const void *p, const void *q)"),
        &c!("<step>;\nreturn *(const int *)p - *(const int *)q;\n", step),
    );
    let call = *g.rng.pick(&[
        "bsearch(&<k>, <a>, 3, sizeof *<a>, <f>)",
        "lfind(&<k>, <a>, &(unsigned long){ 3 }, sizeof *<a>, <f>)",
    ]);
    let call = c!(call, k, a, f);
    let found = g.point_on(&[&format!("*{p}")]);
    let v = g.rng.between(1, 4);
    let call = c!("<p> = <call>;\n", p, call);
    c!("int <a>[3] = { 1, 2, 3 }, <k> = <v>, *<p> = 0;\n", a, k, v, p)
        + &around(g, &h, &call)
        + &c!("if (<p>) {\n<found>}\n", p, found)
}

fn at_exit(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f) = (changed(g, s), g.global("f"));
    let (seen, after) = (g.point_on(&[&h]), g.point_on(&[&h]));
    g.function(&format!("static void {f}(void)"), &c!("<seen><step>;\n<after>", seen, step, after));
    let end = *g.rng.pick(&["", "", "exit(0);\n", "if (<h>)\nexit(2);\n"]);
    let (end, change) = (c!(end, h), g.assignment(s));
    if end.starts_with("exit") {
        return c!("atexit(<f>);\n<change>if (<h> < 3) {\n<end>}\n", f, change, h, end);
    }
    c!("atexit(<f>);\n<change><end>", f, change, end)
}

fn on_exit(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f) = (changed(g, s), g.global("f"));
    let (seen, after) = (g.point_on(&[&h, "code"]), g.point_on(&[&h, "*(int *)p"]));
    g.function(
        &format!("static void {f}(int code, void *p)"),
        &c!("<seen><step>;\n<after>", seen, step, after),
    );
    let k = g.name("k");
    c!("static int <k> = 7;\non_exit(<f>, &<k>);\n<h> = 2;\n", k, f, h)
}

fn signals(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f) = (changed(g, s), g.global("f"));
    let number = *g.rng.pick(&["10", "12", "2"]);
    let seen = g.point_on(&[&h, "n"]);
    let again = if g.rng.coin() { c!("signal(n, <f>);\n", f) } else { String::new() };
    g.function(
        &format!("static void {f}(int n)"),
        &c!("<step>;\n<seen><again>", step, seen, again),
    );
    let raise = *g.rng.pick(&["raise(<number>)", "kill(getpid(), <number>)"]);
    let raise = c!(raise, number);
    let call = c!("<raise>;\n", raise);
    c!("signal(<number>, <f>);\n", number, f) + &around(g, &h, &call)
}

fn sigaction(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f, a) = (changed(g, s), g.global("f"), g.name("a"));
    let seen = g.point_on(&[&h]);
    g.function(&format!("static void {f}(int n)"), &c!("<step>;\n<seen>", step, seen));
    let form = *g.rng.pick(&[
        "struct sigaction <a> = { 0 };\n<a>.h.sa_handler = <f>;\n",
        "struct sigaction <a> = { .h.sa_handler = <f> };\n",
        "struct sigaction <a> = { { <f> } };\n",
    ]);
    let form = c!(form, a, f);
    form + &c!("sigaction(10, &<a>, 0);\n", a) + &around(g, &h, "raise(10);\n")
}

fn once(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f, o) = (changed(g, s), g.global("f"), g.global("o"));
    let seen = g.point_on(&[&h]);
    let text = c!("static int <o>;\n", o);
    g.top += &text;
    g.function(&format!("static void {f}(void)"), &c!("<step>;\n<seen>", step, seen));
    let which = *g.rng.pick(&["pthread_once", "call_once"]);
    let call = c!("<which>(&<o>, <f>);\n", which, o, f);
    around(g, &h, &call) + &call
}

/// A thread that is waited for.
fn threads(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f, t) = (changed(g, s), g.global("f"), g.name("t"));
    let seen = g.point_on(&[&h]);
    g.function(
        &format!("static void *{f}(void *p)"),
        &c!("<step>;\n<seen>return p;\n", step, seen),
    );
    let call = c!("pthread_create(&<t>, 0, <f>, 0);\npthread_join(<t>, 0);\n", t, f);
    c!("unsigned long <t> = 0;\n", t) + &around(g, &h, &call)
}

/// Two functions of the same type with something to see inside.
fn functions(g: &mut Gen, s: &mut Scope) -> (String, String, String) {
    let ((h, step), f, k) = (changed(g, s), g.global("f"), g.global("f"));
    let inner =
        g.scope_of(&[Var::new("p", Ty::Int), Var { address: false, ..Var::new(&h, Ty::Int) }]);
    let (a, b, v) = (g.point(&inner), g.point(&inner), g.small());
    g.function(&format!("static int {f}(int p)"), &c!("<step>;\n<a>return p + 1;\n", step, a));
    g.function(&format!("static int {k}(int p)"), &c!("<b><h> = <v>;\nreturn p * 2;\n", b, h, v));
    (f, k, h)
}

fn pointer_in_struct(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), o, x) = (functions(g, s), g.name("o"), g.name("x"));
    let cond = g.condition(s, 1);
    s.add(&x, Ty::Int);
    let form = *g.rng.pick(&[
        "struct { int n; int (*call)(int); } <o> = { 1, <f> };\n",
        "struct { int n; int (*call)(int); } <o> = { .call = <f> };\nif (<cond>)\n<o>.call = <k>;\n",
        "struct { int n; int (*call)(int); } <o>;\n<o>.call = <cond> ? <f> : <k>;\n",
    ]);
    let form = c!(form, o, f, k, cond);
    let call = c!("<x> = <o>.call(3);\n", x, o);
    c!("int <x> = 0;\n", x) + &form + &around(g, &h, &call) + &g.point_on(&[&x])
}

fn pointer_array(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), a, x) = (functions(g, s), g.name("a"), g.name("x"));
    let at = g.atom(s);
    s.add(&x, Ty::Int);
    let form = *g.rng.pick(&[
        "int (*<a>[2])(int) = { <f>, <k> };\n",
        "int (*const <a>[])(int) = { [1] = <f>, [0] = &<k> };\n",
        "static int (*<a>[2])(int) = { <k>, <f> };\n",
    ]);
    let form = c!(form, a, f, k);
    let call = c!("<x> = (*<a>[(<at>) & 1])(2);\n", x, a, at);
    c!("int <x> = 0;\n", x) + &form + &around(g, &h, &call) + &g.point_on(&[&x])
}

fn pointer_union(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), u, x) = (functions(g, s), g.name("u"), g.name("x"));
    s.add(&x, Ty::Int);
    let form = *g.rng.pick(&[
        "union { long n; int (*call)(int); } <u>;\n<u>.n = (long)<f>;\n",
        "union { void *v; int (*call)(int); } <u> = { .v = (void *)<k> };\n",
        "union { int (*a[2])(int); int (*call)(int); } <u> = { { <f>, <k> } };\n",
        "union { unsigned char b[8]; int (*call)(int); } <u>;\n{ int (*t)(int) = <f>; memcpy(<u>.b, &t, 8); }\n",
    ]);
    let form = c!(form, u, f, k);
    let call = c!("<x> = <u>.call(4);\n", x, u);
    c!("int <x> = 0;\n", x) + &form + &around(g, &h, &call) + &g.point_on(&[&x])
}

fn pointer_parameter(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), apply, x) = (functions(g, s), g.global("apply"), g.name("x"));
    let param = *g.rng.pick(&["int (*c)(int)", "int c(int)"]);
    g.function(&format!("static int {apply}({param}, int n)"), "return n > 0 ? c(n) : 0;\n");
    let cond = g.condition(s, 1);
    s.add(&x, Ty::Int);
    let call = c!("<x> = <apply>(<cond> ? <f> : <k>, 2);\n", x, apply, cond, f, k);
    c!("int <x> = 0;\n", x) + &around(g, &h, &call) + &g.point_on(&[&x])
}

fn pointer_returned(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), choose, x) = (functions(g, s), g.global("choose"), g.name("x"));
    g.function(
        &format!("static int (*{choose}(int n))(int)"),
        &c!("return n ? <f> : <k>;\n", f, k),
    );
    let at = g.atom(s);
    s.add(&x, Ty::Int);
    let call = c!("<x> = <choose>(<at>)(2);\n", x, choose, at);
    c!("int <x> = 0;\n", x) + &around(g, &h, &call) + &g.point_on(&[&x])
}

/// A pointer that a callee changes through its address.
fn pointer_changed(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), set, p) = (functions(g, s), g.global("set"), g.name("p"));
    g.function(&format!("static void {set}(int (**p)(int))"), &c!("*p = <k>;\n", k));
    let form = *g.rng.pick(&[
        "int (*<p>)(int) = <f>;\n<set>(&<p>);\n",
        "int (*<p>)(int) = <f>;\nint (**q)(int) = &<p>;\n*q = <k>;\n",
        "int (*<p>)(int) = <f>;\nmemcpy(&<p>, &(int (*)(int)){ <k> }, sizeof <p>);\n",
    ]);
    let form = c!(form, p, f, k, set);
    let call = c!("(**<p>)(1);\n", p);
    form + &around(g, &h, &call)
}

/// A call through a pointer of another type that works in practice.
fn other_type(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, _, h), p) = (functions(g, s), g.name("p"));
    let form = *g.rng.pick(&[
        "unsigned (*<p>)(unsigned) = (unsigned (*)(unsigned))<f>;\n",
        "int (*<p>)() = <f>;\n",
        "void (*<p>)(int) = (void (*)(int))<f>;\n",
        "long (*<p>)(int, ...) = (long (*)(int, ...))(void *)<f>;\n",
    ]);
    let form = c!(form, p, f);
    let call = c!("<p>(1);\n", p);
    form + &around(g, &h, &call)
}

fn as_integer(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), n) = (functions(g, s), g.name("n"));
    let form = *g.rng.pick(&[
        "unsigned long <n> = (unsigned long)<f>;\n", "void *<n> = (void *)<k>;\n", "long <n> = (long)<f> ^ 1;\n<n> ^= 1;\n",
        "char <n>[8];\n{ int (*t)(int) = <k>; for (int i = 0; i < 8; i++) <n>[i] = ((char *)&t)[i]; }\n",
    ]);
    let array = form.starts_with("char");
    let form = c!(form, n, f, k);
    let call = if array {
        c!("(*(int (**)(int))<n>)(1);\n", n)
    } else {
        c!("((int (*)(int))<n>)(1);\n", n)
    };
    // An array of bytes need not be aligned for what is in it.
    let form = form.replacen("char ", "_Alignas(8) char ", usize::from(array));
    form + &around(g, &h, &call)
}

fn constructors(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f) = (changed(g, s), g.global("f"));
    let how = *g.rng.pick(&["constructor", "constructor(200)", "__constructor__"]);
    let seen = g.point_on(&[&h]);
    g.function(
        &format!("static __attribute__(({how})) void {f}(void)"),
        &c!("$g;<step>;\n<seen>", step, seen),
    );
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!("if (<h>) {\n<first>}\n<second>", h, first, second)
}

fn destructors(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f) = (changed(g, s), g.global("f"));
    let (seen, after) = (g.point_on(&[&h]), g.point_on(&[&h]));
    g.function(
        &format!("static __attribute__((destructor)) void {f}(void)"),
        &c!("$g;<seen>if (<h>) {\n<step>;\n<after>}\n", h, step, seen, after),
    );
    let v = g.constant();
    c!("<h> = <v>;\n", h, v)
}

/// A variable with a function that is called where its scope ends.
fn cleanup(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f, x) = (changed(g, s), g.global("f"), g.name("x"));
    let seen = g.point_on(&[&h, "*p"]);
    g.function(&format!("static void {f}(int *p)"), &c!("<step>;\n<seen>", step, seen));
    let v = g.small();
    let call = c!("{\n__attribute__((cleanup(<f>))) int <x> = <v>;\n<x>++;\n}\n", f, x, v);
    around(g, &h, &call)
}

fn tree_walk(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f, w) = (changed(g, s), g.global("f"), g.global("w"));
    let (root, a) = (g.name("r"), g.name("a"));
    g.function(
        &format!("static int {f}(const void *p, const void *q)"),
        "return *(const int *)p - *(const int *)q;\n",
    );
    let seen = g.point_on(&[&h, "depth"]);
    g.function(
        &format!("static void {w}(const void *p, VISIT v, int depth)"),
        &c!("<step>;\n<seen>", step, seen),
    );
    let call = c!(
        "tsearch(&<a>[0], &<root>, <f>);\ntsearch(&<a>[1], &<root>, <f>);\ntwalk(<root>, <w>);\n",
        a,
        root,
        f,
        w
    );
    c!("void *<root> = 0;\nint <a>[2] = { 1, 2 };\n", root, a) + &around(g, &h, &call)
}

fn quick(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f) = (changed(g, s), g.global("f"));
    let (seen, cond) = (g.point_on(&[&h]), g.condition(s, 1));
    g.function(&format!("static void {f}(void)"), &c!("<step>;\n<seen>", step, seen));
    c!("at_quick_exit(<f>);\nif (<cond>)\nquick_exit(1);\n", f, cond) + &g.point(s)
}

/// A constant table of records with functions.
fn table(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), tag, t, x) = (functions(g, s), g.global("s"), g.global("t"), g.name("x"));
    let text = c!(
        "struct <tag> { const char *name; int (*call)(int); };\nstatic const struct <tag> <t>[] = { { \"a\", <f> }, { \"b\", <k> }, { 0 } };\n",
        tag,
        t,
        f,
        k
    );
    g.top += &text;
    s.add(&x, Ty::Int);
    let i = g.name("i");
    let call =
        c!("for (int <i> = 0; <t>[<i>].call; <i>++) {\n<x> += <t>[<i>].call(<i>);\n}\n", i, t, x);
    c!("int <x> = 0;\n", x) + &around(g, &h, &call) + &g.point_on(&[&x])
}

/// A pointer at file scope that may still be null.
fn pointer_default(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, _, h), p, set) = (functions(g, s), g.global("p"), g.global("set"));
    let text = c!("static int (*<p>)(int);\n", p);
    g.top += &text;
    g.function(&format!("static void {set}(void)"), &c!("<p> = <f>;\n", p, f));
    let (cond, none) = (g.condition(s, 1), g.point_on(&[&h]));
    let call = c!("if (<p>) {\n<p>(1);\n} else {\n<none>}\n", p, none);
    c!("if (<cond>)\n<set>();\n", cond, set) + &around(g, &h, &call)
}

/// A callback that calls what called it.
fn reentrant(g: &mut Gen, s: &mut Scope) -> String {
    let ((h, step), f, run) = (changed(g, s), g.global("f"), g.global("run"));
    let seen = g.point_on(&[&h, "n"]);
    let text = c!(
        "static void <run>(void (*c)(int), int n) {\nif (n)\nc(n - 1);\n}\nstatic void <f>(int n) {\n<step>;\n<seen><run>(<f>, n);\n}\n",
        run,
        f,
        step,
        seen
    );
    g.top += &text;
    let call = c!("<run>(<f>, 3);\n", run, f);
    around(g, &h, &call)
}

/// A record with a function, copied as a whole, by value and through a pointer to anything.
fn copied_table(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), tag, use_, a) = (functions(g, s), g.global("s"), g.global("use"), g.name("a"));
    let text = c!(
        "struct <tag> { int (*call)(int); int n; };\nstatic int <use_>(void *p) {\nstruct <tag> *s = p;\nreturn s->call(s->n);\n}\n",
        tag,
        use_
    );
    g.top += &text;
    let b = g.name("b");
    let copy = *g.rng.pick(&[
        "struct <tag> <b> = <a>;\n",
        "struct <tag> <b>;\nmemcpy(&<b>, &<a>, sizeof <b>);\n",
        "struct <tag> <b>;\n<b> = *&<a>;\n",
    ]);
    let copy = c!(copy, tag, a, b);
    let call = c!("<use_>(&<b>);\n", use_, b);
    c!("struct <tag> <a> = { <f>, 2 };\n<a>.call = <k>;\n", tag, a, f, k)
        + &copy
        + &around(g, &h, &call)
}

fn conditional_pointer(g: &mut Gen, s: &mut Scope) -> String {
    let ((f, k, h), p) = (functions(g, s), g.name("p"));
    let cond = g.condition(s, 1);
    let form = *g.rng.pick(&[
        "(<cond> ? <f> : <k>)(1);\n",
        "(<cond> ? &<f> : <k>)(1);\n",
        "({ <k>; })(1);\n",
        "(0, <f>)(1);\n",
        "(***<f>)(1);\n",
        "int (*<p>)(int) = <f>;\nif (<p> == <f>)\n<p> = <k>;\n<p>(2);\n",
    ]);
    let call = c!(form, cond, f, k, p);
    // A declaration cannot be the statement of a label.
    let call = if call.starts_with("int") { format!("{{\n{call}}}\n") } else { call };
    around(g, &h, &call)
}
