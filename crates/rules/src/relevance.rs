//! Which paths can hold the value that a rule follows, whatever the order of steps.
//!
//! Values flow by copies, into parameters, and out of functions. An edge `to ← from` of that graph
//! stands for all paths that go on from there with the same links:
//!
//! - RP1. `a = b` copies `b`, and `b·σ` to `a·σ`; `a = &x` copies `x·τ` to `a·*τ`.
//! - RP2. A call copies each argument to its parameter, and, when it comes back, what the parameter
//!   points to is what the argument points to.
//!   `memcpy(a, b, n)` copies what `b` points to, or a part of it.
//! - RP3. `return a` copies `a` to the result of the function, and that to the target of the call.

use crate::event::Event;
use crate::paths::{ADDRESS, DEREF, L, MAX_LENGTH, PathId, Paths, Root, in_memory};
use crate::rule::Rule;
use automata::sere::{Condition, ConditionId};
use front_c::{Body, Call, Flow, FuncId, Next, ObjectId, Skeleton, plain_name};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of the functions of a program as a rule sees them.
pub(crate) struct Functions<'a> {
    pub(crate) s: &'a Skeleton,
    pub(crate) rule: &'a Rule,
    /// The rule speaks of them: they are events only.
    opaque: Vec<bool>,
    /// Functions that do nothing but call another: which.
    stands_for: Vec<Option<FuncId>>,
    /// Whether to give up.
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl<'a> Functions<'a> {
    pub(crate) fn new(
        s: &'a Skeleton,
        rule: &'a Rule,
        entry: Option<&str>,
        stop: &'a dyn Fn() -> bool,
    ) -> Functions<'a> {
        let opaque = s.funcs.iter().map(|f| {
            let name = plain_name(&f.name);
            let patterns = rule.events.iter().flatten().filter_map(Event::pattern);
            let others = rule.returns.iter().map(|(p, _)| p);
            let others = others.chain(rule.fallible.iter().map(|(p, ..)| p));
            patterns.chain(others).any(|p| p.names_it(name))
        });
        let mut opaque: Vec<bool> = opaque.collect();
        let mut stands_for = vec![None; s.funcs.len()];
        if !rule.by_function {
            wrappers(s, entry, &mut opaque, &mut stands_for);
        }
        Functions { s, rule, opaque, stands_for, stop }
    }
    /// The name that the rule knows the function by.
    pub(crate) fn name(&self, f: FuncId) -> &'a str {
        plain_name(&self.s.funcs[self.stands_for[f.index()].unwrap_or(f).index()].name)
    }
    pub(crate) fn is_opaque(&self, f: FuncId) -> bool {
        self.opaque[f.index()]
    }
    /// Whether calls of the function enter its body.
    pub(crate) fn is_entered(&self, f: FuncId) -> bool {
        !self.rule.by_function && !self.is_opaque(f) && self.s.body(f).is_some()
    }
    /// The pointers of a call that copies memory: to what the first points, from what the second does.
    pub(crate) fn copied(&self, call: &Call, f: FuncId) -> Option<[ObjectId; 2]> {
        let copies = matches!(self.name(f), "memcpy" | "memmove" | "mempcpy");
        let arg = |n: usize| call.arg_values.get(n).copied().flatten();
        if copies && !self.is_entered(f) { Some([arg(0)?, arg(1)?]) } else { None }
    }
    /// The argument that is the function's result, from 0.
    pub(crate) fn returned(&self, f: FuncId) -> Option<usize> {
        let name = self.name(f);
        self.rule.returns.iter().find(|(p, _)| p.matches(name)).map(|(_, n)| n - 1)
    }
}

/// A function that is called at fewer places is looked into.
const WRAPPER: u32 = 16;

/// Functions such as `void release(void *p) { free(p); }`, which are called all over a program and do
/// nothing but hand their parameters on, are what they call: the rule is violated where they are
/// called, and there is a finding for each such place.
fn wrappers(
    s: &Skeleton,
    entry: Option<&str>,
    opaque: &mut [bool],
    stands_for: &mut [Option<FuncId>],
) {
    let mut called = vec![0u32; s.funcs.len()];
    for body in &s.bodies {
        for point in &body.points {
            let Flow::Call(call) = &point.flow else { continue };
            call.targets.iter().filter(|g| **g != body.func).for_each(|g| called[g.index()] += 1);
        }
    }
    loop {
        let mut changed = false;
        for body in &s.bodies {
            let g = body.func.index();
            let asked_for = entry.is_some_and(|e| e == s.funcs[g].unique);
            if opaque[g] || called[g] < WRAPPER || asked_for || s.funcs[g].name == "main" {
                continue;
            }
            if let Some(inner) = handed_on(body).filter(|h| opaque[h.index()]) {
                opaque[g] = true;
                stands_for[g] = stands_for[inner.index()].or(Some(inner));
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// The function that a body calls with its own parameters, in their order, and whose result it
/// returns, if it does nothing else.
fn handed_on(body: &Body) -> Option<FuncId> {
    use front_c::Event as E;
    let params: Vec<ObjectId> = body.params.iter().flatten().copied().collect();
    let mut at = body.entry;
    let mut found: Option<&Call> = None;
    for _ in 0..=body.points.len() {
        let Next::Point(p) = at else { return None };
        let point = &body.points[p as usize];
        let used = |e: &E, call: &Call| match *e {
            E::Use(o) => params.contains(&o),
            E::ReturnOf(o) => call.temporary == Some(o),
            E::Return => true,
            _ => false,
        };
        match (&point.flow, found) {
            (Flow::Next(next), None) if point.events.is_empty() && point.hidden.is_empty() => {
                at = *next;
            }
            (Flow::Call(call), None) => {
                let quiet = point.events.iter().chain(&point.hidden).all(|e| used(e, call));
                let handed =
                    call.arg_values.iter().zip(&body.params).all(|(a, p)| a.is_some() && a == p);
                let all = handed && call.arg_values.len() <= body.params.len();
                if call.indirect || !quiet || !all || call.result.is_some() {
                    return None;
                }
                found = Some(call);
                at = call.next;
            }
            (Flow::Return, Some(call)) => {
                let events = || point.events.iter().chain(&point.hidden);
                let returned = events().any(|e| matches!(e, E::ReturnOf(_)));
                let taken = call.temporary.is_some();
                let [target] = call.targets[..] else { return None };
                let plain = events().all(|e| used(e, call)) && returned == taken;
                return plain.then_some(target);
            }
            _ => return None,
        }
    }
    None
}

/// An edge of the graph of flows.
struct Edge {
    to: PathId,
    from: PathId,
    part: Part,
}

/// For which paths an edge is there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    All,
    /// Those that go on through a pointer (RP2, on the way back).
    Behind,
    /// The value itself, and not what it points to: the address of a first member.
    Itself,
}

/// The paths that matter.
#[derive(Clone)]
pub(crate) struct Relevance {
    /// Paths that can hold a value that the rule is about.
    pub(crate) holds: Vec<bool>,
    /// Paths from which a value can come to an event that the rule waits for.
    pub(crate) leads: Vec<bool>,
    /// How many values that the rule names have a path of how many links.
    pub(crate) named: [usize; MAX_LENGTH + 1],
    /// Values come into being as results only.
    pub(crate) results_only: bool,
    /// The rule is violated only where the value is lost: nothing that it does after it escaped matters.
    pub(crate) only_lost: bool,
    /// Pointers, and the paths of what they may point to, where that has a name and can hold a value.
    pub(crate) pointed: Vec<(PathId, PathId)>,
    /// There are more of them than were looked for.
    pub(crate) pointed_cut: bool,
}

impl Relevance {
    /// What following these paths costs: the bits of a function are related to each other, so that
    /// wide functions cost more than many narrow ones.
    pub(crate) fn cost(&self, s: &Skeleton, paths: &Paths) -> usize {
        let mut widths: FxHashMap<Option<FuncId>, usize> = FxHashMap::default();
        for p in paths.all().filter(|p| self.holds[p.index()]) {
            *widths.entry(paths.owner(s, p)).or_default() += 1;
        }
        widths.values().map(|n| n * n).sum()
    }
}

struct Graph<'a> {
    /// What is stored in memory is followed. Otherwise it has escaped, and only variables whose address
    /// is taken are reached through pointers.
    memory: bool,
    stop: &'a dyn Fn() -> bool,
    edges: Vec<Edge>,
    to: FxHashMap<PathId, Vec<u32>>,
    from: FxHashMap<PathId, Vec<u32>>,
}

pub(crate) fn relevance(f: &Functions<'_>, paths: &mut Paths) -> Relevance {
    let only_lost = only_lost(f.rule);
    let graph = Graph::new(f, paths, !only_lost);
    let results_only = results_only(f.rule);
    let lost = f.rule.events.iter().flatten().any(|e| *e == Event::Lost);
    let (mut leads, mut holds);
    let mut named = [0; MAX_LENGTH + 1];
    let mut count = |paths: &Paths, found: &[PathId]| {
        found.iter().for_each(|p| named[paths.links(*p).len()] += 1);
    };
    if results_only {
        let mut seeds = seeds(f, paths);
        count(paths, &seeds);
        seeds.retain(|p| !only_lost || !paths.in_memory(*p));
        leads = vec![false; paths.len()];
        for p in &seeds {
            leads[p.index()] = true;
        }
        holds = graph.closure(paths, &seeds, false);
    } else {
        let subjects = subjects(f, paths);
        count(paths, &subjects);
        leads = graph.closure(paths, &subjects, true);
        let found: Vec<PathId> = marked(paths, &leads);
        holds = graph.closure(paths, &found, false);
    }
    leads.resize(paths.len(), false);
    holds.resize(paths.len(), false);
    if lost {
        // What globals hold is never lost.
        for p in marked(paths, &holds) {
            let global = matches!(paths.root(p), Root::Var(o) if !f.s.objects[o.index()].automatic);
            if global {
                holds[p.index()] = false;
                leads[p.index()] = false;
            }
        }
    }
    let (pointed, pointed_cut) = graph.pointed(paths, &holds);
    Relevance { holds, leads, named, results_only, only_lost, pointed, pointed_cut }
}

/// So many steps are made to find what pointers may point to.
const MOST_POINTED: usize = 4_000_000;

fn marked(paths: &Paths, set: &[bool]) -> Vec<PathId> {
    paths.all().filter(|p| set.get(p.index()).copied().unwrap_or(false)).collect()
}

impl<'a> Graph<'a> {
    fn new(f: &Functions<'a>, paths: &mut Paths, memory: bool) -> Graph<'a> {
        let s = f.s;
        let mut graph = Graph {
            memory,
            stop: f.stop,
            edges: Vec::new(),
            to: FxHashMap::default(),
            from: FxHashMap::default(),
        };
        let mut seen: FxHashSet<(PathId, PathId, Part)> = FxHashSet::default();
        let mut add = |to: Option<PathId>, from: Option<PathId>, part: Part| {
            if let (Some(to), Some(from)) = (to, from)
                && seen.insert((to, from, part))
            {
                let n = graph.edges.len() as u32;
                graph.to.entry(to).or_default().push(n);
                graph.from.entry(from).or_default().push(n);
                graph.edges.push(Edge { to, from, part });
            }
        };
        for body in &s.bodies {
            if f.is_opaque(body.func) {
                continue;
            }
            let own = paths.add(Root::Ret(body.func), &[]);
            for point in &body.points {
                for event in point.events.iter().chain(&point.hidden) {
                    match *event {
                        front_c::Event::Copy(o, q) => {
                            let o = paths.object(s, o);
                            let from = paths.object(s, q);
                            add(o, paths.whole(s, q), Part::Itself);
                            add(o, from, Part::All);
                            // What is behind the pointer is that very variable (VP7).
                            let address = |p: &PathId| paths.links(*p).last() == Some(&ADDRESS);
                            add(from.filter(address), o, Part::Behind);
                        }
                        front_c::Event::ReturnOf(o) => {
                            add(own, paths.whole(s, o), Part::Itself);
                            add(own, paths.object(s, o), Part::All);
                        }
                        _ => {}
                    }
                }
                let Flow::Call(call) = &point.flow else { continue };
                let target = call.result.or(call.temporary).and_then(|o| paths.object(s, o));
                for &g in &call.targets {
                    if let Some([to, from]) = f.copied(call, g) {
                        let to = paths.object(s, to).and_then(|p| paths.graft(p, &[DEREF]));
                        let from = paths.object(s, from).and_then(|p| paths.graft(p, &[DEREF]));
                        add(to, from, Part::All);
                    }
                    if let Some(n) = f.returned(g) {
                        let arg = call.arg_values.get(n).copied().flatten();
                        add(target, arg.and_then(|o| paths.object(s, o)), Part::All);
                    }
                    if !f.is_entered(g) {
                        continue;
                    }
                    let Some(callee) = s.body(g) else { continue };
                    add(target, paths.add(Root::Ret(g), &[]), Part::All);
                    for (param, arg) in callee.params.iter().zip(&call.arg_values) {
                        let (Some(param), Some(arg)) = (param, arg) else { continue };
                        let (param, o) = (paths.object(s, *param), *arg);
                        let arg = paths.object(s, o);
                        add(param, paths.whole(s, o), Part::Itself);
                        add(param, arg, Part::All);
                        add(arg, param, Part::Behind);
                    }
                }
            }
        }
        graph
    }

    /// Pointers that may hold the address of what can hold a value, with its path; and whether there are
    /// more.
    fn pointed(&self, paths: &Paths, holds: &[bool]) -> (Vec<(PathId, PathId)>, bool) {
        let mut wanted: FxHashSet<(Root, &[L])> = FxHashSet::default();
        for p in paths.all().filter(|p| holds[p.index()]) {
            let links = paths.links(p);
            for cut in 0..=links.len() {
                wanted.insert((paths.root(p), &links[..cut]));
            }
        }
        let mut out = Vec::new();
        let mut steps = 0;
        for address in paths.all() {
            let Some((&ADDRESS, place)) = paths.links(address).split_last() else { continue };
            let root = paths.root(address);
            if !wanted.contains(&(root, place)) {
                continue;
            }
            let Some(place) = paths.find(root, place) else { continue };
            let mut seen: FxHashSet<PathId> = FxHashSet::from_iter([address]);
            let mut todo = vec![address];
            while let Some(p) = todo.pop() {
                let (root, links) = (paths.root(p), paths.links(p));
                for cut in 0..=links.len() {
                    let Some(base) = paths.find(root, &links[..cut]) else { continue };
                    for &e in self.from.get(&base).into_iter().flatten() {
                        steps += 1;
                        let edge = &self.edges[e as usize];
                        let there = match edge.part {
                            Part::All => true,
                            Part::Behind => links.get(cut) == Some(&DEREF),
                            Part::Itself => cut == links.len(),
                        };
                        let next = paths.find_graft(edge.to, &links[cut..]).filter(|_| there);
                        if let Some(next) = next
                            && seen.insert(next)
                        {
                            todo.push(next);
                            out.push((next, place));
                        }
                    }
                }
                if steps > MOST_POINTED || (self.stop)() {
                    return (out, true);
                }
            }
        }
        (out, false)
    }

    /// All paths that the seeds' values come from (`back`), or go to.
    fn closure(&self, paths: &mut Paths, seeds: &[PathId], back: bool) -> Vec<bool> {
        let mut set = vec![false; paths.len()];
        let mut todo: Vec<PathId> = Vec::new();
        for &p in seeds {
            if !std::mem::replace(&mut set[p.index()], true) {
                todo.push(p);
            }
        }
        let index = if back { &self.to } else { &self.from };
        let mut count = 0u32;
        while let Some(p) = todo.pop() {
            count += 1;
            if paths.too_many() || (count.is_multiple_of(1024) && (self.stop)()) {
                break;
            }
            let (root, links) = (paths.root(p), paths.links(p).to_vec());
            for cut in 0..=links.len() {
                let suffix = &links[cut..];
                let base = paths.find(root, &links[..cut]);
                let edges = base.and_then(|b| index.get(&b)).into_iter().flatten();
                let mut found: Vec<(PathId, Vec<L>)> = Vec::new();
                for &e in edges {
                    let edge = &self.edges[e as usize];
                    let there = match edge.part {
                        Part::All => true,
                        Part::Behind => suffix.first() == Some(&DEREF),
                        Part::Itself => suffix.is_empty(),
                    };
                    if !there || !self.memory && in_memory(paths.links(edge.to)) {
                        continue;
                    }
                    found.push((if back { edge.from } else { edge.to }, suffix.to_vec()));
                }
                // `x·τ` goes where `&x` goes, as `*·τ`.
                let mut address = links[..cut].to_vec();
                address.push(ADDRESS);
                if let Some(base) = paths.find(root, &address) {
                    let mut behind = vec![DEREF];
                    behind.extend_from_slice(suffix);
                    for &e in index.get(&base).into_iter().flatten() {
                        let edge = &self.edges[e as usize];
                        if edge.part != Part::Itself {
                            found.push((if back { edge.from } else { edge.to }, behind.clone()));
                        }
                    }
                }
                for (base, suffix) in found {
                    let Some(next) = paths.graft(base, &suffix) else { continue };
                    if set.len() < paths.len() {
                        set.resize(paths.len(), false);
                    }
                    if !std::mem::replace(&mut set[next.index()], true) {
                        todo.push(next);
                    }
                }
            }
        }
        set
    }
}

/// Whether everything that leads out of the first state wants the value to be a result, or stored by
/// a function through an argument.
fn results_only(rule: &Rule) -> bool {
    let nfa = &rule.nfa;
    let birth = |e: &Event| matches!(e, Event::Result(_) | Event::Out(..));
    nfa.transitions
        .iter()
        .filter(|t| t.0 == 0 && t.2 != 0)
        .all(|t| needed(rule, t.1).iter().any(|&a| rule.events[a as usize].iter().all(birth)))
}

/// Whether the value must be lost for the rule to be violated.
fn only_lost(rule: &Rule) -> bool {
    let nfa = &rule.nfa;
    let accepting = |s: u32| nfa.accepting[s as usize];
    !accepting(0)
        && nfa.transitions.iter().filter(|t| accepting(t.2) && !accepting(t.0)).all(|t| {
            let lost = |a: &u32| rule.events[*a as usize].iter().all(|e| *e == Event::Lost);
            needed(rule, t.1).iter().any(lost)
        })
}

/// Atoms that must hold for the condition to hold; not necessarily all of them.
fn needed(rule: &Rule, condition: ConditionId) -> Vec<u32> {
    let mut out = Vec::new();
    let mut todo = vec![condition];
    while let Some(c) = todo.pop() {
        match rule.nfa.conditions[c as usize] {
            Condition::Atom(a) => out.push(a),
            Condition::And(a, b) => todo.extend([a, b]),
            Condition::Or(a, b) => {
                // What both sides need.
                let (mut left, mut right) = (vec![a], vec![b]);
                let simple = |side: &mut Vec<ConditionId>| -> Vec<u32> {
                    let mut atoms = Vec::new();
                    while let Some(c) = side.pop() {
                        match rule.nfa.conditions[c as usize] {
                            Condition::Atom(a) => atoms.push(a),
                            Condition::And(a, b) => side.extend([a, b]),
                            _ => {}
                        }
                    }
                    atoms
                };
                let (left, right) = (simple(&mut left), simple(&mut right));
                // Births of one kind or the other will do.
                let birth = |a: &u32| {
                    let events = &rule.events[*a as usize];
                    events.iter().all(|e| matches!(e, Event::Result(_) | Event::Out(..)))
                };
                if let (Some(l), Some(_)) =
                    (left.iter().find(|a| birth(a)), right.iter().find(|a| birth(a)))
                {
                    out.push(*l);
                }
            }
            Condition::Not(_) | Condition::Constant(_) => {}
        }
    }
    out
}

/// Visits every call with each of its targets.
pub(crate) fn each_call(f: &Functions<'_>, mut visit: impl FnMut(&Call, FuncId)) {
    for body in &f.s.bodies {
        if f.is_opaque(body.func) {
            continue;
        }
        for point in &body.points {
            if let Flow::Call(call) = &point.flow {
                call.targets.iter().for_each(|&g| visit(call, g));
            }
        }
    }
}

/// The targets of results that the rule names, and what functions store through arguments.
fn seeds(f: &Functions<'_>, paths: &mut Paths) -> Vec<PathId> {
    let mut out = Vec::new();
    each_call(f, |call, g| {
        if f.is_entered(g) || f.returned(g).is_some() {
            return;
        }
        let name = f.name(g);
        for event in f.rule.events.iter().flatten() {
            match event {
                Event::Result(p) if p.matches(name) => {
                    let target = call.result.or(call.temporary);
                    out.extend(target.and_then(|o| paths.object(f.s, o)));
                }
                Event::Out(p, n) if p.matches(name) => {
                    let arg = call.arg_values.get(n - 1).copied().flatten();
                    let arg = arg.and_then(|o| paths.object(f.s, o));
                    out.extend(arg.and_then(|a| paths.graft(a, &[DEREF])));
                }
                _ => {}
            }
        }
    });
    out
}

/// The paths that stand in events that the rule names.
fn subjects(f: &Functions<'_>, paths: &mut Paths) -> Vec<PathId> {
    let rule = f.rule;
    let mut out = Vec::new();
    let named = |e: &Event| matches!(e, Event::Arg(..) | Event::CallOn(..));
    let any_named = rule.events.iter().flatten().any(named);
    let mut add = |paths: &mut Paths, o: ObjectId, suffix: &[crate::event::Link]| {
        let Some(path) = paths.object(f.s, o) else { return };
        let types = &f.s.types[f.s.objects[o.index()].type_names as usize];
        if suffix.is_empty() && !rule.is_about_type(types) {
            return;
        }
        out.extend(stripped(paths, path, suffix));
    };
    each_call(f, |call, g| {
        let name = f.name(g);
        for event in rule.events.iter().flatten() {
            match event {
                Event::Arg(p, n, suffix) if p.matches(name) => {
                    for (i, arg) in call.arg_values.iter().enumerate() {
                        if let Some(arg) = arg
                            && n.is_none_or(|n| n == i + 1)
                        {
                            add(paths, *arg, suffix);
                        }
                    }
                }
                Event::CallOn(p, suffix) if p.matches(name) => {
                    let result = call.result.or(call.temporary);
                    for o in call.arg_values.iter().flatten().copied().chain(result) {
                        add(paths, o, suffix);
                    }
                }
                Event::Pass(suffix) if !any_named && !f.is_entered(g) => {
                    for o in call.arg_values.iter().flatten() {
                        add(paths, *o, suffix);
                    }
                }
                _ => {}
            }
        }
    });
    if !any_named {
        for body in f.s.bodies.iter().filter(|b| !f.is_opaque(b.func)) {
            for event in body.points.iter().flat_map(|p| &p.events) {
                for wanted in rule.events.iter().flatten() {
                    match (wanted, event) {
                        (Event::Use(suffix), front_c::Event::Use(o))
                        | (Event::Deref(suffix), front_c::Event::Deref(o)) => {
                            add(paths, *o, suffix);
                        }
                        (Event::ReturnOf, front_c::Event::ReturnOf(o)) => add(paths, *o, &[]),
                        _ => {}
                    }
                }
            }
        }
    }
    out
}

/// The path without the links that an event's subject has behind the metavariable.
pub(crate) fn stripped(
    paths: &mut Paths,
    path: PathId,
    suffix: &[crate::event::Link],
) -> Option<PathId> {
    let mut wanted: Vec<L> = Vec::new();
    for link in suffix {
        let l = paths.link(link);
        wanted.push(l);
    }
    let (root, links) = (paths.root(path), paths.links(path).to_vec());
    if let Some(base) = links.strip_suffix(&wanted[..]) {
        return paths.add(root, base);
    }
    // `x.lock` is `p->lock` where `p` is `&x`.
    let (&first, rest) = wanted.split_first()?;
    let base = links.strip_suffix(rest).filter(|_| first == DEREF)?;
    let mut base = base.to_vec();
    base.push(ADDRESS);
    paths.add(root, &base)
}
