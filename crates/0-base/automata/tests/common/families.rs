//! Formulas of growing size: the scalable families that Spot's `genltl` makes, as its manual defines them.
#![allow(dead_code, unreachable_pub)] // each user has a part

/// `part(1) op part(2) op … part(n)`.
fn join(op: &str, n: usize, part: impl Fn(usize) -> String) -> String {
    (1..=n).map(part).collect::<Vec<_>>().join(op)
}

/// `open(1) … open(n) middle close…`: nested to the right.
fn nest(n: usize, middle: String, wrap: impl Fn(usize, String) -> String) -> String {
    (1..=n).rev().fold(middle, |inner, i| wrap(i, inner))
}

fn next(count: usize, f: &str) -> String {
    format!("{}{f}", "X ".repeat(count))
}

/// The counter of Rozier and Vardi (SPIN 2007) with n bits: a marker `m`, the bits `b`, and a carry `c`.
fn rv_counter(n: usize, carry: bool, linear: bool) -> String {
    let bits = |at: &dyn Fn(usize) -> String| join(" & ", n, at);
    let x = |count: usize, f: &str| match linear {
        true => nest(count, f.to_owned(), |_, inner| format!("X ({inner})")),
        false => next(count, f),
    };
    let zero = match linear {
        true => nest(n - 1, "!b".to_owned(), |_, inner| format!("!b & X ({inner})")),
        false => bits(&|i| next(i - 1, "!b")),
    };
    let mut parts = Vec::new();
    // The marker comes every n steps.
    let quiet = match linear {
        true => nest(n - 1, "X m".to_owned(), |_, inner| format!("X (!m & {inner})")),
        false => {
            let mut all: Vec<String> = (1..n).map(|i| next(i, "!m")).collect();
            all.push(next(n, "m"));
            all.join(" & ")
        }
    };
    parts.push("m".to_owned());
    parts.push(format!("G (m -> ({quiet}))"));
    parts.push(zero);
    if carry {
        let same = |bit: &str| x(n, bit);
        parts.push(format!("G (m & b -> (c & {}))", same("!b")));
        parts.push(format!("G (m & !b -> (!c & {}))", same("b")));
        let (zero, one) = (x(n, "!b"), x(n, "b"));
        parts.push(format!("G (!c & X !m -> (X !c & (X b -> X {one}) & (X !b -> X {zero})))"));
        parts.push(format!("G (c & X !m & X !b -> (X !c & X {one}))"));
        parts.push(format!("G (c & X !m & X b -> (X c & X {zero}))"));
    } else {
        let (same, other) = (x(n, "b"), x(n, "!b"));
        parts.push(
            format!("G (m & !b -> ({same} & X ((!m & (b -> X {same}) & (!b -> X {other})) U m)))")
                .replace(&format!("X {same}"), &same)
                .replace(&format!("X {other}"), &other),
        );
        parts.push(format!("G (m & b -> ({other} & X ((b & !m & {other}) U (m | (!m & !b & {same} & X ((!m & (b -> {same}) & (!b -> {other})) U m))))))"));
    }
    parts.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" & ")
}

/// A name, and the formula of a size.
pub type Family = (&'static str, fn(usize) -> String);

/// The families by name. A formula of size `n` is made by the function.
pub const FAMILIES: &[Family] = &[
    ("and-f", |n| join(" & ", n, |i| format!("F p{i}"))),
    ("and-fg", |n| join(" & ", n, |i| format!("F G p{i}"))),
    ("and-gf", |n| join(" & ", n, |i| format!("G F p{i}"))),
    ("ccj-alpha", |n| {
        let side = |a: &str| nest(n - 1, format!("F {a}{n}"), |i, f| format!("F ({a}{i} & {f})"));
        format!("{} & {}", side("p"), side("q"))
    }),
    ("ccj-beta", |n| {
        let side = |a: &str| nest(n - 1, a.to_owned(), |_, f| format!("{a} & X ({f})"));
        format!("F ({}) & F ({})", side("p"), side("q"))
    }),
    ("ccj-beta-prime", |n| {
        let side = |a: &str| join(" & ", n, |i| next(i - 1, a));
        format!("F ({}) & F ({})", side("p"), side("q"))
    }),
    ("fxg-or", |n| {
        format!("F (p0 | {})", nest(n - 1, format!("X G p{n}"), |i, f| format!("X G (p{i} | {f})")))
    }),
    ("gf-equiv", |n| format!("({}) <-> G F z", join(" & ", n, |i| format!("G F a{i}")))),
    ("gf-equiv-xn", |n| format!("G F (a <-> {})", next(n, "a"))),
    ("gf-implies", |n| format!("({}) -> G F z", join(" & ", n, |i| format!("G F a{i}")))),
    ("gf-implies-xn", |n| format!("G F (a -> {})", next(n, "a"))),
    ("gh-q", |n| join(" & ", n, |i| format!("(F p{i} | G p{})", i + 1))),
    ("gh-r", |n| join(" & ", n, |i| format!("(G F p{i} | F G p{})", i + 1))),
    ("go-theta", |n| format!("!(({}) -> G (q -> F r))", join(" & ", n, |i| format!("G F p{i}")))),
    ("gxf-and", |n| {
        format!("G (p0 & {})", nest(n - 1, format!("X F p{n}"), |i, f| format!("X F (p{i} & {f})")))
    }),
    ("ms-example", |n| {
        let a = nest(n - 1, format!("a{n}"), |i, f| format!("a{i} & X ({f})"));
        let b = nest(n - 1, format!("F b{n}"), |i, f| format!("F (b{i} & {f})"));
        format!("G F ({a}) & {b}")
    }),
    ("ms-phi-h", |n| {
        join(" | ", n + 1, |i| {
            format!("F G ({}a | {})", if i % 2 == 1 { "" } else { "!" }, next(i - 1, "b"))
        })
    }),
    ("ms-phi-r", |n| {
        (1..=n).fold("(F G a0 & G F b0)".to_owned(), |f, i| match i % 2 {
            1 => format!("(F G a{i} | G F b{i}) & ({f})"),
            _ => format!("(F G a{i} & G F b{i}) | ({f})"),
        })
    }),
    ("ms-phi-s", |n| {
        (1..=n).fold("(F G a0 | G F b0)".to_owned(), |f, i| match i % 2 {
            1 => format!("(F G a{i} & G F b{i}) | ({f})"),
            _ => format!("(F G a{i} | G F b{i}) & ({f})"),
        })
    }),
    ("or-fg", |n| join(" | ", n, |i| format!("F G p{i}"))),
    ("or-g", |n| join(" | ", n, |i| format!("G p{i}"))),
    ("or-gf", |n| join(" | ", n, |i| format!("G F p{i}"))),
    ("r-left", |n| (2..=n).fold("p1".to_owned(), |f, i| format!("({f}) R p{i}"))),
    ("r-right", |n| nest(n - 1, format!("p{n}"), |i, f| format!("p{i} R ({f})"))),
    ("rv-counter-linear", |n| rv_counter(n, false, true)),
    ("rv-counter", |n| rv_counter(n, false, false)),
    ("rv-counter-carry", |n| rv_counter(n, true, false)),
    ("rv-counter-carry-linear", |n| rv_counter(n, true, true)),
    ("sejk-f", |n| {
        (1..=n).fold(format!("(G F a0 U {})", next(1, "b")), |f, i| format!("(G F a{i} U G {f})"))
    }),
    ("sejk-j", |n| {
        let all = |a: &str| join(" & ", n, |i| format!("G F {a}{i}"));
        format!("({}) -> ({})", all("a"), all("b"))
    }),
    ("sejk-k", |n| join(" & ", n, |i| format!("(G F a{i} | F G b{i})"))),
    ("strong-fair", |n| join(" & ", n, |i| format!("(G F a{i} -> G F b{i})"))),
    ("response", |n| join(" & ", n, |i| format!("G (p{i} -> F q{i})"))),
    ("tv-f1", |n| format!("G (p -> ({}))", join(" | ", n + 1, |i| next(i - 1, "q")))),
    ("tv-f2", |n| format!("G (p -> {})", nest(n, "q".to_owned(), |_, f| format!("(q | X {f})")))),
    ("tv-g1", |n| format!("G (p -> ({}))", join(" & ", n + 1, |i| next(i - 1, "q")))),
    ("tv-g2", |n| format!("G (p -> {})", nest(n, "q".to_owned(), |_, f| format!("(q & X {f})")))),
    ("tv-uu", |n| {
        let inner =
            (1..=n).rev().fold(format!("p{}", n + 1), |f, i| format!("(p{i} & X (p{i} U {f}))"));
        format!("G (p1 -> {inner})")
    }),
    ("u-left", |n| (2..=n).fold("p1".to_owned(), |f, i| format!("({f}) U p{i}"))),
    ("u-right", |n| nest(n - 1, format!("p{n}"), |i, f| format!("p{i} U ({f})"))),
];
