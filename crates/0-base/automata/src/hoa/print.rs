//! From automata to text.

use std::fmt::Write;

use crate::diagram::Label;
use crate::marks::Marks;
use crate::tgba::Tgba;

/// Labels with more cubes are written as diagrams: an alias for each node.
const MAX_CUBES: usize = 1 << 12;

/// The automaton as text; `name` is for people. Marks are put on states where that says the same.
#[must_use]
pub fn print(automaton: &Tgba, name: Option<&str>) -> String {
    let mut out = String::from("HOA: v1\n");
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(text).expect("strings take all text");
        out.push('\n');
    };
    if let Some(name) = name {
        line(format_args!("name: {}", quote(name)));
    }
    line(format_args!("States: {}", automaton.states));
    line(format_args!("Start: {}", automaton.initial.0));
    let atoms: String =
        automaton.atoms.iter().map(|a| format!(" {}", quote(&a.to_string()))).collect();
    line(format_args!("AP: {}{atoms}", automaton.atoms.len()));
    match automaton.marks {
        0 => line(format_args!("acc-name: all")),
        1 => line(format_args!("acc-name: Buchi")),
        n => line(format_args!("acc-name: generalized-Buchi {n}")),
    }
    let condition: Vec<String> = (0..automaton.marks).map(|i| format!("Inf({i})")).collect();
    let condition = if condition.is_empty() { "t".to_owned() } else { condition.join(" & ") };
    line(format_args!("Acceptance: {} {condition}", automaton.marks));
    // A state without transitions would lose the marks that it does not have: none.
    let by_state = automaton.state_marks().filter(|_| automaton.marks > 0);
    let place = if by_state.is_some() { "state-acc" } else { "trans-acc" };
    let deterministic = if automaton.is_deterministic() { " deterministic" } else { "" };
    line(format_args!("properties: trans-labels explicit-labels {place}{deterministic}"));
    let covers = automaton.covers(MAX_CUBES);
    let large = automaton.transitions.iter().zip(&covers).filter(|(_, cubes)| cubes.is_none());
    let large: Vec<Label> = large.map(|(t, _)| t.label).collect();
    for label in automaton.labels.below(&large) {
        let node = automaton.labels.node(label).expect("constants are below nothing");
        let (atom, low, high) = (node.atom, alias(node.low), alias(node.high));
        line(format_args!("Alias: {} {atom}&{high} | !{atom}&{low}", alias(label)));
    }
    line(format_args!("--BODY--"));
    let offsets = automaton.offsets();
    for state in 0..automaton.states as usize {
        let marks = by_state.as_ref().map_or(Marks::none(), |marks| marks[state].clone());
        line(format_args!("State: {state}{}", marks_text(&marks)));
        let range = offsets[state]..offsets[state + 1];
        for (t, cubes) in automaton.transitions[range.clone()].iter().zip(&covers[range]) {
            let label = match cubes {
                Some(cubes) => cubes.written("t", "f", "&", " | ", |atom| atom.to_string()),
                None => alias(t.label),
            };
            let marks = if by_state.is_some() { String::new() } else { marks_text(&t.marks) };
            line(format_args!("[{label}] {}{marks}", t.to.0));
        }
    }
    line(format_args!("--END--"));
    out
}

/// The name of a diagram's node.
fn alias(label: Label) -> String {
    match label {
        Label::NONE => "f".to_owned(),
        Label::ALL => "t".to_owned(),
        node => format!("@n{}", node.index() - 2),
    }
}

fn marks_text(marks: &Marks) -> String {
    let set: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    if set.is_empty() { String::new() } else { format!(" {{{}}}", set.join(" ")) }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
