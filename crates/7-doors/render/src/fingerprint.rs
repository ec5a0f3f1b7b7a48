//! What a finding is recognised by in a later run, and lists of findings that are known.
//!
//! A fingerprint is made of the question, the file's own name, the function, the object and the statement, and of no
//! number of a line: it survives what is written above. Findings that agree in all of this are counted in the order
//! of the report.

use crate::{Outcome, Report};
use ir::NodeId;
use property::Property;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

/// The key of our fingerprints in SARIF.
pub(crate) const KEY: &str = "bop/v1";
const SCHEMA: &str = "postbop.baseline/1";

/// The fingerprints of all results, in order: one for each violation, of dead code one for each statement.
pub fn fingerprints(report: &Report) -> Vec<Vec<String>> {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut number = |hash: u64| {
        let n = seen.entry(hash).or_insert(0);
        *n += 1;
        format!("{hash:016x}:{n}")
    };
    let results = report.results.iter();
    results.map(|o| parts(report, o).into_iter().map(&mut number).collect()).collect()
}

fn parts(report: &Report, outcome: &Outcome) -> Vec<u64> {
    if !outcome.status.is_violation() {
        return Vec::new();
    }
    let of_node = |program: &ir::Program, node: NodeId| {
        let info = &program.nodes[node];
        let file = program.files.get(info.origin.file as usize).map_or("", String::as_str);
        let text = program.text(info.origin.text);
        hash(outcome, [file, program.proc_name(info.proc), "", text])
    };
    if outcome.property == Property::ReachAll {
        let dead = outcome.statements.iter().flatten().filter(|s| !s.reachable);
        return dead.map(|s| of_node(&report.program, s.node)).collect();
    }
    let last = outcome.trace.as_ref().and_then(|t| {
        let step = t.steps.iter().rfind(|s| s.stays.is_none())?;
        Some((&*t.program, step.node))
    });
    vec![match (&outcome.finding, last) {
        (Some(f), _) => {
            let line = report.files.iter().find(|file| file.name() == f.file);
            let line = line.filter(|file| f.line >= 1 && f.line <= file.line_count());
            let text = line.map_or("", |file| file.line(f.line));
            hash(outcome, [&f.file, &f.function, &f.object, text])
        }
        (None, Some((program, node))) => of_node(program, node),
        (None, None) => hash(outcome, [""; 4]),
    }]
}

/// FNV-1a over the parts; blanks do not count, nor does the folder that a file is in.
fn hash(outcome: &Outcome, [file, function, object, text]: [&str; 4]) -> u64 {
    let file = file.rsplit('/').next().unwrap_or(file);
    let question = crate::title(&outcome.property);
    let mut out = 0xcbf2_9ce4_8422_2325u64;
    for part in [outcome.property.kind(), &question, file, function, object, text] {
        for byte in part.bytes().filter(|b| !b.is_ascii_whitespace()).chain([0]) {
            out = (out ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    out
}

/// Marks the violations that a baseline has, and says how many there are of those and how many of it are gone.
pub fn mark_known(report: &mut Report, baseline: &BTreeSet<String>) -> (usize, usize) {
    let all = fingerprints(report);
    let found: BTreeSet<&String> = all.iter().flatten().collect();
    let gone = baseline.iter().filter(|f| !found.contains(f)).count();
    let mut known = 0;
    for (outcome, prints) in report.results.iter_mut().zip(&all) {
        if !prints.is_empty() {
            let old = prints.iter().all(|f| baseline.contains(f));
            known += usize::from(old);
            outcome.known = Some(old);
        }
    }
    (known, gone)
}

/// A finding of a baseline.
#[derive(Serialize)]
struct Known<'a> {
    fingerprint: &'a str,
    question: String,
    message: Option<&'a str>,
}

/// Writes the violations as a baseline.
pub fn write_baseline(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let all = fingerprints(report);
    writeln!(out, "{{\"schema\":\"{SCHEMA}\",\"findings\":[")?;
    let mut first = true;
    for (outcome, prints) in report.results.iter().zip(&all) {
        for fingerprint in prints {
            let known = Known {
                fingerprint,
                question: crate::title(&outcome.property),
                message: outcome.finding.as_ref().map(|f| f.message.as_str()),
            };
            let comma = if std::mem::take(&mut first) { "" } else { ",\n" };
            write!(out, "{comma}{}", serde_json::to_string(&known)?)?;
        }
    }
    writeln!(out, "]}}")
}

/// Reads the fingerprints of a baseline: one that [`write_baseline`] wrote, a report in JSON, or SARIF of ours.
pub fn read_baseline(text: &str) -> Result<BTreeSet<String>, String> {
    let json: Json = serde_json::from_str(text).map_err(|e| format!("it is no JSON: {e}"))?;
    let list = |of: &'_ Json, name: &str| of.get(name).and_then(Json::as_array).cloned();
    let found: Vec<Json> = if let Some(runs) = list(&json, "runs") {
        runs.iter().flat_map(|run| list(run, "results").unwrap_or_default()).collect()
    } else {
        match json.get("schema").and_then(Json::as_str) {
            Some(SCHEMA) => list(&json, "findings").unwrap_or_default(),
            Some("postbop.report/1") => list(&json, "results").unwrap_or_default(),
            _ => {
                let what = "a baseline is what `--write-baseline` wrote, or a report as `--format json` or \
                            `--format sarif` writes it";
                return Err(what.to_owned());
            }
        }
    };
    let mut out = BTreeSet::new();
    let mut without = 0;
    for finding in &found {
        // What is allowed in the source is in SARIF, and no finding.
        if list(finding, "suppressions").is_some_and(|s| !s.is_empty()) {
            continue;
        }
        let ours = finding.get("partialFingerprints").and_then(|p| p.get(KEY));
        let ours = ours.or_else(|| finding.get("fingerprint"));
        let mut several = list(finding, "fingerprints").unwrap_or_default();
        // Those that are told with this one: in SARIF, and in JSON.
        several.extend(
            finding.get("properties").and_then(|p| list(p, "fingerprints")).unwrap_or_default(),
        );
        for also in list(finding, "also").unwrap_or_default() {
            several.extend(list(&also, "fingerprints").unwrap_or_default());
        }
        let before = out.len();
        out.extend(ours.into_iter().chain(&several).filter_map(|f| f.as_str().map(str::to_owned)));
        let verdict = finding.get("verdict").and_then(Json::as_str);
        let violated = matches!(verdict, None | Some("violated" | "reachable"));
        without += usize::from(violated && out.len() == before);
    }
    match without {
        0 => Ok(out),
        n => Err(format!("{n} of its findings have no fingerprint of bop")),
    }
}
