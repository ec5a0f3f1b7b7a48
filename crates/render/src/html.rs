//! One self-contained page: call tree, source with the path, values with changes marked.
//!
//! The page holds the steps with what changes at each, and unfolds them when looked at; it loads
//! nothing from anywhere.

use crate::text::rounded;
use crate::values::{Changes, Reader};
use crate::{ListedStep, Listing, Outcome, Report};
use ir::{Id, NodeId, Program, VarKind};
use rustc_hash::FxHashMap;
use serde::Serialize;
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
fn inert(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

fn data(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let files: Vec<File<'_>> = (0..report.files.len()).map(|i| file(report, i)).collect();
    let mut statements = Numbers::new(report);
    let vars: Vec<(&str, bool)> = (statements.programs.iter())
        .flat_map(|(p, _)| p.vars.iter().map(|v| (p.text(v.name), v.kind == VarKind::Global)))
        .collect();
    write!(out, "{{\"files\":{},\n\"vars\":{},\n", inert(&files)?, inert(&vars)?)?;
    // Only statements that occur in a trace are told.
    out.write_all(b"\"results\":[")?;
    for (i, outcome) in report.results.iter().enumerate() {
        out.write_all(if i > 0 { b",\n" } else { b"\n" })?;
        result(report, outcome, &mut statements, out)?;
    }
    let mut first = report.results.is_empty();
    for page in about_all(report) {
        write!(out, "{}{}", if first { "\n" } else { ",\n" }, inert(&page)?)?;
        first = false;
    }
    out.write_all(b"],\n\"statements\":[")?;
    for (i, (program, node, events)) in statements.nodes.iter().enumerate() {
        let program = statements.programs[*program].0;
        let info = &program.nodes[*node];
        let origin = info.origin;
        let named = program.files.get(origin.file as usize);
        let named = named.and_then(|name| report.files.iter().position(|f| f.name() == name));
        let last = report.files.len().saturating_sub(1);
        let file = named.unwrap_or((origin.file as usize).min(last));
        let (proc, text) = (program.proc_name(info.proc), program.text(origin.text));
        let text = match events.is_empty() {
            true => text.to_owned(),
            false => format!("{text}  ◀ {events}"),
        };
        let row = (proc, file, origin.line, origin.column, text);
        write!(out, "{}{}", if i > 0 { ",\n" } else { "\n" }, inert(&row)?)?;
    }
    out.write_all(b"]}")
}

/// A file's name, and lines with their numbers.
#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    lines: Vec<(u32, &'a str)>,
}

/// A page without a run.
#[derive(Serialize)]
struct Aside {
    title: &'static str,
    verdict: &'static str,
    note: String,
    r#loop: Option<usize>,
    dead: [(); 0],
    steps: [(); 0],
}

/// Pages for what stands beside all answers: what was left out, and what does nothing.
fn about_all(report: &Report) -> Vec<Aside> {
    let page =
        |title, verdict, note| Aside { title, verdict, note, r#loop: None, dead: [], steps: [] };
    let claims = &report.claims;
    let left_out = claims.read.as_ref().filter(|e| !e.is_complete());
    let left_out = left_out.map(|e| page("incomplete", "unknown", e.told()));
    let granted = report.assumptions.iter().chain(&claims.granted);
    let notes: Vec<String> = claims.idle.iter().chain(granted).cloned().collect();
    let notes = (!notes.is_empty()).then(|| page("notes", "note", notes.join("; ")));
    left_out.into_iter().chain(notes).collect()
}

/// The file's lines with their numbers; of a large one, those around the path.
fn file(report: &Report, index: usize) -> File<'_> {
    let file = &report.files[index];
    let (count, file_name) = (file.line_count(), file.name());
    let lines: Vec<u32> = if count <= WHOLE_FILE {
        (1..=count).collect()
    } else {
        let mut near: Vec<u32> = Vec::new();
        for trace in report.results.iter().filter_map(|o| o.trace.as_ref()) {
            let origins = trace.steps.iter().map(|s| trace.program.nodes[s.node].origin);
            let here = |file: u32| {
                let name = trace.program.files.get(file as usize);
                name.is_some_and(|name| name == file_name)
            };
            near.extend(origins.filter(|o| here(o.file)).map(|o| o.line));
        }
        near.sort_unstable();
        near.dedup();
        let mut out: Vec<u32> = Vec::new();
        for line in near {
            let from = line.saturating_sub(AROUND).max(out.last().map_or(1, |last| last + 1));
            out.extend(from..=(line + AROUND).min(count));
        }
        out
    };
    let lines = lines.into_iter().map(|n| (n, file.line(n))).collect();
    File { name: file_name, lines }
}

fn result(
    report: &Report,
    outcome: &Outcome,
    statements: &mut Numbers<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let program = &report.program;
    let word = outcome.status.word();
    let dead: Vec<(String, &str)> = outcome
        .statements
        .iter()
        .flatten()
        .filter(|s| !s.reachable)
        .map(|s| {
            let info = &program.nodes[s.node];
            let place = format!("{}:{}", program.proc_name(info.proc), info.origin.line);
            (place, program.text(info.origin.text))
        })
        .collect();
    let note = match (&outcome.stop_reason, &outcome.trace) {
        (None, _) if outcome.finding.is_some() => outcome.finding.as_ref().map(|f| {
            let granted = crate::findings::taken_for_granted(f);
            let granted = granted.map(|g| format!("; {g}")).unwrap_or_default();
            format!("{}:{}: {}{granted}", f.file, f.line, f.message)
        }),
        (Some(reason), _) => Some(reason.to_string()),
        (None, None) if dead.is_empty() => Some("There is no run to show.".to_owned()),
        _ => crate::text::skeleton(outcome),
    };
    let note: Vec<String> =
        note.into_iter().chain(outcome.vacuous.iter().map(|w| format!("warning: {w}"))).collect();
    let note = Some(note.join("; ")).filter(|n| !n.is_empty());
    let title = crate::title(&outcome.property);
    let head = match &outcome.finding {
        Some(finding) => format!("{title}: {}", finding.message),
        None => format!("{title}: {word}"),
    };
    write!(out, "{{\"title\":{},\"verdict\":\"{word}\",", inert(&head)?)?;
    let looped = outcome.trace.as_ref().and_then(|t| t.loop_start);
    write!(out, "\"note\":{},\"loop\":{},", inert(&note)?, inert(&looped)?)?;
    write!(out, "\"dead\":{},\"steps\":[", inert(&dead)?)?;
    if let Some(trace) = &outcome.trace {
        steps(trace, statements, out)?;
    }
    out.write_all(b"]}")
}

fn steps(trace: &Listing, statements: &mut Numbers<'_>, out: &mut dyn Write) -> io::Result<()> {
    let program = &*trace.program;
    let (number, first_var) = statements.program(program);
    let mut reader = Reader::new(program);
    let mut changes = Changes::new();
    for (i, step) in trace.steps.iter().enumerate() {
        let proc = program.nodes[step.node].proc;
        let changed: Vec<(usize, Option<String>)> = changes
            .step(&mut reader, proc, step.depth, &step.state)
            .into_iter()
            .map(|(var, value)| (first_var + var.index(), value.map(|v| v.to_string())))
            .collect();
        let folded = step.folded.as_deref().map(rounded);
        let stays = step.stays.map(|_| step.origin(program).2);
        let row = (statements.number(number, step), step.depth, changed, folded, stays);
        write!(out, "{}{}", if i > 0 { ",\n" } else { "\n" }, inert(&row)?)?;
    }
    Ok(())
}

/// A statement: its program's number, its node, and what happens there.
type Statement = (usize, NodeId, String);

/// Numbers for the statements that occur, in order of occurrence.
struct Numbers<'a> {
    /// The programs of all traces, each with the number of its first variable.
    programs: Vec<(&'a Program, usize)>,
    nodes: Vec<Statement>,
    numbers: FxHashMap<Statement, usize>,
}

impl<'a> Numbers<'a> {
    fn new(report: &'a Report) -> Numbers<'a> {
        let mut programs: Vec<(&Program, usize)> = Vec::new();
        let mut vars = 0;
        let traces = report.results.iter().filter_map(|o| o.trace.as_ref());
        for program in traces.map(|t| &*t.program) {
            if !programs.iter().any(|(known, _)| std::ptr::eq(*known, program)) {
                programs.push((program, vars));
                vars += program.vars.len();
            }
        }
        Numbers { programs, nodes: Vec::new(), numbers: FxHashMap::default() }
    }

    /// A program's number, and that of its first variable.
    fn program(&self, program: &Program) -> (usize, usize) {
        let found = self.programs.iter().position(|(known, _)| std::ptr::eq(*known, program));
        let number = found.unwrap_or(0);
        (number, self.programs.get(number).map_or(0, |(_, var)| *var))
    }

    fn number(&mut self, program: usize, step: &ListedStep) -> usize {
        let events: Vec<&str> = step.events.iter().map(|e| e.shown.as_str()).collect();
        let key = (program, step.node, events.join(", "));
        let next = self.nodes.len();
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.nodes.push(key);
        }
        number
    }
}
