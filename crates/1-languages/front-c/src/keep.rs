//! Variables whose values are kept ([`Keep`]): exact as long as they fit, open otherwise.
//!
//! - V1. A kept variable is a number of so many bits. If its type has no other values, that is all; a
//!   type with a sign is then kept as its bits. Otherwise a hidden bit says that its value is *open*: not
//!   among the numbers that fit, or not known.
//! - V2. A value is a number and a condition under which it is certain: no open variable in it, no
//!   overflow of a signed type, no division by zero. Everything else is computed as C computes it.
//! - V3. A test is passed if it is not certain, or if its number passes it.
//! - V4. What is assigned where it is not certain may be anything that the variable can be.
//! - V5. A call of what is not entered makes arbitrary what it may change: what has its address taken or is seen by
//!   other units, and what a function that is an event only, and has a body, assigns by name.
//!   In a program that starts with `main` and calls nothing that is not known, nobody else sees a variable whose address
//!   is not taken; an assembler's code that may write anything does.
//! - V6. Variables begin as they are initialised where the program starts with `main`. What others call, they call
//!   with anything, and after anything.
//!
//! - V7. What a function gives back to a kept variable is kept on the way: a number and whether it is certain, of the
//!   function's type, from each `return` to the call. Not where control may leave calls in other ways.
//!
//! They are parts of the skeleton's program ([`lower`](crate::lower)) and of products with rules about values alike.

use crate::conditions::{Callee, Effects};
use crate::library::{Library, ends_the_program, is_failed_assertion};
use crate::objects::{FuncId, Object, ObjectId, Reach};
use crate::skeleton::{Body, Call, Data, DataId, Doing, Event, Flow, Skeleton, When};
use crate::tree::Binary;
use crate::typing::Ty;
use crate::{Keep, LowerError};
use c_types::{Int, Model, Scalar};
use ir::{Assign, BinaryOp, Expr, ExprId, Exprs, ProcId, ProgramBuilder, Rel, Time, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Wider values are not followed.
const MAX_BITS: u32 = 60;

/// A variable that is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Its number.
    var: VarId,
    bits: u32,
    /// The number is the bits of a type with a sign.
    signed: bool,
    /// Set where the value is not the number; none if that cannot be.
    open: Option<VarId>,
}

/// What a function gives back. V7.
#[derive(Clone, Copy, Debug)]
struct KeptResult {
    var: VarId,
    /// Set where it is not known.
    open: VarId,
    /// The type.
    gives: Scalar,
}

/// A value (V2): it is certain under the condition, and then in the range.
#[derive(Clone, Copy, Debug)]
struct Number {
    e: ExprId,
    certain: ExprId,
    least: i128,
    most: i128,
}

/// A truth value, likewise.
#[derive(Clone, Copy, Debug)]
struct Truth {
    e: ExprId,
    certain: ExprId,
}

impl Number {
    fn of(e: ExprId, certain: ExprId, int: Int) -> Number {
        Number { e, certain, least: int.min(), most: int.max() }
    }
    fn inside(&self, int: Int) -> bool {
        int.min() <= self.least && self.most <= int.max()
    }
    fn followed(self) -> Option<Number> {
        let most = 1i128 << MAX_BITS;
        (-most <= self.least && self.most <= most).then_some(self)
    }
}

/// The variables of a program that are kept.
#[derive(Clone, Debug, Default)]
pub struct KeptVariables {
    all: FxHashMap<ObjectId, Kept>,
    /// In the order in which they are declared.
    order: Vec<ObjectId>,
    /// V7.
    results: FxHashMap<FuncId, KeptResult>,
    /// Nobody else sees variables whose address is not taken (V5).
    closed: bool,
}

/// The values of a body over kept variables, each as a number and as a truth value.
#[derive(Clone, Debug, Default)]
pub struct KeptValues {
    numbers: Vec<Option<Number>>,
    truths: Vec<Option<Truth>>,
}

impl KeptValues {
    fn number(&self, d: DataId) -> Option<Number> {
        self.numbers.get(d as usize).copied().flatten()
    }

    /// When a way out of a branch is taken, as far as kept values tell (V3).
    pub fn passes(&self, exprs: &mut Exprs, when: &When) -> ExprId {
        let (test, certain) = match when {
            When::True(d) | When::False(d) => {
                let Some(truth) = self.truths.get(*d as usize).copied().flatten() else {
                    return Exprs::TRUE;
                };
                let yes = matches!(when, When::True(_));
                let e = if yes { truth.e } else { exprs.not(truth.e) };
                (e, truth.certain)
            }
            When::Case(d, low, high) => {
                let Some(value) = self.number(*d) else { return Exprs::TRUE };
                (between(exprs, value.e, *low, *high), value.certain)
            }
            When::Default(d, ranges) => {
                let Some(value) = self.number(*d) else { return Exprs::TRUE };
                let mut out = Exprs::TRUE;
                for &(low, high) in ranges {
                    let inside = between(exprs, value.e, low, high);
                    let outside = exprs.not(inside);
                    out = exprs.and(out, outside);
                }
                (out, value.certain)
            }
        };
        implies(exprs, certain, test)
    }
}

impl KeptVariables {
    /// Declares those that are wanted, in the procedures that there are; parameters as such with `params`, which
    /// must come before other locals.
    pub fn declare(
        s: &Skeleton,
        keep: &[Keep],
        proc: &dyn Fn(FuncId) -> Option<ProcId>,
        params: bool,
        b: &mut ProgramBuilder,
    ) -> Result<KeptVariables, LowerError> {
        let mut out = KeptVariables::default();
        if keep.is_empty() {
            return Ok(out);
        }
        let mut wanted: Vec<(ObjectId, u32, bool)> = Vec::new();
        for Keep { var: name, bits, exact } in keep.iter().cloned() {
            if !(1..=32).contains(&bits) {
                return Err(LowerError::BadWidth { name, bits });
            }
            let mut found = false;
            for (i, object) in s.objects.iter().enumerate() {
                let id = ObjectId(i as u32);
                if object.reach != Reach::Var {
                    continue;
                }
                // A plain name is the global, or any local of that name.
                let matches = object.name == name || s.object_name(id) == name;
                if matches && !wanted.iter().any(|(o, ..)| *o == id) {
                    wanted.push((id, bits, exact));
                }
                found |= matches;
            }
            if !found {
                return Err(LowerError::NoVariable { name });
            }
        }
        wanted.sort_unstable();
        let effects = Effects::new(s, false, &|_| false);
        for &(o, ..) in &wanted {
            if effects.changes_by_itself(s, o) {
                return Err(LowerError::Volatile { name: s.object_name(o) });
            }
        }
        // Parameters come first among the locals of a procedure.
        let is_param = |o: ObjectId| s.bodies.iter().any(|b| b.params.contains(&Some(o)));
        for pass in [true, false] {
            for &(o, bits, exact) in wanted.iter().filter(|(o, ..)| is_param(*o) == pass) {
                out.declare_one(s, (o, bits, exact), pass && params, proc, b)?;
            }
        }
        for &(o, ..) in &wanted {
            out.open_bit(s, o, proc, b);
        }
        Ok(out)
    }

    fn declare_one(
        &mut self,
        s: &Skeleton,
        (o, bits, exact): (ObjectId, u32, bool),
        param: bool,
        proc: &dyn Fn(FuncId) -> Option<ProcId>,
        b: &mut ProgramBuilder,
    ) -> Result<(), LowerError> {
        let object = &s.objects[o.index()];
        let name = s.object_name(o);
        let int = match object.scalar {
            Some(Scalar::Float(_) | Scalar::Pointer) | None => {
                return Err(LowerError::NoInteger { name });
            }
            Some(scalar) => scalar.int(&s.model).ok_or(LowerError::NoInteger { name })?,
        };
        let width = u32::from(int.bits);
        let whole = bits >= width || exact;
        if exact && width > 32 {
            return Err(LowerError::TooWide { name: s.object_name(o), bits: width });
        }
        let bits = if whole { width } else { bits };
        let at = b.no_origin();
        let ty = Type::int(bits);
        let var = match object.owner.filter(|_| object.automatic) {
            None => b.global(&s.object_name(o), ty, at),
            Some(f) => match proc(f) {
                Some(proc) if param => b.param(proc, &object.name, ty, at),
                Some(proc) => b.local(proc, &object.name, ty, at),
                None => return Ok(()),
            },
        };
        if whole && int.signed {
            b.set_signed(var);
        }
        let kept = Kept { var, bits, signed: whole && int.signed, open: None };
        self.all.insert(o, kept);
        self.order.push(o);
        Ok(())
    }

    /// Declares the hidden bit of a variable that has values which do not fit. Not before all
    /// parameters are declared.
    fn open_bit(
        &mut self,
        s: &Skeleton,
        o: ObjectId,
        proc: &dyn Fn(FuncId) -> Option<ProcId>,
        b: &mut ProgramBuilder,
    ) {
        let Some(kept) = self.all.get(&o).copied() else { return };
        let object = &s.objects[o.index()];
        let width = object.scalar.and_then(|t| t.int(&s.model)).map_or(0, |i| u32::from(i.bits));
        if kept.bits >= width {
            return;
        }
        let name = format!("({} is open)", object.name);
        let open = match object.owner.filter(|_| object.automatic) {
            None => b.hidden_global(&name, Type::BOOL),
            Some(f) => match proc(f) {
                Some(proc) => b.hidden_local(proc, &name, Type::BOOL),
                None => return,
            },
        };
        self.all.insert(o, Kept { open: Some(open), ..kept });
    }

    /// V5: that the program starts with `main`, and nothing is called that is not known.
    pub(crate) fn close(&mut self, s: &Skeleton, is_entered: &dyn Fn(FuncId) -> bool) {
        let known = |f: &FuncId| {
            let func = &s.funcs[f.index()];
            is_entered(*f)
                || s.body(*f).is_none()
                    && (s.library(*f).is_some()
                        || is_failed_assertion(&func.name)
                        || ends_the_program(&func.name))
        };
        let mut seen: FxHashSet<FuncId> = FxHashSet::default();
        let mut todo: Vec<FuncId> = s.func_named("main").into_iter().collect();
        todo.extend((0..s.funcs.len()).map(|i| FuncId(i as u32)).filter(|f| {
            let func = &s.funcs[f.index()];
            func.by_itself || func.weak || func.twice
        }));
        let mut closed = !self.is_empty() && !s.assembler;
        while let Some(f) = todo.pop() {
            if !closed || !seen.insert(f) {
                continue;
            }
            for point in s.body(f).into_iter().flat_map(|body| &body.points) {
                let Flow::Call(call) = &point.flow else { continue };
                closed &= !call.open && call.targets.iter().all(known);
                todo.extend(&call.targets);
            }
        }
        self.closed = closed;
    }

    /// V7: declares what functions give back to variables that are kept.
    pub(crate) fn declare_results(
        &mut self,
        s: &Skeleton,
        proc: &dyn Fn(FuncId) -> Option<ProcId>,
        b: &mut ProgramBuilder,
    ) {
        for point in s.bodies.iter().flat_map(|body| &body.points) {
            let Flow::Call(call) = &point.flow else { continue };
            let (Some(o), Some(gives)) = (call.result, call.gives) else { continue };
            let Some(int) = gives.int(&s.model).filter(|int| int.bits <= 32) else { continue };
            if !self.all.contains_key(&o) || matches!(gives, Scalar::Float(_) | Scalar::Pointer) {
                continue;
            }
            for &f in &call.targets {
                let Some(proc) = proc(f).filter(|_| !self.results.contains_key(&f)) else {
                    continue;
                };
                let func = &s.funcs[f.index()];
                if func.result != Some(gives) || func.name == "main" {
                    continue;
                }
                let var = b.result(proc, "(result)", Type::int(u32::from(int.bits)));
                let open = b.result(proc, "(result is open)", Type::BOOL);
                self.results.insert(f, KeptResult { var, open, gives });
            }
        }
    }

    /// What a `return` gives back. V7.
    pub(crate) fn give(
        &self,
        s: &Skeleton,
        exprs: &mut Exprs,
        values: &KeptValues,
        (f, returned): (FuncId, Option<DataId>),
    ) -> Rel {
        let mut rel = Rel::identity();
        let Some(&KeptResult { var, open, gives }) = self.results.get(&f) else { return rel };
        let value = returned.and_then(|d| values.number(d));
        let value = value.and_then(|v| convert(exprs, v, gives, &s.model));
        let Some(value) = value else {
            push(&mut rel, open, Some(Exprs::TRUE));
            return rel;
        };
        let bits = gives.int(&s.model).map_or(32, |int| u32::from(int.bits));
        let number = cut(exprs, value.e, bits);
        let not = exprs.not(value.certain);
        push(&mut rel, var, Some(number));
        push(&mut rel, open, Some(not));
        rel
    }

    /// The variable that a call gives a value that is kept on the way, whatever is called. V7.
    pub(crate) fn given(&self, s: &Skeleton, call: &Call) -> Option<ObjectId> {
        let o = call.result.filter(|o| self.all.contains_key(o))?;
        let gives = call.gives?;
        let kept = |f: &FuncId| {
            s.funcs[f.index()].noreturn || self.results.get(f).is_some_and(|r| r.gives == gives)
        };
        call.targets.iter().all(|f| s.body(*f).is_none() || kept(f)).then_some(o)
    }

    /// Gives it that where a call comes back. V7.
    fn take(&self, s: &Skeleton, exprs: &mut Exprs, (o, f): (ObjectId, FuncId), rel: &mut Rel) {
        let Some(&KeptResult { var, open, gives }) = self.results.get(&f) else { return };
        let Some(int) = gives.int(&s.model) else { return self.any(rel, o) };
        let open = exprs.pre(open);
        let certain = exprs.not(open);
        let raw = exprs.pre(var);
        let e = if int.signed { sign(exprs, raw, u32::from(int.bits)) } else { raw };
        let held = s.objects[o.index()].scalar;
        let value = Number::of(e, certain, int);
        let value = held.and_then(|ty| convert(exprs, value, ty, &s.model));
        self.assign(exprs, rel, o, value);
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Each with the variable that holds its number.
    pub fn variables(&self) -> impl Iterator<Item = (ObjectId, VarId)> {
        self.order.iter().map(|&o| (o, self.all[&o].var))
    }

    /// Those that a function sees: its own and those that are not automatic.
    fn seen<'a>(&'a self, s: &'a Skeleton, f: FuncId) -> impl Iterator<Item = ObjectId> + 'a {
        self.order.iter().copied().filter(move |o| {
            let object = &s.objects[o.index()];
            !object.automatic || object.owner == Some(f)
        })
    }

    /// Makes a kept variable anything that it can be.
    fn any(&self, rel: &mut Rel, o: ObjectId) {
        let kept = self.all[&o];
        for var in [Some(kept.var), kept.open].into_iter().flatten() {
            let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
            assigns.retain(|a| a.var != var);
            rel.assigns = assigns.into();
            push(rel, var, None);
        }
    }

    /// Makes anything of those that a function sees; with `own`, of its own only.
    pub fn any_of(&self, s: &Skeleton, f: FuncId, own: bool, rel: &mut Rel) {
        for o in self.seen(s, f) {
            if !own || s.objects[o.index()].automatic {
                self.any(rel, o);
            }
        }
    }

    /// Makes anything of those that a function sees and of which that is said.
    pub fn any_where(
        &self,
        s: &Skeleton,
        f: FuncId,
        which: &dyn Fn(ObjectId) -> bool,
        rel: &mut Rel,
    ) {
        for o in self.seen(s, f).filter(|o| which(*o)) {
            // What was said of it, and perhaps of others, is not said any more.
            rel.constraint = Exprs::TRUE;
            self.any(rel, o);
        }
    }

    /// Makes anything of those that are not automatic.
    pub fn any_global(&self, s: &Skeleton, rel: &mut Rel) {
        for &o in self.order.iter().filter(|o| !s.objects[o.index()].automatic) {
            self.any(rel, o);
        }
    }

    /// Assigns a value (V4).
    fn assign(&self, exprs: &mut Exprs, rel: &mut Rel, o: ObjectId, value: Option<Number>) {
        let Some(value) = value else { return self.any(rel, o) };
        let kept = self.all[&o];
        let int = Int::new(kept.bits as u8, kept.signed);
        let (number, fits) = match kept.open {
            // What is assigned was converted to the type, and the type fits.
            None if kept.signed || !value.inside(int) => {
                (cut(exprs, value.e, kept.bits), Exprs::TRUE)
            }
            None => (value.e, Exprs::TRUE),
            Some(_) if value.inside(int) => (value.e, Exprs::TRUE),
            Some(_) => (value.e, between(exprs, value.e, 0, mask(kept.bits))),
        };
        if value.certain == Exprs::TRUE && fits == Exprs::TRUE {
            push(rel, kept.var, Some(number));
            if let Some(open) = kept.open {
                push(rel, open, Some(Exprs::FALSE));
            }
            return;
        }
        self.any(rel, o);
        let certain = exprs.and(value.certain, fits);
        let after = exprs.post(kept.var);
        let mut then = exprs.binary(BinaryOp::Eq, after, number);
        if let Some(open) = kept.open {
            let open = exprs.post(open);
            let closed = exprs.not(open);
            then = exprs.and(then, closed);
            // A number that is certain and does not fit is open.
            let fits_not = exprs.not(fits);
            let elsewhere = exprs.and(value.certain, fits_not);
            let implied = implies(exprs, elsewhere, open);
            rel.constraint = exprs.and(rel.constraint, implied);
        }
        let implied = implies(exprs, certain, then);
        rel.constraint = exprs.and(rel.constraint, implied);
    }

    /// What is so where the program starts with `main` (V6), as a condition over the values before a step.
    pub fn at_start(&self, s: &Skeleton, exprs: &mut Exprs) -> ExprId {
        self.initially(s, exprs, &|exprs, var| exprs.pre(var))
    }

    /// The same over the values after a step.
    pub fn at_start_after(&self, s: &Skeleton, exprs: &mut Exprs) -> ExprId {
        self.initially(s, exprs, &|exprs, var| exprs.post(var))
    }

    fn initially(
        &self,
        s: &Skeleton,
        exprs: &mut Exprs,
        read: &dyn Fn(&mut Exprs, VarId) -> ExprId,
    ) -> ExprId {
        let mut condition = Exprs::TRUE;
        for &o in &self.order {
            let kept = self.all[&o];
            let object = &s.objects[o.index()];
            if object.automatic {
                continue;
            }
            let given = s.initial.iter().rev().find(|(other, _)| *other == o).map(|(_, v)| *v);
            // C starts with zeros; what is only declared here may start with anything.
            let value = match given {
                Some(Some(value)) => value,
                None if object.defined => 0,
                Some(None) | None => continue,
            };
            let fits = kept.open.is_none() || (0..=mask(kept.bits)).contains(&value);
            let mut is = Exprs::TRUE;
            if fits {
                let (var, value) = (read(exprs, kept.var), exprs.int(value & mask(kept.bits)));
                is = exprs.binary(BinaryOp::Eq, var, value);
            }
            if let Some(open) = kept.open {
                let open = read(exprs, open);
                let open = if fits { exprs.not(open) } else { open };
                is = exprs.and(is, open);
            }
            condition = exprs.and(condition, is);
        }
        condition
    }

    /// The values of a body.
    pub fn values(&self, s: &Skeleton, body: &Body, exprs: &mut Exprs) -> KeptValues {
        let mut out = KeptValues::default();
        if self.is_empty() {
            return out;
        }
        let model = &s.model;
        for (i, data) in body.data.iter().enumerate() {
            let ty = body.scalars[i].and_then(|t| t.int(model));
            let number = |d: DataId| out.numbers[d as usize];
            let truth = |d: DataId| out.truths[d as usize];
            let (mut value, mut boolean): (Option<Number>, Option<Truth>) = (None, None);
            match *data {
                Data::Int(v) => {
                    let (least, most) = (i128::from(v), i128::from(v));
                    value = Some(Number { e: exprs.int(v), certain: Exprs::TRUE, least, most });
                }
                Data::Object(o) => value = self.all.get(&o).map(|kept| read(exprs, kept)),
                Data::Minus(a) => {
                    value = number(a).zip(ty).and_then(|(a, ty)| {
                        let zero = exprs.int(0);
                        let e = exprs.binary(BinaryOp::Sub, zero, a.e);
                        computed(exprs, Number { e, least: -a.most, most: -a.least, ..a }, ty)
                    });
                }
                Data::Complement(a) => {
                    value = number(a).zip(ty).and_then(|(a, ty)| {
                        let ones = exprs.int(-1);
                        let e = exprs.binary(BinaryOp::BitXor, a.e, ones);
                        computed(exprs, Number { e, least: !a.most, most: !a.least, ..a }, ty)
                    });
                }
                Data::Not(a) => {
                    boolean = truth(a).map(|a| Truth { e: exprs.not(a.e), certain: a.certain });
                }
                Data::As(o, a) => {
                    let to = s.objects[o.index()].scalar;
                    value = number(a).zip(to).and_then(|(a, to)| convert(exprs, a, to, model));
                }
                Data::Convert(to, a) => {
                    value = number(a).and_then(|a| convert(exprs, a, to, model));
                }
                Data::Conditional(c, a, b) => {
                    if let (Some(c), Some(a), Some(b)) = (truth(c), number(a), number(b)) {
                        let either = exprs.add(Expr::Ite(c.e, a.certain, b.certain));
                        value = Some(Number {
                            e: exprs.add(Expr::Ite(c.e, a.e, b.e)),
                            certain: exprs.and(c.certain, either),
                            least: a.least.min(b.least),
                            most: a.most.max(b.most),
                        });
                    }
                }
                Data::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                    if let (Some(a), Some(b)) = (truth(a), truth(b)) {
                        let e = match op {
                            Binary::And => exprs.and(a.e, b.e),
                            _ => exprs.or(a.e, b.e),
                        };
                        boolean = Some(Truth { e, certain: exprs.and(a.certain, b.certain) });
                    }
                }
                Data::Binary(op, a, b) => {
                    if let (Some(a), Some(b)) = (number(a), number(b)) {
                        match comparison(op) {
                            Some(op) => {
                                let e = exprs.binary(op, a.e, b.e);
                                let certain = exprs.and(a.certain, b.certain);
                                boolean = Some(Truth { e, certain });
                            }
                            None => {
                                let raw = arithmetic(exprs, op, a, b);
                                value = raw.zip(ty).and_then(|(raw, ty)| computed(exprs, raw, ty));
                            }
                        }
                    }
                }
            }
            let value = value.and_then(Number::followed);
            if let (None, Some(truth)) = (value, boolean) {
                let (one, zero) = (exprs.int(1), exprs.int(0));
                let e = exprs.add(Expr::Ite(truth.e, one, zero));
                out.numbers.push(Some(Number { e, certain: truth.certain, least: 0, most: 1 }));
                out.truths.push(boolean);
            } else {
                out.numbers.push(value);
                out.truths.push(value.map(|value| {
                    let zero = exprs.int(0);
                    Truth { e: exprs.binary(BinaryOp::Ne, value.e, zero), certain: value.certain }
                }));
            }
        }
        out
    }

    /// What parameters get where a call enters a function.
    pub fn enter(
        &self,
        s: &Skeleton,
        exprs: &mut Exprs,
        values: &KeptValues,
        call: &Call,
        callee: &Body,
        rel: &mut Rel,
    ) {
        for (i, param) in callee.params.iter().enumerate() {
            let Some(o) = param.filter(|p| self.all.contains_key(p)) else { continue };
            let value = call.arg_data.get(i).copied().flatten().and_then(|d| values.number(d));
            let held = s.objects[o.index()].scalar;
            let value = value.zip(held).and_then(|(v, ty)| convert(exprs, v, ty, &s.model));
            self.assign(exprs, rel, o, value);
        }
    }

    /// What a call of a function with a body changes in the caller's frame: what has its address
    /// taken.
    pub fn back(&self, s: &Skeleton, caller: FuncId, rel: &mut Rel) {
        for o in self.seen(s, caller) {
            let object = &s.objects[o.index()];
            if object.address_taken && object.automatic {
                self.any(rel, o);
            }
        }
    }

    /// The same, and what the call of a function gives back (V7).
    pub(crate) fn back_from(
        &self,
        s: &Skeleton,
        exprs: &mut Exprs,
        (caller, call, callee): (FuncId, &Call, FuncId),
        rel: &mut Rel,
    ) {
        self.back(s, caller, rel);
        if let Some(o) = self.given(s, call) {
            self.take(s, exprs, (o, callee), rel);
        }
    }

    /// What a point does to the kept variables. `called`: a function that is not entered is called there, too.
    pub fn effect(
        &self,
        about: (&Skeleton, &Effects),
        exprs: &mut Exprs,
        values: &KeptValues,
        at: (&Body, usize),
        called: Option<Option<FuncId>>,
    ) -> Rel {
        self.effect_but(about, exprs, values, at, (called, None))
    }

    /// The same, but for a variable that the call gave its value already (V7).
    pub(crate) fn effect_but(
        &self,
        (s, effects): (&Skeleton, &Effects),
        exprs: &mut Exprs,
        values: &KeptValues,
        (body, number): (&Body, usize),
        (called, given): (Option<Option<FuncId>>, Option<ObjectId>),
    ) -> Rel {
        let mut rel = Rel::identity();
        if self.is_empty() {
            return rel;
        }
        let point = &body.points[number];
        let mut done: FxHashSet<ObjectId> = given.into_iter().collect();
        for (o, value) in &point.values {
            if self.all.contains_key(o) && Some(*o) != given {
                let value = value.and_then(|d| values.number(d));
                self.assign(exprs, &mut rel, *o, value);
                done.insert(*o);
            }
        }
        let result_events = match &point.flow {
            Flow::Call(call) => &call.result_events[..],
            _ => &[],
        };
        let events = point.events.iter().chain(result_events);
        // What is known to write nothing that the program can see writes none of these.
        let silent = |f: FuncId| s.body(f).is_none() && s.library(f) == Some(Library::Silent);
        let calls = called.is_some_and(|f| !f.is_some_and(silent));
        let stores = calls || events.clone().any(|e| *e == Event::Store);
        let accesses =
            body.accesses.get(point.accesses.start as usize..point.accesses.end as usize);
        let assembler = accesses
            .into_iter()
            .flatten()
            .any(|a| a.doing == Doing::Write && a.object.is_none() && a.ty == Ty::Unknown);
        let seen = |object: &Object| {
            object.address_taken || object.external && (!self.closed || assembler)
        };
        // V5
        let with_body = called.flatten().filter(|f| s.body(*f).is_some());
        let changed =
            with_body.map(|f| effects.changed(s, body, number, Some(Callee::Known(f)), false));
        for o in self.seen(s, body.func) {
            let object = &s.objects[o.index()];
            // Addresses of another function's locals may have been handed down; their frames are
            // set when the call comes back.
            let hit = (stores && seen(object))
                || events.clone().any(|e| matches!(e, Event::Modify(m) if *m == o))
                || changed.as_ref().is_some_and(|changed| changed.may_be(s, o));
            if hit && done.insert(o) {
                self.any(&mut rel, o);
            }
        }
        rel
    }
}

pub(crate) fn push(rel: &mut Rel, var: VarId, value: Option<ExprId>) {
    let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
    assigns.push(Assign { time: Time::Post, var, index: None, value });
    rel.assigns = assigns.into();
}

/// What a kept variable holds.
fn read(exprs: &mut Exprs, kept: &Kept) -> Number {
    let raw = exprs.pre(kept.var);
    let certain = match kept.open {
        Some(open) => {
            let open = exprs.pre(open);
            exprs.not(open)
        }
        None => Exprs::TRUE,
    };
    let int = Int::new(kept.bits as u8, kept.signed);
    let e = if kept.signed { sign(exprs, raw, kept.bits) } else { raw };
    Number::of(e, certain, int)
}

/// The number whose bits these are, with a sign.
fn sign(exprs: &mut Exprs, raw: ExprId, bits: u32) -> ExprId {
    let (half, all) = (exprs.int(1 << (bits - 1)), exprs.int(1 << bits));
    let negative = exprs.binary(BinaryOp::Ge, raw, half);
    let below = exprs.binary(BinaryOp::Sub, raw, all);
    exprs.add(Expr::Ite(negative, below, raw))
}

fn cut(exprs: &mut Exprs, e: ExprId, bits: u32) -> ExprId {
    let m = exprs.int(mask(bits));
    exprs.binary(BinaryOp::BitAnd, e, m)
}

fn mask(bits: u32) -> i64 {
    (1i64 << bits) - 1
}

fn implies(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    let not = exprs.not(a);
    exprs.or(not, b)
}

fn between(exprs: &mut Exprs, e: ExprId, low: i64, high: i64) -> ExprId {
    let low_value = exprs.int(low);
    if low == high {
        return exprs.binary(BinaryOp::Eq, e, low_value);
    }
    let high_value = exprs.int(high);
    let (a, b) =
        (exprs.binary(BinaryOp::Ge, e, low_value), exprs.binary(BinaryOp::Le, e, high_value));
    exprs.and(a, b)
}

/// A conversion: numbers that the type has not are wrapped.
fn convert(exprs: &mut Exprs, a: Number, to: Scalar, model: &Model) -> Option<Number> {
    if to == Scalar::Bool {
        let (zero, one) = (exprs.int(0), exprs.int(1));
        let truth = exprs.binary(BinaryOp::Ne, a.e, zero);
        let e = exprs.add(Expr::Ite(truth, one, zero));
        return Some(Number { e, certain: a.certain, least: 0, most: 1 });
    }
    wrapped(exprs, a, to.int(model)?)
}

fn wrapped(exprs: &mut Exprs, a: Number, int: Int) -> Option<Number> {
    if a.inside(int) {
        return Some(a);
    }
    let bits = u32::from(int.bits);
    if bits > MAX_BITS {
        return None;
    }
    let low = cut(exprs, a.e, bits);
    let e = if int.signed { sign(exprs, low, bits) } else { low };
    Some(Number::of(e, a.certain, int))
}

/// The result of an operation: it wraps where the type has no sign, and is not certain where one that has
/// does not hold it.
fn computed(exprs: &mut Exprs, raw: Number, ty: Int) -> Option<Number> {
    let raw = raw.followed()?;
    if raw.inside(ty) || !ty.signed {
        return wrapped(exprs, raw, ty);
    }
    let (least, most) = (i64::try_from(ty.min()).ok()?, i64::try_from(ty.max()).ok()?);
    let fits = between(exprs, raw.e, least, most);
    let certain = exprs.and(raw.certain, fits);
    Some(Number::of(raw.e, certain, ty))
}

fn comparison(op: Binary) -> Option<BinaryOp> {
    Some(match op {
        Binary::Lt => BinaryOp::Lt,
        Binary::Gt => BinaryOp::Gt,
        Binary::Le => BinaryOp::Le,
        Binary::Ge => BinaryOp::Ge,
        Binary::Eq => BinaryOp::Eq,
        Binary::Ne => BinaryOp::Ne,
        _ => return None,
    })
}

/// An operation on numbers, before its type cuts the result. None if it is too much to follow.
fn arithmetic(exprs: &mut Exprs, op: Binary, a: Number, b: Number) -> Option<Number> {
    let certain = exprs.and(a.certain, b.certain);
    let natural = a.least >= 0 && b.least >= 0;
    // The least power of two above both.
    let above = |n: i128| if n <= 0 { 1 } else { 1i128 << (128 - n.leading_zeros()) };
    let number = |exprs: &mut Exprs, op: BinaryOp, least: i128, most: i128| {
        Number { e: exprs.binary(op, a.e, b.e), certain, least, most }.followed()
    };
    match op {
        Binary::Add => number(exprs, BinaryOp::Add, a.least + b.least, a.most + b.most),
        Binary::Sub => number(exprs, BinaryOp::Sub, a.least - b.most, a.most - b.least),
        Binary::Mul => {
            let ends = [a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most];
            let (least, most) = (ends.iter().min()?, ends.iter().max()?);
            number(exprs, BinaryOp::Mul, *least, *most)
        }
        Binary::BitAnd if natural => number(exprs, BinaryOp::BitAnd, 0, a.most.min(b.most)),
        Binary::BitAnd if b.least >= 0 => number(exprs, BinaryOp::BitAnd, 0, b.most),
        Binary::BitAnd if a.least >= 0 => number(exprs, BinaryOp::BitAnd, 0, a.most),
        Binary::BitOr if natural => {
            number(exprs, BinaryOp::BitOr, 0, above(a.most.max(b.most)) - 1)
        }
        Binary::BitXor if natural => {
            number(exprs, BinaryOp::BitXor, 0, above(a.most.max(b.most)) - 1)
        }
        Binary::Shl | Binary::Shr => {
            // By a constant; bits without a sign.
            let Expr::Int(by @ 0..32) = exprs[b.e] else { return None };
            if a.least < 0 {
                return None;
            }
            match op {
                Binary::Shr => number(exprs, BinaryOp::Shr, a.least >> by, a.most >> by),
                _ => number(exprs, BinaryOp::Shl, a.least << by, a.most << by),
            }
        }
        Binary::Div | Binary::Rem if natural => {
            let zero = exprs.int(0);
            let one = exprs.int(1);
            let divides = exprs.binary(BinaryOp::Ne, b.e, zero);
            let by = exprs.add(Expr::Ite(divides, b.e, one));
            let certain = exprs.and(certain, divides);
            let quotient = exprs.binary(BinaryOp::Div, a.e, by);
            if op == Binary::Div {
                return Some(Number { e: quotient, certain, least: 0, most: a.most });
            }
            let whole = exprs.binary(BinaryOp::Mul, quotient, by);
            let e = exprs.binary(BinaryOp::Sub, a.e, whole);
            Some(Number { e, certain, least: 0, most: a.most })
        }
        _ => None,
    }
}
