//! `--engine bounded`: questions about a C program with its data, answered by bounded search. Every run that is
//! found is executed; what is not seen is not said.

use asking::{EngineChoice, Judgement, Options, Watch, nothing};
use c_data::{BlockId, Check, FuncId, Point};
use check::{Partial, StopReason};
use engine_bounded::{Goal, Inputs, Verdict};
use input::{CText, DataProgram, Error, Model, caught};
use ir::{Init, NodeId, ProgramBuilder, Rel};
use property::{OperationKind, Property};
use render::{Claim, ClaimedStep, Claims, ListedStep, Listing, Outcome, Report, Status};
use source::{SourceFile, suggest};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Functions whose call says that the program is wrong, those of `assert` aside.
const ERRORS: [&str; 2] = ["__VERIFIER_error", "reach_error"];
/// Instructions that a run that was found may take.
const MAX_STEPS: u64 = 2_000_000_000;
/// The most lines of a run that are listed.
pub(crate) const MAX_LINES: usize = 2_000;
/// The most arguments of `main` that a run is given.
const MAX_ARGUMENTS: u64 = 1_000;

/// A C program with its data, and with the models of the library that the search needs.
pub fn searchable(texts: Vec<CText>, model: Model) -> Result<DataProgram, Error> {
    DataProgram::with_models(texts, model, engine_bounded::MODELS)
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
        return match properties.iter().find_map(kind) {
            Some(kind) => usage(&format!("`--{}` is about C programs; this is none", kind.word())),
            None => usage("the engine bounded searches C programs; this is none"),
        };
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
    let places: Vec<Property> = properties.iter().filter(|p| kind(p).is_none()).cloned().collect();
    let goals = places.iter().map(|p| goal(p, data, files)).collect::<Result<Vec<_>, _>>()?;
    let nothing = Arc::new(nothing());
    watch.so_far.asked(&nothing, files, properties.iter().cloned());
    let budget = watch.budget(options.search.limits);
    let (mut reached, mut allocates) = match places.is_empty() {
        true => (Vec::new().into_iter(), false),
        false => {
            let (results, allocates) = reached(&places, &goals, (data, files), options, &budget);
            (results.into_iter(), allocates)
        }
    };
    let mut granted = Vec::new();
    let overflow = |p: &Property| kind(p) == Some(OperationKind::Overflow);
    granted.push(if properties.iter().any(|p| kind(p).is_none()) {
        "signed arithmetic wraps around, and operands are evaluated from left to right"
    } else if properties.iter().all(overflow) {
        "operands are evaluated from left to right"
    } else {
        "signed arithmetic wraps around, a quotient that does not fit ends a run, and operands are evaluated from \
         left to right"
    });
    let mut results: Vec<Outcome> = Vec::new();
    for (i, property) in properties.iter().enumerate() {
        let Some(kind) = kind(property) else {
            results.extend(reached.next());
            continue;
        };
        let rest = &properties[i + 1..];
        let tell = |found: &[Outcome]| so_far(watch, (&nothing, files), &results, found, rest);
        let with = (&budget, &tell as crate::operations::Telling<'_>);
        let (found, made) = crate::operations::answers(kind, data, files, options, with);
        results.extend(found);
        allocates |= made;
        let said = crate::operations::granted(kind);
        if !granted.contains(&said) {
            granted.push(said);
        }
    }
    if allocates {
        granted.push("allocations of memory succeed");
    }
    let granted = granted.into_iter().map(str::to_owned).collect();
    let claims = Claims { granted, ..Claims::default() };
    let mut report = Report {
        files: files.to_vec(),
        program: nothing,
        results,
        suppressed: Vec::new(),
        assumptions: Vec::new(),
        not_modelled: data.gaps(),
        claims,
    };
    crate::claims::settle(&mut report, properties, options);
    Ok(report)
}

/// Takes down what was found: answers to questions before one, and to that one.
fn so_far(
    watch: &Watch,
    (program, files): (&Arc<ir::Program>, &[Arc<SourceFile>]),
    before: &[Outcome],
    found: &[Outcome],
    rest: &[Property],
) {
    let known = || before.iter().chain(found);
    let questions = known().map(|o| o.property.clone()).chain(rest.iter().cloned());
    watch.so_far.asked(program, files, questions);
    known().for_each(|outcome| watch.so_far.answered(outcome));
}

/// The operations that a property asks about.
fn kind(property: &Property) -> Option<OperationKind> {
    match property {
        Property::Operations { kind } => Some(*kind),
        _ => None,
    }
}

/// The answers about places.
fn reached(
    properties: &[Property],
    goals: &[Goal],
    (data, files): (&DataProgram, &[Arc<SourceFile>]),
    options: &Options,
    budget: &check::Budget,
) -> (Vec<Outcome>, bool) {
    let program = data.program();
    let start = Instant::now();
    let mut seen: Vec<Option<c_run::Passes>> = vec![None; goals.len()];
    let searched = caught("engine bounded", || {
        let mut confirm = |goal: usize, inputs: &Inputs| {
            let lines = options.shown.max_steps.min(MAX_LINES);
            let values = inputs.values.iter().map(|(_, value)| *value).collect();
            let run = Run { args: arguments(inputs), inputs: values, lines };
            // Simpler inputs are tried afterwards, and may not get there.
            let run = executed(program, (&goals[goal].points, None), run, budget);
            if run.reached {
                seen[goal] = Some(run.passed);
            }
            run.reached
        };
        let search = engine_bounded::Options { bound: options.search.bound };
        engine_bounded::search(program, goals, search, budget, &mut confirm)
    });
    let seconds = start.elapsed().as_secs_f64();
    let mut results = Vec::new();
    for (i, property) in properties.iter().enumerate() {
        let mut out = Outcome::unknown(property.clone(), StopReason::Cancelled);
        out.engine = "bounded".to_owned();
        out.why = match options.search.engine {
            EngineChoice::Bounded => "asked for by `--engine`".to_owned(),
            _ => "asked together with a question about C's data".to_owned(),
        };
        out.seconds = seconds;
        match &searched {
            Err(what) => out.stop_reason = Some(StopReason::Internal { what: what.clone() }),
            Ok(searched) => {
                out.counters.clone_from(&searched.counters);
                tell(&mut out, &searched.answers[i].verdict);
            }
        }
        if let (true, Some(passed)) = (out.status.is_violation(), &seen[i])
            && options.search.trace != check::TraceMode::None
        {
            out.trace = Some(listing(data, passed, files, &mut out.warnings));
        }
        if goals[i].points.is_empty() {
            out.vacuous.push("the program has no assertion that could fail".to_owned());
        }
        results.push(out);
    }
    (results, searched.is_ok_and(|s| s.allocates))
}

/// What a run gets, and how many of its lines are noted.
pub(crate) struct Run {
    pub(crate) args: Vec<String>,
    pub(crate) inputs: Vec<i128>,
    pub(crate) lines: usize,
}

/// What a run did.
pub(crate) struct Executed {
    /// It came to one of the points.
    pub(crate) reached: bool,
    pub(crate) passed: c_run::Passes,
    /// Operations that failed.
    pub(crate) failed: Vec<c_run::Failure>,
}

/// Executes a run up to some points, or to where an operation fails that is asked about.
pub(crate) fn executed(
    program: &c_data::Program,
    (points, check): (&[Point], Option<Check>),
    run: Run,
    budget: &check::Budget,
) -> Executed {
    let run = c_run::Options {
        args: run.args,
        inputs: run.inputs,
        max_steps: Some(MAX_STEPS),
        stop_at: points.to_vec(),
        lines: run.lines,
        check,
        ..c_run::Options::default()
    };
    let outcome = c_run::run(program, &run, &mut Silent { budget });
    let reached = outcome.ending == c_run::Ending::Reached;
    Executed { reached, passed: outcome.passed, failed: outcome.failed }
}

/// Whether the program, executed on the inputs of a claim, does what is claimed.
pub(crate) fn replayed(
    claim: &Claim,
    inputs: &render::Inputs,
    files: &[Arc<SourceFile>],
    options: &Options,
    budget: &check::Budget,
) -> Result<Judgement, Error> {
    let Some(data) = &options.input.data else {
        let what = "inputs are of a C program with its data, which was not read";
        return Ok(Judgement::Unknown(what.to_owned()));
    };
    let kind = kind(&claim.property);
    let points = match kind {
        Some(_) => Vec::new(),
        None => goal(&claim.property, data, files)?.points,
    };
    let args = named(1 + inputs.arguments as u64);
    let values = inputs.values.iter().map(|(_, value)| *value).collect();
    let run = Run { args, inputs: values, lines: MAX_LINES };
    let check = kind.map(crate::operations::check_of);
    let done = caught("replay", || executed(data.program(), (&points, check), run, budget));
    if let (Some(kind), Ok(run), Ok(())) = (kind, &done, budget.poll()) {
        let told = claim.finding.as_ref();
        if let Err(judgement) = crate::operations::judged(kind, told, run, data, files) {
            return Ok(judgement);
        }
    }
    let passed = match done {
        Ok(run) if run.reached || kind.is_some() && budget.poll().is_ok() => run.passed,
        Ok(_) => {
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
    let found = listing(data, &passed, files, &mut Vec::new());
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

fn tell(out: &mut Outcome, verdict: &Verdict) {
    let reach = matches!(out.property, Property::Reach { .. });
    out.stop_reason = None;
    match verdict {
        Verdict::Unknown(reason) => out.stop_reason = Some(reason.clone()),
        Verdict::Unreached => out.status = if reach { Status::Unreachable } else { Status::Holds },
        Verdict::Reached(inputs) => {
            out.status = if reach { Status::Reachable } else { Status::Violated };
            out.inputs = Some(Arc::new(given(inputs)));
        }
    }
}

/// What a run gets, as reports say it.
pub(crate) fn given(inputs: &Inputs) -> render::Inputs {
    let arguments = arguments(inputs).len() - 1;
    render::Inputs { values: inputs.values.clone(), arguments }
}

/// `argv`, with as many arguments as are wanted.
pub(crate) fn arguments(inputs: &Inputs) -> Vec<String> {
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
            let failed = |name: &str| front_c::is_failed_assertion(name) || ERRORS.contains(&name);
            let calls = functions().filter(|(_, f)| failed(&f.name));
            Ok(Goal { points: calls.map(|(i, _)| Point::Call(FuncId::new(i))).collect() })
        }
        Property::Reach { label } => reach(label, data, files),
        other => Err(Error::Usage(format!(
            "the engine bounded answers `--reach` and `--assert`, and questions about operations of C; not {}",
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

/// The lines of a run, as a list of statements of a program that has nothing else.
pub(crate) fn listing(
    data: &DataProgram,
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
            let text = number.map_or("", |k| files[k].line(line).trim());
            let indent = number.map_or(0, |k| {
                let whole = files[k].line(line);
                whole.chars().take_while(|c| c.is_whitespace()).count() as u32
            });
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
