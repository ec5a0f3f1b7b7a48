//! Cheap feasibility: a condition over variables that did not change has the value that it had.
//!
//! - CD1. Two tests are of one condition if they are the same expression over values of the same types, up
//!   to negation, `!= 0`, and the direction of comparisons. The opposite of `<` is `>=`, unless an operand
//!   may be no number.
//! - CD2. A condition changes where one of its variables is assigned. Behind a pointer may be whatever is
//!   *exposed*: has its address taken, or is seen by code that is not read. A condition over what is exposed, or
//!   behind a pointer, changes where something is written that may be the same cell (CW1–CW5 in `cells`), and where
//!   a function is called that may do so ([`Effects`]).
//! - CD3. After the assignment of a constant to its only variable, its value is known.
//! - CD4. Where a call passes a constant, conditions on that parameter alone are known at the entry.
//! - CD5. Where a variable is counted on and starts with a constant, whether it still is that constant is a
//!   condition, too. If it is, all conditions over it alone are known one step later.
//! - CD6. What may change at any time (`volatile`, atomics, what signal handlers and other threads assign)
//!   is in no condition.

use crate::cells::{self, Cell, Cells, Written};
use crate::library::{Library, buffers, is_library_variable, runs_at_any_time};
use crate::objects::{FuncId, Object, ObjectId, Reach};
use crate::skeleton::{Body, Call, Data, DataId, Event, Flow, Skeleton, When, plain_name};
use c_types::{Binary, Model, Scalar, Unary, Value, binary, unary};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

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
    /// The parts of memory.
    cells: Cells,
    /// What may happen at any time.
    any_time: Option<Effect>,
    /// Memory is accessed as the types that it has.
    typed: bool,
    /// Parameters that some call gives a constant.
    constants: FxHashSet<ObjectId>,
}

#[derive(Clone, Debug, Default)]
struct Effect {
    /// The variables that it may assign, as bits.
    assigned: Box<[u64]>,
    /// What others can get at that it writes.
    written: Written,
    /// It calls what is not known, which may change whatever other units see.
    unknown: bool,
}

impl Effect {
    /// Adds what another one does; whether that is new.
    fn add(&mut self, other: &Effect) -> bool {
        let mut new = other.unknown && !self.unknown;
        new |= self.written.add(&other.written);
        self.unknown |= other.unknown;
        for (a, b) in self.assigned.iter_mut().zip(&other.assigned) {
            new |= *b & !*a != 0;
            *a |= b;
        }
        new
    }
}

impl Effects {
    /// The effects of all functions; those that are `quiet` have none. `typed` if memory is accessed as the types that it
    /// has (CW6).
    pub fn new(s: &Skeleton, typed: bool, quiet: &dyn Fn(FuncId) -> bool) -> Effects {
        let mut numbers: FxHashMap<ObjectId, u32> = FxHashMap::default();
        let mut direct: Vec<Option<(Vec<u32>, Effect)>> = vec![None; s.funcs.len()];
        let mut callers: Vec<Vec<FuncId>> = vec![Vec::new(); s.funcs.len()];
        let mut constants = FxHashSet::default();
        let (mut any_time, mut buffered) = (false, false);
        let cells = Cells::new(s);
        for body in &s.bodies {
            let (mut assigned, mut written, mut unknown) = (Vec::new(), Written::default(), false);
            for point in &body.points {
                written.add(&cells.by(s, body, point, true));
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
                        _ => {}
                    }
                }
                let Flow::Call(call) = &point.flow else { continue };
                unknown |= call.open;
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
                    let name = plain_name(&s.funcs[f.index()].name);
                    any_time |= runs_at_any_time(name);
                    if buffers(name) {
                        // Without an array it asks the library for one of its own.
                        let array = call.arg_data.get(1).copied().flatten();
                        let none = array.map(|d| &body.data[d as usize]);
                        buffered |= !matches!(none, Some(Data::Int(0)));
                        continue;
                    }
                    match s.library(f) {
                        Some(Library::Silent) => {}
                        Some(Library::Writes) => {
                            written.add(&cells.through(s, body, call, f));
                        }
                        None => unknown = true,
                    }
                }
            }
            let written = written.for_callers(s);
            let effect = Effect { assigned: Box::default(), written, unknown };
            direct[body.func.index()] = Some((assigned, effect));
        }
        let words = numbers.len().div_ceil(64);
        let none = Effect { assigned: vec![0; words].into(), ..Effect::default() };
        let effect = |(assigned, own): &(Vec<u32>, Effect)| {
            let mut out = Effect { assigned: none.assigned.clone(), ..own.clone() };
            assigned.iter().for_each(|&i| out.assigned[i as usize / 64] |= 1 << (i % 64));
            out
        };
        let mut functions: Vec<Option<Effect>> =
            direct.iter().map(|d| d.as_ref().map(effect)).collect();
        close(s, &callers, &mut functions);
        // What is not known may call whatever it can reach.
        let mut unknown = Effect { written: Written::all(), unknown: true, ..none.clone() };
        let mut handlers = none.clone();
        for body in &s.bodies {
            let func = &s.funcs[body.func.index()];
            let Some(effect) = &functions[body.func.index()] else { continue };
            if !func.is_static || func.address_taken {
                unknown.add(effect);
            }
            if func.address_taken {
                handlers.add(effect);
            }
        }
        for effect in functions.iter_mut().flatten() {
            if effect.unknown {
                effect.add(&unknown);
            }
        }
        if handlers.unknown {
            handlers.add(&unknown);
        }
        if buffered {
            handlers.written = Written::all();
        }
        let any_time = (any_time || buffered).then_some(handlers);
        Effects { numbers, functions, unknown, nothing: none, cells, any_time, typed, constants }
    }

    /// Whether functions of the program may run at any time.
    pub fn at_any_time(&self) -> bool {
        self.any_time.is_some()
    }

    /// Whether an object may change at any time (CD6).
    pub fn changes_by_itself(&self, s: &Skeleton, o: ObjectId) -> bool {
        let root = root(s, o);
        let object = &s.objects[root.index()];
        s.objects[o.index()].volatile
            || object.volatile
            || (!object.defined && is_library_variable(&object.name))
            || self.any_time.as_ref().is_some_and(|effect| {
                (!effect.written.is_empty() && is_exposed(object))
                    || !object.automatic && self.changes(s, effect, root)
            })
    }

    /// What a point may change that it does not name, as in [`Conditions::changes`].
    pub fn changed(
        &self,
        s: &Skeleton,
        body: &Body,
        point: usize,
        call: Option<Callee>,
        result: bool,
    ) -> Changed<'_> {
        let point = &body.points[point];
        let mut stored = self.cells.by(s, body, point, result);
        let at = match &point.flow {
            Flow::Call(call) => Some(&**call),
            _ => None,
        };
        let called = call.map(|callee| self.of(s, body, at, callee));
        if let Some((_, through)) = &called {
            stored.add(through);
        }
        Changed { effects: self, stored, called: called.map(|(effect, _)| effect) }
    }

    /// What a call does, and what it writes through its arguments.
    fn of(
        &self,
        s: &Skeleton,
        body: &Body,
        call: Option<&Call>,
        callee: Callee,
    ) -> (&Effect, Written) {
        let nothing = Written::default();
        match callee {
            Callee::Quiet => (&self.nothing, nothing),
            Callee::Unknown => (&self.unknown, nothing),
            Callee::Known(f) => match &self.functions[f.index()] {
                Some(effect) => (effect, nothing),
                None => match (s.library(f), call) {
                    (Some(Library::Silent), _) => (&self.nothing, nothing),
                    (Some(Library::Writes), Some(call)) => {
                        (&self.nothing, self.cells.through(s, body, call, f))
                    }
                    (Some(Library::Writes), None) => (&self.nothing, Written::all()),
                    (None, _) => (&self.unknown, nothing),
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

/// What a point may change.
pub struct Changed<'e> {
    effects: &'e Effects,
    /// What it stores, and what a function of the library does.
    stored: Written,
    /// What a function does that it calls.
    called: Option<&'e Effect>,
}

impl Changed<'_> {
    /// Whether an object may be another one afterwards, for other reasons than that the point assigns it, or what it
    /// is reached through, by name.
    pub fn may_be(&self, s: &Skeleton, o: ObjectId) -> bool {
        let mut cells = Vec::new();
        cells::read(s, &self.effects.cells, o, &mut cells);
        let written = |w: &Written| cells.iter().any(|c| w.may_be(*c, self.effects.typed));
        let root = root(s, o);
        written(&self.stored)
            || self.called.is_some_and(|effect| {
                let global = !s.objects[root.index()].automatic;
                written(&effect.written) || global && self.effects.changes(s, effect, root)
            })
    }
}

/// Whether what is behind a pointer may be the variable.
fn is_exposed(object: &Object) -> bool {
    object.address_taken || (object.external && !object.automatic)
}

/// Adds the effects of callees to those of their callers. Callees come first, so that most functions are looked at once.
fn close(s: &Skeleton, callers: &[Vec<FuncId>], functions: &mut [Option<Effect>]) {
    let order = callees_first(s, callers);
    let mut position = vec![0; callers.len()];
    order.iter().enumerate().for_each(|(i, f)| position[f.index()] = i);
    let mut todo: BTreeSet<usize> = (0..order.len()).collect();
    while let Some(i) = todo.pop_first() {
        let f = order[i];
        let Some(effect) = functions[f.index()].take() else { continue };
        for &caller in callers[f.index()].iter().filter(|caller| **caller != f) {
            if let Some(all) = &mut functions[caller.index()]
                && all.add(&effect)
            {
                todo.insert(position[caller.index()]);
            }
        }
        functions[f.index()] = Some(effect);
    }
}

/// The functions with a body, each behind those that it calls, as far as no recursion is among them.
fn callees_first(s: &Skeleton, callers: &[Vec<FuncId>]) -> Vec<FuncId> {
    // Whoever is left last has no callers left: the other way round.
    let mut seen = vec![false; callers.len()];
    let mut out = Vec::with_capacity(s.bodies.len());
    for body in &s.bodies {
        if std::mem::replace(&mut seen[body.func.index()], true) {
            continue;
        }
        let mut stack = vec![(body.func, 0)];
        while let Some((f, next)) = stack.last_mut() {
            match callers[f.index()].get(*next) {
                Some(&caller) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[caller.index()], true) {
                        stack.push((caller, 0));
                    }
                }
                None => {
                    out.push(*f);
                    stack.pop();
                }
            }
        }
    }
    out.reverse();
    out
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
    /// What it says.
    pub says: Says,
    /// The objects that it depends on.
    pub depends: FxHashSet<ObjectId>,
    /// What is behind a pointer, or exposed, among them.
    cells: Vec<Cell>,
    /// Its variables that are not automatic.
    shared: Vec<ObjectId>,
    /// All of its variables are constants for ever.
    constant: bool,
    /// It is about one variable alone, which is only reached by its name.
    only: Option<ObjectId>,
}

/// What a condition says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    /// The value is not zero.
    True(DataId),
    /// The variable is what it started with (CD5).
    Starts(Value),
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
        let exact = numbering(data, &body.scalars);
        let truth = |d: DataId| canonical(body, &exact, d);
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
        let mut counted: Vec<ObjectId> = Vec::new();
        for key in order {
            let (times, d, opposite) = tests[&key];
            if out.list.len() >= MAX_CONDITIONS {
                break;
            }
            let Some(condition) = Condition::of(s, effects, body, d) else { continue };
            let known = || {
                body.points.iter().any(|p| known(s, body, &condition, &p.values).is_some())
                    || body.points.iter().any(|p| counts(body, &condition, &p.values).is_some())
            };
            let given = condition.only.is_some_and(|only| effects.constants.contains(&only));
            if times < 2 && !given && !known() {
                continue;
            }
            number.insert(key, (out.list.len(), opposite));
            counted.extend(condition.only);
            out.list.push(condition);
        }
        out.starts(s, body, &counted);
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

    /// Adds the conditions that variables are what they started with (CD5).
    fn starts(&mut self, s: &Skeleton, body: &Body, counted: &[ObjectId]) {
        for &o in counted {
            if self.list.len() >= MAX_CONDITIONS || self.start_of(o).is_some() {
                continue;
            }
            let Some(first) = self.list.iter().find(|c| c.only == Some(o)).cloned() else {
                continue;
            };
            let mut values = body.points.iter().flat_map(|p| &p.values).filter(|(w, _)| *w == o);
            let constant = values.clone().find_map(|(_, v)| evaluate(s, body, (*v)?, None));
            let steps = values.any(|(_, v)| v.is_some_and(|v| stepped(body, o, v).is_some()));
            if let (Some(value), true) = (constant, steps) {
                self.list.push(Condition { says: Says::Starts(value), ..first });
            }
        }
    }

    /// The condition that a variable is what it started with, and that value.
    fn start_of(&self, o: ObjectId) -> Option<(usize, Value)> {
        self.list.iter().enumerate().find_map(|(i, c)| match c.says {
            Says::Starts(value) if c.only == Some(o) => Some((i, value)),
            _ => None,
        })
    }

    /// The conditions that a point decides if a variable still is what it started with (CD5): the
    /// condition, the one that says so, and the value then. They are among the [`Conditions::changes`] of
    /// the point.
    pub fn steps(&self, s: &Skeleton, body: &Body, point: usize) -> Vec<(usize, usize, bool)> {
        let values = &body.points[point].values;
        let mut out = Vec::new();
        for (i, condition) in self.list.iter().enumerate() {
            if let Some(only) = condition.only
                && let Some((start, value)) = self.start_of(only)
                && let Some(step) = counts(body, condition, values)
                && let Some(next) = evaluate(s, body, step, Some((only, value)))
                && let Some(truth) = condition.holds(s, body, only, next)
            {
                out.push((i, start, truth));
            }
        }
        out
    }

    /// The condition that a value is, and whether it is its opposite.
    pub fn test(&self, d: DataId) -> Option<(usize, bool)> {
        self.tests.get(&d).copied()
    }

    /// The conditions that are known where a call enters the function that has them (CD4).
    pub fn entered(
        &self,
        s: &Skeleton,
        caller: &Body,
        call: &Call,
        callee: &Body,
    ) -> Vec<(usize, bool)> {
        let mut out = Vec::new();
        for (i, condition) in self.list.iter().enumerate() {
            let Some(only) = condition.only else { continue };
            let Some(position) = callee.params.iter().position(|p| *p == Some(only)) else {
                continue;
            };
            let value = call.arg_data.get(position).copied().flatten();
            if let Some(d) = value
                && matches!(caller.data[d as usize], Data::Int(_))
                && let Some(value) = evaluate(s, caller, d, None)
                && let Some(to) = s.objects[only.index()].scalar
                && let Some(value) = value.convert(to, &s.model)
                && let Some(truth) = condition.holds(s, callee, only, value)
            {
                out.push((i, truth));
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
        number: usize,
        call: Option<Callee>,
        result: bool,
    ) -> Vec<(usize, Option<bool>)> {
        let point = &body.points[number];
        let result_events = match &point.flow {
            Flow::Call(call) if result => &call.result_events[..],
            _ => &[],
        };
        let events = || point.events.iter().chain(result_events);
        let changed = effects.changed(s, body, number, call, result);
        let mut out = Vec::new();
        for (i, condition) in self.list.iter().enumerate() {
            if condition.constant {
                continue;
            }
            let written = |e: &Event| match e {
                Event::Assign(o) | Event::Modify(o) => condition.depends.contains(o),
                _ => false,
            };
            let may_be = |w: &Written| condition.cells.iter().any(|c| w.may_be(*c, effects.typed));
            let called = changed.called.is_some_and(|effect| {
                may_be(&effect.written)
                    || condition.shared.iter().any(|&o| effects.changes(s, effect, o))
            });
            if called || may_be(&changed.stored) || events().any(written) {
                let value = match called {
                    true => None,
                    false => known(s, body, condition, &point.values),
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

impl Condition {
    /// Whether it is about what is not only reached by its name.
    pub fn is_shared(&self) -> bool {
        !self.cells.is_empty() || !self.shared.is_empty()
    }

    /// What is worth to be known of a value; none if nothing can be.
    fn of(s: &Skeleton, effects: &Effects, body: &Body, d: DataId) -> Option<Condition> {
        let Depends { objects: depends, loaded, memory } = depends(s, &body.data, d);
        let objects = &s.objects;
        let vars = depends.iter().copied();
        let mut roots: Vec<ObjectId> =
            vars.filter(|o| objects[o.index()].reach == Reach::Var).collect();
        roots.sort_unstable();
        if depends.is_empty() || depends.iter().any(|&o| effects.changes_by_itself(s, o)) {
            return None;
        }
        let object = |o: &ObjectId| &objects[o.index()];
        // A constant in a frame has another value each time that control comes by.
        let constant = !memory && roots.iter().all(|o| object(o).constant && !object(o).automatic);
        let mut cells = Vec::new();
        for &o in &loaded {
            cells::read(s, &effects.cells, o, &mut cells);
        }
        let constants = |c: &Cell| matches!(c, Cell::Var(_, root) if object(root).constant);
        cells.retain(|c| !constants(c));
        let shared: Vec<ObjectId> =
            roots.iter().copied().filter(|o| !object(o).automatic).collect();
        let only = match (&roots[..], depends.len()) {
            ([only], 1) if !memory && cells.is_empty() => Some(*only),
            _ => None,
        };
        let says = Says::True(d);
        Some(Condition { says, depends, cells, shared, constant, only })
    }

    /// Its truth where its only variable has a value.
    fn holds(&self, s: &Skeleton, body: &Body, only: ObjectId, value: Value) -> Option<bool> {
        match self.says {
            Says::True(d) => evaluate(s, body, d, Some((only, value))).map(Value::truth),
            Says::Starts(start) => Some(start.number() == value.number()),
        }
    }
}

/// Equal values of equal types get equal numbers.
fn numbering(data: &[Data], scalars: &[Option<Scalar>]) -> Vec<u32> {
    let mut exact: Vec<u32> = Vec::with_capacity(data.len());
    let mut ids: FxHashMap<(Data, Option<Scalar>), u32> = FxHashMap::default();
    for (d, scalar) in data.iter().zip(scalars) {
        let e = |d: DataId| exact[d as usize];
        let key = match *d {
            Data::Minus(a) => Data::Minus(e(a)),
            Data::Complement(a) => Data::Complement(e(a)),
            Data::Not(a) => Data::Not(e(a)),
            Data::Binary(op, a, b) => Data::Binary(op, e(a), e(b)),
            Data::Conditional(x, a, b) => Data::Conditional(e(x), e(a), e(b)),
            Data::As(o, a) => Data::As(o, e(a)),
            Data::Convert(to, a) => Data::Convert(to, e(a)),
            other => other,
        };
        // A number is the same one in all types.
        let scalar = scalar.filter(|_| !matches!(d, Data::Int(_)));
        let next = ids.len() as u32;
        exact.push(*ids.entry((key, scalar)).or_insert(next));
    }
    exact
}

/// A name for the condition, the value, and whether the truth of the value is the opposite of what the
/// name stands for (CD1).
fn canonical(body: &Body, exact: &[u32], d: DataId) -> ((u8, u32, u32), DataId, bool) {
    let (root, mut opposite) = root_of(&body.data, d);
    let e = |d: DataId| exact[d as usize];
    // Numbers that are none have no order.
    let ordered = |d: DataId| !matches!(body.scalars[d as usize], None | Some(Scalar::Float(_)));
    let key = match body.data[root as usize] {
        Data::Binary(op, a, b) => match op {
            Binary::Eq => (1, e(a).min(e(b)), e(a).max(e(b))),
            Binary::Ne => {
                opposite = !opposite;
                (1, e(a).min(e(b)), e(a).max(e(b)))
            }
            Binary::Lt => (2, e(a), e(b)),
            Binary::Gt => (2, e(b), e(a)),
            Binary::Ge if ordered(a) && ordered(b) => {
                opposite = !opposite;
                (2, e(a), e(b))
            }
            Binary::Le if ordered(a) && ordered(b) => {
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

/// What a value depends on.
struct Depends {
    /// The objects, and those that they are reached from.
    objects: FxHashSet<ObjectId>,
    /// Those that are in it.
    loaded: Vec<ObjectId>,
    /// Memory behind pointers is among them.
    memory: bool,
}

fn depends(s: &Skeleton, data: &[Data], root: DataId) -> Depends {
    let mut out = FxHashSet::default();
    let mut loaded = Vec::new();
    let mut memory = false;
    let mut todo = vec![root];
    while let Some(d) = todo.pop() {
        match data[d as usize] {
            Data::Int(_) => {}
            Data::Object(o) if loaded.contains(&o) => {}
            Data::Object(mut o) => {
                loaded.push(o);
                loop {
                    out.insert(o);
                    match s.objects[o.index()].reach {
                        Reach::Var => break,
                        Reach::Field(b) | Reach::Cell(b) | Reach::Address(b) => o = b,
                        Reach::Arrow(b) | Reach::Deref(b) => {
                            memory = true;
                            o = b;
                        }
                    }
                }
            }
            Data::Minus(a)
            | Data::Complement(a)
            | Data::Not(a)
            | Data::As(_, a)
            | Data::Convert(_, a) => todo.push(a),
            Data::Binary(_, a, b) => todo.extend([a, b]),
            Data::Conditional(c, a, b) => todo.extend([c, a, b]),
        }
    }
    Depends { objects: out, loaded, memory }
}

/// Whether a value is that of the variable, counted on: the value.
fn stepped(body: &Body, o: ObjectId, value: DataId) -> Option<DataId> {
    let mut inner = value;
    while let Data::Convert(_, a) = body.data[inner as usize] {
        inner = a;
    }
    let Data::Binary(Binary::Add | Binary::Sub, a, b) = body.data[inner as usize] else {
        return None;
    };
    let mut a = a;
    while let Data::Convert(_, inner) = body.data[a as usize] {
        a = inner;
    }
    let steps =
        body.data[a as usize] == Data::Object(o) && matches!(body.data[b as usize], Data::Int(_));
    steps.then_some(value)
}

/// What the only variable of a condition becomes, if it is counted on.
fn counts(
    body: &Body,
    condition: &Condition,
    values: &[(ObjectId, Option<DataId>)],
) -> Option<DataId> {
    let only = condition.only?;
    let (_, value) = values.iter().find(|(o, _)| *o == only)?;
    stepped(body, only, (*value)?)
}

/// The truth of a condition after values were assigned (CD3).
fn known(
    s: &Skeleton,
    body: &Body,
    condition: &Condition,
    values: &[(ObjectId, Option<DataId>)],
) -> Option<bool> {
    let only = condition.only?;
    let (_, value) = values.iter().find(|(o, _)| *o == only)?;
    let value = evaluate(s, body, (*value)?, None)?;
    condition.holds(s, body, only, value)
}

/// A value where at most one object has a known one.
fn evaluate(
    s: &Skeleton,
    body: &Body,
    root: DataId,
    known: Option<(ObjectId, Value)>,
) -> Option<Value> {
    let model: &Model = &s.model;
    let mut stack = vec![(root, false)];
    let mut out: Vec<Value> = Vec::new();
    while let Some((d, ready)) = stack.pop() {
        let item = body.data[d as usize];
        if !ready {
            match item {
                Data::Int(v) => {
                    out.push(Value::of(body.scalars[d as usize]?, v.into(), model)?);
                }
                // What it was assigned may have had a narrower type.
                Data::Object(o) => {
                    let value = known.filter(|k| k.0 == o)?.1;
                    out.push(value.convert(body.scalars[d as usize]?, model)?);
                }
                Data::Minus(a) | Data::Complement(a) | Data::Not(a) | Data::Convert(_, a) => {
                    stack.extend([(d, true), (a, false)]);
                }
                Data::Binary(_, a, b) => stack.extend([(d, true), (b, false), (a, false)]),
                Data::Conditional(..) | Data::As(..) => return None,
            }
            continue;
        }
        let mut pop = || out.pop();
        let value = match item {
            Data::Minus(_) => unary(Unary::Minus, pop()?, model)?,
            Data::Complement(_) => unary(Unary::Complement, pop()?, model)?,
            Data::Not(_) => unary(Unary::Not, pop()?, model)?,
            Data::Convert(to, _) => pop()?.convert(to, model)?,
            Data::Binary(op, ..) => {
                let (b, a) = (pop()?, pop()?);
                binary(op, a, b, model)?
            }
            _ => return None,
        };
        out.push(value);
    }
    out.pop()
}
