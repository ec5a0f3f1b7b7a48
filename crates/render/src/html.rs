//! One self-contained page: call tree, source with the path, values with changes marked.
//!
//! The page holds the steps with what changes at each, and unfolds them when looked at; it loads
//! nothing from anywhere.

use crate::text::rounded;
use crate::values::{Changes, Reader};
use crate::{Listing, Outcome, Report, RuleOutcome};
use ir::{Id, NodeId, VarId, VarKind};
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};
use std::io::{self, Write};

/// Files with more lines are shown around the path only.
const WHOLE_FILE: u32 = 20_000;
/// So many lines before and after.
const AROUND: u32 = 20;

const PAGE: &str = include_str!("page/page.html");

/// Writes the report as a page.
pub fn html(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (before_title, rest) = PAGE.split_once("@TITLE@").unwrap_or((PAGE, ""));
    let (before_data, after) = rest.split_once("@DATA@").unwrap_or((rest, ""));
    write!(out, "{before_title}{}{before_data}", escaped(&source::one_line(report.file_name())))?;
    data(report, out)?;
    out.write_all(after.as_bytes())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON that cannot end the element it stands in.
fn inert(json: &Json) -> String {
    json.to_string().replace('<', "\\u003c")
}

fn data(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let program = &report.program;
    let files: Vec<Json> = (0..report.files.len()).map(|i| file(report, i)).collect();
    let vars: Vec<Json> = program
        .vars
        .iter()
        .map(|v| json!([program.text(v.name), v.kind == VarKind::Global]))
        .collect();
    write!(out, "{{\"files\":{},\n\"vars\":{},\n", inert(&files.into()), inert(&vars.into()))?;
    // Only statements that occur in a trace are told.
    let mut statements = Numbers::default();
    out.write_all(b"\"results\":[")?;
    for (i, outcome) in report.results.iter().enumerate() {
        out.write_all(if i > 0 { b",\n" } else { b"\n" })?;
        result(report, outcome, &mut statements, out)?;
    }
    // Steps of findings have statements of their own, behind the others.
    let mut own: Vec<Json> = Vec::new();
    let mut first = report.results.is_empty();
    for outcome in report.rules.iter().flat_map(|r| &r.rules) {
        for page in rule(report, outcome, statements.nodes.len(), &mut own) {
            write!(out, "{}{}", if first { "\n" } else { ",\n" }, inert(&page))?;
            first = false;
        }
    }
    for page in about_all(report) {
        write!(out, "{}{}", if first { "\n" } else { ",\n" }, inert(&page))?;
        first = false;
    }
    out.write_all(b"],\n\"statements\":[")?;
    for (i, &node) in statements.nodes.iter().enumerate() {
        let info = &program.nodes[node];
        let origin = info.origin;
        let file = (origin.file as usize).min(report.files.len().saturating_sub(1));
        let (proc, text) = (program.proc_name(info.proc), program.text(origin.text));
        let row = json!([proc, file, origin.line, origin.column, text]);
        write!(out, "{}{}", if i > 0 { ",\n" } else { "\n" }, inert(&row))?;
    }
    for (i, row) in own.iter().enumerate() {
        let first = i == 0 && statements.nodes.is_empty();
        write!(out, "{}{}", if first { "\n" } else { ",\n" }, inert(row))?;
    }
    out.write_all(b"]}")
}

/// Pages for what stands beside all answers: what was left out, and what does nothing.
fn about_all(report: &Report) -> Vec<Json> {
    let page = |title: &str, verdict: &str, note: String| {
        json!({
            "title": title, "verdict": verdict, "note": note, "loop": null, "dead": [],
            "steps": [],
        })
    };
    let claims = &report.claims;
    let left_out = claims.read.as_ref().filter(|e| !e.is_complete());
    let left_out = left_out.map(|e| page("incomplete", "unknown", e.told()));
    let notes: Vec<String> = claims.idle.iter().chain(&claims.granted).cloned().collect();
    let notes = (!notes.is_empty()).then(|| page("notes", "note", notes.join("; ")));
    left_out.into_iter().chain(notes).collect()
}

/// The pages of a rule: one for each finding, or one that says that there is none.
fn rule(report: &Report, outcome: &RuleOutcome, base: usize, own: &mut Vec<Json>) -> Vec<Json> {
    let page = |title: String, verdict: &str, note: Option<String>, steps: Vec<Json>| {
        json!({
            "title": title, "verdict": verdict, "note": note, "loop": null, "dead": [],
            "steps": steps,
        })
    };
    let name = &outcome.rule;
    let mut out = Vec::new();
    for finding in &outcome.findings {
        let mut steps = Vec::new();
        for step in &finding.steps {
            let file = report.files.iter().position(|f| f.name() == step.file).unwrap_or(0);
            let text = match &step.event {
                Some(event) => format!("{}  ◀ {}", step.text, crate::findings::unscoped(event)),
                None => step.text.clone(),
            };
            steps.push(json!([base + own.len(), step.depth, [], null, null]));
            own.push(json!([step.function, file, step.line, step.column, text]));
        }
        let mut note = format!("{}:{}: {}", finding.file, finding.line, finding.message);
        if let Some(granted) = crate::findings::taken_for_granted(finding) {
            note += &format!("; {granted}");
        }
        out.push(page(format!("{name}: {}", finding.message), "violated", Some(note), steps));
    }
    if let Some(reason) = &outcome.stop_reason {
        out.push(page(format!("{name}: unknown"), "unknown", Some(reason.to_string()), Vec::new()));
    } else if out.is_empty() {
        let mut note = vec!["There is no run to show.".to_owned()];
        note.extend(outcome.vacuous.iter().map(|w| format!("Warning: {w}.")));
        let note = Some(note.join(" "));
        out.push(page(format!("{name}: holds"), "holds", note, Vec::new()));
    }
    out
}

/// The file's lines with their numbers; of a large one, those around the path.
fn file(report: &Report, index: usize) -> Json {
    let file = &report.files[index];
    let count = file.line_count();
    let lines: Vec<u32> = if count <= WHOLE_FILE {
        (1..=count).collect()
    } else {
        let steps = report.results.iter().filter_map(|o| o.trace.as_ref()).flat_map(|t| &t.steps);
        let origins = steps.map(|s| report.program.nodes[s.node].origin);
        let mut near: Vec<u32> =
            origins.filter(|o| o.file as usize == index).map(|o| o.line).collect();
        let found = report.rules.iter().flat_map(|r| &r.rules).flat_map(|r| &r.findings);
        let found = found.flat_map(|f| &f.steps).filter(|s| s.file == file.name());
        near.extend(found.map(|s| s.line));
        near.sort_unstable();
        near.dedup();
        let mut out: Vec<u32> = Vec::new();
        for line in near {
            let from = line.saturating_sub(AROUND).max(out.last().map_or(1, |last| last + 1));
            out.extend(from..=(line + AROUND).min(count));
        }
        out
    };
    let lines: Vec<Json> = lines.into_iter().map(|n| json!([n, file.line(n)])).collect();
    json!({"name": file.name(), "lines": lines})
}

fn result(
    report: &Report,
    outcome: &Outcome,
    statements: &mut Numbers,
    out: &mut dyn Write,
) -> io::Result<()> {
    let program = &report.program;
    let word = outcome.status.word();
    let dead: Vec<Json> = outcome
        .statements
        .iter()
        .flatten()
        .filter(|s| !s.reachable)
        .map(|s| {
            let info = &program.nodes[s.node];
            let place = format!("{}:{}", program.proc_name(info.proc), info.origin.line);
            json!([place, program.text(info.origin.text)])
        })
        .collect();
    let note = match (&outcome.stop_reason, &outcome.trace) {
        (Some(reason), _) => Some(reason.to_string()),
        (None, None) if dead.is_empty() => Some("There is no run to show.".to_owned()),
        _ => crate::text::skeleton(outcome),
    };
    let note: Vec<String> =
        note.into_iter().chain(outcome.vacuous.iter().map(|w| format!("warning: {w}"))).collect();
    let note = Some(note.join("; ")).filter(|n| !n.is_empty());
    let head = json!(format!("{}: {word}", crate::title(&outcome.property)));
    write!(out, "{{\"title\":{},\"verdict\":\"{word}\",", inert(&head))?;
    let looped = outcome.trace.as_ref().and_then(|t| t.loop_start);
    write!(out, "\"note\":{},\"loop\":{},", inert(&json!(note)), json!(looped))?;
    write!(out, "\"dead\":{},\"steps\":[", inert(&dead.into()))?;
    if let Some(trace) = &outcome.trace {
        steps(report, trace, statements, out)?;
    }
    out.write_all(b"]}")
}

fn steps(
    report: &Report,
    trace: &Listing,
    statements: &mut Numbers,
    out: &mut dyn Write,
) -> io::Result<()> {
    let program = &report.program;
    let mut reader = Reader::new(program);
    let mut changes = Changes::new();
    for (i, step) in trace.steps.iter().enumerate() {
        let proc = program.nodes[step.node].proc;
        let changed: Vec<Json> = changes
            .step(&mut reader, proc, step.depth, &step.state)
            .into_iter()
            .map(|(var, value): (VarId, _)| json!([var.index(), value.map(|v| v.to_string())]))
            .collect();
        let folded = step.folded.as_deref().map(rounded);
        let stays = step.stays.map(|_| step.origin(program).2);
        let row = json!([statements.number(step.node), step.depth, changed, folded, stays]);
        write!(out, "{}{}", if i > 0 { ",\n" } else { "\n" }, inert(&row))?;
    }
    Ok(())
}

/// Numbers for the nodes that occur, in order of occurrence.
#[derive(Default)]
struct Numbers {
    nodes: Vec<NodeId>,
    numbers: FxHashMap<NodeId, usize>,
}

impl Numbers {
    fn number(&mut self, node: NodeId) -> usize {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }
}
