//! What the suites of engines share: questions in a few words, programs whose size is a knob, and
//! what every engine promises.

use crate::differential::any_trace_case;
use crate::judge::{differences, is_left_out, problems};
use crate::random_ir::random_program;
use crate::rng::Rng;
use check::{Answer, Budget, Engine, Goal, Limits, StopReason, Target, Task, TraceMode, Verdict};
use front_bp::Dialect;
use ir::{EdgeKind, Program};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The program of a text in the plain dialect.
///
/// # Panics
/// If the text is no program.
pub fn boolean_program(text: &str) -> Arc<Program> {
    crate::corpus::lower("test.bp", text, Dialect::default(), None).expect("a good program")
}

/// Is the label reached?
pub fn reach(program: &Arc<Program>, label: &str) -> Task {
    let targets = program.labelled(None, label).into_iter().map(Target::at).collect();
    Task::new(program.clone(), vec![Goal::Reach(targets)])
}

/// T(N) of [bebop Fig. 4].
pub fn t(n: usize) -> String {
    let mut text = "decl g; void main() begin level1(); level1(); \
                    if (!g) then reach: skip; else skip; fi end\n"
        .to_owned();
    for i in 1..=n {
        let inner = match i {
            _ if i == n => "skip".to_owned(),
            _ => format!("level{}()", i + 1),
        };
        let _ = writeln!(
            text,
            "void level{i}() begin decl a, b, c; if (g) then a, b, c := 0, 0, 0; \
             while (!a | !b | !c) do if (!a) then a := 1; elsif (!b) then a, b := 0, 1; \
             elsif (!c) then a, b, c := 0, 0, 1; fi od else {inner}; {inner}; fi g := !g; end"
        );
    }
    text
}

/// Many variables that all depend on each other: no order of diagrams is good.
pub fn tangle() -> String {
    let names: Vec<String> = (0..60).map(|i| format!("x{i}")).collect();
    let mut text = format!("decl {}; void main() begin\n", names.join(", "));
    let mut seed = 1u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % 60
    };
    for _ in 0..600 {
        let _ = writeln!(text, "x{} := (x{} & x{}) ^ x{};", next(), next(), next(), next());
    }
    text + "if (x0 & x1 & !x2) then R: skip; fi end"
}

/// Two steps whose diagrams are too large on the way and small in the end, each with a choice of its own; `R` is
/// reached where they chose differently.
pub fn large_on_the_way() -> String {
    let names: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let zero: Vec<String> = names.iter().map(|x| format!("!{x}")).collect();
    let mut seed = 5u64;
    let mut odd = || {
        let mut sum = "x0".to_owned();
        for name in &names {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if seed >> 40 & 1 == 1 {
                let _ = write!(sum, " ^ {name}");
            }
        }
        format!("!({sum})")
    };
    // The innermost conjunction comes first, and has some 2^24 nodes.
    let sums = (0..24).fold(odd(), |inner, _| format!("({} & {inner})", odd()));
    let condition = format!("(({}) & {sums})", zero.join(" & "));
    format!(
        "decl {}, y, z; void main() begin {} := {}; y := * & !x1 constrain {condition}; \
         z := * & !x2 constrain {condition}; if (y != z) then R: skip; fi end",
        names.join(", "),
        names.join(", "),
        vec!["0"; names.len()].join(", "),
    )
}

/// A random program with marks on its edges, and how many marks there are. Suites that use another
/// `salt` see other programs.
pub fn marked_program(seed: u64, salt: u64) -> (Arc<Program>, u32) {
    let mut program = random_program(seed);
    let mut rng = Rng::new(seed ^ salt);
    let marks = rng.between(0, 3) as u32;
    // Few edges with a mark, many, or all.
    let chance = [10, 30, 60, 100][rng.below(4)];
    for edge in program.edges.iter_mut() {
        for mark in 0..marks {
            // Calls carry marks, too, and leave it to the run inside at other times.
            let chance = if matches!(edge.kind, EdgeKind::Call(_)) { chance / 2 } else { chance };
            if rng.chance(chance) {
                edge.marks |= 1 << mark;
            }
        }
    }
    (Arc::new(program), marks)
}

/// What an engine says when it cannot go on.
///
/// # Panics
/// If it answers.
#[track_caller]
pub fn reason(engine: &dyn Engine, task: &Task, budget: &Budget) -> StopReason {
    match engine.run(task, budget).verdicts.remove(0) {
        Verdict::Unknown(reason) => reason,
        other => panic!("{}: an answer where none was expected: {other:?}", engine.name()),
    }
}

/// How long an engine goes on after it was told to stop.
///
/// # Panics
/// If it answers before that.
#[track_caller]
pub fn time_to_stop(engine: &dyn Engine, task: &Task, after: Duration) -> Duration {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(after);
        flag.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let reason = reason(engine, task, &Budget::unlimited().with_cancel(cancel));
    let late = killer.join().expect("the other thread ends").elapsed();
    assert_eq!(reason, StopReason::Cancelled, "{}", engine.name());
    late
}

/// Half a second after it was told to stop an engine is gone, in whatever it was. On a busy machine
/// one try says little.
#[track_caller]
pub fn stops_soon(engine: &dyn Engine, task: &Task, after: Duration) {
    let soon = |_| time_to_stop(engine, task, after) < Duration::from_millis(500);
    assert!((0..4).any(soon), "{} goes on after it was stopped", engine.name());
}

/// A task that takes long ends with the limit's name, whichever limit it is, and soon after it was
/// told to stop. `memory` and `steps` are too little for it.
#[track_caller]
pub fn limits_are_answers(engine: &dyn Engine, task: &Task, memory: u64, steps: u64) {
    let why = |limits| reason(engine, task, &Budget::new(limits));
    let time = why(Limits { time: Some(Duration::from_millis(300)), ..Limits::default() });
    assert!(matches!(time, StopReason::Time { .. }), "{}: {time:?}", engine.name());
    let memory = why(Limits { memory: Some(memory), ..Limits::default() });
    assert!(matches!(memory, StopReason::Memory { .. }), "{}: {memory:?}", engine.name());
    let steps = why(Limits { steps: Some(steps), ..Limits::default() });
    assert!(matches!(steps, StopReason::Steps { .. }), "{}: {steps:?}", engine.name());
    stops_soon(engine, task, Duration::from_millis(200));
}

/// An engine that promises any trace, where the judge wants the claim that it is a shortest one.
/// Lengths are not compared then.
pub struct AnyTrace<'a>(pub &'a dyn Engine);

impl Engine for AnyTrace<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        let mut answer = self.0.run(task, budget);
        if task.wants.trace == TraceMode::Shortest {
            for verdict in &mut answer.verdicts {
                if let Verdict::Violated(Some(trace)) = verdict {
                    trace.shortest = true;
                }
            }
        }
        answer
    }
}

/// Twenty seconds, which generated programs need only where something is wrong.
pub fn twenty_seconds() -> Budget {
    Budget::new(Limits { time: Some(Duration::from_secs(20)), ..Limits::default() })
}

/// An engine against the reference on generated programs, recursion included: verdicts, sets of
/// states, nodes reached; every trace is replayed and every certificate checked. Large certificates
/// and sets are not written down: at most one in twenty may be missing.
#[track_caller]
pub fn agrees_with(engine: &dyn Engine, reference: &dyn Engine, seeds: Range<u64>) {
    let (mut missing, mut failures, count) = (0, Vec::new(), seeds.end - seeds.start);
    for seed in seeds {
        let task = any_trace_case(seed).expect("generated programs are well formed");
        let expected = reference.run(&task, &twenty_seconds());
        let answer = engine.run(&task, &twenty_seconds());
        let mut found = problems(&task, &answer);
        found.extend(differences(&task, &answer, &expected));
        let before = found.len();
        found.retain(|problem| !is_left_out(problem));
        missing += u64::from(found.len() < before);
        if !found.is_empty() {
            failures.push(format!("seed {seed}: {}", found.join("\n    ")));
            if failures.len() >= 5 {
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}: {}", engine.name(), failures.join("\n"));
    assert!(missing <= count / 20, "{missing} of {count} answers lack a proof or a set");
}

/// The seeds that `POSTBOP_SEEDS=from-to` asks for, or the given ones.
pub fn seeds(default: Range<u64>) -> Range<u64> {
    let asked = std::env::var("POSTBOP_SEEDS").ok();
    let asked = asked.as_deref().and_then(|text| text.split_once('-'));
    match asked.map(|(from, to)| (from.parse(), to.parse())) {
        Some((Ok(from), Ok(to))) => from..to,
        _ => default,
    }
}

/// Which generated programs take an engine long, with its counters; the total at the end.
pub fn slow_programs(engine: &dyn Engine, seeds: Range<u64>) -> String {
    let (mut text, mut total, mut worst) = (String::new(), Duration::ZERO, (Duration::ZERO, 0));
    for seed in seeds {
        let task = any_trace_case(seed).expect("generated programs are well formed");
        let clock = Instant::now();
        let answer = engine.run(&task, &twenty_seconds());
        let time = clock.elapsed();
        total += time;
        worst = worst.max((time, seed));
        if time > Duration::from_millis(500) {
            let _ = writeln!(
                text,
                "{} seed {seed}: {time:?} {:?}",
                engine.name(),
                answer.stats.counters
            );
        }
    }
    let _ = writeln!(text, "{}: {total:?}, worst {worst:?}", engine.name());
    text
}
