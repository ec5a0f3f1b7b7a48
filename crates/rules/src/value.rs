//! The product of a C program with a rule about one value: a boolean program.
//!
//! The value is chosen when it comes into being, once in a run; from then on a bit for each path that
//! can hold it says whether it does, in the frame of the path's variable. What can be said of the
//! whole program is a question about that boolean program, for any depth of calls.
//!
//! Hidden globals: `on` (a value has been chosen), `s` (the state of the rule's automaton), `escaped`,
//! and `birth`, the number of the place where the value comes into being, which is any at the start and
//! never changes. Hidden locals: the bits of the function's paths; `outer`, whether an earlier frame
//! holds the value; `top`, whether nobody of the program has called.
//!
//! - W1. A path gets the value by coming to hold it (V1–V3 of `relevance`), or, while `on` is false,
//!   by being chosen where a value comes into being: as the result of a function that is not entered, by
//!   a read from what is not followed, as a parameter of a function that nobody calls, as what a
//!   function stores through an argument, as the address of a variable.
//! - W2. A path loses the value when something else is assigned to it, or to what it is reached through.
//!   What is written behind one pointer is forgotten behind others, if it has the same field.
//! - W3. The letter of a point is read before what the point writes; `result`, `out`, `new`, `lost` and
//!   `escape` are about what is so after it.
//! - W4. A path that holds the value is never taken where a comparison would be true that the rule's
//!   `assume` excludes.
//! - W5. The value escapes when it is stored where no path is, given to a function that is not known to
//!   only borrow it, or taken apart by arithmetic. It is lost when it has not escaped and nothing holds
//!   it any more.
//!
//! A `longjmp` leaves frames until one has a `setjmp`, any of them; nothing is lost on its way.
//!
//! Points at which nothing of this happens are left out (P1): words are sequences of the letters in
//! which there is an event of the rule. A rule for which that makes a difference keeps all points.

use crate::dfa::{Dfa, stutters};
use crate::event::Event;
use crate::paths::{ADDRESS, DEREF, L, MAX_LENGTH, PathId, Paths, Root};
use crate::relevance::{Functions, Relevance, relevance, stripped};
use crate::rule::{Comparison, Rule};
use front_c::{
    Body, Call, Callee, Conditions, Effects, Flow, FuncId, Library, Next, ObjectId, Point,
    Relation, Skeleton, When, library,
};
use ir::{
    Assign, BinaryOp, Edge, EdgeId, EdgeKind, Expr, ExprId, Exprs, IndexVec, Init, NodeId, ProcId,
    Program, ProgramBuilder, Rel, Time, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// With more places where values come into being, a run does not tell which is meant: traces do.
/// Summaries would be relations over all of them.
const MOST_BIRTHS: usize = 256;

/// More events of one point that depend on the value are not told apart.
const MAX_DYNAMIC: usize = 10;

/// A place in a skeleton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct At {
    /// Index into [`Skeleton::bodies`].
    pub body: u32,
    /// Index into its points.
    pub point: u32,
}

/// Where a value comes into being.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Birth {
    /// The point; none at the start of the program.
    pub at: Option<At>,
    /// The function, if it is not at the start.
    pub function: Option<FuncId>,
    /// What holds it there.
    pub object: String,
    /// The variable of the product that says so.
    pub bit: Option<VarId>,
}

/// Where a rule can be violated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The node that a violation comes to.
    pub node: NodeId,
    /// The point.
    pub at: At,
    /// What the source calls the value there.
    pub object: Option<String>,
}

/// What an edge of the product executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Executes {
    /// The point.
    pub at: At,
    /// Which way out of a branch.
    pub arm: Option<u32>,
    /// Whom it calls.
    pub calls: Option<FuncId>,
    /// The atoms of the rule that may hold on it, as bits.
    pub atoms: u64,
}

/// A product.
#[derive(Debug)]
pub struct ValueProduct {
    /// The program.
    pub program: Program,
    /// Where the rule can be violated.
    pub violations: Vec<Violation>,
    /// Where values come into being, by number.
    pub births: Vec<Birth>,
    /// The variable with that number.
    pub birth: VarId,
    /// Whether it has that number. In large programs it is 0.
    pub numbered: bool,
    /// Whether a value has been chosen, and the state of the rule's automaton.
    pub progress: [VarId; 2],
    /// For each edge, what it executes.
    pub edges: IndexVec<EdgeId, Option<Executes>>,
    /// The points that are nodes, for each body; the others do nothing that matters.
    pub kept: Vec<Vec<bool>>,
    /// What is not modelled, one phrase each.
    pub limits: Vec<String>,
}

/// Why there is no product.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ValueError {
    /// The entry function is not there, or has no body.
    NoEntry {
        /// Its name.
        name: String,
    },
    /// The rule's automaton has too many states.
    TooLarge,
    /// It was given up.
    Stopped,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::NoEntry { name } => write!(f, "no function `{name}` with a body"),
            ValueError::TooLarge => write!(f, "the rule's automaton has too many states"),
            ValueError::Stopped => write!(f, "stopped"),
        }
    }
}

impl std::error::Error for ValueError {}

/// The product of a program with a rule about a value. It is given up when `stop` says so.
pub fn value_product(
    s: &Skeleton,
    rule: &Rule,
    entry: Option<&str>,
    stop: &dyn Fn() -> bool,
) -> Result<ValueProduct, ValueError> {
    let functions = || Functions::new(s, rule, entry, stop);
    let f = functions();
    let roots = roots(&f, entry)?;
    let mut longest = MAX_LENGTH;
    let (paths, relevance) = loop {
        let mut paths = Paths::new(s, longest);
        let relevance = relevance(&f, &mut paths);
        if stop() {
            return Err(ValueError::Stopped);
        }
        match paths.too_many() {
            true => longest -= 1,
            false => break (paths, relevance),
        }
    };
    let maker = Maker::new(f, roots.clone(), paths.clone(), relevance.clone(), true);
    let mut product = match maker.run()? {
        Some(product) => product,
        None => {
            let maker = Maker::new(functions(), roots, paths, relevance, false);
            maker.run()?.expect("without numbers, there are not too many")
        }
    };
    if longest < MAX_LENGTH {
        product.limits.push(format!(
            "the program is large: values are followed through at most {longest} pointers and fields \
             of a path"
        ));
    }
    if !product.numbered {
        product.limits.push(
            "the program is large: of values that come from different places to one where they \
             violate a rule, one is told"
                .to_owned(),
        );
    }
    Ok(product)
}

/// The functions that a program starts with: the one that is asked for; `main` and what is only
/// called from outside; or, without `main`, those that nobody calls. Of functions that call each
/// other, and nobody else does, the first.
fn roots(f: &Functions<'_>, entry: Option<&str>) -> Result<Vec<FuncId>, ValueError> {
    let s = f.s;
    let usable = |g: FuncId| !f.is_opaque(g) && s.body(g).is_some();
    if let Some(name) = entry {
        return match s.func_named(name).filter(|g| usable(*g)) {
            Some(g) => Ok(vec![g]),
            None => Err(ValueError::NoEntry { name: name.to_owned() }),
        };
    }
    let bodies = || s.bodies.iter().map(|b| b.func).filter(|g| usable(*g));
    if f.rule.by_function {
        return Ok(bodies().collect());
    }
    let mut callees: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    let mut called: FxHashSet<FuncId> = FxHashSet::default();
    for body in s.bodies.iter().filter(|b| usable(b.func)) {
        for point in &body.points {
            let Flow::Call(call) = &point.flow else { continue };
            for &g in call.targets.iter().filter(|g| usable(**g)) {
                callees.entry(body.func).or_default().push(g);
                if g != body.func {
                    called.insert(g);
                }
            }
        }
    }
    let main = s.func_named("main").filter(|g| usable(*g));
    let mut roots: Vec<FuncId> = match main {
        Some(main) => {
            let outside =
                |g: &FuncId| *g != main && s.funcs[g.index()].address_taken && !called.contains(g);
            [main].into_iter().chain(bodies().filter(outside)).collect()
        }
        None => bodies().filter(|g| !called.contains(g)).collect(),
    };
    if main.is_none() {
        let mut reached: FxHashSet<FuncId> = FxHashSet::default();
        let mut reach = |from: FuncId| {
            let mut todo = vec![from];
            while let Some(g) = todo.pop() {
                if reached.insert(g) {
                    todo.extend(callees.get(&g).into_iter().flatten().copied());
                }
            }
            reached.len()
        };
        let mut count = 0;
        for &root in &roots {
            count = reach(root);
        }
        for g in bodies() {
            let before = count;
            // A function that is reached adds nothing.
            count = reach(g);
            if count > before {
                roots.push(g);
            }
        }
    }
    Ok(roots)
}

/// What one way through a point does.
#[derive(Clone, Default)]
struct Act {
    guard: Option<ExprId>,
    /// New values of paths.
    set: BTreeMap<PathId, ExprId>,
    /// When the value escapes.
    escape: Option<ExprId>,
    /// When a value is chosen here.
    chosen: Option<ExprId>,
    choices: u32,
    /// When each atom holds.
    atoms: BTreeMap<u32, ExprId>,
    /// Other variables: conditions, and what is known of results.
    other: Vec<(VarId, Option<ExprId>)>,
    /// The function is left.
    leaves: bool,
    /// What the value is called in an event of the rule.
    object: Option<ObjectId>,
}

impl Act {
    fn is_trivial(&self) -> bool {
        self.guard.is_none()
            && self.set.is_empty()
            && self.escape.is_none()
            && self.chosen.is_none()
            && self.atoms.is_empty()
            && self.other.is_empty()
    }
}

/// What a point does, in all its ways.
enum Plan {
    Next(Act, Next),
    Branch(Vec<(Act, Next)>),
    /// For each target: what happens before it is entered, and after it came back; those that are not
    /// entered do all of it at once.
    Call(Vec<CallPlan>),
    Return(Act, BTreeMap<PathId, ExprId>),
}

struct CallPlan {
    before: Act,
    enters: Option<(FuncId, Act)>,
    next: Next,
    /// Where arguments are whose source is not followed, by their position.
    loose: BTreeMap<u32, VarId>,
}

/// A function that the program starts with, what happens then, and which of its paths are chosen.
type Start = (FuncId, Act, BTreeMap<PathId, ExprId>);

/// A function in the product.
struct Frame {
    proc: ProcId,
    /// The bits of its own paths.
    bits: BTreeMap<PathId, VarId>,
    /// Where results of calls arrive, by their links.
    arrives: BTreeMap<Vec<L>, VarId>,
    /// Arguments of calls whose source is not followed, by their position.
    loose: BTreeMap<u32, VarId>,
    /// What it returns: the result's paths, and those behind parameters.
    results: BTreeMap<PathId, VarId>,
    outer: Option<VarId>,
    top: Option<VarId>,
    conditions: Conditions,
    condition_bits: Vec<VarId>,
    /// For objects that hold results of fallible functions: whether that is so now, and whether it
    /// failed.
    outcomes: BTreeMap<ObjectId, (VarId, VarId)>,
    /// Parameters that the body assigns, or whose address it takes.
    changed: FxHashSet<ObjectId>,
}

struct Maker<'a> {
    f: Functions<'a>,
    s: &'a Skeleton,
    rule: &'a Rule,
    roots: Vec<FuncId>,
    paths: Paths,
    relevance: Relevance,
    /// The relevant paths that go on from a path, itself included.
    extensions: FxHashMap<PathId, Vec<PathId>>,
    /// The relevant paths of each function.
    own: FxHashMap<FuncId, Vec<PathId>>,
    globals: BTreeMap<PathId, VarId>,
    b: ProgramBuilder,
    on: VarId,
    state: VarId,
    escaped: Option<VarId>,
    birth: VarId,
    numbered: bool,
    births: Vec<Birth>,
    birth_numbers: FxHashMap<(Option<At>, PathId), usize>,
    frames: BTreeMap<FuncId, Frame>,
    relevant: FxHashSet<FuncId>,
    may_return: FxHashSet<FuncId>,
    /// Functions that a `longjmp` may leave, the flag that one is under way, and where the frame of the
    /// body at hand is left by it.
    may_jump: FxHashSet<FuncId>,
    jumping: Option<VarId>,
    unwind: Option<NodeId>,
    effects: Effects,
    letters: BTreeSet<u64>,
    keep_all: bool,
    edges: Vec<(NodeId, Option<Executes>)>,
    violations: Vec<Violation>,
    limits: BTreeSet<String>,
}

/// Bits of the state, until the states are counted.
const STATE_BITS: u32 = 11;

impl<'a> Maker<'a> {
    fn new(
        f: Functions<'a>,
        roots: Vec<FuncId>,
        paths: Paths,
        relevance: Relevance,
        numbered: bool,
    ) -> Self {
        let (s, rule) = (f.s, f.rule);
        let mut b = ProgramBuilder::new();
        if s.files.is_empty() {
            b.file("");
        }
        for file in &s.files {
            b.file(file);
        }
        let on = b.hidden_global("(on)", Type::BOOL);
        let state = b.hidden_global("(state)", Type::int(STATE_BITS));
        let lost = rule.events.iter().flatten().any(|e| *e == Event::Lost);
        let escaped = lost.then(|| b.hidden_global("(escaped)", Type::BOOL));
        let birth = b.hidden_global("(birth)", Type::int(20));
        let effects = Effects::new(s, &|g| f.is_opaque(g) && s.body(g).is_none());
        Maker {
            s,
            rule,
            roots,
            paths,
            relevance,
            extensions: FxHashMap::default(),
            own: FxHashMap::default(),
            globals: BTreeMap::new(),
            b,
            on,
            state,
            escaped,
            birth,
            numbered,
            births: Vec::new(),
            birth_numbers: FxHashMap::default(),
            frames: BTreeMap::new(),
            relevant: FxHashSet::default(),
            may_return: FxHashSet::default(),
            may_jump: FxHashSet::default(),
            jumping: None,
            unwind: None,
            effects,
            letters: BTreeSet::from([0]),
            keep_all: false,
            edges: Vec::new(),
            violations: Vec::new(),
            limits: BTreeSet::new(),
            f,
        }
    }

    /// The product; none if there are too many places where values come into being.
    fn run(mut self) -> Result<Option<ValueProduct>, ValueError> {
        // A rule that tells apart how many steps without events there are keeps every step.
        let Some(plain) = Dfa::new(&self.rule.nfa, &all_letters(self.rule)) else {
            return Err(ValueError::TooLarge);
        };
        self.keep_all = !stutters(&plain);
        self.index();
        self.returning();
        self.jumps();
        self.find_relevant();
        self.declare();
        let order: Vec<usize> = (0..self.s.bodies.len())
            .filter(|&i| self.frames.contains_key(&self.s.bodies[i].func))
            .collect();
        let mut plans: Vec<(usize, Act, Vec<Option<Plan>>)> = Vec::new();
        for &i in &order {
            if (self.f.stop)() {
                return Err(ValueError::Stopped);
            }
            if self.numbered && self.births.len() > MOST_BIRTHS {
                return Ok(None);
            }
            let entry = self.entry_act(self.s.bodies[i].func);
            let plan = self.plans(i);
            plans.push((i, entry, plan));
        }
        let start = self.start_acts();
        if self.numbered && self.births.len() > MOST_BIRTHS {
            return Ok(None);
        }
        let Some(dfa) = Dfa::new(&self.rule.nfa, &self.letters) else {
            return Err(ValueError::TooLarge);
        };
        if dfa.len() >= 1 << STATE_BITS {
            return Err(ValueError::TooLarge);
        }
        let mut kept: Vec<Vec<bool>> =
            self.s.bodies.iter().map(|b| vec![false; b.points.len()]).collect();
        let bits = |n: usize| (usize::BITS - n.leading_zeros()).max(1);
        self.b.set_type(self.state, Type::int(bits(dfa.len() as usize)));
        let last = if self.numbered { self.births.len() } else { 0 };
        self.b.set_type(self.birth, Type::int(bits(last)));
        for (i, entry, plan) in plans {
            if (self.f.stop)() {
                return Err(ValueError::Stopped);
            }
            for (keeps, plan) in kept[i].iter_mut().zip(&plan) {
                *keeps = plan.is_some();
            }
            self.body(i, &entry, plan, &dfa);
        }
        let entry = self.harness(start, &dfa);
        let init = self.init(last);
        let progress = [self.on, self.state];
        let Maker { b, mut edges, violations, births, birth, numbered, limits, .. } = self;
        edges.sort_by_key(|&(source, _)| source);
        let program = b.finish(entry, init);
        let edges = edges.into_iter().map(|(_, e)| e).collect();
        let limits = limits.into_iter().collect();
        Ok(Some(ValueProduct {
            program,
            violations,
            births,
            birth,
            numbered,
            progress,
            edges,
            kept,
            limits,
        }))
    }

    // Which paths and functions.

    fn index(&mut self) {
        for p in self.paths.all() {
            if !self.relevance.holds[p.index()] {
                continue;
            }
            let (root, links) = (self.paths.root(p), self.paths.links(p).to_vec());
            for cut in 0..=links.len() {
                if let Some(base) = self.paths.find(root, &links[..cut]) {
                    self.extensions.entry(base).or_default().push(p);
                }
            }
            let owner = match root {
                Root::Var(o) => {
                    let object = &self.s.objects[o.index()];
                    object.owner.filter(|_| object.automatic)
                }
                Root::Ret(g) => Some(g),
                Root::Arg(_) => None,
            };
            match owner {
                Some(g) => self.own.entry(g).or_default().push(p),
                None => {
                    let name = format!("(global {})", p.index());
                    let bit = self.b.hidden_global(&name, Type::BOOL);
                    self.globals.insert(p, bit);
                }
            }
        }
    }

    /// Which functions may come back.
    fn returning(&mut self) {
        loop {
            let before = self.may_return.len();
            for body in &self.s.bodies {
                if !self.may_return.contains(&body.func) && self.returns(body) {
                    self.may_return.insert(body.func);
                }
            }
            if self.may_return.len() == before {
                return;
            }
        }
    }

    fn returns(&self, body: &Body) -> bool {
        let mut seen = vec![false; body.points.len()];
        let mut todo = vec![body.entry];
        while let Some(next) = todo.pop() {
            let Next::Point(p) = next else { continue };
            if std::mem::replace(&mut seen[p as usize], true) {
                continue;
            }
            match &body.points[p as usize].flow {
                Flow::Next(next) => todo.push(*next),
                Flow::Branch(arms) => todo.extend(arms.iter().map(|a| a.next)),
                Flow::Return => return true,
                Flow::Call(call) => {
                    let comes_back = |g: &FuncId| {
                        !self.s.funcs[g.index()].noreturn
                            && (!self.f.is_entered(*g) || self.may_return.contains(g))
                    };
                    if call.targets.is_empty() || call.targets.iter().any(comes_back) {
                        todo.push(call.next);
                    }
                }
            }
        }
        false
    }

    /// Which functions a `longjmp` may leave.
    fn jumps(&mut self) {
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        let mut todo = Vec::new();
        for body in &self.s.bodies {
            for point in &body.points {
                let Flow::Call(call) = &point.flow else { continue };
                for &g in &call.targets {
                    if self.f.is_entered(g) {
                        callers.entry(g).or_default().push(body.func);
                    } else if is_longjmp(self.f.name(g)) && self.may_jump.insert(body.func) {
                        todo.push(body.func);
                    }
                }
            }
        }
        while let Some(g) = todo.pop() {
            for &caller in callers.get(&g).into_iter().flatten() {
                if self.may_jump.insert(caller) {
                    todo.push(caller);
                }
            }
        }
        if !self.may_jump.is_empty() {
            self.jumping = Some(self.b.hidden_global("(jumping)", Type::BOOL));
        }
    }

    /// Functions in which something happens, and those that call them.
    fn find_relevant(&mut self) {
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        let mut todo: Vec<FuncId> = Vec::new();
        for body in &self.s.bodies {
            let g = body.func;
            if self.f.is_opaque(g) {
                continue;
            }
            let mut interesting = self.keep_all || self.may_jump.contains(&g);
            let returned = self.paths.find(Root::Ret(g), &[]);
            interesting |= returned.is_some_and(|r| self.extensions.contains_key(&r));
            for point in &body.points {
                interesting |= self.may_matter(point);
                let Flow::Call(call) = &point.flow else { continue };
                for &h in call.targets.iter().filter(|h| self.f.is_entered(**h)) {
                    callers.entry(h).or_default().push(g);
                }
            }
            // The address of a local is a value that comes into being here.
            let own = self.own.get(&g).into_iter().flatten();
            interesting |= !self.relevance.results_only
                && own
                    .clone()
                    .any(|p| self.paths.is_address(*p) && self.relevance.leads[p.index()]);
            if interesting && self.relevant.insert(g) {
                todo.push(g);
            }
        }
        while let Some(g) = todo.pop() {
            for &caller in callers.get(&g).into_iter().flatten() {
                if self.relevant.insert(caller) {
                    todo.push(caller);
                }
            }
        }
    }

    fn has_relevant(&self, o: ObjectId, paths: &Paths) -> bool {
        let Some(p) = paths.object_known(o) else { return false };
        self.extensions.contains_key(&p)
    }

    /// Whether a point, by itself and without its return, can do anything that matters.
    fn may_matter(&self, point: &Point) -> bool {
        use front_c::Event as E;
        let held = |o: ObjectId| self.has_relevant(o, &self.paths);
        for event in point.events.iter().chain(&point.hidden) {
            match *event {
                E::Assign(o) if held(o) => return true,
                E::Copy(o, q) if held(o) || held(q) => return true,
                E::Escape(o) if held(o) => return true,
                E::Exit if self.wants(|e| *e == Event::Exit) => return true,
                E::Use(o) if held(o) && self.wants(|e| matches!(e, Event::Use(_))) => return true,
                E::Deref(o) if held(o) && self.wants(|e| matches!(e, Event::Deref(_))) => {
                    return true;
                }
                E::Return if self.wants(|e| *e == Event::Return) => return true,
                _ => {}
            }
        }
        let Flow::Call(call) = &point.flow else { return false };
        let target = call.result.or(call.temporary);
        if target.is_some_and(held) {
            return true;
        }
        call.targets.iter().any(|&g| {
            let name = self.f.name(g);
            let named = |e: &Event| match e {
                Event::Call(p) => p.matches(name),
                // A result that nobody takes.
                Event::Result(p) => target.is_none() && p.names_it(name) && self.escaped.is_some(),
                _ => false,
            };
            self.wants(named)
        }) || call.arg_values.iter().flatten().any(|&o| {
            // Given away, or named by the rule; what is behind a pointer may change.
            let all_entered =
                !call.targets.is_empty() && call.targets.iter().all(|g| self.f.is_entered(*g));
            !all_entered && (held(o) || self.behind_address(o).is_some_and(held))
        })
    }

    /// `x` for `&x`.
    fn behind_address(&self, o: ObjectId) -> Option<ObjectId> {
        match self.s.objects[o.index()].reach {
            front_c::Reach::Address(b) => Some(b),
            _ => None,
        }
    }

    fn wants(&self, event: impl Fn(&Event) -> bool) -> bool {
        self.rule.events.iter().flatten().any(event)
    }

    fn declare(&mut self) {
        let lost = self.escaped.is_some();
        let exit = self.wants(|e| *e == Event::Exit);
        let s = self.s;
        for body in &s.bodies {
            let g = body.func;
            if !self.relevant.contains(&g) {
                continue;
            }
            let at = self.b.origin(
                body.at.file,
                body.at.line,
                body.at.column,
                &s.funcs[g.index()].unique,
            );
            let proc = self.b.proc(&s.funcs[g.index()].unique, at);
            let mut frame = Frame {
                proc,
                bits: BTreeMap::new(),
                arrives: BTreeMap::new(),
                loose: BTreeMap::new(),
                results: BTreeMap::new(),
                outer: None,
                top: None,
                conditions: Conditions::of(s, &self.effects, body),
                condition_bits: Vec::new(),
                outcomes: BTreeMap::new(),
                changed: changed(s, body),
            };
            let params: FxHashSet<ObjectId> = body.params.iter().flatten().copied().collect();
            for &p in self.own.get(&g).into_iter().flatten() {
                let name = format!("(bit {})", p.index());
                match self.paths.root(p) {
                    Root::Ret(_) => {
                        let result = self.b.result(proc, &name, Type::BOOL);
                        frame.results.insert(p, result);
                    }
                    Root::Var(o) => {
                        frame.bits.insert(p, self.b.hidden_local(proc, &name, Type::BOOL));
                        let behind = self.paths.links(p).first() == Some(&DEREF);
                        if behind && params.contains(&o) && self.paths.in_memory(p) {
                            let result =
                                self.b.result(proc, &format!("(out {})", p.index()), Type::BOOL);
                            frame.results.insert(p, result);
                        }
                    }
                    Root::Arg(_) => {}
                }
            }
            if lost {
                frame.outer = Some(self.b.hidden_local(proc, "(outer)", Type::BOOL));
            }
            if exit && self.roots.contains(&g) {
                frame.top = Some(self.b.hidden_local(proc, "(top)", Type::BOOL));
            }
            for i in 0..frame.conditions.list.len() {
                let name = format!("(condition {})", i + 1);
                frame.condition_bits.push(self.b.hidden_local(proc, &name, Type::BOOL));
            }
            for point in &body.points {
                let Flow::Call(call) = &point.flow else { continue };
                if let Some(o) = call.result.or(call.temporary)
                    && call.targets.iter().any(|h| self.fallible(*h).is_some())
                    && !frame.outcomes.contains_key(&o)
                {
                    let known = self.b.hidden_local(proc, "(known)", Type::BOOL);
                    let failed = self.b.hidden_local(proc, "(failed)", Type::BOOL);
                    frame.outcomes.insert(o, (known, failed));
                }
            }
            self.frames.insert(g, frame);
        }
    }

    fn fallible(&self, g: FuncId) -> Option<(Comparison, i64)> {
        let name = self.f.name(g);
        // It returns 0, and something else after a jump.
        if self.jumping.is_some() && is_setjmp(name) {
            return Some((Comparison::Ne, 0));
        }
        self.rule.fallible.iter().find(|(p, ..)| p.matches(name)).map(|(_, c, n)| (*c, *n))
    }

    // Plans: what points do.

    fn plans(&mut self, body: usize) -> Vec<Option<Plan>> {
        let s = self.s;
        (0..s.bodies[body].points.len()).map(|i| self.plan(body, i)).collect()
    }

    /// What a point does; none if nothing.
    fn plan(&mut self, body: usize, number: usize) -> Option<Plan> {
        let s = self.s;
        let b = &s.bodies[body];
        let point = &b.points[number];
        let at = At { body: body as u32, point: number as u32 };
        match &point.flow {
            Flow::Next(next) => {
                let act = self.act(at, None, true);
                let act = self.ended(act, b.func);
                (self.keep_all || !act.is_trivial()).then_some(Plan::Next(act, *next))
            }
            Flow::Branch(arms) => {
                let mut ways = Vec::new();
                for arm in arms {
                    let mut act = self.act(at, None, true);
                    self.arm(&mut act, b.func, arm);
                    let act = self.ended(act, b.func);
                    ways.push((act, arm.next));
                }
                let matters = self.keep_all || ways.iter().any(|(act, _)| !act.is_trivial());
                matters.then_some(Plan::Branch(ways))
            }
            Flow::Return => {
                let mut act = self.act(at, None, true);
                act.leaves = true;
                if self.frames[&b.func].top.is_some() && self.wants(|e| *e == Event::Exit) {
                    let top = self.frames[&b.func].top.map(|t| self.b.exprs.pre(t));
                    let top = top.unwrap_or(Exprs::FALSE);
                    let on = self.active(&act);
                    let exit = self.b.exprs.and(top, on);
                    self.atom(&mut act, exit, |e| *e == Event::Exit);
                }
                let results = self.returned(b, point);
                let act = self.ended_with(act, b.func, Some(&results));
                Some(Plan::Return(act, results))
            }
            Flow::Call(call) => self.call_plan(at, call),
        }
    }

    fn read(&mut self, func: FuncId, act: &Act, p: PathId) -> ExprId {
        if let Some(&e) = act.set.get(&p) {
            return e;
        }
        match self.bit(func, p) {
            Some(bit) => self.b.exprs.pre(bit),
            None => Exprs::FALSE,
        }
    }

    fn bit(&self, func: FuncId, p: PathId) -> Option<VarId> {
        let local = self.frames.get(&func).and_then(|f| f.bits.get(&p));
        local.or_else(|| self.globals.get(&p)).copied()
    }

    /// Whether a value is followed, the one chosen here included.
    fn active(&mut self, act: &Act) -> ExprId {
        let on = self.b.exprs.pre(self.on);
        match act.chosen {
            Some(chosen) => self.b.exprs.or(on, chosen),
            None => on,
        }
    }

    /// Adds a case in which an atom holds.
    fn atom(&mut self, act: &mut Act, when: ExprId, event: impl Fn(&Event) -> bool) {
        if when == Exprs::FALSE {
            return;
        }
        for (i, events) in self.rule.events.iter().enumerate() {
            if events.iter().any(&event) {
                let old = act.atoms.get(&(i as u32)).copied().unwrap_or(Exprs::FALSE);
                let new = self.b.exprs.or(old, when);
                act.atoms.insert(i as u32, new);
            }
        }
    }

    /// An atom about an object: it holds if the path holds the value.
    fn subject(
        &mut self,
        act: &mut Act,
        func: FuncId,
        o: ObjectId,
        event: impl Fn(&Event) -> Option<&[crate::event::Link]>,
    ) {
        let Some(path) = self.paths.object(self.s, o) else { return };
        for i in 0..self.rule.events.len() {
            for k in 0..self.rule.events[i].len() {
                let Some(suffix) = event(&self.rule.events[i][k]) else { continue };
                let Some(base) = stripped(&mut self.paths, path, suffix) else { continue };
                let when = self.read(func, act, base);
                if when == Exprs::FALSE {
                    continue;
                }
                let old = act.atoms.get(&(i as u32)).copied().unwrap_or(Exprs::FALSE);
                let new = self.b.exprs.or(old, when);
                act.atoms.insert(i as u32, new);
                act.object = act.object.or(Some(o));
            }
        }
    }

    fn escapes(&mut self, act: &mut Act, when: ExprId) {
        if when == Exprs::FALSE {
            return;
        }
        if self.escaped.is_some() || self.wants(|e| *e == Event::Escape) {
            let old = act.escape.unwrap_or(Exprs::FALSE);
            act.escape = Some(self.b.exprs.or(old, when));
            self.atom(act, when, |e| *e == Event::Escape);
        }
    }

    /// A value that comes into being at a path, if it is one to be followed.
    fn born(&mut self, act: &mut Act, at: Option<At>, func: Option<FuncId>, p: PathId) -> ExprId {
        if !self.relevance.leads[p.index()] || !self.fits(p) {
            return Exprs::FALSE;
        }
        let number = match self.birth_numbers.get(&(at, p)) {
            Some(&number) => number,
            None => {
                let object = self.path_name(p);
                let bit = match func {
                    Some(func) => self.bit(func, p),
                    None => self.globals.get(&p).copied(),
                };
                self.births.push(Birth { at, function: func, object, bit });
                self.birth_numbers.insert((at, p), self.births.len() - 1);
                self.births.len() - 1
            }
        };
        let exprs = &mut self.b.exprs;
        let mut here = Exprs::TRUE;
        if self.numbered {
            let (birth, number) = (exprs.pre(self.birth), exprs.int(number as i64));
            here = exprs.binary(BinaryOp::Eq, birth, number);
        }
        let on = exprs.pre(self.on);
        let off = exprs.not(on);
        let choice = exprs.choice(act.choices);
        act.choices += 1;
        let mut chosen = exprs.and(choice, here);
        chosen = exprs.and(chosen, off);
        act.chosen = Some(match act.chosen {
            Some(old) => exprs.or(old, chosen),
            None => chosen,
        });
        chosen
    }

    /// Whether the path's type is the rule's.
    fn fits(&self, p: PathId) -> bool {
        match self.paths.root(p) {
            Root::Var(o) if self.paths.links(p).is_empty() => {
                let object = &self.s.objects[o.index()];
                self.rule.is_about_type(&self.s.types[object.type_names as usize])
            }
            _ => true,
        }
    }

    fn path_name(&self, p: PathId) -> String {
        let mut out = match self.paths.root(p) {
            Root::Var(o) if self.s.objects[o.index()].temporary => "the result".to_owned(),
            Root::Var(o) => self.s.objects[o.index()].name.clone(),
            Root::Ret(g) => format!("{}()", self.s.funcs[g.index()].name),
            Root::Arg(n) => format!("argument {n}"),
        };
        let mut links = self.paths.links(p);
        let address = links.last() == Some(&ADDRESS);
        if address {
            links = &links[..links.len() - 1];
        }
        let mut pending = false;
        for &l in links {
            match l {
                DEREF if pending => out = format!("(*{out})"),
                DEREF => pending = true,
                ADDRESS => out = format!("(&{out})"),
                field => {
                    let arrow = if std::mem::take(&mut pending) { "->" } else { "." };
                    out = format!("{out}{arrow}{}", self.paths.field_name(field));
                }
            }
        }
        if pending {
            out = format!("*{out}");
        }
        if address { format!("&{out}") } else { out }
    }

    /// Something unknown is assigned to a path. `born`: values may come into being here.
    fn fresh(&mut self, act: &mut Act, at: At, base: PathId, born: bool) {
        let func = self.s.bodies[at.body as usize].func;
        let length = self.paths.links(base).len();
        for p in self.extensions.get(&base).cloned().unwrap_or_default() {
            if !Paths::depends(&self.paths.links(p)[length..]) {
                continue;
            }
            let chosen = match born {
                true => self.born(act, Some(at), Some(func), p),
                false => Exprs::FALSE,
            };
            act.set.insert(p, chosen);
        }
        self.forget(act, func, base);
    }

    /// W2: what is written behind one pointer is forgotten behind others.
    fn forget(&mut self, act: &mut Act, func: FuncId, base: PathId) {
        let links = self.paths.links(base);
        let Some(&field) = links.last().filter(|l| **l > ADDRESS) else { return };
        if !links.contains(&DEREF) {
            return;
        }
        let own = self.own.get(&func).cloned().unwrap_or_default();
        let globals: Vec<PathId> = self.globals.keys().copied().collect();
        for p in own.into_iter().chain(globals) {
            let (root, links) = (self.paths.root(p), self.paths.links(p));
            let mine = root == self.paths.root(base) && links.starts_with(self.paths.links(base));
            if !mine
                && matches!(root, Root::Var(_))
                && self.paths.in_memory(p)
                && links.windows(2).any(|w| w == [DEREF, field])
            {
                act.set.insert(p, Exprs::FALSE);
            }
        }
    }

    /// `to = from` (V1).
    fn copy(&mut self, act: &mut Act, at: At, to: ObjectId, from: ObjectId) {
        let func = self.s.bodies[at.body as usize].func;
        let (to_path, from_path) = (self.paths.object(self.s, to), self.paths.object(self.s, from));
        let source = from_path.map_or(Exprs::FALSE, |p| self.read(func, act, p));
        let followed = to_path.is_some_and(|p| {
            !self.paths.in_memory(p) && !self.is_global(p) || self.escaped.is_none()
        });
        if !followed {
            self.escapes(act, source);
        }
        let Some(base) = to_path else { return };
        let length = self.paths.links(base).len();
        let mut new: Vec<(PathId, ExprId)> = Vec::new();
        for p in self.extensions.get(&base).cloned().unwrap_or_default() {
            let suffix = self.paths.links(p)[length..].to_vec();
            if !Paths::depends(&suffix) {
                continue;
            }
            let source = from_path.and_then(|f| self.paths.find_graft(f, &suffix));
            let source = source.filter(|q| self.relevance.holds[q.index()]);
            let value = match source {
                Some(q) => self.read(func, act, q),
                None if self.relevance.results_only => Exprs::FALSE,
                None => self.born(act, Some(at), Some(func), p),
            };
            new.push((p, value));
        }
        self.forget(act, func, base);
        act.set.extend(new);
    }

    fn is_global(&self, p: PathId) -> bool {
        match self.paths.root(p) {
            Root::Var(o) => !self.s.objects[o.index()].automatic,
            _ => false,
        }
    }

    /// What the events of a point do, those of its call excepted.
    fn act(&mut self, at: At, callee: Option<Callee>, result: bool) -> Act {
        use front_c::Event as E;
        let s = self.s;
        let body = &s.bodies[at.body as usize];
        let func = body.func;
        let point = &body.points[at.point as usize];
        let mut act = Act::default();
        // The letter is about what was so before.
        let before = Act::default();
        for event in &point.events {
            match *event {
                E::Use(o) => self.subject(&mut act, func, o, |e| match e {
                    Event::Use(suffix) => Some(suffix),
                    _ => None,
                }),
                E::Deref(o) => self.subject(&mut act, func, o, |e| match e {
                    Event::Deref(suffix) => Some(suffix),
                    _ => None,
                }),
                E::ReturnOf(o) => self.subject(&mut act, func, o, |e| match e {
                    Event::ReturnOf => Some(&[]),
                    _ => None,
                }),
                E::Return => {
                    let on = self.active(&before);
                    self.atom(&mut act, on, |e| *e == Event::Return);
                }
                E::Exit if !matches!(point.flow, Flow::Return) => {
                    let on = self.active(&before);
                    self.atom(&mut act, on, |e| *e == Event::Exit);
                }
                _ => {}
            }
        }
        for event in &point.hidden {
            match *event {
                E::Escape(o) => {
                    if let Some(p) = self.paths.object(s, o) {
                        let value = self.read(func, &before, p);
                        self.escapes(&mut act, value);
                    }
                }
                E::ReturnOf(o) => self.subject(&mut act, func, o, |e| match e {
                    Event::ReturnOf => Some(&[]),
                    _ => None,
                }),
                _ => {}
            }
        }
        let mut assigned: Vec<ObjectId> = Vec::new();
        for event in &point.events {
            match *event {
                E::Assign(o) => {
                    assigned.push(o);
                    let copies = point.events.iter().chain(&point.hidden);
                    let from = copies.into_iter().find_map(|e| match *e {
                        E::Copy(to, from) if to == o => Some(from),
                        _ => None,
                    });
                    match from {
                        Some(from) => self.copy(&mut act, at, o, from),
                        None => {
                            // A constant is no value to be followed.
                            let constant = point.values.iter().any(|(to, value)| {
                                *to == o
                                    && value.is_some_and(|d| {
                                        matches!(body.data[d as usize], front_c::Data::Int(_))
                                    })
                            });
                            if let Some(p) = self.paths.object(s, o) {
                                let born = !self.relevance.results_only && !constant;
                                self.fresh(&mut act, at, p, born);
                            }
                        }
                    }
                }
                // To a cell, or what else is no path.
                E::Copy(o, q) if !assigned.contains(&o) => {
                    if let Some(p) = self.paths.object(s, q) {
                        let value = self.read(func, &act, p);
                        self.escapes(&mut act, value);
                    }
                }
                _ => {}
            }
        }
        for event in &point.hidden {
            if let E::Copy(o, q) = *event
                && !assigned.contains(&o)
                && let Some(p) = self.paths.object(s, q)
            {
                let value = self.read(func, &act, p);
                self.escapes(&mut act, value);
            }
            if let E::Copy(_, q) = *event {
                self.consumed(&mut act, func, q);
            }
        }
        for o in assigned {
            if let Some(&(known, _)) = self.frames[&func].outcomes.get(&o) {
                act.other.push((known, Some(Exprs::FALSE)));
            }
        }
        let frame = &self.frames[&func];
        if !frame.condition_bits.is_empty() {
            let changes =
                frame.conditions.changes(s, &self.effects, body, at.point as usize, callee, result);
            for (i, value) in changes {
                let value = value.map(|v| if v { Exprs::TRUE } else { Exprs::FALSE });
                act.other.push((frame.condition_bits[i], value));
            }
        }
        act
    }

    /// What is learnt on a way out of a branch.
    fn arm(&mut self, act: &mut Act, func: FuncId, arm: &front_c::Arm) {
        let mut guard = Exprs::TRUE;
        for event in arm.events.iter().chain(&arm.hidden) {
            let front_c::Event::Test(o, relation, c) = *event else { continue };
            let here = comparison(relation);
            // W4
            if let (Some((assumed, k)), Some(p)) = (self.rule.assume, self.paths.object(self.s, o))
                && !assumed.meets(k, here, c)
            {
                let holds = self.read(func, act, p);
                let not = self.b.exprs.not(holds);
                guard = self.b.exprs.and(guard, not);
            }
            if let Some(&(known, failed)) = self.frames[&func].outcomes.get(&o) {
                let outcome = self.outcome_of(func, o);
                for (fails, comparison, k) in outcome {
                    if comparison.meets(k, here, c) {
                        continue;
                    }
                    let exprs = &mut self.b.exprs;
                    let (known, failed) = (exprs.pre(known), exprs.pre(failed));
                    let excluded = if fails { failed } else { exprs.not(failed) };
                    let excluded = exprs.and(known, excluded);
                    let not = exprs.not(excluded);
                    guard = exprs.and(guard, not);
                }
            }
        }
        if let Some(When::True(d) | When::False(d)) = &arm.when {
            let frame = &self.frames[&func];
            if let Some((i, opposite)) = frame.conditions.test(*d) {
                let bit = frame.condition_bits[i];
                let mut e = self.b.exprs.pre(bit);
                if opposite != matches!(arm.when, Some(When::False(_))) {
                    e = self.b.exprs.not(e);
                }
                guard = self.b.exprs.and(guard, e);
            }
        }
        for event in &arm.hidden {
            if let front_c::Event::Test(o, ..) = *event {
                self.consumed(act, func, o);
            }
        }
        if guard != Exprs::TRUE {
            act.guard = Some(match act.guard {
                Some(old) => self.b.exprs.and(old, guard),
                None => guard,
            });
        }
    }

    /// For a result that may tell of a failure: what it compares with then, and otherwise. Only if all
    /// fallible functions whose result the object takes agree.
    fn outcome_of(&self, func: FuncId, o: ObjectId) -> Vec<(bool, Comparison, i64)> {
        let Some(body) = self.s.body(func) else { return Vec::new() };
        let mut found: Option<(Comparison, i64)> = None;
        for point in &body.points {
            let Flow::Call(call) = &point.flow else { continue };
            if call.result.or(call.temporary) != Some(o) {
                continue;
            }
            for outcome in call.targets.iter().filter_map(|g| self.fallible(*g)) {
                if found.is_some_and(|f| f != outcome) {
                    return Vec::new();
                }
                found = Some(outcome);
            }
        }
        match found {
            Some((c, k)) => vec![(true, c, k), (false, c.negated(), k)],
            None => Vec::new(),
        }
    }

    fn call_plan(&mut self, at: At, call: &Call) -> Option<Plan> {
        let func = self.s.bodies[at.body as usize].func;
        let mut plans: Vec<CallPlan> = Vec::new();
        let mut matters = self.keep_all;
        let (mut some_trivial, mut seen_unknown) = (false, false);
        let targets: Vec<Option<FuncId>> = match call.targets.is_empty() {
            true => vec![None],
            false => call.targets.iter().copied().map(Some).collect(),
        };
        for target in targets {
            let entered = target.filter(|g| self.f.is_entered(*g));
            if let Some(g) = entered.filter(|g| self.relevant.contains(g)) {
                matters = true;
                plans.push(self.entering(at, call, g));
                continue;
            }
            if let Some(g) = entered {
                if !self.may_return.contains(&g) {
                    // The way ends in it.
                    matters = true;
                    continue;
                }
            } else {
                // Functions about which nothing is known do the same.
                let unknown = target.is_none_or(|g| {
                    !self.f.is_opaque(g)
                        && library(self.f.name(g)).is_none()
                        && self.s.funcs[g.index()].const_params.iter().all(|c| !c)
                        && !self.wants(|e| e.pattern().is_some_and(|p| p.matches(self.f.name(g))))
                });
                if unknown && std::mem::replace(&mut seen_unknown, true) {
                    continue;
                }
            }
            let outcomes: &[Option<bool>] = match target.and_then(|g| self.fallible(g)) {
                Some(_) if target.is_some_and(|g| is_setjmp(self.f.name(g))) => &[Some(false)],
                Some(_) => &[Some(true), Some(false)],
                None => &[None],
            };
            for &fails in outcomes {
                let mut act = self.outside(at, call, target, fails);
                let stops = target.is_some_and(|g| self.s.funcs[g.index()].noreturn);
                let jumps = target.is_some_and(|g| is_longjmp(self.f.name(g)));
                if let Some(jumping) = self.jumping.filter(|_| jumps) {
                    act.other.push((jumping, Some(Exprs::TRUE)));
                }
                let next = if stops { Next::Stop } else { call.next };
                act = self.ended(act, func);
                if act.is_trivial() && next == call.next && !self.keep_all {
                    if std::mem::replace(&mut some_trivial, true) {
                        continue;
                    }
                } else {
                    matters = true;
                }
                let loose = BTreeMap::new();
                plans.push(CallPlan { before: act, enters: None, next, loose });
            }
        }
        matters.then_some(Plan::Call(plans))
    }

    /// Whether a function without a body keeps its argument `n`.
    fn keeps(&self, target: Option<FuncId>, n: usize) -> bool {
        let Some(g) = target else { return true };
        let name = self.f.name(g);
        if self.rule.keeps.iter().any(|p| p.matches(name)) {
            return true;
        }
        !(self.rule.borrows.iter().any(|p| p.matches(name))
            || self.f.is_entered(g)
            || self.f.is_opaque(g)
            || library(name).is_some()
            || self.s.funcs[g.index()].const_params.get(n).copied().unwrap_or(false))
    }

    /// A call of what is not entered.
    fn outside(&mut self, at: At, call: &Call, target: Option<FuncId>, fails: Option<bool>) -> Act {
        let s = self.s;
        let func = s.bodies[at.body as usize].func;
        let quiet = target.is_some_and(|g| self.f.is_opaque(g) && s.body(g).is_none());
        let callee = match target {
            _ if quiet => Callee::Quiet,
            Some(g) => Callee::Known(g),
            None => Callee::Unknown,
        };
        let mut act = self.act(at, Some(callee), true);
        let entered = target.is_some_and(|g| self.f.is_entered(g));
        let name = target.map_or("", |g| self.f.name(g));
        let before = Act::default();
        let on = self.active(&before);
        self.atom(&mut act, on, |e| matches!(e, Event::Call(p) if p.matches(name)));
        if fails == Some(true) {
            self.atom(&mut act, Exprs::TRUE, |e| *e == Event::Failed);
        }
        let args: Vec<(usize, ObjectId)> =
            call.arg_values.iter().enumerate().filter_map(|(i, o)| Some((i, (*o)?))).collect();
        for &(i, o) in &args {
            self.subject(&mut act, func, o, |e| match e {
                Event::Arg(p, n, suffix) if p.matches(name) && n.is_none_or(|n| n == i + 1) => {
                    Some(suffix)
                }
                Event::CallOn(p, suffix) if p.matches(name) => Some(suffix),
                Event::Pass(suffix) if !entered => Some(suffix),
                _ => None,
            });
        }
        // What the function may do with its arguments, and to what they point to.
        for &(i, o) in &args {
            let Some(p) = self.paths.object(s, o) else { continue };
            let keeps = self.keeps(target, i);
            if keeps {
                let value = self.read(func, &before, p);
                self.escapes(&mut act, value);
            }
            let out = self
                .rule
                .events
                .iter()
                .flatten()
                .any(|e| matches!(e, Event::Out(f, n) if f.matches(name) && *n == i + 1));
            let constant = target
                .is_some_and(|g| s.funcs[g.index()].const_params.get(i).copied().unwrap_or(false));
            let silent = entered
                || constant
                || library(name) == Some(Library::Silent)
                || target.is_some_and(|g| self.f.is_opaque(g));
            if silent && !out {
                continue;
            }
            let Some(behind) = self.paths.find_graft(p, &[DEREF]) else { continue };
            if keeps {
                for q in self.extensions.get(&behind).cloned().unwrap_or_default() {
                    let value = self.read(func, &before, q);
                    self.escapes(&mut act, value);
                }
            }
            self.fresh(&mut act, at, behind, !self.relevance.results_only || out);
            if out && let Some(&value) = act.set.get(&behind) {
                self.atom(
                    &mut act,
                    value,
                    |e| matches!(e, Event::Out(f, n) if f.matches(name) && *n == i + 1),
                );
            }
        }
        self.result(&mut act, at, call, target, fails);
        for (_, o) in args {
            self.consumed(&mut act, func, o);
        }
        act
    }

    /// A result that has no name is gone once it was used.
    fn consumed(&mut self, act: &mut Act, func: FuncId, o: ObjectId) {
        if !self.s.objects[o.index()].temporary {
            return;
        }
        let Some(base) = self.paths.object(self.s, o) else { return };
        for p in self.extensions.get(&base).cloned().unwrap_or_default() {
            if self.bit(func, p).is_some() {
                act.set.insert(p, Exprs::FALSE);
            }
        }
    }

    /// What the result of a call that is not entered is assigned to.
    fn result(
        &mut self,
        act: &mut Act,
        at: At,
        call: &Call,
        target: Option<FuncId>,
        fails: Option<bool>,
    ) {
        let s = self.s;
        let func = s.bodies[at.body as usize].func;
        let name = target.map_or("", |g| self.f.name(g));
        let entered = target.is_some_and(|g| self.f.is_entered(g));
        let object = call.result.or(call.temporary);
        let is_result = |e: &Event| matches!(e, Event::Result(p) if p.matches(name));
        let is_on = |e: &Event| matches!(e, Event::CallOn(p, _) if p.matches(name));
        let named = !entered && self.wants(is_result);
        if let Some(g) = target
            && let Some(n) = self.f.returned(g)
        {
            // The result is an argument.
            let from = call.arg_values.get(n).copied().flatten();
            if let (Some(to), Some(from)) = (object, from) {
                self.copy(act, at, to, from);
                if let Some(p) = self.paths.object(s, to) {
                    let value = self.read(func, act, p);
                    self.atom(act, value, |e| is_result(e) || is_on(e));
                    act.object = act.object.or(Some(to));
                }
                return;
            }
        }
        let Some(o) = object else {
            // A result that nobody takes is lost at once.
            if named && self.escaped.is_some() && fails != Some(true) {
                let chosen = self.born_unseen(act, at, func, name);
                self.atom(act, chosen, is_result);
            }
            return;
        };
        let Some(p) = self.paths.object(s, o) else { return };
        let born = fails != Some(true)
            && !s.objects[o.index()].loose
            && (named || !self.relevance.results_only);
        self.fresh(act, at, p, born);
        if let Some(&value) = act.set.get(&p) {
            if !entered {
                self.atom(act, value, |e| is_result(e) || is_on(e));
            }
            if self.paths.in_memory(p) || self.is_global(p) {
                self.escapes(act, value);
            }
            act.object = act.object.or(Some(o));
        }
        if let Some(&(known, failed)) = self.frames[&func].outcomes.get(&o) {
            act.other.retain(|(var, _)| *var != known);
            act.other.push((known, Some(self.b.exprs.bool(fails.is_some()))));
            if let Some(fails) = fails {
                act.other.push((failed, Some(self.b.exprs.bool(fails))));
            }
        }
    }

    /// A value that comes into being and is not held by anything.
    fn born_unseen(&mut self, act: &mut Act, at: At, func: FuncId, name: &str) -> ExprId {
        let Some(p) = self.paths.add(Root::Arg(u32::MAX), &[]) else { return Exprs::FALSE };
        let size = self.paths.len();
        self.relevance.leads.resize(size, false);
        self.relevance.holds.resize(size, false);
        self.relevance.leads[p.index()] = true;
        let before = self.births.len();
        let chosen = self.born(act, Some(at), Some(func), p);
        if let Some(birth) = self.births.get_mut(before) {
            birth.object = format!("{name}()");
        }
        chosen
    }

    /// A call of a function that is entered.
    fn entering(&mut self, at: At, call: &Call, g: FuncId) -> CallPlan {
        let s = self.s;
        let func = s.bodies[at.body as usize].func;
        let mut before = self.act(at, None, false);
        let name = self.f.name(g);
        let nothing = Act::default();
        let on = self.active(&nothing);
        self.atom(&mut before, on, |e| matches!(e, Event::Call(p) if p.matches(name)));
        for o in call.arg_values.iter().flatten() {
            self.subject(&mut before, func, *o, |e| match e {
                Event::Arg(p, None, suffix) | Event::CallOn(p, suffix) if p.matches(name) => {
                    Some(suffix)
                }
                _ => None,
            });
        }
        // Arguments whose source is not followed may be chosen.
        let mut loose = BTreeMap::new();
        if !self.relevance.results_only
            && let Some(callee) = s.body(g)
        {
            for (i, (param, arg)) in callee.params.iter().zip(&call.arg_values).enumerate() {
                let (Some(param), Some(arg)) = (param, arg) else { continue };
                if self.paths.object(s, *arg).is_some_and(|p| self.relevance.holds[p.index()]) {
                    continue;
                }
                let Some(p) = self.paths.object(s, *param) else { continue };
                if self.relevance.leads[p.index()] && self.frames[&g].bits.contains_key(&p) {
                    let chosen = self.born(&mut before, Some(at), Some(func), p);
                    let var = self.loose(func, i as u32);
                    before.other.push((var, Some(chosen)));
                    loose.insert(i as u32, var);
                }
            }
        }
        let before = self.ended(before, func);
        // Afterwards: what the call changed, and its result.
        let mut after = Act::default();
        let arrived = self.paths.find(Root::Ret(g), &[]);
        if let Some(o) = call.result.or(call.temporary)
            && let Some(base) = self.paths.object(s, o)
        {
            let length = self.paths.links(base).len();
            for p in self.extensions.get(&base).cloned().unwrap_or_default() {
                let suffix = self.paths.links(p)[length..].to_vec();
                if !Paths::depends(&suffix) {
                    continue;
                }
                let from = arrived.and_then(|r| self.paths.find_graft(r, &suffix));
                let value = match from.filter(|q| self.frames[&g].results.contains_key(q)) {
                    Some(_) => {
                        let bit = self.arrives(func, &suffix);
                        self.b.exprs.pre(bit)
                    }
                    None => Exprs::FALSE,
                };
                after.set.insert(p, value);
            }
            self.forget(&mut after, func, base);
            if (self.paths.in_memory(base) || self.is_global(base))
                && let Some(&value) = after.set.get(&base)
            {
                self.escapes(&mut after, value);
            }
            if s.objects[o.index()].loose
                && let Some(&value) = after.set.get(&base)
            {
                self.escapes(&mut after, value);
            }
            if let Some(&(known, _)) = self.frames[&func].outcomes.get(&o) {
                after.other.push((known, Some(Exprs::FALSE)));
            }
            after.object = Some(o);
            let result = self.frames[&func].conditions.changes(
                s,
                &self.effects,
                &s.bodies[at.body as usize],
                at.point as usize,
                None,
                true,
            );
            for (i, value) in result {
                let value = value.map(|v| self.b.exprs.bool(v));
                after.other.push((self.frames[&func].condition_bits[i], value));
            }
        } else if call.result.is_none() && call.temporary.is_none() {
            // A result that is dropped: nothing changes, and yet it may be lost.
            if let Some(r) = arrived.filter(|r| self.frames[&g].results.contains_key(r))
                && self.escaped.is_some()
            {
                let bit = self.arrives(func, &[]);
                let value = self.b.exprs.pre(bit);
                // It is held by nothing but the way it arrived on.
                after.set.insert(r, value);
            }
        } else if self.escaped.is_some()
            && let Some(r) = arrived.filter(|r| self.frames[&g].results.contains_key(r))
        {
            // The target is no path: it goes where it is not followed.
            let bit = self.arrives(func, &[]);
            let value = self.b.exprs.pre(bit);
            self.escapes(&mut after, value);
            let _ = r;
        }
        for o in call.arg_values.iter().flatten() {
            self.consumed(&mut after, func, *o);
        }
        let after = self.came_back(after, func);
        CallPlan { before, enters: Some((g, after)), next: call.next, loose }
    }

    /// The hidden local for an argument whose source is not followed.
    fn loose(&mut self, func: FuncId, position: u32) -> VarId {
        let frame = &self.frames[&func];
        if let Some(&var) = frame.loose.get(&position) {
            return var;
        }
        let name = format!("(argument {position})");
        let var = self.b.hidden_local(frame.proc, &name, Type::BOOL);
        if let Some(frame) = self.frames.get_mut(&func) {
            frame.loose.insert(position, var);
        }
        var
    }

    /// The hidden local where a result's part arrives.
    fn arrives(&mut self, func: FuncId, links: &[L]) -> VarId {
        let frame = &self.frames[&func];
        if let Some(&var) = frame.arrives.get(links) {
            return var;
        }
        let name = format!("(arrives {})", frame.arrives.len());
        let var = self.b.hidden_local(frame.proc, &name, Type::BOOL);
        if let Some(frame) = self.frames.get_mut(&func) {
            frame.arrives.insert(links.to_vec(), var);
        }
        var
    }

    /// `lost` for what a result was before it is assigned: also what arrives was held.
    fn came_back(&mut self, mut act: Act, func: FuncId) -> Act {
        let dropped: Vec<PathId> = act
            .set
            .keys()
            .copied()
            .filter(|p| matches!(self.paths.root(*p), Root::Ret(_)))
            .collect();
        let mut arrived = Exprs::FALSE;
        for p in &dropped {
            if let Some(value) = act.set.remove(p) {
                arrived = self.b.exprs.or(arrived, value);
            }
        }
        for (p, value) in act.set.clone() {
            if !self.paths.in_memory(p) {
                arrived = self.b.exprs.or(arrived, value);
            }
        }
        let changes = !act.set.is_empty() || !dropped.is_empty();
        self.lost(&mut act, func, None, arrived, changes);
        self.note(&act);
        act
    }

    fn returned(&mut self, body: &Body, point: &Point) -> BTreeMap<PathId, ExprId> {
        let s = self.s;
        let func = body.func;
        let of = point.events.iter().chain(&point.hidden).find_map(|e| match *e {
            front_c::Event::ReturnOf(o) => Some(o),
            _ => None,
        });
        let from = of.and_then(|o| self.paths.object(s, o));
        let nothing = Act::default();
        let mut out = BTreeMap::new();
        for p in self.frames[&func].results.keys().copied().collect::<Vec<_>>() {
            let value = match self.paths.root(p) {
                Root::Ret(_) => {
                    let suffix = self.paths.links(p).to_vec();
                    let q = from.and_then(|f| self.paths.find_graft(f, &suffix));
                    q.map_or(Exprs::FALSE, |q| self.read(func, &nothing, q))
                }
                _ => self.read(func, &nothing, p),
            };
            out.insert(p, value);
        }
        out
    }

    fn ended(&mut self, act: Act, func: FuncId) -> Act {
        self.ended_with(act, func, None)
    }

    /// Completes an act: whether the value is lost by it.
    fn ended_with(
        &mut self,
        mut act: Act,
        func: FuncId,
        returned: Option<&BTreeMap<PathId, ExprId>>,
    ) -> Act {
        let changes = !act.set.is_empty() || act.chosen.is_some() || act.leaves;
        self.lost(&mut act, func, returned, Exprs::FALSE, changes);
        self.note(&act);
        act
    }

    fn lost(
        &mut self,
        act: &mut Act,
        func: FuncId,
        returned: Option<&BTreeMap<PathId, ExprId>>,
        arrived: ExprId,
        changes: bool,
    ) {
        let (Some(escaped), true) = (self.escaped, changes) else { return };
        let frame = &self.frames[&func];
        let outer = frame.outer.map_or(Exprs::FALSE, |o| self.b.exprs.pre(o));
        let bits: Vec<(PathId, VarId)> = frame.bits.iter().map(|(p, v)| (*p, *v)).collect();
        let mut held = arrived;
        let mut holds = Exprs::FALSE;
        for (p, bit) in bits {
            if self.paths.in_memory(p) {
                continue;
            }
            let exprs = &mut self.b.exprs;
            let was = exprs.pre(bit);
            held = exprs.or(held, was);
            if !act.leaves {
                let is = act.set.get(&p).copied().unwrap_or(was);
                holds = exprs.or(holds, is);
            }
        }
        for (&p, &value) in returned.into_iter().flatten() {
            if matches!(self.paths.root(p), Root::Ret(_)) {
                holds = self.b.exprs.or(holds, value);
            }
        }
        let exprs = &mut self.b.exprs;
        if let Some(chosen) = act.chosen {
            held = exprs.or(held, chosen);
        }
        let mut free = exprs.pre(escaped);
        if let Some(escape) = act.escape {
            free = exprs.or(free, escape);
        }
        free = exprs.or(free, outer);
        free = exprs.or(free, holds);
        let not = exprs.not(free);
        let lost = exprs.and(held, not);
        self.atom(act, lost, |e| *e == Event::Lost);
    }

    /// Notes the letters that an act can have.
    fn note(&mut self, act: &Act) {
        let (fixed, dynamic) = split(act);
        for mask in 0..1u64 << dynamic.len().min(MAX_DYNAMIC) {
            self.letters.insert(letter(fixed, &dynamic, mask));
        }
        if dynamic.len() > MAX_DYNAMIC {
            self.limits.insert("a point has too many events that depend on the value".to_owned());
        }
    }

    // Edges.

    /// The step of the automaton: when the rule is violated, and what the state is then.
    fn advance(&mut self, act: &Act, dfa: &Dfa) -> (ExprId, Option<ExprId>) {
        let (fixed, dynamic) = split(act);
        let count = dynamic.len().min(MAX_DYNAMIC);
        let mut letters: Vec<(ExprId, u64)> = Vec::new();
        for mask in 0..1u64 << count {
            let mut when = Exprs::TRUE;
            for (k, (_, e)) in dynamic.iter().enumerate().take(count) {
                let e = if mask >> k & 1 == 1 { *e } else { self.b.exprs.not(*e) };
                when = self.b.exprs.and(when, e);
            }
            letters.push((when, letter(fixed, &dynamic, mask)));
        }
        let mut violated = Exprs::FALSE;
        let mut next = self.b.exprs.pre(self.state);
        let mut moves = false;
        let on = self.b.exprs.pre(self.on);
        for state in (0..dfa.len()).filter(|s| !dfa.accepting[*s as usize]) {
            let exprs = &mut self.b.exprs;
            let (is, number) = (exprs.pre(self.state), exprs.int(i64::from(state)));
            let is = exprs.binary(BinaryOp::Eq, is, number);
            let mut here = exprs.and(on, is);
            if state == 0
                && let Some(chosen) = act.chosen
            {
                here = exprs.or(here, chosen);
            }
            let mut to = number;
            for &(when, letter) in &letters {
                let target = dfa.step(state, letter);
                if dfa.accepting[target as usize] {
                    let case = exprs.and(here, when);
                    violated = exprs.or(violated, case);
                } else if target != state {
                    moves = true;
                    let target = exprs.int(i64::from(target));
                    to = exprs.add(Expr::Ite(when, target, to));
                }
            }
            if to != number {
                next = exprs.add(Expr::Ite(here, to, next));
            }
        }
        (violated, moves.then_some(next))
    }

    /// The relation of an act without a violation, and when it is one.
    fn relation(&mut self, act: &Act, func: Option<FuncId>, dfa: &Dfa) -> (Rel, ExprId) {
        let (violated, next) = self.advance(act, dfa);
        let mut guard = act.guard.unwrap_or(Exprs::TRUE);
        if violated != Exprs::FALSE {
            let not = self.b.exprs.not(violated);
            guard = self.b.exprs.and(guard, not);
        }
        let mut rel = Rel::guarded(guard, act.choices);
        let mut assigns: Vec<(VarId, Option<ExprId>)> = Vec::new();
        for (&p, &value) in &act.set {
            let bit = match func {
                Some(func) => self.bit(func, p),
                None => self.globals.get(&p).copied(),
            };
            assigns.extend(bit.map(|bit| (bit, Some(value))));
        }
        assigns.extend(act.other.iter().copied());
        if let Some(next) = next {
            assigns.push((self.state, Some(next)));
        }
        if let Some(chosen) = act.chosen {
            let on = self.b.exprs.pre(self.on);
            let on = self.b.exprs.or(on, chosen);
            assigns.push((self.on, Some(on)));
        }
        if let (Some(escaped), Some(escape)) = (self.escaped, act.escape) {
            let old = self.b.exprs.pre(escaped);
            let new = self.b.exprs.or(old, escape);
            assigns.push((escaped, Some(new)));
        }
        let mut seen = FxHashSet::default();
        assigns.reverse();
        assigns.retain(|(var, _)| seen.insert(*var));
        assigns.reverse();
        // Of several values that could be chosen, one is.
        if act.choices > 1 {
            let mut any = Exprs::FALSE;
            let mut one = Exprs::TRUE;
            for k in 0..act.choices {
                let c = self.b.exprs.choice(k);
                let both = self.b.exprs.and(any, c);
                let not = self.b.exprs.not(both);
                one = self.b.exprs.and(one, not);
                any = self.b.exprs.or(any, c);
            }
            rel.guard = self.b.exprs.and(rel.guard, one);
        }
        let assign = |(var, value)| Assign { time: Time::Post, var, index: None, value };
        rel.assigns = assigns.into_iter().map(assign).collect();
        (rel, violated)
    }

    fn edge(&mut self, source: NodeId, kind: EdgeKind, step: bool, executes: Option<Executes>) {
        self.edges.push((source, executes));
        let events = self.b.no_events();
        self.b.edge(Edge { source, kind, step, events, marks: 0 });
    }

    /// A local edge that does an act, and one to where it violates the rule.
    fn act_edge(
        &mut self,
        source: NodeId,
        target: NodeId,
        act: &Act,
        func: FuncId,
        executes: Executes,
        dfa: &Dfa,
    ) {
        let (rel, violated) = self.relation(act, Some(func), dfa);
        let atoms = act.atoms.keys().fold(0, |bits, a| bits | 1 << a);
        let executes = Executes { atoms, ..executes };
        let (choices, guard) = (rel.choices, act.guard.unwrap_or(Exprs::TRUE));
        self.edge(source, EdgeKind::Local { target, rel }, true, Some(executes));
        if violated != Exprs::FALSE {
            let error = self.b.silent();
            let guard = self.b.exprs.and(guard, violated);
            let rel = Rel::guarded(guard, choices);
            self.edge(source, EdgeKind::Local { target: error, rel }, true, Some(executes));
            let object = act.object.map(|o| {
                let object = &self.s.objects[o.index()];
                if object.temporary { "the result".to_owned() } else { object.name.clone() }
            });
            self.violations.push(Violation { node: error, at: executes.at, object });
        }
    }

    /// W1: addresses of locals come into being with the frame.
    fn entry_act(&mut self, func: FuncId) -> Act {
        let mut entry = Act::default();
        if self.relevance.results_only {
            return entry;
        }
        for p in self.own.get(&func).cloned().unwrap_or_default() {
            if self.paths.is_address(p) && matches!(self.paths.root(p), Root::Var(_)) {
                let chosen = self.born(&mut entry, None, Some(func), p);
                if chosen != Exprs::FALSE {
                    entry.set.insert(p, chosen);
                    self.atom(&mut entry, chosen, |e| *e == Event::New);
                }
            }
        }
        self.note(&entry);
        entry
    }

    fn body(&mut self, number: usize, entry: &Act, plans: Vec<Option<Plan>>, dfa: &Dfa) {
        let s = self.s;
        let body = &s.bodies[number];
        let func = body.func;
        let proc = self.frames[&func].proc;
        self.b.begin_proc(proc);
        self.unwind = None;
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(plans.len());
        for (point, plan) in body.points.iter().zip(&plans) {
            nodes.push(plan.as_ref().map(|_| {
                let at = self.b.origin(point.at.file, point.at.line, point.at.column, &point.text);
                self.b.statement(at)
            }));
        }
        let stop = self.b.silent();
        let to = self.silent(body, &nodes, stop);
        let first = to(body.entry);
        let start = if entry.is_trivial() {
            first
        } else {
            let start = self.b.silent();
            let (rel, _) = self.relation(entry, Some(func), dfa);
            self.edge(start, EdgeKind::Local { target: first, rel }, false, None);
            start
        };
        self.b.entry(proc, start);
        for (i, plan) in plans.into_iter().enumerate() {
            let (Some(plan), Some(source)) = (plan, nodes[i]) else { continue };
            let at = At { body: number as u32, point: i as u32 };
            let executes = Executes { at, arm: None, calls: None, atoms: 0 };
            match plan {
                Plan::Next(act, next) => {
                    self.act_edge(source, to(next), &act, func, executes, dfa);
                }
                Plan::Branch(ways) => {
                    for (k, (act, next)) in ways.iter().enumerate() {
                        let executes = Executes { arm: Some(k as u32), ..executes };
                        self.act_edge(source, to(*next), act, func, executes, dfa);
                    }
                }
                Plan::Return(act, results) => {
                    let mut leave = source;
                    if !act.is_trivial() {
                        leave = self.b.silent();
                        self.act_edge(source, leave, &act, func, executes, dfa);
                    }
                    let results = results
                        .iter()
                        .map(|(p, e)| (self.frames[&func].results[p], Some(*e)))
                        .collect::<Vec<_>>();
                    let rel = Rel::assign(results, 0);
                    let executes = act.is_trivial().then_some(executes);
                    self.edge(leave, EdgeKind::Return { rel }, executes.is_some(), executes);
                }
                Plan::Call(plans) => {
                    for plan in plans {
                        self.call_edges(source, at, plan, func, &to, dfa);
                    }
                }
            }
        }
    }

    fn call_edges(
        &mut self,
        source: NodeId,
        at: At,
        plan: CallPlan,
        func: FuncId,
        to: &dyn Fn(Next) -> NodeId,
        dfa: &Dfa,
    ) {
        let s = self.s;
        let Flow::Call(call) = &s.bodies[at.body as usize].points[at.point as usize].flow else {
            return;
        };
        let mut target = to(plan.next);
        if let Some(jumping) = self.jumping
            && plan.before.other.iter().any(|(var, _)| *var == jumping)
        {
            target = self.landing(at, func, jumping, None, to);
        }
        let Some((g, after)) = plan.enters else {
            let executes = Executes { at, arm: None, calls: None, atoms: 0 };
            self.act_edge(source, target, &plan.before, func, executes, dfa);
            return;
        };
        let executes = Executes { at, arm: None, calls: Some(g), atoms: 0 };
        let mut from = source;
        if !plan.before.is_trivial() {
            from = self.b.silent();
            let before = Executes { calls: None, ..executes };
            self.act_edge(source, from, &plan.before, func, before, dfa);
        }
        let mut enter = Rel::identity();
        let nothing = Act::default();
        let Some(callee) = s.body(g) else { return };
        let mut assigns: Vec<(VarId, Option<ExprId>)> = Vec::new();
        let bits: Vec<(PathId, VarId)> =
            self.frames[&g].bits.iter().map(|(p, v)| (*p, *v)).collect();
        for (p, bit) in bits {
            let Root::Var(o) = self.paths.root(p) else { continue };
            let suffix = self.paths.links(p).to_vec();
            let position = callee.params.iter().position(|q| *q == Some(o));
            let arg = position.and_then(|i| call.arg_values.get(i).copied().flatten());
            // The address of a parameter is its own.
            let arg = arg.filter(|_| Paths::depends(&suffix));
            let path = arg.and_then(|arg| self.paths.object(s, arg));
            let q = path.and_then(|a| self.paths.find_graft(a, &suffix));
            let mut value = q.map_or(Exprs::FALSE, |q| self.read(func, &nothing, q));
            if let Some(&var) =
                position.filter(|_| suffix.is_empty()).and_then(|i| plan.loose.get(&(i as u32)))
            {
                let chosen = self.b.exprs.pre(var);
                value = self.b.exprs.or(value, chosen);
            }
            assigns.push((bit, Some(value)));
        }
        if let Some(outer) = self.frames[&g].outer {
            let mut held = self.frames[&func].outer.map_or(Exprs::FALSE, |o| self.b.exprs.pre(o));
            let own: Vec<(PathId, VarId)> =
                self.frames[&func].bits.iter().map(|(p, v)| (*p, *v)).collect();
            for (p, bit) in own {
                if !self.paths.in_memory(p) {
                    let bit = self.b.exprs.pre(bit);
                    held = self.b.exprs.or(held, bit);
                }
            }
            assigns.push((outer, Some(held)));
        }
        if let Some(top) = self.frames[&g].top {
            assigns.push((top, Some(Exprs::FALSE)));
        }
        for &(known, failed) in self.frames[&g].outcomes.values() {
            assigns.push((known, Some(Exprs::FALSE)));
            assigns.push((failed, Some(Exprs::FALSE)));
        }
        // Conditions that the arguments decide.
        let frame = &self.frames[&g];
        let caller = &s.bodies[at.body as usize];
        for (i, value) in frame.conditions.entered(caller, call, callee) {
            let value = if value { Exprs::TRUE } else { Exprs::FALSE };
            assigns.push((frame.condition_bits[i], Some(value)));
        }
        let assign = |(var, value)| Assign { time: Time::Post, var, index: None, value };
        enter.assigns = assigns.into_iter().map(assign).collect();
        // Back: results arrive, and what is behind arguments is what is behind parameters.
        let mut back: BTreeMap<VarId, Option<ExprId>> = BTreeMap::new();
        let results: Vec<(PathId, VarId)> =
            self.frames[&g].results.iter().map(|(p, v)| (*p, *v)).collect();
        for (p, result) in results {
            let value = self.b.exprs.pre(result);
            match self.paths.root(p) {
                Root::Ret(_) => {
                    let links = self.paths.links(p).to_vec();
                    if let Some(&var) = self.frames[&func].arrives.get(&links) {
                        back.insert(var, Some(value));
                    }
                }
                Root::Var(o) => {
                    let position = callee.params.iter().position(|q| *q == Some(o));
                    let arg = position.and_then(|i| call.arg_values.get(i).copied().flatten());
                    let path = arg.and_then(|arg| self.paths.object(s, arg));
                    let suffix = self.paths.links(p).to_vec();
                    let q = path.and_then(|a| self.paths.find_graft(a, &suffix));
                    let Some(bit) = q.and_then(|q| self.bit(func, q)) else { continue };
                    // A parameter that changed points elsewhere: what the argument points to is not
                    // known any more.
                    let kept = !self.frames[&g].changed.contains(&o);
                    back.insert(bit, Some(if kept { value } else { Exprs::FALSE }));
                }
                Root::Arg(_) => {}
            }
        }
        let changes = self.frames[&func].conditions.changes(
            s,
            &self.effects,
            &s.bodies[at.body as usize],
            at.point as usize,
            Some(Callee::Known(g)),
            false,
        );
        for (i, _) in changes {
            back.insert(self.frames[&func].condition_bits[i], None);
        }
        let back = Rel { assigns: back.into_iter().map(assign).collect(), ..Rel::identity() };
        let mut ret = target;
        if !after.is_trivial() {
            let point = &s.bodies[at.body as usize].points[at.point as usize];
            let origin = self.b.origin(point.at.file, point.at.line, point.at.column, &point.text);
            ret = self.b.statement(origin);
            let executes = Executes { calls: None, ..executes };
            self.act_edge(ret, target, &after, func, executes, dfa);
        }
        if let Some(jumping) = self.jumping.filter(|_| self.may_jump.contains(&g)) {
            ret = self.landing(at, func, jumping, Some(ret), to);
        }
        let callee = self.frames[&g].proc;
        let kind = EdgeKind::Call(Box::new(ir::Call { callee, enter, ret, back }));
        self.edge(from, kind, true, Some(executes));
    }

    /// Where a call comes back to that a `longjmp` may have left: on to `ret`, or to a `setjmp` of this
    /// body, or out of its frame.
    fn landing(
        &mut self,
        at: At,
        func: FuncId,
        jumping: VarId,
        ret: Option<NodeId>,
        to: &dyn Fn(Next) -> NodeId,
    ) -> NodeId {
        let node = self.b.silent();
        let flag = self.b.exprs.pre(jumping);
        if let Some(target) = ret {
            let no = self.b.exprs.not(flag);
            let rel = Rel::guarded(no, 0);
            self.edge(node, EdgeKind::Local { target, rel }, false, None);
        }
        let unwind = match self.unwind {
            Some(unwind) => unwind,
            None => {
                let unwind = self.b.silent();
                self.unwind = Some(unwind);
                let results = self.frames[&func].results.values();
                let rel = Rel::assign(results.map(|&r| (r, Some(Exprs::FALSE))), 0);
                self.edge(unwind, EdgeKind::Return { rel }, false, None);
                unwind
            }
        };
        let rel = Rel::guarded(flag, 0);
        self.edge(node, EdgeKind::Local { target: unwind, rel }, false, None);
        let body = &self.s.bodies[at.body as usize];
        for &setjmp in &body.setjmps {
            let Flow::Call(call) = &body.points[setjmp as usize].flow else { continue };
            let target = to(call.next);
            let mut rel = Rel::guarded(flag, 0);
            let mut assigns = vec![(jumping, Some(Exprs::FALSE))];
            // What was tested may be different now.
            assigns.extend(self.frames[&func].condition_bits.iter().map(|&bit| (bit, None)));
            let result = call.result.or(call.temporary);
            if let Some(&(known, failed)) = result.and_then(|o| self.frames[&func].outcomes.get(&o))
            {
                assigns.extend([(known, Some(Exprs::TRUE)), (failed, Some(Exprs::TRUE))]);
            }
            let assign = |(var, value)| Assign { time: Time::Post, var, index: None, value };
            rel.assigns = assigns.into_iter().map(assign).collect();
            self.edge(node, EdgeKind::Local { target, rel }, false, None);
        }
        node
    }

    /// The nodes for points that do nothing (P1): the first node that all ways from there come to, or
    /// one of their own where they part.
    fn silent(
        &mut self,
        body: &Body,
        nodes: &[Option<NodeId>],
        stop: NodeId,
    ) -> impl Fn(Next) -> NodeId + use<> {
        let quiet = |i: usize| -> Vec<Next> {
            match &body.points[i].flow {
                Flow::Next(next) => vec![*next],
                Flow::Branch(arms) => arms.iter().map(|a| a.next).collect(),
                Flow::Return => Vec::new(),
                Flow::Call(call) => vec![call.next],
            }
        };
        let count = nodes.len();
        let (components, order) = components(count, |i| {
            if nodes[i].is_some() {
                return Vec::new();
            }
            let next = quiet(i).into_iter();
            next.filter_map(|n| match n {
                Next::Point(p) => Some(p as usize),
                _ => None,
            })
            .collect()
        });
        // Components come after those that they lead to.
        let mut node: Vec<Option<NodeId>> = vec![None; order.len()];
        for (c, members) in order.iter().enumerate() {
            if let [only] = members[..]
                && let Some(n) = nodes[only]
            {
                node[c] = Some(n);
                continue;
            }
            let mut exits: Vec<NodeId> = Vec::new();
            for &i in members {
                for next in quiet(i) {
                    let to = match next {
                        Next::Point(p) if components[p as usize] == c => continue,
                        Next::Point(p) => node[components[p as usize]].unwrap_or(stop),
                        Next::Stop | Next::Spin => stop,
                    };
                    if to != stop && !exits.contains(&to) {
                        exits.push(to);
                    }
                }
            }
            node[c] = Some(match exits[..] {
                [] => stop,
                [only] => only,
                _ => {
                    let here = self.b.silent();
                    for target in exits {
                        let rel = Rel::identity();
                        self.edge(here, EdgeKind::Local { target, rel }, false, None);
                    }
                    here
                }
            });
        }
        move |next: Next| match next {
            Next::Point(p) => node[components[p as usize]].unwrap_or(stop),
            Next::Stop | Next::Spin => stop,
        }
    }

    // The start.

    fn start_acts(&mut self) -> (Act, Vec<Start>) {
        let mut globals = Act::default();
        let mut roots = Vec::new();
        if !self.relevance.results_only {
            // Where the program starts with `main`, its variables hold constants.
            let is_main = |g: &FuncId| self.s.funcs[g.index()].name == "main";
            let from_main = self.roots.iter().any(is_main);
            for p in self.globals.keys().copied().collect::<Vec<_>>() {
                if let Root::Var(o) = self.paths.root(p)
                    && from_main
                    && !self.paths.is_address(p)
                    && self.s.objects[o.index()].defined
                {
                    continue;
                }
                let chosen = self.born(&mut globals, None, None, p);
                if chosen == Exprs::FALSE {
                    continue;
                }
                globals.set.insert(p, chosen);
                let Root::Var(o) = self.paths.root(p) else { continue };
                if self.paths.is_address(p) && self.s.objects[o.index()].defined {
                    self.atom(&mut globals, chosen, |e| *e == Event::New);
                }
            }
            self.note(&globals);
        }
        for &g in &self.roots.clone() {
            let Some(frame) = self.frames.get(&g) else { continue };
            let mut act = Act::default();
            let mut bits = BTreeMap::new();
            if !self.relevance.results_only {
                let body = self.s.body(g);
                let params: FxHashSet<ObjectId> =
                    body.into_iter().flat_map(|b| b.params.iter().flatten().copied()).collect();
                for p in frame.bits.keys().copied().collect::<Vec<_>>() {
                    if let Root::Var(o) = self.paths.root(p)
                        && params.contains(&o)
                        && !self.paths.is_address(p)
                    {
                        let chosen = self.born(&mut act, None, Some(g), p);
                        if chosen != Exprs::FALSE {
                            bits.insert(p, chosen);
                        }
                    }
                }
                self.note(&act);
            }
            roots.push((g, act, bits));
        }
        (globals, roots)
    }

    fn harness(&mut self, (globals, roots): (Act, Vec<Start>), dfa: &Dfa) -> ProcId {
        let at = self.b.no_origin();
        let proc = self.b.proc("(run)", at);
        self.b.begin_proc(proc);
        let (start, ready, end) = (self.b.silent(), self.b.silent(), self.b.silent());
        self.b.entry(proc, start);
        // Everything has a value from here on.
        let mut globals = globals;
        for &p in self.globals.keys() {
            globals.set.entry(p).or_insert(Exprs::FALSE);
        }
        let first = self.escaped.into_iter().chain(self.jumping);
        globals.other.extend(first.map(|var| (var, Some(Exprs::FALSE))));
        let (rel, _) = self.relation(&globals, None, dfa);
        self.edge(start, EdgeKind::Local { target: ready, rel }, false, None);
        for (g, act, bits) in roots {
            let (mut enter, _) = self.relation(&act, None, dfa);
            let mut assigns: Vec<(VarId, Option<ExprId>)> =
                enter.assigns.iter().map(|a| (a.var, a.value)).collect();
            let frame = &self.frames[&g];
            for (p, bit) in &frame.bits {
                assigns.push((*bit, Some(bits.get(p).copied().unwrap_or(Exprs::FALSE))));
            }
            // What comes from outside is held there.
            if let Some(outer) = frame.outer {
                let mut chosen = Exprs::FALSE;
                for &bit in bits.values() {
                    chosen = self.b.exprs.or(chosen, bit);
                }
                assigns.push((outer, Some(chosen)));
            }
            if let Some(top) = frame.top {
                assigns.push((top, Some(Exprs::TRUE)));
            }
            for &(known, failed) in frame.outcomes.values() {
                assigns.push((known, Some(Exprs::FALSE)));
                assigns.push((failed, Some(Exprs::FALSE)));
            }
            let assign = |(var, value)| Assign { time: Time::Post, var, index: None, value };
            enter.assigns = assigns.into_iter().map(assign).collect();
            let callee = frame.proc;
            let call = ir::Call { callee, enter, ret: end, back: Rel::identity() };
            self.edge(ready, EdgeKind::Call(Box::new(call)), false, None);
        }
        proc
    }

    fn init(&mut self, last: usize) -> Init {
        let exprs = &mut self.b.exprs;
        let on = exprs.pre(self.on);
        let mut condition = exprs.not(on);
        let (state, zero) = (exprs.pre(self.state), exprs.int(0));
        let start = exprs.binary(BinaryOp::Eq, state, zero);
        condition = exprs.and(condition, start);
        if self.numbered {
            let (birth, last) = (exprs.pre(self.birth), exprs.int(last as i64));
            let known = exprs.binary(BinaryOp::Le, birth, last);
            condition = exprs.and(condition, known);
        }
        Init { condition, choices: 0 }
    }
}

/// Atoms that hold in any case, and those that depend on the value.
fn split(act: &Act) -> (u64, Vec<(u32, ExprId)>) {
    let mut fixed = 0;
    let mut dynamic = Vec::new();
    for (&atom, &when) in &act.atoms {
        match when {
            Exprs::TRUE => fixed |= 1 << atom,
            Exprs::FALSE => {}
            _ => dynamic.push((atom, when)),
        }
    }
    (fixed, dynamic)
}

fn letter(fixed: u64, dynamic: &[(u32, ExprId)], mask: u64) -> u64 {
    let taken = dynamic.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1);
    taken.fold(fixed, |letter, (_, (atom, _))| letter | 1 << atom)
}

/// Letters enough to tell whether a rule minds steps without events: each atom alone, and none.
fn all_letters(rule: &Rule) -> BTreeSet<u64> {
    let count = rule.nfa.atoms.len();
    let mut out = BTreeSet::from([0]);
    if count <= 8 {
        out.extend(0..1u64 << count);
    } else {
        for i in 0..count {
            out.insert(1 << i);
            out.extend((0..i).map(|k| 1 << i | 1 << k));
        }
    }
    out
}

fn comparison(relation: Relation) -> Comparison {
    match relation {
        Relation::Eq => Comparison::Eq,
        Relation::Ne => Comparison::Ne,
        Relation::Lt => Comparison::Lt,
        Relation::Le => Comparison::Le,
        Relation::Gt => Comparison::Gt,
        Relation::Ge => Comparison::Ge,
    }
}

fn is_longjmp(name: &str) -> bool {
    matches!(name, "longjmp" | "_longjmp" | "siglongjmp" | "__builtin_longjmp")
}

fn is_setjmp(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp")
}

/// Variables of a body that are assigned, or have their address taken.
fn changed(s: &Skeleton, body: &Body) -> FxHashSet<ObjectId> {
    use front_c::Event as E;
    let mut out = FxHashSet::default();
    for point in &body.points {
        let result = match &point.flow {
            Flow::Call(call) => &call.result_events[..],
            _ => &[],
        };
        for event in point.events.iter().chain(result) {
            match *event {
                E::Assign(o) | E::Modify(o) => {
                    out.insert(o);
                }
                E::Address(o) if s.objects[o.index()].reach == front_c::Reach::Var => {
                    out.insert(o);
                }
                _ => {}
            }
        }
    }
    out
}

/// Strongly connected components, those that are led to first ([tarjan]).
fn components(count: usize, next: impl Fn(usize) -> Vec<usize>) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut number = vec![usize::MAX; count];
    let mut low = vec![0usize; count];
    let mut component = vec![usize::MAX; count];
    let mut order: Vec<Vec<usize>> = Vec::new();
    let mut stack = Vec::new();
    let mut counter = 0;
    for root in 0..count {
        if number[root] != usize::MAX {
            continue;
        }
        let mut calls: Vec<(usize, Vec<usize>)> = vec![(root, next(root))];
        number[root] = counter;
        low[root] = counter;
        counter += 1;
        stack.push(root);
        while let Some((v, rest)) = calls.last_mut() {
            let v = *v;
            if let Some(w) = rest.pop() {
                if number[w] == usize::MAX {
                    number[w] = counter;
                    low[w] = counter;
                    counter += 1;
                    stack.push(w);
                    calls.push((w, next(w)));
                } else if component[w] == usize::MAX {
                    low[v] = low[v].min(number[w]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
            if low[v] == number[v] {
                let mut members = Vec::new();
                while let Some(w) = stack.pop() {
                    component[w] = order.len();
                    members.push(w);
                    if w == v {
                        break;
                    }
                }
                members.reverse();
                order.push(members);
            }
        }
    }
    (component, order)
}
