//! How it went, in one line: `3 findings in 2 files, 2 rules hold, 41 functions`.

use crate::{Outcome, Report, Status};
use property::Property;
use std::collections::BTreeSet;

fn counted(n: usize, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// Where a violation is: its file.
fn file(outcome: &Outcome) -> Option<&str> {
    if let Some(finding) = &outcome.finding {
        return Some(&finding.file);
    }
    let trace = outcome.trace.as_ref()?;
    let step = trace.steps.iter().rfind(|s| s.stays.is_none())?;
    let file = trace.program.nodes[step.node].origin.file;
    trace.program.files.get(file as usize).map(String::as_str)
}

/// How it went, without the time that it took.
pub fn closing(report: &Report) -> String {
    let mut parts: Vec<String> = Vec::new();
    let violated = report.results.iter().filter(|r| r.status.is_violation());
    let found = violated.clone().count();
    let files: BTreeSet<&str> = violated.filter_map(file).collect();
    if found > 0 {
        let findings = counted(found, "finding", "findings");
        parts.push(match files.len() {
            0 => findings,
            n => format!("{findings} in {}", counted(n, "file", "files")),
        });
    }
    let holds = |o: &&Outcome| matches!(o.status, Status::Holds | Status::Unreachable);
    let is_rule = |o: &&Outcome| matches!(o.property, Property::Rule { .. });
    let holding = report.results.iter().filter(holds);
    let rules = holding.clone().filter(is_rule).count();
    let others = holding.count() - rules;
    if rules > 0 {
        parts.push(format!("{} {}", counted(rules, "rule", "rules"), verb(rules)));
    }
    if others > 0 {
        parts.push(format!("{} {}", counted(others, "question", "questions"), verb(others)));
    }
    let open = report.results.iter().filter(|r| r.status == Status::Unknown).count();
    if open > 0 {
        parts.push(format!("{open} unknown"));
    }
    if !report.suppressed.is_empty() {
        parts.push(format!("{} suppressed", report.suppressed.len()));
    }
    if let Some(extent) = &report.claims.read {
        parts.push(counted(extent.functions, "function", "functions"));
        if !extent.is_complete() {
            parts.push(format!("{} left out", extent.left_out.len()));
        }
    }
    parts.join(", ")
}

fn verb(n: usize) -> &'static str {
    if n == 1 { "holds" } else { "hold" }
}
