//! One cell of an array that stands for any: `for (i …) free(p[i]);`. Which one it is, nobody says; a run chooses by what it does.
//!
//! - OC1. Where a point has to do with a cell of such an array (AE4), it may be the one, and may be another one: that is
//!   chosen where the point is come to. Another one is no path: what is stored there has escaped, and what is read there is something else.
//! - OC2. What chooses a cell is its *index*: a variable, the variable that goes on through the array, a member (`s->n`), or the constant.
//!   In one activation of a function it means the same cell until it gets another value; a member may get one in each call. What is
//!   increased or decreased leaves the cell behind, and does not come back to it until it goes the other way or gets a value.
//!   What else stands between brackets is chosen anew, and is the cell once at most at one point.
//! - OC3. Cells that hold something are not overwritten by what is chosen just there: a program that fills an array goes on to others.
//! - OC4. A loop that takes what is in cells, one after the other, comes to all that hold something: where its condition ends it, it has
//!   been at the one, or that holds nothing. So does a loop that ends when a function that gets the array returns nothing more:
//!   `while ((x = pop(&list)))`. That is taken for granted.

use super::points::constant;
use super::{Act, Maker, Plan};
use crate::elements::goes_on;
use crate::paths::PathId;
use front_c::{Binary, Body, Data, DataId, Event as E, Flow, FuncId, Next, ObjectId, Point, Reach};
use ir::{BinaryOp, Expr, ExprId, Exprs, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What chooses a cell (OC2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    /// A variable.
    By(ObjectId),
    /// A constant: this cell.
    Constant(ObjectId),
    /// Something else, at this point.
    At(u32),
}

/// What is known of an index: nothing, that it is the cell, that it is not, and that it has gone past the cell.
const NEW: i64 = 0;
const HERE: i64 = 1;
const OTHER: i64 = 2;
const PAST_UP: i64 = 3;
const PAST_DOWN: i64 = 4;

/// The cells that a point has to do with, by what chooses them.
#[derive(Clone, Default)]
struct Touched {
    keys: BTreeMap<Key, FxHashSet<ObjectId>>,
    /// The paths of these cells.
    paths: BTreeMap<Key, BTreeSet<PathId>>,
    /// Those that are written.
    written: BTreeMap<Key, BTreeSet<PathId>>,
    /// What is in them is given to a function, tested, or copied.
    taken: bool,
}

/// A loop: its points, and the branches that are its condition.
struct Loop {
    points: FxHashSet<u32>,
    conditions: FxHashSet<u32>,
    /// What its condition gives to a function whose result it tests.
    given: Vec<ObjectId>,
}

/// What a body does with such cells.
#[derive(Default)]
pub(super) struct Cells {
    touched: FxHashMap<u32, Touched>,
    /// Variables that are indices.
    variables: BTreeSet<ObjectId>,
    loops: Vec<Loop>,
}

/// More than two indices of one point are not told apart.
const MOST: usize = 2;

impl Maker<'_> {
    /// Finds out which cells the points of a body have to do with.
    pub(super) fn find_cells(&mut self, number: usize) {
        let s = self.s;
        let body = &s.bodies[number];
        let mut cells = Cells::default();
        for i in 0..body.points.len() {
            let touched = self.touched(body, i);
            if !touched.keys.is_empty() {
                cells.touched.insert(i as u32, touched);
            }
        }
        for touched in cells.touched.values() {
            cells.variables.extend(touched.keys.keys().filter_map(|k| match k {
                Key::By(o) => Some(*o),
                _ => None,
            }));
        }
        let one = |p: &PathId| self.paths.is_one(*p);
        if self.own.get(&body.func).is_some_and(|own| own.iter().any(one)) {
            cells.loops = loops(body);
        }
        self.cells = cells;
    }

    fn touched(&mut self, body: &Body, number: usize) -> Touched {
        let s = self.s;
        let point = &body.points[number];
        let mut out = Touched::default();
        let mut all: Vec<(ObjectId, bool, bool)> = Vec::new();
        let arms: &[_] = match &point.flow {
            Flow::Branch(arms) => arms,
            _ => &[],
        };
        let of_arms = arms.iter().flat_map(|a| a.events.iter().chain(&a.hidden));
        for event in point.events.iter().chain(&point.hidden).chain(of_arms) {
            match *event {
                E::Use(o) | E::Deref(o) | E::Address(o) | E::Escape(o) | E::Lent(o) => {
                    all.push((o, false, false));
                }
                E::ReturnOf(o) | E::Test(o, ..) => all.push((o, false, true)),
                E::Assign(o) | E::Modify(o) => all.push((o, true, false)),
                E::Copy(to, from) => all.extend([(to, true, false), (from, false, true)]),
                E::Index(..) | E::Store | E::Return | E::Exit => {}
            }
        }
        if let Flow::Call(call) = &point.flow {
            let args = call.arg_values.iter().chain(&call.args).flatten();
            all.extend(args.map(|o| (*o, false, true)));
            all.extend(call.result.into_iter().chain(call.temporary).map(|o| (o, true, false)));
        }
        for (o, written, taken) in all {
            let Some(way) = self.paths.one_of_several(s, o) else { continue };
            let Some(&cell) = way.last() else { continue };
            let Some(path) = self.paths.object(s, cell) else { continue };
            if self.extensions.get(&path).is_none_or(Vec::is_empty) {
                continue;
            }
            let mut key = key(body, number, s.objects[cell.index()].reach, cell);
            if let Key::By(index) = key
                && (s.objects[index.index()].address_taken || !s.objects[index.index()].automatic)
            {
                // Whatever it is then: it is the cell once at most.
                key = Key::At(u32::MAX);
            }
            if out.keys.len() >= MOST && !out.keys.contains_key(&key) {
                key = *out.keys.keys().next().unwrap_or(&key);
            }
            out.keys.entry(key).or_default().extend(way);
            out.paths.entry(key).or_default().insert(path);
            if written && o == cell {
                out.written.entry(key).or_default().insert(path);
            }
            out.taken |= taken;
        }
        out
    }

    /// What is known of an index.
    fn known(&mut self, func: FuncId, key: Key) -> VarId {
        let frame = &self.frames[&func];
        if let Some(&var) = frame.cells.get(&key) {
            return var;
        }
        let name = format!("(index {})", frame.cells.len());
        let var = self.b.hidden_local(frame.proc, &name, Type::int(3));
        if let Some(frame) = self.frames.get_mut(&func) {
            frame.cells.insert(key, var);
        }
        var
    }

    /// Where a function is entered, nothing is known of its indices.
    pub(super) fn indices_unknown(&mut self, g: FuncId) -> Vec<(VarId, Option<ExprId>)> {
        let new = self.b.exprs.int(NEW);
        self.frames[&g].cells.values().map(|var| (*var, Some(new))).collect()
    }

    /// The same where a call gives constants to parameters that are indices: the cell has one number, whoever asks.
    pub(super) fn indices_given(
        &mut self,
        (g, caller): (FuncId, usize),
        call: &front_c::Call,
        params: &[Option<ObjectId>],
    ) -> Vec<(VarId, Option<ExprId>)> {
        let mut out = self.indices_unknown(g);
        let keys: Vec<(Key, VarId)> = self.frames[&g].cells.iter().map(|(k, v)| (*k, *v)).collect();
        for (key, var) in keys {
            let Key::By(o) = key else { continue };
            // A count that goes down to the cell is not its number.
            if self.frames[&g].changed.contains(&o) {
                continue;
            }
            let data = params.iter().position(|p| *p == Some(o));
            let data = data.and_then(|i| call.arg_data.get(i).copied().flatten());
            let number = data.and_then(|d| constant(&self.s.bodies[caller], d));
            let Some(number) = number.filter(|n| (0..8).contains(n)) else { continue };
            let which = match self.which_cell {
                Some(which) => which,
                None => self.b.hidden_global("(cell)", Type::int(3)),
            };
            self.which_cell = Some(which);
            let which = self.b.exprs.pre(which);
            let is = self.is(which, number);
            let (here, other) = (self.b.exprs.int(HERE), self.b.exprs.int(OTHER));
            let then = self.b.exprs.add(Expr::Ite(is, here, other));
            out.iter_mut().filter(|(v, _)| *v == var).for_each(|(_, e)| *e = Some(then));
        }
        out
    }

    fn is(&mut self, value: ExprId, number: i64) -> ExprId {
        let number = self.b.exprs.int(number);
        self.b.exprs.binary(BinaryOp::Eq, value, number)
    }

    fn any(&mut self, all: &[ExprId]) -> ExprId {
        all.iter().fold(Exprs::FALSE, |any, e| self.b.exprs.or(any, *e))
    }

    /// Whether one of these cells, or what it points to, holds the value.
    fn held_in(&mut self, func: FuncId, cells: &BTreeSet<PathId>) -> ExprId {
        let nothing = Act::default();
        let all: BTreeSet<PathId> = cells
            .iter()
            .flat_map(|p| self.extensions.get(p).into_iter().flatten().copied())
            .filter(|p| cells.contains(p))
            .collect();
        let held: Vec<ExprId> = all.into_iter().map(|p| self.read(func, &nothing, p)).collect();
        self.any(&held)
    }

    /// What a point does (OC1), which `plan` says where the cells are told.
    pub(super) fn plan(&mut self, body: usize, number: usize) -> Option<Plan> {
        let func = self.s.bodies[body].func;
        let Some(touched) = self.cells.touched.get(&(number as u32)).cloned() else {
            let plan = self.plan_of(body, number);
            return self.with_steps(body, number, plan, &BTreeMap::new());
        };
        let keys: Vec<Key> = touched.keys.keys().copied().collect();
        let mut plans: Vec<Option<Plan>> = Vec::new();
        let mut ways: Vec<Vec<(Key, bool)>> = Vec::new();
        for mask in 0..1usize << keys.len() {
            let hits = keys.iter().enumerate().map(|(i, k)| (*k, mask >> i & 1 == 0));
            let hits: Vec<(Key, bool)> = hits.collect();
            let missed = hits.iter().filter(|h| !h.1).flat_map(|h| &touched.keys[&h.0]);
            let hit: FxHashSet<ObjectId> =
                hits.iter().filter(|h| h.1).flat_map(|h| &touched.keys[&h.0]).copied().collect();
            let missed = missed.copied().filter(|o| !hit.contains(o)).collect();
            self.missed_here = missed;
            self.paths.miss(self.missed_here.clone());
            plans.push(self.plan_of(body, number));
            ways.push(hits);
        }
        self.missed_here = FxHashSet::default();
        self.paths.miss(FxHashSet::default());
        if plans.iter().all(Option::is_none) {
            return self.with_steps(body, number, None, &BTreeMap::new());
        }
        let mut out: Option<Plan> = None;
        for (plan, hits) in plans.into_iter().zip(ways) {
            let mut plan = plan.or_else(|| self.nothing(body, number));
            let mut after: BTreeMap<Key, ExprId> = BTreeMap::new();
            let mut guard = Exprs::TRUE;
            for (key, hit) in hits {
                let var = self.known(func, key);
                let written = hit.then(|| touched.written.get(&key).cloned()).flatten();
                let full = written.map_or(Exprs::FALSE, |w| self.held_in(func, &w));
                let state = self.b.exprs.pre(var);
                let (new, here) = (self.is(state, NEW), self.is(state, HERE));
                // OC3
                let empty = self.b.exprs.not(full);
                let chosen = self.b.exprs.and(new, empty);
                let (when, then) = match (hit, key) {
                    (true, Key::At(_)) => (chosen, self.b.exprs.int(PAST_UP)),
                    (false, Key::At(_)) => (Exprs::TRUE, state),
                    (true, _) => (self.b.exprs.or(chosen, here), self.b.exprs.int(HERE)),
                    (false, _) => {
                        let other = self.b.exprs.int(OTHER);
                        let then = self.b.exprs.add(Expr::Ite(new, other, state));
                        (self.b.exprs.not(here), then)
                    }
                };
                guard = self.b.exprs.and(guard, when);
                after.insert(key, then);
                if !hit {
                    self.swept(func, body, number, key, plan.as_mut());
                }
            }
            let plan = self.with_steps(body, number, plan, &after);
            let Some(mut plan) = plan else { continue };
            acts(&mut plan, &mut |act, _| {
                act.guard = Some(match act.guard {
                    Some(old) => self.b.exprs.and(old, guard),
                    None => guard,
                });
            });
            out = Some(match out {
                None => plan,
                Some(before) => both(before, plan),
            });
        }
        out
    }

    /// A point that does nothing, as a plan.
    fn nothing(&self, body: usize, number: usize) -> Option<Plan> {
        Some(match &self.s.bodies[body].points[number].flow {
            Flow::Next(next) => Plan::Next(vec![(Act::default(), *next)]),
            Flow::Branch(arms) => {
                let ways = arms.iter().enumerate();
                Plan::Branch(ways.map(|(i, a)| (i as u32, Act::default(), a.next)).collect())
            }
            Flow::Call(call) => Plan::Call(vec![super::CallPlan::passing(call.next)]),
            Flow::Return => return None,
        })
    }

    /// OC2 and OC4: what a point does to indices.
    fn with_steps(
        &mut self,
        body: usize,
        number: usize,
        plan: Option<Plan>,
        known: &BTreeMap<Key, ExprId>,
    ) -> Option<Plan> {
        let b = &self.s.bodies[body];
        let func = b.func;
        let point = &b.points[number];
        let mut after = known.clone();
        for o in self.cells.variables.clone() {
            let taken = matches!(&point.flow, Flow::Call(c) if c.result == Some(o))
                || self.others_write(point, o);
            if !taken && !point.events.iter().any(|e| matches!(e, E::Assign(x) if *x == o)) {
                continue;
            }
            let key = Key::By(o);
            let var = self.known(func, key);
            let pre = self.b.exprs.pre(var);
            let before = after.get(&key).copied().unwrap_or(pre);
            let new = self.b.exprs.int(NEW);
            let then = match step(b, self.s, point, o).filter(|_| !taken) {
                None => new,
                Some(up) => {
                    let past = if up { PAST_UP } else { PAST_DOWN };
                    let (here, is_past) = (self.is(before, HERE), self.is(before, past));
                    let gone = self.b.exprs.or(here, is_past);
                    let past = self.b.exprs.int(past);
                    self.b.exprs.add(Expr::Ite(gone, past, new))
                }
            };
            after.insert(key, then);
        }
        let mut plan = plan;
        for i in 0..self.cells.loops.len() {
            let inside = &self.cells.loops[i];
            if inside.given.is_empty() || !inside.conditions.contains(&(number as u32)) {
                continue;
            }
            let held = self.held_by_given(func, i);
            if held != Exprs::FALSE {
                plan = plan.or_else(|| self.nothing(body, number));
                let closed = self.b.exprs.not(held);
                self.close(i, closed, plan.as_mut());
            }
        }
        let untouched = !self.cells.touched.contains_key(&(number as u32));
        if untouched {
            // A condition that names no cell ends a loop.
            let keys = self.cells.touched.values().flat_map(|t| t.keys.keys().copied());
            for key in keys.collect::<BTreeSet<Key>>() {
                if self.sweeps(number, key).is_some() {
                    plan = plan.or_else(|| self.nothing(body, number));
                    self.swept(func, body, number, key, plan.as_mut());
                }
            }
        }
        if after.is_empty() {
            return plan;
        }
        let mut plan = plan.or_else(|| self.nothing(body, number))?;
        let assigns: Vec<(VarId, Option<ExprId>)> =
            after.into_iter().map(|(key, e)| (self.known(func, key), Some(e))).collect();
        acts(&mut plan, &mut |act, _| act.other.extend(assigns.iter().copied()));
        Some(plan)
    }

    /// Whether a member that is an index may get a value in a way that does not name it.
    fn others_write(&self, point: &Point, o: ObjectId) -> bool {
        let object = &self.s.objects[o.index()];
        if object.reach == Reach::Var {
            return false;
        }
        if let Flow::Call(call) = &point.flow {
            let library = |g: &FuncId| self.f.library(*g).is_some() || self.f.is_opaque(*g);
            if call.open || call.targets.is_empty() || !call.targets.iter().all(library) {
                return true;
            }
        }
        let last = |name: &str| name.rsplit(['.', '>']).next().unwrap_or("").to_owned();
        let mut base = o;
        let mut on_the_way = Vec::new();
        while let Reach::Field(b) | Reach::Arrow(b) = self.s.objects[base.index()].reach {
            on_the_way.push(b);
            base = b;
        }
        point.events.iter().any(|e| match *e {
            E::Assign(x) => {
                let other = &self.s.objects[x.index()];
                let whole = on_the_way.contains(&x) && other.reach == Reach::Var;
                x != o && (whole || last(&other.name) == last(&object.name))
            }
            _ => false,
        })
    }

    /// The cells that a loop takes by this index, if the point is its condition.
    fn sweeps(&self, number: usize, key: Key) -> Option<(usize, BTreeSet<PathId>)> {
        let at = number as u32;
        let loops = self.cells.loops.iter().enumerate();
        // The innermost.
        let (i, inside) = loops
            .filter(|(_, l)| l.conditions.contains(&at))
            .min_by_key(|(_, l)| l.points.len())?;
        let mut cells = BTreeSet::new();
        let mut taken = false;
        for (point, touched) in &self.cells.touched {
            if inside.points.contains(point)
                && let Some(paths) = touched.paths.get(&key)
            {
                cells.extend(paths.iter().copied());
                taken |= touched.taken;
            }
        }
        (taken && !cells.is_empty()).then_some((i, cells))
    }

    /// OC4: a way out of a loop is not taken while the cell that it has not come to holds something.
    fn swept(
        &mut self,
        func: FuncId,
        body: usize,
        number: usize,
        key: Key,
        plan: Option<&mut Plan>,
    ) {
        let (Some((i, cells)), Some(plan)) = (self.sweeps(number, key), plan) else { return };
        let b = &self.s.bodies[body];
        if let Key::By(o) = key {
            let steps = |p: &u32| step(b, self.s, &b.points[*p as usize], o).is_some();
            if !self.cells.loops[i].points.iter().any(steps) {
                return;
            }
        }
        let held = self.held_in(func, &cells);
        let open = match key {
            Key::Constant(_) => return,
            _ => {
                let var = self.known(func, key);
                let state = self.b.exprs.pre(var);
                let (new, other) = (self.is(state, NEW), self.is(state, OTHER));
                self.b.exprs.or(new, other)
            }
        };
        let open = self.b.exprs.and(held, open);
        let closed = self.b.exprs.not(open);
        self.close(i, closed, Some(plan));
    }

    /// Whether a cell of what the condition of a loop gives to a function holds the value.
    fn held_by_given(&mut self, func: FuncId, number: usize) -> ExprId {
        let nothing = Act::default();
        let mut held = Exprs::FALSE;
        for o in self.cells.loops[number].given.clone() {
            let Some(base) = self.paths.object(self.s, o) else { continue };
            for p in self.reached(base, false) {
                if self.paths.ends_with_one(p) {
                    let value = self.read(func, &nothing, p);
                    held = self.b.exprs.or(held, value);
                }
            }
        }
        held
    }

    /// The ways out of a loop are taken only if this is so.
    fn close(&mut self, number: usize, closed: ExprId, plan: Option<&mut Plan>) {
        let Some(plan) = plan else { return };
        let inside = self.cells.loops[number].points.clone();
        acts(plan, &mut |act, next| {
            let leaves = !matches!(next, Some(Next::Point(p)) if inside.contains(&p));
            if leaves {
                act.guard = Some(match act.guard {
                    Some(old) => self.b.exprs.and(old, closed),
                    None => closed,
                });
            }
        });
    }
}

/// OC2: what chooses a cell at a point.
fn key(body: &Body, number: usize, reach: Reach, cell: ObjectId) -> Key {
    let statement = body.points[number].statement;
    // The index was evaluated before, in the same statement.
    for q in (number.saturating_sub(4)..=number).rev() {
        let point = &body.points[q];
        if point.statement != statement {
            break;
        }
        let mut by: Vec<Option<ObjectId>> = Vec::new();
        for event in &point.hidden {
            if let E::Index(c, i) = *event
                && c == cell
                && !by.contains(&i)
            {
                by.push(i);
            }
        }
        match by[..] {
            [] => {}
            [Some(i)] => return Key::By(i),
            _ => return Key::At(number as u32),
        }
    }
    match reach {
        Reach::Deref(b) => {
            let walks =
                |p: &Point| p.events.contains(&E::Assign(b)) && p.hidden.contains(&E::Escape(b));
            if body.points.iter().any(walks) { Key::By(b) } else { Key::Constant(cell) }
        }
        _ => Key::Constant(cell),
    }
}

/// Whether a variable is increased or decreased at a point: which of them.
fn step(body: &Body, s: &front_c::Skeleton, point: &Point, o: ObjectId) -> Option<bool> {
    let plain = |mut d: DataId| {
        while let Data::Convert(_, a) | Data::As(_, a) = body.data[d as usize] {
            d = a;
        }
        d
    };
    for (to, value) in &point.values {
        let Some(d) = value.filter(|_| *to == o) else { continue };
        if let Data::Binary(op @ (Binary::Add | Binary::Sub), a, b) = body.data[plain(d) as usize]
            && let (Data::Object(from), Data::Int(n)) =
                (body.data[plain(a) as usize], body.data[plain(b) as usize])
            && from == o
            && n != 0
        {
            return Some((op == Binary::Add) == (n > 0));
        }
    }
    let down = point.text.contains("--") || point.text.contains("-=");
    goes_on(s, point, o).then_some(!down)
}

/// All acts of a plan, with where they lead to.
fn acts(plan: &mut Plan, change: &mut dyn FnMut(&mut Act, Option<Next>)) {
    match plan {
        Plan::Next(ways) => ways.iter_mut().for_each(|(act, next)| change(act, Some(*next))),
        Plan::Branch(ways) => ways.iter_mut().for_each(|(_, act, next)| change(act, Some(*next))),
        Plan::Call(calls) => {
            calls.iter_mut().for_each(|call| change(&mut call.before, Some(call.next)));
        }
        Plan::Return(ways) => ways.iter_mut().for_each(|(act, ..)| change(act, None)),
    }
}

/// Two plans of one point, as one.
fn both(a: Plan, b: Plan) -> Plan {
    match (a, b) {
        (Plan::Next(mut a), Plan::Next(b)) => {
            a.extend(b);
            Plan::Next(a)
        }
        (Plan::Branch(mut a), Plan::Branch(b)) => {
            a.extend(b);
            Plan::Branch(a)
        }
        (Plan::Call(mut a), Plan::Call(b)) => {
            a.extend(b);
            Plan::Call(a)
        }
        (Plan::Return(mut a), Plan::Return(b)) => {
            a.extend(b);
            Plan::Return(a)
        }
        (a, _) => a,
    }
}

/// The loops of a body: by edges back to a point that is on the way.
fn loops(body: &Body) -> Vec<Loop> {
    let next = |p: u32| -> Vec<u32> {
        let all: Vec<Next> = match &body.points[p as usize].flow {
            Flow::Next(next) => vec![*next],
            Flow::Branch(arms) => arms.iter().map(|a| a.next).collect(),
            Flow::Call(call) => vec![call.next],
            Flow::Return => Vec::new(),
        };
        all.into_iter()
            .filter_map(|n| if let Next::Point(q) = n { Some(q) } else { None })
            .collect()
    };
    let n = body.points.len();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); n];
    for p in 0..n as u32 {
        for q in next(p) {
            before[q as usize].push(p);
        }
    }
    // Edges back, by the point that they go to.
    let mut back: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut state = vec![0u8; n];
    let Next::Point(entry) = body.entry else { return Vec::new() };
    let mut way: Vec<(u32, Vec<u32>)> = vec![(entry, next(entry))];
    state[entry as usize] = 1;
    while let Some((p, rest)) = way.last_mut() {
        let p = *p;
        let Some(q) = rest.pop() else {
            state[p as usize] = 2;
            way.pop();
            continue;
        };
        match state[q as usize] {
            0 => {
                state[q as usize] = 1;
                way.push((q, next(q)));
            }
            1 => back.entry(q).or_default().push(p),
            _ => {}
        }
    }
    let mut out = Vec::new();
    for (head, sources) in back {
        let mut points: FxHashSet<u32> = FxHashSet::from_iter([head]);
        let mut todo = sources.clone();
        while let Some(p) = todo.pop() {
            if points.insert(p) {
                todo.extend(&before[p as usize]);
            }
        }
        // The first branch from the head, those of the same statement, and those that go back.
        let mut conditions: FxHashSet<u32> = FxHashSet::default();
        let mut at = head;
        let mut steps = 0;
        let first = loop {
            steps += 1;
            match &body.points[at as usize].flow {
                Flow::Branch(_) => break Some(at),
                Flow::Next(Next::Point(q)) if points.contains(q) && steps <= n => at = *q,
                Flow::Call(call) if steps <= n => match call.next {
                    Next::Point(q) if points.contains(&q) => at = q,
                    _ => break None,
                },
                _ => break None,
            }
        };
        let is_branch = |p: u32| matches!(body.points[p as usize].flow, Flow::Branch(_));
        if let Some(first) = first {
            let same = |p: &u32| {
                body.points[*p as usize].statement == body.points[first as usize].statement
            };
            conditions.extend(points.iter().copied().filter(|p| is_branch(*p)).filter(same));
        }
        let mut given = Vec::new();
        if let Some(first) = first {
            let statement = body.points[first as usize].statement;
            let mut here: Vec<u32> = points.iter().copied().collect();
            here.sort_unstable();
            for point in here.into_iter().map(|p| &body.points[p as usize]) {
                if let Flow::Call(call) = &point.flow
                    && point.statement == statement
                    && call.result.or(call.temporary).is_some()
                {
                    given.extend(call.arg_values.iter().flatten());
                }
            }
        }
        conditions.extend(sources.iter().copied().filter(|p| is_branch(*p)));
        out.push(Loop { points, conditions, given });
    }
    out
}
