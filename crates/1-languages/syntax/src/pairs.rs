//! Two trees side by side: whether they are the same program.

use std::ops::Deref;

use crate::nodes::{Block, ExprId, List, Name, Nodes, Stmt, StmtId};

/// Compares parts of a tree with parts of another one; spans do not count. Names are compared at
/// once. Expressions and statements are put aside, so that depth needs no recursion: each function
/// says whether what it has seen so far is equal, and the language goes on with [`Pairs::next_expr`]
/// and [`Pairs::next_stmt`] until nothing is left.
pub struct Pairs<'t, T> {
    /// One tree.
    pub a: &'t T,
    /// The other one.
    pub b: &'t T,
    exprs: Vec<(ExprId, ExprId)>,
    stmts: Vec<(StmtId, StmtId)>,
}

impl<'t, T, E: Copy + 't, S: Copy + 't> Pairs<'t, T>
where
    T: Deref<Target = Nodes<E, S>>,
{
    /// Compares parts of `a` with parts of `b`.
    pub fn new(a: &'t T, b: &'t T) -> Pairs<'t, T> {
        Pairs { a, b, exprs: Vec::new(), stmts: Vec::new() }
    }

    /// Whether two names are equal.
    pub fn name(&self, a: Name, b: Name) -> bool {
        self.a.text(a.symbol) == self.b.text(b.symbol)
    }

    /// Whether two lists of names are equal.
    pub fn names(&self, a: List<Name>, b: List<Name>) -> bool {
        let (a, b) = (self.a.names(a), self.b.names(b));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.name(*a, *b))
    }

    /// Two expressions that are to be compared.
    pub fn expr(&mut self, a: ExprId, b: ExprId) -> bool {
        self.exprs.push((a, b));
        true
    }

    /// Two lists of expressions.
    pub fn exprs(&mut self, a: List<ExprId>, b: List<ExprId>) -> bool {
        let (a, b) = (self.a.exprs(a), self.b.exprs(b));
        self.exprs.extend(a.iter().copied().zip(b.iter().copied()));
        a.len() == b.len()
    }

    /// Two blocks of statements.
    pub fn block(&mut self, a: Block, b: Block) -> bool {
        let (a, b) = (self.a.block(a), self.b.block(b));
        self.stmts.extend(a.iter().copied().zip(b.iter().copied()));
        a.len() == b.len()
    }

    /// Two statements.
    pub fn stmt(&mut self, a: StmtId, b: StmtId) -> bool {
        self.stmts.push((a, b));
        true
    }

    /// Two parts that need not be there.
    pub fn maybe<P>(
        &mut self,
        a: Option<P>,
        b: Option<P>,
        mut equal: impl FnMut(&mut Self, P, P) -> bool,
    ) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => equal(self, a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Two lists of anything.
    pub fn each<P: Copy>(
        &mut self,
        a: &[P],
        b: &[P],
        mut equal: impl FnMut(&mut Self, P, P) -> bool,
    ) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(self, *a, *b))
    }

    /// Takes two expressions that were put aside.
    pub fn next_expr(&mut self) -> Option<(E, E)> {
        let (a, b) = self.exprs.pop()?;
        Some((self.a.expr(a).kind, self.b.expr(b).kind))
    }

    /// Takes two statements that were put aside.
    pub fn next_stmt(&mut self) -> Option<(Stmt<S>, Stmt<S>)> {
        let (a, b) = self.stmts.pop()?;
        Some((*self.a.stmt(a), *self.b.stmt(b)))
    }
}
