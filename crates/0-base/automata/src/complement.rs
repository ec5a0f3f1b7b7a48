//! The complement of a deterministic automaton.
//!
//! A word is rejected by a deterministic automaton if its only run ends, or meets some mark only finitely often. So the
//! complement follows the run, guesses from when on which mark is missing, and goes on without the transitions that carry
//! it; where the run ends, it accepts whatever follows.

use crate::diagram::{Diagrams, Label};
use crate::marks::Marks;
use crate::tgba::{StateId, Tgba, Transition};
use rustc_hash::FxHashMap;

/// An automaton that accepts what a deterministic one rejects; none of one that is not deterministic.
#[must_use]
pub fn complement(automaton: &Tgba) -> Option<Tgba> {
    if !automaton.is_deterministic() {
        return None;
    }
    // The states themselves, one where the run has ended, then a copy of all of them for each mark.
    let end = automaton.states;
    let copy = |state: u32, mark: u32| end + 1 + mark * automaton.states + state;
    let mut labels = automaton.labels.clone();
    let mut transitions = Vec::new();
    let mut add = |from: u32, label: Label, to: u32, marked: bool| {
        let marks = if marked { Marks::one(0) } else { Marks::none() };
        transitions.push(Transition { from: StateId(from), label, to: StateId(to), marks });
    };
    let offsets = automaton.offsets();
    let mut known = FxHashMap::default();
    for state in 0..automaton.states {
        let out = &automaton.transitions[offsets[state as usize]..offsets[state as usize + 1]];
        for t in out {
            add(state, t.label, t.to.0, false);
            for mark in 0..automaton.marks {
                if !t.marks.contains(mark) {
                    add(state, t.label, copy(t.to.0, mark), false);
                    add(copy(state, mark), t.label, copy(t.to.0, mark), true);
                }
            }
        }
        let read: Vec<Label> = out.iter().map(|t| t.label).collect();
        let rest = others(&mut labels, read, &mut known);
        if rest != Label::NONE {
            add(state, rest, end, false);
            for mark in 0..automaton.marks {
                add(copy(state, mark), rest, end, false);
            }
        }
    }
    add(end, Label::ALL, end, true);
    transitions.sort_by_key(|t| t.from);
    Some(Tgba {
        atoms: automaton.atoms.clone(),
        labels,
        states: end + 1 + automaton.marks * automaton.states,
        initial: automaton.initial,
        transitions,
        marks: 1,
    })
}

/// The letters that none of the labels reads. It descends once for each atom.
fn others(
    labels: &mut Diagrams,
    mut read: Vec<Label>,
    known: &mut FxHashMap<Vec<Label>, Label>,
) -> Label {
    read.retain(|label| *label != Label::NONE);
    read.sort_unstable();
    read.dedup();
    if read.contains(&Label::ALL) {
        return Label::NONE;
    }
    let atoms = read.iter().filter_map(|label| labels.node(*label)).map(|node| node.atom);
    let Some(atom) = atoms.min() else { return Label::ALL };
    if let Some(&label) = known.get(&read) {
        return label;
    }
    let branch = |labels: &Diagrams, high: bool| {
        let of = |label: &Label| match labels.node(*label) {
            Some(node) if node.atom == atom => {
                if high {
                    node.high
                } else {
                    node.low
                }
            }
            _ => *label,
        };
        read.iter().map(of).collect::<Vec<Label>>()
    };
    let (low, high) = (branch(labels, false), branch(labels, true));
    let (low, high) = (others(labels, low, known), others(labels, high, known));
    let label = labels.make(atom, low, high);
    known.insert(read, label);
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, ltl, translate};

    /// Every word with a short stem and a short loop is in one of the two.
    #[test]
    fn a_word_is_in_one_of_them() {
        let mut tried = 0;
        for text in
            ["G a", "F a", "a U b", "G F a", "G (a -> X b)", "G F a && G F b", "X a", "0", "1"]
        {
            let formula = ltl::parse(text).expect("a formula");
            let automaton = translate(&formula.formulas, formula.root, &Options::default());
            let automaton = automaton.expect("it is small");
            let Some(other) = complement(&automaton) else { continue };
            other.validate().expect("it is an automaton");
            tried += 1;
            for (stem, turn) in [(0, 1), (1, 1), (0, 2), (1, 2), (2, 1), (2, 2)] {
                for bits in 0u32..1 << (2 * (stem + turn)) {
                    let letter = |i: usize, atom: u32| bits >> (2 * i + atom as usize) & 1 == 1;
                    let mine = automaton.accepts_lasso(stem, turn, letter);
                    let its = other.accepts_lasso(stem, turn, letter);
                    assert!(mine != its, "{text}: {bits:b} with {stem} and {turn}");
                }
            }
        }
        assert!(tried >= 6, "{tried} were deterministic");
    }
}
