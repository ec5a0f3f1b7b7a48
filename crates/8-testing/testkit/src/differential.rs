//! Engines against the reference on generated programs.
//!
//! For each seed a program, and a task that asks for everything: every label, the assertions,
//! places under conditions, exact state sets, which nodes are reached. Each engine must agree with
//! the reference, its traces must replay and its certificates must hold. What a random run of a
//! generated text visits must be reached ([`crate::walk`]).

use crate::bp::Bp;
use crate::corpus::lower;
use crate::judge::{differences, is_left_out, kind, problems};
use crate::random_bp::{Profile, generate};
use crate::random_ir::{random_condition, random_program};
use crate::rng::Rng;
use crate::shrink_bp::shrink_bp;
use crate::shrink_ir::shrink_ir;
use crate::style;
use crate::walk::{End, walk};
use check::{
    Answer, Budget, Certificate, Engine, Goal, Limits, Observation, Target, Task, TraceMode,
    Verdict, Wants,
};
use front_bp::Dialect;
use ir::{NodeId, Program, Type, VarId};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An engine with the name that failures call it by.
pub type Named<'a> = (&'a str, &'a dyn Engine);

/// What is compared.
pub struct Comparison<'a> {
    /// The engine that is right.
    pub reference: Named<'a>,
    /// The others. The first one runs on every program, of the rest one in turn.
    pub engines: &'a [Named<'a>],
    /// Engines that run on every program, whose traces need not be shortest, and that may leave out
    /// proofs and sets that would be large.
    pub any_trace: &'a [Named<'a>],
    /// How many threads work.
    pub threads: usize,
    /// How long one run of one engine may take.
    pub limit: Duration,
}

/// A program on which something is wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its seed.
    pub seed: u64,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// The shrunk program: a boolean program's text, or the dump of a model.
    pub reproducer: String,
    /// Whether the reproducer is a boolean program.
    pub text: bool,
    /// What is wrong with the shrunk program.
    pub shrunk_problems: Vec<String>,
}

/// What was done.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Programs compared.
    pub programs: u64,
    /// Goals of all of them that are reached.
    pub reached: u64,
    /// Goals of all of them that are not reached.
    pub unreached: u64,
    /// Traces that were replayed.
    pub traces: u64,
    /// Certificates that were checked.
    pub certificates: u64,
    /// Answers without a proof or a set, of engines that may leave them out.
    pub incomplete: u64,
    /// Programs, with the engine, for which such an engine ran out of time.
    pub open: Vec<(u64, String)>,
    /// The failures, by seed.
    pub failures: Vec<Failure>,
}

impl Outcome {
    /// Adds the numbers of another.
    fn add(&mut self, other: &Outcome) {
        self.programs += other.programs;
        self.reached += other.reached;
        self.unreached += other.unreached;
        self.traces += other.traces;
        self.certificates += other.certificates;
        self.incomplete += other.incomplete;
        self.open.extend(other.open.iter().cloned());
    }
    /// Counts what was checked of an answer.
    fn count(&mut self, answer: &Answer) {
        let mut proofs: Vec<&Arc<Certificate>> = Vec::new();
        for verdict in &answer.verdicts {
            match verdict {
                Verdict::Violated(Some(_)) => self.traces += 1,
                Verdict::Holds(Some(proof)) if !proofs.iter().any(|p| Arc::ptr_eq(p, proof)) => {
                    proofs.push(proof);
                }
                _ => {}
            }
        }
        self.certificates += proofs.len() as u64;
    }
}

/// Runs the comparison on the programs with the given seeds; stops after five failures. `tick` is
/// called after each program with the number done.
pub fn run(
    comparison: &Comparison,
    seeds: std::ops::Range<u64>,
    tick: &(dyn Fn(u64) + Sync),
) -> Outcome {
    let next = AtomicU64::new(seeds.start);
    let done = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let worker = || {
        let mut outcome = Outcome::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end || stop.load(Ordering::Relaxed) {
                return outcome;
            }
            let case = Case::new(seed);
            let tally = case.judge(comparison, seed, Asked::Some);
            outcome.add(&Outcome { programs: 1, ..tally.done });
            if !tally.problems.is_empty() {
                outcome.failures.push(case.shrink(comparison, seed, tally.problems));
                if outcome.failures.len() >= 5 {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            tick(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    let mut all = Outcome::default();
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..comparison.threads.max(1)).map(|_| scope.spawn(worker)).collect();
        for handle in handles {
            match handle.join() {
                Ok(part) => {
                    all.add(&part);
                    all.failures.extend(part.failures);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    all.failures.sort_by_key(|f| f.seed);
    all
}

/// The task of a seed, for engines whose traces are not shortest: any trace will do. An error if
/// the front end refuses the program.
pub fn any_trace_case(seed: u64) -> Result<Task, String> {
    let mut program = match Case::new(seed) {
        Case::Model(program) => *program,
        Case::Text { program, profile } => {
            let varied = profile.knobs().varied;
            let text = if varied { style::varied(&program, seed) } else { program.text() };
            let lowered = lower("generated.bp", &text, Dialect::Standard, None);
            Arc::unwrap_or_clone(lowered.map_err(|error| format!("{REFUSED}: {error}\n{text}"))?)
        }
    };
    let mut task = task(&mut program, seed, Asked::Some);
    if task.wants.trace == TraceMode::Shortest {
        task.wants.trace = TraceMode::Any;
    }
    Ok(task)
}

/// What came of one program.
#[derive(Default)]
struct Tally {
    done: Outcome,
    problems: Vec<String>,
}

/// A generated program.
enum Case {
    Text { program: Bp, profile: Profile },
    Model(Box<Program>),
}

impl Case {
    /// Two of seven programs are models, the rest texts of all profiles.
    fn new(seed: u64) -> Case {
        match seed % 7 {
            0 | 3 => Case::Model(Box::new(random_program(seed))),
            _ => {
                let profile = Profile::ALL[(seed / 7) as usize % Profile::ALL.len()];
                Case::Text { program: generate(seed, &profile.knobs()), profile }
            }
        }
    }

    fn judge(&self, comparison: &Comparison, seed: u64, asked: Asked) -> Tally {
        match self {
            Case::Text { program, profile } => {
                judge_text(comparison, program, *profile, seed, asked)
            }
            Case::Model(program) => {
                let extra = &mut |_: &Task, _: &Answer| Vec::new();
                judge_program(comparison, (**program).clone(), seed, asked, extra)
            }
        }
    }

    fn shrink(&self, comparison: &Comparison, seed: u64, problems: Vec<String>) -> Failure {
        // What is asked at random places moves when the program shrinks: better ask everywhere,
        // if that fails too.
        let all = !self.judge(comparison, seed, Asked::All).problems.is_empty();
        let asked = if all { Asked::All } else { Asked::Some };
        match self {
            Case::Text { program, profile } => {
                let again = |p: &Bp| judge_text(comparison, p, *profile, seed, asked).problems;
                // A program that the front end refuses says so first: it is none to keep.
                let fails = |p: &Bp| again(p).iter().any(|text| !text.starts_with(REFUSED));
                let small =
                    if fails(program) { shrink_bp(program, fails) } else { program.clone() };
                let (reproducer, shrunk_problems) = (small.text(), again(&small));
                Failure { seed, problems, reproducer, text: true, shrunk_problems }
            }
            Case::Model(program) => {
                let again = |p: &Program| {
                    let extra = &mut |_: &Task, _: &Answer| Vec::new();
                    judge_program(comparison, p.clone(), seed, asked, extra).problems
                };
                let small = shrink_ir(program, |p| !again(p).is_empty());
                let (reproducer, shrunk_problems) = (ir::dump(&small), again(&small));
                Failure { seed, problems, reproducer, text: false, shrunk_problems }
            }
        }
    }
}

const REFUSED: &str = "the front end refuses it";

/// How much a task asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// State sets and conditions at some places.
    Some,
    /// The state sets of all nodes.
    All,
}

fn judge_text(
    comparison: &Comparison,
    bp: &Bp,
    profile: Profile,
    seed: u64,
    asked: Asked,
) -> Tally {
    let text = if profile.knobs().varied { style::varied(bp, seed) } else { bp.text() };
    let program = match lower("generated.bp", &text, Dialect::Standard, None) {
        Ok(program) => program,
        Err(error) => {
            return Tally { problems: vec![format!("{REFUSED}: {error}")], ..Tally::default() };
        }
    };
    let program = Arc::unwrap_or_clone(program);
    judge_program(comparison, program, seed, asked, &mut |task, answer| {
        walks(bp, seed, task, answer, profile == Profile::Deterministic)
    })
}

/// What random runs say against an answer. Without choice, the run says all there is to say.
fn walks(bp: &Bp, seed: u64, task: &Task, answer: &Answer, deterministic: bool) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut visited: BTreeSet<(String, String)> = BTreeSet::new();
    let (mut failed, mut cut) = (false, false);
    for _ in 0..if deterministic { 1 } else { 12 } {
        let run = walk(bp, &mut rng, 400);
        failed |= run.end == End::Failed;
        cut |= run.end == End::Cut;
        visited.extend(run.labels);
    }
    let mut out = Vec::new();
    let program = &task.program;
    let assertion = answer.verdicts.first().map(kind);
    if failed && assertion != Some("reached") {
        out.push(format!("an assertion fails, the answer is {assertion:?}"));
    }
    if deterministic && !failed && !cut && assertion != Some("not reached") {
        out.push(format!("no assertion fails, the answer is {assertion:?}"));
    }
    // The goals for labels follow that for assertions, in order.
    for (label, verdict) in program.labels.iter().zip(answer.verdicts.iter().skip(1)) {
        let proc = program.proc_name(program.nodes[label.node].proc);
        let name = (proc.to_owned(), program.text(label.name).to_owned());
        let seen = visited.contains(&name);
        let reached = matches!(verdict, Verdict::Violated(_));
        if seen && !reached || deterministic && !cut && !seen && reached {
            out.push(format!("{}:{} is visited: {seen}, reached: {reached}", name.0, name.1));
        }
    }
    out
}

/// What `judge_program` asks besides, given the task and the reference's answer.
type Extra<'a> = &'a mut dyn FnMut(&Task, &Answer) -> Vec<String>;

fn judge_program(
    comparison: &Comparison,
    mut program: Program,
    seed: u64,
    asked: Asked,
    extra: Extra,
) -> Tally {
    let task = task(&mut program, seed, asked);
    let mut tally = Tally::default();
    let answer = |(name, engine): Named, task: &Task| {
        let limits = Limits { time: Some(comparison.limit), ..Limits::default() };
        catch_unwind(AssertUnwindSafe(|| engine.run(task, &Budget::new(limits))))
            .map_err(|_| format!("{name} panics"))
    };
    let reference = match answer(comparison.reference, &task) {
        Ok(reference) => reference,
        Err(problem) => return Tally { problems: vec![problem], ..tally },
    };
    for verdict in &reference.verdicts {
        match verdict {
            Verdict::Violated(_) => tally.done.reached += 1,
            Verdict::Holds(_) => tally.done.unreached += 1,
            Verdict::Unknown(_) => {}
        }
    }
    tally.done.count(&reference);
    let name = comparison.reference.0;
    tally.problems.extend(problems(&task, &reference).into_iter().map(|p| format!("{name}: {p}")));
    tally.problems.extend(extra(&task, &reference).into_iter().map(|p| format!("{name}: {p}")));
    let in_turn = comparison.engines.len().saturating_sub(1).max(1);
    for (i, &engine) in comparison.engines.iter().enumerate() {
        if i > 0 && i - 1 != seed as usize % in_turn {
            continue;
        }
        match answer(engine, &task) {
            Ok(other) => {
                tally.done.count(&other);
                let found = problems(&task, &other)
                    .into_iter()
                    .chain(differences(&task, &other, &reference));
                tally.problems.extend(found.map(|p| format!("{}: {p}", engine.0)));
            }
            Err(problem) => tally.problems.push(problem),
        }
    }
    let mut any = task.clone();
    if any.wants.trace == TraceMode::Shortest {
        any.wants.trace = TraceMode::Any;
    }
    for &engine in comparison.any_trace {
        let start = Instant::now();
        match answer(engine, &any) {
            // Time may also run out after the verdicts, with what is said besides them.
            Ok(other) if out_of_time(&other) || start.elapsed() >= comparison.limit => {
                tally.done.open.push((seed, engine.0.to_owned()));
                let found = differences(&any, &other, &reference).into_iter();
                tally.problems.extend(
                    found.filter(|_| !out_of_time(&other)).map(|p| format!("{}: {p}", engine.0)),
                );
            }
            Ok(other) => {
                tally.done.count(&other);
                let mut found = problems(&any, &other);
                let all = found.len();
                found.retain(|p| !is_left_out(p));
                tally.done.incomplete += (found.len() < all) as u64;
                found.extend(differences(&any, &other, &reference));
                tally.problems.extend(found.into_iter().map(|p| format!("{}: {p}", engine.0)));
            }
            Err(problem) => tally.problems.push(problem),
        }
    }
    tally
}

fn out_of_time(answer: &Answer) -> bool {
    let time = |v: &Verdict| matches!(v, Verdict::Unknown(check::StopReason::Time { .. }));
    answer.verdicts.iter().any(time)
}

/// A task that asks for all there is to ask of a program. The first goal is about assertions, then
/// one for each label follows.
fn task(program: &mut Program, seed: u64, asked: Asked) -> Task {
    let mut rng = Rng::new(seed ^ 0x7a5c);
    // A quarter of the tasks let engines stop early.
    let everything = !rng.chance(25) || asked == Asked::All;
    let trace = match rng.below(10) {
        0 => TraceMode::None,
        1 | 2 => TraceMode::Any,
        _ => TraceMode::Shortest,
    };
    let errors = program.procs.iter().filter_map(|p| p.error);
    let mut goals = vec![Goal::Reach(errors.map(Target::at).collect())];
    goals.extend(program.labels.iter().map(|l| Goal::Reach(vec![Target::at(l.node)])));
    let nodes: Vec<NodeId> = program.nodes.ids().collect();
    let labelled: BTreeSet<NodeId> = program.labels.iter().map(|l| l.node).collect();
    let others = nodes.iter().filter(|n| !labelled.contains(n)).take(20);
    goals.extend(others.map(|&node| Goal::Reach(vec![Target::at(node)])));
    let scope = |program: &Program, node: NodeId| -> Vec<(VarId, Type)> {
        let proc = program.nodes[node].proc;
        program.scope(proc).map(|v| (v, program.vars[v].ty)).collect()
    };
    let names = |vars: Vec<(VarId, Type)>| vars.into_iter().map(|(v, _)| v).collect::<Vec<VarId>>();
    let mut observe = Vec::new();
    if asked == Asked::All {
        for &node in &nodes {
            observe.push(Observation { node, vars: names(scope(program, node)) });
        }
    } else if everything {
        for i in 0..3 {
            let node = *rng.pick(&nodes);
            let all = names(scope(program, node));
            let vars = if i == 0 { all } else { rng.sample(&all, 2) };
            observe.push(Observation { node, vars });
        }
    }
    for _ in 0..3 {
        let mut targets = Vec::new();
        for _ in 0..rng.between(1, 2) {
            let node = *rng.pick(&nodes);
            let vars = scope(program, node);
            let condition = random_condition(&mut program.exprs, &vars, &mut rng);
            targets.push(Target { node, condition });
        }
        goals.push(Goal::Reach(targets));
    }
    let wants = Wants { trace, certificate: true, all_nodes: everything };
    Task { observe, wants, ..Task::new(Arc::new(program.clone()), goals) }
}
