//! `return`.

use super::Walker;
use super::code::Ins;
use super::tasks::Task;
use super::text::Text;
use crate::skeleton::{DataId, Event};
use crate::tree::{ExprId, ExprKind};

impl<'a> Walker<'_, 'a> {
    pub(super) fn return_(&mut self, e: Option<ExprId>, text: Text) {
        let Some(e) = e else {
            self.finish_return(None, text);
            return;
        };
        let e = self.through_casts(e);
        if let ExprKind::Conditional(c, Some(a), b) = self.unit.expr(e).kind
            && self.keeps_arms(a, b)
        {
            let (yes, no) = (self.code.label(), self.code.label());
            self.later([
                Task::Cond(c, yes, no, None),
                Task::Mark(yes),
                Task::Return(Some(a), text),
                Task::Mark(no),
                Task::Return(Some(b), text),
            ]);
            return;
        }
        self.later([Task::Eval(e), Task::ReturnEnd(e, text)]);
    }

    /// The value was evaluated.
    pub(super) fn return_end(&mut self, e: ExprId, text: Text) {
        let val = self.pop();
        self.close_call();
        self.consume(val);
        let value = self.value(e);
        if let Some(o) = val.object() {
            self.emit(Event::ReturnOf(o));
        } else if let Some(o) = self.value_object(val) {
            self.point.hidden.push(Event::ReturnOf(o));
        }
        self.finish_return(value, text);
    }

    /// Runs cleanups and returns, with what is pending.
    pub(super) fn finish_return(&mut self, value: Option<DataId>, text: Text) {
        self.close_call();
        if !self.jumps.cleanups.is_empty() {
            // The value is computed before, the return comes after.
            let of: Vec<Event> = self
                .point
                .events
                .iter()
                .copied()
                .filter(|e| matches!(e, Event::ReturnOf(_)))
                .collect();
            self.point.events.retain(|e| !matches!(e, Event::ReturnOf(_)));
            self.flush(text);
            self.run_cleanups(0, text);
            self.point.events = of;
        }
        if !self.point.values.is_empty() {
            self.flush(text);
        }
        self.point.events.push(Event::Return);
        if self.linked.funcs[self.func.index()].name == "main" {
            self.point.events.push(Event::Exit);
        }
        self.point.returned = value;
        let draft = self.draft(text);
        self.code.push(Ins::Return(draft));
    }
}
