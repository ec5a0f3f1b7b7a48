//! From automata to text.

use std::fmt::Write;

use crate::tgba::Tgba;

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
    line(format_args!("--BODY--"));
    let offsets = automaton.offsets();
    for state in 0..automaton.states as usize {
        let marks = by_state.as_ref().map_or(0, |marks| marks[state]);
        line(format_args!("State: {state}{}", marks_text(marks)));
        for t in &automaton.transitions[offsets[state]..offsets[state + 1]] {
            let label = t.label.written("t", "f", "&", " | ", |atom| atom.to_string());
            let marks = if by_state.is_some() { 0 } else { t.marks };
            line(format_args!("[{label}] {}{}", t.to.0, marks_text(marks)));
        }
    }
    line(format_args!("--END--"));
    out
}

fn marks_text(marks: u32) -> String {
    let set: Vec<String> =
        (0..32).filter(|i| marks >> i & 1 == 1).map(|i: u32| i.to_string()).collect();
    if set.is_empty() { String::new() } else { format!(" {{{}}}", set.join(" ")) }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
