//! Conditions, and what is learnt on their ways out.

use super::Walker;
use super::code::{Ins, Label};
use super::tasks::Task;
use super::text::Text;
use super::values::{Val, What};
use crate::said::{on_one_line, opposite};
use crate::skeleton::{Event, Relation, Test, When};
use crate::tree::{Binary, ExprId, ExprKind, Unary};
use c_types::{Scalar, Value};

impl<'a> Walker<'_, 'a> {
    /// Goes to one of the labels, as the condition says.
    pub(super) fn cond(&mut self, e: ExprId, yes: Label, no: Label, text: Option<Text>) {
        let unit = self.unit;
        let shown = text.unwrap_or_else(|| self.whole(e));
        match &unit.expr(e).kind {
            ExprKind::Unary(Unary::Not, x) => {
                // The whole text stays with the whole condition.
                let shown = shown.flipped();
                self.later([Task::Cond(*x, no, yes, Some(shown))]);
                return;
            }
            ExprKind::Binary(Binary::And, a, b) => {
                let middle = self.code.label();
                self.later([
                    Task::Cond(*a, middle, no, None),
                    Task::Mark(middle),
                    Task::Cond(*b, yes, no, None),
                ]);
                return;
            }
            ExprKind::Binary(Binary::Or, a, b) => {
                let middle = self.code.label();
                self.later([
                    Task::Cond(*a, yes, middle, None),
                    Task::Mark(middle),
                    Task::Cond(*b, yes, no, None),
                ]);
                return;
            }
            ExprKind::Comma(a, b) => {
                let first = self.whole(*a);
                self.later([
                    Task::Eval(*a),
                    Task::Consume,
                    Task::Flush(first),
                    Task::Cond(*b, yes, no, text),
                ]);
                return;
            }
            ExprKind::Conditional(c, Some(a), b) => {
                let (on_yes, on_no) = (self.code.label(), self.code.label());
                self.later([
                    Task::Cond(*c, on_yes, on_no, None),
                    Task::Mark(on_yes),
                    Task::Cond(*a, yes, no, None),
                    Task::Mark(on_no),
                    Task::Cond(*b, yes, no, None),
                ]);
                return;
            }
            ExprKind::Call(f, arguments) if !arguments.is_empty() => {
                if let ExprKind::Name(sym) = unit.expr(*f).kind
                    && unit.name(sym).starts_with("__builtin_expect")
                {
                    self.later([Task::Cond(arguments[0], yes, no, text)]);
                    return;
                }
            }
            _ => {}
        }
        if let Some(value) = self.constant(e) {
            let to = if value.truth() { yes } else { no };
            self.later([Task::Eval(e), Task::Known(to, shown)]);
            return;
        }
        if let ExprKind::Binary(op, a, b) = unit.expr(e).kind
            && let Some(relation) = relation(op)
        {
            // `!!x == 0` is not looked into any deeper than this.
            if let Some(c) = self.constant(b) {
                self.later([Task::Eval(a), Task::Test(e, a, relation, c, yes, no, shown)]);
            } else if let Some(c) = self.constant(a) {
                let relation = relation.mirrored();
                self.later([Task::Eval(b), Task::Test(e, b, relation, c, yes, no, shown)]);
            } else {
                self.later([
                    Task::Eval(a),
                    Task::Consume,
                    Task::Eval(b),
                    Task::Consume,
                    Task::Branch(e, yes, no, shown),
                ]);
            }
            return;
        }
        let zero = Value::int(0);
        self.later([Task::Eval(e), Task::Test(e, e, Relation::Ne, zero, yes, no, shown)]);
    }

    /// A comparison of the top value with a constant.
    pub(super) fn test(
        &mut self,
        e: ExprId,
        x: ExprId,
        (relation, c): (Relation, Value),
        (yes, no): (Label, Label),
        text: Text,
    ) {
        let val = self.pop();
        let known = val
            .constant
            .and_then(|value| c_types::binary(relation.operator(), value, c, &self.unit.model));
        self.consume(val);
        if let Some(known) = known {
            self.flush(text);
            self.code.push(Ins::Jump(if known.truth() { yes } else { no }));
            return;
        }
        let (mut on_yes, mut on_no) = (Vec::new(), Vec::new());
        if let Some(c) = self.tested(x, val, relation, c)
            && let Some(o) = self.value_object(val)
        {
            on_yes.push(Event::Test(o, relation, c));
            on_no.push(Event::Test(o, relation.negated(), c));
        }
        self.branch(e, (yes, on_yes), (no, on_no), text);
    }

    /// The number that an operand is compared with, if the comparison is one of the object's own value: no
    /// conversion changes it on the way, and its opposite is what its negation says.
    pub(super) fn tested(&self, x: ExprId, val: Val, relation: Relation, c: Value) -> Option<i64> {
        let model = &self.unit.model;
        let equality = matches!(relation, Relation::Eq | Relation::Ne);
        if !val.faithful {
            return None;
        }
        let number = match self.val_scalar(&val).or_else(|| self.scalar(x)) {
            // Whatever it is, conversions of operands keep what is zero.
            None => return (equality && c.number() == 0).then_some(0),
            // NaN is neither less nor greater, nor equal.
            Some(Scalar::Float(_)) => return None,
            Some(Scalar::Pointer) => c.convert(Scalar::Pointer, model)?.number(),
            Some(scalar) => {
                let common = c_types::usual(scalar, c.ty())?;
                let c = c.convert(common, model)?;
                scalar.fits(common, model).then_some(c.number())?
            }
        };
        // Compilers tell -1 as an address, too.
        let number = match number {
            n if n == (1 << model.pointer) - 1 && c.number() == -1 => -1,
            n => n,
        };
        i64::try_from(number).ok()
    }

    /// The branch itself: its ways out, with what is learnt on each.
    pub(super) fn branch(
        &mut self,
        e: ExprId,
        (yes, on_yes): (Label, Vec<Event>),
        (no, on_no): (Label, Vec<Event>),
        text: Text,
    ) {
        self.settle(text);
        let data = match self.unit.expr(e).kind {
            // What was assigned on the way is now in its target.
            ExprKind::Assign(_, left, _) => self.path(left).and_then(|o| self.held(o)),
            _ => self.value(e),
        };
        let mut draft = self.draft(text);
        let mut arms =
            vec![(yes, on_yes, data.map(When::True)), (no, on_no, data.map(When::False))];
        let unit = self.unit;
        let plain = on_one_line("", unit.slice(text.from, text.to), "");
        let mut against = opposite(unit, e);
        if text.flip {
            arms.reverse();
            let whole = self.whole(e);
            against = self.text(whole);
        }
        draft.test = Some(Box::new(Test::Condition([plain, against], text.asks)));
        self.code.push(Ins::Branch(draft, arms));
    }

    /// `_Generic`
    pub(super) fn choose(&mut self, e: ExprId) {
        // Any of the arms; the parser does not say which one the type selects.
        let ExprKind::Generic(_, arms) = &self.unit.expr(e).kind else { return };
        let text = self.whole(e);
        self.settle(text);
        let draft = self.draft(text);
        let end = self.code.label();
        let labels: Vec<Label> = arms.iter().map(|_| self.code.label()).collect();
        let ways = labels.iter().map(|&l| (l, Vec::new(), None)).collect();
        self.code.push(Ins::Branch(draft, ways));
        self.tasks.push(Task::Push(What::Other));
        self.tasks.push(Task::Mark(end));
        for (&arm, &label) in arms.iter().zip(&labels).rev() {
            let text = self.whole(arm);
            self.later([
                Task::Mark(label),
                Task::Eval(arm),
                Task::Derive,
                Task::Pop,
                Task::Flush(text),
                Task::Jump(end),
            ]);
        }
    }
}

pub(super) fn relation(op: Binary) -> Option<Relation> {
    Some(match op {
        Binary::Eq => Relation::Eq,
        Binary::Ne => Relation::Ne,
        Binary::Lt => Relation::Lt,
        Binary::Le => Relation::Le,
        Binary::Gt => Relation::Gt,
        Binary::Ge => Relation::Ge,
        _ => return None,
    })
}
