//! What a report is entitled to say: the part of the program that was read, and what its answers take
//! for granted.

use serde::Serialize;

/// What stands beside all answers of a report.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// What was read, where parts of a program can be left out.
    pub read: Option<Extent>,
    /// What the answers take for granted, one sentence each.
    pub granted: Vec<String>,
    /// Variables whose values were kept although nobody said so, with how many bits: the program of the report is the one
    /// that has them.
    pub kept: Vec<(String, u32)>,
    /// What does nothing and was meant to: remarks in the source.
    pub idle: Vec<String>,
    /// Findings that are less sure than wanted, and not among the answers.
    pub hidden: usize,
    /// The files that were read, where whoever read them says so.
    pub inputs: Vec<InputFile>,
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputFile {
    /// Its name, as it was given; `<stdin>` for standard input.
    pub name: String,
    /// The SHA-256 of what was in it, unpacked if it was compressed, in hexadecimal.
    pub sha256: String,
    /// Of C: the SHA-256 of what the preprocessor made of it, headers included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preprocessed_sha256: Option<String>,
}

/// The part of a program that was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Files that were read.
    pub files: usize,
    /// Functions that were read.
    pub functions: usize,
    /// What was not: it may do anything.
    pub left_out: Vec<LeftOut>,
    /// Answers about the rest are wanted all the same.
    pub allowed: bool,
}

/// A part of a program that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The function or file; empty for a declaration without a name.
    pub what: String,
    /// The file that it is in.
    pub file: String,
    /// The line, from 1; 0 for a whole file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Why.
    pub why: String,
}

/// So many parts that were left out are listed for people.
const LISTED: usize = 10;

impl Extent {
    /// Whether nothing was left out.
    pub fn is_complete(&self) -> bool {
        self.left_out.is_empty()
    }

    /// Whether answers that speak of all runs are not to be given.
    pub fn forbids_claims(&self) -> bool {
        !self.is_complete() && !self.allowed
    }

    /// In a few words: `9 functions, 2 left out`.
    pub fn counted(&self) -> String {
        let s = if self.functions == 1 { "" } else { "s" };
        format!("{} function{s}, {} left out", self.functions, self.left_out.len())
    }

    /// In one line, with what was left out and why.
    pub fn told(&self) -> String {
        let parts = self.left_out.iter().take(LISTED).map(LeftOut::told);
        let mut parts: Vec<String> = parts.collect();
        if self.left_out.len() > LISTED {
            parts.push(format!("and {} more", self.left_out.len() - LISTED));
        }
        format!("{}: {}", self.counted(), parts.join("; "))
    }
}

impl LeftOut {
    /// In one line.
    pub fn told(&self) -> String {
        let LeftOut { what, file, line, column, why } = self;
        // What a preprocessor says can be long.
        let why = why.lines().next().unwrap_or("");
        match (*line, what.is_empty()) {
            (0, _) => format!("{file} ({why})"),
            (_, true) => format!("a declaration at {file}:{line}:{column} ({why})"),
            (_, false) => format!("`{what}` at {file}:{line}:{column} ({why})"),
        }
    }
}

/// The part of the program that was read.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Checked<'a> {
    /// Files that were read.
    files: usize,
    /// Functions that were read.
    functions: usize,
    /// Nothing was left out.
    complete: bool,
    /// What was not read: it may do anything.
    left_out: Vec<Missing<'a>>,
}

/// A part of a program that was left out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Missing<'a> {
    /// The function or file; empty for a declaration without a name.
    what: &'a str,
    /// The file that it is in.
    file: &'a str,
    /// The line, from 1; absent for a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The column, from 1; absent for a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Why.
    why: &'a str,
}

impl<'a> From<&'a Extent> for Checked<'a> {
    fn from(extent: &'a Extent) -> Checked<'a> {
        let missing = |part: &'a LeftOut| {
            let LeftOut { what, file, line, column, why } = part;
            let (line, column) = (*line > 0).then_some((*line, *column)).unzip();
            Missing { what, file, line, column, why }
        };
        Checked {
            files: extent.files,
            functions: extent.functions,
            complete: extent.is_complete(),
            left_out: extent.left_out.iter().map(missing).collect(),
        }
    }
}
