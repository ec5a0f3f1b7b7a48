//! Questions about operations: which inputs make one fail. A run that fails ends there.

use crate::engine::{Engine, Step, Why};
use crate::eval::Class;
use crate::memory::{Cells, Kind, Target, places};
use crate::state::{State, Value};
use crate::word::{Op2, Word};
use c_data::{BinOp, Check, ExprId, LocalId, Operation, UnOp};
use c_types::Ty;
use logic::Lit;
use std::rc::Rc;

/// Signed products of so many bits are not followed.
const WIDE: u32 = 128;

impl Engine<'_> {
    /// Whether a question is asked.
    pub(crate) fn asks(&self, check: Check) -> bool {
        self.check == Some(check)
    }

    /// Whether it matters when locals of inner blocks are there.
    pub(crate) fn scopes(&self) -> bool {
        self.asks(Check::Memory) || self.asks(Check::Uninitialised)
    }

    /// The operation of the program that is executed: in the library, the call.
    pub(crate) fn operation(&self, state: &State) -> Option<Operation> {
        let own = |f: &&Rc<crate::state::Frame>| self.function(f.function).own;
        let frame = state.frames.iter().rev().find(own)?;
        let here = state.frames.last().is_some_and(|top| Rc::ptr_eq(top, frame));
        Some(Operation {
            function: frame.function,
            block: c_data::BlockId::new(frame.block),
            stmt: (frame.next as u32).saturating_sub(1),
            expr: self.expr.filter(|_| here),
        })
    }

    /// Notes when the operation that is executed fails, and ends these runs.
    pub(crate) fn fails(&mut self, state: &mut State, bad: Lit) {
        let guard = self.c.aig.and(state.guard, bad);
        if guard == Lit::FALSE {
            return;
        }
        match self.operation(state) {
            Some(operation) => self.failed_when(operation, guard),
            None => {
                let what = "an operation of the library fails outside of the program";
                self.cut_at(guard, Why::Uncovered(what.into()));
            }
        }
        state.guard = self.c.aig.and(state.guard, !bad);
    }

    pub(crate) fn failed_when(&mut self, operation: Operation, guard: Lit) {
        let slot = self.failed.entry(operation).or_insert(Lit::FALSE);
        *slot = self.c.aig.or(*slot, guard);
    }

    /// Whether operators of the active function are looked at.
    fn looks_here(&self, state: &State, check: Check) -> bool {
        let active = state.frames.last().map(|frame| self.function(frame.function));
        self.asks(check) && active.is_some_and(|f| check.looks_into(f))
    }

    // Arithmetic.

    /// Looks at an operator with one operand.
    pub(crate) fn check_unary(&mut self, state: &mut State, op: UnOp, class: Class, a: &Word) {
        if op == UnOp::Neg && class.is_signed() && self.looks_here(state, Check::Overflow) {
            let least = self.least(a.width());
            let bad = self.c.equal(a, &least);
            self.fails(state, bad);
        }
    }

    fn least(&self, bits: u32) -> Word {
        Word::number(bits, 1 << (bits.min(128) - 1))
    }

    /// Looks at an operator with two operands of one class, before it is computed.
    pub(crate) fn check_binary(
        &mut self,
        state: &mut State,
        op: BinOp,
        class: Class,
        x: &Word,
        y: &Word,
    ) {
        let signed = class.is_signed();
        if let BinOp::Div | BinOp::Rem = op {
            if self.looks_here(state, Check::Division) {
                let divides = self.c.truth(y);
                self.fails(state, !divides);
            }
            if signed && self.looks_here(state, Check::Overflow) {
                let (least, minus) = (self.least(x.width()), Word::number(x.width(), u128::MAX));
                let (x_least, y_minus) = (self.c.equal(x, &least), self.c.equal(y, &minus));
                let bad = self.c.aig.and(x_least, y_minus);
                self.fails(state, bad);
            }
            return;
        }
        if !signed || !self.looks_here(state, Check::Overflow) {
            return;
        }
        let bits = x.width();
        let top = bits - 1;
        let bad = match op {
            BinOp::Add | BinOp::Sub => {
                let kind = if op == BinOp::Add { Op2::Add } else { Op2::Sub };
                let sum = self.c.compute(kind, x, y);
                let (a, b, s) = (x.bit(top), y.bit(top), sum.bit(top));
                let differ = self.c.aig.xor(a, b);
                let can = if op == BinOp::Add { !differ } else { differ };
                let turned = self.c.aig.xor(a, s);
                self.c.aig.and(can, turned)
            }
            BinOp::Mul if bits >= WIDE => {
                let what = "a product of 128 bits may overflow".to_owned();
                self.cut(state, Why::Uncovered(what));
                return;
            }
            BinOp::Mul => self.c.product_overflows(x, y),
            _ => return,
        };
        self.fails(state, bad);
    }

    /// Looks at a shift of a signed number to the left. Where a number moves into its sign and no bit is lost, C11
    /// says that it overflows, compilers and C++ that it does not: then nothing is said of what comes after it.
    pub(crate) fn check_shift(&mut self, state: &mut State, class: Class, x: &Word, by: &Word) {
        if !class.is_signed() || !self.looks_here(state, Check::Overflow) {
            return;
        }
        let bits = x.width();
        let most = Word::number(by.width(), bits.into());
        let inside = self.c.less(by, &most, false, false);
        let moved = self.c.shift(x, by, true, true);
        let back = self.c.shift(&moved, by, false, true);
        let same = self.c.equal(&back, x);
        let plain = self.c.shift(&moved, by, false, false);
        let whole = self.c.equal(&plain, x);
        let kept = self.c.aig.or(same, whole);
        let good = self.c.aig.and(inside, kept);
        let into_sign = self.c.aig.and_all([state.guard, good, !same]);
        let what = "a number is shifted into its sign, which may be an overflow";
        self.cut_at(into_sign, Why::Approximate(what.into()));
        self.fails(state, !good);
    }

    // Memory.

    /// Notes that an address has left the place of its object, where another one may be.
    pub(crate) fn check_moved(&mut self, state: &State, before: &Value, after: &Word) {
        if !self.asks(Check::Memory) && !self.asks(Check::Cleanup) {
            return;
        }
        let sources = self.sources(state, before);
        let mut leaves = Lit::FALSE;
        for &object in sources.iter().flat_map(|s| s.iter()) {
            let (from, _) = self.objects.inside(&mut self.c, &before.word, object);
            let (to, _) = self.objects.inside(&mut self.c, after, object);
            let left = self.c.aig.and(from, !to);
            leaves = self.c.aig.or(leaves, left);
        }
        let guard = self.c.aig.and(state.guard, leaves);
        if guard != Lit::FALSE {
            self.cut_at(guard, Why::Far);
        }
    }

    /// Lets a local be there: anew, or as it was.
    pub(crate) fn begin(&mut self, state: &mut State, local: LocalId, anew: bool) {
        let function = self.function(state.top().function);
        let declared = &function.locals[local.index()];
        if declared.home == c_data::Home::Register {
            if anew && self.asks(Check::Uninitialised) && function.own {
                Rc::make_mut(&mut state.top().locals)[local.index()] = None;
            }
            return;
        }
        let Some(object) = self.object_of(state, local) else { return };
        let size = self.objects.all[object as usize].size;
        let alive = state.memory[object as usize].as_ref().map_or(Lit::FALSE, |cells| cells.alive);
        if !anew && alive == Lit::TRUE {
            return;
        }
        if !anew && alive != Lit::FALSE {
            let guard = self.c.aig.and(state.guard, !alive);
            let what = "a block is entered by a jump past declarations";
            self.cut_at(guard, Why::Approximate(what.into()));
        }
        let fresh = self.cells(object, size, false);
        state.memory[object as usize] = Some(Rc::new(fresh));
    }

    /// Lets a local be gone.
    pub(crate) fn leave_local(&mut self, state: &mut State, local: LocalId) {
        if let Some(object) = self.object_of(state, local) {
            state.memory[object as usize] = Some(Rc::new(Cells::gone(object)));
            self.bury(state, &[object], Lit::TRUE);
        }
    }

    pub(crate) fn object_of(&self, state: &State, local: LocalId) -> Option<u32> {
        let frame = state.frames.last()?;
        let address = frame.locals[local.index()].as_ref()?.word.value()?;
        self.objects.at(address as u64)
    }

    /// What is in a new object.
    pub(crate) fn cells(&self, object: u32, size: u64, zero: bool) -> Cells {
        let mut cells = Cells::new(object, size, zero);
        if !zero && self.asks(Check::Uninitialised) {
            cells.written = Some(Rc::new(vec![Lit::FALSE; size as usize]));
        }
        cells
    }

    // What was never written.

    /// Looks at the value of a local in a register that is read.
    pub(crate) fn check_local(&mut self, state: &mut State, local: LocalId, value: &mut Value) {
        let set = std::mem::replace(&mut value.set, Lit::TRUE);
        if set == Lit::TRUE || !self.asks(Check::Uninitialised) {
            return;
        }
        let function = self.function(state.top().function);
        let named = !function.locals[local.index()].name.is_empty();
        if function.own && named {
            self.fails(state, !set);
        }
    }

    /// When the bytes that are read were written, one function for each byte. None: all of them, always.
    pub(crate) fn written_bytes(
        &mut self,
        state: &State,
        target: &Target,
        bytes: u64,
    ) -> Step<Option<Vec<Lit>>> {
        let cells = state.memory[target.object as usize].as_ref();
        let Some(flags) = cells.and_then(|cells| cells.written.clone()) else { return Ok(None) };
        let size = self.objects.all[target.object as usize].size;
        let found = match target.offset.value() {
            Some(at) => vec![at as u64],
            None => match places(&target.offset, size, bytes) {
                Some((_, places)) => places,
                None => return Ok(None),
            },
        };
        self.budget.work(found.len() as u64)?;
        let mut out = vec![Lit::FALSE; bytes as usize];
        for at in found {
            let here = Word::number(target.offset.width(), at.into());
            let same = self.c.equal(&target.offset, &here);
            for (i, slot) in out.iter_mut().enumerate() {
                let flag = flags.get(at as usize + i).copied().unwrap_or(Lit::FALSE);
                let both = self.c.aig.and(same, flag);
                *slot = self.c.aig.or(*slot, both);
            }
        }
        Ok(Some(out))
    }

    /// Of some targets, when each byte was written.
    pub(crate) fn shadow(
        &mut self,
        state: &State,
        targets: &[Target],
        bytes: u64,
    ) -> Step<Option<Vec<Lit>>> {
        if !self.asks(Check::Uninitialised) {
            return Ok(None);
        }
        let mut out = vec![Lit::FALSE; bytes as usize];
        let mut any = false;
        for target in targets {
            let flags = self.written_bytes(state, target, bytes)?;
            any |= flags.is_some();
            for (i, slot) in out.iter_mut().enumerate() {
                let flag = flags.as_ref().map_or(Lit::TRUE, |f| f[i]);
                let both = self.c.aig.and(target.when, flag);
                *slot = self.c.aig.or(*slot, both);
            }
        }
        Ok(any.then_some(out))
    }

    /// Says of bytes that were just copied which of them were written.
    pub(crate) fn unwrite(&mut self, state: &mut State, to: &Value, flags: &[Lit]) -> Step<()> {
        let targets = self.resolve(state, to, flags.len() as u64, true);
        for target in &targets {
            let size = self.objects.all[target.object as usize].size;
            let found = match target.offset.value() {
                Some(at) => vec![at as u64],
                None => places(&target.offset, size, flags.len() as u64)
                    .map_or(Vec::new(), |(_, places)| places),
            };
            self.budget.work(found.len() as u64)?;
            let Some(cells) = state.memory[target.object as usize].as_mut() else { continue };
            let cells = Rc::make_mut(cells);
            let all = || Rc::new(vec![Lit::TRUE; size as usize]);
            let list = Rc::make_mut(cells.written.get_or_insert_with(all));
            for at in found {
                let here = Word::number(target.offset.width(), at.into());
                let same = self.c.equal(&target.offset, &here);
                let when = self.c.aig.and(same, target.when);
                for (i, flag) in flags.iter().enumerate() {
                    let slot = &mut list[at as usize + i];
                    *slot = self.c.aig.ite(when, *flag, *slot);
                }
            }
        }
        Ok(())
    }

    /// Notes that some bits of bytes are written, which counts for all of them.
    pub(crate) fn check_bits(&mut self, state: &mut State, to: &Value, bytes: u64) -> Step<()> {
        if !self.asks(Check::Uninitialised) {
            return Ok(());
        }
        let targets = self.resolve(state, to, bytes, true);
        if let Some(flags) = self.shadow(state, &targets, bytes)? {
            let all = self.c.aig.and_all(flags);
            let guard = self.c.aig.and(state.guard, !all);
            let what = "bits of a byte are written of which others never were";
            self.cut_at(guard, Why::Uncovered(what.into()));
        }
        Ok(())
    }

    // The library.

    /// Notes where a function of the library prints what is not seen to be a string.
    pub(crate) fn check_printed(
        &mut self,
        state: &State,
        name: &str,
        args: &[Value],
        types: &[Ty],
    ) {
        if !self.scopes() {
            return;
        }
        let format = match name {
            "printf" | "__printf" => 0,
            "fprintf" => 1,
            "puts" | "fputs" => {
                if args.first().is_none_or(|a| self.text_at(state, a).is_none()) {
                    self.not_followed(state, name);
                }
                return;
            }
            "putchar" | "putc" | "fputc" | "putchar_unlocked" | "_IO_putc" | "fflush" => return,
            _ => return self.not_followed(state, name),
        };
        let text = args.get(format).and_then(|a| self.text_at(state, a));
        let Some(conversions) = text.as_deref().and_then(conversions) else {
            return self.not_followed(state, name);
        };
        let mut at = format + 1;
        for (kind, stars) in conversions {
            at += stars;
            let pointer = types.get(at).is_some_and(|ty| self.program.types.pointee(*ty).is_some());
            let good = match kind {
                b's' => args.get(at).is_some_and(|a| self.text_at(state, a).is_some()),
                b'p' => pointer,
                _ => at < args.len() && !pointer,
            };
            if !good {
                return self.not_followed(state, name);
            }
            at += 1;
        }
    }

    fn not_followed(&mut self, state: &State, name: &str) {
        let what = format!("{}: what `{name}` reads is not followed", self.place(self.now));
        self.cut(state, Why::Uncovered(what));
    }

    /// The string at an address, where it is one of the program's that never changes.
    fn text_at(&self, _: &State, value: &Value) -> Option<Vec<u8>> {
        let address = value.word.value()? as u64;
        let id = self.objects.at(address)?;
        let object = &self.objects.all[id as usize];
        if object.kind != Kind::Static || !object.read_only {
            return None;
        }
        let number = self.statics.iter().position(|s| *s == id)?;
        let of = &self.program.objects[number];
        let bytes = of.bytes.get((address - object.base) as usize..)?;
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        let inside = (address - object.base) + (end as u64) < object.size;
        inside.then(|| bytes[..end].to_vec())
    }

    /// The expression whose operation is executed.
    pub(crate) fn at_expr(&mut self, e: Option<ExprId>) {
        self.expr = e;
    }
}

/// The conversions of a format: their letters, and how many numbers they take before their argument.
fn conversions(format: &[u8]) -> Option<Vec<(u8, usize)>> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < format.len() {
        if format[at] != b'%' {
            at += 1;
            continue;
        }
        at += 1;
        let mut stars = 0;
        while at < format.len() && b"-+ #0123456789.*hlLqjzt'".contains(&format[at]) {
            stars += usize::from(format[at] == b'*');
            at += 1;
        }
        match format.get(at)? {
            b'%' => {}
            letter @ (b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' | b's' | b'p' | b'f'
            | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A') => out.push((*letter, stars)),
            _ => return None,
        }
        at += 1;
    }
    Some(out)
}
