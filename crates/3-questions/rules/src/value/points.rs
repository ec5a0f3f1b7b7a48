//! What points do: to what paths hold, and which events of the rule they are. Rules VP1, VP2 and VP4.

use super::signs::comparison;
use super::{Act, At, Birth, Maker, Plan};
use crate::event::Event;
use crate::ownership::Owners;
use crate::paths::{ADDRESS, DEREF, PathId, Paths, Root};
use crate::relevance::{Memory, stripped};
use crate::rule::Comparison;
use front_c::{Binary, Body, Callee, Data, DataId, Flow, FuncId, ObjectId, When};
use ir::{BinaryOp, Expr, ExprId, Exprs};

/// The number that is written down, however it is converted.
pub(super) fn constant(body: &Body, mut d: DataId) -> Option<i64> {
    let mut minus = false;
    loop {
        d = match body.data[d as usize] {
            Data::Int(n) => return if minus { n.checked_neg() } else { Some(n) },
            Data::Convert(_, a) | Data::As(_, a) => a,
            Data::Minus(a) => {
                minus = !minus;
                a
            }
            _ => return None,
        }
    }
}

/// The two objects that a condition compares, and whether it is true if they are equal.
fn compared(body: &Body, mut d: DataId) -> Option<(ObjectId, ObjectId, bool)> {
    let plain = |mut d: DataId| {
        while let Data::Convert(_, a) | Data::As(_, a) = body.data[d as usize] {
            d = a;
        }
        d
    };
    let mut equal = true;
    loop {
        d = plain(d);
        let (op, a, b) = match body.data[d as usize] {
            Data::Not(a) => {
                equal = !equal;
                d = a;
                continue;
            }
            Data::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => (op, plain(a), plain(b)),
            _ => return None,
        };
        match (body.data[a as usize], body.data[b as usize]) {
            (Data::Object(a), Data::Object(b)) => return Some((a, b, equal == (op == Binary::Eq))),
            // `(a == b) != 0`
            (_, Data::Int(0)) => {
                equal ^= op == Binary::Eq;
                d = a;
            }
            _ => return None,
        }
    }
}

impl Maker<'_> {
    pub(super) fn plans(&mut self, body: usize) -> Vec<Option<Plan>> {
        let s = self.s;
        self.find_cells(body);
        if self.relevance.memory == Memory::One {
            self.owners = Owners::new(&self.f, &self.ownership, &s.bodies[body]);
        }
        self.kept_values = self.kept.values(s, &s.bodies[body], &mut self.b.exprs);
        let mut plans = Vec::new();
        for i in 0..s.bodies[body].points.len() {
            plans.push(self.plan(body, i));
            let at = At { body: body as u32, point: i as u32 };
            if plans[i].is_some()
                && let Some(act) = self.inherited_behind(at)
            {
                self.inherited.insert(at, act);
            }
        }
        plans
    }

    /// What a point does, as far as it is known which cells it is about; none if nothing.
    pub(super) fn plan_of(&mut self, body: usize, number: usize) -> Option<Plan> {
        let s = self.s;
        let b = &s.bodies[body];
        let point = &b.points[number];
        let at = At { body: body as u32, point: number as u32 };
        match &point.flow {
            Flow::Next(next) => {
                let mut act = self.act(at, None, true);
                act.kept = self.kept_effect(at, None);
                let act = self.ended(act, b.func);
                (self.keep_all || !act.is_trivial()).then(|| Plan::Next(vec![(act, *next)]))
            }
            Flow::Branch(arms) => {
                let mut ways = Vec::new();
                for (i, arm) in arms.iter().enumerate() {
                    let mut act = self.act(at, None, true);
                    act.kept = self.kept_effect(at, None);
                    self.arm(&mut act, b.func, arm);
                    let act = self.ended(act, b.func);
                    ways.push((i as u32, act, arm.next));
                }
                let matters = self.keep_all || ways.iter().any(|(_, act, _)| !act.is_trivial());
                matters.then_some(Plan::Branch(ways))
            }
            Flow::Return => {
                let mut act = self.act(at, None, true);
                act.leaves = true;
                act.kept = self.kept_effect(at, None);
                if self.frames[&b.func].top.is_some() && self.wants(|e| *e == Event::Exit) {
                    let top = self.frames[&b.func].top.map(|t| self.b.exprs.pre(t));
                    let top = top.unwrap_or(Exprs::FALSE);
                    let on = self.active(&act);
                    let exit = self.b.exprs.and(top, on);
                    self.atom(&mut act, exit, |e| *e == Event::Exit);
                }
                let results = self.returned(b, point);
                let act = self.ended_with(act, b.func, Some(&results));
                let signs = self.sign_returned(b, point);
                Some(Plan::Return(vec![(act, results, signs)]))
            }
            Flow::Call(call) => self.call_plan(at, call),
        }
    }

    pub(super) fn read(&mut self, func: FuncId, act: &Act, p: PathId) -> ExprId {
        if let Some(&e) = act.set.get(&p) {
            return e;
        }
        match self.bit(func, p) {
            Some(bit) => self.b.exprs.pre(bit),
            None => Exprs::FALSE,
        }
    }

    /// Whether an object's value is the one that is followed.
    pub(super) fn value_of(&mut self, func: FuncId, act: &Act, o: ObjectId) -> ExprId {
        let path = self.paths.whole(self.s, o).or_else(|| self.paths.object(self.s, o));
        path.map_or(Exprs::FALSE, |p| self.read(func, act, p))
    }

    /// Whether a value is followed, the one chosen here included.
    pub(super) fn active(&mut self, act: &Act) -> ExprId {
        let on = self.b.exprs.pre(self.on);
        match act.chosen {
            Some(chosen) => self.b.exprs.or(on, chosen),
            None => on,
        }
    }

    /// Adds a case in which an atom holds.
    pub(super) fn atom(&mut self, act: &mut Act, when: ExprId, event: impl Fn(&Event) -> bool) {
        if when == Exprs::FALSE {
            return;
        }
        for (i, events) in self.rule.events.iter().enumerate() {
            if events.iter().any(&event) {
                let old = act.atoms.get(&(i as u32)).copied().unwrap_or(Exprs::FALSE);
                let new = self.b.exprs.or(old, when);
                act.atoms.insert(i as u32, new);
            }
        }
    }

    /// An atom about an object: it holds if the path holds the value.
    pub(super) fn subject(
        &mut self,
        act: &mut Act,
        func: FuncId,
        o: ObjectId,
        event: impl Fn(&Event) -> Option<&[crate::event::Link]>,
    ) {
        let whole = self.paths.whole(self.s, o);
        let Some(path) = whole.or_else(|| self.paths.object(self.s, o)) else { return };
        for i in 0..self.rule.events.len() {
            for k in 0..self.rule.events[i].len() {
                let Some(suffix) = event(&self.rule.events[i][k]) else { continue };
                let Some(base) = stripped(&mut self.paths, path, suffix) else { continue };
                let when = self.read(func, act, base);
                if when == Exprs::FALSE {
                    continue;
                }
                let old = act.atoms.get(&(i as u32)).copied().unwrap_or(Exprs::FALSE);
                let new = self.b.exprs.or(old, when);
                act.atoms.insert(i as u32, new);
                act.object = act.object.or(Some(o));
            }
        }
    }

    /// A value that comes into being at a path, if it is one to be followed.
    pub(super) fn born(
        &mut self,
        act: &mut Act,
        at: Option<At>,
        func: Option<FuncId>,
        p: PathId,
    ) -> ExprId {
        if !self.relevance.leads[p.index()] || !self.fits(p) {
            return Exprs::FALSE;
        }
        let number = match self.birth_numbers.get(&(at, p)) {
            Some(&number) => number,
            None => {
                let object = self.path_name(p);
                let bit = match func {
                    Some(func) => self.bit(func, p),
                    None => self.globals.get(&p).copied(),
                };
                let inherited = false;
                self.births.push(Birth { at, function: func, object, bit, inherited });
                self.birth_numbers.insert((at, p), self.births.len() - 1);
                self.births.len() - 1
            }
        };
        let exprs = &mut self.b.exprs;
        let mut here = Exprs::TRUE;
        if self.numbered {
            let (birth, number) = (exprs.pre(self.birth), exprs.int(number as i64));
            here = exprs.binary(BinaryOp::Eq, birth, number);
        }
        let on = exprs.pre(self.on);
        let off = exprs.not(on);
        let choice = exprs.choice(act.choices);
        act.choices += 1;
        act.picks.push(choice);
        let mut chosen = exprs.and(choice, here);
        chosen = exprs.and(chosen, off);
        act.chosen = Some(match act.chosen {
            Some(old) => exprs.or(old, chosen),
            None => chosen,
        });
        chosen
    }

    /// A value that comes into being and is not held by anything.
    pub(super) fn born_unseen(
        &mut self,
        act: &mut Act,
        at: At,
        func: FuncId,
        name: &str,
    ) -> ExprId {
        let Some(p) = self.paths.add(Root::Arg(u32::MAX), &[]) else { return Exprs::FALSE };
        let size = self.paths.len();
        self.relevance.leads.resize(size, false);
        self.relevance.holds.resize(size, false);
        self.relevance.leads[p.index()] = true;
        let before = self.births.len();
        let chosen = self.born(act, Some(at), Some(func), p);
        if let Some(birth) = self.births.get_mut(before) {
            birth.object = format!("{name}()");
        }
        chosen
    }

    /// Whether the path's type is the rule's.
    fn fits(&self, p: PathId) -> bool {
        match self.paths.root(p) {
            Root::Var(o) if self.paths.links(p).is_empty() => {
                let object = &self.s.objects[o.index()];
                // That of an array is not that of its first cell.
                let cell = object.array && !self.paths.is_address(p);
                cell || self.rule.is_about_type(&self.s.types[object.type_names as usize])
            }
            _ => true,
        }
    }

    /// Something unknown is assigned to a path. `born`: values may come into being here.
    pub(super) fn fresh(&mut self, act: &mut Act, at: At, base: PathId, born: bool) {
        let func = self.s.bodies[at.body as usize].func;
        let length = self.paths.links(base).len();
        for p in self.extensions.get(&base).cloned().unwrap_or_default() {
            if !Paths::depends(&self.paths.links(p)[length..]) {
                continue;
            }
            let chosen = match born {
                true => self.born(act, Some(at), Some(func), p),
                false => Exprs::FALSE,
            };
            act.set.insert(p, chosen);
        }
        self.overwritten(act, at, base);
        self.forget(act, func, base);
    }

    /// VP2: what is written behind one pointer may be written behind others.
    pub(super) fn forget(&mut self, act: &mut Act, func: FuncId, base: PathId) {
        // What may be gone is not lost.
        if self.relevance.memory == Memory::One {
            return;
        }
        let links = self.paths.links(base);
        let Some(&field) = links.last().filter(|l| **l > ADDRESS) else { return };
        if !links.contains(&DEREF) {
            return;
        }
        let own = self.own.get(&func).cloned().unwrap_or_default();
        let globals: Vec<PathId> = self.globals.keys().copied().collect();
        for p in own.into_iter().chain(globals) {
            let (root, links) = (self.paths.root(p), self.paths.links(p));
            let mine = root == self.paths.root(base) && links.starts_with(self.paths.links(base));
            if !mine
                && matches!(root, Root::Var(_))
                && self.paths.in_memory(p)
                && links.windows(2).any(|w| w == [DEREF, field])
            {
                let old = self.read(func, act, p);
                let kept = self.either(&mut act.choices, Exprs::FALSE, old);
                act.set.insert(p, kept);
            }
        }
    }

    /// `to = from` (RP1).
    pub(super) fn copy(&mut self, act: &mut Act, at: At, to: ObjectId, from: ObjectId) {
        let func = self.s.bodies[at.body as usize].func;
        let (to_path, from_path) = (self.paths.object(self.s, to), self.paths.object(self.s, from));
        let whole = self.paths.whole(self.s, from);
        let followed = to_path.is_some_and(|p| self.is_held(at, p));
        if !followed {
            self.note_stored(to, from);
            self.given_away(act, func, from);
        } else if let Some(to) = to_path {
            self.out_of_sight(act, func, to, from);
        }
        let Some(base) = to_path else { return };
        let length = self.paths.links(base).len();
        let mut new: Vec<(PathId, ExprId)> = Vec::new();
        for p in self.extensions.get(&base).cloned().unwrap_or_default() {
            let suffix = self.paths.links(p)[length..].to_vec();
            if !Paths::depends(&suffix) {
                continue;
            }
            let source = match whole.filter(|_| suffix.is_empty()) {
                Some(whole) => Some(whole),
                None => from_path.and_then(|f| self.paths.find_graft(f, &suffix)),
            };
            let source = source.filter(|q| self.relevance.holds[q.index()]);
            let value = match source {
                Some(q) => self.read_cell(act, at, q),
                None if self.relevance.results_only => Exprs::FALSE,
                None => self.born(act, Some(at), Some(func), p),
            };
            new.push((p, value));
        }
        self.forget(act, func, base);
        act.set.extend(new);
        self.overwritten(act, at, base);
    }

    /// What the events of a point do, those of its call excepted.
    pub(super) fn act(&mut self, at: At, callee: Option<Callee>, result: bool) -> Act {
        use front_c::Event as E;
        let s = self.s;
        let body = &s.bodies[at.body as usize];
        let func = body.func;
        let point = &body.points[at.point as usize];
        let mut act = Act::default();
        // The letter is about what was so before.
        let before = Act::default();
        for event in &point.events {
            match *event {
                E::Use(o) => self.subject(&mut act, func, o, |e| match e {
                    Event::Use(suffix) => Some(suffix),
                    _ => None,
                }),
                E::Deref(o) => self.subject(&mut act, func, o, |e| match e {
                    Event::Deref(suffix) => Some(suffix),
                    _ => None,
                }),
                E::ReturnOf(o) => self.subject(&mut act, func, o, |e| match e {
                    Event::ReturnOf => Some(&[]),
                    _ => None,
                }),
                E::Return => {
                    let on = self.active(&before);
                    self.atom(&mut act, on, |e| *e == Event::Return);
                }
                E::Exit if !matches!(point.flow, Flow::Return) && !self.gives_up(point) => {
                    let on = self.active(&before);
                    self.atom(&mut act, on, |e| *e == Event::Exit);
                }
                _ => {}
            }
        }
        for event in &point.hidden {
            match *event {
                E::Escape(o)
                    if point.events.contains(&E::Assign(o)) && self.only_walks(body, o) =>
                {
                    self.stepped(&mut act, func, o);
                }
                E::Lent(o) if self.gives_back(point) => {
                    self.given_away_as(&mut act, func, o, &before);
                }
                E::Escape(o) => self.given_away_as(&mut act, func, o, &before),
                E::ReturnOf(o) => self.subject(&mut act, func, o, |e| match e {
                    Event::ReturnOf => Some(&[]),
                    _ => None,
                }),
                _ => {}
            }
        }
        let mut assigned: Vec<ObjectId> = Vec::new();
        let cells = point.hidden.iter().filter(|e| matches!(e, E::Assign(_)));
        for event in cells.chain(&point.events) {
            match *event {
                E::Assign(o) => {
                    assigned.push(o);
                    let copies = point.events.iter().chain(&point.hidden);
                    let from = copies.into_iter().find_map(|e| match *e {
                        E::Copy(to, from) if to == o => Some(from),
                        _ => None,
                    });
                    match from {
                        Some(from) => self.copy(&mut act, at, o, from),
                        None if self.goes_through(point, o) => self.moved_on(&mut act, o),
                        None => {
                            // A constant is no value to be followed.
                            let constant = point.values.iter().any(|(to, value)| {
                                *to == o && value.is_some_and(|d| constant(body, d).is_some())
                            });
                            if let Some(p) = self.paths.object(s, o) {
                                let born = !self.relevance.results_only && !constant;
                                let taken = |e: &E| matches!(e, E::Escape(_));
                                if born
                                    && self.relevance.leads[p.index()]
                                    && point.hidden.iter().any(taken)
                                {
                                    let (name, f) = (self.path_name(p), &s.funcs[func.index()]);
                                    self.computed.insert(format!("`{name}` in `{}`", f.name));
                                }
                                self.fresh(&mut act, at, p, born);
                            }
                        }
                    }
                }
                // To a cell, or what else is no path.
                E::Copy(o, q) if !assigned.contains(&o) => {
                    self.note_stored(o, q);
                    self.given_away(&mut act, func, q);
                }
                _ => {}
            }
        }
        self.cells_moved(&mut act, at);
        for event in &point.hidden {
            if let E::Copy(o, q) = *event
                && !assigned.contains(&o)
            {
                self.given_away(&mut act, func, q);
            }
            if let E::Copy(_, q) = *event {
                self.consumed(&mut act, func, q);
            }
        }
        for event in point.events.iter().chain(&point.hidden) {
            if let E::Copy(_, q) | E::ReturnOf(q) = *event {
                self.part_escapes(&mut act, func, q);
            }
        }
        self.sign_act(&mut act, at, callee);
        act.other.extend(self.changed_tables(point));
        let frame = &self.frames[&func];
        if !frame.condition_bits.is_empty() {
            let changes =
                frame.conditions.changes(s, &self.effects, body, at.point as usize, callee, result);
            let steps = match changes.is_empty() {
                true => Vec::new(),
                false => frame.conditions.steps(s, body, at.point as usize),
            };
            for (i, value) in changes {
                let mut value = value.map(|v| if v { Exprs::TRUE } else { Exprs::FALSE });
                // What is counted on is known while it is what it started with.
                if let (None, Some(&(_, start, then))) = (value, steps.iter().find(|s| s.0 == i))
                    && let Some(start) = frame.condition_bits[start]
                {
                    let start = self.b.exprs.pre(start);
                    let (then, any) = (self.b.exprs.bool(then), self.b.exprs.choice(act.choices));
                    act.choices += 1;
                    value = Some(self.b.exprs.add(Expr::Ite(start, then, any)));
                }
                act.other.extend(frame.condition_bits[i].map(|bit| (bit, value)));
            }
        }
        act
    }

    /// Whether a variable goes on through an array of which one cell stands for any.
    fn goes_through(&mut self, point: &front_c::Point, o: ObjectId) -> bool {
        let Some(base) = self.paths.object(self.s, o) else { return false };
        let one = |p: &PathId| self.paths.is_one(*p);
        self.extensions.get(&base).is_some_and(|all| all.iter().any(one))
            && crate::elements::goes_on(self.s, point, o)
    }

    /// It points to another cell then, of the same array.
    fn moved_on(&mut self, act: &mut Act, o: ObjectId) {
        let Some(base) = self.paths.object(self.s, o) else { return };
        let all = self.extensions.get(&base).cloned().unwrap_or_default();
        for p in all.into_iter().filter(|p| !self.paths.is_one(*p)) {
            act.set.insert(p, Exprs::FALSE);
        }
    }

    /// Whether somebody takes the result of a function that returns its argument.
    fn gives_back(&self, point: &front_c::Point) -> bool {
        let Flow::Call(call) = &point.flow else { return false };
        call.result.or(call.temporary).is_some()
            && call.targets.iter().any(|g| self.f.returned(*g).is_some())
    }

    /// Whether the program is given up there: that is no end at which anything has to be in order.
    fn gives_up(&self, point: &front_c::Point) -> bool {
        let Flow::Call(call) = &point.flow else { return false };
        !call.targets.is_empty()
            && call.targets.iter().all(|g| {
                let name = self.f.name(*g);
                front_c::is_failed_assertion(name) || matches!(name, "abort" | "trap")
            })
    }

    /// What is learnt on a way out of a branch.
    pub(super) fn arm(&mut self, act: &mut Act, func: FuncId, arm: &front_c::Arm) {
        let mut guard = Exprs::TRUE;
        for event in arm.events.iter().chain(&arm.hidden) {
            let front_c::Event::Test(o, relation, c) = *event else { continue };
            let here = comparison(relation);
            // `(unsigned)-1` says that there is none, as `-1` does.
            let unsigned =
                c == i64::from(u32::MAX) && matches!(here, Comparison::Eq | Comparison::Ne);
            let c = if unsigned && self.rule.assume.is_some() { -1 } else { c };
            // VP4
            if let (Some((assumed, k)), Some(p)) = (self.rule.assume, self.paths.object(self.s, o))
                && !assumed.meets(k, here, c)
            {
                let holds = self.read(func, act, p);
                let not = self.b.exprs.not(holds);
                guard = self.b.exprs.and(guard, not);
            }
            self.subject(act, func, o, |e| match *e {
                Event::Test(comparison, number) if (comparison, number) == (here, c) => Some(&[]),
                _ => None,
            });
            let possible = self.sign_test(func, o, here, c);
            guard = self.b.exprs.and(guard, possible);
        }
        if let Some(When::True(d) | When::False(d)) = &arm.when {
            let frame = &self.frames[&func];
            if let Some((i, opposite)) = frame.conditions.test(*d)
                && let Some(bit) = frame.condition_bits[i]
            {
                let mut e = self.b.exprs.pre(bit);
                if opposite != matches!(arm.when, Some(When::False(_))) {
                    e = self.b.exprs.not(e);
                }
                guard = self.b.exprs.and(guard, e);
            }
        }
        if let Some(when) = &arm.when {
            let passes = self.kept_values.passes(&mut self.b.exprs, when);
            guard = self.b.exprs.and(guard, passes);
        }
        let same = self.same_pointers(func, act, arm);
        guard = self.b.exprs.and(guard, same);
        for event in &arm.hidden {
            if let front_c::Event::Test(o, ..) = *event {
                self.consumed(act, func, o);
            }
        }
        if guard != Exprs::TRUE {
            act.guard = Some(match act.guard {
                Some(old) => self.b.exprs.and(old, guard),
                None => guard,
            });
        }
    }

    /// VP10: what is learnt where two pointers are compared.
    fn same_pointers(&mut self, func: FuncId, act: &Act, arm: &front_c::Arm) -> ExprId {
        let Some(When::True(d) | When::False(d)) = &arm.when else { return Exprs::TRUE };
        let Some(body) = self.s.body(func) else { return Exprs::TRUE };
        let Some((a, b, mut equal)) = compared(body, *d) else { return Exprs::TRUE };
        equal ^= matches!(arm.when, Some(When::False(_)));
        let (a, b) = (self.value_of(func, act, a), self.value_of(func, act, b));
        if a == Exprs::FALSE && b == Exprs::FALSE {
            return Exprs::TRUE;
        }
        let exprs = &mut self.b.exprs;
        match (equal, self.escaped) {
            (false, _) => {
                let both = exprs.and(a, b);
                exprs.not(both)
            }
            (true, Some(escaped)) => {
                let escaped = exprs.pre(escaped);
                let (both, any) = (exprs.and(a, b), exprs.or(a, b));
                let none = exprs.not(any);
                let same = exprs.or(both, none);
                exprs.or(escaped, same)
            }
            (true, None) => Exprs::TRUE,
        }
    }

    /// A result that has no name is gone once it was used.
    pub(super) fn consumed(&mut self, act: &mut Act, func: FuncId, o: ObjectId) {
        if !self.s.objects[o.index()].temporary {
            return;
        }
        let Some(base) = self.paths.object(self.s, o) else { return };
        for p in self.extensions.get(&base).cloned().unwrap_or_default() {
            if self.bit(func, p).is_some() {
                act.set.insert(p, Exprs::FALSE);
            }
        }
    }
}
