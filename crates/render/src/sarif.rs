//! SARIF 2.1.0 with code flows, for code-scanning sites.

use crate::values::{Changes, Reader};
use crate::{Extent, Finding, Listing, Outcome, Report, Status};
use indexmap::IndexMap;
use ir::{NodeId, Program};
use property::{OperationKind, Property};
use serde::Serialize;
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
    let rule = |id, text: String, level| Rule {
        id,
        short_description: Text { text },
        default_configuration: Configuration { level },
    };
    let mut rules: Vec<Rule<'_>> =
        RULES.iter().map(|&(id, text, level)| rule(id, text.to_owned(), level)).collect();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (number, (id, ..)) in RULES.iter().enumerate() {
        numbers.insert((*id).to_owned(), number);
    }
    let all = report.suppressed.iter().chain(&report.results);
    for name in all.clone().filter_map(crate::findings::rule) {
        if !numbers.contains_key(name) {
            numbers.insert(name.to_owned(), rules.len());
            rules.push(rule(name, format!("A run breaks the rule {name}"), "error"));
        }
    }
    for property in all.clone().map(|o| &o.property) {
        if let Property::Operations { kind } = property
            && !numbers.contains_key(kind.word())
        {
            numbers.insert(kind.word().to_owned(), rules.len());
            rules.push(rule(kind.word(), format!("{} fails", operation(*kind)), "error"));
        }
    }
    let results: Vec<Found<'_>> = all.flat_map(|o| results(report, o, &numbers)).collect();
    let extent = report.claims.read.as_ref();
    let page = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "bop",
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    version: env!("CARGO_PKG_VERSION"),
                    rules,
                },
            },
            invocations: [Invocation {
                execution_successful: extent.is_none_or(Extent::is_complete),
                tool_execution_notifications: notifications(report),
            }],
            column_kind: "unicodeCodePoints",
            results,
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &page)?;
    writeln!(out)
}

/// An operation of a kind, in words.
fn operation(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::MemorySafety => "An access to memory",
        OperationKind::MemoryCleanup => "Freeing all memory",
        OperationKind::Overflow => "A signed operator",
        OperationKind::Division => "A division",
        OperationKind::Uninitialised => "A read of what was never written",
    }
}

/// What is said beside the results.
fn notifications(report: &Report) -> Vec<Notification<'_>> {
    let note = |level, text| Notification { level, message: Text { text }, locations: None };
    let unknown = report.results.iter().filter_map(|outcome| {
        let reason = outcome.stop_reason.as_ref()?;
        Some(format!("{}: unknown: {reason}", crate::title(&outcome.property)))
    });
    let vacuous = report.results.iter().flat_map(|o| {
        let what = crate::title(&o.property);
        o.vacuous.iter().map(move |why| format!("{what}: {why}"))
    });
    let idle = report.claims.idle.iter().cloned();
    let warnings = unknown.chain(vacuous).chain(idle).map(|text| note("warning", text));
    let extent = report.claims.read.as_ref().filter(|e| !e.is_complete());
    let said = report.assumptions.iter().chain(&report.claims.granted).chain(&report.not_modelled);
    let notes = said.map(|text| note("note", text.clone()));
    warnings.chain(extent.map(incomplete)).chain(notes).collect()
}

/// That not all of the program was read.
fn incomplete(extent: &Extent) -> Notification<'_> {
    let places = extent.left_out.iter().filter(|l| !l.file.is_empty());
    let locations = places.map(|l| Location {
        physical_location: Physical::new(&l.file, l.line, l.column),
        logical_locations: None,
        message: None,
    });
    Notification {
        level: "error",
        message: Text { text: format!("incomplete: {}", extent.told()) },
        locations: Some(locations.collect()),
    }
}

fn results<'a>(
    report: &'a Report,
    outcome: &'a Outcome,
    numbers: &HashMap<String, usize>,
) -> Vec<Found<'a>> {
    let rule = crate::findings::rule(outcome).unwrap_or(outcome.property.kind());
    let index = numbers.get(rule).copied();
    let found = |kind, level, text, location: Option<Location<'a>>| Found {
        rule_id: rule,
        rule_index: index,
        kind,
        level,
        message: Text { text },
        locations: location.map(|location| [location]),
        code_flows: None,
        suppressions: None,
    };
    match outcome.status {
        Status::Unknown => Vec::new(),
        Status::Holds | Status::Unreachable => {
            let text = format!("{}: {}", crate::title(&outcome.property), outcome.status.word());
            vec![found("pass", "none", text, None)]
        }
        Status::Violated if outcome.property == Property::ReachAll => {
            let dead = outcome.statements.iter().flatten().filter(|s| !s.reachable);
            dead.map(|s| {
                let text = "this statement can never be reached".to_owned();
                found("fail", "warning", text, Some(Location::new(&report.program, s.node, None)))
            })
            .collect()
        }
        Status::Violated | Status::Reachable => {
            let (text, location) = match &outcome.finding {
                Some(finding) => (broken(finding), Some(Location::of(finding))),
                None => (violated(outcome), last(outcome)),
            };
            // A remark that allows it is a suppression.
            let reason = outcome.finding.as_ref().and_then(|f| f.suppressed.as_deref());
            vec![Found {
                code_flows: outcome.trace.as_ref().map(|trace| {
                    [CodeFlow { thread_flows: [ThreadFlow { locations: flow(trace) }] }]
                }),
                suppressions: reason
                    .map(|justification| [Suppression { kind: "inSource", justification }]),
                ..found("fail", "error", text, location)
            }]
        }
    }
}

/// What is said of a rule that is broken.
fn broken(finding: &Finding) -> String {
    match crate::findings::taken_for_granted(finding) {
        Some(granted) => format!("{}\n{granted}", finding.message),
        None => finding.message.clone(),
    }
}

/// What is said of another property that is violated.
fn violated(outcome: &Outcome) -> String {
    let text = match &outcome.property {
        Property::Reach { label } => format!("{label} can be reached"),
        Property::Ltl { formula, .. } | Property::Sere { formula } => {
            format!("a run violates {formula}")
        }
        Property::Terminates { .. } => "a run never ends".to_owned(),
        _ => "this assertion can fail".to_owned(),
    };
    match crate::text::skeleton(outcome) {
        Some(skeleton) => format!("{text}\n{skeleton}"),
        None => text,
    }
}

/// Where it happens: at the end, or where the part begins that repeats for ever.
fn last(outcome: &Outcome) -> Option<Location<'_>> {
    let trace = outcome.trace.as_ref()?;
    let step = match trace.loop_start {
        Some(start) => trace.steps.get(start).filter(|s| s.stays.is_none()),
        None => trace.steps.last(),
    };
    let step = step.or_else(|| trace.steps.iter().rfind(|s| s.stays.is_none()))?;
    Some(Location::new(&trace.program, step.node, None))
}

/// The steps; of a trace that is too long, the first and the last.
fn flow(trace: &Listing) -> Vec<FlowLocation<'_>> {
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
        let state = changed.into_iter().filter_map(|(var, value)| {
            Some((program.var_name(var), Text { text: value?.to_string() }))
        });
        let importance = if step.events.is_empty() { "unimportant" } else { "essential" };
        out.push(FlowLocation {
            execution_order: i + 1,
            nesting_level: step.depth,
            location: Location::new(program, step.node, Some(text)),
            state: state.collect(),
            importance: eventful.then_some(importance),
        });
    }
    out
}

impl<'a> Location<'a> {
    fn new(program: &'a Program, node: NodeId, text: Option<String>) -> Location<'a> {
        let info = &program.nodes[node];
        let file = program.files.get(info.origin.file as usize).map_or("", String::as_str);
        Location {
            physical_location: Physical::new(file, info.origin.line, info.origin.column),
            logical_locations: Some([Logical {
                name: program.proc_name(info.proc),
                kind: "function",
            }]),
            message: text.map(|text| Text { text }),
        }
    }

    /// Where a rule is broken.
    fn of(finding: &'a Finding) -> Location<'a> {
        Location {
            physical_location: Physical::new(&finding.file, finding.line, finding.column),
            logical_locations: Some([Logical { name: &finding.function, kind: "function" }]),
            message: None,
        }
    }
}

impl Physical {
    fn new(file: &str, line: u32, column: u32) -> Physical {
        Physical {
            artifact_location: Artifact { uri: uri(file) },
            region: Region { start_line: line.max(1), start_column: column.max(1) },
        }
    }
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

/// The whole file. The names are SARIF's from here on.
#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

/// A run of `bop`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation<'a>; 1],
    column_kind: &'static str,
    results: Vec<Found<'a>>,
}

/// What ran.
#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

/// `bop`, and what it looks for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    information_uri: &'static str,
    version: &'static str,
    rules: Vec<Rule<'a>>,
}

/// A kind of result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    short_description: Text,
    default_configuration: Configuration,
}

/// How bad a kind of result is.
#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

/// A text.
#[derive(Serialize)]
struct Text {
    text: String,
}

/// How it went.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'a> {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification<'a>>,
}

/// What is said beside the results.
#[derive(Serialize)]
struct Notification<'a> {
    level: &'static str,
    message: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<Vec<Location<'a>>>,
}

/// A result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    rule_id: &'a str,
    rule_index: Option<usize>,
    kind: &'static str,
    level: &'static str,
    message: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<[Location<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_flows: Option<[CodeFlow<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<[Suppression<'a>; 1]>,
}

/// Why a result does not count.
#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    justification: &'a str,
}

/// A run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow<'a> {
    thread_flows: [ThreadFlow<'a>; 1],
}

/// The steps of its only thread.
#[derive(Serialize)]
struct ThreadFlow<'a> {
    locations: Vec<FlowLocation<'a>>,
}

/// A step.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FlowLocation<'a> {
    execution_order: usize,
    nesting_level: u32,
    location: Location<'a>,
    state: IndexMap<&'a str, Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<&'static str>,
}

/// A place.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[Logical<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

/// A place in a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

/// A file.
#[derive(Serialize)]
struct Artifact {
    uri: String,
}

/// A place in its text.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
}

/// A procedure.
#[derive(Serialize)]
struct Logical<'a> {
    name: &'a str,
    kind: &'static str,
}
