//! One self-contained page: the answers, the run with its source and values, proofs by statement.
//!
//! The page loads nothing from anywhere. Its parts are plain files beside this one: `page.html` with places for the
//! rest, `page.css`, and scripts that are put together in the order of [`SCRIPTS`]. The data stands in elements of
//! its own as JSON: what the page begins with (`data`), and each run (`run-N`, see [`runs`]), which is read when it is
//! first looked at. Pictures are templates (`picture-N`), made by [`picture`].

mod book;
mod columns;
mod invariants;
mod picture;
mod places;
mod runs;

use crate::text::{skeleton, title, told_inputs};
use crate::{Outcome, Report, Status};
use book::{Book, Head};
use property::Property;
use std::io::{self, Write};

pub use picture::{Picture, picture};
pub use places::{Point, points_html, stacks_html, states_html};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("base.js"),
    include_str!("run.js"),
    include_str!("panes.js"),
    include_str!("answers.js"),
];

/// Writes the report as a page. `seconds`: how long the answers took, all together.
pub fn html(report: &Report, seconds: f64, out: &mut dyn Write) -> io::Result<()> {
    let mut book = Book::new(&report.files);
    for outcome in &report.results {
        answer(report, outcome, &mut book)?;
    }
    let claims = &report.claims;
    let granted = report.assumptions.iter().chain(&claims.granted).chain(&report.not_modelled);
    book.notes = claims.idle.iter().chain(granted).cloned().collect();
    let left_out = claims.read.as_ref().filter(|e| !e.is_complete());
    book.incomplete = left_out.map(|e| format!("incomplete: {}", e.told())).into_iter().collect();
    book.headline = headline(report);
    book.about = about(report);
    book.took(seconds);
    book.write(out)
}

/// What was asked, of what, and the answer.
fn headline(report: &Report) -> String {
    // Of C, the units were named; headers come with them.
    let others = match &report.claims.read {
        Some(extent) => extent.files.saturating_sub(1),
        None => report.files.iter().skip(1).filter(|f| !f.name().is_empty()).count(),
    };
    let name = match others {
        0 => report.file_name().to_owned(),
        1 => format!("{} and 1 more file", report.file_name()),
        n => format!("{} and {n} more files", report.file_name()),
    };
    format!("{name}: {}", crate::closing(report))
}

/// What was asked, and who answered.
fn about(report: &Report) -> String {
    let mut engines: Vec<&str> = Vec::new();
    let mut asked: Vec<String> = Vec::new();
    for outcome in &report.results {
        let question = title(&outcome.property);
        if !asked.contains(&question) {
            asked.push(question);
        }
        if !outcome.engine.is_empty() && !engines.contains(&&*outcome.engine) {
            engines.push(&outcome.engine);
        }
    }
    let engines = match engines[..] {
        [] => String::new(),
        [one] => format!(", engine {one}"),
        _ => format!(", engines {}", engines.join(", ")),
    };
    format!("Asked: {}. bop {}{engines}", asked.join(", "), env!("CARGO_PKG_VERSION"))
}

/// How bad an answer is.
fn level(outcome: &Outcome) -> &'static str {
    match outcome.status {
        Status::Violated if outcome.property == Property::ReachAll => "warning",
        Status::Violated | Status::Reachable => "error",
        _ => "none",
    }
}

/// Whether a violation of C was seen when it was run, or may be impossible because of data, in the words that all
/// reports have. Answers about other languages are exact.
fn sure(outcome: &Outcome) -> Option<&'static str> {
    if let Some(confidence) = outcome.finding.as_ref().and_then(|f| f.confidence) {
        return Some(confidence.word());
    }
    let rule = crate::findings::rule(outcome).is_some();
    match outcome.status {
        Status::Violated | Status::Reachable if outcome.inputs.is_some() => Some("confirmed"),
        Status::Violated | Status::Reachable if rule || outcome.assumes.is_some() => {
            Some("not confirmed")
        }
        _ => None,
    }
}

/// The answer in words.
fn said(outcome: &Outcome) -> String {
    let violated = outcome.status.is_violation() && outcome.property != Property::ReachAll;
    if violated {
        let text = crate::sarif::violated(outcome);
        return text.lines().next().unwrap_or_default().to_owned();
    }
    let rule = crate::findings::rule(outcome).map(str::to_owned);
    let head = rule.unwrap_or_else(|| crate::text::head(outcome));
    let word = format!("{}: ", outcome.status.word());
    head.strip_prefix(&word).unwrap_or(&head).trim_end_matches(':').to_owned()
}

fn answer(report: &Report, outcome: &Outcome, book: &mut Book) -> io::Result<()> {
    let finding = outcome.finding.as_deref();
    let mut warnings: Vec<String> = outcome.vacuous.clone();
    warnings.extend(outcome.warnings.iter().cloned());
    warnings.extend(outcome.stop_reason.iter().map(ToString::to_string));
    warnings.extend(outcome.vacuity.iter().flat_map(|v| &v.idle).map(|idle| {
        format!("vacuous: it would hold even with `{}` in place of `{}`", idle.by, idle.part)
    }));
    let mut head = Head {
        title: title(&outcome.property),
        rule: title(&outcome.property),
        verdict: outcome.status.word(),
        level: level(outcome),
        message: Some(match finding {
            Some(finding) => finding.message.clone(),
            None => said(outcome),
        }),
        function: finding.map(|f| f.function.clone()),
        object: finding.map(|f| f.object.clone()).filter(|o| !o.is_empty()),
        origin: finding.and_then(|f| f.origin.clone()),
        sure: sure(outcome),
        told: finding.and_then(crate::findings::told_confidence),
        engine: outcome.engine.clone(),
        why: outcome.why.clone(),
        seconds: (!outcome.engine.is_empty()).then(|| book::microseconds(outcome.seconds)),
        warnings,
        inputs: outcome.inputs.as_ref().and_then(|i| told_inputs(i)),
        assumes: finding
            .map_or_else(|| outcome.assumes.clone().unwrap_or_default(), |f| f.assumptions.clone()),
        text_of_rule: match &outcome.property {
            Property::Rule { text, .. } => Some(text.clone()),
            _ => None,
        },
        ..Head::default()
    };
    if let Some(finding) = finding {
        head.place(book, &finding.file, finding.line);
    }
    if let Some(trace) = &outcome.trace {
        head.r#loop = trace.loop_start;
        head.growth = trace.growth;
        let summary = crate::text::summary(trace);
        head.summary = Some(match skeleton(outcome) {
            Some(skeleton) => format!("{summary}; {skeleton}"),
            None => summary,
        });
        if finding.is_none()
            && let Some(step) = trace.steps.iter().rfind(|s| s.stays.is_none())
        {
            let origin = trace.program.nodes[step.node].origin;
            let file = trace.program.files.get(origin.file as usize);
            head.place(book, file.map_or("", String::as_str), origin.line);
        }
        if let Some(monitor) = &trace.monitor {
            head.picture(book, "The rule's automaton", &monitor.picture());
        }
        let rows = runs::of(trace, finding, book)?;
        head.run = Some(book.run(&rows));
    } else if outcome.statements.is_some() {
        let rows = runs::statements(report, outcome, book);
        head.run = Some(book.run(&rows));
    } else if let Some(rows) = runs::proof(report, outcome, book) {
        head.summary = Some("The statements with what the proof says of each.".to_owned());
        head.run = Some(book.run(&rows));
    } else if outcome.stop_reason.is_none() && outcome.status != Status::Unknown {
        head.summary = Some("There is no run to show.".to_owned());
    }
    book.results.push(head);
    Ok(())
}
