//! What answers about C take for granted.

use crate::refined::objects;
use asking::Options;
use c_asking::of_data;
use findings::rule_name;
use front_c::{Body, Flow, ObjectId, Point, Skeleton, When, calls_back, plain_name};
use input::CProgram;
use ir::{EdgeKind, NodeId, Program};
use render::{Listing, Report};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// So many functions without a body are named.
const NAMED: usize = 6;

/// Functions that start threads.
const THREADS: [&str; 2] = ["pthread_create", "thrd_create"];

/// What the answers of a report rest on, one sentence each, each once: what of this program is not
/// modelled. What it does not have is not spoken of.
pub(crate) fn granted(c: &CProgram, report: &Report, options: &Options) -> Vec<String> {
    let mut out = Vec::new();
    if !report.results.iter().all(|o| rule_name(o).is_some() || of_data(&o.engine)) {
        let kept = match options.input.keep.is_empty() && report.claims.kept.is_empty() {
            true => "",
            false => ", or it is about values that are kept",
        };
        out.push(format!(
            "this is about the program's control skeleton: arithmetic, arrays and what pointers point to \
             are not modelled, and a branch may go either way, unless its condition is constant or was \
             decided before and cannot have changed{kept}"
        ));
    }
    let called = called(c.skeleton(), c.used());
    let bodiless: Vec<&str> =
        called.iter().filter(|(_, body, _)| !*body).map(|(name, ..)| *name).collect();
    let names: Vec<String> = bodiless.iter().take(NAMED).map(|n| format!("`{n}`")).collect();
    let more = match bodiless.len() - names.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let back = match called.iter().any(|(_, body, back)| !*body && *back) {
        true => ", to call only what was given away",
        false => "",
    };
    match bodiless.len() {
        0 => {}
        1 => out.push(format!(
            "{} has no body here: it is taken to come back unless known not to{}, and what was tested \
             of memory that it can see is forgotten",
            names[0],
            back
        )),
        _ => out.push(format!(
            "{}{more} have no body here: they are taken to come back unless known not to{back}, and what \
             was tested of memory that they can see is forgotten",
            names.join(", ")
        )),
    }
    let inexact: Vec<String> = c.inexact().collect();
    if let [first, rest @ ..] = &inexact[..] {
        out.push(match rest.len() {
            0 => format!("not modelled exactly: {first}"),
            n => format!("{} places are not modelled exactly: {first}, and {n} more", n + 1),
        });
    }
    if called.iter().any(|(name, ..)| THREADS.contains(name)) {
        out.push(
            "threads do not interleave: what a thread runs, it runs as a whole, and only conditions on what it \
             assigns may change at any time"
                .to_owned(),
        );
    }
    out
}

/// The functions that are called, in order of their names: whether they have a body, and whether they may call
/// back.
fn called<'s>(s: &'s Skeleton, used: &[bool]) -> BTreeSet<(&'s str, bool, bool)> {
    let bodies = s.bodies.iter().zip(used).filter(|(_, used)| **used);
    let points = bodies.flat_map(|(b, _)| &b.points);
    let calls = points.filter_map(|p| match &p.flow {
        Flow::Call(call) => Some(call),
        _ => None,
    });
    let targets: FxHashSet<_> = calls.flat_map(|c| c.targets.iter().copied()).collect();
    targets
        .into_iter()
        .filter(|f| {
            // What compilers and `assert` put in is theirs.
            let name = &s.funcs[f.index()].name;
            s.body(*f).is_some() || !["__assert", "__builtin_"].iter().any(|p| name.starts_with(p))
        })
        .map(|f| {
            let name = plain_name(&s.funcs[f.index()].name);
            (name, s.body(f).is_some(), !s.given_away.is_empty() && calls_back(name))
        })
        .collect()
}

/// The conditions on data that a run of a skeleton takes for granted; steps get those that they make.
pub(crate) fn assumed(s: &Skeleton, program: &Program, trace: &mut Listing) -> Vec<String> {
    let branches = Branches::of(s);
    let mut out: Vec<String> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut made = Vec::new();
    let steps = &trace.steps;
    for (i, step) in steps.iter().enumerate() {
        let next = match steps.get(i + 1) {
            None if step.stays.is_none() => trace.loop_start.and_then(|k| steps.get(k)),
            next => next,
        };
        let Some(next) = next.filter(|n| n.stays.is_none() && n.depth == step.depth) else {
            continue;
        };
        if seen.insert((step.node, next.node))
            && let Some(arm) = way(program, step.node, next.node)
            && let Some(point) = branches.at(program, step.node)
            && let Some(said) = point.assumed(arm)
            && !out.contains(&said)
        {
            made.push((i, said.clone()));
            out.push(said);
        }
    }
    for (i, said) in made {
        trace.steps[i].assumed = Some(said);
    }
    out
}

/// The variables that the conditions on the way of a run are about.
pub(crate) fn tested(s: &Skeleton, trace: &Listing) -> BTreeSet<ObjectId> {
    let branches = Branches::of(s);
    let mut out = BTreeSet::new();
    let mut seen = FxHashSet::default();
    for step in trace.steps.iter().filter(|step| seen.insert(step.node)) {
        let Some((body, point)) = branches.of_body(&trace.program, step.node) else { continue };
        let Flow::Branch(arms) = &point.flow else { continue };
        for when in arms.iter().filter_map(|arm| arm.when.as_ref()) {
            let (When::True(d) | When::False(d) | When::Case(d, ..) | When::Default(d, _)) = when;
            objects(&body.data, *d, &mut out);
        }
    }
    out
}

/// The points of a skeleton at which runs part, by where they are and what they show.
struct Branches<'s>(FxHashMap<(u32, u32, u32, &'s str), (&'s Body, &'s Point)>);

impl<'s> Branches<'s> {
    fn of(s: &'s Skeleton) -> Self {
        let points = s.bodies.iter().flat_map(|body| body.points.iter().map(move |p| (body, p)));
        let branches = points.filter(|(_, point)| matches!(point.flow, Flow::Branch(_)));
        let key = |p: &'s Point| (p.at.file, p.at.line, p.at.column, &*p.text);
        Branches(branches.map(|(body, p)| (key(p), (body, p))).collect())
    }

    fn at(&self, program: &Program, node: NodeId) -> Option<&'s Point> {
        self.of_body(program, node).map(|(_, point)| point)
    }

    fn of_body(&self, program: &Program, node: NodeId) -> Option<(&'s Body, &'s Point)> {
        let origin = program.nodes[node].origin;
        let key = (origin.file, origin.line, origin.column, program.text(origin.text));
        self.0.get(&key).copied()
    }
}

/// The number of the way out of a node by which a run comes to another one, unless values that are kept decide
/// it.
fn way(program: &Program, from: NodeId, to: NodeId) -> Option<usize> {
    let ways: Vec<_> = program.out_edges(from).collect();
    if ways.len() < 2 {
        return None;
    }
    let mut arms = Vec::new();
    for (k, &way) in ways.iter().enumerate() {
        let EdgeKind::Local { target, rel } = &program.edges[way].kind else { return None };
        let mut kept = false;
        program.exprs.reads(rel.guard, |_, var| kept |= !program.vars[var].hidden);
        if kept {
            return None;
        }
        if comes_to(program, *target, to) {
            arms.push(k);
        }
    }
    let &[arm] = &arms[..] else { return None };
    Some(arm)
}

/// Whether the first statement behind a node is another node.
fn comes_to(program: &Program, from: NodeId, to: NodeId) -> bool {
    let (mut seen, mut todo) = (FxHashSet::default(), vec![from]);
    while let Some(node) = todo.pop() {
        if node == to {
            return true;
        }
        if program.nodes[node].statement || !seen.insert(node) {
            continue;
        }
        for edge in program.out_edges(node) {
            if let EdgeKind::Local { target, .. } = &program.edges[edge].kind {
                todo.push(*target);
            }
        }
    }
    false
}
