//! Equation systems and formulas on several threads and processes: `bop solve --workers`.

use crate::games::{self, Played};
use crate::resolve::{
    Explained, Kind, MuSyntax, Resolution, Solution, Stream, alone, closed, on_model,
    parse_formula_with, read_model, unreadable, wrong,
};
use asking::{Options, Watch};
use bes::{Bes, System, cadp, pbes};
use bes_workers::{Cluster, Crew, Failure, Found, JoinError, Portable, solve, solve_closed};
use check::{Budget, Progress, StopReason};
use input::{Error, guarded};
use source::SourceFile;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub use bes_workers::{Hosts, HostsError, LEAST_SECRET, Secret};

/// Who solves.
#[derive(Clone, Debug)]
pub struct Workers {
    /// Threads of each process.
    pub threads: usize,
    /// The processes, if there is more than this one.
    pub meeting: Option<Meeting>,
}

/// Where processes meet.
#[derive(Clone)]
pub struct Meeting {
    /// All processes.
    pub hosts: Hosts,
    /// This one.
    pub process: usize,
    /// What they all know, and nobody else.
    pub secret: Secret,
    /// How long the others are waited for.
    pub patience: Duration,
    /// Asked while they are waited for: whether they can still come.
    pub go_on: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Told who was sent away meanwhile, if anybody was.
    pub strangers: Arc<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addresses = self.hosts.addresses();
        f.debug_struct("Meeting")
            .field("addresses", &addresses)
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

/// [`crate::eval`] by several workers. Every process has the same answer; of several processes only
/// the first one explains it, on its own.
pub fn eval_with_workers(
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    model: &Arc<SourceFile>,
    workers: &Workers,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("evaluating a formula", || {
        let run = Run { workers, resolution, budget: watch.budget(options.search.limits) };
        let parsed = parse_formula_with(formula, syntax, resolution.data.as_ref())?;
        if parsed.signature.is_rich() {
            return Err(structured());
        }
        let task = task([formula.text(), model.text()]);
        let model = Arc::new(read_model(model, &run.budget)?);
        let tau = resolution.invisible();
        let question =
            || lts::question(&parsed, model.clone(), &tau).map_err(|e| wrong(formula, &e));
        let found = run.open(task, question)?;
        run.explained(found, || on_model(question()?, resolution, &run.budget))
    })
}

/// Structured values have no names that all replicas understand.
fn structured() -> Error {
    let what = "lists, sets, functions and structured sorts are not for `--workers` and `--hosts`";
    Error::Usage(what.to_owned())
}

/// [`crate::solve`] by several workers; likewise.
pub fn solve_with_workers(
    file: &Arc<SourceFile>,
    model: Option<&Arc<SourceFile>>,
    workers: &Workers,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("solving equations", || {
        let run = Run { workers, resolution, budget: watch.budget(options.search.limits) };
        let task = task([file.text(), model.map_or("", |model| model.text())]);
        match (Kind::of(file), model) {
            (Some(Kind::Modal), Some(model)) => {
                let system = lts::blk::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let model = Arc::new(read_model(model, &run.budget)?);
                let tau = resolution.invisible();
                let question = || system.on(model.clone(), &tau).map_err(|e| wrong(file, &e));
                let found = run.open(task, question)?;
                run.explained(found, || on_model(question()?, resolution, &run.budget))
            }
            (Some(Kind::Blocks), None) => {
                let text = file.text().as_bytes();
                match cadp::read(text, &mut |_| run.budget.poll().is_ok()) {
                    Ok(system) => run.closed(system),
                    // It says what is wrong better.
                    Err(_) => crate::solve(file, model, resolution, options, watch),
                }
            }
            (Some(Kind::Pbes), None) => {
                let system = pbes::parse(file.text()).map_err(|e| wrong(file, &e))?;
                if system.signature.is_rich() {
                    return Err(structured());
                }
                let instance = || system.instance().map_err(|e| wrong(file, &e));
                let found = run.open(task, instance)?;
                run.explained(found, || alone(instance()?, resolution, &run.budget))
            }
            (Some(Kind::Game), None) => {
                let input = Box::new(file.text().as_bytes());
                run.game(Stream { name: file.name(), input })
            }
            // What is wrong with the call is wrong without workers, too.
            _ => crate::solve(file, model, resolution, options, watch),
        }
    })
}

/// [`crate::solve_stream`] by several workers; likewise.
pub fn solve_stream_with_workers(
    system: Stream<'_>,
    workers: &Workers,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("solving equations", || {
        let run = Run { workers, resolution, budget: watch.budget(options.search.limits) };
        let Stream { name, input } = system;
        let read = cadp::read(input, &mut |_| run.budget.poll().is_ok());
        run.closed(read.map_err(|error| unreadable(name, error, &run.budget))?)
    })
}

/// [`crate::solve_game`] by several workers; likewise.
pub fn solve_game_with_workers(
    game: Stream<'_>,
    workers: &Workers,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("solving a parity game", || {
        Run { workers, resolution, budget: watch.budget(options.search.limits) }.game(game)
    })
}

/// A number that tells questions, and versions, apart.
fn task(question: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), question).hash(&mut hasher);
    hasher.finish()
}

struct Run<'a> {
    workers: &'a Workers,
    resolution: &'a Resolution,
    budget: Budget,
}

impl Run<'_> {
    /// The workers of this process, and the other processes.
    fn crew(&self, task: u64) -> Result<Crew, Error> {
        let Workers { threads, meeting } = self.workers;
        let Some(meeting) = meeting else { return Ok(Crew::threads(*threads)) };
        let go_on = || self.budget.poll().is_ok() && (meeting.go_on)();
        let Meeting { hosts, process, secret, patience, .. } = meeting;
        let joined = Cluster::join(hosts, *process, *threads, task, secret, *patience, &go_on);
        let cluster = joined.map_err(|error| match error {
            JoinError::Stopped => match self.budget.poll() {
                Err(reason) => Error::Stopped(reason),
                Ok(()) => Error::Workers("a process ended before it was connected".to_owned()),
            },
            JoinError::Absent { .. } => Error::Workers(error.to_string()),
            error => Error::Usage(error.to_string()),
        })?;
        if !cluster.strangers().is_empty() {
            (meeting.strangers)(&cluster.strangers().to_string());
        }
        Ok(Crew { threads: *threads, cluster: Some(cluster) })
    }

    /// Solves a system that is explored on demand.
    fn open<S>(&self, task: u64, replica: impl Fn() -> Result<S, Error>) -> Result<Found, Error>
    where
        S: Portable + System + Send + 'static,
        S::Error: fmt::Display,
    {
        let replicas: Result<Vec<S>, Error> =
            (0..self.workers.threads).map(|_| replica()).collect();
        let replicas = replicas?;
        let crew = self.crew(task)?;
        solve(replicas, crew, self.watch()).map_err(|e| self.failed(e))
    }

    /// Solves a system in memory. Threads of one process would divide neither its memory nor the time (the book has
    /// the measurement), so that one of them does it.
    fn closed(&self, system: Bes) -> Result<Solution, Error> {
        if self.workers.meeting.is_none() {
            let resolution = Resolution { method: bes::Method::Global, ..self.resolution.clone() };
            let mut solution = closed(system, &resolution, &self.budget)?;
            solution.algorithm += ", by one worker: a system in memory is not divided";
            return Ok(solution);
        }
        // Texts of one system may differ: the equations count.
        let n = system.len() as u32;
        let equations = || (0..n).map(|v| (system.block_of(v), system.op_of(v) as u8));
        let mut hasher = DefaultHasher::new();
        for (v, equation) in equations().enumerate() {
            equation.hash(&mut hasher);
            system.operands(v as u32).hash(&mut hasher);
        }
        let crew = self.crew(task((n, system.initial_variable(), hasher.finish())))?;
        let system = Arc::new(system);
        let found = solve_closed(&system, crew, self.watch()).map_err(|e| self.failed(e))?;
        let mut solution = self.explained(found, || {
            let system = Arc::into_inner(system);
            let system =
                system.ok_or_else(|| Error::Internal("a worker is still there".to_owned()))?;
            closed(system, self.resolution, &self.budget)
        })?;
        solution.variables_total = Some(u64::from(n));
        Ok(solution)
    }

    /// Solves a parity game.
    fn game(&self, game: Stream<'_>) -> Result<Solution, Error> {
        if self.resolution.all {
            let what = "`--solution` wants all vertices, and workers ask for one".to_owned();
            return Err(Error::Usage(what));
        }
        let game = games::read(game, self.resolution.at, &self.budget)?;
        let vertex = game.numbers[game.bes.initial_variable() as usize];
        let mut solution = self.closed(game.bes)?;
        solution.game = Some(Played { vertex, winners: None, solution: None });
        Ok(solution)
    }

    /// Looks after the limits of this process.
    fn watch(&self) -> bes_workers::Watch {
        let budget = self.budget.clone();
        let (reserved, told) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(move |progress| {
            let before = reserved.fetch_max(progress.bytes, Ordering::Relaxed);
            budget.reserve(progress.bytes.saturating_sub(before)).map_err(|e| e.to_string())?;
            budget.poll().map_err(|e| e.to_string())?;
            let tenths = budget.elapsed().as_millis() as u64 / 100;
            if told.fetch_max(tenths, Ordering::Relaxed) < tenths {
                let done = progress.variables;
                budget.report(Progress { phase: "equations", done, total: None });
            }
            Ok(())
        })
    }

    fn failed(&self, failure: Failure) -> Error {
        match failure {
            Failure::Stopped(_) => {
                let limit = self.budget.limits().memory.unwrap_or(0);
                let reason = self.budget.poll().err();
                Error::Stopped(reason.unwrap_or(StopReason::Memory { limit }))
            }
            Failure::System(what) => Error::Usage(what),
            Failure::Internal(what) => Error::Internal(what),
            other => Error::Workers(other.to_string()),
        }
    }

    /// The answer, with its explanation if one is wanted: that comes from the sequential solver,
    /// which must agree.
    fn explained(
        &self,
        found: Found,
        sequential: impl FnOnce() -> Result<Solution, Error>,
    ) -> Result<Solution, Error> {
        let Found { value, variables, dependencies, workers, processes } = found;
        let s = if workers == 1 { "" } else { "s" };
        let mut algorithm = format!("timely, {workers} worker{s}");
        if processes > 1 {
            algorithm += &format!(" in {processes} processes");
        }
        let first = self.workers.meeting.as_ref().is_none_or(|meeting| meeting.process == 0);
        let explanation: Option<Explained> = if self.resolution.diagnostic && first {
            let alone = sequential()?;
            if alone.value != value {
                let what = format!("workers say {value}, the sequential solver {}", alone.value);
                return Err(Error::Internal(what));
            }
            alone.explanation
        } else {
            None
        };
        Ok(Solution {
            value,
            variables_explored: variables,
            variables_total: None,
            dependencies,
            algorithm,
            explanation,
            game: None,
        })
    }
}
