//! A report of `bop check --format json` as diagnostics.

use crate::text::{self, word_range};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// So many steps of a path are shown.
const STEPS: usize = 200;

/// Diagnostics by file. Files are whole paths.
pub(crate) type ByFile = BTreeMap<String, Vec<Diagnostic>>;

/// What a report, or a page of errors, says of which files. Names are as seen from `folder`; `read` gives the text of
/// a file.
pub(crate) fn findings(page: &Value, folder: &Path, read: &dyn Fn(&str) -> String) -> ByFile {
    let mut out = ByFile::new();
    let seen = |name: &str| folder.join(name).to_string_lossy().into_owned();
    for error in page["errors"].as_array().into_iter().flatten() {
        let place = &error["place"];
        let Some(name) = place["file"].as_str() else { continue };
        let path = seen(name);
        let (line, column) = (number(&place["line"]).max(1), number(&place["column"]).max(1));
        let diagnostic = Diagnostic {
            range: word_range(&read(&path), line, column),
            severity: Some(DiagnosticSeverity::ERROR),
            code: error["code"].as_str().map(|c| NumberOrString::String(c.to_owned())),
            source: Some("bop".to_owned()),
            message: error["message"].as_str().unwrap_or("").to_owned(),
            ..Diagnostic::default()
        };
        out.entry(path).or_default().push(diagnostic);
    }
    let main = page["file"].as_str().unwrap_or("");
    for result in page["results"].as_array().into_iter().flatten() {
        if !matches!(result["verdict"].as_str(), Some("violated" | "reachable")) {
            continue;
        }
        let steps: Vec<&Value> =
            result["trace"]["steps"].as_array().into_iter().flatten().collect();
        let last = steps.iter().rev().find(|s| number(&s["line"]) > 0);
        let Some(place) = Some(&result["place"]).filter(|p| !p.is_null()).or(last.copied()) else {
            continue;
        };
        let path = seen(place["file"].as_str().unwrap_or(main));
        let related = steps.iter().filter(|s| number(&s["line"]) > 0).take(STEPS).enumerate();
        let related = related.filter_map(|(i, step)| {
            let path = seen(step["file"].as_str().unwrap_or(main));
            let range = word_range(&read(&path), number(&step["line"]), number(&step["column"]));
            let location = Location::new(text::uri(&path)?, range);
            let events: Vec<&str> =
                step["events"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let mut message = format!("{}. {}", i + 1, step["text"].as_str().unwrap_or(""));
            if !events.is_empty() {
                message += &format!("  [{}]", events.join("; "));
            }
            Some(DiagnosticRelatedInformation { location, message })
        });
        let related: Vec<_> = related.collect();
        let diagnostic = Diagnostic {
            range: word_range(&read(&path), number(&place["line"]), number(&place["column"])),
            severity: Some(DiagnosticSeverity::WARNING),
            code: Some(NumberOrString::String(code(&result["property"]))),
            source: Some("bop".to_owned()),
            message: message(result),
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        };
        out.entry(path).or_default().push(diagnostic);
    }
    out
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

fn code(property: &Value) -> String {
    let word = property["rule"].as_str().or(property["kind"].as_str());
    word.unwrap_or("finding").to_owned()
}

fn message(result: &Value) -> String {
    let property = &result["property"];
    let mut out = match (result["message"].as_str(), property["kind"].as_str()) {
        (Some(message), _) => message.to_owned(),
        (None, Some("assert")) => "this assertion can fail".to_owned(),
        (None, Some("reach")) => {
            format!("`{}` is reachable", property["label"].as_str().unwrap_or(""))
        }
        (None, Some("terminates")) => "a run comes here and never ends".to_owned(),
        (None, Some("reach-all")) => "there are statements that no run reaches".to_owned(),
        (None, _) => {
            format!("violated: {}", property["formula"].as_str().unwrap_or("what was asked"))
        }
    };
    let assumed = result["assumptions"].as_array().into_iter().flatten();
    for sentence in assumed.filter_map(Value::as_str) {
        out += &format!("\nassumes {sentence}");
    }
    out
}
