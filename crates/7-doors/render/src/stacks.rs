//! Whole stacks, for people, programs and Graphviz.

use crate::parts::{Place, Stats, Stop, named};
use crate::text::{about_engine, counters, place, quoted};
use crate::values::{Reader, Value};
use crate::{Stack, StackAutomaton, Stacks, Status, TextOptions};
use indexmap::IndexMap;
use serde::Serialize;
use std::io::{self, Write};

/// Writes what is known of stacks for people.
pub fn stacks_text(stacks: &Stacks, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    if let Some(status) = stacks.status {
        let to = stacks.to.as_deref().unwrap_or("");
        let from = match &stacks.from {
            Some(from) => format!(", from {from}"),
            None => String::new(),
        };
        match &stacks.stop_reason {
            Some(reason) => line!(out, "unknown: is {to} reachable{from}? ({reason})")?,
            None => line!(out, "{}: {to}{from}", status.word())?,
        }
    } else if let Some(reason) = &stacks.stop_reason {
        match stacks.at.as_deref() {
            Some(at) => {
                line!(out, "unknown: which stacks are below {}? ({reason})", quoted(at))?;
            }
            None => line!(out, "unknown: which configurations are accepted? ({reason})")?,
        }
    }
    if !options.quiet {
        for (stack, title) in [
            (&stacks.reached, "a stack with the fewest frames"),
            (&stacks.origin, "it is reached from this stack"),
        ] {
            if let Some(stack) = stack {
                writeln!(out)?;
                line!(out, "  {title}, the topmost one first:")?;
                frames(stacks, stack, out)?;
            }
        }
    }
    for (i, automaton) in stacks.automata.iter().enumerate() {
        if i > 0 || (stacks.status == Some(Status::Reachable) && !options.quiet) {
            writeln!(out)?;
        }
        match options.quiet {
            true => line!(out, "{}", automaton.text.lines().next().unwrap_or(""))?,
            false => out.write_all(automaton.text.as_bytes())?,
        }
    }
    for automaton in &stacks.data {
        crate::automata::text(automaton, options.quiet, out)?;
    }
    if options.verbose || options.stats {
        about_engine(out, &stacks.engine, &stacks.why, stacks.seconds)?;
    }
    if options.stats {
        counters(out, &stacks.counters)?;
    }
    Ok(())
}

/// A frame a line: where it stands, the statement, and the variables.
fn frames(stacks: &Stacks, stack: &Stack, out: &mut dyn Write) -> io::Result<()> {
    let program = &*stacks.program;
    let mut reader = Reader::new(program);
    let mut rows = Vec::new();
    for frame in &stack.frames {
        let info = &program.nodes[frame.node];
        let values: Vec<String> = reader
            .values(info.proc, &frame.state)
            .into_iter()
            .map(|(var, value)| format!("{}={value}", program.var_name(var)))
            .collect();
        let text = program.text(info.origin.text).to_owned();
        rows.push((place(program, frame.node), text, values.join(" ")));
    }
    let width = |of: fn(&(String, String, String)) -> &str| {
        rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0)
    };
    let (places, texts) = (width(|r| &r.0), width(|r| &r.1));
    for (place, text, values) in &rows {
        let line = format!("    {place:places$}  {text:texts$}  {values}");
        line!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Writes the stacks below statements for Graphviz.
pub fn stacks_dot(stacks: &Stacks, out: &mut dyn Write) -> io::Result<()> {
    stacks.automata.iter().try_for_each(|automaton| out.write_all(automaton.dot.as_bytes()))?;
    stacks.data.iter().try_for_each(|automaton| crate::automata::dot(automaton, out))
}

/// Writes what is known of stacks as one JSON object, schema `postbop.stacks/1`.
pub fn stacks_json(stacks: &Stacks, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Document::from(stacks))?;
    out.write_all(b"\n")
}

/// What is known of whole stacks (`bop states --stacks|--from|--to --format json`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Stacks")]
pub(crate) struct Document<'a> {
    /// The schema, and its version.
    schema: Schema,
    /// The (first) file of the program.
    file: &'a str,
    /// The statement, as it was typed.
    at: Option<&'a str>,
    /// Where runs begin, as it was typed; without it, where the program does.
    from: Option<&'a str>,
    /// Where runs shall come to, as it was typed.
    to: Option<&'a str>,
    /// Whether a stack of `to` is reached, where no statement was named.
    verdict: Option<Status>,
    /// Such a stack, with as few frames as possible, the topmost one first.
    reached: Option<Vec<Frame<'a>>>,
    /// A stack from which one is reached, where the search went backwards.
    origin: Option<Vec<Frame<'a>>>,
    /// The stacks below each statement.
    stacks: Vec<Below<'a>>,
    /// The automaton with its data, where that was asked for (`--stacks=data`, `bop post`, `bop pre`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    automata: Vec<crate::automata::Document<'a>>,
    /// The engine that answered.
    engine: &'a str,
    /// Why this engine.
    why: &'a str,
    /// Effort.
    stats: Stats,
    /// Why there is no answer.
    stop_reason: Option<Stop>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Schema {
    #[serde(rename = "postbop.stacks/1")]
    V1,
}

/// A frame: of the topmost one the next statement, of others the call that they wait in.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Frame<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    /// What is known of globals (in the topmost frame) and locals.
    state: IndexMap<&'a str, Value>,
}

/// The stacks that can be below a statement: an automaton that reads their frames, the innermost first.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Below<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    /// The same as a regular expression, if there is a short one.
    expression: Option<&'a str>,
    /// The first one is initial. None: the statement is not reached.
    states: Vec<State<'a>>,
}

/// A state of the automaton.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct State<'a> {
    /// The stack may end here.
    end: bool,
    /// Frames, and the numbers of the states that they lead to.
    edges: &'a [(String, u32)],
}

impl<'a> From<&'a Stacks> for Document<'a> {
    fn from(stacks: &'a Stacks) -> Document<'a> {
        let program = &*stacks.program;
        let file = stacks.files.first().map_or("", |f| f.name());
        let frames = |stack: &'a Option<Stack>| -> Option<Vec<Frame<'a>>> {
            let mut reader = Reader::new(program);
            let frame = |frame: &crate::StackFrame| Frame {
                place: Place::new(program, frame.node, file),
                state: named(program, &mut reader, program.nodes[frame.node].proc, &frame.state),
            };
            Some(stack.as_ref()?.frames.iter().map(frame).collect())
        };
        let below = |automaton: &'a StackAutomaton| {
            let states = automaton.states.iter();
            Below {
                place: Place::new(program, automaton.node, file),
                expression: automaton.expression.as_deref(),
                states: states.map(|s| State { end: s.end, edges: &s.edges }).collect(),
            }
        };
        Document {
            schema: Schema::V1,
            file,
            at: stacks.at.as_deref(),
            from: stacks.from.as_deref(),
            to: stacks.to.as_deref(),
            verdict: stacks.status,
            reached: frames(&stacks.reached),
            origin: frames(&stacks.origin),
            stacks: stacks.automata.iter().map(below).collect(),
            automata: stacks.data.iter().map(crate::automata::Document::from).collect(),
            engine: &stacks.engine,
            why: &stacks.why,
            stats: Stats::new(stacks.seconds, &stacks.counters),
            stop_reason: stacks.stop_reason.as_ref().map(Stop::from),
        }
    }
}
