//! SARIF 2.1.0 with code flows, for code-scanning sites.

use crate::values::{Changes, Reader};
use crate::{Extent, Finding, Listing, Outcome, Report, Status};
use ir::NodeId;
use property::Property;
use serde_json::{Map, Value as Json, json};
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
    let mut results: Vec<Json> = report.results.iter().flat_map(|o| results(report, o)).collect();
    let mut notes: Vec<Json> = report.results.iter().filter_map(notification).collect();
    for outcome in report.rules.iter().flat_map(|r| &r.rules) {
        let index = rules.len();
        rules.push(json!({
            "id": outcome.rule,
            "shortDescription": {"text": format!("A run breaks the rule {}", outcome.rule)},
            "defaultConfiguration": {"level": "error"},
        }));
        let broken = outcome.findings.iter().chain(&outcome.suppressed);
        results.extend(broken.map(|f| finding(&outcome.rule, index, f)));
        match &outcome.stop_reason {
            Some(reason) => {
                let text = format!("{}: unknown: {reason}", outcome.rule);
                notes.push(json!({"level": "warning", "message": {"text": text}}));
            }
            None if outcome.findings.is_empty() => results.push(json!({
                "ruleId": outcome.rule, "ruleIndex": index, "kind": "pass", "level": "none",
                "message": {"text": format!("{}: holds", outcome.rule)},
            })),
            None => {}
        }
    }
    let rules_said = report.rules.iter().flat_map(|r| &r.rules);
    let vacuous = rules_said.flat_map(|r| r.vacuous.iter().map(|w| (r.rule.clone(), w)));
    let results_said = report.results.iter();
    let vacuous = vacuous
        .chain(results_said.flat_map(|o| o.vacuous.iter().map(|w| (crate::title(&o.property), w))));
    let vacuous = vacuous.map(|(what, why)| format!("{what}: {why}"));
    let idle = report.claims.idle.iter().cloned();
    notes.extend(
        vacuous.chain(idle).map(|text| json!({"level": "warning", "message": {"text": text}})),
    );
    let extent = report.claims.read.as_ref();
    notes.extend(extent.filter(|e| !e.is_complete()).map(incomplete));
    let said = report.rules.iter().flat_map(|r| &r.assumptions);
    let said = said.chain(&report.claims.granted).chain(&report.not_modelled);
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

/// A violation of a rule; a remark that allows it is a suppression.
fn finding(rule: &str, index: usize, finding: &Finding) -> Json {
    let mut text = finding.message.clone();
    if let Some(granted) = crate::findings::taken_for_granted(finding) {
        text += &format!("\n{granted}");
    }
    let place = |file: &str, line: u32, column: u32, function: &str, text: Option<&str>| {
        let mut out = json!({
            "physicalLocation": {
                "artifactLocation": {"uri": uri(file)},
                "region": {"startLine": line.max(1), "startColumn": column.max(1)},
            },
            "logicalLocations": [{"name": function, "kind": "function"}],
        });
        if let Some(text) = text {
            out["message"] = json!({"text": text});
        }
        out
    };
    let n = finding.steps.len();
    let half = MAX_SARIF_LOCATIONS / 2;
    let locations: Vec<Json> = (finding.steps.iter().enumerate())
        .filter(|(i, _)| n <= MAX_SARIF_LOCATIONS || *i < half || *i >= n - half)
        .map(|(i, step)| {
            let importance = if step.event.is_some() { "essential" } else { "unimportant" };
            let text = match &step.event {
                Some(event) => format!("{}  [{}]", step.text, crate::findings::unscoped(event)),
                None => step.text.clone(),
            };
            json!({
                "executionOrder": i + 1,
                "nestingLevel": step.depth,
                "importance": importance,
                "location": place(&step.file, step.line, step.column, &step.function, Some(&text)),
            })
        })
        .collect();
    let at = place(&finding.file, finding.line, finding.column, &finding.function, None);
    let mut out = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "kind": "fail",
        "level": "error",
        "message": {"text": text},
        "locations": [at],
    });
    if !locations.is_empty() {
        out["codeFlows"] = json!([{"threadFlows": [{"locations": locations}]}]);
    }
    if let Some(reason) = &finding.suppressed {
        out["suppressions"] = json!([{"kind": "inSource", "justification": reason}]);
    }
    out
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

fn results(report: &Report, outcome: &Outcome) -> Vec<Json> {
    let rule = outcome.property.kind();
    let index = RULES.iter().position(|(id, ..)| *id == rule);
    let result = |kind: &str, level: &str, text: String, place: Option<NodeId>| {
        let mut object = Map::new();
        object.insert("ruleId".into(), json!(rule));
        object.insert("ruleIndex".into(), json!(index));
        object.insert("kind".into(), json!(kind));
        object.insert("level".into(), json!(level));
        object.insert("message".into(), json!({"text": text}));
        if let Some(node) = place {
            object.insert("locations".into(), json!([location(report, node, None)]));
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
                Json::Object(result("fail", "warning", text, Some(s.node)))
            })
            .collect()
        }
        Status::Violated | Status::Reachable => {
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
                step.or_else(|| t.steps.iter().rfind(|s| s.stays.is_none())).map(|s| s.node)
            });
            let mut object = result("fail", "error", text, last);
            if let Some(trace) = &outcome.trace {
                let flow = json!([{"threadFlows": [{"locations": flow(report, trace)}]}]);
                object.insert("codeFlows".into(), flow);
            }
            vec![Json::Object(object)]
        }
    }
}

/// The steps; of a trace that is too long, the first and the last.
fn flow(report: &Report, trace: &Listing) -> Vec<Json> {
    let program = &report.program;
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
        let state: Map<String, Json> = changed
            .into_iter()
            .filter_map(|(var, value)| {
                let value = json!({"text": value?.to_string()});
                Some((program.var_name(var).to_owned(), value))
            })
            .collect();
        out.push(json!({
            "executionOrder": i + 1,
            "nestingLevel": step.depth,
            "location": location(report, step.node, Some(&text)),
            "state": state,
        }));
    }
    out
}

fn location(report: &Report, node: NodeId, text: Option<&str>) -> Json {
    let info = &report.program.nodes[node];
    let file = report.program.files.get(info.origin.file as usize);
    let mut out = json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri(file.map_or("", String::as_str))},
            "region": {
                "startLine": info.origin.line.max(1),
                "startColumn": info.origin.column.max(1),
            },
        },
        "logicalLocations": [{
            "name": report.program.proc_name(info.proc),
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
