//! Questions about a C program with its data, answered by bounded search. Every run that is found is executed; what
//! is not seen is not said.
//!
//! With `--engine bounded` all questions are asked here. With `--engine auto` those are that the control skeleton
//! leaves open: what no run of the skeleton does, no run of the program does.

use crate::entries::{self, Harness};
use crate::listing::{listing, with_values};
use crate::prover::{self, How};
use crate::{calls, followed, stubs, termination, tried};
use asking::{EngineChoice, Options, Watch, nothing};
use c_data::{BlockId, Check, FuncId, Point};
use check::{Limits, StopReason};
use engine_bounded::{Goal, Inputs, Never, Verdict};
use input::{CProgram, CText, DataProgram, Error, LazyData, Model, caught};
use property::{OperationKind, Property};
use render::{Caller, Claims, Outcome, Report, Status};
use source::{SourceFile, suggest};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What this search is called.
pub(crate) const BOUNDED: &str = "bounded";
/// Whether an engine of that name answers about C with its data.
pub fn of_data(engine: &str) -> bool {
    [BOUNDED, prover::PDR, prover::PREDICATES].contains(&engine)
}
/// Instructions that a run that was found may take.
pub(crate) const MAX_STEPS: u64 = 2_000_000_000;
/// The most lines of a run that are listed.
pub(crate) const MAX_LINES: usize = 2_000;
/// What the search may take with `--engine auto` where no `--timeout` says more.
const BY_ITSELF: Duration = Duration::from_secs(20);

/// A C program with its data, and with the models of the library that the search needs.
pub fn searchable(texts: Vec<CText>, model: Model) -> LazyData {
    LazyData::new(texts, model, engine_bounded::MODELS)
}

/// The questions whose places are looked for by executions first.
const TRIED: usize = 4;

/// What answers about places grant.
const WRAPS: &str = "signed arithmetic wraps around, and operands are evaluated from left to right";

/// What is searched.
pub(crate) struct Searched<'a> {
    /// The program's skeleton.
    pub(crate) c: &'a CProgram,
    /// The program with its data.
    pub(crate) data: Arc<DataProgram>,
    /// What functions without a body do, as C.
    pub(crate) stubs: &'a str,
    /// Callers that do anything, of an entry that is not `main`.
    pub(crate) harness: Option<Arc<Harness>>,
    /// The files, to be shown.
    pub(crate) files: &'a [Arc<SourceFile>],
}

impl<'a> Searched<'a> {
    pub(crate) fn new(
        lazy: &'a LazyData,
        (c, entry): (&'a CProgram, Option<&str>),
        files: &'a [Arc<SourceFile>],
    ) -> Result<Searched<'a>, Error> {
        let (data, stubs) = lazy.program(|plain| stubs::stubs(plain.program(), c))?;
        let Some(entry) = entry.filter(|entry| *entry != "main") else {
            return Ok(Searched { c, data, stubs, harness: None, files });
        };
        let manner = entries::Manner { shares: true, functions: &[] };
        let harness = entries::harness(data.program(), lazy.texts(), entry, manner);
        let harness = harness.map_err(|what| Error::Usage(format!("`--entry`: {what}")))?;
        let more = format!("{stubs}\n{}", harness.makers);
        let data = lazy.variant(harness.texts.clone(), &more)?;
        Ok(Searched { c, data, stubs, harness: Some(Arc::new(harness)), files })
    }

    /// The same with another program.
    pub(crate) fn with(&self, data: Arc<DataProgram>) -> Searched<'a> {
        let (c, stubs, files) = (self.c, self.stubs, self.files);
        Searched { c, data, stubs, harness: self.harness.clone(), files }
    }

    /// What answers take for granted, beside what arithmetic does.
    fn granted(&self, allocates: bool) -> Vec<String> {
        let mut out = Vec::new();
        out.extend(self.harness.as_ref().map(|h| h.granted()));
        if allocates {
            out.push("allocations of memory succeed".to_owned());
        }
        let of = |contract: bool| {
            let all = stubs::stubbed(self.stubs).filter(move |(_, c)| *c == contract);
            all.map(|(name, _)| format!("`{name}`")).collect::<Vec<String>>()
        };
        let names = of(false);
        match &names[..] {
            [] => {}
            [one] => out.push(format!(
                "{one} has no body here: it returns anything, and calls nothing of the program"
            )),
            [first, rest @ ..] => out.push(format!(
                "{first} and {} more have no body here: they return anything, and call nothing of the program",
                rest.len()
            )),
        }
        match &of(true)[..] {
            [] => {}
            [one] => out.push(format!("{one} has no body here: it does what its contract says")),
            [first, rest @ ..] => out.push(format!(
                "{first} and {} more have no body here: they do what their contracts say",
                rest.len()
            )),
        }
        match &self.data.warnings()[..] {
            [] => {}
            [one] => out.push(format!("files disagree: {one}")),
            [first, rest @ ..] => {
                out.push(format!("files disagree: {first}; and {} more like this", rest.len()));
            }
        }
        out
    }

    /// What a run gets, as reports say it.
    pub(crate) fn given(&self, inputs: &Inputs) -> render::Inputs {
        let arguments = inputs.argv().len() - 1;
        let (args, stdin) = (inputs.args.clone(), inputs.stdin.clone());
        let (files, memory) = (inputs.files.clone(), inputs.memory.clone());
        let (values, mut stubs) = (inputs.values.clone(), self.stubs.to_owned());
        let caller = self.harness.as_ref().map(|harness| {
            stubs += &harness.makers;
            Caller {
                entry: harness.entry.clone(),
                assumed: harness.told(&values),
                units: harness.units.clone(),
            }
        });
        render::Inputs { values, again: None, arguments, args, stdin, files, memory, stubs, caller }
    }
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

/// Whether a property asks if all runs end.
pub(crate) fn ends(property: &Property) -> bool {
    matches!(property, Property::Terminates { fair } if fair.is_empty())
}

/// Whether a property is about the order of calls.
pub(crate) fn orders(property: &Property) -> bool {
    matches!(property, Property::Sere { .. } | Property::Ltl { .. })
}

/// The operations that a property asks about.
pub(crate) fn kind(property: &Property) -> Option<OperationKind> {
    match property {
        Property::Operations { kind } => Some(*kind),
        _ => None,
    }
}

/// A run is executed for what it reaches.
pub(crate) struct Silent<'a> {
    pub(crate) budget: &'a check::Budget,
    pub(crate) stdin: Vec<u8>,
    /// How much of it was read.
    pub(crate) read: usize,
}

impl c_run::Host for Silent<'_> {
    fn output(&mut self, _: bool, _: &[u8]) {}
    fn input(&mut self, to: &mut [u8]) -> usize {
        let count = (self.stdin.len() - self.read).min(to.len());
        to[..count].copy_from_slice(&self.stdin[self.read..self.read + count]);
        self.read += count;
        count
    }
    fn stopped(&mut self) -> bool {
        self.budget.poll().is_err()
    }
}

/// Answers the questions by bounded search.
pub fn search(
    files: &[Arc<SourceFile>],
    properties: &[Property],
    options: &Options,
    watch: &Watch,
) -> Result<Report, Error> {
    let usage = |what: &str| Err(Error::Usage(what.to_owned()));
    let word = match options.search.engine {
        EngineChoice::Auto => BOUNDED,
        engine => engine.word(),
    };
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else {
        return match properties.iter().find_map(kind) {
            Some(kind) => usage(&format!("`--{}` is about C programs; this is none", kind.word())),
            None => usage(&format!("the engine {word} searches C programs; this is none")),
        };
    };
    if c.skeleton().bodies.is_empty() {
        return Err(c.wrong(&front_c::LowerError::Empty));
    }
    let entry = options.input.entry.as_deref();
    if let Some(name) = entry.filter(|entry| *entry != "main") {
        let cleanup = |p: &Property| kind(p) == Some(OperationKind::MemoryCleanup);
        if properties.iter().any(cleanup) {
            return usage(
                "`--memory-cleanup` asks about the end of the program, and starts at `main`; leave out `--entry`",
            );
        }
        let s = c.skeleton();
        if s.func_named(name).is_none_or(|f| s.body(f).is_none()) {
            return Err(c.wrong(&front_c::LowerError::NoEntry { name: name.to_owned() }));
        }
        if how(options.search.engine).is_some() {
            return usage(&format!("the engine {word} starts at `main`; leave out `--entry`"));
        }
    }
    if !options.input.keep.is_empty() {
        return usage(&format!("the engine {word} keeps all values; leave out `--keep`"));
    }
    let of = Searched::new(data, (c, entry), files)?;
    let ends = |p: &Property| ends(p) && how(options.search.engine).is_some();
    let places: Vec<&Property> =
        properties.iter().filter(|p| kind(p).is_none() && !ends(p) && !orders(p)).collect();
    let goals = places.iter().map(|p| goal(p, &of.data, files)).collect::<Result<Vec<_>, _>>()?;
    let nothing = Arc::new(nothing());
    watch.so_far.asked(&nothing, files, properties.iter().cloned());
    let budget = watch.budget(options.search.limits);
    let (reached, mut allocates) = match places.is_empty() {
        true => (Vec::new(), false),
        false => match how(options.search.engine) {
            Some(how) => proved(&of, &places, &goals, how, options, &budget),
            None => reached(&of, &places, &goals, options, &budget),
        },
    };
    let mut reached = reached.into_iter();
    let overflow = |p: &Property| kind(p) == Some(OperationKind::Overflow);
    let mut granted: Vec<String> = vec![
        if !places.is_empty() || properties.iter().any(|p| ends(p) || orders(p)) {
            WRAPS
        } else if properties.iter().all(overflow) {
            "operands are evaluated from left to right"
        } else {
            "signed arithmetic wraps around, a quotient that does not fit ends a run, and operands are evaluated from \
             left to right"
        }
        .to_owned(),
    ];
    let mut results: Vec<Outcome> = Vec::new();
    for (i, property) in properties.iter().enumerate() {
        if let (true, Some(how)) = (ends(property), how(options.search.engine)) {
            let (found, made) = termination::answer(&of, property, how, options, &budget);
            results.push(found);
            allocates |= made;
            continue;
        }
        if orders(property) {
            let Some(watched) = calls::monitored(&of, data, property) else {
                return usage(&format!(
                    "the engine {word} answers `--sere` and `--ltl` only about the order of calls, and what has happened or \
                     is to happen some day; not {}",
                    render::title(property)
                ));
            };
            let (found, made) = calls::answer(&of, property, watched, options, &budget);
            results.push(found);
            allocates |= made;
            continue;
        }
        let Some(kind) = kind(property) else {
            results.extend(reached.next());
            continue;
        };
        let rest = &properties[i + 1..];
        let tell = |found: &[Outcome]| so_far(watch, (&nothing, files), &results, found, rest);
        let left = rest.iter().filter(|p| self::kind(p).is_some()).count() as u32 + 1;
        let part = share(options, watch, &budget, left);
        let with = (&part, &tell as crate::operations::Telling<'_>);
        let (found, made) = crate::operations::answers(kind, &of, options, with);
        results.extend(found);
        allocates |= made;
        let said = crate::operations::granted(kind).to_owned();
        if !granted.contains(&said) {
            granted.push(said);
        }
    }
    granted.extend(of.granted(allocates));
    Ok(Report {
        files: files.to_vec(),
        program: nothing,
        results,
        suppressed: Vec::new(),
        assumptions: Vec::new(),
        not_modelled: of.data.gaps(),
        claims: Claims { granted, ..Claims::default() },
    })
}

/// What the first of so many questions about operations may take: its share of the time that is left, and without
/// limits, where no engine was named, what a question takes by itself.
fn share(
    options: &Options,
    watch: &Watch,
    budget: &check::Budget,
    questions: u32,
) -> check::Budget {
    let limits = options.search.limits;
    let time = match limits.time {
        Some(all) => all.saturating_sub(budget.elapsed()) / questions,
        None if options.search.engine == EngineChoice::Auto && options.search.bound.is_none() => {
            BY_ITSELF
        }
        None => return watch.budget(limits),
    };
    watch.part(Limits { time: Some(time), ..limits }, limits)
}

/// Asks about the program with its data what its skeleton leaves open, where the data is at hand: what some run of
/// the skeleton does, and what could not be told of it.
pub fn with_data(
    report: &mut Report,
    files: &[Arc<SourceFile>],
    options: &Options,
    watch: &Watch,
) -> Result<(), Error> {
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else { return Ok(()) };
    let from_main = options.input.entry.as_deref().is_none_or(|entry| entry == "main");
    let open = |o: &Outcome| {
        let asked = matches!(o.property, Property::Assert | Property::Reach { .. })
            || (ends(&o.property) || calls::concerns(&o.property)) && from_main;
        asked && !matches!(o.status, Status::Holds | Status::Unreachable)
    };
    // A library without an entry is a skeleton.
    let entry = options.input.entry.as_deref();
    let start = c.skeleton().func_named(entry.unwrap_or("main"));
    let starts = start.and_then(|f| c.skeleton().body(f)).is_some();
    if !starts || !report.results.iter().any(open) {
        return Ok(());
    }
    let whole = !c.extent(options.input.allow_incomplete).forbids_claims();
    // A function that no harness can call is asked about as a skeleton.
    let of = match (Searched::new(data, (c, entry), files), entry) {
        (Err(_), Some(name)) if name != "main" => return Ok(()),
        (of, _) => of?,
    };
    let (mut places, mut properties, mut goals) = (Vec::new(), Vec::new(), Vec::new());
    for (i, outcome) in report.results.iter().enumerate().filter(|(_, o)| open(o)) {
        if orders(&outcome.property) {
            continue;
        }
        // What the data program has no words for stays a question about the skeleton.
        if let Ok(goal) = goal(&outcome.property, &of.data, files) {
            places.push(i);
            properties.push(&outcome.property);
            goals.push(goal);
        }
    }
    let limits = options.search.limits;
    let budget = match limits.time {
        Some(_) => watch.budget(limits),
        None => watch.part(Limits { time: Some(BY_ITSELF), ..limits }, limits),
    };
    let (mut results, mut allocates) = match goals.is_empty() {
        true => (Vec::new(), false),
        false => reached_or_proved(&of, &properties, &goals, options, &budget),
    };
    for (i, outcome) in report.results.iter().enumerate() {
        if open(outcome) && ends(&outcome.property) {
            let how = How::Directed;
            let (found, made) = termination::answer(&of, &outcome.property, how, options, &budget);
            places.push(i);
            results.push(found);
            allocates |= made;
        } else if open(outcome)
            && orders(&outcome.property)
            && let Some(watched) = calls::monitored(&of, data, &outcome.property)
        {
            let (found, made) = calls::answer(&of, &outcome.property, watched, options, &budget);
            places.push(i);
            results.push(found);
            allocates |= made;
        }
    }
    if results.is_empty() {
        return Ok(());
    }
    for (i, mut outcome) in places.into_iter().zip(results) {
        let before = &mut report.results[i];
        if !outcome.status.is_violation() && !whole {
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
    report.claims.granted.push(WRAPS.to_owned());
    report.claims.granted.extend(of.granted(allocates));
    report.not_modelled.extend(of.data.gaps());
    Ok(())
}

/// The answers by search, and by proofs beside it where the search does not come to an end.
pub(crate) fn reached_or_proved(
    of: &Searched<'_>,
    properties: &[&Property],
    goals: &[Goal],
    options: &Options,
    budget: &check::Budget,
) -> (Vec<Outcome>, bool) {
    // What callers may do is not known to proofs.
    let from_main = options.input.entry.as_deref().is_none_or(|entry| entry == "main");
    if options.search.bound.is_some() || !from_main {
        return reached(of, properties, goals, options, budget);
    }
    // What is read outside of objects ends a search, and not a proof.
    let open = |o: &Outcome| {
        let stray = |r: &StopReason| matches!(r, StopReason::Approximate { .. });
        o.stop_reason.as_ref().is_some_and(|r| prover::leaves_open(r) || stray(r))
    };
    let decided = |o: &Outcome| o.stop_reason.is_none();
    let ((mut results, allocates), proved) = prover::beside(
        budget,
        |budget| reached(of, properties, goals, options, budget),
        |budget| proved(of, properties, goals, How::Directed, options, budget),
        |(results, _)| results.iter().all(decided),
        |(results, _)| results.iter().any(open),
    );
    let Some((proved, made)) = proved else { return (results, allocates) };
    for (found, proof) in results.iter_mut().zip(proved) {
        if open(found) && decided(&proof) {
            *found = proof;
        } else if found.stop_reason == Some(StopReason::Cancelled) && budget.poll().is_ok() {
            // The search was ended because of the others.
            *found = proof;
        } else if found.rounds.is_none()
            && found.status == proof.status
            && proof.invariants.is_some()
        {
            // What the search found was not checked in time, and the same was proved.
            *found = proof;
        } else if open(found)
            && let Some(reason) = &proof.stop_reason
        {
            let what = format!("no proof was found: {reason}");
            found.warnings.push(what);
        }
    }
    (results, allocates || made)
}

/// How proofs are searched for, if they are.
pub(crate) fn how(engine: EngineChoice) -> Option<How> {
    match engine {
        EngineChoice::Invariants => Some(How::Directed),
        EngineChoice::Predicates => Some(How::Guesses),
        _ => None,
    }
}

/// The answers about places by proofs, and whether memory is allocated.
pub(crate) fn proved(
    of: &Searched<'_>,
    properties: &[&Property],
    goals: &[Goal],
    how: How,
    options: &Options,
    budget: &check::Budget,
) -> (Vec<Outcome>, bool) {
    let start = Instant::now();
    let lines = options.shown.max_steps.min(MAX_LINES);
    let done = caught("engine pdr", || prover::goals(of, goals, how, lines, budget));
    let seconds = start.elapsed().as_secs_f64();
    let mut results = Vec::new();
    let (mut found, counters, (allocates, stray)) = match done {
        Ok(answers) => (answers.verdicts, answers.counters, (answers.allocates, answers.stray)),
        Err(what) => {
            let reason = StopReason::Internal { what };
            let open = || prover::Verdict::Unknown(reason.clone());
            (goals.iter().map(|_| open()).collect(), Vec::new(), (false, false))
        }
    };
    found.reverse();
    for (i, &property) in properties.iter().enumerate() {
        let mut out = Outcome::unknown(property.clone(), StopReason::Cancelled);
        out.engine = match how {
            How::Directed => prover::PDR,
            How::Guesses => prover::PREDICATES,
        }
        .to_owned();
        out.why = "asked for by `--engine`".to_owned();
        out.seconds = seconds;
        out.counters.clone_from(&counters);
        match found.pop() {
            None => {}
            Some(prover::Verdict::Unknown(reason)) => out.stop_reason = Some(reason),
            Some(prover::Verdict::Proved(invariants)) => {
                tell(&mut out, &Verdict::Unreached, of);
                out.invariants = Some(invariants);
                if stray {
                    let what = "the program may read outside of its objects: what it reads there is taken to be anything";
                    out.warnings.push(what.to_owned());
                }
            }
            Some(prover::Verdict::Reached(inputs, mut passed)) => {
                tell(&mut out, &Verdict::Reached(inputs.clone()), of);
                if options.search.trace != check::TraceMode::None {
                    let asked = (&goals[i].points[..], None);
                    passed = with_values(of.data.program(), asked, &inputs, passed, budget);
                    out.trace = Some(listing(of, &passed, &mut out.warnings));
                }
            }
        }
        if goals[i].points.is_empty() {
            out.vacuous.push("the program has no assertion that could fail".to_owned());
        }
        results.push(out);
    }
    (results, allocates)
}

/// The answers about places, and whether memory is allocated.
pub(crate) fn reached(
    of: &Searched<'_>,
    properties: &[&Property],
    goals: &[Goal],
    options: &Options,
    budget: &check::Budget,
) -> (Vec<Outcome>, bool) {
    let program = of.data.program();
    let start = Instant::now();
    let lines = options.shown.max_steps.min(MAX_LINES);
    let mut seen: Vec<Option<c_run::Passes>> = vec![None; goals.len()];
    let mut steps: Vec<Option<u64>> = vec![None; goals.len()];
    // What plain inputs do is executed first.
    let mut verdicts: Vec<Option<Verdict>> = vec![None; goals.len()];
    let mut rounds: Vec<Option<u32>> = vec![None; goals.len()];
    let tries = tried::Tries::new(options.search.limits.time);
    for (i, goal) in goals.iter().enumerate().take(TRIED) {
        let Ok(Some(found)) = caught("executions", || tries.reach(of, goal, lines, budget)) else {
            continue;
        };
        verdicts[i] = Some(Verdict::Reached(found.0));
        seen[i] = Some(found.1);
    }
    let open: Vec<usize> = (0..goals.len()).filter(|&i| verdicts[i].is_none()).collect();
    let asked: Vec<Goal> = open.iter().map(|&i| goals[i].clone()).collect();
    let done = caught("engine bounded", || {
        if asked.is_empty() {
            return engine_bounded::Searched::default();
        }
        let mut confirm = |goal: usize, inputs: &Inputs| {
            let goal = open[goal];
            let run = Run::new(inputs, lines);
            // Simpler inputs are tried afterwards, and may not get there.
            let most = steps[goal].map_or(MAX_STEPS, simpler_steps);
            let run = executed_for(program, (&goals[goal].points, None), run, most, budget);
            if run.reached {
                seen[goal] = Some(run.passed);
                steps[goal].get_or_insert(run.steps);
            }
            run.reached
        };
        let search = engine_bounded::Options { bound: options.search.bound };
        engine_bounded::search(program, &asked, search, budget, &mut confirm)
    });
    if let Ok(searched) = &done {
        for (&i, answer) in open.iter().zip(&searched.answers) {
            verdicts[i] = Some(answer.verdict.clone());
            rounds[i] = Some(answer.rounds);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let mut results = Vec::new();
    for (i, &property) in properties.iter().enumerate() {
        let mut out = Outcome::unknown(property.clone(), StopReason::Cancelled);
        out.engine = BOUNDED.to_owned();
        out.why = match options.search.engine {
            EngineChoice::Bounded => "asked for by `--engine`".to_owned(),
            _ => "asked together with a question about C's data".to_owned(),
        };
        out.seconds = seconds;
        if let Ok(searched) = &done {
            out.counters.clone_from(&searched.counters);
        }
        match (&verdicts[i], &done) {
            (Some(verdict), _) => tell(&mut out, verdict, of),
            (None, Err(what)) => {
                out.stop_reason = Some(StopReason::Internal { what: what.clone() });
            }
            (None, Ok(_)) => {}
        }
        let inputs = match &verdicts[i] {
            Some(Verdict::Reached(inputs)) => Some(inputs),
            _ => None,
        };
        if let (Some(inputs), Some(passed)) = (inputs, seen[i].take())
            && options.search.trace != check::TraceMode::None
        {
            let asked = (&goals[i].points[..], None);
            let passed = with_values(program, asked, inputs, passed, budget);
            out.trace = Some(listing(of, &passed, &mut out.warnings));
            if options.search.insist {
                out.warnings.push("the run is the one that was executed, not a shortest".into());
            }
        }
        if matches!(out.status, Status::Holds | Status::Unreachable) {
            let never = Never::Comes(goals[i].clone());
            followed::check(&mut out, (of, &never, rounds[i]), options, budget);
        }
        if goals[i].points.is_empty() {
            out.vacuous.push("the program has no assertion that could fail".to_owned());
        }
        results.push(out);
    }
    (results, done.is_ok_and(|s| s.allocates))
}

/// What a run gets, and how many of its lines are noted.
pub(crate) struct Run {
    args: Vec<Vec<u8>>,
    inputs: Vec<i128>,
    stdin: Vec<u8>,
    files: Vec<(Vec<u8>, Vec<u8>)>,
    memory: Vec<Vec<u8>>,
    lines: usize,
    /// What variables hold is noted, of a run with so many lines.
    values: Option<u64>,
}

impl Run {
    pub(crate) fn new(inputs: &Inputs, lines: usize) -> Run {
        let values = inputs.values.iter().map(|(_, value)| *value).collect();
        let (args, stdin) = (inputs.argv(), inputs.stdin.clone());
        let (files, memory) = (inputs.files.clone(), inputs.memory.clone());
        Run { args, inputs: values, stdin, files, memory, lines, values: None }
    }

    /// The run that these lines were seen of.
    pub(crate) fn with_values(inputs: &Inputs, seen: &c_run::Passes) -> Run {
        Run { values: Some(seen.count()), ..Run::new(inputs, seen.most) }
    }
}

/// What a run did.
#[derive(Clone)]
pub(crate) struct Executed {
    /// It came to one of the points.
    pub(crate) reached: bool,
    /// It did not end within its steps.
    pub(crate) limited: bool,
    pub(crate) passed: c_run::Passes,
    /// Operations that failed.
    pub(crate) failed: Vec<c_run::Failure>,
    /// How many inputs it took.
    pub(crate) taken: usize,
    /// The functions that handed out the first ones.
    pub(crate) takers: Vec<FuncId>,
    /// How long it was.
    pub(crate) steps: u64,
}

/// How long a run on simpler inputs may be, if the one that was found has so many steps: it is for people to read, and
/// one that counts to a thousand million is not simpler.
pub(crate) fn simpler_steps(found: u64) -> u64 {
    found.saturating_mul(10).saturating_add(100_000).min(MAX_STEPS)
}

/// Executes a run up to some points, or to where an operation fails that is asked about.
pub(crate) fn executed(
    program: &c_data::Program,
    (points, check): (&[Point], Option<Check>),
    run: Run,
    budget: &check::Budget,
) -> Executed {
    executed_for(program, (points, check), run, MAX_STEPS, budget)
}

/// The same with so many steps at most.
pub(crate) fn executed_for(
    program: &c_data::Program,
    (points, check): (&[Point], Option<Check>),
    run: Run,
    steps: u64,
    budget: &check::Budget,
) -> Executed {
    let stdin = run.stdin;
    let run = c_run::Options {
        args: run.args,
        files: run.files,
        heap: run.memory,
        inputs: run.inputs,
        max_steps: Some(steps),
        stop_at: points.to_vec(),
        lines: run.lines,
        values: run.values,
        check,
        ..c_run::Options::default()
    };
    let outcome = c_run::run(program, &run, &mut Silent { budget, stdin, read: 0 });
    let reached = outcome.ending == c_run::Ending::Reached;
    let limited = matches!(outcome.ending, c_run::Ending::Limit(_));
    let c_run::Outcome { passed, failed, taken, takers, steps, .. } = outcome;
    Executed { reached, limited, passed, failed, taken, takers, steps }
}

/// Whether a property asks about a line.
pub(crate) fn is_line(property: &Property) -> bool {
    let Property::Reach { label } = property else { return false };
    label.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok())
}

fn tell(out: &mut Outcome, verdict: &Verdict, of: &Searched<'_>) {
    let reach = matches!(out.property, Property::Reach { .. });
    out.stop_reason = None;
    match verdict {
        Verdict::Unknown(reason) => out.stop_reason = Some(reason.clone()),
        // What is decided when a program is read is no statement of the data program, and stands on a line.
        Verdict::Unreached if is_line(&out.property) => {
            let what = "a condition on the line may be decided before it is run";
            out.stop_reason = Some(StopReason::Approximate { what: what.to_owned() });
        }
        Verdict::Unreached => out.status = if reach { Status::Unreachable } else { Status::Holds },
        Verdict::Reached(inputs) => {
            out.status = if reach { Status::Reachable } else { Status::Violated };
            out.inputs = Some(Arc::new(of.given(inputs)));
        }
    }
}

/// The points that a property asks about.
pub(crate) fn goal(
    property: &Property,
    data: &DataProgram,
    files: &[Arc<SourceFile>],
) -> Result<Goal, Error> {
    let program = data.program();
    let functions = || program.functions.iter().enumerate();
    match property {
        Property::Assert => {
            let calls = functions().filter(|(_, f)| front_c::is_failed_assertion(&f.name));
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
