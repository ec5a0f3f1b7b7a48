//! Control flow: branches, loops, `switch`, `goto`, recursion, and what lives on between calls.

use super::{Gen, Kind, Scope, Ty, Var, c};

pub(super) const KINDS: &[Kind] = &[
    branch,
    counted,
    wrapping,
    rounds,
    switch,
    ranges,
    duff,
    forward_goto,
    backward_goto,
    into_block,
    statics,
    recursion,
    mutual,
    break_out,
    const_in_loop,
    nested_switch,
    endless,
    early_exit,
    short_circuit,
    while_changes,
    call_in_condition,
    case_in_loop,
];

/// `if`, perhaps with `else`, with check points.
pub(super) fn branch(g: &mut Gen, s: &mut Scope) -> String {
    let (cond, n) = (g.condition(s, 1), g.rng.between(1, 2));
    let (yes, seen) = (g.block(s, n), g.point(s));
    if g.rng.coin() {
        let (no, other) = (g.block(s, 1), g.point(s));
        c!("if (<cond>) {\n<yes><seen>} else {\n<no><other>}\n", cond, yes, seen, no, other)
    } else {
        c!("if (<cond>) {\n<yes><seen>}\n", cond, yes, seen)
    }
}

/// A `for` over a few numbers.
fn counted(g: &mut Gen, s: &mut Scope) -> String {
    let (i, n) = (g.name("i"), g.rng.between(1, 4));
    let ty = *g.rng.pick(&["int", "unsigned", "unsigned char", "long", "signed char"]);
    let mut inner = s.clone();
    inner.vars.push(Var::read_only(&i, Ty::Int));
    let body = g.block(&inner, 2);
    let seen = g.point(&inner);
    match g.rng.below(4) {
        0 => c!("for (<ty> <i> = <n>; <i> > 0; <i>--) {\n<body><seen>}\n", ty, i, n, body, seen),
        1 => c!(
            "for (<ty> <i> = 0; ; ++<i>) {\nif (<i> == <n>)\nbreak;\n<body><seen>}\n",
            ty,
            i,
            n,
            body,
            seen
        ),
        2 => {
            c!("{\n<ty> <i> = 0;\nwhile (<i>++ < <n>) {\n<body><seen>}\n}\n", ty, i, n, body, seen)
        }
        _ => c!("for (<ty> <i> = 0; <i> < <n>; <i>++) {\n<body><seen>}\n", ty, i, n, body, seen),
    }
}

/// A counter that goes beyond what its type holds.
fn wrapping(g: &mut Gen, s: &mut Scope) -> String {
    let i = g.name("i");
    let mut inner = s.clone();
    inner.vars.push(Var::read_only(&i, Ty::UChar));
    let at = g.point_on(&[&i]);
    let seen = g.point(&inner);
    match g.rng.below(6) {
        0 => c!("for (unsigned char <i> = 253; <i> >= 253; <i>++) {\n<at><seen>}\n", i, at, seen),
        1 => c!("{\nunsigned char <i> = 255;\n<i>++;\n<at>}\n", i, at),
        2 => c!("{\nunsigned <i> = 1;\n<i> -= 2;\n<at>}\n", i, at),
        3 => c!(
            "{\nsigned char <i> = 126;\ndo {\n<i>++;\n<at>} while (<i> > 0);\n<seen>}\n",
            i,
            at,
            seen
        ),
        4 => c!("for (unsigned short <i> = 2; <i> < 10; <i>--) {\n<at><seen>}\n", i, at, seen),
        _ => c!("{\nunsigned <i> = 0;\nif (<i>-- == 0) {\n<at>}\n<seen>}\n", i, at, seen),
    }
}

/// `do … while` with `continue` and a count.
fn rounds(g: &mut Gen, s: &mut Scope) -> String {
    let (n, k) = (g.name("n"), g.rng.between(1, 4));
    let mut inner = s.clone();
    inner.vars.push(Var::read_only(&n, Ty::Int));
    let (cond, body, seen) = (g.condition(&inner, 1), g.block(&inner, 2), g.point(&inner));
    let jump = *g.rng.pick(&["continue", "break"]);
    c!(
        "{\nint <n> = 0;\ndo {\nif (<cond>)\n<jump>;\n<body><seen>} while (++<n> < <k>);\n}\n",
        n,
        k,
        cond,
        body,
        seen,
        jump
    )
}

/// `switch` with fall-through, `default` anywhere.
fn switch(g: &mut Gen, s: &mut Scope) -> String {
    let on = g.expr(s, 1);
    let ty = if g.rng.coin() { format!("({})", g.some_type().name()) } else { String::new() };
    let all = ["0", "1", "2", "3", "-1", "5", "255", "'a'", "7u", "300"];
    let mut parts = Vec::new();
    for label in g.rng.sample(&all, 3) {
        let (body, seen) = (g.block(s, 1), g.point(s));
        let end = if g.rng.chance(60) { "break;\n" } else { ";\n" };
        parts.push(c!("case <label>:;\n<body><seen><end>", label, body, seen, end));
    }
    if g.rng.chance(60) {
        let (body, seen) = (g.block(s, 1), g.point(s));
        let end = if g.rng.chance(60) { "break;\n" } else { ";\n" };
        let at = g.rng.below(parts.len() + 1);
        parts.insert(at, c!("default:;\n<body><seen><end>", body, seen, end));
    }
    let parts = parts.concat();
    // Constants of other types are converted, so two labels might be one.
    let ty = if ty.contains("_Bool") || ty.contains("char") { String::new() } else { ty };
    c!("switch (<ty>(<on>) & 511) {\n<parts>}\n", ty, on, parts)
}

/// Ranges of cases.
fn ranges(g: &mut Gen, s: &mut Scope) -> String {
    let on = g.atom(s);
    let (a, b, d) = (g.point(s), g.point(s), g.point(s));
    c!(
        "switch (<on>) {\ncase -5 ... -1:;\n<a>break;\ncase 0 ... 4:;\n<b>\ncase 200 ... 300:;\n<d>}\n",
        on,
        a,
        b,
        d
    )
}

/// Cases inside of a loop.
fn duff(g: &mut Gen, s: &mut Scope) -> String {
    let (n, on) = (g.name("n"), g.atom(s));
    let mut inner = s.clone();
    inner.vars.push(Var::read_only(&n, Ty::Int));
    let (a, b, d) = (g.point(&inner), g.point(&inner), g.block(&inner, 1));
    c!(
        "{\nint <n> = 2;\nswitch ((<on>) & 3) {\ncase 0:\ndo {\n<a>case 1:;\n<d>case 2:;\n<b>} while (--<n> > 0);\n}\n}\n",
        n,
        on,
        a,
        b,
        d
    )
}

fn forward_goto(g: &mut Gen, s: &mut Scope) -> String {
    let (l, cond) = (g.name("l"), g.condition(s, 1));
    let (body, seen, after) = (g.block(s, 1), g.point(s), g.point(s));
    c!("if (<cond>)\ngoto <l>;\n{\n<body><seen>}\n<l>:;\n<after>", l, cond, body, seen, after)
}

fn backward_goto(g: &mut Gen, s: &mut Scope) -> String {
    let (l, n, k) = (g.name("l"), g.name("n"), g.rng.between(1, 4));
    let mut inner = s.clone();
    inner.vars.push(Var::read_only(&n, Ty::UChar));
    let (body, seen) = (g.block(&inner, 1), g.point(&inner));
    c!(
        "{\nunsigned char <n> = 0;\n<l>:;\n<body><seen>if (<n>++ < <k>)\ngoto <l>;\n}\n",
        l,
        n,
        k,
        body,
        seen
    )
}

/// A jump into a block that control would not enter.
fn into_block(g: &mut Gen, s: &mut Scope) -> String {
    let (l, cond) = (g.name("l"), g.condition(s, 1));
    let (body, seen) = (g.assignment(s), g.point(s));
    let dead = *g.rng.pick(&["0", "1 > 2", "sizeof(int) < 2"]);
    c!("if (<cond>)\ngoto <l>;\nif (<dead>) {\n<body><l>:;\n<seen>}\n", l, cond, body, seen, dead)
}

/// A static local that lives on.
fn statics(g: &mut Gen, s: &mut Scope) -> String {
    let (f, k, ty) = (g.global("f"), g.name("k"), g.some_type());
    let mut inner = g.scope_of(&[]);
    inner.add(&k, ty);
    let (body, seen) = (g.block(&inner, 1), g.point(&inner));
    let (ty, first) = (ty.name(), if g.rng.coin() { " = 3" } else { "" });
    let step = *g.rng.pick(&["++<k>", "<k> += 2", "<k> = !<k>", "<k>--"]);
    let step = c!(step, k);
    let text = c!(
        "static <ty> <k><first>;\n<body><step>;\n<seen>return <k>;\n",
        ty,
        k,
        first,
        body,
        step,
        seen
    );
    g.function(&format!("static int {f}(void)"), &text);
    let x = g.name("x");
    let calls = g.rng.between(1, 3);
    s.add(&x, Ty::Int);
    let mut out = c!("int <x> = 0;\n", x);
    for _ in 0..calls {
        out += &c!("<x> = <f>();\n", x, f);
    }
    out + &g.point_on(&[&x])
}

fn recursion(g: &mut Gen, s: &mut Scope) -> String {
    let f = g.global("f");
    let mut inner = g.scope_of(&[Var::read_only("n", Ty::Int)]);
    inner.add("k", Ty::Int);
    let (body, seen, after) = (g.block(&inner, 1), g.point(&inner), g.point(&inner));
    let first = g.expr(&inner_without(&inner, "k"), 1);
    let text = c!(
        "int k = <first>;\n<body><seen>if (n > 0)\nk += <f>(n - 1);\n<after>return k;\n",
        first,
        body,
        seen,
        f,
        after
    );
    g.function(&format!("static int {f}(int n)"), &text);
    let (x, n) = (g.name("x"), g.rng.between(0, 3));
    s.add(&x, Ty::Int);
    c!("int <x> = <f>(<n>);\n", x, f, n) + &g.point_on(&[&x])
}

fn inner_without(scope: &Scope, name: &str) -> Scope {
    Scope { vars: scope.vars.iter().filter(|v| v.text != name).cloned().collect() }
}

fn mutual(g: &mut Gen, s: &mut Scope) -> String {
    let (f, h, ty) = (g.global("f"), g.global("h"), g.some_type().name());
    let inner = g.scope_of(&[Var::read_only("n", Ty::Int)]);
    let (a, b) = (g.point(&inner), g.point(&inner));
    let (v, w) = (g.static_constant(), g.static_constant());
    let text = c!(
        "static <ty> <h>(int n);\nstatic <ty> <f>(int n) {\n<a>return n ? <h>(n - 1) : <v>;\n}\nstatic <ty> <h>(int n) {\n<b>return n ? <f>(n - 1) : <w>;\n}\n",
        ty,
        f,
        h,
        a,
        b,
        v,
        w
    );
    g.top += &text;
    let (x, n) = (g.name("x"), g.rng.between(0, 4));
    s.add(&x, Ty::Long);
    c!("long <x> = <f>(<n>);\n", x, f, n) + &g.point_on(&[&x])
}

/// Leaves two loops at once.
fn break_out(g: &mut Gen, s: &mut Scope) -> String {
    let (i, j, l) = (g.name("i"), g.name("j"), g.name("l"));
    let mut inner = s.clone();
    inner.vars.push(Var::read_only(&i, Ty::Int));
    inner.vars.push(Var::read_only(&j, Ty::Int));
    let (cond, body) = (g.condition(&inner, 1), g.block(&inner, 1));
    let (seen, after) = (g.point_on(&[&i, &j]), g.point(s));
    c!(
        "for (int <i> = 0; <i> < 3; <i>++) {\nfor (int <j> = <i>; <j> < 3; <j>++) {\n<body>if (<cond>)\ngoto <l>;\n<seen>}\n}\n<l>:;\n<after>",
        i,
        j,
        l,
        cond,
        body,
        seen,
        after
    )
}

/// A constant with a new value each round.
fn const_in_loop(g: &mut Gen, s: &mut Scope) -> String {
    let (i, k) = (g.name("i"), g.name("k"));
    let ty = g.some_type();
    let (seen, both) = (g.point_on(&[&k]), g.point_on(&[&k, &i]));
    let value = *g.rng.pick(&["<i>", "<i> * 2", "<i> == 1", "-<i>", "<i> ? 5 : 0"]);
    let value = c!(value, i);
    let ty = ty.name();
    let _ = s;
    c!(
        "for (int <i> = 0; <i> < 3; <i>++) {\nconst <ty> <k> = <value>;\nif (!<k>) {\n<seen>} else {\n<both>}\n}\n",
        i,
        k,
        ty,
        value,
        seen,
        both
    )
}

fn nested_switch(g: &mut Gen, s: &mut Scope) -> String {
    let i = g.name("i");
    let mut inner = s.clone();
    inner.vars.push(Var::read_only(&i, Ty::Int));
    let (a, b, d) = (g.point(&inner), g.point(&inner), g.point(&inner));
    let (on, change) = (g.atom(&inner), g.assignment(s));
    c!(
        "for (int <i> = 0; <i> < 3; <i>++) {\nswitch (<i>) {\ncase 1:\nswitch ((<on>) & 1) {\ncase 0:;\n<a>break;\ndefault:;\n<change>continue;\n}\n<b>break;\ncase 2:;\n<d>}\n}\n",
        i,
        on,
        a,
        b,
        d,
        change
    )
}

/// Runs that may not end.
fn endless(g: &mut Gen, s: &mut Scope) -> String {
    if !g.rng.chance(30) {
        return counted(g, s);
    }
    let (cond, seen) = (g.condition(s, 1), g.point(s));
    match g.rng.below(5) {
        0 => c!("while (<cond>) {\n$t;<seen>}\n", cond, seen),
        1 => c!("if (<cond>) {\n<seen>for (;;) {\n$t;\n}\n}\n", cond, seen),
        2 => {
            let i = g.name("i");
            c!(
                "if (<cond>) {\nfor (unsigned char <i> = 0; <i> < 256; <i>++) {\n$t;\n}\n}\n",
                cond,
                i
            )
        }
        3 => {
            let l = g.name("l");
            c!("<l>:;\n$t;\nif (<cond>)\ngoto <l>;\n<seen>", l, cond, seen)
        }
        _ => {
            let f = g.global("f");
            let inner = g.scope_of(&[Var::read_only("n", Ty::Int)]);
            let cond = g.condition(&inner, 1);
            let text = c!("while (<cond>) {\n$t;\n}\nreturn n;\n", cond);
            g.function(&format!("static int {f}(int n)"), &text);
            let arg = g.atom(s);
            c!("<f>(<arg>);\n<seen>", f, arg, seen)
        }
    }
}

/// `exit` in a callee.
fn early_exit(g: &mut Gen, s: &mut Scope) -> String {
    let f = g.global("f");
    let inner = g.scope_of(&[Var::read_only("n", Ty::Int)]);
    let (cond, seen) = (g.condition(&inner, 1), g.point(&inner));
    let end = *g.rng.pick(&["exit(0)", "abort()", "_Exit(1)", "exit(n)"]);
    let text = c!("if (<cond>) {\n<seen><end>;\n}\nreturn n;\n", cond, seen, end);
    g.function(&format!("static int {f}(int n)"), &text);
    let (x, arg) = (g.name("x"), g.atom(s));
    s.add(&x, Ty::Int);
    c!("int <x> = <f>(<arg>);\n", x, f, arg) + &g.point(s)
}

/// Effects behind `&&`, `||` and `?:`.
fn short_circuit(g: &mut Gen, s: &mut Scope) -> String {
    let Some(x) = s.target(&mut g.rng, |v| !v.ty.is_float()) else { return String::new() };
    let (x, cond, v) = (x.text, g.condition(s, 1), g.constant());
    let seen = g.point_on(&[&x]);
    let out = match g.rng.below(5) {
        0 => c!("(<cond>) && (<x> = <v>);\n", cond, x, v),
        1 => c!("(<cond>) || (<x> = <v>);\n", cond, x, v),
        2 => c!("(<cond>) ? (<x> = <v>) : 0;\n", cond, x, v),
        3 => c!("if (((<x> = <v>), <x>)) {\n<seen>}\n", x, v, seen),
        _ => c!("if ((<x> = <v>) == <v>) {\n<seen>}\n", x, v, seen),
    };
    out + &g.point_on(&[&x])
}

/// A loop whose condition its body changes.
fn while_changes(g: &mut Gen, s: &mut Scope) -> String {
    let (n, ty) = (g.name("n"), *g.rng.pick(&["int", "unsigned char", "unsigned", "short"]));
    let k = g.rng.between(1, 4);
    let (seen, after) = (g.point_on(&[&n]), g.point_on(&[&n]));
    let mut inner = s.clone();
    inner.vars.push(Var::read_only(&n, Ty::Int));
    let body = g.block(&inner, 1);
    s.add(&n, Ty::Int);
    match g.rng.below(3) {
        0 => c!(
            "<ty> <n> = <k>;\nwhile (<n>) {\n<n>--;\n<seen><body>}\n<after>",
            ty,
            n,
            k,
            seen,
            after,
            body
        ),
        1 => c!(
            "<ty> <n> = <k>;\nwhile (<n>--) {\n<seen><body>}\n<after>",
            ty,
            n,
            k,
            seen,
            after,
            body
        ),
        _ => c!(
            "<ty> <n> = 0;\nwhile (!(<n> >= <k>)) {\n<seen><body><n> += 2;\n}\n<after>",
            ty,
            n,
            k,
            seen,
            after,
            body
        ),
    }
}

/// A call as a condition, twice with different answers.
fn call_in_condition(g: &mut Gen, s: &mut Scope) -> String {
    let (f, h) = (g.global("f"), g.global("h"));
    let ty = g.some_type().name();
    let text = c!("static <ty> <h>;\n", ty, h);
    g.top += &text;
    let step = *g.rng.pick(&["<h>++", "<h> = !<h>", "<h> -= 3", "<h> ^= 1"]);
    let step = c!(step, h);
    g.function(&format!("static int {f}(void)"), &c!("<step>;\nreturn <h>;\n", step, h));
    let (a, b) = (g.point_on(&[&h]), g.point_on(&[&h]));
    let _ = s;
    c!("if (<f>()) {\nif (!<f>()) {\n<a>}\n<b>}\n", f, a, b)
}

/// Labels of cases in the middle of blocks.
fn case_in_loop(g: &mut Gen, s: &mut Scope) -> String {
    let on = g.atom(s);
    let (a, b, d) = (g.point(s), g.assignment(s), g.point(s));
    c!("switch (<on>) {\nif (0) {\ncase 0:;\n<a>}\n<b>default:;\n<d>}\n", on, a, b, d)
}
