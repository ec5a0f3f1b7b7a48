//! Who answers, and why.

use crate::load::caught;
use crate::slice::Slice;
use crate::{EngineChoice, Options, Watch};
use check::{Answer, Budget, Engine, Goal, Limits, StopReason, Task, TraceMode, Verdict};
use engine_explicit::Explicit;
use engine_pds::{Post, Pre};
use engine_summary::{Order, Summary};
use ir::{Layout, Program};
use std::time::Instant;

/// Work (path edges) that the explicit engine may do before `auto` turns to decision diagrams.
const EXPLICIT_FIRST: u64 = 200_000;

/// Arbitrary bits of one edge that it may enumerate there.
const EXPLICIT_OPEN_BITS: u32 = 10;

/// An answer with who gave it.
pub(crate) struct Run {
    /// The engine's name.
    pub(crate) engine: &'static str,
    /// Why this engine.
    pub(crate) why: String,
    /// The answer.
    pub(crate) answer: Answer,
    /// Wall-clock time.
    pub(crate) seconds: f64,
}

fn summary(options: &Options) -> Summary {
    Summary {
        live_ranges: !options.no_live_ranges,
        mod_ref: !options.no_mod_ref,
        order: order(options),
        sifting: sifting(options),
        ..Summary::default()
    }
}

fn order(options: &Options) -> Order {
    if options.no_order { Order::Naive } else { Order::Derived }
}

/// The naive order is not left as it is.
fn sifting(options: &Options) -> bool {
    options.sifting || options.no_order
}

fn post(options: &Options) -> Post {
    let (live_ranges, mod_ref) = (!options.no_live_ranges, !options.no_mod_ref);
    Post {
        live_ranges,
        mod_ref,
        order: order(options),
        sifting: sifting(options),
        rough_components: !options.no_rough_components,
        heads: options.heads,
        ..Post::default()
    }
}

fn pre(options: &Options) -> Pre {
    let (live_ranges, mod_ref) = (!options.no_live_ranges, !options.no_mod_ref);
    Pre {
        live_ranges,
        mod_ref,
        order: order(options),
        sifting: sifting(options),
        heads: options.heads,
        ..Pre::default()
    }
}

/// Answers the task with the engine that the options name: one run, or one for each engine under
/// `compare`.
pub(crate) fn answer(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Vec<Run> {
    let slice = caught("slicing", || Slice::new(task));
    match slice {
        Ok(None) => ask(task, options, watch, budget),
        Ok(Some(slice)) => {
            let runs = ask(&slice.task, options, watch, budget);
            runs.into_iter().map(|run| lifted(task, &slice, run)).collect()
        }
        Err(what) => {
            let answer = Answer::unknown(task, StopReason::Internal { what });
            vec![Run { engine: "auto", why: String::new(), answer, seconds: 0.0 }]
        }
    }
}

fn lifted(task: &Task, slice: &Slice, mut run: Run) -> Run {
    let answer = std::mem::replace(&mut run.answer, Answer::unknown(task, StopReason::Cancelled));
    run.answer = caught("lifting an answer", || slice.lift(task, answer))
        .unwrap_or_else(|what| Answer::unknown(task, StopReason::Internal { what }));
    run
}

/// Whether the task is about runs without end.
fn repeats(task: &Task) -> bool {
    task.goals.iter().any(|goal| matches!(goal, Goal::Repeat { .. }))
}

fn ask(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Vec<Run> {
    let asked = || "asked for by `--engine`".to_owned();
    match options.engine {
        EngineChoice::Explicit => vec![run(&Explicit::default(), task, budget, asked())],
        EngineChoice::Summary if repeats(task) => {
            let why = "`--engine summary` knows no loops, post* has the same summaries and does";
            vec![run(&post(options), task, budget, why.to_owned())]
        }
        EngineChoice::Compare if repeats(task) => {
            let engines: [&dyn Engine; 3] = [&Explicit::default(), &post(options), &pre(options)];
            engines.into_iter().map(|engine| run(engine, task, budget, asked())).collect()
        }
        EngineChoice::Summary => vec![run(&summary(options), task, budget, asked())],
        EngineChoice::Post => vec![run(&post(options), task, budget, asked())],
        EngineChoice::Pre => vec![run(&pre(options), task, budget, asked())],
        EngineChoice::Compare => {
            let engines: [&dyn Engine; 4] =
                [&Explicit::default(), &summary(options), &post(options), &pre(options)];
            engines.into_iter().map(|engine| run(engine, task, budget, asked())).collect()
        }
        EngineChoice::Auto => vec![auto(task, options, watch, budget)],
    }
}

/// Small programs are answered fastest without diagrams, and which programs are small shows when
/// one tries: their number of bits says little about the states that are reached.
fn auto(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Run {
    let facts = facts(&task.program);
    let steps = options.limits.steps.map_or(EXPLICIT_FIRST, |s| s.min(EXPLICIT_FIRST));
    let first = watch.budget(Limits { steps: Some(steps), ..options.limits });
    let why = format!("{facts}, few states are reached");
    let tried = run(&Explicit { max_open_bits: EXPLICIT_OPEN_BITS }, task, &first, why);
    let because = match given_up(task, &tried.answer) {
        None => return tried,
        Some(None | Some(StopReason::Steps { .. })) => {
            format!("more than {steps} steps of the explicit engine")
        }
        Some(Some(StopReason::Unsupported { what })) => what.clone(),
        Some(Some(_)) => return tried,
    };
    let why = format!("{facts}, {because}");
    match repeats(task) {
        true => run(&post(options), task, budget, why),
        false => run(&summary(options), task, budget, why),
    }
}

/// Whether an answer leaves something open: the reason that the engine gives, or none if it only
/// found traces that are not known to be shortest.
fn given_up<'a>(task: &Task, answer: &'a Answer) -> Option<Option<&'a StopReason>> {
    let mut longer = false;
    for verdict in &answer.verdicts {
        match verdict {
            Verdict::Unknown(reason) => return Some(Some(reason)),
            Verdict::Violated(Some(trace)) => longer |= !trace.shortest,
            Verdict::Violated(None) | Verdict::Holds(_) => {}
        }
    }
    // No engine gives shortest lassos.
    (longer && !repeats(task) && task.wants.trace == TraceMode::Shortest).then_some(None)
}

/// The facts that the choice rests on.
fn facts(program: &Program) -> String {
    let bits = Layout::new(program).scope_bits();
    format!("{bits} bit{} in scope", if bits == 1 { "" } else { "s" })
}

fn run(engine: &dyn Engine, task: &Task, budget: &Budget, why: String) -> Run {
    let start = Instant::now();
    let name = engine.name();
    let answer = caught(&format!("engine {name}"), || engine.run(task, budget));
    let answer = answer.and_then(|answer| {
        let complete = answer.verdicts.len() == task.goals.len()
            && answer.observed.len() == task.observe.len();
        if complete { Ok(answer) } else { Err(format!("engine {name}: some goals are unanswered")) }
    });
    let answer = answer.unwrap_or_else(|what| Answer::unknown(task, StopReason::Internal { what }));
    Run { engine: name, why, answer, seconds: start.elapsed().as_secs_f64() }
}
