//! Questions about a C program with its data, answered by bounded search. Every run that is found is executed; what
//! is not seen is not said.
//!
//! With `--engine bounded` all questions are asked here. With `--engine auto` those are that the control skeleton
//! leaves open: what no run of the skeleton does, no run of the program does.

use crate::stubs;
use asking::{Judgement, Options, Watch, nothing};
use c_data::{BlockId, FuncId, Point};
use check::{Limits, Partial, StopReason};
use engine_bounded::{Goal, Inputs, Verdict};
use input::{CProgram, CText, DataProgram, Error, LazyData, Model, caught};
use ir::{Init, NodeId, ProgramBuilder, Rel};
use property::Property;
use render::{Claim, ClaimedStep, Claims, ListedStep, Listing, Outcome, Report, Status};
use rustc_hash::FxHashMap;
use source::{SourceFile, suggest};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What this search is called.
pub(crate) const BOUNDED: &str = "bounded";
/// Instructions that a run that was found may take.
const MAX_STEPS: u64 = 2_000_000_000;
/// The most lines of a run that are listed.
const MAX_LINES: usize = 2_000;
/// What the search may take with `--engine auto` where no `--timeout` says more.
const BY_ITSELF: Duration = Duration::from_secs(20);
/// The most arguments of `main` that a run is given.
const MAX_ARGUMENTS: u64 = 1_000;

/// A C program with its data, and with the models of the library that the search needs.
pub fn searchable(texts: Vec<CText>, model: Model) -> LazyData {
    LazyData::new(texts, model, engine_bounded::MODELS)
}

/// The program that is searched, with its stubs.
fn searched<'a>(data: &'a LazyData, c: &CProgram) -> Result<(&'a DataProgram, &'a str), Error> {
    data.program(|plain| stubs::stubs(plain.program(), c))
}

/// A run is executed for what it reaches.
struct Silent<'a> {
    budget: &'a check::Budget,
}

impl c_run::Host for Silent<'_> {
    fn output(&mut self, _: bool, _: &[u8]) {}
    fn input(&mut self, _: &mut [u8]) -> usize {
        0
    }
    fn stopped(&mut self) -> bool {
        self.budget.poll().is_err()
    }
}

/// Answers the questions by bounded search.
pub(crate) fn search(
    files: &[Arc<SourceFile>],
    properties: &[Property],
    options: &Options,
    watch: &Watch,
) -> Result<Report, Error> {
    let usage = |what: &str| Err(Error::Usage(what.to_owned()));
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else {
        return usage("the engine bounded searches C programs; this is none");
    };
    if c.skeleton().bodies.is_empty() {
        return Err(c.wrong(&front_c::LowerError::Empty));
    }
    if options.input.entry.as_deref().is_some_and(|entry| entry != "main") {
        return usage("the engine bounded starts at `main`; leave out `--entry`");
    }
    if !options.input.keep.is_empty() {
        return usage("the engine bounded keeps all values; leave out `--keep`");
    }
    let (data, stubs) = searched(data, c)?;
    let goals = properties.iter().map(|p| goal(p, data, files)).collect::<Result<Vec<_>, _>>()?;
    let nothing = Arc::new(nothing());
    watch.so_far.asked(&nothing, files, properties.iter().cloned());
    let budget = watch.budget(options.search.limits);
    let asked: Vec<(&Property, Goal)> = properties.iter().zip(goals).collect();
    let Found { results, granted } = found(c, (data, stubs), files, asked, options, &budget);
    let mut report = Report {
        files: files.to_vec(),
        program: nothing,
        results,
        suppressed: Vec::new(),
        assumptions: Vec::new(),
        not_modelled: data.gaps(),
        claims: Claims { granted, ..Claims::default() },
    };
    crate::claims::settle(&mut report, properties, options);
    Ok(report)
}

/// Asks about the program with its data what its skeleton leaves open, where the data is at hand: what some run of
/// the skeleton does, and what could not be told of it.
pub(crate) fn with_data(
    report: &mut Report,
    files: &[Arc<SourceFile>],
    options: &Options,
    watch: &Watch,
) -> Result<(), Error> {
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else { return Ok(()) };
    let open = |o: &Outcome| {
        let asked = matches!(o.property, Property::Assert | Property::Reach { .. });
        asked && !matches!(o.status, Status::Holds | Status::Unreachable)
    };
    // What starts elsewhere is not searched: a library is a skeleton.
    let starts = c.skeleton().func_named("main").and_then(|f| c.skeleton().body(f)).is_some();
    if !starts || !report.results.iter().any(open) {
        return Ok(());
    }
    let whole = c.extent(options.input.allow_incomplete).is_complete();
    let (data, stubs) = searched(data, c)?;
    let mut asked = Vec::new();
    let mut places = Vec::new();
    for (i, outcome) in report.results.iter().enumerate().filter(|(_, o)| open(o)) {
        // What the data program has no words for stays a question about the skeleton.
        if let Ok(goal) = goal(&outcome.property, data, files) {
            places.push(i);
            asked.push((&outcome.property, goal));
        }
    }
    let limits = options.search.limits;
    let budget = match limits.time {
        Some(_) => watch.budget(limits),
        None => watch.part(Limits { time: Some(BY_ITSELF), ..limits }, limits),
    };
    let Found { results, granted } = found(c, (data, stubs), files, asked, options, &budget);
    for (i, mut outcome) in places.into_iter().zip(results) {
        let before = &mut report.results[i];
        if outcome.status == Status::Unknown && !whole {
            // What was left out may do anything, and does in the skeleton.
            continue;
        }
        outcome.why = "C with its data: what the control skeleton leaves open".to_owned();
        if outcome.status == Status::Unknown && before.status.is_violation() {
            let what = "a run of the control skeleton, in which data is not looked at, does it; \
                        `--skeleton` shows that run";
            outcome.warnings.push(what.to_owned());
        }
        outcome.vacuous.append(&mut before.vacuous);
        *before = outcome;
    }
    report.claims.granted = granted;
    report.not_modelled.extend(data.gaps());
    Ok(())
}

/// Answers, and what they rest on.
struct Found {
    results: Vec<Outcome>,
    granted: Vec<String>,
}

/// Searches for runs to the goals.
fn found(
    c: &CProgram,
    (data, stubs): (&DataProgram, &str),
    files: &[Arc<SourceFile>],
    asked: Vec<(&Property, Goal)>,
    options: &Options,
    budget: &check::Budget,
) -> Found {
    let program = data.program();
    let (properties, goals): (Vec<&Property>, Vec<Goal>) = asked.into_iter().unzip();
    let start = Instant::now();
    let mut seen: Vec<Option<c_run::Passes>> = vec![None; goals.len()];
    let done = caught("engine bounded", || {
        let mut confirm = |goal: usize, inputs: &Inputs| {
            let lines = options.shown.max_steps.min(MAX_LINES);
            let values = inputs.values.iter().map(|(_, value)| *value).collect();
            let run = (arguments(inputs), values, lines);
            // Simpler inputs are tried afterwards, and may not get there.
            let passed = executed(program, &goals[goal], run, budget);
            let reached = passed.is_some();
            seen[goal] = passed.or(seen[goal].take());
            reached
        };
        let search = engine_bounded::Options { bound: options.search.bound };
        engine_bounded::search(program, &goals, search, budget, &mut confirm)
    });
    let seconds = start.elapsed().as_secs_f64();
    let mut results = Vec::new();
    for (i, property) in properties.into_iter().enumerate() {
        let mut out = Outcome::unknown(property.clone(), StopReason::Cancelled);
        out.engine = BOUNDED.to_owned();
        out.why = "asked for by `--engine`".to_owned();
        out.seconds = seconds;
        match &done {
            Err(what) => out.stop_reason = Some(StopReason::Internal { what: what.clone() }),
            Ok(searched) => {
                out.counters.clone_from(&searched.counters);
                tell(&mut out, &searched.answers[i].verdict, stubs);
            }
        }
        if let (true, Some(passed)) = (out.status.is_violation(), &seen[i])
            && options.search.trace != check::TraceMode::None
        {
            out.trace = Some(listing((c, data), passed, files, &mut out.warnings));
            if options.search.insist {
                out.warnings.push("the run is the one that was executed, not a shortest".into());
            }
        }
        if out.status == Status::Holds && options.search.self_check {
            out.warnings.push("there is no proof to check".to_owned());
        }
        if goals[i].points.is_empty() {
            out.vacuous.push("the program has no assertion that could fail".to_owned());
        }
        results.push(out);
    }
    let mut granted = vec![
        "signed arithmetic wraps around, and operands are evaluated from left to right".to_owned(),
    ];
    if done.is_ok_and(|s| s.allocates) {
        granted.push("allocations of memory succeed".to_owned());
    }
    let names: Vec<String> = stubs::stubbed(stubs).map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => {}
        [one] => granted.push(format!(
            "{one} has no body here: it returns anything, and calls nothing of the program"
        )),
        [first, rest @ ..] => granted.push(format!(
            "{first} and {} more have no body here: they return anything, and call nothing of the program",
            rest.len()
        )),
    }
    Found { results, granted }
}

/// What a run passes, with these arguments, inputs and lines to be noted, if it comes to a goal.
fn executed(
    program: &c_data::Program,
    goal: &Goal,
    (args, inputs, lines): (Vec<String>, Vec<i128>, usize),
    budget: &check::Budget,
) -> Option<c_run::Passes> {
    let run = c_run::Options {
        args,
        inputs,
        max_steps: Some(MAX_STEPS),
        stop_at: goal.points.clone(),
        lines,
        ..c_run::Options::default()
    };
    let outcome = c_run::run(program, &run, &mut Silent { budget });
    (outcome.ending == c_run::Ending::Reached).then_some(outcome.passed)
}

/// Whether the program, executed on the inputs of a claim, does what is claimed.
pub(crate) fn replayed(
    claim: &Claim,
    inputs: &render::Inputs,
    files: &[Arc<SourceFile>],
    options: &Options,
    budget: &check::Budget,
) -> Result<Judgement, Error> {
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else {
        let what = "inputs are of a C program with its data, which was not read";
        return Ok(Judgement::Unknown(what.to_owned()));
    };
    let (data, _) = searched(data, c)?;
    let goal = goal(&claim.property, data, files)?;
    let args = named(1 + inputs.arguments as u64);
    let values = inputs.values.iter().map(|(_, value)| *value).collect();
    let done =
        caught("replay", || executed(data.program(), &goal, (args, values, MAX_LINES), budget));
    let passed = match done {
        Ok(Some(passed)) => passed,
        Ok(None) => {
            return Ok(match budget.poll() {
                Ok(()) => {
                    Judgement::Refused("with these inputs the run does not get there".to_owned())
                }
                Err(reason) => Judgement::Unknown(reason.to_string()),
            });
        }
        Err(what) => {
            return Ok(Judgement::Unknown(format!("internal error, please report it: {what}")));
        }
    };
    let Some(trace) = &claim.trace else { return Ok(Judgement::Accepted) };
    let found = listing((c, data), &passed, files, &mut Vec::new());
    let at = |step: &ListedStep| {
        let node = &found.program.nodes[step.node];
        let text = found.program.text(node.origin.text).to_owned();
        (found.program.proc_name(node.proc).to_owned(), node.origin.line, step.depth, text)
    };
    let told = |step: &ClaimedStep| {
        let text = step.text.clone().unwrap_or_default();
        (step.proc.clone(), step.line, step.depth, text)
    };
    let found: Vec<_> = found.steps.iter().map(at).collect();
    let claimed: Vec<_> = trace.steps.iter().map(told).collect();
    let same = found.iter().zip(&claimed).take_while(|(a, b)| a == b).count();
    Ok(match same == found.len() && same == claimed.len() {
        true => Judgement::Accepted,
        // Of a long run not every line was noted, here or there.
        false if passed.left_out > 0 || claimed.len() < found.len() && same > 0 => {
            let what =
                "the run gets there; not all of its steps are listed, and they were not compared";
            Judgement::Unknown(what.to_owned())
        }
        false => Judgement::Refused(format!("step {}: the run is somewhere else", same + 1)),
    })
}

fn tell(out: &mut Outcome, verdict: &Verdict, stubs: &str) {
    let reach = matches!(out.property, Property::Reach { .. });
    out.stop_reason = None;
    match verdict {
        Verdict::Unknown(reason) => out.stop_reason = Some(reason.clone()),
        Verdict::Unreached => out.status = if reach { Status::Unreachable } else { Status::Holds },
        Verdict::Reached(inputs) => {
            out.status = if reach { Status::Reachable } else { Status::Violated };
            let args = arguments(inputs).len() - 1;
            let (values, stubs) = (inputs.values.clone(), stubs.to_owned());
            out.inputs = Some(Arc::new(render::Inputs { values, arguments: args, stubs }));
        }
    }
}

/// `argv`, with as many arguments as are wanted.
fn arguments(inputs: &Inputs) -> Vec<String> {
    named(inputs.argc.unwrap_or(1))
}

/// So many arguments, the program's name first.
fn named(count: u64) -> Vec<String> {
    let more = (1..count.clamp(1, MAX_ARGUMENTS)).map(|i| i.to_string());
    std::iter::once("program".to_owned()).chain(more).collect()
}

/// The points that a property asks about.
fn goal(property: &Property, data: &DataProgram, files: &[Arc<SourceFile>]) -> Result<Goal, Error> {
    let program = data.program();
    let functions = || program.functions.iter().enumerate();
    match property {
        Property::Assert => {
            let calls = functions().filter(|(_, f)| front_c::is_failed_assertion(&f.name));
            Ok(Goal { points: calls.map(|(i, _)| Point::Call(FuncId::new(i))).collect() })
        }
        Property::Reach { label } => reach(label, data, files),
        other => Err(Error::Usage(format!(
            "the engine bounded answers `--reach` and `--assert`, not {}",
            render::title(other)
        ))),
    }
}

fn reach(place: &str, data: &DataProgram, files: &[Arc<SourceFile>]) -> Result<Goal, Error> {
    let program = data.program();
    let own = || program.functions.iter().enumerate().filter(|(_, f)| f.own && f.has_body());
    if let Some((file, line)) = place.rsplit_once(':')
        && let Ok(line) = line.parse::<u32>()
    {
        let main = files.first().map_or("", |f| f.name());
        let wanted = if file.is_empty() { main } else { file };
        let here = |at: c_data::At| {
            at.line == line && program.files.get(at.file as usize).is_some_and(|f| f == wanted)
        };
        let mut points = Vec::new();
        for (i, f) in own() {
            for (b, block) in f.blocks.iter().enumerate() {
                let before = |k: usize| Point::Before(FuncId::new(i), BlockId::new(b), k as u32);
                let on_line = block.stmts.iter().enumerate().filter(|(_, s)| here(s.at));
                points.extend(on_line.map(|(k, _)| before(k)));
                // What lowering adds at the end of a block is no statement of its own.
                let jumps = matches!(block.end, c_data::End::Jump(_) | c_data::End::Unreachable);
                if here(block.end_at) && !jumps {
                    points.push(before(block.stmts.len()));
                }
            }
        }
        return match points.is_empty() {
            true => {
                Err(Error::Usage(format!("there is no statement on line {line} of `{wanted}`")))
            }
            false => Ok(Goal { points }),
        };
    }
    let (function, label) = match place.split_once(':') {
        Some((function, label)) => (Some(function), label),
        None => (None, place),
    };
    let mut points = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for (i, f) in own().filter(|(_, f)| function.is_none_or(|name| f.name == name)) {
        known.extend(f.labels.iter().map(|(name, _)| name.as_str()));
        let here = f.labels.iter().filter(|(name, _)| name == label);
        points.extend(here.map(|(_, block)| Point::Before(FuncId::new(i), *block, 0)));
    }
    if points.is_empty() && function.is_none() {
        known.extend(own().map(|(_, f)| f.name.as_str()));
        let called = own().filter(|(_, f)| f.name == label);
        points.extend(called.map(|(i, _)| Point::Before(FuncId::new(i), BlockId::new(0), 0)));
    }
    if points.is_empty() {
        let near = suggest(label, known.iter().copied());
        return Err(Error::Usage(match near {
            Some(near) => format!("no statement is labelled `{place}`; did you mean `{near}`?"),
            None => format!("no statement is labelled `{place}`"),
        }));
    }
    Ok(Goal { points })
}

/// What the skeleton shows of each line: what is longest there.
fn statements(c: &CProgram) -> FxHashMap<(&str, u32), &str> {
    let s = c.skeleton();
    let mut out = FxHashMap::default();
    for point in s.bodies.iter().flat_map(|b| &b.points) {
        if let Some(file) = s.files.get(point.at.file as usize) {
            let shown: &mut &str = out.entry((file.as_str(), point.at.line)).or_default();
            if point.text.len() > shown.len() {
                *shown = &point.text;
            }
        }
    }
    out
}

/// The lines of a run, as a list of statements of a program that has nothing else.
fn listing(
    (c, data): (&CProgram, &DataProgram),
    passed: &c_run::Passes,
    files: &[Arc<SourceFile>],
    warnings: &mut Vec<String>,
) -> Listing {
    let program = data.program();
    let mut b = ProgramBuilder::new();
    let numbers: Vec<u32> = files.iter().map(|f| b.file(f.name())).collect();
    let file_of = |file: u32| {
        let name = program.files.get(file as usize).map_or("", String::as_str);
        files.iter().position(|f| f.name() == name)
    };
    let all = || passed.first.iter().chain(&passed.last);
    let read = statements(c);
    // Each function's lines.
    let mut lines: BTreeMap<FuncId, Vec<(u32, u32)>> = BTreeMap::new();
    for pass in all() {
        let list = lines.entry(pass.function).or_default();
        if !list.contains(&(pass.at.file, pass.at.line)) {
            list.push((pass.at.file, pass.at.line));
        }
    }
    let mut nodes: BTreeMap<(FuncId, u32, u32), NodeId> = BTreeMap::new();
    let mut first = None;
    for (&function, list) in &lines {
        let at = b.no_origin();
        let proc = b.proc(&program.functions[function.index()].name, at);
        first.get_or_insert(proc);
        b.begin_proc(proc);
        for &(file, line) in list {
            let number = file_of(file);
            let whole = number.map_or("", |k| files[k].line(line));
            let indent = whole.chars().take_while(|c| c.is_whitespace()).count() as u32;
            // Of what was read from elsewhere there is no line to show.
            let name = program.files.get(file as usize).map_or("", String::as_str);
            let text = match whole.trim() {
                "" => read.get(&(name, line)).copied().unwrap_or(""),
                text => text,
            };
            let at = b.origin(number.map_or(0, |k| numbers[k]), line, indent + 1, text);
            let node = b.statement(at);
            nodes.insert((function, file, line), node);
        }
        let end = b.silent();
        b.entry(proc, end);
        b.ret(end, Rel::identity(), false);
    }
    let steps: Vec<ListedStep> = all()
        .filter_map(|pass| {
            let node = *nodes.get(&(pass.function, pass.at.file, pass.at.line))?;
            Some(ListedStep::new(node, pass.depth, Partial::unknown(0)))
        })
        .collect();
    if passed.left_out > 0 {
        let what = format!("{} lines in the middle of the run are not listed", passed.left_out);
        warnings.push(what);
    }
    let hier_steps = steps.len();
    let program = Arc::new(match first {
        Some(entry) => b.finish(entry, Init::default()),
        None => nothing(),
    });
    Listing { program, shortest: false, loop_start: None, growth: 0, hier_steps, steps }
}
