//! The syntax tree of a Remopla program, in arenas.
//!
//! Nodes refer to each other by index, so that dropping, cloning and comparing a tree of any depth
//! needs no recursion. What cannot matter is gone: the word `unsigned`, parentheses, and where
//! among the statements of a module a local was declared.

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
    /// A text, kept once in its tree ([`Tree::text`]).
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

/// A list of `T`s in a [`Tree`].
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

    /// The numbers of its elements, which no other list of `T`s in the tree contains.
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

/// The statements of a module, a branch or a loop.
pub type Block = List<StmtId>;

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `=>`, in pushdown systems only.
    Implies,
    /// `||`
    Or,
    /// `^^`
    Xor,
    /// `&&`
    And,
    /// `|`: of booleans the same as `||`.
    BitOr,
    /// `^`: of booleans the same as `^^`.
    BitXor,
    /// `&`: of booleans the same as `&&`.
    BitAnd,
    /// `<=>`
    Iff,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

impl BinOp {
    /// Its sign.
    pub fn sign(self) -> &'static str {
        match self {
            BinOp::Implies => "=>",
            BinOp::Or => "||",
            BinOp::Xor => "^^",
            BinOp::And => "&&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::BitAnd => "&",
            BinOp::Iff => "<=>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
        }
    }

    /// How tightly it binds, higher is tighter. These are the levels of C, with `^^` between `||`
    /// and `&&`; the body of a quantifier extends over what binds tighter than
    /// [`BinOp::QUANTIFIER`].
    pub(crate) fn level(self) -> u8 {
        use BinOp::*;
        match self {
            Implies => 0,
            Or => 1,
            Xor => 2,
            And => 3,
            BitOr => 5,
            BitXor => 6,
            BitAnd => 7,
            Iff | Eq | Ne => 8,
            Lt | Le | Gt | Ge => 9,
            Shl | Shr => 10,
            Add | Sub => 11,
            Mul | Div => 12,
        }
    }

    pub(crate) const QUANTIFIER: u8 = 4;
}

/// An expression and its place: with the parentheses around it, or, for a name or a constant,
/// without.
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
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Int(i64),
    /// `undef`, as a whole value or argument only.
    Undef,
    /// A variable, a cell, a field, a constant.
    Place(Place),
    /// Negation.
    Not(ExprId),
    /// An operator with two operands.
    Binary(BinOp, ExprId, ExprId),
    /// `A i (lo, hi) e` or `E i (lo, hi) e`.
    Quantified(Quantifier, ExprId),
}

/// `a`, `a'[i][j]`, `s.f`, `s[i].f'`: a name with its indices, and those of a field.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The variable (or constant).
    pub base: Segment,
    /// The field of a struct.
    pub field: Option<Segment>,
}

/// A name with primes and indices.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The name.
    pub name: Name,
    /// How many primes follow it.
    pub primes: u8,
    /// At most two.
    pub indices: List<ExprId>,
}

/// `A i (lo, hi)` or `E i (lo, hi)`.
#[derive(Clone, Copy, Debug)]
pub struct Quantifier {
    /// `A`, not `E`.
    pub all: bool,
    /// The variable.
    pub var: Name,
    /// Its least value.
    pub lo: ExprId,
    /// Its greatest value.
    pub hi: ExprId,
}

/// `A i (0, 3) a[i] = e`: one part of a parallel assignment.
#[derive(Clone, Copy, Debug)]
pub struct Assign {
    /// Outermost first.
    pub quantifiers: List<Quantifier>,
    /// A place.
    pub target: ExprId,
    /// `!=` instead of `=`: the target becomes anything but the value.
    pub other: bool,
    /// The value.
    pub value: ExprId,
}

/// A statement with its labels.
#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    /// In order; one may occur twice.
    pub labels: List<Name>,
    /// What it is.
    pub kind: StmtKind,
    /// From its first token after the labels to its last, without `;`.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    /// `if :: a -> … :: else -> … fi`
    If(List<Branch>),
    /// `do :: a -> … :: else -> … od`
    Do(List<Branch>),
    /// `x = a, y = b`
    Assign(List<Assign>),
    /// `x = f(a, b), y = c`
    Call {
        /// Where the result goes.
        target: Option<ExprId>,
        /// The module.
        callee: Name,
        /// Its arguments.
        args: List<ExprId>,
        /// What is assigned in parallel.
        assigns: List<Assign>,
    },
    /// `return e`
    Return(Option<ExprId>),
    /// `goto L, x = a`
    Goto(Name, List<Assign>),
    /// `break`
    Break,
    /// `skip(b)`
    Skip(Option<ExprId>),
    /// `p <y> --> q <y1 y2> (b)`
    Rule(Rule),
}

/// `:: a -> …`, or `:: else -> …`.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// The condition; none for `else`.
    pub guard: Option<ExprId>,
    /// What follows where it holds.
    pub body: Block,
    /// From `::` to `->`.
    pub span: Span,
}

/// A raw rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The control location on the left.
    pub from: Name,
    /// The stack symbol on the left.
    pub symbol: Name,
    /// The control location on the right.
    pub to: Name,
    /// The stack symbols on the right, topmost first.
    pub stack: List<Name>,
    /// The text in quotes, without them.
    pub label: Option<Name>,
    /// Over values before (`x`), after (`x'`) and below (`x''`).
    pub formula: Option<ExprId>,
}

/// The name of a type, or its definition on the spot.
#[derive(Clone, Copy, Debug)]
pub enum TypeName {
    /// `void`, of modules only.
    Void,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `enum E`
    Enum(Name),
    /// `enum E { a, b }`
    EnumOf(Option<Name>, List<Name>),
    /// `struct S`
    Struct(Name),
    /// `struct S { int x; bool b; }`
    StructOf(Option<Name>, List<Decl>),
}

/// `[n]` or `[lo, hi]`.
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// The least index, if it is given.
    pub lo: Option<ExprId>,
    /// The greatest index, or the number of cells.
    pub hi: ExprId,
    /// Where it stands.
    pub span: Span,
}

/// `x[n][m](bits)`
#[derive(Clone, Copy, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Name,
    /// At most two.
    pub dims: List<Dim>,
    /// How many bits.
    pub bits: Option<ExprId>,
}

/// `shared int x, y[3](2);`, or, with no declarators, the definition of a type.
#[derive(Clone, Copy, Debug)]
pub struct Decl {
    /// The word `shared` stands before it. It matters to concurrent programs only.
    pub shared: bool,
    /// The type.
    pub ty: TypeName,
    /// What is declared.
    pub vars: List<Declarator>,
    /// From its first word to its last, without `;`.
    pub span: Span,
}

/// A module, or its announcement.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// The type of what it returns.
    pub returns: TypeName,
    /// The dimensions of what it returns.
    pub dims: List<Dim>,
    /// The bits of what it returns.
    pub bits: Option<ExprId>,
    /// Its parameters, one declarator each.
    pub params: List<Decl>,
    /// Its local variables, wherever they were declared.
    pub locals: List<Decl>,
    /// Its statements; none if it is only announced.
    pub body: Option<Block>,
    /// From `module` to its name.
    pub span: Span,
}

/// A part of a program, outside modules.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// `define N 3`, or `define DEFAULT_INT_BITS 3` without a name.
    Define(Option<Name>, ExprId),
    /// Variables or a type.
    Decl(Decl),
    /// `init main;`
    Init(List<Name>),
    /// A module.
    Module(Module),
    /// A statement outside modules.
    Stmt(StmtId),
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

/// A Remopla program as it is written.
///
/// Invariant 1: ids and lists point into this tree; children are older than their parents.
/// Invariant 2: an expression or statement has one parent.
/// The `add_…` functions keep 1 as long as ids come from the same tree; 2 is up to their caller,
/// and a tree that breaks it prints and lowers as if the shared part were copied.
///
/// Equality is that of programs: spans do not count.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    names: Names,
    items: Vec<Item>,
    stmts: Vec<Stmt>,
    exprs: Vec<Expr>,
    branches: Vec<Branch>,
    assigns: Vec<Assign>,
    quantifiers: Vec<Quantifier>,
    decls: Vec<Decl>,
    declarators: Vec<Declarator>,
    dims: Vec<Dim>,
    name_lists: Vec<Name>,
    expr_lists: Vec<ExprId>,
    stmt_lists: Vec<StmtId>,
}

/// What can stand in a [`List`]: it knows its arena.
pub trait Element: Sized {
    #[doc(hidden)]
    fn pool(tree: &Tree) -> &Vec<Self>;
    #[doc(hidden)]
    fn pool_mut(tree: &mut Tree) -> &mut Vec<Self>;
}

macro_rules! element {
    ($($ty:ty: $field:ident),* $(,)?) => {
        $(impl Element for $ty {
            fn pool(tree: &Tree) -> &Vec<Self> {
                &tree.$field
            }
            fn pool_mut(tree: &mut Tree) -> &mut Vec<Self> {
                &mut tree.$field
            }
        })*
    };
}

element!(
    Name: name_lists,
    ExprId: expr_lists,
    StmtId: stmt_lists,
    Branch: branches,
    Assign: assigns,
    Quantifier: quantifiers,
    Decl: decls,
    Declarator: declarators,
    Dim: dims,
);

impl Tree {
    /// The tree of an empty program.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// The text of a name.
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

    /// The parts of the program in the order of the text.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The modules that have a body, in the order of the text.
    pub fn modules(&self) -> impl Iterator<Item = &Module> {
        self.items.iter().filter_map(|item| match item {
            Item::Module(module) if module.body.is_some() => Some(module),
            _ => None,
        })
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The elements of a list.
    pub fn list<T: Element>(&self, list: List<T>) -> &[T] {
        &T::pool(self)[list.range()]
    }

    /// The symbol of a text, new if need be.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.names.intern(text)
    }

    /// Adds a part of the program.
    pub fn add_item(&mut self, item: Item) {
        self.items.push(item);
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

    /// Adds a list.
    pub fn add_list<T: Element>(&mut self, items: impl IntoIterator<Item = T>) -> List<T> {
        let pool = T::pool_mut(self);
        let start = pool.len() as u32;
        pool.extend(items);
        List { start, len: pool.len() as u32 - start, of: PhantomData }
    }

    /// Widens an expression's place by the parentheses around it, unless it has no parts.
    pub(crate) fn widen(&mut self, id: ExprId, span: Span) {
        let expr = &mut self.exprs[id.index()];
        if matches!(expr.kind, ExprKind::Not(_) | ExprKind::Binary(..) | ExprKind::Quantified(..)) {
            expr.span = span;
        }
    }

    /// How many statements there are.
    pub(crate) fn stmt_count(&self) -> usize {
        self.stmts.len()
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        let mut pairs = Pairs::new(self, other);
        self.items.len() == other.items.len()
            && self.items.iter().zip(&other.items).all(|(a, b)| pairs.item(a, b))
    }
}

impl Eq for Tree {}

/// Walks two trees side by side; what is left to compare waits on the stacks.
pub struct Pairs<'t> {
    a: &'t Tree,
    b: &'t Tree,
    exprs: Vec<(ExprId, ExprId)>,
    stmts: Vec<(StmtId, StmtId)>,
}

impl<'t> Pairs<'t> {
    /// Compares parts of `a` with parts of `b`.
    pub fn new(a: &'t Tree, b: &'t Tree) -> Pairs<'t> {
        Pairs { a, b, exprs: Vec::new(), stmts: Vec::new() }
    }

    /// Whether two names are equal.
    pub fn name(&self, a: Name, b: Name) -> bool {
        self.a.text(a.symbol) == self.b.text(b.symbol)
    }

    fn maybe_name(&self, a: Option<Name>, b: Option<Name>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.name(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether two lists of names are equal.
    pub fn names(&self, a: List<Name>, b: List<Name>) -> bool {
        let (a, b) = (self.a.list(a), self.b.list(b));
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
        let (a, b) = (self.a.list(a), self.b.list(b));
        self.exprs.extend(a.iter().copied().zip(b.iter().copied()));
        a.len() == b.len()
    }

    fn block(&mut self, a: Block, b: Block) -> bool {
        let (a, b) = (self.a.list(a), self.b.list(b));
        self.stmts.extend(a.iter().copied().zip(b.iter().copied()));
        a.len() == b.len()
    }

    fn each<T: Element + Copy + 't>(
        &mut self,
        a: List<T>,
        b: List<T>,
        mut equal: impl FnMut(&mut Self, T, T) -> bool,
    ) -> bool {
        let (a, b) = (self.a.list(a), self.b.list(b));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(self, *a, *b))
    }

    fn item(&mut self, a: &Item, b: &Item) -> bool {
        let equal = match (a, b) {
            (Item::Define(m, x), Item::Define(n, y)) => {
                self.maybe_name(*m, *n) && self.expr(*x, *y)
            }
            (Item::Decl(a), Item::Decl(b)) => self.decl(*a, *b),
            (Item::Init(a), Item::Init(b)) => self.names(*a, *b),
            (Item::Module(a), Item::Module(b)) => self.module(a, b),
            (Item::Stmt(a), Item::Stmt(b)) => {
                self.stmts.push((*a, *b));
                true
            }
            _ => false,
        };
        equal && self.pending()
    }

    fn module(&mut self, a: &Module, b: &Module) -> bool {
        self.name(a.name, b.name)
            && self.ty(a.returns, b.returns)
            && self.dims(a.dims, b.dims)
            && self.maybe(a.bits, b.bits)
            && self.each(a.params, b.params, Self::decl)
            && self.each(a.locals, b.locals, Self::decl)
            && match (a.body, b.body) {
                (Some(a), Some(b)) => self.block(a, b),
                (None, None) => true,
                _ => false,
            }
    }

    /// Whether two declarations are equal. Structs do not nest, so this goes one level deep.
    pub fn decl(&mut self, a: Decl, b: Decl) -> bool {
        a.shared == b.shared
            && self.ty(a.ty, b.ty)
            && self.each(a.vars, b.vars, Self::declarator)
            && self.pending()
    }

    fn ty(&mut self, a: TypeName, b: TypeName) -> bool {
        use TypeName::*;
        match (a, b) {
            (Void, Void) | (Bool, Bool) | (Int, Int) => true,
            (Enum(a), Enum(b)) | (Struct(a), Struct(b)) => self.name(a, b),
            (EnumOf(m, a), EnumOf(n, b)) => self.maybe_name(m, n) && self.names(a, b),
            (StructOf(m, a), StructOf(n, b)) => {
                self.maybe_name(m, n)
                    && self.each(a, b, |pairs, a, b| {
                        pairs.each(a.vars, b.vars, Self::declarator) && pairs.field_type(a.ty, b.ty)
                    })
            }
            _ => false,
        }
    }

    /// The types of fields; the parser lets no struct stand here.
    fn field_type(&mut self, a: TypeName, b: TypeName) -> bool {
        use TypeName::*;
        match (a, b) {
            (Bool, Bool) | (Int, Int) => true,
            (Enum(a), Enum(b)) | (Struct(a), Struct(b)) => self.name(a, b),
            (EnumOf(m, a), EnumOf(n, b)) => self.maybe_name(m, n) && self.names(a, b),
            _ => false,
        }
    }

    fn declarator(&mut self, a: Declarator, b: Declarator) -> bool {
        self.name(a.name, b.name) && self.dims(a.dims, b.dims) && self.maybe(a.bits, b.bits)
    }

    fn dims(&mut self, a: List<Dim>, b: List<Dim>) -> bool {
        self.each(a, b, |pairs, a, b| pairs.maybe(a.lo, b.lo) && pairs.expr(a.hi, b.hi))
    }

    /// Whether two rules are equal.
    pub fn rule(&mut self, a: Rule, b: Rule) -> bool {
        self.name(a.from, b.from)
            && self.name(a.symbol, b.symbol)
            && self.name(a.to, b.to)
            && self.names(a.stack, b.stack)
            && self.maybe_name(a.label, b.label)
            && self.maybe(a.formula, b.formula)
            && self.pending_exprs()
    }

    fn pending_exprs(&mut self) -> bool {
        while let Some((a, b)) = self.exprs.pop() {
            if !self.exprs_equal(a, b) {
                return false;
            }
        }
        true
    }

    fn pending(&mut self) -> bool {
        loop {
            if !self.pending_exprs() {
                return false;
            }
            match self.stmts.pop() {
                None => return true,
                Some((a, b)) if !self.stmts_equal(a, b) => return false,
                Some(_) => {}
            }
        }
    }

    fn quantifier(&mut self, a: Quantifier, b: Quantifier) -> bool {
        a.all == b.all && self.name(a.var, b.var) && self.expr(a.lo, b.lo) && self.expr(a.hi, b.hi)
    }

    fn segment(&mut self, a: Segment, b: Segment) -> bool {
        self.name(a.name, b.name) && a.primes == b.primes && self.exprs(a.indices, b.indices)
    }

    fn exprs_equal(&mut self, a: ExprId, b: ExprId) -> bool {
        use ExprKind::*;
        match (self.a.expr(a).kind, self.b.expr(b).kind) {
            (Bool(a), Bool(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Undef, Undef) => true,
            (Place(a), Place(b)) => {
                self.segment(a.base, b.base)
                    && match (a.field, b.field) {
                        (Some(a), Some(b)) => self.segment(a, b),
                        (None, None) => true,
                        _ => false,
                    }
            }
            (Not(a), Not(b)) => self.expr(a, b),
            (Binary(o, a1, a2), Binary(p, b1, b2)) => {
                o == p && self.expr(a1, b1) && self.expr(a2, b2)
            }
            (Quantified(q, a), Quantified(r, b)) => self.quantifier(q, r) && self.expr(a, b),
            _ => false,
        }
    }

    fn assigns(&mut self, a: List<Assign>, b: List<Assign>) -> bool {
        self.each(a, b, |pairs, a, b| {
            a.other == b.other
                && pairs.each(a.quantifiers, b.quantifiers, Self::quantifier)
                && pairs.expr(a.target, b.target)
                && pairs.expr(a.value, b.value)
        })
    }

    fn stmts_equal(&mut self, a: StmtId, b: StmtId) -> bool {
        use StmtKind::*;
        let (a, b) = (*self.a.stmt(a), *self.b.stmt(b));
        self.names(a.labels, b.labels)
            && match (a.kind, b.kind) {
                (If(a), If(b)) | (Do(a), Do(b)) => self.each(a, b, |pairs, a, b| {
                    pairs.maybe(a.guard, b.guard) && pairs.block(a.body, b.body)
                }),
                (Assign(a), Assign(b)) => self.assigns(a, b),
                (
                    Call { target: t, callee: c, args: a, assigns: s },
                    Call { target, callee, args, assigns },
                ) => {
                    self.maybe(t, target)
                        && self.name(c, callee)
                        && self.exprs(a, args)
                        && self.assigns(s, assigns)
                }
                (Return(a), Return(b)) | (Skip(a), Skip(b)) => self.maybe(a, b),
                (Goto(l, a), Goto(m, b)) => self.name(l, m) && self.assigns(a, b),
                (Break, Break) => true,
                (Rule(a), Rule(b)) => self.rule(a, b),
                _ => false,
            }
    }
}
