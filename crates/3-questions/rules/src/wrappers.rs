//! Functions of a program that do what functions of the library do.
//!
//! `void release(void *p) { free(p); }` is `free`, and `void *need(size_t n)` that ends the program where `malloc` fails is
//! `malloc`, if they are called at several places: the rule is violated where they are called, and there is a finding for
//! each such place. What else they do must be nothing that a rule could be about:
//!
//! - WR1. A function that hands its parameters on, in their order, and returns the result: it may test whether the first of
//!   them, or the result, is null, end the program then, count, and ask functions of the library that keep nothing.
//! - WR2. A function that returns what it allocates: on every way from the allocation it returns that, or that was null. It
//!   may do anything else that has nothing to do with it, and with the pointers that it is given: what it calls is looked at
//!   by itself.
//! - WR3. For rules about results that are null (`assume p == 0`), a function that looks whether the result is, and ends the
//!   program on every way then, stands for nothing: what it returns is none of these.

use crate::event::Event;
use crate::giving_up::gives_up;
use crate::rule::{Comparison, Rule};
use crate::value::At;
use c_types::Scalar;
use front_c::{
    Arm, Body, Call, Event as E, Flow, FuncId, Next, ObjectId, Reach, Relation, Skeleton,
    plain_name,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Functions of which a rule speaks, and those that stand for another.
pub(crate) fn seen_as(
    s: &Skeleton,
    rule: &Rule,
    entry: Option<&str>,
) -> (Arc<[bool]>, Arc<[Option<FuncId>]>) {
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
        wrappers(s, rule, entry, &mut opaque, &mut stands_for);
    }
    (opaque.into(), stands_for.into())
}

/// A function that is called at fewer places is looked into.
const WRAPPER: u32 = 2;

/// Finds those that are called at several places.
fn wrappers(
    s: &Skeleton,
    rule: &Rule,
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
        for (number, body) in s.bodies.iter().enumerate() {
            let g = body.func.index();
            let asked_for = entry.is_some_and(|e| e == s.funcs[g].unique);
            if opaque[g] || called[g] < WRAPPER || asked_for || s.funcs[g].name == "main" {
                continue;
            }
            let handed = handed_on(s, rule, body, opaque).filter(|h| opaque[h.index()]);
            if let Some(inner) = handed.or_else(|| allocated(s, rule, body, opaque, stands_for)) {
                let dies = |point| gives_up(s, At { body: number as u32, point });
                // WR3
                if !(about_null(rule) && tested(body, inner).is_some_and(dies)) {
                    stands_for[g] = stands_for[inner.index()].or(Some(inner));
                }
                opaque[g] = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// The function that a body calls with its own parameters, in their order, and whose result it returns, if it does
/// nothing else: but for the test whether the first of them, or the result, is null, for ending the program then, and for
/// parameters that become constants behind the call. What an allocating function is given does not matter. A pointer that
/// holds the function, and may hold others that are not read, stands for it: with the others, the value would be lost from
/// sight, and nothing is found there.
fn handed_on(s: &Skeleton, rule: &Rule, body: &Body, opaque: &[bool]) -> Option<FuncId> {
    let ends = |call: &Call| {
        !call.targets.is_empty() && call.targets.iter().all(|g| s.funcs[g.index()].noreturn)
    };
    let params: Vec<ObjectId> = body.params.iter().flatten().copied().collect();
    let given = named(s, body, &params);
    let precious = |o: ObjectId| given.contains(&base(s, o));
    let mut ended = false;
    // Points from which there may be a way back.
    let (mut seen, mut todo, mut list) = (FxHashSet::default(), vec![body.entry], Vec::new());
    let mut found: Option<&Call> = None;
    let mut behind = Vec::new();
    let mut checks = false;
    while let Some(next) = todo.pop() {
        let Next::Point(p) = next else { continue };
        if !seen.insert(p) {
            continue;
        }
        let point = &body.points[p as usize];
        match &point.flow {
            Flow::Next(next) => todo.push(*next),
            Flow::Branch(arms) => {
                checks = true;
                todo.extend(arms.iter().map(|a| a.next));
            }
            Flow::Return => {}
            Flow::Call(call) if ends(call) => {
                (checks, ended) = (true, true);
                continue;
            }
            Flow::Call(call)
                if asks_only(s, call, opaque) || is_unrelated(s, call, opaque, &precious) =>
            {
                todo.push(call.next);
            }
            Flow::Call(call) if found.is_none() => {
                found = Some(call);
                behind.push(call.next);
            }
            Flow::Call(_) => return None,
        }
        list.push(point);
    }
    let before = seen.clone();
    while let Some(next) = behind.pop() {
        let Next::Point(p) = next else { continue };
        if !seen.insert(p) {
            continue;
        }
        let point = &body.points[p as usize];
        match &point.flow {
            Flow::Next(next) => behind.push(*next),
            Flow::Branch(arms) => {
                checks = true;
                behind.extend(arms.iter().map(|a| a.next));
            }
            Flow::Return => {}
            Flow::Call(call) if ends(call) => {
                (checks, ended) = (true, true);
                continue;
            }
            Flow::Call(call)
                if asks_only(s, call, opaque) || is_unrelated(s, call, opaque, &precious) =>
            {
                behind.push(call.next);
            }
            Flow::Call(_) => return None,
        }
        list.push(point);
    }
    let call = found?;
    let through = through(s, call);
    let [target] = call.targets[..] else { return None };
    let name = plain_name(&s.funcs[target.index()].name);
    let contract = s.contracts.get(name);
    let allocates = contract.is_some_and(|c| c.allocates && c.frees.is_empty());
    let handed = call.arg_values.iter().zip(&body.params).all(|(a, p)| a.is_some() && a == p);
    let all = handed && call.arg_values.len() <= body.params.len();
    let fallible = rule.fallible.iter().any(|(p, ..)| p.matches(name));
    if !(all || allocates) || ended && fallible {
        return None;
    }
    let result = call.result.or(call.temporary);
    let variable = |o: ObjectId| {
        let object = &s.objects[o.index()];
        object.reach == Reach::Var && object.automatic && !object.address_taken
    };
    // Where the call is not come by, a parameter is what was given.
    let given_back = |o: ObjectId| allocates && params.contains(&o);
    if result.is_some_and(|o| !variable(o) || given_back(o)) {
        return None;
    }
    let subject = if allocates { None } else { call.arg_values.first().copied().flatten() };
    let tested = |o: ObjectId| result == Some(o) || subject == Some(o);
    // A name for something else that is given.
    let alias = |o: ObjectId| {
        given.contains(&o) && !params.contains(&o) && Some(o) != result && Some(o) != subject
    };
    let mut returned = false;
    // Parameters that become constants behind the call.
    let gone = |o: ObjectId| {
        let all = body.points.iter().enumerate();
        let mut all = all.filter(|(p, _)| seen.contains(&(*p as u32)));
        params.contains(&o)
            && all.all(|(p, point)| {
                let mut values = point.values.iter().filter(|(to, _)| *to == o).peekable();
                let constant = |d: &Option<u32>| d.is_some_and(|d| is_constant(body, d));
                values.peek().is_none()
                    || !before.contains(&(p as u32)) && values.all(|(_, d)| constant(d))
            })
    };
    for point in list {
        let quiet = point.events.iter().chain(&point.hidden).all(|e| match *e {
            E::Use(o) => params.contains(&o) || tested(o) || through.contains(&o) || is_count(s, o),
            E::Copy(to, from) => alias(to) && params.contains(&from) && Some(from) != subject,
            E::Deref(o) => through.contains(&o),
            E::Assign(o) => result == Some(o) || gone(o) || is_count(s, o) || alias(o),
            E::Modify(o) => is_count(s, o),
            E::ReturnOf(o) => result == Some(o),
            E::Return => true,
            _ => false,
        });
        let values = point.values.iter().all(|(o, _)| {
            result == Some(*o) || gone(*o) || alias(*o) || is_count(s, *o) && !params.contains(o)
        });
        if !quiet || !values {
            return None;
        }
        match &point.flow {
            Flow::Branch(arms) if !arms.iter().all(|arm| only_tests(arm, &tested)) => return None,
            Flow::Return => {
                let mut events = point.events.iter().chain(&point.hidden);
                let here = events.any(|e| matches!(e, E::ReturnOf(_)));
                returned |= here;
                if !here && result.is_some() && !checks {
                    return None;
                }
            }
            _ => {}
        }
    }
    (returned == result.is_some()).then_some(target)
}

/// Whether the values that a rule follows are null.
fn about_null(rule: &Rule) -> bool {
    rule.assume == Some((Comparison::Eq, 0))
}

/// The call of a function whose result a body looks at. WR3.
fn tested(body: &Body, f: FuncId) -> Option<u32> {
    let call = |point: &front_c::Point| match &point.flow {
        Flow::Call(call) if call.targets.contains(&f) => call.result.or(call.temporary),
        _ => None,
    };
    let mut calls = body.points.iter().zip(0..).filter_map(|(p, i)| Some((i, call(p)?)));
    let (at, made) = calls.next()?;
    let arms = body.points.iter().flat_map(|point| match &point.flow {
        Flow::Branch(arms) => arms.iter().as_slice(),
        _ => &[],
    });
    let mut tests = arms.flat_map(|arm| arm.events.iter().chain(&arm.hidden));
    tests.any(|e| matches!(*e, E::Test(o, ..) if o == made)).then_some(at)
}

/// What a call reads its function from: a pointer, and what that is reached through.
fn through(s: &Skeleton, call: &Call) -> Vec<ObjectId> {
    let mut through: Vec<ObjectId> = call.through.into_iter().collect();
    while let Some(&o) = through.last()
        && let Reach::Field(b)
        | Reach::Cell(b)
        | Reach::Arrow(b)
        | Reach::Deref(b)
        | Reach::Address(b) = s.objects[o.index()].reach
    {
        through.push(b);
    }
    through
}

/// Whether a call asks functions of the library something, and no rule speaks of them.
fn asks_only(s: &Skeleton, call: &Call, opaque: &[bool]) -> bool {
    let asks = |g: &FuncId| {
        let name = plain_name(&s.funcs[g.index()].name);
        let keeps = |n| s.contracts.get(name).and_then(|c| c.keeps(n)) == Some(true);
        let frees = s.contracts.get(name).is_some_and(|c| !c.frees.is_empty());
        let whole = s.body(*g).is_none() && !s.funcs[g.index()].noreturn;
        whole && !opaque[g.index()] && s.library(*g).is_some() && !frees && !(1..9).any(keeps)
    };
    !call.open && !call.targets.is_empty() && call.targets.iter().all(asks)
}

/// Whether an object is a number.
fn is_count(s: &Skeleton, o: ObjectId) -> bool {
    matches!(s.objects[o.index()].scalar, Some(Scalar::Int(_)))
}

/// Whether it is a variable of a function that is reached by its name only.
fn is_plain(s: &Skeleton, o: ObjectId) -> bool {
    let object = &s.objects[o.index()];
    object.reach == Reach::Var && object.automatic && !object.address_taken
}

/// Parameters that are no numbers, and the variables that they are copied to.
fn named(s: &Skeleton, body: &Body, params: &[ObjectId]) -> FxHashSet<ObjectId> {
    let mut out: FxHashSet<ObjectId> =
        params.iter().copied().filter(|p| !is_count(s, *p)).collect();
    loop {
        let before = out.len();
        for event in body.points.iter().flat_map(|p| p.events.iter().chain(&p.hidden)) {
            if let E::Copy(to, from) = *event
                && out.contains(&base(s, from))
                && is_plain(s, to)
                && !params.contains(&to)
            {
                out.insert(to);
            }
        }
        if out.len() == before {
            return out;
        }
    }
}

/// Whether a call has nothing to do with pointers that are given, or are made.
fn is_unrelated(
    s: &Skeleton,
    call: &Call,
    opaque: &[bool],
    precious: &dyn Fn(ObjectId) -> bool,
) -> bool {
    let result = call.result.or(call.temporary);
    !call.open
        && !call.targets.is_empty()
        && !call.targets.iter().any(|g| opaque[g.index()])
        && call.targets.iter().all(|g| s.body(*g).is_some())
        && !call.arg_values.iter().flatten().chain(&result).any(|&o| precious(o))
}

/// The variable that an object is reached through, or is.
fn base(s: &Skeleton, mut o: ObjectId) -> ObjectId {
    loop {
        o = match s.objects[o.index()].reach {
            Reach::Var => return o,
            Reach::Field(b)
            | Reach::Cell(b)
            | Reach::Arrow(b)
            | Reach::Deref(b)
            | Reach::Address(b) => b,
        };
    }
}

/// The function that allocates what a body returns (WR2).
fn allocated(
    s: &Skeleton,
    rule: &Rule,
    body: &Body,
    opaque: &[bool],
    stands_for: &[Option<FuncId>],
) -> Option<FuncId> {
    let inner = |g: FuncId| stands_for[g.index()].unwrap_or(g);
    let name = |g: FuncId| plain_name(&s.funcs[inner(g).index()].name);
    let makes = |g: &FuncId| {
        let result = |e: &Event| matches!(e, Event::Result(p) if p.matches(name(*g)));
        let contract = s.contracts.get(name(*g));
        opaque[g.index()]
            && rule.events.iter().flatten().any(result)
            && contract.is_some_and(|c| c.allocates && c.frees.is_empty())
            && !rule.fallible.iter().any(|(p, ..)| p.matches(name(*g)))
    };
    let params: Vec<ObjectId> = body.params.iter().flatten().copied().collect();
    let mut found: Option<(u32, &Call, FuncId)> = None;
    for (i, point) in body.points.iter().enumerate() {
        let Flow::Call(call) = &point.flow else { continue };
        let [target] = call.targets[..] else { continue };
        if !call.open && makes(&target) {
            if found.is_some() {
                return None;
            }
            found = Some((i as u32, call, target));
        }
    }
    let (at, call, target) = found?;
    let made = call.result.or(call.temporary)?;
    if !is_plain(s, made) || params.contains(&made) {
        return None;
    }
    // What is made, and what was given: nothing else happens to them.
    let given = named(s, body, &params);
    let precious = |o: ObjectId| {
        let b = base(s, o);
        b == made || given.contains(&b)
    };
    for (i, point) in body.points.iter().enumerate() {
        for event in point.events.iter().chain(&point.hidden) {
            let harmless = match *event {
                E::Use(_) | E::Deref(_) | E::Test(..) | E::Index(..) => true,
                E::Return | E::Exit | E::Store => true,
                // Before it is allocated, it may be null.
                E::Assign(o) if o == made => {
                    let mut values = point.values.iter().filter(|(to, _)| *to == o);
                    i as u32 == at || values.all(|(_, d)| d.is_some_and(|d| is_constant(body, d)))
                }
                E::Assign(o) | E::Modify(o) => {
                    !precious(o) || is_count(s, o) || is_plain(s, o) && !params.contains(&o)
                }
                E::Address(o) => !precious(o),
                E::Copy(to, from) => {
                    base(s, from) != made && (!precious(from) || given.contains(&to))
                }
                E::ReturnOf(o) => o == made,
                E::Escape(o) | E::Lent(o) => !precious(o),
            };
            if !harmless {
                return None;
            }
        }
        let Flow::Call(call) = &point.flow else { continue };
        if i as u32 == at {
            continue;
        }
        let ends =
            !call.targets.is_empty() && call.targets.iter().all(|g| s.funcs[g.index()].noreturn);
        let speaks = call.targets.iter().any(|g| opaque[g.index()]);
        let given = call.arg_values.iter().flatten().any(|&o| precious(o));
        if !ends && (speaks || given && !asks_only(s, call, opaque)) {
            return None;
        }
        if call.result.or(call.temporary).is_some_and(precious) {
            return None;
        }
    }
    // On every way from there it is returned, or was null.
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let (mut todo, mut returned) = (vec![call.next], false);
    while let Some(next) = todo.pop() {
        let Next::Point(p) = next else { continue };
        if p == at {
            return None;
        }
        if !seen.insert(p) {
            continue;
        }
        let point = &body.points[p as usize];
        if point.events.iter().chain(&point.hidden).any(|e| *e == E::Assign(made)) {
            return None;
        }
        match &point.flow {
            Flow::Next(next) => todo.push(*next),
            Flow::Branch(arms) => {
                let null = |e: &E| matches!(*e, E::Test(o, Relation::Eq, 0) if o == made);
                let arms = arms.iter().filter(|a| !a.events.iter().chain(&a.hidden).any(null));
                todo.extend(arms.map(|a| a.next));
            }
            Flow::Call(call) => todo.push(call.next),
            Flow::Return => {
                let mut events = point.events.iter().chain(&point.hidden);
                if !events.any(|e| matches!(*e, E::ReturnOf(o) if o == made)) {
                    return None;
                }
                returned = true;
            }
        }
    }
    returned.then_some(target)
}

/// Whether a value is a number that is written down, however it is converted.
fn is_constant(body: &Body, mut d: u32) -> bool {
    use front_c::Data;
    while let Data::Convert(_, a) | Data::As(_, a) = body.data[d as usize] {
        d = a;
    }
    matches!(body.data[d as usize], Data::Int(_))
}

/// Whether a way out of a branch does nothing but test such variables.
fn only_tests(arm: &Arm, tested: &dyn Fn(ObjectId) -> bool) -> bool {
    let mut tests = arm.events.iter().chain(&arm.hidden).peekable();
    tests.peek().is_some() && tests.all(|e| matches!(*e, E::Test(o, _, 0) if tested(o)))
}
