//! Automata as graphs for Graphviz.

use std::fmt::Write;

use crate::cover::{Cube, Cubes};
use crate::ltl::Atom;
use crate::marks::Marks;
use crate::tgba::Tgba;

/// Labels with more cubes are not written out for people.
const MAX_SHOWN: usize = 1 << 12;

impl Tgba {
    /// The label of each transition as a formula, with the atoms' names. Of one that is too long, the
    /// size is told.
    #[must_use]
    pub fn label_texts(&self) -> Vec<String> {
        let covers = self.covers(MAX_SHOWN).into_iter().zip(&self.transitions);
        covers
            .map(|(cubes, t)| match cubes {
                Some(cubes) => cubes.text(&self.atoms),
                None => {
                    let nodes = self.labels.below(&[t.label]).len();
                    format!("(more than {MAX_SHOWN} conjunctions: a diagram of {nodes} nodes)")
                }
            })
            .collect()
    }
}

impl Cubes {
    /// The sum as a formula, with the atoms' names.
    #[must_use]
    pub fn text(&self, atoms: &[Atom]) -> String {
        self.written("1", "0", " & ", " | ", |atom| atoms[atom as usize].to_string())
    }

    /// The label in some syntax.
    pub(crate) fn written(
        &self,
        one: &str,
        zero: &str,
        and: &str,
        or: &str,
        name: impl Fn(u32) -> String,
    ) -> String {
        let cube = |cube: &Cube| {
            let literal = |&(atom, value): &(u32, bool)| {
                format!("{}{}", if value { "" } else { "!" }, name(atom))
            };
            match cube.0.is_empty() {
                true => one.to_owned(),
                false => cube.0.iter().map(literal).collect::<Vec<_>>().join(and),
            }
        };
        match self.cubes.is_empty() {
            true => zero.to_owned(),
            false => self.cubes.iter().map(cube).collect::<Vec<_>>().join(or),
        }
    }
}

/// The automaton in the language of Graphviz. Marks stand in braces behind labels; where all
/// transitions of a state have the same marks, they stand in the state, and a state with all of
/// them has a double border.
#[must_use]
pub fn dot(automaton: &Tgba) -> String {
    let mut out = String::from("digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n");
    out.push_str("  start [shape=point, style=invis];\n");
    let by_state = automaton.state_marks();
    for state in 0..automaton.states {
        let marks = by_state.as_ref().map_or(Marks::none(), |of| of[state as usize].clone());
        let full = automaton.marks > 0 && marks.len() == automaton.marks;
        let shape = if full { ", shape=doublecircle" } else { "" };
        let shown = if full { String::new() } else { marks_text(&marks) };
        writeln!(out, "  {state} [label=\"{state}{shown}\"{shape}];").expect(STRING);
    }
    writeln!(out, "  start -> {};", automaton.initial.0).expect(STRING);
    for (t, label) in automaton.transitions.iter().zip(automaton.label_texts()) {
        let marks = if by_state.is_some() { String::new() } else { marks_text(&t.marks) };
        let text = escape(&label) + &marks;
        writeln!(out, "  {} -> {} [label=\"{text}\"];", t.from.0, t.to.0).expect(STRING);
    }
    out.push_str("}\n");
    out
}

const STRING: &str = "strings take all text";

fn marks_text(marks: &Marks) -> String {
    let set: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    if set.is_empty() { String::new() } else { format!(" {{{}}}", set.join(",")) }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
