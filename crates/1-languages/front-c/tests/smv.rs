//! The export for NuSMV, interpreted: the program counters that its states reach are those that the
//! plain engine reaches with the same bound on the stack.
//!
//! The reader below knows the part of NuSMV 2.6's grammar that is written (user manual, §2.2 and
//! §2.3): `VAR`, `ASSIGN`, `DEFINE`, `INVAR`, ranges and words, `case`, `?:`, and the operators with
//! the manual's precedences; whatever else stands there is refused, as are operands of two types.

use check::{Budget, Engine, Goal, Target, Task, TraceMode, Verdict, Wants};
use engine_explicit::Explicit;
use front_c::export::{Counters, Encoding, counters, smv};
use front_c::{Flow, Lowered, Options, Skeleton, lower, parse, skeleton};
use ir::{Assign, BinaryOp, EdgeId, EdgeKind, Id, Program, Rel, Time, Type, Var, VarKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Expr {
    Value(Value),
    Name(String),
    Not(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `case`, and `?:` as one with two arms.
    Case(Vec<(Expr, Expr)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Bool(bool),
    Int(i64),
    Word(u32, i64),
    /// The value of a variable that may be anything.
    Any(usize),
}

#[derive(Clone, Copy, Debug)]
enum Domain {
    Range(i64, i64),
    Word(u32),
}

impl Domain {
    fn values(self) -> std::ops::RangeInclusive<i64> {
        match self {
            Domain::Range(low, high) => low..=high,
            Domain::Word(bits) => 0..=(1 << bits) - 1,
        }
    }
    fn value(self, v: i64) -> Value {
        match self {
            Domain::Range(..) => Value::Int(v),
            Domain::Word(bits) => Value::Word(bits, v),
        }
    }
}

#[derive(Default)]
struct Model {
    vars: Vec<(String, Domain)>,
    init: BTreeMap<String, Expr>,
    next: BTreeMap<String, Expr>,
    defines: BTreeMap<String, Expr>,
    invariants: Vec<Expr>,
}

struct Reader<'a> {
    tokens: Vec<&'a str>,
    pos: usize,
}

const SYMBOLS: [&str; 19] = [
    ":=", "!=", "..", "(", ")", "[", "]", ":", ";", "?", "|", "&", "!", "=", "<", ">", "+", "-",
    ",",
];

fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = match SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            Some(symbol) => symbol.len(),
            None => rest.find(|c| !word(c)).unwrap_or(rest.len()),
        };
        assert!(len > 0, "`{c}` is not of NuSMV");
        out.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    out
}

impl<'a> Reader<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.pos).copied().unwrap_or("")
    }
    fn take(&mut self) -> &'a str {
        self.pos += 1;
        self.tokens[self.pos - 1]
    }
    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.pos += usize::from(found);
        found
    }
    fn expect(&mut self, token: &str) {
        let found = self.take();
        assert_eq!(found, token, "{:?}", &self.tokens[self.pos.saturating_sub(10)..self.pos]);
    }
    fn name(&mut self) -> String {
        let name = self.take();
        assert!(name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "{name}");
        name.to_owned()
    }
    fn number(&mut self) -> i64 {
        self.take().parse().expect("a number")
    }

    fn model(&mut self) -> Model {
        let mut out = Model::default();
        self.expect("MODULE");
        self.expect("main");
        while self.pos < self.tokens.len() {
            match self.take() {
                "VAR" => {
                    let name = self.name();
                    self.expect(":");
                    let domain = if self.eat("unsigned") {
                        self.expect("word");
                        self.expect("[");
                        let bits = self.number();
                        self.expect("]");
                        Domain::Word(bits as u32)
                    } else {
                        let low = self.number();
                        self.expect("..");
                        Domain::Range(low, self.number())
                    };
                    out.vars.push((name, domain));
                }
                "ASSIGN" => {
                    let which = self.name();
                    self.expect("(");
                    let name = self.name();
                    self.expect(")");
                    self.expect(":=");
                    let value = self.expr(0);
                    let all = if which == "init" { &mut out.init } else { &mut out.next };
                    assert!(matches!(&*which, "init" | "next"));
                    assert!(all.insert(name, value).is_none(), "assigned twice");
                }
                "DEFINE" => {
                    let name = self.name();
                    self.expect(":=");
                    let value = self.expr(0);
                    assert!(out.defines.insert(name, value).is_none(), "defined twice");
                }
                "INVAR" => {
                    let value = self.expr(0);
                    out.invariants.push(value);
                }
                other => panic!("no section `{other}`"),
            }
            self.expect(";");
        }
        out
    }

    /// `?:` binds least, then `|`, `&`, comparisons, `+` and `-`, `!`.
    fn expr(&mut self, level: u8) -> Expr {
        let mut left = self.unary();
        loop {
            let (op, binds) = match self.peek() {
                "|" => ("|", 2),
                "&" => ("&", 3),
                "=" => ("=", 4),
                "!=" => ("!=", 4),
                "<" => ("<", 4),
                ">" => (">", 4),
                "+" => ("+", 5),
                "-" => ("-", 5),
                "?" if level < 1 => {
                    self.take();
                    let yes = self.expr(0);
                    self.expect(":");
                    let no = self.expr(0);
                    let otherwise = Expr::Value(Value::Bool(true));
                    return Expr::Case(vec![(left, yes), (otherwise, no)]);
                }
                _ => return left,
            };
            if binds <= level {
                return left;
            }
            self.take();
            let right = self.expr(binds);
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Expr {
        let token = self.take();
        match token {
            "!" => Expr::Not(Box::new(self.unary())),
            "(" => {
                let inside = self.expr(0);
                self.expect(")");
                inside
            }
            "TRUE" => Expr::Value(Value::Bool(true)),
            "FALSE" => Expr::Value(Value::Bool(false)),
            "case" => {
                let mut arms = Vec::new();
                while !self.eat("esac") {
                    let condition = self.expr(0);
                    self.expect(":");
                    let value = self.expr(0);
                    self.expect(";");
                    arms.push((condition, value));
                }
                Expr::Case(arms)
            }
            _ if token.starts_with(|c: char| c.is_ascii_digit()) => {
                Expr::Value(match token.strip_prefix("0ud").and_then(|w| w.split_once('_')) {
                    Some((bits, value)) => {
                        let (bits, value) =
                            (bits.parse().expect("bits"), value.parse().expect("value"));
                        assert!(value < 1i64 << bits, "{token}");
                        Value::Word(bits, value)
                    }
                    None => Value::Int(token.parse().expect("a number")),
                })
            }
            _ => {
                self.pos -= 1;
                Expr::Name(self.name())
            }
        }
    }
}

/// A state; nothing where the value may be anything.
type State = Vec<Option<i64>>;

struct Machine {
    model: Model,
    index: BTreeMap<String, usize>,
}

impl Machine {
    fn new(text: &str) -> Machine {
        let mut reader = Reader { tokens: tokens(text), pos: 0 };
        let model = reader.model();
        let index = model.vars.iter().enumerate().map(|(i, (n, _))| (n.clone(), i)).collect();
        let machine = Machine { model, index };
        // A name is declared once; all are.
        for name in machine.model.defines.keys() {
            assert!(!machine.index.contains_key(name), "{name}");
        }
        for name in machine.model.init.keys().chain(machine.model.next.keys()) {
            assert!(machine.index.contains_key(name), "{name}");
        }
        machine
    }

    /// The value in a state; or the variable whose value it takes to know.
    fn eval(&self, e: &Expr, state: &State) -> Result<Value, usize> {
        Ok(match e {
            Expr::Value(value) => *value,
            Expr::Name(name) => match self.index.get(name) {
                Some(&i) => match state[i] {
                    Some(v) => self.model.vars[i].1.value(v),
                    None => Value::Any(i),
                },
                None => match self.model.defines.get(name) {
                    Some(e) => self.eval(e, state)?,
                    None => panic!("no `{name}`"),
                },
            },
            Expr::Not(a) => match self.known(a, state)? {
                Value::Bool(a) => Value::Bool(!a),
                other => panic!("!{other:?}"),
            },
            Expr::Binary(op @ ("|" | "&"), a, b) => {
                let Value::Bool(a) = self.known(a, state)? else { panic!("{a:?}") };
                if a == (*op == "|") {
                    return Ok(Value::Bool(a));
                }
                let Value::Bool(b) = self.known(b, state)? else { panic!("{b:?}") };
                Value::Bool(b)
            }
            Expr::Binary(op, a, b) => match (self.known(a, state)?, self.known(b, state)?) {
                (Value::Int(a), Value::Int(b)) => calculated(op, a, b, Value::Int),
                (Value::Word(w, a), Value::Word(v, b)) if w == v => {
                    calculated(op, a, b, |x| Value::Word(w, x.rem_euclid(1 << w)))
                }
                (a, b) => panic!("{a:?} {op} {b:?}"),
            },
            Expr::Case(arms) => {
                for (condition, value) in arms {
                    match self.known(condition, state)? {
                        Value::Bool(true) => return self.eval(value, state),
                        Value::Bool(false) => {}
                        other => panic!("{other:?} is no condition"),
                    }
                }
                panic!("no case holds")
            }
        })
    }

    fn known(&self, e: &Expr, state: &State) -> Result<Value, usize> {
        match self.eval(e, state)? {
            Value::Any(var) => Err(var),
            value => Ok(value),
        }
    }

    /// As a value of the variable, which must be in its domain.
    fn fitting(&self, var: usize, value: Value) -> Option<i64> {
        let (name, domain) = &self.model.vars[var];
        match (domain, value) {
            (Domain::Range(low, high), Value::Int(v)) => {
                assert!((*low..=*high).contains(&v), "{name} := {v}");
                Some(v)
            }
            (Domain::Word(bits), Value::Word(w, v)) if *bits == w => Some(v),
            (_, Value::Any(_)) => None,
            _ => panic!("{name} := {value:?}"),
        }
    }

    fn successors(&self, state: &State) -> Vec<State> {
        let mut out = Vec::new();
        let mut todo = vec![state.clone()];
        'forks: while let Some(state) = todo.pop() {
            let mut next = Vec::with_capacity(state.len());
            for (i, (name, _)) in self.model.vars.iter().enumerate() {
                let value = match self.model.next.get(name) {
                    Some(e) => self.eval(e, &state),
                    None => Ok(Value::Any(i)),
                };
                match value {
                    Ok(value) => next.push(self.fitting(i, value)),
                    Err(var) => {
                        todo.extend(self.model.vars[var].1.values().map(|v| {
                            let mut fork = state.clone();
                            fork[var] = Some(v);
                            fork
                        }));
                        continue 'forks;
                    }
                }
            }
            if self.allowed(&next) {
                out.push(next);
            }
        }
        out
    }

    fn allowed(&self, state: &State) -> bool {
        self.model.invariants.iter().all(|e| self.eval(e, state) == Ok(Value::Bool(true)))
    }

    fn reachable(&self) -> BTreeSet<State> {
        let start: State = (self.model.vars.iter().enumerate())
            .map(|(i, (name, _))| {
                let e = self.model.init.get(name)?;
                self.fitting(i, self.eval(e, &Vec::new()).expect("a constant"))
            })
            .collect();
        let mut seen = BTreeSet::new();
        let mut todo = vec![start];
        while let Some(state) = todo.pop() {
            if seen.insert(state.clone()) {
                todo.extend(self.successors(&state));
            }
        }
        seen
    }

    fn counters(&self) -> BTreeSet<usize> {
        let pc = self.index["pc"];
        self.reachable().iter().map(|s| s[pc].expect("the counter is known") as usize).collect()
    }

    /// Where a proposition holds, among counters at which it does not depend on anything else.
    fn holds(&self, name: &str, pc: usize) -> bool {
        let mut state = vec![None; self.model.vars.len()];
        state[self.index["pc"]] = Some(pc as i64);
        self.eval(&self.model.defines[name], &state) == Ok(Value::Bool(true))
    }
}

fn calculated(op: &str, a: i64, b: i64, number: impl Fn(i64) -> Value) -> Value {
    match op {
        "=" => Value::Bool(a == b),
        "!=" => Value::Bool(a != b),
        "<" => Value::Bool(a < b),
        ">" => Value::Bool(a > b),
        "+" => number(a + b),
        "-" => number(a - b),
        _ => panic!("no operator `{op}`"),
    }
}

/// The program with at most so many calls under way, which remembers the last call that came back;
/// and, of each call, when it has.
fn bounded(mut p: Program, depth: u32) -> (Program, BTreeMap<EdgeId, Goal>) {
    let name = p.procs[p.entry].name;
    let origin = p.procs[p.entry].origin;
    let global = |p: &mut Program, most: usize| {
        let ty = Type::int(usize::BITS - most.leading_zeros());
        let var = p.vars.push(Var {
            name,
            ty,
            kind: VarKind::Global,
            origin,
            hidden: true,
            signed: false,
        });
        p.globals.push(var);
        var
    };
    let calls = p.edges.iter().filter(|e| matches!(e.kind, EdgeKind::Call(_))).count();
    let (open, back) = (global(&mut p, depth as usize + 1), global(&mut p, calls + 1));
    let before = p.exprs.pre(open);
    let last = p.exprs.pre(back);
    let (zero, one, most) = (p.exprs.int(0), p.exprs.int(1), p.exprs.int(i64::from(depth)));
    for var in [before, last] {
        let starts = p.exprs.binary(BinaryOp::Eq, var, zero);
        p.init.condition = p.exprs.and(p.init.condition, starts);
    }
    let fits = p.exprs.binary(BinaryOp::Lt, before, most);
    let more = p.exprs.binary(BinaryOp::Add, before, one);
    let fewer = p.exprs.binary(BinaryOp::Sub, before, one);
    let mut goals = BTreeMap::new();
    let Program { edges, exprs, .. } = &mut p;
    for (i, edge) in edges.iter_mut().enumerate() {
        let EdgeKind::Call(call) = &mut edge.kind else { continue };
        call.enter.guard = exprs.and(call.enter.guard, fits);
        let number = exprs.int(goals.len() as i64 + 1);
        let set = |var, value| Assign { time: Time::Post, var, index: None, value: Some(value) };
        let add = |rel: &mut Rel, var, value| {
            rel.assigns = rel.assigns.iter().cloned().chain([set(var, value)]).collect();
        };
        add(&mut call.enter, open, more);
        add(&mut call.back, open, fewer);
        add(&mut call.back, back, number);
        let condition = exprs.binary(BinaryOp::Eq, last, number);
        goals.insert(EdgeId::new(i), Goal::Reach(vec![Target { node: call.ret, condition }]));
    }
    p.validate().expect("a valid program");
    (p, goals)
}

/// The counters that the plain engine reaches; a call that has come back is at its second one.
fn expected(s: &Skeleton, lowered: &Lowered, c: &Counters, depth: u32) -> BTreeSet<usize> {
    let (program, goals) = bounded(lowered.program.clone(), depth);
    let program = Arc::new(program);
    let mut task = Task::new(program.clone(), goals.values().cloned().collect());
    task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: true };
    let answer = Explicit::default().run(&task, &Budget::unlimited());
    let came_back: BTreeSet<EdgeId> = (goals.keys().zip(&answer.verdicts))
        .filter(|(_, verdict)| matches!(verdict, Verdict::Violated(_)))
        .map(|(edge, _)| *edge)
        .collect();
    let reached = answer.reached.expect("all nodes");
    let mut out = BTreeSet::new();
    for (b, body) in s.bodies.iter().enumerate() {
        for (i, point) in body.points.iter().enumerate() {
            let node = lowered.nodes[b][i];
            if !reached[node.index()] {
                continue;
            }
            out.insert(c.points[b][i]);
            let Flow::Call(_) = &point.flow else { continue };
            // Without a body, the call comes back at once.
            let back = program.out_edges(node).any(|e| match &program.edges[e].kind {
                EdgeKind::Call(_) => came_back.contains(&e),
                _ => true,
            });
            if back {
                out.insert(c.points[b][i] + 1);
            }
        }
    }
    out
}

fn exported(text: &str, entry: &str) -> (Skeleton, Counters) {
    let unit = parse(&format!("# 1 \"f.c\"\n{text}"));
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let s = skeleton(&[unit]);
    let c = counters(&s, entry).expect("counters");
    (s, c)
}

/// Both encodings, with several bounds.
fn check(text: &str, entry: &str) {
    let (s, c) = exported(text, entry);
    let options = Options { entry: Some(entry.to_owned()), ..Options::default() };
    let lowered = lower(&s, &options).expect("a program");
    // Words that are in the source and no points: `do`.
    let all: BTreeSet<usize> = (s.bodies.iter().zip(&c.points))
        .flat_map(|(b, counters)| {
            b.points.iter().zip(counters).flat_map(|(p, &pc)| match &p.flow {
                Flow::Call(_) => vec![pc, pc + 1],
                _ => vec![pc],
            })
        })
        .collect();
    for depth in [0, 1, 2, 5] {
        let wanted = expected(&s, &lowered, &c, depth);
        for encoding in [Encoding::Int, Encoding::Bits] {
            let machine = Machine::new(&smv(&c, depth, encoding));
            let mut found = machine.counters();
            found.retain(|pc| all.contains(pc));
            assert_eq!(found, wanted, "{text}\ndepth {depth}, {encoding:?}");
            for (name, pcs) in &c.propositions {
                for pc in 0..=c.max {
                    assert_eq!(machine.holds(name, pc), pcs.contains(&pc), "{name} at {pc}");
                }
            }
        }
    }
}

const DOIT: &str = "getmax() { int max, a; a = max = 0; do { if (a > max) max = a; a = input(); } while (a); return(max); }
    doit() { int max; max = getmax(); }";

#[test]
fn doit() {
    check(DOIT, "doit");
}

#[test]
fn what_is_not_called_is_not_reached() {
    check("void f(void) { a(); } void g(void) { b(); } int main(void) { f(); return 0; }", "main");
}

#[test]
fn recursion_ends_at_the_bound() {
    check(
        "void f(int n) { if (n) { f(n - 1); after(); } } int main(void) { f(3); end(); }",
        "main",
    );
    // Comes back only from the innermost call, for which there is no room.
    check("void f(int n) { f(n - 1); after(); } int main(void) { f(3); end(); }", "main");
    // Two functions, each deeper than the other.
    check(
        "void g(int n); void f(int n) { if (n) g(n - 1); else low(); } void g(int n) { f(n); high(); }
         int main(void) { f(1); g(1); }",
        "main",
    );
    check(
        "void d(void) { deep(); } void c(void) { d(); } void b(void) { c(); } void a(void) { b(); } int main(void) { a(); last(); }",
        "main",
    );
}

#[test]
fn jumps_and_choices() {
    check(
        "int f(int n) { switch (n) { case 1: one(); case 2: two(); break; default: return 3; } while (n--) if (n == 4) goto out; return 1; out: return n ? g(n) : 2; }
         int main(void) { for (int i = 0; i < 3; i++) if (f(i) && f(i + 1)) exit(1); return 0; never(); }",
        "main",
    );
    check("void f(void) { for (;;) ; } int main(void) { f(); never(); }", "main");
}

#[test]
fn pointers_call_one_of_several() {
    check(
        "int one(int x) { in_one(); return x; } int two(int x) { in_two(); return x; } int other(int x);
         int (*table[])(int) = { one, two, other };
         int main(int n) { int r = table[n](n); if (r) table[r](one(r)); return r; }",
        "main",
    );
}

#[test]
fn long_jumps_reach_what_they_may() {
    let text = "int setjmp(int *); void longjmp(int *, int); int b[4];
        void deep(int n) { if (n) longjmp(b, 1); inner(); }
        int main(void) { if (setjmp(b)) { caught(); return 1; } deep(1); done(); return 0; }";
    let (s, c) = exported(text, "main");
    let options = Options { entry: Some("main".to_owned()), ..Options::default() };
    let lowered = lower(&s, &options).expect("a program");
    let wanted = expected(&s, &lowered, &c, 3);
    for encoding in [Encoding::Int, Encoding::Bits] {
        let found = Machine::new(&smv(&c, 3, encoding)).counters();
        // The jump itself has a body of its own in the program: its second counter is not there.
        assert!(wanted.is_subset(&found), "{wanted:?} {found:?}");
    }
}

#[test]
fn names_do_not_collide() {
    let (_, c) = exported(
        "int a_f; int x_2; void f(int a) { a_f = a; { int x = 1; use(x); } { int x = 2; use(x); } } void g(void) { f(1); }",
        "g",
    );
    let machine = Machine::new(&smv(&c, 2, Encoding::Int));
    let assigned: Vec<&(String, Vec<usize>)> =
        c.propositions.iter().filter(|(n, _)| n.starts_with("assignto_")).collect();
    assert_eq!(assigned.len(), 4, "{assigned:?}");
    assert!(assigned.iter().all(|(n, _)| machine.model.defines.contains_key(n)));
}
