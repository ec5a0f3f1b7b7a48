//! Expressions: a hash-consed graph, children before parents.
//!
//! **Values.** A boolean expression is true or false. An integer expression is an exact
//! (mathematical) integer or *undefined*: a division by zero, an index out of range, a shift by a
//! negative number (or by 64 or more, to the left), a [`BinaryOp::When`] whose condition fails.
//! Undefinedness spreads through integer operators and stops at the smallest boolean around it,
//! which is then false; an assignment of an undefined value, or of one that does not fit its
//! target, has no successor.
//!
//! **Choice.** `Choice(k)` is an arbitrary bit. Its number is local to the [`crate::Rel`] that
//! uses it: within one relation all occurrences of `Choice(k)` are the same bit, and the relation
//! holds if *some* value of its choices makes it hold.

use crate::{VarId, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// An expression of a program.
    ExprId
);

/// Which valuation a variable is read from. What each contains depends on the kind of edge: see
/// [`crate::EdgeKind`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Time {
    /// Before the step: `x`.
    Pre,
    /// After the step, or at the callee's entry: `x'`.
    Post,
    /// In the caller's frame that a call leaves behind: `x''`.
    Saved,
}

/// One operation. Small and copyable; operands are ids that precede it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Expr {
    /// A boolean constant.
    Bool(bool),
    /// An integer constant.
    Int(i64),
    /// A scalar variable.
    Read(Time, VarId),
    /// A cell of an array. The index counts from the array's lower bound.
    Index(Time, VarId, ExprId),
    /// An arbitrary bit (boolean), numbered within its relation.
    Choice(u32),
    /// Boolean negation.
    Not(ExprId),
    /// Two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `if c then a else b`, `a` and `b` of one sort.
    Ite(ExprId, ExprId, ExprId),
}

/// Binary operators, by the sorts of operands and result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOp {
    /// Boolean conjunction.
    And,
    /// Boolean disjunction.
    Or,
    /// Boolean exclusive or.
    Xor,
    /// Boolean equality.
    Iff,
    /// Boolean implication.
    Implies,
    /// Integer comparisons; false if an operand is undefined.
    Eq,
    /// Not equal; false if an operand is undefined.
    Ne,
    /// Less than.
    Lt,
    /// At most.
    Le,
    /// Greater than.
    Gt,
    /// At least.
    Ge,
    /// Exact sum.
    Add,
    /// Exact difference.
    Sub,
    /// Exact product.
    Mul,
    /// Quotient, rounded towards zero; undefined for divisor 0.
    Div,
    /// `a · 2^b`; undefined for negative `b`, and for `b` of 64 or more, which fits no variable.
    Shl,
    /// `⌊a / 2^b⌋`; undefined for negative `b`.
    Shr,
    /// Bitwise and of two's complements.
    BitAnd,
    /// Bitwise or of two's complements.
    BitOr,
    /// Bitwise exclusive or of two's complements.
    BitXor,
    /// `When(c, a)`: the integer `a` where the boolean `c` holds, undefined elsewhere.
    When,
}

/// The sort of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// True or false.
    Bool,
    /// An exact integer, or undefined.
    Int,
}

impl BinaryOp {
    /// Sorts of the operands and of the result.
    pub fn sorts(self) -> (Sort, Sort, Sort) {
        use BinaryOp::*;
        match self {
            And | Or | Xor | Iff | Implies => (Sort::Bool, Sort::Bool, Sort::Bool),
            Eq | Ne | Lt | Le | Gt | Ge => (Sort::Int, Sort::Int, Sort::Bool),
            Add | Sub | Mul | Div | Shl | Shr | BitAnd | BitOr | BitXor => {
                (Sort::Int, Sort::Int, Sort::Int)
            }
            When => (Sort::Bool, Sort::Int, Sort::Int),
        }
    }
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            And => "&",
            Or => "|",
            Xor => "^",
            Iff => "<=>",
            Implies => "=>",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Shl => "<<",
            Shr => ">>",
            BitAnd => "&.",
            BitOr => "|.",
            BitXor => "^.",
            When => "when",
        }
    }
}

/// The expressions of a program. Equal expressions have equal ids; an operand's id is smaller
/// than that of the expression which uses it, so a pass in index order needs no recursion.
#[derive(Clone, Debug)]
pub struct Exprs {
    items: Vec<Expr>,
    ids: FxHashMap<Expr, ExprId>,
}

impl Default for Exprs {
    fn default() -> Self {
        let mut exprs = Self { items: Vec::new(), ids: FxHashMap::default() };
        let t = exprs.add(Expr::Bool(true));
        let f = exprs.add(Expr::Bool(false));
        debug_assert!(t == Exprs::TRUE && f == Exprs::FALSE);
        exprs
    }
}

impl Exprs {
    /// The constant true.
    pub const TRUE: ExprId = ExprId(0);
    /// The constant false.
    pub const FALSE: ExprId = ExprId(1);

    /// The id of `expr`, which is added if it is new.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        use crate::Id;
        if let Some(&id) = self.ids.get(&expr) {
            return id;
        }
        let id = ExprId::new(self.items.len());
        self.items.push(expr);
        self.ids.insert(expr, id);
        id
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// A boolean constant.
    pub fn bool(&mut self, value: bool) -> ExprId {
        if value { Self::TRUE } else { Self::FALSE }
    }
    /// An integer constant.
    pub fn int(&mut self, value: i64) -> ExprId {
        self.add(Expr::Int(value))
    }
    /// A variable before the step.
    pub fn pre(&mut self, var: VarId) -> ExprId {
        self.add(Expr::Read(Time::Pre, var))
    }
    /// A variable after the step.
    pub fn post(&mut self, var: VarId) -> ExprId {
        self.add(Expr::Read(Time::Post, var))
    }
    /// An arbitrary bit.
    pub fn choice(&mut self, number: u32) -> ExprId {
        self.add(Expr::Choice(number))
    }
    /// Negation, simplified.
    #[allow(clippy::should_implement_trait)]
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match self[a] {
            Expr::Bool(b) => self.bool(!b),
            Expr::Not(inner) => inner,
            _ => self.add(Expr::Not(a)),
        }
    }
    /// Conjunction, simplified where an operand is constant.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self[a], self[b]) {
            (Expr::Bool(false), _) | (_, Expr::Bool(false)) => Self::FALSE,
            (Expr::Bool(true), _) => b,
            (_, Expr::Bool(true)) => a,
            _ if a == b => a,
            _ => self.add(Expr::Binary(BinaryOp::And, a, b)),
        }
    }
    /// Disjunction, simplified where an operand is constant.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self[a], self[b]) {
            (Expr::Bool(true), _) | (_, Expr::Bool(true)) => Self::TRUE,
            (Expr::Bool(false), _) => b,
            (_, Expr::Bool(false)) => a,
            _ if a == b => a,
            _ => self.add(Expr::Binary(BinaryOp::Or, a, b)),
        }
    }
    /// Any binary operation, as it is.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.add(Expr::Binary(op, a, b))
    }

    /// Calls `visit` for every expression below and including `root`, operands first, each once.
    pub fn postorder(&self, root: ExprId, mut visit: impl FnMut(ExprId, Expr)) {
        if operands(self[root]) == [None; 3] {
            return visit(root, self[root]);
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![(root, false)];
        while let Some((id, expanded)) = stack.pop() {
            if expanded {
                visit(id, self[id]);
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            stack.push((id, true));
            for operand in operands(self[id]).into_iter().rev().flatten() {
                stack.push((operand, false));
            }
        }
    }

    /// The expression with every leaf replaced by what `leaf` returns for it (`None`: as it is).
    pub fn map_leaves(
        &mut self,
        root: ExprId,
        mut leaf: impl FnMut(&mut Exprs, Expr) -> Option<ExprId>,
    ) -> ExprId {
        let mut order = Vec::new();
        self.postorder(root, |id, expr| order.push((id, expr)));
        let mut image: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for (id, expr) in order {
            let new = match expr {
                Expr::Not(a) => {
                    let a = image[&a];
                    self.not(a)
                }
                Expr::Binary(BinaryOp::And, a, b) => self.and(image[&a], image[&b]),
                Expr::Binary(BinaryOp::Or, a, b) => self.or(image[&a], image[&b]),
                Expr::Binary(op, a, b) => self.binary(op, image[&a], image[&b]),
                Expr::Ite(c, a, b) => self.add(Expr::Ite(image[&c], image[&a], image[&b])),
                Expr::Index(time, var, index) => {
                    let mapped = Expr::Index(time, var, image[&index]);
                    match leaf(self, mapped) {
                        Some(id) => id,
                        None => self.add(mapped),
                    }
                }
                Expr::Bool(_) | Expr::Int(_) | Expr::Read(..) | Expr::Choice(_) => {
                    leaf(self, expr).unwrap_or(id)
                }
            };
            image.insert(id, new);
        }
        image[&root]
    }

    /// Calls `read` for every variable read below `root`, with the time, at least once each; a
    /// cell counts as its whole array.
    pub fn reads(&self, root: ExprId, mut read: impl FnMut(Time, VarId)) {
        // Nearly all expressions are small trees, for which a stack on the stack is enough and
        // keeping account of what was seen costs more than seeing it twice.
        let mut stack = [root; 16];
        let (mut top, mut visits) = (1, 0);
        while top > 0 {
            top -= 1;
            visits += 1;
            let expr = self[stack[top]];
            if let Expr::Read(time, var) | Expr::Index(time, var, _) = expr {
                read(time, var);
            }
            for operand in operands(expr).into_iter().flatten() {
                if top == stack.len() || visits > 64 {
                    return self.postorder(root, |_, expr| {
                        if let Expr::Read(time, var) | Expr::Index(time, var, _) = expr {
                            read(time, var);
                        }
                    });
                }
                stack[top] = operand;
                top += 1;
            }
        }
    }
}

impl std::ops::Index<ExprId> for Exprs {
    type Output = Expr;
    fn index(&self, id: ExprId) -> &Expr {
        &self.items[id.0 as usize]
    }
}

/// The operands of an expression, in order.
pub fn operands(expr: Expr) -> [Option<ExprId>; 3] {
    match expr {
        Expr::Bool(_) | Expr::Int(_) | Expr::Read(..) | Expr::Choice(_) => [None; 3],
        Expr::Index(_, _, a) | Expr::Not(a) => [Some(a), None, None],
        Expr::Binary(_, a, b) => [Some(a), Some(b), None],
        Expr::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
    }
}
