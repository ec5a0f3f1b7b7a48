//! Programs of the model, and generated ones: three methods agree, and no live variable is missed.

use analysis::{Live, ModRef, Uses};
use front_bp::Dialect;
use influence::{
    Analysis, Graph, Influence, Method, Names, OfProgram, influence, influence_on, of_c, of_program,
};
use ir::VarKind;
use testkit::random_bp::{Profile, random_bp};
use testkit::rng::Rng;

fn by(graph: &Graph, analysis: &Analysis, method: Method) -> Influence {
    influence(graph, analysis, method, &mut |_| true).expect("a result")
}

/// All methods, which must agree.
fn agreed(graph: &Graph, analysis: &Analysis, what: &str) -> Influence {
    let flow = by(graph, analysis, Method::Dataflow);
    for method in [Method::Pbes, Method::Formula] {
        let other = by(graph, analysis, method);
        assert_eq!(other.sets, flow.sets, "{} and dataflow: {what}", method.word());
    }
    flow
}

fn bp(text: &str) -> ir::Program {
    let program = testkit::corpus::lower("f.bp", text, Dialect::default(), None);
    let program = program.unwrap_or_else(|e| panic!("{e}\n{text}"));
    (*program).clone()
}

fn listing(text: &str, analysis: &Analysis) -> Vec<String> {
    let graph = of_program(&bp(text), false).graph;
    let found = agreed(&graph, analysis, text);
    let points = graph.points.iter().filter_map(|point| {
        let set = found.sets[point.state? as usize].iter();
        let names = set.filter(|&&v| graph.in_scope(v, point));
        let names: Vec<&str> = names.map(|&v| graph.variables[v as usize].plain.as_str()).collect();
        Some(format!("{}: {}", point.text, names.join(" ")).trim_end().to_owned())
    });
    points.collect()
}

#[test]
fn statements_of_boolean_programs() {
    assert_eq!(
        listing(
            "decl g; void main() begin decl a, b, c; a, b := b, a; c := a; assume(c); b := *; \
             assert(b); g := a; end",
            &Analysis::Ia1
        ),
        // The swap reads in a circle and kills nothing.
        ["a, b := b, a: a b", "c := a: a", "assume(c): c", "b := *:", "assert(b):", "g := a:"]
    );
    assert_eq!(
        listing("decl g, h; void main() begin h := g; assert(h); end", &Analysis::Ia2),
        ["h := g: g", "assert(h): h"]
    );
    // In parallel, without a circle: what is read is read before it is assigned.
    assert_eq!(
        listing("decl a, b, c; void main() begin a, b := b, c; assume(a); end", &Analysis::Ia1),
        ["a, b := b, c: b", "assume(a): a"]
    );
    // A constraint speaks of the values after, too.
    assert_eq!(
        listing(
            "decl a, b, c; void main() begin a := b constrain ('a | c); skip; end",
            &Analysis::Ia1
        ),
        ["a := b constrain ('a | c): b c", "skip:"]
    );
    assert_eq!(
        listing(
            "decl g; bool f(p) begin return p & g; end \
             void main() begin decl x, y; x := f(y); if (x) then skip; fi end",
            &Analysis::Ia1
        ),
        ["return p & g: g p", "x := f(y): g y", "if (x): x", "skip:"]
    );
}

#[test]
fn names_in_labels() {
    let text = "decl {a == b}, x; void f(x) begin assume(x); end \
                void main() begin decl x; f({a == b}); assume(x); end";
    let graph = of_program(&bp(text), false).graph;
    let lts = graph.lts(Names::Source);
    let labels = lts.labels().join("\n");
    assert!(labels.contains("ASSIGN !f::x !{a%20==%20b}"), "{labels}");
    assert!(labels.contains("BOOL !main::x"), "{labels}");
    let mut out = Vec::new();
    lts::aut::write(&lts, &mut out).expect("it is written");
    let read = lts::aut::parse(&String::from_utf8(out).expect("text")).expect("it is read");
    assert_eq!(read, lts);
    for (name, found) in [("f::x", true), ("x", true), ("nosuch", false)] {
        assert_eq!(graph.variable(name).is_some(), found, "{name}");
    }
}

#[test]
fn generated_boolean_programs() {
    boolean_programs(0..300);
}

#[test]
#[ignore = "thousands of programs; the same as those above"]
fn thousands_of_generated_programs() {
    boolean_programs(300..4_000);
    models(100..1_500);
    c_programs(200..3_000);
}

fn boolean_programs(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let profile = Profile::ALL[seed as usize % Profile::ALL.len()];
        let text = random_bp(seed, profile);
        let program = bp(&text);
        let of = of_program(&program, false);
        let found = agreed(&of.graph, &Analysis::Ia2, &text);
        if seed % 3 == 0 {
            let property: Vec<u32> = of.variables.iter().take(2).copied().collect();
            agreed(&of.graph, &Analysis::Ia4 { property }, &text);
        } else {
            agreed(&of.graph, &Analysis::Ia1, &text);
        }
        contains_what_is_live(&program, &of, &text);
        let forgetful = influence_on(&of.graph, &Analysis::Ia2, &[], &mut |_| true);
        let forgetful = forgetful.expect("a result").sets;
        for (state, (set, more)) in found.sets.iter().zip(&forgetful).enumerate() {
            let beyond = set.iter().find(|v| !more.contains(v));
            let beyond = beyond.map(|&v| &of.graph.variables[v as usize].name);
            assert_eq!(beyond, None, "state {state}, seed {seed}\n{text}");
        }
        let is_result = |v: ir::VarId| matches!(program.vars[v].kind, VarKind::Result(_));
        assert!(
            program
                .vars
                .ids()
                .filter(|&v| is_result(v))
                .all(|v| { of.graph.variables[of.variables[v] as usize].hidden })
        );
    }
}

#[test]
fn generated_models() {
    models(0..100);
}

fn models(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let program = testkit::random_program(seed);
        let of = of_program(&program, false);
        let found = agreed(&of.graph, &Analysis::Ia2, &format!("model {seed}"));
        contains_what_is_live(&program, &of, &format!("model {seed}\n{}", ir::dump(&program)));
        let with_terms = of_program(&program, true);
        let more = by(&with_terms.graph, &Analysis::Ia2, Method::Dataflow);
        for (plain, rich) in of.states.iter().zip(with_terms.states.iter()) {
            let (Some(plain), Some(rich)) = (plain, rich) else {
                assert_eq!(plain.is_some(), rich.is_some());
                continue;
            };
            assert_eq!(found.sets[*plain as usize], more.sets[*rich as usize], "seed {seed}");
        }
    }
}

/// What is live decides something later: it influences. Live variables know nothing of who called, and go round
/// calls that never return: so they are compared with influence that forgets who called, where every procedure can
/// return.
fn contains_what_is_live(program: &ir::Program, of: &OfProgram, what: &str) {
    let found = influence_on(&of.graph, &Analysis::Ia2, &[], &mut |_| true).expect("a result");
    let entered = |p: ir::ProcId| of.states[program.procs[p].entry].is_some();
    let returning = returning(program);
    if !program.procs.ids().filter(|&p| entered(p)).all(|p| returning.contains(&p)) {
        return;
    }
    // What follows calls that are never made is not asked for, and live all the same.
    let made = |e: &ir::Edge| match &e.kind {
        ir::EdgeKind::Call(_) => of.states[e.source].is_some(),
        _ => true,
    };
    if !program.edges.iter().all(made) {
        return;
    }
    let uses = Uses::default();
    let live = Live::new(program, &ModRef::new(program, &uses), &uses);
    for (node, state) in of.states.enumerate() {
        let Some(state) = *state else { continue };
        for var in live.vars(program, node) {
            let known = found.sets[state as usize].contains(&of.variables[var]);
            assert!(known, "{} at {node:?}\n{what}", program.var_name(var));
        }
    }
}

/// The procedures that can return, as far as control goes.
fn returning(program: &ir::Program) -> Vec<ir::ProcId> {
    let mut found: Vec<ir::ProcId> = Vec::new();
    loop {
        let can = |proc: ir::ProcId| {
            let mut seen = vec![program.procs[proc].entry];
            let mut at = 0;
            while at < seen.len() {
                for e in program.out_edges(seen[at]) {
                    let to = match &program.edges[e].kind {
                        ir::EdgeKind::Return { .. } => return true,
                        ir::EdgeKind::Local { target, .. } => *target,
                        ir::EdgeKind::Call(call) if found.contains(&call.callee) => call.ret,
                        ir::EdgeKind::Call(_) => continue,
                    };
                    if !seen.contains(&to) {
                        seen.push(to);
                    }
                }
                at += 1;
            }
            false
        };
        let new = program.procs.ids().find(|p| !found.contains(p) && can(*p));
        match new {
            Some(proc) => found.push(proc),
            None => return found,
        }
    }
}

/// A C program with everything that the transition system knows of.
fn random_c(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut out = String::from("int g, h, arr[4]; struct s { int f, k; } st; int ext(int);\n");
    let functions = 1 + rng.below(3);
    for f in 0..functions {
        let _ = std::fmt::Write::write_fmt(
            &mut out,
            format_args!("int fun{f}(int a, int b) {{ int x, y, *p = &x;\n"),
        );
        statements(&mut rng, f, 3, &mut out);
        out.push_str("return x; }\n");
    }
    out.push_str("int main(void) { int a, b, x, y, *p = &y;\n");
    statements(&mut rng, functions, 3, &mut out);
    out.push_str("return 0; }\n");
    out
}

fn statements(rng: &mut Rng, functions: usize, depth: usize, out: &mut String) {
    const VARS: [&str; 10] = ["g", "h", "a", "b", "x", "y", "arr[a]", "st.f", "*p", "st.k"];
    for _ in 0..1 + rng.below(5) {
        let value = |rng: &mut Rng| match rng.below(6) {
            0 => "3".to_owned(),
            1 => format!("{} + {}", rng.pick(&VARS), rng.pick(&VARS)),
            2 => format!("ext({})", rng.pick(&VARS)),
            3 if functions > 0 => {
                let f = rng.below(functions);
                format!("fun{f}({}, {})", rng.pick(&VARS), rng.pick(&VARS))
            }
            4 => format!("{} && {}", rng.pick(&VARS), rng.pick(&VARS)),
            _ => (*rng.pick(&VARS)).to_owned(),
        };
        let text = match rng.below(if depth > 0 { 9 } else { 5 }) {
            0..=3 => format!("{} = {};\n", rng.pick(&VARS), value(rng)),
            4 => format!("{}++;\n", rng.pick(&VARS)),
            kind => {
                let head = if kind < 7 { "if" } else { "while" };
                let condition = value(rng);
                let mut body = String::new();
                statements(rng, functions, depth - 1, &mut body);
                format!("{head} ({condition}) {{\n{body}}}\n")
            }
        };
        out.push_str(&text);
    }
}

#[test]
fn generated_c_programs() {
    c_programs(0..200);
}

fn c_programs(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let text = random_c(seed);
        let unit = front_c::parse(&format!("# 1 \"f.c\"\n{text}"));
        assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
        let graph = of_c(&front_c::skeleton(&[unit]), None, false).expect("there is `main`");
        let analysis = match seed % 3 {
            0 => Analysis::Ia1,
            1 => Analysis::Ia2,
            _ => Analysis::Ia4 { property: vec![graph.variable("g").unwrap_or(0)] },
        };
        agreed(&graph, &analysis, &text);
    }
}
