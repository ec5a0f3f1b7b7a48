//! Runs and lists of statements, as columns of numbers.

use super::book::Book;
use super::{columns, invariants};
use crate::text::rounded;
use crate::values::{Change, Changes, Reader};
use crate::{Finding, Listing, Outcome, Report};
use ir::{Id, NodeId};
use property::Property;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::io;

/// The rows of a run, or of a list of statements.
#[derive(Serialize, Default)]
pub(super) struct Rows {
    /// Numbers of statements.
    #[serde(serialize_with = "columns::write")]
    pub(super) s: Vec<usize>,
    /// Depths; none: all 0.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "columns::write")]
    d: Vec<u32>,
    /// Changes: so many steps on, the variable, the number of its value or -1.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "columns::write")]
    c: Vec<i64>,
    /// Values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    v: Vec<String>,
    /// Why something holds at a step, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) w: Vec<(usize, Vec<String>)>,
    /// Calls that are folded: how many steps are inside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    f: Vec<(usize, String)>,
    /// States in which a run that is over stays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    e: Vec<(usize, String)>,
    /// What happens that matters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) m: Vec<(usize, String)>,
    /// What is assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    a: Vec<(usize, String)>,
    /// States of a rule's automaton, before these steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    q: Vec<(usize, u32)>,
    /// Names that hold the value that a rule is about, from these steps on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    h: Vec<(usize, String)>,
    /// What holds at statements; none: this is a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) i: Option<Vec<(usize, String)>>,
    /// Statements that cannot be reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) x: Vec<usize>,
}

/// A run.
pub(super) fn of(
    trace: &Listing,
    finding: Option<&Finding>,
    book: &mut Book<'_>,
) -> io::Result<Rows> {
    let program = &*trace.program;
    let first_var = book.variables(program);
    let mut reader = Reader::new(program);
    let mut changes = Changes::new();
    let mut rows = Rows::default();
    let mut statements: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut values: FxHashMap<String, i64> = FxHashMap::default();
    let mut last_change = 0;
    for (k, step) in trace.steps.iter().enumerate() {
        let number =
            *(statements.entry(step.node)).or_insert_with(|| book.statement(program, step.node));
        rows.s.push(number);
        rows.d.push(step.depth);
        let proc = program.nodes[step.node].proc;
        for Change { var, now, .. } in changes.step(&mut reader, proc, step) {
            let value = now.map_or(-1, |value| {
                let next = values.len() as i64;
                *values.entry(value.to_string()).or_insert(next)
            });
            rows.c.extend([(k - last_change) as i64, (first_var + var.index()) as i64, value]);
            last_change = k;
        }
        rows.f.extend(step.folded.as_deref().map(|count| (k, rounded(count))));
        rows.e.extend(step.stays.map(|_| (k, step.origin(program).2.to_owned())));
        let events: Vec<&str> = step.events.iter().map(|e| e.shown.as_str()).collect();
        if !events.is_empty() {
            rows.m.push((k, events.join(", ")));
        }
        // What lies on the way is not told, and changes nothing.
        if !step.on_the_way {
            let held = step.held.join(", ");
            if rows.h.last().map_or("", |last| last.1.as_str()) != held {
                rows.h.push((k, held));
            }
        }
        rows.a.extend(step.assumed.clone().map(|condition| (k, condition)));
    }
    let mut by_number: Vec<(i64, String)> = values.into_iter().map(|(v, k)| (k, v)).collect();
    by_number.sort_unstable();
    rows.v = by_number.into_iter().map(|(_, value)| value).collect();
    // The step that breaks it says so.
    if let (Some(finding), Some(last)) = (finding, rows.s.len().checked_sub(1)) {
        match rows.m.last_mut() {
            Some((k, words)) if *k == last => *words = format!("{}: {words}", finding.message),
            _ => rows.m.push((last, finding.message.clone())),
        }
    }
    if rows.d.iter().all(|d| *d == 0) {
        rows.d.clear();
    }
    if let Some(monitor) = &trace.monitor {
        rows.q.clone_from(&monitor.at);
    }
    Ok(rows)
}

/// All statements, with those that cannot be reached.
pub(super) fn statements(report: &Report, outcome: &Outcome, book: &mut Book<'_>) -> Rows {
    let program = &*report.program;
    let facts = known(report, outcome);
    let mut rows = Rows { i: Some(Vec::new()), ..Rows::default() };
    for (k, statement) in outcome.statements.iter().flatten().enumerate() {
        rows.s.push(book.statement(program, statement.node));
        if !statement.reachable {
            rows.x.push(k);
            rows.m.push((k, "can never be reached".to_owned()));
        } else if let (Some(facts), Some(i)) = (&facts, &mut rows.i) {
            i.push((k, facts.at(statement.node)));
        }
    }
    rows
}

/// The proof's sets, where they are about the program that the page shows.
fn known<'a>(report: &'a Report, outcome: &'a Outcome) -> Option<invariants::Invariants<'a>> {
    let proof = outcome.proof.as_deref()?;
    let of_program =
        matches!(outcome.property, Property::Assert | Property::Reach { .. } | Property::ReachAll);
    (of_program && proof.path.len() == report.program.nodes.len())
        .then(|| invariants::Invariants::new(&report.program, proof))
}

/// All statements with what a proof says of them.
pub(super) fn proof(report: &Report, outcome: &Outcome, book: &mut Book<'_>) -> Option<Rows> {
    let program = &*report.program;
    let facts = known(report, outcome)?;
    let mut nodes: Vec<NodeId> =
        program.nodes.ids().filter(|&n| program.nodes[n].statement).collect();
    nodes.sort_by_key(|&n| {
        let origin = &program.nodes[n].origin;
        (origin.file, origin.line, origin.column, n)
    });
    let mut rows = Rows::default();
    let mut said = Vec::new();
    for (k, node) in nodes.into_iter().enumerate() {
        rows.s.push(book.statement(program, node));
        match facts.never(node) {
            true => {
                rows.x.push(k);
                rows.m.push((k, "no run comes here".to_owned()));
            }
            false => said.push((k, facts.at(node))),
        }
    }
    rows.i = Some(said);
    Some(rows)
}
