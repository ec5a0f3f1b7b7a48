//! Calls come back to where they were made: influence is that of a program in which each call has a function of its own.

use influence::{Analysis, Graph, Method, criterion, influence, of_c};
use std::collections::{BTreeMap, BTreeSet};
use testkit::rng::Rng;

fn graph(text: &str) -> Graph {
    let unit = front_c::parse(&format!("# 1 \"f.c\"\n{text}"));
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    of_c(&front_c::skeleton(&[unit]), None, false).expect("there is `main`")
}

/// A function: its statements, where `@f(` calls function `f`.
type Bodies = Vec<String>;

fn bodies(rng: &mut Rng) -> Bodies {
    (0..2 + rng.below(3)).map(|f| block(rng, f, 2)).collect()
}

fn block(rng: &mut Rng, below: usize, depth: usize) -> String {
    const VARS: [&str; 6] = ["g", "h", "a", "b", "x", "y"];
    let mut out = String::new();
    for _ in 0..1 + rng.below(4) {
        let value = |rng: &mut Rng| match rng.below(7) {
            0 => "3".to_owned(),
            1 => format!("{} + {}", rng.pick(&VARS), rng.pick(&VARS)),
            2..=4 if below > 0 => {
                format!("@{}({}, {})", rng.below(below), rng.pick(&VARS), rng.pick(&VARS))
            }
            5 if below > 0 => {
                let (f, k) = (rng.below(below), rng.below(below));
                format!("@{f}({}, 1) + @{k}({}, g)", rng.pick(&VARS), rng.pick(&VARS))
            }
            _ => (*rng.pick(&VARS)).to_owned(),
        };
        match rng.below(if depth > 0 { 6 } else { 4 }) {
            0..=3 => {
                let (target, value) = (rng.pick(&VARS), value(rng));
                out.push_str(&format!("{target} = {value};\n"));
            }
            kind => {
                let head = if kind == 4 { "if" } else { "while" };
                let condition = value(rng);
                let inner = block(rng, below, depth - 1);
                out.push_str(&format!("{head} ({condition}) {{\n{inner}}}\n"));
            }
        }
    }
    out
}

/// Both are written, so that they are no constants.
const HEAD: &str = "int g, h;\nvoid other(void) { g = 1; h = 1; }\n";

fn written(name: &str, body: &str) -> String {
    format!("int {name}(int a, int b) {{ int x, y;\n{body}return x; }}\n")
}

fn main_of(body: &str) -> String {
    format!("int main(void) {{ int a, b, x, y;\n{body}return 0; }}\n")
}

/// One function for all its calls.
fn shared(bodies: &Bodies) -> String {
    let call = |body: &str| body.replace('@', "fun");
    let last = bodies.len() - 1;
    let mut out = HEAD.to_owned();
    for (f, body) in bodies[..last].iter().enumerate() {
        out.push_str(&written(&format!("fun{f}"), &call(body)));
    }
    out + &main_of(&call(&bodies[last]))
}

/// A function for each call: `fun0_7` is a copy of `fun0`.
fn copied(bodies: &Bodies) -> Option<String> {
    let mut copies = 0;
    let mut done: Vec<String> = Vec::new();
    let mut todo = vec![(None, bodies.len() - 1)];
    let mut main = String::new();
    while let Some((name, f)) = todo.pop() {
        let mut body = String::new();
        let mut rest = bodies[f].as_str();
        while let Some((before, behind)) = rest.split_once('@') {
            let (callee, behind) = behind.split_once('(')?;
            let callee: usize = callee.parse().ok()?;
            copies += 1;
            if copies > 60 {
                return None;
            }
            let name = format!("fun{callee}_{copies}");
            body.push_str(&format!("{before}{name}("));
            todo.push((Some(name), callee));
            rest = behind;
        }
        body.push_str(rest);
        match name {
            Some(name) => done.push(written(&name, &body)),
            None => main = main_of(&body),
        }
    }
    // What is called stands before its callers.
    let declared: String =
        done.iter().filter_map(|text| Some(format!("{};\n", text.split_once(" {")?.0))).collect();
    done.reverse();
    Some(HEAD.to_owned() + &declared + &done.concat() + &main)
}

type Sets = BTreeMap<(String, usize), BTreeSet<String>>;

/// By function and number of the statement, the names that matter there; copies of functions are joined.
fn sets(graph: &Graph, found: &[Vec<u32>]) -> Sets {
    let mut count: BTreeMap<u32, usize> = BTreeMap::new();
    let mut out = Sets::new();
    for point in &graph.points {
        let number = count.entry(point.function).or_default();
        *number += 1;
        let Some(state) = point.state else { continue };
        let name = &graph.functions[point.function as usize];
        let name = name.split('_').next().unwrap_or(name).to_owned();
        let names = found[state as usize].iter().filter(|&&v| graph.in_scope(v, point));
        let names = names.map(|&v| graph.variables[v as usize].plain.clone());
        out.entry((name, *number)).or_default().extend(names);
    }
    out
}

fn compared(seeds: std::ops::Range<u64>) {
    let mut compared = 0;
    for seed in seeds {
        let bodies = bodies(&mut Rng::new(seed));
        let Some(apart) = copied(&bodies) else { continue };
        let together = shared(&bodies);
        let (one, many) = (graph(&together), graph(&apart));
        let by = |graph: &Graph, analysis: &Analysis| {
            let found = influence(graph, analysis, Method::Dataflow, &mut |_| true);
            sets(graph, &found.expect("a result").sets)
        };
        let property = |graph: &Graph| graph.variable("g").map(|g| vec![g]).unwrap_or_default();
        for ia4 in [false, true] {
            let analysis = |graph: &Graph| match ia4 {
                true => Analysis::Ia4 { property: property(graph) },
                false => Analysis::Ia1,
            };
            let (left, right) = (by(&one, &analysis(&one)), by(&many, &analysis(&many)));
            assert_eq!(left, right, "seed {seed}\n{together}\n{apart}");
        }
        // A criterion in `main`.
        let points = |graph: &Graph| {
            let in_main = graph
                .points
                .iter()
                .filter(|p| graph.functions[p.function as usize] == "main" && p.state.is_some());
            in_main.filter_map(|p| p.state).collect::<Vec<u32>>()
        };
        let at = |graph: &Graph| {
            let points = points(graph);
            let state = points[seed as usize % points.len()];
            let g = (seed % 2 == 0).then(|| graph.variable("g")).flatten();
            let found = criterion(graph, &[state], g, &mut |_| true).expect("a result");
            sets(graph, &found.influence.sets)
        };
        let (left, right) = (at(&one), at(&many));
        assert_eq!(left, right, "criterion, seed {seed}\n{together}\n{apart}");
        compared += 1;
    }
    assert!(compared > 0);
}

#[test]
fn calls_come_back_to_where_they_were_made() {
    compared(0..400);
}

/// `cargo test -p influence -- --ignored thousands_of_calls`
#[test]
#[ignore = "long: more seeds"]
fn thousands_of_calls() {
    compared(400..20_000);
}

/// What matters for a line, as `text: names`, with `>` where it matters that it is run.
fn sliced(text: &str, line: u32, variable: Option<&str>) -> Vec<String> {
    let graph = graph(text);
    let here = graph.points.iter().filter(|p| p.line == line);
    let states: Vec<u32> = here.filter_map(|p| p.state).collect();
    let variable = variable.map(|v| graph.variable(v).expect("a variable"));
    let found = criterion(&graph, &states, variable, &mut |_| true).expect("a result");
    let points = graph.points.iter().filter_map(|point| {
        let state = point.state? as usize;
        let set = found.influence.sets[state].iter().filter(|&&v| graph.in_scope(v, point));
        let mut names: Vec<&str> =
            set.map(|&v| graph.variables[v as usize].plain.as_str()).collect();
        names.sort_unstable();
        let mark = if found.passed[state] { ">" } else { "" };
        Some(format!("{mark}{}: {}", point.text, names.join(" ")).trim_end().to_owned())
    });
    points.collect()
}

#[test]
fn one_criterion() {
    let text = "int main(void) {
  int a, b, c, x, y;
  x = 0;
  y = b;
  if (a)
    x = c;
  if (y)
    b = 1;
  x = x + 1;
  return 0;
}";
    assert_eq!(
        sliced(text, 9, Some("x")),
        [
            ">x = 0: a c",
            "y = b: a c x",
            ">if (a): a c x",
            ">x = c: c",
            "if (y): x",
            "b = 1: x",
            ">x = x + 1: x",
            "return 0:"
        ]
    );
    // What a condition decides that matters for nothing does not count.
    let found = sliced(text, 8, Some("c"));
    assert_eq!(found[..3], ["x = 0: b c", ">y = b: b c", "if (a): c y"]);
}

#[test]
fn criteria_follow_calls_and_ends() {
    let text = "void exit(int) __attribute__((noreturn));
int id(int p) { return p; }
void check(int q) { if (q) exit(1); }
int main(void) {
  int a, b, c, d, x, y;
  x = id(a);
  y = id(b);
  check(c);
  d = x;
  return d;
}";
    let found = sliced(text, 9, Some("x"));
    let of = |start: &str| found.iter().find(|f| f.contains(start)).cloned().unwrap_or_default();
    assert_eq!(of("x = id(a)"), ">x = id(a): a c");
    assert_eq!(of("y = id(b)"), "y = id(b): c x");
    assert_eq!(of("check(c)"), ">check(c): c x");
    assert_eq!(of("if (q)"), ">if (q): q");
    assert_eq!(of("return p"), ">return p: p");
}

#[test]
fn functions_that_are_handed_out_may_be_called() {
    let text = "void each(void (*)(int));
int g;
static void seen(int k) { if (k) g = 1; }
static void never(int k) { if (k) g = 2; }
int main(void) { each(seen); return 0; }";
    let graph = graph(text);
    let reached = |line: u32| graph.points.iter().any(|p| p.line == line && p.state.is_some());
    assert!(reached(3) && reached(5));
    assert!(!reached(4));
}
