//! `setjmp` and `longjmp`, and labels as values.

use super::{Gen, Kind, Scope, Ty, Var, c};

pub(super) const KINDS: &[Kind] = &[
    same_frame,
    from_callee,
    value,
    retry,
    nested,
    from_comparison,
    in_struct,
    by_parameter,
    signal_jump,
    computed,
    computed_static,
    builtin_jump,
    rethrow,
    local_label,
    from_deep,
    in_condition,
    static_env,
];

/// One of the two names of `setjmp`.
fn setjmp(g: &mut Gen) -> &'static str {
    if g.rng.coin() { "setjmp" } else { "_setjmp" }
}

fn env(g: &mut Gen) -> String {
    let b = g.global("env");
    let text = c!("static jmp_buf <b>;\n", b);
    g.top += &text;
    b
}

fn same_frame(g: &mut Gen, s: &mut Scope) -> String {
    let (b, set, n) = (env(g), setjmp(g), g.name("n"));
    let v = *g.rng.pick(&["1", "2", "0", "-1"]);
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second, third) = (g.point_on(&[&n]), g.point_on(&[&n]), g.point_on(&[&n]));
    c!(
        "volatile int <n> = 0;\nif (<set>(<b>) == 0) {\n<n> = 3;\n<first>longjmp(<b>, <v>);\n} else {\n<second>}\n<third>",
        n,
        set,
        b,
        v,
        first,
        second,
        third
    )
}

fn from_callee(g: &mut Gen, s: &mut Scope) -> String {
    let (b, set, n, f) = (env(g), setjmp(g), g.name("n"), g.global("f"));
    let mut inner = g.scope_of(&[Var::new("p", Ty::Int)]);
    let (seen, body, cond) = (
        g.point(&inner),
        g.statement(&mut inner),
        g.condition(&g.scope_of(&[Var::new("p", Ty::Int)]), 1),
    );
    g.function(
        &format!("static int {f}(int p)"),
        &c!("<body><seen>if (<cond>)\nlongjmp(<b>, p | 1);\nreturn 4;\n", body, seen, cond, b),
    );
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (arg, first, second) = (g.small(), g.point_on(&[&n]), g.point_on(&[&n]));
    c!(
        "volatile int <n> = 1;\nif (!<set>(<b>)) {\n<n> = <f>(<arg>);\n<first>} else {\n<n> += 5;\n}\n<second>",
        n,
        set,
        b,
        f,
        arg,
        first,
        second
    )
}

/// `longjmp` decides what `setjmp` returns; 0 becomes 1.
fn value(g: &mut Gen, s: &mut Scope) -> String {
    let (b, set, n) = (env(g), setjmp(g), g.name("n"));
    let mut parts = String::new();
    let (a, d, e) = (g.point_on(&[&n]), g.point_on(&[&n]), g.point_on(&[&n]));
    let v = g.rng.between(0, 3);
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    parts += &c!(
        "case 0:\n<n> = 1;\nlongjmp(<b>, <v>);\ncase 1:;\n<a>longjmp(<b>, 2);\ncase 2:;\n<n>++;\n<d>break;\ndefault:;\n<e>",
        n,
        b,
        v,
        a,
        d,
        e
    );
    c!("volatile int <n> = 0;\nswitch (<set>(<b>)) {\n<parts>}\n", n, set, b, parts)
}

/// A loop made of jumps.
fn retry(g: &mut Gen, s: &mut Scope) -> String {
    let (b, set, n, k) = (env(g), setjmp(g), g.name("n"), g.rng.between(1, 4));
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second, body) = (g.point_on(&[&n]), g.point_on(&[&n]), g.assignment(s));
    match g.rng.below(3) {
        0 => c!(
            "volatile int <n> = 0;\n<set>(<b>);\n<first>if (<n>++ < <k>) {\nlongjmp(<b>, 1);\n}\n<second>",
            n,
            set,
            b,
            k,
            first,
            second
        ),
        1 => c!(
            "volatile int <n> = 0;\nwhile (<n> < <k>) {\nif (!<set>(<b>)) {\n<n>++;\n<first>longjmp(<b>, 1);\n}\n<body><second>}\n",
            n,
            set,
            b,
            k,
            first,
            second,
            body
        ),
        _ => c!(
            "volatile int <n> = 0;\nfor (;;) {\nif (<set>(<b>) > 2) {\n<second>break;\n}\n<n>++;\n<first>longjmp(<b>, <n>);\n}\n",
            n,
            set,
            b,
            first,
            second
        ),
    }
}

fn nested(g: &mut Gen, s: &mut Scope) -> String {
    let (a, b, set, n) = (env(g), env(g), setjmp(g), g.name("n"));
    let f = g.global("f");
    g.function(
        &format!("static void {f}(int p)"),
        &c!("if (p)\nlongjmp(<a>, 1);\nlongjmp(<b>, 1);\n", a, b),
    );
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second, third, at) =
        (g.point_on(&[&n]), g.point_on(&[&n]), g.point_on(&[&n]), g.atom(&g.scope_of(&[])));
    c!(
        "volatile int <n> = 0;\nif (!<set>(<a>)) {\nif (!<set>(<b>)) {\n<n> = 1;\n<f>(<at>);\n<n> = 2;\n<first>} else {\n<second><n> = 5;\n<f>(1);\n}\n} else {\n<third>}\n",
        n,
        set,
        a,
        b,
        f,
        at,
        first,
        second,
        third
    )
}

/// Out of a function that a library calls.
fn from_comparison(g: &mut Gen, s: &mut Scope) -> String {
    let (b, set, f, a, n) = (env(g), setjmp(g), g.global("f"), g.name("a"), g.name("n"));
    g.function(&format!("static int {f}(const void *p, const void *q)"), &c!("if (*(const int *)p == 2)\nlongjmp(<b>, 1);\nreturn *(const int *)p - *(const int *)q;\n", b));
    let (first, second) = (g.point_on(&[&n]), g.point_on(&[&n]));
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    c!(
        "volatile int <n> = 0;\nint <a>[3] = { 2, 3, 1 };\nif (!<set>(<b>)) {\n<n> = 1;\nqsort(<a>, 3, sizeof *<a>, <f>);\n<n> = 2;\n<first>} else {\n<second>}\n",
        n,
        a,
        set,
        b,
        f,
        first,
        second
    )
}

fn in_struct(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, f, set, o) = (g.global("s"), g.global("f"), setjmp(g), g.name("o"));
    let text = c!(
        "struct <tag> { int n; jmp_buf env; };\nstatic void <f>(struct <tag> *o) {\no->n++;\nlongjmp(o->env, o->n);\n}\n",
        tag,
        f
    );
    g.top += &text;
    let _ = s;
    let (first, second) = (g.point_on(&[&format!("{o}.n")]), g.point_on(&[&format!("{o}.n")]));
    c!(
        "volatile struct <tag> <o> = { 1 };\nif (<set>(((struct <tag> *)&<o>)->env) < 2) {\n<first><f>((struct <tag> *)&<o>);\n} else {\n<second>}\n",
        tag,
        o,
        set,
        f,
        first,
        second
    )
}

fn by_parameter(g: &mut Gen, s: &mut Scope) -> String {
    let (f, set, e, n) = (g.global("f"), setjmp(g), g.name("e"), g.name("n"));
    let jump = *g.rng.pick(&["longjmp", "_longjmp"]);
    g.function(
        &format!("static __attribute__((noreturn)) void {f}(jmp_buf e, int v)"),
        &c!("<jump>(e, v);\n", jump),
    );
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second) = (g.point_on(&[&n]), g.point_on(&[&n]));
    c!(
        "jmp_buf <e>;\nvolatile int <n> = 0;\nif (<set>(<e>) == 0) {\n<first><n> = 6;\n<f>(<e>, 3);\n}\n<second>",
        e,
        n,
        set,
        f,
        first,
        second
    )
}

fn signal_jump(g: &mut Gen, s: &mut Scope) -> String {
    let (b, f, n) = (env(g), g.global("f"), g.name("n"));
    g.function(&format!("static void {f}(int k)"), &c!("siglongjmp(<b>, k);\n", b));
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second) = (g.point_on(&[&n]), g.point_on(&[&n]));
    c!(
        "volatile int <n> = 0;\nsignal(12, <f>);\nif (__sigsetjmp(<b>, 1) == 12) {\n<first>} else {\n<n> = 2;\nraise(12);\n<n> = 3;\n}\n<second>",
        n,
        f,
        b,
        first,
        second
    )
}

fn computed(g: &mut Gen, s: &mut Scope) -> String {
    let (a, b, p) = (g.name("l"), g.name("l"), g.name("p"));
    let (cond, first, second, change) =
        (g.condition(s, 1), g.point(s), g.point(s), g.assignment(s));
    c!(
        "{\nvoid *<p> = <cond> ? &&<a> : &&<b>;\ngoto *<p>;\n<a>:;\n<first><change><p> = &&<b>;\ngoto *<p>;\n<b>:;\n<second>}\n",
        a,
        b,
        p,
        cond,
        first,
        second,
        change
    )
}

/// A little machine.
fn computed_static(g: &mut Gen, s: &mut Scope) -> String {
    let (a, b, e, t, i) = (g.name("l"), g.name("l"), g.name("l"), g.name("t"), g.name("i"));
    let (first, second, third) = (g.point_on(&[&i]), g.point_on(&[&i]), g.point(s));
    let code = *g.rng.pick(&["{ 0, 1, 2 }", "{ 1, 0, 2 }", "{ 1, 1, 2 }", "{ 2 }"]);
    c!(
        "{\nstatic void *const <t>[] = { &&<a>, &&<b>, &&<e> };\nstatic const unsigned char code[] = <code>;\nint <i> = 0;\ngoto *<t>[code[<i>++]];\n<a>:;\n<first>goto *<t>[code[<i>++]];\n<b>:;\n<second>goto *<t>[code[<i>++]];\n<e>:;\n<third>}\n",
        a,
        b,
        e,
        t,
        i,
        code,
        first,
        second,
        third
    )
}

fn builtin_jump(g: &mut Gen, s: &mut Scope) -> String {
    let (b, f, n) = (g.global("env"), g.global("f"), g.name("n"));
    let text = c!(
        "static void *<b>[5];\nstatic __attribute__((noinline)) void <f>(void) {\n__builtin_longjmp(<b>, 1);\n}\n",
        b,
        f
    );
    g.top += &text;
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second) = (g.point_on(&[&n]), g.point_on(&[&n]));
    c!(
        "volatile int <n> = 0;\nif (__builtin_setjmp(<b>) == 0) {\n<n> = 4;\n<first><f>();\n} else {\n<second>}\n",
        n,
        b,
        f,
        first,
        second
    )
}

fn rethrow(g: &mut Gen, s: &mut Scope) -> String {
    let (p, f, h, n, set) = (g.global("top"), g.global("f"), g.global("f"), g.name("n"), setjmp(g));
    let e = g.name("e");
    let seen = g.point(&g.scope_of(&[]));
    let text = c!(
        "static jmp_buf *<p>;\nstatic void <h>(void) {\nlongjmp(*<p>, 1);\n}\nstatic void <f>(void) {\njmp_buf mine, *volatile old = <p>;\n<p> = &mine;\nif (!<set>(mine)) {\n<h>();\n}\n<p> = old;\n<seen>longjmp(*<p>, 1);\n}\n",
        p,
        f,
        h,
        set,
        seen
    );
    g.top += &text;
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second) = (g.point_on(&[&n]), g.point_on(&[&n]));
    c!(
        "volatile int <n> = 0;\njmp_buf <e>;\n<p> = &<e>;\nif (!<set>(<e>)) {\n<n> = 2;\n<f>();\n<n> = 3;\n<first>}\n<second>",
        n,
        e,
        p,
        set,
        f,
        first,
        second
    )
}

fn local_label(g: &mut Gen, s: &mut Scope) -> String {
    let n = g.name("n");
    let (first, change) = (g.point_on(&[&n]), g.assignment(s));
    s.add(&n, Ty::Int);
    c!(
        "int <n> = 0;\n{\n__label__ again;\nagain:;\n<first>if (<n>++ < 2)\ngoto again;\n}\n{\n__label__ again;\ngoto again;\n<change>again:;\n}\n",
        n,
        first,
        change
    ) + &g.point(s)
}

/// Out of a recursion.
fn from_deep(g: &mut Gen, s: &mut Scope) -> String {
    let (b, set, f, n, k) = (env(g), setjmp(g), g.global("f"), g.name("n"), g.rng.between(0, 3));
    let seen = g.point_on(&["p"]);
    g.function(
        &format!("static int {f}(int p)"),
        &c!("if (p == 0)\nlongjmp(<b>, 7);\n<seen>return <f>(p - 1) + 1;\n", b, f, seen),
    );
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second) = (g.point_on(&[&n]), g.point_on(&[&n]));
    c!(
        "volatile int <n> = 0;\nif (<set>(<b>)) {\n<first>} else {\n<n> = 1;\n<n> = <f>(<k>);\n}\n<second>",
        n,
        set,
        b,
        f,
        k,
        first,
        second
    )
}

/// `setjmp` in the other places where it may stand.
fn in_condition(g: &mut Gen, s: &mut Scope) -> String {
    let (b, set, n) = (env(g), setjmp(g), g.name("n"));
    s.vars.push(Var { address: false, ..Var::new(&n, Ty::Int) });
    let (first, second) = (g.point_on(&[&n]), g.point_on(&[&n]));
    match g.rng.below(4) {
        0 => c!(
            "volatile int <n> = 0;\nwhile (<set>(<b>) != 3) {\n<n>++;\n<first>longjmp(<b>, <n>);\n}\n<second>",
            n,
            set,
            b,
            first,
            second
        ),
        1 => c!(
            "volatile int <n> = 0;\nif (<set>(<b>) >= 2) {\n<second>} else {\n<n>++;\n<first>longjmp(<b>, <n>);\n}\n",
            n,
            set,
            b,
            first,
            second
        ),
        2 => c!(
            "volatile int <n> = 0;\n(void)<set>(<b>);\nif (<n> == 0) {\n<n> = 9;\n<first>longjmp(<b>, 1);\n}\n<second>",
            n,
            set,
            b,
            first,
            second
        ),
        _ => c!(
            "volatile int <n> = 0;\nfor (; !<set>(<b>); ) {\n<n> = 2;\n<first>longjmp(<b>, 5);\n}\n<second>",
            n,
            set,
            b,
            first,
            second
        ),
    }
}

/// Values at file scope change between the two returns.
fn static_env(g: &mut Gen, s: &mut Scope) -> String {
    let (b, set, h, f) = (env(g), setjmp(g), g.global("h"), g.global("f"));
    let text =
        c!("static int <h>;\nstatic void <f>(void) {\n<h>++;\nlongjmp(<b>, <h>);\n}\n", h, f, b);
    g.top += &text;
    s.vars.push(Var { address: false, ..Var::new(&h, Ty::Int) });
    g.may_keep(&h[1..], Ty::Int);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!(
        "if (!<h>) {\nif (!<set>(<b>)) {\n<f>();\n}\nif (<h>) {\n<first>}\n}\n<second>",
        h,
        set,
        b,
        f,
        first,
        second
    )
}
