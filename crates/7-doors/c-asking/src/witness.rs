//! Witnesses in the format of SV-COMP, version 2.0: invariants of a program that holds (none where runs were followed, or
//! the control skeleton was enough), and where one that does not fails.

use property::{OperationKind, Property};
use render::{Invariant, Outcome, Report, Status};
use sha2::{Digest, Sha256};
use source::SourceFile;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The witness of the first answer that has one. When it was made is for the caller to say.
pub fn witness(report: &Report, made: &str, bits: u32) -> Option<String> {
    let holds = |o: &Outcome| matches!(o.status, Status::Holds | Status::Unreachable);
    let shown = |o: &&Outcome| holds(o) || o.inputs.is_some();
    let outcome = report.results.iter().find(shown)?;
    let specification = specification(&outcome.property)?;
    let file = report.files.first()?;
    let hash = hex(&Sha256::digest(file.text().as_bytes()));
    let mut out = String::new();
    let kind = if holds(outcome) { "invariant_set" } else { "violation_sequence" };
    let id = hex(&Sha256::digest(format!("{hash}{specification}{kind}{made}").as_bytes()));
    let id = [&id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..32]].join("-");
    let name = quoted(file.name());
    let version = env!("CARGO_PKG_VERSION");
    let model = if bits == 32 { "ILP32" } else { "LP64" };
    let _ = write!(
        out,
        "- entry_type: {kind}\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"{id}\"\n    creation_time: {}\n    \
         producer:\n      name: Postbop\n      version: \"{version}\"\n    task:\n      input_files:\n      - {name}\n      \
         input_file_hashes:\n        {name}: \"{hash}\"\n      specification: {}\n      data_model: {model}\n      \
         language: C\n  content:\n",
        quoted(made),
        quoted(specification)
    );
    match (holds(outcome), &outcome.invariants) {
        (true, Some(invariants)) => correctness(&mut out, invariants, &report.files),
        (true, None) => correctness(&mut out, &[], &report.files),
        (false, _) => violation(&mut out, outcome, file),
    }
    Some(out)
}

fn specification(property: &Property) -> Option<&'static str> {
    Some(match property {
        Property::Assert => "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        Property::Operations { kind: OperationKind::Overflow } => {
            "CHECK( init(main()), LTL(G ! overflow) )"
        }
        Property::Operations { kind: OperationKind::MemorySafety } => {
            "CHECK( init(main()), LTL(G valid-deref) )"
        }
        _ => return None,
    })
}

/// What holds at each loop, as an expression over what can be named there.
fn correctness(out: &mut String, invariants: &[Invariant], files: &[std::sync::Arc<SourceFile>]) {
    // The same loop below different calls holds one or the other.
    let mut loops: BTreeMap<(&str, u32, &str), Vec<String>> = BTreeMap::new();
    // What holds where a function is called from itself need not hold where it is called first.
    for invariant in invariants.iter().filter(|i| i.of.is_none()) {
        let named = |text: &&str| !text.contains("::") && !text.contains(['#', '`']);
        let plain = |text: &&str| {
            let inside = ["(value", "(object", "(memory", "alive(", "(result", "old("];
            !inside.iter().any(|part| text.contains(part))
        };
        let all = invariant.holds.iter().map(|d| d.text.as_str());
        let all: Vec<String> =
            all.filter(named).filter(plain).map(|text| format!("({text})")).collect();
        let all = if all.is_empty() { "1".to_owned() } else { all.join(" && ") };
        let key = (invariant.file.as_str(), invariant.line, invariant.proc.as_str());
        loops.entry(key).or_default().push(all);
    }
    if loops.is_empty() {
        // There is no loop that is not followed to its end.
        out.truncate(out.trim_end_matches("content:\n").len());
        out.push_str("content: []\n");
    }
    for ((file, line, function), mut values) in loops {
        values.sort();
        values.dedup();
        let value = match &values[..] {
            [one] => one.clone(),
            all => all.iter().map(|v| format!("({v})")).collect::<Vec<_>>().join(" || "),
        };
        let text = files.iter().find(|f| f.name() == file).map_or("", |f| f.line(line));
        let keyword = ["while", "for", "do"].iter().filter_map(|word| keyword(text, word)).min();
        let (kind, column) = match keyword {
            Some(at) => ("loop_invariant", at),
            None => ("location_invariant", text.len() - text.trim_start().len()),
        };
        let _ = write!(
            out,
            "  - invariant:\n      type: {kind}\n      location:\n        file_name: {}\n        line: {line}\n        \
             column: {}\n        function: {}\n      value: {}\n      format: c_expression\n",
            quoted(file),
            column + 1,
            quoted(function),
            quoted(&value)
        );
    }
}

/// Where a word stands by itself in a line.
fn keyword(text: &str, word: &str) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back().is_some_and(part);
        let after = text[at + word.len()..].chars().next().is_some_and(part);
        !before && !after
    })
}

/// Where the run ends.
fn violation(out: &mut String, outcome: &Outcome, file: &SourceFile) {
    let last = outcome.trace.as_ref().and_then(|trace| {
        let step = trace.steps.last()?;
        let node = &trace.program.nodes[step.node];
        Some((node.origin.line, trace.program.proc_name(node.proc).to_owned()))
    });
    let found = outcome.finding.as_ref().map(|f| (f.line, f.function.clone()));
    let Some((line, function)) = found.or(last) else { return };
    let text = file.line(line);
    let column = text.len() - text.trim_start().len() + 1;
    let _ = write!(
        out,
        "  - segment:\n    - waypoint:\n        type: target\n        action: follow\n        location:\n          \
         file_name: {}\n          line: {line}\n          column: {column}\n          function: {}\n",
        quoted(file.name()),
        quoted(&function)
    );
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
