//! Findings as compilers print them, so that editors and logs link them: `file:line:col: warning: … [bop.rule]`.
//!
//! The steps that matter are notes below the warning. What holds, and what is not known, has no place: these lines
//! begin with `bop:`.

use crate::causes::{self, Fold};
use crate::{Listing, Outcome, Report, Status};
use ir::{NodeId, Program};
use property::Property;
use std::io::{self, Write};

/// So many steps of a run without events are noted: the last ones.
const STEPS: usize = 30;

/// Writes the report as compilers do.
pub fn gcc(report: &Report, quiet: bool, out: &mut dyn Write) -> io::Result<()> {
    let same = causes::together(report, Fold::Headlines);
    for (i, outcome) in report.results.iter().enumerate().filter(|(_, o)| o.known != Some(true)) {
        // No line is there twice.
        if same.get(&i).is_some_and(|list| causes::told(report, list).0 != i) {
            continue;
        }
        let rule = crate::findings::rule(outcome).unwrap_or(outcome.property.kind());
        match outcome.status {
            Status::Violated if outcome.property == Property::ReachAll => {
                for dead in outcome.statements.iter().flatten().filter(|s| !s.reachable) {
                    let at = place(&report.program, dead.node);
                    line!(out, "{at}: warning: this statement can never be reached [bop.{rule}]")?;
                }
            }
            Status::Violated | Status::Reachable => {
                let (at, message) = told(report, outcome);
                line!(out, "{at}: warning: {message} [bop.{rule}]")?;
                if let Some(trace) = outcome.trace.as_ref().filter(|_| !quiet) {
                    steps(trace, out)?;
                }
            }
            status => {
                let what = crate::title(&outcome.property);
                let why = outcome.stop_reason.as_ref().map(|r| format!(" ({r})"));
                let why = why.unwrap_or_default();
                if status == Status::Unknown || !quiet {
                    line!(out, "bop: {}: {what}{why} [bop.{rule}]", status.word())?;
                }
            }
        }
        for why in &outcome.vacuous {
            line!(out, "bop: warning: {why} [bop.{rule}]")?;
        }
    }
    for warning in &report.claims.idle {
        line!(out, "bop: warning: {warning}")?;
    }
    if let Some(extent) = report.claims.read.as_ref().filter(|e| !e.is_complete()) {
        for part in extent.left_out.iter().filter(|p| p.line > 0) {
            let why = part.why.lines().next().unwrap_or("");
            line!(out, "{}:{}:{}: note: left out: {why}", part.file, part.line, part.column)?;
        }
        line!(out, "bop: incomplete: {}", extent.told())?;
    }
    Ok(())
}

fn place(program: &Program, node: NodeId) -> String {
    let origin = program.nodes[node].origin;
    let file = program.files.get(origin.file as usize).map_or("", String::as_str);
    format!("{file}:{}:{}", origin.line.max(1), origin.column.max(1))
}

/// Where a violation is, and what is wrong.
fn told(report: &Report, outcome: &Outcome) -> (String, String) {
    if let Some(f) = &outcome.finding {
        return (format!("{}:{}:{}", f.file, f.line, f.column), f.message.clone());
    }
    let last = outcome.trace.as_ref().and_then(|t| {
        let step = match t.loop_start {
            Some(start) => t.steps.get(start).filter(|s| s.stays.is_none()),
            None => t.steps.last(),
        };
        let step = step.or_else(|| t.steps.iter().rfind(|s| s.stays.is_none()))?;
        Some(place(&t.program, step.node))
    });
    let at = last.unwrap_or_else(|| format!("{}:1:1", report.file_name()));
    (at, crate::sarif::violated(outcome).replace('\n', "; "))
}

/// The steps that matter: those with events, or the last ones.
fn steps(trace: &Listing, out: &mut dyn Write) -> io::Result<()> {
    let program = &*trace.program;
    let eventful = trace.steps.iter().any(|s| !s.events.is_empty());
    let all = || trace.steps.iter().enumerate().filter(|(_, s)| s.stays.is_none());
    let shown = |s: &crate::ListedStep| !eventful || !s.events.is_empty() || s.assumed.is_some();
    let count = all().filter(|(_, s)| shown(s)).count();
    let left_out = count.saturating_sub(STEPS);
    if left_out > 0 {
        line!(out, "bop: note: {left_out} steps before these are not listed")?;
    }
    for (k, step) in all().filter(|(_, s)| shown(s)).skip(left_out) {
        let mut text = program.text(program.nodes[step.node].origin.text).to_owned();
        let events: Vec<&str> = step.events.iter().map(|e| e.shown.as_str()).collect();
        if !events.is_empty() {
            text += &format!(" [{}]", events.join(", "));
        }
        if let Some(assumed) = &step.assumed {
            text += &format!(" (assumes {assumed})");
        }
        if trace.loop_start == Some(k) {
            text += " (from here on for ever)";
        }
        line!(out, "{}: note: {}. {text}", place(program, step.node), k + 1)?;
    }
    Ok(())
}
