//! P-automata with their data, for people, programs and Graphviz.

use crate::{DataAutomaton, Formula};
use serde::Serialize;
use std::io::{self, Write};

/// The title: what the automaton accepts, and what its formulas are about.
fn title(automaton: &DataAutomaton) -> String {
    let (states, edges) = (automaton.states.len(), automaton.edges.len());
    let number = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let word = automaton.kind.word();
    format!("{word}: {}, {}", number(states, "state"), number(edges, "edge"))
}

/// Writes the automaton, a state at a time.
pub(crate) fn text(automaton: &DataAutomaton, quiet: bool, out: &mut dyn Write) -> io::Result<()> {
    line!(out, "{}", title(automaton))?;
    if quiet {
        return Ok(());
    }
    for (i, state) in automaton.states.iter().enumerate() {
        let end = match &state.end {
            Some(formula) if formula.text == "1" => " (end)".to_owned(),
            Some(formula) => format!(" (end: {})", formula.text),
            None => String::new(),
        };
        line!(out, "  state {}{end}", state.name)?;
        for (name, text) in state.end.iter().flat_map(|formula| &formula.definitions) {
            line!(out, "      {name}: {text}")?;
        }
        for edge in automaton.edges.iter().filter(|edge| edge.from as usize == i) {
            let to = &automaton.states[edge.to as usize].name;
            let line = format!("    {} -> {to}  {}", edge.frame, edge.text);
            line!(out, "{}", line.trim_end())?;
            line!(out, "      {}", edge.formula.text)?;
            for (name, text) in &edge.formula.definitions {
                line!(out, "        {name}: {text}")?;
            }
        }
    }
    Ok(())
}

/// The automaton in the language of Graphviz.
pub(crate) fn dot(automaton: &DataAutomaton, out: &mut dyn Write) -> io::Result<()> {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let whole = |formula: &Formula| {
        let mut lines = vec![escaped(&formula.text)];
        let named = formula.definitions.iter();
        lines.extend(named.map(|(name, text)| escaped(&format!("{name}: {text}"))));
        lines.join("\\n")
    };
    writeln!(out, "digraph automaton {{")?;
    line!(out, "  label=\"{}\";", escaped(&title(automaton)))?;
    writeln!(out, "  rankdir=LR;")?;
    for (i, state) in automaton.states.iter().enumerate() {
        let shape = if state.end.is_some() { "doublecircle" } else { "circle" };
        let end = match &state.end {
            Some(formula) if formula.text != "1" => format!("\\n{}", whole(formula)),
            _ => String::new(),
        };
        line!(out, "  {i} [shape={shape},label=\"{}{end}\"];", escaped(&state.name))?;
    }
    for edge in &automaton.edges {
        let (frame, formula) = (escaped(&edge.frame), whole(&edge.formula));
        line!(out, "  {} -> {} [label=\"{frame}\\n{formula}\"];", edge.from, edge.to)?;
    }
    writeln!(out, "}}")
}

/// A P-automaton: edges read frames, the topmost one first, and carry relations. In a formula `x` is a variable
/// of the frame, `'x` one of the state that the edge leaves, `x'` one of the state that it leads to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Automaton")]
pub(crate) struct Document<'a> {
    /// `post*`: what is reached; `pre*`: what leads to the set.
    kind: &'static str,
    /// The first one is initial.
    states: Vec<State<'a>>,
    /// The edges.
    edges: Vec<Edge<'a>>,
}

/// A state of a P-automaton.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "AutomatonState")]
struct State<'a> {
    /// Its name: a procedure, and a state of the set that was given.
    name: &'a str,
    /// With which data a stack may end here.
    end: Option<Relation<'a>>,
}

/// An edge of a P-automaton.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "AutomatonEdge")]
struct Edge<'a> {
    /// The number of the state that it leaves.
    from: u32,
    /// The number of the state that it leads to.
    to: u32,
    /// The frame that it reads.
    frame: &'a str,
    /// The statement there.
    text: &'a str,
    /// Its relation.
    relation: Relation<'a>,
}

/// A formula; parts that occur often, and would be long, have names.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Relation")]
struct Relation<'a> {
    /// The formula.
    formula: &'a str,
    /// Names in it, and what they stand for; each may use those before it.
    definitions: &'a [(String, String)],
}

impl<'a> From<&'a Formula> for Relation<'a> {
    fn from(formula: &'a Formula) -> Relation<'a> {
        Relation { formula: &formula.text, definitions: &formula.definitions }
    }
}

impl<'a> From<&'a DataAutomaton> for Document<'a> {
    fn from(automaton: &'a DataAutomaton) -> Document<'a> {
        let states = automaton.states.iter();
        let edges = automaton.edges.iter();
        Document {
            kind: automaton.kind.word(),
            states: states
                .map(|s| State { name: &s.name, end: s.end.as_ref().map(Relation::from) })
                .collect(),
            edges: edges
                .map(|e| Edge {
                    from: e.from,
                    to: e.to,
                    frame: &e.frame,
                    text: &e.text,
                    relation: Relation::from(&e.formula),
                })
                .collect(),
        }
    }
}
