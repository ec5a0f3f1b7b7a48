//! Programs for the benchmarks that `bop gen` does not write.

use std::fmt::Write;
use testkit::rng::Rng;

/// The member of a family, if there is such a family.
pub(crate) fn member(name: &str, n: usize) -> Option<String> {
    match name {
        "knots" => Some(knots(n)),
        "pairs" => Some(pairs(n)),
        "factors" => Some(factors(n)),
        _ => None,
    }
}

/// `n` arbitrary globals under `3n` random clauses of three literals: no order of the variables
/// keeps a decision diagram of them small. Satisfiable by construction: the solution is random.
fn knots(n: usize) -> String {
    let mut rng = Rng::new(n as u64);
    let solution: Vec<bool> = (0..n).map(|_| rng.coin()).collect();
    let mut out = String::from("decl ");
    let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let _ = writeln!(out, "{};\nvoid main() begin", names.join(", "));
    let all: Vec<usize> = (0..n).collect();
    let literal = |v: usize, sign: bool| format!("{}x{v}", if sign { "" } else { "!" });
    for _ in 0..3 * n {
        let vars = rng.sample(&all, 3);
        let mut signs: Vec<bool> = vars.iter().map(|_| rng.coin()).collect();
        if vars.iter().zip(&signs).all(|(&v, &s)| solution[v] != s) {
            signs[0] = !signs[0];
        }
        let clause: Vec<String> = vars.iter().zip(&signs).map(|(&v, &s)| literal(v, s)).collect();
        let _ = writeln!(out, "  assume({});", clause.join(" | "));
    }
    out.push_str("  R: skip;\nend\n");
    out
}

/// `n` globals copied into `n` others in random order, all of them flipped in a procedure, and
/// compared: the diagrams stay small only if partners are neighbours in the order.
fn pairs(n: usize) -> String {
    let mut rng = Rng::new(n as u64);
    let mut partner: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut partner);
    let names = |c: char| (0..n).map(|i| format!("{c}{i}")).collect::<Vec<_>>().join(", ");
    let mut out = format!("decl {};\ndecl {};\nvoid main() begin\n", names('a'), names('b'));
    for (i, p) in partner.iter().enumerate() {
        let _ = writeln!(out, "  b{i} := a{p};");
    }
    out.push_str("  while (*) do\n    flip();\n  od\n");
    for (i, p) in partner.iter().enumerate() {
        let _ = writeln!(out, "  if (b{i} != a{p}) then goto R; fi");
    }
    out.push_str("  return;\n  R: skip;\nend\nvoid flip() begin\n");
    for (i, p) in partner.iter().enumerate() {
        let _ = writeln!(out, "  a{p}, b{i} := !a{p}, !b{i};");
    }
    out.push_str("end\n");
    out
}

/// The product of two arbitrary words of `n` bits, added up in `n` procedures, is that of two
/// primes: diagrams of a product are large in every order of the variables.
fn factors(n: usize) -> String {
    let prime = |p: &u64| (2..).take_while(|d| d * d <= *p).all(|d| !p.is_multiple_of(d));
    let primes: Vec<u64> = (1u64 << (n - 1)..1 << n).filter(prime).collect();
    let product = primes[primes.len() / 3] * primes[2 * primes.len() / 3];
    let names =
        |c: char, n: usize| (0..n).map(|i| format!("{c}{i}")).collect::<Vec<_>>().join(", ");
    let mut out = format!("decl {};\ndecl {};\n", names('a', n), names('b', n));
    let _ = writeln!(out, "decl {};\nvoid main() begin", names('s', 2 * n));
    let zeros = vec!["0"; 2 * n].join(", ");
    let _ = writeln!(out, "  {} := {zeros};", names('s', 2 * n));
    for i in 0..n {
        let _ = writeln!(out, "  add{i}();");
    }
    let bit = |i: usize| format!("{}s{i}", if product >> i & 1 == 1 { "" } else { "!" });
    let bits: Vec<String> = (0..2 * n).map(bit).collect();
    let _ = writeln!(out, "  if ({}) then\n    R: skip;\n  fi\nend", bits.join(" & "));
    for i in 0..n {
        let _ = writeln!(out, "void add{i}() begin\n  decl c;\n  c := 0;\n  if (b{i}) then");
        for j in 0..n {
            let (s, a) = (format!("s{}", i + j), format!("a{j}"));
            let _ = writeln!(out, "    {s}, c := {s} ^ {a} ^ c, {s} & {a} | {s} & c | {a} & c;");
        }
        let _ = writeln!(out, "    s{} := c;\n  fi\nend", i + n);
    }
    out
}
