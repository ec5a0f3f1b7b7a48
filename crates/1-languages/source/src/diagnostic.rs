//! What is wrong with an input, as data.

use crate::{SourceFile, Span};
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is accepted; its author should know.
    Warning,
}

impl Severity {
    /// The word shown to people.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A remark below a diagnostic, with its own place where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// One phrase.
    pub message: String,
    /// Where, if anywhere.
    pub span: Option<Span>,
}

/// One thing that is wrong with one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name of the kind of error, for machines: `bp-unknown-variable`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One terse phrase, lowercase, no final stop.
    pub message: String,
    /// The primary place; `None` when the whole file is at fault.
    pub span: Option<Span>,
    /// Further places and remarks.
    pub notes: Vec<Note>,
    /// What would be right.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span: None,
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning without a place yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// Sets the primary place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    /// Adds a remark without a place.
    #[must_use]
    pub fn note(mut self, message: impl Into<String>) -> Diagnostic {
        self.notes.push(Note { message: message.into(), span: None });
        self
    }

    /// Adds a remark about another place.
    #[must_use]
    pub fn note_at(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.notes.push(Note { message: message.into(), span: Some(span) });
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// A diagnostic about a text that is not at hand: of a file that another one includes, or of one that was
/// preprocessed. On one line, it is `FILE:LINE:COLUMN: MESSAGE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The file's name.
    pub file: String,
    /// The line, from 1; 0 where all of the file is meant.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// What is wrong; without a span.
    pub diagnostic: Diagnostic,
}

impl Placed {
    /// The diagnostic with its place in the text, if the text has that place.
    pub fn in_file(&self, file: &SourceFile) -> Diagnostic {
        let found = file.offset(self.line, self.column).map(|start| {
            let rest = &file.text()[start as usize..];
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
            let one = rest.chars().next().map_or(0, char::len_utf8);
            Span::new(start, start + length.max(one) as u32)
        });
        Diagnostic { span: found, ..self.diagnostic.clone() }
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Placed { file, line, column, diagnostic } = self;
        match line {
            0 => write!(f, "{file}: {}", diagnostic.message),
            _ => write!(f, "{file}:{line}:{column}: {}", diagnostic.message),
        }
    }
}
