//! Rules over values against an interpreter that runs every path with values that have an identity.
//!
//! The programs are random, without loops and recursion, so that all their paths can be run. In the first
//! kind, conditions are calls of an unknown function, and both sides must report the same lines. In the
//! second, they test pointers and statuses, functions tell by their result what they did, and `malloc` may
//! fail: nothing that happens may be missing, and nearly all programs must have nothing else.

use crate::asking::findings;
use postbop::{CProgram, CText, Options, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

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
    /// `*out = v`
    Out(usize),
    ReturnStatus(i8),
    ReturnE,
    /// `e = status(&r, v)`
    Status(usize, usize),
    Unknown,
    IfPointer(usize, Vec<(u32, Stmt)>, Vec<(u32, Stmt)>),
    IfStatus(&'static str, Vec<(u32, Stmt)>, Vec<(u32, Stmt)>),
}

/// Variables: two parameters, two locals, a field of a local, a global, what functions store into.
const NAMES: [&str; 7] = ["a", "b", "p", "q", "h.f", "g", "r"];
const GLOBAL: usize = 5;
const FUNCTIONS: usize = 3;
/// Functions that return a status. Their bodies come after that of `main`.
const STATUSES: usize = 2;

struct Writer {
    /// The second kind of programs.
    signs: bool,
    /// The function at hand returns a status.
    status: bool,
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
            let (text, stmt) = match self.random.below(if self.signs { 32 } else { 20 }) {
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
                19..=21 if self.status && depth > 1 => match self.random.below(5) {
                    4 => ("return e;".to_owned(), Stmt::ReturnE),
                    i => {
                        let status = [-1, 0, -2, 1][i as usize];
                        (format!("return {status};"), Stmt::ReturnStatus(status))
                    }
                },
                22..=23 if self.status => (format!("*out = {};", n(v)), Stmt::Out(v)),
                22..=23 => (format!("{} = r;", n(v)), Stmt::Copy(v, 6)),
                24..=25 if !self.status => {
                    let callee = self.random.below(STATUSES as u64) as usize;
                    (format!("e = s{callee}(&r, {});", n(v)), Stmt::Status(callee, v))
                }
                26 => ("e = c();".to_owned(), Stmt::Unknown),
                k @ 27..=31 if depth < 3 => {
                    let v = if v == 2 || v == 3 { v } else { 2 };
                    let test = ["< 0", "!= 0", "== -1", "> 0", "== 0"];
                    let test = test[self.random.below(5) as usize];
                    let head = match k {
                        27 | 28 => format!("if ({}) {{", n(v)),
                        _ => format!("if (e {test}) {{"),
                    };
                    let line = self.put(depth, &head);
                    let yes = self.block(function, depth + 1, 2);
                    self.put(depth, "} else {");
                    let no = self.block(function, depth + 1, 2);
                    self.put(depth, "}");
                    out.push((
                        line,
                        match k {
                            27 | 28 => Stmt::IfPointer(v, yes, no),
                            _ => Stmt::IfStatus(test, yes, no),
                        },
                    ));
                    continue;
                }
                19 if depth > 1 && !self.status => match self.random.below(2) {
                    0 => (format!("return {};", n(v)), Stmt::Return(Some(v))),
                    _ => ("return 0;".to_owned(), Stmt::Return(None)),
                },
                _ => continue,
            };
            let line = self.put(depth, &text);
            let ends = matches!(stmt, Stmt::Return(_) | Stmt::ReturnStatus(_) | Stmt::ReturnE);
            out.push((line, stmt));
            if ends {
                break;
            }
        }
        out
    }
}

/// A program and its functions; the one after the first three is `main`.
fn program(seed: u64, signs: bool) -> (String, Vec<Vec<(u32, Stmt)>>) {
    let random = Random(seed);
    let mut w = Writer { signs, status: false, random, text: String::new(), line: 0 };
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
    let mut statuses = Vec::new();
    for f in 0..if signs { STATUSES } else { 0 } {
        w.status = true;
        w.put(0, &format!("static int s{f}(char **out, char *a) {{"));
        w.put(1, "char *p = 0, *q = 0, *b = 0; struct s h; int e = 0; h.f = 0;");
        let mut body = w.block(FUNCTIONS, 1, 7);
        let line = w.put(1, "return 0;");
        body.push((line, Stmt::ReturnStatus(0)));
        w.put(0, "}");
        statuses.push(body);
        w.status = false;
    }
    let mut bodies = Vec::new();
    for f in 0..FUNCTIONS {
        let head = if f == 0 { "" } else { "static " };
        w.put(0, &format!("{head}char *f{f}(char *a, char *b) {{"));
        w.put(1, "char *p = 0, *q = 0; struct s h; h.f = 0;");
        if signs {
            w.put(1, "char *r = 0; int e = 0;");
        }
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
    bodies.extend(statuses);
    (w.text, bodies)
}

/// A value: 0 is null.
type Value = usize;

#[derive(Clone, Default)]
struct World {
    frames: Vec<[Value; 7]>,
    /// `e` of each frame.
    statuses: Vec<i8>,
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
    /// `malloc` may fail.
    fails: bool,
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
            GLOBAL => self.global = value,
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
            let held = world.frames.iter().flatten().any(|v| *v == value)
                || world.returning == value
                || world.global == value;
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
                let mut out = Vec::new();
                if self.fails {
                    let mut world = world.clone();
                    world.set(*v, 0);
                    self.lost(&mut world, line);
                    out.push(world);
                }
                world.values.push((false, false));
                let value = world.values.len();
                world.set(*v, value);
                self.lost(&mut world, line);
                out.push(world);
                return (out, Vec::new());
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
                world.frames.push([a, b, 0, 0, 0, 0, 0]);
                world.statuses.push(0);
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
            Stmt::Out(v) => {
                let value = world.get(*v);
                let caller = world.frames.len() - 2;
                world.frames[caller][6] = value;
            }
            Stmt::Status(callee, v) => {
                let a = world.get(*v);
                world.frames.push([a, 0, 0, 0, 0, 0, 0]);
                world.statuses.push(0);
                let bodies = self.bodies;
                let (_, returned) = self.block(vec![world], &bodies[FUNCTIONS + 1 + callee]);
                return (returned, Vec::new());
            }
            Stmt::Unknown => {
                let mut out = Vec::new();
                for status in [-2, -1, 0, 1] {
                    let mut world = world.clone();
                    *world.statuses.last_mut().expect("a frame") = status;
                    out.push(world);
                }
                return (out, Vec::new());
            }
            Stmt::ReturnStatus(_) | Stmt::ReturnE => {
                let own = world.statuses.pop().expect("a frame");
                let status = if let Stmt::ReturnStatus(status) = stmt { *status } else { own };
                *world.statuses.last_mut().expect("a frame") = status;
                world.frames.pop();
                self.lost(&mut world, line);
                return (Vec::new(), vec![world]);
            }
            Stmt::IfPointer(v, yes, no) => {
                let way = if world.get(*v) != 0 { yes } else { no };
                return self.block(vec![world], way);
            }
            Stmt::IfStatus(test, yes, no) => {
                let e = *world.statuses.last().expect("a frame");
                let holds = match *test {
                    "< 0" => e < 0,
                    "!= 0" => e != 0,
                    "== -1" => e == -1,
                    "> 0" => e > 0,
                    _ => e == 0,
                };
                return self.block(vec![world], if holds { yes } else { no });
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
                world.statuses.pop();
                self.lost(&mut world, line);
                return (Vec::new(), vec![world]);
            }
        }
        self.lost(&mut world, line);
        (vec![world], Vec::new())
    }
}

/// What the rules say about a program, and what happens in it; none if that is too much.
type Lines = BTreeSet<(String, u32)>;
fn both(seed: u64, signs: bool, rules: &[rules::Rule]) -> Option<(Lines, Lines, String)> {
    let (text, bodies) = program(seed, signs);
    let mut machine =
        Machine { bodies: &bodies, budget: 200_000, fails: signs, ..Machine::default() };
    let start = World { frames: vec![[0; 7]], statuses: vec![0], ..World::default() };
    machine.block(vec![start], &bodies[FUNCTIONS]);
    if machine.budget == 0 {
        return None;
    }
    let unit = CText { name: "r.c".into(), text: format!("# 1 \"r.c\"\n{text}"), directory: None };
    let program = Arc::new(CProgram::new(vec![unit]).expect("a program"));
    let found = findings(&program, rules, &[], &Options::default(), &Watch::default());
    assert!(found.unknown.is_empty(), "seed {seed}: {:?}", found.unknown);
    let lines = found.findings.iter().map(|f| (f.rule.clone(), f.line)).collect();
    let wanted = machine.found.iter().map(|(rule, line)| ((*rule).to_owned(), *line)).collect();
    Some((lines, wanted, text))
}

fn memory_rules() -> Vec<rules::Rule> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../rules/memory.rule");
    rules::parse(&std::fs::read_to_string(path).expect("rules")).expect("rules")
}

fn seeds() -> (Vec<u64>, bool) {
    match std::env::var("POSTBOP_SEED") {
        Ok(seed) => (vec![seed.parse().expect("a number")], true),
        Err(_) => ((0..250).collect(), false),
    }
}

#[test]
fn rules_over_values_agree_with_an_interpreter() {
    let rules = memory_rules();
    let (seeds, one) = seeds();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for seed in seeds {
        let Some((lines, wanted, text)) = both(seed, false, &rules) else { continue };
        assert_eq!(lines, wanted, "seed {seed}\n{text}");
        for (rule, _) in wanted {
            *kinds.entry(rule).or_default() += 1;
        }
    }
    assert!(one || kinds.len() == 3 && kinds.values().all(|n| *n >= 5), "{kinds:?}");
}

#[test]
fn rules_over_values_know_what_statuses_tell() {
    let rules = memory_rules();
    let (seeds, one) = seeds();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let (mut programs, mut more) = (0, Vec::new());
    for seed in seeds {
        let Some((lines, wanted, text)) = both(seed, true, &rules) else { continue };
        let missing: Vec<_> = wanted.difference(&lines).collect();
        assert!(missing.is_empty(), "seed {seed}: {missing:?} of {wanted:?}\n{text}");
        programs += 1;
        if lines != wanted {
            more.push(seed);
        }
        for (rule, _) in wanted {
            *kinds.entry(rule).or_default() += 1;
        }
    }
    assert!(one || kinds.len() == 3 && kinds.values().all(|n| *n >= 5), "{kinds:?}");
    assert!(more.len() * 10 <= programs, "{} of {programs}: {more:?}", more.len());
}
