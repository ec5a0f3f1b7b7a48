//! `switch`: its value, its cases, its ways out.

use super::Walker;
use super::code::{Ins, Label};
use super::jumps::Loop;
use super::tasks::Task;
use super::text::Text;
use crate::Place;
use crate::objects::ObjectId;
use crate::said::on_one_line;
use crate::skeleton::{DataId, Event, Relation, Test, When};
use crate::tree::{ExprId, ExprKind, StmtId};
use c_types::{Scalar, Value};

pub(super) struct Switch {
    pub(super) code: usize,
    pub(super) object: Option<ObjectId>,
    pub(super) data: Option<DataId>,
    /// The promoted type of the value.
    pub(super) ty: Option<Scalar>,
    pub(super) constant: Option<Value>,
    pub(super) cases: Vec<(Label, Option<(i64, i64)>)>,
    pub(super) default: Option<Label>,
}

impl<'a> Walker<'_, 'a> {
    /// The value was evaluated: the branch is here.
    pub(super) fn dispatch(&mut self, e: ExprId, text: Text, end: Label) {
        let val = self.pop();
        self.consume(val);
        self.settle(text);
        let ty = self.scalar(e).map(Scalar::promoted).filter(|t| matches!(t, Scalar::Int(_)));
        let data = match self.unit.expr(e).kind {
            // What was assigned on the way is now in its target.
            ExprKind::Assign(_, left, _) => self.path(left).and_then(|o| self.held(o)),
            _ => self.value(e),
        };
        let data = data.filter(|_| ty.is_some());
        let object = val.object().filter(|&o| {
            let from = self.linked.objects[o.index()].scalar;
            let same = from.zip(ty);
            val.faithful && same.is_some_and(|(a, b)| a.fits(b, &self.unit.model))
        });
        let constant = val.constant.or_else(|| self.constant(e));
        let promoted = constant.zip(ty);
        let mut draft = self.draft(text);
        let subject = on_one_line("", self.unit.slice(text.from, text.to), "");
        draft.test = Some(Box::new(Test::Subject(subject)));
        self.jumps.switches.push(Switch {
            code: self.code.here(),
            object,
            data,
            ty,
            constant: promoted.and_then(|(v, ty)| v.convert(ty, &self.unit.model)),
            cases: Vec::new(),
            default: None,
        });
        self.code.push(Ins::Branch(draft, Vec::new()));
        let continue_to = self.jumps.loops.last().and_then(|l| l.continue_to);
        let cleanups = self.jumps.cleanups.len();
        self.jumps.loops.push(Loop { break_to: end, continue_to, cleanups });
    }

    pub(super) fn case(&mut self, at: Place, low: ExprId, high: Option<ExprId>, body: StmtId) {
        let unit = self.unit;
        let label = self.code.label();
        self.code.mark(label);
        // Constants are converted to the type of the value.
        let to = self.jumps.switches.last().and_then(|s| s.ty);
        let number = |e: ExprId| {
            let value = self.constant(e)?.convert(to?, &unit.model)?;
            i64::try_from(value.number()).ok()
        };
        let range = number(low).zip(number(high.unwrap_or(low)));
        match self.jumps.switches.last_mut() {
            Some(switch) => switch.cases.push((label, range)),
            None => self.warn(at, "`case` outside `switch`".to_owned()),
        }
        self.tasks.push(Task::Stmt(body));
    }

    pub(super) fn default_case(&mut self, at: Place, body: StmtId) {
        let label = self.code.label();
        self.code.mark(label);
        match self.jumps.switches.last_mut() {
            Some(switch) => switch.default = Some(label),
            None => self.warn(at, "`default` outside `switch`".to_owned()),
        }
        self.tasks.push(Task::Stmt(body));
    }

    /// All cases are known: the ways out of the branch.
    pub(super) fn end_switch(&mut self, end: Label) {
        self.jumps.loops.pop();
        let Some(switch) = self.jumps.switches.pop() else { return };
        let ranges: Option<Vec<(i64, i64)>> =
            switch.cases.iter().map(|(_, range)| *range).collect();
        let mut arms = Vec::new();
        for (label, range) in &switch.cases {
            let mut events = Vec::new();
            if let (Some(o), Some((low, high))) = (switch.object, *range)
                && low == high
            {
                events.push(Event::Test(o, Relation::Eq, low));
            }
            let when = match (switch.data, *range) {
                (Some(data), Some((low, high))) => Some(When::Case(data, low, high)),
                _ => None,
            };
            arms.push((*label, events, when));
        }
        let when = match (switch.data, ranges) {
            (Some(data), Some(ranges)) => Some(When::Default(data, ranges)),
            _ => None,
        };
        arms.push((switch.default.unwrap_or(end), Vec::new(), when));
        // The value is known: one way is taken.
        let known = switch.constant.and_then(|v| i64::try_from(v.number()).ok());
        if let (Some(value), true) = (known, switch.cases.iter().all(|(_, range)| range.is_some()))
        {
            let taken = switch.cases.iter().position(|(_, range)| {
                range.is_some_and(|(low, high)| low <= value && value <= high)
            });
            let taken = taken.unwrap_or(switch.cases.len());
            arms = arms.into_iter().skip(taken).take(1).collect();
        }
        if let Ins::Branch(_, ways) = &mut self.code.ins[switch.code] {
            *ways = arms;
        }
        self.code.mark(end);
    }
}
