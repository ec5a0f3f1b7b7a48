//! Programs of several files: linkage, definitions that are tentative or weak, names of the assembler.

use super::{Gen, Kind, Scope, Ty, Var, c};

pub(super) const KINDS: &[Kind] = &[
    external,
    same_static,
    tentative,
    weak_function,
    weak_missing,
    alias_variable,
    alias_function,
    assembler_name,
    assembler_function,
    inline,
    local_extern,
    enumerators,
    shared_table,
    pointer_out,
    mutual,
    extern_shadow,
    exported_constant,
    changed_elsewhere,
    renamed_static,
    thread_local,
    common,
];

/// The text of another file, which is made if need be.
fn other(g: &mut Gen) -> usize {
    if g.others.is_empty() || g.others.len() < 2 && g.rng.chance(20) {
        g.others.push(String::new());
    }
    g.rng.below(g.others.len())
}

/// A variable that another file defines, with its value.
fn external(g: &mut Gen, s: &mut Scope) -> String {
    let (h, ty, k) = (g.global("h"), g.some_type(), other(g));
    let (t, v) = (ty.name(), g.static_constant());
    let quality = *g.rng.pick(&["", "", "const "]);
    g.others[k] += &c!("<quality><t> <h> = <v>;\n", quality, t, h, v);
    let text = c!("extern <quality><t> <h>;\n", quality, t, h);
    g.top += &text;
    let var = if quality.is_empty() { Var::new(&h, ty) } else { Var::read_only(&h, ty) };
    s.vars.push(var);
    let (cond, first, second) = (g.condition(s, 0), g.point_on(&[&h]), g.point_on(&[&h]));
    c!("if (<h>) {\n<first>}\nif (<cond>) {\n<second>}\n", h, cond, first, second)
}

/// Static variables and functions of one name in each file.
fn same_static(g: &mut Gen, s: &mut Scope) -> String {
    let (h, f, get, ty, k) =
        (g.global("h"), g.global("f"), g.global("get"), g.some_type(), other(g));
    let (v, w, t, x) = (g.static_constant(), g.static_constant(), ty.name(), g.name("x"));
    let (seen, mine) = (g.point_on(&[&h]), g.point_on(&[&h]));
    g.others[k] += &c!(
        "static <t> <h> = <v>;\nstatic long <f>(void) {\nreturn <h>;\n}\nlong <get>(void) {\n<seen><h>++;\nreturn <f>();\n}\n",
        t,
        h,
        v,
        f,
        get,
        seen
    );
    let text = c!(
        "static <t> <h> = <w>;\nstatic int <f>(void) {\n<mine>return <h> + 1;\n}\nlong <get>(void);\n",
        t,
        h,
        w,
        f,
        get,
        mine
    );
    g.top += &text;
    s.vars.push(Var::new(&h, ty));
    s.add(&x, Ty::Long);
    let (first, second) = (g.point_on(&[&x]), g.point_on(&[&x, &h]));
    c!("long <x> = <get>();\n<first><x> = <f>();\n<second>", x, get, f, first, second)
}

/// A definition that comes after its uses, or in parts.
fn tentative(g: &mut Gen, s: &mut Scope) -> String {
    let (h, f, ty) = (g.global("h"), g.global("f"), g.some_type());
    let (t, v) = (ty.name(), g.static_constant());
    let seen = g.point_on(&[&h]);
    let text = match g.rng.below(3) {
        0 => c!(
            "<t> <h>;\nstatic void <f>(void) {\n<seen>}\n<t> <h> = <v>;\n<t> <h>;\n",
            t,
            h,
            f,
            v,
            seen
        ),
        1 => c!(
            "static <t> <h>;\nstatic void <f>(void) {\n<seen>}\nstatic <t> <h> = <v>;\n",
            t,
            h,
            f,
            v,
            seen
        ),
        _ => c!(
            "extern <t> <h>;\nstatic void <f>(void) {\n<seen>}\n<t> <h> = <v>;\n",
            t,
            h,
            f,
            v,
            seen
        ),
    };
    g.top += &text;
    s.vars.push(Var::new(&h, ty));
    let after = g.point_on(&[&h]);
    c!("<f>();\nif (!<h>) {\n<h> = 1;\n}\n<after>", f, h, after)
}

/// A weak definition loses against another one.
fn weak_function(g: &mut Gen, s: &mut Scope) -> String {
    let (f, k, x) = (g.global("f"), other(g), g.name("x"));
    let (v, w) = (g.small(), g.small());
    let (weak, strong) = (g.point_on(&["p"]), g.point_on(&["p"]));
    let also = g.rng.chance(70);
    if also {
        g.others[k] += &c!("int <f>(int p) {\n<strong>return <v>;\n}\n", f, v, strong);
    }
    let text = match g.rng.below(2) {
        0 => c!("__attribute__((weak)) int <f>(int p) {\n<weak>return <w>;\n}\n", f, w, weak),
        _ => c!(
            "int <f>(int p) __attribute__((weak));\nint <f>(int p) {\n<weak>return <w>;\n}\n",
            f,
            w,
            weak
        ),
    };
    g.top += &text;
    s.add(&x, Ty::Int);
    let seen = g.point_on(&[&x]);
    c!("int <x> = <f>(3);\n<seen>", x, f, seen)
}

/// A weak name that may be nobody's.
fn weak_missing(g: &mut Gen, s: &mut Scope) -> String {
    let (f, k, there) = (g.global("f"), other(g), g.rng.coin());
    if there {
        g.others[k] += &c!("int <f>(void) {\nreturn 5;\n}\n", f);
    }
    let text = c!("extern int <f>(void) __attribute__((weak));\n", f);
    g.top += &text;
    let (yes, no) = (g.point(s), g.point(s));
    c!("if (<f>) {\n<yes>} else {\n<no>}\n", f, yes, no)
}

fn alias_variable(g: &mut Gen, s: &mut Scope) -> String {
    let (h, a, v) = (g.global("h"), g.global("a"), g.small());
    let kind = *g.rng.pick(&["alias(\"<h>\")", "weak, alias(\"<h>\")"]);
    let kind = c!(kind, h);
    let text = c!("int <h> = <v>;\nextern int <a> __attribute__((<kind>));\n", h, v, a, kind);
    g.top += &text;
    s.add(&h, Ty::Int);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&a, &h]));
    c!("if (<h> < 9) {\n<a> = 12;\n<first>}\n<h>--;\n<second>", h, a, first, second)
}

fn alias_function(g: &mut Gen, s: &mut Scope) -> String {
    let (f, a, x, h) = (g.global("f"), g.global("a"), g.name("x"), g.global("h"));
    let seen = g.point_on(&["p"]);
    let text = c!(
        "static int <h>;\nint <f>(int p) {\n<seen><h>++;\nreturn p + 1;\n}\nint <a>(int) __attribute__((alias(\"<f>\")));\n",
        h,
        f,
        a,
        seen
    );
    g.top += &text;
    s.add(&x, Ty::Int);
    let (first, v) = (g.point_on(&[&x, &h]), g.small());
    c!("int <x> = 0;\nif (!<h>) {\n<x> = <a>(<v>);\n<first>}\n", x, h, a, v, first)
}

/// Two names in C that are one in the object file.
fn assembler_name(g: &mut Gen, s: &mut Scope) -> String {
    let (h, a, v, k) = (g.global("h"), g.global("a"), g.small(), other(g));
    g.others[k] += &c!("int <h> = <v>;\n", h, v);
    let text = c!("extern int <h>;\nextern int <a> __asm__(\"<h>\");\n", h, a);
    g.top += &text;
    s.vars.push(Var { address: false, ..Var::new(&h, Ty::Int) });
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&a]));
    c!("if (<h> < 9) {\n<a> = 11;\n<first>}\n<h> = 2;\n<second>", h, a, first, second)
}

fn assembler_function(g: &mut Gen, s: &mut Scope) -> String {
    let (f, a, x, k) = (g.global("f"), g.global("a"), g.name("x"), other(g));
    let seen = g.point_on(&["p"]);
    let text = if g.rng.coin() {
        g.others[k] += &c!("int <f>(int p) {\n<seen>return p + 2;\n}\n", f, seen);
        c!("extern int <a>(int) __asm__(\"<f>\");\n", a, f)
    } else {
        g.others[k] += &c!(
            "int <a>(int p) __asm__(\"<f>\");\nint <a>(int p) {\n<seen>return p + 2;\n}\n",
            a,
            f,
            seen
        );
        c!("extern int <f>(int);\n", f)
    };
    g.top += &text;
    let call = if text.contains("asm") { &a } else { &f };
    s.add(&x, Ty::Int);
    let (after, v) = (g.point_on(&[&x]), g.small());
    c!("int <x> = <call>(<v>);\n<after>", x, call, v, after)
}

fn inline(g: &mut Gen, s: &mut Scope) -> String {
    let (f, x, v) = (g.global("f"), g.name("x"), g.constant());
    let (t, seen) = (g.some_type().name(), g.point_on(&["p"]));
    let how = *g.rng.pick(&[
        "static inline",
        "extern inline __attribute__((gnu_inline, always_inline))",
        "static __attribute__((always_inline)) inline",
    ]);
    g.function(&format!("{how} {t} {f}(int p)"), &c!("<seen>return <v>;\n", seen, v));
    s.add(&x, Ty::Long);
    let after = g.point_on(&[&x]);
    c!("long <x> = <f>(1);\n<after>", x, f, after)
}

/// A declaration inside of a function.
fn local_extern(g: &mut Gen, s: &mut Scope) -> String {
    let (h, ty, k) = (g.global("h"), g.some_type(), other(g));
    let (t, v) = (ty.name(), g.static_constant());
    g.others[k] += &c!("<t> <h> = <v>;\n", t, h, v);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&h]));
    let _ = s;
    c!("{\nextern <t> <h>;\n<first>if (<h>) {\n<h> = 0;\n<second>}\n}\n", t, h, first, second)
}

/// Enumerators that differ from file to file.
fn enumerators(g: &mut Gen, s: &mut Scope) -> String {
    let (a, f, x, k) = (g.global("A"), g.global("f"), g.name("x"), other(g));
    let (v, w) = (g.rng.between(0, 5), g.rng.between(6, 9));
    let seen = g.point_on(&[&a]);
    g.others[k] +=
        &c!("enum { <a> = <v> };\nint <f>(void) {\n<seen>return <a>;\n}\n", a, v, f, seen);
    let text = c!("enum { <a> = <w> };\nint <f>(void);\n", a, w, f);
    g.top += &text;
    s.add(&x, Ty::Int);
    let (first, second) = (g.point_on(&[&x]), g.point_on(&[&a, &x]));
    c!("int <x> = <f>();\n<first>if (<x> != <a>) {\n<second>}\n", x, f, a, first, second)
}

fn shared_table(g: &mut Gen, s: &mut Scope) -> String {
    let (t, f, x, k, h) = (g.global("t"), g.global("f"), g.name("x"), other(g), g.global("h"));
    let seen = g.point_on(&["p", &h]);
    g.others[k] += &c!(
        "int <h>;\nstatic int <f>(int p) {\n<h> = p;\n<seen>return p * 3;\n}\nint (*const <t>[1])(int) = { <f> };\n",
        h,
        f,
        t,
        seen
    );
    let text = c!("extern int (*const <t>[])(int);\nextern int <h>;\n", t, h);
    g.top += &text;
    s.add(&x, Ty::Int);
    let (after, v) = (g.point_on(&[&x, &h]), g.small());
    c!("int <x> = 0;\nif (!<h>) {\n<x> = <t>[0](<v>);\n<after>}\n", x, h, t, v, after)
}

/// A file that changes another one's static variable through a pointer.
fn pointer_out(g: &mut Gen, s: &mut Scope) -> String {
    let (h, get, set, k, v) =
        (g.global("h"), g.global("get"), g.global("set"), other(g), g.small());
    let ty = *g.rng.pick(&["int", "unsigned char"]);
    g.others[k] += &c!("static <ty> *keep;\nvoid <get>(<ty> *p) {\nkeep = p;\n}\nvoid <set>(int v) {\n*keep = v;\n}\n", ty, get, set).replace("keep", &format!("{h}k"));
    let text = c!("static <ty> <h>;\nvoid <get>(<ty> *);\nvoid <set>(int);\n", ty, h, get, set);
    g.top += &text;
    s.add(&h, if ty == "int" { Ty::Int } else { Ty::UChar });
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!(
        "<get>(&<h>);\nif (!<h>) {\n<set>(<v>);\n<first>}\n<set>(300);\n<second>",
        get,
        h,
        set,
        v,
        first,
        second
    )
}

/// Calls to and fro.
fn mutual(g: &mut Gen, s: &mut Scope) -> String {
    let (f, b, k, x) = (g.global("f"), g.global("b"), other(g), g.name("x"));
    let (here, there) = (g.point_on(&["n"]), g.point_on(&["n"]));
    g.others[k] += &c!(
        "int <b>(int n);\nint <f>(int n) {\n<there>return n ? <b>(n - 1) + 1 : 0;\n}\n",
        f,
        b,
        there
    );
    let text = c!(
        "int <f>(int n);\nint <b>(int n) {\n<here>return n > 0 ? <f>(n - 1) : 5;\n}\n",
        f,
        b,
        here
    );
    g.top += &text;
    s.add(&x, Ty::Int);
    let (v, after) = (g.rng.between(0, 4), g.point_on(&[&x]));
    c!("int <x> = <f>(<v>);\n<after>", x, f, v, after)
}

/// `extern` inside of a block in which a local has the same name.
fn extern_shadow(g: &mut Gen, s: &mut Scope) -> String {
    let (h, v, w) = (g.global("h"), g.small(), g.small());
    let text = c!("int <h> = <v>;\n", h, v);
    g.top += &text;
    s.add(&h, Ty::Int);
    let (inner, outer, after) = (g.point_on(&[&h]), g.point_on(&[&h]), g.point_on(&[&h]));
    c!(
        "{\nint <h> = <w>;\n<outer>{\nextern int <h>;\n<h> += 3;\n<inner>}\n}\n<after>",
        h,
        w,
        inner,
        outer,
        after
    )
}

fn exported_constant(g: &mut Gen, s: &mut Scope) -> String {
    let (h, f, ty, k) = (g.global("h"), g.global("f"), g.some_type(), other(g));
    let (t, v) = (ty.name(), g.static_constant());
    let seen = g.point_on(&[&h]);
    g.others[k] +=
        &c!("extern const <t> <h>;\nvoid <f>(void) {\nif (<h> > 3) {\n<seen>}\n}\n", t, h, f, seen);
    let text = c!("const <t> <h> = <v>;\nvoid <f>(void);\n", t, h, v, f);
    g.top += &text;
    s.vars.push(Var::read_only(&h, ty));
    let after = g.point_on(&[&h]);
    c!("<f>();\n<after>", f, after)
}

/// A variable that is only assigned in another file.
fn changed_elsewhere(g: &mut Gen, s: &mut Scope) -> String {
    let (h, f, ty, k, v) = (g.global("h"), g.global("f"), g.some_type(), other(g), g.constant());
    let t = ty.name();
    g.others[k] += &c!("extern <t> <h>;\nvoid <f>(void) {\n<h> = <v>;\n}\n", t, h, f, v);
    let text = c!("<t> <h>;\nvoid <f>(void);\n", t, h, f);
    g.top += &text;
    s.vars.push(Var::new(&h, ty));
    g.may_keep(&h[1..], ty);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!("if (!<h>) {\n<f>();\nif (<h>) {\n<first>}\n}\n<second>", h, f, first, second)
}

/// A static function whose name in the object file is another one's in C.
fn renamed_static(g: &mut Gen, s: &mut Scope) -> String {
    let (f, b, x) = (g.global("f"), g.global("b"), g.name("x"));
    let (one, two) = (g.point_on(&["p"]), g.point_on(&["p"]));
    let text = c!(
        "int <f>(int p) __asm__(\"<b>x\");\nint <b>(int p) {\n<one>return p;\n}\nint <f>(int p) {\n<two>return p + 1;\n}\n",
        f,
        b,
        one,
        two
    );
    g.top += &text;
    s.add(&x, Ty::Int);
    let after = g.point_on(&[&x]);
    c!("int <x> = <f>(<b>(2));\n<after>", x, f, b, after)
}

fn thread_local(g: &mut Gen, s: &mut Scope) -> String {
    let (h, v) = (g.global("h"), g.small());
    let how = *g.rng.pick(&["static _Thread_local", "__thread"]);
    let text = c!("<how> int <h> = <v>;\n", how, h, v);
    g.top += &text;
    s.add(&h, Ty::Int);
    let (first, second) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!("<first><h> += 2;\n<second>", h, first, second)
}

/// Definitions of one variable in two files, which the linker makes one.
fn common(g: &mut Gen, s: &mut Scope) -> String {
    let (h, f, k) = (g.global("h"), g.global("f"), other(g));
    let first = if g.rng.coin() { " = 4" } else { "" };
    g.others[k] += &c!("__attribute__((common)) int <h>;\nvoid <f>(void) {\n<h> += 2;\n}\n", h, f);
    let how = if first.is_empty() { "__attribute__((common)) " } else { "" };
    let text = c!("<how>int <h><first>;\nvoid <f>(void);\n", how, h, first, f);
    g.top += &text;
    s.add(&h, Ty::Int);
    let (before, after) = (g.point_on(&[&h]), g.point_on(&[&h]));
    c!("<before><f>();\n<after>", before, f, after)
}
