//! Questions that are answered at once: what is wrong with a text, what holds at a line, whether a label is reached.

use crate::text::{Document, Language};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
};
use postbop::{Error, Limits, Options, Property, Runs, SourceFile, Status, Watch};
use render::TextOptions;
use std::sync::Arc;
use std::time::Duration;

/// What a question may take while somebody waits for it.
const HOVER: Duration = Duration::from_millis(1_500);
const LABEL: Duration = Duration::from_secs(10);
/// So many lines of an answer are shown.
const LINES: usize = 40;
/// So many steps of a path are shown.
const STEPS: usize = 100;

fn options(time: Duration) -> Options {
    let mut options = Options::default();
    options.search.limits = Limits { time: Some(time), memory: Some(1 << 30), steps: None };
    options.search.vacuity = false;
    options.shown.max_cubes = 20;
    options.shown.max_steps = STEPS;
    options
}

fn file(document: &Document) -> Option<Arc<SourceFile>> {
    SourceFile::new(document.path.as_str(), document.text.as_str()).ok().map(Arc::new)
}

/// What is wrong with a text, as its parser says.
pub(crate) fn wrong(document: &Document) -> Vec<Diagnostic> {
    let Some(file) = file(document) else { return Vec::new() };
    let found = match document.language {
        Language::C => return Vec::new(),
        Language::Rule => match postbop::parse_rules(&document.text) {
            Ok(_) => Vec::new(),
            Err(error) => vec![postbop::rule_error(&file, &error)],
        },
        _ => match postbop::load(std::slice::from_ref(&file), &options(HOVER).input) {
            Err(Error::Rejected { diagnostics, .. }) => diagnostics,
            _ => Vec::new(),
        },
    };
    found.iter().map(|d| shown(document, d)).collect()
}

fn shown(document: &Document, diagnostic: &source::Diagnostic) -> Diagnostic {
    let span = diagnostic.span.unwrap_or(source::Span::new(0, 0));
    let mut message = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        message += &format!("\n{help}");
    }
    let mut related = Vec::new();
    for note in &diagnostic.notes {
        match note.span {
            Some(span) => related.push(DiagnosticRelatedInformation {
                location: Location::new(document.uri.clone(), document.range(span)),
                message: note.message.clone(),
            }),
            None => message += &format!("\n{}", note.message),
        }
    }
    Diagnostic {
        range: document.range(span),
        severity: Some(match diagnostic.severity {
            source::Severity::Error => DiagnosticSeverity::ERROR,
            source::Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(diagnostic.code.to_owned())),
        source: Some("bop".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// What can hold at the statements of a line (from 0), for people. None where there is none, or no answer in time.
pub(crate) fn holds_at(document: &Document, line: u32) -> Option<String> {
    if matches!(document.language, Language::C | Language::Rule) {
        return None;
    }
    let file = file(document)?;
    let at = format!(":{}", line + 1);
    let states =
        postbop::states(&[file], &at, &[], &Runs::OfProgram, &options(HOVER), &Watch::default());
    let mut page = Vec::new();
    render::states_text(&states.ok()?, &TextOptions::default(), &mut page).ok()?;
    let text = String::from_utf8(page).ok()?;
    let mut lines: Vec<&str> = text.trim_end().lines().take(LINES + 1).collect();
    if lines.len() > LINES {
        lines[LINES] = "…";
    }
    Some(lines.join("\n"))
}

/// Whether a label is reached: in one line, and how, as a remark at the label.
pub(crate) fn reached(document: &Document, label: &str) -> Result<(String, Diagnostic), String> {
    let file = file(document).ok_or("the text is too long")?;
    let property = [Property::reach(label)];
    let report = postbop::check(&[file], &property, &options(LABEL), &Watch::default());
    let report = report.map_err(|e| match e {
        Error::Rejected { diagnostics, .. } => {
            diagnostics.first().map_or(String::new(), |d| d.message.clone())
        }
        error => error.to_string(),
    })?;
    let outcome = report.results.first().ok_or("there is no answer")?;
    let said = match (outcome.status, &outcome.stop_reason) {
        (Status::Reachable, _) => format!("`{label}` is reachable"),
        (Status::Unreachable, _) => format!("`{label}` is not reachable: no run comes here"),
        (_, Some(reason)) => format!("whether `{label}` is reachable is unknown: {reason}"),
        (status, None) => format!("`{label}`: {status:?}"),
    };
    let steps = outcome.trace.iter().flat_map(|trace| {
        let program = &trace.program;
        trace.steps.iter().take(STEPS).map(move |step| {
            let origin = program.nodes[step.node].origin;
            (origin.line, origin.column, program.text(origin.text).to_owned())
        })
    });
    let related: Vec<DiagnosticRelatedInformation> = steps
        .enumerate()
        .map(|(i, (line, column, text))| DiagnosticRelatedInformation {
            location: Location::new(
                document.uri.clone(),
                crate::text::word_range(&document.text, line, column),
            ),
            message: format!("{}. {text}", i + 1),
        })
        .collect();
    let remark = Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        code: Some(NumberOrString::String("reach".to_owned())),
        source: Some("bop".to_owned()),
        message: said.clone(),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    };
    Ok((said, remark))
}
