//! A part of a program: the functions that may run once some are called, and nothing else.
//!
//! Findings are judged one entry at a time, and each time the program is read with other callers. What cannot run there
//! need not be read again: bodies of other functions are left out, and units in which nothing is left.
//!
//! - PJ1: a body is left out if no function of its name may run, by calls or by addresses that are mentioned on the way.
//! - PJ2: lines stay where they are.
//! - PJ3: a unit is left out if it defines no function that may run, and mentions no variable outside of functions that
//!   these look at.
//!
//! What is left out has no body, so that a run that would get there is not followed (S2). Not for proofs.

use crate::emitted::{definitions, tokens};
use c_data::{FuncId, ObjectId, Program};
use input::CText;
use std::collections::BTreeSet;

/// A unit, and where its functions are.
pub(crate) struct Unit {
    text: CText,
    /// Names, and from where to where their bodies go.
    functions: Vec<(String, usize, usize)>,
    /// Words outside of braces and parentheses.
    outer: BTreeSet<String>,
}

/// Looks where the functions of units are.
pub(crate) fn units(texts: &[CText]) -> Vec<Unit> {
    texts.iter().map(unit).collect()
}

fn unit(text: &CText) -> Unit {
    let t = text.text.as_str();
    let all = tokens(t);
    let word = |i: usize| &t[all[i].0..all[i].1];
    let (mut depth, mut outer) = (0i64, BTreeSet::new());
    // Of each brace that opens at the outermost level, where it closes.
    let (mut opened, mut closes) = (0, std::collections::BTreeMap::new());
    for i in 0..all.len() {
        match word(i) {
            "{" | "(" => {
                if depth == 0 {
                    opened = i;
                }
                depth += 1;
            }
            "}" | ")" => {
                depth -= 1;
                if depth == 0 {
                    closes.insert(opened, i);
                }
            }
            other if depth == 0 && !outer.contains(other) => {
                outer.insert(other.to_owned());
            }
            _ => {}
        }
    }
    let functions = definitions(&all, t)
        .filter_map(|(name, open)| {
            let close = *closes.get(&open)?;
            Some((name.to_owned(), all[open].0, all[close].1))
        })
        .collect();
    Unit { text: text.clone(), functions, outer }
}

/// The units with what may run.
pub(crate) fn part(
    units: &[Unit],
    program: &Program,
    (functions, objects): &(BTreeSet<FuncId>, BTreeSet<ObjectId>),
) -> Vec<CText> {
    let own = program.functions.iter().filter(|f| f.own && f.has_body());
    let known: BTreeSet<&str> = own.map(|f| f.name.as_str()).collect();
    let runs: BTreeSet<&str> =
        functions.iter().map(|f| program.functions[f.index()].name.as_str()).collect();
    let looked_at: Vec<&str> = objects
        .iter()
        .map(|o| &program.objects[o.index()])
        .filter(|o| o.own && o.defined)
        .map(|o| o.name.as_str())
        .collect();
    let goes = |name: &str| known.contains(name) && !runs.contains(name);
    let mut out = Vec::new();
    for unit in units {
        let used = unit.functions.iter().any(|(name, ..)| !goes(name))
            || looked_at.iter().any(|name| unit.outer.contains(*name));
        if !used {
            continue;
        }
        let text = unit.text.text.as_str();
        let (mut left, mut from) = (String::with_capacity(text.len()), 0);
        for (_, start, end) in unit.functions.iter().filter(|(name, ..)| goes(name)) {
            left += &text[from..*start];
            left.push(';');
            for (i, line) in text[*start..*end].split('\n').enumerate() {
                if i > 0 {
                    left.push('\n');
                }
                // Where lines come from.
                if i > 0 && line.starts_with('#') {
                    left += line;
                }
            }
            from = *end;
        }
        left += &text[from..];
        out.push(CText { text: left, ..unit.text.clone() });
    }
    out
}
