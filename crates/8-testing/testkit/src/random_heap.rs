//! Random C programs that allocate and free, and a native judge of where memory is freed twice.
//!
//! Branches depend on integers of all types, with constants of others, on parts of structures, unions and
//! bit fields, and on what is written through pointers; pointers to memory go through copies, parameters,
//! results, globals, members and pointers to pointers. Inputs come from `input()`, which has no body.
//!
//! [`freed_twice`] compiles programs with `malloc` and `free` of its own and runs them on every sequence of
//! inputs, so that it is known at which lines a value is freed for the second time. Integers wrap
//! (`-fwrapv`); nothing else is undefined.

use crate::rng::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The types of variables.
const TYPES: [&str; 10] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
    "char",
];

/// Constants, some of which do not fit.
const CONSTANTS: [&str; 22] = [
    "0",
    "0",
    "1",
    "1",
    "2",
    "-1",
    "-1",
    "5",
    "44",
    "100",
    "127",
    "128",
    "200",
    "255",
    "256",
    "300",
    "-2",
    "1u",
    "-1u",
    "0xffffffff",
    "65535",
    "1L",
];

struct Writer {
    rng: Rng,
    /// What the names of this program end with.
    id: String,
    text: String,
    line: u32,
    depth: usize,
    /// Loops around the place at hand.
    loops: usize,
    /// The function at hand, counted from the last one: it calls those with smaller numbers.
    level: usize,
    /// Whether it has parameters.
    params: bool,
    /// The type of all integers that pointers point to.
    ty: &'static str,
}

/// A program. All its names end with the id, so that several make one file; `main` excepted.
pub fn heap_program(seed: u64, id: &str) -> String {
    let mut w = Writer {
        rng: Rng::new(seed),
        id: id.to_owned(),
        text: String::new(),
        line: 0,
        depth: 0,
        loops: 0,
        level: 0,
        ty: "int",
        params: false,
    };
    w.put("void *malloc(unsigned long n); void free(void *p); int input(void);");
    let (a, b, c, d) = (w.ty(), w.ty(), w.ty(), w.ty());
    let bits = if b == "_Bool" { 1 } else { 3 };
    w.put(&format!("struct S{id} {{ {a} a; {b} b : {bits}; char *p; union {{ {c} u; unsigned char c; }}; {d} x[2]; }};"));
    let (a, b, k) = (w.constant(), w.constant(), w.constant());
    let (t, u, v) = (w.ty(), w.ty(), w.ty());
    w.ty = t;
    w.put(&format!(
        "static {t} g{id} = {a}; {u} h{id}; static const {v} k{id} = {k}; enum {{ E{id} = {b} }};"
    ));
    w.put(&format!("static char *G{id}; static struct S{id} gs{id}; static {t} *gp{id} = &g{id};"));
    let leaf = w.constant();
    let t = w.ty();
    w.put(&format!("static {t} one{id}(void) {{ return {leaf}; }}"));
    let count = w.rng.between(1, 3);
    for level in 0..count {
        (w.level, w.params) = (level, true);
        let (result, ty) = (w.ty(), w.ty);
        w.put(&format!("static {result} f{level}{id}({ty} n, char *a, char **out, {ty} *ip) {{"));
        w.body(6);
        let value = w.int(1);
        w.put(&format!("  return {value};"));
        w.put("}");
    }
    (w.level, w.params) = (count, false);
    w.put("int main(void) {");
    w.body(9);
    w.put("  return 0;");
    w.put("}");
    w.text
}

impl Writer {
    fn put(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(self.depth));
        self.line += 1;
    }

    fn ty(&mut self) -> &'static str {
        let number = self.rng.below(TYPES.len());
        TYPES[number]
    }

    fn constant(&mut self) -> String {
        (*self.rng.pick(&CONSTANTS)).to_owned()
    }

    /// An integer that can be assigned.
    fn place(&mut self) -> String {
        let id = &self.id;
        let all = [
            "v".to_owned(),
            "v".to_owned(),
            "w".to_owned(),
            "w".to_owned(),
            "*ip".to_owned(),
            "ip[0]".to_owned(),
            "s.a".to_owned(),
            "s.b".to_owned(),
            "s.u".to_owned(),
            "s.c".to_owned(),
            "s.x[0]".to_owned(),
            "ps->a".to_owned(),
            "ps->b".to_owned(),
            "ps->u".to_owned(),
            "ps->c".to_owned(),
            "n0".to_owned(),
            format!("g{id}"),
            format!("h{id}"),
            format!("*gp{id}"),
            format!("gs{id}.a"),
        ];
        self.rng.pick(&all).clone()
    }

    /// A pointer to memory that can be assigned.
    fn pointer(&mut self) -> String {
        let id = &self.id;
        let mut all = vec![
            "p".to_owned(),
            "p".to_owned(),
            "q".to_owned(),
            "*pp".to_owned(),
            "s.p".to_owned(),
            "ps->p".to_owned(),
            format!("G{id}"),
        ];
        if self.params {
            all.extend(["a".to_owned(), "*out".to_owned()]);
        }
        self.rng.pick(&all).clone()
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(40) {
            return match self.rng.below(10) {
                0..=4 => self.place(),
                5 => format!("k{}", self.id),
                6 => format!("E{}", self.id),
                7 => "(input() & 1)".to_owned(),
                _ => self.constant(),
            };
        }
        let a = self.int(depth - 1);
        match self.rng.below(11) {
            0 => format!("-({a})"),
            1 => format!("~({a})"),
            2 => format!("!({a})"),
            3 | 4 => format!("({})({a})", self.ty()),
            5 => format!("({a} >> 1)"),
            6 => format!("one{}()", self.id),
            _ => {
                let b = self.int(depth - 1);
                let op = *self.rng.pick(&["+", "-", "&", "|", "^", "*", "<", "=="]);
                format!("({a} {op} {b})")
            }
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(if depth == 0 { 8 } else { 12 }) {
            0..=3 => {
                let (a, b) = (self.int(1), self.constant());
                let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("{a} {op} {b}")
            }
            4 => {
                // Nothing else is evaluated beside an assignment: the order would matter.
                let (to, value, b) = (self.place(), self.int(1), self.constant());
                let op = *self.rng.pick(&["<", ">", "==", "!="]);
                format!("({to} = {value}) {op} {b}")
            }
            5 => format!("!{}", self.place()),
            6 => self.pointer(),
            7 => {
                let (a, b) = (self.place(), self.place());
                let op = *self.rng.pick(&["<", ">=", "=="]);
                match self.rng.below(3) {
                    0 => format!("(double){a} / 2 {op} {b}"),
                    1 => format!("(({a} ? 0.0 : 1.0) / 0.0 * 0.0) {op} {b}"),
                    _ => format!("{a} {op} {b}"),
                }
            }
            8 => format!("!({})", self.condition(depth - 1)),
            9 => format!("({}) && ({})", self.condition(depth - 1), self.condition(depth - 1)),
            10 => format!("({}) || ({})", self.condition(depth - 1), self.condition(depth - 1)),
            _ => format!("({}) ? {} : {}", self.condition(depth - 1), self.int(1), self.int(1)),
        }
    }

    /// The declarations and statements of a function.
    fn body(&mut self, count: usize) {
        let (id, ty) = (self.id.clone(), self.ty);
        self.depth = 1;
        let v = self.ty();
        let (a, b) = (self.constant(), self.constant());
        let first = if self.params { "n".to_owned() } else { a };
        self.put(&format!("{v} v = {first}; {ty} w = {b}, w2 = 0; static {v} n0;"));
        if !self.params {
            self.put(&format!("{ty} *ip = &w;"));
        }
        let target = self.struct_address();
        self.put(&format!("struct S{id} s = {{0}}, *ps = {target};"));
        let first = if self.rng.chance(70) { "malloc(1)" } else { "0" };
        self.put(&format!("char *p = {first}, *q = 0;"));
        let target = self.pointer_address();
        self.put(&format!("char **pp = {target};"));
        self.put("(void)w2; (void)q; (void)pp; (void)ps; (void)v; (void)n0;");
        if self.rng.coin() {
            let what = self.pointer();
            self.put(&format!("{what} = p;"));
        }
        self.block(count);
        self.depth = 0;
    }

    fn struct_address(&mut self) -> String {
        if self.rng.coin() { "&s".to_owned() } else { format!("&gs{}", self.id) }
    }

    fn pointer_address(&mut self) -> String {
        let id = &self.id;
        let mut all = vec!["&p".to_owned(), "&q".to_owned(), "&s.p".to_owned(), format!("&G{id}")];
        if self.params {
            all.push("out".to_owned());
        }
        self.rng.pick(&all).clone()
    }

    fn block(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let id = self.id.clone();
        match self.rng.below(30) {
            0..=4 => {
                let (to, value) = (self.place(), self.int(2));
                self.put(&format!("{to} = {value};"));
            }
            5 => {
                let to = self.place();
                let how = *self.rng.pick(&["++", "--", " += 1", " -= 2", " ^= 1", " *= 3"]);
                self.put(&format!("{to}{how};"));
            }
            6 => {
                let global = format!("&g{id}");
                let to = (*self.rng.pick(&["&w", "&w2", &global])).to_owned();
                self.put(&format!("ip = {to};"));
            }
            7 => {
                let to = self.struct_address();
                self.put(&format!("ps = {to};"));
            }
            8 => {
                let to = self.pointer_address();
                self.put(&format!("pp = {to};"));
            }
            9 => {
                let to = self.pointer();
                self.put(&format!("{to} = malloc(1);"));
            }
            10..=11 => {
                let (to, from) = (self.pointer(), self.pointer());
                self.put(&format!("{to} = {from};"));
            }
            12 => {
                let to = self.pointer();
                self.put(&format!("{to} = 0;"));
            }
            13..=18 => {
                let what = self.pointer();
                self.put(&format!("free({what});"));
            }
            19..=24 if self.depth < 4 => {
                let condition = self.condition(1);
                self.put(&format!("if ({condition}) {{"));
                self.depth += 1;
                let count = self.rng.between(1, 3);
                self.block(count);
                self.depth -= 1;
                if self.rng.coin() {
                    self.put("} else {");
                    self.depth += 1;
                    let count = self.rng.between(1, 2);
                    self.block(count);
                    self.depth -= 1;
                }
                self.put("}");
            }
            25 if self.depth < 4 => {
                let (ty, value, case) = (self.ty(), self.int(1), self.constant());
                self.put(&format!("switch (({ty}){value}) {{"));
                self.put(&format!("case {case}:"));
                self.depth += 1;
                self.block(2);
                if self.rng.coin() {
                    self.put("break;");
                }
                self.depth -= 1;
                self.put("default:");
                self.depth += 1;
                self.block(1);
                self.put(";");
                self.depth -= 1;
                self.put("}");
            }
            26 if self.loops == 0 && self.depth < 4 => {
                let (ty, k) = (self.ty(), self.ty());
                // A truth value never gets to 2.
                let most = if ty == "_Bool" { "1" } else { "2" };
                let step = if ty == "_Bool" { "i = 1" } else { "i++" };
                self.put(&format!("for ({ty} i = 0; i < {most}; {step}) {{"));
                (self.depth, self.loops) = (self.depth + 1, self.loops + 1);
                self.put(&format!("const {k} c = i; if (c) {{"));
                self.depth += 1;
                self.block(1);
                self.depth -= 1;
                self.put("}");
                self.block(2);
                (self.depth, self.loops) = (self.depth - 1, self.loops - 1);
                self.put("}");
            }
            27..=29 if self.level > 0 => {
                let callee = self.rng.below(self.level);
                let (n, a) = (self.int(1), self.pointer());
                let out = self.pointer_address();
                let to = self.place();
                let ip = ["&w", "ip", &format!("&g{id}"), &format!("gp{id}")][self.rng.below(4)]
                    .to_owned();
                let call = format!("f{callee}{id}({n}, {a}, {out}, {ip})");
                if self.rng.coin() {
                    self.put(&format!("{to} = {call};"));
                } else {
                    self.put(&format!("{call};"));
                }
            }
            _ => {
                let value = self.int(2);
                self.put(&format!("(void)({value});"));
            }
        }
    }
}

/// What stands before the programs: memory whose addresses are never used again, and inputs.
const BEFORE: &str = r#"
extern char __data_start, _end;
void *memcpy(void *, const void *, unsigned long);
void *calloc(unsigned long, unsigned long);
int printf(const char *, ...);
struct run { int program; int twice[4000]; char freed[5000]; int blocks; int length; int used; int inputs[64]; long steps; };
static struct run *run;
static void *my_malloc(unsigned long n) { (void)n; if (run->blocks < 4999) run->blocks++; return (char *)0x100000 + 16 * run->blocks; }
static void my_free(void *p, int line) {
  if (!p) return;
  long k = ((char *)p - (char *)0x100000) / 16;
  if (run->freed[k] == 1) run->twice[line] = 1;
  if (run->freed[k] < 2) run->freed[k]++;
}
static int my_input(void) {
  int v = run->used < 64 ? run->inputs[run->used] : 0;
  if (run->used < 64) run->used++;
  return v;
}
#define malloc my_malloc
#define free(p) my_free(p, __LINE__)
#define input my_input
"#;

/// The driver: every sequence of inputs 0 and 1 that a program asks for, at most so many runs of each.
const AFTER: &str = r#"
#undef malloc
#undef free
#undef input
int main(void) {
  char *from = &__data_start; unsigned long size = &_end - from;
  char *saved = calloc(size, 1);
  struct run *r = calloc(1, sizeof *r);
  for (int k = 0; k < COUNT; k++) {
    for (int i = 0; i < 4000; i++) r->twice[i] = 0;
    for (int i = 0; i < 64; i++) r->inputs[i] = 0;
    for (int runs = 0; runs < 20000; runs++) {
      memcpy(saved, from, size);
      run = r;
      r->used = 0; r->blocks = 0;
      for (int i = 0; i < 5000; i++) r->freed[i] = 0;
      programs[k]();
      int used = r->used;
      memcpy(from, saved, size);
      while (used > 0 && r->inputs[used - 1] == 1) r->inputs[--used] = 0;
      if (used == 0) break;
      r->inputs[used - 1] = 1;
    }
    printf("%d:", k);
    for (int i = 0; i < 4000; i++) if (r->twice[i]) printf(" %d", i);
    printf("\n");
  }
  return 0;
}
"#;

/// The lines of each program at which a value is freed for the second time, on some input. `folder` is for
/// files that come and go. `Err` is what the compiler, or the run, said.
pub fn freed_twice(programs: &[String], folder: &Path) -> Result<Vec<BTreeSet<u32>>, String> {
    let mut text = BEFORE.to_owned();
    for (k, program) in programs.iter().enumerate() {
        // The declarations of the first line are those of the macros.
        let rest = program.split_once('\n').map_or("", |(_, rest)| rest);
        let _ = write!(text, "#define main main_{k}\n#line 2 \"p{k}.c\"\n{rest}\n#undef main\n");
    }
    let names: Vec<String> = (0..programs.len()).map(|k| format!("main_{k}")).collect();
    let _ = write!(text, "static int (*const programs[])(void) = {{ {} }};", names.join(", "));
    let _ = write!(text, "\n#define COUNT {}\n{AFTER}", programs.len());
    let (source, binary) = (folder.join("programs.c"), folder.join("programs"));
    std::fs::write(&source, text).map_err(|e| e.to_string())?;
    let mut command = Command::new("cc");
    command
        .args(["-w", "-O0", "-fwrapv", "-fno-builtin", "-no-pie", "-o"])
        .arg(&binary)
        .arg(&source);
    let compiled = command.output().map_err(|e| format!("cc: {e}"))?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let ran = Command::new(&binary).output().map_err(|e| e.to_string())?;
    if !ran.status.success() {
        return Err(format!("the programs ended with {}", ran.status));
    }
    let text = String::from_utf8_lossy(&ran.stdout);
    let lines = text.lines().map(|line| {
        let found = line.split_once(':').map_or("", |(_, rest)| rest);
        found.split_whitespace().filter_map(|n| n.parse().ok()).collect()
    });
    let out: Vec<BTreeSet<u32>> = lines.collect();
    match out.len() == programs.len() {
        true => Ok(out),
        false => Err(format!("{} of {} programs were run", out.len(), programs.len())),
    }
}
