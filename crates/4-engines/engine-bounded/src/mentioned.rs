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
    /// Other memory.
    Memory,
    /// None.
    None,
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
                            if to == Spot::Memory && !f.own {
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
                    && (f.own || spot != Spot::Memory)
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
            let theirs = spot == Some(Spot::Memory) && !f.own;
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
    }

    fn pair(&mut self, x: Spot, y: Spot) {
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
        self.numbers.get(spot).into_iter().flatten().copied().take(MOST).collect()
    }

    /// Whether two variables are compared somewhere, or one is given to the other.
    pub(crate) fn are_compared(&self, a: &Spot, b: &Spot) -> bool {
        self.pairs.contains(&(*a, *b))
    }
}

fn number(f: &Function, e: ExprId) -> Option<i128> {
    let mut e = e;
    loop {
        match f.expr(e).kind {
            ExprKind::Int(n) => return Some(n),
            ExprKind::Convert(a) => e = a,
            _ => return None,
        }
    }
}

/// The variable that an expression is, conversions aside.
fn spot(id: FuncId, f: &Function, e: ExprId) -> Option<Spot> {
    let mut e = e;
    loop {
        match f.expr(e).kind {
            ExprKind::Convert(a) => e = a,
            ExprKind::Local(l) => return Some(Spot::Local(id, l.index())),
            ExprKind::Load(a) => return Some(memory(f, a)),
            _ => return None,
        }
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
                None => return Spot::Memory,
            },
            ExprKind::Root(Root::Object(o)) => return Spot::Static(o.index(), by as u64),
            _ => return Spot::Memory,
        }
    }
}
