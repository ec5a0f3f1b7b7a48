//! Assignments.

use super::Walker;
use super::tasks::Task;
use super::text::Text;
use super::values::{Val, What};
use crate::link::ObjectId;
use crate::skeleton::Event;
use crate::tree::{Assign, ExprId, ExprKind, Unary};
use c_types::Scalar;

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
                self.later([Task::Into(right, o, Some(text))]);
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
        self.push(Val::other(target.ty));
    }

    /// The target of `a += b` was evaluated.
    pub(super) fn assign_with(&mut self, e: ExprId) {
        let ExprKind::Assign(_, _, right) = self.unit.expr(e).kind else { return };
        if let Some(Val { what: What::Object(o), .. }) = self.vals.last().copied() {
            self.reach(o);
            self.read(o);
            self.point.hidden.push(Event::Escape(o));
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
                self.write(o, value);
                self.push(Val::new(What::Assigned(o), target.ty));
            }
            _ => {
                self.emit(Event::Store);
                self.push(Val::other(target.ty));
            }
        }
    }

    /// The top value is written to; with what is not known.
    pub(super) fn write_top(&mut self) {
        let val = self.pop();
        match val.what {
            What::Object(o) => {
                self.reach(o);
                self.write(o, None);
            }
            _ => self.emit(Event::Store),
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

    pub(super) fn assign(&mut self, e: ExprId, o: ObjectId, text: Option<Text>) {
        let e = self.through_casts(e);
        match &self.unit.expr(e).kind {
            ExprKind::Conditional(c, Some(a), b) if self.keeps_arms(*a, *b) => {
                let (yes, no, end) = (self.code.label(), self.code.label(), self.code.label());
                let (on_yes, on_no) = (self.whole(*a), self.whole(*b));
                self.later([
                    Task::Cond(*c, yes, no, None),
                    Task::Mark(yes),
                    Task::Into(*a, o, None),
                    Task::Pop,
                    Task::Flush(on_yes),
                    Task::Jump(end),
                    Task::Mark(no),
                    Task::Into(*b, o, None),
                    Task::Pop,
                    Task::Flush(on_no),
                    Task::Mark(end),
                    Task::Push(What::Assigned(o)),
                ]);
            }
            ExprKind::Comma(a, b) => {
                let first = self.whole(*a);
                self.later([
                    Task::Eval(*a),
                    Task::Consume,
                    Task::Flush(first),
                    Task::Into(*b, o, text),
                ]);
            }
            _ => self.later([Task::Eval(e), Task::IntoEnd(e, o, text)]),
        }
    }

    pub(super) fn assign_end(&mut self, e: ExprId, o: ObjectId, text: Option<Text>) {
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
                open.text = text.unwrap_or(open.text);
                open.result_events = events;
            }
            self.close_call();
            let assigned = self.assigned(o, val);
            self.push(assigned);
            return;
        }
        self.consume(val);
        let value = self.value(e);
        self.write(o, value);
        if let Some(source) = val.object() {
            self.emit(Event::Copy(o, source));
        } else if let Some(source) = self.value_object(val) {
            self.point.hidden.push(Event::Copy(o, source));
        }
        let assigned = self.assigned(o, val);
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
