//! How sure a finding of a rule is: it is put to the program with its data.
//!
//! A rule looks at the control skeleton, and a path of that need not be one of the program. Here runs are searched that
//! break the rule where the finding says, and executed:
//!
//! - CS1: a finding is *confirmed* if a run from the start of `main` was executed that breaks the rule there: for memory,
//!   the machine stops there, or says at the end that what was allocated at its origin is lost, and the run has passed
//!   the place. Allocations may fail.
//! - CS2: it is *likely* if such a run starts at an entry without callers (`entries`), or at `main` with functions of the
//!   library that are not modelled, or of the program that are not here, and return anything. What is assumed is told.
//! - CS3: it is *possible* otherwise. Being out of time, or not being able to follow a run, refutes nothing.
//! - CS4: it is dropped if it is about a second `free` on a path from `main` of a program that is whole, and either no run
//!   comes to that call, or none frees twice, with nothing cut off and nothing left out, whatever allocations fail.
//! - CS5: the entry of a finding is the function that is at the bottom of its path from where its value comes from, or the
//!   one that breaks the rule.
//! - CS7: first runs are searched along the finding's path (rules GP, AL), which is cheap; then all runs. Findings with short
//!   paths come first.
//! - CS8: what is possible then is likely if the conditions along its path agree with each other, those at its start about
//!   anything (rules WK), unless all runs along the path from the start of a whole program were searched, and none shows it.
//! - CS6: findings of rules that no run can be judged by have no confidence, and are shown, unless the conditions along their
//!   path contradict each other (WK): then they are *possible*.
//! - CS9: what is lost because a call failed, behind which every way ends the program (`p = realloc(p, n); if (!p) die();`),
//!   is *possible*.

use crate::allocating::{fallible, files_as_memory};
use crate::bounded::{Executed, MAX_LINES, Run, Searched, executed, goal};
use crate::hiding::drop_gone;
use crate::simpler::{plainness, simplify};
use crate::{entries, guided, monitor, parts, stubs};
use asking::{Options, Watch};
use c_data::{Check, Operation};
use c_run::Pass;
use check::{Budget, Limits, Progress};
use engine_bounded::{Inputs, Through, Told, Verdict};
use findings::is_ready_made;
use input::{CProgram, CText, LazyData, caught};
use property::Property;
use render::{Confidence, Finding, Outcome, Report};
use rustc_hash::FxHashMap;
use source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// What all findings may take where no `--timeout` says more.
const BY_ITSELF: Duration = Duration::from_secs(20);
/// What one entry may take.
const BY_ENTRY: Duration = Duration::from_secs(4);
/// What one path may take.
const BY_PATH: Duration = Duration::from_secs(3);
/// Rounds of loops on a path, one after the other.
const PATH_BOUNDS: [u32; 4] = [1, 2, 5, 12];
/// Entries that are tried.
const MAX_ENTRIES: usize = 200;

/// The parts of the units, and the functions that a path goes through.
type Part<'a> = (&'a [parts::Unit], &'a BTreeSet<String>);

/// What a finding claims of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Claimed {
    Lost,
    /// A file is, which is memory here.
    LostFile,
    Used,
    FreedTwice,
}

impl Claimed {
    fn is_lost(self) -> bool {
        matches!(self, Claimed::Lost | Claimed::LostFile)
    }
}

/// What a rule claims, if runs can be judged by the machine's own checks.
fn claimed(property: &Property) -> Option<Claimed> {
    let Property::Rule { rule, text, .. } = property else { return None };
    let claimed = match rule.as_str() {
        "memory_leak" => Claimed::Lost,
        "file_leak" => Claimed::LostFile,
        "use_after_free" => Claimed::Used,
        "double_free" => Claimed::FreedTwice,
        _ => return None,
    };
    is_ready_made(rule, text).then_some(claimed)
}

/// A finding that is asked about.
struct Question {
    /// Its outcome.
    index: usize,
    claimed: Claimed,
    /// Where runs may start that have it.
    entries: Vec<String>,
    /// Its path ends where a function is left.
    leaves: bool,
}

/// Where a search starts, and what it may say at most.
struct Start<'a> {
    of: Searched<'a>,
    most: Confidence,
    /// What is taken for granted of functions that are not modelled.
    granted: Option<String>,
}

/// Gives findings of rules their confidence.
pub fn judge(report: &mut Report, files: &[Arc<SourceFile>], options: &Options, watch: &Watch) {
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else { return };
    let mut questions = Vec::new();
    for (index, outcome) in report.results.iter_mut().enumerate() {
        let Some(claimed) = claimed(&outcome.property) else { continue };
        let entries = entries_of(outcome);
        let leaves = leaves(outcome);
        let Some(finding) = outcome.finding.as_mut() else { continue };
        finding.confidence = Some(Confidence::Possible);
        if finding.inherited {
            continue;
        }
        questions.push(Question { index, claimed, entries, leaves });
    }
    let monitored = monitored(report);
    let limits = options.search.limits;
    // Something is kept back for the report.
    let gone = watch.start.map_or(Duration::ZERO, |start| start.elapsed());
    let left = limits.time.map_or(BY_ITSELF, |time| time.saturating_sub(gone) * 9 / 10);
    let budget = watch.part(Limits { time: Some(left), ..limits }, limits);
    let mut judging = Judging {
        c,
        data,
        files,
        options,
        budget,
        watch,
        gone: BTreeSet::new(),
        unseen: BTreeSet::new(),
    };
    let done = caught("judging findings", || {
        let (files, memory): (Vec<Question>, Vec<Question>) =
            questions.into_iter().partition(|q| q.claimed == Claimed::LostFile);
        if !memory.is_empty() {
            // Where an allocation fails, operations fail for that; so first they succeed.
            let plain = (data.texts().to_vec(), String::new());
            let may_fail = fallible(data.texts());
            judging.along(report, &memory, &may_fail);
            judging.all(report, &memory, &[plain, may_fail]);
        }
        if let (false, Some(as_memory)) = (files.is_empty(), files_as_memory(data.texts())) {
            let (texts, more) = fallible(&as_memory.0);
            let may_fail = (texts, format!("{}{more}", as_memory.1));
            judging.along(report, &files, &may_fail);
            judging.all(report, &files, &[as_memory, may_fail]);
        }
        for (rule, findings) in &monitored {
            judging.watched(report, (rule, false), findings);
        }
        // A function without a body uses what it is given, and the machine does not see it.
        let used = |q: &&Question| {
            q.claimed == Claimed::Used
                && confidence(&report.results[q.index]) == Some(Confidence::Possible)
        };
        let used: Vec<usize> = memory.iter().filter(used).map(|q| q.index).collect();
        let rule = used.first().and_then(|i| findings::rule_of(&report.results[*i].property).ok());
        if let Some(rule) = rule {
            judging.watched(report, (&rule, true), &used);
        }
    });
    if let Err(what) = done {
        let what = format!("findings were not put to the program's data: internal error: {what}");
        if let Some(first) = report.results.first_mut() {
            first.warnings.push(what);
        }
    }
    // CS8.
    for (index, outcome) in report.results.iter_mut().enumerate() {
        if let Some(finding) = outcome.finding.as_mut()
            && finding.confidence == Some(Confidence::Possible)
            && finding.agrees
            && !judging.unseen.contains(&index)
        {
            finding.confidence = Some(Confidence::Likely);
        }
    }
    // CS6, CS9.
    for finding in report.results.iter_mut().filter_map(|o| o.finding.as_mut()) {
        let unjudged = finding.confidence.is_none() && finding.contradicts;
        let gives_up = finding.gives_up && finding.confidence != Some(Confidence::Confirmed);
        if unjudged || gives_up {
            finding.confidence = Some(Confidence::Possible);
        }
    }
    drop_gone(report, &judging.gone);
}

/// The function at the bottom of a finding's path, from where its value comes from, and the one that breaks the rule.
fn entries_of(outcome: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(trace) = &outcome.trace {
        let first = trace.steps.iter().position(|s| !s.events.is_empty()).unwrap_or(0);
        let bottom = trace.steps[first..].iter().min_by_key(|s| s.depth);
        let name = |node| trace.program.proc_name(trace.program.nodes[node].proc).to_owned();
        out.extend(bottom.map(|s| name(s.node)));
    }
    if let Some(finding) = &outcome.finding
        && !out.contains(&finding.function)
    {
        out.push(finding.function.clone());
    }
    out
}

/// Whether a path begins with `main`: others may come to its place from elsewhere.
fn starts_at_main(outcome: &Outcome) -> bool {
    let first = outcome.trace.as_ref().and_then(|t| Some((t, t.steps.first()?)));
    first.is_some_and(|(trace, step)| {
        trace.program.proc_name(trace.program.nodes[step.node].proc) == "main"
    })
}

/// Whether a path ends where a function is left.
fn leaves(outcome: &Outcome) -> bool {
    let last = outcome.trace.as_ref().and_then(|t| Some((t, t.steps.last()?)));
    last.is_some_and(|(trace, step)| {
        let text = trace.program.text(trace.program.nodes[step.node].origin.text).trim();
        text.starts_with("return") || text == "}"
    })
}

/// Leaves of a place what is in blocks that leave their function, if there is something.
fn leaving(program: &c_data::Program, goal: &mut engine_bounded::Goal) {
    let leaves = |point: &c_data::Point| match point {
        c_data::Point::Before(f, block, _) => {
            let block = &program.functions[f.index()].blocks[block.index()];
            matches!(block.end, c_data::End::Return(_) | c_data::End::FellOff)
        }
        c_data::Point::Call(_) => false,
    };
    if goal.points.iter().any(leaves) {
        goal.points.retain(leaves);
    }
}

struct Judging<'a> {
    c: &'a CProgram,
    data: &'a LazyData,
    files: &'a [Arc<SourceFile>],
    options: &'a Options,
    budget: Budget,
    watch: &'a Watch,
    /// Findings that no run has.
    gone: BTreeSet<usize>,
    /// Findings that no run along their paths shows.
    unseen: BTreeSet<usize>,
}

/// The findings of rules whose events show at calls: their numbers, by rule.
fn monitored(report: &Report) -> Vec<(rules::Rule, Vec<usize>)> {
    let mut out: Vec<(rules::Rule, Vec<usize>)> = Vec::new();
    for (index, outcome) in report.results.iter().enumerate() {
        if outcome.finding.is_none() || claimed(&outcome.property).is_some() {
            continue;
        }
        let Some(name) = findings::rule_name(outcome) else { continue };
        if let Some((_, list)) = out.iter_mut().find(|(rule, _)| rule.name == name) {
            list.push(index);
        } else if let Ok(rule) = findings::rule_of(&outcome.property)
            && rule.watched(false).is_some()
        {
            out.push((rule, vec![index]));
        }
    }
    out
}

impl<'a> Judging<'a> {
    /// Searches runs on which the monitor of a rule says that it is broken, from `main` and from entries.
    fn watched(
        &mut self,
        report: &mut Report,
        (rule, lenient): (&rules::Rule, bool),
        indices: &[usize],
    ) {
        let c = self.c;
        let Ok((plain, _)) = self.data.program(|p| stubs::stubs(p.program(), c)) else { return };
        let place = |i: &usize| {
            let finding = report.results[*i].finding.as_ref();
            finding.map(|f| (f.file.clone(), f.line)).unwrap_or_default()
        };
        let places: Vec<(String, u32)> = indices.iter().map(place).collect();
        let Some(monitored) =
            monitor::monitored((rule, lenient), plain.program(), self.data.texts(), &places)
        else {
            return;
        };
        for &index in indices {
            if let Some(finding) = report.results[index].finding.as_mut() {
                finding.confidence = Some(Confidence::Possible);
            }
        }
        self.watched_along(report, &monitored, indices);
        let s = self.c.skeleton();
        let main = self.options.input.entry.as_deref().is_none_or(|e| e == "main")
            && s.func_named("main").and_then(|f| s.body(f)).is_some();
        if main
            && let Some(start) =
                self.start(None, &monitored.texts, &monitored.more, (false, &monitored.done))
        {
            self.watch_from(report, indices, &start);
        }
        let mut entries: BTreeSet<String> = BTreeSet::new();
        for &index in indices {
            if confidence(&report.results[index]) == Some(Confidence::Possible) {
                entries.extend(entries_of(&report.results[index]));
            }
        }
        for entry in entries.iter().take(MAX_ENTRIES) {
            if self.budget.poll().is_err() {
                break;
            }
            let from = Some(entry.as_str()).filter(|e| *e != "main");
            if let Some(start) =
                self.start(from, &monitored.texts, &monitored.more, (true, &monitored.done))
            {
                self.watch_from(report, indices, &start);
            }
        }
    }

    /// The same along the paths of findings.
    fn watched_along(
        &self,
        report: &mut Report,
        monitored: &monitor::Monitored,
        indices: &[usize],
    ) {
        let units = parts::units(&monitored.texts);
        let mut paths: Vec<(usize, guided::Path)> = Vec::new();
        for (k, &index) in indices.iter().enumerate() {
            let outcome = &report.results[index];
            let path = guided::path(outcome, true).or_else(|| guided::path(outcome, false));
            paths.extend(path.map(|path| (k, path)));
        }
        paths.sort_by_key(|(_, path)| path.length);
        let count = paths.len();
        for (i, (k, path)) in paths.into_iter().enumerate() {
            if self.budget.poll().is_err() {
                break;
            }
            let from = Some(path.entry.as_str()).filter(|e| *e != "main");
            let part = Some((units.as_slice(), &path.functions));
            let of = (monitored.texts.as_slice(), part);
            let Some(start) = self.start_of(from, of, &monitored.more, (true, &monitored.done))
            else {
                continue;
            };
            let program = start.of.data.program();
            let broken = program.function(&format!("{}{k}", monitor::BROKEN));
            let Some(broken) = broken else { continue };
            let place = engine_bounded::Goal { points: vec![c_data::Point::Call(broken)] };
            let guide = guided::guide(program, self.c, &path, false);
            let limits = self.options.search.limits;
            let time = Some(self.share(count - i));
            let budget = self.watch.part(Limits { time, ..limits }, limits);
            let mut found: Option<Inputs> = None;
            let mut confirm = |inputs: &Inputs| {
                let run = Run::new(inputs, 0);
                let seen = executed(program, (&place.points, None), run, &budget).reached;
                if seen {
                    found = Some(inputs.clone());
                }
                seen
            };
            let sought = engine_bounded::Sought::Reached;
            let question = engine_bounded::Along { guide: &guide, place: &place, sought };
            engine_bounded::along(program, question, &PATH_BOUNDS, &budget, &mut confirm);
            if let (Some(inputs), Some(finding)) =
                (found, report.results[indices[k]].finding.as_mut())
            {
                let mut given = start.of.given(&inputs);
                given.values.retain(|(name, _)| name != "chosen");
                note(finding, &start, given);
            }
        }
    }

    fn watch_from(&self, report: &mut Report, indices: &[usize], start: &Start<'_>) {
        let of = &start.of;
        let program = of.data.program();
        let (mut goals, mut asked) = (Vec::new(), Vec::new());
        for (k, &index) in indices.iter().enumerate() {
            let broken = program.function(&format!("{}{k}", monitor::BROKEN));
            let open = confidence(&report.results[index]) < Some(start.most);
            if let (true, Some(f)) = (open, broken) {
                goals.push(engine_bounded::Goal { points: vec![c_data::Point::Call(f)] });
                asked.push(index);
            }
        }
        let budget = self.part(1);
        let search = engine_bounded::Options { bound: self.options.search.bound };
        let mut confirm = |goal: usize, inputs: &Inputs| {
            let run = Run::new(inputs, 0);
            executed(program, (&goals[goal].points, None), run, &budget).reached
        };
        let searched = engine_bounded::search(program, &goals, search, &budget, &mut confirm);
        for (answer, index) in searched.answers.iter().zip(asked) {
            let Verdict::Reached(inputs) = &answer.verdict else { continue };
            let Some(finding) = report.results[index].finding.as_mut() else { continue };
            let mut given = of.given(inputs);
            // Which value is watched is no input of the program.
            given.values.retain(|(name, _)| name != "chosen");
            note(finding, start, given);
        }
    }

    /// Searches runs along the paths of findings. CS7.
    fn along(
        &mut self,
        report: &mut Report,
        questions: &[Question],
        (texts, more): &(Vec<CText>, String),
    ) {
        let units = parts::units(texts);
        let mut asked: BTreeMap<(bool, String), Vec<(&Question, guided::Path)>> = BTreeMap::new();
        for q in questions {
            let outcome = &report.results[q.index];
            for from_main in [true, false] {
                let Some(path) = guided::path(outcome, from_main) else { continue };
                if from_main || path.entry != "main" {
                    asked.entry((!from_main, path.entry.clone())).or_default().push((q, path));
                }
            }
        }
        let mut groups: Vec<_> = asked.into_iter().collect();
        for (_, group) in &mut groups {
            group.sort_by_key(|(_, path)| path.length);
        }
        groups.sort_by_key(|((inner, _), group)| (*inner, group[0].1.length));
        let total = Some(groups.len() as u64);
        for (i, ((inner, entry), group)) in groups.iter().enumerate() {
            self.budget.report(Progress { phase: "judging findings", done: i as u64, total });
            let rest: usize = groups[i..].iter().map(|(_, group)| group.len()).sum();
            let functions: BTreeSet<String> =
                group.iter().flat_map(|(_, path)| path.functions.iter().cloned()).collect();
            // From `main`, first as it is, and then with anything for what is not modelled.
            let ways: &[bool] = if *inner { &[true] } else { &[false, true] };
            for &loose in ways {
                let open = |q: &Question| {
                    confidence(&report.results[q.index]) == Some(Confidence::Possible)
                };
                if self.budget.poll().is_err() || !group.iter().any(|(q, _)| open(q)) {
                    continue;
                }
                let from = Some(entry.as_str()).filter(|_| *inner);
                let part = Some((units.as_slice(), &functions));
                let none = BTreeSet::new();
                let start = self.start_of(from, (texts, part), more, (loose, &none));
                let Some(start) = start else { continue };
                let whole = !self.c.extent(self.options.input.allow_incomplete).forbids_claims();
                for (q, path) in group {
                    let told = self.ask_along(report, (q, path), &start, rest);
                    if whole && !inner && !loose && told == Some(Told::NotSeen) {
                        self.unseen.insert(q.index);
                    }
                }
            }
        }
    }

    /// What a path may take if there are so many of them: its share of two thirds of what is left.
    fn share(&self, rest: usize) -> Duration {
        let left = self.budget.limits().time.map(|t| t.saturating_sub(self.budget.elapsed()));
        let left = left.unwrap_or(BY_PATH);
        left.min(BY_PATH.max(left * 2 / 3 / rest.max(1) as u32))
    }

    /// Searches a run along the path of a finding that shows it.
    fn ask_along(
        &self,
        report: &mut Report,
        (q, path): (&Question, &guided::Path),
        start: &Start<'_>,
        rest: usize,
    ) -> Option<Told> {
        let of = &start.of;
        let program = of.data.program();
        let outcome = &report.results[q.index];
        let open = confidence(outcome) < Some(start.most);
        let finding = outcome.finding.clone().filter(|_| open)?;
        let label = format!("{}:{}", finding.file, finding.line);
        let mut place = goal(&Property::reach(&label), &of.data, self.files).ok()?;
        if q.leaves {
            leaving(program, &mut place);
        }
        let lost = q.claimed.is_lost();
        let guide = guided::guide(program, self.c, path, lost);
        let origin = finding.origin.clone();
        let from = |calls: &[c_data::At]| made_at(program, calls, origin.as_ref());
        let sought = match lost {
            true => engine_bounded::Sought::Lost(&from),
            false => engine_bounded::Sought::Dangling,
        };
        let limits = self.options.search.limits;
        let budget = self.watch.part(Limits { time: Some(self.share(rest)), ..limits }, limits);
        let mut found: Option<Inputs> = None;
        let mut confirm = |inputs: &Inputs| {
            let run = Run::new(inputs, MAX_LINES);
            let run = executed(program, (&[], Some(Check::Memory)), run, &budget);
            let shown = shows(program, &run, (q.claimed, q.leaves), &finding);
            if shown {
                found = Some(inputs.clone());
            }
            shown
        };
        let question = engine_bounded::Along { guide: &guide, place: &place, sought };
        let bounds = match self.options.search.bound {
            Some(bound) => vec![bound],
            None => PATH_BOUNDS.to_vec(),
        };
        let told = engine_bounded::along(program, question, &bounds, &budget, &mut confirm);
        if let Some(inputs) = &mut found {
            simplify(inputs, |inputs| {
                let run = executed(
                    program,
                    (&[], Some(Check::Memory)),
                    Run::new(inputs, MAX_LINES),
                    &budget,
                );
                shows(program, &run, (q.claimed, q.leaves), &finding)
            });
        }
        if let (Some(inputs), Some(finding)) = (found, report.results[q.index].finding.as_mut()) {
            note(finding, start, of.given(&inputs));
        }
        Some(told)
    }

    fn all(
        &mut self,
        report: &mut Report,
        questions: &[Question],
        allocations: &[(Vec<CText>, String)],
    ) {
        let s = self.c.skeleton();
        let entry = self.options.input.entry.as_deref();
        let main = entry.is_none_or(|e| e == "main")
            && s.func_named("main").and_then(|f| s.body(f)).is_some();
        if main {
            for (texts, more) in allocations {
                if self.is_done(report, questions, None) {
                    continue;
                }
                let Some(start) = self.start(None, texts, more, (false, &BTreeSet::new())) else {
                    continue;
                };
                let nothing_else = self.ask(report, questions, &start, self.part(3));
                let whole = !self.c.extent(self.options.input.allow_incomplete).forbids_claims();
                if nothing_else && whole && !more.is_empty() {
                    // No run frees twice, whatever fails.
                    for q in questions.iter().filter(|q| q.claimed == Claimed::FreedTwice) {
                        let outcome = &report.results[q.index];
                        let open = confidence(outcome) == Some(Confidence::Possible);
                        if open && starts_at_main(outcome) {
                            self.gone.insert(q.index);
                        }
                    }
                }
                if !more.is_empty() {
                    self.refute(report, questions, &start);
                }
            }
        }
        // Entries with the most findings first.
        let mut entries: BTreeMap<&str, usize> = BTreeMap::new();
        for q in questions.iter().filter(|q| !self.gone.contains(&q.index)) {
            let open = confidence(&report.results[q.index]) == Some(Confidence::Possible);
            for entry in q.entries.iter().filter(|_| open) {
                *entries.entry(entry.as_str()).or_default() += 1;
            }
        }
        let mut entries: Vec<(&str, usize)> = entries.into_iter().collect();
        entries.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let total = Some(entries.len() as u64);
        for (i, (entry, _)) in entries.into_iter().take(MAX_ENTRIES).enumerate() {
            if self.budget.poll().is_err() {
                break;
            }
            self.budget.report(Progress { phase: "judging findings", done: i as u64, total });
            for (texts, more) in allocations {
                if self.is_done(report, questions, Some(entry)) {
                    continue;
                }
                let from = Some(entry).filter(|e| *e != "main");
                let Some(start) = self.start(from, texts, more, (true, &BTreeSet::new())) else {
                    continue;
                };
                self.ask(report, questions, &start, self.part(1));
            }
        }
    }

    /// A part of the time: so many times that of an entry.
    fn part(&self, times: u32) -> Budget {
        let limits = self.options.search.limits;
        let left = self.budget.limits().time.map(|t| t.saturating_sub(self.budget.elapsed()));
        let time = left.unwrap_or(BY_ENTRY).min(times * BY_ENTRY);
        self.watch.part(Limits { time: Some(time), ..limits }, limits)
    }

    /// Whether nothing is left to be asked, of an entry or at all.
    fn is_done(&self, report: &Report, questions: &[Question], entry: Option<&str>) -> bool {
        let here = |q: &&Question| entry.is_none_or(|e| q.entries.iter().any(|own| own == e));
        let open = |q: &Question| {
            confidence(&report.results[q.index]) == Some(Confidence::Possible)
                && !self.gone.contains(&q.index)
        };
        !questions.iter().filter(here).any(open) || self.budget.poll().is_err()
    }

    /// The program from an entry; `loose` if functions that are not modelled return anything, those aside of which it is
    /// `done` what they do.
    fn start(
        &self,
        entry: Option<&str>,
        texts: &[CText],
        may_fail: &str,
        loose: (bool, &BTreeSet<String>),
    ) -> Option<Start<'a>> {
        self.start_of(entry, (texts, None), may_fail, loose)
    }

    /// The same; of a part of the program if a path goes through some functions.
    fn start_of(
        &self,
        entry: Option<&str>,
        (texts, part): (&[CText], Option<Part<'_>>),
        may_fail: &str,
        (loose, done): (bool, &BTreeSet<String>),
    ) -> Option<Start<'a>> {
        let (c, files) = (self.c, self.files);
        let (plain, own) = self.data.program(|p| stubs::stubs(p.program(), c)).ok()?;
        let (library, names) = match loose {
            true => {
                let from = *entries::named(plain.program(), entry.unwrap_or("main")).first()?;
                let called = entries::reached(plain.program(), from);
                stubs::library(plain.program(), c, &called)
            }
            false => (String::new(), Vec::new()),
        };
        let names: Vec<String> = names.into_iter().filter(|n| !done.contains(n)).collect();
        let mut more = format!("{own}\n{library}\n{may_fail}");
        let program = plain.program();
        let told = part.map(|(_, told)| told).into_iter().flatten();
        let on_path: BTreeSet<c_data::FuncId> =
            told.flat_map(|name| entries::named(program, name)).collect();
        let path = |f: &c_data::FuncId| on_path.contains(f);
        // EM7.
        let mut targets = entries::addresses(program);
        targets.retain(|f| path(f) || !program.functions[f.index()].has_body() || part.is_none());
        targets.sort_by_key(|f| !path(f));
        let mut texts = match part {
            Some((units, _)) => {
                let from = *entries::named(program, entry.unwrap_or("main")).first()?;
                let mut runs = entries::reached(program, from);
                // What runs by itself, before `main` and when all is over, runs here too.
                let itself = program.before.iter().chain(&program.after).copied();
                for f in targets.iter().copied().filter(path).chain(itself) {
                    let more = entries::reached(program, f);
                    runs.0.extend(more.0);
                    runs.1.extend(more.1);
                }
                parts::part(units, program, &runs)
            }
            None => texts.to_vec(),
        };
        // A number that is not defined is behind a pointer that a function hands out, whether it is constant or not.
        let anything = |name: &str| library.contains(&format!("{}{name}()", stubs::ANYTHING));
        let numbers: BTreeSet<&str> =
            names.iter().map(String::as_str).filter(|n| anything(n)).collect();
        for text in texts.iter_mut().filter(|_| !numbers.is_empty()) {
            text.text = entries::renamed(&text.text, |word| {
                numbers.contains(word).then(|| format!("(*{}{word}())", stubs::ANYTHING))
            });
        }
        let mut harness = None;
        if let Some(entry) = entry {
            let manner = entries::Manner { shares: part.is_none(), functions: &targets };
            let made = entries::harness(program, &texts, entry, manner).ok()?;
            more += &made.makers;
            texts.clone_from(&made.texts);
            harness = Some(Arc::new(made));
        }
        let data = self.data.variant(texts, &more).ok()?;
        let of = Searched { c, data, stubs: own, harness, files };
        let most = if entry.is_none() && names.is_empty() {
            Confidence::Confirmed
        } else {
            Confidence::Likely
        };
        let granted = (!names.is_empty()).then(|| granted(&names));
        Some(Start { of, most, granted })
    }

    /// Searches runs on which memory is misused, and notes which findings they are.
    /// Whether all runs were followed to their ends, and memory was lost at worst.
    fn ask(
        &self,
        report: &mut Report,
        questions: &[Question],
        start: &Start<'_>,
        budget: Budget,
    ) -> bool {
        let of = &start.of;
        let program = of.data.program();
        let open: Vec<&Question> = (questions.iter())
            .filter(|q| confidence(&report.results[q.index]) < Some(start.most))
            .filter(|q| !self.gone.contains(&q.index))
            .collect();
        if open.is_empty() {
            return false;
        }
        let mut ends = false;
        let mut found: FxHashMap<usize, (Inputs, Executed)> = FxHashMap::default();
        let findings: Vec<(usize, (Claimed, bool), Box<Finding>)> = (open.iter())
            .filter_map(|q| {
                let finding = report.results[q.index].finding.clone()?;
                Some((q.index, (q.claimed, q.leaves), finding))
            })
            .collect();
        let mut confirm = |operation: Operation, inputs: &Inputs| {
            let run = Run::new(inputs, MAX_LINES);
            let run = executed(program, (&[], Some(Check::Memory)), run, &budget);
            let failed = run.failed.iter().any(|f| f.operation == Some(operation));
            // A run ends at what fails, unless that is found when it has ended.
            ends |= run.failed.iter().any(|f| !f.what.starts_with("memory of "));
            for (index, claimed, finding) in &findings {
                // Simpler inputs are tried when some were found.
                let simpler =
                    found.get(index).is_none_or(|(old, _)| plainness(inputs) < plainness(old));
                if simpler && shows(program, &run, *claimed, finding) {
                    found.insert(*index, (inputs.clone(), run.clone()));
                }
            }
            failed
        };
        let search = engine_bounded::Options { bound: self.options.search.bound };
        // What is lost is lost somewhere.
        let mut places = Vec::new();
        let mut origins = Vec::new();
        for (_, (claimed, leaves), finding) in &findings {
            let label = format!("{}:{}", finding.file, finding.line);
            if claimed.is_lost()
                && let Ok(mut goal) = goal(&Property::reach(&label), &of.data, self.files)
            {
                if *leaves {
                    leaving(program, &mut goal);
                }
                places.push(goal);
                origins.push(finding.origin.clone());
            }
        }
        let wrappers: Vec<BTreeSet<c_data::FuncId>> =
            origins.iter().map(|origin| called_at(program, origin.as_ref())).collect();
        let wanted = |operation: Operation, place: usize| {
            let at = operation.at(program);
            let name = program.files.get(at.file as usize).map_or("", String::as_str);
            origins[place].as_ref().is_some_and(|(file, line)| file == name && *line == at.line)
                || wrappers[place].contains(&operation.function)
        };
        let through = Through { goals: &places, wanted: &wanted };
        let checked = engine_bounded::check_through(
            (program, through),
            Check::Memory,
            search,
            &budget,
            &mut confirm,
        );
        for (index, (inputs, _)) in found {
            let Some(finding) = report.results[index].finding.as_mut() else { continue };
            note(finding, start, of.given(&inputs));
        }
        checked.open.is_none() && !ends
    }

    /// Drops findings whose places no run comes to.
    fn refute(&mut self, report: &Report, questions: &[Question], start: &Start<'_>) {
        let whole = !self.c.extent(self.options.input.allow_incomplete).forbids_claims();
        if !whole || self.budget.poll().is_err() {
            return;
        }
        let of = &start.of;
        let mut goals = Vec::new();
        let mut places: BTreeMap<(String, u32), usize> = BTreeMap::new();
        let mut asked = Vec::new();
        for q in questions {
            let outcome = &report.results[q.index];
            let Some(finding) = &outcome.finding else { continue };
            // A call stays a statement, whatever is decided when a program is read.
            let open = finding.confidence == Some(Confidence::Possible);
            if !open || q.claimed != Claimed::FreedTwice || !starts_at_main(outcome) {
                continue;
            }
            let place = (finding.file.clone(), finding.line);
            let label = format!("{}:{}", place.0, place.1);
            if !places.contains_key(&place) {
                let Ok(mut goal) = goal(&Property::reach(&label), &of.data, self.files) else {
                    continue;
                };
                let program = of.data.program();
                goal.points.retain(|point| calls(program, *point));
                if goal.points.is_empty() {
                    continue;
                }
                places.insert(place.clone(), goals.len());
                goals.push(goal);
            }
            asked.push((q.index, places[&place]));
        }
        if goals.is_empty() {
            return;
        }
        let limits = self.options.search.limits;
        let budget = self.watch.part(Limits { time: Some(BY_ENTRY), ..limits }, limits);
        let search = engine_bounded::Options { bound: self.options.search.bound };
        // Nobody looks at runs here: that a place is reached says nothing about the rule.
        let mut reached = |_: usize, _: &Inputs| true;
        let program = of.data.program();
        let searched = engine_bounded::search(program, &goals, search, &budget, &mut reached);
        for (index, goal) in asked {
            if searched.answers[goal].verdict == Verdict::Unreached {
                self.gone.insert(index);
            }
        }
    }
}

/// Notes that a run shows a finding. What a function of the program returns that is not here is an assumption.
fn note(finding: &mut Finding, start: &Start<'_>, given: render::Inputs) {
    let mut absent: Vec<String> = Vec::new();
    for (name, _) in &given.values {
        if stubs::stubbed(start.of.stubs).any(|(s, _)| s == name) && !absent.contains(name) {
            absent.push(name.clone());
        }
    }
    let sure = if absent.is_empty() { start.most } else { start.most.min(Confidence::Likely) };
    if finding.confidence >= Some(sure) {
        return;
    }
    finding.confidence = Some(sure);
    finding.executed = true;
    finding.run = render::told_run(&given);
    finding.run.extend((!absent.is_empty()).then(|| granted(&absent)));
    finding.run.extend(start.granted.clone());
}

/// Whether a call stands at a point.
fn calls(program: &c_data::Program, point: c_data::Point) -> bool {
    let c_data::Point::Before(f, block, stmt) = point else { return true };
    let block = &program.functions[f.index()].blocks[block.index()];
    let stmt = block.stmts.get(stmt as usize);
    stmt.is_some_and(|s| matches!(s.kind, c_data::StmtKind::Call(_)))
}

/// What is said of functions that are not modelled.
fn granted(names: &[String]) -> String {
    let named: Vec<String> = names.iter().take(4).map(|n| format!("`{n}`")).collect();
    let more = match names.len() - named.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    match names {
        [one] => format!("`{one}` gives anything and changes nothing"),
        _ => format!("{}{more} give anything and change nothing", named.join(", ")),
    }
}

pub(crate) fn confidence(outcome: &Outcome) -> Option<Confidence> {
    outcome.finding.as_ref().and_then(|f| f.confidence)
}

/// The functions that are called on a line.
fn called_at(program: &c_data::Program, place: Option<&(String, u32)>) -> BTreeSet<c_data::FuncId> {
    let Some((file, line)) = place else { return BTreeSet::new() };
    let blocks = program.functions.iter().flat_map(|f| &f.blocks);
    let here = |at: c_data::At| {
        at.line == *line && program.files.get(at.file as usize).is_some_and(|name| name == file)
    };
    let stmts = blocks.flat_map(|b| &b.stmts).filter(|s| here(s.at));
    stmts
        .filter_map(|s| match &s.kind {
            c_data::StmtKind::Call(call) => match call.callee {
                c_data::Callee::Direct(f) => Some(f),
                c_data::Callee::Indirect(_) => None,
            },
            _ => None,
        })
        .collect()
}

/// Where the functions are that are active when a run ends, the innermost first.
fn active(all: &[Pass]) -> Vec<Pass> {
    let mut out: Vec<Pass> = Vec::new();
    for pass in all.iter().rev() {
        if out.last().is_none_or(|inner| pass.depth < inner.depth) {
            out.push(*pass);
        }
    }
    out
}

/// Whether a place is among those where calls stood that were active.
fn made_at(program: &c_data::Program, calls: &[c_data::At], place: Option<&(String, u32)>) -> bool {
    let Some((file, line)) = place else { return false };
    let name = |at: &c_data::At| program.files.get(at.file as usize);
    calls.iter().any(|at| at.line == *line && name(at).is_some_and(|name| name == file))
}

/// Whether a run that was executed shows what a finding says.
fn shows(
    program: &c_data::Program,
    run: &Executed,
    (claimed, leaves): (Claimed, bool),
    finding: &Finding,
) -> bool {
    let name = |at: c_data::At| program.files.get(at.file as usize).map_or("", String::as_str);
    run.failed.iter().any(|failure| {
        let Some(operation) = failure.operation else { return false };
        let at = operation.at(program);
        let all: Vec<Pass> = run.passed.first.iter().chain(&run.passed.last).copied().collect();
        let is_at = |p: &Pass, (file, line): (&str, u32)| p.at.line == line && name(p.at) == file;
        // A wrapper stands for what it calls: then the call of it is what the finding names.
        let place = (finding.file.as_str(), finding.line);
        let here = at.line == finding.line && name(at) == finding.file
            || active(&all).iter().any(|p| is_at(p, place));
        match claimed {
            Claimed::FreedTwice => {
                here && (failure.what == "freed twice" || failure.what.starts_with("realloc of"))
            }
            Claimed::Used => here && failure.what.ends_with("in memory that was freed"),
            Claimed::Lost | Claimed::LostFile => {
                let here = |i: usize| {
                    let p = &all[i];
                    // The function is left there: what comes next is below it.
                    let left = all.get(i + 1).is_none_or(|next| next.depth < p.depth);
                    is_at(p, place) && (left || !leaves)
                };
                let origin = finding.origin.as_ref();
                let made = origin.is_some_and(|(f, line)| name(at) == f && at.line == *line);
                failure.what.starts_with("memory of ")
                    && failure.what.contains(" is lost")
                    && (made || made_at(program, &failure.made_in, origin))
                    && (0..all.len()).any(here)
            }
        }
    })
}
