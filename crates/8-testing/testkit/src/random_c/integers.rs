//! Integer types: constants of one type in variables of another, conversions, bit-fields, enumerators.

use super::{Gen, Kind, Scope, Ty, Var, c};

pub(super) const KINDS: &[Kind] = &[
    converted,
    bit_field,
    boolean,
    enum_shadow,
    enum_types,
    enum_parameter,
    comparison,
    fixed_global,
    constant_function,
    assigned_value,
    chain,
    compound,
    characters,
    generic,
    builtin,
    parameter,
    returned,
    const_local,
    wide,
    sizes,
    ternary,
    increments,
    array_of_small,
    typedef_shadow,
    mixed,
];

/// A constant in a variable that it does not fit.
fn converted(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty) = (g.name("x"), g.some_type());
    s.add(&x, ty);
    g.may_keep(&x, ty);
    let (t, v, storage) = (
        ty.name(),
        g.static_constant(),
        *g.rng.pick(&["", "", "static ", "volatile ", "register "]),
    );
    if storage == "register " {
        s.vars.last_mut().expect("just added").address = false;
    }
    let seen = g.point_on(&[&x]);
    match g.rng.below(3) {
        0 => c!("<storage><t> <x> = <v>;\n<seen>", storage, t, x, v, seen),
        1 => c!("<storage><t> <x> = { <v> };\n<seen>", storage, t, x, v, seen),
        _ => c!("<storage><t> <x> = 0;\n<x> = <v>;\n<seen>", storage, t, x, v, seen),
    }
}

fn bit_field(g: &mut Gen, s: &mut Scope) -> String {
    let (tag, b) = (g.global("s"), g.name("b"));
    let mut fields = Vec::new();
    let mut names = Vec::new();
    for name in ["a", "b", "c"] {
        let (ty, max) = *g.rng.pick(&[
            ("unsigned", 12),
            ("int", 12),
            ("signed char", 8),
            ("unsigned char", 8),
            ("_Bool", 1),
            ("long", 40),
            ("unsigned long", 40),
            ("signed", 5),
        ]);
        let width = g.rng.between(1, max);
        fields.push(format!("{ty} {name} : {width};"));
        let var = format!("{b}.{name}");
        s.vars.push(Var { address: false, ..Var::new(&var, Ty::Int) });
        names.push(var);
    }
    let fields = fields.join(" ");
    let text = c!("struct <tag> { <fields> };\n", tag, fields);
    g.top += &text;
    let (v, w, u) = (g.constant(), g.constant(), g.constant());
    let name = &names[g.rng.below(3)];
    let seen = g.point_on(&[name]);
    let all = g.point_on(&[&names[0], &names[1], &names[2]]);
    let op = *g.rng.pick(&["=", "+=", "-=", "|="]);
    let u = if op == "|=" { "5".to_owned() } else { u };
    c!(
        "struct <tag> <b> = { <v>, <w> };\n<all><name> <op> <u>;\n<seen>",
        tag,
        b,
        v,
        w,
        u,
        name,
        op,
        seen,
        all
    )
}

fn boolean(g: &mut Gen, s: &mut Scope) -> String {
    let (x, a) = (g.name("x"), g.atom(s));
    s.add(&x, Ty::Bool);
    g.may_keep(&x, Ty::Bool);
    let v = match g.rng.below(6) {
        0 => g.constant(),
        1 => "0.5".into(),
        2 => format!("&{x}"),
        3 => "\"a\"".into(),
        4 => format!("({a}) & 6"),
        _ => format!("({a}) * 2"),
    };
    let seen = g.point_on(&[&x]);
    let change =
        *g.rng.pick(&["", "<x>++;\n", "--<x>;\n", "<x> += 2;\n", "<x> = ~<x>;\n", "<x> ^= 1;\n"]);
    let change = c!(change, x);
    let after = g.point_on(&[&x]);
    c!("_Bool <x> = <v>;\n<seen><change><after>", x, v, seen, change, after)
}

/// Enumerators of the same name in scopes of their own.
fn enum_shadow(g: &mut Gen, s: &mut Scope) -> String {
    let (a, x) = (g.global("A"), g.name("x"));
    let (v, w) = (g.rng.between(0, 9), g.rng.between(0, 9));
    let text = c!("enum { <a> = <v> };\n", a, v);
    g.top += &text;
    s.add(&x, Ty::Int);
    let (inside, after, both) = (g.point_on(&[&x]), g.point_on(&[&x]), g.point_on(&[&a, &x]));
    match g.rng.below(6) {
        0 => c!(
            "int <x> = <a>;\n{\nenum { <a> = <w> };\n<x> = <a>;\n<inside>}\n<x> = <a>;\n<after>",
            a,
            x,
            w,
            inside,
            after
        ),
        1 => c!(
            "int <x> = 1;\n{\nint <a> = <w>;\n<x> = <a>;\n<both>}\n<x> += <a>;\n<after>",
            a,
            x,
            w,
            both,
            after
        ),
        2 => c!(
            "int <x> = 1;\ndo {\nenum { <a> = <w> };\n<x> += <a> + 1;\n<both>} while (<x> < 2);\n<x> = <a>;\n<after>",
            a,
            x,
            w,
            both,
            after
        ),
        3 => c!(
            "int <x> = 1;\n{\nstruct { enum { <a> = <w> } e; } q = { <a> };\n<x> = q.e;\n<both>}\n<x> = <a>;\n<after>",
            a,
            x,
            w,
            both,
            after
        ),
        4 => c!(
            "int <x> = 1;\nif (<x>) {\n<x> = (int)sizeof(enum { <a> = <w> }) + <a>;\n<both>}\n<x> = <a>;\n<after>",
            a,
            x,
            w,
            both,
            after
        ),
        _ => c!(
            "int <x> = 1;\nswitch (<x>) {\nenum { <a> = <w> };\ndefault:;\n<x> = <a>;\n<both>}\n<x> = <a>;\n<after>",
            a,
            x,
            w,
            both,
            after
        ),
    }
}

/// Variables of enumeration types, which may be unsigned or larger than they look.
fn enum_types(g: &mut Gen, s: &mut Scope) -> String {
    let (e, a, b, x) = (g.global("e"), g.global("A"), g.global("B"), g.name("x"));
    let first = *g.rng.pick(&["", " = 5", " = -1", " = 255", " = 300", " = 2147483647", " = 'a'"]);
    let second = *g.rng.pick(&["", " = <a> + 2", " = <a> * 2", " = !<a>", " = sizeof(int)"]);
    let second = if first.contains("2147483647") { " = 1".to_owned() } else { c!(second, a) };
    let text = c!("enum <e> { <a><first>, <b><second> };\n", e, a, b, first, second);
    g.top += &text;
    s.vars.push(Var::new(&x, Ty::UInt));
    let (seen, after) = (g.point_on(&[&x]), g.point_on(&[&x, &b]));
    let v = *g.rng.pick(&["<a>", "<b>", "-1", "<a> - 1", "(enum <e>)300", "<b> > <a>"]);
    let v = c!(v, a, b, e);
    let packed = *g.rng.pick(&["", "", "unsigned char k = <x>; <x> = k;\n"]);
    let packed = c!(packed, x);
    c!("enum <e> <x> = <v>;\n<seen><packed><x>++;\n<after>", e, x, v, seen, packed, after)
}

/// A parameter that hides an enumerator, old style or new.
fn enum_parameter(g: &mut Gen, s: &mut Scope) -> String {
    let (a, f, x) = (g.global("A"), g.global("f"), g.name("x"));
    let (v, w) = (g.rng.between(0, 4), g.int_constant());
    let seen = g.point_on(&[&a]);
    let text = if g.rng.coin() {
        c!(
            "enum { <a> = <v> };\nstatic int <f>(<a>)\nint <a>;\n{\n<seen>return <a> + 1;\n}\n",
            a,
            f,
            v,
            seen
        )
    } else {
        c!(
            "enum { <a> = <v> };\nstatic int <f>(int <a>) {\n<seen>return <a> + 1;\n}\n",
            a,
            f,
            v,
            seen
        )
    };
    g.top += &text;
    s.add(&x, Ty::Int);
    c!("int <x> = <f>((int)(<w>)) + <a>;\n", x, f, w, a) + &g.point_on(&[&x])
}

/// The value of a comparison between types.
fn comparison(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y, z) = (g.name("x"), g.name("y"), g.name("z"));
    let (tx, ty) = (g.some_type(), g.some_type());
    let (vx, vy) = (g.constant(), g.constant());
    let op = *g.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
    s.add(&x, tx);
    s.add(&y, ty);
    s.add(&z, Ty::Int);
    let (tx, ty) = (tx.name(), ty.name());
    let (seen, yes, no) = (g.point_on(&[&z]), g.point_on(&[&x]), g.point_on(&[&y]));
    c!(
        "<tx> <x> = <vx>;\n<ty> <y> = <vy>;\nint <z> = <x> <op> <y>;\n<seen>if (<x> <op> <y>) {\n<yes>} else {\n<no>}\n",
        tx,
        ty,
        x,
        y,
        z,
        vx,
        vy,
        op,
        seen,
        yes,
        no
    )
}

/// A constant at file scope.
fn fixed_global(g: &mut Gen, s: &mut Scope) -> String {
    let (k, ty) = (g.global("k"), g.some_type());
    let v = g.static_constant();
    let how = *g.rng.pick(&["static const ", "const ", "static ", "static const volatile ", ""]);
    let t = ty.name();
    let text = c!("<how><t> <k> = <v>;\n", how, t, k, v);
    g.top += &text;
    s.vars.push(Var::read_only(&k, ty));
    let (cond, yes, no) = (g.condition(s, 0), g.point_on(&[&k]), g.point(s));
    c!("if (<k>) {\n<yes>}\nif (<cond>) {\n<no>}\n", k, cond, yes, no)
}

/// A function that always returns the same.
fn constant_function(g: &mut Gen, s: &mut Scope) -> String {
    let (f, ty, v, x) = (g.global("f"), g.some_type(), g.constant(), g.name("x"));
    let t = ty.name();
    g.function(&format!("static {t} {f}(void)"), &format!("return {v};\n"));
    let (op, w) = (*g.rng.pick(&["<", ">", "==", "!=", ">="]), g.constant());
    s.add(&x, Ty::Long);
    let (seen, yes) = (g.point_on(&[&x]), g.point(s));
    c!(
        "long <x> = <f>();\n<seen>if (<f>() <op> <w>) {\n<yes>}\nif (<f>()) {\n<x> = 3;\n}\n",
        x,
        f,
        op,
        w,
        seen,
        yes
    )
}

/// The value of an assignment is what the variable holds after it.
fn assigned_value(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty) = (g.name("x"), g.some_type());
    s.add(&x, ty);
    g.may_keep(&x, ty);
    let (t, v, w) = (ty.name(), g.constant(), g.constant());
    let op = *g.rng.pick(&["<", ">", "==", "!=", "<="]);
    let (yes, no) = (g.point_on(&[&x]), g.point_on(&[&x]));
    c!("<t> <x> = 1;\nif ((<x> = <v>) <op> <w>) {\n<yes>} else {\n<no>}\n", t, x, v, w, op, yes, no)
}

fn chain(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y, z) = (g.name("x"), g.name("y"), g.name("z"));
    let (tx, ty) = (g.some_type(), g.some_type());
    let v = g.constant();
    s.add(&x, tx);
    s.add(&y, ty);
    s.add(&z, Ty::Long);
    let (tx, ty) = (tx.name(), ty.name());
    let seen = g.point_on(&[&x, &y, &z]);
    c!(
        "<tx> <x> = 0;\n<ty> <y> = 1;\nlong <z> = 2;\n<z> = <y> = <x> = <v>;\n<seen>",
        tx,
        ty,
        x,
        y,
        z,
        v,
        seen
    )
}

fn compound(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty) = (g.name("x"), g.some_type());
    s.add(&x, ty);
    g.may_keep(&x, ty);
    let (t, v) = (ty.name(), g.constant());
    let first = g.point_on(&[&x]);
    let mut out = c!("<t> <x> = <v>;\n<first>", t, x, v, first);
    for _ in 0..g.rng.between(1, 3) {
        let step = *g.rng.pick(&[
            "<x> += 200;\n",
            "<x> -= 3;\n",
            "<x> *= 7;\n",
            "<x> ^= 255;\n",
            "<x> <<= 4;\n",
            "<x> >>= 3;\n",
            "<x> /= 2;\n",
            "<x> %= 5;\n",
            "<x> |= 0x80;\n",
            "<x> &= ~1;\n",
            "<x> = ~<x>;\n",
            "<x> = -<x>;\n",
            "<x> += 0.5;\n",
            "<x> *= 0.5;\n",
            "<x> = <x> + 1u > 0 ? <x> : 4;\n",
            "<x> -= 1u;\n",
        ]);
        // A value that no integer type holds would not be converted in any defined way.
        let step = if step.contains('.') && ty.bits() > 16 { "<x> ^= 1;\n" } else { step };
        out += &c!(step, x);
        out += &g.point_on(&[&x]);
    }
    out
}

fn characters(g: &mut Gen, s: &mut Scope) -> String {
    let (x, t, i) = (g.name("x"), g.name("t"), g.rng.below(4));
    let ty = *g.rng.pick(&[Ty::Char, Ty::SChar, Ty::UChar, Ty::Int]);
    let name = ty.name();
    let text = *g.rng.pick(&[
        "\"a\\xff\\0z\"",
        "\"\\200\\377ab\"",
        "\"abcd\" \"e\"",
        "\"\\x41\\n\\\\\\\"\"",
    ]);
    s.add(&x, ty);
    s.vars.push(Var::read_only(&format!("{t}[1]"), Ty::Char));
    let seen = g.point_on(&[&x]);
    let more = *g.rng.pick(&[
        "",
        "<x> = '\\377';\n",
        "<x> = *\"\\377\";\n",
        "<x> = \"abc\"[2];\n",
        "<x> = sizeof <t>;\n",
        "<x>++;\n",
    ]);
    let more = c!(more, x, t);
    let after = g.point_on(&[&x]);
    c!(
        "const char <t>[] = <text>;\n<name> <x> = <t>[<i>];\n<seen><more><after>",
        t,
        text,
        name,
        x,
        i,
        seen,
        more,
        after
    )
}

/// `_Generic`, which sees types.
fn generic(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty) = (g.name("x"), g.some_type());
    s.add(&x, ty);
    let (t, v, z) = (ty.name(), g.small(), g.name("z"));
    let on = *g.rng.pick(&[
        "<x>",
        "+<x>",
        "<x> + 0u",
        "(char)<x>",
        "<x> ? 1 : 0l",
        "&<x>",
        "'a'",
        "<x> << 1",
        "!<x>",
        "1.0f * <x>",
    ]);
    let on = c!(on, x);
    s.add(&z, Ty::Int);
    let seen = g.point_on(&[&z]);
    c!(
        "<t> <x> = <v>;\nint <z> = _Generic((<on>), int: 1, unsigned: 2, long: 3, unsigned long: 4, char: 5, float: 6, default: 7);\n<seen>",
        t,
        x,
        v,
        z,
        on,
        seen
    )
}

fn builtin(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y, v) = (g.name("x"), g.name("y"), g.small());
    s.add(&x, Ty::Int);
    s.add(&y, Ty::Int);
    let what = *g.rng.pick(&[
        "__builtin_choose_expr(1, 5, <x>)",
        "__builtin_choose_expr(sizeof(int) == 8, <x>, 6)",
        "__builtin_constant_p(3)",
        "__builtin_constant_p(<x>)",
        "__builtin_types_compatible_p(int, unsigned)",
        "__builtin_types_compatible_p(typeof(<x>), int)",
        "__builtin_expect(<x>, 1)",
        "__builtin_popcount(<x> + 7)",
        "__builtin_ffs(<x>)",
        "__builtin_offsetof(struct { char a; int b; }, b)",
        "__builtin_clz(<x> + 1) & 7",
        "__builtin_bswap16(<x>)",
        "__builtin_parity(<x>)",
        "__builtin_abs(-<x>)",
        "(int)__builtin_strlen(\"abc\")",
        "__builtin_object_size(&<x>, 0) > 3",
        "__builtin_add_overflow(<x>, 2147483647, &<x>)",
        "__builtin_mul_overflow(<x>, 3, &<x>)",
        "__builtin_sub_overflow(<x>, 9u, (unsigned *)&<x>)",
    ]);
    let what = c!(what, x);
    let seen = g.point_on(&[&y]);
    let both = g.point_on(&[&x]);
    c!("int <x> = <v>;\nint <y> = <what>;\n<seen><both>", x, v, y, what, seen, both)
}

/// Arguments are converted to the types of parameters.
fn parameter(g: &mut Gen, s: &mut Scope) -> String {
    let (f, ty) = (g.global("f"), g.some_type());
    let mut inner = g.scope_of(&[Var::new("p", ty)]);
    let seen = g.point_on(&["p"]);
    let body = g.statement(&mut inner);
    let t = ty.name();
    let old = g.rng.chance(20) && ty.bits() >= 32;
    let text = c!("<seen><body>return p;\n", seen, body);
    let head =
        if old { format!("static int {f}(p)\n{t} p;\n") } else { format!("static int {f}({t} p)") };
    // Without a prototype the argument keeps its type: it must be that of the parameter.
    g.function(&head, &text);
    let (x, v) = (g.name("x"), g.constant());
    let v = if old { format!("({t})({v})") } else { v };
    s.add(&x, Ty::Int);
    c!("int <x> = <f>(<v>);\n", x, f, v) + &g.point_on(&[&x])
}

/// Results are converted to the type of the function.
fn returned(g: &mut Gen, s: &mut Scope) -> String {
    let (f, ty, x) = (g.global("f"), g.some_type(), g.name("x"));
    let inner = g.scope_of(&[Var::new("p", Ty::Int)]);
    let (v, w, cond) = (g.constant(), g.constant(), g.condition(&inner, 1));
    let t = ty.name();
    let text = c!("if (<cond>)\nreturn <v>;\nreturn <w>;\n", cond, v, w);
    g.function(&format!("static {t} {f}(int p)"), &text);
    let arg = g.atom(s);
    s.add(&x, Ty::Long);
    c!("long <x> = <f>(<arg>);\n", x, f, arg) + &g.point_on(&[&x])
}

fn const_local(g: &mut Gen, s: &mut Scope) -> String {
    let (k, ty) = (g.name("k"), g.some_type());
    let v = g.static_constant();
    let how = *g.rng.pick(&["const", "static const", "const volatile", "const register"]);
    let t = ty.name();
    s.vars.push(Var::read_only(&k, ty));
    let (yes, no, cond) = (g.point_on(&[&k]), g.point_on(&[&k]), g.condition(s, 0));
    c!("<how> <t> <k> = <v>;\n<yes>if (<cond>) {\n<no>}\n", how, t, k, v, yes, no, cond)
}

/// More than 64 bits.
fn wide(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y, sh) = (g.name("x"), g.name("y"), g.rng.between(60, 70));
    let ty = *g.rng.pick(&["__int128", "unsigned __int128", "unsigned long", "long long"]);
    let sh = if ty.contains("128") { sh } else { sh - 20 };
    s.add(&y, Ty::Int);
    let seen = g.point_on(&[&y]);
    let back = sh - 2;
    c!(
        "<ty> <x> = 1;\n<x> <<= <sh>;\nint <y> = (<x> >> <back>) + (<x> > 0xffffffffffffffffu);\n<seen>",
        ty,
        x,
        y,
        sh,
        back,
        seen
    )
}

fn sizes(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y) = (g.name("x"), g.name("y"));
    let what = *g.rng.pick(&[
        "sizeof <y>",
        "sizeof(<y>++)",
        "sizeof(char)",
        "sizeof(struct { char a; int b; })",
        "sizeof(int[3])",
        "sizeof(long double)",
        "sizeof(void *)",
        "sizeof \"ab\\0c\"",
        "sizeof(<y> ? 1 : 2l)",
        "sizeof((char)1)",
        "sizeof((char)1 + 0)",
        "sizeof(union { short a; char b[5]; })",
        "_Alignof(double)",
        "sizeof(int) - 5 > 0",
        "-sizeof(char) > 0",
        "(int)sizeof(int) - 5 < 0",
        "sizeof(enum { Q })",
    ]);
    let what = c!(what, y);
    s.add(&x, Ty::Long);
    s.add(&y, Ty::Int);
    let seen = g.point_on(&[&x, &y]);
    c!("int <y> = 2;\nlong <x> = <what>;\n<seen>", x, y, what, seen)
}

/// The type of `?:` is that of both arms.
fn ternary(g: &mut Gen, s: &mut Scope) -> String {
    let (x, cond) = (g.name("x"), g.condition(s, 1));
    let (a, b) = (g.int_constant(), g.int_constant());
    let cast = *g.rng.pick(&["", "(long)", "(unsigned char)"]);
    let test = *g.rng.pick(&["> 0", "< 0", "> 5", "== -1", "!= 0", ""]);
    s.add(&x, Ty::Long);
    let (seen, yes) = (g.point_on(&[&x]), g.point_on(&[&x]));
    c!(
        "long <x> = <cast>(<cond> ? <a> : <b>);\n<seen>if ((<cond> ? <a> : <b>) <test>) {\n<yes>}\n",
        x,
        cast,
        cond,
        a,
        b,
        test,
        seen,
        yes
    )
}

fn increments(g: &mut Gen, s: &mut Scope) -> String {
    let (x, y, ty, v) = (g.name("x"), g.name("y"), g.some_type(), g.constant());
    s.add(&x, ty);
    s.add(&y, Ty::Int);
    g.may_keep(&x, ty);
    let t = ty.name();
    let how = *g.rng.pick(&["<x>++", "++<x>", "<x>--", "--<x>", "-<x>", "<x> += 1", "<x> -= 1u"]);
    let how = c!(how, x);
    let (seen, yes) = (g.point_on(&[&x, &y]), g.point_on(&[&x]));
    c!(
        "<t> <x> = <v>;\nint <y> = (<how>) > 0;\n<seen>if (<x>++) {\n<yes>}\n",
        t,
        x,
        v,
        y,
        how,
        seen,
        yes
    )
}

/// Elements of an array are converted as well.
fn array_of_small(g: &mut Gen, s: &mut Scope) -> String {
    let (a, ty) = (g.name("a"), g.some_type());
    let t = ty.name();
    let (u, v, w) = (g.constant(), g.constant(), g.constant());
    let (first, second) = (format!("{a}[0]"), format!("{a}[2]"));
    s.add(&first, ty);
    s.add(&second, ty);
    let seen = g.point_on(&[&first, &second]);
    let form = *g.rng.pick(&[
        "{ <u>, <v>, <w> }",
        "{ [2] = <u>, [0] = <v> }",
        "{ [0 ... 2] = <u> }",
        "{ <u>, [1] = <v>, <w> }",
        "{ <u> }",
    ]);
    let form = c!(form, u, v, w);
    c!("<t> <a>[3] = <form>;\n<seen>", t, a, form, seen)
}

/// A type's name that is a variable's in a block, and the other way round.
fn typedef_shadow(g: &mut Gen, s: &mut Scope) -> String {
    let (t, ty, x, v) = (g.global("t"), g.some_type(), g.name("x"), g.constant());
    let name = ty.name();
    let text = c!("typedef <name> <t>;\n", name, t);
    g.top += &text;
    s.add(&x, ty);
    let (seen, inside) = (g.point_on(&[&x]), g.point_on(&[&t]));
    match g.rng.below(3) {
        0 => c!("<t> <x> = <v>;\n<seen>{\nint <t> = 5;\n<inside>}\n", t, x, v, seen, inside),
        1 => {
            c!(
                "<t> <x> = (<t>)<v>;\n<seen>{\ntypedef unsigned char <t>;\n<x> = (<t>)300;\n}\n",
                t,
                x,
                v,
                seen
            ) + &g.point_on(&[&x])
        }
        _ => {
            c!("<t> <x> = <v>;\n<seen>if (sizeof(<t>) > 1) {\n<x> = 2;\n}\n", t, x, v, seen)
                + &g.point_on(&[&x])
        }
    }
}

/// A comparison or sum of what is in scope, converted.
fn mixed(g: &mut Gen, s: &mut Scope) -> String {
    let (x, ty, e) = (g.name("x"), g.some_type(), g.expr(s, 2));
    let t = ty.name();
    s.add(&x, ty);
    g.may_keep(&x, ty);
    let (seen, cond) = (g.point_on(&[&x]), g.condition(s, 1));
    let yes = g.point(s);
    c!("<t> <x> = <e>;\n<seen>if (<cond>) {\n<yes>}\n", t, x, e, seen, cond, yes)
}
