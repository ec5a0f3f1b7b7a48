//! What can be asked about a program's data, and the operations that such a question is about.

use crate::program::{
    At, BlockId, Callee, End, ExprId, ExprKind, FuncId, Function, Point, Program, Stmt, StmtKind,
    Undefined,
};
use rustc_hash::FxHashSet;

/// A question about all operations of a kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Check {
    /// Accesses to memory, and what becomes of it.
    Memory,
    /// Memory that is not freed when the program ends.
    Cleanup,
    /// Results of signed operators that do not fit.
    Overflow,
    /// Divisors that are 0.
    Division,
    /// Reads of what was never written.
    Uninitialised,
}

/// An operation of the program that may fail. One of the library's models is its call in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Operation {
    /// The function.
    pub function: FuncId,
    /// The block.
    pub block: BlockId,
    /// The statement; one past the last one is where the block ends.
    pub stmt: u32,
    /// The expression, if it is not the statement itself.
    pub expr: Option<ExprId>,
}

/// Functions of the library that hand out memory.
const ALLOCATORS: [&str; 9] = [
    "malloc",
    "calloc",
    "realloc",
    "aligned_alloc",
    "memalign",
    "strdup",
    "strndup",
    "__builtin_malloc",
    "__builtin_calloc",
];
/// Functions of the library whose arithmetic is the caller's.
const ARITHMETIC: [&str; 8] =
    ["abs", "labs", "llabs", "imaxabs", "div", "ldiv", "lldiv", "imaxdiv"];
/// And those that divide by what the caller gives.
const DIVISIONS: [&str; 4] = ["div", "ldiv", "lldiv", "imaxdiv"];

impl Check {
    /// Whether an operator of a function is looked at: those of the library's models count where the caller can
    /// make them fail.
    pub fn looks_into(self, f: &Function) -> bool {
        match self {
            Check::Overflow => f.own || ARITHMETIC.contains(&f.name.as_str()),
            Check::Division => f.own || DIVISIONS.contains(&f.name.as_str()),
            _ => true,
        }
    }
}

impl Operation {
    /// Where it stands.
    pub fn at(self, program: &Program) -> At {
        let function = &program.functions[self.function.index()];
        let Some(block) = function.blocks.get(self.block.index()) else { return function.at };
        block.stmts.get(self.stmt as usize).map_or(block.end_at, |s: &Stmt| s.at)
    }
}

impl Program {
    /// How many operations of the program's own functions a question is about.
    pub fn operations(&self, check: Check) -> usize {
        let own = self.functions.iter().filter(|f| f.own);
        own.map(|f| self.operations_of(f, check, &mut |_, _| {})).sum()
    }

    /// Where they stand, and those of the library's models that count.
    pub fn operation_points(&self, check: Check) -> Vec<Point> {
        let mut out = Vec::new();
        for (i, f) in self.functions.iter().enumerate().filter(|(_, f)| check.looks_into(f)) {
            let mut note = |block: usize, stmt: usize| {
                out.push(Point::Before(FuncId::new(i), BlockId::new(block), stmt as u32));
            };
            self.operations_of(f, check, &mut note);
        }
        out
    }

    fn operations_of(
        &self,
        f: &Function,
        check: Check,
        note: &mut dyn FnMut(usize, usize),
    ) -> usize {
        let mut count = 0;
        for (b, block) in f.blocks.iter().enumerate() {
            for (k, stmt) in block.stmts.iter().enumerate() {
                let (roots, itself) = self.parts(f, &stmt.kind, check);
                let here = usize::from(itself) + self.within(f, &roots, check);
                if here > 0 {
                    note(b, k);
                }
                count += here;
            }
            let roots = match &block.end {
                End::Branch(e, ..) | End::Switch(e, ..) | End::JumpTo(e) => vec![*e],
                End::Return(Some(e)) => vec![*e],
                _ => Vec::new(),
            };
            let here = self.within(f, &roots, check);
            if here > 0 {
                note(b, block.stmts.len());
            }
            count += here;
        }
        count
    }

    /// The expressions of a statement, and whether the statement itself may fail.
    fn parts(&self, f: &Function, kind: &StmtKind, check: Check) -> (Vec<ExprId>, bool) {
        let memory = check == Check::Memory;
        match kind {
            StmtKind::Set(_, e) => (vec![*e], false),
            StmtKind::Eval(e) => (vec![f.wanted(*e)], false),
            StmtKind::Store { to, value } | StmtKind::StoreBits { to, value, .. } => {
                (vec![*to, *value], memory)
            }
            StmtKind::Copy { to, from, .. } => (vec![*to, *from], memory),
            StmtKind::Zero { to, .. } => (vec![*to], memory),
            StmtKind::Call(call) => {
                let mut roots = call.args.clone();
                roots.extend(call.result_at);
                let (own, name) = match call.callee {
                    Callee::Direct(g) => {
                        let g = &self.functions[g.index()];
                        (g.own && g.has_body(), g.name.as_str())
                    }
                    Callee::Indirect(e) => {
                        roots.push(e);
                        (false, "")
                    }
                };
                let pointer = |e: &ExprId| self.types.pointee(f.expr(*e).ty).is_some();
                let itself = match check {
                    Check::Memory => !own && (name.is_empty() || call.args.iter().any(pointer)),
                    Check::Cleanup => !own && ALLOCATORS.contains(&name),
                    Check::Overflow => !own && ARITHMETIC.contains(&name),
                    Check::Division => !own && DIVISIONS.contains(&name),
                    Check::Uninitialised => false,
                };
                (roots, itself)
            }
            StmtKind::Allocate { size, .. } => (vec![*size], false),
            StmtKind::VaStart(list) => (vec![*list], memory),
            StmtKind::VaNext { list, .. } => (vec![*list], memory),
            StmtKind::SetJump { buffer, .. } => (vec![*buffer], memory),
            StmtKind::Overflow { operands, .. } => (vec![operands.0, operands.1], false),
            StmtKind::Closure { chain, .. } => (vec![*chain], false),
            StmtKind::Within { inside, .. } => (vec![*inside], memory),
            StmtKind::Mark(_)
            | StmtKind::Free(_)
            | StmtKind::Begin(_)
            | StmtKind::Alive(_)
            | StmtKind::Leave(_)
            | StmtKind::NotCovered(_) => (Vec::new(), false),
        }
    }

    /// How many of the expressions below some a question is about.
    fn within(&self, f: &Function, roots: &[ExprId], check: Check) -> usize {
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut todo = roots.to_vec();
        let mut count = 0;
        while let Some(e) = todo.pop() {
            if !seen.insert(e) {
                continue;
            }
            match f.expr(e).kind {
                ExprKind::Load(a) | ExprKind::LoadBits(a, ..) | ExprKind::Convert(a) => {
                    todo.push(a);
                }
                ExprKind::Unary(_, a) => todo.push(a),
                ExprKind::Binary(_, a, b) => todo.extend([a, b]),
                _ => {}
            }
            count += usize::from(self.is_about(f, e, check));
        }
        count
    }

    fn is_about(&self, f: &Function, e: ExprId, check: Check) -> bool {
        let wanted = match check {
            Check::Memory => Undefined::Address,
            Check::Overflow => Undefined::Overflow,
            Check::Division => Undefined::DivisionByZero,
            Check::Cleanup => return false,
            Check::Uninitialised => {
                return match f.expr(e).kind {
                    ExprKind::Load(_) | ExprKind::LoadBits(..) => true,
                    ExprKind::Local(l) => !f.locals[l.index()].name.is_empty(),
                    _ => false,
                };
            }
        };
        self.undefined(f, e).contains(&wanted)
    }
}
