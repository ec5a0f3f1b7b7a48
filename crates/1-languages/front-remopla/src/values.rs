//! Expressions, with their types, as expressions of the program model.
//!
//! Integers are exact in both; the work is to keep booleans and integers apart, to number the cells
//! of arrays, and to find what can never be right: an index out of range whatever happens, a value
//! of more bits than engines can do with.
//!
//! **What is undefined.** An index out of range, a division by zero and a shift by too much have no
//! value. In a condition the smallest boolean around it is false, which is the program model's rule.
//! In an assignment the whole statement has no successor: for integers the model says so, for
//! booleans [`Values::defined`] collects what must hold.
//!
//! **Booleans and integers.** A boolean stands for 0 or 1 where an integer is wanted; an integer
//! that is assigned to a boolean must be 0 or 1, as a value that does not fit has no successor; an
//! integer is no condition. Moped keeps the two apart, so that no program it reads means something
//! else here. `&`, `|` and `^` of two booleans are `&&`, `||` and `^^`.

use ir::{BinaryOp, Expr, Exprs, Sort, Time, VarId};
use rustc_hash::FxHashMap;
use source::Span;

use crate::MAX_INSTANCES;
use crate::error::LowerErrorKind;
use crate::lower::members;
use crate::tree::{BinOp, ExprId, ExprKind, Name, Place, Quantifier, Segment, Symbol};
use crate::types::{Cell, Entity, Extent, Leaf, Types, arithmetic};

/// What a name with primes stands for.
pub(crate) enum Found<'s> {
    /// A variable, read at the time.
    Entity(Time, &'s Entity),
    /// Nothing.
    Nothing,
    /// Something that cannot stand here.
    Wrong(LowerErrorKind),
}

/// Where names are looked up.
pub(crate) trait Scope {
    /// What the name, with so many primes, stands for.
    fn find(&self, types: &Types<'_>, name: Symbol, primes: u8) -> Found<'_>;
    /// The variables that could be meant.
    fn known(&self) -> Vec<Symbol>;
}

/// Variables, and their numbers by name.
pub(crate) type Named<'s> = (&'s [Entity], &'s FxHashMap<Symbol, usize>);

/// The variables that a rule's formula sees: `x` is a global or belongs to the symbol on the left,
/// `x'` to the new topmost symbol, `x''` to the one below it.
pub(crate) struct RuleScope<'s> {
    /// Globals, before and after the step.
    pub(crate) globals: Named<'s>,
    /// The locals of the symbol on the left, of the topmost one on the right, of the one below it.
    pub(crate) sides: [Option<Named<'s>>; 3],
    /// These symbols, as far as they are there.
    pub(crate) symbols: [Option<Name>; 3],
}

impl RuleScope<'_> {
    /// The formula of a rule. An enumeration that it does not mention is arbitrary afterwards: one
    /// of its members.
    pub(crate) fn formula(
        &self,
        types: &mut Types<'_>,
        exprs: &mut Exprs,
        formula: Option<ExprId>,
    ) -> ir::ExprId {
        let mut all = match formula {
            Some(formula) => Values::new(types, exprs, self).condition(formula),
            None => Exprs::TRUE,
        };
        let mut mentioned: Vec<(Time, VarId)> = Vec::new();
        exprs.reads(all, |time, var| mentioned.push((time, var)));
        let after = [
            (Time::Post, Some(self.globals)),
            (Time::Post, self.sides[1]),
            (Time::Saved, self.sides[2]),
        ];
        for (time, named) in after {
            let leaves = named.iter().flat_map(|(entities, _)| entities.iter());
            let leaves = leaves.flat_map(|entity| &entity.leaves);
            let limited = leaves.filter(|leaf| leaf.cell.limit().is_some());
            let silent = limited.filter(|leaf| !mentioned.contains(&(time, leaf.var)));
            let members = members(exprs, silent, time);
            all = exprs.and(all, members);
        }
        all
    }
}

impl Scope for RuleScope<'_> {
    fn find(&self, types: &Types<'_>, name: Symbol, primes: u8) -> Found<'_> {
        let side = primes.min(2) as usize;
        let time = [Time::Pre, Time::Post, Time::Saved][side];
        if let Some((entities, by_name)) = self.sides[side]
            && let Some(&i) = by_name.get(&name)
        {
            return Found::Entity(time, &entities[i]);
        }
        let elsewhere = |(_, by_name): &Named<'_>| by_name.contains_key(&name);
        match self.globals.1.get(&name) {
            Some(&i) if side < 2 => return Found::Entity(time, &self.globals.0[i]),
            None if !self.sides.iter().flatten().any(elsewhere) => return Found::Nothing,
            _ => {}
        }
        let name = types.text(name);
        Found::Wrong(match self.symbols[side] {
            Some(symbol) => LowerErrorKind::NotLocal { name, symbol: types.text(symbol.symbol) },
            None if side == 2 => LowerErrorKind::NothingBelow { name },
            None => LowerErrorKind::NothingLeft { name },
        })
    }

    fn known(&self) -> Vec<Symbol> {
        let locals = self.sides.iter().flatten().flat_map(|(_, by_name)| by_name.keys());
        locals.chain(self.globals.1.keys()).copied().collect()
    }
}

/// The value of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// The expression.
    pub(crate) expr: ir::ExprId,
    /// Boolean or integer.
    pub(crate) sort: Sort,
    /// An integer lies between these.
    lo: i128,
    hi: i128,
    /// So many bits hold it, sign included.
    bits: u32,
    /// It may be undefined.
    partial: bool,
    /// It depends on a variable that a quantified condition runs through its range.
    quantified: bool,
}

/// A cell of an array of the program model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index {
    /// Its number.
    pub(crate) expr: ir::ExprId,
    /// Where the cell exists.
    pub(crate) inside: ir::ExprId,
}

/// What a place stands for.
pub(crate) enum Part<'s> {
    /// One cell.
    Cell(Time, &'s Leaf, Option<Index>),
    /// A whole array, a whole struct, or both.
    Whole(Whole<'s>),
}

/// An array or a struct as a whole.
pub(crate) struct Whole<'s> {
    /// When.
    pub(crate) time: Time,
    /// Its parts.
    pub(crate) leaves: Vec<&'s Leaf>,
    /// The cell of each, if the struct is one of an array of structs.
    pub(crate) index: Option<Index>,
    /// What its cells are: a type, or the number of a struct.
    pub(crate) of: Result<Cell, usize>,
    /// The dimensions that are left.
    pub(crate) dims: &'s [Extent],
}

/// Turns expressions of one statement into those of the program model.
pub(crate) struct Values<'v, 't> {
    /// What names mean outside of scopes, and the errors.
    pub(crate) types: &'v mut Types<'t>,
    /// The expressions of the program.
    pub(crate) exprs: &'v mut Exprs,
    /// The choices of the relation so far.
    pub(crate) choices: u32,
    /// Where every boolean read so far is defined.
    pub(crate) defined: ir::ExprId,
    scope: &'v dyn Scope,
    /// The quantified variables, innermost last, and what each name means.
    bound: Vec<Symbol>,
    bindings: FxHashMap<Symbol, Vec<Value>>,
    instances: usize,
    work: Vec<Work>,
    stack: Vec<Value>,
}

enum Work {
    Enter(ExprId),
    Not(ExprId),
    Binary(BinOp, ExprId, ExprId, Span),
    Place(Place, Span),
    Quantified { all: bool, body: ExprId, next: i64, hi: i64, so_far: ir::ExprId },
}

impl<'v, 't> Values<'v, 't> {
    /// For a statement in the scope.
    pub(crate) fn new(
        types: &'v mut Types<'t>,
        exprs: &'v mut Exprs,
        scope: &'v dyn Scope,
    ) -> Values<'v, 't> {
        Values {
            types,
            exprs,
            choices: 0,
            defined: Exprs::TRUE,
            scope,
            bound: Vec::new(),
            bindings: FxHashMap::default(),
            instances: 0,
            work: Vec::new(),
            stack: Vec::new(),
        }
    }

    fn span(&self, expr: ExprId) -> Span {
        self.types.tree.expr(expr).span
    }

    // Values.

    fn bool(&self, expr: ir::ExprId) -> Value {
        let (sort, quantified) = (Sort::Bool, false);
        Value { expr, sort, lo: 0, hi: 1, bits: 1, partial: false, quantified }
    }

    fn int(&mut self, value: i64) -> Value {
        let leading = if value < 0 { (!value).leading_zeros() } else { value.leading_zeros() };
        Value {
            expr: self.exprs.int(value),
            sort: Sort::Int,
            lo: value as i128,
            hi: value as i128,
            bits: 65 - leading,
            partial: false,
            quantified: false,
        }
    }

    /// The integer, or 0 or 1 for a boolean.
    fn as_int(&mut self, value: Value) -> Value {
        if value.sort == Sort::Int {
            return value;
        }
        let (zero, one) = (self.int(0), self.int(1));
        let expr = match value.expr {
            Exprs::TRUE => one.expr,
            Exprs::FALSE => zero.expr,
            other => self.exprs.add(Expr::Ite(other, one.expr, zero.expr)),
        };
        Value { expr, sort: Sort::Int, bits: one.bits, ..value }
    }

    fn wrong_sort(&mut self, expected: &'static str, span: Span) {
        let found = if expected == "a condition" { "an integer" } else { "a condition" };
        self.types.error(LowerErrorKind::Sort { expected, found }, span);
    }

    /// The boolean; an error for an integer.
    fn as_bool(&mut self, value: Value, span: Span) -> ir::ExprId {
        match value.sort {
            Sort::Bool => value.expr,
            Sort::Int => {
                self.wrong_sort("a condition", span);
                Exprs::FALSE
            }
        }
    }

    /// A condition: undefined parts make the smallest boolean around them false.
    pub(crate) fn condition(&mut self, expr: ExprId) -> ir::ExprId {
        let before = self.defined;
        let value = self.value(expr);
        self.defined = before;
        match value {
            Some(value) => self.as_bool(value, self.span(expr)),
            None => Exprs::FALSE,
        }
    }

    /// A value to be assigned to a cell of the type; `None` after an error. What must hold for it to
    /// be defined, and, where the program model would not say so, to fit, is added to
    /// [`Values::defined`].
    pub(crate) fn assigned(&mut self, expr: ExprId, cell: Cell) -> Option<ir::ExprId> {
        let value = self.value(expr)?;
        Some(self.fit(value, cell))
    }

    /// The value as one of the type; [`Values::defined`] says where it is.
    pub(crate) fn fit(&mut self, value: Value, cell: Cell) -> ir::ExprId {
        match (cell, value.sort) {
            (Cell::Bool, Sort::Bool) => value.expr,
            (Cell::Bool, Sort::Int) => {
                let (zero, one) = (self.int(0), self.int(1));
                let is_one = self.compare(BinaryOp::Eq, value, one).expr;
                let is_zero = self.compare(BinaryOp::Eq, value, zero).expr;
                let fits = self.exprs.or(is_one, is_zero);
                self.require(fits);
                is_one
            }
            _ => self.as_int(value).expr,
        }
    }

    fn require(&mut self, condition: ir::ExprId) {
        self.defined = self.exprs.and(self.defined, condition);
    }

    /// The value of an expression; `None` after an error.
    pub(crate) fn value(&mut self, root: ExprId) -> Option<Value> {
        debug_assert!(self.work.is_empty() && self.stack.is_empty());
        let depth = self.bound.len();
        self.work.push(Work::Enter(root));
        while let Some(work) = self.work.pop() {
            if self.step(work).is_none() {
                self.work.clear();
                self.stack.clear();
                while self.bound.len() > depth {
                    self.unbind();
                }
                return None;
            }
        }
        self.stack.pop()
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().expect("operands come before operators")
    }

    fn step(&mut self, work: Work) -> Option<()> {
        let value = match work {
            Work::Enter(id) => {
                let expr = self.types.tree.expr(id);
                match expr.kind {
                    ExprKind::Bool(value) => {
                        let expr = self.exprs.bool(value);
                        self.bool(expr)
                    }
                    ExprKind::Int(value) => self.int(value),
                    ExprKind::Undef => {
                        let (expected, found) = ("a value", "`undef`");
                        self.types.error(LowerErrorKind::Sort { expected, found }, expr.span);
                        return None;
                    }
                    ExprKind::Not(a) => {
                        self.work.extend([Work::Not(a), Work::Enter(a)]);
                        return Some(());
                    }
                    ExprKind::Binary(op, a, b) => {
                        let apply = Work::Binary(op, a, b, expr.span);
                        self.work.extend([apply, Work::Enter(b), Work::Enter(a)]);
                        return Some(());
                    }
                    ExprKind::Place(place) => {
                        self.work.push(Work::Place(place, expr.span));
                        for segment in place.field.iter().chain([&place.base]) {
                            let indices = self.types.tree.exprs(segment.indices).iter().rev();
                            self.work.extend(indices.map(|&index| Work::Enter(index)));
                        }
                        return Some(());
                    }
                    ExprKind::Quantified(quantifier, body) => {
                        return self.quantified(quantifier, body);
                    }
                }
            }
            Work::Not(a) => {
                let value = self.pop();
                let condition = self.as_bool(value, self.span(a));
                let expr = self.exprs.not(condition);
                Value { expr, ..self.bool(expr) }
            }
            Work::Binary(op, a, b, span) => {
                let right = self.pop();
                let left = self.pop();
                self.binary(op, (left, self.span(a)), (right, self.span(b)), span)?
            }
            Work::Place(place, span) => self.place(place, span)?,
            Work::Quantified { all, body, next, hi, so_far } => {
                let value = self.pop();
                let instance = self.as_bool(value, self.span(body));
                let so_far = match all {
                    true => self.exprs.and(so_far, instance),
                    false => self.exprs.or(so_far, instance),
                };
                if next > hi {
                    self.unbind();
                    self.bool(so_far)
                } else {
                    let var = *self.bound.last().expect("the quantifier's variable is bound");
                    self.unbind();
                    let instance = self.int(next);
                    self.push_binding(var, Value { quantified: true, ..instance });
                    let next = next.saturating_add(1);
                    self.work.push(Work::Quantified { all, body, next, hi, so_far });
                    self.work.push(Work::Enter(body));
                    return Some(());
                }
            }
        };
        self.stack.push(value);
        Some(())
    }

    /// The range of a quantifier; `None` after an error.
    pub(crate) fn range(&mut self, quantifier: Quantifier) -> Option<(i64, i64)> {
        let lo = self.types.constant(quantifier.lo)?;
        let hi = self.types.constant(quantifier.hi)?;
        if lo > hi {
            self.types.error(LowerErrorKind::EmptyRange { lo, hi }, quantifier.var.span);
            return None;
        }
        Some((lo, hi))
    }

    /// Counts instances that quantifiers stand for; `None` after an error if there are too many.
    pub(crate) fn count(&mut self, instances: i128, span: Span) -> Option<()> {
        let instances = usize::try_from(instances).unwrap_or(usize::MAX);
        self.instances = self.instances.saturating_add(instances);
        if self.instances > MAX_INSTANCES {
            self.types.error(LowerErrorKind::TooManyInstances, span);
            return None;
        }
        Some(())
    }

    fn quantified(&mut self, quantifier: Quantifier, body: ExprId) -> Option<()> {
        let (lo, hi) = self.range(quantifier)?;
        self.count(hi as i128 - lo as i128 + 1, quantifier.var.span)?;
        let first = self.int(lo);
        self.push_binding(quantifier.var.symbol, Value { quantified: true, ..first });
        let (all, so_far) = (quantifier.all, self.exprs.bool(quantifier.all));
        let next = lo.saturating_add(1);
        self.work.push(Work::Quantified { all, body, next, hi, so_far });
        self.work.push(Work::Enter(body));
        Some(())
    }

    /// From now on the variable is this number.
    pub(crate) fn bind(&mut self, var: Symbol, number: i64) {
        let value = self.int(number);
        self.push_binding(var, value);
    }

    fn push_binding(&mut self, var: Symbol, value: Value) {
        self.bound.push(var);
        self.bindings.entry(var).or_default().push(value);
    }

    fn binding(&self, var: Symbol) -> Option<Value> {
        self.bindings.get(&var)?.last().copied()
    }

    /// From now on the variable is one of these numbers, the same wherever it occurs. It is made of
    /// fresh choices, of which the relation takes those that suit it.
    pub(crate) fn bind_some(&mut self, var: Symbol, lo: i64, hi: i64) {
        let span = (hi as i128 - lo as i128) as u128;
        let mut number = self.int(lo);
        for k in 0..u128::BITS - span.leading_zeros() {
            let bit = self.exprs.choice(self.choices);
            self.choices += 1;
            let (zero, power) = (self.int(0), self.int(1 << k));
            let part = Value {
                expr: self.exprs.add(Expr::Ite(bit, power.expr, zero.expr)),
                lo: 0,
                ..power
            };
            number = self.arithmetic(BinaryOp::Add, number, part);
        }
        if !(span + 1).is_power_of_two() {
            let most = self.int(hi);
            let fits = self.compare(BinaryOp::Le, number, most).expr;
            self.require(fits);
        }
        self.push_binding(var, Value { hi: hi as i128, ..number });
    }

    /// The variable bound last is bound no more.
    pub(crate) fn unbind(&mut self) {
        if let Some(var) = self.bound.pop()
            && let Some(values) = self.bindings.get_mut(&var)
        {
            values.pop();
        }
    }

    // Operators.

    fn binary(
        &mut self,
        op: BinOp,
        (a, a_span): (Value, Span),
        (b, b_span): (Value, Span),
        span: Span,
    ) -> Option<Value> {
        use BinOp::*;
        let both_bool = a.sort == Sort::Bool && b.sort == Sort::Bool;
        let logical = match op {
            Implies | Or | Xor | And | Iff => true,
            Eq | Ne | BitOr | BitXor | BitAnd => both_bool,
            _ => false,
        };
        let quantified = a.quantified || b.quantified;
        if logical {
            let (a, b) = (self.as_bool(a, a_span), self.as_bool(b, b_span));
            let exprs = &mut self.exprs;
            let expr = match op {
                Or | BitOr => exprs.or(a, b),
                And | BitAnd => exprs.and(a, b),
                Implies => {
                    let not_a = exprs.not(a);
                    exprs.or(not_a, b)
                }
                Iff | Eq => equivalence(exprs, a, b, true),
                _ => equivalence(exprs, a, b, false),
            };
            return Some(Value { quantified, ..self.bool(expr) });
        }
        let (a, b) = (self.as_int(a), self.as_int(b));
        let comparison = match op {
            Eq => Some(BinaryOp::Eq),
            Ne => Some(BinaryOp::Ne),
            Lt => Some(BinaryOp::Lt),
            Le => Some(BinaryOp::Le),
            Gt => Some(BinaryOp::Gt),
            Ge => Some(BinaryOp::Ge),
            _ => None,
        };
        if let Some(op) = comparison {
            for value in [a, b].into_iter().filter(|value| value.partial) {
                // A number equals itself wherever it is defined.
                let defined = self.exprs.binary(BinaryOp::Eq, value.expr, value.expr);
                self.require(defined);
            }
            return Some(self.compare(op, a, b));
        }
        let op = arithmetic(op).expect("logical operators and comparisons are done");
        let value = self.arithmetic(op, a, b);
        if value.bits > ir::MAX_WIDTH {
            self.types.error(LowerErrorKind::TooWide { bits: value.bits }, span);
            return None;
        }
        Some(value)
    }

    fn compare(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let quantified = a.quantified || b.quantified;
        let expr = match self.fold(op, a, b) {
            Some(known) => self.exprs.bool(known != 0),
            None => self.exprs.binary(op, a.expr, b.expr),
        };
        Value { quantified, ..self.bool(expr) }
    }

    /// The value of an operation on two constants.
    fn fold(&self, op: BinaryOp, a: Value, b: Value) -> Option<i128> {
        use ir::eval::Val;
        match (self.exprs[a.expr], self.exprs[b.expr]) {
            (Expr::Int(a), Expr::Int(b)) => {
                match ir::eval::binary(op, Val::Known(a as i128), Val::Known(b as i128)) {
                    Val::Known(value) => Some(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let quantified = a.quantified || b.quantified;
        if let Some(known) = self.fold(op, a, b)
            && let Ok(known) = i64::try_from(known)
        {
            return Value { quantified, ..self.int(known) };
        }
        // As `ir::widths` has it.
        let bits = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Div => a.bits.max(b.bits) + 1,
            BinaryOp::Mul => a.bits + b.bits,
            BinaryOp::Shl => a.bits + (1u32 << (b.bits - 1).min(6)).min(64) - 1,
            BinaryOp::Shr => a.bits,
            _ => a.bits.max(b.bits),
        };
        let (lo, hi) = interval(op, a, b, bits);
        let undefined = match op {
            BinaryOp::Div => b.lo <= 0 && b.hi >= 0,
            BinaryOp::Shl => b.lo < 0 || b.hi >= 64,
            BinaryOp::Shr => b.lo < 0,
            _ => false,
        };
        let partial = a.partial || b.partial || undefined;
        let expr = self.exprs.binary(op, a.expr, b.expr);
        Value { expr, sort: Sort::Int, lo, hi, bits, partial, quantified }
    }

    // Places.

    /// The value of a place, whose indices are on the stack.
    fn place(&mut self, place: Place, span: Span) -> Option<Value> {
        let field = place.field.map_or(0, |field| field.indices.len());
        let count = place.base.indices.len() + field;
        let indices = self.stack.split_off(self.stack.len() - count);
        if let Some(name) = self.types.plain(place) {
            if let Some(value) = self.binding(name.symbol) {
                return Some(value);
            }
            if let Some(value) = self.constant(name) {
                return Some(value);
            }
        }
        match self.resolve(place, &indices, span)? {
            Part::Cell(time, leaf, index) => {
                let quantified = indices.iter().any(|index| index.quantified);
                Some(Value { quantified, ..self.read(time, leaf, index) })
            }
            Part::Whole(whole) => {
                let name = self.types.text(place.base.name.symbol);
                let kind = match whole.of {
                    _ if !whole.dims.is_empty() => {
                        let dims = whole.dims.len();
                        LowerErrorKind::IndexCount { name, dims, given: count }
                    }
                    _ => LowerErrorKind::WholeStruct(name),
                };
                self.types.error(kind, span);
                None
            }
        }
    }

    /// The value of a constant, unless a variable hides it.
    fn constant(&mut self, name: Name) -> Option<Value> {
        if let Found::Entity(..) = self.scope.find(self.types, name.symbol, 0) {
            return None;
        }
        self.types.constant_named(name.symbol).map(|value| self.int(value))
    }

    /// Whether the name is that of a constant or of a quantified variable.
    pub(crate) fn is_constant(&mut self, name: Name) -> bool {
        self.binding(name.symbol).is_some() || self.constant(name).is_some()
    }

    /// What a place stands for: the target or the source of an assignment. `None` after an error.
    pub(crate) fn part(&mut self, expr: ExprId) -> Option<Part<'v>> {
        let (tree, span) = (self.types.tree, self.span(expr));
        let ExprKind::Place(place) = tree.expr(expr).kind else { return None };
        let mut indices = Vec::new();
        for segment in [Some(place.base), place.field].into_iter().flatten() {
            for &index in tree.exprs(segment.indices) {
                indices.push(self.value(index)?);
            }
        }
        self.resolve(place, &indices, span)
    }

    fn resolve(&mut self, place: Place, indices: &[Value], span: Span) -> Option<Part<'v>> {
        let (base, field) = (place.base, place.field);
        let name = base.name;
        let primes = base.primes + field.map_or(0, |field| field.primes);
        let scope = self.scope;
        let (time, entity) = match scope.find(self.types, name.symbol, primes) {
            Found::Entity(time, entity) => (time, entity),
            Found::Wrong(kind) => {
                self.types.error(kind, span);
                return None;
            }
            Found::Nothing => {
                let known = scope.known().into_iter().chain(self.types.constants());
                let bound = self.bound.iter().copied();
                let nearest = self.types.nearest(name.symbol, known.chain(bound));
                self.types.unknown("variable", name, nearest);
                return None;
            }
        };
        let (on_base, on_field) = indices.split_at(base.indices.len());
        let Some(field) = field else {
            let dims = &entity.shape.dims[..];
            if on_base.is_empty() && (!dims.is_empty() || entity.shape.of.is_err()) {
                let leaves = entity.leaves.iter().collect();
                let of = entity.shape.of;
                return Some(Part::Whole(Whole { time, leaves, index: None, of, dims }));
            }
            let index = self.index(entity.name, dims, base, on_base, span)?;
            return Some(match (&entity.leaves[..], entity.shape.of) {
                ([leaf], Ok(_)) => Part::Cell(time, leaf, index),
                (leaves, of) => {
                    let leaves = leaves.iter().collect();
                    Part::Whole(Whole { time, leaves, index, of, dims: &[] })
                }
            });
        };
        let Err(number) = entity.shape.of else {
            let text = self.types.text(name.symbol);
            self.types.error(LowerErrorKind::NoStruct(text), name.span);
            return None;
        };
        let Some((part, is_array)) = self.types.field(number, field.name.symbol) else {
            let nearest = self.types.nearest(field.name.symbol, self.types.fields(number));
            self.types.unknown("field", field.name, nearest);
            return None;
        };
        let leaf = &entity.leaves[part];
        // Either the struct has dimensions or the field; without any index, all cells are meant.
        let (dims_base, dims_field): (&[Extent], &[Extent]) =
            if is_array { (&[], &leaf.dims) } else { (&leaf.dims, &[]) };
        if !leaf.dims.is_empty() && indices.is_empty() {
            let (leaves, of, dims) = (vec![leaf], Ok(leaf.cell), &leaf.dims[..]);
            return Some(Part::Whole(Whole { time, leaves, index: None, of, dims }));
        }
        let on_base = self.index(entity.name, dims_base, base, on_base, span)?;
        let on_field = self.index(field.name, dims_field, field, on_field, span)?;
        Some(Part::Cell(time, leaf, on_base.or(on_field)))
    }

    /// The cell that the indices choose; `Some(None)` if there are no dimensions.
    fn index(
        &mut self,
        name: Name,
        dims: &[Extent],
        segment: Segment,
        indices: &[Value],
        span: Span,
    ) -> Option<Option<Index>> {
        if dims.len() != indices.len() {
            let name = self.types.text(name.symbol);
            let (dims, given) = (dims.len(), indices.len());
            self.types.error(LowerErrorKind::IndexCount { name, dims, given }, span);
            return None;
        }
        let tree = self.types.tree;
        let spans: Vec<Span> =
            tree.exprs(segment.indices).iter().map(|&index| tree.expr(index).span).collect();
        let mut inside = Exprs::TRUE;
        let mut number: Option<Value> = None;
        for ((&dim, &index), &span) in dims.iter().zip(indices).zip(&spans) {
            if index.sort == Sort::Bool {
                self.wrong_sort("an integer", span);
                return None;
            }
            let (lo, hi) = (dim.lo as i128, dim.hi() as i128);
            if (index.hi < lo || index.lo > hi) && !index.quantified {
                let index = match index.lo == index.hi {
                    true => index.lo.to_string(),
                    false => format!("{} to {}", index.lo, index.hi),
                };
                let name = self.types.text(name.symbol);
                let (lo, hi) = (dim.lo, dim.hi());
                self.types.error(LowerErrorKind::IndexNeverFits { name, lo, hi, index }, span);
                return None;
            }
            if index.lo < lo {
                let least = self.int(dim.lo);
                let enough = self.compare(BinaryOp::Ge, index, least).expr;
                inside = self.exprs.and(inside, enough);
            }
            if index.hi > hi {
                let most = self.int(dim.hi());
                let enough = self.compare(BinaryOp::Le, index, most).expr;
                inside = self.exprs.and(inside, enough);
            }
            if index.partial && index.lo >= lo && index.hi <= hi {
                let defined = self.exprs.binary(BinaryOp::Eq, index.expr, index.expr);
                inside = self.exprs.and(inside, defined);
            }
            if dims.len() == 1 {
                number = Some(index);
                continue;
            }
            // Row after row, from 0.
            let from = self.int(dim.lo);
            let offset =
                if dim.lo == 0 { index } else { self.arithmetic(BinaryOp::Sub, index, from) };
            number = Some(match number {
                None => offset,
                Some(row) => {
                    let len = self.int(dim.len as i64);
                    let start = self.arithmetic(BinaryOp::Mul, row, len);
                    self.arithmetic(BinaryOp::Add, start, offset)
                }
            });
        }
        let Some(number) = number else { return Some(None) };
        if number.bits > ir::MAX_WIDTH {
            self.types.error(LowerErrorKind::TooWide { bits: number.bits }, span);
            return None;
        }
        // An index out of one dimension could be one of another row.
        let expr = match dims.len() {
            2 if inside != Exprs::TRUE => self.exprs.binary(BinaryOp::When, inside, number.expr),
            _ => number.expr,
        };
        Some(Some(Index { expr, inside }))
    }

    /// The value of a cell.
    pub(crate) fn read(&mut self, time: Time, leaf: &Leaf, index: Option<Index>) -> Value {
        let expr = read(self.exprs, time, leaf.var, index.map(|index| index.expr));
        let inside = index.map_or(Exprs::TRUE, |index| index.inside);
        match leaf.cell {
            Cell::Bool => {
                self.require(inside);
                self.bool(expr)
            }
            Cell::Int { bits } | Cell::Enum { bits, .. } => Value {
                expr,
                sort: Sort::Int,
                lo: 0,
                hi: (1i128 << bits) - 1,
                bits: bits + 1,
                partial: inside != Exprs::TRUE,
                quantified: false,
            },
        }
    }
}

/// A variable, or a cell of one.
pub(crate) fn read(
    exprs: &mut Exprs,
    time: Time,
    var: VarId,
    index: Option<ir::ExprId>,
) -> ir::ExprId {
    exprs.add(match index {
        None => Expr::Read(time, var),
        Some(index) => Expr::Index(time, var, index),
    })
}

/// Whether two booleans are equal, or, if not `same`, whether they differ.
pub(crate) fn equivalence(
    exprs: &mut Exprs,
    a: ir::ExprId,
    b: ir::ExprId,
    same: bool,
) -> ir::ExprId {
    let constant = |e| match e {
        Exprs::TRUE => Some(true),
        Exprs::FALSE => Some(false),
        _ => None,
    };
    match (constant(a), constant(b)) {
        (Some(x), _) if x == same => b,
        (Some(_), _) => exprs.not(b),
        (_, Some(y)) if y == same => a,
        (_, Some(_)) => exprs.not(a),
        _ if same => exprs.binary(BinaryOp::Iff, a, b),
        _ => exprs.binary(BinaryOp::Xor, a, b),
    }
}

/// Bounds of a result, from those of the operands; not always the best ones.
fn interval(op: BinaryOp, a: Value, b: Value, bits: u32) -> (i128, i128) {
    // What so many bits can hold; operations on more fail before anyone asks.
    let most = if bits >= 120 { i128::MAX } else { (1i128 << (bits - 1)) - 1 };
    let anything = (-most - 1, most);
    let of = |corners: &[i128]| {
        let lo = corners.iter().copied().min().unwrap_or(0);
        let hi = corners.iter().copied().max().unwrap_or(0);
        (lo, hi)
    };
    match op {
        BinaryOp::Add => (a.lo.saturating_add(b.lo), a.hi.saturating_add(b.hi)),
        BinaryOp::Sub => (a.lo.saturating_sub(b.hi), a.hi.saturating_sub(b.lo)),
        BinaryOp::Mul => {
            let product = |x: i128, y: i128| x.saturating_mul(y);
            of(&[
                product(a.lo, b.lo),
                product(a.lo, b.hi),
                product(a.hi, b.lo),
                product(a.hi, b.hi),
            ])
        }
        BinaryOp::Div if b.lo > 0 => of(&[a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi]),
        BinaryOp::Div | BinaryOp::Shr => {
            of(&[0, a.lo, a.hi, a.lo.saturating_neg(), a.hi.saturating_neg()])
        }
        BinaryOp::BitAnd if a.lo >= 0 && b.lo >= 0 => (0, a.hi.min(b.hi)),
        BinaryOp::BitOr | BinaryOp::BitXor if a.lo >= 0 && b.lo >= 0 => {
            let bits = 128 - (a.hi | b.hi).leading_zeros();
            (0, if bits >= 127 { i128::MAX } else { (1i128 << bits) - 1 })
        }
        BinaryOp::Shl if a.lo >= 0 => (0, most),
        _ => anything,
    }
}
