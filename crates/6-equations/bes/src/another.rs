//! A value of a sort that is none of some.
//!
//! NV1: of a sort, as many values as are asked for are made from few values of the sorts it is built from: numbers from
//!     the least one on, the constructors of a structured sort with all rows of arguments, lists by appending, sets of
//!     one element, bags of one element more and more often.
//! NV2: of one more value than there are some, one is none of them.
//!
//! Functions are not made: two of them may be equal and written differently.

use std::collections::BTreeSet;

use crate::data::{Signature, Sort, Value};
use crate::rewrite::values;
use crate::sorts::Composite;
use crate::terms::{Term, Terms};

/// How often constructors are applied to what they have made.
const MOST_ROUNDS: usize = 256;
/// How deep sorts may be nested.
const MOST_DEPTH: u32 = 8;

/// A value of a sort that is none of `known` (NV2), if one is found.
pub(crate) fn another(
    signature: &Signature,
    terms: &mut Terms,
    sort: Sort,
    known: &[Value],
) -> Option<Value> {
    let known: BTreeSet<Value> = known.iter().copied().collect();
    let some = some(signature, terms, sort, known.len() + 1, MOST_DEPTH);
    some.into_iter().find(|value| !known.contains(value))
}

/// NV1: at most `n` values of a sort, each of them once; fewer if no more are found.
fn some(signature: &Signature, terms: &mut Terms, sort: Sort, n: usize, depth: u32) -> Vec<Value> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let numbers = |least: i64| (least..least.saturating_add(n as i64)).map(Value::Int).collect();
    match sort {
        Sort::Nat | Sort::Int | Sort::Real => numbers(0),
        Sort::Pos => numbers(1),
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)].into_iter().take(n).collect(),
        Sort::Enum(e) => constructed(signature, terms, (sort, e), n, depth),
        Sort::Of(_) => match signature.as_composite(sort) {
            Some(Composite::List(of)) => {
                let elements = some(signature, terms, *of, n, depth);
                lists(terms, &elements, n)
            }
            Some(Composite::Set(of)) => {
                if let Some(all) = values(signature, terms, sort, depth) {
                    return all.into_iter().take(n).collect();
                }
                let elements = some(signature, terms, *of, n, depth);
                elements.into_iter().filter_map(|v| terms.set(vec![v], false)).collect()
            }
            Some(Composite::Bag(of)) => {
                let first = some(signature, terms, *of, 1, depth).into_iter().next();
                let times = 1..=n as i64;
                first
                    .map(|v| times.filter_map(|k| terms.bag(vec![(v, k)])).collect())
                    .unwrap_or_default()
            }
            Some(Composite::Function(..)) | None => Vec::new(),
        },
        Sort::Var | Sort::Unknown => Vec::new(),
    }
}

/// Values that the constructors of a sort make, of arguments that were made before.
fn constructed(
    signature: &Signature,
    terms: &mut Terms,
    (sort, number): (Sort, u32),
    n: usize,
    depth: u32,
) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    let mut seen: BTreeSet<Value> = BTreeSet::new();
    for _ in 0..MOST_ROUNDS {
        let before = out.clone();
        for constructor in signature.constructors.iter().filter(|c| c.sort == number) {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for &field in &constructor.fields {
                let arguments = match field == sort {
                    true => before.clone(),
                    false => some(signature, terms, field, n, depth),
                };
                let longer =
                    |row: &Vec<Value>, v: Value| row.iter().copied().chain([v]).collect::<Vec<_>>();
                let all =
                    arguments.iter().flat_map(|&v| rows.iter().map(move |row| longer(row, v)));
                rows = all.take(n).collect();
            }
            for row in rows {
                let value = match row.is_empty() {
                    true => Value::Symbol(constructor.symbol),
                    false => terms.intern(Term::Construct(constructor.symbol, row.into())),
                };
                if seen.insert(value) {
                    out.push(value);
                }
            }
        }
        if out.len() >= n || out.len() == before.len() {
            break;
        }
    }
    out.truncate(n);
    out
}

/// Lists over some elements, the shorter ones first.
fn lists(terms: &mut Terms, elements: &[Value], n: usize) -> Vec<Value> {
    let mut out = vec![Vec::new()];
    let mut at = 0;
    while out.len() < n && at < out.len() && out[at].len() < MOST_ROUNDS {
        for &v in elements.iter().take(n - out.len()) {
            let longer: Vec<Value> = out[at].iter().copied().chain([v]).collect();
            out.push(longer);
        }
        at += 1;
    }
    out.into_iter().take(n).map(|list| terms.list(list)).collect()
}
