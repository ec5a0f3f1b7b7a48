//! Rules over values against an interpreter that runs every path with values that have an identity.
//!
//! The programs are random, without loops and recursion, so that all their paths can be run; conditions
//! are calls of an unknown function. Both sides must report the same lines.

use postbop::{CProgram, CText, Options, Watch, findings};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The generator of [knuth], as MMIX has it.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

#[derive(Clone, Debug)]
enum Stmt {
    New(usize),
    Copy(usize, usize),
    Null(usize),
    Free(usize),
    Pass(usize),
    Keep(usize),
    Call(Option<usize>, usize, usize, usize),
    If(Vec<(u32, Stmt)>, Vec<(u32, Stmt)>),
    Return(Option<usize>),
}

/// Variables: two parameters, two locals, a field of a local, a global.
const NAMES: [&str; 6] = ["a", "b", "p", "q", "h.f", "g"];
const GLOBAL: usize = 5;
const FUNCTIONS: usize = 3;

struct Writer {
    random: Random,
    text: String,
    line: u32,
}

impl Writer {
    fn put(&mut self, depth: usize, text: &str) -> u32 {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(depth));
        self.line += 1;
        self.line
    }

    fn block(&mut self, function: usize, depth: usize, count: u64) -> Vec<(u32, Stmt)> {
        let mut out = Vec::new();
        for _ in 0..count {
            // Two of them more often, so that something happens.
            let mut some = || [2, 2, 3, 0, 1, 2, 3, 4, 5][self.random.below(9) as usize];
            let (v, w) = (some(), some());
            let n = |i: usize| NAMES[i];
            let (text, stmt) = match self.random.below(20) {
                0..=2 => (format!("{} = malloc(1);", n(v)), Stmt::New(v)),
                3..=5 => (format!("{} = {};", n(v), n(w)), Stmt::Copy(v, w)),
                6 => (format!("{} = 0;", n(v)), Stmt::Null(v)),
                7..=11 => (format!("free({});", n(v)), Stmt::Free(v)),
                12..=13 => (format!("strlen({});", n(v)), Stmt::Pass(v)),
                14 => (format!("keep({});", n(v)), Stmt::Keep(v)),
                15..=17 if function + 1 < FUNCTIONS => {
                    let callee = function
                        + 1
                        + self.random.below((FUNCTIONS - function - 1) as u64) as usize;
                    let x = self.random.below(6) as usize;
                    let call = format!("f{callee}({}, {});", n(w), n(x));
                    match self.random.below(2) {
                        0 => (format!("{} = {call}", n(v)), Stmt::Call(Some(v), callee, w, x)),
                        _ => (call, Stmt::Call(None, callee, w, x)),
                    }
                }
                18 if depth < 3 => {
                    let line = self.put(depth, "if (c()) {");
                    let yes = self.block(function, depth + 1, 2);
                    self.put(depth, "} else {");
                    let no = self.block(function, depth + 1, 1);
                    self.put(depth, "}");
                    out.push((line, Stmt::If(yes, no)));
                    continue;
                }
                19 if depth > 1 => match self.random.below(2) {
                    0 => (format!("return {};", n(v)), Stmt::Return(Some(v))),
                    _ => ("return 0;".to_owned(), Stmt::Return(None)),
                },
                _ => continue,
            };
            let line = self.put(depth, &text);
            let ends = matches!(stmt, Stmt::Return(_));
            out.push((line, stmt));
            if ends {
                break;
            }
        }
        out
    }
}

/// A program and its functions; the last one is called first.
fn program(seed: u64) -> (String, Vec<Vec<(u32, Stmt)>>) {
    let mut w = Writer { random: Random(seed), text: String::new(), line: 0 };
    for _ in 0..8 {
        w.random.below(2);
    }
    w.put(
        0,
        "void *malloc(unsigned long n); void free(void *p); unsigned long strlen(const char *s);",
    );
    w.put(0, "void keep(char *p); int c(void); struct s { char *f; }; static char *g;");
    for f in 0..FUNCTIONS {
        let head = if f == 0 { "" } else { "static " };
        w.put(0, &format!("{head}char *f{f}(char *a, char *b);"));
    }
    let mut bodies = Vec::new();
    for f in 0..FUNCTIONS {
        let head = if f == 0 { "" } else { "static " };
        w.put(0, &format!("{head}char *f{f}(char *a, char *b) {{"));
        w.put(1, "char *p = 0, *q = 0; struct s h; h.f = 0;");
        let mut body = w.block(f, 1, 7);
        let line = w.put(1, "return 0;");
        body.push((line, Stmt::Return(None)));
        w.put(0, "}");
        bodies.push(body);
    }
    w.put(0, "int main(void) {");
    let line = w.put(1, "f0(0, 0);");
    let end = w.put(1, "return 0;");
    w.put(0, "}");
    bodies
        .push(vec![(line, Stmt::Call(None, 0, usize::MAX, usize::MAX)), (end, Stmt::Return(None))]);
    (w.text, bodies)
}

/// A value: 0 is null.
type Value = usize;

#[derive(Clone, Default)]
struct World {
    frames: Vec<[Value; 5]>,
    global: Value,
    /// Of each value: freed, and escaped.
    values: Vec<(bool, bool)>,
    /// Values that violated a rule are not looked at any more by that rule.
    done: BTreeSet<(Value, &'static str)>,
    returning: Value,
}

#[derive(Default)]
struct Machine<'a> {
    bodies: &'a [Vec<(u32, Stmt)>],
    found: BTreeSet<(&'static str, u32)>,
    budget: usize,
}

impl World {
    fn get(&self, v: usize) -> Value {
        match v {
            GLOBAL => self.global,
            usize::MAX => 0,
            _ => self.frames.last().expect("a frame")[v],
        }
    }
    fn set(&mut self, v: usize, value: Value) {
        match v {
            GLOBAL => {
                self.global = value;
                if value > 0 {
                    self.values[value - 1].1 = true;
                }
            }
            _ => self.frames.last_mut().expect("a frame")[v] = value,
        }
    }
}

impl Machine<'_> {
    fn report(&mut self, world: &mut World, value: Value, rule: &'static str, line: u32) {
        if world.done.insert((value, rule)) {
            self.found.insert((rule, line));
        }
    }

    /// Whatever nothing holds any more is lost.
    fn lost(&mut self, world: &mut World, line: u32) {
        for value in 1..=world.values.len() {
            let (freed, escaped) = world.values[value - 1];
            let held =
                world.frames.iter().flatten().any(|v| *v == value) || world.returning == value;
            if !freed && !escaped && !held {
                self.report(world, value, "memory_leak", line);
            }
        }
    }

    /// All worlds in which a block can end; those that returned are second.
    fn block(&mut self, worlds: Vec<World>, block: &[(u32, Stmt)]) -> (Vec<World>, Vec<World>) {
        let (mut now, mut returned) = (worlds, Vec::new());
        for (line, stmt) in block {
            let mut next = Vec::new();
            for world in now {
                self.budget = self.budget.saturating_sub(1);
                if self.budget == 0 {
                    return (Vec::new(), returned);
                }
                let (ends, leaves) = self.stmt(world, *line, stmt);
                next.extend(ends);
                returned.extend(leaves);
            }
            now = next;
        }
        (now, returned)
    }

    fn stmt(&mut self, mut world: World, line: u32, stmt: &Stmt) -> (Vec<World>, Vec<World>) {
        match stmt {
            Stmt::New(v) => {
                world.values.push((false, false));
                let value = world.values.len();
                world.set(*v, value);
            }
            Stmt::Copy(v, w) => {
                let value = world.get(*w);
                world.set(*v, value);
            }
            Stmt::Null(v) => world.set(*v, 0),
            Stmt::Free(v) => {
                let value = world.get(*v);
                if value > 0 {
                    if world.values[value - 1].0 {
                        self.report(&mut world, value, "double_free", line);
                    }
                    world.values[value - 1].0 = true;
                }
            }
            Stmt::Pass(v) | Stmt::Keep(v) => {
                let value = world.get(*v);
                if value > 0 {
                    if world.values[value - 1].0 {
                        self.report(&mut world, value, "use_after_free", line);
                    }
                    world.values[value - 1].1 |= matches!(stmt, Stmt::Keep(_));
                }
            }
            Stmt::Call(target, callee, w, x) => {
                let (a, b) = (world.get(*w), world.get(*x));
                world.frames.push([a, b, 0, 0, 0]);
                let bodies = self.bodies;
                let (_, returned) = self.block(vec![world], &bodies[*callee]);
                let mut out = Vec::new();
                for mut world in returned {
                    let value = std::mem::take(&mut world.returning);
                    if let Some(v) = target {
                        world.set(*v, value);
                    }
                    self.lost(&mut world, line);
                    out.push(world);
                }
                return (out, Vec::new());
            }
            Stmt::If(yes, no) => {
                let (mut ends, mut returned) = self.block(vec![world.clone()], yes);
                let (more, left) = self.block(vec![world], no);
                ends.extend(more);
                returned.extend(left);
                return (ends, returned);
            }
            Stmt::Return(v) => {
                world.returning = v.map_or(0, |v| world.get(v));
                world.frames.pop();
                self.lost(&mut world, line);
                return (Vec::new(), vec![world]);
            }
        }
        self.lost(&mut world, line);
        (vec![world], Vec::new())
    }
}

#[test]
fn rules_over_values_agree_with_an_interpreter() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules/memory.rule");
    let rules = rules::parse(&std::fs::read_to_string(path).expect("rules")).expect("rules");
    let seeds: Vec<u64> = match std::env::var("POSTBOP_SEED") {
        Ok(seed) => vec![seed.parse().expect("a number")],
        Err(_) => (0..250).collect(),
    };
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in seeds {
        let (text, bodies) = program(seed);
        let mut machine = Machine { bodies: &bodies, budget: 200_000, ..Machine::default() };
        let start = World { frames: vec![[0; 5]], ..World::default() };
        machine.block(vec![start], &bodies[FUNCTIONS]);
        if machine.budget == 0 {
            continue;
        }
        let unit =
            CText { name: "r.c".into(), text: format!("# 1 \"r.c\"\n{text}"), directory: None };
        let program = CProgram::new(vec![unit]).expect("a program");
        let found =
            findings(program.skeleton(), &rules, &[], &Options::default(), &Watch::default());
        assert!(found.unknown.is_empty(), "seed {seed}: {:?}", found.unknown);
        let lines: BTreeSet<(&str, u32)> =
            found.findings.iter().map(|f| (f.rule.as_str(), f.line)).collect();
        let wanted: BTreeSet<(&str, u32)> = machine.found.iter().copied().collect();
        assert_eq!(lines, wanted, "seed {seed}\n{text}");
        for (rule, _) in wanted {
            *kinds
                .entry(match rule {
                    "memory_leak" => "leaks",
                    "double_free" => "frees",
                    _ => "uses",
                })
                .or_default() += 1;
        }
    }
    if std::env::var_os("POSTBOP_SEED").is_none() {
        assert!(kinds.len() == 3 && kinds.values().all(|n| *n >= 5), "{kinds:?}");
    }
}
