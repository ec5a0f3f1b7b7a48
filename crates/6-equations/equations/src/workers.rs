//! Equation systems and formulas on several threads and processes: `bop solve --workers`.

use crate::games::{self, Played};
use crate::resolve::{
    Explained, Kind, MuSyntax, OnDisk, Resolution, Solution, Stream, alone, closed, on_model,
    parse_formula_with, read_model, unreadable, wrong,
};
use asking::{Options, Watch};
use bes::cadp::{NotInParts, Parts, Text, read_parts};
use bes::{Bes, System, cadp, pbes};
use bes_workers::{Cluster, Crew, Failure, Found, JoinError, Portable, solve, solve_parts};
use check::{Budget, Progress, StopReason};
use input::{Error, guarded};
use lts::ExplicitLts;
use source::SourceFile;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
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
        let tau = resolution.invisible();
        let read = |budget: &Budget| read_model(model, budget).map(Arc::new);
        let question = |model: &Arc<ExplicitLts>| {
            lts::question(&parsed, model.clone(), &tau).map_err(|e| wrong(formula, &e))
        };
        let (found, model) = run.open(task, read, question)?;
        run.explained(found, || on_model(question(&model)?, resolution, &run.budget))
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
                let tau = resolution.invisible();
                let read = |budget: &Budget| read_model(model, budget).map(Arc::new);
                let question = |model: &Arc<ExplicitLts>| {
                    system.on(model.clone(), &tau).map_err(|e| wrong(file, &e))
                };
                let (found, model) = run.open(task, read, question)?;
                run.explained(found, || on_model(question(&model)?, resolution, &run.budget))
            }
            (Some(Kind::Blocks), None) => {
                let text: Arc<dyn Text + Send> = Arc::new(file.text().as_bytes().to_vec());
                // It says what is wrong better.
                let Some(solution) = run.parted(&text)? else {
                    return crate::solve(file, model, resolution, options, watch).map(by_one);
                };
                Ok(solution)
            }
            (Some(Kind::Pbes), None) => {
                let system = pbes::parse(file.text()).map_err(|e| wrong(file, &e))?;
                if system.signature.is_rich() {
                    return Err(structured());
                }
                let instance = |(): &()| system.instance().map_err(|e| wrong(file, &e));
                let (found, ()) = run.open(task, |_| Ok(()), instance)?;
                run.explained(found, || alone(instance(&())?, resolution, &run.budget))
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

/// [`crate::solve_stream`] by several workers; likewise. Of a text in a file, `file`, workers read parts.
pub fn solve_stream_with_workers(
    system: Stream<'_>,
    file: Option<&Path>,
    workers: &Workers,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("solving equations", || {
        let run = Run { workers, resolution, budget: watch.budget(options.search.limits) };
        if let Some(file) = file {
            let text: Arc<dyn Text + Send> = Arc::new(OnDisk(file.to_owned()));
            if let Some(solution) = run.parted(&text)? {
                return Ok(solution);
            }
        }
        let Stream { name, input } = system;
        let read = cadp::read(input, &mut |_| run.budget.poll().is_ok());
        run.undivided(read.map_err(|error| unreadable(name, error, &run.budget))?)
    })
}

/// What only one worker solves.
fn by_one(mut solution: Solution) -> Solution {
    solution.algorithm += ", by one worker: this is not divided";
    solution
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

    /// Solves a system that is explored on demand, and that needs what is read first. Processes are connected
    /// before they read, so that one that stops while it reads is missed.
    fn open<T, S>(
        &self,
        task: u64,
        read: impl FnOnce(&Budget) -> Result<T, Error>,
        replica: impl Fn(&T) -> Result<S, Error>,
    ) -> Result<(Found, T), Error>
    where
        S: Portable + System + Send + 'static,
        S::Error: fmt::Display,
    {
        let mut crew = self.crew(task)?;
        let budget = match &crew.cluster {
            Some(cluster) => self.budget.part(cluster.stop()),
            None => self.budget.clone(),
        };
        let ready = read(&budget).and_then(|read| {
            let replicas: Result<Vec<S>, Error> =
                (0..self.workers.threads).map(|_| replica(&read)).collect();
            Ok((replicas?, read))
        });
        let (replicas, read) = match (ready, crew.cluster.take()) {
            (Ok(ready), cluster) => {
                crew.cluster = cluster;
                ready
            }
            (Err(error), None) => return Err(error),
            (Err(error), Some(cluster)) => {
                if let Some(failure) = cluster.failure() {
                    return Err(self.failed(failure));
                }
                cluster.give_up(match &error {
                    Error::Usage(what) => what.clone(),
                    Error::Stopped(reason) => reason.to_string(),
                    _ => "it cannot use what it reads".to_owned(),
                });
                return Err(error);
            }
        };
        let found = solve(replicas, crew, self.watch()).map_err(|e| self.failed(e))?;
        Ok((found, read))
    }

    /// Solves a system that is in memory.
    fn undivided(&self, system: Bes) -> Result<Solution, Error> {
        let resolution = Resolution { method: bes::Method::Global, ..self.resolution.clone() };
        Ok(by_one(closed(system, &resolution, &self.budget)?))
    }

    /// Solves a system in CADP's format. Threads of one process read parts of it side by side, and one of them solves
    /// it: they would divide neither its memory nor the time of solving (the book has the measurement). Processes
    /// keep a part each. `None`: it cannot be read in parts.
    fn parted(&self, text: &Arc<dyn Text + Send>) -> Result<Option<Solution>, Error> {
        let go_on = || self.budget.poll().is_ok();
        let stopped = || Error::Stopped(self.budget.poll().err().unwrap_or(StopReason::Cancelled));
        let threads = self.workers.threads;
        if self.workers.meeting.is_none() {
            let system = match read_parts(&**text, threads, &go_on) {
                Ok(system) => system,
                Err(NotInParts::OtherForm) => return Ok(None),
                Err(NotInParts::Stopped) => return Err(stopped()),
            };
            let resolution = Resolution { method: bes::Method::Global, ..self.resolution.clone() };
            let mut solution = closed(system, &resolution, &self.budget)?;
            let s = if threads == 1 { "" } else { "s" };
            solution.algorithm += &format!(", read by {threads} worker{s}");
            return Ok(Some(solution));
        }
        let parts = match Parts::of(&**text, &mut |_| go_on()) {
            Ok(parts) => parts,
            Err(NotInParts::OtherForm) => return Ok(None),
            Err(NotInParts::Stopped) => return Err(stopped()),
        };
        let variables = parts.variables();
        let crew = self.crew(task((variables, parts.checksum())))?;
        let found = match solve_parts(text, parts, crew, self.watch()) {
            Ok(found) => found,
            Err(Failure::Whole) => return Ok(None),
            Err(failure) => return Err(self.failed(failure)),
        };
        let mut solution = self.explained(found, || {
            let system = read_parts(&**text, threads, &go_on).map_err(|_| stopped())?;
            closed(system, self.resolution, &self.budget)
        })?;
        solution.variables_total = Some(u64::from(variables));
        Ok(Some(solution))
    }

    /// Solves a parity game.
    fn game(&self, game: Stream<'_>) -> Result<Solution, Error> {
        if self.resolution.all {
            let what = "`--solution` wants all vertices, and workers ask for one".to_owned();
            return Err(Error::Usage(what));
        }
        let game = games::read(game, self.resolution.at, &self.budget)?;
        let vertex = game.numbers[game.bes.initial_variable() as usize];
        let mut solution = self.undivided(game.bes)?;
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
