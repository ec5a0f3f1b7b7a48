//! Which values of a data variable can matter to a formula.
//!
//! For a variable `x` and a formula `f`, three sets of candidates, each of which may be unknown:
//! outside of *F*, `f` is false; outside of *T*, it is true; outside of *S*, it does not depend on
//! `x`. With them a quantifier over infinitely many values tries finitely many:
//!
//! OP1 (one point): `x == e` is false outside of {e}, and so is `c(x) == e` for a constructor `c`
//!     outside of the argument of `e`; `x in s` is false outside of the elements of `s`.
//! OP2 (bounds): `x < e` is false from `e` on and true below.
//! OP3: `f && g` is false outside of one F of the two, and true outside of both T; `f || g` the other
//!     way round; `!f` exchanges the two.
//! OP4: a function with one equation and no condition is replaced by its definition.
//! OP5: a quantifier over another variable changes nothing of what holds whatever that one is: no
//!     sort is empty.
//! OP6: a step with a label that fits only for some `x` is no step for the others: outside of them
//!     `[a(x)] f` is true and `<a(x)> f` is false. This one is the model's.

use crate::data::{Binary, Bound, Instr, Signature, Sort, Unary, Value, children, starts};
use crate::rewrite::{Effort, fits, run};
use crate::terms::{Term, Terms};

/// How deep definitions are replaced.
const MOST_LEVELS: u32 = 12;
/// The most numbers of a range that are listed.
const MOST_NUMBERS: i128 = 1 << 20;

/// Some values of a sort.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Candidates {
    Values(Vec<Value>),
    /// Numbers between bounds; `None` is no bound.
    Range(Option<i64>, Option<i64>),
}

impl Candidates {
    fn size(&self) -> i128 {
        match self {
            Candidates::Values(values) => values.len() as i128,
            Candidates::Range(Some(low), Some(high)) => i128::from(*high) - i128::from(*low) + 1,
            Candidates::Range(..) => i128::MAX,
        }
    }

    /// Enough for both.
    fn union(a: &Candidates, b: &Candidates) -> Option<Candidates> {
        match (a, b) {
            (Candidates::Values(x), Candidates::Values(y)) => {
                let mut all: Vec<Value> = x.iter().chain(y).copied().collect();
                all.sort_unstable();
                all.dedup();
                Some(Candidates::Values(all))
            }
            (Candidates::Range(a, b), Candidates::Range(c, d)) => {
                let low = a.zip(*c).map(|(x, y)| x.min(y));
                let high = b.zip(*d).map(|(x, y)| x.max(y));
                Some(Candidates::Range(low, high))
            }
            (Candidates::Values(values), range @ Candidates::Range(..))
            | (range @ Candidates::Range(..), Candidates::Values(values)) => {
                let mut all = range.clone();
                for value in values {
                    let Value::Int(n) = *value else { return None };
                    all = Candidates::union(&all, &Candidates::Range(Some(n), Some(n)))?;
                }
                Some(all)
            }
        }
    }

    /// What is in both.
    fn both(a: &Candidates, b: &Candidates) -> Candidates {
        match (a, b) {
            (Candidates::Range(a, b), Candidates::Range(c, d)) => {
                let low = if a.is_some() && c.is_some() { *a.max(c) } else { a.or(*c) };
                let high = match (b, d) {
                    (Some(x), Some(y)) => Some(*x.min(y)),
                    _ => b.or(*d),
                };
                Candidates::Range(low, high)
            }
            (Candidates::Values(values), Candidates::Range(low, high))
            | (Candidates::Range(low, high), Candidates::Values(values)) => {
                let inside = |value: &Value| match value {
                    Value::Int(n) => {
                        low.is_none_or(|low| low <= *n) && high.is_none_or(|high| *n <= high)
                    }
                    _ => true,
                };
                Candidates::Values(values.iter().copied().filter(inside).collect())
            }
            _ if a.size() <= b.size() => a.clone(),
            _ => b.clone(),
        }
    }

    /// The values, if they are finitely many and not too many. There is more between two bounds than
    /// whole numbers where the sort is that of fractions.
    pub(crate) fn list(&self, sort: Sort) -> Option<Vec<Value>> {
        match self {
            Candidates::Values(values) => Some(values.clone()),
            Candidates::Range(..) if !matches!(sort, Sort::Nat | Sort::Pos | Sort::Int) => None,
            Candidates::Range(low, high) => {
                let low = match (*low, sort.least()) {
                    (Some(low), Some(least)) => low.max(least),
                    (low, least) => low.or(least)?,
                };
                let high = (*high)?;
                if i128::from(high) - i128::from(low) >= MOST_NUMBERS {
                    return None;
                }
                Some((low..=high).map(Value::Int).collect())
            }
        }
    }
}

/// What is known of a formula for almost all values of a variable.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outside {
    pub(crate) falsity: Option<Candidates>,
    pub(crate) truth: Option<Candidates>,
    pub(crate) same: Option<Candidates>,
}

fn nothing() -> Option<Candidates> {
    Some(Candidates::Values(Vec::new()))
}

fn join(a: Option<&Candidates>, b: Option<&Candidates>) -> Option<Candidates> {
    Candidates::union(a?, b?)
}

fn meet(a: Option<&Candidates>, b: Option<&Candidates>) -> Option<Candidates> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Candidates::both(a, b)),
        (a, b) => a.or(b).cloned(),
    }
}

impl Outside {
    /// A constant.
    pub fn constant(value: bool) -> Outside {
        match value {
            true => Outside { truth: nothing(), ..Outside::default() },
            false => Outside { falsity: nothing(), ..Outside::default() },
        }
    }

    /// Nothing is known.
    pub fn depends() -> Outside {
        Outside::default()
    }

    /// It does not depend on the variable.
    pub fn independent() -> Outside {
        Outside { same: nothing(), ..Outside::default() }
    }

    fn one(value: Value) -> Outside {
        let falsity = Some(Candidates::Values(vec![value]));
        Outside { falsity, ..Outside::default() }
    }

    fn same(&self) -> Option<&Candidates> {
        self.same.as_ref().or(self.truth.as_ref()).or(self.falsity.as_ref())
    }

    /// OP3.
    #[must_use]
    pub fn and(&self, other: &Outside) -> Outside {
        Outside {
            falsity: meet(self.falsity.as_ref(), other.falsity.as_ref()),
            truth: join(self.truth.as_ref(), other.truth.as_ref()),
            same: join(self.same(), other.same()),
        }
    }

    /// OP3.
    #[must_use]
    pub fn or(&self, other: &Outside) -> Outside {
        self.not().and(&other.not()).not()
    }

    /// OP3.
    #[must_use]
    pub fn not(&self) -> Outside {
        let Outside { falsity, truth, same } = self.clone();
        Outside { falsity: truth, truth: falsity, same }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        self.falsity.is_none() && self.truth.is_none() && self.same.is_none()
    }

    /// What a step with such a label needs: outside of these values there is none.
    pub(crate) fn no_step(&self) -> Option<&Candidates> {
        self.falsity.as_ref()
    }

    /// A modality's value if there is a step only at some values: `rest` elsewhere.
    pub(crate) fn only_at(candidates: Candidates, rest: bool) -> Outside {
        match rest {
            true => Outside { truth: Some(candidates), ..Outside::default() },
            false => Outside { falsity: Some(candidates), ..Outside::default() },
        }
    }
}

/// The constant that a body amounts to outside of some values, and these, if they can be listed.
pub(crate) fn outside(
    signature: &Signature,
    terms: &mut Terms,
    code: &[Instr],
    slot: u32,
    sort: Sort,
    env: &[Value],
    effort: &mut Effort,
) -> Option<(bool, Vec<Value>)> {
    let mut analysis =
        Analysis { signature, terms, effort, slot, unknown: Vec::new(), level: MOST_LEVELS };
    let found = analysis.truth(code, env);
    let terms = &*analysis.terms;
    let list = |candidates: &Option<Candidates>| {
        let mut list = candidates.as_ref()?.list(sort)?;
        list.retain(|&value| fits(signature, terms, value, sort, 8));
        Some(list)
    };
    match (list(&found.truth), list(&found.falsity)) {
        (Some(t), Some(f)) if t.len() < f.len() => Some((true, t)),
        (_, Some(f)) => Some((false, f)),
        (Some(t), None) => Some((true, t)),
        (None, None) => None,
    }
}

/// The analysis of one variable.
pub(crate) struct Analysis<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) terms: &'a mut Terms,
    pub(crate) effort: &'a mut Effort,
    /// The variable.
    pub(crate) slot: u32,
    /// Variables whose values are not known, either.
    pub(crate) unknown: Vec<u32>,
    pub(crate) level: u32,
}

/// What is known of one result of postfix code.
#[derive(Clone)]
struct Item {
    out: Outside,
    mentions: bool,
    open: bool,
}

impl<'a> Analysis<'a> {
    pub(crate) fn new(
        signature: &'a Signature,
        terms: &'a mut Terms,
        effort: &'a mut Effort,
        slot: u32,
        unknown: Vec<u32>,
    ) -> Analysis<'a> {
        Analysis { signature, terms, effort, slot, unknown, level: MOST_LEVELS }
    }

    fn eval(&mut self, code: &[Instr], env: &[Value]) -> Option<Value> {
        if let [Instr::Value(value)] = code {
            return Some(*value);
        }
        run(self.signature, self.terms, code, env, self.effort)
    }

    /// Whether code mentions the variable, and whether it mentions one that is not known.
    fn mentions(&self, code: &[Instr]) -> (bool, bool) {
        let (mut mine, mut open) = (false, false);
        let mut see = |slot: u32| {
            mine |= slot == self.slot;
            open |= self.unknown.contains(&slot);
        };
        for instr in code {
            match instr {
                Instr::Slot(slot) => see(*slot),
                Instr::Bind(_, inner) | Instr::Where(inner, _) => {
                    self.signature.inner[*inner as usize].free.iter().for_each(|&s| see(s));
                }
                _ => {}
            }
        }
        (mine, open)
    }

    /// What a boolean expression amounts to.
    pub(crate) fn truth(&mut self, code: &[Instr], env: &[Value]) -> Outside {
        let starts = starts(code);
        let mut stack: Vec<Item> = Vec::new();
        for (at, &instr) in code.iter().enumerate() {
            let Some(count) = instr.operands() else { continue };
            let from = stack.len() - count;
            let operands: Vec<Item> = stack.split_off(from);
            let mut mentions = operands.iter().any(|o| o.mentions);
            let mut open = operands.iter().any(|o| o.open);
            if count == 0 {
                (mentions, open) = self.mentions(&code[at..=at]);
            }
            let part = &code[starts[at]..=at];
            let out = match instr {
                Instr::Unary(Unary::Not) => operands[0].out.not(),
                Instr::Binary(Binary::And) => operands[0].out.and(&operands[1].out),
                Instr::Binary(Binary::Or) => operands[0].out.or(&operands[1].out),
                Instr::Binary(Binary::Imply) => operands[0].out.not().or(&operands[1].out),
                Instr::If => {
                    let (c, a, b) = (&operands[0].out, &operands[1].out, &operands[2].out);
                    c.and(a).or(&c.not().and(b))
                }
                _ if !mentions && !open => match instr {
                    // Parts of comparisons are evaluated when those are met.
                    Instr::Slot(_)
                    | Instr::Value(_)
                    | Instr::Binary(
                        Binary::Equal
                        | Binary::Unequal
                        | Binary::Less
                        | Binary::AtMost
                        | Binary::Greater
                        | Binary::AtLeast
                        | Binary::In,
                    )
                    | Instr::Apply(..)
                    | Instr::Call(_)
                    | Instr::Project(_)
                    | Instr::Recognise(_)
                    | Instr::Bind(Bound::Forall | Bound::Exists, _) => match self.eval(part, env) {
                        Some(Value::Bool(value)) => Outside::constant(value),
                        _ => Outside::independent(),
                    },
                    _ => Outside::independent(),
                },
                _ if !mentions => Outside::independent(),
                Instr::Slot(_) => Outside {
                    falsity: Some(Candidates::Values(vec![Value::Bool(true)])),
                    truth: Some(Candidates::Values(vec![Value::Bool(false)])),
                    same: None,
                },
                Instr::Binary(op) => {
                    let pair = children(code, &starts, at);
                    let parts =
                        [&code[starts[pair[0]]..=pair[0]], &code[starts[pair[1]]..=pair[1]]];
                    self.comparison(op, parts, env)
                }
                Instr::Apply(function, _) => {
                    let list = children(code, &starts, at);
                    let parts: Vec<&[Instr]> =
                        list.iter().map(|&end| &code[starts[end]..=end]).collect();
                    self.defined(function, &parts, env, None)
                }
                Instr::Bind(Bound::Forall | Bound::Exists, inner) => self.inside(inner, env),
                _ => Outside::depends(),
            };
            stack.push(Item { out, mentions, open });
        }
        stack.pop().map_or_else(Outside::depends, |item| item.out)
    }

    /// OP5.
    fn inside(&mut self, inner: u32, env: &[Value]) -> Outside {
        let Some(level) = self.level.checked_sub(1) else { return Outside::depends() };
        let signature = self.signature;
        let inner = &signature.inner[inner as usize];
        let before = self.unknown.len();
        self.unknown.extend(&inner.slots);
        let level = std::mem::replace(&mut self.level, level);
        let out = self.truth(&inner.body.code, env);
        self.level = level;
        self.unknown.truncate(before);
        out
    }

    /// OP1 and OP2, for a comparison that mentions the variable.
    fn comparison(&mut self, op: Binary, parts: [&[Instr]; 2], env: &[Value]) -> Outside {
        let ground = |analysis: &Self, part: &[Instr]| analysis.mentions(part) == (false, false);
        let swapped = match op {
            Binary::Equal | Binary::Unequal => op,
            Binary::Less => Binary::Greater,
            Binary::AtMost => Binary::AtLeast,
            Binary::Greater => Binary::Less,
            Binary::AtLeast => Binary::AtMost,
            Binary::In => {
                if !ground(self, parts[1]) {
                    return Outside::depends();
                }
                let Some(set) = self.eval(parts[1], env) else { return Outside::depends() };
                return self.member(parts[0], set, env);
            }
            _ => return Outside::depends(),
        };
        let (op, pattern, other) = if ground(self, parts[1]) {
            (op, parts[0], parts[1])
        } else if ground(self, parts[0]) {
            (swapped, parts[1], parts[0])
        } else {
            return Outside::depends();
        };
        let Some(value) = self.eval(other, env) else { return Outside::depends() };
        match op {
            Binary::Equal => self.equals(pattern, value, env),
            Binary::Unequal => self.equals(pattern, value, env).not(),
            _ => self.bound(op, pattern, value, env),
        }
    }

    /// OP1: when an expression equals a value.
    pub(crate) fn equals(&mut self, code: &[Instr], value: Value, env: &[Value]) -> Outside {
        let (mentions, open) = self.mentions(code);
        if !mentions {
            if open {
                // A constructor that differs decides whatever the variables are.
                return match self.shape(code, value) {
                    Some(false) => Outside::constant(false),
                    _ => Outside::independent(),
                };
            }
            let found = self.eval(code, env);
            return match found.and_then(|found| self.terms.equal(found, value)) {
                Some(equal) => Outside::constant(equal),
                None => Outside::independent(),
            };
        }
        let Some(level) = self.level.checked_sub(1) else { return Outside::depends() };
        let level = std::mem::replace(&mut self.level, level);
        let out = self.equals_inside(code, value, env);
        self.level = level;
        out
    }

    /// Whether the outermost constructor fits.
    fn shape(&self, code: &[Instr], value: Value) -> Option<bool> {
        match (code.last()?, self.terms.get(value)) {
            (Instr::Construct(constructor, _), Some(Term::Construct(symbol, _))) => {
                let mine = self.signature.constructors[*constructor as usize].symbol;
                Some(mine == *symbol)
            }
            (Instr::Construct(..), _) => Some(false),
            (Instr::List(n), Some(Term::List(values))) => Some(values.len() == *n as usize),
            _ => None,
        }
    }

    fn equals_inside(&mut self, code: &[Instr], value: Value, env: &[Value]) -> Outside {
        let starts = starts(code);
        let Some(at) = code.len().checked_sub(1) else { return Outside::depends() };
        let list = children(code, &starts, at);
        let part = |i: usize| &code[starts[list[i]]..=list[i]];
        match code[at] {
            Instr::Slot(_) => Outside::one(value),
            Instr::Construct(..) | Instr::List(_) => {
                if self.shape(code, value) != Some(true) {
                    return Outside::constant(false);
                }
                let values = match self.terms.get(value) {
                    Some(Term::Construct(_, values) | Term::List(values)) => values.to_vec(),
                    _ => return Outside::depends(),
                };
                let mut out = Outside::constant(true);
                for (i, &value) in values.iter().enumerate() {
                    let one = self.equals(part(i), value, env);
                    out = out.and(&one);
                }
                out
            }
            Instr::Binary(Binary::Prepend) => {
                let Some(Term::List(values)) = self.terms.get(value) else {
                    return Outside::depends();
                };
                let Some((&head, tail)) = values.split_first() else {
                    return Outside::constant(false);
                };
                let tail = tail.to_vec();
                let tail = self.terms.list(tail);
                let first = self.equals(part(0), head, env);
                first.and(&self.equals(part(1), tail, env))
            }
            Instr::Unary(Unary::ToNat | Unary::ToPos | Unary::ToInt | Unary::ToReal) => {
                // The conversion has no value elsewhere: nothing is said of that.
                self.equals(part(0), value, env)
            }
            Instr::Binary(op @ (Binary::Add | Binary::Subtract)) => {
                let Some((inner, value)) = self.shifted(op, part(0), part(1), value, env) else {
                    return Outside::depends();
                };
                self.equals(inner, value, env)
            }
            Instr::Apply(function, _) => {
                let parts: Vec<&[Instr]> = (0..list.len()).map(part).collect();
                self.defined(function, &parts, env, Some(value))
            }
            Instr::Unary(Unary::Not)
            | Instr::Binary(Binary::And | Binary::Or | Binary::Imply)
            | Instr::Bind(Bound::Forall | Bound::Exists, _) => {
                let out = self.truth(code, env);
                if value == Value::Bool(true) { out } else { out.not() }
            }
            _ => Outside::depends(),
        }
    }

    /// `x + k ∘ v` as `x ∘ v - k`, `x - k ∘ v` as `x ∘ v + k`.
    fn shifted<'c>(
        &mut self,
        op: Binary,
        first: &'c [Instr],
        second: &'c [Instr],
        value: Value,
        env: &[Value],
    ) -> Option<(&'c [Instr], Value)> {
        let Value::Int(value) = value else { return None };
        let (inner, other) = match (op, self.mentions(first).0, self.mentions(second)) {
            (_, true, (false, false)) => (first, second),
            (Binary::Add, false, (true, _)) if self.mentions(first) == (false, false) => {
                (second, first)
            }
            _ => return None,
        };
        let Some(Value::Int(by)) = self.eval(other, env) else { return None };
        let value =
            if op == Binary::Add { value.checked_sub(by)? } else { value.checked_add(by)? };
        Some((inner, Value::Int(value)))
    }

    /// OP2.
    fn bound(&mut self, op: Binary, code: &[Instr], value: Value, env: &[Value]) -> Outside {
        let (mut code, mut value) = (code, value);
        loop {
            let starts = starts(code);
            let Some(at) = code.len().checked_sub(1) else { return Outside::depends() };
            let list = children(code, &starts, at);
            let part = |i: usize| &code[starts[list[i]]..=list[i]];
            match code[at] {
                Instr::Slot(slot) if slot == self.slot => break,
                Instr::Unary(Unary::ToNat | Unary::ToPos | Unary::ToInt | Unary::ToReal) => {
                    code = part(0);
                }
                Instr::Binary(inner @ (Binary::Add | Binary::Subtract)) => {
                    let (first, second) = (part(0), part(1));
                    match self.shifted(inner, first, second, value, env) {
                        Some(next) => (code, value) = next,
                        None => return Outside::depends(),
                    }
                }
                _ => return Outside::depends(),
            }
        }
        let Value::Int(n) = value else { return Outside::depends() };
        let below = |n: i64| Some(Candidates::Range(None, Some(n)));
        let above = |n: i64| Some(Candidates::Range(Some(n), None));
        let (less, least) = (n.checked_sub(1), n.checked_add(1));
        let (Some(less), Some(least)) = (less, least) else { return Outside::depends() };
        let (falsity, truth) = match op {
            Binary::Less => (below(less), above(n)),
            Binary::AtMost => (below(n), above(least)),
            Binary::Greater => (above(least), below(n)),
            _ => (above(n), below(less)),
        };
        Outside { falsity, truth, same: None }
    }

    /// OP1, for membership.
    fn member(&mut self, pattern: &[Instr], set: Value, env: &[Value]) -> Outside {
        let (but, elements) = match self.terms.get(set) {
            Some(Term::Set { but, elements }) => (*but, elements.to_vec()),
            Some(Term::List(elements)) => (false, elements.to_vec()),
            Some(Term::Bag(pairs)) => (false, pairs.iter().map(|&(v, _)| v).collect()),
            Some(Term::SetOf(function)) if *pattern == [Instr::Slot(self.slot)] => {
                let Some(Term::Lambda(inner, captured)) = self.terms.get(*function) else {
                    return Outside::depends();
                };
                let (inner, captured) = (*inner, captured.clone());
                let Some(level) = self.level.checked_sub(1) else { return Outside::depends() };
                let signature = self.signature;
                let inner = &signature.inner[inner as usize];
                let mut inside = vec![Value::Bool(false); inner.size as usize];
                for (&slot, &value) in inner.free.iter().zip(captured.iter()) {
                    inside[slot as usize] = value;
                }
                let (slot, unknown) = (self.slot, std::mem::take(&mut self.unknown));
                let level = std::mem::replace(&mut self.level, level);
                self.slot = inner.slots[0];
                let out = self.truth(&inner.body.code, &inside);
                (self.slot, self.unknown, self.level) = (slot, unknown, level);
                return out;
            }
            _ => return Outside::depends(),
        };
        let mut out = Outside::constant(false);
        for value in elements {
            let one = self.equals(pattern, value, env);
            out = out.or(&one);
        }
        if but { out.not() } else { out }
    }

    /// OP4: a function by its definition; compared with a value, if there is one.
    fn defined(
        &mut self,
        function: u32,
        parts: &[&[Instr]],
        env: &[Value],
        value: Option<Value>,
    ) -> Outside {
        let Some(level) = self.level.checked_sub(1) else { return Outside::depends() };
        let signature = self.signature;
        let [equation] = &signature.functions[function as usize].equations[..] else {
            return Outside::depends();
        };
        let Some(slots) = equation.definition().filter(|slots| slots.len() == parts.len()) else {
            return Outside::depends();
        };
        let mut inside = vec![Value::Bool(false); equation.slots.len()];
        let (mut mine, mut unknown) = (None, Vec::new());
        for (&slot, part) in slots.iter().zip(parts) {
            match (self.mentions(part), part) {
                ((false, false), _) => match self.eval(part, env) {
                    Some(value) => inside[slot as usize] = value,
                    None => return Outside::depends(),
                },
                ((false, true), _) => unknown.push(slot),
                (_, [Instr::Slot(_)]) if mine.is_none() => mine = Some(slot),
                _ => return Outside::depends(),
            }
        }
        let Some(mine) = mine else { return Outside::depends() };
        let before = (self.slot, std::mem::replace(&mut self.unknown, unknown), self.level);
        (self.slot, self.level) = (mine, level);
        let out = match value {
            Some(value) => self.equals(&equation.result.code, value, &inside),
            None => self.truth(&equation.result.code, &inside),
        };
        (self.slot, self.unknown, self.level) = before;
        out
    }
}
