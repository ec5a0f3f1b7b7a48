//! SARIF 2.1.0 with code flows, for code-scanning sites.

use crate::causes;
use crate::values::{Changes, Reader};
use crate::{Confidence, Extent, Finding, Listing, Outcome, Report, Status};
use indexmap::IndexMap;
use ir::{NodeId, Program};
use property::{OperationKind, Property};
use serde::Serialize;
use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, Write};

/// Locations of one code flow; sites refuse larger ones.
pub const MAX_SARIF_LOCATIONS: usize = 10_000;
/// Related places of one result.
const MAX_RELATED: usize = 1_000;
/// Results of one run, likewise.
const MAX_RESULTS: usize = 25_000;
/// All locations of code flows in one file: sites refuse files that are larger than 10 MB when packed.
const MAX_ALL_LOCATIONS: usize = 200_000;

/// Questions that have no rule of their own: id, what is wrong, and a word for the level.
const RULES: [(&str, &str, &str); 7] = [
    ("assert", "An assertion can fail", "error"),
    ("reach", "A statement that should be unreachable can be reached", "error"),
    ("reach-all", "A statement can never be reached", "warning"),
    ("ltl", "A run violates a temporal formula", "error"),
    ("terminates", "A run never ends", "error"),
    ("sere", "A run matches a sequence that is forbidden", "error"),
    ("automaton", "A run is one that an automaton forbids", "error"),
];

/// Where rules are explained.
const HELP_PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/book/SUMMARY.md");

/// What is said of each kind of answer, at more length: how to read it, and what to do.
const HELP: &[(&str, &str)] = &[
    ("assert", "The steps lead to an assertion whose condition is false there."),
    ("reach", "The steps lead to a place that was asked for with `--reach`."),
    (
        "reach-all",
        "No run comes to this statement: it is dead code, or a condition before it is wrong.",
    ),
    (
        "ltl",
        "The steps are a run that never satisfies the formula; its last part repeats for ever.",
    ),
    ("terminates", "The steps are a run whose last part repeats for ever."),
    ("sere", "The steps are a run that matches the sequence."),
    (
        "automaton",
        "The steps are a run that the automaton forbids; its last part repeats for ever.",
    ),
];

/// Writes the report as SARIF. Files in the folder `base` are named relative to it.
pub fn sarif(report: &Report, base: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    let mut rules: Vec<Rule<'_>> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let all = report.suppressed.iter().chain(&report.results);
    for outcome in all {
        let id = id(outcome);
        if !numbers.contains_key(id) {
            numbers.insert(id, rules.len());
            rules.push(Rule::new(id, outcome));
        }
    }
    let prints = crate::fingerprints(report);
    let context = Context { report, base, numbers: &numbers, room: Cell::new(MAX_ALL_LOCATIONS) };
    let suppressed =
        report.suppressed.iter().flat_map(|o| context.results((o, &[]), (&[], Vec::new())));
    let causes = causes::each(report);
    let results = causes.iter().flat_map(|(i, others)| {
        context.results(
            (&report.results[*i], others.as_slice()),
            (&prints[*i], alike(others, &prints)),
        )
    });
    let mut results: Vec<Found<'_>> = suppressed.chain(results).collect();
    let mut notifications = notifications(&context);
    if results.len() > MAX_RESULTS {
        let text = format!("{} of {} results are listed", MAX_RESULTS, results.len());
        notifications.push(Notification::new("warning", text));
        results.truncate(MAX_RESULTS);
    }
    let extent = report.claims.read.as_ref();
    let page = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "bop",
                    full_name: concat!("Postbop ", env!("CARGO_PKG_VERSION")),
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    version: env!("CARGO_PKG_VERSION"),
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    rules,
                },
            },
            invocations: [Invocation {
                execution_successful: extent.is_none_or(Extent::is_complete),
                tool_execution_notifications: notifications,
            }],
            original_uri_base_ids: BaseIds {
                root: BaseId {
                    description: Text { text: "The folder in which bop was run.".to_owned() },
                },
            },
            column_kind: "unicodeCodePoints",
            results,
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &page)?;
    writeln!(out)
}

/// The id of the rule that an answer is about.
fn id(outcome: &Outcome) -> &str {
    crate::findings::rule(outcome).unwrap_or(outcome.property.kind())
}

impl<'a> Rule<'a> {
    fn new(id: &'a str, outcome: &'a Outcome) -> Rule<'a> {
        let known = RULES.iter().find(|row| row.0 == id);
        let (text, level) = match (&outcome.property, known) {
            (Property::Operations { kind }, _) => (format!("{} fails", operation(*kind)), "error"),
            (_, Some((_, text, level))) => ((*text).to_owned(), *level),
            _ => (format!("A run breaks the rule {id}"), "error"),
        };
        let rule = match &outcome.property {
            Property::Rule { text, .. } => Some(text.trim()),
            _ => None,
        };
        let how = HELP
            .iter()
            .find(|row| row.0 == id)
            .map_or("The steps that matter are marked; the last one breaks the rule.", |row| row.1);
        let markdown = match rule {
            Some(rule) => format!("{how} The rule:\n\n```\n{rule}\n```"),
            None => how.to_owned(),
        };
        Rule {
            id,
            name: pascal(id),
            short_description: Text { text: sentence(&text) },
            full_description: Text { text: format!("{} {how}", sentence(&text)) },
            help: Help { text: how.to_owned(), markdown },
            help_uri: HELP_PAGE,
            default_configuration: Configuration { level },
            properties: RuleProperties {
                tags: ["correctness"],
                // Rules are checked without most of C's data.
                precision: if rule.is_some() { "medium" } else { "very-high" },
                severity: level,
            },
        }
    }
}

/// `use_after_free` as `UseAfterFree`; a name differs from its id.
fn pascal(id: &str) -> String {
    let mut out = String::new();
    for word in id.split(|c: char| !c.is_alphanumeric()) {
        let mut letters = word.chars();
        out.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        out.push_str(letters.as_str());
    }
    if out.eq_ignore_ascii_case(id) { out + "Question" } else { out }
}

/// With a stop at its end.
fn sentence(text: &str) -> String {
    match text.ends_with(['.', '!', '?', '`']) {
        true => text.to_owned(),
        false => format!("{text}."),
    }
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

impl Notification<'_> {
    fn new(level: &'static str, text: String) -> Self {
        Notification { level, message: Text { text }, locations: None }
    }
}

/// What is said beside the results: what holds is here, since sites take no result without a place.
fn notifications<'a>(context: &Context<'a>) -> Vec<Notification<'a>> {
    let report = context.report;
    let holds = |o: &&Outcome| matches!(o.status, Status::Holds | Status::Unreachable);
    let held = report.results.iter().filter(holds).map(|o| {
        let text = format!("{}: {}", crate::title(&o.property), o.status.word());
        Notification::new("note", text)
    });
    let unknown = report.results.iter().filter_map(|outcome| {
        let reason = outcome.stop_reason.as_ref()?;
        Some(format!("{}: unknown: {reason}", crate::title(&outcome.property)))
    });
    let vacuous = report.results.iter().flat_map(|o| {
        let what = crate::title(&o.property);
        o.vacuous.iter().map(move |why| format!("{what}: {why}"))
    });
    let idle = report.claims.idle.iter().cloned();
    let warnings = unknown.chain(vacuous).chain(idle).map(|t| Notification::new("warning", t));
    let extent = report.claims.read.as_ref().filter(|e| !e.is_complete());
    let extent = extent.map(|e| context.incomplete(e));
    let said = report.assumptions.iter().chain(&report.claims.granted).chain(&report.not_modelled);
    let notes = said.map(|text| Notification::new("note", text.clone()));
    held.chain(warnings).chain(extent).chain(notes).collect()
}

/// What results are made with.
struct Context<'a> {
    report: &'a Report,
    base: Option<&'a str>,
    numbers: &'a HashMap<&'a str, usize>,
    /// So many locations of code flows may still be written.
    room: Cell<usize>,
}

impl<'a> Context<'a> {
    /// That not all of the program was read.
    fn incomplete(&self, extent: &Extent) -> Notification<'a> {
        let places = extent.left_out.iter().filter(|l| !l.file.is_empty());
        let locations = places.map(|l| Location {
            id: None,
            physical_location: self.physical(&l.file, l.line, l.column),
            logical_locations: None,
            message: None,
        });
        Notification {
            level: "error",
            message: Text { text: format!("incomplete: {}", extent.told()) },
            locations: Some(locations.collect()),
        }
    }

    /// Where the object of a finding comes from, and where others are that have the same cause.
    fn related(&self, finding: &'a Finding, others: &[usize]) -> Option<Vec<Location<'a>>> {
        let mut out: Vec<Location<'a>> = Vec::new();
        let mut add = |(file, line, column): (&str, u32, u32), text: &str| {
            let here = |l: &Location<'_>| {
                l.physical_location == self.physical(file, line, column)
                    && l.message.as_ref().is_some_and(|m| m.text == text)
            };
            if out.len() < MAX_RELATED && !out.iter().any(here) {
                out.push(Location {
                    id: Some(out.len() as u32 + 1),
                    physical_location: self.physical(file, line, column),
                    logical_locations: None,
                    message: Some(Text { text: text.to_owned() }),
                });
            }
        };
        if let Some((file, line)) = &finding.origin {
            add((file, *line, 1), "It comes from here.");
        }
        for (_, f) in causes::findings(self.report, others) {
            match &f.origin {
                Some((file, line)) if f.origin != finding.origin => {
                    add((file, *line, 1), "Another one comes from here.");
                }
                _ => {}
            }
            if (&f.file, f.line, f.column) != (&finding.file, finding.line, finding.column) {
                add((&f.file, f.line, f.column), "The same here.");
            }
        }
        (!out.is_empty()).then_some(out)
    }

    fn results(
        &self,
        (outcome, others): (&'a Outcome, &[usize]),
        (prints, alike): (&[String], Vec<String>),
    ) -> Vec<Found<'a>> {
        let rule = id(outcome);
        let found = |level, text: String, location: Location<'a>, print: Option<&String>| Found {
            rule_id: rule,
            rule_index: self.numbers.get(rule).copied(),
            kind: "fail",
            level,
            message: Text { text: sentence(&text) },
            locations: [location],
            partial_fingerprints: print
                .map(|print| Fingerprints { ours: print.clone(), of_line: print.clone() }),
            related_locations: None,
            code_flows: None,
            suppressions: None,
            properties: None,
            baseline_state: outcome.known.map(|known| if known { "unchanged" } else { "new" }),
        };
        match outcome.status {
            Status::Unknown | Status::Holds | Status::Unreachable => Vec::new(),
            Status::Violated if outcome.property == Property::ReachAll => {
                let dead = outcome.statements.iter().flatten().filter(|s| !s.reachable);
                dead.enumerate()
                    .map(|(i, s)| {
                        let text = "This statement can never be reached".to_owned();
                        let at = self.at(&self.report.program, s.node, None);
                        found("warning", text, at, prints.get(i))
                    })
                    .collect()
            }
            Status::Violated | Status::Reachable => {
                let (text, location) = match &outcome.finding {
                    Some(finding) => (broken(finding, others.len()), Some(self.of(finding))),
                    None => (violated(outcome), self.last(outcome)),
                };
                // Sites take nothing without a place: without a run, it is the file.
                let location = location.unwrap_or_else(|| Location {
                    id: None,
                    physical_location: self.physical(self.report.file_name(), 1, 1),
                    logical_locations: None,
                    message: None,
                });
                // A remark that allows it is a suppression.
                let reason = outcome.finding.as_ref().and_then(|f| f.suppressed.as_deref());
                let level = match outcome.finding.as_ref().and_then(|f| f.confidence) {
                    Some(Confidence::Possible) => "note",
                    Some(Confidence::Likely) => "warning",
                    Some(Confidence::Confirmed) | None => "error",
                };
                vec![Found {
                    related_locations: outcome
                        .finding
                        .as_deref()
                        .and_then(|finding| self.related(finding, others)),
                    code_flows: outcome.trace.as_ref().and_then(|trace| {
                        let locations = self.flow(trace);
                        (!locations.is_empty())
                            .then(|| [CodeFlow { thread_flows: [ThreadFlow { locations }] }])
                    }),
                    suppressions: reason
                        .map(|justification| [Suppression { kind: "inSource", justification }]),
                    properties: (!alike.is_empty()).then_some(Alike { fingerprints: alike }),
                    ..found(level, text, location, prints.first())
                }]
            }
        }
    }
}

/// What is said of a rule that is broken.
fn broken(finding: &Finding, others: usize) -> String {
    let mut out = finding.message.clone();
    if others > 0 {
        out += &format!(" (and {others} more like this)");
    }
    let more =
        [crate::findings::told_confidence(finding), crate::findings::taken_for_granted(finding)];
    for more in more.into_iter().flatten() {
        out += "\n";
        out += &more;
    }
    out
}

/// What is said of another property that is violated.
pub(crate) fn violated(outcome: &Outcome) -> String {
    let text = match &outcome.property {
        Property::Reach { label } => format!("{label} can be reached"),
        Property::Ltl { formula, .. } | Property::Sere { formula } => {
            format!("a run violates {formula}")
        }
        Property::Automaton { name, .. } => format!("a run violates {name}"),
        Property::Terminates { .. } => "a run never ends".to_owned(),
        _ => "this assertion can fail".to_owned(),
    };
    match crate::text::skeleton(outcome) {
        Some(skeleton) => format!("{text}\n{skeleton}"),
        None => text,
    }
}

impl<'a> Context<'a> {
    /// Where it happens: at the end, or where the part begins that repeats for ever.
    fn last(&self, outcome: &'a Outcome) -> Option<Location<'a>> {
        let trace = outcome.trace.as_ref()?;
        let step = match trace.loop_start {
            Some(start) => trace.steps.get(start).filter(|s| s.stays.is_none()),
            None => trace.steps.last(),
        };
        let step = step.or_else(|| trace.steps.iter().rfind(|s| s.stays.is_none()))?;
        Some(self.at(&trace.program, step.node, None))
    }

    /// The steps; of a trace that is too long, the first and the last.
    fn flow(&self, trace: &'a Listing) -> Vec<FlowLocation<'a>> {
        let program = &*trace.program;
        let eventful = trace.steps.iter().any(|s| !s.events.is_empty());
        let mut reader = Reader::new(program);
        let mut changes = Changes::new();
        let n = trace.steps.len();
        let most = MAX_SARIF_LOCATIONS.min(self.room.get());
        let cut = if n > most { most / 2..n - most / 2 } else { n..n };
        self.room.set(self.room.get() - n.min(most));
        let mut out = Vec::new();
        for (i, step) in trace.steps.iter().enumerate().filter(|(_, s)| s.stays.is_none()) {
            let info = &program.nodes[step.node];
            let changed = changes.step(&mut reader, info.proc, step);
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
            let state = changed.into_iter().filter_map(|change| {
                Some((program.var_name(change.var), Text { text: change.now?.to_string() }))
            });
            let importance = if step.events.is_empty() { "unimportant" } else { "essential" };
            out.push(FlowLocation {
                execution_order: i + 1,
                nesting_level: step.depth,
                location: self.at(program, step.node, Some(text)),
                state: state.collect(),
                importance: eventful.then_some(importance),
            });
        }
        out
    }

    fn at(&self, program: &'a Program, node: NodeId, text: Option<String>) -> Location<'a> {
        let info = &program.nodes[node];
        let file = program.files.get(info.origin.file as usize).map_or("", String::as_str);
        Location {
            id: None,
            physical_location: self.physical(file, info.origin.line, info.origin.column),
            logical_locations: Some([Logical {
                fully_qualified_name: program.proc_name(info.proc),
                kind: "function",
            }]),
            message: text.map(|text| Text { text }),
        }
    }

    /// Where a rule is broken.
    fn of(&self, finding: &'a Finding) -> Location<'a> {
        let function = Logical { fully_qualified_name: &finding.function, kind: "function" };
        Location {
            id: None,
            physical_location: self.physical(&finding.file, finding.line, finding.column),
            logical_locations: Some([function]),
            message: None,
        }
    }

    /// A place in a file. One in the folder that we were run in is named relative to it; others cannot be.
    fn physical(&self, file: &str, line: u32, column: u32) -> Physical {
        let inside = self.base.and_then(|base| file.strip_prefix(base)?.strip_prefix('/'));
        let file = inside.unwrap_or(file);
        let file = file.strip_prefix("./").unwrap_or(file);
        let artifact_location = match file.starts_with('/') {
            true => Artifact { uri: format!("file://{}", uri(file)), uri_base_id: None },
            false => Artifact { uri: uri(file), uri_base_id: Some("%SRCROOT%") },
        };
        let region = Region { start_line: line.max(1), start_column: column.max(1) };
        Physical { artifact_location, region }
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
    original_uri_base_ids: BaseIds,
    column_kind: &'static str,
    results: Vec<Found<'a>>,
}

/// What relative names are relative to.
#[derive(Serialize)]
struct BaseIds {
    #[serde(rename = "%SRCROOT%")]
    root: BaseId,
}

/// A folder.
#[derive(Serialize)]
struct BaseId {
    description: Text,
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
    full_name: &'static str,
    information_uri: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule<'a>>,
}

/// A kind of result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    name: String,
    short_description: Text,
    full_description: Text,
    help: Help,
    help_uri: &'static str,
    default_configuration: Configuration,
    properties: RuleProperties,
}

/// What is said of a rule to those who never heard of it.
#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

/// What code-scanning sites sort by.
#[derive(Serialize)]
struct RuleProperties {
    tags: [&'static str; 1],
    precision: &'static str,
    #[serde(rename = "problem.severity")]
    severity: &'static str,
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
    locations: [Location<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_fingerprints: Option<Fingerprints>,
    #[serde(skip_serializing_if = "Option::is_none")]
    related_locations: Option<Vec<Location<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_flows: Option<[CodeFlow<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<[Suppression<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Alike>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
}

/// What the findings are recognised by that are told with this one; a baseline has them, too.
#[derive(Serialize)]
struct Alike {
    fingerprints: Vec<String>,
}

fn alike(others: &[usize], prints: &[Vec<String>]) -> Vec<String> {
    others.iter().flat_map(|&other| prints[other].iter().cloned()).collect()
}

/// What a result is recognised by in later runs: no number of a line is in it.
#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "bop/v1")]
    ours: String,
    /// What GitHub looks at.
    #[serde(rename = "primaryLocationLineHash")]
    of_line: String,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[Logical<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

/// A place in a file.
#[derive(Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

/// A file.
#[derive(Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

/// A place in its text.
#[derive(Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
}

/// A procedure.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical<'a> {
    fully_qualified_name: &'a str,
    kind: &'static str,
}
