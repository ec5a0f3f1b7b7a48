//! `bop batch`: many programs, many questions.
//!
//! Each pair is a task, done by a process of its own: what one task spends or breaks is its own affair. A result is
//! two files, written beside each other and then renamed, first the report and then the record of the task; without a
//! record nothing was done. What counts as done, once:
//!
//! - BT1: a record is about the same words, and was written by the same executable.
//! - BT2: its report is the one that was written with it.
//! - BT3: all files that the report says it read are what they were; of C, what the preprocessor makes of them is.
//! - BT4: a refusal, an interruption, and a lack of memory that was shared out are never kept.

mod done;
mod plan;
mod scheduler;
mod table;

use crate::args::{Batch, BatchFormat};
use crate::exit::Exit;
use crate::verbs::Failed;
use crate::{answer, child, guard, io, watch};
use done::Store;
use plan::{Plan, Task};
use postbop::preprocess::Invocation;
use render::{TaskPage, TaskSchema};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

pub(crate) fn batch(args: &Batch) -> Result<Exit, Failed> {
    let file = io::source_file(&args.file)?;
    let path = std::path::absolute(&args.file).map_err(|e| format!("`{}`: {e}", args.file))?;
    let results = match &args.results {
        Some(folder) => std::path::absolute(folder).map_err(|e| format!("`{folder}`: {e}"))?,
        None => path.parent().unwrap_or(Path::new("/")).join("results"),
    };
    let folder = path.parent().unwrap_or(Path::new("/"));
    // Names in the file are as seen from there.
    std::env::set_current_dir(folder).map_err(|e| format!("`{}`: {e}", folder.display()))?;
    let plan = plan::read(&file)?;
    let all = 0..plan.tasks.len();
    let wanted = match args.task {
        Some(n) if !all.contains(&n) => {
            let what = format!("there is no task {n}: they are 0 to {}", all.end - 1);
            return Err(Failed::from(what));
        }
        Some(n) => n..n + 1,
        None => all,
    };
    if let Some(target) = args.emit_tasks {
        let results = args.results.is_some().then_some(results.as_path());
        let script = scheduler::script(target, &path, results, plan.tasks.len());
        io::write_to(None, |out| out.write_all(script.as_bytes()))?;
        return Ok(Exit::Holds);
    }
    let store = Store::open(results)?;
    let run = Run {
        bop: std::env::current_exe().map_err(|e| format!("cannot find myself: {e}"))?,
        jobs: jobs(args, wanted.len()),
        again: args.again,
        store,
        plan,
    };
    run.all(args, wanted)
}

/// How many processes at once.
fn jobs(args: &Batch, tasks: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    args.jobs.map_or(cores, |n| n as usize).min(tasks).max(1)
}

/// A batch that is being worked on.
struct Run {
    bop: PathBuf,
    jobs: usize,
    again: bool,
    store: Store,
    plan: Plan,
}

impl Run {
    fn all(self, args: &Batch, wanted: std::ops::Range<usize>) -> Result<Exit, Failed> {
        let lines = args.format == BatchFormat::Json;
        let next = AtomicUsize::new(wanted.start);
        let pages: Arc<Mutex<Vec<TaskPage>>> = Arc::default();
        let (watch, line) = watch::watch(args.quiet || lines);
        let told = |done: usize| {
            if let Some(listener) = &watch.listener {
                let (done, total) = (done as u64, Some(wanted.len() as u64));
                listener(check::Progress { phase: "tasks", done, total });
            }
        };
        if !lines {
            let (so_far, quiet, all) = (pages.clone(), args.quiet, wanted.len());
            guard::last_word(move |reason| {
                let pages = so_far.lock().unwrap_or_else(PoisonError::into_inner);
                let text = table::text(&pages, quiet);
                let _ = io::write_to(None, |out| out.write_all(text.as_bytes()));
                let (n, what) = (pages.len(), "the rest is done when it is called again");
                io::complain(&format!("unknown: {reason}: {n} of {all} tasks are done; {what}"));
                Exit::Unknown
            });
        }
        let work = || {
            while let Some(n) =
                Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < wanted.end)
            {
                if guard::cancel().load(Ordering::Relaxed) {
                    return;
                }
                let Some(page) = self.task(n) else { return };
                let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
                if lines {
                    let line = render::task_line(&page);
                    let _ = io::stream_to(None, |out| writeln!(out, "{line}"));
                }
                pages.push(page);
                told(pages.len());
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.jobs {
                scope.spawn(work);
            }
            work();
        });
        drop(line);
        let mut pages = std::mem::take(&mut *pages.lock().unwrap_or_else(PoisonError::into_inner));
        pages.sort_by_key(|page| page.task);
        if guard::cancel().load(Ordering::Relaxed) {
            return Err(Failed::from("it was cancelled".to_owned()));
        }
        if args.task.is_none() {
            self.store.summary(&pages)?;
        }
        if !lines {
            let text = table::text(&pages, args.quiet);
            io::write_to(None, |out| out.write_all(text.as_bytes()))?;
        }
        let any = |code: u8| pages.iter().any(|page| page.exit == code);
        Ok(match () {
            () if any(2) => Exit::Bad,
            () if any(1) => Exit::Violated,
            () if any(3) => Exit::Unknown,
            () => Exit::Holds,
        })
    }

    /// Does one task, unless that was done. None: everything ends.
    fn task(&self, n: usize) -> Option<TaskPage> {
        let task = &self.plan.tasks[n];
        let words = self.words(task);
        let name = task.file_name(&words);
        if !self.again
            && let Some(page) = self.store.done(&name, &words)
        {
            return Some(TaskPage { task: n, reused: true, ..page });
        }
        let start = Instant::now();
        let (memory, arguments) = self.limited(task, &words);
        let invocation = Invocation {
            program: self.bop.to_string_lossy().into_owned(),
            arguments,
            directory: None,
        };
        let outcome = child::run(&invocation, None);
        let seconds = (start.elapsed().as_secs_f64() * 1e3).round() / 1e3;
        if guard::cancel().load(Ordering::Relaxed) {
            return None;
        }
        let mut page = TaskPage {
            schema: TaskSchema::V1,
            task: n,
            programs: task.files.clone(),
            question: task.question.clone(),
            command: words.clone(),
            exit: 3,
            verdicts: Vec::new(),
            error: None,
            seconds,
            reused: false,
            report: None,
        };
        let refused =
            |page: TaskPage, exit: u8, why: String| TaskPage { exit, error: Some(why), ..page };
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(e) => return Some(refused(page, 3, format!("it could not be started: {e}"))),
        };
        let Ok(report) = serde_json::from_slice::<Value>(&outcome.stdout) else {
            let said = String::from_utf8_lossy(&outcome.stderr);
            let last = said.lines().last().unwrap_or("it ended without a word").to_owned();
            return Some(refused(page, 3, last));
        };
        if let Some(errors) = report["errors"].as_array() {
            let exit = report["exit"].as_u64().unwrap_or(2) as u8;
            let why =
                errors.first().and_then(|e| e["message"].as_str()).unwrap_or("it was refused");
            return Some(refused(page, exit, why.to_owned()));
        }
        read_answers(&mut page, &report);
        // BT4
        let passing =
            |r: &Value| r["stop_reason"] == "cancelled" || memory && r["stop_reason"] == "memory";
        if report["results"].as_array().into_iter().flatten().any(passing) {
            return Some(page);
        }
        match self.store.keep(&name, &page, &outcome.stdout) {
            Ok(report) => page.report = Some(report),
            Err(why) => page.error = Some(why),
        }
        Some(page)
    }

    /// The command line of a task, by which it is known.
    fn words(&self, task: &Task) -> Vec<String> {
        let fixed = ["--format", "json", "--no-config"].map(str::to_owned);
        let mut out = vec!["check".to_owned()];
        out.extend(task.files.iter().cloned());
        out.extend(task.question_words.iter().chain(&task.options).cloned());
        out.extend(fixed);
        if !task.flags.is_empty() {
            out.push("--".to_owned());
            out.extend(task.flags.iter().cloned());
        }
        out
    }

    /// The same with a part of the machine's memory, if nothing is said about that: all that run at once share it.
    fn limited(&self, task: &Task, words: &[String]) -> (bool, Vec<String>) {
        let own =
            task.options.iter().chain(&task.question_words).any(|w| w.starts_with("--memory"));
        let part = watch::default_memory().filter(|_| !own).map(|m| m / self.jobs as u64);
        let mut out = words.to_vec();
        if let Some(bytes) = part {
            out.insert(1, format!("--memory={bytes}"));
        }
        (part.is_some(), out)
    }
}

/// What a report answers.
fn read_answers(page: &mut TaskPage, report: &Value) {
    let results = report["results"].as_array().into_iter().flatten();
    let verdicts: Vec<String> =
        results.filter_map(|r| r["verdict"].as_str().map(str::to_owned)).collect();
    let any = |words: &[&str]| verdicts.iter().any(|v| words.contains(&v.as_str()));
    page.exit = match () {
        () if any(&["violated", "reachable"]) => 1,
        () if verdicts.is_empty() || any(&["unknown"]) => 3,
        () => 0,
    };
    page.verdicts = verdicts;
}

/// What identifies this executable.
fn myself() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    answer::hash(&bytes)
}
