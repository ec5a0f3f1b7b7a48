//! Results that are kept, and whether they still count (BT1–BT4).

use crate::args::{Cli, Verb};
use crate::{answer, c};
use clap::Parser;
use render::{TaskPage, TaskSchema};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A folder with results.
pub(super) struct Store {
    folder: PathBuf,
}

static MYSELF: LazyLock<String> = LazyLock::new(super::myself);

impl Store {
    /// Opens the folder, which is made where it is missing.
    pub(super) fn open(folder: PathBuf) -> Result<Store, String> {
        fs::create_dir_all(&folder)
            .map_err(|e| format!("cannot write `{}`: {e}", folder.display()))?;
        Ok(Store { folder })
    }

    /// Writes a file so that it is there as a whole, or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let (path, part) =
            (self.folder.join(name), self.folder.join(format!(".{name}.{}", std::process::id())));
        let written = fs::File::create(&part)
            .and_then(|mut file| {
                use std::io::Write;
                file.write_all(bytes)?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&part, &path));
        written.map_err(|e| {
            let _ = fs::remove_file(&part);
            format!("cannot write `{}`: {e}", path.display())
        })
    }

    /// Keeps the result of a task; the name of the report's file.
    pub(super) fn keep(
        &self,
        name: &str,
        page: &TaskPage,
        report: &[u8],
    ) -> Result<String, String> {
        let file = format!("{name}.json");
        self.write(&file, report)?;
        let record = json!({
            "words": page.command,
            "tool": *MYSELF,
            "report": answer::hash(report),
            "exit": page.exit,
            "verdicts": page.verdicts,
            "seconds": page.seconds,
            "programs": page.programs,
            "question": page.question,
        });
        self.write(&format!("{name}.task"), record.to_string().as_bytes())?;
        Ok(self.folder.join(file).to_string_lossy().into_owned())
    }

    /// What was found out, if it still counts.
    pub(super) fn done(&self, name: &str, words: &[String]) -> Option<TaskPage> {
        let record = fs::read(self.folder.join(format!("{name}.task"))).ok()?;
        let record: Value = serde_json::from_slice(&record).ok()?;
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|v| v.as_str().map(str::to_owned)).collect()
        };
        // BT1
        if record["tool"] != *MYSELF || texts(&record["words"])? != words {
            return None;
        }
        // BT2
        let path = self.folder.join(format!("{name}.json"));
        let report = fs::read(&path).ok()?;
        if record["report"] != answer::hash(&report) {
            return None;
        }
        unchanged(words, &serde_json::from_slice(&report).ok()?)?;
        Some(TaskPage {
            schema: TaskSchema::V1,
            task: 0,
            programs: texts(&record["programs"])?,
            question: record["question"].as_str()?.to_owned(),
            command: words.to_vec(),
            exit: u8::try_from(record["exit"].as_u64()?).ok()?,
            verdicts: texts(&record["verdicts"])?,
            error: None,
            seconds: record["seconds"].as_f64()?,
            reused: true,
            report: Some(path.to_string_lossy().into_owned()),
        })
    }

    /// Writes a line for each task.
    pub(super) fn summary(&self, pages: &[TaskPage]) -> Result<(), String> {
        let lines: String = pages.iter().map(|page| render::task_line(page) + "\n").collect();
        self.write("summary.jsonl", lines.as_bytes())
    }
}

/// BT3. None: something has changed, or cannot be known.
fn unchanged(words: &[String], report: &Value) -> Option<()> {
    let files = report["files"].as_array().filter(|files| !files.is_empty())?;
    let mut in_c = false;
    for file in files {
        let name = file["name"].as_str()?;
        let bytes = crate::io::contents(name).ok()?;
        if file["sha256"] != answer::hash(&bytes) {
            return None;
        }
        in_c |= file.get("preprocessed_sha256").is_some();
    }
    if !in_c {
        return Some(());
    }
    let all = std::iter::once("bop").chain(words.iter().map(String::as_str));
    let Ok(Cli { verb: Verb::Check(check) }) = Cli::try_parse_from(all) else { return None };
    let c::Units { texts, unread, .. } = c::texts_quietly(&check.input)?;
    if !unread.is_empty() {
        return None;
    }
    for text in &texts {
        let same = |file: &&Value| {
            file["name"] == *text.name
                && file["preprocessed_sha256"] == answer::hash(text.text.as_bytes())
        };
        files.iter().find(same)?;
    }
    Some(())
}
