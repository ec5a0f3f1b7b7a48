//! Expressions of the program model → expressions of a tree, for programs that are written down
//! again (`bop convert`).

use ir::{Assign, BinaryOp, Expr, Exprs, Sort, Time, Type, Unwritten, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;
use syntax::Language;

use crate::lex::Kind;
use crate::parse::Parser;
use crate::tree::{
    BinOp, Decl, Declarator, Dim, ExprId, ExprKind, List, Name, Place, Quantifier, Segment, Tree,
    TypeName,
};

/// Names of one kind that are taken.
#[derive(Default)]
struct Names {
    taken: FxHashSet<String>,
    numbers: FxHashMap<String, u64>,
}

/// What has names of its own: a variable and a label may be called alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// Variables, also those that quantifiers bind.
    Variable,
    /// Labels; the stack symbols of a pushdown system.
    Place,
    /// Modules; the control locations of a pushdown system.
    Module,
}

/// The label of a place where nothing goes on because an assertion failed: `assertion_failed`, or
/// that with a number behind it.
pub(crate) fn is_failure(label: &str) -> bool {
    label.strip_prefix(FAILURE).is_some_and(|rest| {
        let number = rest.strip_prefix('_').unwrap_or("x");
        rest.is_empty() || !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    })
}

const FAILURE: &str = "assertion_failed";

/// Writes parts of a program into a tree.
pub(crate) struct Raise<'p> {
    /// The tree.
    pub(crate) tree: Tree,
    exprs: &'p Exprs,
    vars: FxHashMap<VarId, (Name, Type)>,
    names: [Names; 3],
    /// The names of all variables that were ever declared.
    ever: FxHashSet<String>,
    /// Those of the variables of the scope that is open.
    scope: Vec<String>,
    choices: FxHashMap<u32, Name>,
    renamed: FxHashMap<(Time, VarId), (Name, u8)>,
}

impl<'p> Raise<'p> {
    /// For a program with these expressions.
    pub(crate) fn new(exprs: &'p Exprs) -> Raise<'p> {
        Raise {
            tree: Tree::new(),
            exprs,
            vars: FxHashMap::default(),
            names: Default::default(),
            ever: FxHashSet::default(),
            scope: Vec::new(),
            choices: FxHashMap::default(),
            renamed: FxHashMap::default(),
        }
    }

    /// A name like `wanted` that is a name of the language and that no other one of its kind has.
    pub(crate) fn name(&mut self, kind: Named, wanted: &str) -> Name {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let letter = |c: char| if plain(c) { c } else { '_' };
        let mut base: String = wanted.trim_matches(['{', '}']).chars().map(letter).collect();
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            base.insert(0, '_');
        }
        // What is a word of the language is no name.
        if !is_name(&base) {
            base.push('_');
        }
        let names = &mut self.names[kind as usize];
        let mut text = base.clone();
        while !names.taken.insert(text.clone()) {
            let number = names.numbers.entry(base.clone()).or_default();
            *number += 1;
            text = format!("{base}_{number}");
        }
        Name { symbol: self.tree.intern(&text), span: Span::default() }
    }

    /// Names for all of them: their own for those whose names are names of the language, whatever
    /// comes before them.
    pub(crate) fn names<'t>(
        &mut self,
        kind: Named,
        wanted: impl Iterator<Item = &'t str>,
    ) -> Vec<Name> {
        let wanted: Vec<&str> = wanted.collect();
        let mut own: Vec<Option<Name>> = Vec::with_capacity(wanted.len());
        for text in &wanted {
            let fits = if kind == Named::Place { is_word(text) } else { is_name(text) };
            own.push(if fits { self.take(kind, text) } else { None });
        }
        let named = own.into_iter().zip(wanted);
        named.map(|(own, text)| own.unwrap_or_else(|| self.name(kind, text))).collect()
    }

    /// The very name, if no other one of its kind has it.
    fn take(&mut self, kind: Named, text: &str) -> Option<Name> {
        let free = self.names[kind as usize].taken.insert(text.to_owned());
        free.then(|| Name { symbol: self.tree.intern(text), span: Span::default() })
    }

    /// No other one of its kind will get the name.
    pub(crate) fn reserve(&mut self, kind: Named, text: &str) {
        self.names[kind as usize].taken.insert(text.to_owned());
    }

    /// The label, under its own name. Braces around a name are not part of it.
    pub(crate) fn label(&mut self, text: &str) -> Result<Name, Unwritten> {
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let word = inner.unwrap_or(text);
        if !is_word(word) {
            return Err(Unwritten::NoWords(format!("the label `{text}`, which is no word")));
        }
        self.take(Named::Place, word).ok_or_else(|| {
            Unwritten::NoWords(format!("both of the labels `{word}` and `{{{word}}}`"))
        })
    }

    /// A label for the place where assertions fail; see [`is_failure`].
    pub(crate) fn failure(&mut self) -> Name {
        self.name(Named::Place, FAILURE)
    }

    /// Declares variables that see each other.
    pub(crate) fn vars(&mut self, vars: &[(VarId, &str, Type)]) -> Vec<Decl> {
        let names = self.names(Named::Variable, vars.iter().map(|&(_, name, _)| name));
        let mut out = Vec::with_capacity(vars.len());
        for (&(var, _, ty), name) in vars.iter().zip(names) {
            let text = self.tree.text(name.symbol).to_owned();
            self.ever.insert(text.clone());
            self.scope.push(text);
            self.vars.insert(var, (name, ty));
            out.push(self.decl(name, ty));
        }
        out
    }

    /// What was declared since the last call is in everybody's scope.
    pub(crate) fn keep_scope(&mut self) {
        self.scope.clear();
    }

    /// What was declared since the last call is in nobody else's scope: others may have the names.
    pub(crate) fn end_scope(&mut self) {
        for text in self.scope.drain(..) {
            self.names[Named::Variable as usize].taken.remove(&text);
        }
    }

    /// Declares a variable that the program does not have.
    pub(crate) fn fresh_var(&mut self, wanted: &str, ty: Type) -> (Decl, Name) {
        let mut name = self.name(Named::Variable, wanted);
        while !self.ever.insert(self.tree.text(name.symbol).to_owned()) {
            name = self.name(Named::Variable, wanted);
        }
        (self.decl(name, ty), name)
    }

    fn decl(&mut self, name: Name, ty: Type) -> Decl {
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
        Decl { shared: false, ty, vars, span: Span::default() }
    }

    fn add(&mut self, kind: ExprKind) -> ExprId {
        self.tree.add_expr(kind, Span::default())
    }

    /// A number; there are no negative ones, but differences.
    pub(crate) fn int(&mut self, value: i64) -> ExprId {
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
    pub(crate) fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.add(ExprKind::Binary(op, a, b))
    }

    /// The conjunction of all; `None` if there are none.
    pub(crate) fn all(&mut self, conjuncts: impl IntoIterator<Item = ExprId>) -> Option<ExprId> {
        let mut conjuncts = conjuncts.into_iter();
        let mut all = conjuncts.next()?;
        for conjunct in conjuncts {
            all = self.binary(BinOp::And, all, conjunct);
        }
        Some(all)
    }

    /// A variable or a cell, at a time.
    pub(crate) fn place(&mut self, time: Time, var: VarId, index: Option<ExprId>) -> ExprId {
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

    /// What a variable becomes, as conjuncts: what is assigned, and its old value where it keeps
    /// that. With `mention`, also that an arbitrary value is some value: what a formula does not
    /// speak of keeps its value in Remopla, and has any in a pushdown system.
    pub(crate) fn becomes(
        &mut self,
        (time, var): (Time, VarId),
        (keeps, mention): (bool, bool),
        assigns: &[Assign],
        conjuncts: &mut Vec<ExprId>,
    ) -> Result<(), Unwritten> {
        let (_, ty) = self.vars[&var];
        let Some(dim) = ty.array else {
            match assigns {
                [] if keeps => conjuncts.push(self.kept(time, var)),
                [] => conjuncts.extend(mention.then(|| self.any(time, var, None))),
                [only, ..] => match only.value {
                    Some(value) => {
                        let value = self.expr(value)?;
                        let after = self.place(time, var, None);
                        conjuncts.push(self.binary(BinOp::Eq, after, value));
                    }
                    None => conjuncts.extend(mention.then(|| self.any(time, var, None))),
                },
            }
            return Ok(());
        };
        let free = !keeps || assigns.iter().any(|assign| assign.index.is_none());
        let mut cells = Vec::new();
        for assign in assigns {
            if let Some(index) = assign.index {
                cells.push((index, assign.value));
            }
        }
        if cells.is_empty() && !free {
            conjuncts.push(self.kept(time, var));
            return Ok(());
        }
        let (lo, hi) = (dim.lo, dim.lo + dim.len as i64 - 1);
        let number = |&(index, _): &(ir::ExprId, _)| match self.exprs[index] {
            Expr::Int(i) => Some(i),
            _ => None,
        };
        let numbers: Option<Vec<i64>> = cells.iter().map(number).collect();
        if let Some(numbers) = numbers {
            if !numbers.iter().all(|i| (lo..=hi).contains(i)) {
                conjuncts.push(self.add(ExprKind::Bool(false)));
                return Ok(());
            }
            for k in lo..=hi {
                let mut values = cells.iter().zip(&numbers).filter(|&(_, &i)| i == k).peekable();
                let untouched = values.peek().is_none();
                if untouched && !free {
                    conjuncts.push(self.kept_cell(time, var, k));
                }
                let mut said = untouched && !free;
                for &(_, value) in values.map(|(cell, _)| cell) {
                    let Some(value) = value else { continue };
                    let (value, index) = (self.expr(value)?, self.int(k));
                    let after = self.place(time, var, Some(index));
                    conjuncts.push(self.binary(BinOp::Eq, after, value));
                    said = true;
                }
                if !said && mention {
                    conjuncts.push(self.any(time, var, Some(k)));
                }
            }
            return Ok(());
        }
        for &(index, _) in &cells {
            for (op, bound) in [(BinOp::Ge, lo), (BinOp::Le, hi)] {
                let (index, bound) = (self.expr(index)?, self.int(bound));
                conjuncts.push(self.binary(op, index, bound));
            }
        }
        for k in lo..=hi {
            // Where no index is `k`, the cell keeps its value; where one is, it has the one given.
            let mut elsewhere = Vec::new();
            for &(index, value) in &cells {
                elsewhere.push(self.compared(BinOp::Eq, index, k)?);
                if let Some(value) = value {
                    let not_here = self.compared(BinOp::Ne, index, k)?;
                    let (value, number) = (self.expr(value)?, self.int(k));
                    let after = self.place(time, var, Some(number));
                    let becomes = self.binary(BinOp::Eq, after, value);
                    conjuncts.push(self.binary(BinOp::Or, not_here, becomes));
                }
            }
            if !free {
                let mut kept = self.kept_cell(time, var, k);
                for here in elsewhere {
                    kept = self.binary(BinOp::Or, here, kept);
                }
                conjuncts.push(kept);
            } else if mention {
                conjuncts.push(self.any(time, var, Some(k)));
            }
        }
        Ok(())
    }

    /// `index op k`
    fn compared(&mut self, op: BinOp, index: ir::ExprId, k: i64) -> Result<ExprId, Unwritten> {
        let (index, number) = (self.expr(index)?, self.int(k));
        Ok(self.binary(op, index, number))
    }

    /// `a'[k] == a[k]`
    fn kept_cell(&mut self, time: Time, var: VarId, k: i64) -> ExprId {
        let (i, j) = (self.int(k), self.int(k));
        let after = self.place(time, var, Some(i));
        let before = self.place(Time::Pre, var, Some(j));
        self.binary(BinOp::Eq, after, before)
    }

    /// `x' >= 0`: true, and speaks of it.
    fn any(&mut self, time: Time, var: VarId, cell: Option<i64>) -> ExprId {
        let index = cell.map(|k| self.int(k));
        let (after, zero) = (self.place(time, var, index), self.int(0));
        self.binary(BinOp::Ge, after, zero)
    }

    /// From now on, until [`Raise::restore`], the variable at the time is written like this.
    pub(crate) fn rename(&mut self, time: Time, var: VarId, name: Name, primes: u8) {
        self.renamed.insert((time, var), (name, primes));
    }

    /// Every variable has its own name again.
    pub(crate) fn restore(&mut self) {
        self.renamed.clear();
    }

    /// The name of a declared variable.
    pub(crate) fn name_of(&self, var: VarId) -> Name {
        self.vars[&var].0
    }

    /// A variable with a name, which need not be one of the program.
    pub(crate) fn named(&mut self, name: Name, primes: u8, index: Option<ExprId>) -> ExprId {
        let indices = self.tree.add_exprs(index);
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
    pub(crate) fn kept(&mut self, time: Time, var: VarId) -> ExprId {
        let (_, ty) = self.vars[&var];
        let Some(dim) = ty.array else {
            let (after, before) = (self.place(time, var, None), self.place(Time::Pre, var, None));
            return self.binary(BinOp::Eq, after, before);
        };
        let index = self.bound("i");
        let (i, j) = (self.named(index, 0, None), self.named(index, 0, None));
        let after = self.place(time, var, Some(i));
        let before = self.place(Time::Pre, var, Some(j));
        let same = self.binary(BinOp::Eq, after, before);
        let (lo, hi) = (self.int(dim.lo), self.int(dim.lo + dim.len as i64 - 1));
        self.add(ExprKind::Quantified(Quantifier { all: true, var: index, lo, hi }, same))
    }

    /// A name for a quantifier to bind: no variable's. Others may bind it, too.
    fn bound(&mut self, wanted: &str) -> Name {
        let mut text = wanted.to_owned();
        while self.ever.contains(&text) {
            text.push('_');
        }
        Name { symbol: self.tree.intern(&text), span: Span::default() }
    }

    /// From now on, choices below the number are bits that a quantifier chooses.
    pub(crate) fn open_choices(&mut self, count: u32) {
        self.choices.clear();
        for k in 0..count {
            let name = self.bound(&format!("choice_{k}"));
            self.choices.insert(k, name);
        }
    }

    /// The formula under quantifiers that choose the choices opened last.
    pub(crate) fn close_choices(&mut self, mut formula: ExprId) -> ExprId {
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
    pub(crate) fn expr(&mut self, root: ir::ExprId) -> Result<ExprId, Unwritten> {
        // Shared subexpressions are written out each time: a tree has no others.
        const MOST: usize = 1 << 20;
        let mut done: Vec<ExprId> = Vec::new();
        let mut work = vec![(root, false)];
        let mut steps = 0;
        while let Some((id, ready)) = work.pop() {
            steps += 1;
            if steps > MOST {
                return Err(Unwritten::no_words("an expression of this size"));
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
                    let name = name.ok_or(Unwritten::no_words("a choice here"))?;
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
                        _ if self.is_defined(a) && self.is_defined(b) => {
                            let scaled = self.binary(BinOp::Mul, c, yes);
                            let one = self.int(1);
                            let not = self.binary(BinOp::Sub, one, c);
                            let other = self.binary(BinOp::Mul, not, no);
                            self.binary(BinOp::Add, scaled, other)
                        }
                        _ => return Err(Unwritten::no_words("a conditional number")),
                    }
                }
            };
            done.push(new);
        }
        Ok(done.pop().expect("the root was pushed last"))
    }

    /// Whether an expression has a value whatever its variables are.
    pub(crate) fn is_defined(&self, expr: ir::ExprId) -> bool {
        let mut defined = true;
        self.exprs.postorder(expr, |_, expr| {
            use BinaryOp::{Div, Shl, Shr, When};
            defined &= !matches!(expr, Expr::Index(..) | Expr::Binary(Div | Shl | Shr | When, ..));
        });
        defined
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

/// Whether a text can be a label.
fn is_word(text: &str) -> bool {
    Parser::new(text, Language::Remopla).is_ok_and(|parser| {
        parser.current.kind.is_label() && parser.text_of(parser.current) == text
    })
}

/// Whether a text is a name, in Remopla and in a pushdown system.
fn is_name(text: &str) -> bool {
    Parser::new(text, Language::Remopla).is_ok_and(|parser| {
        parser.at(Kind::Ident)
            && parser.text_of(parser.current) == text
            && !matches!(text, "global" | "local")
    })
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
