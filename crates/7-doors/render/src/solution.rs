//! Solutions of equation systems for programs: the schema `postbop.solution/1`.

use serde::Serialize;
use std::io::{self, Write};

/// The value of a formula or equation (`bop eval`, `bop solve`).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Solution")]
pub struct SolutionPage<'a> {
    /// The schema, and its version.
    pub schema: SolutionSchema,
    /// The value.
    pub value: bool,
    /// Equations that were looked at.
    pub variables_explored: u64,
    /// How they were solved.
    pub algorithm: &'a str,
    /// Equations that there are, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables_total: Option<u64>,
    /// The explanation, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostic: Option<DiagnosticPage>,
    /// More of a parity game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<GamePage>,
    /// The states of the model in which the formula holds, where all were asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<u32>>,
}

/// Who wins a parity game. The value of a vertex is true where *even* wins.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Game")]
pub struct GamePage {
    /// The vertex asked for.
    pub vertex: u32,
    /// Who wins from there: `even` or `odd`.
    pub winner: &'static str,
    /// Vertices that even wins, if all were solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub even: Option<u64>,
    /// Vertices that odd wins, if all were solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odd: Option<u64>,
}

/// The schema of a [`SolutionPage`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SolutionSchema {
    /// `postbop.solution/1`.
    #[default]
    #[serde(rename = "postbop.solution/1")]
    V1,
}

/// An explanation of a value.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Diagnostic")]
pub struct DiagnosticPage {
    /// Equations that explain it.
    pub variables: usize,
    /// A checker agrees.
    pub checked: bool,
}

/// Writes a solution as one JSON object.
pub fn solution_json(solution: &SolutionPage<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, solution)?;
    out.write_all(b"\n")
}
