//! Text → [`Bp`], through the front end, so that programs of any source can be shrunk.

use crate::bp::{Bp, Expr, Kind, Op, Proc, Stmt};
use front_bp::Dialect;
use front_bp::tree::{BinOp, Block, ExprId, ExprKind, List, Name, StmtKind, Tree};

/// The program that the text describes, or the first error. For small programs: nested statements
/// are walked by recursion.
pub fn from_text(text: &str, dialect: Dialect) -> Result<Bp, String> {
    let (tree, errors) = front_bp::parse(text, dialect);
    if let Some(error) = errors.first() {
        return Err(error.to_string());
    }
    let reader = Reader { tree: &tree };
    Ok(Bp {
        globals: tree.globals().iter().map(|&name| reader.name(name)).collect(),
        procs: tree
            .procs()
            .iter()
            .map(|proc| Proc {
                name: reader.name(proc.name),
                returns: proc.returns as usize,
                params: reader.names(proc.params),
                locals: reader.names(proc.locals),
                enforce: proc.enforce.map(|e| reader.expr(e)),
                abortif: proc.abortif.map(|e| reader.expr(e)),
                body: reader.block(proc.body),
            })
            .collect(),
    })
}

struct Reader<'t> {
    tree: &'t Tree,
}

impl Reader<'_> {
    fn name(&self, name: Name) -> String {
        self.tree.text(name.symbol).to_owned()
    }
    fn names(&self, list: List<Name>) -> Vec<String> {
        self.tree.names(list).iter().map(|&name| self.name(name)).collect()
    }
    fn exprs(&self, list: List<ExprId>) -> Vec<Expr> {
        self.tree.exprs(list).iter().map(|&e| self.expr(e)).collect()
    }
    fn block(&self, block: Block) -> Vec<Stmt> {
        let stmts = self.tree.block(block).iter();
        stmts
            .map(|&id| {
                let stmt = self.tree.stmt(id);
                Stmt { labels: self.names(stmt.labels), kind: self.kind(stmt.kind) }
            })
            .collect()
    }
    fn kind(&self, kind: StmtKind) -> Kind {
        match kind {
            StmtKind::Skip => Kind::Skip,
            StmtKind::Goto(targets) => Kind::Goto(self.names(targets)),
            StmtKind::Return(values) => Kind::Return(self.exprs(values)),
            StmtKind::Print(values) => Kind::Print(self.exprs(values)),
            StmtKind::Assign { targets, values, constraint } => Kind::Assign(
                self.names(targets),
                self.exprs(values),
                constraint.map(|e| self.expr(e)),
            ),
            StmtKind::Call { targets, callee, args } => {
                Kind::Call(self.names(targets), self.name(callee), self.exprs(args))
            }
            StmtKind::Assert(e) => Kind::Assert(self.expr(e)),
            StmtKind::Assume(e) => Kind::Assume(self.expr(e)),
            StmtKind::Constrain(e) => Kind::Constrain(self.expr(e)),
            StmtKind::Dead(variables) => Kind::Dead(self.names(variables)),
            StmtKind::If { branches, otherwise } => Kind::If(
                self.tree
                    .branches(branches)
                    .iter()
                    .map(|b| (self.expr(b.cond), self.block(b.body)))
                    .collect(),
                otherwise.map(|block| self.block(block)),
            ),
            StmtKind::While { cond, body } => Kind::While(self.expr(cond), self.block(body)),
        }
    }
    fn expr(&self, expr: ExprId) -> Expr {
        let boxed = |e| Box::new(self.expr(e));
        match self.tree.expr(expr).kind {
            ExprKind::Const(value) => Expr::Const(value),
            ExprKind::Var(symbol) => Expr::Var(self.tree.text(symbol).to_owned()),
            ExprKind::Next(symbol) => Expr::Next(self.tree.text(symbol).to_owned()),
            ExprKind::Choice => Expr::Choice,
            ExprKind::Not(a) => Expr::Not(boxed(a)),
            ExprKind::Schoose(a, b) => Expr::Schoose(boxed(a), boxed(b)),
            ExprKind::Binary(op, a, b) => {
                let op = match op {
                    BinOp::Implies => Op::Implies,
                    BinOp::Or => Op::Or,
                    BinOp::Xor => Op::Xor,
                    BinOp::And => Op::And,
                    BinOp::Eq => Op::Eq,
                    BinOp::Ne => Op::Ne,
                };
                Expr::Binary(op, boxed(a), boxed(b))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_bp::{Profile, generate};
    use crate::style::{Table, varied_for};

    /// Text of any style means the program that it was written from.
    #[test]
    fn reads_back_what_was_generated() {
        for seed in 0..400 {
            let profile = Profile::ALL[seed as usize % Profile::ALL.len()];
            let program = generate(seed, &profile.knobs());
            assert_eq!(from_text(&program.text(), Dialect::Standard).as_ref(), Ok(&program));
            for (dialect, table) in
                [(Dialect::Standard, Table::Standard), (Dialect::Satabs, Table::Satabs)]
            {
                let text = varied_for(&program, seed, table);
                let mut again = from_text(&text, dialect)
                    .unwrap_or_else(|e| panic!("seed {seed}, {dialect:?}: {e}\n{text}"));
                // Declarations and procedures may have been moved.
                let mut program = program.clone();
                for p in [&mut again, &mut program] {
                    p.globals.sort();
                    p.procs.sort_by(|a, b| a.name.cmp(&b.name));
                }
                assert_eq!(again, program, "seed {seed}, {dialect:?}\n{text}");
            }
        }
    }
}
