//! Expressions of the program model → expressions of a tree, for programs that are written down
//! again (`bop convert`).

use ir::{BinaryOp, Expr, Exprs, Sort, Time, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use crate::Language;
use crate::parse::{Kind, Parser};
use crate::tree::{
    BinOp, Decl, Declarator, Dim, ExprId, ExprKind, List, Name, Place, Quantifier, Segment, Tree,
    TypeName,
};

/// What the target language has no words for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be written in this language")]
pub struct CannotSay(pub &'static str);

/// Writes parts of a program into a tree.
pub struct Raise<'p> {
    /// The tree.
    pub tree: Tree,
    exprs: &'p Exprs,
    vars: FxHashMap<VarId, (Name, Type)>,
    taken: FxHashSet<String>,
    numbers: FxHashMap<String, u64>,
    choices: FxHashMap<u32, Name>,
    renamed: FxHashMap<(Time, VarId), (Name, u8)>,
}

impl<'p> Raise<'p> {
    /// For a program with these expressions.
    pub fn new(exprs: &'p Exprs) -> Raise<'p> {
        Raise {
            tree: Tree::new(),
            exprs,
            vars: FxHashMap::default(),
            taken: FxHashSet::default(),
            numbers: FxHashMap::default(),
            choices: FxHashMap::default(),
            renamed: FxHashMap::default(),
        }
    }

    /// A name like `wanted` that is a name of the language and that no other call returned.
    pub fn name(&mut self, wanted: &str) -> Name {
        let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let mut base: String = wanted.trim_matches(['{', '}']).chars().map(letter).collect();
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            base.insert(0, '_');
        }
        // What is a word of the language is no name.
        let is_name = Parser::new(&base, Language::Remopla)
            .is_ok_and(|parser| parser.at(Kind::Ident) && !matches!(&*base, "global" | "local"));
        if !is_name {
            base.push('_');
        }
        let mut text = base.clone();
        while !self.taken.insert(text.clone()) {
            let number = self.numbers.entry(base.clone()).or_default();
            *number += 1;
            text = format!("{base}_{number}");
        }
        Name { symbol: self.tree.intern(&text), span: Span::default() }
    }

    /// Declares a variable.
    pub fn var(&mut self, var: VarId, name: &str, ty: Type) -> Decl {
        let (decl, name) = self.fresh_var(name, ty);
        self.vars.insert(var, (name, ty));
        decl
    }

    /// Declares a variable that the program does not have.
    pub fn fresh_var(&mut self, name: &str, ty: Type) -> (Decl, Name) {
        let name = self.name(name);
        let mut dims = List::EMPTY;
        if let Some(dim) = ty.array {
            let (lo, hi) = (self.int(dim.lo), self.int(dim.lo + dim.len as i64 - 1));
            let span = Span::default();
            dims = self.tree.add_list([Dim { lo: Some(lo), hi, span }]);
        }
        let (ty, bits) = match ty.scalar {
            ir::Scalar::Bool => (TypeName::Bool, None),
            ir::Scalar::Int { bits } => (TypeName::Int, Some(self.int(bits as i64))),
        };
        let vars = self.tree.add_list([Declarator { name, dims, bits }]);
        (Decl { shared: false, ty, vars, span: Span::default() }, name)
    }

    fn add(&mut self, kind: ExprKind) -> ExprId {
        self.tree.add_expr(kind, Span::default())
    }

    /// A number; there are no negative ones, but differences.
    pub fn int(&mut self, value: i64) -> ExprId {
        if value >= 0 {
            return self.add(ExprKind::Int(value));
        }
        let zero = self.add(ExprKind::Int(0));
        let size = self.add(ExprKind::Int(value.checked_neg().unwrap_or(i64::MAX)));
        let negative = self.binary(BinOp::Sub, zero, size);
        match value {
            i64::MIN => {
                let one = self.add(ExprKind::Int(1));
                self.binary(BinOp::Sub, negative, one)
            }
            _ => negative,
        }
    }

    /// An operation.
    pub fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.add(ExprKind::Binary(op, a, b))
    }

    /// The conjunction of all; `None` if there are none.
    pub fn all(&mut self, conjuncts: impl IntoIterator<Item = ExprId>) -> Option<ExprId> {
        let mut conjuncts = conjuncts.into_iter();
        let mut all = conjuncts.next()?;
        for conjunct in conjuncts {
            all = self.binary(BinOp::And, all, conjunct);
        }
        Some(all)
    }

    /// A variable or a cell, at a time.
    pub fn place(&mut self, time: Time, var: VarId, index: Option<ExprId>) -> ExprId {
        if let Some(&(name, primes)) = self.renamed.get(&(time, var)) {
            return self.named(name, primes, index);
        }
        let (name, _) = self.vars[&var];
        let primes = match time {
            Time::Pre => 0,
            Time::Post => 1,
            Time::Saved => 2,
        };
        self.named(name, primes, index)
    }

    /// From now on, until [`Raise::restore`], the variable at the time is written like this.
    pub fn rename(&mut self, time: Time, var: VarId, name: Name, primes: u8) {
        self.renamed.insert((time, var), (name, primes));
    }

    /// Every variable has its own name again.
    pub fn restore(&mut self) {
        self.renamed.clear();
    }

    /// The name of a declared variable.
    pub fn name_of(&self, var: VarId) -> Name {
        self.vars[&var].0
    }

    /// A variable with a name, which need not be one of the program.
    pub fn named(&mut self, name: Name, primes: u8, index: Option<ExprId>) -> ExprId {
        let indices = self.tree.add_list(index);
        let base = Segment { name, primes, indices };
        self.add(ExprKind::Place(Place { base, field: None }))
    }

    /// A cell. One that can never be is refused where it is read again, so that what it stands for
    /// is written instead: false, or a number that is undefined.
    fn cell(&mut self, time: Time, var: VarId, at: ir::ExprId, index: ExprId) -> ExprId {
        let (_, ty) = self.vars[&var];
        match (self.exprs[at], ty.array) {
            (Expr::Int(i), Some(dim)) if i < dim.lo || i >= dim.lo + dim.len as i64 => {
                if ty.scalar == ir::Scalar::Bool {
                    return self.add(ExprKind::Bool(false));
                }
                let (a, b) = (self.int(0), self.int(0));
                self.binary(BinOp::Div, a, b)
            }
            _ => self.place(time, var, Some(index)),
        }
    }

    /// `A i (lo, hi) a'[i] == a[i]`, or `x' == x`.
    pub fn kept(&mut self, time: Time, var: VarId) -> ExprId {
        let (_, ty) = self.vars[&var];
        let Some(dim) = ty.array else {
            let (after, before) = (self.place(time, var, None), self.place(Time::Pre, var, None));
            return self.binary(BinOp::Eq, after, before);
        };
        let index = self.name("i");
        self.taken.remove(self.tree.text(index.symbol));
        let (i, j) = (self.named(index, 0, None), self.named(index, 0, None));
        let after = self.place(time, var, Some(i));
        let before = self.place(Time::Pre, var, Some(j));
        let same = self.binary(BinOp::Eq, after, before);
        let (lo, hi) = (self.int(dim.lo), self.int(dim.lo + dim.len as i64 - 1));
        self.add(ExprKind::Quantified(Quantifier { all: true, var: index, lo, hi }, same))
    }

    /// From now on, choices below the number are bits that a quantifier chooses.
    pub fn open_choices(&mut self, count: u32) {
        self.choices.clear();
        for k in 0..count {
            let name = self.name(&format!("choice_{k}"));
            self.taken.remove(self.tree.text(name.symbol));
            self.choices.insert(k, name);
        }
    }

    /// The formula under quantifiers that choose the choices opened last.
    pub fn close_choices(&mut self, mut formula: ExprId) -> ExprId {
        let mut choices: Vec<(u32, Name)> = self.choices.drain().collect();
        choices.sort_unstable_by_key(|&(k, _)| k);
        for (_, var) in choices.into_iter().rev() {
            let (lo, hi) = (self.int(0), self.int(1));
            let quantifier = Quantifier { all: false, var, lo, hi };
            formula = self.add(ExprKind::Quantified(quantifier, formula));
        }
        formula
    }

    /// An expression.
    pub fn expr(&mut self, root: ir::ExprId) -> Result<ExprId, CannotSay> {
        // Shared subexpressions are written out each time: a tree has no others.
        const MOST: usize = 1 << 20;
        let mut done: Vec<ExprId> = Vec::new();
        let mut work = vec![(root, false)];
        let mut steps = 0;
        while let Some((id, ready)) = work.pop() {
            steps += 1;
            if steps > MOST {
                return Err(CannotSay("an expression of this size"));
            }
            let expr = self.exprs[id];
            if !ready {
                work.push((id, true));
                let operands = ir::expr::operands(expr).into_iter().flatten();
                let operands: Vec<ir::ExprId> = match expr {
                    // `c && a || !c && b`: the condition is needed twice.
                    Expr::Ite(c, a, b) if self.is_bool(a) => vec![c, a, c, b],
                    _ => operands.collect(),
                };
                work.extend(operands.into_iter().rev().map(|operand| (operand, false)));
                continue;
            }
            let mut pop = || done.pop().expect("operands come before operators");
            let new = match expr {
                Expr::Bool(value) => self.add(ExprKind::Bool(value)),
                Expr::Int(value) => self.int(value),
                Expr::Read(time, var) => self.place(time, var, None),
                Expr::Index(time, var, at) => {
                    let index = pop();
                    self.cell(time, var, at, index)
                }
                Expr::Choice(k) => {
                    let name = self.choices.get(&k).copied();
                    let name = name.ok_or(CannotSay("a choice here"))?;
                    let (bit, one) = (self.named(name, 0, None), self.int(1));
                    self.binary(BinOp::Eq, bit, one)
                }
                Expr::Not(_) => {
                    let inner = pop();
                    self.add(ExprKind::Not(inner))
                }
                Expr::Binary(BinaryOp::Implies, ..) => {
                    let (b, a) = (pop(), pop());
                    let not_a = self.add(ExprKind::Not(a));
                    self.binary(BinOp::Or, not_a, b)
                }
                Expr::Binary(BinaryOp::When, ..) => {
                    // A condition counts as 0 or 1, and 0 / 0 is undefined.
                    let (value, condition) = (pop(), pop());
                    let zero = self.int(0);
                    let nothing = self.binary(BinOp::Div, zero, condition);
                    self.binary(BinOp::Add, value, nothing)
                }
                Expr::Binary(op, ..) => {
                    let (b, a) = (pop(), pop());
                    self.binary(operator(op), a, b)
                }
                Expr::Ite(_, a, _) if self.is_bool(a) => {
                    let (no, d, yes, c) = (pop(), pop(), pop(), pop());
                    let not = self.add(ExprKind::Not(d));
                    let (yes, no) =
                        (self.binary(BinOp::And, c, yes), self.binary(BinOp::And, not, no));
                    self.binary(BinOp::Or, yes, no)
                }
                Expr::Ite(_, a, b) => {
                    let (no, yes, c) = (pop(), pop(), pop());
                    match (self.exprs[a], self.exprs[b]) {
                        // A condition counts as 0 or 1.
                        (Expr::Int(1), Expr::Int(0)) => c,
                        (Expr::Int(_), Expr::Int(0)) => self.binary(BinOp::Mul, c, yes),
                        (Expr::Int(_), Expr::Int(_)) => {
                            let scaled = self.binary(BinOp::Mul, c, yes);
                            let one = self.int(1);
                            let not = self.binary(BinOp::Sub, one, c);
                            let other = self.binary(BinOp::Mul, not, no);
                            self.binary(BinOp::Add, scaled, other)
                        }
                        _ => return Err(CannotSay("a conditional number")),
                    }
                }
            };
            done.push(new);
        }
        Ok(done.pop().expect("the root was pushed last"))
    }

    fn is_bool(&self, expr: ir::ExprId) -> bool {
        match self.exprs[expr] {
            Expr::Bool(_) | Expr::Choice(_) | Expr::Not(_) => true,
            Expr::Int(_) => false,
            Expr::Read(_, var) | Expr::Index(_, var, _) => {
                self.vars[&var].1.scalar == ir::Scalar::Bool
            }
            Expr::Binary(op, ..) => op.sorts().2 == Sort::Bool,
            // Nested ones are as deep as they are: the last branch decides.
            Expr::Ite(_, _, mut b) => loop {
                match self.exprs[b] {
                    Expr::Ite(_, _, next) => b = next,
                    Expr::Bool(_) | Expr::Choice(_) | Expr::Not(_) => return true,
                    Expr::Int(_) => return false,
                    Expr::Read(_, var) | Expr::Index(_, var, _) => {
                        return self.vars[&var].1.scalar == ir::Scalar::Bool;
                    }
                    Expr::Binary(op, ..) => return op.sorts().2 == Sort::Bool,
                }
            },
        }
    }
}

fn operator(op: BinaryOp) -> BinOp {
    match op {
        BinaryOp::And => BinOp::And,
        BinaryOp::Or => BinOp::Or,
        BinaryOp::Xor => BinOp::Xor,
        BinaryOp::Iff => BinOp::Iff,
        BinaryOp::Eq => BinOp::Eq,
        BinaryOp::Ne => BinOp::Ne,
        BinaryOp::Lt => BinOp::Lt,
        BinaryOp::Le => BinOp::Le,
        BinaryOp::Gt => BinOp::Gt,
        BinaryOp::Ge => BinOp::Ge,
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::Div => BinOp::Div,
        BinaryOp::Shl => BinOp::Shl,
        BinaryOp::Shr => BinOp::Shr,
        BinaryOp::BitAnd => BinOp::BitAnd,
        BinaryOp::BitOr => BinOp::BitOr,
        BinaryOp::BitXor => BinOp::BitXor,
        BinaryOp::Implies | BinaryOp::When => unreachable!("`expr` sees to these"),
    }
}
