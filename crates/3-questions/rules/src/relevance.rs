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

use crate::elements::Elements;
use crate::event::Event;
use crate::facts::Facts;
use crate::members::{Inherited, Place, entry_point};
use crate::needs::{by_what_happens, only_lost, results_only};
use crate::ownership::{FREES, Own, Owners, Ownership};
use crate::parts::{Part, first_events};
use crate::paths::{ADDRESS, DEREF, L, MAX_LENGTH, PathId, Paths, Root, in_memory};
use crate::rule::Rule;
use crate::value::At;
use crate::widths::{GiveUp, Widths};
use front_c::{Body, Call, Contract, Flow, FuncId, Library, ObjectId, Skeleton, plain_name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What is known of the functions of a program as a rule sees them.
pub(crate) struct Functions<'a> {
    pub(crate) s: &'a Skeleton,
    pub(crate) rule: &'a Rule,
    /// The rule speaks of them: they are events only.
    opaque: Arc<[bool]>,
    /// Functions that do nothing but call another: which.
    stands_for: Arc<[Option<FuncId>]>,
    pub(crate) facts: &'a Facts,
    /// Functions whose calls enter a body.
    entered: Arc<[bool]>,
    /// What of the rule is asked.
    pub(crate) part: &'a Part,
    /// Whether to give up.
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl<'a> Functions<'a> {
    pub(crate) fn new(
        s: &'a Skeleton,
        rule: &'a Rule,
        entry: Option<&str>,
        (part, facts): (&'a Part, &'a Facts),
        stop: &'a dyn Fn() -> bool,
    ) -> Functions<'a> {
        let known = facts.functions.get_or_init(|| crate::wrappers::seen_as(s, rule, entry));
        let (opaque, stands_for) = known.clone();
        let entered = facts.entered.get_or_init(|| {
            let mut entered = vec![false; s.funcs.len()];
            for body in s.bodies.iter().filter(|_| !rule.by_function) {
                entered[body.func.index()] = !opaque[body.func.index()];
            }
            entered.into()
        });
        Functions { s, rule, opaque, stands_for, facts, entered: entered.clone(), part, stop }
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
        self.entered[f.index()]
    }
    /// The pointers of a call that copies memory: to what the first points, from what the second does.
    pub(crate) fn copied(&self, call: &Call, f: FuncId) -> Option<[ObjectId; 2]> {
        let copies = matches!(self.name(f), "memcpy" | "memmove" | "mempcpy");
        let arg = |n: usize| call.arg_values.get(n).copied().flatten();
        if copies && !self.is_entered(f) { Some([arg(0)?, arg(1)?]) } else { None }
    }
    /// Where a call copies bytes to, if that has a name, and from where.
    pub(crate) fn copies_bytes(
        &self,
        call: &Call,
        f: FuncId,
    ) -> Option<(Option<ObjectId>, ObjectId)> {
        let arg = |n: usize| call.arg_values.get(n).copied().flatten();
        let (to, from) = match self.name(f) {
            _ if self.is_entered(f) => return None,
            "memcpy" | "memmove" | "mempcpy" | "__memcpy_chk" | "__memmove_chk" => (0, 1),
            "bcopy" => (1, 0),
            _ => return None,
        };
        Some((arg(to), arg(from)?))
    }
    /// The argument that is the function's result, from 0.
    pub(crate) fn returned(&self, f: FuncId) -> Option<usize> {
        let name = self.name(f);
        let said = self.rule.returns.iter().find(|(p, _)| p.matches(name)).map(|(_, n)| *n);
        let known = || self.contract(f).and_then(|c| c.returns);
        said.or_else(known).map(|n| n - 1)
    }
    /// What is said of a function that is not entered.
    pub(crate) fn contract(&self, f: FuncId) -> Option<&'a Contract> {
        self.s.contracts.get(self.name(f)).filter(|_| !self.is_entered(f))
    }
    /// Whether what a function that is not entered returns is memory that nobody else has.
    pub(crate) fn allocates(&self, f: FuncId) -> bool {
        self.contract(f).is_some_and(|c| c.allocates)
    }
    /// Whether it frees what its argument `n`, counted from 0, points to.
    pub(crate) fn frees(&self, f: FuncId, n: usize) -> bool {
        self.contract(f).is_some_and(|c| c.frees.contains(&(n + 1)))
    }
    /// What is known of what a function that is not entered writes.
    pub(crate) fn library(&self, f: FuncId) -> Option<Library> {
        self.s.library(self.stands_for[f.index()].unwrap_or(f))
    }
    /// Who holds what variables point to.
    pub(crate) fn ownership(&self) -> Arc<Ownership> {
        self.facts.ownership.get_or_init(|| Arc::new(Ownership::new(self))).clone()
    }
    /// What owning members hold when functions get them, if the rule asks for it.
    pub(crate) fn inherited(&self) -> Arc<Inherited> {
        let found = self.facts.inherited.get_or_init(|| {
            match self.rule.events.iter().flatten().any(|e| *e == Event::Owned) {
                true => Arc::new(Inherited::new(self, &self.ownership())),
                false => Arc::default(),
            }
        });
        found.clone()
    }
    /// Whether a function keeps its argument `n`, counted from 0. Not so those that are entered: they do with it
    /// what they do.
    pub(crate) fn keeps(&self, target: Option<FuncId>, n: usize) -> bool {
        let Some(g) = target else { return true };
        let name = self.name(g);
        if self.rule.keeps.iter().any(|p| p.matches(name)) {
            return true;
        }
        if self.rule.borrows.iter().any(|p| p.matches(name))
            || self.is_entered(g)
            || self.is_opaque(g)
        {
            return false;
        }
        if let Some(said) = self.contract(g).and_then(|c| c.keeps(n + 1)) {
            return said;
        }
        let constant = self.s.funcs[g.index()].const_params.get(n).copied().unwrap_or(false);
        !(self.library(g).is_some() || constant)
    }
}

/// An edge of the graph of flows.
struct Edge {
    to: PathId,
    from: PathId,
    part: Portion,
    /// It goes into a parameter, counted from 0.
    into: Option<(FuncId, u32)>,
}

/// For which paths an edge is there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Portion {
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
    /// Which memory is followed.
    pub(crate) memory: Memory,
    /// Who holds what variables point to, if that is asked.
    pub(crate) ownership: Arc<Ownership>,
    /// Members of that are followed inside of one function only.
    pub(crate) near: bool,
    /// It was given up because following these paths would cost too much: there are more.
    pub(crate) cut: bool,
}

impl Relevance {
    /// What following these paths costs.
    pub(crate) fn cost(&self, s: &Skeleton, paths: &Paths) -> usize {
        Widths::of(s, paths, &self.holds).cost
    }

    /// Whether following memory costs too much: wide functions do.
    pub(crate) fn is_wide(&self, s: &Skeleton, paths: &Paths) -> bool {
        self.memory == Memory::One && Widths::of(s, paths, &self.holds).is_wide()
    }

    /// Finds what pointers may point to, of paths that are followed.
    pub(crate) fn point(&mut self, graph: &Graph<'_>, paths: &Paths) {
        (self.pointed, self.pointed_cut) = graph.pointed(paths, &self.holds);
    }
}

/// Which memory is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// All that has a path.
    All,
    /// What variables of functions, and results, point to: there a value can be lost.
    One,
    /// What is stored in memory has escaped, and only variables whose address is taken are reached through
    /// pointers.
    No,
}

/// How values flow.
pub(crate) struct Graph<'a> {
    memory: Memory,
    /// Members of what a pointer points to are not followed from function to function.
    near: bool,
    ownership: Arc<Ownership>,
    s: &'a Skeleton,
    stop: &'a dyn Fn() -> bool,
    flows: Arc<(Paths, Flows)>,
}

/// The edges, and by where they go to and come from.
#[derive(Default)]
pub(crate) struct Flows {
    edges: Vec<Edge>,
    to: FxHashMap<PathId, Vec<u32>>,
    from: FxHashMap<PathId, Vec<u32>>,
}

/// How much of memory is followed where the rule is about what is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sight {
    /// What variables of functions point to.
    Far,
    /// The same, but members of it only inside of one function.
    Near,
    /// Nothing.
    Variables,
}

/// The paths that matter, and how values flow between them. What they may point to is found later ([`Relevance::point`]),
/// if they are not too many. With more pairs of paths than `most` in the functions, if that says something, the search is
/// given up ([`Relevance::cut`]), and so it is where memory cannot be followed.
pub(crate) fn relevance<'a>(
    f: &Functions<'a>,
    (lengths, whole, typed): ((usize, usize), bool, bool),
    sight: Sight,
    most: Option<usize>,
) -> (Relevance, Graph<'a>, Paths) {
    let only_lost = only_lost(f.rule);
    let memory = match (only_lost, sight) {
        (false, _) => Memory::All,
        (true, Sight::Far | Sight::Near) => Memory::One,
        (true, Sight::Variables) => Memory::No,
    };
    let ownership = match memory {
        Memory::One => f.ownership(),
        _ => Arc::default(),
    };
    let flows = f.facts.flows((lengths.0, lengths.1, typed, memory), || {
        let elements = f.facts.common.elements.get_or_init(|| Arc::new(Elements::new(f.s)));
        let moving = memory == Memory::All && by_what_happens(f.rule);
        let mut paths = Paths::new(f.s, lengths, whole, typed, (elements, moving));
        let flows = Flows::new(f, &mut paths, memory, &ownership);
        (paths.shared(), flows)
    });
    let mut known = flows.0.copy(!f.part.is_whole());
    let paths = &mut known;
    let near = sight == Sight::Near;
    let graph = Graph { memory, near, ownership, s: f.s, stop: f.stop, flows };
    let results_only = results_only(f.rule);
    let lost = f.rule.events.iter().flatten().any(|e| *e == Event::Lost);
    let (mut leads, mut holds);
    let mut named = [0; MAX_LENGTH + 1];
    let give_up = match (memory, most) {
        (Memory::One, _) => GiveUp::Wide,
        (_, Some(most)) => GiveUp::Pairs(most, !lost),
        (_, None) => GiveUp::Never,
    };
    let cut;
    let mut count = |paths: &Paths, found: &[PathId]| {
        let length = |p: &PathId| paths.links(*p).len().min(MAX_LENGTH);
        found.iter().for_each(|p| named[length(p)] += 1);
    };
    if results_only {
        let mut seeds = seeds(f, paths);
        count(paths, &seeds);
        seeds.retain(|p| graph.follows(paths.root(*p), paths.links(*p)));
        leads = vec![false; paths.len()];
        for p in &seeds {
            leads[p.index()] = true;
        }
        (holds, cut) = graph.closure(paths, &seeds, false, give_up);
    } else {
        let subjects = subjects(f, paths);
        count(paths, &subjects);
        (leads, _) = graph.closure(paths, &subjects, true, GiveUp::Never);
        let found: Vec<PathId> = marked(paths, &leads);
        (holds, cut) = graph.closure(paths, &found, false, give_up);
    }
    leads.resize(paths.len(), false);
    holds.resize(paths.len(), false);
    if lost && memory != Memory::One {
        // What globals hold is never lost.
        for p in marked(paths, &holds) {
            let global = matches!(paths.root(p), Root::Var(o) if !f.s.objects[o.index()].automatic);
            if global {
                holds[p.index()] = false;
                leads[p.index()] = false;
            }
        }
    }
    let ownership = graph.ownership.clone();
    let relevance = Relevance {
        holds,
        leads,
        named,
        results_only,
        only_lost,
        pointed: Vec::new(),
        pointed_cut: false,
        memory,
        ownership,
        near: sight == Sight::Near,
        cut,
    };
    (relevance, graph, known)
}

/// Whether it is what a variable of a function, or a result, points to, or a member of that.
pub(crate) fn is_one_away(s: &Skeleton, root: Root, links: &[L]) -> bool {
    let own = match root {
        Root::Var(o) => s.objects[o.index()].automatic,
        Root::Ret(_) => true,
        Root::Arg(_) => false,
    };
    own && links.first() == Some(&DEREF)
        && links.last() != Some(&ADDRESS)
        && links.iter().filter(|l| **l == DEREF).count() == 1
}

/// So many steps are made to find what pointers may point to.
const MOST_POINTED: usize = 4_000_000;

fn marked(paths: &Paths, set: &[bool]) -> Vec<PathId> {
    paths.all().filter(|p| set.get(p.index()).copied().unwrap_or(false)).collect()
}

impl Flows {
    fn new(
        f: &Functions<'_>,
        paths: &mut Paths,
        memory: Memory,
        ownership: &Arc<Ownership>,
    ) -> Flows {
        let s = f.s;
        let mut graph = Flows::default();
        let mut seen: FxHashSet<(PathId, PathId, Portion)> = FxHashSet::default();
        let mut add = |to: Option<PathId>, from: Option<PathId>, part: Portion, into| {
            if let (Some(to), Some(from)) = (to, from)
                && seen.insert((to, from, part))
            {
                let n = graph.edges.len() as u32;
                graph.to.entry(to).or_default().push(n);
                graph.from.entry(from).or_default().push(n);
                graph.edges.push(Edge { to, from, part, into });
            }
        };
        for body in &s.bodies {
            if f.is_opaque(body.func) {
                continue;
            }
            let own = paths.add(Root::Ret(body.func), &[]);
            let owners = match memory {
                Memory::One => Owners::new(f, ownership, body),
                _ => Owners::default(),
            };
            let names = match memory {
                Memory::One => names_of_variables(s, body),
                _ => FxHashSet::default(),
            };
            for (number, point) in body.points.iter().enumerate() {
                let mut new: Vec<(Option<PathId>, Option<PathId>, Portion, _)> = Vec::new();
                for event in point.events.iter().chain(&point.hidden) {
                    match *event {
                        front_c::Event::Copy(o, q) => {
                            let o = paths.object(s, o);
                            let from = paths.object(s, q);
                            new.push((o, paths.whole(s, q), Portion::Itself, None));
                            new.push((o, from, Portion::All, None));
                            // What is behind the pointer is that very variable (VP7).
                            let address = |p: &PathId| paths.links(*p).last() == Some(&ADDRESS);
                            new.push((from.filter(address), o, Portion::Behind, None));
                        }
                        front_c::Event::ReturnOf(o) => {
                            new.push((own, paths.whole(s, o), Portion::Itself, None));
                            new.push((own, paths.object(s, o), Portion::All, None));
                        }
                        _ => {}
                    }
                }
                let calls = match &point.flow {
                    Flow::Call(call) => Some(call),
                    _ => None,
                };
                if let Some(call) = calls {
                    let target = call.result.or(call.temporary).and_then(|o| paths.object(s, o));
                    for &g in &call.targets {
                        if let Some([to, from]) = f.copied(call, g) {
                            let to = paths.object(s, to).and_then(|p| paths.graft(p, &[DEREF]));
                            let from = paths.object(s, from).and_then(|p| paths.graft(p, &[DEREF]));
                            new.push((to, from, Portion::All, None));
                        }
                        for n in
                            (0..call.arg_values.len()).filter(|n| f.allocates(g) && f.frees(g, *n))
                        {
                            let arg = call.arg_values[n].and_then(|o| paths.object(s, o));
                            let arg = arg.and_then(|p| paths.graft(p, &[DEREF]));
                            let to = target.and_then(|p| paths.graft(p, &[DEREF]));
                            new.push((to, arg, Portion::All, None));
                        }
                        if let Some(n) = f.returned(g) {
                            let arg = call.arg_values.get(n).copied().flatten();
                            new.push((
                                target,
                                arg.and_then(|o| paths.object(s, o)),
                                Portion::All,
                                None,
                            ));
                        }
                        if !f.is_entered(g) {
                            continue;
                        }
                        let Some(callee) = s.body(g) else { continue };
                        new.push((target, paths.add(Root::Ret(g), &[]), Portion::All, None));
                        for (i, (param, arg)) in
                            callee.params.iter().zip(&call.arg_values).enumerate()
                        {
                            let (Some(param), Some(arg)) = (param, arg) else { continue };
                            let (param, o) = (paths.object(s, *param), *arg);
                            let arg = paths.object(s, o);
                            new.push((param, paths.whole(s, o), Portion::Itself, None));
                            new.push((param, arg, Portion::All, Some((g, i as u32))));
                            new.push((arg, param, Portion::Behind, None));
                        }
                    }
                }
                // What is stored where it escapes is not followed there.
                for (to, from, part, into) in new {
                    let held = |p: &PathId| match (memory, paths.root(*p)) {
                        (Memory::One, root @ Root::Var(o))
                            if is_one_away(s, root, paths.links(*p)) =>
                        {
                            matches!(owners.at(number as u32, o), Own::Fresh(_) | Own::Param)
                                || names.contains(&o)
                        }
                        _ => true,
                    };
                    add(to.filter(|p| part == Portion::Behind || held(p)), from, part, into);
                }
            }
        }
        graph
    }
}

impl Graph<'_> {
    /// Whether a value is followed there.
    fn follows(&self, root: Root, links: &[L]) -> bool {
        match self.memory {
            Memory::All => true,
            Memory::No => !in_memory(links),
            Memory::One => !in_memory(links) || is_one_away(self.s, root, links),
        }
    }

    /// Whether a member behind a pointer would be followed to another function.
    fn is_far(&self, paths: &Paths, from: Root, base: PathId, suffix: &[L]) -> bool {
        let (root, links) = paths.extended(base, suffix);
        let function = |root: Root| match root {
            Root::Var(o) => self.s.objects[o.index()].owner,
            Root::Ret(_) | Root::Arg(_) => None,
        };
        in_memory(&links)
            && links != [DEREF]
            && (function(root) != function(from) || function(root).is_none())
    }

    /// Whether a function that gets a pointer has to do with what is behind it.
    fn concerns(&self, edge: &Edge, paths: &Paths, suffix: &[L]) -> bool {
        let (Memory::One, Some((g, n))) = (self.memory, edge.into) else { return true };
        let Some(member) = suffix.iter().find(|l| **l > ADDRESS) else { return true };
        !suffix.contains(&DEREF)
            || self.ownership.touches(g, paths.field_name(*member))
            || self.ownership.touches(g, FREES)
            || self.ownership.keeps_param(g, n)
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
        for address in paths.addresses() {
            let Some((&ADDRESS, place)) = paths.links(address).split_last() else { continue };
            let root = paths.root(address);
            if !wanted.contains(&(root, place)) {
                continue;
            }
            let Some(place) = paths.find(root, place) else { continue };
            let mut seen: FxHashSet<PathId> = FxHashSet::from_iter([address]);
            let mut todo = vec![address];
            while let Some(p) = todo.pop() {
                let links = paths.links(p);
                for (cut, (base, _)) in paths.beginnings(p).into_iter().enumerate() {
                    let Some(base) = base else { continue };
                    for &e in self.flows.1.from.get(&base).into_iter().flatten() {
                        steps += 1;
                        let edge = &self.flows.1.edges[e as usize];
                        let there = match edge.part {
                            Portion::All => true,
                            Portion::Behind => links.get(cut) == Some(&DEREF),
                            Portion::Itself => cut == links.len(),
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

    /// All paths that the seeds' values come from (`back`), or go to; and whether that was given up.
    fn closure(
        &self,
        paths: &mut Paths,
        seeds: &[PathId],
        back: bool,
        give_up: GiveUp,
    ) -> (Vec<bool>, bool) {
        let mut set = vec![false; paths.len()];
        let mut todo: Vec<PathId> = Vec::new();
        let mut widths = Widths::default();
        let mut costs = |paths: &Paths, p: PathId| {
            let owner = paths.owner(self.s, p);
            let counts = match give_up {
                GiveUp::Never => false,
                GiveUp::Wide => true,
                GiveUp::Pairs(_, globals) => globals || owner.is_some(),
            };
            if counts {
                widths.add(owner);
            }
            match give_up {
                GiveUp::Never => false,
                GiveUp::Wide => widths.is_wide(),
                GiveUp::Pairs(most, _) => widths.cost > most,
            }
        };
        for &p in seeds {
            if !std::mem::replace(&mut set[p.index()], true) {
                todo.push(p);
                if costs(paths, p) {
                    return (set, true);
                }
            }
        }
        let index = if back { &self.flows.1.to } else { &self.flows.1.from };
        let mut count = 0u32;
        while let Some(p) = todo.pop() {
            count += 1;
            if paths.too_many() || (count.is_multiple_of(1024) && (self.stop)()) {
                break;
            }
            let (root, links) = (paths.root(p), paths.links(p).to_vec());
            for (cut, (base, address)) in paths.beginnings(p).into_iter().enumerate() {
                let suffix = &links[cut..];
                let edges = base.and_then(|b| index.get(&b)).into_iter().flatten();
                // Where to, and whether as what is behind it.
                let mut found: Vec<(PathId, bool)> = Vec::new();
                for &e in edges {
                    let edge = &self.flows.1.edges[e as usize];
                    let there = match edge.part {
                        Portion::All => true,
                        Portion::Behind => suffix.first() == Some(&DEREF),
                        Portion::Itself => suffix.is_empty(),
                    };
                    let base = if back { edge.from } else { edge.to };
                    let far = self.memory != Memory::All && in_memory(paths.links(edge.to)) && {
                        let (root, links) = paths.extended(base, suffix);
                        !self.follows(root, &links) || self.memory == Memory::No
                    };
                    if !there || far || !self.concerns(edge, paths, suffix) {
                        continue;
                    }
                    found.push((base, false));
                }
                // `x·τ` goes where `&x` goes, as `*·τ`.
                let mut behind = vec![DEREF];
                behind.extend_from_slice(suffix);
                if let Some(base) = address {
                    for &e in index.get(&base).into_iter().flatten() {
                        let edge = &self.flows.1.edges[e as usize];
                        if edge.part != Portion::Itself && self.concerns(edge, paths, &behind) {
                            found.push((if back { edge.from } else { edge.to }, true));
                        }
                    }
                }
                for (base, as_behind) in found {
                    let suffix = if as_behind { &behind } else { suffix };
                    if self.near && self.is_far(paths, root, base, suffix) {
                        continue;
                    }
                    let Some(next) = paths.graft(base, suffix) else { continue };
                    if set.len() < paths.len() {
                        set.resize(paths.len(), false);
                    }
                    if !std::mem::replace(&mut set[next.index()], true) {
                        todo.push(next);
                        if costs(paths, next) {
                            return (set, true);
                        }
                    }
                }
            }
        }
        (set, false)
    }
}

/// Variables of a body that are assigned nothing but the address of one variable of it: what they point to is that one.
fn names_of_variables(s: &Skeleton, body: &Body) -> FxHashSet<ObjectId> {
    use front_c::{Event as E, Reach};
    let mut out: FxHashMap<ObjectId, Option<ObjectId>> = FxHashMap::default();
    for point in &body.points {
        let all = || point.events.iter().chain(&point.hidden);
        let result = match &point.flow {
            Flow::Call(call) => call.result,
            _ => None,
        };
        let assigned = point.events.iter().filter_map(|e| match *e {
            E::Assign(o) | E::Modify(o) => Some(o),
            _ => None,
        });
        for o in assigned.chain(result) {
            let from = all().find_map(|e| match *e {
                E::Copy(to, from) if to == o => Some(from),
                _ => None,
            });
            let known = out.entry(o).or_insert(from);
            if *known != from {
                *known = None;
            }
        }
    }
    let local = |o: ObjectId| {
        let object = &s.objects[o.index()];
        object.reach == Reach::Var && object.automatic && !body.params.contains(&Some(o))
    };
    let address = |o: ObjectId| match s.objects[o.index()].reach {
        Reach::Address(x) => local(x),
        _ => false,
    };
    let usable = |o: ObjectId| local(o) && !s.objects[o.index()].address_taken;
    let found = out.into_iter().filter(|(o, from)| usable(*o) && from.is_some_and(address));
    found.map(|(o, _)| o).collect()
}

/// Visits the calls of functions that the rule speaks of, each with its point and its target.
pub(crate) fn each_call_at(f: &Functions<'_>, mut visit: impl FnMut(At, &Call, FuncId)) {
    let s = f.s;
    let calls = f.facts.calls.get_or_init(|| calls_that_matter(f).into());
    for &(at, g) in calls.iter() {
        if let Flow::Call(call) = &s.bodies[at.body as usize].points[at.point as usize].flow {
            visit(at, call, g);
        }
    }
}

/// The calls at which an event of the rule may happen.
fn calls_that_matter(f: &Functions<'_>) -> Vec<(At, FuncId)> {
    let (mut out, mut known) = (Vec::new(), FxHashMap::<FuncId, bool>::default());
    let events = || f.rule.events.iter().flatten();
    let passes = events().any(|e| matches!(e, Event::Pass(_)));
    let speaks = |g: FuncId| {
        let name = f.name(g);
        passes && !f.is_entered(g) || events().filter_map(Event::pattern).any(|p| p.matches(name))
    };
    for (number, body) in f.s.bodies.iter().enumerate() {
        if f.is_opaque(body.func) {
            continue;
        }
        for (i, point) in body.points.iter().enumerate() {
            let Flow::Call(call) = &point.flow else { continue };
            let at = At { body: number as u32, point: i as u32 };
            let mut of = |g: &FuncId| *known.entry(*g).or_insert_with(|| speaks(*g));
            out.extend(call.targets.iter().filter(|g| of(g)).map(|g| (at, *g)));
        }
    }
    out
}

/// The targets of results that the rule names, and what functions store through arguments.
fn seeds(f: &Functions<'_>, paths: &mut Paths) -> Vec<PathId> {
    let mut out = Vec::new();
    each_call_at(f, |at, call, g| {
        if f.is_entered(g) || f.returned(g).is_some() || f.part.leaves_out(at) {
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
                    // `pipe(fds)`
                    let second = paths.field("[1]");
                    out.extend(arg.and_then(|a| paths.find_graft(a, &[DEREF, second])));
                }
                _ => {}
            }
        }
    });
    let inherited = f.inherited();
    let mut add = |at: Option<At>, places: &[Place]| {
        if at.is_some_and(|at| !f.part.leaves_out(at)) {
            out.extend(places.iter().filter_map(|place| paths.member(place)));
        }
    };
    inherited.at_entry.iter().for_each(|(n, places)| add(entry_point(f.s, *n), places));
    inherited.behind.iter().for_each(|(at, places)| add(Some(*at), places));
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
    // In a part, the values that come to where it begins (QP3).
    let first = if f.part.is_whole() { None } else { first_events(rule) };
    let begins = |atom: usize| first.as_ref().is_none_or(|first| first.contains(&(atom as u32)));
    let events = || {
        let all = rule.events.iter().enumerate();
        all.filter(|(atom, _)| begins(*atom)).flat_map(|(_, events)| events)
    };
    each_call_at(f, |at, call, g| {
        if first.is_some() && f.part.leaves_out(at) {
            return;
        }
        let name = f.name(g);
        for event in events() {
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
    if first.is_some() {
        return out;
    }
    if rule.events.iter().flatten().any(|e| matches!(e, Event::Test(..))) {
        for body in f.s.bodies.iter().filter(|b| !f.is_opaque(b.func)) {
            for point in &body.points {
                let Flow::Branch(arms) = &point.flow else { continue };
                for event in arms.iter().flat_map(|a| a.events.iter().chain(&a.hidden)) {
                    if let front_c::Event::Test(o, ..) = *event {
                        add(paths, o, &[]);
                    }
                }
            }
        }
    }
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
    // `&p` is `q` where `p` is `*q`.
    if let [ADDRESS] = wanted[..] {
        let mut behind = links.clone();
        behind.push(DEREF);
        return paths.add(root, &behind);
    }
    // `x.lock` is `p->lock` where `p` is `&x`.
    let (&first, rest) = wanted.split_first()?;
    let base = links.strip_suffix(rest).filter(|_| first == DEREF)?;
    let mut base = base.to_vec();
    base.push(ADDRESS);
    paths.add(root, &base)
}
