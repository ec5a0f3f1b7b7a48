//! Who holds the memory that a variable points to, as far as one function can tell: where a value is stored behind
//! the variable, that is where it can be lost.
//!
//! - OW1. What an allocating function returns, nobody else holds: it is *fresh*, under the number of its place. So
//!   is the result of a function that returns nothing but what is fresh, or null.
//! - OW2. A parameter that is not assigned yet points to what is its caller's.
//! - OW3. After `a = b`, both hold the same. Null is whatever is wanted.
//! - OW4. What is stored elsewhere than in a variable of the function, escapes, or is given to a function that keeps it,
//!   is fresh no more, under no name. A function with a body keeps a parameter that it, or a copy of it, does that with, or
//!   returns; so with the address of a part of what it points to.
//! - OW5. Where ways meet, what is fresh on both of them under the same names is fresh; else nothing is known.
//! - OW6. Of a variable whose address is taken nothing is known.

use crate::relevance::Functions;
use front_c::{Body, Call, Data, Event, Flow, FuncId, Next, ObjectId, Point, Reach, Skeleton};
use rustc_hash::{FxHashMap, FxHashSet};

/// Instead of a member: something is freed.
pub(crate) const FREES: &str = "(free)";

/// What a variable points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Own {
    /// Nothing: it is null, or has no value yet.
    Null,
    /// What only variables with the same number point to.
    Fresh(u32),
    /// What is the caller's.
    Param,
    /// That is not known.
    Other,
}

/// What is known of the functions of a program.
#[derive(Default)]
pub(crate) struct Ownership {
    /// The parameters that functions with a body keep.
    keeps: FxHashSet<(FuncId, u32)>,
    /// The functions that return what is fresh.
    fresh: FxHashSet<FuncId>,
    /// The names of members that a function reads or writes behind pointers, calls included, by number.
    touched: FxHashMap<FuncId, Vec<u64>>,
    members: FxHashMap<String, u32>,
}

/// The variable that a pointer is: itself, or the one whose part it points to.
fn holder(s: &Skeleton, o: ObjectId) -> Option<ObjectId> {
    let object = &s.objects[o.index()];
    match object.reach {
        Reach::Var if object.automatic => Some(o),
        Reach::Address(mut part) => loop {
            match s.objects[part.index()].reach {
                Reach::Field(b) | Reach::Cell(b) => part = b,
                Reach::Arrow(b) | Reach::Deref(b) => {
                    let base = &s.objects[b.index()];
                    return (base.reach == Reach::Var && base.automatic).then_some(b);
                }
                Reach::Var | Reach::Address(_) => return None,
            }
        },
        _ => None,
    }
}

pub(crate) fn is_variable(s: &Skeleton, o: ObjectId) -> bool {
    let object = &s.objects[o.index()];
    object.reach == Reach::Var && object.automatic
}

pub(crate) fn events(point: &Point) -> impl Iterator<Item = &Event> {
    point.events.iter().chain(&point.hidden)
}

impl Ownership {
    /// What is known of the functions of a program.
    pub(crate) fn new(f: &Functions<'_>) -> Ownership {
        let mut out = Ownership::default();
        out.find_kept(f);
        out.find_touched(f);
        out.find_fresh(f);
        out
    }

    /// Whether a call keeps an argument, counted from 0.
    pub(crate) fn keeps(&self, f: &Functions<'_>, call: &Call, n: usize) -> bool {
        call.open
            || call.targets.is_empty()
            || call.targets.iter().any(|&g| match f.is_entered(g) {
                true => self.keeps.contains(&(g, n as u32)),
                false => f.keeps(Some(g), n),
            })
    }

    /// Whether a function with a body keeps a parameter, counted from 0.
    pub(crate) fn keeps_param(&self, g: FuncId, n: u32) -> bool {
        self.keeps.contains(&(g, n))
    }

    /// Whether a function may read or write a member of that name behind a pointer.
    pub(crate) fn touches(&self, g: FuncId, member: &str) -> bool {
        let Some(&n) = self.members.get(member) else { return false };
        let word = self.touched.get(&g).and_then(|bits| bits.get(n as usize / 64));
        word.is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    /// OW4, for functions with a body: by classes of variables that are copied to each other.
    fn find_kept(&mut self, f: &Functions<'_>) {
        let s = f.s;
        /// Variables of one class: the parameters among them, and whether it is kept.
        struct Class {
            params: Vec<(FuncId, u32)>,
            kept: bool,
        }
        let mut classes: Vec<Class> = Vec::new();
        // Who hands a class on to a parameter.
        let mut given: FxHashMap<(FuncId, u32), Vec<usize>> = FxHashMap::default();
        for body in s.bodies.iter().filter(|b| f.is_entered(b.func)) {
            let mut parent: FxHashMap<ObjectId, ObjectId> = FxHashMap::default();
            fn find(parent: &mut FxHashMap<ObjectId, ObjectId>, mut o: ObjectId) -> ObjectId {
                while let Some(&up) = parent.get(&o).filter(|up| **up != o) {
                    o = up;
                }
                o
            }
            for event in body.points.iter().flat_map(events) {
                if let Event::Copy(a, b) = *event
                    && is_variable(s, a)
                    && is_variable(s, b)
                {
                    let (a, b) = (find(&mut parent, a), find(&mut parent, b));
                    parent.insert(a, b);
                }
            }
            let mut numbers: FxHashMap<ObjectId, usize> = FxHashMap::default();
            let mut class = |parent: &mut FxHashMap<ObjectId, ObjectId>, o: ObjectId| {
                let root = find(parent, o);
                *numbers.entry(root).or_insert_with(|| {
                    classes.push(Class { params: Vec::new(), kept: false });
                    classes.len() - 1
                })
            };
            let mut kept: Vec<usize> = Vec::new();
            for point in &body.points {
                for event in events(point) {
                    match *event {
                        Event::Copy(a, b) => {
                            if let Some(x) = holder(s, b)
                                && !(is_variable(s, a) && is_variable(s, b))
                            {
                                kept.push(class(&mut parent, x));
                            }
                        }
                        Event::Escape(b) | Event::ReturnOf(b) => {
                            if let Some(x) = holder(s, b) {
                                kept.push(class(&mut parent, x));
                            }
                        }
                        _ => {}
                    }
                }
                let Flow::Call(call) = &point.flow else { continue };
                for (i, arg) in call.arg_values.iter().enumerate() {
                    let Some(x) = arg.and_then(|o| holder(s, o)) else { continue };
                    let c = class(&mut parent, x);
                    if call.open || call.targets.is_empty() {
                        kept.push(c);
                    }
                    for &g in &call.targets {
                        if f.is_entered(g) {
                            given.entry((g, i as u32)).or_default().push(c);
                        } else if f.keeps(Some(g), i) {
                            kept.push(c);
                        }
                    }
                }
            }
            let params: Vec<(usize, u32)> = (body.params.iter().enumerate())
                .filter_map(|(i, o)| Some((class(&mut parent, (*o)?), i as u32)))
                .collect();
            for (c, i) in params {
                classes[c].params.push((body.func, i));
            }
            kept.into_iter().for_each(|c| classes[c].kept = true);
        }
        let mut todo: Vec<usize> = (0..classes.len()).filter(|&c| classes[c].kept).collect();
        while let Some(c) = todo.pop() {
            for &param in &classes[c].params.clone() {
                if !self.keeps.insert(param) {
                    continue;
                }
                for &d in given.get(&param).into_iter().flatten() {
                    if !std::mem::replace(&mut classes[d].kept, true) {
                        todo.push(d);
                    }
                }
            }
        }
    }

    /// The members that functions touch.
    fn find_touched(&mut self, f: &Functions<'_>) {
        let s = f.s;
        let mut direct: FxHashMap<FuncId, FxHashSet<u32>> = FxHashMap::default();
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        for body in s.bodies.iter().filter(|b| f.is_entered(b.func)) {
            let mine = direct.entry(body.func).or_default();
            let mut touch = |members: &mut FxHashMap<String, u32>, name: Option<&str>| {
                if let Some(name) = name {
                    let next = members.len() as u32;
                    let n = match members.get(name) {
                        Some(&n) => n,
                        None => *members.entry(name.to_owned()).or_insert(next),
                    };
                    mine.insert(n);
                }
            };
            for point in &body.points {
                for event in events(point) {
                    match *event {
                        Event::Use(o) | Event::Assign(o) | Event::Address(o) => {
                            touch(&mut self.members, member_behind(s, o));
                        }
                        // Cells are read without a word.
                        Event::Copy(_, o) | Event::ReturnOf(o) | Event::Escape(o)
                            if s.objects[o.index()].element.is_some() =>
                        {
                            touch(&mut self.members, member_behind(s, o));
                        }
                        _ => {}
                    }
                }
                let Flow::Call(call) = &point.flow else { continue };
                for o in call.arg_values.iter().flatten().copied().chain(call.result) {
                    touch(&mut self.members, member_behind(s, o));
                }
                let frees = |g: &FuncId| (0..call.arg_values.len()).any(|i| f.frees(*g, i));
                if call.open || call.targets.is_empty() || call.targets.iter().any(frees) {
                    touch(&mut self.members, Some(FREES));
                }
                for &g in call.targets.iter().filter(|g| f.is_entered(**g)) {
                    callers.entry(g).or_default().push(body.func);
                }
            }
        }
        let words = self.members.len().div_ceil(64);
        for (g, members) in &direct {
            let mut bits = vec![0u64; words];
            members.iter().for_each(|n| bits[*n as usize / 64] |= 1 << (n % 64));
            self.touched.insert(*g, bits);
        }
        let mut todo: Vec<FuncId> = s.bodies.iter().map(|b| b.func).collect();
        while let Some(g) = todo.pop() {
            let Some(bits) = self.touched.get(&g).cloned() else { continue };
            for &caller in callers.get(&g).into_iter().flatten() {
                let Some(all) = self.touched.get_mut(&caller) else { continue };
                let mut new = false;
                for (a, b) in all.iter_mut().zip(&bits) {
                    new |= *b & !*a != 0;
                    *a |= b;
                }
                if new {
                    todo.push(caller);
                }
            }
        }
    }

    /// OW1, for functions with a body.
    fn find_fresh(&mut self, f: &Functions<'_>) {
        let s = f.s;
        let mut callers: FxHashMap<FuncId, Vec<usize>> = FxHashMap::default();
        let mut todo: Vec<usize> = Vec::new();
        for (i, body) in s.bodies.iter().enumerate().filter(|(_, b)| f.is_entered(b.func)) {
            let mut allocates = false;
            for point in &body.points {
                let Flow::Call(call) = &point.flow else { continue };
                for &g in &call.targets {
                    match f.is_entered(g) {
                        true => callers.entry(g).or_default().push(i),
                        false => allocates |= f.allocates(g),
                    }
                }
            }
            if allocates {
                todo.push(i);
            }
        }
        while let Some(i) = todo.pop() {
            let body = &s.bodies[i];
            if !self.fresh.contains(&body.func) && self.returns_fresh(f, body) {
                self.fresh.insert(body.func);
                todo.extend(callers.get(&body.func).into_iter().flatten());
            }
        }
    }

    fn returns_fresh(&self, f: &Functions<'_>, body: &Body) -> bool {
        if !body.points.iter().flat_map(events).any(|e| matches!(e, Event::ReturnOf(_))) {
            return false;
        }
        let owners = Owners::new(f, self, body);
        let mut some = false;
        for (i, point) in body.points.iter().enumerate() {
            if !matches!(point.flow, Flow::Return) || owners.states[i].is_none() {
                continue;
            }
            let of = events(point).find_map(|e| match *e {
                Event::ReturnOf(o) => Some(o),
                _ => None,
            });
            match of {
                Some(o) => match owners.at(i as u32, o) {
                    Own::Fresh(_) => some = true,
                    Own::Null => {}
                    _ => return false,
                },
                None if point.returned.is_some_and(|d| is_zero(body, d)) => {}
                None => return false,
            }
        }
        some
    }

    pub(crate) fn makes_fresh(&self, f: &Functions<'_>, call: &Call) -> bool {
        !call.open
            && !call.targets.is_empty()
            && call.targets.iter().all(|&g| match f.is_entered(g) {
                true => self.fresh.contains(&g),
                false => f.allocates(g),
            })
    }
}

/// `f` of `p->f` and `p->f.g`: the member behind the last pointer.
pub(crate) fn member_behind(s: &Skeleton, mut o: ObjectId) -> Option<&str> {
    loop {
        let object = &s.objects[o.index()];
        match object.reach {
            Reach::Arrow(_) => return object.name.rsplit('>').next(),
            // A parameter that is declared as an array is a pointer.
            Reach::Cell(b) if s.objects[b.index()].reach == Reach::Var => {
                return object.element.as_deref();
            }
            Reach::Field(b) | Reach::Cell(b) | Reach::Address(b) => o = b,
            Reach::Deref(_) => return object.element.as_deref(),
            Reach::Var => return None,
        }
    }
}

pub(crate) fn is_zero(body: &Body, mut d: u32) -> bool {
    loop {
        d = match body.data[d as usize] {
            Data::Int(n) => return n == 0,
            Data::Convert(_, a) | Data::As(_, a) => a,
            _ => return false,
        }
    }
}

/// A point is looked at so many times, on the average.
const MOST_ROUNDS: usize = 100;

/// What the variables of one function point to, before each point.
#[derive(Default)]
pub(crate) struct Owners {
    variables: Vec<ObjectId>,
    numbers: FxHashMap<ObjectId, u32>,
    states: Vec<Option<Box<[Own]>>>,
}

impl Owners {
    pub(crate) fn new(f: &Functions<'_>, all: &Ownership, body: &Body) -> Owners {
        let s = f.s;
        let mut out = Owners::default();
        let mut add = |o: ObjectId| {
            let object = &s.objects[o.index()];
            // OW6
            if is_variable(s, o)
                && !object.address_taken
                && object.owner == Some(body.func)
                && !out.numbers.contains_key(&o)
            {
                out.numbers.insert(o, out.variables.len() as u32);
                out.variables.push(o);
            }
        };
        body.params.iter().flatten().for_each(|o| add(*o));
        let params = body.params.iter().flatten().filter(|o| !s.objects[o.index()].address_taken);
        let params = params.count();
        for point in &body.points {
            for event in &point.events {
                if let Event::Assign(o) = *event {
                    add(o);
                }
            }
            if let Flow::Call(call) = &point.flow {
                call.result.into_iter().chain(call.temporary).for_each(&mut add);
            }
        }
        let mut start = vec![Own::Null; out.variables.len()];
        start[..params.min(out.variables.len())].fill(Own::Param);
        out.states = vec![None; body.points.len()];
        let mut todo = Vec::new();
        if let Next::Point(p) = body.entry {
            out.states[p as usize] = Some(start.into());
            todo.push(p);
        }
        let mut rounds = 0;
        while let Some(p) = todo.pop() {
            rounds += 1;
            if rounds > MOST_ROUNDS * (body.points.len() + 1) {
                // It is given up: nothing is known.
                out.states.iter_mut().for_each(|s| *s = None);
                break;
            }
            let Some(before) = out.states[p as usize].clone() else { continue };
            let after = out.after(f, all, body, p, before);
            let point = &body.points[p as usize];
            let next: Vec<Next> = match &point.flow {
                Flow::Next(next) => vec![*next],
                Flow::Branch(arms) => arms.iter().map(|a| a.next).collect(),
                Flow::Call(call) => vec![call.next],
                Flow::Return => Vec::new(),
            };
            for next in next {
                let Next::Point(q) = next else { continue };
                let joined = match &out.states[q as usize] {
                    None => Some(after.clone()),
                    Some(old) => joined(q, old, &after),
                };
                if let Some(new) = joined {
                    out.states[q as usize] = Some(new);
                    todo.push(q);
                }
            }
        }
        out
    }

    /// What a variable points to before a point.
    pub(crate) fn at(&self, point: u32, o: ObjectId) -> Own {
        let state = self.states.get(point as usize).and_then(|s| s.as_ref());
        match (state, self.numbers.get(&o)) {
            (Some(state), Some(&n)) => state[n as usize],
            _ => Own::Other,
        }
    }

    /// The variables that point to the same, the variable itself not included.
    pub(crate) fn same(&self, point: u32, o: ObjectId) -> Vec<ObjectId> {
        let own = self.at(point, o);
        let Own::Fresh(_) = own else { return Vec::new() };
        let state = self.states[point as usize].as_deref().unwrap_or(&[]);
        let found = state.iter().zip(&self.variables).filter(|(x, v)| **x == own && **v != o);
        found.map(|(_, v)| *v).collect()
    }

    fn after(
        &self,
        f: &Functions<'_>,
        all: &Ownership,
        body: &Body,
        p: u32,
        mut state: Box<[Own]>,
    ) -> Box<[Own]> {
        let s = f.s;
        let point = &body.points[p as usize];
        let number = |o: ObjectId| self.numbers.get(&o).map(|n| *n as usize);
        let publish = |state: &mut [Own], own: Own| {
            if let Own::Fresh(_) = own {
                state.iter_mut().filter(|x| **x == own).for_each(|x| *x = Own::Other);
            }
        };
        // OW4
        for event in events(point) {
            let gone = match *event {
                Event::Copy(a, b) if !(is_variable(s, a) && is_variable(s, b)) => holder(s, b),
                Event::Escape(b) => holder(s, b),
                _ => None,
            };
            if let Some(n) = gone.and_then(number) {
                let own = state[n];
                publish(&mut state, own);
            }
        }
        if let Flow::Call(call) = &point.flow {
            for (i, arg) in call.arg_values.iter().enumerate() {
                let Some(n) = arg.and_then(|o| holder(s, o)).and_then(number) else { continue };
                let frees = call.targets.iter().any(|&g| f.frees(g, i));
                if frees || all.keeps(f, call, i) {
                    let own = state[n];
                    publish(&mut state, own);
                }
            }
        }
        // OW3
        for event in &point.events {
            let Event::Assign(o) = *event else { continue };
            let Some(n) = number(o) else { continue };
            let from = events(point).find_map(|e| match *e {
                Event::Copy(to, from) if to == o => Some(from),
                _ => None,
            });
            state[n] = match from {
                Some(q) => number(q).map_or(Own::Other, |k| state[k]),
                None => {
                    let null = point
                        .values
                        .iter()
                        .any(|(to, d)| *to == o && d.is_some_and(|d| is_zero(body, d)));
                    if null { Own::Null } else { Own::Other }
                }
            };
        }
        // OW1
        if let Flow::Call(call) = &point.flow
            && let Some(n) = call.result.or(call.temporary).and_then(number)
        {
            let returned = match call.targets[..] {
                [g] if !f.is_entered(g) => f.returned(g),
                _ => None,
            };
            let from = returned.and_then(|k| call.arg_values.get(k).copied().flatten());
            state[n] = if all.makes_fresh(f, call) {
                publish(&mut state, Own::Fresh(p));
                Own::Fresh(p)
            } else {
                from.and_then(number).map_or(Own::Other, |k| state[k])
            };
        }
        state
    }
}

/// OW5: none if nothing new is known.
fn joined(at: u32, old: &[Own], new: &[Own]) -> Option<Box<[Own]>> {
    // Numbers of what is fresh where ways meet are of their own.
    let meets = |first: usize| (1 << 31) | (at << 8) | (first as u32 & 0xff);
    let names = |state: &[Own], own: Own| -> Vec<usize> {
        (0..state.len()).filter(|&i| state[i] == own).collect()
    };
    let mut out: Vec<Own> = old.to_vec();
    for (i, (&a, &b)) in old.iter().zip(new).enumerate() {
        out[i] = match (a, b) {
            (a, b) if a == b => a,
            (Own::Null, b) => b,
            (a, Own::Null) => a,
            (a @ Own::Fresh(_), b @ Own::Fresh(_)) => {
                let (left, right) = (names(old, a), names(new, b));
                let same = left == right && left[0] < 256 && at < 1 << 23;
                if same { Own::Fresh(meets(left[0])) } else { Own::Other }
            }
            _ => Own::Other,
        };
    }
    (out != old).then(|| out.into())
}
