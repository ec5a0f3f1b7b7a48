//! Structured values: each has one number, so that equal ones are the same.
//!
//! Functions, and sets that a condition describes, are the exception: two of them may be equal
//! and have different numbers. What contains one is not *exact*, and comparing it with another has
//! no value unless they are the same.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::data::{Signature, Value};

/// A structured value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Term {
    /// A constructor, by its symbol, with arguments.
    Construct(u32, Box<[Value]>),
    List(Box<[Value]>),
    /// These, ascending, or all but these.
    Set {
        but: bool,
        elements: Box<[Value]>,
    },
    /// Elements, ascending, and how many of each.
    Bag(Box<[(Value, i64)]>),
    /// A fraction in lowest terms, its denominator above one.
    Rational(i64, i64),
    /// A body, by number, with the values of the variables around it.
    Lambda(u32, Box<[Value]>),
    /// What a function, a body of one variable, holds for.
    SetOf(Value),
    /// A set of which a part is described by a condition.
    Union(Value, Value),
    Intersection(Value, Value),
    Complement(Value),
    /// A declared function on fewer arguments than its equations have.
    Partial(u32, Box<[Value]>),
    /// A text that cannot be read, by its symbol.
    Opaque(u32),
    /// A function with other values at some arguments, ascending.
    Update(Value, Box<[(Value, Value)]>),
}

/// All structured values of a run.
#[derive(Default)]
pub struct Terms {
    ids: FxHashMap<Term, u32>,
    all: Vec<Term>,
    exact: Vec<bool>,
    pub(crate) bytes: u64,
}

impl Terms {
    /// The value that a term is.
    pub(crate) fn intern(&mut self, term: Term) -> Value {
        if let Some(&id) = self.ids.get(&term) {
            return Value::Term(id);
        }
        let id = self.all.len() as u32;
        let fits = |value: &Value| self.is_exact(*value);
        let (exact, size) = match &term {
            Term::Construct(_, values) | Term::List(values) => {
                (values.iter().all(fits), values.len())
            }
            // All but some may be the same as some others, where the sort is finite.
            Term::Set { but, elements } => (!but && elements.iter().all(fits), elements.len()),
            Term::Bag(pairs) => (pairs.iter().all(|(value, _)| fits(value)), pairs.len()),
            Term::Rational(..) => (true, 1),
            Term::Lambda(_, values) | Term::Partial(_, values) => (false, values.len()),
            Term::Update(_, pairs) => (false, 2 * pairs.len()),
            _ => (false, 2),
        };
        self.exact.push(exact);
        self.bytes += 2 * 16 * size as u64 + 128;
        self.ids.insert(term.clone(), id);
        self.all.push(term);
        Value::Term(id)
    }

    /// The term behind a value, if it is one.
    pub(crate) fn get(&self, value: Value) -> Option<&Term> {
        match value {
            Value::Term(id) => self.all.get(id as usize),
            _ => None,
        }
    }

    pub(crate) fn is_exact(&self, value: Value) -> bool {
        match value {
            Value::Term(id) => self.exact[id as usize],
            _ => true,
        }
    }

    /// Whether two values are equal, where that is known.
    pub(crate) fn equal(&self, a: Value, b: Value) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        (self.is_exact(a) && self.is_exact(b)).then_some(false)
    }

    pub(crate) fn list(&mut self, values: Vec<Value>) -> Value {
        self.intern(Term::List(values.into()))
    }

    /// The finite set of these, or all but these.
    pub(crate) fn set(&mut self, mut elements: Vec<Value>, but: bool) -> Option<Value> {
        elements.sort_unstable();
        elements.dedup();
        // Elements that are not exact may be equal without being the same.
        if elements.len() > 1 && !elements.iter().all(|&v| self.is_exact(v)) {
            return None;
        }
        Some(self.intern(Term::Set { but, elements: elements.into() }))
    }

    /// A bag; elements that do not occur are left out, and no number is below zero.
    pub(crate) fn bag(&mut self, mut pairs: Vec<(Value, i64)>) -> Option<Value> {
        pairs.sort_unstable();
        let mut out: Vec<(Value, i64)> = Vec::with_capacity(pairs.len());
        for (value, count) in pairs {
            match out.last_mut() {
                Some(last) if last.0 == value => last.1 = last.1.checked_add(count)?,
                _ => out.push((value, count)),
            }
        }
        out.retain(|&(_, count)| count > 0);
        if out.len() > 1 && !out.iter().all(|&(v, _)| self.is_exact(v)) {
            return None;
        }
        Some(self.intern(Term::Bag(out.into())))
    }

    pub(crate) fn rational(&mut self, a: i128, b: i128) -> Option<Value> {
        if b == 0 {
            return None;
        }
        let (mut x, mut y) = (a.unsigned_abs(), b.unsigned_abs());
        while y != 0 {
            (x, y) = (y, x % y);
        }
        let common = (x as i128) * b.signum();
        let (a, b) = (i64::try_from(a / common).ok()?, i64::try_from(b / common).ok()?);
        Some(if b == 1 { Value::Int(a) } else { self.intern(Term::Rational(a, b)) })
    }

    /// Numerator and denominator of a number.
    pub(crate) fn fraction(&self, value: Value) -> Option<(i128, i128)> {
        match (value, self.get(value)) {
            (Value::Int(n), _) => Some((i128::from(n), 1)),
            (_, Some(Term::Rational(a, b))) => Some((i128::from(*a), i128::from(*b))),
            _ => None,
        }
    }

    /// The order of two values of one sort: numbers, constructors by their places and then by their
    /// arguments, lists by their elements. Sets have another one.
    pub(crate) fn compare(&self, signature: &Signature, a: Value, b: Value) -> Option<Ordering> {
        let place = |symbol: u32| {
            let at = signature.constructor_of(symbol)?;
            Some(signature.constructors[at as usize].position)
        };
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            if a == b {
                continue;
            }
            if let (Some((n, d)), Some((m, e))) = (self.fraction(a), self.fraction(b)) {
                return Some((n.checked_mul(e)?).cmp(&m.checked_mul(d)?));
            }
            match (a, b) {
                (Value::Bool(a), Value::Bool(b)) => return Some(a.cmp(&b)),
                (Value::Symbol(a), Value::Symbol(b)) => return Some(place(a)?.cmp(&place(b)?)),
                _ => {}
            }
            let constructor = |value: Value| match (value, self.get(value)) {
                (Value::Symbol(symbol), _) => Some((symbol, &[][..])),
                (_, Some(Term::Construct(symbol, values))) => Some((*symbol, &values[..])),
                _ => None,
            };
            let (x, y): (&[Value], &[Value]) = match (self.get(a), self.get(b)) {
                (Some(Term::List(x)), Some(Term::List(y))) => {
                    let differs = x.iter().zip(y.iter()).any(|(a, b)| a != b);
                    if !differs {
                        return Some(x.len().cmp(&y.len()));
                    }
                    (x, y)
                }
                _ => {
                    let ((f, x), (g, y)) = (constructor(a)?, constructor(b)?);
                    if f != g {
                        return Some(place(f)?.cmp(&place(g)?));
                    }
                    (x, y)
                }
            };
            // The first pair that differs decides; the later ones only if it does not, which
            // cannot be, as different values of one sort are never equal here.
            let first = x.iter().zip(y).find(|(a, b)| a != b)?;
            work.push((*first.0, *first.1));
        }
        Some(Ordering::Equal)
    }

    /// A value as text, in mCRL2's syntax.
    pub fn show(&self, signature: &Signature, value: Value) -> String {
        enum Task<'a> {
            Value(Value),
            Text(&'a str),
            Number(i64),
        }
        let mut out = String::new();
        let mut tasks = vec![Task::Value(value)];
        while let Some(task) = tasks.pop() {
            let value = match task {
                Task::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Task::Number(n) => {
                    out.push_str(&n.to_string());
                    continue;
                }
                Task::Value(value) => value,
            };
            let Some(term) = self.get(value) else {
                out.push_str(&signature.show(value));
                continue;
            };
            let list = |tasks: &mut Vec<Task<'_>>, values: &[Value]| {
                for (i, &value) in values.iter().enumerate().rev() {
                    tasks.push(Task::Value(value));
                    if i > 0 {
                        tasks.push(Task::Text(", "));
                    }
                }
            };
            match term {
                Term::Construct(symbol, values) => {
                    out.push_str(signature.symbol_name(*symbol));
                    out.push('(');
                    tasks.push(Task::Text(")"));
                    list(&mut tasks, values);
                }
                Term::List(values) => {
                    out.push('[');
                    tasks.push(Task::Text("]"));
                    list(&mut tasks, values);
                }
                Term::Set { but, elements } => {
                    out.push_str(if *but { "!{" } else { "{" });
                    tasks.push(Task::Text("}"));
                    list(&mut tasks, elements);
                }
                Term::Bag(pairs) => {
                    out.push_str(if pairs.is_empty() { "{:" } else { "{" });
                    tasks.push(Task::Text("}"));
                    for (i, &(value, count)) in pairs.iter().enumerate().rev() {
                        tasks.extend([Task::Number(count), Task::Text(": "), Task::Value(value)]);
                        if i > 0 {
                            tasks.push(Task::Text(", "));
                        }
                    }
                }
                Term::Opaque(symbol) => out.push_str(signature.symbol_name(*symbol)),
                Term::Rational(a, b) => out.push_str(&format!("{a} / {b}")),
                Term::Partial(function, values) => {
                    out.push_str(&signature.functions[*function as usize].name);
                    if !values.is_empty() {
                        out.push('(');
                        tasks.push(Task::Text(")"));
                        list(&mut tasks, values);
                    }
                }
                Term::Update(function, pairs) => {
                    for &(x, y) in pairs.iter().rev() {
                        tasks.extend([Task::Text("]"), Task::Value(y), Task::Text(" -> ")]);
                        tasks.extend([Task::Value(x), Task::Text("[")]);
                    }
                    tasks.push(Task::Value(*function));
                }
                Term::Lambda(inner, _) => {
                    let inner = &signature.inner[*inner as usize];
                    let names = |slot: u32| format!("x{slot}");
                    out.push_str("lambda ");
                    out.push_str(&inner.names.join(","));
                    out.push_str(". ");
                    out.push_str(&inner.body.show(signature, &names));
                }
                Term::SetOf(function) => {
                    out.push_str("{ ");
                    tasks.extend([Task::Text(" }"), Task::Value(*function)]);
                }
                Term::Union(a, b) | Term::Intersection(a, b) => {
                    let word = if matches!(term, Term::Union(..)) { " + " } else { " * " };
                    out.push('(');
                    tasks.extend([Task::Text(")"), Task::Value(*b), Task::Text(word)]);
                    tasks.push(Task::Value(*a));
                }
                Term::Complement(a) => {
                    out.push('!');
                    tasks.push(Task::Value(*a));
                }
            }
        }
        out
    }
}
