//! Skeletons as next-state functions over a program counter and a bounded stack, as c2edl writes
//! them ([c2edl §5, Appendix A]): `.edl`, the same for NuSMV, and the annotated source `.cout`.
//!
//! Program counters are allocated in the order of the source: one for each point, a second one for
//! an `if`, one for the word `do`, and one before each call at which the return address is pushed.
//! A call's events hold at its second counter, once it has come back. Counters that no run reaches,
//! such as an `if`'s second one, remain.
//!
//! Two things differ from what is printed there. The use of `a` in `while (a)` is at the counter of
//! that condition, 7, not 1. And a return from the entry function, which goes anywhere there, goes to
//! the last counter here, where the program has ended.
//!
//! A `longjmp` goes to any `setjmp`, with as many or fewer addresses on the stack.

use crate::library::is_longjmp;
use crate::objects::{FuncId, ObjectId, Reach};
use crate::skeleton::{Asks, Body, Event, Flow, Next, Point, Skeleton, Test, plain_name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How program counters and stack cells are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// As integers.
    #[default]
    Int,
    /// As vectors of bits.
    Bits,
}

/// A program over one program counter.
#[derive(Clone, Debug)]
pub struct Counters {
    /// The counter at which the program starts.
    pub entry: usize,
    /// The counter at which it has ended.
    pub max: usize,
    /// Where control goes without calls and returns; nothing for those that return.
    pub next: Vec<Vec<usize>>,
    /// The counters that push a return address, with the entries of what they call.
    pub pushes: BTreeMap<usize, Push>,
    /// The counters that return, in ascending order.
    pub returns: Vec<usize>,
    /// The counters of `longjmp`s: addresses may be taken from the stack there.
    pub long_jumps: Vec<usize>,
    /// The counter of each point of each body of the skeleton; the second one of a call is next.
    pub points: Vec<Vec<usize>>,
    /// The propositions, each with the counters at which it holds.
    pub propositions: Vec<(String, Vec<usize>)>,
    /// The names of the functions with a body.
    pub real: Vec<String>,
    /// The lines of the annotated source: a function's header has no counter.
    pub lines: Vec<(Option<usize>, String)>,
    /// Where the counters stand in the source: file (by number), line, counter.
    pub places: Vec<(u32, u32, usize)>,
}

/// A counter before a call.
#[derive(Clone, Debug)]
pub struct Push {
    /// Where the functions with a body begin.
    pub entries: Vec<usize>,
    /// A function without a body may be called instead.
    pub or_none: bool,
}

/// Whether a branch is that of such a statement.
fn asked_by(point: &Point, statement: Asks) -> bool {
    matches!(point.test.as_deref(), Some(Test::Condition(_, asks)) if *asks == statement)
}

/// Allocates program counters; none if the entry function has no body.
pub fn counters(skeleton: &Skeleton, entry: &str) -> Option<Counters> {
    counters_of(skeleton, entry, &|_| true)
}

/// The same, with the counters of functions in the given files (by name) before those of others, as headers
/// have them.
pub fn counters_of(
    skeleton: &Skeleton,
    entry: &str,
    given: &dyn Fn(&str) -> bool,
) -> Option<Counters> {
    let entry = skeleton.func_named(entry)?;
    skeleton.body(entry)?;
    // In the order of the source, not of the functions' first mention.
    let mut bodies: Vec<&Body> = skeleton.bodies.iter().collect();
    let is_given = |file: u32| skeleton.files.get(file as usize).is_some_and(|f| given(f));
    bodies.sort_by_key(|b| (!is_given(b.at.file), skeleton.funcs[b.func.index()].body));
    let mut first: FxHashMap<FuncId, Vec<usize>> = FxHashMap::default();
    let mut count = 0;
    for body in &bodies {
        let mut counters = Vec::with_capacity(body.points.len());
        for (i, point) in body.points.iter().enumerate() {
            count += dos(body, i as u32);
            counters.push(count);
            count += match &point.flow {
                Flow::Call(_) => 2,
                Flow::Branch(_) if asked_by(point, Asks::If) => 2,
                _ => 1,
            };
        }
        first.insert(body.func, counters);
    }
    let max = count;
    let start = |f: FuncId| -> usize {
        let Some(body) = skeleton.body(f) else { return max };
        match body.entry {
            Next::Point(p) => first[&f][p as usize] - dos(body, p),
            _ => max,
        }
    };
    // A call that has come back is at its second counter.
    let setjmps: Vec<usize> = bodies
        .iter()
        .flat_map(|b| b.setjmps.iter().map(|&p| first[&b.func][p as usize] + 1))
        .collect();
    let mut out = Counters {
        entry: start(entry),
        max,
        long_jumps: Vec::new(),
        points: skeleton.bodies.iter().map(|b| first[&b.func].clone()).collect(),
        next: (0..=max).map(|pc| vec![(pc + 1).min(max)]).collect(),
        pushes: BTreeMap::new(),
        returns: Vec::new(),
        propositions: Vec::new(),
        real: Vec::new(),
        lines: Vec::new(),
        places: Vec::new(),
    };
    let mut props = Props::default();
    let mut variables = Variables::default();
    for body in &bodies {
        let f = body.func;
        let name = &skeleton.funcs[f.index()].unique;
        props.call(&clean(plain_name(name)), None);
        out.real.push(clean(name));
        out.lines.push((None, format!("{name}()")));
        out.lines.push((None, "{".to_owned()));
        for (i, point) in body.points.iter().enumerate() {
            let pc = first[&f][i];
            // A loop is entered at its `do`, and goes round behind it.
            let to = |next: Next| match next {
                Next::Point(p) if i < p as usize => first[&f][p as usize] - dos(body, p),
                Next::Point(p) => first[&f][p as usize],
                Next::Stop | Next::Spin => max,
            };
            let mut place = |pc: usize| out.places.push((point.at.file, point.at.line, pc));
            place(pc);
            if matches!(point.flow, Flow::Call(_)) {
                place(pc + 1);
            }
            for d in (1..=dos(body, i as u32)).rev() {
                out.lines.push((Some(pc - d), "do {".to_owned()));
            }
            // Where the events hold.
            let at = match &point.flow {
                Flow::Call(_) => pc + 1,
                _ => pc,
            };
            let mut events = point.events.clone();
            match &point.flow {
                Flow::Next(next) => out.next[pc] = vec![to(*next)],
                Flow::Branch(arms) => {
                    out.next[pc] = arms.iter().map(|a| to(a.next)).collect();
                    if arms.is_empty() {
                        out.next[pc] = vec![max];
                    }
                }
                Flow::Return => {
                    out.returns.push(pc);
                    out.next[pc] = vec![max];
                }
                Flow::Call(call) => {
                    events.extend(&call.result_events);
                    let has_body = |f: &&FuncId| skeleton.body(**f).is_some();
                    let entries: Vec<usize> =
                        call.targets.iter().filter(has_body).map(|f| start(*f)).collect();
                    let or_none = call.targets.is_empty() || entries.len() < call.targets.len();
                    if !entries.is_empty() {
                        out.pushes.insert(pc, Push { entries, or_none });
                    }
                    out.next[pc] = vec![pc + 1];
                    out.next[pc + 1] = vec![to(call.next)];
                    let jumps = |t: &FuncId| is_longjmp(&skeleton.funcs[t.index()].name);
                    if !setjmps.is_empty() && call.targets.iter().any(jumps) {
                        out.long_jumps.push(pc + 1);
                        out.next[pc + 1] = setjmps.clone();
                    }
                    out.lines.push((Some(pc), "/* push call */;".to_owned()));
                    for target in &call.targets {
                        let name = &skeleton.funcs[target.index()].unique;
                        props.call(&clean(plain_name(name)), Some(at));
                    }
                    for arg in call.args.iter().flatten() {
                        if let Some(v) = variables.name(skeleton, *arg) {
                            props.add(2, v, Some(at));
                        }
                    }
                }
            }
            let text = match &*point.text {
                "}" => "return;".to_owned(),
                text if closes_do(body, i) => format!("}} {text};"),
                text if matches!(point.flow, Flow::Branch(_)) => text.to_owned(),
                text => format!("{};", chained(text, at)),
            };
            out.lines.push((Some(at), text));
            for event in events {
                let (kind, o) = match event {
                    Event::Use(o) => (0, o),
                    Event::Assign(o) | Event::Modify(o) => (1, o),
                    _ => continue,
                };
                if let Some(v) = variables.name(skeleton, o) {
                    props.add(kind, v, Some(at));
                }
            }
        }
        out.lines.push((None, "}".to_owned()));
    }
    out.propositions = props.finish();
    Some(out)
}

/// The names of variables in propositions, each for one variable only.
#[derive(Default)]
struct Variables {
    names: FxHashMap<ObjectId, String>,
    taken: FxHashSet<String>,
}

impl Variables {
    /// `v_f` for the local `v` of `f`.
    fn name(&mut self, skeleton: &Skeleton, o: ObjectId) -> Option<String> {
        if let Some(name) = self.names.get(&o) {
            return Some(name.clone());
        }
        let object = &skeleton.objects[o.index()];
        if object.reach != Reach::Var {
            return None;
        }
        let wanted = match object.owner {
            Some(f) => clean(&format!("{}_{}", object.name, skeleton.funcs[f.index()].unique)),
            None => clean(&object.name),
        };
        let mut name = wanted.clone();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        self.names.insert(o, name.clone());
        Some(name)
    }
}

/// How often the word `do` stands before a point.
fn dos(body: &Body, point: u32) -> usize {
    body.dos.iter().filter(|d| **d == point).count()
}

/// Whether a point is the condition at the end of a `do` loop.
fn closes_do(body: &Body, point: usize) -> bool {
    let Flow::Branch(arms) = &body.points[point].flow else { return false };
    let back = match arms.first().map(|a| a.next) {
        Some(Next::Point(p)) => p as usize <= point && body.dos.contains(&p),
        _ => false,
    };
    back && asked_by(&body.points[point], Asks::While)
}

/// `a = b = c` with the counter before the inner assignments, too.
fn chained(text: &str, pc: usize) -> String {
    let bytes = text.as_bytes();
    let (mut depth, mut quote, mut ends) = (0i64, None, Vec::new());
    for (i, &b) in bytes.iter().enumerate() {
        let before = i.checked_sub(1).map_or(b' ', |i| bytes[i]);
        match (quote, b) {
            (Some(q), _) => quote = (b != q || before == b'\\').then_some(q),
            (None, b'"' | b'\'') => quote = Some(b),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth -= 1,
            (None, b'=') if depth == 0 => {
                let shift = text[..i].ends_with(">>") || text[..i].ends_with("<<");
                let compares = matches!(before, b'=' | b'!' | b'<' | b'>') && !shift;
                if !compares && bytes.get(i + 1) != Some(&b'=') {
                    ends.push(i + 1);
                }
            }
            _ => {}
        }
    }
    ends.pop();
    let mut out = text.to_owned();
    for end in ends.into_iter().rev() {
        out.insert_str(end, &format!(" /* {pc} */"));
    }
    out
}

/// As an identifier.
fn clean(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[derive(Default)]
struct Props {
    /// By variable: uses, assignments, uses as a parameter.
    vars: BTreeMap<String, [Vec<usize>; 3]>,
    calls: Vec<(String, Vec<usize>)>,
}

impl Props {
    fn add(&mut self, kind: usize, var: String, pc: Option<usize>) {
        self.vars.entry(var).or_default()[kind].extend(pc);
    }
    fn call(&mut self, name: &str, pc: Option<usize>) {
        match self.calls.iter_mut().find(|(n, _)| n == name) {
            Some((_, pcs)) => pcs.extend(pc),
            None => self.calls.push((name.to_owned(), pc.into_iter().collect())),
        }
    }
    fn finish(self) -> Vec<(String, Vec<usize>)> {
        let mut out = Vec::new();
        for (kind, word) in ["useof", "useastopparam", "assignto"].iter().enumerate() {
            // The appendix lists uses, uses as parameters, assignments.
            let kind = [0, 2, 1][kind];
            for (var, pcs) in &self.vars {
                let mut pcs = pcs[kind].clone();
                pcs.sort_unstable();
                pcs.dedup();
                out.push((format!("{word}_{var}"), pcs));
            }
        }
        for (name, pcs) in self.calls {
            out.push((format!("callto_{name}"), pcs));
        }
        out
    }
}

/// The annotated source.
pub fn cout(counters: &Counters) -> String {
    let mut out = String::new();
    for (pc, text) in &counters.lines {
        match pc {
            Some(pc) => out += &format!("/* {pc} */ {text}\n"),
            None => out += &format!("{text}\n"),
        }
    }
    out
}

/// The original text of a file with the counters beside it, those of a line in front of it. The first counter
/// of a call is the one at which the return address is pushed.
pub fn beside(counters: &Counters, file: u32, text: &str) -> String {
    let here = counters.places.iter().filter(|place| place.0 == file);
    with_numbers(here.map(|&(_, line, pc)| (line, pc)), text)
}

/// A text with numbers of its lines in front of them.
pub fn with_numbers(numbers: impl IntoIterator<Item = (u32, usize)>, text: &str) -> String {
    let mut by_line: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (line, number) in numbers {
        by_line.entry(line).or_default().push(number);
    }
    let margin = |pcs: &mut Vec<usize>| {
        pcs.sort_unstable();
        pcs.dedup();
        let pcs: Vec<String> = pcs.iter().map(usize::to_string).collect();
        format!("/* {} */", pcs.join(" "))
    };
    let margins: BTreeMap<u32, String> =
        by_line.into_iter().map(|(line, mut pcs)| (line, margin(&mut pcs))).collect();
    // A line of many statements does not push the others to the right.
    let width = margins.values().map(String::len).filter(|&w| w <= 24).max().unwrap_or(0);
    let mut out = String::new();
    for (line, text) in (1..).zip(text.lines()) {
        let margin = margins.get(&line).map_or("", String::as_str);
        out += format!("{margin:width$} {text}").trim_end();
        out.push('\n');
    }
    out
}

/// What differs between the two languages.
struct Dialect {
    smv: bool,
    bits: Option<u32>,
}

impl Dialect {
    /// A program counter as a constant.
    fn pc(&self, pc: usize) -> String {
        match (self.smv, self.bits) {
            (true, Some(bits)) => format!("0ud{bits}_{pc}"),
            _ => pc.to_string(),
        }
    }
    /// A variable that holds one.
    fn var(&self, name: &str) -> String {
        match (self.smv, self.bits) {
            (false, Some(bits)) => format!("{name}(0..{})", bits - 1),
            _ => name.to_owned(),
        }
    }
    fn declare(&self, name: &str, max: usize) -> String {
        match (self.smv, self.bits) {
            (true, None) => format!("VAR {name} : 0..{max};\n"),
            (true, Some(bits)) => format!("VAR {name} : unsigned word[{bits}];\n"),
            (false, None) => format!("var {name}: 0..{max};\n"),
            (false, Some(bits)) => format!("var {name}(0..{}): boolean;\n", bits - 1),
        }
    }
    /// A small number.
    fn range(&self, name: &str, max: usize) -> String {
        match self.smv {
            true => format!("VAR {name} : 0..{max};\n"),
            false => format!("var {name}: 0..{max};\n"),
        }
    }
    fn define(&self, name: &str, value: &str) -> String {
        format!("{} {name} := {value};\n", self.word("define"))
    }
    fn word(&self, word: &str) -> String {
        if self.smv { word.to_uppercase() } else { word.to_owned() }
    }
    fn assign(&self) -> String {
        self.word("assign")
    }
    fn otherwise(&self) -> &'static str {
        if self.smv { "TRUE" } else { "else" }
    }
    fn choose(&self, condition: &str, yes: &str, no: &str) -> String {
        match self.smv {
            true => format!("({condition} ? {yes} : {no})"),
            false => format!("if {condition} then {yes} else {no} endif"),
        }
    }
    /// One of several counters, by `pcaux`.
    fn one_of(&self, targets: &[usize]) -> String {
        let Some((last, rest)) = targets.split_last() else { return String::new() };
        let mut out = self.pc(*last);
        for (i, target) in rest.iter().enumerate().rev() {
            out = self.choose(&format!("pcaux={i}"), &self.pc(*target), &out);
        }
        out
    }
    fn at(&self, pc: usize) -> String {
        format!("{}={}", self.var("pc"), self.pc(pc))
    }
    fn any(&self, pcs: impl IntoIterator<Item = String>) -> String {
        let start = if self.smv { "(FALSE" } else { "(0" };
        let mut out = start.to_owned();
        for pc in pcs {
            let _ = write!(out, "|({pc})");
        }
        out.push(')');
        out
    }
}

/// The model in EDL.
pub fn edl(counters: &Counters, depth: u32, encoding: Encoding) -> String {
    model(counters, depth, encoding, false)
}

/// The model in SMV, as NuSMV 2.6 reads it.
pub fn smv(counters: &Counters, depth: u32, encoding: Encoding) -> String {
    model(counters, depth, encoding, true)
}

fn model(c: &Counters, depth: u32, encoding: Encoding, smv: bool) -> String {
    let bits = (encoding == Encoding::Bits).then(|| usize::BITS - c.max.leading_zeros());
    let d = Dialect { smv, bits: bits.map(|b| b.max(1)) };
    let cells = depth + 1;
    let full = depth + 1;
    let else_ = d.otherwise();
    let mut out = String::new();
    if smv {
        out += "MODULE main\n";
    }
    // The program counter.
    out += &d.declare("pc", c.max);
    let mut arms: BTreeMap<usize, String> = BTreeMap::new();
    for (pc, targets) in c.next.iter().enumerate() {
        let plain = targets[..] == [(pc + 1).min(c.max)] && pc != c.max;
        if !plain && c.returns.binary_search(&pc).is_err() {
            arms.insert(pc, d.one_of(targets));
        }
    }
    let listed = |arms: &BTreeMap<usize, String>| {
        let mut out = String::new();
        for (pc, arm) in arms {
            let _ = writeln!(out, "{}:{arm};", d.at(*pc));
        }
        let next = d.choose("pcplusone > maxpc", "maxpc", "pcplusone");
        let _ = writeln!(out, "{else_}: {next};\nesac;");
        out
    };
    let no_call = listed(&arms);
    for (pc, push) in &c.pushes {
        let mut targets = push.entries.clone();
        if push.or_none {
            targets.push(pc + 1);
        }
        arms.insert(*pc, d.one_of(&targets));
    }
    let _ = writeln!(out, "{} init({}) := {};", d.assign(), d.var("pc"), d.pc(c.entry));
    let _ = writeln!(out, "{} next({}) := case", d.assign(), d.var("pc"));
    let _ = write!(out, "somereturn: returntowhere;\n{}", listed(&arms));
    out += &d.define("maxpc", &d.pc(c.max));
    out += &d.define("pcplusone", &format!("{}+{}", d.var("pc"), d.pc(1)));
    let choices = c.next.iter().map(Vec::len).chain(c.pushes.values().map(|p| p.entries.len() + 1));
    out += &d.range("pcaux", choices.max().unwrap_or(1));
    let _ = write!(out, "{} nextpcnocall := case\n{no_call}", d.word("define"));
    // The stack.
    out += &d.range("stackp", full as usize);
    for i in 0..cells {
        out += &d.declare(&format!("stack_{i}"), c.max);
    }
    let _ = writeln!(out, "{} init(stackp) := 0;", d.assign());
    let minus = d.choose("stackp = 0", "0", "stackp - 1");
    let plus = d.choose(&format!("stackp = {full}"), &full.to_string(), "stackp + 1");
    let mut unwound = String::new();
    if !c.long_jumps.is_empty() {
        out += &d.range("auxstackp", full as usize);
        let fewer = d.choose("auxstackp < stackp", "auxstackp", "stackp");
        unwound = format!("somelongjump: {fewer};\n");
        out += &d.define("somelongjump", &d.any(c.long_jumps.iter().map(|&pc| d.at(pc))));
    }
    let _ = writeln!(
        out,
        "{} next(stackp) := case\nsomerealpushcall: {plus};\nsomereturn: {minus};\n{unwound}{else_}: stackp;\nesac;",
        d.assign()
    );
    let _ = writeln!(out, "{} stackp != {full};", d.word("invar"));
    out += &d.declare("auxnondet", c.max);
    for i in 0..cells {
        let cell = d.var(&format!("stack_{i}"));
        let aux = d.var("auxnondet");
        let _ = writeln!(
            out,
            "{} next({cell}) := case\nsomereturn & (stackp = {}): {aux};\n({i} != stackp) | !somerealpushcall: {cell};\n{else_}: nextpcnocall;\nesac;",
            d.assign(),
            i + 1
        );
    }
    out += &d.define("stackpminus1", &minus);
    out += &d.define("stackpplus1", &plus);
    let _ = writeln!(out, "{} returntowhere := case", d.word("define"));
    let _ = writeln!(out, "stackp=0: maxpc;");
    for i in 0..cells {
        let _ = writeln!(out, "stackpminus1={i}: {};", d.var(&format!("stack_{i}")));
    }
    let _ = writeln!(out, "{else_}: {};\nesac;", d.pc(c.max));
    // The propositions.
    let proposition =
        |(name, pcs): &(String, Vec<usize>)| d.define(name, &d.any(pcs.iter().map(|&pc| d.at(pc))));
    let (calls, others): (Vec<_>, Vec<_>) =
        c.propositions.iter().partition(|(n, _)| n.starts_with("callto_"));
    out.extend(others.iter().copied().map(proposition));
    let assigns = others.iter().filter(|(n, _)| n.starts_with("assignto_"));
    out += &d.define("someassign", &d.any(assigns.map(|(n, _)| n.clone())));
    out.extend(calls.iter().copied().map(proposition));
    let real = c.real.iter().map(|n| format!("callto_{n}"));
    let real = real.filter(|n| c.propositions.iter().any(|(p, _)| p == n));
    out += &d.define("somerealcall", &d.any(real));
    out += &d.define("somereturn", &d.any(c.returns.iter().map(|&pc| d.at(pc))));
    let pushes = c.pushes.iter().map(|(&pc, push)| match push.or_none {
        // The last way calls nothing.
        true => format!("{} & pcaux<{}", d.at(pc), push.entries.len()),
        false => d.at(pc),
    });
    out += &d.define("somerealpushcall", &d.any(pushes));
    out
}
