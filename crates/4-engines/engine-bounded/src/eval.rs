//! Expressions, and accesses to memory.

use crate::engine::{Engine, Step, Why};
use crate::float;
use crate::memory::{Cells, Kind, MANY_PLACES, Objects, Target, places};
use crate::state::{State, Unset, Value};
use crate::word::{Circuit, Op2, Word, signed};
use c_data::{BinOp, Check, ExprId, ExprKind, FuncId, LocalId, UnOp};
use c_types::{FloatKind, Ty};
use logic::Lit;
use std::rc::Rc;

/// How values of a type are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Int {
        bits: u32,
        signed: bool,
    },
    F32,
    /// `double`, and `long double` as if it were one; whether it is stored as `long double`.
    F64 {
        extended: bool,
    },
    /// The address of an aggregate.
    Address {
        bits: u32,
    },
    Nothing,
}

impl Class {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Class::Int { bits, .. } | Class::Address { bits } => bits,
            Class::F32 | Class::Nothing => 32,
            Class::F64 { .. } => 64,
        }
    }
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Class::Int { signed: true, .. })
    }
    fn float(self) -> Option<float::Kind> {
        match self {
            Class::F32 => Some(float::Kind::F32),
            Class::F64 { .. } => Some(float::Kind::F64),
            _ => None,
        }
    }
}

/// The expressions below one, operands first.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Each with the positions of its operands.
    steps: Vec<(ExprId, usize, usize)>,
    /// Conversions of pointers whose difference is all that is used.
    quiet: Vec<ExprId>,
}

/// Where addresses of which nothing is known may lead: objects of more bytes are not looked at, when runs are cut.
const MAX_ANYWHERE: u64 = 512;
/// Addresses of so many bits are as good as null.
const NULL_BITS: u32 = 16;

/// Which arbitrary function it is.
const FLOAT_TO_INT: u32 = 100;
const EXTENDED: u32 = 510;

/// Whether a number may be rounded when it is converted.
fn rounds(from: Class, to: Class, word: &Word) -> bool {
    match (from.float(), to.float()) {
        (Some(x), Some(y)) => {
            let exact = |v: u128| float::resized(y, x, float::resized(x, y, v)) == v;
            x != y && x == float::Kind::F64 && !word.value().is_some_and(exact)
        }
        (None, Some(y)) => {
            // The highest bit that counts, and the lowest one.
            let few = |v: u128| {
                let v = if from.is_signed() { signed(from.bits(), v).unsigned_abs() } else { v };
                u128::BITS - v.leading_zeros() <= y.format().fraction + 1 + v.trailing_zeros()
            };
            from.bits() > y.format().fraction + 1 && !word.value().is_some_and(few)
        }
        _ => false,
    }
}

impl Engine<'_> {
    pub(crate) fn class(&self, ty: Ty) -> Class {
        let types = &self.program.types;
        let pointer = u32::from(types.model().pointer);
        match types.kind(ty) {
            c_types::Kind::Void => Class::Nothing,
            c_types::Kind::Float(FloatKind::Float) => Class::F32,
            c_types::Kind::Float(FloatKind::Double) => Class::F64 { extended: false },
            c_types::Kind::Float(FloatKind::LongDouble) => Class::F64 { extended: true },
            c_types::Kind::Pointer(_) => Class::Int { bits: pointer, signed: false },
            c_types::Kind::Bool => Class::Int { bits: 8, signed: false },
            _ => match types.as_int(ty) {
                Some(int) => Class::Int { bits: int.bits.into(), signed: int.signed },
                None => Class::Address { bits: pointer },
            },
        }
    }

    fn plan(&mut self, f: FuncId, root: ExprId) -> Rc<Plan> {
        if let Some(plan) = self.plans.get(&(f, root)) {
            return plan.clone();
        }
        let function = self.function(f);
        let mut plan = Plan::default();
        let mut place = rustc_hash::FxHashMap::default();
        let operands = |e: ExprId| match function.expr(e).kind {
            ExprKind::Load(a) | ExprKind::LoadBits(a, ..) | ExprKind::Unary(_, a) => vec![a],
            ExprKind::Convert(a) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            _ => Vec::new(),
        };
        let mut stack = vec![(root, false)];
        while let Some((e, done)) = stack.pop() {
            if place.contains_key(&e) {
                continue;
            }
            let below = operands(e);
            if !done && !below.is_empty() {
                stack.push((e, true));
                stack.extend(below.iter().rev().map(|&b| (b, false)));
                continue;
            }
            let at = |i: usize| below.get(i).map_or(0, |b| place[b]);
            plan.steps.push((e, at(0), at(1)));
            place.insert(e, plan.steps.len() - 1);
        }
        for &(e, ..) in &plan.steps {
            if let ExprKind::Binary(BinOp::Sub, a, b) = function.expr(e).kind
                && let (Some(x), Some(y)) = (self.pointer_below(f, a), self.pointer_below(f, b))
            {
                plan.quiet.extend([x, y, e]);
            }
            // Whether addresses are equal does not depend on where objects lie.
            if let ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) = function.expr(e).kind {
                let sides = [a, b].map(|side| self.pointer_below(f, side));
                let plain = |side: ExprId| matches!(function.expr(side).kind, ExprKind::Int(0));
                match sides {
                    [Some(x), Some(y)] => plan.quiet.extend([x, y]),
                    [Some(x), None] if plain(b) => plan.quiet.push(x),
                    [None, Some(y)] if plain(a) => plan.quiet.push(y),
                    _ => {}
                }
            }
        }
        let plan = Rc::new(plan);
        self.plans.insert((f, root), plan.clone());
        plan
    }

    /// The innermost conversion of a chain that starts with a pointer and loses nothing of it.
    fn pointer_below(&self, f: FuncId, e: ExprId) -> Option<ExprId> {
        let function = self.function(f);
        let mut e = e;
        loop {
            let ExprKind::Convert(a) = function.expr(e).kind else { return None };
            if self.class(function.expr(e).ty).bits() < self.objects.pointer {
                return None;
            }
            if self.program.types.pointee(function.expr(a).ty).is_some() {
                return Some(e);
            }
            e = a;
        }
    }

    /// The value of an expression; none if no run goes on.
    pub(crate) fn eval(&mut self, state: &mut State, root: ExprId) -> Step<Option<Value>> {
        let f = state.frames[state.frames.len() - 1].function;
        let function = self.function(f);
        // What needs no plan.
        if let ExprKind::Int(n) = function.expr(root).kind {
            let bits = self.class(function.expr(root).ty).bits();
            return Ok(Some(Word::number(bits, n as u128).into()));
        }
        let plan = self.plan(f, root);
        let mut values: Vec<Value> = Vec::with_capacity(plan.steps.len());
        for &(e, a, b) in &plan.steps {
            let expr = function.expr(e);
            let class = self.class(expr.ty);
            if class == (Class::F64 { extended: true }) {
                let what = "`long double` is not modelled exactly";
                self.cut(state, Why::Approximate(what.into()));
            }
            let value: Value = match expr.kind {
                ExprKind::Int(n) => Word::number(class.bits(), n as u128).into(),
                ExprKind::Float(x) => match class {
                    Class::F32 => Word::number(32, u128::from((x as f32).to_bits())).into(),
                    _ => Word::number(64, x.to_bits().into()).into(),
                },
                ExprKind::Local(local) => {
                    let mut value = self.local(state, local);
                    if value.set != Lit::TRUE {
                        self.at_expr(Some(e));
                        self.check_local(state, local, &mut value);
                        self.at_expr(None);
                        if state.guard == Lit::FALSE {
                            return Ok(None);
                        }
                    }
                    value
                }
                ExprKind::AddressOf(local) => self.local(state, local),
                ExprKind::Root(root) => {
                    if self.program.may_be_absent(root) {
                        let what = "the address of what need not be there is used";
                        self.cut(state, Why::Approximate(what.into()));
                    }
                    self.root(root).into()
                }
                ExprKind::Load(address) => {
                    self.changes_by_itself(state, function.expr(address).ty);
                    let bytes = self.stored_bytes(expr.ty);
                    self.at_expr(Some(e));
                    let word = self.load_value(state, &values[a], bytes)?;
                    self.at_expr(None);
                    let Some(word) = word else { return Ok(None) };
                    self.as_loaded(&word, class).into()
                }
                ExprKind::LoadBits(address, first, width) => {
                    self.changes_by_itself(state, function.expr(address).ty);
                    let (first, width) = (u32::from(first), u32::from(width));
                    let bytes = u64::from((first + width).div_ceil(8));
                    self.at_expr(Some(e));
                    let word = self.load_value(state, &values[a], bytes)?;
                    self.at_expr(None);
                    let Some(word) = word else { return Ok(None) };
                    word.slice(first, width).resized(class.bits(), class.is_signed()).into()
                }
                ExprKind::Unary(op, _) => {
                    if self.check.is_some() {
                        self.at_expr(Some(e));
                        self.check_unary(state, op, class, &values[a].word);
                        self.at_expr(None);
                    }
                    self.unary(op, class, &values[a].word).into()
                }
                ExprKind::Convert(from) => {
                    let from = function.expr(from).ty;
                    let quiet = plan.quiet.contains(&e);
                    self.convert(state, &values[a], from, expr.ty, quiet)
                }
                ExprKind::Binary(op, left, right) => {
                    let (x, y) = (function.expr(left).ty, function.expr(right).ty);
                    if op == BinOp::Sub && plan.quiet.contains(&e) {
                        self.one_object(state, &values[a], &values[b], "a difference of addresses");
                    }
                    let operands = (&values[a], &values[b]);
                    // Addresses that are compared as numbers are compared all the same.
                    let below = |side: &ExprId| self.pointer_below(f, *side).is_some();
                    let addresses = matches!(op, BinOp::Eq | BinOp::Ne)
                        && (self.program.types.pointee(x).is_some()
                            || [left, right].iter().all(below));
                    let open = match addresses {
                        true => self.steady(state, operands.0, operands.1),
                        false => Lit::FALSE,
                    };
                    self.at_expr(Some(e));
                    let value = self.binary(state, op, operands, (x, y), expr.ty)?;
                    self.at_expr(None);
                    let Some(mut value) = value.filter(|_| state.guard != Lit::FALSE) else {
                        return Ok(None);
                    };
                    if open != Lit::FALSE {
                        let any = self.c.input(1).resized(value.word.width(), false);
                        value.word = self.c.ite(open, &any, &value.word);
                    }
                    value
                }
            };
            values.push(value);
        }
        Ok(values.pop())
    }

    pub(crate) fn local(&mut self, state: &State, local: LocalId) -> Value {
        let frame = &state.frames[state.frames.len() - 1];
        match &frame.locals[local.index()] {
            Some(value) => value.clone(),
            None => {
                let frame = frame.clone();
                self.unset(&frame, local.index())
            }
        }
    }

    pub(crate) fn set(&mut self, state: &mut State, local: LocalId, value: Value) {
        let frame = state.top();
        let ty = self.function(frame.function).locals[local.index()].ty;
        let bits = self.class(ty).bits();
        let value = match value.word.width() == bits {
            true => value,
            false => value.word.resized(bits, false).into(),
        };
        Rc::make_mut(&mut frame.locals)[local.index()] = Some(value);
    }

    // Operators.

    fn unary(&mut self, op: UnOp, class: Class, a: &Word) -> Word {
        match (op, class.float()) {
            (UnOp::Not, _) => self.c.not(a),
            (UnOp::Neg, None) => self.c.negate(a),
            (UnOp::Neg, Some(kind)) => match a.value() {
                Some(x) => Word::number(class.bits(), float::negate(kind, x)),
                None => {
                    let mut lits = a.lits();
                    if let Some(top) = lits.last_mut() {
                        *top = !*top;
                    }
                    Word::of(lits)
                }
            },
        }
    }

    /// A word about which nothing is known but that equal questions have equal answers.
    pub(crate) fn arbitrary(&mut self, what: u32, a: &Word, b: &Word, bits: u32) -> Word {
        let c = &mut self.c;
        let key = (what, a.clone(), b.clone());
        self.arbitrary.entry(key).or_insert_with(|| c.input(bits)).clone()
    }

    fn convert(&mut self, state: &State, value: &Value, from: Ty, to: Ty, quiet: bool) -> Value {
        let (a, b) = (self.class(from), self.class(to));
        let nothing = Word::number(1, 0);
        let word = &value.word;
        if self.objects.pointer == 32 && rounds(a, b, word) {
            // FP4.
            self.cut(state, Why::Excess);
        }
        match (a.float(), b.float()) {
            (None, None) => {
                let pointer = |ty: Ty| self.program.types.pointee(ty).is_some();
                let (from_pointer, to_pointer) = (pointer(from), pointer(to));
                if from_pointer && !to_pointer && !quiet && self.names_object(word) {
                    self.cut(state, Why::Approximate("an address is used as a number".into()));
                }
                let word = word.resized(b.bits(), a.is_signed());
                let kept =
                    if word.width() == value.word.width() { value.from.clone() } else { None };
                Value { word, from: kept, set: Lit::TRUE }
            }
            (Some(x), Some(y)) => match word.value() {
                _ if x == y => word.clone().into(),
                Some(v) if !float::is_nan(x, v) => {
                    Word::number(b.bits(), float::resized(x, y, v)).into()
                }
                _ => self.c.float_resized(x.format(), y.format(), word).into(),
            },
            (None, Some(y)) => match word.value() {
                Some(v) => {
                    let number = if a.is_signed() { signed(a.bits(), v) } else { v as i128 };
                    let wide = a.bits() == 128 && !a.is_signed();
                    Word::number(b.bits(), float::of_int(y, number, wide)).into()
                }
                None => self.c.float_of_int(y.format(), word, a.is_signed()).into(),
            },
            (Some(x), None) => {
                let known = word.value().and_then(|v| float::to_int(x, v, b.bits(), b.is_signed()));
                match known {
                    Some(n) if b.bits() <= 64 => Word::number(b.bits(), n as u128).into(),
                    _ => {
                        let what = FLOAT_TO_INT + 2 * b.bits().min(90) + u32::from(b.is_signed());
                        let any = self.arbitrary(what, word, &nothing, b.bits());
                        let (bits, by_sign) = (b.bits(), b.is_signed());
                        let (whole, fits) = self.c.float_to_int(x.format(), word, bits, by_sign);
                        // FP3.
                        self.c.ite(fits, &whole, &any).into()
                    }
                }
            }
        }
    }

    /// Whether a word may be an address of something.
    fn names_object(&self, word: &Word) -> bool {
        word.value().is_none_or(|v| v >> self.objects.shift != 0)
    }

    fn binary(
        &mut self,
        state: &mut State,
        op: BinOp,
        (a, b): (&Value, &Value),
        (left, right): (Ty, Ty),
        ty: Ty,
    ) -> Step<Option<Value>> {
        let class = self.class(left);
        let out = self.class(ty).bits();
        if let Some(kind) = class.float() {
            self.excess(state, op, kind, &a.word, &b.word);
            return Ok(Some(self.float_binary(op, kind, &a.word, &b.word, out).into()));
        }
        let bits = class.bits();
        let other = self.class(right);
        let pointer = self.program.types.pointee(left).is_some();
        let by_sign = class.is_signed();
        let x = a.word.resized(bits, by_sign);
        if let BinOp::Shl | BinOp::Shr = op {
            let by = b.word.resized(32.max(b.word.width()), other.is_signed());
            // Odd widths are computed in 64 bits.
            let wide = if matches!(bits, 32 | 64 | 128) { bits } else { 64 };
            let x = x.resized(wide, by_sign);
            if op == BinOp::Shl && self.check.is_some() {
                self.check_shift(state, class, &x, &by);
            }
            let word = self.c.shift(&x, &by, op == BinOp::Shl, by_sign);
            return Ok(Some(word.resized(out, false).into()));
        }
        let y = b.word.resized(bits, other.is_signed());
        if op.compares() {
            if pointer && matches!(op, BinOp::Lt | BinOp::Le) {
                self.one_object(state, a, b, "an order of addresses");
            }
            let holds = match op {
                BinOp::Eq => self.c.equal(&x, &y),
                BinOp::Ne => !self.c.equal(&x, &y),
                _ => self.c.less(&x, &y, by_sign, op == BinOp::Le),
            };
            return Ok(Some(self.c.flag(holds, out).into()));
        }
        if self.check.is_some() && !pointer {
            self.check_binary(state, op, class, &x, &y);
        }
        let op = match (op, by_sign) {
            (BinOp::Add, _) => Op2::Add,
            (BinOp::Sub, _) => Op2::Sub,
            (BinOp::Mul, _) => Op2::Mul,
            (BinOp::And, _) => Op2::And,
            (BinOp::Or, _) => Op2::Or,
            (BinOp::Xor, _) => Op2::Xor,
            (BinOp::Div, false) => Op2::DivU,
            (BinOp::Rem, false) => Op2::RemU,
            (BinOp::Div, true) => Op2::DivS,
            _ => Op2::RemS,
        };
        if let Op2::DivU | Op2::RemU | Op2::DivS | Op2::RemS = op {
            // A division by zero ends a run.
            let divides = self.c.truth(&y);
            state.guard = self.c.aig.and(state.guard, divides);
            if by_sign {
                // So does what does not fit, on most processors.
                let (least, minus) =
                    (Word::number(bits, 1 << (bits - 1)), Word::number(bits, u128::MAX));
                let (x_least, y_minus) = (self.c.equal(&x, &least), self.c.equal(&y, &minus));
                let over = self.c.aig.and(x_least, y_minus);
                let guard = self.c.aig.and(state.guard, over);
                if self.check.is_none() {
                    self.cut_at(guard, Why::Undefined(self.now));
                }
                state.guard = self.c.aig.and(state.guard, !over);
            }
            if state.guard == Lit::FALSE {
                return Ok(None);
            }
        }
        let word = self.c.compute(op, &x, &y).resized(out, by_sign);
        let moves = self.program.types.pointee(ty).is_some() && matches!(op, Op2::Add | Op2::Sub);
        let from = if moves && word.value().is_none() { self.sources(state, a) } else { None };
        if moves {
            self.check_moved(state, a, &word);
        }
        Ok(Some(Value { word, from, set: Lit::TRUE }))
    }

    /// FP4.
    fn excess(&mut self, state: &State, op: BinOp, kind: float::Kind, a: &Word, b: &Word) {
        if op.compares() || self.objects.pointer != 32 {
            return;
        }
        let known = a.value().zip(b.value());
        if !known.is_some_and(|(x, y)| float::is_exact(op, kind, x, y)) {
            self.cut(state, Why::Excess);
        }
    }

    fn float_binary(&mut self, op: BinOp, kind: float::Kind, a: &Word, b: &Word, out: u32) -> Word {
        if let (Some(x), Some(y)) = (a.value(), b.value()) {
            let value = float::binary(op, kind, x, y);
            // FP2.
            if op.compares() || !float::is_nan(kind, value) {
                return Word::number(out, value);
            }
        }
        let f = kind.format();
        let holds = match op {
            BinOp::Add => return self.c.float_add(f, a, b),
            BinOp::Sub => return self.c.float_subtract(f, a, b),
            BinOp::Mul => return self.c.float_multiply(f, a, b),
            BinOp::Div => return self.c.float_divide(f, a, b),
            BinOp::Eq => self.c.float_equal(f, a, b),
            BinOp::Ne => !self.c.float_equal(f, a, b),
            BinOp::Lt => self.c.float_less(f, a, b, false),
            _ => self.c.float_less(f, a, b, true),
        };
        self.c.flag(holds, out)
    }

    /// Notes that something depends on where objects lie, unless both addresses are of one object.
    fn one_object(&mut self, state: &State, a: &Value, b: &Value, what: &str) {
        let one = |sources: Option<Rc<[u32]>>| match sources.as_deref() {
            Some(&[one]) => Some(one),
            _ => None,
        };
        let (x, y) = (self.sources(state, a), self.sources(state, b));
        let plain = |s: &Option<Rc<[u32]>>| s.as_ref().is_some_and(|s| s.is_empty());
        let (no_x, no_y) = (plain(&x), plain(&y));
        if (no_x && no_y) || (one(x).is_some_and(|x| one(y) == Some(x))) {
            return;
        }
        self.cut(state, Why::Approximate(format!("{what} of different objects is used")));
    }

    /// Notes that it depends on where objects lie whether addresses are equal: that of the end of one object may be
    /// the start of another, and what is gone may have been where something else is now. Where runs are cut, when one
    /// is an address of nothing that is there, and either answer is possible (CU2).
    fn steady(&mut self, state: &State, a: &Value, b: &Value) -> Lit {
        let null = |v: &Value| v.word.value().is_some_and(|x| x >> self.objects.shift == 0);
        if null(a) || null(b) {
            return Lit::FALSE;
        }
        let mut open = Lit::FALSE;
        // What is the same word because it is the same variable is equal; addresses of two objects that are gone are not.
        let plain = a.word == b.word && a.word.lits().iter().all(|&l| self.c.aig.is_input(l));
        if self.cutting.is_some() && !plain {
            let (p, q) = (self.is_dead(a), self.is_dead(b));
            open = self.c.aig.or(p, q);
        }
        if a.word == b.word {
            return open;
        }
        let (Some(x), Some(y)) = (self.sources(state, a), self.sources(state, b)) else {
            return open;
        };
        let other = |one: u32, others: &[u32]| others.iter().any(|&o| o != one);
        let gone = |o: u32| {
            let cells = state.memory.get(o as usize).and_then(Option::as_ref);
            cells.is_none_or(|cells| cells.alive != Lit::TRUE)
        };
        let mut loose = x.iter().any(|&o| gone(o) && other(o, &y));
        loose |= y.iter().any(|&o| gone(o) && other(o, &x));
        let end = |v: &Value, of: &[u32]| {
            of.iter().any(|&o| {
                let object = &self.objects.all[o as usize];
                v.word.value().is_some_and(|at| at as u64 == object.base + object.size)
            })
        };
        loose |= end(a, &x) && y.iter().any(|o| !x.contains(o));
        loose |= end(b, &y) && x.iter().any(|o| !y.contains(o));
        if loose {
            let what = "addresses are compared of which one is of nothing that is there";
            self.cut(state, Why::Approximate(what.into()));
        }
        open
    }

    // Memory.

    /// The objects that an address may be of.
    pub(crate) fn sources(&mut self, state: &State, value: &Value) -> Option<Rc<[u32]>> {
        if let Some(v) = value.word.value() {
            let found = self.objects.at(v as u64);
            return Some(found.into_iter().collect::<Vec<_>>().into());
        }
        if let Some(from) = value.from.as_ref().filter(|_| !self.may_be_outside(value)) {
            return Some(from.clone());
        }
        let mut out = Vec::new();
        for id in 0..state.memory.len() as u32 {
            if state.memory[id as usize].is_some() {
                let (when, _) = self.objects.inside(&mut self.c, &value.word, id);
                if when != Lit::FALSE {
                    out.push(id);
                }
            }
        }
        Some(out.into())
    }

    /// Notes that what is read through such an address may be anything, if it is `volatile`.
    fn changes_by_itself(&mut self, state: &State, address: Ty) {
        let types = &self.program.types;
        if types.pointee(address).is_some_and(|ty| types.is_volatile(ty)) {
            let what = "what is `volatile` may change by itself";
            self.cut(state, Why::Approximate(what.into()));
        }
    }

    /// How many bytes a scalar takes in memory.
    fn stored_bytes(&self, ty: Ty) -> u64 {
        match self.class(ty) {
            Class::F64 { extended: true } => 10,
            _ => self.program.types.size(ty).unwrap_or(0),
        }
    }

    fn as_loaded(&mut self, word: &Word, class: Class) -> Word {
        if let Class::F64 { extended: true } = class {
            let Some(value) = word.value() else {
                let nothing = Word::number(1, 0);
                return self.arbitrary(EXTENDED, word, &nothing, 64);
            };
            let mut bytes = [0; 10];
            bytes.copy_from_slice(&value.to_le_bytes()[..10]);
            return Word::number(64, c_data::extended::from_bytes(bytes).to_bits().into());
        }
        word.resized(class.bits(), false)
    }

    /// A value as it lies in memory.
    pub(crate) fn as_stored(&mut self, word: &Word, ty: Ty) -> Word {
        let class = self.class(ty);
        if let Class::F64 { extended: true } = class {
            let Some(value) = word.value() else {
                let nothing = Word::number(1, 0);
                return self.arbitrary(EXTENDED + 1, word, &nothing, 80);
            };
            let bytes = c_data::extended::to_bytes(f64::from_bits(value as u64));
            let mut all = [0; 16];
            all[..10].copy_from_slice(&bytes);
            return Word::number(80, u128::from_le_bytes(all));
        }
        let bytes = self.program.types.size(ty).unwrap_or(0) as u32;
        word.resized(8 * bytes, class.is_signed())
    }

    /// Where an access of so many bytes may go. The runs on which it goes nowhere end.
    pub(crate) fn resolve(
        &mut self,
        state: &mut State,
        to: &Value,
        bytes: u64,
        write: bool,
    ) -> Vec<Target> {
        if self.is_outside(to) {
            // OU2.
            let high = to.word.slice(NULL_BITS, self.objects.pointer - NULL_BITS);
            let somewhere = self.c.truth(&high);
            state.guard = self.c.aig.and(state.guard, somewhere);
            self.stray = true;
            return Vec::new();
        }
        let sources = self.sources(state, to);
        let mut out: Vec<Target> = Vec::new();
        let (mut any, mut ends, mut open) = (Lit::FALSE, Lit::FALSE, Lit::FALSE);
        for &object in sources.iter().flat_map(|s| s.iter()) {
            let Some(cells) = state.memory.get(object as usize).and_then(Option::as_ref) else {
                continue;
            };
            let alive = cells.alive;
            let (inside, offset) = self.objects.inside(&mut self.c, &to.word, object);
            if Some(object) == self.opaque && inside != Lit::FALSE {
                let guard = self.c.aig.and(state.guard, inside);
                let why = Why::Uncovered("the arguments of `main` are read".into());
                self.cut_at(guard, why);
                open = self.c.aig.or(open, inside);
            }
            if let Some(name) = self.elsewhere.get(&object)
                && inside != Lit::FALSE
            {
                let guard = self.c.aig.and(state.guard, inside);
                let what = format!("`{name}` is not defined here");
                self.cut_at(guard, Why::Uncovered(what));
                open = self.c.aig.or(open, inside);
            }
            let fits = self.objects.fits(&mut self.c, object, &offset, bytes);
            let when = self.c.aig.and_all([inside, fits, alive]);
            if write && self.objects.all[object as usize].read_only {
                ends = self.c.aig.or(ends, when);
                continue;
            }
            let possible = self.c.aig.and(when, state.guard);
            if possible == Lit::FALSE {
                continue;
            }
            any = self.c.aig.or(any, when);
            out.push(Target { when, object, offset });
        }
        if self.asks(Check::Memory) {
            // What is not followed is told already.
            state.guard = self.c.aig.and(state.guard, !open);
            self.note_dangling(state, to, !any);
            self.fails(state, !any);
            return out;
        }
        let missed = self.c.aig.and(state.guard, !any);
        let missed = self.c.aig.and(missed, !ends);
        if !write && self.cutting.is_some() {
            // CU6: null pointers end a run, all else may be read.
            let high = to.word.slice(NULL_BITS, self.objects.pointer - NULL_BITS);
            let somewhere = self.c.truth(&high);
            self.stray |= self.c.aig.and(missed, somewhere) != Lit::FALSE;
            let goes_on = self.c.aig.or(any, somewhere);
            state.guard = self.c.aig.and_all([state.guard, goes_on, !open]);
            return out;
        }
        self.undefined(missed, &to.word);
        state.guard = self.c.aig.and(state.guard, any);
        out
    }

    /// Notes runs that touch what is no object. Through a null pointer, they end for certain; others may go on when
    /// they are executed.
    pub(crate) fn undefined(&mut self, guard: Lit, address: &Word) {
        if guard == Lit::FALSE {
            return;
        }
        let high = address.slice(NULL_BITS, self.objects.pointer - NULL_BITS);
        let somewhere = self.c.truth(&high);
        let guard = self.c.aig.and(guard, somewhere);
        if guard != Lit::FALSE {
            self.cut_at(guard, Why::Undefined(self.now));
        }
    }

    /// What is at an address; none if no run goes on.
    pub(crate) fn load(
        &mut self,
        state: &mut State,
        at: &Value,
        bytes: u64,
        write: bool,
    ) -> Step<Option<Word>> {
        if bytes == 0 {
            return Ok(Some(Word::number(1, 0)));
        }
        if !write && self.is_anywhere(state, at) {
            // CU6: it may be anything; to look everywhere would tell hardly more.
            let high = at.word.slice(NULL_BITS, self.objects.pointer - NULL_BITS);
            let somewhere = self.c.truth(&high);
            state.guard = self.c.aig.and(state.guard, somewhere);
            self.stray = true;
            return Ok(Some(self.c.input(8 * bytes as u32)));
        }
        let targets = self.resolve(state, at, bytes, write);
        let mut out: Option<Word> = None;
        let within = self.c.aig.and_all(targets.iter().map(|t| !t.when));
        if !write && self.cutting.is_some() && !self.asks(Check::Memory) && within != Lit::FALSE {
            // CU6: it may be anything.
            out = Some(self.c.input(8 * bytes as u32));
        }
        for target in targets.iter().rev() {
            let Some(word) = self.read(state, target, bytes)? else { continue };
            out = Some(match out {
                None => word,
                Some(other) => self.c.ite(target.when, &word, &other),
            });
        }
        Ok(out.filter(|_| state.guard != Lit::FALSE))
    }

    /// Whether an address may be of so much that what is there is as good as unknown. Not where what is not defined here
    /// could be meant, which is told.
    fn is_anywhere(&mut self, state: &State, at: &Value) -> bool {
        if self.cutting.is_none() || self.asks(Check::Memory) || at.word.value().is_some() {
            return false;
        }
        let sources = self.sources(state, at);
        let all: Vec<u32> = sources.iter().flat_map(|s| s.iter()).copied().collect();
        let sizes = all.iter().map(|&id| self.objects.all[id as usize].size);
        let bytes = sizes.sum::<u64>();
        all.len() > 2 && bytes > MAX_ANYWHERE
    }

    /// Whether large objects are told by one of their elements.
    fn tells_elements(&self) -> bool {
        self.cutting.as_ref().is_some_and(|cutting| cutting.elements)
    }

    /// Notes that an access is not followed, and ends its runs.
    fn too_large(&mut self, state: &mut State, target: &Target) {
        let guard = self.c.aig.and(state.guard, target.when);
        let size = self.objects.all[target.object as usize].size;
        let what = format!("an object of {size} bytes is accessed at an unknown place");
        self.cut_at(guard, Why::Uncovered(what));
        state.guard = self.c.aig.and(state.guard, !target.when);
    }

    fn read(&mut self, state: &mut State, target: &Target, bytes: u64) -> Step<Option<Word>> {
        let object = target.object as usize;
        let (size, plain) = (self.objects.all[object].size, self.plain);
        let told = self.tells_elements();
        let Some(cells) = state.memory[object].as_mut() else { return Ok(None) };
        let cells = Rc::make_mut(cells);
        let (o, c) = (&mut self.objects, &mut self.c);
        o.reading = c.aig.and(state.guard, target.when);
        let beneath = cells.beneath((o, c), &target.offset, bytes);
        o.reading = Lit::TRUE;
        if let Some(word) = beneath {
            let word = cells.changed(c, &target.offset, word);
            if word.is_none() {
                self.too_large(state, target);
            }
            return Ok(word);
        }
        let found = match (target.offset.value(), places(&target.offset, size, bytes)) {
            (Some(at), _) => Some(cells.read_pages(o, c, plain, at as u64, bytes)),
            (None, Some((fixed, places))) => {
                self.budget.work(places.len() as u64)?;
                let Some(word) = among(cells, (o, c), plain, (target, fixed, &places), bytes)
                else {
                    return Ok(None);
                };
                Some(word)
            }
            (None, None) if self.cutting.is_none() || told => {
                self.budget.work(cells.pages() as u64)?;
                cells.somewhere(o, c, plain, &target.offset, (size, bytes))
            }
            (None, None) => None,
        };
        let word = found.and_then(|word| cells.changed(c, &target.offset, word));
        if word.is_none() {
            self.too_large(state, target);
        }
        Ok(word)
    }

    /// The same for a value that is used: what was never written has none.
    fn load_value(&mut self, state: &mut State, at: &Value, bytes: u64) -> Step<Option<Word>> {
        let word = self.load(state, at, bytes, false)?;
        if word.is_some() && self.asks(Check::Uninitialised) {
            let targets = self.resolve(state, at, bytes, false);
            if let Some(flags) = self.shadow(state, &targets, bytes)? {
                let all = self.c.aig.and_all(flags);
                self.fails(state, !all);
            }
        }
        Ok(word.filter(|_| state.guard != Lit::FALSE))
    }

    /// Puts a word at an address.
    pub(crate) fn store(&mut self, state: &mut State, to: &Value, word: &Word) -> Step<()> {
        let bytes = u64::from(word.width() / 8);
        if bytes == 0 {
            return Ok(());
        }
        let targets = self.resolve(state, to, bytes, true);
        let single = targets.len() == 1;
        for target in &targets {
            // Where there is one target only, all runs that go on write there.
            let when = if single { Lit::TRUE } else { target.when };
            let object = target.object as usize;
            let (size, plain) = (self.objects.all[object].size, self.plain);
            let found = match target.offset.value() {
                Some(at) => Some(vec![at as u64]),
                None => places(&target.offset, size, bytes).map(|(_, places)| places),
            };
            let told = self.tells_elements();
            let many = found.as_ref().is_none_or(|f| f.len() > crate::chosen::SCALARS);
            if let Some(cutting) = self.cutting.as_mut().filter(|_| many && told) {
                cutting.scattered.insert(target.object);
            }
            let Some(cells) = state.memory[object].as_mut() else { continue };
            let cells = Rc::make_mut(cells);
            let late = cells.is_late() || found.as_ref().is_none_or(|f| f.len() > MANY_PLACES);
            if late && (self.cutting.is_none() || told) && cells.may_be_late() {
                self.budget.work(1)?;
                cells.write_late(&target.offset, word, when);
                continue;
            }
            let Some(found) = found.filter(|_| !cells.is_late()) else {
                self.too_large(state, target);
                continue;
            };
            self.budget.work(found.len() as u64)?;
            for at in found {
                let here = Word::number(target.offset.width(), at.into());
                let same = self.c.equal(&target.offset, &here);
                let when = self.c.aig.and(when, same);
                if when != Lit::FALSE {
                    cells.write(&mut self.objects, &mut self.c, plain, at, word, when);
                }
            }
        }
        Ok(())
    }

    /// Copies bytes that may overlap.
    pub(crate) fn copy(
        &mut self,
        state: &mut State,
        to: &Value,
        from: &Value,
        size: u64,
    ) -> Step<()> {
        if size == 0 {
            return Ok(());
        }
        match self.load(state, from, size, false)? {
            Some(word) => {
                let shadow = match self.asks(Check::Uninitialised) {
                    true => {
                        let targets = self.resolve(state, from, size, false);
                        self.shadow(state, &targets, size)?
                    }
                    false => None,
                };
                self.store(state, to, &word.resized(8 * size as u32, false))?;
                match shadow {
                    Some(flags) => self.unwrite(state, to, &flags),
                    None => Ok(()),
                }
            }
            None => Ok(()),
        }
    }

    /// Makes an object: which one of those that the statement makes. None if there is no room.
    pub(crate) fn make(
        &mut self,
        state: &mut State,
        size: u64,
        kind: Kind,
        zero: bool,
        which: u32,
    ) -> Option<u32> {
        self.make_of(state, size, None, kind, zero, which)
    }

    /// The same; how many bytes it has may not be known.
    pub(crate) fn make_of(
        &mut self,
        state: &mut State,
        size: u64,
        exact: Option<Word>,
        kind: Kind,
        zero: bool,
        which: u32,
    ) -> Option<u32> {
        let id = match self.cutting {
            Some(_) => self.make_again(state, size, exact, kind, which)?,
            None => self.objects.make(size, exact, kind)?,
        };
        if state.memory.len() <= id as usize {
            state.memory.resize(id as usize + 1, None);
        }
        state.memory[id as usize] = Some(Rc::new(self.cells(id, size, zero)));
        Some(id)
    }
}

/// What is at one of some places: a tree of choices, one level for each bit that is not known.
fn among(
    cells: &mut Cells,
    (o, c): (&mut Objects, &mut Circuit),
    plain: Lit,
    (target, fixed, places): (&Target, u32, &[u64]),
    bytes: u64,
) -> Option<Word> {
    let word = |&at: &u64| (at >> fixed, cells.read_pages(o, c, plain, at, bytes));
    let mut level: Vec<(u64, Word)> = places.iter().map(word).collect();
    let mut bit = fixed;
    while level.len() > 1 {
        let lit = target.offset.bit(bit);
        let mut next: Vec<(u64, Word)> = Vec::with_capacity(level.len().div_ceil(2));
        for (at, word) in level {
            match next.last_mut() {
                Some((last, low)) if *last == at >> 1 => *low = c.ite(lit, &word, low),
                _ => next.push((at >> 1, word)),
            }
        }
        level = next;
        bit += 1;
    }
    level.pop().map(|(_, word)| word)
}
