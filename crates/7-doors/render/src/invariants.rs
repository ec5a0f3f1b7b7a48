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
    /// The place is no loop, but the `entry` or the `end` of a function that calls itself, where it is called from itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// What holds, all of it together: disjunctions.
    pub holds: Vec<Disjunction>,
    /// Where every run ends: what gets smaller from place to place. The first that changes does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub smaller: Vec<Smaller>,
}

/// What gets smaller, so that no run goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Smaller {
    /// As an expression of C.
    pub text: String,
    /// Which one: `number` (the same at all states of the place), `sum` (of terms and the number, which nothing is too large
    /// for), `around` (such a sum as the width of its variables has room for it, without a sign), `holds` (1 if a
    /// comparison holds, and 0 if not).
    pub is: String,
    /// Variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<Multiple>,
    /// A number in decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// What it is at least, in decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<String>,
    /// A comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
}

/// A variable with a factor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Multiple {
    /// The variable.
    pub of: String,
    /// How often, in decimal.
    pub factor: String,
    /// It is taken as a number with a sign.
    pub signed: bool,
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
    at.only(&["file", "line", "proc", "place", "of", "holds", "smaller"])?;
    let measures = match at.json.get("smaller") {
        None => Vec::new(),
        Some(_) => at.get("smaller")?.list()?,
    };
    let holds = at.get("holds")?.list()?;
    Ok(Invariant {
        file: at.get("file")?.text()?,
        line: at.get("line")?.number()?,
        proc: at.get("proc")?.text()?,
        place: at.get("place")?.number()?,
        of: match at.json.get("of") {
            None => None,
            Some(_) => Some(at.get("of")?.text()?),
        },
        holds: holds.iter().map(disjunction).collect::<Result<_, _>>()?,
        smaller: measures.iter().map(smaller).collect::<Result<_, _>>()?,
    })
}

fn smaller(at: &At<'_>) -> Result<Smaller, ReadError> {
    at.only(&["text", "is", "terms", "number", "least", "comparison"])?;
    let there = |name: &str| at.json.get(name).is_some();
    let terms = match there("terms") {
        true => at.get("terms")?.list()?,
        false => Vec::new(),
    };
    let term = |at: &At<'_>| {
        at.only(&["of", "factor", "signed"])?;
        let signed = at.get("signed")?;
        let signed = signed.json.as_bool().map_or_else(|| signed.wrong("true or false"), Ok)?;
        Ok(Multiple { of: at.get("of")?.text()?, factor: at.get("factor")?.text()?, signed })
    };
    Ok(Smaller {
        text: at.get("text")?.text()?,
        is: at.get("is")?.text()?,
        terms: terms.iter().map(term).collect::<Result<_, _>>()?,
        number: there("number").then(|| at.get("number")?.text()).transpose()?,
        least: there("least").then(|| at.get("least")?.text()).transpose()?,
        comparison: there("comparison").then(|| comparison(&at.get("comparison")?)).transpose()?,
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
