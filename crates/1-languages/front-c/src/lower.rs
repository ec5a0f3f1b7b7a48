//! Skeletons → [`ir::Program`].
//!
//! Each point is a statement node, its letter the events of its edges. The ways out of a condition
//! are edges in the order true, false; those of a `switch` in the order of its cases, the default
//! last. Data is dropped but for the variables that are kept ([`Keep`]) and, on request, one bit for
//! every condition that is tested twice ([`Options::feasibility`]).

mod outside;

use crate::conditions::{Callee, Conditions, Effects};
use crate::keep::{KeptValues, KeptVariables, push};
use crate::library::{is_failed_assertion, is_longjmp, names_an_error};
use crate::objects::{Func, FuncId, ObjectId};
use crate::skeleton::{Body, Call, Flow, Next, Point, Skeleton, When};
use ir::{
    Edge, EdgeKind, EventsId, Expr, ExprId, Exprs, Init, NodeId, Origin, ProcId, Program,
    ProgramBuilder, Rel, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// What becomes of a skeleton.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The function that the program starts with. Without one, `main`; where there is none, any
    /// function that other units or pointers can call, or that nobody calls.
    pub entry: Option<String>,
    /// Variables whose values are kept.
    pub keep: Vec<Keep>,
    /// Functions that are events only, even if they have a body: those that rules speak of.
    pub opaque: Vec<String>,
    /// A condition that is tested twice has the same value, unless something in it may have
    /// changed.
    pub feasibility: bool,
    /// The events that questions speak of. A point whose ways out differ in one of them becomes a
    /// node for each way, so that every node has one letter.
    pub letters: Vec<String>,
    /// A call that ends the program leaves all functions; otherwise nothing goes on there, and an
    /// infinite run that ends so would be none.
    pub exits: bool,
}

/// A variable to be kept. Values that do not fit are not followed: they may be anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keep {
    /// `x`, or `f::x` for a local.
    pub var: String,
    /// Its width, 1 to 32; without a sign, unless its type is no wider.
    pub bits: u32,
    /// It is asked about: whatever its width, all values of its type are kept.
    pub exact: bool,
}

/// Why there is no program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LowerError {
    /// The entry function is not there, or has no body.
    NoEntry {
        /// Its name.
        name: String,
    },
    /// No function has a body.
    Empty,
    /// A variable to be kept is not there.
    NoVariable {
        /// Its name.
        name: String,
    },
    /// A width that no variable has.
    BadWidth {
        /// The variable.
        name: String,
        /// The width.
        bits: u32,
    },
    /// A variable to be kept is no integer.
    NoInteger {
        /// The variable.
        name: String,
    },
    /// A variable to be kept may change at any time.
    Volatile {
        /// The variable.
        name: String,
    },
    /// A formula speaks of a variable whose type is too wide for that.
    TooWide {
        /// The variable.
        name: String,
        /// The bits of its type.
        bits: u32,
    },
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::NoEntry { name } => write!(f, "no function `{name}` with a body"),
            LowerError::Empty => write!(f, "no function has a body"),
            LowerError::NoVariable { name } => write!(f, "no variable `{name}`"),
            LowerError::BadWidth { name, bits } => {
                write!(f, "`{name}` cannot have {bits} bits, only 1 to 32")
            }
            LowerError::NoInteger { name } => {
                write!(f, "`{name}` cannot be kept: it is no integer")
            }
            LowerError::Volatile { name } => write!(
                f,
                "`{name}` cannot be kept: it may change at any time (it is `volatile` or atomic, or a \
                 signal handler or another thread assigns it)"
            ),
            LowerError::TooWide { name, bits } => write!(
                f,
                "a formula cannot speak of `{name}`, which has {bits} bits; 32 are the most"
            ),
        }
    }
}

impl std::error::Error for LowerError {}

/// A program, and where its skeleton's parts are in it.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// The procedure of each body; none for those that are events only.
    pub procs: Vec<Option<ProcId>>,
    /// The node of each point of each body.
    pub nodes: Vec<Vec<NodeId>>,
    /// The variable of each object that is kept.
    pub vars: Vec<(ObjectId, VarId)>,
}

/// Makes a program of a skeleton.
pub fn lower(skeleton: &Skeleton, options: &Options) -> Result<Lowered, LowerError> {
    Lowering::new(skeleton, options)?.run()
}

struct Lowering<'a> {
    skeleton: &'a Skeleton,
    options: &'a Options,
    b: ProgramBuilder,
    /// Of each function, its procedure.
    proc: Vec<Option<ProcId>>,
    kept: KeptVariables,
    /// Set while a `longjmp` looks for its `setjmp`; there if the program calls one.
    jumping: Option<VarId>,
    may_jump: FxHashSet<FuncId>,
    /// Set when the program is about to end; there if that is asked for.
    exiting: Option<VarId>,
    may_exit: FxHashSet<FuncId>,
    /// The procedure that calls what was given away, and what that is.
    outside: Option<ProcId>,
    callbacks: Vec<FuncId>,
    /// Functions that run before or behind `main`; whether anything runs when the program ends.
    by_itself: Vec<FuncId>,
    at_exit: bool,
    effects: Effects,
}

/// What is there while one body is lowered.
struct Here<'a> {
    body: &'a Body,
    nodes: Vec<NodeId>,
    stop: Option<NodeId>,
    spin: Option<NodeId>,
    unwind: Option<NodeId>,
    /// Of points whose ways are told apart, the node of each way.
    ways: FxHashMap<usize, Vec<NodeId>>,
    values: KeptValues,
    conditions: Conditions,
    /// The bit of each condition.
    bits: Vec<VarId>,
}

impl<'a> Lowering<'a> {
    fn new(skeleton: &'a Skeleton, options: &'a Options) -> Result<Self, LowerError> {
        Ok(Lowering {
            skeleton,
            options,
            b: ProgramBuilder::new(),
            proc: vec![None; skeleton.funcs.len()],
            kept: KeptVariables::default(),
            jumping: None,
            may_jump: FxHashSet::default(),
            exiting: None,
            may_exit: FxHashSet::default(),
            outside: None,
            callbacks: Vec::new(),
            by_itself: Vec::new(),
            at_exit: false,
            effects: Effects::new(skeleton, false, &|_| false),
        })
    }

    fn run(mut self) -> Result<Lowered, LowerError> {
        let s = self.skeleton;
        if s.files.is_empty() {
            self.b.file("");
        }
        for file in &s.files {
            self.b.file(file);
        }
        let opaque: FxHashSet<&str> = self.options.opaque.iter().map(String::as_str).collect();
        for body in &s.bodies {
            let func = &s.funcs[body.func.index()];
            if opaque.contains(func.name.as_str()) {
                continue;
            }
            let at = self.b.origin(body.at.file, body.at.line, body.at.column, &func.unique);
            self.proc[body.func.index()] = Some(self.b.proc(&func.unique, at));
        }
        let proc = |f: FuncId| self.proc[f.index()];
        self.kept = KeptVariables::declare(s, &self.options.keep, &proc, true, &mut self.b)?;
        self.look_outside();
        self.jumps();
        let roots = self.roots()?;
        self.see_through_calls(&roots);
        let mut nodes = Vec::with_capacity(s.bodies.len());
        for body in &s.bodies {
            nodes.push(match self.proc[body.func.index()] {
                Some(proc) => self.body(body, proc),
                None => Vec::new(),
            });
        }
        self.outside_body();
        let main = s.bodies.iter().filter(|b| s.funcs[b.func.index()].name == "main");
        let main: Vec<_> = main.filter_map(|b| self.proc[b.func.index()]).collect();
        let from_main = roots.iter().all(|root| main.contains(root));
        let entry = match roots[..] {
            [only] => only,
            _ => self.harness(&roots),
        };
        let entry = self.whole(entry);
        let init = self.init(from_main);
        let procs = s.bodies.iter().map(|b| self.proc[b.func.index()]).collect();
        let vars = self.kept.variables().collect();
        let program = self.b.finish(entry, init);
        debug_assert_eq!(program.validate().map_err(|e| e.to_string()), Ok(()));
        Ok(Lowered { program, procs, nodes, vars })
    }

    /// V5 and V7 of kept variables.
    fn see_through_calls(&mut self, roots: &[ProcId]) {
        let s = self.skeleton;
        let entered = |f: FuncId| self.proc[f.index()];
        let main = s.func_named("main").and_then(&entered);
        if main.is_some() && main == roots.first().copied() && roots.len() == 1 {
            self.kept.close(s, &|f| entered(f).is_some());
        }
        if self.jumping.is_none() && self.exiting.is_none() {
            self.kept.declare_results(s, &entered, &mut self.b);
        }
    }

    /// Which functions a `longjmp` may leave, and which a call that ends the program.
    fn jumps(&mut self) {
        self.may_jump = self.left_by(&|f| is_longjmp(&f.name));
        if !self.may_jump.is_empty() {
            self.jumping = Some(self.b.hidden_global("(jumping)", Type::BOOL));
        }
        if self.options.exits {
            self.may_exit = self.left_by(&|f| f.noreturn && !is_longjmp(&f.name));
            if !self.may_exit.is_empty() {
                self.exiting = Some(self.b.hidden_global("(exiting)", Type::BOOL));
            }
        }
    }

    /// The functions with a body that call, however indirectly, one without a body of some kind.
    fn left_by(&self, kind: &dyn Fn(&Func) -> bool) -> FxHashSet<FuncId> {
        let s = self.skeleton;
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        let (mut out, mut todo) = (FxHashSet::default(), Vec::new());
        for body in &s.bodies {
            for point in &body.points {
                let Flow::Call(call) = &point.flow else { continue };
                if self.leads_outside(call) {
                    for f in &self.callbacks {
                        callers.entry(*f).or_default().push(body.func);
                    }
                }
                for f in &call.targets {
                    if self.proc[f.index()].is_some() {
                        callers.entry(*f).or_default().push(body.func);
                    } else if kind(&s.funcs[f.index()]) && out.insert(body.func) {
                        todo.push(body.func);
                    }
                }
            }
        }
        while let Some(f) = todo.pop() {
            for &caller in callers.get(&f).into_iter().flatten() {
                if out.insert(caller) {
                    todo.push(caller);
                }
            }
        }
        out
    }

    fn roots(&self) -> Result<Vec<ProcId>, LowerError> {
        let s = self.skeleton;
        let named = |name: &str| s.func_named(name).and_then(|f| self.proc[f.index()]);
        if let Some(name) = &self.options.entry {
            return match named(name) {
                Some(proc) => Ok(vec![proc]),
                None => Err(LowerError::NoEntry { name: name.clone() }),
            };
        }
        if let Some(main) = named("main") {
            return Ok(vec![main]);
        }
        let mut called: FxHashSet<FuncId> = FxHashSet::default();
        for body in &s.bodies {
            for point in &body.points {
                if let Flow::Call(call) = &point.flow {
                    called.extend(call.targets.iter().filter(|f| **f != body.func));
                }
            }
        }
        let roots: Vec<ProcId> = s
            .bodies
            .iter()
            .filter(|b| {
                let func = &s.funcs[b.func.index()];
                !func.is_static || func.address_taken || !called.contains(&b.func)
            })
            .filter_map(|b| self.proc[b.func.index()])
            .collect();
        if roots.is_empty() { Err(LowerError::Empty) } else { Ok(roots) }
    }

    /// A procedure that calls any one of the functions.
    fn harness(&mut self, roots: &[ProcId]) -> ProcId {
        let at = self.b.no_origin();
        let proc = self.b.proc("(any)", at);
        self.b.begin_proc(proc);
        let (start, end) = (self.b.silent(), self.b.silent());
        self.b.entry(proc, start);
        let events = self.b.no_events();
        for &root in roots {
            let call =
                ir::Call { callee: root, enter: Rel::identity(), ret: end, back: Rel::identity() };
            let kind = EdgeKind::Call(Box::new(call));
            self.b.edge(Edge { source: start, kind, step: false, events, marks: 0 });
        }
        self.b.ret(end, Rel::identity(), false);
        proc
    }

    /// `from_main`: the program starts with its `main`.
    fn init(&mut self, from_main: bool) -> Init {
        // V6
        let mut condition = match from_main {
            true => self.kept.at_start(self.skeleton, &mut self.b.exprs),
            false => Exprs::TRUE,
        };
        for flag in [self.jumping, self.exiting].into_iter().flatten() {
            let flag = self.b.exprs.pre(flag);
            let not = self.b.exprs.not(flag);
            condition = self.b.exprs.and(condition, not);
        }
        Init { condition, choices: 0 }
    }

    // Bodies.

    fn body(&mut self, body: &'a Body, proc: ProcId) -> Vec<NodeId> {
        let s = self.skeleton;
        let mut here = Here {
            body,
            nodes: Vec::with_capacity(body.points.len()),
            stop: None,
            spin: None,
            unwind: None,
            ways: FxHashMap::default(),
            values: self.kept.values(s, body, &mut self.b.exprs),
            conditions: Conditions::default(),
            bits: Vec::new(),
        };
        if self.options.feasibility {
            here.conditions = Conditions::of(s, &self.effects, body);
            for i in 1..=here.conditions.list.len() {
                let name = format!("(condition {i})");
                here.bits.push(self.b.hidden_local(proc, &name, Type::BOOL));
            }
        }
        self.b.begin_proc(proc);
        for point in &body.points {
            let at = self.origin(point);
            here.nodes.push(match self.splits(point) {
                true => self.b.silent(),
                false => self.b.statement(at),
            });
        }
        let entry = self.to(&mut here, body.entry);
        self.b.entry(proc, entry);
        for (i, point) in body.points.iter().enumerate() {
            let source = here.nodes[i];
            let letter: Vec<String> = point.events.iter().map(|&e| s.event_text(e)).collect();
            match &point.flow {
                Flow::Next(next) => {
                    let target = self.to(&mut here, *next);
                    let rel = self.effect(&here, i, None);
                    self.edge(source, target, rel, &letter, true);
                }
                Flow::Branch(arms) => {
                    for arm in arms {
                        let target = self.to(&mut here, arm.next);
                        let mut rel = self.effect(&here, i, None);
                        if let Some(when) = &arm.when {
                            let guard = self.when(&here, when);
                            rel.guard = self.b.exprs.and(guard, rel.guard);
                        }
                        let mut events = letter.clone();
                        events.extend(arm.events.iter().map(|&e| s.event_text(e)));
                        let source = self.way(&mut here, i, &rel);
                        self.edge(source, target, rel, &events, true);
                    }
                }
                Flow::Return => {
                    let events = self.events(&letter);
                    let given = (body.func, point.returned);
                    let rel = self.kept.give(s, &mut self.b.exprs, &here.values, given);
                    let kind = EdgeKind::Return { rel };
                    self.b.edge(Edge { source, kind, step: true, events, marks: 0 });
                }
                Flow::Call(call) => self.call(&mut here, i, point, call, &letter),
            }
        }
        for (name, point) in &body.labels {
            match here.ways.get(&(*point as usize)) {
                None => self.b.label(name, here.nodes[*point as usize]),
                Some(ways) => ways.iter().for_each(|&way| self.b.label(name, way)),
            }
        }
        here.nodes
    }

    /// Whether the ways out of a point differ in an event that matters.
    fn splits(&self, point: &Point) -> bool {
        if self.options.letters.is_empty() {
            return false;
        }
        let s = self.skeleton;
        let letter = |events: &[String]| -> Vec<bool> {
            self.options.letters.iter().map(|l| events.contains(l)).collect()
        };
        let letters: Vec<Vec<bool>> = match &point.flow {
            Flow::Branch(arms) => arms
                .iter()
                .map(|arm| {
                    let events = arm.events.iter().map(|&e| s.event_text(e));
                    letter(&events.collect::<Vec<String>>())
                })
                .collect(),
            Flow::Call(call) => call
                .targets
                .iter()
                .map(|&f| {
                    let (mut before, behind) = s.call_events(call, Some(f));
                    before.extend(behind);
                    letter(&before)
                })
                .collect(),
            Flow::Next(_) | Flow::Return => return false,
        };
        letters.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// The node of one way out of a point, where its ways are told apart: it is come to only if the
    /// way can be taken.
    fn way(&mut self, here: &mut Here<'_>, number: usize, rel: &Rel) -> NodeId {
        let (source, point) = (here.nodes[number], &here.body.points[number]);
        if !self.splits(point) {
            return source;
        }
        let at = self.origin(point);
        let node = self.b.statement(at);
        self.edge(source, node, Rel::guarded(rel.guard, rel.choices), &[], false);
        here.ways.entry(number).or_default().push(node);
        node
    }

    fn origin(&mut self, point: &Point) -> Origin {
        self.b.origin(point.at.file, point.at.line, point.at.column, &point.text)
    }

    fn events(&mut self, texts: &[String]) -> EventsId {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.b.events(&texts)
    }

    fn edge(&mut self, source: NodeId, target: NodeId, rel: Rel, events: &[String], step: bool) {
        let events = self.events(events);
        let kind = EdgeKind::Local { target, rel };
        self.b.edge(Edge { source, kind, step, events, marks: 0 });
    }

    fn to(&mut self, here: &mut Here<'_>, next: Next) -> NodeId {
        match next {
            Next::Point(p) => here.nodes[p as usize],
            Next::Stop => *here.stop.get_or_insert_with(|| self.b.silent()),
            Next::Spin => match here.spin {
                Some(node) => node,
                None => {
                    let node = self.b.silent();
                    here.spin = Some(node);
                    self.edge(node, node, Rel::identity(), &[], true);
                    node
                }
            },
        }
    }

    fn call(
        &mut self,
        here: &mut Here<'_>,
        number: usize,
        point: &Point,
        call: &Call,
        letter: &[String],
    ) {
        let s = self.skeleton;
        let next = self.to(here, call.next);
        let mut after: Option<NodeId> = None;
        let mut targets: Vec<Option<FuncId>> = call.targets.iter().copied().map(Some).collect();
        if targets.is_empty() || call.open {
            targets.push(None);
        }
        for target in targets {
            let (mut before, behind) = s.call_events(call, target);
            before.extend_from_slice(letter);
            let func = target.map(|f| &s.funcs[f.index()]);
            let entered = target.and_then(|f| self.proc[f.index()]);
            // Verifiers take the call for the failure, the program for what is in the body: both may be.
            if entered.is_some() && func.is_some_and(|f| names_an_error(&f.name)) {
                let mut events = before.clone();
                events.retain(|e| !e.starts_with("bind("));
                let (rel, error) = (self.effect(here, number, Some(target)), self.b.error_node());
                let source = self.way(here, number, &rel);
                self.edge(source, error, rel, &events, true);
            }
            let Some(callee) = entered else {
                // A parameter of what is not entered is nobody's.
                before.retain(|e| !e.starts_with("bind("));
                before.extend(behind);
                let mut rel = self.effect(here, number, Some(target));
                let mut to = next;
                match (func, self.jumping) {
                    (Some(func), Some(jumping)) if is_longjmp(&func.name) => {
                        // The `setjmp` may be in this very frame.
                        to = match here.body.setjmps.is_empty() {
                            true => self.unwind(here),
                            false => {
                                let stop = self.to(here, Next::Stop);
                                self.landing(here, jumping, stop)
                            }
                        };
                        push(&mut rel, jumping, Some(Exprs::TRUE));
                    }
                    // The macro `assert` calls one of these.
                    (Some(func), _) if is_failed_assertion(&func.name) => {
                        to = self.b.error_node();
                    }
                    (Some(func), _) if func.noreturn => match self.exiting {
                        Some(exiting) => {
                            to = self.unwind(here);
                            push(&mut rel, exiting, Some(Exprs::TRUE));
                        }
                        None => to = self.to(here, Next::Stop),
                    },
                    _ => {}
                }
                if self.goes_outside(target) {
                    to = self.by_way_of_outside(here, to);
                }
                if here.body.setjmps.contains(&(number as u32)) && self.jumps_at_any_time() {
                    self.any_state(here, &mut rel);
                }
                let source = self.way(here, number, &rel);
                self.edge(source, to, rel, &before, true);
                continue;
            };
            let noreturn = func.is_some_and(|f| f.noreturn);
            let mut ret = if noreturn { self.to(here, Next::Stop) } else { next };
            if (call.result.is_some() || !point.values.is_empty()) && !noreturn {
                ret = match after {
                    Some(node) if !self.splits(point) => node,
                    _ => {
                        let at = self.origin(point);
                        let node = self.b.statement(at);
                        after = Some(node);
                        node
                    }
                };
                let given = self.kept.given(s, call);
                let rel = self.effect_but(here, number, (None, given));
                self.edge(ret, next, rel, &behind, true);
            }
            if let Some(jumping) = self.jumping
                && target.is_some_and(|f| self.may_jump.contains(&f))
            {
                ret = self.landing(here, jumping, ret);
            }
            if let Some(exiting) = self.exiting
                && target.is_some_and(|f| self.may_exit.contains(&f))
            {
                ret = self.leaving(here, exiting, ret);
            }
            let source = self.way(here, number, &Rel::identity());
            let enter = self.enter(here, call, target);
            let back = self.back(here, number, call, target);
            let events = self.events(&before);
            let kind = EdgeKind::Call(Box::new(ir::Call { callee, enter, ret, back }));
            self.b.edge(Edge { source, kind, step: true, events, marks: 0 });
        }
    }

    /// Where a call comes back to that may have ended the program.
    fn leaving(&mut self, here: &mut Here<'_>, exiting: VarId, ret: NodeId) -> NodeId {
        let node = self.b.silent();
        let flag = self.b.exprs.pre(exiting);
        let no = self.b.exprs.not(flag);
        self.edge(node, ret, Rel::guarded(no, 0), &[], false);
        let unwind = self.unwind(here);
        self.edge(node, unwind, Rel::guarded(flag, 0), &[], false);
        node
    }

    /// Whether a handler may jump to a `setjmp` at any time.
    fn jumps_at_any_time(&self) -> bool {
        self.effects.at_any_time() && self.callbacks_leave(true)
    }

    /// Makes arbitrary what is known.
    fn any_state(&mut self, here: &Here<'_>, rel: &mut Rel) {
        self.kept.any_of(self.skeleton, here.body.func, false, rel);
        for &bit in &here.bits {
            push(rel, bit, None);
        }
    }

    /// Where a call comes back to that a `longjmp` may have left.
    fn landing(&mut self, here: &mut Here<'_>, jumping: VarId, ret: NodeId) -> NodeId {
        let node = self.b.silent();
        let flag = self.b.exprs.pre(jumping);
        let no = self.b.exprs.not(flag);
        self.edge(node, ret, Rel::guarded(no, 0), &[], false);
        let unwind = self.unwind(here);
        self.edge(node, unwind, Rel::guarded(flag, 0), &[], false);
        for &setjmp in &here.body.setjmps {
            let Flow::Call(call) = &here.body.points[setjmp as usize].flow else { continue };
            let target = self.to(here, call.next);
            let mut rel = Rel::guarded(flag, 0);
            push(&mut rel, jumping, Some(Exprs::FALSE));
            // Locals that changed since `setjmp` have any value.
            self.kept.any_of(self.skeleton, here.body.func, true, &mut rel);
            for &bit in &here.bits {
                push(&mut rel, bit, None);
            }
            self.edge(node, target, rel, &[], false);
        }
        node
    }

    /// A node that leaves the frame.
    fn unwind(&mut self, here: &mut Here<'_>) -> NodeId {
        if let Some(node) = here.unwind {
            return node;
        }
        let node = self.b.silent();
        here.unwind = Some(node);
        self.b.ret(node, Rel::identity(), false);
        node
    }

    // Data.

    fn enter(&mut self, here: &Here<'_>, call: &Call, target: Option<FuncId>) -> Rel {
        let mut rel = Rel::identity();
        let Some(body) = target.and_then(|f| self.skeleton.body(f)) else { return rel };
        self.kept.enter(self.skeleton, &mut self.b.exprs, &here.values, call, body, &mut rel);
        rel
    }

    /// What a call of a function with a body changes in the caller's frame: what has its address
    /// taken.
    fn back(&mut self, here: &Here<'_>, number: usize, call: &Call, target: Option<FuncId>) -> Rel {
        let mut rel = Rel::identity();
        match target {
            Some(f) => {
                let at = (here.body.func, call, f);
                self.kept.back_from(self.skeleton, &mut self.b.exprs, at, &mut rel);
            }
            None => self.kept.back(self.skeleton, here.body.func, &mut rel),
        }
        for (i, value) in self.changed(here, number, target.map(Callee::Known), false) {
            debug_assert_eq!(value, None, "calls assign no constants");
            push(&mut rel, here.bits[i], None);
        }
        rel
    }

    /// What a point does to the kept variables. `called`: a function that is an event only is, too.
    fn effect(&mut self, here: &Here<'_>, number: usize, called: Option<Option<FuncId>>) -> Rel {
        self.effect_but(here, number, (called, None))
    }

    /// The same, but for a variable that a call gave its value already.
    fn effect_but(
        &mut self,
        here: &Here<'_>,
        number: usize,
        (called, given): (Option<Option<FuncId>>, Option<ObjectId>),
    ) -> Rel {
        let (about, at) = ((self.skeleton, &self.effects), (here.body, number));
        let what = (called, given);
        let mut rel = self.kept.effect_but(about, &mut self.b.exprs, &here.values, at, what);
        let callee = called.map(|f| f.map_or(Callee::Unknown, Callee::Known));
        let changed = self.changed(here, number, callee, true);
        let steps = match changed.is_empty() {
            true => Vec::new(),
            false => here.conditions.steps(self.skeleton, here.body, number),
        };
        for (i, value) in changed {
            let mut value = value.map(|v| self.b.exprs.bool(v));
            if let (None, Some(&(_, start, then))) = (value, steps.iter().find(|s| s.0 == i)) {
                let starts = self.b.exprs.pre(here.bits[start]);
                let (then, any) = (self.b.exprs.bool(then), self.b.exprs.choice(rel.choices));
                rel.choices += 1;
                value = Some(self.b.exprs.add(Expr::Ite(starts, then, any)));
            }
            push(&mut rel, here.bits[i], value);
        }
        rel
    }

    fn changed(
        &self,
        here: &Here<'_>,
        number: usize,
        callee: Option<Callee>,
        result: bool,
    ) -> Vec<(usize, Option<bool>)> {
        if here.bits.is_empty() {
            return Vec::new();
        }
        here.conditions.changes(self.skeleton, &self.effects, here.body, number, callee, result)
    }

    fn when(&mut self, here: &Here<'_>, when: &When) -> ExprId {
        let mut guard = here.values.passes(&mut self.b.exprs, when);
        if let When::True(data) | When::False(data) = when
            && let Some((condition, opposite)) = here.conditions.test(*data)
        {
            let negated = matches!(when, When::False(_));
            let e = self.b.exprs.pre(here.bits[condition]);
            let e = if opposite != negated { self.b.exprs.not(e) } else { e };
            guard = self.b.exprs.and(guard, e);
        }
        guard
    }
}
