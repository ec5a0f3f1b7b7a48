//! Who answers, and why.

use crate::auto::auto;
use crate::load::caught;
use crate::slice::Slice;
use crate::{EngineChoice, Options, Watch};
use check::{Answer, Budget, Engine, Goal, StopReason, Task};
use engine_explicit::Explicit;
use engine_pds::{Post, Pre};
use engine_sat::{Qbf, Universal};
use engine_summary::{Order, Summary};
use std::sync::Arc;
use std::time::{Duration, Instant};

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

pub(crate) fn summary(options: &Options) -> Summary {
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

pub(crate) fn post(options: &Options) -> Post {
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

pub(crate) fn pre(options: &Options) -> Pre {
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

pub(crate) fn sat(options: &Options, budget: &Budget) -> engine_sat::Options {
    let external = options.qbf_solver.as_ref().and_then(|command| {
        let (program, args) = command.split_first()?;
        let (program, args) = (program.clone(), args.to_vec());
        let budget = budget.clone();
        let stop: logic::StopFlag = Arc::new(move || budget.poll().is_err());
        let ask =
            move |text: &str| logic::run_solver(&program, &args, text, &stop).ok()?.ok().flatten();
        Some(Arc::new(ask) as engine_sat::External)
    });
    engine_sat::Options {
        bound: options.bound,
        summary_limit: options.summary_limit,
        external,
        ..engine_sat::Options::default()
    }
}

/// Whether a command decides quantified formulas, tried on two small ones: a mistake in its name
/// should not go unnoticed because the built-in solver answers instead.
pub fn try_qbf_solver(command: &[String]) -> Result<(), String> {
    let shown = command.join(" ");
    let Some((program, args)) = command.split_first() else {
        return Err("a QBF solver is a command".to_owned());
    };
    // For every x there is y = x; not for every x does x hold.
    let small =
        [("p cnf 2 2\na 1 0\ne 2 0\n1 -2 0\n-1 2 0\n", true), ("p cnf 1 1\na 1 0\n1 0\n", false)];
    let start = Instant::now();
    let stop: logic::StopFlag = Arc::new(move || start.elapsed() > Duration::from_secs(5));
    for (text, expected) in small {
        let answer = logic::run_solver(program, args, text, &stop);
        let answer = answer.map_err(|e| format!("`{shown}` cannot be run: {e}"))?;
        if answer.ok().flatten() != Some(expected) {
            return Err(format!("`{shown}` does not decide a small formula in QDIMACS"));
        }
    }
    Ok(())
}

/// Answers the task with the engine that the options name: one run, or one for each engine under
/// `compare`.
pub(crate) fn answer(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Vec<Run> {
    let slice = caught("slicing", || Slice::new(task, budget));
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

/// The same, of the program as it is: for large ones that have been made for the question.
pub(crate) fn answer_whole(
    task: &Task,
    options: &Options,
    watch: &Watch,
    budget: &Budget,
) -> Vec<Run> {
    ask(task, options, watch, budget)
}

fn lifted(task: &Task, slice: &Slice, mut run: Run) -> Run {
    let answer = std::mem::replace(&mut run.answer, Answer::unknown(task, StopReason::Cancelled));
    run.answer = caught("lifting an answer", || slice.lift(task, answer))
        .unwrap_or_else(|what| Answer::unknown(task, StopReason::Internal { what }));
    run
}

/// Whether the task is about runs without end.
pub(crate) fn repeats(task: &Task) -> bool {
    task.goals.iter().any(|goal| matches!(goal, Goal::Repeat { .. }))
}

fn ask(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Vec<Run> {
    let asked = || "asked for by `--engine`".to_owned();
    if let Some(matched) = options.matching {
        return match crate::matching::engine(task, matched, budget) {
            Ok((engine, why)) => vec![run(&engine, task, budget, why)],
            Err(reason) => {
                let answer = Answer::unknown(task, reason);
                vec![Run { engine: "matching", why: String::new(), answer, seconds: 0.0 }]
            }
        };
    }
    match options.engine {
        EngineChoice::Explicit => vec![run(&Explicit::default(), task, budget, asked())],
        EngineChoice::Summary | EngineChoice::Qbf | EngineChoice::Universal if repeats(task) => {
            let why = "the engine asked for by `--engine` knows no loops, post* does";
            vec![run(&post(options), task, budget, why.to_owned())]
        }
        EngineChoice::Compare if repeats(task) => {
            let engines: [&dyn Engine; 3] = [&Explicit::default(), &post(options), &pre(options)];
            engines.into_iter().map(|engine| run(engine, task, budget, asked())).collect()
        }
        EngineChoice::Summary => vec![run(&summary(options), task, budget, asked())],
        EngineChoice::Post => vec![run(&post(options), task, budget, asked())],
        EngineChoice::Pre => vec![run(&pre(options), task, budget, asked())],
        EngineChoice::Qbf => {
            vec![run(&Qbf { options: sat(options, budget) }, task, budget, asked())]
        }
        EngineChoice::Universal => {
            vec![run(&Universal { options: sat(options, budget) }, task, budget, asked())]
        }
        EngineChoice::Compare => {
            let engines: [&dyn Engine; 6] = [
                &Explicit::default(),
                &summary(options),
                &post(options),
                &pre(options),
                &Qbf { options: sat(options, budget) },
                &Universal { options: sat(options, budget) },
            ];
            engines.into_iter().map(|engine| run(engine, task, budget, asked())).collect()
        }
        EngineChoice::Bounded => {
            let what = "the engine bounded searches C's data, which is not asked about here";
            let answer = Answer::unknown(task, StopReason::Unsupported { what: what.to_owned() });
            vec![Run { engine: "bounded", why: String::new(), answer, seconds: 0.0 }]
        }
        EngineChoice::Auto => vec![auto(task, options, watch, budget)],
    }
}

pub(crate) fn run(engine: &dyn Engine, task: &Task, budget: &Budget, why: String) -> Run {
    let start = Instant::now();
    let name = engine.name();
    let answer = caught(&format!("engine {name}"), || engine.run(task, &budget.attempt()));
    let answer = answer.and_then(|answer| {
        let complete = answer.verdicts.len() == task.goals.len()
            && answer.observed.len() == task.observe.len();
        if complete { Ok(answer) } else { Err(format!("engine {name}: some goals are unanswered")) }
    });
    let answer = answer.unwrap_or_else(|what| Answer::unknown(task, StopReason::Internal { what }));
    Run { engine: name, why, answer, seconds: start.elapsed().as_secs_f64() }
}
