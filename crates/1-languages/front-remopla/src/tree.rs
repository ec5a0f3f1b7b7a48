//! The syntax tree of a Remopla program, in arenas.
//!
//! Names, expressions, statements and lists of them are those of all languages ([`Nodes`]); here is
//! what they are in this one, and its own sorts of lists. What cannot matter is gone: the word
//! `unsigned`, parentheses, and where among the statements of a module a local was declared.

use std::ops::{Deref, DerefMut};

use source::Span;
pub use syntax::{Block, ExprId, List, Name, Nodes, StmtId, Symbol};

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

/// An expression and its place.
pub type Expr = syntax::Expr<ExprKind>;

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
pub type Stmt = syntax::Stmt<StmtKind>;

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

/// A Remopla program as it is written. Equality is that of programs: spans do not count.
///
/// The invariants of [`Nodes`] are those of this tree.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Nodes<ExprKind, StmtKind>,
    items: Vec<Item>,
    branches: Vec<Branch>,
    assigns: Vec<Assign>,
    quantifiers: Vec<Quantifier>,
    decls: Vec<Decl>,
    declarators: Vec<Declarator>,
    dims: Vec<Dim>,
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

/// What can stand in a [`List`] besides names, expressions and statements: it knows its arena.
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

    /// The elements of a list.
    pub fn list<T: Element>(&self, list: List<T>) -> &[T] {
        list.of(T::pool(self))
    }

    /// Adds a part of the program.
    pub fn add_item(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Adds a list.
    pub fn add_list<T: Element>(&mut self, items: impl IntoIterator<Item = T>) -> List<T> {
        List::add(T::pool_mut(self), items)
    }

    /// Widens an expression's place by the parentheses around it, unless it has no parts.
    pub(crate) fn widen(&mut self, id: ExprId, span: Span) {
        use ExprKind::*;
        if matches!(self.expr(id).kind, Not(_) | Binary(..) | Quantified(..)) {
            self.set_span(id, span);
        }
    }
}

/// Two trees that are compared.
pub(crate) type Pairs<'t> = syntax::Pairs<'t, Tree>;

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        Pairs::new(self, other).each(&self.items, &other.items, equal_items)
    }
}

impl Eq for Tree {}

/// Two lists of what this language has lists of.
fn each<T: Element + Copy>(
    pairs: &mut Pairs<'_>,
    a: List<T>,
    b: List<T>,
    equal: impl FnMut(&mut Pairs<'_>, T, T) -> bool,
) -> bool {
    let (a, b) = (pairs.a.list(a), pairs.b.list(b));
    pairs.each(a, b, equal)
}

fn equal_items(pairs: &mut Pairs<'_>, a: Item, b: Item) -> bool {
    let equal = match (a, b) {
        (Item::Define(m, x), Item::Define(n, y)) => equal_maybe(pairs, m, n) && pairs.expr(x, y),
        (Item::Decl(a), Item::Decl(b)) => equal_decls(pairs, a, b),
        (Item::Init(a), Item::Init(b)) => pairs.names(a, b),
        (Item::Module(a), Item::Module(b)) => equal_modules(pairs, a, b),
        (Item::Stmt(a), Item::Stmt(b)) => pairs.stmt(a, b),
        _ => false,
    };
    equal && rest_equal(pairs)
}

fn equal_maybe(pairs: &mut Pairs<'_>, a: Option<Name>, b: Option<Name>) -> bool {
    pairs.maybe(a, b, |pairs, a, b| pairs.name(a, b))
}

fn equal_modules(pairs: &mut Pairs<'_>, a: Module, b: Module) -> bool {
    pairs.name(a.name, b.name)
        && equal_types(pairs, a.returns, b.returns)
        && equal_dims(pairs, a.dims, b.dims)
        && pairs.maybe(a.bits, b.bits, Pairs::expr)
        && each(pairs, a.params, b.params, equal_decls)
        && each(pairs, a.locals, b.locals, equal_decls)
        && pairs.maybe(a.body, b.body, Pairs::block)
}

/// Whether two declarations are equal. Structs do not nest, so this goes one level deep.
pub(crate) fn equal_decls(pairs: &mut Pairs<'_>, a: Decl, b: Decl) -> bool {
    a.shared == b.shared
        && equal_types(pairs, a.ty, b.ty)
        && each(pairs, a.vars, b.vars, equal_declarators)
        && rest_equal(pairs)
}

fn equal_types(pairs: &mut Pairs<'_>, a: TypeName, b: TypeName) -> bool {
    use TypeName::*;
    match (a, b) {
        (Void, Void) => true,
        (StructOf(m, a), StructOf(n, b)) => {
            equal_maybe(pairs, m, n)
                && each(pairs, a, b, |pairs, a, b| {
                    each(pairs, a.vars, b.vars, equal_declarators)
                        && equal_field_types(pairs, a.ty, b.ty)
                })
        }
        _ => equal_field_types(pairs, a, b),
    }
}

/// The types of fields; the parser lets no struct stand here.
fn equal_field_types(pairs: &mut Pairs<'_>, a: TypeName, b: TypeName) -> bool {
    use TypeName::*;
    match (a, b) {
        (Bool, Bool) | (Int, Int) => true,
        (Enum(a), Enum(b)) | (Struct(a), Struct(b)) => pairs.name(a, b),
        (EnumOf(m, a), EnumOf(n, b)) => equal_maybe(pairs, m, n) && pairs.names(a, b),
        _ => false,
    }
}

fn equal_declarators(pairs: &mut Pairs<'_>, a: Declarator, b: Declarator) -> bool {
    pairs.name(a.name, b.name)
        && equal_dims(pairs, a.dims, b.dims)
        && pairs.maybe(a.bits, b.bits, Pairs::expr)
}

fn equal_dims(pairs: &mut Pairs<'_>, a: List<Dim>, b: List<Dim>) -> bool {
    each(pairs, a, b, |pairs, a, b| pairs.maybe(a.lo, b.lo, Pairs::expr) && pairs.expr(a.hi, b.hi))
}

/// Whether two rules are equal, but for their formulas, which are put aside.
pub(crate) fn equal_rules(pairs: &mut Pairs<'_>, a: Rule, b: Rule) -> bool {
    pairs.name(a.from, b.from)
        && pairs.name(a.symbol, b.symbol)
        && pairs.name(a.to, b.to)
        && pairs.names(a.stack, b.stack)
        && equal_maybe(pairs, a.label, b.label)
        && pairs.maybe(a.formula, b.formula, Pairs::expr)
}

/// Compares what was put aside, and what that consists of.
pub(crate) fn rest_equal(pairs: &mut Pairs<'_>) -> bool {
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

fn equal_quantifiers(pairs: &mut Pairs<'_>, a: Quantifier, b: Quantifier) -> bool {
    a.all == b.all && pairs.name(a.var, b.var) && pairs.expr(a.lo, b.lo) && pairs.expr(a.hi, b.hi)
}

fn equal_segments(pairs: &mut Pairs<'_>, a: Segment, b: Segment) -> bool {
    pairs.name(a.name, b.name) && a.primes == b.primes && pairs.exprs(a.indices, b.indices)
}

fn equal_exprs(pairs: &mut Pairs<'_>, a: ExprKind, b: ExprKind) -> bool {
    use ExprKind::*;
    match (a, b) {
        (Bool(a), Bool(b)) => a == b,
        (Int(a), Int(b)) => a == b,
        (Undef, Undef) => true,
        (Place(a), Place(b)) => {
            equal_segments(pairs, a.base, b.base) && pairs.maybe(a.field, b.field, equal_segments)
        }
        (Not(a), Not(b)) => pairs.expr(a, b),
        (Binary(o, a1, a2), Binary(p, b1, b2)) => {
            o == p && pairs.expr(a1, b1) && pairs.expr(a2, b2)
        }
        (Quantified(q, a), Quantified(r, b)) => equal_quantifiers(pairs, q, r) && pairs.expr(a, b),
        _ => false,
    }
}

fn equal_assigns(pairs: &mut Pairs<'_>, a: List<Assign>, b: List<Assign>) -> bool {
    each(pairs, a, b, |pairs, a, b| {
        a.other == b.other
            && each(pairs, a.quantifiers, b.quantifiers, equal_quantifiers)
            && pairs.expr(a.target, b.target)
            && pairs.expr(a.value, b.value)
    })
}

fn equal_stmts(pairs: &mut Pairs<'_>, a: StmtKind, b: StmtKind) -> bool {
    use StmtKind::*;
    match (a, b) {
        (If(a), If(b)) | (Do(a), Do(b)) => each(pairs, a, b, |pairs, a, b| {
            pairs.maybe(a.guard, b.guard, Pairs::expr) && pairs.block(a.body, b.body)
        }),
        (Assign(a), Assign(b)) => equal_assigns(pairs, a, b),
        (
            Call { target: t, callee: c, args: a, assigns: s },
            Call { target, callee, args, assigns },
        ) => {
            pairs.maybe(t, target, Pairs::expr)
                && pairs.name(c, callee)
                && pairs.exprs(a, args)
                && equal_assigns(pairs, s, assigns)
        }
        (Return(a), Return(b)) | (Skip(a), Skip(b)) => pairs.maybe(a, b, Pairs::expr),
        (Goto(l, a), Goto(m, b)) => pairs.name(l, m) && equal_assigns(pairs, a, b),
        (Break, Break) => true,
        (Rule(a), Rule(b)) => equal_rules(pairs, a, b),
        _ => false,
    }
}
