//! Whether the conditions along the path of a finding agree with each other: one walk over its points, with a name for
//! each value. No run is searched, so it takes microseconds where a search takes seconds, and it says less.
//!
//! - WK1. The walk begins with a function that is called with anything: what is read before it is written has a name of
//!   its own, and later reads of the same place have that name. A place is a variable of an activation, what a value
//!   points to, or a member of a place; two different values may point to one place.
//! - WK2. Assignments, parameters and results hand names on. What a call may write that is not told on the path is read
//!   anew: all of memory, unless it is a function of the library that writes nothing, or only behind its arguments.
//! - WK3. A way out of a branch says how two names, or a name and a number, compare. The path contradicts itself where
//!   nothing is left that they could be.
//! - WK4. A condition that computes (`n * n == 7`, fractions) is not followed: then nothing is known of the path.
//! - WK5. Where a rule is broken by what happens twice to one value, by calls and by following a pointer, both have that name.
//! - WK6. Between the points that are told a path may go several ways; those whose conditions agree are followed, the
//!   shortest first, and few of them.
//! - WK7. A pointer that is followed is not null; the last point is left out, where that may be what is wrong. What comes
//!   into being as the result of a call is null if the rule is about such values.
//! - WK8. A function that returns constants alone, and whose inside is not told, gives one between the least and the greatest.
//!
//! This is the usual check of a path's condition ([clang's] analyser does no more before it tells a finding), without a
//! solver: a path that contradicts itself is no run; one that does not need not be one. Nothing is refuted by it.
//!
//! [clang's]: https://clang.llvm.org/docs/analyzer/

use crate::returned::returned;
use crate::value::At;
use c_types::{Binary, Scalar};
use front_c::{
    Arm, Body, Call, Data, DataId, Event, Flow, FuncId, Index, Library, Next, ObjectId, Reach,
    Relation, Skeleton, When,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// A point on a path.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    /// The point.
    pub at: At,
    /// How a branch is left.
    pub arm: Option<u32>,
    /// The activation: those that are under way at once have different numbers.
    pub frame: usize,
    /// How many are under way.
    pub depth: usize,
    /// A call whose inside is not told.
    pub folded: bool,
    /// It matters to the rule.
    pub event: bool,
    /// The value comes into being here, and is null.
    pub null: bool,
}

/// What is known of the conditions along a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathConditions {
    /// None contradicts those before it.
    Agree,
    /// One contradicts those before it: no run takes the path.
    Contradict,
    /// One is not followed, or the path is about several values.
    Open,
}

type Name = u32;
type PlaceId = u32;

/// So many walks are followed at once.
const MOST_WALKS: usize = 12;
/// So many ways between two points that are told.
const MOST_WAYS: usize = 6;
/// So many points are passed between them, on all ways together.
const MOST_POINTS: usize = 600;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Value {
    /// Anything.
    Any(u32),
    /// Something that is computed in a way that is not followed (WK4).
    Computed(u32),
    Int(i64),
    Address(PlaceId),
    Not(Name),
    Binary(Binary, Name, Name),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Place {
    Variable(usize, ObjectId),
    Behind(Name),
    Member(PlaceId, Box<str>),
}

/// The numbers that a value may be.
#[derive(Clone, Debug)]
struct Numbers {
    low: i128,
    high: i128,
    not: Vec<i128>,
}

impl Numbers {
    fn none(&self) -> bool {
        // Few numbers are excluded one by one.
        let few = self.high - self.low < 8;
        self.low > self.high || few && (self.low..=self.high).all(|n| self.not.contains(&n))
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers { low: i128::from(i64::MIN), high: i128::from(u64::MAX), not: Vec::new() }
    }
}

/// How two values may compare, as bits.
const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;

fn ways(relation: Binary) -> Option<u8> {
    Some(match relation {
        Binary::Lt => LESS,
        Binary::Gt => GREATER,
        Binary::Le => LESS | EQUAL,
        Binary::Ge => GREATER | EQUAL,
        Binary::Eq => EQUAL,
        Binary::Ne => LESS | GREATER,
        _ => return None,
    })
}

fn operator(relation: Relation) -> Binary {
    match relation {
        Relation::Eq => Binary::Eq,
        Relation::Ne => Binary::Ne,
        Relation::Lt => Binary::Lt,
        Relation::Le => Binary::Le,
        Relation::Gt => Binary::Gt,
        Relation::Ge => Binary::Ge,
    }
}

/// What is known on the way along a path.
#[derive(Clone)]
struct Walk<'a> {
    s: &'a Skeleton,
    values: Vec<Value>,
    names: FxHashMap<Value, Name>,
    places: Vec<Place>,
    place_ids: FxHashMap<Place, PlaceId>,
    /// Others may get at it than by its name.
    exposed: Vec<bool>,
    holds: FxHashMap<PlaceId, Name>,
    numbers: FxHashMap<Name, Numbers>,
    compare: FxHashMap<(Name, Name), u8>,
    contradicts: bool,
    computes: bool,
    /// The last point of the path is reached.
    ends: bool,
    /// What the points that matter are about: arguments, and pointers that are followed.
    events: Vec<Vec<Name>>,
    /// Activations that are under way: their number, and the call that each stands at.
    stack: Vec<(usize, Option<At>)>,
    returned: Option<Name>,
    /// Where each activation has come to.
    last: FxHashMap<usize, (At, Option<u32>)>,
}

/// Follows a path; `twice` if something happens to one value at its end, and earlier. Between the points that are told a path
/// may go any way over those that are not `kept` (WK6).
pub fn path_conditions(
    s: &Skeleton,
    kept: &[Vec<bool>],
    path: &[Passed],
    twice: bool,
) -> PathConditions {
    let mut walks = vec![Walk {
        s,
        values: Vec::new(),
        names: FxHashMap::default(),
        places: Vec::new(),
        place_ids: FxHashMap::default(),
        exposed: Vec::new(),
        holds: FxHashMap::default(),
        numbers: FxHashMap::default(),
        compare: FxHashMap::default(),
        contradicts: false,
        computes: false,
        ends: false,
        events: Vec::new(),
        stack: Vec::new(),
        returned: None,
        last: FxHashMap::default(),
    }];
    for (i, &passed) in path.iter().enumerate() {
        let inside = path.get(i + 1).is_some_and(|next| next.depth > passed.depth);
        let mut next = Vec::new();
        for mut walk in walks {
            walk.ends = i + 1 == path.len();
            next.extend(walk.to(kept, passed, inside && !passed.folded));
        }
        walks = next;
        if walks.is_empty() {
            return PathConditions::Contradict;
        }
        // Those that know all conditions first.
        walks.sort_by_key(|walk| walk.computes);
        walks.truncate(MOST_WALKS);
    }
    let agrees = |walk: &Walk<'_>| {
        let one = walk
            .events
            .split_last()
            .is_some_and(|(last, before)| before.iter().flatten().any(|name| last.contains(name)));
        !walk.computes && (one || !twice)
    };
    match walks.iter().any(agrees) {
        true => PathConditions::Agree,
        false => PathConditions::Open,
    }
}

impl<'a> Walk<'a> {
    /// The ways to the next point that is told, and over it.
    fn to(mut self, kept: &[Vec<bool>], passed: Passed, inside: bool) -> Vec<Walk<'a>> {
        let under_way = self.stack.iter().any(|(frame, _)| *frame == passed.frame);
        if under_way {
            self.come_back_to(passed.frame);
        } else {
            if let Some(&(frame, Some(at))) = self.stack.last() {
                self.enters(at, frame, passed);
            }
            self.stack.push((passed.frame, None));
            self.last.remove(&passed.frame);
        }
        // The second half of a call is a step of its own.
        let from = self.last.get(&passed.frame).copied();
        if from.is_some_and(|(at, _)| at == passed.at)
            && matches!(self.flow(passed.at), Flow::Call(_))
        {
            if inside && let Some((_, at)) = self.stack.last_mut() {
                *at = Some(passed.at);
            }
            return vec![self];
        }
        // What comes into being at a point is a step of its own, too.
        if from == Some((passed.at, None)) {
            if matches!(self.flow(passed.at), Flow::Branch(_)) {
                self.step(passed, inside);
            }
            return if self.contradicts { Vec::new() } else { vec![self] };
        }
        let mut out = self.over(kept, from, passed);
        for walk in &mut out {
            walk.step(passed, inside);
        }
        out.retain(|walk| !walk.contradicts);
        out
    }

    /// Ends the activations above one.
    fn come_back_to(&mut self, frame: usize) {
        while self.stack.last().is_some_and(|(above, _)| *above != frame) {
            self.stack.pop();
            let call = self.stack.last_mut().and_then(|(frame, at)| Some((*frame, at.take()?)));
            if let Some((frame, at)) = call {
                let name = self.returned.take();
                self.comes_back(at, frame, name);
            }
        }
    }

    fn flow(&self, at: At) -> &'a Flow {
        let s: &'a Skeleton = self.s;
        &s.bodies[at.body as usize].points[at.point as usize].flow
    }

    /// Where control may go from a point.
    fn exits(&self, at: At, arm: Option<u32>) -> Vec<(Option<u32>, Next)> {
        match self.flow(at) {
            Flow::Next(next) => vec![(None, *next)],
            Flow::Branch(arms) => {
                let all = arms.iter().enumerate().map(|(i, a)| (Some(i as u32), a.next));
                all.filter(|(i, _)| arm.is_none() || arm == *i).collect()
            }
            Flow::Call(call) => vec![(None, call.next)],
            Flow::Return => Vec::new(),
        }
    }

    /// The ways over points that are not told, the shortest ones first. WK6.
    fn over(
        self,
        kept: &[Vec<bool>],
        from: Option<(At, Option<u32>)>,
        passed: Passed,
    ) -> Vec<Walk<'a>> {
        let self_ends = self.ends;
        let body = &self.s.bodies[passed.at.body as usize];
        let kept = &kept[passed.at.body as usize];
        let starts: Vec<Next> = match from {
            None => vec![body.entry],
            Some((at, arm)) => self.exits(at, arm).into_iter().map(|(_, next)| next).collect(),
        };
        let mut queue: VecDeque<(Walk<'a>, u32, Vec<u32>)> = VecDeque::new();
        for next in starts {
            if let Next::Point(point) = next {
                queue.push_back((self.clone(), point, Vec::new()));
            }
        }
        let mut out = Vec::new();
        let mut left = MOST_POINTS;
        let mut dead = false;
        while let Some((walk, point, seen)) = queue.pop_front() {
            if point == passed.at.point {
                out.push(walk);
                if out.len() == MOST_WAYS {
                    break;
                }
                continue;
            }
            if kept[point as usize] || seen.contains(&point) {
                continue;
            }
            left -= 1;
            if left == 0 {
                dead = out.is_empty();
                break;
            }
            let at = At { point, ..passed.at };
            for (arm, next) in walk.exits(at, None) {
                let Next::Point(to) = next else { continue };
                let mut walk = walk.clone();
                let folded = Passed { at, arm, folded: true, event: false, null: false, ..passed };
                walk.ends = false;
                walk.step(folded, false);
                walk.ends = self_ends;
                if !walk.contradicts {
                    let mut seen = seen.clone();
                    seen.push(point);
                    queue.push_back((walk, to, seen));
                }
            }
        }
        if dead {
            // Too many ways: nothing is known of them.
            let mut walk = self;
            walk.computes = true;
            out.push(walk);
        }
        out
    }

    /// What a point does.
    fn step(&mut self, passed: Passed, inside: bool) {
        self.last.insert(passed.frame, (passed.at, passed.arm));
        if passed.event {
            let names = self.about(passed);
            self.events.push(names);
        }
        self.point(passed);
        let s: &'a Skeleton = self.s;
        let body = &s.bodies[passed.at.body as usize];
        let point = &body.points[passed.at.point as usize];
        match &point.flow {
            Flow::Call(call) => match self.stack.last_mut() {
                Some((_, at)) if inside => *at = Some(passed.at),
                // What releases something is one thing to the rule.
                _ if passed.event => {
                    let null = passed.null.then(|| self.name(Value::Int(0)));
                    self.takes(call, passed.frame, null);
                }
                _ => self.folded(call, passed),
            },
            Flow::Return => {
                let of = |e: &Event| match e {
                    Event::ReturnOf(o) => Some(*o),
                    _ => None,
                };
                let object = point.events.iter().chain(&point.hidden).find_map(of);
                self.returned = match (point.returned, object) {
                    (Some(d), _) => Some(self.data(body, d, passed.frame)),
                    (None, Some(o)) => Some(self.read(o, passed.frame)),
                    (None, None) => None,
                };
            }
            Flow::Branch(arms) => {
                if let Some(arm) = passed.arm.and_then(|arm| arms.get(arm as usize)) {
                    self.branch(passed, arm, arms.len());
                }
            }
            Flow::Next(_) => {}
        }
    }

    fn name(&mut self, value: Value) -> Name {
        let next = self.values.len() as Name;
        let name = *self.names.entry(value).or_insert(next);
        if name == next {
            self.values.push(value);
        }
        name
    }

    fn anything(&mut self) -> Name {
        let value = Value::Any(self.values.len() as u32);
        self.name(value)
    }

    fn computed(&mut self) -> Name {
        let value = Value::Computed(self.values.len() as u32);
        self.name(value)
    }

    fn place_id(&mut self, place: Place, exposed: bool) -> PlaceId {
        let next = self.places.len() as PlaceId;
        let id = *self.place_ids.entry(place.clone()).or_insert(next);
        if id == next {
            self.places.push(place);
            self.exposed.push(exposed);
        }
        self.exposed[id as usize] |= exposed;
        id
    }

    /// The place of an object; none for what is one of several cells. WK1.
    fn place(&mut self, o: ObjectId, frame: usize) -> Option<PlaceId> {
        // From the variable outwards.
        let mut chain = vec![o];
        let mut at = o;
        loop {
            at = match self.s.objects[at.index()].reach {
                Reach::Var => break,
                Reach::Field(b)
                | Reach::Arrow(b)
                | Reach::Deref(b)
                | Reach::Cell(b)
                | Reach::Address(b) => b,
            };
            chain.push(at);
        }
        let mut place = None;
        for &o in chain.iter().rev() {
            let object = &self.s.objects[o.index()];
            let exposed = object.address_taken;
            let last = || {
                let name = object.name.rsplit(['.', '>']).next().unwrap_or_default();
                Box::<str>::from(name)
            };
            place = Some(match (object.reach, place) {
                (Reach::Var, _) => {
                    let frame = if object.automatic { frame } else { 0 };
                    let others = exposed || !object.automatic && !object.constant;
                    self.place_id(Place::Variable(frame, o), others)
                }
                (Reach::Field(_), Some(base)) => {
                    let exposed = exposed || self.exposed[base as usize];
                    self.place_id(Place::Member(base, last()), exposed)
                }
                (Reach::Arrow(_), Some(base)) => {
                    let to = self.behind(base);
                    self.place_id(Place::Member(to, last()), true)
                }
                (Reach::Deref(_), Some(base)) if !object.indexed && !object.varied => {
                    self.behind(base)
                }
                // The cell at an index that has a name.
                (Reach::Deref(_) | Reach::Cell(_), Some(base)) if object.varied => {
                    let Some(Index::By(index)) = object.index else { return None };
                    let array = match object.reach {
                        Reach::Deref(_) => self.behind(base),
                        _ => base,
                    };
                    let index = self.read(index, frame);
                    self.place_id(Place::Member(array, format!("[{index}]").into()), true)
                }
                // The address of a place is no place.
                (Reach::Address(_), Some(_)) | (_, None) => return None,
                _ => return None,
            });
        }
        place
    }

    /// What lies behind what a place holds.
    fn behind(&mut self, place: PlaceId) -> PlaceId {
        let pointer = self.held(place);
        match self.values[pointer as usize] {
            Value::Address(to) => to,
            _ => self.place_id(Place::Behind(pointer), true),
        }
    }

    fn held(&mut self, place: PlaceId) -> Name {
        if let Some(&name) = self.holds.get(&place) {
            return name;
        }
        let name = self.anything();
        self.holds.insert(place, name);
        name
    }

    fn read(&mut self, o: ObjectId, frame: usize) -> Name {
        let object = &self.s.objects[o.index()];
        if matches!(object.scalar, Some(Scalar::Float(_))) {
            return self.computed();
        }
        if object.volatile {
            return self.anything();
        }
        let of = match object.reach {
            Reach::Address(b) => Some(b),
            _ if object.array => Some(o),
            _ => None,
        };
        if let Some(of) = of {
            return match self.place(of, frame) {
                Some(place) => self.name(Value::Address(place)),
                None => {
                    let name = self.anything();
                    self.numbers.entry(name).or_default().not.push(0);
                    name
                }
            };
        }
        match self.place(o, frame) {
            Some(place) => self.held(place),
            None => self.anything(),
        }
    }

    /// WK2: what is written in memory may be behind another name.
    fn write(&mut self, o: ObjectId, frame: usize, name: Name) {
        let Some(place) = self.place(o, frame) else {
            if self.s.objects[o.index()].reach != Reach::Var {
                self.forget(None);
            }
            return;
        };
        if self.exposed[place as usize] {
            self.forget(Some(place));
        }
        // Members of what is assigned as a whole.
        let inside: Vec<PlaceId> =
            self.holds.keys().copied().filter(|&p| self.is_in(p, place)).collect();
        for p in inside {
            self.holds.remove(&p);
        }
        self.holds.insert(place, name);
    }

    fn is_in(&self, mut p: PlaceId, whole: PlaceId) -> bool {
        while let Place::Member(base, _) = &self.places[p as usize] {
            p = *base;
            if p == whole {
                return true;
            }
        }
        false
    }

    /// Forgets what a write to a place may change; to any place in memory without one.
    fn forget(&mut self, written: Option<PlaceId>) {
        let member = |p: PlaceId| match &self.places[p as usize] {
            Place::Member(_, name) => Some(name.clone()),
            _ => None,
        };
        // Two indices may be the same number.
        let own = written.and_then(member).filter(|name| !name.starts_with('['));
        let is_variable = |p: PlaceId| matches!(self.places[p as usize], Place::Variable(..));
        let gone: Vec<PlaceId> = (self.holds.keys().copied())
            .filter(|&p| {
                let other = match (&own, member(p)) {
                    // Members with different names are different memory.
                    (Some(a), Some(b)) => *a == b,
                    _ => true,
                };
                // A global's own name is no way to another one.
                let apart = written.is_some_and(|w| is_variable(w) && is_variable(p));
                self.exposed[p as usize] && other && !apart
            })
            .collect();
        for p in gone {
            self.holds.remove(&p);
        }
    }

    fn data(&mut self, body: &Body, d: DataId, frame: usize) -> Name {
        let mut needed: Vec<DataId> = vec![d];
        let mut all = BTreeSet::new();
        while let Some(d) = needed.pop() {
            if !all.insert(d) {
                continue;
            }
            match body.data[d as usize] {
                Data::Int(_) | Data::Object(_) => {}
                Data::Minus(a)
                | Data::Complement(a)
                | Data::Not(a)
                | Data::As(_, a)
                | Data::Convert(_, a) => {
                    needed.push(a);
                }
                Data::Binary(_, a, b) => needed.extend([a, b]),
                Data::Conditional(c, a, b) => needed.extend([c, a, b]),
            }
        }
        // Operands stand before what is computed of them.
        let mut of: FxHashMap<DataId, Name> = FxHashMap::default();
        for &d in &all {
            let float = matches!(body.scalars.get(d as usize), Some(Some(Scalar::Float(_))));
            let name = match body.data[d as usize] {
                _ if float => self.computed(),
                Data::Int(n) => self.name(Value::Int(n)),
                Data::Object(o) => self.read(o, frame),
                Data::As(_, a) | Data::Convert(_, a) => of[&a],
                Data::Not(a) => {
                    let a = of[&a];
                    match self.values[a as usize] {
                        Value::Computed(_) => a,
                        _ => self.name(Value::Not(a)),
                    }
                }
                Data::Minus(a) => match self.values[of[&a] as usize] {
                    Value::Int(n) => self.name(Value::Int(n.wrapping_neg())),
                    _ => self.computed(),
                },
                Data::Binary(op, a, b) => self.binary(op, of[&a], of[&b]),
                Data::Complement(_) | Data::Conditional(..) => self.computed(),
            };
            of.insert(d, name);
        }
        of[&d]
    }

    fn binary(&mut self, op: Binary, a: Name, b: Name) -> Name {
        let (x, y) = (self.values[a as usize], self.values[b as usize]);
        let computed = |v: Value| matches!(v, Value::Computed(_));
        let constant = |v: Value| matches!(v, Value::Int(_));
        let kept = ways(op).is_some() && !computed(x) && !computed(y)
            // A flag, and a number a few steps on.
            || op == Binary::BitAnd && !computed(x) && constant(y)
            || matches!(op, Binary::Add | Binary::Sub) && !computed(x) && constant(y);
        match kept {
            true => self.name(Value::Binary(op, a, b)),
            false => self.computed(),
        }
    }

    /// What a point assigns.
    fn point(&mut self, passed: Passed) {
        let body = &self.s.bodies[passed.at.body as usize];
        let point = &body.points[passed.at.point as usize];
        let mut new: Vec<(ObjectId, Option<Name>)> = Vec::new();
        for &(o, d) in &point.values {
            let name = d.map(|d| self.data(body, d, passed.frame));
            new.push((o, name));
        }
        let told = |new: &[(ObjectId, Option<Name>)], o| {
            new.iter().any(|(p, name)| *p == o && name.is_some())
        };
        for event in point.events.iter().chain(&point.hidden) {
            match *event {
                Event::Deref(o) if !self.ends => {
                    let (name, null) = (self.read(o, passed.frame), self.name(Value::Int(0)));
                    self.learn(Binary::Ne, name, null);
                }
                Event::Copy(o, q) if !told(&new, o) => {
                    let name = self.read(q, passed.frame);
                    new.retain(|(p, _)| *p != o);
                    new.push((o, Some(name)));
                }
                Event::Assign(o) | Event::Modify(o) if !new.iter().any(|(p, _)| *p == o) => {
                    new.push((o, None));
                }
                Event::Store => {
                    let named = point
                        .events
                        .iter()
                        .any(|e| matches!(e, Event::Assign(_) | Event::Modify(_)));
                    if !named {
                        self.forget(None);
                    }
                }
                _ => {}
            }
        }
        for (o, name) in new {
            let name = match name {
                Some(name) => name,
                None => self.anything(),
            };
            self.write(o, passed.frame, name);
        }
    }

    fn enters(&mut self, at: At, frame: usize, callee: Passed) {
        let body = &self.s.bodies[at.body as usize];
        let Flow::Call(call) = &body.points[at.point as usize].flow else { return };
        let params = &self.s.bodies[callee.at.body as usize].params;
        for (i, param) in params.iter().enumerate() {
            let Some(param) = *param else { continue };
            let data = call.arg_data.get(i).copied().flatten();
            let object = call.arg_values.get(i).or(call.args.get(i)).copied().flatten();
            let name = match (data, object) {
                (Some(d), _) => self.data(body, d, frame),
                (None, Some(o)) => self.read(o, frame),
                (None, None) => continue,
            };
            if let Some(place) = self.place(param, callee.frame) {
                self.holds.insert(place, name);
            }
        }
    }

    fn comes_back(&mut self, at: At, frame: usize, name: Option<Name>) {
        let body = &self.s.bodies[at.body as usize];
        if let Flow::Call(call) = &body.points[at.point as usize].flow {
            self.takes(call, frame, name);
        }
    }

    /// The result of a call.
    fn takes(&mut self, call: &Call, frame: usize, name: Option<Name>) {
        if let Some(o) = call.result.or(call.temporary) {
            let name = match name {
                Some(name) => name,
                None => {
                    let name = self.anything();
                    if let Some((low, high)) = returned(self.s, call) {
                        let numbers = self.numbers.entry(name).or_default();
                        (numbers.low, numbers.high) = (low.into(), high.into());
                    }
                    name
                }
            };
            self.write(o, frame, name);
        }
    }

    /// The names of a call's arguments.
    fn arguments(&mut self, call: &Call, passed: Passed) -> Vec<Name> {
        let body = &self.s.bodies[passed.at.body as usize];
        let mut names = Vec::new();
        for i in 0..call.args.len() {
            let data = call.arg_data.get(i).copied().flatten();
            let object = call.arg_values.get(i).or(call.args.get(i)).copied().flatten();
            names.extend(match (data, object) {
                (Some(d), _) => Some(self.data(body, d, passed.frame)),
                (None, Some(o)) => Some(self.read(o, passed.frame)),
                (None, None) => None,
            });
        }
        names
    }

    /// What a point is about. WK5.
    fn about(&mut self, passed: Passed) -> Vec<Name> {
        let point = &self.s.bodies[passed.at.body as usize].points[passed.at.point as usize];
        let mut names = match &point.flow {
            Flow::Call(call) => self.arguments(call, passed),
            _ => Vec::new(),
        };
        for event in point.events.iter().chain(&point.hidden) {
            if let Event::Deref(o) = *event {
                names.push(self.read(o, passed.frame));
            }
        }
        names
    }

    /// A call whose inside is not told. WK2.
    fn folded(&mut self, call: &Call, passed: Passed) {
        let silent =
            |f: &FuncId| self.s.body(*f).is_none() && self.s.library(*f) == Some(Library::Silent);
        let writes = |f: &FuncId| {
            self.s.body(*f).is_none()
                && matches!(self.s.library(*f), Some(Library::Silent | Library::Writes))
        };
        let known = !call.open && !call.targets.is_empty();
        if known && call.targets.iter().all(silent) {
        } else if known && call.targets.iter().all(writes) {
            let names = self.arguments(call, passed);
            let whole: Vec<PlaceId> = (0..self.places.len() as PlaceId)
                .filter(|&p| match self.places[p as usize] {
                    Place::Behind(name) => names.contains(&name),
                    _ => names.iter().any(|&n| self.values[n as usize] == Value::Address(p)),
                })
                .collect();
            let gone: Vec<PlaceId> = (self.holds.keys().copied())
                .filter(|&p| whole.iter().any(|&w| p == w || self.is_in(p, w)))
                .collect();
            for p in gone {
                self.holds.remove(&p);
            }
        } else {
            self.forget(None);
        }
        self.takes(call, passed.frame, None);
    }

    fn branch(&mut self, passed: Passed, arm: &Arm, arms: usize) {
        let body = &self.s.bodies[passed.at.body as usize];
        let mut known = arms < 2;
        for event in arm.events.iter().chain(&arm.hidden) {
            if let Event::Test(o, relation, c) = *event {
                let name = self.read(o, passed.frame);
                let number = self.name(Value::Int(c));
                self.learn(operator(relation), name, number);
                known = true;
            }
        }
        match &arm.when {
            Some(When::True(d)) | Some(When::False(d)) => {
                let name = self.data(body, *d, passed.frame);
                let zero = self.name(Value::Int(0));
                let op =
                    if matches!(arm.when, Some(When::True(_))) { Binary::Ne } else { Binary::Eq };
                self.learn(op, name, zero);
            }
            Some(When::Case(d, low, high)) => {
                let name = self.data(body, *d, passed.frame);
                for (op, n) in [(Binary::Ge, *low), (Binary::Le, *high)] {
                    let number = self.name(Value::Int(n));
                    self.learn(op, name, number);
                }
            }
            Some(When::Default(d, ranges)) => {
                let name = self.data(body, *d, passed.frame);
                for (low, high) in ranges.iter().filter(|(low, high)| low == high) {
                    let number = self.name(Value::Int(*low.min(high)));
                    self.learn(Binary::Ne, name, number);
                }
            }
            None => self.computes |= !known,
        }
    }

    /// WK3.
    fn learn(&mut self, op: Binary, a: Name, b: Name) {
        let (mut op, mut a, mut b) = (op, a, b);
        // `(x < y) != 0` says that `x < y`.
        while let (Value::Int(0), Binary::Ne | Binary::Eq) = (self.values[b as usize], op) {
            match self.values[a as usize] {
                Value::Not(x) => {
                    op = if op == Binary::Ne { Binary::Eq } else { Binary::Ne };
                    a = x;
                }
                Value::Binary(inner, x, y) if ways(inner).is_some() => {
                    op = if op == Binary::Ne { inner } else { opposite(inner) };
                    (a, b) = (x, y);
                }
                _ => break,
            }
        }
        if let Value::Int(_) = self.values[a as usize]
            && !matches!(self.values[b as usize], Value::Int(_))
        {
            (a, b) = (b, a);
            op = mirrored(op);
        }
        let computed = |v: Value| matches!(v, Value::Computed(_));
        if computed(self.values[a as usize]) || computed(self.values[b as usize]) {
            self.computes = true;
            return;
        }
        let Some(mask) = ways(op) else { return };
        if a == b {
            self.contradicts |= mask & EQUAL == 0;
            return;
        }
        if let Value::Int(n) = self.values[b as usize] {
            self.bound(a, mask, n);
            return;
        }
        let (key, mask) = match a < b {
            true => ((a, b), mask),
            false => ((b, a), (mask & EQUAL) | (mask & LESS) << 2 | (mask & GREATER) >> 2),
        };
        let left = self.compare.entry(key).or_insert(LESS | EQUAL | GREATER);
        *left &= mask;
        let left = *left;
        self.contradicts |= left == 0;
        if left == EQUAL {
            let (x, y) = (self.of(key.0), self.of(key.1));
            let mut both = Numbers { low: x.low.max(y.low), high: x.high.min(y.high), not: x.not };
            both.not.extend(y.not);
            self.contradicts |= both.none();
            self.numbers.insert(key.0, both.clone());
            self.numbers.insert(key.1, both);
        }
    }

    /// The numbers that a name may stand for.
    fn of(&self, name: Name) -> Numbers {
        let known = self.numbers.get(&name).cloned();
        match self.values[name as usize] {
            Value::Int(n) => Numbers { low: n.into(), high: n.into(), not: Vec::new() },
            Value::Address(_) => Numbers { not: vec![0], ..Numbers::default() },
            Value::Not(_) => Numbers { low: 0, high: 1, ..known.unwrap_or_default() },
            Value::Binary(op, ..) if ways(op).is_some() => {
                Numbers { low: 0, high: 1, ..known.unwrap_or_default() }
            }
            _ => known.unwrap_or_default(),
        }
    }

    fn bound(&mut self, name: Name, mask: u8, n: i64) {
        let n = i128::from(n);
        let mut numbers = self.of(name);
        match mask {
            EQUAL => (numbers.low, numbers.high) = (numbers.low.max(n), numbers.high.min(n)),
            LESS => numbers.high = numbers.high.min(n - 1),
            GREATER => numbers.low = numbers.low.max(n + 1),
            m if m == LESS | EQUAL => numbers.high = numbers.high.min(n),
            m if m == GREATER | EQUAL => numbers.low = numbers.low.max(n),
            _ => numbers.not.push(n),
        }
        self.contradicts |= numbers.none();
        self.numbers.insert(name, numbers);
    }
}

fn opposite(op: Binary) -> Binary {
    match op {
        Binary::Lt => Binary::Ge,
        Binary::Ge => Binary::Lt,
        Binary::Gt => Binary::Le,
        Binary::Le => Binary::Gt,
        Binary::Eq => Binary::Ne,
        Binary::Ne => Binary::Eq,
        other => other,
    }
}

fn mirrored(op: Binary) -> Binary {
    match op {
        Binary::Lt => Binary::Gt,
        Binary::Gt => Binary::Lt,
        Binary::Le => Binary::Ge,
        Binary::Ge => Binary::Le,
        other => other,
    }
}
