//! What holds at each point of a program, for programs: the schema `postbop.influence/1`.

use serde::Serialize;
use std::io::{self, Write};

/// The variables that matter at each point (`bop influence`, `bop annotate`).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Influence")]
pub struct InfluencePage<'a> {
    /// The schema, and its version.
    pub schema: InfluenceSchema,
    /// `ia1` to `ia4`, `criterion` or `formula`.
    pub analysis: &'a str,
    /// How it was computed: all methods gave the same answer.
    pub methods: Vec<MethodPage<'a>>,
    /// All variables that have a name in the source.
    pub variables: &'a [String],
    /// The points in the order of the program.
    pub points: Vec<PointPage<'a>>,
    /// Why variables matter, where that was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonPage<'a>>,
    /// What `*` stands for, if it matters somewhere: the variables that pointers may lead to.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub pointed: &'a [String],
}

/// Why a variable matters at a point: how its value comes to something that reads it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Reason")]
pub struct ReasonPage<'a> {
    /// The variable.
    pub variable: &'a str,
    /// The line of the point; 0 for a state of a transition system.
    pub line: u32,
    /// The statement, or the state.
    pub text: &'a str,
    /// What happens to the value, one after the other.
    pub steps: Vec<ReasonStepPage<'a>>,
}

/// A step of a reason.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ReasonStep")]
pub struct ReasonStepPage<'a> {
    /// The line of the statement.
    pub line: Option<u32>,
    /// The statement, or the state.
    pub text: Option<&'a str>,
    /// What happens there, in words.
    pub what: &'a str,
}

/// The schema of an [`InfluencePage`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum InfluenceSchema {
    /// `postbop.influence/1`.
    #[default]
    #[serde(rename = "postbop.influence/1")]
    V1,
}

/// A method.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Method")]
pub struct MethodPage<'a> {
    /// Its name.
    pub method: &'a str,
    /// What it cost, in steps of its own.
    pub effort: u64,
}

/// What holds at a point.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Point")]
pub struct PointPage<'a> {
    /// The function.
    pub function: &'a str,
    /// The file.
    pub file: &'a str,
    /// The line, from 1; 0 for a state of a transition system.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The statement.
    pub text: &'a str,
    /// Its labels.
    pub labels: &'a [String],
    /// Whether it is ever reached.
    pub reachable: bool,
    /// The variables that matter there.
    pub variables: &'a [String],
    /// With a criterion: whether it matters that this is run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
}

/// Writes the variables that matter as one JSON object.
pub fn influence_json(page: &InfluencePage<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, page)?;
    out.write_all(b"\n")
}
