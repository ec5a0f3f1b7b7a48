//! Reports for people: the run in order, indented by call depth, only what changed.

use crate::findings;
use crate::values::{Changes, Reader};
use crate::{
    Caller, Finding, Idle, Inputs, Listing, MAX_INDENT, Outcome, Report, States, StatesAt, Status,
    Vacuity,
};
use ir::{NodeId, Program};
use property::{OperationKind, Property};
use std::io::{self, Write};

/// Places (`proc:line`) and statements up to these widths are padded, so that columns align.
const PLACE_WIDTH: usize = 20;
const STATEMENT_WIDTH: usize = 44;

/// How much to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextOptions {
    /// Verdicts only.
    pub quiet: bool,
    /// Also the engine that answered, and why it was chosen.
    pub verbose: bool,
    /// Also counters of effort.
    pub stats: bool,
    /// Also whether proofs were checked.
    pub proofs: bool,
}

/// Writes the report for people.
pub fn text(report: &Report, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let sources = findings::sources(report);
    let together = crate::causes::together(report, findings::fold(options));
    for (i, outcome) in report.results.iter().enumerate() {
        // What a baseline has is counted, and no news.
        if outcome.known == Some(true) {
            continue;
        }
        let before = i.checked_sub(1).map(|i| &report.results[i]);
        // What is about a rule has a line behind it already.
        let traced = |o: &Outcome| o.trace.is_some() && findings::rule(o).is_none();
        if !options.quiet && before.is_some_and(traced) {
            writeln!(out)?;
        }
        if let Some(rule) = findings::rule(outcome) {
            match together.get(&i) {
                None => findings::text(&sources, (rule, outcome), options, out)?,
                Some(list) if list.first() == Some(&i) => {
                    findings::text_of_several(&sources, report, list, options, out)?;
                }
                Some(_) => {}
            }
            if report.results.get(i + 1).and_then(findings::rule) != Some(rule) {
                findings::about_rule(report, rule, options, out)?;
                about_effort(outcome, options, out)?;
            }
            continue;
        }
        line!(out, "{}", head(outcome))?;
        for reason in &outcome.vacuous {
            line!(out, "  warning: {reason}")?;
        }
        if options.quiet {
            continue;
        }
        for warning in &outcome.warnings {
            line!(out, "  warning: {warning}")?;
        }
        let origin = outcome.finding.as_ref().and_then(|f| f.origin.as_ref());
        if let Some((file, line)) = origin {
            line!(out, "  its object comes from {file}:{line}")?;
        }
        if let Some(caller) = outcome.inputs.as_ref().and_then(|i| i.caller.as_ref()) {
            line!(out, "  {}", told_caller(caller))?;
        }
        if let Some(inputs) = outcome.inputs.as_ref().and_then(|i| told_inputs(i)) {
            line!(out, "  {inputs}")?;
        }
        if let Some(vacuity) = &outcome.vacuity {
            about_vacuity(vacuity, options.verbose, out)?;
        }
        if let Some(statements) = &outcome.statements {
            for statement in statements.iter().filter(|s| !s.reachable) {
                line!(out, "  {}", place_and_text(report, statement.node))?;
            }
            let never = outcome.exits.iter().filter(|e| !e.reachable);
            let never: Vec<String> =
                never.map(|e| format!("`{}`", report.program.proc_name(e.proc))).collect();
            if !never.is_empty() {
                let (some, all) = (never.len(), outcome.exits.len());
                writeln!(out, "  {some} of {all} procedures never return: {}", never.join(", "))?;
            }
        }
        about_effort(outcome, options, out)?;
        if let Some(trace) = &outcome.trace {
            writeln!(out)?;
            listing(trace, out)?;
            if let Some(skeleton) = skeleton(outcome) {
                line!(out, "  {skeleton}")?;
            }
        }
        if options.verbose
            && let Some((part, trace)) = outcome.vacuity.as_ref().and_then(|v| v.witness.as_ref())
        {
            writeln!(out)?;
            line!(out, "  a run for which `{}` matters:", part.part)?;
            writeln!(out)?;
            listing(trace, out)?;
        }
    }
    findings::notes(report, options, out)?;
    about_all(report, options, out)
}

/// Who answered, what it cost, and whether there is a proof.
fn about_effort(outcome: &Outcome, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    if options.quiet {
        return Ok(());
    }
    if options.verbose || options.stats {
        about_engine(out, &outcome.engine, &outcome.why, outcome.seconds)?;
    }
    if (options.verbose || options.stats || options.proofs)
        && let Some(note) = outcome.certificate
    {
        let checked = if note.checked { "checked" } else { "not checked" };
        line!(out, "  proof of size {}, {checked}", note.size)?;
    }
    if (options.verbose || options.proofs)
        && let Some(rounds) = outcome.rounds
    {
        line!(out, "  proved by following all runs, {rounds} rounds of a loop at most, checked")?;
    }
    if (options.verbose || options.proofs)
        && let Some(invariants) = &outcome.invariants
    {
        let count: usize = invariants.iter().map(|i| i.holds.len()).sum();
        let measures = |i: &crate::Invariant| i.smaller.iter().filter(|s| s.is != "number").count();
        let measures: usize = invariants.iter().map(measures).sum();
        let more = match measures {
            0 => String::new(),
            n => format!(" and {n} measures"),
        };
        let loops = invariants.iter().filter(|i| i.of.is_none()).count();
        let functions = match invariants.iter().filter(|i| i.of.as_deref() == Some("end")).count() {
            0 => String::new(),
            n => format!(" and {n} functions"),
        };
        line!(out, "  proved by {count} invariants{more} of {loops} loops{functions}, checked")?;
        for invariant in invariants.iter() {
            let (file, line, proc) = (&invariant.file, invariant.line, &invariant.proc);
            let at = match invariant.of.as_deref() {
                Some("entry") => format!("{file}:{line} at calls of `{proc}` from itself"),
                Some("end") => format!("{file}:{line} at the end of `{proc}`"),
                _ => format!("{file}:{line} in `{proc}`"),
            };
            for holds in &invariant.holds {
                line!(out, "    {at}: {}", holds.text)?;
            }
            let smaller: Vec<&str> = invariant.smaller.iter().map(|s| s.text.as_str()).collect();
            if !smaller.is_empty() {
                line!(out, "    {at}: gets smaller: {}", smaller.join(", then "))?;
            }
        }
    }
    match options.stats {
        true => counters(out, &outcome.counters),
        false => Ok(()),
    }
}

/// What stands beside all answers. That something was left out is never hidden.
fn about_all(report: &Report, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let claims = &report.claims;
    for warning in &claims.idle {
        line!(out, "warning: {warning}")?;
    }
    for granted in claims.granted.iter().filter(|_| !options.quiet) {
        line!(out, "note: {granted}")?;
    }
    if claims.hidden > 0 {
        let (n, s) = (claims.hidden, if claims.hidden == 1 { " is" } else { "s are" });
        line!(out, "{n} possible finding{s} not shown: `--confidence possible`")?;
    }
    if let Some(extent) = claims.read.as_ref().filter(|e| !e.is_complete()) {
        line!(out, "incomplete: {}", extent.told())?;
    }
    Ok(())
}

/// So many inputs of a run are named.
const INPUTS: usize = 20;

/// What a run gets and assumes, one phrase each.
pub fn told_run(inputs: &Inputs) -> Vec<String> {
    let caller = inputs.caller.as_ref().map(told_caller);
    caller.into_iter().chain(told_inputs(inputs)).collect()
}

/// What a run assumes of its caller, in words.
pub(crate) fn told_caller(caller: &Caller) -> String {
    let named: Vec<&str> = caller.assumed.iter().take(INPUTS).map(String::as_str).collect();
    let more = match caller.assumed.len() - named.len() {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    match &named[..] {
        [] => format!("`{}` is called", caller.entry),
        named => format!("`{}` is called where {}{more}", caller.entry, named.join(", ")),
    }
}

/// What a run gets, in words.
pub(crate) fn told_inputs(inputs: &Inputs) -> Option<String> {
    let called = inputs.caller.as_ref();
    // What the caller makes is told by `told_caller`.
    let makes = |from: &str| called.is_some() && from.starts_with("entry_");
    // That memory is there is what everybody expects.
    let usual = |from: &str, value: i128| {
        value == 1 && matches!(from, "malloc" | "calloc" | "realloc" | "strdup" | "strndup")
    };
    let own: Vec<_> =
        inputs.values.iter().filter(|(from, v)| !makes(from) && !usual(from, *v)).collect();
    // What is the same many times is said once.
    let mut groups: Vec<(String, usize)> = Vec::new();
    let again = inputs.again.unwrap_or(0).min(own.len());
    for (i, (from, v)) in own.iter().enumerate() {
        let text = format!("{from}() = {}", source::fraction::shown(*v));
        let repeats = i + again == own.len() && again > 0;
        match groups.last_mut() {
            Some((last, times)) if *last == text && !repeats => *times += 1,
            _ if repeats => groups.push((format!("again and again {text}"), 1)),
            _ => groups.push((text, 1)),
        }
    }
    let mut parts: Vec<String> = Vec::new();
    for (text, times) in groups.iter().take(INPUTS) {
        match times {
            1 | 2 => parts.extend(std::iter::repeat_n(text.clone(), *times)),
            _ => parts.push(format!("{text} ({times} times)")),
        }
    }
    let left: usize = groups.iter().skip(INPUTS).map(|(_, times)| times).sum();
    for (i, arg) in inputs.args.iter().enumerate().take(INPUTS) {
        parts.push(format!("argv[{}] = {}", i + 1, c_string(arg)));
    }
    if !inputs.stdin.is_empty() {
        parts.push(format!("standard input {}", c_string(&inputs.stdin)));
    }
    for (name, content) in inputs.files.iter().take(INPUTS) {
        parts.push(format!("file {} with {}", c_string(name), c_string(content)));
    }
    for (i, content) in inputs.memory.iter().enumerate().take(INPUTS) {
        if !content.is_empty() {
            let bytes: Vec<String> =
                content.iter().take(SHOWN).map(|b| format!("{b:02x}")).collect();
            let more = if content.len() > SHOWN { " …" } else { "" };
            parts.push(format!("malloc {} has bytes {}{more}", i + 1, bytes.join(" ")));
        }
    }
    match inputs.arguments {
        0 => {}
        n if n == inputs.args.len() => {}
        1 => parts.push("1 argument".to_owned()),
        n => parts.push(format!("{n} arguments")),
    }
    if left > 0 {
        parts.push(format!("and {left} more"));
    }
    (!parts.is_empty()).then(|| format!("inputs: {}", parts.join(", ")))
}

/// So many bytes of a text are shown.
const SHOWN: usize = 60;

/// Bytes as a string of C.
fn c_string(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for (i, &byte) in bytes.iter().enumerate().take(SHOWN) {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            0x20..0x7f => out.push(char::from(byte)),
            // Three digits, where a digit follows.
            _ if bytes.get(i + 1).is_some_and(u8::is_ascii_digit) => {
                out.push_str(&format!("\\{byte:03o}"));
            }
            _ => out.push_str(&format!("\\{byte:o}")),
        }
    }
    out.push('"');
    if bytes.len() > SHOWN {
        out.push_str(&format!("… ({} bytes)", bytes.len()));
    }
    out
}

/// So many conditions of a run are named.
const ASSUMED: usize = 12;

/// That a run is one of a program without data, and what it assumes.
pub(crate) fn skeleton(outcome: &Outcome) -> Option<String> {
    let all = outcome.assumes.as_ref()?;
    let named: Vec<&str> = all.iter().take(ASSUMED).map(String::as_str).collect();
    let more = match all.len() - named.len() {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    Some(match &named[..] {
        [] => "this is a run of the control skeleton, without data".to_owned(),
        named => format!(
            "this is a run of the control skeleton, without data; it assumes {}{more}",
            named.join(", ")
        ),
    })
}

fn about_vacuity(vacuity: &Vacuity, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
    for Idle { part, by } in &vacuity.idle {
        line!(out, "  vacuous: it would hold even with `{by}` in place of `{part}`")?;
    }
    let (tried, all) = vacuity.tried;
    if verbose && tried < all {
        line!(out, "  {tried} of {all} parts of the formula were tested for vacuity")?;
    }
    Ok(())
}

pub(crate) fn about_engine(
    out: &mut dyn Write,
    engine: &str,
    why: &str,
    seconds: f64,
) -> io::Result<()> {
    line!(out, "  engine {engine}, {seconds:.3} s: {why}")
}

pub(crate) fn counters(out: &mut dyn Write, counters: &[(String, u64)]) -> io::Result<()> {
    let width = counters.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in counters {
        line!(out, "  {name:width$}  {value}")?;
    }
    Ok(())
}

pub(crate) fn head(outcome: &Outcome) -> String {
    let word = outcome.status.word();
    let last = outcome.trace.as_ref().and_then(|t| Some((&*t.program, t.steps.last()?)));
    let at = |what: &str| match last {
        Some((program, step)) => {
            let node = &program.nodes[step.node];
            let file = program.files.get(node.origin.file as usize);
            let file = file.map_or("", String::as_str);
            format!("{what} at {file}:{}:{}", node.origin.line, node.origin.column)
        }
        None => what.to_owned(),
    };
    let what = match (&outcome.property, outcome.status) {
        (Property::Reach { label }, Status::Reachable) => at(&quoted(label)),
        (Property::Reach { label }, Status::Unknown) => format!("is {} reachable?", quoted(label)),
        (Property::Reach { label }, _) => quoted(label),
        (Property::Assert, Status::Violated) => at("an assertion can fail"),
        (Property::Assert, Status::Unknown) => "can an assertion fail?".to_owned(),
        (Property::Assert, _) => "no assertion can fail".to_owned(),
        (Property::Ltl { formula, .. } | Property::Sere { formula }, _) => formula.clone(),
        (Property::Automaton { name, good, .. }, status) => automaton(name, *good, status),
        (Property::Terminates { .. }, Status::Violated) => match &outcome.trace {
            Some(trace) => format!("a run never ends: {}", endless(trace)),
            None => "a run never ends".to_owned(),
        },
        (Property::Terminates { .. }, Status::Unknown) => "does every run end?".to_owned(),
        (Property::Terminates { .. }, _) => "every run ends".to_owned(),
        (Property::Operations { kind }, status) => operations(*kind, status, outcome),
        (_, Status::Unknown) => "which statements are reachable?".to_owned(),
        (_, _) => {
            let all = outcome.statements.as_deref().unwrap_or(&[]);
            match all.iter().filter(|s| !s.reachable).count() {
                0 => format!("all {} statements are reachable", all.len()),
                dead => format!("{dead} of {} statements cannot be reached:", all.len()),
            }
        }
    };
    match &outcome.stop_reason {
        Some(reason) => format!("{word}: {what} ({reason})"),
        None => format!("{word}: {what}"),
    }
}

/// What is said of an automaton.
fn automaton(name: &str, good: bool, status: Status) -> String {
    match (status, good) {
        (Status::Violated, false) => format!("{name} accepts a run"),
        (Status::Violated, true) => format!("{name} rejects a run"),
        (Status::Unknown, false) => format!("does {name} accept a run?"),
        (Status::Unknown, true) => format!("does {name} accept all runs?"),
        (_, false) => format!("{name} accepts no run"),
        (_, true) => format!("{name} accepts all runs"),
    }
}

/// What is said of operations of C.
fn operations(kind: OperationKind, status: Status, outcome: &Outcome) -> String {
    let counted = match outcome.operations {
        Some(1) => " (1 operation)".to_owned(),
        Some(n) => format!(" ({n} operations)"),
        None => String::new(),
    };
    if let (Status::Violated, Some(finding)) = (status, &outcome.finding) {
        let Finding { message, file, line, column, .. } = &**finding;
        return format!("{message} at {file}:{line}:{column}");
    }
    let (holds, asks) = match kind {
        OperationKind::MemorySafety => {
            ("all accesses to memory are valid", "are all accesses to memory valid?")
        }
        OperationKind::MemoryCleanup => ("all memory is freed", "is all memory freed?"),
        OperationKind::Overflow => {
            ("no signed operator overflows", "can a signed operator overflow?")
        }
        OperationKind::Division => ("no divisor is zero", "can a divisor be zero?"),
        OperationKind::Uninitialised => {
            ("nothing is read that was never written", "is something read that was never written?")
        }
    };
    match status {
        Status::Unknown => asks.to_owned(),
        _ => format!("{holds}{counted}"),
    }
}

/// A property in a few words.
pub fn title(property: &Property) -> String {
    match property {
        Property::Reach { label } => format!("reach {label}"),
        Property::Assert => "assertions".to_owned(),
        Property::Ltl { formula, .. } | Property::Sere { formula } => formula.clone(),
        Property::Terminates { .. } => "termination".to_owned(),
        Property::Automaton { name, .. } => name.clone(),
        Property::Rule { rule, .. } => rule.clone(),
        other => other.kind().to_owned(),
    }
}

pub(crate) fn quoted(label: &str) -> String {
    match label.strip_prefix(':') {
        Some(line) => format!("line {line}"),
        None => label.to_owned(),
    }
}

pub(crate) fn place(program: &Program, node: NodeId) -> String {
    let info = &program.nodes[node];
    format!("{}:{}", program.proc_name(info.proc), info.origin.line)
}

fn place_and_text(report: &Report, node: NodeId) -> String {
    let program = &report.program;
    let text = program.text(program.nodes[node].origin.text);
    format!("{:PLACE_WIDTH$}  {text}", place(program, node))
}

/// The steps, a line each.
fn listing(trace: &Listing, out: &mut dyn Write) -> io::Result<()> {
    let program = &*trace.program;
    let mut reader = Reader::new(program);
    let mut changes = Changes::new();
    let width_of = |width: fn(&Program, &crate::ListedStep) -> usize, limit: usize| {
        trace.steps.iter().map(|s| width(program, s)).filter(|&w| w <= limit).max().unwrap_or(0)
    };
    let places = width_of(|p, s| step_place(p, s).chars().count(), PLACE_WIDTH);
    let statements = width_of(|p, s| statement(p, s).chars().count(), STATEMENT_WIDTH);
    for (i, step) in trace.steps.iter().enumerate() {
        if trace.loop_start == Some(i) {
            line!(out, "  from here on for ever{}:", growth(trace))?;
        }
        let proc = program.nodes[step.node].proc;
        let mut line = format!(
            "  {:places$}  {:statements$}",
            step_place(program, step),
            statement(program, step)
        );
        let mut gap = "  ";
        for told in changes.step(&mut reader, proc, step).iter().flat_map(|c| c.told(program)) {
            line += gap;
            gap = " ";
            line += &told;
        }
        if let Some(count) = &step.folded {
            line += &format!("  ({} steps inside)", rounded(count));
        }
        line!(out, "{}", line.trim_end())?;
    }
    writeln!(out)?;
    line!(out, "  {}", summary(trace))
}

fn growth(trace: &Listing) -> String {
    match trace.growth {
        0 => String::new(),
        1 => ", one frame deeper in each turn".to_owned(),
        n => format!(", {n} frames deeper in each turn"),
    }
}

/// What never ends: a loop, or a recursion.
fn endless(trace: &Listing) -> String {
    let program = &*trace.program;
    let steps = &trace.steps[trace.loop_start.unwrap_or(0).min(trace.steps.len())..];
    let Some(first) = steps.first() else { return "nothing of it is listed".to_owned() };
    let at = |node: NodeId| {
        let origin = program.nodes[node].origin;
        let file = program.files.get(origin.file as usize).map_or("", String::as_str);
        format!("{file}:{}:{}", origin.line, origin.column)
    };
    if trace.growth == 0 {
        // The loop's first line in the procedure that all of it is in.
        let own = steps.iter().filter(|s| s.depth == first.depth);
        let head = own.min_by_key(|s| s.origin(program)).unwrap_or(first);
        let proc = program.proc_name(program.nodes[first.node].proc);
        return format!("the loop in `{proc}` at {}", at(head.node));
    }
    // In each frame that a turn adds, the last statement is the call that does not come back.
    let calls: Vec<&crate::ListedStep> = (0..trace.growth as u32)
        .filter_map(|i| steps.iter().rfind(|s| s.depth == first.depth + i))
        .collect();
    let name = |s: &crate::ListedStep| program.proc_name(program.nodes[s.node].proc).to_owned();
    let chain: Vec<String> = calls.iter().map(|s| format!("`{}`", name(s))).collect();
    let places: Vec<String> = calls.iter().map(|s| at(s.node)).collect();
    match &chain[..] {
        [one] => format!("{one} calls itself at {}", places[0]),
        chain => format!("{} call each other at {}", chain.join(", "), places.join(", ")),
    }
}

/// Procedure and line; a run that is over is nowhere.
fn step_place(program: &Program, step: &crate::ListedStep) -> String {
    match step.stays {
        Some(_) => String::new(),
        None => place(program, step.node),
    }
}

/// The statement, indented by its depth.
fn statement(program: &Program, step: &crate::ListedStep) -> String {
    let (_, _, text) = step.origin(program);
    let indent = 2 * step.depth.min(MAX_INDENT) as usize;
    match step.depth > MAX_INDENT {
        true => format!("{:indent$}[{}] {text}", "", step.depth),
        false => format!("{:indent$}{text}", ""),
    }
}

/// A number in decimal, or its magnitude where nobody would count the digits.
pub(crate) fn rounded(number: &str) -> String {
    match number.len() > 18 {
        true => format!("about 10^{}", number.len() - 1),
        false => number.to_owned(),
    }
}

pub(crate) fn summary(trace: &Listing) -> String {
    let n = trace.steps.iter().filter(|s| s.stays.is_none()).count();
    let mut out = format!("{n} step{}", if n == 1 { "" } else { "s" });
    let folded = trace.steps.iter().filter(|s| s.folded.is_some()).count();
    if folded > 0 {
        out += &format!(
            " shown, the inside of {folded} call{} folded (`--max-steps` shows more)",
            if folded == 1 { "" } else { "s" }
        );
    }
    if let Some(start) = trace.loop_start.filter(|_| n == trace.steps.len()) {
        match n - start {
            1 => out += "; the last one repeats for ever",
            k => out += &format!("; the last {k} repeat for ever"),
        }
    }
    if trace.shortest {
        out += "; no run gets there in fewer, a completed call counted as one";
    }
    out
}

/// Writes what can hold at a place, for people.
pub fn states_text(states: &States, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    if let Some(reason) = &states.stop_reason {
        line!(out, "unknown: what holds at {}? ({reason})", quoted(&states.at))?;
    }
    for (i, at) in states.places.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        states_at(states, at, options, out)?;
    }
    if options.verbose || options.stats {
        about_engine(out, &states.engine, &states.why, states.seconds)?;
    }
    if options.stats {
        counters(out, &states.counters)?;
    }
    Ok(())
}

fn states_at(
    states: &States,
    at: &StatesAt,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let program = &*states.program;
    let info = &program.nodes[at.node];
    line!(out, "at {}: {}", place(program, at.node), program.text(info.origin.text))?;
    if !at.reachable {
        return line!(out, "  unreachable");
    }
    for (name, text) in &at.formula.definitions {
        line!(out, "  where {name} is {text}")?;
    }
    line!(out, "  {}", at.formula.text)?;
    if options.quiet {
        return Ok(());
    }
    let reader = Reader::new(program);
    for cube in &at.cubes {
        let mut line = String::new();
        for &var in &at.vars {
            if let Some(pattern) = reader.pattern(cube, var) {
                line += &format!(" {}={pattern}", program.var_name(var));
            }
        }
        line!(out, "   {}", if line.is_empty() { " (anything)" } else { &line })?;
    }
    if at.cut {
        line!(out, "    … and more cubes (`--max-cubes` shows more)")?;
    }
    match at.count {
        Some(n) => line!(out, "  {n} valuation{}", if n == 1 { "" } else { "s" }),
        None => Ok(()),
    }
}
