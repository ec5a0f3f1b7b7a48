//! Floating point: NaN, signed zeros, rounding, conversions.

use super::{Gen, Kind, Scope, Ty, Var, c};

pub(super) const KINDS: &[Kind] = &[
    not_a_number,
    order,
    truth,
    to_integer,
    rounding,
    zeros,
    from_integer,
    compound,
    counter,
    argument,
    infinite,
    boolean,
    mixed,
    returned,
    array,
    long_double,
    library,
    constants,
    ternary,
    increments,
    switch_on,
];

fn kind(g: &mut Gen) -> Ty {
    *g.rng.pick(&[Ty::Double, Ty::Double, Ty::Float])
}

const NUMBERS: [&str; 16] = [
    "0", "1", "0.5", "-0.5", "2.5", "0.1", "0.1f", "-3", "1e10", "3", "100.25", "0x1p-3", "1e-30",
    "-0.0", "7.0f", "5.",
];

/// A number that binary fractions hold exactly, or do not.
fn number(g: &mut Gen) -> &'static str {
    NUMBERS[g.rng.below(NUMBERS.len())]
}

fn not_a_number(g: &mut Gen, s: &mut Scope) -> String {
    let (d, ty) = (g.name("d"), kind(g));
    let t = ty.name();
    s.add(&d, ty);
    let make = *g.rng.pick(&[
        "<d> = <d> / <d>",
        "<d> = __builtin_nan(\"\")",
        "<d> = 0 * __builtin_inf()",
        "<d> = <d> - <d> + __builtin_nanf(\"\")",
        "<d> /= 0",
    ]);
    let make = c!(make, d);
    let c1 = *g.rng.pick(&[
        "!(<d> < 1)",
        "!(<d> >= 1)",
        "<d> != <d>",
        "!(<d> == <d>)",
        "!(<d> > 0) && !(<d> <= 0)",
        "<d>",
        "!(<d> == 0)",
        "__builtin_isnan(<d>)",
        "__builtin_isunordered(<d>, 1)",
        "!__builtin_isless(<d>, 1)",
    ]);
    let c1 = c!(c1, d);
    let (first, second, third) = (g.point_on_floats(&[&d]), g.point_on_floats(&[&d]), g.point(s));
    let volatile = if g.rng.chance(40) { "volatile " } else { "" };
    c!(
        "<volatile><t> <d> = 0;\n<make>;\n<first>if (<c1>) {\n<second>} else {\n<third>}\n",
        volatile,
        t,
        d,
        make,
        c1,
        first,
        second,
        third
    )
}

/// What is not less may still not be greater or equal.
fn order(g: &mut Gen, s: &mut Scope) -> String {
    let (d, e, ty) = (g.name("d"), g.name("e"), kind(g));
    let t = ty.name();
    s.add(&d, ty);
    s.add(&e, ty);
    let v = *g.rng.pick(&[
        "0.0 / <e>",
        "1 / <e>",
        "<e> / 3",
        "__builtin_nan(\"\")",
        "-<e>",
        "<e> + 0.5",
    ]);
    let v = c!(v, e);
    let (a, b, f) =
        (g.point_on_floats(&[&d, &e]), g.point_on_floats(&[&d]), g.point_on_floats(&[&e]));
    let w = number(g);
    let flow = *g.rng.pick(&[
        "if (<d> < <e>) {\n<a>} else if (<d> >= <e>) {\n<b>} else {\n<f>}\n",
        "if (!(<d> > <e>)) {\n<a>if (!(<d> <= <e>)) {\n<b>}\n}\n<f>",
        "if (<d> == <e>) {\n<a>} else {\n<b>if (<d> < <e> || <d> > <e>)\n;\nelse {\n<f>}\n}\n",
        "if (!(<d> != <e>)) {\n<a>}\nif (<d> != <d>) {\n<b>}\n<f>",
    ]);
    let flow = c!(flow, d, e, a, b, f);
    c!("<t> <e> = <w>;\n<t> <d> = <v>;\n", t, e, w, d, v) + &flow
}

fn truth(g: &mut Gen, s: &mut Scope) -> String {
    let (d, ty, v) = (g.name("d"), kind(g), number(g));
    let t = ty.name();
    s.add(&d, ty);
    let (a, b, e) = (g.point_on_floats(&[&d]), g.point_on_floats(&[&d]), g.point(s));
    let half = *g.rng.pick(&["<d> / 2", "<d> * 0.5", "<d>", "-<d>", "<d> - 1"]);
    let half = c!(half, d);
    c!(
        "<t> <d> = <v>;\nif (<half>) {\n<a>}\nif (!<d>) {\n<b>}\n<d> && ({\n<e>1;\n});\n",
        t,
        d,
        v,
        half,
        a,
        b,
        e
    )
}

fn to_integer(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty, d) = (
        g.name("x"),
        *g.rng.pick(&[Ty::Int, Ty::Long, Ty::Char, Ty::Bool, Ty::UChar, Ty::UInt]),
        g.name("d"),
    );
    let t = ty.name();
    let v = *g.rng.pick(&["0.9", "2.5", "3.999999", "0.1", "100.5", "1", "0.0", "99.99f"]);
    let from = kind(g).name();
    s.add(&x, ty);
    let (first, second) = (g.point_on(&[&x]), g.point_on_floats(&[&d]));
    let how = *g.rng.pick(&[
        "<t> <x> = <d>;\n",
        "<t> <x> = (<t>)<d> + 1;\n",
        "<t> <x> = 0;\n<x> += <d>;\n",
        "<t> <x> = <v>;\n",
    ]);
    let how = c!(how, t, x, d, v);
    c!("<from> <d> = <v>;\n", from, d, v)
        + &how
        + &first
        + &c!("if ((int)<d> == <d>) {\n<second>}\n", d, second)
}

fn rounding(g: &mut Gen, s: &mut Scope) -> String {
    let (x, d) = (g.name("x"), g.name("d"));
    let what = *g.rng.pick(&[
        "0.1 + 0.2 == 0.3",
        "0.1f == 0.1",
        "0.5f == 0.5",
        "(float)16777217 == 16777217",
        "(float)0.1 == 0.1f",
        "<d> * 10 == 1",
        "(double)(float)<d> == <d>",
        "1e16 + 1 == 1e16",
        "9007199254740993.0 == 9007199254740992.0",
        "(int)(<d> * 10)",
        "<d> + <d> + <d> == 0.3",
        "(float)<d> < <d>",
        "1.0 / 3 * 3 == 1",
        "16777216.0f + 1 == 16777217",
        "0.1 < 0.1f",
    ]);
    let what = c!(what, d);
    s.add(&x, Ty::Int);
    let (first, yes) = (g.point_on(&[&x]), g.point(s));
    c!(
        "double <d> = 0.1;\nint <x> = <what>;\n<first>if (<what>) {\n<yes>}\n",
        d,
        x,
        what,
        first,
        yes
    )
}

fn zeros(g: &mut Gen, s: &mut Scope) -> String {
    let (d, ty) = (g.name("d"), kind(g));
    let t = ty.name();
    s.add(&d, ty);
    let make = *g.rng.pick(&["-0.0", "0.0 * -1", "-(0.0)", "-1e-300 * 1e-300", "0.0"]);
    let what = *g.rng.pick(&[
        "1 / <d> < 0",
        "<d> == 0",
        "__builtin_signbit(<d>)",
        "!<d>",
        "1 / <d> == 1 / 0.0",
        "<d> < 0",
        "__builtin_copysign(1, <d>) < 0",
    ]);
    let what = c!(what, d);
    let (a, b) = (g.point_on_floats(&[&d]), g.point_on_floats(&[&format!("1 / {d}")]));
    c!("<t> <d> = <make>;\nif (<what>) {\n<a>} else {\n<b>}\n", t, d, make, what, a, b)
        + &g.point_on_floats(&[&d])
}

fn from_integer(g: &mut Gen, s: &mut Scope) -> String {
    let (d, ty, v) = (g.name("d"), kind(g), g.int_constant());
    let t = ty.name();
    let how = *g.rng.pick(&["", " / 2", " / 2.0", " * 0.5f"]);
    s.add(&d, ty);
    let (a, b, op) =
        (g.point_on_floats(&[&d]), g.point_on_floats(&[&d]), *g.rng.pick(&["<", ">", "==", "!="]));
    let w = g.constant();
    c!("<t> <d> = (<v>)<how>;\n<a>if (<d> <op> <w>) {\n<b>}\n", t, d, v, how, a, b, op, w)
}

fn compound(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty, v) =
        (g.name("x"), *g.rng.pick(&[Ty::Int, Ty::Short, Ty::UInt, Ty::Long]), g.rng.between(1, 20));
    let t = ty.name();
    s.add(&x, ty);
    let step = *g.rng.pick(&[
        "<x> *= 1.5",
        "<x> += 0.9",
        "<x> -= 0.5",
        "<x> /= 0.25",
        "<x> *= 0.1",
        "<x> = <x> / 2.0 * 2",
        "<x> = <x> / 2 * 2.0",
        "<x> *= 2.5f",
    ]);
    let step = c!(step, x);
    let (a, b) = (g.point_on(&[&x]), g.point_on(&[&x]));
    c!("<t> <x> = <v>;\n<step>;\n<a>if (<x> > <v>) {\n<b>}\n", t, x, v, step, a, b)
}

fn counter(g: &mut Gen, s: &mut Scope) -> String {
    let (d, n, ty) = (g.name("d"), g.name("n"), kind(g));
    let t = ty.name();
    s.add(&n, Ty::Int);
    let head = *g.rng.pick(&[
        "<t> <d> = 0; <d> < 1; <d> += 0.25",
        "<t> <d> = 0; <d> != 0.3 && <n> < 6; <d> += 0.1",
        "<t> <d> = 8; <d> > 0.5; <d> /= 2",
        "<t> <d> = 0; <d> <= 0.5; <d> += 0.1",
    ]);
    let head = c!(head, t, d, n);
    let (a, b) = (g.point_on_floats(&[&d]), g.point_on(&[&n]));
    c!("int <n> = 0;\nfor (<head>) {\n<n>++;\n<a>}\n<b>", n, head, a, b)
}

fn argument(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x, v) = (g.global("f"), g.name("x"), *g.rng.pick(&["2.75", "3", "0.5f", "100.99"]));
    let (from, to) = *g.rng.pick(&[
        ("int", "double"),
        ("double", "int"),
        ("float", "float"),
        ("unsigned char", "double"),
        ("double", "_Bool"),
        ("long", "float"),
    ]);
    let seen = if from == "double" || from == "float" {
        g.point_on_floats(&["p"])
    } else {
        g.point_on(&["p"])
    };
    g.function(&format!("static {to} {f}({from} p)"), &c!("<seen>return p / 2;\n", seen));
    s.add(&x, Ty::Double);
    let after = g.point_on_floats(&[&x]);
    let yes = g.point(s);
    c!("double <x> = <f>(<v>);\n<after>if (<f>(<v>) > 1) {\n<yes>}\n", x, f, v, after, yes)
}

fn infinite(g: &mut Gen, s: &mut Scope) -> String {
    let (d, ty) = (g.name("d"), kind(g));
    let t = ty.name();
    s.add(&d, ty);
    let make = *g.rng.pick(&[
        "1e308 * 10",
        "1 / 0.0",
        "__builtin_inf()",
        "-__builtin_huge_val()",
        "1e38f * 10",
        "1e39",
    ]);
    let what = *g.rng.pick(&[
        "<d> > 1e300",
        "<d> == <d> + 1",
        "<d> - <d> == 0",
        "<d> * 0 == 0",
        "__builtin_isinf(<d>)",
        "<d> == <d> * 2",
        "-<d> < <d>",
    ]);
    let what = c!(what, d);
    let (a, b) = (g.point_on_floats(&[&d]), g.point_on_floats(&[&d]));
    c!("<t> <d> = <make>;\n<a>if (<what>) {\n<b>}\n", t, d, make, what, a, b)
        + &g.point_on(&[&what])
}

fn boolean(g: &mut Gen, s: &mut Scope) -> String {
    let (x, d, v) = (g.name("x"), g.name("d"), number(g));
    s.add(&x, Ty::Bool);
    let (a, b) = (g.point_on(&[&x]), g.point(s));
    let how = *g.rng.pick(&[
        "<d>",
        "(_Bool)<d>",
        "(int)<d>",
        "!<d>",
        "<d> != 0",
        "<d> || 0",
        "(_Bool)<v>",
    ]);
    let how = c!(how, d, v);
    c!(
        "double <d> = <v>;\n_Bool <x> = <how>;\n<a>if ((_Bool)<d> != (int)<d>) {\n<b>}\n",
        d,
        v,
        x,
        how,
        a,
        b
    )
}

/// Comparisons of integers with floating values.
fn mixed(g: &mut Gen, s: &mut Scope) -> String {
    let (x, d, e, w) = (g.name("x"), g.name("d"), g.atom(s), number(g));
    s.add(&x, Ty::Int);
    let op = *g.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
    let t = kind(g).name();
    let (a, b) = (g.point_on(&[&x]), g.point_on_floats(&[&d]));
    c!(
        "<t> <d> = <w>;\nint <x> = <d> <op> <e>;\n<a>if (<e> <op> <d>) {\n<b>}\n",
        t,
        d,
        w,
        x,
        op,
        e,
        a,
        b
    )
}

fn returned(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x, v) = (g.global("f"), g.name("x"), number(g));
    let v = if v == "1e10" { "6.5" } else { v };
    let to = *g.rng.pick(&["int", "double", "float", "_Bool", "long"]);
    g.function(&format!("static {to} {f}(void)"), &format!("return {v};\n"));
    s.add(&x, Ty::Double);
    let (a, b, e) = (g.point_on_floats(&[&x]), g.point(s), g.point(s));
    c!("double <x> = <f>();\n<a>if (<f>()) {\n<b>}\nif (!<f>()) {\n<e>}\n", x, f, a, b, e)
}

fn array(g: &mut Gen, s: &mut Scope) -> String {
    let (a, p, v, w) = (g.name("a"), g.name("p"), number(g), number(g));
    let ty = kind(g);
    let t = ty.name();
    s.vars.push(Var { address: false, ..Var::new(&format!("{a}[1]"), ty) });
    let (first, second) = (
        g.point_on_floats(&[&format!("{a}[0]"), &format!("{a}[1]")]),
        g.point_on_floats(&[&format!("*{p}")]),
    );
    c!(
        "<t> <a>[2] = { <v> }, *<p> = <a>;\n<first>if (!<a>[1]) {\n<p>[1] = <w>;\n<p>++;\n<second>}\n",
        t,
        a,
        p,
        v,
        w,
        first,
        second
    ) + &g.point_on_floats(&[&format!("{a}[1]")])
}

fn long_double(g: &mut Gen, s: &mut Scope) -> String {
    let (d, x) = (g.name("d"), g.name("x"));
    let v = *g.rng.pick(&["0.1L", "0.1", "1.0L / 3", "1e4000L", "5"]);
    let what = *g.rng.pick(&[
        "<d> == 0.1",
        "<d> > 0",
        "(double)<d> == 0.1",
        "<d> * 3 == 1",
        "sizeof <d> == 8",
        "<d> != <d>",
    ]);
    let what = c!(what, d);
    s.add(&x, Ty::Int);
    let (a, b) = (g.point_on(&[&x]), g.point_on(&[&x]));
    c!("long double <d> = <v>;\nint <x> = <what>;\n<a>if (<what>) {\n<b>}\n", d, v, x, what, a, b)
}

fn library(g: &mut Gen, s: &mut Scope) -> String {
    let (d, e, x) = (g.name("d"), g.name("e"), g.name("x"));
    let v = *g.rng.pick(&["2.75", "16", "0.5", "-2.25"]);
    s.add(&d, Ty::Double);
    s.add(&x, Ty::Int);
    let call = *g.rng.pick(&[
        "<e> = modf(<e>, &<d>)",
        "<d> = frexp(<e>, &<x>)",
        "<d> = sqrt(16)",
        "<d> = floor(<e>)",
        "<d> = __builtin_fabs(<e>)",
    ]);
    let call = c!(call, d, e, x);
    let (a, b) = (g.point_on_floats(&[&d, &e]), g.point_on(&[&x]));
    c!(
        "double <d> = 0, <e> = <v>;\nint <x> = 0;\nif (!<d> && !<x>) {\n<call>;\n<a><b>}\n",
        d,
        e,
        v,
        x,
        call,
        a,
        b
    )
}

/// Constants of floating type at file scope, and in `static const`.
fn constants(g: &mut Gen, s: &mut Scope) -> String {
    let (k, v) = (g.global("k"), number(g));
    let ty = *g.rng.pick(&["double", "float", "int", "_Bool", "unsigned char"]);
    let v = if matches!(ty, "int" | "unsigned char") && matches!(v, "1e10" | "-3" | "100.25") {
        "2.5"
    } else {
        v
    };
    let how = *g.rng.pick(&["static const", "const", "static"]);
    let text = c!("<how> <ty> <k> = <v>;\n", how, ty, k, v);
    g.top += &text;
    let (a, b, e) = (g.point(s), g.point(s), g.point(s));
    c!("if (<k>) {\n<a>}\nif (<k> < 1) {\n<b>}\nif (<k> == <v>) {\n<e>}\n", k, v, a, b, e)
}

fn ternary(g: &mut Gen, s: &mut Scope) -> String {
    let (x, cond, v) = (g.name("x"), g.condition(s, 1), number(g));
    let form = *g.rng.pick(&[
        "<cond> ? 1 : <v>",
        "<v> ? 2 : 3",
        "<v> ?: 4",
        "(<cond>) + <v>",
        "(<cond>) * 0.5",
        "<cond> ? <v> : 0u - 1",
    ]);
    let form = c!(form, cond, v);
    s.add(&x, Ty::Double);
    let (a, b) = (g.point_on_floats(&[&x]), g.point_on_floats(&[&x]));
    c!("double <x> = <form>;\n<a>if ((<form>) > 0.5) {\n<b>}\n", x, form, a, b)
}

fn increments(g: &mut Gen, s: &mut Scope) -> String {
    let (d, ty, v) = (g.name("d"), kind(g), number(g));
    let t = ty.name();
    s.add(&d, ty);
    let how = *g.rng.pick(&[
        "<d>++",
        "--<d>",
        "<d> = -<d>",
        "<d> += 1e16",
        "<d> -= 0.5",
        "<d> *= <d>",
        "<d> = (int)<d>",
    ]);
    let how = if v == "1e10" { "<d>--" } else { how };
    let how = c!(how, d);
    let (a, b) = (g.point_on_floats(&[&d]), g.point_on_floats(&[&d]));
    c!("<t> <d> = <v>;\nif (<how>) {\n<a>} else {\n<b>}\n", t, d, v, how, a, b)
        + &g.point_on_floats(&[&d])
}

fn switch_on(g: &mut Gen, s: &mut Scope) -> String {
    let (d, v) = (g.name("d"), *g.rng.pick(&["0.5", "1.9", "2", "-0.5", "1.0f"]));
    s.add(&d, Ty::Double);
    let (a, b, e) = (g.point_on_floats(&[&d]), g.point_on_floats(&[&d]), g.point_on_floats(&[&d]));
    c!(
        "double <d> = <v>;\nswitch ((int)<d>) {\ncase 0:;\n<a>break;\ncase (int)1.9:;\n<b>break;\ndefault:;\n<e>}\n",
        d,
        v,
        a,
        b,
        e
    )
}
