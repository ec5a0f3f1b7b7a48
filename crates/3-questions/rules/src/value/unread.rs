//! Globals that nobody reads any more once the function that the program was called by has returned.
//!
//! A global that is always written before it is read hands something on inside of one call from outside. What it holds when
//! that call is over can never be got at again: it holds nothing then.
//!
//! - GU1. It is a variable of the program's own: `static`, or of a linked program and declared in no header; its address is
//!   not taken.
//! - GU2. It is read, by a function or one that it calls, before it is written on a way from the function's beginning, if the
//!   program starts with that function, or its address is taken, or from behind a call of a function that is not read, which
//!   may have called back.
//! - GU3. With neither, it holds nothing where such a function returns. What `main` leaves behind is held to the end.

use super::Maker;
use front_c::{Body, Event, Flow, FuncId, Next, ObjectId, Point, Reach, Skeleton};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, PoisonError};

/// The variable that an object is a part of, or is behind.
pub(super) fn root(s: &Skeleton, mut o: ObjectId) -> ObjectId {
    loop {
        o = match s.objects[o.index()].reach {
            Reach::Var => return o,
            Reach::Field(b) | Reach::Cell(b) | Reach::Address(b) => b,
            Reach::Arrow(b) | Reach::Deref(b) => b,
        }
    }
}

/// What a point does to a variable, before a function that it calls runs: whether it reads it, and whether it writes all of it.
fn does(s: &Skeleton, point: &Point, g: ObjectId) -> (bool, bool) {
    let is = |o: ObjectId| root(s, o) == g;
    let (mut reads, mut writes) = (false, false);
    let arms = match &point.flow {
        Flow::Branch(arms) => &arms[..],
        _ => &[],
    };
    let tests = arms.iter().flat_map(|a| a.events.iter().chain(&a.hidden));
    for event in point.events.iter().chain(&point.hidden).chain(tests) {
        match *event {
            Event::Assign(o) => {
                writes |= o == g;
                // Who writes behind it reads it.
                reads |= o != g && is(o) && s.objects[o.index()].reach != Reach::Var;
            }
            Event::Use(o) | Event::Deref(o) | Event::Address(o) | Event::ReturnOf(o) => {
                reads |= is(o);
            }
            Event::Escape(o) | Event::Lent(o) | Event::Test(o, ..) | Event::Copy(_, o) => {
                reads |= is(o)
            }
            Event::Index(_, by) => reads |= by.is_some_and(is),
            Event::Modify(_) | Event::Store | Event::Return | Event::Exit => {}
        }
    }
    if let Flow::Call(call) = &point.flow {
        reads |= call.arg_values.iter().flatten().any(|o| is(*o));
        reads |= call.result.is_some_and(|o| o != g && is(o));
    }
    (reads, writes)
}

impl Maker<'_> {
    /// The globals of GU1 to GU3 among those that can hold a value.
    pub(super) fn find_unread(&mut self) {
        let s = self.s;
        let mut candidates: Vec<ObjectId> = Vec::new();
        for &p in self.globals.keys() {
            let crate::paths::Root::Var(g) = self.paths.root(p) else { continue };
            let object = &s.objects[g.index()];
            // Line markers name the unit's own file first.
            let own = object.at.is_some_and(|(_, place)| place.file <= 1);
            let private = !object.external || object.defined && own;
            if private && !object.address_taken && !object.volatile && !candidates.contains(&g) {
                candidates.push(g);
            }
        }
        if candidates.len() > MOST {
            return;
        }
        let found = self.f.facts.unread.get_or_init(|| Unread::new(s));
        for g in candidates {
            if !found.read_later(s, g, &self.roots) {
                self.unread.insert(g);
            }
        }
    }
}

/// What is found out once about the globals of a program.
#[derive(Default)]
pub(crate) struct Unread {
    callers: FxHashMap<FuncId, Vec<usize>>,
    mentions: FxHashMap<ObjectId, Vec<usize>>,
    /// Which globals are read later (GU2).
    known: Mutex<FxHashMap<ObjectId, bool>>,
}

impl Unread {
    fn new(s: &Skeleton) -> Unread {
        let mut out = Unread::default();
        for (i, body) in s.bodies.iter().enumerate() {
            let mut add = |o: ObjectId| {
                let list = out.mentions.entry(root(s, o)).or_default();
                if list.last() != Some(&i) {
                    list.push(i);
                }
            };
            for point in &body.points {
                mentioned(point).for_each(&mut add);
                let Flow::Call(call) = &point.flow else { continue };
                call.arg_values.iter().flatten().chain(&call.result).for_each(|o| add(*o));
                call.targets.iter().for_each(|f| out.callers.entry(*f).or_default().push(i));
            }
        }
        out
    }

    fn read_later(&self, s: &Skeleton, g: ObjectId, roots: &[FuncId]) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(g).or_insert_with(|| {
            let direct = self.mentions.get(&g).cloned().unwrap_or_default();
            read_later(s, g, direct, &self.callers, roots)
        })
    }
}

/// The objects in the events of a point.
fn mentioned(point: &Point) -> impl Iterator<Item = ObjectId> {
    let arms = match &point.flow {
        Flow::Branch(arms) => &arms[..],
        _ => &[],
    };
    let tests = arms.iter().flat_map(|a| a.events.iter().chain(&a.hidden));
    let events = point.events.iter().chain(&point.hidden).chain(tests);
    events
        .flat_map(|event| match *event {
            Event::Use(o) | Event::Deref(o) | Event::Address(o) | Event::ReturnOf(o) => {
                [Some(o), None]
            }
            Event::Assign(o) | Event::Modify(o) | Event::Escape(o) | Event::Lent(o) => {
                [Some(o), None]
            }
            Event::Test(o, ..) => [Some(o), None],
            Event::Copy(a, b) => [Some(a), Some(b)],
            Event::Index(_, by) => [by, None],
            Event::Store | Event::Return | Event::Exit => [None, None],
        })
        .flatten()
}

/// With more of them, nothing is known.
const MOST: usize = 200;

/// GU2.
fn read_later(
    s: &Skeleton,
    g: ObjectId,
    direct: Vec<usize>,
    callers: &FxHashMap<FuncId, Vec<usize>>,
    roots: &[FuncId],
) -> bool {
    let unknown = |g: FuncId| s.body(g).is_none() && s.library(g).is_none();
    let from_outside = |g: FuncId| {
        let f = &s.funcs[g.index()];
        roots.contains(&g) || f.address_taken || f.by_itself
    };
    let mut exposed: FxHashSet<FuncId> = FxHashSet::default();
    let mut todo = direct;
    while let Some(i) = todo.pop() {
        let body = &s.bodies[i];
        // From behind calls of what may call back.
        let behind = body.points.iter().filter_map(|p| match &p.flow {
            Flow::Call(c) if c.open || c.targets.iter().any(|f| unknown(*f)) => Some(c.next),
            _ => None,
        });
        if reads_from(s, body, g, behind.collect(), &exposed) {
            return true;
        }
        if !exposed.contains(&body.func) && reads_from(s, body, g, vec![body.entry], &exposed) {
            if from_outside(body.func) {
                return true;
            }
            exposed.insert(body.func);
            todo.extend(callers.get(&body.func).into_iter().flatten());
        }
    }
    false
}

/// Whether it may be read before it is written on a way from here.
fn reads_from(
    s: &Skeleton,
    body: &Body,
    g: ObjectId,
    mut todo: Vec<Next>,
    exposed: &FxHashSet<FuncId>,
) -> bool {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    while let Some(next) = todo.pop() {
        let Next::Point(p) = next else { continue };
        if !seen.insert(p) {
            continue;
        }
        let point = &body.points[p as usize];
        let (reads, writes) = does(s, point, g);
        if reads {
            return true;
        }
        match &point.flow {
            Flow::Call(call) => {
                if call.targets.iter().any(|f| exposed.contains(f)) {
                    return true;
                }
                if !writes && call.result != Some(g) {
                    todo.push(call.next);
                }
            }
            _ if writes => {}
            Flow::Next(next) => todo.push(*next),
            Flow::Branch(arms) => todo.extend(arms.iter().map(|a| a.next)),
            Flow::Return => {}
        }
    }
    false
}
