//! Cheap feasibility: a condition over variables that did not change has the value that it had.
//!
//! - C1. Two tests are of one condition if they are the same expression, up to negation, `!= 0`, and
//!   the direction of comparisons.
//! - C2. A condition changes where one of its variables is assigned; where something is stored through
//!   a pointer, if one of them has its address taken or is behind a pointer; and where a function is
//!   called that may do either, or, if a variable is not automatic, may assign it ([`Effects`]).
//! - C3. After the assignment of a constant to its only variable, its value is known; after `i++`, too,
//!   if what `i` was at least before makes it false for ever (`i = 0` and `i < 1`).
//! - C4. Where a call passes a constant, conditions on that parameter alone are known at the entry.

use crate::library::{Library, library};
use crate::link::{FuncId, ObjectId, Reach};
use crate::skeleton::{Body, Call, Data, DataId, Event, Flow, Skeleton, When, plain_name};
use crate::tree::Binary;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most conditions of one function that are remembered.
const MAX_CONDITIONS: usize = 24;

/// What calls of functions may change.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Variables that are not automatic and are assigned somewhere, by their number.
    numbers: FxHashMap<ObjectId, u32>,
    /// What each function with a body may do, calls it makes included.
    functions: Vec<Option<Effect>>,
    /// What a function may do about which nothing is known.
    unknown: Effect,
    nothing: Effect,
    writes: Effect,
    /// Parameters that some call gives a constant.
    constants: FxHashSet<ObjectId>,
}

#[derive(Clone, Debug, Default)]
struct Effect {
    /// The variables that it may assign, as bits.
    assigned: Box<[u64]>,
    /// It stores through pointers.
    stores: bool,
    /// It calls what is not known, which may change whatever other units see.
    unknown: bool,
}

impl Effect {
    /// Adds what another one does; whether that is new.
    fn add(&mut self, other: &Effect) -> bool {
        let mut new = (other.stores && !self.stores) || (other.unknown && !self.unknown);
        self.stores |= other.stores;
        self.unknown |= other.unknown;
        for (a, b) in self.assigned.iter_mut().zip(&other.assigned) {
            new |= *b & !*a != 0;
            *a |= b;
        }
        new
    }
}

impl Effects {
    /// The effects of all functions; those that are `quiet` have none.
    pub fn new(s: &Skeleton, quiet: &dyn Fn(FuncId) -> bool) -> Effects {
        let mut numbers: FxHashMap<ObjectId, u32> = FxHashMap::default();
        let mut direct: Vec<Option<(Vec<u32>, bool, bool)>> = vec![None; s.funcs.len()];
        let mut callers: Vec<Vec<FuncId>> = vec![Vec::new(); s.funcs.len()];
        let mut constants = FxHashSet::default();
        for body in &s.bodies {
            let (mut assigned, mut stores, mut unknown) = (Vec::new(), false, false);
            for point in &body.points {
                let result = match &point.flow {
                    Flow::Call(call) => &call.result_events[..],
                    _ => &[],
                };
                for event in point.events.iter().chain(result) {
                    match *event {
                        Event::Assign(o) | Event::Modify(o) => {
                            let root = root(s, o);
                            if !s.objects[root.index()].automatic {
                                let next = numbers.len() as u32;
                                assigned.push(*numbers.entry(root).or_insert(next));
                            }
                        }
                        Event::Store => stores = true,
                        _ => {}
                    }
                }
                let Flow::Call(call) = &point.flow else { continue };
                unknown |= call.targets.is_empty();
                for &f in call.targets.iter().filter(|f| !quiet(**f)) {
                    if let Some(callee) = s.body(f) {
                        callers[f.index()].push(body.func);
                        for (param, value) in callee.params.iter().zip(&call.arg_data) {
                            if let (Some(param), Some(d)) = (param, value)
                                && matches!(body.data[*d as usize], Data::Int(_))
                            {
                                constants.insert(*param);
                            }
                        }
                        continue;
                    }
                    match library(plain_name(&s.funcs[f.index()].name)) {
                        Some(Library::Silent) => {}
                        Some(Library::Writes) => stores = true,
                        None => unknown = true,
                    }
                }
            }
            direct[body.func.index()] = Some((assigned, stores, unknown));
        }
        let words = numbers.len().div_ceil(64);
        let none = Effect { assigned: vec![0; words].into(), ..Effect::default() };
        let effect = |(assigned, stores, unknown): &(Vec<u32>, bool, bool)| {
            let mut out = Effect { stores: *stores, unknown: *unknown, ..none.clone() };
            assigned.iter().for_each(|&i| out.assigned[i as usize / 64] |= 1 << (i % 64));
            out
        };
        let mut functions: Vec<Option<Effect>> =
            direct.iter().map(|d| d.as_ref().map(effect)).collect();
        close(s, &callers, &mut functions);
        // What is not known may call whatever it can reach.
        let mut unknown = Effect { stores: true, unknown: true, ..none.clone() };
        for body in &s.bodies {
            let func = &s.funcs[body.func.index()];
            if let Some(effect) = &functions[body.func.index()]
                && (!func.is_static || func.address_taken)
            {
                unknown.add(effect);
            }
        }
        for effect in functions.iter_mut().flatten() {
            if effect.unknown {
                effect.add(&unknown);
            }
        }
        let writes = Effect { stores: true, ..none.clone() };
        Effects { numbers, functions, unknown, nothing: none, writes, constants }
    }

    fn of(&self, s: &Skeleton, callee: Callee) -> &Effect {
        match callee {
            Callee::Quiet => &self.nothing,
            Callee::Unknown => &self.unknown,
            Callee::Known(f) => match &self.functions[f.index()] {
                Some(effect) => effect,
                None => match library(plain_name(&s.funcs[f.index()].name)) {
                    Some(Library::Silent) => &self.nothing,
                    Some(Library::Writes) => &self.writes,
                    None => &self.unknown,
                },
            },
        }
    }

    /// Whether it may change a variable that is not automatic.
    fn changes(&self, s: &Skeleton, effect: &Effect, o: ObjectId) -> bool {
        let object = &s.objects[o.index()];
        let bit = |n: &u32| effect.assigned[*n as usize / 64] >> (n % 64) & 1 == 1;
        !object.constant
            && (self.numbers.get(&o).is_some_and(bit)
                || effect.unknown && (object.external || object.address_taken))
    }
}

/// Adds the effects of callees to those of their callers.
fn close(s: &Skeleton, callers: &[Vec<FuncId>], functions: &mut [Option<Effect>]) {
    let mut todo: Vec<FuncId> = s.bodies.iter().map(|b| b.func).collect();
    while let Some(f) = todo.pop() {
        let Some(effect) = functions[f.index()].clone() else { continue };
        for &caller in &callers[f.index()] {
            if let Some(all) = &mut functions[caller.index()]
                && all.add(&effect)
            {
                todo.push(caller);
            }
        }
    }
}

/// The variable that an object is reached from.
fn root(s: &Skeleton, mut o: ObjectId) -> ObjectId {
    loop {
        match s.objects[o.index()].reach {
            Reach::Var => return o,
            Reach::Field(b)
            | Reach::Cell(b)
            | Reach::Address(b)
            | Reach::Arrow(b)
            | Reach::Deref(b) => o = b,
        }
    }
}

/// A condition that is worth remembering.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The value whose truth it is.
    pub data: DataId,
    /// The objects that it depends on.
    pub depends: FxHashSet<ObjectId>,
    /// Stores through pointers may change it.
    pub by_store: bool,
    /// Its variables that are not automatic.
    shared: Vec<ObjectId>,
    /// All of its variables are constants.
    constant: bool,
    /// The least that its only variable is assigned, if it is otherwise only counted up.
    least: Option<i64>,
}

/// The conditions of one function.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// The conditions.
    pub list: Vec<Condition>,
    /// For a branch, its condition and whether the way out for true is that for false of it.
    tests: FxHashMap<DataId, (usize, bool)>,
}

impl Conditions {
    /// The conditions of a body that are tested twice, or known somewhere.
    pub fn of(s: &Skeleton, effects: &Effects, body: &Body) -> Conditions {
        let data = &body.data;
        let exact = numbering(data);
        let truth = |d: DataId| canonical(data, &exact, d);
        let mut tests: FxHashMap<(u8, u32, u32), (u32, DataId, bool)> = FxHashMap::default();
        let mut order = Vec::new();
        for point in &body.points {
            let Flow::Branch(arms) = &point.flow else { continue };
            let Some(When::True(d) | When::False(d)) = arms.first().and_then(|a| a.when.as_ref())
            else {
                continue;
            };
            let (key, root, opposite) = truth(*d);
            let entry = tests.entry(key).or_insert((0, root, opposite));
            entry.0 += 1;
            if entry.0 == 1 {
                order.push(key);
            }
        }
        let mut out = Conditions::default();
        let mut number: FxHashMap<(u8, u32, u32), (usize, bool)> = FxHashMap::default();
        for key in order {
            let (times, d, opposite) = tests[&key];
            let (depends, memory) = depends(s, data, d);
            let objects = &s.objects;
            let roots: Vec<ObjectId> = {
                let vars = depends.iter().copied();
                let mut vars: Vec<ObjectId> =
                    vars.filter(|o| objects[o.index()].reach == Reach::Var).collect();
                vars.sort_unstable();
                vars
            };
            if depends.is_empty() || out.list.len() >= MAX_CONDITIONS {
                continue;
            }
            let constant = !memory && roots.iter().all(|o| objects[o.index()].constant);
            let taken = roots.iter().any(|o| objects[o.index()].address_taken);
            let shared: Vec<ObjectId> =
                roots.iter().copied().filter(|o| !objects[o.index()].automatic).collect();
            let mut condition = Condition {
                data: d,
                by_store: memory || taken,
                shared,
                constant,
                least: None,
                depends,
            };
            if let ([only], false) = (&roots[..], condition.by_store) {
                condition.least = least(body, *only);
            }
            let known = || body.points.iter().any(|p| known(body, &condition, &p.values).is_some());
            let given = match (&roots[..], condition.depends.len()) {
                ([only], 1) => effects.constants.contains(only),
                _ => false,
            };
            if times < 2 && !given && !known() {
                continue;
            }
            number.insert(key, (out.list.len(), opposite));
            out.list.push(condition);
        }
        for point in &body.points {
            let Flow::Branch(arms) = &point.flow else { continue };
            for arm in arms {
                let Some(When::True(d) | When::False(d)) = &arm.when else { continue };
                let (key, _, opposite) = truth(*d);
                if let Some(&(i, first)) = number.get(&key) {
                    out.tests.insert(*d, (i, opposite != first));
                }
            }
        }
        out
    }

    /// The condition that a value is, and whether it is its opposite. The truth of a condition is that
    /// of its [`Condition::data`].
    pub fn test(&self, d: DataId) -> Option<(usize, bool)> {
        self.tests.get(&d).copied()
    }

    /// The conditions that are known where a call enters the function that has them (C4).
    pub fn entered(&self, caller: &Body, call: &Call, callee: &Body) -> Vec<(usize, bool)> {
        let mut out = Vec::new();
        for (i, condition) in self.list.iter().enumerate() {
            if condition.by_store || condition.depends.len() != 1 {
                continue;
            }
            let only = condition.depends.iter().next().copied();
            let Some(position) = callee.params.iter().position(|p| p.is_some() && *p == only)
            else {
                continue;
            };
            let value = call.arg_data.get(position).copied().flatten();
            if let (Some(only), Some(d)) = (only, value)
                && let Data::Int(value) = caller.data[d as usize]
                && let Some(truth) = evaluate(&callee.data, condition.data, Some((only, value)))
            {
                out.push((i, truth != 0));
            }
        }
        out
    }

    /// The conditions that a point changes, with their value where that is known. `call` is who is
    /// called, if anybody: a function with a body, or one that is an event only, or nobody knows who.
    /// `result`: the assignment of a call's result is part of the point.
    pub fn changes(
        &self,
        s: &Skeleton,
        effects: &Effects,
        body: &Body,
        point: usize,
        call: Option<Callee>,
        result: bool,
    ) -> Vec<(usize, Option<bool>)> {
        let point = &body.points[point];
        let result_events = match &point.flow {
            Flow::Call(call) if result => &call.result_events[..],
            _ => &[],
        };
        let events = || point.events.iter().chain(result_events);
        let store = events().any(|e| *e == Event::Store);
        let mut out = Vec::new();
        for (i, condition) in self.list.iter().enumerate() {
            if condition.constant {
                continue;
            }
            let written = |e: &Event| match e {
                Event::Assign(o) | Event::Modify(o) => condition.depends.contains(o),
                _ => false,
            };
            let called = call.is_some_and(|callee| {
                let effect = effects.of(s, callee);
                (effect.stores && condition.by_store)
                    || condition.shared.iter().any(|&o| effects.changes(s, effect, o))
            });
            if (store && condition.by_store) || called || events().any(written) {
                let value = match called || condition.by_store {
                    true => None,
                    false => known(body, condition, &point.values),
                };
                out.push((i, value));
            }
        }
        out
    }
}

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// This function.
    Known(FuncId),
    /// Nobody knows.
    Unknown,
    /// A function that changes nothing.
    Quiet,
}

impl Callee {
    /// The targets of a call, one by one.
    pub fn all(call: &Call) -> Vec<Callee> {
        match call.targets.is_empty() {
            true => vec![Callee::Unknown],
            false => call.targets.iter().map(|&f| Callee::Known(f)).collect(),
        }
    }
}

/// Equal values get equal numbers.
fn numbering(data: &[Data]) -> Vec<u32> {
    let mut exact: Vec<u32> = Vec::with_capacity(data.len());
    let mut ids: FxHashMap<Data, u32> = FxHashMap::default();
    for d in data {
        let e = |d: DataId| exact[d as usize];
        let key = match *d {
            Data::Minus(a) => Data::Minus(e(a)),
            Data::Complement(a) => Data::Complement(e(a)),
            Data::Not(a) => Data::Not(e(a)),
            Data::Binary(op, a, b) => Data::Binary(op, e(a), e(b)),
            Data::Conditional(x, a, b) => Data::Conditional(e(x), e(a), e(b)),
            Data::As(o, a) => Data::As(o, e(a)),
            other => other,
        };
        let next = ids.len() as u32;
        exact.push(*ids.entry(key).or_insert(next));
    }
    exact
}

/// A name for the condition, the value, and whether the truth of the value is the opposite of what the
/// name stands for (C1).
fn canonical(data: &[Data], exact: &[u32], d: DataId) -> ((u8, u32, u32), DataId, bool) {
    let (root, mut opposite) = root_of(data, d);
    let e = |d: DataId| exact[d as usize];
    let key = match data[root as usize] {
        Data::Binary(op, a, b) => match op {
            Binary::Eq => (1, e(a).min(e(b)), e(a).max(e(b))),
            Binary::Ne => {
                opposite = !opposite;
                (1, e(a).min(e(b)), e(a).max(e(b)))
            }
            Binary::Lt => (2, e(a), e(b)),
            Binary::Gt => (2, e(b), e(a)),
            Binary::Ge => {
                opposite = !opposite;
                (2, e(a), e(b))
            }
            Binary::Le => {
                opposite = !opposite;
                (2, e(b), e(a))
            }
            _ => (0, e(root), 0),
        },
        _ => (0, e(root), 0),
    };
    (key, d, opposite)
}

/// The value whose truth a condition is, and whether it is the opposite.
fn root_of(data: &[Data], mut d: DataId) -> (DataId, bool) {
    let mut opposite = false;
    loop {
        d = match data[d as usize] {
            Data::Not(a) => {
                opposite = !opposite;
                a
            }
            Data::Binary(op @ (Binary::Eq | Binary::Ne), a, b)
                if data[b as usize] == Data::Int(0) =>
            {
                opposite ^= op == Binary::Eq;
                a
            }
            _ => return (d, opposite),
        }
    }
}

/// The objects that a value depends on, and whether memory behind pointers is among them.
fn depends(s: &Skeleton, data: &[Data], root: DataId) -> (FxHashSet<ObjectId>, bool) {
    let mut out = FxHashSet::default();
    let mut memory = false;
    let mut todo = vec![root];
    while let Some(d) = todo.pop() {
        match data[d as usize] {
            Data::Int(_) => {}
            Data::Object(mut o) => loop {
                out.insert(o);
                match s.objects[o.index()].reach {
                    Reach::Var => break,
                    Reach::Field(b) | Reach::Cell(b) | Reach::Address(b) => o = b,
                    Reach::Arrow(b) | Reach::Deref(b) => {
                        memory = true;
                        o = b;
                    }
                }
            },
            Data::Minus(a) | Data::Complement(a) | Data::Not(a) | Data::As(_, a) => todo.push(a),
            Data::Binary(_, a, b) => todo.extend([a, b]),
            Data::Conditional(c, a, b) => todo.extend([c, a, b]),
        }
    }
    (out, memory)
}

/// The least constant that a variable is assigned, if it is otherwise only counted up by one.
fn least(body: &Body, o: ObjectId) -> Option<i64> {
    let mut least: Option<i64> = None;
    if body.params.contains(&Some(o)) {
        return None;
    }
    for point in &body.points {
        for (_, value) in point.values.iter().filter(|(w, _)| *w == o) {
            let value = (*value)?;
            if counts_up(body, o, value) {
                continue;
            }
            let constant = evaluate(&body.data, value, None)?;
            least = Some(least.map_or(constant, |l| l.min(constant)));
        }
        // Every assignment has its value above.
        let result = match &point.flow {
            Flow::Call(call) => &call.result_events[..],
            _ => &[],
        };
        let wrote = |e: &Event| matches!(e, Event::Assign(w) | Event::Modify(w) if *w == o);
        if point.events.iter().chain(result).any(wrote)
            && !point.values.iter().any(|(w, _)| *w == o)
        {
            return None;
        }
    }
    least
}

fn counts_up(body: &Body, o: ObjectId, value: DataId) -> bool {
    matches!(body.data[value as usize], Data::Binary(Binary::Add, a, b)
        if body.data[a as usize] == Data::Object(o) && body.data[b as usize] == Data::Int(1))
}

/// The truth of a condition after values were assigned (C3).
fn known(
    body: &Body,
    condition: &Condition,
    values: &[(ObjectId, Option<DataId>)],
) -> Option<bool> {
    if condition.by_store || condition.depends.len() != 1 {
        return None;
    }
    let only = *condition.depends.iter().next()?;
    let (_, value) = values.iter().find(|(o, _)| *o == only)?;
    let value = (*value)?;
    let data = &body.data;
    if counts_up(body, only, value) {
        // A bound from above that the least value plus one does not meet is never met again.
        let Data::Binary(op @ (Binary::Lt | Binary::Le), a, b) = data[condition.data as usize]
        else {
            return None;
        };
        if data[a as usize] != Data::Object(only) {
            return None;
        }
        let (bound, least) = (evaluate(data, b, None)?, condition.least?);
        let met = match op {
            Binary::Lt => least + 1 < bound,
            _ => least < bound,
        };
        return (!met).then_some(false);
    }
    let value = evaluate(data, value, None)?;
    evaluate(data, condition.data, Some((only, value))).map(|v| v != 0)
}

/// A value where at most one object has a known one.
fn evaluate(data: &[Data], root: DataId, known: Option<(ObjectId, i64)>) -> Option<i64> {
    let mut stack = vec![(root, false)];
    let mut out: Vec<i64> = Vec::new();
    while let Some((d, ready)) = stack.pop() {
        let item = data[d as usize];
        if !ready {
            match item {
                Data::Int(v) => out.push(v),
                Data::Object(o) => out.push(known.filter(|k| k.0 == o)?.1),
                Data::Minus(a) | Data::Complement(a) | Data::Not(a) => {
                    stack.extend([(d, true), (a, false)]);
                }
                Data::Binary(_, a, b) => stack.extend([(d, true), (b, false), (a, false)]),
                Data::Conditional(..) | Data::As(..) => return None,
            }
            continue;
        }
        let mut pop = || out.pop().filter(|v| i32::try_from(*v).is_ok());
        let value = match item {
            Data::Minus(_) => -pop()?,
            Data::Complement(_) => !pop()?,
            Data::Not(_) => i64::from(pop()? == 0),
            Data::Binary(op, ..) => {
                let (b, a) = (pop()?, pop()?);
                crate::constant::binary(op, a, b)?
            }
            _ => return None,
        };
        out.push(value);
    }
    out.pop()
}
