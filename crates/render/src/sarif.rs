//! SARIF 2.1.0 with code flows, for code-scanning sites.

use crate::values::{Changes, Reader};
use crate::{Extent, Finding, Listing, Outcome, Report, Status};
use ir::{NodeId, Program};
use property::Property;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::io::{self, Write};

/// Locations of one code flow; sites refuse larger ones.
pub const MAX_SARIF_LOCATIONS: usize = 10_000;

/// The rules, in the order of their indices: id, what is wrong, and a word for the level.
const RULES: [(&str, &str, &str); 6] = [
    ("assert", "An assertion can fail", "error"),
    ("reach", "A statement that should be unreachable can be reached", "error"),
    ("reach-all", "A statement can never be reached", "warning"),
    ("ltl", "A run violates a temporal formula", "error"),
    ("terminates", "A run never ends", "error"),
    ("sere", "A run matches a sequence that is forbidden", "error"),
];

/// Writes the report as SARIF.
pub fn sarif(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut rules: Vec<Json> = RULES
        .iter()
        .map(|(id, text, level)| {
            json!({
                "id": id,
                "shortDescription": {"text": text},
                "defaultConfiguration": {"level": level},
            })
        })
        .collect();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (number, (id, ..)) in RULES.iter().enumerate() {
        numbers.insert((*id).to_owned(), number);
    }
    let all = report.suppressed.iter().chain(&report.results);
    for rule in all.clone().filter_map(crate::findings::rule) {
        if !numbers.contains_key(rule) {
            numbers.insert(rule.to_owned(), rules.len());
            rules.push(json!({
                "id": rule,
                "shortDescription": {"text": format!("A run breaks the rule {rule}")},
                "defaultConfiguration": {"level": "error"},
            }));
        }
    }
    let results: Vec<Json> = all.flat_map(|o| results(report, o, &numbers)).collect();
    let mut notes: Vec<Json> = report.results.iter().filter_map(notification).collect();
    let vacuous = report.results.iter().flat_map(|o| {
        let what = crate::title(&o.property);
        o.vacuous.iter().map(move |why| format!("{what}: {why}"))
    });
    let idle = report.claims.idle.iter().cloned();
    notes.extend(
        vacuous.chain(idle).map(|text| json!({"level": "warning", "message": {"text": text}})),
    );
    let extent = report.claims.read.as_ref();
    notes.extend(extent.filter(|e| !e.is_complete()).map(incomplete));
    let said = report.assumptions.iter().chain(&report.claims.granted).chain(&report.not_modelled);
    notes.extend(said.map(|text| json!({"level": "note", "message": {"text": text}})));
    let page = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "bop",
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": extent.is_none_or(Extent::is_complete),
                "toolExecutionNotifications": notes,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &page)?;
    writeln!(out)
}

/// That not all of the program was read.
fn incomplete(extent: &Extent) -> Json {
    let places = extent.left_out.iter().filter(|l| !l.file.is_empty());
    let locations: Vec<Json> = places
        .map(|l| {
            let region = json!({"startLine": l.line.max(1), "startColumn": l.column.max(1)});
            json!({"physicalLocation": {
                "artifactLocation": {"uri": uri(&l.file)}, "region": region,
            }})
        })
        .collect();
    let text = format!("incomplete: {}", extent.told());
    json!({"level": "error", "message": {"text": text}, "locations": locations})
}

/// An answer that is missing.
fn notification(outcome: &Outcome) -> Option<Json> {
    let reason = outcome.stop_reason.as_ref()?;
    let what = crate::title(&outcome.property);
    Some(json!({"level": "warning", "message": {"text": format!("{what}: unknown: {reason}")}}))
}

fn results(report: &Report, outcome: &Outcome, numbers: &HashMap<String, usize>) -> Vec<Json> {
    let rule = crate::findings::rule(outcome).unwrap_or(outcome.property.kind());
    let index = numbers.get(rule);
    let result = |kind: &str, level: &str, text: String, place: Option<(&Program, NodeId)>| {
        let mut object = Map::new();
        object.insert("ruleId".into(), json!(rule));
        object.insert("ruleIndex".into(), json!(index));
        object.insert("kind".into(), json!(kind));
        object.insert("level".into(), json!(level));
        object.insert("message".into(), json!({"text": text}));
        if let Some((program, node)) = place {
            object.insert("locations".into(), json!([location(program, node, None)]));
        }
        object
    };
    match outcome.status {
        Status::Unknown => Vec::new(),
        Status::Holds | Status::Unreachable => {
            let text = format!("{}: {}", crate::title(&outcome.property), outcome.status.word());
            vec![Json::Object(result("pass", "none", text, None))]
        }
        Status::Violated if outcome.property == Property::ReachAll => {
            let dead = outcome.statements.iter().flatten().filter(|s| !s.reachable);
            dead.map(|s| {
                let text = "this statement can never be reached".to_owned();
                Json::Object(result("fail", "warning", text, Some((&report.program, s.node))))
            })
            .collect()
        }
        Status::Violated | Status::Reachable => {
            if let Some(finding) = &outcome.finding {
                return vec![broken(finding, outcome.trace.as_ref(), result)];
            }
            let text = match &outcome.property {
                Property::Reach { label } => format!("{label} can be reached"),
                Property::Ltl { formula, .. } | Property::Sere { formula } => {
                    format!("a run violates {formula}")
                }
                Property::Terminates { .. } => "a run never ends".to_owned(),
                _ => "this assertion can fail".to_owned(),
            };
            let text = match crate::text::skeleton(outcome) {
                Some(skeleton) => format!("{text}\n{skeleton}"),
                None => text,
            };
            // Where it happens: at the end, or where the part begins that repeats for ever.
            let last = outcome.trace.as_ref().and_then(|t| {
                let step = match t.loop_start {
                    Some(start) => t.steps.get(start).filter(|s| s.stays.is_none()),
                    None => t.steps.last(),
                };
                let step = step.or_else(|| t.steps.iter().rfind(|s| s.stays.is_none()));
                step.map(|s| (&*t.program, s.node))
            });
            let mut object = result("fail", "error", text, last);
            if let Some(trace) = &outcome.trace {
                let flow = json!([{"threadFlows": [{"locations": flow(trace)}]}]);
                object.insert("codeFlows".into(), flow);
            }
            vec![Json::Object(object)]
        }
    }
}

/// A violation of a rule; a remark that allows it is a suppression.
fn broken(
    finding: &Finding,
    trace: Option<&Listing>,
    result: impl Fn(&str, &str, String, Option<(&Program, NodeId)>) -> Map<String, Json>,
) -> Json {
    let mut text = finding.message.clone();
    if let Some(granted) = crate::findings::taken_for_granted(finding) {
        text += &format!("\n{granted}");
    }
    let mut object = result("fail", "error", text, None);
    let at = json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri(&finding.file)},
            "region": {
                "startLine": finding.line.max(1),
                "startColumn": finding.column.max(1),
            },
        },
        "logicalLocations": [{"name": finding.function, "kind": "function"}],
    });
    object.insert("locations".into(), json!([at]));
    if let Some(trace) = trace {
        let flow = json!([{"threadFlows": [{"locations": flow(trace)}]}]);
        object.insert("codeFlows".into(), flow);
    }
    if let Some(reason) = &finding.suppressed {
        let why = json!([{"kind": "inSource", "justification": reason}]);
        object.insert("suppressions".into(), why);
    }
    Json::Object(object)
}

/// The steps; of a trace that is too long, the first and the last.
fn flow(trace: &Listing) -> Vec<Json> {
    let program = &*trace.program;
    let eventful = trace.steps.iter().any(|s| !s.events.is_empty());
    let mut reader = Reader::new(program);
    let mut changes = Changes::new();
    let n = trace.steps.len();
    let cut = if n > MAX_SARIF_LOCATIONS {
        MAX_SARIF_LOCATIONS / 2..n - MAX_SARIF_LOCATIONS / 2
    } else {
        n..n
    };
    let mut out = Vec::new();
    for (i, step) in trace.steps.iter().enumerate().filter(|(_, s)| s.stays.is_none()) {
        let info = &program.nodes[step.node];
        let changed = changes.step(&mut reader, info.proc, step.depth, &step.state);
        if cut.contains(&i) {
            continue;
        }
        let mut text = program.text(info.origin.text).to_owned();
        if trace.loop_start == Some(i) {
            text = format!("(from here on for ever) {text}");
        }
        if let Some(count) = &step.folded {
            text += &format!(" ({} steps inside)", crate::text::rounded(count));
        }
        if !step.events.is_empty() {
            let events: Vec<&str> = step.events.iter().map(|e| e.shown.as_str()).collect();
            text += &format!("  [{}]", events.join(", "));
        }
        let state: Map<String, Json> = changed
            .into_iter()
            .filter_map(|(var, value)| {
                let value = json!({"text": value?.to_string()});
                Some((program.var_name(var).to_owned(), value))
            })
            .collect();
        let mut entry = json!({
            "executionOrder": i + 1,
            "nestingLevel": step.depth,
            "location": location(program, step.node, Some(&text)),
            "state": state,
        });
        if eventful {
            let importance = if step.events.is_empty() { "unimportant" } else { "essential" };
            entry["importance"] = json!(importance);
        }
        out.push(entry);
    }
    out
}

fn location(program: &Program, node: NodeId, text: Option<&str>) -> Json {
    let info = &program.nodes[node];
    let file = program.files.get(info.origin.file as usize);
    let mut out = json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri(file.map_or("", String::as_str))},
            "region": {
                "startLine": info.origin.line.max(1),
                "startColumn": info.origin.column.max(1),
            },
        },
        "logicalLocations": [{
            "name": program.proc_name(info.proc),
            "kind": "function",
        }],
    });
    if let (Some(text), Json::Object(object)) = (text, &mut out) {
        object.insert("message".into(), json!({"text": text}));
    }
    out
}

/// A file's name as a relative reference: what is not unreserved in RFC 3986, nor `/`, is escaped.
fn uri(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char);
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}
