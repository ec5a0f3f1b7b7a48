//! Calls and returns, and statements that are about frames.

use crate::engine::{Engine, Step, Went, Why};
use crate::eval::Class;
use crate::memory::{Cells, Kind};
use crate::relevance::Link;
use crate::state::{Frame, State, Value};
use crate::word::{Op2, Word};
use c_data::{
    At, BinOp, Call, Callee, Check, ExprId, FuncId, Home, LocalId, Operation, Point, StmtKind,
};
use c_types::Ty;
use logic::Lit;
use std::rc::Rc;

/// The most frames at a time.
const MAX_FRAMES: usize = 3_000;
/// What an object of a size that is not known may have.
const MAX_UNKNOWN: u64 = 4_096;

/// Which object of a statement it is: what is allocated, the arguments of `...`, a local of a function.
const ALLOCATED: u32 = u32::MAX;
const MORE: u32 = u32::MAX - 1;
fn which(f: FuncId, local: usize) -> u32 {
    ((f.index() as u32) << 14).wrapping_add(local as u32) & (u32::MAX >> 1)
}

/// Arguments of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Args {
    pub(crate) values: Vec<Value>,
    /// Their types.
    pub(crate) types: Vec<Ty>,
    /// How many of them are named; the others belong to `...`.
    pub(crate) named: usize,
}

/// Functions that let the program's functions run at any time.
const HANDLERS: [&str; 6] =
    ["signal", "sigaction", "sigset", "bsd_signal", "__sysv_signal", "timer_create"];

impl<'p> Engine<'p> {
    pub(crate) fn call(&mut self, state: &mut State, call: &'p Call, at: At) -> Step<Went> {
        let caller = self.function(state.top().function);
        let callee = match call.callee {
            Callee::Direct(_) => None,
            Callee::Indirect(e) => match self.eval(state, e)? {
                Some(value) => Some(value),
                None => return Ok(Went::Over),
            },
        };
        let result_at = match call.result_at {
            Some(e) => match self.eval(state, e)? {
                Some(value) => Some(value),
                None => return Ok(Went::Over),
            },
            None => None,
        };
        let mut args = Args::default();
        for &arg in &call.args {
            let Some(value) = self.eval(state, arg)? else { return Ok(Went::Over) };
            args.values.push(value);
            args.types.push(caller.expr(arg).ty);
        }
        let signature = self.program.types.signature(call.ty);
        let named = signature.filter(|s| !s.unprototyped).map(|s| s.params.len());
        args.named = named.unwrap_or(args.values.len()).min(args.values.len());
        match (call.callee, callee) {
            (Callee::Direct(f), _) => self.call_one(state, f, args, call, result_at, at, 0),
            (_, Some(value)) => self.call_any(state, &value.word, args, call, result_at, at),
            (_, None) => Ok(Went::Over),
        }
    }

    /// A call through a pointer.
    fn call_any(
        &mut self,
        state: &mut State,
        address: &Word,
        args: Args,
        call: &'p Call,
        result_at: Option<Value>,
        at: At,
    ) -> Step<Went> {
        let mut found = Vec::new();
        let mut any = Lit::FALSE;
        for f in (0..self.program.functions.len()).map(FuncId::new) {
            let target = Word::number(address.width(), self.function_address(f).into());
            let there = self.c.equal(address, &target);
            if there == Lit::FALSE {
                continue;
            }
            any = self.c.aig.or(any, there);
            let guard = self.c.aig.and(state.guard, there);
            if guard != Lit::FALSE && (there == Lit::TRUE || self.perhaps(guard)?) {
                found.push((f, guard));
            }
        }
        if self.asks(Check::Memory) {
            self.fails(state, !any);
        }
        if let [(f, guard)] = found[..] {
            state.guard = guard;
            return self.call_one(state, f, args, call, result_at, at, 0);
        }
        for (i, (f, guard)) in found.into_iter().enumerate() {
            let mut taken = State { guard, ..state.clone() };
            let went =
                self.call_one(&mut taken, f, args.clone(), call, result_at.clone(), at, i as u32)?;
            if went != Went::Over {
                self.wait_here(taken);
            }
        }
        Ok(Went::Over)
    }

    #[expect(clippy::too_many_arguments, reason = "a call has that many parts")]
    fn call_one(
        &mut self,
        state: &mut State,
        f: FuncId,
        mut args: Args,
        call: &'p Call,
        result_at: Option<Value>,
        at: At,
        which: u32,
    ) -> Step<Went> {
        self.pass(Point::Call(f), state.guard);
        let callee = self.function(f);
        if HANDLERS.contains(&callee.name.as_str()) {
            let what = format!("{}: handlers of signals run at any time", self.place(at));
            self.cut(state, Why::Uncovered(what));
        }
        if !callee.has_body() {
            return self.native(state, f, args, (call.result, which), at);
        }
        let unprototyped = self.program.types.signature(call.ty).is_some_and(|s| s.unprototyped);
        if unprototyped && matches!(call.callee, Callee::Direct(_)) {
            args.named = callee.params.len().min(args.values.len());
        }
        self.call_body(state, f, args, call.result, result_at, which)
    }

    /// A call of a function with a body.
    pub(crate) fn call_body(
        &mut self,
        state: &mut State,
        f: FuncId,
        args: Args,
        result: Option<LocalId>,
        result_at: Option<Value>,
        which: u32,
    ) -> Step<Went> {
        let callee = self.function(f);
        let guard = state.guard;
        let before = state.frames.iter().rev().find(|frame| frame.function == f);
        let (mut depth, mut changed) = (0, false);
        if let Some(before) = before {
            changed = before.guard != guard;
            depth = before.depth.saturating_add(u32::from(changed));
        }
        if changed && !self.perhaps(guard)? {
            return Ok(Went::Over);
        }
        let nested = self.is_nested(state, f, depth);
        if !nested && (depth > self.bound || state.frames.len() >= MAX_FRAMES) {
            self.cut(state, Why::Bound);
            return Ok(Went::Over);
        }
        // The key of the call, which the caller's next statement comes after.
        let next = state.top().next;
        state.top().next = next - 1;
        let key = self.key(state);
        state.top().next = next;
        let prefix: Vec<u32> = key.iter().copied().chain([which]).collect();
        let mut given = Vec::new();
        for (i, &param) in callee.params.iter().enumerate().take(args.named) {
            let (from, to) =
                (self.class(args.types[i]), self.class(callee.locals[param.index()].ty));
            let value = &args.values[i];
            given.push(match value.word.width() == to.bits() {
                true => value.clone(),
                false => value.word.resized(to.bits(), from.is_signed()).into(),
            });
        }
        if nested && result_at.is_some() {
            let what = "a function that calls itself gives back a struct";
            self.cut(state, Why::Uncovered(what.into()));
            return Ok(Went::Over);
        }
        if nested {
            return self.call_again(state, f, given, result, &args);
        }
        let more = match callee.variadic {
            true => match self.more(state, &args)? {
                Some(more) => Some(more),
                None => return Ok(Went::Over),
            },
            false => None,
        };
        self.enter(state, f, given, prefix.into())?;
        if state.guard == Lit::FALSE {
            return Ok(Went::Over);
        }
        let frame = state.top();
        (frame.result, frame.result_at, frame.depth) = (result, result_at, depth);
        if let Some(more) = more {
            frame.objects.extend(self.objects.at(more.word.value().unwrap_or(0) as u64));
            frame.own = frame.objects.len();
            frame.more = Some(more);
        }
        Ok(Went::Into)
    }

    /// The arguments of `...` as they lie in memory.
    fn more(&mut self, state: &mut State, args: &Args) -> Step<Option<Value>> {
        let slot = self.objects.pointer / 8;
        let mut lits: Vec<Lit> = Vec::new();
        let pad = |lits: &mut Vec<Lit>, bytes: u32| {
            let bits = 8 * bytes as usize;
            lits.resize(lits.len().next_multiple_of(bits), Lit::FALSE);
        };
        for (value, &ty) in args.values.iter().zip(&args.types).skip(args.named) {
            match self.class(ty) {
                Class::Address { .. } => {
                    let size = self.program.types.size(ty).unwrap_or(0);
                    let align = self.program.types.align(ty);
                    if align > 8 {
                        pad(&mut lits, align as u32);
                    }
                    let Some(word) = self.load(state, value, size, false)? else {
                        return Ok(None);
                    };
                    lits.extend(word.resized(8 * size as u32, false).lits());
                }
                Class::F64 { extended: true } => {
                    if slot == 8 {
                        pad(&mut lits, 16);
                    }
                    let word = self.as_stored(&value.word, ty);
                    let bytes = if slot == 8 { 16 } else { 12 };
                    lits.extend(word.resized(8 * bytes, false).lits());
                }
                class => {
                    if class.bits() == 128 {
                        pad(&mut lits, 16);
                    }
                    let bits = class.bits().max(8 * slot);
                    lits.extend(value.word.resized(bits, class.is_signed()).lits());
                }
            }
            pad(&mut lits, slot);
        }
        let size = lits.len() as u64 / 8;
        let Some(id) = self.make(state, size, Kind::Local, true, MORE) else {
            self.cut(state, Why::Uncovered("there is no room for more objects".into()));
            return Ok(None);
        };
        let address: Value = self.objects.address(id).into();
        self.store(state, &address, &Word::of(lits))?;
        Ok(Some(address))
    }

    /// A frame for a function, its objects made.
    pub(crate) fn enter(
        &mut self,
        state: &mut State,
        f: FuncId,
        args: Vec<Value>,
        prefix: Rc<[u32]>,
    ) -> Step<()> {
        let function = self.function(f);
        self.serial += 1;
        let mut locals: Vec<Option<Value>> = vec![None; function.locals.len()];
        let mut objects = Vec::new();
        for (&param, value) in function.params.iter().zip(args) {
            locals[param.index()] = Some(value);
        }
        for (i, local) in function.locals.iter().enumerate() {
            if local.home != Home::Memory {
                continue;
            }
            let size = self.program.types.size(local.ty).unwrap_or(0);
            let Some(id) = self.make(state, size, Kind::Local, false, which(f, i)) else {
                self.cut(state, Why::Uncovered("there is no room for more objects".into()));
                state.guard = Lit::FALSE;
                return Ok(());
            };
            objects.push(id);
            if let Some(cutting) = &mut self.cutting {
                cutting.types.insert(id, local.ty);
            }
            let address: Value = self.objects.address(id).into();
            if let Some(value) = locals[i].take() {
                let word = self.as_stored(&value.word, local.ty);
                self.store(state, &address, &word)?;
            }
            locals[i] = Some(address);
        }
        let own = objects.len();
        let below = state.frames.last().map(|frame| {
            let (function, block, below) = (frame.function, frame.block, frame.below.clone());
            Rc::new(Link { function, block, below })
        });
        state.frames.push(Rc::new(Frame {
            function: f,
            serial: self.serial,
            locals: Rc::new(locals),
            objects,
            own,
            below,
            prefix,
            block: 0,
            next: 0,
            rounds: Vec::new(),
            loops: Vec::new(),
            again: None,
            result: None,
            result_at: None,
            guard: state.guard,
            depth: 0,
            more: None,
            jumped: 0,
            entry: None,
        }));
        // The entry may be the head of loops.
        let flow = self.flow_of(f);
        let rounds = flow.first(0);
        state.top().rounds = rounds;
        Ok(())
    }

    /// Back to the caller.
    pub(crate) fn give_back(
        &mut self,
        mut state: State,
        value: Option<ExprId>,
        fell_off: bool,
    ) -> Step<()> {
        let id = state.top().function;
        let function = self.function(id);
        let result_ty = self.program.types.signature(function.ty).map(|s| s.result);
        let mut given: Option<Value> = None;
        if let Some(e) = value {
            let Some(value) = self.eval(&mut state, e)? else { return Ok(()) };
            match result_ty.map(|ty| self.class(ty)) {
                Some(Class::Address { .. }) => {
                    let size = result_ty.and_then(|ty| self.program.types.size(ty)).unwrap_or(0);
                    if let Some(to) = state.top().result_at.clone() {
                        self.copy(&mut state, &to, &value, size)?;
                    }
                    if state.guard == Lit::FALSE {
                        return Ok(());
                    }
                }
                _ => given = Some(value),
            }
        } else if fell_off {
            // It is undefined where it is used.
            if self.asks(Check::Uninitialised) && state.top().result.is_some() {
                let what = "the result of a function is used that gives none";
                self.cut(&state, Why::Uncovered(what.into()));
            }
            self.objects.unwritten = true;
            let bits = result_ty.map_or(32, |ty| self.class(ty).bits());
            let any = self.c.input(bits);
            let plain = self.plain;
            let lits = any.lits().into_iter().map(|l| self.c.aig.and(l, !plain)).collect();
            given = Some(Word::of(lits).into());
        }
        // NE2, SU2.
        if state.top().depth == crate::nested::NESTED {
            if self.summarises() {
                self.arrive_at_end(state, given.map(|v| v.word));
            }
            return Ok(());
        }
        let Some(frame) = state.frames.pop() else { return Ok(()) };
        for &object in &frame.objects {
            state.memory[object as usize] = None;
        }
        self.bury(&mut state, &frame.objects, Lit::TRUE);
        if let Some(value) = &mut given {
            self.bury_value(value, &frame.objects);
        }
        if state.frames.is_empty() {
            state.result = given.map(|v| v.word);
            let key: Rc<[u32]> = Rc::from([frame.prefix[0] + 1]);
            self.wait(state, key);
            return Ok(());
        }
        if let (Some(local), Some(value)) = (frame.result, given) {
            self.set(&mut state, local, value);
        }
        self.wait_here(state);
        Ok(())
    }

    pub(crate) fn rare(&mut self, state: &mut State, kind: &StmtKind, at: At) -> Step<Went> {
        match kind {
            StmtKind::Allocate { to, size } => {
                let Some(size) = self.eval(state, *size)? else { return Ok(Went::Over) };
                let Some(id) = self.allocate(state, &size.word, Kind::Local, false) else {
                    return Ok(Went::Over);
                };
                state.top().objects.push(id);
                let address = self.objects.address(id);
                Rc::make_mut(&mut state.top().locals)[to.index()] = Some(address.into());
            }
            StmtKind::Mark(local) => {
                let frame = state.top();
                let count = frame.objects.len() as u128;
                let ty = self.function(frame.function).locals[local.index()].ty;
                let bits = self.class(ty).bits();
                Rc::make_mut(&mut frame.locals)[local.index()] =
                    Some(Word::number(bits, count).into());
            }
            StmtKind::Free(local) => {
                let mark = self.local(state, *local).word.value();
                let frame = state.top();
                if let Some(mark) = mark.map(|m| m as usize)
                    && mark >= frame.own
                    && mark <= frame.objects.len()
                {
                    let gone = frame.objects.split_off(mark);
                    for &object in &gone {
                        state.memory[object as usize] = Some(Rc::new(Cells::gone(object)));
                    }
                    self.bury(state, &gone, Lit::TRUE);
                }
            }
            StmtKind::VaStart(list) => {
                let Some(list) = self.eval(state, *list)? else { return Ok(Went::Over) };
                let bits = self.objects.pointer;
                let more = state.top().more.clone();
                let word = more.map_or(Word::number(bits, 0), |m| m.word);
                self.store(state, &list, &word)?;
            }
            StmtKind::VaNext { to, list, ty } => {
                let Some(list) = self.eval(state, *list)? else { return Ok(Went::Over) };
                let slot = u64::from(self.objects.pointer / 8);
                let Some(mut now) = self.load(state, &list, slot, false)? else {
                    return Ok(Went::Over);
                };
                let bits = self.objects.pointer;
                let size = self.program.types.size(*ty).unwrap_or(0);
                let align = self.program.types.align(*ty);
                if align > 8 {
                    let up = Word::number(bits, u128::from(align - 1));
                    let down = self.c.not(&up);
                    now = self.c.compute(Op2::Add, &now, &up);
                    now = self.c.compute(Op2::And, &now, &down);
                }
                let by = Word::number(bits, size.next_multiple_of(slot).into());
                let next = self.c.compute(Op2::Add, &now, &by);
                self.store(state, &list, &next)?;
                self.set(state, *to, now.into());
            }
            StmtKind::SetJump { buffer, result } => {
                return self.set_jump(state, *buffer, *result);
            }
            StmtKind::Overflow { op, operands, result, overflow } => {
                return self.exact(state, *op, *operands, (*result, *overflow), at);
            }
            StmtKind::Closure { .. } => {
                let what = "a function inside of another is called through a pointer";
                let what = format!("{}: {what}", self.place(at));
                self.cut(state, Why::Uncovered(what));
                return Ok(Went::Over);
            }
            _ => {}
        }
        Ok(Went::On)
    }

    /// An object of a size that may not be known.
    pub(crate) fn allocate(
        &mut self,
        state: &mut State,
        size: &Word,
        kind: Kind,
        zero: bool,
    ) -> Option<u32> {
        let known = size.value().map(|v| v as u64);
        let (most, exact) = match known {
            Some(size) => (size, None),
            None => {
                // What is larger is not followed.
                let most = Word::number(size.width(), MAX_UNKNOWN.into());
                let fits = self.c.less(size, &most, false, true);
                let large = self.c.aig.and(state.guard, !fits);
                if large != Lit::FALSE {
                    self.cut_at(large, Why::Bound);
                }
                state.guard = self.c.aig.and(state.guard, fits);
                (MAX_UNKNOWN, Some(size.resized(self.objects.pointer, false)))
            }
        };
        if state.guard == Lit::FALSE {
            return None;
        }
        let made = match most > 1 << 28 {
            true => None,
            false => self.make_of(state, most, exact, kind, zero, ALLOCATED),
        };
        if let Some(id) = made.filter(|_| kind == Kind::Heap) {
            let operation = self.operation(state).map(|o| Operation { expr: None, ..o });
            // Guards of one block mean nothing in another.
            let made = if self.cutting.is_some() { Lit::TRUE } else { state.guard };
            self.made.insert(id, (operation, made));
            self.note_made(state, id);
        }
        if made.is_none() {
            let what = format!("an object of {most} bytes is allocated");
            self.cut(state, Why::Uncovered(what));
            state.guard = Lit::FALSE;
        }
        made
    }

    /// An operator that tells whether its exact result fits.
    fn exact(
        &mut self,
        state: &mut State,
        op: BinOp,
        operands: (ExprId, ExprId),
        (result, overflow): (LocalId, LocalId),
        at: At,
    ) -> Step<Went> {
        let function = self.function(state.top().function);
        let classes = (
            self.class(function.expr(operands.0).ty),
            self.class(function.expr(operands.1).ty),
            self.class(function.locals[result.index()].ty),
        );
        let Some(a) = self.eval(state, operands.0)? else { return Ok(Went::Over) };
        let Some(b) = self.eval(state, operands.1)? else { return Ok(Went::Over) };
        if [classes.0, classes.1, classes.2].iter().any(|c| c.bits() > 64) {
            let what = format!("{}: exact arithmetic in 128 bits", self.place(at));
            self.cut(state, Why::Uncovered(what));
            return Ok(Went::Over);
        }
        // Room for the exact result and its sign.
        let (x, y) = (
            a.word.resized(130, classes.0.is_signed()),
            b.word.resized(130, classes.1.is_signed()),
        );
        let op = match op {
            BinOp::Add => Op2::Add,
            BinOp::Sub => Op2::Sub,
            _ => Op2::Mul,
        };
        let whole = self.c.compute(op, &x, &y);
        let cut = whole.resized(classes.2.bits(), false);
        let again = cut.resized(130, classes.2.is_signed());
        let fits = self.c.equal(&whole, &again);
        self.set(state, result, cut.into());
        let flag = self.c.flag(!fits, 8);
        self.set(state, overflow, flag.into());
        Ok(Went::On)
    }
}
