//! What a statement does to the variables of a program, as terms.
//!
//! The meaning is that of the data program and its search: arithmetic wraps, a shift is by the lowest bits of its
//! distance, and a run ends at a division that has no result. Where everything must be exact, what has no words is an
//! error; otherwise it is arbitrary.

use crate::places::{Base, Places, operands};
use crate::terms::{Cmp, Op, Term, Terms};
use c_data::{
    BinOp, ExprId, ExprKind, FuncId, Function, Home, LocalId, Program, Root, StmtKind, UnOp,
};
use c_types::{Kind, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why something cannot be said.
pub(crate) type Refusal = String;

/// How values of a type are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    pub(crate) bits: u32,
    pub(crate) signed: bool,
    /// It is a number with a fraction.
    pub(crate) float: bool,
    /// It is the address of an aggregate.
    pub(crate) aggregate: bool,
}

pub(crate) fn class(program: &Program, ty: Ty) -> Class {
    let types = &program.types;
    let pointer = u32::from(types.model().pointer);
    let plain = |bits, signed| Class { bits, signed, float: false, aggregate: false };
    match types.kind(ty) {
        Kind::Void => plain(32, false),
        Kind::Float(_) => {
            let bits = 8 * types.size(ty).unwrap_or(8) as u32;
            Class { bits, signed: true, float: true, aggregate: false }
        }
        Kind::Pointer(_) => plain(pointer, false),
        Kind::Bool => plain(8, false),
        _ => match types.as_int(ty) {
            Some(int) => plain(int.bits.into(), int.signed),
            None => Class { aggregate: true, ..plain(pointer, false) },
        },
    }
}

/// A variable of the program; without bits, its memory.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) bits: u32,
}

/// The variables of a function.
#[derive(Debug, Default)]
pub(crate) struct Own {
    pub(crate) slots: Vec<Slot>,
    local: Vec<Option<usize>>,
    cell: FxHashMap<(LocalId, u64), usize>,
}

impl Own {
    /// The variable of a local: its value, or its address.
    pub(crate) fn local(&self, l: LocalId) -> Option<usize> {
        self.local[l.index()]
    }
    pub(crate) fn cell(&self, l: LocalId, at: u64) -> Option<usize> {
        self.cell.get(&(l, at)).copied()
    }
}

/// Where objects lie. Functions and static objects lie below what is allocated.
const FUNCTIONS: u64 = 0x10_0000;
const OBJECTS: u64 = 0x100_0000;
pub(crate) const HEAP: u64 = 0x4000_0000;
const HEAP_END: u64 = 0x6000_0000;
/// An address below this is null, or as good as that.
const NULL_PAGE: u64 = 0x1000;
/// The most bytes of one allocation, of static objects in memory, and of one copy.
const MOST: u64 = 1 << 24;
const MAX_STATIC: u64 = 4_096;
const MAX_COPIED: u64 = 512;
/// The size of locals that become arbitrary in place when they are declared again.
const SMALL: u64 = 16;

/// The variables of a program, and what statements do to them.
pub(crate) struct Executor<'p> {
    pub(crate) program: &'p Program,
    pub(crate) places: Places,
    pub(crate) own: Vec<Own>,
    pub(crate) globals: Vec<Slot>,
    cell: FxHashMap<(c_data::ObjectId, u64), usize>,
    /// The slots of memory, and of where it is free.
    pub(crate) memory: usize,
    pub(crate) free: usize,
    bases: Vec<u64>,
    pub(crate) terms: Terms,
    /// What has no words is arbitrary, and memory is not followed.
    pub(crate) coarse: bool,
    /// The model of `exit`, if it does nothing but end the run.
    pub(crate) exit: Option<FuncId>,
}

/// Where a run is: what variables are, and what holds.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) function: FuncId,
    pub(crate) own: Vec<Term>,
    pub(crate) global: Vec<Term>,
    pub(crate) conditions: Vec<Term>,
}

impl<'p> Executor<'p> {
    pub(crate) fn new(program: &'p Program, coarse: bool) -> Executor<'p> {
        let places = Places::new(program);
        let mut own = Vec::new();
        for (i, f) in program.functions.iter().enumerate() {
            own.push(own_slots(program, &places, FuncId::new(i), f));
        }
        let mut globals = Vec::new();
        let mut cell = FxHashMap::default();
        let mut bases = Vec::new();
        let mut next = OBJECTS;
        for (i, object) in program.objects.iter().enumerate() {
            let id = c_data::ObjectId::new(i);
            next = next.next_multiple_of(object.align.max(16));
            bases.push(next);
            next += object.size + 16;
            for &(at, bytes) in places.of(Base::Object(id)).into_iter().flatten() {
                cell.insert((id, at), globals.len());
                let name =
                    if at == 0 { object.name.clone() } else { format!("{}.{at}", object.name) };
                globals.push(Slot { name, bits: 8 * bytes as u32 });
            }
        }
        let pointer = u32::from(program.types.model().pointer);
        let memory = globals.len();
        globals.push(Slot { name: "memory".to_owned(), bits: 0 });
        globals.push(Slot { name: "free".to_owned(), bits: pointer });
        let terms = Terms::default();
        let free = memory + 1;
        Executor {
            program,
            places,
            own,
            globals,
            cell,
            memory,
            free,
            bases,
            terms,
            coarse,
            exit: None,
        }
    }

    pub(crate) fn function(&self, f: FuncId) -> &'p Function {
        &self.program.functions[f.index()]
    }
    /// Whether a call of a function ends the run.
    pub(crate) fn ends(&self, f: FuncId) -> bool {
        self.exit == Some(f)
    }
    pub(crate) fn class(&self, ty: Ty) -> Class {
        class(self.program, ty)
    }
    fn pointer(&self) -> u32 {
        self.program.types.model().pointer.into()
    }
    /// The slot of a scalar of a static object.
    pub(crate) fn global_cell(&self, o: c_data::ObjectId, at: u64) -> Option<usize> {
        self.cell.get(&(o, at)).copied()
    }

    /// What cannot be said, or something arbitrary in its place.
    pub(crate) fn beyond(&mut self, what: impl Into<String>, bits: u32) -> Result<Term, Refusal> {
        match self.coarse {
            true => Ok(self.terms.fresh("any", bits)),
            false => Err(what.into()),
        }
    }

    /// Arbitrary values for slots.
    pub(crate) fn arbitrary(&mut self, slots: &[Slot]) -> Vec<Term> {
        slots.iter().map(|s| self.terms.fresh(&s.name, s.bits)).collect()
    }

    pub(crate) fn address_of_function(&self, f: FuncId) -> u64 {
        FUNCTIONS + 16 * f.index() as u64
    }

    fn root(&mut self, path: &mut Path, root: Root) -> Result<Term, Refusal> {
        let bits = self.pointer();
        if self.program.may_be_absent(root) {
            return self.beyond("the address of what need not be there is used", bits);
        }
        if self.coarse {
            let any = self.terms.fresh("address", bits);
            let there = self.terms.is_true(any);
            path.conditions.push(there);
            return Ok(any);
        }
        match root {
            Root::Object(o) => {
                let object = &self.program.objects[o.index()];
                if !object.defined {
                    return Err(format!("`{}` is not defined here", object.name));
                }
                Ok(self.terms.number(bits, self.bases[o.index()].into()))
            }
            Root::Function(f) => {
                let at = self.address_of_function(f);
                Ok(self.terms.number(bits, at.into()))
            }
            Root::Label(..) => Err("the address of a label is used".to_owned()),
        }
    }

    /// The value of an expression.
    pub(crate) fn eval(&mut self, path: &mut Path, root: ExprId) -> Result<Term, Refusal> {
        let id = path.function;
        let f = self.function(id);
        let mut needed = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(e) = stack.pop() {
            // A scalar that is a variable needs no address.
            let variable = match f.expr(e).kind {
                ExprKind::Load(a) => self.places.at(id, a).is_some(),
                _ => false,
            };
            if needed.insert(e) && !variable {
                stack.extend(operands(&f.expr(e).kind).into_iter().flatten());
            }
        }
        let mut order: Vec<ExprId> = needed.into_iter().collect();
        order.sort_unstable();
        let mut values: FxHashMap<ExprId, Term> = FxHashMap::default();
        for e in order {
            let expr = f.expr(e);
            let class = self.class(expr.ty);
            let of = |e: ExprId| values[&e];
            let float = class.float
                || operands(&expr.kind)
                    .into_iter()
                    .flatten()
                    .any(|a| self.class(f.expr(a).ty).float);
            let value = if float && !matches!(expr.kind, ExprKind::Load(_) | ExprKind::Local(_)) {
                self.beyond("numbers with fractions are computed with", class.bits)?
            } else {
                match expr.kind {
                    ExprKind::Int(n) => self.terms.number(class.bits, n as u128),
                    ExprKind::Float(_) => self.beyond("a number with a fraction", class.bits)?,
                    ExprKind::Local(l) | ExprKind::AddressOf(l) => {
                        match self.own[id.index()].local(l) {
                            Some(slot) => path.own[slot],
                            None => self.terms.number(self.pointer(), 0),
                        }
                    }
                    ExprKind::Root(root) => self.root(path, root)?,
                    ExprKind::Load(a) => self.load(path, (f, a), &values, expr.ty)?,
                    ExprKind::LoadBits(a, first, width) => {
                        let (first, width) = (u32::from(first), u32::from(width));
                        let bytes = (first + width).div_ceil(8);
                        let word = self.read(path, of(a), bytes.into())?;
                        let part = self.terms.slice(word, first, width);
                        self.terms.resized(part, class.bits, class.signed)
                    }
                    ExprKind::Unary(UnOp::Not, a) => self.terms.not(of(a)),
                    ExprKind::Unary(UnOp::Neg, a) => {
                        let (a, zero) = (of(a), self.terms.number(class.bits, 0));
                        let a = self.terms.resized(a, class.bits, class.signed);
                        self.terms.op(Op::Sub, zero, a)
                    }
                    ExprKind::Convert(a) => {
                        let signed = self.class(f.expr(a).ty).signed;
                        self.terms.resized(of(a), class.bits, signed)
                    }
                    ExprKind::Binary(op, a, b) => {
                        let types = (f.expr(a).ty, f.expr(b).ty);
                        self.binary(path, op, (of(a), of(b)), types, class.bits)
                    }
                }
            };
            values.insert(e, value);
        }
        Ok(values[&root])
    }

    fn load(
        &mut self,
        path: &mut Path,
        (f, address): (&Function, ExprId),
        values: &FxHashMap<ExprId, Term>,
        ty: Ty,
    ) -> Result<Term, Refusal> {
        let class = self.class(ty);
        let types = &self.program.types;
        let bytes = types.size(ty).unwrap_or(0);
        let to = types.pointee(f.expr(address).ty);
        if to.is_some_and(|ty| types.is_volatile(ty)) {
            return self.beyond("what is `volatile` may change by itself", class.bits);
        }
        let word = match self.places.at(path.function, address) {
            Some((base, at)) => self.scalar(path, base, at),
            None => self.read(path, values[&address], bytes)?,
        };
        Ok(self.terms.resized(word, class.bits, false))
    }

    fn scalar(&mut self, path: &Path, base: Base, at: u64) -> Term {
        match base {
            Base::Object(o) => path.global[self.cell[&(o, at)]],
            Base::Local(f, l) => path.own[self.own[f.index()].cell[&(l, at)]],
        }
    }

    /// Bytes of memory.
    fn read(&mut self, path: &mut Path, address: Term, bytes: u64) -> Result<Term, Refusal> {
        if self.coarse {
            return Ok(self.terms.fresh("read", 8 * bytes as u32));
        }
        self.not_null(path, address);
        let memory = path.global[self.memory];
        let mut word: Option<Term> = None;
        for i in 0..bytes {
            let at = self.moved(address, i);
            let byte = self.terms.select(memory, at);
            word = Some(match word {
                Some(low) => self.terms.concat(byte, low),
                None => byte,
            });
        }
        word.ok_or_else(|| "something of no size is read".to_owned())
    }

    fn moved(&mut self, address: Term, by: u64) -> Term {
        let by = self.terms.number(self.terms.bits(address), by.into());
        self.terms.op(Op::Add, address, by)
    }

    fn not_null(&mut self, path: &mut Path, address: Term) {
        let null = self.terms.number(self.terms.bits(address), NULL_PAGE.into());
        let there = self.terms.compare(Cmp::LeU, null, address);
        path.conditions.push(there);
    }

    pub(crate) fn write(&mut self, path: &mut Path, address: Term, word: Term) {
        if self.coarse {
            return;
        }
        self.not_null(path, address);
        for i in 0..self.terms.bits(word) / 8 {
            let at = self.moved(address, i.into());
            let byte = self.terms.slice(word, 8 * i, 8);
            path.global[self.memory] = self.terms.store(path.global[self.memory], at, byte);
        }
    }

    pub(crate) fn binary(
        &mut self,
        path: &mut Path,
        op: BinOp,
        (a, b): (Term, Term),
        (left, right): (Ty, Ty),
        out: u32,
    ) -> Term {
        let (x, y) = (self.class(left), self.class(right));
        self.operator(&mut path.conditions, op, (a, x), (b, y), out)
    }

    /// An operator of C on words.
    pub(crate) fn operator(
        &mut self,
        conditions: &mut Vec<Term>,
        op: BinOp,
        (a, class): (Term, Class),
        (b, other): (Term, Class),
        out: u32,
    ) -> Term {
        let (bits, signed) = (class.bits, class.signed);
        let t = &mut self.terms;
        let x = t.resized(a, bits, signed);
        if let BinOp::Shl | BinOp::Shr = op {
            let wide = if matches!(bits, 32 | 64 | 128) { bits } else { 64 };
            let x = t.resized(x, wide, signed);
            let by = t.resized(b, wide.trailing_zeros(), other.signed);
            let by = t.extend(by, wide, false);
            let op = match (op, signed) {
                (BinOp::Shl, _) => Op::Shl,
                (_, true) => Op::ShrS,
                _ => Op::ShrU,
            };
            let word = t.op(op, x, by);
            return t.resized(word, out, false);
        }
        let y = t.resized(b, bits, other.signed);
        if op.compares() {
            let holds = match (op, signed) {
                (BinOp::Eq, _) => t.equal(x, y),
                (BinOp::Ne, _) => {
                    let is = t.equal(x, y);
                    t.not(is)
                }
                (BinOp::Lt, true) => t.compare(Cmp::LtS, x, y),
                (BinOp::Lt, _) => t.compare(Cmp::LtU, x, y),
                (_, true) => t.compare(Cmp::LeS, x, y),
                _ => t.compare(Cmp::LeU, x, y),
            };
            return t.extend(holds, out, false);
        }
        let op = match (op, signed) {
            (BinOp::Add, _) => Op::Add,
            (BinOp::Sub, _) => Op::Sub,
            (BinOp::Mul, _) => Op::Mul,
            (BinOp::And, _) => Op::And,
            (BinOp::Or, _) => Op::Or,
            (BinOp::Xor, _) => Op::Xor,
            (BinOp::Div, false) => Op::DivU,
            (BinOp::Rem, false) => Op::RemU,
            (BinOp::Div, true) => Op::DivS,
            _ => Op::RemS,
        };
        if let Op::DivU | Op::RemU | Op::DivS | Op::RemS = op {
            // A division by zero ends a run, and so does what does not fit.
            let divides = t.is_true(y);
            conditions.push(divides);
            if signed {
                let (least, minus) = (t.number(bits, 1 << (bits - 1)), t.number(bits, u128::MAX));
                let (a, b) = (t.equal(x, least), t.equal(y, minus));
                let over = t.and(a, b);
                let fits = t.not(over);
                conditions.push(fits);
            }
        }
        let word = t.op(op, x, y);
        t.resized(word, out, signed)
    }

    pub(crate) fn set(&mut self, path: &mut Path, local: LocalId, value: Term) {
        let own = &self.own[path.function.index()];
        if let Some(slot) = own.local(local) {
            let bits = own.slots[slot].bits;
            path.own[slot] = self.terms.resized(value, bits, false);
        }
    }

    /// What a statement does that is no call.
    pub(crate) fn statement(&mut self, path: &mut Path, kind: &StmtKind) -> Result<(), Refusal> {
        let id = path.function;
        let f = self.function(id);
        match kind {
            StmtKind::Set(local, e) => {
                let value = self.eval(path, *e)?;
                self.set(path, *local, value);
            }
            StmtKind::Eval(e) => {
                self.eval(path, f.wanted(*e))?;
            }
            StmtKind::Store { to, value } => {
                let ty = f.expr(*value).ty;
                let named = self.places.at(id, *to);
                let address = match named {
                    Some(_) => None,
                    None => Some(self.eval(path, *to)?),
                };
                let value = self.eval(path, *value)?;
                let bits = 8 * self.program.types.size(ty).unwrap_or(0) as u32;
                let word = self.terms.resized(value, bits, self.class(ty).signed);
                match (named, address) {
                    (Some((Base::Object(o), at)), _) => path.global[self.cell[&(o, at)]] = word,
                    (Some((Base::Local(_, l), at)), _) => {
                        path.own[self.own[id.index()].cell[&(l, at)]] = word;
                    }
                    (None, Some(address)) => self.write(path, address, word),
                    (None, None) => {}
                }
            }
            StmtKind::StoreBits { to, first, width, value } => {
                let (first, width) = (u32::from(*first), u32::from(*width));
                let address = self.eval(path, *to)?;
                let value = self.eval(path, *value)?;
                let bytes = (first + width).div_ceil(8);
                let old = self.read(path, address, bytes.into())?;
                let new = self.terms.resized(value, width, false);
                let word = self.with_bits(old, new, first);
                self.write(path, address, word);
            }
            StmtKind::Copy { to, from, size } => {
                let (to, from) = (self.eval(path, *to)?, self.eval(path, *from)?);
                self.copy(path, to, from, *size)?;
            }
            StmtKind::Zero { to, size } => self.zero(path, *to, *size)?,
            StmtKind::Allocate { to, size } => {
                let size = self.eval(path, *size)?;
                let address = self.allocate(path, size);
                self.set(path, *to, address);
            }
            StmtKind::Begin(local) => self.begin(path, *local),
            StmtKind::Mark(_) | StmtKind::Free(_) | StmtKind::Alive(_) | StmtKind::Leave(_) => {}
            StmtKind::Within { .. } => {}
            StmtKind::Overflow { op, operands, result, overflow } => {
                self.exact(path, *op, *operands, (*result, *overflow))?;
            }
            StmtKind::VaNext { to, .. } => {
                let bits = self.pointer();
                let any = self.beyond("arguments of `...` are read", bits)?;
                self.set(path, *to, any);
            }
            StmtKind::SetJump { .. } => {
                return Err("`setjmp` is called".to_owned());
            }
            StmtKind::VaStart(_) => {
                self.beyond("arguments of `...` are read", 1)?;
            }
            StmtKind::Closure { .. } => {
                return Err("a function inside of another is called through a pointer".to_owned());
            }
            StmtKind::NotCovered(what) => return Err(what.clone()),
            StmtKind::Call(_) => {}
        }
        Ok(())
    }

    /// A word with some of its bits exchanged.
    fn with_bits(&mut self, old: Term, new: Term, first: u32) -> Term {
        let t = &mut self.terms;
        let (bits, width) = (t.bits(old), t.bits(new));
        let mut word = new;
        if first > 0 {
            let low = t.slice(old, 0, first);
            word = t.concat(word, low);
        }
        if first + width < bits {
            let high = t.slice(old, first + width, bits - first - width);
            word = t.concat(high, word);
        }
        word
    }

    /// A local that is declared has no value yet.
    fn begin(&mut self, path: &mut Path, local: LocalId) {
        let f = self.function(path.function);
        let own = &self.own[path.function.index()];
        if let (Home::Memory, Some(slot), false) =
            (f.locals[local.index()].home, own.local(local), self.coarse)
        {
            let size = self.program.types.size(f.locals[local.index()].ty).unwrap_or(0);
            match size <= SMALL {
                true if size > 0 => {
                    let any = self.terms.fresh("new", 8 * size as u32);
                    self.write(path, path.own[slot], any);
                }
                // A new object instead of many arbitrary bytes.
                _ => {
                    let size = self.terms.number(self.pointer(), size.into());
                    path.own[slot] = self.allocate(path, size);
                }
            }
            return;
        }
        let mut slots: Vec<usize> = Vec::new();
        if f.locals[local.index()].home == Home::Register {
            slots.extend(own.local(local));
        }
        slots.extend(own.cell.iter().filter(|((l, _), _)| *l == local).map(|(_, slot)| *slot));
        slots.sort_unstable();
        for slot in slots {
            let Slot { name, bits } = self.own[path.function.index()].slots[slot].clone();
            path.own[slot] = self.terms.fresh(&name, bits);
        }
    }

    pub(crate) fn copy(
        &mut self,
        path: &mut Path,
        to: Term,
        from: Term,
        size: u64,
    ) -> Result<(), Refusal> {
        if size == 0 || self.coarse {
            return Ok(());
        }
        if size > MAX_COPIED {
            return Err(format!("{size} bytes are copied at once"));
        }
        let word = self.read(path, from, size)?;
        self.write(path, to, word);
        Ok(())
    }

    fn zero(&mut self, path: &mut Path, to: ExprId, size: u64) -> Result<(), Refusal> {
        let id = path.function;
        if let Some((base, from)) = self.places.at(id, to) {
            let cells: Vec<u64> = self.places.of(base).into_iter().flatten().map(|c| c.0).collect();
            for at in cells.into_iter().filter(|at| (from..from + size).contains(at)) {
                let (slots, slot) = match base {
                    Base::Object(o) => (&mut path.global, self.cell[&(o, at)]),
                    Base::Local(_, l) => (&mut path.own, self.own[id.index()].cell[&(l, at)]),
                };
                slots[slot] = self.terms.number(self.terms.bits(slots[slot]), 0);
            }
            return Ok(());
        }
        let address = self.eval(path, to)?;
        self.fill(path, address, 0, size)
    }

    /// Gives bytes of memory a value.
    pub(crate) fn fill(
        &mut self,
        path: &mut Path,
        address: Term,
        byte: u8,
        size: u64,
    ) -> Result<(), Refusal> {
        if self.coarse || size == 0 {
            return Ok(());
        }
        if size > MAX_COPIED {
            return Err(format!("{size} bytes are set at once"));
        }
        for i in 0..size {
            let at = self.moved(address, i);
            let byte = self.terms.number(8, byte.into());
            self.write(path, at, byte);
        }
        Ok(())
    }

    /// The address of a new object. Every object has an address of its own, for ever.
    pub(crate) fn allocate(&mut self, path: &mut Path, size: Term) -> Term {
        let bits = self.pointer();
        if self.coarse {
            let any = self.terms.fresh("address", bits);
            let there = self.terms.is_true(any);
            path.conditions.push(there);
            return any;
        }
        let address = path.global[self.free];
        let t = &mut self.terms;
        let size = t.resized(size, bits, false);
        let (most, end) = (t.number(bits, MOST.into()), t.number(bits, HEAP_END.into()));
        let (small, room) = (t.compare(Cmp::LeU, size, most), t.compare(Cmp::LtU, address, end));
        path.conditions.extend([small, room]);
        let (up, down) = (t.number(bits, 31), t.number(bits, !15));
        let size = t.op(Op::Add, size, up);
        let size = t.op(Op::And, size, down);
        path.global[self.free] = t.op(Op::Add, address, size);
        address
    }

    fn exact(
        &mut self,
        path: &mut Path,
        op: BinOp,
        operands: (ExprId, ExprId),
        (result, overflow): (LocalId, LocalId),
    ) -> Result<(), Refusal> {
        let f = self.function(path.function);
        let classes = [operands.0, operands.1].map(|e| self.class(f.expr(e).ty));
        let out = self.class(f.locals[result.index()].ty);
        let (a, b) = (self.eval(path, operands.0)?, self.eval(path, operands.1)?);
        // Room for the exact result and its sign.
        let bits = 2 + 2 * classes.iter().map(|c| c.bits).max().unwrap_or(64).max(out.bits);
        let t = &mut self.terms;
        let (x, y) = (t.resized(a, bits, classes[0].signed), t.resized(b, bits, classes[1].signed));
        let op = match op {
            BinOp::Add => Op::Add,
            BinOp::Sub => Op::Sub,
            _ => Op::Mul,
        };
        let whole = t.op(op, x, y);
        let cut = t.resized(whole, out.bits, false);
        let again = t.resized(cut, bits, out.signed);
        let fits = t.equal(whole, again);
        let over = t.not(fits);
        let over = t.extend(over, 8, false);
        self.set(path, result, cut);
        self.set(path, overflow, over);
        Ok(())
    }

    /// What static variables are at first, and memory with the objects that are in it.
    pub(crate) fn start(&mut self, used: &[bool]) -> Result<Vec<Term>, Refusal> {
        let slots = self.globals.clone();
        let mut global = self.arbitrary(&slots);
        let bits = self.pointer();
        global[self.free] = self.terms.number(bits, HEAP.into());
        let mut path =
            Path { function: FuncId::new(0), own: Vec::new(), global, conditions: Vec::new() };
        let mut all = 0;
        for (i, object) in self.program.objects.iter().enumerate() {
            let id = c_data::ObjectId::new(i);
            let cells = self.places.of(Base::Object(id)).cloned();
            if cells.is_none() && !used.get(i).copied().unwrap_or(false) {
                continue;
            }
            if !object.defined {
                if cells.is_some() && !self.coarse {
                    return Err(format!("`{}` is not defined here", object.name));
                }
                continue;
            }
            let mut bytes: Vec<u8> = object.bytes.clone();
            bytes.resize(object.size as usize, 0);
            let word = |t: &mut Terms, at: u64, count: u64| {
                let part = bytes[at as usize..(at + count) as usize].iter().rev();
                t.number(8 * count as u32, part.fold(0, |n, &b| n << 8 | u128::from(b)))
            };
            let pointer = u64::from(bits / 8);
            match cells {
                Some(cells) => {
                    for (at, count) in cells {
                        let here = object.addresses.iter().find(|a| a.0 == at && count == pointer);
                        let near = |a: &&(u64, Root, i64)| a.0 < at + count && at < a.0 + pointer;
                        let value = match (here, object.addresses.iter().find(near)) {
                            (Some(&(_, root, by)), _) => self.rooted(&mut path, root, by)?,
                            (None, None) if count <= 16 => word(&mut self.terms, at, count),
                            _ => self.beyond("a part of an address is read", 8 * count as u32)?,
                        };
                        path.global[self.cell[&(id, at)]] = value;
                    }
                }
                None if self.coarse => {}
                None => {
                    all += object.size;
                    if all > MAX_STATIC {
                        return Err(format!(
                            "static objects in memory have more than {MAX_STATIC} bytes (`{}` is one of them)",
                            object.name
                        ));
                    }
                    let base = self.terms.number(bits, self.bases[i].into());
                    for at in 0..object.size {
                        let (place, byte) = (self.moved(base, at), word(&mut self.terms, at, 1));
                        self.write(&mut path, place, byte);
                    }
                    for &(at, root, by) in &object.addresses {
                        let (place, value) =
                            (self.moved(base, at), self.rooted(&mut path, root, by)?);
                        self.write(&mut path, place, value);
                    }
                }
            }
        }
        Ok(path.global)
    }

    fn rooted(&mut self, path: &mut Path, root: Root, by: i64) -> Result<Term, Refusal> {
        let address = self.root(path, root)?;
        let by = self.terms.number(self.pointer(), by as u128);
        Ok(self.terms.op(Op::Add, address, by))
    }
}

fn own_slots(program: &Program, places: &Places, id: FuncId, f: &Function) -> Own {
    let mut own = Own { local: vec![None; f.locals.len()], ..Own::default() };
    for (i, local) in f.locals.iter().enumerate() {
        let l = LocalId::new(i);
        let name = if local.name.is_empty() { format!("value{i}") } else { local.name.clone() };
        let cells = match local.home {
            Home::Memory => places.of(Base::Local(id, l)),
            _ => None,
        };
        match (local.home, cells) {
            (Home::Memory, Some(cells)) => {
                for &(at, bytes) in cells {
                    own.cell.insert((l, at), own.slots.len());
                    let name = if at == 0 { name.clone() } else { format!("{name}.{at}") };
                    own.slots.push(Slot { name, bits: 8 * bytes as u32 });
                }
            }
            _ => {
                let bits = match local.home {
                    Home::Register => class(program, local.ty).bits,
                    _ => program.types.model().pointer.into(),
                };
                own.local[i] = Some(own.slots.len());
                own.slots.push(Slot { name, bits });
            }
        }
    }
    own
}
