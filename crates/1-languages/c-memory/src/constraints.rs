//! What a program says about addresses: nodes and edges for each expression and statement, and the accesses.

use crate::objects::{Made, of_root};
use crate::solve::{Arg, Edge, Node, Site, Solver};
use c_data::{
    BinOp, BlockId, Call, Callee, End, ExprId, ExprKind, FuncId, Function, Home, Operation,
    Program, Root, StmtKind,
};

/// What is known of a value as an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// It is none.
    None,
    /// It is that of a place.
    Place(u32),
    /// What a node says.
    Node(Node),
}

/// A read or a write of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Which one: an expression that reads, or a statement that writes.
    pub(crate) operation: Operation,
    pub(crate) address: Value,
    pub(crate) size: u64,
    /// Bytes one by one: an aggregate.
    pub(crate) bulk: bool,
}

/// How deep the distance of an address is looked at.
const DEEP: u32 = 8;

/// Tells a solver all that the program says. The accesses.
pub(crate) fn constrain(solver: &mut Solver<'_>) -> Vec<Access> {
    let program = solver.program;
    for (i, object) in program.objects.iter().enumerate() {
        let made = Made::Static(c_data::ObjectId::new(i));
        for &(at, root, by) in &object.addresses {
            let Some(of) = of_root(root) else { continue };
            let value = solver.place_of(of, by);
            let place = solver.place_of(made, at as i64);
            let word = solver.target(solver.places[place as usize]);
            solver.add(word, value);
        }
        if !object.defined {
            let place = solver.place_of(made, 0);
            solver.add(solver.given, place);
        }
    }
    let mut out = Vec::new();
    for (i, function) in program.functions.iter().enumerate().filter(|(_, f)| f.has_body()) {
        let id = FuncId::new(i);
        let values = vec![Value::None; function.exprs.len()];
        let mut walk = Walk { solver, program, function, id, values, accesses: &mut out };
        walk.function();
    }
    entries(solver);
    out
}

/// Who is called from outside: `main`; without it, all functions, with all objects known there.
fn entries(solver: &mut Solver<'_>) {
    let program = solver.program;
    let main = program.function("main").filter(|f| program.functions[f.index()].has_body());
    if let Some(main) = main {
        let place = solver.place_of(Made::Function(main), 0);
        solver.add(solver.given, place);
        return;
    }
    for (i, function) in program.functions.iter().enumerate() {
        if function.own && function.has_body() {
            let place = solver.place_of(Made::Function(FuncId::new(i)), 0);
            solver.add(solver.given, place);
        }
    }
    for (i, object) in program.objects.iter().enumerate() {
        if object.own && !object.read_only {
            let place = solver.place_of(Made::Static(c_data::ObjectId::new(i)), 0);
            solver.add(solver.given, place);
        }
    }
}

struct Walk<'w, 'p> {
    solver: &'w mut Solver<'p>,
    program: &'p Program,
    function: &'p Function,
    id: FuncId,
    values: Vec<Value>,
    accesses: &'w mut Vec<Access>,
}

impl Walk<'_, '_> {
    fn function(&mut self) {
        // Operands come before what they are operands of.
        for i in 0..self.function.exprs.len() {
            self.values[i] = self.value(ExprId::new(i));
        }
        let function = self.function;
        for (b, block) in function.blocks.iter().enumerate() {
            for (s, stmt) in block.stmts.iter().enumerate() {
                self.statement((BlockId::new(b), s as u32), &stmt.kind);
            }
            if let End::Return(Some(e)) = block.end {
                let to = self.solver.results[self.id.index()];
                self.flow(self.values[e.index()], to);
            }
        }
    }

    fn of(&self, e: ExprId) -> Value {
        self.values[e.index()]
    }

    fn size(&self, e: ExprId) -> u64 {
        self.program.types.size(self.function.expr(e).ty).unwrap_or(1)
    }

    /// Whether a value of this type may be an address.
    fn may_point(&self, e: ExprId) -> bool {
        let types = &self.program.types;
        let ty = self.function.expr(e).ty;
        !types.is_float(ty) && (!types.is_scalar(ty) || self.size(e) >= self.solver.word)
    }

    fn flow(&mut self, from: Value, to: Node) {
        match from {
            Value::None => {}
            Value::Place(place) => self.solver.add(to, place),
            Value::Node(node) => self.solver.edge(node, Edge::Copy(to)),
        }
    }

    /// A node that says the same.
    fn node(&mut self, value: Value) -> Option<Node> {
        match value {
            Value::None => None,
            Value::Node(node) => Some(node),
            Value::Place(place) => {
                let node = self.solver.node();
                self.solver.add(node, place);
                Some(node)
            }
        }
    }

    fn shifted(&mut self, value: Value, by: i64, walk: u64) -> Value {
        match value {
            _ if by == 0 && walk == 0 => value,
            Value::None => Value::None,
            Value::Place(place) => Value::Place(self.solver.shifted(place, by, walk)),
            Value::Node(from) => {
                let to = self.solver.node();
                self.solver.edge(from, Edge::Shift(to, by, walk));
                Value::Node(to)
            }
        }
    }

    fn either(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::None, x) | (x, Value::None) => x,
            (a, b) if a == b => a,
            (a, b) => {
                let to = self.solver.node();
                self.flow(a, to);
                self.flow(b, to);
                Value::Node(to)
            }
        }
    }

    fn local(&self, local: c_data::LocalId) -> Node {
        self.solver.locals[self.id.index()] + local.index() as u32
    }

    fn value(&mut self, id: ExprId) -> Value {
        match self.function.expr(id).kind {
            ExprKind::Int(_) | ExprKind::Float(_) => Value::None,
            ExprKind::Local(local) if self.may_point(id) => Value::Node(self.local(local)),
            ExprKind::Local(_) => Value::None,
            ExprKind::AddressOf(local) => match self.function.locals[local.index()].home {
                Home::ByAddress => Value::Node(self.local(local)),
                Home::Register | Home::Memory => {
                    Value::Place(self.solver.place_of(Made::Local(self.id, local), 0))
                }
            },
            ExprKind::Root(root) => match of_root(root) {
                Some(made) => Value::Place(self.solver.place_of(made, 0)),
                None => Value::None,
            },
            ExprKind::Load(address) => self.load(id, address),
            ExprKind::LoadBits(address, first, width) => {
                let size = u64::from(first + width).div_ceil(8);
                self.access(self.expr(id), self.of(address), size, false);
                Value::None
            }
            ExprKind::Unary(_, a) if self.may_point(id) => {
                let a = self.of(a);
                self.shifted(a, 0, 1)
            }
            ExprKind::Unary(..) => Value::None,
            ExprKind::Binary(op, a, b) => self.binary(op, id, a, b),
            ExprKind::Convert(a) if self.may_point(id) => self.of(a),
            ExprKind::Convert(_) => Value::None,
        }
    }

    fn expr(&self, id: ExprId) -> Operation {
        // Expressions are known by themselves; which statement has them does not matter.
        Operation { function: self.id, block: BlockId::new(0), stmt: 0, expr: Some(id) }
    }

    fn load(&mut self, id: ExprId, address: ExprId) -> Value {
        let (size, from) = (self.size(id), self.of(address));
        self.access(self.expr(id), from, size, false);
        if !self.may_point(id) {
            return Value::None;
        }
        let Some(from) = self.node(from) else { return Value::None };
        let to = self.solver.node();
        self.solver.edge(from, Edge::Load(to, size));
        Value::Node(to)
    }

    fn binary(&mut self, op: BinOp, id: ExprId, a: ExprId, b: ExprId) -> Value {
        if op.compares() || !self.may_point(id) {
            return Value::None;
        }
        let (x, y) = (self.of(a), self.of(b));
        match op {
            BinOp::Add => {
                let (by, walk) = self.distance(b, DEEP);
                let left = self.shifted(x, by, walk);
                let (by, walk) = self.distance(a, DEEP);
                let right = self.shifted(y, by, walk);
                self.either(left, right)
            }
            // What is taken away is no address of the result.
            BinOp::Sub => {
                let (by, walk) = self.distance(b, DEEP);
                self.shifted(x, by.wrapping_neg(), walk)
            }
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Mul | BinOp::Shl | BinOp::Shr => {
                let (left, right) = (self.shifted(x, 0, 1), self.shifted(y, 0, 1));
                self.either(left, right)
            }
            _ => Value::None,
        }
    }

    /// A number as a constant and a multiple of something.
    fn distance(&self, e: ExprId, deep: u32) -> (i64, u64) {
        let any = (0, 1);
        if deep == 0 {
            return any;
        }
        let constant = |e: ExprId| match self.function.expr(e).kind {
            ExprKind::Int(n) => signed(n),
            _ => None,
        };
        match self.function.expr(e).kind {
            ExprKind::Int(n) => signed(n).map_or(any, |n| (n, 0)),
            ExprKind::Convert(a) => self.distance(a, deep - 1),
            ExprKind::Unary(c_data::UnOp::Neg, a) => {
                let (by, walk) = self.distance(a, deep - 1);
                (by.wrapping_neg(), walk)
            }
            ExprKind::Binary(BinOp::Add, a, b) => {
                let ((x, m), (y, n)) = (self.distance(a, deep - 1), self.distance(b, deep - 1));
                (x.wrapping_add(y), if m == 0 || n == 0 { m.max(n) } else { m.min(n).min(1) })
            }
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let (of, by) = match (constant(a), constant(b)) {
                    (_, Some(k)) => (a, k),
                    (Some(k), _) => (b, k),
                    _ => return any,
                };
                let (x, n) = self.distance(of, deep - 1);
                (x.wrapping_mul(by), n.wrapping_mul(by.unsigned_abs()))
            }
            ExprKind::Binary(BinOp::Shl, a, b) => match constant(b) {
                Some(k @ 0..32) => {
                    let (x, n) = self.distance(a, deep - 1);
                    (x.wrapping_shl(k as u32), n << k)
                }
                _ => any,
            },
            _ => any,
        }
    }

    fn access(&mut self, operation: Operation, address: Value, size: u64, bulk: bool) {
        self.accesses.push(Access { operation, address, size, bulk });
    }

    fn statement(&mut self, (block, stmt): (BlockId, u32), kind: &StmtKind) {
        let here = Operation { function: self.id, block, stmt, expr: None };
        match kind {
            StmtKind::Set(local, e) => {
                let to = self.local(*local);
                self.flow(self.of(*e), to);
            }
            StmtKind::Store { to, value } => {
                let (size, to) = (self.size(*value), self.of(*to));
                self.access(here, to, size, false);
                self.store(to, self.of(*value), size);
            }
            StmtKind::StoreBits { to, first, width, .. } => {
                let size = u64::from(first + width).div_ceil(8);
                self.access(here, self.of(*to), size, false);
            }
            StmtKind::Copy { to, from, size } => {
                let (to, from) = (self.of(*to), self.of(*from));
                self.access(here, to, *size, true);
                self.access(here, from, *size, true);
                if let (Some(to), Some(from)) = (self.node(to), self.node(from)) {
                    self.solver.copies(to, from, Some(*size));
                }
            }
            StmtKind::Zero { to, size } => self.access(here, self.of(*to), *size, true),
            StmtKind::Call(call) => self.call(here, call),
            StmtKind::Allocate { to, .. } => {
                let place = self.solver.place_of(Made::Allocated(self.id, block, stmt), 0);
                let to = self.local(*to);
                self.solver.add(to, place);
            }
            StmtKind::VaStart(list) => {
                let place = self.solver.place_of(Made::More(self.id), 0);
                let word = self.solver.word;
                self.access(here, self.of(*list), word, false);
                self.store(self.of(*list), Value::Place(place), word);
            }
            StmtKind::VaNext { to, list, .. } => {
                let (list, word) = (self.of(*list), self.solver.word);
                self.access(here, list, word, false);
                let to = self.local(*to);
                if let Some(list) = self.node(list) {
                    self.solver.edge(list, Edge::Load(to, word));
                }
            }
            StmtKind::SetJump { buffer, .. } => self.access(here, self.of(*buffer), 8, false),
            StmtKind::Closure { to, function, chain } => {
                let to = self.local(*to);
                self.flow(self.of(*function), to);
                let chain = self.of(*chain);
                if let ExprKind::Root(Root::Function(f)) = self.function.expr(*function).kind
                    && let (Some(chain), Some(param)) = (self.node(chain), self.solver.param(f, 0))
                {
                    self.solver.edge(chain, Edge::Copy(param));
                }
            }
            StmtKind::Eval(_)
            | StmtKind::Within { .. }
            | StmtKind::Mark(_)
            | StmtKind::Free(_)
            | StmtKind::Begin(_)
            | StmtKind::Alive(_)
            | StmtKind::Leave(_)
            | StmtKind::Overflow { .. }
            | StmtKind::NotCovered(_) => {}
        }
    }

    fn store(&mut self, to: Value, value: Value, size: u64) {
        if value == Value::None {
            return;
        }
        if let (Some(to), Some(value)) = (self.node(to), self.node(value)) {
            self.solver.edge(to, Edge::Store(value, size));
        }
    }

    fn call(&mut self, here: Operation, call: &Call) {
        let types = &self.program.types;
        let args = call.args.iter().map(|&arg| {
            let ty = self.function.expr(arg).ty;
            let aggregate = (!types.is_scalar(ty)).then(|| types.size(ty).unwrap_or(0));
            (self.of(arg), aggregate)
        });
        let args: Vec<(Value, Option<u64>)> = args.collect();
        let args = args
            .into_iter()
            .map(|(value, aggregate)| Arg { value: self.node(value), aggregate })
            .collect();
        let result_at = call.result_at.and_then(|at| {
            let result = types.signature(call.ty).map(|s| s.result);
            let size = result.and_then(|ty| types.size(ty)).unwrap_or(0);
            let to = self.of(at);
            self.access(here, to, size, true);
            self.node(to).map(|node| (node, size))
        });
        let result = call.result.map(|local| self.local(local));
        let made = Made::Allocated(self.id, here.block, here.stmt);
        let site = self.solver.site(Site {
            args,
            result,
            result_at,
            made,
            at: here,
            by_pointer: matches!(call.callee, Callee::Indirect(_)),
        });
        match call.callee {
            Callee::Direct(f) => self.solver.call(site, f),
            Callee::Indirect(e) => {
                let value = self.of(e);
                if let Some(node) = self.node(value) {
                    self.solver.edge(node, Edge::Call(site));
                }
            }
        }
    }
}

/// A number that may be a negative distance, written without a sign.
fn signed(n: i128) -> Option<i64> {
    i64::try_from(n).ok().or_else(|| u64::try_from(n).ok().map(|n| n as i64))
}
