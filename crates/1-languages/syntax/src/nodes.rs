//! Syntax trees in arenas: names, expressions, statements, and lists of them.
//!
//! Nodes refer to each other by number, so that dropping, cloning and comparing a tree of any depth
//! needs no recursion.

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
    /// A name's text, kept once in its tree ([`Nodes::text`]).
    Symbol
);
id!(
    /// An expression of a tree ([`Nodes::expr`]).
    ExprId
);
id!(
    /// A statement of a tree ([`Nodes::stmt`]).
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

/// A list of `T`s in a tree: names, expressions, branches, or the statements of a block. It is a
/// part of the arena in which the tree has all its `T`s.
pub struct List<T> {
    start: u32,
    len: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The list without elements.
    pub const EMPTY: List<T> = List { start: 0, len: 0, of: PhantomData };

    /// The list of these elements, which join the arena.
    pub fn add(arena: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> List<T> {
        let start = arena.len() as u32;
        arena.extend(items);
        List { start, len: arena.len() as u32 - start, of: PhantomData }
    }

    /// Its elements, in the arena that it was added to.
    pub fn of(self, arena: &[T]) -> &[T] {
        &arena[self.range()]
    }

    /// How many elements it has.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The numbers of its elements in the arena.
    pub fn range(self) -> std::ops::Range<usize> {
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

/// An expression and its place: with the parentheses around it, or, for a name or a constant,
/// without.
#[derive(Clone, Copy, Debug)]
pub struct Expr<E> {
    /// What it is.
    pub kind: E,
    /// Where it stands.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Clone, Copy, Debug)]
pub struct Stmt<S> {
    /// Names or numbers, in order; one may occur twice.
    pub labels: List<Name>,
    /// What it is.
    pub kind: S,
    /// From its first token after the labels to its last, without `;`.
    pub span: Span,
}

/// What the tree of every language has: names, expressions of kind `E` and statements of kind `S`.
/// A language adds what its programs consist of, and its own sorts of lists.
///
/// Invariant 1: ids and lists point into this tree; children are older than their parents.
/// Invariant 2: an expression or statement has one parent.
/// The `add_…` functions keep 1 as long as ids come from the same tree; 2 is up to their caller,
/// and a tree that breaks it prints and lowers as if the shared part were copied.
#[derive(Clone, Debug)]
pub struct Nodes<E, S> {
    texts: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Symbol>,
    exprs: Vec<Expr<E>>,
    stmts: Vec<Stmt<S>>,
    name_lists: Vec<Name>,
    expr_lists: Vec<ExprId>,
    stmt_lists: Vec<StmtId>,
}

impl<E, S> Default for Nodes<E, S> {
    fn default() -> Self {
        Nodes {
            texts: Vec::new(),
            symbols: FxHashMap::default(),
            exprs: Vec::new(),
            stmts: Vec::new(),
            name_lists: Vec::new(),
            expr_lists: Vec::new(),
            stmt_lists: Vec::new(),
        }
    }
}

impl<E, S> Nodes<E, S> {
    /// The text of a name, as it is written.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.index()]
    }

    /// The symbol of a text, if it occurs in the tree.
    pub fn symbol(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// How many different names there are: symbols are numbered below it.
    pub fn symbol_count(&self) -> usize {
        self.texts.len()
    }

    /// The symbol of a text, new if need be.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt<S> {
        &self.stmts[id.index()]
    }

    /// How many statements there are.
    pub fn stmt_count(&self) -> usize {
        self.stmts.len()
    }

    /// Adds a statement, to be put into a block.
    pub fn add_stmt(&mut self, stmt: Stmt<S>) -> StmtId {
        self.stmts.push(stmt);
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr<E> {
        &self.exprs[id.index()]
    }

    /// Adds an expression.
    pub fn add_expr(&mut self, kind: E, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Gives an expression another place, as that with the parentheses around it.
    pub fn set_span(&mut self, id: ExprId, span: Span) {
        self.exprs[id.index()].span = span;
    }

    /// The statements of a block.
    pub fn block(&self, block: Block) -> &[StmtId] {
        block.of(&self.stmt_lists)
    }

    /// Adds a block of statements.
    pub fn add_block(&mut self, stmts: impl IntoIterator<Item = StmtId>) -> Block {
        List::add(&mut self.stmt_lists, stmts)
    }

    /// The expressions of a list.
    pub fn exprs(&self, list: List<ExprId>) -> &[ExprId] {
        list.of(&self.expr_lists)
    }

    /// Adds a list of expressions.
    pub fn add_exprs(&mut self, exprs: impl IntoIterator<Item = ExprId>) -> List<ExprId> {
        List::add(&mut self.expr_lists, exprs)
    }

    /// The names of a list.
    pub fn names(&self, list: List<Name>) -> &[Name] {
        list.of(&self.name_lists)
    }

    /// Adds a list of names.
    pub fn add_names(&mut self, names: impl IntoIterator<Item = Name>) -> List<Name> {
        List::add(&mut self.name_lists, names)
    }
}
