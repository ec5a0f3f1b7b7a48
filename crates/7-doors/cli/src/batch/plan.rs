//! Which programs are asked which questions.

use crate::answer;
use crate::config::patterns;
use crate::config::settings::{Value, not_toml, span};
use postbop::Error;
use postbop::preprocess::shell_words;
use source::{Diagnostic, SourceFile, Span};
use std::path::Path;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// All tasks.
pub(super) struct Plan {
    pub(super) tasks: Vec<Task>,
}

/// One question about one program.
pub(super) struct Task {
    pub(super) files: Vec<String>,
    /// As it is written.
    pub(super) question: String,
    pub(super) question_words: Vec<String>,
    pub(super) options: Vec<String>,
    /// For the preprocessor.
    pub(super) flags: Vec<String>,
}

impl Task {
    /// A name for the files of its result: one that people recognise, and that no other task has.
    pub(super) fn file_name(&self, words: &[String]) -> String {
        let first = self.files.first().map_or("task", String::as_str);
        let base = Path::new(first)
            .file_stem()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let base: String = base.chars().map(safe).take(40).collect();
        let key = answer::hash(words.join("\0").as_bytes());
        format!("{base}-{}", &key[..16])
    }
}

type Found = Result<Vec<Value>, Diagnostic>;

/// The tasks of a file: for each table, each program with each question.
pub(super) fn read(file: &Arc<SourceFile>) -> Result<Plan, Error> {
    let rejected =
        |diagnostic| Error::Rejected { file: file.clone(), diagnostics: vec![diagnostic] };
    let table = DeTable::parse(file.text()).map_err(|e| rejected(not_toml(&e)))?;
    let table = table.get_ref();
    let mut plan = Plan { tasks: Vec::new() };
    let options = match table.get("options") {
        Some(value) => texts("options", value).map_err(rejected)?,
        None => Vec::new(),
    };
    for (key, _) in table {
        if !matches!(key.get_ref().as_ref(), "options" | "task") {
            return Err(rejected(unknown(key.get_ref(), span(key.span()), &["options", "task"])));
        }
    }
    let Some(tasks) = table.get("task") else {
        let what = "there is no task: `[[task]]`, `files = [\"*.bp\"]`, `ask = [\"--assert\"]`";
        return Err(rejected(Diagnostic::error("batch-empty", what)));
    };
    let DeValue::Array(tasks) = tasks.get_ref() else {
        let what = "tasks are tables of a list: write `[[task]]`";
        return Err(rejected(Diagnostic::error("batch-value", what).at(span(tasks.span()))));
    };
    for task in tasks {
        let at = span(task.span());
        let DeValue::Table(task) = task.get_ref() else {
            let what = "a task is a table: write `[[task]]`";
            return Err(rejected(Diagnostic::error("batch-value", what).at(at)));
        };
        add(&mut plan, task, at, &options).map_err(rejected)?;
    }
    Ok(plan)
}

fn unknown(key: &str, at: Span, known: &[&str]) -> Diagnostic {
    let wrong =
        Diagnostic::error("batch-unknown-key", format!("there is no key `{key}` here")).at(at);
    wrong.help(match source::suggest(key, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the keys are {}", known.join(", ")),
    })
}

const KEYS: [&str; 6] = ["files", "exclude", "programs", "ask", "options", "name"];

fn add(plan: &mut Plan, task: &DeTable<'_>, at: Span, all: &[Value]) -> Result<(), Diagnostic> {
    if let Some((key, _)) = task.iter().find(|(key, _)| !KEYS.contains(&key.get_ref().as_ref())) {
        return Err(unknown(key.get_ref(), span(key.span()), &KEYS));
    }
    let of = |key: &str| -> Found { task.get(key).map_or(Ok(Vec::new()), |v| texts(key, v)) };
    let alone = patterns::files(Path::new(""), &of("files")?, &of("exclude")?)?;
    let mut programs: Vec<Vec<String>> = alone.into_iter().map(|file| vec![file]).collect();
    if let Some(value) = task.get("programs") {
        let DeValue::Array(list) = value.get_ref() else {
            let what = "`programs` is a list of lists of files";
            return Err(Diagnostic::error("batch-value", what).at(span(value.span())));
        };
        for program in list {
            programs.push(patterns::files(Path::new(""), &texts("programs", program)?, &[])?);
        }
    }
    if programs.is_empty() {
        let what = "this task is about no program: `files` or `programs` say which";
        return Err(Diagnostic::error("batch-no-file", what).at(at));
    }
    let mut questions: Vec<String> = of("ask")?.into_iter().map(|v| v.text).collect();
    if questions.is_empty() {
        // What `bop check` asks if nothing is.
        questions.push(String::new());
    }
    let options: Vec<String> =
        all.iter().chain(&of("options")?).flat_map(|v| shell_words(&v.text)).collect();
    let end = options.iter().position(|w| w == "--").unwrap_or(options.len());
    let flags = options.get(end + 1..).unwrap_or_default().to_vec();
    for files in programs {
        for question in &questions {
            plan.tasks.push(Task {
                files: files.clone(),
                question: question.clone(),
                question_words: shell_words(question),
                options: options[..end].to_vec(),
                flags: flags.clone(),
            });
        }
    }
    Ok(())
}

/// A text, or a list of them.
fn texts(key: &str, value: &toml::Spanned<DeValue<'_>>) -> Found {
    let list = match value.get_ref() {
        DeValue::Array(list) => list.iter().collect(),
        _ => vec![value],
    };
    let text = |value: &toml::Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::String(text) => Ok(Value::text(text.as_ref(), span(value.span()))),
        _ => {
            let what = format!("`{key}` needs texts between quotes");
            Err(Diagnostic::error("batch-value", what).at(span(value.span())))
        }
    };
    list.into_iter().map(text).collect()
}
