//! The data program → code.

use crate::code::{
    Bin, Cell, Code, Conv, Exact, FrameObject, Op, Pc, Reg, Routine, Shape, Spot, Table, Visit,
    Wide,
};
use c_data::{
    At, BinOp, BlockId, Callee, Check, End, ExprId, ExprKind, FuncId, Function, Home, LocalId,
    Point, Program, Root, StmtKind, UnOp,
};
use c_types::{FloatKind, Kind, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a type's values are kept in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// An integer of at most 64 bits, or an address.
    Int(Shape),
    Wide {
        signed: bool,
    },
    F32,
    /// `double`, and `long double` with as many bits.
    F64,
    Extended,
    /// The address of an aggregate.
    Address,
    Nothing,
}

impl Class {
    pub(crate) fn of(program: &Program, ty: Ty) -> Class {
        let types = &program.types;
        match types.kind(ty) {
            Kind::Void => Class::Nothing,
            Kind::Float(FloatKind::Float) => Class::F32,
            Kind::Float(FloatKind::Double) => Class::F64,
            Kind::Float(FloatKind::LongDouble) => Class::Extended,
            Kind::Pointer(_) => Class::Int(Shape { bits: types.model().pointer, signed: false }),
            Kind::Bool => Class::Int(Shape { bits: 8, signed: false }),
            _ => match types.as_int(ty) {
                Some(int) if int.bits > 64 => Class::Wide { signed: int.signed },
                Some(int) => Class::Int(Shape { bits: int.bits, signed: int.signed }),
                None => Class::Address,
            },
        }
    }
    /// How many registers it takes.
    pub(crate) fn registers(self) -> u32 {
        match self {
            Class::Wide { .. } => 2,
            Class::Nothing => 0,
            _ => 1,
        }
    }
    /// How it lies in memory.
    pub(crate) fn cell(self, size: u64) -> Cell {
        match self {
            Class::Wide { .. } => Cell::Wide,
            Class::F32 => Cell::U32,
            Class::Extended => Cell::Extended,
            Class::Int(Shape { signed, .. }) => match (size, signed) {
                (1, true) => Cell::S8,
                (1, false) => Cell::U8,
                (2, true) => Cell::S16,
                (2, false) => Cell::U16,
                (4, true) => Cell::S32,
                (4, false) => Cell::U32,
                _ => Cell::Word,
            },
            _ => Cell::Word,
        }
    }
}

/// Where addresses are, once all is laid out.
pub(crate) struct Layout {
    pub(crate) objects: Vec<u64>,
    /// Numbers of labels whose address is taken.
    pub(crate) labels: FxHashMap<(FuncId, u32), u32>,
    /// What need not be there, and is not.
    pub(crate) absent: FxHashSet<Root>,
}

impl Layout {
    pub(crate) fn address(&mut self, root: Root) -> u64 {
        match root {
            _ if self.absent.contains(&root) => 0,
            Root::Object(o) => self.objects[o.index()],
            Root::Function(f) => crate::memory::FUNCTIONS + 16 * f.index() as u64,
            Root::Label(f, block) => {
                let next = self.labels.len() as u32;
                let number = *self.labels.entry((f, block.index() as u32)).or_insert(next);
                crate::memory::LABELS + 16 * u64::from(number)
            }
        }
    }
}

/// Enough for expressions as deep as `c-data` makes them.
const STACK_BYTES: usize = 256 << 20;

/// What of a run is watched.
#[derive(Default)]
pub(crate) struct WatchList {
    /// Places at which runs end.
    pub(crate) points: FxHashSet<Point>,
    /// Lines of the program's own functions are told.
    pub(crate) lines: bool,
    /// Operations that fail are told apart.
    pub(crate) check: Option<Check>,
    /// Heads of loops are watched.
    pub(crate) heads: bool,
    /// Locals of inner blocks are gone behind them.
    pub(crate) scopes: bool,
    /// It is told what variables hold.
    pub(crate) values: bool,
}

/// Compiles all functions. None if there is no thread to do it on.
pub(crate) fn compile(program: &Program, layout: &mut Layout, watched: &WatchList) -> Option<Code> {
    std::thread::scope(|scope| {
        let work = || compile_here(program, layout, watched);
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        match thread.ok()?.join() {
            Ok(code) => Some(code),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn compile_here(program: &Program, layout: &mut Layout, watched: &WatchList) -> Code {
    let names = program.objects.iter().map(|o| o.name.clone()).collect();
    let declared = program.objects.iter().map(|o| o.at).collect();
    let mut code = Code { names, declared, ..Code::default() };
    let mut starts: Vec<Vec<Pc>> = Vec::new();
    for (id, f) in program.functions.iter().enumerate() {
        let mut compiler = Compiler {
            program,
            id: FuncId::new(id),
            watched,
            f,
            code: &mut code,
            layout,
            homes: Vec::new(),
            next: 0,
            most: 0,
            at: f.at,
            starts: Vec::new(),
            spot: Spot { block: 0, stmt: 0, expr: u32::MAX },
            flags: Vec::new(),
            heads: match watched.heads {
                true => crate::repeats::heads(f),
                false => FxHashSet::default(),
            },
        };
        let routine = compiler.function();
        starts.push(compiler.starts);
        code.routines.push(routine);
    }
    let mut labels = vec![0; layout.labels.len()];
    for (&(f, block), &number) in &layout.labels {
        let pc = starts[f.index()].get(block as usize);
        labels[number as usize] = pc.copied().unwrap_or(0);
    }
    code.labels = labels;
    code
}

struct Compiler<'a> {
    program: &'a Program,
    id: FuncId,
    watched: &'a WatchList,
    /// Heads of loops, if they are watched.
    heads: FxHashSet<u32>,
    f: &'a Function,
    code: &'a mut Code,
    layout: &'a mut Layout,
    /// The registers of locals.
    homes: Vec<Reg>,
    /// The next register for a value on its way.
    next: Reg,
    most: Reg,
    at: At,
    /// Where blocks start.
    starts: Vec<Pc>,
    /// The operation.
    spot: Spot,
    /// Of locals in registers, the registers that tell whether they were written, and their names.
    flags: Vec<Option<(Reg, u32)>>,
}

impl Compiler<'_> {
    fn class(&self, ty: Ty) -> Class {
        Class::of(self.program, ty)
    }
    fn size(&self, ty: Ty) -> u64 {
        self.program.types.size(ty).unwrap_or(0)
    }
    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.places.push(self.at);
        self.code.spots.push(self.spot);
    }
    /// An instruction that is what an expression computes.
    fn emit_for(&mut self, e: ExprId, op: Op) {
        self.spot.expr = e.index() as u32;
        self.emit(op);
        self.spot.expr = u32::MAX;
    }
    fn temp(&mut self, count: u32) -> Reg {
        let reg = self.next;
        self.next += count.max(1);
        self.most = self.most.max(self.next);
        reg
    }

    fn function(&mut self) -> Routine {
        let f = self.f;
        let native = crate::library::native(&f.name).filter(|_| !f.has_body());
        let mut routine = Routine {
            name: f.name.clone(),
            native,
            has_body: f.has_body(),
            variadic: f.variadic,
            entry: self.code.ops.len() as Pc,
            own: f.own,
            looked_into: self.watched.check.is_some_and(|check| check.looks_into(f)),
            ..Routine::default()
        };
        if !f.has_body() {
            return routine;
        }
        // Parameters come first, in order, as callers put them.
        for (i, local) in f.locals.iter().enumerate() {
            let class = match local.home {
                Home::Register => self.class(local.ty),
                Home::Memory if f.params.contains(&LocalId::new(i)) => self.class(local.ty),
                Home::Memory | Home::ByAddress => Class::Address,
            };
            let home = self.temp(class.registers());
            self.homes.push(home);
            let is_param = f.params.contains(&LocalId::new(i));
            if is_param {
                routine.params = self.next;
                if let Class::Int(shape) = class
                    && local.home != Home::ByAddress
                    && let Some(conv) = narrow(shape)
                {
                    routine.narrow.push((home, conv));
                }
            }
            if local.home == Home::Memory {
                let size = self.size(local.ty);
                let value = is_param.then(|| self.class(local.ty).cell(size));
                let name = self.code.names.len() as u32;
                self.code.names.push(local.name.clone());
                self.code.declared.push(local.at);
                self.code.homes.insert(name, (self.id, LocalId::new(i)));
                let align = local.align;
                let object = FrameObject { register: home, size, align, name, value };
                routine.objects.push(object);
            }
        }
        self.note_locals(&mut routine);
        let base = self.next;
        let mut patches: Vec<(usize, u32)> = Vec::new();
        for (i, block) in f.blocks.iter().enumerate() {
            self.starts.push(self.code.ops.len() as Pc);
            let mut line = 0;
            for (k, stmt) in block.stmts.iter().enumerate() {
                self.at = stmt.at;
                self.next = base;
                (self.spot.block, self.spot.stmt) = (i as u32, k as u32);
                self.visit(Point::Before(self.id, BlockId::new(i), k as u32), &mut line);
                self.statement(&stmt.kind);
                self.note_written(&stmt.kind);
            }
            self.at = block.end_at;
            self.next = base;
            let last = block.stmts.len() as u32;
            (self.spot.block, self.spot.stmt) = (i as u32, last);
            self.visit(Point::Before(self.id, BlockId::new(i), last), &mut line);
            self.end(&block.end, i as u32 + 1, &mut patches);
        }
        for (at, block) in patches {
            let to = self.starts[block as usize];
            match &mut self.code.ops[at] {
                Op::Jump { to: slot }
                | Op::If { to: slot, .. }
                | Op::IfNot { to: slot, .. }
                | Op::IfBin { to: slot, .. }
                | Op::IfBinK { to: slot, .. } => *slot = to,
                _ => {}
            }
        }
        for table in self.code.tables.iter_mut().filter(|t| t.default & PENDING != 0) {
            table.default = self.starts[(table.default & !PENDING) as usize];
            for range in &mut table.ranges {
                range.2 = self.starts[range.2 as usize];
            }
        }
        routine.registers = self.most;
        routine
    }

    /// Whether it matters when locals of inner blocks are there.
    fn scopes(&self) -> bool {
        self.watched.scopes
            || matches!(self.watched.check, Some(Check::Memory | Check::Uninitialised))
    }

    /// Registers beside those of locals: whether they were written.
    fn note_locals(&mut self, routine: &mut Routine) {
        for (i, local) in self.f.locals.iter().enumerate() {
            let named = !local.name.is_empty() && local.home == Home::Register;
            if named {
                routine.named.push(self.homes[i]);
            }
            let flag = named
                && (self.watched.values || self.watched.check == Some(Check::Uninitialised))
                && !self.f.params.contains(&LocalId::new(i));
            let flag = flag.then(|| {
                self.code.names.push(local.name.clone());
                self.code.declared.push(local.at);
                (self.temp(1), self.code.names.len() as u32 - 1)
            });
            self.flags.push(flag);
            if self.watched.values && !local.name.is_empty() {
                let (local, register) = (LocalId::new(i), self.homes[i]);
                let flag = flag.map(|(flag, _)| flag);
                routine.shown.push(crate::values::ShownLocal { local, register, flag });
            }
        }
    }

    /// After a statement: the locals that it gives values, or takes them from.
    fn note_written(&mut self, kind: &StmtKind) {
        let (locals, k) = match kind {
            StmtKind::Set(local, _) => (vec![*local], 1),
            StmtKind::Call(call) => (call.result.into_iter().collect(), 1),
            StmtKind::Allocate { to, .. } | StmtKind::VaNext { to, .. } => (vec![*to], 1),
            StmtKind::SetJump { result, .. } => (vec![*result], 1),
            StmtKind::Overflow { result, overflow, .. } => (vec![*result, *overflow], 1),
            StmtKind::Closure { to, .. } => (vec![*to], 1),
            StmtKind::Begin(local) => (vec![*local], 0),
            _ => return,
        };
        for local in locals {
            if let Some(&Some((d, _))) = self.flags.get(local.index()) {
                self.emit(Op::Const { d, k });
                if k == 0 && self.watched.check == Some(Check::Uninitialised) {
                    self.emit(Op::Const { d: self.homes[local.index()], k });
                }
            }
        }
    }

    /// Tells that control is here, where somebody wants to know.
    fn visit(&mut self, point: Point, line: &mut u32) {
        let ends = self.watched.points.contains(&point);
        let new = self.watched.lines && self.f.own && self.at.line > 0 && self.at.line != *line;
        let Point::Before(_, block, first) = point else { return };
        let head = first == 0 && self.heads.contains(&(block.index() as u32));
        if !ends && !new && !head {
            return;
        }
        *line = self.at.line;
        // A place at which a run ends is told, too.
        let line = new || ends;
        let visit = Visit { function: self.id.index() as u32, at: self.at, line, ends, head };
        self.code.visits.push(visit);
        let index = self.code.visits.len() as u32 - 1;
        self.emit(Op::Visit { index });
    }

    // Statements.

    fn statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Set(local, value) => {
                let home = self.homes[local.index()];
                self.value_into(*value, Some(home));
            }
            StmtKind::Eval(value) => {
                // A run that somebody watches is what a compiler makes of it.
                let watched = !self.watched.points.is_empty() || self.watched.check.is_some();
                let value = if watched { self.f.wanted(*value) } else { *value };
                self.value(value);
            }
            StmtKind::Store { to, value } => {
                let ty = self.f.expr(*value).ty;
                let cell = self.class(ty).cell(self.size(ty));
                let (a, by) = self.address(*to);
                let v = self.value(*value);
                self.emit(Op::Store { k: cell, a, v, by });
            }
            StmtKind::StoreBits { to, first, width, value } => {
                let a = self.value(*to);
                let v = self.value(*value);
                self.emit(Op::StoreBits { a, v, first: *first, width: *width });
            }
            StmtKind::Copy { to, from, size } => {
                let to = self.value(*to);
                let from = self.value(*from);
                self.emit(Op::Copy { to, from, size: *size as u32 });
            }
            StmtKind::Zero { to, size } => {
                let to = self.value(*to);
                self.emit(Op::Zero { to, size: *size as u32 });
            }
            StmtKind::Call(call) => self.call(call),
            StmtKind::Allocate { to, size } => {
                let size = self.value(*size);
                let d = self.homes[to.index()];
                self.emit(Op::Allocate { d, size });
            }
            StmtKind::Mark(local) => self.emit(Op::Mark { d: self.homes[local.index()] }),
            StmtKind::Free(local) => self.emit(Op::Free { a: self.homes[local.index()] }),
            StmtKind::Begin(local) | StmtKind::Alive(local) => {
                let anew = matches!(kind, StmtKind::Begin(_));
                let scopes = self.scopes() && self.f.locals[local.index()].home == Home::Memory;
                if scopes {
                    self.emit(Op::Begin { a: self.homes[local.index()], anew });
                }
            }
            StmtKind::Leave(list) => {
                let scopes = self.scopes();
                for local in list.iter().filter(|_| scopes) {
                    self.emit(Op::Leave { a: self.homes[local.index()] });
                }
            }
            StmtKind::VaStart(list) => {
                let list = self.value(*list);
                self.emit(Op::VaStart { list });
            }
            StmtKind::VaNext { to, list, ty } => {
                let list = self.value(*list);
                let d = self.homes[to.index()];
                let (size, align) = (self.size(*ty), self.program.types.align(*ty));
                self.emit(Op::VaNext { d, list, size: size as u32, align: align as u32 });
            }
            StmtKind::SetJump { buffer, result } => {
                let a = self.value(*buffer);
                self.emit(Op::SetJump { d: self.homes[result.index()], a });
            }
            StmtKind::Overflow { op, operands, result, overflow } => {
                let (a, b) = (self.value(operands.0), self.value(operands.1));
                let shape = |c: &Self, ty: Ty| Shape::of(c.program.types.as_int(ty));
                let exact = Exact {
                    op: *op,
                    a: (a, shape(self, self.f.expr(operands.0).ty)),
                    b: (b, shape(self, self.f.expr(operands.1).ty)),
                    result: (
                        self.homes[result.index()],
                        shape(self, self.f.locals[result.index()].ty),
                    ),
                    overflow: self.homes[overflow.index()],
                };
                self.code.exact.push(exact);
                let index = self.code.exact.len() as u32 - 1;
                self.emit(Op::Overflow { index });
            }
            StmtKind::Closure { to, function, chain } => {
                let chain = self.value(*chain);
                if let ExprKind::Root(Root::Function(f)) = self.f.expr(*function).kind {
                    let d = self.homes[to.index()];
                    self.emit(Op::Closure { d, f: f.index() as u32, chain });
                }
            }
            StmtKind::Within { index, count, inside } => {
                let (index, count) = (self.value(*index), self.value(*count));
                let inside = self.value(*inside);
                self.emit(Op::Within { index, count, inside });
            }
            StmtKind::NotCovered(what) => self.not_covered(what.clone()),
        }
    }

    fn not_covered(&mut self, what: String) {
        self.code.messages.push(what);
        let index = self.code.messages.len() as u32 - 1;
        self.emit(Op::NotCovered { index });
    }

    fn call(&mut self, call: &c_data::Call) {
        let signature = self.program.types.signature(call.ty).cloned();
        let (params, variadic) = match (&call.callee, signature) {
            // Without a prototype, what the function takes decides.
            (Callee::Direct(f), Some(s)) if s.unprototyped => {
                let callee = &self.program.functions[f.index()];
                let params = if callee.has_body() { callee.params.len() } else { call.args.len() };
                (params.min(call.args.len()), callee.variadic)
            }
            (_, Some(s)) if s.unprototyped => (call.args.len(), false),
            (_, Some(s)) => (s.params.len().min(call.args.len()), s.variadic),
            (_, None) => (call.args.len(), false),
        };
        let callee = match call.callee {
            Callee::Direct(_) => None,
            Callee::Indirect(e) => Some(self.value(e)),
        };
        let result_at = call.result_at.map(|e| self.value(e));
        let values: Vec<Reg> = call.args.iter().map(|&arg| self.value(arg)).collect();
        let mut slot = 0;
        for (i, (&arg, &a)) in call.args.iter().zip(&values).enumerate() {
            let ty = self.f.expr(arg).ty;
            let class = self.class(ty);
            if i < params {
                for part in 0..class.registers() {
                    self.emit(Op::Arg { slot, a: a + part });
                    slot += 1;
                }
            } else if variadic {
                match class {
                    Class::Address => {
                        let (size, align) = (self.size(ty), self.program.types.align(ty));
                        let (size, align) = (size as u32, align as u32);
                        self.emit(Op::MoreBytes { a, size, align });
                    }
                    _ => self.emit(Op::More { k: class.cell(self.size(ty)), a }),
                }
            }
        }
        if let Some(a) = result_at {
            self.emit(Op::ResultAt { a });
        }
        let d = match call.result {
            Some(local) => self.homes[local.index()],
            None => Reg::MAX,
        };
        match (call.callee, callee) {
            (Callee::Direct(f), _) => {
                self.emit(Op::Call { f: f.index() as u32, d, args: slot });
            }
            (_, Some(a)) => self.emit(Op::CallTo { a, d, args: slot }),
            (_, None) => {}
        }
    }

    fn end(&mut self, end: &End, next: u32, patches: &mut Vec<(usize, u32)>) {
        let jump = |c: &mut Self, to: u32, patches: &mut Vec<(usize, u32)>| {
            if to != next {
                patches.push((c.code.ops.len(), to));
                c.emit(Op::Jump { to: 0 });
            }
        };
        match end {
            End::Jump(to) => jump(self, to.index() as u32, patches),
            End::Branch(c, yes, no) => {
                let (yes, no) = (yes.index() as u32, no.index() as u32);
                let op = self.condition(*c);
                patches.push((self.code.ops.len(), yes));
                self.emit(op);
                jump(self, no, patches);
            }
            End::Switch(value, cases, default) => {
                let a = self.value(*value);
                let mut ranges: Vec<(i128, i128, Pc)> = cases
                    .iter()
                    .filter(|(low, high, _)| low <= high)
                    .map(|&(low, high, to)| (low, high, to.index() as Pc))
                    .collect();
                ranges.sort_by_key(|r| r.0);
                let class = self.class(self.f.expr(*value).ty);
                let (signed, wide) = match class {
                    Class::Int(shape) => (shape.signed, false),
                    Class::Wide { signed } => (signed, true),
                    _ => (true, false),
                };
                let default = default.index() as Pc | PENDING;
                self.code.tables.push(Table { ranges, default, signed, wide });
                let table = self.code.tables.len() as u32 - 1;
                self.emit(Op::Switch { a, table });
            }
            End::JumpTo(to) => {
                let a = self.value(*to);
                self.emit(Op::JumpTo { a });
            }
            End::Return(None) => self.emit(Op::ReturnNone),
            End::Return(Some(value)) => {
                let a = self.value(*value);
                let result = self.program.types.signature(self.f.ty).map(|s| s.result);
                let Some(result) = result else { return };
                match self.class(result) {
                    Class::Wide { .. } => self.emit(Op::ReturnWide { a }),
                    Class::Address => {
                        let size = self.size(result) as u32;
                        self.emit(Op::ReturnBytes { a, size });
                    }
                    _ => self.emit(Op::Return { a }),
                }
            }
            End::FellOff => self.emit(Op::FellOff),
            End::Unreachable => self.emit(Op::Unreachable),
        }
    }

    /// A jump by a condition; where to is filled in later.
    fn condition(&mut self, c: ExprId) -> Op {
        let expr = self.f.expr(c);
        if let ExprKind::Binary(op, a, b) = expr.kind
            && op.compares()
        {
            let class = self.class(self.f.expr(a).ty);
            if !matches!(class, Class::Wide { .. }) {
                let k = bin(op, class);
                let x = self.value(a);
                if let Some(b) = self.small(b)
                    && matches!(class, Class::Int(_))
                {
                    // `x != 0` is `x`.
                    return match (k, b) {
                        (Bin::Ne, 0) => Op::If { a: x, to: 0 },
                        (Bin::Eq, 0) => Op::IfNot { a: x, to: 0 },
                        _ => Op::IfBinK { k, a: x, b, to: 0 },
                    };
                }
                let y = self.value(b);
                return Op::IfBin { k, a: x, b: y, to: 0 };
            }
        }
        let a = self.value(c);
        Op::If { a, to: 0 }
    }

    // Expressions.

    /// A number that fits an instruction.
    fn small(&self, e: ExprId) -> Option<i32> {
        match self.f.expr(e).kind {
            ExprKind::Int(n) => {
                // Registers hold numbers extended; without a sign, what looks negative is not small.
                i32::try_from(n).ok()
            }
            _ => None,
        }
    }

    /// An address as a register and a distance.
    fn address(&mut self, e: ExprId) -> (Reg, i32) {
        if let ExprKind::Binary(BinOp::Add, a, b) = self.f.expr(e).kind
            && let Some(by) = self.small(b)
            && self.program.types.pointee(self.f.expr(e).ty).is_some()
            && self.program.types.model().pointer == 64
        {
            return (self.value(a), by);
        }
        (self.value(e), 0)
    }

    fn value(&mut self, e: ExprId) -> Reg {
        self.value_into(e, None)
    }

    /// Computes a value into a register: the given one, or any.
    fn value_into(&mut self, e: ExprId, into: Option<Reg>) -> Reg {
        let expr = self.f.expr(e);
        let class = self.class(expr.ty);
        let count = class.registers();
        match expr.kind {
            ExprKind::Int(n) => {
                let d = into.unwrap_or_else(|| self.temp(count));
                self.emit(Op::Const { d, k: n as u64 });
                if count == 2 {
                    self.emit(Op::Const { d: d + 1, k: (n >> 64) as u64 });
                }
                d
            }
            ExprKind::Float(x) => {
                let d = into.unwrap_or_else(|| self.temp(1));
                let k = match class {
                    Class::F32 => u64::from((x as f32).to_bits()),
                    _ => x.to_bits(),
                };
                self.emit(Op::Const { d, k });
                d
            }
            ExprKind::Local(local) => {
                if self.watched.check == Some(Check::Uninitialised)
                    && let Some(&Some((a, name))) = self.flags.get(local.index())
                {
                    self.emit_for(e, Op::Written { a, local: name });
                }
                self.moved(self.homes[local.index()], into, count)
            }
            ExprKind::AddressOf(local) => self.moved(self.homes[local.index()], into, 1),
            ExprKind::Root(root) => {
                let k = self.layout.address(root);
                let d = into.unwrap_or_else(|| self.temp(1));
                self.emit(Op::Const { d, k });
                d
            }
            ExprKind::Load(address) => {
                let cell = class.cell(self.size(expr.ty));
                let (a, by) = self.address(address);
                let d = into.unwrap_or_else(|| self.temp(count));
                self.emit_for(e, Op::Load { k: cell, d, a, by });
                d
            }
            ExprKind::LoadBits(address, first, width) => {
                let signed = self.program.types.as_int(expr.ty).is_some_and(|int| int.signed);
                let a = self.value(address);
                let d = into.unwrap_or_else(|| self.temp(1));
                self.emit_for(e, Op::LoadBits { d, a, first, width, signed });
                d
            }
            ExprKind::Unary(op, a) => {
                let a = self.value(a);
                let d = into.unwrap_or_else(|| self.temp(count));
                self.unary(op, class, d, (e, a));
                d
            }
            ExprKind::Binary(op, a, b) => self.binary(op, (e, a, b), into),
            ExprKind::Convert(a) => {
                let from = self.class(self.f.expr(a).ty);
                let steps = conversion(from, class);
                if steps.is_empty() {
                    return self.value_into(a, into);
                }
                let mut value = self.value(a);
                let d = into.unwrap_or_else(|| self.temp(count));
                for k in steps {
                    self.emit(Op::Conv { k, d, a: value });
                    value = d;
                }
                d
            }
        }
    }

    fn moved(&mut self, from: Reg, into: Option<Reg>, count: u32) -> Reg {
        let Some(d) = into else { return from };
        for part in 0..count {
            self.emit(Op::Move { d: d + part, a: from + part });
        }
        d
    }

    fn unary(&mut self, op: UnOp, class: Class, d: Reg, (e, a): (ExprId, Reg)) {
        let k = match (op, class) {
            (UnOp::Neg, Class::Int(Shape { bits: 32, signed: true })) => Conv::NegI32,
            (UnOp::Neg, Class::Int(Shape { bits: 32, signed: false })) => Conv::NegU32,
            (UnOp::Neg, Class::Int(Shape { bits: 64, signed: true })) => Conv::NegI64,
            (UnOp::Neg, Class::Int(_)) => Conv::NegU64,
            (UnOp::Neg, Class::F32) => Conv::NegF32,
            (UnOp::Neg, Class::Wide { .. }) => Conv::NegWide,
            (UnOp::Neg, _) => Conv::NegF64,
            (UnOp::Not, Class::Wide { .. }) => Conv::NotWide,
            (UnOp::Not, _) => Conv::Not,
        };
        self.emit_for(e, Op::Conv { k, d, a });
        if let Class::Int(shape) = class
            && let Some(conv) = narrow(shape)
        {
            self.emit(Op::Conv { k: conv, d, a: d });
        }
    }

    fn binary(&mut self, op: BinOp, (e, a, b): (ExprId, ExprId, ExprId), into: Option<Reg>) -> Reg {
        let class = self.class(self.f.expr(a).ty);
        if let Class::Wide { signed } = class {
            let x = self.value(a);
            let mut y = self.value(b);
            if matches!(op, BinOp::Shl | BinOp::Shr) {
                // The number of bits is of another type.
                let by = self.class(self.f.expr(b).ty);
                if by.registers() == 1 {
                    let wide = self.temp(2);
                    let signed = matches!(by, Class::Int(Shape { signed: true, .. }));
                    let k = if signed { Conv::WideS } else { Conv::WideU };
                    self.emit(Op::Conv { k, d: wide, a: y });
                    y = wide;
                }
            }
            let count = if op.compares() { 1 } else { 2 };
            let d = into.unwrap_or_else(|| self.temp(count));
            self.emit_for(e, Op::Wide { k: wide(op, signed), d, a: x, b: y });
            return d;
        }
        let k = bin(op, class);
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        let x = self.value(a);
        let constant = self.small(b).filter(|_| matches!(class, Class::Int(_)));
        let op = match constant {
            Some(n) => {
                let d = into.unwrap_or_else(|| self.temp(1));
                (d, Op::BinK { k, d, a: x, b: n })
            }
            None => {
                let mut y = self.value(b);
                let by = self.class(self.f.expr(b).ty);
                if shift && let Class::Wide { .. } = by {
                    // What does not fit is out of range anyway.
                    let d = self.temp(1);
                    self.emit(Op::Move { d, a: y });
                    y = d;
                }
                let d = into.unwrap_or_else(|| self.temp(1));
                (d, Op::Bin { k, d, a: x, b: y })
            }
        };
        self.emit_for(e, op.1);
        // Odd widths are computed in 64 bits.
        if let Class::Int(shape) = class
            && !matches!(shape.bits, 32 | 64)
            && let Some(conv) = narrow(shape)
            && !matches!(k, Bin::Eq | Bin::Ne | Bin::LtS | Bin::LtU | Bin::LeS | Bin::LeU)
        {
            self.emit(Op::Conv { k: conv, d: op.0, a: op.0 });
        }
        op.0
    }
}

const PENDING: Pc = 1 << 31;

/// The conversion that makes a register hold a value of a type again.
pub(crate) fn narrow(shape: Shape) -> Option<Conv> {
    Some(match (shape.bits, shape.signed) {
        (64, _) => return None,
        (8, true) => Conv::S8,
        (8, false) => Conv::U8,
        (16, true) => Conv::S16,
        (16, false) => Conv::U16,
        (32, true) => Conv::S32,
        (32, false) => Conv::U32,
        (bits, true) => Conv::Signed(bits),
        (bits, false) => Conv::Unsigned(bits),
    })
}

/// The steps from one class to another.
fn conversion(from: Class, to: Class) -> Vec<Conv> {
    use Class::{Address, Extended, F32, F64, Int, Nothing, Wide};
    match (from, to) {
        (Int(a), Int(b)) => {
            // What fits stays as it is.
            let fits = match (a.signed, b.signed) {
                (true, true) | (false, false) => a.bits <= b.bits,
                (false, true) => a.bits < b.bits,
                (true, false) => b.bits == 64,
            };
            if fits { Vec::new() } else { narrow(b).into_iter().collect() }
        }
        (Int(a), Wide { .. }) => vec![if a.signed { Conv::WideS } else { Conv::WideU }],
        (Wide { .. }, Int(b)) => narrow(b).map_or_else(|| vec![Conv::Unsigned(64)], |c| vec![c]),
        (Int(a), F64 | Extended) => {
            vec![if a.signed { Conv::S64ToF64 } else { Conv::U64ToF64 }]
        }
        (Int(a), F32) => vec![if a.signed { Conv::S64ToF32 } else { Conv::U64ToF32 }],
        (Wide { signed }, F64 | Extended) => {
            vec![if signed { Conv::WideSToF64 } else { Conv::WideUToF64 }]
        }
        (Wide { signed }, F32) => {
            vec![if signed { Conv::WideSToF32 } else { Conv::WideUToF32 }]
        }
        (F64 | Extended, Int(b)) => {
            vec![if b.signed { Conv::F64ToS(b.bits) } else { Conv::F64ToU(b.bits) }]
        }
        (F32, Int(b)) => vec![if b.signed { Conv::F32ToS(b.bits) } else { Conv::F32ToU(b.bits) }],
        (F64 | Extended, Wide { signed }) => {
            vec![if signed { Conv::F64ToWideS } else { Conv::F64ToWideU }]
        }
        (F32, Wide { signed }) => {
            vec![Conv::F32ToF64, if signed { Conv::F64ToWideS } else { Conv::F64ToWideU }]
        }
        (F32, F64 | Extended) => vec![Conv::F32ToF64],
        (F64 | Extended, F32) => vec![Conv::F64ToF32],
        (F32, F32)
        | (F64 | Extended, F64 | Extended)
        | (Wide { .. }, Wide { .. })
        | (Address | Nothing, _)
        | (_, Address | Nothing) => Vec::new(),
    }
}

fn bin(op: BinOp, class: Class) -> Bin {
    use BinOp::*;
    match class {
        Class::F32 => match op {
            Add => Bin::AddF32,
            Sub => Bin::SubF32,
            Mul => Bin::MulF32,
            Div => Bin::DivF32,
            Eq => Bin::EqF32,
            Ne => Bin::NeF32,
            Lt => Bin::LtF32,
            _ => Bin::LeF32,
        },
        Class::F64 | Class::Extended => match op {
            Add => Bin::AddF64,
            Sub => Bin::SubF64,
            Mul => Bin::MulF64,
            Div => Bin::DivF64,
            Eq => Bin::EqF64,
            Ne => Bin::NeF64,
            Lt => Bin::LtF64,
            _ => Bin::LeF64,
        },
        _ => {
            let shape = match class {
                Class::Int(shape) => shape,
                _ => Shape { bits: 64, signed: false },
            };
            let narrow = shape.bits == 32;
            // Odd widths wrap in 64 bits first.
            let signed = shape.signed;
            let checked = signed && matches!(shape.bits, 32 | 64);
            match (op, narrow, checked) {
                (Add, true, true) => Bin::AddI32,
                (Add, true, false) => Bin::AddU32,
                (Add, false, true) => Bin::AddI64,
                (Add, false, false) => Bin::AddU64,
                (Sub, true, true) => Bin::SubI32,
                (Sub, true, false) => Bin::SubU32,
                (Sub, false, true) => Bin::SubI64,
                (Sub, false, false) => Bin::SubU64,
                (Mul, true, true) => Bin::MulI32,
                (Mul, true, false) => Bin::MulU32,
                (Mul, false, true) => Bin::MulI64,
                (Mul, false, false) => Bin::MulU64,
                (Div, _, _) if !signed => Bin::DivU,
                (Div, true, _) => Bin::DivI32,
                (Div, false, _) => Bin::DivI64,
                (Rem, _, _) if !signed => Bin::RemU,
                (Rem, true, _) => Bin::RemI32,
                (Rem, false, _) => Bin::RemI64,
                (And, ..) => Bin::And,
                (Or, ..) => Bin::Or,
                (Xor, ..) => Bin::Xor,
                (Shl, true, true) => Bin::ShlI32,
                (Shl, true, false) => Bin::ShlU32,
                (Shl, false, _) => {
                    if signed {
                        Bin::ShlI64
                    } else {
                        Bin::ShlU64
                    }
                }
                (Shr, true, true) => Bin::ShrI32,
                (Shr, true, false) => Bin::ShrU32,
                (Shr, false, _) => {
                    if signed {
                        Bin::ShrI64
                    } else {
                        Bin::ShrU64
                    }
                }
                (Eq, ..) => Bin::Eq,
                (Ne, ..) => Bin::Ne,
                (Lt, ..) => {
                    if signed {
                        Bin::LtS
                    } else {
                        Bin::LtU
                    }
                }
                (Le, ..) => {
                    if signed {
                        Bin::LeS
                    } else {
                        Bin::LeU
                    }
                }
            }
        }
    }
}

fn wide(op: BinOp, signed: bool) -> Wide {
    use BinOp::*;
    match (op, signed) {
        (Add, true) => Wide::AddS,
        (Add, false) => Wide::AddU,
        (Sub, true) => Wide::SubS,
        (Sub, false) => Wide::SubU,
        (Mul, true) => Wide::MulS,
        (Mul, false) => Wide::MulU,
        (Div, true) => Wide::DivS,
        (Div, false) => Wide::DivU,
        (Rem, true) => Wide::RemS,
        (Rem, false) => Wide::RemU,
        (And, _) => Wide::And,
        (Or, _) => Wide::Or,
        (Xor, _) => Wide::Xor,
        (Shl, true) => Wide::ShlS,
        (Shl, false) => Wide::Shl,
        (Shr, true) => Wide::ShrS,
        (Shr, false) => Wide::ShrU,
        (Eq, _) => Wide::Eq,
        (Ne, _) => Wide::Ne,
        (Lt, true) => Wide::LtS,
        (Lt, false) => Wide::LtU,
        (Le, true) => Wide::LeS,
        (Le, false) => Wide::LeU,
    }
}
