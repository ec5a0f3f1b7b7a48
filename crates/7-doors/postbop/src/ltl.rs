//! Temporal formulas as automata (`bop ltl`).

use asking::Watch;
use automata::{KeepGoing, Marks, Tgba, TranslateError, degeneralize, hoa, ltl, translate};
use check::{Limits, StopReason};
use input::{Error, guarded, rejected};
use source::SourceFile;
use std::fmt::Write;
use std::sync::Arc;

/// The automaton of a formula: it accepts the infinite words that satisfy it.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The formula, as it was read.
    pub formula: String,
    automaton: Tgba,
}

/// Translates a formula. With `plain`, marks stand on states and there is one of them, as tools
/// that know no others expect it.
pub fn ltl(formula: &str, plain: bool, limits: Limits, watch: &Watch) -> Result<Automaton, Error> {
    guarded("translating a formula", || {
        let file = SourceFile::new("formula", formula).map_err(|e| Error::Usage(e.to_string()))?;
        let parsed =
            ltl::parse(formula).map_err(|error| rejected(&Arc::new(file), [error.diagnostic()]))?;
        let budget = watch.budget(limits);
        let asked = budget.clone();
        let options = automata::Options {
            keep_going: KeepGoing::while_true(move || asked.poll().is_ok()),
            max_states: MOST_STATES,
            max_nodes: MOST_NODES,
            ..automata::Options::default()
        };
        let translated = translate(&parsed.formulas, parsed.root, &options);
        let automaton = translated.and_then(|automaton| match plain {
            true => degeneralize(&automaton, &options),
            false => Ok(automaton),
        });
        match automaton {
            Ok(automaton) => {
                Ok(Automaton { formula: parsed.formulas.text(parsed.root), automaton })
            }
            Err(error) => Err(Error::Stopped(match (error, budget.poll()) {
                (TranslateError::Interrupted, Err(reason)) => reason,
                (error, _) => StopReason::Unsupported { what: error.to_string() },
            })),
        }
    })
}

/// An automaton that is asked for may be large: the counters of Spot's benchmark have half a million states.
const MOST_STATES: usize = 1 << 20;

/// Decision nodes of its labels.
const MOST_NODES: usize = 1 << 24;

impl Automaton {
    /// In the Hanoi omega-automata format.
    pub fn hoa(&self) -> String {
        hoa::print(&self.automaton, Some(&self.formula))
    }

    /// As a graph for Graphviz.
    pub fn dot(&self) -> String {
        automata::dot(&self.automaton)
    }

    /// For people: a line for each transition.
    pub fn text(&self) -> String {
        let automaton = &self.automaton;
        let mut out = format!("{}\n", self.formula);
        let by_state = automaton.state_marks();
        let marks = |marks: &Marks| -> String {
            let set: Vec<String> = marks.iter().map(|i| i.to_string()).collect();
            if set.is_empty() { String::new() } else { format!("  {{{}}}", set.join(" ")) }
        };
        let offsets = automaton.offsets();
        let labels = automaton.label_texts();
        for state in 0..automaton.states as usize {
            let start = if automaton.initial.index() == state { " (start)" } else { "" };
            let on_state = by_state.as_ref().map_or(String::new(), |of| marks(&of[state]));
            let _ = writeln!(out, "  state {state}{start}{on_state}");
            let range = offsets[state]..offsets[state + 1];
            for (t, label) in automaton.transitions[range.clone()].iter().zip(&labels[range]) {
                let on_edge = if by_state.is_some() { String::new() } else { marks(&t.marks) };
                let _ = writeln!(out, "    {label} -> {}{on_edge}", t.to.0);
            }
        }
        let _ = match automaton.marks {
            _ if automaton.transitions.is_empty() => writeln!(out, "  nothing is accepted"),
            0 => writeln!(out, "  every infinite run is accepted"),
            1 => writeln!(out, "  accepted: mark 0 infinitely often"),
            n => writeln!(out, "  accepted: each of the marks 0 to {} infinitely often", n - 1),
        };
        out
    }

    /// Its size, by names.
    pub fn stats(&self) -> Vec<(&'static str, u64)> {
        let automaton = &self.automaton;
        vec![
            ("atoms", automaton.atoms.len() as u64),
            ("states", u64::from(automaton.states)),
            ("transitions", automaton.transitions.len() as u64),
            ("marks", u64::from(automaton.marks)),
            ("deterministic", u64::from(automaton.is_deterministic())),
        ]
    }
}
