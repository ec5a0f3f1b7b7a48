//! What of a program's memory is variables: scalars of objects whose addresses go nowhere.
//!
//! An object that is only read and written at places that the text names, and never in parts of a scalar, is as many
//! variables as it has such scalars. All else stays bytes at addresses.

use c_data::{BinOp, ExprId, ExprKind, FuncId, Function, Home, LocalId, Program, Root, StmtKind};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What a place belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Base {
    Object(c_data::ObjectId),
    Local(FuncId, LocalId),
}

/// A scalar of an object: where it starts, and its bytes.
pub(crate) type Cell = (u64, u64);

/// The scalars of objects that are variables.
#[derive(Debug, Default)]
pub(crate) struct Places {
    cells: BTreeMap<Base, BTreeSet<Cell>>,
    /// Where an address that the text names points to, by function and expression.
    named: Vec<FxHashMap<ExprId, (Base, u64)>>,
}

/// An integer that is written down.
fn constant(f: &Function, e: ExprId) -> Option<i128> {
    let mut e = e;
    loop {
        match f.expr(e).kind {
            ExprKind::Int(n) => return Some(n),
            ExprKind::Convert(a) => e = a,
            _ => return None,
        }
    }
}

pub(crate) fn operands(kind: &ExprKind) -> [Option<ExprId>; 2] {
    match *kind {
        ExprKind::Load(a) | ExprKind::LoadBits(a, ..) => [Some(a), None],
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => [Some(a), None],
        ExprKind::Binary(_, a, b) => [Some(a), Some(b)],
        _ => [None; 2],
    }
}

impl Places {
    pub(crate) fn new(program: &Program) -> Places {
        let mut out = Places::default();
        let mut gone: BTreeSet<Base> = BTreeSet::new();
        let mut used: BTreeMap<Base, BTreeSet<Cell>> = BTreeMap::new();
        let mut zeroed: Vec<(Base, u64, u64)> = Vec::new();
        for object in &program.objects {
            for (_, root, _) in &object.addresses {
                if let Root::Object(o) = root {
                    gone.insert(Base::Object(*o));
                }
            }
        }
        for (i, f) in program.functions.iter().enumerate() {
            let named = named(program, FuncId::new(i), f);
            for (e, expr) in f.exprs.iter().enumerate() {
                for a in operands(&expr.kind).into_iter().flatten() {
                    let Some(&(base, at)) = named.get(&a) else { continue };
                    match expr.kind {
                        _ if named.contains_key(&ExprId::new(e)) => {}
                        ExprKind::Load(_) => {
                            let bytes = program.types.size(expr.ty).unwrap_or(0);
                            used.entry(base).or_default().insert((at, bytes));
                        }
                        _ => {
                            gone.insert(base);
                        }
                    }
                }
            }
            for stmt in f.blocks.iter().flat_map(|b| &b.stmts) {
                match &stmt.kind {
                    StmtKind::Eval(_) | StmtKind::Within { .. } => {}
                    StmtKind::Store { to, value } => {
                        if let Some(&(base, at)) = named.get(to) {
                            let bytes = program.types.size(f.expr(*value).ty).unwrap_or(0);
                            used.entry(base).or_default().insert((at, bytes));
                        }
                        gone.extend(named.get(value).map(|n| n.0));
                    }
                    StmtKind::Zero { to, size } => {
                        zeroed.extend(named.get(to).map(|&(base, at)| (base, at, *size)));
                    }
                    other => {
                        for e in roots(other) {
                            gone.extend(named.get(&e).map(|n| n.0));
                        }
                    }
                }
            }
            for block in &f.blocks {
                use c_data::End;
                if let End::Branch(e, ..) | End::Switch(e, ..) | End::JumpTo(e) = block.end {
                    gone.extend(named.get(&e).map(|n| n.0));
                }
                if let End::Return(Some(e)) = block.end {
                    gone.extend(named.get(&e).map(|n| n.0));
                }
            }
            out.named.push(named);
        }
        for (base, cells) in used {
            let size = match base {
                Base::Object(o) => program.objects[o.index()].size,
                Base::Local(f, l) => {
                    let ty = program.functions[f.index()].locals[l.index()].ty;
                    program.types.size(ty).unwrap_or(0)
                }
            };
            let ends = |&(at, bytes): &Cell| at + bytes;
            let list: Vec<Cell> = cells.iter().copied().collect();
            let apart = list.windows(2).all(|w| ends(&w[0]) <= w[1].0);
            let inside = list.iter().all(|c| c.1 > 0 && ends(c) <= size);
            let whole = zeroed.iter().filter(|z| z.0 == base).all(|&(_, from, count)| {
                let to = from + count;
                list.iter().all(|c| ends(c) <= from || to <= c.0 || (from <= c.0 && ends(c) <= to))
            });
            if apart && inside && whole && !gone.contains(&base) {
                out.cells.insert(base, cells);
            }
        }
        out
    }

    /// The scalars of an object, if it is variables.
    pub(crate) fn of(&self, base: Base) -> Option<&BTreeSet<Cell>> {
        self.cells.get(&base)
    }

    /// The scalar at an address, if that is a variable.
    pub(crate) fn at(&self, f: FuncId, address: ExprId) -> Option<(Base, u64)> {
        let &(base, at) = self.named[f.index()].get(&address)?;
        self.cells.contains_key(&base).then_some((base, at))
    }
}

/// Addresses that the text names.
fn named(program: &Program, id: FuncId, f: &Function) -> FxHashMap<ExprId, (Base, u64)> {
    let mut out: FxHashMap<ExprId, (Base, u64)> = FxHashMap::default();
    for (i, expr) in f.exprs.iter().enumerate() {
        let found = match expr.kind {
            ExprKind::Root(Root::Object(o)) => Some((Base::Object(o), 0)),
            ExprKind::AddressOf(l) if f.locals[l.index()].home == Home::Memory => {
                Some((Base::Local(id, l), 0))
            }
            ExprKind::Convert(a) => {
                let pointer = program.types.pointee(expr.ty).is_some();
                out.get(&a).copied().filter(|_| pointer)
            }
            ExprKind::Binary(BinOp::Add, a, b) => match (out.get(&a), constant(f, b)) {
                (Some(&(base, at)), Some(n)) => {
                    let at = i128::from(at) + n;
                    u64::try_from(at).ok().map(|at| (base, at))
                }
                _ => None,
            },
            _ => None,
        };
        out.extend(found.map(|found| (ExprId::new(i), found)));
    }
    out
}

/// The expressions of a statement.
pub(crate) fn roots(kind: &StmtKind) -> Vec<ExprId> {
    match kind {
        StmtKind::Set(_, e) | StmtKind::Eval(e) | StmtKind::VaStart(e) => vec![*e],
        StmtKind::Store { to, value } | StmtKind::StoreBits { to, value, .. } => vec![*to, *value],
        StmtKind::Copy { to, from, .. } => vec![*to, *from],
        StmtKind::Zero { to, .. } => vec![*to],
        StmtKind::Allocate { size, .. } => vec![*size],
        StmtKind::VaNext { list, .. } => vec![*list],
        StmtKind::SetJump { buffer, .. } => vec![*buffer],
        StmtKind::Closure { function, chain, .. } => vec![*function, *chain],
        StmtKind::Overflow { operands, .. } => vec![operands.0, operands.1],
        StmtKind::Call(call) => {
            let callee = match call.callee {
                c_data::Callee::Indirect(e) => Some(e),
                c_data::Callee::Direct(_) => None,
            };
            call.args.iter().copied().chain(call.result_at).chain(callee).collect()
        }
        _ => Vec::new(),
    }
}
