//! Invariants of loops, by which a program in C with its data is proved.

use crate::read::{At, ReadError};
use serde::Serialize;

/// What holds whenever a run comes to a loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Invariant"))]
pub struct Invariant {
    /// The file.
    pub file: String,
    /// The line on which the loop starts.
    pub line: u32,
    /// The function.
    pub proc: String,
    /// Which of the places this is, in the order in which the program is followed; the same loop below another chain
    /// of calls is another place.
    pub place: u32,
    /// What holds, all of it together: disjunctions.
    pub holds: Vec<Disjunction>,
}

/// One of some comparisons holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disjunction {
    /// As an expression of C; variables of callers stand behind the names of their functions.
    pub text: String,
    /// The comparisons.
    pub any: Vec<Comparison>,
}

/// A comparison of variables and numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Which one: `bit` (of `a`, the number says which), `equal` (to the number), `most` (at most the number), `low` (the
    /// lowest bits are the number), `apart` (`a` minus `b` is the number), `linear` (`a` is `by` times `b` and the number), `sum` (`a` and `b` are
    /// `c`), `plane` (`a` and `b` are `by` times `c`, `d` if it is there, and the number), `ordered` (`a` is at most `b`),
    /// `below` (`a` is less than `b`).
    pub is: String,
    /// A variable.
    pub a: String,
    /// Another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// A third one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    /// A fourth one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
    /// How often `b` is taken, in decimal, as it is without a sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// A number in decimal, as it is without a sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// How many bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// The order is that of numbers with a sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed: Option<bool>,
    /// It holds, or its contrary does.
    pub holds: bool,
}

/// Reads invariants back.
pub(crate) fn read(at: &At<'_>) -> Result<Vec<Invariant>, ReadError> {
    at.list()?.iter().map(invariant).collect()
}

fn invariant(at: &At<'_>) -> Result<Invariant, ReadError> {
    at.only(&["file", "line", "proc", "place", "holds"])?;
    let holds = at.get("holds")?.list()?;
    Ok(Invariant {
        file: at.get("file")?.text()?,
        line: at.get("line")?.number()?,
        proc: at.get("proc")?.text()?,
        place: at.get("place")?.number()?,
        holds: holds.iter().map(disjunction).collect::<Result<_, _>>()?,
    })
}

fn disjunction(at: &At<'_>) -> Result<Disjunction, ReadError> {
    at.only(&["text", "any"])?;
    let any = at.get("any")?.list()?;
    let any = any.iter().map(comparison).collect::<Result<_, _>>()?;
    Ok(Disjunction { text: at.get("text")?.text()?, any })
}

fn comparison(at: &At<'_>) -> Result<Comparison, ReadError> {
    at.only(&["is", "a", "b", "c", "d", "by", "number", "bits", "signed", "holds"])?;
    let there = |name: &str| at.json.get(name).is_some();
    let flag = |name: &str| {
        let at = at.get(name)?;
        at.json.as_bool().map_or_else(|| at.wrong("true or false"), Ok)
    };
    Ok(Comparison {
        is: at.get("is")?.text()?,
        a: at.get("a")?.text()?,
        b: there("b").then(|| at.get("b")?.text()).transpose()?,
        c: there("c").then(|| at.get("c")?.text()).transpose()?,
        d: there("d").then(|| at.get("d")?.text()).transpose()?,
        by: there("by").then(|| at.get("by")?.text()).transpose()?,
        number: there("number").then(|| at.get("number")?.text()).transpose()?,
        bits: there("bits").then(|| at.get("bits")?.number()).transpose()?,
        signed: there("signed").then(|| flag("signed")).transpose()?,
        holds: flag("holds")?,
    })
}
