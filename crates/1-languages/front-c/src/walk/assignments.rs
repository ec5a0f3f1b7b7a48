//! Assignments.

use super::Walker;
use super::tasks::Task;
use super::text::Text;
use super::values::{Val, What};
use crate::objects::ObjectId;
use crate::skeleton::{Doing, Event};
use crate::tree::{Assign, ExprId, ExprKind, Unary};
use crate::typing::Ty;
use c_types::Scalar;

/// What is assigned to, and as what type.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) object: ObjectId,
    pub(super) ty: Ty,
}

impl<'a> Walker<'_, 'a> {
    /// The number that this is the real or imaginary part of.
    pub(super) fn part_of(&self, e: ExprId) -> Option<ExprId> {
        match self.unit.expr(e).kind {
            ExprKind::Unary(Unary::Part, whole) => Some(whole),
            _ => None,
        }
    }

    /// The target of `a = b` was evaluated.
    pub(super) fn assign_target(&mut self, e: ExprId) {
        let ExprKind::Assign(_, _, right) = self.unit.expr(e).kind else { return };
        let val = self.pop();
        match val.what {
            What::Object(o) => {
                self.reach(o);
                let text = self.whole(e);
                let target = Target { object: o, ty: val.exact };
                self.later([Task::Into(right, target, Some(text))]);
            }
            _ => {
                self.push(val);
                self.later([Task::Eval(right), Task::Derive, Task::StoreEnd]);
            }
        }
    }

    /// Something that is no object was assigned.
    pub(super) fn store_end(&mut self) {
        let (_, target) = (self.pop(), self.pop());
        self.emit(Event::Store);
        self.access(Doing::Write, None, target.exact);
        self.push(Val::other(target.ty).typed(target.exact));
    }

    /// The target of `a += b` was evaluated.
    pub(super) fn assign_with(&mut self, e: ExprId) {
        let ExprKind::Assign(_, _, right) = self.unit.expr(e).kind else { return };
        match self.vals.last().copied() {
            Some(Val { what: What::Object(o), exact, .. }) => {
                self.reach(o);
                self.read(o);
                self.access(Doing::Read, Some(o), exact);
                self.point.hidden.push(Event::Escape(o));
            }
            Some(Val { what: What::Place | What::Walked(_), exact, .. }) => {
                self.access(Doing::Read, None, exact)
            }
            _ => {}
        }
        self.later([Task::Eval(right), Task::Rvalue, Task::AssignWithEnd(e)]);
    }

    /// Both sides of `a += b` were evaluated.
    pub(super) fn assign_with_end(&mut self, e: ExprId) {
        let (_, target) = (self.pop(), self.pop());
        let ExprKind::Assign(Assign::With(op), _, right) = self.unit.expr(e).kind else {
            return;
        };
        match target.what {
            What::Object(o) => {
                let value = self.value(right).and_then(|right| {
                    let before = self.held(o)?;
                    Some(self.data.binary(op, before, right, &self.unit.model))
                });
                self.write(o, target.exact, value);
                self.push(Val::new(What::Assigned(o), target.ty).typed(target.exact));
            }
            _ => {
                self.emit(Event::Store);
                self.access(Doing::Write, None, target.exact);
                self.push(Val::other(target.ty).typed(target.exact));
            }
        }
    }

    /// The top value is written to; with what is not known.
    pub(super) fn write_top(&mut self) {
        let val = self.pop();
        match val.what {
            What::Object(o) => {
                self.reach(o);
                self.write(o, val.exact, None);
            }
            _ => {
                self.emit(Event::Store);
                self.access(Doing::Write, None, val.exact);
            }
        }
    }

    /// What an expression is behind casts of pointers to pointers, which change nothing.
    pub(super) fn through_casts(&self, e: ExprId) -> ExprId {
        let mut e = e;
        while let ExprKind::Cast(ty, x) = self.unit.expr(e).kind
            && self.scalar_at(self.type_ref(ty)) == Some(Scalar::Pointer)
            && self.scalar(x) == Some(Scalar::Pointer)
        {
            e = x;
        }
        e
    }

    /// Whether `c ? a : b` is `a` or `b` as it is: where one has to be converted to the type of the other,
    /// that counts.
    pub(super) fn keeps_arms(&self, a: ExprId, b: ExprId) -> bool {
        match (self.scalar(a), self.scalar(b)) {
            (Some(Scalar::Pointer), _) | (_, Some(Scalar::Pointer)) | (None, None) => true,
            (Some(a), Some(b)) => c_types::usual(a, b)
                .is_some_and(|to| a.fits(to, &self.unit.model) && b.fits(to, &self.unit.model)),
            _ => false,
        }
    }

    /// Plans to evaluate an expression and to assign it.
    pub(super) fn assign(&mut self, e: ExprId, to: Target, text: Option<Text>) {
        let e = self.through_casts(e);
        match &self.unit.expr(e).kind {
            ExprKind::Conditional(c, Some(a), b) if self.keeps_arms(*a, *b) => {
                let (yes, no, end) = (self.code.label(), self.code.label(), self.code.label());
                let (on_yes, on_no) = (self.whole(*a), self.whole(*b));
                self.later([
                    Task::Cond(*c, yes, no, None),
                    Task::Mark(yes),
                    Task::Into(*a, to, None),
                    Task::Pop,
                    Task::Flush(on_yes),
                    Task::Jump(end),
                    Task::Mark(no),
                    Task::Into(*b, to, None),
                    Task::Pop,
                    Task::Flush(on_no),
                    Task::Mark(end),
                    Task::Push(What::Assigned(to.object)),
                ]);
            }
            ExprKind::Comma(a, b) => {
                let first = self.whole(*a);
                self.later([
                    Task::Eval(*a),
                    Task::Consume,
                    Task::Flush(first),
                    Task::Into(*b, to, text),
                ]);
            }
            _ => self.later([Task::Eval(e), Task::IntoEnd(e, to, text)]),
        }
    }

    pub(super) fn assign_end(&mut self, e: ExprId, to: Target, text: Option<Text>) {
        let o = to.object;
        let val = self.pop();
        if let What::Call(id) = val.what
            && self.point.open.as_ref().is_some_and(|open| open.id == id)
        {
            let events = self.write_events(o);
            let value = val.constant.and_then(|c| self.data.number(c));
            let value = value.and_then(|v| self.stored(o, v));
            self.point.values.push((o, value));
            if let Some(open) = &mut self.point.open {
                open.result = Some(o);
                open.is_whole = val.faithful;
                open.result_type = to.ty;
                open.text = text.unwrap_or(open.text);
                open.result_events = events;
            }
            self.close_call();
            let assigned = self.assigned(o, val).typed(to.ty);
            self.push(assigned);
            return;
        }
        self.consume(val);
        let value = self.value(e);
        self.write(o, to.ty, value);
        if let Some(source) = val.object() {
            self.emit(Event::Copy(o, source));
        } else if let Some(source) = self.value_object(val) {
            self.point.hidden.push(Event::Copy(o, source));
        }
        let assigned = self.assigned(o, val).typed(to.ty);
        self.push(assigned);
    }

    /// The value of an assignment: what its target then holds.
    pub(super) fn assigned(&self, o: ObjectId, val: Val) -> Val {
        let object = &self.linked.objects[o.index()];
        let to = object.scalar.filter(|_| !object.volatile);
        let constant = val.constant.zip(to).and_then(|(v, to)| v.convert(to, &self.unit.model));
        Val { constant, ..Val::new(What::Assigned(o), object.ty) }
    }
}
