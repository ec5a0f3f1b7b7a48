//! Who answers, and why.

use crate::load::caught;
use crate::slice::Slice;
use crate::{EngineChoice, Options, Watch};
use check::{Answer, Budget, Engine, Goal, Limits, StopReason, Task, TraceMode, Verdict};
use engine_explicit::Explicit;
use engine_pds::{Post, Pre};
use engine_sat::{Qbf, Universal};
use engine_summary::{Order, Summary};
use ir::{Layout, Program};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

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

fn sat(options: &Options, budget: &Budget) -> engine_sat::Options {
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
        false => side_by_side(task, options, budget, &why),
    }
}

/// Where diagrams are fast they need no company, and where they grow too large it shows soon.
const DIAGRAMS_ALONE: Duration = Duration::from_millis(500);

/// Decision diagrams, and after a while formulas beside them, where there is a second core: the
/// first answer wins, and the other engine is stopped.
fn side_by_side(task: &Task, options: &Options, budget: &Budget, why: &str) -> Run {
    let diagrams = summary(options);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    if cores < 2 {
        return run(&diagrams, task, budget, why.to_owned());
    }
    let stops: [Arc<AtomicBool>; 2] = Default::default();
    let parts = stops.each_ref().map(|stop| budget.part(stop.clone()));
    let formulas = Universal { options: sat(options, &parts[1]) };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let (first, second) = (sender.clone(), sender);
        let (one, other) = (&parts[0], &parts[1]);
        scope.spawn(move || {
            // The receiver is gone only when the other engine has won.
            let _ = first.send((0, run(&diagrams, task, one, String::new())));
        });
        let mut answers: Vec<(usize, Run)> =
            receiver.recv_timeout(DIAGRAMS_ALONE).into_iter().collect();
        // Diagrams that have given up early leave the time, and their memory, to formulas.
        let alone = answers.iter().any(|(_, run)| answered(&run.answer)) || budget.poll().is_err();
        if alone {
            drop(second);
        } else {
            let formulas = &formulas;
            scope.spawn(move || {
                let _ = second.send((1, run(formulas, task, other, String::new())));
            });
            while let Ok(answer) = receiver.recv() {
                let definite = answered(&answer.1.answer);
                answers.push(answer);
                if definite {
                    break;
                }
            }
        }
        stops.iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
        // The one that answered; if none did, the diagrams say why.
        let best = answers.iter().position(|(_, run)| answered(&run.answer));
        let best = best.or_else(|| answers.iter().position(|(i, _)| *i == 0)).unwrap_or(0);
        let (winner, mut run) = answers.swap_remove(best);
        run.why = match (alone, winner) {
            (true, _) => why.to_owned(),
            (false, 0) => format!("{why}; `universal`, tried beside it, had no answer yet"),
            (false, _) => match answers.first().and_then(|(_, other)| reason(&other.answer)) {
                Some(reason) => format!("{why}; `summary` gave up: {reason}"),
                None => format!("{why}; `summary`, tried beside it, had no answer yet"),
            },
        };
        run
    })
}

/// Why there is no answer to some goal.
fn reason(answer: &Answer) -> Option<&StopReason> {
    answer.verdicts.iter().find_map(|verdict| match verdict {
        Verdict::Unknown(reason) => Some(reason),
        Verdict::Holds(_) | Verdict::Violated(_) => None,
    })
}

/// Whether every goal has a verdict, and everything else that was wanted is there.
fn answered(answer: &Answer) -> bool {
    !answer.verdicts.iter().any(|v| matches!(v, Verdict::Unknown(_)))
        && answer.observed.iter().all(Option::is_some)
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
