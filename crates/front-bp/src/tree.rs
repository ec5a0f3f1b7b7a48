//! The syntax tree of a boolean program, in arenas.
//!
//! Nodes refer to each other by index, so that dropping, cloning and comparing a tree of any depth
//! needs no recursion. What the common subset cannot say is gone: `dfs`, whether a type was written
//! `bool<1>` or `bool`, where a `decl` stood, which of two spellings an operator had.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::Span;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Its number, dense from 0 in its tree.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A name's text, kept once in its tree ([`Tree::text`]).
    Symbol
);
id!(
    /// An expression of a [`Tree`].
    ExprId
);
id!(
    /// A statement of a [`Tree`].
    StmtId
);

/// An occurrence of a name.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// Its text.
    pub symbol: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A list of `T`s in a [`Tree`]: names, expressions, branches, or the statements of a block.
pub struct List<T> {
    start: u32,
    len: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The list without elements.
    pub const EMPTY: List<T> = List { start: 0, len: 0, of: PhantomData };

    /// How many elements it has.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The numbers of its elements.
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.range().fmt(f)
    }
}

/// The statements of a procedure, a branch or a loop.
pub type Block = List<StmtId>;

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

/// An expression and its place: with the parentheses around it, or, for a name or a constant, without.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

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
#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    /// Names or integers, in order; one may occur twice.
    pub labels: List<Name>,
    /// What it is.
    pub kind: StmtKind,
    /// From its first token after the labels to its last, without `;`.
    pub span: Span,
}

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

/// The texts of names, each kept once.
#[derive(Clone, Debug, Default)]
struct Names {
    texts: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Symbol>,
}

impl Names {
    fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }
}

/// A boolean program as it is written.
///
/// Invariant 1: ids and lists point into this tree; children are older than their parents.
/// Invariant 2: an expression, statement or branch has one parent.
/// The `add_…` functions keep 1 as long as ids come from the same tree; 2 is up to their caller,
/// and a tree that breaks it prints, checks and lowers as if the shared part were copied.
///
/// Equality is that of programs: spans do not count.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    names: Names,
    globals: Vec<Name>,
    procs: Vec<Proc>,
    stmts: Vec<Stmt>,
    exprs: Vec<Expr>,
    branches: Vec<Branch>,
    name_lists: Vec<Name>,
    expr_lists: Vec<ExprId>,
    stmt_lists: Vec<StmtId>,
}

impl Tree {
    /// The tree of a program without declarations and procedures.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// The text of a name, braces included.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.names.texts[symbol.index()]
    }

    /// The symbol of a text, if it occurs in the tree.
    pub fn symbol(&self, text: &str) -> Option<Symbol> {
        self.names.symbols.get(text).copied()
    }

    /// How many different names there are: symbols are numbered below it.
    pub fn symbol_count(&self) -> usize {
        self.names.texts.len()
    }

    /// Global variables in the order of declaration.
    pub fn globals(&self) -> &[Name] {
        &self.globals
    }

    /// Procedures in the order of the text.
    pub fn procs(&self) -> &[Proc] {
        &self.procs
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The statements of a block.
    pub fn block(&self, block: Block) -> &[StmtId] {
        &self.stmt_lists[block.range()]
    }

    /// The expressions of a list.
    pub fn exprs(&self, list: List<ExprId>) -> &[ExprId] {
        &self.expr_lists[list.range()]
    }

    /// The names of a list.
    pub fn names(&self, list: List<Name>) -> &[Name] {
        &self.name_lists[list.range()]
    }

    /// The branches of an `if`.
    pub fn branches(&self, list: List<Branch>) -> &[Branch] {
        &self.branches[list.range()]
    }

    /// The symbol of a text, new if need be.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.names.intern(text)
    }

    /// Adds a global variable.
    pub fn add_global(&mut self, name: Name) {
        self.globals.push(name);
    }

    /// Adds a procedure.
    pub fn add_proc(&mut self, proc: Proc) {
        self.procs.push(proc);
    }

    /// Adds a statement, to be put into a block.
    pub fn add_stmt(&mut self, stmt: Stmt) -> StmtId {
        self.stmts.push(stmt);
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// Adds an expression.
    pub fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Adds a block of statements.
    pub fn add_block(&mut self, stmts: impl IntoIterator<Item = StmtId>) -> Block {
        add_list(&mut self.stmt_lists, stmts)
    }

    /// Adds a list of expressions.
    pub fn add_exprs(&mut self, exprs: impl IntoIterator<Item = ExprId>) -> List<ExprId> {
        add_list(&mut self.expr_lists, exprs)
    }

    /// Adds a list of names.
    pub fn add_names(&mut self, names: impl IntoIterator<Item = Name>) -> List<Name> {
        add_list(&mut self.name_lists, names)
    }

    /// Adds the branches of an `if`.
    pub fn add_branches(&mut self, branches: impl IntoIterator<Item = Branch>) -> List<Branch> {
        add_list(&mut self.branches, branches)
    }

    /// Widens an expression's place by the parentheses around it, unless it has no parts.
    pub(crate) fn widen(&mut self, id: ExprId, span: Span) {
        let expr = &mut self.exprs[id.index()];
        if matches!(expr.kind, ExprKind::Not(_) | ExprKind::Binary(..) | ExprKind::Schoose(..)) {
            expr.span = span;
        }
    }

    /// How many branches all `if`s have: each has a number below it.
    pub(crate) fn branch_count(&self) -> usize {
        self.branches.len()
    }

    /// How many statements there are.
    pub(crate) fn stmt_count(&self) -> usize {
        self.stmts.len()
    }
}

fn add_list<T, I: IntoIterator<Item = T>>(pool: &mut Vec<T>, items: I) -> List<T> {
    let start = pool.len() as u32;
    pool.extend(items);
    List { start, len: pool.len() as u32 - start, of: PhantomData }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        let mut pairs = Pairs { a: self, b: other, exprs: Vec::new(), stmts: Vec::new() };
        self.globals.len() == other.globals.len()
            && self.procs.len() == other.procs.len()
            && self.globals.iter().zip(&other.globals).all(|(a, b)| pairs.name(*a, *b))
            && self.procs.iter().zip(&other.procs).all(|(a, b)| pairs.proc(a, b))
    }
}

impl Eq for Tree {}

/// Walks two trees side by side; what is left to compare waits on the stacks.
struct Pairs<'t> {
    a: &'t Tree,
    b: &'t Tree,
    exprs: Vec<(ExprId, ExprId)>,
    stmts: Vec<(StmtId, StmtId)>,
}

impl Pairs<'_> {
    fn symbol(&self, a: Symbol, b: Symbol) -> bool {
        self.a.text(a) == self.b.text(b)
    }

    fn name(&self, a: Name, b: Name) -> bool {
        self.symbol(a.symbol, b.symbol)
    }

    fn names(&self, a: List<Name>, b: List<Name>) -> bool {
        let (a, b) = (self.a.names(a), self.b.names(b));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.name(*a, *b))
    }

    fn expr(&mut self, a: ExprId, b: ExprId) -> bool {
        self.exprs.push((a, b));
        true
    }

    fn maybe(&mut self, a: Option<ExprId>, b: Option<ExprId>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.expr(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    fn exprs(&mut self, a: List<ExprId>, b: List<ExprId>) -> bool {
        let (a, b) = (self.a.exprs(a), self.b.exprs(b));
        self.exprs.extend(a.iter().copied().zip(b.iter().copied()));
        a.len() == b.len()
    }

    fn block(&mut self, a: Block, b: Block) -> bool {
        let (a, b) = (self.a.block(a), self.b.block(b));
        self.stmts.extend(a.iter().copied().zip(b.iter().copied()));
        a.len() == b.len()
    }

    fn proc(&mut self, a: &Proc, b: &Proc) -> bool {
        self.name(a.name, b.name)
            && a.returns == b.returns
            && self.names(a.params, b.params)
            && self.names(a.locals, b.locals)
            && self.maybe(a.enforce, b.enforce)
            && self.maybe(a.abortif, b.abortif)
            && self.block(a.body, b.body)
            && self.pending()
    }

    fn pending(&mut self) -> bool {
        loop {
            let equal = if let Some((a, b)) = self.exprs.pop() {
                self.exprs_equal(a, b)
            } else if let Some((a, b)) = self.stmts.pop() {
                self.stmts_equal(a, b)
            } else {
                return true;
            };
            if !equal {
                return false;
            }
        }
    }

    fn exprs_equal(&mut self, a: ExprId, b: ExprId) -> bool {
        use ExprKind::*;
        match (self.a.expr(a).kind, self.b.expr(b).kind) {
            (Const(a), Const(b)) => a == b,
            (Var(a), Var(b)) | (Next(a), Next(b)) => self.symbol(a, b),
            (Choice, Choice) => true,
            (Not(a), Not(b)) => self.expr(a, b),
            (Binary(o, a1, a2), Binary(p, b1, b2)) => {
                o == p && self.expr(a1, b1) && self.expr(a2, b2)
            }
            (Schoose(a1, a2), Schoose(b1, b2)) => self.expr(a1, b1) && self.expr(a2, b2),
            _ => false,
        }
    }

    fn stmts_equal(&mut self, a: StmtId, b: StmtId) -> bool {
        use StmtKind::*;
        let (a, b) = (*self.a.stmt(a), *self.b.stmt(b));
        self.names(a.labels, b.labels)
            && match (a.kind, b.kind) {
                (Skip, Skip) => true,
                (Goto(a), Goto(b)) | (Dead(a), Dead(b)) => self.names(a, b),
                (Return(a), Return(b)) | (Print(a), Print(b)) => self.exprs(a, b),
                (
                    Assign { targets: t, values: v, constraint: c },
                    Assign { targets, values, constraint },
                ) => self.names(t, targets) && self.exprs(v, values) && self.maybe(c, constraint),
                (Call { targets: t, callee: c, args: a }, Call { targets, callee, args }) => {
                    self.names(t, targets) && self.name(c, callee) && self.exprs(a, args)
                }
                (Assert(a), Assert(b)) | (Assume(a), Assume(b)) | (Constrain(a), Constrain(b)) => {
                    self.expr(a, b)
                }
                (If { branches: x, otherwise: y }, If { branches, otherwise }) => {
                    let (x, branches) = (self.a.branches(x), self.b.branches(branches));
                    x.len() == branches.len()
                        && x.iter()
                            .zip(branches)
                            .all(|(a, b)| self.expr(a.cond, b.cond) && self.block(a.body, b.body))
                        && match (y, otherwise) {
                            (Some(a), Some(b)) => self.block(a, b),
                            (None, None) => true,
                            _ => false,
                        }
                }
                (While { cond: c, body: b }, While { cond, body }) => {
                    self.expr(c, cond) && self.block(b, body)
                }
                _ => false,
            }
    }
}
