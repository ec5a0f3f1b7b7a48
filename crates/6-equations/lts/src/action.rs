//! Action formulas as code, run on labels.

use bes::data::{Expr, Signature, Sort, Value};
use bes::param::Outside;
use bes::rewrite::Data;

use crate::mu::{Action, Offer};
use crate::regexp::Regexp;

/// A label, taken apart.
pub(crate) struct Parsed {
    pub(crate) text: String,
    pub(crate) gate: String,
    pub(crate) values: Vec<Value>,
    /// The actions of a label that has several.
    pub(crate) several: Vec<(String, Vec<Value>)>,
    pub(crate) internal: bool,
}

/// Why there is no answer.
pub(crate) enum NoAnswer {
    /// A test or an offer has no value.
    Undefined,
    /// Nothing bounds a quantifier, over this slot.
    Unbounded(u32),
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
    Multi(Vec<(String, Vec<Expr>)>),
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

/// The most values of a sort that a quantifier takes without a look at what it asks.
const FEW: usize = 16;
/// The most actions at once that are matched in every order.
const MOST_AT_ONCE: usize = 5;

impl Code {
    /// Compiles an action formula of an arena.
    pub(crate) fn new(actions: &[Action], root: u32, signature: &Signature) -> Code {
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
                    reads.extend(expr.slots(signature));
                    instrs.push(Instr::Val(expr.clone()));
                    continue;
                }
                Action::Gate { gate, offers, more, guard } => {
                    for offer in offers {
                        match offer {
                            Offer::Send(expr) => reads.extend(expr.slots(signature)),
                            Offer::Receive(slot) => binds.push(*slot),
                            Offer::Any => {}
                        }
                    }
                    reads.extend(guard.iter().flat_map(|e| e.slots(signature)));
                    let (gate, offers, guard) = (gate.clone(), offers.clone(), guard.clone());
                    instrs.push(Instr::Gate { gate, offers, more: *more, guard });
                    continue;
                }
                Action::Multi(parts) => {
                    let all = parts.iter().flat_map(|(_, values)| values);
                    reads.extend(all.flat_map(|e| e.slots(signature)));
                    instrs.push(Instr::Multi(parts.clone()));
                    continue;
                }
                Action::Quantifier { all, slots, body } => {
                    for &slot in slots {
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
        Code { instrs, reads, binds }
    }

    /// Whether a slot is compared with values of labels, and nothing else is done with it.
    pub(crate) fn only_compares(&self, slot: u32, signature: &Signature) -> bool {
        let uses = |e: &Expr| e.slots(signature).any(|s| s == slot);
        let compared = |e: &Expr| e.as_slot() == Some(slot) || !uses(e);
        self.instrs.iter().all(|instr| match instr {
            Instr::Gate { offers, guard, .. } => {
                let offer = |offer: &Offer| !matches!(offer, Offer::Send(e) if !compared(e));
                offers.iter().all(offer) && !guard.as_ref().is_some_and(uses)
            }
            Instr::Multi(parts) => parts.iter().all(|(_, values)| values.iter().all(compared)),
            Instr::Val(expr) => !uses(expr),
            _ => true,
        })
    }

    /// Whether the answer depends on the label alone.
    pub(crate) fn is_closed(&self) -> bool {
        self.reads.is_empty() && self.binds.is_empty()
    }

    /// Whether it is worth while to remember its answers: it quantifies, or calculates.
    pub(crate) fn is_costly(&self) -> bool {
        self.instrs.iter().any(|instr| match instr {
            Instr::Begin { .. } | Instr::Val(_) | Instr::Multi(_) => true,
            Instr::Gate { offers, .. } => {
                offers.iter().any(|offer| matches!(offer, Offer::Send(e) if e.is_rich()))
            }
            _ => false,
        })
    }

    /// Whether a label fits; binds slots on the way. An offer or a condition without a value does
    /// not fit, unless equations of a data specification were to give it.
    pub(crate) fn matches(
        &self,
        label: &Parsed,
        slots: &mut [Value],
        sort: &dyn Fn(u32) -> Sort,
        data: &mut Data,
        variables: &[Value],
    ) -> Result<bool, NoAnswer> {
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
                Instr::Val(expr) => match data.eval(expr, slots) {
                    Some(value) => value == Value::Bool(true),
                    None => return Err(NoAnswer::Undefined),
                },
                Instr::Gate { gate, offers, more, guard } => {
                    let fits = label.gate == *gate
                        && (offers.len() == label.values.len()
                            || (*more && offers.len() < label.values.len()));
                    fits && self.offers(label, offers, guard.as_ref(), slots, sort, data)?
                }
                Instr::Multi(parts) => several(label, parts, slots, data)?,
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
                    let range = (at, *end as usize);
                    let found =
                        self.domain(label, (*slot, *all), range, slots, sort, data, variables)?;
                    match found {
                        Domain::Decided(value) => {
                            at = *end as usize + 1;
                            value
                        }
                        Domain::Values(values) => match values.first() {
                            None => {
                                at = *end as usize + 1;
                                *all
                            }
                            Some(&first) => {
                                let (all, slot) = (*all, *slot);
                                slots[slot as usize] = first;
                                loops.push(Loop { all, slot, begin: at, values, next: 1 });
                                continue;
                            }
                        },
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
        Ok(stack.pop().unwrap_or(false))
    }

    fn offers(
        &self,
        label: &Parsed,
        offers: &[Offer],
        guard: Option<&Expr>,
        slots: &mut [Value],
        sort: &dyn Fn(u32) -> Sort,
        data: &mut Data,
    ) -> Result<bool, NoAnswer> {
        for (offer, &value) in offers.iter().zip(&label.values) {
            let fits = match offer {
                Offer::Send(expr) => equal(expr, value, slots, data)?,
                Offer::Any => true,
                Offer::Receive(slot) => {
                    let fits = data.fits(value, sort(*slot));
                    if fits {
                        slots[*slot as usize] = value;
                    }
                    fits
                }
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(guard.is_none_or(|e| data.eval(e, slots) == Some(Value::Bool(true))))
    }

    /// The values that a quantifier must try on a label; `range` is the code that it is over.
    #[allow(clippy::too_many_arguments)]
    fn domain(
        &self,
        label: &Parsed,
        (slot, all): (u32, bool),
        (from, to): (usize, usize),
        slots: &mut [Value],
        sort: &dyn Fn(u32) -> Sort,
        data: &mut Data,
        variables: &[Value],
    ) -> Result<Domain, NoAnswer> {
        let of = sort(slot);
        let listed = match of {
            Sort::Var => Some(variables.to_vec()),
            _ => data.values(of),
        };
        if let Some(values) = &listed
            && (values.len() <= FEW || of == Sort::Var)
        {
            return Ok(Domain::Values(values.clone()));
        }
        let out = self.outside(label, (slot, &[]), (from, to), slots, sort, data);
        if let Some(values) = data.exceptions(&out, all, of) {
            return Ok(Domain::Values(values));
        }
        if let Some(values) = listed {
            return Ok(Domain::Values(values));
        }
        if data.is_infinite(of) && data.exceptions(&out, !all, of).is_some() {
            return Ok(Domain::Decided(!all));
        }
        Err(NoAnswer::Unbounded(slot))
    }

    /// For which values of a slot a label fits the whole formula.
    pub(crate) fn whole_outside(
        &self,
        label: &Parsed,
        about: (u32, &[u32]),
        slots: &mut [Value],
        sort: &dyn Fn(u32) -> Sort,
        data: &mut Data,
    ) -> Outside {
        self.outside(label, about, (0, self.instrs.len()), slots, sort, data)
    }

    /// For which values of a slot a label fits the part of the code, `unknown` slots aside.
    fn outside(
        &self,
        label: &Parsed,
        (slot, unknown): (u32, &[u32]),
        (from, to): (usize, usize),
        slots: &mut [Value],
        sort: &dyn Fn(u32) -> Sort,
        data: &mut Data,
    ) -> Outside {
        let mut unknown = unknown.to_vec();
        let mut stack: Vec<Outside> = Vec::new();
        for instr in &self.instrs[from..to] {
            let mut pop = || stack.pop().unwrap_or_else(Outside::depends);
            let out = match instr {
                Instr::Constant(value) => Outside::constant(*value),
                Instr::Tau => Outside::constant(label.internal),
                Instr::Label(text) => Outside::constant(label.text == *text),
                Instr::Regexp(regexp) => Outside::constant(regexp.matches(&label.text)),
                Instr::Val(expr) => data.truth_outside(expr, (slot, &unknown), slots),
                Instr::Gate { gate, offers, more, guard } => {
                    let fits = label.gate == *gate
                        && (offers.len() == label.values.len()
                            || (*more && offers.len() < label.values.len()));
                    let mut out = Outside::constant(fits);
                    if fits {
                        for (offer, &value) in offers.iter().zip(&label.values) {
                            let one = match offer {
                                Offer::Send(expr) => {
                                    data.equal_outside(expr, value, (slot, &unknown), slots)
                                }
                                Offer::Any => Outside::constant(true),
                                Offer::Receive(bound) => {
                                    slots[*bound as usize] = value;
                                    Outside::constant(data.fits(value, sort(*bound)))
                                }
                            };
                            out = out.and(&one);
                        }
                        if let Some(guard) = guard {
                            out = out.and(&data.truth_outside(guard, (slot, &unknown), slots));
                        }
                    }
                    out
                }
                Instr::Multi(parts) => {
                    let mut out = Outside::constant(false);
                    match orders(label, parts) {
                        None => out = Outside::depends(),
                        Some(orders) => {
                            for order in orders {
                                let mut one = Outside::constant(true);
                                for ((_, exprs), at) in parts.iter().zip(order) {
                                    let values = &label.several[at].1;
                                    for (expr, &value) in exprs.iter().zip(values) {
                                        let about = (slot, &unknown[..]);
                                        let fits = data.equal_outside(expr, value, about, slots);
                                        one = one.and(&fits);
                                    }
                                }
                                out = out.or(&one);
                            }
                        }
                    }
                    out
                }
                Instr::Not => pop().not(),
                Instr::And | Instr::Or | Instr::Imply | Instr::Equal => {
                    let (b, a) = (pop(), pop());
                    match instr {
                        Instr::And => a.and(&b),
                        Instr::Or => a.or(&b),
                        Instr::Imply => a.not().or(&b),
                        _ => a.and(&b).or(&a.not().and(&b.not())),
                    }
                }
                // What holds whatever the value is holds for all and for one: no sort is empty,
                // but that of names may be.
                Instr::Begin { slot: inner, .. } => {
                    if sort(*inner) == Sort::Var {
                        return Outside::depends();
                    }
                    unknown.push(*inner);
                    continue;
                }
                Instr::End => continue,
            };
            stack.push(out);
        }
        stack.pop().unwrap_or_else(Outside::depends)
    }
}

/// What a quantifier must try.
enum Domain {
    Values(Vec<Value>),
    Decided(bool),
}

/// Whether an expression has a label's value.
fn equal(expr: &Expr, value: Value, slots: &[Value], data: &mut Data) -> Result<bool, NoAnswer> {
    match data.eval(expr, slots) {
        Some(found) => data.equal(found, value).ok_or(NoAnswer::Undefined),
        None if expr.is_rich() => Err(NoAnswer::Undefined),
        None => Ok(false),
    }
}

/// The orders in which parts of a multi-action may be those of a label, by gates and numbers of
/// values; `None` if they are too many to list.
fn orders(label: &Parsed, parts: &[(String, Vec<Expr>)]) -> Option<Vec<Vec<usize>>> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    if label.several.len() != parts.len() {
        return Some(Vec::new());
    }
    if parts.len() > MOST_AT_ONCE {
        return None;
    }
    for (gate, exprs) in parts {
        let mut longer = Vec::new();
        for row in &rows {
            for (i, (name, values)) in label.several.iter().enumerate() {
                if name == gate && values.len() == exprs.len() && !row.contains(&i) {
                    let mut next = row.clone();
                    next.push(i);
                    longer.push(next);
                }
            }
        }
        rows = longer;
    }
    Some(rows)
}

/// Whether a label has these actions at once, in any order.
fn several(
    label: &Parsed,
    parts: &[(String, Vec<Expr>)],
    slots: &[Value],
    data: &mut Data,
) -> Result<bool, NoAnswer> {
    if label.several.len() != parts.len() {
        return Ok(false);
    }
    // Equal actions may stand for each other: each part takes the first that is left.
    let mut left: Vec<bool> = vec![true; parts.len()];
    for (gate, exprs) in parts {
        let mut found = None;
        for (i, (name, values)) in label.several.iter().enumerate() {
            if !left[i] || name != gate || values.len() != exprs.len() {
                continue;
            }
            let mut fits = true;
            for (expr, &value) in exprs.iter().zip(values) {
                fits = fits && equal(expr, value, slots, data)?;
            }
            if fits {
                found = Some(i);
                break;
            }
        }
        match found {
            Some(i) => left[i] = false,
            None => return Ok(false),
        }
    }
    Ok(true)
}
