//! Bebop's listing, as in [bebop Fig. 1]: the run in reverse, indented by call depth.

use crate::values::Reader;
use crate::{MAX_INDENT, Outcome, Report, Status};
use property::Property;
use std::io::{self, Write};

/// Blanks for each active call.
const INDENT: usize = 6;

/// Writes the report as Bebop printed it.
pub fn bebop(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for (i, outcome) in report.results.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        let by = if outcome.trace.is_some() { " by following path:" } else { "" };
        line!(out, "{}{by}", head(outcome))?;
        for statement in outcome.statements.iter().flatten().filter(|s| !s.reachable) {
            line!(out, "Line {} not reachable", report.program.nodes[statement.node].origin.line)?;
        }
        let Some(trace) = &outcome.trace else { continue };
        let program = &*trace.program;
        let mut reader = Reader::new(program);
        writeln!(out)?;
        for (i, step) in trace.steps.iter().enumerate().rev() {
            let node = &program.nodes[step.node];
            let mut line = String::new();
            if step.depth > MAX_INDENT {
                line = format!("({}) ", step.depth);
            }
            match step.stays {
                None => line += &format!("Line {:<8}State", node.origin.line),
                Some(_) => line += &format!("{:<13}State", step.origin(program).2),
            }
            for (var, value) in step.values.iter().flatten() {
                line += &format!(" {}={value}", program.var_name(*var));
            }
            if step.values.is_none() {
                for (var, value) in reader.values(node.proc, &step.state) {
                    line += &format!(" {}={value}", program.var_name(var));
                }
            }
            for event in &step.events {
                line += &format!(" [{}]", event.shown);
            }
            if let Some(count) = &step.folded {
                line += &format!(" ({} steps folded)", crate::text::rounded(count));
            }
            let indent = INDENT * step.depth.min(MAX_INDENT) as usize;
            line!(out, "{:indent$}{line}", "")?;
            if trace.loop_start == Some(i) {
                line!(out, "-- repeated for ever:")?;
            }
        }
    }
    Ok(())
}

fn head(outcome: &Outcome) -> String {
    let what = match &outcome.property {
        Property::Reach { label } => match label.strip_prefix(':') {
            Some(line) => format!("Line {line}"),
            None => format!("Label {label}"),
        },
        Property::Assert => "Assertion".to_owned(),
        Property::Ltl { formula, .. } => format!("Formula {formula}"),
        Property::Sere { formula } => format!("Property {formula}"),
        Property::Automaton { name, .. } => format!("Automaton {name}"),
        Property::Terminates { .. } => "Termination".to_owned(),
        Property::Rule { rule, .. } => format!("Rule {rule}"),
        Property::Operations { kind } => format!("Question {}", kind.word()),
        _ => "Statements".to_owned(),
    };
    match (outcome.status, &outcome.property) {
        (Status::Reachable, _) => format!("{what} reachable"),
        (Status::Unreachable, _) => format!("{what} not reachable"),
        (Status::Violated, Property::Assert) => "Assertion violated".to_owned(),
        (Status::Holds, Property::Assert) => "No assertion violated".to_owned(),
        (Status::Violated, Property::ReachAll) => "Some statements not reachable:".to_owned(),
        (Status::Holds, Property::ReachAll) => "All statements reachable".to_owned(),
        (Status::Violated, _) => match &outcome.finding {
            Some(finding) => format!("{what} violated ({})", finding.message),
            None => format!("{what} violated"),
        },
        (Status::Holds, _) => format!("{what} holds"),
        (Status::Unknown, _) => match &outcome.stop_reason {
            Some(reason) => format!("{what}: no answer: {reason}"),
            None => format!("{what}: no answer"),
        },
    }
}
