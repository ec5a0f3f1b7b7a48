//! `bop lsp`: the language server over standard input and output.
//!
//! One thread reads messages, one runs commands of `bop`, this one answers. Of commands that wait, only the newest
//! for each file counts.

use crate::child;
use crate::exit::Exit;
use crate::private::Private;
use crate::verbs::Failed;
use lsp::{Effect, Job, Server};
use lsp_server::{Connection, Message};
use postbop::preprocess::Invocation;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};

pub(crate) const EXAMPLES: &str = "\
Editors start it, and speak the Language Server Protocol with it over standard input and output; `editors/` has
settings for VS Code, Neovim, Helix and Emacs.

Examples:
  bop lsp";

/// What the server hears.
enum Event {
    Message(Message),
    Answered { job: Job, printed: String, page: Option<PathBuf> },
}

pub(crate) fn serve() -> Result<Exit, Failed> {
    let (connection, threads) = Connection::stdio();
    let wrong = |e: &dyn std::fmt::Display| Failed::from(format!("the editor: {e}"));
    let capabilities = serde_json::to_value(lsp::capabilities()).map_err(|e| wrong(&e))?;
    let params = connection.initialize(capabilities).map_err(|e| wrong(&e))?;
    let mut server = Server::new(params.get("initializationOptions"));
    let (events, heard) = mpsc::channel();
    let (jobs, wanted) = mpsc::channel();
    // Pages stay until the server ends.
    let pages = Private::new().map_err(|e| format!("no folder for pages: {e}"))?;
    let (folder, answers) = (pages.path().to_owned(), events.clone());
    std::thread::spawn(move || work(&wanted, &answers, &folder));
    let receiver = connection.receiver.clone();
    std::thread::spawn(move || {
        for message in receiver {
            if events.send(Event::Message(message)).is_err() {
                return;
            }
        }
    });
    let mut shut_down = false;
    for event in heard {
        let effects = match event {
            Event::Message(message) => {
                let request = matches!(&message, Message::Request(r) if r.method == "shutdown");
                shut_down |= request;
                server.message(message)
            }
            Event::Answered { job, printed, page } => {
                server.answered(&job, &printed, page.as_deref())
            }
        };
        for effect in effects {
            match effect {
                Effect::Send(message) => _ = connection.sender.send(message),
                Effect::Run(job) => _ = jobs.send(job),
                Effect::Exit => {
                    child::kill_all();
                    drop(connection);
                    let _ = threads.join();
                    return Ok(if shut_down { Exit::Holds } else { Exit::Violated });
                }
            }
        }
    }
    Ok(Exit::Holds)
}

/// Runs commands, one after the other.
fn work(wanted: &Receiver<Job>, answers: &Sender<Event>, folder: &std::path::Path) {
    let mut waiting: Vec<Job> = Vec::new();
    let mut pages = 0;
    loop {
        if waiting.is_empty() {
            let Ok(job) = wanted.recv() else { return };
            waiting.push(job);
        }
        for job in wanted.try_iter() {
            waiting.retain(|other| other.file != job.file || other.page != job.page);
            waiting.push(job);
        }
        let mut job = waiting.remove(0);
        let mut page = None;
        if job.page {
            pages += 1;
            let path = folder.join(format!("{pages}.html"));
            job.words.extend(["-o".to_owned(), path.to_string_lossy().into_owned()]);
            page = Some(path);
        }
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("bop"));
        let invocation = Invocation {
            program: program.to_string_lossy().into_owned(),
            arguments: job.words.clone(),
            directory: Some(job.folder.to_string_lossy().into_owned()),
        };
        let (printed, told) = match child::run(&invocation, None) {
            Ok(done) => (done.stdout, done.stderr),
            Err(e) => (Vec::new(), e.to_string().into_bytes()),
        };
        let page = page.filter(|path| path.is_file());
        let said = if job.page { told } else { printed };
        let printed = String::from_utf8_lossy(&said).into_owned();
        if answers.send(Event::Answered { job, printed, page }).is_err() {
            return;
        }
    }
}
