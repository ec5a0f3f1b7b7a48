//! Tree → text: the common subset of all dialects, and single statements for people.

use syntax::print::{indent, names, separated};

use crate::tree::{
    BinOp, Block, Branch, ExprId, ExprKind, List, Name, Proc, Stmt, StmtId, StmtKind, Tree,
};

/// Declarations are broken into lines of about this width.
const WIDTH: usize = 90;

/// The program in the common subset of all dialects: fully parenthesised, `;` behind every simple
/// statement and none behind `fi` and `od`. Parsing it gives an equal tree, in every dialect.
pub fn print(tree: &Tree) -> String {
    let mut printer = Printer { tree, out: String::new(), work: Vec::new() };
    printer.decl(0, tree.globals());
    for proc in tree.procs() {
        printer.proc(proc);
    }
    printer.out
}

/// The statement on one line, as a person would write it, without labels and `;`; of an `if` or
/// `while`, the head: `if (a & b)`.
pub fn stmt_text(tree: &Tree, stmt: &Stmt) -> String {
    let mut out = String::new();
    match stmt.kind {
        StmtKind::If { branches, .. } => {
            if let Some(branch) = tree.branches(branches).first() {
                out = branch_text(tree, branch, true);
            }
        }
        StmtKind::While { cond, .. } => head(&mut out, tree, "while", cond, Style::Readable),
        _ => simple(&mut out, tree, stmt, Style::Readable),
    }
    out
}

/// The head of a branch, `if (a)` or `elsif (a)`.
pub(crate) fn branch_text(tree: &Tree, branch: &Branch, first: bool) -> String {
    let mut out = String::new();
    head(&mut out, tree, if_word(first), branch.cond, Style::Readable);
    out
}

/// The expression as a person would write it.
pub fn expr_text(tree: &Tree, expr: ExprId) -> String {
    let mut out = String::new();
    write_expr(&mut out, tree, expr, Style::Readable, false);
    out
}

fn if_word(first: bool) -> &'static str {
    if first { "if" } else { "elsif" }
}

/// How much is parenthesised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Every operator with two operands.
    Full,
    /// Operators inside others, unless `&`, `|` or `^` repeats to the left; no dialect reads that
    /// differently.
    Readable,
}

/// What is left to print, last first.
enum Work {
    Stmt(StmtId, usize),
    Head(Branch, usize),
    Line(&'static str, usize),
}

struct Printer<'t> {
    tree: &'t Tree,
    out: String,
    work: Vec<Work>,
}

impl Printer<'_> {
    fn decl(&mut self, depth: usize, names: &[Name]) {
        if names.is_empty() {
            return;
        }
        indent(&mut self.out, depth);
        self.out.push_str("decl ");
        let mut line = 0;
        for (i, name) in names.iter().enumerate() {
            let text = self.tree.text(name.symbol);
            if i > 0 {
                self.out.push(',');
                if line + text.len() > WIDTH {
                    self.out.push('\n');
                    indent(&mut self.out, depth + 2);
                    line = 0;
                } else {
                    self.out.push(' ');
                }
            }
            self.out.push_str(text);
            line += text.len() + 2;
        }
        self.out.push_str(";\n");
    }

    fn proc(&mut self, proc: &Proc) {
        let tree = self.tree;
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        match proc.returns {
            0 => self.out.push_str("void "),
            1 => self.out.push_str("bool "),
            n => self.out.push_str(&format!("bool<{n}> ")),
        }
        self.out.push_str(tree.text(proc.name.symbol));
        self.out.push('(');
        names(&mut self.out, tree, proc.params, ", ");
        self.out.push_str(") begin\n");
        self.decl(1, tree.names(proc.locals));
        for (word, expr) in [("enforce ", proc.enforce), ("abortif ", proc.abortif)] {
            if let Some(expr) = expr {
                indent(&mut self.out, 1);
                self.out.push_str(word);
                write_expr(&mut self.out, tree, expr, Style::Full, true);
                self.out.push_str(";\n");
            }
        }
        self.push_block(proc.body, 1);
        self.run();
        self.out.push_str("end\n");
    }

    fn push_block(&mut self, block: Block, depth: usize) {
        let stmts = self.tree.block(block).iter().rev();
        self.work.extend(stmts.map(|&stmt| Work::Stmt(stmt, depth)));
    }

    fn run(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Line(text, depth) => {
                    indent(&mut self.out, depth);
                    self.out.push_str(text);
                    self.out.push('\n');
                }
                Work::Head(branch, depth) => {
                    indent(&mut self.out, depth);
                    head(&mut self.out, self.tree, "elsif", branch.cond, Style::Full);
                    self.out.push_str(" then\n");
                    self.push_block(branch.body, depth + 1);
                }
                Work::Stmt(id, depth) => self.stmt(id, depth),
            }
        }
    }

    fn stmt(&mut self, id: StmtId, depth: usize) {
        let tree = self.tree;
        let stmt = tree.stmt(id);
        indent(&mut self.out, depth);
        for label in tree.names(stmt.labels) {
            self.out.push_str(tree.text(label.symbol));
            self.out.push_str(": ");
        }
        match stmt.kind {
            StmtKind::If { branches, otherwise } => {
                self.work.push(Work::Line("fi", depth));
                if let Some(block) = otherwise {
                    self.push_block(block, depth + 1);
                    self.work.push(Work::Line("else", depth));
                }
                if let Some((first, rest)) = tree.branches(branches).split_first() {
                    self.work.extend(rest.iter().rev().map(|&b| Work::Head(b, depth)));
                    head(&mut self.out, tree, "if", first.cond, Style::Full);
                    self.out.push_str(" then\n");
                    self.push_block(first.body, depth + 1);
                }
            }
            StmtKind::While { cond, body } => {
                self.work.push(Work::Line("od", depth));
                head(&mut self.out, tree, "while", cond, Style::Full);
                self.out.push_str(" do\n");
                self.push_block(body, depth + 1);
            }
            _ => {
                simple(&mut self.out, tree, stmt, Style::Full);
                self.out.push_str(";\n");
            }
        }
    }
}

fn head(out: &mut String, tree: &Tree, word: &str, cond: ExprId, style: Style) {
    out.push_str(word);
    out.push_str(" (");
    write_expr(out, tree, cond, style, false);
    out.push(')');
}

/// A statement without blocks, without labels and `;`.
fn simple(out: &mut String, tree: &Tree, stmt: &Stmt, style: Style) {
    let bracketed = |out: &mut String, word: &str, expr| {
        out.push_str(word);
        out.push('(');
        write_expr(out, tree, expr, style, false);
        out.push(')');
    };
    match stmt.kind {
        StmtKind::Skip => out.push_str("skip"),
        StmtKind::Goto(targets) => {
            out.push_str("goto ");
            names(out, tree, targets, ", ");
        }
        StmtKind::Return(values) => {
            out.push_str(if values.is_empty() { "return" } else { "return " });
            exprs(out, tree, values, style);
        }
        StmtKind::Print(values) => {
            out.push_str("print(");
            exprs(out, tree, values, style);
            out.push(')');
        }
        StmtKind::Assign { targets, values, constraint } => {
            names(out, tree, targets, ", ");
            out.push_str(" := ");
            exprs(out, tree, values, style);
            if let Some(constraint) = constraint {
                bracketed(out, " constrain ", constraint);
            }
        }
        StmtKind::Call { targets, callee, args } => {
            if !targets.is_empty() {
                names(out, tree, targets, ", ");
                out.push_str(" := ");
            }
            out.push_str(tree.text(callee.symbol));
            out.push('(');
            exprs(out, tree, args, style);
            out.push(')');
        }
        StmtKind::Assert(expr) => bracketed(out, "assert", expr),
        StmtKind::Assume(expr) => bracketed(out, "assume", expr),
        StmtKind::Constrain(expr) => bracketed(out, "constrain", expr),
        StmtKind::Dead(variables) => {
            out.push_str("dead ");
            names(out, tree, variables, ", ");
        }
        StmtKind::If { .. } | StmtKind::While { .. } => {}
    }
}

fn exprs(out: &mut String, tree: &Tree, list: List<ExprId>, style: Style) {
    separated(out, tree.exprs(list), ", ", |out, &expr| {
        write_expr(out, tree, expr, style, style == Style::Full);
    });
}

/// Writes an expression; `bracket` asks for parentheses around an outermost operator.
fn write_expr(out: &mut String, tree: &Tree, expr: ExprId, style: Style, bracket: bool) {
    enum Piece {
        Text(&'static str),
        Expr(ExprId, bool),
    }
    let mut work = vec![Piece::Expr(expr, bracket)];
    while let Some(piece) = work.pop() {
        let (expr, bracket) = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Expr(expr, bracket) => (expr, bracket),
        };
        match tree.expr(expr).kind {
            ExprKind::Const(value) => out.push(if value { '1' } else { '0' }),
            ExprKind::Choice => out.push('*'),
            ExprKind::Var(symbol) => out.push_str(tree.text(symbol)),
            ExprKind::Next(symbol) => {
                out.push('\'');
                out.push_str(tree.text(symbol));
            }
            ExprKind::Not(inner) => {
                out.push('!');
                work.push(Piece::Expr(inner, true));
            }
            ExprKind::Schoose(a, b) => {
                out.push_str("schoose[");
                work.extend([
                    Piece::Text("]"),
                    Piece::Expr(b, style == Style::Full),
                    Piece::Text(", "),
                    Piece::Expr(a, style == Style::Full),
                ]);
            }
            ExprKind::Binary(op, a, b) => {
                let repeats = style == Style::Readable
                    && matches!(op, BinOp::And | BinOp::Or | BinOp::Xor)
                    && matches!(tree.expr(a).kind, ExprKind::Binary(inner, ..) if inner == op);
                if bracket {
                    out.push('(');
                    work.push(Piece::Text(")"));
                }
                work.extend([
                    Piece::Expr(b, true),
                    Piece::Text(" "),
                    Piece::Text(op.sign()),
                    Piece::Text(" "),
                    Piece::Expr(a, !repeats),
                ]);
            }
        }
    }
}
