//! What is not shown of findings: those that no run has, and those that are less sure than wanted.

use crate::confidence::confidence;
use check::StopReason;
use property::Property;
use render::{Confidence, Outcome, Report, Status};
use std::collections::{BTreeMap, BTreeSet};

/// Findings that no run has leave; a rule of which none is left holds as far as it was looked at.
pub(crate) fn drop_gone(report: &mut Report, gone: &BTreeSet<usize>) {
    let mut index = 0;
    let mut left: Vec<(Property, Outcome)> = Vec::new();
    report.results.retain(|outcome| {
        index += 1;
        let goes = gone.contains(&(index - 1));
        if goes {
            left.push((outcome.property.clone(), outcome.clone()));
        }
        !goes
    });
    let name = |p: &Property| match p {
        Property::Rule { rule, .. } => rule.clone(),
        _ => String::new(),
    };
    for (property, outcome) in left {
        let rule = name(&property);
        if report.results.iter().any(|o| name(&o.property) == rule) {
            continue;
        }
        let mut property = property;
        if let Property::Rule { bindings, .. } = &mut property {
            bindings.clear();
        }
        let mut holds =
            Outcome { status: Status::Holds, ..Outcome::unknown(property, StopReason::Cancelled) };
        holds.stop_reason = None;
        holds.engine = crate::bounded::BOUNDED.to_owned();
        holds.why =
            "no run of the program comes to where its control skeleton breaks the rule".to_owned();
        holds.looked_at = outcome.looked_at;
        report.results.push(holds);
    }
}

/// Hides what is less sure than wanted, and says so.
pub fn hide(report: &mut Report, wanted: Confidence) {
    let shown = |o: &Outcome| confidence(o).is_none_or(|c| c >= wanted);
    let rule = |o: &Outcome| findings::rule_name(o).map(str::to_owned);
    let mut hidden: BTreeMap<String, (usize, Outcome)> = BTreeMap::new();
    for outcome in report.results.iter().filter(|o| !shown(o)) {
        if let Some(rule) = rule(outcome) {
            hidden.entry(rule).or_insert_with(|| (0, outcome.clone())).0 += 1;
        }
    }
    if hidden.is_empty() {
        return;
    }
    let violated = |o: &&Outcome| shown(o) && o.finding.is_some();
    let broken: BTreeSet<String> =
        report.results.iter().filter(violated).filter_map(rule).collect();
    let mut results = Vec::new();
    for outcome in std::mem::take(&mut report.results) {
        let name = rule(&outcome);
        if shown(&outcome) {
            results.push(outcome);
            continue;
        }
        let Some((n, first)) = name.and_then(|name| hidden.remove(&name)) else { continue };
        report.claims.hidden += n;
        if broken.contains(findings::rule_name(&first).unwrap_or_default()) {
            continue;
        }
        // Nothing is said to hold of which something is possible.
        let s = if n == 1 { "" } else { "s" };
        let what = format!("{n} finding{s} not shown: less than {}", wanted.word());
        let mut open = Outcome::unknown(first.property, StopReason::Incomplete { what });
        if let Property::Rule { bindings, .. } = &mut open.property {
            bindings.clear();
        }
        open.engine = first.engine;
        open.why = first.why;
        open.seconds = first.seconds;
        open.looked_at = first.looked_at;
        results.push(open);
    }
    report.results = results;
}
