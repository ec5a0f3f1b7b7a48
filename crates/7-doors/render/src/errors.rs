//! What went wrong, for programs: the schema `postbop.error/1`.

use crate::parts::Tool;
use serde::Serialize;
use source::{Diagnostic, SourceFile, Span};
use std::io::{self, Write};

/// Why there is no report: bad input, bad usage, or a limit (any verb with `--format json`).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Errors")]
pub struct ErrorPage {
    /// The schema, and its version.
    pub schema: ErrorSchema,
    /// Who writes this.
    pub tool: Tool,
    /// The exit code: 2 for bad input or usage, 3 where something was not found out.
    pub exit: u8,
    /// All that is wrong, in the order in which it was found. Never empty.
    pub errors: Vec<ErrorEntry>,
}

/// The schema of an [`ErrorPage`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ErrorSchema {
    /// `postbop.error/1`.
    #[default]
    #[serde(rename = "postbop.error/1")]
    V1,
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Error")]
pub struct ErrorEntry {
    /// A stable name of the kind of error: `bp-unknown-variable`, `usage`; the stop reason where a limit was
    /// reached. Absent for what has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What is wrong.
    pub message: String,
    /// Where, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<ErrorPlace>,
    /// Remarks, and other places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<ErrorNote>,
    /// What would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A remark.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Note")]
pub struct ErrorNote {
    /// What is to be known.
    pub message: String,
    /// Where, if anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<ErrorPlace>,
}

/// A place in a file, or all of it. Columns count characters.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ErrorPlace")]
pub struct ErrorPlace {
    /// The file; a formula of the command line has the name of its flag.
    pub file: String,
    /// The line, from 1; absent where the whole file is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line of the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The column behind the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
}

impl ErrorEntry {
    /// A diagnostic about a file.
    pub fn new(diagnostic: &Diagnostic, file: &SourceFile) -> ErrorEntry {
        let note = |note: &source::Note| ErrorNote {
            message: note.message.clone(),
            place: note.span.map(|span| ErrorPlace::new(file, Some(span))),
        };
        ErrorEntry {
            code: Some(diagnostic.code.to_owned()),
            message: diagnostic.message.clone(),
            place: Some(ErrorPlace::new(file, diagnostic.span)),
            notes: diagnostic.notes.iter().map(note).collect(),
            help: diagnostic.help.clone(),
        }
    }

    /// A sentence. One about a file that is read as a stream begins with its place.
    pub fn said(code: Option<&str>, message: impl Into<String>) -> ErrorEntry {
        let message = message.into();
        ErrorEntry {
            code: code.map(str::to_owned),
            place: ErrorPlace::told(&message),
            message,
            ..ErrorEntry::default()
        }
    }
}

impl ErrorPlace {
    /// The place that a sentence begins with: `game.pg:3:1: …`, `model.aut: line 3: …`.
    fn told(message: &str) -> Option<ErrorPlace> {
        let (before, rest) = message.lines().next()?.split_once(": ")?;
        let numbered = |text: &str| text.parse().ok().filter(|n| *n > 0);
        let place = |file: &str, line, column| ErrorPlace {
            file: file.to_owned(),
            line: Some(line),
            column,
            ..ErrorPlace::default()
        };
        if let Some(line) = rest.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
            return Some(place(before, numbered(line.0)?, None));
        }
        let (file, column) = before.rsplit_once(':')?;
        let (file, line) = file.rsplit_once(':')?;
        Some(place(file, numbered(line)?, Some(numbered(column)?)))
    }

    fn new(file: &SourceFile, span: Option<Span>) -> ErrorPlace {
        let name = file.name().to_owned();
        let Some(span) = span else { return ErrorPlace { file: name, ..ErrorPlace::default() } };
        let (start, end) = (file.position(span.start), file.position(span.end));
        ErrorPlace {
            file: name,
            line: Some(start.line),
            column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }
}

/// Writes what is wrong as one JSON object.
pub fn error_json(page: &ErrorPage, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, page)?;
    out.write_all(b"\n")
}
