//! A task of a batch for programs: the schema `postbop.task/1`, one object a line.

use serde::Serialize;

/// One question about one program (`bop batch --format json`, and `summary.jsonl`).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Task")]
pub struct TaskPage {
    /// The schema, and its version.
    pub schema: TaskSchema,
    /// The number of the task, from 0.
    pub task: usize,
    /// The files of the program.
    pub programs: Vec<String>,
    /// The question, as it is written.
    pub question: String,
    /// The words behind `bop` that ask it.
    pub command: Vec<String>,
    /// The exit code of that command.
    pub exit: u8,
    /// The answers, in order.
    pub verdicts: Vec<String>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Wall-clock time that it took, then or now.
    pub seconds: f64,
    /// It was answered before, and nothing has changed.
    pub reused: bool,
    /// The file with the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// The schema of a [`TaskPage`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TaskSchema {
    /// `postbop.task/1`.
    #[default]
    #[serde(rename = "postbop.task/1")]
    V1,
}

/// A task as one line of JSON, without its end.
pub fn task_line(page: &TaskPage) -> String {
    // Nothing in it can fail: keys are strings, and the writer is one.
    serde_json::to_string(page).unwrap_or_default()
}
