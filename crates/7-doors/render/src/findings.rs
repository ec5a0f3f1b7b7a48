//! What rules found, for people.
//!
//! A path is shown by source lines, those with events that matter marked; what lies between is cut
//! short unless all of it is wanted.

use crate::causes::{self, Fold};
use crate::values::{Changes, Reader};
use crate::{
    Confidence, Finding, ListedStep, Listing, LookedAt, MAX_INDENT, Outcome, Report, TextOptions,
};
use property::Property;
use source::SourceFile;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

/// So many lines without events are shown before and after the gap of a path that is cut short.
const AROUND: usize = 2;
/// Source lines are cut here.
const WIDTH: usize = 72;
/// So many conditions on data are named for one finding.
const ASSUMED: usize = 12;
/// So many findings are counted at the end.
const MANY: usize = 20;

/// The files by their names.
pub(crate) type Sources<'a> = HashMap<&'a str, &'a SourceFile>;

/// The files of a report.
pub(crate) fn sources(report: &Report) -> Sources<'_> {
    // The first of two files with one name.
    report.files.iter().rev().map(|f| (f.name(), &**f)).collect()
}

/// A line of a path: neighbouring steps on one source line are one.
struct Line<'a> {
    step: &'a ListedStep,
    place: Place<'a>,
    /// Of each point on the line.
    events: Vec<String>,
    /// Variables that are kept, where they have changed.
    values: Vec<String>,
    folded: bool,
}

/// Where a step is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
    text: &'a str,
}

impl<'a> Place<'a> {
    fn new(trace: &'a Listing, step: &ListedStep) -> Place<'a> {
        let node = &trace.program.nodes[step.node];
        let file = trace.program.files.get(node.origin.file as usize).map_or("", String::as_str);
        let (line, column, text) = step.origin(&trace.program);
        Place { file, line, column, function: trace.program.proc_name(node.proc), text }
    }
}

/// The name of the rule that an outcome is about.
pub(crate) fn rule(outcome: &Outcome) -> Option<&str> {
    match &outcome.property {
        Property::Rule { rule, .. } => Some(rule),
        _ => None,
    }
}

/// So many of the places that are told as one are named.
const PLACES: usize = 8;

/// What of findings is told as one.
pub(crate) fn fold(options: &TextOptions) -> Fold {
    match (options.verbose, options.quiet) {
        (true, _) => Fold::Nothing,
        (_, true) => Fold::Headlines,
        _ => Fold::Causes,
    }
}

/// Findings that are told as one: one of them, and where the others are.
pub(crate) fn text_of_several(
    sources: &Sources<'_>,
    report: &Report,
    list: &[usize],
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (shown, others) = causes::told(report, list);
    let outcome = &report.results[shown];
    text(sources, (rule(outcome).unwrap_or_default(), outcome), options, out)?;
    if options.quiet {
        return Ok(());
    }
    let (places, origins) = causes::elsewhere(report, shown, &others);
    let named = |list: &[String]| {
        let dots = if list.len() > PLACES { ", …" } else { "" };
        format!("{}{dots}", list.iter().take(PLACES).cloned().collect::<Vec<_>>().join(", "))
    };
    let more = match (&places[..], &origins[..]) {
        ([], []) => format!("and {} more like this", others.len()),
        ([], origins) => format!("and {} more like this, from {}", others.len(), named(origins)),
        (places, _) => format!("and {} more like this, at {}", others.len(), named(places)),
    };
    line!(out, "  {more} (`-v` shows each)")?;
    writeln!(out)
}

/// One answer about a rule.
pub(crate) fn text(
    sources: &Sources<'_>,
    (rule, outcome): (&str, &Outcome),
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match (&outcome.finding, &outcome.stop_reason) {
        (Some(finding), _) => {
            let Finding { message, file, line, column, .. } = &**finding;
            line!(out, "violated: {rule}: {message} at {file}:{line}:{column}")?;
        }
        (None, Some(reason)) => line!(out, "unknown: {rule} ({reason})")?,
        (None, None) => line!(out, "{}: {rule}", outcome.status.word())?,
    }
    for reason in &outcome.vacuous {
        line!(out, "  warning: {reason}")?;
    }
    if options.quiet {
        return Ok(());
    }
    for warning in &outcome.warnings {
        line!(out, "  warning: {warning}")?;
    }
    if let Some(finding) = &outcome.finding {
        if let Some(told) = told_confidence(finding) {
            line!(out, "  {told}")?;
        }
        path(sources, finding, outcome.trace.as_ref(), options, out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// What is said once about a rule, after all its answers.
pub(crate) fn about_rule(
    report: &Report,
    name: &str,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let allowed = report.suppressed.iter().filter(|o| rule(o) == Some(name));
    let allowed: Vec<&Finding> = allowed.filter_map(|o| o.finding.as_deref()).collect();
    if options.verbose {
        looked_at(report, name, &allowed, out)?;
    }
    let n = allowed.len();
    if n > 0 && !options.quiet {
        line!(out, "  {n} suppressed by remarks in the source")?;
        for f in allowed.into_iter().filter(|_| options.verbose) {
            let reason = f.suppressed.as_deref().unwrap_or("");
            line!(out, "  {}:{}: {} (allowed: {reason})", f.file, f.line, f.message)?;
        }
    }
    Ok(())
}

/// What a rule was about, and the verdict for each variable of it.
fn looked_at(
    report: &Report,
    name: &str,
    allowed: &[&Finding],
    out: &mut dyn Write,
) -> io::Result<()> {
    let answers = || report.results.iter().filter(|o| rule(o) == Some(name));
    let Some(looked) = answers().find_map(|o| o.looked_at.as_ref()) else { return Ok(()) };
    let LookedAt { variables, values, call_sites } = &**looked;
    let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut parts = vec![counted(*call_sites, "call site")];
    parts.extend(values.map(|n| counted(n, "value")));
    parts.extend(variables.as_ref().map(|v| counted(v.len(), "variable")));
    line!(out, "  {name}: looked at {}", parts.join(", "))?;
    let broken: HashSet<&str> =
        answers().filter_map(|o| Some(o.finding.as_ref()?.object.as_str())).collect();
    let allowed: HashSet<&str> = allowed.iter().map(|f| f.object.as_str()).collect();
    let open = answers().any(|o| o.stop_reason.is_some());
    for variable in variables.iter().flatten() {
        let is_in = |objects: &HashSet<&str>| objects.contains(variable.as_str());
        let verdict = match (is_in(&broken), is_in(&allowed)) {
            (true, _) => "violated",
            (false, _) if open => "unknown",
            (false, true) => "holds, with what is suppressed",
            (false, false) => "holds",
        };
        line!(out, "    {variable}: {verdict}")?;
    }
    Ok(())
}

/// What is said once about all rules: how many findings there are, and what they rest on.
pub(crate) fn notes(report: &Report, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    if options.quiet {
        return Ok(());
    }
    count(report, out)?;
    for assumption in &report.assumptions {
        line!(out, "note: {assumption}")?;
    }
    Ok(())
}

/// How many findings there are, where they are too many to be counted by eye.
fn count(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let findings = || report.results.iter().filter_map(|r| Some((rule(r)?, r.finding.as_ref()?)));
    let all = findings().count();
    if all < MANY {
        return Ok(());
    }
    let files: HashSet<&str> = findings().map(|(_, f)| f.file.as_str()).collect();
    let mut by_rule: Vec<(&str, usize)> = Vec::new();
    for (rule, _) in findings() {
        match by_rule.last_mut() {
            Some((last, n)) if *last == rule => *n += 1,
            _ => by_rule.push((rule, 1)),
        }
    }
    let by_rule: Vec<String> = by_rule.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    let (files, by_rule) = (files.len(), by_rule.join(", "));
    let s = if files == 1 { "" } else { "s" };
    line!(out, "{all} findings in {files} file{s}: {by_rule} (`-q`: a line for each)")
}

fn path(
    sources: &Sources<'_>,
    finding: &Finding,
    trace: Option<&Listing>,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut reader = trace.map(|t| Reader::new(&t.program));
    let mut changes = Changes::new();
    for (trace, step) in trace.into_iter().flat_map(|t| t.steps.iter().map(move |s| (t, s))) {
        let place = Place::new(trace, step);
        let proc = trace.program.nodes[step.node].proc;
        let changed = reader.as_mut().map(|r| changes.step(r, proc, step));
        let changed = changed.into_iter().flatten();
        let values: Vec<String> = changed.flat_map(|change| change.told(&trace.program)).collect();
        // Where a function ends tells nobody anything.
        if step.events.is_empty() && values.is_empty() && place.text == "}" {
            continue;
        }
        let folded = step.folded.is_some();
        let shown: Vec<&str> = step.events.iter().map(|e| e.shown.as_str()).collect();
        let shown = shown.join(", ");
        match lines.last_mut() {
            Some(last) if same_line(last, step, &place) => {
                match last.events.last_mut() {
                    _ if shown.is_empty() => {}
                    // A call, and the assignment of its result after it.
                    Some(before) if last.place == place => {
                        if *before != shown {
                            *before += &format!(", {shown}");
                        }
                    }
                    _ => last.events.push(shown),
                }
                last.place = place;
                last.values.extend(values);
                last.folded |= folded;
            }
            _ => {
                let events = Some(shown).filter(|s| !s.is_empty()).into_iter().collect();
                lines.push(Line { step, place, events, values, folded });
            }
        }
    }
    if !lines.is_empty() {
        writeln!(out)?;
    }
    let place = |l: &Line<'_>| format!("{}:{}", l.place.file, l.place.line);
    let width = lines.iter().map(|l| place(l).chars().count()).max().unwrap_or(0);
    let functions =
        lines.iter().map(|l| l.place.function.chars().count()).max().unwrap_or(0).min(24);
    let mut i = 0;
    while i < lines.len() {
        let gap = lines[i..].iter().take_while(|l| l.events.is_empty()).count();
        if gap > 2 * AROUND + 1 && !options.verbose {
            for line in &lines[i..i + AROUND] {
                shown(sources, line, &place(line), (width, functions), out)?;
            }
            line!(out, "    {:width$}  … {} more lines", "", gap - 2 * AROUND)?;
            i += gap - AROUND;
            for line in &lines[i..i + AROUND] {
                shown(sources, line, &place(line), (width, functions), out)?;
            }
            i += AROUND;
            continue;
        }
        shown(sources, &lines[i], &place(&lines[i]), (width, functions), out)?;
        i += 1;
    }
    let all = &finding.assumptions;
    match taken_for_granted(finding) {
        Some(_) if all.len() > ASSUMED && !options.verbose => {
            let (first, last) = (&all[..ASSUMED / 2], &all[all.len() - ASSUMED / 2..]);
            let (first, last) = (first.join(" and "), last.join(" and "));
            let more = all.len() - ASSUMED / 2 * 2;
            line!(out, "  assumes {first} and … {more} more … and {last}")
        }
        Some(text) => line!(out, "  {text}"),
        None => Ok(()),
    }
}

/// How sure the finding is, as one sentence; what nobody has asked for has none.
pub(crate) fn told_confidence(finding: &Finding) -> Option<String> {
    let how = match finding.confidence? {
        Confidence::Possible => return Some("possible: no run was found that shows it".to_owned()),
        Confidence::Likely if !finding.executed => {
            return Some(
                "likely: the conditions on its path agree; no run was executed".to_owned(),
            );
        }
        Confidence::Likely => "likely: a run was executed that shows it",
        Confidence::Confirmed => {
            "confirmed: a run from the start of the program was executed that shows it"
        }
    };
    Some(match &finding.run[..] {
        [] => how.to_owned(),
        run => format!("{how}; {}", run.join("; ")),
    })
}

/// What the finding takes for granted, as one sentence.
pub(crate) fn taken_for_granted(finding: &Finding) -> Option<String> {
    let all = &finding.assumptions;
    (!all.is_empty()).then(|| format!("assumes {}", all.join(" and ")))
}

fn same_line(last: &Line<'_>, step: &ListedStep, place: &Place<'_>) -> bool {
    let (a, b) = (&last.place, place);
    a.line == b.line
        && last.step.depth == step.depth
        && a.file == b.file
        && a.function == b.function
}

fn shown(
    sources: &Sources<'_>,
    line: &Line<'_>,
    place: &str,
    (width, functions): (usize, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    let step = line.step;
    let mark = if line.events.is_empty() { ' ' } else { '>' };
    let indent = 2 * step.depth.min(MAX_INDENT) as usize;
    let source = source_line(sources, &line.place);
    let mut text: String = source.chars().take(WIDTH).collect();
    if source.chars().count() > WIDTH {
        text.push('…');
    }
    if line.folded {
        text += "  (the call is folded)";
    }
    let events = match line.events.is_empty() {
        true => String::new(),
        false => format!("  [{}]", line.events.join("; ")),
    };
    let values = match line.values.is_empty() {
        true => String::new(),
        false => format!("  {}", line.values.join(" ")),
    };
    let function = line.place.function;
    let line = format!(
        "  {mark} {place:width$}  {function:functions$}  {:indent$}{text}{events}{values}",
        ""
    );
    line!(out, "{}", line.trim_end())
}

/// The line of the source, or the statement where that is not at hand.
fn source_line(sources: &Sources<'_>, place: &Place<'_>) -> String {
    let file = sources.get(place.file);
    let line = file.filter(|f| place.line <= f.line_count()).map_or("", |f| f.line(place.line));
    let line = line.trim();
    if line.is_empty() { place.text.to_owned() } else { line.replace('\t', " ") }
}
