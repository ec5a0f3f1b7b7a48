//! Reports for programs: the schema `postbop.report/1`, written as it goes.
//!
//! A trace may have many steps, each with hundreds of variables: only one step at a time is held
//! as a JSON value.

use crate::values::{Reader, Value};
use crate::{Exit, Idle, ListedStep, Listing, LookedAt, Outcome, Report, States, StatesAt, Status};
use ir::{NodeId, Program};
use property::Property;
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};

/// Writes the report as one JSON object.
pub fn json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"schema\":\"postbop.report/1\",\"file\":{},", Json::from(report.file_name()))?;
    out.write_all(b"\"results\":[")?;
    for (i, outcome) in report.results.iter().enumerate() {
        out.write_all(if i > 0 { b",\n" } else { b"\n" })?;
        result(report, outcome, out)?;
    }
    out.write_all(b"]")?;
    if report.results.iter().any(|r| matches!(r.property, Property::Rule { .. })) {
        let suppressed = report.suppressed.iter().filter_map(|outcome| {
            let (f, reason) =
                (outcome.finding.as_ref()?, outcome.finding.as_ref()?.suppressed.as_ref());
            let Property::Rule { rule, bindings, .. } = &outcome.property else { return None };
            Some(json!({
                "rule": rule, "bindings": bound(bindings), "file": f.file,
                "line": f.line, "column": f.column, "message": f.message, "reason": reason,
            }))
        });
        field(out, "suppressed", suppressed.collect())?;
        let granted = report.assumptions.iter().chain(&report.claims.granted);
        field(out, "assumptions", granted.cloned().collect())?;
    } else if !report.claims.granted.is_empty() {
        field(out, "assumptions", json!(report.claims.granted))?;
    }
    if let Some(extent) = &report.claims.read {
        field(out, "checked", crate::claims::extent_json(extent))?;
    }
    if !report.claims.idle.is_empty() {
        field(out, "warnings", json!(report.claims.idle))?;
    }
    if !report.not_modelled.is_empty() {
        field(out, "not_modelled", json!(report.not_modelled))?;
    }
    out.write_all(b"}\n")
}

/// What metavariables stand for.
fn bound(bindings: &[(String, String)]) -> Json {
    bindings
        .iter()
        .map(|(name, object)| (name.clone(), json!(object)))
        .collect::<Map<_, _>>()
        .into()
}

fn result(report: &Report, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"property\":{}", property(&outcome.property))?;
    field(out, "verdict", outcome.status.word().into())?;
    field(out, "engine", outcome.engine.as_str().into())?;
    field(out, "why", outcome.why.as_str().into())?;
    field(out, "stats", stats(outcome.seconds, &outcome.counters))?;
    if let Some(looked) = &outcome.looked_at {
        field(out, "looked_at", looked_at(looked))?;
    }
    if let Some(finding) = &outcome.finding {
        field(out, "message", finding.message.as_str().into())?;
        let mut at = Map::new();
        if finding.file != report.file_name() {
            at.insert("file".into(), json!(finding.file));
        }
        at.insert("line".into(), json!(finding.line));
        at.insert("column".into(), json!(finding.column));
        at.insert("proc".into(), json!(finding.function));
        field(out, "place", Json::Object(at))?;
        if let Some((file, line)) = &finding.origin {
            field(out, "origin", json!({"file": file, "line": line}))?;
        }
    }
    match &outcome.trace {
        Some(trace) => {
            out.write_all(b",\"trace\":")?;
            listing(report, trace, out)?;
        }
        None => field(out, "trace", Json::Null)?,
    }
    if let Some(inputs) = &outcome.inputs {
        let values = inputs.values.iter();
        // Numbers of 64 bits do not fit those of all readers.
        let values = values.map(|(from, v)| json!({"from": from, "value": v.to_string()}));
        let values: Vec<Json> = values.collect();
        field(out, "inputs", json!({"values": values, "arguments": inputs.arguments}))?;
    }
    field(out, "stop_reason", outcome.stop_reason.as_ref().map(|r| r.code()).into())?;
    if let Some(finding) = outcome.finding.as_ref().filter(|f| !f.assumptions.is_empty()) {
        field(out, "assumptions", json!(finding.assumptions))?;
    }
    if let Some(statements) = &outcome.statements {
        let list = statements.iter().map(|s| {
            let mut object = place(&report.program, s.node, report.file_name(), None);
            object.insert("reachable".into(), s.reachable.into());
            Json::Object(object)
        });
        field(out, "statements", list.collect())?;
        let exit =
            |e: &Exit| json!({"proc": report.program.proc_name(e.proc), "reachable": e.reachable});
        field(out, "exits", outcome.exits.iter().map(exit).collect())?;
    }
    if let Some(note) = outcome.certificate {
        field(out, "certificate", json!({"checked": note.checked, "size": note.size}))?;
    }
    if let Some(vacuity) = &outcome.vacuity {
        let idle = |i: &Idle| json!({"part": i.part, "replaced_by": i.by});
        field(out, "vacuous", json!(outcome.is_vacuous()))?;
        if !vacuity.idle.is_empty() {
            field(out, "vacuous_parts", vacuity.idle.iter().map(idle).collect())?;
        }
        if let Some((part, trace)) = &vacuity.witness {
            field(out, "witness_for", idle(part))?;
            out.write_all(b",\"witness\":")?;
            listing(report, trace, out)?;
        }
    }
    let ruled = outcome.status == Status::Holds && crate::findings::rule(outcome).is_some();
    if outcome.vacuity.is_none() && (ruled || outcome.is_vacuous()) {
        field(out, "vacuous", json!(outcome.is_vacuous()))?;
    }
    if let Some(assumes) = &outcome.assumes {
        field(out, "skeleton", json!(true))?;
        field(out, "assumptions", json!(assumes))?;
    }
    let why_not = outcome.stop_reason.iter().map(|r| r.to_string());
    let said = outcome.vacuous.iter().chain(&outcome.warnings).cloned();
    let warnings: Vec<String> = why_not.chain(said).collect();
    if !warnings.is_empty() {
        field(out, "warnings", json!(warnings))?;
    }
    out.write_all(b"}")
}

/// How much was looked at.
fn looked_at(looked_at: &LookedAt) -> Json {
    let mut out = Map::new();
    if let Some(variables) = &looked_at.variables {
        out.insert("variables".into(), json!(variables.len()));
    }
    if let Some(values) = looked_at.values {
        out.insert("values".into(), json!(values));
    }
    out.insert("call_sites".into(), json!(looked_at.call_sites));
    Json::Object(out)
}

/// A field that is not the first.
fn field(out: &mut dyn Write, name: &str, value: Json) -> io::Result<()> {
    write!(out, ",\"{name}\":{value}")
}

/// A question.
pub(crate) fn property(property: &Property) -> Json {
    match property {
        Property::Reach { label } => json!({"kind": property.kind(), "label": label}),
        Property::Ltl { formula, fair } => {
            fairly(json!({"kind": property.kind(), "formula": formula}), fair)
        }
        Property::Sere { formula } => json!({"kind": property.kind(), "formula": formula}),
        Property::Terminates { fair } => fairly(json!({"kind": property.kind()}), fair),
        Property::Rule { rule, text, bindings } => {
            json!({"kind": property.kind(), "rule": rule, "bindings": bound(bindings), "text": text})
        }
        _ => json!({"kind": property.kind()}),
    }
}

fn fairly(mut property: Json, fair: &[String]) -> Json {
    if !fair.is_empty() {
        property["fair"] = json!(fair);
    }
    property
}

pub(crate) fn stats(seconds: f64, counters: &[(String, u64)]) -> Json {
    let mut out = Map::new();
    out.insert("seconds".into(), json!((seconds * 1e6).round() / 1e6));
    for (name, value) in counters {
        out.insert(name.replace(' ', "_"), json!(value));
    }
    Json::Object(out)
}

fn listing(report: &Report, trace: &Listing, out: &mut dyn Write) -> io::Result<()> {
    let mut reader = Reader::new(&trace.program);
    write!(
        out,
        "{{\"shortest\":{},\"loop_start\":{},",
        trace.shortest,
        Json::from(trace.loop_start)
    )?;
    if trace.growth > 0 {
        write!(out, "\"stack_growth\":{},", trace.growth)?;
    }
    out.write_all(b"\"steps\":[")?;
    for (i, step) in trace.steps.iter().enumerate() {
        out.write_all(if i > 0 { b",\n" } else { b"\n" })?;
        write!(out, "{}", step_json(report, trace, step, &mut reader))?;
    }
    out.write_all(b"]}")
}

/// One step.
fn step_json(report: &Report, trace: &Listing, step: &ListedStep, reader: &mut Reader<'_>) -> Json {
    let program = &trace.program;
    let mut object = place(program, step.node, report.file_name(), Some(step.depth));
    if step.stays.is_some() {
        let (line, column, text) = step.origin(program);
        object.insert("line".into(), json!(line));
        object.insert("column".into(), json!(column));
        object.insert("text".into(), json!(text));
    }
    let state = reader.values(program.nodes[step.node].proc, &step.state).into_iter();
    let state: Map<String, Json> =
        state.map(|(var, value)| (program.var_name(var).to_owned(), value_json(&value))).collect();
    object.insert("state".into(), Json::Object(state));
    if let Some(count) = &step.folded {
        object.insert("folded".into(), json!(**count));
    }
    if !step.events.is_empty() {
        let events: Vec<&str> = step.events.iter().map(|e| e.text.as_str()).collect();
        object.insert("events".into(), json!(events));
    }
    if step.on_the_way {
        object.insert("on_the_way".into(), json!(true));
    }
    Json::Object(object)
}

/// `proc`, `file` where it is not the report's, `line`, `column`, `depth` of a step, `text`.
pub(crate) fn place(
    program: &Program,
    node: NodeId,
    file: &str,
    depth: Option<u32>,
) -> Map<String, Json> {
    let info = &program.nodes[node];
    let mut out = Map::new();
    out.insert("proc".into(), json!(program.proc_name(info.proc)));
    if let Some(name) = program.files.get(info.origin.file as usize)
        && name != file
    {
        out.insert("file".into(), json!(name));
    }
    out.insert("line".into(), json!(info.origin.line));
    out.insert("column".into(), json!(info.origin.column));
    if let Some(depth) = depth {
        out.insert("depth".into(), json!(depth));
    }
    out.insert("text".into(), json!(program.text(info.origin.text)));
    out
}

pub(crate) fn value_json(value: &Value) -> Json {
    match value {
        Value::Bool(b) => json!(b),
        Value::Int(v) => json!(v),
        Value::Negative(v) => json!(v),
        Value::Array(cells) => {
            cells.iter().map(|c| c.as_ref().map_or(Json::Null, value_json)).collect()
        }
    }
}

/// Writes what can hold at a place as one JSON object, schema `postbop.states/1`.
pub fn states_json(states: &States, out: &mut dyn Write) -> io::Result<()> {
    let file = states.files.first().map_or("", |f| f.name());
    let reader = Reader::new(&states.program);
    let places: Vec<Json> =
        states.places.iter().map(|at| states_at(states, at, file, &reader)).collect();
    let object = json!({
        "schema": "postbop.states/1",
        "file": file,
        "at": states.at,
        "engine": states.engine,
        "why": states.why,
        "stats": stats(states.seconds, &states.counters),
        "places": places,
        "stop_reason": states.stop_reason.as_ref().map(|r| r.code()),
    });
    writeln!(out, "{object}")
}

fn states_at(states: &States, at: &StatesAt, file: &str, reader: &Reader<'_>) -> Json {
    let program = &states.program;
    let mut object = place(program, at.node, file, None);
    object.insert("reachable".into(), json!(at.reachable));
    let names: Vec<&str> = at.vars.iter().map(|&v| program.var_name(v)).collect();
    object.insert("variables".into(), json!(names));
    object.insert("formula".into(), json!(at.formula.text));
    if !at.formula.definitions.is_empty() {
        let definitions = at.formula.definitions.iter();
        let map: Map<String, Json> =
            definitions.map(|(name, text)| (name.clone(), json!(text))).collect();
        object.insert("definitions".into(), Json::Object(map));
    }
    let cubes = at.cubes.iter().map(|cube| {
        let values = at.vars.iter().filter_map(|&var| {
            let value = match reader.value(cube, var) {
                Some(value) => value_json(&value),
                // An integer of which some bits are known.
                None => json!(reader.pattern(cube, var)?),
            };
            Some((program.var_name(var).to_owned(), value))
        });
        Json::Object(values.collect())
    });
    object.insert("cubes".into(), cubes.collect());
    object.insert("complete".into(), json!(!at.cut));
    if let Some(count) = at.count {
        object.insert("count".into(), json!(count.to_string()));
    }
    Json::Object(object)
}
