//! What is known of numbers: the sign of a result, of what it was copied to, and of what is returned on.
//!
//! C tells by numbers what happened: a null pointer, -1, a positive count. A sign is one of four: 0,
//! positive, -1, less than -1. Two bits for an object that holds a signed integer, one for a pointer or an
//! unsigned integer. Objects whose type is not certain, and those that may change at any time, have none:
//!
//! - SG1. `o = c` gives `o` the sign of `c`, `o = &x` that of what is not null, `o = q` that of `q`. Whatever
//!   else is assigned has any sign.
//! - SG2. A call gives parameters the signs of its arguments, `return e` gives the target of the call that of
//!   `e`. A conversion that may change the sign gives any. A global that both functions look at has in the one that is called
//!   the sign that it has in the other.
//! - SG3. The result of a function that the rule calls fallible has a sign with which it tells that it
//!   failed, or that it did not; a value that is chosen is as the rule's `assume` says.
//! - SG4. A way out of a branch is not taken if no number of the sign passes its test.
//! - SG5. What is not only reached by its name (a field, a global, a variable whose address is taken) has any
//!   sign after a store or a call that may write the same cell (CW1–CW5), and after an assignment to what it is reached
//!   through, or to another member of the same union.
//! - SG6. A number that is not negative is positive after something positive was added to it: numbers of 64 bits do not
//!   get around, and if signed ones did, that would be undefined.
//!
//! Objects are followed in this way if they are tested, or what they are copied to is, and if something is
//! known of them: constants, outcomes, or a test before.

use super::{Act, At, Maker};
use crate::rule::Comparison;
use c_types::{Model, Scalar, Value};
use front_c::{
    Binary, Body, Call, Callee, Condition, Data, DataId, Event, Flow, FuncId, ObjectId, Point,
    Reach, Relation, Says, Skeleton, When, is_setjmp,
};
use ir::{Expr, ExprId, Exprs, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most objects of one function whose sign is known.
const MAX_SIGNS: usize = 24;
/// And so many in programs that are too large.
const FEW_SIGNS: usize = 6;

/// Signs, as bits of a set.
const ZERO: u8 = 1;
const POSITIVE: u8 = 2;
const MINUS_ONE: u8 = 4;
const LESS: u8 = 8;
const ALL: u8 = 15;
/// Each with its two bits: negative; positive, or less than -1.
const BITS: [(u8, bool, bool); 4] =
    [(ZERO, false, false), (POSITIVE, false, true), (MINUS_ONE, true, false), (LESS, true, true)];

/// What an object holds: an integer, a truth value or a pointer, of this type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind(Scalar);

impl Kind {
    /// None for numbers whose signs are not known here.
    fn of(scalar: Option<Scalar>) -> Option<Kind> {
        scalar.filter(|s| !matches!(s, Scalar::Float(_))).map(Kind)
    }

    fn is_signed(self) -> bool {
        matches!(self.0, Scalar::Int(int) if int.signed)
    }

    /// The signs that it can have.
    fn all(self) -> u8 {
        if self.is_signed() { ALL } else { ZERO | POSITIVE }
    }

    /// Whether a number keeps its sign when it is converted.
    fn fits(self, to: Kind, model: &Model) -> bool {
        // A truth value is cut to 1, which has the same sign.
        self.0.fits(to.0, model) || (to.0 == Scalar::Bool && !self.is_signed())
    }

    /// The sign of a number of some type as one of these; none if it is not certain.
    fn constant(self, number: i64, from: Scalar, model: &Model) -> Option<u8> {
        let value = Value::of(from, i128::from(number), model)?.convert(self.0, model)?;
        Some(match value.number() {
            0 => ZERO,
            -1 => MINUS_ONE,
            v if v < 0 => LESS,
            _ => POSITIVE,
        })
    }
}

/// The variables that hold a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sign {
    kind: Kind,
    negative: Option<VarId>,
    low: VarId,
    /// SG5 is about it.
    shared: bool,
}

/// A sign: its two bits; one that is not there is any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    negative: Option<ExprId>,
    low: Option<ExprId>,
}

const OPEN: Known = Known { negative: None, low: None };

fn exactly(sign: u8) -> Known {
    let of = |bit: bool| Some(if bit { Exprs::TRUE } else { Exprs::FALSE });
    match BITS.iter().find(|(s, ..)| *s == sign) {
        Some(&(_, negative, low)) => Known { negative: of(negative), low: of(low) },
        None => OPEN,
    }
}

/// The signs of numbers that compare with `k` in this way.
fn passing(comparison: Comparison, k: i64) -> u8 {
    let range = |low: i128, high: i128| {
        let near = [low, high, i128::from(k) - 1, i128::from(k), i128::from(k) + 1];
        near.into_iter().any(|x| (low..=high).contains(&x) && comparison.holds(x, k))
    };
    let (least, most) = (i128::from(i64::MIN) - 2, i128::from(i64::MAX) + 2);
    let mut out = 0;
    for (sign, low, high) in
        [(ZERO, 0, 0), (POSITIVE, 1, most), (MINUS_ONE, -1, -1), (LESS, least, -2)]
    {
        if range(low, high) {
            out |= sign;
        }
    }
    out
}

/// What is known of signs before the product is made: which objects and results have one.
#[derive(Default)]
pub(super) struct Signed {
    objects: FxHashMap<FuncId, Vec<(ObjectId, Kind, bool)>>,
    results: FxHashMap<FuncId, Kind>,
}

/// Where the sign of a value comes from.
enum Source {
    Known,
    Object(ObjectId),
    Open,
}

fn source(body: &Body, mut d: DataId) -> Source {
    loop {
        match body.data[d as usize] {
            Data::Int(_) | Data::Not(_) => return Source::Known,
            Data::Binary(op, ..) if is_truth(op) => return Source::Known,
            Data::Object(o) => return Source::Object(o),
            Data::As(_, a) | Data::Convert(_, a) => d = a,
            _ => return Source::Open,
        }
    }
}

/// Whether an operator gives 0 or 1.
fn is_truth(op: Binary) -> bool {
    matches!(
        op,
        Binary::Eq
            | Binary::Ne
            | Binary::Lt
            | Binary::Le
            | Binary::Gt
            | Binary::Ge
            | Binary::And
            | Binary::Or
    )
}

impl Maker<'_> {
    fn kind(&self, o: ObjectId) -> Option<Kind> {
        Kind::of(self.s.objects[o.index()].scalar)
    }

    /// What a function returns, by the names of its type: the last one has no `typedef` in it.
    fn result_kind(&self, g: FuncId) -> Option<Kind> {
        let names = &self.s.types[self.s.funcs[g.index()].result_names as usize];
        let name = names.last()?;
        match name.ends_with('*') {
            true => Some(Kind(Scalar::Pointer)),
            false => Kind::of(Scalar::named(name, &self.s.model)),
        }
    }

    /// A result that may tell of a failure: how.
    pub(super) fn fallible(&self, g: FuncId) -> Option<(Comparison, i64)> {
        let name = self.f.name(g);
        // It returns 0, and something else after a jump.
        if self.jumping.is_some() && is_setjmp(name) {
            return Some((Comparison::Ne, 0));
        }
        self.rule.fallible.iter().find(|(p, ..)| p.matches(name)).map(|(_, c, n)| (*c, *n))
    }

    /// Which objects, and which functions' results.
    pub(super) fn find_signs(&mut self) {
        let s = self.s;
        let results = s.objects.len() as u32;
        let object = |o: ObjectId| o.index() as u32;
        let result = |g: FuncId| results + g.index() as u32;
        let mut flows: Vec<(u32, u32)> = Vec::new();
        let (mut known, mut asked): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for body in s.bodies.iter().filter(|b| self.relevant.contains(&b.func)) {
            let mut tests: BTreeMap<ObjectId, u32> = BTreeMap::new();
            for point in &body.points {
                for (o, value) in &point.values {
                    match value.map_or(Source::Open, |d| source(body, d)) {
                        Source::Known => known.push(object(*o)),
                        Source::Object(q) => flows.push((object(q), object(*o))),
                        Source::Open => {}
                    }
                }
                for event in point.events.iter().chain(&point.hidden) {
                    match *event {
                        Event::Copy(o, q) if self.is_not_null(q) => known.push(object(o)),
                        Event::Copy(o, q) => flows.push((object(q), object(o))),
                        Event::ReturnOf(o) => flows.push((object(o), result(body.func))),
                        _ => {}
                    }
                }
                match &point.flow {
                    Flow::Next(_) => {}
                    Flow::Branch(arms) => {
                        let tested: FxHashSet<ObjectId> = arms
                            .iter()
                            .flat_map(|a| a.events.iter().chain(&a.hidden))
                            .filter_map(|e| match *e {
                                Event::Test(o, ..) => Some(o),
                                _ => None,
                            })
                            .collect();
                        for o in tested {
                            asked.push(object(o));
                            *tests.entry(o).or_default() += 1;
                        }
                    }
                    Flow::Return => {
                        match point.returned.map_or(Source::Open, |d| source(body, d)) {
                            Source::Known => known.push(result(body.func)),
                            Source::Object(q) => flows.push((object(q), result(body.func))),
                            Source::Open => {}
                        }
                    }
                    Flow::Call(call) => {
                        let target = call.result.or(call.temporary);
                        for &g in &call.targets {
                            if let Some(o) = target {
                                if self.f.is_entered(g) && self.relevant.contains(&g) {
                                    flows.push((result(g), object(o)));
                                } else if self.fallible(g).is_some() {
                                    known.push(object(o));
                                }
                            }
                            let Some(callee) = s.body(g).filter(|_| self.f.is_entered(g)) else {
                                continue;
                            };
                            for (i, param) in callee.params.iter().enumerate() {
                                if let Some(param) = param
                                    && self.gives_constant(body, call, i)
                                {
                                    known.push(object(*param));
                                }
                            }
                        }
                    }
                }
            }
            known.extend(tests.iter().filter(|(_, n)| **n > 1).map(|(o, _)| object(*o)));
        }
        let size = s.objects.len() + s.funcs.len();
        let informed = closure(size, &flows, known);
        for flow in &mut flows {
            *flow = (flow.1, flow.0);
        }
        let wanted = closure(size, &flows, asked);
        let both = |n: u32| informed[n as usize] && wanted[n as usize];
        let most = match self.remembers {
            super::Remembers::FewSigns => FEW_SIGNS,
            _ => MAX_SIGNS,
        };
        let mut signed = Signed::default();
        for body in s.bodies.iter().filter(|b| self.relevant.contains(&b.func)) {
            let kind = self.result_kind(body.func);
            if let Some(kind) = kind.filter(|_| both(result(body.func))) {
                signed.results.insert(body.func, kind);
            }
            let mut list: Vec<(ObjectId, Kind, bool)> = Vec::new();
            let mut seen: FxHashSet<ObjectId> = FxHashSet::default();
            for o in mentioned(body).chain(tested_globals(s, body)) {
                if list.len() >= most {
                    break;
                }
                if !both(object(o)) || !seen.insert(o) {
                    continue;
                }
                let item = &s.objects[o.index()];
                // What may change at any time has no sign to be relied on.
                if self.effects.changes_by_itself(s, o) {
                    continue;
                }
                let Some(kind) = self.kind(o) else { continue };
                if item.array && !body.params.contains(&Some(o)) {
                    continue;
                }
                let own = item.reach == Reach::Var && item.automatic;
                let shared = !own || item.address_taken;
                let forgotten = shared && self.remembers != super::Remembers::Everything;
                if own && item.owner != Some(body.func) || forgotten {
                    continue;
                }
                list.push((o, kind, shared));
            }
            signed.objects.insert(body.func, list);
        }
        self.signed = signed;
    }

    /// Whether it is an address, and not null.
    fn is_not_null(&self, o: ObjectId) -> bool {
        let object = &self.s.objects[o.index()];
        matches!(object.reach, Reach::Address(b) if matches!(
            self.s.objects[b.index()].reach, Reach::Var | Reach::Field(_)))
    }

    /// Whether an argument's sign is known from what is written.
    fn gives_constant(&self, caller: &Body, call: &Call, i: usize) -> bool {
        let data = call.arg_data.get(i).copied().flatten();
        if data.is_some_and(|d| matches!(source(caller, d), Source::Known)) {
            return true;
        }
        let value = call.arg_values.get(i).copied().flatten();
        value.is_some_and(|o| self.is_not_null(o) || self.is_array(caller, o))
    }

    fn is_array(&self, body: &Body, o: ObjectId) -> bool {
        let object = &self.s.objects[o.index()];
        // `p->a` may be all there is at address 0 only if `p` is null.
        object.array && object.reach == Reach::Var && !body.params.contains(&Some(o))
    }

    /// Declares the variables of a function's signs.
    pub(super) fn declare_signs(
        &mut self,
        proc: ir::ProcId,
        g: FuncId,
    ) -> (BTreeMap<ObjectId, Sign>, Option<Sign>) {
        let mut signs = BTreeMap::new();
        for (o, kind, shared) in self.signed.objects.get(&g).cloned().unwrap_or_default() {
            let negative =
                kind.is_signed().then(|| self.b.hidden_local(proc, "(negative)", Type::BOOL));
            let low = self.b.hidden_local(proc, "(sign)", Type::BOOL);
            signs.insert(o, Sign { kind, negative, low, shared });
        }
        let result = self.signed.results.get(&g).copied().map(|kind| {
            let negative =
                kind.is_signed().then(|| self.b.result(proc, "(result negative)", Type::BOOL));
            let low = self.b.result(proc, "(result sign)", Type::BOOL);
            Sign { kind, negative, low, shared: false }
        });
        (signs, result)
    }

    fn sign_of_object(&mut self, func: FuncId, o: ObjectId) -> Option<(Kind, Known)> {
        let sign = *self.frames.get(&func)?.signs.get(&o)?;
        Some((sign.kind, self.sign_now(sign)))
    }

    fn sign_now(&mut self, sign: Sign) -> Known {
        let low = Some(self.b.exprs.pre(sign.low));
        let negative = Some(sign.negative.map_or(Exprs::FALSE, |v| self.b.exprs.pre(v)));
        Known { negative, low }
    }

    /// The sign of a value, as one of a kind.
    fn sign_of(&mut self, body: &Body, d: DataId, to: Kind) -> Known {
        let model = &self.s.model;
        match body.data[d as usize] {
            Data::Int(v) => {
                let from = body.scalars[d as usize];
                from.and_then(|from| to.constant(v, from, model)).map_or(OPEN, exactly)
            }
            Data::Object(o) => self.sign_of_known(body, o, to),
            // What is converted first, and then once more.
            Data::As(_, a) | Data::Convert(_, a) => {
                let Some(kind) = Kind::of(body.scalars[d as usize]) else { return OPEN };
                let inner = body.data[a as usize];
                match (inner, body.scalars[a as usize]) {
                    (Data::Int(v), Some(from)) => {
                        let value = Value::of(from, i128::from(v), model);
                        let value = value.and_then(|v| v.convert(kind.0, model));
                        let number = value.and_then(|v| i64::try_from(v.number()).ok());
                        number.and_then(|v| to.constant(v, kind.0, model)).map_or(OPEN, exactly)
                    }
                    (Data::Object(q), _) if kind.fits(to, model) => {
                        self.sign_of_known(body, q, kind)
                    }
                    _ => OPEN,
                }
            }
            Data::Not(_) => Known { negative: Some(Exprs::FALSE), low: None },
            Data::Binary(op, ..) if is_truth(op) => {
                Known { negative: Some(Exprs::FALSE), low: None }
            }
            _ => OPEN,
        }
    }

    fn sign_of_known(&mut self, body: &Body, o: ObjectId, to: Kind) -> Known {
        if to.0 == Scalar::Pointer && (self.is_not_null(o) || self.is_array(body, o)) {
            return exactly(POSITIVE);
        }
        match self.sign_of_object(body.func, o) {
            Some((kind, value)) if kind.fits(to, &self.s.model) => value,
            _ => OPEN,
        }
    }

    /// The assignments that give a sign.
    fn signing(sign: Sign, value: Known) -> impl Iterator<Item = (VarId, Option<ExprId>)> {
        let negative = sign.negative.map(|var| (var, value.negative));
        negative.into_iter().chain([(sign.low, value.low)])
    }

    /// Any of these signs.
    fn among(&mut self, choices: &mut u32, signs: u8) -> Known {
        let fixed = |f: fn(&(u8, bool, bool)) -> bool| {
            let mut bits = BITS.iter().filter(|(s, ..)| s & signs != 0).map(f);
            let first = bits.next()?;
            bits.all(|b| b == first).then_some(first)
        };
        let (negative, low) = (fixed(|b| b.1), fixed(|b| b.2));
        let bit = |b: bool| if b { Exprs::TRUE } else { Exprs::FALSE };
        let some = Known { negative: negative.map(bit), low: low.map(bit) };
        let free = usize::from(negative.is_none()) + usize::from(low.is_none());
        if signs.count_ones() as usize == 1 << free {
            return some;
        }
        // One after the other, if not an earlier one.
        let mut out = (Exprs::FALSE, Exprs::FALSE);
        let mut rest = Exprs::TRUE;
        let list: Vec<(u8, bool, bool)> =
            BITS.iter().copied().filter(|(s, ..)| s & signs != 0).collect();
        for (i, &(_, negative, low)) in list.iter().enumerate() {
            let exprs = &mut self.b.exprs;
            let mut here = rest;
            if i + 1 < list.len() {
                let choice = exprs.choice(*choices);
                *choices += 1;
                here = exprs.and(rest, choice);
                let not = exprs.not(choice);
                rest = exprs.and(rest, not);
            }
            if negative {
                out.0 = exprs.or(out.0, here);
            }
            if low {
                out.1 = exprs.or(out.1, here);
            }
        }
        Known { negative: Some(out.0), low: Some(out.1) }
    }

    /// SG1 and SG5, for what a point does, without the result of its call.
    pub(super) fn sign_act(&mut self, act: &mut Act, at: At, callee: Option<Callee>) {
        let s = self.s;
        let body = &s.bodies[at.body as usize];
        let point = &body.points[at.point as usize];
        if self.frames[&body.func].signs.is_empty() {
            return;
        }
        let mut assigned: Vec<ObjectId> = Vec::new();
        for event in &point.events {
            if let Event::Assign(o) | Event::Modify(o) = *event
                && !assigned.contains(&o)
            {
                assigned.push(o);
            }
        }
        for &o in &assigned {
            let Some(&sign) = self.frames[&body.func].signs.get(&o) else { continue };
            let value = match self.counted(body, point, o, sign, &mut act.choices) {
                Some(value) => value,
                None => self.assigned_sign(body, point, o, sign.kind),
            };
            act.other.extend(Self::signing(sign, value));
        }
        let changed = self.effects.changed(s, body, at.point as usize, callee, callee.is_some());
        for (&o, &sign) in &self.frames[&body.func].signs {
            let touched = || assigned.iter().any(|a| self.overlap(*a, o));
            if sign.shared && !assigned.contains(&o) && (touched() || changed.may_be(s, o)) {
                act.other.extend(Self::signing(sign, OPEN));
            }
        }
    }

    /// Whether an assignment to one object may change another, which is not the same (SG5).
    fn overlap(&self, assigned: ObjectId, o: ObjectId) -> bool {
        let (to, in_union) = self.chain(o);
        let (from, union) = self.chain(assigned);
        to.contains(&assigned)
            || from.contains(&o)
            || (union || in_union) && to.last() == from.last()
    }

    /// What an object is reached through, itself first; whether a member of a union is among it.
    fn chain(&self, mut o: ObjectId) -> (Vec<ObjectId>, bool) {
        let (mut out, mut union) = (vec![o], false);
        loop {
            let object = &self.s.objects[o.index()];
            union |= object.overlaps;
            o = match object.reach {
                Reach::Var => return (out, union),
                Reach::Field(b) | Reach::Cell(b) | Reach::Address(b) => b,
                Reach::Arrow(b) | Reach::Deref(b) => b,
            };
            out.push(o);
        }
    }

    /// SG6: the sign of what is counted on.
    fn counted(
        &mut self,
        body: &Body,
        point: &Point,
        o: ObjectId,
        sign: Sign,
        choices: &mut u32,
    ) -> Option<Known> {
        let wide = match sign.kind.0 {
            Scalar::Int(int) => int.bits >= 64 || int.signed && int.bits >= 32,
            _ => false,
        };
        let plain = |mut d: DataId| {
            while let Data::Convert(_, a) | Data::As(_, a) = body.data[d as usize] {
                d = a;
            }
            body.data[d as usize]
        };
        let (_, value) = point.values.iter().find(|(to, _)| *to == o)?;
        let Data::Binary(Binary::Add, a, b) = plain((*value)?) else { return None };
        let counts = match (plain(a), plain(b)) {
            (Data::Object(x), Data::Int(n)) | (Data::Int(n), Data::Object(x)) => x == o && n > 0,
            _ => false,
        };
        if !wide || !counts {
            return None;
        }
        let negative = self.sign_now(sign).negative.unwrap_or(Exprs::FALSE);
        let not = self.b.exprs.not(negative);
        Some(self.if_chosen(choices, not, exactly(POSITIVE)))
    }

    fn assigned_sign(&mut self, body: &Body, point: &Point, o: ObjectId, kind: Kind) -> Known {
        if let Some((_, Some(d))) = point.values.iter().find(|(to, _)| *to == o) {
            let value = self.sign_of(body, *d, kind);
            if value != OPEN {
                return value;
            }
        }
        let modified = point.events.contains(&Event::Modify(o));
        let copy = point.events.iter().chain(&point.hidden).find_map(|e| match *e {
            Event::Copy(to, from) if to == o => Some(from),
            _ => None,
        });
        // What is copied may be new itself: `y = ++x`.
        let new = |from: &ObjectId| {
            let assigns = |e: &Event| matches!(e, Event::Assign(a) | Event::Modify(a) if a == from);
            point.events.iter().any(assigns)
        };
        match copy.filter(|from| !modified && !new(from)) {
            Some(from) => self.sign_of_known(body, from, kind),
            None => OPEN,
        }
    }

    /// SG3: the sign of the result of a call that is not entered.
    pub(super) fn sign_result(
        &mut self,
        act: &mut Act,
        func: FuncId,
        call: &Call,
        target: Option<FuncId>,
        fails: Option<bool>,
    ) {
        let Some(o) = call.result.or(call.temporary) else { return };
        for (&other, &sign) in &self.frames[&func].signs {
            if other != o && sign.shared && self.overlap(o, other) {
                act.other.extend(Self::signing(sign, OPEN));
            }
        }
        let Some(&sign) = self.frames[&func].signs.get(&o) else { return };
        let mut choices = act.choices;
        let returned = target.and_then(|g| self.f.returned(g));
        let from = returned.and_then(|n| call.arg_values.get(n).copied().flatten());
        let value =
            if let (Some(fails), Some((c, k))) = (fails, target.and_then(|g| self.fallible(g))) {
                let c = if fails { c } else { c.negated() };
                self.among(&mut choices, passing(c, k) & sign.kind.all())
            } else if let Some(body) = from.and_then(|_| self.s.body(func)) {
                from.map_or(OPEN, |from| self.sign_of_known(body, from, sign.kind))
            } else {
                let path = self.paths.object(self.s, o);
                let chosen = path.and_then(|p| act.set.get(&p).copied()).unwrap_or(Exprs::FALSE);
                match self.rule.assume {
                    Some((c, k)) if chosen != Exprs::FALSE => {
                        let as_assumed = self.among(&mut choices, passing(c, k) & sign.kind.all());
                        self.if_chosen(&mut choices, chosen, as_assumed)
                    }
                    _ => OPEN,
                }
            };
        act.choices = choices;
        act.other.extend(Self::signing(sign, value));
    }

    /// The sign where a value is chosen, and any where not.
    fn if_chosen(&mut self, choices: &mut u32, chosen: ExprId, value: Known) -> Known {
        let mut bit = |this: &mut Self, value: Option<ExprId>| {
            value.map(|value| {
                let any = this.b.exprs.choice(*choices);
                *choices += 1;
                this.b.exprs.add(Expr::Ite(chosen, value, any))
            })
        };
        let negative = bit(self, value.negative);
        let low = bit(self, value.low);
        Known { negative, low }
    }

    /// SG2: the sign of what a point returns.
    pub(super) fn sign_returned(
        &mut self,
        body: &Body,
        point: &Point,
    ) -> Vec<(VarId, Option<ExprId>)> {
        let Some(sign) = self.frames[&body.func].returns else { return Vec::new() };
        let mut value = point.returned.map_or(OPEN, |d| self.sign_of(body, d, sign.kind));
        if value == OPEN {
            let of = point.events.iter().chain(&point.hidden).find_map(|e| match *e {
                Event::ReturnOf(o) => Some(o),
                _ => None,
            });
            value = of.map_or(OPEN, |o| self.sign_of_known(body, o, sign.kind));
        }
        Self::signing(sign, value).collect()
    }

    /// SG2: the signs of parameters where a call enters.
    pub(super) fn signs_entered(
        &mut self,
        caller: &Body,
        call: &Call,
        callee: &Body,
    ) -> Vec<(VarId, Option<ExprId>)> {
        let mut out = Vec::new();
        for (i, param) in callee.params.iter().enumerate() {
            let Some(param) = param else { continue };
            let Some(&sign) = self.frames[&callee.func].signs.get(param) else { continue };
            let data = call.arg_data.get(i).copied().flatten();
            let mut value = data.map_or(OPEN, |d| self.sign_of(caller, d, sign.kind));
            if value == OPEN
                && let Some(o) = call.arg_values.get(i).copied().flatten()
            {
                value = self.sign_of_known(caller, o, sign.kind);
            }
            out.extend(Self::signing(sign, value));
        }
        let globals: Vec<(Sign, Sign)> = (self.frames[&callee.func].signs.iter())
            .filter(|(o, _)| is_global(self.s, **o))
            .filter_map(|(o, sign)| Some((*sign, *self.frames[&caller.func].signs.get(o)?)))
            .collect();
        for (sign, before) in globals {
            let value = self.sign_now(before);
            out.extend(Self::signing(sign, value));
        }
        out
    }

    /// SG2 and SG5: signs where a call comes back.
    pub(super) fn signs_back(
        &mut self,
        at: At,
        call: &Call,
        g: FuncId,
    ) -> Vec<(VarId, Option<ExprId>)> {
        let s = self.s;
        let body = &s.bodies[at.body as usize];
        let func = body.func;
        let called = Some(Callee::Known(g));
        let changed = self.effects.changed(s, body, at.point as usize, called, true);
        let target = call.result.or(call.temporary);
        let mut out = Vec::new();
        for (&o, &sign) in &self.frames[&func].signs {
            if Some(o) != target {
                let touched = || target.is_some_and(|t| self.overlap(t, o));
                if sign.shared && (touched() || changed.may_be(s, o)) {
                    out.extend(Self::signing(sign, OPEN));
                }
                continue;
            }
            let result = self.frames[&g].returns;
            let value = match result.filter(|r| r.kind.fits(sign.kind, &self.s.model)) {
                Some(result) => {
                    let exprs = &mut self.b.exprs;
                    let low = Some(exprs.pre(result.low));
                    let negative = result.negative.map_or(Exprs::FALSE, |v| exprs.pre(v));
                    Known { negative: Some(negative), low }
                }
                None => OPEN,
            };
            out.extend(Self::signing(sign, value));
        }
        out
    }

    /// Any sign, for what a frame that is left by a jump returns.
    pub(super) fn sign_left(&self, func: FuncId) -> Vec<(VarId, Option<ExprId>)> {
        self.frames[&func].returns.into_iter().flat_map(|r| Self::signing(r, OPEN)).collect()
    }

    /// SG4: when a test can be passed.
    pub(super) fn sign_test(
        &mut self,
        func: FuncId,
        o: ObjectId,
        relation: Comparison,
        c: i64,
    ) -> ExprId {
        let Some(&sign) = self.frames[&func].signs.get(&o) else { return Exprs::TRUE };
        // What has no sign is compared as such.
        if !sign.kind.is_signed() && c < 0 {
            return Exprs::TRUE;
        }
        let passing = passing(relation, c) & sign.kind.all();
        if passing == sign.kind.all() {
            return Exprs::TRUE;
        }
        let Known { negative, low } = self.sign_now(sign);
        let (negative, low) = (negative.unwrap_or(Exprs::FALSE), low.unwrap_or(Exprs::FALSE));
        let mut out = Exprs::FALSE;
        for &(_, n, l) in BITS.iter().filter(|(s, ..)| s & passing != 0) {
            let exprs = &mut self.b.exprs;
            let n = if n { negative } else { exprs.not(negative) };
            let l = if l { low } else { exprs.not(low) };
            let both = exprs.and(n, l);
            out = exprs.or(out, both);
        }
        out
    }

    /// After a jump: any sign, and for the result of the `setjmp` one that is not zero.
    pub(super) fn signs_after_jump(
        &mut self,
        func: FuncId,
        result: Option<ObjectId>,
        choices: &mut u32,
    ) -> Vec<(VarId, Option<ExprId>)> {
        let signs: Vec<(ObjectId, Sign)> =
            self.frames[&func].signs.iter().map(|(o, sign)| (*o, *sign)).collect();
        let mut out = Vec::new();
        for (o, sign) in signs {
            let value = match result == Some(o) {
                true => self.among(choices, sign.kind.all() & !ZERO),
                false => OPEN,
            };
            out.extend(Self::signing(sign, value));
        }
        out
    }

    /// Whether signs tell all that a condition does.
    pub(super) fn is_sign(
        &self,
        body: &Body,
        signs: &BTreeMap<ObjectId, Sign>,
        condition: &Condition,
        tests: &dyn Fn(DataId) -> bool,
    ) -> bool {
        let Says::True(data) = condition.says else { return false };
        let (o, relation, c) = match body.data[data as usize] {
            Data::Object(o) => (o, Comparison::Ne, 0),
            Data::Binary(op, a, b) => {
                let (Data::Object(o), Data::Int(c)) =
                    (body.data[a as usize], body.data[b as usize])
                else {
                    return false;
                };
                let relation = match op {
                    Binary::Eq => Comparison::Eq,
                    Binary::Ne => Comparison::Ne,
                    Binary::Lt => Comparison::Lt,
                    Binary::Le => Comparison::Le,
                    Binary::Gt => Comparison::Gt,
                    Binary::Ge => Comparison::Ge,
                    _ => return false,
                };
                (o, relation, c)
            }
            _ => return false,
        };
        let Some(sign) = signs.get(&o) else { return false };
        let (yes, no) = (passing(relation, c), passing(relation.negated(), c));
        if sign.shared || yes & no & sign.kind.all() != 0 || (!sign.kind.is_signed() && c < 0) {
            return false;
        }
        body.points.iter().all(|point| {
            // Counting is left to the condition.
            let computed = |(to, value): &(ObjectId, Option<DataId>)| {
                *to == o && value.is_some_and(|d| matches!(source(body, d), Source::Open))
            };
            if point.events.contains(&Event::Modify(o)) || point.values.iter().any(computed) {
                return false;
            }
            let Flow::Branch(arms) = &point.flow else { return true };
            arms.iter().all(|arm| match &arm.when {
                Some(When::True(d) | When::False(d)) if tests(*d) => {
                    let tested = |e: &Event| matches!(e, Event::Test(t, ..) if *t == o);
                    arm.events.iter().chain(&arm.hidden).any(tested)
                }
                _ => true,
            })
        })
    }
}

/// Objects in the order in which a body mentions them: parameters, what is assigned, results.
fn mentioned(body: &Body) -> impl Iterator<Item = ObjectId> {
    let params = body.params.iter().flatten().copied();
    let points = body.points.iter().flat_map(|point| {
        let values = point.values.iter().map(|(o, _)| *o);
        let events = point.events.iter().filter_map(|e| match *e {
            Event::Assign(o) | Event::Modify(o) => Some(o),
            _ => None,
        });
        let result = match &point.flow {
            Flow::Call(call) => call.result.or(call.temporary),
            _ => None,
        };
        values.chain(events).chain(result)
    });
    params.chain(points)
}

/// Whether it is a variable that all functions see.
fn is_global(s: &Skeleton, o: ObjectId) -> bool {
    let object = &s.objects[o.index()];
    object.reach == Reach::Var && !object.automatic
}

/// Variables that all functions see, and that a body tests.
fn tested_globals<'a>(s: &'a Skeleton, body: &'a Body) -> impl Iterator<Item = ObjectId> + 'a {
    let arms = body.points.iter().flat_map(|point| match &point.flow {
        Flow::Branch(arms) => &arms[..],
        _ => &[],
    });
    let tests = arms.flat_map(|arm| &arm.events).filter_map(|e| match *e {
        Event::Test(o, ..) => Some(o),
        _ => None,
    });
    tests.filter(|o| is_global(s, *o))
}

/// What flows lead to.
fn closure(size: usize, flows: &[(u32, u32)], mut todo: Vec<u32>) -> Vec<bool> {
    let mut next: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for &(from, to) in flows {
        next.entry(from).or_default().push(to);
    }
    let mut out = vec![false; size];
    while let Some(n) = todo.pop() {
        if !std::mem::replace(&mut out[n as usize], true) {
            todo.extend(next.get(&n).into_iter().flatten().copied());
        }
    }
    out
}

/// The comparison that a test makes.
pub(super) fn comparison(relation: Relation) -> Comparison {
    match relation {
        Relation::Eq => Comparison::Eq,
        Relation::Ne => Comparison::Ne,
        Relation::Lt => Comparison::Lt,
        Relation::Le => Comparison::Le,
        Relation::Gt => Comparison::Gt,
        Relation::Ge => Comparison::Ge,
    }
}
