//! Values of expressions, by innermost rewriting.
//!
//! W1: arguments first; a function on values is replaced by the right-hand side of the first of its
//!     equations that matches and whose condition holds.
//! W2: `if` and the connectives evaluate what they need, the left operand first.
//! W3: a quantifier inside data tries the values that can matter ([`one_point`](crate::one_point)).
//! W4: what no equation matches has no value, and neither has what contains it, unless W2 does
//!     not need it.
//!
//! The machine has a stack of its own: no depth of calls costs the call stack. Steps are counted;
//! what takes too many of them has no value either, and the caller is told.

use crate::data::{Binary, Bound, Expr, Instr, Signature, Sort, Value, decides};
use crate::expr::Names;
use crate::one_point::{Analysis, Outside};
use crate::operators::{apply_binary, apply_unary};
use crate::sorts::{Composite, Equation, Inner, Pattern};
use crate::terms::{Term, Terms};

/// Steps that the value of one expression may take.
const MOST_STEPS: u64 = 2_000_000;
/// How deep evaluations may need others: sets by conditions inside of such sets, and so on.
const MOST_DEPTH: u32 = 60;
/// The most values of a sort that are listed.
pub(crate) const MOST_VALUES: usize = 1 << 16;

/// Structured values, and what the names of sorts and functions mean.
#[derive(Default)]
pub struct Data {
    /// Names of values, sorts and functions.
    pub signature: Signature,
    /// The structured values so far.
    pub terms: Terms,
    /// The last evaluation without a value took too many steps.
    pub exhausted: bool,
}

impl Data {
    /// With these names, and no structured values yet.
    pub fn new(signature: Signature) -> Data {
        Data { signature, terms: Terms::default(), exhausted: false }
    }

    /// The value of an expression, where it has one.
    pub fn eval(&mut self, expr: &Expr, slots: &[Value]) -> Option<Value> {
        if let Some(value) = expr.eval(slots) {
            return Some(value);
        }
        let mut effort = Effort::new();
        let value = run(&self.signature, &mut self.terms, &expr.code, slots, &mut effort);
        self.exhausted = effort.steps == 0;
        value
    }

    /// A value as text.
    pub fn show(&self, value: Value) -> String {
        self.terms.show(&self.signature, value)
    }

    /// All values of a sort, if they are finitely many and not too many.
    pub fn values(&mut self, sort: Sort) -> Option<Vec<Value>> {
        values(&self.signature, &mut self.terms, sort, 8)
    }

    /// The value that a text in a label denotes: `true`, a number, a name, or an expression. Text
    /// that cannot be read is equal to nothing that is known.
    pub fn read(&mut self, text: &str) -> Value {
        let simple = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_'-.@#$".contains(&b));
        let declared = self.signature.functions.iter().any(|f| f.name == text);
        let signed = text.strip_prefix('+').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        if simple && !declared || signed || matches!(text, "TRUE" | "FALSE") {
            return self.signature.read(text);
        }
        let spelled = |byte: u8| text.as_bytes().first() == Some(&byte);
        if !self.signature.is_rich() && !spelled(b'[') && !spelled(b'{') {
            return self.signature.read(text);
        }
        let open = self.signature.declared.is_empty();
        let signature = std::mem::take(&mut self.signature);
        let mut names = Names::of(signature, open);
        let read = names.whole(text);
        self.signature = names.signature;
        let value = read.ok().and_then(|expr| self.eval(&expr, &[]));
        value.unwrap_or_else(|| {
            let symbol = self.signature.symbol(text);
            self.terms.intern(Term::Opaque(symbol))
        })
    }

    /// Whether two values are equal, where that is known.
    pub fn equal(&self, a: Value, b: Value) -> Option<bool> {
        self.terms.equal(a, b)
    }

    /// For which values of a slot a boolean expression can hold, or fail; those of `unknown` are not
    /// known.
    pub fn truth_outside(
        &mut self,
        expr: &Expr,
        (slot, unknown): (u32, &[u32]),
        slots: &[Value],
    ) -> Outside {
        let mut effort = Effort::new();
        let unknown = unknown.to_vec();
        Analysis::new(&self.signature, &mut self.terms, &mut effort, slot, unknown)
            .truth(&expr.code, slots)
    }

    /// For which values of a slot an expression can be equal to a value.
    pub fn equal_outside(
        &mut self,
        expr: &Expr,
        value: Value,
        (slot, unknown): (u32, &[u32]),
        slots: &[Value],
    ) -> Outside {
        let mut effort = Effort::new();
        let unknown = unknown.to_vec();
        Analysis::new(&self.signature, &mut self.terms, &mut effort, slot, unknown)
            .equals(&expr.code, value, slots)
    }

    /// The values of a sort outside of which the answer is `rest`, if they can be listed.
    pub fn exceptions(&self, out: &Outside, rest: bool, sort: Sort) -> Option<Vec<Value>> {
        let candidates = if rest { &out.truth } else { &out.falsity };
        let mut list = candidates.as_ref()?.list(sort)?;
        list.retain(|&value| self.fits(value, sort));
        Some(list)
    }

    /// Whether a sort has infinitely many values, as far as that is known.
    pub fn is_infinite(&self, sort: Sort) -> bool {
        infinite(&self.signature, sort, 8)
    }

    /// Whether a value is one of a sort.
    pub fn fits(&self, value: Value, sort: Sort) -> bool {
        fits(&self.signature, &self.terms, value, sort, 8)
    }
}

/// What an evaluation may still take.
pub(crate) struct Effort {
    pub(crate) steps: u64,
    pub(crate) depth: u32,
}

impl Effort {
    pub(crate) fn new() -> Effort {
        Effort { steps: MOST_STEPS, depth: MOST_DEPTH }
    }
}

/// Whether a sort has infinitely many values, as far as that is known.
fn infinite(signature: &Signature, sort: Sort, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match sort {
        Sort::Nat | Sort::Pos | Sort::Int | Sort::Real => true,
        Sort::Enum(e) => {
            let mut fields =
                signature.constructors.iter().filter(|c| c.sort == e).flat_map(|c| &c.fields);
            fields.any(|&field| field == sort || infinite(signature, field, depth))
        }
        Sort::Of(_) => match signature.as_composite(sort) {
            Some(Composite::List(_) | Composite::Bag(_)) => true,
            Some(Composite::Set(of)) => infinite(signature, *of, depth),
            Some(Composite::Function(_, range)) => infinite(signature, *range, depth),
            None => false,
        },
        Sort::Bool | Sort::Var | Sort::Unknown => false,
    }
}

/// Whether a value is one of a sort; elements of collections are looked at to a limit.
pub(crate) fn fits(
    signature: &Signature,
    terms: &Terms,
    value: Value,
    sort: Sort,
    depth: u32,
) -> bool {
    if depth == 0 {
        return true;
    }
    let all = |values: &[Value], of: Sort| {
        values.iter().all(|&v| fits(signature, terms, v, of, depth - 1))
    };
    match (sort, value, terms.get(value)) {
        (Sort::Unknown, ..) | (Sort::Bool, Value::Bool(_), _) | (Sort::Int, Value::Int(_), _) => {
            true
        }
        (Sort::Nat, Value::Int(n), _) => n >= 0,
        (Sort::Pos, Value::Int(n), _) => n >= 1,
        (Sort::Real, ..) => terms.fraction(value).is_some(),
        (Sort::Var, Value::Symbol(_), _) => true,
        (Sort::Enum(e), Value::Symbol(symbol), _) => {
            signature.enumerations[e as usize].elements.contains(&symbol)
        }
        (Sort::Enum(e), _, Some(Term::Construct(symbol, values))) => {
            let found = signature.constructors.iter().find(|c| c.symbol == *symbol && c.sort == e);
            found.is_some_and(|c| {
                c.fields.len() == values.len()
                    && c.fields
                        .iter()
                        .zip(values.iter())
                        .all(|(&of, &v)| fits(signature, terms, v, of, depth - 1))
            })
        }
        (Sort::Of(_), _, Some(term)) => match (signature.as_composite(sort), term) {
            (Some(Composite::List(of)), Term::List(values)) => all(values, *of),
            (Some(Composite::Set(of)), Term::Set { elements, .. }) => all(elements, *of),
            (Some(Composite::Bag(of)), Term::Bag(pairs)) => {
                pairs.iter().all(|&(v, _)| fits(signature, terms, v, *of, depth - 1))
            }
            (Some(Composite::Set(_)), Term::List(_) | Term::Bag(_) | Term::Construct(..)) => false,
            (Some(Composite::Set(_)), _) => true,
            (
                Some(Composite::Function(..)),
                Term::Lambda(..) | Term::Partial(..) | Term::Update(..),
            ) => true,
            _ => false,
        },
        _ => false,
    }
}

/// All values of a sort, if they are finitely many and not too many.
pub(crate) fn values(
    signature: &Signature,
    terms: &mut Terms,
    sort: Sort,
    depth: u32,
) -> Option<Vec<Value>> {
    let depth = depth.checked_sub(1)?;
    match sort {
        Sort::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Sort::Enum(e) => {
            let mut out = Vec::new();
            for constructor in signature.constructors.iter().filter(|c| c.sort == e) {
                let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
                for &field in &constructor.fields {
                    let values = values(signature, terms, field, depth)?;
                    if rows.len() * values.len() > MOST_VALUES {
                        return None;
                    }
                    let longer = |row: &Vec<Value>, v: Value| {
                        row.iter().copied().chain([v]).collect::<Vec<Value>>()
                    };
                    rows = rows
                        .iter()
                        .flat_map(|row| values.iter().map(move |&v| longer(row, v)))
                        .collect();
                }
                for row in rows {
                    out.push(match row.is_empty() {
                        true => Value::Symbol(constructor.symbol),
                        false => terms.intern(Term::Construct(constructor.symbol, row.into())),
                    });
                }
            }
            // A sort without constructors is not known.
            (!out.is_empty() && out.len() <= MOST_VALUES).then_some(out)
        }
        Sort::Of(_) => {
            let Some(Composite::Set(of)) = signature.as_composite(sort) else { return None };
            let elements = values(signature, terms, *of, depth)?;
            if elements.len() > 12 {
                return None;
            }
            (0..1u32 << elements.len())
                .map(|mask| {
                    let chosen = elements.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                    terms.set(chosen.map(|(_, &v)| v).collect(), false)
                })
                .collect()
        }
        _ => None,
    }
}

/// The value of code; `slots` are those that it reads.
pub(crate) fn run(
    signature: &Signature,
    terms: &mut Terms,
    code: &[Instr],
    slots: &[Value],
    effort: &mut Effort,
) -> Option<Value> {
    effort.depth = effort.depth.checked_sub(1)?;
    let mut machine = Machine {
        signature,
        terms,
        stack: Vec::with_capacity(16),
        env: slots.to_vec(),
        frames: vec![Frame::Code { code, at: 0, base: 0, owned: false }],
        effort,
    };
    let value = machine.all();
    effort.depth += 1;
    value
}

enum Frame<'a> {
    /// Code that runs with the variables from `base` on, which end with it if it owns them.
    Code { code: &'a [Instr], at: usize, base: usize, owned: bool },
    /// A function on values: the equation that is tried; its condition runs above.
    Rule { function: u32, values: Vec<Value>, next: usize, base: usize },
    /// A binder over a list of values.
    Each {
        kind: Bound,
        body: &'a [Instr],
        slot: usize,
        base: usize,
        values: Vec<Value>,
        next: usize,
        found: Vec<Value>,
        /// Some value of the body is not known.
        unknown: bool,
    },
}

struct Machine<'a, 't> {
    signature: &'a Signature,
    terms: &'t mut Terms,
    stack: Vec<Option<Value>>,
    env: Vec<Value>,
    frames: Vec<Frame<'a>>,
    effort: &'t mut Effort,
}

impl<'a> Machine<'a, '_> {
    fn all(&mut self) -> Option<Value> {
        while let Some(frame) = self.frames.last_mut() {
            if self.effort.steps == 0 {
                return None;
            }
            self.effort.steps -= 1;
            match frame {
                Frame::Code { code, at, base, owned } => {
                    let Some(&instr) = code.get(*at) else {
                        if *owned {
                            let base = *base;
                            self.env.truncate(base);
                        }
                        self.frames.pop();
                        continue;
                    };
                    *at += 1;
                    let base = *base;
                    self.step(instr, base)?;
                }
                Frame::Rule { .. } => self.rule()?,
                Frame::Each { .. } => self.each()?,
            }
        }
        self.stack.pop()?
    }

    /// Goes on this far in the code on top.
    fn skip(&mut self, by: u32) {
        if let Some(Frame::Code { at, .. }) = self.frames.last_mut() {
            *at += by as usize;
        }
    }

    /// The last `n` results, if all are known; they are taken off.
    fn take(&mut self, n: usize) -> Option<Vec<Value>> {
        let from = self.stack.len().checked_sub(n)?;
        self.stack.split_off(from).into_iter().collect()
    }

    /// One step of code. `None` is an internal contradiction: the stack is too short.
    fn step(&mut self, instr: Instr, base: usize) -> Option<()> {
        let result = match instr {
            Instr::Value(value) => Some(value),
            Instr::Slot(slot) => self.env.get(base + slot as usize).copied(),
            Instr::Unary(op) => {
                let a = self.stack.pop()?;
                a.and_then(|a| apply_unary(self.terms, op, a))
            }
            Instr::Binary(op) => {
                let (b, a) = (self.stack.pop()?, self.stack.pop()?);
                if op == Binary::In
                    && let (Some(x), Some(set)) = (a, b)
                    && self.by_condition(set)
                {
                    self.member(x, set)
                } else {
                    apply_binary(self.signature, self.terms, op, a, b)
                }
            }
            Instr::Lazy(op, by) => {
                if let Some(decided) = decides(op, *self.stack.last()?) {
                    *self.stack.last_mut()? = Some(decided);
                    self.skip(by);
                }
                return Some(());
            }
            Instr::Branch(other, end) => match self.stack.pop()? {
                Some(Value::Bool(true)) => return Some(()),
                Some(Value::Bool(false)) => {
                    self.skip(other);
                    return Some(());
                }
                _ => {
                    self.skip(end);
                    None
                }
            },
            Instr::Jump(by) => {
                self.skip(by);
                return Some(());
            }
            Instr::If => return Some(()),
            Instr::Apply(function, n) => match self.take(n as usize) {
                Some(values) => {
                    self.frames.push(Frame::Rule { function, values, next: 0, base: 0 });
                    return Some(());
                }
                None => None,
            },
            Instr::Construct(constructor, n) => {
                let symbol = self.signature.constructors[constructor as usize].symbol;
                let values = self.take(n as usize);
                values.map(|values| self.terms.intern(Term::Construct(symbol, values.into())))
            }
            Instr::Project(name) => {
                let value = self.stack.pop()?;
                value.and_then(|value| self.project(name, value))
            }
            Instr::Recognise(name) => {
                let value = self.stack.pop()?;
                value.and_then(|value| self.recognise(name, value))
            }
            Instr::List(n) => self.take(n as usize).map(|values| self.terms.list(values)),
            Instr::Set(n) => self.take(n as usize).and_then(|v| self.terms.set(v, false)),
            Instr::Bag(n) => self.take(2 * n as usize).and_then(|values| {
                let mut pairs = Vec::new();
                for pair in values.chunks(2) {
                    let Value::Int(count) = pair[1] else { return None };
                    pairs.push((pair[0], count.max(0)));
                }
                self.terms.bag(pairs)
            }),
            Instr::Call(n) => match self.take(n as usize + 1) {
                Some(mut values) => {
                    let function = values.remove(0);
                    return self.call(function, values);
                }
                None => None,
            },
            Instr::Update => self.take(3).and_then(|v| self.update(v[0], v[1], v[2])),
            Instr::Bind(kind, inner) => return self.bind(kind, inner, base),
            Instr::Where(inner, n) => match self.take(n as usize) {
                Some(values) => {
                    let signature = self.signature;
                    let inner = &signature.inner[inner as usize];
                    for (&slot, value) in inner.slots.iter().zip(values) {
                        self.assign(base + slot as usize, value);
                    }
                    let code = &inner.body.code;
                    self.frames.push(Frame::Code { code, at: 0, base, owned: false });
                    return Some(());
                }
                None => None,
            },
        };
        self.stack.push(result);
        Some(())
    }

    fn assign(&mut self, at: usize, value: Value) {
        if self.env.len() <= at {
            self.env.resize(at + 1, Value::Bool(false));
        }
        self.env[at] = value;
    }

    fn project(&self, name: u32, value: Value) -> Option<Value> {
        let Some(Term::Construct(symbol, values)) = self.terms.get(value) else { return None };
        let constructor = self.signature.constructors.iter().find(|c| c.symbol == *symbol)?;
        let at = constructor.projections.iter().position(|p| *p == Some(name))?;
        values.get(at).copied()
    }

    fn recognise(&self, name: u32, value: Value) -> Option<Value> {
        let symbol = match (value, self.terms.get(value)) {
            (Value::Symbol(symbol), _) => symbol,
            (_, Some(Term::Construct(symbol, _))) => *symbol,
            _ => return None,
        };
        let constructor = self.signature.constructors.iter().find(|c| c.symbol == symbol)?;
        Some(Value::Bool(constructor.recogniser == Some(name)))
    }

    fn update(&mut self, function: Value, x: Value, y: Value) -> Option<Value> {
        let (function, mut pairs) = match self.terms.get(function)? {
            Term::Update(function, pairs) => (*function, pairs.to_vec()),
            Term::Lambda(..) | Term::Partial(..) => (function, Vec::new()),
            _ => return None,
        };
        if !self.terms.is_exact(x) {
            return None;
        }
        pairs.retain(|(z, _)| *z != x);
        pairs.push((x, y));
        pairs.sort_unstable();
        Some(self.terms.intern(Term::Update(function, pairs.into())))
    }

    /// A function value on arguments.
    fn call(&mut self, function: Value, values: Vec<Value>) -> Option<()> {
        let result = match self.terms.get(function) {
            Some(Term::Update(inner, pairs)) => {
                let [x] = values[..] else {
                    self.stack.push(None);
                    return Some(());
                };
                match pairs.iter().find(|(z, _)| *z == x) {
                    Some((_, y)) => Some(*y),
                    None if !self.terms.is_exact(x) => None,
                    None => {
                        let inner = *inner;
                        // Updates of updates are one update: this does not nest.
                        return self.call(inner, values);
                    }
                }
            }
            Some(Term::Partial(function, first)) => {
                let (function, first) = (*function, first.to_vec());
                let values = first.into_iter().chain(values).collect();
                self.frames.push(Frame::Rule { function, values, next: 0, base: 0 });
                return Some(());
            }
            Some(Term::Lambda(inner, captured)) => {
                let signature = self.signature;
                let inner = &signature.inner[*inner as usize];
                if inner.slots.len() == values.len() {
                    let base = self.env.len();
                    self.env.resize(base + inner.size as usize, Value::Bool(false));
                    for (&slot, &value) in inner.free.iter().zip(captured.iter()) {
                        self.env[base + slot as usize] = value;
                    }
                    for (&slot, value) in inner.slots.iter().zip(values) {
                        self.env[base + slot as usize] = value;
                    }
                    let code = &inner.body.code;
                    self.frames.push(Frame::Code { code, at: 0, base, owned: true });
                    return Some(());
                }
                None
            }
            _ => None,
        };
        self.stack.push(result);
        Some(())
    }

    /// W1, for the function on top.
    fn rule(&mut self) -> Option<()> {
        let signature = self.signature;
        let Some(Frame::Rule { function, values, next, base }) = self.frames.last_mut() else {
            return None;
        };
        let equations = &signature.functions[*function as usize].equations;
        if *next > 0 {
            // The condition of the equation before is known.
            let condition = self.stack.pop()?;
            let base = *base;
            if condition == Some(Value::Bool(true)) {
                let code = &equations[*next - 1].result.code;
                self.frames.pop();
                self.frames.push(Frame::Code { code, at: 0, base, owned: true });
                return Some(());
            }
            self.env.truncate(base);
        }
        while let Some(equation) = equations.get(*next) {
            *next += 1;
            if self.effort.steps > 0 {
                self.effort.steps -= 1;
            }
            if equation.patterns.len() != values.len() {
                continue;
            }
            *base = self.env.len();
            let base = *base;
            self.env.resize(base + equation.slots.len(), Value::Bool(false));
            if !matches(self.terms, signature, equation, values, &mut self.env[base..]) {
                self.env.truncate(base);
                continue;
            }
            let code = match &equation.condition {
                Some(condition) => &condition.code,
                None => {
                    self.frames.pop();
                    &equation.result.code
                }
            };
            let owned = equation.condition.is_none();
            self.frames.push(Frame::Code { code, at: 0, base, owned });
            return Some(());
        }
        // A function that has equations for more arguments waits for them.
        let function = *function;
        let values = std::mem::take(values);
        self.frames.pop();
        let waits = equations.iter().any(|e| e.patterns.len() > values.len());
        let result = waits.then(|| self.terms.intern(Term::Partial(function, values.into())));
        self.stack.push(result);
        Some(())
    }

    fn bind(&mut self, kind: Bound, number: u32, base: usize) -> Option<()> {
        let signature = self.signature;
        let inner: &'a Inner = &signature.inner[number as usize];
        let captured = |env: &[Value]| -> Box<[Value]> {
            let value = |&slot: &u32| env.get(base + slot as usize).copied();
            inner.free.iter().map(|s| value(s).unwrap_or(Value::Bool(false))).collect()
        };
        if kind == Bound::Lambda {
            let captured = captured(&self.env);
            let value = self.terms.intern(Term::Lambda(number, captured));
            self.stack.push(Some(value));
            return Some(());
        }
        let (slot, sort) = (inner.slots[0], inner.sorts[0]);
        // What can matter: the sort if it is small, or what the body's tests leave.
        let listed = values(signature, self.terms, sort, 8);
        let wanted = kind == Bound::Forall;
        let mut decided = None;
        let list = match listed {
            Some(list) if list.len() <= 64 => Some(list),
            listed => {
                let env: Vec<Value> = self.env[base.min(self.env.len())..].to_vec();
                let found = crate::one_point::outside(
                    signature,
                    self.terms,
                    &inner.body.code,
                    slot,
                    sort,
                    &env,
                    self.effort,
                );
                match found {
                    Some((rest, list)) if rest == wanted => Some(list),
                    // Some value is none of these, where the sort is infinite.
                    Some((rest, _)) if kind != Bound::SetOf && infinite(signature, sort, 8) => {
                        decided = Some(Value::Bool(rest));
                        None
                    }
                    _ => listed,
                }
            }
        };
        let Some(list) = list else {
            let value = match kind {
                Bound::SetOf => {
                    let captured = captured(&self.env);
                    let function = self.terms.intern(Term::Lambda(number, captured));
                    Some(self.terms.intern(Term::SetOf(function)))
                }
                _ => decided,
            };
            self.stack.push(value);
            return Some(());
        };
        self.assign(base + slot as usize, Value::Bool(false));
        self.frames.push(Frame::Each {
            kind,
            body: &inner.body.code,
            slot: slot as usize,
            base,
            values: list,
            next: 0,
            found: Vec::new(),
            unknown: false,
        });
        Some(())
    }

    /// W3: the next value of the binder on top.
    fn each(&mut self) -> Option<()> {
        let Some(Frame::Each { kind, body, slot, base, values, next, found, unknown }) =
            self.frames.last_mut()
        else {
            return None;
        };
        let kind = *kind;
        if *next > 0 {
            let result = self.stack.pop()?;
            let decides = match (kind, result) {
                (Bound::Forall, Some(Value::Bool(false))) => Some(false),
                (Bound::Exists, Some(Value::Bool(true))) => Some(true),
                (Bound::SetOf, Some(Value::Bool(true))) => {
                    found.push(values[*next - 1]);
                    None
                }
                (_, Some(Value::Bool(_))) => None,
                _ => {
                    *unknown = true;
                    None
                }
            };
            if let Some(value) = decides {
                self.frames.pop();
                self.stack.push(Some(Value::Bool(value)));
                return Some(());
            }
        }
        if let Some(&value) = values.get(*next) {
            *next += 1;
            let (at, body, base) = (*base + *slot, *body, *base);
            self.assign(at, value);
            self.frames.push(Frame::Code { code: body, at: 0, base, owned: false });
            return Some(());
        }
        let result = match kind {
            _ if *unknown => None,
            Bound::Forall => Some(Value::Bool(true)),
            Bound::Exists => Some(Value::Bool(false)),
            _ => {
                let found = std::mem::take(found);
                self.terms.set(found, false)
            }
        };
        self.frames.pop();
        self.stack.push(result);
        Some(())
    }

    /// Whether membership in a set needs a condition.
    fn by_condition(&self, set: Value) -> bool {
        matches!(
            self.terms.get(set),
            Some(Term::SetOf(_) | Term::Union(..) | Term::Intersection(..) | Term::Complement(_))
        )
    }

    /// Membership in a set that a condition describes.
    fn member(&mut self, x: Value, set: Value) -> Option<Value> {
        enum Task {
            Set(Value),
            And,
            Or,
            Not,
        }
        let mut tasks = vec![Task::Set(set)];
        let mut results: Vec<Option<Value>> = Vec::new();
        while let Some(task) = tasks.pop() {
            self.effort.steps = self.effort.steps.saturating_sub(1);
            if self.effort.steps == 0 {
                return None;
            }
            let set = match task {
                Task::Set(set) => set,
                Task::Not => {
                    let a = results.pop()?;
                    results
                        .push(a.and_then(|a| apply_unary(self.terms, crate::data::Unary::Not, a)));
                    continue;
                }
                Task::And | Task::Or => {
                    let op = if matches!(task, Task::And) { Binary::And } else { Binary::Or };
                    let (b, a) = (results.pop()?, results.pop()?);
                    results.push(apply_binary(self.signature, self.terms, op, a, b));
                    continue;
                }
            };
            match self.terms.get(set) {
                Some(Term::Complement(inner)) => tasks.extend([Task::Not, Task::Set(*inner)]),
                Some(Term::Union(a, b)) => {
                    tasks.extend([Task::Or, Task::Set(*b), Task::Set(*a)]);
                }
                Some(Term::Intersection(a, b)) => {
                    tasks.extend([Task::And, Task::Set(*b), Task::Set(*a)]);
                }
                Some(Term::SetOf(function)) => {
                    let code = [Instr::Value(*function), Instr::Value(x), Instr::Call(1)];
                    let value = run(self.signature, self.terms, &code, &[], self.effort);
                    results.push(value);
                }
                _ => {
                    let (a, b) = (Some(x), Some(set));
                    results.push(apply_binary(self.signature, self.terms, Binary::In, a, b));
                }
            }
        }
        results.pop()?
    }
}

/// Whether values match an equation's patterns; variables get their values.
fn matches(
    terms: &mut Terms,
    signature: &Signature,
    equation: &Equation,
    values: &[Value],
    env: &mut [Value],
) -> bool {
    let mut bound = vec![false; env.len()];
    let mut work: Vec<(u32, Value)> =
        equation.patterns.iter().copied().zip(values.iter().copied()).collect();
    while let Some((pattern, value)) = work.pop() {
        match &equation.nodes[pattern as usize] {
            Pattern::Variable(slot) => {
                let slot = *slot as usize;
                if std::mem::replace(&mut bound[slot], true) {
                    if terms.equal(env[slot], value) != Some(true) {
                        return false;
                    }
                } else {
                    env[slot] = value;
                }
            }
            Pattern::Value(wanted) => {
                if *wanted != value {
                    return false;
                }
            }
            Pattern::Nothing => match terms.get(value) {
                Some(Term::Set { but: false, elements }) if elements.is_empty() => {}
                Some(Term::Bag(pairs)) if pairs.is_empty() => {}
                _ => return false,
            },
            Pattern::Construct(constructor, children) => {
                let symbol = signature.constructors[*constructor as usize].symbol;
                match terms.get(value) {
                    Some(Term::Construct(found, values)) if *found == symbol => {
                        work.extend(children.iter().copied().zip(values.iter().copied()));
                    }
                    _ => return false,
                }
            }
            Pattern::List(children) => match terms.get(value) {
                Some(Term::List(values)) if values.len() == children.len() => {
                    work.extend(children.iter().copied().zip(values.iter().copied()));
                }
                _ => return false,
            },
            Pattern::Prepend(first, rest) => {
                let Some(Term::List(values)) = terms.get(value) else { return false };
                let Some((&head, tail)) = values.split_first() else { return false };
                let tail = tail.to_vec();
                work.push((*first, head));
                work.push((*rest, terms.list(tail)));
            }
            Pattern::Append(rest, last) => {
                let Some(Term::List(values)) = terms.get(value) else { return false };
                let Some((&end, front)) = values.split_last() else { return false };
                let front = front.to_vec();
                work.push((*last, end));
                work.push((*rest, terms.list(front)));
            }
        }
    }
    true
}
