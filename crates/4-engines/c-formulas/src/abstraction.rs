//! A boolean program over predicates of a C program's data ([c2bp §4]).
//!
//! Predicates belong to a function, or are global. What happens between calls and joins is one step:
//!
//! - CB1: a step is possible unless a conjunction of predicates that holds before it excludes it.
//! - CB2: a predicate that a step may change becomes true where a conjunction of predicates before it implies that, false
//!   where one implies that, and anything elsewhere. If few predicates are concerned, the step's relation is exact.
//! - CB3: predicates of a function over its parameters and static variables alone are its parameters; the caller says
//!   what they are as in CB2. Its other predicates are anything at first.
//! - CB4: after a call, predicates of the caller over what was written to are anything.
//! - CB5: where predicates are up to date, those that exclude each other do not hold together.
//! - CB6: a call of what fails is a failed assertion; labels stay where they are.
//!
//! So whatever a run of the C program reaches, a run of the boolean program does. Of memory nothing is known but scalars
//! whose addresses go nowhere; what is read of the rest is anything.

mod steps;

use crate::execute::{Executor, Path, Refusal};
use crate::flow::{self, Effects};
use crate::predicate::{self, Value};
use crate::terms::{Cmp, Node, Term, Terms};
use c_data::{Call, Callee, End, FuncId, Home, LocalId, Program, StmtKind};
use check::{Budget, StopReason};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A predicate: where it stands, and its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// The function, if it is not global.
    pub function: Option<String>,
    /// A C expression.
    pub text: String,
    /// The line in its file.
    pub line: u32,
}

/// Why there is no boolean program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NoAbstraction {
    /// A predicate makes no sense: its line, and why.
    Predicate(u32, String),
    /// Something in the program cannot be abstracted.
    Refused(String),
    /// A limit was reached.
    Stopped(StopReason),
}

impl From<StopReason> for NoAbstraction {
    fn from(reason: StopReason) -> Self {
        NoAbstraction::Stopped(reason)
    }
}

/// The most predicates that one conjunction is looked for in, and literals of it by their number.
const MAX_NEAR: usize = 10;
/// Predicates before and after a step whose relation is exact.
const MAX_EXACT: usize = 6;

type Step<T> = Result<T, NoAbstraction>;
/// Predicates that hold, or do not.
type Cube = Vec<(usize, bool)>;

struct Abstraction<'p, 'a> {
    x: Executor<'p>,
    all: &'a [Predicate],
    effects: Vec<Effects>,
    taken: Vec<FuncId>,
    fails: &'a dyn Fn(&str) -> bool,
    budget: &'a Budget,
    out: String,
    fresh_labels: u32,
}

/// What a step starts with: arbitrary values, and the predicates of them.
struct Before {
    path: Path,
    truths: Vec<Term>,
}

/// The program as a boolean program over predicates. `fails` says which functions without a body fail an assertion.
pub fn abstraction(
    program: &Program,
    predicates: &[Predicate],
    fails: &dyn Fn(&str) -> bool,
    budget: &Budget,
) -> Result<String, NoAbstraction> {
    let script = crate::clauses::script(program).map_err(NoAbstraction::Refused)?;
    let mut x = Executor::new(program, true);
    let taken = flow::taken(program);
    let (script, mut roots) = flow::begun(&mut x, script, &taken);
    let own = (0..program.functions.len()).map(FuncId::new);
    roots.extend(own.filter(|f| {
        let f = &program.functions[f.index()];
        f.own && f.has_body()
    }));
    let reached = flow::reached_but(program, &roots, &taken, x.exit);
    let effects = flow::effects(&x, &taken, &reached);
    let mut a = Abstraction {
        x,
        all: predicates,
        effects,
        taken,
        fails,
        budget,
        out: String::new(),
        fresh_labels: 0,
    };
    a.check_predicates()?;
    a.header();
    let main = program.function("main");
    for &f in &reached {
        budget.poll()?;
        let around = if Some(f) == main { Some(&script[..]) } else { None };
        a.function(f, around)?;
    }
    Ok(a.out)
}

/// Names that mean something else in boolean programs.
const RESERVED: [&str; 34] = [
    "decl",
    "void",
    "bool",
    "begin",
    "end",
    "skip",
    "goto",
    "return",
    "print",
    "assert",
    "assume",
    "constrain",
    "dead",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "enforce",
    "abortif",
    "schoose",
    "choose",
    "dfs",
    "T",
    "F",
    "true",
    "false",
    "sync",
    "start_thread",
    "end_thread",
    "atomic_begin",
];

impl Abstraction<'_, '_> {
    fn function_named(&self, name: &str) -> Option<FuncId> {
        self.x.program.function(name).filter(|f| self.x.function(*f).has_body())
    }

    fn check_predicates(&mut self) -> Step<()> {
        let wrong = |p: &Predicate, what: String| NoAbstraction::Predicate(p.line, what);
        for (i, p) in self.all.iter().enumerate() {
            if p.text.contains(['{', '}']) {
                return Err(wrong(p, "a predicate has no braces".to_owned()));
            }
            if let Some(before) = self.all[..i].iter().find(|q| {
                q.text == p.text
                    && (q.function == p.function || q.function.is_none() || p.function.is_none())
            }) {
                let what = format!("`{}` stands on line {} already", p.text, before.line);
                return Err(wrong(p, what));
            }
            let function = match &p.function {
                None => None,
                Some(name) => Some(self.function_named(name).ok_or_else(|| {
                    wrong(p, format!("there is no function `{name}` with a body"))
                })?),
            };
            let main = self.x.program.function("main").unwrap_or(FuncId::new(0));
            let path = self.anything(function.unwrap_or(main));
            self.instance(i, &path, function.is_some()).map_err(|what| wrong(p, what))?;
        }
        Ok(())
    }

    fn anything(&mut self, f: FuncId) -> Path {
        let (own, globals) = (self.x.own[f.index()].slots.clone(), self.x.globals.clone());
        let (own, global) = (self.x.arbitrary(&own), self.x.arbitrary(&globals));
        Path { function: f, own, global, conditions: Vec::new() }
    }

    /// A predicate where a run is.
    fn instance(&mut self, p: usize, path: &Path, own: bool) -> Result<Term, String> {
        let text = self.all[p].text.clone();
        let mut terms = std::mem::take(&mut self.x.terms);
        let found = predicate::truth(&mut terms, &text, &mut |terms, name| {
            self.variable(terms, path, name, own)
        });
        self.x.terms = terms;
        found
    }

    /// What a name is: a local, or else a static variable.
    fn variable(
        &self,
        terms: &mut Terms,
        path: &Path,
        name: &str,
        own: bool,
    ) -> Result<Value, String> {
        let (program, f) = (self.x.program, self.x.function(path.function));
        let mut class = None;
        if own {
            let named = |(_, l): &(usize, &c_data::Local)| l.name == name;
            let found: Vec<usize> =
                f.locals.iter().enumerate().filter(named).map(|l| l.0).collect();
            if found.len() > 1 {
                return Err(format!("`{}` has more than one `{name}`", f.name));
            }
            if let [l] = found[..] {
                let id = LocalId::new(l);
                let slots = &self.x.own[path.function.index()];
                let slot = match f.locals[l].home {
                    Home::Register => slots.local(id),
                    Home::Memory if slots.local(id).is_none() => slots.cell(id, 0),
                    _ => None,
                };
                class = Some((slot.map(|s| path.own[s]), f.locals[l].ty));
            }
        }
        if class.is_none() {
            let objects = program.objects.iter().enumerate();
            let mut found: Vec<usize> =
                objects.filter(|(_, o)| o.name == name && o.own).map(|o| o.0).collect();
            if found.len() > 1 {
                found.retain(|&o| program.objects[o].at.file == f.at.file);
            }
            if let [o] = found[..] {
                let slot = self.x.global_cell(c_data::ObjectId::new(o), 0);
                class = Some((slot.map(|s| path.global[s]), program.objects[o].ty));
            }
        }
        let Some((term, ty)) = class else { return Err(format!("there is no variable `{name}`")) };
        let class = self.x.class(ty);
        if class.float || class.aggregate {
            return Err(format!("`{name}` is no integer and no pointer"));
        }
        match term {
            Some(term) => Ok(Value::of(terms.resized(term, class.bits, false), class)),
            None => Err(format!(
                "`{name}` is never read or written, or its address is taken, so that pointers may change it"
            )),
        }
    }

    /// The predicates in the scope of a function: global ones, and its own.
    fn scope(&self, f: FuncId) -> Vec<usize> {
        let mine = |p: &Predicate| match &p.function {
            None => true,
            Some(name) => self.function_named(name) == Some(f),
        };
        (0..self.all.len()).filter(|&p| mine(&self.all[p])).collect()
    }
    fn is_own(&self, p: usize) -> bool {
        self.all[p].function.is_some()
    }
    fn name(&self, p: usize) -> String {
        format!("{{{}}}", self.all[p].text)
    }

    /// Variables below a term.
    fn vars(&self, t: Term) -> BTreeSet<u32> {
        let cone = self.x.terms.cone([t]);
        let var = |t: &Term| match self.x.terms.node(*t) {
            Node::Var { var, .. } => Some(var),
            _ => None,
        };
        cone.iter().filter_map(var).collect()
    }

    /// Own predicates of a function that its callers know: those over parameters and static variables.
    fn formal(&mut self, f: FuncId) -> Step<Vec<usize>> {
        let path = self.anything(f);
        let mut known: BTreeSet<u32> = BTreeSet::new();
        for t in &path.global {
            known.extend(self.vars(*t));
        }
        let function = self.x.function(f);
        for &l in &function.params {
            let slots = &self.x.own[f.index()];
            let slot = slots.local(l).or_else(|| slots.cell(l, 0));
            known.extend(slot.map(|s| path.own[s]).into_iter().flat_map(|t| self.vars(t)));
        }
        let mut out = Vec::new();
        let mut own = self.scope(f);
        own.retain(|&p| self.is_own(p));
        for p in own {
            let t = self.instance(p, &path, true).map_err(NoAbstraction::Refused)?;
            if self.vars(t).is_subset(&known) {
                out.push(p);
            }
        }
        Ok(out)
    }

    fn label(&self, f: FuncId, b: usize) -> String {
        let taken = |name: &str| self.x.function(f).labels.iter().any(|(l, _)| l == name);
        let mut name = format!("block{b}");
        while taken(&name) {
            name.push('_');
        }
        name
    }

    fn procedure(&self, f: FuncId) -> String {
        let name = &self.x.function(f).name;
        let twice =
            self.x.program.functions.iter().filter(|g| g.name == *name && g.has_body()).count();
        match twice > 1 || RESERVED.contains(&name.as_str()) {
            true => format!("{name}_{}", f.index()),
            false => name.clone(),
        }
    }

    fn header(&mut self) {
        let _ = writeln!(
            self.out,
            "// A C program over {} predicates: whatever a run of it reaches, a run of this program does.",
            self.all.len()
        );
        self.out += "// Scalars whose addresses go nowhere are followed; what is read of other memory, and what functions\n\
                     // without a body return, is anything. Such functions call nothing of the program.\n";
        for (p, predicate) in self.all.iter().enumerate() {
            if predicate.function.is_none() {
                let name = self.name(p);
                let _ = writeln!(self.out, "decl {name};");
            }
        }
    }

    fn function(&mut self, f: FuncId, script: Option<&[FuncId]>) -> Step<()> {
        let function = self.x.function(f);
        let scope = self.scope(f);
        let formal = self.formal(f)?;
        let params: Vec<String> = formal.iter().map(|&p| self.name(p)).collect();
        let _ = writeln!(self.out, "\nvoid {}({}) begin", self.procedure(f), params.join(", "));
        for &p in &scope {
            if self.is_own(p) && !formal.contains(&p) {
                let name = self.name(p);
                let _ = writeln!(self.out, "  decl {name};");
            }
        }
        let consistent = self.consistent(f, &scope)?;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        if let Some(script) = script {
            self.start(f, &scope)?;
            let at = script.iter().position(|g| *g == f).unwrap_or(0);
            before.extend(&script[..at]);
            after.extend(&script[at + 1..]);
        }
        for g in before {
            let path = self.begin(f, &scope)?;
            self.call_body(&path, &scope, g, &[], None)?;
        }
        for b in flow::blocks(function) {
            self.budget.poll()?;
            let place = self.x.program.place(function.blocks[b].end_at);
            let _ = writeln!(self.out, "{}: // {place}", self.label(f, b));
            for (label, _) in function.labels.iter().filter(|(_, block)| block.index() == b) {
                let _ = writeln!(self.out, "{label}:");
            }
            self.out += "  skip;\n";
            self.assume(&consistent);
            self.block(f, b, &scope, &consistent, &after)?;
        }
        // What nothing leads to has its label, too.
        let blocks = flow::blocks(function);
        for (label, _) in function.labels.iter().filter(|(_, b)| !blocks.contains(&b.index())) {
            let _ = writeln!(self.out, "{label}: skip;\n  assume(F);");
        }
        self.out += "end\n";
        Ok(())
    }

    fn wrong(&self, at: c_data::At, what: Refusal) -> NoAbstraction {
        NoAbstraction::Refused(format!("{}: {what}", self.x.program.place(at)))
    }

    fn begin(&mut self, f: FuncId, scope: &[usize]) -> Step<Before> {
        let path = self.anything(f);
        let truths = self.instances(scope, &path)?;
        Ok(Before { path, truths })
    }

    fn instances(&mut self, scope: &[usize], path: &Path) -> Step<Vec<Term>> {
        let mut out = Vec::new();
        for &p in scope {
            let own = self.is_own(p);
            out.push(self.instance(p, path, own).map_err(NoAbstraction::Refused)?);
        }
        Ok(out)
    }

    /// What static variables are when the program starts.
    fn start(&mut self, f: FuncId, scope: &[usize]) -> Step<()> {
        let called = self.x.program.functions.iter().flat_map(|g| &g.blocks).flat_map(|b| &b.stmts);
        let again = called.into_iter().any(|s| match &s.kind {
            StmtKind::Call(call) => matches!(call.callee, Callee::Direct(g) if g == f),
            _ => false,
        });
        if again || self.taken.contains(&f) {
            return Ok(());
        }
        let global = self.x.start(&[]).map_err(NoAbstraction::Refused)?;
        let mut before = self.begin(f, scope)?;
        before.path.global = global;
        self.flush(scope, before)
    }

    fn block(
        &mut self,
        f: FuncId,
        b: usize,
        scope: &[usize],
        consistent: &str,
        after: &[FuncId],
    ) -> Step<()> {
        let block = &self.x.function(f).blocks[b];
        let mut now = self.begin(f, scope)?;
        for stmt in &block.stmts {
            let StmtKind::Call(call) = &stmt.kind else {
                let done = self.x.statement(&mut now.path, &stmt.kind);
                done.map_err(|what| self.wrong(stmt.at, what))?;
                continue;
            };
            let direct = match call.callee {
                Callee::Direct(g) => Some(g),
                Callee::Indirect(_) => None,
            };
            if direct.is_some_and(|g| self.x.ends(g)) {
                self.flush(scope, now)?;
                self.out += "  assume(F);\n";
                return Ok(());
            }
            if let Some(g) = direct.filter(|g| !self.x.function(*g).has_body()) {
                let name = &self.x.function(g).name;
                if (self.fails)(name) {
                    self.flush(scope, now)?;
                    self.out += "  assert(F);\n";
                    return Ok(());
                }
                let on = self.native(&mut now.path, g, call);
                if !on.map_err(|what| self.wrong(stmt.at, what))? {
                    self.flush(scope, now)?;
                    self.out += "  assume(F);\n";
                    return Ok(());
                }
                continue;
            }
            let args = self.args(&mut now.path, call).map_err(|what| self.wrong(stmt.at, what))?;
            now = self.calls(now, scope, (f, direct), &args, call.result)?;
            self.assume(consistent);
        }
        self.end(f, &block.end, now, scope, after).map_err(|e| match e {
            NoAbstraction::Refused(what) => self.wrong(block.end_at, what),
            other => other,
        })
    }

    fn args(&mut self, path: &mut Path, call: &Call) -> Result<Vec<(Term, bool)>, Refusal> {
        let caller = self.x.function(path.function);
        let mut out = Vec::new();
        for &e in &call.args {
            let signed = self.x.class(caller.expr(e).ty).signed;
            out.push((self.x.eval(path, e)?, signed));
        }
        Ok(out)
    }

    /// A call of a function without a body. Whether a run goes on.
    fn native(&mut self, path: &mut Path, g: FuncId, call: &Call) -> Result<bool, Refusal> {
        let (caller, types) = (self.x.function(path.function), &self.x.program.types);
        let name = &self.x.function(g).name;
        let to_function = |ty: c_types::Ty| {
            types.pointee(ty).is_some_and(|to| matches!(types.kind(to), c_types::Kind::Function(_)))
        };
        if call.args.iter().any(|&e| to_function(caller.expr(e).ty)) {
            return Err(format!("`{name}` has no body here, and may call what it is given"));
        }
        if name.contains("longjmp") {
            return Err(format!("`{name}` is called"));
        }
        let args = self.args(path, call)?;
        let went = self.x.native(path, g, &args, call.result)?;
        Ok(went.on)
    }

    /// A call of one of some functions; what holds then.
    fn calls(
        &mut self,
        now: Before,
        scope: &[usize],
        (f, direct): (FuncId, Option<FuncId>),
        args: &[(Term, bool)],
        result: Option<LocalId>,
    ) -> Step<Before> {
        let targets = match direct {
            Some(g) => vec![g],
            None => self.taken.clone(),
        };
        let many = targets.len() != 1;
        let (first, last) = (self.fresh_labels, self.fresh_labels + targets.len() as u32);
        self.fresh_labels = last + 1;
        if many {
            let names: Vec<String> = (first..last).map(|i| format!("call{i}_")).collect();
            let _ = match names.is_empty() {
                true => writeln!(self.out, "  assume(F);"),
                false => writeln!(self.out, "  goto {};", names.join(", ")),
            };
        }
        for (i, g) in targets.into_iter().enumerate() {
            if many {
                let _ = writeln!(self.out, "call{}_:", first + i as u32);
            }
            let here = Before { path: now.path.clone(), truths: now.truths.clone() };
            match self.x.function(g).has_body() {
                true if self.x.ends(g) => self.out += "  assume(F);\n",
                true => {
                    if (self.fails)(&self.x.function(g).name) {
                        // It fails, and then does what its body says.
                        self.out += "  assert(*);\n";
                    }
                    self.call_body(&here, scope, g, args, result)?;
                }
                false => {
                    let mut path = here.path.clone();
                    if (self.fails)(&self.x.function(g).name) {
                        self.out += "  assert(F);\n";
                    }
                    let went = self.x.native(&mut path, g, args, result);
                    went.map_err(NoAbstraction::Refused)?;
                    self.flush(scope, Before { path, truths: here.truths })?;
                }
            }
            if many {
                let _ = writeln!(self.out, "  goto call{last}_;");
            }
        }
        if many {
            let _ = writeln!(self.out, "call{last}_: skip;");
        }
        self.begin(f, scope)
    }

    /// CB3, CB4: a call of a function with a body.
    fn call_body(
        &mut self,
        now: &Before,
        scope: &[usize],
        g: FuncId,
        args: &[(Term, bool)],
        result: Option<LocalId>,
    ) -> Step<()> {
        let formal = self.formal(g)?;
        // Where the callee starts: its parameters are the arguments.
        let mut entry = self.anything(g);
        entry.global.clone_from(&now.path.global);
        for (i, &l) in self.x.function(g).params.iter().enumerate() {
            let slots = &self.x.own[g.index()];
            let Some(slot) = slots.local(l).or_else(|| slots.cell(l, 0)) else { continue };
            if let Some(&(value, signed)) = args.get(i) {
                entry.own[slot] = self.x.terms.resized(value, slots.slots[slot].bits, signed);
            }
        }
        let path = Before { path: now.path.clone(), truths: now.truths.clone() };
        let passed = self.hand_over(scope, path, &entry, &formal)?;
        let _ = writeln!(self.out, "  {}({});", self.procedure(g), passed.join(", "));
        self.havoc(scope, now.path.function, g, result)
    }

    /// Writes a step down, and says what is passed by predicates after it.
    fn hand_over(
        &mut self,
        scope: &[usize],
        now: Before,
        entry: &Path,
        formal: &[usize],
    ) -> Step<Vec<String>> {
        let (f, path) = (now.path.function, now.path.clone());
        self.flush(scope, now)?;
        // The arguments as functions of the values after the step: those are what predicates after it are about.
        let mut after = self.begin(f, scope)?;
        after.truths = self.instances(scope, &path)?;
        after.path = path;
        let mut out = Vec::new();
        for &p in formal {
            let wanted = self.instance(p, entry, true).map_err(NoAbstraction::Refused)?;
            out.push(self.becomes(scope, &after, wanted)?);
        }
        Ok(out)
    }

    /// CB4.
    fn havoc(
        &mut self,
        scope: &[usize],
        f: FuncId,
        g: FuncId,
        result: Option<LocalId>,
    ) -> Step<()> {
        let before = self.anything(f);
        let mut after = before.clone();
        for slot in 0..self.x.globals.len() {
            if self.effects[g.index()].writes[slot] {
                let s = self.x.globals[slot].clone();
                after.global[slot] = self.x.terms.fresh(&s.name, s.bits);
            }
        }
        if let Some(slot) = result.and_then(|l| self.x.own[f.index()].local(l)) {
            let s = self.x.own[f.index()].slots[slot].clone();
            after.own[slot] = self.x.terms.fresh(&s.name, s.bits);
        }
        let own: Vec<usize> = scope.iter().copied().filter(|&p| self.is_own(p)).collect();
        let (a, b) = (self.instances(&own, &before)?, self.instances(&own, &after)?);
        let changed: Vec<String> = own
            .iter()
            .zip(a.iter().zip(&b))
            .filter(|(_, (a, b))| a != b)
            .map(|(&p, _)| self.name(p))
            .collect();
        if !changed.is_empty() {
            let any = vec!["*"; changed.len()].join(", ");
            let _ = writeln!(self.out, "  {} := {any};", changed.join(", "));
        }
        Ok(())
    }

    fn end(
        &mut self,
        f: FuncId,
        end: &End,
        mut now: Before,
        scope: &[usize],
        after: &[FuncId],
    ) -> Step<()> {
        let mut ways: Vec<(Before, usize)> = Vec::new();
        let refused = NoAbstraction::Refused;
        let with = |now: &Before, condition: Term| {
            let mut path = now.path.clone();
            path.conditions.push(condition);
            Before { path, truths: now.truths.clone() }
        };
        match end {
            End::Jump(b) => ways.push((now, b.index())),
            End::Branch(e, yes, no) => {
                let value = self.x.eval(&mut now.path, *e).map_err(refused)?;
                let holds = self.x.terms.is_true(value);
                let not = self.x.terms.not(holds);
                ways.push((with(&now, holds), yes.index()));
                ways.push((with(&now, not), no.index()));
            }
            End::Switch(e, cases, other) => {
                let signed = self.x.class(self.x.function(f).expr(*e).ty).signed;
                let value = self.x.eval(&mut now.path, *e).map_err(refused)?;
                let bits = self.x.terms.bits(value);
                let cmp = if signed { Cmp::LeS } else { Cmp::LeU };
                for (low, high, b) in cases {
                    let t = &mut self.x.terms;
                    let (low, high) = (t.number(bits, *low as u128), t.number(bits, *high as u128));
                    let (x, y) = (t.compare(cmp, low, value), t.compare(cmp, value, high));
                    let inside = t.and(x, y);
                    let outside = t.not(inside);
                    ways.push((with(&now, inside), b.index()));
                    now.path.conditions.push(outside);
                }
                ways.push((now, other.index()));
            }
            End::JumpTo(_) => {
                return Err(refused("control goes to the address of a label".to_owned()));
            }
            End::Unreachable => {
                self.flush(scope, now)?;
                self.out += "  assume(F);\n";
                return Ok(());
            }
            End::Return(_) | End::FellOff => {
                if let End::Return(Some(e)) = end {
                    self.x.eval(&mut now.path, *e).map_err(refused)?;
                }
                self.flush(scope, now)?;
                for &g in after {
                    let here = self.begin(f, scope)?;
                    self.call_body(&here, scope, g, &[], None)?;
                }
                self.out += "  return;\n";
                return Ok(());
            }
        }
        let many = ways.len() > 1;
        let first = self.fresh_labels;
        self.fresh_labels += ways.len() as u32;
        if many {
            let names: Vec<String> =
                (0..ways.len()).map(|i| format!("way{}_", first + i as u32)).collect();
            let _ = writeln!(self.out, "  goto {};", names.join(", "));
        }
        for (i, (way, b)) in ways.into_iter().enumerate() {
            if many {
                let _ = writeln!(self.out, "way{}_: skip;", first + i as u32);
            }
            self.flush(scope, way)?;
            let _ = writeln!(self.out, "  goto {};", self.label(f, b));
        }
        Ok(())
    }

    fn assume(&mut self, condition: &str) {
        if !condition.is_empty() {
            let _ = writeln!(self.out, "  assume({condition});");
        }
    }
}
