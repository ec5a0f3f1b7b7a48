//! Action formulas as code, run on labels.

use bes::data::{Expr, Sort, Value};
use source::Span;

use crate::mu::{Action, Offer, SyntaxError, SyntaxErrorKind};
use crate::regexp::Regexp;

/// A label, taken apart.
pub(crate) struct Parsed {
    pub(crate) text: String,
    pub(crate) gate: String,
    pub(crate) values: Vec<Value>,
    pub(crate) internal: bool,
}

#[derive(Clone, Debug)]
enum Instr {
    Constant(bool),
    Tau,
    Label(String),
    Regexp(Regexp),
    Gate {
        gate: String,
        offers: Vec<Offer>,
        more: bool,
        guard: Option<Expr>,
    },
    Val(Expr),
    Not,
    And,
    Or,
    Imply,
    Equal,
    /// Starts a loop over the values of a slot; `end` is its last step.
    Begin {
        all: bool,
        slot: u32,
        end: u32,
    },
    End,
}

/// An action formula, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    instrs: Vec<Instr>,
    /// Slots it reads from outside.
    pub(crate) reads: Vec<u32>,
    /// Slots it binds.
    pub(crate) binds: Vec<u32>,
}

/// The values of a sort, for quantifiers; `None`: numbers without end.
pub(crate) type Domains<'a> = dyn Fn(Sort) -> Option<Vec<Value>> + 'a;

impl Code {
    /// Compiles an action formula of an arena.
    pub(crate) fn new(
        actions: &[Action],
        root: u32,
        sort: &dyn Fn(u32) -> Sort,
    ) -> Result<Code, SyntaxError> {
        enum Task {
            Visit(u32),
            Emit(Instr),
            End(u32),
        }
        let mut instrs = Vec::new();
        let mut begins: Vec<u32> = Vec::new();
        let (mut reads, mut binds, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            let node = match task {
                Task::Visit(node) => node,
                Task::Emit(instr) => {
                    instrs.push(instr);
                    continue;
                }
                Task::End(count) => {
                    for _ in 0..count {
                        let at = instrs.len() as u32;
                        instrs.push(Instr::End);
                        let begin = begins.pop().expect("every end has a beginning");
                        if let Instr::Begin { end, .. } = &mut instrs[begin as usize] {
                            *end = at;
                        }
                    }
                    continue;
                }
            };
            let (op, first, second) = match &actions[node as usize] {
                Action::Constant(value) => {
                    instrs.push(Instr::Constant(*value));
                    continue;
                }
                Action::Tau => {
                    instrs.push(Instr::Tau);
                    continue;
                }
                Action::Label(text) => {
                    instrs.push(Instr::Label(text.clone()));
                    continue;
                }
                Action::Regexp(regexp) => {
                    instrs.push(Instr::Regexp(regexp.clone()));
                    continue;
                }
                Action::Val(expr) => {
                    reads.extend(expr.slots());
                    instrs.push(Instr::Val(expr.clone()));
                    continue;
                }
                Action::Gate { gate, offers, more, guard } => {
                    for offer in offers {
                        match offer {
                            Offer::Send(expr) => reads.extend(expr.slots()),
                            Offer::Receive(slot) => binds.push(*slot),
                        }
                    }
                    reads.extend(guard.iter().flat_map(Expr::slots));
                    let (gate, offers, guard) = (gate.clone(), offers.clone(), guard.clone());
                    instrs.push(Instr::Gate { gate, offers, more: *more, guard });
                    continue;
                }
                Action::Quantifier { all, slots, body } => {
                    for &slot in slots {
                        if sort(slot).is_number() {
                            numbers_only_in_offers(actions, *body, slot)?;
                        }
                        inner.push(slot);
                        begins.push(instrs.len() as u32);
                        instrs.push(Instr::Begin { all: *all, slot, end: 0 });
                    }
                    tasks.push(Task::End(slots.len() as u32));
                    tasks.push(Task::Visit(*body));
                    continue;
                }
                Action::Not(a) => {
                    tasks.push(Task::Emit(Instr::Not));
                    tasks.push(Task::Visit(*a));
                    continue;
                }
                Action::And(a, b) => (Instr::And, a, b),
                Action::Or(a, b) => (Instr::Or, a, b),
                Action::Imply(a, b) => (Instr::Imply, a, b),
                Action::Equal(a, b) => (Instr::Equal, a, b),
            };
            tasks.push(Task::Emit(op));
            tasks.push(Task::Visit(*second));
            tasks.push(Task::Visit(*first));
        }
        reads.retain(|slot| !binds.contains(slot) && !inner.contains(slot));
        reads.sort_unstable();
        reads.dedup();
        Ok(Code { instrs, reads, binds })
    }

    /// Whether the answer depends on the label alone.
    pub(crate) fn is_closed(&self) -> bool {
        self.reads.is_empty() && self.binds.is_empty()
    }

    /// Whether a label fits; binds slots on the way. `None` where a test has no value; an offer or a
    /// condition without one does not fit.
    pub(crate) fn matches(
        &self,
        label: &Parsed,
        slots: &mut [Value],
        sort: &dyn Fn(u32) -> Sort,
        domains: &Domains<'_>,
    ) -> Option<bool> {
        struct Loop {
            all: bool,
            slot: u32,
            begin: usize,
            values: Vec<Value>,
            next: usize,
        }
        let mut stack: Vec<bool> = Vec::with_capacity(8);
        let mut loops: Vec<Loop> = Vec::new();
        let mut at = 0;
        while let Some(instr) = self.instrs.get(at) {
            at += 1;
            let value = match instr {
                Instr::Constant(value) => *value,
                Instr::Tau => label.internal,
                Instr::Label(text) => label.text == *text,
                Instr::Regexp(regexp) => regexp.matches(&label.text),
                Instr::Val(expr) => expr.eval(slots)? == Value::Bool(true),
                Instr::Gate { gate, offers, more, guard } => {
                    label.gate == *gate
                        && (offers.len() == label.values.len()
                            || (*more && offers.len() < label.values.len()))
                        && offers.iter().zip(&label.values).all(|(offer, &value)| match offer {
                            Offer::Send(expr) => expr.eval(slots) == Some(value),
                            Offer::Receive(slot) => {
                                let fits = in_sort(value, sort(*slot), domains);
                                if fits {
                                    slots[*slot as usize] = value;
                                }
                                fits
                            }
                        })
                        && guard.as_ref().is_none_or(|e| e.eval(slots) == Some(Value::Bool(true)))
                }
                Instr::Not => !stack.pop().unwrap_or(false),
                Instr::And | Instr::Or | Instr::Imply | Instr::Equal => {
                    let b = stack.pop().unwrap_or(false);
                    let a = stack.pop().unwrap_or(false);
                    match instr {
                        Instr::And => a && b,
                        Instr::Or => a || b,
                        Instr::Imply => !a || b,
                        _ => a == b,
                    }
                }
                Instr::Begin { all, slot, end } => {
                    let values =
                        domains(sort(*slot)).unwrap_or_else(|| numbers(&label.values, sort(*slot)));
                    match values.first() {
                        None => {
                            at = *end as usize + 1;
                            *all
                        }
                        Some(&first) => {
                            slots[*slot as usize] = first;
                            loops.push(Loop { all: *all, slot: *slot, begin: at, values, next: 1 });
                            continue;
                        }
                    }
                }
                Instr::End => {
                    let value = stack.pop().unwrap_or(false);
                    let Some(top) = loops.last_mut() else { continue };
                    if value == top.all
                        && let Some(&next) = top.values.get(top.next)
                    {
                        top.next += 1;
                        slots[top.slot as usize] = next;
                        at = top.begin;
                        continue;
                    }
                    loops.pop();
                    value
                }
            };
            stack.push(value);
        }
        stack.pop()
    }
}

fn in_sort(value: Value, sort: Sort, domains: &Domains<'_>) -> bool {
    match (value, sort) {
        (Value::Bool(_), Sort::Bool) | (Value::Int(_), Sort::Int) => true,
        (Value::Int(n), Sort::Nat) => n >= 0,
        (Value::Int(n), Sort::Pos) => n >= 1,
        (Value::Symbol(_), Sort::Var) => true,
        (Value::Symbol(_), Sort::Enum(_)) => {
            domains(sort).is_some_and(|values| values.contains(&value))
        }
        _ => false,
    }
}

/// The numbers of a label, and one that is none of them and stands for all others.
///
/// Exact where a quantified number is only compared with a label's values.
pub(crate) fn numbers(label: &[Value], sort: Sort) -> Vec<Value> {
    let least = sort.least().unwrap_or(i64::MIN);
    let mut values: Vec<i64> = label
        .iter()
        .filter_map(|value| match value {
            Value::Int(n) if *n >= least => Some(*n),
            _ => None,
        })
        .collect();
    values.sort_unstable();
    values.dedup();
    let mut other = sort.least().unwrap_or(0);
    while values.binary_search(&other).is_ok() {
        other += 1;
    }
    values.push(other);
    values.into_iter().map(Value::Int).collect()
}

/// Refuses what `numbers` is not exact for.
fn numbers_only_in_offers(actions: &[Action], root: u32, slot: u32) -> Result<(), SyntaxError> {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        let uses = |expr: &Expr| expr.slots().any(|s| s == slot);
        let bad = match &actions[node as usize] {
            Action::Val(expr) => uses(expr),
            Action::Gate { offers, guard, .. } => guard.as_ref().is_some_and(uses)
                || offers.iter().any(
                    |offer| matches!(offer, Offer::Send(e) if uses(e) && e.as_slot() != Some(slot)),
                ),
            Action::Not(a) | Action::Quantifier { body: a, .. } => {
                stack.push(*a);
                false
            }
            Action::And(a, b) | Action::Or(a, b) | Action::Imply(a, b) | Action::Equal(a, b) => {
                stack.extend([*a, *b]);
                false
            }
            _ => false,
        };
        if bad {
            let what = "a number that an action formula quantifies over and calculates with";
            let kind = SyntaxErrorKind::Unsupported(what.to_owned());
            return Err(SyntaxError::new(kind, Span::new(0, 0)));
        }
    }
    Ok(())
}
