//! Findings that are one to people: one removed `unlock` breaks a rule at hundreds of places.
//!
//! - GF1. Findings of one rule that say the same of one place have the same headline, and are one, wherever their
//!   objects come from.
//! - GF2. Findings of one rule that say the same of objects that come from one place are one, if there are `SEVERAL`
//!   places. With fewer, each may be a mistake of its own.
//!   Rules about null results (`assume p == 0`) tell what comes from one place as one, however few places follow it: the test
//!   that is missing stands there. What rules about ignored results say in the same words is one.
//! - GF3. What a baseline has, and what it has not, is never one.
//! - GF4. Of findings that are one, the surest is told, and of those the one with the shortest path.

use crate::findings::rule;
use crate::{Alike, Finding, Outcome, Report};
use std::collections::HashMap;

/// So many places of one origin are told as one.
const SEVERAL: usize = 4;

/// What is told as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fold {
    /// What has one cause.
    Causes,
    /// What has the same headline.
    Headlines,
    /// Nothing.
    Nothing,
}

/// The findings that belong to another one, by number: of each the whole list, in order. What stands alone is not here.
pub(crate) fn together(report: &Report, fold: Fold) -> HashMap<usize, Vec<usize>> {
    type Headline<'a> = (&'a str, &'a str, Option<bool>, (&'a str, u32, u32));
    type Cause<'a> = (&'a str, &'a str, Option<bool>, (&'a str, u32));
    if fold == Fold::Nothing {
        return HashMap::new();
    }
    // GF1
    let mut lists: Vec<Vec<usize>> = Vec::new();
    let mut headlines: HashMap<Headline<'_>, usize> = HashMap::new();
    // The lists of a cause, and how many places there are.
    let mut causes: HashMap<Cause<'_>, (usize, Vec<usize>)> = HashMap::new();
    for (i, outcome) in report.results.iter().enumerate() {
        let (Some(rule), Some(f)) = (rule(outcome), &outcome.finding) else { continue };
        let (message, known) = (f.message.as_str(), outcome.known);
        let place = (f.file.as_str(), f.line, f.column);
        let list = *headlines.entry((rule, message, known, place)).or_insert_with(|| {
            lists.push(Vec::new());
            lists.len() - 1
        });
        lists[list].push(i);
        let (file, line, several) = match (f.alike, &f.origin) {
            (Alike::Message, _) => ("", 0, 2),
            (Alike::Origin, Some((file, line))) => (file.as_str(), *line, 2),
            (Alike::Cause, Some((file, line))) => (file.as_str(), *line, SEVERAL),
            (_, None) => continue,
        };
        // The object that one mistake is about may have several names.
        let message = if f.alike == Alike::Origin { "" } else { message };
        let of = causes.entry((rule, message, known, (file, line))).or_default();
        of.0 = several;
        if !of.1.contains(&list) {
            of.1.push(list);
        }
    }
    // GF2
    let mut into: Vec<usize> = (0..lists.len()).collect();
    if fold == Fold::Causes {
        let mut many: Vec<Vec<usize>> =
            causes.into_values().filter(|(n, l)| l.len() >= *n).map(|(_, l)| l).collect();
        many.sort_unstable();
        for list in many {
            let first = find(&into, list[0]);
            for other in list {
                let other = find(&into, other);
                let (first, other) = (first.min(other), first.max(other));
                into[other] = first;
            }
        }
    }
    let mut whole: Vec<Vec<usize>> = vec![Vec::new(); lists.len()];
    for (i, list) in lists.into_iter().enumerate() {
        whole[find(&into, i)].extend(list);
    }
    let mut out = HashMap::new();
    for mut list in whole.into_iter().filter(|list| list.len() > 1) {
        list.sort_unstable();
        for &i in &list {
            out.insert(i, list.clone());
        }
    }
    out
}

fn find(into: &[usize], mut i: usize) -> usize {
    while into[i] != i {
        i = into[i];
    }
    i
}

/// The one of a list that is told (GF4), and the others.
pub(crate) fn told(report: &Report, list: &[usize]) -> (usize, Vec<usize>) {
    let key = |i: usize| {
        let outcome = &report.results[i];
        let sure = outcome.finding.as_ref().and_then(|f| f.confidence);
        let steps = outcome.trace.as_ref().map_or(0, |t| t.steps.len());
        (std::cmp::Reverse(sure), steps, i)
    };
    let shown = list.iter().copied().min_by_key(|&i| key(i)).unwrap_or_default();
    (shown, list.iter().copied().filter(|i| *i != shown).collect())
}

/// The results, each with those that are told with it.
pub(crate) fn each(report: &Report) -> Vec<(usize, Vec<usize>)> {
    let together = together(report, Fold::Causes);
    let mut out = Vec::new();
    for i in 0..report.results.len() {
        match together.get(&i) {
            None => out.push((i, Vec::new())),
            Some(list) if list.first() == Some(&i) => out.push(told(report, list)),
            Some(_) => {}
        }
    }
    out
}

/// The findings of some results.
pub(crate) fn findings<'a>(report: &'a Report, list: &[usize]) -> Vec<(&'a Outcome, &'a Finding)> {
    let found = |i: &usize| {
        let outcome = report.results.get(*i)?;
        Some((outcome, outcome.finding.as_deref()?))
    };
    list.iter().filter_map(found).collect()
}

/// Other places, and other origins of the same place, in order, each once.
pub(crate) fn elsewhere(
    report: &Report,
    shown: usize,
    others: &[usize],
) -> (Vec<String>, Vec<String>) {
    let (mut places, mut origins): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let Some(first) = report.results[shown].finding.as_deref() else { return (places, origins) };
    for (_, f) in findings(report, others) {
        let elsewhere = (&f.file, f.line, f.column) != (&first.file, first.line, first.column);
        let (list, place) = match &f.origin {
            _ if elsewhere => (&mut places, format!("{}:{}", f.file, f.line)),
            Some((file, line)) if f.origin != first.origin => {
                (&mut origins, format!("{file}:{line}"))
            }
            _ => continue,
        };
        if !list.contains(&place) {
            list.push(place);
        }
    }
    (places, origins)
}
