//! C programs: labels, and which variables matter where.

use influence::{Analysis, Graph, Method, Names, annotate, influence, of_c};
use lts::mu::{Dialect, parse};

fn graph(text: &str) -> Graph {
    graph_with(text, false)
}

fn graph_with(text: &str, terms: bool) -> Graph {
    let unit = front_c::parse(&format!("# 1 \"f.c\"\n{text}"));
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    of_c(&front_c::skeleton(&[unit]), None, terms).expect("there is a function")
}

/// What matters before each statement: `text: names`, by all methods.
fn listing(text: &str, analysis: &str, property: &[&str]) -> Vec<String> {
    let graph = graph(text);
    let property = property.iter().map(|p| graph.variable(p).expect("a variable")).collect();
    let analysis = match analysis {
        "ia1" => Analysis::Ia1,
        "ia2" => Analysis::Ia2,
        "ia3" => Analysis::Ia3,
        _ => Analysis::Ia4 { property },
    };
    let found: Vec<_> = Method::ALL
        .iter()
        .map(|&m| influence(&graph, &analysis, m, &mut |_| true).expect("a result").sets)
        .collect();
    assert_eq!(found[0], found[1], "formula and pbes: {text}");
    assert_eq!(found[1], found[2], "pbes and dataflow: {text}");
    let points = graph.points.iter().filter_map(|point| {
        // No run comes to the end behind a `return`.
        let state = point.state?;
        let set = found[2][state as usize].iter().filter(|&&v| graph.in_scope(v, point));
        let mut names: Vec<&str> =
            set.map(|&v| graph.variables[v as usize].plain.as_str()).collect();
        names.sort_unstable();
        Some(format!("{}: {}", point.text, names.join(" ")).trim_end().to_owned())
    });
    points.collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(listing(text, "ia1", &[]), expected, "{text}");
}

/// The labels of a program, each once, sorted.
fn labels(text: &str) -> Vec<String> {
    let mut labels = graph(text).lts(Names::Source).labels().to_vec();
    labels.sort_unstable();
    labels
}

/// A program with the result of [pbes Fig. 1]: `x` at L0, L1 and L2, nothing at L3 and L4, and never
/// `y`.
const P1: &str = "
void p1(int x) {
  int y = 0;
L0: while (x > 0) {
L1:   y = y + x;
L2:   x = x - 1;
  }
L3: y = 0;
L4: return;
}
int main(void) { p1(9); return 0; }";

#[test]
fn the_program_of_the_paper() {
    let graph = graph(P1);
    for method in Method::ALL {
        let found = influence(&graph, &Analysis::Ia1, method, &mut |_| true).unwrap();
        for (label, expected) in
            [("L0", &["x"][..]), ("L1", &["x"]), ("L2", &["x"]), ("L3", &[]), ("L4", &[])]
        {
            let point = graph.points.iter().find(|p| p.labels.contains(&label.to_owned()));
            let point = point.unwrap_or_else(|| panic!("no {label}"));
            let set = &found.sets[point.state.expect("it is reached") as usize];
            let names: Vec<&str> =
                set.iter().map(|&v| graph.variables[v as usize].name.as_str()).collect();
            assert_eq!(names, expected, "{label}, {}", method.word());
        }
        let y = graph.variable("y").expect("it is there");
        assert!(found.sets.iter().all(|set| !set.contains(&y)));
    }
}

/// [pbes §3.3]: `φ_all` holds where `x` matters. It has holes: a state before an assignment to `x`
/// does not satisfy it although states behind it do.
#[test]
fn all_states_at_once_has_holes() {
    let text =
        "int main(void) { int x, y; S5: x = 7; while (x > 0) { y = y + x; x = x - 1; } y = 0; }";
    let graph = graph(text);
    let mut lts = graph.lts(Names::Source);
    let one = lts::analyses::ia1();
    let all = format!("nu Z . (({one}) and [ true ] (not ({one}) or Z))");
    let formula = parse(&all, Dialect::Cadp).unwrap();
    let values = lts::everywhere(&formula, &mut lts, &["i"], &mut |_| true).unwrap().unwrap();
    let found = influence(&graph, &Analysis::Ia1, Method::Dataflow, &mut |_| true).unwrap();
    let x = graph.variable("x").expect("it is there");
    for (state, value) in values.iter().enumerate() {
        assert_eq!(*value, found.sets[state].contains(&x), "state {state}");
    }
    let at = |label: &str| {
        let point = graph.points.iter().find(|p| p.labels.contains(&label.to_owned())).unwrap();
        values[point.state.unwrap() as usize]
    };
    assert!(!at("S5"), "the hole");
    assert!(!values[0], "evaluated at the first state, it says nothing of those behind the hole");
    assert!(values.iter().any(|v| *v));
}

#[test]
fn labels_are_those_of_the_paper() {
    assert_eq!(
        labels("int main(void) { int x, y; if (x > y) x = 0; else y = x + 1; return 0; }"),
        // Locals are arbitrary at the entry: killed.
        ["ASSIGN !return", "ASSIGN !x", "ASSIGN !y", "ASSIGN !y !x", "BOOL !x", "BOOL !y", "i"]
    );
    // Cells, fields and what pointers point to are assigned in part.
    let found =
        labels("struct s { int f; } t; int a[4]; void g(int i, int v) { a[i] = v; t.f = v; }");
    for label in ["ASSIGN !a !a", "ASSIGN !a !i", "ASSIGN !a !v", "ASSIGN !t !t", "ASSIGN !t !v"] {
        assert!(found.contains(&label.to_owned()), "{label}: {found:?}");
    }
    let found = labels("void g(int *p, int v) { *p = v; }");
    for label in ["ASSIGN !* !*", "ASSIGN !* !v", "ASSIGN !* !p"] {
        assert!(found.contains(&label.to_owned()), "{label}: {found:?}");
    }
    // Parameters and results are assigned.
    let found =
        labels("static int f(int p) { return p; } int main(void) { int r = f(3), q = f(r); }");
    for label in ["ASSIGN !p", "ASSIGN !p !r", "ASSIGN !f::return !p", "ASSIGN !r !f::return"] {
        assert!(found.contains(&label.to_owned()), "{label}: {found:?}");
    }
}

#[test]
fn assignments_kill_and_copy() {
    check(
        "int main(void) { int x, y, z; x = 0; y = x; z = y; if (y) z = 1; return z; }",
        &["x = 0:", "y = x: x", "z = y: y", "if (y): y", "z = 1:", "return z:"],
    );
    // In part: nothing is killed.
    check(
        "int a[3]; int main(void) { int i, v; a[i] = v; if (a[0]) v = 2; return 0; }",
        &["a[i] = v: a i v", "if (a[0]): a", "v = 2:", "return 0:"],
    );
    check(
        "struct s { int f, g; }; int main(void) { struct s t; int v; t.f = v; if (t.g) v = 2; }",
        &["t.f = v: t v", "if (t.g): t", "v = 2:", "}:"],
    );
    // Two at a time.
    check(
        "int main(void) { int x, y; x = y++; if (x) return 1; return 2; }",
        &["x = y++: y", "if (x): x", "return 1:", "return 2:"],
    );
}

#[test]
fn pointers() {
    check(
        "int main(void) { int v, w; int *p; p = &v; v = w; *p = 3; if (v) return 1; return 0; }",
        &[
            "p = &v: * v w",
            "v = w: * p w",
            "*p = 3: * p v",
            "if (v): * v",
            "return 1:",
            "return 0:",
        ],
    );
    // What is written by one name is read by another.
    let found = listing(
        "struct s { int f; }; int main(void) { struct s *p, *q; int x; q = p; q->f = x; if (p->f) return 1; return 0; }",
        "ia1",
        &[],
    );
    assert_eq!(found[1], "q->f = x: * p q x");
}

#[test]
fn values_of_several_points() {
    check(
        "int g(int n) { return n + 1; } int main(void) { int a, y, x; a = y + g(x); if (a) return 1; return 0; }",
        &[
            "return n + 1: n",
            "g(x): x y",
            "g(x): x y",
            "a = y + g(x):",
            "if (a): a",
            "return 1:",
            "return 0:",
        ],
    );
    check(
        "int ext(int); int main(void) { int x, y; if (ext(x) > y) return 1; return 0; }",
        &["ext(x): x y", "if (ext(x) > y): y", "return 1:", "return 0:"],
    );
    check(
        "int main(void) { int a, b, x; x = a && b; if (x) return 1; return 0; }",
        &["a: a b", "b: a b", "x = a && b: a b", "if (x): x", "return 1:", "return 0:"],
    );
}

#[test]
fn loops_of_for_are_several_expressions() {
    check(
        "int ext(void); int main(void) { int i, n, y; for (i = n; ext(); i++) y = i; return 0; }",
        &["i = n:", "ext():", "for (…; ext(); …):", "y = i:", "i++:", "return 0:"],
    );
}

#[test]
fn calls_come_back_to_where_they_were_made() {
    // What the first call returns is overwritten.
    check(
        "int f(int p) { return p; } int main(void) { int x, y, r; r = f(x); r = f(y); if (r) return 1; return 0; }",
        &["return p: p", "r = f(x): y", "r = f(y): y", "if (r): r", "return 1:", "return 0:"],
    );
    // A waiting frame keeps its locals, even if the callee has the same ones.
    let found = listing(
        "int f(int p) { int k; k = p; if (p) f(p - 1); if (k) return 1; return 0; } int main(void) { return f(3); }",
        "ia1",
        &[],
    );
    assert_eq!(found[..4], ["k = p: p", "if (p): k p", "f(p - 1): k p", "if (k): k"]);
}

#[test]
fn assertions() {
    let text = "void __assert_fail(void) __attribute__((noreturn));
        int main(void) { int x, y, z; y = x; (y || z) ? (void) 0 : __assert_fail(); return 0; }";
    let first = |analysis| listing(text, analysis, &[]).swap_remove(0);
    assert_eq!(first("ia1"), "y = x:");
    assert_eq!(first("ia2"), "y = x: x z");
    assert_eq!(first("ia3"), "y = x: x z");
}

#[test]
fn properties() {
    let text = "int g; int main(void) { int x, y; y = x; g = y; return 0; }";
    assert_eq!(listing(text, "ia4", &["g"]), ["y = x: g x", "g = y: g y", "return 0: g"]);
    assert_eq!(listing(text, "ia1", &["g"]), ["y = x:", "g = y:", "return 0:"]);
}

#[test]
fn jumps() {
    let found = listing(
        "int buf[9]; int setjmp(int *); void longjmp(int *, int) __attribute__((noreturn));
         int main(void) { int x; if (setjmp(buf)) { if (x) return 1; return 2; } longjmp(buf, 1); }",
        "ia1",
        &[],
    );
    let jump = found.iter().find(|f| f.starts_with("longjmp")).expect("it is there");
    assert!(jump.contains(" x"), "{jump}");
}

#[test]
fn library_without_main() {
    let found = listing(
        "int g; int f(int x) { if (x) g = 1; return g; } int h(void) { if (g) return 1; return 2; }",
        "ia1",
        &[],
    );
    assert_eq!(found[0], "if (x): x");
    let graph = graph("static int f(int x) { return x; }");
    assert!(graph.points[0].state.is_some(), "nobody calls it: it is where a run may start");
    let unit = front_c::parse("int x;");
    assert!(of_c(&front_c::skeleton(&[unit]), None, false).is_none());
}

fn annotated(text: &str, formula: &str, past: bool, terms: bool) -> Vec<String> {
    let graph = graph_with(text, terms);
    let formula = parse(formula, Dialect::Cadp).expect("a formula");
    let found = annotate(&graph, &formula, past, &mut |_| true).expect("an annotation");
    let points = graph.points.iter().zip(found.points);
    points
        .filter_map(|(point, names)| {
            let names = names?.join(" ");
            Some(format!("{}: {names}", point.text).trim_end().to_owned())
        })
        .collect()
}

/// The shipped formulas: `examples/analyses`.
fn shipped(name: &str) -> String {
    let path = format!("{}/../../../examples/analyses/{name}.mcl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn shipped_formulas() {
    let text = "int main(void) { int x, y, z; x = y + 1; z = x; if (z) x = y + 1; else x = 2; z = y + 1; return x; }";
    assert_eq!(
        annotated(text, &shipped("live"), false, false),
        [
            "x = y + 1: y",
            "z = x: x y",
            "if (z): y z",
            "x = y + 1: y",
            "x = 2: y",
            "z = y + 1: x y",
            "return x: x"
        ]
    );
    let column =
        |needle: &str, nth: usize| text.match_indices(needle).nth(nth).expect("it is there").0 + 1;
    let reaching = annotated(text, &shipped("reaching"), true, true);
    let (first, second, third) = (column("x = y", 0), column("x = y", 1), column("x = 2", 0));
    assert!(reaching[1].contains(&format!("x@1:{first}")), "{reaching:?}");
    assert!(!reaching[1].contains("x@start"), "{reaching:?}");
    for (definition, reaches) in [(first, false), (second, true), (third, true)] {
        let found = reaching[5].contains(&format!("x@1:{definition}"));
        assert_eq!(found, reaches, "{reaching:?}");
    }
    assert!(reaching[6].contains("y@start"), "{reaching:?}");
    let busy = annotated(text, &shipped("very-busy"), false, true);
    assert_eq!(
        busy,
        [
            "x = y + 1: y+1",
            "z = x: y+1",
            "if (z): y+1",
            "x = y + 1: y+1",
            "x = 2: y+1",
            "z = y + 1: y+1",
            "return x:"
        ]
    );
    let text = "int main(void) { int x, y, z; x = y + 1; if (z) y = 2; z = y + 1; return x; }";
    let busy = annotated(text, &shipped("very-busy"), false, true);
    assert_eq!(busy[..3], ["x = y + 1: y+1", "if (z):", "y = 2:"]);
    // The same as the analyses in the library.
    for (name, analysis) in [("ia1", "ia1"), ("ia2", "ia2")] {
        let shown: Vec<String> = annotated(text, &shipped(name), false, false);
        let expected = listing(text, analysis, &[]);
        assert_eq!(shown, expected);
    }
}
