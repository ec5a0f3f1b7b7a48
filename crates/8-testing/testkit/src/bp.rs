//! Boolean programs as plain values: what the generator makes, the shrinker cuts and the walker
//! runs.
//!
//! Much smaller than the front end's tree, and independent of it, so that a fault there cannot
//! hide here. Nested values are walked by recursion: only for programs that this crate makes or
//! that are as small.

use std::fmt::Write;

/// A program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bp {
    /// Global variables.
    pub globals: Vec<String>,
    /// Procedures.
    pub procs: Vec<Proc>,
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// How many values it returns.
    pub returns: usize,
    /// Its parameters.
    pub params: Vec<String>,
    /// Its local variables.
    pub locals: Vec<String>,
    /// What must hold at each of its statements.
    pub enforce: Option<Expr>,
    /// What must not hold at any of its statements.
    pub abortif: Option<Expr>,
    /// Its statements.
    pub body: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// Its labels.
    pub labels: Vec<String>,
    /// What it does.
    pub kind: Kind,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `skip`
    Skip,
    /// `goto L, M`
    Goto(Vec<String>),
    /// `return a, b`
    Return(Vec<Expr>),
    /// `print(a, b)`
    Print(Vec<Expr>),
    /// `x, _ := a, b constrain c`
    Assign(Vec<String>, Vec<Expr>, Option<Expr>),
    /// `x, _ := f(a, b)`
    Call(Vec<String>, String, Vec<Expr>),
    /// `assert(a)`
    Assert(Expr),
    /// `assume(a)`
    Assume(Expr),
    /// `constrain(a)`
    Constrain(Expr),
    /// `dead x, y`
    Dead(Vec<String>),
    /// `if a then … elsif b then … else … fi`
    If(Vec<(Expr, Vec<Stmt>)>, Option<Vec<Stmt>>),
    /// `while a do … od`
    While(Expr, Vec<Stmt>),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// `T` or `F`
    Const(bool),
    /// `x`
    Var(String),
    /// `'x`
    Next(String),
    /// `*`
    Choice,
    /// `!a`
    Not(Box<Expr>),
    /// `a & b` and the like
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `schoose[a, b]`
    Schoose(Box<Expr>, Box<Expr>),
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
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

impl Op {
    /// All of them.
    pub const ALL: [Op; 6] = [Op::Implies, Op::Or, Op::Xor, Op::And, Op::Eq, Op::Ne];

    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Op::Implies => "=>",
            Op::Or => "|",
            Op::Xor => "^",
            Op::And => "&",
            Op::Eq => "=",
            Op::Ne => "!=",
        }
    }
    /// Its value.
    pub fn apply(self, a: bool, b: bool) -> bool {
        match self {
            Op::Implies => !a | b,
            Op::Or => a | b,
            Op::Xor | Op::Ne => a ^ b,
            Op::And => a & b,
            Op::Eq => a == b,
        }
    }
}

impl Expr {
    /// A variable.
    pub fn var(name: &str) -> Expr {
        Expr::Var(name.to_owned())
    }
    /// A negation.
    #[allow(clippy::should_implement_trait)]
    pub fn not(a: Expr) -> Expr {
        Expr::Not(Box::new(a))
    }
    /// An operation.
    pub fn binary(op: Op, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }
    /// Calls `visit` for it and everything below it.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        match self {
            Expr::Not(a) => a.visit(visit),
            Expr::Binary(_, a, b) | Expr::Schoose(a, b) => {
                a.visit(visit);
                b.visit(visit);
            }
            Expr::Const(_) | Expr::Var(_) | Expr::Next(_) | Expr::Choice => {}
        }
    }
}

impl Stmt {
    /// A statement without labels.
    pub fn new(kind: Kind) -> Stmt {
        Stmt { labels: Vec::new(), kind }
    }
    /// The blocks inside it.
    pub fn blocks(&self) -> impl Iterator<Item = &Vec<Stmt>> {
        let (branches, otherwise, body) = match &self.kind {
            Kind::If(branches, otherwise) => (branches.as_slice(), otherwise.as_ref(), None),
            Kind::While(_, body) => (&[][..], None, Some(body)),
            _ => (&[][..], None, None),
        };
        branches.iter().map(|(_, block)| block).chain(otherwise).chain(body)
    }
    /// The blocks inside it, to be changed.
    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Vec<Stmt>> {
        let (branches, otherwise, body) = match &mut self.kind {
            Kind::If(branches, otherwise) => (branches.as_mut_slice(), otherwise.as_mut(), None),
            Kind::While(_, body) => (&mut [][..], None, Some(body)),
            _ => (&mut [][..], None, None),
        };
        branches.iter_mut().map(|(_, block)| block).chain(otherwise).chain(body)
    }
}

impl Stmt {
    /// The expressions in it, those of its blocks not included, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Skip | Kind::Goto(_) | Kind::Dead(_) => Vec::new(),
            Kind::Return(exprs) | Kind::Print(exprs) | Kind::Call(_, _, exprs) => {
                exprs.iter_mut().collect()
            }
            Kind::Assign(_, values, constraint) => values.iter_mut().chain(constraint).collect(),
            Kind::Assert(e) | Kind::Assume(e) | Kind::Constrain(e) | Kind::While(e, _) => vec![e],
            Kind::If(branches, _) => branches.iter_mut().map(|(e, _)| e).collect(),
        }
    }
}

/// Calls `visit` for each statement of the block and of the blocks inside, in the order of the
/// text.
pub fn visit_stmts<'a>(block: &'a [Stmt], visit: &mut impl FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks() {
            visit_stmts(inner, visit);
        }
    }
}

impl Proc {
    /// The names it can use: locals, parameters, then globals, each once.
    pub fn scope(&self, globals: &[String]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for name in self.locals.iter().chain(&self.params).chain(globals) {
            if !out.contains(name) {
                out.push(name.clone());
            }
        }
        out
    }
    /// Its labels in the order of the text.
    pub fn labels(&self) -> Vec<&str> {
        let mut out = Vec::new();
        visit_stmts(&self.body, &mut |s| out.extend(s.labels.iter().map(String::as_str)));
        out
    }
}

impl Bp {
    /// How many statements it has.
    pub fn len(&self) -> usize {
        let mut count = 0;
        for proc in &self.procs {
            visit_stmts(&proc.body, &mut |_| count += 1);
        }
        count
    }
    /// Whether it has no statement.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The text in the common subset of all dialects: fully parenthesised, one statement a line.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if !self.globals.is_empty() {
            let _ = writeln!(out, "decl {};", self.globals.join(", "));
        }
        for proc in &self.procs {
            let ty = match proc.returns {
                0 => "void".to_owned(),
                1 => "bool".to_owned(),
                n => format!("bool<{n}>"),
            };
            let _ = writeln!(out, "{ty} {}({}) begin", proc.name, proc.params.join(", "));
            if !proc.locals.is_empty() {
                let _ = writeln!(out, "  decl {};", proc.locals.join(", "));
            }
            for (word, expr) in [("enforce", &proc.enforce), ("abortif", &proc.abortif)] {
                if let Some(expr) = expr {
                    let _ = writeln!(out, "  {word} {};", expr_text(expr));
                }
            }
            block_text(&mut out, &proc.body, 1);
            out.push_str("end\n");
        }
        out
    }
}

fn block_text(out: &mut String, block: &[Stmt], depth: usize) {
    let indent = "  ".repeat(depth);
    for stmt in block {
        out.push_str(&indent);
        for label in &stmt.labels {
            let _ = write!(out, "{label}: ");
        }
        match &stmt.kind {
            Kind::If(branches, otherwise) => {
                for (i, (cond, body)) in branches.iter().enumerate() {
                    if i > 0 {
                        let _ = write!(out, "{indent}els");
                    }
                    let _ = writeln!(out, "if ({}) then", expr_text(cond));
                    block_text(out, body, depth + 1);
                }
                if let Some(body) = otherwise {
                    let _ = writeln!(out, "{indent}else");
                    block_text(out, body, depth + 1);
                }
                let _ = writeln!(out, "{indent}fi");
            }
            Kind::While(cond, body) => {
                let _ = writeln!(out, "while ({}) do", expr_text(cond));
                block_text(out, body, depth + 1);
                let _ = writeln!(out, "{indent}od");
            }
            simple => {
                let _ = writeln!(out, "{};", simple_text(simple, &expr_text));
            }
        }
    }
}

/// A statement without blocks, its expressions written by `expr`.
pub(crate) fn simple_text(kind: &Kind, expr: &dyn Fn(&Expr) -> String) -> String {
    let list = |exprs: &[Expr]| exprs.iter().map(expr).collect::<Vec<_>>().join(", ");
    match kind {
        Kind::Skip => "skip".into(),
        Kind::Goto(targets) => format!("goto {}", targets.join(", ")),
        Kind::Return(values) if values.is_empty() => "return".into(),
        Kind::Return(values) => format!("return {}", list(values)),
        Kind::Print(values) => format!("print({})", list(values)),
        Kind::Assign(targets, values, constraint) => {
            let mut out = format!("{} := {}", targets.join(", "), list(values));
            if let Some(constraint) = constraint {
                let _ = write!(out, " constrain ({})", expr(constraint));
            }
            out
        }
        Kind::Call(targets, callee, args) => {
            let mut out = String::new();
            if !targets.is_empty() {
                let _ = write!(out, "{} := ", targets.join(", "));
            }
            let _ = write!(out, "{callee}({})", list(args));
            out
        }
        Kind::Assert(e) => format!("assert({})", expr(e)),
        Kind::Assume(e) => format!("assume({})", expr(e)),
        Kind::Constrain(e) => format!("constrain({})", expr(e)),
        Kind::Dead(variables) => format!("dead {}", variables.join(", ")),
        Kind::If(..) | Kind::While(..) => String::new(),
    }
}

/// The expression, fully parenthesised.
pub fn expr_text(expr: &Expr) -> String {
    match expr {
        Expr::Const(true) => "T".into(),
        Expr::Const(false) => "F".into(),
        Expr::Var(name) => name.clone(),
        Expr::Next(name) => format!("'{name}"),
        Expr::Choice => "*".into(),
        Expr::Not(a) => format!("!{}", expr_text(a)),
        Expr::Binary(op, a, b) => {
            format!("({} {} {})", expr_text(a), op.sign(), expr_text(b))
        }
        Expr::Schoose(a, b) => format!("schoose[{}, {}]", expr_text(a), expr_text(b)),
    }
}
