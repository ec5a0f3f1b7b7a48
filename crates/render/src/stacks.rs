//! Whole stacks, for people, programs and Graphviz.

use crate::json::{stats, value_json};
use crate::text::{about_engine, counters, place, quoted};
use crate::values::Reader;
use crate::{Stack, Stacks, Status, TextOptions};
use serde_json::{Map, Value as Json, json};
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
        let at = quoted(stacks.at.as_deref().unwrap_or(""));
        line!(out, "unknown: which stacks are below {at}? ({reason})")?;
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
    stacks.automata.iter().try_for_each(|automaton| out.write_all(automaton.dot.as_bytes()))
}

/// Writes what is known of stacks as one JSON object, schema `postbop.stacks/1`.
pub fn stacks_json(stacks: &Stacks, out: &mut dyn Write) -> io::Result<()> {
    let file = stacks.files.first().map_or("", |f| f.name());
    let stack =
        |stack: &Option<Stack>| stack.as_ref().map(|stack| frames_json(stacks, stack, file));
    let automata: Vec<Json> = stacks
        .automata
        .iter()
        .map(|automaton| {
            let mut object = crate::json::place(&stacks.program, automaton.node, file, None);
            object.insert("expression".into(), json!(automaton.expression));
            let states = automaton.states.iter().map(|state| {
                let edges = state.edges.iter().map(|(letter, to)| json!([letter, to]));
                json!({"end": state.end, "edges": edges.collect::<Vec<_>>()})
            });
            object.insert("states".into(), states.collect());
            Json::Object(object)
        })
        .collect();
    let object = json!({
        "schema": "postbop.stacks/1",
        "file": file,
        "at": stacks.at,
        "from": stacks.from,
        "to": stacks.to,
        "verdict": stacks.status.map(Status::word),
        "reached": stack(&stacks.reached),
        "origin": stack(&stacks.origin),
        "stacks": automata,
        "engine": stacks.engine,
        "why": stacks.why,
        "stats": stats(stacks.seconds, &stacks.counters),
        "stop_reason": stacks.stop_reason.as_ref().map(|r| r.code()),
    });
    line!(out, "{object}")
}

fn frames_json(stacks: &Stacks, stack: &Stack, file: &str) -> Json {
    let program = &*stacks.program;
    let mut reader = Reader::new(program);
    let frame = |frame: &crate::StackFrame| {
        let mut object = crate::json::place(program, frame.node, file, None);
        let values = reader.values(program.nodes[frame.node].proc, &frame.state);
        let values = values.iter().map(|(v, x)| (program.var_name(*v).to_owned(), value_json(x)));
        object.insert("state".into(), Json::Object(values.collect::<Map<_, _>>()));
        Json::Object(object)
    };
    stack.frames.iter().map(frame).collect()
}
