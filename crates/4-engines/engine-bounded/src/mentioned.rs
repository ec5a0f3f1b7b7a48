//! Which numbers the program compares its variables with, or gives them, and which variables it compares.

use c_data::{BinOp, End, ExprId, ExprKind, FuncId, Function, Program, Root, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The most numbers of a variable.
const MOST: usize = 60;

/// A variable of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Spot {
    /// A local in a register.
    Local(FuncId, usize),
    /// Bytes of a static object.
    Static(usize, u64),
    /// What a function gives back.
    Given(FuncId),
    /// Other memory: how far behind the address in a variable, if that is a number.
    Memory(Option<u64>),
    /// None.
    None,
}

impl Spot {
    fn is_memory(self) -> bool {
        matches!(self, Spot::Memory(_))
    }

    /// All memory is compared with what any of it is compared with: where a pointer points to is not known here.
    fn somewhere(self) -> Spot {
        if self.is_memory() { Spot::Memory(None) } else { self }
    }
}

/// What is mentioned.
pub(crate) struct Mentioned {
    numbers: FxHashMap<Spot, BTreeSet<i128>>,
    pairs: FxHashSet<(Spot, Spot)>,
}

impl Mentioned {
    pub(crate) fn new(program: &Program) -> Mentioned {
        // What the models of the library put into memory says nothing of the program's.
        let mut out = Mentioned { numbers: FxHashMap::default(), pairs: FxHashSet::default() };
        let mut results: Vec<(Spot, FuncId)> = Vec::new();
        for (id, f) in program.functions.iter().enumerate() {
            let id = FuncId::new(id);
            for e in &f.exprs {
                if let ExprKind::Binary(op, a, b) = e.kind
                    && (op.compares() || matches!(op, BinOp::Rem | BinOp::Sub | BinOp::Add))
                {
                    out.compared(id, f, a, b, op);
                }
            }
            for block in &f.blocks {
                for stmt in &block.stmts {
                    match stmt.kind {
                        StmtKind::Set(local, e) => {
                            out.given(f, Spot::Local(id, local.index()), e);
                            if let Some(other) = spot(id, f, e) {
                                out.pair(Spot::Local(id, local.index()), other);
                            }
                        }
                        StmtKind::Store { to, value } => {
                            let to = memory(f, to);
                            if to.is_memory() && !f.own {
                                continue;
                            }
                            out.given(f, to, value);
                            if let Some(other) = spot(id, f, value) {
                                out.pair(to, other);
                            }
                        }
                        _ => {}
                    }
                }
                if let End::Switch(e, cases, _) = &block.end
                    && let Some(spot) = spot(id, f, *e)
                    && (f.own || !spot.is_memory())
                {
                    let all = out.numbers.entry(spot).or_default();
                    all.extend(cases.iter().flat_map(|c| [c.0, c.1]));
                }
            }
            for block in &f.blocks {
                if let End::Return(Some(e)) = block.end {
                    out.given(f, Spot::Given(id), e);
                    if let Some(other) = spot(id, f, e) {
                        out.pair(Spot::Given(id), other);
                    }
                }
            }
            // Arguments are given to parameters, and results to locals.
            for stmt in f.blocks.iter().flat_map(|b| &b.stmts) {
                if let StmtKind::Call(call) = &stmt.kind
                    && let c_data::Callee::Direct(g) = call.callee
                {
                    let params = program.functions[g.index()].params.iter();
                    for (param, &arg) in params.zip(&call.args) {
                        out.given(f, Spot::Local(g, param.index()), arg);
                    }
                    results.extend(call.result.map(|l| (Spot::Local(id, l.index()), g)));
                }
            }
        }
        // What a result is compared with matters for what is given back.
        for (local, g) in results {
            let numbers = out.numbers.get(&local).cloned().unwrap_or_default();
            out.numbers.entry(Spot::Given(g)).or_default().extend(numbers);
        }
        out
    }

    fn compared(&mut self, id: FuncId, f: &Function, a: ExprId, b: ExprId, op: BinOp) {
        let (x, y) = (spot(id, f, a), spot(id, f, b));
        for (spot, other) in [(x, b), (y, a)] {
            let theirs = spot.is_some_and(Spot::is_memory) && !f.own;
            if let (Some(spot), Some(n), false) = (spot, number(f, other), theirs) {
                let near = if matches!(op, BinOp::Lt | BinOp::Le) {
                    vec![n - 1, n, n + 1]
                } else {
                    vec![n]
                };
                self.numbers.entry(spot).or_default().extend(near);
            }
        }
        if let (Some(x), Some(y)) = (x, y) {
            self.pair(x, y);
        }
        if op.compares() {
            self.difference(id, f, a, b);
        }
    }

    /// `x - y` compared with a number: that bounds how far apart the two may be.
    fn difference(&mut self, id: FuncId, f: &Function, a: ExprId, b: ExprId) {
        for (difference, other) in [(a, b), (b, a)] {
            let Some(n) = number(f, other) else { continue };
            let ExprKind::Binary(BinOp::Sub, x, y) = f.expr(plain(f, difference)).kind else {
                continue;
            };
            for spot in [x, y].into_iter().filter_map(|e| spot(id, f, e)) {
                if f.own || !spot.is_memory() {
                    self.numbers.entry(spot).or_default().extend([n - 1, n, n + 1]);
                }
            }
        }
    }

    fn pair(&mut self, x: Spot, y: Spot) {
        let (x, y) = (x.somewhere(), y.somewhere());
        self.pairs.extend([(x, y), (y, x)]);
    }

    fn given(&mut self, f: &Function, to: Spot, e: ExprId) {
        if let Some(n) = number(f, e) {
            self.numbers.entry(to).or_default().insert(n);
        }
    }

    /// The numbers that matter for a variable of so many bits.
    pub(crate) fn numbers(&self, spot: &Spot, _bits: u32) -> Vec<i128> {
        if *spot == Spot::None {
            return Vec::new();
        }
        let of = |spot: Spot| self.numbers.get(&spot).into_iter().flatten().copied();
        let Spot::Memory(Some(_)) = spot else { return of(*spot).take(MOST).collect() };
        // A member is told apart by where it is in what a pointer points to; what no pointer names so has the numbers of all.
        let mut all: BTreeSet<i128> = of(*spot).collect();
        if all.is_empty() {
            let memory = self.numbers.iter().filter(|(spot, _)| spot.is_memory());
            all = memory.flat_map(|(_, numbers)| numbers).copied().collect();
        }
        all.extend(of(Spot::Memory(None)));
        all.into_iter().take(MOST).collect()
    }

    /// Whether two variables are compared somewhere, or one is given to the other.
    pub(crate) fn are_compared(&self, a: &Spot, b: &Spot) -> bool {
        self.pairs.contains(&(a.somewhere(), b.somewhere()))
    }
}

/// An expression, conversions aside.
fn plain(f: &Function, mut e: ExprId) -> ExprId {
    while let ExprKind::Convert(a) = f.expr(e).kind {
        e = a;
    }
    e
}

fn number(f: &Function, e: ExprId) -> Option<i128> {
    match f.expr(plain(f, e)).kind {
        ExprKind::Int(n) => Some(n),
        _ => None,
    }
}

/// The variable that an expression is, conversions aside.
fn spot(id: FuncId, f: &Function, e: ExprId) -> Option<Spot> {
    match f.expr(plain(f, e)).kind {
        ExprKind::Local(l) => Some(Spot::Local(id, l.index())),
        ExprKind::Load(a) => Some(memory(f, a)),
        _ => None,
    }
}

/// The memory at an address, by what it is relative to.
fn memory(f: &Function, address: ExprId) -> Spot {
    let (mut e, mut by) = (address, 0i128);
    loop {
        match f.expr(e).kind {
            ExprKind::Convert(a) => e = a,
            ExprKind::Binary(BinOp::Add, a, b) => match number(f, b) {
                Some(n) => (e, by) = (a, by + n),
                None => return Spot::Memory(None),
            },
            ExprKind::Root(Root::Object(o)) => return Spot::Static(o.index(), by as u64),
            ExprKind::Local(_) | ExprKind::Load(_) | ExprKind::AddressOf(_) => {
                return Spot::Memory(u64::try_from(by).ok());
            }
            _ => return Spot::Memory(None),
        }
    }
}
