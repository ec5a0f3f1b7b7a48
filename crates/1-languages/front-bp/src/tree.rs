//! The syntax tree of a boolean program, in arenas.
//!
//! Names, expressions, statements and lists are those of all languages ([`Nodes`]); here is what they
//! are in this one. What the common subset cannot say is gone: `dfs`, whether a type was written
//! `bool<1>` or `bool`, where a `decl` stood, which of two spellings an operator had.

use std::ops::{Deref, DerefMut};

use source::Span;
pub use syntax::{Block, ExprId, List, Name, Nodes, StmtId, Symbol};

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `=>`
    Implies,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `&`
    And,
    /// `=`
    Eq,
    /// `!=`
    Ne,
}

impl BinOp {
    /// Its sign in the common subset.
    pub fn sign(self) -> &'static str {
        match self {
            BinOp::Implies => "=>",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::And => "&",
            BinOp::Eq => "=",
            BinOp::Ne => "!=",
        }
    }
}

/// An expression and its place.
pub type Expr = syntax::Expr<ExprKind>;

/// What an expression is.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// `T` or `F`.
    Const(bool),
    /// A variable's value.
    Var(Symbol),
    /// `'x`, a variable's value after the assignment.
    Next(Symbol),
    /// `*`, a fresh choice.
    Choice,
    /// Negation.
    Not(ExprId),
    /// An operator with two operands.
    Binary(BinOp, ExprId, ExprId),
    /// `schoose[a, b]`: `a | (!b & *)`.
    Schoose(ExprId, ExprId),
}

/// A statement with its labels.
pub type Stmt = syntax::Stmt<StmtKind>;

/// What a statement is.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    /// `skip`
    Skip,
    /// `goto L, M`
    Goto(List<Name>),
    /// `return a, b`
    Return(List<ExprId>),
    /// `print(a, b)`
    Print(List<ExprId>),
    /// `x, _ := a, b constrain c`, as many values as targets.
    Assign {
        /// Variables, or `_`.
        targets: List<Name>,
        /// What they become.
        values: List<ExprId>,
        /// Over values before (`x`) and after (`'x`).
        constraint: Option<ExprId>,
    },
    /// `x, _ := f(a, b)` or `f(a, b)`.
    Call {
        /// Variables, or `_`; none when the results are thrown away.
        targets: List<Name>,
        /// The procedure.
        callee: Name,
        /// Its arguments.
        args: List<ExprId>,
    },
    /// `assert(a)`
    Assert(ExprId),
    /// `assume(a)`
    Assume(ExprId),
    /// `constrain(a)`
    Constrain(ExprId),
    /// `dead x, y`
    Dead(List<Name>),
    /// `if a then … elsif b then … else … fi`
    If {
        /// At least one: `if`, then each `elsif`.
        branches: List<Branch>,
        /// The `else` part, if there is one.
        otherwise: Option<Block>,
    },
    /// `while a do … od`
    While {
        /// The condition.
        cond: ExprId,
        /// The body.
        body: Block,
    },
}

/// `if a then …` or `elsif a then …`.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// The word `if` or `elsif`.
    pub keyword: Span,
    /// The condition.
    pub cond: ExprId,
    /// What follows where it holds.
    pub body: Block,
}

/// A procedure.
#[derive(Clone, Copy, Debug)]
pub struct Proc {
    /// Its name.
    pub name: Name,
    /// How many values it returns.
    pub returns: u32,
    /// Its parameters.
    pub params: List<Name>,
    /// Its local variables, wherever they were declared.
    pub locals: List<Name>,
    /// `enforce e`
    pub enforce: Option<ExprId>,
    /// `abortif e`
    pub abortif: Option<ExprId>,
    /// Its statements.
    pub body: Block,
    /// From its first word to its name.
    pub span: Span,
}

/// A boolean program as it is written. Equality is that of programs: spans do not count.
///
/// The invariants of [`Nodes`] are those of this tree; a branch has one parent, too.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Nodes<ExprKind, StmtKind>,
    globals: Vec<Name>,
    procs: Vec<Proc>,
    branches: Vec<Branch>,
}

impl Deref for Tree {
    type Target = Nodes<ExprKind, StmtKind>;

    fn deref(&self) -> &Self::Target {
        &self.nodes
    }
}

impl DerefMut for Tree {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.nodes
    }
}

impl Tree {
    /// The tree of a program without declarations and procedures.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// Global variables in the order of declaration.
    pub fn globals(&self) -> &[Name] {
        &self.globals
    }

    /// Procedures in the order of the text.
    pub fn procs(&self) -> &[Proc] {
        &self.procs
    }

    /// The branches of an `if`.
    pub fn branches(&self, list: List<Branch>) -> &[Branch] {
        list.of(&self.branches)
    }

    /// Adds a global variable.
    pub fn add_global(&mut self, name: Name) {
        self.globals.push(name);
    }

    /// Adds a procedure.
    pub fn add_proc(&mut self, proc: Proc) {
        self.procs.push(proc);
    }

    /// Adds the branches of an `if`.
    pub fn add_branches(&mut self, branches: impl IntoIterator<Item = Branch>) -> List<Branch> {
        List::add(&mut self.branches, branches)
    }

    /// Widens an expression's place by the parentheses around it, unless it has no parts.
    pub(crate) fn widen(&mut self, id: ExprId, span: Span) {
        use ExprKind::*;
        if matches!(self.expr(id).kind, Not(_) | Binary(..) | Schoose(..)) {
            self.set_span(id, span);
        }
    }

    /// How many branches all `if`s have: each has a number below it.
    pub(crate) fn branch_count(&self) -> usize {
        self.branches.len()
    }
}

type Pairs<'t> = syntax::Pairs<'t, Tree>;

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        let mut pairs = Pairs::new(self, other);
        pairs.each(&self.globals, &other.globals, |pairs, a, b| pairs.name(a, b))
            && pairs.each(&self.procs, &other.procs, equal_procs)
    }
}

impl Eq for Tree {}

fn equal_procs(pairs: &mut Pairs<'_>, a: Proc, b: Proc) -> bool {
    pairs.name(a.name, b.name)
        && a.returns == b.returns
        && pairs.names(a.params, b.params)
        && pairs.names(a.locals, b.locals)
        && pairs.maybe(a.enforce, b.enforce, Pairs::expr)
        && pairs.maybe(a.abortif, b.abortif, Pairs::expr)
        && pairs.block(a.body, b.body)
        && rest_equal(pairs)
}

/// Compares what was put aside, and what that consists of.
fn rest_equal(pairs: &mut Pairs<'_>) -> bool {
    loop {
        let equal = if let Some((a, b)) = pairs.next_expr() {
            equal_exprs(pairs, a, b)
        } else if let Some((a, b)) = pairs.next_stmt() {
            pairs.names(a.labels, b.labels) && equal_stmts(pairs, a.kind, b.kind)
        } else {
            return true;
        };
        if !equal {
            return false;
        }
    }
}

fn equal_exprs(pairs: &mut Pairs<'_>, a: ExprKind, b: ExprKind) -> bool {
    use ExprKind::*;
    match (a, b) {
        (Const(a), Const(b)) => a == b,
        (Var(a), Var(b)) | (Next(a), Next(b)) => pairs.a.text(a) == pairs.b.text(b),
        (Choice, Choice) => true,
        (Not(a), Not(b)) => pairs.expr(a, b),
        (Binary(o, a1, a2), Binary(p, b1, b2)) => {
            o == p && pairs.expr(a1, b1) && pairs.expr(a2, b2)
        }
        (Schoose(a1, a2), Schoose(b1, b2)) => pairs.expr(a1, b1) && pairs.expr(a2, b2),
        _ => false,
    }
}

fn equal_stmts(pairs: &mut Pairs<'_>, a: StmtKind, b: StmtKind) -> bool {
    use StmtKind::*;
    match (a, b) {
        (Skip, Skip) => true,
        (Goto(a), Goto(b)) | (Dead(a), Dead(b)) => pairs.names(a, b),
        (Return(a), Return(b)) | (Print(a), Print(b)) => pairs.exprs(a, b),
        (
            Assign { targets: t, values: v, constraint: c },
            Assign { targets, values, constraint },
        ) => {
            pairs.names(t, targets)
                && pairs.exprs(v, values)
                && pairs.maybe(c, constraint, Pairs::expr)
        }
        (Call { targets: t, callee: c, args: a }, Call { targets, callee, args }) => {
            pairs.names(t, targets) && pairs.name(c, callee) && pairs.exprs(a, args)
        }
        (Assert(a), Assert(b)) | (Assume(a), Assume(b)) | (Constrain(a), Constrain(b)) => {
            pairs.expr(a, b)
        }
        (If { branches: x, otherwise: y }, If { branches, otherwise }) => {
            let (x, branches) = (pairs.a.branches(x), pairs.b.branches(branches));
            pairs.each(x, branches, |pairs, a, b| {
                pairs.expr(a.cond, b.cond) && pairs.block(a.body, b.body)
            }) && pairs.maybe(y, otherwise, Pairs::block)
        }
        (While { cond: c, body: b }, While { cond, body }) => {
            pairs.expr(c, cond) && pairs.block(b, body)
        }
        _ => false,
    }
}
