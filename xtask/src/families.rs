//! Programs for the benchmarks that `bop gen` does not write.

use std::fmt::Write;
use testkit::rng::Rng;

/// The member of a family, if there is such a family.
pub(crate) fn member(name: &str, n: usize) -> Option<String> {
    match name {
        "knots" => Some(knots(n)),
        "pairs" => Some(pairs(n)),
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
