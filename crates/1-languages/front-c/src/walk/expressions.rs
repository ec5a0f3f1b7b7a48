//! Expressions, from left to right.

use super::Walker;
use super::branches::relation;
use super::tasks::Task;
use super::values::{Val, What};
use crate::link::Entity;
use crate::tree::{Assign, Binary, ExprId, ExprKind, StmtId, StmtKind, Sym, Unary};
use crate::typing::Ty;
use c_types::Scalar;

impl Walker<'_, '_> {
    /// Plans what leaves the value of an expression on the stack of values.
    pub(super) fn eval(&mut self, e: ExprId) {
        let unit = self.unit;
        match &unit.expr(e).kind {
            ExprKind::Name(sym) => {
                let val = self.name(e, *sym);
                self.push(val);
            }
            ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::SizeOf(_)
            | ExprKind::Enumerator(_)
            | ExprKind::AboutType(_) => {
                let exact = self.typing(|t| t.leaf(&unit.expr(e).kind)).unwrap_or(Ty::Unknown);
                self.push(Val::other(None).typed(exact));
            }
            ExprKind::SizeOfType(ty) => {
                self.later([Task::Push(What::Other), Task::Typed(e)]);
                self.sizes(*ty);
            }
            ExprKind::LabelAddress(sym) => {
                self.named_label(*sym);
                self.jumps.address_labels.push(*sym);
                self.push(Val::other(None));
            }
            ExprKind::Unary(op, x) => match op {
                Unary::Deref => {
                    self.lend(*x);
                    self.later([Task::Eval(*x), Task::Deref]);
                }
                Unary::Address => self.later([Task::Eval(*x), Task::Address]),
                Unary::Step { .. } => self.later([Task::Eval(*x), Task::Step(e)]),
                _ => self.later([Task::Eval(*x), Task::UnaryEnd(*op)]),
            },
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                self.tasks.push(Task::Typed(e));
                self.lazy(*op, *a, *b);
            }
            ExprKind::Binary(op, a, b) => {
                // Comparisons say nothing but yes or no.
                let compares = relation(*op).is_some();
                if compares || self.is_distance(*op, *a, *b) {
                    self.lend(*a);
                    self.lend(*b);
                }
                let read = match (compares, self.lent.contains(&e)) {
                    (true, _) => Task::Rvalue,
                    (false, true) => {
                        self.lend(*a);
                        self.lend(*b);
                        Task::Lend
                    }
                    (false, false) if self.is_distance(*op, *a, *b) => Task::Lend,
                    (false, false) => Task::Derive,
                };
                self.later([Task::Eval(*a), read, Task::Eval(*b), read, Task::BinaryEnd(*op)]);
            }
            ExprKind::Assign(op, left, right) => self.assignment(e, *op, *left, *right),
            ExprKind::Conditional(c, a, b) => {
                self.tasks.push(Task::Typed(e));
                self.either(*c, *a, *b);
            }
            ExprKind::Comma(a, b) => {
                let text = self.whole(*a);
                self.later([Task::Eval(*a), Task::Consume, Task::Flush(text), Task::Eval(*b)]);
            }
            ExprKind::Call(f, arguments) => self.call(e, *f, arguments),
            ExprKind::Index(a, i) => {
                let constant = [*i, *a].into_iter().find_map(|e| self.constant(e));
                let constant = constant.and_then(|c| u32::try_from(c.number()).ok());
                self.later([Task::Eval(*a), Task::Eval(*i), Task::Index(constant)]);
            }
            ExprKind::Field(a, sym) => self.later([Task::Eval(*a), Task::Field(*sym)]),
            ExprKind::Arrow(a, sym) => self.later([Task::Eval(*a), Task::Arrow(*sym)]),
            ExprKind::Cast(ty, a) => {
                self.later([Task::Eval(*a), Task::Cast(*ty)]);
                self.sizes(*ty);
            }
            ExprKind::Compound(ty, init) => {
                if let Some(o) = self.literal(*ty) {
                    let text = self.whole(e);
                    self.later([Task::Push(What::Object(o)), Task::Typed(e)]);
                    self.initialise(o, *init, text);
                    return;
                }
                self.later([Task::Init(*init), Task::Push(What::Other), Task::Cast(*ty)]);
            }
            ExprKind::Block(s) => self.statement_expression(e, *s),
            ExprKind::VaArg(list, ty) => {
                self.later([
                    Task::Eval(*list),
                    Task::WriteTop,
                    Task::Push(What::Other),
                    Task::Cast(*ty),
                ]);
            }
            ExprKind::Generic(..) => self.tasks.push(Task::Choose(e)),
        }
    }

    pub(super) fn name(&mut self, e: ExprId, sym: Sym) -> Val {
        match self.lookup(sym) {
            Some(Entity::Object(o)) => {
                let object = &self.linked.objects[o.index()];
                Val { constant: object.fixed, ..Val::new(What::Object(o), object.ty) }
            }
            Some(Entity::Func(f)) => Val::new(What::Func, self.linked.funcs[f.index()].ty),
            None => {
                let name = self.unit.name(sym);
                if !name.starts_with("__") && self.undeclared.insert(sym) {
                    let message = format!("`{name}` is not declared; its uses are no events");
                    self.warn(self.unit.expr(e).at, message);
                }
                Val::other(None)
            }
        }
    }

    /// `a && b`, `a || b` as values.
    fn lazy(&mut self, op: Binary, a: ExprId, b: ExprId) {
        let (middle, end) = (self.code.label(), self.code.label());
        let (yes, no) = if op == Binary::And { (middle, end) } else { (end, middle) };
        let text = self.whole(b);
        self.later([
            Task::Cond(a, yes, no, None),
            Task::Mark(middle),
            Task::Eval(b),
            Task::Consume,
            Task::Flush(text),
            Task::Mark(end),
            Task::Push(What::Other),
        ]);
    }

    /// The value of an expression goes nowhere: if it is arithmetic, what that is made of goes nowhere, too.
    pub(super) fn lend(&mut self, mut e: ExprId) {
        while let ExprKind::Cast(_, a) = self.unit.expr(e).kind {
            e = a;
        }
        if let ExprKind::Binary(Binary::Add | Binary::Sub, ..) = self.unit.expr(e).kind {
            self.lent.insert(e);
        }
    }

    /// Whether it is how far two pointers are from each other: a number.
    fn is_distance(&self, op: Binary, a: ExprId, b: ExprId) -> bool {
        // What is deep would be looked through for each of its levels.
        let flat = |e: ExprId| {
            matches!(
                self.unit.expr(e).kind,
                ExprKind::Name(_)
                    | ExprKind::Call(..)
                    | ExprKind::Field(..)
                    | ExprKind::Arrow(..)
                    | ExprKind::Index(..)
            )
        };
        let pointer = |e: ExprId| flat(e) && self.scalar(e) == Some(Scalar::Pointer);
        op == Binary::Sub && pointer(a) && pointer(b)
    }

    pub(super) fn assignment(&mut self, e: ExprId, op: Assign, left: ExprId, right: ExprId) {
        match (self.part_of(left), op) {
            // `__real__ z = 1`
            (Some(whole), _) => self.later([
                Task::Eval(right),
                Task::Derive,
                Task::Pop,
                Task::Eval(whole),
                Task::WriteTop,
                Task::Push(What::Other),
            ]),
            (None, Assign::Plain) => self.later([Task::Eval(left), Task::AssignTarget(e)]),
            (None, Assign::With(_)) => self.later([Task::Eval(left), Task::AssignWith(e)]),
        }
    }

    /// `c ? a : b` and `c ?: b` as values.
    pub(super) fn either(&mut self, c: ExprId, a: Option<ExprId>, b: ExprId) {
        let Some(a) = a else {
            let (no, end) = (self.code.label(), self.code.label());
            let text = self.whole(b);
            self.later([
                Task::Cond(c, end, no, None),
                Task::Mark(no),
                Task::Eval(b),
                Task::Derive,
                Task::Flush(text),
                Task::Mark(end),
            ]);
            return;
        };
        let (yes, no, end) = (self.code.label(), self.code.label(), self.code.label());
        let (on_yes, on_no) = (self.whole(a), self.whole(b));
        self.later([
            Task::Cond(c, yes, no, None),
            Task::Mark(yes),
            Task::Eval(a),
            Task::Derive,
            Task::Pop,
            Task::Flush(on_yes),
            Task::Jump(end),
            Task::Mark(no),
            Task::Eval(b),
            Task::Derive,
            Task::Flush(on_no),
            Task::Mark(end),
        ]);
    }

    /// `({ … })`
    fn statement_expression(&mut self, e: ExprId, s: StmtId) {
        let unit = self.unit;
        self.point.inside += 1;
        self.tasks.push(Task::Leave);
        let StmtKind::Block(body, end) = &unit.stmt(s).kind else {
            self.later([Task::Stmt(s), Task::Push(What::Other)]);
            return;
        };
        self.open_scope(*end);
        let (last, rest) = match body.split_last() {
            Some((last, rest)) => (Some(*last), rest),
            None => (None, &body[..]),
        };
        match last.map(|s| (&unit.stmt(s).kind, s)) {
            Some((StmtKind::Expr(value), _)) => self.tasks.push(Task::Eval(*value)),
            Some((_, s)) => self.later([Task::Stmt(s), Task::Push(What::Other)]),
            None => self.tasks.push(Task::Push(What::Other)),
        }
        self.tasks.extend(rest.iter().rev().map(|&s| Task::Stmt(s)));
        // What stands before the block is evaluated before it.
        let text = self.whole(e);
        self.flush(text);
    }
}
