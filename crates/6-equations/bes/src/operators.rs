//! The operators of mCRL2's data on structured values.

use std::cmp::Ordering;

use crate::data::{Binary, Signature, Unary, Value, binary, unary};
use crate::terms::{Term, Terms};

/// A set as far as it is listed: these, or all but these.
fn listed(terms: &Terms, value: Value) -> Option<(bool, Vec<Value>)> {
    match terms.get(value)? {
        Term::Set { but, elements } => Some((*but, elements.to_vec())),
        _ => None,
    }
}

/// Whether a value is a set.
fn is_set(terms: &Terms, value: Value) -> bool {
    matches!(
        terms.get(value),
        Some(
            Term::Set { .. }
                | Term::SetOf(_)
                | Term::Union(..)
                | Term::Intersection(..)
                | Term::Complement(_)
        )
    )
}

/// An operator on one value, where it is defined.
pub(crate) fn apply_unary(terms: &mut Terms, op: Unary, a: Value) -> Option<Value> {
    if let Some(value) = unary(op, a) {
        return Some(value);
    }
    let fraction = terms.fraction(a);
    match (op, fraction) {
        (Unary::ToReal, Some(_)) => return Some(a),
        (Unary::Negate, Some((n, d))) => return terms.rational(-n, d),
        (Unary::Abs, Some((n, d))) => return terms.rational(n.abs(), d),
        (Unary::Succ, Some((n, d))) => return terms.rational(n + d, d),
        (Unary::Pred, Some((n, d))) => return terms.rational(n - d, d),
        (Unary::Floor, Some((n, d))) => return terms.rational(n.div_euclid(d), 1),
        (Unary::Ceiling, Some((n, d))) => return terms.rational(-(-n).div_euclid(d), 1),
        (Unary::Round, Some((n, d))) => return terms.rational((2 * n + d).div_euclid(2 * d), 1),
        _ => {}
    }
    let term = terms.get(a)?.clone();
    Some(match (op, term) {
        (Unary::Size, Term::List(values)) => Value::Int(values.len() as i64),
        (Unary::Size, Term::Set { but: false, elements }) => Value::Int(elements.len() as i64),
        (Unary::Size, Term::Bag(pairs)) => {
            let mut sum = 0i64;
            for (_, count) in pairs.iter() {
                sum = sum.checked_add(*count)?;
            }
            Value::Int(sum)
        }
        (Unary::Head, Term::List(values)) => *values.first()?,
        (Unary::LastOf, Term::List(values)) => *values.last()?,
        (Unary::Tail, Term::List(values)) => terms.list(values.get(1..)?.to_vec()),
        (Unary::FrontOf, Term::List(values)) => {
            terms.list(values[..values.len().checked_sub(1)?].to_vec())
        }
        (Unary::Not, Term::Set { but, elements }) => {
            terms.intern(Term::Set { but: !but, elements })
        }
        (Unary::Not, Term::Complement(inner)) => inner,
        (Unary::Not, Term::SetOf(_) | Term::Union(..) | Term::Intersection(..)) => {
            terms.intern(Term::Complement(a))
        }
        (Unary::SetToBag, Term::Set { but: false, elements }) => {
            terms.bag(elements.iter().map(|&v| (v, 1)).collect())?
        }
        (Unary::BagToSet, Term::Bag(pairs)) => {
            terms.set(pairs.iter().map(|&(v, _)| v).collect(), false)?
        }
        _ => return None,
    })
}

/// An operator on two values, where it is defined; `In` on sets that a condition describes is the
/// machine's.
pub(crate) fn apply_binary(
    signature: &Signature,
    terms: &mut Terms,
    op: Binary,
    a: Option<Value>,
    b: Option<Value>,
) -> Option<Value> {
    if let Some(value) = binary(op, a, b) {
        return Some(value);
    }
    let (a, b) = (a?, b?);
    match op {
        Binary::Equal => return terms.equal(a, b).map(Value::Bool),
        Binary::Unequal => return terms.equal(a, b).map(|equal| Value::Bool(!equal)),
        _ => {}
    }
    if let (Some(x), Some(y)) = (terms.fraction(a), terms.fraction(b)) {
        return numbers(terms, op, x, y, (a, b));
    }
    if is_set(terms, a) || is_set(terms, b) {
        return sets(terms, op, a, b);
    }
    match op {
        Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => {
            let order = terms.compare(signature, a, b)?;
            return Some(Value::Bool(match op {
                Binary::Less => order == Ordering::Less,
                Binary::AtMost => order != Ordering::Greater,
                Binary::Greater => order == Ordering::Greater,
                _ => order != Ordering::Less,
            }));
        }
        _ => {}
    }
    if let (Some(Term::Bag(x)), Some(Term::Bag(y))) = (terms.get(a), terms.get(b)) {
        let (x, y) = (x.to_vec(), y.to_vec());
        let many = |pairs: &[(Value, i64)], v: Value| {
            pairs.iter().find(|(w, _)| *w == v).map_or(0, |(_, n)| *n)
        };
        let pairs = match op {
            Binary::Add => x.into_iter().chain(y).collect(),
            Binary::Subtract => x.iter().map(|&(v, n)| (v, (n - many(&y, v)).max(0))).collect(),
            Binary::Multiply => x.iter().map(|&(v, n)| (v, n.min(many(&y, v)))).collect(),
            _ => return None,
        };
        return terms.bag(pairs);
    }
    collections(terms, op, a, b)
}

fn numbers(
    terms: &mut Terms,
    op: Binary,
    (n, d): (i128, i128),
    (m, e): (i128, i128),
    (a, b): (Value, Value),
) -> Option<Value> {
    let (left, right) = (n.checked_mul(e)?, m.checked_mul(d)?);
    Some(match op {
        Binary::Add => terms.rational(left.checked_add(right)?, d.checked_mul(e)?)?,
        Binary::Subtract => terms.rational(left.checked_sub(right)?, d.checked_mul(e)?)?,
        Binary::Multiply => terms.rational(n.checked_mul(m)?, d.checked_mul(e)?)?,
        Binary::Quotient => terms.rational(left, right)?,
        Binary::Power => {
            let Value::Int(exponent) = b else { return None };
            if let (Value::Int(base), Ok(exponent)) = (a, u32::try_from(exponent)) {
                return base.checked_pow(exponent).map(Value::Int);
            }
            let size = u32::try_from(exponent.unsigned_abs()).ok()?;
            let (n, d) = (n.checked_pow(size)?, d.checked_pow(size)?);
            if exponent < 0 { terms.rational(d, n)? } else { terms.rational(n, d)? }
        }
        Binary::Less => Value::Bool(left < right),
        Binary::AtMost => Value::Bool(left <= right),
        Binary::Greater => Value::Bool(left > right),
        Binary::AtLeast => Value::Bool(left >= right),
        Binary::Min => {
            if left <= right {
                a
            } else {
                b
            }
        }
        Binary::Max => {
            if left >= right {
                a
            } else {
                b
            }
        }
        _ => return None,
    })
}

/// Sets: union, difference, intersection, inclusion, and membership where it is listed.
fn sets(terms: &mut Terms, op: Binary, a: Value, b: Value) -> Option<Value> {
    if op == Binary::In {
        let (but, elements) = listed(terms, b)?;
        let found = member(terms, a, &elements)?;
        return Some(Value::Bool(found != but));
    }
    if !is_set(terms, a) || !is_set(terms, b) {
        return None;
    }
    let (Some((but_a, x)), Some((but_b, y))) = (listed(terms, a), listed(terms, b)) else {
        return match op {
            Binary::Add => Some(terms.intern(Term::Union(a, b))),
            Binary::Multiply => Some(terms.intern(Term::Intersection(a, b))),
            Binary::Subtract => {
                let but = match listed(terms, b) {
                    Some((but, elements)) => terms.set(elements, !but)?,
                    None => terms.intern(Term::Complement(b)),
                };
                Some(terms.intern(Term::Intersection(a, but)))
            }
            _ => None,
        };
    };
    let without = |x: &[Value], y: &[Value]| -> Vec<Value> {
        x.iter().copied().filter(|v| y.binary_search(v).is_err()).collect()
    };
    let both = |x: &[Value], y: &[Value]| -> Vec<Value> {
        x.iter().copied().filter(|v| y.binary_search(v).is_ok()).collect()
    };
    let either = |x: &[Value], y: &[Value]| -> Vec<Value> { x.iter().chain(y).copied().collect() };
    if !x.iter().chain(&y).all(|&v| terms.is_exact(v)) {
        return None;
    }
    // The part that is in both, for `op` and each of the two forms.
    let intersection = |x: (bool, &[Value]), y: (bool, &[Value])| match (x.0, y.0) {
        (false, false) => (false, both(x.1, y.1)),
        (false, true) => (false, without(x.1, y.1)),
        (true, false) => (false, without(y.1, x.1)),
        (true, true) => (true, either(x.1, y.1)),
    };
    let included = match (but_a, but_b) {
        (false, false) => Some(without(&x, &y).is_empty()),
        (false, true) => Some(both(&x, &y).is_empty()),
        // A set that lacks finitely many is within a finite one only if the sort is finite.
        (true, false) => None,
        (true, true) => Some(without(&y, &x).is_empty()),
    };
    let (but, elements) = match op {
        Binary::Multiply => intersection((but_a, &x), (but_b, &y)),
        Binary::Subtract => intersection((but_a, &x), (!but_b, &y)),
        Binary::Add => {
            let (but, elements) = intersection((!but_a, &x), (!but_b, &y));
            (!but, elements)
        }
        Binary::AtMost => return included.map(Value::Bool),
        Binary::Less => return included.map(|inside| Value::Bool(inside && a != b)),
        Binary::AtLeast | Binary::Greater => {
            let turned = if op == Binary::AtLeast { Binary::AtMost } else { Binary::Less };
            return sets(terms, turned, b, a);
        }
        _ => return None,
    };
    terms.set(elements, but)
}

fn member(terms: &Terms, x: Value, elements: &[Value]) -> Option<bool> {
    if elements.contains(&x) {
        return Some(true);
    }
    let known = terms.is_exact(x) && elements.iter().all(|&v| terms.is_exact(v));
    (known || elements.is_empty()).then_some(false)
}

/// Lists, and membership in lists and bags.
fn collections(terms: &mut Terms, op: Binary, a: Value, b: Value) -> Option<Value> {
    let list = |value: Value| match terms.get(value) {
        Some(Term::List(values)) => Some(values.to_vec()),
        _ => None,
    };
    Some(match op {
        Binary::Prepend => {
            let mut values = list(b)?;
            values.insert(0, a);
            terms.list(values)
        }
        Binary::Append => {
            let mut values = list(a)?;
            values.push(b);
            terms.list(values)
        }
        Binary::Concatenate => {
            let mut values = list(a)?;
            values.extend(list(b)?);
            terms.list(values)
        }
        Binary::At => {
            let Value::Int(at) = b else { return None };
            *list(a)?.get(usize::try_from(at).ok()?)?
        }
        Binary::In => {
            let elements: Vec<Value> = match terms.get(b)? {
                Term::List(values) => values.to_vec(),
                Term::Bag(pairs) => pairs.iter().map(|&(v, _)| v).collect(),
                _ => return None,
            };
            Value::Bool(member(terms, a, &elements)?)
        }
        Binary::Count => {
            let Term::Bag(pairs) = terms.get(b)? else { return None };
            let elements: Vec<Value> = pairs.iter().map(|&(v, _)| v).collect();
            let count = pairs.iter().find(|(v, _)| *v == a).map_or(0, |(_, n)| *n);
            member(terms, a, &elements)?;
            Value::Int(count)
        }
        _ => return None,
    })
}
