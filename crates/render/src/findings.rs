//! What rules found: as data, and for people.
//!
//! A path is shown by source lines, those with events that matter marked; what lies between is cut
//! short unless all of it is wanted.

use crate::{MAX_INDENT, Report, Status, TextOptions};
use check::StopReason;
use source::SourceFile;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

/// The answers to all rules.
#[derive(Clone, Debug, Default)]
pub struct RuleReport {
    /// One for each rule, in order.
    pub rules: Vec<RuleOutcome>,
    /// What the answers rest on, said once.
    pub assumptions: Vec<String>,
    /// The engine that answered.
    pub engine: String,
    /// Wall-clock time for all rules.
    pub seconds: f64,
    /// Counters of effort for all rules.
    pub counters: Vec<(String, u64)>,
}

/// The answer to one rule.
#[derive(Clone, Debug)]
pub struct RuleOutcome {
    /// The rule's name.
    pub rule: String,
    /// Its metavariable, if it has one.
    pub metavariable: Option<String>,
    /// Why there is no complete answer.
    pub stop_reason: Option<StopReason>,
    /// What breaks it.
    pub findings: Vec<Finding>,
    /// What a remark in the source allows to break it.
    pub suppressed: Vec<Finding>,
    /// What it was about.
    pub looked_at: LookedAt,
    /// Why the answer is about nothing.
    pub vacuous: Vec<String>,
}

/// What was looked at for the answer to a rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LookedAt {
    /// The variables, for a rule about variables.
    pub variables: Option<Vec<String>>,
    /// The places where values come into being, for a rule about values.
    pub values: Option<usize>,
    /// Calls of functions that the rule names.
    pub call_sites: usize,
}

impl RuleOutcome {
    /// Whether it is kept.
    pub fn status(&self) -> Status {
        match (&self.findings[..], &self.stop_reason) {
            ([], None) => Status::Holds,
            ([], Some(_)) => Status::Unknown,
            _ => Status::Violated,
        }
    }
}

/// A violation of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What the rule says about it.
    pub message: String,
    /// Where the rule is violated.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// Its function.
    pub function: String,
    /// The object that it is about; empty for rules without one.
    pub object: String,
    /// Where the object comes from: file and line.
    pub origin: Option<(String, u32)>,
    /// No path to it is shorter, a completed call counted as one step.
    pub shortest: bool,
    /// The way there.
    pub steps: Vec<FindingStep>,
    /// What was taken for granted on the way.
    pub assumptions: Vec<String>,
    /// The reason of the remark that allows it.
    pub suppressed: Option<String>,
}

/// A step of a finding's path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingStep {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The statement.
    pub text: String,
    /// The function.
    pub function: String,
    /// How many calls are open.
    pub depth: u32,
    /// It is a call whose inside is not shown.
    pub folded: bool,
    /// What happens here that matters to the rule.
    pub event: Option<String>,
}

/// So many lines without events are shown before and after the gap of a path that is cut short.
const AROUND: usize = 2;
/// Source lines are cut here.
const WIDTH: usize = 72;
/// So many conditions on data are named for one finding.
const ASSUMED: usize = 12;
/// So many findings are counted at the end.
const MANY: usize = 20;

/// The files by their names.
type Sources<'a> = HashMap<&'a str, &'a SourceFile>;

/// A line of a path: neighbouring steps on one source line are one.
struct Line<'a> {
    step: &'a FindingStep,
    events: Vec<&'a str>,
    folded: bool,
}

pub(crate) fn text(
    report: &Report,
    rules: &RuleReport,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    // The first of two files with one name.
    let sources: Sources<'_> = report.files.iter().rev().map(|f| (f.name(), &**f)).collect();
    for outcome in &rules.rules {
        let rule = &outcome.rule;
        for finding in &outcome.findings {
            let Finding { message, file, line, column, .. } = finding;
            line!(out, "violated: {rule}: {message} at {file}:{line}:{column}")?;
            if options.quiet {
                continue;
            }
            path(&sources, finding, options, out)?;
            writeln!(out)?;
        }
        match (&outcome.stop_reason, outcome.status()) {
            (Some(reason), _) => line!(out, "unknown: {rule} ({reason})")?,
            (None, Status::Holds) => line!(out, "holds: {rule}")?,
            _ => {}
        }
        for reason in &outcome.vacuous {
            line!(out, "  warning: {reason}")?;
        }
        if options.verbose {
            looked_at(outcome, out)?;
        }
        let n = outcome.suppressed.len();
        if n > 0 && !options.quiet {
            line!(out, "  {n} suppressed by remarks in the source")?;
            if options.verbose {
                for f in &outcome.suppressed {
                    let reason = f.suppressed.as_deref().unwrap_or("");
                    line!(out, "  {}:{}: {} (allowed: {reason})", f.file, f.line, f.message)?;
                }
            }
        }
    }
    if options.quiet {
        return Ok(());
    }
    count(rules, out)?;
    for assumption in &rules.assumptions {
        line!(out, "note: {assumption}")?;
    }
    if options.verbose || options.stats {
        line!(out, "  engine {}, {:.3} s", rules.engine, rules.seconds)?;
    }
    if options.stats {
        crate::text::counters(out, &rules.counters)?;
    }
    Ok(())
}

/// What a rule was about, and the verdict for each variable of it.
fn looked_at(outcome: &RuleOutcome, out: &mut dyn Write) -> io::Result<()> {
    let LookedAt { variables, values, call_sites } = &outcome.looked_at;
    let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut parts = vec![counted(*call_sites, "call site")];
    parts.extend(values.map(|n| counted(n, "value")));
    parts.extend(variables.as_ref().map(|v| counted(v.len(), "variable")));
    line!(out, "  {}: looked at {}", outcome.rule, parts.join(", "))?;
    for variable in variables.iter().flatten() {
        let about = |found: &[Finding]| found.iter().any(|f| f.object == *variable);
        let verdict = match (about(&outcome.findings), about(&outcome.suppressed)) {
            (true, _) => "violated",
            (false, _) if outcome.stop_reason.is_some() => "unknown",
            (false, true) => "holds, with what is suppressed",
            (false, false) => "holds",
        };
        line!(out, "    {variable}: {verdict}")?;
    }
    Ok(())
}

/// How many findings there are, where they are too many to be counted by eye.
fn count(rules: &RuleReport, out: &mut dyn Write) -> io::Result<()> {
    let findings = || rules.rules.iter().flat_map(|r| &r.findings);
    let all = findings().count();
    if all < MANY {
        return Ok(());
    }
    let files: HashSet<&str> = findings().map(|f| f.file.as_str()).collect();
    let by_rule: Vec<String> = (rules.rules.iter())
        .filter(|r| !r.findings.is_empty())
        .map(|r| format!("{} {}", r.rule, r.findings.len()))
        .collect();
    let (files, by_rule) = (files.len(), by_rule.join(", "));
    let s = if files == 1 { "" } else { "s" };
    line!(out, "{all} findings in {files} file{s}: {by_rule} (`-q`: a line for each)")
}

fn path(
    sources: &Sources<'_>,
    finding: &Finding,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for step in &finding.steps {
        let event = step.event.as_deref();
        // Where a function ends tells nobody anything.
        if event.is_none() && step.text == "}" {
            continue;
        }
        match lines.last_mut() {
            Some(last) if same_line(last.step, step) => {
                last.events.extend(event);
                last.folded |= step.folded;
            }
            _ => {
                lines.push(Line { step, events: event.into_iter().collect(), folded: step.folded })
            }
        }
    }
    if !lines.is_empty() {
        writeln!(out)?;
    }
    let place = |l: &Line<'_>| format!("{}:{}", l.step.file, l.step.line);
    let width = lines.iter().map(|l| place(l).chars().count()).max().unwrap_or(0);
    let functions =
        lines.iter().map(|l| l.step.function.chars().count()).max().unwrap_or(0).min(24);
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

/// What the finding takes for granted, as one sentence.
pub(crate) fn taken_for_granted(finding: &Finding) -> Option<String> {
    let all = &finding.assumptions;
    (!all.is_empty()).then(|| format!("assumes {}", all.join(" and ")))
}

fn same_line(a: &FindingStep, b: &FindingStep) -> bool {
    a.line == b.line && a.depth == b.depth && a.file == b.file && a.function == b.function
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
    let source = source_line(sources, step);
    let mut text: String = source.chars().take(WIDTH).collect();
    if source.chars().count() > WIDTH {
        text.push('…');
    }
    if line.folded {
        text += "  (the call is folded)";
    }
    let events: Vec<String> = line.events.iter().map(|e| unscoped(e)).collect();
    let events =
        if events.is_empty() { String::new() } else { format!("  [{}]", events.join("; ")) };
    let function = &step.function;
    let line =
        format!("  {mark} {place:width$}  {function:functions$}  {:indent$}{text}{events}", "");
    line!(out, "{}", line.trim_end())
}

/// The line of the source, or the statement where that is not at hand.
fn source_line(sources: &Sources<'_>, step: &FindingStep) -> String {
    let file = sources.get(step.file.as_str());
    let line = file.filter(|f| step.line <= f.line_count()).map_or("", |f| f.line(step.line));
    let line = line.trim();
    if line.is_empty() { step.text.clone() } else { line.replace('\t', " ") }
}

/// An event with its objects named as in the source: `call(free, main::p)` is `call(free, p)`.
pub(crate) fn unscoped(event: &str) -> String {
    let mut out = String::new();
    let mut rest = event;
    while let Some(at) = rest.find("::") {
        let start = rest[..at].rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        let start = start.map_or(0, |i| i + 1);
        out.push_str(&rest[..start]);
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::unscoped;

    #[test]
    fn events_lose_their_functions() {
        assert_eq!(unscoped("call(free, main::p)"), "call(free, p)");
        assert_eq!(unscoped("bind(f::p, main::q->x)"), "bind(p, q->x)");
        assert_eq!(unscoped("return"), "return");
    }
}
