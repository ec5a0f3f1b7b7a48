//! What can hold at a place, for programs: the schema `postbop.states/1`.

use crate::parts::{Place, Stats, Stop};
use crate::values::{Reader, Value};
use crate::{States, StatesAt};
use indexmap::IndexMap;
use serde::Serialize;
use std::io::{self, Write};

/// Writes what can hold at a place as one JSON object, schema `postbop.states/1`.
pub fn states_json(states: &States, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Document::from(states))?;
    out.write_all(b"\n")
}

/// What can hold at some statements (`bop states --format json`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "States")]
pub(crate) struct Document<'a> {
    /// The schema, and its version.
    schema: Schema,
    /// The (first) file of the program.
    file: &'a str,
    /// The place, as it was typed.
    at: &'a str,
    /// The engine that answered.
    engine: &'a str,
    /// Why this engine.
    why: &'a str,
    /// Effort.
    stats: Stats,
    /// One for each statement that the place denotes; empty if there is no answer.
    places: Vec<At<'a>>,
    /// Why there is no answer.
    stop_reason: Option<Stop>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Schema {
    #[serde(rename = "postbop.states/1")]
    V1,
}

/// What can hold at a statement.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct At<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    /// Whether some run comes there.
    reachable: bool,
    /// The variables that were asked for.
    variables: Vec<&'a str>,
    /// The set as a formula over them.
    formula: &'a str,
    /// Names in the formula, and what they stand for; each may use those before it.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    definitions: IndexMap<&'a str, &'a str>,
    /// The set as disjoint cubes. A variable that a cube leaves open is absent.
    cubes: Vec<IndexMap<&'a str, CubeValue>>,
    /// No cube was left out.
    complete: bool,
    /// The number of valuations, in decimal, if it fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<String>,
}

/// What a cube says of a variable.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum CubeValue {
    /// Its value.
    Known(Value),
    /// Some bits of it: `0b1-0`.
    Pattern(String),
}

impl<'a> From<&'a States> for Document<'a> {
    fn from(states: &'a States) -> Document<'a> {
        let file = states.files.first().map_or("", |f| f.name());
        let reader = Reader::new(&states.program);
        Document {
            schema: Schema::V1,
            file,
            at: &states.at,
            engine: &states.engine,
            why: &states.why,
            stats: Stats::new(states.seconds, &states.counters),
            places: states.places.iter().map(|at| At::new(states, at, file, &reader)).collect(),
            stop_reason: states.stop_reason.as_ref().map(Stop::from),
        }
    }
}

impl<'a> At<'a> {
    fn new(states: &'a States, at: &'a StatesAt, file: &str, reader: &Reader<'_>) -> At<'a> {
        let program = &*states.program;
        let definitions = at.formula.definitions.iter();
        let cubes = at.cubes.iter().map(|cube| {
            let values = at.vars.iter().filter_map(|&var| {
                let value = match reader.value(cube, var) {
                    Some(value) => CubeValue::Known(value),
                    // An integer of which some bits are known.
                    None => CubeValue::Pattern(reader.pattern(cube, var)?),
                };
                Some((program.var_name(var), value))
            });
            values.collect()
        });
        At {
            place: Place::new(program, at.node, file),
            reachable: at.reachable,
            variables: at.vars.iter().map(|&v| program.var_name(v)).collect(),
            formula: &at.formula.text,
            definitions: definitions.map(|(name, text)| (&name[..], &text[..])).collect(),
            cubes: cubes.collect(),
            complete: !at.cut,
            count: at.count.map(|count| count.to_string()),
        }
    }
}
