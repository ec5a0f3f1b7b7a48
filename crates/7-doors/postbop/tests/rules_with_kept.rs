//! Rules over values with variables that are kept, against an interpreter that runs every path.
//!
//! The programs are random, with calls and numbers of eight bits, with and without a sign. With `--keep`
//! for all numbers, both sides must report the same lines; with `--keep` for some, nothing may be missing.

use crate::asking::findings;
use postbop::{CProgram, CText, Input, Options, Watch};
use std::collections::BTreeSet;
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

/// Numbers: two of the unit, a parameter, a local with a sign.
const NUMBERS: [&str; 4] = ["n", "m", "k", "s"];
/// Pointers: two locals and a global.
const POINTERS: [&str; 3] = ["p", "q", "g"];

#[derive(Clone, Copy, Debug)]
enum Value {
    Constant(i32),
    Number(usize),
    /// The sum, the difference, the product or the bits in common.
    Of(usize, usize, i32),
}

#[derive(Clone, Debug)]
enum Stmt {
    New(usize),
    Copy(usize, usize),
    Null(usize),
    Free(usize),
    Set(usize, Value),
    If(usize, u32, i32, Vec<(u32, Stmt)>, Vec<(u32, Stmt)>),
    Unknown(Vec<(u32, Stmt)>),
    Call(Value),
    /// A function that the program has and the rule names.
    Event,
}

const TESTS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

fn holds(test: u32, a: i32, b: i32) -> bool {
    match test {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a <= b,
        4 => a > b,
        _ => a >= b,
    }
}

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

    fn value(&mut self) -> (Value, String) {
        let constant = self.random.below(7) as i32 - 2;
        let x = self.random.below(4) as usize;
        match self.random.below(4) {
            0 => (Value::Constant(constant), constant.to_string()),
            1 => (Value::Number(x), NUMBERS[x].to_owned()),
            _ => {
                let op = self.random.below(4) as usize;
                // What a mask with a sign leaves of a number with a sign is not followed.
                let constant = if op == 3 { constant.abs() } else { constant };
                let text = format!("{} {} {constant}", NUMBERS[x], ["+", "-", "*", "&"][op]);
                (Value::Of(op, x, constant), text)
            }
        }
    }

    fn block(&mut self, calls: bool, depth: usize, count: u64) -> Vec<(u32, Stmt)> {
        let mut out = Vec::new();
        for _ in 0..count {
            let (v, w) = (self.random.below(3) as usize, self.random.below(3) as usize);
            let x = self.random.below(4) as usize;
            let (text, stmt) = match self.random.below(20) {
                0..=2 => (format!("{} = malloc(1);", POINTERS[v]), Stmt::New(v)),
                3 => (format!("{} = {};", POINTERS[v], POINTERS[w]), Stmt::Copy(v, w)),
                4 => (format!("{} = 0;", POINTERS[v]), Stmt::Null(v)),
                5..=8 => (format!("free({});", POINTERS[v]), Stmt::Free(v)),
                9..=12 => {
                    let (value, text) = self.value();
                    (format!("{} = {text};", NUMBERS[x]), Stmt::Set(x, value))
                }
                13..=14 if calls => {
                    let (value, text) = self.value();
                    (format!("f({text});"), Stmt::Call(value))
                }
                15 => ("event();".to_owned(), Stmt::Event),
                16 if depth < 3 => {
                    let line = self.put(depth, "if (c()) {");
                    let yes = self.block(calls, depth + 1, 2);
                    self.put(depth, "}");
                    out.push((line, Stmt::Unknown(yes)));
                    continue;
                }
                17..=19 if depth < 3 => {
                    let (test, c) = (self.random.below(6) as u32, self.random.below(5) as i32 - 1);
                    let head = format!("if ({} {} {c}) {{", NUMBERS[x], TESTS[test as usize]);
                    let line = self.put(depth, &head);
                    let yes = self.block(calls, depth + 1, 3);
                    self.put(depth, "} else {");
                    let no = self.block(calls, depth + 1, 2);
                    self.put(depth, "}");
                    out.push((line, Stmt::If(x, test, c, yes, no)));
                    continue;
                }
                _ => continue,
            };
            let line = self.put(depth, &text);
            out.push((line, stmt));
        }
        out
    }
}

/// A program, and the bodies of `f` and `main`.
fn program(seed: u64) -> (String, [Vec<(u32, Stmt)>; 2]) {
    let mut w = Writer { random: Random(seed), text: String::new(), line: 0 };
    for _ in 0..8 {
        w.random.below(2);
    }
    w.put(0, "void *malloc(unsigned long n); void free(void *p); int c(void); static char *g;");
    w.put(0, "static unsigned char n, m = 3;");
    w.put(0, "static void event(void) { n = n + 1; }");
    let mut bodies = [Vec::new(), Vec::new()];
    for (i, head) in ["static void f(unsigned char k) {", "int main(void) {"].iter().enumerate() {
        w.put(0, head);
        let k = if i == 1 { "unsigned char k = 2; " } else { "" };
        w.put(1, &format!("char *p = 0, *q = 0; {k}signed char s = -1;"));
        bodies[i] = w.block(i == 1, 1, 9);
        w.put(1, if i == 1 { "return 0;" } else { ";" });
        w.put(0, "}");
    }
    (w.text, bodies)
}

#[derive(Clone, Default)]
struct World {
    /// Pointers and numbers of each frame.
    frames: Vec<([usize; 2], [i32; 2])>,
    global: usize,
    numbers: [i32; 2],
    freed: Vec<bool>,
    done: BTreeSet<usize>,
}

impl World {
    fn pointer(&mut self, v: usize) -> &mut usize {
        match v {
            2 => &mut self.global,
            _ => &mut self.frames.last_mut().expect("a frame").0[v],
        }
    }
    fn number(&self, x: usize) -> i32 {
        match x {
            0 | 1 => self.numbers[x],
            _ => self.frames.last().expect("a frame").1[x - 2],
        }
    }
    fn set(&mut self, x: usize, value: i32) {
        match x {
            0 | 1 => self.numbers[x] = value & 255,
            2 => self.frames.last_mut().expect("a frame").1[0] = value & 255,
            _ => self.frames.last_mut().expect("a frame").1[1] = i32::from(value as i8),
        }
    }
    fn value(&self, value: Value) -> i32 {
        match value {
            Value::Constant(c) => c,
            Value::Number(x) => self.number(x),
            Value::Of(0, x, c) => self.number(x) + c,
            Value::Of(1, x, c) => self.number(x) - c,
            Value::Of(2, x, c) => self.number(x) * c,
            Value::Of(_, x, c) => self.number(x) & c,
        }
    }
}

struct Machine<'a> {
    f: &'a [(u32, Stmt)],
    found: BTreeSet<u32>,
    budget: usize,
}

impl Machine<'_> {
    fn block(&mut self, worlds: Vec<World>, block: &[(u32, Stmt)]) -> Vec<World> {
        let mut now = worlds;
        for (line, stmt) in block {
            let mut next = Vec::new();
            for world in now {
                self.budget = self.budget.saturating_sub(1);
                if self.budget == 0 {
                    return Vec::new();
                }
                next.extend(self.stmt(world, *line, stmt));
            }
            now = next;
        }
        now
    }

    fn stmt(&mut self, mut world: World, line: u32, stmt: &Stmt) -> Vec<World> {
        match stmt {
            Stmt::New(v) => {
                world.freed.push(false);
                *world.pointer(*v) = world.freed.len();
            }
            Stmt::Copy(v, w) => *world.pointer(*v) = *world.pointer(*w),
            Stmt::Null(v) => *world.pointer(*v) = 0,
            Stmt::Free(v) => {
                let value = *world.pointer(*v);
                if value > 0 {
                    if world.freed[value - 1] && world.done.insert(value) {
                        self.found.insert(line);
                    }
                    world.freed[value - 1] = true;
                }
            }
            Stmt::Set(x, value) => {
                let value = world.value(*value);
                world.set(*x, value);
            }
            Stmt::If(x, test, c, yes, no) => {
                let way = if holds(*test, world.number(*x), *c) { yes } else { no };
                return self.block(vec![world], way);
            }
            Stmt::Unknown(yes) => {
                let mut out = self.block(vec![world.clone()], yes);
                out.push(world);
                return out;
            }
            Stmt::Call(value) => {
                let k = world.value(*value) & 255;
                world.frames.push(([0; 2], [k, -1]));
                let mut out = self.block(vec![world], self.f);
                for world in &mut out {
                    world.frames.pop();
                }
                return out;
            }
            Stmt::Event => world.set(0, world.number(0) + 1),
        }
        vec![world]
    }
}

fn rule(named: bool) -> rules::Rule {
    // With the event, `event` is not entered, and what it does to `n` is still known to happen.
    let event = if named { "|event" } else { "" };
    let text = format!(
        "rule twice(p: value) {{ event freed = arg(free{event}, 1, p)\nassume p != 0\n\
         never {{ result(malloc, p); !freed[*]; freed; !freed[*]; freed }} message \"twice\" }}"
    );
    rules::parse(&text).expect("a rule").remove(0)
}

fn lines(program: &Arc<CProgram>, rule: &rules::Rule, keep: &[&str], seed: u64) -> BTreeSet<u32> {
    let keep = keep.iter().map(|name| ((*name).to_owned(), 8)).collect();
    let options = Options { input: Input { keep, ..Input::default() }, ..Options::default() };
    let found = findings(program, std::slice::from_ref(rule), &[], &options, &Watch::default());
    assert!(found.unknown.is_empty(), "seed {seed}: {:?}", found.unknown);
    found.findings.iter().map(|f| f.line).collect()
}

#[test]
fn rules_over_values_know_what_is_kept() {
    let seeds: Vec<u64> = match std::env::var("POSTBOP_SEED") {
        Ok(seed) => vec![seed.parse().expect("a number")],
        Err(_) => (0..400).collect(),
    };
    let (mut some, mut fewer) = (0, 0);
    for &seed in &seeds {
        let (text, bodies) = program(seed);
        let mut machine = Machine { f: &bodies[0], found: BTreeSet::new(), budget: 100_000 };
        let frames = vec![([0; 2], [2, -1])];
        let start = World { frames, numbers: [0, 3], ..World::default() };
        machine.block(vec![start], &bodies[1]);
        if machine.budget == 0 {
            continue;
        }
        let unit =
            CText { name: "r.c".into(), text: format!("# 1 \"r.c\"\n{text}"), directory: None };
        let program = Arc::new(CProgram::new(vec![unit]).expect("a program"));
        let all = lines(&program, &rule(false), &NUMBERS, seed);
        assert_eq!(all, machine.found, "seed {seed}\n{text}");
        for keep in [&NUMBERS[..1], &NUMBERS[1..3], &NUMBERS[2..]] {
            let part = lines(&program, &rule(seed % 2 == 0), keep, seed);
            assert!(part.is_superset(&all), "seed {seed}: {keep:?}, {part:?} for {all:?}\n{text}");
        }
        let none = lines(&program, &rule(false), &[], seed);
        assert!(none.is_superset(&all), "seed {seed}: {none:?} for {all:?}\n{text}");
        some += usize::from(!all.is_empty());
        fewer += usize::from(none.len() > all.len());
    }
    assert!(seeds.len() == 1 || some > 30 && fewer > 30, "{some}, {fewer}");
}
