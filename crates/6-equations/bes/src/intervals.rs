//! Expressions over intervals: what a test amounts to when a number ranges over many at once.

use crate::data::{Binary, Expr, Instr, Unary, Value, binary, unary};

/// What is known of a value while a variable ranges over all numbers from some bound on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Abstract {
    pub(crate) known: Known,
    /// It may depend on that variable.
    pub(crate) varies: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    Value(Value),
    /// A number between bounds; `None` is no bound.
    Range(Option<i64>, Option<i64>),
    Nothing,
}

impl Abstract {
    pub(crate) fn of(value: Value) -> Abstract {
        Abstract { known: Known::Value(value), varies: false }
    }

    fn range(self) -> Option<(Option<i64>, Option<i64>)> {
        match self.known {
            Known::Value(Value::Int(n)) => Some((Some(n), Some(n))),
            Known::Range(low, high) => Some((low, high)),
            _ => None,
        }
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.known {
            Known::Value(Value::Bool(b)) => Some(b),
            _ => None,
        }
    }
}

impl Expr {
    /// Evaluates over what is known of the slots. A result that is a value is right for all values
    /// that the slots may have and for which it is defined.
    pub(crate) fn eval_abstract(&self, slots: &dyn Fn(u32) -> Abstract) -> Abstract {
        let nothing = Abstract { known: Known::Nothing, varies: true };
        let mut stack: Vec<Abstract> = Vec::new();
        for instr in &self.code {
            let Some(operands) = instr.operands() else { continue };
            let result = match *instr {
                Instr::Value(value) => Abstract::of(value),
                Instr::Slot(slot) => slots(slot),
                Instr::Unary(op) => {
                    let a = stack.pop().unwrap_or(nothing);
                    let known = match (a.known, a.range(), op) {
                        (Known::Value(value), _, _) => {
                            unary(op, value).map_or(Known::Nothing, Known::Value)
                        }
                        (_, Some((low, high)), Unary::Succ) => Known::Range(
                            low.and_then(|n| n.checked_add(1)),
                            high.and_then(|n| n.checked_add(1)),
                        ),
                        (_, Some((low, high)), Unary::Pred) => Known::Range(
                            low.and_then(|n| n.checked_sub(1)),
                            high.and_then(|n| n.checked_sub(1)),
                        ),
                        (_, Some((low, high)), Unary::Negate) => Known::Range(
                            high.and_then(i64::checked_neg),
                            low.and_then(i64::checked_neg),
                        ),
                        (_, Some((low, high)), Unary::ToNat | Unary::ToPos | Unary::ToInt) => {
                            Known::Range(low, high)
                        }
                        _ => Known::Nothing,
                    };
                    Abstract { known, varies: a.varies && !matches!(known, Known::Value(_)) }
                }
                Instr::Binary(op) => {
                    let b = stack.pop().unwrap_or(nothing);
                    let a = stack.pop().unwrap_or(nothing);
                    let known = binary_abstract(op, a, b);
                    let varies = (a.varies || b.varies) && !matches!(known, Known::Value(_));
                    Abstract { known, varies }
                }
                Instr::If => {
                    let no = stack.pop().unwrap_or(nothing);
                    let yes = stack.pop().unwrap_or(nothing);
                    let condition = stack.pop().unwrap_or(nothing);
                    match condition.as_bool() {
                        Some(true) => yes,
                        Some(false) => no,
                        None if yes == no => yes,
                        None => Abstract {
                            known: Known::Nothing,
                            varies: condition.varies || yes.varies || no.varies,
                        },
                    }
                }
                // The variables of binders inside are not seen here.
                _ => {
                    let from = stack.len().saturating_sub(operands);
                    stack.truncate(from);
                    nothing
                }
            };
            stack.push(result);
        }
        stack.pop().unwrap_or(nothing)
    }
}

fn binary_abstract(op: Binary, a: Abstract, b: Abstract) -> Known {
    let value = |x: Abstract| match x.known {
        Known::Value(value) => Some(value),
        _ => None,
    };
    let truth = |b: bool| Known::Value(Value::Bool(b));
    if let Some(result) = binary(op, value(a), value(b)) {
        return Known::Value(result);
    }
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.range(), b.range()) else {
        return Known::Nothing;
    };
    let below = |x: Option<i64>, y: Option<i64>| matches!((x, y), (Some(x), Some(y)) if x < y);
    let at_most = |x: Option<i64>, y: Option<i64>| matches!((x, y), (Some(x), Some(y)) if x <= y);
    let sum = |x: Option<i64>, y: Option<i64>| x?.checked_add(y?);
    let difference = |x: Option<i64>, y: Option<i64>| x?.checked_sub(y?);
    match op {
        Binary::Less if below(a_high, b_low) => truth(true),
        Binary::Less if at_most(b_high, a_low) => truth(false),
        Binary::AtMost if at_most(a_high, b_low) => truth(true),
        Binary::AtMost if below(b_high, a_low) => truth(false),
        Binary::Greater if below(b_high, a_low) => truth(true),
        Binary::Greater if at_most(a_high, b_low) => truth(false),
        Binary::AtLeast if at_most(b_high, a_low) => truth(true),
        Binary::AtLeast if below(a_high, b_low) => truth(false),
        Binary::Equal if below(a_high, b_low) || below(b_high, a_low) => truth(false),
        Binary::Unequal if below(a_high, b_low) || below(b_high, a_low) => truth(true),
        Binary::Add => Known::Range(sum(a_low, b_low), sum(a_high, b_high)),
        Binary::Subtract => Known::Range(difference(a_low, b_high), difference(a_high, b_low)),
        Binary::Min => Known::Range(
            a_low.zip(b_low).map(|(a, b)| a.min(b)),
            match (a_high, b_high) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        ),
        Binary::Max => Known::Range(
            match (a_low, b_low) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            },
            a_high.zip(b_high).map(|(a, b)| a.max(b)),
        ),
        Binary::Multiply if at_most(Some(0), a_low) && at_most(Some(0), b_low) => Known::Range(
            a_low.zip(b_low).and_then(|(a, b)| a.checked_mul(b)),
            a_high.zip(b_high).and_then(|(a, b)| a.checked_mul(b)),
        ),
        _ => Known::Nothing,
    }
}
